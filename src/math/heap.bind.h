// How a JavaScript number becomes a span of the heap; for *.bind.cpp only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace phasor {

using Ptr = std::uintptr_t;
using Size = std::size_t;
using Flag = std::uint32_t;  // a boolean in a block of arguments (scripts/package/bindings.js)

inline std::span<std::uint8_t> bytes(Ptr at, Size count) {
  return {reinterpret_cast<std::uint8_t*>(at), count};
}

inline std::span<float> floats(Ptr at, Size count) { return {reinterpret_cast<float*>(at), count}; }

inline std::span<double> doubles(Ptr at, Size count) {
  return {reinterpret_cast<double*>(at), count};
}

inline std::span<std::int32_t> ints(Ptr at, Size count) {
  return {reinterpret_cast<std::int32_t*>(at), count};
}

}  // namespace phasor
