import { count, describe } from "./check.js";

/**
 * @typedef {"float32" | "float64" | "int32" | "uint8" | "int8" | "int64" | "float16" | "bfloat16"} DType
 * @typedef {Float32Array | Float64Array | Int32Array | Uint8Array | Int8Array | BigInt64Array | Uint16Array} TensorData
 * @typedef {number | readonly any[]} NestedNumbers
 * @typedef {{data: ArrayLike<number | bigint>, shape: ArrayLike<number>}
 *   | {data: ArrayLike<number | bigint>, dims: ArrayLike<number>}} TensorLike
 * @typedef {TensorLike | NestedNumbers | ArrayLike<number | bigint>} TensorInput
 */

/** Which typed array holds which dtype. */
const ARRAYS = Object.freeze({
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  uint8: Uint8Array,
  int8: Int8Array,
  int64: BigInt64Array,
  float16: Uint16Array, // the bits; no engine-independent Float16Array yet
  bfloat16: Uint16Array,
});

/**
 * A row-major array with its shape: what every function returns. The data is a plain typed array
 * that belongs to the caller; there is nothing to free.
 *
 * @example
 * const x = new Tensor(Float32Array.of(1, 2, 3, 4, 5, 6), [2, 3]);
 * x.at(1, 2) // 6
 */
