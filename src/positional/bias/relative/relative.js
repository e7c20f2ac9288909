/** @import { Core, Raw } from "../../../runtime/wasm.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
/** @import { Heads } from "../../../attention/attention/heads.js" */
import * as check from "../../../runtime/check.js";
import { checkStatus } from "../../../runtime/errors.js";
import { withMemory, put, take, tileRows } from "../../../runtime/memory.js";
import { readIds } from "../../../runtime/ids.js";
import { readSpan } from "../../../runtime/span.js";
import { asFloat32, Tensor } from "../../../runtime/tensor.js";
import { attention } from "../../../attention/attention/attention.js";
import { apart, mustAgree, readHeads } from "../../../attention/attention/heads.js";

/** In the order of the C++ enums. */
const SIDES = /** @type {const} */ (["queries", "keys"]);
const PRECISIONS = /** @type {const} */ (["exact", "torch"]);
const BEYOND = /** @type {const} */ (["clamp", "grow"]);
const UPPER = /** @type {const} */ (["zero", "wrapped"]);

const [QUERIES, KEYS] = [0, 1];

/**
 * @typedef {object} GridOptions
 * @property {number} [keys]  Tk; default: the length
 * @property {number} [offset]  position of the first query; default keys - length, so that the last
 *   query stands at the last key
 * @property {Int32Array | Tensor<Int32Array>} [out]  filled instead of a new array
 */

/**
 * @typedef {object} BucketOptions
 * @property {number} [buckets]  how many a side has: B (`position_buckets`); default 256. 0: none,
 *   the distance itself, as in version 1
 * @property {number} [maxDistance]  M (`max_relative_positions`): M - 1 gets the last bucket; default
 *   512
 * @property {"clamp" | "grow"} [beyond]  larger distances: `clamp` (default), as M - 1, in DeBERTa's
 *   own code; or `grow`: the formula goes on, in HF, so that `deberta` has a row 0
 * @property {"exact" | "torch"} [precision]  `exact` (default), the formula's own whole number, or
 *   `torch`, the logarithm in PyTorch's float32 steps
 */

const BUCKETS = Object.freeze({
  buckets: 256,
  maxDistance: 512,
  beyond: "clamp",
  precision: "exact",
});
const GRID = Object.freeze({ keys: undefined, offset: undefined, out: undefined });

/**
 * Relative positions: what stands between a query and a key selects a learned vector (Shaw et al.
 * 2018, DeBERTa, BERT) or a sinusoid (Transformer-XL). The results go into `attention.scaledDotProduct` as its
 * `bias`.
 * @param {Core} core
 */
