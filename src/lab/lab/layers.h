// What a decoder does to each row: layer norm, GELU, cross entropy, and their gradients, in float32.
//
// N rows, E width, a multiple of 4.
#pragma once
#include <cstddef>
#include <cstdint>

namespace phasor::lab {

/// Normalizes rows.
///
///   hat[t] = (x[t] - mean) inverse[t],  inverse[t] = 1 / sqrt(variance + 1e-5)
///   y[t] = hat[t] * weight + bias
///
/// Shapes    x, hat, y [N, E], weight, bias [E], inverse [N]
/// Accuracy  <= 3e-6 absolute for rows of size 1; sums in four lanes
/// Source    Ba et al. 2016, Layer normalization, arXiv:1607.06450
void layer_norm(std::size_t N, std::size_t E, const float* x, const float* weight,
                const float* bias, float* hat, float* inverse, float* y) noexcept;

/// Adds the gradients of `layer_norm`.
///
///   dx[t] += inverse[t] (g - mean(g) - hat[t] mean(g hat[t])),  g = dy[t] * weight
///   dweight += sum over t of dy[t] hat[t],  dbias += sum over t of dy[t]
void layer_norm_gradient(std::size_t N, std::size_t E, const float* hat, const float* inverse,
                         const float* weight, const float* dy, float* dx, float* dweight,
                         float* dbias) noexcept;

/// Evaluates GELU with its tanh, and its derivative in place of the argument.
///
///   y = x s,  s = 1 / (1 + e^-u),  u = 2 sqrt(2/pi) (x + 0.044715 x^3);   0.5 (1 + tanh(u/2)) is s
///   x := s + x s (1 - s) u'
///
/// Shapes    x, y [count], a multiple of 4
/// Returns   NaN for the derivative where x^2 overflows, |x| > 1.8e19
/// Accuracy  <= 4 ULP of |x| (measured 1.5); the derivative within 1e-6 (measured 1.5e-7)
/// Source    Hendrycks and Gimpel 2016, Gaussian error linear units, arXiv:1606.08415
void gelu(std::size_t count, float* x, float* y) noexcept;

/// What `cross_entropy` returns.
struct Loss {
  double sum = 0;           // of -log softmax(logits)[target] over targets >= 0, in nats
  std::size_t counted = 0;  // targets >= 0
};

/// Evaluates the loss of rows of logits, and its gradient in their place.
///
///   losses[t] = log(sum of e^logits[t]) - logits[t, target]
///   hits[t] = whether the first of the largest logits is the target's; both 0 for targets below 0
///   logits[t] := (softmax(logits[t]) - onehot) / counted;  0 for targets below 0
///
/// Shapes    logits [N, row], row = V rounded up to a multiple of 4, whose last columns are ignored;
///           targets [N]; losses, hits [N] or null;  without `gradient` writes ignored columns alone
/// Accuracy  the logarithm in double; a loss within 3e-7 of its size and of the logits'
Loss cross_entropy(std::size_t N, std::size_t V, std::size_t row, const std::int32_t* targets,
                   bool gradient, float* logits, float* losses, std::int32_t* hits) noexcept;

/// Adds rows to one row, in their order:  out += sum over t of rows[t].
///
/// Shapes    rows [N, row], of which the first E columns count; E any
void add_rows(std::size_t N, std::size_t E, const float* rows, std::size_t row,
              float* out) noexcept;

}  // namespace phasor::lab
