// Conversion between float32 and the number formats of model files.
//
// Bytes are little-endian and need no alignment.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::dtypes {

/// Number formats, by the names of safetensors and GGUF. src/embedding/dtypes/dtypes.js has the
/// same list in the same order.
enum class Format : std::int32_t {
  kF32 = 0,
  kF16 = 1,     // s eeeee ffffffffff
  kBF16 = 2,    // s eeeeeeee fffffff: the upper half of a float32
  kF64 = 3,     // rounded to the nearest, ties to even
  kF8E4M3 = 4,  // s eeee fff, bias 7; 0x7f and 0xff are NaN; no infinity ("fn")
  kF8E5M2 = 5,  // s eeeee ff: the upper half of a float16
  kI8 = 6,
  kU8 = 7,
  kI16 = 8,
  kU16 = 9,
  kI32 = 10,  // this and wider integers: rounded to the nearest, ties to even
  kU32 = 11,
  kI64 = 12,
  kU64 = 13,
  kBool = 14,  // 0, or 1 for every other byte
  kQ8_0 = 15,  // this and the following are ggml's blocks: blocks.h
  kQ4_0 = 16,
  kQ4_1 = 17,
  kQ5_0 = 18,
  kQ5_1 = 19,
  kQ2_K = 20,
  kQ3_K = 21,
  kQ4_K = 22,
  kQ5_K = 23,
  kQ6_K = 24,
  kIQ4_NL = 25,
};

/// The smallest unit of a format.
struct Block {
  std::size_t numbers;
  std::size_t bytes;
};

/// Returns the block of a format, or {0, 0} for an unknown format.
Block block_of(Format format) noexcept;

/// Converts numbers to float32.
///
/// Shapes    bytes [n / block.numbers * block.bytes], out [n]
/// Requires  nothing overlaps
/// Returns   kOk; kBadParam for an unknown format; kBadShape (nothing written)
/// Accuracy  F64, I32, U32, I64 and U64 are rounded once, blocks are as `blocks::value`, the other
///           formats are exact. F32, F16, BF16 and F8 keep the sign and payload of a NaN; any other
///           NaN is 0x7fc00000. Bit-equal to `decode_scalar`
/// Cost      one pass; no allocation
/// Source    IEEE 754-2019; Micikevicius et al. 2022, FP8 formats for deep learning,
///           arXiv:2209.05433, section 3
Status decode(std::span<const std::uint8_t> bytes, Format format, std::span<float> out) noexcept;

/// Defines `decode`, one number at a time.
Status decode_scalar(std::span<const std::uint8_t> bytes, Format format,
                     std::span<float> out) noexcept;

/// Converts float32 numbers to F32, F16 or BF16.
///
/// Shapes    x [n], bytes [n * block.bytes]
/// Requires  nothing overlaps
/// Returns   kOk; kBadParam for another format; kBadShape (nothing written)
/// Accuracy  rounded to the nearest, ties to even: math/half.h
Status encode(std::span<const float> x, Format format, std::span<std::uint8_t> bytes) noexcept;

}  // namespace phasor::dtypes
