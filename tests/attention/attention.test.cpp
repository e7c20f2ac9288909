#include "attention/attention/attention.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bad_shape.h"
#include "math/elementary.h"
#include "math/linear.h"
#include "wave.h"

namespace attention = phasor::attention;
namespace linear = phasor::linear;
using attention::Rule;
using phasor::Status;
using phasor::test::wave;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Head {
  std::size_t T, N, D, V;
  std::vector<float> q = wave(T * D, 0.7), k = wave(N * D, 0.3), v = wave(N * V, 0.9);
};

/// One query at a time, from the scalar definitions, over the keys that it sees alone.
std::vector<float> attend_scalar(const Head& head, std::span<const float> bias, Rule rule) {
  std::vector<float> out(head.T * head.V);
  for (std::size_t t = 0; t < head.T; ++t) {
    const auto seen = rule.seen + static_cast<std::ptrdiff_t>(t);
    const std::size_t n = seen < 0 ? 0 : std::min(head.N, static_cast<std::size_t>(seen));
    std::vector<float> row(n);
    for (std::size_t j = 0; j < n; ++j) {
      const double dot = linear::dot_scalar(std::span(head.q).subspan(t * head.D, head.D),
                                            std::span(head.k).subspan(j * head.D, head.D));
      row[j] = static_cast<float>(rule.scale * dot);
      if (!bias.empty()) row[j] += bias[t * head.N + j];
    }
    phasor::elementary::softmax(row, row);
    REQUIRE(linear::mix_scalar(row, std::span(head.v).first(n * head.V), 1, n, head.V,
                               std::span(out).subspan(t * head.V, head.V)) == Status::kOk);
  }
  return out;
}

}  // namespace

TEST_CASE(
    "attention.scaledDotProduct: equals its scalar definition, bit for bit, at every tail length") {
  for (const std::size_t T : {0u, 1u, 3u}) {
    for (const std::size_t N : {0u, 1u, 4u, 7u}) {
      for (const std::size_t D : {1u, 4u, 9u}) {
        for (const std::size_t V : {1u, 8u, 11u}) {
          for (const std::ptrdiff_t seen : {-2, 0, 2, 7}) {
            const Head head{T, N, D, V};
            const auto bias = wave(T * N, 0.5);
            for (const auto& added : {std::vector<float>{}, bias}) {
              std::vector<float> weights(T * N), out(T * V);
              const Rule rule{0.25, 0, seen};
              REQUIRE(attention::scaled_dot_product(head.q, head.k, head.v, added, T, N, D, V, rule,
                                                    weights, out) == Status::kOk);
              CHECK(out == attend_scalar(head, added, rule));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("attention.scores: hides what is masked, whatever it holds, and caps what is not") {
  const std::vector<float> q{1, 1}, k{2, NAN, 3, 4}, bias{0, -kInf, 0, 0.5f, NAN, -kInf, 0, 0};
  std::vector<float> out(8);
  REQUIRE(attention::scores(q, k, bias, 2, 4, 1, {2, 0, 3}, out) == Status::kOk);
  CHECK(out[0] == 4);
  CHECK(out[1] == -kInf);
  CHECK(out[2] == 6);
  CHECK(out[3] == -kInf);
  CHECK(std::bit_cast<std::uint32_t>(out[4]) == 0x7fc00000u);
  CHECK(out[7] == 8);
  REQUIRE(attention::scores(q, k, {}, 2, 4, 1, {2, 5, 4}, out) == Status::kOk);
  CHECK(out[3] == doctest::Approx(5 * std::tanh(8.0 / 5)));
  CHECK(std::bit_cast<std::uint32_t>(out[1]) == 0x7fc00000u);
}

TEST_CASE("attention.scaledDotProduct: a query that sees nothing gets zeros") {
  std::vector<float> weights(2, 7.0f), out(2, 7.0f);
  const std::vector<float> one{1, 2};
  REQUIRE(attention::scaled_dot_product(one, std::vector<float>{1}, std::vector<float>{5}, {}, 2, 1,
                                        1, 1, {1, 0, 0}, weights, out) == Status::kOk);
  CHECK(weights == std::vector<float>{0, 1});
  CHECK(out == std::vector<float>{0, 5});
}

TEST_CASE("attention.linear: is the dot product with every row, plus the bias") {
  const auto x = wave(3 * 5, 0.7), w = wave(4 * 5, 0.3), bias = wave(4, 0.2);
  std::vector<float> out(12);
  REQUIRE(attention::linear_layer(x, w, bias, 3, 4, 5, out) == Status::kOk);
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t n = 0; n < 4; ++n)
      CHECK(out[t * 4 + n] == static_cast<float>(linear::dot_scalar(
                                  std::span(x).subspan(t * 5, 5), std::span(w).subspan(n * 5, 5))) +
                                  bias[n]);
}

TEST_CASE("attention: refuses shapes that do not agree and writes nothing") {
  const std::vector<float> one{1}, two{1, 2};
  std::vector<float> weights(1, 7.0f), out(1, 7.0f);
  const Rule rule{1, 0, 1};
  CHECK_BAD_SHAPE(attention::scores(two, one, {}, 1, 1, 1, rule, weights));
  CHECK_BAD_SHAPE(attention::scores(one, two, {}, 1, 1, 1, rule, weights));
  CHECK_BAD_SHAPE(attention::scores(one, one, two, 1, 1, 1, rule, weights));
  CHECK_BAD_SHAPE(attention::scaled_dot_product(one, one, two, {}, 1, 1, 1, 1, rule, weights, out));
  CHECK_BAD_SHAPE(attention::scaled_dot_product(two, one, one, {}, 1, 1, 1, 1, rule, weights, out));
  CHECK_BAD_SHAPE(attention::softmax(two, 1, 1, out));
  CHECK_BAD_SHAPE(attention::linear_layer(one, one, two, 1, 1, 1, out));
  CHECK_BAD_SHAPE(attention::linear_layer(two, one, {}, 1, 1, 1, out));
  CHECK(weights == std::vector<float>{7});
  CHECK(out == std::vector<float>{7});
}
