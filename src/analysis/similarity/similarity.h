// Similarity of two vectors: dot product, cosine or distance.
//
// N rows of a, M rows of b, D width.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::similarity {

/// The measure of similarity. The JavaScript module uses the same numbers.
enum class Metric : std::int32_t {
  kDot = 0,
  kCosine = 1,
  kEuclidean = 2,
};

/// Computes the squared length of every row, in double.
///
///   out[n] = sum over d of rows[n, d]^2
///
/// Shapes    rows [N, D], out [N]
/// Accuracy  `linear::dot` of the row with itself: relative <= D * 2^-53
void squares(std::span<const float> rows, std::size_t D, std::span<double> out) noexcept;

/// Computes a squared length:  sum over d of q[d]^2.
[[gnu::noinline]] double square(std::span<const double> q) noexcept;

/// Compares one row with many, in double.
///
///   kDot        out[n] = sum over d of q[d] * rows[n, d]
///   kCosine     out[n] = dot[n] / sqrt(sum over d of q[d]^2 * squares[n]), 0 if a row is all zero
///   kEuclidean  out[n] = sum over d of (q[d] - rows[n, d])^2, the squared distance
///
/// dot[n] is the result of kDot.
///
/// Shapes    q [D], rows [N, D], squares [N] (used for kCosine only), out [N]
/// Requires  own = square(q) (used for kCosine only); out overlaps nothing
/// Returns   NaN if a number is NaN, or if infinities cancel
/// Accuracy  as `linear::dot`: <= D * 2^-53 of the sum of magnitudes. Bit-equal to `compare_scalar`
/// Cost      one pass over rows; no allocation
void compare(std::span<const double> q, double own, std::span<const float> rows,
             std::span<const double> squares, Metric metric, std::span<double> out) noexcept;

/// Defines `compare`: eight partial sums by d mod 8, then the remaining numbers.
void compare_scalar(std::span<const double> q, std::span<const float> rows,
                    std::span<const double> squares, Metric metric, std::span<double> out) noexcept;

/// Converts a result of `compare` to a score: the root of a squared distance, or the value itself,
/// rounded to float32.
[[gnu::noinline]] float shown(double value, Metric metric) noexcept;

/// Compares each row of a with the same row of b.
///
///   out[n] = metric(a[n, :], b[n, :]), for kEuclidean the distance sqrt(sum of (a - b)^2)
///
/// Every sum runs in the order of d.
///
/// Shapes    a, b [N, D], out [N]
/// Requires  out overlaps nothing
/// Returns   kOk; kBadShape
/// Accuracy  with one rounding to float32 (half a ULP):
///             kDot        <= D * 2^-53 of the sum of |a[d] * b[d]|
///             kCosine     <= 3e-8
///             kEuclidean  <= 6e-8 of the distance
/// Cost      no allocation
Status rows(std::span<const float> a, std::span<const float> b, std::size_t N, std::size_t D,
            Metric metric, std::span<float> out) noexcept;

/// The numbers of workspace that `matrix` needs for N rows of a.
std::size_t work(std::size_t N, std::size_t D) noexcept;

/// Compares every row of one matrix with every row of another.
///
///   out[n, m] = metric(a[n, :], b[m, :])
///
/// Shapes    a [N, D], b [M, D], workspace [work(N, D)], out [N, M]
/// Requires  out and workspace overlap nothing
/// Returns   kOk; kBadShape
/// Accuracy  bit-equal to `rows`
/// Cost      2 N M D flops by tiles, half of it where b is a itself; one row or two are compared with
///           eight at a time; no allocation
Status matrix(std::span<const float> a, std::span<const float> b, std::size_t N, std::size_t M,
              std::size_t D, Metric metric, std::span<double> workspace,
              std::span<float> out) noexcept;

/// Dot products or cosines whose products are added up in short blocks of float32.
///
///   out[n, m] = dot(a[n, :], b[m, :]), divided by sqrt(squares_a[n] * squares_b[m]) if these are given
///
/// Shapes    a [N, D], b [M, D], squares_a [N] and squares_b [M] of `squares`, or both empty; out [N, M]
/// Requires  out overlaps nothing
/// Returns   kOk; kBadShape. A cosine is at most 1; with a row of zeros it is 0 or NaN. Infinite or NaN
///           also where a product or a sum of products overflows float32
/// Accuracy  dot products are those of `linear::products_f32`. With B = min(D, 32) a cosine is within
///           (B / 2 + 4) * 2^-24: B / 2 + 2 for the sum, one for the rounding of the dot product, one for
///           its own, and lengths have errors of double; if no product is below float32's normal range
/// Cost      2 N M D flops by tiles, half of it where b is a itself, a root and a division for each cosine; no allocation
Status matrix_f32(std::span<const float> a, std::span<const float> b, std::size_t D,
                  std::span<const double> squares_a, std::span<const double> squares_b,
                  std::span<float> out) noexcept;

}  // namespace phasor::similarity
