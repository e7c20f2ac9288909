// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/absolute/sinusoidal/sinusoidal.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int table(Ptr positions, Size T, Size D, int layout, int odd, int precision, double amplitude,
          Ptr workspace, Size workspace_size, Ptr out) {
  return static_cast<int>(
      sinusoidal::table(doubles(positions, T), D, static_cast<sinusoidal::Layout>(layout),
                        static_cast<sinusoidal::Odd>(odd), static_cast<phase::Precision>(precision),
                        amplitude, doubles(workspace, workspace_size), floats(out, T * D)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(sinusoidal) { emscripten::function("sinusoidal_table", &table); }
