/** Reads how a model encodes positions. */
import * as check from "../runtime/check.js";
import { MOST_CELLS } from "./keys.js";
import { readEntry, readRope } from "./rotary.js";
import { readType } from "./scaling.js";

/** @import { Reader } from "./keys.js" */
/** @import { Family } from "./families.js" */
/** @import { Positions } from "./config.js" */
/** @import { Sizes } from "./rotary.js" */

/** Rules by which rows begin after the id of padding. */
const FROM_PADDING = /^(?:roberta|fairseq)$/;

/**
 * The id of padding where rows begin after it, and it is not 1.
 * @param {Reader} get @param {Family} family
 * @returns {{paddingIdx?: number}}
 */
function readPadding(get, { preset = "", isPaddingFixed }) {
  const id = get.peek("pad_token_id");
  if (!FROM_PADDING.test(preset) || isPaddingFixed || !Number.isInteger(id)) return {};
  get.use("pad_token_id");
  return id === 1 || Number(id) < 0 ? {} : { paddingIdx: Number(id) };
}

/**
 * @typedef {{type: string, family: Family, sizes: Sizes}} Source
 * @type {Record<string, (get: Reader, from: Source) => Positions>}
 */
const SCHEMES = {
  rope: (get, { family, sizes }) => readRope(get, family, sizes),
  learnedPositions(get, { family, sizes }) {
    const { preset, prefix, relative, unless, boxes, options, besides } = family;
    const { extraRows = 0, unusedRows = 0 } = family;
    if (unless && get.optionalBoolean(unless) === false) {
      return { scheme: "other", reasons: [`Attention has the relative positions of ${relative}.`] };
    }
    if (prefix !== undefined) {
      const { suffix } = family;
      const grid = patches(get);
      const length = prefix + grid[0] * grid[1] + (suffix === undefined ? 0 : get.size(suffix));
      const own = {
        ...options,
        ...(prefix !== 1 && { prefix }),
        ...(grid[0] !== grid[1] && { grid }),
      };
      return {
        scheme: "learnedPositions",
        preset,
        rows: length,
        length,
        ...(Object.keys(own).length > 0 && { options: own }),
        ...(besides && { besides }),
      };
    }
    const padding = readPadding(get, family);
    const unused = (padding.paddingIdx ?? unusedRows - 1) + 1;
    const count = get.size(family.rows ?? "max_position_embeddings", 1 + unused);
    return {
      scheme: "learnedPositions",
      preset,
      rows: count + extraRows,
      length: count - unused,
      ...padding,
      ...(boxes
        ? readBoxes(get, family, sizes)
        : relative && get.optionalBoolean("relative_attention") !== false && { relative }),
      ...(options && { options }),
      ...(besides && { besides }),
    };
  },
  sinusoidal(get, { family }) {
    const { preset, rows = "max_position_embeddings", options, besides } = family;
    const length = family.frames ? cells(get) : get.optionalSize(rows);
    const more = { ...(options && { options }), ...(besides && { besides }) };
    return { scheme: "sinusoidal", preset, length, ...readPadding(get, family), ...more };
  },
  t5Bias: (get, { family: { besides } }) => ({
    scheme: "t5Bias",
    options: {
      buckets: get.size("relative_attention_num_buckets"),
      maxDistance: get.size("relative_attention_max_distance"),
    },
    ...(besides && { besides }),
  }),
  alibi(get, { type }) {
    const given = type === "mpt" ? get.value("attn_config") : {};
    return alibi(get, Object(given).alibi_bias_max ?? 8);
  },
  sincosGrid(get, { family }) {
    const { preset, besides } = family;
    const any = {
      scheme: /** @type {const} */ ("sincosGrid"),
      preset,
      ...(besides && { besides }),
    };
    if (family.temperature) {
      const keys = ["temperature_height", "temperature_width"];
      const [base, other] = keys.map((key) => get.positive(key, 20));
      check.finite(other, `${get.path}.${keys[1]}`, keys[0], (x) => x === base);
      const scale = "sine_position_embedding_scale";
      const own = get.value(scale) === undefined ? {} : { scale: get.positive(scale) };
      return { ...any, options: { base, ...own } };
    }
    if (preset !== "vit_mae") return any; // pictures of any size
    const grid = patches(get);
    return { scheme: "sincosGrid", preset, length: grid[0] * grid[1] + 1, options: { grid } };
  },
  windowBias(get, { family: { network, prefix }, sizes: { heads } }) {
    const [height, window] = prefix
      ? patches(get)
      : Array(2).fill(get.size("window_size", 1, MOST_CELLS));
    // Of a window that is not square transformers takes the axes for each other.
    check.integer(height, "config.image_size / patch_size", window, window);
    const described = /** @type {Positions} */ ({
      scheme: "windowBias",
      length: window * window + (prefix ?? 0),
      options: { window: [window, window], ...(prefix && { classToken: true }) },
    });
    return network ? { ...described, stages: readStages(get, network, window, heads) } : described;
  },
  transformerXL(get, { family: { pooled } }) {
    const scheme = "transformerXL";
    if (pooled) {
      const sizes = get.value("block_sizes");
      const blocks = check.isList(sizes) ? sizes.length : 1;
      check.integer(blocks, `${get.path}.block_sizes.length`, 1, 31);
      const separate = get.optionalBoolean("separate_cls") !== false;
      const options = { direction: "bidirectional" };
      return {
        scheme,
        options,
        strides: Array.from({ length: blocks }, (_, block) => 2 ** block),
        separate,
      };
    }
    if (get.optionalBoolean("bi_data") === true) {
      const reason = "With bi_data half of a batch counts distances in the other direction.";
      return { scheme: "other", reasons: [reason] };
    }
    const [name, kind = "bi"] = get.find("attn_type");
    const isCausal = check.oneOf(kind, name, ["bi", "uni"]) === "uni";
    const farthest = check.integer(get.value("clamp_len") ?? -1, `${get.path}.clamp_len`, -1);
    const options = { direction: isCausal ? "causal" : "bidirectional" };
    return { scheme, options, ...(farthest > 0 && { farthest }) };
  },
  axialRope(get, { family, sizes: { headDim } }) {
    const { preset, axes = 2, theta = 10000, besides } = family;
    // Of two entries transformers takes the older.
    const [old, now] = ["rope_scaling", "rope_parameters"].map((key) => readEntry(get, key));
    const entry = old ?? now ?? {};
    const where = `${get.path}.${old ? "rope_scaling" : "rope_parameters"}`;
    readType(entry, where, ["default", "axial"]);
    const stated = get.value("rope_theta"); // read, whichever counts
    const base = check.finite(
      entry.rope_theta ?? stated ?? theta,
      `${where}.rope_theta`,
      "a number >= 1",
      (x) => x >= 1,
    );
    const own = Object.entries(family.sizes ?? {}).map(([name, key]) => [name, get.size(key)]);
    const prefix =
      family.prefix && family.prefix + (get.optionalSize("num_register_tokens", 0) ?? 0);
    const merge = get.optionalSize("spatial_merge_size");
    return {
      scheme: "axialRope",
      preset,
      dim: axes === 2 ? headDim : 6 * Math.floor(headDim / 6),
      axes,
      options: { base, ...family.options, ...Object.fromEntries(own), ...(prefix && { prefix }) },
      ...(merge && { merge }),
      ...(besides && { besides }),
    };
  },
  none: (get) => ({ scheme: "none", length: get.optionalSize("max_position_embeddings") }),
  other: (_, { family }) => ({ scheme: "other", reasons: [`The model has ${family.why}.`] }),
  unknown: (get, { type, family: { why } }) => ({
    scheme: "unknown",
    reasons: why ? [why] : reasons(get, type),
  }),
};

