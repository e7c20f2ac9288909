/**
 * Translates the metadata of a GGUF file, and the tensors that hold its rotary scaling, into the keys of a
 * config.json.
 */
import * as check from "../../runtime/check.js";
import { describe } from "../config.js";

/**
 * @import { Json } from "../keys.js"
 * @import { Model } from "../config.js"
 */

/**
 * Architectures of llama.cpp by the pairs that rotate in its files, whose rows the converter may have
 * reordered, and the family that describes them otherwise where it has another name.
 * @see llama.cpp, src/llama-model.cpp, llama_model_rope_type; src/llama-arch.cpp
 */
const NEIGHBORS = names(
  `llama llama4:llama4_text deci:llama baichuan:llama internlm2:llama xverse:llama command-r:cohere
   cohere2 cohere2moe:cohere2_moe olmo arctic:llama deepseek:llama deepseek2:deepseek_v3
   deepseek2ocr:deepseek_ocr2_text deepseek32:deepseek_v32 plm:llama chatglm:glm granite
   granitemoe granitehybrid:granitemoehybrid chameleon bailingmoe:llama smollm3 arcee ernie4_5
   ernie4_5-moe:ernie4_5_moe mistral3:ministral3 mistral4 llama-embed:llama 
   glm-dsa:glm_moe_dsa glm4 llada:llama`,
);

const HALVES = names(
  `falcon falcon-h1:falcon_h1 dbrx nomic-bert:nomic_bert modern-bert:modernbert eurobert stablelm bitnet
   qwen:llama qwen2 dream:qwen2 qwen2moe:qwen2_moe qwen3 qwen3moe:qwen3_moe llada-moe:qwen3_moe
   olmo2 olmoe phi2:phi phi3 phimoe gemma gemma2 gemma3:gemma3_text gemma3n:gemma3n_text
   gemma4:gemma4_text gemma-embedding:gemma3_text starcoder2 gptneox:gpt_neox codeshell:llama
   orion:llama nemotron exaone:llama exaone4 exaone-moe:exaone_moe minicpm3 dots1
   hunyuan-moe:hunyuan_v1_moe hunyuan-dense:hunyuan_v1_dense hy_v3 jais2 gpt-oss:gpt_oss lfm2
   lfm2moe:lfm2_moe seed_oss apertus minimax-m2:minimax_m2 pangu-embedded:llama afmoe laguna
   qwen3next:qwen3_next mimo2:mimo_v2_flash step35:step3p5 mellum glm4moe:glm4_moe
   qwen2vl:qwen2_vl paddleocr:paddleocr_vl_text qwen3vl:qwen3_vl_text qwen3vlmoe:qwen3_vl_moe_text
   qwen35:qwen3_5_text qwen35moe:qwen3_5_moe_text jina-bert-v3:jina_embeddings_v3`,
);

/** Other architectures whose family has another name. */
const OTHERS = names("t5encoder:t5 kimi-linear:kimi_linear");

/** Architectures whose rotated columns stand apart from the others. */
const APART = new Set(["deepseek2", "deepseek32", "glm-dsa", "mistral4", "minicpm3", "plm"]);

/** @param {string} text  words `architecture` or `architecture:family` @returns {Map<string, string>} */
function names(text) {
  return new Map(
    text
      .trim()
      .split(/\s+/)
      .map((word) => /** @type {[string, string]} */ ([...word.split(":"), word].slice(0, 2))),
  );
}

/** GGUF's keys, after the architecture, by the keys of config.json. */
const KEYS = Object.freeze({
  hidden_size: "embedding_length",
  num_hidden_layers: "block_count",
  num_attention_heads: "attention.head_count",
  num_key_value_heads: "attention.head_count_kv",
  head_dim: "attention.key_length",
  max_position_embeddings: "context_length",
  vocab_size: "vocab_size",
  layer_norm_eps: "attention.layer_norm_epsilon",
  layer_norm_epsilon: "attention.layer_norm_epsilon",
  norm_eps: "attention.layer_norm_epsilon",
  rope_theta: "rope.freq_base",
  rope_local_base_freq: "rope.freq_base_swa",
  global_rope_theta: "rope.freq_base",
  local_rope_theta: "rope.freq_base_swa",
  embedding_multiplier: "embedding_scale",
  scale_emb: "embedding_scale",
  sliding_window: "attention.sliding_window",
  hidden_size_per_layer_input: "embedding_length_per_layer_input",
  relative_attention_num_buckets: "attention.relative_buckets_count",
});

