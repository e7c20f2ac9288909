// The first pass of a search: sums in few bits, with bounds of their errors. They show that most
// rows are not among the best; only the others are compared in double.
//
// N rows, D width, Q queries. q is a query and x a row.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "analysis/similarity/similarity.h"
#include "math/half.h"
#include "math/linear.h"

namespace phasor::nearest {

/// Rows of a block. With usual widths they stay in the cache for all queries.
inline constexpr std::size_t kBlock = 64;

/// Rows of a block of one query: memory is read longer without a pause.
inline constexpr std::size_t kLong = 256;

/// Queries whose sums are computed together.
inline constexpr std::size_t kGroup = linear::kWide<float>;

/// A query of the first pass.
///
///   dot <= unit * sum + slope * |x| + near * gap + offset
///
/// where dot is the exact dot product of q and x, and `sum` that of the first pass:
///
///   rows of float32   `brief_dots`, or `linear::tile` of float32
///   rows of 16 bits   `half_dots`
///   rows of int8      scale * `code_dots`, where the row is x[d] = scale * code[d], rounded to
///                     float32
///   rows of a sketch  see sketch.h, which alone has a gap
///
/// The bound includes the rounding errors of `similarity::compare`. It holds for every sum that is
/// finite; a product that overflows leaves a sum infinite or NaN. If there is no bound, unit is NaN.
struct Probe {
  double square;  // |q|^2 by similarity::square
  double length;  // |q|
  double unit;
  double slope;
  double offset;
  double near = 0;
};

/// The largest width of a first pass. The JavaScript module uses the same number.
inline constexpr std::size_t kWidest = std::size_t{1} << 16;

/// The relative error of a first sum of float32 products.
///
///   e = (D / 7.5 + 40) * 2^-24
///
/// Requires  D <= kWidest
/// Accuracy  `brief_dots` adds at most D / 8 + 1 pairs of products in a lane. With the roundings of the
///           product and of the pair these are m <= D / 8 + 3 roundings of a term, and the error is
///           <= (1 + 2^-24)^m - 1 of the sum of magnitudes. `half_dots` has m <= D / 16 + 7, and a
///           tile of float32 33 (linear.h). D / 120 is more than the terms of second order
double brief_error(std::size_t D) noexcept;

/// Rounds a query to float32, or to whole numbers for rows of int8:  out[d] = round(q[d] / unit).
///
/// The largest is 1, or at most 32767; the sum of magnitudes of whole numbers is at most 2^31 / 127,
/// so that sums of products with codes from -127 to 127 fit into 32 bits, in any order.
///
/// Shapes    q [D]; out [D], of float32 or of int16
/// Returns   with `known` the bound for exact lengths of rows; else slope is large enough for a
///           cosine, too, whose length has a relative error of 2e
/// Accuracy  With p = unit * out and r = |q - p|, which is computed:
///             |p . x - q . x|         <= r |x|, by Cauchy and Schwarz
///             |unit * sum - p . x|    <= E |p| |x|, and |p| <= |q| + r
///           where E = e for rows of float32, and 2^-24 for the rounding of scale * code, of which
///           the bound takes 2^-23: the rest is for sums and squares in double. Each product or
///           number below the normal range of float32 loses <= 2^-150 more, relative to the largest
///           of p; offset = (|q| + r) * D * 2^-149
Probe probe_of(std::span<const double> q, bool packed, bool known, void* out) noexcept;

/// Adds up the products of a query with each of some rows in float32, each in four sums of pairs.
///
/// Shapes    q [D], rows [N, D], sums [N]
/// Returns   the sum of the four in double, the same for a row wherever it stands; infinite or NaN if a
///           product or a sum overflows
/// Cost      four rows at a time, each of another quarter: a processor reads ahead in each
[[gnu::noinline]] void brief_dots(const float* q, const float* rows, std::size_t N, std::size_t D,
                                  double* sums) noexcept;

/// The same in 16 sums, with rows of 16 bits, which are widened to float32 in registers.
///
/// Shapes    q [D], times `half_unit`; rows [N, D] of two bytes; sums [N]
/// Requires  the numbers of rows are finite, or the sum is not used
/// Accuracy  that of `brief_dots`: bits of float16 in the place of float32's mean 2^-112 times the number,
///           below its normal range too
void half_dots(const float* q, const std::uint8_t* rows, half::Dtype dtype, std::size_t N,
               std::size_t D, double* sums) noexcept;

/// What a query is multiplied by for `half_dots`.
constexpr float half_unit(half::Dtype dtype) {
  return dtype == half::Dtype::kFloat16 ? 0x1p112f : 1;
}

/// Adds up products of whole numbers: of some queries with some rows.
///
///   sums[j, n] = sum over d of q[j, d] * codes[n, d]
///
/// Shapes    q [Q, D], Q <= kGroup; codes [N, D]; sums [Q, step], of which the first N of each Q are
///           written
/// Requires  step >= N;  127 * (the sum of |q[j, d]|) < 2^31; no code is -128
/// Cost      four rows and two queries at a time
void code_dots(const std::int16_t* q, std::size_t Q, const std::int8_t* codes, std::size_t N,
               std::size_t D, std::int32_t* sums, std::size_t step) noexcept;

/// Computes the squared length of a row for the first pass, in float32 if its range allows it.
///
/// Accuracy  relative <= brief_error(D)
double brief_square(const float* x, std::size_t D) noexcept;

/// A row whose first sum is below its limit has a key below a given one.
///
///   limit = level + slope * |x| + bend * |x|^2 - near * gap
struct Limit {
  double level, slope, bend, near;
};

/// Computes the limit of first sums for a key: the results of `similarity::compare`, distances
/// negated.
///
///   kDot        key                         less the bound of the sum
///   kCosine     key * |q| * |x|             the same
///   kEuclidean  (key + |q|^2 + |x|^2) / 2   the same, since |q - x|^2 = |q|^2 - 2 q . x + |x|^2
///
/// Returns   for a key of NaN or -infinity a limit that no finite sum is below
/// Accuracy  squares and distances have errors <= D * 2^-51 of |q|^2 + |x|^2 in all; (D + 16) *
///           2^-50 of these is subtracted
Limit limit_of(const Probe& probe, similarity::Metric metric, std::size_t D, double key) noexcept;

}  // namespace phasor::nearest
