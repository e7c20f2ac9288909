#include "training/skipgram/skipgram.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "math/lanes.h"
#include "math/linear.h"
#include "math/nan.h"
#include "math/random.h"
#include "math/widen.h"

namespace phasor::skipgram {
namespace {

using Ids = std::span<const std::int32_t>;

// The third word of Philox's counter; it is 0 for random weights and 1 for dropout.
constexpr std::uint32_t kStream = 2;

constexpr double kShares = 0x1p30;

/// Iterates over the positions t of a text, whose windows are from .. to.
struct Places {
  Ids text;
  std::size_t window;
  std::size_t begin = 0, end = 0;  // of the sentence
  std::size_t t = 0, from = 0, to = 0;

  /// Goes to the next position. Returns false after the last one.
  [[gnu::noinline, gnu::cold]] bool next() {
    if (++t >= end) {
      begin = end;
      while (begin < text.size() && text[begin] == kBreak) ++begin;
      end = begin;
      while (end < text.size() && text[end] != kBreak) ++end;
      t = begin;
    }
    from = t - std::min(window, t - begin);
    to = t + std::min(window, end - t - 1);
    return t < text.size();
  }
};

/// Iterates over the pairs of a text, from pair `first` on; the first pair follows the last. The
/// text must have pairs.
class Pairs {
 public:
  [[gnu::noinline, gnu::cold]] Pairs(Ids text, std::size_t window, std::uint64_t first)
      : places_{text, window} {
    for (places_.next(); first >= places_.to - places_.from; places_.next())
      first -= places_.to - places_.from;
    s_ = places_.from;
    for (; first > 0; --first) next();
  }

  struct Pair {
    std::size_t center, context;
  };

  [[gnu::noinline, gnu::cold]] Pair next() {
    if (s_ == places_.t) ++s_;
    while (s_ > places_.to) {
      if (!places_.next()) {
        places_ = {places_.text, places_.window};
        places_.next();
      }
      s_ = places_.from + (places_.from == places_.t ? 1 : 0);
    }
    return {static_cast<std::size_t>(places_.text[places_.t]),
            static_cast<std::size_t>(places_.text[s_++])};
  }

