#include "embedding/embedding/training.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bad_shape.h"
#include "bits.h"
#include "embedding/embedding/embedding.h"

namespace embedding = phasor::embedding;
using embedding::Optimizer;
using embedding::Rule;
using phasor::Status;
using Ids = std::vector<std::int32_t>;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Floats drawn(std::size_t size, std::uint64_t seed) {
  Floats numbers(size);
  REQUIRE(embedding::draw_all(1, embedding::Distribution::kNormal, 0, 1, seed, numbers) ==
          Status::kOk);
  return numbers;
}

constexpr Rule kSgd{Optimizer::kSgd, 0.5, 0, 0, 0, 0, 1};
constexpr Rule kMomentum{Optimizer::kSgd, 0.5, 0.5, 0, 0, 0.25, 1};
constexpr Rule kAdam{Optimizer::kAdam, 0.001, 0.9, 0.999, 1e-8, 0, 1};
constexpr Rule kSparseAdam{Optimizer::kSparseAdam, 0.001, 0.9, 0.999, 1e-8, 0, 1};

}  // namespace

TEST_CASE("embedding.accumulate: adds to the given slots in order, and rounds once") {
  Doubles sums(6, 0);
  const Floats gradients{1, 2, 0x1p60f, 3, 1, 4, -0x1p60f, 5};
  REQUIRE(embedding::accumulate(gradients, 2, Ids{2, 0, 0, 0}, Doubles{0.5, 1, 1, 1}, sums) ==
          Status::kOk);
  CHECK(sums == Doubles{0, 12, 0, 0, 0.5, 1});
  REQUIRE(embedding::accumulate(gradients, 2, Ids{2, 0, 0, 0}, Doubles(4, 1), sums) == Status::kOk);
  CHECK(sums == Doubles{0, 24, 0, 0, 1.5, 3});
  sums[2] = 1 + 0x1p-30;
  sums[3] = NAN;
  Floats out(6);
  REQUIRE(embedding::round_sums(sums, out) == Status::kOk);
  CHECK(out[1] == 24);
  CHECK(out[2] == 1);
  CHECK(std::bit_cast<std::uint32_t>(out[3]) == 0x7fc00000u);
  CHECK(sums == Doubles(6, 0));
}

TEST_CASE("embedding.accumulate and round_sums: equal a scalar loop, at every width") {
  const Ids slots{1, 0, 1, 1};
  const Doubles factors{0.5, -3, 1.0 / 3, 1e-9};
  for (const std::size_t D : {1u, 3u, 4u, 5u, 7u, 8u, 9u, 16u, 29u}) {
    const Floats gradients = drawn(4 * D, D);
    Doubles sums(2 * D, 0.25), want = sums;
    for (std::size_t n = 0; n < 4; ++n)
      for (std::size_t d = 0; d < D; ++d)
        want[static_cast<std::size_t>(slots[n]) * D + d] +=
            factors[n] * static_cast<double>(gradients[n * D + d]);
    REQUIRE(embedding::accumulate(gradients, D, slots, factors, sums) == Status::kOk);
    CHECK(sums == want);
    sums[D - 1] = sums[2 * D - 1] = -static_cast<double>(NAN);
    Floats out(2 * D);
    REQUIRE(embedding::round_sums(sums, out) == Status::kOk);
    for (std::size_t k = 0; k < 2 * D; ++k) {
      if (k % D == D - 1)
        CHECK(std::bit_cast<std::uint32_t>(out[k]) == 0x7fc00000u);
      else
        CHECK(out[k] == static_cast<float>(want[k]));
    }
    CHECK(sums == Doubles(2 * D, 0));
  }
}

TEST_CASE("embedding.accumulate: rejects invalid arguments and writes nothing") {
  Doubles sums(4, 7);
  const Floats gradients{1, 2};
  for (const std::int32_t bad : {-1, 2})
    CHECK(embedding::accumulate(gradients, 2, Ids{bad}, Doubles{1}, sums) == Status::kBadIndex);
  CHECK_BAD_SHAPE(embedding::accumulate(gradients, 2, Ids{0, 0}, Doubles{1, 1}, sums));
  CHECK_BAD_SHAPE(embedding::accumulate(gradients, 2, Ids{0}, Doubles{1, 1}, sums));
  CHECK_BAD_SHAPE(embedding::accumulate(gradients, 0, Ids{0}, Doubles{1}, sums));
  Floats out(3, 7);
  CHECK_BAD_SHAPE(embedding::round_sums(sums, out));
  CHECK(sums == Doubles(4, 7));
  CHECK(out == Floats(3, 7));
}

