#include "__MODULE__/__NAME__.h"

#include <doctest/doctest.h>

#include <vector>

#include "bad_shape.h"

namespace __NAME__ = phasor::__NAME__;
using phasor::Status;

TEST_CASE("__EXPORT__.table: SIMD equals the scalar definition, bit for bit, at every tail length") {
  for (std::size_t T : {0u, 1u, 7u}) {
    for (std::size_t D : {1u, 3u, 4u, 5u, 8u, 11u}) {
      std::vector<float> fast(T * D), slow(T * D);
      REQUIRE(__NAME__::table(3, T, D, fast) == Status::kOk);
      REQUIRE(__NAME__::table_scalar(3, T, D, slow) == Status::kOk);
      CHECK(fast == slow);
    }
  }
}

TEST_CASE("__EXPORT__.table: refuses shapes that do not agree and writes nothing") {
  std::vector<float> out(3, 7.0f);
  CHECK_BAD_SHAPE(__NAME__::table(0, 2, 2, out));
  CHECK(out == std::vector<float>(3, 7.0f));
}
