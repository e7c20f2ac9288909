#include "geometry/nearest/nearest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace phasor::nearest {
namespace {

using similarity::Metric;

/// Rows compared at a time: with usual widths they stay in the cache for all queries.
constexpr std::size_t kBlock = 64;

/// What is worse than every row.
constexpr double kNoKey = std::numeric_limits<double>::quiet_NaN();
constexpr std::int32_t kNoId = std::numeric_limits<std::int32_t>::max();

[[gnu::noinline]] bool better(double key, std::int32_t id, double than_key, std::int32_t than_id) {
  const bool nan = key != key, than_nan = than_key != than_key;
  if (nan != than_nan) return than_nan;
  return nan || key == than_key ? id < than_id : key > than_key;
}

/// A heap of n rows: none is better than those below it.
struct Heap {
  double* keys;
  std::int32_t* ids;

  bool better(std::size_t i, std::size_t j) const {
    return nearest::better(keys[i], ids[i], keys[j], ids[j]);
  }

  /// Let the top sink to its place.
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

}  // namespace

Status scan(std::span<const float> rows, std::size_t first, std::size_t D,
            std::span<const double> squares, std::span<const double> queries, Metric metric,
            Excluded excluded, Best best) noexcept {
  if (D == 0 || rows.size() % D != 0 || queries.size() % D != 0) return Status::kBadShape;
  const std::size_t N = rows.size() / D, Q = queries.size() / D, E = excluded.E;
  if (!squares.empty() && squares.size() != N) return Status::kBadShape;
  if (!shapes_agree(best, Q)) return Status::kBadShape;
  if (excluded.ids.size() != E && excluded.ids.size() != Q * E) return Status::kBadShape;
  if (first == 0) {
    std::fill(best.keys.begin(), best.keys.end(), kNoKey);
    std::fill(best.ids.begin(), best.ids.end(), kNoId);
  }
  if (best.k == 0) return Status::kOk;
  for (std::size_t from = 0; from < N; from += kBlock) {
    const std::size_t count = std::min(kBlock, N - from);
    const auto block = rows.subspan(from * D, count * D);
    double own[kBlock], found[kBlock];
    const std::span<double> keys{found, count};
    std::span<const double> lengths = squares.empty() ? squares : squares.subspan(from, count);
    if (squares.empty() && metric == Metric::kCosine) {
      similarity::squares(block, D, {own, count});
      lengths = {own, count};
    }
    for (std::size_t q = 0; q < Q; ++q) {
      similarity::compare(queries.subspan(q * D, D), block, lengths, metric, keys);
      Heap heap{best.keys.data() + q * best.k, best.ids.data() + q * best.k};
      const auto out = excluded.ids.subspan(excluded.ids.size() == E ? 0 : q * E, E);
      for (std::size_t n = 0; n < count; ++n) {
        const double key = metric == Metric::kEuclidean ? -keys[n] : keys[n];
        const auto id = static_cast<std::int32_t>(first + from + n);
        if (key < heap.keys[0] || !better(key, id, heap.keys[0], heap.ids[0])) continue;
        if (std::binary_search(out.begin(), out.end(), id)) continue;
        heap.keys[0] = key;
        heap.ids[0] = id;
        heap.sink(best.k);
      }
    }
  }
  return Status::kOk;
}

Status rank(Best best, Metric metric, std::span<float> scores) noexcept {
  if (scores.size() != best.keys.size() || best.ids.size() != best.keys.size())
    return Status::kBadShape;
  for (std::size_t at = 0; at < scores.size(); at += best.k) {
    Heap heap{best.keys.data() + at, best.ids.data() + at};
    for (std::size_t n = best.k; n-- > 1;) {  // the worst goes to the end
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
  if (D == 0 || out.size() % D != 0 || rows.size() != 3 * out.size()) return Status::kBadShape;
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
