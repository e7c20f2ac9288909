/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
/** @import { OverTiles } from "./tiles.js" */
import * as check from "../../runtime/check.js";
import { checkStatus, wrongShape } from "../../runtime/errors.js";
import {
  copyFloats,
  withMemory,
  overRows,
  put,
  take,
  tileBytes,
  tileRows,
} from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { readTable } from "../../runtime/table.js";
import { finished, Tensor } from "../../runtime/tensor.js";
import { leading } from "./lanczos.js";
import { clear, meanOf, MOST_ROWS, tilesOf } from "./tiles.js";

/** phasor::pca::Side */
const COLUMNS = 0;
const ROWS = 1;

/** In what the products of block Lanczos are added up. */
const SUMS = /** @type {const} */ (["float32", "float64"]);

const PCA = option.optionSet("pca", {
  /** In what products of rows are added up: most in short blocks of float32, or all in double. */
  accumulate: option.choice(SUMS),
  /** The number of components k, from 1 to D. Default: 2, or 1 where D is 1. */
  components: option.integer(),
});

const PROJECT = option.optionSet("project", {
  /** Filled instead of a new array. */
  out: option.out(),
});

/**
 * The principal components of a set of rows, and the projections of the rows.
 * @typedef {object} PrincipalComponents
 * @property {Tensor} mean  float32 [D]
 * @property {Tensor} components  float32 [k, D]: orthonormal rows, largest variance first
 * @property {Tensor} explainedVariance  float32 [k]: the variance along each component, divided by N - 1
 * @property {Tensor} explainedVarianceRatio  float32 [k]: its share of the total variance
 * @property {Tensor} singularValues  float32 [k]: the singular values of the centered x
 * @property {Tensor} projected  float32 [N, k]: `(x - mean) . components`
 * @property {(x: TableInput, options?: OptionsOf<typeof PROJECT>) => Tensor} project  projects
 *   other rows [..., D]: float32 [..., k]
 */

/**
 * Principal component analysis (Pearson 1901, Hotelling 1933).
 * @param {Core} core
 */
export function pca(core) {
  option.withOptions({ pca: ofVectors }, { pca: PCA });
  return ofVectors;

  /**
   * Computes the directions in which rows vary most and projects the rows on them.
   *
   *     C = (x - mean)^T (x - mean) / (N - 1) = sum_i variance_i * component_i component_i^T
   *
   * Few components of wide rows come from block Lanczos, in about five passes over x where the leading
   * variances stand out: of 4096 rows or more, a sample of 512 gives the first directions, and noise what it
   * lacks. Products are added up in short blocks of float32, the blocks in double. What float32 cannot tell
   * (a variance below a quarter of the largest, squares far from 1) is computed in double, and so are all
   * other components, from all eigenvalues of C. The sign of a component is such that its loading of largest
   * magnitude is positive; of equal ones, the first. Components beyond the rank are filled with orthonormal
   * directions. A variance of at most max(N, D) 2^-52 of the largest counts as 0.
   * Accuracy: orthonormal within 1e-6; variances within 1e-5 of themselves where they are above 1e-9 of
   * the largest; a direction within 2e-6 of its variance over the distance to the next other variance,
   * with `accumulate: "float64"` within 1e-9.
   *
   * @overload
   * @param {TableInput} x  [N, D], finite; a tensor or a table
   * @param {OptionsOf<typeof PCA>} [options]
   * @returns {PrincipalComponents} float32 tensors
   * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range, or x contains
   *   NaN or an infinity
   * @see Jolliffe 2002, Principal component analysis, chapter 1; Golub and Underwood 1977, The block
   *   Lanczos method for computing eigenvalues
   * @example
   * pca([[0, 0], [2, 1], [4, 2]], { components: 1 }).components.toArray()
   * // [[0.8944271802902222, 0.4472135901451111]]
   */
  // TypeScript keeps the comment of an overload in declarations, but not that of a nested function.
  /** @param {TableInput} x @param {OptionsOf<typeof PCA>} [options] @returns {PrincipalComponents} */
  function ofVectors(x, options = {}) {
    const { accumulate, components } = PCA.read(options);
    const rows = readTable(core, x, "x");
    const { N, D } = rows;
    if (N === 0) throw new RangeError(`x must have at least one row; got [0, ${D}]`);
    const k =
      components === undefined ? Math.min(2, D) : check.integer(components, "components", 1, D);
    const { mean, eigenvalues, directions, total } =
      leading(core, rows, k, accumulate) ?? decompose(core, rows, k);

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
        const { out } = PROJECT.read(options);
        const more = readTable(core, y, "x", "[..., D]");
        if (more.D !== D) {
          throw wrongShape("x", `[..., ${D}]`, more.shape);
        }
        return project(more, more.shape.slice(0, -1), out);
      },
    };

    /** @param {Rows} rows @param {number[]} shape @param {unknown} out */
    function project(rows, shape, out) {
      return projected(core, rows, { mean, directions, shape, out, where: PROJECT.of });
    }
  }
}

