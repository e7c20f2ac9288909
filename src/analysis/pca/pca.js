/** @import { Core, Raw } from "../../runtime/wasm.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import {
  copyFloats,
  withMemory,
  overRows,
  put,
  take,
  tileBytes,
  tileRows,
} from "../../runtime/memory.js";
import { readTable } from "../../runtime/table.js";
import { Tensor } from "../../runtime/tensor.js";

/** phasor::pca::Side */
const COLUMNS = 0;
const ROWS = 1;

/** Most rows that are multiplied at a time: four columns of so many stay in the nearest cache. */
const MOST_ROWS = 256;

/**
 * The directions of a set of rows, and the rows seen along them.
 * @typedef {object} PrincipalComponents
 * @property {Tensor} mean  float32 [D]
 * @property {Tensor} components  float32 [k, D]: orthonormal rows, most variance first
 * @property {Tensor} explainedVariance  float32 [k]: variance along each, divided by N - 1
 * @property {Tensor} explainedVarianceRatio  float32 [k]: its share of the whole variance
 * @property {Tensor} singularValues  float32 [k]: of the centred x
 * @property {Tensor} projected  float32 [N, k]: `(x - mean) . components`
 * @property {(x: TableInput, options?: {out?: Float32Array | Tensor}) => Tensor} project  the same
 *   of other rows [..., D]: float32 [..., k]
 */

/**
 * @typedef {Raw & {
 *   pca_add_columns(x: number, N: number, D: number, sums: number): number,
 *   pca_add_products(x: number, N: number, D: number, mean: number, side: number,
 *     workspace: number, matrix: number, n: number): number,
 *   pca_decompose(matrix: number, n: number, vectors: boolean, noise: number, values: number,
 *     workspace: number): number,
 *   pca_combine(x: number, first: number, T: number, N: number, D: number, mean: number,
 *     weights: number, k: number, workspace: number, out: number): number,
 *   pca_finish(components: number, k: number, D: number, known: number, workspace: number): number,
 *   pca_project(x: number, N: number, D: number, mean: number, components: number, k: number,
 *     workspace: number, out: number): number,
 * }} PcaRaw
 */

/**
 * Principal component analysis (Pearson 1901, Hotelling 1933).
 * @param {Core} core
 */
export function pca(core) {
  const raw = /** @type {PcaRaw} */ (core.raw);
  return ofVectors;

  /**
   * The directions in which rows vary most, and the rows seen along them.
   *
   *     C = (x - mean)^T (x - mean) / (N - 1) = sum_i variance_i * component_i component_i^T
   *
   * Exact: every eigenvalue is computed, in double. The loading of largest magnitude of a component
   * is positive (of equal ones, the first). Directions without variance are filled up
   * orthonormally, so that more components than the rank may be asked for; variance up to
   * max(N, D) 2^-52 of the largest counts as 0.
   * Accuracy: orthonormal to 1e-6, variances relative 1e-5 where they are above 1e-9 of the largest.
   *
   * @overload
   * @param {TableInput} x  [N, D], finite; a tensor or a table
   * @param {{components?: number}} [options]  k, from 1 to D; default 2 (1 where D is 1)
   * @returns {PrincipalComponents} the caller's own
   * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range, or x holds
   *   NaN or an infinity
   * @see Jolliffe 2002, Principal component analysis, chapter 1
   * @example
   * pca([[0, 0], [2, 1], [4, 2]], { components: 1 }).components.toArray()
   * // [[0.8944271802902222, 0.4472135901451111]]
   */
  // The overload is the function itself: declarations keep the comments of overloads alone.
  /** @param {TableInput} x @param {{components?: number}} [options] @returns {PrincipalComponents} */
  function ofVectors(x, options = {}) {
    const { components } = check.options(options, { components: undefined }, "pca");
    const rows = readTable(core, x, "x");
    const { N, D } = rows;
    if (N === 0) throw new RangeError(`x must have at least one row; got [0, ${D}]`);
    const k =
      components === undefined ? Math.min(2, D) : check.integer(components, "components", 1, D);
    const { mean, eigenvalues, directions } = decompose(core, rows, k);
    const total = eigenvalues.reduce((sum, value) => sum + value, 0);

    /** @param {(value: number) => number} of */
    const each = (of) =>
      new Tensor(
        Float32Array.from({ length: k }, (_, i) => of(eigenvalues[i] ?? 0)),
        [k],
      );
    return {
      mean: new Tensor(Float32Array.from(mean), [D]),
      components: new Tensor(Float32Array.from(directions), [k, D]),
      explainedVariance: each((value) => (value === 0 ? 0 : value / (N - 1))),
      explainedVarianceRatio: each((value) => (value === 0 ? 0 : value / total)),
      singularValues: each(Math.sqrt),
      projected: project(rows, [N], undefined),
      project(y, options = {}) {
        const { out } = check.options(options, { out: undefined }, "project");
        const more = readTable(core, y, "x", "[..., D]");
        if (more.D !== D) {
          throw new RangeError(`x must have shape [..., ${D}]; got [${more.shape.join(", ")}]`);
        }
        return project(more, more.shape.slice(0, -1), out);
      },
    };

    /** @param {Rows} rows @param {number[]} shape @param {unknown} out */
    function project(rows, shape, out) {
      const result = check.destination(out, [...shape, k]);
      const pieces = [
        rows,
        { data: mean },
        { data: directions },
        D * 8,
        /** @type {const} */ ({ data: result, row: k, way: "out" }),
      ];
      const count = check.count(shape);
      overRows(core, "project", count, pieces, (n, _from, [at, meanAt, directionsAt, workAt, to]) =>
        raw.pca_project(at, n, D, meanAt, directionsAt, k, workAt, to),
      );
      return new Tensor(result, [...shape, k]);
    }
  }
}

