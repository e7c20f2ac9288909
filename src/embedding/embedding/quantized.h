// Tables of quantized weights, with bounds of their errors.
//
// N rows, D width. w is a row before rounding, w' the same row after rounding.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::packed {

/// The format of the weights. The JavaScript module uses the same numbers; the first three are
/// those of half::Dtype.
enum class Dtype : std::int32_t {
  kFloat32 = 0,
  kFloat16 = 1,  // rounded to the nearest, ties to even, as all formats
  kBfloat16 = 2,
  kInt8 = 3,  // w' = scale * code, scale = max over d of |w[d]| / 127, in float32
};

/// Returns the number of bytes of a weight, or 0 for an unknown dtype.
std::size_t width_of(Dtype dtype) noexcept;

/// Quantized rows.
///
/// Shapes    codes [N, D] in the dtype; scales [N], used for kInt8 only
struct Rows {
  Dtype dtype;
  std::size_t D;
  std::span<std::uint8_t> codes;
  std::span<float> scales;
};

/// Upper bounds of the errors of rows, and their squared lengths.
///
///   lengths[n]     |w - w'|               bounds the error of a distance; times |q| it bounds
///                                         the error of a dot product with q
///   directions[n]  |w / |w| - w' / |w'||  bounds the error of a cosine; 0 / 0 counts as 0
///   squares[n]     |w'|^2                 as similarity::squares
///
/// The bounds are rounded up and include the rounding errors of `similarity::compare` of w and of
/// w' with any q. They are 0 only if w' = w, where both comparisons give the same bits.
struct Errors {
  std::span<float> lengths;
  std::span<float> directions;
  std::span<double> squares;
};

/// Quantizes rows and computes the bounds of their errors.
///
/// Shapes    x [N, D]; workspace [D]
/// Requires  nothing overlaps
/// Returns   kOk; kBadShape (nothing written); kBadParam for an unknown dtype (nothing written), or
///           for a number that is not finite with kInt8 (the rows before it are written)
Status pack(std::span<const float> x, Rows rows, Errors errors,
            std::span<float> workspace) noexcept;

/// Converts quantized rows to float32.
///
/// Shapes    out [N, D]
/// Returns   kOk; kBadParam; kBadShape
/// Accuracy  exact; for kInt8 the product is rounded once
Status unpack(Rows rows, std::span<float> out) noexcept;

/// Converts some of the quantized rows to float32, in the order of ids.
///
/// Shapes    ids [T], out [T, D]
/// Returns   kOk; kBadParam; kBadShape; kBadIndex for an id outside 0 .. N-1 (nothing written)
Status gather(Rows rows, std::span<const std::int32_t> ids, std::span<float> out) noexcept;

}  // namespace phasor::packed
