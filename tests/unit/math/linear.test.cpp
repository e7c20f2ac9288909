#include "math/linear.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
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

TEST_CASE("linear.dot: keeps what float32 sums would lose") {
  const std::vector<float> a{1e8f, 1.0f, -1e8f, 1.0f, 0.5f}, ones(5, 1.0f);
  CHECK(linear::dot(a, ones) == 2.5);
}

namespace {

/// The sums of a tile of these rows, in the order of its shape.
template <class Number>
std::vector<double> tiled(std::span<const float> a, std::size_t T, std::span<const float> b,
                          std::size_t N, std::size_t D) {
  constexpr std::size_t wide = linear::kWide<Number>;
  std::vector<Number> left(D * linear::kTall), right(D * wide);
  std::vector<double> sums(linear::kTall * wide, 7.0);
  linear::pack_rows(a.data(), T, D, linear::kTall, left.data());
  linear::pack_rows(b.data(), N, D, wide, right.data());
  linear::tile(left.data(), right.data(), D, sums.data());
  return sums;
}

/// Whether tiles of a Number are their definition, bit for bit, and what was missing does no harm.
template <class Number>
void check_tiles(double (*dot)(std::span<const float>, std::span<const float>)) {
  constexpr std::size_t wide = linear::kWide<Number>;
  for (std::size_t D : {0u, 1u, 3u, 4u, 5u, 8u, 31u, 32u, 33u, 64u, 100u, 257u}) {
    for (std::size_t T = 1; T <= linear::kTall; ++T) {
      for (std::size_t N = 1; N <= wide; ++N) {
        const auto a = wave(T * D, 0.7), b = wave(N * D, 0.3);
        const auto sums = tiled<Number>(a, T, b, N, D);
        for (std::size_t t = 0; t < T; ++t)
          for (std::size_t n = 0; n < N; ++n)
            CHECK(std::bit_cast<std::uint64_t>(sums[t * wide + n]) ==
                  std::bit_cast<std::uint64_t>(
                      dot(std::span(a).subspan(t * D, D), std::span(b).subspan(n * D, D))));
      }
    }
  }
}

}  // namespace

TEST_CASE("linear.tile: equals its definition, bit for bit, at every size") {
  check_tiles<float>(linear::blocked_dot);
  check_tiles<double>(linear::ordered_dot);
}

TEST_CASE("linear.tile: confines non-finite values to their rows") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> a{1, kInf, 1, 1, 3e38f, 1, NAN, 1}, b{1, 1, 10, -1};
  for (const auto& sums : {tiled<float>(a, 4, b, 2, 2), tiled<double>(a, 4, b, 2, 2)}) {
    const std::size_t wide = sums.size() / 4;
    CHECK(sums[0] == kInf);
    CHECK(sums[1] == -kInf);
    CHECK(sums[wide] == 2);
    CHECK(sums[wide + 1] == 9);
    CHECK(std::isnan(sums[3 * wide]));
    CHECK((wide == 8 ? sums[2 * wide + 1] == kInf  // overflows float32
                     : sums[2 * wide + 1] == 10.0 * 3e38f - 1));
  }
}

TEST_CASE("linear.blockedDot: is within its bound of the sum in double") {
  for (std::size_t D : {1u, 2u, 7u, 32u, 64u, 500u, 3000u}) {
    for (const double step : {0.1, 0.3, 0.77, 2.1}) {
      const auto a = wave(D, 0.7), b = wave(D, step);
      double magnitude = 0;
      for (std::size_t d = 0; d < D; ++d)
        magnitude += std::fabs(static_cast<double>(a[d]) * static_cast<double>(b[d]));
      const double most = static_cast<double>(std::min(D, linear::kBlock) + 1) * 0x1p-24;
      CHECK(std::fabs(linear::blocked_dot(a, b) - linear::ordered_dot(a, b)) <= most * magnitude);
    }
  }
  // The worst order for a block: the first product is large, and what is added to it is cut off.
  std::vector<float> a(linear::kBlock, 0x1.8p-24f), ones(linear::kBlock, 1.0f);
  a[0] = 1.0f;
  CHECK(linear::blocked_dot(a, ones) - linear::ordered_dot(a, ones) > 15 * 0x1p-24);
  const std::vector<float> tiny(100, 0x1p-75f);  // products of half the least float32
  CHECK(std::fabs(linear::blocked_dot(tiny, tiny) - 100 * 0x1p-150) <= 100 * 0x1p-150);
}

TEST_CASE("linear.pairedDot: is within its bound of the sum in double") {
  for (std::size_t D = 1; D < 140; ++D) {
    for (const double step : {0.1, 0.3, 0.77, 2.1}) {
      const auto a = wave(D, 0.7), b = wave(D, step);
      double magnitude = 0;
      for (std::size_t d = 0; d < D; ++d)
        magnitude += std::fabs(static_cast<double>(a[d]) * static_cast<double>(b[d]));
      const double most = (static_cast<double>(std::min(D, linear::block_of(D))) / 2 + 2) * 0x1p-24;
      CHECK(std::fabs(linear::paired_dot(a, b) - linear::ordered_dot(a, b)) <= most * magnitude);
    }
  }
  // The worst order for a block: the first product is large, and what is added to it is cut off.
  std::vector<float> a(128, 0x1.8p-25f), ones(128, 1.0f);
  a[0] = 1.0f;
  CHECK(linear::paired_dot(a, ones) - linear::ordered_dot(a, ones) > 6 * 0x1p-24);
}

