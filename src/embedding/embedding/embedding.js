/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
/** @import { FloatOut, Tensor, TensorInput } from "../../runtime/tensor.js" */
/** @import { SparseGradient, GradientOf } from "./gradients.js" */
/** @import { LookupOptions, WeightsOptions } from "./lookup.js" */
/** @import { StepOptions } from "./optimizer.js" */
/** @import { QuantizedTable, StoredRows } from "./quantized.js" */
/** @import { GradientOptions, Rules } from "./trainable.js" */
import * as check from "../../runtime/check.js";
import { readIds } from "../../runtime/ids.js";
import { beginLife, disposable } from "../../runtime/lifetime.js";
import { allocate, copyFloats, freeing } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { computedRows, readTable, registerTable, residentRows } from "../../runtime/table.js";
import { output } from "../../runtime/result.js";
import { guard } from "../../runtime/wasm.js";
import { DRAW, drawAll, drawnRows, readDraw } from "./draw.js";
import { readingMethods } from "./lookup.js";
import { memory } from "./optimizer.js";
import { DTYPE, quantizedTable, shapeOf } from "./quantized.js";
import { readRules, renormalizing, RULES, trainingMethods } from "./trainable.js";

const STORAGES = /** @type {const} */ (["resident", "on-demand"]);

/** Bytes of a number in each dtype. */
const BYTES = Object.freeze({ float64: 8, float32: 4, float16: 2, bfloat16: 2, int8: 1 });

const CREATE = option.optionSet(() => ({
  ...DRAW(),
  /** `resident`: kept in WASM memory. `on-demand`: each lookup draws its rows again (`philox` only). */
  storage: option.choice(STORAGES),
  ...RULES(),
}));

const FROM = option.optionSet(RULES);

const QUANTIZE = option.optionSet(DTYPE);

const ZEROS = option.optionSet(DTYPE);

