/** @import { Half } from "./half.js" */
import { wordsOf } from "./bits.js";
import { areEqual, count, kindOf, sizeOf } from "./arrays.js";
import { describe, integer, isList, oneOf } from "./check.js";
import { readShape, rememberBy } from "./input.js";
import { inFunction, nameMethods } from "./named.js";
import { float32Of, HalfArray, round, widened } from "./half.js";
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
 *   what is accepted as a tensor: a `Tensor`, any `{data, shape}` or `{data, dims}` that is contiguous
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

/** Each entry of the package may have its own copy of the class: a brand makes `instanceof` answer the same for all. */
const BRAND = Symbol.for("phasor.Tensor");

/** Whether the class is: bundlers leave out classes of which no object is made. */
let isKnown = false;

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

  /** @param {any} value @returns {boolean} */
  static [Symbol.hasInstance](value) {
    const isOwn = Function.prototype[Symbol.hasInstance].call(this, value);
    return isOwn || (this === Tensor && value?.[BRAND] === true);
  }

  /** @internal */
  get [BRAND]() {
    return true;
  }

  /** Its numbers as an argument was read, if it has been one. @type {Float32Array | undefined} */
  #read;

  /**
   * @param {Data} data  row-major; kept, not copied
   * @param {readonly number[]} shape  sizes of the axes, the last one fastest
   * @param {DType} [dtype]  what the numbers are; from the array's kind where that is clear
   * @throws {TypeError}  if data is no typed array of the dtype's kind
   * @throws {RangeError} if the shape does not have as many elements as data
   */
  constructor(data, shape, dtype) {
    if (!isKnown) {
      isKnown = true;
      nameMethods(Tensor);
      // A tensor never changes, but its memory may move, and a class that extends this one may have members that change.
      rememberBy((value, read) => {
        if (!(#read in value)) return undefined;
        if (read && Object.getPrototypeOf(value) === Tensor.prototype) value.#read = read;
        const kept = value.#read;
        const size = kept ? sizeOf(kept) : 0;
        return size === sizeOf(value.data) && size > 0 ? kept : undefined;
      });
    }
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
   * For JSON: shape, dtype and the flat numbers, of float16 and bfloat16 too. Those that JSON lacks are strings: "NaN",
   * "Infinity", "-Infinity", and the bigints of int64. Functions that take a tensor read them, as `Float32Array.from`
   * does. Only -0 becomes 0, by JSON.stringify.
   */
  toJSON() {
    const { data: numbers } = this.dtype.endsWith("float16") ? this.as("float32") : this;
    const data = Array.from(/** @type {ArrayLike<number | bigint>} */ (numbers), (x) =>
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

/** How many elements each of them has. @type {number[]} */
const sizes = Array(16).fill(1);

/**
 * A frozen copy of the shape of some elements.
 * @param {readonly number[]} shape @param {number} elements
 * @returns {readonly number[]}
 */
function frozenShape(shape, elements) {
  const slot = elements & 15;
  const kept = frozen[slot];
  if (sizes[slot] === elements && (shape === kept || (isList(shape) && areEqual(shape, kept)))) {
    return kept;
  }
  const known = readShape(shape, "shape");
  if (count(known) !== elements) {
    throw new RangeError(
      `shape must have as many elements as data (${elements}); got [${known.join(", ")}]`,
    );
  }
  sizes[slot] = elements;
  return (frozen[slot] = Object.freeze(known));
}

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
