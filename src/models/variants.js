/**
 * One model_type, other positions: what keys of a configuration make of its family. Where transformers and the authors'
 * own code differ, the description follows the authors, whose weights the file describes, and a note names both.
 */
import * as check from "../runtime/check.js";
import { MOST_LAYERS } from "./keys.js";
import { isSame } from "./rotary.js";
import { names } from "./suspects.js";

/** @import { Json } from "./keys.js" */
/** @import { Family } from "./families.js" */

/**
 * What the keys make of the family.
 * @typedef {object} Variant
 * @property {Partial<Family>} [family]  what is different
 * @property {Json} [keys]  that the configuration has instead
 * @property {string[]} [read]  keys that said so
 * @property {string[]} [notes]  warnings
 * @property {string} [unknown]  why nothing is said of positions
 * @property {string} [other]  what the model has, which is not computed here
 *
 * @typedef {(key: string) => any} Peek  a value, undefined for null
 * @typedef {{type: string, family: Family, config: Json}} From
 */

/** Whether a value is a list that layers may have. @param {unknown} value @returns {value is any[]} */
const isLayered = (value) => check.isList(value) && value.length <= MOST_LAYERS;

/** @param {string} key @param {unknown} value @param {string} type */
const notKnown = (key, value, type) =>
  `config.${key} is ${check.describe(value)}, and what the code of such a model of the family ${type} does is not known.`;

/** @param {Peek} get @param {From} from @returns {Variant | undefined} */
function embeddingType(get, { type, family }) {
  const key = "position_embedding_type";
  const [value, read] = [get(key), [key]];
  if (family.scheme !== "learnedPositions") return undefined;
  // GPT-J's first files say gpt_neo.
  if (get("rotary") === true) return { read: ["rotary"], unknown: notKnown("rotary", true, type) };
  if (value === undefined) return undefined;
  if (names(value, family.scheme)) return { read };
  if (family.prefix !== undefined) return { read, unknown: notKnown(key, value, type) };
  if (value === "relative_key" || value === "relative_key_query") {
    const by = value === "relative_key" ? "queries" : "queries and keys";
    return {
      read,
      other: `products of ${by} with learned vectors of distances (${key}: ${value}), as transformers 4 computes them; transformers 5 adds a table of positions`,
    };
  }
  // jina-embeddings-v2, and the encoder of jina-embeddings-v3
  if (value === "alibi" && ["bert", "xlm-roberta"].includes(type)) {
    return { read, family: { scheme: "alibi" } };
  }
  if (value === "rotary" && type === "xlm-roberta" && get("rotary_emb_scale_base") === undefined) {
    const layout = get("rotary_emb_interleaved") === true ? { layout: INTERLEAVED } : {};
    const further = ["rotary_emb_interleaved", ...(get("rotary_emb_dim") ? ["head_dim"] : [])];
    return {
      read: [...read, ...further],
      family: {
        ...layout,
        scheme: "rope",
        names: { rope_theta: "rotary_emb_base" },
        rotated: "rotary_emb_dim",
        partial: 1,
      },
    };
  }
  return { read, unknown: notKnown(key, value, type) };
}

const INTERLEAVED = /** @type {const} */ ("interleaved");

/**
 * MosaicBERT and DNABERT-2, which say `absolute` and have no table of positions, and BLIP's, which have no token types.
 * @param {Peek} get @returns {Variant | undefined}
 */
function bert(get) {
  const [alibi, types] = ["alibi_starting_size", "add_type_embeddings"];
  if (get(alibi) !== undefined) {
    return { read: [alibi, "position_embedding_type"], family: { scheme: "alibi" } };
  }
  const stated = get("position_embedding_type") ?? "absolute";
  if (get(types) !== false || !names(stated, "learnedPositions")) return undefined;
  const note = `config.${types} is false: there are no token types in the authors' code, which this description follows; transformers does not read it`;
  return {
    read: [types, "position_embedding_type"],
    family: { tokens: { normEpsKey: "layer_norm_eps", normEps: 1e-12 } },
    notes: [note],
  };
}

/** Families with latent attention: the rotated and the other columns of a head, where the file says none. */
const LATENT = new Map(
  [
    "64 128 axk1 bailing_hybrid deepseek_v2 deepseek_v3 deepseek_v32 dots3_note_text kimi_k2 longcat_flash sarvam_mla youtu",
    "64 192 glm4_moe_lite glm_moe_dsa hy_v4 hy_v4_vl_text",
    "64 64 mistral4",
    "32 64 axk2 minicpm3",
  ].flatMap((line) => {
    const [rotated, rest, ...types] = line.split(" ");
    const widths = { qk_rope_head_dim: Number(rotated), qk_nope_head_dim: Number(rest) };
    return types.map((type) => [type, widths]);
  }),
);

/** The widths of a family's latent attention. @param {string} type */
export const latentWidths = (type) => LATENT.get(type);

/**
 * Attention of DeepSeek V2 without latents, as DeepSeek-VL2 and DeepSeek-OCR have it, is LLaMA's.
 * @param {Peek} get @param {From} from @returns {Variant | undefined}
 */
