/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { readIds } from "../../../runtime/ids.js";
import { readMask } from "../../../runtime/mask.js";
import { Tensor } from "../../../runtime/tensor.js";

const FORMS = /** @type {const} */ (["left-padding", "opt"]);

/** Ids are below this where no vocabulary says so; positions too. */
const ANY = 2 ** 31;

/**
 * Some tokens of a sequence with pictures: a run of text, or the patches of an image or video, t
 * frames of h rows of w: grid [t, h, w]. A video's frames are `step` positions apart (default 1).
 * @typedef {{text: number} | {grid: readonly number[], step?: number}} MultimodalSegment
 */

/**
 * @typedef {{out?: Int32Array | Tensor<Int32Array>}} Out  `out` is filled instead of a new array
 */

/**
 * How models number tokens.
 */
export function positionIds() {
  return {
    /**
     * One after the other.
     *
     *     position[t] = past + t
     *
     * @param {number} length  T
     * @param {Out & {past?: number}} [options]  `past`: tokens already in the cache; default 0
     * @returns {Tensor<Int32Array>} int32 [T]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see transformers, models/gpt2/modeling_gpt2.py
     * @example
     * positionIds.range(3, { past: 5 }).toArray()
     * // [5, 6, 7]
     */
    range(length, options = {}) {
      const given = check.options(options, { past: 0, out: undefined }, "positionIds.range");
      const past = check.integer(given.past, "past", 0);
      const T = check.integer(length, "length", 0, ANY - 1 - past);
      const result = check.destinationInt32(given.out, [T]);
      for (let t = 0; t < T; ++t) result[t] = past + t;
      return new Tensor(result, [T]);
    },

    /**
     * Tokens counted from paddingIdx + 1, padding left at paddingIdx: fairseq, RoBERTa, M2M100. These
     * are rows of the model's table, its offset included.
     *
     *     position[t] = paddingIdx + (past + tokens up to and with t that are not padding), or
     *                   paddingIdx where token t is padding
     *
     * @param {TensorInput} ids  [..., T]
     * @param {Out & {paddingIdx?: number, past?: number}} [options]  `paddingIdx`: the id of padding,
     *   default 1; `past`: tokens already in the cache, default 0
     * @returns {Tensor<Int32Array>} int32, the shape of ids; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see fairseq, fairseq/utils.py, make_positions; transformers,
     *   models/m2m_100/modeling_m2m_100.py, create_position_ids_from_input_ids
     * @example
     * positionIds.fromTokens([0, 31414, 2, 1, 1]).toArray()
     * // [2, 3, 4, 1, 1]
     */
    fromTokens(ids, options = {}) {
      const defaults = { paddingIdx: 1, past: 0, out: undefined };
      const given = check.options(options, defaults, "positionIds.fromTokens");
      const paddingIdx = check.integer(given.paddingIdx, "paddingIdx", 0);
      const past = check.integer(given.past, "past", 0);
      const { data, shape } = readIds(ids, ANY);
      const real = data.map((id) => Number(id !== paddingIdx));
      const counts = countRuns(real, shape, past + paddingIdx, "past");
      const positions = counts.map((count, t) => (real[t] ? count : paddingIdx));
      return filled(positions, shape, given.out);
    },

    /**
     * Tokens counted by an attention mask, so that padding takes no position.
     *
     *     left-padding   position[t] = (mask[0] + ... + mask[t]) - 1;        1 where mask[t] is 0
     *     opt            position[t] = (mask[0] + ... + mask[t]) mask[t] - 1 + 2
     *
     * `left-padding` is what Hugging Face's generate gives GPT-2, LLaMA and most others; `opt` gives
     * rows of OPT's table, which begin at 2 (padding has row 1).
     *
     * @param {TensorInput} mask  [..., past + T]: 1 or true counts
     * @param {Out & {form?: typeof FORMS[number], past?: number}} [options]  `form`: default
     *   `left-padding`; `past`: tokens at the front of the mask that are already in the cache, which
     *   count but are not returned; default 0
     * @returns {Tensor<Int32Array>} int32 [..., T]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see transformers, models/opt/modeling_opt.py, OPTLearnedPositionalEmbedding;
     *   generation/utils.py, prepare_inputs_for_generation
     * @example
     * positionIds.fromMask([0, 0, 1, 1, 1], { form: "opt" }).toArray()
     * // [1, 1, 2, 3, 4]
     */
    fromMask(mask, options = {}) {
      const defaults = { form: "left-padding", past: 0, out: undefined };
      const given = check.options(options, defaults, "positionIds.fromMask");
      const isOpt = check.oneOf(given.form, "form", FORMS) === "opt";
      const past = check.integer(given.past, "past", 0);
      const { data, shape } = readMask(mask, "mask");
      const all = shape[shape.length - 1] ?? -1;
      if (all < 0) throw new RangeError("mask must have shape [..., T]; got []");
      if (past > all) {
        throw new RangeError(`past must be at most the mask's length, ${all}; got ${past}`);
      }
      const counts = countRuns(data, shape, 0, "mask");
      const positions = counts
        .map((count, t) => (data[t] ? count - 1 + (isOpt ? 2 : 0) : 1))
        .filter((_, t) => t % all >= past);
      return filled(positions, [...shape.slice(0, -1), all - past], given.out);
    },

    /**
     * Sequences packed into one row: each starts at 0.
     *
     * @param {readonly number[]} lengths  of the sequences
     * @param {Out} [options]
     * @returns {Tensor<Int32Array>} int32 [sum of lengths]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see transformers, data/data_collator.py, DataCollatorWithFlattening
     * @example
     * positionIds.packed([3, 2]).toArray()
     * // [0, 1, 2, 0, 1]
     */
    packed(lengths, options = {}) {
      const { out } = check.options(options, { out: undefined }, "positionIds.packed");
      if (!Array.isArray(lengths)) {
        throw new TypeError(`lengths must be an array of lengths; got ${check.describe(lengths)}`);
      }
      const sizes = Array.from(lengths, (length) => check.integer(length, "lengths", 0));
      const T = sizes.reduce((sum, size) => sum + size, 0);
      const result = check.destinationInt32(out, [T]);
      let at = 0;
      for (const size of sizes) for (let t = 0; t < size; ++t) result[at++] = t;
      return new Tensor(result, [T]);
    },

    /**
     * The place of each digit in its number, from 1; 0 for all other tokens (Abacus). Numbers are to
     * be written with the last digit first.
     *
     *     position[t] = offset + length of the run of digits up to and with t
     *
     * @param {TensorInput} ids  [..., T]
     * @param {Out & {digits: readonly number[], offset?: number}} options  `digits`: the ids of the
     *   digits; `offset`: added to the places of digits, default 0 (drawn from 0 .. 99 in training)
     * @returns {Tensor<Int32Array>} int32, the shape of ids; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see McLeish et al. 2024, Transformers can do arithmetic with the right embeddings,
     *   https://arxiv.org/abs/2405.17399
     * @example
     * positionIds.digits([3, 2, 1, 50, 7], { digits: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }).toArray()
     * // [1, 2, 3, 0, 1]
     */
    digits(ids, options) {
      const defaults = { digits: undefined, offset: 0, out: undefined };
      const given = check.options(options, /** @type {any} */ (defaults), "positionIds.digits");
      const offset = check.integer(given.offset, "offset", 0);
      const { data: digits } = readIds(given.digits, ANY, "digits");
      const { data, shape } = readIds(ids, ANY);
      const T = shape[shape.length - 1] ?? 1;
      if (offset + T >= ANY) {
        throw new RangeError(`offset must leave positions below 2^31; got ${offset}`);
      }
      const known = new Set(digits);
      let run = 0;
      const positions = data.map((id, t) => {
        if (t % T === 0) run = 0;
        run = known.has(id) ? run + 1 : 0;
        return run === 0 ? 0 : offset + run;
      });
      return filled(positions, shape, given.out);
    },

    /**
     * The three positions, temporal, vertical and horizontal, of each token of text and pictures
     * (M-RoPE: Qwen2-VL).
     *
     *     text    (s + i, s + i, s + i)                          for its i-th token
     *     grid    (s + floor(step f), s + y, s + x)              for row y, column x of frame f
     *
     * s is 0 at first, then one more than the largest number so far: a picture takes the positions
     * of its longest side, not of its tokens.
     *
     * @param {readonly MultimodalSegment[] | readonly (readonly MultimodalSegment[])[]} segments  of
     *   one sequence, or of each of B; a shorter one is padded with 1
     * @param {object} [options]
     * @param {number} [options.merge]  patches a side that become one token, where grids count
     *   patches: 2 in Qwen2-VL; default 1
     * @param {"left" | "right"} [options.padding]  the side of a batch that is padded; default
     *   `right`
     * @param {Int32Array | Tensor<Int32Array>} [options.out]  filled instead of a new array
     * @returns {{positions: Tensor<Int32Array>, ropeDelta: Tensor<Int32Array>}} int32 [3, T] and [],
     *   or [3, B, T] and [B]; the caller's own. The token after a sequence has the position
     *   T + ropeDelta on all three axes
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Wang et al. 2024, Qwen2-VL, https://arxiv.org/abs/2409.12191, section 2.1; transformers,
     *   models/qwen2_vl/modeling_qwen2_vl.py and qwen2_5_vl (`step`), get_rope_index
     * @example
     * const { positions, ropeDelta } = positionIds.multimodal([{ text: 2 }, { grid: [1, 2, 2] }, { text: 1 }]);
     * positions.toArray()
     * // [[0, 1, 2, 2, 2, 2, 4], [0, 1, 2, 2, 3, 3, 4], [0, 1, 2, 3, 2, 3, 4]]
     * ropeDelta.toArray()
     * // -2
     */
    multimodal(segments, options = {}) {
      const defaults = { merge: 1, padding: "right", out: undefined };
      const given = check.options(options, defaults, "positionIds.multimodal");
      const merge = check.integer(given.merge, "merge");
      const side = check.oneOf(given.padding, "padding", ["left", "right"]);
      if (!Array.isArray(segments)) {
        throw new TypeError(
          `segments must be an array of {text} and {grid}; got ${check.describe(segments)}`,
        );
      }
      const isBatch = segments.length > 0 && segments.every(Array.isArray);
      const rows = (isBatch ? segments : [segments]).map((row) => number(row, merge));
      const T = rows.reduce((most, { length }) => Math.max(most, length), 0);
      const batch = isBatch ? [rows.length] : [];
      const result = check.destinationInt32(given.out, [3, ...batch, T]);
      rows.forEach(({ length, triples }, b) => {
        for (let axis = 0; axis < 3; ++axis) {
          const to = result.subarray(
            (axis * rows.length + b) * T,
            (axis * rows.length + b + 1) * T,
          );
          const first = side === "left" ? T - length : 0;
          to.fill(1);
          for (let t = 0; t < length; ++t) to[first + t] = triples[3 * t + axis];
        }
      });
      return {
        positions: new Tensor(result, [3, ...batch, T]),
        ropeDelta: new Tensor(
          Int32Array.from(rows, ({ next }) => next - T),
          batch,
        ),
      };
    },
  };
}

