// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "embedding/dtypes/dtypes.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int decode(Ptr from, Size size, int format, Ptr out, Size N) {
  return static_cast<int>(
      dtypes::decode(bytes(from, size), static_cast<dtypes::Format>(format), floats(out, N)));
}

int encode(Ptr x, Size N, int format, Ptr out, Size size) {
  return static_cast<int>(
      dtypes::encode(floats(x, N), static_cast<dtypes::Format>(format), bytes(out, size)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(dtypes) {
  emscripten::function("dtypes_decode", &decode);
  emscripten::function("dtypes_encode", &encode);
}
