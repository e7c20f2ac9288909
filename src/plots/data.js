/** @import { TensorInput } from "../runtime/tensor.js" */
import { kindOf } from "../runtime/arrays.js";
import { describe } from "../runtime/check.js";
import { shortened } from "./shortened.js";
import { asArray, BOOL } from "../runtime/input.js";

/**
 * Reads the input of a figure once, as plain numbers with their sizes. Typed arrays are neither copied nor changed.
 */

/**
 * @typedef {Float32Array | Float64Array | Int32Array | Uint8Array | Int8Array | Uint16Array} Values
 *   any typed array of numbers
 *
 * @typedef {object} Numbers
 * @property {Values} values  row-major
 * @property {readonly number[]} shape
 * @property {boolean} single  whether they are float32, which fewer digits identify
 */

/**
 * @param {unknown} value  a tensor ({data, shape} or {data, dims}), a typed array or nested arrays
 * @param {string} name
 * @param {readonly string[]} axes  the names of the axes in messages: ["rows", "columns"]
 * @returns {Numbers}
 * @throws {TypeError} if it contains a value that is not a number
 * @throws {RangeError} if its number of axes is wrong
 */
export function tensor(value, name, axes) {
  const { data, shape: found } = asArray(value, name, BOOL);
  // [] has one axis, but may also mean a matrix without rows.
  const shape = data.length === 0 && found.length < axes.length ? axes.map(() => 0) : found;
  if (shape.length !== axes.length) {
    throw new RangeError(
      `${name} must have the shape [${axes.join(", ")}]; got [${shape.join(", ")}]`,
    );
  }
  return { values: plain(data, name), shape, single: kindOf(data) === "Float32Array" };
}

/**
 * @param {unknown} value @param {string} name
 * @returns {{values: Values, rows: number, columns: number, single: boolean}}
 */
export function matrix(value, name = "matrix") {
  const { values, shape, single } = tensor(value, name, ["rows", "columns"]);
  return { values, rows: shape[0], columns: shape[1], single };
}

/**
 * @param {unknown} value @param {string} name @param {number} [length]  that it must have
 * @returns {{values: Values, single: boolean}}
 */
export function vector(value, name, length) {
  const { values, single } = tensor(value, name, ["length"]);
  if (length !== undefined && values.length !== length) {
    throw new RangeError(`${name} must hold ${length} numbers; got ${values.length}`);
  }
  return { values, single };
}

/** @param {ArrayLike<unknown>} data @param {string} name @returns {Values} */
function plain(data, name) {
  if (kindOf(data).startsWith("Big")) {
    return Float64Array.from(/** @type {ArrayLike<any>} */ (data), Number);
  }
  if (ArrayBuffer.isView(data)) {
    return /** @type {Values} */ (/** @type {unknown} */ (data));
  }
  for (let i = 0; i < data.length; ++i) {
    if (typeof data[i] !== "number") {
      throw new TypeError(`${name} must hold numbers; got ${describe(data[i])} at ${i}`);
    }
  }
  return Float64Array.from(/** @type {ArrayLike<number>} */ (data));
}

/** The maximal length of a text from data, in code points. */
const LONGEST = 256;

/**
 * Reads a text and truncates it to the maximal length.
 * @param {unknown} value @param {string} name
 * @returns {string}
 */
export function text(value, name) {
  if (typeof value !== "string" && typeof value !== "number") {
    throw new TypeError(`${name} must be text; got ${describe(value)}`);
  }
  return shortened(String(value), LONGEST, LONGEST);
}

/**
 * Reads a list of names.
 * @param {unknown} value  undefined if there are none
 * @param {string} name @param {number} count
 * @returns {string[] | undefined}
 */
export function texts(value, name, count) {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    throw new TypeError(`${name} must be an array of texts; got ${describe(value)}`);
  }
  if (value.length !== count) {
    throw new RangeError(`${name} must hold ${count} texts; got ${value.length}`);
  }
  return value.map((item, i) => text(item, `${name}[${i}]`));
}

/**
 * Returns the range of the finite numbers, and the number of other values.
 * @param {ArrayLike<number>} values
 */
export function extent(values) {
  let [least, most, missing] = [Infinity, -Infinity, 0];
  for (let i = 0; i < values.length; ++i) {
    const x = values[i];
    if (x - x !== 0) {
      ++missing; // NaN and the infinities
      continue;
    }
    if (x < least) least = x;
    if (x > most) most = x;
  }
  return { least, most, missing };
}

