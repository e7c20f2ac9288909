#include "positional/bias/fire/fire.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/elementary.h"
#include "math/nan.h"
#include "math/random.h"

namespace phasor::fire {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

}  // namespace

Status bias(const Network& network, double first, std::size_t row, std::size_t Tq, std::size_t Tk,
            bool causal, std::span<float> out) noexcept {
  const std::size_t M = network.w1.size();
  const std::size_t H = network.b2.size();
  if (kChecked && (Tq == 0 || Tk == 0 || out.size() % Tk != 0 || row + out.size() / Tk > H * Tq ||
                   network.b1.size() != M || network.w2.size() != H * M))
    return Status::kBadShape;
  for (std::size_t at = 0; at < out.size(); at += Tk, ++row) {
    const std::size_t h = row / Tq;
    const double* w2 = network.w2.data() + h * M;
    const double i = first + static_cast<double>(row % Tq);
    const double whole = elementary::log1p_f64(network.c * std::max(i, network.threshold)) + 1e-6;
    for (std::size_t k = 0; k < Tk; ++k) {
      const double r = static_cast<double>(k) - i;
      if (causal && r > 0) {
        out[at + k] = kHidden;
        continue;
      }
      const double x = elementary::log1p_f64(network.c * std::fabs(r)) / whole;
      double sum = network.b2[h];
      for (std::size_t m = 0; m < M; ++m)
        sum += w2[m] * std::max(network.w1[m] * x + network.b1[m], 0.0);
      out[at + k] = without_negative_zero(sum);
    }
  }
  return Status::kOk;
}

Status weights(std::uint64_t seed, std::size_t H, std::size_t M, std::span<float> out) noexcept {
  if (kChecked && (M == 0 || out.size() != 2 * M + H * M + H)) return Status::kBadShape;
  const double bound = 1.0 / std::sqrt(static_cast<double>(M));
  random::philox_uniform(seed, 0, out.first(2 * M), -1.0, 1.0);
  random::philox_uniform(seed, 2 * M, out.subspan(2 * M), -bound, bound);
  return Status::kOk;
}

}  // namespace phasor::fire
