// Tables whose weights are kept in fewer bits, and how far the kept ones are off.
//
// N rows, D width. A row as it was given is w, as it is kept w'.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::packed {

/// How weights are kept. The numbers cross the border; the first three are those of half::Dtype.
enum class Dtype : std::int32_t {
  kFloat32 = 0,
  kFloat16 = 1,  // rounded to the nearest, ties to even, as all of these
  kBfloat16 = 2,
  kInt8 = 3,  // w' = scale * code, scale = max over d of |w[d]| / 127, in float32
};

/// Bytes of a weight; 0 if there is no such dtype.
std::size_t width_of(Dtype dtype) noexcept;

/// Rows as they are kept.
///
/// Shapes    codes [N, D] in the dtype; scales [N], read for kInt8 alone
struct Rows {
  Dtype dtype;
  std::size_t D;
  std::span<std::uint8_t> codes;
  std::span<float> scales;
};

/// How far rows are off, at most.
///
///   lengths[n]     |w - w'|                    bounds dot products (times |q|) and distances
///   directions[n]  |w / |w| - w' / |w'||       bounds cosines, since |q| = 1 there; 0 / 0 counts
///   as 0 squares[n]     |w'|^2, as similarity::squares
///
/// The first two are rounded up, and enlarged by what double loses on the way: by the error of
/// `similarity::compare` of w and of w' with any q. 0 only where w' = w: then both give the same
/// bits.
struct Errors {
  std::span<float> lengths;
  std::span<float> directions;
  std::span<double> squares;
};

/// Keep rows, and say how far they are off.
///
/// Shapes    x [N, D]; workspace [D]
/// Requires  nothing overlaps
/// Returns   kOk; kBadParam for an unknown dtype, or a number that is not finite with kInt8 (rows
///           before its own are written); kBadShape (nothing written)
Status pack(std::span<const float> x, Rows rows, Errors errors,
            std::span<float> workspace) noexcept;

/// The kept rows as float32.
///
/// Shapes    out [N, D]
/// Returns   kOk; kBadParam; kBadShape
/// Accuracy  exact; kInt8 the product rounded once
Status unpack(Rows rows, std::span<float> out) noexcept;

/// Some of the kept rows as float32, in the order of ids.
///
/// Shapes    ids [T], out [T, D]
/// Returns   kOk; kBadParam; kBadShape; kBadIndex for an id outside 0 .. N-1 (nothing written)
Status gather(Rows rows, std::span<const std::int32_t> ids, std::span<float> out) noexcept;

}  // namespace phasor::packed
