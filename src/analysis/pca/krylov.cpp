#include "analysis/pca/krylov.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "analysis/pca/eigen.h"
#include "math/lanes.h"
#include "math/random.h"

namespace phasor::krylov {
namespace {

/// Columns that are multiplied at a time.
constexpr std::size_t kColumns = 4;

/// Numbers of a row whose products `multiply_f32` adds up in float32, a quarter in each lane.
constexpr std::size_t kNumbers = 128;

bool fits(const Basis& of, std::size_t m) {
  return of.D > 0 && of.b > 0 && of.b % kColumns == 0 && m <= of.most &&
         of.basis.size() == (of.most + of.b) * of.D && of.matrix.size() == of.most * of.most &&
         of.corner.size() == of.b * of.b && of.workspace.size() == of.most * (of.most + 3);
}

bool fits(const Narrow& of) {
  return of.D > 0 && of.b > 0 && of.b % kColumns == 0 &&
         of.floats.size() == narrow_floats(of.D, of.b) && of.sums.size() == narrow_sums(of.D, of.b);
}

bool shapes_agree(std::span<const float> x, std::size_t N, std::size_t D,
                  std::span<const double> mean, std::span<const double> block, std::size_t b,
                  std::span<double> out) {
  return b % kColumns == 0 && x.size() == N * D && mean.size() == D && block.size() == b * D &&
         out.size() == block.size();
}

v128_t times(double x, v128_t y) { return wasm_f64x2_mul(wasm_f64x2_splat(x), y); }

/// Multiplies four rows by four columns, y[r, c] = sum over d of rows[r, d] * block[d, c].
void four_by_four(const double* rows, const double* block, std::size_t D, double* y) {
  const double *a = rows, *b = a + D, *c = b + D, *e = c + D;
  v128_t a0 = wasm_f64x2_splat(0), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, e0 = a0, e1 = a0;
  for (std::size_t d = 0; d < D; ++d, block += kColumns) {
    const v128_t q0 = wasm_v128_load(block), q1 = wasm_v128_load(block + 2);
    a0 = wasm_f64x2_add(a0, times(a[d], q0));
    a1 = wasm_f64x2_add(a1, times(a[d], q1));
    b0 = wasm_f64x2_add(b0, times(b[d], q0));
    b1 = wasm_f64x2_add(b1, times(b[d], q1));
    c0 = wasm_f64x2_add(c0, times(c[d], q0));
    c1 = wasm_f64x2_add(c1, times(c[d], q1));
    e0 = wasm_f64x2_add(e0, times(e[d], q0));
    e1 = wasm_f64x2_add(e1, times(e[d], q1));
  }
  std::size_t at = 0;
  for (const v128_t each : {a0, a1, b0, b1, c0, c1, e0, e1}) {
    wasm_v128_store(y + at, each);
    at += 2;
  }
}

/// Adds four rows times what they gave:  out[d, c] += sum over r of rows[r, d] * y[r, c].
void add_outer(const double* rows, const double* y, std::size_t D, double* out) {
  const double *a = rows, *b = a + D, *c = b + D, *e = c + D;
  const v128_t a0 = wasm_v128_load(y), a1 = wasm_v128_load(y + 2);
  const v128_t b0 = wasm_v128_load(y + 4), b1 = wasm_v128_load(y + 6);
  const v128_t c0 = wasm_v128_load(y + 8), c1 = wasm_v128_load(y + 10);
  const v128_t e0 = wasm_v128_load(y + 12), e1 = wasm_v128_load(y + 14);
  for (std::size_t d = 0; d < D; ++d, out += kColumns) {
    const v128_t low = wasm_f64x2_add(wasm_f64x2_add(times(a[d], a0), times(b[d], b0)),
                                      wasm_f64x2_add(times(c[d], c0), times(e[d], e0)));
    const v128_t high = wasm_f64x2_add(wasm_f64x2_add(times(a[d], a1), times(b[d], b1)),
                                       wasm_f64x2_add(times(c[d], c1), times(e[d], e1)));
    wasm_v128_store(out, wasm_f64x2_add(wasm_v128_load(out), low));
    wasm_v128_store(out + 2, wasm_f64x2_add(wasm_v128_load(out + 2), high));
  }
}

v128_t plus_product(v128_t sum, v128_t a, v128_t b) {
  return wasm_f32x4_add(sum, wasm_f32x4_mul(a, b));
}

/// What the mean lost when it was rounded, along a vector.
float shift_of(std::span<const double> mean, const double* vector) {
  double sum = 0;
  for (std::size_t d = 0; d < mean.size(); ++d)
    sum += (mean[d] - static_cast<double>(static_cast<float>(mean[d]))) * vector[d];
  return static_cast<float>(sum);
}

/// Numbers of a row that `multiply_f32` takes: whole fours, the last ones zeros.
std::size_t width(std::size_t D) { return (D + 3) / 4 * 4; }

/// Four numbers of each of four rows.
struct Four {
  v128_t a, b, c, e;
};

/// The parts of the memory of `multiply_f32`. What is multiplied at a time lies together, four numbers of each:
///
///   rows [W / 4, 4 rows, 4]; block, products and sums [b / 2, W / 4, 2 columns, 4]
struct Parts {
  std::size_t D, W, b;
  float *rows, *block, *products, *mean, *shift;
  double* sums;

