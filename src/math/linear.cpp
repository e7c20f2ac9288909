#include "math/linear.h"

#include <algorithm>
#include <utility>

#include "math/lanes.h"
#include "math/nan.h"
#include "math/widen.h"

namespace phasor::linear {
namespace {

/// [s0 s1] and [s2 s3] as one sum, then what is left of the rows.
double finish(v128_t first, v128_t second, const float* a, const float* b, std::size_t from,
              std::size_t D) {
  const v128_t sum = wasm_f64x2_add(first, second);
  double total = wasm_f64x2_extract_lane(sum, 0) + wasm_f64x2_extract_lane(sum, 1);
  for (std::size_t d = from; d < D; ++d)
    total += static_cast<double>(a[d]) * static_cast<double>(b[d]);
  return total;
}

float rounded(double x) { return canonical(static_cast<float>(x)); }

void store(float* to, v128_t x) { wasm_v128_store(to, x); }
void store(double* to, v128_t x) {
  wasm_v128_store(to, low_f64x2(x));
  wasm_v128_store(to + 2, high_f64x2(x));
}

/// Four rows, `step` apart, into a panel, from its place `to` on.
template <class Number>
void pack_four(const float* rows, std::size_t count, std::size_t step, std::size_t D,
               std::size_t wide, Number* to) {
  const float* r0 = rows;
  const float* r1 = rows + std::min<std::size_t>(1, count - 1) * step;
  const float* r2 = rows + std::min<std::size_t>(2, count - 1) * step;
  const float* r3 = rows + std::min<std::size_t>(3, count - 1) * step;
  std::size_t d = 0;
  for (; d + 4 <= D; d += 4, to += 4 * wide) {
    const v128_t a = wasm_v128_load(r0 + d), b = wasm_v128_load(r1 + d);
    const v128_t c = wasm_v128_load(r2 + d), e = wasm_v128_load(r3 + d);
    const v128_t ab = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5),
                 ce = wasm_i32x4_shuffle(c, e, 0, 4, 1, 5);
    const v128_t fg = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7),
                 hi = wasm_i32x4_shuffle(c, e, 2, 6, 3, 7);
    store(to, wasm_i32x4_shuffle(ab, ce, 0, 1, 4, 5));
    store(to + wide, wasm_i32x4_shuffle(ab, ce, 2, 3, 6, 7));
    store(to + 2 * wide, wasm_i32x4_shuffle(fg, hi, 0, 1, 4, 5));
    store(to + 3 * wide, wasm_i32x4_shuffle(fg, hi, 2, 3, 6, 7));
  }
  for (; d < D; ++d, to += wide) {
    to[0] = r0[d];
    to[1] = r1[d];
    to[2] = r2[d];
    to[3] = r3[d];
  }
}

template <class Number>
void pack_strided(const float* rows, std::size_t count, std::size_t step, std::size_t D,
                  std::size_t wide, Number* panel) {
  for (std::size_t r = 0; r < wide; r += 4) {
    const std::size_t from = std::min(r, count - 1);
    pack_four(rows + from * step, count - from, step, D, wide, panel + r);
  }
}

v128_t sum_of_product(v128_t sum, v128_t a, v128_t b) {
  return wasm_f32x4_add(sum, wasm_f32x4_mul(a, b));
}

template <bool kGap>
v128_t add_term(v128_t sum, v128_t a, v128_t b) {
  if constexpr (kGap) a = b = wasm_f64x2_sub(a, b);
  return wasm_f64x2_add(sum, wasm_f64x2_mul(a, b));
}

/// A tile of products, or of squared differences.
template <bool kGap>
void four_by_four(const double* a, const double* b, std::size_t D, double* sums) {
  v128_t s00 = wasm_f64x2_splat(0), s01 = s00, s10 = s00, s11 = s00;
  v128_t s20 = s00, s21 = s00, s30 = s00, s31 = s00;
  for (std::size_t d = 0; d < D; ++d, a += 4, b += 4) {
    const v128_t low = wasm_v128_load(b), high = wasm_v128_load(b + 2);
    const v128_t a0 = wasm_v128_load64_splat(a), a1 = wasm_v128_load64_splat(a + 1);
    const v128_t a2 = wasm_v128_load64_splat(a + 2), a3 = wasm_v128_load64_splat(a + 3);
    s00 = add_term<kGap>(s00, a0, low);
    s01 = add_term<kGap>(s01, a0, high);
    s10 = add_term<kGap>(s10, a1, low);
    s11 = add_term<kGap>(s11, a1, high);
    s20 = add_term<kGap>(s20, a2, low);
    s21 = add_term<kGap>(s21, a2, high);
    s30 = add_term<kGap>(s30, a3, low);
    s31 = add_term<kGap>(s31, a3, high);
  }
  wasm_v128_store(sums, s00);
  wasm_v128_store(sums + 2, s01);
  wasm_v128_store(sums + 4, s10);
  wasm_v128_store(sums + 6, s11);
  wasm_v128_store(sums + 8, s20);
  wasm_v128_store(sums + 10, s21);
  wasm_v128_store(sums + 12, s30);
  wasm_v128_store(sums + 14, s31);
}

