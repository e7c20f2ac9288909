/**
 * What each family of models does with tokens and positions, by the `model_type` of its config.json.
 * A family that is not here is not described: `models.fromConfig` then says `scheme: "unknown"`.
 *
 * `npm run x -- test:atlas` compares every row with the model's own code, where that can be run alone.
 */

import { COPIES, LINEAR } from "./keys.js";

/** @import { Reader } from "./keys.js" */
/** @import { LayerRule } from "./layers.js" */

/**
 * @typedef {object} Family
 * @property {string} scheme  as in a description's `positions`
 * @property {string} [why]  scheme `other`: what the model has; `unknown`: why
 * @property {Record<string, unknown>} [defaults]  values of keys that a config.json may leave out
 * @property {Record<string, string>} [names]  keys that this family calls otherwise, and their only names
 *
 * @property {"interleaved" | "key"} [layout]  of RoPE; `key`: interleaved unless rope_interleave is false. Default:
 *   halves
 * @property {number | Record<string, number>} [theta]  the base, of all layers or by kind. Default: 10000
 * @property {readonly [key: string, base: number]} [before]  the key of the base in transformers 4 and the default there,
 *   where either is another
 * @property {boolean} [explicit]  the frequencies must be stated: transformers' own default is a scaling, or differs by
 *   the kind of layer
 * @property {boolean} [perKind]  `rope_parameters` must have an entry for each kind of layer
 * @property {number | Record<string, number>} [partial]  the rotated part of a head if the configuration names none,
 *   of all layers or by kind; without it the family does not read partial_rotary_factor
 * @property {string} [rotated]  the key of the rotated width, which must be given unless there is `partial`
 * @property {number} [heads]  how many times the width the heads have together, whatever head_dim says
 * @property {string} [part]  the key of the part that reads the text, in a model of several
 * @property {string} [text]  the family of this part, if it names none
 * @property {string} [vision]  the family of the part for pictures, whatever it names
 * @property {LayerRule} [layers]  the kinds of the layers
 * @property {readonly string[]} [unrotated]  kinds of layers that do not rotate
 * @property {(get: Reader) => boolean} [unrotatedIf]  the condition under which these kinds do not rotate
 * @property {readonly string[]} [scaled]  the only kinds whose frequencies are scaled
 * @property {Record<string, string>} [labels]  names of kinds in `rope_parameters`
 * @property {Record<string, string>} [localBases]  keys of the base of kinds, which are not scaled unless `scaled` has them
 * @property {1} [attentionFactor]  YaRN of an entry for all layers does not change the scores unless it says so
 * @property {true} [flatBases]  an entry for all layers has no base
 * @property {boolean} [nested]  neither `rope_parameters` nor `rope_scaling` may be one entry for all layers
 * @property {true} [current]  rope_scaling is not read, only rope_parameters
 * @property {Record<string, string>} [renamed]  what the family takes types of scaling for
 * @property {readonly string[]} [types]  the only types of scaling with which its code runs
 * @property {readonly string[]} [unread]  keys of RoPE that its code does not read
 * @property {true} [byKind]  `rope_parameters` may have an entry for each kind of layer
 * @property {true} [wide]  partial_rotary_factor is a part of head_dim, not of qk_rope_head_dim
 * @property {true} [alpha]  dynamic scaling with `alpha` is a larger base
 * @property {readonly [string, string]} [factors]  keys of the factor of cosines and sines, for short and for long texts
 * @property {true} [queries]  llama_4_scaling_beta scales the queries
 * @property {string} [bases]  a key with the base of each layer
 * @property {string} [switches]  a key with 0 for each layer that does not rotate. Default: every fourth from the last
 * @property {boolean} [temperature]  Llama 4's factor of the queries in layers that do not rotate; of sincosGrid, whether
 *   the configuration has the base
 * @property {boolean} [trailing]  the last columns of a head rotate instead of the first
 * @property {boolean} [inverse]  rotates by minus the angle
 * @property {"chunked" | "interleaved" | "alternating"} [arrangement]  of M-RoPE, where the family has it
 * @property {readonly number[]} [sections]  of M-RoPE, in the order of the file, where the configuration states none
 *
 * @property {string} [preset]  which rows of a table a model takes; of axialRope, its columns
 * @property {string} [rows]  the key of the number of positions. Default: max_position_embeddings
 * @property {number} [prefix]  rows in front of those of an image's patches
 * @property {string} [suffix]  the key of the number of rows behind them
 * @property {true} [frames]  patches are those of a video's frames
 * @property {true} [padded]  cells of padding count as others do
 * @property {string} [width]  the key of the width of a vision tower. Default: hidden_size
 * @property {3} [axes]  of a vision tower that rotates by time, height and width
 * @property {Record<string, string>} [sizes]  keys of options of axialRope
 * @property {string} [besides]  what the model has besides
 * @property {Record<string, unknown>} [options]  of the scheme's function
 * @property {string} [relative]  a module whose bias the scores of attention have, too
 * @property {"sum" | "concatenate"} [boxes]  what becomes of the rows of words' boxes
 * @property {true} [scaledBias]  relative biases are divided by the square root of the head's width
 * @property {"stages" | "one"} [network]  Swin v2's, which gives the bias of windows: each stage halves the picture, or none
 * @property {true} [pooled]  blocks of layers halve the text, and distances within them double
 * @property {string} [unless]  a key that is false if there is no table of positions
 * @property {number} [extraRows]  rows of the table beyond `max_position_embeddings`
 * @property {number} [unusedRows]  how many rows no position uses
 * @property {number} [first]  of a whole: the position of the first token of its text. Default: 0
 * @property {boolean} [isPaddingFixed]  rows begin after 1, whatever the id of padding
 *
 * @property {string} [longest]  the key of the length from which dynamic scaling starts. Default: max_position_embeddings
 * @property {RegExp} [harmless]  names of keys that this family reads without effect on its description
 *
 * @property {Tokens | string} [tokens]  what happens to the rows of words; a text says why it is not computed
 *
 * @typedef {object} Tokens
 * @property {number} [normEps]  epsilon of a LayerNorm, or the default of its key
 * @property {string} [normEpsKey]  the key of that epsilon
 * @property {string} [normIf]  a key that is true if there is a LayerNorm
 * @property {string} [masked]  the key of the mask's id, where words make up for masked ones if `token_dropout` is true
 * @property {"rms"} [normKind]  an RMSNorm without weights instead
 * @property {boolean} [segments]  whether there is a table of token types
 * @property {number} [types]  the default of `type_vocab_size`. Default: 2
 * @property {string | boolean} [scale]  true: sqrt(dim); a key with a number, or with whether sqrt(dim) multiplies
 * @property {boolean} [scaleDefault]  of a key of the second kind
 * @property {boolean | "bfloat16"} [rounds]  the scale is rounded to the dtype of the weights, or to bfloat16
 * @property {string} [width]  the key of the table's width
 * @property {"words" | "norm"} [projection]  where the linear layer to `dim` is
 * @property {boolean} [always]  it is there even if both widths are equal
 * @property {number} [perLayer]  the default of `hidden_size_per_layer_input`
 * @property {string} [unknown]  a further step, which is not computed
 * @property {readonly ("positions" | "norm")[]} [unused]  what the file has under such a name and the input does not use
 */

