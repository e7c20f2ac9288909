#include "lab/lab/scheme.h"

#include <algorithm>
#include <cmath>

#include "lab/lab/functions.h"
#include "math/elementary.h"

namespace phasor::lab {
namespace {

bool has_line(Kind kind) { return kind >= Kind::kLine && kind <= Kind::kKerplePower; }

bool is_kerple(Kind kind) { return kind == Kind::kKerpleLog || kind == Kind::kKerplePower; }

/// The magnitudes of KERPLE's two numbers of a head, and their signs for the gradient.
struct Kerple {
  Kerple(const float* numbers, std::size_t H, std::size_t h)
      : p(std::fabs(static_cast<double>(numbers[h]))),
        a(std::fabs(static_cast<double>(numbers[H + h]))),
        p_sign(numbers[h] < 0 ? -1 : 1),
        a_sign(numbers[H + h] < 0 ? -1 : 1) {}

  double p, a, p_sign, a_sign;
};

/// n^p for a distance; 0^p is 0.
double power(double n, double p) {
  return n == 0 ? 0 : elementary::exp_f64(p * elementary::log_f64(n));
}

std::size_t distance(const Head& head, std::size_t i, std::size_t j) {
  return head.indices == nullptr ? i - j
                                 : static_cast<std::size_t>(head.indices[i] - head.indices[j]);
}

/// FIRE's input of four keys: the line of logarithms, times the inverse of the query's.
v128_t fire_input(const Head& head, std::size_t i, std::size_t j) {
  const float* line = head.scheme->tables + head.positions->N - 1;
  const std::size_t query = head.indices == nullptr ? i : static_cast<std::size_t>(head.indices[i]);
  const v128_t inverse = wasm_f32x4_splat(line[1 + query]);
  if (head.indices == nullptr) return wasm_f32x4_mul(wasm_v128_load(line - i + j), inverse);
  float at[4] = {};
  for (std::size_t k = 0; k < 4 && j + k <= i; ++k) at[k] = *(line - distance(head, i, j + k));
  return wasm_f32x4_mul(wasm_v128_load(at), inverse);
}

/// FIRE's numbers: w1 [M] | b1 [M] | w2 [H, M] | b2 [H], of one head.
struct Fire {
  explicit Fire(const Head& head)
      : M(head.scheme->size),
        w1(head.numbers),
        b1(w1 + M),
        w2(b1 + M + head.h * M),
        b2(b1 + M + head.H * M + head.h) {}

  std::size_t M;
  const float *w1, *b1, *w2, *b2;
};

/// A unit before its ramp.
v128_t unit(const Fire& fire, std::size_t m, v128_t x) {
  return wasm_f32x4_add(wasm_f32x4_mul(wasm_f32x4_splat(fire.w1[m]), x),
                        wasm_f32x4_splat(fire.b1[m]));
}

void fire_term(const Head& head, std::size_t i, float* room) {
  const Fire fire(head);
  for (std::size_t j = 0; j <= i; j += 4) {
    const v128_t x = fire_input(head, i, j);
    v128_t sum = wasm_f32x4_splat(*fire.b2);
    for (std::size_t m = 0; m < fire.M; ++m) {
      const v128_t ramp = wasm_f32x4_pmax(unit(fire, m, x), wasm_f32x4_splat(0));
      sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_f32x4_splat(fire.w2[m]), ramp));
    }
    wasm_v128_store(room + j, sum);
  }
}

void fire_gradient(const Head& head, std::size_t i, const float* d, float* dnumbers) {
  const Fire fire(head);
  const v128_t zero = wasm_f32x4_splat(0);
  const auto to = [&](const float* number) { return dnumbers + (number - head.numbers); };
  v128_t all = zero;
  for (std::size_t j = 0; j <= i; j += 4) all = wasm_f32x4_add(all, wasm_v128_load(d + j));
  *to(fire.b2) += sum_of(all);
  for (std::size_t m = 0; m < fire.M; ++m) {
    v128_t dw1 = zero, db1 = zero, dw2 = zero;
    for (std::size_t j = 0; j <= i; j += 4) {
      const v128_t x = fire_input(head, i, j), of = wasm_v128_load(d + j), z = unit(fire, m, x);
      dw2 = wasm_f32x4_add(dw2, wasm_f32x4_mul(of, wasm_f32x4_pmax(z, zero)));
      const v128_t isFlat = wasm_f32x4_ge(zero, z);
      const v128_t dz =
          wasm_v128_bitselect(zero, wasm_f32x4_mul(of, wasm_f32x4_splat(fire.w2[m])), isFlat);
      db1 = wasm_f32x4_add(db1, dz);
      dw1 = wasm_f32x4_add(dw1, wasm_f32x4_mul(dz, x));
    }
    *to(fire.w1 + m) += sum_of(dw1);
    *to(fire.b1 + m) += sum_of(db1);
    *to(fire.w2 + m) += sum_of(dw2);
  }
}

