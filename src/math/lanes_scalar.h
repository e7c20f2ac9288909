// The lanes of wasm_simd128.h, as many as kernels use, without SIMD: the compiler does one lane
// after the other by the same IEEE operations, so the bits are the same. For lanes.h alone.
#pragma once
#include <cstdint>
#include <cstring>

typedef std::int32_t v128_t __attribute__((vector_size(16)));

namespace phasor::lanes {

typedef std::int8_t I8x16 __attribute__((vector_size(16)));
typedef std::uint8_t U8x16 __attribute__((vector_size(16)));
typedef std::int16_t I16x8 __attribute__((vector_size(16)));
typedef std::uint32_t U32x4 __attribute__((vector_size(16)));
typedef std::int64_t I64x2 __attribute__((vector_size(16)));
typedef std::uint64_t U64x2 __attribute__((vector_size(16)));
typedef float F32x4 __attribute__((vector_size(16)));
typedef double F64x2 __attribute__((vector_size(16)));

/// A call for each lane would cost more than the lane.
#define PHASOR_LANES [[gnu::always_inline]] inline

PHASOR_LANES v128_t wasm_v128_load(const void* from) {
  v128_t x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

PHASOR_LANES v128_t wasm_v128_load64_zero(const void* from) {
  std::int64_t x;
  std::memcpy(&x, from, sizeof x);
  return v128_t(I64x2{x, 0});
}

PHASOR_LANES v128_t wasm_v128_load64_splat(const void* from) {
  std::int64_t x;
  std::memcpy(&x, from, sizeof x);
  return v128_t(I64x2{x, x});
}

PHASOR_LANES v128_t wasm_v128_load32_splat(const void* from) {
  std::int32_t x;
  std::memcpy(&x, from, sizeof x);
  return v128_t{x, x, x, x};
}

PHASOR_LANES v128_t wasm_i16x8_load8x8(const void* from) {
  std::int8_t x[8];
  std::memcpy(x, from, sizeof x);
  return v128_t(I16x8{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]});
}

PHASOR_LANES v128_t wasm_u32x4_load16x4(const void* from) {
  std::uint16_t x[4];
  std::memcpy(x, from, sizeof x);
  return v128_t{x[0], x[1], x[2], x[3]};
}

PHASOR_LANES void wasm_v128_store(void* to, v128_t x) { std::memcpy(to, &x, sizeof x); }

PHASOR_LANES v128_t wasm_i8x16_splat(std::int8_t x) { return v128_t(I8x16{} + x); }
PHASOR_LANES v128_t wasm_i32x4_splat(std::int32_t x) { return v128_t{x, x, x, x}; }
PHASOR_LANES v128_t wasm_i64x2_splat(std::int64_t x) { return v128_t(I64x2{x, x}); }
PHASOR_LANES v128_t wasm_f32x4_splat(float x) { return v128_t(F32x4{x, x, x, x}); }
PHASOR_LANES v128_t wasm_f64x2_splat(double x) { return v128_t(F64x2{x, x}); }

PHASOR_LANES float wasm_f32x4_extract_lane(v128_t x, int lane) { return F32x4(x)[lane]; }
PHASOR_LANES double wasm_f64x2_extract_lane(v128_t x, int lane) { return F64x2(x)[lane]; }
#define wasm_i8x16_shuffle(a, b, ...) \
  v128_t(__builtin_shufflevector(I8x16(a), I8x16(b), __VA_ARGS__))
#define wasm_i32x4_shuffle(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

PHASOR_LANES v128_t wasm_v128_and(v128_t a, v128_t b) { return a & b; }
PHASOR_LANES v128_t wasm_v128_or(v128_t a, v128_t b) { return a | b; }
PHASOR_LANES v128_t wasm_v128_xor(v128_t a, v128_t b) { return a ^ b; }
PHASOR_LANES v128_t wasm_v128_bitselect(v128_t a, v128_t b, v128_t mask) {
  return (a & mask) | (b & ~mask);
}
PHASOR_LANES bool wasm_v128_any_true(v128_t x) {
  const I64x2 both = I64x2(x);
  return (both[0] | both[1]) != 0;
}

PHASOR_LANES v128_t wasm_i8x16_sub(v128_t a, v128_t b) { return v128_t(U8x16(a) - U8x16(b)); }
PHASOR_LANES v128_t wasm_i8x16_eq(v128_t a, v128_t b) { return v128_t(I8x16(a) == I8x16(b)); }
PHASOR_LANES v128_t wasm_i8x16_shl(v128_t x, std::uint32_t bits) {
  return v128_t(U8x16(x) << static_cast<std::uint8_t>(bits));
}
PHASOR_LANES v128_t wasm_u8x16_shr(v128_t x, std::uint32_t bits) {
  return v128_t(U8x16(x) >> static_cast<std::uint8_t>(bits));
}
PHASOR_LANES v128_t wasm_i8x16_swizzle(v128_t from, v128_t which) {
  I8x16 picked{};
  for (int i = 0; i < 16; ++i) {
    const std::uint8_t k = U8x16(which)[i];
    picked[i] = k < 16 ? I8x16(from)[k] : std::int8_t{0};
  }
  return v128_t(picked);
}

PHASOR_LANES v128_t wasm_i16x8_extend_low_i8x16(v128_t x) {
  const I8x16 v = I8x16(x);
  return v128_t(I16x8{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]});
}
PHASOR_LANES v128_t wasm_i16x8_extend_high_i8x16(v128_t x) {
  const I8x16 v = I8x16(x);
  return v128_t(I16x8{v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15]});
}
PHASOR_LANES v128_t wasm_i32x4_extend_low_i16x8(v128_t x) {
  const I16x8 v = I16x8(x);
  return v128_t{v[0], v[1], v[2], v[3]};
}
PHASOR_LANES v128_t wasm_i32x4_extend_high_i16x8(v128_t x) {
  const I16x8 v = I16x8(x);
  return v128_t{v[4], v[5], v[6], v[7]};
}

