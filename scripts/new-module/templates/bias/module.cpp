#include "__MODULE__/__NAME__.h"

#include <cmath>
#include <limits>

#include "math/nan.h"

namespace phasor::__NAME__ {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

// FILL IN the formula: this is the distance, scaled down from head to head.
double value(double distance, std::size_t h, std::size_t H, double scale) {
  return -scale * distance * static_cast<double>(H - h) / static_cast<double>(H);
}

}  // namespace

Status line(std::size_t head, std::size_t rows, std::size_t H, double first, double scale,
            bool causal, std::span<float> out) noexcept {
  if (kChecked && (rows == 0 || head + rows > H || out.size() % rows != 0))
    return Status::kBadShape;
  const std::size_t N = out.size() / rows;
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t n = 0; n < N; ++n) {
      const double r = first + static_cast<double>(n);
      const double bias = causal && r > 0 ? kHidden : value(std::fabs(r), head + k, H, scale);
      out[k * N + n] = without_negative_zero(bias);
    }
  }
  return Status::kOk;
}

}  // namespace phasor::__NAME__
