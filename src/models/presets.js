/**
 * Public models: the keys of their config.json that concern tokens and positions, and its address.
 */

/**
 * @typedef {object} Preset
 * @property {string} source  the address of the configuration
 * @property {string} [note]  information that the file does not have
 * @property {Record<string, unknown>} config
 */

/** @param {string} repository */
const hub = (repository) => `https://huggingface.co/${repository}/blob/main/config.json`;

/**
 * A model of text.
 * @param {string} line  its repository on the hub, `model_type`, words, width, layers, heads, key heads, positions and RoPE's
 *   base, those that it has
 * @param {Record<string, unknown>} [more]
 * @returns {Preset}
 */
function decoder(line, more) {
  const [repository, model_type, ...numbers] = line.split(" ");
  const sizes = numbers.map((size, i) => [SIZES[i], Number(size)]);
  return {
    source: hub(repository),
    config: { model_type, ...Object.fromEntries(sizes), ...more },
  };
}

/**
 * An encoder of square pictures with the sizes of ViT's base model.
 * @param {string} repository  on the hub
 * @param {string} model_type @param {number} image_size @param {number} patch_size
 * @returns {Preset}
 */
function picture(repository, model_type, image_size, patch_size) {
  const sizes = { hidden_size: 768, num_hidden_layers: 12, num_attention_heads: 12 };
  return { source: hub(repository), config: { model_type, ...sizes, image_size, patch_size } };
}

/** The keys of these numbers. */
const SIZES =
  "vocab_size hidden_size num_hidden_layers num_attention_heads num_key_value_heads max_position_embeddings rope_theta".split(
    " ",
  );

const ENCODER = "The encoder; the decoder's 448 positions are learned.";
const DEFAULTS = "By transformers' defaults for this model; its own file was not read.";

const GRANITE_4 = { embedding_multiplier: 12 };

const GEMMA_4 = {
  head_dim: 256,
  global_head_dim: 512,
  rope_parameters: {
    full_attention: { rope_type: "proportional", rope_theta: 1e6, partial_rotary_factor: 0.25 },
    sliding_attention: { rope_type: "default", rope_theta: 1e4 },
  },
};

const GPT_OSS = {
  rope_type: "yarn",
  factor: 32,
  original_max_position_embeddings: 4096,
  beta_fast: 32,
  beta_slow: 1,
  truncate: false,
};

/** The factors of Phi-3.5, which its file has as float32 numbers. */
const PHI_3_5 = {
  type: "longrope",
  long_factor: Array.from(
    new Float32Array([
      1.08, 1.11, 1.14, 1.34, 1.5899999, 1.6, 1.62, 2.6200001, 3.23, 3.23, 4.79, 7.4, 7.7000003,
      9.09, 12.2, 17.67, 24.460001, 28.570002, 30.420002, 30.840002, 32.590004, 32.930004,
      42.320004, 44.960003, 50.340004, 50.450005, 57.550003, 57.930004, 58.210003, 60.140003,
      62.610004, 62.620003, 62.710003, 63.140003, 63.140003, 63.770004, 63.930004, 63.960003, 63.97,
      64.03, 64.07, 64.08, 64.12, 64.41, 64.48, 64.51, 64.53, 64.84,
    ]),
  ),
  short_factor: Array.from(
    new Float32Array([
      1, 1.02, 1.03, 1.03, 1.05, 1.05, 1.05, 1.05, 1.05, 1.0699999, 1.0999999, 1.1099999, 1.1599998,
      1.1599998, 1.1699998, 1.2899998, 1.3399998, 1.6799998, 1.7899998, 1.8199998, 1.8499998,
      1.8799998, 1.9099997, 1.9399997, 1.9899997, 2.0199997, 2.0199997, 2.0199997, 2.0199997,
      2.0199997, 2.0199997, 2.0299997, 2.0299997, 2.0299997, 2.0299997, 2.0299997, 2.0299997,
      2.0299997, 2.0299997, 2.0299997, 2.0799997, 2.0899997, 2.1899996, 2.2199996, 2.5899994,
      2.7299995, 2.7499995, 2.8399994,
    ]),
  ),
};

