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

struct Dense {
  Ptr x, weight, bias, out;
  Size B, D, N, biases;
  pooling::Activation activation;
};

int dense(const Dense& a) {
  return static_cast<int>(pooling::dense(floats(a.x, a.B * a.D), a.D, floats(a.weight, a.N * a.D),
                                         floats(a.bias, a.biases), a.activation,
                                         floats(a.out, a.B * a.N)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(pooling) {
  emscripten::function("pooling_pool", &pool);
  emscripten::function("pooling_dense", &dense);
}
