#include "analysis/nearest/screen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "math/lanes.h"
#include "math/widen.h"

namespace phasor::nearest {
namespace {

/// Calls a function with 0 .. kCount - 1, unrolled.
template <std::size_t kCount, class Call>
[[gnu::always_inline]] inline void each(const Call& call) {
  [&]<std::size_t... kAt>(std::index_sequence<kAt...>) {
    (call(std::integral_constant<std::size_t, kAt>()), ...);
  }(std::make_index_sequence<kCount>());
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

v128_t sum_of_product(v128_t sum, const float* a, const float* b) {
  return wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load(a), wasm_v128_load(b)));
}

/// Sum of products.
[[gnu::noinline]] std::int32_t plain_dot(const std::int16_t* q, const std::int8_t* codes,
                                         std::size_t D) {
  std::int32_t total = 0;
  for (std::size_t d = 0; d < D; ++d) total += q[d] * codes[d];
  return total;
}

/// [a0 + a1 + a2 + a3, b0 + ..., c0 + ..., e0 + ...]
v128_t sums_of_lanes(v128_t a, v128_t b, v128_t c, v128_t e) {
  const v128_t ab =
      wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
  const v128_t ce =
      wasm_i32x4_add(wasm_i32x4_shuffle(c, e, 0, 4, 1, 5), wasm_i32x4_shuffle(c, e, 2, 6, 3, 7));
  return wasm_i32x4_add(wasm_i32x4_shuffle(ab, ce, 0, 1, 4, 5),
                        wasm_i32x4_shuffle(ab, ce, 2, 3, 6, 7));
}

/// How many rows are read at a time, each of another quarter of the rows: a processor reads ahead of four streams
/// sooner than of one, if each goes through several pages.
constexpr std::size_t kStreams = 4;
constexpr std::size_t kFar = 8192;  // bytes of a stream of codes

/// Sums of all rows of codes with kQueries queries. Rows and queries are D apart.
template <std::size_t kQueries>
void sums_of_codes(const std::int16_t* q, const std::int8_t* codes, std::size_t N, std::size_t D,
                   std::int32_t* sums, std::size_t step) {
  const std::size_t whole = D - D % 8;
  // The last eight numbers, without those that come before: they end a row whose width is no multiple of eight.
  const std::size_t last = D < 8 ? 0 : D - 8;
  std::int16_t ends[kQueries][8] = {};
  for (std::size_t j = 0; j < kQueries && last > 0; ++j)
    std::copy(q + j * D + whole, q + (j + 1) * D, ends[j] + (whole - last));
  const std::size_t quarter = D < 8 ? 0 : N / kStreams;
  const bool far = quarter * D >= kFar;
  const std::size_t stride = far ? quarter : 1;  // from one row of the four to the next
  for (std::size_t i = 0; i < quarter; ++i) {
    const std::size_t n = far ? i : kStreams * i;
    const std::int8_t* x = codes + n * D;
    // Of short rows side by side, what is read soon is asked for.
    const volatile std::int8_t* next = x + (!far && i + 1 < quarter ? kStreams * D : 0);
    v128_t all[kStreams][kQueries];
    // Indices that are known keep the sums in registers.
    each<kStreams>(
        [&](auto r) { each<kQueries>([&](auto j) { all[r][j] = wasm_i32x4_splat(0); }); });
    const auto add = [&](std::size_t d, const std::int16_t* from, std::size_t apart) {
      v128_t of[kQueries];
      each<kQueries>([&](auto j) { of[j] = wasm_v128_load(from + j * apart); });
      each<kStreams>([&](auto r) {
        const v128_t eight = wasm_i16x8_load8x8(x + r * stride * D + d);
        each<kQueries>([&](auto j) {
          all[r][j] = wasm_i32x4_add(all[r][j], wasm_i32x4_dot_i16x8(eight, of[j]));
        });
      });
    };
    for (std::size_t d = 0; d < whole; d += 8) {
      static_cast<void>(next[4 * d]);
      add(d, q + d, D);
    }
    if (whole < D) add(last, ends[0], 8);
    each<kQueries>([&](auto j) {
      std::int32_t found[kStreams];
      wasm_v128_store(found, sums_of_lanes(all[0][j], all[1][j], all[2][j], all[3][j]));
      each<kStreams>([&](auto r) { sums[j * step + n + r * stride] = found[r]; });
    });
  }
  for (std::size_t n = kStreams * quarter; n < N; ++n)
    for (std::size_t j = 0; j < kQueries; ++j)
      sums[j * step + n] = plain_dot(q + j * D, codes + n * D, D);
}

/// Four lanes' sum in double.
double sum_in_double(v128_t sum) {
  const v128_t two = wasm_f64x2_add(low_f64x2(sum), high_f64x2(sum));
  return wasm_f64x2_extract_lane(two, 0) + wasm_f64x2_extract_lane(two, 1);
}

/// The sum of four lanes and of up to seven products. It would be inlined five times.
[[gnu::noinline]] double ended(v128_t sums, const float* a, const float* b, std::size_t D) {
  std::size_t d = 0;
  if (D >= 4) {
    sums = sum_of_product(sums, a, b);
    d = 4;
  }
  double sum = sum_in_double(sums);
  for (; d < D; ++d) sum += static_cast<double>(a[d]) * static_cast<double>(b[d]);
  return sum;
}

/// Sums of several times N rows that follow each other.
template <std::size_t kCount>
void sums_of_rows(const float* q, const float* rows, std::size_t N, std::size_t D, double* sums) {
  for (std::size_t n = 0; n < N; ++n) {
    const float* x[kCount];
    v128_t all[kCount];
    each<kCount>([&](auto r) {
      x[r] = rows + (r * N + n) * D;
      all[r] = wasm_f32x4_splat(0);
    });
    std::size_t d = 0;
    for (; d + 8 <= D; d += 8) {
      const v128_t first = wasm_v128_load(q + d), second = wasm_v128_load(q + d + 4);
      each<kCount>([&](auto r) {
        const v128_t two = wasm_f32x4_add(wasm_f32x4_mul(first, wasm_v128_load(x[r])),
                                          wasm_f32x4_mul(second, wasm_v128_load(x[r] + 4)));
        all[r] = wasm_f32x4_add(all[r], two);
        x[r] += 8;
      });
    }
    each<kCount>([&](auto r) { sums[r * N + n] = ended(all[r], q + d, x[r], D - d); });
  }
}

template <bool kFloat16>
void sums_of_halves(const float* q, const std::uint8_t* rows, std::size_t N, std::size_t D,
                    double* sums) {
  // Of float16 the sign, which widening has copied, and exponent and fraction in the place of float32's.
  const auto widened = [](v128_t x) {
    if constexpr (!kFloat16) return wasm_i32x4_shl(x, 16);
    return wasm_v128_and(wasm_i32x4_shl(x, 13),
                         wasm_i32x4_splat(static_cast<std::int32_t>(0x8fffe000)));
  };
  const auto add_eight = [&](const float* of, v128_t eight, v128_t& low, v128_t& high) {
    const v128_t a = widened(wasm_i32x4_extend_low_i16x8(eight));
    const v128_t b = widened(wasm_i32x4_extend_high_i16x8(eight));
    low = wasm_f32x4_add(low, wasm_f32x4_mul(wasm_v128_load(of), a));
    high = wasm_f32x4_add(high, wasm_f32x4_mul(wasm_v128_load(of + 4), b));
  };
  // The last eight numbers, without those that come before.
  const std::size_t whole = D - D % 8, last = D < 8 ? 0 : D - 8;
  float end[8] = {};
  std::copy(q + whole, q + D, end + (whole - last));
  for (std::size_t n = 0; n < N; ++n) {
    const std::uint8_t* x = rows + 2 * n * D;
    v128_t s0 = wasm_f32x4_splat(0), s1 = s0, s2 = s0, s3 = s0;
    std::size_t d = 0;
    for (; d + 16 <= D; d += 16) {
      add_eight(q + d, wasm_v128_load(x + 2 * d), s0, s1);
      add_eight(q + d + 8, wasm_v128_load(x + 2 * d + 16), s2, s3);
    }
    if (d < whole) add_eight(q + d, wasm_v128_load(x + 2 * d), s0, s1);
    if (D < 8) {
      std::uint8_t some[16] = {};
      std::copy_n(x, 2 * D, some);
      add_eight(end, wasm_v128_load(some), s2, s3);
    } else if (whole < D) {
      add_eight(end, wasm_v128_load(x + 2 * last), s2, s3);
    }
    sums[n] = sum_in_double(wasm_f32x4_add(wasm_f32x4_add(s0, s1), wasm_f32x4_add(s2, s3)));
  }
}

}  // namespace

