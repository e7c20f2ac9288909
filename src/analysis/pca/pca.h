// Principal component analysis: the directions in which rows of numbers vary most.
//
// N rows, D width, k components. The eigenvectors of the covariance [D, D] are the components. With
// fewer rows than columns, the components are computed from the eigenvectors of the products of
// rows with rows [N, N].
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::pca {

/// Which products are summed. The JavaScript module uses the same numbers.
enum class Side : std::int32_t {
  kColumns = 0,  // every column with every column, summed over rows
  kRows = 1,     // every row with every row, summed over columns
};

/// Adds the columns of x to sums.
///
///   sums[d] += sum over n of x[n, d]
///
/// Shapes    x [N, D], sums [D]
/// Returns   kOk; kBadShape
Status add_columns(std::span<const float> x, std::span<double> sums) noexcept;

/// Adds what columns are from a center, and the squares of all numbers' distances, to sums.
///
///   sums[d] += sum over n of (x[n, d] - center[d])
///   squares += sum over n and d of (x[n, d] - center[d])^2
///
/// Shapes    x [N, D], center and sums [D]
/// Returns   kOk; kBadShape
/// Accuracy  in double
Status add_moments(std::span<const float> x, std::span<const double> center, std::span<double> sums,
                   double& squares) noexcept;

/// The number of doubles that `add_products` needs: the centered numbers of a tile, in panels of
/// four columns (or rows).
constexpr std::size_t workspace_size(std::size_t N, std::size_t D, Side side) {
  return side == Side::kColumns ? (D + 3) / 4 * 4 * N : (N + 3) / 4 * 4 * D;
}

/// Adds products of centered numbers to a matrix.
///
///   kColumns  matrix[i, j] += sum over n of (x[n, i] - mean[i]) (x[n, j] - mean[j])
///   kRows     matrix[i, j] += sum over d of (x[i, d] - mean[d]) (x[j, d] - mean[d])
///
/// Shapes    x [N, D] (a tile of rows, or of columns), mean [D], workspace [workspace_size(N, D)],
///           matrix [n, n], n = D or N; the part below the diagonal is left undefined
/// Requires  nothing overlaps
/// Returns   kOk; kBadShape
/// Accuracy  in double. Bit-equal to `add_products_scalar` above the diagonal
/// Cost      n^2 flops a row (or column); no allocation
Status add_products(std::span<const float> x, std::size_t N, std::size_t D,
                    std::span<const double> mean, Side side, std::span<double> workspace,
                    std::span<double> matrix) noexcept;

/// Defines `add_products`, one element at a time.
Status add_products_scalar(std::span<const float> x, std::size_t N, std::size_t D,
                           std::span<const double> mean, Side side,
                           std::span<double> matrix) noexcept;

/// Decomposes such a matrix into eigenvalues, largest first, and eigenvectors, which replace the
/// matrix.
///
/// Shapes    matrix [n, n], only its upper half is read; values [n]; workspace [2 n]
/// Returns   kOk; kBadShape; kBadParam. Values up to `noise` times the largest are 0
/// Accuracy  as `eigen::symmetric`
Status decompose(std::span<double> matrix, std::size_t n, bool vectors, double noise,
                 std::span<double> values, std::span<double> workspace) noexcept;

/// Computes components from eigenvectors of products of rows.
///
///   out[c, d] += sum over n of weights[c, first + n] * (x[n, d] - mean[d])
///
/// Shapes    x [T, D] rows first .. first + T - 1 of N, weights [k, N], mean and workspace [D],
///           out [k, D]
/// Requires  nothing overlaps
/// Returns   kOk; kBadShape
Status combine(std::span<const float> x, std::size_t first, std::size_t N,
               std::span<const double> mean, std::span<const double> weights,
               std::span<double> workspace, std::span<double> out) noexcept;

/// Makes rows orthonormal.
///
/// The first `known` rows have a direction. Each other row gets a direction orthogonal to all rows
/// before it, starting from the axis that is furthest from these.
///
/// Shapes    rows [k, D], workspace [D];  k <= D
/// Requires  the known rows are not zero and nearly orthogonal
/// Returns   kOk; kBadShape
/// Accuracy  orthonormal within 1e-14
/// Cost      4 k^2 D flops; no allocation
Status orthonormalize(std::span<double> rows, std::size_t D, std::size_t known,
                      std::span<double> workspace) noexcept;

/// Makes components orthonormal, as `orthonormalize`, and fixes their signs: the loading of largest
/// magnitude is positive; of those equal in float32, the first.
Status finish(std::span<double> components, std::size_t D, std::size_t known,
              std::span<double> workspace) noexcept;

/// Projects rows on components.
///
///   out[n, c] = sum over d of (x[n, d] - mean[d]) * components[c, d]
///
/// Shapes    x [N, D], mean [D], components [k, D], out [N, k]
/// Requires  nothing overlaps
/// Returns   kOk; kBadShape
/// Accuracy  in double, each sum as `eigen::dot`, rounded once
Status project(std::span<const float> x, std::span<const double> mean,
               std::span<const double> components, std::span<float> out) noexcept;

}  // namespace phasor::pca
