#include "positional/rotary/xpos/xpos.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "bad_shape.h"
#include "bits.h"

namespace phase = phasor::phase;
namespace xpos = phasor::xpos;
using phase::Precision;
using phasor::Status;

namespace {

std::vector<double> workspace(std::size_t P, Precision precision, bool with_steps = false) {
  std::vector<double> w(phase::workspace_size(P, with_steps));
  REQUIRE(phase::frequencies(10000, static_cast<double>(P), precision, P, w) == Status::kOk);
  return w;
}

std::vector<float> table(const std::vector<double>& positions, std::size_t P, Precision precision,
                         xpos::Scale scale) {
  std::vector<float> out(positions.size() * 4 * P);
  REQUIRE(xpos::table(positions, P, precision, scale, workspace(P, precision), out) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE("xpos.table: has the bits of phase::rows where the scale is 1, exact and torch") {
  const std::size_t P = 40;
  for (const auto precision : {Precision::kExact, Precision::kTorchExp, Precision::kTorchPow}) {
    for (const double position : {0.0, 1.0, -3.0, 2.5, 4097.0, 1e6}) {
      const std::vector<float> got = table({position}, P, precision, {512, 0.4, position});
      std::vector<double> w = workspace(P, precision);
      std::vector<float> want(2 * P);
      REQUIRE(phase::rows(std::array{position}, precision, P, 1, w, want,
                          {.sin = P, .cos = 0, .step = 1, .row = 2 * P, .cosines = P}) ==
              Status::kOk);
      CHECK(std::vector<float>(got.begin(), got.begin() + 2 * P) == want);
      CHECK(std::vector<float>(got.begin() + 2 * P, got.end()) == want);
    }
  }
}

TEST_CASE("xpos.table: queries carry zeta^((p - c) / base), keys its inverse") {
  const std::size_t P = 4;
  const std::vector<float> got = table({512 + 7}, P, Precision::kExact, {512, 0.4, 7});
  const std::vector<float> plain = table({512 + 7}, P, Precision::kExact, {512, 0.4, 519});
  for (std::size_t i = 0; i < P; ++i) {
    const double zeta = (2.0 * static_cast<double>(i) + 0.4 * 8) / (1.4 * 8);
    for (const std::size_t part : {i, P + i}) {
      CHECK(got[part] == doctest::Approx(zeta * static_cast<double>(plain[part])).epsilon(2e-7));
      CHECK(got[2 * P + part] ==
            doctest::Approx(static_cast<double>(plain[part]) / zeta).epsilon(2e-7));
    }
  }
}

TEST_CASE("xpos.table: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  std::vector<double> positions;
  for (int t = -40; t < 40; ++t) positions.push_back(t * (t % 3 == 0 ? 97.25 : 211.0));
  bits.add(table(positions, 24, Precision::kExact, {512, 0.4, 33}));
  bits.add(table(positions, 24, Precision::kTorchPow, {512, 0.4, 33}));
  CHECK(bits.value() == 492144701636718322u);
}

TEST_CASE("xpos.reach: is the position at which the smallest zeta's power is 2^126") {
  CHECK(xpos::reach(0.4) == doctest::Approx(126 * std::log(2.0) / std::log(3.5)).epsilon(1e-14));
  CHECK(xpos::reach(1) == doctest::Approx(126).epsilon(1e-14));
  const double most = std::floor(xpos::reach(0.4) * 512);
  for (const double position : {most, -most})
    for (const float value : table({position}, 3, Precision::kTorchPow, {512, 0.4, 0}))
      CHECK(std::isfinite(value));
}

TEST_CASE("xpos.table: rejects wrong shapes and positions out of range, and writes nothing") {
  const std::vector<double> w = workspace(2, Precision::kExact);
  std::vector<float> out(16, 7.0f);
  const auto call = [&](const std::vector<double>& positions, std::size_t P, xpos::Scale scale) {
    return xpos::table(positions, P, Precision::kExact, scale, w, out);
  };
  CHECK_BAD_SHAPE(call({0, 1}, 3, {512, 0.4, 0}));
  CHECK_BAD_SHAPE(call({0}, 2, {512, 0.4, 0}));
  CHECK(call({0, 36000}, 2, {512, 0.4, 0}) == Status::kBadParam);
  CHECK(call({0, std::nan("")}, 2, {512, 0.4, 0}) == Status::kBadParam);
  CHECK(call({0, 1e10}, 2, {1e12, 0.4, 0}) == Status::kBadParam);
  CHECK(out == std::vector<float>(16, 7.0f));
  CHECK(call({0, 35000}, 2, {512, 0.4, 0}) == Status::kOk);
}
