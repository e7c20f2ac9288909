/**
 * Reads the config.json of a Hugging Face model, of any version of transformers, into the options of
 * phasor's functions. Errors in the file are thrown; doubtful values give warnings.
 */
import * as check from "../runtime/check.js";
import { readCache } from "./cache.js";
import { parsed } from "../runtime/json.js";
import { FAMILIES } from "./families.js";
import { likeOf, MOST_LAYERS, reader } from "./keys.js";
import { readPositions } from "./positions.js";
import { isSame } from "./rotary.js";
import { repeats, suspectsOf, suspicions } from "./suspects.js";
import { readTokens } from "./tokens.js";
import { otherThanParams, variantOf } from "./variants.js";
import { headDefaults, latentWidths } from "./widths.js";

/** @import { Json, Reader } from "./keys.js" */
/** @import { CachedLayers } from "./cache.js" */
/** @import { Family } from "./families.js" */

/**
 * Scaling options of `rope.frequencies` and `rope.table`.
 * @typedef {import("../positional/rotary/rope/scaling.js").Scaling} Scaling
 */

/**
 * How the layers of one kind rotate queries and keys.
 * @typedef {object} Rotary
 * @property {number} dim  rotated width
 * @property {"halves" | "interleaved"} layout  of `rope.apply`
 * @property {number} [start]  the first rotated column, if not 0
 * @property {boolean} [inverse]  true: rotates by minus the angle, as `rope.apply` with `inverse`
 * @property {{base: number, scaling?: Scaling}} options  of `rope.frequencies` and `rope.table`
 * @property {{sections: number[], arrangement: "chunked" | "interleaved" | "alternating"}} [multimodal]  M-RoPE: of `mrope.table`
 */

/**
 * The description of a model: what its configuration says about tokens and positions.
 * @typedef {object} Model
 * @property {string} type  the configuration's `model_type`; `llama` of a params.json
 * @property {number} [vocabulary]  V
 * @property {number} dim  width of the token embedding; like the four that follow undefined where the scheme does not
 *   need it and the configuration does not state it
 * @property {number | number[]} heads  H; of each stage or layer where they differ
 * @property {number | number[]} keyValueHeads  Hk, shared by groups of heads where fewer
 * @property {number} headDim  of a head
 * @property {number} layers  how many
 * @property {Tokens} tokens  what happens to the rows of words. `inputEmbeddings` computes these steps
 * @property {Positions} positions  how the model encodes positions
 * @property {CachedLayers[]} [cache]  what the layers of a decoder keep of each token, where it is known
 * @property {string[]} warnings  suspect keys and doubtful values of the configuration, a sentence each
 * @property {string[]} ignored  keys of the configuration that tokens and positions do not depend on
 * @property {string[]} suspect  those of them whose names or values speak of positions or attention
 */

/**
 * What happens to the rows of the table of words.
 * @typedef {object} Tokens
 * @property {number | "sqrt"} scale  their factor
 * @property {"float32" | "float16" | "bfloat16"} scaleDtype  the scale is rounded to it
 * @property {number} segments  rows of the table of token types
 * @property {number | null} norm  epsilon of the LayerNorm, or null
 * @property {"rms"} [normKind]  an RMSNorm without weights instead
 * @property {number} [maskId]  the id of the mask, where words make up for masked ones, as in ESM
 * @property {number} [width]  of a factorized table of words
 * @property {"words" | "norm"} [projection]  where the linear layer from `width` to `dim` is: after the words or the LayerNorm
 * @property {readonly ("positions" | "norm")[]} [unused]  what the model's file has and its input does not use
 * @property {{width: number, norm: number}} [perLayer]  the width of further rows, which every layer gets besides its
 *   input, and epsilon of their RMSNorm: `perLayer` of an open model computes them
 * @property {string} [unknown]  a further step, which is not computed here
 */

