#include "positional/bias/relative/relative.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/double_double.h"
#include "math/elementary.h"
#include "math/linear.h"
#include "math/nan.h"

namespace phasor::relative {
namespace {

using linear::dot;

float rounded(double x) { return canonical(static_cast<float>(x)); }

Status check(std::size_t table, std::span<const std::int32_t> index, std::size_t T, std::size_t N,
             std::size_t D) {
  if (D == 0 || table % D != 0 || index.size() != T * N) return Status::kBadShape;
  const bool inside = std::ranges::all_of(index, [R = table / D](std::int32_t row) {
    return row >= 0 && static_cast<std::size_t>(row) < R;
  });
  return inside ? Status::kOk : Status::kBadIndex;
}

/// Quotients of logarithms this close to a whole number are that number: double-double errs by
/// less, and tests against whole-number powers find none closer that is not.
constexpr double kTie = 0x1p-60;

/// How far along from mid to last each distance is, in steps of ln(last / mid) / (mid - 1),
/// upwards.
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

Status scores(std::span<const float> x, std::span<const float> table,
              std::span<const std::int32_t> index, std::span<const float> add, std::size_t T,
              std::size_t N, std::size_t D, Side side, double scale,
              std::span<float> out) noexcept {
  const bool queries = side == Side::kQueries;
  if (x.size() != (queries ? T : N) * D || out.size() != T * N) return Status::kBadShape;
  if (!add.empty() && add.size() != T * N) return Status::kBadShape;
  if (const Status status = check(table.size(), index, T, N, D); status != Status::kOk)
    return status;
  const std::size_t by_query = queries ? D : 0, by_key = queries ? 0 : D;
  for (std::size_t t = 0, at = 0; t < T; ++t) {
    for (std::size_t n = 0; n < N; ++n, ++at) {
      const auto selected = table.subspan(static_cast<std::size_t>(index[at]) * D, D);
      const double more = add.empty() ? 0.0 : static_cast<double>(add[at]);
      out[at] = rounded(scale * dot(x.subspan(t * by_query + n * by_key, D), selected) + more);
    }
  }
  return Status::kOk;
}

Status values(std::span<const float> weights, std::span<const float> table,
              std::span<const std::int32_t> index, std::size_t T, std::size_t N, std::size_t D,
              std::span<float> out) noexcept {
  if (weights.size() != T * N || out.size() != T * D) return Status::kBadShape;
  if (const Status status = check(table.size(), index, T, N, D); status != Status::kOk)
    return status;
  for (std::size_t t = 0; t < T; ++t) {
    for (std::size_t d = 0; d < D; ++d) {
      double sum = 0;
      for (std::size_t at = t * N; at < (t + 1) * N; ++at)
        sum += static_cast<double>(weights[at]) *
               static_cast<double>(table[static_cast<std::size_t>(index[at]) * D + d]);
      out[t * D + d] = rounded(sum);
    }
  }
  return Status::kOk;
}

Status log_buckets(std::int32_t first, std::int32_t mid, std::int32_t last, Precision precision,
                   std::span<std::int32_t> out) noexcept {
  if (first < 0 || mid < 1 || last <= mid) return Status::kBadParam;
  if (precision == Precision::kExact)
    fill<ExactSteps>(first, mid, last, out);
  else
    fill<TorchSteps>(first, mid, last, out);
  return Status::kOk;
}

}  // namespace phasor::relative
