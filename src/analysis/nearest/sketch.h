// A copy of the rows of an index in whole numbers, from which a search tells most rows that are not
// among the best. It is a quarter as large as the rows.
//
// V rows, D width. q is a query and x a row.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "analysis/nearest/screen.h"
#include "analysis/similarity/similarity.h"

namespace phasor::nearest {

/// Columns that are kept as they are: whole numbers of one size for all columns would be coarse
/// where a few columns are much larger than the others.
inline constexpr std::size_t kExact = 4;

/// What is kept of a row beside its codes.
struct SketchRow {
  float scale;
  float gap;     // at least |e|, rounded up; infinite where a number or `length` is not finite
  float length;  // at least |x|: rounded up
  float exact[kExact];  // the numbers of `columns`
};

/// Rounded rows. What is kept of them lies number by number, for lanes of several rows.
///
///   x[n, d] = exact[c][n]                                for d = columns[c]
///   x[n, d] = mean[d] + scales[n] * codes[n, d] + e[d]   for all others, and |e| <= gaps[n]
///
/// Shapes    mean [D]; kept [D]: 0 in `columns`, 1 elsewhere; columns [kExact], -1 for none;
///           scales, gaps, lengths, each of exact [V]; codes [V, D]
struct Sketch {
  std::span<float> mean;
  std::span<float> kept;
  std::span<std::int32_t> columns;
  std::span<float> scales, gaps, lengths;
  std::array<std::span<float>, kExact> exact;
  std::span<std::int8_t> codes;

  /// A sketch in memory.
  ///
  /// Requires  memory [sketch_bytes(V, D)], aligned to 4 bytes
  static Sketch in(std::span<std::uint8_t> memory, std::size_t V, std::size_t D) noexcept;

  /// Some of the rows.
  Sketch part(std::size_t first, std::size_t N) const noexcept;

  /// What is kept of a row.
  SketchRow row(std::size_t n) const noexcept;
};

/// The bytes of a sketch.
std::size_t sketch_bytes(std::size_t V, std::size_t D) noexcept;

/// Rounds rows, and computes their squared lengths.
///
/// The mean is that of at most 1024 evenly spaced rows. The columns that are kept as they are have more
/// than nine times the variance of the others in the mean.
///
/// Shapes    x [V, D], squares [V], as similarity::squares, sketch of V rows
/// Requires  nothing overlaps
/// Accuracy  With y = x - mean in float32 and Y the largest |y|, an e that is computed differs from the
///           true one by at most 2^-22 Y: y, scale * code and their difference are rounded once each.
///           The gap is larger by sqrt(D) of that. Rows of which Y / 127 is below 2^-120 have codes
///           of 0, and a gap of sqrt(D) Y
/// Cost      three passes over a row in the cache; no allocation
void sketch_rows(std::span<const float> x, std::span<double> squares, Sketch sketch) noexcept;

/// Rounds a number of rows less their mean:  codes[d] = round(y[d] / scale).
///
/// Shapes    x, mean, kept, codes [D]
/// Requires  the numbers are finite
/// Returns   the scale and the gap; the rest is 0
/// Accuracy  bit-equal to `sketch_row_scalar`
SketchRow sketch_row(std::span<const float> x, std::span<const float> mean,
                     std::span<const float> kept, std::span<std::int8_t> codes) noexcept;

/// The definition of `sketch_row`: squares of e are added up by d mod 4, then those of the last D mod 16.
SketchRow sketch_row_scalar(std::span<const float> x, std::span<const float> mean,
                            std::span<const float> kept, std::span<std::int8_t> codes) noexcept;

/// Rounds a query to whole numbers for the rows of a sketch. The first sum is
///
///   sum = scale * code_dot + sum over c of exact[c] * rows[n].exact[c]
///
/// Shapes    q [D]; rest [D], workspace; out [D]; exact [kExact]
/// Requires  nothing overlaps
/// Accuracy  With r the q of the columns that are rounded, and slope from `probe_of(r)`, which is at
///           least the length of what r loses by rounding:
///             |unit * sum + r . mean - q . x| <= |r| gap + slope (|x| + |mean| + gap)
///           since |scale * code| <= |x| + |mean| + gap. The slope takes 2^-30 |q| for sums and squares
///           in double, whose relative errors are <= (2 D + 16) * 2^-53
Probe probe_of_sketch(std::span<const double> q, const Sketch& sketch, std::span<double> rest,
                      std::int16_t* out, double* exact) noexcept;

/// The limit for lengths of a sketch:  limit(length) <= limit of the exact |x|.
///
/// Accuracy  a length is at most (1 + 2^-22) |x| + 2^-149, which matters where the slope is positive
Limit rounded(Limit limit) noexcept;

}  // namespace phasor::nearest
