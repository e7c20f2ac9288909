/**
 * One model_type, other positions: what keys of a configuration make of its family. Where transformers and the authors'
 * own code differ, the description follows the authors, whose weights the file describes, and a note names both.
 */
import * as check from "../runtime/check.js";
import { LINEAR, likeOf, MOST_LAYERS } from "./keys.js";
import { isSame } from "./rotary.js";
import { names } from "./suspects.js";
import { latentWidths } from "./widths.js";

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
 * @typedef {(key: string, what?: string, value?: unknown) => Variant} Refuse  of a key whose value no known code has;
 *   `what` follows the name of the family
 * @typedef {{type: string, family: Family, config: Json, refuse: Refuse}} From
 * @typedef {(get: Peek, from: From) => Variant | undefined} Rule
 */

const [FULL, SLIDING, KIND, THETA, SCALING, PARAMETERS, LAYERS] =
  "full_attention sliding_attention position_embedding_type rope_theta rope_scaling rope_parameters num_hidden_layers".split(
    " ",
  );
const INTERLEAVED = /** @type {const} */ ("interleaved");

/** Whether a value is a list that layers may have. @param {unknown} value @returns {value is any[]} */
const isLayered = (value) => check.isList(value) && value.length <= MOST_LAYERS;

/** Whether values are whole numbers, and the first one of layers. @param {unknown[]} values */
const areCounts = (...values) => values.every(Number.isInteger) && Number(values[0]) <= MOST_LAYERS;

/** @param {number} layers @param {(layer: number) => string} kind */
const kindsOf = (layers, kind) => Array.from({ length: layers }, (_, layer) => kind(layer));

/** Keys that are true or false. Python takes another value for one of both, and by a rule that differs from JavaScript's. */
const FLAGS =
  /^(?:use_(?!rope_layers)\w+|mla_use_nope|rotary(?:_value|_emb_interleaved)?|add_type_embeddings|learned_pos_emb|alibi|layernorm_embedding|original_rope|multi_query_attention)$/;

/** @param {unknown} value @returns {Json} */
const recordOf = (value) => (check.isRecord(value) ? /** @type {Json} */ (value) : {});

/** The entry of rope, by either name, and its type. @param {Peek} get */
function ropeOf(get) {
  const key = get(SCALING) === undefined ? PARAMETERS : SCALING;
  const entry = recordOf(get(key));
  return { key, entry, type: entry.rope_type ?? entry.type ?? "default" };
}

/** @type {Rule} */
function embeddingType(get, { type, family: { scheme, prefix }, refuse }) {
  const value = get(KIND);
  if (scheme !== "learnedPositions") return undefined;
  // GPT-J's first files say gpt_neo.
  if (get("rotary") === true) return refuse("rotary");
  if (value === undefined) return undefined;
  const read = [KIND];
  if (names(value, scheme)) return { read };
  if (prefix !== undefined) return refuse(KIND);
  if (value === "relative_key" || value === "relative_key_query") {
    const by = value === "relative_key" ? "queries" : "queries and keys";
    return {
      read,
      other: `products of ${by} with learned vectors of distances (${KIND}: ${value}), as transformers 4 computes them; transformers 5 adds a table of positions`,
    };
  }
  // jina-embeddings-v2, and the encoder of jina-embeddings-v3
  if (value === "alibi" && ["bert", "xlm-roberta"].includes(type)) {
    return { read, family: { scheme: "alibi" } };
  }
  if (value !== "rotary" || type !== "xlm-roberta" || get("rotary_emb_scale_base") !== undefined) {
    return refuse(KIND);
  }
  return {
    read: [...read, "rotary_emb_interleaved", ...(get("rotary_emb_dim") ? ["head_dim"] : [])],
    family: {
      ...pairedBy(get),
      scheme: "rope",
      names: { rope_theta: "rotary_emb_base" },
      rotated: "rotary_emb_dim",
      partial: 1,
    },
  };
}

/** @param {Peek} get @returns {Partial<Family>} */
const pairedBy = (get) => (get("rotary_emb_interleaved") === true ? { layout: INTERLEAVED } : {});

/** A family whose code does not read the key, and rotates whatever it says. @type {Rule} */
function rotating(get, { refuse }) {
  const value = get(KIND);
  return value === undefined || names(value, "rope") ? undefined : refuse(KIND);
}

/**
 * GTE's own code (Alibaba-NLP/new-impl, read): a table of positions or RoPE, whose NTK scaling is one base and one factor
 * of all frequencies: (base s)^(-2i/R) / s^(2/R). It begins with the first position.
 * @type {Rule}
 */
function gte(get, { refuse }) {
  const [scale, norm] = ["logn_attention_scale", "layer_norm_type"];
  const read = [KIND, scale, "logn_attention_clip1", norm];
  if (get(scale) ?? false) return refuse(scale);
  if ((get(norm) ?? "layer_norm") !== "layer_norm") return refuse(norm);
  const kind = get(KIND) ?? "rope";
  if (kind === "absolute") return { read, family: { scheme: "learnedPositions" } };
  if (kind !== "rope") return refuse(KIND);
  if (get(PARAMETERS)) return refuse(PARAMETERS);
  const { factor, mixed_b: mixed } = recordOf(get(SCALING));
  const type = ropeOf(get).type;
  if (type === "default") return { read };
  if (type !== "ntk") return refuse(SCALING, "", type);
  if ((mixed ?? null) !== null) return refuse(`${SCALING}.mixed_b`, "", mixed);
  if (!(typeof factor === "number" && factor >= 1)) return refuse(`${SCALING}.factor`, "", factor);
  const base = check.finite(get(THETA) ?? 1e4, `config.${THETA}`);
  const dim = get("hidden_size") / get("num_attention_heads");
  const scaling = { type: "linear", factor: factor ** (2 / dim) };
  const what = `the base ${base} times ${factor}, and all frequencies divided by ${factor}^(2/${dim})`;
  return {
    read,
    keys: { [THETA]: base * factor, [SCALING]: scaling },
    notes: [`config.${SCALING} is the NTK scaling of the authors' code: ${what}`],
  };
}

/** Authors' code that knows some types of scaling alone. @param {string[]} types @returns {Rule} */
const scaledBy =
  (...types) =>
  (get, { refuse }) => {
    const { key, entry, type } = ropeOf(get);
    if (type === "default") return undefined;
    if (!types.some((known) => known === type)) return refuse(key, "", type);
    // LongRoPE's factor is the ratio of the lengths there, whatever the entry says.
    const factor = ["factor", "attention_factor"].find((name) => (entry[name] ?? null) !== null);
    const isOther = factor !== undefined && (type === "longrope" || type === "su");
    return isOther ? refuse(`${key}.${factor}`, "", entry[factor]) : undefined;
  };

/** Code that scales nothing, and LLaMA's of 2023. */
const [plain, linear] = [scaledBy(), scaledBy("linear", "dynamic")];

/** Authors' code with the base 10000 alone, which scales nothing. @type {Rule} */
function unscaled(get, from) {
  const theta = get(THETA);
  return theta === undefined || theta === 1e4
    ? plain(get, from)
    : from.refuse(THETA, ", whose authors' code has 10000,");
}

