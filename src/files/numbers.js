/**
 * From the bytes of a file to numbers: which formats there are and what each becomes.
 */
import { kindOf } from "../runtime/check.js";
import { float32FromBfloat16, float32FromFloat16 } from "../runtime/half.js";
import { asArray, asFloat32 } from "../runtime/tensor.js";
import { allocate } from "./bytes.js";

/** @import {DType, TensorData} from "../runtime/tensor.js" */

/**
 * @typedef {"i8" | "u8" | "i16" | "u16" | "i32" | "i64" | "f16" | "bf16" | "f32" | "f64"} Kind
 * @typedef {"numbers" | "stored"} As
 *   numbers: as numbers to reckon with (f16, bf16 widened to float32; i16, u16 to int32; exactly);
 *   stored:  float16 and bfloat16 as their 16 bits in a Uint16Array, the rest likewise
 * @typedef {object} Encoded  a tensor as it will lie in a file
 * @property {Kind | "bool"} kind
 * @property {TensorData} data
 * @property {readonly number[]} shape
 *
 * @typedef {object} Format
 * @property {any} Stored  the typed array whose elements lie in the file
 * @property {DType} dtype  of the tensor
 * @property {(stored: any) => TensorData} [widen]
 * @property {DType} [bits]  the tensor's dtype where its bits are kept
 */

/** @type {readonly As[]} */
export const AS = ["numbers", "stored"];

/** @type {Readonly<Record<Kind, Format>>} */
const FORMATS = {
  i8: { Stored: Int8Array, dtype: "int8" },
  u8: { Stored: Uint8Array, dtype: "uint8" },
  i16: { Stored: Int16Array, dtype: "int32", widen: int32FromInt16 },
  u16: { Stored: Uint16Array, dtype: "int32", widen: int32FromInt16 },
  i32: { Stored: Int32Array, dtype: "int32" },
  i64: { Stored: BigInt64Array, dtype: "int64" },
  f16: { Stored: Uint16Array, dtype: "float32", widen: float32FromFloat16, bits: "float16" },
  bf16: { Stored: Uint16Array, dtype: "float32", widen: float32FromBfloat16, bits: "bfloat16" },
  f32: { Stored: Float32Array, dtype: "float32" },
  f64: { Stored: Float64Array, dtype: "float64" },
};

/** How typed arrays are written; others become float32. @type {ReadonlyMap<string, Kind>} */
const WRITTEN = new Map([
  ["Float32Array", "f32"],
  ["Float64Array", "f64"],
  ["Int32Array", "i32"],
  ["BigInt64Array", "i64"],
  ["Int8Array", "i8"],
  ["Uint8Array", "u8"],
]);

const HOST_ORDER = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? "little" : "big";

/**
 * How many bytes one number takes in the file.
 * @param {Kind} kind
 * @returns {number}
 */
export const sizeOf = (kind) => FORMATS[kind].Stored.BYTES_PER_ELEMENT;

/** How many axes a tensor may have: PyTorch's and NumPy's limit. */
export const MOST_AXES = 64;

/**
 * How many bits a shape takes; undefined if it is beyond all files even without its axes of size 0.
 * A BigInt, since sizes in a file are claims, and their product may pass 2^53 and 2^64.
 * @param {readonly number[]} shape @param {number} bits  of one element
 * @returns {bigint | undefined}
 */
export function bitsOf(shape, bits) {
  const most = shape.reduce((product, size) => product * BigInt(size || 1), BigInt(bits));
  if (most >= 2n ** 64n) return undefined;
  return shape.includes(0) ? 0n : most;
}

/**
 * Read bytes as numbers of one kind.
 *
 * @param {Uint8Array<ArrayBuffer>} bytes  whole numbers of the kind, from `Bytes.read`; given away:
 *   the result may lie in them
 * @param {Kind} kind
 * @param {As} as
 * @param {"little" | "big"} [order]  which byte of a number comes first in the file
 * @returns {{data: TensorData, dtype: DType}}
 */
export function decode(bytes, kind, as, order = "little") {
  const { Stored, dtype, widen, bits } = FORMATS[kind];
  inHostOrder(bytes, sizeOf(kind), order);
  const stored = new Stored(bytes.buffer);
  if (bits !== undefined && as === "stored") return { data: stored, dtype: bits };
  return { data: widen === undefined ? stored : widen(stored), dtype };
}

/**
 * What a tensor becomes in a file. It is known by what it has and not by its class, since the other
 * entries of the package carry a `Tensor` of their own.
 *
 * @param {unknown} tensor  `dtype`, or `type`, may be "float16" or "bfloat16" of a Uint16Array, and
 *   "bool" of a Uint8Array
 * @param {string} name
 * @returns {Encoded}
 */
export function encode(tensor, name) {
  const { data, shape, dtype } = asArray(tensor, name, true);
  if (shape.length > MOST_AXES) {
    throw new RangeError(`${name} must have at most ${MOST_AXES} axes; got ${shape.length}`);
  }
  const array = kindOf(data);
  const stored = /** @type {TensorData} */ (data);
  if (array === "Uint16Array" && dtype === "float16") return { kind: "f16", data: stored, shape };
  if (array === "Uint16Array" && dtype === "bfloat16") return { kind: "bf16", data: stored, shape };
  if (array === "Uint8Array" && dtype === "bool") {
    const other = /** @type {Uint8Array} */ (data).find((value) => value > 1);
    if (other === undefined) return { kind: "bool", data: stored, shape };
    throw new RangeError(`${name} must hold 0 and 1, being bool; got ${other}`);
  }
  const kind = WRITTEN.get(array);
  if (kind !== undefined) return { kind, data: stored, shape };
  return { kind: "f32", data: asFloat32({ data, shape }, name).data, shape };
}

/**
 * Put the numbers of a tensor into a file, little-endian.
 * @param {Uint8Array} file @param {number} at @param {TensorData} data
 */
export function place(file, at, { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT }) {
  file.set(new Uint8Array(buffer, byteOffset, byteLength), at);
  inHostOrder(file.subarray(at, at + byteLength), BYTES_PER_ELEMENT, "little");
}

/**
 * Turn numbers between a file's byte order and the machine's, in place.
 * @param {Uint8Array} bytes @param {number} size  of a number @param {"little" | "big"} order
 */
export function inHostOrder(bytes, size, order) {
  if (order === HOST_ORDER || size === 1) return;
  for (let at = 0; at < bytes.length; at += size) {
    for (let i = at, j = at + size - 1; i < j; ++i, --j) {
      const byte = bytes[i];
      bytes[i] = bytes[j];
      bytes[j] = byte;
    }
  }
}

/**
 * @param {Int16Array | Uint16Array} stored
 */
function int32FromInt16(stored) {
  const wide = allocate(Int32Array, stored.length, "an int32 copy");
  wide.set(stored);
  return wide;
}
