/**
 * Reads the config.json of a Hugging Face model, of any version of transformers, into the options of
 * phasor's functions. Errors in the file are thrown; doubtful values give warnings.
 */
import * as check from "../runtime/check.js";
import { readScaling, readType } from "./scaling.js";

/**
 * @typedef {Record<string, unknown>} Json
 */

/**
 * Scaling options of `rope.frequencies` and `rope.table`; the others depend on `type`.
 * @typedef {{type: string, [option: string]: unknown}} Scaling
 */

/**
 * How the layers of one kind rotate queries and keys.
 * @typedef {object} Rotary
 * @property {number} dim  rotated width
 * @property {"halves" | "interleaved"} layout  of `rope.apply`
 * @property {{base: number, scaling?: Scaling}} options  of `rope.frequencies` and `rope.table`
 * @property {{sections: number[], arrangement: "chunked" | "interleaved"}} [multimodal]  M-RoPE: of `mrope.table`
 */

/**
 * The description of a model: what its configuration says about tokens and positions.
 * @typedef {object} Model
 * @property {string} type  the configuration's `model_type`
 * @property {number} [vocabulary]  V
 * @property {number} dim  width of the token embedding
 * @property {number | number[]} heads  H; of each stage where they differ
 * @property {number | number[]} keyValueHeads  Hk, shared by groups of heads where fewer
 * @property {number} headDim  of a head
 * @property {number} layers  how many
 * @property {{scale: 1 | "sqrt", scaleDtype: "float32" | "bfloat16", segments: number, norm: number | null}} tokens
 *   the scale of word embeddings, the dtype that the scale is rounded to, the rows of the table of token
 *   types, and epsilon of the embedding LayerNorm or null. `inputEmbeddings` computes these steps
 * @property {Positions} positions  how the model encodes positions
 * @property {string[]} warnings  doubtful values of the configuration, a sentence each
 */

/**
 * How a model encodes positions.
 * @typedef {object} Positions
 * @property {"learnedPositions" | "sinusoidal" | "rope" | "alibi" | "t5Bias" | "sincosGrid" | "windowBias"} scheme
 *   the module that computes the encoding
 * @property {number} [length]  positions that the model was made for
 * @property {number} [rows]  of a learned table
 * @property {string} [preset]  the module's preset
 * @property {Json} [options]  of the module's function
 * @property {Record<string, Rotary | null>} [rotary]  by kind of layer; null for layers without rotation
 * @property {string[]} [layerKinds]  the kind of each layer, where there are several
 */

/** Other names of a key. @type {Readonly<Record<string, string[]>>} */
const ALIASES = Object.freeze({
  hidden_size: ["n_embd", "d_model", "n_embed", "embed_dim"],
  num_attention_heads: ["n_head", "n_heads", "num_heads", "encoder_attention_heads"],
  num_hidden_layers: ["n_layer", "n_layers", "num_layers", "encoder_layers", "depths"],
  max_position_embeddings: ["n_positions", "max_seq_len", "seq_length", "n_ctx"],
  num_key_value_heads: ["num_kv_heads"],
  rope_theta: ["rotary_emb_base"],
  partial_rotary_factor: ["rotary_pct"],
});

/** Defaults of transformers. @type {Readonly<Record<string, Json>>} */
const DEFAULTS = Object.freeze({
  bert: { type_vocab_size: 2, layer_norm_eps: 1e-12 },
  falcon: { max_position_embeddings: 2048 },
  gemma3_text: { rope_theta: 1e6, rope_local_base_freq: 1e4, sliding_window_pattern: 6 },
  gpt2: { n_positions: 1024 },
  gpt_neox: { rotary_pct: 0.25 },
  llama: { max_position_embeddings: 2048 },
  mpt: { max_seq_len: 2048 },
  smollm3: { no_rope_layer_interval: 4 },
  t5: { relative_attention_num_buckets: 32, relative_attention_max_distance: 128 },
});

