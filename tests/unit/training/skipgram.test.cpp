#include "training/skipgram/skipgram.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bad_shape.h"
#include "bits.h"
#include "math/random.h"

namespace skipgram = phasor::skipgram;
using phasor::Status;
using Ids = std::vector<std::int32_t>;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Floats drawn(std::size_t size, std::uint64_t seed) {
  Floats numbers(size);
  phasor::random::philox_normal(seed, 0, numbers, 0, 1);
  return numbers;
}

Ids shares(const Ids& text, std::size_t V, double power = 0.75) {
  Ids cumulative(V);
  REQUIRE(skipgram::noise(text, power, cumulative) == Status::kOk);
  return cumulative;
}

/// A text of V words and a break, of length T.
Ids made(std::size_t T, std::int32_t V) {
  Ids text(T);
  for (std::size_t t = 0; t < T; ++t)
    text[t] = t % 11 == 9 ? skipgram::kBreak : static_cast<std::int32_t>(t * t + 3 * t) % V;
  return text;
}

/// A model whose parts fit each other.
struct Model {
  std::size_t V, D, K;
  Floats tables = drawn(2 * V * D, 5);
  Ids targets = Ids(K + 1);
  Doubles errors = Doubles(K + 1);
  Ids touched = Ids(V);
  double loss = 0;

  template <typename Kernel>
  Status train(Kernel kernel, const Ids& text, std::size_t window, std::uint64_t first,
               std::uint64_t count, double rate) {
    const Ids cumulative = shares(text, V);
    return kernel(tables, D, text, {window, 9, cumulative}, first, count, rate, {targets, errors},
                  touched, loss);
  }
};

/// The loss of a pair, in double: tables of doubles.
double pair_loss(const Doubles& tables, std::size_t V, std::size_t D, std::size_t center,
                 const Ids& targets) {
  double loss = 0;
  for (std::size_t j = 0; j < targets.size(); ++j) {
    double score = 0;
    for (std::size_t d = 0; d < D; ++d)
      score += tables[center * D + d] * tables[(V + static_cast<std::size_t>(targets[j])) * D + d];
    loss += std::log1p(std::exp(j == 0 ? -score : score));
  }
  return loss;
}

}  // namespace

TEST_CASE("skipgram.pairs: equal a hand-made list, and cross no break") {
  const Ids text{0, 1, 2, skipgram::kBreak, 3, skipgram::kBreak, skipgram::kBreak, 1, 0};
  REQUIRE(skipgram::count_pairs(text, 1) == 6);
  Ids out(12);
  REQUIRE(skipgram::pairs(text, 1, 0, out) == Status::kOk);
  CHECK(out == Ids{0, 1, 1, 0, 1, 2, 2, 1, 1, 0, 0, 1});
  REQUIRE(skipgram::count_pairs(text, 2) == 8);
  out.resize(4);
  REQUIRE(skipgram::pairs(text, 2, 1, out) == Status::kOk);
  CHECK(out == Ids{0, 2, 1, 0});
  CHECK(skipgram::count_pairs(text, SIZE_MAX) == 8);
  for (const Ids& lonely : {Ids{}, Ids{5}, Ids{skipgram::kBreak}, Ids{1, skipgram::kBreak, 1}})
    CHECK(skipgram::count_pairs(lonely, 3) == 0);
}

TEST_CASE("skipgram.pairs: a slice from anywhere is a slice of the whole") {
  const Ids text = made(60, 7);
  for (const std::size_t window : {1u, 2u, 5u, 100u}) {
    const std::size_t N = static_cast<std::size_t>(skipgram::count_pairs(text, window));
    Ids whole(2 * N);
    REQUIRE(skipgram::pairs(text, window, 0, whole) == Status::kOk);
    for (std::size_t first = 0; first <= N; first += 3) {
      Ids piece(2 * std::min<std::size_t>(4, N - first));
      REQUIRE(skipgram::pairs(text, window, first, piece) == Status::kOk);
      CHECK(std::equal(piece.begin(), piece.end(), whole.begin() + static_cast<long>(2 * first)));
    }
    Ids beyond(2, 7);
    CHECK_BAD_SHAPE(skipgram::pairs(text, window, N, beyond));
    CHECK(beyond == Ids(2, 7));
  }
}

