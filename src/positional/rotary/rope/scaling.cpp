#include "positional/rotary/rope/scaling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "math/double_double.h"
#include "math/elementary.h"
#include "math/turns.h"

namespace phasor::rope {
namespace {

using elementary::exp_f64;
using elementary::log_f64;

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kMost = std::numeric_limits<float>::max();

std::size_t size_of_options(Scaling scaling, std::size_t P) {
  switch (scaling) {
    case Scaling::kLinear:
    case Scaling::kNtk:
      return 2;
    case Scaling::kDynamic:
    case Scaling::kProportional:
      return 3;
    case Scaling::kYarn:
      return 10;
    case Scaling::kLongrope:
      return 4 + 2 * P;
    case Scaling::kLlama3:
      return 5;
  }
  return 0;
}

/// base * stretch^(R / (R - 2)): the lowest frequency is then divided by `stretch`.
double stretched(double base, double stretch, std::size_t P) {
  const double R = 2 * static_cast<double>(P);
  return stretch == 1 ? base : base * exp_f64(log_f64(stretch) * (R / (R - 2)));
}

/// YaRN's ramp over turns is Llama 3's, whose factors are the betas.
bool is_over_turns(Scaling scaling, std::span<const double> options) {
  return scaling == Scaling::kYarn && options[9] != 0;
}

double base_of(Scaling scaling, std::span<const double> options, double base, std::size_t P) {
  if (scaling == Scaling::kNtk) return stretched(base, options[1], P);
  if (scaling != Scaling::kDynamic) return base;
  const double factor = options[1], most = options[2];
  return stretched(base, factor * std::max(options[0], most) / most - (factor - 1), P);
}

double magnitude(double factor, double m) {
  return factor <= 1 ? 1 : 0.1 * m * log_f64(factor) + 1;
}

double attention_factor(Scaling scaling, std::span<const double> options) {
  if (scaling == Scaling::kYarn) {
    const double factor = options[1], m = options[6], all = options[7], given = options[8];
    if (given != 0) return given;
    return m != 0 && all != 0 ? magnitude(factor, m) / magnitude(factor, all)
                              : magnitude(factor, 1);
  }
  if (scaling == Scaling::kLongrope) {
    const double L = options[1], factor = options[2], given = options[3];
    if (given != 0) return given;
    return factor <= 1 ? 1 : std::sqrt(1 + log_f64(factor) / log_f64(L));
  }
  return 1;
}

double softmax_factor(Scaling scaling, std::span<const double> options) {
  if (scaling != Scaling::kYarn || options[7] == 0) return 1;
  const double g = magnitude(options[1], options[7]);
  return g * g;
}

/// What the formulas take beside the pair; `low` and `high` are pairs for yarn, or its betas over
/// turns, and factors for llama3.
struct Numbers {
  double factor;
  double low;
  double high;
  double L;
  std::span<const double> divisors;
};

/// The frequency of pair i, in double or in the float32 steps of HF, which `Real` tells apart: what
/// is a Python float there is double here. `power` is base^(2i/R). A function, and not a loop with
/// everything in it, so that it stays small.
template <typename Real>
[[gnu::noinline]] Real frequency(Scaling scaling, const Numbers& n, std::size_t i, Real power) {
  const auto real = [](double x) { return static_cast<Real>(x); };
  const Real whole = 1 / power;
  switch (scaling) {
    case Scaling::kDynamic:
    case Scaling::kNtk:
      return whole;
    case Scaling::kLinear:
      return whole / real(n.factor);
    case Scaling::kYarn: {
      const Real ramp = (static_cast<Real>(i) - real(n.low)) / real(n.high - n.low);
      const Real kept = 1 - std::clamp(ramp, real(0), real(1));
      return 1 / (real(n.factor) * power) * (1 - kept) + whole * kept;
    }
    case Scaling::kLongrope:
      return 1 / (real(n.divisors[i]) * power);
    case Scaling::kLlama3: {
      const Real wavelength = 1 / whole * real(kTurn);  // so PyTorch divides a number
      if (wavelength > real(n.L / n.low)) return whole / real(n.factor);
      if (wavelength < real(n.L / n.high) || n.low == n.high) return whole;
      const Real kept = (1 / wavelength * real(n.L) - real(n.low)) / real(n.high - n.low);
      return (1 - kept) * whole / real(n.factor) + kept * whole;
    }
    case Scaling::kProportional:
      return static_cast<double>(i) < n.high ? whole / real(n.factor) : real(0);
  }
  return 0;
}

Numbers numbers_of(Scaling scaling, std::span<const double> options, double base, std::size_t P) {
  const double factor = options[1];
  switch (scaling) {
    case Scaling::kYarn: {
      if (is_over_turns(scaling, options)) return {factor, options[4], options[3], options[2], {}};
      const auto [low, high] =
          yarn_range(P, base, options[2], options[3], options[4], options[5] != 0);
      return {factor, low, high, 0, {}};
    }
    case Scaling::kLongrope:
      return {0, 0, 0, 0, options.subspan(options[0] > options[1] ? 4 + P : 4)};
    case Scaling::kLlama3:
      return {factor, options[2], options[3], options[4], {}};
    case Scaling::kProportional:
      return {factor, 0, std::floor(options[2] * static_cast<double>(P)), 0, {}};
    default:
      return {factor, 0, 0, 0, {}};
  }
}

// ---------------------------------------------------------------- what a double leaves over

constexpr DoubleDouble kLogTurn{0x1.d67f1c864beb5p+0, -0x1.65b5a1b7ff5dfp-54};  // ln(2 pi)

DoubleDouble exactly(double x) { return {x, 0}; }

/// a x + b. A function, so that there is one copy of its many operations.
[[gnu::noinline]] DoubleDouble multiply_add(DoubleDouble a, double x, DoubleDouble b) {
  return a * x + b;
}

DoubleDouble minus(DoubleDouble a, DoubleDouble b) { return multiply_add(b, -1, a); }

/// ln of what the formula gives for base', less ln of the double that stands for it.
double rest_of_base(Scaling scaling, std::span<const double> options, double base,
                    double scaled_base, std::size_t P) {
  if (scaled_base == base) return 0;
  const double R = 2 * static_cast<double>(P), factor = options[1];
  DoubleDouble stretch = exactly(factor);
  double divisor = 1;
  if (scaling == Scaling::kDynamic) {  // (s n - (s - 1) M) / M
    divisor = options[2];
    stretch = multiply_add(two_sum(1, -factor), divisor,
                           two_product(factor, std::max(options[0], divisor)));
  }
  DoubleDouble ln_stretch = minus(log(stretch.hi), log(divisor));
  ln_stretch.lo += stretch.lo / stretch.hi;
  const DoubleDouble rounding = minus(log(base), log(scaled_base));
  return multiply_add(ln_stretch, R, rounding * (R - 2)).hi / (R - 2);
}

/// Between which a frequency goes over, and what a pair counts in their unit: pairs, or for YaRN
/// without whole numbers ln(base) / P, where they need no division.
struct Limits {
  DoubleDouble low;
  DoubleDouble high;
  DoubleDouble pair;
};

Limits limits_of(Scaling scaling, std::span<const double> options, double base, std::size_t P,
                 const Numbers& n) {
  if (scaling != Scaling::kYarn || options[5] != 0)
    return {exactly(n.low), exactly(n.high), exactly(1)};
  const double count = static_cast<double>(P);
  const DoubleDouble pair = log(base), turns = minus(log(options[2]), kLogTurn);
  const auto limit = [&](double beta) {
    return multiply_add(minus(turns, log(beta)), count, exactly(0));
  };
  const DoubleDouble low = n.low > 0 ? limit(options[3]) : exactly(0);
  if (n.high == n.low + 0.001) return {low, multiply_add(pair, 0.001, low), pair};
  const double last = 2 * count - 1;
  return {low, n.high < last ? limit(options[4]) : multiply_add(pair, last, exactly(0)), pair};
}

/// A scaled frequency is  theta (kept / span + (1 - kept / span) / divisor).
struct Mixture {
  DoubleDouble kept;
  DoubleDouble span;
  double divisor;
};

Mixture mixture(Scaling scaling, const Numbers& n, const Limits& limits, std::size_t i,
                DoubleDouble theta) {
  const DoubleDouble span = minus(limits.high, limits.low);
  switch (scaling) {
    case Scaling::kYarn:
      return {multiply_add(limits.pair, -static_cast<double>(i), limits.high), span, n.factor};
    case Scaling::kLlama3: {
      const DoubleDouble turns = theta * kTurnsPerRadian;
      if (n.low == n.high) return {exactly(turns.hi * n.L < n.low ? 0 : 1), exactly(1), n.factor};
      return {multiply_add(turns, n.L, -limits.low), span, n.factor};
    }
    case Scaling::kLongrope:
      return {exactly(0), exactly(1), n.divisors[i]};
    case Scaling::kLinear:
    case Scaling::kProportional:
      return {exactly(0), exactly(1), n.factor};
    default:
      return {exactly(1), exactly(1), 1};
  }
}

/// What a scaled frequency, rounded to double, leaves of its formula. `theta` is base^(-2i/R).
double rest_of(double scaled, DoubleDouble theta, Mixture mix) {
  if (scaled == 0) return 0;
  auto [kept, span, divisor] = mix;
  if (span.hi < 0) kept = -kept, span = -span;
  if (kept.hi <= 0) kept = exactly(0);
  if (kept.hi >= span.hi) kept = span;
  const DoubleDouble dividend = theta * multiply_add(kept, divisor, minus(span, kept));
  const DoubleDouble whole = multiply_add(span, divisor, exactly(0));
  const double rest = multiply_add(whole, -scaled, dividend).hi / whole.hi;
  return std::isfinite(rest) ? rest : 0;  // beyond 2^990 products overflow on the way
}

}  // namespace

Range yarn_range(std::size_t P, double base, double L, double beta_fast, double beta_slow,
                 bool truncate) noexcept {
  const double R = 2 * static_cast<double>(P);
  const auto pair = [&](double turns) {
    return R * log_f64(L / (turns * kTurn)) / (2 * log_f64(base));
  };
  double low = pair(beta_fast), high = pair(beta_slow);
  if (truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, R - 1);
  return {low, low == high ? high + 0.001 : high};
}

Status scaled_frequencies(Scaling scaling, std::span<const double> options, double base,
                          phase::Precision precision, std::span<double> workspace,
                          std::span<double> theta, std::span<double> rest,
                          std::span<double, 2> factors) noexcept {
  const std::size_t P = theta.size();
  if (kChecked && (rest.size() != P || options.size() != size_of_options(scaling, P)))
    return Status::kBadShape;
  const double scaled_base = base_of(scaling, options, base, P);
  const double attention = attention_factor(scaling, options);
  const double softmax = softmax_factor(scaling, options);
  if (!(attention <= kMost) || !(softmax <= kMost)) return Status::kBadParam;
  const Status status =
      phase::frequencies(scaled_base, static_cast<double>(P), precision, P, workspace);
  if (status != Status::kOk) return status;
  const Numbers numbers = numbers_of(scaling, options, scaled_base, P);
  const Scaling rule = is_over_turns(scaling, options) ? Scaling::kLlama3 : scaling;
  const Limits limits = limits_of(rule, options, scaled_base, P, numbers);
  const double shift =
      -rest_of_base(scaling, options, base, scaled_base, P) / static_cast<double>(P);
  for (std::size_t i = 0; i < P; ++i) {
    const double whole = workspace[i] + workspace[P + i];
    if (precision == phase::Precision::kExact) {
      theta[i] = frequency<double>(rule, numbers, i, 1 / whole);
      const DoubleDouble plain{workspace[i], workspace[P + i]};
      const DoubleDouble moved = multiply_add(plain, shift * static_cast<double>(i), plain);
      rest[i] = rest_of(theta[i], moved, mixture(rule, numbers, limits, i, moved));
      continue;
    }
    const float power =
        precision == phase::Precision::kTorchPow  // HF goes on with the power itself
            ? elementary::pow(static_cast<float>(scaled_base),
                              static_cast<float>(i) / static_cast<float>(P))
            : 1 / static_cast<float>(whole);
    theta[i] = static_cast<double>(frequency<float>(rule, numbers, i, power));
    rest[i] = 0;
  }
  factors[0] = attention;
  factors[1] = softmax;
  return Status::kOk;
}

}  // namespace phasor::rope
