/**
 * Reads arguments that are tensors: any `{data, shape}`, typed or nested arrays. It does without the class that functions
 * return, so entries that import that class from another entry have no second one.
 */
import { count, float32s, kindOf, listOf, refuseStrides, viewOf } from "./arrays.js";
import { describe, isList, isObject, tagOf } from "./check.js";
import { float32FromFloat16 } from "./half.js";

/**
 * The numbers of a tensor as they were read before, or from now on (tensor.js); undefined if they must be read.
 * @typedef {(value: object, read?: Float32Array) => Float32Array | undefined} Remember
 */

/** @type {Remember | undefined} */
let remembered;

/** @param {Remember} by */
export function rememberBy(by) {
  remembered = by;
}

/** The bits of a NaN that is no copy: engines differ in what they leave of its payload. */
const NAN = 0x7fc00000;

/**
 * Read an argument that is a tensor, as float32.
 * @param {unknown} value  a Tensor, any `{data, shape}` or `{data, dims}`, or (nested) arrays
 * @param {string} name
 * @param {{numbers?: string, rows?: boolean}} [as]  `numbers`: what it holds, for errors; `rows`: no row may be lost to
 *   rounding, as its direction or length counts
 * @returns {{data: Float32Array, shape: number[]}} the memory of a Float32Array is shared, the rest is copied
 * @throws {TypeError} if it is none of these or holds something else than numbers
 * @throws {RangeError} if it is ragged, or its shape and length differ, or float32 has no such numbers
 */
export function asFloat32(value, name, { numbers = "numbers", rows = false } = {}) {
  const known = isObject(value) && remembered?.(value);
  if (known) return { data: known, shape: /** @type {any} */ (value).shape };
  const read = asArray(value, name, BOOL, floatsOr);
  const { data, shape, dtype } = read;
  if (isBool(dtype)) throw new TypeError(`${name} must hold ${numbers}; got ${dtype} values`);
  if (data instanceof Float32Array) {
    if (known !== false) remembered?.(/** @type {object} */ (value), data);
    return /** @type {any} */ (read);
  }
  const kind = kindOf(data);
  refuseBits(read, name, numbers);
  if (kind === "Float16Array") {
    return { data: float32FromFloat16(/** @type {any} */ (data)), shape };
  }
  if (kind.startsWith("Big")) {
    throw new TypeError(`${name} must hold ${numbers}; got ${describe(data)}`);
  }
  const floats = float32s(data.length, name);
  const bits = new Uint32Array(floats.buffer);
  for (let i = 0; i < floats.length; ++i) {
    const x = data[i];
    if (typeof x !== "number") {
      throw new TypeError(`${name} must hold ${numbers}; got ${describe(x)} at ${i}`);
    }
    if (Number.isNaN(x)) bits[i] = NAN;
    else floats[i] = x;
    if (Math.abs(floats[i]) === Infinity && Math.abs(x) < Infinity) {
      throw new RangeError(
        `${name} must hold numbers within float32's range, up to 3.4e38, or infinities; got ${x} at ${i}`,
      );
    }
  }
  if (rows) refuseLost(/** @type {ArrayLike<number>} */ (data), floats, shape, name);
  return { data: floats, shape };
}

/** What has the bits of float16 and bfloat16. */
const BITS = "Uint16Array";

/**
 * Throws for an array without a dtype that may be such bits. Ids and positions do without this: they are whole.
 * @param {ReturnType<typeof asArray>} read @param {string} name @param {string} [numbers]  what it holds
 */
export function refuseBits({ data, dtype, rows }, name, numbers = "numbers") {
  if (dtype !== undefined || (rows ?? kindOf(data)) !== BITS) return;
  throw new TypeError(
    `${name} must hold ${numbers} of a known dtype; got ${BITS} of ${data.length} (new Tensor(data, shape, "float16").as("float32") reads float16, dtype: "uint16" beside data says whole numbers)`,
  );
}

/** The smallest float32 with all its digits. */
const SMALLEST = 2 ** -126;

/**
 * Throws if all numbers of a row are so small that float32 has few of their digits, or none.
 * @param {ArrayLike<number>} numbers @param {Float32Array} floats  these, rounded
 * @param {readonly number[]} shape @param {string} name
 */
