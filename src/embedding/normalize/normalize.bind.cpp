// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "embedding/normalize/normalize.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int rows(Ptr x, Ptr weight, Size weights, Ptr bias, Size biases, Size T, Size D, int kind,
         double eps, double weight_offset, Ptr workspace, Ptr out) {
  return static_cast<int>(normalize::rows(floats(x, T * D), floats(weight, weights),
                                          floats(bias, biases), D,
                                          static_cast<normalize::Kind>(kind), eps, weight_offset,
                                          doubles(workspace, 2 * D), floats(out, T * D)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(normalize) { emscripten::function("normalize_rows", &rows); }
