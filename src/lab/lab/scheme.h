// A position scheme within attention: what it does to queries and keys, the term that it adds to the
// scores, and the gradients of its numbers.
//
// T tokens of a text, H heads, D width of a head, N distances 0 .. N - 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace phasor::lab {

/// What attention does with positions. JavaScript passes the numbers.
enum class Kind : std::uint32_t {
  kNone = 0,
  kRotation = 1,     // rotates queries and keys by `tables`
  kLine = 2,         // adds `line` as it is given: ALiBi, Sandwich, a function of JavaScript
  kT5 = 3,           // adds numbers[index[n], h]
  kKerpleLog = 4,    // adds -|p| log(1 + |a| n), p = numbers[h], a = numbers[H + h]
  kKerplePower = 5,  // adds -|a| n^|p|
  kFire = 6,         // adds a network of log(1 + c n) / log(1 + c max(i, L))
  kShaw = 7,         // adds q . numbers[min(n, size - 1)] to q . k
  kCope = 8,         // adds q . numbers[position], where gates of q . k / sqrt(D) count positions
};

/// A scheme, and the memory that it works in. Lines run from far to near: the value at distance n of head h
/// is line[h * N + N - 1 - n], so that the row of query i is consecutive in the key.
struct Scheme {
  Kind kind;
  std::size_t pairs;  // kRotation: of columns d and pairs + d
  std::size_t size;   // T5's buckets, FIRE's hidden units, Shaw's rows, CoPE's positions
  std::size_t at;     // its numbers, from here on in the weights
  // kRotation: cosines and sines [texts, T, pairs] of queries, then of keys: four runs, one after the other.
  // kFire: log(1 + c n) as a line [N], then 1 / (log(1 + c max(i, L)) + 1e-6) of positions i [N].
  const float* tables;
  const std::int32_t* index;  // kT5: the bucket of each distance [N]
  float* line;                // kLine, kT5, kKerple: [H * N + 4]
  float* sums;  // the gradient of line, as long: kT5, kKerple, and kLine where it is wanted
};

/// Where queries and keys stand.
struct Positions {
  std::size_t N;                // distances
  std::size_t texts;            // with separate positions: 1, which all share, or B
  const std::int32_t* indices;  // [texts, T], or null for 0, 1, 2, ...
};

/// How many numbers a scheme trains.
std::size_t numbers_of(const Scheme& scheme, std::size_t H, std::size_t D) noexcept;

/// Evaluates FIRE's tables: log(1 + c n) as a line, and for each position of a query the inverse of its
/// normalizer.
///
///   out = [log(1 + c (N - 1)) .. log(1 + c 0) | 1 / (log(1 + c max(i, threshold)) + 1e-6), i = 0 .. N - 1 | 0 x 4]
///
/// Accuracy  in double, rounded once
void fire_tables(double c, double threshold, std::size_t N, std::span<float> out) noexcept;

/// Evaluates `line` from the numbers: once a step.
///
/// Accuracy  KERPLE in double, rounded once
void prepare(const Scheme& scheme, const float* weights, std::size_t H, std::size_t N) noexcept;

/// Adds the gradient of the numbers behind a line, from `sums`.
void finish(const Scheme& scheme, const float* weights, std::size_t H, std::size_t N,
            float* gradients) noexcept;

/// Rotates the heads of rows in place, or back, by the transposed matrix.
///
///   (a, b) := (a cos - b sin, b cos + a sin);  back: (a cos + b sin, b cos - a sin)
///
/// Shapes    rows [T, row], of which the first H * D numbers are H heads; cos, sin [T, pairs]
void rotate(float* rows, std::size_t T, std::size_t row, std::size_t H, std::size_t D,
            std::size_t pairs, const float* cos, const float* sin, bool back) noexcept;

/// One head of one text.
struct Head {
  const Scheme* scheme;
  const Positions* positions;
  const std::int32_t* indices;  // of this text, or null
  std::size_t H, D, T;
  std::size_t h;
  float scale;  // of q . k
  const float* numbers;
  const float* extra;  // kShaw, kCope: q . numbers[c], [T, size]
};

/// The term that query i adds to its scores of keys 0 .. i.
///
/// Shapes    scores [i + 1], q . k before the scale; room [T + 4]
/// Returns   a row of at least i + 4 readable numbers, in `room` or in a line; null for no term
const float* term(const Head& head, std::size_t i, const float* scores, float* room) noexcept;

/// Adds the gradients of a term.
///
///   sums, dextra, dnumbers += what they have to do with d;  dscores += what CoPE's gates have
///
/// Shapes    d [i + 1], the gradient of the term, followed by zeros up to a multiple of 4; scores, dscores
///           [i + 1], of q . k before the scale, and room [T + 4]: for kCope, which spoils scores; dextra
///           [T, size]; dnumbers as the numbers
void term_gradient(const Head& head, std::size_t i, const float* d, float* scores, float* room,
                   float* dscores, float* dextra, float* dnumbers) noexcept;

}  // namespace phasor::lab
