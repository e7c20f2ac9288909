#include "analysis/pca/pca.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "analysis/pca/eigen.h"
#include "bad_shape.h"
#include "bits.h"
#include "wave.h"

namespace eigen = phasor::eigen;
namespace pca = phasor::pca;
using pca::Side;
using phasor::Status;
using phasor::test::wave;

namespace {

using Numbers = std::vector<double>;

/// Numbers between -1 and 1 that look random.
Numbers noise(std::size_t n, std::uint32_t state) {
  Numbers x(n);
  for (double& value : x) {
    state = state * 1664525 + 1013904223;  // Knuth, TAOCP 2, 3.3.4
    value = state / 2147483648.0 - 1;
  }
  return x;
}

std::vector<float> narrow(const Numbers& x) { return {x.begin(), x.end()}; }

Numbers symmetric(std::size_t n, std::uint32_t seed) {
  Numbers A = noise(n * n, seed);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) A[i * n + j] = A[j * n + i];
  return A;
}

/// That values and rows decompose A: the sum gives A back, rows are orthonormal, values fall.
void check_decomposed(const Numbers& A, std::size_t n) {
  Numbers V = A, values(n), workspace(2 * n), alone(n), lost = A;
  REQUIRE(eigen::symmetric(V, n, true, values, workspace) == Status::kOk);
  REQUIRE(eigen::symmetric(lost, n, false, alone, workspace) == Status::kOk);
  CHECK(alone == values);
  double size = 0;
  for (const double a : A) size = std::max(size, std::fabs(a));
  const double many = static_cast<double>(n);
  double off = 0, askew = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double back = 0;
      for (std::size_t c = 0; c < n; ++c) back += values[c] * V[c * n + i] * V[c * n + j];
      off = std::max(off, std::fabs(back - A[i * n + j]));
      const double product = eigen::dot(V.data() + i * n, V.data() + j * n, n);
      askew = std::max(askew, std::fabs(product - (i == j ? 1 : 0)));
    }
  }
  CHECK(off <= many * many * 0x1p-52 * size);  // n * 2^-52 of the norm, itself at most n * size
  CHECK(askew <= many * 0x1p-52 * 4);
  CHECK(std::is_sorted(values.rbegin(), values.rend()));
}

}  // namespace

TEST_CASE("eigen.symmetric: decomposes matrices of every small size") {
  for (std::size_t n = 1; n <= 20; ++n) check_decomposed(symmetric(n, 7), n);
  check_decomposed(symmetric(90, 8), 90);
}

TEST_CASE(
    "eigen.symmetric: decomposes zero, identity, graded and deficient matrices, and repeated "
    "eigenvalues") {
  const std::size_t n = 12;
  Numbers zero(n * n, 0.0), unit = zero, ones(n * n, 1.0), swapped = zero, graded = zero,
                            thin = zero;
  const Numbers x = noise(2 * n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    unit[i * n + i] = 1;
    swapped[i * n + (n - 1 - i)] = 1;
    for (std::size_t j = 0; j < n; ++j) {
      graded[i * n + j] = std::ldexp(x[i] * x[j], -static_cast<int>(9 * (i + j)));
      thin[i * n + j] = x[i] * x[j] + x[n + i] * x[n + j];
    }
  }
  for (const Numbers& A : {zero, unit, ones, swapped, graded, thin}) check_decomposed(A, n);
  for (const double scale : {0x1p-298, 0x1p260}) {  // squares of the least and largest floats
    Numbers A = thin;
    for (double& a : A) a *= scale;
    check_decomposed(A, n);
  }
}

TEST_CASE(
    "eigen.symmetric: finds the eigenvalues 2 - 2 cos(pi k / (n + 1)) of second differences") {
  const std::size_t n = 40;
  Numbers A(n * n, 0.0), values(n), workspace(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    A[i * n + i] = 2;
    if (i + 1 < n) A[i * n + i + 1] = A[(i + 1) * n + i] = -1;
  }
  REQUIRE(eigen::symmetric(A, n, false, values, workspace) == Status::kOk);
  for (std::size_t k = 0; k < n; ++k)
    CHECK(std::fabs(values[k] - (2 + 2 * std::cos(M_PI * static_cast<double>(k + 1) /
                                                  static_cast<double>(n + 1)))) <= n * 0x1p-50);
}