TEST_CASE("linear.packColumns: places columns next to each other and pads with zeros") {
  const std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // [2, 6]
  std::vector<float> four(8), eight(16, 7.0f);
  std::vector<double> doubles(8);
  linear::pack_columns(x.data() + 1, 4, 2, 6, 4, four.data());
  CHECK(four == std::vector<float>{2, 3, 4, 5, 8, 9, 10, 11});
  linear::pack_columns(x.data() + 1, 4, 2, 6, 4, doubles.data());
  CHECK(doubles == std::vector<double>{2, 3, 4, 5, 8, 9, 10, 11});
  linear::pack_columns(x.data(), 6, 2, 6, 8, eight.data());
  CHECK(eight == std::vector<float>{1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0});
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

TEST_CASE("linear.productsF32: every product is a paired dot product, bit for bit, at every size") {
  for (std::size_t T : {0u, 1u, 3u, 4u, 5u, 7u, 9u, 64u, 66u}) {
    for (std::size_t N : {0u, 1u, 3u, 7u, 8u, 9u, 20u}) {
      for (std::size_t D : {0u, 1u, 3u, 5u, 8u, 32u, 33u, 64u, 100u, 133u}) {
        const auto x = wave(T * D, 0.7), w = wave(N * D, 0.3);
        for (const std::ptrdiff_t seen : {-5, 0, 1, 6, 20}) {
          std::vector<float> out(T * N);
          REQUIRE(linear::products_f32(x, w, T, N, D, 0.3, seen, out) == Status::kOk);
          bool same = true;
          for (std::size_t t = 0; t < T; ++t)
            for (std::size_t n = 0; n < linear::visible(seen, t, N); ++n)
              same = same && out[t * N + n] ==
                                 static_cast<float>(
                                     0.3 * linear::paired_dot(std::span(x).subspan(t * D, D),
                                                              std::span(w).subspan(n * D, D)));
          CHECK(same);
        }
      }
    }
  }
}

TEST_CASE("linear.mixF32: every mixture is a paired dot product, bit for bit, at every size") {
  for (std::size_t T : {0u, 1u, 3u, 4u, 5u, 9u}) {
    for (std::size_t N : {0u, 1u, 3u, 8u, 32u, 33u, 65u, 100u, 130u}) {
      for (std::size_t D : {1u, 3u, 4u, 7u, 8u, 9u, 63u, 64u, 65u, 130u}) {
        const auto rows = wave(N * D, 0.3);
        for (const std::ptrdiff_t seen : {-2, 0, 1, 30, 61, 100, 125}) {
          auto weights = wave(T * N, 0.9);
          for (std::size_t t = 0; t < T; ++t)
            for (std::size_t n = linear::visible(seen, t, N); n < N; ++n) weights[t * N + n] = 0;
          std::vector<float> out(T * D, 7.0f), column(N);
          REQUIRE(linear::mix_f32(weights, rows, T, N, D, seen, out) == Status::kOk);
          bool same = true;
          for (std::size_t d = 0; d < D; ++d) {
            for (std::size_t n = 0; n < N; ++n) column[n] = rows[n * D + d];
            for (std::size_t t = 0; t < T; ++t) {
              const std::size_t n = linear::visible(seen, t, N);
              const double sum = linear::paired_dot(std::span(weights).subspan(t * N, n),
                                                    std::span(column).first(n));
              same = same && out[t * D + d] == static_cast<float>(sum);
            }
          }
          CHECK(same);
        }
      }
    }
  }
}

TEST_CASE("linear: NaN is canonical") {
  const std::vector<float> inf{std::numeric_limits<float>::infinity()}, zero{0.0f};
  std::vector<float> out(1);
  REQUIRE(linear::products(inf, zero, 1, 1, 1, 1.0, out) == Status::kOk);
  CHECK(std::bit_cast<std::uint32_t>(out[0]) == 0x7fc00000);
  REQUIRE(linear::mix(zero, inf, 1, 1, 1, out) == Status::kOk);
  CHECK(std::bit_cast<std::uint32_t>(out[0]) == 0x7fc00000);
  REQUIRE(linear::products_f32(inf, zero, 1, 1, 1, 1.0, 1, out) == Status::kOk);
  CHECK(std::bit_cast<std::uint32_t>(out[0]) == 0x7fc00000);
  REQUIRE(linear::mix_f32(zero, inf, 1, 1, 1, 1, out) == Status::kOk);
  CHECK(std::bit_cast<std::uint32_t>(out[0]) == 0x7fc00000);
}

TEST_CASE("linear: rejects mismatched shapes and writes nothing") {
  std::vector<float> out(4, 7.0f);
  const std::vector<float> x(4);
  CHECK_BAD_SHAPE(linear::products(x, x, 2, 2, 3, 1.0, out));
  CHECK_BAD_SHAPE(linear::mix(x, x, 2, 2, 3, out));
  CHECK(out == std::vector<float>(4, 7.0f));
}
