#include "positional/bias/alibi/alibi.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "bad_shape.h"
#include "bits.h"

#if !defined(__EMSCRIPTEN__)
#include <quadmath.h>
#endif

namespace alibi = phasor::alibi;
using alibi::Form;
using phasor::Status;
using phasor::half::Dtype;

namespace {

std::vector<float> slopes(std::size_t H, double bias_max = 8, Dtype dtype = Dtype::kFloat32) {
  std::vector<float> out(H);
  REQUIRE(alibi::slopes(bias_max, dtype, out) == Status::kOk);
  return out;
}

std::vector<float> line(const std::vector<float>& slopes, double first, std::size_t N, Form form,
                        Dtype dtype = Dtype::kFloat32) {
  std::vector<float> out(slopes.size() * N, 7.0f);
  REQUIRE(alibi::line(slopes, first, form, dtype, out) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE("alibi.slopes: powers of two halve, and other numbers take every second slope") {
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

TEST_CASE("alibi.line: zero at distance zero, linear, and hidden ahead") {
  const std::vector<float> given{0.25f, -0.5f, 0.0f};
  const std::vector<float> linear = line(given, -5, 8, Form::kLinear);
  const std::vector<float> symmetric = line(given, -5, 8, Form::kSymmetric);
  const std::vector<float> causal = line(given, -5, 8, Form::kCausal);
  for (std::size_t h = 0; h < 3; ++h) {
    for (std::size_t k = 0; k < 8; ++k) {
      const float r = static_cast<float>(k) - 5.0f;
      const std::size_t at = h * 8 + k;
      CHECK(linear[at] == given[h] * r);
      CHECK(symmetric[at] == -given[h] * std::fabs(r));
      CHECK(causal[at] == (r > 0 ? -std::numeric_limits<float>::infinity() : linear[at]));
      CHECK(!(symmetric[at] == 0 && std::signbit(symmetric[at])));
    }
  }
}

TEST_CASE("alibi.line: in half width, slope, distance and product are rounded each") {
  // bfloat16 has 8 bits: 257 is kept as 256, and 0.7071 as 0.70703125
  CHECK(line({0.70710677f}, 257, 1, Form::kLinear, Dtype::kBfloat16)[0] == 0.70703125f * 256);
  CHECK(line({0.70703125f}, 3, 1, Form::kLinear, Dtype::kBfloat16)[0] == 2.125f);  // 2.12109375
  CHECK(slopes(12, 8, Dtype::kBfloat16)[8] == 0.70703125f);
}

TEST_CASE("alibi: refuses shapes and parameters that are wrong, and writes nothing") {
  std::vector<float> out(5, 7.0f);
  const std::vector<float> two(2, 1.0f);
  CHECK(alibi::slopes(0, Dtype::kFloat32, out) == Status::kBadParam);
  CHECK(alibi::slopes(126.5, Dtype::kFloat32, out) == Status::kBadParam);
  CHECK(alibi::slopes(NAN, Dtype::kFloat32, out) == Status::kBadParam);
  CHECK_BAD_SHAPE(alibi::slopes(8, Dtype::kFloat32, {}));
  CHECK_BAD_SHAPE(alibi::line(two, 0, Form::kLinear, Dtype::kFloat32, out));
  CHECK_BAD_SHAPE(alibi::line({}, 0, Form::kLinear, Dtype::kFloat32, out));
  CHECK(alibi::line({}, 0, Form::kLinear, Dtype::kFloat32, {}) == Status::kOk);
  CHECK(out == std::vector<float>(5, 7.0f));
}
