// Similarity: how alike two vectors are, by dot product, cosine or distance.
//
// N rows of a, M rows of b, D width.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::similarity {

/// How two rows are compared. The numbers cross the border.
enum class Metric : std::int32_t {
  kDot = 0,
  kCosine = 1,
  kEuclidean = 2,
};

/// Square the length of every row, in double.
///
///   out[n] = sum over d of rows[n, d]^2
///
/// Shapes    rows [N, D], out [N]
/// Accuracy  `linear::dot` of the row with itself: relative <= D * 2^-53
void squares(std::span<const float> rows, std::size_t D, std::span<double> out) noexcept;

/// The square of a length:  sum over d of q[d]^2.
[[gnu::noinline]] double square(std::span<const double> q) noexcept;

/// Compare one row with many, in double.
///
///   kDot        out[n] = sum over d of q[d] * rows[n, d]
///   kCosine     that / sqrt(sum over d of q[d]^2 * squares[n]);  0 where either row is all zero
///   kEuclidean  out[n] = sum over d of (q[d] - rows[n, d])^2, the square of the distance
///
/// Shapes    q [D], rows [N, D], squares [N] (read for kCosine alone), out [N]
/// Requires  out overlaps nothing
/// Returns   NaN where a number that is needed is NaN, or an infinity makes it so
/// Accuracy  as `linear::dot`: <= D * 2^-53 of the sum of magnitudes. Bit-equal to `compare_scalar`
/// Cost      one pass over rows; no allocation
void compare(std::span<const double> q, std::span<const float> rows,
             std::span<const double> squares, Metric metric, std::span<double> out) noexcept;

/// The definition of `compare`: eight running sums by d mod 8, then the tail.
void compare_scalar(std::span<const double> q, std::span<const float> rows,
                    std::span<const double> squares, Metric metric, std::span<double> out) noexcept;

/// What is shown of such a value: itself, or the root of a squared distance, rounded to float32.
[[gnu::noinline]] float shown(double value, Metric metric) noexcept;

/// Compare row with row.
///
///   out[n] = metric(a[n, :], b[n, :]);  kEuclidean: the distance sqrt(sum of (a - b)^2)
///
/// Shapes    a, b [N, D], workspace [D + 2], out [N]
/// Requires  out and workspace overlap nothing
/// Returns   kOk; kBadShape
/// Accuracy  dot: D * 2^-53 of the sum of |a[d] * b[d]|, cosine: <= 3e-8, distance: relative
///           <= 6e-8; each with its one rounding to float32 (half a ULP)
/// Cost      no allocation
Status rows(std::span<const float> a, std::span<const float> b, std::size_t N, std::size_t D,
            Metric metric, std::span<double> workspace, std::span<float> out) noexcept;

/// Compare every row of one matrix with every row of another.
///
///   out[n, m] = metric(a[n, :], b[m, :])
///
/// Shapes    a [N, D], b [M, D], workspace [D + 2 M], out [N, M]
/// Requires  out and workspace overlap nothing
/// Returns   kOk; kBadShape
/// Accuracy  bit-equal to `rows` of the two
/// Cost      2 N M D flops; no allocation
Status matrix(std::span<const float> a, std::span<const float> b, std::size_t N, std::size_t M,
              std::size_t D, Metric metric, std::span<double> workspace,
              std::span<float> out) noexcept;

}  // namespace phasor::similarity
