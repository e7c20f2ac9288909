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

int continuous_table(Size h, Size w, Size ph, Size pw, Ptr w1, Ptr b1, Ptr w2, Size M, Size H,
                     Ptr table) {
  return static_cast<int>(window_bias::continuous_table(h, w, ph, pw, floats(w1, 2 * M),
                                                        floats(b1, M), floats(w2, H * M), M, H,
                                                        floats(table, offsets(h, w) * H)));
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
