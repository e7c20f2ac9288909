// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "math/phase.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int frequencies(double base, double n, int precision, Size P, Ptr workspace, Size size) {
  return static_cast<int>(phase::frequencies(base, n, static_cast<phase::Precision>(precision), P,
                                             doubles(workspace, size)));
}

int adopt(Ptr theta, Size P, Ptr workspace, Size size) {
  return static_cast<int>(phase::adopt(doubles(theta, 2 * P).first(P),
                                       doubles(theta, 2 * P).subspan(P), doubles(workspace, size)));
}

int read_frequencies(Ptr workspace, Size size, Ptr out, Size P) {
  return static_cast<int>(phase::read_frequencies(doubles(workspace, size), floats(out, P)));
}

/// In double: the size for some P has more than 32 bits.
double doubles_of(double P, bool keeps) {
  const Size keys = phase::workspace_size(0, keeps), one = phase::workspace_size(1, keeps);
  return keys + P * (one - keys);
}

}  // namespace

EMSCRIPTEN_BINDINGS(phase) {
  emscripten::function("phase_frequencies", &frequencies);
  emscripten::function("phase_adopt", &adopt);
  emscripten::function("phase_read_frequencies", &read_frequencies);
  emscripten::function("phase_doubles", &doubles_of);
}