/** @type {[types: string, family: Family][]} */
const TABLE = [];

/** @param {string} types @param {Family} family */
const add = (types, family) => void TABLE.push([types, family]);

/** @param {string} types @param {Partial<Family>} [family] */
const rope = (types, family = {}) => add(types, { scheme: "rope", ...family });

/** @param {string} types @param {Partial<Family>} family */
const learned = (types, family) => add(types, { scheme: "learnedPositions", ...family });

/** @param {string} types @param {Partial<Family>} family */
const sinusoidal = (types, family) => add(types, { scheme: "sinusoidal", ...family });

/** @param {string} types @param {string} why */
const other = (types, why) => add(types, { scheme: "other", why });

/** BERT's LayerNorm and table of token types, and the LayerNorm alone. */
const UNTYPED = { normEpsKey: "layer_norm_eps", normEps: 1e-12 };
const BERT = { ...UNTYPED, segments: true };

/** Full attention without positions, as in Cohere 2. */
const FULL = ["full_attention"];

/** Layers without rotation, by a mask or an interval. */
const NOPE = {
  mask: "no_rope_layers",
  every: "no_rope_layer_interval",
  period: 4,
  selected: "no_rope",
  others: "full_attention",
};

/** The multiplier of Granite's embeddings and of others. */
const MULTIPLIED = { scale: "embedding_multiplier" };
const SCALED = { scale: true, rounds: true };
const INTERLEAVED = { layout: /** @type {const} */ ("interleaved") };

// --- RoPE, pairs (i, i + R/2) ------------------------------------------------------------------------

