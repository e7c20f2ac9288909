/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../runtime/tensor.js" */
import { checkStatus, wrongShape } from "../../runtime/errors.js";
import { asFloat32 } from "../../runtime/input.js";
import { overRows, take, tileBytes, tileRows, withMemory } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { output } from "../../runtime/result.js";
import { apart, arrayRows, readTable } from "../../runtime/table.js";

/** In the order of the C++ enum. */
const METRICS = /** @type {const} */ (["dot", "cosine", "euclidean"]);

/** @typedef {typeof METRICS[number]} Metric */

/** The option that selects a metric. */
export const metricOption = () => option.choice(METRICS, "cosine");

/** The number of a metric in the C++ enum. @param {Metric} metric */
export const codeOf = (metric) => METRICS.indexOf(metric);

const PAIR = option.optionSet(() => ({
  /** The measure: dot product, cosine or Euclidean distance. */
  metric: metricOption(),
}));

const ROWS = option.optionSet(() => ({
  /** The measure: dot product, cosine or Euclidean distance. */
  metric: metricOption(),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const MATRIX = option.optionSet(() => ({
  /** The measure: dot product, cosine or Euclidean distance. */
  metric: metricOption(),
  /** In what products are added up: double, or float32 in blocks of at most 32, which is faster. Distances always use double. */
  accumulate: option.choice(
    /** @type {("float32" | "float64")[]} */ (["float32", "float64"]),
    "float64",
  ),
  /** Filled instead of a new array. */
  out: option.out(),
}));

/** The most rows of a tile of a and of b, so that the results of two tiles, 256 x 256, are a tile too. */
const MOST_ROWS = 256;

/** The rows for which the kernel of float32 packs columns once (src/math/linear.cpp). */
const MOST_BRIEF = 64;

/**
 * Similarity of vectors: dot product, cosine and Euclidean distance.
 * @see Manning, Raghavan, Schütze 2008, Introduction to information retrieval, section 6.3
 * @param {Core} core
 */
export function similarity(core) {
  const { raw } = core;

  const module = {
    /**
     * Compares two vectors.
     *
     *     dot         a.b
     *     cosine      a.b / (|a| |b|)
     *     euclidean   |a - b|
     *
     * A vector of zeros has cosine 0 with every vector, itself included. NaN gives NaN.
     * Accuracy: summed in double, rounded once to float32; cosine within 3e-8.
     *
     * @param {TensorInput} a  [D]
     * @param {TensorInput} b  [D]
     * @param {OptionsOf<typeof PAIR>} [options]
     * @returns {number} rounded to float32
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes differ
     * @example
     * similarity.pair([1, 2, 2], [2, 1, 2])
     * // 0.8888888955116272
     */
    pair(a, b, options = {}) {
      const { metric } = PAIR.view(options);
      const { data, shape } = asFloat32(a, "a", { rows: true });
      const [D] = shape;
      if (shape.length !== 1 || D === 0) {
        throw wrongShape("a", "[D]", shape);
      }
      const one = arrayRows(core, { data, shape, N: 1, D });
      return rowByRow(one, readSameShape(b, shape), metric, new Float32Array(1))[0];
    },

    /**
     * Compares each row of a with the same row of b.
     *
     *     out[n] = metric(a[n], b[n])
     *
     * Accuracy: as `pair`.
     *
     * @param {TableInput} a  [..., D]; a tensor or a table
     * @param {TableInput} b  the shape of a
     * @param {OptionsOf<typeof ROWS>} [options]
     * @returns {Tensor} float32 [...]: the shape of a without its last axis
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes differ
     * @example
     * similarity.rows([[1, 0], [3, 4]], [[0, 1], [3, 4]]).toArray()
     * // [0, 1]
     */
    rows(a, b, options = {}) {
      const { metric, out } = ROWS.view(options);
      const one = readTable(core, a, "a", "[..., D]");
      const other = readSameShape(b, one.shape);
      const shape = one.shape.slice(0, -1);
      const result = output(out, shape);
      rowByRow(one, other, metric, result.data);
      return result.done();
    },

    /**
     * Compares every row of one matrix with every row of another.
     *
     *     out[n, m] = metric(a[n], b[m])
     *
     * Accuracy: as `pair`. The matrix of a with itself is exactly symmetric, and the cosine of a row with
     * itself is exactly 1. With `accumulate: "float32"` products are added up in blocks of at most 32 in float32
     * and blocks in double: a dot product is within (min(D, 32) / 2 + 3) 2^-24 sum_d |a_d b_d|, a cosine within
     * 1.2e-6 (of random rows 1e-7) and at most 1; products must be within float32's range.
     *
     * @param {TableInput} a  [N, D]; a tensor or a table
     * @param {TableInput} [b]  [M, D]; default a
     * @param {OptionsOf<typeof MATRIX>} [options]
     * @returns {Tensor} float32 [N, M]
     * @throws {TypeError | RangeError} if an argument has the wrong type or widths differ
     * @example
     * similarity.matrix([[3, 0], [0, 4]], undefined, { metric: "euclidean" }).toArray()
     * // [[0, 5], [5, 0]]
     */
    matrix(a, b = a, options = {}) {
      const { metric, accumulate, out } = MATRIX.view(options);
      const brief = accumulate === "float32" && metric !== "euclidean";
      const one = readTable(core, a, "a");
      const given = b === a ? one : readTable(core, b, "b");
      const other = isSame(one, given) ? one : given;
      const { N, D } = one;
      const M = other.N;
      if (other.D !== D) {
        throw new RangeError(`b must be as wide as a, ${D}; got [${other.shape.join(", ")}]`);
      }
      const result = output(out, [N, M]);
      const x = apart(core, one, result.data);
      const y = other === one ? x : apart(core, other, result.data);
      fillMatrix(core, x, y, metric, brief, result.data);
      return result.done();
    },
  };
  return option.withOptions(module, { pair: PAIR, rows: ROWS, matrix: MATRIX });

  /** @param {Rows} a @param {Rows} b @param {Metric} metric @param {Float32Array} result */
  function rowByRow(a, b, metric, result) {
    const { D } = a;
    const code = codeOf(metric);
    const pieces = [a, b, /** @type {const} */ ({ data: result, row: 1, direction: "out" })];
    overRows(core, result.length, pieces, (count, _from, [aAt, bAt, at]) =>
      raw.similarity_rows(aAt, bAt, count, D, code, at),
    );
    return result;
  }

  /** @param {unknown} b @param {readonly number[]} shape  of a */
  function readSameShape(b, shape) {
    const other = readTable(core, b, "b", "[..., D]");
    if (other.shape.join() !== shape.join()) {
      throw new RangeError(
        `b must have the shape of a, [${shape.join(", ")}]; got [${other.shape.join(", ")}]`,
      );
    }
    return other;
  }
}

/**
 * Compares all rows of two tables, tile by tile.
 * @param {Core} core @param {Rows} x  [N, D] @param {Rows} y  [M, D] @param {Metric} metric
 * @param {boolean} brief  whether to add up in float32 @param {Float32Array} result  [N, M]
 */
function fillMatrix(core, x, y, metric, brief, result) {
  const { raw } = core;
  const { N, D } = x;
  const { N: M } = y;
  const most = brief ? MOST_BRIEF : MOST_ROWS;
  const step = Math.min(tileRows(D * 4, Math.max(N, M)), most);
  // the kernel's workspace: rows of x as panels of four, one panel of y, and squared lengths
  const padded = Math.ceil(step / 4) * 4;
  const work = ((padded + 4) * D + padded) * 8;
  const lengths = brief && metric === "cosine"; // of all rows of x, and of a tile of y
  const pieces = [tileBytes(x, step), tileBytes(y, step), brief ? 0 : work, step * step * 4];
  pieces.push(lengths ? N * 8 : 0, lengths ? step * 8 : 0);
  withMemory(core, pieces, (xTile, yTile, workAt, at, xSquares, ySquares) => {
    for (let m = 0; m < M; m += step) {
      const columns = Math.min(step, M - m);
      const yAt = y.place(m, columns, yTile);
      const ofY = x === y ? xSquares + m * 8 : ySquares;
      if (lengths) raw.nearest_squares(yAt, columns, D, ofY);
      // a matrix with itself is symmetric: compute one half and mirror it
      for (let n = 0; n < (x === y ? m + 1 : N); n += step) {
        const rows = Math.min(step, N - n);
        // the same address tells the kernel that the tile is symmetric
        const xAt = x === y && n === m ? yAt : x.place(n, rows, xTile);
        const ofX = xSquares + n * 8;
        if (lengths && x !== y && m === 0) raw.nearest_squares(xAt, rows, D, ofX);
        checkStatus(
          brief
            ? raw.similarity_matrix_f32(xAt, yAt, rows, columns, D, lengths ? ofX : 0, ofY, at)
            : raw.similarity_matrix(xAt, yAt, rows, columns, D, codeOf(metric), workAt, at),
        );
        if (columns === M) take(core, at, rows * M, result, n * M);
        else {
          for (let r = 0; r < rows; ++r) {
            take(core, at + r * columns * 4, columns, result, (n + r) * M + m);
          }
        }
      }
    }
  });
  if (x === y) mirror(result, N, step);
}

/**
 * Whether two arguments are the same numbers in the same place.
 * @param {Rows} a @param {Rows} b
 */
function isSame({ N, D, data: x }, { N: M, D: width, data: y }) {
  if (x === undefined || y === undefined || N !== M || D !== width) return false;
  return x === y || (x.buffer === y.buffer && x.byteOffset === y.byteOffset);
}

/**
 * Copies the elements above the tiles on the diagonal to their mirror positions below.
 * @param {Float32Array} square  [N, N] @param {number} N @param {number} step
 */
function mirror(square, N, step) {
  for (let n = 0; n < N; ++n) {
    for (let m = 0; m < n - (n % step); ++m) square[n * N + m] = square[m * N + n];
  }
}
