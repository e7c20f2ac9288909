/** @import { TensorInput } from "../runtime/tensor.js" */
import { describe, kindOf } from "../runtime/check.js";
import { asArray } from "../runtime/tensor.js";

/**
 * Reads the input of a figure once, as plain numbers with their sizes. Typed arrays are neither copied nor changed.
 */

/**
 * @typedef {Float32Array | Float64Array | Int32Array | Uint8Array | Int8Array | Uint16Array} Values
 *   any typed array of numbers
 *
 * @typedef {object} Numbers
 * @property {Values} values  row-major
 * @property {number[]} shape
 * @property {boolean} single  they are float32: fewer digits name them
 */

/**
 * @param {unknown} value  a tensor ({data, shape} or {data, dims}), a typed array or nested arrays
 * @param {string} name
 * @param {readonly string[]} axes  what the axes are, for the message: ["rows", "columns"]
 * @returns {Numbers}
 * @throws {TypeError} if it holds something else than numbers
 * @throws {RangeError} if it has another number of axes
 */
export function tensor(value, name, axes) {
  const { data, shape: found } = asArray(value, name);
  // [] has one axis, whatever was meant: it is a matrix without rows as well.
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

/** Most code points of a text from data. */
const LONGEST = 256;

/**
 * A text from data or from the caller, cut where it is long beyond use.
 * @param {unknown} value @param {string} name
 * @returns {string}
 */
export function text(value, name) {
  if (typeof value !== "string" && typeof value !== "number") {
    throw new TypeError(`${name} must be text; got ${describe(value)}`);
  }
  const whole = String(value);
  if (whole.length <= LONGEST) return whole;
  const points = Array.from(whole);
  return points.length <= LONGEST ? whole : `${points.slice(0, LONGEST).join("")}…`;
}

/**
 * Names of things, one each.
 * @param {unknown} value  undefined: none were given
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
 * Least and greatest of the finite numbers, and how many others there are.
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

/** Numbers that a color range is found from. */
const SAMPLE = 4096;

/**
 * How far from zero numbers reach, but for the outermost hundredth: a few columns of a trained
 * table would leave no color for the others.
 *
 * @param {ArrayLike<number>} values
 * @param {{least: number, most: number}} ends  of the finite ones
 * @returns {number}
 */
export function reach(values, { least, most }) {
  const all = Math.max(0, -least, most);
  const step = Math.ceil(values.length / SAMPLE) | 1; // odd, so that it meets every column
  const sizes = [];
  for (let i = 0; i < values.length; i += step) {
    if (Number.isFinite(values[i])) sizes.push(Math.abs(values[i]));
  }
  const cut = Float64Array.from(sizes).sort()[Math.ceil(0.99 * sizes.length) - 1] ?? 0;
  return all <= cut * 1.25 ? all : cut || all; // where little is gained, nothing is cut
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
export const subject = (title) => title.replace(/\s*\([^()]*\)$/, "");

// --- numbers as text -----------------------------------------------------------------------------

/**
 * The number that the fewest digits name: of a float32 those that tell it from all other float32.
 * @param {number} x @param {boolean} single
 */
export function shortest(x, single) {
  if (!single || !Number.isFinite(x)) return x;
  for (let precision = 6; precision < 9; ++precision) {
    const candidate = Number(x.toPrecision(precision));
    if (Math.fround(candidate) === x) return candidate;
  }
  return Number(x.toPrecision(9));
}

/** A number in full, typeset. @param {number} x @param {boolean} [single] */
export function digits(x, single = false) {
  return typeset(shortest(x, single));
}

const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat("en");

/** A number in a sentence, on an axis, in a legend: three digits. @param {number} x */
export function brief(x) {
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return typeset(Number(x.toPrecision(3)));
  return minus(short.format(x)).replace("\u2212∞", "\u2212infinity").replace("∞", "infinity");
}

/** A count of things. @param {number} n @param {string} thing  "row" */
export function count(n, thing) {
  return `${whole.format(n)} ${thing}${n === 1 ? "" : "s"}`;
}

/** @param {number} x */
function typeset(x) {
  if (Number.isNaN(x)) return "no number";
  if (!Number.isFinite(x)) return x < 0 ? "\u2212infinity" : "infinity";
  return minus(Object.is(x, -0) ? "-0" : String(x));
}

/** With the sign of minus. @param {string} number */
export function minus(number) {
  return number.replaceAll("-", "\u2212");
}
