// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/shaw/shaw.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int scores(Ptr x, Size rows, Ptr table, Size R, Ptr index, Ptr add, Size added, Size T, Size N,
           Size D, int side, double scale, Ptr out) {
  return static_cast<int>(shaw::scores(floats(x, rows * D), floats(table, R * D),
                                       ints(index, T * N), floats(add, added), T, N, D,
                                       static_cast<shaw::Side>(side), scale, floats(out, T * N)));
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
