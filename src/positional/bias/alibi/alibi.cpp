#include "positional/bias/alibi/alibi.h"

#include <bit>
#include <cmath>
#include <cstddef>

#include "math/double_double.h"

namespace phasor::alibi {
namespace {

// 2^(-a k / m), rounded once. m is a power of two, so that the exponent is exact in two doubles.
float power(double a, std::size_t k, std::size_t m) {
  const double scale = 1.0 / static_cast<double>(m);
  const DoubleDouble product = two_product(a, static_cast<double>(k));
  const double whole = std::nearbyint(product.hi * scale);
  const DoubleDouble rest =
      two_sum(whole - product.hi * scale, -product.lo * scale);  // Sterbenz: exact
  const DoubleDouble value = exp(kLn2 * rest);
  const int shift = -static_cast<int>(whole);
  return to_float({std::ldexp(value.hi, shift), std::ldexp(value.lo, shift)});
}

}  // namespace

Status slopes(double bias_max, half::Dtype dtype, std::span<float> out) noexcept {
  const std::size_t H = out.size();
  if (kChecked && H == 0) return Status::kBadShape;
  if (!(bias_max > 0 && bias_max <= 126)) return Status::kBadParam;
  const std::size_t m = std::bit_floor(H);
  for (std::size_t h = 0; h < H; ++h) {
    const float slope = h < m ? power(bias_max, h + 1, m) : power(bias_max, 2 * (h - m) + 1, 2 * m);
    out[h] = half::rounded(slope, dtype);
  }
  return Status::kOk;
}

}  // namespace phasor::alibi
