#include "analysis/nearest/nearest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/nearest/screen.h"
#include "embedding/dtypes/blocks.h"
#include "embedding/dtypes/dtypes.h"
#include "math/lanes.h"
#include "math/nan.h"
#include "math/widen.h"

namespace phasor::nearest {
namespace {

using similarity::Metric;

/// A key and an id that are worse than those of every row.
constexpr double kNoKey = std::numeric_limits<double>::quiet_NaN();
constexpr std::int32_t kNoId = std::numeric_limits<std::int32_t>::max();

[[gnu::noinline]] bool better(double key, std::int32_t id, double than_key, std::int32_t than_id) {
  const bool nan = key != key, than_nan = than_key != than_key;
  if (nan != than_nan) return than_nan;
  return nan || key == than_key ? id < than_id : key > than_key;
}

/// A heap of n rows: no row is better than its children.
struct Heap {
  double* keys;
  std::int32_t* ids;

  bool better(std::size_t i, std::size_t j) const {
    return nearest::better(keys[i], ids[i], keys[j], ids[j]);
  }

  /// Moves the top down to its position.
  [[gnu::noinline]] void sink(std::size_t n) {
    for (std::size_t i = 0;;) {
      std::size_t worst = i;
      for (const std::size_t child : {2 * i + 1, 2 * i + 2})
        if (child < n && better(worst, child)) worst = child;
      if (worst == i) return;
      swap(i, worst);
      i = worst;
    }
  }

  void swap(std::size_t i, std::size_t j) {
    std::swap(keys[i], keys[j]);
    std::swap(ids[i], ids[j]);
  }
};

bool shapes_agree(const Best& best, std::size_t Q) {
  return best.keys.size() == Q * best.k && best.ids.size() == best.keys.size();
}

bool shapes_agree(const Tile& tile, std::span<const double> queries, const Excluded& excluded,
                  std::span<const std::uint8_t> workspace) {
  const std::size_t D = tile.D, E = excluded.E;
  const bool packed = tile.packed();
  const std::size_t numbers = tile.x.size() + tile.codes.size() + tile.halves.size() / 2;
  if (D == 0 || numbers % D != 0 || queries.size() % D != 0) return false;
  const std::size_t N = tile.rows(), Q = queries.size() / D;
  if (packed && (!tile.x.empty() || tile.squares.empty())) return false;
  if (tile.scales.size() != tile.codes.size() / D) return false;
  if (!tile.halves.empty() && (!tile.codes.empty() || tile.halves.size() % 2 != 0 || Q >= kTiled))
    return false;
  const Sketch& sketch = tile.sketch;
  if (!sketch.mean.empty() &&
      (packed || tile.squares.empty() || sketch.mean.size() != D || sketch.scales.size() != N))
    return false;
  if (packed || !workspace.empty())
    if (workspace.size() < work(Q, D)) return false;
  if (!tile.squares.empty() && tile.squares.size() != N) return false;
  if (!tile.errors.empty() && tile.errors.size() != N) return false;
  return excluded.ids.size() == E || excluded.ids.size() == Q * E;
}

/// The parameters of the bounds of the keys of a query.
struct Reach {
  Metric metric;
  double slack;   // the relative rounding error of a key
  double factor;  // the factor of an error

  Reach(std::size_t D, double own, Metric kind)
      : metric(kind), slack(static_cast<double>(D + 16) * 0x1p-50), factor(1) {
    if (metric == Metric::kDot) factor = std::sqrt(own) * (1 + slack);
  }

  [[gnu::noinline]] double end(double key, float error, End which) const {
    if (error == 0) return key;
    const double sign = which == End::kHigh ? 1 : -1;
    const bool squared = metric == Metric::kEuclidean;  // the keys are negated squares
    const double middle = squared ? -std::sqrt(-key) : key;
    const double at =
        middle + sign * (factor * static_cast<double>(error) + slack * std::fabs(middle));
    if (!std::isfinite(at)) return sign * std::numeric_limits<double>::infinity();
    return squared ? -(at * at) * (at < 0 ? 1 : 0) : at;
  }

