#include "ngrams/ngram_ids/ngram_ids.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "bad_shape.h"
#include "ngrams/ngram_ids/multipliers.h"

namespace ngram_ids = phasor::ngram_ids;
using ngram_ids::Generator;
using ngram_ids::Sequences;
using phasor::Status;

namespace {

using Ints = std::vector<std::int32_t>;

std::vector<std::uint64_t> drawn(Generator generator, double vocabulary, double seed,
                                 std::size_t n) {
  Ints words(2 * n);
  REQUIRE(ngram_ids::multipliers(generator, vocabulary, seed, words) == Status::kOk);
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < n; ++i)
    all.push_back(std::uint64_t{static_cast<std::uint32_t>(words[2 * i + 1])} << 32 |
                  static_cast<std::uint32_t>(words[2 * i]));
  return all;
}

}  // namespace

TEST_CASE("ngram_ids.multipliers: those of Qwen4-Exp's first layer, which its files print") {
  CHECK(drawn(Generator::kSplitMix, 248320, 1234, 3) ==
        std::vector<std::uint64_t>{23703573157769, 20109073645365, 8052911324071});
}

TEST_CASE("ngram_ids.multipliers: those of NumPy 2.4, default_rng(seed).integers(0, bound) 2 + 1") {
  using Words = std::vector<std::uint64_t>;
  CHECK(drawn(Generator::kNumpy, 99092, 10007, 4) ==
        Words{76632096046245, 4839876093313, 35959672319349, 73987337458391});
  CHECK(drawn(Generator::kNumpy, 99092, 140098, 4) ==
        Words{67716810739261, 51510806800915, 30921347202721, 82619226485591});
  CHECK(drawn(Generator::kNumpy, 1, 0, 2) == Words{5874934615388537135, 2488343231644625807});
  CHECK(drawn(Generator::kNumpy, 1 << 29, 21489868865543, 2) == Words{9406864519, 4956784799});
}

TEST_CASE("ngram_ids.primes: the primes from a number on") {
  Ints out(12);
  REQUIRE(ngram_ids::primes(0, out) == Status::kOk);
  CHECK(out == Ints{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37});
  Ints two(2);
  REQUIRE(ngram_ids::primes(20000000, two) == Status::kOk);
  CHECK(two == Ints{20000003, 20000023});
  REQUIRE(ngram_ids::primes(1 << 30, two) == Status::kOk);
  CHECK(two == Ints{1073741827, 1073741831});
}

TEST_CASE("ngram_ids: 64 bits wrap around, and remainders are not negative") {
  const Ints ids{0x7fffffff, 0x7fffffff}, breaks{0, 0};
  const Sequences of{ids, breaks, 2, 1, 2, 0};
  const Ints words{-1, 0x7fffffff, 0, 0};  // 2^63 - 1, 0
  Ints out(1);
  REQUIRE(ngram_ids::mixed(of, words, Ints{1000003}, out) == Status::kOk);
  // (2^31 - 1) (2^63 - 1) mod 2^64 = 2^63 - 2^31 + 1 = 9223372034707292161
  CHECK(out[0] == 9223372034707292161 % 1000003);
  const Ints third{2, 0, 0, -0x7fffffff};  // 2, 2^63 + 2^32
  REQUIRE(ngram_ids::mixed(of, third, Ints{7}, out) == Status::kOk);
  const std::int64_t hash = static_cast<std::int64_t>(
      (std::uint64_t{0x7fffffff} * 2) ^ (std::uint64_t{0x7fffffff} * 0x8000000100000000u));
  CHECK(hash < 0);
  CHECK(out[0] == (hash % 7 + 7) % 7);
}

TEST_CASE("ngram_ids: rejects shapes that do not agree and writes nothing") {
  const Ints ids{1, 2, 3}, breaks{0, 0, 0}, sizes{5}, words{1, 0, 1, 0};
  Ints out(3, 7);
  const Sequences good{ids, breaks, 3, 0, 2, 0};
  CHECK_BAD_SHAPE(ngram_ids::mixed({ids, breaks, 2, 0, 2, 0}, words, sizes, out));
  CHECK_BAD_SHAPE(ngram_ids::mixed({ids, breaks, 3, 0, 1, 0}, words, sizes, out));
  CHECK_BAD_SHAPE(ngram_ids::mixed({ids, sizes, 3, 0, 2, 0}, words, sizes, out));
  CHECK_BAD_SHAPE(ngram_ids::mixed(good, sizes, sizes, out));
  CHECK_BAD_SHAPE(ngram_ids::powers({ids, breaks, 3, 4, 2, 0}, 9, sizes, out));
  CHECK_BAD_SHAPE(ngram_ids::rolling(ids, 2, 0, sizes, 9, out));
  CHECK_BAD_SHAPE(ngram_ids::rolling(ids, 3, 0, Ints{}, 9, out));
  CHECK(ngram_ids::primes(-1, out) == Status::kBadParam);
  Ints none(2, 7);
  CHECK(ngram_ids::multipliers(Generator::kSplitMix, 1e9, 0, none) == Status::kBadParam);
  CHECK(none == Ints(2, 7));
  CHECK(out == Ints(3, 7));
}
