/** @import { Core, Raw } from "../../runtime/wasm.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import { allocate, freeing, withMemory, put, take, tileRows } from "../../runtime/memory.js";
import { readIds } from "../../runtime/ids.js";
import { beginLife, disposable } from "../../runtime/lifetime.js";
import { halves, readSeed } from "../../runtime/seed.js";
import { Tensor } from "../../runtime/tensor.js";
import { guard } from "../../runtime/wasm.js";

/** phasor::skipgram: what stands between two sentences, and the bits of `touched`. */
const BREAK = -1;
const CENTRE = 1;
const CONTEXT = 2;

/**
 * Ids of a text: of one sentence [T], of sentences of one length [S, T], or a list of sentences of
 * any lengths.
 * @typedef {TensorInput | readonly TensorInput[]} Text
 */

/**
 * @typedef {object} SkipGramOptions
 * @property {number} [window]  words at most this far apart in a sentence are a pair; default 2
 * @property {number} [negatives]  K, drawn for each pair; default 5; 0 leaves nothing that keeps
 *   vectors apart
 * @property {number} [power]  of the counts by which negatives are drawn, >= 0; default 0.75; 0:
 *   every word that occurs is as likely, 1: as it occurs
 * @property {number | bigint} [seed]  of the first vectors and of all draws, 0 .. 2^64-1; default 0
 */

/**
 * How far to train: by passes over all pairs or by single pairs, not both.
 * @typedef {object} TrainOptions
 * @property {number} [epochs]  passes; default 1
 * @property {number} [steps]  pairs
 * @property {number} [learningRate]  >= 0; default 0.025, which word2vec begins with
 */

/**
 * What one call of `train` did.
 * @typedef {object} Training
 * @property {number} loss  the mean over the pairs that were trained, each before its step; NaN if
 *   there were none
 * @property {number} pairs  how many they were
 * @property {{vectors: Int32Array, contexts: Int32Array}} touched  ids, ascending: rows of `vectors()`
 *   (of the centres) and of `contexts()` (of contexts and negatives) that took part. All other rows
 *   kept their bits
 */

/**
 * Two tables of V rows of D weights that are being trained.
 * @typedef {object} SkipGram
 * @property {number} vocabulary  V
 * @property {number} dim  D
 * @property {(ids: Text) => Tensor<Int32Array>} pairs  what a text trains: int32 [N, 2], (centre,
 *   context), by the centre's place, then the context's
 * @property {(ids: Text, options?: TrainOptions) => Training} train  change both tables, one pair
 *   after the other. The next call goes on where this one ended, draws included: two calls are the
 *   same as one as long as both, bit for bit. Besides its pairs a call takes time by T + V
 * @property {(ids: Text) => number} loss  the expected mean loss of a text's pairs, nothing drawn or
 *   changed; NaN if it has none. Takes U^2 + N products of rows for U distinct words
 * @property {(options?: {out?: Float32Array | Tensor}) => Tensor} vectors  v, a copy: float32 [V, D]
 * @property {(options?: {out?: Float32Array | Tensor}) => Tensor} contexts  u, a copy: float32 [V, D]
 * @property {() => void} dispose  give the memory back; twice does nothing
 */

/**
 * Skip-gram with negative sampling (Mikolov et al. 2013): vectors learn to tell the words that stand
 * near theirs from words drawn at random.
 * @param {Core} core
 */
