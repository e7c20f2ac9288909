#include "ngrams/ngram_ids/ngram_ids.h"

#include <array>

namespace phasor::ngram_ids {
namespace {

/// BLT's primes.
constexpr std::array<std::uint64_t, 11> kPrimes = {
    1000000007, 5915587277, 1500450271, 3267000013, 5754853343, 4093082899,
    9576890767, 3628273133, 2860486313, 5463458053, 3367900313,
};

/// What a token sees, as 64 bits.
using Context = std::array<std::uint64_t, kLongest>;

/// The remainder of 64 bits with a sign, never negative.
std::int32_t remainder(std::uint64_t hash, std::int32_t size) {
  const std::int64_t rest = static_cast<std::int64_t>(hash) % size;
  return static_cast<std::int32_t>(rest < 0 ? rest + size : rest);
}

/// Whether a number is prime.
bool is_prime(std::uint32_t value) {
  if (value % 2 == 0 || value < 3) return value == 2;
  for (std::uint32_t d = 3; d <= value / d; d += 2)
    if (value % d == 0) return false;
  return true;
}

/// Calls use(context, row) for every token that is not past.
template <class Use>
void over_tokens(const Sequences& of, Use use) {
  Context seen;
  std::size_t row = 0;
  for (std::size_t start = 0; start < of.ids.size(); start += of.N) {
    for (std::size_t t = of.past; t < of.N; ++t, ++row) {
      const std::int32_t* id = &of.ids[start + t];
      const std::int32_t* breaks = &of.breaks[start + t];
      bool hidden = *breaks == 2;
      seen[0] = static_cast<std::uint64_t>(*id);
      for (std::size_t s = 1; s < of.longest; ++s) {
        hidden = hidden || s > t || breaks[-static_cast<std::ptrdiff_t>(s)] != 0;
        seen[s] =
            static_cast<std::uint64_t>(hidden ? of.fill : id[-static_cast<std::ptrdiff_t>(s)]);
      }
      use(seen, row);
    }
  }
}

/// Whether shapes agree with the number K of tables.
bool agree(const Sequences& of, std::size_t K, std::size_t out) {
  if (of.longest < 2 || of.longest > kLongest || of.past > of.N || of.N == 0) return false;
  if (of.breaks.size() != of.ids.size() || of.ids.size() % of.N != 0) return false;
  return K % (of.longest - 1) == 0 && out == of.ids.size() / of.N * (of.N - of.past) * K;
}

}  // namespace

Status primes(double from, std::span<std::int32_t> out) noexcept {
  if (!(from >= 0 && from <= kLargest) || out.size() > kMostTables) return Status::kBadParam;
  auto next = static_cast<std::uint32_t>(from);
  for (std::int32_t& prime : out) {
    while (!is_prime(next)) ++next;
    prime = static_cast<std::int32_t>(next++);
  }
  return Status::kOk;
}

Status mixed(const Sequences& of, std::span<const std::int32_t> multipliers,
             std::span<const std::int32_t> sizes, std::span<std::int32_t> out) noexcept {
  const std::size_t K = sizes.size();
  if (kChecked && (!agree(of, K, out.size()) || multipliers.size() != 2 * of.longest))
    return Status::kBadShape;
  const std::size_t heads = K / (of.longest - 1);
  Context by{};
  for (std::size_t s = 0; s < of.longest; ++s) {
    const auto low = static_cast<std::uint32_t>(multipliers[2 * s]);
    const auto high = static_cast<std::uint32_t>(multipliers[2 * s + 1]);
    by[s] = static_cast<std::uint64_t>(high) << 32 | low;
  }
  over_tokens(of, [&](const Context& seen, std::size_t row) {
    std::uint64_t hash = seen[0] * by[0];
    std::int32_t first = 0;
    for (std::size_t k = 0; k < K; ++k) {
      if (k % heads == 0) hash ^= seen[k / heads + 1] * by[k / heads + 1];
      out[row * K + k] = first + remainder(hash, sizes[k]);
      first += sizes[k];
    }
  });
  return Status::kOk;
}

Status powers(const Sequences& of, double vocabulary, std::span<const std::int32_t> sizes,
              std::span<std::int32_t> out) noexcept {
  const std::size_t K = sizes.size();
  if (kChecked && !agree(of, K, out.size())) return Status::kBadShape;
  const std::size_t heads = K / (of.longest - 1);
  const auto base = static_cast<std::uint64_t>(vocabulary);
  for (std::size_t k = 0; k < K; ++k) {
    const std::size_t last = k / heads + 1;
    Context by{1};
    for (std::size_t s = 1; s <= last; ++s)
      by[s] = by[s - 1] * base % static_cast<std::uint64_t>(sizes[k]);
    over_tokens(of, [&](const Context& seen, std::size_t row) {
      std::uint64_t hash = seen[0];
      for (std::size_t s = 1; s <= last; ++s) hash += seen[s] * by[s];
      out[row * K + k] = remainder(hash, sizes[k]);
    });
  }
  return Status::kOk;
}

Status rolling(std::span<const std::int32_t> ids, std::size_t N, std::size_t past,
               std::span<const std::int32_t> groups, std::int32_t buckets,
               std::span<std::int32_t> out) noexcept {
  const std::size_t G = groups.size();
  const std::size_t rows = N == 0 || past > N ? 0 : ids.size() / N * (N - past);
  if (kChecked && (N == 0 || past > N || G == 0 || ids.size() % N != 0)) return Status::kBadShape;
  if (kChecked && (rows == 0 ? !out.empty() : out.size() % (rows * G) != 0))
    return Status::kBadShape;
  const std::size_t K = rows == 0 ? 0 : out.size() / rows;
  std::size_t row = 0;
  for (std::size_t start = 0; start < ids.size(); start += N) {
    for (std::size_t t = past; t < N; ++t, ++row) {
      for (std::size_t k = 0; k < K; ++k) {
        const std::uint64_t prime = kPrimes[k / G % kPrimes.size()];
        const auto g = static_cast<std::size_t>(groups[k % G]);
        std::uint64_t hash = 0;
        for (std::size_t s = 0; s < g; ++s)  // from the newest, whose power is the highest
          hash = hash * prime + (s > t ? 0 : static_cast<std::uint64_t>(ids[start + t - s]));
        out[row * K + k] = static_cast<std::int32_t>(k) * buckets + remainder(hash, buckets);
      }
    }
  }
  return Status::kOk;
}

}  // namespace phasor::ngram_ids
