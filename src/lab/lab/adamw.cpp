#include "lab/lab/adamw.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "math/lanes.h"

namespace phasor::lab {
namespace {

/// x^n for a whole n, by squares: the same products everywhere.
double power(double x, double n) {
  double result = 1;
  for (auto left = static_cast<std::uint64_t>(n); left > 0; left /= 2, x *= x)
    if (left % 2 == 1) result *= x;
  return result;
}

v128_t splat(double x) { return wasm_f32x4_splat(static_cast<float>(x)); }

}  // namespace

double norm(const float* x, std::size_t count) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double of = static_cast<double>(x[i]);
    sum += of * of;
  }
  return std::sqrt(sum);
}

void adamw(const Adam& adam, double rate, double decay, std::size_t count, float* w, const float* g,
           float* m, float* v) noexcept {
  const double first = 1 - power(adam.beta1, adam.step);
  const double second = 1 - power(adam.beta2, adam.step);
  const v128_t share = splat(adam.share), b1 = splat(adam.beta1), b2 = splat(adam.beta2);
  const v128_t n1 = splat(1 - adam.beta1), n2 = splat(1 - adam.beta2);
  const v128_t step = splat(rate / first), root = splat(1 / std::sqrt(second));
  const v128_t epsilon = splat(adam.epsilon), kept = splat(1 - rate * decay);
  for (std::size_t i = 0; i < count; i += 4) {
    const v128_t of = wasm_f32x4_mul(wasm_v128_load(g + i), share);
    const v128_t mean =
        wasm_f32x4_add(wasm_f32x4_mul(b1, wasm_v128_load(m + i)), wasm_f32x4_mul(n1, of));
    const v128_t square = wasm_f32x4_add(wasm_f32x4_mul(b2, wasm_v128_load(v + i)),
                                         wasm_f32x4_mul(n2, wasm_f32x4_mul(of, of)));
    const v128_t size = wasm_f32x4_add(wasm_f32x4_mul(wasm_f32x4_sqrt(square), root), epsilon);
    const v128_t old = wasm_f32x4_mul(wasm_v128_load(w + i), kept);
    wasm_v128_store(w + i, wasm_f32x4_sub(old, wasm_f32x4_div(wasm_f32x4_mul(step, mean), size)));
    wasm_v128_store(m + i, mean);
    wasm_v128_store(v + i, square);
  }
}

double rate(double peak, double n, double N, double warmup, double floor) noexcept {
  const double warm = std::min(1.0, (n + 1) / std::min(warmup, std::floor(N / 4) + 1));
  const double cosine = elementary::cos_sin_turns(n / (2 * N)).cos;
  return peak * warm * (floor + (1 - floor) * 0.5 * (1 + cosine));
}

}  // namespace phasor::lab