rope(
  `llama arcee aria_text chameleon dbrx diffllama doge dots1 eurobert internlm3 jais2 jetmoe mistral
   olmo olmo2 olmoe qwen2 qwen2_moe qwen3 qwen3_moe seed_oss starcoder2 iquestcoder moshi pocket_tts hy_v4 esmc
   dia_encoder voxtral_realtime_text ministral internlm2 baichuan mimo nemotron-nas phi3_v xverse yuan
   aquila aria_moe_lm deepseek Dream GOT internlm orion dots_ocr`,
);
rope("deepseek_ocr2_text unlimited_ocr_text", { heads: 1 });
rope("bailing_moe bailing_moe_v2", { partial: 1, rotated: "rotary_dim" });
rope("minicpmv minicpmo", { vision: "minicpmv_vision" });
rope("codeshell", { names: { num_key_value_heads: "num_query_groups" } });
rope("PanguEmbedded", { theta: 16e6 });
rope("llada hf_olmo", {
  names: { num_key_value_heads: "n_kv_heads", max_position_embeddings: "max_sequence_length" },
  harmless: /^(?:rope_full_precision|alibi_bias_max)$/,
  tokens: { scale: "input_emb_norm", scaleDefault: false },
});
rope("hunyuan_v1_dense hunyuan_v1_moe", { alpha: true });
rope("ministral3", { explicit: true, queries: true });
rope("phi3 phi4_multimodal", {
  partial: 1,
  renamed: { yarn: "longrope" },
  types: ["longrope"],
  defaults: { original_max_position_embeddings: 4096 },
});
rope("molmo2_text molmo", { tokens: "a second table of words" });
rope("llada_moe", { theta: 5e4, partial: 1, heads: 1 }); // whatever head_dim says
rope("llada2_moe", { partial: 1 });
rope("openelm", {
  names: {
    hidden_size: "model_dim",
    num_hidden_layers: "num_transformer_layers",
    num_attention_heads: "num_query_heads",
    num_key_value_heads: "num_kv_heads",
    max_position_embeddings: "max_context_length",
    rope_theta: "rope_freq_constant",
  },
  harmless: /^rope_max_length$/, // cosines that are computed beforehand
});
rope("phi4mm", { partial: 1, defaults: { original_max_position_embeddings: 4096 } });
rope("llava", { text: "llama", harmless: /^mm_/ });
rope("phi-msft mixformer-sequential", {
  rotated: "rotary_dim",
  names: { num_key_value_heads: "n_head_kv" },
  harmless: /^flash_rotary$/,
});
// As the authors' configuration_phi3_small.py and vLLM's port (phi3_small.py) have it: base, scale of positions, of words.
rope("phi3small", {
  theta: 1e6,
  defaults: { mup_embedding_multiplier: 10 },
  names: { rope_theta: "rope_embedding_base" },
  harmless: /^(?:dense_attention_every_n_layers|blocksparse_\w+|mup_attn_multiplier)$/, // masks, and a scale of scores
  tokens: { scale: "mup_embedding_multiplier" },
});
rope("falcon", { defaults: { max_position_embeddings: 2048 } });
rope("RefinedWeb RefinedWebModel", {
  defaults: { max_position_embeddings: 2048 },
  names: { num_key_value_heads: "n_head_kv" },
});
const RMS = { normEpsKey: "rms_norm_eps", normEps: 1e-6, normKind: /** @type {const} */ ("rms") };
rope("nanochat", { inverse: true, tokens: RMS });
rope("hy_v3", { theta: 11158840 });
rope("bitnet evolla flex_olmo exaone", { theta: 5e5 });
rope("higgs_audio_v2", { explicit: true, theta: 5e5 });
rope("csm", { theta: 5e5, tokens: "a table of text and one of the codes of sound" });
rope("csm_depth_decoder_model", { theta: 5e5, tokens: "vectors of another model" });
rope("kyutai_speech_to_text", { tokens: "a table of text and one for each codebook of sound" });
rope("dia_decoder", { tokens: "a table for each channel of sound" });
rope("mllama_text_model", {
  theta: 5e5,
  defaults: { cross_attention_layers: [3, 8, 13, 18, 23, 28, 33, 38] },
  layers: {
    indices: "cross_attention_layers",
    selected: "cross_attention",
    others: "full_attention",
  },
});
/** M-RoPE's arrangements with their families' default sections. */
const CHUNKED = { arrangement: /** @type {const} */ ("chunked"), sections: [16, 24, 24] };
const WOVEN = { arrangement: /** @type {const} */ ("interleaved"), sections: [24, 20, 20] };
const GLM_V = { ...CHUNKED, sections: [8, 12, 12] };
rope("paddleocr_vl paddleocr_vl_text", { theta: 5e5, ...CHUNKED });
rope("qwen3_vl_text qwen3_vl_moe_text", { theta: 5e5, before: ["rope_theta", 5e6], ...WOVEN });
rope("cohere_compass_text", {
  explicit: true,
  perKind: true,
  ...WOVEN,
  layers: { listed: true },
});
rope("cosmos3_edge_text", { explicit: true, theta: 1e8, ...WOVEN });
rope("mixtral emu3_text_model Emu3", { theta: 1e6 });
rope("phimoe", { theta: 1e6, factors: ["short_mscale", "long_mscale"] });
rope("solar_open", { theta: 1e6, partial: 1 });
rope("cwm", { explicit: true, theta: 1e6 });
rope("qwen2_vl qwen2_5_vl qwen2_vl_text qwen2_5_vl_text qwen2_5_omni_text qwen2_5_omni_talker", {
  theta: 1e6,
  ...CHUNKED,
});
rope("qwen3_omni_moe_text", { theta: 1e6, ...WOVEN });
rope("qwen3_asr_text", { theta: 5e6, ...WOVEN });
rope("qwen3_omni_moe_talker_text", WOVEN);
rope("minimax_m2", { theta: 5e6, rotated: "rotary_dim", partial: 1 });
rope("minimax_m3_vl_text", { theta: 5e6, partial: 1, harmless: /^rotary_dim$/ }); // its class has the key, its code does not
rope("minimax_m3", {
  theta: 5e6,
  partial: 1,
  harmless: /^sparse_attention_config$|^index_/, // masks
});
rope("apertus apertus1p5_text", { explicit: true, theta: 12e6 });
rope("sarvam_moe", { theta: 8e6, partial: 1 });
rope("gpt_oss", { explicit: true, theta: 150000, layers: { period: 2 } });
rope("nemotron phi glm4_moe", { partial: 0.5 });
rope("persimmon", { partial: 0.5, before: ["rope_theta", 25000] });
rope("glm4v_moe_text", { partial: 0.5, ...GLM_V });
rope("recurrent_gemma", {
  partial: 0.5,
  types: [],
  layers: { list: "block_types" },
  defaults: { block_types: ["recurrent", "recurrent", "attention"] },
  tokens: { scale: true, rounds: "bfloat16" },
});
rope("bamba", {
  partial: 0.5,
  layers: { indices: "attn_layer_indices", others: "mamba", listed: true },
});
const NEOX = { rope_theta: "rotary_emb_base", partial_rotary_factor: "rotary_pct" };
rope("gpt_neox", { partial: 0.25, names: NEOX });
rope("gpt_neox_japanese qwen", { partial: 1, names: NEOX });
rope("stablelm", { partial: 0.25 });
rope("stablelm_epoch", { partial: 0.25, names: { partial_rotary_factor: "rope_pct" } });
const QWEN_3_5 = {
  partial: 0.25,
  layers: { every: "full_attention_interval", period: 4, others: "linear_attention" },
};
rope("qwen3_next", QWEN_3_5);
rope("qwen3_5_text qwen3_5_moe_text", { ...QWEN_3_5, ...WOVEN, sections: [11, 11, 10] });
rope("qwen4_exp_text", {
  ...WOVEN,
  sections: [11, 11, 10],
  partial: 1,
  layers: QWEN_3_5.layers,
  tokens: "hashed n-gram embeddings",
});
const MINIMAX = {
  theta: 1e6,
  layers: {
    listed: true,
    // Of files that are older than transformers' class, as MiniMax's own port to vLLM reads them (minimax_text_01.py).
    codes: "attn_type_list",
    kinds: new Map([
      [0, "linear_attention"],
      [1, "full_attention"],
    ]),
  },
  harmless: /^layernorm_(?:full|linear)_attention_(?:alpha|beta)$/, // factors of what enters and leaves a layer
};
rope("minimax", MINIMAX);
rope("minimax_text_01 minimax_m1", { ...MINIMAX, rotated: "rotary_dim", partial: 1 });
rope("lfm2 lfm2_moe", { theta: 1e6, layers: { indices: "full_attn_idxs", others: "conv" } });
rope("olmo_hybrid", { layers: { listed: true } });
// Its sliding layers have this base, whatever rope_theta says.
rope("olmo3", {
  theta: 5e5,
  before: ["rope_theta", 1e4],
  perKind: true,
  localBases: { sliding_attention: "sliding_rope_theta" },
  defaults: { sliding_rope_theta: 5e5 },
  scaled: ["full_attention"],
  layers: { period: 4 },
});
rope("granite granitemoe granitemoeshared hyperclovax granite4_vision_text", {
  tokens: MULTIPLIED,
});
rope("falcon_h1", { tokens: MULTIPLIED, before: ["rope_theta", 1e5] });
rope("granite_docling_text", { tokens: MULTIPLIED, defaults: { embedding_multiplier: 12 } });
rope("granitemoehybrid", {
  tokens: MULTIPLIED,
  layers: { listed: true },
  unrotated: ["full_attention", "attention"],
  unrotatedIf: (get) => get.value("position_embedding_type") !== "rope",
});
// Shared blocks of attention get the words beside their input: their heads have twice the width.
rope("zamba2", {
  heads: 2,
  layers: { list: "layers_block_type", listed: true },
  unrotated: ["hybrid"],
  unrotatedIf: (get) => get.value("use_mem_rope") !== true,
});
rope("granite_swa granitemoe_swa", {
  tokens: MULTIPLIED,
  bases: "layer_rope_theta",
  layers: { period: 4, at: "first" },
});
rope("minicpm minicpm3", { tokens: { scale: "scale_emb" } });
rope("hrm_text", { tokens: "a state of its recurrence" });
rope("gemma gemma2 vaultgemma t5_gemma_module", { tokens: SCALED });
rope("t5gemma", { tokens: SCALED, part: "encoder" });
const GEMMA3 = {
  theta: 1e6,
  perKind: true,
  localBases: { sliding_attention: "rope_local_base_freq" },
  defaults: { rope_local_base_freq: 1e4 },
  layers: { every: "sliding_window_pattern", period: 6 },
};
rope("gemma3_text t5gemma2_text t5gemma2_decoder", { ...GEMMA3, tokens: SCALED });
rope("t5gemma2", { ...GEMMA3, tokens: SCALED, part: "encoder" });
rope("gemma3n_text", {
  ...GEMMA3,
  layers: { period: 5 },
  tokens: { ...SCALED, perLayer: 256, unknown: "AltUp's copies of the input" },
});
/** Entries by the kind of layer, in rope_parameters alone. */
const NESTED = { explicit: true, current: /** @type {const} */ (true), nested: true };
const GEMMA_4 = { ...NESTED, defaults: { global_head_dim: 512 }, tokens: SCALED };
rope("gemma4_text", { ...GEMMA_4, tokens: { ...SCALED, perLayer: 256 } });
rope("gemma4_unified_text embedding_gemma2_text", GEMMA_4);
rope("diffusion_gemma_text", { ...GEMMA_4, partial: 1 });
const MODERN = {
  perKind: true,
  localBases: { full_attention: "global_rope_theta", sliding_attention: "local_rope_theta" },
  defaults: { global_rope_theta: 160000, local_rope_theta: 1e4 },
  scaled: ["full_attention", "sliding_attention"],
  layers: { every: "global_attn_every_n_layers", period: 3, at: "first" },
  harmless: /^position_embedding_type$/, // its published files say "absolute", as BERT's do
  tokens: { normEpsKey: "norm_eps", normEps: 1e-5 },
};
rope("modernbert", MODERN);
rope("modernbert-decoder", { ...MODERN, before: ["global_rope_theta", 160000] });
rope("smollm3", { theta: 2e6, layers: NOPE });
rope("afmoe", {
  layers: { every: "global_attn_every_n_layers" },
  unrotated: FULL,
  tokens: { scale: "mup_enabled", scaleDefault: false },
});
const EXAONE_4 = {
  unrotated: FULL,
  unrotatedIf: (/** @type {Reader} */ get) =>
    get.value("sliding_window") !== undefined || !get.has("sliding_window"),
};
// The first files of EXAONE 4.5 have another name of the text, which transformers takes for exaone4.
rope("exaone4 exaone4_5_text exaone_moe", {
  ...EXAONE_4,
  layers: { every: "sliding_window_pattern" },
});
rope("kolibri1", { ...EXAONE_4, layers: { listed: true } });
rope("flint", { unrotated: FULL, layers: { listed: true } });
rope("lara_mini", {
  unrotated: FULL,
  layers: { list: "released_pattern" },
  defaults: {
    released_pattern: "linear sliding linear full sliding"
      .split(" ")
      .map((kind) => `${kind}_attention`),
  },
});
rope("dory", {
  perKind: true,
  explicit: true,
  layers: { listed: true },
});
rope("zaya", { ...NESTED, partial: 1, tokens: "a bias and a scale of each column" });
// Further heads of sliding layers, which rotate as the others do.
const SLIDING_HEADS = /^num_(?:sliding_attention_heads|attention_heads_per_layer)$/;
rope("laguna mellum", { ...NESTED, partial: 1, harmless: SLIDING_HEADS });
rope("mimo_v2_flash", { ...NESTED, partial: 0.334, harmless: SLIDING_HEADS });
rope("step3p5 step3p7", { partial: 1, byKind: true, harmless: SLIDING_HEADS });
rope("beam", NESTED);
rope("lfm3", { explicit: true, nested: true, theta: 1e6 });
rope("ultrabert", { explicit: true, nested: true });
const MUSE = { switches: "layer_rope_theta", tokens: { ...RMS, normEps: 1e-5 } };
rope("muse_glimmer_text", MUSE);
rope("muse_spark_text", { ...MUSE, explicit: true });
rope("neomme", {
  ...NESTED,
  theta: { full_attention: 1e6, sliding_attention: 1e4 },
  partial: { full_attention: 0.25, sliding_attention: 1 },
  tokens: { ...RMS, normEpsKey: "norm_eps", width: "embedding_rank", projection: "words" },
});
rope("gte", { theta: 160000, tokens: { ...BERT, types: 1 } });
rope("new", { tokens: { ...BERT, types: 1 } });
rope("nomic_bert", { theta: 1000, tokens: BERT });
rope("jina_embeddings_v3", {
  theta: 20000,
  tokens: { ...BERT, normEps: 1e-5, types: 1 },
});

