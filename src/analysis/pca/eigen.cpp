#include "analysis/pca/eigen.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/lanes.h"

namespace phasor::eigen {
namespace {

/// Half the distance from 1 to the next double.
constexpr double kRounding = 0x1p-53;

/// Squares below this count as 0: 1 over them must not overflow. Covariances of float32 numbers
/// start at 2^-298, and their rounding errors at 2^-350: squares of 2^-700.
constexpr double kNoSquare = 0x1p-960;

/// Rotates two rows:  x, y <- c x + s y, c y - s x.
[[gnu::noinline]] void rotate(double* x, double* y, double c, double s, std::size_t n) {
  const v128_t cs = wasm_f64x2_splat(c), ss = wasm_f64x2_splat(s);
  std::size_t j = 0;
  for (; j + 2 <= n; j += 2) {
    const v128_t a = wasm_v128_load(x + j), b = wasm_v128_load(y + j);
    wasm_v128_store(x + j, wasm_f64x2_add(wasm_f64x2_mul(cs, a), wasm_f64x2_mul(ss, b)));
    wasm_v128_store(y + j, wasm_f64x2_sub(wasm_f64x2_mul(cs, b), wasm_f64x2_mul(ss, a)));
  }
  if (j == n) return;
  const double a = x[j], b = y[j];
  x[j] = c * a + s * b;
  y[j] = c * b - s * a;
}

/// Reflects row k to [.. d e 0 .. 0], and the matrix with it:  A <- H A H,  H = 1 - beta v v^T.
/// Row k then contains beta and v, for `accumulate`.
void reflect(double* A, std::size_t n, std::size_t k, double& d, double& e, double* w) {
  double* v = A + k * n + k + 1;
  const std::size_t m = n - k - 1;
  const double first = v[0];
  const double rest = dot(v + 1, v + 1, m - 1);
  d = A[k * n + k];
  double& beta = A[k * n + k];
  if (rest <= kNoSquare) {
    beta = 0;
    e = first;
    return;
  }
  const double length = std::sqrt(first * first + rest);
  e = first < 0 ? length : -length;  // the sign without cancellation
  v[0] = first - e;
  beta = 1 / (length * (length + std::fabs(first)));
  double* B = A + (k + 1) * n + k + 1;  // the remaining m rows, with stride n
  for (std::size_t i = 0; i < m; ++i) w[i] = beta * dot(B + i * n, v, m);
  add_scaled(-0.5 * beta * dot(w, v, m), v, w, m);
  for (std::size_t i = 0; i < m; ++i) {
    const double vi = v[i], wi = w[i];
    add_scaled(-vi, w, B + i * n, m);
    add_scaled(-wi, v, B + i * n, m);
  }
}

/// Computes the product of the reflections in place: row k is not needed after reflection k.
void accumulate(double* A, std::size_t n) {
  for (std::size_t k = n; k-- > 0;) {
    double* v = A + k * n + k + 1;
    const double beta = k + 2 < n ? A[k * n + k] : 0;
    for (std::size_t i = k + 1; i < n; ++i) {
      double* row = A + i * n + k + 1;
      if (beta != 0) add_scaled(-beta * dot(row, v, n - k - 1), v, row, n - k - 1);
      A[i * n + k] = 0;
    }
    std::fill(v, A + (k + 1) * n, 0.0);
    A[k * n + k] = 1;
  }
}

/// Applies one sweep of rotations to rows low .. high of the tridiagonal matrix d, e.
void sweep(double* d, double* e, std::size_t low, std::size_t high, double* A, std::size_t n) {
  // Wilkinson's shift: the eigenvalue of the last 2 x 2 that is nearer to its last element.
  const double half = (d[high - 1] - d[high]) / 2, last = e[high - 1];
  const double root = std::sqrt(half * half + last * last);
  const double shift = d[high] - last * (last / (half + (half < 0 ? -root : root)));
  double x = d[low] - shift, bulge = e[low];
  for (std::size_t k = low; k < high; ++k) {
    const double r = std::sqrt(x * x + bulge * bulge);
    const double c = r == 0 ? 1 : x / r, s = r == 0 ? 0 : bulge / r;
    if (k > low) e[k - 1] = r;
    const double between = e[k];
    const double moved = 2 * c * between + s * (d[k + 1] - d[k]);
    d[k] += s * moved;
    d[k + 1] -= s * moved;
    e[k] = c * moved - between;
    if (k + 1 < high) {
      x = e[k];
      bulge = s * e[k + 1];
      e[k + 1] *= c;
    }
    if (A) rotate(A + k * n, A + (k + 1) * n, c, s, n);
  }
}

/// Makes d, e diagonal. Returns false if it does not converge.
bool diagonalize(double* d, double* e, double* A, std::size_t n) {
  double size = 0;
  for (std::size_t i = 0; i < n; ++i)
    size = std::max(size, std::fabs(d[i]) + (i + 1 < n ? std::fabs(e[i]) : 0));
  const double nothing = kRounding * size;
  std::size_t high = n - 1;
  for (std::size_t sweeps = 0; high > 0;) {
    if (std::fabs(e[high - 1]) <= nothing) {
      --high;
      continue;
    }
    if (++sweeps > 30 * n) return false;
    std::size_t low = high - 1;
    while (low > 0 && std::fabs(e[low - 1]) > nothing) --low;
    sweep(d, e, low, high, A, n);
  }
  return true;
}

}  // namespace

double dot(const double* a, const double* b, std::size_t n) noexcept {
  v128_t first = wasm_f64x2_splat(0), second = first;
  std::size_t j = 0;
  for (; j + 4 <= n; j += 4) {
    first = wasm_f64x2_add(first, wasm_f64x2_mul(wasm_v128_load(a + j), wasm_v128_load(b + j)));
    second = wasm_f64x2_add(second,
                            wasm_f64x2_mul(wasm_v128_load(a + j + 2), wasm_v128_load(b + j + 2)));
  }
  const v128_t sum = wasm_f64x2_add(first, second);
  double total = wasm_f64x2_extract_lane(sum, 0) + wasm_f64x2_extract_lane(sum, 1);
  for (; j < n; ++j) total += a[j] * b[j];
  return total;
}

void add_scaled(double factor, const double* from, double* to, std::size_t n) noexcept {
  const v128_t factors = wasm_f64x2_splat(factor);
  std::size_t j = 0;
  for (; j + 2 <= n; j += 2) {
    const v128_t more = wasm_f64x2_mul(factors, wasm_v128_load(from + j));
    wasm_v128_store(to + j, wasm_f64x2_add(wasm_v128_load(to + j), more));
  }
  if (j < n) to[j] += factor * from[j];
}

Status symmetric(std::span<double> matrix, std::size_t n, bool vectors, std::span<double> values,
                 std::span<double> workspace) noexcept {
  if (kChecked &&
      (n == 0 || matrix.size() != n * n || values.size() != n || workspace.size() != 2 * n))
    return Status::kBadShape;
  double* A = matrix.data();
  double* d = values.data();
  double* e = workspace.data();
  for (std::size_t k = 0; k + 2 < n; ++k) reflect(A, n, k, d[k], e[k], e + n);
  for (std::size_t k = n < 2 ? 0 : n - 2; k < n; ++k) {
    d[k] = A[k * n + k];
    if (k + 1 < n) e[k] = A[k * n + k + 1];
  }
  if (vectors) accumulate(A, n);
  if (!diagonalize(d, e, vectors ? A : nullptr, n)) return Status::kBadParam;
  for (std::size_t i = 0; i < n; ++i) {  // largest first
    const auto largest = static_cast<std::size_t>(std::max_element(d + i, d + n) - d);
    if (largest == i) continue;
    std::swap(d[i], d[largest]);
    if (vectors) rotate(A + i * n, A + largest * n, 0, 1, n);  // a quarter turn swaps the rows
  }
  return Status::kOk;
}

}  // namespace phasor::eigen