  explicit Parts(const Narrow& of)
      : D(of.D),
        W(width(of.D)),
        b(of.b),
        rows(of.floats.data()),
        block(rows + kRows * W),
        products(block + b * W),
        mean(products + b * W),
        shift(mean + W),
        sums(of.sums.data()) {}

  /// Where number d of column c is.
  std::size_t at(std::size_t c, std::size_t d) const {
    return c / 2 * (2 * W) + d / 4 * 8 + c % 2 * 4 + d % 4;
  }

  /// Takes up to four rows less the mean; those that are missing are zeros.
  void center(const float* x, std::size_t count) const {
    std::fill_n(rows, kRows * W, 0.0f);
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t d = 0; d < D; ++d) rows[d / 4 * 16 + r * 4 + d % 4] = x[r * D + d] - mean[d];
  }

  /// Four numbers of each row that `center` took.
  Four taken(std::size_t d) const {
    const float* at = rows + d * kRows;
    return {wasm_v128_load(at), wasm_v128_load(at + 4), wasm_v128_load(at + 8),
            wasm_v128_load(at + 12)};
  }

  /// Takes four numbers of four rows less the mean, as `center`.
  Four take(const float* x, std::size_t d) const {
    const v128_t middle = wasm_v128_load(mean + d);
    const auto next = [&](std::size_t r) {
      const v128_t four = wasm_f32x4_sub(wasm_v128_load(x + r * D + d), middle);
      wasm_v128_store(rows + d * kRows + r * 4, four);
      return four;
    };
    return {next(0), next(1), next(2), next(3)};
  }

  /// Adds the products to the sums, and clears them.
  void carry() const {
    for (std::size_t i = 0; i < b * W; i += 4) {
      const v128_t four = wasm_v128_load(products + i);
      const v128_t low = wasm_f64x2_promote_low_f32x4(four);
      const v128_t high = wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(four, four, 2, 3, 2, 3));
      wasm_v128_store(sums + i, wasm_f64x2_add(wasm_v128_load(sums + i), low));
      wasm_v128_store(sums + i + 2, wasm_f64x2_add(wasm_v128_load(sums + i + 2), high));
    }
    std::fill_n(products, b * W, 0.0f);
  }
};

/// Four sums of float32 as two of double: the first and the third, the second and the fourth.
v128_t halves(v128_t x) {
  return wasm_f64x2_add(wasm_f64x2_promote_low_f32x4(x),
                        wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(x, x, 2, 3, 2, 3)));
}

