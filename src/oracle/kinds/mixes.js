/**
 * Pairs that no rotation explains: from two vectors a position on, the 2 x 2 matrix of each pair is known, and its two
 * rows show which columns of a table they come from.
 */
import { pairOf } from "../further/vectors.js";
import { columnsOf } from "../identify/residual.js";

/**
 * @import { Turns } from "../identify/measure.js"
 * @import { Layout, Pairing, Port } from "../identify/residual.js"
 */

/** The squared sine of the angle between vectors, below which their matrix is not solved. */
const PARALLEL = 0.1;

/**
 * The mixes that ports have: tables of one layout used on pairs of the other, a minus that is lost, and a first number
 * that is overwritten before the second is made. For each, what its pairs turn by, as if they were rotations.
 * @param {Port} port
 * @returns {{pairing: Pairing, turns: Turns}[]}
 */
export function mixesOf(port) {
  const { kind, columns, batches } = port;
  if (kind === "table" || batches < 2 || columns % 2 !== 0 || columns < 4) return [];
  /** @type {readonly Layout[]} */
  const layouts = ["halves", "interleaved"];
  return layouts.flatMap((layout, i) => {
    const plain = { start: 0, pairs: columns / 2, from: layout, to: layout, isSwapped: false };
    const table = layouts[1 - i];
    return [
      { pairing: { ...plain, table }, turns: turnsOfTable(port, layout, table) },
      { pairing: { ...plain, isMinusLost: true }, turns: turnsOfTable(port, layout, layout) },
      {
        pairing: { ...plain, isOverwritten: true },
        turns: turnsOfTable(port, layout, layout, true),
      },
    ];
  });
}

/**
 * The cosine and sine of each column of a table, from the second row of each pair's matrix, and its first where
 * that has no other: columns of the second halves of pairs, whose sign no lost minus changes, decide alone where they can.
 * @param {Port} port @param {Layout} layout  of the pairs @param {Layout} table
 * @param {boolean} [isFirst]  whether the first row decides
 * @returns {Turns}
 */
function turnsOfTable({ arrays, T, columns, batches }, layout, table, isFirst = false) {
  const pairs = columns / 2;
  const places = columnsOf(layout, 0, pairs);
  /** The columns that show a pair of the table: [own, other, sign of the other]. @type {[number, number, number][]} */
  const shown = [];
  for (let i = 0; i < pairs; ++i) {
    const [a, b] = places(i);
    shown[pairOf(table, pairs, a)] ??= [a, b, -1];
    if (table === layout) shown[i] = isFirst ? [a, b, -1] : [b, a, 1];
    else shown[pairOf(table, pairs, b)] ??= [b, a, 1];
  }
  const [before, after] = arrays;
  return {
    rows: T,
    pairs,
    read(pair, first, rows, re, im) {
      const [own, other, sign] = shown[pair];
      for (let t = 0; t < rows; ++t) {
        let [pp, pq, qq, pr, qr] = [0, 0, 0, 0, 0];
        for (let batch = 0; batch < batches; ++batch) {
          const row = (batch * T + first + t) * columns;
          const [p, q, r] = [before[row + own], before[row + other], after[row + own]];
          pp += p * p;
          pq += p * q;
          qq += q * q;
          pr += p * r;
          qr += q * r;
        }
        // Vectors of almost one direction do not show two numbers.
        const det = pp * qq - pq * pq;
        const isShown = det > PARALLEL * pp * qq;
        re[t] = isShown ? (qq * pr - pq * qr) / det : NaN;
        im[t] = isShown ? (sign * (pp * qr - pq * pr)) / det : NaN;
      }
    },
  };
}
