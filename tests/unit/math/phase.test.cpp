#include "math/phase.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <vector>

#include "bad_shape.h"
#include "bits.h"
#include "math/double_double.h"
#include "math/turns.h"

#if !defined(__EMSCRIPTEN__)
#include <quadmath.h>
#endif

namespace phase = phasor::phase;
using phase::Precision;
using phasor::Status;

namespace {

struct Spectrum {
  Spectrum(double base, double n, std::size_t P, Precision precision = Precision::kExact,
           bool steps = true)
      : pairs(P), workspace(phase::workspace_size(P, steps)) {
    REQUIRE(phase::frequencies(base, n, precision, P, workspace) == Status::kOk);
  }
  phase::Columns interleaved() const { return {0, 1, 2, 2 * pairs, pairs}; }
  phase::Columns halves() const { return {0, pairs, 1, 2 * pairs, pairs}; }

  std::size_t pairs;
  std::vector<double> workspace;
};

std::vector<double> range(double first, std::size_t count, double step = 1) {
  std::vector<double> positions(count);
  for (std::size_t t = 0; t < count; ++t) positions[t] = first + static_cast<double>(t) * step;
  return positions;
}

std::vector<float> table(Spectrum& s, const std::vector<double>& positions,
                         Precision precision = Precision::kExact, double amplitude = 1) {
  std::vector<float> out(positions.size() * 2 * s.pairs);
  REQUIRE(phase::rows(positions, precision, s.pairs, amplitude, s.workspace, out,
                      s.interleaved()) == Status::kOk);
  return out;
}

/// Floats of every exponent up to 2^31 and both signs, `per_exponent` in each binade.
std::vector<float> all_sizes(int per_exponent) {
  std::vector<float> angles{0.0f, std::numeric_limits<float>::denorm_min(), 2147483648.0f};
  for (int e = -126; e < 31; ++e)
    for (int i = 0; i < per_exponent; ++i)
      angles.push_back(
          std::ldexp(1.0f + (static_cast<float>(i) + 0.37f) / static_cast<float>(per_exponent), e));
  const std::size_t positive = angles.size();
  for (std::size_t i = 0; i < positive; ++i) angles.push_back(-angles[i]);
  return angles;
}

#if !defined(__EMSCRIPTEN__)
/// |got - exact| in units of float32's spacing at the exact value.
double ulps(float got, __float128 exact) {
  const __float128 error = fabsq(static_cast<__float128>(got) - exact);
  int exponent = 0;
  (void)frexpq(exact, &exponent);
  const int unit = exact == 0 ? -149 : std::max(exponent - 24, -149);
  return static_cast<double>(scalbnq(error, -unit));
}
#endif

}  // namespace

TEST_CASE("sin_cos: SIMD equals the scalar definition, bit for bit, at every tail length") {
  for (std::size_t n = 0; n < 20; ++n) {
    std::vector<float> angles(n), s(n), c(n), s1(n), c1(n);
    for (std::size_t i = 0; i < n; ++i)
      angles[i] = (i % 2 == 0 ? 1.0f : -1.0f) * std::ldexp(1.1f, static_cast<int>(i) * 2 - 8);
    REQUIRE(phase::sin_cos(angles, s, c) == Status::kOk);
    REQUIRE(phase::sin_cos_scalar(angles, s1, c1) == Status::kOk);
    CHECK(s == s1);
    CHECK(c == c1);
  }
}

TEST_CASE("sin_cos: rejects angles beyond 2^31, NaN and unequal lengths, and writes nothing") {
  std::array<float, 1> s{7}, c{7};
  for (const float bad : {std::nextafter(2147483648.0f, 1e30f), -4e9f, std::nanf(""),
                          std::numeric_limits<float>::infinity()}) {
    CHECK(phase::sin_cos(std::array{bad}, s, c) == Status::kBadParam);
    CHECK(phase::sin_cos_scalar(std::array{bad}, s, c) == Status::kBadParam);
  }
  CHECK_BAD_SHAPE(phase::sin_cos(std::array{1.0f, 2.0f}, s, c));
  CHECK(s[0] == 7);
  CHECK(c[0] == 7);
}

