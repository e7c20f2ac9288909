#include "analysis/statistics/statistics.h"

#include <cmath>

#include "math/elementary.h"
#include "math/linear.h"
#include "math/nan.h"

namespace phasor::statistics {
namespace {

[[gnu::noinline]] double length_of(std::span<const float> row) {
  return std::sqrt(linear::dot(row, row));
}

}  // namespace

Status norms(std::span<const float> x, std::size_t N, std::size_t D,
             std::span<float> out) noexcept {
  if (kChecked && (x.size() != N * D || out.size() != N)) return Status::kBadShape;
  for (std::size_t n = 0; n < N; ++n)
    out[n] = canonical(static_cast<float>(length_of(x.subspan(n * D, D))));
  return Status::kOk;
}

Status measure(std::span<const float> x, std::size_t N, std::size_t D, std::span<double> lengths,
               std::span<double> direction) noexcept {
  if (kChecked && (x.size() != N * D || lengths.size() != N || direction.size() != D))
    return Status::kBadShape;
  for (std::size_t n = 0; n < N; ++n) {
    const auto row = x.subspan(n * D, D);
    const double length = lengths[n] = length_of(row);
    if (!(length > 0) || !std::isfinite(length)) continue;
    for (std::size_t d = 0; d < D; ++d) direction[d] += static_cast<double>(row[d]) / length;
  }
  return Status::kOk;
}

double effective_rank(std::span<const double> singular) noexcept {
  double total = 0;
  for (const double s : singular) total += s;
  if (total == 0) return 0;
  double entropy = 0;
  for (const double s : singular) {
    const double share = s / total;
    if (share > 0) entropy -= share * elementary::log_f64(share);
  }
  return elementary::exp_f64(entropy);
}

}  // namespace phasor::statistics