TEST_CASE("skipgram.noise: shares follow count^power, and every word that occurs has one") {
  const Ids text{0, 0, 0, 0, skipgram::kBreak, 2, 0, 0, 0, 0};
  for (const double power : {0.0, 0.75, 1.0, 2.0}) {
    const Ids cumulative = shares(text, 4, power);
    const double many = std::pow(8, power), sum = many + 1;
    CHECK(std::fabs(cumulative[0] - 0x1p30 * many / sum) <= 1.001);
    CHECK(cumulative[1] == cumulative[0]);
    CHECK(std::fabs(cumulative[2] - cumulative[1] - 0x1p30 / sum) <= 1.001);
    CHECK(cumulative[3] == cumulative[2]);
  }
  const Ids extreme = shares(text, 4, 1e300);
  CHECK(extreme[2] - extreme[1] == 1);
  Ids out(4);
  CHECK(skipgram::noise(text, -1, out) == Status::kBadParam);
  CHECK(skipgram::noise(text, NAN, out) == Status::kBadParam);
  CHECK(skipgram::noise(Ids{4}, 1, out) == Status::kBadIndex);
  CHECK(skipgram::noise(Ids{-2}, 1, out) == Status::kBadIndex);
}

TEST_CASE("skipgram.draw: frequencies are P without the context, which is never drawn") {
  const Ids text{0, 1, 1, 3, 3, 3, 3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
  const Ids cumulative = shares(text, 7);
  const Doubles weights{1, std::pow(2, 0.75), 0, std::pow(4, 0.75), 0, std::pow(13, 0.75), 0};
  for (const std::size_t context : {0u, 3u, 5u, 2u}) {
    std::vector<int> counts(7);
    Ids out(5);
    const int pairs = 20000;
    for (int n = 0; n < pairs; ++n) {
      REQUIRE(skipgram::draw(cumulative, context, 42, static_cast<std::uint64_t>(n), out) == 5);
      for (const std::int32_t word : out) ++counts[static_cast<std::size_t>(word)];
    }
    double sum = 0;
    for (std::size_t w = 0; w < 7; ++w) sum += w == context ? 0 : weights[w];
    double chi_square = 0;
    for (std::size_t w = 0; w < 7; ++w) {
      if (w == context || weights[w] == 0) {
        CHECK(counts[w] == 0);
        continue;
      }
      const double expected = 5.0 * pairs * weights[w] / sum;
      chi_square += (counts[w] - expected) * (counts[w] - expected) / expected;
    }
    CHECK(chi_square < 16.3);  // 3 degrees of freedom at most: one seed in 1000 would fail
  }
  Ids none(3, 7);
  CHECK(skipgram::draw(shares(Ids{1, 1}, 3), 1, 0, 0, none) == 0);
  CHECK(none == Ids(3, 7));
}

TEST_CASE("skipgram.train: SIMD equals the scalar definition, bit for bit, at every tail length") {
  const Ids text = made(50, 6);
  for (const std::size_t D : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 11u, 16u}) {
    for (const std::size_t K : {0u, 1u, 5u, 9u}) {
      Model fast{6, D, K}, slow{6, D, K};
      REQUIRE(fast.train(skipgram::train, text, 2, 3, 200, 0.1) == Status::kOk);
      REQUIRE(slow.train(skipgram::train_scalar, text, 2, 3, 200, 0.1) == Status::kOk);
      CHECK(fast.tables == slow.tables);
      CHECK(fast.loss == slow.loss);
      CHECK(fast.touched == slow.touched);
    }
  }
}

TEST_CASE(
    "skipgram.train: a step is the rate times the gradient, by finite differences in double") {
  const Ids text{0, 1, 2, 1, 3, 1};  // draws repeat: three other words for seven negatives
  const std::size_t V = 4, D = 3, K = 7;
  const Ids cumulative = shares(text, V);
  const std::uint64_t N = skipgram::count_pairs(text, 2);
  for (std::uint64_t n = 0; n < N; ++n) {
    Model model{V, D, K};
    const Doubles before(model.tables.begin(), model.tables.end());
    const double rate = 0.25;
    REQUIRE(model.train(skipgram::train, text, 2, n, 1, rate) == Status::kOk);
    Ids pair(2), targets(K + 1);
    REQUIRE(skipgram::pairs(text, 2, n, pair) == Status::kOk);
    targets[0] = pair[1];
    const std::size_t context = static_cast<std::size_t>(pair[1]);
    REQUIRE(skipgram::draw(cumulative, context, 9, n, std::span(targets).subspan(1)) == K);
    const std::size_t center = static_cast<std::size_t>(pair[0]);
    CHECK(model.loss == doctest::Approx(pair_loss(before, V, D, center, targets)).epsilon(1e-12));
    for (std::size_t i = 0; i < before.size(); ++i) {
      const double h = 1e-5;
      Doubles more = before, less = before;
      more[i] += h;
      less[i] -= h;
      const double gradient =
          (pair_loss(more, V, D, center, targets) - pair_loss(less, V, D, center, targets)) /
          (2 * h);
      // h^2 times a third derivative, and eight float32 roundings at most
      CHECK(std::fabs(before[i] - rate * gradient - model.tables[i]) <= 1e-8 + 8 * 0x1p-24);
    }
  }
}

