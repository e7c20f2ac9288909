// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/relative/relative.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int scores(Ptr x, Size rows, Ptr table, Size R, Ptr index, Ptr add, Size added, Size T, Size N,
           Size D, int side, double scale, Ptr out) {
  return static_cast<int>(relative::scores(
      floats(x, rows * D), floats(table, R * D), ints(index, T * N), floats(add, added), T, N, D,
      static_cast<relative::Side>(side), scale, floats(out, T * N)));
}

int values(Ptr weights, Ptr table, Size R, Ptr index, Size T, Size N, Size D, Ptr out) {
  return static_cast<int>(relative::values(floats(weights, T * N), floats(table, R * D),
                                           ints(index, T * N), T, N, D, floats(out, T * D)));
}

int log_buckets(std::int32_t first, std::int32_t mid, std::int32_t last, int precision, Size count,
                Ptr out) {
  return static_cast<int>(relative::log_buckets(
      first, mid, last, static_cast<relative::Precision>(precision), ints(out, count)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(relative) {
  emscripten::function("relative_scores", &scores);
  emscripten::function("relative_values", &values);
  emscripten::function("relative_log_buckets", &log_buckets);
}
