// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/absolute/learned_positions/learned_positions.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int resize(Ptr in, Size H, Size W, Size D, Size new_H, Size new_W, int method, int sampling,
           double a, Size first, Size n, Ptr workspace, Ptr out) {
  return static_cast<int>(learned_positions::resize(
      floats(in, H * W * D), H, W, D, new_H, new_W, static_cast<learned_positions::Method>(method),
      static_cast<learned_positions::Sampling>(sampling), a, first,
      doubles(workspace, learned_positions::workspace_size(H, W, D)), floats(out, n * D)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(learned_positions) {
  emscripten::function("learned_positions_resize", &resize);
}
