// Attention with linear biases (ALiBi): each head adds to its logits a penalty that grows with the
// distance between query and key by its slope.
//
// H heads, N relative positions.
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

/// How a bias depends on the distance. JavaScript passes the numbers.
enum class Form : std::int32_t {
  kLinear = 0,     // slope * r, positive for keys ahead
  kSymmetric = 1,  // -slope * |r|
  kCausal = 2,     // slope * r, and -inf for r > 0
};

/// Writes the biases of a run of relative positions r = key - query.
///
///   out[h, k] = the form's value at slopes[h] and r = first + k
///
/// Shapes    slopes [H], out [H, N];  H or N may be 0
/// Units     first whole, |r| <= 2^31; slopes finite
/// Requires  out apart from slopes
/// Returns   kOk; kBadShape
/// Accuracy  the product of the float slope and r, correctly rounded for |r| <= 2^29; zero is +0.
///           kBfloat16 and kFloat16 round slope, r and product each, as half-width tensors do
/// Cost      one product each; no allocation
Status line(std::span<const float> slopes, double first, Form form, half::Dtype dtype,
            std::span<float> out) noexcept;

}  // namespace phasor::alibi
