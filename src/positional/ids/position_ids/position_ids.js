/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import { int32s } from "../../../runtime/arrays.js";
import { readIntegers, readLengths } from "../../../runtime/axes.js";
import * as check from "../../../runtime/check.js";
import { readIds } from "../../../runtime/ids.js";
import { readMask } from "../../../runtime/mask.js";
import * as option from "../../../runtime/options.js";
import { outputInt32 } from "../../../runtime/result.js";
import { Tensor } from "../../../runtime/tensor.js";

/** Ids and positions are below this. */
const END = 2 ** 31;

/** The most tokens of a video with sound, and of its sound: 11 hours of Qwen-Omni's. */
const MOST_WITH_SOUND = 2 ** 20;

/** The position that OPT gives to the first token: rows 0 and 1 of its table are for padding. */
const OPT_FIRST = 2;

/**
 * Consecutive tokens of a sequence with images: `text` tokens, or the patches of an image or video of t
 * frames with h rows of w: grid [t, h, w]. Consecutive frames are `step` positions apart (default 1). A video may have
 * `sound` tokens, which are dealt with the frames in chunks of `chunk` positions (default 50, 2 seconds of
 * Qwen2.5-Omni), or with `order: "time"` one by one (Qwen3-Omni).
 * @typedef {{text: number} | {grid: ArrayLike<number>, step?: number, sound?: number, chunk?: number, order?: "chunks" | "time"}} MultimodalSegment
 */

const RANGE = option.optionSet(() => ({
  /** The number of tokens already in the cache. */
  past: option.integer({ default: 0, min: 0 }),
  /** Filled instead of a new array. */
  out: option.outInt32(),
}));

const FROM_TOKENS = option.optionSet(() => ({
  /** The id of padding, and the position of padding. */
  paddingIdx: option.integer({ default: 1, min: 0 }),
  /** The number of tokens already in the cache. */
  past: option.integer({ default: 0, min: 0 }),
  /** Filled instead of a new array. */
  out: option.outInt32(),
}));

const FROM_MASK = option.optionSet(() => ({
  /** `left-padding` counts tokens from 0, as Hugging Face's generate does; `opt` counts them from 2. */
  convention: option.choice(["left-padding", "opt"]),
  /** The number of tokens at the front of the mask that are already in the cache. They count but are not returned. */
  past: option.integer({ default: 0, min: 0 }),
  /** Filled instead of a new array. */
  out: option.outInt32(),
}));

const PACKED = option.optionSet(() => ({
  /** Filled instead of a new array. */
  out: option.outInt32(),
}));

const DIGITS = option.optionSet(() => ({
  /** The ids of the digits. Required. */
  digits: option.tensor(),
  /** Added to the positions of digits; drawn from 0 .. 99 in training. */
  offset: option.integer({ default: 0, min: 0 }),
  /** Filled instead of a new array. */
  out: option.outInt32(),
}));

const MULTIMODAL = option.optionSet(() => ({
  /** The side of the square of patches that become one token, where grids count patches: 2 in Qwen2-VL. */
  merge: option.integer({ default: 1 }),
  /** Where the tokens after a grid go on: `all` after the largest position so far (the paper, transformers 4), `spatial` after the rows and columns, whatever the number of frames (transformers 5). */
  advance: option.choice(["all", "spatial"]),
  /** The side of a batch that is padded. */
  padding: option.choice(["right", "left"]),
  /** Filled instead of a new array. */
  out: option.outInt32(),
}));

/**
 * Position ids as models compute them from lengths, padding, masks and images.
 */