 private:
  Places places_;
  std::size_t s_ = 0;  // the position of the context
};

[[gnu::noinline, gnu::cold]] bool inside(Ids text, std::size_t V) {
  return std::all_of(text.begin(), text.end(), [V](std::int32_t id) {
    return id == kBreak || (id >= 0 && static_cast<std::size_t>(id) < V);
  });
}

/// The first share of a word, and the number of its shares.
struct Shares {
  std::int32_t begin, size;
};

Shares shares_of(Ids cumulative, std::size_t word) {
  const std::int32_t begin = word == 0 ? 0 : cumulative[word - 1];
  return {begin, cumulative[word] - begin};
}

std::size_t index(std::int32_t id) { return static_cast<std::size_t>(id); }

/// log(1 + e^x) and its derivative.
struct Softplus {
  double value, slope;
};

[[gnu::noinline]] Softplus softplus(double x) {
  const double e = elementary::exp_f64(-std::fabs(x));
  return {std::max(x, 0.0) + elementary::log_f64(1.0 + e), (x < 0 ? e : 1.0) / (1.0 + e)};
}

float rounded(double x) { return static_cast<float>(x); }

/// Trains columns from .. D-1 on one pair; u is the whole table.
void step_scalar(float* v, float* u, const Workspace& work, std::size_t n, std::size_t from,
                 std::size_t D, double rate) {
  for (std::size_t d = from; d < D; ++d) {
    const double old = static_cast<double>(v[d]);
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j)
      sum += work.errors[j] * static_cast<double>(u[index(work.targets[j]) * D + d]);
    for (std::size_t j = 0; j < n; ++j) {
      float& to = u[index(work.targets[j]) * D + d];
      to = rounded(static_cast<double>(to) + rate * work.errors[j] * old);
    }
    v[d] = rounded(old + rate * sum);
  }
}

void step(float* v, float* u, const Workspace& work, std::size_t n, std::size_t D, double rate) {
  std::size_t d = 0;
  for (; d + 4 <= D; d += 4) {
    const v128_t old = wasm_v128_load(v + d);
    const v128_t old_low = low_f64x2(old), old_high = high_f64x2(old);
    v128_t low = wasm_f64x2_splat(0), high = low;
    for (std::size_t j = 0; j < n; ++j) {
      const v128_t row = wasm_v128_load(u + index(work.targets[j]) * D + d);
      const v128_t error = wasm_f64x2_splat(work.errors[j]);
      low = wasm_f64x2_add(low, wasm_f64x2_mul(error, low_f64x2(row)));
      high = wasm_f64x2_add(high, wasm_f64x2_mul(error, high_f64x2(row)));
    }
    for (std::size_t j = 0; j < n; ++j) {
      float* to = u + index(work.targets[j]) * D + d;
      const v128_t row = wasm_v128_load(to);
      const v128_t by = wasm_f64x2_splat(rate * work.errors[j]);
      wasm_v128_store(to,
                      narrow_f32x4(wasm_f64x2_add(low_f64x2(row), wasm_f64x2_mul(by, old_low)),
                                   wasm_f64x2_add(high_f64x2(row), wasm_f64x2_mul(by, old_high))));
    }
    const v128_t by = wasm_f64x2_splat(rate);
    wasm_v128_store(v + d, narrow_f32x4(wasm_f64x2_add(old_low, wasm_f64x2_mul(by, low)),
                                        wasm_f64x2_add(old_high, wasm_f64x2_mul(by, high))));
  }
  step_scalar(v, u, work, n, d, D, rate);
}

template <typename Dot, typename Step>
Status train_by(std::span<float> tables, std::size_t D, Ids text, const Sampling& sampling,
                std::uint64_t first, std::uint64_t count, double rate, const Workspace& work,
                std::span<std::int32_t> touched, double& loss, Dot dot, Step step_pair) {
  const std::size_t V = sampling.cumulative.size();
  if (kChecked && (D == 0 || tables.size() != 2 * V * D || touched.size() != V ||
                   work.targets.empty() || work.errors.size() != work.targets.size()))
    return Status::kBadShape;
  if (!(rate >= 0)) return Status::kBadParam;
  if (!inside(text, V)) return Status::kBadIndex;
  const std::uint64_t N = count_pairs(text, sampling.window);
  if (N == 0) return Status::kOk;

  float* u = tables.data() + V * D;
  Pairs walk(text, sampling.window, first % N);
  for (std::uint64_t pair = first; pair < first + count; ++pair) {
    const auto [center, context] = walk.next();
    float* v = tables.data() + center * D;
    work.targets[0] = static_cast<std::int32_t>(context);
    const std::size_t n =
        1 + draw(sampling.cumulative, context, sampling.seed, pair, work.targets.subspan(1));
    bool finite = true;  // a row that is not finite has a score that is not finite
    for (std::size_t j = 0; j < n; ++j) {
      const double sign = j == 0 ? -1 : 1;
      const double score = dot({v, D}, {u + index(work.targets[j]) * D, D});
      const auto [value, slope] = softplus(sign * score);
      loss += value;
      work.errors[j] = -sign * slope;
      touched[index(work.targets[j])] |= kContext;
      finite = finite && std::isfinite(score);
    }
    touched[center] |= kCenter;
    step_pair(v, u, work, n, D, rate);
    if (finite) continue;
    canonicalize({v, D});
    for (std::size_t j = 0; j < n; ++j) canonicalize({u + index(work.targets[j]) * D, D});
  }
  return Status::kOk;
}

}  // namespace

std::uint64_t count_pairs(Ids text, std::size_t window) noexcept {
  std::uint64_t N = 0;
  for (Places places{text, window}; places.next();) N += places.to - places.from;
  return N;
}

Status pairs(Ids text, std::size_t window, std::uint64_t first,
             std::span<std::int32_t> out) noexcept {
  if (kChecked && (out.size() % 2 != 0 || first + out.size() / 2 > count_pairs(text, window)))
    return Status::kBadShape;
  if (out.empty()) return Status::kOk;
  Pairs walk(text, window, first);
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const auto [center, context] = walk.next();
    out[i] = static_cast<std::int32_t>(center);
    out[i + 1] = static_cast<std::int32_t>(context);
  }
  return Status::kOk;
}

Status init(std::span<float> tables, std::size_t D, std::uint64_t seed) noexcept {
  if (kChecked && (D == 0 || tables.size() % (2 * D) != 0)) return Status::kBadShape;
  const double most = 0.5 / static_cast<double>(D);
  const std::size_t half = tables.size() / 2;
  random::philox_uniform(seed, 0, tables.first(half), -most, most);
  std::ranges::fill(tables.last(half), 0.0f);
  return Status::kOk;
}

