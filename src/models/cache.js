/** What attention keeps of a token for those that follow, by layers that are alike, and how far its queries see. */

import * as check from "../runtime/check.js";
import { likeOf } from "./keys.js";

/** @import { Reader } from "./keys.js" */
/** @import { Positions } from "./config.js" */
/** @import { Sizes } from "./rotary.js" */

/**
 * Layers that are alike in what they keep and see.
 * @typedef {object} CachedLayers
 * @property {string} kind  as in `positions.layerKinds`; `full_attention` where there is one kind
 * @property {number} layers  how many
 * @property {number} [numbers]  keys and values of a token in one layer, or its latent; 0 for layers that keep a state of
 *   constant size, or the keys of another layer. Undefined: not known
 * @property {number | null} [window]  the tokens that a query sees, with its own; null: not known. Default: all
 * @property {boolean} [latent]  the layer keeps a latent and the rotated columns, which all heads share
 */

/** Families that read a text at once and keep nothing of it. */
const ENCODERS = new Set(
  `modernbert nomic_bert eurobert esm esmc gte new jina_embeddings_v3 neobert roformer neomme ultrabert dia_encoder
   wav2vec2-conformer beam t5_gemma_module t5gemma2 t5gemma2_text openai_privacy_filter llada llada_moe llada2_moe
   sdar llama_bidirec ministral3_bidirec Dream xlm-roberta embedding_gemma2_text`.split(/\s+/),
);

/** Decoders of other schemes than RoPE. */
const DECODERS = new Set(
  "gpt2 gpt-sw3 opt gpt_bigcode xglm biogpt bloom mpt falcon jais btlm".split(" "),
);

/** Families whose layers all have the window of the key `sliding_window`, and those that ask `use_sliding_window`, too. */
const ALL = new Set(
  `mistral mixtral ministral3 phi3 phi4_multimodal phimoe starcoder2 doge voxtral_realtime_text moshi
   blt_patcher kyutai_speech_to_text`.split(/\s+/),
);
const IF_USED = new Set(
  `qwen2 qwen2_moe qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen2_5_omni_text qwen2_5_omni_talker qwen3 qwen3_moe
   smollm3 GOT dots_ocr minicpmo`.split(/\s+/),
);

/** Families with a sliding layer and a full one in turn, where no list of layers says otherwise. */
const IN_TURN = new Set(["gemma2", "vaultgemma"]);

/** The windows that files of these families may leave out. @type {Record<string, number>} */
const WINDOWS = {
  mistral: 4096,
  gemma2: 4096,
  vaultgemma: 4096,
  voxtral_realtime_text: 4096,
  kyutai_speech_to_text: 375,
  moshi: 3000,
  blt_patcher: 512,
  ministral: 4096,
  cwm: 8192,
  dots1: 4096,
  muse_glimmer_text: 2048,
  muse_spark_text: 2048,
};

/** Whether a layer slides where `layer_types` does not say so. @type {(layer: number, layers: number) => boolean} */
const threeOfFour = (layer, layers) => (layers - 1 - layer) % 4 !== 0;
/** @type {Record<string, (layer: number, layers: number, first?: number) => boolean>} */
const SLIDING = {
  ministral: () => true,
  cwm: (layer) => layer % 4 !== 0,
  dots1: (layer, _, first = 62) => layer >= first,
  muse_glimmer_text: threeOfFour,
  muse_spark_text: threeOfFour,
};

/** Families that keep keys of an indexer besides, of 128 columns where a file does not say; some in their sparse layers. */
const INDEXED = new Set(
  "deepseek_v32 glm_moe_dsa hy_v4 hy_v4_vl_text axk2 minimax_m3 minimax_m3_vl_text".split(" "), // prettier-ignore
);
const INDEXES = /^(?:(?:indexed|deepseek_sparse)_attention|minimax_m3_sparse)$/;

/** Kinds that keep a state of constant size, or nothing of the text; and those of which it is not known. */
const STATES =
  /^(?:(?:linear|lightning)_attention|cross_attention|conv|mamba2?|recurrent|moe|mlp)$/;
const UNKNOWN = /compress|sparse|indexed|conv_attention|^(?:main|dense)$/;

/** Keys that change what is kept in a way that is not read. */
const OTHERS =
  "use_cla per_layer_config block_configs attention_other_setting n_recurrent_loops".split(" ");

