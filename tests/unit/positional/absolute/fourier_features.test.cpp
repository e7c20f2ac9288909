#include "positional/absolute/fourier_features/fourier_features.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "bad_shape.h"
#include "bits.h"

#if !defined(__EMSCRIPTEN__)
#include <quadmath.h>
#endif

namespace fourier_features = phasor::fourier_features;
using fourier_features::Input;
using fourier_features::Spacing;
using fourier_features::Steps;
using fourier_features::Unit;
using phasor::Status;

namespace {

std::vector<double> spread(double first, double last, Spacing spacing, std::size_t P,
                           Steps steps = Steps::kExact) {
  std::vector<double> out(P);
  REQUIRE(fourier_features::spread(first, last, spacing, steps, out) == Status::kOk);
  return out;
}

/// Sine and cosine of each x at each w, [N, 2P].
std::vector<float> waves(const std::vector<double>& x, const std::vector<double>& w, Unit unit,
                         Steps steps = Steps::kExact, Input input = Input::kPlain) {
  const std::size_t P = w.size();
  std::vector<float> out(x.size() * 2 * P);
  REQUIRE(fourier_features::waves(x, w, 1, unit, input, steps,
                                  {.row = 2 * P, .sin = 0, .cos = P, .coordinate = 0, .band = 1},
                                  out) == Status::kOk);
  return out;
}

std::vector<double> coordinates() {
  std::vector<double> x{0.0, 0.25, -0.5, 1.0, 355.0, 103993.0, 3.141592653589793};
  double value = 1e-4;
  for (int i = 0; i < 400; ++i, value *= 1.05) x.push_back(i % 2 == 0 ? value : -value);
  return x;
}

}  // namespace

TEST_CASE("fourier.spread: ends are exact, and integer steps are integers") {
  CHECK(spread(-1, 1, Spacing::kLinear, 5) == std::vector<double>{-1, -0.5, 0, 0.5, 1});
  CHECK(spread(1, 16, Spacing::kGeometric, 5) == std::vector<double>{1, 2, 4, 8, 16});
  CHECK(spread(7, 9, Spacing::kLinear, 1) == std::vector<double>{7});
  CHECK(spread(1, 9, Spacing::kGeometric, 1) == std::vector<double>{1});
  for (std::size_t P : {2u, 7u, 64u, 101u}) {
    const std::vector<double> linear = spread(-1, 1, Spacing::kLinear, P);
    for (std::size_t k = 0; k < P; ++k) CHECK(linear[k] == -linear[P - 1 - k]);
    const std::vector<double> powers = spread(1, std::ldexp(1.0, 40), Spacing::kGeometric, P);
    CHECK(powers.front() == 1);
    CHECK(powers.back() == std::ldexp(1.0, 40));
    for (std::size_t k = 1; k < P; ++k) CHECK(powers[k] > powers[k - 1]);
  }
}

TEST_CASE(
    "fourier.spread: rejects ends that a geometric sequence cannot have, and writes nothing") {
  std::vector<double> out(3, 7.0);
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(fourier_features::spread(1, infinity, Spacing::kLinear, Steps::kExact, out) ==
        Status::kBadParam);
  CHECK(fourier_features::spread(2, 4, Spacing::kGeometric, Steps::kExact, out) ==
        Status::kBadParam);
  CHECK(fourier_features::spread(1, 0, Spacing::kGeometric, Steps::kExact, out) ==
        Status::kBadParam);
  CHECK(out == std::vector<double>(3, 7.0));
}

TEST_CASE("fourier.spread: float32 steps count the second half from the end, as torch.linspace") {
  const std::vector<double> got = spread(0, 1, Spacing::kLinear, 4, Steps::kFloat32);
  const float step = 1.0f / 3.0f;
  CHECK(got == std::vector<double>{0.0, step, 1.0f - step, 1.0});
}

#if !defined(__EMSCRIPTEN__)
const __float128 kPi = acosq(-1);

