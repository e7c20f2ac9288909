// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/t5_bias/t5_bias.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int torch_firsts(int m, int M, Ptr out, Size count) {
  return static_cast<int>(t5_bias::torch_firsts(m, M, ints(out, count)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(t5_bias) { emscripten::function("t5_bias_torch_firsts", &torch_firsts); }
