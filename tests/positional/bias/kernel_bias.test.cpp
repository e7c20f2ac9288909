#include "positional/bias/kernel_bias/kernel_bias.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bits.h"

namespace kernel_bias = phasor::kernel_bias;
using kernel_bias::Kernel;
using phasor::Status;

namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

std::vector<float> kerple(const std::vector<double>& a, const std::vector<double>& p, double first,
                          std::size_t N, Kernel kernel, bool causal = false) {
  std::vector<float> out(a.size() * N, 7.0f);
  REQUIRE(kernel_bias::kerple(a, p, first, kernel, causal, out) == Status::kOk);
  return out;
}

std::vector<float> sandwich(double first, std::size_t N, std::size_t H, std::size_t D,
                            bool causal = false) {
  std::vector<double> workspace(D / 2);
  std::vector<float> out(N * H, 7.0f);
  REQUIRE(kernel_bias::sandwich(first, H, 10000, causal, workspace, out) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE("kernelBias: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  for (const auto kernel : {Kernel::kLog, Kernel::kPower, Kernel::kWeight})
    bits.add(kerple({0.01, 0.3, 1, 20}, {0.01, 0.7, 1.3, 2}, -1000, 1500, kernel));
  bits.add(sandwich(-1000, 1500, 3, 64));
  std::vector<float> weights(2 * 32 + 3 * 32 + 3), out(3 * 20 * 20);
  REQUIRE(kernel_bias::fire_weights(7, 3, 32, weights) == Status::kOk);
  bits.add(weights);
  const std::vector<double> w(weights.begin(), weights.end());
  const std::span<const double> all(w);
  const kernel_bias::Fire fire{
      all.subspan(0, 32), all.subspan(32, 32), all.subspan(64, 96), all.subspan(160), 0.1, 5};
  REQUIRE(kernel_bias::fire(fire, 0, 0, 20, 20, false, out) == Status::kOk);
  bits.add(out);
  std::vector<float> bias(400);
  REQUIRE(kernel_bias::cope(std::span(out).first(400), std::span(out).subspan(400, 200), 0, 0, 20,
                            20, 10, bias) == Status::kOk);
  bits.add(bias);
  CHECK(bits.value() == 0x93caf2fc074146edu);
}

TEST_CASE("kernelBias.kerple: whole powers are exact, and zero distance costs nothing") {
  CHECK(kerple({0.5}, {2}, -3, 5, Kernel::kPower) == std::vector{-4.5f, -2.0f, -0.5f, 0.0f, -0.5f});
  for (const auto kernel : {Kernel::kLog, Kernel::kPower}) {
    const float zero = kerple({0.7}, {0.3}, 0, 1, kernel)[0];
    CHECK(std::bit_cast<std::uint32_t>(zero) == 0u);
  }
  CHECK(kerple({0.7}, {0.3}, 0, 1, Kernel::kWeight)[0] == 1.0f);
  CHECK(kerple({1}, {1}, 0, 2, Kernel::kLog, true)[1] == kHidden);
  CHECK(kerple({1}, {1}, 0, 2, Kernel::kWeight, true)[1] == 1.0f);
}

TEST_CASE("kernelBias.sandwich: reference values, 4 heads, width 8") {
  const std::vector<float> got = sandwich(-1, 3, 4, 8, true);
  const double want[] = {-0.00252317, -0.00126158, -0.00084106, -0.00063079};
  for (std::size_t h = 0; h < 4; ++h) {
    CHECK(std::fabs(static_cast<double>(got[h]) - want[h]) <= 5e-9);  // its last digit
    CHECK(got[4 + h] == 0.0f);
    CHECK(got[8 + h] == kHidden);
  }
  CHECK(std::fabs(static_cast<double>(sandwich(8, 1, 4, 8)[0]) + 0.153262) <= 5e-7);
}

TEST_CASE("kernelBias.fire: rows are those of the whole, wherever a tile begins") {
  const std::vector<double> w1{1, -1}, b1{0, 0.5}, w2{1, 2, -3, 4}, b2{0.25, -1};
  const kernel_bias::Fire fire{w1, b1, w2, b2, 0.1, 2};
  std::vector<float> whole(2 * 3 * 4), part(2 * 4);
  REQUIRE(kernel_bias::fire(fire, 1, 0, 3, 4, true, whole) == Status::kOk);
  for (std::size_t row : {0u, 2u, 4u}) {
    REQUIRE(kernel_bias::fire(fire, 1, row, 3, 4, true, part) == Status::kOk);
    CHECK(part == std::vector(whole.begin() + static_cast<std::ptrdiff_t>(row * 4),
                              whole.begin() + static_cast<std::ptrdiff_t>(row * 4 + 8)));
  }
  // at distance 0 the input is 0: b2 + w2 . max(b1, 0)
  CHECK(whole[1] == 0.25f + 2.0f * 0.5f);
  CHECK(whole[2] == kHidden);
}

TEST_CASE("kernelBias.cope: open gates count tokens, shut ones count none") {
  const float open = 1000, shut = kHidden;
  const std::vector<float> positions{10, 20, 40, 80};
  std::vector<float> out(4);
  REQUIRE(kernel_bias::cope(std::vector(4, open), positions, 3, 0, 1, 4, 4, out) == Status::kOk);
  CHECK(out == std::vector<float>{80, 80, 40, 20});  // positions 4 (beyond the last), 3, 2, 1
  REQUIRE(kernel_bias::cope(std::vector(4, shut), positions, 3, 0, 1, 4, 4, out) == Status::kOk);
  CHECK(out == std::vector<float>(4, 10));
  REQUIRE(kernel_bias::cope(std::vector<float>{0, 0, 0, 0}, positions, 2, 0, 1, 4, 4, out) ==
          Status::kOk);
  CHECK(out == std::vector<float>{30, 20, 15, kHidden});  // positions 1.5, 1, 0.5
  const std::vector<float> broken{0, NAN, 0, 0};
  REQUIRE(kernel_bias::cope(broken, positions, 3, 0, 1, 4, 4, out) == Status::kOk);
  CHECK(std::bit_cast<std::uint32_t>(out[0]) == 0x7fc00000u);
  CHECK(std::bit_cast<std::uint32_t>(out[1]) == 0x7fc00000u);
  CHECK(out[2] == 20);
}

TEST_CASE("kernelBias: refuses shapes that do not agree, and writes nothing") {
  std::vector<float> out(5, 7.0f);
  const std::vector<double> two(2, 1.0), none;
  std::vector<double> workspace(2);
  CHECK(kernel_bias::kerple(two, two, 0, Kernel::kLog, false, out) == Status::kBadShape);
  CHECK(kernel_bias::kerple(two, none, 0, Kernel::kLog, false, {}) == Status::kBadShape);
  CHECK(kernel_bias::sandwich(0, 2, 10000, false, workspace, out) == Status::kBadShape);
  CHECK(kernel_bias::sandwich(0, 5, 0.5, false, workspace, out) == Status::kBadParam);
  CHECK(kernel_bias::sandwich(0, 5, NAN, false, workspace, out) == Status::kBadParam);
  const kernel_bias::Fire fire{two, two, two, two, 0.1, 1};  // w2 must have 4
  CHECK(kernel_bias::fire(fire, 0, 0, 1, 5, false, out) == Status::kBadShape);
  CHECK(kernel_bias::fire_weights(0, 1, 1, out) == Status::kBadShape);
  CHECK(kernel_bias::cope(out, out, 0, 0, 1, 5, 4, out) == Status::kBadShape);
  CHECK(out == std::vector<float>(5, 7.0f));
}