  /// A key below this has an upper bound below `high`: with f = factor * error and s = slack, a key
  /// of which key + f + s |key| reaches `high` is at least high - f - 3 s (|high| + f). The fourth s
  /// is for rounding.
  double least(double high, float error) const {
    Reach wide = *this;
    wide.slack *= 4;
    wide.factor *= 1 + wide.slack;
    return wide.end(high, error, End::kLow);
  }
};

bool left_out(const Excluded& excluded, std::size_t q, std::int32_t id) {
  const auto out =
      excluded.ids.subspan(excluded.ids.size() == excluded.E ? 0 : q * excluded.E, excluded.E);
  return std::binary_search(out.begin(), out.end(), id);
}

/// Replaces the keys of rows from on by one of their bounds.
void move_to(End end, const Tile& tile, std::size_t from, const Reach& reach,
             std::span<double> keys) {
  if (end == End::kMiddle || tile.errors.empty()) return;
  for (std::size_t n = 0; n < keys.size(); ++n)
    keys[n] = reach.end(keys[n], tile.errors[from + n], end);
}

/// Keeps those of the rows from on that are better than the worst of the best; with marks, marks
/// those that reach it instead.
void keep(const Best& best, const Tile& tile, std::size_t from, std::size_t q,
          const Excluded& excluded, std::span<const double> keys, std::span<std::uint8_t> marks) {
  Heap heap{best.keys.data() + q * best.k, best.ids.data() + q * best.k};
  for (std::size_t n = 0; n < keys.size(); ++n) {
    const auto id = static_cast<std::int32_t>(tile.first + from + n);
    if (keys[n] < heap.keys[0]) continue;
    if (marks.empty() && !better(keys[n], id, heap.keys[0], heap.ids[0])) continue;
    if (left_out(excluded, q, id)) continue;
    if (!marks.empty()) {
      marks[from + n] = 1;
      continue;
    }
    heap.keys[0] = keys[n];
    heap.ids[0] = id;
    heap.sink(best.k);
  }
}

/// Calls a function with the numbers of rows, four at a time as two lanes of two, and then one by one.
template <class Four, class One>
void in_lanes(std::size_t count, const Four& four, const One& one) {
  std::size_t n = 0;
  for (; n + 4 <= count; n += 4) four(n);
  for (; n < count; ++n) one(n);
}

void widen(const float* x, std::size_t count, double* to) {
  in_lanes(
      count,
      [&](std::size_t n) {
        const v128_t four = wasm_v128_load(x + n);
        wasm_v128_store(to + n, low_f64x2(four));
        wasm_v128_store(to + n + 2, high_f64x2(four));
      },
      [&](std::size_t n) { to[n] = static_cast<double>(x[n]); });
}

/// As std::copy_n, whose call in WebAssembly moves four bytes at a time.
void copy(const double* x, std::size_t count, double* to) {
  in_lanes(
      count,
      [&](std::size_t n) {
        wasm_v128_store(to + n, wasm_v128_load(x + n));
        wasm_v128_store(to + n + 2, wasm_v128_load(x + n + 2));
      },
      [&](std::size_t n) { to[n] = x[n]; });
}

void roots(const double* x, std::size_t count, double* to) {
  in_lanes(
      count,
      [&](std::size_t n) {
        wasm_v128_store(to + n, wasm_f64x2_sqrt(wasm_v128_load(x + n)));
        wasm_v128_store(to + n + 2, wasm_f64x2_sqrt(wasm_v128_load(x + n + 2)));
      },
      [&](std::size_t n) { to[n] = std::sqrt(x[n]); });
}

/// to[n] = scales[n] * dots[n]
void weigh(const std::int32_t* dots, const float* scales, std::size_t count, double* to) {
  in_lanes(
      count,
      [&](std::size_t n) {
        const v128_t four = wasm_v128_load(dots + n), scale = wasm_v128_load(scales + n);
        const v128_t high = wasm_i32x4_shuffle(four, four, 2, 3, 2, 3);
        wasm_v128_store(to + n,
                        wasm_f64x2_mul(low_f64x2(scale), wasm_f64x2_convert_low_i32x4(four)));
        wasm_v128_store(to + n + 2,
                        wasm_f64x2_mul(high_f64x2(scale), wasm_f64x2_convert_low_i32x4(high)));
      },
      [&](std::size_t n) { to[n] = static_cast<double>(scales[n]) * dots[n]; });
}

/// to[n] += weight * column[n]
void add_column(const float* column, double weight, std::size_t count, double* to) {
  const v128_t weights = wasm_f64x2_splat(weight);
  const auto add = [&](double* at, v128_t two) {
    wasm_v128_store(at, wasm_f64x2_add(wasm_v128_load(at), wasm_f64x2_mul(weights, two)));
  };
  in_lanes(
      count,
      [&](std::size_t n) {
        const v128_t four = wasm_v128_load(column + n);
        add(to + n, low_f64x2(four));
        add(to + n + 2, high_f64x2(four));
      },
      [&](std::size_t n) { to[n] += weight * static_cast<double>(column[n]); });
}

/// What the rows of a block are compared by first.
enum Way : std::size_t {
  kWhole,   // whole numbers: codes of the rows or of their sketch
  kFloats,  // float32
  kAll,     // nothing: all are compared in double
};

/// The first pass of a search of a table.
struct Screen {
  /// Narrower rows are compared in double at once: that is as fast. By tiles, for whole numbers and for
  /// 16 bits; for rows one by one; and where lengths are needed for the first pass alone.
  static constexpr std::size_t kNarrowest[] = {32, 96, 256};