function latents(get, { type }) {
  if (!LATENT.has(type)) return undefined;
  const read = ["use_mla", "qk_rope_head_dim", "qk_nope_head_dim"];
  const [use, rotated, rest] = read.map(get);
  if (use !== false && rotated !== 0) return { read: ["use_mla"] };
  if (type === "deepseek_v2" && (use === false || rest === 0)) {
    return {
      read,
      keys: { qk_rope_head_dim: 0, qk_nope_head_dim: 0 },
      family: { layout: undefined },
    };
  }
  const key = use === false ? "use_mla" : "qk_rope_head_dim";
  return { read, unknown: notKnown(key, get(key), type) };
}

/** Keys of Ling 2.5 and 2.6, whose linear attention rotates, and of Ling 3.0, whose linear attention does not. */
const LING_2 = [
  "group_norm_size",
  "linear_silu",
  "linear_rope",
  "use_linear_silu",
  "rope_interleave",
];
const LING_3 = [
  ..."kda_safe_gate kda_lower_bound short_conv_kernel_size linear_conv_kernel_dim layer_types".split(
    " ",
  ),
];

/** @param {Peek} get @returns {Variant | undefined} */
function ling(get) {
  const has = (/** @type {string} */ key) => get(key) !== undefined;
  const older = [...LING_2, "partial_rotary_factor"].find(has);
  const classes = isLayered(get("architectures")) ? get("architectures") : [];
  const isOlder = older !== undefined || classes.includes("BailingMoeV2_5ForCausalLM");
  if (!isOlder && (!has("layer_group_size") || LING_3.some(has))) return undefined;
  const why = older ? `config.${older} is given` : "no key of Ling 3.0 is given";
  return {
    unknown: `${why}: Ling 2.5 and 2.6 have this model_type, too, and their layers of linear attention rotate in a way that is not known here.`,
  };
}

/** The base of DBRX, which the authors' code reads from attn_config. @param {Peek} get @returns {Variant | undefined} */
function dbrx(get) {
  const { rope_theta, kv_n_heads } = recordOf(get("attn_config"));
  const entry = recordOf(get("rope_scaling") ?? get("rope_parameters"));
  const read = ["attn_config"];
  const keys = { ...(kv_n_heads !== undefined && { num_key_value_heads: kv_n_heads }) };
  if (typeof rope_theta !== "number") return { read, keys };
  const stated = entry.rope_theta ?? get("rope_theta");
  if (stated !== undefined && stated !== rope_theta) {
    const what = `config.attn_config.rope_theta is ${rope_theta}, which the authors' code reads, and transformers reads ${check.describe(stated)} elsewhere`;
    return { read, keys, unknown: `${what}: which of them the weights have is not known.` };
  }
  const note = `config.attn_config.rope_theta is the base ${rope_theta} of the authors' code, which this description follows; transformers does not read it and computes with 10000`;
  const notes = stated === undefined && rope_theta !== 10000 ? [note] : [];
  return { read, keys: { ...keys, rope_theta }, notes };
}

/** MPT by LLM Foundry's rule: transformers adds ALiBi whatever the keys say. @param {Peek} get @returns {Variant} */
function mpt(get) {
  const given = recordOf(get("attn_config"));
  const { alibi, rope, alibi_bias_max: most = 8, kv_n_heads, rope_theta = 10000 } = given;
  const read = ["attn_config", "learned_pos_emb"];
  const kv = given.attn_type === "multiquery_attention" ? 1 : kv_n_heads;
  const keys = { ...(kv !== undefined && { num_key_value_heads: kv }) };
  const theirs = "LLM Foundry's rule is followed; transformers computes ALiBi with";
  const notes = [`config.attn_config: ${theirs} the largest exponent 8, whatever this says`];
  if (alibi === true && rope !== true) {
    return { read, keys, notes: most === 8 ? [] : notes };
  }
  if (rope === true && alibi !== true) {
    const { type = "original" } = recordOf(given.rope_dail_config);
    const { type: scaled = "no_scaling" } = recordOf(given.rope_hf_config);
    const isPlain = given.rope_impl === "hf" ? scaled === "no_scaling" : type === "original";
    if (isPlain) return { read, keys: { ...keys, rope_theta }, notes, family: { scheme: "rope" } };
    return {
      read,
      keys,
      unknown: notKnown("attn_config", { type, scaled }, "mpt, which scales its rotation,"),
    };
  }
  if (alibi === false && given.nope !== true) {
    const scheme = get("learned_pos_emb") === false ? "none" : "learnedPositions";
    return { read, keys, notes, family: { scheme, preset: "gpt2" } };
  }
  return {
    read,
    keys,
    unknown:
      "config.attn_config must say whether the model has ALiBi or RoPE: LLM Foundry's default is a table of positions, transformers' is ALiBi.",
  };
}

