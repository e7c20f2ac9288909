// T5's relative position buckets, with the float32 logarithm of PyTorch.
#pragma once
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::t5_bias {

/// Find the first distance of each logarithmic bucket with the float32 steps of PyTorch's T5.
///
///   bucket(n) = m + trunc(fl(fl(log(fl(n / m))) / fl(ln(M / m)) * K)),  fl: rounded to float32
///   out[j - 1] = the smallest n with bucket(n) >= m + j,  j = 1 .. K - 1
///
/// Shapes    out [K - 1];  K - 1 may be 0
/// Units     tokens; 1 <= m < M
/// Returns   kOk; kBadParam (nothing written)
/// Accuracy  the logarithm is the correctly rounded one. PyTorch's may be a neighbor, so that a
///           distance whose logarithm falls on a boundary can get the next bucket there
/// Cost      31 logarithms a bucket; no allocation
/// Source    Raffel et al. 2020, Exploring the limits of transfer learning, arXiv:1910.10683,
///           section 2.1; the steps are _relative_position_bucket's in HF transformers
Status torch_firsts(std::int32_t m, std::int32_t M, std::span<std::int32_t> out) noexcept;

}  // namespace phasor::t5_bias
