// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/tisa/tisa.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

struct Line {
  Ptr a, b, c, out;
  Size H, S, N;
  Flag causal;
  double first;
};

int line(const Line& l) {
  return static_cast<int>(tisa::line(doubles(l.a, l.H * l.S), doubles(l.b, l.H * l.S),
                                     doubles(l.c, l.H * l.S), l.S, l.first, l.causal,
                                     floats(l.out, l.H * l.N)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(tisa) { emscripten::function("tisa_line", &line); }
