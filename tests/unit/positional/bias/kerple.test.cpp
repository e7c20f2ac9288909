#include "positional/bias/kerple/kerple.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bad_shape.h"
#include "bits.h"

namespace kerple = phasor::kerple;
using kerple::Kernel;
using phasor::Status;

namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

std::vector<float> line(const std::vector<double>& a, const std::vector<double>& p, double first,
                        std::size_t N, Kernel kernel, bool causal = false) {
  std::vector<float> out(a.size() * N, 7.0f);
  REQUIRE(kerple::line(a, p, first, kernel, causal, out) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE("kerple: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  for (const auto kernel : {Kernel::kLog, Kernel::kPower, Kernel::kWeight})
    bits.add(line({0.01, 0.3, 1, 20}, {0.01, 0.7, 1.3, 2}, -1000, 1500, kernel));
  CHECK(bits.value() == 0xff7ed50bab067282u);
}

TEST_CASE("kerple.bias: integer powers are exact, and distance 0 gives 0") {
  CHECK(line({0.5}, {2}, -3, 5, Kernel::kPower) == std::vector{-4.5f, -2.0f, -0.5f, 0.0f, -0.5f});
  for (const auto kernel : {Kernel::kLog, Kernel::kPower}) {
    const float zero = line({0.7}, {0.3}, 0, 1, kernel)[0];
    CHECK(std::bit_cast<std::uint32_t>(zero) == 0u);
  }
  CHECK(line({0.7}, {0.3}, 0, 1, Kernel::kWeight)[0] == 1.0f);
  CHECK(line({1}, {1}, 0, 2, Kernel::kLog, true)[1] == kHidden);
  CHECK(line({1}, {1}, 0, 2, Kernel::kWeight, true)[1] == 1.0f);
}

TEST_CASE("kerple: rejects mismatched shapes and writes nothing") {
  std::vector<float> out(5, 7.0f);
  const std::vector<double> two(2, 1.0), none;
  CHECK_BAD_SHAPE(kerple::line(two, two, 0, Kernel::kLog, false, out));
  CHECK_BAD_SHAPE(kerple::line(two, none, 0, Kernel::kLog, false, {}));
  CHECK(out == std::vector<float>(5, 7.0f));
}
