// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/absolute/learned_positions/learned_positions.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

struct Grid {
  Size H, W, D, new_H, new_W;
  learned_positions::Method method;
  learned_positions::Sampling sampling;
  double coefficient, scale_H, scale_W;
};

struct Resize {
  Ptr in, workspace, out;
  Size first, n;
  Grid grid;
};

int resize(const Resize& a) {
  const Grid& grid = a.grid;
  return static_cast<int>(learned_positions::resize(
      floats(a.in, grid.H * grid.W * grid.D), grid.H, grid.W, grid.D, grid.new_H, grid.new_W,
      grid.method, grid.sampling, grid.coefficient, a.first,
      doubles(a.workspace, learned_positions::workspace_size(grid.H, grid.W, grid.D)),
      floats(a.out, a.n * grid.D), grid.scale_H, grid.scale_W));
}

}  // namespace

EMSCRIPTEN_BINDINGS(learned_positions) {
  emscripten::function("learned_positions_resize", &resize);
}
