#include "analysis/nearest/sketch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "math/lanes.h"
#include "math/linear.h"
#include "math/widen.h"

namespace phasor::nearest {
namespace {

/// The most rows of which the mean is taken.
constexpr std::size_t kSampled = 1024;

/// How many times the variance of the others a column has that is kept as it is.
constexpr double kOutlying = 9;

/// Added to a number up to 2^22, it rounds it; the lowest byte is then that of the whole number.
constexpr float kRound = 0x1.8p23f;

/// The least scale whose reciprocal is finite and whose products with codes are normal.
constexpr float kLeast = 0x1p-120f;

/// Computes the mean, and chooses the columns that are kept as they are.
///
/// Returns   with `squares` those of the rows that are sampled
void survey(std::span<const float> x, std::span<double> squares, const Sketch& sketch) {
  const std::size_t V = squares.size(), D = sketch.mean.size();
  const std::size_t step = std::max(std::size_t{1}, V / kSampled);
  for (std::size_t v = 0; v < V; v += step)
    squares[v] = linear::dot(x.subspan(v * D, D), x.subspan(v * D, D));
  const auto variances = sketch.kept;  // until the columns are chosen
  double total = 0;
  for (std::size_t d = 0; d < D; ++d) {
    double sum = 0, sum_of_squares = 0, count = 0x1p-1000;
    for (std::size_t v = 0; v < V; v += step) {
      if (!std::isfinite(squares[v])) continue;
      const auto each = static_cast<double>(x[v * D + d]);
      count += 1;
      sum += each;
      sum_of_squares += each * each;
    }
    const double mean = sum / count;
    sketch.mean[d] = static_cast<float>(mean);
    variances[d] = static_cast<float>(std::max(0.0, sum_of_squares / count - mean * mean));
    total += static_cast<double>(variances[d]);
  }
  auto others = static_cast<double>(D);
  for (std::int32_t& column : sketch.columns) {
    const auto largest = std::max_element(variances.begin(), variances.end());
    const auto variance = static_cast<double>(*largest);
    others -= 1;
    column = -1;
    if (!(variance * others > kOutlying * (total - variance))) continue;
    column = static_cast<std::int32_t>(largest - variances.begin());
    total -= variance;
    *largest = -1;
  }
  for (std::size_t d = 0; d < D; ++d) {
    if (variances[d] < 0) sketch.mean[d] = 0;
    sketch.kept[d] = variances[d] < 0 ? 0 : 1;
  }
}

/// A number less its mean, or 0 if it is kept as it is.
float centered(std::span<const float> x, std::span<const float> mean, std::span<const float> kept,
               std::size_t d) {
  return (x[d] - mean[d]) * kept[d];
}

/// At least x, whose error is below 2^-30: rounding takes 2^-24, or 2^-150 below the normal range.
float rounded_up(double x) { return static_cast<float>(x * (1 + 0x1p-23) + 0x1p-150); }

/// The scale of rows whose largest number is given.
struct Scale {
  float largest;
  float size;  // 0 where codes are 0
  float factor;

  explicit Scale(float most) : largest(most), size(most / 127), factor(0) {
    if (size >= kLeast && size < std::numeric_limits<float>::infinity())
      factor = 1 / size;
    else
      size = 0;
  }

  /// Rounds a number, and returns the square of what it loses.
  double round(float y, std::int8_t& code) const {
    if (size == 0) y = 0;
    const float rounded = y * factor + kRound;
    code = static_cast<std::int8_t>(static_cast<std::int32_t>(rounded - kRound));
    const auto gap = static_cast<double>(y - (rounded - kRound) * size);
    return gap * gap;
  }

