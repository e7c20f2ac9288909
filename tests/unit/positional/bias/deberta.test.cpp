#include "positional/bias/deberta/deberta.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace deberta = phasor::deberta;
using deberta::Precision;
using phasor::Status;

namespace {

std::vector<std::int32_t> buckets(std::int32_t mid, std::int32_t last, Precision precision) {
  std::vector<std::int32_t> out(600);
  REQUIRE(deberta::log_buckets(0, mid, last, precision, out) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE("deberta.buckets: 256 buckets of 512 positions begin where DeBERTa's do") {
  for (const auto precision : {Precision::kExact, Precision::kTorch}) {
    const auto got = buckets(128, 511, precision);
    CHECK(got[128] == 128);
    CHECK(got[129] == 129);
    CHECK(got[131] == 131);
    CHECK(got[132] == 131);
    CHECK(got[133] == 132);
    CHECK(got[511] == 255);
  }
}

TEST_CASE("deberta.buckets: a step that is an exact integer is that integer") {
  const auto got = buckets(5, 20, Precision::kExact);  // 5 (20/5)^(n/4): 10 at n = 2, 20 at n = 4
  CHECK(got[7] == 6);
  CHECK(got[8] == 7);
  CHECK(got[10] == 7);
  CHECK(got[11] == 8);
  CHECK(got[20] == 9);
  CHECK(got[21] == 10);
}

TEST_CASE("deberta: rejects parameters out of range and writes nothing") {
  std::vector<std::int32_t> none(1, 7);
  CHECK(deberta::log_buckets(0, 0, 5, Precision::kExact, none) == Status::kBadParam);
  CHECK(deberta::log_buckets(0, 5, 5, Precision::kExact, none) == Status::kBadParam);
  CHECK(deberta::log_buckets(-1, 4, 5, Precision::kExact, none) == Status::kBadParam);
  CHECK(none[0] == 7);
}
