/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../../runtime/tensor.js" */
/** @import { Layout } from "./convert.js" */
/** @import { RotaryTable } from "./rope.js" */
/** @import { Given, PairOut } from "./rows.js" */
import * as check from "../../../runtime/check.js";
import { wrongShape } from "../../../runtime/errors.js";
import { beginLife, disposable } from "../../../runtime/lifetime.js";
import { allocate, copyFloats, put } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { readIds } from "../../../runtime/ids.js";
import { REACH } from "../../../runtime/positions.js";
import { guard } from "../../../runtime/wasm.js";
import { LAYOUTS } from "./convert.js";
import { misfit, readGiven, readRows, rotateRows } from "./rows.js";

const APPLY = option.optionSet(() => ({
  /** The position of the first token, or those of the first tokens of every text [B]; the others follow. This or `positions` is required. */
  position: option.value(/** @type {number | TensorInput | undefined} */ (undefined)),
  /** The position of each token, [T] or [B, T], as for `rope.apply`. */
  positions: option.tensor(),
  /** The components that form a pair: `halves` or `interleaved`. Default: as `rope.cache` was given. */
  layout: option.value(/** @type {Layout | undefined} */ (undefined)),
  /** The axis of q and k that holds positions: -2, or -3 for [B, T, H, D]. */
  axis: option.integer({ default: -2, min: -3, max: -2 }),
  /** The rotated width R of a head of which only R components turn, as in GPT-NeoX; the others are copied. Default: the whole head. */
  dim: option.integer({ min: 0 }),
  /** The first of the components that turn, where others come before them, as in DeepSeek V4. */
  start: option.integer({ default: 0, min: 0 }),
  /** Whether to rotate back, which is also the gradient. */
  inverse: option.boolean(),
  /** Two arrays {q, k} that are filled instead of new ones; they may be q and k themselves. */
  out: option.outParts(/** @type {PairOut | undefined} */ (undefined)),
}));

/** How many positions are computed at a time. */
const ROWS = 4096;

/**
 * Cosines and sines that stay in WASM memory, for the steps of a decoder.
 * @typedef {object} RotaryCache
 * @property {number} dim  rotated width R
 * @property {() => number} length  how many positions it has now, from 0 on
 * @property {(q: TensorInput, k: TensorInput, options?: OptionsOf<typeof APPLY>) => {q: Tensor, k: Tensor}} apply
 *   rotates queries [..., T, D] and keys [..., T, D] of the positions `position` to `position + T - 1`, or of those in
 *   `positions`; computes what the cache does not have yet. Each batch of keys and queries may have its own
 * @property {() => void} dispose  frees the memory
 */

/**
 * @param {Core} core @param {number} R @param {Layout} pairs  the layout unless `apply` is given one
 * @param {number} capacity  how many positions are computed at once
 * @param {(from: number, count: number) => RotaryTable} compute  a table of positions from `from` on
 * @returns {RotaryCache}
 */
