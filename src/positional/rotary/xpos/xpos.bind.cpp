// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/rotary/xpos/xpos.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int table(Ptr positions, Size T, Size P, int precision, double base, double gamma, double center,
          Ptr workspace, Size size, Ptr out) {
  return static_cast<int>(
      xpos::table(doubles(positions, T), P, static_cast<phase::Precision>(precision),
                  {base, gamma, center}, doubles(workspace, size), floats(out, T * 4 * P)));
}

double reach(double gamma) { return xpos::reach(gamma); }

}  // namespace

EMSCRIPTEN_BINDINGS(xpos) {
  emscripten::function("xpos_table", &table);
  emscripten::function("xpos_reach", &reach);
}
