#include "positional/bias/alibi/alibi.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "bad_shape.h"
#include "bits.h"

#if !defined(__EMSCRIPTEN__)
#include <quadmath.h>
#endif

namespace alibi = phasor::alibi;
using phasor::Status;
using phasor::half::Dtype;

namespace {

std::vector<float> slopes(std::size_t H, double bias_max = 8, Dtype dtype = Dtype::kFloat32) {
  std::vector<float> out(H);
  REQUIRE(alibi::slopes(bias_max, dtype, out) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE(
    "alibi.slopes: powers of two halve, and other head counts interleave every second slope") {
  CHECK(slopes(4) == std::vector{0.25f, 0.0625f, 0.015625f, 0.00390625f});
  CHECK(slopes(1) == std::vector{0.00390625f});
  const std::vector<float> twelve = slopes(12), sixteen = slopes(16);
  for (std::size_t h = 0; h < 8; ++h)
    CHECK(twelve[h] == std::ldexp(1.0f, -static_cast<int>(h) - 1));
  for (std::size_t j = 0; j < 4; ++j) CHECK(twelve[8 + j] == sixteen[2 * j]);
}

TEST_CASE("alibi.slopes: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  for (std::size_t H = 1; H <= 300; ++H) bits.add(slopes(H));
  for (const double most : {1e-3, 1.0, 7.7, 16.0, 126.0}) bits.add(slopes(777, most));
  CHECK(bits.value() == 0x5399b078630786aau);
}

#if !defined(__EMSCRIPTEN__)
TEST_CASE("alibi.slopes are correctly rounded for any number of heads") {
  int wrong = 0;
  for (const double most : {8.0, 16.0, 7.7, 0.1, 126.0}) {
    for (std::size_t H : {1u, 3u, 5u, 12u, 100u, 1023u, 4096u, 5000u}) {
      const std::vector<float> got = slopes(H, most);
      std::size_t m = 1;
      while (2 * m <= H) m *= 2;
      for (std::size_t h = 0; h < H; ++h) {
        const __float128 exponent =
            h < m ? static_cast<__float128>(most) * (h + 1) / m
                  : static_cast<__float128>(most) * (2 * (h - m) + 1) / (2 * m);
        wrong += got[h] != static_cast<float>(exp2q(-exponent));
      }
    }
  }
  CHECK(wrong == 0);
}
#endif

TEST_CASE("alibi: rejects wrong shapes and parameters and writes nothing") {
  std::vector<float> out(5, 7.0f);
  CHECK(alibi::slopes(0, Dtype::kFloat32, out) == Status::kBadParam);
  CHECK(alibi::slopes(126.5, Dtype::kFloat32, out) == Status::kBadParam);
  CHECK(alibi::slopes(NAN, Dtype::kFloat32, out) == Status::kBadParam);
  CHECK_BAD_SHAPE(alibi::slopes(8, Dtype::kFloat32, {}));
  CHECK(out == std::vector<float>(5, 7.0f));
}
