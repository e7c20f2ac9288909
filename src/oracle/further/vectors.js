/** Vectors before and after a rotation: which columns form pairs, by what each was multiplied, and the comparison. */
import { EPSILON, PER_ANGLE, STEPS } from "../numbers.js";
import { CLEAR_SHARE, LAYOUTS } from "../identify/pairing.js";
import { columnsOf, narrow, PER_EXACT_ANGLE } from "../identify/residual.js";

/**
 * @import { Turns } from "../identify/measure.js"
 * @import { Applied, Layout, Pairing, Port, Residual, Rows } from "../identify/residual.js"
 */

/** The pair that a column of a table belongs to. @param {Layout} layout @param {number} pairs @param {number} column */
export const pairOf = (layout, pairs, column) =>
  layout === "halves" ? column % pairs : column >> 1;

/**
 * The pairings that the columns which change allow, likeliest first.
 * @param {Port} port
 */
export function vectorPairings({ arrays, columns }) {
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

/**
 * The complex number by which the vectors of a row were multiplied, of each pair, by least squares over batches: all are
 * computed at the first that is read.
 * @param {Port} port @param {Pairing} pairing @returns {Turns}
 */
export function vectorTurns(port, pairing) {
  const { T } = port;
  /** @type {ReturnType<typeof multipliers> | undefined} */
  let all;
  const numbers = () => (all ??= multipliers(port, pairing));
  return {
    rows: T,
    pairs: pairing.pairs,
    batchesDiffer(factor) {
      const { re, im } = numbers(); // shorter where batches turn by other angles
      return re.some((x, k) => {
        const size = Math.sqrt(x * x + im[k] * im[k]);
        return size > 0 && size < (1 - CLEAR_SHARE) * factor;
      });
    },
    read(pair, first, rows, re, im) {
      const at = pair * T + first;
      re.set(numbers().re.subarray(at, at + rows));
      im.set(numbers().im.subarray(at, at + rows));
    },
  };
}

/** The numbers of `vectorTurns`, [pairs, T]. @param {Port} port @param {Pairing} pairing */
function multipliers({ arrays: [one, two], batches, T, columns }, pairing) {
  const { start, pairs, from, to, isSwapped } = pairing;
  const places = Array.from({ length: pairs }, (_, i) =>
    columnsOf(from, start, pairs)(i).concat(columnsOf(to, start, pairs)(i)),
  );
  const [x, y] = [new Float64Array(pairs * T), new Float64Array(pairs * T)];
  for (let t = 0; t < T; ++t) {
    for (const [pair, [a, b, c, d]] of places.entries()) {
      let [dot, cross, size] = [0, 0, 0];
      for (let batch = 0; batch < batches; ++batch) {
        const row = (batch * T + t) * columns;
        const [p, q, u, v] = [one[row + a], one[row + b], two[row + c], two[row + d]];
        dot += u * p + v * q;
        cross += v * p - u * q;
        size += p * p + q * q;
      }
      x[pair * T + t] = size > 0 ? dot / size : 0;
      y[pair * T + t] = size > 0 ? cross / size : 0;
    }
  }
  return isSwapped ? { re: y, im: x } : { re: x, im: y };
}

/** @param {Port} port @param {Applied} convention @param {Rows} rows @param {Residual} found */
export function compareVectors(
  { arrays, names, batches, T, columns, precision, isNarrow },
  convention,
  rows,
  found,
) {
  const { pairing, sign, factor } = convention;
  const { start, pairs, from, to, isSwapped, table, isMinusLost, isOverwritten } = pairing;
  const { cos, sin, angles, scale } = rows;
  const [read, write] = [columnsOf(from, start, pairs), columnsOf(to, start, pairs)];
  const ofTable = (/** @type {number} */ column, /** @type {number} */ pair) =>
    table ? pairOf(table, pairs, column - start) : pair;
  const [before, after] = arrays;
  /** @param {number} row @param {number} column @param {number} wanted @param {number} size @param {number} angle @param {number} tight */
  const compare = (row, column, wanted, size, angle, tight) => {
    const off = Math.abs(after[row * columns + column] - wanted);
    if (off === 0) return;
    found.score = Math.max(found.score, off / (size + PER_ANGLE * angle));
    found.exact = Math.max(found.exact, off / (size + PER_EXACT_ANGLE * angle));
    if (isNarrow) found.narrow = Math.max(found.narrow, off / tight);
    if (off <= found.largest) return;
    found.largest = off;
    found.at = { array: names[1], row: row % T, column };
  };
  /** @type {[read: [number, number], write: number, pair: number, side: 1 | -1][]} */
  const places = Array.from({ length: pairs }, (_, i) => i).flatMap((i) => {
    const [a, b] = read(i);
    const [u, v] = write(i);
    return /** @type {any} */ ([[[a, b], u, ofTable(u, i), isMinusLost ? 1 : -1], [[b, a], v, ofTable(v, i), 1]]); // prettier-ignore
  });
  const others = Array.from({ length: columns }, (_, column) => column).filter(
    (column) => column < start || column >= start + 2 * pairs,
  );
  for (let b = 0; b < batches; ++b) {
    for (let t = rows.from; t < rows.to && found.score <= 1; ++t) {
      const row = b * T + t;
      for (const [[own, other], column, pair, side] of places) {
        const k = (t - rows.from) * pairs + pair;
        const [x, y] = [factor * scale * cos[k], factor * scale * sign * sin[k]];
        const [c, s] = isSwapped ? [y, x] : [x, y];
        const p = before[row * columns + own];
        const q = (isOverwritten && side > 0 ? after : before)[row * columns + other];
        const size = factor * (Math.abs(p) + Math.abs(q));
        const wanted = p * c + side * q * s;
        const angle = size * Math.abs(angles[k]);
        const products = STEPS * (Math.abs(p * c) + Math.abs(q * s));
        const tight = narrow(products, STEPS * size, angle, precision);
        compare(row, column, wanted, size * STEPS * EPSILON[precision], angle, tight);
      }
      for (const column of others) {
        const x = before[row * columns + column];
        const size = EPSILON[precision] * Math.abs(x);
        compare(row, column, x, size, 0, size);
      }
    }
  }
}

/** Whether vectors have an axis of heads. @param {Port["kind"]} kind @param {readonly [string, string]} names @param {readonly number[]} shape */
export function checkHeads(kind, [name], shape) {
  if (kind !== "table" && shape.length >= 3) return;
  throw new RangeError(
    `${name} must be vectors [..., T, H, columns] with headsAfter; got shape [${shape.join(", ")}]`,
  );
}