double brief_error(std::size_t D) noexcept { return (static_cast<double>(D) / 7.5 + 40) * 0x1p-24; }

[[gnu::cold]] Probe probe_of(std::span<const double> q, bool packed, bool known,
                             void* out) noexcept {
  const std::size_t D = q.size();
  auto* floats = static_cast<float*>(out);
  auto* codes = static_cast<std::int16_t*>(out);
  const double square = similarity::square(q), length = std::sqrt(square);
  double largest = 0, sum = 0, gaps = 0;
  for (const double x : q) {
    largest = std::max(largest, std::fabs(x));
    sum += std::fabs(x);
  }
  // a rounded number is larger by a half at most
  const double room = 0x1p31 / 127 - static_cast<double>(D);
  const double factor = packed ? std::min(32767 / largest, room / sum) : 1 / largest;
  const bool fits = square > 0 && square < kInfinity && factor < 0x1p1000 && D <= kWidest;
  if (!fits) {
    if (packed)
      std::fill_n(codes, D, std::int16_t{0});
    else
      std::fill_n(floats, D, 0.0f);
    return {square, length, std::numeric_limits<double>::quiet_NaN(), 0, 0};
  }
  const double unit = 1 / factor;
  for (std::size_t d = 0; d < D; ++d) {
    double x = q[d] * factor;
    if (packed) {
      x = std::rint(x);
      codes[d] = static_cast<std::int16_t>(x);
    } else {
      floats[d] = static_cast<float>(x);
      x = static_cast<double>(floats[d]);
    }
    const double gap = q[d] - x * unit;
    gaps += gap * gap;
  }
  const double rest = std::sqrt(gaps) * (1 + 0x1p-20), whole = length + rest;
  const double error = packed ? 0x1p-23 : (known ? 1 : 3) * brief_error(D);
  return {square, length, unit, rest + error * whole, whole * static_cast<double>(D) * 0x1p-149};
}

