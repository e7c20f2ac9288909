// Sandwich: the inner product of sinusoidal encodings as a bias.
//
// H heads, N relative positions, P frequencies.
#pragma once
#include <cstddef>
#include <span>

#include "math/status.h"

namespace phasor::sandwich {

/// Write Sandwich's biases for a run of relative positions, the heads of a position side by side.
///
///   out[k, h] = (sum over i = 1 .. P of cos(r base^(-i/P)) - P) H / (8 (h + 1)),  r = first + k
///             = -2 sum of sin^2(r base^(-i/P) / 2) H / (8 (h + 1)): nothing cancels
///   causal: -inf where r > 0
///
/// Shapes    out [N, H], workspace [P];  P = half of the width
/// Units     first is an integer, |r| <= 2^31; base >= 1
/// Requires  out does not overlap workspace
/// Returns   kOk; kBadShape; kBadParam (nothing written)
/// Accuracy  <= 0.501 ULP for |r| <= 4096 and base 10000. Each angle has a relative error of at
///           most 2^-51 (1 + ln base); the rest is in double, rounded once
/// Cost      P sines for each relative position; no allocation
/// Source    Chi et al. 2022, Dissecting transformer length extrapolation via the lens of
///           receptive field analysis, arXiv:2212.10356
Status line(double first, std::size_t H, double base, bool causal, std::span<double> workspace,
            std::span<float> out) noexcept;

}  // namespace phasor::sandwich
