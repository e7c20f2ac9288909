#include "analysis/similarity/similarity.h"

#include <algorithm>
#include <cmath>

#include "math/lanes.h"
#include "math/linear.h"
#include "math/nan.h"

namespace phasor::similarity {
namespace {

v128_t two(const float* x) { return wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(x)); }

/// The term of a pair of numbers: their product, or their squared difference.
template <bool kGap>
double term(double q, double x) {
  return kGap ? (q - x) * (q - x) : q * x;
}

template <bool kGap>
v128_t add_terms(v128_t sum, v128_t q, v128_t x) {
  if constexpr (kGap) {
    const v128_t gap = wasm_f64x2_sub(q, x);
    return wasm_f64x2_add(sum, wasm_f64x2_mul(gap, gap));
  }
  return wasm_f64x2_add(sum, wasm_f64x2_mul(q, x));
}

/// Adds [s0 s1], [s2 s3] and the terms of the remaining numbers.
template <bool kGap>
double finish(v128_t first, v128_t second, const double* q, const float* x, std::size_t from,
              std::size_t D) {
  const v128_t sum = wasm_f64x2_add(first, second);
  double total = wasm_f64x2_extract_lane(sum, 0) + wasm_f64x2_extract_lane(sum, 1);
  for (std::size_t d = from; d < D; ++d) total += term<kGap>(q[d], static_cast<double>(x[d]));
  return total;
}

/// Computes the sums of one row with each of many, in eight partial sums. It reads one row after
/// the other, since memory is fastest for a single stream (two rows at a time are 2.5 times slower
/// beyond the cache).
template <bool kGap>
void sums(std::span<const double> row, const float* rows, std::span<double> out) {
  const std::size_t D = row.size(), N = out.size();
  const double* q = row.data();
  for (std::size_t n = 0; n < N; ++n) {
    const float* b = rows + n * D;
    v128_t b0 = wasm_f64x2_splat(0), b1 = b0, c0 = b0, c1 = b0;
    std::size_t d = 0;
    for (; d + 8 <= D; d += 8) {
      b0 = add_terms<kGap>(b0, wasm_v128_load(q + d), two(b + d));
      b1 = add_terms<kGap>(b1, wasm_v128_load(q + d + 2), two(b + d + 2));
      c0 = add_terms<kGap>(c0, wasm_v128_load(q + d + 4), two(b + d + 4));
      c1 = add_terms<kGap>(c1, wasm_v128_load(q + d + 6), two(b + d + 6));
    }
    out[n] = finish<kGap>(wasm_f64x2_add(b0, c0), wasm_f64x2_add(b1, c1), q, b, d, D);
  }
}

/// Adds D terms as `compare` does: eight partial sums by d mod 8, then the remaining terms.
template <class Term>
double add_up(std::size_t D, Term term_of) {
  double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  std::size_t d = 0;
  for (; d + 8 <= D; d += 8)
    for (std::size_t k = 0; k < 8; ++k) s[k] += term_of(d + k);
  double total = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  for (; d < D; ++d) total += term_of(d);
  return total;
}

/// Divides the dot product by both lengths. With a row of zeros the dot product is 0 or NaN
/// already.
[[gnu::noinline]] double cosine(double dot, double square_a, double square_b) {
  const double both = square_a * square_b;
  return both == 0 ? dot : dot / std::sqrt(both);
}

constexpr std::size_t kPanel = linear::kWide<double>;  // which is linear::kTall, too

/// Adds up the squares of four rows, each in the order of its numbers.
void panel_squares(const double* panel, std::size_t D, double* out) {
  v128_t low = wasm_f64x2_splat(0), high = low;
  for (std::size_t d = 0; d < D; ++d, panel += kPanel) {
    low = add_terms<false>(low, wasm_v128_load(panel), wasm_v128_load(panel));
    high = add_terms<false>(high, wasm_v128_load(panel + 2), wasm_v128_load(panel + 2));
  }
  wasm_v128_store(out, low);
  wasm_v128_store(out + 2, high);
}

}  // namespace

std::size_t work(std::size_t N, std::size_t D) noexcept {
  return (linear::padded(N, kPanel) + kPanel) * D + linear::padded(N, kPanel);
}

double square(std::span<const double> q) noexcept {
  return add_up(q.size(), [q](std::size_t d) { return q[d] * q[d]; });
}

