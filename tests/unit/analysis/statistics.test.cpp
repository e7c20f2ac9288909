#include "analysis/statistics/statistics.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bad_shape.h"

namespace statistics = phasor::statistics;
using phasor::Status;

TEST_CASE("statistics.norms: are lengths, also for the largest and the smallest floats") {
  constexpr float kMost = std::numeric_limits<float>::max();
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  const std::vector<float> x{3, 4, 0, -0.0f, kMost, 0, kLeast, 0, 5 * kLeast, -12 * kLeast};
  std::vector<float> out(5);
  REQUIRE(statistics::norms(x, 5, 2, out) == Status::kOk);
  CHECK(out == std::vector<float>{5, 0, kMost, kLeast, 13 * kLeast});
}

TEST_CASE("statistics.norms: NaN gives the canonical NaN") {
  std::vector<float> out(1);
  const std::vector<float> x{-std::numeric_limits<float>::quiet_NaN(), 1};
  REQUIRE(statistics::norms(x, 1, 2, out) == Status::kOk);
  CHECK(std::bit_cast<std::uint32_t>(out[0]) == 0x7fc00000);
}

TEST_CASE("statistics.measure: sums directions, without rows of zeros and non-finite rows") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> x{0, 2, 3, 0, 0, 0, kNan, 1, kInf, 1};
  std::vector<double> lengths(5), direction{10, 20};
  REQUIRE(statistics::measure(x, 5, 2, lengths, direction) == Status::kOk);
  CHECK(direction == std::vector<double>{11, 21});
  CHECK(lengths[0] == 2);
  CHECK(lengths[2] == 0);
  CHECK(std::isnan(lengths[3]));
  CHECK(std::isinf(lengths[4]));
}

TEST_CASE("statistics.effective_rank: is the number of equal directions, and 1 for a single one") {
  CHECK(statistics::effective_rank(std::vector<double>{3, 0, 0}) == 1);
  CHECK(statistics::effective_rank(std::vector<double>{0, 0}) == 0);
  CHECK(statistics::effective_rank({}) == 0);
  for (const std::size_t n : {2u, 5u, 300u}) {
    const std::vector<double> equal(n, 0.1);
    CHECK(std::fabs(statistics::effective_rank(equal) / static_cast<double>(n) - 1) <= 1e-12);
  }
  const double two_to_one = std::exp(std::log(3.0) - 2.0 / 3 * std::log(2.0));
  CHECK(std::fabs(statistics::effective_rank(std::vector<double>{2, 1}) / two_to_one - 1) <= 1e-12);
}

TEST_CASE("statistics: rejects mismatched shapes and writes nothing") {
  std::vector<float> out(2, 7.0f);
  std::vector<double> two(2, 7.0), three(3, 7.0);
  const std::vector<float> x(6);
  CHECK_BAD_SHAPE(statistics::norms(x, 2, 2, out));
  CHECK_BAD_SHAPE(statistics::norms(x, 3, 2, out));
  CHECK_BAD_SHAPE(statistics::measure(x, 2, 3, three, three));
  CHECK_BAD_SHAPE(statistics::measure(x, 2, 3, two, two));
  CHECK(out == std::vector<float>(2, 7.0f));
  CHECK(two == std::vector<double>(2, 7.0));
}
