#include "analysis/nearest/nearest.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "bad_shape.h"
#include "embedding/dtypes/dtypes.h"
#include "sampled.h"
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

/// Search tile by tile, with or without a first pass, in which a sketch may be read.
Found search(const std::vector<float>& table, std::size_t D, const std::vector<double>& queries,
             Metric metric, std::size_t k, const std::vector<std::int32_t>& excluded, std::size_t E,
             std::size_t tile, bool known, bool screened = true,
             std::span<std::uint8_t> sketch = {}) {
  const std::size_t Q = queries.size() / D, V = table.size() / D;
  std::vector<double> keys(Q * k), squares(V);
  Found found{std::vector<std::int32_t>(Q * k), std::vector<float>(Q * k)};
  const nearest::Best best{keys, found.ids, k};
  similarity::squares(table, D, squares);
  std::vector<std::uint8_t> workspace(screened ? nearest::work(Q, D) : 0);
  for (std::size_t first = 0; first < V; first += tile) {
    const std::size_t N = std::min(tile, V - first);
    const auto lengths =
        known ? std::span<const double>(squares).subspan(first, N) : std::span<const double>();
    nearest::Tile some{std::span(table).subspan(first * D, N * D), first, D, lengths, {}};
    if (!sketch.empty()) some.sketch = nearest::Sketch::in(sketch, V, D).part(first, N);
    REQUIRE(nearest::scan(some, queries, metric, {excluded, E}, best, {}, workspace) ==
            Status::kOk);
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

TEST_CASE("nearest.scan: equals a full sort, ties by the lower id, tile by tile") {
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
          for (const bool screened : {false, true})
            CHECK(search(table, D, queries, metric, k, none, 0, tile, known, screened) ==
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

namespace {

std::uint32_t state = 1;

/// Nearly normal: the sum of four even numbers.
double next() {
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    state = state * 1664525 + 1013904223;
    sum += static_cast<double>(static_cast<std::int32_t>(state)) * 0x1p-31;
  }
  return sum;
}

constexpr int kKinds = 9;

/// Rows of a kind: normal, heavy tails, clusters, a common mean, one large column, few different rows,
/// more and more like the first, rows that float32 cannot tell apart, and rows of every size with
/// some that are not finite.
std::vector<float> rows_of(int kind, std::size_t V, std::size_t D) {
  std::vector<float> x(V * D);
  for (std::size_t v = 0; v < V; ++v) {
    for (std::size_t d = 0; d < D; ++d) {
      double value = next();
      const double mean = 3 * std::sin(static_cast<double>(d * (kind == 2 ? 1 + v % 5 : 1)));
      if (kind == 1) value *= value * value;
      if (kind == 2) value = mean + 0.05 * value;
      if (kind == 3) value = 3 * mean + value;
      if (kind == 4 && d == 7) value *= 50;
      if (kind == 5 && v >= 3) value = static_cast<double>(x[(v - 3) * D + d]);
      if (kind == 6) value = mean + value / static_cast<double>(v + 1);
      if (kind == 7) value = mean + 1e-7 * value;
      if (kind == 8) value *= std::pow(10.0, static_cast<double>(v % 75) - 37);
      x[v * D + d] = static_cast<float>(value);
    }
    const float bad[] = {kNan, std::numeric_limits<float>::infinity(), 3e38f, 0};
    if (kind == 8 && v % 9 == 4) x[v * D + v % D] = bad[v % 4];
    if (kind == 8 && v % 50 == 6) std::fill_n(x.data() + v * D, D, 0.0f);
  }
  return x;
}

}  // namespace

TEST_CASE("nearest.scan: rows of NaN come last, ordered by id, after -inf") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> table{kNan, 1, kNan, 3, -kInf, 2};
  for (const std::size_t tile : {1u, 2u, 6u}) {
    const Found found = search(table, 1, {1.0}, Metric::kDot, 6, {}, 0, tile, false);
    CHECK(found.ids == std::vector<std::int32_t>{3, 5, 1, 4, 0, 2});
    CHECK(std::isnan(found.scores[4]));
  }
}

TEST_CASE("nearest.scan: the first pass does not change the results, on nine kinds of rows") {
  const std::size_t V = 700;
  auto is_taken = phasor::test::every_nth(7);  // loops of 3, 5 and 9
  for (const std::size_t D : {16u, 45u, 100u}) {
    for (int kind = 0; kind < kKinds; ++kind) {
      const auto table = rows_of(kind, V, D);
      std::vector<std::uint8_t> sketch(nearest::sketch_bytes(V, D));
      std::vector<double> own(V);
      similarity::squares(table, D, own);
      nearest::sketch_rows(table, own, nearest::Sketch::in(sketch, V, D));
      for (const std::size_t Q : {1u, 2u, 4u, 32u, 33u}) {
        if (Q > 4 && D > 45) continue;
        std::vector<double> queries(Q * D);
        for (std::size_t i = 0; i < queries.size(); ++i)
          queries[i] = static_cast<double>(table[i]) + 0.3 * next();  // of double
        if (Q == 2) std::copy_n(table.begin(), queries.size(), queries.begin());
        std::vector<std::int32_t> excluded;
        for (std::size_t q = 0; q < Q; ++q) {
          excluded.push_back(static_cast<std::int32_t>(q));
          excluded.push_back(static_cast<std::int32_t>(V - 1));
        }
        for (const Metric metric : kMetrics) {
          CAPTURE(D);
          CAPTURE(kind);
          CAPTURE(Q);
          CAPTURE(static_cast<int>(metric));
          for (const std::size_t k : {1u, 10u, 698u}) {
            if ((k == 698 && (Q > 2 || kind % 4 > 0)) || !is_taken()) continue;
            const Found want = search(table, D, queries, metric, k, excluded, 2, V, true, false);
            const auto same = [&](std::size_t tile, bool known, bool sketched = false) {
              const Found found =
                  search(table, D, queries, metric, k, excluded, 2, tile, known, true,
                         sketched ? std::span(sketch) : std::span<std::uint8_t>());
              CHECK(found.ids == want.ids);
              CHECK(std::memcmp(found.scores.data(), want.scores.data(), 4 * Q * k) == 0);
            };
            same(V, true);
            same(V, false);
            same(V, true, true);
            if (Q < 32) same(85, true, true);
            if (Q < 32) same(85, k == 10);
            if (Q == 1 && kind != 8 && k < 20)
              CHECK(want == sorted(table, D, queries, metric, k, {0, V - 1}, 2));
          }
        }
      }
    }
  }
}

TEST_CASE("nearest.scan: rows of 16 bits are searched as they are after rounding") {
  namespace dtypes = phasor::dtypes;
  const std::size_t V = 600, k = 10;
  for (const bool small : {true, false}) {
    for (const std::size_t D : {33u, 64u, 100u}) {
      for (int kind = 0; kind < kKinds; ++kind) {
        CAPTURE(small);
        CAPTURE(D);
        CAPTURE(kind);
        auto table = rows_of(kind, V, D);
        if (kind == 8)  // below the normal range of float16, and beyond it
          for (std::size_t i = 0; i < table.size(); i += 3) table[i] *= 1e-7f;
        const auto format = small ? dtypes::Format::kF16 : dtypes::Format::kBF16;
        std::vector<std::uint8_t> halves(2 * V * D);
        REQUIRE(dtypes::encode(table, format, halves) == Status::kOk);
        REQUIRE(dtypes::decode(halves, format, table) == Status::kOk);
        std::vector<double> squares(V), queries(2 * D);
        similarity::squares(table, D, squares);
        for (std::size_t i = 0; i < queries.size(); ++i)
          queries[i] = std::isfinite(table[i]) ? static_cast<double>(table[i]) + 0.3 * next() : 1;
        std::vector<std::uint8_t> workspace(nearest::work(2, D));
        for (const Metric metric : kMetrics) {
          CAPTURE(static_cast<int>(metric));
          std::vector<double> keys(2 * k);
          Found found{std::vector<std::int32_t>(2 * k), std::vector<float>(2 * k)};
          nearest::Tile tile{{}, 0, D, squares, {}};
          tile.halves = halves;
          tile.dtype = small ? phasor::half::Dtype::kFloat16 : phasor::half::Dtype::kBfloat16;
          for (const std::size_t Q : {1u, 2u}) {
            const auto some = std::span(queries).first(Q * D);
            const nearest::Best best{std::span(keys).first(Q * k),
                                     std::span(found.ids).first(Q * k), k};
            REQUIRE(nearest::scan(tile, some, metric, {}, best, {}, workspace) == Status::kOk);
            const auto scores = std::span(found.scores).first(Q * k);
            REQUIRE(nearest::rank(best, metric, scores) == Status::kOk);
            const Found want =
                search(table, D, {some.begin(), some.end()}, metric, k, {}, 0, V, true, false);
            CHECK(std::equal(want.ids.begin(), want.ids.end(), found.ids.begin()));
            CHECK(std::memcmp(want.scores.data(), scores.data(), 4 * Q * k) == 0);
          }
        }
      }
    }
  }
}

TEST_CASE("nearest.scan: finds a row whose first sum overflows to -infinity") {
  const std::size_t V = 130, D = 48;
  std::vector<float> table(V * D, 1.0f);
  float* row = table.data() + 100 * D;
  row[0] = row[16] = -3e38f;  // one lane
  row[1] = row[2] = row[3] = 3e38f;
  for (const Metric metric : {Metric::kDot, Metric::kCosine}) {
    for (const std::size_t Q : {1u, 8u}) {
      std::vector<double> queries(Q * D, 1.0);
      const Found found = search(table, D, queries, metric, 130, {}, 0, V, false);
      CHECK(found == search(table, D, queries, metric, 130, {}, 0, V, false, false));
      const Found one = search(table, D, queries, Metric::kDot, 1, {}, 0, V, false);
      CHECK(one.ids == std::vector<std::int32_t>(Q, 100));
    }
  }
}

TEST_CASE("nearest.targets: b - a + c in double, from raw or normalized rows") {
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
  const std::vector<float> both{3, 4, 0, 2, 5, 0, 1, 1, 8, 6, 0, 7};
  for (const bool unit : {false, true}) {
    std::vector<double> all(4);
    REQUIRE(nearest::targets(both, 2, unit, all) == Status::kOk);
    for (const std::size_t i : {0u, 1u}) {
      REQUIRE(nearest::targets(std::span(both).subspan(6 * i, 6), 2, unit, out) == Status::kOk);
      CHECK(out[0] == all[2 * i]);
      CHECK(out[1] == all[2 * i + 1]);
    }
  }
}

TEST_CASE("nearest: rejects mismatched shapes and writes nothing") {
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
  std::vector<std::uint8_t> workspace(nearest::work(1, 2));
  const std::vector<std::int8_t> codes(6);
  const std::vector<float> scales(3);
  const auto packed = [&](std::span<const std::int8_t> of, std::span<const float> by,
                          std::span<const double> squares, std::size_t size) {
    const nearest::Tile tile{{}, 0, 2, squares, {}, of, by};
    return nearest::scan(tile, q, Metric::kDot, {none, 0}, {keys, ids, 2}, {},
                         std::span(workspace).first(size));
  };
  CHECK_BAD_SHAPE(packed(codes, std::span(scales).first(2), three, workspace.size()));
  CHECK_BAD_SHAPE(packed(codes, scales, {}, workspace.size()));
  CHECK_BAD_SHAPE(packed(codes, scales, three, workspace.size() - 1));
  CHECK_BAD_SHAPE(packed(codes, scales, three, 0));
  CHECK_BAD_SHAPE(packed(std::span(codes).first(5), scales, three, workspace.size()));
  std::vector<std::uint8_t> halves(13);
  const auto of_halves = [&](std::size_t bytes, std::span<const double> queries) {
    nearest::Tile tile{{}, 0, 2, three, {}};
    tile.halves = std::span(halves).first(bytes);
    return nearest::scan(tile, queries, Metric::kDot, {none, 0}, {keys, ids, 2}, {}, workspace);
  };
  const std::vector<double> six(12);
  CHECK_BAD_SHAPE(of_halves(10, q));
  CHECK_BAD_SHAPE(of_halves(13, q));
  CHECK_BAD_SHAPE(of_halves(12, six));
  std::vector<std::uint8_t> memory(nearest::sketch_bytes(3, 2));
  const auto sketch = nearest::Sketch::in(memory, 3, 2);
  const auto sketched = [&](std::span<const double> squares, const nearest::Sketch& of) {
    const nearest::Tile tile{table, 0, 2, squares, {}, {}, {}, of};
    return nearest::scan(tile, q, Metric::kDot, {none, 0}, {keys, ids, 2}, {}, workspace);
  };
  CHECK_BAD_SHAPE(sketched({}, sketch));
  CHECK_BAD_SHAPE(sketched(three, sketch.part(1, 2)));
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