export function relative(core) {
  const raw =
    /**
     * @type {Raw & {
     *   relative_scores(...numbers: number[]): number,
     *   relative_values(...numbers: number[]): number,
     *   relative_log_buckets(first: number, mid: number, last: number, precision: number, count: number, out: number): number,
     * }}
     */ (core.raw);
  const { linear } = attention(core);

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
     * relative.shaw(3, 1).toArray()
     * // [[1, 2, 2], [0, 1, 2], [0, 0, 1]]
     */
    shaw(length, maxDistance, options = {}) {
      const K = check.integer(maxDistance, "maxDistance", 0, 2 ** 30 - 1);
      const grid = readGrid(length, check.options(options, GRID, "relative.shaw"));
      return filled(grid, (distance) => Math.min(Math.max(-distance, -K), K) + K);
    },

    /**
     * BERT's index of every pair (`relative_key`, `relative_key_query`): query minus key, from 0.
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
     * relative.bert(2, 512).toArray()
     * // [[511, 510], [512, 511]]
     */
    bert(length, maxLength, options = {}) {
      const M = check.integer(maxLength, "maxLength", 1, 2 ** 30);
      const grid = readGrid(length, check.options(options, GRID, "relative.bert"));
      if (grid.farthest >= M) {
        throw new RangeError(
          `maxLength must be above every distance, up to ${grid.farthest} here; got ${M}`,
        );
      }
      return filled(grid, (distance) => distance + M - 1);
    },

    /**
     * DeBERTa's index of every pair: the bucket of query minus key, counted from 0.
     *
     *     index[i, j] = min(max(bucket(position_i - position_j) + S, 0), 2S - 1)
     *
     * S is `buckets`, or `maxDistance` where there are none. The same index serves both terms:
     * `scores(q, keyTable, { index })` and `scores(k, queryTable, { index, of: "keys" })`.
     *
     * @param {number} length  queries Tq
     * @param {GridOptions & BucketOptions} [options]
     * @returns {Tensor<Int32Array>} int32 [Tq, Tk]; the table has 2S rows; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see He et al. 2020, DeBERTa, https://arxiv.org/abs/2006.03654, section 3.1
     * @example
     * relative.deberta(2).toArray()
     * // [[256, 255], [257, 256]]
     */
    deberta(length, options = {}) {
      const where = "relative.deberta";
      const { out, keys, offset, ...given } = check.options(
        options,
        { ...GRID, ...BUCKETS },
        where,
      );
      const grid = readGrid(length, { out, keys, offset });
      const rule = readBuckets(given);
      const S = rule.buckets || rule.maxDistance;
      const bucket = bucketsOf(grid, rule, where);
      return filled(grid, (distance) => Math.min(Math.max(bucket(distance) + S, 0), 2 * S - 1));
    },

    /**
     * DeBERTa's bucket of every pair: small distances exact, larger ones on a logarithmic scale.
     *
     *     r = position_i - position_j,   mid = B / 2,   bucket = r                       |r| <= mid
     *     bucket = sign(r) (mid + ceil(ln(|r| / mid) / ln((M - 1) / mid) (mid - 1)))     |r| > mid
     *
     * with r within -(M-1) .. M-1 (`beyond`). Accuracy: `exact` is the formula's own whole number for
     * every distance within 2^20 (tested against whole-number powers).
     *
     * @param {number} length  queries Tq
     * @param {GridOptions & BucketOptions} [options]
     * @returns {Tensor<Int32Array>} int32 [Tq, Tk], from -(B-1) to B-1; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see He et al. 2020, DeBERTa; microsoft/DeBERTa, DeBERTa/deberta/da_utils.py
     * @example
     * relative.debertaBuckets(1, { keys: 3, offset: 130 }).toArray()
     * // [[130, 129, 128]]
     */
    debertaBuckets(length, options = {}) {
      const where = "relative.debertaBuckets";
      const { out, keys, offset, ...given } = check.options(
        options,
        { ...GRID, ...BUCKETS },
        where,
      );
      const grid = readGrid(length, { out, keys, offset });
      const bucket = bucketsOf(grid, readBuckets(given), where);
      return filled(grid, bucket);
    },

    /**
     * What DeBERTa multiplies all its products by: there are more terms than q.k alone.
     *
     *     1 / sqrt(D (1 + terms))
     *
     * @param {number} dim  D, width of a head
     * @param {{terms?: number}} [options]  beside q.k: 2 (default) for `c2p|p2c`
     * @returns {number} the `scale` of `relative.scores` and `attention.scaledDotProduct`
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see He et al. 2020, DeBERTa, https://arxiv.org/abs/2006.03654, equation 4
     * @example
     * relative.debertaScale(12)
     * // 0.16666666666666666
     */
    debertaScale(dim, options = {}) {
      const { terms } = check.options(options, { terms: 2 }, "relative.debertaScale");
      const D = check.integer(dim, "dim");
      return 1 / Math.sqrt(D * (1 + check.integer(terms, "terms", 0)));
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
     * @param {TensorInput} options.index  [Tq, Tk], from `shaw`, `bert`, `deberta`: 0 .. R-1
     * @param {"queries" | "keys"} [options.of]  whose rows x holds; default `queries`
     * @param {number} [options.scale]  default 1
     * @param {TensorInput} [options.add]  another such part, of the result's shape
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32 [B, H, Tq, Tk], with the axes that x has; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Shaw et al. 2018, https://arxiv.org/abs/1803.02155, equation 5
     * @example
     * const index = relative.shaw(2, 1); // keys before, at and after the query: rows 0, 1, 2
     * relative.scores([[1], [10]], [[1], [2], [3]], { index }).toArray()
     * // [[2, 3], [10, 20]]
     */
    scores(x, table, options) {
      const where = "relative.scores";
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
     * @param {TensorInput} options.index  [Tq, Tk], from `shaw`: 0 .. R-1
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32 [B, H, Tq, D], with the axes that weights has; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Shaw et al. 2018, https://arxiv.org/abs/1803.02155, equation 3
     * @example
     * relative.values([[0.5, 0.5]], [[1], [2], [4]], { index: [[1, 2]] }).toArray()
     * // [[3]]
     */
    values(weights, table, options) {
      const where = "relative.values";
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
        (T, at) => raw.relative_values(at.row, at.table, R, at.index, T, Tk, D, at.out),
      );
      return new Tensor(result, shape);
    },

    /**
     * What Transformer-XL adds to q.k: a `bias` for `attention.scaledDotProduct`, whose `mask` is then `causal`.
     *
     *     bias[i, j] = scale (u . k_j + (q_i + v) . W r_(i-j))
     *
     * so that scale q.k + bias = scale ((q_i + u) . k_j + (q_i + v) . W r_(i-j)). Query i stands at
     * position i + Tk - Tq. Row c of r belongs to distance Tk - 1 - c: r is a table of descending
     * positions, `sinusoidal.table([Tk - 1, ..., 0], E, { layout: "halves" })`. Keys after the query
     * have no row; they get the first term alone.
     * Accuracy: q + v, W r and the first term are rounded to float32, the rest is in double.
     *
     * @param {{q: TensorInput, k?: TensorInput, r: TensorInput}} inputs  q [B, H, Tq, D] and k
     *   [B, H, Tk, D] (needed with u), or without the batch axis, or it and the heads'; r [Tk, D] for all
     *   heads, [H, Tk, D], or with `projection` [Tk, E]
     * @param {object} [options]
     * @param {TensorInput} [options.u]  the paper's u [H, D], or [D]; default: none
     * @param {TensorInput} [options.v]  the paper's v [H, D], or [D]; default: none
     * @param {TensorInput} [options.projection]  the paper's W [H D, E]
     * @param {number} [options.scale]  default 1/sqrt(D)
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32 [B, H, Tq, Tk], with the axes that q has; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Dai et al. 2019, Transformer-XL, https://arxiv.org/abs/1901.02860, section 3.3
     * @example
     * const r = [[30], [20], [10]]; // of distances 2, 1, 0
     * relative.transformerXL({ q: [[1], [2]], r }).toArray()
     * // [[20, 10, 0], [60, 40, 20]]
     */
    transformerXL(inputs, options = {}) {
      const where = "relative.transformerXL";
      const defaults = {
        u: undefined,
        v: undefined,
        projection: undefined,
        scale: undefined,
        out: undefined,
      };
      const given = check.options(options, defaults, where);
      const read = readInputs(inputs);
      const q = readHeads(read.q, "q");
      const { H, T: Tq, D } = q;
      const { data, R: Tk, step } = readDistances(read.r, given.projection, H, D);
      if (Tq > Tk) {
        throw new RangeError(`r must have a row for each of ${Tq} distances; got ${Tk}`);
      }
      const u = readBiases(given.u, "u", H, D);
      const v = readBiases(given.v, "v", H, D);
      const k = u && readHeads(read.k, "k");
      if (k) mustAgree(k, "k", q, { T: Tk, D, H });
      const scale =
        given.scale === undefined ? 1 / Math.sqrt(D) : check.finite(given.scale, "scale");
      const shape = [...q.lead, Tq, Tk];
      const result = check.destination(given.out, shape);
      if (result.length === 0) return new Tensor(result, shape);

      const index = { data: check.destinationInt32(undefined, [Tq, Tk]), shape: [Tq, Tk] };
      let add;
      if (u && k) {
        add = check.float32s(result.length, where);
        const rows = { data: u.data, R: 1, D, step: u.step };
        multiply(where, k, rows, index, { side: KEYS, scale }, add);
      }
      // Keys after the query get a row of zeros behind the last one.
      const rows = check.float32s((data.length / (Tk * D)) * (Tk + 1) * D, where);
      for (let from = 0, to = 0; from < data.length; from += Tk * D, to += (Tk + 1) * D) {
        rows.set(data.subarray(from, from + Tk * D), to);
      }
      for (let i = 0, at = 0; i < Tq; ++i) {
        for (let j = 0; j < Tk; ++j, ++at) index.data[at] = Math.min(j + Tq - 1 - i, Tk);
      }
      const queries = { ...q, data: v ? plus(q, v) : q.data };
      const vectors = { data: rows, R: Tk + 1, D, step: step > 0 ? (Tk + 1) * D : 0 };
      multiply(where, queries, vectors, index, { side: QUERIES, scale, add }, result);
      return new Tensor(result, shape);
    },

    /**
     * Transformer-XL's shift: products of queries with the rows of distances, [Tq, R], moved so that
     * column j is key j. A zero is put before each row, all is read on as [R + 1, Tq], and the first
     * row left out.
     *
     *     shifted[i, j] = x[i, j + Tq - 1 - i]            j <= i + R - Tq
     *
     * @param {TensorInput} x  [..., Tq, R]; column c belongs to distance R - 1 - c; not changed
     * @param {object} [options]
     * @param {"zero" | "wrapped"} [options.upper]  what keys after the query get: `zero` (default),
     *   or `wrapped`, what the trick leaves there, numbers of the next query: for a causal mask to hide
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32, the shape of x; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind
     * @see Dai et al. 2019, https://arxiv.org/abs/1901.02860, appendix B; kimiyoung/transformer-xl,
     *   pytorch/mem_transformer.py, _rel_shift
     * @example
     * relative.shift([[1, 2, 3], [4, 5, 6], [7, 8, 9]]).toArray()
     * // [[3, 0, 0], [5, 6, 0], [7, 8, 9]]
     */
    shift(x, options = {}) {
      const where = "relative.shift";
      const { upper, out } = check.options(options, { upper: "zero", out: undefined }, where);
      const wrapped = check.oneOf(upper, "upper", UPPER) === "wrapped";
      const { data, shape } = asFloat32(x, "x");
      if (shape.length < 2) {
        throw new RangeError(`x must have shape [..., Tq, R]; got [${shape.join(", ")}]`);
      }
      const [Tq, R] = shape.slice(-2);
      const result = check.destination(out, shape);
      const from = apart(data, result);
      for (let first = 0; first < from.length; first += Tq * R) {
        for (let i = 0, at = 0; i < Tq; ++i) {
          for (let j = 0; j < R; ++j, ++at) {
            const padded = at + Tq; // in rows of R + 1, whose first number is the zero
            const row = Math.floor(padded / (R + 1));
            const column = (padded % (R + 1)) - 1;
            const shown = column >= 0 && (wrapped || j <= i + R - Tq);
            result[first + at] = shown ? from[first + row * R + column] : 0;
          }
        }
      }
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
      return raw.relative_scores(
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

  /**
   * The bucket of each distance, query minus key, that a grid has.
   * @param {Grid} grid
   * @param {ReturnType<typeof readBuckets>} rule @param {string} where
   * @returns {(distance: number) => number}
   */
  function bucketsOf({ nearest, farthest }, { buckets, maxDistance, grows, precision }, where) {
    if (buckets === 0) return (distance) => distance;
    const last = maxDistance - 1;
    const [first, most] = [nearest, farthest].map((far) => (grows ? far : Math.min(far, last)));
    const table = check.destinationInt32(undefined, [most - first + 1]);
    withMemory(core, where, [table.byteLength], (at) => {
      const mid = Math.floor(buckets / 2);
      checkStatus(raw.relative_log_buckets(first, mid, last, precision, table.length, at), where);
      take(core, at, table.length, table);
    });
    return (distance) => {
      const bucket = table[Math.min(Math.abs(distance), most) - first];
      return distance < 0 ? 0 - bucket : bucket;
    };
  }

  /**
   * The vectors of all distances, projected if asked: [Tk, D] for all heads or [H, Tk, D].
   * @param {unknown} value @param {unknown} projection @param {number} H @param {number} D
   */
  function readDistances(value, projection, H, D) {
    if (projection === undefined) return readVectors(value, "r", H, D);
    const { data, shape } = asFloat32(value, "r");
    if (shape.length !== 2 || shape[1] === 0) {
      throw new RangeError(`r must have shape [Tk, E]; got [${shape.join(", ")}]`);
    }
    const weights = asFloat32(projection, "projection");
    if (weights.shape.join() !== `${H * D},${shape[1]}`) {
      throw new RangeError(
        `projection must have shape [${H * D}, ${shape[1]}]; got [${weights.shape.join(", ")}]`,
      );
    }
    const rows = linear({ data, shape }, weights).data;
    const [R] = shape;
    const heads = check.float32s(rows.length, "r");
    for (let c = 0; c < R; ++c) {
      for (let h = 0; h < H; ++h) {
        heads.set(rows.subarray((c * H + h) * D, (c * H + h + 1) * D), (h * R + c) * D);
      }
    }
    return { data: heads, R, D, step: R * D };
  }
}

/**
 * q + v, rounded to float32 as the source has it.
 * @param {Heads} q @param {{data: Float32Array, step: number}} v
 */
function plus({ data, H, T, D }, v) {
  return data.map((x, at) => x + v.data[(Math.floor(at / (T * D)) % H) * v.step + (at % D)]);
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

/** @param {Record<keyof typeof BUCKETS, unknown>} given */
function readBuckets({ buckets, maxDistance, beyond, precision }) {
  const most = check.integer(maxDistance, "maxDistance", 1, 2 ** 30);
  const B = check.integer(buckets, "buckets", 0, 2 ** 30);
  if (B === 1) throw new RangeError("buckets must be 0 or at least 2; got 1");
  if (B > 0 && most - 1 <= Math.floor(B / 2)) {
    throw new RangeError(
      `maxDistance must be above half of the buckets by two, ${Math.floor(B / 2) + 2}; got ${most}`,
    );
  }
  return {
    buckets: B,
    maxDistance: most,
    grows: check.oneOf(beyond, "beyond", BEYOND) === "grow",
    precision: PRECISIONS.indexOf(check.oneOf(precision, "precision", PRECISIONS)),
  };
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
function readVectors(value, name, H, width) {
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

/**
 * A vector of every head, [H, D], or one for all, [D].
 * @param {unknown} value @param {string} name @param {number} H @param {number} D
 */
function readBiases(value, name, H, D) {
  if (value === undefined) return undefined;
  const { data, shape } = asFloat32(value, name);
  const each = shape.length === 2 && shape[0] === H && shape[1] === D;
  if (!each && !(shape.length === 1 && shape[0] === D)) {
    throw new RangeError(
      `${name} must have shape [${H}, ${D}] or [${D}]; got [${shape.join(", ")}]`,
    );
  }
  return { data, step: each ? D : 0 };
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

/** @param {unknown} inputs @returns {{q: unknown, k: unknown, r: unknown}} */
function readInputs(inputs) {
  if (typeof inputs !== "object" || inputs === null) {
    throw new TypeError(`inputs must be {q, k, r}; got ${check.describe(inputs)}`);
  }
  const { q, k, r } = /** @type {{q: unknown, k: unknown, r: unknown}} */ (inputs);
  return { q, k, r };
}