/** Base 10000, without scaling. */
const UNREAD = ["rope_theta", "rope_scaling", "rope_parameters", "partial_rotary_factor"];

// --- RoPE, pairs (2i, 2i + 1) ------------------------------------------------------------------------

rope("cohere", { ...INTERLEAVED, theta: 5e5, before: ["rope_theta", 1e4] });
rope("ernie4_5 ernie4_5_moe blt_local_encoder", { ...INTERLEAVED, theta: 5e5 });
// Not in transformers, where the code is the authors' or a port of it: aquila, aria_moe_lm, bailing_moe, bailing_moe_v2,
// baichuan, btlm, chatglm, codeshell, deepseek, dots_ocr, Dream, Emu3, ernie4_5_moe_vl, florence2_language, GOT, hf_olmo,
// internlm, internlm2, jais, llada, llada_moe, llada2_moe, llava of 2023, mimo, minicpm, minicpmo, minicpmv, minimax_m1,
// minimax_m3, minimax_text_01, mixformer-sequential, molmo, moss, nemotron-nas, neobert, new, openelm, orion,
// PanguEmbedded, phi-msft, phi3_v, phi3small, phi4mm, qwen, qwen3_asr_text, RefinedWeb, stablelm_epoch, xverse, yuan
// and the copies below. Run: molmo, phi4mm, yuan.
rope("chatglm", {
  ...INTERLEAVED,
  partial: 0.5,
  harmless:
    /^(?:apply_query_key_layer_scaling|attention_softmax_in_fp32|multi_query_attention|multi_query_group_num)$/,
});
const COHERE2 = {
  ...INTERLEAVED,
  layers: { every: "sliding_window_pattern", period: 4 },
  unrotated: FULL,
};
rope("cohere2", COHERE2);
rope("cohere2_moe", { ...COHERE2, current: true });
rope("ernie4_5_vl_moe_text ernie4_5_moe_vl", {
  ...INTERLEAVED,
  theta: 5e5,
  arrangement: "alternating",
  sections: [22, 22, 20],
});
rope("glm glm4", { ...INTERLEAVED, partial: 0.5 });
rope("glm4v glm4v_text glm_ocr_text", { ...INTERLEAVED, partial: 1, ...GLM_V });
rope("glm_image_text", { partial: 1, ...GLM_V });
rope("helium", { ...INTERLEAVED, theta: 1e5 });
rope("neobert", {
  ...INTERLEAVED,
  unread: UNREAD,
  names: { max_position_embeddings: "max_length" },
});
rope("blt_patcher deepseek_v2 deepseek_v32 axk2 glm_moe_dsa", INTERLEAVED);
rope("dots3_note_text", {
  ...INTERLEAVED,
  explicit: true,
  theta: 8e7,
  byKind: true,
  wide: true,
  layers: { listed: true },
});
// kimi_k2 is not in transformers: its repositories have DeepSeek V3's code.
rope("deepseek_v3 axk1 youtu kimi_k2", { layout: "key" });
rope("glm4_moe_lite", { layout: "key", partial: 1 });
rope("mistral4", { layout: "key", explicit: true, queries: true, partial: 0.5, wide: true });
rope("sarvam_mla", { layout: "key", harmless: /^q_head_dim$/ });
rope("hy_v4_vl_text", { ...INTERLEAVED, ...WOVEN, sections: [12, 10, 10] });
rope("longcat_flash", { ...INTERLEAVED, theta: 1e7 });
rope("bailing_hybrid", {
  ...INTERLEAVED,
  theta: 6e6,
  layers: { listed: true, every: "layer_group_size", others: "linear_attention" },
});
rope("llama4_text", {
  temperature: true,
  ...INTERLEAVED,
  theta: 5e5,
  layers: NOPE,
});
const COMPRESSED = ["compressed_sparse_attention", "heavily_compressed_attention"];
rope("deepseek_v4", {
  ...INTERLEAVED,
  trailing: true,
  partial: 64 / 512,
  scaled: COMPRESSED,
  attentionFactor: 1,
  flatBases: true,
  localBases: Object.fromEntries(COMPRESSED.map((kind) => [kind, "compress_rope_theta"])),
  defaults: { compress_rope_theta: 160000 },
  layers: {
    codes: "compress_ratios",
    kinds: new Map([
      [0, "sliding_attention"],
      [4, COMPRESSED[0]],
      [128, COMPRESSED[1]],
    ]),
  },
  labels: {
    sliding_attention: "main",
    compressed_sparse_attention: "compress",
    heavily_compressed_attention: "compress",
  },
});
const OF_DECODER = ["num_attention_heads", "num_hidden_layers", "num_key_value_heads"];
const PADDED = /^encoder_num_|^pad_head_dim_to_multiple_of$/; // both parts rotate alike; padding is cut off
rope("moonshine_streaming", { ...INTERLEAVED, partial: 0.8, harmless: PADDED });
rope("moonshine", {
  ...INTERLEAVED,
  partial: 0.9,
  names: Object.fromEntries(OF_DECODER.map((key) => [key, `decoder_${key}`])),
  harmless: PADDED,
});
rope("gptj codegen moss", { ...INTERLEAVED, rotated: "rotary_dim", unread: UNREAD });
rope("openai_privacy_filter", { ...INTERLEAVED, explicit: true, theta: 150000 });
rope("roformer", {
  ...INTERLEAVED,
  unread: UNREAD,
  tokens: {
    ...BERT,
    width: "embedding_size",
    projection: "norm",
    unused: ["positions"],
  },
});

