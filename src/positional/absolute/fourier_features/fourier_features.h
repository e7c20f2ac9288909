// Fourier features: continuous coordinates as sines and cosines of many frequencies.
//
// N points, C coordinates of each, P frequencies, W numbers in a row of the result.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::fourier_features {

/// The spacing of numbers between two ends. JavaScript passes the numbers.
enum class Spacing : std::int32_t {
  kLinear = 0,     // equal steps
  kGeometric = 1,  // equal ratios
};

/// The unit of coordinate * frequency. JavaScript passes the numbers.
enum class Unit : std::int32_t {
  kRadians = 0,    // NeRF
  kHalfTurns = 1,  // times pi: Perceiver
  kTurns = 2,      // times 2 pi: Gaussian features
};

/// The transformation of coordinates. JavaScript passes the numbers.
enum class Input : std::int32_t {
  kPlain = 0,
  kLog = 1,  // the natural logarithm
};

/// How angles are computed. JavaScript passes the numbers.
enum class Steps : std::int32_t {
  kExact = 0,    // the formula itself, rounded once
  kFloat32 = 1,  // each step in float32, as the libraries do it
};

/// Writes numbers from one end to the other, both included.
///
///   linear:     out[k] = (first * (P - 1 - k) + last * k) / (P - 1)
///   geometric:  out[k] = last^(k / (P - 1))  from 1 on
///
/// Shapes    out [P]; P = 1 gives first
/// Requires  finite ends; for the geometric spacing first = 1, last > 0
/// Returns   kOk; kBadParam (nothing written)
/// Accuracy  kExact: linear correctly rounded for whole ends, otherwise within three roundings;
///           geometric within 2^-47 relative, exact for powers of two. kFloat32: torch.linspace of
///           the numbers, or 2 to its power from their base-2 logarithms, each step in float32
Status spread(double first, double last, Spacing spacing, Steps steps,
              std::span<double> out) noexcept;

/// Where `waves` writes: the sine of coordinate c at frequency k at
/// out[n * row + sin + c * coordinate + k * band], its cosine likewise from `cos` on.
struct Columns {
  std::size_t row;
  std::size_t sin;
  std::size_t cos;
  std::size_t coordinate;
  std::size_t band;
};

/// Writes sines and cosines of every coordinate at every frequency; other columns keep their values.
///
///   angle = unit * x[n, c] * w[c, k],   unit = 1, pi or 2 pi;   log x for x with Input::kLog
///
/// Shapes    x [N, C], w [C, P], out [N, W] with W = columns.row
/// Units     |angle| <= 2^31
/// Requires  out overlaps nothing
/// Returns   kOk; kBadShape; kBadParam for an angle out of reach or NaN (out in part written)
/// Accuracy  kExact: <= 0.501 ULP for the doubles given, values near zero included (with kLog the
///           logarithm is rounded to double: absolute 2.99e-8 + 2e-16 |angle|). kFloat32: <= 0.501
///           ULP of the sine of the float32 angle  x * w,  x * (w * pi)  or  ((x * w) * 2) * pi
/// Cost      some 100 double operations an angle; no allocation
/// Source    Mildenhall et al. 2020, NeRF, arXiv:2003.08934, section 5.1; Tancik et al. 2020,
///           Fourier features let networks learn high frequency functions, arXiv:2006.10739;
///           Jaegle et al. 2021, Perceiver, arXiv:2103.03206, section 3.2
Status waves(std::span<const double> x, std::span<const double> w, std::size_t C, Unit unit,
             Input input, Steps steps, Columns columns, std::span<float> out) noexcept;

}  // namespace phasor::fourier_features
