// Normalization of rows: to mean 0 and variance 1 (LayerNorm), to root mean square 1 (RMSNorm) and
// to Euclidean length 1 (l2).
//
// T rows, D width.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::normalize {

/// Which measure of a row becomes 1. The JavaScript module uses the same numbers.
enum class Kind : std::int32_t {
  kLayer = 0,  // (x - mean) / sqrt(mean of (x - mean)^2 + eps)
  kRms = 1,    // x / sqrt(mean of x^2 + eps)
  kL2 = 2,     // x / max(sqrt(sum of x^2), eps)
};

/// Normalizes every row, then multiplies by the weights and adds the bias.
///
///   out[t, d] = normalized[t, d] * (weight[d] + weight_offset) + bias[d]
///
/// Shapes    x, out [T, D]; weight, bias [D], or empty for 1 and 0 (the offset is then not used);
///           workspace [2, D], which receives weight + weight_offset and bias
/// Requires  D > 0, eps >= 0; out is x itself or overlaps nothing; workspace overlaps nothing
/// Returns   kOk; kBadShape; kBadParam (nothing written). A row whose divisor is 0 has zeros as
///           numerators and stays zeros; a row with NaN is NaN, as 0x7fc00000
/// Accuracy  sums and every step in double, rounded once. Bit-equal to `rows_scalar`. No square of
///           a float32 overflows or underflows. Where D (1 + |mean| / deviation) <= 2^20:
///             kRms, kL2   error <= 0.501 * 2^-23 |out|
///             kLayer      error <= 0.501 * 2^-23 |out| + 2^-33 (|weight| + |bias|)
///           kLayer sums x - c and its square, c the first number: variance and mean are those of
///           x - c. If (c - mean)^2 is more than 15 times the variance, it sums once more with that
///           mean as c: so at most 4 bits of the sum of squares cancel
/// Cost      two passes, seldom three; no allocation
/// Source    Ba et al. 2016, Layer normalization, arXiv:1607.06450, section 3; Zhang and Sennrich
///           2019, Root mean square layer normalization, arXiv:1910.07467, section 4
Status rows(std::span<const float> x, std::span<const float> weight, std::span<const float> bias,
            std::size_t D, Kind kind, double eps, double weight_offset, std::span<double> workspace,
            std::span<float> out) noexcept;

/// Defines `rows`: eight partial sums by d mod 8, then the remaining numbers one at a time.
Status rows_scalar(std::span<const float> x, std::span<const float> weight,
                   std::span<const float> bias, std::size_t D, Kind kind, double eps,
                   double weight_offset, std::span<double> workspace,
                   std::span<float> out) noexcept;

}  // namespace phasor::normalize