TEST_CASE("eigen.symmetric: gives the same bits natively and in wasm") {
  const std::size_t n = 33;
  Numbers A = symmetric(n, 5), values(n), workspace(2 * n);
  REQUIRE(eigen::symmetric(A, n, true, values, workspace) == Status::kOk);
  phasor::test::Fingerprint print;
  print.add(narrow(A));
  print.add(narrow(values));
  CHECK(print.value() == 7438735072972680681u);
}

TEST_CASE("eigen.symmetric: rejects mismatched shapes, and terminates on NaN") {
  Numbers A(9), values(3), workspace(6), two(2);
  CHECK_BAD_SHAPE(eigen::symmetric(A, 0, true, {}, {}));
  CHECK_BAD_SHAPE(eigen::symmetric(A, 2, true, two, workspace));
  CHECK_BAD_SHAPE(eigen::symmetric(A, 3, true, two, workspace));
  CHECK_BAD_SHAPE(eigen::symmetric(A, 3, true, values, two));
  A.assign(9, std::numeric_limits<double>::quiet_NaN());
  CHECK(eigen::symmetric(A, 3, true, values, workspace) == Status::kBadParam);
}

TEST_CASE(
    "pca.add_products: SIMD equals the scalar definition, bit for bit, at every tail length") {
  for (const auto side : {Side::kColumns, Side::kRows}) {
    for (std::size_t N : {1u, 2u, 3u, 4u, 5u, 9u}) {
      for (std::size_t D : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 13u}) {
        const auto x = narrow(noise(N * D, 2));
        const Numbers mean = noise(D, 4);
        const std::size_t n = side == Side::kColumns ? D : N;
        Numbers fast = symmetric(n, 6), slow = fast, workspace(pca::workspace_size(N, D, side));
        REQUIRE(pca::add_products(x, N, D, mean, side, workspace, fast) == Status::kOk);
        REQUIRE(pca::add_products_scalar(x, N, D, mean, side, slow) == Status::kOk);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = i; j < n; ++j) CHECK(fast[i * n + j] == slow[i * n + j]);
      }
    }
  }
}

TEST_CASE("pca.decompose: reads only the upper half, and sets variances at noise level to 0") {
  Numbers A{2, 0, 0, 9, 1e-17, 0, 9, 9, -1e-17}, values(3), workspace(6);
  REQUIRE(pca::decompose(A, 3, true, 1e-15, values, workspace) == Status::kOk);
  CHECK(values == Numbers{2, 0, 0});
}

TEST_CASE("pca.finish: completes the basis with orthogonal directions, and fixes signs") {
  const std::size_t D = 5;
  Numbers rows(D * D, 0.0), workspace(D);
  rows[0] = -3;
  rows[2] = 3;  // equal magnitudes: the first is made positive
  REQUIRE(pca::finish(rows, D, 1, workspace) == Status::kOk);
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < D; ++j)
      CHECK(std::fabs(eigen::dot(rows.data() + i * D, rows.data() + j * D, D) - (i == j ? 1 : 0)) <=
            1e-14);
  CHECK(rows[0] == doctest::Approx(std::sqrt(0.5)));
  CHECK(rows[2] == doctest::Approx(-std::sqrt(0.5)));
  CHECK(rows[D + 1] == 1);  // the axis that the first row does not reach
  for (const double x : rows) CHECK((x != 0 || !std::signbit(x)));
}

