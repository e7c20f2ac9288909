#include "math/phase.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "math/double_double.h"
#include "math/elementary.h"
#include "math/lanes.h"
#include "math/series.h"
#include "math/widen.h"

namespace phasor::phase {
namespace {

// ---------------------------------------------------------------- sine and cosine in double

// pi/2 in four parts of 22, 22, 22 and 53 bits: k * part is exact for |k| < 2^31.
constexpr double kHalfPi1 = 0x1.921fb00000000p+0;
constexpr double kHalfPi2 = 0x1.5110b00000000p-22;
constexpr double kHalfPi3 = 0x1.1846980000000p-44;
constexpr double kHalfPi4 = 0x1.3198a2e037073p-69;
constexpr DoubleDouble kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;

// Adding 1.5 * 2^52 rounds to a whole number and leaves it in the low bits.
constexpr double kRounder = 6755399441055744.0;

// (1 - sin(r)/r) / r^2 and (cos(r) - 1 + r^2/2) / r^4 in r^2, |r| <= pi/4: below 2^-62.
constexpr auto kSin = inverse_factorials<8>(3, 2, -1.0);
constexpr auto kCos = inverse_factorials<7>(4, 2, -1.0);

struct SinCos {
  double sin;
  double cos;
};

/// Sine and cosine of r + k * pi/2 for |r| <= pi/4 and k in the low bits of `rounded`.
SinCos of_reduced(double r, double rounded) {
  const double square = r * r;
  const double sine = r - r * (square * polynomial(kSin, square));
  const double cosine = 1.0 + (square * square * polynomial(kCos, square) - 0.5 * square);

  const std::uint64_t quadrant = std::bit_cast<std::uint64_t>(rounded);
  const bool swap = (quadrant & 1) != 0;
  const std::uint64_t sin_sign = (quadrant & 2) << 62;
  const std::uint64_t cos_sign = ((quadrant + 1) & 2) << 62;
  return {std::bit_cast<double>(std::bit_cast<std::uint64_t>(swap ? cosine : sine) ^ sin_sign),
          std::bit_cast<double>(std::bit_cast<std::uint64_t>(swap ? sine : cosine) ^ cos_sign)};
}

/// Sine and cosine of x + tail, |x| <= 2^31, |tail| far below x's unit.
SinCos sin_cos_f64(double x, double tail) {
  const double rounded = x * kTwoOverPi + kRounder;
  const double k = rounded - kRounder;
  const double r = ((((x - k * kHalfPi1) - k * kHalfPi2) - k * kHalfPi3) - k * kHalfPi4) + tail;
  return of_reduced(r, rounded);
}

/// The same for any position * theta up to 2^31, the product formed in double-double.
SinCos sin_cos_wide(double position, double hi, double lo) {
  const DoubleDouble x = two_product(position, hi);
  const double tail = position * lo;
  const double rounded = (x.hi + tail) * kTwoOverPi + kRounder;
  const double k = rounded - kRounder;
  const DoubleDouble y = two_product(k, kHalfPi.hi);
  const double r = (x.hi - y.hi) + ((x.lo - y.lo) + (tail - k * kHalfPi.lo));
  return of_reduced(r, rounded);
}

struct SinCosLanes {
  v128_t sin;
  v128_t cos;
};

/// Two angles x + tail as r + k * pi/2, k in the low bits of `rounded`.
struct ReducedLanes {
  v128_t r;
  v128_t rounded;
};

ReducedLanes reduce_f64x2(v128_t x, v128_t tail) {
  const v128_t rounder = wasm_f64x2_splat(kRounder);
  const v128_t rounded = wasm_f64x2_add(wasm_f64x2_mul(x, wasm_f64x2_splat(kTwoOverPi)), rounder);
  const v128_t k = wasm_f64x2_sub(rounded, rounder);
  v128_t r = wasm_f64x2_sub(x, wasm_f64x2_mul(k, wasm_f64x2_splat(kHalfPi1)));
  r = wasm_f64x2_sub(r, wasm_f64x2_mul(k, wasm_f64x2_splat(kHalfPi2)));
  r = wasm_f64x2_sub(r, wasm_f64x2_mul(k, wasm_f64x2_splat(kHalfPi3)));
  r = wasm_f64x2_sub(r, wasm_f64x2_mul(k, wasm_f64x2_splat(kHalfPi4)));
  return {wasm_f64x2_add(r, tail), rounded};
}

/// `split` of two numbers: the upper 26 bits, and the rest.
struct HalvesLanes {
  v128_t hi;
  v128_t lo;
};

HalvesLanes split_f64x2(v128_t x) {
  const v128_t scaled = wasm_f64x2_mul(wasm_f64x2_splat(kSplitter), x);
  const v128_t hi = wasm_f64x2_sub(scaled, wasm_f64x2_sub(scaled, x));
  return {hi, wasm_f64x2_sub(x, hi)};
}

/// The rounding of two products: a * b - product, exactly.
v128_t product_error_f64x2(HalvesLanes a, HalvesLanes b, v128_t product) {
  v128_t error = wasm_f64x2_sub(wasm_f64x2_mul(a.hi, b.hi), product);
  error = wasm_f64x2_add(error, wasm_f64x2_mul(a.hi, b.lo));
  error = wasm_f64x2_add(error, wasm_f64x2_mul(a.lo, b.hi));
  return wasm_f64x2_add(error, wasm_f64x2_mul(a.lo, b.lo));
}

/// The reduction of `sin_cos_wide` for two frequencies.
ReducedLanes reduce_wide_f64x2(v128_t position, v128_t hi, v128_t lo) {
  const v128_t x = wasm_f64x2_mul(position, hi);
  const v128_t x_error = product_error_f64x2(split_f64x2(position), split_f64x2(hi), x);
  const v128_t tail = wasm_f64x2_mul(position, lo);
  const v128_t rounder = wasm_f64x2_splat(kRounder);
  const v128_t rounded = wasm_f64x2_add(
      wasm_f64x2_mul(wasm_f64x2_add(x, tail), wasm_f64x2_splat(kTwoOverPi)), rounder);
  const v128_t k = wasm_f64x2_sub(rounded, rounder);
  const v128_t half_pi = wasm_f64x2_splat(kHalfPi.hi);
  const v128_t y = wasm_f64x2_mul(k, half_pi);
  const v128_t y_error = product_error_f64x2(split_f64x2(k), split_f64x2(half_pi), y);
  const v128_t low =
      wasm_f64x2_add(wasm_f64x2_sub(x_error, y_error),
                     wasm_f64x2_sub(tail, wasm_f64x2_mul(k, wasm_f64x2_splat(kHalfPi.lo))));
  return {wasm_f64x2_add(wasm_f64x2_sub(x, y), low), rounded};
}

v128_t sine_f64x2(v128_t r) {
  const v128_t square = wasm_f64x2_mul(r, r);
  const v128_t s = polynomial_f64x2(kSin, square);
  return wasm_f64x2_sub(r, wasm_f64x2_mul(r, wasm_f64x2_mul(square, s)));
}

v128_t cosine_f64x2(v128_t r) {
  const v128_t square = wasm_f64x2_mul(r, r);
  const v128_t c = polynomial_f64x2(kCos, square);
  return wasm_f64x2_add(wasm_f64x2_splat(1.0),
                        wasm_f64x2_sub(wasm_f64x2_mul(wasm_f64x2_mul(square, square), c),
                                       wasm_f64x2_mul(wasm_f64x2_splat(0.5), square)));
}

/// Sine and cosine k quarters of a turn on.
SinCosLanes turn_f64x2(SinCosLanes value, v128_t rounded) {
  const v128_t one = wasm_i64x2_splat(1);
  const v128_t two = wasm_i64x2_splat(2);
  const v128_t swap = wasm_i64x2_neg(wasm_v128_and(rounded, one));
  const v128_t sin_sign = wasm_i64x2_shl(wasm_v128_and(rounded, two), 62);
  const v128_t cos_sign = wasm_i64x2_shl(wasm_v128_and(wasm_i64x2_add(rounded, one), two), 62);
  return {wasm_v128_xor(wasm_v128_bitselect(value.cos, value.sin, swap), sin_sign),
          wasm_v128_xor(wasm_v128_bitselect(value.sin, value.cos, swap), cos_sign)};
}

SinCosLanes of_reduced_f64x2(ReducedLanes angle) {
  return turn_f64x2({sine_f64x2(angle.r), cosine_f64x2(angle.r)}, angle.rounded);
}

/// Sines and cosines of four angles, computed in double and rounded once. Large, so kept once.
[[gnu::noinline]] SinCosLanes sin_cos_f32x4(v128_t angles) {
  const v128_t zero = wasm_f64x2_splat(0.0);
  const v128_t upper = wasm_i32x4_shuffle(angles, angles, 2, 3, 2, 3);
  const SinCosLanes low =
      of_reduced_f64x2(reduce_f64x2(wasm_f64x2_promote_low_f32x4(angles), zero));
  const SinCosLanes high =
      of_reduced_f64x2(reduce_f64x2(wasm_f64x2_promote_low_f32x4(upper), zero));
  return {narrow_f32x4(low.sin, high.sin), narrow_f32x4(low.cos, high.cos)};
}

bool in_reach(float angle) { return std::fabs(angle) <= static_cast<float>(kReach); }

bool all_in_reach(std::span<const float> angles) {
  return std::all_of(angles.begin(), angles.end(), in_reach);
}

// ---------------------------------------------------------------- the workspace

struct Workspace {
  double* hi;
  double* lo;
  double* rest;
  double* anchor_sin;
  double* anchor_cos;
  double* step_sin;
  double* step_cos;
  double* rows;  // kAnchors + kSteps rows of [sin P | cos P]
  double* keys;  // null in a workspace that keeps nothing
};

[[gnu::noinline]] Workspace lay_out(std::span<double> all, std::size_t P) {
  double* at = all.data();
  double* rows = at + 7 * P;
  const bool keeps = all.size() == workspace_size(P, true);
  return {at,         at + P,     at + 2 * P,
          at + 3 * P, at + 4 * P, at + 5 * P,
          at + 6 * P, rows,       keeps ? rows + 2 * P * (kAnchors + kSteps) : nullptr};
}

/// Releases the rows that a workspace keeps.
[[gnu::noinline]] void forget(const Workspace& w) {
  if (w.keys != nullptr) std::fill_n(w.keys, kKeys, std::nan(""));
}

bool fits(std::size_t size, std::size_t P) {
  return size == workspace_size(P, false) || size == workspace_size(P, true);
}

/// theta cut to 33 bits and the rest, so that position * hi is exact below 2^20.
DoubleDouble cut(DoubleDouble theta) {
  const double scaled = 1048577.0 * theta.hi;  // 2^20 + 1
  const double hi = scaled - (scaled - theta.hi);
  return {hi, (theta.hi - hi) + theta.lo};
}

// ---------------------------------------------------------------- rows

constexpr double kNarrowReach = 1048576.0;  // 2^20: below it position * hi is exact
constexpr float kTiny = 5e-6f;              // below it the rounding of an angle addition could show

bool is_narrow(double position) {
  return position == std::floor(position) && std::fabs(position) < kNarrowReach;
}

/// One value by definition.
SinCos direct(double position, double hi, double lo, double rest) {
  if (is_narrow(position)) return sin_cos_f64(position * hi, position * lo);
  return sin_cos_wide(position, hi, std::fabs(position) > kNarrowReach ? lo + rest : lo);
}

/// One position at two frequencies, as `direct` reduces it.
struct Position {
  v128_t at;
  v128_t rest;  // 1 where the rest of a frequency counts, else 0
  bool narrow;