  /// The most blocks that a way is left out after a block of which it left many rows.
  static constexpr std::uint32_t kLongest = 32;

  struct Pace {
    std::uint32_t pause, next;  // blocks
  };

  std::size_t Q, D;
  Probe* probes[2] = {};             // of kWhole and of kFloats, [Q] each
  double* exact = nullptr;           // [Q, kExact]: of a sketch
  Pace* paces = nullptr;             // of kWhole and of kFloats
  float* panels = nullptr;           // [Q / kGroup][kGroup * D]: panels, or rows
  float* rows = nullptr;             // [kBlock, D]: panels of the rows of a block, or unpacked rows
  std::int16_t* whole = nullptr;     // [Q, D]
  double sums[kGroup * kBlock + 1];  // [query][row]; of one query kLong rows

  Screen(std::span<std::uint8_t> workspace, std::size_t queries, std::size_t width)
      : Q(queries), D(width) {
    if (workspace.empty()) return;
    probes[kWhole] = reinterpret_cast<Probe*>(workspace.data());
    probes[kFloats] = probes[kWhole] + Q;
    exact = reinterpret_cast<double*>(probes[kFloats] + Q);
    paces = reinterpret_cast<Pace*>(exact + Q * kExact);
    rows = reinterpret_cast<float*>(paces + 2);
    panels = rows + kBlock * D;
    whole = reinterpret_cast<std::int16_t*>(panels + linear::padded(Q, kGroup) * D);
  }

  /// The queries from `first` on that are summed together.
  std::size_t group(std::size_t first) const { return std::min(kGroup, Q - first); }

  bool tiles(std::size_t first) const { return group(first) >= kTiled; }

  /// Rounds the queries. The first block is compared in double.
  [[gnu::noinline, gnu::cold]] void begin(const Tile& tile, std::span<const double> queries,
                                          Metric metric) {
    const bool packed = !tile.codes.empty(), known = !tile.squares.empty();
    const bool halves = !tile.halves.empty();
    constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
    const int kind = tiles(0) || halves ? 0 : known || metric == Metric::kCosine ? 1 : 2;
    const bool has_whole = packed || !tile.sketch.mean.empty();
    paces[kWhole] = {has_whole && D >= kNarrowest[0] ? 1 : kNever, 1};
    paces[kFloats] = {!packed && D >= kNarrowest[kind] ? 1 : kNever, 1};
    for (std::size_t q = 0; q < Q; ++q) {
      const auto query = queries.subspan(q * D, D);
      std::int16_t* to = whole + q * D;
      if (packed)
        probes[kWhole][q] = probe_of(query, true, true, to);
      else if (has_whole)
        probes[kWhole][q] = probe_of_sketch(
            query, tile.sketch, {reinterpret_cast<double*>(rows), D}, to, exact + q * kExact);
    }
    for (std::size_t q = 0; q < Q && !packed; ++q) {
      const std::size_t first = q - q % kGroup;
      float* to = tiles(first) ? rows + (q - first) * D : panels + q * D;
      probes[kFloats][q] = probe_of(queries.subspan(q * D, D), false, known, to);
      for (std::size_t d = 0; d < D && halves; ++d) to[d] *= half_unit(tile.dtype);
      if (tiles(first) && q + 1 == first + group(first))
        linear::pack_rows(rows, group(first), D, kGroup, panels + first * D);
    }
  }

