#include "positional/bias/fire/fire.h"

#include <doctest/doctest.h>

#include <limits>
#include <span>
#include <vector>

#include "bad_shape.h"
#include "bits.h"

namespace fire = phasor::fire;
using phasor::Status;

namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("fire: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  std::vector<float> weights(2 * 32 + 3 * 32 + 3), out(3 * 20 * 20);
  REQUIRE(fire::weights(7, 3, 32, weights) == Status::kOk);
  bits.add(weights);
  const std::vector<double> w(weights.begin(), weights.end());
  const std::span<const double> all(w);
  const fire::Network network{
      all.subspan(0, 32), all.subspan(32, 32), all.subspan(64, 96), all.subspan(160), 0.1, 5};
  REQUIRE(fire::bias(network, 0, 0, 20, 20, false, out) == Status::kOk);
  bits.add(out);
  CHECK(bits.value() == 0x69288b6b610221b3u);
}

TEST_CASE("fire.bias: a tile of rows equals those rows of the whole bias") {
  const std::vector<double> w1{1, -1}, b1{0, 0.5}, w2{1, 2, -3, 4}, b2{0.25, -1};
  const fire::Network network{w1, b1, w2, b2, 0.1, 2};
  std::vector<float> whole(2 * 3 * 4), part(2 * 4);
  REQUIRE(fire::bias(network, 1, 0, 3, 4, true, whole) == Status::kOk);
  for (std::size_t row : {0u, 2u, 4u}) {
    REQUIRE(fire::bias(network, 1, row, 3, 4, true, part) == Status::kOk);
    CHECK(part == std::vector(whole.begin() + static_cast<std::ptrdiff_t>(row * 4),
                              whole.begin() + static_cast<std::ptrdiff_t>(row * 4 + 8)));
  }
  // at distance 0 the input is 0: b2 + w2 . max(b1, 0)
  CHECK(whole[1] == 0.25f + 2.0f * 0.5f);
  CHECK(whole[2] == kHidden);
}

TEST_CASE("fire: rejects mismatched shapes and writes nothing") {
  std::vector<float> out(5, 7.0f);
  const std::vector<double> two(2, 1.0);
  const fire::Network network{two, two, two, two, 0.1, 1};  // w2 must have 4
  CHECK_BAD_SHAPE(fire::bias(network, 0, 0, 1, 5, false, out));
  CHECK_BAD_SHAPE(fire::weights(0, 1, 1, out));
  CHECK(out == std::vector<float>(5, 7.0f));
}