TEST_CASE("sin_cos: the same bits natively and in wasm") {
  const std::vector<float> angles = all_sizes(100);
  std::vector<float> s(angles.size()), c(angles.size());
  REQUIRE(phase::sin_cos(angles, s, c) == Status::kOk);
  phasor::test::Fingerprint bits;
  bits.add(s);
  bits.add(c);
  CHECK(bits.value() == 0x94177573d52e40fdu);
}

TEST_CASE("rows: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  for (const double base : {10000.0, 500000.0, 1e10}) {
    Spectrum s(base, 33.5, 67);
    for (const double first : {0.0, -70.0, 1048500.0, 2147483500.0})
      bits.add(table(s, range(first, 140)));
    bits.add(table(s, range(-3.3, 50, 1.7)));
    Spectrum e(base, 33.5, 67, Precision::kTorchExp, false);
    bits.add(table(e, range(0, 100, 37), Precision::kTorchExp));
    Spectrum p(base, 33.5, 67, Precision::kTorchPow, false);
    bits.add(table(p, range(0, 100, 37), Precision::kTorchPow));
  }
  CHECK(bits.value() == 0x7e19d8e445310730u);
}

TEST_CASE("rows: SIMD equals the scalar definition, bit for bit, at every width and layout") {
  for (std::size_t P : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 31u, 64u}) {
    for (const bool steps : {false, true}) {
      for (const auto precision : {Precision::kExact, Precision::kTorchExp, Precision::kTorchPow}) {
        Spectrum s(10000, static_cast<double>(P), P, precision, steps);
        std::vector<double> positions = range(-40, 90);
        for (const double p : {0.5, -7.25, 1048575.0, 1048576.0, -1048577.0, 2147483648.0, 1e9 + 1})
          positions.push_back(p);
        for (phase::Columns columns : {s.interleaved(), s.halves()}) {
          for (const std::size_t cosines : {P, P - 1}) {
            columns.cosines = cosines;
            for (const double amplitude : {1.0, 1.25, -0.5}) {
              std::vector<float> fast(positions.size() * 2 * P, 9.0f), slow = fast;
              REQUIRE(phase::rows(positions, precision, P, amplitude, s.workspace, fast, columns) ==
                      Status::kOk);
              REQUIRE(phase::rows_scalar(positions, precision, P, amplitude, s.workspace, slow,
                                         columns) == Status::kOk);
              CHECK(fast == slow);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("rows: a value depends only on its position and frequency") {
  Spectrum long_one(10000, 24, 24), short_one(10000, 24, 24, Precision::kExact, false);
  const std::vector<float> all = table(long_one, range(0, 300));
  for (const double first : {0.0, 1.0, 31.0, 32.0, 33.0, 255.0}) {
    const std::vector<float> part = table(short_one, range(first, 3));
    for (std::size_t k = 0; k < part.size(); ++k)
      CHECK(part[k] == all[static_cast<std::size_t>(first) * 48 + k]);
  }
}

TEST_CASE("rows: position 0 is exactly 0, 1, 0, 1, ... and opposite positions are mirrored") {
  Spectrum s(10000, 16, 16);
  const std::vector<float> zero = table(s, {0});
  for (std::size_t i = 0; i < zero.size(); ++i) CHECK(zero[i] == (i % 2 == 0 ? 0.0f : 1.0f));
  const std::vector<float> right = table(s, {12345.5}), left = table(s, {-12345.5});
  for (std::size_t i = 0; i < right.size(); i += 2) {
    CHECK(left[i] == -right[i]);
    CHECK(left[i + 1] == right[i + 1]);
  }
}

TEST_CASE("rows: rejects positions out of range and invalid spans, and writes nothing") {
  Spectrum s(10000, 4, 4);
  std::vector<float> out(8, 7.0f);
  const auto call = [&](double position, phase::Columns columns, double amplitude = 1) {
    return phase::rows(std::array{position}, Precision::kExact, 4, amplitude, s.workspace, out,
                       columns);
  };
  CHECK(call(2147483649.0, s.interleaved()) == Status::kBadParam);
  CHECK(call(std::nan(""), s.interleaved()) == Status::kBadParam);
  CHECK(call(1, s.interleaved(), 0) == Status::kBadParam);
  CHECK(call(1, {0, 4, 2, 8, 4}) == Status::kBadParam);
  CHECK_BAD_SHAPE(call(1, {1, 5, 1, 8, 4}));
  CHECK_BAD_SHAPE(call(1, {0, 5, 1, 8, 4}));
  CHECK_BAD_SHAPE(
      phase::rows(std::array{1.0}, Precision::kExact, 5, 1, s.workspace, out, s.interleaved()));
  for (const float x : out) CHECK(x == 7.0f);
}

TEST_CASE("rows: limits the product of position and frequency to 2^31") {
  std::vector<double> workspace(phase::workspace_size(2, false));
  REQUIRE(phase::adopt(std::array{0.625, 0.001}, std::array{0.0, 0.0}, workspace) == Status::kOk);
  const double last = 2147483648.0 / 0.625;
  for (const double position : {3 * 1073741824.0, last, -last, last - 0.5}) {
    std::array<float, 4> fast{}, slow{};
    const phase::Columns columns{0, 2, 1, 4, 2};
    REQUIRE(phase::rows(std::array{position}, Precision::kExact, 2, 1, workspace, fast, columns) ==
            Status::kOk);
    REQUIRE(phase::rows_scalar(std::array{position}, Precision::kExact, 2, 1, workspace, slow,
                               columns) == Status::kOk);
    CHECK(fast == slow);
    const auto [c, s] = phasor::cos_sin_radians(phasor::two_product(position, 0.625));
    CHECK(std::fabs(static_cast<double>(fast[0]) - s) <= 2.99e-8);
    CHECK(std::fabs(static_cast<double>(fast[2]) - c) <= 2.99e-8);
    CHECK(phase::rows(std::array{position * 1.001}, Precision::kExact, 2, 1, workspace, fast,
                      columns) == (std::fabs(position) < 3.3e9 ? Status::kOk : Status::kBadParam));
  }
  REQUIRE(phase::adopt(std::array{0.001, 0.0}, std::array{0.0, 0.0}, workspace) == Status::kOk);
  std::array<float, 4> out{};
  for (const auto& [position, status] :
       {std::pair{4294967296.0, Status::kOk}, {4294967297.0, Status::kBadParam}})
    CHECK(phase::rows(std::array{position}, Precision::kExact, 2, 1, workspace, out,
                      {0, 2, 1, 4, 2}) == status);
}

TEST_CASE("frequencies: rejects an invalid spectrum") {
  std::vector<double> w(phase::workspace_size(4, false));
  CHECK(phase::frequencies(0.5, 4, Precision::kExact, 4, w) == Status::kBadParam);
  CHECK(phase::frequencies(INFINITY, 4, Precision::kExact, 4, w) == Status::kBadParam);
  CHECK(phase::frequencies(10, 0, Precision::kExact, 4, w) == Status::kBadParam);
  CHECK_BAD_SHAPE(phase::frequencies(10, 4, Precision::kExact, 5, w));
}

TEST_CASE("adopt: rejects frequencies above 1, NaN and wrong lengths, and writes nothing") {
  std::vector<double> workspace(phase::workspace_size(1, false), 7.0);
  for (const double bad : {1.0000001, -2.0, std::nan("")})
    CHECK(phase::adopt(std::array{bad}, std::array{0.0}, workspace) == Status::kBadParam);
  CHECK_BAD_SHAPE(phase::adopt(std::array{0.5, 0.25}, std::array{0.0, 0.0}, workspace));
  CHECK_BAD_SHAPE(phase::adopt(std::array{0.5}, std::array{0.0, 0.0}, workspace));
  CHECK(workspace == std::vector<double>(workspace.size(), 7.0));
}

TEST_CASE("to_float rounds a double-double once") {
  const double tie = 1.0 + 0x1p-24;  // halfway between 1 and the next float
  CHECK(phasor::to_float({tie, 0}) == 1.0f);
  CHECK(phasor::to_float({tie, 0x1p-80}) == 1.0f + 0x1p-23f);
  CHECK(phasor::to_float({tie, -0x1p-80}) == 1.0f);
  CHECK(phasor::to_float({-tie, -0x1p-80}) == -1.0f - 0x1p-23f);
  CHECK(phasor::to_float({0.1, 0}) == 0.1f);
}

#if !defined(__EMSCRIPTEN__)

TEST_CASE("sin_cos is within 0.51 ULP of quad precision for all |angle| <= 2^31") {
  const bool sweep = std::getenv("PHASOR_SWEEP") != nullptr;
  const std::vector<float> angles = all_sizes(sweep ? 60000 : 60);
  std::vector<float> s(angles.size()), c(angles.size());
  REQUIRE(phase::sin_cos(angles, s, c) == Status::kOk);
  double worst = 0;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    __float128 sine, cosine;
    sincosq(static_cast<__float128>(angles[i]), &sine, &cosine);
    worst = std::max({worst, ulps(s[i], sine), ulps(c[i], cosine)});
  }
  MESSAGE("worst ULP " << worst << " over " << angles.size() << " angles");
  CHECK(worst <= 0.51);
}

TEST_CASE("frequencies are correctly rounded, and accurate to 84 bits") {
  for (const double base : {1.0, 100.0, 10000.0, 500000.0, 1e6, 1e10}) {
    for (const std::size_t P : {1u, 32u, 48u, 64u, 384u, 4096u}) {
      const double n = static_cast<double>(P);
      Spectrum s(base, n, P, Precision::kExact, false);
      std::vector<float> rounded(P);
      REQUIRE(phase::read_frequencies(s.workspace, rounded) == Status::kOk);
      bool all_rounded = true;
      __float128 worst = 0;
      for (std::size_t i = 0; i < P; ++i) {
        const __float128 exact =
            powq(static_cast<__float128>(base), -static_cast<__float128>(i) / n);
        const __float128 got = static_cast<__float128>(s.workspace[i]) + s.workspace[P + i];
        worst = std::max(worst, fabsq(got / exact - 1));
        all_rounded = all_rounded && rounded[i] == static_cast<float>(exact);
      }
      CHECK(all_rounded);
      CHECK(static_cast<double>(worst) <= 0x1p-84);
    }
  }
}

TEST_CASE("rows are within 0.501 ULP up to 2^20 and 2.99e-8 up to 2^31") {
  const bool sweep = std::getenv("PHASOR_SWEEP") != nullptr;
  const std::size_t T = sweep ? 20000 : 100;
  double worst = 0, worst_far = 0;
  std::size_t misrounded = 0, values = 0;
  for (const double base : {10000.0, 500000.0, 1e6}) {
    for (const std::size_t P : {32u, 64u}) {
      Spectrum s(base, static_cast<double>(P), P);
      std::vector<__float128> theta(P);
      for (std::size_t i = 0; i < P; ++i)
        theta[i] = powq(static_cast<__float128>(base), -static_cast<__float128>(i) / P);
      for (const auto& [first, step, far] : {std::tuple{0.0, 1.0, false},
                                             {-1048576.0, 97.0, false},
                                             {1040000.0, 0.37, false},
                                             {1048576.0 - static_cast<double>(T), 1.0, false},
                                             {2147483648.0, -1.0, true},
                                             {-1.9e9, 12345.678, true}}) {
        const std::vector<double> positions = range(first, T, step);
        const std::vector<float> got = table(s, positions);
        for (std::size_t t = 0; t < T; ++t) {
          for (std::size_t i = 0; i < P; ++i) {
            __float128 exact[2];
            sincosq(static_cast<__float128>(positions[t]) * theta[i], &exact[0], &exact[1]);
            for (std::size_t k = 0; k < 2; ++k) {
              const float value = got[t * 2 * P + 2 * i + k];
              ++values;
              if (value != static_cast<float>(exact[k])) ++misrounded;
              if (far)
                worst_far =
                    std::max(worst_far,
                             static_cast<double>(fabsq(static_cast<__float128>(value) - exact[k])));
              else
                worst = std::max(worst, ulps(value, exact[k]));
            }
          }
        }
      }
    }
  }
  MESSAGE("worst ULP " << worst << ", beyond 2^20 absolute " << worst_far << "; " << misrounded
                       << " of " << values << " not correctly rounded");
  CHECK(worst <= 0.501);
  CHECK(worst_far <= 2.99e-8);
}

TEST_CASE("rows: given frequencies, also negative ones and zero, keep 0.501 ULP") {
  const std::vector<double> theta{1, 1 / 3.0, -0.1, 0, 1e-4, 355.0 / 2147483648.0};
  const std::size_t P = theta.size();
  std::vector<double> workspace(phase::workspace_size(P, true));
  REQUIRE(phase::adopt(theta, std::vector<double>(P), workspace) == Status::kOk);
  std::vector<double> positions = range(-200, 400);
  for (const double far : range(1048000, 500)) positions.push_back(far);
  std::vector<float> out(positions.size() * 2 * P);
  REQUIRE(phase::rows(positions, Precision::kExact, P, 1.0, workspace, out, {0, P, 1, 2 * P, P}) ==
          Status::kOk);
  double most = 0;
  for (std::size_t t = 0; t < positions.size(); ++t) {
    for (std::size_t i = 0; i < P; ++i) {
      const __float128 angle = static_cast<__float128>(positions[t]) * theta[i];
      most = std::max(most, ulps(out[t * 2 * P + i], sinq(angle)));
      most = std::max(most, ulps(out[t * 2 * P + P + i], cosq(angle)));
    }
  }
  CHECK(most <= 0.501);
}

TEST_CASE(
    "rows: the low part of a given frequency matters only beyond 2^20; SIMD equals the scalar") {
  const std::vector<double> theta{1 / 3.0, -0.1, 1e-4}, rest{1e-17, -3e-18, 5e-21}, none(3);
  const auto rows = [&](const std::vector<double>& positions, const std::vector<double>& rests,
                        auto&& kernel) {
    std::vector<double> workspace(phase::workspace_size(3, false));
    REQUIRE(phase::adopt(theta, rests, workspace) == Status::kOk);
    std::vector<float> out(positions.size() * 6);
    REQUIRE(kernel(positions, Precision::kExact, 3, 1.0, workspace, out,
                   phase::Columns{0, 3, 1, 6, 3}) == Status::kOk);
    return out;
  };
  std::vector<double> near = range(-1048576, 5000, 419.0), far = range(1048609, 500);
  for (const double p : {1048575.0, -1048576.0, 1048575.5, 0.25}) near.push_back(p);
  for (const double p : {2147483648.0, -2147483647.5, 1.5e9, 1048576.5}) far.push_back(p);
  CHECK(rows(near, rest, phase::rows) == rows(near, none, phase::rows));
  CHECK(rows(far, rest, phase::rows) == rows(far, rest, phase::rows_scalar));
  const std::vector<float> got = rows(far, rest, phase::rows);
  for (std::size_t t = 0; t < far.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const __float128 angle = far[t] * (static_cast<__float128>(theta[i]) + rest[i]);
      CHECK(fabsq(got[t * 6 + i] - sinq(angle)) <= 2.99e-8);
      CHECK(fabsq(got[t * 6 + 3 + i] - cosq(angle)) <= 2.99e-8);
    }
  }
}

TEST_CASE("rows: sines of the integer multiples nearest to pi keep 0.501 ULP") {
  // Numerators of the convergents of pi: |sin(p)| falls to 1e-6, where an angle addition alone
  // would show its rounding.
  Spectrum s(10000, 4, 4);
  for (const double p : {22.0, 355.0, 103993.0, 104348.0, 208341.0, 312689.0, 833719.0}) {
    for (const double position : {p, -p}) {
      const float got = table(s, {position})[0];
      CHECK(ulps(got, sinq(static_cast<__float128>(position))) <= 0.501);
    }
  }
}

TEST_CASE("rows with torch precision are within 0.51 ULP of the sine of the float32 angle") {
  for (const auto precision : {Precision::kTorchExp, Precision::kTorchPow}) {
    Spectrum s(10000, 32, 32, precision, false);
    const std::vector<double> positions = range(0, 200, 5011);
    const std::vector<float> got = table(s, positions, precision);
    double worst = 0;
    for (std::size_t t = 0; t < positions.size(); ++t) {
      for (std::size_t i = 0; i < 32; ++i) {
        const float angle = static_cast<float>(positions[t]) * static_cast<float>(s.workspace[i]);
        __float128 sine, cosine;
        sincosq(static_cast<__float128>(angle), &sine, &cosine);
        worst = std::max(
            {worst, ulps(got[t * 64 + 2 * i], sine), ulps(got[t * 64 + 2 * i + 1], cosine)});
      }
    }
    CHECK(worst <= 0.51);
  }
}

#endif
