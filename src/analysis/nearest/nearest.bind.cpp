// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "analysis/nearest/nearest.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

void squares(Ptr rows, Size N, Size D, Ptr out) {
  similarity::squares(floats(rows, N * D), D, doubles(out, N));
}

nearest::Sketch sketch_at(Ptr at, Size V, Size D) {
  return nearest::Sketch::in(bytes(at, nearest::sketch_bytes(V, D)), V, D);
}

Size sketch_bytes(Size V, Size D) { return nearest::sketch_bytes(V, D); }

void sketch(Ptr rows, Ptr squares, Size V, Size D, Ptr at) {
  nearest::sketch_rows(floats(rows, V * D), doubles(squares, V), sketch_at(at, V, D));
}

/// N rows of float32, or none and `packed` rows of int8. A sketch has all V rows of the table.
nearest::Tile tile_of(Ptr rows, Size first, Size N, Size D, Ptr codes, Ptr scales, Size packed,
                      Ptr squares, Size known, Ptr errors, Size rounded, Ptr sketch, Size V) {
  return {floats(rows, N * D),
          first,
          D,
          doubles(squares, known),
          floats(errors, rounded),
          {reinterpret_cast<const std::int8_t*>(codes), packed * D},
          floats(scales, packed),
          V == 0 ? nearest::Sketch{} : sketch_at(sketch, V, D).part(first, N)};
}

nearest::Best best_of(Ptr keys, Ptr ids, Size Q, Size k, int end) {
  return {doubles(keys, Q * k), ints(ids, Q * k), k, static_cast<nearest::End>(end)};
}

int scan(Ptr rows, Size first, Size N, Size D, Ptr codes, Ptr scales, Size packed, Ptr squares,
         Size known, Ptr errors, Size rounded, Ptr sketch, Size V, Ptr queries, Size Q, int metric,
         Ptr excluded, Size size, Size E, Ptr work, Size room, Ptr keys, Ptr ids, Size k, int end,
         Ptr more_keys, Ptr more_ids, Size more) {
  return static_cast<int>(nearest::scan(
      tile_of(rows, first, N, D, codes, scales, packed, squares, known, errors, rounded, sketch, V),
      doubles(queries, Q * D), static_cast<similarity::Metric>(metric), {ints(excluded, size), E},
      best_of(keys, ids, Q, k, end), best_of(more_keys, more_ids, Q, more, 1), bytes(work, room)));
}

int mark(Ptr rows, Size first, Size N, Size D, Ptr codes, Ptr scales, Size packed, Ptr squares,
         Size known, Ptr errors, Size rounded, Ptr sketch, Size V, Ptr queries, Size Q, int metric,
         Ptr excluded, Size size, Size E, Ptr work, Size room, Ptr keys, Ptr ids, Size k,
         Ptr marks) {
  return static_cast<int>(nearest::mark(
      tile_of(rows, first, N, D, codes, scales, packed, squares, known, errors, rounded, sketch, V),
      doubles(queries, Q * D), static_cast<similarity::Metric>(metric), {ints(excluded, size), E},
      best_of(keys, ids, Q, k, -1), bytes(marks, N + packed), bytes(work, room)));
}

int certify(Ptr keys, Ptr ids, Ptr more_keys, Ptr more_ids, Size Q, Size k, Ptr errors, Size V,
            Ptr queries, Size D, int metric, Ptr certain) {
  return static_cast<int>(nearest::certify(
      best_of(keys, ids, Q, k, 0), best_of(more_keys, more_ids, Q, k + 1, 1), floats(errors, V),
      doubles(queries, Q * D), static_cast<similarity::Metric>(metric), bytes(certain, Q * k)));
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
  emscripten::function("nearest_sketch_bytes", &sketch_bytes);
  emscripten::function("nearest_sketch", &sketch);
  emscripten::function("nearest_scan", &scan);
  emscripten::function("nearest_certify", &certify);
  emscripten::function("nearest_mark", &mark);
  emscripten::function("nearest_rank", &rank);
  emscripten::function("nearest_targets", &targets);
}
