/** @import { Half } from "./half.js" */
import { wordsOf } from "./bits.js";
import { count, float32s, areEqual, kindOf, listOf, refuseStrides, viewOf } from "./arrays.js";
import { describe, integer, isList, isObject, oneOf } from "./check.js";
import { inFunction, nameMethods } from "./named.js";
import { float32FromFloat16, float32Of, HalfArray, round, widened } from "./half.js";
import { print } from "./print.js";

/**
 * @typedef {"float32" | "float64" | "int32" | "uint8" | "int8" | "int64" | "float16" | "bfloat16"} DType
 *   what the numbers of a tensor are. A float16 tensor has a Float16Array or the bits in a Uint16Array, a
 *   bfloat16 tensor the bits
 * @typedef {Float32Array | Float64Array | Int32Array | Uint8Array | Int8Array | BigInt64Array | Uint16Array | Half} TensorData
 *   what holds the numbers of a tensor
 * @typedef {Float32Array | Half | Tensor<Float32Array | Uint16Array | Half>} FloatOut
 *   what a float32 result may be written to. A Float16Array, or a tensor of float16 or bfloat16, gets the result
 *   rounded once from float32, to the nearest, ties to even. The tensor that the function returns then has it as
 *   data, though its type says Float32Array
 * @typedef {number | readonly any[]} NestedNumbers
 * @typedef {{data: ArrayLike<number | bigint>, shape: ArrayLike<number>}
 *   | {data: ArrayLike<number | bigint>, dims: ArrayLike<number>}} TensorLike
 * @typedef {TensorLike | NestedNumbers | ArrayLike<number | bigint>} TensorInput
 *   what may stand for a tensor: a `Tensor`, any `{data, shape}` or `{data, dims}` that is contiguous
 *   and row-major, a typed array, which has one axis, or nested arrays
 */

/** Which typed array holds which dtype. */
const ARRAYS = Object.freeze({
  float32: "Float32Array",
  float64: "Float64Array",
  int32: "Int32Array",
  uint8: "Uint8Array",
  int8: "Int8Array",
  int64: "BigInt64Array",
  float16: "Uint16Array", // the bits, or a Float16Array where the host has it
  bfloat16: "Uint16Array",
});

const NO_ROWS = "tensor must have an axis; got a single number";

const DTYPES = /** @type {DType[]} */ (Object.keys(ARRAYS));

/**
 * A row-major array with its shape: what every function returns. The data is a plain typed array
 * that belongs to the caller; there is nothing to free.
 *
 * @example
 * const x = new Tensor(Float32Array.of(1, 2, 3, 4, 5, 6), [2, 3]);
 * x.at(1, 2) // 6
 * @template {TensorData} [Data=Float32Array]
 */
export class Tensor {
  static name = "Tensor";

  /**
   * @param {Data} data  row-major; kept, not copied
   * @param {readonly number[]} shape  sizes of the axes, the last one fastest
   * @param {DType} [dtype]  what the numbers are; from the array's kind where that is clear
   * @throws {TypeError}  if data is no typed array of the dtype's kind
   * @throws {RangeError} if the shape does not have as many elements as data
   */
  constructor(data, shape, dtype) {
    nameMethods(Tensor);
    try {
      const wanted = dtype === undefined ? dtypeOf(data) : dtype;
      const known = wanted === "float32" ? wanted : oneOf(wanted, "dtype", DTYPES);
      const kind = kindOf(data);
      if (kind !== ARRAYS[known] && !(kind === "Float16Array" && known === "float16")) {
        throw new TypeError(`data must be a ${ARRAYS[known]} for ${known}; got ${describe(data)}`);
      }
      /** The numbers, row-major. @readonly */
      this.data = data;
      /** Sizes of the axes; frozen. @readonly @type {readonly number[]} */
      this.shape = frozenShape(shape, data.length);
      /** What the numbers are. @readonly @type {DType} */
      this.dtype = known;
      Object.freeze(this);
    } catch (error) {
      throw inFunction("Tensor", error);
    }
  }

