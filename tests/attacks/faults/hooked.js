/** The calls of tests/calls.js in the hands of a test: each call of a public function goes through a hook. */
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