const presets = {
  "transformer-base": {
    ...decoder(" transformer 37000 512 6 8 8", { position_embedding_type: "sinusoidal" }),
    source: "https://arxiv.org/abs/1706.03762",
    note: "The paper's base model, table 3, with its English-German vocabulary; no config.json exists.",
  },
  gpt2: decoder("openai-community/gpt2 gpt2 50257 768 12 12 12 1024"),
  "bert-base-uncased": decoder("google-bert/bert-base-uncased bert 30522 768 12 12 12 512", {
    type_vocab_size: 2,
    layer_norm_eps: 1e-12,
  }),
  "roberta-base": decoder("FacebookAI/roberta-base roberta 50265 768 12 12 12 514", {
    type_vocab_size: 1,
    layer_norm_eps: 1e-5,
    pad_token_id: 1,
  }),
  "opt-125m": decoder("facebook/opt-125m opt 50272 768 12 12 12 2048"),
  "whisper-base": {
    ...decoder("openai/whisper-base whisper 51865 512 6 8", {
      max_source_positions: 1500,
      max_target_positions: 448,
    }),
    note: ENCODER,
  },
  "t5-base": decoder("google-t5/t5-base t5 32128 768 12 12", {
    head_dim: 64,
    relative_attention_num_buckets: 32,
  }),
  "gpt-j-6b": decoder("EleutherAI/gpt-j-6b gptj 50400 4096 28 16 16 2048", {
    rotary_dim: 64,
  }),
  "gpt-neox-20b": decoder("EleutherAI/gpt-neox-20b gpt_neox 50432 6144 44 64 64 2048", {
    rotary_pct: 0.25,
    rotary_emb_base: 1e4,
  }),
  "llama-2-7b": decoder("meta-llama/Llama-2-7b-hf llama 32000 4096 32 32 32 4096"),
  "codellama-7b": decoder("codellama/CodeLlama-7b-hf llama 32016 4096 32 32 32 16384 1e6"),
  "llama-3.1-8b": decoder("meta-llama/Llama-3.1-8B llama 128256 4096 32 32 8 131072 5e5", {
    rope_scaling: llama3(8),
  }),
  "llama-3.2-1b": decoder("meta-llama/Llama-3.2-1B llama 128256 2048 16 32 8 131072 5e5", {
    head_dim: 64,
    rope_scaling: llama3(32),
  }),
  "mistral-7b-v0.1": decoder("mistralai/Mistral-7B-v0.1 mistral 32000 4096 32 32 8 32768 1e4", {
    sliding_window: 4096,
  }),
  "mistral-7b-v0.3": decoder("mistralai/Mistral-7B-v0.3 mistral 32768 4096 32 32 8 32768 1e6", {
    sliding_window: null,
  }),
  "qwen2.5-7b": decoder("Qwen/Qwen2.5-7B-Instruct qwen2 152064 3584 28 28 4 32768 1e6"),
  "qwen2.5-7b-yarn": {
    ...decoder(" qwen2 152064 3584 28 28 4 32768 1e6", {
      rope_scaling: { type: "yarn", factor: 4, original_max_position_embeddings: 32768 },
    }),
    source: "https://huggingface.co/Qwen/Qwen2.5-7B-Instruct#processing-long-texts",
    note: "With the rope_scaling that the model card adds for texts up to 131,072 tokens.",
  },
  "qwen2-vl-7b": decoder("Qwen/Qwen2-VL-7B-Instruct qwen2_vl 152064 3584 28 28 4 32768 1e6", {
    rope_scaling: { type: "mrope", mrope_section: [16, 24, 24] },
  }),
  "gemma-2b": decoder("google/gemma-2b gemma 256000 2048 18 8 1 8192 1e4", {
    head_dim: 256,
  }),
  "gemma-3-1b": decoder("google/gemma-3-1b-it gemma3_text 262144 1152 26 4 1 32768 1e6", {
    head_dim: 256,
    rope_local_base_freq: 1e4,
    sliding_window_pattern: 6,
    sliding_window: 512,
  }),
  "phi-3-mini-4k": decoder("microsoft/Phi-3-mini-4k-instruct phi3 32064 3072 32 32 32 4096 1e4", {
    original_max_position_embeddings: 4096,
    sliding_window: 2047,
  }),
  "phi-3.5-mini": decoder("microsoft/Phi-3.5-mini-instruct phi3 32064 3072 32 32 32 131072 1e4", {
    original_max_position_embeddings: 4096,
    sliding_window: 262144,
    rope_scaling: PHI_3_5,
  }),
  "deepseek-v3": decoder("deepseek-ai/DeepSeek-V3 deepseek_v3 129280 7168 61 128 128 163840 1e4", {
    kv_lora_rank: 512,
    qk_nope_head_dim: 128,
    qk_rope_head_dim: 64,
    rope_scaling: deepseek(40),
  }),
  "gpt-oss-20b": decoder("openai/gpt-oss-20b gpt_oss 201088 2880 24 64 8 131072 1.5e5", {
    head_dim: 64,
    sliding_window: 128,
    rope_scaling: GPT_OSS,
  }),
  "qwen2.5-vl-7b": decoder(
    "Qwen/Qwen2.5-VL-7B-Instruct qwen2_5_vl 152064 3584 28 28 4 128000 1e6",
    { rope_scaling: { type: "mrope", mrope_section: [16, 24, 24] } },
  ),
  "qwen3-8b": decoder("Qwen/Qwen3-8B qwen3 151936 4096 36 32 8 40960 1e6", {
    head_dim: 128,
  }),
  "qwen3-30b-a3b": decoder("Qwen/Qwen3-30B-A3B qwen3_moe 151936 2048 48 32 4 40960 1e6", {
    head_dim: 128,
  }),
  "qwen3-embedding-0.6b": decoder("Qwen/Qwen3-Embedding-0.6B qwen3 151669 1024 28 16 8 32768 1e6", {
    head_dim: 128,
  }),
  "qwen3-next-80b": decoder(
    "Qwen/Qwen3-Next-80B-A3B-Instruct qwen3_next 151936 2048 48 16 2 262144 1e7",
    { head_dim: 256 },
  ),
  "qwen3.5-27b": decoder("Qwen/Qwen3.5-27B qwen3_5_text 248320 5120 64 24 4 262144", {
    head_dim: 256,
    rope_parameters: { rope_type: "default", rope_theta: 1e7, mrope_section: [11, 11, 10] },
  }),
  "qwen3-vl-8b": decoder("Qwen/Qwen3-VL-8B-Instruct qwen3_vl_text 151936 4096 36 32 8 262144 5e6", {
    head_dim: 128,
    rope_scaling: { rope_type: "default", mrope_section: [24, 20, 20] },
  }),
  "llama-3.3-70b": decoder(
    "meta-llama/Llama-3.3-70B-Instruct llama 128256 8192 80 64 8 131072 5e5",
    { rope_scaling: llama3(8) },
  ),
  "llama-4-scout": {
    ...decoder(
      "meta-llama/Llama-4-Scout-17B-16E-Instruct llama4_text 202048 5120 48 40 8 10485760 5e5",
      {
        head_dim: 128,
        attention_chunk_size: 8192,
        rope_scaling: { ...llama3(16), high_freq_factor: 1 },
      },
    ),
    note: "Its NoPE layers and factors of queries are the family's defaults.",
  },
  "gemma-4-26b": decoder("google/gemma-4-26B-A4B gemma4_text 262144 2816 30 16 8 262144", {
    ...GEMMA_4,
    sliding_window: 1024,
    num_global_key_value_heads: 2,
    attention_k_eq_v: true,
    layer_types: slidingBut(5, 30),
  }),
  "gemma-4-e2b": decoder("google/gemma-4-E2B-it gemma4_text 262144 1536 35 8 1 131072", {
    ...GEMMA_4,
    sliding_window: 512,
    num_kv_shared_layers: 20,
    layer_types: slidingBut(4, 35),
    hidden_size_per_layer_input: 256,
  }),
  "gemma-3n-e4b": {
    ...decoder("google/gemma-3n-E4B gemma3n_text 262400 2048 35 8 2 32768 1e6", {
      head_dim: 256,
      rope_local_base_freq: 1e4,
      sliding_window: 512,
      num_kv_shared_layers: 15,
    }),
    note: DEFAULTS,
  },
  "embeddinggemma-300m": decoder(
    "google/embeddinggemma-300m gemma3_text 262144 768 24 3 1 2048 1e6",
    { head_dim: 256, rope_local_base_freq: 1e4, use_bidirectional_attention: true },
  ),
  "phi-4": decoder("microsoft/phi-4 phi3 100352 5120 40 40 10 16384 2.5e5"),
  "ministral-3-8b": {
    ...decoder("mistralai/Ministral-3-8B-Base-2512 ministral3 131072 4096 34 32 8 262144", {
      head_dim: 128,
      rope_parameters: ministral(1e6, 16, 16384),
    }),
    note: DEFAULTS,
  },
  "mistral-small-3.2-24b": {
    ...decoder(
      "mistralai/Mistral-Small-3.2-24B-Instruct-2506 mistral 131072 5120 40 32 8 131072 1e9",
      { head_dim: 128, sliding_window: null },
    ),
    note: "The text's part, by a copy without the tower for pictures.",
  },
  "devstral-small-2-24b": decoder(
    "mistralai/Devstral-Small-2-24B-Instruct-2512 ministral3 131072 5120 40 32 8 393216",
    { head_dim: 128, rope_parameters: ministral(1e8, 48, 8192) },
  ),
  "exaone-4.0-32b": decoder("LGAI-EXAONE/EXAONE-4.0-32B exaone4 102400 5120 64 40 8 131072 1e6", {
    head_dim: 128,
    sliding_window: 4096,
    layer_types: slidingBut(3, 64),
    rope_scaling: llama3(16),
  }),
  "glm-4.5": {
    ...decoder("zai-org/GLM-4.5 glm4_moe 151552 5120 92 96 8 131072 1e6", {
      head_dim: 128,
    }),
    note: "By the script glm4.5-355B-A32B.sh of slime; its own file was not read.",
  },
  "glm-4.7": decoder("zai-org/GLM-4.7 glm4_moe 151552 5120 92 96 8 202752 1e6", {
    head_dim: 128,
  }),
  "glm-5": decoder("zai-org/GLM-5 glm_moe_dsa 154880 6144 78 64 64 202752", {
    kv_lora_rank: 512,
    index_head_dim: 128,
    qk_nope_head_dim: 192,
    qk_rope_head_dim: 64,
    rope_parameters: { rope_type: "default", rope_theta: 1e6 },
  }),
  "kimi-linear-48b": {
    ...decoder("moonshotai/Kimi-Linear-48B-A3B-Instruct kimi_linear 163840 2304 27 32 32 1048576"),
    note: DEFAULTS,
  },
  "kimi-k2": decoder("moonshotai/Kimi-K2-Instruct kimi_k2 163840 7168 61 64 64 131072 5e4", {
    kv_lora_rank: 512,
    qk_nope_head_dim: 128,
    qk_rope_head_dim: 64,
    rope_scaling: { ...deepseek(32), beta_fast: 1 },
  }),
  "minimax-m2.5": decoder("MiniMaxAI/MiniMax-M2.5 minimax_m2 200064 3072 62 48 8 196608 5e6", {
    head_dim: 128,
    rotary_dim: 64,
  }),
  "deepseek-v3.2": decoder(
    "deepseek-ai/DeepSeek-V3.2 deepseek_v32 129280 7168 61 128 128 163840 1e4",
    {
      kv_lora_rank: 512,
      index_head_dim: 128,
      qk_nope_head_dim: 128,
      qk_rope_head_dim: 64,
      rope_scaling: deepseek(40),
    },
  ),
  "deepseek-v4-flash": decoder(
    "deepseek-ai/DeepSeek-V4-Flash deepseek_v4 129280 4096 43 64 1 1048576 1e4",
    {
      head_dim: 512,
      qk_rope_head_dim: 64,
      compress_rope_theta: 1.6e5,
      compress_ratios: [0, 0, ...Array.from({ length: 41 }, (_, i) => (i % 2 === 0 ? 4 : 128))],
      rope_scaling: {
        type: "yarn",
        factor: 16,
        original_max_position_embeddings: 65536,
        beta_fast: 32,
        beta_slow: 1,
      },
    },
  ),
  "gpt-oss-120b": decoder("openai/gpt-oss-120b gpt_oss 201088 2880 36 64 8 131072 1.5e5", {
    head_dim: 64,
    sliding_window: 128,
    rope_scaling: GPT_OSS,
  }),
  "ernie-4.5-21b": {
    ...decoder("baidu/ERNIE-4.5-21B-A3B-PT ernie4_5_moe 103424 2560 28 20 4 131072 5e5"),
    note: DEFAULTS,
  },
  "olmo-3.1-32b": decoder("allenai/Olmo-3.1-32B-Instruct olmo3 100278 5120 64 40 8 65536 5e5", {
    sliding_window: 4096,
    rope_scaling: {
      rope_type: "yarn",
      factor: 8,
      original_max_position_embeddings: 8192,
      attention_factor: 1.2079441541679836,
      beta_fast: 32,
      beta_slow: 1,
    },
  }),
  "modernbert-base": decoder("answerdotai/ModernBERT-base modernbert 50368 768 22 12 12 8192", {
    global_rope_theta: 1.6e5,
    local_rope_theta: 1e4,
    global_attn_every_n_layers: 3,
  }),
  "all-minilm-l6-v2": decoder("sentence-transformers/all-MiniLM-L6-v2 bert 30522 384 6 12 12 512"),
  "all-mpnet-base-v2": decoder(
    "sentence-transformers/all-mpnet-base-v2 mpnet 30527 768 12 12 12 514",
    { layer_norm_eps: 1e-5 },
  ),
  "e5-base-v2": decoder("intfloat/e5-base-v2 bert 30522 768 12 12 12 512"),
  "bge-m3": decoder("BAAI/bge-m3 xlm-roberta 250002 1024 24 16 16 8194", {
    type_vocab_size: 1,
    layer_norm_eps: 1e-5,
  }),
  "nomic-embed-text-v1.5": decoder(
    "nomic-ai/nomic-embed-text-v1.5 nomic_bert 30528 768 12 12 12 8192",
    { rotary_emb_base: 1000 },
  ),
  "gte-multilingual-base": {
    ...decoder("alibaba-nlp-community/gte-multilingual-base gte 250048 768 12 12 12 8192", {
      type_vocab_size: 1,
    }),
    note: DEFAULTS,
  },
  "jina-embeddings-v3": {
    ...decoder("jinaai/jina-embeddings-v3 jina_embeddings_v3 250002 1024 24 16 16 8194 2e4", {
      type_vocab_size: 1,
    }),
    note: DEFAULTS,
  },
  "dinov3-vitb16": {
    source: hub("facebook/dinov3-vitb16-pretrain-lvd1689m"),
    config: {
      model_type: "dinov3_vit",
      hidden_size: 768,
      num_hidden_layers: 12,
      num_attention_heads: 12,
      num_register_tokens: 4,
      rope_theta: 100,
    },
  },
  "dinov2-base": picture("facebook/dinov2-base", "dinov2", 518, 14),
  "clip-vit-base-patch32": {
    ...decoder("openai/clip-vit-base-patch32 clip_text_model 49408 512 12 8 8 77"),
    note: "The text's tower.",
  },
  "siglip2-base-patch16-224": {
    ...decoder("google/siglip2-base-patch16-224 siglip_text_model 256000 768 12 12 12 64"),
    note: "The text's tower; its file states the vocabulary alone, the rest are transformers' defaults.",
  },
  "whisper-large-v3": {
    ...decoder("openai/whisper-large-v3 whisper 51866 1280 32 20", {
      max_source_positions: 1500,
      max_target_positions: 448,
    }),
    note: ENCODER,
  },
  "wav2vec2-base": decoder("facebook/wav2vec2-base wav2vec2 32 768 12 12"),
  "granite-4.0-1b": decoder(
    "ibm-granite/granite-4.0-1b granitemoehybrid 100352 2048 40 16 4 131072 1e7",
    { ...GRANITE_4, position_embedding_type: "rope", layer_types: Array(40).fill("attention") },
  ),
  "granite-4.0-h-350m": decoder(
    "ibm-granite/granite-4.0-h-350m granitemoehybrid 100352 768 32 12 4 32768 1e4",
    {
      ...GRANITE_4,
      position_embedding_type: "nope",
      layer_types: Array.from({ length: 32 }, (_, layer) =>
        [10, 13, 17, 27].includes(layer) ? "attention" : "mamba",
      ),
    },
  ),
  "falcon-h1-0.5b": decoder("tiiuae/Falcon-H1-0.5B-Base falcon_h1 32784 1024 36 8 2 16384 1e11", {
    head_dim: 64,
    embedding_multiplier: 5.656854249492381,
  }),
  "command-r7b": decoder(
    "CohereLabs/c4ai-command-r7b-12-2024 cohere2 256000 4096 32 32 8 8192 5e4",
    { head_dim: 128, sliding_window_pattern: 4, sliding_window: 4096 },
  ),
  "smollm3-3b": decoder("HuggingFaceTB/SmolLM3-3B smollm3 128256 2048 36 16 4 65536 5e6", {
    no_rope_layer_interval: 4,
  }),
  "falcon-7b": decoder("tiiuae/falcon-7b falcon 65024 4544 32 71", {
    multi_query: true,
    alibi: false,
  }),
  "bloom-560m": decoder("bigscience/bloom-560m bloom 250880 1024 24 16 16 2048"),
  bloom: decoder("bigscience/bloom bloom 250880 14336 70 112 112 2048"),
  "mpt-7b": decoder("mosaicml/mpt-7b mpt 50432 4096 32 32 32 2048", {
    attn_config: { alibi: true, alibi_bias_max: 8 },
  }),
  "vit-base-patch16-224": picture("google/vit-base-patch16-224", "vit", 224, 16),
  "vit-mae-base": picture("facebook/vit-mae-base", "vit_mae", 224, 16),
  "swin-tiny": {
    source: hub("microsoft/swin-tiny-patch4-window7-224"),
    config: {
      model_type: "swin",
      embed_dim: 96,
      depths: [2, 2, 6, 2],
      num_heads: [3, 6, 12, 24],
      window_size: 7,
    },
  },
};

