#include "positional/bias/cope/cope.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bad_shape.h"
#include "bits.h"

namespace cope = phasor::cope;
using phasor::Status;

namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("cope: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  std::vector<float> logits(400), positions(200), bias(400);
  for (std::size_t k = 0; k < 400; ++k) logits[k] = static_cast<float>(k % 37) * 0.25f - 4;
  for (std::size_t k = 0; k < 200; ++k) positions[k] = static_cast<float>(k % 23) * 0.5f - 5;
  REQUIRE(cope::bias(logits, positions, 0, 0, 20, 20, 10, bias) == Status::kOk);
  bits.add(bias);
  CHECK(bits.value() == 0x33c9137190a85344u);
}

TEST_CASE("cope.bias: open gates count tokens, closed ones do not") {
  const float open = 1000, shut = kHidden;
  const std::vector<float> positions{10, 20, 40, 80};
  std::vector<float> out(4);
  REQUIRE(cope::bias(std::vector(4, open), positions, 3, 0, 1, 4, 4, out) == Status::kOk);
  CHECK(out == std::vector<float>{80, 80, 40, 20});  // positions 4 (beyond the last), 3, 2, 1
  REQUIRE(cope::bias(std::vector(4, shut), positions, 3, 0, 1, 4, 4, out) == Status::kOk);
  CHECK(out == std::vector<float>(4, 10));
  REQUIRE(cope::bias(std::vector<float>{0, 0, 0, 0}, positions, 2, 0, 1, 4, 4, out) == Status::kOk);
  CHECK(out == std::vector<float>{30, 20, 15, kHidden});  // positions 1.5, 1, 0.5
  const std::vector<float> broken{0, NAN, 0, 0};
  REQUIRE(cope::bias(broken, positions, 3, 0, 1, 4, 4, out) == Status::kOk);
  CHECK(std::bit_cast<std::uint32_t>(out[0]) == 0x7fc00000u);
  CHECK(std::bit_cast<std::uint32_t>(out[1]) == 0x7fc00000u);
  CHECK(out[2] == 20);
}

TEST_CASE("cope: rejects mismatched shapes and writes nothing") {
  std::vector<float> out(5, 7.0f);
  CHECK_BAD_SHAPE(cope::bias(out, out, 0, 0, 1, 5, 4, out));
  CHECK(out == std::vector<float>(5, 7.0f));
}
