/** @import { Core } from "../../runtime/wasm.js" */
import * as arrays from "../../runtime/arrays.js";
import { wrongShape } from "../../runtime/errors.js";
import { readIds } from "../../runtime/ids.js";
import { put } from "../../runtime/memory.js";
import { readMask } from "../../runtime/mask.js";
import { asFloat32 } from "../../runtime/input.js";

/**
 * A bias that broadcasts to [B, H, Tq, Tk]: `steps` are 0 along axes of size 1.
 * @typedef {{data: Float32Array, steps: readonly number[], sizes: readonly number[]}} Bias
 */

/**
 * @param {unknown} value @param {readonly number[]} full  [B, H, Tq, Tk]
 * @returns {Bias | undefined}
 */
export function readBias(value, full) {
  if (value === undefined) return undefined;
  const numbers = "numbers that are added to the scores, 0 and -Infinity for a mask";
  const { data, shape } = asFloat32(value, "bias", { numbers });
  const sizes = [...[1, 1, 1, 1].slice(shape.length), ...shape];
  if (shape.length > 4 || sizes.some((size, axis) => size !== 1 && size !== full[axis])) {
    throw new RangeError(
      `bias must have the last axes of [${full.join(", ")}], or 1 in their place; got [${shape.join(", ")}]`,
    );
  }
  const steps = sizes.map((size, axis) => (size === 1 ? 0 : arrays.count(sizes.slice(axis + 1))));
  return { data, steps, sizes };
}

/**
 * Copy the bias of some queries to WASM memory, of their first N keys: [count, N].
 * @param {Core} core @param {Bias} bias @param {number} start  index of the first query's bias
 * @param {number} step  from one query to the next @param {number} count @param {number} N @param {number} ptr
 */
export function putBias(core, { data, sizes }, start, step, count, N, ptr) {
  if (step === N && sizes[3] === N) {
    put(core, data.subarray(start, start + count * N), ptr);
    return;
  }
  for (let t = 0; t < count; ++t) {
    const row = start + t * step;
    const to = (ptr >>> 2) + t * N;
    if (sizes[3] === 1) core.raw.HEAPF32.fill(data[row], to, to + N);
    else core.raw.HEAPF32.set(data.subarray(row, row + N), to);
  }
}

/**
 * Read a padding mask, [B, Tk], or [Tk] for all texts.
 * @param {unknown} value @param {number} B @param {number} Tk
 * @returns {{hidden: (b: number, N: number) => number[]} | undefined} the masked ones of the first N keys of
 *   text b
 */
export function readKeyMask(value, B, Tk) {
  if (value === undefined) return undefined;
  const { data, shape } = readMask(value, "keyMask");
  const shared = shape.length === 1 && shape[0] === Tk;
  if (!shared && !(shape.length === 2 && shape[0] === B && shape[1] === Tk)) {
    throw wrongShape("keyMask", `[${B}, ${Tk}] or [${Tk}]`, shape);
  }
  return {
    hidden(b, N) {
      const first = shared ? 0 : b * Tk;
      const hidden = [];
      for (let key = 0; key < N; ++key) if (data[first + key] === 0) hidden.push(key);
      return hidden;
    },
  };
}

/**
 * Read how many keys each text has.
 * @param {unknown} value  a number for all texts, or [B] @param {number} B @param {number} Tk  the most
 * @returns {ArrayLike<number>} [B]
 */
export function readKeyLengths(value, B, Tk) {
  if (value === undefined) return new Int32Array(B).fill(Tk);
  const { data, shape } = readIds(value, Tk + 1, "keyLength");
  if (shape.length === 0) return new Int32Array(B).fill(data[0]);
  if (shape.length !== 1 || data.length !== B) {
    throw new RangeError(
      `keyLength must be one number, or have shape [${B}]; got [${shape.join(", ")}]`,
    );
  }
  return data;
}

/**
 * Mask keys in a bias [T, N] in WASM memory.
 * @param {Core} core @param {number[]} hidden @param {number} T @param {number} N @param {number} ptr
 */
export function hide({ raw }, hidden, T, N, ptr) {
  for (let t = 0; hidden.length > 0 && t < T; ++t) {
    for (const key of hidden) raw.HEAPF32[(ptr >>> 2) + t * N + key] = -Infinity;
  }
}
