/**
 * The dtypes of files, and conversion between their bytes and numbers.
 */
import { kindOf } from "../runtime/arrays.js";
import { float32FromBfloat16, float32FromFloat16 } from "../runtime/half.js";
import { asArray, asFloat32 } from "../runtime/input.js";
import { BLOCKS, decodeBlocks } from "./blocks.js";
import { allocate } from "./bytes.js";

/** @import {DType, TensorData} from "../runtime/tensor.js" */

/**
 * A tensor as it is written to a file.
 * @typedef {object} Encoded
 * @property {string} dtype
 * @property {TensorData} data
 * @property {readonly number[]} shape
 *
 * @typedef {object} Format
 * @property {any} Stored  the typed array of the stored elements
 * @property {DType} [dtype]  of the tensor; float32 where no typed array holds the elements
 * @property {(stored: any) => TensorData} [widen]  stored elements to the tensor's
 */

/** The dtypes of single elements that are read as numbers. @type {ReadonlyMap<string, Format>} */
const FORMATS = new Map([
  ["float32", { Stored: Float32Array, dtype: "float32" }],
  ["float64", { Stored: Float64Array, dtype: "float64" }],
  ["float16", { Stored: Uint16Array, dtype: "float32", widen: float32FromFloat16 }],
  ["bfloat16", { Stored: Uint16Array, dtype: "float32", widen: float32FromBfloat16 }],
  ["float8_e4m3fn", { Stored: Uint8Array, dtype: "float32", widen: float32FromE4m3 }],
  ["float8_e5m2", { Stored: Uint8Array, dtype: "float32", widen: float32FromE5m2 }],
  ["int8", { Stored: Int8Array, dtype: "int8" }],
  ["uint8", { Stored: Uint8Array, dtype: "uint8" }],
  ["bool", { Stored: Uint8Array, dtype: "uint8" }],
  ["int16", { Stored: Int16Array, dtype: "int32", widen: int32FromInt16 }],
  ["uint16", { Stored: Uint16Array, dtype: "int32", widen: int32FromInt16 }],
  ["int32", { Stored: Int32Array, dtype: "int32" }],
  ["uint32", { Stored: Uint32Array, dtype: "float32", widen: float32Of }],
  ["int64", { Stored: BigInt64Array, dtype: "int64" }],
  ["uint64", { Stored: BigUint64Array, dtype: "float32", widen: float32Of }],
]);

/** Every dtype that is read as numbers. @type {readonly string[]} */
export const READABLE = Object.freeze([...FORMATS.keys(), ...BLOCKS.keys()]);

/** How typed arrays are written; others become float32. @type {ReadonlyMap<string, DType>} */
const WRITTEN = new Map([
  ["Float32Array", "float32"],
  ["Float64Array", "float64"],
  ["Float16Array", "float16"],
  ["Int32Array", "int32"],
  ["BigInt64Array", "int64"],
  ["Int8Array", "int8"],
  ["Uint8Array", "uint8"],
]);

const HOST_ORDER = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? "little" : "big";

/**
 * The bytes of one element.
 * @param {string} dtype  of single elements
 * @returns {number}
 */
export const sizeOf = (dtype) =>
  /** @type {Format} */ (FORMATS.get(dtype)).Stored.BYTES_PER_ELEMENT;

/** The most axes of a tensor: the limit of PyTorch and NumPy. */
export const MAX_AXES = 64;

/**
 * The bits that a shape takes, or undefined from 2^64 on, even where an axis of size 0 makes it empty.
 * A BigInt, because a file may claim sizes whose product exceeds 2^53.
 * @param {readonly number[]} shape @param {number} bits  of one element
 * @returns {bigint | undefined}
 */
export function bitsOf(shape, bits) {
  const max = shape.reduce((product, size) => product * BigInt(size || 1), BigInt(bits));
  if (max >= 2n ** 64n) return undefined;
  return shape.includes(0) ? 0n : max;
}

/**
 * Reads bytes as numbers of one dtype.
 *
 * @param {Uint8Array<ArrayBuffer>} bytes  whole elements or blocks, from `Bytes.read`. The result may
 *   share their buffer: do not use them afterwards
 * @param {string} dtype  one of `READABLE`
 * @param {boolean} [asFloat32]  whether the result is float32 whatever the dtype
 * @returns {{data: TensorData, dtype: DType}}
 */
export function decode(bytes, dtype, asFloat32 = false) {
  const format = FORMATS.get(dtype);
  if (format === undefined) return { data: decodeBlocks(bytes, dtype), dtype: "float32" };
  const { Stored, dtype: natural = "float32", widen } = format;
  inHostOrder(bytes, Stored.BYTES_PER_ELEMENT, "little");
  const stored = new Stored(bytes.buffer);
  const data = widen === undefined ? stored : widen(stored);
  if (!asFloat32 || natural === "float32") return { data, dtype: natural };
  return {
    data: dtype === "bool" ? float32Of(data.map(Boolean)) : float32Of(data),
    dtype: "float32",
  };
}

