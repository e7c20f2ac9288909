/** @import { Core, Raw } from "../../../runtime/wasm.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
/** @import { Heads } from "../../../attention/attention/heads.js" */
import * as check from "../../../runtime/check.js";
import { checkStatus } from "../../../runtime/errors.js";
import { withMemory, put, take, tileRows } from "../../../runtime/memory.js";
import { readIds } from "../../../runtime/ids.js";
import { readSpan } from "../../../runtime/span.js";
import { asFloat32, Tensor } from "../../../runtime/tensor.js";
import { apart, readHeads } from "../../../attention/attention/heads.js";

/** In the order of the C++ enum. */
const SIDES = /** @type {const} */ (["queries", "keys"]);

const QUERIES = 0;

/**
 * @typedef {object} GridOptions
 * @property {number} [keys]  Tk; default: the length
 * @property {number} [offset]  position of the first query; default keys - length, so that the last
 *   query stands at the last key
 * @property {Int32Array | Tensor<Int32Array>} [out]  filled instead of a new array
 */

const GRID = Object.freeze({ keys: undefined, offset: undefined, out: undefined });

/**
 * Relative position representations (Shaw et al. 2018): every pair of query and key selects a learned
 * vector.
 * @param {Core} core
 */
export function shaw(core) {
  const raw =
    /**
     * @type {Raw & {
     *   shaw_scores(...numbers: number[]): number,
     *   shaw_values(...numbers: number[]): number,
     * }}
     */ (core.raw);

  return {
    /**
     * Shaw's index of every pair: key minus query, clipped, counted from 0.
     *
     *     index[i, j] = min(max(position_j - position_i, -K), K) + K
     *
     * @param {number} length  queries Tq
     * @param {number} maxDistance  K; the table has 2K + 1 rows
     * @param {GridOptions} [options]
     * @returns {Tensor<Int32Array>} int32 [Tq, Tk]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Shaw et al. 2018, Self-attention with relative position representations,
     *   https://arxiv.org/abs/1803.02155, section 3.2
     * @example
     * shaw.index(3, 1).toArray()
     * // [[1, 2, 2], [0, 1, 2], [0, 0, 1]]
     */
    index(length, maxDistance, options = {}) {
      const K = check.integer(maxDistance, "maxDistance", 0, 2 ** 30 - 1);
      const grid = readGrid(length, check.options(options, GRID, "shaw.index"));
      return filled(grid, (distance) => Math.min(Math.max(-distance, -K), K) + K);
    },

    /**
     * BERT's index of every pair (`shaw_key`, `shaw_key_query`): query minus key, from 0.
     *
     *     index[i, j] = position_i - position_j + M - 1
     *
     * @param {number} length  queries Tq
     * @param {number} maxLength  M, `max_position_embeddings`: all distances must be below it; the
     *   table has 2M - 1 rows
     * @param {GridOptions} [options]
     * @returns {Tensor<Int32Array>} int32 [Tq, Tk]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Huang et al. 2020, Improve transformer models with better relative position embeddings,
     *   https://arxiv.org/abs/2009.13658; huggingface/transformers, models/bert/modeling_bert.py
     * @example
     * shaw.bertIndex(2, 512).toArray()
     * // [[511, 510], [512, 511]]
     */
    bertIndex(length, maxLength, options = {}) {
      const M = check.integer(maxLength, "maxLength", 1, 2 ** 30);
      const grid = readGrid(length, check.options(options, GRID, "shaw.bertIndex"));
      if (grid.farthest >= M) {
        throw new RangeError(
          `maxLength must be above every distance, up to ${grid.farthest} here; got ${M}`,
        );
      }
      return filled(grid, (distance) => distance + M - 1);
    },

    /**
     * The part of the logits that a table of relative vectors gives: a `bias` for `attention.scaledDotProduct`.
     *
     *     scores[i, j] = scale x_i . table[index[i, j]] + add[i, j]       of "queries": Shaw, BERT, c2p
     *     scores[i, j] = scale x_j . table[index[i, j]] + add[i, j]       of "keys": p2c, key_query
     *
     * Logits are scaled before the bias is added: `scale` has to be theirs where the model divides
     * the sum, 1/sqrt(D) for BERT and for Shaw et al.
     * Accuracy: everything in double, rounded once.
     *
     * @param {TensorInput} x  queries or keys [B, H, T, D], [H, T, D] or [T, D]; not changed
     * @param {TensorInput} table  [R, D] for all heads, or [H, R, D]
     * @param {object} options
     * @param {TensorInput} options.index  [Tq, Tk], from `index`, `bertIndex`, `deberta.index`: 0 .. R-1
     * @param {"queries" | "keys"} [options.of]  whose rows x holds; default `queries`
     * @param {number} [options.scale]  default 1
     * @param {TensorInput} [options.add]  another such part, of the result's shape
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32 [B, H, Tq, Tk], with the axes that x has; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Shaw et al. 2018, https://arxiv.org/abs/1803.02155, equation 5
     * @example
     * const index = shaw.index(2, 1); // keys before, at and after the query: rows 0, 1, 2
     * shaw.scores([[1], [10]], [[1], [2], [3]], { index }).toArray()
     * // [[2, 3], [10, 20]]
     */
    scores(x, table, options) {
      const where = "shaw.scores";
      const defaults = {
        index: undefined,
        of: "queries",
        scale: 1,
        add: undefined,
        out: undefined,
      };
      const given = check.options(options, defaults, where);
      const rows = readHeads(x, "x");
      const vectors = readVectors(table, "table", rows.H, rows.D);
      const side = SIDES.indexOf(check.oneOf(given.of, "of", SIDES));
      const index = readIndex(given.index, vectors.R);
      if (index.shape[side] !== rows.T) {
        const shape = side === QUERIES ? `[${rows.T}, keys]` : `[queries, ${rows.T}]`;
        throw new RangeError(`index must have shape ${shape}; got [${index.shape.join(", ")}]`);
      }
      const scale = check.finite(given.scale, "scale");
      const shape = [...rows.lead, ...index.shape];
      const add = readLike(given.add, "add", shape);
      const result = check.destination(given.out, shape);
      multiply(where, rows, vectors, index, { side, scale, add }, result);
      return new Tensor(result, shape);
    },

    /**
     * What the weights of attention mix of a table of relative vectors: Shaw's part of the output,
     * to be added to that of `attention.scaledDotProduct`.
     *
     *     values[i] = sum_j weights[i, j] table[index[i, j]]
     *
     * Accuracy: everything in double, rounded once.
     *
     * @param {TensorInput} weights  [B, H, Tq, Tk], [H, Tq, Tk] or [Tq, Tk], from `attention.scaledDotProduct`
     * @param {TensorInput} table  [R, D] for all heads, or [H, R, D]
     * @param {object} options
     * @param {TensorInput} options.index  [Tq, Tk], from `index`: 0 .. R-1
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32 [B, H, Tq, D], with the axes that weights has; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Shaw et al. 2018, https://arxiv.org/abs/1803.02155, equation 3
     * @example
     * shaw.values([[0.5, 0.5]], [[1], [2], [4]], { index: [[1, 2]] }).toArray()
     * // [[3]]
     */
    values(weights, table, options) {
      const where = "shaw.values";
      const given = check.options(options, { index: undefined, out: undefined }, where);
      const rows = readHeads(weights, "weights");
      const { T: Tq, D: Tk } = rows;
      const vectors = readVectors(table, "table", rows.H);
      const { R, D } = vectors;
      const index = readIndex(given.index, R);
      if (index.shape[0] !== Tq || index.shape[1] !== Tk) {
        throw new RangeError(
          `index must have shape [${Tq}, ${Tk}], as weights; got [${index.shape.join(", ")}]`,
        );
      }
      const shape = [...rows.lead, Tq, D];
      const result = check.destination(given.out, shape);
      overQueries(
        where,
        rows,
        vectors,
        index,
        { data: rows.data, row: Tk },
        { result, row: D },
        (T, at) => raw.shaw_values(at.row, at.table, R, at.index, T, Tk, D, at.out),
      );
      return new Tensor(result, shape);
    },
  };

  /**
   * The products of `scores`, of arguments that were read.
   * @param {string} where @param {Heads} rows @param {Vectors} vectors @param {Index} index
   * @param {{side: number, scale: number, add?: Float32Array}} options @param {Float32Array} result
   */
  function multiply(where, rows, vectors, index, { side, scale, add }, result) {
    const { D } = rows;
    const [, Tk] = index.shape;
    const own = {
      data: rows.data,
      row: side === QUERIES ? D : 0,
      whole: side === QUERIES ? 0 : Tk * D,
    };
    const more = { data: add ?? new Float32Array(0), row: add ? Tk : 0 };
    overQueries(where, rows, vectors, index, own, { result, row: Tk, more }, (T, at) => {
      const held = side === QUERIES ? T : Tk;
      const sizes = [T * more.row, T, Tk, D, side, scale];
      return raw.shaw_scores(
        at.row,
        held,
        at.table,
        vectors.R,
        at.index,
        at.more,
        ...sizes,
        at.out,
      );
    });
  }

  /**
   * Run a kernel over the queries of every head, tile by tile, with the table and the index copied in.
   * @param {string} where @param {{B: number, H: number}} heads @param {Vectors} vectors
   * @param {Index} index
   * @param {{data: Float32Array, row: number, whole?: number}} input  numbers that each query has, or
   *   that the whole head has
   * @param {{result: Float32Array, row: number, more?: {data: Float32Array, row: number}}} output
   * @param {(T: number, at: {table: number, index: number, row: number, more: number, out: number}) => number} kernel
   */
  function overQueries(
    where,
    { B, H },
    { R, D, step: ofHead, ...vectors },
    index,
    input,
    output,
    kernel,
  ) {
    const [Tq, Tk] = index.shape;
    const { result, row: width, more = { data: new Float32Array(0), row: 0 } } = output;
    if (result.length === 0) return;
    const given = [vectors.data, input.data, more.data];
    const [table, rows, added] = given.map((data) => apart(data, result));
    const step = tileRows((Tk + input.row + width + more.row) * 4, Tq);
    const held = input.whole ?? 0;
    const pieces = [R * D, step * Tk, held + step * input.row, step * more.row, step * width];
    withMemory(
      core,
      where,
      pieces.map((numbers) => numbers * 4),
      (tableAt, indexAt, rowAt, moreAt, outAt) => {
        const at = { table: tableAt, index: indexAt, row: rowAt, more: moreAt, out: outAt };
        for (let n = 0; n < B * H; ++n) {
          const first = (n % H) * ofHead;
          if (n === 0 || ofHead > 0) put(core, table.subarray(first, first + R * D), tableAt);
          if (held > 0) put(core, rows.subarray(n * held, (n + 1) * held), rowAt);
          for (let t = 0; t < Tq; t += step) {
            const T = Math.min(step, Tq - t);
            const part = (/** @type {number} */ row) => [
              (n * Tq + t) * row,
              (n * Tq + t + T) * row,
            ];
            put(core, index.data.subarray(t * Tk, (t + T) * Tk), indexAt);
            if (input.row > 0) put(core, rows.subarray(...part(input.row)), rowAt);
            if (more.row > 0) put(core, added.subarray(...part(more.row)), moreAt);
            checkStatus(kernel(T, at), where);
            take(core, outAt, T * width, result, (n * Tq + t) * width);
          }
        }
      },
    );
  }
}