  /// The row, from the sum of the squares of what its numbers lose.
  SketchRow row(double square, std::size_t D) const {
    const double all = std::sqrt(static_cast<double>(D)) * static_cast<double>(largest);
    const double gap = size > 0 ? std::sqrt(square) * (1 + 0x1p-30) + all * 0x1p-22 : all;
    return {size, rounded_up(gap), 0, {}};
  }
};

}  // namespace

std::size_t sketch_bytes(std::size_t V, std::size_t D) noexcept {
  return (2 * D + kExact + 3 * V + kExact * V) * sizeof(float) + V * D;
}

Sketch Sketch::in(std::span<std::uint8_t> memory, std::size_t V, std::size_t D) noexcept {
  auto* mean = reinterpret_cast<float*>(memory.data());
  auto* columns = reinterpret_cast<std::int32_t*>(mean + 2 * D);
  auto* next = reinterpret_cast<float*>(columns + kExact);
  const auto numbers = [&] { return std::span(std::exchange(next, next + V), V); };
  Sketch sketch{{mean, D}, {mean + D, D}, {columns, kExact}, numbers(), numbers(), numbers(), {},
                {}};
  for (auto& column : sketch.exact) column = numbers();
  sketch.codes = {reinterpret_cast<std::int8_t*>(next), V * D};
  return sketch;
}

Sketch Sketch::part(std::size_t first, std::size_t N) const noexcept {
  const std::size_t D = mean.size();
  Sketch some = *this;
  for (auto* each : {&some.scales, &some.gaps, &some.lengths}) *each = each->subspan(first, N);
  for (auto& column : some.exact) column = column.subspan(first, N);
  some.codes = codes.subspan(first * D, N * D);
  return some;
}

SketchRow Sketch::row(std::size_t n) const noexcept {
  SketchRow row{scales[n], gaps[n], lengths[n], {}};
  for (std::size_t c = 0; c < kExact; ++c) row.exact[c] = exact[c][n];
  return row;
}

[[gnu::cold]] void sketch_rows(std::span<const float> x, std::span<double> squares,
                               Sketch sketch) noexcept {
  const std::size_t V = squares.size(), D = sketch.mean.size();
  survey(x, squares, sketch);
  for (std::size_t v = 0; v < V; ++v) {
    const auto own = x.subspan(v * D, D);
    const auto codes = sketch.codes.subspan(v * D, D);
    squares[v] = linear::dot(own, own);
    constexpr float kInf = std::numeric_limits<float>::infinity();
    SketchRow row{0, kInf, kInf, {}};
    if (std::isfinite(squares[v])) {
      row = sketch_row(own, sketch.mean, sketch.kept, codes);
      row.length = rounded_up(std::sqrt(squares[v]));
    } else {
      std::fill(codes.begin(), codes.end(), std::int8_t{0});
    }
    sketch.scales[v] = row.scale;
    sketch.gaps[v] = row.length < kInf ? row.gap : kInf;
    sketch.lengths[v] = row.length;
    for (std::size_t c = 0; c < kExact; ++c) {
      const auto column = sketch.columns[c];
      sketch.exact[c][v] = column < 0 ? 0 : own[static_cast<std::size_t>(column)];
    }
  }
}

SketchRow sketch_row_scalar(std::span<const float> x, std::span<const float> mean,
                            std::span<const float> kept, std::span<std::int8_t> codes) noexcept {
  const std::size_t D = x.size(), whole = D - D % 16;
  float largest = 0;
  for (std::size_t d = 0; d < D; ++d)
    largest = std::max(largest, std::fabs(centered(x, mean, kept, d)));
  const Scale scale(largest);
  double four[4] = {}, rest = 0;
  for (std::size_t d = 0; d < D; ++d)
    (d < whole ? four[d % 4] : rest) += scale.round(centered(x, mean, kept, d), codes[d]);
  return scale.row(((four[0] + four[2]) + (four[1] + four[3])) + rest, D);
}

SketchRow sketch_row(std::span<const float> x, std::span<const float> mean,
                     std::span<const float> kept, std::span<std::int8_t> codes) noexcept {
  const std::size_t D = x.size(), whole = D - D % 16;
  const auto four_centered = [&](std::size_t d) {
    const v128_t gap =
        wasm_f32x4_sub(wasm_v128_load(x.data() + d), wasm_v128_load(mean.data() + d));
    return wasm_f32x4_mul(gap, wasm_v128_load(kept.data() + d));
  };
  v128_t most = wasm_f32x4_splat(0);
  for (std::size_t d = 0; d < whole; d += 4)
    most = wasm_f32x4_pmax(most, wasm_v128_and(four_centered(d), wasm_i32x4_splat(0x7fffffff)));
  float four[4], largest = 0;
  wasm_v128_store(four, most);
  for (const float each : four) largest = std::max(largest, each);
  for (std::size_t d = whole; d < D; ++d)
    largest = std::max(largest, std::fabs(centered(x, mean, kept, d)));
  const Scale scale(largest);
  const v128_t round = wasm_f32x4_splat(kRound), scales = wasm_f32x4_splat(scale.size);
  const v128_t factors = wasm_f32x4_splat(scale.factor);
  v128_t s0 = wasm_f64x2_splat(0), s1 = s0;
  const bool finite = scale.size > 0;
  for (std::size_t d = 0; d < whole; d += 16) {
    v128_t rounded[4];
    for (std::size_t i = 0; i < 4; ++i) {
      const v128_t y = finite ? four_centered(d + 4 * i) : wasm_f32x4_splat(0);
      rounded[i] = wasm_f32x4_add(wasm_f32x4_mul(y, factors), round);
      const v128_t whole_number = wasm_f32x4_sub(rounded[i], round);
      const v128_t gap = wasm_f32x4_sub(y, wasm_f32x4_mul(whole_number, scales));
      const v128_t low = low_f64x2(gap), high = high_f64x2(gap);
      s0 = wasm_f64x2_add(s0, wasm_f64x2_mul(low, low));
      s1 = wasm_f64x2_add(s1, wasm_f64x2_mul(high, high));
    }
    const auto lowest = [](v128_t a, v128_t b) {
      return wasm_i8x16_shuffle(a, b, 0, 4, 8, 12, 16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0);
    };
    const v128_t a = lowest(rounded[0], rounded[1]), b = lowest(rounded[2], rounded[3]);
    wasm_v128_store(codes.data() + d, wasm_i32x4_shuffle(a, b, 0, 1, 4, 5));
  }
  double rest = 0;
  for (std::size_t d = whole; d < D; ++d) rest += scale.round(centered(x, mean, kept, d), codes[d]);
  const v128_t two = wasm_f64x2_add(s0, s1);
  const double sum = wasm_f64x2_extract_lane(two, 0) + wasm_f64x2_extract_lane(two, 1);
  return scale.row(sum + rest, D);
}

[[gnu::cold]] Probe probe_of_sketch(std::span<const double> q, const Sketch& sketch,
                                    std::span<double> rest, std::int16_t* out,
                                    double* exact) noexcept {
  const std::size_t D = q.size();
  double base = 0;
  for (std::size_t d = 0; d < D; ++d) {
    rest[d] = q[d] * static_cast<double>(sketch.kept[d]);
    base += rest[d] * static_cast<double>(sketch.mean[d]);
  }
  Probe probe = probe_of(rest, true, true, out);
  const double length = probe.length;
  probe.square = similarity::square(q);
  probe.length = std::sqrt(probe.square);
  probe.slope += 0x1p-30 * probe.length;
  probe.near = (length + probe.slope) * (1 + 0x1p-30);
  const double mean = std::sqrt(linear::dot(sketch.mean, sketch.mean)) * (1 + 0x1p-30);
  probe.offset += base + probe.slope * mean;
  for (std::size_t c = 0; c < kExact; ++c)
    exact[c] =
        sketch.columns[c] < 0 ? 0 : q[static_cast<std::size_t>(sketch.columns[c])] / probe.unit;
  return probe;
}

Limit rounded(Limit limit) noexcept {
  if (limit.slope > 0) {
    limit.level -= limit.slope * 0x1p-149;
    limit.slope *= 1 - 0x1p-22;
  }
  return limit;
}

}  // namespace phasor::nearest
