// Rounding errors of number formats: sines and cosines of positions as other programs compute them,
// compared with the exact values.
//
// T positions, P pairs (frequencies).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::rounding {

/// How a program computes sine and cosine from position p and frequency theta. The JavaScript
/// module uses the same numbers. f is theta as float32; bf and hf round to bfloat16 and float16
/// (ties to even).
enum class Pipeline : std::int32_t {
  kExact = 0,          // sin(p theta), rounded once to float32
  kFloat32Angle = 1,   // sin(float32(p theta)): the most exact result of a float32 angle
  kFloat32 = 2,        // sin(float32(p) * f): PyTorch
  kBfloat16Table = 3,  // bf(the value of kFloat32): Hugging Face, in a bfloat16 model
  kFloat16Table = 4,   // hf(the value of kFloat32)
  kBfloat16 = 5,       // bf(sin(bf(bf(p) * bf(f)))): the angle in bfloat16 too
  kFloat16 = 6,        // hf(sin(hf(hf(p) * hf(f))))
  kGgml = 7,           // sin(p r r ... r), i float32 products with r = base^(-1/n) in float32
};

/// The size of a summary of all rows: [largest error, its position, its pair, sum of squares].
inline constexpr std::size_t kSummary = 4;

/// Computes the errors of the values of a pipeline.
///
///   out[t, i] = max(|sine_i - sin(p_t theta_i)|, |cosine_i - cos(p_t theta_i)|)
///
/// Shapes    positions [T]; theta_hi, theta_lo [P], whose sums are the exact frequencies; single
///           [P], the float32 frequencies f; summary [kSummary], initially {-1, 0, 0, 0}; out [T,
///           P]
/// Units     tokens, |position| <= 2^32; radians per token, |theta| <= 1
/// Requires  out overlaps nothing; base >= 1 and n > 0, of theta_i = base^(-i/n), for kGgml
/// Returns   kOk; kBadShape; kBadParam for a position out of range (nothing written)
/// Accuracy  errors are computed to 1e-15 and rounded once to float32. They are NaN where the
///           position overflows the format: for float16 from position 65520 on. The largest error
///           of the summary is then NaN, at the first such position
/// Cost      about 300 double operations for each value; no allocation
Status errors(std::span<const double> positions, std::span<const double> theta_hi,
              std::span<const double> theta_lo, std::span<const double> single, double base,
              double n, Pipeline pipeline, std::span<double> summary,
              std::span<float> out) noexcept;

}  // namespace phasor::rounding
