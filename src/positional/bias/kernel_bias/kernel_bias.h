// Additive biases that fall with distance along a curve: KERPLE, FIRE, Sandwich; and CoPE, whose
// positions the context counts.
//
// H heads, N relative positions, Tq queries, Tk keys, M hidden units, P positions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::kernel_bias {

/// Which of KERPLE's kernels. The numbers cross the border.
enum class Kernel : std::int32_t {
  kLog = 0,     // -p log(1 + a |r|)
  kPower = 1,   // -a |r|^p
  kWeight = 2,  // e^(-a |r|^p), which multiplies logits
};

/// Write KERPLE's kernels over a run of relative positions r = key - query.
///
///   out[h, k] = the kernel at a[h], p[h], |r|,  r = first + k;
///   causal: where r > 0 instead -inf, or 1 for kWeight
///
/// Shapes    a, p [H], out [H, N];  H or N may be 0
/// Units     first whole, |r| <= 2^31; a and p positive and within float32, p <= 2 but for kLog
/// Requires  out apart from a and p
/// Returns   kOk; kBadShape
/// Accuracy  <= 0.501 ULP: |r|^p = exp(p log |r|) in double is within 2^-45 of itself, and is
/// rounded
///           once; beyond float32 -inf. kWeight multiplies that error by a |r|^p, which is below
///           104 where the result is not 0
/// Cost      a logarithm and an exponential each; no allocation
/// Source    Chi et al. 2022, KERPLE, arXiv:2205.09921, and the authors' program
Status kerple(std::span<const double> a, std::span<const double> p, double first, Kernel kernel,
              bool causal, std::span<float> out) noexcept;

/// Write Sandwich's biases over a run of relative positions, all heads of one beside each other.
///
///   out[k, h] = (sum over i = 1 .. P of cos(r base^(-i/P)) - P) H / (8 (h + 1)),  r = first + k
///             = -2 sum of sin^2(r base^(-i/P) / 2) H / (8 (h + 1)): nothing cancels
///   causal: -inf where r > 0
///
/// Shapes    out [N, H], workspace [P];  P = half of the width
/// Units     first whole, |r| <= 2^31; base >= 1
/// Requires  out apart from workspace
/// Returns   kOk; kBadShape; kBadParam (nothing written)
/// Accuracy  <= 0.501 ULP for |r| <= 4096 and base 10000. Each angle is within 2^-51 (1 + ln base)
/// of
///           itself, the rest double, rounded once
/// Cost      P sines a relative position; no allocation
/// Source    Chi et al. 2022, Dissecting transformer length extrapolation via the lens of
///           receptive field analysis, arXiv:2212.10356
Status sandwich(double first, std::size_t H, double base, bool causal, std::span<double> workspace,
                std::span<float> out) noexcept;

/// FIRE's network from one number to one of each head, and what its input is made with.
struct Fire {
  std::span<const double> w1;  // [M]
  std::span<const double> b1;  // [M]
  std::span<const double> w2;  // [H, M]
  std::span<const double> b2;  // [H]
  double c;                    // > 0
  double threshold;            // >= 0
};

/// Write rows of FIRE's bias.
///
///   x = log(1 + c |i - j|) / (log(1 + c max(i, threshold)) + 1e-6)
///   out[h, i, j] = b2[h] + sum over m of w2[h, m] max(w1[m] x + b1[m], 0)
///   row `row` is head row / Tq and query i = first + row mod Tq;  causal: -inf where j > i
///
/// Shapes    out [rows, Tk], rows from `row` on of [H, Tq, Tk]
/// Units     first whole, |i - j| <= 2^31
/// Returns   kOk; kBadShape
/// Accuracy  double throughout, rounded once: an error of 2^-45 of the sum of absolute terms
/// Cost      a logarithm and 4 M flops each; no allocation
/// Source    Li et al. 2023, Functional interpolation for relative positions, arXiv:2310.04418;
/// 1e-6
///           and the network's form from the program of McLeish et al. 2024, arXiv:2405.17399
Status fire(const Fire& fire, double first, std::size_t row, std::size_t Tq, std::size_t Tk,
            bool causal, std::span<float> out) noexcept;

/// Draw FIRE's network as PyTorch's Linear layers begin.
///
///   w1, b1 uniform in [-1, 1), w2, b2 in [-M^-1/2, M^-1/2): elements 0, 1, ... of the seed's
///   stream
///
/// Shapes    out [w1 M | b1 M | w2 H * M | b2 H], M >= 1
/// Returns   kOk; kBadShape
/// Accuracy  as `random::philox_uniform`
/// Cost      no allocation
Status fire_weights(std::uint64_t seed, std::size_t H, std::size_t M,
                    std::span<float> out) noexcept;

/// Write rows of CoPE's bias: positions that count gates, looked up between whole ones.
///
///   p_ij = min(sum over l = j .. i of sigmoid(logits[i, l]), P - 1)
///   out[i, j] = (1 - w) positions[i, floor(p)] + w positions[i, ceil(p)],  w = p - floor(p)
///   -inf where j > i;  row `row` is query i = first + row mod Tq
///
/// Shapes    logits [rows, Tk], positions [rows, P], out [rows, Tk];  P >= 1
/// Units     first whole; a logit of -inf counts nothing
/// Requires  out is logits itself or overlaps nothing
/// Returns   kOk; kBadShape. A NaN logit makes NaN of its key and those before it
/// Accuracy  double throughout, rounded once
/// Cost      an exponential each; no allocation
/// Source    Golovneva et al. 2024, Contextual position encoding, arXiv:2405.18719
Status cope(std::span<const float> logits, std::span<const float> positions, double first,
            std::size_t row, std::size_t Tq, std::size_t Tk, std::size_t P,
            std::span<float> out) noexcept;

}  // namespace phasor::kernel_bias
