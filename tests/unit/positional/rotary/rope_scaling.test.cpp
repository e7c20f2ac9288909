#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "positional/rotary/rope/scaling.h"
#include "sampled.h"

#if !defined(__EMSCRIPTEN__)
#include <quadmath.h>
#endif

namespace phase = phasor::phase;
namespace rope = phasor::rope;
using phase::Precision;
using phasor::Status;
using rope::Scaling;

namespace {

struct Scaled {
  Status status = Status::kOk;
  std::vector<double> theta;
  std::vector<double> rest;
  std::array<double, 2> factors{7, 7};
};

Scaled scaled(Scaling scaling, const std::vector<double>& options, double base, std::size_t P,
              Precision precision = Precision::kExact) {
  Scaled result;
  std::vector<double> workspace(phase::workspace_size(P, false));
  result.theta.assign(P, 7.0);
  result.rest.assign(P, 7.0);
  result.status = rope::scaled_frequencies(scaling, options, base, precision, workspace,
                                           result.theta, result.rest, result.factors);
  return result;
}

double power(double x, double y) { return std::pow(x, y); }
double logarithm(double x) { return std::log(x); }
double whole(double x) { return std::floor(x); }
#if !defined(__EMSCRIPTEN__)
__float128 power(__float128 x, __float128 y) { return powq(x, y); }
__float128 logarithm(__float128 x) { return logq(x); }
__float128 whole(__float128 x) { return floorq(x); }
#endif

/// The formulas once more, in their plainest form, with the C library's functions.
template <typename Real>
Real reference(Scaling scaling, const std::vector<double>& options, double base, std::size_t P,
               std::size_t pair) {
  const Real pi = Real(std::numbers::pi) + Real(0x1.1a62633145c07p-53);
  const std::vector<Real> o(options.begin(), options.end());
  const Real R = 2 * static_cast<double>(P);
  const Real i = static_cast<double>(pair);
  const auto theta_of = [&](Real b) { return power(b, -2 * i / R); };
  const Real theta = theta_of(base);
  switch (scaling) {
    case Scaling::kLinear:
      return theta / o[1];
    case Scaling::kDynamic: {
      const Real n = std::max(o[0], o[2]);
      return theta_of(base * power(o[1] * n / o[2] - (o[1] - 1), R / (R - 2)));
    }
    case Scaling::kNtk:
      return theta_of(base * power(o[1], R / (R - 2)));
    case Scaling::kYarn: {
      const auto c = [&](Real turns) {
        return R * logarithm(o[2] / (2 * pi * turns)) / (2 * logarithm(Real(base)));
      };
      if (o[9] != 0) {
        const Real turns = o[2] * theta / (2 * pi);
        const Real gamma = std::clamp((turns - o[4]) / (o[3] - o[4]), Real(0), Real(1));
        return gamma * theta + (1 - gamma) * theta / o[1];
      }
      Real low = o[5] != 0 ? whole(c(o[3])) : c(o[3]);
      Real high = o[5] != 0 ? -whole(-c(o[4])) : c(o[4]);
      low = std::max(low, Real(0));
      high = std::min(high, R - 1);
      if (low == high) high += Real(0.001);
      const Real ramp = std::min(std::max((i - low) / (high - low), Real(0)), Real(1));
      return theta / o[1] * ramp + theta * (1 - ramp);
    }
    case Scaling::kLongrope:
      return theta / o[(o[0] > o[1] ? 4 + P : 4) + pair];
    case Scaling::kLlama3: {
      const Real v = 2 * pi / theta;
      if (v < o[4] / o[3]) return theta;
      if (v > o[4] / o[2]) return theta / o[1];
      const Real t = (o[4] / v - o[2]) / (o[3] - o[2]);
      return (1 - t) * theta / o[1] + t * theta;
    }
    case Scaling::kProportional:
      return i < whole(o[2] * R / 2) ? theta / o[1] : Real(0);
  }
  return 0;
}

struct Configuration {
  Scaling scaling;
  std::vector<double> options;
};

std::vector<Configuration> configurations(std::size_t P) {
  std::vector<Configuration> all;
  for (const double s : {1.0, 1.5, 4.0, 40.0, 1000.0}) {
    all.push_back({Scaling::kLinear, {0, s}});
    all.push_back({Scaling::kProportional, {0, s, 0.25}});
    if (P > 1) {
      all.push_back({Scaling::kNtk, {0, s}});
      for (const double length : {0.0, 4096.0, 4097.0, 1e6})
        all.push_back({Scaling::kDynamic, {length, s, 4096}});
    }
    for (const double L : {64.0, 4096.0, 1e6}) {
      all.push_back({Scaling::kLlama3, {0, s, 1, 4, L}});
      for (const double truncate : {0.0, 1.0})
        for (const double beta : {1.0, 32.0})
          all.push_back({Scaling::kYarn, {0, s, L, 32, beta, truncate, 0, 0, 0, 0}});
      for (const double fast : {4.0, 32.0})
        all.push_back({Scaling::kYarn, {0, s, L, fast, 1, 1, 0, 0, 0, 1}});
      for (const double length : {L, L + 1}) {
        std::vector<double> options{length, L, s, 0};
        for (std::size_t i = 0; i < 2 * P; ++i)
          options.push_back(1 + 0.37 * static_cast<double>(i));
        all.push_back({Scaling::kLongrope, options});
      }
    }
  }
  return all;
}

}  // namespace

