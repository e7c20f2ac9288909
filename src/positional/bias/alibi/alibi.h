// Attention with linear biases (ALiBi): each head adds to its logits a penalty that grows with the
// distance between query and key by its slope.
//
// H heads.
#pragma once
#include <cstdint>
#include <span>

#include "math/half.h"
#include "math/status.h"

namespace phasor::alibi {

/// Writes the slope of every head.
///
///   m = the largest power of two <= H
///   out[h] = 2^(-bias_max (h + 1) / m)            for h < m,
///            2^(-bias_max (2 (h - m) + 1) / 2m)   for the rest: every second slope of 2m heads
///
/// Shapes    out [H], H >= 1
/// Units     0 < bias_max <= 126, so that every slope is a normal float
/// Returns   kOk; kBadShape; kBadParam for a bias_max out of range (nothing written)
/// Accuracy  correctly rounded: the power is known to 2^-96. kBfloat16 and kFloat16 round that
///           float once more
/// Cost      a double-double exp a head; no allocation
/// Source    Press, Smith, Lewis 2022, Train short, test long, arXiv:2108.12409, section 3 and
///           the authors' get_slopes for H that is no power of two
Status slopes(double bias_max, half::Dtype dtype, std::span<float> out) noexcept;

}  // namespace phasor::alibi
