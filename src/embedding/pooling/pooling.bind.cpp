// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "embedding/pooling/pooling.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int pool(Ptr x, Ptr mask, Size masks, Size B, Size T, Size D, Size skip, Ptr modes, Size M,
         bool unit, double eps, Ptr scratch, Size W, Ptr out) {
  return static_cast<int>(pooling::pool(floats(x, B * T * D), ints(mask, masks), T, D, skip,
                                        ints(modes, M), unit, eps, doubles(scratch, W),
                                        floats(out, B * W)));
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
