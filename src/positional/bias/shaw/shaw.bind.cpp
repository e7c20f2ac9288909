// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/shaw/shaw.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

struct Tile {
  Ptr x, table, index, add, out;
};

struct Scores {
  Tile at;
  Size rows, R, added, T, N, D;
  shaw::Side side;
  double scale;
};

int scores(const Scores& a) {
  return static_cast<int>(shaw::scores(floats(a.at.x, a.rows * a.D), floats(a.at.table, a.R * a.D),
                                       ints(a.at.index, a.T * a.N), floats(a.at.add, a.added), a.T,
                                       a.N, a.D, a.side, a.scale, floats(a.at.out, a.T * a.N)));
}

int values(Ptr weights, Ptr table, Size R, Ptr index, Size T, Size N, Size D, Ptr out) {
  return static_cast<int>(shaw::values(floats(weights, T * N), floats(table, R * D),
                                       ints(index, T * N), T, N, D, floats(out, T * D)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(shaw) {
  emscripten::function("shaw_scores", &scores);
  emscripten::function("shaw_values", &values);
}