/**
 * The singular values of centred rows, largest first.
 * @param {Core} core @param {Rows} rows
 */
export function singularValues(core, rows) {
  return decompose(core, rows, 0).eigenvalues.map(Math.sqrt);
}

/**
 * Mean, eigenvalues of (x - mean)^T (x - mean), largest first (min(N, D) of them; any others are 0),
 * and the first k directions.
 * @param {Core} core @param {Rows} rows
 * @param {number} k  0: no directions
 */
function decompose(core, rows, k) {
  const { N, D } = rows;
  const where = "pca";
  const raw = /** @type {PcaRaw} */ (core.raw);
  const side = N < D ? ROWS : COLUMNS;
  const n = Math.min(N, D);
  const step = Math.min(tileRows(D * 4, N), MOST_ROWS); // rows of a tile
  const wide = side === ROWS ? tileRows(N * 4, D) : 0; // columns of a tile
  const pieces = [
    ...[n * n * 8, n * 8, n * 16, D * 8, D * 8],
    tileBytes(rows, step),
    N * wide * 4,
    Math.ceil(n / 4) * 4 * (wide || step) * 8,
    side === ROWS ? k * D * 8 : 0,
  ];
  return withMemory(core, where, pieces, (...at) => {
    const [matrixAt, valuesAt, scratchAt, meanAt, rowAt, tile, columnsAt, workAt, ownAt] = at;
    /** @param {(tileAt: number, count: number, from: number) => number} kernel */
    const overTiles = (kernel) => {
      for (let from = 0; from < N; from += step) {
        const count = Math.min(step, N - from);
        checkStatus(kernel(rows.place(from, count, tile), count, from), where);
      }
    };

    const mean = new Float64Array(D);
    put(core, mean, meanAt);
    overTiles((tileAt, count) => raw.pca_add_columns(tileAt, count, D, meanAt));
    take(core, meanAt, D, mean);
    if (!mean.every(Number.isFinite)) {
      overTiles((tileAt, count, from) => {
        const numbers = core.raw.HEAPF32.subarray(tileAt >>> 2, (tileAt >>> 2) + count * D);
        const bad = numbers.findIndex((x) => !Number.isFinite(x));
        if (bad < 0) return 0;
        throw new RangeError(
          `x must hold finite numbers; got ${numbers[bad]} at ${from * D + bad}`,
        );
      });
    }
    for (let d = 0; d < D; ++d) mean[d] /= N;
    put(core, mean, meanAt);

    clear(core, matrixAt, n * n);
    if (side === COLUMNS) {
      overTiles((tileAt, count) =>
        raw.pca_add_products(tileAt, count, D, meanAt, side, workAt, matrixAt, n),
      );
    }
    for (let d = 0; d < D && side === ROWS; d += wide) {
      const count = Math.min(wide, D - d);
      for (let i = 0; i < N; ++i) {
        const [from, to] = [i * D + d, columnsAt + i * count * 4];
        if (rows.data) put(core, rows.data.subarray(from, from + count), to);
        else copyFloats(core, rows.place(i, 1, tile) + d * 4, count, to);
      }
      const middleAt = meanAt + d * 8;
      checkStatus(
        raw.pca_add_products(columnsAt, N, count, middleAt, side, workAt, matrixAt, n),
        where,
      );
    }

    const noise = Math.max(N, D) * Number.EPSILON;
    checkStatus(raw.pca_decompose(matrixAt, n, k > 0, noise, valuesAt, scratchAt), where);
    const eigenvalues = new Float64Array(n);
    take(core, valuesAt, n, eigenvalues);

    const known = side === COLUMNS ? k : Math.min(k, eigenvalues.filter((x) => x > 0).length);
    if (side === ROWS) {
      clear(core, ownAt, known * D);
      overTiles((tileAt, count, from) =>
        raw.pca_combine(tileAt, from, count, N, D, meanAt, matrixAt, known, rowAt, ownAt),
      );
    }
    const directionsAt = side === ROWS ? ownAt : matrixAt;
    checkStatus(raw.pca_finish(directionsAt, k, D, known, rowAt), where);
    const directions = new Float64Array(k * D);
    take(core, directionsAt, k * D, directions);
    return { mean, eigenvalues, directions };
  });
}

/** Set doubles to 0. @param {Core} core @param {number} at @param {number} count */
function clear(core, at, count) {
  core.raw.HEAPF64.fill(0, at / 8, at / 8 + count);
}
