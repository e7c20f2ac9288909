// Rotary tables over more than one axis: the height and width of an image, the time of a video.
// Each column of such a table turns with one axis (axial), or with a mixture of all (mixed).
//
// T positions, A axes, P columns (pairs of a head's components).
#pragma once
#include <cstddef>
#include <span>

#include "math/phase.h"
#include "math/status.h"

namespace phasor::axial_rope {

/// Writes the cosines and sines of one axis, from which the columns of a table are taken.
///
///   out[t, i]     = amplitude * cos(positions[t] * theta_i)
///   out[t, P + i] = amplitude * sin(positions[t] * theta_i)
///
/// Shapes    positions [T], workspace of `phase::frequencies` or `phase::adopt`, out [T, 2P]
/// Units     cells, tokens, ...; whole or fractional, negative too, as far as `phase::rows`
/// Returns   kOk; kBadShape; kBadParam for a position out of reach (nothing written)
/// Accuracy  as `phase::rows`, to which it is bit-equal
/// Cost      no allocation
/// Source    Heo et al. 2024, Rotary position embedding for vision transformer, arXiv:2403.13298,
///           section 3.1
Status table(std::span<const double> positions, std::size_t P, phase::Precision precision,
             double amplitude, std::span<double> workspace, std::span<float> out) noexcept;

/// Doubles that `mixed` works in.
constexpr std::size_t mixed_size(std::size_t P) { return P + phase::workspace_size(1, false); }

/// Writes the cosines and sines of angles that mix all axes.
///
///   phi[t, i]     = sum_a coordinates[t, a] * frequencies[a, i]
///   out[t, i]     = cos phi[t, i]
///   out[t, P + i] = sin phi[t, i]
///
/// Shapes    coordinates [T, A], frequencies [A, P], workspace [mixed_size(P)], out [T, 2P]
/// Units     any, with frequencies in radians per unit; |phi| <= 2^31
/// Requires  out and workspace overlap nothing
/// Returns   kOk; kBadShape; kBadParam for an angle out of reach (earlier rows are written)
/// Accuracy  kExact: phi in double, then as `phase::rows` of that phi; torch: phi in float32 steps
/// Cost      one sine and cosine each; no allocation
/// Source    Heo et al. 2024, arXiv:2403.13298, section 3.2
Status mixed(std::span<const double> coordinates, std::span<const float> frequencies, std::size_t A,
             std::size_t P, phase::Precision precision, std::span<double> workspace,
             std::span<float> out) noexcept;

}  // namespace phasor::axial_rope