/// Multiplies four rows by two columns, y[r, c] = sum over d of rows[r, d] * columns[c, d], where rows(d) gives
/// numbers d to d + 3.
template <typename Rows>
void four_by_two(Rows rows, const float* columns, std::size_t W, double* y) {
  const v128_t none = wasm_f64x2_splat(0);
  v128_t sums[] = {none, none, none, none, none, none, none, none};
  for (std::size_t d = 0; d < W;) {
    const std::size_t end = std::min(d + kNumbers, W);
    v128_t a0 = wasm_f32x4_splat(0), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, e0 = a0, e1 = a0;
    for (; d < end; d += 4, columns += 8) {
      const v128_t u = wasm_v128_load(columns), v = wasm_v128_load(columns + 4);
      const Four row = rows(d);
      a0 = plus_product(a0, row.a, u);
      a1 = plus_product(a1, row.a, v);
      b0 = plus_product(b0, row.b, u);
      b1 = plus_product(b1, row.b, v);
      c0 = plus_product(c0, row.c, u);
      c1 = plus_product(c1, row.c, v);
      e0 = plus_product(e0, row.e, u);
      e1 = plus_product(e1, row.e, v);
    }
    const v128_t block[] = {a0, a1, b0, b1, c0, c1, e0, e1};
    for (std::size_t i = 0; i < 8; ++i) sums[i] = wasm_f64x2_add(sums[i], halves(block[i]));
  }
  for (std::size_t i = 0; i < 8; ++i)
    y[i] = wasm_f64x2_extract_lane(sums[i], 0) + wasm_f64x2_extract_lane(sums[i], 1);
}

/// Adds four rows times what they gave:  out[c, d] += sum over r of rows[r, d] * y[r, c].
[[gnu::noinline]] void add_two_outer(const float* rows, const float* y, std::size_t W, float* out) {
  const v128_t a0 = wasm_f32x4_splat(y[0]), a1 = wasm_f32x4_splat(y[1]);
  const v128_t b0 = wasm_f32x4_splat(y[2]), b1 = wasm_f32x4_splat(y[3]);
  const v128_t c0 = wasm_f32x4_splat(y[4]), c1 = wasm_f32x4_splat(y[5]);
  const v128_t e0 = wasm_f32x4_splat(y[6]), e1 = wasm_f32x4_splat(y[7]);
  for (std::size_t d = 0; d < W; d += 4, rows += 16, out += 8) {
    const v128_t row0 = wasm_v128_load(rows), row1 = wasm_v128_load(rows + 4);
    const v128_t row2 = wasm_v128_load(rows + 8), row3 = wasm_v128_load(rows + 12);
    const v128_t u = wasm_f32x4_add(plus_product(wasm_f32x4_mul(row0, a0), row1, b0),
                                    plus_product(wasm_f32x4_mul(row2, c0), row3, e0));
    const v128_t v = wasm_f32x4_add(plus_product(wasm_f32x4_mul(row0, a1), row1, b1),
                                    plus_product(wasm_f32x4_mul(row2, c1), row3, e1));
    wasm_v128_store(out, wasm_f32x4_add(wasm_v128_load(out), u));
    wasm_v128_store(out + 4, wasm_f32x4_add(wasm_v128_load(out + 4), v));
  }
}

/// Subtracts from a row its parts along the first rows of a basis. Adds how long they are to
/// parts[p * stride].
void subtract_parts(const double* basis, std::size_t count, std::size_t D, double* row,
                    double* parts, std::size_t stride) {
  for (std::size_t p = 0; p < count; ++p) {
    const double part = eigen::dot(basis + p * D, row, D);
    eigen::add_scaled(-part, basis + p * D, row, D);
    parts[p * stride] += part;
  }
}

/// Makes row m + c orthogonal to those before it, and of length 1, or 0 if it is no longer than
/// `nothing`. Adds its parts along the first m rows to parts, and the others to the corner.
void orthogonalize(const Basis& of, std::size_t m, std::size_t c, double* parts, double nothing) {
  const std::size_t D = of.D, b = of.b;
  double* first = of.basis.data();
  double* row = first + (m + c) * D;
  double* corner = of.corner.data() + c;
  for (std::size_t a = 0; a < b; ++a) corner[a * b] = 0;
  for (const int pass : {1, 2}) {  // the second removes the rounding errors of the first
    static_cast<void>(pass);
    subtract_parts(first, m, D, row, parts, of.most);
    subtract_parts(first + m * D, c, D, row, corner, b);
  }
  const double length = std::sqrt(eigen::dot(row, row, D));
  const bool is_new = length > nothing;
  corner[c * b] = is_new ? length : 0;
  for (std::size_t d = 0; d < D; ++d) row[d] = is_new ? row[d] / length : 0;
}

}  // namespace

void center(const float* x, std::span<const double> mean, double* out) noexcept {
  std::size_t d = 0;
  for (; d + 2 <= mean.size(); d += 2) {
    const v128_t numbers = wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(x + d));
    wasm_v128_store(out + d, wasm_f64x2_sub(numbers, wasm_v128_load(mean.data() + d)));
  }
  if (d < mean.size()) out[d] = static_cast<double>(x[d]) - mean[d];
}

