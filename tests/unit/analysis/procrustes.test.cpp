#include "analysis/procrustes/procrustes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace procrustes = phasor::procrustes;
using phasor::Status;

namespace {

/// Numbers from -1 to 1, the same at each run.
std::vector<double> noise(std::size_t count, std::uint32_t state) {
  std::vector<double> out(count);
  for (double& x : out) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<double>(state) / 0x1p31 - 1;
  }
  return out;
}

/// The largest distance of R^T R from the identity.
double skew(const std::vector<double>& R, std::size_t D) {
  double most = 0;
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < D; ++j) {
      double sum = i == j ? -1 : 0;
      for (std::size_t k = 0; k < D; ++k) sum += R[k * D + i] * R[k * D + j];
      most = std::max(most, std::fabs(sum));
    }
  return most;
}

/// The product of two matrices [D, D], one of which is transposed:  out[i, j] = sum over k of
/// a[k, i] * b[k, j].
std::vector<double> transposed_product(const std::vector<double>& a, const std::vector<double>& b,
                                       std::size_t D) {
  std::vector<double> out(D * D);
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < D; ++j)
      for (std::size_t k = 0; k < D; ++k) out[i * D + j] += a[k * D + i] * b[k * D + j];
  return out;
}

std::vector<double> solved(std::vector<double> matrix, std::size_t D, double* scale = nullptr) {
  std::vector<double> workspace(procrustes::workspace_size(D));
  REQUIRE(procrustes::solve(matrix, D, workspace) == Status::kOk);
  if (scale) *scale = workspace[0];
  return matrix;
}

/// Checks that what `solve` returns is the closest orthogonal matrix: R^T M is symmetric, and its
/// trace is the scale.
void check_solved(const std::vector<double>& M, std::size_t D) {
  double scale = 0, trace = 0, most = 0;
  const std::vector<double> R = solved(M, D, &scale);
  CHECK(skew(R, D) <= 1e-13);
  const std::vector<double> P = transposed_product(R, M, D);
  for (std::size_t i = 0; i < D; ++i) {
    trace += P[i * D + i];
    for (std::size_t j = 0; j < i; ++j)
      most = std::max(most, std::fabs(P[i * D + j] - P[j * D + i]));
  }
  CHECK(std::fabs(trace - scale) <= 1e-13 * scale);
  CHECK(most <= 1e-13 * scale);
}

}  // namespace

TEST_CASE("procrustes.add_products: adds products of columns to the existing sums") {
  const std::vector<float> x{1, 2, 3, 4}, y{5, 6, 7, 8};
  std::vector<double> workspace(2), matrix{100, 0, 0, 0};
  REQUIRE(procrustes::add_products(x, y, 2, workspace, matrix) == Status::kOk);
  CHECK(matrix == std::vector<double>{126, 30, 38, 44});
}

TEST_CASE("procrustes.solve: for a diagonal matrix, returns its signs") {
  double scale = 0;
  CHECK(solved({3, 0, 0, -2}, 2, &scale) == std::vector<double>{1, 0, 0, -1});
  CHECK(scale == 5);
  CHECK(solved({0, 4, -4, 0}, 2, &scale) == std::vector<double>{0, 1, -1, 0});
  CHECK(scale == 8);
  CHECK(solved({-7}, 1, &scale) == std::vector<double>{-1});
  CHECK(scale == 7);
}

TEST_CASE("procrustes.solve: R^T M is symmetric, and its trace is the scale") {
  for (const std::size_t D : {1u, 2u, 3u, 8u, 33u, 100u}) check_solved(noise(D * D, 7), D);
}

TEST_CASE("procrustes.solve: handles rank 0, low ranks, and sizes from 2^-290 to 2^270") {
  for (const double size : {0.0, 0x1p-290, 1e-9, 0x1p270}) {
    for (const std::size_t rank : {1u, 3u, 6u}) {
      constexpr std::size_t D = 6;
      const std::vector<double> a = noise(D * rank, 5), b = noise(D * rank, 6);
      std::vector<double> M(D * D);
      for (std::size_t i = 0; i < D; ++i)
        for (std::size_t j = 0; j < D; ++j)
          for (std::size_t k = 0; k < rank; ++k)
            M[i * D + j] += size * a[i * rank + k] * b[j * rank + k];
      double scale = -1;
      CHECK(skew(solved(M, D, &scale), D) <= 1e-13);
      CHECK((size == 0 ? scale == 0 : scale > 0));
    }
  }
}

TEST_CASE("procrustes.solve: handles columns and rows that are zero, equal or multiples") {
  for (const std::size_t D : {2u, 3u, 4u, 8u, 50u}) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
      std::vector<double> M = noise(D * D, seed + 1);
      for (std::size_t at = 0; at < 1 + seed % D; ++at) {
        const std::size_t from = (at + seed) % D, to = (3 * at + 1) % D;
        for (std::size_t i = 0; i < D; ++i) {
          double& column = M[i * D + to];
          double& row = M[to * D + i];
          if (seed % 5 == 0) column = 0;
          if (seed % 5 == 1) row = 0;
          if (seed % 5 == 2) column = M[i * D + from];
          if (seed % 5 == 3) row = -M[from * D + i];
          if (seed % 5 == 4) column = 1e-17 * M[i * D + from];
        }
      }
      CAPTURE(D);
      CAPTURE(seed);
      check_solved(M, D);
    }
  }
}

TEST_CASE("procrustes.solve: returns the sum of a spectrum of any shape and size") {
  constexpr std::size_t D = 12;
  const std::vector<double> U = solved(noise(D * D, 11), D), V = solved(noise(D * D, 12), D);
  const auto spectra = std::vector<double (*)(std::size_t)>{
      [](std::size_t) { return 1.0; },
      [](std::size_t i) { return i < 5 ? 1.0 : 0.0; },
      [](std::size_t i) { return i < 2 ? 1.0 : 1e-13; },
      [](std::size_t i) { return i < 3 ? 1.0 : 1e-16; },
      [](std::size_t i) { return std::ldexp(1, -9 * static_cast<int>(i)); },
      [](std::size_t i) { return std::ldexp(1, -90 * static_cast<int>(i)); },
      [](std::size_t i) { return 1 + 1e-15 * static_cast<double>(i); },
  };
  for (const auto spectrum : spectra)
    for (const double size : {1.0, 1e-300, 1e-30, 1e76, 1e140}) {
      std::vector<double> left(D * D), expected(D * D);
      double sum = 0;
      for (std::size_t k = 0; k < D; ++k) {
        sum += spectrum(k);
        for (std::size_t i = 0; i < D; ++i) left[k * D + i] = size * spectrum(k) * U[k * D + i];
      }
      double scale = 0;
      const std::vector<double> M = transposed_product(left, V, D), R = solved(M, D, &scale);
      CHECK(skew(R, D) <= 1e-13);
      CHECK(std::fabs(scale / size - sum) <= 1e-13 * sum);
      const std::vector<double> P = transposed_product(R, M, D);
      double trace = 0;
      for (std::size_t i = 0; i < D; ++i) trace += P[i * D + i];
      CHECK(std::fabs(trace / size - sum) <= 1e-13 * sum);
    }
}

TEST_CASE("procrustes.solve: reports that NaN does not converge") {
  std::vector<double> matrix(9, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> workspace(procrustes::workspace_size(3));
  CHECK(procrustes::solve(matrix, 3, workspace) != Status::kOk);
}