/**
 * How a model encodes positions.
 * @typedef {object} Positions
 * @property {"learnedPositions" | "sinusoidal" | "rope" | "axialRope" | "alibi" | "t5Bias" | "transformerXL" | "sincosGrid" | "windowBias" | "none" |
 *   "other" | "unknown"} scheme  the module that computes the encoding; `none` for a model without positions,
 *   `other` for one whose positions phasor does not compute, `unknown` for a family that phasor does not know
 * @property {number} [length]  positions that the model was made for
 * @property {number} [rows]  of a learned table
 * @property {string} [preset]  the module's preset
 * @property {number} [paddingIdx]  the id of padding, after which rows begin with the presets `roberta` and `fairseq`.
 *   Default: 1
 * @property {number} [first]  the position of the first token. Default: 0
 * @property {Json} [options]  of the module's function
 * @property {Record<string, Rotary | null>} [rotary]  by kind of layer; null for layers without rotation
 * @property {string[]} [layerKinds]  the kind of each layer, where there are several
 * @property {string} [relative]  the module of a relative bias that the scores of attention have besides
 * @property {{buckets: number, maxDistance: number}} [relativeOptions]  of the bias of LayoutLM v2 and v3
 * @property {number} [relativeScale]  multiplies the biases of LayoutLM v3
 * @property {Boxes} [boxes]  the tables of words' boxes in LayoutLM
 * @property {number} [farthest]  of `transformerXL`: larger distances count as this one
 * @property {number[]} [strides]  of `transformerXL`, by block of layers: distances between neighbors. The first layer of
 *   a block has the keys of the one before
 * @property {boolean} [separate]  of `transformerXL`: nothing is added for the first token
 * @property {{window: number[], pretrained?: number[]}[]} [stages]  of `windowBias`, by stage: size and options of
 *   `windowBias.continuousBias`, which computes the bias instead of a table
 * @property {QueryScale} [queryScale]  the factor of the queries by position, in some models for long texts
 * @property {number} [dim]  of `axialRope`: the rotated width
 * @property {2 | 3} [axes]  of `axialRope`: rows and columns, or time, rows and columns
 * @property {number} [merge]  patches come in blocks of merge x merge, which become one token of the text
 * @property {string} [besides]  what the model has besides
 * @property {string[]} [reasons]  of `other` and `unknown`, a sentence each
 */

/**
 * Four tables of a page's layout: x of the left and right edges, y of the upper and lower ones, h and w of the sizes of
 * words' boxes. `learnedPositions.lookup` gives their rows.
 * @typedef {object} Boxes
 * @property {number} rows  of each table
 * @property {"sum" | "concatenate"} join  what becomes of left, upper, right, lower, height and width: they are added, or
 *   follow each other in a row, in this order
 * @property {number} [mostSize]  heights and widths are clipped to 0 .. this, as in LayoutLM v3
 * @property {{buckets: number, maxDistance: number}} [bias]  of `t5Bias.bias` with the left edges as `positions`, and with
 *   the lower edges; both are added
 */

/**
 * The factor by which the query at position p is multiplied: 1 + scale * ln(1 + floor((p + offset) / every)).
 * @typedef {object} QueryScale
 * @property {number} scale  the factor of the logarithm
 * @property {number} every  the length of a step
 * @property {number} offset  1 in Llama 4, otherwise 0
 * @property {string[]} [kinds]  the kinds of layers that do so. Default: all
 */

/**
 * Keys of the parts of a configuration that describe a tower, best first, and the ends of names of families.
 * @type {Readonly<Record<Tower, {keys: readonly string[], ends: readonly string[]}>>}
 */
const TOWERS = Object.freeze({
  text: {
    keys: "text_config llm_config language_config thinker_config vlm_config model_config".split(
      " ",
    ),
    ends: ["_text"],
  },
  vision: {
    keys: ["vision_config", "vit_config", "visual_config", "thinker_config", "vlm_config"],
    ends: ["_vision", "_vision_model", "_vision_encoder"],
  },
  audio: {
    keys: ["audio_config", "thinker_config"],
    ends: ["_audio", "_audio_encoder", "_encoder"],
  },
});

/** @typedef {"text" | "vision" | "audio"} Tower */

export const TOWER_NAMES = /** @type {Tower[]} */ (Object.keys(TOWERS));

/**
 * Describes a model by its configuration.
 * @param {unknown} config  the text of config.json, or what JSON.parse makes of it
 * @param {{layout?: Rotary["layout"], tower?: Tower, apart?: readonly string[], why?: string}} [options]  `layout` is that of
 *   the file, if it is not the family's; `apart`: keys that the caller reads, of which nothing is suspected; `why` the
 *   family is not known
 * @returns {Model}
 * @throws {TypeError | RangeError} naming the key
 */
