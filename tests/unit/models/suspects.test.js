// Keys that decide about positions or attention are never ignored silently.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { llama } from "./small.js";
import { models } from "phasor/models";

const truth = new URL("../../truth/atlas/", import.meta.url);
/** @param {string} name @returns {Record<string, {config: Record<string, unknown>}>} */
const recorded = (name) => JSON.parse(readFileSync(new URL(name, truth), "utf8"));

/** Keys that speak of positions, rotation, attention, heads, windows, scaling or quantization. @type {[string, unknown][]} */
const SPEAKING = [
  ["position_embedding_type", "alibi"],
  ["use_mla", false],
  ["attn_config", { alibi: true }],
  ["alibi", true],
  ["alibi_starting_size", 512],
  ["rotary_scaling_factor", 2],
  ["rotary_dim", 8],
  ["my_rope_flag", true],
  ["xrope_section", [1, 2, 3]],
  ["swa_rope_theta", 1e4],
  ["swa_num_attention_heads", 8],
  ["attn_type_list", [0, 1]],
  ["attention_type", "linear"],
  ["hybrid_layer_pattern", [0, 1]],
  ["layer_group_size", 4],
  ["block_types", ["a"]],
  ["quantization", { bits: 4 }],
  ["quantization_config", { quant_method: "fp8" }],
  ["partial_rotary_factors", [0.5, 1]],
  ["num_heads_per_layer", [4, 8]],
  ["window_pattern", "LG"],
  ["logit_scaling_by_position", true],
  ["relative_bias", true],
  ["sinusoidal_pos", true],
  ["global_head_number", 3],
  ["nope_interval", 4],
  ["use_yarn", true],
  ["rope_interleave", true],
  // names that say nothing, values that do
  ["encoding", "ALiBi"],
  ["embedding_kind", "rotary"],
  ["extra", { rope_theta: 5 }],
];

/** Keys that are harmless for what a description says, or say nothing of positions. */
const HARMLESS = {
  ...{
    use_cache: true,
    torch_dtype: "bfloat16",
    attention_dropout: 0.1,
    attn_pdrop: 0,
    dropout: 0,
  },
  ...{
    attention_bias: false,
    sliding_window: 4096,
    use_sliding_window: false,
    max_window_layers: 2,
  },
  ...{ _name_or_path: "someone/rope-model", architectures: ["RoPE"], auto_map: { a: "rope.A" } },
  ...{ routed_scaling_factor: 2.5, attn_logit_softcapping: 50, query_pre_attn_scalar: 256 },
  ...{ vision_config: { num_heads: 3, rope_theta: 5 }, id2label: { 0: "B-POSITION" } },
  ...{ hidden_dropout_prob: 0.1, add_cross_attention: false, mlp_bias: false, properties: [1] },
  ...{ num_local_experts: 4, tie_word_embeddings: false, _attn_implementation: "sdpa" },
};

/** Qwen without its scaling of long texts. */
const PLAIN_QWEN = { use_dynamic_ntk: false, use_logn_attn: false };
const BY_KIND = {
  hybrid_layer_pattern: [0, 1, 1, 0],
  rope_theta: 5e6,
  swa_rope_theta: 1e4,
};

