// CHECK_BAD_SHAPE(call): the call answers kBadShape. The core that ships has no such checks
// (math/status.h), so the tests in wasm, which link it, do not make the call.
#pragma once
#include <doctest/doctest.h>

#include "math/status.h"

#define CHECK_BAD_SHAPE(...)                                                           \
  do {                                                                                 \
    if constexpr (phasor::kChecked) CHECK((__VA_ARGS__) == phasor::Status::kBadShape); \
  } while (false)