Status noise(Ids text, double power, std::span<std::int32_t> cumulative) noexcept {
  if (!(power >= 0)) return Status::kBadParam;
  if (!inside(text, cumulative.size())) return Status::kBadIndex;
  std::ranges::fill(cumulative, 0);
  std::int32_t largest = 0;
  for (const std::int32_t id : text)
    if (id != kBreak) largest = std::max(largest, ++cumulative[index(id)]);
  const double log_largest = elementary::log_f64(largest);
  // Relative to the largest count, so that no power overflows.
  const auto weight = [=](std::int32_t count) {
    return elementary::exp_f64(power * (elementary::log_f64(count) - log_largest));
  };
  double sum = 0;
  for (const std::int32_t count : cumulative)
    if (count > 0) sum += weight(count);
  std::int32_t total = 0;
  for (std::int32_t& count : cumulative) {
    if (count > 0) total += std::max(1, static_cast<std::int32_t>(kShares * (weight(count) / sum)));
    count = total;
  }
  return Status::kOk;
}

std::size_t draw(Ids cumulative, std::size_t context, std::uint64_t seed, std::uint64_t n,
                 std::span<std::int32_t> out) noexcept {
  const auto low_word = [](std::uint64_t x) { return static_cast<std::uint32_t>(x & 0xffffffffu); };
  const auto high_word = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto [begin, size] = shares_of(cumulative, context);
  const auto others = static_cast<std::uint32_t>(cumulative.back() - size);
  if (others == 0) return 0;
  random::PhiloxCounter words{};
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (k % 4 == 0)
      words = random::philox4x32(
          {low_word(n), high_word(n), kStream, static_cast<std::uint32_t>(k / 4)},
          {low_word(seed), high_word(seed)});
    auto x = static_cast<std::int32_t>(high_word(std::uint64_t{words[k % 4]} * others));
    if (x >= begin) x += size;
    out[k] = static_cast<std::int32_t>(std::upper_bound(cumulative.begin(), cumulative.end(), x) -
                                       cumulative.begin());
  }
  return out.size();
}

Status train(std::span<float> tables, std::size_t D, Ids text, const Sampling& sampling,
             std::uint64_t first, std::uint64_t count, double rate, const Workspace& work,
             std::span<std::int32_t> touched, double& loss) noexcept {
  return train_by(tables, D, text, sampling, first, count, rate, work, touched, loss, linear::dot,
                  step);
}

Status train_scalar(std::span<float> tables, std::size_t D, Ids text, const Sampling& sampling,
                    std::uint64_t first, std::uint64_t count, double rate, const Workspace& work,
                    std::span<std::int32_t> touched, double& loss) noexcept {
  return train_by(tables, D, text, sampling, first, count, rate, work, touched, loss,
                  linear::dot_scalar,
                  [](float* v, float* u, const Workspace& at, std::size_t n, std::size_t width,
                     double by) { step_scalar(v, u, at, n, 0, width, by); });
}

Status loss(std::span<const float> tables, std::size_t D, Ids text, const Sampling& sampling,
            std::size_t negatives, std::span<double> sums, double& out) noexcept {
  const Ids cumulative = sampling.cumulative;
  const std::size_t V = cumulative.size();
  if (kChecked && (D == 0 || tables.size() != 2 * V * D || sums.size() != V))
    return Status::kBadShape;
  if (!inside(text, V)) return Status::kBadIndex;
  const auto score = [=](std::size_t center, std::size_t context) {
    return linear::dot(tables.subspan(center * D, D), tables.subspan((V + context) * D, D));
  };
  const auto shares = [=](std::size_t word) {
    return static_cast<double>(shares_of(cumulative, word).size);
  };
  // For each center: the losses of all words as negatives, weighted by their shares.
  for (std::size_t c = 0; c < V; ++c) {
    sums[c] = 0;
    if (shares(c) == 0) continue;
    for (std::size_t w = 0; w < V; ++w)
      if (shares(w) > 0) sums[c] += shares(w) * softplus(score(c, w)).value;
  }
  const double K = static_cast<double>(negatives);
  out = 0;
  const std::uint64_t N = count_pairs(text, sampling.window);
  if (N == 0) return Status::kOk;
  Pairs walk(text, sampling.window, 0);
  for (std::uint64_t pair = 0; pair < N; ++pair) {
    const auto [c, o] = walk.next();
    const double s = score(c, o);
    const double others = static_cast<double>(cumulative.back()) - shares(o);
    out += softplus(-s).value;
    if (others > 0) out += K * (sums[c] - shares(o) * softplus(s).value) / others;
  }
  return Status::kOk;
}

}  // namespace phasor::skipgram