/** @param {Peek} get @param {From} from @returns {Variant | undefined} */
function nomic(get, { type }) {
  const [factor, scale] = [get("rotary_scaling_factor"), get("rotary_emb_scale_base")];
  const read = ["rotary_scaling_factor", "max_trained_positions", "rotary_emb_interleaved"];
  if (scale !== undefined) return { unknown: notKnown("rotary_emb_scale_base", scale, type) };
  /** @type {Partial<Family>} */
  const family = get("rotary_emb_interleaved") === true ? { layout: INTERLEAVED } : {};
  if (get("rotary_emb_fraction") !== undefined) family.partial = 1;
  if (!factor) return { read, family };
  if (!(typeof factor === "number" && factor >= 1 && factor < Infinity)) {
    return { read, unknown: notKnown("rotary_scaling_factor", factor, type) };
  }
  if (get("rope_parameters") ?? get("rope_scaling")) {
    const what = "config.rotary_scaling_factor, which the authors' code reads,";
    return { read, unknown: `${what} stands beside another scaling, which transformers reads.` };
  }
  const note = `config.rotary_scaling_factor is the dynamic scaling of the authors' code, which this description follows; transformers does not read it`;
  const keys = { rope_scaling: { type: "dynamic", factor } };
  return { read, keys, family: { ...family, longest: "max_trained_positions" }, notes: [note] };
}

/**
 * Step 3.5 and 3.7 have keys that the authors' code (vllm's step3p5.py, read) reads and transformers does not.
 * @param {Peek} get @returns {Variant | undefined}
 */
function step(get) {
  const [rotates, scaled, other, groups] =
    "use_rope_layers yarn_only_types attention_other_setting num_attention_groups"
      .split(" ")
      .map(get);
  const isFull = scaled === undefined || isSame(scaled, ["full_attention"]);
  const isSole = isFull || ropeOf(get).type === "default";
  if (isLayered(rotates) && !rotates.every(Boolean)) {
    return {
      unknown: notKnown("use_rope_layers", rotates, "step3p5, which transformers rotates,"),
    };
  }
  if (!isSole) return { unknown: notKnown("yarn_only_types", scaled, "step3p5") };
  const found = stepLayers(get) ?? {};
  const width = recordOf(other).head_dim ?? get("head_dim");
  return {
    ...found,
    read: [
      ...(found.read ?? []),
      "use_rope_layers",
      "yarn_only_types",
      "num_attention_groups",
      ...(width === get("head_dim") ? ["attention_other_setting"] : []),
    ],
    keys: {
      ...(groups !== undefined && { num_key_value_heads: get("num_key_value_heads") ?? groups }),
      ...found.keys,
    },
  };
}

/**
 * Lists by layer, which transformers turns into an entry for each kind of layer.
 * @param {Peek} get @returns {Variant | undefined}
 */
function stepLayers(get) {
  const keys = ["rope_theta", "partial_rotary_factors", "layer_types"];
  const [bases, parts, given] = keys.map(get);
  const layers = get("num_hidden_layers");
  if (!Number.isInteger(layers) || layers < 1 || layers > MOST_LAYERS) return undefined;
  const kinds = check.isList(given) ? given.slice(0, layers) : Array(layers).fill("full_attention");
  if (!Array.from(kinds).every((kind) => typeof kind === "string")) return undefined;
  const own = check.isList(given) ? { layer_types: kinds } : {};
  const entries = new Map(Object.entries(recordOf(get("rope_parameters"))));
  if (kinds.every((kind) => check.isRecord(entries.get(kind)))) return { keys: own };
  const short = [bases, parts].findIndex(
    (list) => check.isList(list) && list.length < kinds.length,
  );
  if (short >= 0) {
    return {
      unknown: `config.${keys[short]} does not have a number for each of ${layers} layers.`,
    };
  }
  const scaling = recordOf(get("rope_scaling"));
  /** @type {Map<unknown, Json>} */
  const by = new Map();
  for (const [layer, kind] of kinds.entries()) {
    const at = (/** @type {unknown} */ list) => (check.isList(list) ? list[layer] : list);
    const entry = {
      rope_type: "default",
      rope_theta: at(bases) ?? 10000,
      ...(check.isList(parts) && { partial_rotary_factor: at(parts) }),
      ...(kind === "full_attention" && scaling),
    };
    if (by.has(kind) && !isSame(by.get(kind), entry)) {
      return {
        unknown: `config.rope_theta or partial_rotary_factors differ among layers of the kind ${kind}; transformers reads those of its first layer.`,
      };
    }
    by.set(kind, entry);
  }
  return {
    read: [...keys, "rope_scaling", "rope_parameters"],
    keys: {
      ...Object.fromEntries(keys.map((key) => [key, undefined])),
      ...own,
      rope_scaling: undefined,
      rope_parameters: Object.fromEntries(by),
    },
  };
}

