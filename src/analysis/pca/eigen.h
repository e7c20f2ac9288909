// All eigenvalues and eigenvectors of a symmetric matrix, in double.
#pragma once
#include <cstddef>
#include <span>

#include "math/status.h"

namespace phasor::eigen {

/// Decomposes a symmetric matrix in place.
///
///   A = sum over i of values[i] * v_i v_i^T,  values[0] >= values[1] >= ...
///
/// Householder reflections make A tridiagonal, then rotations with Wilkinson's shift make it
/// diagonal. The rows of the product of all these are the eigenvectors.
///
/// Shapes    matrix [n, n]; it becomes v_0, v_1, ... row by row if `vectors`, and is undefined
///           otherwise; values [n]; workspace [2 n]
/// Requires  matrix symmetric and finite, below 2^480; numbers below 2^-480 may count as 0. Nothing
///           overlaps
/// Returns   kOk; kBadShape; kBadParam if the rotations do not converge, as with NaN
/// Accuracy  values within n * 2^-52 of the largest; v_i . v_j = [i = j] within n * 2^-52
/// Cost      about 2 n^3 flops for the values, 8 n^3 with vectors; no allocation
/// Source    Golub and Van Loan 2013, Matrix computations, 4th edition, algorithms 8.3.1 to 8.3.3
Status symmetric(std::span<double> matrix, std::size_t n, bool vectors, std::span<double> values,
                 std::span<double> workspace) noexcept;

/// Computes the dot product of two rows: four partial sums by j mod 4, (s0 + s2) + (s1 + s3), then
/// the remaining elements.
[[gnu::noinline]] double dot(const double* a, const double* b, std::size_t n) noexcept;

/// Adds a multiple of one row to another:  to += factor * from.
[[gnu::noinline]] void add_scaled(double factor, const double* from, double* to,
                                  std::size_t n) noexcept;

}  // namespace phasor::eigen