std::uint32_t mix(std::span<const float> x, std::size_t D, std::uint32_t key) noexcept {
  for (std::size_t from = 0, d = 0; from < x.size(); from += D, d = d + 1 < D ? d + 1 : 0)
    key = (key ^ std::bit_cast<std::uint32_t>(x[from + d])) * 16777619u;
  return key;
}

Status start(const Basis& of, std::uint32_t key, double share) noexcept {
  if (kChecked && !fits(of, 0)) return Status::kBadShape;
  const std::size_t D = of.D;
  for (std::size_t c = 0; c < of.b; ++c) {
    double* row = of.basis.data() + c * D;
    for (std::size_t d = 0; d < D; ++d) {
      const auto words = random::philox4x32(
          {static_cast<std::uint32_t>(d), static_cast<std::uint32_t>(c), 0, 0}, {key, 0});
      row[d] += share * (static_cast<double>(words[0]) * 0x1p-31 - 1);
    }
    orthogonalize(of, 0, c, nullptr, 0);
  }
  return Status::kOk;
}

Status last_block(const Basis& of, std::size_t m, std::span<double> out) noexcept {
  if (kChecked && (!fits(of, m) || out.size() != of.b * of.D)) return Status::kBadShape;
  const double* row = of.basis.data() + m * of.D;
  for (std::size_t c = 0; c < of.b; ++c)
    for (std::size_t d = 0; d < of.D; ++d)
      out[(c / kColumns * of.D + d) * kColumns + c % kColumns] = row[c * of.D + d];
  return Status::kOk;
}

Status multiply_scalar(std::span<const float> x, std::size_t N, std::size_t D,
                       std::span<const double> mean, std::span<const double> block, std::size_t b,
                       std::span<double> workspace, std::span<double> out) noexcept {
  if (kChecked &&
      (!shapes_agree(x, N, D, mean, block, b, out) || workspace.size() != workspace_size(D, b)))
    return Status::kBadShape;
  const auto at = [&](std::size_t n, std::size_t d) {
    return n < N ? static_cast<double>(x[n * D + d]) - mean[d] : 0;
  };
  for (std::size_t n = 0; n < N; n += kRows) {
    for (std::size_t c = 0; c < b; ++c) {
      const std::size_t from = c / kColumns * D * kColumns + c % kColumns;
      double y[kRows] = {0, 0, 0, 0};
      for (std::size_t d = 0; d < D; ++d)
        for (std::size_t r = 0; r < kRows; ++r) y[r] += at(n + r, d) * block[from + d * kColumns];
      for (std::size_t d = 0; d < D; ++d)
        out[from + d * kColumns] +=
            (at(n, d) * y[0] + at(n + 1, d) * y[1]) + (at(n + 2, d) * y[2] + at(n + 3, d) * y[3]);
    }
  }
  return Status::kOk;
}

Status multiply(std::span<const float> x, std::size_t N, std::size_t D,
                std::span<const double> mean, std::span<const double> block, std::size_t b,
                std::span<double> workspace, std::span<double> out) noexcept {
  if (kChecked &&
      (!shapes_agree(x, N, D, mean, block, b, out) || workspace.size() != workspace_size(D, b)))
    return Status::kBadShape;
  double* rows = workspace.data();
  double* y = rows + kRows * D;
  for (std::size_t n = 0; n < N; n += kRows) {
    const std::size_t count = std::min(kRows, N - n);
    for (std::size_t r = 0; r < count; ++r) center(x.data() + (n + r) * D, mean, rows + r * D);
    std::fill(rows + count * D, rows + kRows * D, 0.0);
    for (std::size_t g = 0; g < b; g += kColumns) {
      four_by_four(rows, block.data() + g * D, D, y);
      add_outer(rows, y, D, out.data() + g * D);
    }
  }
  return Status::kOk;
}

