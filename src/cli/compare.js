/** Compares the numbers of a port with a convention. */
import { tableOf } from "../oracle/conventions.js";
import { EPSILON, PER_ANGLE, STEPS } from "../oracle/numbers.js";

/**
 * @import { RopeModules } from "../positional/rotary/rope/index.js"
 * @import { Convention } from "../oracle/conventions.js"
 * @import { Port } from "./port.js"
 */

/**
 * How far a port is from a convention.
 * @typedef {object} Fit
 * @property {number} score  the largest difference in units of what the number format explains: it fits up to 1
 * @property {number} largest  the largest difference
 * @property {{array: string, position: number, pair: number | null}} at  where; null for a column that does not rotate
 */

/** The most rows and batches that are compared while conventions are tried. */
const MOST_ROWS = 768;
const MOST_BATCHES = 2;

/** Indices of a limited number of positions: the first, the last and some between. @param {number} T */
export function sampled(T) {
  if (T <= MOST_ROWS) return Array.from({ length: T }, (_, t) => t);
  const third = MOST_ROWS / 3;
  const between = (T - 2 * third) / third;
  return Array.from({ length: MOST_ROWS }, (_, i) => {
    if (i < third) return i;
    return i < 2 * third ? Math.floor(third + (i - third) * between) : T - MOST_ROWS + i;
  });
}

/**
 * Where the pairs of a convention are in a row of the port.
 * @param {Port} port @param {Convention} convention
 * @returns {((pair: number) => readonly number[]) | undefined} undefined if the columns do not fit
 */
export function columnsOf({ kind, columns }, { dim, start, layout }) {
  const P = dim / 2;
  if (kind === "table" && columns === P) return (i) => [i];
  if (kind === "table" ? columns !== dim : columns < start + dim) return undefined;
  const from = kind === "table" ? 0 : start;
  return layout === "halves"
    ? (i) => [from + i, from + i + P]
    : (i) => [from + 2 * i, from + 2 * i + 1];
}

/**
 * @param {RopeModules} modules @param {Port} port @param {Convention} convention
 * @param {boolean} [isWhole]  whether all rows are compared
 * @returns {Fit | undefined} undefined if the columns do not fit
 */
export function compare(modules, port, convention, isWhole = false) {
  const places = columnsOf(port, convention);
  if (places === undefined) return undefined;
  const rows = isWhole ? Array.from({ length: port.T }, (_, t) => t) : sampled(port.T);
  const batches = isWhole ? port.batches : Math.min(port.batches, MOST_BATCHES);
  const table = tableOf(
    modules,
    convention,
    rows.map((t) => port.positions[t]),
  );
  /** @type {Fit} */
  const fit = { score: 0, largest: 0, at: { array: port.names[0], position: 0, pair: 0 } };
  const note = (
    /** @type {number} */ off,
    /** @type {number} */ allowed,
    /** @type {Fit["at"]} */ at,
  ) => {
    if (off === 0) return;
    fit.score = Math.max(fit.score, allowed > 0 ? off / allowed : Infinity);
    if (off > fit.largest) Object.assign(fit, { largest: off, at });
  };
  const against = port.kind === "table" ? tables : vectors;
  for (let b = 0; b < batches; ++b) {
    for (const [row, t] of rows.entries()) {
      against(
        port,
        convention,
        { ...table, places, row, at: (b * port.T + t) * port.columns, t },
        note,
      );
    }
  }
  return fit;
}

/**
 * @typedef {ReturnType<typeof tableOf> & {places: (pair: number) => readonly number[], row: number, at: number, t: number}} Row
 *   a row of the convention's table, the first number of the port's row, and the place of its position
 * @typedef {(off: number, allowed: number, at: Fit["at"]) => void} Note
 */

/** @param {Port} port @param {Convention} convention @param {Row} row @param {Note} note */
function tables({ arrays, names, positions, precision }, { dim, isSwapped, sign }, row, note) {
  const { cos, sin, angles, factor, places } = row;
  for (let pair = 0, k = (row.row * dim) / 2; pair < dim / 2; ++pair, ++k) {
    const allowed = factor * (EPSILON[precision] + PER_ANGLE * angles[k]);
    const wanted = isSwapped ? [sin[k], sign * cos[k]] : [cos[k], sign * sin[k]];
    for (const column of places(pair)) {
      for (const [i, array] of arrays.entries()) {
        const at = { array: names[i], position: positions[row.t], pair };
        note(Math.abs(array[row.at + column] - wanted[i]), allowed, at);
      }
    }
  }
}

/** @param {Port} port @param {Convention} convention @param {Row} row @param {Note} note */
function vectors(port, { dim, start, isSwapped, sign }, row, note) {
  const { cos, sin, angles, factor, places } = row;
  const { arrays, names, positions, columns, precision } = port;
  const [before, after] = arrays;
  const [array, position] = [names[1], positions[row.t]];
  for (let pair = 0, k = (row.row * dim) / 2; pair < dim / 2; ++pair, ++k) {
    const [a, b] = places(pair).map((column) => row.at + column);
    const [c, s] = isSwapped ? [sin[k], sign * cos[k]] : [cos[k], sign * sin[k]];
    const size = factor * (Math.abs(before[a]) + Math.abs(before[b]));
    const allowed = size * (STEPS * EPSILON[precision] + PER_ANGLE * angles[k]);
    note(Math.abs(after[a] - (before[a] * c - before[b] * s)), allowed, { array, position, pair });
    note(Math.abs(after[b] - (before[b] * c + before[a] * s)), allowed, { array, position, pair });
  }
  for (let column = 0; column < columns; ++column) {
    if (column >= start && column < start + dim) continue;
    const x = before[row.at + column];
    const off = Math.abs(after[row.at + column] - x);
    note(off, EPSILON[precision] * Math.abs(x), { array, position, pair: null });
  }
}