/**
 * @param {Reader} get @param {string} type @param {Family} family @param {Sizes} sizes
 * @returns {Positions}
 */
export function readPositions(get, type, family, sizes) {
  return SCHEMES[family.scheme](get, { type, family, sizes });
}

/**
 * The tables of words' boxes and the biases of LayoutLM's later versions.
 * @param {Reader} get @param {Family} family @param {Sizes} sizes
 */
function readBoxes(get, { boxes, relative, scaledBias, preset }, { headDim }) {
  const has = (/** @type {string} */ key) => get.optionalBoolean(key) !== false;
  const bias = (/** @type {string} */ bins, /** @type {string} */ most) => ({
    buckets: get.size(bins, 4),
    maxDistance: get.size(most),
  });
  const isRelative = relative !== undefined && has("has_relative_attention_bias");
  // The third version has no bias of boxes without one of positions.
  const isSpatial = relative !== undefined && has("has_spatial_attention_bias");
  const within = isSpatial && (isRelative || !scaledBias);
  const width = check.integer(headDim, `${get.path}.hidden_size / num_attention_heads`, 1);
  return {
    boxes: {
      rows: get.size("max_2d_position_embeddings"),
      join: /** @type {"sum" | "concatenate"} */ (boxes),
      ...(preset === "roberta" && { mostSize: 1023 }),
      ...(within && { bias: bias("rel_2d_pos_bins", "max_rel_2d_pos") }),
    },
    ...(isRelative && { relative, relativeOptions: bias("rel_pos_bins", "max_rel_pos") }),
    ...(isRelative && scaledBias && { relativeScale: 1 / Math.sqrt(width) }),
  };
}

