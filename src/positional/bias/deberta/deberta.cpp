#include "positional/bias/deberta/deberta.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "math/double_double.h"
#include "math/elementary.h"

namespace phasor::deberta {
namespace {

/// A quotient of logarithms this close to an integer is that integer: the error of double-double is
/// smaller, and tests against integer powers find no other quotient that close.
constexpr double kTie = 0x1p-60;

/// The number of steps of ln(last / mid) / (mid - 1) from mid to a distance, rounded up.
struct ExactSteps {
  DoubleDouble start, whole;
  double mid;

  ExactSteps(double from, double last) : start(-log(from)), whole(log(last) + start), mid(from) {}
  double operator()(double distance) const {
    const DoubleDouble part = (log(distance) + start) * (mid - 1);
    const double nearest = std::nearbyint(part.hi / whole.hi);
    const DoubleDouble beyond = part + -(whole * nearest);
    return beyond.hi > kTie * part.hi ? nearest + 1 : nearest;
  }
};

struct TorchSteps {
  float mid, whole;

  TorchSteps(double from, double last)
      : mid(static_cast<float>(from)), whole(elementary::log(static_cast<float>(last / from))) {}
  double operator()(double distance) const {
    const float part = elementary::log(static_cast<float>(distance) / mid);
    return std::ceil(part / whole * (mid - 1));
  }
};

template <typename Steps>
void fill(std::int32_t first, std::int32_t mid, std::int32_t last, std::span<std::int32_t> out) {
  const Steps steps(mid, last);
  const double most = std::numeric_limits<std::int32_t>::max();
  for (std::size_t r = 0; r < out.size(); ++r) {
    const double distance = first + static_cast<double>(r);
    const double bucket = distance <= mid ? distance : mid + steps(distance);
    out[r] = static_cast<std::int32_t>(std::min(bucket, most));
  }
}

}  // namespace

Status log_buckets(std::int32_t first, std::int32_t mid, std::int32_t last, Precision precision,
                   std::span<std::int32_t> out) noexcept {
  if (first < 0 || mid < 1 || last <= mid) return Status::kBadParam;
  if (precision == Precision::kExact)
    fill<ExactSteps>(first, mid, last, out);
  else
    fill<TorchSteps>(first, mid, last, out);
  return Status::kOk;
}

}  // namespace phasor::deberta