export function describe(config, { layout, tower = "text", apart = [], why } = {}) {
  const outer = parse(config);
  const { inner: part, path, rest, first } = partOf(outer, "config", tower);
  if (tower !== "text" && part === outer) {
    const keys = Object.keys(outer).join(", ");
    throw new RangeError(
      `config must have a part for the tower "${tower}", ${TOWERS[tower].keys[0]}; got ${keys}`,
    );
  }
  const named = part.model_type === undefined && !part.auto_map && classOf(part);
  const old = named && OLD.test(named) ? named : undefined;
  const further = otherThanParams(part);
  const type = part.model_type ?? old ?? (further === "" ? "llama" : undefined);
  if (type === undefined && further) {
    throw new TypeError(
      `${path}.${further} must be a key of a params.json; got ${check.describe(part[further])}`,
    );
  }
  if (typeof type !== "string") {
    throw new TypeError(
      `${path}.model_type must be the name of a family; got ${check.describe(type)}`,
    );
  }
  const known = FAMILIES.get(type) ?? (why === undefined ? UNKNOWN : { ...UNKNOWN, why });
  const { family, config: inner, read, notes } = variantOf({ type, family: known, config: part });
  const like = likeOf(type);
  const defaults = {
    ...(part !== outer && sizesOf(like)),
    ...(layout ? latentWidths(like) : headDefaults(like, part)),
    ...family.defaults,
  };
  const get = reader(inner, defaults, path, layout ? {} : family.names);
  for (const key of ["model_type", ...(old ? ["architectures"] : []), ...read]) get.use(key);
  const warnings = [...notes, ...classNote(known, part)];
  if (old)
    warnings.push(`${path}.model_type is missing; the family ${old} is that of architectures`);
  const sizes = IN_HEADS.has(family.scheme)
    ? readSizes(get, family, warnings)
    : vagueSizes(get, family.scheme);
  const description = {
    type,
    vocabulary: get.optionalSize("vocab_size"),
    ...sizes,
    tokens: readTokens(get, family, sizes.dim),
    positions: {
      ...readPositions(get, type, family, { ...sizes, warnings, layout }),
      ...(first !== undefined && { first }),
    },
  };
  for (const key of FOREIGN) {
    if (!get.peek(key) || NEOX.has(type) || Object.values(family.names ?? {}).includes(key))
      continue;
    const what = `${path}.${key} counts as ${key.endsWith("base") ? "rope_theta" : "partial_rotary_factor"}`;
    warnings.push(`${what}, which code of the family ${type} in transformers does not read`);
  }
  const cache =
    tower === "text" && readCache(get, type, { ...sizes, warnings }, description.positions);
  for (const key of get.ignored()) {
    if (repeats(key, inner[key], description.positions)) get.use(key);
  }
  const own = get.ignored();
  const ignored = [...new Set([...own, ...Object.keys(rest)])];
  const isKnown = !UNDESCRIBED.has(description.positions.scheme);
  const found = isKnown
    ? [...suspectsOf(inner, own, family.harmless), ...suspectsOf(rest, Object.keys(rest))]
    : [];
  const suspect = found.filter((key) => !apart.includes(key));
  return {
    ...description,
    ...(cache && { cache }),
    warnings: [...new Set([...suspicions(suspect, path), ...warnings])], // kinds of layers may give the same
    ignored,
    suspect,
  };
}

/** Families by the names of transformers' classes. */
const CLASSES = new Map([...FAMILIES.keys()].map((type) => [type.replace(/[-_]/g, "").toLowerCase(), type])); // prettier-ignore

/** The family of a class of transformers; derived ones, and a model's own, have names of no family. @param {Json} config */
function classOf({ architectures }) {
  const [first] = check.isList(architectures) ? architectures : [];
  const name = typeof first === "string" ? first.slice(0, 64) : "";
  const stem = /^(?!New|Transformer)(\w+?)(?:(?:With)?LMHead)?(?:For[A-Z]\w*)?(?:Model)?$/.exec(
    name,
  );
  return CLASSES.get(String(stem?.[1]).toLowerCase());
}

