#include "positional/rotary/rope/rope.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bad_shape.h"
#include "wave.h"

namespace phase = phasor::phase;
namespace rope = phasor::rope;
using phasor::Status;
using phasor::test::wave;
using rope::Layout;

TEST_CASE("rope.apply: SIMD equals the scalar definition, bit for bit, at every tail length") {
  for (std::size_t T : {0u, 1u, 2u, 5u}) {
    for (std::size_t N : {1u, 3u}) {
      for (std::size_t D : {1u, 2u, 3u, 6u, 8u, 10u, 16u, 64u}) {
        for (std::size_t R = 0; R <= D; R += R < 10 ? 2 : 6) {
          for (const auto layout : {Layout::kInterleaved, Layout::kHalves}) {
            for (const bool inverse : {false, true}) {
              std::vector<float> fast = wave(T * N * D, 0.7), slow = fast;
              const std::vector<float> c = wave(T * (R / 2), 0.3), s = wave(T * (R / 2), 0.4);
              REQUIRE(rope::rotate(fast, c, s, T, N, D, R, layout, inverse) == Status::kOk);
              REQUIRE(rope::rotate_scalar(slow, c, s, T, N, D, R, layout, inverse) == Status::kOk);
              CHECK(fast == slow);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("rope.apply: rotates (1, 0) by a right angle to (0, 1), in both layouts") {
  std::vector<float> mixed{1, 0, 1, 0}, halves{1, 1, 0, 0};
  const std::vector<float> c{0, 0}, s{1, 1};
  REQUIRE(rope::rotate(mixed, c, s, 1, 1, 4, 4, Layout::kInterleaved, false) == Status::kOk);
  REQUIRE(rope::rotate(halves, c, s, 1, 1, 4, 4, Layout::kHalves, false) == Status::kOk);
  CHECK(mixed == std::vector<float>{0, 1, 0, 1});
  CHECK(halves == std::vector<float>{0, 0, 1, 1});
}

TEST_CASE("rope.apply: NaN and infinity stay in their pair, and NaN is canonical") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const auto layout : {Layout::kInterleaved, Layout::kHalves}) {
    std::vector<float> x(12, kInf);
    const std::vector<float> c(6, 1.0f), s(6, 1.0f);
    REQUIRE(rope::rotate(x, c, s, 1, 1, 12, 12, layout, false) == Status::kOk);
    std::size_t nans = 0;
    for (const float value : x)
      if (value != value) nans += std::bit_cast<std::uint32_t>(value) == 0x7fc00000u;
    CHECK(nans == 6);
  }
}

TEST_CASE("rope.apply: copies columns beyond the rotated width") {
  std::vector<float> x{1, 0, 5, 6, 7};
  REQUIRE(rope::rotate(x, std::vector<float>{0}, std::vector<float>{1}, 1, 1, 5, 2, Layout::kHalves,
                       false) == Status::kOk);
  CHECK(x == std::vector<float>{0, 1, 5, 6, 7});
}

TEST_CASE("rope.apply: rejects mismatched shapes and leaves x unchanged") {
  std::vector<float> x{1, 2, 3};
  const std::vector<float> one{1}, none;
  CHECK_BAD_SHAPE(rope::rotate(x, one, one, 1, 1, 3, 3, Layout::kHalves, false));
  CHECK_BAD_SHAPE(rope::rotate(x, one, one, 1, 1, 3, 4, Layout::kHalves, false));
  CHECK_BAD_SHAPE(rope::rotate(x, one, none, 1, 1, 3, 2, Layout::kHalves, false));
  CHECK_BAD_SHAPE(rope::rotate(x, one, one, 1, 2, 3, 2, Layout::kHalves, false));
  CHECK(x == std::vector<float>{1, 2, 3});
}

TEST_CASE("rope.table: has the rows of phase::rows, cosines first, without gaps") {
  const std::size_t P = 6, T = 3;
  std::vector<double> w(phase::workspace_size(P, false));
  REQUIRE(phase::frequencies(10000, 6, phase::Precision::kExact, P, w) == Status::kOk);
  const auto table = [&](std::vector<float>& out, std::size_t sin) {
    return rope::table(std::vector<double>{0, 1, 2}, P, phase::Precision::kExact, 1, w, out, sin);
  };
  for (const std::size_t gap : {0u, 5u}) {
    const std::size_t sin = T * P + gap;
    std::vector<float> out(sin + T * P, 7.0f);
    REQUIRE(table(out, sin) == Status::kOk);
    CHECK(out[0] == 1.0f);
    CHECK(out[sin] == 0.0f);
    CHECK(out[P] == doctest::Approx(std::cos(1.0)));
    CHECK(out[sin + P] == doctest::Approx(std::sin(1.0)));
    for (std::size_t k = T * P; k < sin; ++k) CHECK(out[k] == 7.0f);
  }
  std::vector<float> out(2 * T * P);
  CHECK_BAD_SHAPE(table(out, T * P - 1));
  CHECK_BAD_SHAPE(table(out, T * P + 1));
}
