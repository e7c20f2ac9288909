// Hashed n-grams: which rows of a model's n-gram tables belong to each token.
//
// B sequences of N tokens, of which the first P are in the cache; K tables.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "math/status.h"

namespace phasor::ngram_ids {

/// The longest n-gram.
inline constexpr std::size_t kLongest = 64;

/// The primes that a table's rows are counted by are from here on at most.
inline constexpr double kLargest = 1 << 30;

/// The most tables, those of earlier layers included.
inline constexpr std::size_t kMostTables = 4096;

/// Sequences, and what each token sees: c[s] for the token s places before it.
///
///   c[0] = ids[t]
///   c[s] = ids[t - s], or fill where t - s < 0, breaks[t - s .. t - 1] has one that is not 0, or
///   breaks[t] is 2
struct Sequences {
  std::span<const std::int32_t> ids;     // [B, N]
  std::span<const std::int32_t> breaks;  // [B, N]: 0; 1 at an end; 2 at an excluded token
  std::size_t N, past;
  std::size_t longest;  // n
  std::int32_t fill;
};

/// Writes the primes from a number on.
///
/// Returns   kOk; kBadParam if from is not in 0 .. kLargest, or there are more than kMostTables
/// Cost      sqrt(p) / 2 remainders a prime; no allocation
Status primes(double from, std::span<std::int32_t> out) noexcept;

/// Writes the rows of XOR hashes (Qwen4-Exp, DeepSeek's Engram).
///
///   h[g] = c[0] m[0] ^ ... ^ c[g - 1] m[g - 1], in 64 bits with a sign
///   out[b, t, k] = h[2 + floor(k (n - 1) / K)] mod sizes[k] + sizes[0] + ... + sizes[k - 1]
///
/// Shapes    multipliers [n, 2], low and high words; sizes [K], a multiple of n - 1; out [B, N - P, K]
/// Requires  1 < n <= kLongest, sizes > 0 and below 2^31 together
/// Returns   kOk; kBadShape
/// Cost      n multiplications a token, K remainders; no allocation
/// Source    transformers, models/qwen4_exp/modeling_qwen4_exp.py; deepseek-ai/Engram,
///           engram_demo_v1.py
Status mixed(const Sequences& of, std::span<const std::int32_t> multipliers,
             std::span<const std::int32_t> sizes, std::span<std::int32_t> out) noexcept;

/// Writes the rows of polynomial hashes of the newest token first (LongCat).
///
///   out[b, t, k] = (sum over s < g of c[s] (vocabulary^s mod sizes[k])) mod sizes[k],
///   g = 2 + floor(k (n - 1) / K), the sum in 64 bits with a sign
///
/// Shapes    sizes [K], a multiple of n - 1; out [B, N - P, K], a row of the k-th table each
/// Requires  1 < n <= kLongest, sizes > 0, vocabulary <= 2^29
/// Returns   kOk; kBadShape
/// Source    meituan-longcat/LongCat-Flash-Lite, modeling_longcat_ngram.py
Status powers(const Sequences& of, double vocabulary, std::span<const std::int32_t> sizes,
              std::span<std::int32_t> out) noexcept;

/// Writes the rows of polynomial hashes of the oldest token first (BLT). Tokens before the first are 0.
///
///   out[b, t, f G + i] = (sum over j < g of ids[t - g + 1 + j] p_f^j) mod buckets
///                        + (f G + i) buckets, g = groups[i], the sum in 64 bits with a sign
///
/// p_f is the f-th of BLT's 11 primes, which repeat.
///
/// Shapes    ids [B, N], groups [G], out [B, N - P, K], K a multiple of G
/// Requires  groups > 0; 0 < K buckets < 2^31
/// Returns   kOk; kBadShape
/// Source    Pagnoni et al. 2024, Byte latent transformer, arXiv:2412.09871, section 3.2.1;
///           transformers, models/blt/modeling_blt.py
Status rolling(std::span<const std::int32_t> ids, std::size_t N, std::size_t past,
               std::span<const std::int32_t> groups, std::int32_t buckets,
               std::span<std::int32_t> out) noexcept;

}  // namespace phasor::ngram_ids
