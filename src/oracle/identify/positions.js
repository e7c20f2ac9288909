/** Positions: which one a row has. */
import { EPSILON, PER_ANGLE, STEPS } from "../numbers.js";
import { wrap } from "./measure.js";

/** @import { Convention, Port, Rounding } from "./residual.js" */

/**
 * How the positions of T rows come about.
 * @typedef {object} Places
 * @property {"consecutive" | "rounded" | "wrapped" | "clipped" | "padded" | "packed" | "parts" | "repeated" | "listed"} rule  that gives them
 * @property {number} offset  the position of row 0; of padded rows, of the first row that is not padding
 * @property {Rounding["format"]} [format]  of rounded positions
 * @property {number} [period]  of wrapped positions
 * @property {number} [last]  of clipped positions, the largest
 * @property {number} [padding]  rows of padding
 * @property {number} [fill]  the position of padding
 * @property {number[]} [starts]  rows at which positions begin anew
 * @property {[row: number, position: number, step: number][]} [parts]  rows at which other steps begin
 * @property {number} [rows]  of each repeated position
 * @property {number[]} [list]  positions that follow no rule
 */

/** Positions are looked for up to this size. */
export const FARTHEST = 2 ** 21;

/**
 * The offset that explains the phases of all pairs: a small whole number where one does, or the one that the slowest
 * pair shows, up to its whole turns, and each faster one refines.
 * @param {Float64Array} theta @param {Float64Array} phases @param {Float64Array} margin  of each phase
 * @param {Float64Array} sigma  of each frequency
 * @returns {number | undefined}
 */
export function offsetOf(theta, phases, margin, sigma) {
  const explains = (/** @type {number} */ offset) =>
    theta.every((x, i) => {
      const off = Math.abs(wrap(phases[i] - offset * x));
      return off <= margin[i] + Math.abs(offset) * sigma[i];
    });
  for (let size = 0; size <= 64; ++size) {
    if (explains(size)) return size;
    if (explains(-size)) return -size;
  }
  const seen = theta.filter((x, i) => x > 4 * sigma[i]);
  const turn = seen.length > 0 ? (2 * Math.PI) / Math.min(...seen) : Infinity;
  const order = slowestFirst(theta);
  for (let turns = 0; turns === 0 || (turns < 256 && turns * turn < FARTHEST); ++turns) {
    for (const start of turns === 0 ? [0] : [turns * turn, -turns * turn]) {
      const guess = positionOf(theta, order, phases, margin, start);
      const whole = Math.round(guess);
      if (Math.abs(whole) > FARTHEST) continue;
      if (explains(whole)) return whole;
      // Such as centers of cells; to fewer digits than engines differ in.
      if (Math.abs(guess) < 64 && explains(guess)) return Number(guess.toPrecision(9));
    }
  }
  return undefined;
}

/** The pairs that turn, the slowest first. @param {Float64Array} theta */
export const slowestFirst = (theta) =>
  Array.from(theta.keys())
    .filter((i) => theta[i] > 1e-12)
    .sort((a, b) => theta[a] - theta[b]);

/**
 * The position at which pairs have these angles.
 * @param {Float64Array} theta @param {readonly number[]} order  of pairs, the slowest first
 * @param {ArrayLike<number>} angles @param {Float64Array} margin
 * @param {number} [start]  within half a turn of the slowest pair
 */
export function positionOf(theta, order, angles, margin, start = 0) {
  let position = start;
  let known = Infinity; // how far off it can be
  for (const i of order) {
    if (known < Infinity && known * theta[i] > Math.PI) continue; // a turn could be missed
    const off = wrap(angles[i] - position * theta[i]) / theta[i];
    position += off;
    known = Math.min(known, (2 * margin[i]) / theta[i]);
  }
  return position;
}

/**
 * Whether angles are so far from a convention's that the numbers are as well: then these need not be computed. A number
 * is off by the sine of half the difference or more: 8 times its bound leaves a factor of 2. Zeros have the angle 0.
 * @param {Pick<Port, "kind" | "precision">} port @param {Float64Array} angles  of the first rows
 * @param {Pick<Convention, "frequencies" | "sign" | "positions" | "rounding">} convention
 */
export function isFar({ kind, precision }, angles, { frequencies, sign, positions, rounding }) {
  if (rounding && rounding.of !== "tables") return false;
  const unit = 2 * EPSILON[rounding?.format ?? precision] * (kind === "table" ? 1 : STEPS);
  for (let k = 0, t = 0; k < angles.length; ++t) {
    for (let i = 0; i < frequencies.length; ++i, ++k) {
      const wanted = sign * positions[t] * frequencies[i];
      const off = Math.abs(wrap(angles[k] - wanted));
      if (angles[k] !== 0 && off > 8 * (unit + PER_ANGLE * Math.abs(wanted))) return true;
    }
  }
  return false;
}