/** @typedef {keyof typeof presets} ModelName  of a model that is known by name */

/** @type {Readonly<Record<ModelName, Preset>>} */
export const PRESETS = Object.freeze(presets);

/**
 * Models that people ask for and of whose config.json no public copy was read, by family.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const UNREAD = Object.freeze({ cohere2: ["CohereLabs/c4ai-command-a-03-2025"] });

/** Llama 3's own scaling. @param {number} factor */
function llama3(factor) {
  return {
    rope_type: "llama3",
    factor,
    low_freq_factor: 1,
    high_freq_factor: 4,
    original_max_position_embeddings: 8192,
  };
}

/** Ministral 3's scaling. @param {number} rope_theta @param {number} factor @param {number} length */
function ministral(rope_theta, factor, length) {
  return {
    rope_type: "yarn",
    rope_theta,
    factor,
    original_max_position_embeddings: length,
    beta_fast: 32,
    beta_slow: 1,
    mscale: 1,
    mscale_all_dim: 1,
    llama_4_scaling_beta: 0.1,
  };
}

/** DeepSeek V3's scaling. @param {number} factor */
function deepseek(factor) {
  return {
    type: "yarn",
    factor,
    original_max_position_embeddings: 4096,
    beta_fast: 32,
    beta_slow: 1,
    mscale: 1,
    mscale_all_dim: 1,
  };
}

/** Sliding layers, and a full one after every few. @param {number} sliding @param {number} layers */
function slidingBut(sliding, layers) {
  return Array.from({ length: layers }, (_, layer) =>
    layer % (sliding + 1) === sliding ? "full_attention" : "sliding_attention",
  );
}
