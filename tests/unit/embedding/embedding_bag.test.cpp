#include "embedding/embedding_bag/embedding_bag.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bad_shape.h"
#include "bits.h"
#include "embedding/embedding/embedding.h"

namespace embedding_bag = phasor::embedding_bag;
namespace embedding = phasor::embedding;
using embedding_bag::Mode;
using phasor::Status;
using Ids = std::vector<std::int32_t>;
using Floats = std::vector<float>;

namespace {

const Floats kTable{1, -2, 3, 4, 5, 0};  // [3, 2]

}  // namespace

TEST_CASE("bag.pool: equals hand-made sums, means and maxima; skips padding; empty bags are 0") {
  const Ids ids{0, 2, 1, 1, 0}, starts{0, 2, 2, 5};
  const auto pooled = [&](Mode mode, std::int32_t padding, const Floats& weights = {}) {
    Floats out(6, 7.0f);
    REQUIRE(embedding_bag::pool(kTable, 3, 2, ids, starts, weights, padding, mode, out, {}) ==
            Status::kOk);
    return out;
  };
  CHECK(pooled(Mode::kSum, -1) == Floats{6, -2, 0, 0, 7, 6});
  CHECK(pooled(Mode::kSum, -1, {1, 2, 3, -1, 0.5}) == Floats{11, -2, 0, 0, 6.5, 7});
  CHECK(pooled(Mode::kMean, -1) == Floats{3, -1, 0, 0, 7.0f / 3, 2});
  CHECK(pooled(Mode::kMax, -1) == Floats{5, 0, 0, 0, 3, 4});
  CHECK(pooled(Mode::kSum, 0) == Floats{5, 0, 0, 0, 6, 8});
  CHECK(pooled(Mode::kMean, 0) == Floats{5, 0, 0, 0, 3, 4});
  CHECK(pooled(Mode::kMax, 2) == Floats{1, -2, 0, 0, 3, 4});
}

TEST_CASE("bag.pool: a maximum belongs to the first id that has it, a NaN to the first NaN") {
  const Floats table{1, 5, 1, 2, NAN, -1, NAN, 9};
  Ids owners(2, 7);
  Floats out(2);
  const auto pool = [&](const Ids& ids) {
    return embedding_bag::pool(table, 4, 2, ids, Ids{0, static_cast<std::int32_t>(ids.size())}, {},
                               -1, Mode::kMax, out, owners);
  };
  REQUIRE(pool({1, 0, 1}) == Status::kOk);
  CHECK(owners == Ids{1, 0});
  CHECK(out == Floats{1, 5});
  REQUIRE(pool({0, 3, 2}) == Status::kOk);
  CHECK(owners == Ids{3, 3});
  CHECK(std::bit_cast<std::uint32_t>(out[0]) == 0x7fc00000u);
  CHECK(out[1] == 9);
  REQUIRE(pool({}) == Status::kOk);
  CHECK(owners == Ids{-1, -1});
  CHECK(out == Floats{0, 0});
}

TEST_CASE("bag.pool: sums equal a scalar loop, bit for bit, at every width; NaN is canonical") {
  const Ids ids{3, 0, 4, 0, 2, 4, 1}, starts{0, 3, 3, 4, 7};
  const Floats weights{0.5f, -2, 7, 1e-3f, 3, 1, -1};
  const std::int32_t padding = 4;
  for (const std::size_t D : {1u, 5u, 15u, 16u, 17u, 32u, 47u}) {
    Floats table(5 * D), out(4 * D);
    REQUIRE(embedding::draw_all(D, embedding::Distribution::kNormal, 0, 1, 9, table) ==
            Status::kOk);
    table[D - 1] = -std::numeric_limits<float>::quiet_NaN();  // row 0, in bags 0 and 2
    for (const int way : {0, 1, 2}) {
      const bool mean = way == 1, weighted = way == 2;
      REQUIRE(embedding_bag::pool(table, 5, D, ids, starts, weighted ? weights : Floats{}, padding,
                                  mean ? Mode::kMean : Mode::kSum, out, {}) == Status::kOk);
      for (std::size_t b = 0; b < 4; ++b) {
        for (std::size_t d = 0; d < D; ++d) {
          double sum = 0, size = 0;
          for (auto n = static_cast<std::size_t>(starts[b]);
               n < static_cast<std::size_t>(starts[b + 1]); ++n) {
            if (ids[n] == padding) continue;
            const double x = static_cast<double>(table[static_cast<std::size_t>(ids[n]) * D + d]);
            sum += weighted ? static_cast<double>(weights[n]) * x : x;
            ++size;
          }
          const auto want = static_cast<float>(mean && size > 0 ? sum / size : sum);
          const std::uint32_t bits = std::bit_cast<std::uint32_t>(out[b * D + d]);
          CHECK(bits == (want == want ? std::bit_cast<std::uint32_t>(want) : 0x7fc00000u));
        }
      }
    }
  }
}

