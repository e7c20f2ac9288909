#include "math/linear.h"

#include "math/lanes.h"
#include "math/nan.h"
#include "math/widen.h"

namespace phasor::linear {
namespace {

v128_t low_f64x2(v128_t x) { return wasm_f64x2_promote_low_f32x4(x); }
v128_t high_f64x2(v128_t x) {
  return wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(x, x, 2, 3, 2, 3));
}

/// [s0 s1] and [s2 s3] as one sum, then what is left of the rows.
double finish(v128_t first, v128_t second, const float* a, const float* b, std::size_t from,
              std::size_t D) {
  const v128_t sum = wasm_f64x2_add(first, second);
  double total = wasm_f64x2_extract_lane(sum, 0) + wasm_f64x2_extract_lane(sum, 1);
  for (std::size_t d = from; d < D; ++d)
    total += static_cast<double>(a[d]) * static_cast<double>(b[d]);
  return total;
}

float rounded(double x) { return canonical(static_cast<float>(x)); }

}  // namespace

double dot_scalar(std::span<const float> a, std::span<const float> b) noexcept {
  double sums[4] = {0, 0, 0, 0};
  std::size_t d = 0;
  for (; d + 4 <= a.size(); d += 4)
    for (std::size_t k = 0; k < 4; ++k)
      sums[k] += static_cast<double>(a[d + k]) * static_cast<double>(b[d + k]);
  double total = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  for (; d < a.size(); ++d) total += static_cast<double>(a[d]) * static_cast<double>(b[d]);
  return total;
}

double dot(std::span<const float> a, std::span<const float> b) noexcept {
  v128_t first = wasm_f64x2_splat(0), second = wasm_f64x2_splat(0);
  std::size_t d = 0;
  for (; d + 4 <= a.size(); d += 4) {
    const v128_t x = wasm_v128_load(a.data() + d);
    const v128_t y = wasm_v128_load(b.data() + d);
    first = wasm_f64x2_add(first, wasm_f64x2_mul(low_f64x2(x), low_f64x2(y)));
    second = wasm_f64x2_add(second, wasm_f64x2_mul(high_f64x2(x), high_f64x2(y)));
  }
  return finish(first, second, a.data(), b.data(), d, a.size());
}

Status products(std::span<const float> x, std::span<const float> w, std::size_t T, std::size_t N,
                std::size_t D, double scale, std::span<float> out) noexcept {
  if (kChecked && (x.size() != T * D || w.size() != N * D || out.size() != T * N))
    return Status::kBadShape;
  for (std::size_t t = 0; t < T; ++t) {
    const float* a = x.data() + t * D;
    float* to = out.data() + t * N;
    std::size_t n = 0;
    for (; n + 2 <= N; n += 2) {  // two rows at a time: each number of x is widened once for both
      const float* b = w.data() + n * D;
      const float* c = b + D;
      v128_t b0 = wasm_f64x2_splat(0), b1 = b0, c0 = b0, c1 = b0;
      std::size_t d = 0;
      for (; d + 4 <= D; d += 4) {
        const v128_t value = wasm_v128_load(a + d);
        const v128_t x0 = low_f64x2(value), x1 = high_f64x2(value);
        const v128_t y = wasm_v128_load(b + d);
        const v128_t z = wasm_v128_load(c + d);
        b0 = wasm_f64x2_add(b0, wasm_f64x2_mul(x0, low_f64x2(y)));
        b1 = wasm_f64x2_add(b1, wasm_f64x2_mul(x1, high_f64x2(y)));
        c0 = wasm_f64x2_add(c0, wasm_f64x2_mul(x0, low_f64x2(z)));
        c1 = wasm_f64x2_add(c1, wasm_f64x2_mul(x1, high_f64x2(z)));
      }
      to[n] = rounded(scale * finish(b0, b1, a, b, d, D));
      to[n + 1] = rounded(scale * finish(c0, c1, a, c, d, D));
    }
    for (; n < N; ++n) to[n] = rounded(scale * dot({a, D}, {w.data() + n * D, D}));
  }
  return Status::kOk;
}

Status mix_scalar(std::span<const float> weights, std::span<const float> rows, std::size_t T,
                  std::size_t N, std::size_t D, std::span<float> out) noexcept {
  if (kChecked && (weights.size() != T * N || rows.size() != N * D || out.size() != T * D))
    return Status::kBadShape;
  for (std::size_t t = 0; t < T; ++t) {
    for (std::size_t d = 0; d < D; ++d) {
      double sum = 0;
      for (std::size_t n = 0; n < N; ++n)
        sum += static_cast<double>(weights[t * N + n]) * static_cast<double>(rows[n * D + d]);
      out[t * D + d] = rounded(sum);
    }
  }
  return Status::kOk;
}

Status mix(std::span<const float> weights, std::span<const float> rows, std::size_t T,
           std::size_t N, std::size_t D, std::span<float> out) noexcept {
  if (kChecked && (weights.size() != T * N || rows.size() != N * D || out.size() != T * D))
    return Status::kBadShape;
  const std::size_t whole = D - D % 8;
  for (std::size_t t = 0; t < T; ++t) {
    const float* weight = weights.data() + t * N;
    float* to = out.data() + t * D;
    for (std::size_t d = 0; d < whole; d += 8) {
      v128_t s0 = wasm_f64x2_splat(0), s1 = s0, s2 = s0, s3 = s0;
      for (std::size_t n = 0; n < N; ++n) {
        const v128_t w = wasm_f64x2_splat(static_cast<double>(weight[n]));
        const v128_t x = wasm_v128_load(rows.data() + n * D + d);
        const v128_t y = wasm_v128_load(rows.data() + n * D + d + 4);
        s0 = wasm_f64x2_add(s0, wasm_f64x2_mul(w, low_f64x2(x)));
        s1 = wasm_f64x2_add(s1, wasm_f64x2_mul(w, high_f64x2(x)));
        s2 = wasm_f64x2_add(s2, wasm_f64x2_mul(w, low_f64x2(y)));
        s3 = wasm_f64x2_add(s3, wasm_f64x2_mul(w, high_f64x2(y)));
      }
      to[d] = rounded(wasm_f64x2_extract_lane(s0, 0));
      to[d + 1] = rounded(wasm_f64x2_extract_lane(s0, 1));
      to[d + 2] = rounded(wasm_f64x2_extract_lane(s1, 0));
      to[d + 3] = rounded(wasm_f64x2_extract_lane(s1, 1));
      to[d + 4] = rounded(wasm_f64x2_extract_lane(s2, 0));
      to[d + 5] = rounded(wasm_f64x2_extract_lane(s2, 1));
      to[d + 6] = rounded(wasm_f64x2_extract_lane(s3, 0));
      to[d + 7] = rounded(wasm_f64x2_extract_lane(s3, 1));
    }
    for (std::size_t d = whole; d < D; ++d) {
      double sum = 0;
      for (std::size_t n = 0; n < N; ++n)
        sum += static_cast<double>(weight[n]) * static_cast<double>(rows[n * D + d]);
      to[d] = rounded(sum);
    }
  }
  return Status::kOk;
}

}  // namespace phasor::linear
