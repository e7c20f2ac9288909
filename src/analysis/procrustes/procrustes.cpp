#include "analysis/procrustes/procrustes.h"

#include <algorithm>
#include <cmath>

#include "analysis/pca/eigen.h"
#include "analysis/pca/pca.h"

namespace phasor::procrustes {
namespace {

using eigen::add_scaled;
using eigen::dot;

/// The distance from 1 to the next double.
constexpr double kEpsilon = 0x1p-52;

/// Sweeps over all pairs at most: from the eigenvectors on, two or three are usual.
constexpr int kSweeps = 60;

/// Rotates two rows:  x, y <- c x - s y, s x + c y.
void rotate(double* x, double* y, double c, double s, std::size_t D) {
  for (std::size_t d = 0; d < D; ++d) {
    const double u = x[d], v = y[d];
    x[d] = c * u - s * v;
    y[d] = s * u + c * v;
  }
}

/// The length below which a row of `left` is rounding noise, relative to the longest.
double noise(std::size_t D) { return static_cast<double>(D) * kEpsilon; }

/// Makes each pair of rows of `left` orthogonal once, and rotates `right` with them. Returns whether
/// any pair was not. Rows of rounding noise have no direction, so they stay as they are.
bool sweep(double* left, double* right, double* squares, std::size_t D) {
  const double bound = noise(D);
  for (std::size_t i = 0; i < D; ++i) squares[i] = dot(left + i * D, left + i * D, D);
  const double least = bound * bound * *std::max_element(squares, squares + D);
  bool any = false;
  for (std::size_t i = 0; i < D; ++i) {
    double* x = left + i * D;
    for (std::size_t j = i + 1; j < D; ++j) {
      double* y = left + j * D;
      const double xx = squares[i], yy = squares[j];
      if (xx <= least || yy <= least) continue;
      const double xy = dot(x, y, D);
      if (std::fabs(xy) <= bound * std::sqrt(xx) * std::sqrt(yy)) continue;
      any = true;
      const double zeta = (yy - xx) / (2 * xy);
      const double t = (zeta < 0 ? -1 : 1) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
      const double c = 1 / std::sqrt(1 + t * t);
      rotate(x, y, c, c * t, D);
      rotate(right + i * D, right + j * D, c, c * t, D);
      squares[i] = dot(x, x, D);
      squares[j] = dot(y, y, D);
    }
  }
  return any;
}

/// Orders rows by their lengths, the longest first, and the rows of `right` with them.
void order(double* left, double* right, double* lengths, std::size_t D) {
  for (std::size_t i = 0; i < D; ++i) {
    const auto j = static_cast<std::size_t>(std::max_element(lengths + i, lengths + D) - lengths);
    if (j == i) continue;
    std::swap(lengths[i], lengths[j]);
    std::swap_ranges(left + i * D, left + (i + 1) * D, left + j * D);
    std::swap_ranges(right + i * D, right + (i + 1) * D, right + j * D);
  }
}

}  // namespace

Status add_products(std::span<const float> x, std::span<const float> y, std::size_t D,
                    std::span<double> workspace, std::span<double> matrix) noexcept {
  if (kChecked && (D == 0 || x.size() % D != 0 || y.size() != x.size() || workspace.size() != D ||
                   matrix.size() != D * D))
    return Status::kBadShape;
  for (std::size_t at = 0; at < x.size(); at += D) {
    std::copy_n(y.data() + at, D, workspace.data());
    for (std::size_t i = 0; i < D; ++i)
      add_scaled(static_cast<double>(x[at + i]), workspace.data(), matrix.data() + i * D, D);
  }
  return Status::kOk;
}

Status solve(std::span<double> matrix, std::size_t D, std::span<double> workspace) noexcept {
  if (kChecked && (D == 0 || matrix.size() != D * D || workspace.size() != workspace_size(D)))
    return Status::kBadShape;
  double* M = matrix.data();
  double* left = workspace.data();
  double* right = left + D * D;
  double* lengths = right + D * D;
  const std::span<double> scratch = workspace.last(2 * D);

  double size = 0;
  for (const double x : matrix) size = std::max(size, std::fabs(x));
  if (size > 0)
    for (double& x : matrix) x /= size;

  // The rows of `right` become the eigenvectors of M^T M, those of `left` the columns of M V.
  std::fill_n(right, D * D, 0.0);
  for (std::size_t r = 0; r < D; ++r)
    for (std::size_t i = 0; i < D; ++i)
      add_scaled(M[r * D + i], M + r * D + i, right + i * D + i, D - i);
  const Status status =
      pca::decompose(std::span(right, D * D), D, true, 0, std::span(lengths, D), scratch);
  if (status != Status::kOk) return status;
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t r = 0; r < D; ++r) left[i * D + r] = dot(M + r * D, right + i * D, D);

  int sweeps = 0;
  while (sweep(left, right, lengths, D))
    if (++sweeps == kSweeps) return Status::kBadParam;
  double sum = 0;
  for (std::size_t i = 0; i < D; ++i) sum += lengths[i] = std::sqrt(lengths[i]);
  order(left, right, lengths, D);
  std::size_t rank = 0;
  while (rank < D && lengths[rank] > noise(D) * lengths[0]) ++rank;
  static_cast<void>(pca::orthonormalize(std::span(left, D * D), D, rank, scratch.first(D)));

  std::fill_n(M, D * D, 0.0);
  for (std::size_t k = 0; k < D; ++k)
    for (std::size_t i = 0; i < D; ++i) add_scaled(left[k * D + i], right + k * D, M + i * D, D);
  workspace[0] = sum * size;
  return Status::kOk;
}

}  // namespace phasor::procrustes