/** Families that rotate the pairs (2i, 2i + 1). */
const INTERLEAVED = new Set(
  "gptj codegen llama4_text cohere cohere2 glm glm4 deepseek_v2 deepseek_v3".split(" "),
);

/** Families that rotate the pairs (i, i + R/2). */
const HALVES = new Set(
  `llama mistral mixtral qwen2 qwen2_moe qwen3 qwen3_moe qwen2_vl qwen2_vl_text qwen2_5_vl
   qwen2_5_vl_text qwen3_vl_text gemma gemma2 gemma3_text gemma4_text phi phi3 gpt_neox gpt_oss falcon
   stablelm smollm3 olmo olmo2 starcoder2`.split(/\s+/),
);

/**
 * Describes a model by its configuration.
 * @param {unknown} config  the text of config.json, or what JSON.parse makes of it
 * @returns {Model}
 * @throws {TypeError | RangeError} naming the key
 */
export function describe(config) {
  const outer = parse(config);
  const inner = isRecord(outer.text_config) ? { ...outer, ...outer.text_config } : outer;
  const type = String(inner.model_type ?? "");
  const get = reader(inner, DEFAULTS[type] ?? {});
  /** @type {string[]} */
  const warnings = [];
  const dim = get.size("hidden_size");
  const heads = get.heads("num_attention_heads");
  const keyValueHeads =
    inner.multi_query === true && inner.new_decoder_architecture !== true
      ? 1
      : (get.optionalSize("num_key_value_heads") ?? heads);
  const headDim = readHeadDim(get, inner, dim, heads);
  const layers = get.layers("num_hidden_layers");
  return {
    type,
    vocabulary: get.optionalSize("vocab_size"),
    dim,
    heads,
    keyValueHeads,
    headDim,
    layers,
    tokens: readTokens(type, get),
    positions: readPositions(type, get, inner, { headDim, layers, warnings }),
    warnings,
  };
}

/** @param {unknown} config @returns {Json} */
function parse(config) {
  let value = config;
  if (typeof config === "string") {
    try {
      value = JSON.parse(config);
    } catch (cause) {
      throw new TypeError(`config must be JSON; got ${/** @type {Error} */ (cause).message}`, {
        cause,
      });
    }
  }
  if (!isRecord(value)) {
    throw new TypeError(
      `config must be an object, as in config.json; got ${check.describe(value)}`,
    );
  }
  return value;
}

/** @param {unknown} value @returns {value is Json} */
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {Json} config @param {Json} defaults */
function reader(config, defaults) {
  /** @param {string} key @returns {[name: string, value: unknown]} the name that this file uses */
  const find = (key) => {
    const names = [key, ...(ALIASES[key] ?? [])];
    for (const from of [config, defaults]) {
      const name = names.find((name) => from[name] !== undefined && from[name] !== null);
      if (name !== undefined) return [`config.${name}`, from[name]];
    }
    return [`config.${key}`, undefined];
  };
  const size = (/** @type {string} */ key) => {
    const [name, value] = find(key);
    return check.integer(value, name);
  };
  return {
    find,
    size,
    /** @param {string} key */
    optionalSize: (key) => (find(key)[1] === undefined ? undefined : size(key)),
    /** One number, or one for each stage. @param {string} key @returns {number | number[]} */
    heads: (key) => {
      const [name, value] = find(key);
      return Array.isArray(value)
        ? value.map((one, stage) => check.integer(one, `${name}[${stage}]`))
        : check.integer(value, name);
    },
    /** @param {string} key */
    layers: (key) => {
      const [name, value] = find(key);
      const stages = Array.isArray(value) ? value : [value];
      return stages.reduce((/** @type {number} */ sum, one) => sum + check.integer(one, name), 0);
    },
    /** @param {string} key @param {number} [byDefault] */
    positive: (key, byDefault) => {
      const [name, value = byDefault] = find(key);
      return check.finite(value, name, "a number > 0", (number) => number > 0);
    },
  };
}

