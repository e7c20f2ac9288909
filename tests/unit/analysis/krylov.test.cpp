#include "analysis/pca/krylov.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <vector>

#include "analysis/pca/eigen.h"
#include "bad_shape.h"
#include "sampled.h"
#include "wave.h"

namespace eigen = phasor::eigen;
namespace krylov = phasor::krylov;
using phasor::Status;
using phasor::test::wave;

namespace {

using Numbers = std::vector<double>;

Numbers widened(const std::vector<float>& x) { return {x.begin(), x.end()}; }

/// The memory of a basis of the given number of vectors.
struct Memory {
  Memory(std::size_t D, std::size_t b, std::size_t most)
      : basis((most + b) * D),
        matrix(most * most),
        corner(b * b),
        workspace(most * (most + 3)),
        of{D, b, most, basis, matrix, corner, workspace} {}
  Numbers basis, matrix, corner, workspace;
  krylov::Basis of;
};

/// The memory of products in float32.
struct NarrowMemory {
  NarrowMemory(std::size_t D, std::size_t b)
      : floats(krylov::narrow_floats(D, b), 7.0f),
        sums(krylov::narrow_sums(D, b), 7.0),
        of{D, b, floats, sums} {}
  std::vector<float> floats;
  Numbers sums;
  krylov::Narrow of;
};

/// The products of one tile.
void multiply_f32(const std::vector<float>& x, std::size_t D, const Numbers& mean,
                  std::span<const double> block, std::size_t b, Numbers& out) {
  NarrowMemory narrow(D, b);
  REQUIRE(krylov::begin_f32(narrow.of, mean, block) == Status::kOk);
  REQUIRE(krylov::multiply_f32(narrow.of, x) == Status::kOk);
  REQUIRE(krylov::end_f32(narrow.of, out) == Status::kOk);
}

}  // namespace

TEST_CASE("krylov.multiply: SIMD equals the scalar definition, bit for bit, at every tail length") {
  for (const std::size_t N : {0u, 1u, 2u, 3u, 4u, 5u, 9u}) {
    for (const std::size_t D : {1u, 2u, 3u, 5u, 8u, 13u}) {
      for (const std::size_t b : {4u, 8u}) {
        const auto x = wave(N * D, 0.7);
        const Numbers mean = widened(wave(D, 0.3)), block = widened(wave(b * D, 1.1));
        Numbers fast = widened(wave(b * D, 0.2)), slow = fast;
        Numbers workspace(krylov::workspace_size(D, b));
        REQUIRE(krylov::multiply(x, N, D, mean, block, b, workspace, fast) == Status::kOk);
        REQUIRE(krylov::multiply_scalar(x, N, D, mean, block, b, workspace, slow) == Status::kOk);
        CHECK(fast == slow);
      }
    }
  }
}

TEST_CASE(
    "krylov.multiply_f32: SIMD equals the scalar definition, bit for bit, at every tail length") {
  auto is_taken = phasor::test::every_nth(3);  // loops of 2 and 8
  for (const std::size_t N : {0u, 1u, 3u, 4u, 5u, 9u, 128u, 131u}) {
    for (const std::size_t D : {1u, 2u, 3u, 4u, 5u, 13u, 128u, 134u}) {
      for (const std::size_t b : {4u, 8u}) {
        if (!is_taken()) continue;
        const auto x = wave(N * D, 0.7);
        Numbers mean = widened(wave(D, 0.3));
        for (double& number : mean) number += 0x1p-26;  // not a float32
        const Numbers block = widened(wave(b * D, 1.1));
        Numbers fast = widened(wave(b * D, 0.2)), slow = fast;
        multiply_f32(x, D, mean, block, b, fast);
        REQUIRE(krylov::multiply_f32_scalar(x, N, D, mean, block, b, slow) == Status::kOk);
        CHECK(fast == slow);
      }
    }
  }
}

TEST_CASE("krylov.multiply_f32: the product of two tiles is the sum of the product of each") {
  const std::size_t N = 20, D = 12, b = 4;
  const auto x = wave(N * D, 0.7);
  const std::vector<float> first(x.begin(), x.begin() + 8 * D), second(x.begin() + 8 * D, x.end());
  const Numbers mean = widened(wave(D, 0.3)), block = widened(wave(b * D, 1.1));
  NarrowMemory narrow(D, b);
  Numbers both(b * D, 0.0), each = both, other = both;
  REQUIRE(krylov::begin_f32(narrow.of, mean, block) == Status::kOk);
  REQUIRE(krylov::multiply_f32(narrow.of, first) == Status::kOk);
  REQUIRE(krylov::multiply_f32(narrow.of, second) == Status::kOk);
  REQUIRE(krylov::end_f32(narrow.of, both) == Status::kOk);
  multiply_f32(first, D, mean, block, b, each);
  multiply_f32(second, D, mean, block, b, other);
  for (std::size_t i = 0; i < b * D; ++i) CHECK(both[i] == each[i] + other[i]);
  Numbers after(b * D, 0.0);  // what was added is cleared
  REQUIRE(krylov::multiply_f32(narrow.of, second) == Status::kOk);
  REQUIRE(krylov::end_f32(narrow.of, after) == Status::kOk);
  CHECK(after == other);
}

