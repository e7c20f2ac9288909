// Training of a table: the gradient of its rows, and one step of an optimizer.
//
// V vocabulary, D width, R rows, N contributions to their gradients.
// `step` is cold so that it stays small: unrolled loops would gain little speed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::embedding {

/// Adds contributions to the gradients of rows.
///
///   sums[slots[n], :] += factors[n] * gradients[n, :], in the order of n
///
/// Shapes    gradients [N, D], slots [N], factors [N], sums [R, D] in double
/// Returns   kOk; kBadShape; kBadIndex for a slot outside 0 .. R-1 (nothing written)
/// Accuracy  one double rounding for each product and each sum
Status accumulate(std::span<const float> gradients, std::size_t D,
                  std::span<const std::int32_t> slots, std::span<const double> factors,
                  std::span<double> sums) noexcept;

/// Rounds sums to float32 and sets them to 0 for the next sums: sums [N], out [N].
Status round_sums(std::span<double> sums, std::span<float> out) noexcept;

/// The JavaScript module uses the same numbers.
enum class Optimizer : std::int32_t {
  kSgd = 0,
  kAdam = 1,
  kSparseAdam = 2,
};

struct Rule {
  Optimizer optimizer;
  double learning_rate;  // >= 0
  double momentum;       // of SGD, >= 0; beta1 of Adam, in [0, 1)
  double beta2;          // of Adam, in [0, 1)
  double epsilon;        // of Adam, > 0
  double weight_decay;   // >= 0, added to the gradient: g += weight_decay * w
  double step;           // of Adam: 1 for the first
};

/// Changes rows of a table by one step of an optimizer.
///
///   SGD          u = momentum u + g
///                w -= learning_rate u
///   Adam         m = b1 m + (1-b1) g,  v = b2 v + (1-b2) g^2
///                c1 = 1-b1^step,  c2 = 1-b2^step
///                w -= learning_rate (m / c1) / (sqrt(v / c2) + epsilon)
///   sparse Adam  m, v, c1, c2 as Adam
///                w -= learning_rate sqrt(c2) / c1 m / (sqrt(v) + epsilon)
///
/// Shapes    table [V, D], rows [R], gradients [R, D], first and second [V, D] or empty: u of SGD
///           (empty for momentum 0), m and v of Adam
/// Requires  rows distinct; nothing overlaps
/// Returns   kOk; kBadShape; kBadParam; kBadIndex (nothing written); other rows are unchanged
/// Accuracy  in double, with one float32 rounding for each of w, u, m, v in every step
/// Source    Kingma and Ba 2015, arXiv:1412.6980, algorithm 1; PyTorch's SGD, Adam and SparseAdam,
///           which adds epsilon at another place
[[gnu::cold]] Status step(std::span<float> table, std::size_t V, std::size_t D,
                          std::span<const std::int32_t> rows, std::span<const float> gradients,
                          const Rule& rule, std::span<float> first,
                          std::span<float> second) noexcept;

}  // namespace phasor::embedding