/**
 * @param {Reader} get @param {string} named  the family @param {Sizes & {keyValueHeads: number | number[]}} sizes
 * @param {Positions} positions
 * @returns {CachedLayers[] | undefined} undefined where nothing is kept, or nothing is known
 */
export function readCache(get, named, { keyValueHeads, headDim, layers }, positions) {
  const { scheme, layerKinds } = positions;
  const type = likeOf(named);
  const isDecoder =
    scheme === "rope" ? !ENCODERS.has(named) : scheme !== "unknown" && DECODERS.has(type);
  const isWhole = [true, "all"].some((all) => get.peek("use_bidirectional_attention") === all);
  if (!isDecoder || isWhole || get.peek("is_causal") === false || !layers) return undefined;
  /** Values of any kind: a description does not fail because of them. @param {string} key */
  const size = (key) => sizeOf(get.peek(key));
  const heads = size("multi_query_group_num") ?? keyValueHeads;
  const each = get.peek("num_key_value_heads_per_layer");
  const isCount = (/** @type {unknown} */ count) => Number.isInteger(count) && Number(count) >= 0;
  const isListed = check.isList(each) && each.length === layers && Array.from(each).every(isCount);
  if (isListed) get.use("num_key_value_heads_per_layer");
  const isOther =
    (typeof heads !== "number" && !isListed) ||
    !headDim ||
    OTHERS.some((key) => get.peek(key)) ||
    /^(?:longcat_flash|deepseek_v4|dots3_note_text)$/.test(type);
  const rotated = sizeOf(get.value("qk_rope_head_dim")) ?? 0;
  const isLatent = rotated > 0;
  const latent = size("kv_lora_rank");
  const indexOf = indexers(get, type, layerKinds);
  const shared = size("num_kv_shared_layers") ?? 0;
  const isMimo = type === "mimo_v2_flash"; // what its code has where a file does not say
  const isUnshared = type === "gemma3n_text" && get.peek("num_kv_shared_layers") === undefined;

  /** @param {string} kind @param {number} layer */
  function numbersOf(kind, layer) {
    if (STATES.test(kind)) return 0;
    const index = indexOf(kind, layer);
    const isUnknown = UNKNOWN.test(kind) && !(INDEXED.has(type) && INDEXES.test(kind));
    if (isOther || (each && !isListed) || isUnshared || isUnknown || index === undefined)
      return undefined;
    if (isLatent) return latent && latent + rotated + index;
    const isFull = kind === "full_attention";
    const local = isFull
      ? undefined
      : (size("swa_num_key_value_heads") ?? (isMimo ? 2 * Number(heads) : undefined));
    const wide =
      isFull && get.peek("attention_k_eq_v") ? size("num_global_key_value_heads") : local;
    const keys = (isFull ? size("global_head_dim") : size("swa_head_dim")) ?? headDim;
    const values =
      (isFull ? undefined : size("swa_v_head_dim")) ?? size("v_head_dim") ?? (isMimo ? 128 : keys);
    const own = isListed ? Number(each[layer]) : (wide ?? Number(heads));
    return own * (keys + values) + (type.startsWith("minimax_m3") ? index : 0);
  }

  const windowOf = windows(get, type, { layerKinds, layers });
  /** @type {CachedLayers[]} */
  const groups = [];
  for (let layer = 0; layer < layers; ++layer) {
    const kind = layerKinds?.[layer] ?? "full_attention";
    const numbers = layer >= layers - shared ? 0 : numbersOf(kind, layer);
    const window = STATES.test(kind) ? undefined : windowOf(kind, layer);
    const alike = groups.find(
      (of) => of.kind === kind && of.numbers === numbers && of.window === window,
    );
    if (alike) alike.layers += 1;
    else {
      groups.push({
        kind,
        layers: 1,
        ...(numbers !== undefined && { numbers }),
        ...(window !== undefined && { window }),
        ...(isLatent && numbers !== 0 && { latent: true }),
      });
    }
  }
  return groups;
}

/**
 * The columns of an indexer's keys in a layer, which has none where it shares those of a layer before: by a list, a pattern
 * of letters, or every `index_topk_freq` layers. Undefined: not known.
 * @param {Reader} get @param {string} type @param {Positions["layerKinds"]} layerKinds
 * @returns {(kind: string, layer: number) => number | undefined}
 */
