// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "analysis/nearest/nearest.h"

#include <emscripten/bind.h>
#include <emscripten/emmalloc.h>
#include <malloc.h>  // the size of what emmalloc_mallinfo returns

#include "math/heap.bind.h"

namespace {

using namespace phasor;

void squares(Ptr rows, Size N, Size D, Ptr out) {
  similarity::squares(floats(rows, N * D), D, doubles(out, N));
}

nearest::Sketch sketch_at(Ptr at, Size V, Size D) {
  return nearest::Sketch::in(bytes(at, nearest::sketch_bytes(V, D)), V, D);
}

/// The bytes of a free block at the end of the heap, or 0.
Size tail() { return static_cast<Size>(emmalloc_mallinfo().keepcost); }

Size sketch_bytes(Size V, Size D) { return nearest::sketch_bytes(V, D); }

void sketch(Ptr rows, Ptr squares, Size V, Size D, Ptr at) {
  nearest::sketch_rows(floats(rows, V * D), doubles(squares, V), sketch_at(at, V, D));
}

/// N rows of float32, or none and `packed` rows of another format. A sketch has all V rows of the table.
struct Tile {
  Ptr rows, codes, scales, squares, errors, sketch;
  Size first, N, D, packed, known, rounded, V;
  packed::Dtype dtype;
};

/// What some queries are compared by. `size` ids are excluded, E for each query or for all.
struct Comparison {
  Ptr queries, excluded, workspace;
  Size Q, size, E, bytes;
  similarity::Metric metric;
};

struct Best {
  Ptr keys, ids;
  Size k;
};

struct Scan {
  Tile tile;
  Comparison comparison;
  Best best, more;
  nearest::End end;
};

struct Mark {
  Tile tile;
  Comparison comparison;
  Best lowest;
  Ptr marks;
};

struct Certify {
  Best best, highest;
  Ptr errors, queries, certain;
  Size V, Q, D;
  similarity::Metric metric;
};

nearest::Tile tile_of(const Tile& a) {
  const Size whole = a.dtype == packed::Dtype::kInt8 ? a.packed : 0, halves = a.packed - whole;
  return {floats(a.rows, a.N * a.D),
          a.first,
          a.D,
          doubles(a.squares, a.known),
          floats(a.errors, a.rounded),
          {reinterpret_cast<const std::int8_t*>(a.codes), whole * a.D},
          floats(a.scales, whole),
          a.V == 0 ? nearest::Sketch{} : sketch_at(a.sketch, a.V, a.D).part(a.first, a.N),
          bytes(a.codes, 2 * halves * a.D),
          static_cast<half::Dtype>(a.dtype)};
}

nearest::Best best_of(const Best& a, Size Q, nearest::End end) {
  return {doubles(a.keys, Q * a.k), ints(a.ids, Q * a.k), a.k, end};
}

int scan(const Scan& a) {
  const auto& of = a.comparison;
  return static_cast<int>(
      nearest::scan(tile_of(a.tile), doubles(of.queries, of.Q * a.tile.D), of.metric,
                    {ints(of.excluded, of.size), of.E}, best_of(a.best, of.Q, a.end),
                    best_of(a.more, of.Q, nearest::End::kHigh), bytes(of.workspace, of.bytes)));
}

int mark(const Mark& a) {
  const auto& of = a.comparison;
  return static_cast<int>(
      nearest::mark(tile_of(a.tile), doubles(of.queries, of.Q * a.tile.D), of.metric,
                    {ints(of.excluded, of.size), of.E}, best_of(a.lowest, of.Q, nearest::End::kLow),
                    bytes(a.marks, a.tile.N + a.tile.packed), bytes(of.workspace, of.bytes)));
}

int certify(const Certify& a) {
  return static_cast<int>(nearest::certify(best_of(a.best, a.Q, nearest::End::kMiddle),
                                           best_of(a.highest, a.Q, nearest::End::kHigh),
                                           floats(a.errors, a.V), doubles(a.queries, a.Q * a.D),
                                           a.metric, bytes(a.certain, a.Q * a.best.k)));
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
  emscripten::function("nearest_tail", &tail);
  emscripten::function("nearest_sketch_bytes", &sketch_bytes);
  emscripten::function("nearest_sketch", &sketch);
  emscripten::function("nearest_scan", &scan);
  emscripten::function("nearest_certify", &certify);
  emscripten::function("nearest_mark", &mark);
  emscripten::function("nearest_rank", &rank);
  emscripten::function("nearest_targets", &targets);
}
