#include "embedding/embedding/training.h"

#include <algorithm>
#include <cmath>

#include "math/lanes.h"
#include "math/nan.h"
#include "math/widen.h"

namespace phasor::embedding {
namespace {

bool inside(std::span<const std::int32_t> rows, std::size_t V) {
  return std::all_of(rows.begin(), rows.end(), [V](std::int32_t row) {
    return row >= 0 && static_cast<std::size_t>(row) < V;
  });
}

bool known(const Rule& rule) {
  if (!(rule.learning_rate >= 0 && rule.momentum >= 0 && rule.weight_decay >= 0)) return false;
  if (rule.optimizer == Optimizer::kSgd) return true;
  return (rule.optimizer == Optimizer::kAdam || rule.optimizer == Optimizer::kSparseAdam) &&
         rule.momentum < 1 && rule.beta2 >= 0 && rule.beta2 < 1 && rule.epsilon > 0 &&
         rule.step >= 1;
}

/// x^n for integers n >= 0, by squaring.
double power(double x, double n) {
  double result = 1;
  for (; n >= 1; x *= x) {
    const double half = std::floor(n / 2);
    if (n != 2 * half) result *= x;
    n = half;
  }
  return result;
}

float rounded(double x) { return canonical(static_cast<float>(x)); }

}  // namespace

Status accumulate(std::span<const float> gradients, std::size_t D,
                  std::span<const std::int32_t> slots, std::span<const double> factors,
                  std::span<double> sums) noexcept {
  const std::size_t N = slots.size();
  if (kChecked &&
      (D == 0 || gradients.size() != N * D || factors.size() != N || sums.size() % D != 0))
    return Status::kBadShape;
  if (!inside(slots, sums.size() / D)) return Status::kBadIndex;
  for (std::size_t n = 0; n < N; ++n) {
    double* sum = sums.data() + static_cast<std::size_t>(slots[n]) * D;
    const float* gradient = gradients.data() + n * D;
    const v128_t factor = wasm_f64x2_splat(factors[n]);
    const auto add = [&](double* to, v128_t x) {
      wasm_v128_store(to, wasm_f64x2_add(wasm_v128_load(to), wasm_f64x2_mul(factor, x)));
    };
    std::size_t d = 0;
    for (; d + 8 <= D; d += 8) {
      const v128_t x = wasm_v128_load(gradient + d);
      const v128_t y = wasm_v128_load(gradient + d + 4);
      add(sum + d, low_f64x2(x));
      add(sum + d + 2, high_f64x2(x));
      add(sum + d + 4, low_f64x2(y));
      add(sum + d + 6, high_f64x2(y));
    }
    for (; d < D; ++d) sum[d] += factors[n] * static_cast<double>(gradient[d]);
  }
  return Status::kOk;
}

Status round_sums(std::span<double> sums, std::span<float> out) noexcept {
  if (kChecked && sums.size() != out.size()) return Status::kBadShape;
  const v128_t zero = wasm_f64x2_splat(0);
  v128_t seen = zero;  // becomes NaN when a result is NaN
  std::size_t k = 0;
  for (; k + 4 <= sums.size(); k += 4) {
    const v128_t result =
        narrow_f32x4(wasm_v128_load(sums.data() + k), wasm_v128_load(sums.data() + k + 2));
    seen = wasm_f32x4_add(seen, result);
    wasm_v128_store(out.data() + k, result);
    wasm_v128_store(sums.data() + k, zero);
    wasm_v128_store(sums.data() + k + 2, zero);
  }
  if (any_nan(seen)) canonicalize(out.first(k));
  for (; k < sums.size(); ++k) {
    out[k] = rounded(sums[k]);
    sums[k] = 0;
  }
  return Status::kOk;
}

Status step(std::span<float> table, std::size_t V, std::size_t D,
            std::span<const std::int32_t> rows, std::span<const float> gradients, const Rule& rule,
            std::span<float> first, std::span<float> second) noexcept {
  if (!known(rule)) return Status::kBadParam;
  const bool sgd = rule.optimizer == Optimizer::kSgd;
  const std::size_t firsts = sgd && rule.momentum == 0 ? 0 : V * D;
  if (kChecked && (D == 0 || table.size() != V * D || gradients.size() != rows.size() * D ||
                   first.size() != firsts || second.size() != (sgd ? 0 : V * D)))
    return Status::kBadShape;
  if (!inside(rows, V)) return Status::kBadIndex;

  // Both variants of Adam are w -= rate m / (shrink sqrt(v) + epsilon).
  const double b1 = rule.momentum, b2 = rule.beta2;
  const double c1 = 1 - power(b1, rule.step);
  const double root = std::sqrt(1 - power(b2, rule.step));
  const bool sparse = rule.optimizer == Optimizer::kSparseAdam;
  const double share = sgd ? 1 : 1 - b1;
  const double rate = rule.learning_rate * (sgd ? 1 : (sparse ? root : 1) / c1);
  const double shrink = sparse ? 1 : 1 / root;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t d = 0; d < D; ++d) {
      const std::size_t k = static_cast<std::size_t>(rows[r]) * D + d;
      const double w = static_cast<double>(table[k]);
      double g = static_cast<double>(gradients[r * D + d]);
      if (rule.weight_decay != 0) g += rule.weight_decay * w;  // infinity times 0 is NaN
      double u = g;
      if (!first.empty()) {
        u = b1 * static_cast<double>(first[k]) + share * g;
        first[k] = rounded(u);
      }
      if (!second.empty()) {
        const double v = b2 * static_cast<double>(second[k]) + (1 - b2) * g * g;
        second[k] = rounded(v);
        u /= shrink * std::sqrt(v) + rule.epsilon;
      }
      table[k] = rounded(w - rate * u);
    }
  }
  return Status::kOk;
}

}  // namespace phasor::embedding
