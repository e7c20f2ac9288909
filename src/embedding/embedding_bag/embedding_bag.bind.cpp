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

struct WeightsGradient {
  Ptr table, ids, starts, gradient, out;
  Size V, D, N, B, members;
  int padding;
};

int weights_gradient(const WeightsGradient& a) {
  return static_cast<int>(embedding_bag::weights_gradient(
      floats(a.table, a.V * a.D), a.V, a.D, ints(a.ids, a.N), ints(a.starts, a.B + 1), a.padding,
      floats(a.gradient, a.B * a.D), floats(a.out, a.members)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(embedding_bag) {
  emscripten::function("embedding_bag_pool", &pool);
  emscripten::function("embedding_bag_weights_gradient", &weights_gradient);
}