/** MiMo V2 Flash's published keys: 0 for layers of full attention, 1 for sliding ones. @param {Peek} get @param {From} from */
function mimo(get, { type }) {
  const key = "hybrid_layer_pattern";
  const [pattern, base, part] = [key, "rope_theta", "partial_rotary_factor"].map(get);
  if (pattern === undefined || get("rope_parameters") !== undefined) return undefined;
  const local = get("swa_rope_theta");
  const isWide = (get("swa_head_dim") ?? get("head_dim")) !== get("head_dim");
  const isList = isLayered(pattern) && pattern.every((one) => one === 0 || one === 1);
  if (!isList || isWide || base === undefined || local === undefined) {
    return {
      unknown: notKnown(key, pattern, `${type} without rope_theta, swa_rope_theta or one head_dim`),
    };
  }
  const entry = {
    rope_type: "default",
    ...(part !== undefined && { partial_rotary_factor: part }),
  };
  return {
    read: [
      key,
      "swa_rope_theta",
      "swa_head_dim",
      "swa_num_attention_heads",
      "swa_num_key_value_heads",
      "swa_v_head_dim",
    ],
    keys: {
      layer_types: pattern.map((one) => (one === 1 ? "sliding_attention" : "full_attention")),
      rope_parameters: {
        full_attention: { ...entry, rope_theta: base },
        sliding_attention: { ...entry, rope_theta: local },
      },
    },
  };
}

/** The layers of Cohere 2's mixture: dense ones rotate although they see everything. @param {Peek} get @param {From} from */
function cohere(get, { config }) {
  const [layers, first, prefix, every] = [
    get("num_hidden_layers"),
    get("first_k_dense_replace") ?? 0,
    get("prefix_dense_sliding_window_pattern") ?? 1,
    get("sliding_window_pattern") ?? 4,
  ];
  const read = ["first_k_dense_replace", "prefix_dense_sliding_window_pattern", "mlp_layer_types"];
  if (![layers, first, prefix, every].every(Number.isInteger) || layers > MOST_LAYERS)
    return { read };
  const kindOf = (/** @type {number} */ i) =>
    (i < first ? (i + 1) % prefix : (i - first + 1) % every) === 0
      ? "full_attention"
      : "sliding_attention";
  const kinds = get("layer_types") ?? Array.from({ length: layers }, (_, i) => kindOf(i));
  const stated = get("mlp_layer_types");
  if (!isLayered(kinds) || !(stated === undefined || isLayered(stated))) return { read };
  const isDense = (/** @type {number} */ i) => (stated ? stated[i] === "dense" : i < first);
  const isStill = config.sliding_window === null;
  return {
    read,
    keys: {
      layer_types: kinds.map((kind, i) => {
        if (kind !== "full_attention") return isStill ? "no_rope" : kind;
        return prefix === 1 && isDense(i) ? "dense_full_attention" : kind;
      }),
    },
  };
}

/** EXAONE 3, whose authors and transformers disagree about the base of a file that has none. @param {Peek} get */
function exaone(get) {
  const entry = recordOf(get("rope_scaling") ?? get("rope_parameters"));
  if ((entry.rope_theta ?? get("rope_theta")) !== undefined) return undefined;
  return {
    unknown:
      "config.rope_theta is missing: the authors' code then has the base 10000, transformers 500000.",
  };
}

/** The name of YaRN in Sarvam's published file. @param {Peek} get @returns {Variant | undefined} */
function sarvam(get) {
  const { type, ...entry } = recordOf(get("rope_scaling"));
  if (![type, entry.rope_type].includes("deepseek_yarn")) return undefined;
  return { keys: { rope_scaling: { ...entry, rope_type: "yarn" }, rope_parameters: undefined } };
}

/** Dory's files count attention and feed-forward parts as separate layers. @param {Peek} get @returns {Variant} */
function dory(get) {
  const [count, listed] = ["num_hidden_layers", "layer_types"].map(get);
  for (const key of ["rope_theta", "rope_scaling"]) {
    if (get(key) !== undefined) return { unknown: notKnown(key, get(key), "dory") };
  }
  const isApart = isLayered(listed) && listed.includes("mlp");
  const stated = typeof count === "number" ? count : NaN; // a list of stages, of any length, is refused later
  const layers = isApart ? Math.floor(stated / 2) : stated;
  const [sliding, full] = ["sliding_attention", "full_attention"];
  const usual = Array.from({ length: Math.min(layers || 0, MOST_LAYERS) }, (_, layer) =>
    layer % 4 === 3 ? full : sliding,
  );
  return {
    keys: {
      ...(isApart && { num_hidden_layers: layers }),
      layer_types: isApart ? listed.filter((_, i) => i % 2 === 0) : (listed ?? usual),
      rope_parameters: get("rope_parameters") ?? {
        [sliding]: { rope_type: "default", rope_theta: 1e4 },
        [full]: { rope_type: "default", rope_theta: 1e7 },
      },
    },
  };
}

/** The layers of Molmo 2 whose frequencies are scaled. @param {Peek} get @returns {Variant | undefined} */
function molmo(get) {
  const [key, layers] = ["rope_scaling_layers", get("num_hidden_layers")];
  const scaled = get(key);
  if (scaled === undefined || !Number.isInteger(layers) || layers > MOST_LAYERS) return undefined;
  if (!isLayered(scaled)) return { read: [key], unknown: notKnown(key, scaled, "molmo2_text") };
  const found = new Set(scaled);
  const kinds = Array.from({ length: layers }, (_, i) =>
    found.has(i) ? "full_attention" : "unscaled_attention",
  );
  const isAll = kinds.every((kind) => kind === "full_attention");
  return {
    read: [key],
    keys: isAll ? {} : { layer_types: kinds },
    family: { scaled: ["full_attention"] },
  };
}

