#include "positional/bias/kernel_bias/kernel_bias.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/elementary.h"
#include "math/nan.h"
#include "math/random.h"

namespace phasor::kernel_bias {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();
constexpr double kFourPi = 0x1.921fb54442d18p+3;

// log(1 + x) for x >= 0: what rounding 1 + x loses, x / (u - 1) gives back (Kahan).
double log1p(double x) {
  const double u = 1.0 + x;
  return u == 1.0 ? x : elementary::log_f64(u) * (x / (u - 1.0));
}

double kerple_value(double a, double p, double distance, Kernel kernel) {
  if (kernel == Kernel::kLog) return -p * log1p(a * distance);
  const double power = a * elementary::exp_f64(p * elementary::log_f64(distance));
  return kernel == Kernel::kWeight ? elementary::exp_f64(-power) : -power;
}

float rounded(double value) {
  return canonical(static_cast<float>(value + 0.0));  // + 0.0: no negative zero
}

}  // namespace

Status kerple(std::span<const double> a, std::span<const double> p, double first, Kernel kernel,
              bool causal, std::span<float> out) noexcept {
  const std::size_t H = a.size();
  if (p.size() != H || (H == 0 ? !out.empty() : out.size() % H != 0)) return Status::kBadShape;
  const std::size_t N = H == 0 ? 0 : out.size() / H;
  for (std::size_t h = 0; h < H; ++h) {
    for (std::size_t k = 0; k < N; ++k) {
      const double r = first + static_cast<double>(k);
      out[h * N + k] = causal && r > 0 ? (kernel == Kernel::kWeight ? 1.0f : kHidden)
                                       : rounded(kerple_value(a[h], p[h], std::fabs(r), kernel));
    }
  }
  return Status::kOk;
}

Status sandwich(double first, std::size_t H, double base, bool causal, std::span<double> workspace,
                std::span<float> out) noexcept {
  const std::size_t P = workspace.size();
  if (H == 0 || P == 0 || out.size() % H != 0) return Status::kBadShape;
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
      out[k * H + h] = rounded(bias / (8.0 * static_cast<double>(h + 1) / static_cast<double>(H)));
  }
  return Status::kOk;
}

Status fire(const Fire& fire, double first, std::size_t row, std::size_t Tq, std::size_t Tk,
            bool causal, std::span<float> out) noexcept {
  const std::size_t M = fire.w1.size();
  const std::size_t H = fire.b2.size();
  if (Tq == 0 || Tk == 0 || out.size() % Tk != 0 || row + out.size() / Tk > H * Tq ||
      fire.b1.size() != M || fire.w2.size() != H * M)
    return Status::kBadShape;
  for (std::size_t at = 0; at < out.size(); at += Tk, ++row) {
    const std::size_t h = row / Tq;
    const double* w2 = fire.w2.data() + h * M;
    const double i = first + static_cast<double>(row % Tq);
    const double whole = log1p(fire.c * std::max(i, fire.threshold)) + 1e-6;
    for (std::size_t k = 0; k < Tk; ++k) {
      const double r = static_cast<double>(k) - i;
      if (causal && r > 0) {
        out[at + k] = kHidden;
        continue;
      }
      const double x = log1p(fire.c * std::fabs(r)) / whole;
      double sum = fire.b2[h];
      for (std::size_t m = 0; m < M; ++m) sum += w2[m] * std::max(fire.w1[m] * x + fire.b1[m], 0.0);
      out[at + k] = rounded(sum);
    }
  }
  return Status::kOk;
}

Status fire_weights(std::uint64_t seed, std::size_t H, std::size_t M,
                    std::span<float> out) noexcept {
  if (M == 0 || out.size() != 2 * M + H * M + H) return Status::kBadShape;
  const double bound = 1.0 / std::sqrt(static_cast<double>(M));
  random::philox_uniform(seed, 0, out.first(2 * M), -1.0, 1.0);
  random::philox_uniform(seed, 2 * M, out.subspan(2 * M), -bound, bound);
  return Status::kOk;
}

Status cope(std::span<const float> logits, std::span<const float> positions, double first,
            std::size_t row, std::size_t Tq, std::size_t Tk, std::size_t P,
            std::span<float> out) noexcept {
  if (Tq == 0 || Tk == 0 || P == 0 || out.size() % Tk != 0 || logits.size() != out.size() ||
      positions.size() != out.size() / Tk * P)
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
      bias = rounded(w == 0 ? at[0] : (1.0 - w) * at[0] + w * at[1]);
    }
  }
  return Status::kOk;
}

}  // namespace phasor::kernel_bias
