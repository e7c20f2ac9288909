/**
 * Files that came with a model: tokenizer.json and the like.
 */
import { once } from "./once.js";

/** @import { Place } from "./place.js" */

const MOST_BYTES = 2 ** 27; // the largest tokenizer.json have some 30 MB

/**
 * @typedef {object} Beside
 * @property {string} path
 * @property {(signal?: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>} bytes  in UTF-8, which for most
 *   takes half of what a string does; read once
 */

/**
 * Files beside a file of weights, by their names.
 *
 * @param {Place} place @param {string} weights  their path
 * @returns {(name: string) => Beside | undefined} undefined if there is none
 */
export function filesBeside(place, weights) {
  const folder = weights.slice(0, weights.lastIndexOf("/") + 1);
  /** @type {Map<string, Beside>} */
  const known = new Map();
  return (name) => {
    // A model in a folder of a repository may share what lies at the top.
    const path = [`${folder}${name}`, name].find((each) => place.files.includes(each));
    if (path === undefined) return undefined;
    const read = async (/** @type {AbortSignal} */ signal) =>
      new TextEncoder().encode(await place.text(path, MOST_BYTES, signal));
    const file = known.get(path) ?? { path, bytes: once(read) };
    known.set(path, file);
    return file;
  };
}
