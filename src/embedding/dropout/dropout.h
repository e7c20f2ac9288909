// Dropout: sets elements that a seed selects to 0 and scales the others so that the expected value
// does not change.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::dropout {

/// Computes elements first, first + 1, ... of a seed's mask.
///
///   out[i] = 1 if w 2^-32 >= p, else 0,  w word n mod 4 of Philox block n / 4,  n = first + i
///   key = seed, counter = (block, 1): not the stream of random weights, (block, 0)
///
/// Shapes    out [N];  N may be 0
/// Requires  0 <= p <= 1
/// Returns   kOk; kBadParam (nothing written). Element n depends on (seed, n) alone
/// Accuracy  the probability of a 0 is p, rounded up to a multiple of 2^-32
/// Cost      ten rounds for four elements; no allocation
/// Source    Srivastava et al. 2014, Dropout, JMLR 15, section 4; Salmon et al. 2011, SC11,
///           section 3.3
Status mask(std::uint64_t seed, std::uint64_t first, double p,
            std::span<std::int32_t> out) noexcept;

/// Drops the elements where the mask is 0 and scales the others, in place.
///
///   x[i]  <-  mask[i] ? x[i] / (1 - p) : 0
///
/// Shapes    x [N], elements first, first + 1, ... of the whole
/// Requires  0 <= p <= 1
/// Returns   kOk; kBadParam (nothing written). A dropped NaN becomes 0, and so does every element with p = 1
/// Accuracy  one rounding from double: <= 0.501 ULP
/// Cost      as `mask`; no allocation
/// Source    Srivastava et al. 2014, section 10: scaled during training, so that evaluation
///           returns x itself
Status apply(std::span<float> x, std::uint64_t seed, std::uint64_t first, double p) noexcept;

}  // namespace phasor::dropout