export class Tensor {
  /**
   * @param {TensorData} data  row-major; kept, not copied
   * @param {readonly number[]} shape
   * @param {DType} [dtype]  what the numbers are; from the array's kind where that is clear
   * @throws {TypeError}  if data is no typed array of the dtype's kind
   * @throws {RangeError} if the shape does not have as many elements as data
   */
  constructor(data, shape, dtype = dtypeOf(data)) {
    if (!Object.hasOwn(ARRAYS, dtype)) {
      const known = Object.keys(ARRAYS).join(", ");
      throw new RangeError(`dtype must be one of ${known}; got ${describe(dtype)}`);
    }
    if (!(data instanceof ARRAYS[dtype])) {
      throw new TypeError(`data must be ${ARRAYS[dtype].name} for ${dtype}; got ${describe(data)}`);
    }
    const sizes = checkedShape(shape, "shape");
    if (count(sizes) !== data.length) {
      throw new RangeError(
        `shape must have as many elements as data (${data.length}); got [${sizes.join(", ")}]`,
      );
    }
    /** @readonly */
    this.data = data;
    /** @readonly @type {readonly number[]} */
    this.shape = Object.freeze(sizes);
    /** @readonly @type {DType} */
    this.dtype = dtype;
    Object.freeze(this);
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
   * @returns {number | bigint}
   * @throws {RangeError} if there are not as many as axes or one is out of range
   */
  at(...indices) {
    if (indices.length !== this.rank) {
      throw new RangeError(`at must get ${this.rank} indices; got ${indices.length}`);
    }
    let offset = 0;
    for (const [axis, size] of this.shape.entries()) {
      offset = offset * size + resolve(indices[axis], size, `index ${axis}`);
    }
    return this.data[offset];
  }

  /**
   * The i-th slice along the first axis, sharing the data.
   * @param {number} index  negative counts from the end
   * @returns {Tensor}
   * @throws {RangeError} if the tensor has no axes or the index is out of range
   */
  row(index) {
    if (this.rank === 0)
      throw new RangeError("row must be asked of a tensor with axes; got shape []");
    const [rows, ...rest] = this.shape;
    const at = resolve(index, rows, "index");
    const size = count(rest);
    return new Tensor(this.data.subarray(at * size, (at + 1) * size), rest, this.dtype);
  }

  /** The slices along the first axis, in order. @returns {Generator<Tensor, void, unknown>} */
  *[Symbol.iterator]() {
    const rows = this.rank === 0 ? 0 : this.shape[0];
    for (let i = 0; i < rows; ++i) yield this.row(i);
  }

  /**
   * The same data in another shape; one size may be -1 and is worked out.
   * @param {...(number | readonly number[])} sizes  `reshape(2, 3)` or `reshape([2, 3])`
   * @returns {Tensor} sharing the data
   * @throws {RangeError} if the number of elements differs
   */
  reshape(...sizes) {
    const wanted = sizes.flat();
    const open = wanted.indexOf(-1);
    if (open >= 0) {
      const known = wanted.reduce((product, size, i) => (i === open ? product : product * size), 1);
      wanted[open] = known === 0 ? 0 : this.size / known;
    }
    if (wanted.some((size) => !Number.isInteger(size)) || count(wanted) !== this.size) {
      throw new RangeError(
        `shape must have ${this.size} elements, as [${this.shape.join(", ")}]; got [${sizes.flat().join(", ")}]`,
      );
    }
    return new Tensor(this.data, wanted, this.dtype);
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

  /** For JSON: shape, dtype and the flat numbers. */
  toJSON() {
    const data = Array.from(/** @type {ArrayLike<number | bigint>} */ (this.data), (x) =>
      typeof x === "bigint" ? String(x) : x,
    );
    return { shape: this.shape, dtype: this.dtype, data };
  }

  /** What Node's console shows. @returns {string} */
  [Symbol.for("nodejs.util.inspect.custom")]() {
    return `Tensor [${this.shape.join(", ")}] ${this.dtype}\n${this}`;
  }
}

/**
 * Read an argument that is a tensor, as float32.
 * @param {unknown} value  a Tensor, any `{data, shape}` or `{data, dims}`, or (nested) arrays
 * @param {string} name
 * @returns {{data: Float32Array, shape: number[]}} a Float32Array is shared, the rest is copied
 * @throws {TypeError} if it is none of these or holds something else than numbers
 * @throws {RangeError} if it is ragged, or its shape and length differ
 */
export function asFloat32(value, name) {
  const { data, shape } = asArray(value, name);
  if (data instanceof Float32Array) return { data, shape };
  const kind = Object.prototype.toString.call(data).slice(8, -1);
  if (
    kind !== "Array" &&
    !/^(Float64|Float16|Int8|Uint8|Uint8Clamped|Int16|Uint16|Int32|Uint32)Array$/.test(kind)
  ) {
    throw new TypeError(`${name} must hold numbers; got ${describe(data)}`);
  }
  const dtype = /** @type {any} */ (value)?.dtype;
  if (dtype === "float16" || dtype === "bfloat16") {
    throw new TypeError(`${name} must hold float32 numbers; got ${dtype} bits`);
  }
  const floats = new Float32Array(data.length);
  for (let i = 0; i < data.length; ++i) {
    const x = data[i];
    if (typeof x !== "number") {
      throw new TypeError(`${name} must hold numbers; got ${describe(x)} at ${i}`);
    }
    floats[i] = x;
  }
  return { data: floats, shape };
}

/**
 * Read an argument that is a tensor of any numbers.
 * @param {unknown} value @param {string} name
 * @returns {{data: ArrayLike<unknown>, shape: number[]}}
 */
export function asArray(value, name) {
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const data = /** @type {ArrayLike<unknown>} */ (/** @type {unknown} */ (value));
    return { data, shape: [data.length] };
  }
  if (Array.isArray(value)) return flatten(value, name);
  const given = /** @type {any} */ (value);
  const data = given !== null && typeof given === "object" ? given.data : undefined;
  if (!Array.isArray(data) && (!ArrayBuffer.isView(data) || data instanceof DataView)) {
    throw new TypeError(
      `${name} must be a tensor ({data, shape}), a typed array or nested arrays; got ${describe(value)}`,
    );
  }
  const sizes = given.shape ?? given.dims;
  if (sizes === undefined) {
    throw new TypeError(`${name} must have a shape beside its data; got none`);
  }
  const shape = checkedShape(sizes, `${name}.shape`);
  const flat = /** @type {ArrayLike<unknown>} */ (/** @type {unknown} */ (data));
  if (count(shape) !== flat.length) {
    throw new RangeError(
      `${name}.shape must have as many elements as its data (${flat.length}); got [${shape.join(", ")}]`,
    );
  }
  refuseStrides(given, shape, name);
  return { data: flat, shape };
}

/**
 * @param {unknown} sizes @param {string} name
 * @returns {number[]}
 */
function checkedShape(sizes, name) {
  if (!Array.isArray(sizes) && !ArrayBuffer.isView(sizes)) {
    throw new TypeError(`${name} must be an array of sizes; got ${describe(sizes)}`);
  }
  const shape = Array.from(/** @type {ArrayLike<unknown>} */ (/** @type {unknown} */ (sizes)));
  for (const size of shape) {
    if (!Number.isSafeInteger(size) || /** @type {number} */ (size) < 0) {
      throw new RangeError(`${name} must hold whole numbers >= 0; got ${describe(size)}`);
    }
  }
  return /** @type {number[]} */ (shape);
}

/**
 * A view with strides of its own (ndarray) would be read wrongly: say so.
 * @param {any} given @param {number[]} shape @param {string} name
 */
function refuseStrides(given, shape, name) {
  const strides = given.stride ?? given.strides;
  const offset = given.offset ?? 0;
  const isList = Array.isArray(strides) || ArrayBuffer.isView(strides);
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    if (isList && shape[axis] > 1 && /** @type {any} */ (strides)[axis] !== expected) {
      throw new RangeError(
        `${name} must be contiguous and row-major; got strides [${Array.from(/** @type {any} */ (strides)).join(", ")}] (copy it first)`,
      );
    }
    expected *= shape[axis];
  }
  if (typeof offset === "number" && offset !== 0) {
    throw new RangeError(
      `${name} must start at its data's beginning; got offset ${offset} (copy it first)`,
    );
  }
}