/** Code that scales nothing, where a file must have the base. @param {string} why  it must */
const based = (why) =>
  /** @type {Rule} */ (
    (get, from) =>
      get(THETA) === undefined ? { unknown: `config.${THETA} is missing${why}.` } : plain(get, from)
  );

/** The second rule, unless the first refuses. @param {Rule} first @param {Rule} rule @returns {Rule} */
const after = (first, rule) => (get, from) => first(get, from) ?? rule(get, from);

/**
 * Keys that are read without effect, and by which value of the first one a model has what is not computed.
 * @param {string} keys @param {unknown} [value] @param {string} [other] @returns {Rule}
 */
const read = (keys, value, other) => (get) => {
  const names = keys.split(" ");
  return { read: names, ...(other && get(names[0]) === value && { other }) };
};

/** MosaicBERT and DNABERT-2, which say `absolute` and have no table of positions, and BLIP's, which have no token types. @type {Rule} */
function bert(get) {
  const [alibi, types] = ["alibi_starting_size", "add_type_embeddings"];
  if (get(alibi) !== undefined) return { read: [alibi, KIND], family: { scheme: "alibi" } };
  if (get(types) !== false || !names(get(KIND) ?? "absolute", "learnedPositions")) return undefined;
  return {
    read: [types, KIND],
    family: { tokens: { normEpsKey: "layer_norm_eps", normEps: 1e-12 } },
    notes: [followed(types, "is false: there are no token types in")],
  };
}

/** A note on a key that the authors' code alone reads. @param {string} key @param {string} what */
const followed = (key, what, rest = "") =>
  `config.${key} ${what} the authors' code, which this description follows; transformers does not read it${rest}`;

/** Attention of DeepSeek V2 without latents, as DeepSeek-VL2 and DeepSeek-OCR have it, is LLaMA's. @type {Rule} */
function latents(get, { type, refuse }) {
  if (!latentWidths(type)) return undefined;
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
  return refuse(read[use === false ? 0 : 1]);
}

/** Keys of Ling 2.5 and 2.6, whose linear attention rotates, and of Ling 3.0, whose linear attention does not. */
const LING_2 =
  "group_norm_size linear_silu linear_rope use_linear_silu rope_interleave partial_rotary_factor";
const LING_3 =
  "kda_safe_gate kda_lower_bound short_conv_kernel_size linear_conv_kernel_dim layer_types";

/** @type {Rule} */
function ling(get) {
  const given = (/** @type {string} */ keys) =>
    keys.split(" ").find((key) => get(key) !== undefined);
  const older = given(LING_2);
  const classes = isLayered(get("architectures")) ? get("architectures") : [];
  const isNewer = get("layer_group_size") === undefined || given(LING_3);
  if (isNewer && !older && !classes.includes("BailingMoeV2_5ForCausalLM")) return undefined;
  const why = older ? `config.${older} is given` : "no key of Ling 3.0 is given";
  return {
    unknown: `${why}: Ling 2.5 and 2.6 have this model_type, too, and their linear attention rotates in a way that is not known here.`,
  };
}

/** The base of DBRX, which the authors' code reads from attn_config. @type {Rule} */
function dbrx(get) {
  const { rope_theta, kv_n_heads } = recordOf(get("attn_config"));
  const read = ["attn_config"];
  const keys = { ...(kv_n_heads !== undefined && { num_key_value_heads: kv_n_heads }) };
  if (typeof rope_theta !== "number") return { read, keys };
  const stated = ropeOf(get).entry.rope_theta ?? get(THETA);
  const key = "attn_config.rope_theta";
  if (stated !== undefined && stated !== rope_theta) {
    const what = `config.${key} is ${rope_theta}, which the authors' code reads, and transformers reads ${check.describe(stated)} elsewhere`;
    return { read, keys, unknown: `${what}: which of them the weights have is not known.` };
  }
  const note = followed(key, `is the base ${rope_theta} of`, " and computes with 10000");
  const notes = stated === undefined && rope_theta !== 10000 ? [note] : [];
  return { read, keys: { ...keys, rope_theta }, notes };
}

/** MPT by LLM Foundry's rule: transformers adds ALiBi whatever the keys say. @type {Rule} */
function mpt(get, { refuse }) {
  const key = "attn_config";
  const given = recordOf(get(key));
  if (Object.keys(recordOf(get("block_overrides"))).length > 0) return refuse("block_overrides");
  const { alibi, rope, alibi_bias_max: most = 8, kv_n_heads, rope_theta = 10000 } = given;
  const kv = given.attn_type === "multiquery_attention" ? 1 : kv_n_heads;
  const own = { ...(kv !== undefined && { num_key_value_heads: kv }) };
  const note = `config.${key}: LLM Foundry's rule is followed; transformers computes ALiBi to 2^-8, whatever this says`;
  const made = { read: [key, "learned_pos_emb"], keys: own, notes: [note] };
  if (alibi === true && rope !== true) return most === 8 ? { ...made, notes: [] } : made;
  if (rope === true && alibi !== true) {
    const { type = "original" } = recordOf(given.rope_dail_config);
    const { type: scaled = "no_scaling" } = recordOf(given.rope_hf_config);
    const isPlain = given.rope_impl === "hf" ? scaled === "no_scaling" : type === "original";
    if (isPlain) return { ...made, keys: { ...own, rope_theta }, family: { scheme: "rope" } };
    return { ...made, ...refuse(key, ", which scales its rotation,", { type, scaled }), notes: [] };
  }
  if (alibi === false && given.nope !== true) {
    const scheme = get("learned_pos_emb") === false ? "none" : "learnedPositions";
    return { ...made, family: { scheme, preset: "gpt2" } };
  }
  return {
    ...made,
    notes: [],
    unknown: `config.${key} must say whether the model has ALiBi or RoPE: LLM Foundry's default is a table of positions, transformers' is ALiBi.`,
  };
}

/** @type {Rule} */
function nomic(get, { refuse }) {
  const [key, scale] = ["rotary_scaling_factor", "rotary_emb_scale_base"];
  const factor = get(key);
  if (get(scale) !== undefined) return refuse(scale);
  const eps = get("layer_norm_epsilon"); // which the authors' code reads, and transformers does not
  const keys = eps === undefined ? undefined : { layer_norm_eps: eps };
  const read = [key, "max_trained_positions", "rotary_emb_interleaved", "layer_norm_epsilon"];
  const family = pairedBy(get);
  if (get("rotary_emb_fraction") !== undefined) family.partial = 1;
  if (!factor) return { read, family, keys };
  if (!(typeof factor === "number" && factor >= 1 && factor < Infinity)) return refuse(key);
  if (get(PARAMETERS) ?? get(SCALING)) {
    const what = `config.${key}, which the authors' code reads,`;
    return { read, unknown: `${what} is beside another scaling, which transformers reads.` };
  }
  return {
    read,
    keys: { ...keys, [SCALING]: { type: "dynamic", factor } },
    family: {
      ...family,
      longest: "max_trained_positions",
      defaults: { max_trained_positions: 2048 }, // of the authors' class
    },
    notes: [followed(key, "is the dynamic scaling of")],
  };
}

