/** @import { Core } from "./wasm.js" */
/** @import { TensorInput } from "./tensor.js" */
import { finite, integer, describe, isList } from "./check.js";
import { asArray } from "./input.js";

/** Positions beyond this are refused: an angle would have too few bits. */
export const REACH = 2 ** 31;

/**
 * The positions of tokens: a length (0 .. length-1) or explicit positions of any shape.
 * @typedef {number | bigint | TensorInput} Positions
 */

/**
 * @typedef {object} ReadPositions
 * @property {readonly number[]} shape
 * @property {number} count
 * @property {number} first
 * @property {number} most  the largest |position|
 * @property {number} last  the largest position; -Infinity where there is none
 * @property {ArrayLike<number> | number} given  the positions, or the first of those that follow each other
 * @property {(position: number) => number} [scaled]  what becomes of each; `first`, `most` and `last` are scaled
 */

/**
 * Read an argument that is a length or positions.
 * @param {unknown} value @param {unknown} [offset]  added to every position
 * @returns {ReadPositions}
 * @throws {TypeError | RangeError}
 */
export function readPositions(value, offset = 0) {
  const shift = finite(offset, "offset", "a finite number");
  if (typeof value === "number" || typeof value === "bigint") {
    const count = integer(value, "length", 0);
    reach(shift, "offset");
    const last = reach(shift + Math.max(0, count - 1), "offset + length - 1");
    const most = Math.max(Math.abs(shift), Math.abs(last));
    return found([count], count, shift, most, count > 0 ? last : -Infinity, shift);
  }
  const only = isList(value) && value.length === 1 ? value[0] : undefined;
  if (typeof only === "number") {
    const at = reach(only + shift, "positions");
    return found([1], 1, at, Math.abs(at), at, at);
  }
  const { data, shape } = asArray(value, "positions");
  // A typed array of a few numbers takes longer to make than they to compute.
  /** @type {number[] | Float64Array} */
  const positions = data.length < 8 ? [] : new Float64Array(data.length);
  let most = 0;
  let last = -Infinity;
  for (let t = 0; t < data.length; ++t) {
    const position = reach(number(data[t]) + shift, "positions");
    positions[t] = position;
    most = Math.max(most, Math.abs(position));
    last = Math.max(last, position);
  }
  return found(shape, data.length, positions[0] ?? 0, most, last, positions);
}

/**
 * @param {number[]} shape @param {number} count @param {number} first @param {number} most @param {number} last
 * @param {ReadPositions["given"]} given
 * @returns {ReadPositions}
 */
const found = (shape, count, first, most, last, given) =>
  ({ shape, count, first, most, last, given, scaled: undefined }); // prettier-ignore

/**
 * Copies positions into WASM memory.
 * @param {Core} core @param {ReadPositions} positions @param {number} from @param {number} count @param {number} at
 */
export function putPositions({ raw }, { given, scaled }, from, count, at) {
  // A view of few numbers would cost more than they do.
  const doubles = raw.HEAPF64;
  const to = at >>> 3;
  for (let t = 0; t < count; ++t) {
    const position = typeof given === "number" ? given + from + t : given[from + t];
    doubles[to + t] = scaled ? scaled(position) : position;
  }
}

/** @param {unknown} value */
function number(value) {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return value;
  throw new TypeError(`positions must be numbers; got ${describe(value)}`);
}

/** @param {number} position @param {string} name */
function reach(position, name) {
  if (Math.abs(position) <= REACH) return position;
  throw new RangeError(`${name} must be from -2^31 to 2^31; got ${describe(position)}`);
}
