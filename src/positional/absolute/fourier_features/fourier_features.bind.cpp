// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/absolute/fourier_features/fourier_features.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int spread(double first, double last, int spacing, int steps, Ptr out, Size P) {
  return static_cast<int>(
      fourier_features::spread(first, last, static_cast<fourier_features::Spacing>(spacing),
                               static_cast<fourier_features::Steps>(steps), doubles(out, P)));
}

struct Angle {
  Size C, P;
  fourier_features::Unit unit;
  fourier_features::Input input;
  fourier_features::Steps steps;
};

struct Waves {
  Ptr x, w, out;
  Size N;
  Angle angle;
  fourier_features::Columns columns;
};

int waves(const Waves& a) {
  const Angle& angle = a.angle;
  return static_cast<int>(fourier_features::waves(
      doubles(a.x, a.N * angle.C), doubles(a.w, angle.C * angle.P), angle.C, angle.unit,
      angle.input, angle.steps, a.columns, floats(a.out, a.N * a.columns.row)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(fourier_features) {
  emscripten::function("fourier_features_spread", &spread);
  emscripten::function("fourier_features_waves", &waves);
}
