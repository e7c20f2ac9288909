// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "analysis/rounding/rounding.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

struct Errors {
  Ptr positions, theta, single, summary, out;
  Size T, P;
  rounding::Pipeline pipeline;
  double base, n;
};

int errors(const Errors& a) {
  const auto theta = doubles(a.theta, 2 * a.P);
  return static_cast<int>(rounding::errors(
      doubles(a.positions, a.T), theta.first(a.P), theta.last(a.P), doubles(a.single, a.P), a.base,
      a.n, a.pipeline, doubles(a.summary, rounding::kSummary), floats(a.out, a.T * a.P)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(rounding) { emscripten::function("rounding_errors", &errors); }