void squares(std::span<const float> rows, std::size_t D, std::span<double> out) noexcept {
  for (std::size_t n = 0; n < out.size(); ++n) {
    const auto row = rows.subspan(n * D, D);
    out[n] = linear::dot(row, row);
  }
}

void compare_scalar(std::span<const double> q, std::span<const float> rows,
                    std::span<const double> squares, Metric metric,
                    std::span<double> out) noexcept {
  for (std::size_t n = 0; n < out.size(); ++n) {
    const auto row = rows.subspan(n * q.size(), q.size());
    const double sum = add_up(q.size(), [&](std::size_t d) {
      const double x = static_cast<double>(row[d]);
      return metric == Metric::kEuclidean ? term<true>(q[d], x) : term<false>(q[d], x);
    });
    out[n] = metric == Metric::kCosine ? cosine(sum, square(q), squares[n]) : sum;
  }
}

void compare(std::span<const double> q, double own, std::span<const float> rows,
             std::span<const double> squares, Metric metric, std::span<double> out) noexcept {
  if (metric == Metric::kEuclidean) return sums<true>(q, rows.data(), out);
  sums<false>(q, rows.data(), out);
  if (metric == Metric::kDot) return;
  for (std::size_t n = 0; n < out.size(); ++n) out[n] = cosine(out[n], own, squares[n]);
}

float shown(double value, Metric metric) noexcept {
  return canonical(static_cast<float>(metric == Metric::kEuclidean ? std::sqrt(value) : value));
}

Status rows(std::span<const float> a, std::span<const float> b, std::size_t N, std::size_t D,
            Metric metric, std::span<float> out) noexcept {
  if (kChecked && (a.size() != N * D || b.size() != N * D || out.size() != N))
    return Status::kBadShape;
  for (std::size_t n = 0; n < N; ++n) {
    double sum = 0, square_a = 0, square_b = 0;
    for (std::size_t d = n * D; d < (n + 1) * D; ++d) {
      const double x = static_cast<double>(a[d]), y = static_cast<double>(b[d]);
      sum += metric == Metric::kEuclidean ? term<true>(x, y) : term<false>(x, y);
      square_a += x * x;
      square_b += y * y;
    }
    out[n] = shown(metric == Metric::kCosine ? cosine(sum, square_a, square_b) : sum, metric);
  }
  return Status::kOk;
}

Status matrix(std::span<const float> a, std::span<const float> b, std::size_t N, std::size_t M,
              std::size_t D, Metric metric, std::span<double> workspace,
              std::span<float> out) noexcept {
  if (kChecked && (a.size() != N * D || b.size() != M * D || workspace.size() != work(N, D) ||
                   out.size() != N * M))
    return Status::kBadShape;
  double* panels = workspace.data();
  double* panel = panels + linear::padded(N, kPanel) * D;
  double* lengths = panel + kPanel * D;
  for (std::size_t n = 0; n < N; n += kPanel) {
    linear::pack_rows(a.data() + n * D, std::min(kPanel, N - n), D, kPanel, panels + n * D);
    panel_squares(panels + n * D, D, lengths + n);
  }
  const bool same = a.data() == b.data() && N == M;
  for (std::size_t m = 0; m < M; m += kPanel) {
    const std::size_t columns = std::min(kPanel, M - m);
    double squares_b[kPanel], sums[kPanel * kPanel];
    linear::pack_rows(b.data() + m * D, columns, D, kPanel, panel);
    panel_squares(panel, D, squares_b);
    for (std::size_t n = 0; n < (same ? m + 1 : N); n += kPanel) {
      if (metric == Metric::kEuclidean)
        linear::tile_gaps(panels + n * D, panel, D, sums);
      else
        linear::tile(panels + n * D, panel, D, sums);
      for (std::size_t i = 0; i < std::min(kPanel, N - n); ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          const double sum = sums[i * kPanel + j];
          const float score = shown(
              metric == Metric::kCosine ? cosine(sum, lengths[n + i], squares_b[j]) : sum, metric);
          out[(n + i) * M + m + j] = score;
          if (same) out[(m + j) * M + n + i] = score;
        }
      }
    }
  }
  return Status::kOk;
}

}  // namespace phasor::similarity
