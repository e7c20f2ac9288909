// Bags of tokens: the rows of some ids as one row, their sum, mean or maximum.
//
// V vocabulary, D width, N ids, B bags; bag b has the ids starts[b] .. starts[b+1]-1.
// Cold means small: the compiler would unroll and copy these loops for little speed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::embedding_bag {

/// The numbers cross the border.
enum class Mode : std::int32_t {
  kSum = 0,
  kMean = 1,
  kMax = 2,
};

/// Pool the rows of each bag.
///
///   sum   out[b, :] = sum over n of weights[n] * table[ids[n], :], in the order of n
///   mean  the sum without weights, divided by the number of ids
///   max   out[b, d] = max over n of table[ids[n], d];  owners[b, d] = the first id that has it
///
/// Shapes    table [V, D], ids [N], starts [B+1], weights [N] or empty, out [B, D],
///           owners [B, D] or empty
/// Units     ids equal to `padding` are left out and not counted (none for a negative one); of an
///           empty bag out is 0 and owners -1; a maximum of a NaN is NaN, owned by the first
/// Requires  weights empty unless sum, owners empty unless max; out and owners overlap nothing
/// Returns   kOk; kBadShape; kBadParam; kBadIndex for ids outside 0 .. V-1, and for starts that
///           descend or leave ids (nothing written)
/// Accuracy  sums in double, rounded once; a maximum is the weight itself
/// Cost      one pass over the rows; no allocation
/// Source    PyTorch's nn.EmbeddingBag
[[gnu::cold]] Status pool(std::span<const float> table, std::size_t V, std::size_t D,
                          std::span<const std::int32_t> ids, std::span<const std::int32_t> starts,
                          std::span<const float> weights, std::int32_t padding, Mode mode,
                          std::span<float> out, std::span<std::int32_t> owners) noexcept;

/// The gradient of the weights of a weighted sum.
///
///   out[n] = sum over d of gradient[b, d] * table[ids[n], d] for each n of bag b
///
/// Shapes    as `pool`; gradient [B, D], out [starts[B] - starts[0]]
/// Units     0 for ids equal to `padding`
/// Returns   as `pool`
/// Accuracy  `linear::dot`, rounded once
[[gnu::cold]] Status weights_gradient(std::span<const float> table, std::size_t V, std::size_t D,
                                      std::span<const std::int32_t> ids,
                                      std::span<const std::int32_t> starts, std::int32_t padding,
                                      std::span<const float> gradient,
                                      std::span<float> out) noexcept;

}  // namespace phasor::embedding_bag
