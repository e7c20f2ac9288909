// FIRE: a small network of the distance, normalized by the query's position.
//
// H heads, Tq queries, Tk keys, M hidden units.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::fire {

/// FIRE's network, from a distance to a bias for each head, and the parameters of its input.
struct Network {
  std::span<const double> w1;  // [M]
  std::span<const double> b1;  // [M]
  std::span<const double> w2;  // [H, M]
  std::span<const double> b2;  // [H]
  double c;                    // > 0
  double threshold;            // >= 0
};

/// Writes rows of FIRE's bias.
///
///   x = log(1 + c |i - j|) / (log(1 + c max(i, threshold)) + 1e-6)
///   out[h, i, j] = b2[h] + sum over m of w2[h, m] max(w1[m] x + b1[m], 0)
///   row `row` is head row / Tq and query i = first + row mod Tq;  causal: -inf where j > i
///
/// Shapes    out [rows, Tk], rows from `row` on of [H, Tq, Tk]
/// Units     first is an integer, |i - j| <= 2^31
/// Returns   kOk; kBadShape
/// Accuracy  double throughout, rounded once: an error of 2^-45 of the sum of absolute terms
/// Cost      a logarithm and 4 M flops a value; no allocation
/// Source    Li et al. 2023, Functional interpolation for relative positions, arXiv:2310.04418;
///           1e-6 and the network's layers: the code of McLeish et al. 2024, arXiv:2405.17399
Status bias(const Network& network, double first, std::size_t row, std::size_t Tq, std::size_t Tk,
            bool causal, std::span<float> out) noexcept;

/// Draw FIRE's network as PyTorch initializes its Linear layers.
///
///   w1, b1 uniform in [-1, 1), w2, b2 in [-M^-1/2, M^-1/2): elements 0, 1, ... of the seed's
///   stream
///
/// Shapes    out [w1 M | b1 M | w2 H * M | b2 H], M >= 1
/// Returns   kOk; kBadShape
/// Accuracy  as `random::philox_uniform`
/// Cost      no allocation
Status weights(std::uint64_t seed, std::size_t H, std::size_t M, std::span<float> out) noexcept;

}  // namespace phasor::fire
