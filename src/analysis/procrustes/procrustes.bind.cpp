// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "analysis/procrustes/procrustes.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int add_products(Ptr x, Ptr y, Size N, Size D, Ptr workspace, Ptr matrix) {
  return static_cast<int>(procrustes::add_products(floats(x, N * D), floats(y, N * D), D,
                                                   doubles(workspace, D), doubles(matrix, D * D)));
}

int solve(Ptr matrix, Size D, Ptr workspace) {
  return static_cast<int>(procrustes::solve(doubles(matrix, D * D), D,
                                            doubles(workspace, procrustes::workspace_size(D))));
}

}  // namespace

EMSCRIPTEN_BINDINGS(procrustes) {
  emscripten::function("procrustes_add_products", &add_products);
  emscripten::function("procrustes_solve", &solve);
}