/** RoFormer v2 has a norm without weights, in the authors' code alone (JunnYu/RoFormer_pytorch). @type {Rule} */
function roformer(get, { family }) {
  const [values, norm] = ["rotary_value", "norm_type"];
  const keys = { read: [values, norm] };
  if (get(values) === true) return { ...keys, other: "rotary embeddings, of its values too" };
  if ((get(norm) ?? "layer_norm") === "layer_norm") return keys;
  const tokens = { ...Object(family.tokens), normKind: "rms" };
  const notes = [followed(norm, "is a norm without weights in")];
  return { ...keys, family: { tokens }, notes };
}

/** Step 3.5 and 3.7 have keys that the authors' code (vllm's step3p5.py, read) reads and transformers does not. @type {Rule} */
function step(get, from) {
  const own = "use_rope_layers yarn_only_types num_attention_groups attention_other_setting";
  const read = own.split(" ");
  const [rotates, scaled, groups, other] = read.map(get);
  const isFull = scaled === undefined || isSame(scaled, [FULL]);
  if (isLayered(rotates) && !rotates.every(Boolean)) {
    return from.refuse(read[0], ", which transformers rotates,");
  }
  if (!isFull && ropeOf(get).type !== "default") return from.refuse(read[1]);
  const found = stepLayers(get);
  const width = get("head_dim");
  if ((recordOf(other).head_dim ?? width) !== width) read.pop();
  return {
    ...found,
    read: [...(found.read ?? []), ...read],
    keys: {
      ...(groups !== undefined && { num_key_value_heads: get("num_key_value_heads") ?? groups }),
      ...found.keys,
    },
  };
}

/** Lists by layer, which transformers turns into an entry for each kind of layer. @param {Peek} get @returns {Variant} */
function stepLayers(get) {
  const keys = [THETA, "partial_rotary_factors", "layer_types"];
  const [bases, parts, given] = keys.map(get);
  const layers = get(LAYERS);
  if (!areCounts(layers) || layers < 1) return {};
  const isListed = check.isList(given);
  const kinds = isListed ? given.slice(0, layers) : kindsOf(layers, () => FULL);
  if (!Array.from(kinds).every((kind) => typeof kind === "string")) return {};
  const own = isListed ? { layer_types: kinds } : {};
  const entries = new Map(Object.entries(recordOf(get(PARAMETERS))));
  if (kinds.every((kind) => check.isRecord(entries.get(kind)))) return { keys: own };
  const part = "partial_rotary_factor";
  if (get(part) !== undefined) {
    return { unknown: `config.${part} is not read by this family, which has ${keys[1]}.` };
  }
  const short = [bases, parts].findIndex(
    (list) => check.isList(list) && list.length < kinds.length,
  );
  if (short >= 0) {
    return {
      unknown: `config.${keys[short]} does not have a number for each of ${layers} layers.`,
    };
  }
  /** @type {Map<unknown, Json>} */
  const by = new Map();
  for (const [layer, kind] of kinds.entries()) {
    const at = (/** @type {unknown} */ list) => (check.isList(list) ? list[layer] : list);
    const entry = {
      rope_type: "default",
      rope_theta: at(bases) ?? 10000,
      ...(check.isList(parts) && { partial_rotary_factor: at(parts) }),
      ...(kind === FULL && recordOf(get(SCALING))),
    };
    if (by.has(kind) && !isSame(by.get(kind), entry)) {
      return {
        unknown: `config.rope_theta or partial_rotary_factors differ among layers of the kind ${kind}; transformers reads those of its first layer.`,
      };
    }
    by.set(kind, entry);
  }
  return {
    read: [...keys, SCALING, PARAMETERS],
    keys: {
      ...Object.fromEntries([...keys, SCALING].map((key) => [key, undefined])),
      ...own,
      [PARAMETERS]: Object.fromEntries(by),
    },
  };
}

/** MiMo V2 Flash's published keys: 0 for layers of full attention, 1 for sliding ones. @type {Rule} */
function mimo(get, { refuse }) {
  const [key, wide] = ["hybrid_layer_pattern", "head_dim"];
  const [pattern, base, part, local] = [key, THETA, "partial_rotary_factor", "swa_rope_theta"].map(
    get,
  );
  if (pattern === undefined || get(PARAMETERS) !== undefined) return undefined;
  const isWide = (get(`swa_${wide}`) ?? get(wide)) !== get(wide);
  const isList = isLayered(pattern) && pattern.every((one) => one === 0 || one === 1);
  if (!isList || isWide || base === undefined || local === undefined) {
    return refuse(key, " without rope_theta, swa_rope_theta or one head_dim");
  }
  const layers = get(LAYERS);
  if (areCounts(layers) && pattern.length !== layers) {
    const rule = `config.${key} must hold a 0 or 1 for each of ${layers} layers`;
    throw new RangeError(`${rule}; got ${check.describe(pattern)}`);
  }
  const entry = {
    rope_type: "default",
    ...(part !== undefined && { partial_rotary_factor: part }),
  };
  const own = "rope_theta head_dim num_attention_heads num_key_value_heads v_head_dim".split(" ");
  return {
    read: [key, ...own.map((name) => `swa_${name}`)],
    keys: {
      layer_types: pattern.map((one) => (one === 1 ? SLIDING : FULL)),
      [PARAMETERS]: {
        [FULL]: { ...entry, rope_theta: base },
        [SLIDING]: { ...entry, rope_theta: local },
      },
    },
  };
}

/** The layers of Cohere 2's mixture: dense ones rotate although they see everything. @type {Rule} */
function cohere(get, { config }) {
  const read = ["first_k_dense_replace", "prefix_dense_sliding_window_pattern", "mlp_layer_types"];
  const [layers, first, prefix, every] = [
    get(LAYERS),
    get(read[0]) ?? 0,
    get(read[1]) ?? 1,
    get("sliding_window_pattern") ?? 4,
  ];
  if (!areCounts(layers, first, prefix, every)) return { read };
  const kindOf = (/** @type {number} */ i) =>
    (i < first ? (i + 1) % prefix : (i - first + 1) % every) === 0 ? FULL : SLIDING;
  const kinds = get("layer_types") ?? kindsOf(layers, kindOf);
  const stated = get(read[2]);
  if (!isLayered(kinds) || !(stated === undefined || isLayered(stated))) return { read };
  const isDense = (/** @type {number} */ i) => (stated ? stated[i] === "dense" : i < first);
  const isStill = config.sliding_window === null;
  return {
    read,
    keys: {
      layer_types: kinds.map((kind, i) => {
        if (kind !== FULL) return isStill ? "no_rope" : kind;
        return prefix === 1 && isDense(i) ? "dense_full_attention" : kind;
      }),
    },
  };
}

/** EXAONE 3, whose authors and transformers disagree about the base of a file that has none. @type {Rule} */
const exaone = (get) =>
  (ropeOf(get).entry.rope_theta ?? get(THETA)) === undefined
    ? {
        unknown:
          "config.rope_theta is missing: the authors' code then has the base 10000, transformers 500000.",
      }
    : undefined;

