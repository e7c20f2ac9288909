// Principal component analysis: the directions in which rows of numbers vary most.
//
// N rows, D width, k components. The eigenvectors of the covariance [D, D] are the components; with
// fewer rows than columns, those of the products of rows with rows [N, N] lead to them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::pca {

/// What is multiplied with what. The numbers cross the border.
enum class Side : std::int32_t {
  kColumns = 0,  // every column with every column, summed over rows
  kRows = 1,     // every row with every row, summed over columns
};

/// Add up columns:  sums[d] += sum over n of x[n, d].
///
/// Shapes    x [N, D], sums [D]
/// Returns   kOk; kBadShape
Status add_columns(std::span<const float> x, std::span<double> sums) noexcept;

/// Doubles that `add_products` works in: centred numbers of a tile, four columns (or rows) a panel.
constexpr std::size_t workspace_size(std::size_t N, std::size_t D, Side side) {
  return side == Side::kColumns ? (D + 3) / 4 * 4 * N : (N + 3) / 4 * 4 * D;
}

/// Add products of centred numbers to a matrix.
///
///   kColumns  matrix[i, j] += sum over n of (x[n, i] - mean[i]) (x[n, j] - mean[j])
///   kRows     matrix[i, j] += sum over d of (x[i, d] - mean[d]) (x[j, d] - mean[d])
///
/// Shapes    x [N, D] (a tile of rows, or of columns), mean [D], workspace [workspace_size(N, D)],
///           matrix [n, n], n = D or N; what is below the diagonal is left undefined
/// Requires  nothing overlaps
/// Returns   kOk; kBadShape
/// Accuracy  in double. Bit-equal to `add_products_scalar` above the diagonal
/// Cost      n^2 flops a row (or column); no allocation
Status add_products(std::span<const float> x, std::size_t N, std::size_t D,
                    std::span<const double> mean, Side side, std::span<double> workspace,
                    std::span<double> matrix) noexcept;

/// The definition of `add_products`, one element at a time.
Status add_products_scalar(std::span<const float> x, std::size_t N, std::size_t D,
                           std::span<const double> mean, Side side,
                           std::span<double> matrix) noexcept;

/// Decompose such a matrix: eigenvalues, largest first, and the eigenvectors in its place.
///
/// Shapes    matrix [n, n] of which the upper half is read; values [n]; workspace [2 n]
/// Returns   kOk; kBadShape; kBadParam. Values up to `noise` times the largest are 0
/// Accuracy  as `eigen::symmetric`
Status decompose(std::span<double> matrix, std::size_t n, bool vectors, double noise,
                 std::span<double> values, std::span<double> workspace) noexcept;

/// Lead eigenvectors of products of rows back to columns.
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

/// Make rows components: of length 1, at right angles, and with a fixed sign.
///
/// The first `known` rows have a direction; the others are filled with directions at right angles
/// to all before them, each from the axis that is furthest from these. The loading of largest
/// magnitude is positive; of those equal in float32, the first.
///
/// Shapes    components [k, D], workspace [D];  k <= D
/// Requires  known rows not zero and nearly orthogonal
/// Returns   kOk; kBadShape
/// Accuracy  orthonormal within 1e-14
/// Cost      4 k^2 D flops; no allocation
Status finish(std::span<double> components, std::size_t D, std::size_t known,
              std::span<double> workspace) noexcept;

/// Project rows on components.
///
///   out[n, c] = sum over d of (x[n, d] - mean[d]) * components[c, d]
///
/// Shapes    x [N, D], mean [D], components [k, D], workspace [D], out [N, k]
/// Requires  nothing overlaps
/// Returns   kOk; kBadShape
/// Accuracy  in double, rounded once
Status project(std::span<const float> x, std::span<const double> mean,
               std::span<const double> components, std::span<double> workspace,
               std::span<float> out) noexcept;

}  // namespace phasor::pca
