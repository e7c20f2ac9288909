// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "embedding/embedding_bag/embedding_bag.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

struct Bags {
  Ptr ids, starts, weights;
  Size N, B, W;
};

struct Pool {
  Ptr table, out, owners;
  Size V, D, O;
  Bags bags;
  int padding;
  embedding_bag::Mode mode;
};

int pool(const Pool& a) {
  const Bags& of = a.bags;
  return static_cast<int>(embedding_bag::pool(
      floats(a.table, a.V * a.D), a.V, a.D, ints(of.ids, of.N), ints(of.starts, of.B + 1),
      floats(of.weights, of.W), a.padding, a.mode, floats(a.out, of.B * a.D), ints(a.owners, a.O)));
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
