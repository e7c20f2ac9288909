// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "analysis/pca/pca.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int add_columns(Ptr x, Size N, Size D, Ptr sums) {
  return static_cast<int>(pca::add_columns(floats(x, N * D), doubles(sums, D)));
}

int add_products(Ptr x, Size N, Size D, Ptr mean, int side, Ptr workspace, Ptr matrix, Size n) {
  const auto of = static_cast<pca::Side>(side);
  return static_cast<int>(pca::add_products(floats(x, N * D), N, D, doubles(mean, D), of,
                                            doubles(workspace, pca::workspace_size(N, D, of)),
                                            doubles(matrix, n * n)));
}

int decompose(Ptr matrix, Size n, bool vectors, double noise, Ptr values, Ptr workspace) {
  return static_cast<int>(pca::decompose(doubles(matrix, n * n), n, vectors, noise,
                                         doubles(values, n), doubles(workspace, 2 * n)));
}

int combine(Ptr x, Size first, Size T, Size N, Size D, Ptr mean, Ptr weights, Size k, Ptr workspace,
            Ptr out) {
  return static_cast<int>(pca::combine(floats(x, T * D), first, N, doubles(mean, D),
                                       doubles(weights, k * N), doubles(workspace, D),
                                       doubles(out, k * D)));
}

int finish(Ptr components, Size k, Size D, Size known, Ptr workspace) {
  return static_cast<int>(pca::finish(doubles(components, k * D), D, known, doubles(workspace, D)));
}

int project(Ptr x, Size N, Size D, Ptr mean, Ptr components, Size k, Ptr workspace, Ptr out) {
  return static_cast<int>(pca::project(floats(x, N * D), doubles(mean, D),
                                       doubles(components, k * D), doubles(workspace, D),
                                       floats(out, N * k)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(pca) {
  emscripten::function("pca_add_columns", &add_columns);
  emscripten::function("pca_add_products", &add_products);
  emscripten::function("pca_decompose", &decompose);
  emscripten::function("pca_combine", &combine);
  emscripten::function("pca_finish", &finish);
  emscripten::function("pca_project", &project);
}