// --- learned tables ----------------------------------------------------------------------------------

const FACTORIZED = { width: "embedding_size", projection: /** @type {const} */ ("norm") };

learned(
  `bert align_text_model bros chinese_clip_text_model dpr ernie flava_text_model splinter
   squeezebert visual_bert`,
  { preset: "bert", tokens: BERT },
);
learned("big_bird", {
  harmless: /^attention_type$/, // a mask
  preset: "bert",
  tokens: { ...BERT, scale: "rescale_embeddings", scaleDefault: false },
});
/** The width of the table of words where a file states none. @param {number} embedding_size */
const factorized = (embedding_size) => ({ preset: "bert", defaults: { embedding_size } });
learned("convbert", { ...factorized(768), tokens: { ...BERT, ...FACTORIZED } });
learned("electra", { ...factorized(128), tokens: { ...BERT, ...FACTORIZED } });
learned("albert", { ...factorized(128), tokens: { ...BERT, ...FACTORIZED, always: true } });
learned("rembert", {
  preset: "bert",
  defaults: { input_embedding_size: 256 },
  tokens: { ...BERT, width: "input_embedding_size", projection: "norm", always: true },
});
learned("fnet", {
  preset: "bert",
  tokens: { ...BERT, types: 4, projection: "norm", always: true },
});
learned("megatron-bert", { preset: "bert", tokens: { segments: true } });
learned("bert-generation git blip_text_model distilbert", { preset: "bert", tokens: UNTYPED });
learned("deberta deberta-v2", {
  preset: "bert",
  relative: "deberta",
  defaults: { relative_attention: false },
  unless: "position_biased_input",
  tokens: {
    ...BERT,
    normEps: 1e-7,
    types: 0,
    width: "embedding_size",
    projection: "words",
  },
});
/** Where a file does not say how many token types there are, or the LayerNorm's epsilon. */
const ONE_TYPE = { ...BERT, types: 1 };
const COARSE = { ...BERT, normEps: 1e-5 };
const BART_ROWS = { preset: "bart", extraRows: 2 };
learned("nystromformer", { ...BART_ROWS, tokens: COARSE });
learned("mra", { ...BART_ROWS, tokens: { ...COARSE, types: 1 } });
learned("yoso", { ...BART_ROWS, tokens: ONE_TYPE });
const ROBERTA_ROWS = { preset: "roberta", unusedRows: 2 };
learned(
  `roberta xlm-roberta camembert data2vec-text xmod roberta-prelayernorm longformer luke lilt ibert`,
  { ...ROBERTA_ROWS, tokens: BERT },
);
learned("altclip_text_model bridgetower_text_model", {
  ...ROBERTA_ROWS,
  tokens: { ...COARSE, types: 1 },
});
learned("clap_text_model", { ...ROBERTA_ROWS, tokens: ONE_TYPE });
learned("esm", {
  preset: "roberta",
  unusedRows: 2,
  harmless: /^(?:esmfold_config|rope_theta)$/, // what comes behind the last layer; a base without rotation
  tokens: { ...UNTYPED, normIf: "emb_layer_norm_before", masked: "mask_token_id" },
});
learned("xlm-roberta-xl", {
  preset: "roberta",
  unusedRows: 2,
  tokens: { segments: true, types: 1 },
});
learned("mpnet", {
  relative: "t5Bias",
  preset: "roberta",
  unusedRows: 2,
  isPaddingFixed: true,
  tokens: UNTYPED,
});
/** A page's layout: tables of the edges and sizes of words' boxes, and in the later versions biases between boxes. */
const BOXES = "tables of the edges, the height and the width of the box of each word";
const LAYOUT = {
  tokens: { ...BERT, unknown: BOXES },
  boxes: /** @type {const} */ ("concatenate"),
  relative: "t5Bias",
  defaults: {
    num_attention_heads: 12,
    max_2d_position_embeddings: 1024,
    rel_pos_bins: 32,
    max_rel_pos: 128,
    rel_2d_pos_bins: 64,
    max_rel_2d_pos: 256,
  },
};
learned("layoutlm", { ...LAYOUT, preset: "bert", boxes: "sum", relative: undefined });
learned("layoutlmv2", { ...LAYOUT, preset: "bert" });
learned("layoutlmv3", {
  ...LAYOUT,
  preset: "roberta",
  unusedRows: 2,
  scaledBias: true,
  besides: "another learned table for the patches of the page's picture",
  tokens: { ...BERT, normEps: 1e-5, unknown: BOXES },
});
learned("xlm flaubert", { preset: "bert", tokens: UNTYPED });
/** @param {number} rows  where a file does not say @returns {Partial<Family>} */
const gpt2 = (rows) => ({
  preset: "gpt2",
  defaults: { max_position_embeddings: rows },
  harmless: /^attention_(?:types|layers)$/, // masks of GPT-Neo
});
learned("gpt2 gpt-sw3 gpt_bigcode imagegpt", gpt2(1024));
learned("gpt_neo", gpt2(2048));
learned("openai-gpt", gpt2(512));
learned(
  `clip_text_model clipseg_text_model owlvit_text_model owlv2_text_model groupvit_text_model
   siglip_text_model siglip2_text_model xclip_text_model metaclip_2_text_model aimv2_text_model`,
  { preset: "gpt2" },
);
const SQRT = { scale: "scale_embedding", scaleDefault: false };
learned("opt", {
  preset: "opt",
  extraRows: 2,
  tokens: { width: "word_embed_proj_dim", projection: "words" },
});
learned("biogpt", { preset: "bart", extraRows: 2, tokens: { ...SQRT, scaleDefault: true } });
learned("bart mbart mvp florence2_language", {
  preset: "bart",
  extraRows: 2,
  tokens: { ...SQRT, normEps: 1e-5 },
});
learned("plbart pp_formulanet_text", {
  preset: "bart",
  extraRows: 2,
  tokens: { ...SQRT, scaleDefault: true, normEps: 1e-5 },
});
learned("trocr", { preset: "bart", extraRows: 2, tokens: { ...SQRT, normEps: 1e-5 } });
// Its layernorm_embedding is after the last layer.
learned("bigbird_pegasus", {
  harmless: /^attention_type$/, // a mask
  preset: "bert",
  tokens: { ...SQRT, scaleDefault: true, unused: ["norm"] },
});
learned("led", {
  preset: "bert",
  rows: "max_encoder_position_embeddings",
  tokens: { normEps: 1e-5 },
});
learned("blenderbot", { preset: "bert", tokens: SQRT });
learned("blenderbot-small", { preset: "bert", tokens: { ...SQRT, normEps: 1e-5 } });

