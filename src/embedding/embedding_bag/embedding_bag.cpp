#include "embedding/embedding_bag/embedding_bag.h"

#include <algorithm>

#include "embedding/embedding/fetch.h"
#include "math/lanes.h"
#include "math/linear.h"
#include "math/nan.h"
#include "math/widen.h"

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

/// The largest bag that is prefetched, in numbers: as many as fit into half of a second-level cache.
constexpr std::size_t kAhead = 131072;

/// Columns of a sum that stay in registers: a cache line of each row.
constexpr std::size_t kLane = 16;

/// The ids of a bag, their weights, and the rows that they select.
struct Bag {
  std::span<const float> table;
  std::size_t D;
  std::span<const std::int32_t> ids;
  std::span<const float> weights;  // empty for 1
  std::int32_t padding;

  const float* row(std::size_t n) const {
    return table.data() + static_cast<std::size_t>(ids[n]) * D;
  }
};

/// Adds up `kLane` columns from `first` on, and divides.
template <bool kWeighted>
void sum_lane(const Bag& bag, std::size_t first, double divisor, float* out) {
  const v128_t zero = wasm_f64x2_splat(0);
  v128_t s0 = zero, s1 = zero, s2 = zero, s3 = zero, s4 = zero, s5 = zero, s6 = zero, s7 = zero;
  for (std::size_t n = 0; n < bag.ids.size(); ++n) {
    if (bag.ids[n] == bag.padding) continue;
    const float* row = bag.row(n) + first;
    const v128_t weight = wasm_f64x2_splat(kWeighted ? static_cast<double>(bag.weights[n]) : 1);
    const auto add = [weight](v128_t sum, v128_t x) {
      return wasm_f64x2_add(sum, kWeighted ? wasm_f64x2_mul(weight, x) : x);
    };
    const v128_t a = wasm_v128_load(row), b = wasm_v128_load(row + 4);
    const v128_t c = wasm_v128_load(row + 8), d = wasm_v128_load(row + 12);
    s0 = add(s0, low_f64x2(a));
    s1 = add(s1, high_f64x2(a));
    s2 = add(s2, low_f64x2(b));
    s3 = add(s3, high_f64x2(b));
    s4 = add(s4, low_f64x2(c));
    s5 = add(s5, high_f64x2(c));
    s6 = add(s6, low_f64x2(d));
    s7 = add(s7, high_f64x2(d));
  }
  const v128_t by = wasm_f64x2_splat(divisor);
  v128_t seen = zero;  // becomes NaN when a result is NaN
  const auto store = [&](std::size_t d, v128_t low, v128_t high) {
    const v128_t result = narrow_f32x4(wasm_f64x2_div(low, by), wasm_f64x2_div(high, by));
    seen = wasm_f32x4_add(seen, result);
    wasm_v128_store(out + d, result);
  };
  store(0, s0, s1);
  store(4, s2, s3);
  store(8, s4, s5);
  store(12, s6, s7);
  if (any_nan(seen)) canonicalize({out, kLane});
}

/// Adds up a bag, the columns that fill no vector last.
template <bool kWeighted>
void sum(const Bag& bag, double divisor, float* out) {
  std::size_t first = 0;
  for (; first + kLane <= bag.D; first += kLane)
    sum_lane<kWeighted>(bag, first, divisor, out + first);
  for (; first < bag.D; ++first) {
    double all = 0;
    for (std::size_t n = 0; n < bag.ids.size(); ++n) {
      if (bag.ids[n] == bag.padding) continue;
      const double x = static_cast<double>(bag.row(n)[first]);
      all += kWeighted ? static_cast<double>(bag.weights[n]) * x : x;
    }
    out[first] = rounded(all / divisor);
  }
}

/// The largest number of each column, and the id that has it.
void maximum(const Bag& bag, float* out, std::int32_t* owners) {
  for (std::size_t first = 0; first < bag.D; first += kColumns) {
    const std::size_t width = std::min(kColumns, bag.D - first);
    float largest[kColumns] = {};
    std::int32_t owner[kColumns];
    std::fill_n(owner, kColumns, -1);
    for (std::size_t n = 0; n < bag.ids.size(); ++n) {
      if (bag.ids[n] == bag.padding) continue;
      const float* row = bag.row(n) + first;
      for (std::size_t d = 0; d < width; ++d) {
        const float x = row[d];
        const bool larger = x > largest[d] || (x != x && largest[d] == largest[d]);
        if (owner[d] >= 0 && !larger) continue;
        largest[d] = x;
        owner[d] = bag.ids[n];
      }
    }
    for (std::size_t d = 0; d < width; ++d) out[first + d] = canonical(largest[d]);
    if (owners != nullptr) std::copy_n(owner, width, owners + first);
  }
}

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
    const auto first = static_cast<std::size_t>(starts[b]);
    const std::size_t N = static_cast<std::size_t>(starts[b + 1]) - first;
    const Bag bag{table, D, ids.subspan(first, N),
                  weights.empty() ? weights : weights.subspan(first, N), padding};
    float* to = out.data() + b * D;
    if (N * D <= kAhead) embedding::fetch(table, D, bag.ids);
    const auto left_out = std::count(bag.ids.begin(), bag.ids.end(), padding);
    const double size = static_cast<double>(N) - static_cast<double>(left_out);
    if (max)
      maximum(bag, to, owners.empty() ? nullptr : owners.data() + b * D);
    else if (weights.empty())
      sum<false>(bag, mode == Mode::kMean ? std::max(size, 1.0) : 1, to);
    else
      sum<true>(bag, 1, to);
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
