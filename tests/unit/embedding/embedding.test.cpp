#include "embedding/embedding/embedding.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bad_shape.h"
#include "bits.h"

namespace embedding = phasor::embedding;
using embedding::Distribution;
using phasor::Status;
using Ids = std::vector<std::int32_t>;
using Floats = std::vector<float>;

TEST_CASE("embedding.lookup: SIMD equals the scalar definition, bit for bit, at every width") {
  const std::size_t V = 7;
  for (std::size_t D : {1u, 2u, 3u, 4u, 5u, 8u, 11u, 32u}) {
    Floats table(V * D), add(2 * D);
    REQUIRE(embedding::draw_all(D, Distribution::kNormal, 0, 1, 5, table) == Status::kOk);
    REQUIRE(embedding::draw_all(D, Distribution::kNormal, 0, 1, 6, add) == Status::kOk);
    for (const Ids& ids : {Ids{}, Ids{3}, Ids{6, 0, 6, 2}}) {
      for (const float scale : {1.0f, 2.6457513f}) {
        for (const Floats& place : {Floats{}, ids.size() == 1 ? Floats{} : add}) {
          Floats fast(ids.size() * D, 9.0f), slow = fast;
          REQUIRE(embedding::lookup(table, V, D, ids, scale, place, fast) == Status::kOk);
          REQUIRE(embedding::lookup_scalar(table, V, D, ids, scale, place, slow) == Status::kOk);
          CHECK(fast == slow);
        }
      }
    }
  }
}

TEST_CASE("embedding.lookup: a computed NaN is canonical, in SIMD and in tails") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const Floats table{kInf, -kInf, kInf, -kInf, kInf, NAN}, zeros(6);
  Floats out(6);
  for (const Floats& add : {Floats{}, zeros}) {
    REQUIRE(embedding::lookup(table, 1, 6, Ids{0}, 0, add, out) == Status::kOk);
    for (const float x : out) CHECK(std::bit_cast<std::uint32_t>(x) == 0x7fc00000u);
    REQUIRE(embedding::lookup_scalar(table, 1, 6, Ids{0}, 0, add, out) == Status::kOk);
    for (const float x : out) CHECK(std::bit_cast<std::uint32_t>(x) == 0x7fc00000u);
  }
}

TEST_CASE("embedding.lookup: rejects ids outside the table and writes nothing") {
  const Floats table{1, 2, 3, 4};
  Floats out{7, 7};
  for (const std::int32_t bad : {-1, 2, std::numeric_limits<std::int32_t>::min()}) {
    CHECK(embedding::lookup(table, 2, 2, Ids{bad}, 1, {}, out) == Status::kBadIndex);
    CHECK(embedding::one_hot_product(table, 2, 2, Ids{bad}, out) == Status::kBadIndex);
  }
  CHECK_BAD_SHAPE(embedding::lookup(table, 2, 2, Ids{0}, 1, Floats{1}, out));
  CHECK_BAD_SHAPE(embedding::lookup(table, 3, 2, Ids{0}, 1, {}, out));
  CHECK(out == Floats{7, 7});
}

TEST_CASE("embedding: the one-hot product equals the lookup, and shows 0 * inf") {
  Floats table(50 * 9);
  REQUIRE(embedding::draw_all(9, Distribution::kNormal, 0, 1, 1, table) == Status::kOk);
  const Ids ids{49, 0, 7, 7};
  Floats rows(4 * 9), product(4 * 9);
  REQUIRE(embedding::lookup(table, 50, 9, ids, 1, {}, rows) == Status::kOk);
  REQUIRE(embedding::one_hot_product(table, 50, 9, ids, product) == Status::kOk);
  CHECK(rows == product);
  table[0] = std::numeric_limits<float>::infinity();
  REQUIRE(embedding::one_hot_product(table, 50, 9, Ids{1, 1, 1, 1}, product) == Status::kOk);
  CHECK(std::isnan(product[0]));
}

TEST_CASE("embedding.draw: rows drawn separately equal those of the whole table, bit for bit") {
  for (std::size_t D : {1u, 3u, 4u, 10u}) {
    for (const auto kind : {Distribution::kUniform, Distribution::kNormal}) {
      Floats whole(20 * D), some(3 * D);
      REQUIRE(embedding::draw_all(D, kind, -1, 2, 1u << 31, whole) == Status::kOk);
      REQUIRE(embedding::draw(Ids{19, 0, 7}, D, kind, -1, 2, 1u << 31, some) == Status::kOk);
      for (std::size_t d = 0; d < D; ++d) {
        CHECK(some[d] == whole[19 * D + d]);
        CHECK(some[D + d] == whole[d]);
        CHECK(some[2 * D + d] == whole[7 * D + d]);
      }
    }
  }
}

TEST_CASE("embedding.draw: rejects invalid distributions") {
  Floats out(4, 7.0f);
  CHECK(embedding::draw_all(2, Distribution::kUniform, 1, 1, 0, out) == Status::kBadParam);
  CHECK(embedding::draw_all(2, Distribution::kNormal, 0, -1, 0, out) == Status::kBadParam);
  CHECK(embedding::draw_all(2, Distribution::kNormal, NAN, 1, 0, out) == Status::kBadParam);
  CHECK_BAD_SHAPE(embedding::draw_all(3, Distribution::kNormal, 0, 1, 0, out));
  CHECK(embedding::draw(Ids{-1, 0}, 2, Distribution::kNormal, 0, 1, 0, out) == Status::kBadIndex);
  CHECK(out == Floats(4, 7.0f));
}

TEST_CASE("embedding.draw: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  Floats table(999 * 7);
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{42}, ~std::uint64_t{0}}) {
    REQUIRE(embedding::draw_all(7, Distribution::kNormal, 0, 0.02, seed, table) == Status::kOk);
    bits.add(table);
    REQUIRE(embedding::draw_all(7, Distribution::kUniform, -1, 1, seed, table) == Status::kOk);
    bits.add(table);
    REQUIRE(embedding::draw_torch(Distribution::kNormal, 0, 1, static_cast<std::uint32_t>(seed), {},
                                  table) == Status::kOk);
    bits.add(table);
  }
  CHECK(bits.value() == 0x40b913a1d8491905u);
}