#if !defined(__EMSCRIPTEN__)

TEST_CASE(
    "rope.scaled_frequencies are within 2^-80 of the formula, and the double alone within 4e-16 a "
    "token") {
  // A table row at 2^31 needs 2^-65: what 2.99e-8 leaves beside float32's rounding, 2^-25. Where
  // the double alone counts, up to 2^20, it moves an angle by 4.2e-10.
  double worst = 0, worst_double = 0;
  auto is_taken = phasor::test::every_nth(3);  // configurations are 145 or 170
  for (const std::size_t P : {1u, 2u, 16u, 64u, 200u}) {
    for (const double base : {1.5, 10000.0, 500000.0, 1e9}) {
      for (const auto& [scaling, options] : configurations(P)) {
        if (!is_taken()) continue;
        const Scaled got = scaled(scaling, options, base, P);
        REQUIRE(got.status == Status::kOk);
        for (std::size_t i = 0; i < P; ++i) {
          const __float128 want = reference<__float128>(scaling, options, base, P, i);
          const __float128 theta = got.theta[i];
          const double error = static_cast<double>(fabsq(theta + got.rest[i] - want));
          CHECK(error <= 0x1p-80 * static_cast<double>(want));
          if (want > 0) worst = std::max(worst, error / static_cast<double>(want));
          worst_double = std::max(worst_double, static_cast<double>(fabsq(theta - want)));
        }
      }
    }
  }
  CHECK(worst_double <= 4e-16);
  MESSAGE("worst relative error: " << worst << ", of the double absolute: " << worst_double);
}

#endif

TEST_CASE("rope.scaled_frequencies in float32 steps are floats, a few roundings from the formula") {
  for (const auto precision : {Precision::kTorchPow, Precision::kTorchExp}) {
    for (const auto& [scaling, options] : configurations(64)) {
      const Scaled got = scaled(scaling, options, 10000, 64, precision);
      REQUIRE(got.status == Status::kOk);
      for (std::size_t i = 0; i < 64; ++i) {
        CHECK(got.theta[i] == static_cast<double>(static_cast<float>(got.theta[i])));
        CHECK(got.rest[i] == 0);
        // A float32 power of up to 1e4 from a rounded exponent, ln 1e4 * 2^-24 and some roundings
        // of 2^-24: below 1e-5. In a blend the share kept is off by roundings of 2^-24 of the
        // whole.
        const double want = reference<double>(scaling, options, 10000, 64, i);
        const double whole = std::pow(10000, -static_cast<double>(i) / 64);
        CHECK(std::fabs(got.theta[i] - want) <= 1e-5 * want + 0x1p-21 * whole);
      }
    }
  }
}

TEST_CASE("rope.yarn_range has the ranges of published models") {
  const auto near = [](rope::Range got, double low, double high) {
    CHECK(got.low == doctest::Approx(low).epsilon(1e-6));
    CHECK(got.high == doctest::Approx(high).epsilon(1e-6));
  };
  near(rope::yarn_range(64, 10000, 4096, 32, 1, false), 20.9445, 45.0269);      // Llama-2
  near(rope::yarn_range(32, 150000, 4096, 32, 1, false), 8.092779, 17.398025);  // gpt-oss
  const auto whole = [](rope::Range got, double low, double high) {
    CHECK(got.low == low);
    CHECK(got.high == high);
  };
  whole(rope::yarn_range(64, 10000, 4096, 32, 1, true), 20, 46);
  whole(rope::yarn_range(64, 1000000, 32768, 32, 1, true), 23, 40);  // Qwen2.5
  whole(rope::yarn_range(32, 10000, 4096, 32, 1, true), 10, 23);     // DeepSeek-V3
  near(rope::yarn_range(1, 10000, 1e9, 32, 32, true), 1, 1.001);     // R - 1 wins over both
}