/**
 * Prepares a tensor for writing. Tensors are recognized by their properties and not by their class, since
 * each entry of the package has its own `Tensor` class.
 *
 * @param {unknown} tensor  `dtype`, or `type`, may be "float16" or "bfloat16" for a Uint16Array, and
 *   "bool" for a Uint8Array
 * @param {string} name
 * @returns {Encoded}
 */
export function encode(tensor, name) {
  const { data, shape, dtype } = asArray(tensor, name, ["float16", "bfloat16", "bool"]);
  if (shape.length > MAX_AXES) {
    throw new RangeError(`${name} must have at most ${MAX_AXES} axes; got ${shape.length}`);
  }
  const array = kindOf(data);
  const stored = /** @type {TensorData} */ (data);
  if (array === "Uint16Array" && (dtype === "float16" || dtype === "bfloat16")) {
    return { dtype, data: stored, shape };
  }
  if (array === "Uint8Array" && dtype === "bool") {
    const other = /** @type {Uint8Array} */ (data).find((value) => value > 1);
    if (other === undefined) return { dtype, data: stored, shape };
    throw new RangeError(`${name} must hold 0 and 1 for dtype bool; got ${other}`);
  }
  const known = WRITTEN.get(array);
  if (known !== undefined) return { dtype: known, data: stored, shape };
  return { dtype: "float32", data: asFloat32({ data, shape }, name).data, shape };
}

/**
 * Copies the numbers of a tensor into a file, little-endian.
 * @param {Uint8Array} file @param {number} at @param {TensorData} data
 */
export function place(file, at, { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT }) {
  file.set(new Uint8Array(buffer, byteOffset, byteLength), at);
  inHostOrder(file.subarray(at, at + byteLength), BYTES_PER_ELEMENT, "little");
}

/**
 * Converts numbers between the byte order of a file and that of the machine, in place.
 * @param {Uint8Array} bytes @param {number} size  of a number @param {"little" | "big"} order
 */
export function inHostOrder(bytes, size, order) {
  if (order !== HOST_ORDER) swapBytes(bytes, size);
}

/** Reverses the bytes of every number, in place. @param {Uint8Array} bytes @param {number} size  of a number */
export function swapBytes(bytes, size) {
  for (let at = 0; at < bytes.length; at += size) bytes.subarray(at, at + size).reverse();
}

/** @param {Int16Array | Uint16Array} stored */
function int32FromInt16(stored) {
  const wide = allocate(Int32Array, stored.length, "an int32 copy");
  wide.set(stored);
  return wide;
}

/**
 * Float8 without infinities: s eeee fff, bias 7; 0x7f and 0xff are NaN.
 * @param {Uint8Array} stored
 */
function float32FromE4m3(stored) {
  const floats = allocate(Float32Array, stored.length, "a float32 copy");
  const words = new Uint32Array(floats.buffer);
  for (const [i, byte] of stored.entries()) {
    const magnitude = byte & 0x7f;
    // Its bits as those of a float32 of bias 7: the product with 2^120 is exact.
    words[i] = magnitude << 20;
    floats[i] *= 2 ** 120;
    if (magnitude === 0x7f) words[i] = 0x7ff00000;
    words[i] |= (byte & 0x80) << 24;
  }
  return floats;
}

/** Float8 as the upper half of a float16. @param {Uint8Array} stored */
function float32FromE5m2(stored) {
  return float32FromFloat16(Uint16Array.from(stored, (byte) => byte << 8));
}

/**
 * Each number rounded once to the nearest, ties to even.
 * @param {TensorData | Uint32Array | BigUint64Array} stored
 */
function float32Of(stored) {
  const floats = allocate(Float32Array, stored.length, "a float32 copy");
  if (stored instanceof BigInt64Array || stored instanceof BigUint64Array) {
    for (const [i, value] of stored.entries()) floats[i] = roundedOnce(value);
  } else {
    for (const [i, value] of stored.entries()) floats[i] = value === value ? value : NaN;
  }
  return floats;
}

/**
 * A 64-bit integer with its lowest bits merged into one, so that a double holds it and rounding the double
 * to float32 equals rounding the integer.
 * @param {bigint} value
 */
function roundedOnce(value) {
  const magnitude = value < 0n ? -value : value;
  if (magnitude < 2n ** 53n) return Number(value);
  const sticky = ((magnitude >> 12n) << 12n) | (magnitude & 0xfffn ? 1n << 12n : 0n);
  return value < 0n ? -Number(sticky) : Number(sticky);
}
