#include "analysis/pca/pca.h"

#include <algorithm>
#include <cmath>

#include "analysis/pca/eigen.h"
#include "analysis/pca/krylov.h"
#include "math/lanes.h"
#include "math/nan.h"

namespace phasor::pca {
namespace {

/// Columns (or rows) of a panel of the workspace: [panel][summed over][kPanel].
constexpr std::size_t kPanel = 4;

/// Rows whose numbers are added to a sum while it is in a register.
constexpr std::size_t kTogether = 8;

/// Two numbers less their mean, in double.
v128_t centered(const float* x, const double* mean) {
  return wasm_f64x2_sub(wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(x)),
                        wasm_v128_load(mean));
}

/// The numbers of the columns (or rows) of a tile.
struct Tile {
  const float* x;
  const double* mean;
  std::size_t n, S;  // the number of columns (or rows), and the numbers of each
  std::size_t x_step, x_along;
  std::size_t mean_step, mean_along;

  /// Number s of column (or row) i, centered.
  double at(std::size_t i, std::size_t s) const {
    return static_cast<double>(x[i * x_step + s * x_along]) - mean[i * mean_step + s * mean_along];
  }
};

Tile tile_of(std::span<const float> x, std::size_t N, std::size_t D, std::span<const double> mean,
             Side side) {
  if (side == Side::kColumns) return {x.data(), mean.data(), D, N, 1, D, 1, 0};
  return {x.data(), mean.data(), N, D, D, 1, 0, 1};
}

bool shapes_agree(std::span<const float> x, std::size_t N, std::size_t D,
                  std::span<const double> mean, Side side, std::span<const double> matrix) {
  const std::size_t n = side == Side::kColumns ? D : N;
  return x.size() == N * D && mean.size() == D && matrix.size() == n * n;
}

/// Multiplies a panel of four columns by another:  sums[r][c] = sum over s of a[s, r] * b[s, c].
void four_by_four(const double* a, const double* b, std::size_t S, double* sums) {
  v128_t s00 = wasm_f64x2_splat(0), s01 = s00, s10 = s00, s11 = s00;
  v128_t s20 = s00, s21 = s00, s30 = s00, s31 = s00;
  for (std::size_t s = 0; s < S; ++s, a += kPanel, b += kPanel) {
    const v128_t b0 = wasm_v128_load(b), b1 = wasm_v128_load(b + 2);
    const v128_t a0 = wasm_v128_load64_splat(a), a1 = wasm_v128_load64_splat(a + 1);
    s00 = wasm_f64x2_add(s00, wasm_f64x2_mul(a0, b0));
    s01 = wasm_f64x2_add(s01, wasm_f64x2_mul(a0, b1));
    s10 = wasm_f64x2_add(s10, wasm_f64x2_mul(a1, b0));
    s11 = wasm_f64x2_add(s11, wasm_f64x2_mul(a1, b1));
    const v128_t a2 = wasm_v128_load64_splat(a + 2), a3 = wasm_v128_load64_splat(a + 3);
    s20 = wasm_f64x2_add(s20, wasm_f64x2_mul(a2, b0));
    s21 = wasm_f64x2_add(s21, wasm_f64x2_mul(a2, b1));
    s30 = wasm_f64x2_add(s30, wasm_f64x2_mul(a3, b0));
    s31 = wasm_f64x2_add(s31, wasm_f64x2_mul(a3, b1));
  }
  for (const v128_t sum : {s00, s01, s10, s11, s20, s21, s30, s31}) {
    wasm_v128_store(sums, sum);
    sums += 2;
  }
}

/// Projects two rows on two components, each sum in the order of `eigen::dot`; one alone waits for its sums.
void two_by_two(const float* x, const float* y, const double* mean, const double* p,
                const double* q, std::size_t D, double* out) {
  const v128_t none = wasm_f64x2_splat(0);
  v128_t xp0 = none, xp1 = none, xq0 = none, xq1 = none;
  v128_t yp0 = none, yp1 = none, yq0 = none, yq1 = none;
  std::size_t d = 0;
  for (; d + 4 <= D; d += 4) {
    const v128_t p0 = wasm_v128_load(p + d), q0 = wasm_v128_load(q + d);
    const v128_t x0 = centered(x + d, mean + d), y0 = centered(y + d, mean + d);
    xp0 = wasm_f64x2_add(xp0, wasm_f64x2_mul(x0, p0));
    xq0 = wasm_f64x2_add(xq0, wasm_f64x2_mul(x0, q0));
    yp0 = wasm_f64x2_add(yp0, wasm_f64x2_mul(y0, p0));
    yq0 = wasm_f64x2_add(yq0, wasm_f64x2_mul(y0, q0));
    const v128_t p1 = wasm_v128_load(p + d + 2), q1 = wasm_v128_load(q + d + 2);
    const v128_t x1 = centered(x + d + 2, mean + d + 2), y1 = centered(y + d + 2, mean + d + 2);
    xp1 = wasm_f64x2_add(xp1, wasm_f64x2_mul(x1, p1));
    xq1 = wasm_f64x2_add(xq1, wasm_f64x2_mul(x1, q1));
    yp1 = wasm_f64x2_add(yp1, wasm_f64x2_mul(y1, p1));
    yq1 = wasm_f64x2_add(yq1, wasm_f64x2_mul(y1, q1));
  }
  const v128_t sums[] = {wasm_f64x2_add(xp0, xp1), wasm_f64x2_add(xq0, xq1),
                         wasm_f64x2_add(yp0, yp1), wasm_f64x2_add(yq0, yq1)};
  for (std::size_t i = 0; i < 4; ++i) {
    const float* row = i < 2 ? x : y;
    const double* component = i % 2 == 0 ? p : q;
    out[i] = wasm_f64x2_extract_lane(sums[i], 0) + wasm_f64x2_extract_lane(sums[i], 1);
    for (std::size_t j = d; j < D; ++j)
      out[i] += (static_cast<double>(row[j]) - mean[j]) * component[j];
  }
}

void subtract_projections(double* row, const double* rows, std::size_t count, std::size_t D) {
  for (std::size_t c = 0; c < count; ++c)
    eigen::add_scaled(-eigen::dot(row, rows + c * D, D), rows + c * D, row, D);
}

[[gnu::noinline]] void normalize(double* row, std::size_t D) {
  const double length = std::sqrt(eigen::dot(row, row, D));
  for (std::size_t d = 0; d < D; ++d) row[d] /= length;
}

/// Computes a direction orthogonal to some rows, from the axis that is furthest from them.
void complete(double* row, const double* rows, std::size_t count, std::size_t D, double* reached) {
  std::fill_n(reached, D, 0.0);
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t d = 0; d < D; ++d) reached[d] += rows[c * D + d] * rows[c * D + d];
  std::fill_n(row, D, 0.0);
  row[std::min_element(reached, reached + D) - reached] = 1;
  for (const int pass : {1, 2}) {  // the second pass removes the rounding errors of the first
    static_cast<void>(pass);
    subtract_projections(row, rows, count, D);
    normalize(row, D);
  }
}