// --- sinusoids, relative biases, ALiBi, and no positions ----------------------------------------------

const HALVES = { layout: "halves" };
const FAIRSEQ = { layout: "halves", spectrum: "tensor2tensor" };

sinusoidal("transformer", { preset: "vaswani", tokens: { scale: true } });
const WHISPER = { preset: "whisper", rows: "max_source_positions" };
sinusoidal("whisper qwen3_asr_encoder qwen3_asr_audio_encoder", WHISPER);
sinusoidal("qwen2_5_omni_audio_encoder qwen3_omni_moe_audio_encoder", {
  ...WHISPER,
  defaults: { max_source_positions: 1500 },
});
// Their tables are in the file, whatever Whisper's has.
learned(
  "voxtral_encoder qwen2_audio_encoder audioflamingo3_encoder moss_transcribe_diarize_audio",
  {
    preset: "bert",
    rows: "max_source_positions",
  },
);
sinusoidal("marian pegasus", {
  harmless: /^extra_pos_embeddings$/, // of the learned table that these models do not have
  preset: "marian",
  options: HALVES,
  tokens: { ...SQRT, unused: ["positions"] },
});
sinusoidal("ctrl", { preset: "marian", options: HALVES, tokens: { scale: true } });
sinusoidal("musicgen_decoder musicgen_melody_decoder", {
  harmless: /^scale_embedding$/, // nothing is multiplied by it
  preset: "marian",
  options: { layout: "flipped", spectrum: "tensor2tensor" },
  tokens: "a table for each codebook of sound",
});
sinusoidal("m2m_100 nllb-moe kosmos_2_text_model", {
  preset: "fairseq",
  options: FAIRSEQ,
  tokens: { ...SQRT, scaleDefault: true },
});
sinusoidal("kosmos_2_5_text_model", {
  preset: "fairseq",
  options: FAIRSEQ,
  tokens: { ...SQRT, scaleDefault: true, segments: true },
});
sinusoidal("fsmt", {
  preset: "fairseq",
  options: FAIRSEQ,
  tokens: { ...SQRT, scaleDefault: true, unused: ["positions"] },
});
sinusoidal("tipsv2_text_model", {
  preset: "marian",
  options: FAIRSEQ,
  tokens: { scale: "scale_sqrt_depth", scaleDefault: true },
});
sinusoidal("videoprism_text_model", {
  preset: "marian",
  options: HALVES,
  tokens: { scale: true, unknown: "a learned vector behind the last token" },
});
sinusoidal("xglm", { preset: "xglm", options: FAIRSEQ, tokens: { ...SQRT, scaleDefault: true } });

