// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/window_bias/window_bias.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

Size offsets(Size h, Size w) { return (2 * h - 1) * (2 * w - 1); }

int log_coordinates(Size h, Size w, Size ph, Size pw, Ptr out) {
  return static_cast<int>(
      window_bias::log_coordinates(h, w, ph, pw, floats(out, 2 * offsets(h, w))));
}

struct Continuous {
  Ptr w1, b1, w2, table;
  Size h, w, ph, pw, M, H;
};

int continuous_table(const Continuous& a) {
  return static_cast<int>(window_bias::continuous_table(
      a.h, a.w, a.ph, a.pw, floats(a.w1, 2 * a.M), floats(a.b1, a.M), floats(a.w2, a.H * a.M), a.M,
      a.H, floats(a.table, offsets(a.h, a.w) * a.H)));
}

int resize(Ptr table, Size h, Size w, Size nh, Size nw, Size H, Ptr places, Ptr out) {
  return static_cast<int>(window_bias::resize(floats(table, offsets(h, w) * H), h, w, nh, nw, H,
                                              doubles(places, 2 * h - 1 + 2 * w - 1),
                                              floats(out, offsets(nh, nw) * H)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(window_bias) {
  emscripten::function("window_bias_log_coordinates", &log_coordinates);
  emscripten::function("window_bias_continuous_table", &continuous_table);
  emscripten::function("window_bias_resize", &resize);
}