  /// Packs the rows of a block for tiles.
  void pack(const float* x, std::size_t count) {
    for (std::size_t n = 0; n < count; n += linear::kTall)
      linear::pack_rows(x + n * D, std::min(linear::kTall, count - n), D, linear::kTall,
                        rows + n * D);
  }

  /// Computes the first sums of a block with a group of queries.
  void multiply(Way way, const Tile& tile, std::size_t from, std::size_t count, std::size_t first) {
    if (way == kWhole) {
      multiply_whole(tile, from, count, first);
      return;
    }
    const float* panel = panels + first * D;
    if (tiles(first)) {
      for (std::size_t n = 0; n < count; n += linear::kTall) {
        double four[linear::kTall * kGroup];
        linear::tile(rows + n * D, panel, D, four);
        for (std::size_t j = 0; j < group(first); ++j)
          for (std::size_t i = 0; i < linear::kTall; ++i)
            sums[j * kBlock + n + i] = four[i * kGroup + j];
      }
      return;
    }
    for (std::size_t j = 0; j < group(first); ++j) {
      const float* q = panel + j * D;
      if (tile.halves.empty())
        brief_dots(q, tile.x.data() + from * D, count, D, sums + j * kBlock);
      else
        half_dots(q, tile.halves.data() + 2 * from * D, tile.dtype, count, D, sums + j * kBlock);
    }
  }

  void multiply_whole(const Tile& tile, std::size_t from, std::size_t count, std::size_t first) {
    const Sketch& sketch = tile.sketch;
    const bool packed = sketch.mean.empty();
    const auto codes = packed ? tile.codes : std::span<const std::int8_t>(sketch.codes);
    const float* scales = (packed ? tile.scales.data() : sketch.scales.data()) + from;
    std::int32_t dots[kGroup * kBlock];
    code_dots(whole + first * D, group(first), codes.data() + from * D, count, D, dots, kBlock);
    for (std::size_t j = 0; j < group(first); ++j) {
      double* to = sums + j * kBlock;
      weigh(dots + j * kBlock, scales, count, to);
      for (std::size_t c = 0; c < kExact && !packed; ++c) {
        const double weight = exact[(first + j) * kExact + c];
        if (weight != 0) add_column(sketch.exact[c].data() + from, weight, count, to);
      }
    }
  }

  /// The way of the next block.
  Way way() {
    for (const Way each : {kWhole, kFloats}) {
      if (paces[each].pause == 0) return each;
      --paces[each].pause;
    }
    return kAll;
  }

  /// Sets the pace of a way by how many of the rows of a block it left, for all queries.
  void learn(Way way, std::size_t left, std::size_t count) {
    Pace& pace = paces[way];
    const bool many = left * 4 > count * Q;
    if (many) pace.pause = pace.next;
    pace.next = many ? std::min(2 * pace.next, kLongest) : 1;
  }
};

/// The rows of a block, from `from` on, with what the first pass needs of them.
struct Block {
  std::size_t from, count;
  bool sketched;
  double squares[kLong + 1], lengths[kLong + 1], gaps[kLong + 1];  // two are read at a time
  float error;                                                     // the largest

  void read(const Tile& tile, Way way, std::size_t first, std::size_t rows) {
    from = first;
    count = rows;
    sketched = way == kWhole && tile.codes.empty();
    if (!tile.squares.empty()) {
      copy(tile.squares.data() + from, count, squares);
      if (!sketched) roots(squares, count, lengths);
      if (!tile.halves
               .empty())  // no sum is below a limit of NaN: it is wrong if a number is not finite
        for (std::size_t n = 0; n < count; ++n) lengths[n] += squares[n] - squares[n];
    } else {
      const double slack = brief_error(tile.D);
      for (std::size_t n = 0; n < count; ++n)
        squares[n] = brief_square(tile.x.data() + (from + n) * tile.D, tile.D) * (1 - slack);
      roots(squares, count, lengths);
      for (std::size_t n = 0; n < count; ++n) lengths[n] *= 1 + 2 * slack;
    }
    if (sketched) {
      widen(tile.sketch.lengths.data() + from, count, lengths);
      widen(tile.sketch.gaps.data() + from, count, gaps);
    } else {
      std::fill_n(gaps, count, 0.0);
    }
    error = 0;
    if (!tile.errors.empty())
      for (std::size_t n = 0; n < count; ++n) error = std::max(error, tile.errors[from + n]);
  }

