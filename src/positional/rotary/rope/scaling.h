// Frequencies for contexts longer than the one a model was trained on, as HF transformers scales
// them.
//
// R rotated width, P = R/2 pairs, s factor, L original length; theta_i = base^(-2i/R).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/phase.h"
#include "math/status.h"

namespace phasor::rope {

/// How frequencies are scaled. JavaScript passes the numbers; beside each are its options, in
/// this order, after the length of the sequence.
enum class Scaling : std::int32_t {
  kLinear = 0,        // factor
  kDynamic = 1,       // factor, max length
  kNtk = 2,           // alpha
  kYarn = 3,          // factor, original length, beta fast, beta slow, truncate (0 or 1),
                      //   mscale, mscale of all dims, attention factor (each 0 if not given),
                      //   ramp over turns (0 or 1), which ignores truncate
  kLongrope = 4,      // original length, factor, attention factor (0 if not given), short factors
                      //   [P], long factors [P]
  kLlama3 = 5,        // factor, low and high frequency factor, original length
  kProportional = 6,  // factor, partial rotary factor
};

/// The pairs between which YaRN goes over from keeping to dividing.
struct Range {
  double low;
  double high;
};

/// Find YaRN's range: the pairs that make `beta_fast` and `beta_slow` turns in L positions.
///
///   pair(turns) = R ln(L / (2 pi turns)) / (2 ln base)
///   low = pair(beta_fast),  high = pair(beta_slow),  floor and ceil of them if `truncate`;
///   low >= 0,  high <= R - 1,  high 0.001 more if they are equal
///
/// Requires  base > 1, L > 0, betas > 0
/// Source    Peng et al. 2023, YaRN, arXiv:2309.00071, section 3.2; HF for R - 1 and 0.001
Range yarn_range(std::size_t P, double base, double L, double beta_fast, double beta_slow,
                 bool truncate) noexcept;

/// Writes scaled frequencies, and the factors that belong to them.
///
///   linear        theta_i / s
///   dynamic       base' = base (s n / M - (s - 1))^(R/(R-2)),  n = max(length, M), M max length
///   ntk           base' = base alpha^(R/(R-2))
///   yarn          theta_i / s * ramp_i + theta_i (1 - ramp_i),
///                 ramp_i = (i - low) / (high - low) within 0 and 1; over turns
///                 ramp_i = 1 - (r - beta slow) / (beta fast - beta slow) within 0 and 1,
///                 r = L theta_i / 2 pi
///   longrope      theta_i / short_i, or theta_i / long_i if length > L
///   llama3        theta_i where the wavelength v = 2 pi / theta_i < L / high, theta_i / s where
///                 v > L / low, else (1 - t) theta_i / s + t theta_i, t = (L/v - low)/(high - low)
///   proportional  theta_i / s for i < floor(partial P), else 0
///
///   factors[0]    of cosines and sines: yarn g(s, mscale) / g(s, mscale of all dims) if both are
///                 given, else g(s, 1), g(s, m) = 0.1 m ln s + 1; longrope sqrt(1 + ln s / ln L);
///                 the one given wins; else 1
///   factors[1]    of the softmax's scale: g(s, mscale of all dims)^2 if it is given, else 1
///
/// A frequency is theta[i] + rest[i]: the double that float32 steps or a formula in double give,
/// and what that leaves of the formula in double-double (0 for torch).
///
/// Shapes    options as `Scaling` says, workspace of `phase::frequencies`, theta and rest [P],
///           factors [2]
/// Units     radians per token
/// Requires  s, alpha, base >= 1, for yarn over the index base > 1, over turns beta slow < beta
///           fast; P > 1 for dynamic and ntk; longrope's factors > 0, L > 1; low <= high
/// Returns   kOk; kBadShape; kBadParam where base' is infinite or a factor is beyond float32
///           (results untouched)
/// Accuracy  kExact: theta + rest relative <= 2^-80, theta alone absolute <= 4e-16. torch: HF's
///           float32 steps in HF's order, where a Python float is double: within 5 ULP, of the
///           unscaled frequency, of PyTorch's, whose powers are an ULP off; yarn over turns, which
///           HF does not have, takes the steps of llama3
/// Cost      `phase::frequencies`, some 300 operations a pair; no allocation
/// Source    HF transformers, modeling_rope_utils.py; Chen et al. 2023, Position interpolation,
///           arXiv:2306.15595 (linear); Peng et al. 2023, YaRN, arXiv:2309.00071; Ding et al. 2024,
///           LongRoPE, arXiv:2402.13753; Llama 3.1's reference code (llama3)
Status scaled_frequencies(Scaling scaling, std::span<const double> options, double base,
                          phase::Precision precision, std::span<double> workspace,
                          std::span<double> theta, std::span<double> rest,
                          std::span<double, 2> factors) noexcept;

}  // namespace phasor::rope
