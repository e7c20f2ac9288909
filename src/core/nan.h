// The one NaN that results have: which bits arithmetic gives a NaN differs between engines.
#pragma once
#include <bit>
#include <cstdint>

#include "core/lanes.h"

namespace phasor {

inline constexpr float kNan = std::bit_cast<float>(std::uint32_t{0x7fc00000});

inline float canonical(float x) { return x == x ? x : kNan; }

inline v128_t canonical_f32x4(v128_t x) {
  return wasm_v128_bitselect(x, wasm_i32x4_splat(0x7fc00000), wasm_f32x4_eq(x, x));
}

}  // namespace phasor