  /// Which of up to 64 rows, from `first` on, may be among the best, as bits: those whose sum is not
  /// below the limit. With errors it is that of the largest error first, and then that of the row.
  std::uint64_t left(std::size_t first, std::size_t rows, const Tile& tile, const Probe& probe,
                     const Reach& reach, const double* sums, const Best& best, double worst) const {
    const bool moves = best.end == End::kHigh && !tile.errors.empty();
    const auto limit_at = [&](float most) {
      const double key = moves ? reach.least(worst, most) : worst;
      const Limit limit = limit_of(probe, reach.metric, tile.D, key);
      return sketched ? rounded(limit) : limit;
    };
    std::uint64_t bits = not_below(limit_at(error), probe.unit, first, rows, sums);
    if (!moves) return bits;
    for (std::uint64_t some = bits; some != 0; some &= some - 1) {
      const auto n = static_cast<std::size_t>(std::countr_zero(some));
      const float most = tile.errors[from + first + n];
      if (not_below(limit_at(most), probe.unit, first + n, 1, sums) == 0)
        bits &= ~(std::uint64_t{1} << n);
    }
    return bits;
  }

  /// The rows whose sum is not below a limit, as bits. A row at a time or two give the same.
  std::uint64_t not_below(const Limit& limit, double unit, std::size_t first, std::size_t rows,
                          const double* sums) const {
    constexpr double kLeast = -std::numeric_limits<double>::infinity();
    const v128_t units = wasm_f64x2_splat(unit), least = wasm_f64x2_splat(kLeast);
    const v128_t level = wasm_f64x2_splat(limit.level), slope = wasm_f64x2_splat(limit.slope);
    const v128_t bend = wasm_f64x2_splat(limit.bend), near = wasm_f64x2_splat(limit.near);
    std::uint64_t bits = 0;
    for (std::size_t n = 0; n < rows; n += 2) {
      const std::size_t at =
          first + n;  // one more row than there are: what is there does not matter
      const v128_t sum = wasm_f64x2_mul(wasm_v128_load(sums + at), units);
      v128_t most = wasm_f64x2_add(level, wasm_f64x2_mul(slope, wasm_v128_load(lengths + at)));
      most = wasm_f64x2_add(most, wasm_f64x2_mul(bend, wasm_v128_load(squares + at)));
      most = wasm_f64x2_sub(most, wasm_f64x2_mul(near, wasm_v128_load(gaps + at)));
      const v128_t below = wasm_v128_and(wasm_f64x2_lt(sum, most), wasm_f64x2_lt(least, sum));
      bits |= static_cast<std::uint64_t>(wasm_i64x2_bitmask(below) ^ 3) << n;
    }
    return rows < 64 ? bits & ((std::uint64_t{1} << rows) - 1) : bits;
  }
};

/// Converts a packed row to float32.
void unpack(const Tile& tile, std::size_t n, float* out) {
  const std::size_t D = tile.D;
  if (!tile.codes.empty()) {
    dtypes::blocks::scale_codes(tile.codes.data() + n * D, D, tile.scales[n], out);
    return;
  }
  const bool small = tile.dtype == half::Dtype::kFloat16;
  static_cast<void>(dtypes::decode(tile.halves.subspan(2 * n * D, 2 * D),
                                   small ? dtypes::Format::kF16 : dtypes::Format::kBF16, {out, D}));
}

/// Up to `kBlock` rows as `similarity::compare` reads them.
struct Room {
  float* rows;             // those that are unpacked
  double squares[kBlock];  // if they are not known
  bool ready = false;
};

/// A search of a tile: the queries, the best rows so far, or the marks of those that reach them.
struct Search {
  const Tile& tile;
  std::span<const double> queries;
  Metric metric;
  const Excluded& excluded;
  std::span<const Best> heaps;
  std::span<std::uint8_t> marks;

