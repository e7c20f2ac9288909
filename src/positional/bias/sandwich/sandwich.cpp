#include "positional/bias/sandwich/sandwich.h"

#include <limits>

#include "math/elementary.h"
#include "math/nan.h"

namespace phasor::sandwich {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();
constexpr double kFourPi = 0x1.921fb54442d18p+3;

}  // namespace

Status line(double first, std::size_t H, double base, bool causal, std::span<double> workspace,
            std::span<float> out) noexcept {
  const std::size_t P = workspace.size();
  if (kChecked && (H == 0 || P == 0 || out.size() % H != 0)) return Status::kBadShape;
  if (!(base >= 1)) return Status::kBadParam;
  const double slope = -elementary::log_f64(base) / static_cast<double>(P);
  for (std::size_t i = 0; i < P; ++i)  // half angles, in turns
    workspace[i] = elementary::exp_f64(slope * static_cast<double>(i + 1)) / kFourPi;
  for (std::size_t k = 0; k < out.size() / H; ++k) {
    const double r = first + static_cast<double>(k);
    double sum = 0;
    for (const double turns : workspace) {
      const double sin = elementary::cos_sin_turns(r * turns).sin;
      sum += sin * sin;
    }
    const double bias = causal && r > 0 ? static_cast<double>(kHidden) : -2.0 * sum;
    for (std::size_t h = 0; h < H; ++h)
      out[k * H + h] =
          without_negative_zero(bias / (8.0 * static_cast<double>(h + 1) / static_cast<double>(H)));
  }
  return Status::kOk;
}

}  // namespace phasor::sandwich