/**
 * Running sums along the last axis.
 * @param {Int32Array} ones @param {readonly number[]} shape @param {number} start @param {string} name
 */
function countRuns(ones, shape, start, name) {
  const T = shape[shape.length - 1] ?? 1;
  if (start + T >= ANY) {
    throw new RangeError(`${name} must leave positions below 2^31; got ${start} and ${T} more`);
  }
  let count = start;
  return ones.map((one, t) => (count = (t % T === 0 ? start : count) + one));
}

/** @param {Int32Array} positions @param {readonly number[]} shape @param {unknown} out */
function filled(positions, shape, out) {
  if (out === undefined) return new Tensor(positions, shape);
  const result = check.destinationInt32(out, shape);
  result.set(positions);
  return new Tensor(result, shape);
}

/**
 * The triples of one sequence, and the position after it.
 * @param {readonly unknown[]} segments @param {number} merge
 */
function number(segments, merge) {
  const read = Array.from(segments, (segment) => readSegment(segment, merge));
  const length = read.reduce((sum, { t, h, w }) => sum + t * h * w, 0);
  const last = read.reduce((sum, { t, h, w, step }) => sum + Math.max(t * step, h, w), 0);
  if (length >= ANY || last >= ANY) {
    throw new RangeError(
      `segments must have fewer than 2^31 tokens and positions; got ${length} and ${last}`,
    );
  }
  const triples = new Int32Array(3 * length);
  let at = 0;
  let next = 0;
  for (const { text, t, h, w, step } of read) {
    for (let f = 0; f < t; ++f) {
      const time = Math.floor(f * step);
      for (let y = 0; y < h; ++y) {
        for (let x = 0; x < w; ++x) {
          triples.set(text ? [x, x, x] : [time, y, x], at);
          for (let axis = 0; axis < 3; ++axis) triples[at++] += next;
        }
      }
    }
    next += text ? w : Math.max(Math.floor((t - 1) * step) + 1, h, w);
  }
  return { length, triples, next };
}

