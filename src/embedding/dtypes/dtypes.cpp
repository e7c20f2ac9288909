#include "embedding/dtypes/dtypes.h"

#include <bit>
#include <cstring>

#include "embedding/dtypes/blocks.h"
#include "math/half.h"
#include "math/lanes.h"
#include "math/nan.h"

namespace phasor::dtypes {
namespace {

constexpr Block kBlocks[] = {
    {1, 4},     {1, 2},     {1, 2},     {1, 8},     {1, 1},   {1, 1},   {1, 1},
    {1, 1},     {1, 2},     {1, 2},     {1, 4},     {1, 4},   {1, 8},   {1, 8},
    {1, 1},     {32, 34},   {32, 18},   {32, 20},   {32, 22}, {32, 24}, {256, 84},
    {256, 110}, {256, 144}, {256, 176}, {256, 210}, {32, 18},
};

constexpr std::uint32_t kInfinity = 0x7f800000;

template <class Number>
Number load(const std::uint8_t* at) {
  Number x;
  std::memcpy(&x, at, sizeof x);
  return x;
}

/// A number of an integer format or of a wider float format, rounded once.
template <class Number>
float rounded(const std::uint8_t* at) {
  return canonical(static_cast<float>(load<Number>(at)));
}

/// s eeee fff: reads the bits as those of a float32 of bias 7, whose product with 2^120 is exact.
float from_e4m3(std::uint8_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80) << 24;
  const std::uint32_t magnitude = bits & 0x7f;
  const float value = std::bit_cast<float>(magnitude << 20) * 0x1p120f;
  const std::uint32_t size =
      magnitude == 0x7f ? magnitude << 20 | kInfinity : std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>(sign | size);
}

/// Decodes a number of a format of one byte.
float of_byte(Format format, std::uint8_t byte) {
  switch (format) {
    case Format::kF8E4M3:
      return from_e4m3(byte);
    case Format::kF8E5M2:
      return half::from_f16(static_cast<std::uint16_t>(byte << 8));
    case Format::kI8:
      return static_cast<std::int8_t>(byte);
    case Format::kU8:
      return byte;
    default:
      return byte == 0 ? 0 : 1;  // kBool
  }
}

/// Decodes a number of a format without blocks.
float number(Format format, const std::uint8_t* at) {
  switch (format) {
    case Format::kF32:
      return load<float>(at);
    case Format::kF16:
      return half::from_f16(load<std::uint16_t>(at));
    case Format::kBF16:
      return half::from_bf16(load<std::uint16_t>(at));
    case Format::kF64:
      return rounded<double>(at);
    case Format::kI16:
      return rounded<std::int16_t>(at);
    case Format::kU16:
      return rounded<std::uint16_t>(at);
    case Format::kI32:
      return rounded<std::int32_t>(at);
    case Format::kU32:
      return rounded<std::uint32_t>(at);
    case Format::kI64:
      return rounded<std::int64_t>(at);
    case Format::kU64:
      return rounded<std::uint64_t>(at);
    default:
      return of_byte(format, *at);
  }
}

Status check(std::size_t bytes, Format format, std::size_t numbers) {
  const Block block = block_of(format);
  if (block.numbers == 0) return Status::kBadParam;
  const bool whole = numbers % block.numbers == 0 && bytes % block.bytes == 0;
  if (kChecked && (!whole || numbers / block.numbers != bytes / block.bytes))
    return Status::kBadShape;
  return Status::kOk;
}

/// Decodes numbers of one byte by a table of all 256.
[[gnu::noinline]] void decode_bytes(std::span<const std::uint8_t> bytes, Format format,
                                    float* out) {
  float values[256];
  for (std::size_t k = 0; k < 256; ++k) values[k] = of_byte(format, static_cast<std::uint8_t>(k));
  for (std::size_t i = 0; i < bytes.size(); ++i) out[i] = values[bytes[i]];
}

template <class Number>
void decode_each(const std::uint8_t* from, std::span<float> out) {
  for (float& x : out) {
    x = rounded<Number>(from);
    from += sizeof(Number);
  }
}

/// Reads float16 as a float32 of bias 15, whose product with 2^112 is exact. Infinity and NaN get
/// the exponent 255 instead.
v128_t widen_f16(v128_t bits) {
  const v128_t magnitude = wasm_v128_and(bits, wasm_i32x4_splat(0x7fff));
  const v128_t size = wasm_i32x4_shl(magnitude, 13);
  const v128_t value = wasm_f32x4_mul(size, wasm_f32x4_splat(0x1p112f));
  const v128_t beyond = wasm_v128_or(size, wasm_i32x4_splat(kInfinity));
  const v128_t finite = wasm_u32x4_lt(magnitude, wasm_i32x4_splat(0x7c00));
  const v128_t sign = wasm_i32x4_shl(wasm_v128_xor(bits, magnitude), 16);
  return wasm_v128_or(sign, wasm_v128_bitselect(value, beyond, finite));
}

template <Format kFormat>
void decode_halves(const std::uint8_t* from, std::span<float> out) {
  std::size_t i = 0;
  for (; i + 4 <= out.size(); i += 4) {
    const v128_t bits = wasm_u32x4_load16x4(from + 2 * i);
    const bool f16 = kFormat == Format::kF16;
    wasm_v128_store(out.data() + i, f16 ? widen_f16(bits) : wasm_i32x4_shl(bits, 16));
  }
  for (; i < out.size(); ++i) out[i] = number(kFormat, from + 2 * i);
}

}  // namespace

