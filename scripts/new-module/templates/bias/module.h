// __TITLE__: FILL IN what it is, in one sentence.
//
// H heads, N relative positions.
#pragma once
#include <cstddef>
#include <span>

#include "math/status.h"

namespace phasor::__NAME__ {

/// Write the biases of some heads for a run of relative positions, head after head.
///
///   out[k, n] = FILL IN of the distance |r| with r = first + n, for head h = head + k of H
///   causal: -inf where r > 0
///
/// Shapes    out [rows, N], row-major f32; head + rows <= H
/// Units     first is an integer, |r| <= 2^31
/// Returns   kOk; kBadShape
/// Accuracy  FILL IN; in double, rounded once
/// Cost      no allocation
/// Source    FILL IN author year, title, arXiv number, section
Status line(std::size_t head, std::size_t rows, std::size_t H, double first, double scale,
            bool causal, std::span<float> out) noexcept;

}  // namespace phasor::__NAME__
