// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/kerple/kerple.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int line(Ptr a, Ptr p, Size H, double first, int kernel, bool causal, Ptr out, Size N) {
  return static_cast<int>(kerple::line(doubles(a, H), doubles(p, H), first,
                                       static_cast<kerple::Kernel>(kernel), causal,
                                       floats(out, H * N)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(kerple) { emscripten::function("kerple_line", &line); }
