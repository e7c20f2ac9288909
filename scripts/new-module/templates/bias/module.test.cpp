#include "__MODULE__/__NAME__.h"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "bad_shape.h"

namespace __NAME__ = phasor::__NAME__;
using phasor::Status;

TEST_CASE("__NAME__: the value of each head and relative position") {
  std::vector<float> out(2 * 3, 7.0f);
  REQUIRE(__NAME__::line(0, 2, 2, -1, 1, true, out) == Status::kOk);
  // FILL IN values of the paper: these are those of the template.
  const float hidden = -std::numeric_limits<float>::infinity();
  CHECK(out == std::vector<float>{-1.0f, 0.0f, hidden, -0.5f, 0.0f, hidden});
}

TEST_CASE("__NAME__: rejects shapes that do not agree and writes nothing") {
  std::vector<float> out(3, 7.0f);
  CHECK_BAD_SHAPE(__NAME__::line(0, 2, 2, 0, 1, false, out));
  CHECK_BAD_SHAPE(__NAME__::line(2, 1, 2, 0, 1, false, out));
  CHECK_BAD_SHAPE(__NAME__::line(0, 0, 2, 0, 1, false, out));
  CHECK(out == std::vector<float>(3, 7.0f));
}
