#include "analysis/nearest/screen.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "analysis/similarity/similarity.h"
#include "embedding/dtypes/dtypes.h"
#include "embedding/embedding/quantized.h"
#include "math/linear.h"

namespace linear = phasor::linear;
namespace nearest = phasor::nearest;
namespace packed = phasor::packed;
namespace similarity = phasor::similarity;
using nearest::Probe;
using phasor::Status;
using similarity::Metric;

namespace {

constexpr Metric kMetrics[] = {Metric::kDot, Metric::kCosine, Metric::kEuclidean};
constexpr std::size_t kWidths[] = {1, 2, 5, 15, 16, 17, 33, 64, 100, 768, 3000};
constexpr float kInf = std::numeric_limits<float>::infinity();

std::uint32_t state = 1;

/// From -1 to 1, with no pattern.
double next() {
  state = state * 1664525 + 1013904223;
  return static_cast<double>(static_cast<std::int32_t>(state)) * 0x1p-31;
}

constexpr int kKinds = 10;

/// Numbers of a kind: even, heavy tails, canceling, rising, one that is large, huge, tiny, partly and
/// wholly subnormal, of all sizes.
std::vector<double> numbers(int kind, std::size_t D) {
  std::vector<double> x(D);
  for (std::size_t d = 0; d < D; ++d) {
    const double value = next();
    switch (kind) {
      case 0:
        x[d] = value;
        break;
      case 1:
        x[d] = value / (1e-4 + std::fabs(next()));
        break;
      case 2:
        x[d] = (d % 2 == 0 ? 1 : -1) * (1 + 1e-6 * value);
        break;
      case 3:
        x[d] = static_cast<double>(d) + 0.1;
        break;
      case 4:
        x[d] = d == D / 2 ? 1e4 : value;
        break;
      case 5:
        x[d] = 3e37 * value;
        break;
      case 6:
        x[d] = 1e-21 * value;
        break;
      case 7:
        x[d] = 1e-37 * value;
        break;
      case 8:
        x[d] = 1e-43 * value;
        break;
      default:
        x[d] = value * std::pow(10, std::floor(19 * next()));
    }
  }
  return x;
}

std::vector<float> narrowed(const std::vector<double>& x) { return {x.begin(), x.end()}; }

long double dot(std::span<const double> q, std::span<const float> x) {
  long double sum = 0;
  for (std::size_t d = 0; d < q.size(); ++d)
    sum += static_cast<long double>(q[d]) * static_cast<long double>(x[d]);
  return sum;
}

double length_of(std::span<const float> x) { return std::sqrt(linear::dot(x, x)) * (1 + 1e-12); }

double key_of(std::span<const double> q, std::span<const float> x, Metric metric) {
  double key = 0;
  const double square = linear::dot(x, x);
  similarity::compare(q, similarity::square(q), x, {&square, 1}, metric, {&key, 1});
  return metric == Metric::kEuclidean ? -key : key;
}

/// Whether a sum is below the limit for a key.
bool excludes(const Probe& probe, Metric metric, std::size_t D, double key, double square,
              double length, double sum) {
  const auto limit = nearest::limit_of(probe, metric, D, key);
  return probe.unit * sum < limit.level + limit.slope * length + limit.bend * square;
}

/// A sum is within its bound, and a row is not excluded by its own key.
void check(std::span<const double> q, std::span<const float> x, const Probe& probe, double sum) {
  const std::size_t D = q.size();
  if (!std::isfinite(sum)) return;
  const double length = length_of(x);
  const long double error = std::fabs(static_cast<long double>(probe.unit) * sum - dot(q, x));
  CHECK(error <= static_cast<long double>(probe.slope) * length + probe.offset);
  for (const Metric metric : kMetrics) {
    const double square = linear::dot(x, x), key = key_of(q, x, metric);
    CHECK_FALSE(excludes(probe, metric, D, key, square, std::sqrt(square), sum));
  }
}

double brief_dot(const float* q, const float* x, std::size_t D) {
  double sum = 0;
  nearest::brief_dots(q, x, 1, D, &sum);
  return sum;
}

/// The sums of a row by tiles, with the query in place `column` of eight, and the row in `place`.
double tile_sum(const std::vector<float>& q, const std::vector<float>& x, std::size_t column,
                std::size_t place) {
  const std::size_t D = q.size();
  std::vector<float> queries(8 * D, 0.5f), rows(4 * D, 0.5f), wide(8 * D), tall(4 * D);
  std::copy(q.begin(), q.end(), queries.begin() + static_cast<std::ptrdiff_t>(column * D));
  std::copy(x.begin(), x.end(), rows.begin() + static_cast<std::ptrdiff_t>(place * D));
  linear::pack_rows(queries.data(), 8, D, 8, wide.data());
  linear::pack_rows(rows.data(), 4, D, 4, tall.data());
  double sums[32];
  linear::tile(tall.data(), wide.data(), D, sums);
  return sums[place * 8 + column];
}

}  // namespace

