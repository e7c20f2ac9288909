#include "embedding/normalize/normalize.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "bad_shape.h"

namespace normalize = phasor::normalize;
using normalize::Kind;
using phasor::Status;

namespace {

constexpr Kind kKinds[] = {Kind::kLayer, Kind::kRms, Kind::kL2};
using Floats = std::span<const float>;

/// With a workspace of the size that D needs.
Status rows(Floats x, Floats weight, Floats bias, std::size_t D, Kind kind, double eps,
            double weight_offset, std::span<float> out) {
  std::vector<double> workspace(2 * D);
  return normalize::rows(x, weight, bias, D, kind, eps, weight_offset, workspace, out);
}

Status rows_scalar(Floats x, Floats weight, Floats bias, std::size_t D, Kind kind, double eps,
                   double weight_offset, std::span<float> out) {
  std::vector<double> workspace(2 * D);
  return normalize::rows_scalar(x, weight, bias, D, kind, eps, weight_offset, workspace, out);
}

/// The largest error of LayerNorm in a row, in units of 0.501 * 2^-23 |out| + 2^-33.
double promised(Floats x) {
  const long double D = static_cast<long double>(x.size());
  long double sum = 0, squares = 0;
  for (const float number : x) sum += number;
  for (const float number : x) squares += (number - sum / D) * (number - sum / D);
  const long double deviation = std::sqrt(squares / D);
  std::vector<float> out(x.size());
  REQUIRE(rows(x, {}, {}, x.size(), Kind::kLayer, 0, 0, out) == Status::kOk);
  long double most = 0;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const long double want = deviation == 0 ? 0 : (x[d] - sum / D) / deviation;
    most =
        std::max(most, std::fabs(out[d] - want) / (0.501L * 0x1p-23L * std::fabs(want) + 0x1p-33L));
  }
  return static_cast<double>(most);
}

}  // namespace

TEST_CASE("normalize.*: equals hand-computed values") {
  std::vector<float> out(2);
  const std::vector<float> none;
  REQUIRE(rows(std::vector<float>{1, 3}, none, none, 2, Kind::kLayer, 0, 0, out) == Status::kOk);
  CHECK(out == std::vector<float>{-1, 1});
  REQUIRE(rows(std::vector<float>{1, 7}, none, none, 2, Kind::kRms, 0, 0, out) == Status::kOk);
  CHECK(out == std::vector<float>{0.2f, 1.4f});
  REQUIRE(rows(std::vector<float>{3, 4}, none, none, 2, Kind::kL2, 0, 0, out) == Status::kOk);
  CHECK(out == std::vector<float>{0.6f, 0.8f});
}

TEST_CASE("normalize.*: SIMD equals the scalar definition, bit for bit, at every tail length") {
  for (const Kind kind : kKinds) {
    for (const std::size_t D : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 31u, 64u, 129u}) {
      std::vector<float> x(3 * D), weight(D), bias(D);
      for (std::size_t k = 0; k < x.size(); ++k)
        x[k] = static_cast<float>(std::sin(0.7 * static_cast<double>(k)) + 3);
      for (std::size_t d = 0; d < D; ++d) {
        weight[d] = static_cast<float>(std::cos(static_cast<double>(d)));
        bias[d] = static_cast<float>(d) - 1.5f;
      }
      for (const bool weighted : {false, true}) {
        for (const bool biased : {false, true}) {
          const std::span<const float> w(weight.data(), weighted ? D : 0);
          const std::span<const float> b(bias.data(), biased ? D : 0);
          std::vector<float> fast(x.size()), slow(x.size());
          REQUIRE(rows(x, w, b, D, kind, 1e-5, 1, fast) == Status::kOk);
          REQUIRE(rows_scalar(x, w, b, D, kind, 1e-5, 1, slow) == Status::kOk);
          CHECK(fast == slow);
        }
      }
    }
  }
}

TEST_CASE("normalize.*: SIMD equals the scalar definition where the first number is an outlier") {
  std::vector<float> x(129, 1.0f), fast(129), slow(129);
  for (std::size_t d = 0; d < x.size(); d += 3) x[d] += 1e-3f;
  x[0] = 1e6f;
  REQUIRE(rows(x, {}, {}, 129, Kind::kLayer, 0, 0, fast) == Status::kOk);
  REQUIRE(rows_scalar(x, {}, {}, 129, Kind::kLayer, 0, 0, slow) == Status::kOk);
  CHECK(fast == slow);
}

