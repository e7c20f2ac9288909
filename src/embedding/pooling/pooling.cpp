#include "embedding/pooling/pooling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/elementary.h"
#include "math/lanes.h"
#include "math/linear.h"
#include "math/nan.h"
#include "math/widen.h"

namespace phasor::pooling {
namespace {

/// The least sum of weights that is divided by.
constexpr double kLeast = 1e-9;

/// Adds weight * row to the sums.
struct Scalar {
  static void add(const float* row, double weight, std::span<double> sums) {
    for (std::size_t d = 0; d < sums.size(); ++d) sums[d] += weight * static_cast<double>(row[d]);
  }
};

/// The same, four numbers at a time.
struct Lanes {
  static void add(const float* row, double weight, std::span<double> sums) {
    const v128_t weights = wasm_f64x2_splat(weight);
    std::size_t d = 0;
    for (; d + 4 <= sums.size(); d += 4) {
      const v128_t x = wasm_v128_load(row + d);
      double* to = sums.data() + d;
      const v128_t low = wasm_f64x2_mul(weights, low_f64x2(x));
      const v128_t high = wasm_f64x2_mul(weights, high_f64x2(x));
      wasm_v128_store(to, wasm_f64x2_add(wasm_v128_load(to), low));
      wasm_v128_store(to + 2, wasm_f64x2_add(wasm_v128_load(to + 2), high));
    }
    Scalar::add(row + d, weight, sums.subspan(d));
  }
};

/// The tokens of a text.
class Text {
 public:
  Text(const float* x, std::span<const std::int32_t> mask, std::size_t T, std::size_t D,
       std::size_t skip)
      : x_(x), mask_(mask), T_(T), D_(D) {
    while (first_ < T && !has(first_)) ++first_;
    if (first_ == T) first_ = 0;
    begin_ = skip < T - first_ ? first_ + skip : T;
  }

  const float* row(std::size_t t) const { return x_ + t * D_; }

  void each(auto use) const {
    for (std::size_t t = begin_; t < T_; ++t)
      if (has(t)) use(row(t), static_cast<double>(t - first_ + 1));
  }

 private:
  bool has(std::size_t t) const { return mask_.empty() || mask_[t] != 0; }

