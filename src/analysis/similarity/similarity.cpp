#include "analysis/similarity/similarity.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "math/lanes.h"
#include "math/linear.h"
#include "math/nan.h"
#include "math/widen.h"

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

/// Calls a function with 0 .. kCount - 1, unrolled.
template <std::size_t kCount, class Call>
[[gnu::always_inline]] inline void each(const Call& call) {
  [&]<std::size_t... kAt>(std::index_sequence<kAt...>) {
    (call(std::integral_constant<std::size_t, kAt>()), ...);
  }(std::make_index_sequence<kCount>());
}

constexpr std::size_t kSide =
    8;  // rows side by side: with fewer, each sum waits for the sum before

/// Compares one row with some rows side by side, whose sums run in the order of the numbers.
///
/// Shapes    q [D]; rows [count, D], 1 <= count <= kSide; sums and squares [kSide]
/// Returns   what is missing repeats the last row
template <bool kGap, bool kSquares>
void side_by_side(const float* q, const float* rows, std::size_t count, std::size_t D, double* sums,
                  double* squares) {
  const float* row[kSide];
  for (std::size_t r = 0; r < kSide; ++r) row[r] = rows + std::min(r, count - 1) * D;
  v128_t sum[kSide / 2], square[kSide / 2];
  each<kSide / 2>([&](auto i) { sum[i] = square[i] = wasm_f64x2_splat(0); });
  const auto add = [&](auto half, float number, v128_t column) {
    const v128_t x = wasm_f64x2_splat(static_cast<double>(number));
    const v128_t low = low_f64x2(column), high = high_f64x2(column);
    sum[2 * half] = add_terms<kGap>(sum[2 * half], x, low);
    sum[2 * half + 1] = add_terms<kGap>(sum[2 * half + 1], x, high);
    if constexpr (kSquares) {
      square[2 * half] = add_terms<false>(square[2 * half], low, low);
      square[2 * half + 1] = add_terms<false>(square[2 * half + 1], high, high);
    }
  };
  std::size_t d = 0;
  for (; d + 4 <= D; d += 4) {
    each<2>([&](auto half) {
      const v128_t a = wasm_v128_load(row[4 * half] + d);
      const v128_t b = wasm_v128_load(row[4 * half + 1] + d);
      const v128_t c = wasm_v128_load(row[4 * half + 2] + d);
      const v128_t e = wasm_v128_load(row[4 * half + 3] + d);
      const v128_t ab = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5);
      const v128_t ce = wasm_i32x4_shuffle(c, e, 0, 4, 1, 5);
      add(half, q[d], wasm_i32x4_shuffle(ab, ce, 0, 1, 4, 5));
      add(half, q[d + 1], wasm_i32x4_shuffle(ab, ce, 2, 3, 6, 7));
      const v128_t fg = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
      const v128_t hi = wasm_i32x4_shuffle(c, e, 2, 6, 3, 7);
      add(half, q[d + 2], wasm_i32x4_shuffle(fg, hi, 0, 1, 4, 5));
      add(half, q[d + 3], wasm_i32x4_shuffle(fg, hi, 2, 3, 6, 7));
    });
  }
  for (; d < D; ++d) {
    each<2>([&](auto half) {
      float column[4];
      for (std::size_t r = 0; r < 4; ++r) column[r] = row[4 * half + r][d];
      add(half, q[d], wasm_v128_load(column));
    });
  }
  each<kSide / 2>([&](auto i) {
    wasm_v128_store(sums + 2 * i, sum[i]);
    if constexpr (kSquares) wasm_v128_store(squares + 2 * i, square[i]);
  });
}

/// Rows for which panels of four take longer: most of their sums would be for nothing.
constexpr std::size_t kFew = 2;

