/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../runtime/tensor.js" */
import * as check from "../../runtime/check.js";
import { readIds } from "../../runtime/ids.js";
import * as option from "../../runtime/options.js";
import { compressed } from "./compressed.js";
import * as rows from "./rows.js";

/** The largest vocabulary: NumPy draws the multipliers of much larger ones in another way. */
const VOCABULARY = 2 ** 29;

/** The most rows of one table, from which the next primes are found. */
const BUCKETS = 2 ** 30;

/** The longest n-gram. */
const LONGEST = 64;

/** Added to the seed for each layer. */
const OF_LAYER = 10007;

const COMMON = () => ({
  /** The number of ids at the front of each sequence that are in the cache: they are seen but have no rows in the result. The last `size` - 1 ids suffice. */
  past: option.integer({ default: 0, min: 0 }),
  /** Filled instead of a new array. */
  out: option.outInt32(),
});

const QWEN4 = option.optionSet(() => ({
  /** The id that ends a text: `eos_token_id`, the first of a list. N-grams do not reach over it, and it precedes the first token. Required. */
  eos: option.integer({ min: 0 }),
  /** The place of the layer in `ple_layer_ids`, from 0. */
  layer: option.integer({ default: 0, min: 0 }),
  /** The number of ids: `vocab_size`. */
  vocabulary: option.integer({ default: 248320, max: VOCABULARY }),
  /** The least number of rows of a table: `ngram_vocab_size_base`. */
  buckets: option.integer({ default: 20_000_000, max: BUCKETS }),
  /** The tokens of the longest n-gram: `ngram_size`. */
  size: option.integer({ default: 3, min: 2, max: LONGEST }),
  /** The number of tables for each length: `heads_per_ngram`. */
  heads: option.integer({ default: 8 }),
  /** The seed of the multipliers: `seed`. */
  seed: option.integer({ default: 1234, min: 0 }),
  /** Which ids are tokens [..., T]: false or 0 for padding, which is taken for `eos`. */
  mask: option.tensor(),
  ...COMMON(),
}));

const DEEPSEEK = option.optionSet(() => ({
  /** The compressed id of each id [V], since tokens of one text in other letters share n-grams. Without it, ids are compressed ones. */
  map: option.tensor(),
  /** The id before the first token: `engram_pad_token_id`. */
  pad: option.integer({ default: 2, min: 0 }),
  /** The layers with n-grams: `engram_layer_ids`. Default: [1, 14]. */
  layers: option.tensor(),
  /** The place of the layer in `layers`, from 0. */
  layer: option.integer({ default: 0, min: 0 }),
  /** The number of compressed ids: `engram_compressed_vocab_size`. */
  vocabulary: option.integer({ default: 99092, max: VOCABULARY }),
  /** The least number of rows of a table: `engram_vocab_size`. */
  buckets: option.integer({ default: 16_000_000, max: BUCKETS }),
  /** The tokens of the longest n-gram: `engram_max_ngram_size`. */
  size: option.integer({ default: 4, min: 2, max: LONGEST }),
  /** The number of tables for each length: `engram_n_heads`. */
  heads: option.integer({ default: 8 }),
  /** The seed of the multipliers. */
  seed: option.integer({ default: 0, min: 0 }),
  /** Which ids are tokens [..., T]: false or 0 for those of images, which have no n-grams and over which none reaches. */
  mask: option.tensor(),
  ...COMMON(),
}));

const LONGCAT = option.optionSet(() => ({
  /** The id that ends a text: `eos_token_id`. N-grams do not reach over it. */
  eos: option.integer({ default: 2, min: 0 }),
  /** The number of ids: `vocab_size`, in LongCat-Next `text_vocab_size`. */
  vocabulary: option.integer({ default: 131072, max: VOCABULARY }),
  /** The rows of a table as a multiple of the number of ids: `ngram_vocab_size_ratio`. */
  ratio: option.integer({ default: 78 }),
  /** The tokens of the longest n-gram: `emb_neighbor_num`. */
  size: option.integer({ default: 4, min: 2, max: LONGEST }),
  /** The number of tables for each length: `emb_split_num`. */
  heads: option.integer({ default: 4 }),
  /** The ids that LongCat-Next leaves out: `oe_ignored_token_ids`. They count as 0, over which n-grams do not reach, and row 0 of a result adds nothing. Without the list, the rule of LongCat-Flash-Lite, which has no such ids. */
  ignored: option.tensor(),
  ...COMMON(),
}));

const BLT = option.optionSet(() => ({
  /** The number of rows of each table: `encoder_hash_byte_group_vocab`. */
  buckets: option.integer({ default: 500_002 }),
  /** The lengths of the n-grams: `encoder_hash_byte_group_size`. Default: [3, 4, 5, 6, 7, 8]. */
  groups: option.tensor(),
  /** The number of hashes for each length: `encoder_hash_byte_group_nb_functions`. */
  functions: option.integer({ default: 1 }),
  ...COMMON(),
}));

