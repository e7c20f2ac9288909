// Dropout: some elements, chosen by a seed, become 0, and the others grow so that the mean stays.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::dropout {

/// Say which elements stay: first, first + 1, ... of a seed's mask.
///
///   out[i] = 1 if w 2^-32 >= p, else 0,  w word n mod 4 of Philox block n / 4,  n = first + i;
///   key = seed, counter = (block, 1): another stream than random weights have, (block, 0)
///
/// Shapes    out [N];  N may be 0
/// Requires  0 <= p < 1
/// Returns   kOk; kBadParam (nothing written). Element n depends on (seed, n) alone
/// Accuracy  the share of zeros is p, rounded up to a multiple of 2^-32
/// Cost      ten rounds for four elements; no allocation
/// Source    Srivastava et al. 2014, Dropout, JMLR 15, section 4; Salmon et al. 2011, SC11,
///           section 3.3
Status mask(std::uint64_t seed, std::uint64_t first, double p,
            std::span<std::int32_t> out) noexcept;

/// Drop the elements that the mask leaves out and enlarge the others, in place.
///
///   x[i]  <-  mask[i] ? x[i] / (1 - p) : 0
///
/// Shapes    x [N], elements first, first + 1, ... of the whole
/// Requires  0 <= p < 1
/// Returns   kOk; kBadParam (nothing written). What is dropped is 0 even where it was NaN
/// Accuracy  one rounding from double: <= 0.501 ULP
/// Cost      as `mask`; no allocation
/// Source    Srivastava et al. 2014, section 10: scaled in training, so that evaluation is x itself
Status apply(std::span<float> x, std::uint64_t seed, std::uint64_t first, double p) noexcept;

}  // namespace phasor::dropout
