#include "analysis/similarity/similarity.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bad_shape.h"
#include "math/linear.h"
#include "wave.h"

namespace similarity = phasor::similarity;
using phasor::Status;
using phasor::test::wave;
using similarity::Metric;

namespace {

constexpr Metric kMetrics[] = {Metric::kDot, Metric::kCosine, Metric::kEuclidean};

/// The score of two rows by its formula, every sum in the order of the numbers.
float defined(std::span<const float> x, std::span<const float> y, Metric metric) {
  const double dot = phasor::linear::ordered_dot(x, y);
  if (metric == Metric::kDot) return static_cast<float>(dot);
  const double both = phasor::linear::ordered_dot(x, x) * phasor::linear::ordered_dot(y, y);
  if (metric == Metric::kCosine) return static_cast<float>(both == 0 ? dot : dot / std::sqrt(both));
  double sum = 0;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const double gap = static_cast<double>(x[d]) - static_cast<double>(y[d]);
    sum += gap * gap;
  }
  return static_cast<float>(std::sqrt(sum));
}

}  // namespace

TEST_CASE(
    "similarity.compare: SIMD equals the scalar definition, bit for bit, at every tail length") {
  for (std::size_t D : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 13u, 64u, 129u}) {
    for (std::size_t N : {0u, 1u, 2u, 3u, 6u}) {
      const auto rows = wave(N * D, 0.3), narrow = wave(D, 0.7);
      std::vector<double> q(narrow.begin(), narrow.end()), squares(N), fast(N), slow(N);
      for (double& x : q) x += 1e-9;  // no float32 numbers
      similarity::squares(rows, D, squares);
      for (const auto metric : kMetrics) {
        similarity::compare(q, similarity::square(q), rows, squares, metric, fast);
        similarity::compare_scalar(q, rows, squares, metric, slow);
        CHECK(fast == slow);
      }
    }
  }
}

TEST_CASE("similarity.matrix: equals rows, and the definition rounded once, bit for bit") {
  for (std::size_t D : {1u, 4u, 6u, 33u}) {
    const std::size_t sizes[][2] = {{1, 17}, {2, 9}, {3, 5}, {5, 3},
                                    {5, 2},  {6, 5}, {4, 9}};  // few rows, and tiles
    for (const auto& [N, M] : sizes)
      for (const auto metric : kMetrics) {
        const auto a = wave(N * D, 0.7), b = wave(M * D, 0.3);
        std::vector<float> all(N * M), one(1);
        std::vector<double> workspace(similarity::work(N, D));
        REQUIRE(similarity::matrix(a, b, N, M, D, metric, workspace, all) == Status::kOk);
        for (std::size_t n = 0; n < N; ++n) {
          for (std::size_t m = 0; m < M; ++m) {
            const auto x = std::span(a).subspan(n * D, D), y = std::span(b).subspan(m * D, D);
            REQUIRE(similarity::rows(x, y, 1, D, metric, one) == Status::kOk);
            CHECK(all[n * M + m] == one[0]);
            CHECK(one[0] == defined(x, y, metric));
          }
        }
      }
  }
}

TEST_CASE("similarity.matrix: of rows with themselves equals that with a copy") {
  for (std::size_t D : {1u, 5u}) {
    for (std::size_t N : {1u, 3u, 4u, 5u, 9u}) {
      const auto x = wave(N * D, 0.7), copy = x;
      std::vector<double> workspace(similarity::work(N, D));
      for (const auto metric : kMetrics) {
        std::vector<float> own(N * N), other(N * N);
        REQUIRE(similarity::matrix(x, x, N, N, D, metric, workspace, own) == Status::kOk);
        REQUIRE(similarity::matrix(x, copy, N, N, D, metric, workspace, other) == Status::kOk);
        CHECK(own == other);
      }
    }
  }
}

TEST_CASE("similarity.matrixF32: is its definition, by blocks of float32 and lengths in double") {
  for (std::size_t D : {1u, 31u, 33u, 100u}) {
    const std::size_t N = 6, M = 11;
    auto a = wave(N * D, 0.7), b = wave(M * D, 0.3);
    std::fill_n(a.begin() + static_cast<std::ptrdiff_t>(2 * D), D, 0.0f);
    b[3 * D] = std::numeric_limits<float>::quiet_NaN();
    std::copy_n(b.begin(), D, a.begin());  // whose cosine is not above 1
    std::vector<double> squares_a(N), squares_b(M);
    similarity::squares(a, D, squares_a);
    similarity::squares(b, D, squares_b);
    std::vector<float> dots(N * M), cosines(N * M);
    REQUIRE(similarity::matrix_f32(a, b, D, {}, {}, dots) == Status::kOk);
    REQUIRE(similarity::matrix_f32(a, b, D, squares_a, squares_b, cosines) == Status::kOk);
    for (std::size_t n = 0; n < N; ++n) {
      for (std::size_t m = 0; m < M; ++m) {
        const auto x = std::span(a).subspan(n * D, D), y = std::span(b).subspan(m * D, D);
        const auto dot = static_cast<float>(phasor::linear::paired_dot(x, y));
        const double both = squares_a[n] * squares_b[m];
        const double cosine = both == 0 ? 0 : static_cast<double>(dot) / std::sqrt(both);
        const float got = cosines[n * M + m];
        if (m == 3) {
          CHECK(std::bit_cast<std::uint32_t>(dots[n * M + m]) == 0x7fc00000);
          CHECK(std::bit_cast<std::uint32_t>(got) == 0x7fc00000);
        } else {
          CHECK(dots[n * M + m] == dot);
          CHECK(got == std::fmax(-1.0f, std::fmin(1.0f, static_cast<float>(cosine))));
          const double most = (static_cast<double>(std::min<std::size_t>(D, 32)) / 2 + 4) * 0x1p-24;
          const float exact = defined(x, y, Metric::kCosine);
          CHECK(std::fabs(static_cast<double>(got) - static_cast<double>(exact)) <= most);
        }
      }
    }
  }
}

