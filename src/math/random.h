// Random numbers for initial weights: a counter-based generator, whose elements can be drawn in any
// order, and PyTorch's CPU generator, so that its seeds give its tables.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <span>

namespace phasor::random {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// Scramble a counter under a key with Philox4x32-10.
///
///   ten rounds:  [a b c d] -> [hi(M1 c) ^ b ^ k0,  lo(M1 c),  hi(M0 a) ^ d ^ k1,  lo(M0 a)],
///   between rounds  k0 += W0,  k1 += W1
///
/// Source    Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3 (SC11), section 3.3
PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) noexcept;

/// Fills with elements first, first + 1, ... of the seed's uniform stream.
///
///   out[i] = low + (high - low) w 2^-32,  w word n mod 4 of block n / 4,  n = first + i;
///   key = seed, counter = block, low word first
///
/// Shapes    out [N];  N may be 0
/// Requires  low < high, both within float32, and a float32 in [low, high)
/// Returns   values in [low, high), high excluded after rounding too; element n depends on seed
///           and n alone (n modulo 2^64)
/// Accuracy  one rounding from double
/// Cost      ten rounds for four elements; no allocation
void philox_uniform(std::uint64_t seed, std::uint64_t first, std::span<float> out, double low,
                    double high) noexcept;

/// Fills with elements first, first + 1, ... of the seed's normal stream.
///
///   z = r cos(2 pi v), r sin(2 pi v),  r = sqrt(-2 log u),  u = (w + 1/2) 2^-32,  v = w' 2^-32
///   out[i] = mean + std z;  words 0, 1 of a block give its elements 0, 1; words 2, 3 the others
///
/// Shapes    out [N];  N may be 0
/// Requires  mean and std finite
/// Returns   |z| <= 6.77; element n depends on seed and n alone (n modulo 2^64)
/// Accuracy  <= 0.51 ULP of the formula for mean 0
/// Cost      ten rounds, two logarithms and two sine-cosine pairs for four elements
/// Source    Box and Muller 1958, A note on the generation of random normal deviates
void philox_normal(std::uint64_t seed, std::uint64_t first, std::span<float> out, double mean,
                   double std) noexcept;

/// PyTorch's CPU generator right after `torch.manual_seed(seed)`.
///
/// MT19937 seeded with the low 32 bits, and the second half of a normal pair that waits for the
/// next table of fewer than 16 elements.
struct TorchGenerator {
  explicit TorchGenerator(std::uint64_t seed) noexcept
      : words(static_cast<std::uint32_t>(seed & 0xffffffffu)) {}

  std::mt19937 words;
  std::optional<double> waiting_normal;
};

/// Draws what `Tensor.uniform_(low, high)` draws.
///
///   out[i] = (w mod 2^24) 2^-24 (high - low) + low,  one word w each, all float32, the last
///   multiply and add fused
///
/// Shapes    out [N];  N may be 0
/// Returns   values in [low, high]: as in PyTorch, rounding may reach high
/// Accuracy  bit-equal to PyTorch 1.13 on x86-64 wherever compared
void torch_uniform(TorchGenerator& generator, std::span<float> out, double low,
                   double high) noexcept;

/// Draws what `Tensor.normal_(mean, std)` draws.
///
///   N >= 16, per 16 uniforms d in float32:  u = 1 - d[j],  v = d[j + 8],
///     out[j], out[j + 8] = sqrt(-2 log u) {cos, sin}(2 pi v) std + mean,  j < 8;
///     if 16 does not divide N, the last 16 elements are drawn anew at the end
///   N < 16, in double from 53-bit uniforms:  sqrt(-2 log(1 - v)) {cos, sin}(2 pi u) std + mean,
///     one after the other; a sine left over waits in the generator
///
/// Shapes    out [N];  N may be 0
/// Accuracy  within 1e-6 std of PyTorch 1.13 for mean 0; its own last bit varies with the processor
void torch_normal(TorchGenerator& generator, std::span<float> out, double mean,
                  double std) noexcept;

/// Advance the generator as if a table of normals had been drawn and thrown away.
///
/// Units     size in elements
/// Cost      one step of MT19937 an element from 16 on; nothing is stored
void torch_skip_normal(TorchGenerator& generator, std::uint64_t size) noexcept;

}  // namespace phasor::random
