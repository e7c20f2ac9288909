#include "embedding/pooling/pooling.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bad_shape.h"

namespace pooling = phasor::pooling;
using phasor::Status;
using pooling::Activation;
using pooling::Mode;

namespace {

constexpr std::int32_t kModes[] = {0, 1, 2, 3, 4, 5};

std::vector<float> wave(std::size_t size) {
  std::vector<float> x(size);
  for (std::size_t k = 0; k < size; ++k)
    x[k] = static_cast<float>(std::sin(0.7 * static_cast<double>(k)));
  return x;
}

/// One text, one mode.
std::vector<float> pooled(const std::vector<float>& x, const std::vector<std::int32_t>& mask,
                          std::size_t D, Mode mode, std::size_t skip = 0) {
  const std::int32_t modes[] = {static_cast<std::int32_t>(mode)};
  std::vector<double> scratch(D);
  std::vector<float> out(D);
  REQUIRE(pooling::pool(x, mask, x.size() / D, D, skip, modes, false, 0, scratch, out) ==
          Status::kOk);
  return out;
}

}  // namespace

TEST_CASE("pooling.pool: equals a hand-made example in each mode, with padding on both sides") {
  const std::vector<float> x{9, 9, 1, 8, 3, 4, 9, 9};
  const std::vector<std::int32_t> mask{0, 1, 1, 0};
  CHECK(pooled(x, mask, 2, Mode::kMean) == std::vector<float>{2, 6});
  CHECK(pooled(x, mask, 2, Mode::kCls) == std::vector<float>{1, 8});
  CHECK(pooled(x, mask, 2, Mode::kLast) == std::vector<float>{3, 4});
  CHECK(pooled(x, mask, 2, Mode::kWeighted) == std::vector<float>{7.0f / 3, 16.0f / 3});
  CHECK(pooled(x, mask, 2, Mode::kMax) == std::vector<float>{3, 8});
  const float root = static_cast<float>(4 / std::sqrt(2.0));
  CHECK(pooled(x, mask, 2, Mode::kMeanSqrtLength)[0] == root);
  // Position weights count from the first token of the text, also without the tokens that are skipped.
  CHECK(pooled(x, mask, 2, Mode::kWeighted, 1) == std::vector<float>{3, 4});
  CHECK(pooled(x, mask, 2, Mode::kCls, 1) == std::vector<float>{3, 4});
}

TEST_CASE("pooling.pool: handles a text without tokens") {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x{1, 2, 3, 4};
  for (const std::size_t skip : {0u, 2u, 9u}) {
    const std::vector<std::int32_t> mask{skip > 0, skip > 0};
    for (const Mode mode : {Mode::kMean, Mode::kLast, Mode::kWeighted, Mode::kMeanSqrtLength})
      CHECK(pooled(x, mask, 2, mode, skip) == std::vector<float>{0, 0});
    CHECK(pooled(x, mask, 2, Mode::kCls, skip) == std::vector<float>{1, 2});
    CHECK(pooled(x, mask, 2, Mode::kMax, skip) == std::vector<float>{-infinity, -infinity});
  }
}

TEST_CASE("pooling.pool: SIMD equals the scalar definition, bit for bit, at every width") {
  for (const std::size_t D : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 31u, 64u, 129u}) {
    constexpr std::size_t kB = 3, kT = 5;
    const std::vector<float> x = wave(kB * kT * D);
    const std::vector<std::int32_t> mask{1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    for (const std::size_t W : {D, 3 * D + 1, 6 * D}) {
      for (const bool unit : {false, true}) {
        std::vector<double> scratch(W);
        std::vector<float> fast(kB * W), slow(kB * W);
        REQUIRE(pooling::pool(x, mask, kT, D, 1, kModes, unit, 1e-12, scratch, fast) ==
                Status::kOk);
        REQUIRE(pooling::pool_scalar(x, mask, kT, D, 1, kModes, unit, 1e-12, scratch, slow) ==
                Status::kOk);
        CHECK(fast == slow);
      }
    }
  }
}

TEST_CASE("pooling.pool: truncates columns before it normalizes") {
  const std::vector<float> x{3, 4, 100};
  const std::int32_t modes[] = {0};
  std::vector<double> scratch(2);
  std::vector<float> out(2);
  REQUIRE(pooling::pool(x, {}, 1, 3, 0, modes, true, 0, scratch, out) == Status::kOk);
  CHECK(out == std::vector<float>{0.6f, 0.8f});
  const std::vector<float> zeros(3);
  REQUIRE(pooling::pool(zeros, {}, 1, 3, 0, modes, true, 0, scratch, out) == Status::kOk);
  CHECK(out == std::vector<float>{0, 0});
}

