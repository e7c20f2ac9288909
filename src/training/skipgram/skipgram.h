// Skip-gram with negative sampling: two tables learn which words occur near each other in a text.
//
// V vocabulary, D width, T positions of a text, N pairs, K negatives of a pair.
//
// A text is the ids of its sentences, with kBreak between sentences. Its pairs are all (center,
// context) at positions at most `window` apart in one sentence, ordered by the position of the
// center, then of the context.
//
// tables [2, V, D]: v_c, the vectors of words as centers, then u_o, those of words as contexts.
// The functions are cold so that they stay small: only the loops over D are worth unrolling.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::skipgram {

inline constexpr std::int32_t kBreak = -1;

/// Counts the pairs of a text.
///
///   N = sum over t of |{s != t : |s - t| <= window, s in the sentence of t}|
///
/// Shapes    text [T], with breaks;  T may be 0
/// Cost      O(T) for any window
[[gnu::cold]] std::uint64_t count_pairs(std::span<const std::int32_t> text,
                                        std::size_t window) noexcept;

/// Writes pairs first, first + 1, ... of a text.
///
/// Shapes    out [n, 2]: the ids of the center and the context
/// Returns   kOk; kBadShape for pairs that the text does not have (nothing written)
[[gnu::cold]] Status pairs(std::span<const std::int32_t> text, std::size_t window,
                           std::uint64_t first, std::span<std::int32_t> out) noexcept;

/// Initializes the tables as word2vec does: v_c uniform on [-1/2D, 1/2D), u_o 0.
///
/// Shapes    tables [2, V, D];  D > 0
/// Returns   kOk; kBadShape
/// Source    Mikolov et al. 2013, word2vec.c, InitNet
[[gnu::cold]] Status init(std::span<float> tables, std::size_t D, std::uint64_t seed) noexcept;

/// Computes the distribution of the negatives from the counts of the words.
///
///   P(w) = count(w)^power / sum over w' of count(w')^power,  0 for words that do not occur
///   cumulative[w] = sum over w' <= w of max(1, P(w') 2^30, rounded down)
///
/// Shapes    text [T], cumulative [V]
/// Requires  power >= 0;  V <= 2^30
/// Returns   kOk; kBadParam; kBadIndex for an id outside 0 .. V-1 (cumulative is then undefined)
/// Accuracy  probabilities are multiples of about 2^-30; that of a word that occurs is not 0
/// Source    Mikolov et al. 2013, arXiv:1310.4546, section 2.2: power 3/4
[[gnu::cold]] Status noise(std::span<const std::int32_t> text, double power,
                           std::span<std::int32_t> cumulative) noexcept;

/// Draws the negatives of the n-th trained pair: words by P, under the condition that they differ
/// from the context of the pair.
///
///   x = floor(w (S - share) 2^-32),  S the sum of all shares, share that of the context,
///   w = word k mod 4 of Philox block k / 4,
///   key = seed, counter = (n, 2, k / 4): random weights have 0 in place of 2, dropout has 1
///
/// Shapes    cumulative [V], out [K];  K may be 0
/// Requires  context below V
/// Returns   the number of negatives: K, or 0 if no other word occurs. word2vec discards a draw of
///           the context; here the context is never drawn
[[gnu::cold]] std::size_t draw(std::span<const std::int32_t> cumulative, std::size_t context,
                               std::uint64_t seed, std::uint64_t n,
                               std::span<std::int32_t> out) noexcept;

/// The parameters of pairs and negatives.
struct Sampling {
  std::size_t window;
  std::uint64_t seed;
  std::span<const std::int32_t> cumulative;  // [V], from `noise` of the same text
};

/// The workspace of `train`: the id and the error of each of 1 + K words.
struct Workspace {
  std::span<std::int32_t> targets;
  std::span<double> errors;
};

/// Bits of `touched`: kCenter for the row of v, kContext for the row of u.
inline constexpr std::int32_t kCenter = 1;
inline constexpr std::int32_t kContext = 2;

/// Trains on `count` pairs, one after the other, each with its own K negatives, in place.
///
///   loss = -log sigma(u_o . v_c) - sum over k of log sigma(-u_k . v_c)
///   g_o = 1 - sigma(u_o . v_c)
///   g_k = -sigma(u_k . v_c)
///   u_j += rate g_j v_c
///   v_c += rate sum over j of g_j u_j,  j = o and all k
///
/// The right-hand sides have the values before the pair, so this is a step of gradient descent on
/// the loss of the pair. The n-th pair since the start of training is pair n mod N of the text.
///
/// Shapes    tables [2, V, D], text [T], work [1 + K], touched [V]
/// Units     first: the number of pairs trained before; rate >= 0
/// Requires  ids of the text in 0 .. V-1; nothing overlaps
/// Returns   kOk; kBadShape, kBadParam, kBadIndex (nothing written). Adds the loss of every pair,
///           before its step, to `loss`. Sets kCenter and kContext in `touched` for the rows that
///           it trained; the bits of all other rows are unchanged. A text without pairs changes
///           nothing
/// Accuracy  in double, with one float32 rounding for each number of a trained row (m roundings for
///           a word drawn m times). Bit-equal to `train_scalar`
/// Cost      for each pair (1 + K) times 6 D flops, an exponential and a logarithm; O(T) for each
///           call; no allocation
/// Source    Mikolov et al. 2013, arXiv:1310.4546, equation 4; Rong 2014, arXiv:1411.2738,
///           equations 59 to 61
Status train(std::span<float> tables, std::size_t D, std::span<const std::int32_t> text,
             const Sampling& sampling, std::uint64_t first, std::uint64_t count, double rate,
             const Workspace& work, std::span<std::int32_t> touched, double& loss) noexcept;

/// Defines `train`, one number at a time.
Status train_scalar(std::span<float> tables, std::size_t D, std::span<const std::int32_t> text,
                    const Sampling& sampling, std::uint64_t first, std::uint64_t count, double rate,
                    const Workspace& work, std::span<std::int32_t> touched, double& loss) noexcept;

/// Computes the sum of the expected losses of all pairs of a text, without drawing negatives.
///
///   out = sum over (c, o) of loss(c, o)
///   loss(c, o) = -log sigma(u_o . v_c)
///                - K sum over w != o of P(w | w != o) log sigma(-u_w . v_c)
///
/// Shapes    tables [2, V, D], text [T], sums [V] as workspace
/// Requires  ids of the text in 0 .. V-1
/// Returns   kOk; kBadShape, kBadIndex (nothing written); 0 for a text without pairs
/// Accuracy  in double
/// Cost      2 D (U^2 + N) flops for U distinct words; no allocation
/// Source    Mikolov et al. 2013, arXiv:1310.4546, equation 4
[[gnu::cold]] Status loss(std::span<const float> tables, std::size_t D,
                          std::span<const std::int32_t> text, const Sampling& sampling,
                          std::size_t negatives, std::span<double> sums, double& out) noexcept;

}  // namespace phasor::skipgram
