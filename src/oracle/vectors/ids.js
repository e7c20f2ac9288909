/** Position ids of padded, packed and mixed sequences. */
import { positionRows } from "../../models/input_embeddings/rows.js";
import { Tensor } from "../../runtime/tensor.js";
import { ints } from "./arrays.js";

/** @import { Arrays, Source } from "./arrays.js" */

/** Tokens of padding at the left, of each row; the last row has one token. */
const PADDING = [0, 1, 5];

/** Rules of position ids of texts, and their first row. @type {Record<string, number>} */
const FIRST = {
  gpt2: 0,
  bert: 0,
  vaswani: 0,
  marian: 0,
  bart: 2,
  xglm: 2,
  opt: 2,
  roberta: 2,
  fairseq: 2,
};

/** Rules that give padding no position. */
const COUNTED = ["opt", "roberta", "fairseq"];

/** Decoders with tables that generation gives position ids from 0, without the padding, whatever they add. */
const GENERATING = /^(?:gpt|biogpt$|xglm$)/;

/** The id of a token that is no padding. */
const TOKEN = 5;

/**
 * How the tokens of a text are numbered.
 * @param {Source} source
 * @returns {{preset: string, isCounted: boolean, first: number, row: number} | undefined} the first id, and its row in the
 *   table; undefined where they are not
 */
export function numberingOf({ model: { type, positions } }) {
  const { scheme, preset = "vaswani" } = positions;
  if (!["rope", "learnedPositions", "sinusoidal"].includes(scheme)) return undefined;
  const row = isFromPad(positions) ? (positions.paddingIdx ?? 1) + 1 : FIRST[preset];
  if (scheme === "rope" || GENERATING.test(type))
    return { preset: "left-padding", isCounted: true, first: positions.first ?? 0, row };
  const isCounted = COUNTED.includes(preset);
  return preset in FIRST ? { preset, isCounted, first: row, row } : undefined;
}

/** Whether rows of positions begin after the id of padding. @param {{preset?: string}} positions */
export const isFromPad = ({ preset = "" }) => /^(?:roberta|fairseq)$/.test(preset);

/** The id of padding. @param {Source} source */
export function padOf({ config, model: { positions } }) {
  const { pad_token_id: id } = config;
  if (isFromPad(positions)) return positions.paddingIdx ?? 1;
  return Number.isInteger(id) && id >= 0 ? id : 1;
}

/**
 * @param {Source} source
 * @returns {{arrays: Arrays, slips: Arrays, leftOut: string[]}}
 */
export function idsArrays(source) {
  const { phasor, model, length } = source;
  const { positionIds } = phasor;
  const numbering = numberingOf(source);
  /** @type {{arrays: Arrays, slips: Arrays, leftOut: string[]}} */
  const found = { arrays: {}, slips: {}, leftOut: [] };
  if (!numbering) {
    found.leftOut.push(`the scheme ${model.positions.scheme} has no position ids of a text`);
    return found;
  }
  const { preset, isCounted } = numbering;
  const T = Math.min(length, model.positions.length ?? length);
  const padding = [...PADDING, T - 1].map((count) => Math.min(count, T - 1));
  const flags = padding.flatMap((count) => Array.from({ length: T }, (_, t) => Number(t >= count)));
  const mask = ints(flags, [4, T]);
  const pad = padOf(source);
  const rows = () => {
    if (preset === "left-padding") {
      const ids = positionIds.fromMask(mask);
      return { data: ids.data.map((id, i) => (flags[i] ? id + numbering.first : id)) };
    }
    const ids = ints(flags.map((flag) => (flag ? (pad === TOKEN ? TOKEN + 1 : TOKEN) : pad)), [4, T]); // prettier-ignore
    const by = preset === "opt" ? { mask } : isCounted ? { paddingIdx: pad } : {};
    const made = positionRows(positionIds, model.positions, ids, { past: 0, ...by });
    return /** @type {{data: Int32Array}} */ (made);
  };
  const own = rows();
  const right = Int32Array.from({ length: 4 * T }, (_, i) => own.data[i % own.data.length]);
  const tolerance = Float32Array.from(flags, (flag) => (flag ? 0 : Infinity));
  Object.assign(found.arrays, {
    "ids/mask": mask,
    "ids/position_ids": ints([...right], [4, T]),
    "ids/tolerance": new Tensor(tolerance, [4, T]),
  });
  const { first } = numbering;
  /** @param {string} name @param {(t: number, row: number, i: number) => number} number */
  const slip = (name, number) => {
    const all = flags.map((_, i) => number(i % T, Math.floor(i / T), i));
    const isSeen = all.some((x, i) => flags[i] && x !== right[i]);
    if (isSeen) found.slips[`ids/${name}`] = ints(all, [4, T]);
  };
  slip("padding takes positions", (t) => t + first);
  slip("padding takes no positions", (t, row) => t - padding[row] + first);
  if (first > 0) {
    slip(`positions begin at 0 instead of ${first}`, (_, __, i) => right[i] - first);
    slip("padding takes positions, which begin at 0", (t) => t);
  } else slip("positions begin at 1", (_, __, i) => right[i] + 1);
  if (preset === "left-padding") {
    const lengths = [Math.min(5, T), T - Math.min(5, T)].filter((size) => size > 0);
    found.arrays["packed/lengths"] = ints(lengths);
    found.arrays["packed/position_ids"] = positionIds.packed(lengths);
  } else found.leftOut.push("packed rows: the kit knows no rule for them in this model");
  addPictures(source, found);
  return found;
}

