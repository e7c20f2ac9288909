#include "embedding/embedding/quantized.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "analysis/nearest/nearest.h"
#include "analysis/similarity/similarity.h"
#include "bad_shape.h"
#include "bits.h"
#include "math/half.h"
#include "sampled.h"

namespace half = phasor::half;
namespace nearest = phasor::nearest;
namespace packed = phasor::packed;
namespace similarity = phasor::similarity;
using packed::Dtype;
using phasor::Status;
using similarity::Metric;

namespace {

constexpr Dtype kDtypes[] = {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kInt8};
constexpr Metric kMetrics[] = {Metric::kDot, Metric::kCosine, Metric::kEuclidean};

std::uint32_t state = 1;

/// From -1 to 1, with no pattern.
float next() {
  state = state * 1664525 + 1013904223;
  return static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31f;
}

std::vector<float> noise(std::size_t n, float size = 1) {
  std::vector<float> x(n);
  for (float& value : x) value = size * next();
  return x;
}

struct Table {
  std::size_t N, D;
  Dtype dtype;
  std::vector<std::uint8_t> codes;
  std::vector<float> scales, lengths, directions;
  std::vector<double> squares;

  Table(std::size_t rows, std::size_t width, Dtype kept)
      : N(rows),
        D(width),
        dtype(kept),
        codes(N * D * packed::width_of(kept)),
        scales(N),
        lengths(N),
        directions(N),
        squares(N) {}

  packed::Rows rows() { return {dtype, D, codes, scales}; }

  Status pack(const std::vector<float>& x) {
    std::vector<float> workspace(D);
    return packed::pack(x, rows(), {lengths, directions, squares}, workspace);
  }

  std::vector<float> unpack() {
    std::vector<float> out(N * D);
    REQUIRE(packed::unpack(rows(), out) == Status::kOk);
    return out;
  }
};

Table packed_of(const std::vector<float>& x, std::size_t D, Dtype dtype) {
  Table table(x.size() / D, D, dtype);
  REQUIRE(table.pack(x) == Status::kOk);
  return table;
}

long double length_of(const std::vector<long double>& x) {
  long double sum = 0;
  for (const long double value : x) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("packed: unpacked rows are rounded to their dtype") {
  const std::size_t D = 37;
  const auto x = noise(5 * D, 3);
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16}) {
    const auto back = packed_of(x, D, dtype).unpack();
    for (std::size_t i = 0; i < x.size(); ++i)
      CHECK(back[i] == half::rounded(x[i], static_cast<half::Dtype>(dtype)));
  }
}

TEST_CASE("packed: int8 stores the nearest multiple of max / 127, ties to even") {
  const std::vector<float> x = {127, 0.5f, 1.5f, -2.5f, -127, 3.4f, 0, 0, 0, 0, 0, 0};
  Table table = packed_of(x, 6, Dtype::kInt8);
  CHECK(table.scales == std::vector<float>{1, 0});
  CHECK(table.unpack() == std::vector<float>{127, 0, 2, -2, -127, 3, 0, 0, 0, 0, 0, 0});
  CHECK(table.lengths[1] == 0);
  CHECK(table.directions[1] == 0);
  for (const std::size_t D : {1u, 15u, 16u, 17u, 300u}) {
    const auto y = noise(3 * D);
    Table kept = packed_of(y, D, Dtype::kInt8);
    const auto back = kept.unpack();
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double scale = static_cast<double>(kept.scales[i / D]);
      // half a step, and the rounding of the product
      CHECK(std::fabs(static_cast<double>(y[i]) - static_cast<double>(back[i])) <=
            scale * (0.5 + 127 * 0x1p-24));
    }
  }
}

TEST_CASE("packed: gathered rows equal the unpacked ones, in the order of ids") {
  const std::size_t D = 21;
  for (const Dtype dtype : kDtypes) {
    Table table = packed_of(noise(9 * D), D, dtype);
    const auto all = table.unpack();
    const std::vector<std::int32_t> ids = {8, 0, 3, 3};
    std::vector<float> out(ids.size() * D);
    REQUIRE(packed::gather(table.rows(), ids, out) == Status::kOk);
    for (std::size_t t = 0; t < ids.size(); ++t)
      for (std::size_t d = 0; d < D; ++d)
        CHECK(out[t * D + d] == all[static_cast<std::size_t>(ids[t]) * D + d]);
  }
}

