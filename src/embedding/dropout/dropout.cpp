#include "embedding/dropout/dropout.h"

#include "math/nan.h"
#include "math/random.h"

namespace phasor::dropout {
namespace {

std::uint32_t low_word(std::uint64_t x) { return static_cast<std::uint32_t>(x & 0xffffffffu); }
std::uint32_t high_word(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

// The third word of the counter; random weights have 0 there.
constexpr std::uint32_t kStream = 1;

// Calls set(i, stays) for each element in order.
template <typename Set>
Status each(std::uint64_t seed, std::uint64_t first, double p, std::size_t N, Set set) {
  if (!(p >= 0 && p <= 1)) return Status::kBadParam;
  const random::PhiloxKey key = {low_word(seed), high_word(seed)};
  for (std::size_t i = 0; i < N;) {
    const std::uint64_t n = first + i;
    const std::uint64_t block = n / 4;
    const auto words = random::philox4x32({low_word(block), high_word(block), kStream, 0}, key);
    for (std::size_t lane = n % 4; lane < 4 && i < N; ++lane, ++i)
      set(i, words[lane] * 0x1p-32 >= p);
  }
  return Status::kOk;
}

}  // namespace

Status mask(std::uint64_t seed, std::uint64_t first, double p,
            std::span<std::int32_t> out) noexcept {
  return each(seed, first, p, out.size(), [out](std::size_t i, bool stays) { out[i] = stays; });
}

Status apply(std::span<float> x, std::uint64_t seed, std::uint64_t first, double p) noexcept {
  return each(seed, first, p, x.size(), [x, p](std::size_t i, bool stays) {
    x[i] = stays ? canonical(static_cast<float>(static_cast<double>(x[i]) / (1 - p))) : 0.0f;
  });
}

}  // namespace phasor::dropout
