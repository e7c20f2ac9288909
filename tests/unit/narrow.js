/**
 * A phasor whose functions write their results to an `out`, of 16 bits for example, wherever they take one.
 */
import { optionsOf as published } from "../phasor.js";

/** @import { Phasor } from "phasor" */

/**
 * Makes where a tensor of a shape and type goes, or nothing if it does not go to `out`.
 * @typedef {(shape: readonly number[], dtype: string) => unknown} Place
 */

/** Only float32 tensors. @param {(shape: readonly number[]) => unknown} make @returns {Place} */
export const floatsTo = (make) => (shape, dtype) => (dtype === "float32" ? make(shape) : undefined);

/** Which part of a result `out` gets, where it does not get all. @type {Record<string, string>} */
export const PARTS = {
  "rope.frequencies": "frequencies",
  "positionIds.multimodal": "positions",
  inputEmbeddings: "output",
};

/** Which argument the options are, where no caller need pass what is before. @type {Record<string, number>} */
const AT = { "similarity.matrix": 2 };

/**
 * What a function is given as `out`, so that all of a result goes there.
 * @param {any} result  of a call without
 * @param {Place} place
 * @returns {any} undefined where nothing of the result goes to `out`
 */
export function placesFor(result, place) {
  if (ArrayBuffer.isView(result?.data)) {
    return place(result.shape, result.dtype);
  }
  if (typeof result !== "object" || result === null) return undefined;
  const parts = Object.entries(result)
    .map(([name, part]) => [name, placesFor(part, place)])
    .filter(([, part]) => part !== undefined);
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

/**
 * Call a function twice: as it is, and with such an `out`.
 * @param {Function} called @param {any[]} args @param {number} at  which argument the options are
 * @param {Place} place
 * @param {string} [part]  of the result, which alone goes there
 * @returns {{wide: any, narrow: any, out: any, result: any}} both results, or the part; the whole second one. No
 *   `out` where nothing goes there
 */
export function twice(called, args, at, place, part) {
  const of = (/** @type {any} */ result) =>
    part === undefined ? result : (result[part] ?? result);
  const whole = called(...args);
  const wide = of(whole);
  const out = placesFor(wide, place);
  if (out === undefined) return { wide, narrow: wide, out, result: whole };
  const all = [...args];
  all[at] = { ...all[at], out };
  const result = called(...all);
  return { wide, narrow: of(result), out, result };
}

/**
 * The same modules, where each wanted function with an option `out` is called twice.
 * @param {Phasor} phasor
 * @param {Place} place
 * @param {(name: string) => boolean} isWanted  by its name, as in calls.js
 * @param {(name: string, results: ReturnType<typeof twice>) => void} [each]  gets the results
 * @param {typeof published} [optionsOf]  of the entry that the modules are from
 * @returns {Phasor} whose functions return the narrow results
 */
export function narrowing(phasor, place, isWanted, each = () => {}, optionsOf = published) {
  const wrap = (/** @type {string} */ name, /** @type {any} */ called) => {
    const options = optionsOf(called);
    if (!("out" in options) || !isWanted(name)) return called;
    return (/** @type {any[]} */ ...args) => {
      const last = args.length - 1;
      const isGiven =
        Object.getPrototypeOf(Object(args[last])) === Object.prototype &&
        Object.keys(args[last]).every((key) => key in options);
      const at = AT[name] ?? (isGiven ? last : args.length);
      const results = twice(called, args, at, place, PARTS[name]);
      each(name, results);
      return results.result;
    };
  };
  const members = (/** @type {string} */ module, /** @type {object} */ of) =>
    Object.fromEntries(
      Object.entries(of).map(([name, member]) => [
        name,
        typeof member === "function" ? wrap(`${module}.${name}`, member) : member,
      ]),
    );
  return /** @type {any} */ (
    Object.fromEntries(
      Object.entries(phasor).map(([module, of]) => [
        module,
        typeof of === "function"
          ? Object.assign(wrap(module, of).bind(undefined), members(module, of))
          : members(module, of),
      ]),
    )
  );
}
