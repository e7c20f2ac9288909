// Attention: each query gets a weighted mean of the values, softmax(scale q k^T + bias) v.
//
// One head at a time: T queries of N keys, D width of a query and a key, V width of a value.
#pragma once
#include <cstddef>
#include <span>

#include "math/linear.h"
#include "math/status.h"

namespace phasor::attention {

/// Rows shorter than this are added up in double whatever `Rule` says: each rounding counts for more there, and
/// they take no time.
inline constexpr std::size_t kShort = 32;

/// How products become logits, and which keys a query attends to.
struct Rule {
  double scale;         // of the products; 1/sqrt(D) in the paper
  double softcap;       // logits become softcap * tanh(logit / softcap); 0: no cap
  std::ptrdiff_t seen;  // query t attends to the keys n < seen + t; N or more: to all
  linear::Sums sums = linear::Sums::kFloat32;  // of products of queries and keys, and of values
};

/// Copies the rows of one head from rows of heads that stand side by side.
///
///   out[t, d] = in[t, h, d]
///
/// Shapes    in [T, H, D], h < H, out [T, D]
/// Requires  out overlaps nothing
/// Returns   kOk, or kBadShape with out untouched
Status head(std::span<const float> in, std::size_t T, std::size_t H, std::size_t D, std::size_t h,
            std::span<float> out) noexcept;

/// Form the logits of some queries of one head.
///
///   out[t, n] = softcap(scale * sum over d of q[t, d] * k[n, d]) + bias[t, n]
///   out[t, n] = -inf  where n >= seen + t  or  bias[t, n] = -inf
///
/// Shapes    q [T, D], k [N, D], bias [T, N] or empty, out [T, N]
/// Requires  out overlaps nothing
/// Returns   kOk, or kBadShape with out untouched
/// Accuracy  sums of products as `Sums` says, rounded once; one more rounding for the bias, three
///           for the cap. kFloat32: the sum of the products is within (B / 2 + 2) 2^-24 of the sum of
///           their magnitudes, B = linear::block_of(D); in double where D < kShort. A masked key is
///           -inf, even where its product is NaN
/// Cost      2 T N D flops; no allocation
/// Source    Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1;
///           softcap: Gemma 2, arXiv:2408.00118
Status scores(std::span<const float> q, std::span<const float> k, std::span<const float> bias,
              std::size_t T, std::size_t N, std::size_t D, Rule rule,
              std::span<float> out) noexcept;

/// Normalize every row by `elementary::softmax`: a row of -inf becomes zeros.
///
/// Shapes    in, out [rows, N]; in is out itself or does not overlap it
/// Returns   kOk, or kBadShape with out untouched
/// Accuracy  relative <= 1.2e-7; a row sums to 1 within 1.2e-7
Status softmax(std::span<const float> in, std::size_t rows, std::size_t N,
               std::span<float> out) noexcept;

/// Computes the attention of some queries of one head.
///
///   weights = softmax(scores),   out[t, :] = sum over n of weights[t, n] * v[n, :]
///
/// Shapes    as `scores`, and v [N, V], weights [T, N], out [T, V]
/// Requires  weights and out overlap nothing
/// Returns   kOk, or kBadShape with both untouched
/// Accuracy  sums of weighted values as `Sums` says, rounded once. kFloat32: within
///           (B / 2 + 2) 2^-24 of the sum of their magnitudes, B = linear::block_of(n) for a query that
///           sees n keys; in double where n < kShort. Masked keys add nothing, not
///           even 0 * inf
/// Cost      2 T N (D + V) flops, half of that under a causal mask; no allocation
/// Source    Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762, section 3.2.1
Status scaled_dot_product(std::span<const float> q, std::span<const float> k,
                          std::span<const float> v, std::span<const float> bias, std::size_t T,
                          std::size_t N, std::size_t D, std::size_t V, Rule rule,
                          std::span<float> weights, std::span<float> out) noexcept;

/// Multiplies rows by a matrix of weights and adds a bias, as nn.Linear does.
///
///   out[t, n] = sum over d of x[t, d] * w[n, d] + bias[n]
///
/// Shapes    x [T, D], w [N, D], bias [N] or empty, out [T, N]
/// Requires  out overlaps nothing
/// Returns   kOk, or kBadShape with out untouched
/// Accuracy  the sum as `Sums` says, in double where D < kShort, rounded once; one more rounding for the
///           bias
/// Cost      2 T N D flops; no allocation
Status linear_layer(std::span<const float> x, std::span<const float> w, std::span<const float> bias,
                    std::size_t T, std::size_t N, std::size_t D, linear::Sums sums,
                    std::span<float> out) noexcept;

}  // namespace phasor::attention
