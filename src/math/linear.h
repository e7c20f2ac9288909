// Products of rows, accumulated in double: what similarity, attention, projections and tied logits
// share.
//
// T rows of x, N rows of w, D width.
#pragma once
#include <cstddef>
#include <span>

#include "math/status.h"

namespace phasor::linear {

/// Multiplies two rows: sum over d of a[d] * b[d].
///
/// Requires  b as long as a; lengths may be 0
/// Accuracy  every product is exact in double, sums are rounded there: relative to the sum of the
///           |a[d] * b[d]| the error is <= D * 2^-53. Bit-equal to `dot_scalar`
double dot(std::span<const float> a, std::span<const float> b) noexcept;

/// The definition of `dot`: four running sums by d mod 4, then the tail.
double dot_scalar(std::span<const float> a, std::span<const float> b) noexcept;

/// Multiplies every row of one matrix with every row of another.
///
///   out[t, n] = scale * sum over d of x[t, d] * w[n, d]
///
/// Shapes    x [T, D], w [N, D], out [T, N]
/// Requires  out overlaps nothing
/// Returns   kOk; kBadShape
/// Accuracy  `dot`, times the scale in double, rounded once
/// Cost      2 T N D flops; no allocation
Status products(std::span<const float> x, std::span<const float> w, std::size_t T, std::size_t N,
                std::size_t D, double scale, std::span<float> out) noexcept;

/// Mix rows by weights.
///
///   out[t, d] = sum over n of weights[t, n] * rows[n, d], in the order of n
///
/// Shapes    weights [T, N], rows [N, D], out [T, D]
/// Requires  out overlaps nothing
/// Returns   kOk; kBadShape
/// Accuracy  exact products, sums in double, rounded once. Bit-equal to `mix_scalar`
/// Cost      2 T N D flops; no allocation
Status mix(std::span<const float> weights, std::span<const float> rows, std::size_t T,
           std::size_t N, std::size_t D, std::span<float> out) noexcept;

/// The definition of `mix`, one number at a time.
Status mix_scalar(std::span<const float> weights, std::span<const float> rows, std::size_t T,
                  std::size_t N, std::size_t D, std::span<float> out) noexcept;

}  // namespace phasor::linear