  explicit Position(double position)
      : at(wasm_f64x2_splat(position)),
        rest(wasm_f64x2_splat(std::fabs(position) > kNarrowReach ? 1.0 : 0.0)),
        narrow(is_narrow(position)) {}

  ReducedLanes reduce(v128_t hi, v128_t lo, v128_t more) const {
    if (narrow) return reduce_f64x2(wasm_f64x2_mul(at, hi), wasm_f64x2_mul(at, lo));
    return reduce_wide_f64x2(at, hi, wasm_f64x2_add(lo, wasm_f64x2_mul(rest, more)));
  }
};

SinCos direct_value(double position, const Workspace& w, std::size_t i);

/// A row of direct evaluations: sin and cos [P] in double, times an amplitude. Large, so kept once.
///
/// An angle is a long chain of dependent steps, and a processor looks only some hundred steps
/// ahead. So the chain is cut in four, and each part is done for a run of angles at a time.
[[gnu::noinline]] void direct_row(double position, const Workspace& w, std::size_t P,
                                  double amplitude, double* sin, double* cos) {
  constexpr std::size_t kRun = 64;
  const Position p(position);
  const v128_t m = wasm_f64x2_splat(amplitude);
  alignas(16) double reduced[kRun];
  alignas(16) double quarters[kRun];
  std::size_t i = 0;
  while (i + 2 <= P) {
    const std::size_t run = std::min(kRun, (P - i) & ~std::size_t{1});
    for (std::size_t j = 0; j < run; j += 2) {
      const ReducedLanes angle =
          p.reduce(wasm_v128_load(w.hi + i + j), wasm_v128_load(w.lo + i + j),
                   wasm_v128_load(w.rest + i + j));
      wasm_v128_store(reduced + j, angle.r);
      wasm_v128_store(quarters + j, angle.rounded);
    }
    for (std::size_t j = 0; j < run; j += 2)
      wasm_v128_store(sin + i + j, sine_f64x2(wasm_v128_load(reduced + j)));
    for (std::size_t j = 0; j < run; j += 2)
      wasm_v128_store(cos + i + j, cosine_f64x2(wasm_v128_load(reduced + j)));
    for (std::size_t j = 0; j < run; j += 2) {
      const SinCosLanes value = turn_f64x2(
          {wasm_v128_load(sin + i + j), wasm_v128_load(cos + i + j)}, wasm_v128_load(quarters + j));
      wasm_v128_store(sin + i + j, wasm_f64x2_mul(value.sin, m));
      wasm_v128_store(cos + i + j, wasm_f64x2_mul(value.cos, m));
    }
    i += run;
  }
  for (; i < P; ++i) {
    const SinCos value = direct_value(position, w, i);
    sin[i] = value.sin * amplitude;
    cos[i] = value.cos * amplitude;
  }
}

/// `direct` of frequency i: twice the same one in a row of two.
SinCos direct_value(double position, const Workspace& w, std::size_t i) {
  double hi[] = {w.hi[i], w.hi[i]};
  double lo[] = {w.lo[i], w.lo[i]};
  double rest[] = {w.rest[i], w.rest[i]};
  double sin[2];
  double cos[2];
  Workspace two{};
  two.hi = hi;
  two.lo = lo;
  two.rest = rest;
  direct_row(position, two, 2, 1.0, sin, cos);
  return {sin[0], cos[0]};
}

/// Where an angle addition cancels, its rounding shows in a value near zero.
bool cancels(float value, float tiny, double position, double hi) {
  return std::fabs(value) < tiny && std::fabs(position * hi) >= 1.0;
}

void store(v128_t s, v128_t c, float* sin, float* cos, std::size_t i, std::size_t step) {
  if (step == 2) {  // [s c s c], sin and cos side by side
    wasm_v128_store(sin + 2 * i, wasm_i32x4_shuffle(s, c, 0, 4, 1, 5));
    wasm_v128_store(sin + 2 * i + 4, wasm_i32x4_shuffle(s, c, 2, 6, 3, 7));
  } else {
    wasm_v128_store(sin + i, s);
    wasm_v128_store(cos + i, c);
  }
}

/// The bits of a float below its sign, in the order of the magnitudes.
v128_t without_sign(v128_t x) { return wasm_i32x4_add(x, x); }

/// Where the sines and cosines of one row go; no row, no writing.
struct Row {
  float* sin;
  float* cos;
};

/// The rows at anchor + step and anchor - step, from frequency i on, one at a time.
[[gnu::noinline]] void add_last_angles(const Workspace& w, const double* step_sin,
                                       const double* step_cos, std::size_t i, std::size_t P,
                                       Row after, Row before, const Columns& columns) {
  for (; i < P; ++i) {
    const double sin_cos = w.anchor_sin[i] * step_cos[i], cos_sin = w.anchor_cos[i] * step_sin[i];
    const double cos_cos = w.anchor_cos[i] * step_cos[i], sin_sin = w.anchor_sin[i] * step_sin[i];
    const std::size_t at = i * columns.step;
    if (after.sin != nullptr) {
      after.sin[at] = static_cast<float>(sin_cos + cos_sin);
      if (i < columns.cosines) after.cos[at] = static_cast<float>(cos_cos - sin_sin);
    }
    if (before.sin != nullptr) {
      before.sin[at] = static_cast<float>(sin_cos - cos_sin);
      if (i < columns.cosines) before.cos[at] = static_cast<float>(cos_cos + sin_sin);
    }
  }
}

/// The rows at anchor + step and anchor - step by angle addition; either may be missing. Both
/// share the four products. Returns whether a value may be near zero.
template <bool kAfter, bool kBefore>
bool add_angles(const Workspace& w, const double* step_sin, const double* step_cos, std::size_t P,
                float tiny, Row after, Row before, const Columns& columns) {
  const std::size_t both = std::min(P, columns.cosines);
  v128_t least = wasm_i32x4_splat(-1);  // least |sin * cos|, without its sign bit
  std::size_t i = 0;
  for (; i + 4 <= both; i += 4) {
    const v128_t as0 = wasm_v128_load(w.anchor_sin + i);
    const v128_t ac0 = wasm_v128_load(w.anchor_cos + i);
    const v128_t ss0 = wasm_v128_load(step_sin + i);
    const v128_t sc0 = wasm_v128_load(step_cos + i);
    const v128_t as1 = wasm_v128_load(w.anchor_sin + i + 2);
    const v128_t ac1 = wasm_v128_load(w.anchor_cos + i + 2);
    const v128_t ss1 = wasm_v128_load(step_sin + i + 2);
    const v128_t sc1 = wasm_v128_load(step_cos + i + 2);
    const v128_t sin_cos0 = wasm_f64x2_mul(as0, sc0), cos_sin0 = wasm_f64x2_mul(ac0, ss0);
    const v128_t cos_cos0 = wasm_f64x2_mul(ac0, sc0), sin_sin0 = wasm_f64x2_mul(as0, ss0);
    const v128_t sin_cos1 = wasm_f64x2_mul(as1, sc1), cos_sin1 = wasm_f64x2_mul(ac1, ss1);
    const v128_t cos_cos1 = wasm_f64x2_mul(ac1, sc1), sin_sin1 = wasm_f64x2_mul(as1, ss1);
    if constexpr (kAfter) {
      const v128_t s =
          narrow_f32x4(wasm_f64x2_add(sin_cos0, cos_sin0), wasm_f64x2_add(sin_cos1, cos_sin1));
      const v128_t c =
          narrow_f32x4(wasm_f64x2_sub(cos_cos0, sin_sin0), wasm_f64x2_sub(cos_cos1, sin_sin1));
      least = wasm_u32x4_min(least, without_sign(wasm_f32x4_mul(s, c)));
      store(s, c, after.sin, after.cos, i, columns.step);
    }
    if constexpr (kBefore) {
      const v128_t s =
          narrow_f32x4(wasm_f64x2_sub(sin_cos0, cos_sin0), wasm_f64x2_sub(sin_cos1, cos_sin1));
      const v128_t c =
          narrow_f32x4(wasm_f64x2_add(cos_cos0, sin_sin0), wasm_f64x2_add(cos_cos1, sin_sin1));
      least = wasm_u32x4_min(least, without_sign(wasm_f32x4_mul(s, c)));
      store(s, c, before.sin, before.cos, i, columns.step);
    }
  }
  add_last_angles(w, step_sin, step_cos, i, P, after, before, columns);
  // The other factor is at most the amplitude: 1.1 makes up for its rounding. A tail is always
  // looked through.
  const float amplitude = tiny / kTiny;
  const bool overflows = !(amplitude > 0x1p-40f && amplitude < 0x1p40f);  // products do, either way
  const v128_t threshold = without_sign(wasm_f32x4_splat(1.1f * tiny * amplitude));
  return overflows || both < P || P % 4 != 0 || wasm_v128_any_true(wasm_u32x4_lt(least, threshold));
}

/// Evaluate directly what cancelled.
[[gnu::noinline]] void mend(double position, std::size_t P, double amplitude, const Workspace& w,
                            float tiny, Row row, const Columns& columns) {
  for (std::size_t i = 0; i < P; ++i) {
    float* s = row.sin + i * columns.step;
    float* c = i < columns.cosines ? row.cos + i * columns.step : nullptr;
    const bool mend_sin = cancels(*s, tiny, position, w.hi[i]);
    const bool mend_cos = c && cancels(*c, tiny, position, w.hi[i]);
    if (!mend_sin && !mend_cos) continue;
    const SinCos value = direct_value(position, w, i);
    if (mend_sin) *s = static_cast<float>(value.sin * amplitude);
    if (mend_cos) *c = static_cast<float>(value.cos * amplitude);
  }
}

/// The anchor that a whole position is taken from.
double anchor_of(double position) {
  const double half = static_cast<double>(kHalfBlock);
  return std::floor((position + half) / (2 * half)) * (2 * half);
}

/// The sines and cosines of a position as a row [sin P | cos P]: the kept one, or `spare`.
[[gnu::noinline]] double* row_at(double position, const Workspace& w, std::size_t P,
                                 double amplitude, std::size_t kept, double* spare) {
  double* row = w.keys != nullptr ? w.rows + kept * 2 * P : spare;
  if (w.keys == nullptr || w.keys[kept] != position)
    direct_row(position, w, P, amplitude, row, row + P);
  if (w.keys != nullptr) w.keys[kept] = position;
  return row;
}

void fraction_row(double position, std::size_t P, double amplitude, const Workspace& w, Row row,
                  const Columns& columns) {
  direct_row(position, w, P, amplitude, w.step_sin, w.step_cos);
  const std::size_t both = std::min(P, columns.cosines);
  std::size_t i = 0;
  for (; i + 4 <= both; i += 4)
    store(narrow_f32x4(wasm_v128_load(w.step_sin + i), wasm_v128_load(w.step_sin + i + 2)),
          narrow_f32x4(wasm_v128_load(w.step_cos + i), wasm_v128_load(w.step_cos + i + 2)), row.sin,
          row.cos, i, columns.step);
  for (; i < P; ++i) {
    row.sin[i * columns.step] = static_cast<float>(w.step_sin[i]);
    if (i < columns.cosines) row.cos[i * columns.step] = static_cast<float>(w.step_cos[i]);
  }
}

Row row_of(std::span<float> out, const Columns& c, std::size_t t) {
  return {out.data() + t * c.row + c.sin, out.data() + t * c.row + c.cos};
}

void exact_rows(std::span<const double> positions, std::size_t P, double amplitude, Workspace w,
                std::span<float> out, const Columns& columns) {
  const float tiny = kTiny * static_cast<float>(std::fabs(amplitude));
  double anchor_at = std::nan("");  // no anchor yet: equal to nothing
  for (std::size_t t = 0; t < positions.size(); ++t) {
    const double position = positions[t];
    const Row row = row_of(out, columns, t);
    if (position != std::floor(position)) {
      fraction_row(position, P, amplitude, w, row, columns);
      continue;
    }
    const double anchor = anchor_of(position);
    const bool is_after = position >= anchor;
    const double distance = is_after ? position - anchor : anchor - position;
    // The row on the other side of the anchor, if this call wants it too.
    const std::size_t span = 2 * static_cast<std::size_t>(distance);
    if (is_after && span > 0 && t >= span && positions[t - span] == anchor - distance)
      continue;  // done together with that row
    const bool has_mirror = !is_after && t + span < positions.size() &&
                            positions[t + span] == anchor + distance &&
                            distance < static_cast<double>(kHalfBlock);

    if (anchor != anchor_at) {
      const auto multiple = static_cast<std::int32_t>(anchor / (2 * kHalfBlock));
      w.anchor_sin = row_at(anchor, w, P, amplitude, static_cast<std::size_t>(multiple) % kAnchors,
                            w.anchor_sin);
      w.anchor_cos = w.anchor_sin + P;
      anchor_at = anchor;
    }
    const double* step_sin = row_at(distance, w, P, 1.0, kAnchors + span / 2, w.step_sin);
    const double* step_cos = step_sin + P;
    if (has_mirror) {
      const Row mirror = row_of(out, columns, t + span);
      if (add_angles<true, true>(w, step_sin, step_cos, P, tiny, mirror, row, columns)) {
        mend(position, P, amplitude, w, tiny, row, columns);
        mend(anchor + distance, P, amplitude, w, tiny, mirror, columns);
      }
    } else if (is_after
                   ? add_angles<true, false>(w, step_sin, step_cos, P, tiny, row, {}, columns)
                   : add_angles<false, true>(w, step_sin, step_cos, P, tiny, {}, row, columns)) {
      mend(position, P, amplitude, w, tiny, row, columns);
    }
  }
}

void torch_row(double position, std::size_t P, double amplitude, const double* theta, Row row,
               const Columns& columns) {
  const auto [sin, cos] = row;
  const float p = static_cast<float>(position);
  const float m = static_cast<float>(amplitude);
  const std::size_t both = std::min(P, columns.cosines);
  std::size_t i = 0;
  for (; i + 4 <= both; i += 4) {
    const v128_t inverse = narrow_f32x4(wasm_v128_load(theta + i), wasm_v128_load(theta + i + 2));
    const SinCosLanes value = sin_cos_f32x4(wasm_f32x4_mul(wasm_f32x4_splat(p), inverse));
    const v128_t s = wasm_f32x4_mul(value.sin, wasm_f32x4_splat(m));
    const v128_t c = wasm_f32x4_mul(value.cos, wasm_f32x4_splat(m));
    store(s, c, sin, cos, i, columns.step);
  }
  for (; i < P; ++i) {
    const SinCosLanes value = sin_cos_f32x4(wasm_f32x4_splat(p * static_cast<float>(theta[i])));
    sin[i * columns.step] = wasm_f32x4_extract_lane(value.sin, 0) * m;
    if (i < columns.cosines) cos[i * columns.step] = wasm_f32x4_extract_lane(value.cos, 0) * m;
  }
}

Status check_rows(std::span<const double> positions, std::size_t P, double amplitude,
                  std::span<const double> workspace, std::size_t out, const Columns& c) {
  if (kChecked && !fits(workspace.size(), P)) return Status::kBadShape;
  if (!(std::fabs(amplitude) > 0) || !std::isfinite(amplitude)) return Status::kBadParam;
  if (c.step != 1 && c.step != 2) return Status::kBadParam;
  if (c.step == 2 && c.cos != c.sin + 1) return Status::kBadParam;
  if (kChecked && c.cosines > P) return Status::kBadShape;
  double fastest = 0.5;
  for (std::size_t i = 0; i < P; ++i)
    fastest = std::max(fastest, std::fabs(workspace[i] + workspace[P + i]));
  for (const double position : positions)
    if (!(std::fabs(position) * fastest <= kReach)) return Status::kBadParam;
  if (positions.empty() || P == 0) return Status::kOk;
  const std::size_t last_row = (positions.size() - 1) * c.row;
  if (kChecked && last_row + c.sin + (P - 1) * c.step >= out) return Status::kBadShape;
  if (kChecked && c.cosines > 0 && last_row + c.cos + (c.cosines - 1) * c.step >= out)
    return Status::kBadShape;
  return Status::kOk;
}

}  // namespace

Status sin_cos_scalar(std::span<const float> angles, std::span<float> sin,
                      std::span<float> cos) noexcept {
  if (kChecked && (sin.size() != angles.size() || cos.size() != angles.size()))
    return Status::kBadShape;
  if (!all_in_reach(angles)) return Status::kBadParam;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const SinCos value = sin_cos_f64(angles[i], 0.0);
    sin[i] = static_cast<float>(value.sin);
    cos[i] = static_cast<float>(value.cos);
  }
  return Status::kOk;
}

