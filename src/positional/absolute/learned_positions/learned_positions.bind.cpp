// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/absolute/learned_positions/learned_positions.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int resize(Ptr in, Size H, Size W, Size D, Size new_H, Size new_W, int method, int sampling,
           double a, Size first, Size n, Ptr workspace, Ptr out) {
  return static_cast<int>(learned::resize(
      floats(in, H * W * D), H, W, D, new_H, new_W, static_cast<learned::Method>(method),
      static_cast<learned::Sampling>(sampling), a, first,
      doubles(workspace, learned::workspace_size(H, W, D)), floats(out, n * D)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(learned) { emscripten::function("learned_resize", &resize); }