/** @type {Family} */
const T5 = {
  scheme: "t5Bias",
  defaults: { relative_attention_num_buckets: 32, relative_attention_max_distance: 128 },
};
add("t5 mt5 longt5 switch_transformers pop2piano pix2struct_text_model", T5);
add("umt5", { ...T5, besides: "a table in each layer; T5's layers have that of the first" });
add("xlnet", { scheme: "transformerXL", names: { head_dim: "d_head" } });
add("funnel", {
  scheme: "transformerXL",
  names: { head_dim: "d_head" },
  defaults: { d_head: 64, block_sizes: [4, 4, 4] },
  harmless: /^attention_type$/, // two ways to compute the same
  pooled: true,
  tokens: { ...UNTYPED, normEps: 1e-9 },
});
add("bloom", {
  scheme: "alibi",
  harmless: /^offset_alibi$/, // of its training; a constant changes no probability
  tokens: { normEpsKey: "layer_norm_epsilon", normEps: 1e-5 },
});
add("mpt", { scheme: "alibi", defaults: { max_seq_len: 2048 } });
add("jais btlm", { scheme: "alibi", tokens: { scale: "embeddings_scale" } });
add(
  `model2vec mamba mamba2 falcon_mamba rwkv xlstm jamba zamba nemotron_h kimi_linear glm5_next_text
   ${LINEAR}`,
  {
    scheme: "none",
    // Which layers have attention, and widths of columns that do not rotate.
    harmless:
      /^(?:layer_types|layers_block_type|hybrid_override_pattern|attn_layer_(?:offset|period)|linear_attn_config|attn_mode|qk_(?:nope|rope)_head_dim)$/,
  },
);

// --- pictures ------------------------------------------------------------------------------------------

const PATCHES = { scheme: "learnedPositions", preset: "vit" };
/** @param {string} types @param {number} prefix @param {Partial<Family>} [family] */
const picture = (types, prefix, family = {}) => add(types, { ...PATCHES, prefix, ...family });
picture(
  `vit vit_msn clip_vision_model clipseg_vision_model chinese_clip_vision_model altclip_vision_model
   blip_vision_model blip_2_vision_model instructblip_vision_model dinov2 kosmos_2_vision_model
   git_vision_model owlvit_vision_model owlv2_vision_model xclip_vision_model metaclip_2_vision_model
   bridgetower_vision_model intern_vit_6b internvl_vision`,
  1,
);
picture("dinov2_with_registers", 1, { preset: "timm" });
picture("dpt", 1, { options: { method: "bilinear" } });
picture("deit", 2);
picture("siglip_vision_model ijepa groupvit_vision_model", 0);
// Its depth is that of what follows the tower.
picture("janus_vision_model", 0, {
  names: { num_hidden_layers: "num_hidden_layers" },
  defaults: { num_hidden_layers: 24 },
});
picture("idefics2_vision idefics3_vision smolvlm_vision minicpmv_vision", 0, {
  besides: "rows by fractions of the sides of pictures of other sizes: nothing is resized",
});
learned("siglip2_vision_model", {
  preset: "vit",
  rows: "num_patches",
  defaults: { num_patches: 256 },
  options: { prefix: 0, method: "bilinear", sampling: "antialiased" },
});
add("beit data2vec-vision", { scheme: "none", prefix: 1 }); // unless its file has keys that are true
add("yolos", {
  ...PATCHES,
  prefix: 1,
  suffix: "num_detection_tokens",
  besides: "detection tokens with the last rows",
});
add("sam_vision_model sam_hq_vision_model", {
  ...PATCHES,
  prefix: 0,
  harmless: /^num_pos_feats$/, // of prompts
  besides:
    "windowBias.decomposed in attention, over windows of window_size and, in the layers of global_attn_indexes, over all",
});
sinusoidal("videomae", { preset: "vaswani", frames: true });
add("detr conditional_detr table-transformer", { scheme: "sincosGrid", preset: "detr" });
const LEVELS = { besides: "a learned row for each level of features" };
add("deformable_detr", { scheme: "sincosGrid", preset: "deformable_detr", ...LEVELS });
add("mask2former", {
  scheme: "sincosGrid",
  preset: "detr",
  padded: true,
  names: { hidden_size: "hidden_dim" },
  defaults: { hidden_dim: 256 },
  ...LEVELS,
});
add("dab-detr", {
  scheme: "sincosGrid",
  preset: "detr",
  temperature: true,
  harmless: /^keep_query_pos$/, // of its decoder
  besides: "a factor in each layer, by a network of the hidden state",
});
/** Vision towers that rotate by rows and columns. @param {string} types @param {Partial<Family>} [family] */
const vision = (types, family = {}) =>
  add(types, { scheme: "axialRope", preset: "qwen2_vl", harmless: /^layer_types$/, ...family });
