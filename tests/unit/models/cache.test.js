// What layers keep of a token and how far they see, by the keys of public configurations.
import assert from "node:assert/strict";
import { test } from "node:test";
import { llama } from "./small.js";
import { models } from "phasor/models";

/** @param {Record<string, unknown>} more */
const cacheOf = (more) => models.fromConfig(llama(more)).cache;

test("models.fromConfig: cache has the numbers and the window of layers that are alike", () => {
  const full = { kind: "full_attention", layers: 4, numbers: 128 };
  assert.deepEqual(cacheOf({}), [full]);
  assert.deepEqual(cacheOf({ num_key_value_heads: 1 }), [{ ...full, numbers: 32 }]);
  assert.deepEqual(cacheOf({ sliding_window: 8 }), [full], "LLaMA does not read it");
  assert.deepEqual(cacheOf({ model_type: "mistral", sliding_window: 8 }), [{ ...full, window: 8 }]);
  const turns = { model_type: "gemma2", sliding_window: 8, head_dim: 16 };
  assert.deepEqual(cacheOf(turns), [
    { ...full, layers: 2, window: 8 },
    { ...full, layers: 2 },
  ]);
  const latent = { qk_rope_head_dim: 4, qk_nope_head_dim: 8, kv_lora_rank: 20, v_head_dim: 8 };
  assert.deepEqual(cacheOf({ model_type: "deepseek_v3", ...latent }), [
    { ...full, numbers: 24, latent: true },
  ]);
  assert.deepEqual(cacheOf({ model_type: "chatglm", multi_query_group_num: 2 })?.[0].numbers, 64);
});

test("models.fromConfig: Moshi and the patcher of BLT see as far as their classes and files say", () => {
  const windowOf = (/** @type {Record<string, unknown>} */ more) => cacheOf(more)?.[0].window;
  assert.equal(windowOf({ model_type: "moshi" }), 3000);
  assert.equal(windowOf({ model_type: "moshi", sliding_window: null }), undefined);
  const own = { model_type: "moshi", positional_embedding: "rope", max_period: 1e4 };
  assert.deepEqual([windowOf({ ...own, context: 250 }), windowOf(own)], [250, undefined]);
  assert.equal(windowOf({ model_type: "blt_patcher" }), 512);
  assert.equal(windowOf({ model_type: "blt_patcher", sliding_window: 9 }), 9);
});

test("models.fromConfig: encoders have no cache, and neither have other schemes", () => {
  for (const model_type of ["nomic_bert", "eurobert", "bert", "t5"]) {
    const { cache } = models.fromConfig({
      ...llama({ model_type, d_kv: 16 }),
      ...{ relative_attention_num_buckets: 8, relative_attention_max_distance: 16 },
    });
    assert.equal(cache, undefined, model_type);
  }
});

test("models.fromConfig: without a number of heads with keys a file has that of the family's class", () => {
  const without = { num_key_value_heads: undefined };
  const sizes = { hidden_size: 256, num_attention_heads: 32, head_dim: 8 };
  for (const [model_type, heads, more] of /** @type {const} */ ([
    ["llama", 32, {}],
    ["mistral", 8, {}],
    ["gemma2", 4, {}],
    ["glm4", 2, {}],
    ["qwen2_moe", 16, {}],
    ["gpt_bigcode", 1, {}], // StarCoder, whose files say multi_query alone
    ["gpt_bigcode", 1, { multi_query: true }],
    ["gpt_bigcode", 32, { multi_query: false }],
    ["falcon", 1, {}],
    ["falcon", 32, { multi_query: false }],
    ["falcon", 8, { new_decoder_architecture: true, num_kv_heads: 8 }],
  ])) {
    const { keyValueHeads, cache } = models.fromConfig(
      llama({ model_type, ...without, ...sizes, ...more }),
    );
    assert.equal(keyValueHeads, heads, `${model_type} ${JSON.stringify(more)}`);
    assert.equal(cache?.[0].numbers, heads * 16, model_type);
  }
  const { keyValueHeads, warnings } = models.fromConfig(
    llama({ model_type: "mistral", ...without }),
  );
  assert.deepEqual(
    [keyValueHeads, ...warnings],
    [
      8,
      "config.num_key_value_heads is not given: the family's default is 8, of which 4 heads are no multiple",
    ],
  );
});