TEST_CASE("packed: error bounds are at least the true errors, and tight") {
  const std::size_t D = 50;
  for (const Dtype dtype : kDtypes) {
    for (const float size : {1e-44f, 1e-30f, 1.0f, 1e4f}) {
      const auto x = noise(8 * D, size);
      Table table = packed_of(x, D, dtype);
      const auto kept = table.unpack();
      for (std::size_t n = 0; n < 8; ++n) {
        std::vector<long double> w(D), k(D), gap(D), turn(D);
        for (std::size_t d = 0; d < D; ++d) {
          w[d] = static_cast<long double>(x[n * D + d]);
          k[d] = static_cast<long double>(kept[n * D + d]);
          gap[d] = w[d] - k[d];
        }
        const long double a = length_of(w), b = length_of(k);
        for (std::size_t d = 0; d < D; ++d)
          turn[d] = (a > 0 ? w[d] / a : 0) - (b > 0 ? k[d] / b : 0);
        const auto length = static_cast<long double>(table.lengths[n]);
        const auto direction = static_cast<long double>(table.directions[n]);
        CHECK(length >= length_of(gap));
        CHECK(direction >= length_of(turn));
        CHECK(length <= length_of(gap) * (1 + 0x1p-22L) + (a + b) * 0x1p-40L + 0x1p-149L);
        CHECK(direction <= length_of(turn) * (1 + 0x1p-22L) + 0x1p-40L);
      }
    }
  }
}

TEST_CASE("packed: rows that a dtype represents exactly have no error") {
  const std::vector<float> x = {1, -0.5f, 0, -0.0f, 2, 65504, 0, 0, 0};
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16}) {
    const Table table = packed_of(x, 3, dtype);
    CHECK(table.lengths == std::vector<float>(3, 0));
    CHECK(table.directions == std::vector<float>(3, 0));
  }
  const float infinity = std::numeric_limits<float>::infinity();
  const Table wide = packed_of({1, infinity, 1e9f, 2, NAN, 0}, 2, Dtype::kFloat16);
  CHECK(wide.lengths == std::vector<float>{0, infinity, 0});  // 1e9 became infinite
  CHECK(wide.directions[1] == infinity);
}

TEST_CASE("packed: int8 rejects non-finite values") {
  for (const float bad : {NAN, HUGE_VALF, -HUGE_VALF}) {
    Table table(2, 2, Dtype::kInt8);
    CHECK(table.pack({1, 2, 3, bad}) == Status::kBadParam);
    CHECK(table.scales[0] == 2.0f / 127);
  }
}

namespace {

struct Found {
  std::vector<std::int32_t> ids;
  std::vector<std::uint8_t> certain;
  std::vector<std::uint8_t> marks;
  std::vector<float> scores = {};
};

/// How a search reads rows: unpacked, without or with a first pass, or as int8.
enum class Way { kPlain, kScreened, kCodes };

/// A search of the kept rows, tile by tile, with what is certain and who may be among the nearest.
Found search(Table& table, const std::vector<double>& queries, Metric metric, std::size_t k,
             const std::vector<std::int32_t>& excluded, std::size_t tile, Way way = Way::kPlain) {
  const std::size_t D = table.D, V = table.N, Q = queries.size() / D;
  const auto kept = table.unpack();
  const auto& errors = metric == Metric::kCosine ? table.directions : table.lengths;
  std::vector<double> keys(Q * k), high_keys(Q * (k + 1)), low_keys(Q * k);
  std::vector<std::int32_t> ids(Q * k), high_ids(Q * (k + 1)), low_ids(Q * k);
  const nearest::Best best{keys, ids, k};
  const nearest::Best highest{high_keys, high_ids, k + 1, nearest::End::kHigh};
  const nearest::Best lowest{low_keys, low_ids, k, nearest::End::kLow};
  const nearest::Excluded out{excluded, excluded.size()};
  Found found{{}, std::vector<std::uint8_t>(Q * k), std::vector<std::uint8_t>(V)};
  std::vector<std::uint8_t> workspace(way == Way::kPlain ? 0 : nearest::work(Q, D)),
      another = workspace;
  const auto tile_at = [&](std::size_t first) {
    const std::size_t N = std::min(tile, V - first);
    nearest::Tile some{std::span(kept).subspan(first * D, N * D), first, D,
                       std::span<const double>(table.squares).subspan(first, N),
                       std::span<const float>(errors).subspan(first, N)};
    if (way != Way::kCodes) return some;
    some.x = {};
    some.codes = {reinterpret_cast<const std::int8_t*>(table.codes.data()) + first * D, N * D};
    some.scales = std::span<const float>(table.scales).subspan(first, N);
    return some;
  };
  for (std::size_t first = 0; first < V; first += tile) {
    REQUIRE(nearest::scan(tile_at(first), queries, metric, out, best, highest, workspace) ==
            Status::kOk);
    REQUIRE(nearest::scan(tile_at(first), queries, metric, out, lowest, {}, another) ==
            Status::kOk);
  }
  for (std::size_t first = 0; first < V; first += tile) {
    const auto marks = std::span(found.marks).subspan(first, std::min(tile, V - first));
    REQUIRE(nearest::mark(tile_at(first), queries, metric, out, lowest, marks, workspace) ==
            Status::kOk);
  }
  std::vector<float> scores(Q * k);
  REQUIRE(nearest::rank(best, metric, scores) == Status::kOk);
  REQUIRE(nearest::certify(best, highest, errors, queries, metric, found.certain) == Status::kOk);
  found.ids = ids;
  found.scores = scores;
  return found;
}

/// Ids in the order of a search of the rows as they were given.
std::vector<std::int32_t> truth(const std::vector<float>& x, std::size_t D,
                                std::span<const double> q, Metric metric,
                                const std::vector<std::int32_t>& excluded) {
  const std::size_t V = x.size() / D;
  std::vector<double> squares(V), keys(V);
  similarity::squares(x, D, squares);
  similarity::compare(q, similarity::square(q), x, squares, metric, keys);
  std::vector<std::int32_t> ids;
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(V); ++id)
    if (!std::binary_search(excluded.begin(), excluded.end(), id)) ids.push_back(id);
  std::stable_sort(ids.begin(), ids.end(), [&](std::int32_t i, std::int32_t j) {
    const double a = keys[static_cast<std::size_t>(i)], b = keys[static_cast<std::size_t>(j)];
    return metric == Metric::kEuclidean ? a < b : a > b;
  });
  return ids;
}

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