export function positionIds() {
  const module = {
    /**
     * Numbers the tokens of one sequence.
     *
     *     position[t] = past + t
     *
     * @param {number} length  T
     * @param {OptionsOf<typeof RANGE>} [options]
     * @returns {Tensor<Int32Array>} int32 [T]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see transformers, models/gpt2/modeling_gpt2.py
     * @example
     * positionIds.range(3, { past: 5 }).toArray()
     * // [5, 6, 7]
     */
    range(length, options = {}) {
      const { past, out } = RANGE.read(options);
      const T = check.integer(length, "length", 0, END - 1 - past);
      const result = outputInt32(out, [T]);
      const { data } = result;
      for (let t = 0; t < T; ++t) data[t] = past + t;
      return result.done();
    },

    /**
     * Numbers tokens from paddingIdx + 1 and gives padding the position paddingIdx: fairseq, RoBERTa,
     * M2M100. The results are rows of the model's table and include its offset.
     *
     *     position[t] = paddingIdx + (past + tokens up to and with t that are not padding), or
     *                   paddingIdx where token t is padding
     *
     * @param {TensorInput} ids  [..., T]
     * @param {OptionsOf<typeof FROM_TOKENS>} [options]
     * @returns {Tensor<Int32Array>} int32, the shape of ids
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see fairseq, fairseq/utils.py, make_positions; transformers,
     *   models/m2m_100/modeling_m2m_100.py, create_position_ids_from_input_ids
     * @example
     * positionIds.fromTokens([0, 31414, 2, 1, 1]).toArray()
     * // [2, 3, 4, 1, 1]
     */
    fromTokens(ids, options = {}) {
      const { paddingIdx, past, out } = FROM_TOKENS.read(options);
      const { data, shape } = readIds(ids, END);
      const isToken = data.map((id) => Number(id !== paddingIdx));
      const counts = runningSums(isToken, shape, past + paddingIdx, "past");
      const positions = counts.map((count, t) => (isToken[t] ? count : paddingIdx));
      return resultOf(positions, shape, out);
    },

    /**
     * Numbers tokens by an attention mask, so that padding takes no position.
     *
     *     left-padding   position[t] = (mask[0] + ... + mask[t]) - 1;        1 where mask[t] is 0
     *     opt            position[t] = (mask[0] + ... + mask[t]) mask[t] - 1 + 2
     *
     * Hugging Face's generate uses `left-padding` for GPT-2, LLaMA and most others. Padding gets 1 there in transformers
     * 4, as here, and 0 in transformers 5: attention does not read it. `opt` gives rows of OPT's table, which begin at 2
     * (padding has row 1).
     *
     * @param {TensorInput} mask  [..., past + T]: 1 or true counts
     * @param {OptionsOf<typeof FROM_MASK>} [options]
     * @returns {Tensor<Int32Array>} int32 [..., T]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see transformers, models/opt/modeling_opt.py, OPTLearnedPositionalEmbedding;
     *   generation/utils.py, prepare_inputs_for_generation
     * @example
     * positionIds.fromMask([0, 0, 1, 1, 1], { convention: "opt" }).toArray()
     * // [1, 1, 2, 3, 4]
     */
    fromMask(mask, options = {}) {
      const { convention, past, out } = FROM_MASK.read(options);
      const first = convention === "opt" ? OPT_FIRST : 0;
      const { data, shape } = readMask(mask, "mask");
      const all = shape[shape.length - 1] ?? -1;
      if (all < 0) throw new RangeError("mask must have shape [..., T]; got []");
      if (past > all) {
        throw new RangeError(`past must be at most the mask's length, ${all}; got ${past}`);
      }
      const counts = runningSums(data, shape, 0, "mask");
      const positions = counts
        .map((count, t) => (data[t] ? count - 1 + first : 1))
        .filter((_, t) => t % all >= past);
      return resultOf(positions, [...shape.slice(0, -1), all - past], out);
    },

    /**
     * Numbers the tokens of sequences packed into one row: each sequence starts at 0.
     *
     * @param {ArrayLike<number>} lengths  of the sequences
     * @param {OptionsOf<typeof PACKED>} [options]
     * @returns {Tensor<Int32Array>} int32 [sum of lengths]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see transformers, data/data_collator.py, DataCollatorWithFlattening
     * @example
     * positionIds.packed([3, 2]).toArray()
     * // [0, 1, 2, 0, 1]
     */
    packed(lengths, options = {}) {
      const { out } = PACKED.read(options);
      const sizes = readLengths(lengths, "lengths");
      const T = sizes.reduce((sum, size) => sum + size, 0);
      const result = outputInt32(out, [T]);
      let at = 0;
      for (const size of sizes) for (let t = 0; t < size; ++t) result.data[at++] = t;
      return result.done();
    },

    /**
     * Numbers the digits of each number from 1; all other tokens get 0 (Abacus). Numbers must be written
     * with the last digit first.
     *
     *     position[t] = offset + length of the run of digits up to and with t
     *
     * @param {TensorInput} ids  [..., T]
     * @param {OptionsOf<typeof DIGITS>} options
     * @returns {Tensor<Int32Array>} int32, the shape of ids
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see McLeish et al. 2024, Transformers can do arithmetic with the right embeddings,
     *   https://arxiv.org/abs/2405.17399
     * @example
     * positionIds.digits([3, 2, 1, 50, 7], { digits: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }).toArray()
     * // [1, 2, 3, 0, 1]
     */
    digits(ids, options) {
      const { digits: digitIds, offset, out } = DIGITS.read(options);
      const { data: digits } = readIds(digitIds, END, "digits");
      const { data, shape } = readIds(ids, END);
      const T = shape[shape.length - 1] ?? 1;
      if (offset + T >= END) {
        throw new RangeError(`offset must leave positions below 2^31; got ${offset}`);
      }
      const known = new Set(digits);
      let run = 0;
      const positions = data.map((id, t) => {
        if (t % T === 0) run = 0;
        run = known.has(id) ? run + 1 : 0;
        return run === 0 ? 0 : offset + run;
      });
      return resultOf(positions, shape, out);
    },

    /**
     * Computes the temporal, vertical and horizontal position of each token of text and images (M-RoPE:
     * Qwen2-VL).
     *
     *     text    (s + i, s + i, s + i)                          for its i-th token
     *     grid    (s + floor(step f), s + y, s + x)              for row y, column x of frame f
     *
     * s is initially 0, then one more than the largest position so far: an image takes as many positions
     * as its longest side has tokens. With `advance: "spatial"` a video takes no more than one of its
     * frames, so that the text after it may be before its last frame.
     *
     * Qwen3-VL writes a timestamp before each frame of a video, so each frame is a grid [1, h, w] after the text of its
     * timestamp.
     *
     * A video with sound (Qwen2.5-Omni) begins and ends with the marks of both, two tokens at one position each. Between
     * them are, chunk after chunk, the patches of the frames of a chunk and then its sound, which is numbered like
     * text from the position of the first frame. Its end follows the last chunk, so the end of the longer one. With the
     * order `time` (Qwen3-Omni), patches and sound are in the order of their time, patches first where it is the same,
     * each mark has a position, and `step` must be whole: transformers keeps fractions, which int32 does not hold.
     *
     * @param {readonly MultimodalSegment[] | readonly (readonly MultimodalSegment[])[]} segments  of
     *   one sequence, or of each of B; shorter sequences are padded with 1
     * @param {OptionsOf<typeof MULTIMODAL>} [options]
     * @returns {{positions: Tensor<Int32Array>, ropeDelta: Tensor<Int32Array>}} int32 [3, T] and [],
     *   or [3, B, T] and [B]. The token after a sequence has the position
     *   T + ropeDelta on all three axes, which is one more than the largest of the sequence
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Wang et al. 2024, Qwen2-VL, https://arxiv.org/abs/2409.12191, section 2.1; transformers,
     *   models/qwen2_vl/modeling_qwen2_vl.py, qwen2_5_vl (`step`) and qwen2_5_omni (`sound`), get_rope_index
     * @example
     * const { positions, ropeDelta } = positionIds.multimodal([{ text: 2 }, { grid: [1, 2, 2] }, { text: 1 }]);
     * positions.toArray()
     * // [[0, 1, 2, 2, 2, 2, 4], [0, 1, 2, 2, 3, 3, 4], [0, 1, 2, 3, 2, 3, 4]]
     * ropeDelta.toArray()
     * // -2
     */
    multimodal(segments, options = {}) {
      const { merge, advance, padding, out } = MULTIMODAL.read(options);
      if (!check.isList(segments)) {
        throw new TypeError(
          `segments must be an array of {text} and {grid}; got ${check.describe(segments)}`,
        );
      }
      const isBatch = check.isList(segments[0]);
      const rows = Array.from(isBatch ? segments : [segments], (row) =>
        numberTokens(row, merge, advance),
      );
      const T = rows.reduce((max, { length }) => Math.max(max, length), 0);
      const batch = isBatch ? [rows.length] : [];
      const result = outputInt32(out, [3, ...batch, T]);
      rows.forEach(({ length, triples }, b) => {
        for (let axis = 0; axis < 3; ++axis) {
          const to = result.data.subarray(
            (axis * rows.length + b) * T,
            (axis * rows.length + b + 1) * T,
          );
          const first = padding === "left" ? T - length : 0;
          to.fill(1);
          for (let t = 0; t < length; ++t) to[first + t] = triples[3 * t + axis];
        }
      });
      return {
        positions: result.done(),
        ropeDelta: new Tensor(
          Int32Array.from(rows, ({ end }) => end - T),
          batch,
        ),
      };
    },
  };
  return option.withOptions(module, {
    range: RANGE,
    fromTokens: FROM_TOKENS,
    fromMask: FROM_MASK,
    packed: PACKED,
    digits: DIGITS,
    multimodal: MULTIMODAL,
  });
}