PHASOR_LANES v128_t wasm_i32x4_shl(v128_t x, std::uint32_t bits) {
  return v128_t(U32x4(x) << bits);
}
PHASOR_LANES v128_t wasm_i32x4_add(v128_t a, v128_t b) { return v128_t(U32x4(a) + U32x4(b)); }
PHASOR_LANES v128_t wasm_i32x4_dot_i16x8(v128_t a, v128_t b) {
  const I16x8 x = I16x8(a), y = I16x8(b);
  v128_t sums{};
  for (int i = 0; i < 4; ++i) {
    const std::int32_t even = x[2 * i] * y[2 * i], odd = x[2 * i + 1] * y[2 * i + 1];
    sums[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(even) +
                                        static_cast<std::uint32_t>(odd));
  }
  return sums;
}
PHASOR_LANES v128_t wasm_u32x4_lt(v128_t a, v128_t b) { return v128_t(U32x4(a) < U32x4(b)); }
PHASOR_LANES v128_t wasm_u32x4_min(v128_t a, v128_t b) {
  return wasm_v128_bitselect(a, b, wasm_u32x4_lt(a, b));
}

PHASOR_LANES v128_t wasm_i64x2_add(v128_t a, v128_t b) { return v128_t(U64x2(a) + U64x2(b)); }
PHASOR_LANES v128_t wasm_i64x2_neg(v128_t x) { return v128_t(-U64x2(x)); }
PHASOR_LANES std::uint32_t wasm_i64x2_bitmask(v128_t x) {
  const U64x2 v = U64x2(x);
  return static_cast<std::uint32_t>(v[0] >> 63 | v[1] >> 63 << 1);
}
PHASOR_LANES v128_t wasm_i64x2_shl(v128_t x, std::uint32_t bits) {
  return v128_t(U64x2(x) << bits);
}