/** The name of YaRN in Sarvam's published file. @type {Rule} */
function sarvam(get) {
  const { type, ...entry } = recordOf(get(SCALING));
  if (![type, entry.rope_type].includes("deepseek_yarn")) return undefined;
  return { keys: { [SCALING]: { ...entry, rope_type: "yarn" }, [PARAMETERS]: undefined } };
}

/** Dory's files count attention and feed-forward parts as separate layers. @type {Rule} */
function dory(get, { refuse }) {
  const [count, listed] = [LAYERS, "layer_types"].map(get);
  const key = [THETA, SCALING].find((name) => get(name) !== undefined);
  if (key) return refuse(key);
  const isApart = isLayered(listed) && listed.includes("mlp");
  const stated = typeof count === "number" ? count : NaN; // a list of stages, of any length, is refused later
  const layers = isApart ? Math.floor(stated / 2) : stated;
  const usual = kindsOf(Math.min(layers || 0, MOST_LAYERS), (layer) =>
    layer % 4 === 3 ? FULL : SLIDING,
  );
  return {
    keys: {
      ...(isApart && { [LAYERS]: layers }),
      layer_types: isApart ? listed.filter((_, i) => i % 2 === 0) : (listed ?? usual),
      [PARAMETERS]: get(PARAMETERS) ?? {
        [SLIDING]: { rope_type: "default", rope_theta: 1e4 },
        [FULL]: { rope_type: "default", rope_theta: 1e7 },
      },
    },
  };
}

/** The layers of Molmo 2 whose frequencies are scaled. @type {Rule} */
function molmo(get, { refuse }) {
  const [key, layers] = ["rope_scaling_layers", get(LAYERS)];
  const scaled = get(key);
  if (scaled === undefined || !areCounts(layers)) return undefined;
  if (!isLayered(scaled)) return refuse(key);
  const found = new Set(scaled);
  const kinds = kindsOf(layers, (i) => (found.has(i) ? FULL : "unscaled_attention"));
  const isAll = kinds.every((kind) => kind === FULL);
  return { read: [key], keys: isAll ? {} : { layer_types: kinds }, family: { scaled: [FULL] } };
}

/** The rotated part of a head of DeepSeek V4: older files have its width. @type {Rule} */
function deepseek(get) {
  const key = "qk_rope_head_dim";
  const [width = 64, head] = [get(key), get("head_dim") ?? 512];
  if (![width, head].every(Number.isInteger)) return undefined;
  const part = get("partial_rotary_factor") ?? (get(key) === undefined ? 64 / 512 : width / head);
  return { read: [key], keys: { [key]: undefined, partial_rotary_factor: part } };
}

/** @type {Rule} */
function trocr(get) {
  const read = ["use_learned_position_embeddings", "layernorm_embedding"];
  const [isLearned, isNormed] = read.map((key) => get(key) !== false);
  /** @type {Partial<Family>} */
  const family = isLearned
    ? {}
    : {
        scheme: "sinusoidal",
        preset: "fairseq",
        options: { layout: "halves", spectrum: "tensor2tensor" },
      };
  if (!isNormed) family.tokens = { scale: "scale_embedding", scaleDefault: false };
  return { read, family };
}

/** InternVL without its table of positions. @type {Rule} */
function internvl(get) {
  const key = "use_absolute_position_embeddings";
  return { read: [key], ...(get(key) === false && { family: { scheme: "none" } }) };
}

/** SAM without its table of positions, or without the bias. @type {Rule} */
function sam(get, { family: { besides } }) {
  const read = ["use_abs_pos", "use_rel_pos"];
  const [isAbsolute, isRelative] = read.map((key) => get(key) !== false);
  if (isRelative) return { read, ...(!isAbsolute && { other: besides }) };
  return { read, family: isAbsolute ? { besides: undefined } : { scheme: "none" } };
}

/** DETR and its relatives. @type {Rule} */
const detr = (get) => ({
  read: [KIND],
  ...((get(KIND) ?? "sine") !== "sine" && {
    other: "a learned table of 50 rows and one of 50 columns, [x ; y]",
  }),
});

/** BEiT: a table of positions, or a bias of its window in each layer, its own or one for all. @type {Rule} */
function beit(get) {
  const read = ["absolute_position_embeddings", "relative_position_bias"].map(
    (key) => `use_${key}`,
  );
  read.push("use_shared_relative_position_bias");
  const on = read.filter((key) => get(key) === true);
  if (on.length > 1) return { read, other: on.join(" and ") };
  if (on[0] === read[0]) return { read, family: { scheme: "learnedPositions", preset: "vit" } };
  return { read, ...(on[0] && { family: { scheme: "windowBias" } }) };
}

/** Moonshine: an entry without a part is for whole heads, and without an entry no other key is read. @type {Rule} */
function streaming(get, { refuse }) {
  const isGiven = [PARAMETERS, SCALING].some((name) => Object.keys(recordOf(get(name))).length > 0);
  if (isGiven) return { family: { partial: 1 } };
  const key = [THETA, "partial_rotary_factor"].find((name) => get(name) !== undefined);
  return key === undefined ? undefined : refuse(key, " without rope_parameters");
}

/** YOLOS: further tables of the same rows. @type {Rule} */
function yolos(get, { family }) {
  const key = "use_mid_position_embeddings";
  const besides = `${family.besides}, and such a table behind each layer but the last`;
  return { read: [key], ...(get(key) !== false && { family: { besides } }) };
}

/** MiniMax: transformers rotates whole heads, the authors' code this many columns. @type {Rule} */
function minimax(get, { refuse }) {
  const [key, width] = ["rotary_dim", get("rotary_dim")];
  if (width === undefined) return undefined;
  return width === get("head_dim") ? { read: [key] } : refuse(key);
}

/** ESM rotates in its second version. @type {Rule} */
function esm(get, { family: { tokens }, refuse }) {
  const value = get(KIND);
  if (value === undefined || names(value, "learnedPositions")) return undefined;
  if (value !== "rotary") return refuse(KIND);
  const unused = /** @type {const} */ (["positions"]);
  return {
    read: [KIND],
    family: {
      scheme: "rope",
      unread: [SCALING, PARAMETERS, "partial_rotary_factor"],
      tokens: { .../** @type {object} */ (tokens), unused },
    },
  };
}

/** Qwen, the first version: what is scaled beyond `seq_length` is no scaling of rope.frequencies. @type {Rule} */
function qwen(get) {
  const read = ["use_dynamic_ntk", "use_logn_attn"];
  const on = read.filter((flag) => get(flag) !== false);
  if (on.length === 0) return { read };
  const length = check.describe(get("seq_length") ?? 8192);
  const base = "rotary_emb_base";
  return {
    read: [...read, base, "rotary_pct"],
    other: `rotary embeddings (halves of kv_channels columns, base ${check.describe(get(base) ?? 10000)}) up to ${length} tokens; beyond, use_dynamic_ntk enlarges the base, and use_logn_attn multiplies queries by the logarithm of their position (on here: ${on.join(", ")})`,
  };
}

