#include "math/linear.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "bad_shape.h"
#include "wave.h"

namespace linear = phasor::linear;
using phasor::Status;
using phasor::test::wave;

TEST_CASE("linear.dot: SIMD equals the scalar definition, bit for bit, at every tail length") {
  for (std::size_t D : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 31u, 64u, 129u}) {
    const auto a = wave(D, 0.7), b = wave(D, 0.3);
    CHECK(linear::dot(a, b) == linear::dot_scalar(a, b));
  }
}

TEST_CASE("linear.dot: what float32 would lose is kept") {
  const std::vector<float> a{1e8f, 1.0f, -1e8f, 1.0f, 0.5f}, ones(5, 1.0f);
  CHECK(linear::dot(a, ones) == 2.5);
}

TEST_CASE("linear.products: every product is the dot product, scaled and rounded once") {
  for (std::size_t N : {1u, 2u, 3u, 6u}) {
    for (std::size_t D : {0u, 1u, 4u, 6u, 13u}) {
      const auto x = wave(3 * D, 0.7), w = wave(N * D, 0.3);
      std::vector<float> out(3 * N);
      REQUIRE(linear::products(x, w, 3, N, D, 0.25, out) == Status::kOk);
      for (std::size_t t = 0; t < 3; ++t)
        for (std::size_t n = 0; n < N; ++n)
          CHECK(out[t * N + n] ==
                static_cast<float>(0.25 * linear::dot_scalar(std::span(x).subspan(t * D, D),
                                                             std::span(w).subspan(n * D, D))));
    }
  }
}

TEST_CASE("linear.mix: SIMD equals the scalar definition, bit for bit, at every tail length") {
  for (std::size_t N : {0u, 1u, 5u}) {
    for (std::size_t D : {1u, 2u, 7u, 8u, 9u, 16u, 27u}) {
      const auto weights = wave(2 * N, 0.9), rows = wave(N * D, 0.3);
      std::vector<float> fast(2 * D), slow(2 * D);
      REQUIRE(linear::mix(weights, rows, 2, N, D, fast) == Status::kOk);
      REQUIRE(linear::mix_scalar(weights, rows, 2, N, D, slow) == Status::kOk);
      CHECK(fast == slow);
    }
  }
}

TEST_CASE("linear: NaN is the one NaN") {
  const std::vector<float> inf{std::numeric_limits<float>::infinity()}, zero{0.0f};
  std::vector<float> out(1);
  REQUIRE(linear::products(inf, zero, 1, 1, 1, 1.0, out) == Status::kOk);
  CHECK(std::bit_cast<std::uint32_t>(out[0]) == 0x7fc00000);
  REQUIRE(linear::mix(zero, inf, 1, 1, 1, out) == Status::kOk);
  CHECK(std::bit_cast<std::uint32_t>(out[0]) == 0x7fc00000);
}

TEST_CASE("linear: refuses shapes that do not agree and writes nothing") {
  std::vector<float> out(4, 7.0f);
  const std::vector<float> x(4);
  CHECK_BAD_SHAPE(linear::products(x, x, 2, 2, 3, 1.0, out));
  CHECK_BAD_SHAPE(linear::mix(x, x, 2, 2, 3, out));
  CHECK(out == std::vector<float>(4, 7.0f));
}