TEST_CASE("embedding.step: SGD equals a hand-made step, on the given rows") {
  Floats table{1, 2, 3, 4, 5, 6};
  REQUIRE(embedding::step(table, 3, 2, Ids{2, 0}, Floats{1, 2, 3, 4}, kSgd, {}, {}) == Status::kOk);
  CHECK(table == Floats{-0.5, 0, 3, 4, 4.5, 5});
  Floats velocity(6);
  // u = 0.5 + 0.25 * 3 = 1.25, w = 3 - 0.625; then u = 0.625 + 0.5 + 0.25 * 2.375, w -= u / 2
  for (const float want : {2.375f, 1.515625f}) {
    REQUIRE(embedding::step(table, 3, 2, Ids{1}, Floats{0.5, 0}, kMomentum, velocity, {}) ==
            Status::kOk);
    CHECK(table[2] == want);
  }
  CHECK(velocity[2] == 1.71875f);
  CHECK(velocity[0] == 0);
  CHECK(table[0] == -0.5f);
}

TEST_CASE("embedding.step: the first step of Adam is the learning rate, opposite to the sign") {
  // m / c1 = g and v / c2 = g^2, so w -= rate g / (|g| + epsilon)
  for (const Rule& rule : {kAdam, kSparseAdam}) {
    Floats table{1, 1, 1}, first(3), second(3);
    REQUIRE(embedding::step(table, 1, 3, Ids{0}, Floats{4, -0.25, 0}, rule, first, second) ==
            Status::kOk);
    CHECK(table[0] == doctest::Approx(0.999).epsilon(1e-6));
    CHECK(table[1] == doctest::Approx(1.001).epsilon(1e-6));
    CHECK(table[2] == 1);
    CHECK(first == Floats{0.4f, -0.025f, 0});
    CHECK(second == Floats{0.016f, 0.0000625f, 0});
  }
}

TEST_CASE("embedding.step: a computed NaN is canonical") {
  Floats table{1, kInf, 1}, first(3), second(3);
  const Floats gradient{NAN, kInf, kInf};
  REQUIRE(embedding::step(table, 1, 3, Ids{0}, gradient, kAdam, first, second) == Status::kOk);
  for (const float x : table) CHECK(std::bit_cast<std::uint32_t>(x) == 0x7fc00000u);
  CHECK(std::bit_cast<std::uint32_t>(first[0]) == 0x7fc00000u);
  CHECK(std::bit_cast<std::uint32_t>(second[0]) == 0x7fc00000u);
  CHECK(second[1] == kInf);
  Floats infinite{kInf};
  REQUIRE(embedding::step(infinite, 1, 1, Ids{0}, Floats{1}, kSgd, {}, {}) == Status::kOk);
  CHECK(infinite[0] == kInf);
}

TEST_CASE("embedding.step: rejects invalid arguments and writes nothing") {
  Floats table{1, 2, 3, 4}, first(4, 7), second(4, 7), few(2, 7);
  const Floats gradient{1, 1};
  const auto step = [&](const Ids& rows, const Rule& rule, std::span<float> u, std::span<float> v) {
    return embedding::step(table, 2, 2, rows, gradient, rule, u, v);
  };
  for (const std::int32_t bad : {-1, 2}) CHECK(step(Ids{bad}, kSgd, {}, {}) == Status::kBadIndex);
  CHECK_BAD_SHAPE(step(Ids{0, 1}, kSgd, {}, {}));
  CHECK_BAD_SHAPE(step(Ids{0}, kSgd, first, {}));
  CHECK_BAD_SHAPE(step(Ids{0}, kMomentum, {}, {}));
  CHECK_BAD_SHAPE(step(Ids{0}, kMomentum, first, second));
  CHECK_BAD_SHAPE(step(Ids{0}, kAdam, first, {}));
  CHECK_BAD_SHAPE(step(Ids{0}, kAdam, first, few));
  CHECK_BAD_SHAPE(embedding::step(table, 1, 2, Ids{0}, gradient, kSgd, {}, {}));
  Rule bad = kAdam;
  bad.optimizer = static_cast<Optimizer>(3);
  CHECK(step(Ids{0}, bad, first, second) == Status::kBadParam);
  for (const double number : {-1.0, 1.0, static_cast<double>(NAN)}) {
    bad = kAdam;
    bad.momentum = number;
    CHECK(step(Ids{0}, bad, first, second) == Status::kBadParam);
    bad = kAdam;
    bad.beta2 = number;
    CHECK(step(Ids{0}, bad, first, second) == Status::kBadParam);
  }
  bad = kAdam;
  bad.epsilon = 0;
  CHECK(step(Ids{0}, bad, first, second) == Status::kBadParam);
  bad = kAdam;
  bad.step = 0;
  CHECK(step(Ids{0}, bad, first, second) == Status::kBadParam);
  CHECK(table == Floats{1, 2, 3, 4});
  CHECK(first == Floats(4, 7));
  CHECK(second == Floats(4, 7));
}