/** @typedef {ReturnType<typeof reader>} Reader */

/** @param {Reader} get @param {Json} config @param {number} dim @param {number | number[]} heads */
function readHeadDim(get, config, dim, heads) {
  const given = config.qk_rope_head_dim ? undefined : (config.head_dim ?? config.d_kv);
  if (given !== undefined && given !== null) {
    return check.integer(given, config.head_dim === undefined ? "config.d_kv" : "config.head_dim");
  }
  if (config.qk_rope_head_dim) {
    return (
      check.integer(config.qk_rope_head_dim, "config.qk_rope_head_dim") +
      check.integer(config.qk_nope_head_dim ?? 0, "config.qk_nope_head_dim", 0)
    );
  }
  const first = typeof heads === "number" ? heads : heads[0];
  if (dim % first !== 0) {
    throw new RangeError(
      `config.hidden_size must be a multiple of ${get.find("num_attention_heads")[0].slice(7)} (${first}) without head_dim; got ${dim}`,
    );
  }
  return dim / first;
}

/** @param {string} type @param {Reader} get @returns {Model["tokens"]} */
function readTokens(type, get) {
  const isGemma = type.startsWith("gemma");
  const normalized = ["bert", "roberta", "bloom"].includes(type);
  const eps = type === "bloom" ? "layer_norm_epsilon" : "layer_norm_eps";
  return {
    scale: isGemma || type === "transformer" ? "sqrt" : 1,
    scaleDtype: isGemma ? "bfloat16" : "float32",
    segments: ["bert", "roberta"].includes(type) ? get.size("type_vocab_size") : 0,
    norm: normalized ? get.positive(eps, 1e-5) : null,
  };
}

/**
 * @typedef {{headDim: number, layers: number, warnings: string[]}} Known
 * @param {string} type @param {Reader} get @param {Json} config @param {Known} known
 * @returns {Positions}
 */
function readPositions(type, get, config, known) {
  const length = get.optionalSize("max_position_embeddings");
  const alibi = isRecord(config.attn_config) ? config.attn_config : {};
  switch (type) {
    case "gpt2":
    case "bert":
    case "roberta":
      return {
        scheme: "learnedPositions",
        preset: type,
        rows: get.size("max_position_embeddings"),
        length: get.size("max_position_embeddings") - (type === "roberta" ? 2 : 0),
      };
    case "opt":
      return {
        scheme: "learnedPositions",
        preset: "opt",
        rows: get.size("max_position_embeddings") + 2,
        length,
      };
    case "vit": {
      const cells = patches(get);
      return {
        scheme: "learnedPositions",
        preset: "vit",
        rows: cells * cells + 1,
        length: cells * cells + 1,
      };
    }
    case "vit_mae": {
      const cells = patches(get);
      return {
        scheme: "sincosGrid",
        preset: "mae",
        length: cells * cells + 1,
        options: { grid: [cells, cells] },
      };
    }
    case "swin": {
      const window = get.size("window_size");
      return {
        scheme: "windowBias",
        length: window * window,
        options: { window: [window, window] },
      };
    }
    case "transformer":
      return { scheme: "sinusoidal", preset: "vaswani", length };
    case "whisper":
      return { scheme: "sinusoidal", preset: "whisper", length: get.size("max_source_positions") };
    case "t5":
      return {
        scheme: "t5Bias",
        options: {
          buckets: get.size("relative_attention_num_buckets"),
          maxDistance: get.size("relative_attention_max_distance"),
        },
      };
    case "bloom":
      return { scheme: "alibi", length, options: { biasMax: 8 } };
    case "mpt":
      if (alibi.alibi === true) {
        const biasMax = check.finite(
          alibi.alibi_bias_max ?? 8,
          "config.attn_config.alibi_bias_max",
          "a number > 0",
          (x) => x > 0,
        );
        return { scheme: "alibi", length, options: { biasMax } };
      }
      return { scheme: "learnedPositions", rows: get.size("max_position_embeddings"), length };
    default:
      if (config.alibi === true) return { scheme: "alibi", length, options: { biasMax: 8 } };
      return readRope(type, get, config, known);
  }
}