/**
 * Sums ones up to each place of the last axis.
 * @param {Int32Array} ones @param {readonly number[]} shape @param {number} start @param {string} name
 */
function runningSums(ones, shape, start, name) {
  const T = shape[shape.length - 1] ?? 1;
  if (start + T >= END) {
    throw new RangeError(`${name} must leave positions below 2^31; got ${start} and ${T} more`);
  }
  let count = start;
  return ones.map((one, t) => (count = (t % T === 0 ? start : count) + one));
}

/** The result, in `out` where it is given. @param {Int32Array} positions @param {readonly number[]} shape @param {unknown} out */
function resultOf(positions, shape, out) {
  if (out === undefined) return new Tensor(positions, shape);
  const result = outputInt32(out, shape);
  result.data.set(positions);
  return result.done();
}

/**
 * Numbers the tokens of one sequence: a triple for each, and the position after the largest.
 * @param {unknown} segments @param {number} merge @param {"all" | "spatial"} advance
 */
function numberTokens(segments, merge, advance) {
  if (!check.isList(segments)) {
    throw new TypeError(
      `segments must be arrays of {text} and {grid} for each sequence; got ${check.describe(segments)}`,
    );
  }
  const read = Array.from(segments, (segment) => readSegment(segment, merge));
  const marks = (/** @type {number} */ sound) => (sound > 0 ? sound + 4 : 0);
  const length = read.reduce((sum, { t, h, w, sound }) => sum + t * h * w + marks(sound), 0);
  const last = read.reduce(
    (sum, { t, h, w, step, sound, order }) =>
      sum + Math.max(t * step, h, w, sound) + (order === "time" ? 4 : 2),
    0,
  );
  if (length >= END || last >= END) {
    throw new RangeError(
      `segments must have fewer than 2^31 tokens and positions; got ${length} and ${last}`,
    );
  }
  const triples = int32s(3 * length, "position ids");
  let at = 0;
  let next = 0;
  let end = 0;
  for (const segment of read) {
    const { text, t, h, w, step, sound } = segment;
    if (sound > 0) {
      const dealt = dealtWithSound(segment);
      for (const [k, number] of dealt.triples.entries()) triples[at + k] = next + number;
      at += dealt.triples.length;
      end = Math.max(end, next + dealt.end);
      next += dealt.next;
      continue;
    }
    for (let f = 0; f < t; ++f) {
      const time = Math.floor(f * step);
      for (let y = 0; y < h; ++y) {
        for (let x = 0; x < w; ++x) {
          triples.set(text ? [x, x, x] : [time, y, x], at);
          for (let axis = 0; axis < 3; ++axis) triples[at++] += next;
        }
      }
    }
    const most = text ? w : Math.max(Math.floor((t - 1) * step) + 1, h, w);
    end = Math.max(end, next + most);
    next += advance === "all" ? most : Math.max(h, w);
  }
  return { length, triples, end };
}