/** The number of values from which a color range is computed: all, or one of each group of neighbors. */
const SAMPLE = 16384;

/**
 * The 99th percentile of the absolute values. A few columns of a trained table have much larger values than the
 * others, which would be left without color.
 *
 * @param {ArrayLike<number>} values
 * @param {{least: number, most: number}} ends  of the finite ones
 * @returns {number}
 */
export function reach(values, { least, most }) {
  const all = Math.max(0, -least, most);
  const step = Math.max(1, values.length / SAMPLE);
  const sizes = [];
  for (let i = 0; i * step < values.length; ++i) {
    // Anywhere in the group: a regular step would meet some of the columns only.
    const at = Math.min(values.length - 1, Math.floor((i + scattered(i)) * step));
    if (Number.isFinite(values[at])) sizes.push(Math.abs(values[at]));
  }
  const cut = Float64Array.from(sizes).sort()[Math.ceil(0.99 * sizes.length) - 1] ?? 0;
  return all <= cut * 1.25 ? all : cut || all; // where little is gained, nothing is cut
}

/** Always the same number from 0 to 1 for an index, without an order: the end of MurmurHash3. @param {number} i */
function scattered(i) {
  let bits = Math.imul(i ^ (i >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

/** @param {unknown} value @param {number} length */
export function isIndex(value, length) {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < length;
}

/** @param {number} at @param {number} length */
export function nearest(at, length) {
  return Math.min(length - 1, Math.max(0, Math.floor(at)));
}

/** A title without its unit: "position (tokens)" is a position. @param {string} title */
export const subject = (title) => title.replace(/(?<!\s)\s*\([^()]*\)$/, "");

// --- numbers as text -----------------------------------------------------------------------------

/**
 * Rounds a number to the fewest digits that identify it; a float32 among all float32 numbers.
 * @param {number} x @param {boolean} single
 */
export function shortest(x, single) {
  if (!single || !Number.isFinite(x) || x === 0) return x; // -0 keeps its sign
  for (let precision = 6; precision < 9; ++precision) {
    const candidate = Number(x.toPrecision(precision));
    if (Math.fround(candidate) === x) return candidate;
  }
  return Number(x.toPrecision(9));
}

/** Formats a number with all digits that identify it. @param {number} x @param {boolean} [single] */
export function digits(x, single = false) {
  return typeset(shortest(x, single));
}

/**
 * The largest of many numbers, which are too many for the arguments of a call.
 * @param {readonly number[]} numbers @param {number} [least]  of none
 */
export const largest = (numbers, least = -Infinity) =>
  numbers.reduce((most, x) => Math.max(most, x), least);

const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 17 });
const whole = new Intl.NumberFormat("en");

/**
 * Formats a number with few digits, for sentences, axes and legends.
 * @param {number} x @param {number} [digits]  significant ones
 */
export function brief(x, digits = 3) {
  const [size, rounded] = [Math.abs(x), Number(x.toPrecision(digits))];
  if (!Number.isFinite(rounded)) return typeset(x); // the largest numbers are rounded to infinity
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return typeset(rounded);
  return minus(short.format(Object.is(x, -0) ? x : rounded));
}

/**
 * The significant digits, `least` or more, that show each step of a series to a tenth of it.
 * @param {readonly number[]} series @param {number} [least]
 */
export function precision(series, least = 3) {
  for (let digits = least; digits < 17; ++digits) {
    const shown = series.map((x) => Number(x.toPrecision(digits)));
    const isFar = (/** @type {number} */ x, /** @type {number} */ i) =>
      Math.abs(shown[i] - shown[i - 1] - (x - series[i - 1])) > Math.abs(x - series[i - 1]) / 10;
    if (!series.some(isFar)) return digits;
  }
  return 17; // these identify a double
}

/** The ends of a range with as many digits as show how far apart they are. @param {number[]} ends */
export function apart(...ends) {
  const digits = precision(ends);
  return ends.map((end) => brief(end, digits));
}

/** Formats a count with its noun. @param {number} n @param {string} thing  "row" */
export function count(n, thing) {
  return `${whole.format(n)} ${thing}${n === 1 ? "" : "s"}`;
}

/** @param {number} x */
function typeset(x) {
  if (Number.isNaN(x)) return "no number";
  if (!Number.isFinite(x)) return x < 0 ? "\u2212infinity" : "infinity";
  return minus(Object.is(x, -0) ? "-0" : String(x));
}

/** Replaces the hyphen by a minus sign. @param {string} number */
export function minus(number) {
  return number.replaceAll("-", "\u2212");
}
