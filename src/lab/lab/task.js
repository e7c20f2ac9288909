/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Task } from "../tasks/task.js" */
import { int32s } from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { source } from "./random.js";

/**
 * Where the texts of a call are drawn from: text `first` of a stream, and those after it.
 * @typedef {{core: Core, seed: bigint, stream: number, first: number}} Draws
 */

/** @param {unknown} given @param {number} V  ids that the decoder has @param {string} [name] @returns {Task} */
export function readTask(given, V, name = "task") {
  const task = /** @type {any} */ (given);
  if (!check.isRecord(given) || typeof task.fill !== "function") {
    const got = check.describe(given);
    throw new TypeError(`${name} must be an object with vocabulary and fill; got ${got}`);
  }
  const vocabulary = check.integer(task.vocabulary, `${name}.vocabulary`);
  if (vocabulary > V) {
    throw new RangeError(
      `${name}.vocabulary must be at most the decoder's, ${V}; got ${vocabulary}`,
    );
  }
  return task;
}

/**
 * Texts, each array [texts, T].
 * @typedef {object} Texts
 * @property {Int32Array} ids
 * @property {Int32Array} targets
 * @property {Int32Array} distances
 * @property {Int32Array} positions  of a task that has them
 */

/** Room for texts. @param {number} count  of all tokens @returns {Texts} */
export function textsOf(count) {
  const room = (/** @type {string} */ name) => int32s(count, name);
  return {
    ids: room("ids"),
    targets: room("targets"),
    distances: room("distances"),
    positions: room("positions"),
  };
}

/**
 * Fills texts, one after the other, and checks them.
 * @param {Task} task @param {Draws} draws @param {number} T @param {Texts} texts @param {"fill" | "held"} [method]
 */
export function fill(task, { core, seed, stream, first }, T, texts, method = "fill") {
  const V = task.vocabulary;
  for (let at = 0; at < texts.ids.length; at += T) {
    const random = source(core, seed, stream, first + at / T);
    const part = (/** @type {Int32Array} */ whole) => whole.subarray(at, at + T).fill(-1);
    const [ids, targets, distances] = [texts.ids, texts.targets, texts.distances].map(part);
    if (method === "held") task.held?.(random, ids, targets, T);
    else task.fill(random, ids, targets, T, distances, part(texts.positions));
    checkTexts(method, "ids", ids, 0, V);
    checkTexts(method, "targets", targets, -1, V);
    checkTexts(method, "distances", distances, -1, T);
  }
}

/** @param {string} method @param {string} name @param {Int32Array} numbers @param {number} least @param {number} end */
export function checkTexts(method, name, numbers, least, end) {
  const t = numbers.findIndex((number) => number < least || number >= end);
  if (t < 0) return;
  throw new RangeError(
    `task.${method} must write ${name} from ${least} to ${end - 1}; got ${numbers[t]} at ${t}`,
  );
}

/**
 * The positions of texts by a function of each.
 * @param {Function} of @param {Int32Array} ids  [texts, T] @param {number} T
 */
export function positionsOf(of, ids, T) {
  const all = int32s(ids.length, "positions");
  for (let at = 0; at < ids.length; at += T) {
    const own = of(ids.slice(at, at + T));
    if (own?.length !== T) {
      const got = own?.length ?? check.describe(own);
      throw new RangeError(`positions must give ${T} numbers; got ${got}`);
    }
    for (let t = 0; t < T; ++t) all[at + t] = check.integer(own[t], `positions[${t}]`, 0);
  }
  return all;
}