/// Puts four sums of float32 into double, or adds them to what is there.
void carry(v128_t x, bool first, double* to) {
  v128_t low = low_f64x2(x), high = high_f64x2(x);
  if (!first) {
    low = wasm_f64x2_add(wasm_v128_load(to), low);
    high = wasm_f64x2_add(wasm_v128_load(to + 2), high);
  }
  wasm_v128_store(to, low);
  wasm_v128_store(to + 2, high);
}

constexpr std::size_t kColumns = kWide<float>;

/// How many rows are multiplied at once. V8 loads all that a loop's body needs before it computes: with four
/// rows, two numbers of each and of their columns are more than x86 has registers.
constexpr std::size_t kRows = 2;

/// Rows, `step` apart; missing ones repeat the last.
struct Rows {
  const float* at[kRows];

  Rows(const float* first, std::size_t count, std::size_t step) {
    for (std::size_t r = 0; r < kRows; ++r) at[r] = first + std::min(r, count - 1) * step;
  }
};

/// Two numbers of a row, times two of four columns.
v128_t pair(const float* row, v128_t first, v128_t second) {
  return wasm_f32x4_add(wasm_f32x4_mul(wasm_v128_load32_splat(row), first),
                        wasm_f32x4_mul(wasm_v128_load32_splat(row + 1), second));
}

/// Adds products to the sums of some rows and `kColumns` columns, [row][column], `block` by block. The
/// columns lie side by side, `step` numbers from one number to the next.
template <std::size_t... r>
void add_blocks(const Rows& rows, const float* columns, std::size_t step, std::size_t D,
                std::size_t block, double* sums, std::index_sequence<r...>) {
  const float* a[] = {rows.at[r]...};
  for (std::size_t left = D; left > 0;) {
    std::size_t d = std::min(left, block);
    left -= d;
    v128_t low[] = {((void)r, wasm_f32x4_splat(0))...},
           high[] = {((void)r, wasm_f32x4_splat(0))...};
    for (; d >= 2; d -= 2, columns += 2 * step) {
      const v128_t x = wasm_v128_load(columns), y = wasm_v128_load(columns + 4);
      const v128_t z = wasm_v128_load(columns + step), w = wasm_v128_load(columns + step + 4);
      ((low[r] = wasm_f32x4_add(low[r], pair(a[r], x, z)),
        high[r] = wasm_f32x4_add(high[r], pair(a[r], y, w)), a[r] += 2),
       ...);
    }
    if (d > 0) {
      const v128_t x = wasm_v128_load(columns), y = wasm_v128_load(columns + 4);
      ((low[r] = sum_of_product(low[r], wasm_v128_load32_splat(a[r]), x),
        high[r] = sum_of_product(high[r], wasm_v128_load32_splat(a[r]), y)),
       ...);
    }
    ((carry(low[r], false, sums + kColumns * r), carry(high[r], false, sums + kColumns * r + 4)),
     ...);
  }
}

/// The same for `kRows` rows, or one: most of the work of one row would be for nothing.
[[gnu::noinline]] void add_blocks(const Rows& rows, const float* columns, std::size_t step,
                                  std::size_t D, std::size_t block, double* sums, bool one) {
  if (one) return add_blocks(rows, columns, step, D, block, sums, std::index_sequence<0>());
  add_blocks(rows, columns, step, D, block, sums, std::make_index_sequence<kRows>());
}

/// Rounds four sums, times a factor.
v128_t rounded(const double* sums, v128_t factor) {
  const v128_t x = narrow_f32x4(wasm_f64x2_mul(wasm_v128_load(sums), factor),
                                wasm_f64x2_mul(wasm_v128_load(sums + 2), factor));
  return wasm_v128_bitselect(x, wasm_f32x4_splat(kNan), wasm_f32x4_eq(x, x));
}

/// Rounds the sums of `count` columns.
void round_sums(const double* sums, double scale, std::size_t count, float* to) {
  const v128_t factor = wasm_f64x2_splat(scale);
  const v128_t low = rounded(sums, factor), high = rounded(sums + 4, factor);
  float columns[kColumns];
  float* at = count == kColumns ? to : columns;  // copying some takes longer than all the rest
  wasm_v128_store(at, low);
  wasm_v128_store(at + 4, high);
  if (at == columns) std::copy_n(columns, count, to);
}

}  // namespace

