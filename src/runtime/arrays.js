/** @import { Numbers } from "./memory.js" */
/**
 * Arrays and their memory: what kind they are, how they are read whatever their class says of them, and which of
 * them share memory.
 */
import { describe, isList, isObject } from "./check.js";
import { OutOfMemoryError } from "./errors.js";

/**
 * Throws for a strided view (ndarray, numpy-ts), whose numbers are not in row-major order.
 * @param {object} view @param {ArrayLike<number>} shape  its own @param {string} name
 */
export function refuseStrides(view, shape, name) {
  const { stride, strides = stride, offset } = /** @type {any} */ (view);
  if (isObject(shape) && (isList(strides) || kindOf(strides))) {
    const axes = Math.min(shape.length, 32);
    const steps = Array.from({ length: axes }, (_, axis) => strides[axis]);
    let expected = 1;
    for (let axis = axes - 1; axis >= 0; expected *= shape[axis--]) {
      if (shape[axis] > 1 && steps[axis] !== expected) {
        throw new RangeError(
          `${name} must be contiguous and row-major; got strides [${steps.map(describe).join(", ")}] (copy it first)`,
        );
      }
    }
  }
  if (typeof offset === "number" && offset !== 0) {
    throw new RangeError(
      `${name} must start at its data's beginning; got offset ${offset} (copy it first)`,
    );
  }
}

/**
 * How many elements a shape has, or some of its axes.
 * @param {readonly number[]} shape @param {number} [from]  the first axis @param {number} [to]  the one after the last
 */
export function count(shape, from = 0, to = shape.length) {
  let product = 1;
  for (let axis = from; axis < to; ++axis) product *= shape[axis];
  return product;
}

/** Whether two lists have the same numbers. @param {readonly number[]} a @param {readonly number[]} b */
export function areEqual(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; a !== b && i < b.length; ++i) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * A new Float32Array, or `OutOfMemoryError`.
 * @param {number} length @param {string} what
 */
export function float32s(length, what) {
  return allocated(Float32Array, length, what);
}

/**
 * A new Int32Array, or `OutOfMemoryError`.
 * @param {number} length @param {string} what
 */
export function int32s(length, what) {
  return allocated(Int32Array, length, what);
}

/**
 * A new Float64Array, or `OutOfMemoryError`.
 * @param {number} length @param {string} what
 */
export function float64s(length, what) {
  return allocated(Float64Array, length, what);
}

/**
 * A new array of numbers, or `OutOfMemoryError`.
 * @template {Float32Array | Float64Array | Int32Array} Made
 * @param {new (of: any) => Made} Kind @param {number | Made} of  its length, or its numbers
 * @param {string | readonly number[]} what  what is allocated, or the shape of a result
 */
export function allocated(Kind, of, what) {
  try {
    return new Kind(of);
  } catch {
    const words = typeof what === "string" ? what : `a result of shape [${what.join(", ")}]`;
    const length = typeof of === "number" ? of : of.length;
    throw new OutOfMemoryError(words, length * /** @type {any} */ (Kind).BYTES_PER_ELEMENT);
  }
}

/**
 * An array's memory as integers.
 * @template Words
 * @param {ArrayBufferView} array
 * @param {new (buffer: ArrayBuffer, offset: number, length: number) => Words} Kind  of the same width
 */
export function wordsIn(array, Kind) {
  return new Kind(bufferOf.call(array), offsetOf.call(array), lengthOf.call(array));
}

/** Whether two arrays are views of one buffer. @param {ArrayBufferView} a @param {ArrayBufferView} b */
export function haveOneBuffer(a, b) {
  return bufferOf.call(a) === bufferOf.call(b);
}

/** Whether two arrays begin at the same place of it. @param {Numbers} a @param {Numbers} b */
export function startTogether(a, b) {
  return offsetOf.call(a) === offsetOf.call(b);
}

/**
 * Whether two arrays have memory in common.
 * @param {ArrayBufferView} a @param {ArrayBufferView} b
 */
export function shares(a, b) {
  if (!haveOneBuffer(a, b)) return false;
  const [from, start] = [offsetOf.call(a), offsetOf.call(b)];
  return from < start + bytesIn.call(b) && start < from + bytesIn.call(a);
}

/**
 * Whether two arrays share some memory without being the very same numbers.
 * @param {Numbers} a @param {Numbers} b
 */