TEST_CASE("bag.weights_gradient: is the product with the bag's gradient, 0 for padding") {
  Floats out(3, 7.0f);
  REQUIRE(embedding_bag::weights_gradient(kTable, 3, 2, Ids{0, 0, 2, 1}, Ids{1, 2, 4}, 1,
                                          Floats{1, 2, 3, 4}, out) == Status::kOk);
  CHECK(out == Floats{-3, 15, 0});
}

TEST_CASE("bag: rejects invalid arguments and writes nothing") {
  Floats out(4, 7.0f);
  Ids owners(4, 7);
  const Ids ids{0, 2, 1};
  const auto pool = [&](const Ids& some, const Ids& starts, const Floats& weights = {},
                        Mode mode = Mode::kSum, std::span<std::int32_t> own = {}) {
    return embedding_bag::pool(kTable, 3, 2, some, starts, weights, -1, mode, out, own);
  };
  CHECK(pool({0, 3, 1}, {0, 1, 3}) == Status::kBadIndex);
  CHECK(pool({0, -1, 1}, {0, 1, 3}) == Status::kBadIndex);
  CHECK(pool(ids, {0, 2, 1}) == Status::kBadIndex);
  CHECK(pool(ids, {-1, 2, 3}) == Status::kBadIndex);
  CHECK(pool(ids, {0, 2, 4}) == Status::kBadIndex);
  CHECK_BAD_SHAPE(pool(ids, {}));
  CHECK_BAD_SHAPE(pool(ids, {0, 3}));
  CHECK_BAD_SHAPE(pool(ids, {0, 1, 3}, {1, 2}));
  CHECK(pool(ids, {0, 1, 3}, {1, 2, 3}, Mode::kMean) == Status::kBadParam);
  CHECK(pool(ids, {0, 1, 3}, {}, Mode::kMean, owners) == Status::kBadParam);
  CHECK(pool(ids, {0, 1, 3}, {}, static_cast<Mode>(3)) == Status::kBadParam);
  CHECK_BAD_SHAPE(pool(ids, {0, 1, 3}, {}, Mode::kMax, std::span(owners).first(3)));
  const Floats gradient(4);
  CHECK(embedding_bag::weights_gradient(kTable, 3, 2, Ids{0, 3}, Ids{0, 1, 2}, -1, gradient, out) ==
        Status::kBadIndex);
  CHECK_BAD_SHAPE(
      embedding_bag::weights_gradient(kTable, 3, 2, ids, Ids{0, 1, 3}, -1, gradient, out));
  CHECK_BAD_SHAPE(embedding_bag::weights_gradient(kTable, 3, 2, ids, Ids{0, 3}, -1, gradient,
                                                  std::span(out).first(3)));
  CHECK(out == Floats(4, 7.0f));
  CHECK(owners == Ids(4, 7));
}

TEST_CASE("bag.pool: the same bits natively and in wasm, at every width") {
  phasor::test::Fingerprint bits;
  const std::size_t V = 20;
  Ids ids(90), starts{0};
  for (std::size_t n = 0; n < ids.size(); ++n) ids[n] = static_cast<std::int32_t>(n * n % V);
  for (std::int32_t b = 1; b <= 9; ++b) starts.push_back(b * (b + 1));
  for (std::size_t D : {1u, 3u, 63u, 64u, 65u, 130u}) {
    Floats table(V * D), weights(90), out(9 * D), gradient(90);
    using embedding::Distribution;
    REQUIRE(embedding::draw_all(D, Distribution::kNormal, 0, 1, 3, table) == Status::kOk);
    REQUIRE(embedding::draw_all(1, Distribution::kNormal, 0, 1, 4, weights) == Status::kOk);
    for (const Mode mode : {Mode::kSum, Mode::kMean, Mode::kMax}) {
      const Floats factors = mode == Mode::kSum ? weights : Floats{};
      REQUIRE(embedding_bag::pool(table, V, D, ids, starts, factors, 4, mode, out, {}) ==
              Status::kOk);
      bits.add(out);
    }
    REQUIRE(embedding_bag::weights_gradient(table, V, D, ids, starts, 4, out, gradient) ==
            Status::kOk);
    bits.add(gradient);
  }
  CHECK(bits.value() == 0xf921d327383501adu);
}
