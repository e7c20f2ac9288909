// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "analysis/similarity/similarity.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int rows(Ptr a, Ptr b, Size N, Size D, int metric, Ptr out) {
  return static_cast<int>(similarity::rows(floats(a, N * D), floats(b, N * D), N, D,
                                           static_cast<similarity::Metric>(metric),
                                           floats(out, N)));
}

int matrix(Ptr a, Ptr b, Size N, Size M, Size D, int metric, Ptr workspace, Ptr out) {
  return static_cast<int>(similarity::matrix(
      floats(a, N * D), floats(b, M * D), N, M, D, static_cast<similarity::Metric>(metric),
      doubles(workspace, similarity::work(N, D)), floats(out, N * M)));
}

/// Lengths for cosines; without, dot products.
int matrix_f32(Ptr a, Ptr b, Size N, Size M, Size D, Ptr squares_a, Ptr squares_b, Ptr out) {
  const bool cosines = squares_a != 0;
  return static_cast<int>(similarity::matrix_f32(
      floats(a, N * D), floats(b, M * D), D, doubles(squares_a, cosines ? N : 0),
      doubles(squares_b, cosines ? M : 0), floats(out, N * M)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(similarity) {
  emscripten::function("similarity_rows", &rows);
  emscripten::function("similarity_matrix", &matrix);
  emscripten::function("similarity_matrix_f32", &matrix_f32);
}
