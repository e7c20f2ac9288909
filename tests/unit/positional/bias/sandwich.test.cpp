#include "positional/bias/sandwich/sandwich.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "bad_shape.h"
#include "bits.h"

namespace sandwich = phasor::sandwich;
using phasor::Status;

namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

std::vector<float> line(double first, std::size_t N, std::size_t H, std::size_t D,
                        bool causal = false) {
  std::vector<double> workspace(D / 2);
  std::vector<float> out(N * H, 7.0f);
  REQUIRE(sandwich::line(first, H, 10000, causal, workspace, out) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE("sandwich: the same bits natively and in wasm") {
  phasor::test::Fingerprint bits;
  bits.add(line(-1000, 1500, 3, 64));
  CHECK(bits.value() == 0x48e6c0ca8e7425d2u);
}

TEST_CASE("sandwich.bias: published values, 4 heads, width 8") {
  const std::vector<float> got = line(-1, 3, 4, 8, true);
  const double want[] = {-0.00252317, -0.00126158, -0.00084106, -0.00063079};
  for (std::size_t h = 0; h < 4; ++h) {
    CHECK(std::fabs(static_cast<double>(got[h]) - want[h]) <= 5e-9);  // its last digit
    CHECK(got[4 + h] == 0.0f);
    CHECK(got[8 + h] == kHidden);
  }
  CHECK(std::fabs(static_cast<double>(line(8, 1, 4, 8)[0]) + 0.153262) <= 5e-7);
}

TEST_CASE("sandwich: rejects mismatched shapes and writes nothing") {
  std::vector<float> out(5, 7.0f);
  std::vector<double> workspace(2);
  CHECK_BAD_SHAPE(sandwich::line(0, 2, 10000, false, workspace, out));
  CHECK(sandwich::line(0, 5, 0.5, false, workspace, out) == Status::kBadParam);
  CHECK(sandwich::line(0, 5, NAN, false, workspace, out) == Status::kBadParam);
  CHECK(out == std::vector<float>(5, 7.0f));
}