/** Baichuan: the models of 7B rotate, those of 13B have ALiBi, and no key says so. @type {Rule} */
function baichuan(get) {
  const [dim, heads] = ["hidden_size", "num_attention_heads"].map(get);
  if (dim === 4096 && heads === 32) return {};
  if (dim === 5120 && heads === 40) {
    const length = get("max_position_embeddings") ?? get("model_max_length");
    return { family: { scheme: "alibi" }, keys: { max_position_embeddings: length } };
  }
  const what = `${check.describe(dim)}, with ${check.describe(heads)} heads`;
  return {
    unknown: `config.hidden_size is ${what}: Baichuan's models of 7B (4096, 32) rotate, and those of 13B (5120, 40) have ALiBi.`,
  };
}

/** ChatGLM and GLM-4: which numbers rope_ratio changes differs by the version. @type {Rule} */
function chatglm(get, from) {
  const read = ["rope_ratio", "original_rope", "position_encoding_2d", "padded_vocab_size"];
  const [ratio = 1, original, isFlat, words] = read.map(get);
  if (isFlat !== undefined) {
    return {
      read,
      other:
        "rotary embeddings of two positions, of the context and of the answer, as ChatGLM-6B has them",
    };
  }
  const scaled = original === false ? from.refuse(read[1]) : plain(get, from);
  if (scaled) return scaled;
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

/** Phi-3 small: a scale of positions; the files for long texts have others. @type {Rule} */
function phi3small(get) {
  const key = "rope_position_scale";
  const { key: scaling, type } = ropeOf(get);
  if (type !== "default") {
    return {
      unknown: `config.${scaling} is given: Phi-3 small then multiplies cosines and sines by short_mscale or long_mscale, as the text is long.`,
    };
  }
  const factor = get(key) ?? 1;
  return {
    read: [key],
    keys: { [SCALING]: factor === 1 ? undefined : { type: "linear", factor } },
  };
}

/**
 * MiniCPM-V and MiniCPM-o: the text is MiniCPM's in version 2, LLaMA's in 2.5 and 4, Qwen2's in 2.6 and Qwen3's, with heads of
 * 128, in 4.5. Files without a version are those of 2 and 2.5, by their width.
 * @param {number[]} known @returns {Rule}
 */
const versioned =
  (...known) =>
  (get, from) => {
    const key = "version";
    const width = get("hidden_size");
    const given = get(key) ?? (width === 2304 ? 2 : width === 4096 && 2.5);
    const version = typeof given === "string" ? Number(given) : given;
    if (!known.includes(version)) return from.refuse(key);
    /** @type {Partial<Family>} */
    const family = version === 4.5 ? { defaults: { head_dim: 128 } } : {};
    if (version === 2) family.tokens = { scale: "scale_emb" };
    return (version === 2 && linear(get, from)) || { read: [key], family };
  };

/** BLOOM and Falcon: an old name of the width precedes it. @type {Rule} */
const embed = (get) =>
  get("n_embed") === undefined ? {} : { family: { names: { hidden_size: "n_embed" } } };

/** Falcon with ALiBi, which RW-1B has. @type {Rule} */
const falcon = (get, from) => ({
  ...embed(get, from),
  ...read(
    "alibi",
    true,
    "ALiBi, whose bias is divided by the square root of a head's width",
  )(get, from),
});

/** InternLM of 2023: base and scaling are in a key of it alone. @type {Rule} */
function internlm(get, from) {
  const { rotary = null } = from.config;
  if (rotary === null) return unscaled(get, from);
  const { base, type, scaling_factor: factor = 1 } = recordOf(rotary);
  const isKnown = Number.isFinite(base) && (type === "origin" || type === "dynamic");
  if (!isKnown) return from.refuse("rotary", "", rotary);
  const scaled = type === "dynamic" && { [SCALING]: { type, factor } };
  return { read: ["rotary"], keys: { [THETA]: base, ...scaled } };
}

/** A "transformer" rotates if it has keys of the library fla, and has sinusoids, as in the paper, if it says so. @type {Rule} */
function fla(get, from) {
  const read = ["hidden_ratio", "fuse_norm", "fuse_swiglu", "fuse_cross_entropy", THETA];
  if (names(get(KIND), "sinusoidal")) return { read: [KIND] };
  if (!read.some((key) => Object.hasOwn(from.config, key))) return from.refuse("model_type");
  if (from.config[THETA] === null) return from.refuse(THETA, "", null);
  return plain(get, from) ?? { read, family: { scheme: "rope", preset: undefined, tokens: undefined } }; // prettier-ignore
}

/** Grok-1 and Grok-2, whose files have the name of Microsoft's GIT, rotate; GIT has no such key. @type {Rule} */
const git = (get, from) =>
  get(THETA) === undefined ? frames(get, from) : from.refuse(THETA, ", which has no rotation,");

/** GLM of 2021 to 2023 in THUDM's code, whose files have the name of GLM-4 and tables of positions. @type {Rule} */
function glm(get, { refuse }) {
  const key = ["block_position_encoding", "max_sequence_length"].find((name) => get(name) !== undefined); // prettier-ignore
  return key === undefined ? key : refuse(key, ", which is GLM-4's,");
}

/** ERNIE with a table of tasks, whose first row every token gets. @type {Rule} */
function ernie(get, { family: { tokens } }) {
  const key = "use_task_id";
  const unknown = "a row of the table of tasks";
  if (get(key) !== true) return undefined;
  return { read: [key], family: { tokens: { .../** @type {object} */ (tokens), unknown } } };
}

/** @param {number} window  half a chunk */
const chunks = (window) => `chunks of ${2 * window} frames, in each of which positions begin anew`;

/**
 * A number that says what there is besides.
 * @param {string} key @param {(count: number) => string} what @param {number} [byDefault]  of the class
 * @returns {Rule}
 */
const besides = (key, what, byDefault) => (get, from) => {
  const { read = [], ...found } = embeddingType(get, from) ?? {};
  const count = get(key) ?? byDefault;
  if (!Number.isInteger(count) || count < 1) return { read, ...found };
  return { ...found, read: [...read, key], family: { besides: what(count), ...found.family } };
};

const frames = besides("num_image_with_embedding", (n) => `a learned row for each of ${n} frames of a video`); // prettier-ignore

/** Ling 2.0's code has the scalings of transformers, that of Ling 1.0 two. @type {Rule} */
function bailing(get, from) {
  const [name] = isLayered(get("architectures")) ? get("architectures") : [];
  return name === "BailingMoeV2ForCausalLM" ? undefined : linear(get, from);
}

/** Moshi in the keys of Kyutai's own code. @type {Rule} */
function moshi(get, { refuse }) {
  const read = ["positional_embedding", "max_period", "context"];
  const [kind, base, sliding_window = null] = read.map(get);
  if (kind === undefined && base === undefined) return undefined;
  if (kind !== "rope" && kind !== "rope_concat") return refuse(read[0]);
  if (base === undefined) return refuse(read[1]);
  const family = kind === "rope" ? { layout: INTERLEAVED } : {};
  return { read, family, keys: { [THETA]: base, sliding_window } };
}

/** Whether sizes have the names of Meta's code. @param {Json} config */
const isMeta = (config) =>
  (config.hidden_size ?? null) === null &&
  ["dim", "n_layers", "n_heads"].every((key) => Object.hasOwn(config, key));

/** The keys of a params.json of Meta's and Mistral's code and of ExecuTorch. Other code with such names of sizes has more. */
const PARAMS =
  /^(?:model_type|dim|hidden_dim|head_dim|n_(?:layers|heads|kv_heads)|vocab_size|multiple_of|ffn_dim_multiplier|norm_eps|rope_(?:theta|traditional)|use_scaled_rope|max_(?:batch_size|seq_len|position_embeddings)|sliding_window|moe|tied_embeddings|vision_encoder|multimodal|quantization|activation|dtype|yarn|llama_4_scaling|[qk]v?_lora_rank|(?:v|qk_[nr]ope)_head_dim|use_hf_rope|partial_rotary_factor|attention_qkv_bias|use_qk_norm|qk_norm_before_rope)$/;

/** The key of a configuration without a name that a params.json does not have: "" for none. @param {Json} config */
export const otherThanParams = (config) =>
  isMeta(config) ? (Object.keys(config).find((key) => !PARAMS.test(key)) ?? "") : undefined;

/**
 * Mistral's entry of YaRN, as vLLM reads it (transformers_utils/configs/mistral.py, read), and the scale of queries, whose
 * length is that of YaRN in every file that is known.
 * @param {Peek} get @param {Refuse} refuse @returns {Variant}
 */
function mistralScaling(get, refuse) {
  const read = ["yarn", "llama_4_scaling"];
  const [yarn, queries] = read.map(get);
  const { factor, original_max_position_embeddings, beta, alpha, apply_scale, ...other } = recordOf(yarn); // prettier-ignore
  const [unread] = Object.keys(other);
  const scale = recordOf(queries);
  if (queries && scale.original_max_position_embeddings !== original_max_position_embeddings) return refuse(read[1]); // prettier-ignore
  if (!yarn) return {};
  if (unread || (apply_scale !== false && get("qk_rope_head_dim"))) return refuse(read[0]);
  const attention_factor = apply_scale === false ? 1 : undefined;
  const llama_4_scaling_beta = scale.beta;
  const entry = { type: "yarn", factor, original_max_position_embeddings, beta_fast: beta, beta_slow: alpha, attention_factor, llama_4_scaling_beta }; // prettier-ignore
  return { keys: { [SCALING]: entry }, family: { queries: true }, read };
}

/** A params.json, and files of mlx-examples: pairs are neighbors unless a key says otherwise. @type {Rule} */
function meta(get, { type, config, refuse }) {
  if (!isMeta(config)) return undefined;
  const read = ["rope_traditional", "use_scaled_rope", "use_hf_rope", "qk_norm_before_rope"];
  const halves = get(read[2]);
  // ExecuTorch's files have both; those of Qwen before this key were for halves.
  const areBoth = get("hidden_dim") !== undefined && get("ffn_dim_multiplier") !== undefined;
  if (areBoth && halves === undefined) {
    return refuse("ffn_dim_multiplier", ", which has hidden_dim and not use_hf_rope,");
  }
  if (!halves && get("partial_rotary_factor")) return refuse("partial_rotary_factor");
  const isScaled = get(read[1]) === true;
  const further = otherThanParams(config);
  if (type === "transformer" && further) return refuse(further);
  const { unknown: why, ...scaled } = mistralScaling(get, refuse);
  if (why) return { unknown: why };
  const latent = ["kv_lora_rank", "qk_rope_head_dim"].filter((key) => get(key) !== undefined);
  if (latent.length === 1) return refuse(latent[0]);
  if (isScaled && ![4096, 8192, 16384].includes(get("dim"))) {
    const unknown = `config.${read[1]} is true, and the sizes are not those of Llama 3.1: for Llama 3.2 Meta's code has the factor 8, and transformers 32.`;
    return { unknown };
  }
  const isOfMistral = config.model_type === undefined && get("hidden_dim") !== undefined;
  if (isOfMistral && get(THETA) === undefined) return refuse(THETA); // whose code had two defaults
  const llama3 = { type: "llama3", factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 8192 }; // prettier-ignore
  return {
    read: [...read, ...(scaled.read ?? [])],
    family: {
      ...scaled.family,
      scheme: "rope",
      layout: get(read[0]) === false || halves ? undefined : INTERLEAVED,
      ...(halves && { partial: 1 }),
      names: { num_key_value_heads: "n_kv_heads" },
      ...(type === "transformer" && { preset: undefined, tokens: undefined }),
    },
    keys: {
      ...scaled.keys,
      ...(isScaled && { [SCALING]: llama3 }),
      ...(get("vocab_size") === -1 && { vocab_size: undefined }), // the tokenizer has it
    },
  };
}

/** Families whose halves MLC LLM's kernel rotates as transformers does (its model/.../*_model.py, read). */
const MLC = /^(?:llama|mi[sx]tral|qwen[23](?:_moe)?|gemma|phi3|olmo|internlm2)$/;

/** A mlc-chat-config.json, which has no key that MLC LLM does not read: the scalings of most families are gone. @type {Rule} */
function mlc(get, { type, refuse }) {
  const read = ["position_embedding_base", "context_window_size", "sliding_window_size"];
  const [base, length, window] = read.map(get);
  const rope_theta = base ?? get(THETA);
  if (!MLC.test(type) || !rope_theta) return refuse(base ? read[0] : read[1], " in MLC LLM");
  const scaled = ropeOf(get).type;
  if (scaled !== "default" && scaled !== "llama3") return refuse(SCALING, " in MLC LLM", scaled);
  const max_position_embeddings = length > 0 ? length : undefined;
  const sliding_window = window > 0 ? window : null;
  const family = { defaults: { max_position_embeddings } }; // and not that of transformers
  return { read, family, keys: { rope_theta, max_position_embeddings, sliding_window } };
}

/** Chronos-2, whose encoder has T5's name alone. @type {Rule} */
function t5(get) {
  const unknown = `config.${THETA} is given: Chronos-2, which says t5, rotates.`;
  return get(THETA) === undefined ? undefined : { unknown };
}

/** DPT with another backbone than its own. @type {Rule} */
function dpt(get, from) {
  const [key, ...read] = ["backbone_config", "backbone", "is_hybrid"];
  const isWhole = get(read[1]) === true || (get(key) ?? get(read[0])) === undefined;
  if (isWhole) return embeddingType(get, from) ?? { read };
  const named = get(key) === undefined ? read[0] : key;
  return {
    read,
    unknown: `The model has the positions of its backbone: describe config.${named}.`,
  };
}

/** DINOv2's register tokens. @type {Rule} */
function registers(get, from) {
  const key = "num_register_tokens";
  const besides = `${check.describe(get(key) ?? 4)} register tokens behind the first, without rows`;
  return embeddingType(get, from) ?? { read: [key], family: { besides } };
}

/** LayoutLM v3 without a picture of the page. @type {Rule} */
function layout(get, from) {
  const key = "visual_embed";
  if (get(key) === false) return { read: [key], family: { besides: undefined } };
  const { read = [], ...found } = embeddingType(get, from) ?? {};
  return { ...found, read: [...read, key, "input_size", "patch_size"] };
}

/** StableLM of 2023: a key that its code does not read, and that no file of it changes. @type {Rule} */
function stablelm(get, { refuse }) {
  const key = "rotary_scaling_factor";
  return (get(key) ?? 1) === 1 ? { read: [key] } : refuse(key);
}

/** Scores of attention that have more than the description says. @param {string} what @returns {Rule} */
const more = (what) => (get, from) => ({
  ...embeddingType(get, from),
  notes: [`scores of attention have ${what} besides, which this description does not have`],
});

/** Nemotron-H: its code has no rotation, whatever keys say, and a list of layers tells their number. @type {Rule} */
function nemotronH(get) {
  const listed = get("layer_types") ?? get("layers_block_type") ?? get("hybrid_override_pattern");
  const isListed = isLayered(listed) || typeof listed === "string";
  return {
    read: [THETA, "partial_rotary_factor"],
    keys: isListed && listed.length > 0 ? { [LAYERS]: listed.length } : {},
  };
}

/** Kimi's linear models: their full attention does not rotate, and says so. @type {Rule} */
function kimi(get, { refuse }) {
  const key = "mla_use_nope";
  return get(key) === false ? refuse(key) : { read: [key, THETA] };
}

/** The tower of Kimi K2.5 by its authors' names. @type {Rule} */
function kimiTower(get, { refuse }) {
  const sizes = ["hidden_size", "num_attention_heads", LAYERS];
  const own = sizes.filter((name) => get(`vt_${name}`) !== undefined);
  const values = { pos_emb_type: "divided_fixed", video_attn_type: "spatial_temporal" };
  const other = Object.entries(values).find(([key, value]) => (get(key) ?? value) !== value);
  return {
    ...(other && refuse(other[0])),
    read: Object.keys(values),
    family: { names: Object.fromEntries(own.map((name) => [name, `vt_${name}`])) },
  };
}

/** MiniMax M2's list of the layers of full attention, which are all. @type {Rule} */
function minimax2(get, { refuse }) {
  const key = "attn_type_list";
  const codes = get(key) ?? [];
  return isLayered(codes) && codes.every((code) => code === 1) ? { read: [key] } : refuse(key);
}

/** Phi 1 and 2 in Microsoft's keys: as many columns rotate, at most a head's. @type {Rule} */
function phiMsft(get) {
  const [dim, heads, width = 32] = ["n_embd", "n_head", "rotary_dim"].map(get);
  const areKnown = [dim, heads, width].every(Number.isFinite);
  return areKnown ? { keys: { rotary_dim: Math.min(width, Math.floor(dim / heads)) } } : {};
}

/** MiniMax-M3's text: mlx-lm rotates `rotary_dim` columns, transformers a part of a head. @type {Rule} */
function minimax3(get, { refuse }) {
  const key = "rotary_dim";
  const [width, head = 128, part] = [key, "head_dim", "partial_rotary_factor"].map(get);
  const turned = part === undefined ? width : Number.isFinite(part) && part * head;
  if (![turned, head].every(Number.isFinite) || (width ?? turned) !== turned) {
    return refuse(key, ` (partial_rotary_factor: ${check.describe(part)})`);
  }
  return { read: [key], keys: { partial_rotary_factor: turned / head } };
}

/** Nemotron-NAS: blocks with and without attention, which is LLaMA's. @type {Rule} */
function nemotron(get, { refuse }) {
  const key = "block_configs";
  const blocks = get(key);
  if ((get(KIND) ?? "rope") !== "rope") return refuse(KIND);
  if ((ropeOf(get).entry.rope_theta ?? get(THETA)) === undefined) return refuse(THETA);
  const isKnown =
    isLayered(blocks) && blocks.every((block) => check.isRecord(recordOf(block).attention));
  if (!isKnown) return refuse(key);
  const parts = blocks.map((block) => /** @type {Json} */ (block.attention));
  const has = (/** @type {Json} */ part) => !part.no_op && !part.replace_with_linear;
  const moved = ["unshifted_sink", "num_sink_tokens", "llama4"].find((name) =>
    parts.some((part) => part[name]),
  );
  if (moved) return refuse(`${key}.attention.${moved}`, "", true);
  const groups = new Set(parts.filter(has).map((part) => part.n_heads_in_group));
  const [group] = groups;
  const sizes = [get("num_attention_heads"), group];
  const heads = sizes.every(Number.isFinite) ? sizes[0] / sizes[1] : NaN;
  return {
    read: [key, KIND],
    keys: {
      layer_types: parts.map((part) => (has(part) ? FULL : "mlp")),
      ...(Number.isInteger(heads) && { num_key_value_heads: heads }),
    },
    notes:
      groups.size > 1
        ? [`config.${key}: layers differ in their key and value heads; those of the first are said`]
        : [],
  };
}

/** LLaVA of 2023, whose keys are LLaMA's own; MPT's is another model. @type {Rule} */
function llava(get, { refuse }) {
  const isFlat = ["hidden_size", "num_attention_heads"].every((key) => get(key) !== undefined);
  return isFlat && get("attn_config") === undefined
    ? undefined
    : refuse("text_config", " without LLaMA's own keys");
}

/** LLaDA and the first OLMo, whose code rotates, or has ALiBi, or a table. @type {Rule} */
function llada(get, from) {
  const read = ["rope", "alibi", "multi_query_attention"];
  const [rotates, alibi, shared] = read.map(get);
  if (rotates !== true) return from.refuse(read[0]);
  if (alibi || shared) return from.refuse(read[alibi ? 1 : 2]);
  return plain(get, from) ?? { read };
}

/** OpenELM, whose layers have their own numbers of heads. @type {Rule} */
function openelm(get, { refuse }) {
  const key = "num_kv_heads";
  const heads = get(key);
  const isFull = isLayered(heads) && heads.length === get("num_transformer_layers");
  return isFull ? { read: [key], keys: { num_key_value_heads_per_layer: heads } } : refuse(key);
}

/** Jais and BTLM with ALiBi; rows of a table would be multiplied as words are. @type {Rule} */
const jais = (get, { refuse }) =>
  get(KIND) === "alibi" ? (get("alibi_scaling") ? refuse("alibi_scaling") : { read: [KIND] }) : refuse(KIND); // prettier-ignore

/** CodeShell, whose class has a table of positions unless the file says otherwise. @type {Rule} */
function codeshell(get, from) {
  const read = [KIND, "group_query_attention"];
  if (get(KIND) !== "rope") return from.refuse(KIND);
  if (get(read[1]) === false) return from.refuse(read[1]);
  return linear(get, from) ?? { read };
}

/** Keys that have one value in every file whose code is known. @param {string} keys @param {unknown} [wanted] @returns {Rule} */
const on =
  (keys, wanted = true) =>
  (get, { refuse }) => {
    const read = keys.split(" ");
    const off = read.find((key) => (get(key) ?? wanted) !== wanted);
    return off === undefined ? { read } : refuse(off);
  };

/** The decoder of models whose encoder is described. @param {number} rows */
const decoder = (rows) => `a learned table of ${rows} rows in the decoder`;

/** By families. @type {[types: string, rule: Rule][]} */
const RULES = [
  ["bert", bert],
  ["bloom", embed],
  ["falcon", falcon],
  ["RefinedWeb RefinedWebModel", after(unscaled, falcon)],
  ["internlm", internlm],
  ["transformer", (get, from) => meta(get, from) ?? fla(get, from)],
  ["bros", more("products with sinusoids of words' boxes")],
  ["lilt", more("those of a second stream, of words' boxes,")],
  ["ernie", ernie],
  [
    "swin donut-swin maskformer-swin swinv2 swin2sr",
    read("use_absolute_embeddings", true, "a bias of windows, and a learned table of patches"),
  ],
  ["nemotron_h", nemotronH],
  [LINEAR, on("attn use_rope", false)],
  ["kimi_linear", kimi],
  ["kimi_k25_vision", kimiTower],
  ["minimax_m2", minimax2],
  ["bailing_hybrid", ling],
  ["dbrx", dbrx],
  ["mpt", mpt],
  ["nomic_bert", nomic],
  ["roformer", roformer],
  ["step3p5 step3p7", step],
  ["mimo_v2_flash", mimo],
  ["minimax", minimax],
  ["esm", esm],
  ["gte", rotating],
  ["new", gte],
  ["cohere2_moe", cohere],
  ["molmo2_text", molmo],
  ["deepseek_v4", deepseek],
  ["trocr", trocr],
  [
    "longt5",
    read(
      "encoder_attention_type",
      "transient-global",
      "a relative bias between tokens, and another between tokens and blocks of them",
    ),
  ],
  ["exaone", exaone],
  ["sarvam_mla", sarvam],
  ["dory", dory],
  ["internlm2 aquila aria_moe_lm deepseek Emu3 orion", linear],
  ["bailing_moe", bailing],
  ["moshi", moshi],
  ["llama mistral mixtral", meta],
  ["t5", t5],
  ["dpt", dpt],
  ["dinov2_with_registers", registers],
  ["layoutlmv3", layout],
  // A file without parts, as transformers 4 wrote it.
  ["glm4v", () => ({ notes: ["config has no text_config, which transformers 5 alone reads"] })],
  ["whisper", besides("max_target_positions", decoder)],
  ["led", besides("max_decoder_position_embeddings", decoder)],
  ["git", git],
  ["glm", glm],
  ["qwen2_5_omni_audio_encoder", besides("n_window", chunks, 100)],
  [
    "qwen3_omni_moe_audio_encoder qwen3_asr_encoder qwen3_asr_audio_encoder",
    besides("n_window", chunks, 50),
  ],
  ["minimax_text_01 minimax_m1", plain],
  ["stablelm_epoch", after(plain, stablelm)],
  ["llada hf_olmo", llada],
  // It rotates the part of a head that one key names; the key of a width is not read.
  ["llada2_moe", based("")],
  ["openelm", openelm],
  ["neobert", on("rope")],
  ["jais btlm", jais],
  ["codeshell", codeshell],
  // Of 64 frequencies 20 are those of time.
  ["ernie4_5_moe_vl", (get, from) => (get("freq_allocation") ?? 20) === 20 ? on("rope_3d")(get, from) : from.refuse("freq_allocation")], // prettier-ignore
  ["paddleocr_vl", on("use_3d_rope rope_is_neox_style")],
  ["phi4mm", scaledBy("longrope")],
  ["minicpmv", versioned(2, 2.5, 2.6, 4, 4.5)],
  ["minicpmo", versioned(2.6, 4.5)],
  // Ids from the caller, and norms of queries and keys. Its code scales nothing.
  [
    "molmo",
    after(based(", and the base is not known"), read("use_position_ids attention_layer_norm")),
  ],
  // It resets its mask alone.
  ["yuan", after(unscaled, read("reset_position_ids reset_attention_mask"))],
  ["minicpm", scaledBy("linear", "dynamic", "longrope")],
  ["qwen", after(plain, qwen)],
  ["baichuan", after(unscaled, baichuan)],
  ["chatglm", chatglm],
  ["phi3small", phi3small],
  ["internvl_vision", internvl],
  ["sam_vision_model sam_hq_vision_model", sam],
  ["yolos", yolos],
  ["beit data2vec-vision", beit],
  ["moonshine_streaming", streaming],
  ["detr conditional_detr table-transformer deformable_detr", detr],
  ["phi3_v", scaledBy("su", "longrope")],
  ["phi-msft mixformer-sequential", after(unscaled, phiMsft)],
  // A file may have the base as vllm's port reads it.
  ["xverse", based(": the base is in each model's own code, where 10000 and 500000 are known")],
  ["minimax_m3", after(plain, minimax3)],
  ["nemotron-nas", nemotron],
  ["llava", llava],
  ["llava_llama", (get, from) => meta(get, from) ?? llava(get, from)],
];

/** @type {ReadonlyMap<string, Rule>} */
const OWN = new Map(
  RULES.flatMap(([types, rule]) => types.split(/\s+/).map((type) => [type, rule])),
);

/** A note on a model's own code where transformers has that of the family. @param {Omit<From, "refuse">} from */
function codeNote({ type, config: { auto_map: codes } }) {
  const own = Object.keys(recordOf(codes)).some((key) => key.startsWith("AutoModel"));
  const isKnown = /^(?:llama|mistral|mixtral|qwen[23])$/.test(type);
  return own && isKnown ? ["config.auto_map names the model's own code, which is not read"] : [];
}

/**
 * The family that a configuration describes.
 * @param {Omit<From, "refuse">} from
 * @returns {Required<Pick<Variant, "read" | "notes">> & {family: Family, config: Json}}
 */
export function variantOf(from) {
  const { type, family, config } = from;
  const get = (/** @type {string} */ key) => {
    const value = (Object.hasOwn(config, key) ? config[key] : null) ?? undefined;
    return value !== undefined && FLAGS.test(key) ? check.boolean(value, `config.${key}`) : value;
  };
  /** @type {Refuse} */
  const refuse = (key, what = "", value = get(key)) => ({
    read: [key],
    unknown: `config.${key} is ${check.describe(value)}, and what the code of such a model of the family ${type}${what} does is not known.`,
  });
  /** @type {Variant | undefined} */
  let found;
  const own = OWN.get(type) ?? OWN.get(likeOf(type));
  for (const rule of [config.tensor_parallel_shards ? mlc : own, embeddingType, latents])
    found ??= rule?.(get, { ...from, refuse });
  const { keys, read = [], notes = [], unknown, other, family: made } = found ?? {};
  const said = unknown
    ? { scheme: "unknown", why: unknown }
    : { ...family, ...(other ? { scheme: "other", why: other } : made) };
  const all = [...notes, ...codeNote(from)];
  return { family: said, config: { ...config, ...keys }, read, notes: all };
}
