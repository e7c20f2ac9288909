// __TITLE__: FILL IN what it is, in one sentence.
//
// T positions, D width.
#pragma once
#include <cstddef>
#include <span>

#include "math/status.h"

namespace phasor::__NAME__ {

/// FILL IN: verb, what, and whether in place.
///
///   out[t, d] = FILL IN of position first + t, in indices, as the paper has it
///
/// Shapes    out [T, D], row-major f32
/// Returns   kOk; kBadShape
/// Accuracy  bit-equal to `table_scalar`
/// Cost      no allocation
/// Source    FILL IN author year, title, arXiv number, section
Status table(std::size_t first, std::size_t T, std::size_t D, std::span<float> out) noexcept;

/// The definition of `table`, one value at a time.
Status table_scalar(std::size_t first, std::size_t T, std::size_t D,
                    std::span<float> out) noexcept;

}  // namespace phasor::__NAME__