TEST_CASE("skipgram.train: only the touched rows change") {
  Ids text{2, 5, 2, 7};
  Model model{9, 5, 2};
  model.tables[0] = std::bit_cast<float>(0x7fc12345u);  // a NaN with other bits
  const Floats before = model.tables;
  REQUIRE(model.train(skipgram::train, text, 1, 0, 3, 0.5) == Status::kOk);
  CHECK(model.touched[2] == (skipgram::kCenter | skipgram::kContext));
  for (std::size_t w = 0; w < 9; ++w) {
    for (const auto& [bit, table] : {std::pair(skipgram::kCenter, 0), {skipgram::kContext, 1}}) {
      bool same = true;
      for (std::size_t d = 0; d < 5; ++d) {
        const std::size_t i = (static_cast<std::size_t>(table) * 9 + w) * 5 + d;
        same = same && std::bit_cast<std::uint32_t>(model.tables[i]) ==
                           std::bit_cast<std::uint32_t>(before[i]);
      }
      CHECK(same == ((model.touched[w] & bit) == 0));
    }
  }
}

TEST_CASE("skipgram.train: slices equal the whole, bit for bit, past the end of the text") {
  const Ids text = made(40, 5);
  const std::uint64_t N = skipgram::count_pairs(text, 2);
  Model whole{5, 6, 3}, pieces{5, 6, 3};
  REQUIRE(whole.train(skipgram::train, text, 2, 0, 3 * N, 0.1) == Status::kOk);
  for (std::uint64_t n = 0; n < 3 * N;) {
    const std::uint64_t count = std::min<std::uint64_t>(1 + n % 17, 3 * N - n);
    REQUIRE(pieces.train(skipgram::train, text, 2, n, count, 0.1) == Status::kOk);
    n += count;
  }
  CHECK(whole.tables == pieces.tables);
  CHECK(whole.loss == pieces.loss);
}

TEST_CASE("skipgram.train: a computed NaN is canonical") {
  Model model{2, 5, 1};
  model.tables[1] = kInf;
  const Ids text{0, 1};
  REQUIRE(model.train(skipgram::train, text, 1, 0, 6, 0.5) == Status::kOk);
  CHECK(std::isnan(model.loss));
  int nans = 0;
  for (const float x : model.tables) {
    if (x == x) continue;
    ++nans;
    CHECK(std::bit_cast<std::uint32_t>(x) == 0x7fc00000u);
  }
  CHECK(nans > 0);
  Model wild{2, 5, 1};
  REQUIRE(wild.train(skipgram::train, text, 1, 0, 6, 1e308) == Status::kOk);
  for (const float x : wild.tables)
    CHECK((x == x || std::bit_cast<std::uint32_t>(x) == 0x7fc00000));
}

TEST_CASE("skipgram.train: one word, and a text without pairs") {
  Model alone{1, 3, 4};
  const Floats before = alone.tables;
  REQUIRE(alone.train(skipgram::train, Ids{0}, 2, 0, 5, 0.1) == Status::kOk);
  REQUIRE(alone.train(skipgram::train, Ids{}, 2, 0, 5, 0.1) == Status::kOk);
  CHECK(alone.tables == before);
  CHECK(alone.loss == 0);
  REQUIRE(alone.train(skipgram::train, Ids{0, 0, 0}, 2, 0, 6, 0.1) == Status::kOk);
  CHECK(alone.tables != before);  // no other word can be drawn: the loss is the context's
  CHECK(alone.touched[0] == (skipgram::kCenter | skipgram::kContext));
}

TEST_CASE("skipgram.loss: equals a hand-made value, and the limit of training with rate 0") {
  // v_0 = u_0 = 0: every score is 0, every term log 2
  const double log2 = std::log(2.0);
  Floats zeros(2 * 3 * 2);
  const Ids text{0, 1, 2, skipgram::kBreak, 1, 1};
  const Ids cumulative = shares(text, 3);
  Doubles sums(3);
  double out = 7;
  REQUIRE(skipgram::loss(zeros, 2, text, {1, 0, cumulative}, 5, sums, out) == Status::kOk);
  CHECK(out == doctest::Approx(6 * 6 * log2).epsilon(1e-14));
  const Ids ones{1, 1};
  const Ids certain = shares(ones, 3);
  REQUIRE(skipgram::loss(zeros, 2, ones, {1, 0, certain}, 5, sums, out) == Status::kOk);
  CHECK(out == doctest::Approx(2 * log2).epsilon(1e-14));
  REQUIRE(skipgram::loss(zeros, 2, Ids{}, {1, 0, certain}, 5, sums, out) == Status::kOk);
  CHECK(out == 0);

  Model model{3, 2, 5};
  const std::uint64_t N = skipgram::count_pairs(text, 1), passes = 20000;
  REQUIRE(skipgram::loss(model.tables, 2, text, {1, 0, cumulative}, 5, sums, out) == Status::kOk);
  REQUIRE(model.train(skipgram::train, text, 1, 0, passes * N, 0) == Status::kOk);
  // A sum of 5 N draws of spread below 1 a pass: its mean within 4 deviations
  CHECK(std::fabs(model.loss / static_cast<double>(passes) - out) <=
        4 * std::sqrt(5.0 * static_cast<double>(N) / static_cast<double>(passes)));
}

