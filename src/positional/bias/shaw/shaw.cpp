#include "positional/bias/shaw/shaw.h"

#include <algorithm>

#include "math/linear.h"
#include "math/nan.h"

namespace phasor::shaw {
namespace {

using linear::dot;

float rounded(double x) { return canonical(static_cast<float>(x)); }

Status check(std::size_t table, std::span<const std::int32_t> index, std::size_t T, std::size_t N,
             std::size_t D) {
  if (kChecked && (D == 0 || table % D != 0 || index.size() != T * N)) return Status::kBadShape;
  const bool inside = std::ranges::all_of(index, [R = table / D](std::int32_t row) {
    return row >= 0 && static_cast<std::size_t>(row) < R;
  });
  return inside ? Status::kOk : Status::kBadIndex;
}

}  // namespace

Status scores(std::span<const float> x, std::span<const float> table,
              std::span<const std::int32_t> index, std::span<const float> add, std::size_t T,
              std::size_t N, std::size_t D, Side side, double scale,
              std::span<float> out) noexcept {
  const bool queries = side == Side::kQueries;
  if (kChecked && (x.size() != (queries ? T : N) * D || out.size() != T * N))
    return Status::kBadShape;
  if (kChecked && !add.empty() && add.size() != T * N) return Status::kBadShape;
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
  if (kChecked && (weights.size() != T * N || out.size() != T * D)) return Status::kBadShape;
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

}  // namespace phasor::shaw