void fix_sign(double* row, std::size_t D) {
  float largest = 0;
  bool negative = false;
  for (std::size_t d = 0; d < D; ++d) {
    const float loading = static_cast<float>(row[d]);
    if (std::fabs(loading) <= largest) continue;
    largest = std::fabs(loading);
    negative = loading < 0;
  }
  if (negative) eigen::add_scaled(-2, row, row, D);  // x - 2 x: no -0
}

}  // namespace

Status add_columns(std::span<const float> x, std::span<double> sums) noexcept {
  const std::size_t D = sums.size();
  if (kChecked && (D == 0 || x.size() % D != 0)) return Status::kBadShape;
  const std::size_t N = x.size() / D, pairs = D - D % 2;
  for (std::size_t from = 0; from < N; from += kTogether) {
    const float* rows = x.data() + from * D;
    const std::size_t count = std::min(kTogether, N - from);
    for (std::size_t d = 0; d < pairs; d += 2) {
      v128_t sum = wasm_v128_load(&sums[d]);
      for (std::size_t n = 0; n < count; ++n)
        sum = wasm_f64x2_add(sum,
                             wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(rows + n * D + d)));
      wasm_v128_store(&sums[d], sum);
    }
    for (std::size_t n = 0; n < count && pairs < D; ++n)
      sums[pairs] += static_cast<double>(rows[n * D + pairs]);
  }
  return Status::kOk;
}

