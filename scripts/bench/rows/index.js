// The rows of the bench: each one job, those who do it, and phasor's goals for it. Everybody takes
// plain arrays and gives plain arrays; what can be prepared (frequencies, a resident table, memory
// for results) is prepared before the clock runs.

import { rows as analysis } from "./analysis.js";
import { rows as attention } from "./attention.js";
import { rows as embedding } from "./embedding.js";
import { rows as formats } from "./formats.js";
import { rows as peers } from "./peers.js";
import { rows as positional } from "./positional.js";
import { rows as small } from "./small.js";

/** @typedef {import("phasor").Phasor} Phasor */
/** @typedef {import("../measure.js").Contestant} Contestant */

/**
 * A bound on a ratio of times: `who` takes at most `most` times as long as `than`, or `than` at
 * least `least` times as long as `who`.
 *
 * @typedef {{who: string, than: string, most?: number, least?: number}} Goal
 */

/**
 * @typedef {object} Job
 * @property {Contestant[]} contestants the first one is the limit
 * @property {Float32Array[]} expected what every result is compared with
 * @property {() => void} [finish]
 */

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} title
 * @property {Goal[]} goals
 * @property {(phasor: Phasor, entry: typeof import("phasor")) => Promise<Job>} prepare  `entry`: what it exports
 * @property {(result: Float32Array) => {of: number, wrong: number}} [roundings] how many of some
 *   values are not the float32 nearest to the formula's
 */

/** @type {Row[]} */
export const rows = [
  ...positional,
  ...embedding,
  ...attention,
  ...analysis,
  ...formats,
  ...peers,
  ...small,
];
