// Eigenvalues and eigenvectors of a symmetric matrix, all of them, in double.
#pragma once
#include <cstddef>
#include <span>

#include "math/status.h"

namespace phasor::eigen {

/// Decompose a symmetric matrix in place.
///
///   A = sum over i of values[i] * v_i v_i^T,  values[0] >= values[1] >= ...
///
/// Householder reflections make A tridiagonal, then rotations with Wilkinson's shift make that
/// diagonal; their product, row by row, is the eigenvectors.
///
/// Shapes    matrix [n, n] as n * n, becomes v_0, v_1, ... row by row if `vectors`, and is lost
///           otherwise; values [n]; workspace [2 n]
/// Requires  matrix symmetric and finite, below 2^480; what is below 2^-480 may count as 0. Nothing
///           overlaps
/// Returns   kOk; kBadShape; kBadParam if rotations do not end, as with NaN
/// Accuracy  values within n * 2^-52 of the largest; v_i . v_j = [i = j] within n * 2^-52
/// Cost      about 2 n^3 flops for the values, 8 n^3 with vectors; no allocation
/// Source    Golub and Van Loan 2013, Matrix computations, 4th edition, algorithms 8.3.1 to 8.3.3
Status symmetric(std::span<double> matrix, std::size_t n, bool vectors, std::span<double> values,
                 std::span<double> workspace) noexcept;

/// Multiply two rows: four running sums by j mod 4, (s0 + s2) + (s1 + s3), then the tail.
[[gnu::noinline]] double dot(const double* a, const double* b, std::size_t n) noexcept;

/// Add a multiple of one row to another:  to += factor * from.
[[gnu::noinline]] void add_scaled(double factor, const double* from, double* to,
                                  std::size_t n) noexcept;

}  // namespace phasor::eigen