describe("models.fromConfig: suspect keys", () => {
  test("a key that speaks of positions or attention and that nothing reads makes a warning that names it", () => {
    for (const [key, value] of SPEAKING) {
      const { suspect, ignored, warnings } = models.fromConfig(llama({ [key]: value }));
      assert.deepEqual([suspect, ignored], [[key], [key]], key);
      assert.equal(warnings.length, 1, key);
      assert.match(warnings[0], new RegExp(`^config\\.${key} is not read, and may change`));
      assert.deepEqual(models.rope(llama({ [key]: value }))?.warnings, warnings);
    }
  });

  test("harmless keys make none, and null counts as missing", () => {
    const { suspect, ignored, warnings } = models.fromConfig(llama(HARMLESS));
    assert.deepEqual([suspect, warnings], [[], []]);
    assert.deepEqual(ignored, Object.keys(HARMLESS));
    const missing = Object.fromEntries(SPEAKING.map(([key]) => [key, null]));
    assert.deepEqual(models.fromConfig(llama(missing)).suspect, []);
  });

  test("suspect keys come first among the warnings, and many are counted", () => {
    const rope_scaling = { type: "linear", factor: 2, beta_fast: 32 };
    const { warnings } = models.fromConfig(llama({ rope_scaling, use_mla: true }));
    assert.match(warnings[0], /^config\.use_mla is not read/);
    assert.match(warnings[1], /beta_fast is not a key of type linear/);
    const keys = Array.from({ length: 30 }, (_, i) => [`rope_flag_${i}`, 1]);
    const many = models.fromConfig(llama(Object.fromEntries(keys)));
    assert.equal(many.suspect.length, 30);
    assert.equal(many.warnings.length, 17);
    assert.match(many.warnings[16], /^config has 30 keys that are not read and may change /);
  });

  test("the keys of a rule that another key of it precedes are read", () => {
    const layer_types = Array(4).fill("full_attention");
    for (const [model_type, key, value] of /** @type {[string, string, unknown][]} */ ([
      ["exaone4", "sliding_window_pattern", 2],
      ["smollm3", "no_rope_layer_interval", 3],
      ["lfm2", "full_attn_idxs", [1]],
      ["afmoe", "global_attn_every_n_layers", 2],
    ])) {
      const { suspect } = models.fromConfig(llama({ model_type, layer_types, [key]: value }));
      assert.deepEqual(suspect, [], model_type);
    }
    const rope_parameters = { rope_type: "default", rope_theta: 1e6 };
    assert.deepEqual(models.fromConfig(llama({ rope_theta: 1e6, rope_parameters })).suspect, []);
  });

  test("keys that repeat what the family does are no suspects, and those that contradict it are", () => {
    const of = (/** @type {Record<string, unknown>} */ more) =>
      models.fromConfig(llama({ rope_parameters: { rope_theta: 1e4 }, ...more })).suspect;
    assert.deepEqual(of({ rope_interleave: false }), []);
    assert.deepEqual(of({ model_type: "cohere", rope_interleave: true }), []);
    assert.deepEqual(of({ model_type: "cohere", rope_interleave: false }), ["rope_interleave"]);
    assert.deepEqual(of({ position_embedding_type: "rope" }), []);
    assert.deepEqual(of({ position_embedding_type: "absolute" }), ["position_embedding_type"]);
  });

  test("a key that repeats what is described, or another name with the same value, is no suspect", () => {
    const sections = { type: "mrope", mrope_section: [2, 3, 3] };
    for (const [
      model_type,
      repeated,
      other,
    ] of /** @type {[string, Record<string, unknown>, Record<string, unknown>][]} */ ([
      ["llama", { rope_interleaved: false }, { rope_interleaved: true }],
      ["lfm2", { use_pos_enc: true }, { use_pos_enc: false }],
      ["gptj", { rotary: true, rotary_dim: 8 }, { rotary: false, rotary_dim: 8 }],
      ["qwen2", { use_mrope: false }, { use_mrope: true }],
      [
        "qwen2_vl",
        { use_mrope: true, rope_scaling: sections },
        { use_mrope: false, rope_scaling: sections },
      ],
      [
        "minimax_m2",
        { rotary_dim: 64, partial_rotary_factor: 0.5 },
        { rotary_dim: 8, partial_rotary_factor: 0.5 },
      ],
      [
        "qwen",
        { rope_theta: 500, rotary_emb_base: 500, ...PLAIN_QWEN },
        { rope_theta: 400, rotary_emb_base: 500, ...PLAIN_QWEN },
      ],
      ["falcon", { n_head: 4 }, { n_head: 8 }],
      ["marian", { static_position_embeddings: true }, { static_position_embeddings: false }],
      ["mimo_v2_flash", { pruned_heads: {}, ...BY_KIND }, { pruned_heads: { 1: [2] }, ...BY_KIND }],
    ])) {
      const suspects = (/** @type {Record<string, unknown>} */ more) =>
        models.fromConfig(llama({ model_type, ...more })).suspect;
      assert.deepEqual(suspects(repeated), [], model_type);
      assert.deepEqual(suspects(other), [Object.keys(other)[0]], model_type);
    }
  });

  test("keys of published files that decide nothing of positions are harmless", () => {
    for (const [model_type, more] of /** @type {[string, Record<string, unknown>][]} */ ([
      ["t5", { n_positions: 512 }],
      ["mistral", { context_window_size: 2048, attention_sink_size: 4 }],
      ["bert", { pooler_num_attention_heads: 12, pooler_size_per_head: 128 }],
      ["glm_moe_dsa", { indexer_rope_interleave: true, rope_theta: 1e6 }],
      ["phi3", { full_attn_mod: 1 }],
      ["bloom", { offset_alibi: 100 }],
      ["marian", { extra_pos_embeddings: 0 }],
      ["nemotron_h", { rope_theta: 1e4, partial_rotary_factor: 1 }],
      ["kimi_linear", { mla_use_nope: true, rope_theta: 1e4, mla_use_output_gate: true }],
      ["minimax_m2", { attn_type_list: [1, 1, 1, 1] }],
      ["llama", { add_full_attention_sink_bias: true, attention_output_gate: false }],
    ])) {
      assert.deepEqual(models.fromConfig(llama({ model_type, ...more })).suspect, [], model_type);
    }
    const of = (/** @type {string} */ model_type, /** @type {Record<string, unknown>} */ more) =>
      models.fromConfig(llama({ model_type, ...more })).positions;
    assert.match(
      String(of("kimi_linear", { mla_use_nope: false }).reasons),
      /mla_use_nope is false/,
    );
    assert.match(
      String(of("minimax_m2", { attn_type_list: [0, 1, 1, 1] }).reasons),
      /attn_type_list/,
    );
  });

  test("a family that is not known has none: nothing is said of it", () => {
    const { suspect, warnings } = models.fromConfig(
      llama({ model_type: "new_one", use_mla: true }),
    );
    assert.deepEqual([suspect, warnings], [[], []]);
  });

  test("no recorded configuration has a suspect key", () => {
    const all = ["published.json", "sample.json"].flatMap((file) => Object.entries(recorded(file)));
    for (const [name, { config }] of all) {
      assert.deepEqual(models.fromConfig(config).suspect, [], name);
    }
    assert.ok(all.length >= 90, String(all.length));
  });

  test("recorded configurations that are unknown have a reason; with a wrong value the error names the function", () => {
    const wrong = [null, "x", -1, NaN, [], {}, [null], true];
    let refused = 0;
    for (const file of ["published.json", "sample.json"]) {
      for (const [name, { config }] of Object.entries(recorded(file))) {
        const { scheme, reasons = [] } = models.fromConfig(config).positions;
        assert.ok(scheme !== "unknown" || String(reasons) !== "", name);
        for (const key of Object.keys(config)) {
          for (const value of wrong) {
            try {
              models.fromConfig({ ...config, [key]: value });
            } catch (error) {
              const { constructor, message } = /** @type {Error} */ (error);
              assert.ok([TypeError, RangeError].includes(/** @type {any} */ (constructor)), name);
              assert.match(message, /^models\.fromConfig: .+; got /, `${name}: ${key}`);
              refused += 1;
            }
          }
        }
      }
    }
    assert.ok(refused >= 1000, String(refused));
  });
});
