/** Pairs that follow different positions: each pair by itself, as complex numbers of one length. */
import { median } from "../identify/measure.js";
import { pairingsOf, turnsOf } from "../identify/pairing.js";
import { EPSILON } from "../numbers.js";

/**
 * @import { Failure } from "../identify/rotation.js"
 * @import { Turns } from "../identify/measure.js"
 * @import { Pairing, Port } from "../identify/residual.js"
 *
 * @typedef {{re: Float64Array, im: Float64Array}} Strip  the numbers of a pair, of length 1 [T]
 *
 * @typedef {object} Strips
 * @property {Pairing} pairing
 * @property {readonly Strip[]} all  of each pair
 * @property {number} factor  by which they were divided
 * @property {number} noise  of one of their numbers
 * @property {number} T
 *
 * What names a strip, or the step that failed: the further, the more is known.
 * @typedef {{answer?: any, failure?: Failure}} Named
 */

/** At most this many rows are read pair by pair. */
export const MOST_ROWS = 4096;

/** The strips of each pairing whose pairs do not change their length. @param {Port} port @returns {Strips[]} */
export function stripsOf(port) {
  const { T, kind, precision } = port;
  if (T > MOST_ROWS) return [];
  const noise = EPSILON[precision] * (kind === "table" ? 1 : 4);
  return pairingsOf(port).flatMap((pairing) => {
    const turns = turnsOf(port, pairing);
    const all = Array.from({ length: turns.pairs }, (_, pair) => {
      const [re, im] = [new Float64Array(T), new Float64Array(T)];
      turns.read(pair, 0, T, re, im);
      return { re, im };
    });
    const sizes = all.map(({ re, im }) => re.map((x, t) => Math.sqrt(x * x + im[t] * im[t])));
    const factor = median(sizes.map(median));
    const isOne = (/** @type {number} */ size) => Math.abs(size / factor - 1) <= 6 * noise + 1e-6;
    if (!sizes.every((of) => of.every(isOne))) return [];
    const unit = (/** @type {Float64Array} */ x) => x.map((value) => value / factor);
    return [{ pairing, all: all.map(({ re, im }) => ({ re: unit(re), im: unit(im) })), factor, noise, T }]; // prettier-ignore
  });
}

/** Strips as turns, of some rows. @param {readonly Strip[]} all @param {number} from @param {number} to @returns {Turns} */
export const turnsIn = (all, from, to) => ({
  rows: to - from,
  pairs: all.length,
  read(pair, first, rows, re, im) {
    const at = from + first;
    re.set(all[pair].re.subarray(at, at + rows));
    im.set(all[pair].im.subarray(at, at + rows));
  },
});