TEST_CASE("similarity.matrixF32: of rows with themselves equals that with a copy") {
  for (const std::size_t N : {1u, 4u, 5u, 30u}) {
    const std::size_t D = 37;
    const auto x = wave(N * D, 0.7), copy = x;
    std::vector<double> squares(N);
    similarity::squares(x, D, squares);
    const std::span<const double> none;
    for (const auto of : {none, std::span<const double>(squares)}) {
      std::vector<float> own(N * N), other(N * N);
      REQUIRE(similarity::matrix_f32(x, x, D, of, of, own) == Status::kOk);
      REQUIRE(similarity::matrix_f32(x, copy, D, of, of, other) == Status::kOk);
      CHECK(own == other);
    }
  }
}

TEST_CASE("similarity: a row of zeros has cosine 0, even with itself") {
  const std::vector<float> zero{0, 0, 0}, x{1, -2, 3};
  std::vector<float> out(1, 7.0f);
  for (const auto& other : {zero, x}) {
    REQUIRE(similarity::rows(zero, other, 1, 3, Metric::kCosine, out) == Status::kOk);
    CHECK(std::bit_cast<std::uint32_t>(out[0]) == 0);
    REQUIRE(similarity::rows(other, zero, 1, 3, Metric::kCosine, out) == Status::kOk);
    CHECK(std::bit_cast<std::uint32_t>(out[0]) == 0);
  }
}

TEST_CASE(
    "similarity: NaN gives the canonical NaN, also with a row of zeros; so does inf for a cosine") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> out(1);
  for (const auto& bad :
       {std::vector{kNan, 1.0f}, std::vector{-kNan, 0.0f}, std::vector{kInf, 1.0f}}) {
    for (const auto& other : {std::vector{0.0f, 0.0f}, std::vector{1.0f, 2.0f}}) {
      for (const auto metric : kMetrics) {
        if (bad[0] == kInf && metric != Metric::kCosine) continue;
        REQUIRE(similarity::rows(bad, other, 1, 2, metric, out) == Status::kOk);
        CHECK(std::bit_cast<std::uint32_t>(out[0]) == 0x7fc00000);
      }
    }
  }
}

TEST_CASE("similarity: the largest and the smallest floats neither overflow nor underflow") {
  constexpr float kMost = std::numeric_limits<float>::max();
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  for (const float size : {kMost, kLeast}) {
    const std::vector<float> a{size, size}, b{size, -size};
    std::vector<float> out(1);
    REQUIRE(similarity::rows(a, a, 1, 2, Metric::kCosine, out) == Status::kOk);
    CHECK(out[0] == 1.0f);
    REQUIRE(similarity::rows(a, b, 1, 2, Metric::kCosine, out) == Status::kOk);
    CHECK(out[0] == 0.0f);
  }
  std::vector<float> out(1);
  REQUIRE(similarity::rows(std::vector{kLeast}, std::vector{-kLeast}, 1, 1, Metric::kEuclidean,
                           out) == Status::kOk);
  CHECK(out[0] == 2 * kLeast);
}

TEST_CASE("similarity: distances of close neighbors far from 0 keep their digits") {
  const std::vector<float> a{4096.0f, -4096.0f}, b{4096.0f + 0x1p-11f, -4096.0f};
  std::vector<float> out(1);
  REQUIRE(similarity::rows(a, b, 1, 2, Metric::kEuclidean, out) == Status::kOk);
  CHECK(out[0] == 0x1p-11f);
}

TEST_CASE("similarity: rejects mismatched shapes and writes nothing") {
  std::vector<float> out(4, 7.0f);
  std::vector<double> workspace(similarity::work(2, 2));
  const std::vector<float> x(4);
  const auto four = std::span(workspace).first(4);
  CHECK_BAD_SHAPE(similarity::rows(x, x, 2, 2, Metric::kDot, out));
  CHECK_BAD_SHAPE(similarity::rows(x, x, 4, 2, Metric::kDot, out));
  CHECK_BAD_SHAPE(similarity::matrix(x, x, 2, 2, 3, Metric::kDot, workspace, out));
  CHECK_BAD_SHAPE(similarity::matrix(x, x, 2, 2, 2, Metric::kDot, four, out));
  CHECK_BAD_SHAPE(similarity::matrix_f32(x, x, 2, four, std::span(four).first(2), out));
  CHECK_BAD_SHAPE(similarity::matrix_f32(x, x, 4, {}, {}, out));
  CHECK(out == std::vector<float>(4, 7.0f));
}