/**
 * A note on a class whose family has other positions.
 * @param {Family} family @param {Json} config
 */
function classNote(family, config) {
  const named = classOf(config);
  const other = named && FAMILIES.get(named);
  const sayOf = (/** @type {Family} */ of) => `${[of.scheme, of.preset, of.layout]}`;
  if (!other || family.scheme === "unknown" || sayOf(other) === sayOf(family)) return [];
  return [`config.architectures names the family ${named}; that of model_type is described`];
}

/** Families of before `model_type`: a file of transformers 2 or before names its class alone. */
const OLD =
  /^(?:bert|gpt2|openai-gpt|xlnet|xlm|(?:xlm-)?roberta|camembert|distilbert|albert|ctrl|t5)$/;

/** Keys of GPT-NeoX and the code after it, and the families whose own code reads them. */
const FOREIGN = ["rotary_emb_base", "rotary_embedding_base", "rotary_emb_fraction"];
const NEOX = new Set(
  "gpt_neox gpt_neox_japanese nomic_bert qwen wav2vec2-conformer wav2vec2-bert".split(" "),
);

/** The most values of a text: a model that names 22,000 kinds of pictures has 130,000 with the commas of the names. */
const MOST_VALUES = 2 ** 18;

/** The most levels: each takes room on the stack. */
const MOST_LEVELS = 64;

/** Schemes that need the sizes of heads. */
const IN_HEADS = new Set(["rope", "axialRope", "alibi", "t5Bias", "transformerXL", "windowBias"]);

/** Schemes that need the width. */
const IN_ROWS = new Set(["learnedPositions", "sinusoidal", "sincosGrid"]);

/** @param {Reader} get @param {Family} family @param {string[]} warnings */
function readSizes(get, { width = "hidden_size", heads: times }, warnings) {
  const dim = get.size(width);
  const heads = get.heads("num_attention_heads");
  const keyValueHeads = readKeyValueHeads(get, heads, warnings);
  const headDim = times ? shareOf(get, dim, heads, times) : readHeadDim(get, dim, heads);
  if (get.peek("head_dim") === headDim) get.use("head_dim");
  return { dim, heads, keyValueHeads, headDim, layers: get.layers("num_hidden_layers") };
}

/** The sizes that the configuration states as whole numbers. @param {Reader} get @param {string} scheme */
function vagueSizes(get, scheme) {
  const size = get.vagueSize;
  const heads = size("num_attention_heads");
  const dim = IN_ROWS.has(scheme) ? get.size("hidden_size") : size("hidden_size");
  return /** @type {ReturnType<typeof readSizes>} */ ({
    dim,
    heads,
    keyValueHeads: size("num_key_value_heads") ?? (get.value("multi_query") === true ? 1 : heads),
    headDim: size("head_dim") ?? (dim && heads && Math.floor(dim / heads)),
    layers: size("num_hidden_layers", MOST_LAYERS),
  });
}

/** Keys that a larger configuration leaves out where they are transformers' defaults. */
const SIZES =
  "hidden_size num_hidden_layers num_attention_heads num_key_value_heads vocab_size max_position_embeddings head_dim image_size patch_size".split(
    " ",
  );

/**
 * These defaults of families, in the order of the keys; 0 for none.
 * @type {[types: string, values: number[]][]}
 */
