// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "geometry/nearest/nearest.h"

#include <emscripten/bind.h>

#include "core/heap.bind.h"

namespace {

using namespace phasor;

void squares(Ptr rows, Size N, Size D, Ptr out) {
  similarity::squares(floats(rows, N * D), D, doubles(out, N));
}

int scan(Ptr rows, Size first, Size N, Size D, Ptr squares, Size known, Ptr queries, Size Q,
         int metric, Ptr excluded, Size size, Size E, Ptr keys, Ptr ids, Size k) {
  return static_cast<int>(
      nearest::scan(floats(rows, N * D), first, D, doubles(squares, known), doubles(queries, Q * D),
                    static_cast<similarity::Metric>(metric), {.ids = ints(excluded, size), .E = E},
                    {.keys = doubles(keys, Q * k), .ids = ints(ids, Q * k), .k = k}));
}

int rank(Ptr keys, Ptr ids, Size Q, Size k, int metric, Ptr scores) {
  return static_cast<int>(
      nearest::rank({.keys = doubles(keys, Q * k), .ids = ints(ids, Q * k), .k = k},
                    static_cast<similarity::Metric>(metric), floats(scores, Q * k)));
}

int targets(Ptr rows, Size Q, Size D, bool unit, Ptr out) {
  return static_cast<int>(nearest::targets(floats(rows, Q * 3 * D), D, unit, doubles(out, Q * D)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(nearest) {
  emscripten::function("nearest_squares", &squares);
  emscripten::function("nearest_scan", &scan);
  emscripten::function("nearest_rank", &rank);
  emscripten::function("nearest_targets", &targets);
}