/**
 * Options of windowBias.continuousBias in each stage of Swin v2: its windows are no larger than its picture is high.
 * @param {Reader} get @param {"stages" | "one"} network @param {number} window @param {number | number[]} heads
 */
function readStages(get, network, window, heads) {
  const [cells] = patches(get);
  const count = typeof heads === "number" ? 1 : heads.length;
  const [name, value = []] = get.find("pretrained_window_sizes");
  const before = Array.from(check.isList(value) ? value : [value]);
  return Array.from({ length: count }, (_, stage) => {
    const side = network === "one" ? cells : Math.floor(cells / 2 ** stage);
    const least = check.integer(Math.min(side, window), `${get.path}.image_size`, 1);
    const size = before[stage] ?? 0;
    const pretrained = check.integer(size, `${name}[${stage}]`, 0, MOST_CELLS);
    return {
      window: [least, least],
      ...(pretrained > 0 && { pretrained: [pretrained, pretrained] }),
    };
  });
}

/** @param {Reader} get @param {unknown} biasMax @returns {Positions} */
function alibi(get, biasMax) {
  const name = `${get.path}.attn_config.alibi_bias_max`;
  const largest = check.finite(biasMax, name, "a number > 0", (x) => x > 0);
  const length = get.optionalSize("max_position_embeddings");
  return { scheme: "alibi", length, options: { biasMax: largest } };
}

/** Patches along the sides of the image. @param {Reader} get */
function patches(get) {
  const [images, patch] = ["image_size", "patch_size"].map((key) => sides(get, key));
  return images.map((image, axis) => {
    const count = Math.floor(image / patch[axis]); // what is left of the picture is in no patch
    return check.integer(count, "config.image_size / patch_size", 1, MOST_CELLS);
  });
}

/** One number for both sides, or one for each. @param {Reader} get @param {string} key */
function sides(get, key) {
  const [name, value] = get.find(key);
  const both = check.isList(value) && value.length === 2 ? Array.from(value) : [value, value];
  return both.map((side) => check.integer(side, name));
}

/** Patches of a video. @param {Reader} get */
function cells(get) {
  const [rows, columns] = patches(get);
  const times = Math.floor(get.size("num_frames") / get.size("tubelet_size"));
  return check.integer(rows * columns * times, "config.num_frames / tubelet_size * patches");
}

/** @param {string} key @returns {[string, string]} */
function hint(key) {
  return [key, "rotary embeddings, of an unknown layout"];
}

/** What keys say about the positions of a family that is not known. @type {[key: string, says: string][]} */
const HINTS = [
  ...["rope_theta", "rope_parameters", "rope_scaling"].map((key) => hint(key)),
  ["alibi", "ALiBi"],
  ["relative_attention_num_buckets", "a relative bias like T5's"],
  ["type_vocab_size", "a table of token types"],
  ["max_position_embeddings", "a table of positions"],
  ["encoder", "the positions of its parts: describe config.encoder or config.decoder"],
];

/** @param {Reader} get @param {string} type */
function reasons(get, type) {
  const hints = HINTS.filter(([key]) => get.value(key) !== undefined);
  return [
    `config.model_type ${check.describe(type)} is not a family that phasor knows.`,
    ...hints.map(([key, says]) => `${get.find(key)[0]} is given: the model may have ${says}.`),
  ];
}