/** The rotated part of a head of DeepSeek V4: older files have its width. @param {Peek} get @returns {Variant | undefined} */
function deepseek(get) {
  const [width, head] = [get("qk_rope_head_dim"), get("head_dim") ?? 512];
  if (![width ?? 64, head].every(Number.isInteger)) return undefined;
  const part = get("partial_rotary_factor") ?? (width === undefined ? 64 / 512 : width / head);
  return {
    read: ["qk_rope_head_dim"],
    keys: { qk_rope_head_dim: undefined, partial_rotary_factor: part },
  };
}

/** @param {Peek} get @returns {Variant} */
function trocr(get) {
  const keys = ["use_learned_position_embeddings", "layernorm_embedding"];
  const [isLearned, isNormed] = keys.map((key) => get(key) !== false);
  /** @type {Partial<Family>} */
  const family = isLearned ? {} : { ...SINUSOIDS };
  if (!isNormed) family.tokens = { scale: "scale_embedding", scaleDefault: false };
  return { read: keys, family };
}

const SINUSOIDS = Object.freeze({
  scheme: "sinusoidal",
  preset: "fairseq",
  options: { layout: "halves", spectrum: "tensor2tensor" },
});

/** @param {Peek} get @returns {Variant} */
const roformer = (get) => ({
  read: ["rotary_value"],
  ...(get("rotary_value") === true && { other: "rotary embeddings, of its values too" }),
});

/** @param {Peek} get @returns {Variant} */
const longt5 = (get) => ({
  read: ["encoder_attention_type"],
  ...(get("encoder_attention_type") === "transient-global" && {
    other: "a relative bias between tokens, and another between tokens and blocks of them",
  }),
});

/** InternVL without its table of positions. @param {Peek} get @returns {Variant} */
function internvl(get) {
  const key = "use_absolute_position_embeddings";
  return { read: [key], ...(get(key) === false && { family: { scheme: "none" } }) };
}

/** SAM without its table of positions, or without the bias. @param {Peek} get @param {From} from @returns {Variant} */
function sam(get, { family: { besides } }) {
  const read = ["use_abs_pos", "use_rel_pos"];
  const [isAbsolute, isRelative] = read.map((key) => get(key) !== false);
  if (!isAbsolute && isRelative) return { read, other: besides };
  if (isRelative) return { read };
  return { read, family: isAbsolute ? { besides: undefined } : { scheme: "none" } };
}

/** DETR and its relatives. @param {Peek} get @returns {Variant} */
function detr(get) {
  const [key, value] = ["position_embedding_type", get("position_embedding_type")];
  const isSine = value === undefined || value === "sine";
  const other = "a learned table of 50 rows and one of 50 columns, [x ; y]";
  return { read: [key], ...(!isSine && { other }) };
}

/** YOLOS: further tables of the same rows. @param {Peek} get @param {From} from @returns {Variant} */
function yolos(get, { family }) {
  const key = "use_mid_position_embeddings";
  const besides = `${family.besides}, and such a table behind each layer but the last`;
  return { read: [key], ...(get(key) !== false && { family: { besides } }) };
}

/** MiniMax: transformers rotates whole heads, the authors' code this many columns. @param {Peek} get @param {From} from */
function minimax(get, { type }) {
  const [width, head] = [get("rotary_dim"), get("head_dim")];
  if (width === undefined) return undefined;
  const read = ["rotary_dim"];
  return width === head ? { read } : { read, unknown: notKnown(read[0], width, type) };
}

/** ESM rotates in its second version. @param {Peek} get @param {From} from @returns {Variant | undefined} */
function esm(get, { type, family: { tokens } }) {
  const [key, value] = ["position_embedding_type", get("position_embedding_type")];
  if (value === undefined || names(value, "learnedPositions")) return undefined;
  if (value !== "rotary") return { read: [key], unknown: notKnown(key, value, type) };
  const unused = /** @type {const} */ (["positions"]);
  return {
    read: [key],
    family: { scheme: "rope", tokens: { .../** @type {object} */ (tokens), unused } },
  };
}

/** GTE without rotation: transformers does not read the key. @param {Peek} get @param {From} from */
function gte(get, { type }) {
  const [key, value] = ["position_embedding_type", get("position_embedding_type")];
  if (value === undefined || names(value, "rope")) return undefined;
  return { read: [key], unknown: notKnown(key, value, type) };
}

/** The entry of rope, by either name, and its type. @param {Peek} get */
function ropeOf(get) {
  const key = get("rope_scaling") === undefined ? "rope_parameters" : "rope_scaling";
  const entry = recordOf(get(key));
  return { key, entry, type: entry.rope_type ?? entry.type ?? "default" };
}