TEST_CASE("rope.yarn_range is never empty") {
  const auto [low, high] = rope::yarn_range(8, 10000, 64, 1, 1, false);
  CHECK(high - low == doctest::Approx(0.001));
}

TEST_CASE("rope.scaled_frequencies have the factors of published models") {
  const auto yarn = [](double s, double m, double all, double given) {
    return scaled(Scaling::kYarn, {0, s, 4096, 32, 1, 1, m, all, given, 0}, 10000, 32).factors;
  };
  const auto near = [](double x) { return doctest::Approx(x).epsilon(5e-7); };
  for (const auto& [s, g] : {std::pair{2.0, 1.069315},
                             {4.0, 1.138629},
                             {8.0, 1.207944},
                             {16.0, 1.277259},
                             {32.0, 1.346574},
                             {40.0, 1.368888},
                             {64.0, 1.415888}})
    CHECK(yarn(s, 0, 0, 0)[0] == near(g));
  CHECK(yarn(1, 0, 0, 0)[0] == 1);
  CHECK(yarn(40, 1, 1, 0)[0] == 1);
  CHECK(yarn(40, 1, 1, 0)[1] == near(1.873854));          // DeepSeek-V3
  CHECK(yarn(40, 0.707, 0.707, 0)[1] == near(1.589626));  // V2-Lite
  CHECK(yarn(40, 1, 0, 0)[0] == near(1.368888));          // one of the two is not enough
  CHECK(yarn(40, 1, 0, 0)[1] == 1);
  CHECK(yarn(40, 1, 1, 1.3)[0] == 1.3);
  const auto longrope = [](double s, double L, double given) {
    return scaled(Scaling::kLongrope, {0, L, s, given, 1, 1}, 10000, 1).factors[0];
  };
  CHECK(longrope(32, 4096, 0) == near(1.190238));
  CHECK(longrope(32, 8192, 0) == near(1.176697));
  CHECK(longrope(4, 32768, 0) == near(1.064581));
  CHECK(longrope(1, 4096, 0) == 1);
  CHECK(longrope(32, 4096, 1.5) == 1.5);
}

TEST_CASE("rope.scaled_frequencies of llama3 with low = high have two bands and no NaN") {
  const auto [status, theta, rest, factors] =
      scaled(Scaling::kLlama3, {0, 8, 1, 1, 8192}, 500000, 64);
  REQUIRE(status == Status::kOk);
  for (std::size_t i = 0; i < 64; ++i) {
    const double whole = std::pow(500000, -static_cast<double>(i) / 64);
    const bool kept = 2 * std::numbers::pi / whole <= 8192;
    CHECK(theta[i] == doctest::Approx(kept ? whole : whole / 8).epsilon(1e-12));
  }
}

TEST_CASE("rope.scaled_frequencies of huge and tiny factors have a finite low part") {
  for (const double factor : {1.0, 1e-300, 1e-310, 1e300, 1.7e308}) {
    const auto far = scaled(Scaling::kLongrope, {0, 64, 1, 0, factor, factor, 1, 1}, 10000, 2);
    REQUIRE(far.status == Status::kOk);
    for (const double x : far.rest) CHECK(std::isfinite(x));
    if (factor < 1) continue;
    for (const auto& options : {std::vector<double>{0, factor, 1, 4, 8192}, {0, 8, 1, factor, 64}})
      for (const double x : scaled(Scaling::kLlama3, options, 10000, 2).rest)
        CHECK(std::isfinite(x));
  }
}

TEST_CASE("rope.scaled_frequencies rejects invalid options and writes nothing") {
  const auto untouched = [](const Scaled& got, Status status) {
    CHECK(got.status == status);
    for (const double x : got.theta) CHECK(x == 7);
    for (const double x : got.rest) CHECK(x == 7);
    CHECK(got.factors == std::array<double, 2>{7, 7});
  };
  for (const auto& [scaling, options] : configurations(4)) {
    std::vector<double> longer = options, shorter = options;
    longer.push_back(1);
    shorter.pop_back();
    if (phasor::kChecked) untouched(scaled(scaling, longer, 10000, 4), Status::kBadShape);
    if (phasor::kChecked) untouched(scaled(scaling, shorter, 10000, 4), Status::kBadShape);
  }
  untouched(scaled(Scaling::kNtk, {0, 1e300}, 1e300, 4), Status::kBadParam);
  untouched(scaled(Scaling::kYarn, {0, 4, 4096, 32, 1, 1, 0, 0, 1e39, 0}, 10000, 4),
            Status::kBadParam);
  untouched(scaled(Scaling::kYarn, {0, 4, 4096, 32, 1, 1, 1e308, 1e308, 0, 1}, 10000, 4),
            Status::kBadParam);
}
