#include "lab/lab/draws.h"

#include "math/random.h"

namespace phasor::lab {

void draw(std::uint64_t seed, std::uint64_t first, double std, std::span<float> out) noexcept {
  if (std > 0)
    random::philox_normal(seed, first, out, 0, std);
  else
    random::philox_uniform(seed, first, out, 0, 1);
}

}  // namespace phasor::lab
