#include "positional/bias/window_bias/window_bias.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "bad_shape.h"

namespace window_bias = phasor::window_bias;
using phasor::Status;

TEST_CASE("window.logCoordinates: sign(a) log2(1 + |a|) / 3 along both axes") {
  std::vector<float> out(3 * 5 * 2);
  REQUIRE(window_bias::log_coordinates(2, 3, 2, 5, out) == Status::kOk);
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 5; ++x) {
      const double a = 8 * (static_cast<double>(y) - 1), b = 2 * (static_cast<double>(x) - 2);
      CHECK(out[(y * 5 + x) * 2] ==
            doctest::Approx(std::copysign(std::log2(1 + std::fabs(a)) / 3, a)));
      CHECK(out[(y * 5 + x) * 2 + 1] ==
            doctest::Approx(std::copysign(std::log2(1 + std::fabs(b)) / 3, b)));
    }
  }
  std::vector<float> one(2, 7.0f);
  REQUIRE(window_bias::log_coordinates(1, 1, 1, 1, one) == Status::kOk);
  CHECK(one == std::vector<float>{0, 0});
}

TEST_CASE("window.continuousBias: 16 sigmoid of the network's output for the coordinates") {
  const std::vector<float> w1{1, 2, -1, 1}, b1{0.5f, 0.25f}, w2{1, -1};
  std::vector<float> table(3);
  REQUIRE(window_bias::continuous_table(1, 2, 1, 9, w1, b1, w2, 2, 1, table) == Status::kOk);
  for (std::size_t x = 0; x < 3; ++x) {
    const double b = (static_cast<double>(x) - 1) / 3;  // a = -1, 0, 1: log2(2) / 3
    const double sum = std::fmax(0, 2 * b + 0.5) - std::fmax(0, b + 0.25);
    CHECK(table[x] == doctest::Approx(16 / (1 + std::exp(-sum))));
  }
}

TEST_CASE("window.resize: keeps the middle, stretches the rest and keeps the ends") {
  const std::vector<float> table{-2, -1, 0, 1, 2};
  std::vector<double> places(1 + 5);
  std::vector<float> out(9);
  REQUIRE(window_bias::resize(table, 1, 3, 1, 5, 1, places, out) == Status::kOk);
  CHECK(out[4] == 0);
  CHECK(out[5] == 1);  // q reaches 1.5: rows at 0, 1, 2.5
  CHECK(out[6] == doctest::Approx(1 + 1 / 1.5).epsilon(1e-5));
  CHECK(out[7] == 2);
  CHECK(out[8] == 2);
  for (std::size_t i = 0; i < 9; ++i) CHECK(out[i] == -out[8 - i]);
}

TEST_CASE("window: rejects mismatched arguments and writes nothing") {
  std::vector<float> out(2, 7.0f);
  std::vector<double> work(2, 7.0);
  const std::vector<float> two{1, 2};
  CHECK_BAD_SHAPE(window_bias::log_coordinates(1, 1, 1, 1, std::span(out).first(1)));
  CHECK(window_bias::log_coordinates(2, 1, 1, 1, out) == Status::kBadParam);
  CHECK(window_bias::log_coordinates(0, 1, 1, 1, out) == Status::kBadParam);
  CHECK_BAD_SHAPE(window_bias::continuous_table(1, 1, 1, 1, two, {}, two, 1, 2, out));
  CHECK_BAD_SHAPE(window_bias::continuous_table(1, 1, 1, 1, two, two, two, 1, 2, out));
  CHECK(window_bias::continuous_table(1, 2, 1, 1, two, two, two, 1, 2, out) == Status::kBadParam);
  CHECK_BAD_SHAPE(window_bias::resize(two, 1, 1, 1, 1, 1, work, out));
  CHECK_BAD_SHAPE(window_bias::resize(two, 1, 1, 0, 1, 2, work, out));
  CHECK_BAD_SHAPE(window_bias::resize(two, 1, 1, 1, 1, 2, std::span(work).first(1), out));
  CHECK(out == std::vector<float>{7, 7});
}
