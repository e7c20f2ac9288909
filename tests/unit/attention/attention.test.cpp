#include "attention/attention/attention.h"

#include <doctest/doctest.h>

#include <algorithm>
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
#include "math/nan.h"
#include "sampled.h"
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
  const auto narrow = [&](std::size_t size) {
    return rule.sums == linear::Sums::kFloat32 && size >= attention::kShort;
  };
  std::vector<float> out(head.T * head.V);
  for (std::size_t t = 0; t < head.T; ++t) {
    const auto seen = rule.seen + static_cast<std::ptrdiff_t>(t);
    const std::size_t n = seen < 0 ? 0 : std::min(head.N, static_cast<std::size_t>(seen));
    const auto query = std::span(head.q).subspan(t * head.D, head.D);
    std::vector<float> row(n);
    std::vector<char> masked(n);
    for (std::size_t j = 0; j < n; ++j) {
      const auto key = std::span(head.k).subspan(j * head.D, head.D);
      const double dot =
          narrow(head.D) ? linear::paired_dot(query, key) : linear::dot_scalar(query, key);
      row[j] = static_cast<float>(rule.scale * dot);
      if (rule.softcap > 0)
        row[j] = static_cast<float>(
            rule.softcap * phasor::elementary::tanh(static_cast<float>(row[j] / rule.softcap)));
      if (bias.empty()) continue;
      row[j] += bias[t * head.N + j];
      masked[j] = bias[t * head.N + j] == -kInf;
      if (masked[j]) row[j] = -kInf;
    }
    phasor::elementary::softmax(row, row);
    // By pointers: without optimization each [] of a vector is a call, and these are most of the test.
    std::vector<float> column(n);
    const float* const v = head.v.data();
    const char* const is_masked = masked.data();
    float* const of_column = column.data();
    for (std::size_t d = 0; d < head.V; ++d) {
      for (std::size_t j = 0; j < n; ++j) of_column[j] = is_masked[j] ? 0 : v[j * head.V + d];
      out[t * head.V + d] = phasor::canonical(static_cast<float>(
          narrow(n) ? linear::paired_dot(row, column) : linear::ordered_dot(row, column)));
    }
  }
  return out;
}

std::vector<float> attend(const Head& head, std::span<const float> bias, Rule rule) {
  std::vector<float> weights(head.T * head.N, 7.0f), out(head.T * head.V, 7.0f);
  REQUIRE(attention::scaled_dot_product(head.q, head.k, head.v, bias, head.T, head.N, head.D,
                                        head.V, rule, weights, out) == Status::kOk);
  return out;
}

/// Whether two results have the same bits.
void check_equal(const std::vector<float>& a, const std::vector<float>& b) {
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  CHECK(std::ranges::equal(a, b, {}, bits, bits));
}

constexpr linear::Sums kBoth[] = {linear::Sums::kFloat32, linear::Sums::kFloat64};

}  // namespace

