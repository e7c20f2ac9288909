// Families whose code is in separate repositories, and files of other programs: published configurations.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { models } from "phasor/models";

/**
 * @template {object} More
 * @param {number} layers @param {number} heads @param {number} keys @param {number} dim @param {More} more
 */
const sized = (layers, heads, keys, dim, more) => ({
  num_hidden_layers: layers,
  num_attention_heads: heads,
  num_key_value_heads: keys,
  hidden_size: dim,
  vocab_size: 1000,
  ...more,
});
/** @param {object} config */
const of = (config) => models.fromConfig({ ...config });
/** Layout, width, options, and what a layer keeps. @param {object} config */
function read(config) {
  const { positions, cache, warnings } = of(config);
  const { layout, dim, options, multimodal } = positions.rotary?.full_attention ?? {};
  const kept = cache?.map(({ numbers, window }) => (window ? [numbers, window] : numbers));
  return { layout, dim, options, ...(multimodal && { multimodal }), kept, warnings };
}
/** @param {object} config @param {RegExp} why */
function refuses(config, why) {
  const { scheme, reasons } = of(config).positions;
  assert.equal(scheme, "unknown");
  assert.match(String(reasons), why);
}
const LLAMA3 = { factor: 32, high_freq_factor: 4, low_freq_factor: 1, original_max_position_embeddings: 8192, rope_type: "llama3" }; // prettier-ignore

describe("classes of another family", () => {
  const onevision = {
    model_type: "llava_qwen",
    ...sized(28, 28, 4, 3584, { max_position_embeddings: 32768, max_window_layers: 28 }),
    ...{ rope_scaling: null, rope_theta: 1e6, sliding_window: 131072, use_sliding_window: false },
    ...{ mm_hidden_size: 1152, mm_spatial_pool_mode: "bilinear", mm_vision_tower: "siglip" },
    ...{ use_pos_skipping: false, pos_skipping_range: 4096 },
  };

  test("LLaVA-OneVision's own files and FastVLM's are Qwen2's", () => {
    const { type, ...found } = { ...of(onevision), ...read(onevision) };
    const plain = { layout: "halves", dim: 128, options: { base: 1e6 }, kept: [1024] };
    assert.equal(type, "llava_qwen");
    assert.deepEqual(read(onevision), { ...plain, warnings: [] });
    assert.deepEqual(found.suspect, []);
    const slides = { ...onevision, use_sliding_window: true, max_window_layers: 21 };
    assert.deepEqual(read(slides).kept, [1024, [1024, 131072]]);
    const { kept, options } = read({ ...onevision, model_type: "llava_qwen2" });
    assert.deepEqual([kept, options], [[1024], { base: 1e6 }]);
  });

  test("LLaVA with Mistral has its windows and heads, with Mixtral its base", () => {
    const { num_key_value_heads, ...sizes } = sized(32, 32, 8, 4096, { sliding_window: 4096 });
    assert.deepEqual(read({ model_type: "llava_mistral", ...sizes }).kept, [[2048, 4096]]);
    assert.equal(num_key_value_heads, 8);
    assert.deepEqual(read({ model_type: "llava_mixtral", ...sizes }).options, { base: 1e6 });
  });

  test("NVIDIA's models of embeddings are LLaMA and Ministral, which keep nothing", () => {
    const sizes = sized(16, 32, 8, 2048, { head_dim: 64, pooling: "avg", rope_theta: 5e5 });
    const config = { model_type: "llama_bidirec", ...sizes, rope_scaling: LLAMA3 };
    const { kept, ...found } = read({ ...config, max_position_embeddings: 131072 });
    const causal = read({ ...config, model_type: "llama", max_position_embeddings: 131072 });
    assert.deepEqual({ ...found, kept: [1024] }, causal);
    assert.equal(kept, undefined);
    refuses({ ...config, model_type: "mistral_bidirec" }, /is not a family/);
  });
});

