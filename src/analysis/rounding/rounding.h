// What a number format costs: sines and cosines of positions as other programs compute them, held
// against the exact ones.
//
// T positions, P pairs (frequencies).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::rounding {

/// How a program comes from position p and frequency theta to sine and cosine. The numbers cross
/// the border. f is theta as float32, bf and hf round to bfloat16 and float16 (ties to even).
enum class Pipeline : std::int32_t {
  kExact = 0,          // sin(p theta), rounded once to float32
  kFloat32Angle = 1,   // sin(float32(p theta)): the best that a float32 angle can do
  kFloat32 = 2,        // sin(float32(p) * f): PyTorch
  kBfloat16Table = 3,  // bf(the value of kFloat32): Hugging Face, in a bfloat16 model
  kFloat16Table = 4,   // hf(the value of kFloat32)
  kBfloat16 = 5,       // bf(sin(bf(bf(p) * bf(f)))): the angle itself in bfloat16
  kFloat16 = 6,        // hf(sin(hf(hf(p) * hf(f))))
  kGgml = 7,           // sin(p r r ... r), i float32 products with r = base^(-1/n) in float32
};

/// What is known of all rows so far: [largest error, its position, its pair, sum of squares].
inline constexpr std::size_t kSummary = 4;

/// Measure how far a pipeline's values lie from the exact ones.
///
///   out[t, i] = max(|sine_i - sin(p_t theta_i)|, |cosine_i - cos(p_t theta_i)|)
///
/// Shapes    positions [T], theta_hi, theta_lo [P] (their sums are exact), single [P] the float32
///           frequencies f, summary [kSummary], begun as {-1, 0, 0, 0}; out [T, P]
/// Units     tokens, |position| <= 2^32; radians per token, |theta| <= 1
/// Requires  out overlaps nothing; base >= 1 and n > 0, of theta_i = base^(-i/n), for kGgml
/// Returns   kOk; kBadShape; kBadParam for a position out of reach (nothing written)
/// Accuracy  an error is known to 1e-15, and rounded once to float32. NaN where a format has no
///           such number: float16 from position 65520 on; the summary's error then is NaN, at the
///           first
/// Cost      some 300 double operations a value; no allocation
Status errors(std::span<const double> positions, std::span<const double> theta_hi,
              std::span<const double> theta_lo, std::span<const double> single, double base,
              double n, Pipeline pipeline, std::span<double> summary,
              std::span<float> out) noexcept;

}  // namespace phasor::rounding