Status sin_cos(std::span<const float> angles, std::span<float> sin, std::span<float> cos) noexcept {
  if (kChecked && (sin.size() != angles.size() || cos.size() != angles.size()))
    return Status::kBadShape;
  if (!all_in_reach(angles)) return Status::kBadParam;
  std::size_t i = 0;
  for (; i + 4 <= angles.size(); i += 4) {
    const SinCosLanes value = sin_cos_f32x4(wasm_v128_load(&angles[i]));
    wasm_v128_store(&sin[i], value.sin);
    wasm_v128_store(&cos[i], value.cos);
  }
  return sin_cos_scalar(angles.subspan(i), sin.subspan(i), cos.subspan(i));
}

Status frequencies(double base, double n, Precision precision, std::size_t P,
                   std::span<double> workspace) noexcept {
  if (kChecked && !fits(workspace.size(), P)) return Status::kBadShape;
  if (!(base >= 1) || !std::isfinite(base) || !(n > 0) || !std::isfinite(n))
    return Status::kBadParam;
  const Workspace w = lay_out(workspace, P);
  forget(w);

  if (precision != Precision::kExact) {
    const double slope = -log(base).hi / n;
    for (std::size_t i = 0; i < P; ++i) {
      const float index = static_cast<float>(i);
      const float theta =
          precision == Precision::kTorchExp
              ? elementary::exp(index * static_cast<float>(slope))
              : 1.0f / elementary::pow(static_cast<float>(base), index / static_cast<float>(n));
      w.hi[i] = static_cast<double>(theta);
      w.lo[i] = 0;
      w.rest[i] = 0;
    }
    return Status::kOk;
  }

  // Powers of the root by multiplication, afresh every 64 so that errors cannot pile up.
  const DoubleDouble ln_base = log(base);
  const auto power = [&](double i) {
    return exp(-(DoubleDouble{i, 0} / DoubleDouble{n, 0} * ln_base));
  };
  const DoubleDouble root = power(1);
  DoubleDouble theta{1, 0};
  for (std::size_t i = 0; i < P; ++i) {
    if (i > 0) theta = i % 64 == 0 ? power(static_cast<double>(i)) : theta * root;
    const DoubleDouble parts = cut(theta);
    w.hi[i] = parts.hi;
    w.lo[i] = parts.lo;
    w.rest[i] = 0;
  }
  return Status::kOk;
}

