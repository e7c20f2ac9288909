#include "tokens/normalize/normalize.h"

#include <algorithm>
#include <cmath>

#include "core/nan.h"

namespace phasor::normalize {
namespace {

double sum(std::span<const float> row) {
  double total = 0;
  for (const float x : row) total += static_cast<double>(x);
  return total;
}

double squares(std::span<const float> row, double mean) {
  double total = 0;
  for (const float x : row) {
    const double distance = static_cast<double>(x) - mean;
    total += distance * distance;
  }
  return total;
}

double divisor(std::span<const float> row, double mean, Kind kind, double eps) {
  const double total = squares(row, mean);
  const double length = kind == Kind::kL2
                            ? std::max(std::sqrt(total), eps)
                            : std::sqrt(total / static_cast<double>(row.size()) + eps);
  return length == 0 ? 1 : length;
}

bool fits(std::size_t size, std::size_t D) { return size == 0 || size == D; }

}  // namespace

Status rows(std::span<const float> x, std::span<const float> weight, std::span<const float> bias,
            std::size_t D, Kind kind, double eps, double weight_offset,
            std::span<float> out) noexcept {
  if (D == 0 || x.size() % D != 0 || out.size() != x.size() || !fits(weight.size(), D) ||
      !fits(bias.size(), D))
    return Status::kBadShape;
  if (!(eps >= 0)) return Status::kBadParam;
  for (std::size_t first = 0; first < x.size(); first += D) {
    const std::span<const float> row = x.subspan(first, D);
    const double mean = kind == Kind::kLayer ? sum(row) / static_cast<double>(D) : 0;
    const double by = divisor(row, mean, kind, eps);
    for (std::size_t d = 0; d < D; ++d) {
      double value = (static_cast<double>(row[d]) - mean) / by;
      if (!weight.empty()) value *= static_cast<double>(weight[d]) + weight_offset;
      if (!bias.empty()) value += static_cast<double>(bias[d]);
      out[first + d] = canonical(static_cast<float>(value));
    }
  }
  return Status::kOk;
}

}  // namespace phasor::normalize
