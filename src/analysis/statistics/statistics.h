// Statistics of a set of vectors: their lengths, the similarity of their directions, and their
// effective rank.
//
// N rows, D width.
#pragma once
#include <cstddef>
#include <span>

#include "math/status.h"

namespace phasor::statistics {

/// Computes the length of every row.
///
///   out[n] = sqrt(sum over d of x[n, d]^2)
///
/// Shapes    x [N, D], out [N]
/// Requires  out overlaps nothing
/// Returns   kOk; kBadShape
/// Accuracy  <= 0.501 ULP
Status norms(std::span<const float> x, std::size_t N, std::size_t D, std::span<float> out) noexcept;

/// Computes the length of every row in double, and adds the rows divided by their lengths.
///
///   lengths[n] = sqrt(sum over d of x[n, d]^2)
///   direction[d] += x[n, d] / lengths[n]    for rows of finite length > 0
///
/// Shapes    x [N, D], lengths [N], direction [D]
/// Requires  nothing overlaps
/// Returns   kOk; kBadShape
/// Accuracy  in double
Status measure(std::span<const float> x, std::size_t N, std::size_t D, std::span<double> lengths,
               std::span<double> direction) noexcept;

/// Computes the effective rank.
///
///   e^H,  H = -sum over i of p_i ln p_i,  p_i = s_i / sum over j of s_j
///
/// Shapes    singular [n]: singular values s_i >= 0 and finite
/// Returns   from 1 (one direction) to n (all values equal); 0 if all are 0
/// Accuracy  relative <= 1e-12
/// Source    Roy and Vetterli 2007, The effective rank: a measure of effective dimensionality
///           (EUSIPCO), section 2
double effective_rank(std::span<const double> singular) noexcept;

}  // namespace phasor::statistics