/** Authors' code that knows some types of scaling alone. @param {string[]} types */
const scaledBy =
  (...types) =>
  (/** @type {Peek} */ get, /** @type {From} */ { type: family }) => {
    const { key, entry, type } = ropeOf(get);
    if (type === "default") return undefined;
    // LongRoPE's factor is the ratio of the lengths there, whatever the entry says.
    const ownFactor = ["factor", "attention_factor"].find((name) => (entry[name] ?? null) !== null);
    const isOther = ["longrope", "su"].some((one) => one === type) && ownFactor !== undefined;
    if (types.some((known) => known === type) && !isOther) return undefined;
    return {
      unknown: notKnown(
        `${key}${isOther ? `.${ownFactor}` : ""}`,
        isOther ? entry[ownFactor] : type,
        family,
      ),
    };
  };

/** Qwen, the first version: what is scaled beyond `seq_length` is no scaling of rope.frequencies. @param {Peek} get @returns {Variant} */
function qwen(get) {
  const flags = ["use_dynamic_ntk", "use_logn_attn"];
  const { key, type } = ropeOf(get);
  if (type !== "default") return { unknown: notKnown(key, type, "qwen") };
  const on = flags.filter((flag) => get(flag) !== false);
  if (on.length === 0) return { read: flags };
  const length = check.describe(get("seq_length") ?? 8192);
  return {
    read: [...flags, "rotary_emb_base", "rotary_pct"],
    other: `rotary embeddings (halves of kv_channels columns, base ${check.describe(get("rotary_emb_base") ?? 10000)}) up to ${length} tokens; beyond, use_dynamic_ntk multiplies the base by (2^k - 1)^(d / (d - 2)) of d columns, where k grows with the text, and use_logn_attn multiplies queries by the logarithm of their position to the base ${length} (on here: ${on.join(", ")})`,
  };
}

/** Baichuan: the models of 7B rotate, those of 13B have ALiBi, and no key says so. @param {Peek} get @returns {Variant} */
function baichuan(get) {
  const [dim, heads, theta] = ["hidden_size", "num_attention_heads", "rope_theta"].map(get);
  const { key, type } = ropeOf(get);
  if (type !== "default") return { unknown: notKnown(key, type, "baichuan") };
  if (theta !== undefined && theta !== 1e4) {
    return { unknown: notKnown("rope_theta", theta, "baichuan, whose authors' code has 10000,") };
  }
  if (dim === 4096 && heads === 32) return {};
  if (dim === 5120 && heads === 40) {
    const length = get("max_position_embeddings") ?? get("model_max_length");
    return { family: { scheme: "alibi" }, keys: { max_position_embeddings: length } };
  }
  const what = `${check.describe(dim)}, with ${check.describe(heads)} heads`;
  return {
    unknown: `config.hidden_size is ${what}: Baichuan's models of 7B (4096, 32) rotate and those of 13B (5120, 40) have ALiBi, and of others it is not known.`,
  };
}

/** ChatGLM and GLM-4: which numbers rope_ratio changes differs by the version. @param {Peek} get @returns {Variant} */
function chatglm(get) {
  const read = ["rope_ratio", "original_rope", "position_encoding_2d", "padded_vocab_size"];
  if (get("position_encoding_2d") !== undefined) {
    return {
      read,
      other:
        "rotary embeddings of two positions, of the context and of the answer, as ChatGLM-6B has them",
    };
  }
  if (get("original_rope") === false) {
    return { unknown: notKnown("original_rope", false, "chatglm") };
  }
  const { key, type } = ropeOf(get);
  if (type !== "default") return { unknown: notKnown(key, type, "chatglm") };
  const [ratio = 1, words] = ["rope_ratio", "padded_vocab_size"].map(get);
  // The vocabulary is that of GLM-4.
  if (ratio !== 1 && (words !== 151552 || typeof ratio !== "number")) {
    return {
      read,
      unknown: `config.rope_ratio is ${check.describe(ratio)}: ChatGLM2 divides positions by it, and ChatGLM3 multiplies the base; a file does not say which.`,
    };
  }
  const groups = get("multi_query_attention") === true ? get("multi_query_group_num") : undefined;
  return {
    read,
    keys: {
      rope_theta: 1e4 * ratio,
      ...(groups !== undefined && { num_key_value_heads: groups }),
      ...(words !== undefined && { vocab_size: words }),
    },
  };
}

/** Phi-3 small: a scale of positions; the files for long texts have others. @param {Peek} get @returns {Variant} */
function phi3small(get) {
  const { key, type } = ropeOf(get);
  if (type !== "default") {
    return {
      unknown: `config.${key} is given: Phi-3 small multiplies cosines and sines by short_mscale or long_mscale then, by the length of the text, which rope.frequencies does not.`,
    };
  }
  const factor = get("rope_position_scale") ?? 1;
  const rope_scaling = factor === 1 ? undefined : { type: "linear", factor };
  return { read: ["rope_position_scale"], keys: { rope_scaling } };
}

/** MiniCPM-V, whose text is Qwen2's in version 2.6 and LLaMA's in 4. @param {Peek} get @returns {Variant} */
function minicpmv(get) {
  const [key, version] = ["version", get("version")];
  if (version === 2.6 || version === 4) return { read: [key] };
  return { read: [key], unknown: notKnown(key, version, "minicpmv") };
}

