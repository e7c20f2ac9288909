// Why a kernel did not run. JavaScript gets the number; the messages are in
// src/runtime/errors.js, and tests/structure.test.js keeps the two equal.
#pragma once
#include <cstdint>

namespace phasor {

enum class [[nodiscard]] Status : std::int32_t {
  kOk = 0,
  kBadShape = 1,  // a span's length does not agree with the stated shape
  kBadParam = 2,  // a scalar parameter is outside its documented range
  kBadIndex = 3,  // an index points outside its table
};

// Whether kernels compare the lengths of their spans with the stated shape. JavaScript derives every
// length from one shape (src/runtime), so the core that ships trusts it and leaves the checks out.
#ifdef PHASOR_TRUSTS_SHAPES
inline constexpr bool kChecked = false;
#else
inline constexpr bool kChecked = true;
#endif

}  // namespace phasor
