// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/fire/fire.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int bias(Ptr w1, Ptr b1, Ptr w2, Ptr b2, Size M, Size H, double c, double threshold, double first,
         Size row, Size Tq, Size Tk, bool causal, Ptr out, Size rows) {
  return static_cast<int>(
      fire::bias({doubles(w1, M), doubles(b1, M), doubles(w2, H * M), doubles(b2, H), c, threshold},
                 first, row, Tq, Tk, causal, floats(out, rows * Tk)));
}

int weights(std::uint32_t seed_low, std::uint32_t seed_high, Size H, Size M, Ptr out) {
  return static_cast<int>(fire::weights(static_cast<std::uint64_t>(seed_high) << 32 | seed_low, H,
                                        M, floats(out, 2 * M + H * M + H)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(fire) {
  emscripten::function("fire_bias", &bias);
  emscripten::function("fire_weights", &weights);
}
