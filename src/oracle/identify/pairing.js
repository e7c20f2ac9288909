/** Finds which columns of a port form pairs. */
import { columnsOf } from "./residual.js";

/**
 * @import { Turns } from "./measure.js"
 * @import { Layout, Pairing, Port } from "./residual.js"
 */

/** @type {readonly Layout[]} */
const LAYOUTS = ["halves", "interleaved"];

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

/**
 * The pairings that the columns which change allow, likeliest first.
 * @param {Port} port
 */
function vectorPairings({ arrays, columns }) {
  const [before, after] = arrays;
  const changes = new Uint8Array(columns);
  for (let at = 0; at < before.length; ++at) {
    if (before[at] !== after[at]) changes[at % columns] = 1;
  }
  const start = changes.indexOf(1);
  if (start < 0) return [];
  const end = changes.lastIndexOf(1) + 1;
  /** @type {[start: number, dim: number][]} */
  const spans = [[0, columns]];
  const gap = changes.indexOf(0, start);
  const again = gap < 0 ? -1 : changes.indexOf(1, gap);
  if (again > 0) spans.unshift([start, 2 * (again - start)]); // two runs: the first columns of each half
  const even = start - (start % 2);
  for (const dim of [end + (end % 2) - even, columns - even, columns / 2, columns / 4])
    spans.push([even, dim]);
  /** @type {Map<string, Pairing>} */
  const found = new Map();
  for (const [from, dim] of spans) {
    if (dim % 2 !== 0 || from + dim > columns || from + dim < end || dim < 2) continue;
    for (const read of LAYOUTS) {
      for (const write of LAYOUTS) {
        if (dim === 2 && (read !== "halves" || write !== "halves")) continue;
        const pairing = { start: from, pairs: dim / 2, from: read, to: write, isSwapped: false };
        found.set(JSON.stringify(pairing), pairing);
      }
    }
  }
  // Without a crossing first: it is rarer.
  return [...found.values()].sort((a, b) => Number(a.from !== a.to) - Number(b.from !== b.to));
}

/** @param {Port} port @returns {Pairing[]} none if no column of vectors changes */
export const pairingsOf = (port) =>
  port.kind === "table" ? tablePairings(port) : vectorPairings(port);

/**
 * The complex number of each pair and row: cosine and sine, or the one by which the vectors of a row were multiplied,
 * by least squares over batches.
 * @param {Port} port @param {Pairing} pairing @returns {Turns}
 */
export function turnsOf({ kind, arrays, batches, T, columns }, pairing) {
  const { start, pairs, from, to, isSwapped } = pairing;
  const [read, write] = [columnsOf(from, start, pairs), columnsOf(to, start, pairs)];
  const [one, two] = arrays;
  const exchange = (/** @type {Float64Array} */ re, /** @type {Float64Array} */ im) =>
    isSwapped ? [im, re] : [re, im];
  if (kind === "table") {
    return {
      rows: T,
      pairs,
      read(pair, first, rows, re, im) {
        const [column] = read(pair);
        const [x, y] = exchange(re, im);
        for (let t = 0; t < rows; ++t) {
          const at = (first + t) * columns + column;
          x[t] = one[at];
          y[t] = two[at];
        }
      },
    };
  }
  return {
    rows: T,
    pairs,
    read(pair, first, rows, re, im) {
      const [a, b] = read(pair);
      const [c, d] = write(pair);
      const [x, y] = exchange(re, im);
      for (let t = 0; t < rows; ++t) {
        let [dot, cross, size] = [0, 0, 0];
        for (let batch = 0; batch < batches; ++batch) {
          const row = (batch * T + first + t) * columns;
          const [p, q, u, v] = [one[row + a], one[row + b], two[row + c], two[row + d]];
          dot += u * p + v * q;
          cross += v * p - u * q;
          size += p * p + q * q;
        }
        x[t] = size > 0 ? dot / size : 0;
        y[t] = size > 0 ? cross / size : 0;
      }
    },
  };
}