/**
 * The rows of hashed n-gram tables: which rows of a model's tables belong to each token, by the token and those before
 * it. No file has these numbers, and a model with wrong ones answers, but worse.
 *
 * The module is in the entry `phasor/ngrams`, which has a separate core. `embedding.lookup` of phasor gathers the rows.
 * @param {Core} core
 */
export function ngramIds(core) {
  const module = {
    /**
     * Computes the rows of Qwen4-Exp's tables, which enter at the layers of `ple_layer_ids`.
     *
     *     h_g = id[t] m_0 xor id[t - 1] m_1 xor ... xor id[t - g + 1] m_(g-1)        for g = 2 .. size
     *     row[t, k] = h_g mod p_k + p_0 + ... + p_(k-1)                            for `heads` tables k of each g
     *
     * p are the next primes from `buckets` on, those of earlier layers first; m are odd numbers drawn by splitmix64 from
     * the seed and the layer, at most 2^63 / vocabulary. Ids before the first, and those up to the last `eos` before
     * t, are `eos`. Products and remainders are those of 64-bit integers with a sign, so of larger ids too.
     *
     * @param {TensorInput} ids  [..., T]
     * @param {OptionsOf<typeof QWEN4>} options
     * @returns {Tensor<Int32Array>} int32 [..., T - past, (size - 1) heads], rows of one table of all p_k together, whose
     *   number the file rounds up to a multiple of `make_ngram_vocab_size_divisible_by`
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see transformers, models/qwen4_exp/modeling_qwen4_exp.py, Qwen4ExpTextNGramEmbedding
     * @example
     * const rows = ngramIds.qwen4([1, 2], { eos: 0, vocabulary: 10, buckets: 5, size: 2, heads: 2 });
     * rows.toArray() // [[4, 6], [3, 9]]
     * embedding.create(12, 4).lookup(rows).shape // [2, 2, 4]
     */
    qwen4(ids, options) {
      const { eos, mask, past, seed, out, ...tables } = QWEN4.read(options);
      const end = check.integer(eos, "eos", 0);
      const { data, shape } = rows.readSequences(ids, past);
      const isToken = rows.readTokens(mask, shape);
      const tokens = isToken ? data.map((id, t) => (isToken[t] ? id : end)) : data;
      const breaks = tokens.map((id) => (id === end ? rows.END_OF_TEXT : rows.OPEN));
      const of = { ids: tokens, breaks, shape, past };
      return rows.mixed(core, of, end, rows.SPLITMIX, seed + OF_LAYER * tables.layer, tables, out);
    },

    /**
     * Computes the rows of DeepSeek's Engram (V4.1): XOR hashes of compressed ids.
     *
     *     h_g = c[t] m_0 xor c[t - 1] m_1 xor ... xor c[t - g + 1] m_(g-1)           for g = 2 .. size, c = map[id]
     *     row[t, k] = h_g mod p_k + p_0 + ... + p_(k-1)                            for `heads` tables k of each g
     *
     * p are the next primes from `buckets` on, those of earlier layers first; m are odd numbers that NumPy draws from the
     * seed and the layer's number: `default_rng(seed + 10007 layer).integers(0, floor(2^63 / vocabulary / 2)) 2 + 1`.
     * Before the first token, and for one that the mask excludes, the id is map[pad].
     *
     * @param {TensorInput} ids  [..., T]
     * @param {OptionsOf<typeof DEEPSEEK>} [options]
     * @returns {Tensor<Int32Array>} int32 [..., T - past, (size - 1) heads], rows of one table of all p_k together;
     *   those of excluded tokens are the padding's, and the model does not look them up
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Cheng et al. 2026, Conditional memory via scalable lookup, https://github.com/deepseek-ai/Engram, engram_demo_v1.py
     * @example
     * ngramIds.deepseek([1, 2], { vocabulary: 10, buckets: 5, size: 2, heads: 2 }).toArray()
     * // [[3, 9], [3, 10]]
     */
    deepseek(ids, options = {}) {
      const { map, pad, layers, mask, past, seed, out, ...tables } = DEEPSEEK.read(options);
      const numbers = rows.readList(layers, "layers", [1, 14], 0, rows.END);
      const number = numbers[check.integer(tables.layer, "layer", 0, numbers.length - 1)];
      const all = map === undefined ? undefined : readIds(map, tables.vocabulary, "map").data;
      const { data, shape } = rows.readSequences(ids, past, all?.length);
      check.integer(pad, "pad", 0, (all?.length ?? rows.END) - 1);
      const fill = all ? all[pad] : pad;
      const isToken = rows.readTokens(mask, shape) ?? data.map(() => 1);
      const tokens = data.map((id, t) => (!isToken[t] ? fill : all ? all[id] : id));
      const breaks = isToken.map((is) => (is ? rows.OPEN : rows.EXCLUDED));
      const of = { ids: tokens, breaks, shape, past };
      return rows.mixed(core, of, fill, rows.NUMPY, seed + OF_LAYER * number, tables, out);
    },

    /**
     * Computes the compressed ids of DeepSeek's Engram: tokens whose texts differ in case, accents, forms of letters or
     * white space have one.
     *
     *     key = NFKC, then NFD, without nonspacing marks, in lower case, runs of white space as a space, trimmed;
     *           " " stays; the text itself where nothing remains; the token where the text has U+FFFD
     *     map[id] = the number of different keys before the first id that has its key
     *
     * The tables of Unicode are the host's. Tokens of new scripts may have other forms in an old one.
     *
     * @param {readonly string[]} texts  what each id alone decodes to, special tokens included
     * @param {readonly string[]} [tokens]  each id as the vocabulary has it, for parts of characters, whose texts have U+FFFD
     * @returns {Tensor<Int32Array>} int32 [V]; the largest is `engram_compressed_vocab_size` - 1
     * @throws {TypeError | RangeError} if an argument has the wrong type, or a token is missing
     * @see deepseek-ai/Engram, engram_demo_v1.py, CompressedTokenizer
     * @example
     * ngramIds.deepseekMap(["The", " the", "é", "e", " "]).toArray()
     * // [0, 0, 1, 1, 2]
     */
    deepseekMap(texts, tokens) {
      return compressed(texts, tokens);
    },

    /**
     * Computes the rows of LongCat's tables (LongCat-Flash-Lite, LongCat-Next): polynomial hashes.
     *
     *     row[t, k] = (id[t] + id[t - 1] (V mod n_k) + ... + id[t - g + 1] (V^(g-1) mod n_k)) mod n_k
     *
     * The k-th table has n_k = ratio V + 2k + 1 rows, V = vocabulary; `heads` tables belong to each length g = 2 .. size.
     * Ids before the first, and those up to the last `eos` before t, are 0.
     *
     * @param {TensorInput} ids  [..., T]
     * @param {OptionsOf<typeof LONGCAT>} [options]
     * @returns {Tensor<Int32Array>} int32 [..., T - past, (size - 1) heads], in each column the rows of a separate table
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Liu et al. 2026, Scaling embeddings outperforms scaling experts in language models,
     *   https://arxiv.org/abs/2601.21204; meituan-longcat/LongCat-Flash-Lite, modeling_longcat_ngram.py
     * @example
     * ngramIds.longcat([5, 3], { vocabulary: 10, ratio: 10, size: 2, heads: 2 }).toArray()
     * // [[5, 5], [53, 53]]
     */
    longcat(ids, options = {}) {
      const { eos, vocabulary, ratio, size, heads, ignored, past, out } = LONGCAT.read(options);
      const K = (size - 1) * heads;
      rows.checkTables(K, "heads");
      const least = ratio * vocabulary + 1;
      rows.checkRows(least + 2 * K, "ratio");
      const { data, shape } = rows.readSequences(ids, past);
      const none =
        ignored === undefined ? undefined : new Set(readIds(ignored, rows.END, "ignored").data);
      const tokens = none ? data.map((id) => (none.has(id) ? 0 : id)) : data;
      const breaks = tokens.map((id) => {
        if (none && id === 0) return rows.EXCLUDED;
        return id === eos ? rows.END_OF_TEXT : rows.OPEN;
      });
      const tables = Int32Array.from({ length: K }, (_, k) => least + 2 * k);
      return rows.powers(core, { ids: tokens, breaks, shape, past }, vocabulary, size, tables, out);
    },

    /**
     * Computes the rows of the Byte Latent Transformer's tables: polynomial hashes of groups of bytes.
     *
     *     row[t, k] = (id[t - g + 1] + id[t - g + 2] p + ... + id[t] p^(g-1)) mod buckets + k buckets
     *
     * k counts the lengths g of `groups` for each hash function, whose prime is p: 1000000007, 5915587277, ... . The sum is
     * that of 64-bit integers with a sign, and the remainder is not negative. Ids before the first are 0.
     *
     * The ids are the model's, bytes + 4. transformers hashes the ids of one call, without those in its cache.
     *
     * @param {TensorInput} ids  [..., T]
     * @param {OptionsOf<typeof BLT>} [options]
     * @returns {Tensor<Int32Array>} int32 [..., T - past, functions groups], rows of one table
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Pagnoni et al. 2024, Byte latent transformer, https://arxiv.org/abs/2412.09871, section 3.2.1; transformers,
     *   models/blt/modeling_blt.py, compute_hash_embeddings
     * @example
     * ngramIds.blt([1, 2], { buckets: 10, groups: [1, 2] }).toArray()
     * // [[1, 17], [2, 15]]
     */
    blt(ids, options = {}) {
      const { buckets, groups, functions, past, out } = BLT.read(options);
      const lengths = rows.readList(groups, "groups", [3, 4, 5, 6, 7, 8], 1, LONGEST + 1);
      const K = functions * lengths.length;
      rows.checkTables(K, "functions");
      rows.checkRows(buckets * K, "buckets");
      const { data, shape } = rows.readSequences(ids, past);
      const of = { ids: data, breaks: new Int32Array(data.length), shape, past };
      return rows.rolling(core, of, lengths, K, buckets, out);
    },
  };
  return option.withOptions(module, {
    qwen4: QWEN4,
    deepseek: DEEPSEEK,
    longcat: LONGCAT,
    blt: BLT,
  });
}
