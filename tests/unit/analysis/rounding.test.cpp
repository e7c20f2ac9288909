#include "analysis/rounding/rounding.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "bad_shape.h"
#include "bits.h"
#include "math/half.h"
#include "math/phase.h"

namespace phase = phasor::phase;
namespace rounding = phasor::rounding;
using phasor::Status;
using rounding::Pipeline;

namespace {

constexpr std::array kAll{Pipeline::kExact,         Pipeline::kFloat32Angle, Pipeline::kFloat32,
                          Pipeline::kBfloat16Table, Pipeline::kFloat16Table, Pipeline::kBfloat16,
                          Pipeline::kFloat16,       Pipeline::kGgml};

struct Report {
  std::vector<double> summary{-1, 0, 0, 0};
  std::vector<float> errors;
};

std::vector<double> frequencies(std::size_t P, phase::Precision kind) {
  std::vector<double> workspace(phase::workspace_size(P, false));
  REQUIRE(phase::frequencies(10000, static_cast<double>(P), kind, P, workspace) == Status::kOk);
  return workspace;
}

Report report(const std::vector<double>& positions, std::size_t P, Pipeline pipeline) {
  const std::vector<double> exact = frequencies(P, phase::Precision::kExact);
  const std::vector<double> single = frequencies(P, phase::Precision::kTorchPow);
  const std::span theta{exact};
  Report result;
  result.errors.resize(positions.size() * P);
  REQUIRE(rounding::errors(positions, theta.first(P), theta.subspan(P, P),
                           std::span{single}.first(P), 10000, static_cast<double>(P), pipeline,
                           result.summary, result.errors) == Status::kOk);
  return result;
}

std::vector<double> places() {
  std::vector<double> positions;
  for (int t = 0; t < 60; ++t) positions.push_back(t * t * 17.0 - 1000 + (t % 3) * 0.25);
  return positions;
}

}  // namespace

TEST_CASE("rounding.errors: the error of the exact pipeline is at most half a unit of float32") {
  const Report got = report(places(), 16, Pipeline::kExact);
  CHECK(got.summary[0] <= 2.99e-8);
  CHECK(got.summary[0] > 1e-8);
}

TEST_CASE("rounding.errors: position 0 is exact in every pipeline") {
  for (const auto pipeline : kAll) CHECK(report({0.0}, 8, pipeline).summary[0] == 0);
}

TEST_CASE("rounding.errors: bfloat16 rounds 257 to 256") {
  using phasor::half::Dtype;
  using phasor::half::rounded;
  CHECK(rounded(257, Dtype::kBfloat16) == 256);
  CHECK(rounded(15962, Dtype::kBfloat16) == 15936);
  const double sine =
      std::fabs(rounded(static_cast<float>(std::sin(256.0)), Dtype::kBfloat16) - std::sin(257.0));
  const double cosine =
      std::fabs(rounded(static_cast<float>(std::cos(256.0)), Dtype::kBfloat16) - std::cos(257.0));
  CHECK(report({257.0}, 1, Pipeline::kBfloat16).summary[0] ==
        doctest::Approx(std::max(sine, cosine)).epsilon(1e-12));
}

TEST_CASE(
    "rounding.errors: the summary has the largest error of all calls, and the sum of squares") {
  for (const auto pipeline : kAll) {
    const Report got = report(places(), 8, pipeline);
    double worst = -1, squares = 0;
    std::size_t at = 0;
    for (std::size_t k = 0; k < got.errors.size(); ++k) {
      const double error = static_cast<double>(got.errors[k]);
      squares += error * error;
      if (error > worst) {
        worst = error;
        at = k;
      }
    }
    CHECK(static_cast<float>(got.summary[0]) == static_cast<float>(worst));
    CHECK(got.summary[1] == places()[at / 8]);
    CHECK(got.summary[2] == static_cast<double>(at % 8));
    CHECK(got.summary[3] == doctest::Approx(squares).epsilon(1e-6));
  }
}

TEST_CASE("rounding.errors: a value outside float16's range is NaN, and stays the largest error") {
  const Report got = report({1, 65520, 2, 70000}, 2, Pipeline::kFloat16);
  CHECK(std::isnan(got.errors[2]));
  CHECK(got.errors[4] < 1e-3f);
  CHECK(std::isnan(got.summary[0]));
  CHECK(got.summary[1] == 65520);
  CHECK(got.summary[2] == 0);
}

TEST_CASE("rounding.errors: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  for (const auto pipeline : kAll) bits.add(report(places(), 16, pipeline).errors);
  CHECK(bits.value() == 0x322866578af975d2);
}

TEST_CASE("rounding.errors: rejects mismatched arguments and writes nothing") {
  const std::array<double, 2> two{0.5, 0.25}, zero{0.0, 0.0};
  const std::array<double, 1> one{0.5};
  std::vector<double> summary{-1, 0, 0, 0};
  std::vector<float> out(2, 7.0f);
  const auto call = [&](std::span<const double> positions, std::span<const double> low,
                        std::span<const double> single) {
    return rounding::errors(positions, two, low, single, 10000, 2, Pipeline::kFloat32, summary,
                            out);
  };
  CHECK_BAD_SHAPE(call(one, one, two));
  CHECK_BAD_SHAPE(call(one, zero, one));
  CHECK_BAD_SHAPE(call(two, zero, two));
  CHECK(call(std::array{4294967297.0}, zero, two) == Status::kBadParam);
  CHECK(call(std::array{std::nan("")}, zero, two) == Status::kBadParam);
  CHECK(summary == std::vector<double>{-1, 0, 0, 0});
  CHECK(out == std::vector<float>(2, 7.0f));
  CHECK(call(one, zero, two) == Status::kOk);
}
