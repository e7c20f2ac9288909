/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows } from "../../runtime/table.js" */
/** @import { OverTiles } from "./tiles.js" */
import { checkStatus } from "../../runtime/errors.js";
import { copyFloats, withMemory, put, tileBytes, tileRows } from "../../runtime/memory.js";
import { clear, doublesAt, meanOf, MOST_ROWS, tilesOf } from "./tiles.js";

/** phasor::pca::Side */
const COLUMNS = 0;
const ROWS = 1;

/**
 * Computes the mean, the min(N, D) largest eigenvalues of (x - mean)^T (x - mean), largest first (the
 * others are 0), and the first k directions.
 * @param {Core} core @param {Rows} rows
 * @param {number} k  0 for no directions
 */
export function decompose(core, rows, k) {
  const { N, D } = rows;
  const { raw } = core;
  const side = N < D ? ROWS : COLUMNS;
  const n = Math.min(N, D);
  const step = Math.min(tileRows(D * 4, N), MOST_ROWS); // rows of a tile
  const width = side === ROWS ? tileRows(N * 4, D) : 0; // columns of a tile
  const pieces = [
    n * n * 8,
    n * 8,
    n * 16,
    D * 8,
    D * 8,
    tileBytes(rows, step),
    N * width * 4,
    Math.ceil(n / 4) * 4 * (width || step) * 8,
    side === ROWS ? k * D * 8 : 0,
  ];
  return withMemory(core, pieces, (...at) => {
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
    checkStatus(raw.pca_decompose(matrixAt, n, k > 0, noise, valuesAt, scratchAt));
    const eigenvalues = doublesAt(core, valuesAt, n);
    const total = eigenvalues.reduce((sum, value) => sum + value, 0);

    const known = side === COLUMNS ? k : Math.min(k, eigenvalues.filter((x) => x > 0).length);
    if (side === ROWS) {
      clear(core, combinedAt, known * D);
      const given = { mean: meanAt, weights: matrixAt, workspace: rowAt, out: combinedAt };
      overTiles((x, T, first) => raw.pca_combine({ x, ...given, first, T, N, D, k: known }));
    }
    const directionsAt = side === ROWS ? combinedAt : matrixAt;
    checkStatus(raw.pca_finish(directionsAt, k, D, known, rowAt));
    return { mean, eigenvalues, directions: doublesAt(core, directionsAt, k * D), total };
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
    checkStatus(kernel(d, count));
  }
}
