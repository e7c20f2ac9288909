#include "embedding/normalize/normalize.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "math/lanes.h"
#include "math/nan.h"
#include "math/widen.h"

namespace phasor::normalize {
namespace {

double square(double x) { return x * x; }
v128_t square(v128_t x) { return wasm_f64x2_mul(x, x); }

/// Sums over a row, in the order that `rows_scalar` defines.
struct Scalar {
  static double sum(std::span<const float> row) {
    return total(row, [](float x) { return static_cast<double>(x); });
  }

  static double squares(std::span<const float> row, double mean) {
    return total(row, [mean](float x) { return square(static_cast<double>(x) - mean); });
  }

 private:
  static double total(std::span<const float> row, auto of) {
    double sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    std::size_t d = 0;
    for (; d + 8 <= row.size(); d += 8)
      for (std::size_t k = 0; k < 8; ++k) sums[k] += of(row[d + k]);
    double all =
        ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
    for (; d < row.size(); ++d) all += of(row[d]);
    return all;
  }
};

/// The same sums, eight numbers at a time.
struct Lanes {
  static double sum(std::span<const float> row) {
    return total(row, [](v128_t x) { return x; }, [](float x) { return static_cast<double>(x); });
  }

  static double squares(std::span<const float> row, double mean) {
    const v128_t means = wasm_f64x2_splat(mean);
    return total(
        row, [means](v128_t x) { return square(wasm_f64x2_sub(x, means)); },
        [mean](float x) { return square(static_cast<double>(x) - mean); });
  }

 private:
  static double total(std::span<const float> row, auto of_two, auto of_one) {
    v128_t s01 = wasm_f64x2_splat(0), s23 = s01, s45 = s01, s67 = s01;
    std::size_t d = 0;
    for (; d + 8 <= row.size(); d += 8) {
      const v128_t x = wasm_v128_load(row.data() + d);
      const v128_t y = wasm_v128_load(row.data() + d + 4);
      s01 = wasm_f64x2_add(s01, of_two(low_f64x2(x)));
      s23 = wasm_f64x2_add(s23, of_two(high_f64x2(x)));
      s45 = wasm_f64x2_add(s45, of_two(low_f64x2(y)));
      s67 = wasm_f64x2_add(s67, of_two(high_f64x2(y)));
    }
    const v128_t sums = wasm_f64x2_add(wasm_f64x2_add(s01, s45), wasm_f64x2_add(s23, s67));
    double all = wasm_f64x2_extract_lane(sums, 0) + wasm_f64x2_extract_lane(sums, 1);
    for (; d < row.size(); ++d) all += of_one(row[d]);
    return all;
  }
};

double divisor(double squares, std::size_t D, Kind kind, double eps) {
  const double length = kind == Kind::kL2 ? std::max(std::sqrt(squares), eps)
                                          : std::sqrt(squares / static_cast<double>(D) + eps);
  return length == 0 ? 1 : length;
}

bool fits(std::size_t size, std::size_t D) { return size == 0 || size == D; }

struct Columns {
  std::span<const float> weight;
  std::span<const float> bias;
  double weight_offset;
};

/// Writes numbers `from` .. D-1 of a row.
void finish(std::span<const float> row, std::size_t from, double mean, double scale,
            const Columns& columns, float* out) {
  const auto& [weight, bias, weight_offset] = columns;
  for (std::size_t d = from; d < row.size(); ++d) {
    double value = (static_cast<double>(row[d]) - mean) * scale;
    if (!weight.empty()) value *= static_cast<double>(weight[d]) + weight_offset;
    if (!bias.empty()) value += static_cast<double>(bias[d]);
    out[d] = canonical(static_cast<float>(value));
  }
}

void finish_lanes(std::span<const float> row, double mean, double scale, const Columns& columns,
                  float* out) {
  const float* weight = columns.weight.empty() ? nullptr : columns.weight.data();
  const float* bias = columns.bias.empty() ? nullptr : columns.bias.data();
  const v128_t means = wasm_f64x2_splat(mean);
  const v128_t scales = wasm_f64x2_splat(scale);
  const v128_t offset = wasm_f64x2_splat(columns.weight_offset);
  v128_t sum = wasm_f32x4_splat(0);  // becomes NaN when a result is NaN
  std::size_t d = 0;
  for (; d + 4 <= row.size(); d += 4) {
    const v128_t x = wasm_v128_load(row.data() + d);
    v128_t low = wasm_f64x2_mul(wasm_f64x2_sub(low_f64x2(x), means), scales);
    v128_t high = wasm_f64x2_mul(wasm_f64x2_sub(high_f64x2(x), means), scales);
    if (weight != nullptr) {
      const v128_t w = wasm_v128_load(weight + d);
      low = wasm_f64x2_mul(low, wasm_f64x2_add(low_f64x2(w), offset));
      high = wasm_f64x2_mul(high, wasm_f64x2_add(high_f64x2(w), offset));
    }
    if (bias != nullptr) {
      const v128_t b = wasm_v128_load(bias + d);
      low = wasm_f64x2_add(low, low_f64x2(b));
      high = wasm_f64x2_add(high, high_f64x2(b));
    }
    const v128_t result = narrow_f32x4(low, high);
    sum = wasm_f32x4_add(sum, result);
    wasm_v128_store(out + d, result);
  }
  if (any_nan(sum)) canonicalize({out, d});
  finish(row, d, mean, scale, columns, out);
}

template <typename Sums>
Status all_rows(std::span<const float> x, const Columns& columns, std::size_t D, Kind kind,
                double eps, std::span<float> out) {
  if (kChecked && (D == 0 || x.size() % D != 0 || out.size() != x.size() ||
                   !fits(columns.weight.size(), D) || !fits(columns.bias.size(), D)))
    return Status::kBadShape;
  if (!(eps >= 0)) return Status::kBadParam;
  for (std::size_t first = 0; first < x.size(); first += D) {
    const std::span<const float> row = x.subspan(first, D);
    const double mean = kind == Kind::kLayer ? Sums::sum(row) / static_cast<double>(D) : 0;
    const double scale = 1 / divisor(Sums::squares(row, mean), D, kind, eps);
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
                   double weight_offset, std::span<float> out) noexcept {
  return all_rows<Scalar>(x, {weight, bias, weight_offset}, D, kind, eps, out);
}

Status rows(std::span<const float> x, std::span<const float> weight, std::span<const float> bias,
            std::size_t D, Kind kind, double eps, double weight_offset,
            std::span<float> out) noexcept {
  return all_rows<Lanes>(x, {weight, bias, weight_offset}, D, kind, eps, out);
}

}  // namespace phasor::normalize
