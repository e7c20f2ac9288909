// Orthogonal Procrustes: the rotation or reflection of one set of rows that brings it closest to
// another.
//
// N rows, D width.
#pragma once
#include <cstddef>
#include <span>

#include "math/status.h"

namespace phasor::procrustes {

/// Adds the products of the columns of two sets of rows.
///
///   matrix[i, j] += sum over n of x[n, i] * y[n, j]
///
/// Shapes    x, y [N, D], workspace [D], matrix [D, D]
/// Requires  workspace and matrix overlap nothing
/// Returns   kOk; kBadShape
/// Accuracy  in double
/// Cost      2 N D^2 flops; no allocation
Status add_products(std::span<const float> x, std::span<const float> y, std::size_t D,
                    std::span<double> workspace, std::span<double> matrix) noexcept;

/// The number of doubles that `solve` needs besides the matrix.
constexpr std::size_t workspace_size(std::size_t D) { return 2 * D * D + 3 * D; }

/// Computes the orthogonal matrix that is closest to a matrix, in place, and the sum of its
/// singular values.
///
///   M = U S V^T,  R = U V^T,  scale = sum over i of S[i]
///
/// The eigenvectors of M^T M are a first V; rotations of pairs of columns then make the columns of
/// M V orthogonal. Directions beyond the rank are completed.
///
/// Shapes    matrix [D, D]; it becomes R; workspace [workspace_size(D)], its first element becomes
///           the scale
/// Requires  matrix finite, below 2^480
/// Returns   kOk; kBadShape; kBadParam if the rotations do not converge, as with NaN
/// Accuracy  R orthogonal within 1e-13 up to D = 1024; the scale within D * 2^-50 of itself; R
///           within D * 2^-50 times the largest singular value over the sum of the two smallest
/// Cost      about 20 D^3 flops; no allocation
/// Source    Schoenemann 1966, A generalized solution of the orthogonal Procrustes problem;
///           Hestenes 1958, Inversion of matrices by biorthogonalization
Status solve(std::span<double> matrix, std::size_t D, std::span<double> workspace) noexcept;

}  // namespace phasor::procrustes
