/** @import { ShawTile } from "../../../runtime/bindings.js" */
/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../../runtime/tensor.js" */
/** @import { Heads } from "../../../runtime/heads.js" */
/** @import { Span } from "../../../runtime/span.js" */
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { checkStatus, wrongShape } from "../../../runtime/errors.js";
import { NONE, withMemory, put, take, tileRows } from "../../../runtime/memory.js";
import { readIds } from "../../../runtime/ids.js";
import * as option from "../../../runtime/options.js";
import { readSpan, relatives, spread } from "../../../runtime/span.js";
import { asFloat32 } from "../../../runtime/input.js";
import { apart, readHeads } from "../../../runtime/heads.js";
import { output, outputInt32 } from "../../../runtime/result.js";

/** In the order of the C++ enum. */
const SIDES = /** @type {const} */ (["queries", "keys"]);
const QUERIES = SIDES.indexOf("queries");

const gridOptions = () => ({
  /** The number of keys Tk. Default: `length`. */
  keys: option.integer({ min: 0 }),
  /** The position of the first query. Default: keys - length, so that the last query sees the last key. */
  offset: option.value(/** @type {number | undefined} */ (undefined)),
  /** Filled instead of a new array. */
  out: option.outInt32(),
});
const INDEX = option.optionSet(gridOptions);
const BERT_INDEX = option.optionSet(gridOptions);

