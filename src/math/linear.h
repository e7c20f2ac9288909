// Products of rows: what similarity, attention, projections and tied logits share.
//
// T rows of x, N rows of w, D width.
//
// Products of many rows run over panels: some rows side by side, [number][row], so that a tile of
// sums stays in registers. A tile multiplies a panel of `kTall` rows with one of `kWide<Number>`:
//
//   panel of 4   [a0 b0 c0 d0  a1 b1 c1 d1 ...]
//
// Numbers are double, or float32 for sums in short blocks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::linear {

/// Multiplies two rows: sum over d of a[d] * b[d].
///
/// Requires  b as long as a; lengths may be 0
/// Accuracy  every product is exact in double, sums are rounded there: relative to the sum of the
///           |a[d] * b[d]| the error is <= D * 2^-53. Bit-equal to `dot_scalar`
double dot(std::span<const float> a, std::span<const float> b) noexcept;

/// The definition of `dot`: four running sums by d mod 4, then the tail.
double dot_scalar(std::span<const float> a, std::span<const float> b) noexcept;

/// Adds up products in the order of the numbers, in double: the definition of tiles of double.
///
///   sum over d of a[d] * b[d]
///
/// Requires  b as long as a
/// Accuracy  as `dot`
double ordered_dot(std::span<const float> a, std::span<const float> b) noexcept;

/// In what products are added up.
enum class Sums : std::int32_t {
  kFloat32 = 0,  // blocks in float32, the blocks in double: `paired_dot`
  kFloat64 = 1,  // all in double: `dot`, `ordered_dot`
};

/// How many products are added up in float32 before a sum goes on in double.
inline constexpr std::size_t kBlock = 32;

/// Adds up products in blocks of `kBlock`: each block in float32 in the order of its numbers, the
/// blocks in double. The definition of tiles of float32.
///
/// Requires  b as long as a
/// Returns   infinite or NaN also where a product or a block's sum overflows float32
/// Accuracy  with B = min(D, kBlock): <= (B + 1) * 2^-24 of the sum of the |a[d] * b[d]|, and
///           D * 2^-150 for products below the normal range. Proof: a block's sum in float32 has B
///           products, each with its own rounding and at most B - 1 of sums, so a factor within
///           (1 + 2^-24)^B - 1 <= 1.000002 B * 2^-24; sums of D / B blocks in double add less
///           than 2^-24 for D < 2^28
double blocked_dot(std::span<const float> a, std::span<const float> b) noexcept;

/// How many of D products `paired_dot` adds up in float32 before the sum goes on in double: in a short row
/// each rounding counts for more.
constexpr std::size_t block_of(std::size_t D) { return D < 64 ? 4 : D < 128 ? 16 : kBlock; }

/// Adds up products in blocks: each block in float32, two products at a time, the blocks in double. The
/// definition of `Sums::kFloat32`.
///
///   block's sum = ((a0 b0 + a1 b1) + (a2 b2 + a3 b3)) + (a4 b4 + a5 b5) ...
///
/// Requires  b as long as a
/// Returns   infinite or NaN also where a product or a block's sum overflows float32
/// Accuracy  with B = min(D, block_of(D)): <= (B / 2 + 2) * 2^-24 of the sum of the |a[d] * b[d]|, and
///           D * 2^-150 for products below the normal range. Proof: as for `blocked_dot`, but a product
///           has its own rounding, its pair's, and those of at most (B - 1) / 2 sums; the sums in
///           double add less than 2^-25
double paired_dot(std::span<const float> a, std::span<const float> b) noexcept;

/// The rows of a left panel.
inline constexpr std::size_t kTall = 4;

/// The rows of a right panel: 32 bytes a number.
template <class Number>
inline constexpr std::size_t kWide = 32 / sizeof(Number);

/// The number of rows in the panels for `rows` rows.
constexpr std::size_t padded(std::size_t rows, std::size_t wide) {
  return (rows + wide - 1) / wide * wide;
}

/// Packs rows into a panel:  panel[d * wide + r] = rows[r * D + d].
///
/// Shapes    rows [count, D], 1 <= count <= wide, panel [D, wide]; wide is 4 or 8
/// Requires  panel overlaps nothing
/// Returns   rows that are missing repeat the last: their sums are not asked for
/// Cost      D * wide loads and stores, no allocation
template <class Number>
void pack_rows(const float* rows, std::size_t count, std::size_t D, std::size_t wide,
               Number* panel) noexcept;