PHASOR_LANES v128_t wasm_f32x4_add(v128_t a, v128_t b) { return v128_t(F32x4(a) + F32x4(b)); }
PHASOR_LANES v128_t wasm_f32x4_sub(v128_t a, v128_t b) { return v128_t(F32x4(a) - F32x4(b)); }
PHASOR_LANES v128_t wasm_f32x4_mul(v128_t a, v128_t b) { return v128_t(F32x4(a) * F32x4(b)); }
PHASOR_LANES v128_t wasm_f32x4_div(v128_t a, v128_t b) { return v128_t(F32x4(a) / F32x4(b)); }
PHASOR_LANES v128_t wasm_f32x4_sqrt(v128_t x) {
  const F32x4 v = F32x4(x);
  return v128_t(F32x4{__builtin_sqrtf(v[0]), __builtin_sqrtf(v[1]), __builtin_sqrtf(v[2]),
                      __builtin_sqrtf(v[3])});
}
PHASOR_LANES v128_t wasm_f32x4_convert_i32x4(v128_t x) {
  return v128_t(__builtin_convertvector(x, F32x4));
}
PHASOR_LANES v128_t wasm_f32x4_pmax(v128_t a, v128_t b) {
  return wasm_v128_bitselect(b, a, v128_t(F32x4(a) < F32x4(b)));
}
PHASOR_LANES v128_t wasm_f32x4_ge(v128_t a, v128_t b) { return v128_t(F32x4(a) >= F32x4(b)); }
PHASOR_LANES v128_t wasm_f32x4_eq(v128_t a, v128_t b) { return v128_t(F32x4(a) == F32x4(b)); }
PHASOR_LANES v128_t wasm_f32x4_ne(v128_t a, v128_t b) { return v128_t(F32x4(a) != F32x4(b)); }

PHASOR_LANES v128_t wasm_f64x2_add(v128_t a, v128_t b) { return v128_t(F64x2(a) + F64x2(b)); }
PHASOR_LANES v128_t wasm_f64x2_sub(v128_t a, v128_t b) { return v128_t(F64x2(a) - F64x2(b)); }
PHASOR_LANES v128_t wasm_f64x2_mul(v128_t a, v128_t b) { return v128_t(F64x2(a) * F64x2(b)); }
PHASOR_LANES v128_t wasm_f64x2_div(v128_t a, v128_t b) { return v128_t(F64x2(a) / F64x2(b)); }

PHASOR_LANES v128_t wasm_f64x2_ge(v128_t a, v128_t b) { return v128_t(F64x2(a) >= F64x2(b)); }
PHASOR_LANES v128_t wasm_f64x2_lt(v128_t a, v128_t b) { return v128_t(F64x2(a) < F64x2(b)); }
PHASOR_LANES v128_t wasm_f64x2_sqrt(v128_t x) {
  const F64x2 v = F64x2(x);
  return v128_t(F64x2{__builtin_sqrt(v[0]), __builtin_sqrt(v[1])});
}
PHASOR_LANES v128_t wasm_f64x2_convert_low_i32x4(v128_t x) {
  return v128_t(F64x2{static_cast<double>(x[0]), static_cast<double>(x[1])});
}

PHASOR_LANES v128_t wasm_f64x2_pmax(v128_t a, v128_t b) {
  return wasm_v128_bitselect(b, a, v128_t(F64x2(a) < F64x2(b)));
}

PHASOR_LANES v128_t wasm_f64x2_promote_low_f32x4(v128_t x) {
  const F32x4 floats = F32x4(x);
  return v128_t(F64x2{floats[0], floats[1]});
}
PHASOR_LANES v128_t wasm_f32x4_demote_f64x2_zero(v128_t x) {
  const F64x2 doubles = F64x2(x);
  return v128_t(F32x4{static_cast<float>(doubles[0]), static_cast<float>(doubles[1]), 0, 0});
}

#undef PHASOR_LANES

}  // namespace phasor::lanes

using namespace phasor::lanes;
