// Relative positions: what stands between a query and a key is looked up in a table of vectors or
// made into a bucket.
//
// One head at a time: T queries of N keys, D width, R rows of a table.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::relative {

/// Whose rows the table's are multiplied by. The numbers cross the border.
enum class Side : std::int32_t {
  kQueries = 0,
  kKeys = 1,
};

/// Multiply every query, or every key, by the row of a table that the pair selects.
///
///   out[t, n] = scale * sum over d of x[t, d] * table[index[t, n], d] + add[t, n]    kQueries
///   out[t, n] = scale * sum over d of x[n, d] * table[index[t, n], d] + add[t, n]    kKeys
///
/// Shapes    x [T, D] or [N, D], table [R, D], index [T, N], add [T, N] or empty, out [T, N]
/// Requires  out overlaps nothing
/// Returns   kOk; kBadShape; kBadIndex (nothing written)
/// Accuracy  everything in double, rounded once
/// Cost      2 T N D flops; no allocation
/// Source    Shaw et al. 2018, arXiv:1803.02155, section 3.2; He et al. 2020, DeBERTa,
///           arXiv:2006.03654, section 3.1
Status scores(std::span<const float> x, std::span<const float> table,
              std::span<const std::int32_t> index, std::span<const float> add, std::size_t T,
              std::size_t N, std::size_t D, Side side, double scale, std::span<float> out) noexcept;

/// Mix the rows of a table that the pairs select by the weights of the pairs.
///
///   out[t, d] = sum over n of weights[t, n] * table[index[t, n], d], in the order of n
///
/// Shapes    weights [T, N], table [R, D], index [T, N], out [T, D]
/// Requires  out overlaps nothing
/// Returns   kOk; kBadShape; kBadIndex (nothing written)
/// Accuracy  everything in double, rounded once
/// Cost      2 T N D flops; no allocation
/// Source    Shaw et al. 2018, arXiv:1803.02155, equation 3
Status values(std::span<const float> weights, std::span<const float> table,
              std::span<const std::int32_t> index, std::size_t T, std::size_t N, std::size_t D,
              std::span<float> out) noexcept;

/// How the logarithm of a bucket is taken. The numbers cross the border.
enum class Precision : std::int32_t {
  kExact = 0,  // the formula, decided to the last distance
  kTorch = 1,  // PyTorch's float32 steps
};

/// The bucket of every distance from a first one on, as DeBERTa counts them.
///
///   out[n] = r                                                                r <= mid
///   out[n] = mid + ceil(ln(r / mid) / ln(last / mid) * (mid - 1))             r > mid
///
/// with r = first + n, and nothing above 2^31 - 1.
///
/// Shapes    out [count]
/// Units     last: the distance whose bucket is 2 mid - 1;  first >= 0, 0 < mid < last
/// Returns   kOk, or kBadParam with out untouched
/// Accuracy  kExact: the formula's own whole number, where it hits one too (double-double)
/// Cost      a double-double logarithm a distance beyond mid
/// Source    microsoft/DeBERTa, DeBERTa/deberta/da_utils.py; kTorch: huggingface/transformers,
///           models/deberta_v2/modeling_deberta_v2.py
Status log_buckets(std::int32_t first, std::int32_t mid, std::int32_t last, Precision precision,
                   std::span<std::int32_t> out) noexcept;

}  // namespace phasor::relative