/** Cells of a side of the image. @param {Reader} get */
function patches(get) {
  const image = get.size("image_size");
  const patch = get.size("patch_size");
  if (image % patch !== 0) {
    throw new RangeError(
      `config.image_size must be a multiple of patch_size (${patch}); got ${image}`,
    );
  }
  return image / patch;
}

/**
 * @param {string} type @param {Reader} get @param {Json} config @param {Known} known
 * @returns {Positions}
 */
function readRope(type, get, config, known) {
  const { layers, warnings } = known;
  const length = get.optionalSize("max_position_embeddings");
  if (!INTERLEAVED.has(type) && !HALVES.has(type)) {
    warnings.push(
      `config.model_type ${JSON.stringify(type)} is unknown: its rotary layout is assumed to be "halves"`,
    );
  }
  const old = readEntry(config.rope_scaling, "config.rope_scaling");
  const now = readEntry(config.rope_parameters, "config.rope_parameters");
  if (now && old && JSON.stringify(now) !== JSON.stringify(old)) {
    warnings.push("config.rope_parameters and config.rope_scaling differ: the first is used");
  }
  const layerKinds = readLayerKinds(type, get, config, layers);
  /** @type {Record<string, Rotary | null>} */
  const rotary = {};
  const byKind =
    now &&
    Object.values(now).length > 0 &&
    Object.values(now).every((entry) => entry === null || isRecord(entry));
  if (byKind) {
    for (const [kind, entry] of Object.entries(now)) {
      const where = `config.rope_parameters.${kind}`;
      rotary[kind] =
        entry === null
          ? null
          : readRotary(type, get, config, /** @type {Json} */ (entry), where, known);
    }
  } else {
    const where = now ? "config.rope_parameters" : "config.rope_scaling";
    const all = readRotary(type, get, config, now ?? old ?? {}, where, known);
    rotary.full_attention = all;
    const local = get.find("rope_local_base_freq")[1];
    if (local !== undefined && !now) {
      const base = get.positive("rope_local_base_freq");
      rotary.sliding_attention = { ...all, options: { base } };
    }
  }
  if (layerKinds?.includes("no_rope")) rotary.no_rope = null;
  for (const kind of layerKinds ?? [])
    if (!(kind in rotary)) rotary[kind] = rotary.full_attention ?? null;
  return { scheme: "rope", length, rotary, ...(layerKinds && { layerKinds }) };
}

/** @param {unknown} value @param {string} name @returns {Json | undefined} */
function readEntry(value, name) {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value))
    throw new TypeError(`${name} must be an object or null; got ${check.describe(value)}`);
  return value;
}

/**
 * The kind of each layer, from NoPE masks (1 means that RoPE is used) or layer types.
 * @param {string} type @param {Reader} get @param {Json} config @param {number} layers
 * @returns {string[] | undefined}
 */
