/** @import { Core, Raw } from "../../runtime/wasm.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import { withMemory, overRows, take, tileBytes, tileRows } from "../../runtime/memory.js";
import { apart, arrayRows, readTable } from "../../runtime/table.js";
import { asFloat32, Tensor } from "../../runtime/tensor.js";

/** In the order of the C++ enum. */
const METRICS = /** @type {const} */ (["dot", "cosine", "euclidean"]);

/** @typedef {typeof METRICS[number]} Metric */

/** Most rows of a tile on either side: 256 x 256 results are a tile themselves. */
const MOST_ROWS = 256;

/**
 * How alike two vectors are: dot product, cosine, Euclidean distance.
 * @see Manning, Raghavan, Schütze 2008, Introduction to information retrieval, section 6.3
 * @param {Core} core
 */
export function similarity(core) {
  const raw =
    /**
     * @type {Raw & {
     *   similarity_rows(a: number, b: number, N: number, D: number, metric: number,
     *     workspace: number, out: number): number,
     *   similarity_matrix(a: number, b: number, N: number, M: number, D: number, metric: number,
     *     workspace: number, out: number): number,
     * }}
     */ (core.raw);

  return {
    /**
     * Compare two vectors.
     *
     *     dot a.b,   cosine a.b / (|a| |b|),   euclidean |a - b|
     *
     * A vector of zeros has cosine 0 with everything, itself too. NaN gives NaN.
     * Accuracy: summed in double, rounded once to float32; cosine within 3e-8.
     *
     * @param {TensorInput} a  [D]
     * @param {TensorInput} b  [D]
     * @param {object} [options]
     * @param {Metric} [options.metric]  `cosine` (default), `dot` or `euclidean`
     * @returns {number} rounded to float32
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes differ
     * @example
     * similarity.pair([1, 2, 2], [2, 1, 2])
     * // 0.8888888955116272
     */
    pair(a, b, options = {}) {
      const { metric } = check.options(options, { metric: "cosine" }, "similarity.pair");
      const kind = readMetric(metric);
      const { data, shape } = asFloat32(a, "a");
      const [D] = shape;
      if (shape.length !== 1 || D === 0) {
        throw new RangeError(`a must have shape [D]; got [${shape.join(", ")}]`);
      }
      const one = arrayRows(core, { data, shape, N: 1, D });
      return rowByRow(one, readAlike(b, shape), kind, new Float32Array(1))[0];
    },

    /**
     * Compare row with row.
     *
     *     out[n] = metric(a[n], b[n])
     *
     * Accuracy: as `pair`.
     *
     * @param {TableInput} a  [..., D]; a tensor or a table
     * @param {TableInput} b  the shape of a
     * @param {object} [options]
     * @param {Metric} [options.metric]  `cosine` (default), `dot` or `euclidean`
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32 [...]: the shape of a without its last axis; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes differ
     * @example
     * similarity.rows([[1, 0], [3, 4]], [[0, 1], [3, 4]]).toArray()
     * // [0, 1]
     */
    rows(a, b, options = {}) {
      const where = "similarity.rows";
      const { metric, out } = check.options(options, { metric: "cosine", out: undefined }, where);
      const kind = readMetric(metric);
      const one = readTable(core, a, "a", "[..., D]");
      const other = readAlike(b, one.shape);
      const shape = one.shape.slice(0, -1);
      const result = check.destination(out, shape);
      return new Tensor(rowByRow(one, other, kind, result), shape);
    },

    /**
     * Compare every row of one matrix with every row of another.
     *
     *     out[n, m] = metric(a[n], b[m])
     *
     * Accuracy: as `pair`; the matrix of a with itself is symmetric to the bit, and its cosines of
     * rows with themselves are 1.
     *
     * @param {TableInput} a  [N, D]; a tensor or a table
     * @param {TableInput} [b]  [M, D]; default a
     * @param {object} [options]
     * @param {Metric} [options.metric]  `cosine` (default), `dot` or `euclidean`
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32 [N, M]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or widths differ
     * @example
     * similarity.matrix([[3, 0], [0, 4]], undefined, { metric: "euclidean" }).toArray()
     * // [[0, 5], [5, 0]]
     */
    matrix(a, b = a, options = {}) {
      const where = "similarity.matrix";
      const { metric, out } = check.options(options, { metric: "cosine", out: undefined }, where);
      const kind = readMetric(metric);
      const one = readTable(core, a, "a");
      const other = b === a ? one : readTable(core, b, "b");
      const { N, D } = one;
      const M = other.N;
      if (other.D !== D) {
        throw new RangeError(`b must be as wide as a, ${D}; got [${other.shape.join(", ")}]`);
      }
      const result = check.destination(out, [N, M]);
      const x = apart(core, one, result);
      const y = other === one ? x : apart(core, other, result);
      const step = Math.min(tileRows(D * 4, Math.max(N, M)), MOST_ROWS);
      const pieces = [tileBytes(x, step), tileBytes(y, step), D * 8 + step * 16, step * step * 4];
      withMemory(core, where, pieces, (xTile, yTile, workAt, at) => {
        for (let m = 0; m < M; m += step) {
          const columns = Math.min(step, M - m);
          const yAt = y.place(m, columns, yTile);
          // of a matrix with itself, one half: the other is its mirror image
          for (let n = 0; n < (x === y ? m + 1 : N); n += step) {
            const rows = Math.min(step, N - n);
            const xAt = x.place(n, rows, xTile);
            checkStatus(raw.similarity_matrix(xAt, yAt, rows, columns, D, kind, workAt, at), where);
            for (let r = 0; r < rows; ++r) {
              take(core, at + r * columns * 4, columns, result, (n + r) * M + m);
            }
          }
        }
      });
      if (x === y) mirror(result, N, step);
      return new Tensor(result, [N, M]);
    },
  };

  /** @param {Rows} a @param {Rows} b @param {number} kind @param {Float32Array} result */
  function rowByRow(a, b, kind, result) {
    const { D } = a;
    const pieces = [a, b, (D + 2) * 8, /** @type {const} */ ({ data: result, row: 1, way: "out" })];
    overRows(
      core,
      "similarity.rows",
      result.length,
      pieces,
      (count, _from, [aAt, bAt, workAt, at]) =>
        raw.similarity_rows(aAt, bAt, count, D, kind, workAt, at),
    );
    return result;
  }

  /** @param {unknown} b @param {readonly number[]} shape  of a */
  function readAlike(b, shape) {
    const other = readTable(core, b, "b", "[..., D]");
    if (other.shape.join() !== shape.join()) {
      throw new RangeError(
        `b must have the shape of a, [${shape.join(", ")}]; got [${other.shape.join(", ")}]`,
      );
    }
    return other;
  }
}

/** A metric's number. @param {unknown} metric */
export function readMetric(metric) {
  return METRICS.indexOf(check.oneOf(metric, "metric", METRICS));
}

/**
 * Fill what lies below the tiles on the diagonal from what lies above them.
 * @param {Float32Array} square  [N, N] @param {number} N @param {number} step
 */
function mirror(square, N, step) {
  for (let n = 0; n < N; ++n) {
    for (let m = 0; m < n - (n % step); ++m) square[n * N + m] = square[m * N + n];
  }
}
