// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/fire/fire.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

struct Line {
  Size M, H, Tq, Tk;
  double c, threshold, first;
  Flag causal;
};

struct Bias {
  Ptr w1, b1, w2, b2, out;
  Size row, rows;
  Line line;
};

int bias(const Bias& a) {
  const Line& line = a.line;
  return static_cast<int>(fire::bias(
      {doubles(a.w1, line.M), doubles(a.b1, line.M), doubles(a.w2, line.H * line.M),
       doubles(a.b2, line.H), line.c, line.threshold},
      line.first, a.row, line.Tq, line.Tk, line.causal, floats(a.out, a.rows * line.Tk)));
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