TEST_CASE("krylov.multiply_f32: a large mean costs no accuracy") {
  const std::size_t N = 300, D = 20, b = 4;
  auto x = wave(N * D, 0.7);
  for (float& number : x) number += 3e5f;  // steps of 2^-5: the mean is between two float32
  Numbers mean(D, 0.0);
  for (std::size_t i = 0; i < N * D; ++i) mean[i % D] += static_cast<double>(x[i]) / double{N};
  const Numbers block = widened(wave(b * D, 1.1));
  Numbers narrow(b * D, 0.0), wide = narrow, transposed(b * D);
  for (std::size_t c = 0; c < b; ++c)
    for (std::size_t d = 0; d < D; ++d) transposed[d * b + c] = block[c * D + d];
  Numbers work(krylov::workspace_size(D, b));
  multiply_f32(x, D, mean, block, b, narrow);
  REQUIRE(krylov::multiply(x, N, D, mean, transposed, b, work, wide) == Status::kOk);
  double largest = 0;
  for (const double product : wide) largest = std::max(largest, std::fabs(product));
  for (std::size_t i = 0; i < b * D; ++i)  // sums of at most 128 roundings, most of which cancel
    CHECK(std::fabs(narrow[i] - wide[i]) <= 0x1p-22 * largest);
}

TEST_CASE(
    "krylov: finds the leading eigenvectors in an orthonormal basis, and zeros past the rank") {
  const std::size_t N = 40, b = 4, most = 12;
  for (const auto& [D, rank, narrow] : {std::tuple{13u, 1u, false},
                                        {13u, 6u, false},
                                        {13u, 30u, false},
                                        {30u, 1u, false},
                                        {30u, 6u, false},
                                        {30u, 30u, false},
                                        {13u, 6u, true},
                                        {30u, 6u, true},
                                        {30u, 30u, true}}) {
    const double settled = narrow ? 0x1p-20 : 0x1p-30;
    std::vector<float> x(N * D, 0.0f);
    const auto left = wave(N * rank, 0.9), right = wave(rank * D, 0.37);
    for (std::size_t n = 0; n < N; ++n)
      for (std::size_t r = 0; r < rank; ++r)
        for (std::size_t d = 0; d < D; ++d)
          x[n * D + d] +=
              std::ldexp(left[n * rank + r] * right[r * D + d], -4 * static_cast<int>(r));
    const Numbers mean(D, 0.0);
    Memory memory(D, b, most);
    Numbers block(b * D), products(b * D), work(krylov::workspace_size(D, b)), values(2),
        out(2 * D);
    double worst = 2, trace = 0;
    REQUIRE(krylov::start(memory.of, krylov::mix(x, D, 1), 1) == Status::kOk);
    REQUIRE(krylov::add_trace(x, mean, trace) == Status::kOk);
    std::size_t m = b;
    for (; m <= most; m += b) {
      REQUIRE(krylov::last_block(memory.of, m - b, block) == Status::kOk);
      products.assign(b * D, 0.0);
      if (narrow) {
        const auto vectors = memory.of.basis.subspan((m - b) * D, b * D);
        multiply_f32(x, D, mean, vectors, b, products);
      } else {
        REQUIRE(krylov::multiply(x, N, D, mean, block, b, work, products) == Status::kOk);
      }
      REQUIRE(krylov::extend(memory.of, m, products) == Status::kOk);
      REQUIRE(krylov::ritz(memory.of, m, 1e-13, settled, values, worst) == Status::kOk);
      if (worst <= 1) break;
    }
    REQUIRE(worst <= 1);
    for (std::size_t i = 0; i < m + b; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const double* row = &memory.basis[i * D];
        const double product = eigen::dot(row, &memory.basis[j * D], D);
        const bool empty = eigen::dot(row, row, D) == 0;
        CHECK(std::fabs(product - (i == j && !empty ? 1 : 0)) <= 1e-14);
      }
    REQUIRE(krylov::assemble(memory.of, m, out) == Status::kOk);
    double sum = 0;
    for (const float value : x) sum += static_cast<double>(value) * static_cast<double>(value);
    CHECK(std::fabs(trace - sum) <= 1e-12 * sum);
    CHECK(values[0] + values[1] <= trace * (1 + (narrow ? 0x1p-22 : 1e-12)));
    for (std::size_t i = 0; i < 2; ++i) {  // A v = value v
      const double* v = &out[i * D];
      Numbers image(D, 0.0);
      for (std::size_t n = 0; n < N; ++n) {
        double along = 0;
        for (std::size_t d = 0; d < D; ++d) along += static_cast<double>(x[n * D + d]) * v[d];
        for (std::size_t d = 0; d < D; ++d) image[d] += along * static_cast<double>(x[n * D + d]);
      }
      const double rounding = narrow ? 0x1p-22 : 1e-13;  // of sums
      for (std::size_t d = 0; d < D; ++d)
        CHECK(std::fabs(image[d] - values[i] * v[d]) <= settled * values[i] + rounding * values[0]);
    }
    if (narrow) {  // what was found is a good beginning for a pass in double
      REQUIRE(krylov::restart(memory.of, m) == Status::kOk);
      REQUIRE(krylov::last_block(memory.of, 0, block) == Status::kOk);
      products.assign(b * D, 0.0);
      REQUIRE(krylov::multiply(x, N, D, mean, block, b, work, products) == Status::kOk);
      REQUIRE(krylov::extend(memory.of, b, products) == Status::kOk);
      Numbers again(1);
      REQUIRE(krylov::ritz(memory.of, b, 1e-13, 0x1p-19, again, worst) == Status::kOk);
      CHECK(worst <= 1);
      CHECK(std::fabs(again[0] / values[0] - 1) <= 0x1p-22);
    }
    if (rank == 1) CHECK(values[1] == 0);
  }
}

