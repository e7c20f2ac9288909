#include "analysis/nearest/nearest.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "bad_shape.h"
#include "wave.h"

namespace nearest = phasor::nearest;
namespace similarity = phasor::similarity;
using phasor::Status;
using phasor::test::wave;
using similarity::Metric;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr Metric kMetrics[] = {Metric::kDot, Metric::kCosine, Metric::kEuclidean};

struct Found {
  std::vector<std::int32_t> ids;
  std::vector<float> scores;
  bool operator==(const Found&) const = default;
};

/// Search tile by tile.
Found search(const std::vector<float>& table, std::size_t D, const std::vector<double>& queries,
             Metric metric, std::size_t k, const std::vector<std::int32_t>& excluded, std::size_t E,
             std::size_t tile, bool known) {
  const std::size_t Q = queries.size() / D, V = table.size() / D;
  std::vector<double> keys(Q * k), squares(V);
  Found found{std::vector<std::int32_t>(Q * k), std::vector<float>(Q * k)};
  const nearest::Best best{keys, found.ids, k};
  similarity::squares(table, D, squares);
  for (std::size_t first = 0; first < V; first += tile) {
    const std::size_t N = std::min(tile, V - first);
    const auto lengths =
        known ? std::span<const double>(squares).subspan(first, N) : std::span<const double>();
    const nearest::Tile some{std::span(table).subspan(first * D, N * D), first, D, lengths, {}};
    REQUIRE(nearest::scan(some, queries, metric, {excluded, E}, best) == Status::kOk);
  }
  REQUIRE(nearest::rank(best, metric, found.scores) == Status::kOk);
  return found;
}

/// The same by sorting everything.
Found sorted(const std::vector<float>& table, std::size_t D, const std::vector<double>& queries,
             Metric metric, std::size_t k, const std::vector<std::int32_t>& excluded,
             std::size_t E) {
  const std::size_t V = table.size() / D;
  std::vector<double> squares(V), values(V);
  similarity::squares(table, D, squares);
  Found found;
  for (std::size_t q = 0; q < queries.size() / D; ++q) {
    similarity::compare_scalar(std::span(queries).subspan(q * D, D), table, squares, metric,
                               values);
    std::vector<std::int32_t> ids(V);
    std::iota(ids.begin(), ids.end(), 0);
    const auto* own = excluded.data() + (excluded.size() == E ? 0 : q * E);
    std::erase_if(ids, [&](auto id) { return std::count(own, own + E, id) > 0; });
    const auto key = [&](std::int32_t id) { return values[static_cast<std::size_t>(id)]; };
    std::stable_sort(ids.begin(), ids.end(), [&](auto a, auto b) {
      if (std::isnan(key(a)) || std::isnan(key(b))) return !std::isnan(key(a));
      return metric == Metric::kEuclidean ? key(a) < key(b) : key(a) > key(b);
    });
    for (std::size_t j = 0; j < k; ++j) {
      found.ids.push_back(ids[j]);
      found.scores.push_back(
          static_cast<float>(metric == Metric::kEuclidean ? std::sqrt(key(ids[j])) : key(ids[j])));
    }
  }
  return found;
}

}  // namespace

TEST_CASE("nearest.scan: gives what sorting everything gives, ties by the lower id, tile by tile") {
  const std::size_t D = 5, V = 200;
  std::vector<float> table = wave(V * D, 0.7);
  for (const std::size_t row : {3u, 77u, 150u, 199u})  // equal rows
    std::copy_n(table.begin() + 10 * D, D, table.begin() + static_cast<std::ptrdiff_t>(row * D));
  std::fill_n(table.begin() + 20 * D, D, 0.0f);
  const auto narrow = wave(3 * D, 0.4);
  const std::vector<double> queries(narrow.begin(), narrow.end());
  const std::vector<std::int32_t> none, one{3}, each{0, 77, 1, 3, 5, 199};
  for (const auto metric : kMetrics) {
    for (const std::size_t k : {1u, 2u, 10u, 64u, 190u}) {
      for (const std::size_t tile : {1u, 7u, 64u, 130u, 200u}) {
        for (const bool known : {false, true}) {
          CHECK(search(table, D, queries, metric, k, none, 0, tile, known) ==
                sorted(table, D, queries, metric, k, none, 0));
        }
      }
      CHECK(search(table, D, queries, metric, k, one, 1, 50, false) ==
            sorted(table, D, queries, metric, k, one, 1));
      CHECK(search(table, D, queries, metric, k, each, 2, 50, true) ==
            sorted(table, D, queries, metric, k, each, 2));
    }
  }
}