export function rotaryCache(core, R, pairs, capacity, compute) {
  const P = R / 2;
  const memory = { at: 0, length: 0 }; // [2, length, P]: cosines, then sines
  const { live, dispose } = beginLife("the cache", freeing(core, memory));

  /** Makes the cache have `length` positions at least. @param {number} length */
  function grow(length) {
    if (length <= memory.length) return;
    const { at: old, length: from } = memory;
    const to = Math.max(length, 2 * from);
    const at = allocate(core, "the cache", 2 * to * P * 4); // before anything is computed in vain
    try {
      copyFloats(core, old, from * P, at);
      copyFloats(core, old + from * P * 4, from * P, at + to * P * 4);
      for (let t = from; t < to; t += ROWS) {
        const { cos, sin } = compute(t, Math.min(ROWS, to - t));
        put(core, cos.data, at + t * P * 4);
        put(core, sin.data, at + (to + t) * P * 4);
      }
    } catch (error) {
      core.raw._free(at);
      throw error;
    }
    core.raw._free(old);
    Object.assign(memory, { at, length: to });
  }

  /** @param {Given} x @param {ReturnType<typeof sizesOf>} sizes @param {{kind: number, inverse: boolean}} how @param {Places} places */
  function rotate({ data, result }, sizes, how, { list, isRun }) {
    const { N, T } = sizes;
    if (T === 0 || N === 0) return result.done();
    const sines = memory.length * P * 4;
    rotateRows(core, data, result, sizes, how, (b, t, count, at) => {
      const place = memory.at + (isRun ? list[b] + t : list[b * T + t]) * P * 4;
      if (isRun || count === 1) return { cos: place, sin: place + sines };
      for (let k = 0; k < count; ++k) {
        const from = memory.at + list[b * T + t + k] * P * 4;
        copyFloats(core, from, P, at.cos + k * P * 4);
        copyFloats(core, from + sines, P, at.sin + k * P * 4);
      }
      return at;
    });
    return result.done();
  }

  grow(capacity);
  return disposable("RotaryCache", {
    dim: R,
    length: () => memory.length,
    apply(q, k, options = {}) {
      live();
      const read = APPLY.view(options);
      if (read.layout !== undefined) check.oneOf(read.layout, "layout", LAYOUTS);
      const places = readPlaces(read);
      const given = readGiven({ q, k }, read.out);
      const sizes = given.map((x) => sizesOf(R, x, read, places)); // before anything is written
      const last = places.list.reduce((most, each) => Math.max(most, each), 0);
      const { layout = pairs, inverse } = read;
      const how = { kind: LAYOUTS.indexOf(layout), inverse };
      return guard(core, () => {
        for (const { N, T } of sizes) {
          if (T > 0 && N > 0) grow(last + (places.isRun ? T : 1));
        }
        const [q, k] = given.map((x, i) => rotate(x, sizes[i], how, places));
        return { q, k };
      });
    },
    dispose,
  });
}

/**
 * What is rotated of x.
 * @param {number} R @param {Given} x @param {ReturnType<typeof APPLY.view>} options @param {Places} places
 */
function sizesOf(R, x, { axis, dim, start }, { list, shape, isRun }) {
  const rows = readRows(x.shape, axis, x.name);
  const { B, N, T, H, D } = rows;
  const lists = isRun ? list.length : shape.length < 2 ? 1 : shape[0];
  const fits = isRun || (shape.length < 3 && shape[shape.length - 1] === T);
  if (!fits || (lists !== 1 && lists !== B)) {
    if (!isRun) throw misfit("positions", shape, x, { ...rows, axis });
    throw new RangeError(
      `position must be one number, or [${B}] as ${x.name} has it; got ${lists}`,
    );
  }
  if (R !== (dim ?? D) || R > D) {
    const rule = `[..., ${R}], as rope.cache was given, or be wider with dim: ${R}`;
    throw wrongShape(x.name, rule, x.shape);
  }
  check.integer(start, "start", 0, D - R);
  return { N, T, H, D, P: R / 2, start, batches: lists };
}

/** A function that frees what a cache has then. @param {Core} core @param {{at: number}} memory */
function freeing(core, memory) {
  return () => {
    if (!core.dead) core.raw._free(memory.at);
  };
}

/**
 * The positions of tokens: the first of each text, or all of them.
 * @typedef {{list: readonly number[], shape: readonly number[], isRun: boolean}} Places
 *
 * @param {{position?: unknown, positions?: unknown}} given
 * @returns {Places}
 */
function readPlaces({ position, positions }) {
  const isRun = positions === undefined;
  if (isRun && position === undefined) {
    throw new TypeError(
      "position must be that of the first token, 0 where a text begins, or positions those of all; got undefined",
    );
  }
  if (!isRun && position !== undefined) {
    throw new RangeError("position must not be given with positions; got both");
  }
  if (typeof position === "number") {
    return { list: [check.integer(position, "position", 0, REACH - 1)], shape: [], isRun };
  }
  const { data, shape } = readIds(positions ?? position, REACH, isRun ? "position" : "positions");
  return { list: Array.from(data), shape, isRun };
}