TEST_CASE("fourier.waves: exact is within 0.501 ULP of quad precision in every unit") {
  const std::vector<double> x = coordinates(), w{1.0, 0.3, 32.0, 1234.5678};
  const auto ulps = [](float got, __float128 want) {
    if (want == 0) return got == 0 ? 0.0 : 1e9;
    const double unit = std::ldexp(1.0, std::ilogb(static_cast<double>(want)) - 23);
    return static_cast<double>(fabsq(static_cast<__float128>(got) - want)) / unit;
  };
  for (const auto unit : {Unit::kRadians, Unit::kHalfTurns, Unit::kTurns}) {
    const std::vector<float> got = waves(x, w, unit);
    const __float128 scale = unit == Unit::kRadians ? 1 : unit == Unit::kTurns ? 2 * kPi : kPi;
    for (std::size_t n = 0; n < x.size(); ++n) {
      for (std::size_t k = 0; k < w.size(); ++k) {
        // Whole quarters are exact here, while quad's pi leaves 1e-34 of the angle in their place.
        const __float128 quarters =
            static_cast<__float128>(x[n]) * w[k] * (unit == Unit::kTurns ? 4 : 2);
        if (unit != Unit::kRadians && quarters == rintq(quarters)) continue;
        __float128 sine, cosine;
        sincosq(static_cast<__float128>(x[n]) * w[k] * scale, &sine, &cosine);
        CHECK(ulps(got[n * 8 + k], sine) <= 0.501);
        CHECK(ulps(got[n * 8 + 4 + k], cosine) <= 0.501);
      }
    }
  }
}
#endif

TEST_CASE("fourier.waves: quarters of a turn are exact") {
  CHECK(waves({0.25, 0.5, 0.75, 1e6}, {1.0}, Unit::kTurns) ==
        std::vector<float>{1, 0, 0, -1, -1, 0, 0, 1});
  CHECK(waves({-1.0, 1.0, 0.5}, {1.0}, Unit::kHalfTurns) == std::vector<float>{0, -1, 0, -1, 1, 0});
}

TEST_CASE("fourier.waves: writes the given columns and leaves the others unchanged") {
  const std::vector<double> x{1, 2, 3, 4}, w{1, 2, 3, 1, 2, 3};  // two points, C = 2, P = 3
  std::vector<float> out(2 * 14, 9.0f);
  REQUIRE(fourier_features::waves(x, w, 2, Unit::kRadians, Input::kPlain, Steps::kExact,
                                  {.row = 14, .sin = 2, .cos = 4, .coordinate = 1, .band = 4},
                                  out) == Status::kOk);
  for (std::size_t n = 0; n < 2; ++n) {
    CHECK(out[n * 14] == 9.0f);
    CHECK(out[n * 14 + 1] == 9.0f);
    for (std::size_t c = 0; c < 2; ++c) {
      const std::vector<float> alone = waves({x[2 * n + c]}, {1, 2, 3}, Unit::kRadians);
      for (std::size_t k = 0; k < 3; ++k) {
        CHECK(out[n * 14 + 2 + 4 * k + c] == alone[k]);
        CHECK(out[n * 14 + 4 + 4 * k + c] == alone[3 + k]);
      }
    }
  }
}

TEST_CASE("fourier.waves: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  for (const auto unit : {Unit::kRadians, Unit::kHalfTurns, Unit::kTurns})
    for (const auto steps : {Steps::kExact, Steps::kFloat32})
      bits.add(waves(coordinates(), {1.0, 0.3, 32.0, 1234.5678}, unit, steps));
  bits.add(waves({1e-3, 0.5, 1, 77}, {0.1, 3}, Unit::kTurns, Steps::kExact, Input::kLog));
  bits.add(waves({1e-3, 0.5, 1, 77}, {0.1, 3}, Unit::kTurns, Steps::kFloat32, Input::kLog));
  for (const double x : spread(1, 112, Spacing::kGeometric, 64)) bits.add(static_cast<float>(x));
  CHECK(bits.value() == 0x6981844941f6bb6d);
}

TEST_CASE("fourier.waves: rejects mismatched shapes and angles out of range") {
  std::vector<float> out(4, 7.0f);
  const std::array x{1.0, 2.0};
  const auto call = [&](std::span<const double> w, std::size_t C,
                        fourier_features::Columns columns) {
    return fourier_features::waves(x, w, C, Unit::kRadians, Input::kPlain, Steps::kExact, columns,
                                   out);
  };
  const std::array one{1.0};
  CHECK_BAD_SHAPE(call(one, 0, {2, 0, 1, 0, 1}));
  CHECK_BAD_SHAPE(call(one, 2, {2, 0, 1, 0, 1}));
  CHECK_BAD_SHAPE(call(one, 1, {3, 0, 1, 0, 1}));
  CHECK_BAD_SHAPE(call(one, 1, {2, 0, 2, 0, 1}));
  CHECK_BAD_SHAPE(call(std::array{1.0, 1.0}, 1, {2, 0, 1, 0, 1}));
  CHECK(out == std::vector<float>(4, 7.0f));
  CHECK(call(std::array{1e10}, 1, {2, 0, 1, 0, 1}) == Status::kBadParam);
  CHECK(call(std::array{std::nan("")}, 1, {2, 0, 1, 0, 1}) == Status::kBadParam);
  CHECK(call(one, 1, {2, 0, 1, 0, 1}) == Status::kOk);
}
