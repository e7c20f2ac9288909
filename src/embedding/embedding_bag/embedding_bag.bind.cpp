// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "embedding/embedding_bag/embedding_bag.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int pool(Ptr table, Size V, Size D, Ptr ids, Size N, Ptr starts, Size B, Ptr weights, Size W,
         int padding, int mode, Ptr out, Ptr owners, Size O) {
  return static_cast<int>(embedding_bag::pool(
      floats(table, V * D), V, D, ints(ids, N), ints(starts, B + 1), floats(weights, W), padding,
      static_cast<embedding_bag::Mode>(mode), floats(out, B * D), ints(owners, O)));
}

int weights_gradient(Ptr table, Size V, Size D, Ptr ids, Size N, Ptr starts, Size B, int padding,
                     Ptr gradient, Ptr out, Size count) {
  return static_cast<int>(
      embedding_bag::weights_gradient(floats(table, V * D), V, D, ints(ids, N), ints(starts, B + 1),
                                      padding, floats(gradient, B * D), floats(out, count)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(embedding_bag) {
  emscripten::function("embedding_bag_pool", &pool);
  emscripten::function("embedding_bag_weights_gradient", &weights_gradient);
}