struct Counts {
  std::size_t certain = 0, answers = 0, candidates = 0, searches = 0;
};

/// What is certain must be true, and nothing true may be left out.
void check(const std::vector<float>& x, std::size_t D, const std::vector<float>& given, Dtype dtype,
           std::size_t k, const std::vector<std::int32_t>& excluded, Counts& counts) {
  Table table = packed_of(x, D, dtype);
  const std::vector<double> queries(given.begin(), given.end());
  for (const Metric metric : kMetrics) {
    for (std::size_t q = 0; q < queries.size() / D; ++q) {
      const auto one =
          std::vector<double>(queries.begin() + static_cast<std::ptrdiff_t>(q * D),
                              queries.begin() + static_cast<std::ptrdiff_t>(q * D + D));
      const Found found = search(table, one, metric, k, excluded, 100);
      for (const Way way : {Way::kScreened, Way::kCodes}) {
        if (way == Way::kCodes && dtype != Dtype::kInt8) continue;
        const Found fast = search(table, one, metric, k, excluded, 200, way);
        CHECK(fast.ids == found.ids);
        CHECK(fast.certain == found.certain);
        CHECK(fast.marks == found.marks);
        CHECK(std::equal(fast.scores.begin(), fast.scores.end(), found.scores.begin(), same_bits));
      }
      auto best = truth(x, D, one, metric, excluded);
      best.resize(k);
      for (std::size_t j = 0; j < k; ++j) {
        const bool is_true = std::find(best.begin(), best.end(), found.ids[j]) != best.end();
        CHECK((found.certain[j] == 0 || is_true));
        CHECK(found.marks[static_cast<std::size_t>(best[j])] == 1);
        counts.certain += found.certain[j];
      }
      counts.answers += k;
      ++counts.searches;
      counts.candidates +=
          static_cast<std::size_t>(std::accumulate(found.marks.begin(), found.marks.end(), 0));
    }
  }
}

}  // namespace

TEST_CASE("packed: results marked certain are correct, and candidates are complete: noise") {
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBfloat16, Dtype::kInt8}) {
    Counts counts;
    for (const std::size_t D : {1u, 3u, 20u, 128u}) {
      const auto x = noise(500 * D);
      check(x, D, noise(6 * D), dtype, 10, {}, counts);
      check(x, D, noise(2 * D, 1e6f), dtype, 3, {1, 2, 77}, counts);
      check(x, D, std::vector<float>(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(D)), dtype,
            5, {0}, counts);
    }
    CAPTURE(static_cast<int>(dtype));
    // not by saying nothing: float16 is certain of nearly all, int8 of some
    CHECK(counts.certain >= counts.answers / (dtype == Dtype::kFloat16 ? 2 : 20));
    CHECK(counts.candidates < counts.searches * 250);
  }
}

