#include "positional/absolute/learned_positions/learned_positions.h"

#include <algorithm>
#include <cmath>

#include "math/nan.h"

namespace phasor::learned_positions {
namespace {

struct Kernel {
  Method method;
  double a;

  double reach() const { return method == Method::kLinear ? 1 : 2; }

  double operator()(double distance) const {
    const double s = std::abs(distance);
    if (method == Method::kLinear) return s < 1 ? 1 - s : 0;
    if (s < 1) return ((a + 2) * s - (a + 3)) * s * s + 1;
    return s < 2 ? a * (((s - 5) * s + 8) * s - 4) : 0;
  }
};

// The entries of an axis that a new one is made of: weights[i] for i in [first, last).
struct Taps {
  std::size_t first;
  std::size_t last;
};

// Where entry i of N' lies among N.
double place(std::size_t i, std::size_t N, std::size_t new_N, Sampling sampling, double scale) {
  const auto at = static_cast<double>(i);
  if (scale != 0) return (at + 0.5) / scale - 0.5;
  if (sampling != Sampling::kCorners)
    return (at + 0.5) * static_cast<double>(N) / static_cast<double>(new_N) - 0.5;
  return new_N == 1 ? 0 : at * static_cast<double>(N - 1) / static_cast<double>(new_N - 1);
}

Taps weigh(std::size_t i, std::size_t N, std::size_t new_N, Sampling sampling, double scale,
           Kernel kernel, std::span<double> weights) {
  const bool antialiased = sampling == Sampling::kAntialiased;
  const double shrinking =
      scale != 0 ? 1 / scale : static_cast<double>(N) / static_cast<double>(new_N);
  const double wide = antialiased ? std::max(1.0, shrinking) : 1;
  const auto end = static_cast<double>(N - 1);
  const auto inside = [end](double k) { return std::min(std::max(k, 0.0), end); };
  const auto index = [inside](double k) { return static_cast<std::size_t>(inside(k)); };
  const double at = place(i, N, new_N, sampling, scale);
  const double reach = kernel.reach() * wide;
  const double low = antialiased ? inside(std::ceil(at - reach)) : std::ceil(at - reach);
  const double high = antialiased ? inside(std::floor(at + reach)) : std::floor(at + reach);
  const Taps taps{index(low), index(high) + 1};
  std::fill(weights.begin() + static_cast<std::ptrdiff_t>(taps.first),
            weights.begin() + static_cast<std::ptrdiff_t>(taps.last), 0.0);
  double sum = 0;
  for (double k = low; k <= high; ++k) {
    const double weight = kernel((at - k) / wide);
    weights[index(k)] += weight;
    sum += weight;
  }
  if (antialiased)
    for (std::size_t n = taps.first; n < taps.last; ++n) weights[n] /= sum;
  return taps;
}

}  // namespace

Status resize(std::span<const float> in, std::size_t H, std::size_t W, std::size_t D,
              std::size_t new_H, std::size_t new_W, Method method, Sampling sampling, double a,
              std::size_t first, std::span<double> workspace, std::span<float> out, double scale_H,
              double scale_W) noexcept {
  if (kChecked &&
      (H == 0 || W == 0 || D == 0 || new_H == 0 || new_W == 0 || in.size() != H * W * D ||
       out.size() % D != 0 || first + out.size() / D > new_H * new_W ||
       workspace.size() != workspace_size(H, W, D)))
    return Status::kBadShape;
  if (!std::isfinite(a)) return Status::kBadParam;
  const Kernel kernel{method, a};
  const std::span<double> down = workspace.subspan(0, H);
  const std::span<double> across = workspace.subspan(H, W);
  const std::span<double> sums = workspace.subspan(H + W, D);
  for (std::size_t k = 0; k < out.size() / D; ++k) {
    const std::size_t entry = first + k;
    const Taps rows = weigh(entry / new_W, H, new_H, sampling, scale_H, kernel, down);
    const Taps columns = weigh(entry % new_W, W, new_W, sampling, scale_W, kernel, across);
    std::fill(sums.begin(), sums.end(), -0.0);  // -0 + x is x, for x = -0 too
    for (std::size_t y = rows.first; y < rows.last; ++y) {
      for (std::size_t x = columns.first; x < columns.last; ++x) {
        const double weight = down[y] * across[x];
        if (weight == 0) continue;  // an entry that does not count may be infinite
        const std::span<const float> from = in.subspan((y * W + x) * D, D);
        for (std::size_t d = 0; d < D; ++d) sums[d] += weight * static_cast<double>(from[d]);
      }
    }
    for (std::size_t d = 0; d < D; ++d) out[k * D + d] = canonical(static_cast<float>(sums[d]));
  }
  return Status::kOk;
}

}  // namespace phasor::learned_positions
