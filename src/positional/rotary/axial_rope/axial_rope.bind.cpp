// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/rotary/axial_rope/axial_rope.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int table(Ptr positions, Size T, Size P, int precision, double amplitude, Ptr workspace, Size size,
          Ptr out) {
  return static_cast<int>(axial_rope::table(doubles(positions, T), P,
                                            static_cast<phase::Precision>(precision), amplitude,
                                            doubles(workspace, size), floats(out, T * 2 * P)));
}

int mixed(Ptr coordinates, Ptr frequencies, Size T, Size A, Size P, int precision, Ptr workspace,
          Ptr out) {
  return static_cast<int>(axial_rope::mixed(doubles(coordinates, T * A), floats(frequencies, A * P),
                                            A, P, static_cast<phase::Precision>(precision),
                                            doubles(workspace, axial_rope::mixed_size(P)),
                                            floats(out, T * 2 * P)));
}

Size mixed_size(Size P) { return axial_rope::mixed_size(P); }

}  // namespace

EMSCRIPTEN_BINDINGS(axial_rope) {
  emscripten::function("axial_rope_table", &table);
  emscripten::function("axial_rope_mixed", &mixed);
  emscripten::function("axial_rope_mixed_size", &mixed_size);
}
