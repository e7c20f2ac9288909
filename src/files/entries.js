import { describe } from "../runtime/check.js";

/**
 * Returns the entries of a Map, or the own properties of an object.
 * @param {unknown} given @param {string} argument
 * @returns {[name: string, value: unknown][]}
 * @throws {TypeError}  if it is neither, or a name is not a string
 * @throws {RangeError} if a name contains an unpaired surrogate
 */
export function named(given, argument) {
  const kind = Object.prototype.toString.call(given);
  if (kind !== "[object Map]" && kind !== "[object Object]") {
    throw new TypeError(`${argument} must be an object or a Map, by name; got ${describe(given)}`);
  }
  const isMap = kind === "[object Map]";
  const entries = isMap
    ? [.../** @type {Map<any, unknown>} */ (given)]
    : Object.entries(given ?? {});
  for (const [name] of entries) {
    if (typeof name !== "string") {
      throw new TypeError(`${argument} must have strings for names; got ${describe(name)}`);
    }
    if (/\p{Surrogate}/u.test(name)) {
      throw new RangeError(
        `${argument} must have names without unpaired surrogates; got ${describe(name)}`,
      );
    }
  }
  return entries;
}
