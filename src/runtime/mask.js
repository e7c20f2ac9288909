import { kindOf } from "./arrays.js";
import { describe } from "./check.js";
import { BOOL, asArray } from "./input.js";

/**
 * Read an argument that says of each token whether it counts: true or 1, false or 0.
 * @param {unknown} value  nested arrays, a typed array, a tensor
 * @param {string} name
 * @returns {{data: Int32Array, shape: readonly number[]}} ones and zeros, a copy
 * @throws {TypeError | RangeError} if it holds anything else
 */
export function readMask(value, name) {
  const { data, shape } = asArray(value, name, BOOL);
  const mask = new Int32Array(data.length);
  for (let t = 0; t < data.length; ++t) {
    const flag = kindOf(data).startsWith("Big") ? Number(data[t]) : data[t];
    if (typeof flag !== "boolean" && typeof flag !== "number") {
      throw new TypeError(
        `${name} must hold true and false, or 1 and 0; got ${describe(flag)} at ${t}`,
      );
    }
    if (flag !== true && flag !== false && flag !== 1 && flag !== 0) {
      throw new RangeError(
        `${name} must hold true and false, or 1 and 0; got ${describe(flag)} at ${t}`,
      );
    }
    mask[t] = Number(flag);
  }
  return { data: mask, shape };
}
