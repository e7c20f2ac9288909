// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/rotary/rope/rope.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"
#include "positional/rotary/rope/scaling.h"

namespace {

using namespace phasor;

struct Scaled {
  Ptr options, workspace, theta, factors;
  Size count, size, P;
  rope::Scaling scaling;
  phase::Precision precision;
  double base;
};

int scaled_frequencies(const Scaled& a) {
  const auto theta = doubles(a.theta, 2 * a.P);
  return static_cast<int>(rope::scaled_frequencies(
      a.scaling, doubles(a.options, a.count), a.base, a.precision, doubles(a.workspace, a.size),
      theta.first(a.P), theta.subspan(a.P), doubles(a.factors, 2).first<2>()));
}

int table(Ptr positions, Size T, Size P, int precision, double amplitude, Ptr workspace,
          Size workspace_size, Ptr out, Size sin) {
  return static_cast<int>(
      rope::table(doubles(positions, T), P, static_cast<phase::Precision>(precision), amplitude,
                  doubles(workspace, workspace_size), floats(out, sin + T * P), sin));
}

int rotate(Ptr x, Ptr cos, Ptr sin, Size T, Size N, Size D, Size R, int layout, bool inverse) {
  return static_cast<int>(rope::rotate(floats(x, T * N * D), floats(cos, T * (R / 2)),
                                       floats(sin, T * (R / 2)), T, N, D, R,
                                       static_cast<rope::Layout>(layout), inverse));
}

}  // namespace

EMSCRIPTEN_BINDINGS(rope) {
  emscripten::function("rope_scaled_frequencies", &scaled_frequencies);
  emscripten::function("rope_table", &table);
  emscripten::function("rope_rotate", &rotate);
}
