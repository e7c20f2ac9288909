#include "math/elementary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "math/lanes.h"
#include "math/nan.h"
#include "math/series.h"
#include "math/widen.h"

namespace phasor::elementary {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// From 300-bit arithmetic, rounded. kLn2High is cut to 42 bits: times any exponent it is exact.
constexpr double kLn2High = 0x1.62e42fefa3800p-1;
constexpr double kLn2Low = 0x1.ef35793c76730p-45;
constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;
constexpr double kHalfPi = 0x1.921fb54442d18p+0;

// Enough terms that the rest is below 2^-56 of the sum.
constexpr auto kExp = inverse_factorials<14>(0, 1, 1.0);  // e^r, |r| <= 0.347
// 2^r, |r| <= 1/2, by the polynomial of degree 7 with the least largest error, 2^-34.5 of itself: Remez'
// exchange in 200-bit arithmetic. Even powers, and odd ones over r, both in r^2.
constexpr Series<4> kExp2Even = {0x1.ffffffffabbcep-1, 0x1.ebfbe0a4be790p-3, 0x1.3b29dc40dc6e6p-7,
                                 0x1.446a1fd6f73a4p-13};
constexpr Series<4> kExp2Odd = {0x1.62e42ff116283p-1, 0x1.c6b08aaf30084p-5, 0x1.5d8a708707370p-10,
                                0x1.fe17856b36eb8p-17};
constexpr auto kCos = inverse_factorials<9>(0, 2, -1.0);  // cos r in r^2, |r| <= pi/4
constexpr auto kSin = inverse_factorials<9>(1, 2, -1.0);  // (sin r)/r in r^2, |r| <= pi/4
constexpr Series<10> kAtanh = [] {                        // 2 (atanh(s)/s - 1) / s^2 in s^2,
  Series<10> c{};                                         // |s| <= 0.172
  for (std::size_t n = 0; n < c.size(); ++n) c[n] = 2.0 / (2.0 * static_cast<double>(n) + 3.0);
  return c;
}();

// 2^k for the exponents of normal doubles.
double power_of_two(int k) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

// log(1 + f) for sqrt(1/2) <= 1 + f <= sqrt(2). 2s is written f - s f, which keeps the rounding
// of s out of the leading term.
double log_near_one(double f) {
  const double s = f / (2.0 + f);
  const double z = s * s;
  return f - s * (f - z * polynomial(kAtanh, z));
}

// The one rounding; NaN always gets the same bits.
float rounded(double value) { return value == value ? static_cast<float>(value) : kNan; }

constexpr double kLeast = -160.0;  // 2^-160 is 0 in float32

/// Added to a number, rounds it to the nearest whole one and leaves that in the low bits, with the bias of
/// exponents.
constexpr double kShift = 0x1.8p52 + 1023;

/// `brief_exp` of two numbers. Even and odd powers apart: one after the other, each waits for the one before.
v128_t brief_exp(v128_t x) {
  const v128_t turns =
      wasm_f64x2_pmax(wasm_f64x2_mul(x, wasm_f64x2_splat(kInverseLn2)), wasm_f64x2_splat(kLeast));
  const v128_t shift = wasm_f64x2_splat(kShift);
  const v128_t shifted = wasm_f64x2_add(turns, shift);
  const v128_t r = wasm_f64x2_sub(turns, wasm_f64x2_sub(shifted, shift));
  const v128_t z = wasm_f64x2_mul(r, r);
  const v128_t odd = wasm_f64x2_mul(r, polynomial_f64x2(kExp2Odd, z));
  return wasm_f64x2_mul(wasm_f64x2_add(polynomial_f64x2(kExp2Even, z), odd),
                        wasm_i64x2_shl(shifted, 52));
}

/// The greatest score; NaN where any is, -inf without scores.
float greatest(std::span<const float> in) {
  v128_t tops = wasm_f32x4_splat(-std::numeric_limits<float>::infinity());
  v128_t odd = wasm_i32x4_splat(0);
  float lanes[4];
  std::size_t i = 0;
  for (; i + 4 <= in.size(); i += 4) {
    const v128_t x = wasm_v128_load(in.data() + i);
    tops = wasm_f32x4_pmax(tops, x);
    odd = wasm_v128_or(odd, wasm_f32x4_ne(x, x));
  }
  wasm_v128_store(lanes, tops);
  float top = wasm_v128_any_true(odd) ? kNan : *std::ranges::max_element(lanes);
  for (; i < in.size(); ++i) top = top < in[i] || in[i] != in[i] ? in[i] : top;
  return top;
}

/// What is left of `softmax` where the greatest score is not finite.
void softmax_of_infinite(std::span<const float> in, float top, std::span<float> out) {
  double sum = 0.0;
  for (const float score : in) sum += score == top ? 1.0 : 0.0;
  const float share = top > 0.0f ? static_cast<float>(1.0 / sum) : 0.0f;
  for (std::size_t i = 0; i < in.size(); ++i)
    out[i] = top != top ? kNan : in[i] == top ? share : 0.0f;
}

/// Applies `of` to four numbers at a time; the last are filled up with -inf.
void each_four(std::span<const float> in, std::span<float> out, auto of) {
  const std::size_t whole = in.size() - in.size() % 4;
  float rest[4];
  std::ranges::fill(rest, -std::numeric_limits<float>::infinity());
  std::ranges::copy(in.subspan(whole), rest);
  const float* from = in.data();
  float* to = out.data();
  for (std::size_t count = whole;; count = 4) {  // then the rest, with the same code
    for (std::size_t i = 0; i < count; i += 4)
      wasm_v128_store(to + i, of(wasm_v128_load(from + i)));
    if (to == rest || whole == in.size()) break;
    from = to = rest;
  }
  std::copy_n(rest, in.size() - whole, out.data() + whole);
}

bool is_whole(float y) { return y == std::floor(y); }
bool is_odd(float y) { return is_whole(y) && !is_whole(0.5f * y); }

}  // namespace