TEST_CASE("nearest.scan: rows of NaN come last, in the order of their ids, after -inf") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> table{kNan, 1, kNan, 3, -kInf, 2};
  for (const std::size_t tile : {1u, 2u, 6u}) {
    const Found found = search(table, 1, {1.0}, Metric::kDot, 6, {}, 0, tile, false);
    CHECK(found.ids == std::vector<std::int32_t>{3, 5, 1, 4, 0, 2});
    CHECK(std::isnan(found.scores[4]));
  }
}

TEST_CASE("nearest.targets: b - a + c, in double, of rows as they are or of length 1") {
  const std::vector<float> rows{3, 4, 0, 2, 5, 0};
  std::vector<double> out(2);
  REQUIRE(nearest::targets(rows, 2, false, out) == Status::kOk);
  CHECK(out == std::vector<double>{2, -2});
  REQUIRE(nearest::targets(rows, 2, true, out) == Status::kOk);
  CHECK(out[0] == doctest::Approx(0.4));
  CHECK(out[1] == doctest::Approx(0.2));
  const std::vector<float> zeros{0, 0, 0, 2, 0, 0};
  REQUIRE(nearest::targets(zeros, 2, true, out) == Status::kOk);
  CHECK(out == std::vector<double>{0, 1});
}

TEST_CASE("nearest: refuses shapes that do not agree and writes nothing") {
  std::vector<double> keys(2, 7.0), out(2, 7.0);
  std::vector<std::int32_t> ids(2, 7), none;
  std::vector<float> scores(3, 7.0f);
  const std::vector<float> table(6);
  const std::vector<double> q(2), three(3);
  const auto scan = [&](std::size_t D, std::span<const double> squares,
                        std::span<const double> queries, std::span<const std::int32_t> excluded,
                        std::size_t E, std::size_t k) {
    return nearest::scan({table, 0, D, squares, {}}, queries, Metric::kDot, {excluded, E},
                         {keys, ids, k});
  };
  CHECK_BAD_SHAPE(scan(4, {}, q, none, 0, 2));
  CHECK_BAD_SHAPE(scan(0, {}, q, none, 0, 2));
  CHECK_BAD_SHAPE(scan(2, q, q, none, 0, 2));
  CHECK_BAD_SHAPE(scan(2, {}, three, none, 0, 2));
  CHECK_BAD_SHAPE(scan(2, {}, q, none, 0, 3));
  CHECK_BAD_SHAPE(scan(2, {}, q, ids, 3, 2));
  std::vector<std::uint8_t> marks(3, 7);
  const std::vector<float> errors(2);
  CHECK_BAD_SHAPE(
      nearest::scan({table, 0, 2, {}, errors}, q, Metric::kDot, {none, 0}, {keys, ids, 2}));
  CHECK_BAD_SHAPE(nearest::certify({keys, ids, 2}, {keys, ids, 2}, errors, q, Metric::kDot,
                                   std::span(marks).first(2)));
  CHECK_BAD_SHAPE(nearest::mark({table, 0, 2, {}, {}}, q, Metric::kDot, {none, 0}, {keys, ids, 2},
                                std::span(marks).first(2)));
  std::vector<double> three_keys(3);
  std::vector<std::int32_t> three_ids(3);
  CHECK(nearest::certify({keys, ids, 2}, {three_keys, three_ids, 3}, errors, q, Metric::kDot,
                         std::span(marks).first(2)) == Status::kBadIndex);
  CHECK(marks == std::vector<std::uint8_t>(3, 7));
  CHECK_BAD_SHAPE(nearest::rank({keys, ids, 2}, Metric::kDot, scores));
  CHECK_BAD_SHAPE(nearest::targets(table, 3, false, out));
  CHECK(keys == std::vector<double>(2, 7.0));
  CHECK(ids == std::vector<std::int32_t>(2, 7));
  CHECK(out == std::vector<double>(2, 7.0));
  CHECK(scores == std::vector<float>(3, 7.0f));
}
