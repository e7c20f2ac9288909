// The leading eigenvectors of a covariance without the covariance: block Lanczos.
//
// N rows, D width, b columns of a block (a multiple of 4), m vectors of the basis, k components.
//
// Each pass over the rows multiplies the last b vectors of the basis by A = sum over n of
// (x[n] - mean) (x[n] - mean)^T. What is new in the products becomes the next b vectors. The
// eigenvectors of A within the basis settle on those of A, the leading ones first.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::krylov {

/// The basis and what is known of A within it.
///
/// Shapes    basis [most + b, D], orthonormal rows (or rows of zeros); matrix [most, most]: column
///           j is basis . A . basis[j], its upper half is used; corner [b, b]: what A makes of the
///           last b multiplied vectors, along the b new ones; workspace [most * (most + 3)]
struct Basis {
  std::size_t D, b, most;
  std::span<double> basis, matrix, corner, workspace;
};

/// Rows (or columns) that `multiply` takes at a time.
inline constexpr std::size_t kRows = 4;

/// The number of doubles that `multiply` needs.
constexpr std::size_t workspace_size(std::size_t D, std::size_t b) { return kRows * (D + b); }

/// Subtracts the mean from a row:  out[d] = x[d] - mean[d], in double.
void center(const float* x, std::span<const double> mean, double* out) noexcept;

/// Mixes numbers of every row into a key, so that no data are made for the start that they get.
///
///   key = (key ^ bits of x[n, n mod D]) * 16777619, row after row
///
/// Shapes    x [N, D]
/// Source    Fowler, Noll, Vo: FNV-1a
std::uint32_t mix(std::span<const float> x, std::size_t D, std::uint32_t key) noexcept;

/// Adds uniform numbers of a key, from -share to share, to the first b vectors, and makes these
/// orthonormal. Whatever they were, they then are orthogonal to no eigenvector.
///
/// Returns   kOk; kBadShape
Status start(const Basis& of, std::uint32_t key, double share) noexcept;

/// Copies the b vectors after the first m as `multiply` takes them.
///
///   out[g, d, c] = basis[m + 4 g + c, d]
///
/// Shapes    out [b / 4, D, 4]
/// Returns   kOk; kBadShape
Status last_block(const Basis& of, std::size_t m, std::span<double> out) noexcept;

/// Adds the products of rows with a block.
///
///   out[g, d, c] += sum over n of (x[n, d] - mean[d]) * y[n, g, c]
///   y[n, g, c]    = sum over d of (x[n, d] - mean[d]) * block[g, d, c]
///
/// Shapes    x [N, D], mean [D], block and out [b / 4, D, 4], workspace [workspace_size(D, b)]
/// Requires  nothing overlaps
/// Returns   kOk; kBadShape
/// Accuracy  in double: y in the order of d; four rows at a time, (p0 + p1) + (p2 + p3), the sums of
///           four in the order of n, rows beyond N as zeros. Bit-equal to `multiply_scalar`
/// Cost      4 N D b flops; no allocation
Status multiply(std::span<const float> x, std::size_t N, std::size_t D,
                std::span<const double> mean, std::span<const double> block, std::size_t b,
                std::span<double> workspace, std::span<double> out) noexcept;

/// Defines `multiply`, one number at a time.
Status multiply_scalar(std::span<const float> x, std::size_t N, std::size_t D,
                       std::span<const double> mean, std::span<const double> block, std::size_t b,
                       std::span<double> workspace, std::span<double> out) noexcept;

/// Rows whose products `multiply_f32` adds up in float32.
inline constexpr std::size_t kNarrowRows = 128;

/// The memory of products in float32, from `begin_f32` to `end_f32`.
///
/// Shapes    floats [narrow_floats(D, b)], sums [narrow_sums(D, b)]
struct Narrow {
  std::size_t D, b;
  std::span<float> floats;
  std::span<double> sums;
};

/// The number of floats: rows, a block, its products and a mean, each of a width of whole fours, and
/// shifts.
constexpr std::size_t narrow_floats(std::size_t D, std::size_t b) {
  return (kRows + 2 * b + 1) * ((D + 3) / 4 * 4) + b;
}