function readLayerKinds(type, get, config, layers) {
  const each = (/** @type {(layer: number) => string} */ kind) =>
    Array.from({ length: layers }, (_, layer) => kind(layer));
  const mask = config.no_rope_layers;
  const every = get.find("no_rope_layer_interval")[1];
  if (Array.isArray(mask) && mask.length > 0) {
    if (mask.length !== layers || mask.some((uses) => uses !== 0 && uses !== 1)) {
      throw new RangeError(
        `config.no_rope_layers must hold a 0 or 1 for each of ${layers} layers; got ${check.describe(mask)}`,
      );
    }
    return each((layer) => (mask[layer] === 1 ? "full_attention" : "no_rope"));
  }
  if (every !== undefined && (type === "smollm3" || type === "llama4_text")) {
    const interval = get.size("no_rope_layer_interval");
    return each((layer) => ((layer + 1) % interval !== 0 ? "full_attention" : "no_rope"));
  }
  if (Array.isArray(config.layer_types)) {
    if (config.layer_types.length !== layers) {
      throw new RangeError(
        `config.layer_types must name each of ${layers} layers; got ${config.layer_types.length}`,
      );
    }
    return config.layer_types.map(String);
  }
  if (type !== "gemma3_text") return undefined;
  const pattern = get.size("sliding_window_pattern");
  return each((layer) => ((layer + 1) % pattern === 0 ? "full_attention" : "sliding_attention"));
}

/**
 * @param {string} type @param {Reader} get @param {Json} config @param {Json} entry
 * @param {string} where @param {Known} known
 * @returns {Rotary}
 */
function readRotary(type, get, config, entry, where, known) {
  const base =
    entry.rope_theta === undefined || entry.rope_theta === null
      ? get.positive("rope_theta", 10000)
      : check.finite(entry.rope_theta, `${where}.rope_theta`, "a number >= 1", (x) => x >= 1);
  const kind = readType(entry, where);
  const headDim = config.qk_rope_head_dim ? get.size("qk_rope_head_dim") : known.headDim;
  const partial = check.finite(
    entry.partial_rotary_factor ?? get.find("partial_rotary_factor")[1] ?? 1,
    "config.partial_rotary_factor",
    "a number above 0, at most 1",
    (x) => x > 0 && x <= 1,
  );
  const dim = kind === "proportional" ? headDim : readDim(type, get, config, headDim, partial);
  if (dim % 2 !== 0) throw new RangeError(`the rotated width must be even; got ${dim}`);
  const { warnings } = known;
  const scaling = readScaling(kind, { entry, where, config, dim, partial, get, warnings });
  const interleaved =
    typeof config.rope_interleave === "boolean" ? config.rope_interleave : INTERLEAVED.has(type);
  /** @type {Rotary} */
  const rotary = {
    dim,
    layout: interleaved ? "interleaved" : "halves",
    options: scaling ? { base, scaling } : { base },
  };
  const sections = entry.mrope_section ?? config.mrope_section;
  if (sections !== undefined) rotary.multimodal = readSections(sections, entry, where, dim);
  return rotary;
}

/** @param {string} type @param {Reader} get @param {Json} config @param {number} headDim @param {number} partial */
function readDim(type, get, config, headDim, partial) {
  if (type !== "gptj" && type !== "codegen") return Math.floor(headDim * partial);
  if (config.rotary_dim === undefined || config.rotary_dim === null) {
    throw new RangeError(
      `config.rotary_dim must be given: without it transformers rotates all of n_embd, which is wider than a head; got ${check.describe(config.rotary_dim)}`,
    );
  }
  return check.integer(config.rotary_dim, "config.rotary_dim", 2, headDim);
}

/** @param {unknown} sections @param {Json} entry @param {string} where @param {number} dim @returns {Rotary["multimodal"]} */
function readSections(sections, entry, where, dim) {
  if (!Array.isArray(sections)) {
    throw new TypeError(
      `${where}.mrope_section must be three numbers; got ${check.describe(sections)}`,
    );
  }
  const sizes = sections.map((size, axis) =>
    check.integer(size, `${where}.mrope_section[${axis}]`, 0),
  );
  if (sizes.length !== 3 || sizes.reduce((sum, size) => sum + size, 0) !== dim / 2) {
    throw new RangeError(
      `${where}.mrope_section must be three numbers with the sum ${dim / 2}; got [${sizes.join(", ")}]`,
    );
  }
  return {
    sections: sizes,
    arrangement: entry.mrope_interleaved === true ? "interleaved" : "chunked",
  };
}
