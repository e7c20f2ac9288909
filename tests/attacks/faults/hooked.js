/** The calls of tests/calls.js in the hands of a test: each call of a public function goes through a hook. */
import assert from "node:assert/strict";
import { optionsOf } from "../../phasor.js";

/** @import { Phasor } from "phasor" */

/** @typedef {(own: Function, args: any[]) => unknown} Hook  calls a function in place of the caller */

/**
 * A phasor whose functions go through a hook.
 * @param {any} phasor @param {Hook} hook @returns {Phasor}
 */
export function hooked(phasor, hook) {
  const through = (/** @type {any} */ own) =>
    Object.assign(
      (/** @type {any[]} */ ...args) => hook(own, args),
      Object.fromEntries(Object.entries(own)),
    );
  const modules = Object.entries(phasor).map(([name, module]) => {
    const functions = Object.entries(module).map(([name, own]) => [
      name,
      typeof own === "function" ? through(own) : own,
    ]);
    const parts = Object.fromEntries(functions);
    return [name, typeof module === "function" ? Object.assign(through(module), parts) : parts];
  });
  return Object.fromEntries(modules);
}

/** A copy whose arrays are its own. @param {any} value @returns {any} */
export function copied(value) {
  if (ArrayBuffer.isView(value)) return /** @type {any} */ (value).slice();
  if (Array.isArray(value)) return value.map(copied);
  const isPlain =
    typeof value === "object" && value !== null && !Object.values(value).some(isFunction);
  if (!isPlain) return value;
  if (value.data && value.shape) return { data: copied(value.data), shape: value.shape };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copied(each)]));
}

/** @param {unknown} value */
const isFunction = (value) => typeof value === "function";

/** The arguments of a call before its options, and these. @param {Function} own @param {any[]} args */
export function parted(own, args) {
  const declared = optionsOf(own);
  const last = args.at(-1);
  const hasOptions = Object.keys(last ?? {}).some((key) => key in declared);
  return hasOptions ? { before: args.slice(0, -1), given: last } : { before: args, given: {} };
}

/** What `out` may be for a result: an array, or several by name. @param {any} result @returns {any[]} */
function outsFor(result) {
  if (ArrayBuffer.isView(result?.data)) return [result.data.slice().fill(0)];
  const parts = Object.entries(result ?? {}).filter(([, part]) => ArrayBuffer.isView(part?.data));
  const [first] = parts;
  if (!first) return [];
  const all = parts.map(([name, part]) => [name, part.data.slice().fill(0)]);
  return [Object.fromEntries(all), first[1].data.slice().fill(0)];
}

/**
 * The arguments of a call before its options, its options, and an `out` that it takes.
 * @param {Function} own @param {any[]} args @param {any} result
 * @returns {{ before: any[], given: any, out: any } | undefined} undefined where it takes none
 */
export function withOut(own, args, result) {
  const declared = optionsOf(own);
  if (Object.keys(declared).length > 0 && !("out" in declared)) return undefined;
  for (const out of outsFor(result)) {
    const { before, given } = parted(own, args);
    const hasOptions = Object.keys(given).length > 0;
    for (const more of hasOptions ? [[]] : [[], [undefined]]) {
      try {
        own(...before, ...more, { ...given, out: copied(out) });
        return { before: [...before, ...more], given, out };
      } catch (error) {
        assert.ok(error instanceof TypeError, String(error));
      }
    }
  }
  return undefined;
}
