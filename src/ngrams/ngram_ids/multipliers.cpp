#include "ngrams/ngram_ids/multipliers.h"

#include <array>
#include <bit>
#include <cstddef>

namespace phasor::ngram_ids {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t high(Wide x) { return static_cast<std::uint64_t>(x >> 64); }
constexpr std::uint64_t low(Wide x) { return static_cast<std::uint64_t>(x); }
constexpr Wide wide(std::uint64_t high, std::uint64_t low) { return Wide{high} << 64 | low; }

std::uint64_t splitmix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// The hash of NumPy's SeedSequence, whose constant changes with each word.
class Hash {
 public:
  Hash(std::uint32_t start, std::uint32_t by) : constant_(start), by_(by) {}
  std::uint32_t operator()(std::uint32_t word) {
    word ^= constant_;
    constant_ *= by_;
    word *= constant_;
    return word ^ word >> 16;
  }

 private:
  std::uint32_t constant_, by_;
};

/// NumPy's PCG64, XSL-RR.
class Pcg64 {
 public:
  explicit Pcg64(std::uint64_t seed) {
    Hash in(0x43b0d7e5, 0x931e8875);
    std::array<std::uint32_t, 4> pool = {static_cast<std::uint32_t>(seed),
                                         static_cast<std::uint32_t>(seed >> 32), 0, 0};
    for (std::uint32_t& word : pool) word = in(word);
    for (std::size_t from = 0; from < pool.size(); ++from) {
      for (std::size_t to = 0; to < pool.size(); ++to) {
        if (from == to) continue;
        const std::uint32_t mixed = 0xca01f9ddu * pool[to] - 0x4973f715u * in(pool[from]);
        pool[to] = mixed ^ mixed >> 16;
      }
    }
    Hash out(0x8b51f9dd, 0x58f38ded);
    std::array<std::uint64_t, 4> words;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::uint64_t first = out(pool[2 * i % 4]);
      words[i] = std::uint64_t{out(pool[(2 * i + 1) % 4])} << 32 | first;
    }
    step_ = wide(words[2], words[3]) << 1 | 1;
    state_ = step_;
    state_ += wide(words[0], words[1]);
    advance();
  }

  /// A number in 0 .. bound - 1, of bounds above 2^32.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t least = (0 - bound) % bound;
    Wide product = Wide{next()} * bound;
    while (low(product) < least) product = Wide{next()} * bound;
    return high(product);
  }

 private:
  void advance() { state_ = state_ * wide(0x2360ed051fc65da4, 0x4385df649fccf645) + step_; }

  std::uint64_t next() {
    advance();
    return std::rotr(high(state_) ^ low(state_), static_cast<int>(state_ >> 122));
  }

  Wide state_, step_;
};

}  // namespace

Status multipliers(Generator generator, double vocabulary, double seed,
                   std::span<std::int32_t> out) noexcept {
  if (kChecked && out.size() % 2 != 0) return Status::kBadShape;
  if (!(vocabulary >= 1 && vocabulary <= 1 << 29)) return Status::kBadParam;
  const std::uint64_t bound = 0x7fffffffffffffff / static_cast<std::uint64_t>(vocabulary) / 2;
  const auto from = static_cast<std::uint64_t>(seed);
  Pcg64 numpy(from);
  for (std::size_t s = 0; 2 * s < out.size(); ++s) {
    const std::uint64_t drawn = generator == Generator::kNumpy
                                    ? numpy.below(bound)
                                    : splitmix(from + (s + 1) * 0x9e3779b97f4a7c15) % bound;
    const std::uint64_t odd = 2 * drawn + 1;
    out[2 * s] = static_cast<std::int32_t>(odd);
    out[2 * s + 1] = static_cast<std::int32_t>(odd >> 32);
  }
  return Status::kOk;
}

}  // namespace phasor::ngram_ids
