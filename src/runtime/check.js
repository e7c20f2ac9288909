/** @import { Numbers } from "./memory.js" */
/**
 * Checks of arguments. Each returns the value as a plain one or throws
 * `TypeError` (wrong kind) or `RangeError` (wrong value): "NAME must RULE; got VALUE".
 */
import { OutOfMemoryError } from "./errors.js";
import { didYouMean } from "./suggest.js";

/**
 * The options of a call: each named option read once, the default where it is undefined, and an
 * option that does not exist refused.
 * @template {Record<string, unknown>} Options
 * @param {unknown} given
 * @param {Options} defaults  every option with its default
 * @param {string} where  the function's name, for the message
 * @returns {Options}
 */
export function options(given, defaults, where) {
  /** @type {Record<string, unknown>} */
  const read = { ...defaults };
  if (given === undefined) return /** @type {Options} */ (read);
  known(given, defaults, where);
  for (const name of Object.keys(defaults)) {
    const value = /** @type {Record<string, unknown>} */ (given)[name];
    if (value !== undefined) read[name] = value;
  }
  return /** @type {Options} */ (read);
}

/**
 * The names of the options of a call, each of which exists.
 * @param {unknown} given @param {object} defaults  has every option's name @param {string} where
 * @returns {string[]} its own
 */
export function known(given, defaults, where) {
  if (!isRecord(given)) throw new TypeError(`options must be an object; got ${describe(given)}`);
  const names = Object.keys(given);
  for (const name of names) {
    if (!Object.hasOwn(defaults, name)) {
      throw new TypeError(unknownOption(name, Object.keys(defaults), where));
    }
  }
  return names;
}

/**
 * Whether a value is an array; undefined for a proxy that was revoked, of which the engine says nothing.
 * @param {unknown} value
 */
function arrayness(value) {
  try {
    return Array.isArray(value);
  } catch {
    return undefined;
  }
}

/** @param {unknown} value @returns {value is object} */
const isAnyObject = (value) => typeof value === "object" && value !== null;

/** Whether a value is an array that can be read. @param {unknown} value @returns {value is any[]} */
export const isList = (value) => arrayness(value) === true;

/**
 * Whether a value is an object whose members can be read, or an array.
 * @param {unknown} value @returns {value is object}
 */
export const isObject = (value) => isAnyObject(value) && arrayness(value) !== undefined;

/**
 * Whether a value is an object whose members can be read, and no array.
 * @param {unknown} value @returns {value is Record<string, unknown>}
 */
export const isRecord = (value) => isAnyObject(value) && arrayness(value) === false;

/** @param {string} name @param {string[]} known @param {string} where */
function unknownOption(name, known, where) {
  const hint = didYouMean(name, known);
  const list = known.length === 0 ? "; it has none" : `; its options are ${known.join(", ")}`;
  return `${where} has no option ${describe(name)}${hint || list}`;
}

/**
 * A whole number from `least` to `most`.
 * @param {unknown} value @param {string} name @param {number} [least] @param {number} [most]
 * @returns {number}
 */
export function integer(value, name, least = 1, most = 2 ** 31 - 1) {
  const number = typeof value === "bigint" && inSafeRange(value) ? Number(value) : value;
  if (typeof number !== "number") {
    throw new TypeError(`${name} must be a whole number; got ${describe(value)}`);
  }
  if (!Number.isInteger(number) || number < least || number > most) {
    throw new RangeError(
      `${name} must be a whole number from ${least} to ${most}; got ${describe(value)}`,
    );
  }
  return number;
}

/**
 * The number of pairs of an even width.
 * @param {unknown} dim @param {number} [least] @param {number} [most]
 */
export function pairs(dim, least = 2, most) {
  const width = integer(dim, "dim", least, most);
  if (width % 2 !== 0) throw new RangeError(`dim must be even; got ${width}`);
  return width / 2;
}

/**
 * A finite number that `allowed` accepts.
 * @param {unknown} value @param {string} name
 * @param {string} [rule]  the rule in words
 * @param {(number: number) => boolean} [allowed]
 * @returns {number}
 */
export function finite(value, name, rule = "a finite number", allowed = () => true) {
  if (typeof value !== "number") {
    throw new TypeError(`${name} must be ${rule}; got ${describe(value)}`);
  }
  if (!Number.isFinite(value) || !allowed(value)) {
    throw new RangeError(`${name} must be ${rule}; got ${describe(value)}`);
  }
  return value;
}

/** The largest float32. */
export const MOST = 3.4028234663852886e38;

/**
 * True or false.
 * @param {unknown} value @param {string} name
 * @returns {boolean}
 */
export function boolean(value, name) {
  if (typeof value === "boolean") return value;
  throw new TypeError(`${name} must be true or false; got ${describe(value)}`);
}

/**
 * One of a list of words.
 * @template {string} Word
 * @param {unknown} value @param {string} name @param {readonly Word[]} words
 * @returns {Word}
 */
export function oneOf(value, name, words) {
  if (words.includes(/** @type {Word} */ (value))) return /** @type {Word} */ (value);
  const rule = `one of ${words.map((word) => `"${word}"`).join(", ")}`;
  const Wrong = typeof value === "string" ? RangeError : TypeError;
  throw new Wrong(`${name} must be ${rule}; got ${describe(value)}`);
}

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
  for (let i = 0; i < b.length; ++i) if (a[i] !== b[i]) return false;
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
 * A new array of numbers, or `OutOfMemoryError`.
 * @template {Float32Array | Int32Array} Numbers
 * @param {new (length: number) => Numbers} Kind @param {number} length
 * @param {string | readonly number[]} what  what is allocated, or the shape of a result
 */
export function allocated(Kind, length, what) {
  try {
    return new Kind(length);
  } catch {
    const words = typeof what === "string" ? what : `a result of shape [${what.join(", ")}]`;
    throw new OutOfMemoryError(words, length * 4);
  }
}

/**
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

/**
 * A value in a few words, for a message.
 * @param {unknown} value
 * @returns {string}
 */
export function describe(value) {
  if (typeof value === "string") {
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  }
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  if (typeof value !== "object" || value === null) return String(value);
  if (!isObject(value)) return "a revoked proxy";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  const name = constructorName(value);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    return `${name} of ${/** @type {any} */ (value).length}`;
  }
  return name === "Object" ? "an object" : name;
}

/** @param {object} value */
function constructorName(value) {
  try {
    const name = value.constructor?.name;
    return typeof name === "string" && name !== "" ? name : "an object";
  } catch {
    return "an object"; // a Proxy or getter that throws
  }
}

/** @param {bigint} value */
function inSafeRange(value) {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
}