/// What CoPE's gates multiply q . k by: the temperature is not for them.
double gate_scale(const Head& head) { return 1 / std::sqrt(static_cast<double>(head.D)); }

/// Walks from key i to key 0, as CoPE counts: with the gate of the key, the position, and whether the last
/// position has not been reached.
template <class Visit>
void count_gates(const Head& head, std::size_t i, const float* scores, Visit visit) {
  const double last = static_cast<double>(head.scheme->size - 1);
  const double scale = gate_scale(head);
  double count = 0;
  for (std::size_t j = i + 1; j-- > 0;) {
    const double gate = 1.0 / (1.0 + elementary::exp_f64(-scale * static_cast<double>(scores[j])));
    count += gate;
    const double position = count < last ? count : last;  // of a NaN, too: it is an index
    const auto below = std::min(static_cast<std::size_t>(position), head.scheme->size - 1);
    visit(j, gate, below, position - static_cast<double>(below), count < last);
  }
}

void cope_term(const Head& head, std::size_t i, const float* scores, float* room) {
  const float* of = head.extra + i * head.scheme->size;
  count_gates(head, i, scores, [&](std::size_t j, double, std::size_t below, double w, bool) {
    const double low = static_cast<double>(of[below]);
    room[j] =
        static_cast<float>(w == 0 ? low : (1 - w) * low + w * static_cast<double>(of[below + 1]));
  });
}

void cope_gradient(const Head& head, std::size_t i, const float* d, float* scores, float* room,
                   float* dscores, float* dextra) {
  const float* of = head.extra + i * head.scheme->size;
  float* dof = dextra + i * head.scheme->size;
  count_gates(head, i, scores,
              [&](std::size_t j, double gate, std::size_t below, double w, bool counts) {
                scores[j] = static_cast<float>(gate);
                room[j] = counts ? d[j] * (of[below + 1] - of[below]) : 0;
                dof[below] += static_cast<float>(1 - w) * d[j];
                if (counts) dof[below + 1] += static_cast<float>(w) * d[j];
              });
  // A gate counts for its own key and all keys before it.
  const float scale = static_cast<float>(gate_scale(head));
  float worth = 0;
  for (std::size_t j = 0; j <= i; ++j) {
    worth += room[j];
    dscores[j] += worth * scale * scores[j] * (1 - scores[j]);
  }
}

}  // namespace

std::size_t numbers_of(const Scheme& scheme, std::size_t H, std::size_t D) noexcept {
  switch (scheme.kind) {
    case Kind::kT5:
      return scheme.size * H;
    case Kind::kKerpleLog:
    case Kind::kKerplePower:
      return 2 * H;
    case Kind::kFire:
      return (2 + H) * scheme.size + H;
    case Kind::kShaw:
    case Kind::kCope:
      return scheme.size * D;
    default:
      return 0;
  }
}

void fire_tables(double c, double threshold, std::size_t N, std::span<float> out) noexcept {
  for (std::size_t n = 0; n < N; ++n)
    out[N - 1 - n] = static_cast<float>(elementary::log1p_f64(c * static_cast<double>(n)));
  for (std::size_t i = 0; i < N; ++i) {
    const double largest = std::max(static_cast<double>(i), threshold);
    out[N + i] = static_cast<float>(1 / (elementary::log1p_f64(c * largest) + 1e-6));
  }
  std::ranges::fill(out.subspan(2 * N), 0.0f);
}

void prepare(const Scheme& scheme, const float* weights, std::size_t H, std::size_t N) noexcept {
  if (scheme.kind != Kind::kT5 && !is_kerple(scheme.kind)) return;
  const float* numbers = weights + scheme.at;
  for (std::size_t h = 0; h < H; ++h) {
    float* near = scheme.line + h * N + N - 1;
    for (std::size_t n = 0; n < N; ++n) {
      if (scheme.kind == Kind::kT5) {
        *(near - n) = numbers[static_cast<std::size_t>(scheme.index[n]) * H + h];
        continue;
      }
      const Kerple of(numbers, H, h);
      const double r = static_cast<double>(n);
      const bool isLog = scheme.kind == Kind::kKerpleLog;
      const double size = isLog ? of.p * elementary::log1p_f64(of.a * r) : of.a * power(r, of.p);
      *(near - n) = static_cast<float>(-size);
    }
  }
}

