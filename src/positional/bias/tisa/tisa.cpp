#include "positional/bias/tisa/tisa.h"

#include <cmath>
#include <limits>

#include "math/elementary.h"
#include "math/nan.h"

namespace phasor::tisa {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

}  // namespace

Status line(std::span<const double> a, std::span<const double> b, std::span<const double> c,
            std::size_t S, double first, bool causal, std::span<float> out) noexcept {
  const std::size_t H = S == 0 ? 0 : a.size() / S;
  if (kChecked && (S == 0 || a.size() != H * S || b.size() != a.size() || c.size() != a.size() ||
                   (H == 0 ? !out.empty() : out.size() % H != 0)))
    return Status::kBadShape;
  const std::size_t N = H == 0 ? 0 : out.size() / H;
  for (std::size_t h = 0; h < H; ++h) {
    for (std::size_t k = 0; k < N; ++k) {
      const double r = first + static_cast<double>(k);
      double sum = 0;
      for (std::size_t i = h * S; i < (h + 1) * S; ++i) {
        const double distance = r - c[i];
        sum += a[i] * elementary::exp_f64(-std::fabs(b[i]) * (distance * distance));
      }
      out[h * N + k] = causal && r > 0 ? kHidden : without_negative_zero(sum);
    }
  }
  return Status::kOk;
}

}  // namespace phasor::tisa