test("models.fromConfig: windows are in the layers in which the family's code has them", () => {
  const used = { use_sliding_window: true, sliding_window: 9, max_window_layers: 2 };
  const windowsOf = (/** @type {Record<string, unknown>} */ more) =>
    cacheOf({ head_dim: 128, ...more })?.flatMap((of) => Array(of.layers).fill(of.window ?? 0));
  for (const model_type of ["qwen2", "qwen3", "qwen2_vl_text", "qwen2_5_vl_text"]) {
    assert.deepEqual(windowsOf({ model_type, ...used }), [0, 0, 9, 9], model_type);
    assert.deepEqual(windowsOf({ model_type, ...used, use_sliding_window: false }), [0, 0, 0, 0]);
  }
  assert.deepEqual(windowsOf({ model_type: "qwen3_moe", ...used }), [9, 9, 9, 9]);
  assert.deepEqual(windowsOf({ model_type: "smollm3", ...used }), [0, 0, 0, 9]);
  assert.equal(cacheOf({ model_type: "qwen2_moe", ...used })?.[0].window, null);
  const listed = ["full_attention", ...Array(3).fill("sliding_attention")];
  for (const more of [{ sliding_window: 9 }, { max_window_layers: 2 }]) {
    const partial = { model_type: "qwen2", use_sliding_window: true, ...more };
    assert.equal(cacheOf(partial)?.[0].window, null, "the other is a default of the class");
  }
  assert.deepEqual(windowsOf({ model_type: "qwen2", ...used, layer_types: listed }), [0, 9, 9, 9]);
  const prompt = { layer_types: Array(4).fill("reference_sliding_attention") }; // queries see it whole
  const ocr = cacheOf({ model_type: "unlimited_ocr_text", ...used, ...prompt });
  const ratios = { compress_ratios: [0, 4, 128, 0], qk_rope_head_dim: 64, head_dim: 512 };
  const seen = cacheOf({ model_type: "deepseek_v4", ...used, ...ratios })?.map((of) => of.window);
  assert.deepEqual([ocr?.[0].window, seen], [null, [9, null, null]]);
  assert.deepEqual(windowsOf({ model_type: "mistral" }), [4096, 4096, 4096, 4096]);
  assert.deepEqual(windowsOf({ model_type: "mistral", sliding_window: null }), [0, 0, 0, 0]);
  assert.deepEqual(windowsOf({ model_type: "gemma2" }), [4096, 4096, 0, 0]);
  for (const name of ["mistral-7b-v0.3", "mistral-small-3.2-24b"]) {
    assert.equal(models.get(name).cache?.[0].window, undefined, name); // their files say null
  }
  assert.equal(models.get("mistral-7b-v0.1").cache?.[0].window, 4096);
});

test("models.fromConfig: heads with keys of each layer are read if they are numbers, one for each", () => {
  const numbersOf = (/** @type {unknown} */ each) =>
    cacheOf({ num_key_value_heads_per_layer: each })?.flatMap((of) =>
      Array(of.layers).fill(of.numbers),
    );
  assert.deepEqual(numbersOf([4, 2, 2, 0]), [128, 64, 64, 0]);
  for (const each of [
    [4, 2, 2],
    [4, 2, 2, "2"],
    [4, 2, 2, -1],
    [4, 2, 2, NaN],
    "4222",
    { length: 4 },
  ])
    assert.deepEqual(numbersOf(each), Array(4).fill(undefined), JSON.stringify(each));
});

test("models.fromConfig: MiMo V2 Flash has twice the heads and narrower values in sliding layers", () => {
  const rope = { rope_type: "default", rope_theta: 1e4 };
  const mimo = {
    model_type: "mimo_v2_flash",
    rope_parameters: { full_attention: rope, sliding_attention: rope },
    layer_types: ["full_attention", ...Array(3).fill("sliding_attention")],
    num_key_value_heads: 1,
  };
  const numbersOf = (/** @type {Record<string, unknown>} */ more) =>
    cacheOf({ ...mimo, ...more })?.map((of) => of.numbers);
  assert.deepEqual(numbersOf({}), [320, 640]);
  assert.deepEqual(numbersOf({ swa_num_key_value_heads: 4, v_head_dim: 64 }), [256, 1024]);
  assert.deepEqual(numbersOf({ n_recurrent_loops: 2 }), [undefined, undefined]);
});

