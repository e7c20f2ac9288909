#include "positional/bias/relative/relative.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "math/linear.h"

namespace relative = phasor::relative;
using phasor::Status;
using phasor::linear::dot_scalar;
using relative::Precision;
using relative::Side;

namespace {

std::vector<float> wave(std::size_t n, double step) {
  std::vector<float> x(n);
  for (std::size_t k = 0; k < n; ++k)
    x[k] = static_cast<float>(3 * std::sin(step * static_cast<double>(k) + 1));
  return x;
}

std::vector<std::int32_t> buckets(std::int32_t mid, std::int32_t last, Precision precision) {
  std::vector<std::int32_t> out(600);
  REQUIRE(relative::log_buckets(0, mid, last, precision, out) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE("relative.scores: is the scalar dot product with the row that the pair selects") {
  const std::vector<std::int32_t> index{0, 2, 1, 1, 2, 2};
  for (const std::size_t D : {1u, 4u, 7u}) {
    const auto x = wave(3 * D, 0.7), table = wave(3 * D, 0.3), add = wave(6, 0.9);
    for (const auto side : {Side::kQueries, Side::kKeys}) {
      const std::size_t T = 2, N = 3, rows = side == Side::kQueries ? T : N;
      std::vector<float> out(6);
      REQUIRE(relative::scores(std::span(x).first(rows * D), table, index, add, T, N, D, side, 0.5,
                               out) == Status::kOk);
      for (std::size_t at = 0; at < 6; ++at) {
        const std::size_t row = side == Side::kQueries ? at / N : at % N;
        const auto selected = static_cast<std::size_t>(index[at]);
        CHECK(out[at] ==
              static_cast<float>(0.5 * dot_scalar(std::span(x).subspan(row * D, D),
                                                  std::span(table).subspan(selected * D, D)) +
                                 static_cast<double>(add[at])));
      }
    }
  }
}

TEST_CASE("relative.values: mixes the selected rows in the order of the keys") {
  const std::vector<float> weights{0.5f, 0.25f, 0.25f, 1, 0, 0}, table{1, 10, 2, 20, 4, 40};
  std::vector<float> out(4);
  REQUIRE(relative::values(weights, table, std::vector<std::int32_t>{0, 1, 2, 2, 0, 1}, 2, 3, 2,
                           out) == Status::kOk);
  CHECK(out == std::vector<float>{2, 20, 4, 40});
}

TEST_CASE("relative.debertaBuckets: 256 buckets of 512 positions begin where DeBERTa's do") {
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

TEST_CASE("relative.debertaBuckets: a step that is a whole number exactly is that number") {
  const auto got = buckets(5, 20, Precision::kExact);  // 5 (20/5)^(n/4): 10 at n = 2, 20 at n = 4
  CHECK(got[7] == 6);
  CHECK(got[8] == 7);
  CHECK(got[10] == 7);
  CHECK(got[11] == 8);
  CHECK(got[20] == 9);
  CHECK(got[21] == 10);
}

TEST_CASE("relative: refuses what does not agree and writes nothing") {
  const std::vector<float> one{1}, two{1, 2};
  const std::vector<std::int32_t> zero{0}, beyond{1}, below{-1};
  std::vector<float> out(1, 7.0f);
  const auto scores = [&](std::span<const float> x, std::span<const float> table,
                          std::span<const std::int32_t> index, std::span<const float> add) {
    return relative::scores(x, table, index, add, 1, 1, 1, Side::kKeys, 1, out);
  };
  CHECK(scores(two, one, zero, {}) == Status::kBadShape);
  CHECK(scores(one, one, zero, two) == Status::kBadShape);
  CHECK(scores(one, one, {}, {}) == Status::kBadShape);
  CHECK(scores(one, one, beyond, {}) == Status::kBadIndex);
  CHECK(scores(one, one, below, {}) == Status::kBadIndex);
  CHECK(relative::values(two, one, zero, 1, 1, 1, out) == Status::kBadShape);
  CHECK(relative::values(one, one, beyond, 1, 1, 1, out) == Status::kBadIndex);
  CHECK(out == std::vector<float>{7});
  std::vector<std::int32_t> none(1, 7);
  CHECK(relative::log_buckets(0, 0, 5, Precision::kExact, none) == Status::kBadParam);
  CHECK(relative::log_buckets(0, 5, 5, Precision::kExact, none) == Status::kBadParam);
  CHECK(relative::log_buckets(-1, 4, 5, Precision::kExact, none) == Status::kBadParam);
  CHECK(none[0] == 7);
}