void brief_dots(const float* q, const float* rows, std::size_t N, std::size_t D,
                double* sums) noexcept {
  const std::size_t quarter = N / kStreams, whole = kStreams * quarter;
  sums_of_rows<kStreams>(q, rows, quarter, D, sums);
  sums_of_rows<1>(q, rows + whole * D, N - whole, D, sums + whole);
}

void half_dots(const float* q, const std::uint8_t* rows, half::Dtype dtype, std::size_t N,
               std::size_t D, double* sums) noexcept {
  if (dtype == half::Dtype::kFloat16) return sums_of_halves<true>(q, rows, N, D, sums);
  sums_of_halves<false>(q, rows, N, D, sums);
}

void code_dots(const std::int16_t* q, std::size_t Q, const std::int8_t* codes, std::size_t N,
               std::size_t D, std::int32_t* sums, std::size_t step) noexcept {
  std::size_t j = 0;
  for (; j + 2 <= Q; j += 2) sums_of_codes<2>(q + j * D, codes, N, D, sums + j * step, step);
  if (j < Q) sums_of_codes<1>(q + j * D, codes, N, D, sums + j * step, step);
}

double brief_square(const float* x, std::size_t D) noexcept {
  double square = 0;
  brief_dots(x, x, 1, D, &square);
  // Below, squares of numbers may be lost; above, they overflow.
  const bool fits = square >= static_cast<double>(D) * 0x1p-100 && square < kInfinity;
  return fits ? square : linear::dot({x, D}, {x, D});
}

Limit limit_of(const Probe& probe, similarity::Metric metric, std::size_t D, double key) noexcept {
  switch (metric) {
    case similarity::Metric::kDot:
      return {key - probe.offset, -probe.slope, 0, probe.near};
    case similarity::Metric::kCosine:
      return {-probe.offset, key * probe.length - probe.slope, 0, probe.near};
    case similarity::Metric::kEuclidean:
      break;
  }
  const double bend = 0.5 - static_cast<double>(D + 16) * 0x1p-51;
  return {key / 2 + bend * probe.square - probe.offset, -probe.slope, bend, probe.near};
}

}  // namespace phasor::nearest
