/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../../runtime/tensor.js" */
/** @import { RotaryTable } from "./rope.js" */
/** @import { Given, PairOut } from "./rows.js" */
import * as check from "../../../runtime/check.js";
import { beginLife, disposable } from "../../../runtime/lifetime.js";
import { allocate, copyFloats, put } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { readIds } from "../../../runtime/ids.js";
import { REACH } from "../../../runtime/positions.js";
import { guard } from "../../../runtime/wasm.js";
import { readGiven, readRows, rotateRows } from "./rows.js";

const APPLY = option.optionSet(() => ({
  /** The position of the first token, or those of the first tokens of every text [B]. */
  position: option.value(/** @type {number | TensorInput} */ (0)),
  /** The axis of q and k that holds positions: -2, or -3 for [B, T, H, D]. */
  axis: option.integer({ default: -2, min: -3, max: -2 }),
  /** Two arrays {q, k} that are filled instead of new ones; they may be q and k themselves. */
  out: option.outParts(/** @type {PairOut | undefined} */ (undefined)),
}));

/**
 * Cosines and sines that stay in WASM memory, for the steps of a decoder.
 * @typedef {object} RotaryCache
 * @property {number} dim  rotated width R
 * @property {() => number} length  how many positions it has now, from 0 on
 * @property {(q: TensorInput, k: TensorInput, options?: OptionsOf<typeof APPLY>) => {q: Tensor, k: Tensor}} apply
 *   rotates queries [..., T, D] and keys [..., T, D] of the positions `position` to `position + T - 1`;
 *   computes what the cache does not have yet. Each batch of keys and queries may have its own position
 * @property {() => void} dispose  frees the memory
 */

/**
 * @param {Core} core @param {number} R @param {number} kind  phasor::rope::Layout
 * @param {number} capacity  how many positions are computed at once
 * @param {(from: number, count: number) => RotaryTable} compute  a table of positions from `from` on
 * @returns {RotaryCache}
 */
export function rotaryCache(core, R, kind, capacity, compute) {
  const P = R / 2;
  const memory = { at: 0, length: 0 }; // [2, length, P]: cosines, then sines
  const { live, dispose } = beginLife("the cache", freeing(core, memory));

  /** Makes the cache have `length` positions at least. @param {number} length */
  function grow(length) {
    if (length <= memory.length) return;
    const { at: old, length: from } = memory;
    const to = Math.max(length, 2 * from);
    const { cos, sin } = compute(from, to - from);
    const at = allocate(core, "the cache", 2 * to * P * 4);
    copyFloats(core, old, from * P, at);
    copyFloats(core, old + from * P * 4, from * P, at + to * P * 4);
    put(core, cos.data, at + from * P * 4);
    put(core, sin.data, at + (to + from) * P * 4);
    core.raw._free(old);
    Object.assign(memory, { at, length: to });
  }

  /** @param {Given} given @param {number} axis @param {readonly number[]} firsts */
  function rotate({ name, data, shape, result }, axis, firsts) {
    const { B, N, T, H, D } = readRows(shape, axis, name);
    if (firsts.length !== 1 && firsts.length !== B) {
      throw new RangeError(
        `position must be one number, or [${B}] as ${name} has it; got ${firsts.length}`,
      );
    }
    if (R > D) throw new RangeError(`${name} must be ${R} wide or wider; got ${D}`);
    if (T === 0 || N === 0) return result.done();
    grow(firsts.reduce((most, first) => Math.max(most, first)) + T);
    const sizes = { N, T, H, D, P, batches: firsts.length };
    const sines = memory.length * P * 4;
    rotateRows(core, data, result.data, sizes, { kind, inverse: false }, (b, t) => {
      const cos = memory.at + (firsts[b] + t) * P * 4;
      return { cos, sin: cos + sines };
    });
    return result.done();
  }

  grow(capacity);
  return disposable("RotaryCache", {
    dim: R,
    length: () => memory.length,
    apply(q, k, options = {}) {
      live();
      const { position, axis, out } = APPLY.read(options);
      const firsts = readFirsts(position);
      const [queries, keys] = readGiven({ q, k }, out);
      return guard(core, () => ({
        q: rotate(queries, axis, firsts),
        k: rotate(keys, axis, firsts),
      }));
    },
    dispose,
  });
}

/** A function that frees what a cache has then. @param {Core} core @param {{at: number}} memory */
function freeing(core, memory) {
  return () => {
    if (!core.dead) core.raw._free(memory.at);
  };
}

/** @param {unknown} position @returns {readonly number[]} */
function readFirsts(position) {
  if (typeof position === "number") return [check.integer(position, "position", 0, REACH - 1)];
  return Array.from(readIds(position, REACH, "position").data);
}
