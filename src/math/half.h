// The two 16-bit float formats: what a number becomes when a model keeps it in one of them.
#pragma once
#include <cstdint>

namespace phasor::half {

/// A number in float16's (IEEE binary16) or bfloat16's bits, rounded to the nearest, ties to even.
///
/// Returns   infinity beyond the range; a quiet NaN for NaN
std::uint16_t to_f16(float x) noexcept;
std::uint16_t to_bf16(float x) noexcept;

/// The number that such bits mean, exactly.
float from_f16(std::uint16_t bits) noexcept;
float from_bf16(std::uint16_t bits) noexcept;

/// The number format of a float. JavaScript passes the numbers.
enum class Dtype : std::int32_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kBfloat16 = 2,
};

/// A number as it comes back from a dtype.
float rounded(float x, Dtype dtype) noexcept;

}  // namespace phasor::half
