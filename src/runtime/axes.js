/** Reads arguments that say something of each axis of a grid. */
import { describe, finite, integer, isObject } from "./check.js";
import { asArray } from "./input.js";

/**
 * Reads a list of whole numbers: an array, a typed array, a tensor of one axis.
 * @param {unknown} value @param {string} name @param {number} least
 * @param {{rule?: string, fits?: (count: number) => boolean, most?: number}} [of]  `fits`: whether it may have that number
 * @returns {number[]}
 */
export function readIntegers(value, name, least, of = {}) {
  const { rule = "a list of whole numbers", fits = (count) => count > 0, most } = of;
  if (!isObject(value)) throw new TypeError(`${name} must be ${rule}; got ${describe(value)}`);
  const { data, shape } = asArray(value, name);
  if (shape.length !== 1 || !fits(data.length)) {
    throw new RangeError(`${name} must be ${rule}; got shape [${shape.join(", ")}]`);
  }
  return Array.from(data, (number, k) => integer(number, `${name}[${k}]`, least, most));
}

/** As many numbers as there are. */
const anyCount = () => true;

/**
 * Reads lengths or sizes, of which there may be none.
 * @param {unknown} value @param {string} name @param {string} [rule]
 */
export const readLengths = (value, name, rule) =>
  readIntegers(value, name, 0, { fits: anyCount, ...(rule && { rule }) });

/**
 * Reads the height and the width of a grid.
 * @param {unknown} value @param {string} name @param {number} [most]
 * @returns {[number, number]}
 */
export function readSize(value, name, most) {
  const of = { rule: "[height, width]", fits: (/** @type {number} */ n) => n === 2, most };
  return /** @type {[number, number]} */ (readIntegers(value, name, 1, of));
}

/**
 * Reads an order of the axes.
 * @param {unknown} value  undefined for 0, 1, 2, ... @param {string} name @param {number} n  axes
 * @returns {number[]}
 */
export function readOrder(value, name, n) {
  const axes = Array.from({ length: n }, (_, axis) => axis);
  if (value === undefined) return axes;
  const { data, shape } = asArray(value, name);
  const list = Array.from(data);
  if (shape.length !== 1 || list.length !== n || !axes.every((axis) => list.includes(axis))) {
    const rule = n > 0 ? `have each axis from 0 to ${n - 1} once` : "be empty";
    throw new RangeError(`${name} must ${rule}; got [${list.map(describe).join(", ")}]`);
  }
  return /** @type {number[]} */ (list);
}

/** The largest number of `readPerAxis`. */
const MOST = 2 ** 29;

/**
 * Reads a positive number for all axes, or a list with one for each.
 * @param {unknown} value @param {string} name @param {number} n  axes
 * @returns {number[]}
 */
export function readPerAxis(value, name, n) {
  const rule = `a number > 0, up to 2^29, or one for each of ${n} axes`;
  const { data, shape } = asArray(typeof value === "number" ? Array(n).fill(value) : value, name);
  if (shape.length !== 1 || data.length !== n) {
    throw new RangeError(`${name} must be ${rule}; got shape [${shape.join(", ")}]`);
  }
  return Array.from(data, (x) => finite(x, name, rule, (number) => number > 0 && number <= MOST));
}