/// Packs consecutive columns into a panel:  panel[n * wide + c] = columns[n * step + c].
///
/// Shapes    columns [N, step], of which `count` are read, 1 <= count <= wide; panel [N, wide]
/// Requires  panel overlaps nothing
/// Returns   0 in columns that are missing
template <class Number>
void pack_columns(const float* columns, std::size_t count, std::size_t N, std::size_t step,
                  std::size_t wide, Number* panel) noexcept;

/// Multiplies the rows of two panels.
///
///   sums[i * 8 + j] = sum over d of a[i, d] * b[j, d]
///
/// Shapes    a [D, 4], b [D, 8], sums [4, 8]
/// Requires  sums overlaps nothing
/// Accuracy  bit-equal to `blocked_dot`
void tile(const float* a, const float* b, std::size_t D, double* sums) noexcept;

/// The same in double.
///
/// Shapes    a [D, 4], b [D, 4], sums [4, 4]
/// Accuracy  bit-equal to `ordered_dot` of numbers that were float32
void tile(const double* a, const double* b, std::size_t D, double* sums) noexcept;

/// Adds up squared differences instead:  sums[i * 4 + j] = sum over d of (a[i, d] - b[j, d])^2
void tile_gaps(const double* a, const double* b, std::size_t D, double* sums) noexcept;

/// How many of N columns row t sees, if the first row sees `seen` and each row one more than the row
/// before it: a causal mask.
constexpr std::size_t visible(std::ptrdiff_t seen, std::size_t t, std::size_t N) {
  const std::ptrdiff_t count = seen + static_cast<std::ptrdiff_t>(t);
  return count <= 0 ? 0 : std::min(N, static_cast<std::size_t>(count));
}

/// Multiplies every row of one matrix with every row of another.
///
///   out[t, n] = scale * sum over d of x[t, d] * w[n, d]
///
/// Shapes    x [T, D], w [N, D], out [T, N]
/// Requires  out overlaps nothing
/// Returns   kOk; kBadShape
/// Accuracy  `dot`, times the scale in double, rounded once
/// Cost      2 T N D flops; no allocation
Status products(std::span<const float> x, std::span<const float> w, std::size_t T, std::size_t N,
                std::size_t D, double scale, std::span<float> out) noexcept;

/// The same with sums of `Sums::kFloat32`, of the columns that a row sees.
///
///   out[t, n] = scale * paired_dot(x[t, :], w[n, :])   where n < visible(seen, t, N)
///
/// Shapes    x [T, D], w [N, D], out [T, N]; seen is N or more for all
/// Requires  out overlaps nothing
/// Returns   kOk; kBadShape. What a row does not see holds any number, or is left as it was
/// Accuracy  `paired_dot`, times the scale in double, rounded once
/// Cost      2 T N D flops in tiles of two rows and eight columns; 8 KiB of stack, no allocation
Status products_f32(std::span<const float> x, std::span<const float> w, std::size_t T,
                    std::size_t N, std::size_t D, double scale, std::ptrdiff_t seen,
                    std::span<float> out) noexcept;

/// Mix rows by weights.
///
///   out[t, d] = sum over n of weights[t, n] * rows[n, d], in the order of n
///
/// Shapes    weights [T, N], rows [N, D], out [T, D]
/// Requires  out overlaps nothing
/// Returns   kOk; kBadShape
/// Accuracy  exact products, sums in double, rounded once. Bit-equal to `mix_scalar`
/// Cost      2 T N D flops; no allocation
Status mix(std::span<const float> weights, std::span<const float> rows, std::size_t T,
           std::size_t N, std::size_t D, std::span<float> out) noexcept;

/// The definition of `mix`, one number at a time.
Status mix_scalar(std::span<const float> weights, std::span<const float> rows, std::size_t T,
                  std::size_t N, std::size_t D, std::span<float> out) noexcept;

/// The same with sums of `Sums::kFloat32`, of the rows that row t of the weights sees.
///
///   out[t, d] = paired_dot(weights[t, :n], rows[:n, d])   where n = visible(seen, t, N)
///
/// Shapes    weights [T, N], rows [N, D], out [T, D]; seen is N or more for all
/// Requires  out overlaps nothing; weights[t, n] is 0 where row t does not see n
/// Returns   kOk; kBadShape. Where rows[n, d] is not finite, out[t, d] may be NaN for the three rows
///           before the first that sees n, too
/// Accuracy  `paired_dot`, rounded once
/// Cost      2 T N D flops in tiles of two rows and eight columns; 4 KiB of stack, no allocation
Status mix_f32(std::span<const float> weights, std::span<const float> rows, std::size_t T,
               std::size_t N, std::size_t D, std::ptrdiff_t seen, std::span<float> out) noexcept;

}  // namespace phasor::linear