/**
 * Queries and keys, where they stand, and how far apart they are.
 * @typedef {{Tq: number, Tk: number, offset: number, nearest: number, farthest: number, out: Int32Array}} Grid
 */

/**
 * @param {unknown} length @param {{keys: unknown, offset: unknown, out: unknown}} options
 * @returns {Grid}
 */
function readGrid(length, { keys, offset, out }) {
  const { Tq, Tk, first } = readSpan(length, keys, offset);
  const [least, most] = Tq * Tk > 0 ? [first - Tk + 1, first + Tq - 1] : [0, 0];
  const farthest = Math.max(-least, most);
  const nearest = Math.max(least, -most, 0);
  return { Tq, Tk, offset: first, nearest, farthest, out: check.destinationInt32(out, [Tq, Tk]) };
}

/**
 * The number that a rule gives every distance, query minus key.
 * @param {Grid} grid @param {(distance: number) => number} rule
 */
function filled({ Tq, Tk, offset, out }, rule) {
  for (let i = 0, at = 0; i < Tq; ++i) {
    for (let j = 0; j < Tk; ++j, ++at) out[at] = rule(offset + i - j);
  }
  return new Tensor(out, [Tq, Tk]);
}

/** @param {unknown} value @param {number} R */
function readIndex(value, R) {
  const index = readIds(value, R, "index");
  if (index.shape.length !== 2) {
    throw new RangeError(`index must have shape [Tq, Tk]; got [${index.shape.join(", ")}]`);
  }
  return index;
}