  /** How many axes. */
  get rank() {
    return this.shape.length;
  }

  /** How many elements. */
  get size() {
    return this.data.length;
  }

  /**
   * One element; negative indices count from the end, as in NumPy.
   * @param {...number} indices  one for each axis
   * @returns {Data extends BigInt64Array ? bigint : number}
   * @throws {RangeError} if there are not as many as axes or one is out of range
   */
  at(...indices) {
    if (indices.length !== this.rank) {
      throw new RangeError(
        `indices must be ${this.rank}, one for each axis; got ${indices.length}`,
      );
    }
    let offset = 0;
    for (const [axis, size] of this.shape.entries()) {
      offset = offset * size + resolve(indices[axis], size, `index ${axis}`);
    }
    return /** @type {any} */ (this.data[offset]);
  }

  /**
   * The i-th slice along the first axis, sharing the data.
   * @param {number} index  negative counts from the end
   * @returns {Tensor<Data>}
   * @throws {RangeError} if the tensor has no axes or the index is out of range
   */
  row(index) {
    if (this.rank === 0) throw new RangeError(NO_ROWS);
    const [rows, ...rest] = this.shape;
    const at = resolve(index, rows, "index");
    const size = count(rest);
    const part = /** @type {Data} */ (this.data.subarray(at * size, (at + 1) * size));
    return new Tensor(part, rest, this.dtype);
  }

  /**
   * Some rows: from `begin` up to, but not including, `end`, as arrays slice; sharing the data.
   * @param {number} [begin]  negative counts from the end; default 0
   * @param {number} [end]  default the number of rows
   * @returns {Tensor<Data>} [rows, ...the other axes]
   * @throws {RangeError} if the tensor has no axes or a bound is not whole
   */
  slice(begin = 0, end = this.shape[0]) {
    if (this.rank === 0) throw new RangeError(NO_ROWS);
    const [rows, ...rest] = this.shape;
    const [from, to] = [
      integer(begin, "begin", -Infinity, Infinity),
      integer(end, "end", -Infinity, Infinity),
    ].map((bound) => Math.min(Math.max(bound < 0 ? bound + rows : bound, 0), rows));
    const kept = Math.max(to - from, 0);
    const size = count(rest);
    const part = /** @type {Data} */ (this.data.subarray(from * size, (from + kept) * size));
    return new Tensor(part, [kept, ...rest], this.dtype);
  }

  /** The slices along the first axis, in order. @returns {Generator<Tensor<Data>, void, unknown>} */
  *[Symbol.iterator]() {
    const rows = this.rank === 0 ? 0 : this.shape[0];
    for (let i = 0; i < rows; ++i) yield this.row(i);
  }

  /**
   * The same data in another shape; one size may be -1 and is worked out.
   * @param {...(number | readonly number[])} sizes  `reshape(2, 3)` or `reshape([2, 3])`
   * @returns {Tensor<Data>} sharing the data
   * @throws {RangeError} if the number of elements differs
   */
  reshape(...sizes) {
    const given = sizes.flat();
    const open = given.indexOf(-1);
    const known = given.filter((_, axis) => axis !== open);
    const whole = known.every((size) => Number.isSafeInteger(size) && size >= 0);
    const rest = whole && open >= 0 ? this.size / count(known) : 1;
    const wanted = whole ? given.map((size, axis) => (axis === open ? rest : size + 0)) : [];
    if (!whole || !Number.isSafeInteger(rest) || count(wanted) !== this.size) {
      throw new RangeError(
        `shape must have ${this.size} elements, as [${this.shape.join(", ")}]; got [${given.map(describe).join(", ")}]`,
      );
    }
    return new Tensor(this.data, wanted, this.dtype);
  }

