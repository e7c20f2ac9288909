#include "positional/bias/t5_bias/t5_bias.h"

#include <cstddef>

#include "math/elementary.h"

namespace phasor::t5_bias {

Status torch_firsts(std::int32_t m, std::int32_t M, std::span<std::int32_t> out) noexcept {
  if (m < 1 || M <= m) return Status::kBadParam;
  const float start = static_cast<float>(m);
  const float whole =
      static_cast<float>(elementary::log_f64(static_cast<double>(M) / static_cast<double>(m)));
  const float buckets = static_cast<float>(out.size() + 1);
  std::int32_t low = m;  // a distance that may be in the bucket before, and one that is not
  for (std::size_t j = 0; j < out.size(); ++j) {
    std::int32_t high = M;
    while (low < high) {  // every step is monotone in n, so bisection finds the boundary
      const std::int32_t n = low + (high - low) / 2;
      const float steps = elementary::log(static_cast<float>(n) / start) / whole * buckets;
      if (steps >= static_cast<float>(j + 1)) {
        high = n;
      } else {
        low = n + 1;
      }
    }
    out[j] = low;
  }
  return Status::kOk;
}

}  // namespace phasor::t5_bias
