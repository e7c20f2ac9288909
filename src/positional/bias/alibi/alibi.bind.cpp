// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/alibi/alibi.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int slopes(double bias_max, int dtype, Ptr out, Size H) {
  return static_cast<int>(alibi::slopes(bias_max, static_cast<half::Dtype>(dtype), floats(out, H)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(alibi) { emscripten::function("alibi_slopes", &slopes); }
