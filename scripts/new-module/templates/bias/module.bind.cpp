// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "__MODULE__/__NAME__.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int line(Size head, Size rows, Size H, double first, double scale, bool causal, Ptr out, Size N) {
  return static_cast<int>(
      __NAME__::line(head, rows, H, first, scale, causal, floats(out, rows * N)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(__NAME__) { emscripten::function("__NAME___line", &line); }