  const float* x_;
  std::span<const std::int32_t> mask_;
  std::size_t T_, D_;
  std::size_t first_ = 0, begin_ = 0;
};

void widen(const float* row, std::span<double> to) {
  for (std::size_t d = 0; d < to.size(); ++d) to[d] = static_cast<double>(row[d]);
}

/// Pools the first columns of a text, as many as `to` has.
template <typename Adding>
void pool_text(const Text& text, Mode mode, std::span<double> to) {
  std::fill(to.begin(), to.end(),
            mode == Mode::kMax ? -std::numeric_limits<double>::infinity() : 0);
  if (mode == Mode::kMax) {
    text.each([to](const float* row, double) {
      for (std::size_t d = 0; d < to.size(); ++d) {
        const double x = static_cast<double>(row[d]);
        if (x > to[d] || x != x) to[d] = x;
      }
    });
    return;
  }
  if (mode == Mode::kCls || mode == Mode::kLast) {
    const float* found = nullptr;
    text.each([&found, mode](const float* row, double) {
      if (found == nullptr || mode == Mode::kLast) found = row;
    });
    if (found == nullptr && mode == Mode::kCls) found = text.row(0);
    if (found != nullptr) widen(found, to);
    return;
  }
  double total = 0;
  text.each([&total, mode, to](const float* row, double place) {
    const double weight = mode == Mode::kWeighted ? place : 1;
    total += weight;
    Adding::add(row, weight, to);
  });
  total = std::max(total, kLeast);
  const double divisor = mode == Mode::kMeanSqrtLength ? std::sqrt(total) : total;
  for (double& sum : to) sum /= divisor;
}

void round_row(std::span<const double> row, bool unit, double eps, float* out) {
  double length = 1;
  if (unit) {
    double squares = 0;
    for (const double value : row) squares += value * value;
    length = std::max(std::sqrt(squares), eps);
    if (length == 0) length = 1;
  }
  for (std::size_t d = 0; d < row.size(); ++d)
    out[d] = canonical(static_cast<float>(row[d] / length));
}

template <typename Adding>
Status pool_all(std::span<const float> x, std::span<const std::int32_t> mask, std::size_t T,
                std::size_t D, std::size_t skip, std::span<const std::int32_t> modes, bool unit,
                double eps, std::span<double> scratch, std::span<float> out) {
  const std::size_t W = scratch.size();
  if (kChecked) {
    if (T == 0 || D == 0 || x.size() % (T * D) != 0) return Status::kBadShape;
    const std::size_t B = x.size() / (T * D);
    if ((!mask.empty() && mask.size() != B * T) || W == 0 || W > modes.size() * D ||
        out.size() != B * W)
      return Status::kBadShape;
  }
  if (!(eps >= 0) || !std::all_of(modes.begin(), modes.end(), [](std::int32_t mode) {
        return mode >= 0 && mode <= static_cast<std::int32_t>(Mode::kMeanSqrtLength);
      }))
    return Status::kBadParam;
  for (std::size_t b = 0; b * W < out.size(); ++b) {
    const auto kept = mask.empty() ? mask : mask.subspan(b * T, T);
    const Text text(x.data() + b * T * D, kept, T, D, skip);
    for (std::size_t m = 0; m * D < W; ++m)
      pool_text<Adding>(text, static_cast<Mode>(modes[m]),
                        scratch.subspan(m * D, std::min(D, W - m * D)));
    round_row(scratch, unit, eps, out.data() + b * W);
  }
  return Status::kOk;
}

double sigmoid(double x) {
  const double power = elementary::exp_f64(-std::abs(x));
  return (x < 0 ? power : 1) / (1 + power);
}

/// Near 0, where 1 - 2 / (e^2x + 1) cancels, by its series: the next term is 9e-13 of it at 0.05.
double hyperbolic_tangent(double x) {
  const double size = std::abs(x), square = x * x;
  if (size < 0.05) {
    const double terms = square * (2.0 / 15 - square * (17.0 / 315));
    return x * (1 - square * (1.0 / 3 - terms));
  }
  const double power = elementary::exp_f64(-2 * size);
  return std::copysign((1 - power) / (1 + power), x);
}

double activated(double x, Activation activation) {
  if (x != x) return x;
  switch (activation) {
    case Activation::kTanh:
      return hyperbolic_tangent(x);
    case Activation::kRelu:
      return std::max(x, 0.0);
    case Activation::kSigmoid:
      return sigmoid(x);
    case Activation::kSilu:
      return x * sigmoid(x);
    default:
      return x;
  }
}

}  // namespace

Status pool(std::span<const float> x, std::span<const std::int32_t> mask, std::size_t T,
            std::size_t D, std::size_t skip, std::span<const std::int32_t> modes, bool unit,
            double eps, std::span<double> scratch, std::span<float> out) noexcept {
  return pool_all<Lanes>(x, mask, T, D, skip, modes, unit, eps, scratch, out);
}

Status pool_scalar(std::span<const float> x, std::span<const std::int32_t> mask, std::size_t T,
                   std::size_t D, std::size_t skip, std::span<const std::int32_t> modes, bool unit,
                   double eps, std::span<double> scratch, std::span<float> out) noexcept {
  return pool_all<Scalar>(x, mask, T, D, skip, modes, unit, eps, scratch, out);
}

Status dense(std::span<const float> x, std::size_t D, std::span<const float> weight,
             std::span<const float> bias, Activation activation, std::span<float> out) noexcept {
  if (kChecked && (D == 0 || x.size() % D != 0 || weight.size() % D != 0 ||
                   out.size() != (x.size() / D) * (weight.size() / D) ||
                   (!bias.empty() && bias.size() != weight.size() / D)))
    return Status::kBadShape;
  if (activation < Activation::kIdentity || activation > Activation::kSilu)
    return Status::kBadParam;
  const std::size_t N = weight.size() / D;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::size_t n = k % N;
    double value = linear::dot(x.subspan(k / N * D, D), weight.subspan(n * D, D));
    if (!bias.empty()) value += static_cast<double>(bias[n]);
    out[k] = canonical(static_cast<float>(activated(value, activation)));
  }
  return Status::kOk;
}

}  // namespace phasor::pooling
