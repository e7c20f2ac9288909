// Bags of tokens: the sum, mean or maximum of the rows of several ids.
//
// V vocabulary, D width, N ids, B bags; bag b has the ids at starts[b] .. starts[b+1]-1.
// The gradient is cold so that it stays small: unrolled loops would gain little speed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::embedding_bag {

/// The JavaScript module uses the same numbers.
enum class Mode : std::int32_t {
  kSum = 0,
  kMean = 1,
  kMax = 2,
};

/// Reduces the rows of each bag to one row.
///
///   sum   out[b, :] = sum over n of weights[n] * table[ids[n], :], in the order of n
///   mean  the sum without weights, divided by the number of ids
///   max   out[b, d] = max over n of table[ids[n], d];  owners[b, d] = the first such id
///
/// Shapes    table [V, D], ids [N], starts [B+1], weights [N] or empty, out [B, D],
///           owners [B, D] or empty
/// Units     ids equal to `padding` are neither included nor counted; a negative padding excludes
///           no id. For an empty bag out is 0 and owners -1. A maximum over a NaN is NaN, and its
///           owner is the first id with a NaN
/// Requires  weights empty unless sum, owners empty unless max; out and owners overlap nothing
/// Returns   kOk; kBadShape; kBadParam; kBadIndex for ids outside 0 .. V-1, and for starts that
///           descend or exceed N (nothing written)
/// Accuracy  sums in double, rounded once; a maximum is the weight itself
/// Cost      one pass over the rows; no allocation
/// Source    PyTorch's nn.EmbeddingBag
Status pool(std::span<const float> table, std::size_t V, std::size_t D,
            std::span<const std::int32_t> ids, std::span<const std::int32_t> starts,
            std::span<const float> weights, std::int32_t padding, Mode mode, std::span<float> out,
            std::span<std::int32_t> owners) noexcept;

/// Computes the gradient of the weights of a weighted sum.
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
