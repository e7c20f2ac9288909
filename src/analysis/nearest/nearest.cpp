#include "analysis/nearest/nearest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace phasor::nearest {
namespace {

using similarity::Metric;

/// Rows compared at a time. With usual widths they stay in the cache for all queries.
constexpr std::size_t kBlock = 64;

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

bool shapes_agree(const Tile& tile, std::span<const double> queries, const Excluded& excluded) {
  const std::size_t D = tile.D, E = excluded.E;
  if (D == 0 || tile.x.size() % D != 0 || queries.size() % D != 0) return false;
  const std::size_t N = tile.x.size() / D, Q = queries.size() / D;
  if (!tile.squares.empty() && tile.squares.size() != N) return false;
  if (!tile.errors.empty() && tile.errors.size() != N) return false;
  return excluded.ids.size() == E || excluded.ids.size() == Q * E;
}

/// The parameters of the bounds of the keys of a query.
struct Reach {
  Metric metric;
  double slack;   // the relative rounding error of a key
  double factor;  // the factor of an error

  Reach(std::span<const double> q, Metric kind)
      : metric(kind), slack(static_cast<double>(q.size() + 16) * 0x1p-50), factor(1) {
    if (metric == Metric::kDot) factor = std::sqrt(similarity::square(q)) * (1 + slack);
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
};

/// Compares a tile with every query, some rows at a time. Calls use(q, from, keys) for rows from
/// on.
template <class Use>
void compare_all(const Tile& tile, std::span<const double> queries, Metric metric, Use use) {
  const std::size_t D = tile.D, N = tile.x.size() / D;
  for (std::size_t from = 0; from < N; from += kBlock) {
    const std::size_t count = std::min(kBlock, N - from);
    const auto block = tile.x.subspan(from * D, count * D);
    double own[kBlock], found[kBlock];
    const std::span<double> keys{found, count};
    std::span<const double> lengths =
        tile.squares.empty() ? tile.squares : tile.squares.subspan(from, count);
    if (tile.squares.empty() && metric == Metric::kCosine) {
      similarity::squares(block, D, {own, count});
      lengths = {own, count};
    }
    for (std::size_t q = 0; q < queries.size() / D; ++q) {
      similarity::compare(queries.subspan(q * D, D), block, lengths, metric, keys);
      if (metric == Metric::kEuclidean)
        for (double& key : keys) key = -key;
      use(q, from, keys);
    }
  }
}

bool left_out(const Excluded& excluded, std::size_t q, std::int32_t id) {
  const auto out =
      excluded.ids.subspan(excluded.ids.size() == excluded.E ? 0 : q * excluded.E, excluded.E);
  return std::binary_search(out.begin(), out.end(), id);
}

/// Replaces the keys of rows from on by one of their bounds.
void move_to(End end, const Tile& tile, std::size_t from, std::span<const double> q, Metric metric,
             std::span<double> keys) {
  if (end == End::kMiddle || tile.errors.empty()) return;
  const Reach reach(q, metric);
  for (std::size_t n = 0; n < keys.size(); ++n)
    keys[n] = reach.end(keys[n], tile.errors[from + n], end);
}

/// Keeps those of the rows from on that are better than the worst of the best.
void keep(const Best& best, const Tile& tile, std::size_t from, std::size_t q,
          const Excluded& excluded, std::span<const double> keys) {
  Heap heap{best.keys.data() + q * best.k, best.ids.data() + q * best.k};
  for (std::size_t n = 0; n < keys.size(); ++n) {
    const auto id = static_cast<std::int32_t>(tile.first + from + n);
    if (keys[n] < heap.keys[0] || !better(keys[n], id, heap.keys[0], heap.ids[0])) continue;
    if (left_out(excluded, q, id)) continue;
    heap.keys[0] = keys[n];
    heap.ids[0] = id;
    heap.sink(best.k);
  }
}

}  // namespace

Status scan(Tile tile, std::span<const double> queries, Metric metric, Excluded excluded, Best best,
            Best more) noexcept {
  if (kChecked && !shapes_agree(tile, queries, excluded)) return Status::kBadShape;
  const std::size_t D = tile.D;
  for (const Best& each : {best, more})
    if (kChecked && !shapes_agree(each, queries.size() / D)) return Status::kBadShape;
  for (const Best& each : {best, more}) {
    if (tile.first != 0) break;
    std::fill(each.keys.begin(), each.keys.end(), kNoKey);
    std::fill(each.ids.begin(), each.ids.end(), kNoId);
  }
  if (best.k == 0) return Status::kOk;
  compare_all(tile, queries, metric, [&](std::size_t q, std::size_t from, std::span<double> keys) {
    for (const Best& each : {best, more}) {
      if (each.k == 0) continue;
      move_to(each.end, tile, from, queries.subspan(q * D, D), metric, keys);
      keep(each, tile, from, q, excluded, keys);
    }
  });
  return Status::kOk;
}

Status certify(Best best, Best highest, std::span<const float> errors,
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
    const Reach reach(queries.subspan(q * D, D), metric);
    const std::int32_t id = best.ids[at];
    const double low = reach.end(best.keys[at], errors[static_cast<std::size_t>(id)], End::kLow);
    certain[at] = better(low, id, highest.keys[worst], highest.ids[worst]);
  }
  return Status::kOk;
}

Status mark(Tile tile, std::span<const double> queries, Metric metric, Excluded excluded,
            Best lowest, std::span<std::uint8_t> marks) noexcept {
  const std::size_t D = tile.D;
  if (kChecked &&
      (!shapes_agree(tile, queries, excluded) || !shapes_agree(lowest, queries.size() / D) ||
       lowest.k == 0 || marks.size() != tile.x.size() / D))
    return Status::kBadShape;
  compare_all(tile, queries, metric, [&](std::size_t q, std::size_t from, std::span<double> keys) {
    move_to(End::kHigh, tile, from, queries.subspan(q * D, D), metric, keys);
    for (std::size_t n = 0; n < keys.size(); ++n) {
      if (keys[n] < lowest.keys[q * lowest.k]) continue;
      const auto id = static_cast<std::int32_t>(tile.first + from + n);
      if (!left_out(excluded, q, id)) marks[from + n] = 1;
    }
  });
  return Status::kOk;
}

Status rank(Best best, Metric metric, std::span<float> scores) noexcept {
  if (kChecked && (scores.size() != best.keys.size() || best.ids.size() != best.keys.size()))
    return Status::kBadShape;
  for (std::size_t at = 0; at < scores.size(); at += best.k) {
    Heap heap{best.keys.data() + at, best.ids.data() + at};
    for (std::size_t n = best.k; n-- > 1;) {  // move the worst to the end
      heap.swap(0, n);
      heap.sink(n);
    }
    for (std::size_t j = 0; j < best.k; ++j)
      scores[at + j] =
          similarity::shown(metric == Metric::kEuclidean ? -heap.keys[j] : heap.keys[j], metric);
  }
  return Status::kOk;
}

Status targets(std::span<const float> rows, std::size_t D, bool unit,
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