/**
 * Rows of vectors: [R, D] for all heads, or [H, R, D], a step of R D apart.
 * @typedef {{data: Float32Array, R: number, D: number, step: number}} Vectors
 * @typedef {{data: Int32Array, shape: number[]}} Index
 */

/**
 * @param {unknown} value @param {string} name @param {number} H @param {number} [width]  D, where known
 */
export function readVectors(value, name, H, width) {
  const { data, shape } = asFloat32(value, name);
  const [R, D] = shape.slice(-2);
  const fits = shape.length === 2 || (shape.length === 3 && shape[0] === H);
  if (!fits || D === 0 || D !== (width ?? D)) {
    const row = width ?? "D";
    throw new RangeError(
      `${name} must have shape [R, ${row}] or [${H}, R, ${row}]; got [${shape.join(", ")}]`,
    );
  }
  return { data, R, D, step: shape.length === 2 ? 0 : R * D };
}

/** @param {unknown} value @param {string} name @param {number[]} shape */
function readLike(value, name, shape) {
  if (value === undefined) return undefined;
  const given = asFloat32(value, name);
  if (given.shape.join() !== shape.join()) {
    throw new RangeError(
      `${name} must have shape [${shape.join(", ")}]; got [${given.shape.join(", ")}]`,
    );
  }
  return given.data;
}
