#include "positional/absolute/sinusoidal/sinusoidal.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "bad_shape.h"

namespace phase = phasor::phase;
namespace sinusoidal = phasor::sinusoidal;
using phase::Precision;
using phasor::Status;
using sinusoidal::Layout;
using sinusoidal::Odd;

namespace {

std::vector<double> workspace(std::size_t D, Odd odd) {
  const std::size_t P = sinusoidal::pairs(D, odd);
  std::vector<double> w(phase::workspace_size(P, true));
  REQUIRE(phase::frequencies(10000, static_cast<double>(D) / 2, Precision::kExact, P, w) ==
          Status::kOk);
  return w;
}

std::vector<float> encode(double position, std::size_t D, Layout layout, Odd odd = Odd::kSineLast,
                          double amplitude = 1.0) {
  std::vector<double> w = workspace(D, odd);
  std::vector<float> out(D);
  REQUIRE(sinusoidal::table(std::array{position}, D, layout, odd, Precision::kExact, amplitude, w,
                            out) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE("sinusoidal: SIMD equals the scalar definition, bit for bit, at every width and layout") {
  for (std::size_t D : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 33u, 64u}) {
    for (const auto layout : {Layout::kInterleaved, Layout::kHalves, Layout::kFlipped}) {
      for (const auto odd : {Odd::kSineLast, Odd::kZeroLast}) {
        for (std::size_t T : {0u, 1u, 31u, 32u, 33u, 70u}) {
          std::vector<double> w = workspace(D, odd), positions(T);
          for (std::size_t t = 0; t < T; ++t) positions[t] = static_cast<double>(t) - 3;
          std::vector<float> fast(T * D, 9.0f), slow(T * D, 9.0f);
          REQUIRE(sinusoidal::table(positions, D, layout, odd, Precision::kExact, 1.0, w, fast) ==
                  Status::kOk);
          REQUIRE(sinusoidal::table_scalar(positions, D, layout, odd, Precision::kExact, 1.0, w,
                                           slow) == Status::kOk);
          CHECK(fast == slow);
        }
      }
    }
  }
}

TEST_CASE("sinusoidal: layouts are permutations of one another") {
  const std::vector<float> mixed = encode(5, 8, Layout::kInterleaved);
  const std::vector<float> halves = encode(5, 8, Layout::kHalves);
  const std::vector<float> flipped = encode(5, 8, Layout::kFlipped);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(mixed[2 * i] == halves[i]);
    CHECK(mixed[2 * i + 1] == halves[4 + i]);
    CHECK(flipped[i] == halves[4 + i]);
    CHECK(flipped[4 + i] == halves[i]);
  }
}

TEST_CASE("sinusoidal: an odd width ends with a sine or with zero") {
  const std::vector<float> sine = encode(1, 5, Layout::kHalves);
  CHECK(sine[0] == doctest::Approx(std::sin(1.0)));
  CHECK(sine[3] == doctest::Approx(std::cos(1.0)));
  const std::vector<float> zero = encode(1, 5, Layout::kHalves, Odd::kZeroLast);
  CHECK(zero[2] == doctest::Approx(std::cos(1.0)));
  CHECK(zero[4] == 0.0f);
  CHECK(encode(1, 1, Layout::kInterleaved)[0] == doctest::Approx(std::sin(1.0)));
  CHECK(encode(1, 1, Layout::kInterleaved, Odd::kZeroLast)[0] == 0.0f);
}

TEST_CASE("sinusoidal: an amplitude multiplies every value, with a single rounding") {
  const std::vector<float> one = encode(3, 6, Layout::kHalves);
  const std::vector<float> four = encode(3, 6, Layout::kHalves, Odd::kSineLast, 4.0);
  for (std::size_t d = 0; d < 6; ++d) CHECK(four[d] == 4 * one[d]);
  const std::vector<float> third = encode(3, 2, Layout::kHalves, Odd::kSineLast, 1.0 / 3);
  CHECK(third[0] == static_cast<float>(0.14112000805986722 / 3));
}

TEST_CASE("sinusoidal: rejects mismatched shapes and writes nothing") {
  std::vector<double> w = workspace(4, Odd::kSineLast);
  std::vector<float> out(5, 7.0f);
  CHECK_BAD_SHAPE(sinusoidal::table(std::array{1.0}, 4, Layout::kHalves, Odd::kSineLast,
                                    Precision::kExact, 1.0, w, out));
  CHECK_BAD_SHAPE(sinusoidal::table(std::array{1.0}, 0, Layout::kHalves, Odd::kSineLast,
                                    Precision::kExact, 1.0, w, out));
  for (const float x : out) CHECK(x == 7.0f);
}