/**
 * @param {readonly unknown[]} nested @param {string} name
 * @returns {{data: unknown[], shape: number[]}}
 */
function flatten(nested, name) {
  /** @type {number[]} */
  const shape = [];
  for (let level = /** @type {unknown} */ (nested); isList(level); level = level[0]) {
    shape.push(level.length);
    if (shape.length > 32) throw new RangeError(`${name} must have at most 32 axes; got more`);
    if (level.length === 0) break;
  }
  /** @type {unknown[]} */
  const data = [];
  /** @param {unknown} level @param {number} axis */
  const visit = (level, axis) => {
    if (axis === shape.length) {
      if (isList(level))
        throw new RangeError(`${name} must not be ragged; got arrays of unequal depth`);
      data.push(level);
      return;
    }
    if (!isList(level) || level.length !== shape[axis]) {
      throw new RangeError(
        `${name} must not be ragged; got ${describe(level)} where the first has ${shape[axis]}`,
      );
    }
    for (let i = 0; i < level.length; ++i) visit(level[i], axis + 1);
  };
  visit(nested, 0);
  return { data, shape };
}

/** @param {unknown} value @returns {value is ArrayLike<unknown>} */
function isList(value) {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

/**
 * @param {number} index @param {number} size @param {string} name
 */
function resolve(index, size, name) {
  const at = index < 0 ? index + size : index;
  if (!Number.isInteger(at) || at < 0 || at >= size) {
    throw new RangeError(`${name} must be from ${-size} to ${size - 1}; got ${describe(index)}`);
  }
  return at;
}

/** @param {TensorData} data @returns {DType} */
function dtypeOf(data) {
  if (data instanceof Uint16Array) {
    throw new TypeError("dtype must be given for a Uint16Array (float16 or bfloat16); got none");
  }
  for (const [dtype, Kind] of Object.entries(ARRAYS)) {
    if (data instanceof Kind) return /** @type {DType} */ (dtype);
  }
  throw new TypeError(`data must be a typed array; got ${describe(data)}`);
}

// --- printing, after NumPy's rules -----------------------------------------------------------

const THRESHOLD = 1000; // elements above which long axes are shortened
const EDGE = 3; // rows and columns kept at each end
const WIDTH = 75;

/** @param {Tensor} tensor */
function print(tensor) {
  const shorten = tensor.size > THRESHOLD;
  /** @type {number[][]} the indices shown along each axis; -1 stands for "..." */
  const shown = tensor.shape.map((size) =>
    shorten && size > 2 * EDGE
      ? [0, 1, 2, -1, size - 3, size - 2, size - 1]
      : Array.from({ length: size }, (_, i) => i),
  );
  /** @type {(number | bigint)[]} */
  const values = [];
  /** @param {number} axis @param {number} offset */
  const collect = (axis, offset) => {
    if (axis === tensor.rank) values.push(tensor.data[offset]);
    else
      for (const i of shown[axis]) if (i >= 0) collect(axis + 1, offset * tensor.shape[axis] + i);
  };
  if (tensor.size > 0) collect(0, 0);
  const words = formatAll(values, tensor.dtype);
  if (tensor.rank === 0) return words[0].trim();
  if (tensor.size === 0) return "[]";

  let next = 0;
  /** @param {number} axis @returns {string} */
  const render = (axis) => {
    const indent = " ".repeat(axis + 1);
    if (axis === tensor.rank - 1) {
      const lines = [""];
      for (const i of shown[axis]) {
        const word = i < 0 ? "..." : words[next++];
        const last = lines.length - 1;
        const joined = lines[last] === "" ? word : `${lines[last]} ${word}`;
        if (lines[last] !== "" && indent.length + joined.length > WIDTH) lines.push(word);
        else lines[last] = joined;
      }
      return `[${lines.join(`\n${indent}`)}]`;
    }
    const parts = shown[axis].map((i) => (i < 0 ? "..." : render(axis + 1)));
    return `[${parts.join("\n".repeat(tensor.rank - 1 - axis) + indent)}]`;
  };
  return render(0);
}

/**
 * @param {(number | bigint)[]} values @param {DType} dtype
 * @returns {string[]} all equally wide
 */
function formatAll(values, dtype) {
  if (dtype !== "float32" && dtype !== "float64") return alignRight(values.map(String));
  const numbers = /** @type {number[]} */ (values);
  const sizes = numbers.filter((x) => Number.isFinite(x) && x !== 0).map(Math.abs);
  const most = Math.max(0, ...sizes);
  const least = Math.min(Infinity, ...sizes);
  const scientific = most >= 1e8 || least < 1e-4 || most / least > 1000;
  const single = dtype === "float32";
  const parts = numbers.map((x) => digits(x, scientific, single));
  const fraction = Math.max(0, ...parts.map((part) => part.fraction.length));
  return alignRight(
    parts.map(({ whole, fraction: digits, exponent, special }) => {
      if (special !== "") return special;
      return `${whole}.${scientific ? digits.padEnd(fraction, "0") : digits.padEnd(fraction)}${exponent}`;
    }),
  );
}

/**
 * The shortest digits that name x, at most eight after the point.
 * @param {number} x @param {boolean} scientific @param {boolean} single  of float32
 */
function digits(x, scientific, single) {
  if (!Number.isFinite(x)) {
    const special = Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
    return { whole: "", fraction: "", exponent: "", special };
  }
  let shortest = x;
  if (single) {
    for (let precision = 1; precision <= 9; ++precision) {
      shortest = Number(x.toPrecision(precision));
      if (Math.fround(shortest) === x) break;
    }
  }
  const sign = Object.is(x, -0) ? "-" : "";
  if (scientific) {
    const [mantissa, power] = cut(shortest.toExponential(), () => shortest.toExponential(8)).split(
      "e",
    );
    const [whole, fraction = ""] = mantissa.split(".");
    const exponent = `e${power[0]}${power.slice(1).padStart(2, "0")}`;
    return { whole: sign + whole, fraction: fraction.replace(/0+$/, ""), exponent, special: "" };
  }
  const [whole, fraction = ""] = cut(plain(shortest), () => shortest.toFixed(8)).split(".");
  return { whole: sign + whole, fraction: fraction.replace(/0+$/, ""), exponent: "", special: "" };
}

/** @param {string} text @param {() => string} shorter */
function cut(text, shorter) {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? "";
  return fraction.length > 8 ? shorter() : text;
}

/** @param {number} x */
function plain(x) {
  const text = String(x);
  return text.includes("e") ? x.toFixed(20) : text;
}

/** @param {string[]} words */
function alignRight(words) {
  const width = Math.max(0, ...words.map((word) => word.length));
  return words.map((word) => word.padStart(width));
}