double ordered_dot(std::span<const float> a, std::span<const float> b) noexcept {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d)
    sum += static_cast<double>(a[d]) * static_cast<double>(b[d]);
  return sum;
}

double blocked_dot(std::span<const float> a, std::span<const float> b) noexcept {
  double total = 0;
  for (std::size_t from = 0; from < a.size(); from += kBlock) {
    float sum = 0;
    for (std::size_t d = from; d < std::min(from + kBlock, a.size()); ++d) sum += a[d] * b[d];
    total = from == 0 ? sum : total + sum;
  }
  return total;
}

double paired_dot(std::span<const float> a, std::span<const float> b) noexcept {
  double total = 0;
  const std::size_t block = block_of(a.size());
  for (std::size_t from = 0; from < a.size(); from += block) {
    const std::size_t end = std::min(from + block, a.size());
    float sum = 0;
    std::size_t d = from;
    for (; d + 2 <= end; d += 2) sum += a[d] * b[d] + a[d + 1] * b[d + 1];
    if (d < end) sum += a[d] * b[d];
    total += static_cast<double>(sum);
  }
  return total;
}

template <class Number>
void pack_rows(const float* rows, std::size_t count, std::size_t D, std::size_t wide,
               Number* panel) noexcept {
  pack_strided(rows, count, D, D, wide, panel);
}
template void pack_rows(const float*, std::size_t, std::size_t, std::size_t, float*) noexcept;
template void pack_rows(const float*, std::size_t, std::size_t, std::size_t, double*) noexcept;

template <class Number>
void pack_columns(const float* columns, std::size_t count, std::size_t N, std::size_t step,
                  std::size_t wide, Number* panel) noexcept {
  for (std::size_t n = 0; n < N; ++n, columns += step, panel += wide) {
    if (count == wide) {
      for (std::size_t c = 0; c < wide; c += 4) store(panel + c, wasm_v128_load(columns + c));
    } else {
      for (std::size_t c = 0; c < wide; ++c) panel[c] = c < count ? columns[c] : 0;
    }
  }
}
template void pack_columns(const float*, std::size_t, std::size_t, std::size_t, std::size_t,
                           float*) noexcept;
template void pack_columns(const float*, std::size_t, std::size_t, std::size_t, std::size_t,
                           double*) noexcept;

void tile(const float* a, const float* b, std::size_t D, double* sums) noexcept {
  std::size_t d = 0;
  do {
    const std::size_t end = std::min(d + kBlock, D);
    const bool first = d == 0;
    v128_t s00 = wasm_f32x4_splat(0), s01 = s00, s10 = s00, s11 = s00;
    v128_t s20 = s00, s21 = s00, s30 = s00, s31 = s00;
    for (; d < end; ++d, a += 4, b += 8) {
      const v128_t low = wasm_v128_load(b), high = wasm_v128_load(b + 4);
      const v128_t a0 = wasm_v128_load32_splat(a), a1 = wasm_v128_load32_splat(a + 1);
      const v128_t a2 = wasm_v128_load32_splat(a + 2), a3 = wasm_v128_load32_splat(a + 3);
      s00 = sum_of_product(s00, a0, low);
      s01 = sum_of_product(s01, a0, high);
      s10 = sum_of_product(s10, a1, low);
      s11 = sum_of_product(s11, a1, high);
      s20 = sum_of_product(s20, a2, low);
      s21 = sum_of_product(s21, a2, high);
      s30 = sum_of_product(s30, a3, low);
      s31 = sum_of_product(s31, a3, high);
    }
    const v128_t all[] = {s00, s01, s10, s11, s20, s21, s30, s31};
    for (std::size_t i = 0; i < 8; ++i) carry(all[i], first, sums + 4 * i);
  } while (d < D);
}

void tile(const double* a, const double* b, std::size_t D, double* sums) noexcept {
  four_by_four<false>(a, b, D, sums);
}

void tile_gaps(const double* a, const double* b, std::size_t D, double* sums) noexcept {
  four_by_four<true>(a, b, D, sums);
}

double dot_scalar(std::span<const float> a, std::span<const float> b) noexcept {
  double sums[4] = {0, 0, 0, 0};
  std::size_t d = 0;
  for (; d + 4 <= a.size(); d += 4)
    for (std::size_t k = 0; k < 4; ++k)
      sums[k] += static_cast<double>(a[d + k]) * static_cast<double>(b[d + k]);
  double total = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  for (; d < a.size(); ++d) total += static_cast<double>(a[d]) * static_cast<double>(b[d]);
  return total;
}