TEST_CASE(
    "screen.briefDots: a first sum in float32 is within its bound and excludes no row wrongly") {
  for (const std::size_t D : kWidths) {
    for (int of_query = 0; of_query < kKinds; ++of_query) {
      for (int of_row = 0; of_row < kKinds; ++of_row) {
        CAPTURE(D);
        CAPTURE(of_query);
        CAPTURE(of_row);
        const auto q = numbers(of_query, D);  // in double: as an analogy
        auto x = narrowed(numbers(of_row, D));
        if (of_row == 0 && of_query == 2) std::copy(q.begin(), q.end(), x.begin());
        std::vector<float> brief(D);
        for (const bool known : {false, true}) {
          const Probe probe = nearest::probe_of(q, false, known, brief.data());
          check(q, x, probe, brief_dot(brief.data(), x.data(), D));
          check(q, x, probe, tile_sum(brief, x, 3, 2));
          if (known) continue;
          const double square = nearest::brief_square(x.data(), D), e = nearest::brief_error(D);
          CHECK(std::fabs(square - linear::dot(x, x)) <= e * linear::dot(x, x));
          const double low = square * (1 - e), length = std::sqrt(low) * (1 + 2 * e);
          CHECK(length * (1 + 1e-12) >= std::sqrt(linear::dot(x, x)));
          const double sum = brief_dot(brief.data(), x.data(), D);
          for (const Metric metric : kMetrics)
            if (std::isfinite(sum))
              CHECK_FALSE(excludes(probe, metric, D, key_of(q, x, metric), low, length, sum));
        }
      }
    }
  }
}

TEST_CASE("screen.briefDots: a row has the same sum wherever it stands") {
  for (const std::size_t D : {1u, 7u, 12u, 100u}) {
    for (std::size_t N = 0; N < 13; ++N) {
      const auto q = narrowed(numbers(0, D)), rows = narrowed(numbers(0, N * D));
      double sums[13];
      nearest::brief_dots(q.data(), rows.data(), N, D, sums);
      for (std::size_t n = 0; n < N; ++n)
        CHECK(sums[n] == brief_dot(q.data(), rows.data() + n * D, D));
    }
  }
}

