// The multipliers of XOR hashes, which stand in no file: drawn from a seed.
#pragma once
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::ngram_ids {

/// What draws x[s] in 0 .. bound - 1.
enum class Generator : std::int32_t {
  kSplitMix = 0,  // splitmix64(seed + (s + 1) 0x9e3779b97f4a7c15) mod bound
  kNumpy = 1,     // numpy.random.default_rng(seed).integers(0, bound, n): PCG64, Lemire's method
};

/// Writes odd multipliers, for which a token of the vocabulary keeps to 63 bits.
///
///   out[s] = 2 x[s] + 1, bound = max(1, floor(floor((2^63 - 1) / vocabulary) / 2))
///
/// Shapes    out [n, 2], low and high words
/// Requires  seed is a whole number, 0 <= seed < 2^53
/// Returns   kOk; kBadShape; kBadParam if vocabulary is not in 1 .. 2^29: from 2^30 on NumPy draws 32
///           bits a time
/// Source    Steele et al. 2014, Fast splittable pseudorandom number generators; O'Neill 2014, PCG;
///           Lemire 2019, Fast random integer generation in an interval; NumPy's SeedSequence
Status multipliers(Generator generator, double vocabulary, double seed,
                   std::span<std::int32_t> out) noexcept;

}  // namespace phasor::ngram_ids