/**
 * Projects rows on directions: (x - mean) . directions, in double.
 * @param {Core} core @param {Rows} rows
 * @param {{mean: Float64Array, directions: Float64Array, shape: number[], out: unknown, where: string}} on
 *   [D], [k, D]; the shape of x without its last axis
 * @returns {Tensor} float32 [...shape, k]
 */
export function projected(core, rows, { mean, directions, shape, out, where }) {
  const { D } = rows;
  const k = directions.length / D;
  const result = check.destination(out, [...shape, k]);
  const pieces = [
    rows,
    { data: mean },
    { data: directions },
    /** @type {const} */ ({ data: result, row: k, direction: "out" }),
  ];
  const count = check.count(shape);
  overRows(core, where, count, pieces, (n, _from, [at, meanAt, directionsAt, to]) =>
    core.raw.pca_project(at, n, D, meanAt, directionsAt, k, to),
  );
  return finished(result, [...shape, k]);
}

/**
 * Computes the singular values of centered rows, largest first.
 * @param {Core} core @param {Rows} rows
 */
export function singularValues(core, rows) {
  return decompose(core, rows, 0).eigenvalues.map(Math.sqrt);
}

/**
 * Computes the mean, the min(N, D) largest eigenvalues of (x - mean)^T (x - mean), largest first (the
 * others are 0), and the first k directions.
 * @param {Core} core @param {Rows} rows
 * @param {number} k  0 for no directions
 */
function decompose(core, rows, k) {
  const { N, D } = rows;
  const { raw } = core;
  const side = N < D ? ROWS : COLUMNS;
  const n = Math.min(N, D);
  const step = Math.min(tileRows(D * 4, N), MOST_ROWS); // rows of a tile
  const width = side === ROWS ? tileRows(N * 4, D) : 0; // columns of a tile
  const pieces = [
    ...[n * n * 8, n * 8, n * 16, D * 8, D * 8],
    tileBytes(rows, step),
    N * width * 4,
    Math.ceil(n / 4) * 4 * (width || step) * 8,
    side === ROWS ? k * D * 8 : 0,
  ];
  return withMemory(core, PCA.of, pieces, (...at) => {
    const [matrixAt, valuesAt, scratchAt, meanAt, rowAt, tile, columnsAt, workAt, combinedAt] = at;
    /** @type {OverTiles} */
    const overTiles = (kernel) => tilesOf(rows, step, tile, kernel);

    const mean = meanOf(core, rows, overTiles, meanAt);
    clear(core, matrixAt, n * n);
    if (side === COLUMNS) {
      overTiles((tileAt, count) =>
        raw.pca_add_products(tileAt, count, D, meanAt, side, workAt, matrixAt, n),
      );
    } else {
      overColumns(core, rows, width, tile, columnsAt, (first, count) =>
        raw.pca_add_products(columnsAt, N, count, meanAt + first * 8, side, workAt, matrixAt, n),
      );
    }

    const noise = Math.max(N, D) * Number.EPSILON;
    checkStatus(raw.pca_decompose(matrixAt, n, k > 0, noise, valuesAt, scratchAt), PCA.of);
    const eigenvalues = new Float64Array(n);
    take(core, valuesAt, n, eigenvalues);
    const total = eigenvalues.reduce((sum, value) => sum + value, 0);

    const known = side === COLUMNS ? k : Math.min(k, eigenvalues.filter((x) => x > 0).length);
    if (side === ROWS) {
      clear(core, combinedAt, known * D);
      overTiles((tileAt, count, from) =>
        raw.pca_combine(tileAt, from, count, N, D, meanAt, matrixAt, known, rowAt, combinedAt),
      );
    }
    const directionsAt = side === ROWS ? combinedAt : matrixAt;
    checkStatus(raw.pca_finish(directionsAt, k, D, known, rowAt), PCA.of);
    const directions = new Float64Array(k * D);
    take(core, directionsAt, k * D, directions);
    return { mean, eigenvalues, directions, total };
  });
}

/**
 * Runs a kernel over tiles of columns, which are copied one after the other to `columnsAt`.
 * @param {Core} core @param {Rows} rows @param {number} width  columns of a tile
 * @param {number} tile @param {number} columnsAt
 * @param {(first: number, count: number) => number} kernel
 */
function overColumns(core, rows, width, tile, columnsAt, kernel) {
  const { N, D } = rows;
  for (let d = 0; d < D; d += width) {
    const count = Math.min(width, D - d);
    for (let i = 0; i < N; ++i) {
      const [from, to] = [i * D + d, columnsAt + i * count * 4];
      if (rows.data) put(core, rows.data.subarray(from, from + count), to);
      else copyFloats(core, rows.place(i, 1, tile) + d * 4, count, to);
    }
    checkStatus(kernel(d, count), PCA.of);
  }
}
