#include "analysis/nearest/nearest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/nearest/screen.h"
#include "embedding/dtypes/blocks.h"
#include "math/nan.h"

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
  const bool packed = !tile.codes.empty();
  if (D == 0 || (tile.x.size() + tile.codes.size()) % D != 0 || queries.size() % D != 0)
    return false;
  const std::size_t N = tile.rows(), Q = queries.size() / D;
  if (packed && (!tile.x.empty() || tile.scales.size() != N || tile.squares.empty())) return false;
  const Sketch& sketch = tile.sketch;
  if (!sketch.mean.empty() &&
      (packed || tile.squares.empty() || sketch.mean.size() != D || sketch.rows.size() != N))
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

/// What the rows of a block are compared by first.
enum Way : std::size_t {
  kWhole,   // whole numbers: codes of the rows or of their sketch
  kFloats,  // float32
  kAll,     // nothing: all are compared in double
};

/// The first pass of a search of a table.
struct Screen {
  /// The fewest queries that are multiplied by tiles of float32.
  static constexpr std::size_t kTiled = 6;

  /// Narrower rows are compared in double at once: that is as fast. By tiles and for whole numbers; for
  /// rows one by one; and where lengths are needed for the first pass alone.
  static constexpr std::size_t kNarrowest[] = {32, 96, 256};

  /// The most blocks that a way is left out after a block of which it left many rows.
  static constexpr std::uint32_t kLongest = 32;

  struct Pace {
    std::uint32_t pause, next;  // blocks
  };

  std::size_t Q, D;
  Probe* probes[2] = {};          // of kWhole and of kFloats, [Q] each
  double* exact = nullptr;        // [Q, kExact]: of a sketch
  Pace* paces = nullptr;          // of kWhole and of kFloats
  float* panels = nullptr;        // [Q / kGroup][kGroup * D]: panels, or rows
  float* rows = nullptr;          // [kBlock, D]: panels of the rows of a block, or unpacked rows
  std::int16_t* whole = nullptr;  // [Q, D]
  double sums[kBlock * kGroup];

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
    constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
    const int kind = tiles(0) ? 0 : known || metric == Metric::kCosine ? 1 : 2;
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
  ///
  /// Shapes    sums [count, kGroup]
  void multiply(Way way, const Tile& tile, std::size_t from, std::size_t count, std::size_t first) {
    if (way == kWhole) {
      multiply_whole(tile, from, count, first);
      return;
    }
    const float* panel = panels + first * D;
    if (tiles(first)) {
      for (std::size_t n = 0; n < count; n += linear::kTall)
        linear::tile(rows + n * D, panel, D, sums + n * kGroup);
      return;
    }
    for (std::size_t j = 0; j < group(first); ++j)
      brief_dots(panel + j * D, tile.x.data() + from * D, count, D, sums + j);
  }

