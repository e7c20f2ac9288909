import { describe, idsRule } from "./check.js";
import { asArray } from "./input.js";

/**
 * Read an argument that is token ids of any shape.
 * @param {unknown} value  a number, nested arrays, a typed array (BigInt64Array too), a tensor
 * @param {number} vocabulary  ids are 0 .. vocabulary-1
 * @param {string} [name]
 * @returns {{data: Int32Array, shape: readonly number[]}} a copy
 * @throws {TypeError}  if an id is not a number
 * @throws {RangeError} if an id is out of range, negative, fractional or NaN
 */
export function readIds(value, vocabulary, name = "ids") {
  const single = typeof value === "number" || typeof value === "bigint";
  const { data, shape } = single ? { data: [value], shape: [] } : asArray(value, name);
  const ids = new Int32Array(data.length);
  for (let t = 0; t < data.length; ++t) {
    const id = data[t];
    if (typeof id === "number" && id >= 0 && id < vocabulary && Number.isInteger(id)) {
      ids[t] = id;
      continue;
    }
    if (typeof id !== "number" && typeof id !== "bigint") {
      throw new TypeError(`${name} must be whole numbers; got ${describe(id)} at ${t}`);
    }
    if (!(id >= 0 && id < vocabulary) || !Number.isInteger(Number(id))) {
      const rule = idsRule(vocabulary);
      throw new RangeError(`${name} must be ${rule}; got ${describe(id)} at ${t}`);
    }
    ids[t] = Number(id);
  }
  return { data: ids, shape };
}