  /// Compares some of up to `kBlock` rows, from `from` on, with a query, in double.
  ///
  /// Returns   how many
  std::size_t compare(std::uint64_t bits, std::size_t from, std::size_t q, double square,
                      const Reach& reach, Room& room) const {
    const std::size_t D = tile.D;
    const auto query = queries.subspan(q * D, D);
    const bool known = !tile.squares.empty(), packed = tile.packed();
    double found[kBlock];
    std::size_t left = 0;
    while (bits != 0) {
      // The next rows that follow each other. Most blocks have none.
      const auto n = static_cast<std::size_t>(std::countr_zero(bits));
      const auto rows = static_cast<std::size_t>(std::countr_one(bits >> n));
      const std::size_t end = n + rows;
      bits = end < kBlock ? bits >> end << end : 0;
      const auto x = packed ? std::span<const float>(room.rows + n * D, rows * D)
                            : tile.x.subspan((from + n) * D, rows * D);
      for (std::size_t i = n; i < end && packed && !room.ready; ++i)
        unpack(tile, from + i, room.rows + i * D);
      double* own = room.squares + n;
      if (!known && metric == Metric::kCosine && !room.ready)
        similarity::squares(x, D, {own, rows});
      const std::span<double> keys{found, rows};
      const std::span<const double> lengths{known ? tile.squares.data() + from + n : own, rows};
      similarity::compare(query, square, x, lengths, metric, keys);
      if (metric == Metric::kEuclidean)
        for (double& key : keys) key = -key;
      left += rows;
      for (const Best& each : heaps) {
        move_to(each.end, tile, from + n, reach, keys);
        keep(each, tile, from + n, q, excluded, keys, marks);
      }
    }
    return left;
  }
};

/// Compares a tile with every query, block by block: keeps the best rows, or marks those that reach
/// the worst of the best.
void compare_all(const Search& search, std::span<std::uint8_t> workspace) {
  const Tile& tile = search.tile;
  const std::size_t D = tile.D, N = tile.rows(), Q = search.queries.size() / D;
  const bool packed = !tile.codes.empty();
  Screen screen(workspace, Q, D);
  if (screen.paces && tile.first == 0) screen.begin(tile, search.queries, search.metric);
  Block block;
  Room room{screen.rows, {}};
  for (std::size_t from = 0, count; from < N; from += count) {
    const Way way = screen.paces ? screen.way() : kAll;
    const bool all = way == kAll;
    count = std::min(N - from, !all && Q == 1 ? kLong : kBlock);
    if (!all) block.read(tile, way, from, count);
    if (way == kFloats && screen.tiles(0)) screen.pack(tile.x.data() + from * D, count);
    std::size_t left = 0;
    for (std::size_t q = 0; q < Q; ++q) {
      const double square = screen.paces ? screen.probes[packed ? kWhole : kFloats][q].square
                                         : similarity::square(search.queries.subspan(q * D, D));
      const Reach reach(D, square, search.metric);
      if (!all && q % kGroup == 0) screen.multiply(way, tile, from, count, q);
      for (std::size_t first = 0; first < count; first += kBlock) {
        const std::size_t rows = std::min(kBlock, count - first);
        std::uint64_t bits = all ? ~std::uint64_t{0} >> (kBlock - rows) : 0;
        for (const Best& each : search.heaps)
          if (!all)
            bits |= block.left(first, rows, tile, screen.probes[way][q], reach,
                               screen.sums + q % kGroup * kBlock, each, each.keys[q * each.k]);
        room.ready = all && q > 0;
        left += search.compare(bits, from + first, q, square, reach, room);
      }
    }
    if (!all) screen.learn(way, left, count);
  }
}

}  // namespace

std::size_t work(std::size_t Q, std::size_t D) noexcept {
  const std::size_t floats = (linear::padded(Q, kGroup) + kBlock) * D * sizeof(float);
  return floats + Q * (2 * sizeof(Probe) + kExact * sizeof(double) + D * sizeof(std::int16_t)) +
         2 * sizeof(Screen::Pace);
}

Status scan(Tile tile, std::span<const double> queries, Metric metric, Excluded excluded, Best best,
            Best more, std::span<std::uint8_t> workspace) noexcept {
  if (kChecked && !shapes_agree(tile, queries, excluded, workspace)) return Status::kBadShape;
  const std::size_t D = tile.D;
  const Best heaps[] = {best, more};
  for (const Best& each : heaps)
    if (kChecked && !shapes_agree(each, queries.size() / D)) return Status::kBadShape;
  for (const Best& each : heaps) {
    if (tile.first != 0) break;
    std::fill(each.keys.begin(), each.keys.end(), kNoKey);
    std::fill(each.ids.begin(), each.ids.end(), kNoId);
  }
  if (best.k == 0) return Status::kOk;
  compare_all({tile, queries, metric, excluded, {heaps, more.k > 0 ? 2u : 1u}, {}}, workspace);
  return Status::kOk;
}

[[gnu::cold]] Status certify(Best best, Best highest, std::span<const float> errors,
                             std::span<const double> queries, Metric metric,
                             std::span<std::uint8_t> certain) noexcept {
  if (certain.empty()) return Status::kOk;
  const std::size_t k = best.k, Q = k == 0 ? 0 : certain.size() / k;
  if (kChecked && (Q == 0 || certain.size() != Q * k || highest.k != k + 1 ||
                   queries.size() % Q != 0 || !shapes_agree(best, Q) || !shapes_agree(highest, Q)))
    return Status::kBadShape;
  for (const std::int32_t id : best.ids)
    if (id < 0 || static_cast<std::size_t>(id) >= errors.size()) return Status::kBadIndex;
  const std::size_t D = queries.size() / Q;
  for (std::size_t at = 0; at < certain.size(); ++at) {
    const std::size_t q = at / k, worst = q * highest.k;  // the top of the heap
    const Reach reach(D, similarity::square(queries.subspan(q * D, D)), metric);
    const std::int32_t id = best.ids[at];
    const double low = reach.end(best.keys[at], errors[static_cast<std::size_t>(id)], End::kLow);
    certain[at] = better(low, id, highest.keys[worst], highest.ids[worst]);
  }
  return Status::kOk;
}

Status mark(Tile tile, std::span<const double> queries, Metric metric, Excluded excluded,
            Best lowest, std::span<std::uint8_t> marks,
            std::span<std::uint8_t> workspace) noexcept {
  if (kChecked && (!shapes_agree(tile, queries, excluded, workspace) ||
                   !shapes_agree(lowest, queries.size() / tile.D) || lowest.k == 0 ||
                   marks.size() != tile.rows()))
    return Status::kBadShape;
  lowest.end = End::kHigh;
  compare_all({tile, queries, metric, excluded, {&lowest, 1}, marks}, workspace);
  return Status::kOk;
}

[[gnu::cold]] Status rank(Best best, Metric metric, std::span<float> scores) noexcept {
  if (kChecked && (scores.size() != best.keys.size() || best.ids.size() != best.keys.size()))
    return Status::kBadShape;
  for (std::size_t at = 0; at < scores.size(); at += best.k) {
    Heap heap{best.keys.data() + at, best.ids.data() + at};
    for (std::size_t n = best.k; n-- > 1;) {  // move the worst to the end
      heap.swap(0, n);
      heap.sink(n);
    }
    for (std::size_t j = 0; j < best.k; ++j) {
      const double key = heap.keys[j] = canonical(heap.keys[j]);
      scores[at + j] = similarity::shown(metric == Metric::kEuclidean ? -key : key, metric);
    }
  }
  return Status::kOk;
}

[[gnu::cold]] Status targets(std::span<const float> rows, std::size_t D, bool unit,
                             std::span<double> out) noexcept {
  if (kChecked && (D == 0 || out.size() % D != 0 || rows.size() != 3 * out.size()))
    return Status::kBadShape;
  for (std::size_t from = 0; from < out.size(); from += D) {
    double lengths[3] = {1, 1, 1};
    if (unit) {
      similarity::squares(rows.subspan(3 * from, 3 * D), D, lengths);
      for (double& length : lengths) length = length > 0 ? std::sqrt(length) : 1;
    }
    const float* row = rows.data() + 3 * from;
    for (std::size_t d = 0; d < D; ++d) {
      const double a = static_cast<double>(row[d]) / lengths[0];
      const double b = static_cast<double>(row[d + D]) / lengths[1];
      const double c = static_cast<double>(row[d + 2 * D]) / lengths[2];
      out[from + d] = (b - a) + c;
    }
  }
  return Status::kOk;
}

}  // namespace phasor::nearest
