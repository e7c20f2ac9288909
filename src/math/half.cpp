#include "math/half.h"

#include <bit>

namespace phasor::half {
namespace {

constexpr std::uint32_t kSign = 0x80000000;
constexpr std::uint32_t kInfinity = 0x7f800000;

}  // namespace

std::uint16_t to_bf16(float x) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & ~kSign) > kInfinity) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  const std::uint32_t even = bits >> 16 & 1;
  return static_cast<std::uint16_t>((bits + 0x7fff + even) >> 16);
}

float from_bf16(std::uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t to_f16(float x) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & ~kSign;
  if (magnitude > kInfinity) return static_cast<std::uint16_t>(sign | 0x7e00);
  if (magnitude >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);  // from 65520 on
  if (magnitude <
      0x38800000) {  // below 2^-14: adding 1/2 leaves multiples of 2^-24 in the last bits
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000));
  }
  const std::uint32_t even = magnitude >> 13 & 1;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000 + 0xfff + even) >> 13));
}

float from_f16(std::uint16_t bits) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00)
    return std::bit_cast<float>(sign | kInfinity | (magnitude & 0x3ff) << 13);
  if (magnitude < 0x400) {  // a multiple of 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
}

float rounded(float x, Dtype dtype) noexcept {
  if (dtype == Dtype::kFloat16) return from_f16(to_f16(x));
  if (dtype == Dtype::kBfloat16) return from_bf16(to_bf16(x));
  return x;
}

}  // namespace phasor::half
