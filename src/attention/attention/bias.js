/** @import { Core } from "../../runtime/wasm.js" */
import * as check from "../../runtime/check.js";
import { put } from "../../runtime/memory.js";
import { readMask } from "../../runtime/mask.js";
import { asFloat32 } from "../../runtime/tensor.js";

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
  const { data, shape } = asFloat32(value, "bias");
  const sizes = [...[1, 1, 1, 1].slice(shape.length), ...shape];
  if (shape.length > 4 || sizes.some((size, axis) => size !== 1 && size !== full[axis])) {
    throw new RangeError(
      `bias must have the last axes of [${full.join(", ")}], or 1 in their place; got [${shape.join(", ")}]`,
    );
  }
  const steps = sizes.map((size, axis) => (size === 1 ? 0 : check.count(sizes.slice(axis + 1))));
  return { data, steps, sizes };
}

/**
 * Copy the bias of some queries of a head to WASM memory, as [count, Tk].
 * @param {Core} core @param {Bias} bias @param {readonly number[]} from  [b, h, first query]
 * @param {number} count @param {number} Tk @param {number} ptr
 */
export function putBias(core, { data, steps, sizes }, [b, h, first], count, Tk, ptr) {
  const start = b * steps[0] + h * steps[1] + first * steps[2];
  if (steps[2] === Tk) {
    put(core, data.subarray(start, start + count * Tk), ptr);
    return;
  }
  for (let t = 0; t < count; ++t) {
    const row = start + t * steps[2];
    const to = (ptr >>> 2) + t * Tk;
    if (sizes[3] === Tk) core.raw.HEAPF32.set(data.subarray(row, row + Tk), to);
    else core.raw.HEAPF32.fill(data[row], to, to + Tk);
  }
}

/**
 * Read a padding mask, [B, Tk], or [Tk] for all texts.
 * @param {unknown} value @param {number} B @param {number} Tk
 * @returns {{hidden: (b: number) => number[]} | undefined} the masked keys of text b
 */
export function readKeyMask(value, B, Tk) {
  if (value === undefined) return undefined;
  const { data, shape } = readMask(value, "keyPaddingMask");
  const shared = shape.length === 1 && shape[0] === Tk;
  if (!shared && !(shape.length === 2 && shape[0] === B && shape[1] === Tk)) {
    throw new RangeError(
      `keyPaddingMask must have shape [${B}, ${Tk}] or [${Tk}]; got [${shape.join(", ")}]`,
    );
  }
  const keys = Array.from({ length: Tk }, (_, key) => key);
  return { hidden: (b) => keys.filter((key) => data[(shared ? 0 : b * Tk) + key] === 0) };
}

/**
 * Mask keys in a bias [T, Tk] in WASM memory.
 * @param {Core} core @param {number[]} hidden @param {number} T @param {number} Tk @param {number} ptr
 */
export function hide({ raw }, hidden, T, Tk, ptr) {
  for (let t = 0; hidden.length > 0 && t < T; ++t) {
    for (const key of hidden) raw.HEAPF32[(ptr >>> 2) + t * Tk + key] = -Infinity;
  }
}
