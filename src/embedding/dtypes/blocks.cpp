#include "embedding/dtypes/blocks.h"

#include "math/half.h"
#include "math/lanes.h"
#include "math/nan.h"

namespace phasor::dtypes::blocks {
namespace {

/// IQ4_NL's sixteen levels, denser around 0.
alignas(16) constexpr std::int8_t kLevels[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                 1,    13,   25,  38,  53,  69,  89,  113};

/// The bit of a byte that belongs to each of sixteen numbers.
alignas(16) constexpr std::uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                                1, 2, 4, 8, 16, 32, 64, 128};

float f16(const std::uint8_t* at) {
  return half::from_f16(static_cast<std::uint16_t>(at[0] | at[1] << 8));
}

/// The parameters that sixteen numbers share:  number = a * code - b.
struct Shared {
  float a;
  float b;
};

/// For sixteen numbers of Q2_K: one byte holds scale and offset.
Shared of_q2(const std::uint8_t* block, std::size_t g) {
  return {f16(block + 80) * static_cast<float>(block[g] & 15),
          f16(block + 82) * static_cast<float>(block[g] >> 4)};
}

/// For sixteen numbers of Q3_K: scales have 6 bits. Eight bytes hold their lower 4 bits, and four
/// more bytes hold their upper 2 bits.
Shared of_q3(const std::uint8_t* block, std::size_t g) {
  const std::uint8_t* scales = block + 96;
  const int low = g < 8 ? scales[g] & 15 : scales[g - 8] >> 4;
  const int high = scales[8 + g % 4] >> (g / 4 * 2) & 3;
  return {f16(block + 108) * static_cast<float>((high << 4 | low) - 32), 0};
}

/// For 32 numbers of Q4_K and Q5_K: scales and offsets have 6 bits. The first four of each have a
/// byte whose upper 2 bits hold the upper 2 bits of the last four. Four more bytes hold the lower 4
/// bits of the last four scales and offsets.
Shared of_q45(const std::uint8_t* block, std::size_t s) {
  const std::uint8_t* scales = block + 4;
  const bool first = s < 4;
  const int scale = first ? scales[s] & 63 : (scales[s + 4] & 15) | scales[s - 4] >> 6 << 4;
  const int offset = first ? scales[s + 4] & 63 : scales[s + 4] >> 4 | scales[s] >> 6 << 4;
  return {f16(block) * static_cast<float>(scale), f16(block + 2) * static_cast<float>(offset)};
}

Shared of_q6(const std::uint8_t* block, std::size_t g) {
  const auto scale = static_cast<std::int8_t>(block[192 + g]);
  return {f16(block + 208) * static_cast<float>(scale), 0};
}

/// The parameters of the sixteen numbers from 16 g on.
Shared shared_of(Format format, const std::uint8_t* block, std::size_t g) {
  switch (format) {
    case Format::kQ4_1:
    case Format::kQ5_1:
      return {f16(block), -f16(block + 2)};
    case Format::kQ2_K:
      return of_q2(block, g);
    case Format::kQ3_K:
      return of_q3(block, g);
    case Format::kQ4_K:
    case Format::kQ5_K:
      return of_q45(block, g / 2);
    case Format::kQ6_K:
      return of_q6(block, g);
    default:
      return {f16(block), 0};
  }
}

/// Extracts a bit field from each of sixteen bytes.
v128_t field(const std::uint8_t* at, std::size_t shift, std::int8_t mask) {
  return wasm_v128_and(wasm_u8x16_shr(wasm_v128_load(at), static_cast<std::uint32_t>(shift)),
                       wasm_i8x16_splat(mask));
}

/// Puts `high` above the lower `bits` bits.
v128_t above(v128_t low, v128_t high, std::uint32_t bits) {
  return wasm_v128_or(low, wasm_i8x16_shl(high, bits));
}

v128_t less(v128_t codes, std::int8_t by) { return wasm_i8x16_sub(codes, wasm_i8x16_splat(by)); }

/// The fifth bits of Q5_0 and Q5_1: sixteen of 32 bits.
v128_t fifth(const std::uint8_t* at, std::size_t g) {
  const v128_t bytes = wasm_v128_load32_splat(at);
  const v128_t bits = wasm_v128_load(kBits);
  const v128_t own =
      g == 0 ? wasm_i8x16_shuffle(bytes, bytes, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1)
             : wasm_i8x16_shuffle(bytes, bytes, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
  const v128_t set = wasm_i8x16_eq(wasm_v128_and(own, bits), bits);
  return wasm_v128_and(set, wasm_i8x16_splat(1));
}

/// The sixteen codes from 16 g on.
template <Format kFormat>
v128_t codes_of(const std::uint8_t* block, std::size_t g) {
  const std::size_t half = g / 8, run = g / 2 % 4, side = 16 * (g % 2);
  switch (kFormat) {
    case Format::kQ8_0:
      return wasm_v128_load(block + 2 + 16 * g);
    case Format::kQ4_0:
      return less(field(block + 2, 4 * g, 15), 8);
    case Format::kQ4_1:
      return field(block + 4, 4 * g, 15);
    case Format::kQ5_0:
      return less(above(field(block + 6, 4 * g, 15), fifth(block + 2, g), 4), 16);
    case Format::kQ5_1:
      return above(field(block + 8, 4 * g, 15), fifth(block + 4, g), 4);
    case Format::kIQ4_NL:
      return wasm_i8x16_swizzle(wasm_v128_load(kLevels), field(block + 2, 4 * g, 15));
    case Format::kQ2_K:
      return field(block + 16 + 32 * half + side, 2 * run, 3);
    case Format::kQ3_K:
      return less(
          above(field(block + 32 + 32 * half + side, 2 * run, 3), field(block + side, g / 2, 1), 2),
          4);
    case Format::kQ4_K:
      return field(block + 16 + 32 * (g / 4) + side, 4 * (g / 2 % 2), 15);
    case Format::kQ5_K:
      return above(field(block + 48 + 32 * (g / 4) + side, 4 * (g / 2 % 2), 15),
                   field(block + 16 + side, g / 2, 1), 4);
    default:  // kQ6_K
      return less(above(field(block + 64 * half + 32 * (run % 2) + side, 4 * (run / 2), 15),
                        field(block + 128 + 32 * half + side, 2 * run, 3), 4),
                  32);
  }
}

/// Converts sixteen codes to numbers:  out[i] = of(codes[i]).
template <class Of>
void write(v128_t codes, Of of, float* out) {
  const v128_t low = wasm_i16x8_extend_low_i8x16(codes);
  const v128_t high = wasm_i16x8_extend_high_i8x16(codes);
  const auto four = [&](v128_t x) { return of(wasm_f32x4_convert_i32x4(x)); };
  wasm_v128_store(out, four(wasm_i32x4_extend_low_i16x8(low)));
  wasm_v128_store(out + 4, four(wasm_i32x4_extend_high_i16x8(low)));
  wasm_v128_store(out + 8, four(wasm_i32x4_extend_low_i16x8(high)));
  wasm_v128_store(out + 12, four(wasm_i32x4_extend_high_i16x8(high)));
}

/// out[i] = a * codes[i] - b
[[gnu::noinline]] void write(v128_t codes, Shared shared, float* out) {
  const v128_t a = wasm_f32x4_splat(shared.a), b = wasm_f32x4_splat(shared.b);
  write(codes, [=](v128_t x) { return wasm_f32x4_sub(wasm_f32x4_mul(a, x), b); }, out);
  const bool finite = shared.a - shared.a == 0 && shared.b - shared.b == 0;
  if (!finite) canonicalize({out, 16});
}

template <Format kFormat>
void decode_all(const std::uint8_t* block, std::size_t count, float* out) {
  const auto [numbers, bytes] = block_of(kFormat);
  for (; count > 0; --count, block += bytes, out += numbers)
    for (std::size_t g = 0; g < numbers / 16; ++g)
      write(codes_of<kFormat>(block, g), shared_of(kFormat, block, g), out + 16 * g);
}

/// Extracts the bits of a code that begin at bit `from` of a byte.
int bits(std::uint8_t byte, std::size_t from, int mask) { return byte >> from & mask; }

int code_of(Format format, const std::uint8_t* block, std::size_t i) {
  // blocks of 32: the first sixteen codes are the lower halves of bytes, the others the upper
  // halves
  const std::size_t byte = i % 16, nibble = i / 16 * 4;
  const auto fifth_bit = [=](const std::uint8_t* qh) { return bits(qh[i / 8], i % 8, 1) << 4; };
  // blocks of 256: runs of 32 adjacent codes
  const std::size_t half = i / 128, run = i / 32, at = i % 32;
  switch (format) {
    case Format::kQ8_0:
      return static_cast<std::int8_t>(block[2 + i]);
    case Format::kQ4_0:
      return bits(block[2 + byte], nibble, 15) - 8;
    case Format::kQ4_1:
      return bits(block[4 + byte], nibble, 15);
    case Format::kQ5_0:
      return (bits(block[6 + byte], nibble, 15) | fifth_bit(block + 2)) - 16;
    case Format::kQ5_1:
      return bits(block[8 + byte], nibble, 15) | fifth_bit(block + 4);
    case Format::kIQ4_NL:
      return kLevels[bits(block[2 + byte], nibble, 15)];
    case Format::kQ2_K:
      return bits(block[16 + 32 * half + at], run % 4 * 2, 3);
    case Format::kQ3_K:
      return (bits(block[32 + 32 * half + at], run % 4 * 2, 3) | bits(block[at], run, 1) << 2) - 4;
    case Format::kQ4_K:
      return bits(block[16 + run / 2 * 32 + at], run % 2 * 4, 15);
    case Format::kQ5_K:
      return bits(block[48 + run / 2 * 32 + at], run % 2 * 4, 15) | bits(block[16 + at], run, 1)
                                                                        << 4;
    default:  // kQ6_K
      return (bits(block[64 * half + run % 2 * 32 + at], run % 4 / 2 * 4, 15) |
              bits(block[128 + 32 * half + at], run % 4 * 2, 3) << 4) -
             32;
  }
}

}  // namespace

float value(Format format, const std::uint8_t* block, std::size_t i) noexcept {
  const auto [a, b] = shared_of(format, block, i / 16);
  return canonical(a * static_cast<float>(code_of(format, block, i)) - b);
}

void decode(Format format, const std::uint8_t* block, std::size_t count, float* out) noexcept {
  switch (format) {
    case Format::kQ8_0:
      return decode_all<Format::kQ8_0>(block, count, out);
    case Format::kQ4_0:
      return decode_all<Format::kQ4_0>(block, count, out);
    case Format::kQ4_1:
      return decode_all<Format::kQ4_1>(block, count, out);
    case Format::kQ5_0:
      return decode_all<Format::kQ5_0>(block, count, out);
    case Format::kQ5_1:
      return decode_all<Format::kQ5_1>(block, count, out);
    case Format::kIQ4_NL:
      return decode_all<Format::kIQ4_NL>(block, count, out);
    case Format::kQ2_K:
      return decode_all<Format::kQ2_K>(block, count, out);
    case Format::kQ3_K:
      return decode_all<Format::kQ3_K>(block, count, out);
    case Format::kQ4_K:
      return decode_all<Format::kQ4_K>(block, count, out);
    case Format::kQ5_K:
      return decode_all<Format::kQ5_K>(block, count, out);
    default:
      return decode_all<Format::kQ6_K>(block, count, out);
  }
}

void scale_codes(const std::int8_t* codes, std::size_t count, float scale, float* out) noexcept {
  const v128_t a = wasm_f32x4_splat(scale);
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16)
    write(wasm_v128_load(codes + i), [a](v128_t x) { return wasm_f32x4_mul(a, x); }, out + i);
  for (; i < count; ++i) out[i] = scale * static_cast<float>(codes[i]);
}

}  // namespace phasor::dtypes::blocks
