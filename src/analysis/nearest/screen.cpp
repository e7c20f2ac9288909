#include "analysis/nearest/screen.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/lanes.h"
#include "math/widen.h"

namespace phasor::nearest {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

v128_t sum_of_product(v128_t sum, const float* a, const float* b) {
  return wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load(a), wasm_v128_load(b)));
}

v128_t sum_of_codes(v128_t sum, const std::int16_t* q, v128_t codes) {
  return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(codes, wasm_v128_load(q)));
}

}  // namespace

double brief_error(std::size_t D) noexcept { return (static_cast<double>(D) / 15 + 40) * 0x1p-24; }

[[gnu::cold]] Probe probe_of(std::span<const double> q, bool packed, bool known,
                             float* out) noexcept {
  const std::size_t D = q.size();
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
    std::fill_n(out, D, 0.0f);
    return {square, length, std::numeric_limits<double>::quiet_NaN(), 0, 0};
  }
  const double unit = 1 / factor;
  for (std::size_t d = 0; d < D; ++d) {
    double x = q[d] * factor;
    if (packed) {
      x = std::rint(x);
      reinterpret_cast<std::int16_t*>(out)[d] = static_cast<std::int16_t>(x);
    } else {
      out[d] = static_cast<float>(x);
      x = static_cast<double>(out[d]);
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
  // One loop over all rows: a call for each is 4 % slower beyond the cache.
  const float* x = rows;
  for (std::size_t n = 0; n < N; ++n, sums += kGroup) {
    v128_t s0 = wasm_f32x4_splat(0), s1 = s0, s2 = s0, s3 = s0;
    std::size_t d = 0;
    for (; d + 16 <= D; d += 16, x += 16) {
      s0 = sum_of_product(s0, q + d, x);
      s1 = sum_of_product(s1, q + d + 4, x + 4);
      s2 = sum_of_product(s2, q + d + 8, x + 8);
      s3 = sum_of_product(s3, q + d + 12, x + 12);
    }
    for (; d + 4 <= D; d += 4, x += 4) s0 = sum_of_product(s0, q + d, x);
    const v128_t sum = wasm_f32x4_add(wasm_f32x4_add(s0, s1), wasm_f32x4_add(s2, s3));
    const v128_t two = wasm_f64x2_add(low_f64x2(sum), high_f64x2(sum));
    double total = wasm_f64x2_extract_lane(two, 0) + wasm_f64x2_extract_lane(two, 1);
    for (; d < D; ++d, ++x) total += static_cast<double>(q[d]) * static_cast<double>(*x);
    *sums = total;
  }
}

std::int32_t code_dot(const std::int16_t* q, const std::int8_t* codes, std::size_t D) noexcept {
  v128_t s0 = wasm_i32x4_splat(0), s1 = s0;
  std::size_t d = 0;
  for (; d + 16 <= D; d += 16) {
    const v128_t sixteen = wasm_v128_load(codes + d);
    s0 = sum_of_codes(s0, q + d, wasm_i16x8_extend_low_i8x16(sixteen));
    s1 = sum_of_codes(s1, q + d + 8, wasm_i16x8_extend_high_i8x16(sixteen));
  }
  std::int32_t four[4], total = 0;
  wasm_v128_store(four, wasm_i32x4_add(s0, s1));
  for (const std::int32_t each : four) total += each;
  for (; d < D; ++d) total += q[d] * codes[d];
  return total;
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
      return {key - probe.offset, -probe.slope, 0};
    case similarity::Metric::kCosine:
      return {-probe.offset, key * probe.length - probe.slope, 0};
    case similarity::Metric::kEuclidean:
      break;
  }
  const double bend = 0.5 - static_cast<double>(D + 16) * 0x1p-51;
  return {key / 2 + bend * probe.square - probe.offset, -probe.slope, bend};
}

}  // namespace phasor::nearest
