#include "analysis/nearest/sketch.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "analysis/similarity/similarity.h"
#include "math/linear.h"

namespace linear = phasor::linear;
namespace nearest = phasor::nearest;
namespace similarity = phasor::similarity;
using nearest::kExact;
using nearest::Probe;
using nearest::Sketch;
using nearest::SketchRow;
using similarity::Metric;

namespace {

constexpr Metric kMetrics[] = {Metric::kDot, Metric::kCosine, Metric::kEuclidean};
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::uint32_t state = 1;

/// From -1 to 1, with no pattern.
double next() {
  state = state * 1664525 + 1013904223;
  return static_cast<double>(static_cast<std::int32_t>(state)) * 0x1p-31;
}

constexpr int kKinds = 9;

/// A number of a kind of rows: even, heavy tails, a common mean, large columns, more of them than are
/// kept, huge, tiny, subnormal, and of all sizes.
float number(int kind, std::size_t v, std::size_t d) {
  const double value = next(), wave = std::sin(static_cast<double>(d));
  switch (kind) {
    case 0:
      return static_cast<float>(value);
    case 1:
      return static_cast<float>(value / (1e-3 + std::fabs(next())));
    case 2:
      return static_cast<float>(10 * wave + value);
    case 3:
      return static_cast<float>(d % 7 == 3 && d < 20 ? 50 * value + 9 : value);
    case 4:
      return static_cast<float>(d % 3 == 1 ? 1e3 * value : value);
    case 5:
      return static_cast<float>(3e38 * value);
    case 6:
      return static_cast<float>(1e-36 * value);
    case 7:
      return static_cast<float>(1e-42 * value);
    default:
      return static_cast<float>(value * std::pow(10, static_cast<double>(v % 70) - 35));
  }
}

/// Rows and their sketch.
struct Table {
  std::size_t V, D;
  std::vector<float> x;
  std::vector<double> squares;
  std::vector<std::uint8_t> memory;
  Sketch sketch;

  Table(std::vector<float> rows, std::size_t width)
      : V(rows.size() / width),
        D(width),
        x(std::move(rows)),
        squares(V),
        memory(nearest::sketch_bytes(V, D), 0xee),
        sketch(Sketch::in(memory, V, D)) {
    similarity::squares(x, D, squares);
    nearest::sketch_rows(x, squares, sketch);
  }

