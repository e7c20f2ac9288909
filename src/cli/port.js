/** Reads the arrays of a port: its cosines and sines, or vectors before and after their rotation. */
import { headsFirst, precisionOf } from "../oracle/numbers.js";
import { describe } from "../runtime/check.js";
import { UsageError } from "./arguments.js";
import { arraysOf } from "./input.js";

/**
 * Names of arrays: cosines and sines, or vectors before and after.
 * @typedef {readonly [string, string]} Pair
 *
 * Cosines and sines of T positions, or B times R vectors of D columns.
 * @typedef {object} Port
 * @property {"table" | "vectors"} kind
 * @property {readonly Pair[]} others  further pairs of arrays that the file has
 * @property {[Float64Array, Float64Array]} arrays  cosines and sines, or vectors before and after
 * @property {readonly [string, string]} names  of the arrays
 * @property {readonly number[]} shape  of each
 * @property {number} T @property {number} columns
 * @property {number} batches  how many tables of T rows
 * @property {readonly number[]} positions  [T]
 * @property {string} dtype  of the file
 * @property {"float32" | "float16" | "bfloat16"} precision  that the numbers have
 */

/** Arrays of other kinds, which no model is needed for. */
const OTHERS = ["bias", "table", "position_ids", "weights"];

const PAIRS = /** @type {const} */ ([
  ["cos", "sin"],
  ["q", "q_rotated"],
  ["k", "k_rotated"],
]);

/**
 * @param {string} path  of a .npz or .safetensors file
 * @param {{first?: number, isHeadsAfter?: boolean, pair?: Pair}} options  the first position, whether heads come after
 *   positions, and the arrays to read, if not the first that are there
 * @returns {Promise<Port>}
 */
export async function readPort(path, { first, isHeadsAfter = false, pair: asked }) {
  const file = await arraysOf(path, "PORT");
  const isThere = (/** @type {readonly string[]} */ pair) =>
    pair.every((name) => file.names.includes(name));
  const names = asked ?? PAIRS.find(isThere);
  if (names === undefined) {
    const rule = `${path} must have the arrays ${PAIRS.map((pair) => pair.join(" and ")).join(", or ")}`;
    const got = file.names.map((name) => describe(name)).join(", ") || "none";
    const isOther = OTHERS.some((name) => file.names.includes(name));
    throw new RangeError(`${rule}; got ${got}${isOther ? ", which phasor identify reads" : ""}`);
  }
  const [one, two] = names;
  const tensors = [await file.tensor(one), await file.tensor(two)];
  const { dtype } = await file.info(two);
  const listed = file.names.includes("positions") ? await file.tensor("positions") : undefined;
  if (listed && first !== undefined)
    throw new UsageError(`--first must be left out where ${path} lists its positions; got both`);
  const others = PAIRS.filter((pair) => pair !== names && isThere(pair));
  return portOf(names, tensors, { first: first ?? 0, isHeadsAfter, dtype, listed, others });
}

/**
 * The port of two arrays.
 *
 * @param {readonly [string, string]} names
 * @param {{data: ArrayLike<number | bigint>, shape: readonly number[]}[]} arrays
 * @param {{first: number, isHeadsAfter?: boolean, dtype: string, listed?: {data: ArrayLike<number | bigint>, shape: readonly number[]}, others?: Pair[]}} options
 *   `listed`: the positions, if they are known; `others`: further pairs of the file
 * @returns {Port}
 */
export function portOf(names, [a, b], { first, isHeadsAfter = false, dtype, listed, others = [] }) {
  const [one, two] = names;
  if (!/^(float|bfloat)\d+$/.test(dtype)) {
    throw new RangeError(`${two} must hold floating-point numbers; got ${dtype}`);
  }
  if (String(a.shape) !== String(b.shape) || a.shape.length < 2) {
    const got = `[${a.shape.join(", ")}] and [${b.shape.join(", ")}]`;
    throw new RangeError(`${one} and ${two} must have one shape [..., T, columns]; got ${got}`);
  }
  const plain = /** @type {[Float64Array, Float64Array]} */ (
    [a, b].map(({ data }) => Float64Array.from(data, Number))
  );
  if (isHeadsAfter && (one === "cos" || a.shape.length < 3)) {
    const got = `${one} [${a.shape.join(", ")}]`;
    throw new RangeError(`--heads-after must get vectors [..., T, H, columns]; got ${got}`);
  }
  const columns = a.shape[a.shape.length - 1];
  const T = a.shape[a.shape.length - (isHeadsAfter ? 3 : 2)];
  const heads = isHeadsAfter ? a.shape[a.shape.length - 2] : 1;
  const arrays = /** @type {[Float64Array, Float64Array]} */ (
    plain.map((array) => (heads > 1 ? headsFirst(array, T, heads, columns) : array))
  );
  if (arrays[0].length === 0) {
    throw new RangeError(`${one} must have numbers; got shape [${a.shape.join(", ")}]`);
  }
  arrays.forEach((array, i) => refuseStrange(array, names[i]));
  return {
    kind: one === "cos" ? "table" : "vectors",
    others,
    arrays,
    names,
    shape: a.shape,
    T,
    columns,
    batches: arrays[0].length / (T * columns),
    positions: listed ? positionsOf(listed, T) : Array.from({ length: T }, (_, t) => first + t),
    dtype,
    precision: precisionOf(one === "cos" ? [...arrays] : [arrays[1]]),
  };
}

/** @param {Float64Array} array @param {string} name */
export function refuseStrange(array, name) {
  const at = array.findIndex((x) => !Number.isFinite(x));
  if (at >= 0) throw new RangeError(`${name} must be finite; got ${array[at]} at number ${at}`);
}

/** @param {{data: ArrayLike<number | bigint>, shape: readonly number[]}} listed @param {number} T */
function positionsOf({ data, shape }, T) {
  const positions = Array.from(data, Number);
  if (positions.length === T && positions.every((position) => Number.isFinite(position)))
    return positions;
  throw new RangeError(`positions must be ${T} numbers; got shape [${shape.join(", ")}]`);
}
