// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/sandwich/sandwich.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int line(double first, Size N, Size H, double base, bool causal, Ptr workspace, Size P, Ptr out) {
  return static_cast<int>(
      sandwich::line(first, H, base, causal, doubles(workspace, P), floats(out, N * H)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(sandwich) { emscripten::function("sandwich_line", &line); }
