#include "positional/bias/shaw/shaw.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bad_shape.h"
#include "math/linear.h"
#include "wave.h"

namespace shaw = phasor::shaw;
using phasor::Status;
using phasor::linear::dot_scalar;
using phasor::test::wave;
using shaw::Side;

TEST_CASE("shaw.scores: equals the scalar dot product with the row that the pair selects") {
  const std::vector<std::int32_t> index{0, 2, 1, 1, 2, 2};
  for (const std::size_t D : {1u, 4u, 7u}) {
    const auto x = wave(3 * D, 0.7), table = wave(3 * D, 0.3), add = wave(6, 0.9);
    for (const auto side : {Side::kQueries, Side::kKeys}) {
      const std::size_t T = 2, N = 3, rows = side == Side::kQueries ? T : N;
      std::vector<float> out(6);
      REQUIRE(shaw::scores(std::span(x).first(rows * D), table, index, add, T, N, D, side, 0.5,
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

TEST_CASE("shaw.values: mixes the selected rows in the order of the keys") {
  const std::vector<float> weights{0.5f, 0.25f, 0.25f, 1, 0, 0}, table{1, 10, 2, 20, 4, 40};
  std::vector<float> out(4);
  REQUIRE(shaw::values(weights, table, std::vector<std::int32_t>{0, 1, 2, 2, 0, 1}, 2, 3, 2, out) ==
          Status::kOk);
  CHECK(out == std::vector<float>{2, 20, 4, 40});
}

TEST_CASE("shaw: rejects mismatched shapes and writes nothing") {
  const std::vector<float> one{1}, two{1, 2};
  const std::vector<std::int32_t> zero{0}, beyond{1}, below{-1};
  std::vector<float> out(1, 7.0f);
  const auto scores = [&](std::span<const float> x, std::span<const float> table,
                          std::span<const std::int32_t> index, std::span<const float> add) {
    return shaw::scores(x, table, index, add, 1, 1, 1, Side::kKeys, 1, out);
  };
  CHECK_BAD_SHAPE(scores(two, one, zero, {}));
  CHECK_BAD_SHAPE(scores(one, one, zero, two));
  CHECK_BAD_SHAPE(scores(one, one, {}, {}));
  CHECK(scores(one, one, beyond, {}) == Status::kBadIndex);
  CHECK(scores(one, one, below, {}) == Status::kBadIndex);
  CHECK_BAD_SHAPE(shaw::values(two, one, zero, 1, 1, 1, out));
  CHECK(shaw::values(one, one, beyond, 1, 1, 1, out) == Status::kBadIndex);
  CHECK(out == std::vector<float>{7});
}