TEST_CASE("pooling.pool: ignores padding, but not a NaN in a token") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::int32_t mode : kModes) {
    CHECK(pooled({1, nan}, {1, 0}, 1, static_cast<Mode>(mode)) == std::vector<float>{1});
    const float found = pooled({nan, 1}, {1, 1}, 1, static_cast<Mode>(mode))[0];
    CHECK((found != found) == (static_cast<Mode>(mode) != Mode::kLast));
  }
}

TEST_CASE("pooling.pool: rejects wrong shapes and parameters and writes nothing") {
  const std::vector<float> x(8);
  std::vector<double> scratch(2);
  std::vector<float> out(4, 7);
  const std::int32_t mean[] = {0}, wrong[] = {6}, negative[] = {-1};
  CHECK(pooling::pool(x, {}, 2, 2, 0, wrong, false, 0, scratch, out) == Status::kBadParam);
  CHECK(pooling::pool(x, {}, 2, 2, 0, negative, false, 0, scratch, out) == Status::kBadParam);
  CHECK(pooling::pool(x, {}, 2, 2, 0, mean, true, -1, scratch, out) == Status::kBadParam);
  CHECK_BAD_SHAPE(pooling::pool(x, {}, 3, 2, 0, mean, false, 0, scratch, out));
  CHECK_BAD_SHAPE(pooling::pool(x, {}, 2, 1, 0, mean, false, 0, scratch, out));
  const std::vector<std::int32_t> mask(3);
  CHECK_BAD_SHAPE(pooling::pool(x, mask, 2, 2, 0, mean, false, 0, scratch, out));
  CHECK(out == std::vector<float>(4, 7));
}

TEST_CASE("pooling.dense: each activation; tanh and sigmoid within 0.501 ULP of libm's") {
  const std::vector<float> weight{1};
  std::vector<float> points{0.0f, 1e-30f, 1e-4f, 0.049999f, 0.05f, 0.7f, 3.0f, 20.0f, 1e30f};
  for (int i = 0; i < 200; ++i) points.push_back(0.03f + 0.0001f * static_cast<float>(i));
  for (const float at : points) {
    for (const float x : {at, -at}) {
      const double exact[] = {x, std::tanh(static_cast<double>(x)), x > 0 ? x : 0,
                              1 / (1 + std::exp(-static_cast<double>(x))),
                              x / (1 + std::exp(-static_cast<double>(x)))};
      for (std::int32_t f = 0; f < 5; ++f) {
        std::vector<float> out(1);
        REQUIRE(pooling::dense(std::vector<float>{x}, 1, weight, {}, static_cast<Activation>(f),
                               out) == Status::kOk);
        const double error = std::abs(static_cast<double>(out[0]) - exact[f]);
        CHECK(error <= 0.501 * 0x1p-23 * std::abs(exact[f]) + 0x1p-150);
      }
    }
  }
}

TEST_CASE("pooling.dense: each output depends on its row, its weights and its bias") {
  const std::vector<float> x{1, 2, 3, 4}, weight{1, 0, 0, 1, 1, 1}, bias{10, 20, 30};
  std::vector<float> out(6);
  REQUIRE(pooling::dense(x, 2, weight, bias, Activation::kIdentity, out) == Status::kOk);
  CHECK(out == std::vector<float>{11, 22, 33, 13, 24, 37});
  CHECK(pooling::dense(x, 2, weight, bias, static_cast<Activation>(5), out) == Status::kBadParam);
  CHECK_BAD_SHAPE(pooling::dense(x, 3, weight, bias, Activation::kIdentity, out));
  CHECK_BAD_SHAPE(pooling::dense(x, 2, weight, x, Activation::kIdentity, out));
  CHECK_BAD_SHAPE(pooling::dense(x, 0, weight, bias, Activation::kIdentity, out));
  const std::span<float> row(out.data(), 3);
  CHECK_BAD_SHAPE(pooling::dense(bias, 2, weight, bias, Activation::kIdentity, row));
  CHECK_BAD_SHAPE(pooling::dense(x, 2, bias, {}, Activation::kIdentity, row.first(2)));
  CHECK_BAD_SHAPE(pooling::dense(x, 2, weight, bias, Activation::kIdentity, row));
  CHECK(out == std::vector<float>{11, 22, 33, 13, 24, 37});
}
