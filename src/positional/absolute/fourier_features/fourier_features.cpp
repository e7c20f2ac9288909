#include "positional/absolute/fourier_features/fourier_features.h"

#include <algorithm>
#include <cmath>

#include "math/double_double.h"
#include "math/elementary.h"
#include "math/phase.h"
#include "math/turns.h"

namespace phasor::fourier_features {
namespace {

constexpr double kPi = 0x1.921fb54442d18p+1;
constexpr float kPi32 = static_cast<float>(kPi);

/// torch.linspace: the second half is counted from the end.
float linspace(float first, float last, std::size_t k, std::size_t P) {
  const float step = P > 1 ? (last - first) / static_cast<float>(P - 1) : 0.0f;
  return k < P / 2 || P == 1 ? first + step * static_cast<float>(k)
                             : last - step * static_cast<float>(P - 1 - k);
}

/// Exact for powers of two, as `exp2` is for whole numbers.
double log2(double x) {
  int power = 0;
  const double mantissa = 2.0 * std::frexp(x, &power);
  return (power - 1) + elementary::log_f64(mantissa) / kLn2.hi;
}

double exp2(double x) {
  const double whole = std::nearbyint(x);
  return std::ldexp(elementary::exp_f64((x - whole) * kLn2.hi), static_cast<int>(whole));
}

float angle_f32(float x, float w, Unit unit) {
  if (unit == Unit::kRadians) return x * w;
  return unit == Unit::kTurns ? x * w * 2.0f * kPi32 : x * (w * kPi32);
}

/// The exact angle, in turns.
DoubleDouble turns(double x, double w, Unit unit) {
  const DoubleDouble product = two_product(x, w);
  if (unit == Unit::kRadians) return product * kTurnsPerRadian;
  const double part = unit == Unit::kTurns ? 1.0 : 0.5;
  return {product.hi * part, product.lo * part};
}

double radians(Unit unit) {
  return unit == Unit::kTurns ? 2 * kPi : unit == Unit::kHalfTurns ? kPi : 1.0;
}

}  // namespace

Status spread(double first, double last, Spacing spacing, Steps steps,
              std::span<double> out) noexcept {
  const bool geometric = spacing == Spacing::kGeometric;
  if (!std::isfinite(first) || !std::isfinite(last)) return Status::kBadParam;
  if (geometric && !(first == 1.0 && last > 0)) return Status::kBadParam;
  const double begin = geometric ? 0.0 : first;
  const double end = geometric ? log2(last) : last;
  const std::size_t P = out.size();
  const double gaps = P > 1 ? static_cast<double>(P - 1) : 1.0;
  for (std::size_t k = 0; k < P; ++k) {
    const double along = static_cast<double>(k);
    if (steps == Steps::kFloat32) {
      const float at = linspace(static_cast<float>(begin), static_cast<float>(end), k, P);
      out[k] = geometric ? elementary::pow(2.0f, at) : at;
    } else {
      const double at = (begin * (gaps - along) + end * along) / gaps;
      out[k] = geometric ? exp2(at) : at;
    }
  }
  return Status::kOk;
}

Status waves(std::span<const double> x, std::span<const double> w, std::size_t C, Unit unit,
             Input input, Steps steps, Columns columns, std::span<float> out) noexcept {
  if (kChecked && (C == 0 || x.size() % C != 0 || w.size() % C != 0)) return Status::kBadShape;
  const std::size_t N = x.size() / C;
  const std::size_t P = w.size() / C;
  const std::size_t reach = P == 0 ? 0
                                   : std::max(columns.sin, columns.cos) +
                                         (C - 1) * columns.coordinate + (P - 1) * columns.band + 1;
  if (kChecked && (reach > columns.row || out.size() != N * columns.row)) return Status::kBadShape;
  const double most = phase::kReach / radians(unit);
  for (std::size_t n = 0; n < N; ++n) {
    float* row = out.data() + n * columns.row;
    for (std::size_t c = 0; c < C; ++c) {
      const double given = x[n * C + c];
      double at = given;
      if (steps == Steps::kFloat32) {
        const float single = static_cast<float>(given);
        at = input == Input::kLog ? elementary::log(single) : single;
      } else if (input == Input::kLog) {
        at = elementary::log_f64(given);
      }
      for (std::size_t k = 0; k < P; ++k) {
        const double frequency = w[c * P + k];
        if (!(std::fabs(at * frequency) <= most)) return Status::kBadParam;
        const DoubleDouble angle =
            steps == Steps::kExact
                ? turns(at, frequency, unit)
                : turns(angle_f32(static_cast<float>(at), static_cast<float>(frequency), unit), 1,
                        Unit::kRadians);
        const elementary::CosSin value = cos_sin_turns(angle);
        const std::size_t column = c * columns.coordinate + k * columns.band;
        row[columns.sin + column] = static_cast<float>(value.sin);
        row[columns.cos + column] = static_cast<float>(value.cos);
      }
    }
  }
  return Status::kOk;
}

}  // namespace phasor::fourier_features
