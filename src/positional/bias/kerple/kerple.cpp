#include "positional/bias/kerple/kerple.h"

#include <cmath>
#include <cstddef>
#include <limits>

#include "math/elementary.h"
#include "math/nan.h"

namespace phasor::kerple {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

double value(double a, double p, double distance, Kernel kernel) {
  if (kernel == Kernel::kLog) return -p * elementary::log1p_f64(a * distance);
  const double power = a * elementary::exp_f64(p * elementary::log_f64(distance));
  return kernel == Kernel::kWeight ? elementary::exp_f64(-power) : -power;
}

}  // namespace

Status line(std::span<const double> a, std::span<const double> p, double first, Kernel kernel,
            bool causal, std::span<float> out) noexcept {
  const std::size_t H = a.size();
  if (kChecked && (p.size() != H || (H == 0 ? !out.empty() : out.size() % H != 0)))
    return Status::kBadShape;
  const std::size_t N = H == 0 ? 0 : out.size() / H;
  for (std::size_t h = 0; h < H; ++h) {
    for (std::size_t k = 0; k < N; ++k) {
      const double r = first + static_cast<double>(k);
      out[h * N + k] = causal && r > 0
                           ? (kernel == Kernel::kWeight ? 1.0f : kHidden)
                           : without_negative_zero(value(a[h], p[h], std::fabs(r), kernel));
    }
  }
  return Status::kOk;
}

}  // namespace phasor::kerple