Status multiply_f32_scalar(std::span<const float> x, std::size_t N, std::size_t D,
                           std::span<const double> mean, std::span<const double> block,
                           std::size_t b, std::span<double> out) noexcept {
  if (kChecked && !shapes_agree(x, N, D, mean, block, b, out)) return Status::kBadShape;
  const auto at = [&](std::size_t n, std::size_t d) {
    return n < N ? x[n * D + d] - static_cast<float>(mean[d]) : 0;
  };
  const auto y_of = [&](std::size_t n, const double* vector) {
    double even = 0, odd = 0;
    for (std::size_t from = 0; from < D; from += kNumbers) {
      float sums[] = {0, 0, 0, 0};
      for (std::size_t d = from; d < std::min(from + kNumbers, D); ++d)
        sums[d % 4] += at(n, d) * static_cast<float>(vector[d]);
      even += static_cast<double>(sums[0]) + static_cast<double>(sums[2]);
      odd += static_cast<double>(sums[1]) + static_cast<double>(sums[3]);
    }
    return static_cast<float>((even + odd) - static_cast<double>(shift_of(mean, vector)));
  };
  for (std::size_t c = 0; c < b; ++c) {
    const double* vector = block.data() + c * D;
    for (std::size_t d = 0; d < D; ++d) {
      double sum = 0;
      for (std::size_t from = 0; from < N; from += kNarrowRows) {
        float part = 0;
        for (std::size_t n = from; n < std::min(from + kNarrowRows, N); n += kRows)
          part += (at(n, d) * y_of(n, vector) + at(n + 1, d) * y_of(n + 1, vector)) +
                  (at(n + 2, d) * y_of(n + 2, vector) + at(n + 3, d) * y_of(n + 3, vector));
        sum += static_cast<double>(part);
      }
      out[(c / kColumns * D + d) * kColumns + c % kColumns] += sum;
    }
  }
  return Status::kOk;
}

Status begin_f32(const Narrow& of, std::span<const double> mean,
                 std::span<const double> block) noexcept {
  if (kChecked && (!fits(of) || mean.size() != of.D || block.size() != of.b * of.D))
    return Status::kBadShape;
  const Parts to(of);
  std::ranges::fill(of.floats, 0.0f);
  std::ranges::fill(of.sums, 0.0);
  for (std::size_t d = 0; d < of.D; ++d) to.mean[d] = static_cast<float>(mean[d]);
  for (std::size_t c = 0; c < of.b; ++c) {
    const double* vector = block.data() + c * of.D;
    for (std::size_t d = 0; d < of.D; ++d) to.block[to.at(c, d)] = static_cast<float>(vector[d]);
    to.shift[c] = shift_of(mean, vector);
  }
  return Status::kOk;
}

Status multiply_f32(const Narrow& of, std::span<const float> x) noexcept {
  if (kChecked && (!fits(of) || x.size() % of.D != 0)) return Status::kBadShape;
  const Parts with(of);
  const std::size_t W = with.W, N = x.size() / of.D;
  for (std::size_t n = 0; n < N; n += kRows) {
    const float* from = x.data() + n * of.D;
    const bool whole = of.D == W && n + kRows <= N;
    if (!whole) with.center(from, std::min(kRows, N - n));
    for (std::size_t c = 0; c < of.b; c += 2) {
      double sums[2 * kRows];
      float y[2 * kRows];
      const float* columns = with.block + c * W;
      if (whole && c == 0)
        four_by_two([&](std::size_t d) { return with.take(from, d); }, columns, W, sums);
      else
        four_by_two([&](std::size_t d) { return with.taken(d); }, columns, W, sums);
      for (std::size_t i = 0; i < 2 * kRows; ++i)
        y[i] = static_cast<float>(sums[i] - static_cast<double>(with.shift[c + i % 2]));
      add_two_outer(with.rows, y, W, with.products + c * W);
    }
    if ((n + kRows) % kNarrowRows == 0 || n + kRows >= N) with.carry();
  }
  return Status::kOk;
}

Status end_f32(const Narrow& of, std::span<double> out) noexcept {
  if (kChecked && (!fits(of) || out.size() != of.b * of.D)) return Status::kBadShape;
  const Parts from(of);
  for (std::size_t c = 0; c < of.b; ++c) {
    double* to = out.data() + c / kColumns * of.D * kColumns + c % kColumns;
    for (std::size_t d = 0; d < of.D; ++d) to[d * kColumns] += from.sums[from.at(c, d)];
  }
  std::ranges::fill(of.sums, 0.0);
  return Status::kOk;
}

