// Token embedding: each token id selects a row of a table of weights.
//
// V vocabulary, D width, T ids.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/half.h"
#include "math/status.h"

namespace phasor::embedding {

/// The distribution of random weights. The JavaScript module uses the same numbers.
enum class Distribution : std::int32_t {
  kUniform = 0,  // [a, b)
  kNormal = 1,   // mean a, standard deviation b
};

/// Draws the weights of some rows. They equal those of the whole table.
///
///   out[t, :] = row rows[t] of the table that `seed` gives
///
/// Shapes    rows [T], out [T, D]
/// Units     rows >= 0; each weight depends on (seed, row * D + column) alone
/// Returns   kOk; kBadShape; kBadParam; kBadIndex for a negative row (nothing written)
/// Accuracy  bit-equal on every machine
/// Source    Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3 (Philox4x32-10)
Status draw(std::span<const std::int32_t> rows, std::size_t D, Distribution distribution, double a,
            double b, std::uint64_t seed, std::span<float> out) noexcept;

/// Draws all rows of such a table: out [V, D].
Status draw_all(std::size_t D, Distribution distribution, double a, double b, std::uint64_t seed,
                std::span<float> out) noexcept;

/// Draws a whole table as PyTorch's CPU generator does after `torch.manual_seed(seed)`.
///
/// Shapes    out [V, D] as V * D; before [N]: the sizes of the normal tables drawn before
/// Returns   kOk; kBadParam
/// Accuracy  within 1e-6 of PyTorch (whose last bits vary with the CPU)
/// Source    Matsumoto and Nishimura 1998, Mersenne Twister; PyTorch's CPU generator
Status draw_torch(Distribution distribution, double a, double b, std::uint32_t seed,
                  std::span<const double> before, std::span<float> out) noexcept;

/// Looks rows up, scales them, and adds the addends of their positions.
///
///   out[t, :] = scale * table[ids[t], :] + add[t mod A, :]
///
/// Shapes    table [V, D], ids [T], add [A, D] or empty, out [T, D]
/// Requires  out overlaps nothing; A divides T
/// Returns   kOk; kBadShape; kBadIndex for an id outside 0 .. V-1 (nothing written)
/// Accuracy  one float32 rounding for the product and one for the sum. Exact if scale is 1 and add
///           is empty: NaN then keeps its bits, and is 0x7fc00000 otherwise. Bit-equal to
///           `lookup_scalar`
/// Cost      one pass; no allocation
/// Source    Vaswani et al. 2017, arXiv:1706.03762, section 3.4 (scale sqrt(D))
Status lookup(std::span<const float> table, std::size_t V, std::size_t D,
              std::span<const std::int32_t> ids, float scale, std::span<const float> add,
              std::span<float> out) noexcept;

/// Defines `lookup`, one number at a time.
Status lookup_scalar(std::span<const float> table, std::size_t V, std::size_t D,
                     std::span<const std::int32_t> ids, float scale, std::span<const float> add,
                     std::span<float> out) noexcept;

/// Scales down, in place, the rows whose norm exceeds a bound.
///
///   table[r, :] *= max_norm / (n + 1e-7) where n > max_norm,  n = (sum_d |table[r, d]|^p)^(1/p)
///
/// Shapes    table [V, D], rows [R]
/// Units     p > 0; for infinity n is the largest |table[r, d]|; a row whose norm is NaN is
///           unchanged
/// Requires  rows distinct, since scaling a row twice may change it again
/// Returns   kOk; kBadShape; kBadParam; kBadIndex (nothing written)
/// Accuracy  <= 0.501 ULP a weight, for p from 0.1 to 100 and infinity
/// Source    nn.Embedding of PyTorch, max_norm and norm_type
[[gnu::cold]] Status renormalize(std::span<float> table, std::size_t V, std::size_t D,
                                 std::span<const std::int32_t> rows, double max_norm,
                                 double p) noexcept;

/// Computes the logits of some rows of the table, which is the output layer when weights are tied.
///
///   out[t, n] = sum over d of x[t, d] * table[first + n, d]
///
/// Shapes    table [V, D], x [T, D], out [T, N]
/// Returns   kOk; kBadShape; kBadIndex where first + N > V
/// Accuracy  `linear::products`: sums in double, rounded once
/// Source    Press and Wolf 2017, Using the output embedding, arXiv:1608.05859
Status logits(std::span<const float> table, std::size_t V, std::size_t D, std::size_t first,
              std::size_t N, std::span<const float> x, std::size_t T,
              std::span<float> out) noexcept;

/// Computes a lookup as the product of one-hot rows and the table, with every product.
///
///   out[t, d] = sum over v of [ids[t] = v] * table[v, d]
///
/// Shapes    table [V, D], ids [T], out [T, D]
/// Returns   kOk; kBadShape; kBadIndex (nothing written)
/// Accuracy  equal to `lookup` for finite tables; 0 * inf makes the sum NaN
/// Cost      2 * T * V * D flops; it is meant for teaching
Status one_hot_product(std::span<const float> table, std::size_t V, std::size_t D,
                       std::span<const std::int32_t> ids, std::span<float> out) noexcept;

}  // namespace phasor::embedding
