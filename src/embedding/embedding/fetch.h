// Rows of a table that are soon to be read, asked for together: their waits for memory then overlap.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace phasor::embedding {

inline constexpr std::size_t kLine = 16;    // numbers in a cache line
inline constexpr std::size_t kPage = 1024;  // numbers in a page of memory

/// Prefetches some rows of a table by reading a number of every cache line. It reads a number of
/// every page first, since address translation takes longest.
///
/// Shapes    table [V, D], ids [N], each 0 .. V-1
inline void fetch(std::span<const float> table, std::size_t D, std::span<const std::int32_t> ids) {
  for (const std::size_t step : {kPage, kLine}) {
    for (const std::int32_t id : ids) {
      const volatile float* row = table.data() + static_cast<std::size_t>(id) * D;
      for (std::size_t d = 0; d < D; d += step) static_cast<void>(row[d]);
    }
  }
}

}  // namespace phasor::embedding
