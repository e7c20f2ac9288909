// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/tisa/tisa.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int line(Ptr a, Ptr b, Ptr c, Size H, Size S, double first, bool causal, Ptr out, Size N) {
  return static_cast<int>(tisa::line(doubles(a, H * S), doubles(b, H * S), doubles(c, H * S), S,
                                     first, causal, floats(out, H * N)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(tisa) { emscripten::function("tisa_line", &line); }
