// ggml's blocks: small integers (codes) that share a scale a and, in some formats, an offset b.
//
//   number = a * code - b,   in float32, the product rounded before the difference
//
// d, m and dmin are float16. qs holds codes of 8, 4 or 2 bits, the low bits of a byte first. qh and
// hmask hold the upper bits of the codes. Sixteen adjacent numbers always share a and b.
//
//   32 numbers   bytes
//   Q8_0         d, qs[32]                              a = d, code = qs (signed)
//   Q4_0         d, qs[16]                              a = d, code = 4 bits - 8
//   Q4_1         d, m, qs[16]                           a = d, b = -m, code = 4 bits
//   Q5_0         d, qh[4], qs[16]                       a = d, code = 5 bits - 16
//   Q5_1         d, m, qh[4], qs[16]                    a = d, b = -m, code = 5 bits
//   IQ4_NL       d, qs[16]                              a = d, code = kLevels[4 bits]
//
//   256 numbers
//   Q2_K         scales[16], qs[64], d, dmin            a = d * low 4 bits of a scale,
//                                                       b = dmin * its upper 4; code = 2 bits
//   Q3_K         hmask[32], qs[64], scales[12], d       a = d * (6 bits - 32), code = 3 bits - 4
//   Q4_K         d, dmin, scales[12], qs[128]           a = d * 6 bits, b = dmin * 6 bits,
//                                                       code = 4 bits
//   Q5_K         d, dmin, scales[12], qh[32], qs[128]   the same, code = 5 bits
//   Q6_K         ql[128], qh[64], scales[16], d         a = d * scale (signed), code = 6 bits - 32
#pragma once
#include <cstddef>
#include <cstdint>

#include "embedding/dtypes/dtypes.h"

namespace phasor::dtypes::blocks {

/// Computes number i of a block. This defines `decode`.
///
/// Returns   the number; NaN, which results from a scale that is not finite, is 0x7fc00000
/// Accuracy  bit-equal to ggml
/// Source    ggml, the reference implementation, https://github.com/ggml-org/ggml; GGUF
///           specification, docs/gguf.md there
float value(Format format, const std::uint8_t* block, std::size_t i) noexcept;

/// Decodes all numbers of `count` blocks, sixteen at a time. Bit-equal to `value`.
void decode(Format format, const std::uint8_t* block, std::size_t count, float* out) noexcept;

/// Multiplies signed codes by a scale.
///
///   out[i] = scale * codes[i]
///
/// Requires  scale finite
void scale_codes(const std::int8_t* codes, std::size_t count, float scale, float* out) noexcept;

}  // namespace phasor::dtypes::blocks