Status add_moments(std::span<const float> x, std::span<const double> center, std::span<double> sums,
                   double& squares) noexcept {
  const std::size_t D = sums.size();
  if (kChecked && (D == 0 || center.size() != D || x.size() % D != 0)) return Status::kBadShape;
  const std::size_t N = x.size() / D, fours = D - D % 4;
  v128_t square0 = wasm_f64x2_splat(0), square1 = square0;
  double rest = 0;
  for (std::size_t from = 0; from < N; from += kTogether) {
    const float* rows = x.data() + from * D;
    const std::size_t count = std::min(kTogether, N - from);
    for (std::size_t d = 0; d < fours; d += 4) {
      v128_t sum0 = wasm_v128_load(&sums[d]), sum1 = wasm_v128_load(&sums[d + 2]);
      for (std::size_t n = 0; n < count; ++n) {
        const v128_t two = centered(rows + n * D + d, &center[d]);
        const v128_t more = centered(rows + n * D + d + 2, &center[d + 2]);
        sum0 = wasm_f64x2_add(sum0, two);
        sum1 = wasm_f64x2_add(sum1, more);
        square0 = wasm_f64x2_add(square0, wasm_f64x2_mul(two, two));
        square1 = wasm_f64x2_add(square1, wasm_f64x2_mul(more, more));
      }
      wasm_v128_store(&sums[d], sum0);
      wasm_v128_store(&sums[d + 2], sum1);
    }
    for (std::size_t d = fours; d < D; ++d) {
      for (std::size_t n = 0; n < count; ++n) {
        const double one = static_cast<double>(rows[n * D + d]) - center[d];
        sums[d] += one;
        rest += one * one;
      }
    }
  }
  const v128_t square = wasm_f64x2_add(square0, square1);
  squares += (wasm_f64x2_extract_lane(square, 0) + wasm_f64x2_extract_lane(square, 1)) + rest;
  return Status::kOk;
}

Status add_products_scalar(std::span<const float> x, std::size_t N, std::size_t D,
                           std::span<const double> mean, Side side,
                           std::span<double> matrix) noexcept {
  if (kChecked && !shapes_agree(x, N, D, mean, side, matrix)) return Status::kBadShape;
  const Tile tile = tile_of(x, N, D, mean, side);
  const std::size_t n = tile.n, S = tile.S;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      double sum = 0;
      for (std::size_t s = 0; s < S; ++s) sum += tile.at(i, s) * tile.at(j, s);
      matrix[i * n + j] += sum;
    }
  }
  return Status::kOk;
}

Status add_products(std::span<const float> x, std::size_t N, std::size_t D,
                    std::span<const double> mean, Side side, std::span<double> workspace,
                    std::span<double> matrix) noexcept {
  if (kChecked && (!shapes_agree(x, N, D, mean, side, matrix) ||
                   workspace.size() != workspace_size(N, D, side)))
    return Status::kBadShape;
  const Tile tile = tile_of(x, N, D, mean, side);
  const std::size_t n = tile.n, S = tile.S;
  double* to = workspace.data();
  for (std::size_t p = 0; p < n; p += kPanel)
    for (std::size_t s = 0; s < S; ++s)
      for (std::size_t i = p; i < p + kPanel; ++i) *to++ = i < n ? tile.at(i, s) : 0;
  for (std::size_t i = 0; i < n; i += kPanel) {
    for (std::size_t j = i; j < n; j += kPanel) {
      double sums[kPanel][kPanel];
      four_by_four(workspace.data() + i * S, workspace.data() + j * S, S, sums[0]);
      for (std::size_t r = i; r < std::min(i + kPanel, n); ++r)
        for (std::size_t c = j; c < std::min(j + kPanel, n); ++c)
          matrix[r * n + c] += sums[r - i][c - j];
    }
  }
  return Status::kOk;
}

