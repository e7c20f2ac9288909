// Number formats of model files: bytes as they lie there, as float32 and back.
//
// Bytes are little-endian, at any address.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::dtypes {

/// How numbers are kept, by the names of safetensors and GGUF. The numbers cross the border, and
/// src/embedding/dtypes/dtypes.js has the same list.
enum class Format : std::int32_t {
  kF32 = 0,
  kF16 = 1,     // s eeeee ffffffffff
  kBF16 = 2,    // s eeeeeeee fffffff: the upper half of a float32
  kF64 = 3,     // rounded to the nearest, ties to even
  kF8E4M3 = 4,  // s eeee fff, bias 7; 0x7f and 0xff are NaN, and nothing is infinite ("fn")
  kF8E5M2 = 5,  // s eeeee ff: the upper half of a float16
  kI8 = 6,
  kU8 = 7,
  kI16 = 8,
  kU16 = 9,
  kI32 = 10,  // this and what is wider: rounded to the nearest, ties to even
  kU32 = 11,
  kI64 = 12,
  kU64 = 13,
  kBool = 14,  // 0, or 1 for every other byte
  kQ8_0 = 15,  // this and the rest are ggml's blocks: blocks.h
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

/// The least that a format keeps: so many numbers in so many bytes.
struct Block {
  std::size_t numbers;
  std::size_t bytes;
};

/// The block of a format; {0, 0} if there is no such format.
Block block_of(Format format) noexcept;

/// Read numbers.
///
/// Shapes    bytes [n / block.numbers * block.bytes], out [n]
/// Requires  nothing overlaps
/// Returns   kOk; kBadParam for an unknown format; kBadShape (nothing written)
/// Accuracy  F64, I32, U32, I64, U64 rounded once, blocks as `blocks::value`, the rest exact. F32,
///           F16, BF16 and F8 keep a NaN's sign and payload; any other NaN is 0x7fc00000. Bit-equal
///           to `decode_scalar`
/// Cost      one pass; no allocation
/// Source    IEEE 754-2019; Micikevicius et al. 2022, FP8 formats for deep learning,
///           arXiv:2209.05433, section 3
Status decode(std::span<const std::uint8_t> bytes, Format format, std::span<float> out) noexcept;

/// The definition of `decode`, one number at a time.
Status decode_scalar(std::span<const std::uint8_t> bytes, Format format,
                     std::span<float> out) noexcept;

/// Write numbers in F32, F16 or BF16.
///
/// Shapes    x [n], bytes [n * block.bytes]
/// Requires  nothing overlaps
/// Returns   kOk; kBadParam for another format; kBadShape (nothing written)
/// Accuracy  rounded to the nearest, ties to even: math/half.h
Status encode(std::span<const float> x, Format format, std::span<std::uint8_t> bytes) noexcept;

}  // namespace phasor::dtypes
