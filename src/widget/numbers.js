/**
 * Converts the numbers that a notebook's kernel sends and receives: `{data, shape, dtype}`, bytes with a shape and
 * NumPy's name of the dtype. Bytes arrive as a DataView with any offset in its buffer.
 */
import { kindOf } from "../runtime/arrays.js";
import { describe, oneOf } from "../runtime/check.js";
import { Tensor } from "../runtime/tensor.js";

/** @import { TensorData } from "../runtime/tensor.js" */

const ARRAYS = {
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
};
const dtypes = /** @type {(keyof typeof ARRAYS)[]} */ (Object.keys(ARRAYS));

/**
 * Converts bytes to a typed array with a shape. Other values are returned unchanged.
 * @param {any} value @param {string} name
 */
export function readNumbers(value, name) {
  if (isBytes(value)) {
    throw new TypeError(`${name} must have a shape next to its bytes; got ${describe(value)}`);
  }
  const bytes = value?.data;
  if (!isBytes(bytes)) return value;
  const { shape, dtype = "float32" } = value;
  const Kind = ARRAYS[oneOf(dtype, `${name}.dtype`, dtypes)];
  if (bytes.byteLength % Kind.BYTES_PER_ELEMENT !== 0) {
    throw new RangeError(
      `${name}.data must hold whole numbers of ${dtype}; got ${bytes.byteLength} bytes`,
    );
  }
  const from = "byteOffset" in bytes ? bytes.byteOffset : 0;
  const whole = /** @type {ArrayBuffer} */ ("buffer" in bytes ? bytes.buffer : bytes);
  return { data: new Kind(whole.slice(from, from + bytes.byteLength)), shape };
}

/** @param {unknown} value @returns {value is DataView | ArrayBuffer} of any realm */
function isBytes(value) {
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kindOf(value) === "DataView" || kind === "ArrayBuffer";
}

/**
 * Converts a result for the kernel.
 * @param {Tensor<any>} tensor
 */
export function writeNumbers({ data, shape, dtype }) {
  const { buffer, byteOffset, byteLength } = data;
  return { data: new DataView(buffer, byteOffset, byteLength), shape: [...shape], dtype };
}

/**
 * Converts such a result to a tensor; undefined where there is none.
 * @param {any} value
 * @returns {Tensor<TensorData> | undefined}
 */
export function readTensor(value) {
  if (value?.data === undefined) return undefined;
  const { data, shape } = readNumbers(value, "value");
  return new Tensor(data, shape, value.dtype);
}

/**
 * Compares two plain values; bytes are compared by content.
 * @param {any} a @param {any} b
 * @returns {boolean}
 */
export function same(a, b) {
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return Object.is(a, b);
  if (kindOf(a) === "DataView" || kindOf(b) === "DataView") {
    return kindOf(a) === kindOf(b) && sameBytes(a, b);
  }
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => same(a[key], b[key]));
}

/** @param {DataView} a @param {DataView} b */
function sameBytes(a, b) {
  if (a.byteLength !== b.byteLength) return false;
  for (let i = 0; i < a.byteLength; ++i) if (a.getUint8(i) !== b.getUint8(i)) return false;
  return true;
}
