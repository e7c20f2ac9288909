// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/cope/cope.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

struct Bias {
  Ptr logits, positions, out;
  double first;
  Size row, rows, Tq, Tk, P;
};

int bias(const Bias& a) {
  return static_cast<int>(cope::bias(floats(a.logits, a.rows * a.Tk),
                                     floats(a.positions, a.rows * a.P), a.first, a.row, a.Tq, a.Tk,
                                     a.P, floats(a.out, a.rows * a.Tk)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(cope) { emscripten::function("cope_bias", &bias); }