TEST_CASE("normalize.layerNorm: stays within its bound on ill-conditioned rows") {
  for (const std::size_t D : {1u, 2u, 3u, 8u, 100u, 768u, 4099u}) {
    for (int kind = 0; kind < 8; ++kind) {
      std::vector<float> x(D);
      for (std::size_t d = 0; d < D; ++d) {
        const double mean = kind == 1 ? 3e5 : kind == 2 ? -1e4 : 0;
        const double scale = kind == 3 ? 1e30 : kind == 4 ? 1e-20 : 1;
        x[d] = static_cast<float>(scale * (mean + std::sin(static_cast<double>(7 * d * d + 1))));
      }
      if (kind == 5) x[0] = 1e8f;
      if (kind == 6) x[D / 2] = 1e8f;
      if (kind == 7) std::ranges::fill(std::span(x).subspan(1), 1.0f);
      CAPTURE(D);
      CAPTURE(kind);
      CHECK(promised(x) <= 1);
    }
  }
  // The first number as far from the mean as one can be: all but 1/D of the squares cancels. With 1000
  // and 2^20 numbers one pass misses the promise; what D % 8 leaves over is added in the last rows.
  const std::size_t many = 1u << 20;
  for (const auto& [D, first] : {std::pair{many, 1e3f}, {many / 2 + 3, 1e8f}}) {
    std::vector<float> x(D);
    for (std::size_t d = 0; d < D; ++d)
      x[d] = static_cast<float>(std::sin(static_cast<double>(7 * d + 1)));
    x[0] = first;
    CAPTURE(D);
    CAPTURE(first);
    CHECK(promised(x) <= 1);
  }
}

TEST_CASE("normalize.*: uses weight, its offset and bias of the column") {
  const std::vector<float> x{1, 3}, weight{2, 5}, bias{10, 20}, none;
  std::vector<float> out(2);
  REQUIRE(rows(x, weight, bias, 2, Kind::kLayer, 0, 1, out) == Status::kOk);
  CHECK(out == std::vector<float>{7, 26});
  REQUIRE(rows(x, none, bias, 2, Kind::kLayer, 0, 1, out) == Status::kOk);
  CHECK(out == std::vector<float>{9, 21});
}

TEST_CASE("normalize.*: rows are independent, and the result may overwrite x") {
  constexpr std::size_t kT = 5;
  for (const Kind kind : kKinds) {
    for (const std::size_t D : {1u, 2u, 7u, 64u}) {
      std::vector<float> x(kT * D);
      for (std::size_t k = 0; k < x.size(); ++k)
        x[k] = static_cast<float>(std::sin(0.7 * static_cast<double>(k)));
      std::vector<float> whole(x.size()), alone(x.size());
      REQUIRE(rows(x, {}, {}, D, kind, 1e-5, 0, whole) == Status::kOk);
      for (std::size_t t = 0; t < kT; ++t)
        REQUIRE(rows(std::span(x).subspan(t * D, D), {}, {}, D, kind, 1e-5, 0,
                     std::span(alone).subspan(t * D, D)) == Status::kOk);
      CHECK(alone == whole);
      REQUIRE(rows(x, {}, {}, D, kind, 1e-5, 0, x) == Status::kOk);
      CHECK(x == whole);
    }
  }
}

TEST_CASE("normalize.*: zeros stay zeros, and NaN is canonical") {
  for (const Kind kind : kKinds) {
    std::vector<float> x(3, 0.0f);
    REQUIRE(rows(x, {}, {}, 3, kind, 0, 0, x) == Status::kOk);
    CHECK(x == std::vector<float>(3, 0.0f));
    x[1] = -std::numeric_limits<float>::quiet_NaN();
    REQUIRE(rows(x, {}, {}, 3, kind, 0, 0, x) == Status::kOk);
    for (const float value : x) CHECK(std::bit_cast<std::uint32_t>(value) == 0x7fc00000u);
  }
}

TEST_CASE("normalize.*: rejects invalid arguments and writes nothing") {
  const std::vector<float> x{1, 2, 3, 4}, two{1, 2}, three{1, 2, 3};
  std::vector<float> out(4, 7.0f);
  CHECK_BAD_SHAPE(rows(x, {}, {}, 0, Kind::kRms, 0, 0, out));
  CHECK_BAD_SHAPE(rows(x, {}, {}, 3, Kind::kRms, 0, 0, out));
  CHECK_BAD_SHAPE(rows(x, three, {}, 2, Kind::kRms, 0, 0, out));
  CHECK_BAD_SHAPE(rows(x, two, three, 2, Kind::kRms, 0, 0, out));
  CHECK_BAD_SHAPE(rows(two, {}, {}, 2, Kind::kRms, 0, 0, out));
  CHECK(rows(x, {}, {}, 2, Kind::kRms, -1, 0, out) == Status::kBadParam);
  CHECK(rows(x, {}, {}, 2, Kind::kRms, std::nan(""), 0, out) == Status::kBadParam);
  CHECK(out == std::vector<float>(4, 7.0f));
}
