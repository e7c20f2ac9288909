/** Finds which columns of a port form pairs. */
import { further } from "./later.js";
import { columnsOf } from "./residual.js";

/**
 * @import { Turns } from "./measure.js"
 * @import { Layout, Pairing, Port } from "./residual.js"
 */

/** Batches whose numbers differ by more than this share of their factor turn by other angles, whatever rounds them. */
export const CLEAR_SHARE = 0.25;

/** @type {readonly Layout[]} */
export const LAYOUTS = Object.freeze(["halves", "interleaved"]);

/**
 * The pairings that the columns of a table allow: equal columns are of one pair.
 * @param {Port} port
 * @returns {Pairing[]} one column a pair where no columns are equal
 */
function tablePairings({ arrays, columns, batches, T }) {
  const rows = batches * T;
  /** @param {Layout} layout */
  const isOf = (layout) => {
    const places = columnsOf(layout, 0, columns / 2);
    for (let i = 0; i < columns / 2; ++i) {
      const [a, b] = places(i);
      for (const array of arrays) {
        for (let at = 0; at < rows * columns; at += columns) {
          if (array[at + a] !== array[at + b]) return false;
        }
      }
    }
    return true;
  };
  const found = columns % 2 === 0 ? LAYOUTS.filter(isOf) : [];
  const layouts = found.length > 0 ? found : [null];
  return layouts.map((layout) => ({
    start: 0,
    pairs: layout === null ? columns : columns / 2,
    from: layout,
    to: layout,
    isSwapped: false,
  }));
}

/** @param {Port} port @returns {Pairing[]} none if no column of vectors changes */
export const pairingsOf = (port) =>
  port.kind === "table" ? tablePairings(port) : further().vectorPairings(port);

/**
 * The complex number of each pair and row: cosine and sine, or the one by which the vectors of a row were multiplied.
 * @param {Port} port @param {Pairing} pairing @returns {Turns}
 */
export function turnsOf(port, pairing) {
  const { kind, arrays, T, columns } = port;
  if (kind !== "table") return further().vectorTurns(port, pairing);
  const { start, pairs, from, isSwapped } = pairing;
  const read = columnsOf(from, start, pairs);
  const [one, two] = isSwapped ? [arrays[1], arrays[0]] : arrays;
  return {
    rows: T,
    pairs,
    batchesDiffer: (factor) =>
      arrays.some((array) =>
        array.some((x, at) => Math.abs(x - array[at % (T * columns)]) > CLEAR_SHARE * factor),
      ),
    read(pair, first, rows, re, im) {
      const [column] = read(pair);
      for (let t = 0; t < rows; ++t) {
        const at = (first + t) * columns + column;
        re[t] = one[at];
        im[t] = two[at];
      }
    },
  };
}