TEST_CASE("krylov.start: noise reaches every direction and keeps most of the given vectors") {
  const std::size_t D = 48, b = 4;
  Memory memory(D, b, 8);
  for (std::size_t c = 0; c < b; ++c) memory.basis[c * D + c] = 1;
  REQUIRE(krylov::start(memory.of, 5, 0.1 / std::sqrt(D / 3.0)) == Status::kOk);
  for (std::size_t c = 0; c < b; ++c) {
    CHECK(memory.basis[c * D + c] >= 0.98);
    for (std::size_t d = 0; d < D; ++d) CHECK(memory.basis[c * D + d] != 0);
    for (std::size_t e = 0; e <= c; ++e)
      CHECK(std::fabs(eigen::dot(&memory.basis[c * D], &memory.basis[e * D], D) -
                      (c == e ? 1 : 0)) <= 1e-14);
  }
}

TEST_CASE("krylov: different data start from different vectors") {
  const std::vector<float> x{1, 2, 3, 4, 5, 6}, y{1, 2, 3, 4, 7, 6};
  CHECK(krylov::mix(x, 2, 3) != krylov::mix(y, 2, 3));
  CHECK(krylov::mix({}, 2, 3) == 3);
}

TEST_CASE("krylov: rejects mismatched shapes") {
  Memory memory(5, 4, 8);
  Numbers few(3), twenty(20), work(krylov::workspace_size(5, 4)), five(5);
  const std::vector<float> x(10);
  double number = 0;
  krylov::Basis odd = memory.of;
  odd.b = 3;
  CHECK_BAD_SHAPE(krylov::start(odd, 1, 1));
  CHECK_BAD_SHAPE(krylov::last_block(memory.of, 12, twenty));
  CHECK_BAD_SHAPE(krylov::last_block(memory.of, 4, few));
  CHECK_BAD_SHAPE(krylov::multiply(x, 2, 5, few, twenty, 4, work, twenty));
  CHECK_BAD_SHAPE(krylov::multiply_scalar(x, 2, 5, five, twenty, 4, few, twenty));
  NarrowMemory narrow(5, 4);
  krylov::Narrow short_of = narrow.of;
  short_of.sums = short_of.sums.first(3);
  CHECK_BAD_SHAPE(krylov::begin_f32(short_of, five, twenty));
  CHECK_BAD_SHAPE(krylov::begin_f32(narrow.of, few, twenty));
  CHECK_BAD_SHAPE(krylov::begin_f32(narrow.of, five, five));
  CHECK_BAD_SHAPE(krylov::multiply_f32(short_of, x));
  CHECK_BAD_SHAPE(krylov::multiply_f32(narrow.of, std::span(x).first(7)));
  CHECK_BAD_SHAPE(krylov::end_f32(narrow.of, five));
  CHECK_BAD_SHAPE(krylov::multiply_f32_scalar(x, 2, 5, few, twenty, 4, twenty));
  CHECK_BAD_SHAPE(krylov::restart(memory.of, 3));
  CHECK_BAD_SHAPE(krylov::add_trace(x, few, number));
  CHECK_BAD_SHAPE(krylov::extend(memory.of, 3, twenty));
  CHECK_BAD_SHAPE(krylov::ritz(memory.of, 4, 0, 0x1p-30, five, number));
  CHECK_BAD_SHAPE(krylov::assemble(memory.of, 4, few));
}