const PARTS = [
  ["gemma3_text", [2304, 26, 8, 4, 262208, 131072, 256]],
  ["llama", [4096, 32, 32, 32, 32000, 2048]],
  ["mistral", [4096, 32, 32, 8, 32000, 131072]],
  ["qwen2", [4096, 32, 32, 32, 151936, 32768]],
  ["opt", [768, 12, 12, 0, 50272, 2048]],
  ["phi3", [3072, 32, 32, 0, 32064, 4096]],
  ["emu3_text_model", [4096, 32, 32, 8, 184622, 9216]],
  ["aimv2_text_model", [768, 12, 6, 0, 49408, 77]],
  ["align_text_model chinese_clip_text_model flava_text_model", [768, 12, 12, 0, 30522, 512]],
  ["altclip_text_model", [1024, 24, 16, 0, 250002, 514]],
  ["blip_text_model", [768, 12, 8, 0, 30524, 512]],
  ["bridgetower_text_model clap_text_model", [768, 12, 12, 0, 50265, 514]],
  ["clip_text_model clipseg_text_model", [512, 12, 8, 0, 49408, 77]],
  ["metaclip_2_text_model xclip_text_model", [512, 12, 8, 0, 49408, 77]],
  ["groupvit_text_model", [256, 12, 4, 0, 49408, 77]],
  ["owlvit_text_model owlv2_text_model", [512, 12, 8, 0, 49408, 16]],
  ["siglip_text_model siglip2_text_model", [768, 12, 12, 0, 32000, 64]],
  ["siglip2_vision_model", [768, 12, 12]],
  ["qwen2_5_vl_vision", [3584, 32, 16]],
  ["pixtral", [1024, 24, 16, 0, 0, 0, 64, 1024, 16]],
  ["blip_vision_model", [768, 12, 12, 0, 0, 0, 0, 384, 16]],
  ["blip_2_vision_model instructblip_vision_model", [1408, 39, 16, 0, 0, 0, 0, 224, 14]],
  [
    `clip_vision_model altclip_vision_model chinese_clip_vision_model clipseg_vision_model
     metaclip_2_vision_model xclip_vision_model idefics2_vision`,
    [768, 12, 12, 0, 0, 0, 0, 224, 32],
  ],
  ["groupvit_vision_model", [384, 12, 6, 0, 0, 0, 0, 224, 16]],
  ["idefics3_vision smolvlm_vision", [1152, 12, 16, 0, 0, 0, 0, 224, 32]],
  ["owlvit_vision_model", [768, 12, 12, 0, 0, 0, 0, 768, 32]],
  ["owlv2_vision_model", [768, 12, 12, 0, 0, 0, 0, 768, 16]],
  ["siglip_vision_model git_vision_model vit", [768, 12, 12, 0, 0, 0, 0, 224, 16]],
];

/** @param {string} type @returns {Json} */
function sizesOf(type) {
  const [, values = []] = PARTS.find(([types]) => types.split(/\s+/).includes(type)) ?? [];
  const entries = values.map((value, i) => [SIZES[i], value]);
  return Object.fromEntries(entries.filter(([, value]) => value));
}

/** Schemes that say nothing of positions, which no key can contradict. */
const UNDESCRIBED = new Set(["unknown", "other"]);

/** @type {Family} */
const UNKNOWN = Object.freeze({ scheme: "unknown" });

/** The keys of a configuration, from its text or as they are. @param {unknown} config @returns {Json} */
export function parse(config) {
  let value = config;
  if (typeof config === "string") {
    try {
      value = parsed(config, MOST_VALUES);
    } catch (cause) {
      throw new TypeError(`config must be JSON; got ${/** @type {Error} */ (cause).message}`, {
        cause,
      });
    }
  }
  if (!check.isRecord(value)) {
    throw new TypeError(
      `config must be an object, as in config.json; got ${check.describe(value)}`,
    );
  }
  refuseDeep(value);
  return value;
}

/** Each level's objects once, whatever refers to what: an object of the caller's may hold itself. @param {object} value */
function refuseDeep(value) {
  /** @type {object[]} */
  let level = [value];
  for (let levels = 0; level.length > 0; ++levels) {
    if (levels > MOST_LEVELS)
      throw new RangeError(`config must have at most ${MOST_LEVELS} levels; got more`);
    level = [...new Set(level.flatMap((each) => Object.values(each)))].filter(check.isObject);
  }
}

/** The most parts within each other. */
const MOST_PARTS = 8;

/** What the part for text takes from the whole where it lacks them, as transformers' classes do: no sizes, no rotation. */
const SHARED = ["dtype", "torch_dtype", "quantization_config"];

/**
 * The part that describes a tower, and the other keys of what is around the text's.
 * @param {Json} outer @param {string} path @param {Tower} tower @param {number} [depth]
 * @returns {{inner: Json, path: string, rest: Json, first?: number}} `first`: the position of the text's first token
 */
