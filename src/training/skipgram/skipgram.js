/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
import * as arrays from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { checkStatus, wrongShape } from "../../runtime/errors.js";
import { allocate, freeing, withMemory, put, take, tileRows } from "../../runtime/memory.js";
import { readIds } from "../../runtime/ids.js";
import { beginLife, disposable } from "../../runtime/lifetime.js";
import * as option from "../../runtime/options.js";
import { output } from "../../runtime/result.js";
import { Tensor } from "../../runtime/tensor.js";
import { halves } from "../../runtime/seed.js";
import { guard } from "../../runtime/wasm.js";

/** phasor::skipgram: the id between two sentences, and the bits of `touched`. */
const BREAK = -1;
const CENTER = 1;
const CONTEXT = 2;

const CREATE = option.optionSet(() => ({
  /** The largest distance in a sentence between the two words of a pair. */
  window: option.integer({ default: 2 }),
  /** The number K of negatives that are drawn for each pair. Without negatives nothing keeps the vectors apart. */
  negatives: option.integer({ default: 5, min: 0 }),
  /** The exponent of the word counts in the distribution of the negatives. With 0, all words that occur have the same probability. */
  power: option.number({ default: 0.75, min: 0 }),
  /** The seed of the initial vectors and of all draws. */
  seed: option.seed(),
}));

const TRAIN = option.optionSet(() => ({
  /** The number of passes over all pairs. Pass either `epochs` or `steps`. Default: 1. */
  epochs: option.integer({ min: 0 }),
  /** The number of pairs to train on. */
  steps: option.integer({ min: 0 }),
  /** The factor of each step. word2vec starts with 0.025. */
  learningRate: option.number({ default: 0.025, min: 0 }),
}));

const COPY = () => ({
  /** Filled instead of a new array. */
  out: option.out(),
});

const VECTORS = option.optionSet(COPY);
const CONTEXTS = option.optionSet(COPY);

/**
 * The ids of a text: of one sentence [T], of sentences of equal length [S, T], or a list of sentences of
 * any lengths.
 * @typedef {TensorInput | readonly TensorInput[]} Text
 */

/**
 * The result of one call of `train`.
 * @typedef {object} Training
 * @property {number} loss  the mean loss of the trained pairs, each computed before its step; NaN if there
 *   were none
 * @property {number} pairs  the number of trained pairs
 * @property {{vectors: Int32Array, contexts: Int32Array}} touched  ids, ascending: the rows of `vectors()`
 *   (the centers) and of `contexts()` (the contexts and negatives) that the call changed. The bits of all
 *   other rows are unchanged
 */

/**
 * A skip-gram model: two tables of V rows of D weights.
 * @typedef {object} SkipGram
 * @property {number} vocabulary  V
 * @property {number} dim  D
 * @property {(ids: Text) => Tensor<Int32Array>} pairs  returns the training pairs of a text: int32 [N, 2],
 *   (center, context), ordered by the position of the center, then of the context
 * @property {(ids: Text, options?: OptionsOf<typeof TRAIN>) => Training} train  trains both tables, one pair
 *   after the other. A call continues where the last one ended, including the draws: two calls are bit-equal
 *   to one call of the same total length. Besides its pairs a call takes time proportional to T + V
 * @property {(ids: Text) => number} loss  returns the expected mean loss of the pairs of a text, without
 *   drawing negatives; NaN if there are no pairs. It takes U^2 + N products of rows for U distinct words
 * @property {(options?: OptionsOf<typeof VECTORS>) => Tensor} vectors  returns a copy of v: float32 [V, D]
 * @property {(options?: OptionsOf<typeof CONTEXTS>) => Tensor} contexts  returns a copy of u: float32 [V, D]
 * @property {() => void} dispose  frees the memory; further calls have no effect
 */

/**
 * Skip-gram with negative sampling (Mikolov et al. 2013): vectors of words, trained to distinguish the words
 * near a word from random words.
 * @param {Core} core
 */