/**
 * The triples of a video and its sound, from 0.
 * @param {ReturnType<typeof readSegment>} segment
 * @returns {{triples: number[], end: number, next: number}} `end`: after the largest position; `next`: after the marks
 */
function dealtWithSound({ t, h, w, step, sound, chunk, order }) {
  const patches = Array.from({ length: t * h * w }, (_, k) => {
    const inFrame = k % (h * w);
    return [Math.floor(Math.floor(k / (h * w)) * step), Math.floor(inFrame / w), inFrame % w];
  });
  const sounds = Array.from({ length: sound }, (_, k) => [k, k, k]);
  const inOrder = order === "time" ? byTime(patches, sounds) : byChunks(patches, sounds, chunk);
  const most = (/** @type {number[][]} */ tokens) =>
    tokens.reduce((largest, token) => Math.max(largest, ...token), 0);
  const apart = order === "time" ? 1 : 0; // the second mark from the first
  const mark = most(inOrder[inOrder.length - 1]) + apart + 2;
  const between = inOrder.flat(2).map((number) => number + apart + 1);
  const last = mark + apart;
  const largest = Math.max(last, most([...patches, ...sounds]) + apart + 1);
  const marks = (/** @type {number} */ at) => [at, at, at, at + apart, at + apart, at + apart];
  return { triples: [...marks(0), ...between, ...marks(mark)], end: largest + 1, next: last + 1 };
}