double dot(std::span<const float> a, std::span<const float> b) noexcept {
  v128_t first = wasm_f64x2_splat(0), second = wasm_f64x2_splat(0);
  std::size_t d = 0;
  for (; d + 4 <= a.size(); d += 4) {
    const v128_t x = wasm_v128_load(a.data() + d);
    const v128_t y = wasm_v128_load(b.data() + d);
    first = wasm_f64x2_add(first, wasm_f64x2_mul(low_f64x2(x), low_f64x2(y)));
    second = wasm_f64x2_add(second, wasm_f64x2_mul(high_f64x2(x), high_f64x2(y)));
  }
  return finish(first, second, a.data(), b.data(), d, a.size());
}

Status products(std::span<const float> x, std::span<const float> w, std::size_t T, std::size_t N,
                std::size_t D, double scale, std::span<float> out) noexcept {
  if (kChecked && (x.size() != T * D || w.size() != N * D || out.size() != T * N))
    return Status::kBadShape;
  for (std::size_t t = 0; t < T; ++t) {
    const float* a = x.data() + t * D;
    float* to = out.data() + t * N;
    std::size_t n = 0;
    for (; n + 2 <= N; n += 2) {  // two rows at a time: each number of x is widened once for both
      const float* b = w.data() + n * D;
      const float* c = b + D;
      v128_t b0 = wasm_f64x2_splat(0), b1 = b0, c0 = b0, c1 = b0;
      std::size_t d = 0;
      for (; d + 4 <= D; d += 4) {
        const v128_t value = wasm_v128_load(a + d);
        const v128_t x0 = low_f64x2(value), x1 = high_f64x2(value);
        const v128_t y = wasm_v128_load(b + d);
        const v128_t z = wasm_v128_load(c + d);
        b0 = wasm_f64x2_add(b0, wasm_f64x2_mul(x0, low_f64x2(y)));
        b1 = wasm_f64x2_add(b1, wasm_f64x2_mul(x1, high_f64x2(y)));
        c0 = wasm_f64x2_add(c0, wasm_f64x2_mul(x0, low_f64x2(z)));
        c1 = wasm_f64x2_add(c1, wasm_f64x2_mul(x1, high_f64x2(z)));
      }
      to[n] = rounded(scale * finish(b0, b1, a, b, d, D));
      to[n + 1] = rounded(scale * finish(c0, c1, a, c, d, D));
    }
    for (; n < N; ++n) to[n] = rounded(scale * dot({a, D}, {w.data() + n * D, D}));
  }
  return Status::kOk;
}

Status products_f32(std::span<const float> x, std::span<const float> w, std::size_t T,
                    std::size_t N, std::size_t D, double scale, std::ptrdiff_t seen,
                    std::span<float> out) noexcept {
  if (kChecked && (x.size() != T * D || w.size() != N * D || out.size() != T * N))
    return Status::kBadShape;
  constexpr std::size_t kMany = 64;   // rows for which columns are packed once
  constexpr std::size_t kDeep = 128;  // numbers of a row that are packed at once
  for (std::size_t top = 0; top < T; top += kMany) {
    const std::size_t end = std::min(T, top + kMany);
    for (std::size_t n = 0; n < visible(seen, end - 1, N); n += kColumns) {
      const std::size_t columns = std::min(kColumns, N - n);
      std::size_t first = top;  // the rows above do not see these columns
      while (visible(seen, std::min(first + kRows, end) - 1, N) <= n) first += kRows;
      double sums[kMany * kColumns];
      std::fill_n(sums, padded(end - top, kRows) * kColumns, 0.0);
      for (std::size_t d = 0; d < D; d += kDeep) {
        float panel[kDeep * kColumns];
        const std::size_t deep = std::min(kDeep, D - d);
        pack_strided(w.data() + n * D + d, columns, D, deep, kColumns, panel);
        for (std::size_t t = first; t < end; t += kRows)
          add_blocks(Rows(x.data() + t * D + d, end - t, D), panel, kColumns, deep, block_of(D),
                     sums + (t - top) * kColumns, end - t == 1);
      }
      for (std::size_t t = first; t < end; ++t)
        round_sums(sums + (t - top) * kColumns, scale, columns, out.data() + t * N + n);
    }
  }
  return Status::kOk;
}

