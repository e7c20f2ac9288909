/** Positions: which one a row has, and how the positions of all rows come about. */
import { wrap } from "./measure.js";
import { rounded } from "../numbers.js";

/**
 * @import { Turns } from "./measure.js"
 * @import { Rounding } from "./residual.js"
 *
 */

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
  for (let turns = 0; turns === 0 || (turns < 256 && turns * turn < FARTHEST); ++turns) {
    for (const start of turns === 0 ? [0] : [turns * turn, -turns * turn]) {
      const guess = positionOf(theta, phases, margin, start);
      const whole = Math.round(guess);
      if (Math.abs(whole) > FARTHEST) continue;
      if (explains(whole)) return whole;
      // Such as centers of cells; to fewer digits than engines differ in.
      if (Math.abs(guess) < 64 && explains(guess)) return Number(guess.toPrecision(9));
    }
  }
  return undefined;
}

/**
 * The position at which pairs have these angles.
 * @param {Float64Array} theta @param {ArrayLike<number>} angles @param {Float64Array} margin
 * @param {number} [start]  within half a turn of the slowest pair
 */
function positionOf(theta, angles, margin, start = 0) {
  const order = Array.from(theta.keys()).filter((i) => theta[i] > 1e-12);
  order.sort((a, b) => theta[a] - theta[b]);
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
 * The position of each row, from the angles of its pairs.
 * @param {Turns} turns @param {Float64Array} theta @param {1 | -1} sign @param {number} margin  of an angle
 */
export function positionsOf(turns, theta, sign, margin) {
  const { rows, pairs } = turns;
  const angles = new Float64Array(rows * pairs);
  const [re, im] = [new Float64Array(rows), new Float64Array(rows)];
  for (let i = 0; i < pairs; ++i) {
    turns.read(i, 0, rows, re, im);
    for (let t = 0; t < rows; ++t) angles[t * pairs + i] = sign * Math.atan2(im[t], re[t]);
  }
  const margins = new Float64Array(pairs).fill(margin);
  return Float64Array.from({ length: rows }, (_, t) => {
    const position = positionOf(theta, angles.subarray(t * pairs, (t + 1) * pairs), margins);
    return Math.round(position) + 0; // not -0
  });
}

/** @type {readonly ["bfloat16" | "float16", 8 | 11][]} */
const FORMATS = [["bfloat16", 8], ["float16", 11]]; // prettier-ignore

/**
 * The rule that gives these positions.
 * @param {Float64Array} positions
 * @returns {Places}
 */
export function ruleOf(positions) {
  const T = positions.length;
  const first = positions[0];
  const follows = (/** @type {(t: number) => number} */ rule) =>
    positions.every((p, t) => p === rule(t));
  if (follows((t) => first + t)) return { rule: "consecutive", offset: first };
  for (const [format, bits] of FORMATS) {
    // The first position may be rounded, too.
    for (let offset = first - 64; offset <= first + 64; ++offset) {
      if (follows((t) => rounded(offset + t, bits))) return { rule: "rounded", offset, format };
    }
  }
  const step = positions.findIndex((p, t) => t > 0 && p !== positions[t - 1] + 1);
  if (step > 1 && follows((t) => first + (t % step))) {
    return { rule: "wrapped", offset: first, period: step };
  }
  if (step > 1 && follows((t) => Math.min(first + t, positions[T - 1]))) {
    return { rule: "clipped", offset: first, last: positions[T - 1] };
  }
  const pad = positions.findLastIndex((p, t) => t > 0 && p !== positions[t - 1] + 1);
  if (positions.every((p, t) => t >= pad || p === first)) {
    const own = pad > 0 && positions[pad] === first + 1 ? pad - 1 : pad; // the last of equal rows is position 0
    return { rule: "padded", offset: positions[own], padding: own, fill: first };
  }
  const starts = Array.from(positions.keys()).filter(
    (t) => t > 0 && positions[t] !== positions[t - 1] + 1,
  );
  const parts = partsOf(positions);
  const isEven = parts?.every(([, , step]) => step === 1) ?? true;
  if (isEven && starts.every((t) => positions[t] === first))
    return { rule: "packed", offset: first, starts };
  if (parts) return { rule: "parts", offset: first, parts };
  const rows = positions.findIndex((p) => p !== first);
  if (rows > 1 && follows((t) => first + Math.floor(t / rows)))
    return { rule: "repeated", offset: first, rows };
  return { rule: "listed", offset: first, list: Array.from(positions) };
}

/** At most this many runs of even steps are a rule. */
const MOST_PARTS = 4;

/**
 * Runs of rows whose positions go on by one step, such as those before and after a cache.
 * @param {Float64Array} positions
 * @returns {Places["parts"]} undefined if they are many or short
 */
function partsOf(positions) {
  const T = positions.length;
  /** @type {[number, number, number][]} */
  const parts = [];
  for (let row = 0; row < T;) {
    if (parts.length === MOST_PARTS) return undefined;
    const step = positions[row + 1] - positions[row];
    let end = row + 1;
    while (end < T && positions[end] === positions[end - 1] + step) ++end;
    // The first row of a run may end the one before by chance: a run needs two steps.
    if (end - row < 3) return undefined;
    parts.push([row, positions[row], step]);
    row = end;
  }
  return parts;
}
