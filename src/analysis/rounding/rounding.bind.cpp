// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "analysis/rounding/rounding.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int errors(Ptr positions, Size T, Ptr theta, Ptr single, Size P, double base, double n,
           int pipeline, Ptr summary, Ptr out) {
  const auto parts = doubles(theta, 2 * P);
  return static_cast<int>(
      rounding::errors(doubles(positions, T), parts.first(P), parts.last(P), doubles(single, P),
                       base, n, static_cast<rounding::Pipeline>(pipeline),
                       doubles(summary, rounding::kSummary), floats(out, T * P)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(rounding) { emscripten::function("rounding_errors", &errors); }
