// Four floats as two pairs of doubles, and back.
#pragma once
#include "math/lanes.h"

namespace phasor {

inline v128_t low_f64x2(v128_t x) { return wasm_f64x2_promote_low_f32x4(x); }

inline v128_t high_f64x2(v128_t x) {
  return wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(x, x, 2, 3, 2, 3));
}

inline v128_t narrow_f32x4(v128_t low, v128_t high) {
  return wasm_i32x4_shuffle(wasm_f32x4_demote_f64x2_zero(low), wasm_f32x4_demote_f64x2_zero(high),
                            0, 1, 4, 5);
}

}  // namespace phasor