Status adopt(std::span<const double> theta, std::span<const double> rest,
             std::span<double> workspace) noexcept {
  if (kChecked && (!fits(workspace.size(), theta.size()) || rest.size() != theta.size()))
    return Status::kBadShape;
  for (const double value : theta)
    if (!(std::fabs(value) <= 1)) return Status::kBadParam;
  const Workspace w = lay_out(workspace, theta.size());
  forget(w);
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const DoubleDouble parts = cut({theta[i], 0});
    w.hi[i] = parts.hi;
    w.lo[i] = parts.lo;
    w.rest[i] = rest[i];
  }
  return Status::kOk;
}

Status read_frequencies(std::span<const double> workspace, std::span<float> out) noexcept {
  const std::size_t P = out.size();
  if (kChecked && !fits(workspace.size(), P)) return Status::kBadShape;
  for (std::size_t i = 0; i < P; ++i) out[i] = to_float({workspace[i], workspace[P + i]});
  return Status::kOk;
}

Status rows_scalar(std::span<const double> positions, Precision precision, std::size_t P,
                   double amplitude, std::span<const double> workspace, std::span<float> out,
                   Columns columns) noexcept {
  if (const Status status = check_rows(positions, P, amplitude, workspace, out.size(), columns);
      status != Status::kOk)
    return status;
  const float tiny = kTiny * static_cast<float>(std::fabs(amplitude));
  for (std::size_t t = 0; t < positions.size(); ++t) {
    const double p = positions[t];
    const double first = anchor_of(p);
    const Row row = row_of(out, columns, t);
    for (std::size_t i = 0; i < P; ++i) {
      const double hi = workspace[i];
      const double lo = workspace[P + i];
      const double rest = workspace[2 * P + i];
      float s;
      float c;
      if (precision != Precision::kExact) {
        const SinCos value = sin_cos_f64(static_cast<float>(p) * static_cast<float>(hi), 0.0);
        s = static_cast<float>(value.sin) * static_cast<float>(amplitude);
        c = static_cast<float>(value.cos) * static_cast<float>(amplitude);
      } else {
        const SinCos whole = direct(p, hi, lo, rest);
        const SinCos anchor = direct(first, hi, lo, rest);
        const SinCos step = direct(std::fabs(p - first), hi, lo, rest);
        const double as = anchor.sin * amplitude;
        const double ac = anchor.cos * amplitude;
        const double sign = p < first ? -1.0 : 1.0;
        const bool fraction = p != std::floor(p);
        s = static_cast<float>(as * step.cos + sign * (ac * step.sin));
        c = static_cast<float>(ac * step.cos - sign * (as * step.sin));
        if (fraction || cancels(s, tiny, p, hi)) s = static_cast<float>(whole.sin * amplitude);
        if (fraction || cancels(c, tiny, p, hi)) c = static_cast<float>(whole.cos * amplitude);
      }
      row.sin[i * columns.step] = s;
      if (i < columns.cosines) row.cos[i * columns.step] = c;
    }
  }
  return Status::kOk;
}

Status rows(std::span<const double> positions, Precision precision, std::size_t P, double amplitude,
            std::span<double> workspace, std::span<float> out, Columns columns) noexcept {
  if (const Status status = check_rows(positions, P, amplitude, workspace, out.size(), columns);
      status != Status::kOk)
    return status;
  const Workspace w = lay_out(workspace, P);
  if (w.keys != nullptr && w.keys[kKeys - 1] != amplitude) {
    std::fill_n(w.keys, kAnchors, std::nan(""));
    w.keys[kKeys - 1] = amplitude;
  }
  if (precision != Precision::kExact) {
    for (std::size_t t = 0; t < positions.size(); ++t)
      torch_row(positions[t], P, amplitude, w.hi, row_of(out, columns, t), columns);
  } else {
    exact_rows(positions, P, amplitude, w, out, columns);
  }
  return Status::kOk;
}

}  // namespace phasor::phase