TEST_CASE("skipgram.init: small vectors, contexts 0") {
  Floats tables(2 * 3 * 5, 7.0f);
  REQUIRE(skipgram::init(tables, 5, 1) == Status::kOk);
  for (std::size_t i = 0; i < 15; ++i) {
    CHECK(std::fabs(tables[i]) <= 0.1f);
    CHECK(tables[i] != 0);
    CHECK(tables[15 + i] == 0);
  }
  CHECK_BAD_SHAPE(skipgram::init(tables, 0, 1));
  CHECK_BAD_SHAPE(skipgram::init(tables, 4, 1));
}

TEST_CASE("skipgram.train and loss: reject invalid arguments and write nothing") {
  const Ids text{0, 1};
  const Ids cumulative = shares(text, 2);
  Floats tables(8, 0.5f);
  Ids targets(3, 7), touched(2, 7);
  Doubles errors(3, 7), sums(2, 7);
  double loss = 7;
  const auto train = [&](const Ids& given, std::size_t D, double rate, const Ids& shares_given,
                         std::span<double> at, std::span<std::int32_t> rows) {
    return skipgram::train(tables, D, given, {1, 0, shares_given}, 0, 1, rate, {targets, at}, rows,
                           loss);
  };
  CHECK_BAD_SHAPE(train(text, 3, 0.1, cumulative, errors, touched));
  CHECK_BAD_SHAPE(train(text, 0, 0.1, cumulative, errors, touched));
  CHECK_BAD_SHAPE(train(text, 2, 0.1, Ids{1, 2, 3}, errors, touched));
  CHECK_BAD_SHAPE(train(text, 2, 0.1, cumulative, std::span(errors).first(2), touched));
  CHECK_BAD_SHAPE(train(text, 2, 0.1, cumulative, errors, std::span(touched).first(1)));
  CHECK(train(text, 2, -0.1, cumulative, errors, touched) == Status::kBadParam);
  CHECK(train(text, 2, NAN, cumulative, errors, touched) == Status::kBadParam);
  for (const std::int32_t bad : {-2, 2})
    CHECK(train(Ids{0, bad}, 2, 0.1, cumulative, errors, touched) == Status::kBadIndex);
  const auto expect = [&](const Ids& given, std::size_t D, std::span<double> at) {
    return skipgram::loss(tables, D, given, {1, 0, cumulative}, 2, at, loss);
  };
  CHECK_BAD_SHAPE(expect(text, 3, sums));
  CHECK_BAD_SHAPE(expect(text, 0, sums));
  CHECK_BAD_SHAPE(expect(text, 2, std::span(sums).first(1)));
  CHECK(expect(Ids{2}, 2, sums) == Status::kBadIndex);
  CHECK(tables == Floats(8, 0.5f));
  CHECK(touched == Ids(2, 7));
  CHECK(sums == Doubles(2, 7));
  CHECK(loss == 7);
}

TEST_CASE("skipgram.train: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  const Ids text = made(200, 23);
  for (const std::size_t D : {3u, 8u, 50u}) {
    Model model{23, D, 5};
    REQUIRE(skipgram::init(model.tables, D, 11) == Status::kOk);
    const std::uint64_t N = skipgram::count_pairs(text, 3);
    REQUIRE(model.train(skipgram::train, text, 3, 0, 20 * N, 0.1) == Status::kOk);
    bits.add(model.tables);
    bits.add(static_cast<float>(model.loss));
    Doubles sums(23);
    double out = 0;
    const Ids cumulative = shares(text, 23);
    REQUIRE(skipgram::loss(model.tables, D, text, {3, 0, cumulative}, 5, sums, out) == Status::kOk);
    bits.add(static_cast<float>(out));
  }
  CHECK(bits.value() == 0x2a069692a82cea20u);
}