  /**
   * A copy with two axes swapped, as torch.transpose: [B, H, T, D] and [B, T, H, D] are `transpose(1, 2)` of
   * each other.
   * @param {number} a  an axis; negative counts from the end
   * @param {number} b  another
   * @returns {Tensor<Data>}
   * @throws {TypeError | RangeError} if one is no axis
   * @example
   * new Tensor(Float32Array.of(1, 2, 3, 4, 5, 6), [2, 3]).transpose(0, 1).toArray()
   * // [[1, 4], [2, 5], [3, 6]]
   */
  transpose(a, b) {
    const [first, second] = [resolve(a, this.rank, "a"), resolve(b, this.rank, "b")];
    const shape = [...this.shape];
    const steps = shape.map((_, axis) => count(shape.slice(axis + 1)));
    for (const sizes of [shape, steps]) {
      [sizes[first], sizes[second]] = [sizes[second], sizes[first]];
    }
    const data = /** @type {Data} */ (this.data.slice());
    const [given, turned] = [wordsOf(this.data), wordsOf(data)];
    let to = 0;
    /** @param {number} axis @param {number} from */
    const copy = (axis, from) => {
      for (let i = 0; i < shape[axis]; ++i, from += steps[axis]) {
        if (axis === this.rank - 1) turned[to++] = given[from];
        else copy(axis + 1, from);
      }
    };
    copy(0, 0);
    return new Tensor(data, shape, this.dtype);
  }

  /**
   * The same numbers in another float dtype: this tensor itself if it has it, else a copy.
   *
   * `float16` gives a Float16Array where the host has it (Node 24, Deno, browsers of 2025), else its bits in a
   * Uint16Array; `bfloat16` always gives bits.
   * Accuracy: rounded once to the nearest, ties to even, whatever the dtype was; infinity beyond the range. To
   * float32 from 16 bits: exact. NaN becomes 0x7e00 in float16, with its sign, except from float64: there 0x7e00.
   * @template {"float32" | "float16" | "bfloat16"} To
   * @param {To} dtype
   * @returns {Tensor<To extends "float32" ? Float32Array : To extends "float16" ? Half | Uint16Array : Uint16Array>}
   * @throws {TypeError | RangeError} if it is another dtype, or this is an int64 tensor
   * @throws {OutOfMemoryError} if memory for the copy cannot be allocated
   * @example
   * const y = new Tensor(Float32Array.of(1 / 3, 70000), [2]).as("float16");
   * y.as("float32").toArray() // [0.333251953125, Infinity]
   */
  as(dtype) {
    const to = oneOf(dtype, "dtype", /** @type {const} */ (["float32", "float16", "bfloat16"]));
    const data = /** @type {any} */ (this.data);
    const isMissing = to === "float16" && HalfArray !== undefined && kindOf(data) === "Uint16Array";
    const same = this.dtype === to;
    if (same && !isMissing) return /** @type {any} */ (this);
    if (this.dtype === "int64")
      throw new TypeError("tensor must hold numbers; got int64, which holds bigints");
    const copy = same ? hosted(data.slice()) : converted(data, this.dtype, to);
    return /** @type {any} */ (new Tensor(copy, this.shape, to));
  }

  /** Nested plain arrays; a number for shape []. @returns {any} */
  toArray() {
    if (this.rank === 0) return this.data[0];
    if (this.rank === 1) return Array.from(/** @type {ArrayLike<number | bigint>} */ (this.data));
    return Array.from(this, (row) => row.toArray());
  }

  /** As NumPy prints an array: aligned, eight digits, long axes shortened. */
  toString() {
    return print(this);
  }

  /**
   * For JSON: shape, dtype and the flat numbers. Those that JSON lacks are strings: "NaN", "Infinity", "-Infinity", and
   * the bigints of int64. Functions that take a tensor read them, as `Float32Array.from` does. Only -0 becomes 0, by
   * JSON.stringify.
   */
  toJSON() {
    const data = Array.from(/** @type {ArrayLike<number | bigint>} */ (this.data), (x) =>
      Number.isFinite(x) ? /** @type {number} */ (x) : String(x),
    );
    return { shape: this.shape, dtype: this.dtype, data };
  }