double exp_f64(double x) noexcept {
  if (x != x) return kNanDouble;
  if (x > 709.79) return kInfinity;
  if (x < -745.2) return 0.0;
  const double k = std::nearbyint(x * kInverseLn2);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  // 2^k may lie outside the normal range although the result does not: apply it in two halves.
  const int whole = static_cast<int>(k);
  const int half = whole / 2;
  return polynomial(kExp, r) * power_of_two(half) * power_of_two(whole - half);
}

double brief_exp(double x) noexcept {
  const double turns = std::max(x * kInverseLn2, kLeast);
  const double k = (turns + kShift) - kShift, r = turns - k, z = r * r;
  return (polynomial(kExp2Even, z) + r * polynomial(kExp2Odd, z)) *
         power_of_two(static_cast<int>(k));
}

double log_f64(double x) noexcept {
  if (x == 0.0) return -kInfinity;
  if (!(x > 0.0)) return kNanDouble;
  if (x == kInfinity) return x;
  double k = 0.0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    k = -54.0;
  }
  // Counting exponents from sqrt(1/2) puts the rest into [sqrt(1/2), sqrt(2)).
  const auto bits = std::bit_cast<std::int64_t>(x);
  const auto exponent = (bits - std::bit_cast<std::int64_t>(kSqrtHalf)) >> 52;
  const double rest = std::bit_cast<double>(bits - exponent * (std::int64_t{1} << 52));
  k += static_cast<double>(exponent);
  return k * kLn2High + (k * kLn2Low + log_near_one(rest - 1.0));
}

double log1p_f64(double x) noexcept {
  const double u = 1.0 + x;
  return u == 1.0 ? x : log_f64(u) * (x / (u - 1.0));
}

CosSin cos_sin_turns(double turns) noexcept {
  const double quarters = 4.0 * turns;
  const double k = std::nearbyint(quarters);
  const double r = (quarters - k) * kHalfPi;
  const double z = r * r;
  const double c = polynomial(kCos, z);
  const double s = r * polynomial(kSin, z);
  switch (static_cast<int>(k) & 3) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

float exp(float x) noexcept { return rounded(exp_f64(x)); }

float log(float x) noexcept { return rounded(log_f64(x)); }

float log1p(float x) noexcept {
  const double f = x;
  const bool near_one = f > kSqrtHalf - 1.0 && f < 2.0 * kSqrtHalf - 1.0;
  return rounded(near_one ? log_near_one(f) : log_f64(1.0 + f));
}

float tanh(float x) noexcept {
  const double a = std::fabs(static_cast<double>(x));
  if (a < 0x1p-12) return rounded(x * (1.0 - a * a / 3.0));
  const double e = exp_f64(-2.0 * a);
  return rounded(std::copysign((1.0 - e) / (1.0 + e), static_cast<double>(x)));
}

float sigmoid(float x) noexcept { return rounded(1.0 / (1.0 + exp_f64(-static_cast<double>(x)))); }

float pow(float x, float y) noexcept {
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (x != x || y != y) return kNan;
  if (x < 0.0f && std::isfinite(x) && !is_whole(y)) return kNan;
  const double a = std::fabs(static_cast<double>(x));
  const double size = a == 1.0 ? 1.0 : exp_f64(y * log_f64(a));
  return rounded(std::signbit(x) && is_odd(y) ? -size : size);
}

void softmax(std::span<const float> in, std::span<float> out) noexcept {
  const float top = greatest(in);
  if (!(std::fabs(top) < kInfinity)) return softmax_of_infinite(in, top, out);
  const v128_t tops = wasm_f64x2_splat(top);
  v128_t sums = wasm_f64x2_splat(0.0);
  each_four(in, out, [&](v128_t scores) {
    const v128_t low = brief_exp(wasm_f64x2_sub(low_f64x2(scores), tops));
    const v128_t high = brief_exp(wasm_f64x2_sub(high_f64x2(scores), tops));
    sums = wasm_f64x2_add(sums, wasm_f64x2_add(low, high));
    return narrow_f32x4(low, high);
  });
  const double sum = wasm_f64x2_extract_lane(sums, 0) + wasm_f64x2_extract_lane(sums, 1);
  const v128_t factor = wasm_f64x2_splat(1.0 / sum);
  each_four(out, out, [factor](v128_t x) {
    return narrow_f32x4(wasm_f64x2_mul(low_f64x2(x), factor),
                        wasm_f64x2_mul(high_f64x2(x), factor));
  });
}

}  // namespace phasor::elementary
