#include "math/half.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace half = phasor::half;
using half::Dtype;

namespace {

float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// The value of float16 bits, by the definition of the format.
double value_f16(std::uint32_t bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = static_cast<double>(bits & 0x3ff) / 1024;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return exponent == 0 ? sign * std::ldexp(fraction, -14)
                       : sign * std::ldexp(1 + fraction, exponent - 15);
}

}  // namespace

TEST_CASE("half: all 65,536 patterns of both formats survive a round trip") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const float f16 = half::from_f16(pattern);
    const double want = value_f16(bits);
    if (std::isnan(want)) {
      wrong += !std::isnan(f16) || !std::isnan(half::from_f16(half::to_f16(f16)));
    } else {
      wrong += !(static_cast<double>(f16) == want) || half::to_f16(f16) != pattern;
    }
    const float bf16 = half::from_bf16(pattern);
    wrong += std::bit_cast<std::uint32_t>(bf16) != bits << 16;
    wrong += std::isnan(bf16) ? !std::isnan(half::from_bf16(half::to_bf16(bf16)))
                              : half::to_bf16(bf16) != pattern;
  }
  CHECK(wrong == 0);
}

TEST_CASE("half: rounds to the nearer of two neighbors, ties to even") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {  // up to the largest finite float16
    const auto low = static_cast<std::uint16_t>(bits);
    const auto high = static_cast<std::uint16_t>(bits + 1);
    const float a = half::from_f16(low), b = half::from_f16(high);
    const float middle = a + (b - a) / 2;
    const auto even = static_cast<std::uint16_t>(bits & 1 ? bits + 1 : bits);
    wrong += half::to_f16(middle) != even;
    wrong += half::to_f16(std::nextafter(middle, 0.0f)) != low;
    wrong += half::to_f16(std::nextafter(middle, HUGE_VALF)) != high;
    wrong += half::to_f16(-middle) != (even | 0x8000);
  }
  for (std::uint32_t bits = 0; bits < 0x7f7f; ++bits) {
    const std::uint32_t middle = bits << 16 | 0x8000;
    wrong += half::to_bf16(float_of(middle)) != (bits & 1 ? bits + 1 : bits);
    wrong += half::to_bf16(float_of(middle - 1)) != bits;
    wrong += half::to_bf16(float_of(middle + 1)) != bits + 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE(
    "half: rounds values beyond the range to infinity, and half of the smallest value to zero") {
  CHECK(half::to_f16(65504.0f) == 0x7bff);
  CHECK(half::to_f16(65519.996f) == 0x7bff);
  CHECK(half::to_f16(65520.0f) == 0x7c00);
  CHECK(half::to_f16(-HUGE_VALF) == 0xfc00);
  CHECK(half::to_f16(0x1p-25f) == 0);
  CHECK(half::to_f16(-0x1.000002p-25f) == 0x8001);
  CHECK(half::to_bf16(3.4028235e38f) == 0x7f80);
  CHECK(half::to_bf16(-0.0f) == 0x8000);
}

TEST_CASE("half: rounds the square roots that Gemma multiplies by") {
  CHECK(half::rounded(std::sqrt(3072.0f), Dtype::kBfloat16) == 55.5f);
  CHECK(half::rounded(std::sqrt(2048.0f), Dtype::kBfloat16) == 45.25f);
  CHECK(half::rounded(std::sqrt(1152.0f), Dtype::kBfloat16) == 34.0f);
  CHECK(half::rounded(257.0f, Dtype::kBfloat16) == 256.0f);
  CHECK(half::rounded(1.1f, Dtype::kFloat32) == 1.1f);
}