Status mix_scalar(std::span<const float> weights, std::span<const float> rows, std::size_t T,
                  std::size_t N, std::size_t D, std::span<float> out) noexcept {
  if (kChecked && (weights.size() != T * N || rows.size() != N * D || out.size() != T * D))
    return Status::kBadShape;
  for (std::size_t t = 0; t < T; ++t) {
    for (std::size_t d = 0; d < D; ++d) {
      double sum = 0;
      for (std::size_t n = 0; n < N; ++n)
        sum += static_cast<double>(weights[t * N + n]) * static_cast<double>(rows[n * D + d]);
      out[t * D + d] = rounded(sum);
    }
  }
  return Status::kOk;
}

Status mix(std::span<const float> weights, std::span<const float> rows, std::size_t T,
           std::size_t N, std::size_t D, std::span<float> out) noexcept {
  if (kChecked && (weights.size() != T * N || rows.size() != N * D || out.size() != T * D))
    return Status::kBadShape;
  const std::size_t whole = D - D % 8;
  for (std::size_t t = 0; t < T; ++t) {
    const float* weight = weights.data() + t * N;
    float* to = out.data() + t * D;
    for (std::size_t d = 0; d < whole; d += 8) {
      v128_t s0 = wasm_f64x2_splat(0), s1 = s0, s2 = s0, s3 = s0;
      for (std::size_t n = 0; n < N; ++n) {
        const v128_t w = wasm_f64x2_splat(static_cast<double>(weight[n]));
        const v128_t x = wasm_v128_load(rows.data() + n * D + d);
        const v128_t y = wasm_v128_load(rows.data() + n * D + d + 4);
        s0 = wasm_f64x2_add(s0, wasm_f64x2_mul(w, low_f64x2(x)));
        s1 = wasm_f64x2_add(s1, wasm_f64x2_mul(w, high_f64x2(x)));
        s2 = wasm_f64x2_add(s2, wasm_f64x2_mul(w, low_f64x2(y)));
        s3 = wasm_f64x2_add(s3, wasm_f64x2_mul(w, high_f64x2(y)));
      }
      double sums[kColumns];
      wasm_v128_store(sums, s0);
      wasm_v128_store(sums + 2, s1);
      wasm_v128_store(sums + 4, s2);
      wasm_v128_store(sums + 6, s3);
      round_sums(sums, 1.0, kColumns, to + d);
    }
    for (std::size_t d = whole; d < D; ++d) {
      double sum = 0;
      for (std::size_t n = 0; n < N; ++n)
        sum += static_cast<double>(weight[n]) * static_cast<double>(rows[n * D + d]);
      to[d] = rounded(sum);
    }
  }
  return Status::kOk;
}

Status mix_f32(std::span<const float> weights, std::span<const float> rows, std::size_t T,
               std::size_t N, std::size_t D, std::ptrdiff_t seen, std::span<float> out) noexcept {
  if (kChecked && (weights.size() != T * N || rows.size() != N * D || out.size() != T * D))
    return Status::kBadShape;
  constexpr std::size_t kMany = 64;  // columns whose rows stay in the cache
  constexpr std::size_t kDeep = 64;  // rows that do
  const std::size_t whole = std::min(kColumns, D);
  for (std::size_t t = 0, count = 0; t < T; t += count) {
    count = std::min(kTall, T - t);
    const std::size_t block = block_of(visible(seen, t, N));
    while (block_of(visible(seen, t + count - 1, N)) != block) --count;
    const std::size_t most = visible(seen, t + count - 1, N);
    for (std::size_t left = 0; left < D; left += kMany) {
      const std::size_t end = std::min(D, left + kMany);
      double sums[kTall * kMany] = {};  // [columns / 8][kTall][8]
      for (std::size_t n = 0; n < most; n += kDeep) {
        const std::size_t deep = std::min(kDeep, most - n);
        for (std::size_t d = left; d < end; d += kColumns) {
          // The last eight columns share some with the eight before.
          const float* columns = rows.data() + n * D + std::min(d, D - whole);
          float panel[kDeep * kColumns];
          if (D < kColumns) pack_columns(columns, D, deep, D, kColumns, panel);
          for (std::size_t r = 0; r < count; r += kRows)
            add_blocks(Rows(weights.data() + (t + r) * N + n, count - r, N),
                       D < kColumns ? panel : columns, std::max(kColumns, D), deep, block,
                       sums + (d - left) * kTall + r * kColumns, count - r == 1);
        }
      }
      for (std::size_t r = 0; r < count; ++r)
        for (std::size_t d = left; d < end; d += kColumns)
          round_sums(sums + (d - left) * kTall + r * kColumns, 1.0, whole,
                     out.data() + (t + r) * D + std::min(d, D - whole));
    }
  }
  return Status::kOk;
}

}  // namespace phasor::linear