/// Compares at most `kFew` rows with many. `step` and `stride` are the places in out of the next of
/// the few and of the many.
void few(const float* a, std::size_t N, const float* b, std::size_t M, std::size_t D, Metric metric,
         std::size_t step, std::size_t stride, float* out) {
  double own[kFew];
  for (std::size_t n = 0; n < N; ++n) own[n] = linear::ordered_dot({a + n * D, D}, {a + n * D, D});
  for (std::size_t m = 0; m < M; m += kSide) {
    const std::size_t count = std::min(kSide, M - m);
    const float* rows = b + m * D;
    double sums[kSide], squares[kSide];
    for (std::size_t n = 0; n < N; ++n) {
      const float* q = a + n * D;
      if (metric == Metric::kEuclidean)
        side_by_side<true, false>(q, rows, count, D, sums, squares);
      else if (metric == Metric::kCosine && n == 0)
        side_by_side<false, true>(q, rows, count, D, sums, squares);
      else
        side_by_side<false, false>(q, rows, count, D, sums, squares);
      for (std::size_t j = 0; j < count; ++j) {
        const double score =
            metric == Metric::kCosine ? cosine(sums[j], own[n], squares[j]) : sums[j];
        out[n * step + (m + j) * stride] = shown(score, metric);
      }
    }
  }
}

/// Divides dot products by the lengths of a row and of each of some rows.
void divide(float* dots, double square, const double* squares, std::size_t count) {
  const v128_t own = wasm_f64x2_splat(square), none = wasm_f64x2_splat(0);
  const auto two = [&](v128_t dot, const double* of) {
    const v128_t both = wasm_f64x2_mul(own, wasm_v128_load(of));
    return wasm_v128_bitselect(dot, wasm_f64x2_div(dot, wasm_f64x2_sqrt(both)),
                               wasm_f64x2_ge(none, both));
  };
  const v128_t one = wasm_f32x4_splat(1), minus = wasm_f32x4_splat(-1);
  const auto four = [&](float* at, const double* of) {
    const v128_t dot = wasm_v128_load(at);
    v128_t x = narrow_f32x4(two(low_f64x2(dot), of), two(high_f64x2(dot), of + 2));
    x = wasm_v128_bitselect(one, x, wasm_f32x4_ge(x, one));
    x = wasm_v128_bitselect(minus, x, wasm_f32x4_ge(minus, x));
    wasm_v128_store(at, wasm_v128_bitselect(x, wasm_f32x4_splat(kNan), wasm_f32x4_eq(x, x)));
  };
  std::size_t n = 0;
  for (; n + 4 <= count; n += 4) four(dots + n, squares + n);
  if (n == count) return;
  float last[4] = {};
  double of[4] = {};
  std::copy(dots + n, dots + count, last);
  std::copy(squares + n, squares + count, of);
  four(last, of);
  std::copy_n(last, count - n, dots + n);
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
  if (N <= kFew || M <= kFew) {
    if (N <= M)
      few(a.data(), N, b.data(), M, D, metric, M, 1, out.data());
    else
      few(b.data(), M, a.data(), N, D, metric, 1, M, out.data());
    return Status::kOk;
  }
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

Status matrix_f32(std::span<const float> a, std::span<const float> b, std::size_t D,
                  std::span<const double> squares_a, std::span<const double> squares_b,
                  std::span<float> out) noexcept {
  const std::size_t N = D == 0 ? 0 : a.size() / D, M = D == 0 ? 0 : b.size() / D;
  const bool cosines = !squares_a.empty();
  if (kChecked && cosines && (squares_a.size() != N || squares_b.size() != M))
    return Status::kBadShape;
  const bool same = a.data() == b.data() && N == M;
  const auto seen = static_cast<std::ptrdiff_t>(same ? 1 : M);  // by the first row
  const Status status = linear::products_f32(a, b, N, M, D, 1.0, seen, out);
  if (status != Status::kOk) return status;
  for (std::size_t n = 0; n < N; ++n) {
    float* row = out.data() + n * M;
    if (cosines) divide(row, squares_a[n], squares_b.data(), same ? n + 1 : M);
    for (std::size_t m = 0; m < n && same; ++m) out[m * M + n] = row[m];
  }
  return Status::kOk;
}

}  // namespace phasor::similarity
