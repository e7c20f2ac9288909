/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
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
import * as option from "../../runtime/options.js";
import { readTable } from "../../runtime/table.js";
import { finished, Tensor } from "../../runtime/tensor.js";

/** phasor::pca::Side */
const COLUMNS = 0;
const ROWS = 1;

/** The most rows of a tile: four columns of so many rows fit into the first-level cache. */
const MOST_ROWS = 256;

/** In what the products of block Lanczos are added up. */
const SUMS = /** @type {const} */ (["float32", "float64"]);

/**
 * How far an eigenvalue of block Lanczos may be from settled, relative to it (krylov.h). Sums of float32 err
 * by up to 2^-22 of the largest eigenvalue, so one below 2^-2 of that needs sums in double.
 */
const SETTLED = { float32: 2 ** -20, float64: 2 ** -30 };
const SPREAD = 2 ** -2;

/** The mean square of rows within which the products of `multiply_f32` are well within float32. */
const [LEAST_SQUARE, MOST_SQUARE] = [2 ** -60, 2 ** 60];

/** Passes of block Lanczos: the most, the fewest that are worth a beginning, and the first tested. */
const MOST_PASSES = 24;
const LEAST_PASSES = 6;
const FIRST_TEST = 3;

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
   * Few components of wide rows come from block Lanczos, in about seven passes over x where the leading
   * variances stand out: products are added up in short blocks of float32, the blocks in double. What
   * float32 cannot tell (a variance below a quarter of the largest, squares far from 1) is computed in
   * double, and so are all other components, from all eigenvalues of C. The sign of a component
   * is such that its loading of largest magnitude is positive; of equal ones, the first. Components beyond
   * the rank are filled with orthonormal directions. A variance of at most max(N, D) 2^-52 of the largest
   * counts as 0.
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
          throw new RangeError(`x must have shape [..., ${D}]; got [${more.shape.join(", ")}]`);
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
    D * 8,
    /** @type {const} */ ({ data: result, row: k, direction: "out" }),
  ];
  const count = check.count(shape);
  overRows(core, where, count, pieces, (n, _from, [at, meanAt, directionsAt, workAt, to]) =>
    core.raw.pca_project(at, n, D, meanAt, directionsAt, k, workAt, to),
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
 * Computes the mean, the k largest eigenvalues of (x - mean)^T (x - mean), their directions and the sum of
 * all eigenvalues, by block Lanczos (krylov.h). Returns nothing where that would not be faster than
 * `decompose`, or does not settle.
 * @param {Core} core @param {Rows} rows @param {number} k @param {"float32" | "float64"} accumulate
 */
function leading(core, rows, k, accumulate) {
  const { N, D } = rows;
  const { raw } = core;
  // As many columns as components: equal variances need one each.
  const b = Math.ceil(k / 4) * 4;
  // A pass costs 2 N D b products, all products of columns N D min(N, D) / 2: this is half of them.
  const passes = Math.min(MOST_PASSES, Math.floor(Math.min(N, D) / (8 * b)));
  const cheap = rows.resident || rows.data || rows.errorsAt; // reading rows anew costs little
  if (!cheap || passes < LEAST_PASSES) return undefined;
  const most = passes * b;
  const step = Math.max(4, Math.min(tileRows(D * 4, N), MOST_ROWS) & ~3); // whole fours
  const pieces = [
    ((most + b) * D + most * most + b * b + most * (most + 3)) * 8,
    ...[D * 8, b * D * 8, b * D * 8, (4 + 2 * b) * (D + 4) * 8, (k + 2) * 8, k * D * 8],
    tileBytes(rows, step),
  ];
  return withMemory(core, PCA.of, pieces, (...at) => {
    const [basisAt, meanAt, blockAt, productsAt, workAt, valuesAt, directionsAt, tile] = at;
    const [traceAt, worstAt] = [valuesAt + k * 8, valuesAt + k * 8 + 8];
    const basis = /** @type {const} */ ([basisAt, D, b, most]);
    /** @type {OverTiles} */
    const overTiles = (kernel) => tilesOf(rows, step, tile, kernel);

    let key = N;
    const mean = meanOf(core, rows, overTiles, meanAt, (tileAt, count) => {
      key = raw.pca_mix(tileAt, count, D, key);
    });
    clear(core, traceAt, 2);
    checkStatus(raw.pca_start(...basis, key), PCA.of);
    const noise = Math.max(N, D) * Number.EPSILON;

    const total = () => raw.HEAPF64[traceAt / 8];

    /** Multiplies the last b of m vectors, and extends the basis. @param {number} m @param {"float32" | "float64"} sums */
    const multiply = (m, sums) => {
      const vectorsAt = basisAt + (m - b) * D * 8;
      if (sums === "float64") checkStatus(raw.pca_last_block(...basis, m - b, blockAt), PCA.of);
      clear(core, productsAt, b * D);
      const isFirst = total() === 0;
      overTiles((tileAt, count) => {
        if (isFirst) raw.pca_add_trace(tileAt, count, D, meanAt, traceAt);
        return sums === "float32"
          ? raw.pca_multiply_f32(tileAt, count, D, meanAt, vectorsAt, b, workAt, productsAt)
          : raw.pca_multiply(tileAt, count, D, meanAt, blockAt, b, workAt, productsAt);
      });
      checkStatus(raw.pca_extend(...basis, m, productsAt), PCA.of);
    };

    /**
     * Extends the basis until all k eigenvalues have settled. Returns the vectors that it has then; 0 if that
     * would not be within all passes, or the squares are not within float32.
     * @param {"float32" | "float64"} sums @param {number} firstTest  passes before the first test
     */
    const settle = (sums, firstTest) => {
      for (let done = 1, first = 0; done <= passes; ++done) {
        const m = done * b;
        multiply(m, sums);
        if (sums === "float32" && !isWithin(total() / N)) return 0;
        if (done < firstTest) continue;
        const settled = SETTLED[accumulate];
        checkStatus(raw.pca_ritz(...basis, m, noise, settled, valuesAt, k, worstAt), PCA.of);
        const worst = raw.HEAPF64[worstAt / 8];
        if (worst <= 1) return m;
        first ||= worst;
        if (done < LEAST_PASSES) continue;
        // Falling on as it has since the first test, would it be above 1 after the last pass? Both sides
        // are raised to the number of passes since that test, which takes products alone.
        let last = 1;
        for (let i = firstTest; i < done; ++i) last *= worst;
        for (let i = done; i < passes; ++i) last *= worst / first;
        if (last > 1) return 0;
      }
      return 0;
    };

    let m = accumulate === "float32" ? settle("float32", FIRST_TEST) : 0;
    if (m > 0) {
      const [largest, least] = [0, k - 1].map((i) => raw.HEAPF64[valuesAt / 8 + i]);
      if (least < SPREAD * largest) {
        checkStatus(raw.pca_restart(...basis, m), PCA.of);
        m = settle("float64", 1);
      }
    } else if (accumulate === "float64" || !isWithin(total() / N)) {
      m = settle("float64", FIRST_TEST);
    }
    if (m === 0) return undefined;

    const eigenvalues = new Float64Array(k);
    take(core, valuesAt, k, eigenvalues);
    const known = eigenvalues.filter((x) => x > 0).length;
    checkStatus(raw.pca_assemble(...basis, m, directionsAt, k), PCA.of);
    checkStatus(raw.pca_finish(directionsAt, k, D, known, workAt), PCA.of);
    const directions = new Float64Array(k * D);
    take(core, directionsAt, k * D, directions);
    return { mean, eigenvalues, directions, total: total() };
  });
}

/** Whether numbers of this mean square are well within float32. @param {number} square  of a row */
const isWithin = (square) => square >= LEAST_SQUARE && square <= MOST_SQUARE;

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
 * Runs a kernel over tiles of rows.
 * @typedef {(kernel: (tileAt: number, count: number, from: number) => number) => void} OverTiles
 */

/** @param {Rows} rows @param {number} step @param {number} tile @param {Parameters<OverTiles>[0]} kernel */
export function tilesOf(rows, step, tile, kernel) {
  for (let from = 0; from < rows.N; from += step) {
    const count = Math.min(step, rows.N - from);
    checkStatus(kernel(rows.place(from, count, tile), count, from), PCA.of);
  }
}

/**
 * Computes the mean of rows, and leaves it at an address too.
 * @param {Core} core @param {Rows} rows @param {OverTiles} overTiles @param {number} meanAt
 * @param {(tileAt: number, count: number) => void} [use]  gets every tile too
 */
function meanOf(core, { N, D }, overTiles, meanAt, use) {
  const { raw } = core;
  const mean = new Float64Array(D);
  put(core, mean, meanAt);
  overTiles((tileAt, count) => {
    use?.(tileAt, count);
    return raw.pca_add_columns(tileAt, count, D, meanAt);
  });
  take(core, meanAt, D, mean);
  if (!mean.every(Number.isFinite)) refuseInfinite(core, "x", D, overTiles);
  for (let d = 0; d < D; ++d) mean[d] /= N;
  put(core, mean, meanAt);
  return mean;
}

/** Names the first number that is not finite. @param {Core} core @param {string} name @param {number} D @param {OverTiles} overTiles */
export function refuseInfinite(core, name, D, overTiles) {
  overTiles((tileAt, count, from) => {
    const numbers = core.raw.HEAPF32.subarray(tileAt >>> 2, (tileAt >>> 2) + count * D);
    const bad = numbers.findIndex((x) => !Number.isFinite(x));
    if (bad < 0) return 0;
    throw new RangeError(
      `${name} must contain finite numbers; got ${numbers[bad]} at ${from * D + bad}`,
    );
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

/** Sets doubles to 0. @param {Core} core @param {number} at @param {number} count */
function clear(core, at, count) {
  core.raw.HEAPF64.fill(0, at / 8, at / 8 + count);
}