export function overlaps(a, b) {
  return shares(a, b) && (!startTogether(a, b) || lengthOf.call(a) !== lengthOf.call(b));
}

/**
 * The getter of what every typed array is. A class or an array may have other members of that name; this one
 * reads the array itself.
 * @param {string | symbol} name
 */
function getterOf(name) {
  const { get } = /** @type {PropertyDescriptor} */ (
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name)
  );
  return /** @type {(this: unknown) => any} */ (get);
}

const { set, subarray } = Object.getPrototypeOf(Uint8Array.prototype);
const kindOfTyped = getterOf(Symbol.toStringTag); // undefined for anything else
const lengthOf = getterOf("length");
const offsetOf = getterOf("byteOffset");
const bufferOf = getterOf("buffer");
const bytesIn = getterOf("byteLength");

/** How many numbers an array has, whatever its class says. @param {ArrayBufferView} array @returns {number} */
export const sizeOf = (array) => lengthOf.call(array);

/** Whether an array has numbers, and as many as its class and members say. @param {ArrayLike<unknown>} array */
export const isTrue = (array) => lengthOf.call(array) === array.length && array.length > 0;

/** Whether an array may be written through its own methods. @param {Numbers} array */
export const isPlain = (array) => isTrue(array) && array.set === set && array.subarray === subarray;

/**
 * An array whose numbers are read one by one.
 * @template {ArrayBufferView & ArrayLike<unknown>} View
 * @param {View} array @param {string} name  of the argument
 * @returns {View} as long as it says
 * @throws {TypeError} if its memory was moved elsewhere
 */
export function listOf(array, name) {
  return isTrue(array) ? array : viewOf(array, name);
}

/**
 * The numbers of a typed array, whatever its class and own members say of them.
 * @template {ArrayBufferView} View
 * @param {View} array @param {string} name  of the argument
 * @param {string} [kind]  that of the array, where it is known
 * @returns {View} a view of the same memory
 * @throws {TypeError} if that memory was moved elsewhere
 */
export function viewOf(array, name, kind = kindOf(array)) {
  const length = lengthOf.call(array);
  const buffer = bufferOf.call(array);
  if (length === 0 && isGone(buffer)) {
    throw new TypeError(`${name} must be in memory; got an array that was moved elsewhere`);
  }
  const offset = offsetOf.call(array);
  if (kind === "Float32Array") return /** @type {any} */ (new Float32Array(buffer, offset, length));
  return new /** @type {any} */ (globalThis)[kind](buffer, offset, length);
}

/**
 * The bytes of an ArrayBuffer or of a view of one.
 * @param {unknown} value @param {string} name
 * @returns {Uint8Array | undefined} of the same memory; undefined for anything else
 * @throws {TypeError} if that memory was moved elsewhere
 */
export function bytesOf(value, name) {
  const kind = kindOf(value);
  if (kind === "DataView") {
    const { buffer, byteOffset, byteLength } = /** @type {DataView} */ (value);
    return new Uint8Array(buffer, byteOffset, byteLength);
  }
  if (kind !== "") {
    const { buffer, byteOffset, byteLength } = viewOf(/** @type {Uint8Array} */ (value), name);
    return new Uint8Array(buffer, byteOffset, byteLength);
  }
  if (!isObject(value) || Object.prototype.toString.call(value) !== "[object ArrayBuffer]") {
    return undefined;
  }
  try {
    return new Uint8Array(/** @type {ArrayBuffer} */ (value));
  } catch {
    throw new TypeError(`${name} must be in memory; got one that was moved elsewhere`);
  }
}

/** Whether an array lies in memory that several threads have. @param {ArrayBufferView} array  a typed array */
export function isShared(array) {
  return Object.prototype.toString.call(bufferOf.call(array)) === "[object SharedArrayBuffer]";
}

/** Whether memory was moved elsewhere. @param {ArrayBuffer} buffer */
export function isGone(buffer) {
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

/**
 * What kind of view of memory a value is, in whatever realm it was made: "Float32Array", ..., "DataView"; ""
 * for anything else.
 * @param {unknown} value
 * @returns {string}
 */
export function kindOf(value) {
  return kindOfTyped.call(value) ?? (ArrayBuffer.isView(value) ? "DataView" : "");
}