Status add_trace(std::span<const float> x, std::span<const double> mean, double& trace) noexcept {
  const std::size_t D = mean.size();
  if (kChecked && (D == 0 || x.size() % D != 0)) return Status::kBadShape;
  for (std::size_t from = 0; from < x.size(); from += D) {
    v128_t first = wasm_f64x2_splat(0), second = first;
    std::size_t d = 0;
    const auto gap = [&](std::size_t at) {
      const v128_t numbers =
          wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(x.data() + from + at));
      return wasm_f64x2_sub(numbers, wasm_v128_load(mean.data() + at));
    };
    for (; d + 4 <= D; d += 4) {
      const v128_t a = gap(d), b = gap(d + 2);
      first = wasm_f64x2_add(first, wasm_f64x2_mul(a, a));
      second = wasm_f64x2_add(second, wasm_f64x2_mul(b, b));
    }
    const v128_t sum = wasm_f64x2_add(first, second);
    double total = wasm_f64x2_extract_lane(sum, 0) + wasm_f64x2_extract_lane(sum, 1);
    for (; d < D; ++d) {
      const double rest = static_cast<double>(x[from + d]) - mean[d];
      total += rest * rest;
    }
    trace += total;
  }
  return Status::kOk;
}

Status extend(const Basis& of, std::size_t m, std::span<const double> products) noexcept {
  const std::size_t D = of.D, b = of.b, most = of.most;
  if (kChecked && (!fits(of, m) || m < b || products.size() != b * D)) return Status::kBadShape;
  double size = 0;  // of A, from below
  for (std::size_t c = 0; c < b; ++c) {
    double* row = of.basis.data() + (m + c) * D;
    const double* product = products.data() + c / kColumns * D * kColumns + c % kColumns;
    for (std::size_t d = 0; d < D; ++d) row[d] = product[d * kColumns];
    size = std::max(size, std::sqrt(eigen::dot(row, row, D)));
    double* column = of.matrix.data() + m - b + c;
    for (std::size_t p = 0; p < m; ++p) column[p * most] = 0;
    orthogonalize(of, m, c, column, static_cast<double>(D) * 0x1p-52 * size);
  }
  return Status::kOk;
}

Status ritz(const Basis& of, std::size_t m, double noise, double settled, std::span<double> values,
            double& worst) noexcept {
  const std::size_t b = of.b, most = of.most, k = values.size();
  if (kChecked && (!fits(of, m) || m < b || k > m)) return Status::kBadShape;
  const auto vectors = of.workspace.first(m * m);
  const auto all = of.workspace.subspan(m * m, m),
             scratch = of.workspace.subspan(m * (m + 1), 2 * m);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = i; j < m; ++j)
      vectors[i * m + j] = vectors[j * m + i] = of.matrix[i * most + j];
  const Status status = eigen::symmetric(vectors, m, true, all, scratch);
  if (status != Status::kOk) return status;
  const double least = noise * std::max(all[0], 0.0);
  worst = 0;
  for (std::size_t i = 0; i < k; ++i) {
    double square = 0;
    for (std::size_t a = 0; a < b; ++a) {
      const double part = eigen::dot(&of.corner[a * b], &vectors[i * m + m - b], b);
      square += part * part;
    }
    const double residual = std::sqrt(square), bound = settled * std::max(all[i], least);
    if (residual > bound) worst = std::max(worst, residual / bound);
    values[i] = all[i] > least ? all[i] : 0;
  }
  return Status::kOk;
}

Status restart(const Basis& of, std::size_t m) noexcept {
  if (kChecked && (!fits(of, m) || m < of.b)) return Status::kBadShape;
  const auto leading = of.basis.subspan(m * of.D, of.b * of.D);  // after those that are needed
  const Status status = assemble(of, m, leading);
  std::ranges::copy(leading, of.basis.begin());
  return status;
}

Status assemble(const Basis& of, std::size_t m, std::span<double> out) noexcept {
  if (kChecked && (!fits(of, m) || out.size() % of.D != 0 || out.size() / of.D > m))
    return Status::kBadShape;
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t i = 0; i < out.size() / of.D; ++i)
    for (std::size_t p = 0; p < m; ++p)
      eigen::add_scaled(of.workspace[i * m + p], &of.basis[p * of.D], &out[i * of.D], of.D);
  return Status::kOk;
}

}  // namespace phasor::krylov