const ONE_HOT = option.optionSet(() => ({
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * A table of V rows of D weights, one row for each token.
 * @typedef {object} EmbeddingTable
 * @property {number} vocabulary  V
 * @property {number} dim  D
 * @property {number} parameterCount  V * D
 * @property {number} byteLength  bytes of the weights as float32
 * @property {number | undefined} paddingIdx  the row that gets no gradient, from 0 on
 * @property {(dtype: keyof typeof BYTES) => number} byteLengthAs  bytes that the weights would take in
 *   another dtype
 * @property {(ids: number | TensorInput, options?: LookupOptions) => Tensor} lookup
 *   returns `scale * table[ids] + add`: float32 [...ids.shape, D]. Throws `TypeError` or `RangeError` for
 *   an id that is not a whole number from 0 to V-1, `DisposedError` after `dispose()`
 * @property {(ids: number | TensorInput, options?: OptionsOf<typeof ONE_HOT>) => Tensor} oneHot
 *   returns the same rows as the product one_hot(ids) x table with every product computed
 *   (2 V D operations for each token; for teaching)
 * @property {<Sparse extends boolean = false>(ids: number | TensorInput, gradOut: TensorInput, options?: GradientOptions<Sparse>) => GradientOf<Sparse>} gradient
 *   returns the gradient of the weights, given that of `lookup(ids, { scale, scaleDtype })`: row r is the
 *   sum of `scale * gradOut[t]` over the t with ids[t] = r, in their order, in double and rounded once.
 *   float32 [V, D], or {rows [R], values [R, D]} if sparse; the padding row gets none
 * @property {(gradient: TensorInput | SparseGradient | {rows: TensorInput, values: TensorInput}, options?: StepOptions) => void} step
 *   changes the weights by one step of an optimizer. Its state (velocity, moments, number of steps) stays
 *   with the table; another `optimizer` starts from zero
 * @property {(x: TensorInput, options?: OptionsOf<typeof ONE_HOT>) => Tensor} logits
 *   returns the logits of tied weights: the products of x [..., D] with every row, float32 [..., V], summed
 *   in double
 * @property {(options?: WeightsOptions) => Tensor} weights  returns a copy: float32 [V, D]
 * @property {() => void} dispose  frees the memory; further calls have no effect
 */

/**
 * Token embeddings: a table with a vector for each token.
 * @param {Core} core
 */
export function embedding(core) {
  const module = {
    /**
     * Creates a table of V rows of D random weights.
     *
     * @param {number} vocabulary  V
     * @param {number} dim  D
     * @param {OptionsOf<typeof CREATE>} [options]
     * @returns {EmbeddingTable} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @throws {OutOfMemoryError} if memory for the table cannot be allocated
     * @see Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3; Glorot and Bengio 2010;
     *   PyTorch's nn.Embedding
     * @example
     * const table = embedding.create(3, 2, { std: 0.02, seed: 1 });
     * table.lookup([2, 0]).shape
     * // [2, 2]
     * table.byteLength
     * // 24
     */
    create(vocabulary, dim, options = {}) {
      const V = check.integer(vocabulary, "vocabulary");
      const D = check.integer(dim, "dim");
      const { storage, ...given } = CREATE.read(options);
      const rules = readRules(given, V);
      const draw = readDraw(given, V, D);
      if (storage === "resident") {
        return residentTable(core, V, D, rules, drawAll(core, V, D, draw, rules.padding));
      }
      if (rules.limit) {
        throw new RangeError(`storage must be "resident" for maxNorm; got "${storage}"`);
      }
      if (draw.generator !== "philox") {
        throw new RangeError(
          'generator must be "philox" for storage "on-demand": only its rows can be drawn one by one; got "torch"',
        );
      }
      return drawnTable(core, V, D, rules, draw);
    },

    /**
     * Creates a table of given weights.
     *
     * @param {TableInput} weights  [V, D]; copied
     * @param {OptionsOf<typeof FROM>} [options]
     * @returns {EmbeddingTable} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if an argument has the wrong type, shape or range
     * @throws {OutOfMemoryError} if memory for the table cannot be allocated
     * @see PyTorch, torch.nn.Embedding.from_pretrained (padding, norms, gradients); Press and Wolf 2017, Using
     *   the output embedding, https://arxiv.org/abs/1608.05859 (tied logits); Kingma and Ba 2015,
     *   https://arxiv.org/abs/1412.6980 (Adam)
     * @example
     * const table = embedding.from([[1, 2], [3, 4], [5, 6]]);
     * table.lookup([2, 0]).toArray()
     * // [[5, 6], [1, 2]]
     * table.logits([1, 0]).toArray()
     * // [1, 3, 5]
     * const gradient = table.gradient([2, 0, 2], [[1, 0], [0, 1], [1, 0]], { sparse: true });
     * gradient.rows.toArray()
     * // [0, 2]
     * gradient.values.toArray()
     * // [[0, 1], [2, 0]]
     * table.step(gradient, { learningRate: 0.5 });
     * table.weights().toArray()
     * // [[1, 1.5], [3, 4], [4, 6]]
     */
    from(weights, options = {}) {
      const given = FROM.read(options);
      const rows = readTable(core, weights, "weights");
      const { N: V, D } = rows;
      if (V === 0) throw new RangeError(`weights must have at least one row; got [0, ${D}]`);
      return residentTable(core, V, D, readRules(given, V), (at) =>
        copyFloats(core, rows.place(0, V, at), V * D, at),
      );
    },

    /**
     * Quantizes weights to a smaller number format. GPT-2's 50,257 x 768 weights take 147 MiB as float32 and
     * 38 MiB as int8. The table cannot be trained.
     *
     * For each row w the table stores a bound of the error of the rounded row w', from which `nearest`
     * computes which results are certain for the original weights.
     *
     * @param {TableInput | StoredRows} weights  [V, D]; copied
     * @param {OptionsOf<typeof QUANTIZE>} [options]
     * @returns {QuantizedTable} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if an argument has the wrong type, shape or range
     * @throws {OutOfMemoryError} if memory for the table cannot be allocated
     * @see Dettmers et al. 2022, LLM.int8(), https://arxiv.org/abs/2208.07339, section 2.1 (absmax
     *   quantization)
     * @example
     * const table = embedding.quantize([[0, 0], [127, 50.4]], { dtype: "int8" });
     * table.lookup([0, 1]).toArray()
     * // [[0, 0], [127, 50]]
     */
    quantize(weights, options = {}) {
      const { dtype } = QUANTIZE.read(options);
      const [V, D] = shapeOf(core, weights);
      const table = quantizedTable(core, V, D, dtype);
      try {
        table.write(0, weights);
      } catch (cause) {
        table.dispose();
        throw cause;
      }
      return table;
    },

    /**
     * Creates a quantized table of zeros, whose rows are written later with `write`.
     *
     * @param {number} vocabulary  V
     * @param {number} dim  D
     * @param {OptionsOf<typeof ZEROS>} [options]
     * @returns {QuantizedTable} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @throws {OutOfMemoryError} if memory for the table cannot be allocated
     * @see Dettmers et al. 2022, LLM.int8(), https://arxiv.org/abs/2208.07339, section 2.1
     * @example
     * const table = embedding.zeros(3, 2, { dtype: "int8" });
     * table.write(1, [[127, 50.4], [-1, 0.5]]);
     * table.lookup([0, 1]).toArray()
     * // [[0, 0], [127, 50]]
     * nearest(table, [127, 51], { k: 1 }).ids.toArray()
     * // [1]
     */
    zeros(vocabulary, dim, options = {}) {
      const V = check.integer(vocabulary, "vocabulary");
      const D = check.integer(dim, "dim");
      return quantizedTable(core, V, D, ZEROS.read(options).dtype);
    },

    /**
     * Computes the one-hot rows of ids: 1 at the id, 0 elsewhere.
     *
     * @param {number | TensorInput} ids  whole numbers from 0 to V-1, of any shape
     * @param {number} vocabulary  V
     * @param {OptionsOf<typeof ONE_HOT>} [options]
     * @returns {Tensor} float32 [...ids.shape, V]
     * @throws {TypeError | RangeError} if an id is not a whole number from 0 to V-1
     * @see PyTorch, torch.nn.functional.one_hot
     * @example
     * embedding.oneHot([2, 0], 3).toArray()
     * // [[0, 0, 1], [1, 0, 0]]
     */
    oneHot(ids, vocabulary, options = {}) {
      const V = check.integer(vocabulary, "vocabulary");
      const { out } = ONE_HOT.read(options);
      const { data, shape } = readIds(ids, V);
      const result = output(out, [...shape, V]);
      const rows = result.data.fill(0);
      for (let t = 0; t < data.length; ++t) rows[t * V + data[t]] = 1;
      return result.done();
    },
  };
  return option.withOptions(module, {
    create: CREATE,
    from: FROM,
    quantize: QUANTIZE,
    zeros: ZEROS,
    oneHot: ONE_HOT,
  });
}

/**
 * @param {Core} core @param {number} V @param {number} D @param {Rules} rules
 * @param {(at: number) => void} fill  writes the weights at an address
 */
function residentTable(core, V, D, rules, fill) {
  const at = guard(core, () => allocate(core, `a table of ${V} x ${D}`, V * D * 4));
  const optimizer = memory(core, V, D, at);
  const free = freeingAll(freeing(core, at), optimizer.free);
  try {
    guard(core, () => fill(at));
  } catch (cause) {
    free();
    throw cause;
  }
  const { live, dispose } = beginLife("the embedding table", free);
  const trainable = {
    padding: rules.padding,
    ...(rules.limit && { renormalize: renormalizing(core, V, D, at, rules.limit) }),
  };
  return embeddingTable(core, { ...residentRows(V, D, at, live), trainable }, rules, dispose, {
    at,
    optimizer,
  });
}

/** Returns a function that calls both, for `beginLife`. @param {() => void} one @param {() => void} other */
function freeingAll(one, other) {
  return () => {
    one();
    other();
  };
}

/**
 * @param {Core} core @param {number} V @param {number} D @param {Rules} rules
 * @param {ReturnType<typeof readDraw>} draw
 */
function drawnTable(core, V, D, rules, draw) {
  const { live, dispose } = beginLife("the embedding table", () => {});
  const rows = computedRows(V, D, { ...drawnRows(core, D, draw, rules.padding), live });
  return embeddingTable(core, rows, rules, dispose, undefined);
}

/**
 * @param {Core} core @param {Rows} rows @param {Rules} rules @param {() => void} dispose
 * @param {import("./trainable.js").Kept | undefined} kept  undefined for storage "on-demand"
 * @returns {EmbeddingTable}
 */
function embeddingTable(core, rows, { padding }, dispose, kept) {
  const { N: V, D } = rows;
  /** @type {EmbeddingTable} */
  const table = {
    ...readingMethods(core, rows),
    byteLength: V * D * BYTES.float32,
    paddingIdx: padding < 0 ? undefined : padding,
    byteLengthAs(dtype) {
      const known = /** @type {(keyof typeof BYTES)[]} */ (Object.keys(BYTES));
      return V * D * BYTES[check.oneOf(dtype, "dtype", known)];
    },
    ...trainingMethods(core, rows, padding, kept),
    dispose,
  };
  registerTable(table, core, rows);
  return disposable("EmbeddingTable", table);
}