export function skipgram(core) {
  const { raw } = core;

  const module = {
    /**
     * Creates a model with random vectors of V words, to be trained on texts.
     *
     * For each pair (c, o), with K negatives drawn from P, and σ(x) = 1 / (1 + e^-x):
     *
     *     loss = -log σ(u_o · v_c) - Σ_k log σ(-u_k · v_c)
     *     P(w) = count(w)^power / Σ_w' count(w')^power,  counts of the text that is trained
     *     g_o = 1 - σ(u_o · v_c)
     *     g_k = -σ(u_k · v_c)
     *     u_j += learningRate * g_j * v_c
     *     v_c += learningRate * Σ_j g_j * u_j
     *
     * v are the rows of `vectors()` and u those of `contexts()`. As in word2vec, v is initially uniform on
     * [-1/2D, 1/2D) and u is 0. Unlike word2vec, the window is not shortened at random, frequent words are
     * not subsampled, σ is computed without a table, the learning rate does not decay, and a negative is
     * never equal to o. A text of one word has no negatives.
     * Accuracy: computed in double, each weight rounded once for each step.
     *
     * @param {number} vocabulary  V
     * @param {number} dim  D
     * @param {OptionsOf<typeof CREATE>} [options]
     * @returns {SkipGram} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @throws {OutOfMemoryError} if memory for the tables cannot be allocated
     * @see Mikolov, Sutskever, Chen, Corrado, Dean 2013, Distributed representations of words and
     *   phrases and their compositionality, https://arxiv.org/abs/1310.4546, section 2.2; Rong 2014,
     *   word2vec parameter learning explained, https://arxiv.org/abs/1411.2738, equations 59 to 61
     * @example
     * const model = skipgram.create(4, 8, { window: 1, negatives: 2 });
     * const text = [[0, 1, 2], [3, 1, 2]]; // two sentences
     * model.pairs(text).row(0).toArray()
     * // [0, 1]
     * model.train(text, { steps: 1 }).touched.vectors
     * // Int32Array(1) [ 0 ]
     * const before = model.loss(text);
     * model.train(text, { epochs: 200, learningRate: 0.1 }).pairs // 1600
     * model.loss(text) < before // true
     */
    create(vocabulary, dim, options = {}) {
      const V = check.integer(vocabulary, "vocabulary");
      const D = check.integer(dim, "dim");
      const { seed, ...rest } = CREATE.read(options);
      const sampling = { ...rest, seed: halves(seed) };
      const at = guard(core, () => allocate(core, `two tables of ${V} x ${D}`, 2 * V * D * 4));
      guard(core, () => checkStatus(raw.skipgram_init(at, V, D, ...sampling.seed)));
      return model(V, D, sampling, at);
    },
  };
  return option.withOptions(module, { create: CREATE });

  /**
   * @param {number} V @param {number} D
   * @param {{window: number, negatives: number, power: number, seed: [number, number]}} sampling
   * @param {number} at  the address of both tables
   * @returns {SkipGram}
   */
  function model(V, D, { window, negatives, power, seed }, at) {
    const { live, dispose } = beginLife("the skip-gram model", freeing(core, at));
    let trained = 0; // the number of trained pairs, which determines the next pair and draws

    /**
     * Copies a text and the shares of its words into WASM memory.
     * @param {Int32Array} text @param {readonly number[]} sizes  bytes of more memory
     * @param {(textAt: number, sharesAt: number, ...at: number[]) => void} use
     */
    const withText = (text, sizes, use) =>
      withMemory(core, [text.byteLength, V * 4, ...sizes], (textAt, sharesAt, ...more) => {
        put(core, text, textAt);
        checkStatus(raw.skipgram_noise(textAt, text.length, power, sharesAt, V));
        use(textAt, sharesAt, ...more);
      });

    /** @param {typeof VECTORS} optionSet @param {unknown} options @param {number} from  an address */
    const copy = (optionSet, options, from) => {
      live();
      const { out } = optionSet.read(options);
      const result = output(out, [V, D]);
      live(); // a getter among the arguments may have called dispose()
      guard(core, () => take(core, from, V * D, result.data));
      return result.done();
    };

    return disposable("SkipGram", {
      vocabulary: V,
      dim: D,

      pairs(ids) {
        live();
        const text = readText(ids, V);
        const T = text.length;
        return withMemory(core, [text.byteLength], (textAt) => {
          put(core, text, textAt);
          const N = raw.skipgram_count(textAt, T, window);
          const result = arrays.int32s(2 * N, `pairs of shape [${N}, 2]`);
          const step = tileRows(8, N);
          withMemory(core, [step * 8], (outAt) => {
            for (let from = 0; from < N; from += step) {
              const count = Math.min(step, N - from);
              checkStatus(raw.skipgram_pairs(textAt, T, window, from, count, outAt));
              take(core, outAt, 2 * count, result, 2 * from);
            }
          });
          return new Tensor(result, [N, 2]);
        });
      },

      train(ids, options = {}) {
        live();
        const { epochs, steps, learningRate } = TRAIN.read(options);
        if (epochs !== undefined && steps !== undefined) {
          throw new RangeError("epochs must not be given with steps; got both");
        }
        const text = readText(ids, V);
        const T = text.length;
        const size = 1 + negatives;
        /** @type {Training} */
        const result = { loss: NaN, pairs: 0, touched: { vectors: NONE, contexts: NONE } };
        live();
        withText(text, [size * 4, size * 8, V * 4, 8], (textAt, sharesAt, ...more) => {
          const [targetsAt, errorsAt, touchedAt, lossAt] = more;
          const N = raw.skipgram_count(textAt, T, window);
          const count = N === 0 ? 0 : (steps ?? (epochs ?? 1) * N);
          if (count === 0) return;
          raw.HEAPU8.fill(0, touchedAt, touchedAt + V * 4);
          raw.HEAPF64[lossAt / 8] = 0;
          const words = { tables: at, V, D, text: textAt, T, cumulative: sharesAt };
          const work = { targets: targetsAt, errors: errorsAt, targetsSize: size };
          const draws = { window, seedLow: seed[0], seedHigh: seed[1], first: trained, count };
          const results = { touched: touchedAt, loss: lossAt };
          const all = { ...words, ...work, ...draws, rate: learningRate, ...results };
          checkStatus(raw.skipgram_train(all));
          trained += count;
          const flags = raw.HEAP32.subarray(touchedAt / 4, touchedAt / 4 + V);
          const rowsWith = (/** @type {number} */ bit) =>
            Int32Array.from(flags.keys()).filter((id) => flags[id] & bit);
          result.loss = raw.HEAPF64[lossAt / 8] / count;
          result.pairs = count;
          result.touched = { vectors: rowsWith(CENTER), contexts: rowsWith(CONTEXT) };
        });
        return result;
      },

      loss(ids) {
        live();
        const text = readText(ids, V);
        const T = text.length;
        let mean = NaN;
        live();
        withText(text, [V * 8, 8], (text, cumulative, sums, out) => {
          const N = raw.skipgram_count(text, T, window);
          const places = { tables: at, text, cumulative, sums, out };
          checkStatus(raw.skipgram_loss({ ...places, V, D, T, window, negatives }));
          mean = raw.HEAPF64[out / 8] / N;
        });
        return mean;
      },

      vectors(options = {}) {
        return copy(VECTORS, options, at);
      },

      contexts(options = {}) {
        return copy(CONTEXTS, options, at + V * D * 4);
      },

      dispose,
    });
  }
}