/** Molmo, the first: its code scales nothing, and the base of a file without one is not known. @param {Peek} get @param {From} from */
function molmo1(get, from) {
  const read = ["use_position_ids", "attention_layer_norm"]; // ids from the caller, and norms of queries and keys
  if (get("rope_theta") !== undefined) return { read, ...scaledBy()(get, from) };
  return { unknown: "config.rope_theta is missing, and the base is not known." };
}

/** Yuan 2.0: its code has the base 10000; reset_position_ids resets its mask alone. @param {Peek} get @returns {Variant} */
function yuan(get) {
  const theta = get("rope_theta");
  const { key, type } = ropeOf(get);
  if (type !== "default") return { unknown: notKnown(key, type, "yuan") };
  if (theta === undefined || theta === 1e4)
    return { read: ["reset_position_ids", "reset_attention_mask"] };
  return { unknown: notKnown("rope_theta", theta, "yuan, whose authors' code has 10000,") };
}

/** BLOOM and Falcon: an old name of the width precedes it. @param {Peek} get @returns {Variant} */
const embed = (get) =>
  get("n_embed") === undefined ? {} : { family: { names: { hidden_size: "n_embed" } } };

/** Nemotron-H: its code has no rotation, whatever keys say, and a list of layers tells their number. @param {Peek} get */
function nemotronH(get) {
  const listed = get("layer_types") ?? get("layers_block_type") ?? get("hybrid_override_pattern");
  const isListed = isLayered(listed) || typeof listed === "string";
  return {
    read: ["rope_theta", "partial_rotary_factor"],
    keys: isListed && listed.length > 0 ? { num_hidden_layers: listed.length } : {},
  };
}

/** Kimi's linear models: their full attention does not rotate, and says so. @param {Peek} get @param {From} from */
function kimi(get, { type }) {
  const [key, value] = ["mla_use_nope", get("mla_use_nope")];
  const read = [key, "rope_theta"];
  return value === false ? { read, unknown: notKnown(key, value, type) } : { read };
}

/** The tower of Kimi K2.5 by its authors' names. @param {Peek} get @returns {Variant} */
function kimiTower(get) {
  const sizes = ["hidden_size", "num_attention_heads", "num_hidden_layers"];
  const own = sizes.filter((name) => get(`vt_${name}`) !== undefined);
  const parts = [
    ["pos_emb_type", "divided_fixed"],
    ["video_attn_type", "spatial_temporal"],
  ];
  const other = parts.find(([key, value]) => ![undefined, value].includes(get(key)));
  return {
    read: parts.map(([key]) => key),
    family: { names: Object.fromEntries(own.map((name) => [name, `vt_${name}`])) },
    ...(other && { unknown: notKnown(other[0], get(other[0]), "kimi_k25_vision") }),
  };
}

/** MiniMax M2's list of the layers of full attention, which are all. @param {Peek} get @param {From} from @returns {Variant} */
function minimax2(get, { type }) {
  const [key, codes] = ["attn_type_list", get("attn_type_list")];
  if (codes === undefined) return {};
  const isFull = isLayered(codes) && codes.every((code) => code === 1);
  return { read: [key], ...(!isFull && { unknown: notKnown(key, codes, type) }) };
}

/** Authors' code with the base 10000 alone, which scales nothing. @param {Peek} get @param {From} from */
function unscaled(get, { type }) {
  const theta = get("rope_theta");
  if (theta !== undefined && theta !== 1e4) {
    return { unknown: notKnown("rope_theta", theta, `${type}, whose code has 10000,`) };
  }
  return scaledBy()(get, /** @type {any} */ ({ type }));
}

/** Phi 1 and 2 in Microsoft's keys: as many columns rotate, at most a head's. @param {Peek} get @param {From} from @returns {Variant} */
function phiMsft(get, from) {
  const known = unscaled(get, from);
  if (known) return known;
  const [dim, heads, width = 32] = ["n_embd", "n_head", "rotary_dim"].map(get);
  const areKnown = [dim, heads, width].every(Number.isFinite);
  return areKnown ? { keys: { rotary_dim: Math.min(width, Math.floor(dim / heads)) } } : {};
}

/** XVERSE: the base is in each model's code, unless a file has it as vllm's port reads it. @param {Peek} get @param {From} from */
function xverse(get, from) {
  if (get("rope_theta") !== undefined) return scaledBy()(get, from);
  return {
    unknown:
      "config.rope_theta is missing: the base is in each model's own code, where 10000 and 500000 are known.",
  };
}

/** MiniMax-M3's text: mlx-lm rotates `rotary_dim` columns, transformers a part of a head. @param {Peek} get @param {From} from @returns {Variant | undefined} */
function minimax3(get, from) {
  const { key, type } = ropeOf(get);
  if (type !== "default") return { unknown: notKnown(key, type, from.type) };
  const [width, head = 128, part] = ["rotary_dim", "head_dim", "partial_rotary_factor"].map(get);
  const turned = part === undefined ? width : Number.isFinite(part) && part * head;
  if (![turned, head].every(Number.isFinite) || (width ?? turned) !== turned) {
    const other = `${from.type} (partial_rotary_factor: ${check.describe(part)})`;
    return { unknown: notKnown("rotary_dim", width, other) };
  }
  return { read: ["rotary_dim"], keys: { partial_rotary_factor: turned / head } };
}

