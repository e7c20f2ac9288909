#include "embedding/normalize/normalize.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "math/lanes.h"
#include "math/nan.h"
#include "math/widen.h"

namespace phasor::normalize {
namespace {

/// Sums over a row of x - center and of its square.
struct Moments {
  double first, second;
};

double folded(const double (&sums)[8]) {
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

double folded(v128_t s01, v128_t s23, v128_t s45, v128_t s67) {
  const v128_t sums = wasm_f64x2_add(wasm_f64x2_add(s01, s45), wasm_f64x2_add(s23, s67));
  return wasm_f64x2_extract_lane(sums, 0) + wasm_f64x2_extract_lane(sums, 1);
}

Moments with_rest(Moments moments, std::span<const float> rest, double center) {
  for (const float x : rest) {
    const double part = static_cast<double>(x) - center;
    moments.first += part;
    moments.second += part * part;
  }
  return moments;
}

/// In the order that `rows_scalar` defines.
struct Scalar {
  template <bool kFirst>
  static Moments moments(std::span<const float> row, double center) {
    double first[8] = {}, second[8] = {};
    std::size_t d = 0;
    for (; d + 8 <= row.size(); d += 8) {
      for (std::size_t k = 0; k < 8; ++k) {
        const double part = static_cast<double>(row[d + k]) - center;
        first[k] += part;
        second[k] += part * part;
      }
    }
    return with_rest({folded(first), folded(second)}, row.subspan(d), center);
  }
};

/// The same, eight numbers at a time, without `first` where nobody asks for it.
struct Lanes {
  template <bool kFirst>
  static Moments moments(std::span<const float> row, double center) {
    const v128_t centers = wasm_f64x2_splat(center);
    v128_t f01 = wasm_f64x2_splat(0), f23 = f01, f45 = f01, f67 = f01;
    v128_t s01 = f01, s23 = f01, s45 = f01, s67 = f01;
    const auto add = [centers](v128_t x, v128_t& first, v128_t& second) {
      const v128_t part = wasm_f64x2_sub(x, centers);
      if constexpr (kFirst) first = wasm_f64x2_add(first, part);
      second = wasm_f64x2_add(second, wasm_f64x2_mul(part, part));
    };
    std::size_t d = 0;
    for (; d + 8 <= row.size(); d += 8) {
      const v128_t x = wasm_v128_load(row.data() + d);
      const v128_t y = wasm_v128_load(row.data() + d + 4);
      add(low_f64x2(x), f01, s01);
      add(high_f64x2(x), f23, s23);
      add(low_f64x2(y), f45, s45);
      add(high_f64x2(y), f67, s67);
    }
    return with_rest({folded(f01, f23, f45, f67), folded(s01, s23, s45, s67)}, row.subspan(d),
                     center);
  }
};

/// The mean of a row and the sum of the squares about it, from one pass about its first number. Where
/// that number is far from the mean, most of the sum of squares cancels: then once more about the mean.
template <typename Sums>
Moments about_mean(std::span<const float> row) {
  const double D = static_cast<double>(row.size());
  double center = static_cast<double>(row[0]);
  for (int again = 1;; --again) {
    const auto [first, second] = Sums::template moments<true>(row, center);
    const double squares = second - first * first / D;
    center += first / D;
    if (again == 0 || !(second > 16 * squares)) return {center, std::max(squares, 0.0)};
  }
}

double divisor(double squares, std::size_t D, Kind kind, double eps) {
  const double length = kind == Kind::kL2 ? std::max(std::sqrt(squares), eps)
                                          : std::sqrt(squares / static_cast<double>(D) + eps);
  return length < 0x1p-1022 ? 1 : length;  // of zeros: 1 over a subnormal number is infinite
}

bool fits(std::size_t size, std::size_t D) { return size == 0 || size == D; }

/// What every row is multiplied by and what is added to it, in double; empty for nothing.
struct Columns {
  std::span<const double> weight;
  std::span<const double> bias;
};

/// Writes numbers `from` .. D-1 of a row.
void finish(std::span<const float> row, std::size_t from, double mean, double scale,
            const Columns& columns, float* out) {
  const auto& [weight, bias] = columns;
  for (std::size_t d = from; d < row.size(); ++d) {
    double value = (static_cast<double>(row[d]) - mean) * scale;
    if (!weight.empty()) value *= weight[d];
    if (!bias.empty()) value += bias[d];
    out[d] = canonical(static_cast<float>(value));
  }
}

void finish_lanes(std::span<const float> row, double mean, double scale, const Columns& columns,
                  float* out) {
  const double* weight = columns.weight.empty() ? nullptr : columns.weight.data();
  const double* bias = columns.bias.empty() ? nullptr : columns.bias.data();
  const v128_t means = wasm_f64x2_splat(mean);
  const v128_t scales = wasm_f64x2_splat(scale);
  v128_t sum = wasm_f32x4_splat(0);  // becomes NaN when a result is NaN
  std::size_t d = 0;
  for (; d + 4 <= row.size(); d += 4) {
    const v128_t x = wasm_v128_load(row.data() + d);
    v128_t low = wasm_f64x2_mul(wasm_f64x2_sub(low_f64x2(x), means), scales);
    v128_t high = wasm_f64x2_mul(wasm_f64x2_sub(high_f64x2(x), means), scales);
    if (weight != nullptr) {
      low = wasm_f64x2_mul(low, wasm_v128_load(weight + d));
      high = wasm_f64x2_mul(high, wasm_v128_load(weight + d + 2));
    }
    if (bias != nullptr) {
      low = wasm_f64x2_add(low, wasm_v128_load(bias + d));
      high = wasm_f64x2_add(high, wasm_v128_load(bias + d + 2));
    }
    const v128_t result = narrow_f32x4(low, high);
    sum = wasm_f32x4_add(sum, result);
    wasm_v128_store(out + d, result);
  }
  if (any_nan(sum)) canonicalize({out, d});
  finish(row, d, mean, scale, columns, out);
}

/// Widens numbers into a part of the workspace.
std::span<const double> widened(std::span<const float> from, double offset, std::span<double> to) {
  const v128_t offsets = wasm_f64x2_splat(offset);
  std::size_t d = 0;
  for (; d + 4 <= from.size(); d += 4) {
    const v128_t x = wasm_v128_load(from.data() + d);
    wasm_v128_store(to.data() + d, wasm_f64x2_add(low_f64x2(x), offsets));
    wasm_v128_store(to.data() + d + 2, wasm_f64x2_add(high_f64x2(x), offsets));
  }
  for (; d < from.size(); ++d) to[d] = static_cast<double>(from[d]) + offset;
  return to.first(from.size());
}

template <typename Sums>
Status all_rows(std::span<const float> x, std::span<const float> weight,
                std::span<const float> bias, std::size_t D, Kind kind, double eps,
                double weight_offset, std::span<double> workspace, std::span<float> out) {
  if (kChecked && (D == 0 || x.size() % D != 0 || out.size() != x.size() ||
                   workspace.size() != 2 * D || !fits(weight.size(), D) || !fits(bias.size(), D)))
    return Status::kBadShape;
  if (!(eps >= 0)) return Status::kBadParam;
  const Columns columns{widened(weight, weight_offset, workspace.first(D)),
                        widened(bias, 0, workspace.last(D))};
  for (std::size_t first = 0; first < x.size(); first += D) {
    const std::span<const float> row = x.subspan(first, D);
    const auto [mean, squares] = kind == Kind::kLayer
                                     ? about_mean<Sums>(row)
                                     : Moments{0, Sums::template moments<false>(row, 0).second};
    const double scale = 1 / divisor(squares, D, kind, eps);
    if constexpr (std::is_same_v<Sums, Lanes>)
      finish_lanes(row, mean, scale, columns, out.data() + first);
    else
      finish(row, 0, mean, scale, columns, out.data() + first);
  }
  return Status::kOk;
}

}  // namespace

Status rows_scalar(std::span<const float> x, std::span<const float> weight,
                   std::span<const float> bias, std::size_t D, Kind kind, double eps,
                   double weight_offset, std::span<double> workspace,
                   std::span<float> out) noexcept {
  return all_rows<Scalar>(x, weight, bias, D, kind, eps, weight_offset, workspace, out);
}

Status rows(std::span<const float> x, std::span<const float> weight, std::span<const float> bias,
            std::size_t D, Kind kind, double eps, double weight_offset, std::span<double> workspace,
            std::span<float> out) noexcept {
  return all_rows<Lanes>(x, weight, bias, D, kind, eps, weight_offset, workspace, out);
}

}  // namespace phasor::normalize
