// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "embedding/dropout/dropout.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

std::uint64_t seed_of(std::uint32_t low, std::uint32_t high) {
  return static_cast<std::uint64_t>(high) << 32 | low;
}

int mask(std::uint32_t seed_low, std::uint32_t seed_high, double first, Size N, double p, Ptr out) {
  return static_cast<int>(dropout::mask(seed_of(seed_low, seed_high),
                                        static_cast<std::uint64_t>(first), p, ints(out, N)));
}

int apply(std::uint32_t seed_low, std::uint32_t seed_high, double first, Size N, double p, Ptr x) {
  return static_cast<int>(dropout::apply(floats(x, N), seed_of(seed_low, seed_high),
                                         static_cast<std::uint64_t>(first), p));
}

}  // namespace

EMSCRIPTEN_BINDINGS(dropout) {
  emscripten::function("dropout_mask", &mask);
  emscripten::function("dropout_apply", &apply);
}
