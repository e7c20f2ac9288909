#include "attention/attention/attention.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "math/elementary.h"
#include "math/linear.h"
#include "math/nan.h"

namespace phasor::attention {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

[[gnu::noinline]] void add(std::span<float> row, const float* bias) {
  for (std::size_t n = 0; n < row.size(); ++n) row[n] = canonical(row[n] + bias[n]);
}

void cap(std::span<float> row, double softcap) {
  for (float& logit : row) {
    const float part = elementary::tanh(static_cast<float>(logit / softcap));
    logit = canonical(static_cast<float>(softcap * part));
  }
}

/// Computes again what is NaN in a row of output, as 0 * inf of a masked key makes it: without masked
/// keys, in the order of `linear::paired_dot` or `linear::ordered_dot`.
[[gnu::noinline]] void clear_hidden(const float* shares, std::size_t seen, const float* v,
                                    const float* bias, bool narrow, float* row, std::size_t V) {
  const std::size_t block = linear::block_of(seen);
  for (std::size_t d = 0; d < V; ++d) {
    if (row[d] == row[d]) continue;
    double total = 0;
    float sum = 0, held = 0;
    for (std::size_t n = 0; n < seen; ++n) {
      const bool masked = bias != nullptr && bias[n] == kHidden;
      const float value = masked ? 0 : v[n * V + d];
      if (!narrow) total += static_cast<double>(shares[n]) * static_cast<double>(value);
      if (!narrow) continue;
      if (n % block == 0) total += static_cast<double>(std::exchange(sum, 0.0f));
      if (n % 2 == 0)
        held = shares[n] * value;
      else
        sum += std::exchange(held, 0.0f) + shares[n] * value;
    }
    row[d] = canonical(static_cast<float>(total + static_cast<double>(sum + held)));
  }
}

}  // namespace

Status head(std::span<const float> in, std::size_t T, std::size_t H, std::size_t D, std::size_t h,
            std::span<float> out) noexcept {
  if (kChecked && (in.size() != T * H * D || h >= H || out.size() != T * D))
    return Status::kBadShape;
  for (std::size_t t = 0; t < T; ++t)
    std::ranges::copy(in.subspan((t * H + h) * D, D), out.subspan(t * D, D).begin());
  return Status::kOk;
}

[[gnu::noinline]] Status scores(std::span<const float> q, std::span<const float> k,
                                std::span<const float> bias, std::size_t T, std::size_t N,
                                std::size_t D, Rule rule, std::span<float> out) noexcept {
  if (kChecked && (q.size() != T * D || k.size() != N * D || out.size() != T * N))
    return Status::kBadShape;
  if (kChecked && !bias.empty() && bias.size() != T * N) return Status::kBadShape;
  const bool narrow = rule.sums == linear::Sums::kFloat32 && D >= kShort;
  if (narrow) static_cast<void>(linear::products_f32(q, k, T, N, D, rule.scale, rule.seen, out));
  for (std::size_t t = 0; t < T; ++t) {
    const std::size_t seen = linear::visible(rule.seen, t, N);
    const auto row = out.subspan(t * N, N), shown = row.first(seen);
    if (!narrow)
      static_cast<void>(
          linear::products(q.subspan(t * D, D), k.first(seen * D), 1, seen, D, rule.scale, shown));
    if (rule.softcap > 0) cap(shown, rule.softcap);
    if (!bias.empty()) {
      const float* added = bias.data() + t * N;
      add(shown, added);
      for (std::size_t n = 0; n < seen; ++n)
        if (added[n] == kHidden) row[n] = kHidden;
    }
    std::ranges::fill(row.subspan(seen), kHidden);
  }
  return Status::kOk;
}

[[gnu::noinline]] Status softmax(std::span<const float> in, std::size_t rows, std::size_t N,
                                 std::span<float> out) noexcept {
  if (kChecked && (in.size() != rows * N || out.size() != rows * N)) return Status::kBadShape;
  for (std::size_t t = 0; t < rows; ++t)
    elementary::softmax(in.subspan(t * N, N), out.subspan(t * N, N));
  return Status::kOk;
}

Status scaled_dot_product(std::span<const float> q, std::span<const float> k,
                          std::span<const float> v, std::span<const float> bias, std::size_t T,
                          std::size_t N, std::size_t D, std::size_t V, Rule rule,
                          std::span<float> weights, std::span<float> out) noexcept {
  if (kChecked && (v.size() != N * V || out.size() != T * V)) return Status::kBadShape;
  if (const Status status = scores(q, k, bias, T, N, D, rule, weights); status != Status::kOk)
    return status;
  static_cast<void>(softmax(weights, T, N, weights));
  // The first queries see the fewest keys.
  std::size_t wide = rule.sums == linear::Sums::kFloat32 ? 0 : T;
  while (wide < T && linear::visible(rule.seen, wide, N) < kShort) ++wide;
  static_cast<void>(linear::mix_f32(weights.subspan(wide * N), v, T - wide, N, V,
                                    rule.seen + static_cast<std::ptrdiff_t>(wide),
                                    out.subspan(wide * V)));
  for (std::size_t t = 0; t < T; ++t) {
    const bool narrow = t >= wide;
    const std::size_t seen = linear::visible(rule.seen, t, N);
    const auto shares = weights.subspan(t * N, seen);
    const auto row = out.subspan(t * V, V);
    if (!narrow) static_cast<void>(linear::mix(shares, v.first(seen * V), 1, seen, V, row));
    const float* masks = bias.empty() ? nullptr : bias.data() + t * N;
    if ((narrow && seen < N) || masks)
      clear_hidden(shares.data(), seen, v.data(), masks, narrow, row.data(), V);
  }
  return Status::kOk;
}

Status linear_layer(std::span<const float> x, std::span<const float> w, std::span<const float> bias,
                    std::size_t T, std::size_t N, std::size_t D, linear::Sums sums,
                    std::span<float> out) noexcept {
  if (kChecked && !bias.empty() && bias.size() != N) return Status::kBadShape;
  const Status status = sums == linear::Sums::kFloat32 && D >= kShort
                            ? linear::products_f32(x, w, T, N, D, 1.0, std::ptrdiff_t(N), out)
                            : linear::products(x, w, T, N, D, 1.0, out);
  if (status != Status::kOk || bias.empty()) return status;
  for (std::size_t t = 0; t < T; ++t) add(out.subspan(t * N, N), bias.data());
  return Status::kOk;
}

}  // namespace phasor::attention
