/** What a task is, and what tasks share. */
import * as option from "../../runtime/options.js";

/**
 * Draws of random numbers.
 * @typedef {object} Random
 * @property {() => number} uniform  gives a number from 0 to below 1
 * @property {(n: number) => number} below  gives a whole number, 0 .. n - 1
 */

/**
 * What a decoder is trained on and asked. The result of `fill` depends on the draws alone; a task keeps nothing between
 * calls.
 * @typedef {object} Task
 * @property {number} vocabulary  V: ids and targets are below it
 * @property {(random: Random, ids: Int32Array, targets: Int32Array, T: number, distances?: Int32Array, positions?: Int32Array) => void} fill
 *   writes a text, each array int32 [T]. The target of a token is the id to give after it, or -1 where none is
 *   counted. `distances`, of a task that has them: from the token to the fact that answers it, or -1. `positions`, of a
 *   task that has them: those to train with
 * @property {string} [name]  of the task
 * @property {readonly string[]} [names]  of the ids, for pictures and vocabularies
 * @property {number} [chance]  the accuracy of a guess
 * @property {boolean} [hasDistances]  whether `fill` writes them
 * @property {(random: Random, ids: Int32Array, targets: Int32Array, T: number) => void} [held]  writes a text that
 *   `fill` never writes
 * @property {(ids: Int32Array) => Int32Array} [positions]  gives the position of each token [T], to test with
 */

/**
 * A task of the package: it has its name, the names of its ids, and says whether it has distances.
 * @typedef {Task & {name: string, names: readonly string[], hasDistances: boolean}} NamedTask
 */

/** The number of symbols. @param {number} fallback */
export const symbolsOption = (fallback) =>
  option.integer({ default: fallback, min: 2, max: 2 ** 16 });

/** The name of a symbol: a .. z, aa, ab, ... @param {number} i @returns {string} */
const letter = (i) =>
  (i < 26 ? "" : letter(Math.floor(i / 26) - 1)) + String.fromCharCode(97 + (i % 26));

/** Names of symbols. @param {number} count @returns {readonly string[]} */
export const letters = (count) => Object.freeze(Array.from({ length: count }, (_, i) => letter(i)));

/**
 * Refuses a text that is too short to have a target.
 * @param {number} T @param {number} least @param {string} reason
 */
export function mustReach(T, least, reason) {
  if (T < least) throw new RangeError(`length must be at least ${least}, ${reason}; got ${T}`);
}
