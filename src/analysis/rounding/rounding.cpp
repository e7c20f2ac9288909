#include "analysis/rounding/rounding.h"

#include <algorithm>
#include <cmath>

#include "math/double_double.h"
#include "math/elementary.h"
#include "math/half.h"
#include "math/nan.h"
#include "math/phase.h"
#include "math/turns.h"

namespace phasor::rounding {
namespace {

using elementary::CosSin;
using half::Dtype;
using half::rounded;

Dtype format(Pipeline pipeline) {
  switch (pipeline) {
    case Pipeline::kBfloat16Table:
    case Pipeline::kBfloat16:
      return Dtype::kBfloat16;
    case Pipeline::kFloat16Table:
    case Pipeline::kFloat16:
      return Dtype::kFloat16;
    default:
      return Dtype::kFloat32;
  }
}

/// Computes the float32 angle of a pipeline. `chained` is the angle of ggml for this pair.
float angle_of(Pipeline pipeline, DoubleDouble exact, float position, float theta, float chained) {
  switch (pipeline) {
    case Pipeline::kFloat32Angle:
      return to_float(exact);
    case Pipeline::kGgml:
      return chained;
    case Pipeline::kBfloat16:
    case Pipeline::kFloat16: {
      const Dtype dtype = format(pipeline);
      return rounded(rounded(position, dtype) * rounded(theta, dtype), dtype);
    }
    default:
      return position * theta;
  }
}

double distance(double value, double exact, Dtype dtype) {
  return std::fabs(static_cast<double>(rounded(static_cast<float>(value), dtype)) - exact);
}

}  // namespace

Status errors(std::span<const double> positions, std::span<const double> theta_hi,
              std::span<const double> theta_lo, std::span<const double> single, double base,
              double n, Pipeline pipeline, std::span<double> summary,
              std::span<float> out) noexcept {
  const std::size_t P = theta_hi.size();
  if (kChecked && (theta_lo.size() != P || single.size() != P)) return Status::kBadShape;
  if (kChecked && (summary.size() != kSummary || out.size() != positions.size() * P))
    return Status::kBadShape;
  for (const double position : positions)
    if (!(std::fabs(position) <= 2 * phase::kReach)) return Status::kBadParam;

  const Dtype dtype = format(pipeline);
  const float ratio = pipeline == Pipeline::kGgml
                          ? elementary::pow(static_cast<float>(base), -1.0f / static_cast<float>(n))
                          : 1.0f;
  for (std::size_t t = 0; t < positions.size(); ++t) {
    float chained = static_cast<float>(positions[t]);
    for (std::size_t i = 0; i < P; ++i, chained *= ratio) {
      const DoubleDouble angle = DoubleDouble{theta_hi[i], theta_lo[i]} * positions[t];
      const CosSin exact = cos_sin_radians(angle);
      const float taken = angle_of(pipeline, angle, static_cast<float>(positions[t]),
                                   static_cast<float>(single[i]), chained);
      double error = kNan;
      if (std::isfinite(taken)) {
        const CosSin value = pipeline == Pipeline::kExact ? exact : cos_sin_radians({taken, 0});
        error =
            std::max(distance(value.sin, exact.sin, dtype), distance(value.cos, exact.cos, dtype));
      }
      out[t * P + i] = canonical(static_cast<float>(error));
      const bool worse = summary[0] == summary[0] && !(error <= summary[0]);
      if (worse) {
        summary[0] = error;
        summary[1] = positions[t];
        summary[2] = static_cast<double>(i);
      }
      summary[3] += error * error;
    }
  }
  return Status::kOk;
}

}  // namespace phasor::rounding
