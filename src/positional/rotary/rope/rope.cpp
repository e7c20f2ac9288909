#include "positional/rotary/rope/rope.h"

#include "math/lanes.h"
#include "math/nan.h"

namespace phasor::rope {
namespace {

bool shapes_agree(std::span<float> x, std::span<const float> cos, std::span<const float> sin,
                  std::size_t T, std::size_t N, std::size_t D, std::size_t R) {
  return D > 0 && R % 2 == 0 && R <= D && x.size() == T * N * D && cos.size() == T * (R / 2) &&
         sin.size() == cos.size();
}

void rotate_pair(float& a, float& b, float cos, float sin) {
  const float turned_a = a * cos - b * sin;
  const float turned_b = b * cos + a * sin;
  a = canonical(turned_a);
  b = canonical(turned_b);
}

void rotate_pairs(float* row, const float* cos, const float* sin, std::size_t from, std::size_t P,
                  Layout layout, float direction) {
  for (std::size_t i = from; i < P; ++i) {
    const bool halves = layout == Layout::kHalves;
    rotate_pair(row[halves ? i : 2 * i], row[halves ? i + P : 2 * i + 1], cos[i],
                direction * sin[i]);
  }
}

/// Four pairs turned by their angles.
struct Turned {
  v128_t a;
  v128_t b;
};

Turned turn(v128_t a, v128_t b, v128_t c, v128_t s) {
  const v128_t ac = wasm_f32x4_mul(a, c), bs = wasm_f32x4_mul(b, s);
  const v128_t bc = wasm_f32x4_mul(b, c), as = wasm_f32x4_mul(a, s);
  return {wasm_f32x4_sub(ac, bs), wasm_f32x4_add(bc, as)};
}

template <Layout kLayout>
void rotate_row(float* row, const float* cos, const float* sin, std::size_t P, float direction) {
  v128_t sum = wasm_f32x4_splat(0);  // NaN as soon as one result is
  std::size_t i = 0;
  for (; i + 4 <= P; i += 4) {
    const v128_t c = wasm_v128_load(cos + i);
    const v128_t s = wasm_f32x4_mul(wasm_v128_load(sin + i), wasm_f32x4_splat(direction));
    if constexpr (kLayout == Layout::kHalves) {  // [r r r r] and [i i i i] stand P apart
      const auto [a, b] = turn(wasm_v128_load(row + i), wasm_v128_load(row + P + i), c, s);
      wasm_v128_store(row + i, a);
      wasm_v128_store(row + P + i, b);
      sum = wasm_f32x4_add(sum, wasm_f32x4_add(a, b));
    } else {  // [r i r i] [r i r i]: four pairs in two vectors
      const v128_t low = wasm_v128_load(row + 2 * i);
      const v128_t high = wasm_v128_load(row + 2 * i + 4);
      const auto [a, b] = turn(wasm_i32x4_shuffle(low, high, 0, 2, 4, 6),
                               wasm_i32x4_shuffle(low, high, 1, 3, 5, 7), c, s);
      wasm_v128_store(row + 2 * i, wasm_i32x4_shuffle(a, b, 0, 4, 1, 5));
      wasm_v128_store(row + 2 * i + 4, wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
      sum = wasm_f32x4_add(sum, wasm_f32x4_add(a, b));
    }
  }
  if (any_nan(sum)) canonicalize({row, 2 * P});
  rotate_pairs(row, cos, sin, i, P, kLayout, direction);
}

template <Layout kLayout>
void rotate_rows(float* row, const float* cos, const float* sin, std::size_t T, std::size_t N,
                 std::size_t D, std::size_t P, float direction) {
  for (std::size_t t = 0; t < T; ++t, cos += P, sin += P)
    for (std::size_t n = 0; n < N; ++n, row += D) rotate_row<kLayout>(row, cos, sin, P, direction);
}

}  // namespace

Status table(std::span<const double> positions, std::size_t P, phase::Precision precision,
             double amplitude, std::span<double> workspace, std::span<float> out,
             std::size_t sin) noexcept {
  const std::size_t size = positions.size() * P;
  if (kChecked && (sin < size || out.size() != sin + size)) return Status::kBadShape;
  return phase::rows(positions, precision, P, amplitude, workspace, out,
                     {.sin = sin, .cos = 0, .step = 1, .row = P, .cosines = P});
}

Status rotate_scalar(std::span<float> x, std::span<const float> cos, std::span<const float> sin,
                     std::size_t T, std::size_t N, std::size_t D, std::size_t R, Layout layout,
                     bool inverse) noexcept {
  if (kChecked && !shapes_agree(x, cos, sin, T, N, D, R)) return Status::kBadShape;
  const std::size_t P = R / 2;
  for (std::size_t row = 0; row < T * N; ++row) {
    const std::size_t t = row / N;
    rotate_pairs(x.data() + row * D, cos.data() + t * P, sin.data() + t * P, 0, P, layout,
                 inverse ? -1.0f : 1.0f);
  }
  return Status::kOk;
}

Status rotate(std::span<float> x, std::span<const float> cos, std::span<const float> sin,
              std::size_t T, std::size_t N, std::size_t D, std::size_t R, Layout layout,
              bool inverse) noexcept {
  if (kChecked && !shapes_agree(x, cos, sin, T, N, D, R)) return Status::kBadShape;
  const std::size_t P = R / 2;
  const float direction = inverse ? -1.0f : 1.0f;
  if (layout == Layout::kHalves)
    rotate_rows<Layout::kHalves>(x.data(), cos.data(), sin.data(), T, N, D, P, direction);
  else
    rotate_rows<Layout::kInterleaved>(x.data(), cos.data(), sin.data(), T, N, D, P, direction);
  return Status::kOk;
}

}  // namespace phasor::rope
