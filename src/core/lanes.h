// The one place that knows where `wasm_f32x4_*` comes from.
// In WebAssembly it is the compiler's header; natively it is SIMDe, so that the
// same kernel text runs under ASan, UBSan and doctest. No other file may
// include either of the two.
#pragma once
#include <bit>
#include <cstdint>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>
#endif

namespace phasor {

/// The one NaN that results have: which bits arithmetic gives a NaN differs between engines.
inline constexpr float kNan = std::bit_cast<float>(std::uint32_t{0x7fc00000});

inline float canonical(float x) { return x == x ? x : kNan; }

inline v128_t canonical_f32x4(v128_t x) {
  return wasm_v128_bitselect(x, wasm_i32x4_splat(0x7fc00000), wasm_f32x4_eq(x, x));
}

}  // namespace phasor
