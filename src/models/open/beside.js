/**
 * Files beside the weights of a model, such as tokenizer.json.
 */
import { once } from "../../files/once.js";

/** @import { Place } from "./place.js" */

const MOST_BYTES = 2 ** 27; // the largest tokenizer.json have about 30 MB

/**
 * @typedef {object} Beside
 * @property {string} path
 * @property {(signal?: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>} bytes  in UTF-8, which
 *   usually takes half the memory of a string; read once
 */

/**
 * Finds files beside a weights file by name.
 *
 * @param {Place} place @param {string} weights  the path of the weights file
 * @returns {(name: string) => Beside | undefined} undefined if there is none
 */
export function filesBeside(place, weights) {
  const folder = weights.slice(0, weights.lastIndexOf("/") + 1);
  /** @type {Map<string, Beside>} */
  const known = new Map();
  return (name) => {
    // A model in a folder of a repository may share files of the top folder.
    const path = [`${folder}${name}`, name].find((each) => place.files.includes(each));
    if (path === undefined) return undefined;
    const read = async (/** @type {AbortSignal} */ signal) =>
      new TextEncoder().encode(await place.text(path, MOST_BYTES, signal));
    const file = known.get(path) ?? { path, bytes: once(read) };
    known.set(path, file);
    return file;
  };
}