function refuseLost(numbers, floats, shape, name) {
  const D = shape[shape.length - 1] ?? 1;
  for (let row = 0; row < floats.length; row += D) {
    let lost = -1;
    let i = row;
    for (; i < row + D && !(Math.abs(numbers[i]) >= SMALLEST); ++i) {
      if (lost < 0 && floats[i] !== numbers[i] && !Number.isNaN(numbers[i])) lost = i;
    }
    if (i === row + D && lost >= 0) {
      throw new RangeError(
        `${name} must have rows with a number of at least 1.2e-38, or of zeros, to keep digits in float32; got ${numbers[lost]} at ${lost}`,
      );
    }
  }
}

/**
 * A number that `Tensor.toJSON` wrote as a string; anything else as it is.
 * @param {unknown} x @param {unknown} dtype
 */
function fromJSON(x, dtype) {
  if (typeof x !== "string" || typeof dtype !== "string") return x;
  if (dtype === "int64" && /^-?\d{1,19}$/.test(x)) return BigInt(x);
  return /^(NaN|-?Infinity)$/.test(x) ? Number(x) : x;
}

/** What `asArray` lets pass of booleans as well. */
export const BOOL = Object.freeze(["bool"]);

/** Whether a library calls a type this for booleans: bool, boolean, BOOL, |b1. @param {unknown} dtype */
const isBool = (dtype) => typeof dtype === "string" && /bool|^\W?b1$/i.test(dtype);

/**
 * A typed array as `asFloat32` reads it: its memory, where that has float32 numbers.
 * @type {typeof listOf}
 */
function floatsOr(array, name) {
  return kindOf(array) === "Float32Array"
    ? viewOf(array, name, "Float32Array")
    : listOf(array, name);
}

/**
 * Read an argument that is a tensor of any numbers. Arrays that are not typed are copied, so that
 * nothing can change under the reader's hands.
 * @param {unknown} value @param {string} name
 * @param {readonly string[]} [raw]  which of float16, bfloat16 (their bits) and bool (bytes) it may be, which are no
 *   numbers
 * @param {typeof listOf} [take]  a typed array as it may be read
 * @returns {{data: ArrayLike<unknown>, shape: number[], dtype?: unknown, rows?: string}} `dtype`, if it says one;
 *   `rows`: the kind of the typed arrays in nested ones
 */
export function asArray(value, name, raw = [], take = listOf) {
  if (isTypedArray(value)) {
    const data = take(value, name);
    return { data, shape: [data.length] };
  }
  if (!isObject(value)) refuse(value, name);
  if (Array.isArray(value)) return flatten(value, name);
  const { data, shape, dims, type, dtype = type } = /** @type {any} */ (value);
  const isTyped = isTypedArray(data);
  if (!isTyped && !isList(data)) refuse(value, name);
  const sizes = shape ?? dims;
  if (sizes === undefined) {
    throw new TypeError(`${name} must have a shape beside its data; got none`);
  }
  let flat = isTyped ? take(data, name) : dense(data, name);
  if (!isTyped && dtype !== undefined) flat = Array.from(flat, (x) => fromJSON(x, dtype));
  const known = readShape(sizes, `${name}.shape`);
  refuseStrides(value, known, name);
  if (count(known) !== flat.length) {
    throw new RangeError(
      `${name}.shape must have as many elements as its data (${flat.length}); got [${known.join(", ")}]`,
    );
  }
  const isHalf = dtype === "float16" || dtype === "bfloat16";
  if (isHalf && !raw.includes(dtype) && kindOf(flat) === "Uint16Array") {
    throw new TypeError(`${name} must hold numbers; got ${dtype} bits`);
  }
  if (isBool(dtype) && !raw.includes("bool")) {
    throw new TypeError(`${name} must hold numbers; got ${dtype} values`);
  }
  return { data: flat, shape: known, dtype };
}

/**
 * A copy of an argument that is read after a wait, when its caller may have changed it: of arrays, buffers, tensors and
 * objects without a class, in one another. What else there is stays as it is, and what is invalid is refused later.
 * @param {any} value @param {number} [depth]  how deep to copy @param {Map<object, unknown>} [seen]
 * @returns {any}
 */