test("models.fromConfig: null in text_config is what it is in a flat file", () => {
  const { model_type, ...sizes } = llama({ sliding_window: null });
  for (const [whole, part] of [
    ["mistral3", "mistral"],
    ["llava", "mistral"],
    ["exaone4_5", "exaone4"],
  ]) {
    const text_config = { ...sizes, model_type: part };
    const { cache, positions } = models.fromConfig({ model_type: whole, text_config });
    const flat = models.fromConfig(text_config);
    assert.deepEqual([cache, positions.rotary], [flat.cache, flat.positions.rotary], whole);
    assert.equal(cache?.[0].window, undefined, whole);
  }
});

test("models.fromConfig: windows of files without layer_types are those of the family's class", () => {
  const eight = Array.from({ length: 8 }, () => "full_attention");
  for (const [model_type, more, expected] of /** @type {[string, object, number[]][]} */ ([
    ["ministral", {}, [4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096]],
    ["cwm", {}, [0, 8192, 8192, 8192, 0, 8192, 8192, 8192]],
    ["dots1", { max_window_layers: 6 }, [0, 0, 0, 0, 0, 0, 4096, 4096]],
    ["dots1", {}, [0, 0, 0, 0, 0, 0, 0, 0]],
    ["muse_glimmer_text", {}, [2048, 2048, 2048, 0, 2048, 2048, 2048, 0]],
    ["cwm", { sliding_window: 16, layer_types: eight.with(5, "sliding_attention") }, [0, 0, 0, 0, 0, 16, 0, 0]],
    ["smollm3", { use_sliding_window: true, sliding_window: 16, layer_types: eight.with(1, "sliding_attention") }, [0, 16, 0, 0, 0, 0, 0, 0]],
    ["smollm3", { use_sliding_window: true, sliding_window: 16 }, [0, 0, 0, 16, 0, 0, 0, 16]],
  ])) {
    const rope_parameters = { rope_type: "default", rope_theta: 1e4 };
    const { layers, cache } = models.fromConfig(llama({ model_type, num_hidden_layers: 8, rope_parameters, ...more }));
    const sliding = expected.filter((window) => window > 0);
    const counts = cache?.filter(({ window }) => window).map((of) => [of.window, of.layers]);
    const all = sliding.length > 0 ? [[sliding[0], sliding.length]] : [];
    assert.deepEqual([layers, counts], [8, all], model_type);
  }
}); // prettier-ignore

test("models.fromConfig: what reads a text at once keeps nothing of it", () => {
  const rope_parameters = { rope_type: "default", rope_theta: 1e4 };
  assert.equal(cacheOf({ model_type: "openai_privacy_filter", rope_parameters }), undefined);
  assert.equal(cacheOf({ model_type: "t5gemma2_text" }), undefined);
  const jina = { position_embedding_type: "rotary", type_vocab_size: 1 };
  assert.equal(cacheOf({ model_type: "xlm-roberta", ...jina }), undefined);
  assert.equal(cacheOf({ model_type: "qwen2", is_causal: false }), undefined); // gte-Qwen2
  const nested = { rope_parameters: { full_attention: rope_parameters }, layer_types: Array(4).fill("full_attention") }; // prettier-ignore
  assert.equal(cacheOf({ model_type: "embedding_gemma2_text", ...nested }), undefined);
  for (const [use_bidirectional_attention, isNone] of [["all", true], ["vision", false]]) // prettier-ignore
    assert.equal(cacheOf({ model_type: "gemma4_text", ...nested, use_bidirectional_attention }) === undefined, isNone); // prettier-ignore
});

