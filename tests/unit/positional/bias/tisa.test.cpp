#include "positional/bias/tisa/tisa.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "bad_shape.h"
#include "bits.h"

namespace tisa = phasor::tisa;
using phasor::Status;

namespace {

std::vector<float> line(const std::vector<double>& a, const std::vector<double>& b,
                        const std::vector<double>& c, std::size_t S, double first, std::size_t N,
                        bool causal = false) {
  std::vector<float> out(a.size() / S * N, 7.0f);
  REQUIRE(tisa::line(a, b, c, S, first, causal, out) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE("tisa: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  bits.add(line({1, -0.5, 3, 20}, {0.01, 0.3, -1, 2}, {0, -3, 7.5, 100}, 2, -200, 400));
  CHECK(bits.value() == 0xc12422230af835deu);
}

TEST_CASE("tisa.bias: a kernel has its height at its center, and falls on both sides alike") {
  CHECK(line({0.5}, {1000}, {-1}, 1, -3, 5) == std::vector{0.0f, 0.0f, 0.5f, 0.0f, 0.0f});
  CHECK(line({2, 3}, {0, 0}, {5, -9}, 2, 0, 2) == std::vector{5.0f, 5.0f});
  const std::vector<float> even = line({0.7}, {-0.1}, {2}, 1, 0, 5);
  CHECK(even[0] == even[4]);
  CHECK(even[1] == even[3]);
  CHECK(even == line({0.7}, {0.1}, {2}, 1, 0, 5));  // of b the absolute value counts
}

TEST_CASE("tisa.bias: keys after the query are hidden, and zero is +0") {
  const float hidden = -std::numeric_limits<float>::infinity();
  CHECK(line({1}, {0}, {0}, 1, -1, 3, true) == std::vector{1.0f, 1.0f, hidden});
  const float zero = line({-1}, {1e30}, {0}, 1, 1e9, 1)[0];
  CHECK(std::bit_cast<std::uint32_t>(zero) == 0u);
}

TEST_CASE("tisa: rejects shapes that do not agree and writes nothing") {
  std::vector<float> out(5, 7.0f);
  const std::vector<double> two(2, 1.0), one(1, 1.0);
  CHECK_BAD_SHAPE(tisa::line(two, two, two, 1, 0, false, out));
  CHECK_BAD_SHAPE(tisa::line(two, two, two, 0, 0, false, out));
  CHECK_BAD_SHAPE(tisa::line(two, one, two, 2, 0, false, out));
  CHECK_BAD_SHAPE(tisa::line(two, two, one, 2, 0, false, out));
  CHECK(out == std::vector<float>(5, 7.0f));
}
