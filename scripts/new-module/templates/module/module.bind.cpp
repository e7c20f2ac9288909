// Pointers in, status out. Nothing is decided, converted or allocated here.
#include <emscripten/bind.h>

#include "__MODULE__/__NAME__.h"
#include "math/heap.bind.h"

namespace {

using namespace phasor;

int table(Size first, Size T, Size D, Ptr out) {
  return static_cast<int>(__NAME__::table(first, T, D, floats(out, T * D)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(__NAME__) { emscripten::function("__NAME___table", &table); }