TEST_CASE("pca.combine and pca.project: are sums over centered values") {
  const std::vector<float> x{1, 2, 3, 4};
  const Numbers mean{1, 1}, weights{9, 2, -1}, components{0, 1};
  Numbers workspace(2), out{10, 20};
  REQUIRE(pca::combine(x, 1, 3, mean, weights, workspace, out) == Status::kOk);
  CHECK(out == Numbers{10 + 2 * 0 - 1 * 2, 20 + 2 * 1 - 1 * 3});
  std::vector<float> projected(2);
  REQUIRE(pca::project(x, mean, components, projected) == Status::kOk);
  CHECK(projected == std::vector<float>{1, 3});
  Numbers sums{1, 1};
  REQUIRE(pca::add_columns(x, sums) == Status::kOk);
  CHECK(sums == Numbers{5, 7});
}

TEST_CASE("pca.project: two rows and two components at once have the bits of one") {
  for (const std::size_t D : {1u, 3u, 4u, 9u}) {
    const std::size_t N = 5, k = 3;
    const auto x = wave(N * D, 0.7), means = wave(D, 0.3), directions = wave(k * D, 1.1);
    const Numbers mean(means.begin(), means.end()), all(directions.begin(), directions.end());
    std::vector<float> out(N * k);
    REQUIRE(pca::project(x, mean, all, out) == Status::kOk);
    Numbers row(D);
    for (std::size_t n = 0; n < N; ++n)
      for (std::size_t c = 0; c < k; ++c) {
        for (std::size_t d = 0; d < D; ++d) row[d] = static_cast<double>(x[n * D + d]) - mean[d];
        CHECK(out[n * k + c] == static_cast<float>(eigen::dot(row.data(), &all[c * D], D)));
      }
  }
}

TEST_CASE("pca.add_moments: adds distances from a center and their squares, at every tail length") {
  for (const std::size_t N : {0u, 1u, 8u, 11u}) {
    for (const std::size_t D : {1u, 3u, 4u, 6u, 9u}) {
      const auto x = wave(N * D, 0.7), centers = wave(D, 0.3);
      const Numbers center(centers.begin(), centers.end());
      Numbers sums(D, 2.0), want = sums;
      double squares = 3, all = 3;
      for (std::size_t n = 0; n < N; ++n)
        for (std::size_t d = 0; d < D; ++d) {
          const double distance = static_cast<double>(x[n * D + d]) - center[d];
          want[d] += distance;
          all += distance * distance;
        }
      REQUIRE(pca::add_moments(x, center, sums, squares) == Status::kOk);
      CHECK(sums == want);
      CHECK(std::fabs(squares - all) <= 1e-14 * all);
    }
  }
}

TEST_CASE("pca: rejects mismatched shapes and writes nothing") {
  const std::vector<float> x(6);
  Numbers two(2, 7.0), four(4, 7.0), eight(8, 7.0), three(3, 7.0);
  std::vector<float> out(2, 7.0f);
  CHECK_BAD_SHAPE(pca::add_columns(x, four));
  double number = 7;
  CHECK_BAD_SHAPE(pca::add_moments(x, two, four, number));
  CHECK(number == 7);
  CHECK_BAD_SHAPE(pca::add_products(x, 3, 2, two, Side::kColumns, eight, four));
  CHECK_BAD_SHAPE(pca::add_products(x, 3, 2, three, Side::kColumns, eight, four));
  CHECK_BAD_SHAPE(pca::add_products(x, 3, 2, two, Side::kRows, eight, four));
  CHECK_BAD_SHAPE(pca::decompose(four, 3, true, 0, three, eight));
  CHECK_BAD_SHAPE(pca::combine(x, 1, 3, two, three, two, two));
  CHECK_BAD_SHAPE(pca::finish(four, 4, 1, two));
  CHECK_BAD_SHAPE(pca::finish(eight, 2, 1, two));
  CHECK_BAD_SHAPE(pca::project(x, two, two, out));
  CHECK(two == Numbers(2, 7.0));
  CHECK(four == Numbers(4, 7.0));
  CHECK(out == std::vector<float>(2, 7.0f));
}
