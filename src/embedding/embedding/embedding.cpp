#include "embedding/embedding/embedding.h"

#include <algorithm>
#include <cmath>

#include "embedding/embedding/fetch.h"
#include "math/elementary.h"
#include "math/lanes.h"
#include "math/linear.h"
#include "math/nan.h"
#include "math/random.h"

namespace phasor::embedding {
namespace {

bool drawable(Distribution distribution, double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  return distribution == Distribution::kUniform ? a < b : b >= 0;
}

void draw_run(Distribution distribution, double a, double b, std::uint64_t seed,
              std::uint64_t first, std::span<float> out) {
  if (distribution == Distribution::kUniform)
    random::philox_uniform(seed, first, out, a, b);
  else
    random::philox_normal(seed, first, out, a, b);
}

bool inside(std::span<const std::int32_t> ids, std::size_t V) {
  return std::all_of(ids.begin(), ids.end(),
                     [V](std::int32_t id) { return id >= 0 && static_cast<std::size_t>(id) < V; });
}

Status check_lookup(std::size_t table, std::size_t V, std::size_t D,
                    std::span<const std::int32_t> ids, std::size_t add, std::size_t out) {
  const std::size_t T = ids.size();
  if (kChecked && (D == 0 || table != V * D || out != T * D)) return Status::kBadShape;
  if (kChecked && (add % D != 0 || (add != 0 && T % (add / D) != 0))) return Status::kBadShape;
  return inside(ids, V) ? Status::kOk : Status::kBadIndex;
}

/// (sum |x|^p)^(1/p). Powers other than 1 and 2 are computed of |x| / max |x|, so that they neither
/// overflow nor underflow.
double norm(std::span<const float> row, double p) {
  double sum = 0, largest = 0;
  for (const float x : row) {
    const double size = std::fabs(static_cast<double>(x));
    sum += p == 2 ? size * size : size;
    if (size > largest) largest = size;
  }
  if (p == 1 || sum != sum) return sum;
  if (p == 2) return std::sqrt(sum);
  if (largest == 0 || std::isinf(largest) || std::isinf(p)) return largest;
  double powers = 0;
  for (const float x : row)
    powers +=
        elementary::exp_f64(p * elementary::log_f64(std::fabs(static_cast<double>(x)) / largest));
  return largest * elementary::exp_f64(elementary::log_f64(powers) / p);
}

/// Numbers that are prefetched together: as many as fit into the first-level cache.
constexpr std::size_t kAhead = 12288;

void copy_row(const float* from, std::size_t D, float* to) {
  const auto vector = [&](std::size_t d) { wasm_v128_store(to + d, wasm_v128_load(from + d)); };
  std::size_t d = 0;
  for (; d + 16 <= D; d += 16) {
    vector(d);
    vector(d + 4);
    vector(d + 8);
    vector(d + 12);
  }
  std::copy_n(from + d, D - d, to + d);
}

/// Computes one row: times the scale, plus the addend.
template <bool kAdd>
void lookup_row(const float* from, std::size_t D, float scale, const float* place, float* to) {
  const v128_t factor = wasm_f32x4_splat(scale);
  const auto vector = [&](std::size_t d) {
    v128_t value = wasm_f32x4_mul(factor, wasm_v128_load(from + d));
    if constexpr (kAdd) value = wasm_f32x4_add(value, wasm_v128_load(place + d));
    wasm_v128_store(to + d, value);
    return value;
  };
  v128_t sum = wasm_f32x4_splat(0);  // becomes NaN when a result is NaN
  std::size_t d = 0;
  for (; d + 16 <= D; d += 16) {
    const v128_t first = wasm_f32x4_add(vector(d), vector(d + 4));
    const v128_t second = wasm_f32x4_add(vector(d + 8), vector(d + 12));
    sum = wasm_f32x4_add(sum, wasm_f32x4_add(first, second));
  }
  for (; d + 4 <= D; d += 4) sum = wasm_f32x4_add(sum, vector(d));
  if (any_nan(sum)) canonicalize({to, d});
  for (; d < D; ++d) to[d] = canonical(kAdd ? scale * from[d] + place[d] : scale * from[d]);
}

}  // namespace

Status draw(std::span<const std::int32_t> rows, std::size_t D, Distribution distribution, double a,
            double b, std::uint64_t seed, std::span<float> out) noexcept {
  if (kChecked && (D == 0 || out.size() != rows.size() * D)) return Status::kBadShape;
  if (!drawable(distribution, a, b)) return Status::kBadParam;
  if (std::any_of(rows.begin(), rows.end(), [](std::int32_t row) { return row < 0; }))
    return Status::kBadIndex;
  for (std::size_t t = 0; t < rows.size(); ++t)
    draw_run(distribution, a, b, seed, static_cast<std::uint64_t>(rows[t]) * D,
             out.subspan(t * D, D));
  return Status::kOk;
}

Status draw_all(std::size_t D, Distribution distribution, double a, double b, std::uint64_t seed,
                std::span<float> out) noexcept {
  if (kChecked && (D == 0 || out.size() % D != 0)) return Status::kBadShape;
  if (!drawable(distribution, a, b)) return Status::kBadParam;
  draw_run(distribution, a, b, seed, 0, out);
  return Status::kOk;
}

Status draw_torch(Distribution distribution, double a, double b, std::uint32_t seed,
                  std::span<const double> before, std::span<float> out) noexcept {
  if (!drawable(distribution, a, b)) return Status::kBadParam;
  random::TorchGenerator generator(seed);
  for (const double size : before)
    random::torch_skip_normal(generator, static_cast<std::size_t>(size));
  if (distribution == Distribution::kUniform)
    random::torch_uniform(generator, out, a, b);
  else
    random::torch_normal(generator, out, a, b);
  return Status::kOk;
}

Status lookup_scalar(std::span<const float> table, std::size_t V, std::size_t D,
                     std::span<const std::int32_t> ids, float scale, std::span<const float> add,
                     std::span<float> out) noexcept {
  if (const Status status = check_lookup(table.size(), V, D, ids, add.size(), out.size());
      status != Status::kOk)
    return status;
  const bool copies = scale == 1.0f && add.empty();
  for (std::size_t t = 0; t < ids.size(); ++t) {
    for (std::size_t d = 0; d < D; ++d) {
      const float weight = table[static_cast<std::size_t>(ids[t]) * D + d];
      const float scaled = scale * weight;
      out[t * D + d] =
          copies ? weight
                 : canonical(add.empty() ? scaled : scaled + add[(t * D + d) % add.size()]);
    }
  }
  return Status::kOk;
}

Status lookup(std::span<const float> table, std::size_t V, std::size_t D,
              std::span<const std::int32_t> ids, float scale, std::span<const float> add,
              std::span<float> out) noexcept {
  if (const Status status = check_lookup(table.size(), V, D, ids, add.size(), out.size());
      status != Status::kOk)
    return status;
  const bool copies = scale == 1.0f && add.empty();
  const std::size_t group = std::max(std::size_t{1}, kAhead / D);
  for (std::size_t first = 0; first < ids.size(); first += group) {
    const std::size_t last = std::min(ids.size(), first + group);
    fetch(table, D, ids.subspan(first, last - first));
    for (std::size_t t = first; t < last; ++t) {
      const float* from = table.data() + static_cast<std::size_t>(ids[t]) * D;
      float* to = out.data() + t * D;
      if (copies)
        copy_row(from, D, to);
      else if (add.empty())
        lookup_row<false>(from, D, scale, nullptr, to);
      else
        lookup_row<true>(from, D, scale, add.data() + t * D % add.size(), to);
    }
  }
  return Status::kOk;
}

Status renormalize(std::span<float> table, std::size_t V, std::size_t D,
                   std::span<const std::int32_t> rows, double max_norm, double p) noexcept {
  if (kChecked && (D == 0 || table.size() != V * D)) return Status::kBadShape;
  if (!(max_norm > 0) || !(p > 0)) return Status::kBadParam;
  if (!inside(rows, V)) return Status::kBadIndex;
  for (const std::int32_t row : rows) {
    const auto weights = table.subspan(static_cast<std::size_t>(row) * D, D);
    const double size = norm(weights, p);
    if (!(size > max_norm)) continue;
    const double factor = max_norm / (size + 1e-7);  // PyTorch's constant
    for (float& x : weights) x = canonical(static_cast<float>(factor * static_cast<double>(x)));
  }
  return Status::kOk;
}

Status logits(std::span<const float> table, std::size_t V, std::size_t D, std::size_t first,
              std::size_t N, std::span<const float> x, std::size_t T,
              std::span<float> out) noexcept {
  if (kChecked && (D == 0 || table.size() != V * D)) return Status::kBadShape;
  if (first > V || N > V - first) return Status::kBadIndex;
  return linear::products(x, table.subspan(first * D, N * D), T, N, D, 1, out);
}

Status one_hot_product(std::span<const float> table, std::size_t V, std::size_t D,
                       std::span<const std::int32_t> ids, std::span<float> out) noexcept {
  if (const Status status = check_lookup(table.size(), V, D, ids, 0, out.size());
      status != Status::kOk)
    return status;
  std::fill(out.begin(), out.end(), 0.0f);
  for (std::size_t t = 0; t < ids.size(); ++t) {
    for (std::size_t v = 0; v < V; ++v) {
      const float one_hot = static_cast<std::size_t>(ids[t]) == v ? 1.0f : 0.0f;
      for (std::size_t d = 0; d < D; ++d) out[t * D + d] += one_hot * table[v * D + d];
    }
    for (std::size_t d = 0; d < D; ++d) out[t * D + d] = canonical(out[t * D + d]);
  }
  return Status::kOk;
}

}  // namespace phasor::embedding
