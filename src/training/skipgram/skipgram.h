// Skip-gram with negative sampling: two tables learn which words stand near which in a text.
//
// V vocabulary, D width, T places of a text, N pairs, K negatives a pair.
//
// A text is its sentences' ids one after the other, with kBreak between sentences. Its pairs are
// all (centre, context) of places at most `window` apart in one sentence, in the order of the
// centres' places, then of the contexts'.
//
// tables [2, V, D]: v_c, the vectors of words as centres, then u_o, those of words as contexts.
// Cold means small: only the loops over D are worth the compiler's unrolling.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::skipgram {

inline constexpr std::int32_t kBreak = -1;

/// Count the pairs of a text.
///
///   N = sum over t of |{s != t : |s - t| <= window, s in the sentence of t}|
///
/// Shapes    text [T], breaks included;  T may be 0
/// Cost      O(T), whatever the window
[[gnu::cold]] std::uint64_t count_pairs(std::span<const std::int32_t> text,
                                        std::size_t window) noexcept;

/// Write pairs first, first + 1, ... of a text.
///
/// Shapes    out [n, 2]: the ids of centre and context
/// Returns   kOk; kBadShape for pairs that the text does not have (nothing written)
[[gnu::cold]] Status pairs(std::span<const std::int32_t> text, std::size_t window,
                           std::uint64_t first, std::span<std::int32_t> out) noexcept;

/// Draw first tables as word2vec does: v_c uniform on [-1/2D, 1/2D), u_o all 0.
///
/// Shapes    tables [2, V, D];  D = 0 is refused
/// Returns   kOk; kBadShape
/// Source    Mikolov et al. 2013, word2vec.c, InitNet
[[gnu::cold]] Status init(std::span<float> tables, std::size_t D, std::uint64_t seed) noexcept;

/// Make the distribution of the negatives from how often each word occurs.
///
///   P(w) = count(w)^power / sum over w' of count(w')^power,  0 for words that do not occur;
///   cumulative[w] = sum over w' <= w of max(1, P(w') 2^30, rounded down)
///
/// Shapes    text [T], cumulative [V]
/// Requires  power >= 0;  V <= 2^30
/// Returns   kOk; kBadParam; kBadIndex for an id outside 0 .. V-1 (then out is undefined)
/// Accuracy  shares are whole multiples of about 2^-30: whoever occurs has one at least
/// Source    Mikolov et al. 2013, arXiv:1310.4546, section 2.2: power 3/4
[[gnu::cold]] Status noise(std::span<const std::int32_t> text, double power,
                           std::span<std::int32_t> cumulative) noexcept;

/// Draw the negatives of the n-th pair that is trained: words by P, given that they are not the
/// pair's context.
///
///   x = floor(w (S - share) 2^-32),  share the context's, S the sum of all, w word k mod 4 of
///   Philox block k / 4;  key = seed, counter = (n, 2, k / 4): weights have 0 there, dropout 1
///
/// Shapes    cumulative [V], out [K];  K may be 0
/// Requires  context below V
/// Returns   how many were drawn: K, or 0 if no other word occurs. word2vec leaves a draw out that
///           hits the context; here it is never hit
[[gnu::cold]] std::size_t draw(std::span<const std::int32_t> cumulative, std::size_t context,
                               std::uint64_t seed, std::uint64_t n,
                               std::span<std::int32_t> out) noexcept;

/// How pairs and their negatives are found.
struct Sampling {
  std::size_t window;
  std::uint64_t seed;
  std::span<const std::int32_t> cumulative;  // [V], from `noise` of the same text
};

/// What `train` works in: for each of 1 + K words its id and its error.
struct Workspace {
  std::span<std::int32_t> targets;
  std::span<double> errors;
};

/// Bits of `touched`: the row of v, the row of u.
inline constexpr std::int32_t kCentre = 1;
inline constexpr std::int32_t kContext = 2;

/// Train on `count` pairs, one after the other, each with K negatives of its own, in place.
///
///   loss = -log sigma(u_o . v_c) - sum over k of log sigma(-u_k . v_c)
///   g_o = 1 - sigma(u_o . v_c),  g_k = -sigma(u_k . v_c)
///   u_j += rate g_j v_c,  v_c += rate sum over j of g_j u_j,  j = o and all k
///
/// The right-hand sides are those before the pair: a step against the gradient of its loss. Pair n
/// since the beginning of training is pair n mod N of the text.
///
/// Shapes    tables [2, V, D], text [T], work [1 + K], touched [V]
/// Units     `first` pairs were trained before; rate >= 0
/// Requires  ids of the text in 0 .. V-1; nothing overlaps
/// Returns   kOk; kBadShape, kBadParam, kBadIndex (nothing written). `loss` grows by every pair's,
///           before its step; `touched` gets kCentre and kContext where rows took part: all other
///           rows keep their bits. A text without pairs changes nothing
/// Accuracy  in double, with one float32 rounding for each number of a row that took part (a word
///           drawn m times: m). Bit-equal to `train_scalar`
/// Cost      (1 + K) (6 D flops, an exponential and a logarithm) a pair, O(T) a call; no allocation
/// Source    Mikolov et al. 2013, arXiv:1310.4546, equation 4; Rong 2014, arXiv:1411.2738,
///           equations 59 to 61
Status train(std::span<float> tables, std::size_t D, std::span<const std::int32_t> text,
             const Sampling& sampling, std::uint64_t first, std::uint64_t count, double rate,
             const Workspace& work, std::span<std::int32_t> touched, double& loss) noexcept;

/// The definition of `train`, one number at a time.
Status train_scalar(std::span<float> tables, std::size_t D, std::span<const std::int32_t> text,
                    const Sampling& sampling, std::uint64_t first, std::uint64_t count, double rate,
                    const Workspace& work, std::span<std::int32_t> touched, double& loss) noexcept;

/// Add up the losses that all pairs of a text are expected to have: nothing is drawn.
///
///   sum over (c, o) of  -log sigma(u_o . v_c) - K sum over w != o of P(w | w != o) log sigma(-u_w
///   . v_c)
///
/// Shapes    tables [2, V, D], text [T], sums [V] to work in
/// Requires  ids of the text in 0 .. V-1
/// Returns   kOk; kBadShape, kBadIndex (nothing written); 0 for a text without pairs
/// Accuracy  in double
/// Cost      2 D (U^2 + N) flops for U distinct words; no allocation
/// Source    Mikolov et al. 2013, arXiv:1310.4546, equation 4
[[gnu::cold]] Status loss(std::span<const float> tables, std::size_t D,
                          std::span<const std::int32_t> text, const Sampling& sampling,
                          std::size_t negatives, std::span<double> sums, double& out) noexcept;

}  // namespace phasor::skipgram