Status decompose(std::span<double> matrix, std::size_t n, bool vectors, double noise,
                 std::span<double> values, std::span<double> workspace) noexcept {
  if (kChecked && matrix.size() != n * n) return Status::kBadShape;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) matrix[i * n + j] = matrix[j * n + i];
  const Status status = eigen::symmetric(matrix, n, vectors, values, workspace);
  if (status != Status::kOk) return status;
  const double least = noise * std::max(values[0], 0.0);
  for (double& value : values)
    if (value <= least) value = 0;
  return Status::kOk;
}

Status combine(std::span<const float> x, std::size_t first, std::size_t N,
               std::span<const double> mean, std::span<const double> weights,
               std::span<double> workspace, std::span<double> out) noexcept {
  const std::size_t D = mean.size();
  if (kChecked && (D == 0 || workspace.size() != D || x.size() % D != 0 || out.size() % D != 0 ||
                   first + x.size() / D > N || weights.size() != out.size() / D * N))
    return Status::kBadShape;
  for (std::size_t n = 0; n < x.size() / D; ++n) {
    krylov::center(x.data() + n * D, mean, workspace.data());
    for (std::size_t c = 0; c < out.size() / D; ++c)
      eigen::add_scaled(weights[c * N + first + n], workspace.data(), out.data() + c * D, D);
  }
  return Status::kOk;
}

Status orthonormalize(std::span<double> rows, std::size_t D, std::size_t known,
                      std::span<double> workspace) noexcept {
  if (kChecked && (D == 0 || rows.size() % D != 0 || rows.size() / D > D || workspace.size() != D))
    return Status::kBadShape;
  double* first = rows.data();
  for (std::size_t c = 0; c < rows.size() / D; ++c) {
    double* row = first + c * D;
    if (c < known) {
      normalize(row, D);
      subtract_projections(row, first, c, D);
      normalize(row, D);
    } else {
      complete(row, first, c, D, workspace.data());
    }
  }
  return Status::kOk;
}

Status finish(std::span<double> components, std::size_t D, std::size_t known,
              std::span<double> workspace) noexcept {
  const Status status = orthonormalize(components, D, known, workspace);
  if (status != Status::kOk) return status;
  for (std::size_t from = 0; from < components.size(); from += D)
    fix_sign(components.data() + from, D);
  return Status::kOk;
}

Status project(std::span<const float> x, std::span<const double> mean,
               std::span<const double> components, std::span<float> out) noexcept {
  const std::size_t D = mean.size();
  if (kChecked && (D == 0 || x.size() % D != 0 || components.size() % D != 0))
    return Status::kBadShape;
  const std::size_t N = x.size() / D, k = components.size() / D;
  if (kChecked && out.size() != N * k) return Status::kBadShape;
  for (std::size_t n = 0; n < N; n += 2) {
    for (std::size_t c = 0; c < k; c += 2) {
      // Of an odd number, the last one is taken twice.
      const std::size_t rows[] = {n, std::min(n + 1, N - 1)}, to[] = {c, std::min(c + 1, k - 1)};
      double sums[4];
      two_by_two(&x[rows[0] * D], &x[rows[1] * D], mean.data(), &components[to[0] * D],
                 &components[to[1] * D], D, sums);
      for (std::size_t i = 0; i < 4; ++i)
        out[rows[i / 2] * k + to[i % 2]] = canonical(static_cast<float>(sums[i]));
    }
  }
  return Status::kOk;
}

}  // namespace phasor::pca
