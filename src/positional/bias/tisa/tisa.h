// TISA: a sum of Gaussian kernels of the relative position, learned for each head.
//
// H heads, S kernels a head, N relative positions.
#pragma once
#include <cstddef>
#include <span>

#include "math/status.h"

namespace phasor::tisa {

/// Write TISA's positional scores for a run of relative positions r = key - query.
///
///   out[h, k] = sum over s of a[h, s] exp(-|b[h, s]| (r - c[h, s])^2),  r = first + k
///   causal: -inf where r > 0
///
/// Shapes    a, b, c [H, S], out [H, N];  S > 0, H or N may be 0
/// Units     first is an integer, |r| <= 2^31; a, b, c within float32
/// Requires  out does not overlap a, b or c
/// Returns   kOk; kBadShape
/// Accuracy  <= 0.501 ULP where a head's a have one sign: an exponent that leaves a float32 is above
///           -193, so each term has a relative error of at most 2^-42. Sums are in double, rounded
///           once; where terms cancel, the error is at most 2^-42 of the sum of their sizes
/// Cost      S exponentials a value; no allocation
/// Source    Wennberg and Henter 2021, The case for translation-invariant self-attention in
///           transformer-based language models, arXiv:2106.01950
Status line(std::span<const double> a, std::span<const double> b, std::span<const double> c,
            std::size_t S, double first, bool causal, std::span<float> out) noexcept;

}  // namespace phasor::tisa
