// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "embedding/pooling/pooling.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

struct Rule {
  Size T, D, skip, M, W;
  double eps;
  Flag unit;
};

struct Pool {
  Ptr x, mask, modes, scratch, out;
  Size masks, B;
  Rule rule;
};

int pool(const Pool& a) {
  const Rule& rule = a.rule;
  return static_cast<int>(pooling::pool(floats(a.x, a.B * rule.T * rule.D), ints(a.mask, a.masks),
                                        rule.T, rule.D, rule.skip, ints(a.modes, rule.M), rule.unit,
                                        rule.eps, doubles(a.scratch, rule.W),
                                        floats(a.out, a.B * rule.W)));
}

int dense(Ptr x, Size B, Size D, Ptr weight, Size N, Ptr bias, Size biases, int activation,
          Ptr out) {
  return static_cast<int>(
      pooling::dense(floats(x, B * D), D, floats(weight, N * D), floats(bias, biases),
                     static_cast<pooling::Activation>(activation), floats(out, B * N)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(pooling) {
  emscripten::function("pooling_pool", &pool);
  emscripten::function("pooling_dense", &dense);
}
