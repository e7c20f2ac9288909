#include "positional/rotary/axial_rope/axial_rope.h"

namespace phasor::axial_rope {

Status table(std::span<const double> positions, std::size_t P, phase::Precision precision,
             double amplitude, std::span<double> workspace, std::span<float> out) noexcept {
  if (kChecked && out.size() != positions.size() * 2 * P) return Status::kBadShape;
  return phase::rows(positions, precision, P, amplitude, workspace, out,
                     {.sin = P, .cos = 0, .step = 1, .row = 2 * P, .cosines = P});
}

Status mixed(std::span<const double> coordinates, std::span<const float> frequencies, std::size_t A,
             std::size_t P, phase::Precision precision, std::span<double> workspace,
             std::span<float> out) noexcept {
  if (kChecked &&
      (A == 0 || P == 0 || coordinates.size() % A != 0 || frequencies.size() != A * P ||
       workspace.size() != mixed_size(P) || out.size() != coordinates.size() / A * 2 * P))
    return Status::kBadShape;

  // An angle is a position at the frequency 1.
  const std::span<double> angles = workspace.first(P);
  const std::span<double> one = workspace.subspan(P);
  const double theta = 1.0, rest = 0.0;
  if (const Status status = phase::adopt({&theta, 1}, {&rest, 1}, one); status != Status::kOk)
    return status;

  for (std::size_t t = 0; t < coordinates.size() / A; ++t) {
    const double* at = coordinates.data() + t * A;
    for (std::size_t i = 0; i < P; ++i) {
      double exact = 0;
      float torch = 0;
      for (std::size_t a = 0; a < A; ++a) {
        exact += at[a] * static_cast<double>(frequencies[a * P + i]);
        torch += static_cast<float>(at[a]) * frequencies[a * P + i];
      }
      angles[i] = precision == phase::Precision::kExact ? exact : static_cast<double>(torch);
    }
    if (const Status status =
            phase::rows(angles, precision, 1, 1.0, one, out.subspan(t * 2 * P, 2 * P),
                        {.sin = P, .cos = 0, .step = 1, .row = 1, .cosines = 1});
        status != Status::kOk)
      return status;
  }
  return Status::kOk;
}

}  // namespace phasor::axial_rope