TEST_CASE("packed: results marked certain are correct for adversarial rows") {
  const std::size_t D = 24;
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBfloat16, Dtype::kInt8}) {
    Counts counts;
    const int rounds = phasor::test::is_whole() ? 6 : 1;
    for (int round = 0; round < rounds; ++round) {
      auto x = noise(400 * D);
      auto query = noise(D);
      for (std::size_t n = 0; n < 400; ++n) {
        float* row = x.data() + n * D;
        // One number sets the scale; the others lie half a step off, towards the query or away.
        const float step = 1.0f / 127;
        if (n % 4 == 0) {
          row[0] = 1;
          for (std::size_t d = 1; d < D; ++d) {
            const float side = (query[d] > 0) == (n % 8 == 0) ? 0.499f : -0.499f;
            row[d] = step * (std::rint(20 * row[d]) + side);
          }
        }
        if (n % 4 == 1) std::copy_n(x.data() + D, D, row);  // equal rows
        if (n % 4 == 2)
          for (std::size_t d = 0; d < D; ++d)
            row[d] = x[2 * D + d] * (1 + 1e-6f * static_cast<float>(n));
        if (n % 50 == 3)
          for (std::size_t d = 0; d < D; ++d) row[d] *= 1e4f;  // an outlier
        if (n % 50 == 7) std::fill_n(row, D, 0.0f);
        if (n % 50 == 11)
          for (std::size_t d = 0; d < D; ++d) row[d] *= 1e-43f;
      }
      std::vector<float> queries = query;
      queries.insert(queries.end(), D, 0.0f);
      queries.insert(queries.end(), x.begin(), x.begin() + static_cast<std::ptrdiff_t>(3 * D));
      for (const std::size_t k : {1u, 7u, 100u, 398u}) check(x, D, queries, dtype, k, {5}, counts);
      check(x, D, queries, dtype, 400, {}, counts);
    }
    CHECK(counts.certain > counts.answers / 20);
  }
}

TEST_CASE("packed: a search of exact rows is certain, and its candidates are its results") {
  const std::size_t D = 8;
  const auto x = noise(100 * D);
  Table table = packed_of(x, D, Dtype::kFloat32);
  for (const Metric metric : kMetrics) {
    const Found found = search(table, std::vector<double>(D, 0.3), metric, 5, {}, 33);
    CHECK(found.certain == std::vector<std::uint8_t>(5, 1));
    CHECK(std::accumulate(found.marks.begin(), found.marks.end(), 0) == 5);
  }
}

TEST_CASE("packed: no result of a non-finite query is certain") {
  const std::size_t D = 4;
  Table table = packed_of(noise(20 * D), D, Dtype::kInt8);
  for (const double bad : {static_cast<double>(NAN), HUGE_VAL}) {
    for (const Metric metric : kMetrics) {
      for (const Way way : {Way::kPlain, Way::kScreened, Way::kCodes}) {
        const Found found = search(table, {bad, 0, 1, 2}, metric, 5, {}, 20, way);
        CHECK(found.certain == std::vector<std::uint8_t>(5, 0));
        CHECK(std::accumulate(found.marks.begin(), found.marks.end(), 0) == 20);
      }
    }
  }
}

TEST_CASE("packed: rejects wrong sizes, dtypes and ids") {
  Table table(2, 3, Dtype::kInt8);
  std::vector<float> x(6), workspace(3), two(2);
  std::vector<double> squares(2);
  const packed::Errors errors{two, two, squares};
  CHECK_BAD_SHAPE(packed::pack(std::span(x).first(5), table.rows(), errors, workspace));
  CHECK_BAD_SHAPE(packed::pack(std::span(x).first(3), table.rows(), errors, workspace));
  CHECK_BAD_SHAPE(packed::pack(x, table.rows(), errors, two));
  packed::Rows unknown = table.rows();
  unknown.dtype = static_cast<Dtype>(4);
  CHECK(packed::pack(x, unknown, errors, workspace) == Status::kBadParam);
  CHECK(packed::unpack(unknown, x) == Status::kBadParam);
  CHECK_BAD_SHAPE(packed::unpack(table.rows(), std::span(x).first(3)));
  const std::vector<std::int32_t> ids = {0, 2};
  CHECK(packed::gather(table.rows(), ids, x) == Status::kBadIndex);
  CHECK_BAD_SHAPE(packed::gather(table.rows(), std::span(ids).first(1), x));
}

TEST_CASE("packed: the same bits natively and in wasm") {
  state = 7;
  phasor::test::Fingerprint all;
  for (const Dtype dtype : kDtypes) {
    Table table = packed_of(noise(20 * 45, 2), 45, dtype);
    all.add(table.unpack());
    all.add(table.lengths);
    all.add(table.directions);
  }
  CHECK(all.value() == 0xa4d66d26879dda44u);
}