/** Types of scaling by GGUF's names, which are the same; `none` is left out. @type {ReadonlySet<unknown>} */
const SCALINGS = new Set(["linear", "yarn", "longrope"]);

/** GGUF's keys of a scaling, by the keys of config.json. */
const SCALING_KEYS = Object.freeze({
  original_max_position_embeddings: "original_context_length",
  attention_factor: "attn_factor",
  beta_fast: "yarn_beta_fast",
  beta_slow: "yarn_beta_slow",
});

/** The tensors that hold the factors of rotary frequencies, one for each pair. */
export const FACTORS = Object.freeze({
  all: "rope_freqs.weight",
  short: "rope_factors_short.weight",
  long: "rope_factors_long.weight",
});

/**
 * Describes a model by the metadata of its GGUF file, as `models.fromConfig` does by a config.json. The layout
 * is that of the file: LLaMA's queries and keys are reordered when a GGUF file is made, and their
 * layout becomes "interleaved".
 *
 * Llama 3.1's and Phi-3's scaling lies in tensors of the file, which `options.tensors` takes; `open` reads
 * them itself.
 *
 * @param {ReadonlyMap<string, unknown>} metadata  as `gguf.read` returns it
 * @param {{tensors?: Readonly<Record<string, ArrayLike<number>>>}} [options]  the numbers of the tensors
 *   `rope_freqs.weight`, `rope_factors_short.weight` and `rope_factors_long.weight`, those that the file has.
 *   Default: none
 * @returns {Model} the same as that of `models.fromConfig` for the original model, but for the layout
 * @throws {TypeError | RangeError} naming the corresponding key of config.json
 * @see ggml, docs/gguf.md; llama.cpp, convert_hf_to_gguf.py and llama_model_rope_type
 * @example
 * const metadata = new Map(Object.entries({
 *   "general.architecture": "llama",
 *   "llama.embedding_length": 64,
 *   "llama.block_count": 2,
 *   "llama.attention.head_count": 4,
 * }));
 * fromGguf(metadata).positions.rotary
 * // { full_attention: { dim: 16, layout: "interleaved", options: { base: 10000 } } }
 */
export function fromGguf(metadata, options = {}) {
  if (!(metadata instanceof Map)) {
    throw new TypeError(
      `metadata must be a Map, as gguf.read returns it; got ${check.describe(metadata)}`,
    );
  }
  const { tensors = {} } = check.options(options, { tensors: undefined }, "fromGguf");
  return describe(configOf(metadata, tensors), { layout: layoutOf(metadata) });
}

/**
 * @param {ReadonlyMap<string, unknown>} metadata  of `gguf.read`
 * @param {Readonly<Record<string, ArrayLike<number>>>} tensors  by name, of FACTORS
 * @returns {Json}
 */
function configOf(metadata, tensors) {
  const architecture = metadata.get("general.architecture");
  if (typeof architecture !== "string") {
    throw new TypeError("metadata must name general.architecture; got none");
  }
  const of = (/** @type {string} */ key) => known(metadata, `${architecture}.${key}`);
  const get = (/** @type {string} */ key) => plain(of(key));
  const family = [NEIGHBORS, HALVES, OTHERS].map((of) => of.get(architecture)).find(Boolean);
  /** @type {Json} */
  const config = { model_type: family ?? architecture };
  for (const [name, key] of Object.entries(KEYS)) {
    const value = get(key);
    if (value !== undefined) config[name] = value;
  }
  const tokens = metadata.get("tokenizer.ggml.tokens");
  if (Array.isArray(tokens)) config.vocab_size ??= tokens.length;
  readWidths(config, architecture, get);
  const pattern = of("attention.sliding_window_pattern");
  if (typeof pattern === "number") config.sliding_window_pattern = pattern;
  else if (Array.isArray(pattern)) {
    config.layer_types = pattern.map((slides) => (slides ? "sliding_attention" : "full_attention"));
  }
  const scaling = readScaling(get, tensors);
  if (scaling) config.rope_scaling = scaling;
  const sections = of("rope.dimension_sections");
  if (sections !== undefined) {
    const sizes = Array.from(/** @type {ArrayLike<number>} */ (sections), Number);
    config.mrope_section = sizes[3] === 0 ? sizes.slice(0, 3) : sizes;
  }
  if (Number(get("attention.max_alibi_bias")) > 0 && architecture !== "bloom") {
    config.attn_config = { alibi: true, alibi_bias_max: get("attention.max_alibi_bias") };
  }
  return config;
}

