// Learned positions stretched or shrunk to another length or grid.
//
// H rows and W columns of a grid, D width of an entry; H', W' of the new grid. A line is W = 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::learned_positions {

/// The interpolation kernel. JavaScript passes the numbers.
enum class Method : std::int32_t {
  kLinear = 0,
  kCubic = 1,  // Keys' kernel with coefficient a
};

/// Where the new entries lie among the old, and what happens beyond the last. The numbers cross.
enum class Sampling : std::int32_t {
  kHalfPixel = 0,    // x = (i + 1/2) N / N' - 1/2; beyond the edge the last entry goes on
  kCorners = 1,      // x = i (N - 1) / (N' - 1): ends on ends
  kAntialiased = 2,  // x as kHalfPixel, s divided by N / N' where that shrinks; beyond the edge is
                     // nothing, and the weights are made to sum to 1 (Pillow's way)
};

/// Doubles that `resize` works in.
constexpr std::size_t workspace_size(std::size_t H, std::size_t W, std::size_t D) {
  return H + W + D;
}

/// Makes some entries of a resized grid.
///
///   out[k, :] = sum over y, x of u(Y - y) u(X - x) in[y, x, :],  (Y, X) where entry first + k lies
///   kLinear   u(s) = 1 - |s|                                 for |s| < 1, else 0
///   kCubic    u(s) = (a+2)|s|^3 - (a+3)|s|^2 + 1             for |s| < 1
///                    a|s|^3 - 5a|s|^2 + 8a|s| - 4a           for 1 <= |s| < 2, else 0
///
/// A scale that is not 0 says by how much an axis grows, in place of N' / N: x = (i + 1/2) / scale - 1/2.
///
/// Shapes    in [H, W, D], out [n, D]: entries first .. first + n - 1 of [H', W', D], row by row;
///           workspace [workspace_size(H, W, D)]
/// Requires  all sizes > 0; out and workspace overlap nothing; scales >= 0, N' <= N scale, none with
///           kCorners
/// Returns   kOk; kBadShape; kBadParam for a that is not finite (nothing written)
/// Accuracy  weights and sums in double, rounded once: error <= 2^-24 |out| + 2^-33 of the sum of
///           the |terms|. An entry on an old one is that one to the bit, unless it is antialiased
///           and shrunk
/// Cost      16 D multiplications an entry for kCubic, 4 D for kLinear, more where antialiasing
///           widens the kernel; no allocation
/// Source    Keys 1981, Cubic convolution interpolation for digital image processing, IEEE ASSP 29
///           (a = -1/2 is his)
Status resize(std::span<const float> in, std::size_t H, std::size_t W, std::size_t D,
              std::size_t new_H, std::size_t new_W, Method method, Sampling sampling, double a,
              std::size_t first, std::span<double> workspace, std::span<float> out,
              double scale_H = 0, double scale_W = 0) noexcept;

}  // namespace phasor::learned_positions
