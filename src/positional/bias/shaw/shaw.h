// Relative position representations: every pair of query and key selects a row of a learned table.
//
// One head at a time: T queries of N keys, D width, R rows of a table.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::shaw {

/// Which rows are multiplied by those of the table. The values are part of the JavaScript
/// interface.
enum class Side : std::int32_t {
  kQueries = 0,
  kKeys = 1,
};

/// Multiplies every query, or every key, by the row of a table that the pair selects.
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

/// Sum the rows of a table that the pairs select, weighted by the attention weights.
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

}  // namespace phasor::shaw
