// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "analysis/statistics/statistics.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int norms(Ptr x, Size N, Size D, Ptr out) {
  return static_cast<int>(statistics::norms(floats(x, N * D), N, D, floats(out, N)));
}

int measure(Ptr x, Size N, Size D, Ptr lengths, Ptr direction) {
  return static_cast<int>(
      statistics::measure(floats(x, N * D), N, D, doubles(lengths, N), doubles(direction, D)));
}

double effective_rank(Ptr singular, Size n) {
  return statistics::effective_rank(doubles(singular, n));
}

}  // namespace

EMSCRIPTEN_BINDINGS(statistics) {
  emscripten::function("statistics_norms", &norms);
  emscripten::function("statistics_measure", &measure);
  emscripten::function("statistics_effective_rank", &effective_rank);
}
