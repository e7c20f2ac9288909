#include "positional/bias/alibi/alibi.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

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

float value(float slope, double r, Form form, half::Dtype dtype) {
  if (form == Form::kCausal && r > 0) return -std::numeric_limits<float>::infinity();
  if (form == Form::kSymmetric) r = -std::fabs(r);
  if (dtype != half::Dtype::kFloat32) r = half::rounded(static_cast<float>(r), dtype);
  const double product = static_cast<double>(half::rounded(slope, dtype)) * r;
  return half::rounded(static_cast<float>(product + 0.0), dtype);  // + 0.0: no negative zero
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

Status line(std::span<const float> slopes, double first, Form form, half::Dtype dtype,
            std::span<float> out) noexcept {
  const std::size_t H = slopes.size();
  if (kChecked && (H == 0 ? !out.empty() : out.size() % H != 0)) return Status::kBadShape;
  const std::size_t N = H == 0 ? 0 : out.size() / H;
  for (std::size_t h = 0; h < H; ++h)
    for (std::size_t k = 0; k < N; ++k)
      out[h * N + k] = value(slopes[h], first + static_cast<double>(k), form, dtype);
  return Status::kOk;
}

}  // namespace phasor::alibi