export function copied(value, depth = 64, seen = new Map()) {
  if (!isObject(value) || depth === 0) return value;
  if (isTypedArray(value)) {
    return value.length > 0 ? /** @type {any} */ (viewOf(value, "argument")).slice() : value;
  }
  if (tagOf(value) === "[object ArrayBuffer]") {
    const buffer = /** @type {ArrayBuffer} */ (value);
    return buffer.byteLength > 0 ? buffer.slice(0) : buffer;
  }
  if (seen.has(value)) return seen.get(value);
  const of = (/** @type {unknown} */ part) => copied(part, depth - 1, seen);
  if (Array.isArray(value)) {
    /** @type {unknown[]} */
    const list = [];
    seen.set(value, list);
    for (let i = 0, { length } = value; i < length; ++i) {
      if (!(i in value)) return value; // there may be 2^32 - 1 holes
      list.push(of(value[i]));
    }
    return list;
  }
  if (Object.getPrototypeOf(value) === Object.prototype) {
    /** @type {any} */
    const record = { ...value };
    seen.set(value, record);
    for (const name of Object.keys(record)) record[name] = of(record[name]);
    return record;
  }
  const { data, shape, dims, type, dtype = type, stride, strides = stride, offset } = /** @type {any} */ (value); // prettier-ignore
  if (!isTypedArray(data) && !isList(data)) return value;
  return { data: of(data), shape: of(shape ?? dims), dtype, strides: of(strides), offset };
}

/** @param {unknown} value @param {string} name @returns {never} */
function refuse(value, name) {
  throw new TypeError(
    `${name} must be a tensor ({data, shape}), a typed array or nested arrays; got ${describe(value)}`,
  );
}

/**
 * @param {unknown} sizes @param {string} name
 * @returns {number[]}
 */
export function readShape(sizes, name) {
  if (!isList(sizes) && !isTypedArray(sizes)) {
    throw new TypeError(`${name} must be an array of sizes; got ${describe(sizes)}`);
  }
  const shape = [];
  for (let axis = 0; axis < sizes.length; ++axis) {
    const size = sizes[axis];
    if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) {
      throw new RangeError(`${name} must hold whole numbers >= 0; got ${describe(size)}`);
    }
    shape.push(size + 0); // no -0
  }
  return shape;
}

/**
 * @param {readonly unknown[]} nested @param {string} name
 * @returns {{data: unknown[], shape: number[], rows?: string}}
 */
function flatten(nested, name) {
  const row = numbersOf(nested);
  if (row) return { data: row, shape: [row.length] };
  /** @type {unknown[]} */
  const data = [];
  /** @type {number[]} the length of the first array at each depth */
  const shape = [];
  let depth = -1; // of the numbers, once one was seen
  /** @type {string | undefined} */
  let rows;
  /** @param {unknown} level @param {number} axis */
  const visit = (level, axis) => {
    const isTyped = isTypedArray(level);
    const isNested = isTyped || isList(level);
    if (axis > 32) throw new RangeError(`${name} must have at most 32 axes; got more`);
    if (!isNested && depth < 0) depth = axis;
    if (isNested === (axis === depth)) {
      throw new RangeError(`${name} must not be ragged; got arrays of unequal depth`);
    }
    if (!isNested) {
      data.push(level);
      return;
    }
    if (isTyped) rows = kindOf(level);
    const items = isTyped ? listOf(level, name) : dense(level, name);
    if (axis === shape.length) shape.push(items.length);
    if (items.length !== shape[axis]) {
      throw new RangeError(
        `${name} must not be ragged; got ${items.length} where the first has ${shape[axis]}`,
      );
    }
    for (let i = 0; i < items.length; ++i) visit(items[i], axis + 1);
  };
  visit(nested, 0);
  return { data, shape, rows };
}

/** A copy of a list that has numbers alone. @param {readonly unknown[]} list */
function numbersOf(list) {
  const numbers = [];
  const { length } = list;
  for (let i = 0; i < length; ++i) {
    const number = list[i];
    if (typeof number !== "number") return undefined;
    numbers.push(number);
  }
  return numbers;
}

/**
 * A copy of an array without holes: an array may have 2^32 - 1 of them.
 * @param {readonly unknown[]} list @param {string} name
 */
function dense(list, name) {
  const items = [];
  const { length } = list;
  for (let i = 0; i < length; ++i) {
    const item = list[i];
    if (item === undefined && !(i in list)) {
      throw new RangeError(`${name} must have no holes; got one at ${i} of ${length}`);
    }
    items.push(item);
  }
  return items;
}

/** @param {unknown} value @returns {value is ArrayBufferView & ArrayLike<unknown>} any typed array, of any realm */
function isTypedArray(value) {
  const kind = kindOf(value);
  return kind !== "" && kind !== "DataView";
}
