#include "embedding/embedding_bag/embedding_bag.h"

#include <algorithm>

#include "math/linear.h"
#include "math/nan.h"

namespace phasor::embedding_bag {
namespace {

float rounded(double x) { return canonical(static_cast<float>(x)); }

Status check(std::size_t table, std::size_t V, std::size_t D, std::span<const std::int32_t> ids,
             std::span<const std::int32_t> starts) {
  if (kChecked && (D == 0 || table != V * D || starts.empty())) return Status::kBadShape;
  if (starts.front() < 0 || !std::is_sorted(starts.begin(), starts.end()) ||
      static_cast<std::size_t>(starts.back()) > ids.size())
    return Status::kBadIndex;
  const bool inside =
      std::all_of(ids.begin() + starts.front(), ids.begin() + starts.back(),
                  [V](std::int32_t id) { return id >= 0 && static_cast<std::size_t>(id) < V; });
  return inside ? Status::kOk : Status::kBadIndex;
}

/// Columns pooled together: their sums stay in the cache while the rows of the bag are read.
constexpr std::size_t kColumns = 64;

}  // namespace

Status pool(std::span<const float> table, std::size_t V, std::size_t D,
            std::span<const std::int32_t> ids, std::span<const std::int32_t> starts,
            std::span<const float> weights, std::int32_t padding, Mode mode, std::span<float> out,
            std::span<std::int32_t> owners) noexcept {
  const bool max = mode == Mode::kMax;
  if (!max && mode != Mode::kSum && mode != Mode::kMean) return Status::kBadParam;
  if ((mode != Mode::kSum && !weights.empty()) || (!max && !owners.empty()))
    return Status::kBadParam;
  if (const Status status = check(table.size(), V, D, ids, starts); status != Status::kOk)
    return status;
  const std::size_t B = starts.size() - 1;
  if (kChecked && (out.size() != B * D || (!weights.empty() && weights.size() != ids.size()) ||
                   (!owners.empty() && owners.size() != B * D)))
    return Status::kBadShape;

  for (std::size_t b = 0; b < B; ++b) {
    for (std::size_t first = 0; first < D; first += kColumns) {
      const std::size_t width = std::min(kColumns, D - first);
      double pooled[kColumns] = {};
      std::int32_t owner[kColumns];
      std::fill_n(owner, kColumns, -1);
      double size = 0;
      for (auto n = static_cast<std::size_t>(starts[b]);
           n < static_cast<std::size_t>(starts[b + 1]); ++n) {
        if (ids[n] == padding) continue;
        ++size;
        const float* row = table.data() + static_cast<std::size_t>(ids[n]) * D + first;
        if (max) {
          for (std::size_t d = 0; d < width; ++d) {
            const double x = static_cast<double>(row[d]);
            const bool larger = x > pooled[d] || (x != x && pooled[d] == pooled[d]);
            if (owner[d] >= 0 && !larger) continue;
            pooled[d] = x;
            owner[d] = ids[n];
          }
        } else {
          const double weight = weights.empty() ? 1 : static_cast<double>(weights[n]);
          for (std::size_t d = 0; d < width; ++d) pooled[d] += weight * static_cast<double>(row[d]);
        }
      }
      const double divisor = mode == Mode::kMean ? std::max(size, 1.0) : 1;
      const std::size_t to = b * D + first;
      for (std::size_t d = 0; d < width; ++d) out[to + d] = rounded(pooled[d] / divisor);
      if (!owners.empty()) std::copy_n(owner, width, owners.data() + to);
    }
  }
  return Status::kOk;
}

Status weights_gradient(std::span<const float> table, std::size_t V, std::size_t D,
                        std::span<const std::int32_t> ids, std::span<const std::int32_t> starts,
                        std::int32_t padding, std::span<const float> gradient,
                        std::span<float> out) noexcept {
  if (const Status status = check(table.size(), V, D, ids, starts); status != Status::kOk)
    return status;
  const std::size_t B = starts.size() - 1;
  const auto begin = static_cast<std::size_t>(starts.front());
  if (kChecked &&
      (gradient.size() != B * D || out.size() != static_cast<std::size_t>(starts.back()) - begin))
    return Status::kBadShape;
  for (std::size_t b = 0; b < B; ++b) {
    for (auto n = static_cast<std::size_t>(starts[b]); n < static_cast<std::size_t>(starts[b + 1]);
         ++n) {
      const auto row = table.subspan(static_cast<std::size_t>(ids[n]) * D, D);
      out[n - begin] =
          ids[n] == padding ? 0 : rounded(linear::dot(gradient.subspan(b * D, D), row));
    }
  }
  return Status::kOk;
}

}  // namespace phasor::embedding_bag