/// The number of doubles: the sums of products.
constexpr std::size_t narrow_sums(std::size_t D, std::size_t b) { return b * ((D + 3) / 4 * 4); }

/// Adds the products of rows with a block as `multiply` does, most of the sums in float32: `begin_f32`
/// rounds the mean and the block, `multiply_f32` adds up, tile by tile, and `end_f32` adds the sums to
/// the products and clears them: `multiply_f32` may then go on with other rows.
///
/// With r[n, d] = x[n, d] - m[d] in float32, where m is the mean rounded to float32:
///
///   y[n, c]       = sum over d of r[n, d] * block[c, d] - shift[c]
///   shift[c]      = sum over d of (mean[d] - m[d]) * block[c, d], rounded to float32
///   out[g, d, c] += sum over n of r[n, d] * y[n, g, c]
///
/// Summed over all rows of the mean, what the second r is from x - mean does not count: the y of all
/// rows add up to 0.
///
/// Shapes    x [N, D], mean [D], block [b, D], out [b / 4, D, 4]
/// Requires  nothing overlaps; squares of x - mean and their sums are well within float32
/// Returns   kOk; kBadShape
/// Accuracy  y: in four sums by d mod 4, 128 numbers at a time in float32, all else in double, then
///           rounded to float32; out: four rows at a time, (p0 + p1) + (p2 + p3), kNarrowRows rows of
///           a tile in float32, all else in double, rows beyond N as zeros. The eigenvectors of A that
///           a basis made of such products finds are right within 2^-22 of the largest eigenvalue over
///           the distance to the next (krylov.test.cpp). Bit-equal to `multiply_f32_scalar`
/// Cost      4 N D b flops, twice as many at a time as `multiply`; no allocation
Status begin_f32(const Narrow& of, std::span<const double> mean,
                 std::span<const double> block) noexcept;
Status multiply_f32(const Narrow& of, std::span<const float> x) noexcept;
Status end_f32(const Narrow& of, std::span<double> out) noexcept;

/// Defines the products of one tile, one number at a time.
Status multiply_f32_scalar(std::span<const float> x, std::size_t N, std::size_t D,
                           std::span<const double> mean, std::span<const double> block,
                           std::size_t b, std::span<double> out) noexcept;

/// Adds the sum of all (x[n, d] - mean[d])^2 to a number: the trace of A.
///
/// Shapes    x [N, D], mean [D]
/// Returns   kOk; kBadShape
Status add_trace(std::span<const float> x, std::span<const double> mean, double& trace) noexcept;

/// Extends the basis by what is new in the products of its last b vectors, which `multiply` made.
///
/// A product that has nothing new becomes a vector of zeros.
///
/// Shapes    products [b / 4, D, 4]; m: the vectors so far, at least b and at most `most`
/// Returns   kOk; kBadShape
/// Accuracy  orthonormal within 1e-14: the projections are subtracted twice
/// Cost      8 b m D flops
/// Source    Golub and Underwood 1977, The block Lanczos method for computing eigenvalues; Parlett
///           1998, The symmetric eigenvalue problem, section 6.9: twice is enough
Status extend(const Basis& of, std::size_t m, std::span<const double> products) noexcept;

/// Computes the k largest eigenvalues of A within m vectors, and how far they are from settled.
///
/// An eigenvalue of A is within the length r of the residual of each, and an eigenvector within
/// r / gap, if the next other eigenvalue is `gap` away. r <= settled of the eigenvalue counts as
/// settled.
///
/// Shapes    values [k]; m: the vectors that `extend` was given, k <= m
/// Returns   kOk; kBadShape; kBadParam if rotations do not converge.
///           worst: the largest residual / (settled * value); up to 1 if all have settled
/// Cost      8 m^3 flops
Status ritz(const Basis& of, std::size_t m, double noise, double settled, std::span<double> values,
            double& worst) noexcept;

/// Makes the b leading eigenvectors that `ritz` found last the first of the basis, to begin anew.
///
/// Returns   kOk; kBadShape
Status restart(const Basis& of, std::size_t m) noexcept;

/// Writes the eigenvectors that `ritz` found last.
///
/// Shapes    out [k, D]
/// Returns   kOk; kBadShape
Status assemble(const Basis& of, std::size_t m, std::span<double> out) noexcept;

}  // namespace phasor::krylov
