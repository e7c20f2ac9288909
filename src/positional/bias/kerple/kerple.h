// KERPLE: kernels of the distance with two learned parameters a head.
//
// H heads, N relative positions.
#pragma once
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::kerple {

/// Which of KERPLE's kernels. The values are part of the JavaScript interface.
enum class Kernel : std::int32_t {
  kLog = 0,     // -p log(1 + a |r|)
  kPower = 1,   // -a |r|^p
  kWeight = 2,  // e^(-a |r|^p), which multiplies logits
};

/// Write KERPLE's kernels for a run of relative positions r = key - query.
///
///   out[h, k] = the kernel at a[h], p[h], |r|,  r = first + k;
///   causal: where r > 0 instead -inf, or 1 for kWeight
///
/// Shapes    a, p [H], out [H, N];  H or N may be 0
/// Units     first is an integer, |r| <= 2^31; a and p positive and within float32; p <= 2 except
///           for kLog
/// Requires  out does not overlap a or p
/// Returns   kOk; kBadShape
/// Accuracy  <= 0.501 ULP: |r|^p = exp(p log |r|) has a relative error of at most 2^-45 in double
///           and is rounded once; -inf beyond float32. kWeight multiplies that error by a |r|^p,
///           which is below 104 where the result is not 0
/// Cost      a logarithm and an exponential a value; no allocation
/// Source    Chi et al. 2022, KERPLE, arXiv:2205.09921, and the authors' code
Status line(std::span<const double> a, std::span<const double> p, double first, Kernel kernel,
            bool causal, std::span<float> out) noexcept;

}  // namespace phasor::kerple
