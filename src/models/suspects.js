/**
 * Sorts the keys of a configuration that nothing reads: most are harmless for what a description says, and the others
 * speak of positions or attention, which they may change.
 */
import * as check from "../runtime/check.js";

/** @import { Json } from "./keys.js" */
/** @import { Positions, Rotary } from "./config.js" */

/** The words of names that decide about positions, rotation, attention, heads, windows, scaling or quantization. */
const NAMES =
  /(?<![pd])rope|rotar|(?<!com)positi|(?:^|_)(?:pos|rot|alibi|mla|swa|nope|ntk|heads?)(?:_|$)|alibi|yarn|att(?:n|ention)|window|sliding|scaling|quanti|theta|relative|sinus|bucket|mscale|layers?_(?:types?|kinds?|patterns?|groups?)|layers_block|block_types/;

/** The words of values that do. */
const VALUES = /\b(?:alibi|rotary|rope|sinusoid\w*|relative_(?:key|pos)\w*|yarn|ntk)\b/;

/** Keys that are harmless for what a description says although their names speak of such things, by their reasons. */
const HARMLESS = [
  // acts in training alone
  /dropout|_pdrop$|(?:^|_)drop(?:_|$)|_loss_|sparsity/,
  // names the implementation, which computes the same
  /^(?:_?attn_implementation.*|attn_impl|_name_or_path|use_(?:memory_efficient|flash)_att\w*|(?:deterministic_)?flash_attn\w*|reorder_and_upcast_attn|(?:scale_)?attention_softmax_in_fp32|parallel_attn|output_attentions|attn_uses_sequence_id)$/,
  // is a mask: which keys a query sees, not how positions enter
  /^(?:_?sliding_window(?:_size)?|_sliding_window_pattern|use_sliding_window|max_window_layers|window_size|keep_window_size|local_attention|attention_(?:window|chunk)(?:_size)?|attention_windows|use_bidirectional_attention|n_window_infer|global_attn_indexes|conv_window|attention_sink_size|full_attn_mod|causal_attn|sparse_attention_config|indexer_rope_interleave)$/,
  // scales or shifts projections and scores, whatever the positions
  /^(?:(?:add_)?attention_(?:out_|qkv_|o_)?(?:proj_)?bias|attention_(?:in_|out_)?multiplier|attention_value_scale|attn_logit_softcapping|attention_logit_cap|query_pre_attn_scalar|scale_attn_weights|scale_attn_by_inverse_layer_idx|logits_scaling|(?:full|linear)_attn_(?:alpha|beta)_factor|(?:use_)?attention_gate|att(?:n|ention)_output_gate|mla_use_output_gate|attn_res_block_size|add_\w+_attention_sink_bias|attention_k_eq_v|post_attention_groups)$/,
  // concerns experts or the feed-forward part
  /^route[dr]_scaling_factor$|^mlp_layer_types$|^m(?:tp|oe)_/,
  // is the width or number of heads of another kind of layer, or of values, keys and indices of which none enters
  /^(?:linear_(?:num_)?(?:key_|value_)?(?:head_dim|heads)|mamba_(?:n_heads|num_heads|d_head|head_dim)|n_mamba_heads|index_(?:n_heads|head_dim|topk_\w+)|indexer_(?:n_heads|kv_heads|head_dim)|(?:v|qk)_head_dim|attention_(?:head_dim|hidden_size)|num_global_key_value_heads|heads_per_ngram|head_ratio)$/,
  // concerns another part of the model
  /^(?:decoder_(?:num_)?attention_heads|max_(?:decoder|target)_position\w*|cross_\w+|add_cross_attention|mit_num_attention_heads|resampler_\w+|aligner_\w+|prediction_head_size|lm_head_\w+|vision_use_head|use_auxiliary_head|head_in_index|global_view_pos|flow_head_config|position_id_per_seconds|use_shared_attention_adapter|use_entity_aware_attention|num_position_embeddings|(?:init_)?pos_emb_(?:height|width|time)|pooler_\w+|num_reward_heads|pos_embed_rescale|dim_bbox_sinusoid_emb_\dd|max_2d_position_embeddings|ffn_config)$|^(?:\w+_)?(?:text|vision|vit|visual|audio|speech|llm|language|thinker|talker|token2wav|projector|perceiver|backbone|generation|sam|qformer|codec|code2wav|mask|vq|video|image)_config$|^(?:\w+_)?(?:en|de)coder(?:_config)?$/,
  // is a length, which a description has where something depends on it
  /^(?:(?:original_)?max_position_embeddings|n_positions|context_window_size|compress_rates)$/,
  // is a relative bias that is named here, without its numbers
  /^(?:max_relative_positions|position_buckets|pos_att_type|talking_head|relative_attention_(?:num_buckets|max_distance))$/,
  // has names of classes, or says whether there is a layer behind the last one
  /^(?:id2label|label2id|[lr]m_head|add_classification_head)$/,
  // fills a table that the file has
  /^sinusoidal_(?:embeddings|pos_embds)$/,
];