/**
 * Tokens in chunks of their times: a token from the next boundary on begins one, and the boundary moves by `size`. A
 * frame beyond several boundaries thus has chunks of one token, as in transformers.
 * @param {readonly number[][]} tokens  their first numbers do not fall @param {number} size
 */
function chunksOf(tokens, size) {
  /** @type {number[][][]} */
  const chunks = [[]];
  for (const token of tokens) {
    if (token[0] >= chunks.length * size) chunks.push([]);
    chunks[chunks.length - 1].push(token);
  }
  return chunks;
}

/**
 * Patches and sounds, chunk after chunk.
 * @param {number[][]} patches @param {number[][]} sounds @param {number} size
 */
function byChunks(patches, sounds, size) {
  const [seen, heard] = [patches, sounds].map((tokens) => chunksOf(tokens, size));
  return Array.from({ length: Math.max(seen.length, heard.length) }, (_, c) => [
    seen[c] ?? [],
    heard[c] ?? [],
  ])
    .flat()
    .filter((tokens) => tokens.length > 0);
}

/**
 * Patches and sounds by their time, those after the last of the other kind in the last list.
 * @param {number[][]} patches @param {number[][]} sounds
 */
function byTime(patches, sounds) {
  const all = [...patches, ...sounds].sort(([a], [b]) => a - b); // a stable sort
  const kinds = [patches, sounds].map((tokens) => all.lastIndexOf(tokens[tokens.length - 1]));
  const from = Math.min(...kinds) + 1;
  return [all.slice(0, from), all.slice(from)];
}

/** What a segment says of the sound of its grid. */
const OF_SOUND = Object.freeze(["chunk", "order"]);

/**
 * Reads a segment as a grid; text is one frame of one row.
 * @param {unknown} segment @param {number} merge
 */
function readSegment(segment, merge) {
  if (!check.isRecord(segment)) {
    throw new TypeError(`segments must be {text} or {grid}; got ${check.describe(segment)}`);
  }
  const { text, grid, step = 1, sound, chunk = 50, order = "chunks", ...more } = segment;
  const idle = text !== undefined ? ["step", ...OF_SOUND] : sound === undefined ? OF_SOUND : [];
  const [odd] = Object.keys(more);
  if (odd !== undefined || (text === undefined) === (grid === undefined)) {
    const got = odd ?? (text === undefined ? "neither" : "both");
    const rule = "have text, or grid and optionally step, sound, chunk and order";
    throw new TypeError(`segments must ${rule}; got ${got}`);
  }
  if (text !== undefined && sound !== undefined) {
    throw new TypeError("segments.sound must belong to a grid; got text");
  }
  const alone = idle.find((name) => segment[name] !== undefined);
  if (alone !== undefined) {
    const owner = text !== undefined && alone === "step" ? "a grid" : "a grid with sound";
    throw new TypeError(`segments.${alone} must belong to ${owner}; got one without`);
  }
  if (text !== undefined) {
    const length = check.integer(text, "segments.text", 0);
    const row = { text: true, t: 1, h: Math.min(length, 1), w: length, step: 1 };
    return { ...row, sound: 0, chunk: 1, order: "chunks" };
  }
  const three = { rule: "[t, h, w]", fits: (/** @type {number} */ n) => n === 3 };
  const [t, h, w] = readIntegers(grid, "segments.grid", 1, three);
  if (h % merge !== 0 || w % merge !== 0) {
    throw new RangeError(
      `segments.grid must have sides divisible by ${merge}; got ${h} x ${w} patches`,
    );
  }
  if (sound !== undefined && (t * h * w) / merge ** 2 > MOST_WITH_SOUND) {
    const rule = `at most ${MOST_WITH_SOUND} tokens if the video has sound`;
    throw new RangeError(`segments.grid must have ${rule}; got ${t} x ${h} x ${w} patches`);
  }
  check.oneOf(order, "segments.order", ["chunks", "time"]);
  if (order === "time" && !Number.isInteger(step)) {
    throw new RangeError(
      `segments.step must be a whole number in the order of time; got ${check.describe(step)}`,
    );
  }
  return {
    text: false,
    t,
    h: h / merge,
    w: w / merge,
    step: check.finite(step, "segments.step", "a number > 0", (number) => number > 0),
    sound: sound === undefined ? 0 : check.integer(sound, "segments.sound", 1, MOST_WITH_SOUND),
    chunk: check.integer(chunk, "segments.chunk", 1),
    order,
  };
}
