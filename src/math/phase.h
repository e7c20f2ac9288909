// Phases: the frequencies theta_i = base^(-i/n) and the sines and cosines of
// position * theta_i, which sinusoidal tables and rotary embeddings share.
//
// P pairs (frequencies), T positions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::phase {

/// How frequencies and angles are computed. JavaScript passes the numbers.
enum class Precision : std::int32_t {
  kExact = 0,     // the formula itself, rounded once
  kTorchExp = 1,  // float32 steps of the textbooks: exp(i * (-ln(base) / n))
  kTorchPow = 2,  // float32 steps of HF rotary:     1 / base^(i / n)
};

/// Largest angle in radians. Positions go twice as far, at frequencies up to 1/2.
inline constexpr double kReach = 2147483648.0;  // 2^31

/// Sine and cosine of float32 angles.
///
/// Shapes    angles, sin, cos [N]
/// Units     radians, |angle| <= 2^31
/// Requires  sin and cos overlap neither each other nor angles
/// Returns   kOk; kBadShape; kBadParam for an angle beyond 2^31 or NaN (nothing written)
/// Accuracy  <= 0.51 ULP; bit-equal to `sin_cos_scalar`
/// Cost      about 40 double operations per angle; no allocation
/// Source    Cody and Waite 1980, Software manual for the elementary functions, chapter 8
Status sin_cos(std::span<const float> angles, std::span<float> sin, std::span<float> cos) noexcept;

/// The definition of `sin_cos`, one angle at a time.
Status sin_cos_scalar(std::span<const float> angles, std::span<float> sin,
                      std::span<float> cos) noexcept;

/// What `rows` works with, as one run of doubles: the frequencies, the sines and
/// cosines of an anchor and of the step from it to a position, and those of all
/// steps and some anchors, which are computed when they are first needed and kept.
///
///   [ hi P | lo P | rest P | anchor 2P | step 2P ], and optionally
///   [ anchors 2P * kAnchors | steps 2P * kSteps | keys kAnchors + kSteps + 1 ]
///
/// Whole positions are taken from the nearest multiple of 2 * kHalfBlock, up to kHalfBlock away.
/// A row is there if its key is its position. The last key is the amplitude of the anchors.
inline constexpr std::size_t kHalfBlock = 32;
inline constexpr std::size_t kSteps = kHalfBlock + 1;
inline constexpr std::size_t kAnchors = 64;
inline constexpr std::size_t kKeys = kSteps + kAnchors + 1;

/// Doubles a workspace needs.
constexpr std::size_t workspace_size(std::size_t P, bool keeps) {
  return P * 7 + (keeps ? P * 2 * (kSteps + kAnchors) + kKeys : 0);
}

/// Fills a workspace with the frequencies of a geometric spectrum.
///
///   theta_i = base^(-i / n),  i = 0 .. P-1
///
/// Shapes    workspace [workspace_size(P, ...)]
/// Units     radians per token; base >= 1, n > 0
/// Returns   kOk, kBadShape, kBadParam
/// Accuracy  kExact: hi + lo within 2^-84 relative; torch: float32, within 2 ULP of PyTorch's
/// Cost      a double-double exp every 64 frequencies, one product each
/// Source    Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762, section 3.5
Status frequencies(double base, double n, Precision precision, std::size_t P,
                   std::span<double> workspace) noexcept;

/// Fills a workspace with frequencies that a formula gave: scaled ones, bands, learned ones.
///
///   theta_i            for |position| <= 2^20
///   theta_i + rest_i   beyond, where the rounding of a double would show in a float32
///
/// Shapes    theta and rest [P], workspace [workspace_size(P, ...)], apart from each other
/// Units     radians per token, |theta_i| <= 1: larger ones go into the positions, as a power of 2
/// Requires  |rest_i| far below |theta_i|; 0 where theta_i is the frequency itself
/// Returns   kOk; kBadShape; kBadParam for a frequency out of range or NaN (nothing written)
/// Accuracy  2^-84 relative for what is given; torch rows take theta as the float32 values it is
Status adopt(std::span<const double> theta, std::span<const double> rest,
             std::span<double> workspace) noexcept;

/// The frequencies of a workspace as float32, rounded once.
Status read_frequencies(std::span<const double> workspace, std::span<float> out) noexcept;

/// Where `rows` writes: the sine of pair i of row t at out[t * row + sin + i * step],
/// its cosine at out[t * row + cos + i * step] for i < cosines.
struct Columns {
  std::size_t sin;
  std::size_t cos;
  std::size_t step;
  std::size_t row;
  std::size_t cosines;
};

/// Sines and cosines of every position at every frequency, times an amplitude.
///
///   out[t, sin column i] = amplitude * sin(positions[t] * theta_i)
///   out[t, cos column i] = amplitude * cos(positions[t] * theta_i)
///
/// Shapes    positions [T], workspace from `frequencies`, out as `columns` says
/// Units     tokens; whole or fractional, negative too, |position| <= 2^32 and
///           |position * theta_i| <= 2^31
/// Requires  |theta_i| <= 1; amplitude finite and not 0; out overlaps nothing
/// Returns   kOk; kBadShape; kBadParam for a position out of reach (nothing written)
/// Accuracy  kExact: <= 0.501 ULP for |position| <= 2^20, values near zero included, and an
///           absolute error <= 2.99e-8 times the next power of 2 of amplitude up to 2^31; a value
///           depends on (position, theta) alone, never on its neighbors. torch: <= 0.51 ULP of
///           the sine or cosine of PyTorch's float32 angle. Bit-equal to `rows_scalar`
/// Cost      whole positions: one angle addition in double each, from anchors and steps made by
///           direct evaluation, two rows at a time where both sides of an anchor are wanted. A
///           workspace that keeps them has the anchors of kAnchors consecutive multiples at once.
///           Fractional positions are evaluated directly
Status rows(std::span<const double> positions, Precision precision, std::size_t P, double amplitude,
            std::span<double> workspace, std::span<float> out, Columns columns) noexcept;

/// The definition of `rows`, one value at a time.
Status rows_scalar(std::span<const double> positions, Precision precision, std::size_t P,
                   double amplitude, std::span<const double> workspace, std::span<float> out,
                   Columns columns) noexcept;

}  // namespace phasor::phase
