#include "positional/rotary/axial_rope/axial_rope.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "bad_shape.h"
#include "bits.h"

namespace axial_rope = phasor::axial_rope;
namespace phase = phasor::phase;
using phase::Precision;
using phasor::Status;

namespace {

std::vector<float> mixed(const std::vector<double>& coordinates,
                         const std::vector<float>& frequencies, std::size_t A,
                         Precision precision) {
  const std::size_t P = frequencies.size() / A;
  std::vector<double> w(axial_rope::mixed_size(P));
  std::vector<float> out(coordinates.size() / A * 2 * P);
  REQUIRE(axial_rope::mixed(coordinates, frequencies, A, P, precision, w, out) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE("axialRope.table: has the rows of phase::rows, cosines then sines of each position") {
  const std::size_t P = 6;
  std::vector<double> w(phase::workspace_size(P, false));
  REQUIRE(phase::frequencies(100, 6, Precision::kExact, P, w) == Status::kOk);
  const std::vector<double> positions{0, 1, -0.75};
  std::vector<float> got(3 * 2 * P), want(2 * 3 * P);
  REQUIRE(axial_rope::table(positions, P, Precision::kExact, 2, w, got) == Status::kOk);
  REQUIRE(phase::rows(positions, Precision::kExact, P, 2, w, want,
                      {.sin = 3 * P, .cos = 0, .step = 1, .row = P, .cosines = P}) == Status::kOk);
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t i = 0; i < P; ++i) {
      CHECK(got[t * 2 * P + i] == want[t * P + i]);
      CHECK(got[t * 2 * P + P + i] == want[3 * P + t * P + i]);
    }
  }
  CHECK(axial_rope::table(positions, P, Precision::kExact, 2, w, want) == Status::kOk);
  want.pop_back();
  CHECK_BAD_SHAPE(axial_rope::table(positions, P, Precision::kExact, 2, w, want));
}

TEST_CASE("axialRope.mixed: rotates by the sum over all axes, in double or in float32 steps") {
  const std::vector<double> coordinates{0, 0, 3, 5, -2.5, 1e3};
  const std::vector<float> frequencies{1, 0.1f, -0.3f, 0, 0.7f, 0.011f};
  for (const auto precision : {Precision::kExact, Precision::kTorchPow}) {
    const std::vector<float> got = mixed(coordinates, frequencies, 2, precision);
    for (std::size_t t = 0; t < 3; ++t) {
      for (std::size_t i = 0; i < 3; ++i) {
        const double x = coordinates[2 * t], y = coordinates[2 * t + 1];
        const float fx = frequencies[i], fy = frequencies[3 + i];
        const double phi =
            precision == Precision::kExact
                ? x * static_cast<double>(fx) + y * static_cast<double>(fy)
                : static_cast<double>(static_cast<float>(x) * fx + static_cast<float>(y) * fy);
        CHECK(std::fabs(static_cast<double>(got[t * 6 + i]) - std::cos(phi)) < 3e-8);
        CHECK(std::fabs(static_cast<double>(got[t * 6 + 3 + i]) - std::sin(phi)) < 3e-8);
      }
    }
    CHECK(got[0] == 1.0f);
    CHECK(got[3] == 0.0f);
  }
}

TEST_CASE("axialRope.mixed: the same bits natively and in wasm") {
  std::vector<double> coordinates;
  std::vector<float> frequencies;
  for (int k = 0; k < 90; ++k) coordinates.push_back(k * 0.37 - 11);
  for (int k = 0; k < 33; ++k) frequencies.push_back(static_cast<float>(k % 7) * 0.31f - 1);
  phasor::test::Fingerprint bits;
  bits.add(mixed(coordinates, frequencies, 3, Precision::kExact));
  bits.add(mixed(coordinates, frequencies, 3, Precision::kTorchExp));
  CHECK(bits.value() == 16006857469438864234u);
}

TEST_CASE("axialRope.mixed: rejects mismatched shapes and writes nothing") {
  const std::vector<double> coordinates{1, 2};
  const std::vector<float> frequencies{1, 2, 3, 4};
  std::vector<double> w(axial_rope::mixed_size(2));
  std::vector<float> out(4, 7.0f);
  const auto call = [&](std::size_t A, std::size_t P) {
    return axial_rope::mixed(coordinates, frequencies, A, P, Precision::kExact, w, out);
  };
  CHECK_BAD_SHAPE(call(0, 2));
  CHECK_BAD_SHAPE(call(1, 2));
  CHECK_BAD_SHAPE(call(2, 1));
  CHECK_BAD_SHAPE(call(3, 2));
  CHECK_BAD_SHAPE(call(2, 0));
  out.push_back(7.0f);
  CHECK_BAD_SHAPE(call(2, 2));
  CHECK(out == std::vector<float>(5, 7.0f));
}
