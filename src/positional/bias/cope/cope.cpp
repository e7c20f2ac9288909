#include "positional/bias/cope/cope.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/elementary.h"
#include "math/nan.h"

namespace phasor::cope {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

}  // namespace

Status bias(std::span<const float> logits, std::span<const float> positions, double first,
            std::size_t row, std::size_t Tq, std::size_t Tk, std::size_t P,
            std::span<float> out) noexcept {
  if (kChecked && (Tq == 0 || Tk == 0 || P == 0 || out.size() % Tk != 0 ||
                   logits.size() != out.size() || positions.size() != out.size() / Tk * P))
    return Status::kBadShape;
  const double last = static_cast<double>(P - 1);
  for (std::size_t n = 0; n < out.size() / Tk; ++n, ++row) {
    const double i = first + static_cast<double>(row % Tq);
    const float* of = positions.data() + n * P;
    double count = 0;
    for (std::size_t k = Tk; k-- > 0;) {
      float& bias = out[n * Tk + k];
      const double logit = logits[n * Tk + k];
      if (static_cast<double>(k) > i) {
        bias = kHidden;
        continue;
      }
      count += 1.0 / (1.0 + elementary::exp_f64(-logit));
      if (count != count) {
        bias = kNan;
        continue;
      }
      const double p = std::min(count, last);
      const double below = std::floor(p);
      const double w = p - below;
      const float* at = of + static_cast<std::size_t>(below);
      bias = without_negative_zero(w == 0 ? at[0] : (1.0 - w) * at[0] + w * at[1]);
    }
  }
  return Status::kOk;
}

}  // namespace phasor::cope
