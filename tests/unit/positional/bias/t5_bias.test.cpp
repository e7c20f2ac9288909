#include "positional/bias/t5_bias/t5_bias.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace t5_bias = phasor::t5_bias;
using phasor::Status;

namespace {

std::vector<std::int32_t> firsts(std::int32_t m, std::int32_t M, std::size_t buckets) {
  std::vector<std::int32_t> out(buckets - 1);
  REQUIRE(t5_bias::torch_firsts(m, M, out) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE("t5Bias: the first distances of T5's buckets by float32 steps") {
  CHECK(firsts(8, 128, 8) == std::vector<std::int32_t>{12, 16, 23, 32, 46, 64, 91});
  CHECK(firsts(16, 128, 16) ==
        std::vector<std::int32_t>{19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113});
}

TEST_CASE("t5Bias: float32 steps move a boundary where the logarithm is rounded down") {
  // ln(36/24) / ln(81/24) * 24 is 8 exactly, and 54 falls on 16: golden case n48.d81.causal
  const std::vector<std::int32_t> got = firsts(24, 81, 24);
  CHECK(got[7] == 37);
  CHECK(got[15] == 55);
}

TEST_CASE("t5Bias: one logarithmic bucket has no further boundary, and narrow ones can be empty") {
  CHECK(firsts(1, 2147483647, 1).empty());
  const std::vector<std::int32_t> narrow = firsts(4, 5, 8);
  CHECK(narrow.front() == 5);
  CHECK(narrow.back() == 5);
}

TEST_CASE("t5Bias: rejects an invalid range, and writes nothing") {
  std::vector<std::int32_t> out(3, 7);
  CHECK(t5_bias::torch_firsts(0, 8, out) == Status::kBadParam);
  CHECK(t5_bias::torch_firsts(8, 8, out) == Status::kBadParam);
  CHECK(out == std::vector<std::int32_t>(3, 7));
}