/**
 * The layout of the file's rows.
 * @param {ReadonlyMap<string, unknown>} metadata
 * @returns {"halves" | "interleaved" | undefined} undefined for architectures without RoPE, or not known
 */
function layoutOf(metadata) {
  const architecture = String(metadata.get("general.architecture"));
  if (NEIGHBORS.has(architecture)) return "interleaved";
  return HALVES.has(architecture) ? "halves" : undefined;
}

/** @typedef {(key: string) => unknown} Get */

/** The rotated width and that of heads. @param {Json} config @param {string} architecture @param {Get} get */
function readWidths(config, architecture, get) {
  const turned = get("rope.dimension_count");
  if (typeof turned !== "number") return;
  if (APART.has(architecture)) {
    const whole = get("attention.key_length_mla") ?? config.head_dim;
    config.qk_rope_head_dim = turned;
    config.qk_nope_head_dim = typeof whole === "number" ? Math.max(0, whole - turned) : 0;
    return;
  }
  const head = config.head_dim ?? Number(config.hidden_size) / Number(config.num_attention_heads);
  if (turned === head) return;
  if (config.model_type === "gptj") config.rotary_dim = turned;
  else config.partial_rotary_factor = turned / Number(head);
}

/**
 * @param {Get} get @param {Readonly<Record<string, ArrayLike<number>>>} tensors
 * @returns {Json | undefined}
 */
function readScaling(get, tensors) {
  const list = (/** @type {string} */ name) =>
    Object.hasOwn(tensors, name) ? Array.from(tensors[name], Number) : undefined;
  const [all, short, long] = Object.values(FACTORS).map(list);
  /** @type {Json} */
  const keys = {};
  for (const [name, key] of Object.entries(SCALING_KEYS)) {
    const value = get(`rope.scaling.${key}`);
    if (value !== undefined) keys[name] = value;
  }
  const factor = get("rope.scaling.factor");
  if (all) {
    // The factors of Llama 3.1 and others: the same at every length, without a factor of the scores.
    const length = keys.original_max_position_embeddings ?? get("context_length");
    return {
      ...{ rope_type: "longrope", short_factor: all, long_factor: all, factor: 1 },
      ...{ attention_factor: 1, original_max_position_embeddings: length },
    };
  }
  if (short && long) {
    return { rope_type: "longrope", short_factor: short, long_factor: long, ...keys };
  }
  const type = get("rope.scaling.type");
  if (!SCALINGS.has(type) || factor === undefined) return undefined;
  if (type === "longrope") {
    throw new RangeError(
      `tensors must hold ${FACTORS.short} and ${FACTORS.long}; got ${check.describe(tensors)}`,
    );
  }
  const multiplier = get("rope.scaling.yarn_log_multiplier");
  if (type === "yarn" && typeof multiplier === "number" && multiplier !== 0) {
    keys.mscale = keys.mscale_all_dim = multiplier * 10;
    delete keys.attention_factor;
  }
  return { rope_type: type, factor, ...keys };
}

/**
 * A value of the metadata, of the types that a GGUF file has, or undefined.
 * @param {ReadonlyMap<string, unknown>} metadata @param {string} key
 */
function known(metadata, key) {
  const value = metadata.get(key);
  for (const item of Array.isArray(value) ? value : [value]) {
    const isKnown = ["undefined", "number", "bigint", "string", "boolean"].includes(typeof item);
    if (isKnown || ArrayBuffer.isView(item)) continue;
    throw new TypeError(
      `${key} must be numbers, strings or booleans, as gguf.read returns them; got ${check.describe(item)}`,
    );
  }
  return value;
}

/** One number for lists with equal numbers for all layers; undefined for others. @param {unknown} value */
function plain(value) {
  if (typeof value === "bigint") return Number(value);
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  if (!isList) return value;
  const items = /** @type {any} */ (value);
  return items.every((/** @type {unknown} */ item) => item === items[0]) ? items[0] : undefined;
}