void finish(const Scheme& scheme, const float* weights, std::size_t H, std::size_t N,
            float* gradients) noexcept {
  const float* numbers = weights + scheme.at;
  float* to = gradients + scheme.at;
  const bool isLog = scheme.kind == Kind::kKerpleLog;
  for (std::size_t h = 0; h < H; ++h) {
    const float* near = scheme.sums + h * N + N - 1;
    double dp = 0, da = 0;
    for (std::size_t n = 0; n < N; ++n) {
      if (scheme.kind == Kind::kT5)
        to[static_cast<std::size_t>(scheme.index[n]) * H + h] += *(near - n);
      if (!is_kerple(scheme.kind)) continue;
      const Kerple of(numbers, H, h);
      const double r = static_cast<double>(n), g = static_cast<double>(*(near - n));
      if (isLog) {
        dp -= g * elementary::log1p_f64(of.a * r) * of.p_sign;
        da -= g * of.p * r / (1 + of.a * r) * of.a_sign;
      } else if (n > 0) {
        const double size = power(r, of.p);
        dp -= g * of.a * size * elementary::log_f64(r) * of.p_sign;
        da -= g * size * of.a_sign;
      }
    }
    if (scheme.kind == Kind::kT5) continue;
    to[h] += static_cast<float>(dp);
    to[H + h] += static_cast<float>(da);
  }
}

void rotate(float* rows, std::size_t T, std::size_t row, std::size_t H, std::size_t D,
            std::size_t pairs, const float* cos, const float* sin, bool back) noexcept {
  const v128_t sign = wasm_f32x4_splat(back ? -0.0f : 0.0f);
  for (std::size_t t = 0; t < T; ++t, rows += row, cos += pairs, sin += pairs) {
    for (std::size_t h = 0; h < H; ++h) {
      float* a = rows + h * D;
      float* b = a + pairs;
      std::size_t i = 0;
      for (; i + 4 <= pairs; i += 4) {
        const v128_t x = wasm_v128_load(a + i), y = wasm_v128_load(b + i),
                     c = wasm_v128_load(cos + i);
        const v128_t s = wasm_v128_xor(wasm_v128_load(sin + i), sign);
        wasm_v128_store(a + i, wasm_f32x4_sub(wasm_f32x4_mul(x, c), wasm_f32x4_mul(y, s)));
        wasm_v128_store(b + i, wasm_f32x4_add(wasm_f32x4_mul(y, c), wasm_f32x4_mul(x, s)));
      }
      for (; i < pairs; ++i) {
        const float x = a[i], y = b[i], s = back ? -sin[i] : sin[i];
        a[i] = x * cos[i] - y * s;
        b[i] = y * cos[i] + x * s;
      }
    }
  }
}

const float* term(const Head& head, std::size_t i, const float* scores, float* room) noexcept {
  const Scheme& scheme = *head.scheme;
  const std::size_t N = head.positions->N;
  if (has_line(scheme.kind)) {
    const float* near = scheme.line + head.h * N + N - 1;
    if (head.indices == nullptr) return near - i;
    for (std::size_t j = 0; j <= i; ++j) room[j] = *(near - distance(head, i, j));
    return room;
  }
  switch (scheme.kind) {
    case Kind::kFire:
      fire_term(head, i, room);
      return room;
    case Kind::kShaw:
      for (std::size_t j = 0; j <= i; ++j) {
        const std::size_t c = std::min(distance(head, i, j), scheme.size - 1);
        room[j] = head.extra[i * scheme.size + c] * head.scale;
      }
      return room;
    case Kind::kCope:
      cope_term(head, i, scores, room);
      return room;
    default:
      return nullptr;
  }
}

void term_gradient(const Head& head, std::size_t i, const float* d, float* scores, float* room,
                   float* dscores, float* dextra, float* dnumbers) noexcept {
  const Scheme& scheme = *head.scheme;
  switch (scheme.kind) {
    case Kind::kLine:
    case Kind::kT5:
    case Kind::kKerpleLog:
    case Kind::kKerplePower: {
      if (scheme.sums == nullptr) break;
      const std::size_t N = head.positions->N;
      float* near = scheme.sums + head.h * N + N - 1;
      if (head.indices == nullptr) {
        float* to = near - i;
        for (std::size_t j = 0; j <= i; j += 4)
          wasm_v128_store(to + j, wasm_f32x4_add(wasm_v128_load(to + j), wasm_v128_load(d + j)));
      } else {
        for (std::size_t j = 0; j <= i; ++j) *(near - distance(head, i, j)) += d[j];
      }
      break;
    }
    case Kind::kFire:
      fire_gradient(head, i, d, dnumbers);
      break;
    case Kind::kShaw:
      for (std::size_t j = 0; j <= i; ++j) {
        const std::size_t c = std::min(distance(head, i, j), scheme.size - 1);
        dextra[i * scheme.size + c] += d[j] * head.scale;
      }
      break;
    case Kind::kCope:
      cope_gradient(head, i, d, scores, room, dscores, dextra);
      break;
    default:
      break;
  }
}

}  // namespace phasor::lab
