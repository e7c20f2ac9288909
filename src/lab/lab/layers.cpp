#include "lab/lab/layers.h"

#include <cmath>
#include <limits>

#include "lab/lab/functions.h"
#include "math/elementary.h"

namespace phasor::lab {
namespace {

constexpr float kEpsilon = 1e-5f;

v128_t at(const float* from) { return wasm_v128_load(from); }

/// to[0 .. 3] += x
void add_to(float* to, v128_t x) { wasm_v128_store(to, wasm_f32x4_add(at(to), x)); }

}  // namespace

void layer_norm(std::size_t N, std::size_t E, const float* x, const float* weight,
                const float* bias, float* hat, float* inverse, float* y) noexcept {
  const float width = static_cast<float>(E);
  for (std::size_t t = 0; t < N; ++t, x += E, hat += E, y += E) {
    v128_t sum = wasm_f32x4_splat(0);
    for (std::size_t e = 0; e < E; e += 4) sum = wasm_f32x4_add(sum, at(x + e));
    const v128_t mean = wasm_f32x4_splat(sum_of(sum) / width);
    v128_t squares = wasm_f32x4_splat(0);
    for (std::size_t e = 0; e < E; e += 4) {
      const v128_t off = wasm_f32x4_sub(at(x + e), mean);
      squares = wasm_f32x4_add(squares, wasm_f32x4_mul(off, off));
    }
    inverse[t] = 1.0f / std::sqrt(sum_of(squares) / width + kEpsilon);
    const v128_t by = wasm_f32x4_splat(inverse[t]);
    for (std::size_t e = 0; e < E; e += 4) {
      const v128_t of = wasm_f32x4_mul(wasm_f32x4_sub(at(x + e), mean), by);
      wasm_v128_store(hat + e, of);
      wasm_v128_store(y + e, wasm_f32x4_add(wasm_f32x4_mul(of, at(weight + e)), at(bias + e)));
    }
  }
}

void layer_norm_gradient(std::size_t N, std::size_t E, const float* hat, const float* inverse,
                         const float* weight, const float* dy, float* dx, float* dweight,
                         float* dbias) noexcept {
  const float width = static_cast<float>(E);
  for (std::size_t t = 0; t < N; ++t, hat += E, dy += E, dx += E) {
    v128_t sum = wasm_f32x4_splat(0), along = wasm_f32x4_splat(0);
    for (std::size_t e = 0; e < E; e += 4) {
      const v128_t of = at(hat + e), d = at(dy + e);
      const v128_t g = wasm_f32x4_mul(d, at(weight + e));
      sum = wasm_f32x4_add(sum, g);
      along = wasm_f32x4_add(along, wasm_f32x4_mul(g, of));
      add_to(dweight + e, wasm_f32x4_mul(d, of));
      add_to(dbias + e, d);
    }
    const v128_t mean = wasm_f32x4_splat(sum_of(sum) / width);
    const v128_t slope = wasm_f32x4_splat(sum_of(along) / width);
    const v128_t by = wasm_f32x4_splat(inverse[t]);
    for (std::size_t e = 0; e < E; e += 4) {
      const v128_t g = wasm_f32x4_mul(at(dy + e), at(weight + e));
      const v128_t rest =
          wasm_f32x4_sub(wasm_f32x4_sub(g, mean), wasm_f32x4_mul(at(hat + e), slope));
      add_to(dx + e, wasm_f32x4_mul(by, rest));
    }
  }
}

void gelu(std::size_t count, float* x, float* y) noexcept {
  const v128_t one = wasm_f32x4_splat(1);
  const v128_t first = wasm_f32x4_splat(1.5957691216f);  // 2 sqrt(2/pi)
  const v128_t third = wasm_f32x4_splat(1.5957691216f * 0.044715f);
  const v128_t slope = wasm_f32x4_splat(1.5957691216f * 0.134145f);
  const v128_t sign = wasm_f32x4_splat(-0.0f);
  for (std::size_t i = 0; i < count; i += 4) {
    const v128_t z = at(x + i);
    const v128_t square = wasm_f32x4_mul(z, z);
    const v128_t u = wasm_f32x4_mul(z, wasm_f32x4_add(first, wasm_f32x4_mul(third, square)));
    // e^-|u| never overflows, and neither s nor 1 - s cancels.
    const v128_t e = exp_f32x4(wasm_v128_or(u, sign));
    const v128_t more = wasm_f32x4_div(one, wasm_f32x4_add(one, e));
    const v128_t less = wasm_f32x4_mul(e, more);
    const v128_t isUp = wasm_f32x4_ge(z, wasm_f32x4_splat(0));
    const v128_t s = wasm_v128_bitselect(more, less, isUp);
    const v128_t value = wasm_f32x4_mul(z, s);
    const v128_t du = wasm_f32x4_add(first, wasm_f32x4_mul(slope, square));
    const v128_t steep = wasm_f32x4_mul(wasm_f32x4_mul(more, less), du);
    wasm_v128_store(y + i, value);
    wasm_v128_store(x + i, wasm_f32x4_add(s, wasm_f32x4_mul(z, steep)));
  }
}

Loss cross_entropy(std::size_t N, std::size_t V, std::size_t row, const std::int32_t* targets,
                   bool gradient, float* logits, float* losses, std::int32_t* hits) noexcept {
  Loss loss;
  for (std::size_t t = 0; t < N; ++t) loss.counted += targets[t] >= 0;
  const v128_t share = wasm_f32x4_splat(1.0f / static_cast<float>(loss.counted));
  for (std::size_t t = 0; t < N; ++t, logits += row) {
    const bool counts = targets[t] >= 0;
    if (losses != nullptr) losses[t] = 0;
    if (hits != nullptr) hits[t] = 0;
    if (!counts) {
      for (std::size_t v = 0; gradient && v < row; ++v) logits[v] = 0;
      continue;
    }
    for (std::size_t v = V; v < row; ++v) logits[v] = -std::numeric_limits<float>::infinity();
    const std::size_t target = static_cast<std::size_t>(targets[t]);
    std::size_t best = 0;
    float most = logits[0];
    for (std::size_t v = 1; v < V; ++v) {
      if (logits[v] > most) most = logits[best = v];
    }
    const float wanted = logits[target];
    v128_t sum = wasm_f32x4_splat(0);
    for (std::size_t v = 0; v < row; v += 4) {
      const v128_t e = exp_f32x4(wasm_f32x4_sub(at(logits + v), wasm_f32x4_splat(most)));
      sum = wasm_f32x4_add(sum, e);
      if (gradient) wasm_v128_store(logits + v, e);
    }
    const float total = sum_of(sum);
    const double nats = elementary::log_f64(static_cast<double>(total)) +
                        (static_cast<double>(most) - static_cast<double>(wanted));
    loss.sum += nats;
    if (losses != nullptr) losses[t] = static_cast<float>(nats);
    if (hits != nullptr) hits[t] = best == target;
    if (!gradient) continue;
    const v128_t by = wasm_f32x4_div(share, wasm_f32x4_splat(total));
    for (std::size_t v = 0; v < row; v += 4)
      wasm_v128_store(logits + v, wasm_f32x4_mul(at(logits + v), by));
    logits[target] -= wasm_f32x4_extract_lane(share, 0);
  }
  return loss;
}

void add_rows(std::size_t N, std::size_t E, const float* rows, std::size_t row,
              float* out) noexcept {
  for (std::size_t t = 0; t < N; ++t, rows += row) {
    std::size_t e = 0;
    for (; e + 4 <= E; e += 4) add_to(out + e, at(rows + e));
    for (; e < E; ++e) out[e] += rows[e];
  }
}

}  // namespace phasor::lab