export function skipgram(core) {
  const raw =
    /**
     * @type {Raw & {
     *   skipgram_count(text: number, T: number, window: number): number,
     *   skipgram_pairs(text: number, T: number, window: number, first: number, N: number,
     *     out: number): number,
     *   skipgram_init(tables: number, V: number, D: number, seedLow: number, seedHigh: number): number,
     *   skipgram_noise(text: number, T: number, power: number, cumulative: number, V: number): number,
     *   skipgram_train(tables: number, V: number, D: number, text: number, T: number, window: number,
     *     seedLow: number, seedHigh: number, cumulative: number, first: number, count: number,
     *     learningRate: number, targets: number, errors: number, size: number, touched: number,
     *     loss: number): number,
     *   skipgram_loss(tables: number, V: number, D: number, text: number, T: number, window: number,
     *     cumulative: number, negatives: number, sums: number, out: number): number,
     * }}
     */ (core.raw);

  return {
    /**
     * Begin with random vectors of V words, to be trained on texts.
     *
     * For each pair (c, o), with K negatives drawn from P, and σ(x) = 1 / (1 + e^-x):
     *
     *     loss = -log σ(u_o · v_c) - Σ_k log σ(-u_k · v_c)
     *     P(w) = count(w)^power / Σ_w' count(w')^power,  counts of the text that is trained
     *     u_j += learningRate * g_j * v_c,   v_c += learningRate * Σ_j g_j * u_j
     *     g_o = 1 - σ(u_o · v_c),  g_k = -σ(u_k · v_c)
     *
     * v are the rows of `vectors()`, on [-1/2D, 1/2D) at first, and u those of `contexts()`, 0 at
     * first, as word2vec has them. Unlike word2vec: windows are whole, no frequent word is left out,
     * σ is no table, the learning rate stays, and a negative is drawn from the words that are not o (a
     * text of one word has none). Accuracy: in double, each weight rounded once a step.
     *
     * @param {number} vocabulary  V
     * @param {number} dim  D
     * @param {SkipGramOptions} [options]
     * @returns {SkipGram} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @throws {OutOfMemoryError} if the tables do not fit
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
      const defaults = { window: 2, negatives: 5, power: 0.75, seed: 0 };
      const given = check.options(options, defaults, "skipgram.create");
      const setting = {
        window: check.integer(given.window, "window"),
        negatives: check.integer(given.negatives, "negatives", 0),
        power: check.finite(given.power, "power", "a number >= 0", (x) => x >= 0),
        seed: halves(readSeed(given.seed)),
      };
      const at = guard(core, () => allocate(core, `two tables of ${V} x ${D}`, 2 * V * D * 4));
      guard(core, () =>
        checkStatus(raw.skipgram_init(at, V, D, ...setting.seed), "skipgram.create"),
      );
      return model(V, D, setting, at);
    },
  };

  /**
   * @param {number} V @param {number} D
   * @param {{window: number, negatives: number, power: number, seed: [number, number]}} setting
   * @param {number} at  of both tables
   * @returns {SkipGram}
   */
  function model(V, D, { window, negatives, power, seed }, at) {
    const { live, dispose } = beginLife("the skip-gram model", freeing(core, at));
    let trained = 0; // pairs: where the text and the draws go on

    /**
     * Put a text and the shares of its words into memory.
     * @param {string} where @param {Int32Array} text @param {readonly number[]} sizes  of more pieces
     * @param {(textAt: number, sharesAt: number, ...at: number[]) => void} use
     */
    const withText = (where, text, sizes, use) =>
      withMemory(core, where, [text.byteLength, V * 4, ...sizes], (textAt, sharesAt, ...more) => {
        put(core, text, textAt);
        checkStatus(raw.skipgram_noise(textAt, text.length, power, sharesAt, V), where);
        use(textAt, sharesAt, ...more);
      });

    /** @param {string} where @param {unknown} options @param {number} from  an address */
    const copy = (where, options, from) => {
      live();
      const { out } = check.options(options, { out: undefined }, where);
      const result = check.destination(out, [V, D]);
      live(); // a getter among the arguments may have called dispose()
      guard(core, () => take(core, from, V * D, result));
      return new Tensor(result, [V, D]);
    };

    return disposable({
      vocabulary: V,
      dim: D,

      pairs(ids) {
        live();
        const where = "pairs";
        const text = readText(ids, V);
        const T = text.length;
        return withMemory(core, where, [text.byteLength], (textAt) => {
          put(core, text, textAt);
          const N = raw.skipgram_count(textAt, T, window);
          const result = check.int32s(2 * N, `pairs of shape [${N}, 2]`);
          const step = tileRows(8, N);
          withMemory(core, where, [step * 8], (outAt) => {
            for (let from = 0; from < N; from += step) {
              const count = Math.min(step, N - from);
              checkStatus(raw.skipgram_pairs(textAt, T, window, from, count, outAt), where);
              take(core, outAt, 2 * count, result, 2 * from);
            }
          });
          return new Tensor(result, [N, 2]);
        });
      },

      train(ids, options = {}) {
        live();
        const where = "train";
        const { epochs, steps, rate } = readTraining(options);
        const text = readText(ids, V);
        const T = text.length;
        const size = 1 + negatives;
        /** @type {Training} */
        const result = { loss: NaN, pairs: 0, touched: { vectors: NONE, contexts: NONE } };
        live();
        withText(where, text, [size * 4, size * 8, V * 4, 8], (textAt, sharesAt, ...more) => {
          const [targetsAt, errorsAt, touchedAt, lossAt] = more;
          const N = raw.skipgram_count(textAt, T, window);
          const count = N === 0 ? 0 : (steps ?? epochs * N);
          if (count === 0) return;
          raw.HEAPU8.fill(0, touchedAt, touchedAt + V * 4);
          raw.HEAPF64[lossAt / 8] = 0;
          checkStatus(
            raw.skipgram_train(
              ...[at, V, D, textAt, T, window, ...seed, sharesAt, trained, count, rate],
              ...[targetsAt, errorsAt, size, touchedAt, lossAt],
            ),
            where,
          );
          trained += count;
          const flags = raw.HEAP32.subarray(touchedAt / 4, touchedAt / 4 + V);
          const rows = (/** @type {number} */ bit) =>
            Int32Array.from(flags.keys()).filter((id) => flags[id] & bit);
          result.loss = raw.HEAPF64[lossAt / 8] / count;
          result.pairs = count;
          result.touched = { vectors: rows(CENTRE), contexts: rows(CONTEXT) };
        });
        return result;
      },

      loss(ids) {
        live();
        const where = "loss";
        const text = readText(ids, V);
        const T = text.length;
        let mean = NaN;
        live();
        withText(where, text, [V * 8, 8], (textAt, sharesAt, sumsAt, outAt) => {
          const N = raw.skipgram_count(textAt, T, window);
          checkStatus(
            raw.skipgram_loss(...[at, V, D, textAt, T, window, sharesAt, negatives, sumsAt, outAt]),
            where,
          );
          mean = raw.HEAPF64[outAt / 8] / N;
        });
        return mean;
      },

      vectors(options = {}) {
        return copy("vectors", options, at);
      },

      contexts(options = {}) {
        return copy("contexts", options, at + V * D * 4);
      },

      dispose,
    });
  }
}

const NONE = new Int32Array();

/** @param {unknown} options */
function readTraining(options) {
  const defaults = { epochs: undefined, steps: undefined, learningRate: 0.025 };
  const { epochs, steps, learningRate } = check.options(options, defaults, "train");
  if (epochs !== undefined && steps !== undefined) {
    throw new RangeError(`steps must be left out beside epochs; got ${check.describe(steps)}`);
  }
  return {
    epochs: epochs === undefined ? 1 : check.integer(epochs, "epochs", 0),
    steps: steps === undefined ? undefined : check.integer(steps, "steps", 0),
    rate: check.finite(learningRate, "learningRate", "a number >= 0", (x) => x >= 0),
  };
}

/**
 * Read a text: its sentences one after the other, BREAK between them.
 * @param {unknown} ids @param {number} V
 * @returns {Int32Array}
 */
function readText(ids, V) {
  const nested = Array.isArray(ids) && ids.some((item) => typeof item === "object" && item);
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

/** @param {unknown} ids @param {number} V */
function readSentences(ids, V) {
  const { data, shape } = readIds(ids, V);
  if (shape.length !== 1 && shape.length !== 2) {
    throw new RangeError(`ids must have shape [T] or [S, T]; got [${shape.join(", ")}]`);
  }
  const [S, T] = shape.length === 1 ? [1, shape[0]] : shape;
  return Array.from({ length: S }, (_, s) => data.subarray(s * T, (s + 1) * T));
}

/** @param {unknown} sentence @param {number} V @param {string} name */
function readSentence(sentence, V, name) {
  const { data, shape } = readIds(sentence, V, name);
  if (shape.length === 1) return data;
  throw new RangeError(`${name} must have shape [T]; got [${shape.join(", ")}]`);
}
