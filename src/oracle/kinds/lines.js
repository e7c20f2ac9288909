/** The numbers of a bias by distance and by key, least and most of those that share one. */

/**
 * @import { Cells } from "./masks.js"
 *
 * The least and the most of the cells at each place; NaN where all are hidden.
 * @typedef {{low: Float64Array, high: Float64Array}} Line
 *
 * @typedef {object} Lines
 * @property {Line[]} lines  of each head @property {number} from  the first distance key - query, or key
 * @property {number} count  of places
 * @property {number} spread  how far cells of one place are apart at most, in units of rounding: up to 1 they are equal
 * @property {number} largest  the same as a number
 * @property {{head: number, distance: number, apart: number}} worst  where that is
 */

/** Cells of one place may differ by two roundings of float32. */
const ROUNDING = 2 ** -22;

/**
 * @param {Cells} cells @param {number} count @param {number} from @param {(i: number, j: number) => number} placeOf
 * @returns {Lines}
 */
function linesOf({ H, Tq, Tk, data, hidden }, count, from, placeOf) {
  const found = { spread: 0, largest: 0, worst: { head: 0, distance: from, apart: 0 } };
  const lines = Array.from({ length: H }, (_, h) => {
    const low = new Float64Array(count).fill(NaN);
    const high = new Float64Array(count).fill(NaN);
    for (let i = 0, k = h * Tq * Tk; i < Tq; ++i) {
      for (let j = 0; j < Tk; ++j, ++k) {
        if (hidden[k] === 1) continue;
        const at = placeOf(i, j);
        if (!(data[k] >= low[at])) low[at] = data[k];
        if (!(data[k] <= high[at])) high[at] = data[k];
      }
    }
    for (let at = 0; at < count; ++at) {
      const apart = high[at] - low[at];
      if (!(apart > 0)) continue;
      const spread = apart / (ROUNDING * Math.max(Math.abs(low[at]), Math.abs(high[at])));
      if (spread <= found.spread) continue;
      Object.assign(found, { spread, worst: { head: h, distance: from + at, apart } });
      found.largest = Math.max(found.largest, apart);
    }
    return { low, high };
  });
  return { lines, from, count, ...found };
}

/** By distance: key j and query i, which is at Tk - Tq + i. @param {Cells} cells */
export const distancesOf = (cells) => {
  const { Tq, Tk } = cells;
  return linesOf(cells, Tq + Tk - 1, 1 - Tk, (i, j) => Tq - 1 - i + j);
};

/** @param {Cells} cells */
export const keysOf = (cells) => linesOf(cells, cells.Tk, 0, (_, j) => j);