TEST_CASE(
    "attention.scaledDotProduct: equals its scalar definition, bit for bit, at every tail length") {
  auto is_taken = phasor::test::every_nth(11);  // loops of 2, 5, 7 and 8
  for (const linear::Sums sums : kBoth) {
    for (const std::size_t T : {0u, 1u, 3u, 4u, 6u, 9u, 66u}) {
      for (const std::size_t N : {0u, 1u, 4u, 7u, 8u, 33u, 64u, 67u}) {
        for (const std::size_t D : {1u, 4u, 9u, 33u, 64u}) {
          for (const std::size_t V : {1u, 5u, 8u, 11u, 65u}) {
            if (T * N * (D + V) > 60'000) continue;
            const Head head{T, N, D, V};
            const auto bias = wave(T * N, 0.5);
            for (const std::ptrdiff_t seen : {-2, 0, 2, 7, 67})
              for (const double softcap : {0.0, 0.5})
                for (const auto& added : {std::vector<float>{}, bias}) {
                  if (!is_taken()) continue;
                  const Rule rule{0.25, softcap, seen, sums};
                  check_equal(attend(head, added, rule), attend_scalar(head, added, rule));
                }
          }
        }
      }
    }
  }
}

TEST_CASE(
    "attention.scaledDotProduct: masked keys and values contribute nothing, whatever their "
    "values") {
  constexpr std::size_t T = 37, N = 41, D = 6, V = 11;
  for (const linear::Sums sums : kBoth) {
    for (const float odd : {NAN, kInf, -kInf}) {
      for (std::size_t n = 0; n < N; ++n) {
        Head head{T, N, D, V};
        std::ranges::fill(std::span(head.k).subspan(n * D, D), odd);
        std::ranges::fill(std::span(head.v).subspan(n * V, V), odd);
        const Rule causal{0.5, 0, N - T + 1, sums}, all{0.5, 0, N, sums};
        check_equal(attend(head, {}, causal), attend_scalar(head, {}, causal));
        auto bias = wave(T * N, 0.5);
        for (std::size_t t = 0; t < T; t += 2) bias[t * N + n] = -kInf;
        check_equal(attend(head, bias, all), attend_scalar(head, bias, all));
        check_equal(attend(head, bias, causal), attend_scalar(head, bias, causal));
      }
    }
  }
}

TEST_CASE("attention.scores: masks positions, whatever their values, and caps the others") {
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

TEST_CASE("attention.scaledDotProduct: a query with all keys masked gets zeros") {
  std::vector<float> weights(2, 7.0f), out(2, 7.0f);
  const std::vector<float> one{1, 2};
  REQUIRE(attention::scaled_dot_product(one, std::vector<float>{1}, std::vector<float>{5}, {}, 2, 1,
                                        1, 1, {1, 0, 0}, weights, out) == Status::kOk);
  CHECK(weights == std::vector<float>{0, 1});
  CHECK(out == std::vector<float>{0, 5});
}

TEST_CASE("attention.linear: is the dot product with every row, plus the bias") {
  constexpr std::size_t T = 3, N = 4, D = 45;
  const auto x = wave(T * D, 0.7), w = wave(N * D, 0.3), bias = wave(N, 0.2);
  std::vector<float> narrow(T * N), wide(T * N);
  REQUIRE(attention::linear_layer(x, w, bias, T, N, D, linear::Sums::kFloat32, narrow) ==
          Status::kOk);
  REQUIRE(attention::linear_layer(x, w, bias, T, N, D, linear::Sums::kFloat64, wide) ==
          Status::kOk);
  for (std::size_t t = 0; t < T; ++t) {
    for (std::size_t n = 0; n < N; ++n) {
      const auto a = std::span(x).subspan(t * D, D), b = std::span(w).subspan(n * D, D);
      CHECK(narrow[t * N + n] == static_cast<float>(linear::paired_dot(a, b)) + bias[n]);
      CHECK(wide[t * N + n] == static_cast<float>(linear::dot_scalar(a, b)) + bias[n]);
    }
  }
  CHECK(narrow != wide);
  for (const auto sums : {linear::Sums::kFloat32, linear::Sums::kFloat64}) {
    const std::vector<float> zeros(N);
    std::vector<float> bare(T * N), biased(T * N);
    REQUIRE(attention::linear_layer(x, w, {}, T, N, D, sums, bare) == Status::kOk);
    REQUIRE(attention::linear_layer(x, w, zeros, T, N, D, sums, biased) == Status::kOk);
    CHECK(bare == biased);
  }
}

TEST_CASE("attention.head: returns the rows of that head") {
  const std::vector<float> in{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // [2, 3, 2]
  std::vector<float> out(4);
  REQUIRE(attention::head(in, 2, 3, 2, 1, out) == Status::kOk);
  CHECK(out == std::vector<float>{3, 4, 9, 10});
  REQUIRE(attention::head({}, 0, 3, 2, 1, {}) == Status::kOk);
}

TEST_CASE("attention: rejects mismatched shapes and writes nothing") {
  const std::vector<float> one{1}, two{1, 2};
  std::vector<float> weights(1, 7.0f), out(1, 7.0f);
  const Rule rule{1, 0, 1};
  CHECK_BAD_SHAPE(attention::scores(two, one, {}, 1, 1, 1, rule, weights));
  CHECK_BAD_SHAPE(attention::scores(one, two, {}, 1, 1, 1, rule, weights));
  CHECK_BAD_SHAPE(attention::scores(one, one, two, 1, 1, 1, rule, weights));
  CHECK_BAD_SHAPE(attention::scaled_dot_product(one, one, two, {}, 1, 1, 1, 1, rule, weights, out));
  CHECK_BAD_SHAPE(attention::scaled_dot_product(two, one, one, {}, 1, 1, 1, 1, rule, weights, out));
  CHECK_BAD_SHAPE(attention::head(two, 1, 1, 1, 0, out));
  CHECK_BAD_SHAPE(attention::head(one, 1, 1, 1, 1, out));
  CHECK_BAD_SHAPE(attention::softmax(two, 1, 1, out));
  CHECK_BAD_SHAPE(attention::linear_layer(one, one, two, 1, 1, 1, linear::Sums::kFloat64, out));
  CHECK_BAD_SHAPE(attention::linear_layer(two, one, {}, 1, 1, 1, linear::Sums::kFloat32, out));
  CHECK(weights == std::vector<float>{7});
  CHECK(out == std::vector<float>{7});
}
