// Double-double arithmetic: a number as the unevaluated sum hi + lo of two
// doubles, |lo| <= ulp(hi)/2, about 106 bits. No fused multiply-add, so that
// every machine computes the same bits.
//
// Source    Dekker 1971, A floating-point technique for extending the available
//           precision; Hida, Li, Bailey 2001, Library for double-double and
//           quad-double arithmetic
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace phasor {

struct DoubleDouble {
  double hi = 0;
  double lo = 0;
};

/// a + b exactly.
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double from_b = sum - a;
  return {sum, (a - (sum - from_b)) + (b - from_b)};
}

/// a + b exactly, where |a| >= |b| or a = 0.
inline DoubleDouble quick_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

inline constexpr double kSplitter = 134217729.0;  // 2^27 + 1

/// a rounded to its first 26 bits, and the rest. |a| < 2^996.
inline DoubleDouble split(double a) {
  const double scaled = kSplitter * a;
  const double high = scaled - (scaled - a);
  return {high, a - high};
}

/// a * b exactly, unless it underflows.
inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  const DoubleDouble x = split(a);
  const DoubleDouble y = split(b);
  return {product, ((x.hi * y.hi - product) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_sum(a.hi, b.hi);
  const DoubleDouble low = two_sum(a.lo, b.lo);
  const DoubleDouble sum = quick_two_sum(high.hi, high.lo + low.hi);
  return quick_two_sum(sum.hi, sum.lo + low.lo);
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = two_product(a.hi, b.hi);
  return quick_two_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline DoubleDouble operator*(DoubleDouble a, double b) {
  const DoubleDouble product = two_product(a.hi, b);
  return quick_two_sum(product.hi, product.lo + a.lo * b);
}

/// Many operations, so kept once.
[[gnu::noinline]] inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.hi / b.hi;
  DoubleDouble rest = a + -(b * first);
  const double second = rest.hi / b.hi;
  rest = rest + -(b * second);
  const double third = rest.hi / b.hi;
  return quick_two_sum(first, second) + DoubleDouble{third, 0};
}

inline constexpr DoubleDouble kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/// e^x for |x| < 700, by Taylor's series on |x| <= ln(2)/2. Relative error below 2^-98.
inline DoubleDouble exp(DoubleDouble x) {
  const double power = std::nearbyint(x.hi / kLn2.hi);
  const DoubleDouble rest = x + -(kLn2 * power);
  DoubleDouble sum{1, 0};
  for (int n = 26; n >= 1; --n)
    sum = DoubleDouble{1, 0} + sum * rest / DoubleDouble{static_cast<double>(n), 0};
  return {std::ldexp(sum.hi, static_cast<int>(power)), std::ldexp(sum.lo, static_cast<int>(power))};
}

/// ln x for normal x > 0: x = m 2^e, ln m = 2 artanh((m-1)/(m+1)). Relative error below 2^-98.
inline DoubleDouble log(double x) {
  int power = 0;
  double mantissa = std::frexp(x, &power);  // in [1/2, 1)
  if (mantissa < 0x1.6a09e667f3bcdp-1) {    // sqrt(1/2): keep |ln m| small
    mantissa *= 2;
    --power;
  }
  const DoubleDouble s = two_sum(mantissa, -1) / two_sum(mantissa, 1);
  const DoubleDouble square = s * s;
  DoubleDouble sum{0, 0};
  for (int n = 43; n >= 1; n -= 2)  // |s| < 0.172: s^44 < 2^-111
    sum = sum * square + DoubleDouble{1, 0} / DoubleDouble{static_cast<double>(n), 0};
  return kLn2 * static_cast<double>(power) + sum * s * 2.0;
}

/// The float nearest to a double-double, rounded once: hi is first rounded to odd.
inline float to_float(DoubleDouble x) {
  const DoubleDouble sum = two_sum(x.hi, x.lo);
  std::uint64_t bits = std::bit_cast<std::uint64_t>(sum.hi);
  const bool inexact = sum.lo != 0;
  if (inexact && (bits & 1) == 0) {
    const bool away = (sum.lo > 0) == (sum.hi > 0);
    bits = away ? bits + 1 : bits - 1;
  }
  return static_cast<float>(std::bit_cast<double>(bits));
}

}  // namespace phasor
