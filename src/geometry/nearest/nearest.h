// Nearest neighbours: the rows of a table that are most like a query, in exact order.
//
// V rows of the table, D width, Q queries, k neighbours of each, E rows left out.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/status.h"
#include "geometry/similarity/similarity.h"

namespace phasor::nearest {

/// The best rows seen so far, for each query: a heap with the worst of them on top.
///
/// Shapes    keys and ids [Q, k]
/// Units     keys are what `similarity::compare` gives, distances negated: larger is better; NaN
///           is worst, and of equal keys the lower id is better
struct Best {
  std::span<double> keys;
  std::span<std::int32_t> ids;
  std::size_t k;
};

/// Rows left out: E ids in ascending order, the same for all queries or E for each of them.
///
/// Shapes    ids [E] or [Q, E]
struct Excluded {
  std::span<const std::int32_t> ids;
  std::size_t E;
};

/// Compare some rows of a table with every query, and keep the best.
///
/// Shapes    rows [N, D]: rows first .. first + N - 1 of the table; squares [N] of their lengths,
/// or
///           empty; queries [Q, D]
/// Requires  the tiles of a table come one after the other; first = 0 begins anew. No overlaps
/// Returns   kOk; kBadShape
/// Accuracy  in double, ranked before any rounding
/// Cost      one pass over the rows for all queries, a comparison of keys for each; log k
///           more where a row is kept; no allocation
Status scan(std::span<const float> rows, std::size_t first, std::size_t D,
            std::span<const double> squares, std::span<const double> queries,
            similarity::Metric metric, Excluded excluded, Best best) noexcept;

/// Put the best in order, the very best first, once all rows were seen.
///
///   scores[q, j] = the dot product, cosine or distance of query q and row ids[q, j]
///
/// Shapes    scores [Q, k]
/// Returns   kOk; kBadShape
/// Accuracy  scores rounded once to float32
Status rank(Best best, similarity::Metric metric, std::span<float> scores) noexcept;

/// Where an analogy points: a is to b as c is to this.
///
///   out[q, :] = b - a + c,  a, b, c = rows[q, 0], rows[q, 1], rows[q, 2], each first divided by
///   its length if `unit` (a row of zeros stays as it is)
///
/// Shapes    rows [Q, 3, D], out [Q, D]
/// Requires  out overlaps nothing
/// Returns   kOk; kBadShape
/// Accuracy  in double
/// Source    Mikolov, Yih, Zweig 2013, Linguistic regularities in continuous space word
///           representations, section 4; called 3CosAdd by Levy and Goldberg 2014
Status targets(std::span<const float> rows, std::size_t D, bool unit,
               std::span<double> out) noexcept;

}  // namespace phasor::nearest
