// CoPE: contextual position encoding, whose positions the context counts.
//
// Tq queries, Tk keys, P positions.
#pragma once
#include <cstddef>
#include <span>

#include "math/status.h"

namespace phasor::cope {

/// Writes rows of CoPE's bias: each position is a sum of gates, interpolated between learned
/// positions.
///
///   p_ij = min(sum over l = j .. i of sigmoid(logits[i, l]), P - 1)
///   out[i, j] = (1 - w) positions[i, floor(p)] + w positions[i, ceil(p)],  w = p - floor(p)
///   -inf where j > i;  row `row` is query i = first + row mod Tq
///
/// Shapes    logits [rows, Tk], positions [rows, P], out [rows, Tk];  P >= 1
/// Units     first is an integer; a logit of -inf adds nothing
/// Requires  out is logits itself or overlaps nothing
/// Returns   kOk; kBadShape. A NaN logit makes its key and the keys before it NaN
/// Accuracy  double throughout, rounded once
/// Cost      an exponential a value; no allocation
/// Source    Golovneva et al. 2024, Contextual position encoding, arXiv:2405.18719
Status bias(std::span<const float> logits, std::span<const float> positions, double first,
            std::size_t row, std::size_t Tq, std::size_t Tk, std::size_t P,
            std::span<float> out) noexcept;

}  // namespace phasor::cope
