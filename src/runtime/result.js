/** @import { Half } from "./half.js" */
/** @import { Core } from "./wasm.js" */
import { allocated, count, isPlain, kindOf, refuseStrides, viewOf } from "./arrays.js";
import { describe, isObject } from "./check.js";
import { halfBits, round } from "./half.js";
import { floatsAt, take } from "./memory.js";
import { Tensor } from "./tensor.js";

/** How many numbers a small result has at most: those of a tile. */
const FEW = 1 << 16;

/**
 * The result of a call: numbers to fill, and the tensor of them. Where the caller's array has 16 bits, the numbers
 * are computed in a separate array and rounded at the end.
 * @template {Float32Array | Int32Array} [Numbers=Float32Array]
 */
export class Result {
  /** @type {Numbers | undefined} */
  #data;

  /**
   * @param {Numbers | undefined} data  undefined for a new array, which is made when it is first needed if it is small
   * @param {readonly number[]} shape
   * @param {"float32" | "int32" | "float16" | "bfloat16"} dtype  of `target`
   * @param {Numbers | Uint16Array | Half} [target]
   */
  constructor(data, shape, dtype, target) {
    /** @readonly */
    this.shape = shape;
    /** @readonly */
    this.dtype = dtype;
    // Where memory is short, a large array fails before anything is done.
    this.#data = data ?? (count(shape) > FEW ? this.#made(count(shape)) : undefined);
    /** Where the caller wants it; undefined for a new array. @readonly */
    this.given = target;
  }

  /** The numbers to fill, row-major. @returns {Numbers} */
  get data() {
    return (this.#data ??= this.#made(count(this.shape)));
  }

  /** Their destination: `data`, or the caller's array of 16 bits. */
  get target() {
    return this.given ?? this.data;
  }

  /** @param {number | Numbers} of  its length, or its numbers @returns {any} */
  #made(of) {
    const Kind = this.dtype === "int32" ? Int32Array : Float32Array;
    return allocated(/** @type {any} */ (Kind), of, this.shape);
  }

  /**
   * Copies float32 numbers out of the core. A new array that they fill is made of them: that takes half as long as to
   * fill it with zeros first.
   * @param {Core} core @param {number} at @param {number} size @param {number} [offset]
   */
  take(core, at, size, offset = 0) {
    if (this.#data === undefined && size === count(this.shape)) {
      this.#data = this.#made(/** @type {any} */ (floatsAt(core, at, size)));
    } else take(core, at, size, this.data, offset);
  }

  /** The tensor, once `data` is filled. @returns {Tensor<Numbers>} */
  done() {
    const { shape, dtype, target } = this;
    const data = /** @type {any} */ (this.data);
    if (data !== target)
      round(data, /** @type {any} */ (dtype), halfBits(/** @type {any} */ (target)));
    return /** @type {any} */ (new Tensor(target, shape, dtype));
  }
}

/**
 * The result of a call, in `out` or newly made.
 * @param {unknown} out  undefined, a Float32Array, a Float16Array, or a tensor of float32, float16 or bfloat16
 * @param {readonly number[]} shape
 * @param {string} [name]
 * @returns {Result<Float32Array>}
 */
export function output(out, shape, name = "out") {
  return resultOf(out, shape, name, "float32");
}

/**
 * The result of a call that gives indices or buckets, in `out` or newly made.
 * @param {unknown} out @param {readonly number[]} shape @param {string} [name]
 * @returns {Result<Int32Array>}
 */
export function outputInt32(out, shape, name = "out") {
  return resultOf(out, shape, name, "int32");
}

/**
 * @template {Float32Array | Int32Array} Numbers
 * @param {unknown} out @param {readonly number[]} shape @param {string} name
 * @param {"float32" | "int32"} dtype
 * @returns {Result<Numbers>}
 */
function resultOf(out, shape, name, dtype) {
  if (out === undefined) return /** @type {any} */ (new Result(undefined, shape, dtype));
  const kind = dtype === "float32" ? "Float32Array" : "Int32Array";
  const own = kindOf(out);
  const data = own !== "" ? out : isObject(out) ? /** @type {any} */ (out).data : undefined;
  const isKind = (own !== "" ? own : kindOf(data)) === kind;
  const isNone = isKind || data === undefined || kind === "Int32Array";
  const narrow = isNone ? undefined : narrowDtype(data, Object(out));
  if (!isKind && narrow === undefined) {
    throw new TypeError(`${name} must be ${destinationRule(kind)}; got ${describe(out)}`);
  }
  if (data !== out) {
    const { shape: own, dims = shape } = /** @type {any} */ (out);
    refuseStrides(/** @type {object} */ (out), own ?? dims, name);
  }
  const target = isPlain(data) ? data : viewOf(data, name);
  const length = count(shape);
  if (target.length !== length) {
    throw new RangeError(
      `${name} must hold ${length} numbers, shape [${shape.join(", ")}]; got ${target.length}`,
    );
  }
  if (narrow === undefined) return new Result(target, shape, dtype, target);
  return /** @type {any} */ (new Result(undefined, shape, narrow, target));
}

/**
 * @param {unknown} data @param {{dtype?: unknown, type?: unknown}} out  `type`, as ONNX Runtime names it
 * @returns {"float16" | "bfloat16" | undefined} what 16-bit floats the data are
 */
function narrowDtype(data, { dtype, type }) {
  const kind = kindOf(data);
  if (kind === "Float16Array") return "float16";
  const said = dtype ?? type;
  const isNarrow = kind === "Uint16Array" && (said === "float16" || said === "bfloat16");
  return isNarrow ? said : undefined;
}

/** @param {string} kind */
function destinationRule(kind) {
  if (kind === "Int32Array") return "an Int32Array or an int32 tensor";
  const half = "Float16Array" in globalThis ? "" : " (which this host lacks)";
  return `a Float32Array, a Float16Array${half} or a tensor of float32, float16 or bfloat16`;
}
