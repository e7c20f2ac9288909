// xPos: rotary tables whose queries grow and whose keys shrink with the position, so that a score
// also decays with the distance.
//
// T positions, P pairs of a head's components.
#pragma once
#include <cstddef>
#include <span>

#include "math/phase.h"
#include "math/status.h"

namespace phasor::xpos {

/// The parameters of the scales.
struct Scale {
  double base;    // positions after which a scale is its zeta once more; 512 in the paper
  double gamma;   // 0.4 in the paper
  double center;  // the position of scale 1; it cancels between queries and keys
};

/// The largest |position - center| / base up to which all scales, and their inverses, are normal
/// float32 numbers.
///
///   (1 / zeta_0)^reach = 2^126,  zeta_0 = gamma / (1 + gamma)
///
/// Units     gamma from 1e-6 to 1e6
double reach(double gamma) noexcept;

/// Writes the tables of queries and keys.
///
///   zeta_i         = (i / P + gamma) / (1 + gamma)
///   s[t, i]        = zeta_i^((positions[t] - center) / base)
///   out[t, i]      = s * cos(positions[t] * theta_i),   out[t, P + i]  = s * sin(...)   queries
///   out[t, 2P + i] = 1/s * cos(...),                    out[t, 3P + i] = 1/s * sin(...)  keys
///
/// Shapes    positions [T], workspace of `phase::frequencies`, out [T, 4P]
/// Units     tokens; whole or fractional, negative too, |position| <= 2^31
/// Requires  scale.base >= 1, scale.gamma from 1e-6 to 1e6
/// Returns   kOk; kBadShape; kBadParam for a position beyond the range of angles or scales (nothing
///           written)
/// Accuracy  kExact: the product in double, rounded once: <= 0.501 ULP, values near zero included.
///           torch: zeta, the scale, cosine and sine in float32, and their product
/// Cost      an angle and two exponentials a pair; no allocation
/// Source    Sun et al. 2022, A length-extrapolatable transformer, arXiv:2212.10554, section 3.2
Status table(std::span<const double> positions, std::size_t P, phase::Precision precision,
             Scale scale, std::span<const double> workspace, std::span<float> out) noexcept;

}  // namespace phasor::xpos
