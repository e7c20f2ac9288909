// Nearest neighbours: the rows of a table that are most like a query, in exact order.
//
// V rows of the table, D width, Q queries, k neighbours of each, E rows left out.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "analysis/similarity/similarity.h"
#include "math/status.h"

namespace phasor::nearest {

/// Which end of what a row's key may be. The numbers cross the border.
///
/// A row that was rounded has a key that is off by at most its error: of a dot product |q| times
/// what `packed::Errors` calls its length, of a distance that length, of a cosine its direction.
enum class End : std::int32_t {
  kLow = -1,    // at least
  kMiddle = 0,  // of the row as it is kept
  kHigh = 1,    // at most
};

/// The best rows seen so far, for each query: a heap with the worst of them on top.
///
/// Shapes    keys and ids [Q, k]
/// Units     keys are what `similarity::compare` gives, distances negated: larger is better; NaN
///           is worst, and of equal keys the lower id is better
struct Best {
  std::span<double> keys;
  std::span<std::int32_t> ids;
  std::size_t k;
  End end = End::kMiddle;  // of rows that were rounded
};

/// Rows left out: E ids in ascending order, the same for all queries or E for each of them.
///
/// Shapes    ids [E] or [Q, E]
struct Excluded {
  std::span<const std::int32_t> ids;
  std::size_t E;
};

/// Some rows of a table.
///
/// Shapes    x [N, D]: rows first .. first + N - 1 of the table; squares [N] of their lengths, or
///           empty; errors [N] for the metric, or empty where rows are exact
struct Tile {
  std::span<const float> x;
  std::size_t first;
  std::size_t D;
  std::span<const double> squares;
  std::span<const float> errors;
};

/// Compare some rows of a table with every query, and keep the best.
///
/// Shapes    queries [Q, D]; `more`, kept beside `best`, may have k = 0
/// Requires  the tiles of a table come one after the other; first = 0 begins anew; best.end is
///           kMiddle where there is more. No overlaps
/// Returns   kOk; kBadShape
/// Accuracy  in double, ranked before any rounding
/// Cost      one pass over the rows for all queries, a comparison of keys for each; log k
///           more where a row is kept; no allocation
Status scan(Tile tile, std::span<const double> queries, similarity::Metric metric,
            Excluded excluded, Best best, Best more = {}) noexcept;

/// Say which of the best are certain: among the k nearest of the rows as they were given.
///
///   row v is certain  <=>  its low end is better than the (k+1)-th best of all high ends,
///
/// for then at most k - 1 other rows can be better.
///
/// Shapes    best as after `scan` or `rank`; highest, with k + 1, as after `scan`; errors [V] of
/// all
///           rows; queries [Q, D]; recall [Q]: the part of the k that is certain
/// Returns   kOk; kBadShape; kBadIndex
Status certify(Best best, Best highest, std::span<const float> errors,
               std::span<const double> queries, similarity::Metric metric,
               std::span<std::uint8_t> certain) noexcept;

/// Mark the rows that may be among the k nearest of any query: those whose high end reaches the
/// k-th best of the low ends.
///
/// Shapes    as `scan`; lowest as after it; marks [N], set to 1 and never cleared
/// Returns   kOk; kBadShape
Status mark(Tile tile, std::span<const double> queries, similarity::Metric metric,
            Excluded excluded, Best lowest, std::span<std::uint8_t> marks) noexcept;

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