/** Values of `position_embedding_type` that say what the scheme is. @type {Readonly<Record<string, string[]>>} */
const AGREED = Object.freeze({
  rope: ["rope", "rotary", "rope_gptj"],
  learnedPositions: ["absolute", "learned", "learned_absolute"],
  alibi: ["alibi"],
  t5Bias: ["relative", "relative_bias"],
  sinusoidal: ["sinusoidal"],
  none: ["nope", "none"],
});

/** Whether the key `position_embedding_type` names a scheme. @param {unknown} value @param {string} scheme */
export const names = (value, scheme) =>
  typeof value === "string" && (AGREED[scheme] ?? []).includes(value.toLowerCase());

/**
 * Keys that say again what a description says, if their value agrees with it.
 * @type {[names: RegExp, agrees: (value: unknown, positions: Positions) => boolean][]}
 */
const REPEATING = [
  [/^position_embedding_type$/, (value, { scheme }) => names(value, scheme)],
  [
    /^(?:rotary|use_pos_enc|use_rotary_pos_emb)$/,
    (value, { scheme }) => value === true && scheme === "rope",
  ],
  [/^static_position_embeddings$/, (value, { scheme }) => value === (scheme === "sinusoidal")],
  [
    /^rope_(?:interleaved?|traditional)$/,
    (value, positions) =>
      allRotate(positions, ({ layout }) => value === (layout === "interleaved")),
  ],
  [
    /^use_mrope$/,
    (value, positions) => allRotate(positions, (of) => value === (of.multimodal !== undefined)),
  ],
  [
    /^(?:rotary_dim|attn_rotary_emb)$/,
    (value, positions) => allRotate(positions, ({ dim }) => value === dim),
  ],
  [
    /^rope_theta$/,
    (value, positions) => allRotate(positions, ({ options }) => value === options.base),
  ],
];

/** @param {Positions} positions @param {(rotary: Rotary) => boolean} holds */
function allRotate({ rotary = {} }, holds) {
  const all = Object.values(rotary).filter((of) => of !== null);
  return all.length > 0 && all.every(holds);
}

/** Whether a key says again what the description says. @param {string} key @param {unknown} value @param {Positions} positions */
export const repeats = (key, value, positions) =>
  REPEATING.some(([names, agrees]) => names.test(key) && agrees(value, positions));

/** At most this many keys have a warning each. */
const MOST_NAMED = 16;

/** @param {unknown} value @returns {boolean} */
const speaks = (value) =>
  typeof value === "string"
    ? VALUES.test(value.toLowerCase())
    : check.isRecord(value) && Object.keys(value).some((key) => NAMES.test(key));

/** A list or an object that has nothing says nothing. @param {unknown} value */
const isEmpty = (value) =>
  (check.isList(value) || check.isRecord(value)) && Object.keys(value).length === 0;

/**
 * The suspect keys: their names or values speak of positions or attention, and nothing has read them.
 * @param {Json} config @param {readonly string[]} unread  names of its keys
 * @param {RegExp} [harmless]  further names, of the family
 */
export function suspectsOf(config, unread, harmless) {
  return unread.filter((key) => {
    const value = config[key];
    if (value === null || isEmpty(value) || harmless?.test(key)) return false;
    const name = key.toLowerCase();
    if (HARMLESS.some((names) => names.test(name))) return false;
    return NAMES.test(name) || speaks(value);
  });
}

/** @param {readonly string[]} keys  suspect @param {string} path  of the configuration */
export function suspicions(keys, path) {
  const named = keys.slice(0, MOST_NAMED).map((key) => {
    return `${path}.${key} is not read, and may change what is said of positions, attention or tables`;
  });
  if (keys.length <= MOST_NAMED) return named;
  return [
    ...named,
    `${path} has ${keys.length} keys that are not read and may change what is said of positions, attention or tables`,
  ];
}