function partOf(outer, path, tower, depth = 0) {
  const { keys, ends } = TOWERS[tower];
  const isText = tower === "text";
  const whole = FAMILIES.get(/** @type {string} */ (outer.model_type));
  // The encoder of two parts is named by what it reads.
  const reads = tower === "audio" ? "speech-encoder-decoder" : "vision-encoder-decoder";
  const own = isText ? whole?.part : outer.model_type === reads && "encoder";
  const key = [...(own ? [own] : []), ...keys].find(
    (key) =>
      Object.hasOwn(outer, key) &&
      check.isRecord(outer[key]) &&
      (key !== "model_config" || outer.context_window_size), // MLC LLM's
  );
  if (key === undefined) return { inner: outer, path, rest: {} };
  if (depth === MOST_PARTS) {
    throw new RangeError(
      `config must have at most ${MOST_PARTS} parts within each other; got more`,
    );
  }
  const part = /** @type {Json} */ (outer[key]);
  const isPresent = (/** @type {[string, unknown]} */ [name, value]) =>
    name === "model_type" ? Boolean(value) : value !== null || !SHARED.includes(name);
  const present = Object.fromEntries(Object.entries(part).filter(isPresent));
  const named =
    (isText && whole?.text) ||
    (tower === "vision" && whole?.vision) ||
    (isText ? outer.model_type : (present.model_type ?? outer.model_type));
  const full =
    typeof named === "string"
      ? ends.map((end) => named + end).find((name) => FAMILIES.has(name))
      : undefined;
  if (!isText) {
    // Nothing is known of a tower without a name, unless the family has one.
    const isTower = key !== "thinker_config" && key !== "vlm_config";
    const other = isTower && named === outer.model_type ? `${named}${ends[0]}` : named;
    const inner = { ...present, model_type: full ?? other };
    return partOf(inner, `${path}.${key}`, tower, depth + 1);
  }
  const shared = SHARED.filter((name) => Object.hasOwn(outer, name)).map((name) => [
    name,
    outer[name],
  ]);
  const inner = { ...Object.fromEntries(shared), model_type: full ?? named, ...present };
  const found = { first: whole?.first, ...partOf(inner, path, tower, depth + 1) };
  const isLeft = (/** @type {[string, unknown]} */ [name, value]) =>
    value !== null && ![key, "model_type", ...SHARED].includes(name) && !isSame(value, part[name]);
  const left = Object.entries(outer).filter(isLeft);
  return { ...found, rest: { ...Object.fromEntries(left), ...found.rest } };
}

/** @param {Reader} get @param {number | number[]} heads @param {string[]} warnings */
function readKeyValueHeads(get, heads, warnings) {
  const key = "num_key_value_heads";
  const shared = get.optionalBoolean("multi_query") === true;
  const [name] = get.find(key); // read, whichever counts
  if (shared && get.optionalBoolean("new_decoder_architecture") !== true) return 1;
  if (get.value(key) === undefined) return heads;
  const number = typeof heads === "number" ? get.size(key) : get.heads(key);
  const isDefault = name === `${get.path}.${key}` && get.peek(key) === undefined;
  if (typeof heads === "number" && heads % Number(number) !== 0) {
    const is = isDefault ? `not given: the family's default is ${number}` : `${number}`;
    warnings.push(`${name} is ${is}, of which ${heads} heads are no multiple`);
  }
  return number;
}

/** @param {Reader} get @param {number} dim @param {number | number[]} heads */
function readHeadDim(get, dim, heads) {
  const rotated = get.optionalSize("qk_rope_head_dim", 0);
  const rest = get.optionalSize("qk_nope_head_dim", 0);
  if (rotated && rest !== undefined) {
    return check.integer(rotated + rest, `${get.path}.qk_rope_head_dim + qk_nope_head_dim`);
  }
  return get.optionalSize("head_dim", 0) || shareOf(get, dim, heads);
}

/**
 * An equal part for each head.
 * @param {Reader} get @param {number} dim @param {number | number[]} heads @param {number} [times]  of the width
 */
function shareOf(get, dim, heads, times = 1) {
  const first = typeof heads === "number" ? heads : heads[0];
  if ((times * dim) % first !== 0) {
    throw new RangeError(
      `${get.find("hidden_size")[0]} must be a multiple of ${get.find("num_attention_heads")[0].slice(7)} (${first}) without head_dim; got ${dim}`,
    );
  }
  return (times * dim) / first;
}