TEST_CASE("embedding.renormalize: equals a hand-made example, for any p, on the given rows") {
  const auto renormalized = [](Floats table, double p) {
    REQUIRE(embedding::renormalize(table, 2, 2, Ids{1}, 1, p) == Status::kOk);
    CHECK(table[0] == 30);
    CHECK(table[1] == 40);
    return Floats{table[2], table[3]};
  };
  const Floats table{30, 40, 3, -4};
  const auto scaled = [](double norm) {
    const double factor = 1 / (norm + 1e-7);
    return Floats{static_cast<float>(3 * factor), static_cast<float>(-4 * factor)};
  };
  CHECK(renormalized(table, 1) == scaled(7));
  CHECK(renormalized(table, 2) == scaled(5));
  CHECK(renormalized(table, INFINITY) == scaled(4));
  CHECK(renormalized(table, 3) == scaled(4.497941445275415));     // 91^(1/3)
  CHECK(renormalized(table, 0.5) == scaled(13.928203230275509));  // 7 + 2 sqrt 12
  CHECK(renormalized({30, 40, 0.5f, 0.5f}, 2) == Floats{0.5f, 0.5f});
  CHECK(renormalized({30, 40, 0, 0}, 0.5) == Floats{0, 0});
  CHECK(renormalized({30, 40, 0x1p120f, 0}, 100)[0] == doctest::Approx(1));  // no overflow
}

TEST_CASE("embedding.renormalize and logits: reject invalid arguments and write nothing") {
  Floats table{3, 4, 5, 6}, out(2, 7.0f);
  for (const std::int32_t bad : {-1, 2})
    CHECK(embedding::renormalize(table, 2, 2, Ids{0, bad}, 1, 2) == Status::kBadIndex);
  CHECK_BAD_SHAPE(embedding::renormalize(table, 3, 2, Ids{0}, 1, 2));
  for (const double bad : {0.0, -1.0, static_cast<double>(NAN)}) {
    CHECK(embedding::renormalize(table, 2, 2, Ids{0}, bad, 2) == Status::kBadParam);
    CHECK(embedding::renormalize(table, 2, 2, Ids{0}, 1, bad) == Status::kBadParam);
  }
  CHECK(embedding::logits(table, 2, 2, 1, 2, Floats{1, 2}, 1, out) == Status::kBadIndex);
  CHECK(embedding::logits(table, 2, 2, 3, 0, Floats{1, 2}, 1, {}) == Status::kBadIndex);
  CHECK_BAD_SHAPE(embedding::logits(table, 2, 2, 0, 2, Floats{1, 2, 3}, 1, out));
  CHECK_BAD_SHAPE(embedding::logits(table, 3, 2, 0, 2, Floats{1, 2}, 1, out));
  CHECK(table == Floats{3, 4, 5, 6});
  CHECK(out == Floats{7, 7});
  REQUIRE(embedding::logits(table, 2, 2, 1, 1, Floats{1, 2, 3, 4}, 2, out) == Status::kOk);
  CHECK(out == Floats{17, 39});
}

TEST_CASE("embedding.step and renormalize: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  const std::size_t V = 40, D = 7;
  Floats table = drawn(V * D, 1), first(V * D), second(V * D);
  const Ids rows{39, 0, 7, 12};
  for (int n = 1; n <= 20; ++n) {
    const Floats gradient = drawn(rows.size() * D, static_cast<std::uint64_t>(n) + 1);
    Rule rule = n % 2 ? kAdam : kSparseAdam;
    rule.step = n;
    rule.learning_rate = 0.1;
    REQUIRE(embedding::step(table, V, D, rows, gradient, rule, first, second) == Status::kOk);
    REQUIRE(embedding::step(table, V, D, rows, gradient, kSgd, {}, {}) == Status::kOk);
    bits.add(table);
  }
  for (const double p : {0.3, 1.0, 1.7, 2.0, 5.0}) {
    Floats copy = table;
    REQUIRE(embedding::renormalize(copy, V, D, rows, 0.5, p) == Status::kOk);
    bits.add(copy);
  }
  bits.add(first);
  bits.add(second);
  CHECK(bits.value() == 0xb5fc9fdd133ff54au);
}
