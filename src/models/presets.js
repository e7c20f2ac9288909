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

/** The sizes of a decoder. @param {string} model_type @param {number[]} sizes */
const decoder = (
  model_type,
  [vocab_size, hidden_size, num_hidden_layers, num_attention_heads, num_key_value_heads],
) => ({
  model_type,
  vocab_size,
  hidden_size,
  num_hidden_layers,
  num_attention_heads,
  num_key_value_heads,
});

/** @type {Readonly<Record<string, Preset>>} */
export const PRESETS = Object.freeze({
  "transformer-base": {
    source: "https://arxiv.org/abs/1706.03762",
    note: "The paper's base model, table 3, with its English-German vocabulary; no config.json exists.",
    config: decoder("transformer", [37000, 512, 6, 8, 8]),
  },
  gpt2: {
    source: hub("openai-community/gpt2"),
    config: {
      model_type: "gpt2",
      vocab_size: 50257,
      n_embd: 768,
      n_layer: 12,
      n_head: 12,
      n_positions: 1024,
    },
  },
  "bert-base-uncased": {
    source: hub("google-bert/bert-base-uncased"),
    config: {
      ...decoder("bert", [30522, 768, 12, 12, 12]),
      max_position_embeddings: 512,
      type_vocab_size: 2,
      layer_norm_eps: 1e-12,
    },
  },
  "roberta-base": {
    source: hub("FacebookAI/roberta-base"),
    config: {
      ...decoder("roberta", [50265, 768, 12, 12, 12]),
      max_position_embeddings: 514,
      type_vocab_size: 1,
      layer_norm_eps: 1e-5,
      pad_token_id: 1,
    },
  },
  "opt-125m": {
    source: hub("facebook/opt-125m"),
    config: { ...decoder("opt", [50272, 768, 12, 12, 12]), max_position_embeddings: 2048 },
  },
  "whisper-base": {
    source: hub("openai/whisper-base"),
    note: "The encoder; the decoder's 448 positions are learned.",
    config: {
      model_type: "whisper",
      vocab_size: 51865,
      d_model: 512,
      encoder_layers: 6,
      encoder_attention_heads: 8,
      max_source_positions: 1500,
    },
  },
  "t5-base": {
    source: hub("google-t5/t5-base"),
    config: {
      model_type: "t5",
      vocab_size: 32128,
      d_model: 768,
      d_kv: 64,
      num_layers: 12,
      num_heads: 12,
      relative_attention_num_buckets: 32,
    },
  },
  "gpt-j-6b": {
    source: hub("EleutherAI/gpt-j-6b"),
    config: {
      model_type: "gptj",
      vocab_size: 50400,
      n_embd: 4096,
      n_layer: 28,
      n_head: 16,
      n_positions: 2048,
      rotary_dim: 64,
    },
  },
  "gpt-neox-20b": {
    source: hub("EleutherAI/gpt-neox-20b"),
    config: {
      ...decoder("gpt_neox", [50432, 6144, 44, 64, 64]),
      max_position_embeddings: 2048,
      rotary_pct: 0.25,
      rotary_emb_base: 10000,
    },
  },
  "llama-2-7b": {
    source: hub("meta-llama/Llama-2-7b-hf"),
    config: {
      ...decoder("llama", [32000, 4096, 32, 32, 32]),
      max_position_embeddings: 4096,
      rope_scaling: null,
    },
  },
  "codellama-7b": {
    source: hub("codellama/CodeLlama-7b-hf"),
    config: {
      ...decoder("llama", [32016, 4096, 32, 32, 32]),
      max_position_embeddings: 16384,
      rope_theta: 1e6,
    },
  },
  "llama-3.1-8b": {
    source: hub("meta-llama/Llama-3.1-8B"),
    config: {
      ...decoder("llama", [128256, 4096, 32, 32, 8]),
      max_position_embeddings: 131072,
      rope_theta: 5e5,
      rope_scaling: llama3(8),
    },
  },
  "llama-3.2-1b": {
    source: hub("meta-llama/Llama-3.2-1B"),
    config: {
      ...decoder("llama", [128256, 2048, 16, 32, 8]),
      head_dim: 64,
      max_position_embeddings: 131072,
      rope_theta: 5e5,
      rope_scaling: llama3(32),
    },
  },
  "mistral-7b-v0.1": {
    source: hub("mistralai/Mistral-7B-v0.1"),
    config: {
      ...decoder("mistral", [32000, 4096, 32, 32, 8]),
      max_position_embeddings: 32768,
      rope_theta: 1e4,
    },
  },
  "mistral-7b-v0.3": {
    source: hub("mistralai/Mistral-7B-v0.3"),
    config: {
      ...decoder("mistral", [32768, 4096, 32, 32, 8]),
      max_position_embeddings: 32768,
      rope_theta: 1e6,
    },
  },
  "qwen2.5-7b": {
    source: hub("Qwen/Qwen2.5-7B-Instruct"),
    config: {
      ...decoder("qwen2", [152064, 3584, 28, 28, 4]),
      max_position_embeddings: 32768,
      rope_theta: 1e6,
    },
  },
  "qwen2.5-7b-yarn": {
    source: "https://huggingface.co/Qwen/Qwen2.5-7B-Instruct#processing-long-texts",
    note: "With the rope_scaling that the model card adds for texts up to 131,072 tokens.",
    config: {
      ...decoder("qwen2", [152064, 3584, 28, 28, 4]),
      max_position_embeddings: 32768,
      rope_theta: 1e6,
      rope_scaling: { type: "yarn", factor: 4, original_max_position_embeddings: 32768 },
    },
  },
  "qwen2-vl-7b": {
    source: hub("Qwen/Qwen2-VL-7B-Instruct"),
    config: {
      ...decoder("qwen2_vl", [152064, 3584, 28, 28, 4]),
      max_position_embeddings: 32768,
      rope_theta: 1e6,
      rope_scaling: { type: "mrope", mrope_section: [16, 24, 24] },
    },
  },
  "gemma-2b": {
    source: hub("google/gemma-2b"),
    config: {
      ...decoder("gemma", [256000, 2048, 18, 8, 1]),
      head_dim: 256,
      max_position_embeddings: 8192,
      rope_theta: 1e4,
    },
  },
  "gemma-3-1b": {
    source: hub("google/gemma-3-1b-it"),
    config: {
      ...decoder("gemma3_text", [262144, 1152, 26, 4, 1]),
      head_dim: 256,
      max_position_embeddings: 32768,
      rope_theta: 1e6,
      rope_local_base_freq: 1e4,
      rope_scaling: null,
      sliding_window_pattern: 6,
    },
  },
  "phi-3-mini-4k": {
    source: hub("microsoft/Phi-3-mini-4k-instruct"),
    config: {
      ...decoder("phi3", [32064, 3072, 32, 32, 32]),
      max_position_embeddings: 4096,
      original_max_position_embeddings: 4096,
      rope_theta: 1e4,
      rope_scaling: null,
    },
  },
  "phi-3.5-mini": {
    source: hub("microsoft/Phi-3.5-mini-instruct"),
    config: {
      ...decoder("phi3", [32064, 3072, 32, 32, 32]),
      max_position_embeddings: 131072,
      original_max_position_embeddings: 4096,
      rope_theta: 1e4,
      rope_scaling: {
        type: "longrope",
        // prettier-ignore
        long_factor: [
          1.0800000429153442, 1.1100000143051147, 1.1399999856948853, 1.340000033378601, 1.5899999141693115,
          1.600000023841858, 1.6200000047683716, 2.620000123977661, 3.2300000190734863, 3.2300000190734863,
          4.789999961853027, 7.400000095367432, 7.700000286102295, 9.09000015258789, 12.199999809265137,
          17.670000076293945, 24.46000099182129, 28.57000160217285, 30.420001983642578, 30.840002059936523,
          32.590003967285156, 32.93000411987305, 42.320003509521484, 44.96000289916992, 50.340003967285156,
          50.45000457763672, 57.55000305175781, 57.93000411987305, 58.21000289916992, 60.1400032043457,
          62.61000442504883, 62.62000274658203, 62.71000289916992, 63.1400032043457, 63.1400032043457,
          63.77000427246094, 63.93000411987305, 63.96000289916992, 63.970001220703125, 64.02999877929688,
          64.06999969482422, 64.08000183105469, 64.12000274658203, 64.41000366210938, 64.4800033569336,
          64.51000213623047, 64.52999877929688, 64.83999633789063,
        ],
        // prettier-ignore
        short_factor: [
          1, 1.0199999809265137, 1.0299999713897705, 1.0299999713897705, ...Array(5).fill(1.0499999523162842),
          1.0699999332427979, 1.0999999046325684, 1.1099998950958252, 1.1599998474121094, 1.1599998474121094,
          1.1699998378753662, 1.2899998426437378, 1.339999794960022, 1.679999828338623, 1.7899998426437378,
          1.8199998140335083, 1.8499997854232788, 1.8799997568130493, 1.9099997282028198, 1.9399996995925903,
          1.9899996519088745, ...Array(6).fill(2.0199997425079346), ...Array(9).fill(2.0299997329711914),
          2.0799996852874756, 2.0899996757507324, 2.189999580383301, 2.2199995517730713, 2.5899994373321533,
          2.729999542236328, 2.749999523162842, 2.8399994373321533,
        ],
      },
    },
  },
  "deepseek-v3": {
    source: hub("deepseek-ai/DeepSeek-V3"),
    config: {
      ...decoder("deepseek_v3", [129280, 7168, 61, 128, 128]),
      qk_nope_head_dim: 128,
      qk_rope_head_dim: 64,
      max_position_embeddings: 163840,
      rope_theta: 1e4,
      rope_scaling: {
        type: "yarn",
        factor: 40,
        original_max_position_embeddings: 4096,
        beta_fast: 32,
        beta_slow: 1,
        mscale: 1,
        mscale_all_dim: 1,
      },
    },
  },
  "gpt-oss-20b": {
    source: hub("openai/gpt-oss-20b"),
    config: {
      ...decoder("gpt_oss", [201088, 2880, 24, 64, 8]),
      head_dim: 64,
      max_position_embeddings: 131072,
      rope_theta: 150000,
      rope_scaling: {
        rope_type: "yarn",
        factor: 32,
        original_max_position_embeddings: 4096,
        beta_fast: 32,
        beta_slow: 1,
        truncate: false,
      },
    },
  },
  "smollm3-3b": {
    source: hub("HuggingFaceTB/SmolLM3-3B"),
    config: {
      ...decoder("smollm3", [128256, 2048, 36, 16, 4]),
      max_position_embeddings: 65536,
      rope_theta: 5e6,
      no_rope_layer_interval: 4,
    },
  },
  "falcon-7b": {
    source: hub("tiiuae/falcon-7b"),
    config: {
      model_type: "falcon",
      vocab_size: 65024,
      hidden_size: 4544,
      num_hidden_layers: 32,
      num_attention_heads: 71,
      multi_query: true,
      alibi: false,
    },
  },
  "bloom-560m": {
    source: hub("bigscience/bloom-560m"),
    config: {
      model_type: "bloom",
      vocab_size: 250880,
      n_embed: 1024,
      n_layer: 24,
      num_attention_heads: 16,
      seq_length: 2048,
    },
  },
  bloom: {
    source: hub("bigscience/bloom"),
    config: {
      model_type: "bloom",
      vocab_size: 250880,
      n_embed: 14336,
      n_layer: 70,
      num_attention_heads: 112,
      seq_length: 2048,
    },
  },
  "mpt-7b": {
    source: hub("mosaicml/mpt-7b"),
    config: {
      model_type: "mpt",
      vocab_size: 50432,
      d_model: 4096,
      n_layers: 32,
      n_heads: 32,
      max_seq_len: 2048,
      attn_config: { alibi: true, alibi_bias_max: 8 },
    },
  },
  "vit-base-patch16-224": {
    source: hub("google/vit-base-patch16-224"),
    config: {
      model_type: "vit",
      hidden_size: 768,
      num_hidden_layers: 12,
      num_attention_heads: 12,
      image_size: 224,
      patch_size: 16,
    },
  },
  "vit-mae-base": {
    source: hub("facebook/vit-mae-base"),
    config: {
      model_type: "vit_mae",
      hidden_size: 768,
      num_hidden_layers: 12,
      num_attention_heads: 12,
      image_size: 224,
      patch_size: 16,
    },
  },
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
});

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