function indexers(get, type, layerKinds) {
  const given = Object(get.peek("sparse_attention_config"));
  const stated = sizeOf(given.sparse_index_dim) ?? sizeOf(get.peek("index_head_dim"));
  const width = stated ?? (INDEXED.has(type) ? 128 : 0);
  if (type.startsWith("minimax_m3")) {
    const { sparse_attention_freq: sparse } = given;
    if (layerKinds) return (kind) => (INDEXES.test(kind) ? width : 0);
    if (check.isList(sparse)) return (_, layer) => (sparse[layer] ? width : 0);
    return () => (stated === undefined ? 0 : undefined); // GGUF does not say which layers
  }
  const isHunyuan = type.startsWith("hy_v4"); // which has one default
  const listed = get.peek("indexer_types") ?? (isHunyuan ? undefined : get.peek("index_topk_pattern")); // prettier-ignore
  const [every, first] = isHunyuan ? [4, 2] : [get.peek("index_topk_freq") ?? 1, get.peek("index_skip_topk_offset") ?? 2]; // prettier-ignore
  return (_, layer) => {
    if (width === 0) return 0;
    if (listed === undefined) {
      const rest = Math.max(layer - Number(first) + 1, 0) % Math.max(Number(every), 1);
      return [every, first].every(Number.isInteger) ? (rest ? 0 : width) : undefined;
    }
    const of = check.isList(listed) || typeof listed === "string" ? listed[layer] : undefined;
    return of === "full" || of === "F" ? width : of === "shared" || of === "S" ? 0 : undefined;
  };
}

/**
 * How many tokens the queries of a layer see.
 * @param {Reader} get @param {string} type @param {{layerKinds: Positions["layerKinds"], layers: number}} of
 * @returns {(kind: string, layer: number) => number | null | undefined}
 */
function windows(get, type, { layerKinds, layers }) {
  const types = get.peek("layer_types");
  const listed = check.isList(types) ? types : undefined;
  const size = (/** @type {string} */ key) => sizeOf(get.peek(key));
  const isStated = get.has("sliding_window");
  const missing = isStated ? undefined : WINDOWS[type];
  const sliding = size("sliding_window") ?? size("attention_window_size") ?? missing;
  const first = get.has("max_window_layers") ? (size("max_window_layers") ?? 0) : undefined;

  /** A family that asks `use_sliding_window`. @param {string} kind @param {number} layer */
  function whereUsed(kind, layer) {
    if (get.peek("use_sliding_window") !== true) return undefined;
    if (type === "smollm3") {
      const slides = listed ? listed[layer] === "sliding_attention" : kind === "no_rope";
      return slides ? sliding : undefined;
    }
    if (layerKinds) return undefined; // those that slide are listed
    if (type === "qwen2_moe") return null; // transformers 4 and 5 have it in other layers
    const from = type === "qwen3_moe" ? 0 : first;
    if (from === undefined || !isStated) return null; // defaults of each class
    return layer >= from ? sliding : undefined;
  }

  return (kind, layer) => {
    if (type === "phi3small")
      // the others see some blocks
      return (layer + 1) % (size("dense_attention_every_n_layers") ?? 0) === 0 ? undefined : null;
    if (type === "mpt") {
      const before = Object(get.peek("attn_config")).sliding_window_size ?? -1; // without the query's own token
      return before === -1 ? undefined : Number.isInteger(before) ? before + 1 : null;
    }
    if (type === "llama4_text" && kind !== "no_rope") return size("attention_chunk_size") ?? null;
    if (kind.startsWith("chunked")) return size("attention_chunk_size") ?? null;
    if (type === "modernbert-decoder" && kind !== "full_attention") return null;
    if (kind.startsWith("reference")) return null; // and all of the prompt
    if (type === "deepseek_v4" && kind !== "sliding_attention") return null; // and compressed tokens
    if (type in SLIDING) {
      const own = SLIDING[type](layer, layers, first);
      return (listed ? listed[layer] === "sliding_attention" : own) ? sliding : undefined;
    }
    if (/sliding|window/.test(kind)) return sliding ?? null;
    if (type === "recurrent_gemma" && kind === "attention") return sliding ?? null;
    if (IF_USED.has(type)) return whereUsed(kind, layer);
    if (type === "llama" && get.peek("n_layers") && get.peek("sliding_window"))
      return sliding ?? null; // Mistral's
    const isSliding = ALL.has(type) || (IN_TURN.has(type) && layer % 2 === 0);
    return isSliding && !layerKinds ? sliding : undefined;
  };
}

/** @param {unknown} value */
const sizeOf = (value) =>
  Number.isInteger(value) && Number(value) > 0 ? Number(value) : undefined;
