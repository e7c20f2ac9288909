// Rotary position embedding (RoPE): queries and keys are turned, pair by pair,
// by angles proportional to their position, so that their dot product depends
// on the distance alone.
//
// T positions, D width of a row, R <= D rotated width, P = R/2 pairs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/phase.h"
#include "math/status.h"

namespace phasor::rope {

/// Which components form a pair. JavaScript passes the numbers.
enum class Layout : std::int32_t {
  kInterleaved = 0,  // (2i, 2i+1):  [r i r i]   RoFormer, GPT-J, Meta's LLaMA
  kHalves = 1,       // (i, i+P):    [r r i i]   GPT-NeoX, LLaMA in HF
};

/// Writes the cosines and sines of every position.
///
///   out[t * P + i]        = amplitude * cos(positions[t] * theta_i)
///   out[sin + t * P + i]  = amplitude * sin(positions[t] * theta_i)
///
/// Shapes    positions [T], workspace of `phase::frequencies`, out [sin + T * P], sin >= T * P
/// Units     tokens; whole or fractional, negative too, as far as `phase::rows`
/// Returns   kOk; kBadShape; kBadParam for a position out of reach (nothing written)
/// Accuracy  as `phase::rows`, to which it is bit-equal
/// Cost      no allocation
/// Source    Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.2.2
Status table(std::span<const double> positions, std::size_t P, phase::Precision precision,
             double amplitude, std::span<double> workspace, std::span<float> out,
             std::size_t sin) noexcept;

/// Turns the pairs of every row by the angle of its position, in place.
///
///   a  <-  a * cos[t, i]  -  b * sin[t, i]
///   b  <-  b * cos[t, i]  +  a * sin[t, i]        for each pair (a, b) = pair i of row t
///
/// Shapes    x [T, N, D] (N rows share a position), cos and sin [T, P], P = R/2
/// Layout    as `layout`; components R .. D-1 of a row stay as they are
/// Requires  R even, 0 <= R <= D; x overlaps neither table
/// Returns   kOk, or kBadShape with x untouched
/// Accuracy  three float32 roundings a component: error <= 1.7e-7 * length of the pair + 2^-149; `inverse`
///           turns back. Bit-equal to `rotate_scalar`
/// Cost      6 flops a pair; no allocation
/// Source    Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2
Status rotate(std::span<float> x, std::span<const float> cos, std::span<const float> sin,
              std::size_t T, std::size_t N, std::size_t D, std::size_t R, Layout layout,
              bool inverse) noexcept;

/// The definition of `rotate`, one pair at a time.
Status rotate_scalar(std::span<float> x, std::span<const float> cos, std::span<const float> sin,
                     std::size_t T, std::size_t N, std::size_t D, std::size_t R, Layout layout,
                     bool inverse) noexcept;

}  // namespace phasor::rope
