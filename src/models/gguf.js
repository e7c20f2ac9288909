/**
 * Translates the metadata of a GGUF file into the keys of a config.json.
 */

/** @import { Json } from "./config.js" */

/** GGUF's architectures whose names are not those of config.json. @type {Readonly<Record<string, string>>} */
const TYPES = Object.freeze({
  "command-r": "cohere",
  gemma3: "gemma3_text",
  gptneox: "gpt_neox",
  "gpt-oss": "gpt_oss",
  phi2: "phi",
  qwen2moe: "qwen2_moe",
  qwen2vl: "qwen2_vl",
});

/**
 * Architectures whose query and key rows were reordered when the file was made, so that the pairs
 * (2i, 2i + 1) rotate: llama.cpp's rope type NORM.
 */
const REORDERED = new Set(["llama", "llama4", "granite"]);

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
  rope_theta: "rope.freq_base",
  relative_attention_num_buckets: "attention.relative_buckets_count",
});

/** Types of scaling by GGUF's names; `none` is left out. @type {Readonly<Record<string, string>>} */
const SCALINGS = Object.freeze({ linear: "linear", yarn: "yarn", longrope: "longrope" });

/**
 * @param {ReadonlyMap<string, unknown>} metadata  of `gguf.read`
 * @returns {Json}
 */
export function configOf(metadata) {
  const architecture = metadata.get("general.architecture");
  if (typeof architecture !== "string") {
    throw new TypeError("metadata must name general.architecture; got none");
  }
  const get = (/** @type {string} */ key) => plain(metadata.get(`${architecture}.${key}`));
  /** @type {Json} */
  const config = { model_type: TYPES[architecture] ?? architecture };
  for (const [name, key] of Object.entries(KEYS)) {
    const value = get(key);
    if (value !== undefined) config[name] = value;
  }
  const tokens = metadata.get("tokenizer.ggml.tokens");
  if (Array.isArray(tokens)) config.vocab_size ??= tokens.length;
  const turned = get("rope.dimension_count");
  const head = config.head_dim ?? Number(config.hidden_size) / Number(config.num_attention_heads);
  if (typeof turned === "number" && turned !== head) {
    if (config.model_type === "gptj") config.rotary_dim = turned;
    else config.partial_rotary_factor = turned / Number(head);
  }
  if (REORDERED.has(architecture)) config.rope_interleave = true;
  const type = SCALINGS[String(get("rope.scaling.type"))];
  const factor = get("rope.scaling.factor");
  if (type !== undefined && factor !== undefined) {
    const original = get("rope.scaling.original_context_length");
    config.rope_scaling = {
      rope_type: type,
      factor,
      ...(original !== undefined && { original_max_position_embeddings: original }),
    };
  }
  if (Number(get("attention.max_alibi_bias")) > 0 && architecture !== "bloom") {
    config.attn_config = { alibi: true, alibi_bias_max: get("attention.max_alibi_bias") };
  }
  return config;
}

/** One number for lists with equal numbers for all layers; undefined for others. @param {unknown} value */
function plain(value) {
  if (typeof value === "bigint") return Number(value);
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  if (!isList) return value;
  const items = new Set(/** @type {any} */ (value));
  return items.size === 1 ? [...items][0] : undefined;
}