/** Families whose videos are one grid, and those that have each frame after the text of its time. */
const WHOLE = /^(?:qwen2_vl|ernie4_5_vl)/;
const APART = /^(?:qwen3_vl|qwen3_5|glm4v)/;
const TIMED = /^qwen2_5_vl/;

/** A picture, in tokens: time, height, width. */
const PICTURE = [1, 4, 3];

/** The frames of a video, and the rows and the fewest columns of each. */
const FRAMES = 3;
const ROWS = 2;
const COLUMNS = 3;

/** The most positions from a frame to the next one: a video is wider than all of its frames are apart. */
const MOST_STEP = 64;

/**
 * A video. Its frames take no more positions than its columns: so the text after it begins at the same position by the rules
 * of transformers 4 and 5.
 * @param {Source} source @returns {{grid: number[], step?: number}[] | string} why there is none
 */
function videoOf({ model: { type }, config }) {
  if (WHOLE.test(type)) return [{ grid: [FRAMES, ROWS, COLUMNS] }];
  if (APART.test(type)) return Array.from({ length: FRAMES }, () => ({ grid: [1, ROWS, COLUMNS] }));
  const step = Object(config.vision_config).tokens_per_second;
  if (TIMED.test(type) && Number.isInteger(step) && step > 0 && step <= MOST_STEP) {
    return [{ grid: [FRAMES, ROWS, Math.max(COLUMNS, (FRAMES - 1) * step + 1)], step }];
  }
  return TIMED.test(type)
    ? `a video: the configuration has no whole vision_config.tokens_per_second up to ${MOST_STEP}`
    : "a video: the kit does not know how this family numbers its frames";
}

/**
 * A text with a picture and a video, whose frames are a second apart.
 * @param {Source} source @param {ReturnType<typeof idsArrays>} found
 */
function addPictures(source, { arrays, slips, leftOut }) {
  const { phasor, model, config } = source;
  if (!Object.values(model.positions.rotary ?? {}).some((one) => one?.multimodal)) return;
  const video = videoOf(source);
  if (typeof video === "string") leftOut.push(video);
  else if (!APART.test(model.type)) {
    leftOut.push("the text after a video of more frames than rows and columns: transformers 4 and 5 number it differently"); // prettier-ignore
  }
  const grids = typeof video === "string" ? [] : video;
  const segments = [
    { text: 3 },
    { grid: PICTURE },
    { text: 2 },
    ...grids.flatMap((each) => [{ text: 1 }, each]),
    { text: 3 },
  ];
  const number = (/** @type {any} */ all) => phasor.positionIds.multimodal([all]);
  const { positions, ropeDelta } = number(segments);
  const T = positions.shape[2];
  let pictures = 0;
  const types = segments.flatMap((each) => {
    if ("text" in each) return Array.from({ length: Number(each.text) }, () => 0);
    const type = ++pictures === 1 ? 1 : 2;
    return Array.from({ length: each.grid.reduce((a, b) => a * b, 1) }, () => type);
  });
  const { image_token_id: image, video_token_id: film } = config;
  if (Number.isInteger(image) && Number.isInteger(film)) {
    const ids = types.map((type) => [TOKEN, image, film][type]);
    arrays["picture/input_ids"] = ints(ids, [1, T]);
  } else leftOut.push("input ids of a picture: the configuration names no ids of its tokens");
  Object.assign(arrays, {
    "picture/token_types": ints(types, [1, T]),
    "picture/image_grid": ints(PICTURE, [1, 3]),
    "picture/video_grid": ints(grids.flatMap(({ grid }) => grid), [grids.length, 3]), // prettier-ignore
    "picture/position_ids": positions,
    "picture/next": ints([T + ropeDelta.data[0]]),
    "picture/tolerance": new Tensor(new Float32Array(1), [1]),
  });
  /** @param {string} name @param {Tensor<Int32Array>} all */
  const slip = (name, all) => {
    if (all.data.some((x, i) => x !== positions.data[i])) slips[`picture/${name}`] = all;
  };
  const whole = segments.map((each) => ("grid" in each ? { grid: each.grid } : each));
  slip("frames are one position apart", number(whole).positions);
  const plain = Array.from({ length: 3 * T }, (_, i) => i % T);
  slip("pictures are numbered like text", ints(plain, [3, 1, T]));
}