  /** What Node's console shows. @returns {string} */
  [Symbol.for("nodejs.util.inspect.custom")]() {
    return `Tensor [${this.shape.join(", ")}] ${this.dtype}\n${this}`;
  }
}

/**
 * Shapes that tensors had last, by the number of elements: the results of a loop have few, and to freeze one takes
 * as long as to make a tensor of it.
 * @type {(readonly number[])[]}
 */
const frozen = Array(16).fill(Object.freeze([]));

/**
 * A frozen copy of the shape of some elements.
 * @param {readonly number[]} shape @param {number} elements
 * @returns {readonly number[]}
 */
function frozenShape(shape, elements) {
  const kept = frozen[elements & 15];
  if (isList(shape) && areEqual(shape, kept) && count(kept) === elements) return kept;
  const sizes = readShape(shape, "shape");
  if (count(sizes) !== elements) {
    throw new RangeError(
      `shape must have as many elements as data (${elements}); got [${sizes.join(", ")}]`,
    );
  }
  return (frozen[elements & 15] = Object.freeze(sizes));
}

/** The bits of a NaN that is no copy: engines differ in what they leave of its payload. */
const NAN = 0x7fc00000;

/** @param {Uint16Array} bits  of float16 @returns {any} a Float16Array on their memory, where the host has it */
const hosted = (bits) => (HalfArray ? new HalfArray(bits.buffer) : bits);

/** @param {any} data @param {DType} from @param {"float32" | "float16" | "bfloat16"} to */
function converted(data, from, to) {
  const numbers = widened(data, from) ?? data;
  if (to === "float32") return numbers === data ? float32Of(data) : numbers;
  const bits = new Uint16Array(numbers.length);
  round(numbers, to, bits);
  return to === "float16" ? hosted(bits) : bits;
}

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
  const read = asArray(value, name, BOOL, floatsOr);
  const { data, shape, dtype } = read;
  if (isBool(dtype)) throw new TypeError(`${name} must hold ${numbers}; got ${dtype} values`);
  if (data instanceof Float32Array) return /** @type {any} */ (read);
  const kind = kindOf(data);
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
 * @returns {{data: ArrayLike<unknown>, shape: number[], dtype?: unknown}} `dtype`, if it says one
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
 * @returns {{data: unknown[], shape: number[]}}
 */
function flatten(nested, name) {
  const row = numbersOf(nested);
  if (row) return { data: row, shape: [row.length] };
  /** @type {unknown[]} */
  const data = [];
  /** @type {number[]} the length of the first array at each depth */
  const shape = [];
  let depth = -1; // of the numbers, once one was seen
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
  return { data, shape };
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

/**
 * @param {unknown} index @param {number} size @param {string} name
 */
function resolve(index, size, name) {
  if (typeof index !== "number") {
    throw new TypeError(`${name} must be a whole number; got ${describe(index)}`);
  }
  const at = index < 0 ? index + size : index;
  if (!Number.isInteger(at) || at < 0 || at >= size) {
    const rule =
      size > 0 ? `a whole number from ${-size} to ${size - 1}` : "on an axis with elements";
    throw new RangeError(`${name} must be ${rule}; got ${describe(index)}`);
  }
  return at;
}

/** @param {unknown} data @returns {DType} */
function dtypeOf(data) {
  const kind = kindOf(data);
  if (kind === "Float32Array") return "float32";
  if (kind === "Uint16Array") {
    throw new TypeError("dtype must be given for a Uint16Array (float16 or bfloat16); got none");
  }
  const known =
    kind === "Float16Array" ? "float16" : DTYPES.find((dtype) => ARRAYS[dtype] === kind);
  if (known) return known;
  throw new TypeError(
    `data must be a typed array that a dtype has (${Object.values(ARRAYS).slice(0, 6).join(", ")}); got ${describe(data)}`,
  );
}
