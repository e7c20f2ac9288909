// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/cope/cope.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int bias(Ptr logits, Ptr positions, double first, Size row, Size Tq, Size Tk, Size P, Ptr out,
         Size rows) {
  return static_cast<int>(cope::bias(floats(logits, rows * Tk), floats(positions, rows * P), first,
                                     row, Tq, Tk, P, floats(out, rows * Tk)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(cope) { emscripten::function("cope_bias", &bias); }
