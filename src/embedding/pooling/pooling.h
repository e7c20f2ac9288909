// Sentence vectors: the hidden states of the tokens of each text, pooled to one vector, and the linear
// layer that some models have behind it.
//
// B texts, T tokens, D width, M modes, W columns of the result, N outputs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::pooling {

/// The JavaScript module uses the same numbers.
enum class Mode : std::int32_t {
  kMean = 0,
  kCls = 1,
  kLast = 2,
  kWeighted = 3,
  kMax = 4,
  kMeanSqrtLength = 5,
};

/// Pools the tokens of each text, once for each mode, side by side; the first W columns remain.
///
///   A text's tokens are those whose mask is not 0. `first` is the first of them, 0 if there is none.
///   Tokens before first + skip are left out.
///   mean       sum of x[b, t, :] / max(count, 1e-9)
///   cls        x[b, t, :] of the first token; of t = 0 if there is none
///   last       x[b, t, :] of the last token; 0 if there is none
///   weighted   sum of (t + 1 - first) x[b, t, :] / max(sum of (t + 1 - first), 1e-9)
///   max        max of x[b, t, d]; -infinity if there is no token
///   mean sqrt  sum of x[b, t, :] / sqrt(max(count, 1e-9))
///   unit       the W columns divided by max(their Euclidean length, eps)
///
/// Shapes    x [B, T, D]; mask [B, T], or empty: all tokens; modes [M]; scratch [W]; out [B, W]
/// Requires  T, D, M >= 1; 1 <= W <= M D; nothing overlaps
/// Returns   kOk; kBadShape; kBadParam for a mode that does not exist or eps < 0 (nothing written)
/// Accuracy  sums in double and rounded once, after the division by the length. A maximum over a NaN
///           is NaN. x counts only where the mask is not 0, except for cls of a text without tokens.
///           Bit-equal to `pool_scalar`
/// Cost      one pass over x for each mode; no allocation
/// Source    Reimers and Gurevych 2019, Sentence-BERT, arXiv:1908.10084, section 3; Muennighoff 2022,
///           SGPT, arXiv:2202.08904, section 4 (weighted); the class Pooling of Sentence Transformers 6.2
Status pool(std::span<const float> x, std::span<const std::int32_t> mask, std::size_t T,
            std::size_t D, std::size_t skip, std::span<const std::int32_t> modes, bool unit,
            double eps, std::span<double> scratch, std::span<float> out) noexcept;

/// Defines `pool`: the tokens in their order, each added on its own.
Status pool_scalar(std::span<const float> x, std::span<const std::int32_t> mask, std::size_t T,
                   std::size_t D, std::size_t skip, std::span<const std::int32_t> modes, bool unit,
                   double eps, std::span<double> scratch, std::span<float> out) noexcept;

/// The JavaScript module uses the same numbers.
enum class Activation : std::int32_t {
  kIdentity = 0,
  kTanh = 1,
  kRelu = 2,
  kSigmoid = 3,
  kSilu = 4,
};

/// Applies a linear layer and an activation to each row.
///
///   out[b, n] = f(sum over d of x[b, d] weight[n, d] + bias[n])
///
/// Shapes    x [B, D]; weight [N, D]; bias [N] or empty; out [B, N]
/// Requires  D >= 1; out overlaps nothing
/// Returns   kOk; kBadShape; kBadParam for an activation that does not exist (nothing written)
/// Accuracy  `linear::dot`, the bias and f in double, rounded once. tanh errs by less than 1e-12 of itself
///           before that
/// Source    the class Dense of Sentence Transformers 6.2
[[gnu::cold]] Status dense(std::span<const float> x, std::size_t D, std::span<const float> weight,
                           std::span<const float> bias, Activation activation,
                           std::span<float> out) noexcept;

}  // namespace phasor::pooling