Block block_of(Format format) noexcept {
  const auto k = static_cast<std::size_t>(format);
  return k < std::size(kBlocks) ? kBlocks[k] : Block{0, 0};
}

Status decode_scalar(std::span<const std::uint8_t> bytes, Format format,
                     std::span<float> out) noexcept {
  const Status status = check(bytes.size(), format, out.size());
  if (status != Status::kOk) return status;
  const Block block = block_of(format);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint8_t* at = bytes.data() + i / block.numbers * block.bytes;
    out[i] = block.numbers == 1 ? number(format, at) : blocks::value(format, at, i % block.numbers);
  }
  return Status::kOk;
}

Status decode(std::span<const std::uint8_t> bytes, Format format, std::span<float> out) noexcept {
  const Status status = check(bytes.size(), format, out.size());
  if (status != Status::kOk || out.empty()) return status;
  const std::uint8_t* from = bytes.data();
  switch (format) {
    case Format::kF32:
      std::memcpy(out.data(), from, bytes.size());
      break;
    case Format::kF16:
      decode_halves<Format::kF16>(from, out);
      break;
    case Format::kBF16:
      decode_halves<Format::kBF16>(from, out);
      break;
    case Format::kF64:
      decode_each<double>(from, out);
      break;
    case Format::kI16:
      decode_each<std::int16_t>(from, out);
      break;
    case Format::kU16:
      decode_each<std::uint16_t>(from, out);
      break;
    case Format::kI32:
      decode_each<std::int32_t>(from, out);
      break;
    case Format::kU32:
      decode_each<std::uint32_t>(from, out);
      break;
    case Format::kI64:
      decode_each<std::int64_t>(from, out);
      break;
    case Format::kU64:
      decode_each<std::uint64_t>(from, out);
      break;
    default:
      if (block_of(format).numbers == 1)
        decode_bytes(bytes, format, out.data());
      else
        blocks::decode(format, from, bytes.size() / block_of(format).bytes, out.data());
  }
  return Status::kOk;
}

Status encode(std::span<const float> x, Format format, std::span<std::uint8_t> bytes) noexcept {
  const bool known = format == Format::kF32 || format == Format::kF16 || format == Format::kBF16;
  if (!known) return Status::kBadParam;
  const Status status = check(bytes.size(), format, x.size());
  if (status != Status::kOk || x.empty()) return status;
  if (format == Format::kF32) {
    std::memcpy(bytes.data(), x.data(), bytes.size());
    return Status::kOk;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint16_t bits = format == Format::kF16 ? half::to_f16(x[i]) : half::to_bf16(x[i]);
    std::memcpy(bytes.data() + 2 * i, &bits, sizeof bits);
  }
  return Status::kOk;
}

}  // namespace phasor::dtypes
