// DeBERTa's logarithmic buckets of distances.
#pragma once
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::deberta {

/// How the logarithm of a bucket is taken. The values are part of the JavaScript interface.
enum class Precision : std::int32_t {
  kExact = 0,  // the formula, exact for every distance
  kTorch = 1,  // PyTorch's float32 steps
};

/// Write DeBERTa's bucket of every distance from `first` on.
///
///   out[n] = r                                                                r <= mid
///   out[n] = mid + ceil(ln(r / mid) / ln(last / mid) * (mid - 1))             r > mid
///
/// with r = first + n; values above 2^31 - 1 become 2^31 - 1.
///
/// Shapes    out [count]
/// Units     last: the distance whose bucket is 2 mid - 1;  first >= 0, 0 < mid < last
/// Returns   kOk, or kBadParam with out untouched
/// Accuracy  kExact: the exact value of the formula, ties included (double-double)
/// Cost      a double-double logarithm for each distance beyond mid
/// Source    microsoft/DeBERTa, DeBERTa/deberta/da_utils.py; kTorch: huggingface/transformers,
///           models/deberta_v2/modeling_deberta_v2.py
Status log_buckets(std::int32_t first, std::int32_t mid, std::int32_t last, Precision precision,
                   std::span<std::int32_t> out) noexcept;

}  // namespace phasor::deberta
