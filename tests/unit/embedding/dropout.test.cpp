#include "embedding/dropout/dropout.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "math/random.h"

namespace dropout = phasor::dropout;
using phasor::Status;

TEST_CASE("dropout.mask: element n depends only on (seed, n), wherever the slice begins") {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) {
    for (const std::uint64_t base : {std::uint64_t{0}, std::uint64_t{1} << 34}) {
      std::vector<std::int32_t> whole(40);
      REQUIRE(dropout::mask(seed, base, 0.5, whole) == Status::kOk);
      for (std::size_t from = 0; from < 9; ++from) {
        for (const std::size_t N : {0u, 1u, 3u, 4u, 17u}) {
          std::vector<std::int32_t> part(N);
          REQUIRE(dropout::mask(seed, base + from, 0.5, part) == Status::kOk);
          for (std::size_t i = 0; i < N; ++i) CHECK(part[i] == whole[from + i]);
        }
      }
    }
  }
}

TEST_CASE("dropout.mask: reads a Philox stream that no weights use") {
  std::vector<std::int32_t> mask(8);
  REQUIRE(dropout::mask(5, 0, 0.25, mask) == Status::kOk);
  for (std::uint32_t block = 0; block < 2; ++block) {
    const auto words = phasor::random::philox4x32({block, 0, 1, 0}, {5, 0});
    for (std::size_t lane = 0; lane < 4; ++lane)
      CHECK(mask[4 * block + lane] == (words[lane] >= 0x40000000u ? 1 : 0));
  }
}

TEST_CASE(
    "dropout.apply: divides the elements that the mask keeps, and zeroes the others, NaN too") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const double p : {0.0, 0.1, 0.5, 0.999}) {
    std::vector<float> x{1, -2,     kInf, -std::numeric_limits<float>::quiet_NaN(),
                         3, 1e-45f, 0,    -0.0f};
    const std::vector<float> before = x;
    std::vector<std::int32_t> mask(x.size());
    REQUIRE(dropout::mask(3, 9, p, mask) == Status::kOk);
    REQUIRE(dropout::apply(x, 3, 9, p) == Status::kOk);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float want =
          mask[i] ? static_cast<float>(static_cast<double>(before[i]) / (1 - p)) : 0.0f;
      if (want == want)
        CHECK(std::bit_cast<std::uint32_t>(x[i]) == std::bit_cast<std::uint32_t>(want));
      else
        CHECK(std::bit_cast<std::uint32_t>(x[i]) == 0x7fc00000u);
    }
  }
}

TEST_CASE("dropout.*: rejects p outside [0, 1] and writes nothing") {
  std::vector<float> x(3, 7.0f);
  std::vector<std::int32_t> mask(3, 7);
  for (const double p : {-0.1, 1 + 0x1p-52, 2.0, std::nan("")}) {
    CHECK(dropout::apply(x, 0, 0, p) == Status::kBadParam);
    CHECK(dropout::mask(0, 0, p, mask) == Status::kBadParam);
  }
  CHECK(x == std::vector<float>(3, 7.0f));
  CHECK(mask == std::vector<std::int32_t>(3, 7));
}
