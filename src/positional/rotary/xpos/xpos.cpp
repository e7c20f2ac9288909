#include "positional/rotary/xpos/xpos.h"

#include <cmath>

#include "math/double_double.h"
#include "math/elementary.h"
#include "math/turns.h"

namespace phasor::xpos {

double reach(double gamma) noexcept {
  return 126.0 * elementary::log_f64(2.0) / elementary::log_f64((1.0 + gamma) / gamma);
}

Status table(std::span<const double> positions, std::size_t P, phase::Precision precision,
             Scale scale, std::span<const double> workspace, std::span<float> out) noexcept {
  const bool fits = workspace.size() == phase::workspace_size(P, false) ||
                    workspace.size() == phase::workspace_size(P, true);
  if (kChecked && (!fits || out.size() != positions.size() * 4 * P)) return Status::kBadShape;
  const double most = reach(scale.gamma) * scale.base;
  for (const double position : positions)
    if (!(std::fabs(position - scale.center) <= most) || !(std::fabs(position) <= phase::kReach))
      return Status::kBadParam;

  const double D = 2.0 * static_cast<double>(P);
  for (std::size_t i = 0; i < P; ++i) {
    const double k = 2.0 * static_cast<double>(i);
    const DoubleDouble theta{workspace[i], workspace[P + i]};
    const double ln_zeta = elementary::log_f64((k / D + scale.gamma) / (1.0 + scale.gamma));
    const float zeta = (static_cast<float>(k) + static_cast<float>(scale.gamma * D)) /
                       static_cast<float>((1.0 + scale.gamma) * D);
    for (std::size_t t = 0; t < positions.size(); ++t) {
      float* cell = out.data() + t * 4 * P + i;
      const double distance = positions[t] - scale.center;
      if (precision == phase::Precision::kExact) {
        const auto [cos, sin] = cos_sin_radians(theta * positions[t]);
        const double power = distance / scale.base * ln_zeta;
        const double up = elementary::exp_f64(power);
        const double down = elementary::exp_f64(-power);
        cell[0] = static_cast<float>(up * cos);
        cell[P] = static_cast<float>(up * sin);
        cell[2 * P] = static_cast<float>(down * cos);
        cell[3 * P] = static_cast<float>(down * sin);
      } else {
        const float angle = static_cast<float>(positions[t]) * static_cast<float>(theta.hi);
        const auto [cos, sin] = cos_sin_radians({static_cast<double>(angle), 0});
        const float up =
            elementary::pow(zeta, static_cast<float>(distance) / static_cast<float>(scale.base));
        cell[0] = up * static_cast<float>(cos);
        cell[P] = up * static_cast<float>(sin);
        cell[2 * P] = 1.0f / up * static_cast<float>(cos);
        cell[3 * P] = 1.0f / up * static_cast<float>(sin);
      }
    }
  }
  return Status::kOk;
}

}  // namespace phasor::xpos
