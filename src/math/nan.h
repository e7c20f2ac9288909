// The one NaN that results have: which bits arithmetic gives a NaN differs between engines.
#pragma once
#include <bit>
#include <cstdint>
#include <span>

#include "math/lanes.h"

namespace phasor {

inline constexpr float kNan = std::bit_cast<float>(std::uint32_t{0x7fc00000});
inline constexpr double kNanDouble = std::bit_cast<double>(std::uint64_t{0x7ff8000000000000});

inline float canonical(float x) { return x == x ? x : kNan; }
inline double canonical(double x) { return x == x ? x : kNanDouble; }

/// Rounds to float32: a NaN becomes kNan, and -0 becomes +0.
inline float without_negative_zero(double x) { return canonical(static_cast<float>(x + 0.0)); }

/// Replaces the NaNs of a result by kNan. Kernels keep a sum of all they write, which is NaN if
/// anything was (an addition a vector), and call this only then.
inline void canonicalize(std::span<float> result) {
  for (float& x : result) x = canonical(x);
}

inline bool any_nan(v128_t x) { return wasm_v128_any_true(wasm_f32x4_ne(x, x)); }

}  // namespace phasor