const NONE = new Int32Array();

/**
 * Reads a text: its sentences one after the other, each followed by BREAK.
 * @param {unknown} ids @param {number} V
 * @returns {Int32Array}
 */
function readText(ids, V) {
  const nested = check.isList(ids) && hasSentences(ids);
  const sentences = nested
    ? Array.from(ids, (item, i) => readSentence(item, V, `ids[${i}]`))
    : readSentences(ids, V);
  const text = new Int32Array(
    sentences.reduce((sum, { length }) => sum + length, sentences.length),
  ).fill(BREAK);
  let at = 0;
  for (const sentence of sentences) {
    text.set(sentence, at);
    at += sentence.length + 1;
  }
  return text;
}

/** Whether a text is a list of sentences. A hole ends the search: it is refused with the ids. @param {any[]} ids */
function hasSentences(ids) {
  let i = 0;
  while (i < ids.length && ids[i] !== undefined && !(typeof ids[i] === "object" && ids[i])) ++i;
  return i < ids.length && ids[i] !== undefined;
}

/** @param {unknown} ids @param {number} V */
function readSentences(ids, V) {
  const { data, shape } = readIds(ids, V);
  if (shape.length !== 1 && shape.length !== 2) {
    throw wrongShape("ids", "[T] or [S, T]", shape);
  }
  const [S, T] = shape.length === 1 ? [1, shape[0]] : shape;
  return Array.from({ length: S }, (_, s) => data.subarray(s * T, (s + 1) * T));
}

/** @param {unknown} sentence @param {number} V @param {string} name */
function readSentence(sentence, V, name) {
  const { data, shape } = readIds(sentence, V, name);
  if (shape.length === 1) return data;
  throw wrongShape(name, "[T]", shape);
}
