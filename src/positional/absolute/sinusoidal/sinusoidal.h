// Sinusoidal position encoding: each position as sines and cosines of
// geometrically falling frequencies.
//
// T positions, D width, P = ceil(D/2) or floor(D/2) frequencies (see `pairs`).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/phase.h"
#include "math/status.h"

namespace phasor::sinusoidal {

/// The columns of sines (s) and cosines (c). JavaScript passes the numbers.
enum class Layout : std::int32_t {
  kInterleaved = 0,  // [s0 c0 s1 c1 ...]   Vaswani et al. 2017
  kHalves = 1,       // [s0 s1 ... c0 c1 ...]   tensor2tensor, fairseq
  kFlipped = 2,      // [c0 c1 ... s0 s1 ...]   FLUX, guided diffusion
};

/// The last column of an odd width. JavaScript passes the numbers.
enum class Odd : std::int32_t {
  kSineLast = 0,  // one more sine than cosines
  kZeroLast = 1,  // a column of zeros
};

/// How many frequencies a row of width D has.
constexpr std::size_t pairs(std::size_t D, Odd odd) {
  return odd == Odd::kSineLast ? (D + 1) / 2 : D / 2;
}

/// Writes the encoding of every position.
///
///   out[t, sine column i]   = amplitude * sin(positions[t] * theta_i)
///   out[t, cosine column i] = amplitude * cos(positions[t] * theta_i)
///
/// Shapes    positions [T], workspace of `phase::frequencies` for P = pairs(D, odd), out [T, D]
/// Layout    as `layout`; odd D as `odd`
/// Units     tokens; whole or fractional, negative too, as far as `phase::rows`
/// Requires  amplitude finite and not 0
/// Returns   kOk; kBadShape; kBadParam for a position out of reach (nothing written)
/// Accuracy  as `phase::rows`; bit-equal to `table_scalar`
/// Cost      no allocation
/// Source    Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762, section 3.5
Status table(std::span<const double> positions, std::size_t D, Layout layout, Odd odd,
             phase::Precision precision, double amplitude, std::span<double> workspace,
             std::span<float> out) noexcept;

/// The definition of `table`, one value at a time.
Status table_scalar(std::span<const double> positions, std::size_t D, Layout layout, Odd odd,
                    phase::Precision precision, double amplitude, std::span<const double> workspace,
                    std::span<float> out) noexcept;

}  // namespace phasor::sinusoidal