describe("authors' own code", () => {
  test("the text of Qwen3-ASR has interleaved sections of positions", () => {
    const text_config = {
      model_type: "qwen3_asr_text",
      ...sized(28, 16, 8, 1024, { head_dim: 128, max_position_embeddings: 65536 }),
      ...{ rope_theta: 1e6, id2label: { 0: "LABEL_0" } },
      rope_scaling: {
        ...{ interleaved: true, mrope_interleaved: true, mrope_section: [24, 20, 20] },
        ...{ rope_type: "default", type: "default" },
      },
    };
    const thinker_config = { model_type: "qwen3_asr_thinker", text_config };
    const { warnings, ...found } = read({ model_type: "qwen3_asr", thinker_config });
    assert.deepEqual(found, {
      ...{ layout: "halves", dim: 128, options: { base: 1e6 }, kept: [2048] },
      multimodal: { sections: [24, 20, 20], arrangement: "interleaved" },
    });
    assert.match(String(warnings), /rope_scaling.interleaved is not a key of type default/);
    const { rope_scaling, rope_theta, ...plain } = text_config;
    const { multimodal, options } = read(plain);
    assert.deepEqual([multimodal?.sections, options], [rope_scaling.mrope_section, { base: 5e6 }]);
    assert.equal(rope_theta, 1e6);
  });

  test("LLaDA-MoE rotates halves of a head, LLaDA 2 a part of them", () => {
    const sizes = sized(16, 16, 16, 2048, { max_position_embeddings: 8192 });
    const moe = { model_type: "llada_moe", ...sizes, rope_theta: 50000, rope_scaling: null };
    const halves = { layout: "halves", options: { base: 50000 }, kept: undefined, warnings: [] };
    assert.deepEqual(read({ ...moe, partial_rotary_factor: 1 }), { ...halves, dim: 128 });
    const { rope_theta, ...rest } = moe;
    assert.deepEqual(read(rest).options, { base: rope_theta });
    const two = { ...moe, model_type: "llada2_moe", head_dim: 128, rotary_dim: 64 };
    const part = { ...two, partial_rotary_factor: 0.5 };
    assert.deepEqual(read(part), { ...halves, dim: 64 });
    // Its code does not read the width.
    assert.equal(read(two).dim, 128);
    assert.match(String(read(two).warnings), /config.rotary_dim is not read/);
    refuses({ ...part, rope_theta: null }, /rope_theta is missing/);
  });

  test("OLMo's first files have the keys of its first code", () => {
    const config = {
      ...{ model_type: "hf_olmo", d_model: 4096, n_heads: 32, n_layers: 32, vocab_size: 50280 },
      ...{ rope: true, rope_full_precision: true, alibi: false, alibi_bias_max: 8 },
      ...{ multi_query_attention: false, n_kv_heads: null, max_sequence_length: 2048 },
    };
    const found = { layout: "halves", dim: 128, options: { base: 10000 }, kept: [8192] };
    assert.deepEqual(read(config), { ...found, warnings: [] });
    assert.deepEqual([of(config).suspect, of(config).positions.length], [[], 2048]);
    refuses({ ...config, rope: false, alibi: true }, /config.rope is false/);
  });

  test("NeoBERT rotates neighbors by the base 10000, which no key changes", () => {
    const sizes = sized(28, 12, 12, 768, { max_length: 4096, norm_eps: 1e-5, pad_token_id: 0 });
    const { num_key_value_heads, ...config } = { model_type: "neobert", ...sizes };
    const found = { layout: "interleaved", dim: 64, options: { base: 10000 }, kept: undefined };
    assert.deepEqual(read(config), { ...found, warnings: [] });
    assert.deepEqual([num_key_value_heads, of(config).positions.length], [12, 4096]);
    assert.deepEqual(of({ ...config, rope: true }).suspect, []);
    refuses({ ...config, rope: false }, /config.rope is false/);
    assert.throws(() => of({ ...config, rope_theta: 5e5 }), /rope_theta must be left out/);
  });

  test("layers of OpenELM have their own heads", () => {
    const queries = [12, 12, 16, 20];
    const config = {
      ...{ model_type: "openelm", head_dim: 64, model_dim: 1280, num_transformer_layers: 4 },
      ...{ num_query_heads: queries, num_kv_heads: [3, 3, 4, 5], vocab_size: 32000 },
      ...{ rope_freq_constant: 10000, rope_max_length: 4096, max_context_length: 2048 },
      ...{ num_gqa_groups: 4, qkv_multipliers: [0.5, 1], normalize_qk_projections: true },
    };
    const kept = [384, 512, 640];
    const found = { layout: "halves", dim: 64, options: { base: 10000 }, kept, warnings: [] };
    assert.deepEqual(read(config), found);
    const { heads, keyValueHeads, layers, positions, cache, suspect } = of(config);
    assert.deepEqual([heads, keyValueHeads, layers], [queries, [3, 3, 4, 5], 4]);
    assert.deepEqual([positions.length, cache?.[0].layers, suspect], [2048, 2, []]);
    refuses({ ...config, num_kv_heads: [3] }, /config.num_kv_heads is/);
  });

  test("Jais and BTLM have ALiBi and a scale of words", () => {
    const config = {
      ...{ n_embd: 5120, n_head: 40, n_layer: 40, n_positions: 2048, vocab_size: 84992 },
      ...{ position_embedding_type: "alibi", scale_attn_weights: true, width_scale: 0.11 },
      ...{ alibi_scaling: null, scale_attn_by_inverse_layer_idx: false },
    };
    for (const [model_type, scale] of [
      ["jais", { embeddings_scale: 14.6 }],
      ["jais", { mup_embeddings_scale: 14.6, mup_scale_qk_dot_by_d: true }],
      ["btlm", { mup_embeddings_scale: 14.6 }],
    ]) {
      const { positions, tokens, cache, suspect } = of({ model_type, ...config, ...Object(scale) });
      const alibi = { scheme: "alibi", length: 2048, options: { biasMax: 8 } };
      assert.deepEqual([positions, tokens.scale, suspect], [alibi, 14.6, []]);
      assert.deepEqual(cache, [{ kind: "full_attention", layers: 40, numbers: 10240 }]);
    }
    const jais = { model_type: "jais", ...config };
    refuses(
      { ...jais, position_embedding_type: "learned" },
      /position_embedding_type is "learned"/,
    );
    refuses({ ...jais, alibi_scaling: { type: "linear", factor: 4 } }, /alibi_scaling is/);
  });
});