TEST_CASE("screen.halfDots: a first sum of rows of 16 bits is within its bound") {
  namespace dtypes = phasor::dtypes;
  for (const std::size_t D : kWidths) {
    for (int of_query = 0; of_query < kKinds; ++of_query) {
      for (int of_row = 0; of_row < kKinds; ++of_row) {
        for (const bool small : {true, false}) {
          CAPTURE(D);
          CAPTURE(of_query);
          CAPTURE(of_row);
          const auto dtype = small ? phasor::half::Dtype::kFloat16 : phasor::half::Dtype::kBfloat16;
          const auto format = small ? dtypes::Format::kF16 : dtypes::Format::kBF16;
          const auto q = numbers(of_query, D);
          auto x = narrowed(numbers(of_row, D));
          std::vector<std::uint8_t> bytes(2 * D);
          REQUIRE(dtypes::encode(x, format, bytes) == Status::kOk);
          REQUIRE(dtypes::decode(bytes, format, x) == Status::kOk);
          if (!std::isfinite(linear::dot(x, x))) continue;
          std::vector<float> brief(D);
          const Probe probe = nearest::probe_of(q, false, true, brief.data());
          for (float& each : brief) each *= nearest::half_unit(dtype);
          double sum = 0;
          nearest::half_dots(brief.data(), bytes.data(), dtype, 1, D, &sum);
          check(q, x, probe, sum);
        }
      }
    }
  }
}

TEST_CASE("screen.codeDots: a first sum of integers is within its bound") {
  for (const std::size_t D : kWidths) {
    for (int of_query = 0; of_query < kKinds; ++of_query) {
      for (int of_row = 0; of_row < kKinds; ++of_row) {
        CAPTURE(D);
        CAPTURE(of_query);
        CAPTURE(of_row);
        const auto q = numbers(of_query, D);
        const auto given = narrowed(numbers(of_row, D));
        std::vector<std::uint8_t> codes(D);
        std::vector<float> scale(1), length(1), direction(1), kept(D), out(D);
        std::vector<double> square(1);
        const packed::Rows row{packed::Dtype::kInt8, D, codes, scale};
        REQUIRE(packed::pack(given, row, {length, direction, square}, kept) == Status::kOk);
        REQUIRE(packed::unpack(row, kept) == Status::kOk);
        const Probe probe = nearest::probe_of(q, true, true, out.data());
        const auto* whole = reinterpret_cast<const std::int16_t*>(out.data());
        const auto* eight = reinterpret_cast<const std::int8_t*>(codes.data());
        std::int64_t sum = 0, most = 0;
        for (std::size_t d = 0; d < D; ++d) {
          sum += whole[d] * eight[d];
          most += 127 * std::abs(whole[d]);
        }
        CHECK(most < std::int64_t{1} << 31);
        std::int32_t dot = 0;
        nearest::code_dots(whole, 1, eight, 1, D, &dot, 1);
        CHECK(dot == sum);
        check(q, kept, probe, static_cast<double>(sum) * static_cast<double>(scale[0]));
      }
    }
  }
}

TEST_CASE("screen.codeDots: equals a plain loop, for any number of rows and queries") {
  for (const std::size_t D : {1u, 7u, 8u, 9u, 16u, 45u, 130u}) {
    for (const std::size_t N : {1u, 3u, 4u, 5u, 8u, 256u}) {
      for (std::size_t Q = 1; Q <= nearest::kGroup; ++Q) {
        std::vector<std::int16_t> q(Q * D);
        std::vector<std::int8_t> codes(N * D);
        for (auto& each : q) each = static_cast<std::int16_t>(32767 * next());
        for (auto& each : codes) each = static_cast<std::int8_t>(127 * next());
        const std::size_t step = N + 3;
        std::vector<std::int32_t> sums(nearest::kGroup * step, 7);
        nearest::code_dots(q.data(), Q, codes.data(), N, D, sums.data(), step);
        for (std::size_t j = 0; j < nearest::kGroup; ++j) {
          for (std::size_t n = 0; n < step; ++n) {
            const bool written = j < Q && n < N;
            std::int32_t sum = 0;
            for (std::size_t d = 0; d < D && written; ++d) sum += q[j * D + d] * codes[n * D + d];
            CHECK(sums[j * step + n] == (written ? sum : 7));
          }
        }
      }
    }
  }
}