/** Four patches become a token where a file does not say how many. */
const MERGED = { defaults: { spatial_merge_size: 2 } };
const RESIZED = { besides: "a learned table of positions, resized to the grid" };

vision(
  `qwen2_5_vl_vision qwen2_5_omni_vision_encoder ernie4_5_vl_moe_vision exaone4_5_vision
   glm5_next_vision glm_ocr_vision dots3_note_vision_encoder`,
  MERGED,
);
vision("video_llama_3_vision");
vision("lfm3_vl_vision", { ...MERGED, theta: 1e6 });
vision("qwen2_vl_vision", {
  width: "embed_dim",
  defaults: { embed_dim: 1280, depth: 32, num_heads: 16, spatial_merge_size: 2 },
});
vision(
  `qwen3_vl_vision qwen3_vl_moe_vision qwen3_omni_moe_vision_encoder qwen3_5_vision
   qwen3_5_moe_vision qwen4_exp_vision cohere_compass_vision glm4v_vision glm4v_moe_vision
   paddleocr_vl_vision`,
  { ...MERGED, ...RESIZED },
);
vision("step3p5_vision", { options: { order: [1, 0] }, ...RESIZED });
vision("muse_glimmer_vision muse_spark_vision", {
  options: { order: [1, 0], offset: 1 },
  ...RESIZED,
});
vision("inkling2_vision", { ...MERGED, preset: "llama4_vision", prefix: 1, ...RESIZED });
vision("llama4_vision_model", {
  preset: "llama4_vision",
  options: { suffix: 1 },
  besides: "a learned table of positions",
});
vision("kimi_k25_vision", {
  preset: "kimi_k25",
  besides: "a learned table of positions, resized to the grid, and sinusoids of time",
});
vision("minimax_m3_vl_vision", { ...MERGED, axes: 3 });
vision("pixtral", { preset: "pixtral" });
vision("dinov3_vit", { preset: "dinov3_vit", theta: 100, prefix: 1 });
vision("sam3_vit_model", {
  preset: "sam3_vit",
  sizes: { pretrained: "window_size" },
  besides: "a learned table of positions, repeated over the grid",
});
add("vit_mae", { scheme: "sincosGrid", preset: "vit_mae" });
const SWIN = {
  scheme: "windowBias",
  names: { hidden_size: "embed_dim", num_hidden_layers: "depths" }, // hidden_size is that of the last stage
};
add("swin donut-swin maskformer-swin", SWIN);
add("swinv2", { ...SWIN, network: "stages", defaults: { image_size: 224, patch_size: 4 } });
add("swin2sr", { ...SWIN, network: "one", defaults: { image_size: 64, patch_size: 1 } });

// --- families that do something which phasor does not compute ----------------------------------------

other("reformer", "a product of two tables of positions");
other("canine", "a table of positions, and hashed embeddings of characters");
other(
  "blt",
  "hashed embeddings of n-grams of bytes, and attention that gathers the bytes into patches",
);
other("perceiver", "positions of its latents");
other("layoutxlm udop markuplm tapas", "tables for a page's layout");
other("mobilebert", "a table of positions, and embeddings of three neighboring tokens");
other("roc_bert", "a table of positions, and tables of shapes and pronunciations");
other(
  "wav2vec2 hubert unispeech unispeech-sat sew data2vec-audio",
  "a convolution over the frames of sound",
);
other("wavlm", "a convolution over the frames of sound, and a gated relative bias");
other("sew-d", "a convolution over the frames of sound, and disentangled attention");
other(
  "wav2vec2-bert wav2vec2-conformer",
  "attention that is relative or rotary, as position_embeddings_type says",
);
other(
  "gemma4_vision",
  "rotary embeddings of rows in one half of a head and of columns in the other, and two learned tables",
);
other(
  "mlcd mlcd_vision_model",
  "rotary embeddings of rows and columns, and a learned rotation of the class token",
);
other(
  "hunyuan_vl_text",
  "rotary embeddings, which multiply both columns of a pair by cosines of different axes for pictures",
);
other(
  "vjepa2",
  "products with cosines of three axes that differ within a pair, which is not a rotation",
);
add("telechat", {
  scheme: "unknown",
  why: "TeleChat rotates halves of whole heads, and the base is in each model's own code: 10000 up to training_seqlen tokens at 12B, 10000 x 3^(R / (R - 2)) at 7B; a file does not say which.",
});
other(
  "mistral_large4_text",
  "rotary embeddings whose frequencies are multiplied by learned numbers, and queries scaled by learned multiples of the logarithm of the position",
);

// --- wholes that have the positions of their parts ------------------------------------------------------

/** Wholes whose part for text is of this family where it names none. @param {string} text @param {string} types */
const around = (text, types) => add(types, { scheme: "unknown", text });

add("paligemma", { scheme: "unknown", text: "gemma", first: 1 });
around("deepseek_v2", "deepseek_vl_v2");
around("unlimited_ocr_text", "unlimited-ocr");
around("opt", "blip-2 instructblip instructblipvideo");
around("mistral", "idefics2 mistral3");
around("llama", "idefics3 janus llava_next llava_next_video smolvlm video_llava vipllava voxtral");
around("qwen2", "got_ocr2 internvl llava_onevision ovis2 qwen2_audio video_llama_3");
around("cohere2", "aya_vision cohere2_vision");
add("vision-encoder-decoder speech-encoder-decoder", { scheme: "unknown", part: "decoder" });
add("depth_anything prompt_depth_anything zoedepth", {
  scheme: "unknown",
  part: "backbone_config",
});

const KNOWN = /** @type {Map<string, Family>} */ (
  new Map(
    TABLE.flatMap(([types, family]) =>
      types
        .trim()
        .split(/\s+/)
        .map((type) => [type, family]),
    ),
  )
);

for (const [type, like] of COPIES) {
  const family = /** @type {Family} */ (KNOWN.get(like));
  KNOWN.set(type, { ...family, harmless: /^mm_|pos_skipping/ }); // LLaVA's, and positions in training
}

/** @type {ReadonlyMap<string, Family>} */
export const FAMILIES = KNOWN;
