// The one place that knows where `wasm_f32x4_*` comes from.
// In WebAssembly it is the compiler's header; natively it is SIMDe, so that the same kernel text
// runs under ASan, UBSan and doctest; in WebAssembly without SIMD it is the few lanes of
// lanes_scalar.h. No other file may include any of the three.
#pragma once
#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__wasm__)
#include "math/lanes_scalar.h"
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>
#endif
