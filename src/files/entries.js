import { describe } from "../runtime/check.js";

/**
 * What is given by name: a Map's entries, or an object's own properties.
 * @param {unknown} given @param {string} argument
 * @returns {[name: string, value: unknown][]}
 * @throws {TypeError}  if it is neither, or a name is no text
 * @throws {RangeError} if a name holds half a character
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
      throw new TypeError(`${argument} must have texts for names; got ${describe(name)}`);
    }
    if (/\p{Surrogate}/u.test(name)) {
      throw new RangeError(
        `${argument} must have names of whole characters; got ${describe(name)}`,
      );
    }
  }
  return entries;
}