  std::span<const float> row(std::size_t v) const { return std::span(x).subspan(v * D, D); }
};

Table table_of(int kind, std::size_t V, std::size_t D) {
  std::vector<float> x(V * D);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = number(kind, i / D, i % D);
  return {std::move(x), D};
}

/// The length of what a row has lost.
long double lost(const Table& table, std::size_t v) {
  const Sketch& sketch = table.sketch;
  long double sum = 0;
  for (std::size_t d = 0; d < table.D; ++d) {
    if (sketch.kept[d] == 0) continue;
    const long double kept =
        static_cast<long double>(sketch.mean[d]) +
        static_cast<long double>(sketch.scales[v]) * sketch.codes[v * table.D + d];
    const long double gap = static_cast<long double>(table.x[v * table.D + d]) - kept;
    sum += gap * gap;
  }
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("sketch.rows: no row loses more than its gap, and gaps are tight") {
  for (int kind = 0; kind < kKinds; ++kind) {
    for (const std::size_t D : {1u, 5u, 16u, 33u, 100u}) {
      const Table table = table_of(kind, 200, D);
      for (std::size_t v = 0; v < table.V; ++v) {
        CAPTURE(kind);
        CAPTURE(D);
        CAPTURE(v);
        const auto gap = static_cast<long double>(table.sketch.gaps[v]);
        CHECK(lost(table, v) <= gap);
        if (kind < 5)
          CHECK(gap <= 1.01L * lost(table, v) + 1e-5L * std::sqrt(table.squares[v]) + 1e-5L);
        for (std::size_t d = 0; d < D; ++d) CHECK(table.sketch.codes[v * D + d] >= -127);
        const double length = std::sqrt(table.squares[v]);
        const auto kept = static_cast<double>(table.sketch.lengths[v]);
        CHECK(kept >= length);
        CHECK((kept <= (1 + 0x1p-22) * length + 0x1p-149 || std::isinf(table.sketch.gaps[v])));
        for (const double slope : {-3.0, 0.0, 0.7}) {
          const auto limit = nearest::rounded({1, slope, 0, 0});
          if (std::isfinite(kept)) CHECK(limit.level + limit.slope * kept <= 1 + slope * length);
        }
      }
    }
  }
}

TEST_CASE("sketch.rows: columns much larger than the others are stored exactly, at most four") {
  const auto columns_of = [](int kind) {
    const Table table = table_of(kind, 300, 64);
    std::vector<std::int32_t> found(table.sketch.columns.begin(), table.sketch.columns.end());
    for (std::size_t c = 0; c < kExact; ++c) {
      if (found[c] < 0) continue;
      const auto column = static_cast<std::size_t>(found[c]);
      CHECK(table.sketch.kept[column] == 0);
      for (std::size_t v = 0; v < table.V; ++v) {
        CHECK(table.sketch.exact[c][v] == table.x[v * 64 + column]);
        CHECK(table.sketch.codes[v * 64 + column] == 0);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  CHECK(columns_of(0) == std::vector<std::int32_t>(kExact, -1));
  CHECK(columns_of(2) == std::vector<std::int32_t>(kExact, -1));
  CHECK(columns_of(3) == std::vector<std::int32_t>{-1, 3, 10, 17});
}

TEST_CASE(
    "sketch.rows: a row with a non-finite value has an infinite gap, and does not affect the "
    "mean") {
  std::vector<float> x(40 * 20, 1.0f);
  x[3 * 20 + 7] = kNan;
  x[9 * 20 + 19] = kInf;
  x[39 * 20] = -kInf;
  const Table table(x, 20);
  for (std::size_t v = 0; v < 40; ++v) {
    const bool finite = v != 3 && v != 9 && v != 39;
    CHECK((table.sketch.gaps[v] < 1e-5f) == finite);
    CHECK(std::isinf(table.sketch.gaps[v]) == !finite);
  }
  CHECK(table.sketch.mean[7] == 1);
}

TEST_CASE("sketch.row: equals its definition") {
  for (int kind = 0; kind < kKinds; ++kind) {
    for (std::size_t D = 1; D < 70; ++D) {
      std::vector<float> x(D), mean(D), kept(D);
      for (std::size_t d = 0; d < D; ++d) {
        x[d] = number(kind, d, d);
        mean[d] = kind % 2 == 0 ? 0 : 0.5f * x[d];
        kept[d] = d % 11 == 5 ? 0 : 1;
      }
      std::vector<std::int8_t> codes(D), defined(D);
      const SketchRow row = nearest::sketch_row(x, mean, kept, codes);
      const SketchRow scalar = nearest::sketch_row_scalar(x, mean, kept, defined);
      CHECK(std::memcmp(&row, &scalar, sizeof row) == 0);
      CHECK(codes == defined);
    }
  }
}

TEST_CASE("sketch.probeOf: a first sum is within its bound and excludes no row wrongly") {
  for (const std::size_t D : {1u, 16u, 33u, 100u, 768u}) {
    for (int of_rows = 0; of_rows < kKinds; ++of_rows) {
      const Table table = table_of(of_rows, 40, D);
      for (int of_query = 0; of_query < kKinds + 1; ++of_query) {
        CAPTURE(D);
        CAPTURE(of_rows);
        CAPTURE(of_query);
        std::vector<double> q(D), rest(D), exact(kExact);
        for (std::size_t d = 0; d < D; ++d)
          q[d] = of_query == kKinds ? static_cast<double>(table.x[d])
                                    : static_cast<double>(number(of_query, 1, d));
        std::vector<std::int16_t> whole(D);
        const Probe probe =
            nearest::probe_of_sketch(q, table.sketch, rest, whole.data(), exact.data());
        for (std::size_t v = 0; v < table.V; ++v) {
          const SketchRow row = table.sketch.row(v);
          std::int32_t dot = 0;
          nearest::code_dots(whole.data(), 1, table.sketch.codes.data() + v * D, 1, D, &dot, 1);
          double sum = static_cast<double>(row.scale) * dot;
          for (std::size_t c = 0; c < kExact; ++c)
            sum += exact[c] * static_cast<double>(row.exact[c]);
          if (!std::isfinite(sum)) continue;
          const double square = table.squares[v], length = std::sqrt(square);
          long double exactly = 0;
          for (std::size_t d = 0; d < D; ++d)
            exactly +=
                static_cast<long double>(q[d]) * static_cast<long double>(table.x[v * D + d]);
          const long double most = static_cast<long double>(probe.unit) * sum +
                                   probe.slope * length +
                                   probe.near * static_cast<double>(row.gap) + probe.offset;
          if (std::isfinite(probe.unit)) CHECK(exactly <= most);
          for (const Metric metric : kMetrics) {
            double key = 0;
            similarity::compare(q, similarity::square(q), table.row(v), {&square, 1}, metric,
                                {&key, 1});
            if (metric == Metric::kEuclidean) key = -key;
            const auto limit = nearest::limit_of(probe, metric, D, key);
            CHECK_FALSE(probe.unit * sum < limit.level + limit.slope * length +
                                               limit.bend * square -
                                               limit.near * static_cast<double>(row.gap));
          }
        }
      }
    }
  }
}

TEST_CASE("sketch.probeOf: bounds are tight enough that a slightly better key excludes a row") {
  const std::size_t D = 768;
  for (const int kind : {0, 2, 3}) {
    const Table table = table_of(kind, 60, D);
    for (std::size_t v = 0; v < table.V; ++v) {
      std::vector<double> q(D), rest(D), exact(kExact);
      for (std::size_t d = 0; d < D; ++d) q[d] = static_cast<double>(table.x[d]);  // the first row
      std::vector<std::int16_t> whole(D);
      const Probe probe =
          nearest::probe_of_sketch(q, table.sketch, rest, whole.data(), exact.data());
      const SketchRow row = table.sketch.row(v);
      std::int32_t dot = 0;
      nearest::code_dots(whole.data(), 1, table.sketch.codes.data() + v * D, 1, D, &dot, 1);
      double sum = static_cast<double>(row.scale) * dot;
      for (std::size_t c = 0; c < kExact; ++c) sum += exact[c] * static_cast<double>(row.exact[c]);
      const double length = std::sqrt(table.squares[v]);
      double key = 0;
      similarity::compare(q, similarity::square(q), table.row(v), {&table.squares[v], 1},
                          Metric::kCosine, {&key, 1});
      const auto limit = nearest::limit_of(probe, Metric::kCosine, D, key + 0.012);
      CHECK(probe.unit * sum <
            limit.level + limit.slope * length - limit.near * static_cast<double>(row.gap));
    }
  }
}

TEST_CASE(
    "sketch: fewer than 1 row in 100 remains, also with large columns, and 4 with a mean of 12 "
    "deviations") {
  const std::size_t V = 2000, D = 256, k = 10;
  for (const int kind : {0, 2, 3}) {
    const Table table = table_of(kind, V, D);
    std::vector<double> q(D), rest(D), exact(kExact), keys(V);
    for (std::size_t d = 0; d < D; ++d)
      q[d] = static_cast<double>(table.x[5 * D + d]) + 0.5 * next();
    similarity::compare(q, similarity::square(q), table.x, table.squares, Metric::kCosine, keys);
    std::vector<double> order = keys;
    std::sort(order.begin(), order.end());
    std::vector<std::int16_t> whole(D);
    const Probe probe = nearest::probe_of_sketch(q, table.sketch, rest, whole.data(), exact.data());
    const auto limit = nearest::limit_of(probe, Metric::kCosine, D, order[V - k]);
    std::size_t left = 0;
    for (std::size_t v = 0; v < V; ++v) {
      const SketchRow row = table.sketch.row(v);
      std::int32_t dot = 0;
      nearest::code_dots(whole.data(), 1, table.sketch.codes.data() + v * D, 1, D, &dot, 1);
      double sum = static_cast<double>(row.scale) * dot;
      for (std::size_t c = 0; c < kExact; ++c) sum += exact[c] * static_cast<double>(row.exact[c]);
      left += !(probe.unit * sum < limit.level + limit.slope * std::sqrt(table.squares[v]) -
                                       limit.near * static_cast<double>(row.gap));
    }
    CAPTURE(kind);
    CAPTURE(left);
    CHECK(left >= k);
    CHECK(left < k + V / (kind == 2 ? 25 : 100));
  }
}
