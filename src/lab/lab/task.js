/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Source } from "./random.js" */
import * as check from "../../runtime/check.js";
import { source } from "./random.js";

/**
 * What a decoder is trained on and tested with.
 * @typedef {object} Task
 * @property {string} [name]
 * @property {number} vocabulary  ids and targets are below it
 * @property {readonly string[]} [names]  the text of each id
 * @property {number} [chance]  the accuracy of a guess
 * @property {boolean} [hasDistances]  whether `fill` writes distances
 * @property {(random: Source, ids: Int32Array, targets: Int32Array, T: number, distances: Int32Array) => void} fill
 *   writes a text of T ids, the class to give after each, -1: not counted, and the distance from each to the token that
 *   answers it, -1: none
 * @property {(random: Source, ids: Int32Array, targets: Int32Array, T: number) => void} [held]  the same of text that is
 *   never trained on; evaluation then cuts windows of eight times the trained length into pieces
 * @property {(ids: Int32Array) => ArrayLike<number>} [positions]  where each id stands
 */

/**
 * Where the texts of a call are drawn from: text `first` of a stream, and those after it.
 * @typedef {{core: Core, seed: bigint, stream: number, first: number}} Draws
 */

/** @param {unknown} given @param {number} V  ids that the decoder has @returns {Task} */
export function readTask(given, V) {
  const task = /** @type {any} */ (given);
  if (!check.isRecord(given) || typeof task.fill !== "function") {
    const got = check.describe(given);
    throw new TypeError(`task must be an object with vocabulary and fill; got ${got}`);
  }
  const vocabulary = check.integer(task.vocabulary, "task.vocabulary");
  if (vocabulary > V) {
    throw new RangeError(`task.vocabulary must be at most the decoder's, ${V}; got ${vocabulary}`);
  }
  return task;
}

/**
 * Fills texts, one after the other, and checks them.
 * @param {Task} task @param {Draws} draws @param {number} T
 * @param {Int32Array} ids  [texts, T] @param {Int32Array} targets @param {Int32Array} [distances]
 * @param {"fill" | "held"} [method]
 */
export function fill(
  task,
  { core, seed, stream, first },
  T,
  ids,
  targets,
  distances,
  method = "fill",
) {
  const V = task.vocabulary;
  const spare = new Int32Array(T);
  for (let at = 0; at < ids.length; at += T) {
    const random = source(core, seed, stream, first + at / T);
    const text = ids.subarray(at, at + T);
    const wanted = targets.subarray(at, at + T);
    text.fill(-1);
    wanted.fill(-1);
    /** @type {any} */ (task)[method](
      random,
      text,
      wanted,
      T,
      distances?.subarray(at, at + T).fill(-1) ?? spare,
    );
    for (let t = 0; t < T; ++t) {
      if (text[t] < 0 || text[t] >= V) {
        throw new RangeError(
          `task.${method} must write ids from 0 to ${V - 1}; got ${text[t]} at ${t}`,
        );
      }
      if (wanted[t] < -1 || wanted[t] >= V) {
        throw new RangeError(
          `task.${method} must write targets from -1 to ${V - 1}; got ${wanted[t]} at ${t}`,
        );
      }
    }
  }
}

/**
 * The positions of texts by a function of each.
 * @param {Function | undefined} of @param {Int32Array} ids  [texts, T] @param {number} T
 */
export function positionsOf(of, ids, T) {
  const all = new Int32Array(ids.length);
  for (let at = 0; at < ids.length; at += T) {
    const own = of?.(ids.slice(at, at + T));
    if (own?.length !== T) {
      throw new RangeError(
        `positions must give ${T} numbers; got ${own?.length ?? check.describe(own)}`,
      );
    }
    for (let t = 0; t < T; ++t) all[at + t] = check.integer(own[t], `positions[${t}]`, 0);
  }
  return all;
}