test("models.fromConfig: Phi-3 small sees blocks in some layers, MPT a window and its own token", () => {
  const small = { model_type: "phi3small", dense_attention_every_n_layers: 2 };
  assert.deepEqual(cacheOf(small)?.map((of) => [of.window, of.layers]), [[null, 2], [undefined, 2]]); // prettier-ignore
  const mpt = (/** @type {object} */ more) =>
    models.fromConfig({ ...llama({ model_type: "mpt", max_seq_len: 64 }), ...more });
  const windowOf = (/** @type {unknown} */ sliding_window_size) =>
    mpt({ attn_config: { alibi: true, sliding_window_size } }).cache?.[0].window;
  assert.deepEqual([-1, 8, "8", undefined].map(windowOf), [undefined, 9, null, undefined]);
  const { positions, cache } = mpt({ block_overrides: { order: [{ name: "default" }] } });
  assert.match(String(positions.reasons), /^config\.block_overrides is an object, and what/);
  assert.equal(cache, undefined);
});

test("models.fromConfig: layers that share an indexer keep no keys of it", () => {
  const latent = { qk_rope_head_dim: 4, qk_nope_head_dim: 8, kv_lora_rank: 20, v_head_dim: 8 };
  const numbersOf = (/** @type {string} */ model_type, /** @type {object} */ more) =>
    cacheOf({ model_type, ...latent, num_hidden_layers: 6, index_head_dim: 2, ...more })?.flatMap(
      (of) => Array(of.layers).fill(of.numbers),
    );
  const [own, none] = [26, 24];
  const two = [...Array(2).fill(own), ...Array(4).fill(none)];
  const types = ["full", "shared", "shared", "shared", "full", "shared"];
  const half = { index_topk_freq: 2, index_skip_topk_offset: 3 };
  for (const [type, more, expected] of /** @type {[string, object, unknown[]][]} */ ([
    ["glm_moe_dsa", {}, Array(6).fill(own)],
    ["glm_moe_dsa", { indexer_types: types }, two],
    ["glm_moe_dsa", { index_topk_pattern: "FSSSFS" }, two],
    ["glm_moe_dsa", half, [...Array(4).fill(own), none, none]], // layers 0, 1, 2 and 4
    ["glm_moe_dsa", { layer_types: Array(6).fill("deepseek_sparse_attention") }, Array(6).fill(own)],
    ["hy_v4", {}, [own, own, own, none, none, none]], // layers 0, 1 and 5
    ["hy_v4", { indexer_types: types, layer_types: Array(6).fill("indexed_attention") }, two],
    ["glm_moe_dsa", { indexer_types: types.with(3, "other") }, [own, own, none, none, none, undefined]],
    ["glm_moe_dsa", { indexer_types: ["full"] }, [own, ...Array(5).fill(undefined)]],
    ["glm_moe_dsa", { index_topk_freq: "4" }, Array(6).fill(undefined)],
    ["deepseek_v3", { index_head_dim: null, index_topk_freq: "4" }, Array(6).fill(none)],
  ])) {
    assert.deepEqual(numbersOf(type, more), expected, `${type} ${JSON.stringify(more)}`);
  }
}); // prettier-ignore

test("models.fromConfig: sparse layers of MiniMax-M3 keep the keys of an indexer besides", () => {
  const sparse_attention_config = { sparse_attention_freq: [0, 1, 1, 1], sparse_index_dim: 8 };
  const layer_types = [...Array(3).fill("full_attention"), "minimax_m3_sparse"];
  const minimax = { head_dim: 16, rotary_dim: 8, partial_rotary_factor: 0.5 };
  for (const model_type of ["minimax_m3", "minimax_m3_vl_text"]) {
    const found = (/** @type {object} */ more) =>
      cacheOf({ model_type, ...minimax, ...more })?.map((of) => [of.numbers, of.layers]);
    assert.deepEqual(found({ sparse_attention_config }), [[128, 1], [136, 3]]);
    assert.deepEqual(found({ layer_types, index_head_dim: 4 }), [[128, 3], [132, 1]]);
    assert.deepEqual(found({ index_head_dim: 4 }), [[undefined, 4]]);
    assert.deepEqual(found({}), [[128, 4]]);
  }
}); // prettier-ignore