/** Nemotron-NAS: blocks with and without attention, which is LLaMA's. @param {Peek} get @param {From} from @returns {Variant} */
function nemotron(get, { type }) {
  const [key, kind] = ["block_configs", "position_embedding_type"];
  const blocks = get(key);
  if (get(kind) !== undefined && get(kind) !== "rope") {
    return { unknown: notKnown(kind, get(kind), type) };
  }
  if ((ropeOf(get).entry.rope_theta ?? get("rope_theta")) === undefined) {
    return { unknown: notKnown("rope_theta", undefined, type) };
  }
  const isKnown =
    isLayered(blocks) && blocks.every((block) => check.isRecord(recordOf(block).attention));
  if (!isKnown) return { unknown: notKnown(key, blocks, type) };
  const parts = blocks.map((block) => /** @type {Json} */ (block.attention));
  const has = (/** @type {Json} */ part) => !part.no_op && !part.replace_with_linear;
  const moved = ["unshifted_sink", "num_sink_tokens", "llama4"].find((name) =>
    parts.some((part) => part[name]),
  );
  if (moved) return { unknown: notKnown(`${key}.attention.${moved}`, true, type) };
  const groups = new Set(parts.filter(has).map((part) => part.n_heads_in_group));
  const [group] = groups;
  const sizes = [get("num_attention_heads"), group];
  const heads = sizes.every(Number.isFinite) ? sizes[0] / sizes[1] : NaN;
  return {
    read: [key, kind],
    keys: {
      layer_types: parts.map((part) => (has(part) ? "full_attention" : "mlp")),
      ...(Number.isInteger(heads) && { num_key_value_heads: heads }),
    },
    notes:
      groups.size > 1
        ? [`config.${key}: layers differ in their key and value heads; those of the first are said`]
        : [],
  };
}

/** LLaVA of 2023, whose keys are LLaMA's own; MPT's is another model. @param {Peek} get @returns {Variant | undefined} */
function llava(get) {
  const isFlat = ["hidden_size", "num_attention_heads"].every((key) => get(key) !== undefined);
  if (isFlat && get("attn_config") === undefined) return undefined;
  return { unknown: notKnown("text_config", undefined, "llava without LLaMA's own keys") };
}

/** @param {unknown} value @returns {Json} */
const recordOf = (value) => (check.isRecord(value) ? /** @type {Json} */ (value) : {});

const DETRS = "detr conditional_detr table-transformer deformable_detr".split(" ");

/** By family; those of all families come first. @type {Readonly<Record<string, (get: Peek, from: From) => Variant | undefined>>} */
const OWN = Object.freeze({
  bert,
  bloom: embed,
  falcon: embed,
  nemotron_h: nemotronH,
  kimi_linear: kimi,
  kimi_k25_vision: kimiTower,
  minimax_m2: minimax2,
  bailing_hybrid: ling,
  dbrx,
  mpt,
  nomic_bert: nomic,
  step3p5: step,
  step3p7: step,
  mimo_v2_flash: mimo,
  minimax,
  esm,
  gte,
  cohere2_moe: cohere,
  molmo2_text: molmo,
  deepseek_v4: deepseek,
  trocr,
  roformer,
  longt5,
  exaone,
  sarvam_mla: sarvam,
  dory,
  internlm2: scaledBy("linear", "dynamic"),
  phi4mm: scaledBy("longrope"),
  minicpmv,
  molmo: molmo1,
  yuan,
  minicpm: scaledBy("linear", "dynamic", "longrope"),
  qwen,
  baichuan,
  chatglm,
  phi3small,
  internvl_vision: internvl,
  sam_vision_model: sam,
  sam_hq_vision_model: sam,
  yolos,
  ...Object.fromEntries(DETRS.map((type) => [type, detr])),
  phi3_v: scaledBy("su", "longrope"),
  "phi-msft": phiMsft,
  xverse,
  minimax_m3: minimax3,
  "nemotron-nas": nemotron,
  llava,
  llava_llama: llava,
  llava_mistral: llava,
});

/**
 * The family that a configuration describes.
 * @param {From} from
 * @returns {Required<Pick<Variant, "read" | "notes">> & {family: Family, config: Json}}
 */
export function variantOf({ type, family, config }) {
  const get = (/** @type {string} */ key) =>
    (Object.hasOwn(config, key) ? config[key] : null) ?? undefined;
  const own = Object.hasOwn(OWN, type) ? OWN[type] : undefined;
  const from = { type, family, config };
  for (const rule of [own, embeddingType, latents]) {
    const found = rule?.(get, from);
    if (!found) continue;
    const { keys, read = [], notes = [], unknown, other } = found;
    const said = unknown
      ? { scheme: "unknown", why: unknown }
      : other && { ...family, scheme: "other", why: other };
    return {
      family: said || { ...family, ...found.family },
      config: { ...config, ...keys },
      read,
      notes,
    };
  }
  return { family, config, read: [], notes: [] };
}
