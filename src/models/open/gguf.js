/**
 * Translates the metadata of a GGUF file, and the tensors that hold its rotary scaling, into the keys of a
 * config.json.
 */
import * as check from "../../runtime/check.js";
import { inFunction } from "../../runtime/named.js";
import { describe } from "../config.js";
import { MOST_LAYERS } from "../keys.js";

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
  `llama llama4:llama4_text deci:llama baichuan internlm2:llama xverse:llama command-r:cohere
   cohere2 cohere2moe:cohere2_moe olmo arctic:llama deepseek:llama deepseek2:deepseek_v3
   deepseek2-ocr:deepseek_ocr2_text deepseek32:deepseek_v32 plm:llama chatglm:glm granite
   granitemoe granite_swa granitehybrid:granitemoehybrid chameleon bailingmoe:llama smollm3 arcee
   ernie4_5 ernie4_5-moe:ernie4_5_moe mistral3:ministral3 mistral4 llama-embed:llama
   glm-dsa:glm_moe_dsa glm4 llada:llama hy_v4 maincoder:llama bailingmoe3:deepseek_v3 minicpm:granite
   muse-glimmer:muse_glimmer_text nanbeige:llama neo-bert:llama pockettts:pocket_tts`,
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
   qwen35:qwen3_5_text qwen35moe:qwen3_5_moe_text jina-bert-v3:jina_embeddings_v3
   rnd1:qwen3_moe grovemoe:qwen3_moe qwen4exp:qwen4_exp_text hrm_text bailingmoe2:llama cogvlm:llama
   grok:granite hunyuan_vl:hunyuan_v1_dense maple:llama minimax-01:minimax
   minimax-m3:minimax_m3_vl_text nomic-bert-moe:nomic_bert openelm:llama plamo:llama plamo2:llama
   plamo3:llama qwen3tts:qwen3_vl_text smallthinker:llama spark2_5:llama talkie:nanochat`,
);

/** Architectures without RoPE. */
const OTHERS = names(
  `bert gpt2 bloom mpt t5 t5encoder:t5 mamba mamba2 jamba nemotron_h nemotron_h_moe:nemotron_h
   kimi-linear:kimi_linear starcoder:gpt_bigcode jina-bert-v2:bert refact:mpt jais:mpt
   kimi-k3:kimi_linear glm5-next:glm5_next_text arwkv7:rwkv rwkv6qwen2:rwkv`,
);

/** Architectures that are not described, and why. @type {ReadonlyMap<string, string>} */
const REFUSED = new Map(
  Object.entries({
    gptj: "llama.cpp has the name of GPT-J without its code: the order of a file's rows is not known.",
    "clip wavtokenizer-dec": "The file has a tower of pictures or sound, without a text.",
    "deepseek4 dots3note":
      "Only the config.json of this model is described: a GGUF file has other keys.",
    graniteswitch: "One layer chooses adapters instead of attention.",
    "gemma4-assistant eagle3 dflash": "The model's input is the hidden state of another.",
    "rwkv6 rwkv7":
      "A recurrence without positions, whose words pass a LayerNorm that is not described.",
  }).flatMap(([names, why]) => names.split(" ").map((name) => [name, why])),
);

/** What llama.cpp's code says of all files of an architecture, in the keys of config.json. @type {ReadonlyMap<string, Json>} */
const FIXED = new Map(
  Object.entries({
    minicpm3: { scale_emb: 12 },
    afmoe: { mup_enabled: true },
    "gemma-embedding": { use_bidirectional_attention: true },
    "jina-bert-v2": { position_embedding_type: "alibi" },
    refact: { attn_config: { alibi: true } },
  }),
);

/** What it says where a file has no `embedding_scale`. @type {ReadonlyMap<string, number>} */
const SCALES = new Map([
  ["minicpm", 12],
  ["grok", 78.38367176906169],
]);

/** Keys without which llama.cpp does not run a file, numbers above 0 or flags. @type {ReadonlyMap<string, string>} */
const REQUIRED = new Map([
  ["jais", "attention.max_alibi_bias"],
  ["maple", "attention.sliding_window attention.sliding_window_pattern"],
  ["muse-glimmer", "attention.sliding_window"],
  ["spark2_5", "attention.sliding_window attention.sliding_window_pattern"],
]);

/** Architectures whose sliding layers count only if there is a window. */
const WINDOWED = words("plamo3 smallthinker");

/** Architectures whose layers all have the widths of the first. */
const UNIFORM = words("muse-glimmer plamo3 smallthinker");

/** Architectures whose code reads no numbers of YaRN but the factor and the length. */
const PLAIN = words(
  `bailingmoe2 bailingmoe3 cogvlm hunyuan_vl maple minicpm minimax-01 minimax-m3 muse-glimmer nanbeige neo-bert
   nomic-bert-moe openelm plamo plamo2 plamo3 pockettts qwen3tts smallthinker spark2_5 talkie`,
);
const GROK = words("grok");
const EITHER = new Set([...PLAIN, ...GROK]);

/**
 * Values that llama.cpp takes for granted, or that phasor does: other ones are refused. By name: the width of a head, or
 * its rotated part; 1 for YaRN and 0 otherwise.
 * @type {[key: string, only: number | "head" | "part" | "yarn" | "none", of: ReadonlySet<string>][]}
 */
const ONLY = [
  [
    "rope.dimension_count",
    "head",
    words("cogvlm grok hunyuan_vl minicpm plamo pockettts qwen3tts smallthinker talkie"),
  ],
  ["rope.dimension_count_swa", "part", UNIFORM],
  ["attention.key_length_swa", "head", UNIFORM],
  ["rope.freq_base", 1e4, words("cogvlm")],
  ["rope.scaling.factor", 1, words("cogvlm")],
  ["rope.scaling.attn_factor", 1, EITHER],
  ["rope.scaling.yarn_ext_factor", "yarn", EITHER],
  ["rope.scaling.yarn_log_multiplier", 0, EITHER],
  ["rope.scaling.yarn_attn_factor", 1, GROK],
  ["rope.scaling.yarn_attn_factor", "none", PLAIN],
  ["rope.scaling.yarn_beta_fast", 32, PLAIN],
  ["rope.scaling.yarn_beta_slow", 1, PLAIN],
];

/** The kind of layers with no key and value heads. @type {ReadonlyMap<string, string>} */
const HEADLESS = new Map([
  ["lfm2", "conv"],
  ["lfm2moe", "conv"],
  ["granitehybrid", "conv"],
  ["plamo2", "mamba"],
  ["bailingmoe3", "linear_attention"],
]);

/** Architectures whose rotated columns are apart from the others. */
const APART = words("bailingmoe3 deepseek2 deepseek32 glm-dsa mistral4 minicpm3 plm hy_v4");

/**
 * Architectures of llama.cpp with sliding layers: the period of those with full attention if a file has no pattern (its
 * last layer, or its first if the period is negative). A second number says that sliding layers have no scaling and
 * their own base: this one if a file names none, or that of the other layers for 0.
 * @type {Readonly<Record<string, [period: number, base?: number]>>}
 */
const SLIDING = Object.freeze({
  afmoe: [4],
  "exaone-moe": [4],
  gemma3: [6, 1e4],
  gemma3n: [5, 1e4],
  gemma4: [0, 1e4],
  "gemma-embedding": [6, 1e4],
  laguna: [-4, 0],
  maple: [0],
  mellum: [4, 0],
  mimo2: [0, 1e4],
  "modern-bert": [-3, 1e4],
  "muse-glimmer": [4, 0],
  olmo2: [4, 0],
  plamo3: [8, 1e4],
  smallthinker: [-4],
  spark2_5: [0],
  step35: [0, 1e4],
});

const FULL = "full_attention";
const SLIDES = "sliding_attention";

/** Factors of Gemma 4's pairs that do not rotate are 1e30. */
const STILL = 1e29;

/** @param {string} text @returns {ReadonlySet<string>} */
function words(text) {
  return new Set(text.split(/\s+/));
}

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
  num_attention_heads: "attention.head_count",
  num_key_value_heads: "attention.head_count_kv",
  head_dim: "attention.key_length",
  max_position_embeddings: "context_length",
  vocab_size: "vocab_size",
  layer_norm_eps: "attention.layer_norm_epsilon",
  layer_norm_epsilon: "attention.layer_norm_epsilon",
  norm_eps: "attention.layer_norm_epsilon",
  full_attention_interval: "full_attention_interval",
  embedding_multiplier: "embedding_scale",
  scale_emb: "embedding_scale",
  sliding_window: "attention.sliding_window",
  num_kv_shared_layers: "attention.shared_kv_layers",
  v_head_dim: "attention.value_length",
  swa_v_head_dim: "attention.value_length_swa",
  kv_lora_rank: "attention.kv_lora_rank",
  index_head_dim: "attention.indexer.key_length",
  hidden_size_per_layer_input: "embedding_length_per_layer_input",
  relative_attention_num_buckets: "attention.relative_buckets_count",
});

/** Types of scaling by GGUF's names, which are the same; `none` is left out. @type {ReadonlySet<unknown>} */
const SCALINGS = new Set(["linear", "yarn", "longrope"]);

/** GGUF's keys of a scaling, by the keys of config.json. */
const SCALING_KEYS = Object.freeze({
  original_max_position_embeddings: "original_context_length",
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
  try {
    if (!(metadata instanceof Map)) {
      throw new TypeError(
        `metadata must be a Map, as gguf.read returns it; got ${check.describe(metadata)}`,
      );
    }
    const { tensors = {} } = check.options(options, { tensors: undefined });
    const why = refusal(metadata);
    return describe(configOf(metadata, tensors, why), { layout: layoutOf(metadata), why });
  } catch (error) {
    throw inFunction("fromGguf", error);
  }
}

/**
 * @param {ReadonlyMap<string, unknown>} metadata  of `gguf.read`
 * @param {Readonly<Record<string, ArrayLike<number>>>} tensors  by name, of FACTORS
 * @param {string} [why]  nothing is said of its positions
 * @returns {Json}
 */
function configOf(metadata, tensors, why) {
  const architecture = metadata.get("general.architecture");
  if (typeof architecture !== "string") {
    throw new TypeError("metadata must name general.architecture; got none");
  }
  const of = (/** @type {string} */ key) => valueOf(metadata, `${architecture}.${key}`);
  const get = (/** @type {string} */ key) => plain(of(key));
  const known = [NEIGHBORS, HALVES, OTHERS].map((of) => of.get(architecture)).find(Boolean);
  const family = why === undefined ? known : undefined;
  /** @type {Json} */
  const config = { model_type: family ?? `${architecture} (GGUF)` };
  for (const [name, key] of Object.entries(KEYS)) {
    const value = get(key);
    if (value !== undefined) config[name] = value;
  }
  for (const name of ["num_attention_heads", "num_key_value_heads"]) {
    config[name] ??= listOf(of(KEYS[/** @type {keyof typeof KEYS} */ (name)]))?.find(Boolean);
  }
  const blocks = get("block_count");
  const further = get("nextn_predict_layers"); // they predict more than one token
  config.num_hidden_layers =
    typeof blocks === "number" && typeof further === "number" ? blocks - further : blocks;
  const tokens = metadata.get("tokenizer.ggml.tokens");
  if (Array.isArray(tokens)) config.vocab_size ??= tokens.length;
  const counts = listOf(of(KEYS.num_key_value_heads)) ?? [];
  if (new Set(counts.filter(Boolean)).size > 1) config.num_key_value_heads_per_layer = counts;
  if (get("attention.key_length_mla") !== undefined) delete config.num_key_value_heads; // of the cache: 1
  const indexers = listOf(of("attention.indexer.types"));
  if (indexers) config.indexer_types = indexers.map((own) => (own ? "full" : "shared"));
  else if (architecture === "glm-dsa" && Number(get("context_length")) >= 2 ** 20) {
    Object.assign(config, { index_topk_freq: 4, index_skip_topk_offset: 3 }); // llama.cpp's table of GLM-5.2
  }
  Object.assign(config, FIXED.get(architecture));
  if (SCALES.has(architecture)) config.embedding_multiplier ??= SCALES.get(architecture);
  const loops = get("num_loops"); // of the same layers
  if (architecture === "nanbeige" && typeof loops === "number") {
    config.num_hidden_layers = Number(config.num_hidden_layers) * loops;
  }
  if (architecture === "talkie" || architecture === "muse-glimmer") {
    config.rms_norm_eps = get("attention.layer_norm_rms_epsilon");
  }
  // The authors' engine scales queries by it, llama.cpp does not: a suspect key.
  const temperature = "attention.temperature_length";
  if (architecture === "grok" && Number(get(temperature)) > 0)
    config[temperature] = get(temperature);
  if (why !== undefined) return config;
  checkRequired(architecture, of);
  const slides = readLayers(config, architecture, of);
  const rotates = layoutOf(metadata) !== undefined;
  if (rotates) readRotation(config, { architecture, of, tensors, slides });
  const sections = of("rope.dimension_sections");
  if (sections !== undefined) {
    const sizes = Array.from(/** @type {ArrayLike<number>} */ (sections), Number);
    config.mrope_section = sizes[3] === 0 ? sizes.slice(0, 3) : sizes;
  }
  const most = Number(get("attention.max_alibi_bias"));
  if (architecture === "mpt" || architecture === "jais") {
    config.attn_config = { alibi: most > 0, alibi_bias_max: most || 8 };
  }
  return config;
}

/**
 * Why nothing is said of the positions of a file that is not described.
 * @param {ReadonlyMap<string, unknown>} metadata
 */
function refusal(metadata) {
  const architecture = metadata.get("general.architecture");
  if (typeof architecture !== "string") return undefined;
  const of = (/** @type {string} */ key) =>
    listOf(valueOf(metadata, `${architecture}.${key}`)) ?? [];
  const [first, second] = of("rope.dimension_sections");
  const isVisual = architecture === "hunyuan_vl" || architecture === "bailingmoe3";
  if (isVisual && Number(first) > 0 && Number(second) > 0) {
    return architecture === "hunyuan_vl"
      ? "rope.dimension_sections is given: the frequencies follow four axes, of which mrope has three, and the last is 0 for text in llama.cpp."
      : "rope.dimension_sections is given: which axis each frequency of Ling 3.0 follows in llama.cpp is not known here.";
  }
  if (architecture === "plamo2" && of("attention.head_count")[0] === 0) {
    return "The first layer has no heads: llama.cpp then takes 0 as the rotated width of all, and PLaMo 2's own is not in the file.";
  }
  return REFUSED.get(architecture);
}

/** @param {string} architecture @param {Get} of */
function checkRequired(architecture, of) {
  for (const key of REQUIRED.get(architecture)?.split(" ") ?? []) {
    const value = of(key);
    const isList = key.endsWith("pattern");
    if (isList ? listOf(value) : Number(value) > 0) continue;
    refuse(`${architecture}.${key}`, isList ? "a flag for each layer" : "a number > 0", value);
  }
}

/** @param {string} name @param {unknown} rule @param {unknown} value @returns {never} */
function refuse(name, rule, value) {
  throw new RangeError(`${name} must be ${rule}; got ${check.describe(value)}`);
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

/**
 * The kinds of layers, where the file or llama.cpp says them.
 * @param {Json} config @param {string} architecture @param {Get} of
 * @returns {boolean} whether some layers may slide
 */
function readLayers(config, architecture, of) {
  const layers = Number(config.num_hidden_layers);
  const kinds = (/** @type {(layer: number) => string} */ kind) => {
    if (layers <= MOST_LAYERS)
      config.layer_types = Array.from({ length: layers }, (_, n) => kind(n));
  };
  const recurrent = listOf(of("attention.recurrent_layers"));
  if (recurrent) kinds((n) => (recurrent[n] ? "linear_attention" : FULL));
  const headless = HEADLESS.get(architecture);
  const heads = listOf(of("attention.head_count_kv")); // none for layers without attention
  if (headless && heads) kinds((n) => (Number(heads[n]) === 0 ? headless : FULL));
  if (architecture === "minimax-01" && !recurrent) {
    const every = Number(config.full_attention_interval ?? 8);
    kinds((n) => ((n + 1) % every === 0 ? FULL : "linear_attention"));
    delete config.full_attention_interval;
  }
  if (architecture === "granitehybrid" && of("rope.scaling.finetuned") !== false) {
    config.position_embedding_type = "rope";
  }
  if (architecture === "llama4") readChunks(config);
  const pattern = of("attention.sliding_window_pattern");
  const flags = listOf(pattern);
  const window = Number(config.sliding_window);
  const [period, base] = slidingOf(architecture) ?? [];
  const may = !WINDOWED.has(architecture) && (pattern !== undefined || base);
  if (!(window > 0 || may) || window === 0) {
    if (period !== undefined) kinds(() => FULL);
    return false;
  }
  if (architecture === "olmo2") config.model_type = "olmo3";
  if (flags) kinds((n) => (flags[n] ? SLIDES : FULL));
  else if (period) {
    const every = typeof pattern === "number" ? pattern : Math.abs(period);
    const full = period < 0 ? 0 : every - 1;
    kinds((n) => (n % every === full ? FULL : SLIDES));
  } else if (pattern !== undefined) config.sliding_window_pattern = pattern;
  readStill(config, architecture);
  return true;
}

/** The chunks of Llama 4, or a window of 0, which says that all layers rotate and see all, as in MobileLLM. @param {Json} config */
function readChunks(config) {
  if (config.sliding_window === 0) {
    delete config.sliding_window;
    config.model_type = "llama";
  } else config.attention_chunk_size = 8192;
}

/**
 * The sliding models whose layers do not all rotate: those of full attention do not, or every fourth from the first.
 * @param {Json} config @param {string} architecture
 */
function readStill(config, architecture) {
  const kinds = /** @type {string[] | undefined} */ (config.layer_types);
  const isFourth = architecture === "smallthinker";
  if (!kinds || !(isFourth || ["maple", "muse-glimmer"].includes(architecture))) return;
  if (isFourth && kinds.length === 4) return; // llama.cpp's sign that all layers rotate
  const still = kinds.map((kind, n) => (isFourth ? n % 4 === 0 : kind === FULL));
  config.layer_types = kinds.map((kind, n) => (still[n] ? "no_rope" : kind));
  if (!isFourth && architecture !== "maple") {
    config.layer_rope_theta = still.map((is) => (is ? 0 : 1));
  }
}

/** @param {string} architecture */
const slidingOf = (architecture) =>
  Object.hasOwn(SLIDING, architecture) ? SLIDING[architecture] : undefined;

/**
 * What rotates, and by which frequencies: without its keys llama.cpp rotates whole heads, by the base 10000.
 * @param {Json} config
 * @param {{architecture: string, of: Get, tensors: Readonly<Record<string, ArrayLike<number>>>, slides: boolean}} from
 */
function readRotation(config, { architecture, of, tensors, slides }) {
  const get = (/** @type {string} */ key) => plain(of(key));
  const scaling = readScaling(architecture, get, tensors);
  const turned = get("rope.dimension_count");
  const base = readBase(architecture, get, config);
  if (APART.has(architecture) && typeof turned === "number") {
    const whole = get("attention.key_length_mla") ?? config.head_dim;
    config.qk_rope_head_dim = turned;
    config.qk_nope_head_dim = typeof whole === "number" ? Math.max(0, whole - turned) : 0;
  }
  const pattern = listOf(of("attention.rope_pattern"));
  if (pattern) config.layer_rope_theta = pattern.map((rotates) => (rotates ? base : 0));

  const whole = widthOf(config);
  const yarn = Number(get("rope.scaling.type") === "yarn");
  checkOnly(architecture, get, { head: whole, part: turned ?? whole, yarn });
  // llama.cpp halves the width that the files of Step 3.5 have.
  const full = Number(turned ?? whole) / (architecture === "step35" ? 2 : 1);
  const own = slidingOf(architecture)?.[1];
  const local = get("rope.freq_base_swa") ?? (own || base);
  if (!slides || (own === undefined && local === base)) {
    config.rope_theta = base;
    if (scaling) config.rope_scaling = scaling;
    if (!APART.has(architecture)) config.partial_rotary_factor = full / Number(whole);
    return;
  }
  const narrow = get("attention.key_length_swa");
  if (narrow !== undefined) Object.assign(config, { head_dim: narrow, global_head_dim: whole });
  const part = Number(get("rope.dimension_count_swa") ?? turned ?? whole);
  config.rope_parameters = {
    [FULL]: {
      rope_theta: base,
      partial_rotary_factor: full / Number(whole),
      ...scaling,
    },
    [SLIDES]: {
      ...(own === undefined && scaling),
      rope_theta: local,
      partial_rotary_factor: part / Number(narrow ?? whole),
    },
  };
}

/** @param {Json} config */
const widthOf = (config) =>
  config.head_dim ?? Number(config.hidden_size) / Number(config.num_attention_heads);

/** The base, which Hunyuan's alpha enlarges. @param {string} architecture @param {Get} get @param {Json} config */
function readBase(architecture, get, config) {
  const base = get("rope.freq_base") ?? 1e4;
  const alpha = Number(get("rope.scaling.alpha") ?? 0);
  if (!(alpha > 0) || !["hunyuan_vl", "hunyuan-dense"].includes(architecture)) return base;
  const dim = Number(widthOf(config));
  return Number(base) * alpha ** (dim / (dim - 2));
}

/** @param {string} architecture @param {Get} get @param {Record<string, unknown>} named  values */
function checkOnly(architecture, get, named) {
  for (const [key, only, of] of ONLY) {
    const value = get(key);
    if (!of.has(architecture) || value === undefined) continue;
    const known = typeof only === "string" ? named[only] : only;
    const isFactor = key === "rope.scaling.attn_factor" && get("rope.scaling.type") === "longrope";
    if (value === known || isFactor) continue;
    refuse(
      `${architecture}.${key}`,
      `${known ?? "left out"}, which llama.cpp computes with`,
      value,
    );
  }
}

/**
 * @param {string} architecture @param {Get} get @param {Readonly<Record<string, ArrayLike<number>>>} tensors
 * @returns {Json | undefined}
 */
function readScaling(architecture, get, tensors) {
  const list = (/** @type {string} */ name) =>
    Object.hasOwn(tensors, name) ? Array.from(tensors[name], Number) : undefined;
  const [all, short, long] = Object.values(FACTORS).map(list);
  /** @type {Json} */
  const keys = {};
  for (const [name, key] of Object.entries(SCALING_KEYS)) {
    const value = get(`rope.scaling.${key}`);
    if (value !== undefined) keys[name] = value;
  }
  const factor = get("rope.scaling.factor") ?? get("rope.scale_linear"); // the old name
  if (all?.some((x) => x > STILL)) {
    const turning = all.findIndex((x) => x !== 1);
    return { rope_type: "proportional", partial_rotary_factor: turning / all.length };
  }
  if (all) {
    // The factors of Llama 3.1 and others: the same at every length, without a factor of the scores.
    const length = keys.original_max_position_embeddings ?? get("context_length");
    return {
      rope_type: "longrope",
      short_factor: all,
      long_factor: all,
      factor: 1,
      attention_factor: 1,
      original_max_position_embeddings: length,
    };
  }
  const times = get("rope.scaling.attn_factor");
  if (short && long) {
    if (times !== undefined) keys.attention_factor = times;
    else if (architecture === "minicpm") keys.attention_factor = 1; // llama.cpp's
    return { rope_type: "longrope", short_factor: short, long_factor: long, ...keys };
  }
  const type = get("rope.scaling.type") ?? "linear";
  if (type === "longrope") {
    throw new RangeError(
      `tensors must hold ${FACTORS.short} and ${FACTORS.long}; got ${check.describe(tensors)}`,
    );
  }
  if (type !== "none" && !SCALINGS.has(type)) {
    refuse(`${architecture}.rope.scaling.type`, "none, linear, yarn or longrope", type);
  }
  if (type === "none" || factor === undefined || factor === 0) return undefined;
  if (type === "yarn") Object.assign(keys, yarnKeys(architecture, get));
  return { rope_type: type, factor, ...keys };
}

/**
 * What YaRN has besides: the factor of the scores, and keys of single families.
 * @param {string} architecture @param {Get} get
 */
function yarnKeys(architecture, get) {
  /** @type {Json} */
  const keys = {};
  const multiplier = get("rope.scaling.yarn_log_multiplier");
  const attention = architecture === "grok" ? undefined : get("rope.scaling.yarn_attn_factor");
  const times = get("rope.scaling.attn_factor");
  if (typeof multiplier === "number" && multiplier !== 0) {
    // Files of DeepSeek's architecture have a tenth of it, and llama.cpp takes mscale for the same.
    const isWhole = architecture === "mistral3";
    keys.mscale_all_dim = isWhole ? multiplier : multiplier * 10;
    keys.mscale = isWhole ? 1 : keys.mscale_all_dim;
  } else if (attention !== undefined) keys.attention_factor = attention;
  else if (times !== undefined && times !== 1) {
    const what = check.describe(times);
    throw new RangeError(`rope.scaling.attn_factor must be 1 for YaRN; got ${what}`);
  }
  if (architecture === "grok") keys.beta_fast = get("rope.scaling.yarn_beta_fast") ?? 8;
  if (architecture === "gpt-oss") keys.truncate = false; // as in all of its models
  if (architecture === "mistral3" || architecture === "mistral4") {
    keys.llama_4_scaling_beta = get("attention.temperature_scale");
  }
  return keys;
}

/**
 * A value of the metadata, of the types that a GGUF file has, or undefined.
 * @param {ReadonlyMap<string, unknown>} metadata @param {string} key
 */
function valueOf(metadata, key) {
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

/**
 * The items of a list. Writers differ in their type: integers of 64 bits are numbers, too.
 * @param {unknown} value @returns {unknown[] | undefined}
 */
function listOf(value) {
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  if (!isList) return undefined;
  const number = (/** @type {unknown} */ item) => (typeof item === "bigint" ? Number(item) : item);
  return Array.from(/** @type {any} */ (value), number);
}

/** One number for lists with equal numbers for all layers; undefined for others. @param {unknown} value */
function plain(value) {
  if (typeof value === "bigint") return Number(value);
  const items = listOf(value);
  if (!items) return value;
  return items.every((item) => item === items[0]) ? items[0] : undefined;
}
