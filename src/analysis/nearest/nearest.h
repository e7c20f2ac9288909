// Nearest neighbors: the rows of a table that are most similar to a query, in exact order.
//
// V rows of the table, D width, Q queries, k neighbors of each query, E excluded rows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "analysis/nearest/sketch.h"
#include "analysis/similarity/similarity.h"
#include "embedding/embedding/quantized.h"
#include "math/half.h"
#include "math/status.h"

namespace phasor::nearest {

/// Which bound of the key of a quantized row to use. The JavaScript module uses the same numbers.
///
/// The error of a key is at most
///
///   dot product  |q| * packed::Errors::lengths[n]
///   distance     packed::Errors::lengths[n]
///   cosine       packed::Errors::directions[n]
enum class End : std::int32_t {
  kLow = -1,    // the lower bound
  kMiddle = 0,  // the key of the row after rounding
  kHigh = 1,    // the upper bound
};

/// The best rows so far, for each query: a heap with the worst of them on top.
///
/// Shapes    keys and ids [Q, k]
/// Units     keys are the results of `similarity::compare`, distances negated, so that larger is
///           better. NaN is worst. Of equal keys the lower id is better
struct Best {
  std::span<double> keys;
  std::span<std::int32_t> ids;
  std::size_t k;
  End end = End::kMiddle;  // for quantized rows
};

/// Excluded rows: E ids in ascending order, the same for all queries or E for each query.
///
/// Shapes    ids [E] or [Q, E]
struct Excluded {
  std::span<const std::int32_t> ids;
  std::size_t E;
};

/// Consecutive rows of a table.
///
/// Shapes    x [N, D]: rows first .. first + N - 1 of the table; squares [N]: their squared
///           lengths, or empty; errors [N]: their errors for the metric, or empty if the rows are
///           exact; or, instead of x, codes [N, D] and scales [N]: the rows are scale * code, as
///           packed::unpack computes them; or halves [N, D] of two bytes, for fewer than `kTiled`
///           queries; sketch of the N rows of x, or empty
/// Requires  the squares of codes, of halves and of rows with a sketch are known; codes are -127 .. 127
///           and scales finite
struct Tile {
  std::span<const float> x;
  std::size_t first;
  std::size_t D;
  std::span<const double> squares;
  std::span<const float> errors;
  std::span<const std::int8_t> codes = {};
  std::span<const float> scales = {};
  Sketch sketch = {};
  std::span<const std::uint8_t> halves = {};
  half::Dtype dtype = half::Dtype::kFloat16;  // of halves

  std::size_t rows() const { return (x.size() + codes.size() + halves.size() / 2) / D; }

  /// Whether its rows are unpacked before they are compared in double.
  bool packed() const { return !codes.empty() || !halves.empty(); }
};

/// The fewest queries that are multiplied by tiles of float32. The JavaScript module uses the same number.
inline constexpr std::size_t kTiled = 6;

/// The bytes of workspace of a search for Q queries.
std::size_t work(std::size_t Q, std::size_t D) noexcept;

/// Compares some rows of a table with every query, and keeps the best rows.
///
/// With a workspace, a first pass in whole numbers or in float32 finds the rows that cannot be kept
/// (screen.h). The others are compared in double. Where whole numbers leave many, some blocks of rows
/// have a first pass in float32 instead; where that leaves many, too, some are compared in double at
/// once. The results are the same, bit for bit.
///
/// Shapes    queries [Q, D]; `more` is a second heap for other bounds, and may have k = 0; workspace
///           [work(Q, D)] or more, or empty unless the tile has codes or halves
/// Requires  the tiles of a table are scanned in order with the same workspace, aligned to 8 bytes;
///           first = 0 clears the heaps; best.end is kMiddle if more.k > 0; nothing overlaps
/// Returns   kOk; kBadShape
/// Accuracy  in double, ranked before any rounding
/// Cost      one pass over the rows for all queries, one comparison for each query and row, and
///           log k comparisons for each row that is kept; no allocation
Status scan(Tile tile, std::span<const double> queries, similarity::Metric metric,
            Excluded excluded, Best best, Best more = {},
            std::span<std::uint8_t> workspace = {}) noexcept;

/// Computes which of the best rows are certain to be among the k nearest before rounding.
///
///   row v is certain  <=>  its lower bound is better than the (k+1)-th best of all upper bounds
///
/// At most k - 1 other rows can then be better.
///
/// Shapes    best: after `scan` or `rank`; highest: with k + 1 instead of k, after `scan`; errors
///           [V] of all rows; queries [Q, D]; certain [Q, k]: 1 for certain, else 0
/// Returns   kOk; kBadShape; kBadIndex
Status certify(Best best, Best highest, std::span<const float> errors,
               std::span<const double> queries, similarity::Metric metric,
               std::span<std::uint8_t> certain) noexcept;

/// Marks the rows that may be among the k nearest of any query: those whose upper bound reaches the
/// k-th best of the lower bounds.
///
/// Shapes    as `scan`; lowest: after `scan`; marks [N], set to 1 and never cleared
/// Returns   kOk; kBadShape
Status mark(Tile tile, std::span<const double> queries, similarity::Metric metric,
            Excluded excluded, Best lowest, std::span<std::uint8_t> marks,
            std::span<std::uint8_t> workspace = {}) noexcept;

/// Sorts the heaps, the best rows first, after all rows were scanned.
///
///   scores[q, j] = the dot product, cosine or distance of query q and row ids[q, j]
///
/// Shapes    scores [Q, k]
/// Returns   kOk; kBadShape
/// Accuracy  scores rounded once to float32
Status rank(Best best, similarity::Metric metric, std::span<float> scores) noexcept;

/// Computes the target of an analogy, a is to b as c is to the target.
///
///   out[q, :] = b - a + c,  a, b, c = rows[q, 0], rows[q, 1], rows[q, 2]
///
/// If `unit`, each row is divided by its length first. A row of zeros is unchanged.
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
