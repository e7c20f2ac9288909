// Sine and cosine of angles in double-double: one at a time, and right to double's last bits for
// any angle. For contiguous positions math/phase is many times faster.
#pragma once
#include <cmath>
#include <cstdint>

#include "math/double_double.h"
#include "math/elementary.h"

namespace phasor {

/// 1 / (2 pi), computed to 300 bits and cut.
inline constexpr DoubleDouble kTurnsPerRadian{0x1.45f306dc9c883p-3, -0x1.6b01ec5417056p-57};

/// Evaluate cosine and sine of a number of full turns.
///
///   cos(2 pi t), sin(2 pi t):  t = k/4 + r,  |r| <= 1/8, exactly
///
/// Units     turns; |t| <= 2^50
/// Accuracy  <= 3 ULP of double, also beside the zeros, while t's own error is below 2^-100
inline elementary::CosSin cos_sin_turns(DoubleDouble turns) {
  const double quarters = std::nearbyint(4.0 * turns.hi);
  const auto [c, s] = elementary::cos_sin_turns((turns.hi - quarters / 4.0) + turns.lo);
  switch (static_cast<std::int64_t>(quarters) & 3) {
    case 0:
      return {c, s};
    case 1:
      return {0.0 - s, c};
    case 2:
      return {0.0 - c, 0.0 - s};
    default:
      return {s, 0.0 - c};
  }
}

/// The same of an angle in radians.
inline elementary::CosSin cos_sin_radians(DoubleDouble angle) {
  return cos_sin_turns(angle * kTurnsPerRadian);
}

}  // namespace phasor