/**
 * A segment as a grid; text is one frame of one row.
 * @param {unknown} segment @param {number} merge
 */
function readSegment(segment, merge) {
  if (typeof segment !== "object" || segment === null || Array.isArray(segment)) {
    throw new TypeError(`segments must be {text} or {grid}; got ${check.describe(segment)}`);
  }
  const { text, grid, step = 1, ...more } = /** @type {Record<string, unknown>} */ (segment);
  const [odd] = Object.keys(more);
  if (odd !== undefined || (text === undefined) === (grid === undefined)) {
    const told = odd ?? (text === undefined ? "neither" : "both");
    throw new TypeError(`segments must have text, or grid and perhaps step; got ${told}`);
  }
  if (text !== undefined) {
    const length = check.integer(text, "segments.text", 0);
    return { text: true, t: 1, h: Math.min(length, 1), w: length, step: 1 };
  }
  if (!Array.isArray(grid) || grid.length !== 3) {
    throw new TypeError(`segments.grid must be [t, h, w]; got ${check.describe(grid)}`);
  }
  const [t, h, w] = Array.from(grid, (size) => check.integer(size, "segments.grid"));
  if (h % merge !== 0 || w % merge !== 0) {
    throw new RangeError(
      `segments.grid must have sides that ${merge} divides; got ${h} x ${w} patches`,
    );
  }
  return {
    text: false,
    t,
    h: h / merge,
    w: w / merge,
    step: check.finite(step, "segments.step", "a number > 0", (number) => number > 0),
  };
}