const SCORES = option.optionSet(() => ({
  /** The row of the table for each pair [Tq, Tk], 0 .. R-1: from `shaw.index`, `shaw.bertIndex` or `deberta.index`. Required. */
  index: option.tensor(),
  /** Whether x holds queries or keys. */
  of: option.choice(SIDES),
  /** Multiplies the products. Use the scale of the logits if the model divides the sum: 1/sqrt(D) for BERT and Shaw et al. */
  scale: option.number({ default: 1 }),
  /** Other scores to add, of the shape of the result. */
  add: option.tensor(),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const VALUES = option.optionSet(() => ({
  /** The row of the table for each pair [Tq, Tk], 0 .. R-1: from `shaw.index`. Required. */
  index: option.tensor(),
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * Relative position representations: each pair of a query and a key selects a learned vector (Shaw et al.
 * 2018). BERT and DeBERTa use the same scores with another index.
 * @param {Core} core
 */
export function shaw(core) {
  const { raw } = core;

  const module = {
    /**
     * Computes Shaw's index of every pair: key minus query, clipped, counted from 0.
     *
     *     index[i, j] = min(max(position_j - position_i, -K), K) + K
     *
     * @param {number} length  queries Tq
     * @param {number} maxDistance  K; the table has 2K + 1 rows
     * @param {OptionsOf<typeof INDEX>} [options]
     * @returns {Tensor<Int32Array>} int32 [Tq, Tk]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Shaw et al. 2018, Self-attention with relative position representations,
     *   https://arxiv.org/abs/1803.02155, section 3.2
     * @example
     * shaw.index(3, 1).toArray()
     * // [[1, 2, 2], [0, 1, 2], [0, 0, 1]]
     */
    index(length, maxDistance, options = {}) {
      const { keys, offset, out } = INDEX.read(options);
      const K = check.integer(maxDistance, "maxDistance", 0, 2 ** 30 - 1);
      const span = readSpan(length, keys, offset);
      return indexOf(span, out, (r) => Math.min(Math.max(r, -K), K) + K);
    },

    /**
     * Computes BERT's index of every pair (`relative_key`, `relative_key_query`): query minus key,
     * counted from 0.
     *
     *     index[i, j] = position_i - position_j + M - 1
     *
     * @param {number} length  queries Tq
     * @param {number} maxLength  M, `max_position_embeddings`, above every distance; the table has
     *   2M - 1 rows
     * @param {OptionsOf<typeof BERT_INDEX>} [options]
     * @returns {Tensor<Int32Array>} int32 [Tq, Tk]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Huang et al. 2020, Improve transformer models with better relative position embeddings,
     *   https://arxiv.org/abs/2009.13658; huggingface/transformers, models/bert/modeling_bert.py
     * @example
     * shaw.bertIndex(2, 512).toArray()
     * // [[511, 510], [512, 511]]
     */
    bertIndex(length, maxLength, options = {}) {
      const { keys, offset, out } = BERT_INDEX.read(options);
      const M = check.integer(maxLength, "maxLength", 1, 2 ** 30);
      const span = readSpan(length, keys, offset);
      const { from, count } = relatives(span);
      const farthest = count === 0 ? 0 : Math.max(-from, from + count - 1);
      if (farthest >= M) {
        throw new RangeError(`maxLength must be above the largest distance, ${farthest}; got ${M}`);
      }
      return indexOf(span, out, (r) => M - 1 - r);
    },

    /**
     * Computes the part of the logits that a table of relative vectors gives: a `bias` for
     * `attention.scaledDotProduct`, which adds it to logits that are already scaled.
     *
     *     scores[i, j] = scale x_i . table[index[i, j]] + add[i, j]    of queries: Shaw, BERT, c2p
     *     scores[i, j] = scale x_j . table[index[i, j]] + add[i, j]    of keys: p2c, relative_key_query
     *
     * Inkling's relative logits are such scores, of its relative states [B, H, T, R] and of the index
     * `shaw.index(T, E)`, E = `rel_extent`: row E - d of the table is profile d, column d of `proj` [R, E], for
     * 0 <= d < E, and all other rows of the 2E + 1 are 0. In layers of full attention, the model multiplies queries and
     * relative states by 1 + alpha ln(max((position + 1) / floor, 1)), if its configuration has `log_scaling_n_floor`.
     *
     * Accuracy: in double, rounded once.
     *
     * @param {TensorInput} x  queries or keys [B, H, T, D], [H, T, D] or [T, D]
     * @param {TensorInput} table  [R, D] for all heads, or [H, R, D]
     * @param {OptionsOf<typeof SCORES>} options
     * @returns {Tensor} float32 [B, H, Tq, Tk], with the axes that x has
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Shaw et al. 2018, https://arxiv.org/abs/1803.02155, equation 5; transformers,
     *   models/inkling/modeling_inkling.py, InklingRelativeLogits
     * @example
     * const index = shaw.index(2, 1); // keys before, at and after the query: rows 0, 1, 2
     * shaw.scores([[1], [10]], [[1], [2], [3]], { index }).toArray()
     * // [[2, 3], [10, 20]]
     *
     * // Inkling with profiles [[1, 5]] of the distances 0 and 1: rows of the distances 2, 1, 0, -1, -2
     * const profiles = [[0], [5], [1], [0], [0]];
     * shaw.scores([[1], [2], [3]], profiles, { index: shaw.index(3, 2) }).toArray()
     * // [[1, 0, 0], [10, 2, 0], [0, 15, 3]]
     */
    scores(x, table, options) {
      const { index: rows, of, scale, add, out } = SCORES.read(options);
      const heads = readHeads(x, "x");
      const vectors = readVectors(table, "table", heads.H, heads.D);
      const side = SIDES.indexOf(of);
      const index = readIndex(rows, vectors.R);
      if (index.shape[side] !== heads.T) {
        const shape = side === QUERIES ? `[${heads.T}, keys]` : `[queries, ${heads.T}]`;
        throw wrongShape("index", shape, index.shape);
      }
      const shape = [...heads.lead, ...index.shape];
      const added = readOfShape(add, "add", shape);
      const result = output(out, shape);
      multiply(core, heads, vectors, index, { side, scale, add: added }, result.data);
      return result.done();
    },

    /**
     * Computes Shaw's part of the output, to be added to that of `attention.scaledDotProduct`.
     *
     *     values[i] = sum_j weights[i, j] table[index[i, j]]
     *
     * Accuracy: in double, rounded once.
     *
     * @param {TensorInput} weights  [B, H, Tq, Tk], [H, Tq, Tk] or [Tq, Tk], from
     *   `attention.scaledDotProduct`
     * @param {TensorInput} table  [R, D] for all heads, or [H, R, D]
     * @param {OptionsOf<typeof VALUES>} options
     * @returns {Tensor} float32 [B, H, Tq, D], with the axes that weights has
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Shaw et al. 2018, https://arxiv.org/abs/1803.02155, equation 3
     * @example
     * shaw.values([[0.5, 0.5]], [[1], [2], [4]], { index: [[1, 2]] }).toArray()
     * // [[3]]
     */
    values(weights, table, options) {
      const { index: rows, out } = VALUES.read(options);
      const heads = readHeads(weights, "weights");
      const { T: Tq, D: Tk } = heads;
      const vectors = readVectors(table, "table", heads.H);
      const { R, D } = vectors;
      const index = readIndex(rows, R);
      if (index.shape[0] !== Tq || index.shape[1] !== Tk) {
        throw wrongShape("index", `[${Tq}, ${Tk}], as weights`, index.shape);
      }
      const shape = [...heads.lead, Tq, D];
      const result = output(out, shape);
      const input = { data: heads.data, row: Tk };
      overQueries(core, heads, vectors, index, input, { result: result.data, row: D }, (T, ptr) =>
        raw.shaw_values(ptr.x, ptr.table, R, ptr.index, T, Tk, D, ptr.out),
      );
      return result.done();
    },
  };

  return option.withOptions(module, {
    index: INDEX,
    bertIndex: BERT_INDEX,
    scores: SCORES,
    values: VALUES,
  });
}

/**
 * An index that depends on key - query alone.
 * @param {Span} span @param {unknown} out @param {(r: number) => number} rule  of key - query
 */
function indexOf(span, out, rule) {
  const shape = [span.Tq, span.Tk];
  const result = outputInt32(out, shape);
  const { from, count } = relatives(span);
  const line = arrays.int32s(count, "index").map((_, k) => rule(from + k));
  spread(line, span, result.data);
  return result.done();
}

/** @param {unknown} value @param {number} R */
function readIndex(value, R) {
  const index = readIds(value, R, "index");
  if (index.shape.length !== 2) {
    throw wrongShape("index", "[Tq, Tk]", index.shape);
  }
  return index;
}

/**
 * Rows of vectors: [R, D] for all heads, or [H, R, D]; `step` is the distance between heads, 0 or R D.
 * @typedef {{data: Float32Array, R: number, D: number, step: number}} Vectors
 * @typedef {{data: Int32Array, shape: readonly number[]}} Index
 */

/**
 * @param {unknown} value @param {string} name @param {number} H @param {number} [width]  D, where known
 * @returns {Vectors}
 */
export function readVectors(value, name, H, width) {
  const { data, shape } = asFloat32(value, name);
  const [R, D] = shape.slice(-2);
  const fits = shape.length === 2 || (shape.length === 3 && shape[0] === H);
  if (!fits || D === 0 || D !== (width ?? D)) {
    const row = width ?? "D";
    throw wrongShape(name, `[R, ${row}] or [${H}, R, ${row}]`, shape);
  }
  return { data, R, D, step: shape.length === 2 ? 0 : R * D };
}

/** @param {unknown} value @param {string} name @param {number[]} shape */
function readOfShape(value, name, shape) {
  if (value === undefined) return undefined;
  const tensor = asFloat32(value, name);
  if (tensor.shape.join() !== shape.join()) {
    throw wrongShape(name, `[${shape.join(", ")}]`, tensor.shape);
  }
  return tensor.data;
}

/**
 * The products of `scores`, of arguments that were read.
 * @param {Core} core @param {Heads} heads @param {Vectors} vectors @param {Index} index
 * @param {{side: number, scale: number, add?: Float32Array}} options @param {Float32Array} result
 */
function multiply(core, heads, vectors, index, { side, scale, add }, result) {
  const { raw } = core;
  const { D } = heads;
  const [, Tk] = index.shape;
  const perQuery = side === QUERIES;
  const input = { data: heads.data, row: perQuery ? D : 0, whole: perQuery ? 0 : Tk * D };
  const added = { data: add ?? NONE, row: add ? Tk : 0 };
  const output = { result, row: Tk, add: added };
  overQueries(core, heads, vectors, index, input, output, (T, ptr) => {
    const rows = perQuery ? T : Tk;
    const { R } = vectors;
    return raw.shaw_scores({ at: ptr, rows, R, added: T * added.row, T, N: Tk, D, side, scale });
  });
}

/**
 * Run a kernel over the queries of every head, tile by tile, with the table and the index copied in.
 * @param {Core} core @param {{B: number, H: number}} heads @param {Vectors} vectors
 * @param {Index} index
 * @param {{data: Float32Array, row: number, whole?: number}} input  the numbers of each query (`row`) or
 *   of each head (`whole`)
 * @param {{result: Float32Array, row: number, add?: {data: Float32Array, row: number}}} output
 * @param {(T: number, at: ShawTile) => number} kernel
 */
function overQueries(core, { B, H }, vectors, index, input, output, kernel) {
  const { R, D, step: headStep } = vectors;
  const [Tq, Tk] = index.shape;
  const { result, row: width, add = { data: NONE, row: 0 } } = output;
  if (result.length === 0) return;
  const table = apart(vectors.data, result);
  const inputs = apart(input.data, result);
  const added = apart(add.data, result);
  const step = tileRows((Tk + input.row + width + add.row) * 4, Tq);
  const whole = input.whole ?? 0;
  const counts = [R * D, step * Tk, whole + step * input.row, step * add.row, step * width];
  const bytes = counts.map((count) => count * 4);
  withMemory(core, bytes, (...[tablePtr, indexPtr, inputPtr, addPtr, outPtr]) => {
    const ptr = { table: tablePtr, index: indexPtr, x: inputPtr, add: addPtr, out: outPtr };
    for (let n = 0; n < B * H; ++n) {
      const first = (n % H) * headStep;
      if (n === 0 || headStep > 0) put(core, table.subarray(first, first + R * D), tablePtr);
      if (whole > 0) put(core, inputs.subarray(n * whole, (n + 1) * whole), inputPtr);
      for (let t = 0; t < Tq; t += step) {
        const T = Math.min(step, Tq - t);
        const row = n * Tq + t;
        const tile = (/** @type {Float32Array} */ data, /** @type {number} */ size) =>
          data.subarray(row * size, (row + T) * size);
        put(core, index.data.subarray(t * Tk, (t + T) * Tk), indexPtr);
        if (input.row > 0) put(core, tile(inputs, input.row), inputPtr);
        if (add.row > 0) put(core, tile(added, add.row), addPtr);
        checkStatus(kernel(T, ptr));
        take(core, outPtr, T * width, result, row * width);
      }
    }
  });
}
