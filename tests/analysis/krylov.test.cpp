#include "analysis/pca/krylov.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "analysis/pca/eigen.h"
#include "bad_shape.h"
#include "wave.h"

namespace eigen = phasor::eigen;
namespace krylov = phasor::krylov;
using phasor::Status;
using phasor::test::wave;

namespace {

using Numbers = std::vector<double>;

Numbers widened(const std::vector<float>& x) { return {x.begin(), x.end()}; }

/// The memory of a basis of so many vectors.
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
    "krylov: finds the leading eigenvectors within an orthonormal basis, zeros past the rank") {
  const std::size_t N = 40, b = 4, most = 12;
  for (const std::size_t D : {13u, 30u}) {
    for (const std::size_t rank : {1u, 6u, 30u}) {
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
      REQUIRE(krylov::start(memory.of, krylov::mix(x, D, 1)) == Status::kOk);
      REQUIRE(krylov::add_trace(x, mean, trace) == Status::kOk);
      std::size_t m = b;
      for (; m <= most; m += b) {
        REQUIRE(krylov::last_block(memory.of, m - b, block) == Status::kOk);
        products.assign(b * D, 0.0);
        REQUIRE(krylov::multiply(x, N, D, mean, block, b, work, products) == Status::kOk);
        REQUIRE(krylov::extend(memory.of, m, products) == Status::kOk);
        REQUIRE(krylov::ritz(memory.of, m, 1e-13, values, worst) == Status::kOk);
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
      CHECK(values[0] + values[1] <= trace * (1 + 1e-12));
      for (std::size_t i = 0; i < 2; ++i) {  // A v = value v
        const double* v = &out[i * D];
        Numbers image(D, 0.0);
        for (std::size_t n = 0; n < N; ++n) {
          double along = 0;
          for (std::size_t d = 0; d < D; ++d) along += static_cast<double>(x[n * D + d]) * v[d];
          for (std::size_t d = 0; d < D; ++d) image[d] += along * static_cast<double>(x[n * D + d]);
        }
        for (std::size_t d = 0; d < D; ++d)  // 2^-30 of the value, and the rounding of sums
          CHECK(std::fabs(image[d] - values[i] * v[d]) <= 0x1p-30 * values[i] + 1e-13 * values[0]);
      }
      if (rank == 1) CHECK(values[1] == 0);
    }
  }
}

TEST_CASE("krylov: other data get another start") {
  const std::vector<float> x{1, 2, 3, 4, 5, 6}, y{1, 2, 3, 4, 7, 6};
  CHECK(krylov::mix(x, 2, 3) != krylov::mix(y, 2, 3));
  CHECK(krylov::mix({}, 2, 3) == 3);
}

TEST_CASE("krylov: refuses shapes that do not agree") {
  Memory memory(5, 4, 8);
  Numbers few(3), twenty(20), work(krylov::workspace_size(5, 4)), five(5);
  const std::vector<float> x(10);
  double number = 0;
  krylov::Basis odd = memory.of;
  odd.b = 3;
  CHECK_BAD_SHAPE(krylov::start(odd, 1));
  CHECK_BAD_SHAPE(krylov::last_block(memory.of, 12, twenty));
  CHECK_BAD_SHAPE(krylov::last_block(memory.of, 4, few));
  CHECK_BAD_SHAPE(krylov::multiply(x, 2, 5, few, twenty, 4, work, twenty));
  CHECK_BAD_SHAPE(krylov::multiply_scalar(x, 2, 5, five, twenty, 4, few, twenty));
  CHECK_BAD_SHAPE(krylov::add_trace(x, few, number));
  CHECK_BAD_SHAPE(krylov::extend(memory.of, 3, twenty));
  CHECK_BAD_SHAPE(krylov::ritz(memory.of, 4, 0, five, number));
  CHECK_BAD_SHAPE(krylov::assemble(memory.of, 4, few));
}
