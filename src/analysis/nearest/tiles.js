/** @import { NearestBest, NearestComparison, NearestTile } from "../../runtime/bindings.js" */
/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows } from "../../runtime/table.js" */
/** @import { Search } from "./arguments.js" */
import { checkStatus } from "../../runtime/errors.js";
import { withSearchMemory } from "./memory.js";

/** phasor::similarity::Metric */
const COSINE = 1;

/**
 * Runs a kernel over the rows of a table. The kernel gets what all kernels of a search have in common.
 * @typedef {(kernel: (tile: NearestTile, comparison: NearestComparison) => number) => void} OverRows
 */

/**
 * Some queries of a search, in WASM memory.
 * @typedef {object} QueryTile
 * @property {number} from  the first query
 * @property {number} count
 * @property {number} queriesAt  address of the queries [count, D]
 * @property {NearestBest} best  the addresses of keys and ids [count, k]
 * @property {number[]} moreAt  addresses of the memory that the caller asked for
 * @property {OverRows} overRows
 */

/**
 * Calls a function for all queries, tile by tile.
 * @param {Core} core @param {Rows} table @param {Search} search
 * @param {readonly number[]} bytesPerQuery  sizes of more memory for each query
 * @param {number} bytesPerRow  the size of more memory for each row of a tile
 * @param {(tile: QueryTile) => void} use
 */
export function overQueries(core, table, search, bytesPerQuery, bytesPerRow, use) {
  if (search.Q * search.k === 0) return;
  withSearchMemory(core, table, search, { bytesPerQuery, bytesPerRow }, (memory) => {
    const { queriesAt, moreAt } = memory;
    const best = { keys: memory.keysAt, ids: memory.idsAt, k: search.k };
    for (let from = 0; from < search.Q; from += memory.step) {
      const count = Math.min(memory.step, search.Q - from);
      const comparison = memory.place(from, count);
      /** @type {OverRows} */
      const overRows = (kernel) =>
        overTiles({ ...table, codes: memory.codes }, search.metric, memory, (tile) =>
          kernel(tile, comparison),
        );
      use({ from, count, queriesAt, best, moreAt, overRows });
    }
  });
}

/**
 * Runs a kernel over all rows of a table, tile by tile.
 * @param {Rows} table @param {number} metric
 * @param {{rows: number, tileAt: number}} memory  how many rows a tile has, and where it is copied
 * @param {(tile: NearestTile) => number} kernel
 */
function overTiles(table, metric, { rows, tileAt }, kernel) {
  const { N: V, D, squaresAt = 0, sketchAt = 0, codes } = table;
  const errorsAt = errorsOf(table, metric);
  table.live();
  for (let first = 0; first < V; first += rows) {
    const N = Math.min(rows, V - first);
    const tile = {
      rows: codes ? 0 : table.place(first, N, tileAt),
      first,
      N: codes ? 0 : N,
      D,
      codes: codes?.at ?? 0,
      scales: codes?.scalesAt ?? 0,
      packed: codes ? N : 0,
      squares: squaresAt && squaresAt + first * 8,
      known: squaresAt && N,
      errors: errorsAt && errorsAt + first * 4,
      rounded: errorsAt && N,
      sketch: sketchAt,
      V: sketchAt && V,
      dtype: codes?.dtype ?? 0,
    };
    checkStatus(kernel(tile));
  }
}

/**
 * The address of the error bounds that a metric uses; 0 if the rows are exact.
 * @param {Rows} table @param {number} metric
 */
export function errorsOf({ errorsAt }, metric) {
  return (metric === COSINE ? errorsAt?.directions : errorsAt?.lengths) ?? 0;
}