TEST_CASE("screen.codeDots: the largest sum fits into 32 bits, at any width") {
  for (const std::size_t D : {1u, 516u, 517u, 600u, 20000u, 65536u}) {
    const std::vector<double> q(D, 3.0);
    const std::vector<std::int8_t> codes(D, 127), negative(D, -127);
    std::vector<float> out(D);
    const Probe probe = nearest::probe_of(q, true, true, out.data());
    const auto* whole = reinterpret_cast<const std::int16_t*>(out.data());
    const std::int64_t sum = std::int64_t{127} * whole[0] * static_cast<std::int64_t>(D);
    std::int32_t dots[2] = {};
    nearest::code_dots(whole, 1, codes.data(), 1, D, dots, 1);
    nearest::code_dots(whole, 1, negative.data(), 1, D, dots + 1, 1);
    CHECK(dots[0] == sum);
    CHECK(dots[1] == -sum);
    CHECK(whole[0] > (D < 517 ? 32766 : 0));
    CHECK(probe.slope < 0.01 * probe.length);
  }
}

TEST_CASE("screen: bounds are tight enough that a slightly better key excludes a row") {
  const std::size_t D = 768;
  for (int round = 0; round < 20; ++round) {
    const auto q = numbers(0, D);
    auto x = narrowed(numbers(0, D));
    if (round % 2 == 0)
      for (std::size_t d = 0; d < D; ++d) x[d] = static_cast<float>(q[d] + 0.1 * next());
    std::vector<float> brief(D);
    const double square = linear::dot(x, x), length = std::sqrt(square);
    for (const bool known : {false, true}) {
      const Probe probe = nearest::probe_of(q, false, known, brief.data());
      const double sum = brief_dot(brief.data(), x.data(), D);
      for (const Metric metric : kMetrics) {
        const double size = metric == Metric::kCosine ? 1 : probe.square + square;
        const double key = key_of(q, x, metric) + 4e-5 * size;
        CHECK(excludes(probe, metric, D, key, square, length, sum));
      }
    }
  }
}

TEST_CASE("screen: values that are not finite, zero or too wide exclude nothing") {
  const std::vector<float> x{1, 2, 3, 4};
  std::vector<float> out(4);
  const double inf = HUGE_VAL, nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& q : {std::vector<double>{1, inf, 0, 0}, std::vector<double>{nan, 1, 1, 1},
                        std::vector<double>(4, 0.0), std::vector<double>{0, 0, -inf, nan}}) {
    for (const bool whole : {false, true}) {
      const Probe probe = nearest::probe_of(q, whole, true, out.data());
      for (const Metric metric : kMetrics)
        for (const double key : {-inf, 0.0, 1e300})
          CHECK_FALSE(excludes(probe, metric, 4, key, 30, std::sqrt(30.0), 1));
    }
  }
  const std::vector<double> q{1, 1, 1, 1};
  const Probe probe = nearest::probe_of(q, false, true, out.data());
  for (const Metric metric : kMetrics) {
    for (const double key : {nan, -inf})
      CHECK_FALSE(excludes(probe, metric, 4, key, 30, std::sqrt(30.0), -1e30));
    if (metric != Metric::kEuclidean)
      CHECK_FALSE(excludes(probe, metric, 4, 0, 0, 0, 0));  // a row of zeros, whose key is 0
  }
  for (const float bad : {kInf, -kInf, std::numeric_limits<float>::quiet_NaN()}) {
    for (std::size_t D = 1; D < 40; ++D) {
      std::vector<float> row(D, 1.0f), ones(D, 1.0f);
      row[D / 2] = bad;
      CHECK_FALSE(std::isfinite(brief_dot(ones.data(), row.data(), D)));
      CHECK_FALSE(std::isfinite(nearest::brief_square(row.data(), D)));
    }
  }
  const std::vector<double> wide(nearest::kWidest + 1, 1.0);
  std::vector<float> all(wide.size());
  CHECK(std::isnan(nearest::probe_of(wide, false, true, all.data()).unit));
}