describe("files of other programs", () => {
  const model_config = {
    ...sized(16, 32, 8, 2048, { head_dim: 64, context_window_size: 131072 }),
    ...{ position_embedding_base: 500000, rope_scaling: LLAMA3, prefill_chunk_size: 8192 },
    ...{ tensor_parallel_shards: 1, max_batch_size: 128 },
  };
  const around = {
    ...{ version: "0.1.0", model_type: "llama", context_window_size: 131072 },
    ...{ sliding_window_size: -1, prefill_chunk_size: 8192, attention_sink_size: -1 },
  };

  test("MLC LLM's own names of base and lengths", () => {
    const config = { ...around, model_config };
    const {
      tensor_parallel_shards: shards,
      position_embedding_base: base,
      ...plain
    } = model_config;
    const own = { max_position_embeddings: plain.context_window_size, rope_theta: base };
    const { positions, cache, warnings } = of({ model_type: "llama", ...plain, ...own });
    assert.deepEqual([of(config).positions, of(config).cache], [positions, cache]);
    assert.deepEqual([of(config).warnings, warnings], [[], []]);
    assert.equal(shards, 1);

    const sizes = { sliding_window_size: 4096, context_window_size: -1, rope_scaling: null };
    const mistral = {
      ...config,
      model_type: "mistral",
      model_config: { ...model_config, ...sizes },
    };
    assert.deepEqual(read(mistral).kept, [[1024, 4096]]);
    assert.equal(of(mistral).positions.length, undefined);
    const whole = {
      ...mistral,
      model_config: { ...mistral.model_config, sliding_window_size: -1 },
    };
    assert.deepEqual(read(whole).kept, [1024]);
  });

  test("families, bases and scalings of MLC LLM's files that are not known", () => {
    const inner = (/** @type {object} */ more, model_type = "llama") => ({
      ...around,
      ...{ model_type, model_config: { ...model_config, rope_scaling: null, ...more } },
    });
    refuses(inner({}, "cohere"), /position_embedding_base is 500000.+of the family cohere in MLC/);
    refuses(inner({ position_embedding_base: null }), /context_window_size is 131072/);
    const { context_window_size, ...other } = inner({ hidden_size: 64 }); // not MLC LLM's
    assert.throws(() => of(other), /hidden_size must be/);
    assert.equal(context_window_size, 131072);
    refuses(inner({ rope_scaling: { rope_type: "yarn", factor: 4 } }), /rope_scaling is "yarn"/);
  });

  test("ExecuTorch's files say which halves or neighbors rotate", () => {
    const qwen3 = {
      ...{ dim: 1024, hidden_dim: 3072, n_heads: 16, head_dim: 128, n_kv_heads: 8, n_layers: 28 },
      ...{ ffn_dim_multiplier: 1, norm_eps: 1e-6, rope_theta: 1e6, use_scaled_rope: false },
      ...{ vocab_size: 151936, use_hf_rope: true, attention_qkv_bias: false },
      ...{ use_qk_norm: true, qk_norm_before_rope: true },
    };
    const found = {
      layout: "halves",
      dim: 128,
      options: { base: 1e6 },
      kept: [2048],
      warnings: [],
    };
    assert.deepEqual(read(qwen3), found);
    assert.deepEqual(of(qwen3).suspect, []);
    assert.deepEqual(read({ ...qwen3, use_hf_rope: false }), { ...found, layout: "interleaved" });
    const phi = { ...qwen3, partial_rotary_factor: 0.75 };
    assert.equal(read(phi).dim, 96);
    refuses({ ...phi, use_hf_rope: false }, /partial_rotary_factor is 0.75/);
    // Qwen 2.5's first file, which was for halves, and did not say so.
    const { use_hf_rope, ...first } = qwen3;
    assert.equal(use_hf_rope, true);
    refuses(first, /ffn_dim_multiplier is 1.+hidden_dim and not use_hf_rope/);
  });
});
