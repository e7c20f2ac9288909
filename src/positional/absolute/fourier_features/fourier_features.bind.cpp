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

int waves(Ptr x, Size N, Size C, Ptr w, Size P, int unit, int input, int steps, Size row, Size sin,
          Size cos, Size coordinate, Size band, Ptr out) {
  return static_cast<int>(fourier_features::waves(
      doubles(x, N * C), doubles(w, C * P), C, static_cast<fourier_features::Unit>(unit),
      static_cast<fourier_features::Input>(input), static_cast<fourier_features::Steps>(steps),
      {.row = row, .sin = sin, .cos = cos, .coordinate = coordinate, .band = band},
      floats(out, N * row)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(fourier_features) {
  emscripten::function("fourier_features_spread", &spread);
  emscripten::function("fourier_features_waves", &waves);
}