  void multiply_whole(const Tile& tile, std::size_t from, std::size_t count, std::size_t first) {
    const Sketch& sketch = tile.sketch;
    const bool packed = sketch.mean.empty();
    const auto codes = packed ? tile.codes : std::span<const std::int8_t>(sketch.codes);
    std::int32_t dots[kBlock * kGroup];
    code_dots(whole + first * D, group(first), codes.data() + from * D, count, D, dots);
    for (std::size_t n = 0; n < count; ++n) {
      const auto scale =
          static_cast<double>(packed ? tile.scales[from + n] : sketch.rows[from + n].scale);
      for (std::size_t j = 0; j < group(first); ++j) {
        double sum = scale * dots[n * kGroup + j];
        for (std::size_t c = 0; c < kExact && !packed; ++c)
          sum +=
              exact[(first + j) * kExact + c] * static_cast<double>(sketch.rows[from + n].exact[c]);
        sums[n * kGroup + j] = sum;
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
  double squares[kBlock], lengths[kBlock], gaps[kBlock];
  float error;  // the largest

  /// Which rows may be among the best, as bits: those whose sum is not below the limit. With errors
  /// it is that of the largest error first, and then that of the row.
  std::uint64_t left(const Tile& tile, const Probe& probe, const Reach& reach, const double* sums,
                     const Best& best, double worst) const {
    const bool moves = best.end == End::kHigh && !tile.errors.empty();
    const auto limit_at = [&](float most) {
      return limit_of(probe, reach.metric, tile.D, moves ? reach.least(worst, most) : worst);
    };
    const auto is_below = [&](const Limit& limit, std::size_t n) {
      const double sum = sums[n * kGroup] * probe.unit;
      return sum < limit.level + limit.slope * lengths[n] + limit.bend * squares[n] -
                       limit.near * gaps[n] &&
             sum > -std::numeric_limits<double>::infinity();
    };
    const Limit limit = limit_at(error);
    std::uint64_t bits = 0;
    for (std::size_t n = 0; n < count; ++n) {
      bool below = is_below(limit, n);
      if (moves && !below) below = is_below(limit_at(tile.errors[from + n]), n);
      bits |= std::uint64_t{!below} << n;
    }
    return bits;
  }
};

/// Compares a tile with every query, block by block: keeps the best rows, or marks those that reach
/// the worst of the best.
void compare_all(const Tile& tile, std::span<const double> queries, Metric metric,
                 const Excluded& excluded, std::span<const Best> heaps,
                 std::span<std::uint8_t> marks, std::span<std::uint8_t> workspace) {
  const std::size_t D = tile.D, N = tile.rows(), Q = queries.size() / D;
  const bool known = !tile.squares.empty(), packed = !tile.codes.empty();
  Screen screen(workspace, Q, D);
  if (screen.paces && tile.first == 0) screen.begin(tile, queries, metric);
  Block block;
  double own[kBlock], found[kBlock];
  for (block.from = 0; block.from < N; block.from += kBlock) {
    const std::size_t from = block.from, count = std::min(kBlock, N - from);
    block.count = count;
    const Way way = screen.paces ? screen.way() : kAll;
    const bool all = way == kAll;
    /// Prepares rows of the block for `compare`: unpacked, or with their squared lengths.
    const auto read = [&](std::size_t n, std::size_t end) {
      if (packed) {
        for (std::size_t i = n; i < end; ++i)
          dtypes::blocks::scale_codes(tile.codes.data() + (from + i) * D, D, tile.scales[from + i],
                                      screen.rows + i * D);
      } else if (!known && metric == Metric::kCosine) {
        similarity::squares(tile.x.subspan((from + n) * D, (end - n) * D), D, {own + n, end - n});
      }
    };
    if (!all) {
      const double error = known ? 0 : brief_error(D);
      block.error = 0;
      for (std::size_t n = 0; n < count; ++n) {
        const double square =
            known ? tile.squares[from + n] : brief_square(tile.x.data() + (from + n) * D, D);
        block.squares[n] = square * (1 - error);                           // at most |x|^2
        block.lengths[n] = std::sqrt(block.squares[n]) * (1 + 2 * error);  // at least |x|
        if (!tile.errors.empty()) block.error = std::max(block.error, tile.errors[from + n]);
        const bool sketched = way == kWhole && !packed;
        block.gaps[n] = sketched ? static_cast<double>(tile.sketch.rows[from + n].gap) : 0;
      }
      if (way == kFloats && screen.tiles(0)) screen.pack(tile.x.data() + from * D, count);
    }
    const float* x = packed ? screen.rows : tile.x.data() + from * D;
    const double* squares = known ? tile.squares.data() + from : own;
    std::size_t left = 0;
    for (std::size_t q = 0; q < Q; ++q) {
      const auto query = queries.subspan(q * D, D);
      const double square = screen.paces ? screen.probes[packed ? kWhole : kFloats][q].square
                                         : similarity::square(query);
      const Reach reach(D, square, metric);
      std::uint64_t bits = all ? ~std::uint64_t{0} : 0;
      if (!all) {
        if (q % kGroup == 0) screen.multiply(way, tile, from, count, q);
        for (const Best& each : heaps)
          bits |= block.left(tile, screen.probes[way][q], reach, screen.sums + q % kGroup, each,
                             each.keys[q * each.k]);
      }
      for (std::size_t n = 0; n < count;) {
        const auto run = static_cast<std::size_t>(std::countr_one(bits >> n));
        const std::size_t end = std::min(count, n + run);
        if (run > 0) {
          if (!all || q == 0) read(n, end);
          const std::span<double> keys{found, end - n};
          similarity::compare(query, square, {x + n * D, (end - n) * D}, {squares + n, end - n},
                              metric, keys);
          if (metric == Metric::kEuclidean)
            for (double& key : keys) key = -key;
          left += end - n;
          for (const Best& each : heaps) {
            move_to(each.end, tile, from + n, reach, keys);
            keep(each, tile, from + n, q, excluded, keys, marks);
          }
        }
        n = end + 1;
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
  compare_all(tile, queries, metric, excluded, {heaps, more.k > 0 ? 2u : 1u}, {}, workspace);
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
  compare_all(tile, queries, metric, excluded, {&lowest, 1}, marks, workspace);
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
