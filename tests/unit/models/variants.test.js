// One model_type, different positions or attention, by keys of the configuration.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { phasor } from "../../phasor.js";
import { llama } from "./small.js";
import { atlas, models } from "phasor/models";

/** @param {string} model_type @param {Record<string, unknown>} more */
const of = (model_type, more) => models.fromConfig(llama({ model_type, ...more }));
/** @param {string} model_type @param {Record<string, unknown>} more */
const positionsOf = (model_type, more) => of(model_type, more).positions;
/** @param {string} model_type @param {Record<string, unknown>} more */
const rotaryOf = (model_type, more) => positionsOf(model_type, more).rotary?.full_attention;

describe("models.fromConfig: relatives of BERT", () => {
  test("alibi is a symmetric bias and no table, as in jina-embeddings-v2, MosaicBERT and DNABERT-2", () => {
    for (const [type, more] of /** @type {[string, Record<string, unknown>][]} */ ([
      ["bert", { position_embedding_type: "alibi" }],
      ["xlm-roberta", { position_embedding_type: "alibi" }],
      ["bert", { alibi_starting_size: 512 }],
      ["bert", { alibi_starting_size: 512, position_embedding_type: "absolute" }],
    ])) {
      const { positions, tokens, warnings } = of(type, more);
      assert.deepEqual(positions, { scheme: "alibi", length: 4096, options: { biasMax: 8 } });
      assert.deepEqual([tokens.segments, tokens.norm, warnings], [2, 1e-12, []]);
    }
    // Its input is words and token types alone.
    const spec = of("bert", { position_embedding_type: "alibi", hidden_size: 4 });
    const weights = { words: [[1, 2, 3, 4]], segments: [[1, 1, 1, 1], [0, 0, 0, 0]] }; // prettier-ignore
    const { data } = phasor.inputEmbeddings(/** @type {any} */ (spec), weights, [0, 0]);
    assert.deepEqual([...data.slice(0, 4)], [...data.slice(4)]);
  });

  test("rotary is RoPE with rotary_emb_base, as in the encoder of jina-embeddings-v3", () => {
    const v3 = { position_embedding_type: "rotary", rotary_emb_base: 20000, type_vocab_size: 1 };
    const { tokens, positions } = of("xlm-roberta", v3);
    const plain = { dim: 16, layout: "halves", options: { base: 20000 } };
    assert.deepEqual([positions.scheme, positions.rotary?.full_attention], ["rope", plain]);
    assert.equal(tokens.segments, 1);
    const pairs = { position_embedding_type: "rotary", rotary_emb_interleaved: true };
    const { layout, options } = rotaryOf("xlm-roberta", pairs) ?? {};
    assert.deepEqual([layout, options], ["interleaved", { base: 10000 }]);
    assert.equal(rotaryOf("xlm-roberta", { ...v3, rotary_emb_dim: 8 })?.dim, 8);
  });

  test("relative_key and relative_key_query are named and not computed", () => {
    for (const type of ["bert", "roberta", "electra", "albert", "camembert", "ernie", "convbert"]) {
      for (const value of ["relative_key", "relative_key_query"]) {
        const { positions, suspect } = of(type, { position_embedding_type: value });
        assert.equal(positions.scheme, "other", type);
        assert.match(String(positions.reasons), /learned vectors of distances.+transformers 4/);
        assert.deepEqual(suspect, []);
      }
    }
  });

  test("a family with a table of positions and rotary: true is unknown, as GPT-J's first files", () => {
    for (const type of ["gpt_neo", "gpt2", "bert", "opt"]) {
      const { positions, suspect } = of(type, { rotary: true, rotary_dim: 8, jax: true });
      assert.deepEqual([positions.scheme, suspect], ["unknown", []], type);
      assert.match(String(positions.reasons), /config\.rotary is true/);
      assert.equal(positionsOf(type, { rotary: false }).scheme, "learnedPositions", type);
    }
  });

  test("absolute is the table of positions, and other values are unknown", () => {
    const table = positionsOf("bert", {});
    assert.deepEqual(positionsOf("bert", { position_embedding_type: "absolute" }), table);
    for (const [type, value] of [
      ["bert", "rotary"],
      ["roberta", "alibi"],
      ["bert", "some_new_kind"],
      ["electra", 7],
      ["gte", "absolute"], // its code rotates, whatever the key says
    ]) {
      const { scheme, reasons } = positionsOf(String(type), { position_embedding_type: value });
      assert.equal(scheme, "unknown", `${type} ${value}`);
      assert.match(String(reasons), /^config\.position_embedding_type is .+ is not known\.$/);
    }
    const xpos = { position_embedding_type: "rotary", rotary_emb_scale_base: 512 };
    assert.equal(positionsOf("xlm-roberta", xpos).scheme, "unknown");
  });
});

describe("models.fromConfig: ESM", () => {
  const esm = { pad_token_id: 1, mask_token_id: 32, max_position_embeddings: 1026 };

  test("the second version rotates, the first has RoBERTa's table, and a LayerNorm only where it says so", () => {
    const first = of("esm", { ...esm, emb_layer_norm_before: true, layer_norm_eps: 1e-5 });
    assert.deepEqual(first.positions, {
      scheme: "learnedPositions",
      preset: "roberta",
      rows: 1026,
      length: 1024,
    });
    assert.deepEqual([first.tokens.norm, first.tokens.maskId], [1e-5, undefined]);
    const absolute = { position_embedding_type: "absolute" };
    assert.deepEqual(positionsOf("esm", { ...esm, ...absolute }), first.positions);
    const rotary = { ...esm, position_embedding_type: "rotary", token_dropout: true };
    const second = of("esm", rotary);
    const plain = { dim: 16, layout: "halves", options: { base: 10000 } };
    assert.deepEqual(
      [second.positions.scheme, second.positions.rotary?.full_attention],
      ["rope", plain],
    );
    const { norm, maskId, unused } = second.tokens;
    assert.deepEqual([norm, maskId, unused, second.suspect], [null, 32, ["positions"], []]);
    assert.deepEqual(rotaryOf("esm", { ...rotary, rope_theta: 5e4 })?.options, { base: 5e4 });
    for (const value of ["relative_key", "alibi", 3]) {
      assert.equal(positionsOf("esm", { position_embedding_type: value }).scheme, "unknown");
    }
    assert.throws(
      () => of("esm", { token_dropout: true }),
      /^TypeError: models.fromConfig: config.mask_token_id must be /,
    );
  });

  test("rows of the mask are 0, and the others of a sequence make up for them", () => {
    const words = [[1, 2], [3, 4], [5, 6]]; // prettier-ignore
    const spec = { tokens: { maskId: 2 }, positions: { scheme: "rope" } };
    const ids = [[0, 1, 2, 1], [0, 0, 1, 1], [2, 2, 2, 0]]; // prettier-ignore
    const stages = phasor.inputEmbeddings(spec, { words }, ids, { intermediates: true });
    ids.forEach((row, s) =>
      row.forEach((id, t) => {
        const factor = Math.fround(0.88 / (row.filter((one) => one !== 2).length / 4));
        const want = words[id].map((x) => (id === 2 ? 0 : Math.fround(x * factor)));
        assert.deepEqual([...stages.output.row(s).row(t).data], want);
      }),
    );
    assert.deepEqual(stages.scaled, stages.output);
    const positions = [[1, 1], [2, 2], [3, 3], [4, 4]]; // prettier-ignore
    const learned = { ...spec, positions: { scheme: "learnedPositions" } };
    const sum = phasor.inputEmbeddings(learned, { words, positions }, ids);
    sum.data.forEach((x, i) => {
      assert.equal(x, Math.fround(stages.output.data[i] + positions[Math.floor(i / 2) % 4][0]));
    });
    // Padding changes nothing of a text, and has rows of zeros.
    const mask = [[1, 1, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]]; // prettier-ignore
    const padded = phasor.inputEmbeddings(learned, { words, positions }, ids, { mask });
    mask.forEach((flags, s) => {
      const T = flags.filter(Boolean).length;
      const alone = phasor.inputEmbeddings(learned, { words, positions }, ids[s].slice(0, T));
      const row = padded.row(s);
      assert.deepEqual([...row.data.subarray(0, 2 * T)], [...alone.data]);
      assert.ok(row.data.subarray(2 * T).every((x) => x === 0));
    });
    assert.throws(
      () => phasor.inputEmbeddings(spec, { words }, ids, { mask: [1, 1] }),
      /^RangeError: inputEmbeddings: mask must have the last axes of \[3, 4\]; got \[2\]$/,
    );
    assert.throws(
      () => phasor.inputEmbeddings(spec, { words }, [[0, 1], [2, 2]]), // prettier-ignore
      /^RangeError: inputEmbeddings: ids must have a token that is no mask; got 2$/,
    );
    assert.throws(
      () => phasor.inputEmbeddings({ ...spec, tokens: { maskId: -1 } }, { words }, [0]),
      /^RangeError: inputEmbeddings: spec.tokens.maskId must be /,
    );
  });
});

describe("models.fromConfig: pages, windows and segments", () => {
  test("LayoutLM has tables of boxes, and its later versions biases of two kinds", () => {
    const page = { max_position_embeddings: 514, max_2d_position_embeddings: 1024 };
    assert.deepEqual(positionsOf("layoutlm", page), {
      ...{ scheme: "learnedPositions", preset: "bert", rows: 514, length: 514 },
      boxes: { rows: 1024, join: "sum" },
    });
    const biases = {
      relative: "t5Bias",
      relativeOptions: { buckets: 32, maxDistance: 128 },
    };
    const bias = { buckets: 64, maxDistance: 256 };
    const second = of("layoutlmv2", { ...page, coordinate_size: 11, shape_size: 10 });
    assert.deepEqual(second.positions, {
      ...{ scheme: "learnedPositions", preset: "bert", rows: 514, length: 514 },
      ...{ boxes: { rows: 1024, join: "concatenate", bias }, ...biases },
    });
    assert.deepEqual(second.suspect, []);
    const besides = "another learned table for the patches of the page's picture";
    const third = { ...page, has_spatial_attention_bias: true, rel_pos_bins: 16 };
    assert.deepEqual(positionsOf("layoutlmv3", third), {
      ...{ scheme: "learnedPositions", preset: "roberta", rows: 514, length: 512 },
      boxes: { rows: 1024, join: "concatenate", mostSize: 1023, bias },
      relative: "t5Bias",
      relativeOptions: { buckets: 16, maxDistance: 128 },
      relativeScale: 1 / 4,
      besides,
    });
    const none = { ...page, has_relative_attention_bias: false };
    assert.deepEqual(positionsOf("layoutlmv2", none).boxes?.bias, bias);
    assert.deepEqual(positionsOf("layoutlmv3", none), {
      ...{ scheme: "learnedPositions", preset: "roberta", rows: 514, length: 512 },
      boxes: { rows: 1024, join: "concatenate", mostSize: 1023 },
      besides,
    });
    const words = [[1, 2]];
    assert.throws(
      () => phasor.inputEmbeddings(/** @type {any} */ (of("layoutlm", page)), { words }, [0]),
      /spec.tokens must have known parts; got tables of the edges/,
    );
  });

  test("Swin's width is that of its first stage, and its layers are those of all stages", () => {
    // as transformers writes a configuration: hidden_size is the last stage's, num_layers counts stages
    const sizes = {
      image_size: 224,
      patch_size: 4,
      embed_dim: 96,
      hidden_size: 768,
      num_layers: 4,
    };
    const swin = { ...sizes, depths: [2, 2, 18, 2], num_heads: [3, 6, 12, 24], window_size: 7 };
    for (const model_type of ["swin", "donut-swin", "maskformer-swin"]) {
      const { dim, headDim, layers, positions, suspect } = models.fromConfig({
        ...swin,
        model_type,
      });
      assert.deepEqual([dim, headDim, layers, suspect], [96, 32, 24, []]);
      assert.deepEqual(positions.options, { window: [7, 7] });
    }
  });

  test("windows of Swin v2 are no larger than a stage's picture", () => {
    const sizes = {
      image_size: 256,
      patch_size: 4,
      embed_dim: 96,
      hidden_size: 768,
      num_layers: 4,
    };
    const swin = { ...sizes, depths: [2, 2, 18, 2], num_heads: [3, 6, 12, 24], window_size: 16 };
    const of = (/** @type {object} */ more) => models.fromConfig({ ...swin, ...more });
    const second = of({ model_type: "swinv2", pretrained_window_sizes: [12, 12, 12, 6] });
    const [large, small] = [
      { window: [16, 16], pretrained: [12, 12] },
      { window: [8, 8], pretrained: [6, 6] },
    ];
    assert.deepEqual(second.positions.stages, [large, large, large, small]);
    const { dim, headDim, layers, suspect, positions } = second;
    assert.deepEqual([dim, headDim, layers, suspect], [96, 32, 24, []]);
    assert.deepEqual(positions.options, { window: [16, 16] });
    const plain = of({
      model_type: "swinv2",
      pretrained_window_sizes: [0, 0, 0, 0],
      window_size: 8,
    });
    assert.deepEqual(plain.positions.stages, Array(4).fill({ window: [8, 8] }));
    const wide = of({ model_type: "swinv2", image_size: [128, 256] }); // the height counts
    const windows = [16, 16, 8, 4].map((side) => ({ window: [side, side] }));
    assert.deepEqual(wide.positions.stages, windows);
    const super_ = of({ model_type: "swin2sr", image_size: 32, patch_size: 4, num_heads: [6, 6] });
    assert.deepEqual(super_.positions.stages, Array(2).fill({ window: [8, 8] }));
  });

  test("XLNet and Funnel have Transformer-XL's distances in both directions", () => {
    const xlnet = { model_type: "xlnet", d_model: 64, n_layer: 4, n_head: 4, d_head: 16 };
    const of = (/** @type {object} */ more) => models.fromConfig({ ...xlnet, ...more });
    const both = { scheme: "transformerXL", options: { direction: "bidirectional" } };
    for (const more of [
      {},
      { attn_type: "bi", clamp_len: -1, same_length: false, bi_data: false },
    ]) {
      assert.deepEqual([of(more).positions, of(more).suspect], [both, []]);
    }
    assert.deepEqual(of({ clamp_len: 30 }).positions, { ...both, farthest: 30 });
    assert.deepEqual(of({ attn_type: "uni" }).positions.options, { direction: "causal" });
    assert.throws(
      () => of({ attn_type: "tri" }),
      /config.attn_type must be one of "bi", "uni"; got "tri"/,
    );
    assert.match(String(of({ bi_data: true }).positions.reasons), /in the other direction/);
    const funnel = { model_type: "funnel", n_layer: undefined, block_sizes: [4, 4, 4] };
    const { layers, positions, suspect, headDim } = of({
      ...funnel,
      attention_type: "factorized",
      d_head: 8,
    });
    assert.deepEqual([layers, headDim, suspect], [12, 8, []]);
    assert.deepEqual(positions, { ...both, strides: [1, 2, 4], separate: true });
    assert.equal(of({ ...funnel, separate_cls: false }).positions.separate, false);
    // Both act in attention: the input is words alone.
    const spec = /** @type {any} */ (of({ d_model: 2, n_head: 1, d_head: 2 }));
    const words = [[1, 2], [3, 4]]; // prettier-ignore
    assert.deepEqual(phasor.inputEmbeddings(spec, { words }, [1, 0]).toArray(), [[3, 4], [1, 2]]); // prettier-ignore
  });
});

describe("models.fromConfig: DeepSeek without latent attention", () => {
  const tiny = { hidden_size: 1280, num_attention_heads: 10, num_key_value_heads: 10 };
  const none = { qk_nope_head_dim: 0, qk_rope_head_dim: 0, v_head_dim: 0, kv_lora_rank: null };
  const llamas = { dim: 128, layout: "halves", options: { base: 10000 } };

  test("deepseek_v2 with use_mla false or widths of 0 has LLaMA's attention", () => {
    for (const more of [{ use_mla: false, ...none }, { use_mla: false }, none]) {
      assert.deepEqual(rotaryOf("deepseek_v2", { ...tiny, ...more }), llamas);
    }
    const whole = { ...llama({ model_type: "deepseek_v2", ...tiny, ...none, use_mla: false }) };
    const vision = { model_type: "deepseek_vl_v2", language_config: whole };
    const { positions, headDim, suspect } = models.fromConfig(vision);
    assert.deepEqual([positions.rotary?.full_attention, headDim, suspect], [llamas, 128, []]);
  });

  test("with latent attention the rotated columns are 64, or as stated", () => {
    const rotary = rotaryOf("deepseek_v2", tiny);
    assert.deepEqual([rotary?.dim, rotary?.layout], [64, "interleaved"]);
    assert.equal(of("deepseek_v2", tiny).headDim, 192);
    const stated = { ...tiny, use_mla: true, qk_rope_head_dim: 32, qk_nope_head_dim: 64 };
    assert.equal(rotaryOf("deepseek_v2", stated)?.dim, 32);
    assert.deepEqual(of("deepseek_v2", stated).warnings, []);
    const widths = { axk2: 32, glm4_moe_lite: 64, minicpm3: 32, youtu: 64 };
    for (const [type, dim] of Object.entries(widths)) assert.equal(rotaryOf(type, tiny)?.dim, dim);
  });

  test("other families of latent attention are unknown without it", () => {
    for (const type of ["deepseek_v3", "kimi_k2", "youtu", "glm_moe_dsa"]) {
      for (const more of [{ use_mla: false }, none]) {
        assert.equal(positionsOf(type, { ...tiny, ...more }).scheme, "unknown", type);
      }
    }
  });
});

describe("models.fromConfig: Ling, MPT, DBRX, Nomic, Step and MiMo", () => {
  test("bailing_hybrid is Ling 3.0; Ling 2.5 and 2.6 are unknown", () => {
    const ling3 = { layer_group_size: 2, kda_safe_gate: true, short_conv_kernel_size: 4 };
    const { layerKinds, rotary } = positionsOf("bailing_hybrid", ling3);
    assert.deepEqual(layerKinds?.slice(0, 2), ["linear_attention", "full_attention"]);
    assert.deepEqual([rotary?.linear_attention, rotary?.full_attention?.dim], [null, 64]);
    for (const more of [
      { layer_group_size: 5, group_norm_size: 4, partial_rotary_factor: 0.5 },
      { layer_group_size: 8, rope_interleave: true },
      { layer_group_size: 8 },
      { ...ling3, architectures: ["BailingMoeV2_5ForCausalLM"] },
    ]) {
      const { scheme, reasons } = positionsOf("bailing_hybrid", more);
      assert.equal(scheme, "unknown");
      assert.match(String(reasons), /Ling 2\.5 and 2\.6 have this model_type/);
    }
  });

  const mpt = (/** @type {unknown} */ attn_config, more = {}) =>
    models.fromConfig({
      ...{ model_type: "mpt", vocab_size: 9, d_model: 64, n_heads: 4, n_layers: 2 },
      ...{ max_seq_len: 128, attn_config, ...more },
    });

  test("MPT has what LLM Foundry's attn_config says: ALiBi, RoPE, a table or nothing", () => {
    const schemes = [
      mpt({ alibi: true }),
      mpt({ alibi: false, rope: true, rope_theta: 5e5 }),
      mpt({ alibi: false }),
      mpt({ alibi: false }, { learned_pos_emb: false }),
      mpt({ alibi: true, alibi_bias_max: 16, kv_n_heads: 2 }),
    ];
    assert.deepEqual(
      schemes.map(({ positions }) => positions.scheme),
      ["alibi", "rope", "learnedPositions", "none", "alibi"],
    );
    const [plain, turned, table, , wide] = schemes;
    assert.deepEqual([plain.warnings, plain.suspect], [[], []]);
    assert.deepEqual(turned.positions.rotary?.full_attention, {
      ...{ dim: 16, layout: "halves", options: { base: 5e5 } },
    });
    assert.equal(table.positions.rows, 128);
    assert.deepEqual([wide.positions.options, wide.keyValueHeads], [{ biasMax: 16 }, 2]);
    for (const { warnings } of schemes.slice(1)) {
      assert.match(String(warnings), /LLM Foundry's rule is followed; transformers computes ALiBi/);
    }
  });

  test("MPT is unknown where its keys do not say, or scale", () => {
    for (const config of [
      undefined,
      { attn_pdrop: 0 },
      { alibi: true, rope: true },
      { alibi: false, nope: true },
      { rope: true, rope_dail_config: { type: "xpos" } },
      { rope: true, rope_impl: "hf", rope_hf_config: { type: "linear", factor: 2 } },
    ]) {
      assert.equal(mpt(config).positions.scheme, "unknown", JSON.stringify(config));
    }
  });

  test("DBRX has the base of attn_config, and transformers' is named", () => {
    const attn_config = { clip_qkv: 8, kv_n_heads: 2, rope_theta: 5e5 };
    const { positions, keyValueHeads, warnings, suspect } = of("dbrx", { attn_config });
    assert.deepEqual(positions.rotary?.full_attention?.options, { base: 5e5 });
    assert.deepEqual([keyValueHeads, suspect], [2, []]);
    assert.match(String(warnings), /500000 of the authors' code.+transformers.+10000$/);
    assert.deepEqual(of("dbrx", { attn_config: { rope_theta: 1e4 } }).warnings, []);
    for (const more of [{ rope_theta: 1e4 }, { rope_parameters: { rope_theta: 1e4 } }]) {
      assert.equal(positionsOf("dbrx", { attn_config, ...more }).scheme, "unknown");
    }
  });

  test("Nomic's rotary_scaling_factor is dynamic scaling from max_trained_positions", () => {
    const trained = { rotary_scaling_factor: 2, max_trained_positions: 2048, n_positions: 8192 };
    const plain = { rotary_emb_base: 1000, rotary_emb_fraction: 1, max_position_embeddings: null };
    const { positions, warnings } = of("nomic_bert", { ...plain, ...trained });
    const scaling = { type: "dynamic", factor: 2, maxLength: 2048 };
    assert.deepEqual(positions.rotary?.full_attention?.options, { base: 1000, scaling });
    assert.deepEqual([positions.length, warnings.length], [8192, 1]);
    assert.match(
      warnings[0],
      /^config\.rotary_scaling_factor is the dynamic scaling of the authors/,
    );
    const { options, layout, dim } = rotaryOf("nomic_bert", {
      ...{ rotary_scaling_factor: null, rotary_emb_interleaved: true, rotary_emb_fraction: 0.5 },
    }) ?? {}; // prettier-ignore
    assert.deepEqual([options, layout, dim], [{ base: 1000 }, "interleaved", 8]);
    assert.equal(positionsOf("nomic_bert", { rotary_emb_scale_base: 512 }).scheme, "unknown");
    const two = { ...trained, rope_scaling: { type: "linear", factor: 2 } };
    assert.equal(positionsOf("nomic_bert", two).scheme, "unknown");
    const byClass = rotaryOf("nomic_bert", { rotary_scaling_factor: 3 })?.options.scaling;
    assert.deepEqual(byClass, { ...scaling, factor: 3 });
  });

  test("Step 3.5's lists have a value for each layer, and scaling is of full attention", () => {
    const kinds = ["full_attention", "sliding_attention", "sliding_attention", "full_attention"];
    const rope_scaling = {
      ...{ rope_type: "llama3", factor: 2, original_max_position_embeddings: 1024 },
      ...{ low_freq_factor: 1, high_freq_factor: 32 },
    };
    const config = {
      ...{ layer_types: [...kinds, "full_attention"], rope_theta: [5e6, 1e4, 1e4, 5e6, 5e6] },
      ...{ partial_rotary_factors: [0.5, 1, 1, 0.5, 0.5], rope_scaling, head_dim: 16 },
    };
    const { rotary, layerKinds } = positionsOf("step3p5", config);
    assert.deepEqual(layerKinds, kinds);
    const [full, sliding] = [rotary?.full_attention, rotary?.sliding_attention];
    assert.deepEqual([full?.dim, full?.options.base], [8, 5e6]);
    assert.equal(full?.options.scaling?.type, "llama3");
    assert.deepEqual([sliding?.dim, sliding?.options], [16, { base: 1e4 }]);
    const uneven = { ...config, rope_theta: [5e6, 1e4, 2e4, 5e6] };
    const { scheme, reasons } = positionsOf("step3p5", uneven);
    assert.equal(scheme, "unknown");
    assert.match(String(reasons), /differ among layers of the kind sliding_attention/);
    const short = positionsOf("step3p5", { ...config, partial_rotary_factors: [0.5] });
    assert.match(
      String(short.reasons),
      /partial_rotary_factors does not have a number for each of 4/,
    );
    assert.deepEqual(rotaryOf("step3p5", { rope_theta: 2e4 })?.options, { base: 2e4 });
  });

  test("MiMo V2 Flash's published keys give the kinds of layers and their bases", () => {
    const config = {
      ...{ hybrid_layer_pattern: [0, 1, 1, 0], rope_theta: 5e6, swa_rope_theta: 1e4 },
      ...{ head_dim: 192, partial_rotary_factor: 0.334, swa_head_dim: 192 },
    };
    const { rotary, layerKinds } = positionsOf("mimo_v2_flash", config);
    assert.deepEqual(layerKinds?.slice(0, 2), ["full_attention", "sliding_attention"]);
    assert.deepEqual(
      [rotary?.full_attention?.dim, rotary?.full_attention?.options.base],
      [64, 5e6],
    );
    assert.equal(rotary?.sliding_attention?.options.base, 1e4);
    for (const more of [
      { swa_rope_theta: null },
      { swa_head_dim: 128 },
      { hybrid_layer_pattern: [2] },
    ]) {
      assert.equal(positionsOf("mimo_v2_flash", { ...config, ...more }).scheme, "unknown");
    }
  });

  test("MiniMax's attn_type_list names the layers that rotate", () => {
    const config = llama({ model_type: "minimax", attn_type_list: [0, 0, 1, 0] });
    const turns = [0, 1, 2, 3].map((layer) => models.rope(config, { layer }) !== null);
    assert.deepEqual(turns, [false, false, true, false]);
  });
});

describe("models.fromConfig: keys that are true or false", () => {
  for (const [model_type, key] of /** @type {const} */ ([
    ["deepseek_v2", "use_mla"],
    ["deepseek_v3", "use_mla"],
    ["trocr", "use_learned_position_embeddings"],
    ["trocr", "layernorm_embedding"],
    ["bert", "add_type_embeddings"],
    ["gpt_neo", "rotary"],
    ["sam_vision_model", "use_abs_pos"],
    ["beit", "use_relative_position_bias"],
    ["yolos", "use_mid_position_embeddings"],
    ["qwen", "use_logn_attn"],
    ["chatglm", "original_rope"],
    ["kimi_linear", "mla_use_nope"],
    ["roformer", "rotary_value"],
  ])) {
    test(`another value is refused by its name: ${model_type}, ${key}`, () => {
      for (const value of ["false", "true", 0, 1, [], {}]) {
        const message = RegExp(`^TypeError: .*config\\.${key} must be true or false; got`);
        assert.throws(() => of(model_type, { d_model: 64, [key]: value }), message);
      }
    });
  }

  test("an arrangement of M-RoPE that contradicts the family's is named", () => {
    const mrope_section = [2, 3, 3];
    for (const [type, mrope_interleaved, isNamed] of /** @type {const} */ ([
      ["qwen2_vl", true, true],
      ["qwen2_5_vl", true, true],
      ["qwen2_vl", false, false],
      ["qwen3_vl_text", false, true],
      ["qwen3_vl_text", true, false],
    ])) {
      const entry = { rope_type: "default", mrope_section, mrope_interleaved };
      const { warnings } = of(type, { head_dim: 16, rope_scaling: entry });
      const named = warnings.filter((one) =>
        /rope_scaling\.mrope_interleaved is .* does not read/.test(one),
      );
      assert.equal(named.length, Number(isNamed), `${type} ${mrope_interleaved}`);
    }
  });

  test("a list of layers of another length is refused by the name that the file has", () => {
    const keys = { rope_theta: 5e6, swa_rope_theta: 1e4, head_dim: 16 };
    for (const hybrid_layer_pattern of [[], [0, 1], [0, 1, 0, 1, 0]]) {
      const wrong = () => of("mimo_v2_flash", { ...keys, hybrid_layer_pattern });
      assert.throws(
        wrong,
        /config\.hybrid_layer_pattern must hold .* each of 4 layers; got an array/,
      );
    }
  });
});

test("models.fromConfig: hostile values of keys that change a family give a typed error that names the key, or a description", () => {
  const values = [
    ...[null, -1, 0, 0.5, NaN, 1e308, 2 ** 31 - 1, 2 ** 53, true, "", "alibi", "rotary", [], {}],
    ...[[null], [0, 1, 0, 1], ["__proto__", "a", "b", "c"], Object.create(null), 10n, Symbol("s")],
    ...[[Object.create(null)], { rope: true }, { alibi: true, alibi_bias_max: [] }, new Array(4)],
  ];
  const types =
    "bert xlm-roberta bailing_hybrid dbrx mpt nomic_bert step3p5 mimo_v2_flash minimax gte cohere2_moe molmo2_text deepseek_v4 trocr deepseek_v2 hunyuan_v1_dense phimoe muse_spark_text qwen3_vl_text";
  const keys =
    "position_embedding_type alibi_starting_size use_mla qk_rope_head_dim qk_nope_head_dim layer_group_size architectures attn_config learned_pos_emb rotary_scaling_factor max_trained_positions rope_theta partial_rotary_factors layer_types num_hidden_layers rope_parameters rope_scaling hybrid_layer_pattern swa_rope_theta attn_type_list rotary_dim head_dim first_k_dense_replace mlp_layer_types sliding_window_pattern prefix_dense_sliding_window_pattern rope_scaling_layers layer_rope_theta partial_rotary_factor";
  let [described, refused] = [0, 0];
  for (const model_type of types.split(" ")) {
    for (const key of keys.split(" ")) {
      for (const value of values) {
        const config = llama({ model_type, d_model: 64, max_seq_len: 64, [key]: value });
        try {
          assert.ok(models.fromConfig(config).positions.scheme);
          described += 1;
        } catch (error) {
          const { name, message } = /** @type {Error} */ (error);
          assert.match(name, /^(TypeError|RangeError)$/, `${model_type} ${key}: ${message}`);
          const says = /^models\.fromConfig: (config|the rotated width)/;
          assert.match(message, says, `${model_type} ${key}`);
          refused += 1;
        }
      }
    }
  }
  assert.ok(described > 2000 && refused > 2000, `${described} ${refused}`);
});

describe("models.fromConfig: families of transformers 5.24", () => {
  test("learned frequencies follow from no configuration: Mistral Large 4", () => {
    for (const more of [{}, { rope_parameters: { rope_type: "default", rope_theta: 1e4 } }]) {
      const { positions, suspect } = of("mistral_large4_text", more);
      assert.deepEqual([positions.scheme, suspect], ["other", []]);
      assert.match(String(positions.reasons), /multiplied by learned numbers.+logarithm/);
      assert.equal(positions.rotary, undefined);
    }
    const { model_type: _, ...text_config } = llama();
    const whole = { model_type: "mistral_large4", text_config };
    assert.equal(models.fromConfig(whole).positions.scheme, "other");
  });

  test("CSM adds rows of two tables, which its lm_head is not", () => {
    const { tokens, positions } = of("csm", { tie_word_embeddings: true });
    assert.match(String(tokens.unknown), /a table of text and one of the codes of sound/);
    assert.deepEqual(positions.rotary?.full_attention?.options, { base: 5e5 });
  });

  test("EXAONE 3 rotates halves of whole heads, and a file without a base is ambiguous", () => {
    const rope_scaling = {
      ...{ rope_type: "llama3", factor: 8, original_max_position_embeddings: 8192 },
      ...{ low_freq_factor: 1, high_freq_factor: 4 },
    };
    const rotary = rotaryOf("exaone", { rope_theta: 1e6, rope_scaling });
    assert.deepEqual([rotary?.dim, rotary?.layout, rotary?.options.base], [16, "halves", 1e6]);
    // 1e6^(-14/16) is a wavelength above 8192 positions: divided by 8.
    const { data } = phasor.rope.frequencies(16, rotary?.options ?? {}).frequencies;
    assert.ok(Math.abs(data[7] / (1e6 ** (-14 / 16) / 8) - 1) < 1e-6);
    const { scheme, reasons } = positionsOf("exaone", {});
    assert.equal(scheme, "unknown");
    assert.match(String(reasons), /10000, transformers 500000/);
  });

  test("Sarvam's models have whole heads and base 8e6, or DeepSeek's latents", () => {
    const moe = rotaryOf("sarvam_moe", { head_dim: 64 });
    assert.deepEqual(moe, { dim: 64, layout: "halves", options: { base: 8e6 } });
    assert.equal(of("sarvam_moe", {}).headDim, 64);
    // The published configuration of sarvam-105b has these keys.
    const published = {
      ...{ qk_rope_head_dim: 64, qk_nope_head_dim: 128, q_head_dim: 192, head_dim: 576 },
      rope_theta: 10000,
      rope_scaling: {
        ...{ type: "deepseek_yarn", factor: 40, original_max_position_embeddings: 4096 },
        ...{ beta_fast: 32, beta_slow: 1, mscale: 1, mscale_all_dim: 1 },
      },
    };
    const { positions, headDim, suspect } = of("sarvam_mla", published);
    const rotary = positions.rotary?.full_attention;
    assert.deepEqual([headDim, rotary?.dim, rotary?.layout, suspect], [192, 64, "interleaved", []]);
    assert.equal(rotary?.options.scaling?.type, "yarn");
    // mscale and mscale_all_dim cancel; the slowest frequency is divided by the factor, the first is not.
    const { frequencies, attentionFactor } = phasor.rope.frequencies(64, rotary?.options ?? {});
    assert.equal(attentionFactor, 1);
    assert.equal(frequencies.data[0], 1);
    assert.ok(Math.abs((frequencies.data[31] * 40) / 10000 ** (-62 / 64) - 1) < 1e-6);
    assert.equal(rotaryOf("sarvam_mla", { rope_interleave: false })?.layout, "halves");
    assert.throws(() => of("deepseek_v3", published), /rope_scaling\.type must be one of/);
  });

  test("Apertus 1.5 is Apertus, and HY 4 VL has the woven sections 12, 10, 10", () => {
    const rope_parameters = {
      ...{ rope_type: "llama3", rope_theta: 12e6, factor: 8, low_freq_factor: 1 },
      ...{ high_freq_factor: 4, original_max_position_embeddings: 8192 },
    };
    const apertus = { rope_parameters };
    assert.deepEqual(rotaryOf("apertus1p5_text", apertus), rotaryOf("apertus", apertus));
    assert.throws(() => of("apertus1p5_text", {}), /rope_parameters must be given/);
    const { headDim, positions } = of("hy_v4_vl_text", { rope_theta: 1e4 });
    const rotary = positions.rotary?.full_attention;
    assert.deepEqual([headDim, rotary?.dim, rotary?.layout], [256, 64, "interleaved"]);
    const multimodal = { sections: [12, 10, 10], arrangement: "interleaved" };
    assert.deepEqual(rotary?.multimodal, multimodal);
  });

  test("of Lara Mini only the sliding layers rotate, and a file may leave out its pattern", () => {
    const config = llama({ model_type: "lara_mini", num_hidden_layers: 7 });
    const turns = Array.from({ length: 7 }, (_, layer) => models.rope(config, { layer })?.dim);
    assert.deepEqual(turns, [undefined, 128, undefined, undefined, 128, undefined, 128]);
    const listed = { layer_types: ["full_attention", "sliding_attention"], head_dim: 16 };
    const two = llama({ model_type: "lara_mini", num_hidden_layers: 2, ...listed });
    assert.equal(models.rope(two, { layer: 0 }), null);
    assert.deepEqual(models.rope(two, { layer: 1 })?.options, { base: 10000 });
  });

  test("Dory counts attention and feed-forward parts apart, and its bases differ by kind", () => {
    const [sliding, full] = ["sliding_attention", "full_attention"];
    const apart = [sliding, "mlp", full, "mlp"];
    const { layers, headDim, positions } = of("dory", { layer_types: apart });
    assert.deepEqual([layers, headDim, positions.layerKinds], [2, 256, [sliding, full]]);
    assert.deepEqual(positions.rotary?.[sliding]?.options, { base: 1e4 });
    const plain = { dim: 256, layout: "halves", options: { base: 1e7 } };
    assert.deepEqual(positions.rotary?.[full], plain);
    const usual = of("dory", {}).positions.layerKinds;
    assert.deepEqual(usual, [sliding, sliding, sliding, full]);
    const rope_parameters = { [sliding]: { rope_theta: 5 }, [full]: { rope_theta: 7 } };
    const own = of("dory", { layer_types: apart, rope_parameters }).positions.rotary;
    assert.deepEqual([own?.[sliding]?.options.base, own?.[full]?.options.base], [5, 7]);
    assert.equal(positionsOf("dory", { rope_theta: 5 }).scheme, "unknown");
  });
});

describe("models.fromConfig: families with code of their authors alone", () => {
  const dynamic = { type: "dynamic", factor: 2 };

  /** Frequency i of a plain rotation. @param {any} rotary @param {number} i */
  const frequency = ({ dim, options }, i) =>
    phasor.rope.frequencies(dim, options).frequencies.data[i];

  /** @param {string} type @param {Record<string, unknown>} more @param {RegExp} why */
  function isUnknown(type, more, why) {
    const { scheme, reasons, rotary } = positionsOf(type, more);
    assert.deepEqual([scheme, rotary], ["unknown", undefined], JSON.stringify(more));
    assert.match(String(reasons), why);
  }

  test("InternLM2 and MiniCPM are LLaMA's rotation with the scalings that their code knows", () => {
    for (const type of ["internlm2", "minicpm"]) {
      const plain = { dim: 16, layout: "halves", options: { base: 10000 } };
      assert.deepEqual(rotaryOf(type, {}), plain);
      const { base, scaling } =
        rotaryOf(type, { rope_theta: 1e6, rope_scaling: dynamic })?.options ?? {};
      assert.deepEqual([base, scaling], [1e6, { type: "dynamic", factor: 2, maxLength: 4096 }]);
      const { options } = rotaryOf(type, { rope_scaling: { type: "linear", factor: 4 } }) ?? {};
      assert.deepEqual(options?.scaling, { type: "linear", factor: 4 });
      const yarn = { type: "yarn", factor: 4, original_max_position_embeddings: 1024 };
      isUnknown(type, { rope_scaling: yarn }, /rope_scaling is "yarn"/);
    }
    const lists = { short_factor: Array(8).fill(1), long_factor: Array(8).fill(2) };
    const long = { rope_type: "longrope", ...lists, original_max_position_embeddings: 1024 };
    assert.equal(rotaryOf("minicpm", { rope_scaling: long })?.options.scaling?.type, "longrope");
    isUnknown("minicpm", { rope_scaling: { ...long, factor: 3 } }, /rope_scaling\.factor is 3/);
    isUnknown("internlm2", { rope_scaling: long }, /"longrope"/);
    assert.equal(of("minicpm", { scale_emb: 12 }).tokens.scale, 12);
  });

  test("the first Qwen is described where nothing is scaled, and named in words otherwise", () => {
    const off = { use_dynamic_ntk: false, use_logn_attn: false, kv_channels: 32, seq_length: 8192 };
    const plain = { dim: 32, layout: "halves", options: { base: 5000 } };
    const { positions, suspect } = of("qwen", { ...off, rotary_emb_base: 5000, rotary_pct: 1 });
    assert.deepEqual([positions.rotary?.full_attention, suspect], [plain, []]);
    assert.equal(rotaryOf("qwen", { ...off, rotary_pct: 0.25 })?.dim, 8);
    for (const more of [{}, { ...off, use_logn_attn: true }, { ...off, use_dynamic_ntk: true }]) {
      const { scheme, reasons } = positionsOf("qwen", more);
      assert.equal(scheme, "other");
      assert.match(String(reasons), /base 10000\) up to 8192 tokens.+logarithm/);
    }
    isUnknown("qwen", { ...off, rope_scaling: dynamic }, /rope_scaling is "dynamic"/);
  });

  test("Baichuan rotates in the width of 7B and has ALiBi in that of 13B", () => {
    const small = { hidden_size: 4096, num_attention_heads: 32 };
    const plain = { dim: 128, layout: "halves", options: { base: 10000 } };
    assert.deepEqual(rotaryOf("baichuan", small), plain);
    const large = {
      hidden_size: 5120,
      num_attention_heads: 40,
      max_position_embeddings: undefined,
    };
    const { positions, heads } = of("baichuan", { ...large, model_max_length: 2048 });
    assert.deepEqual(
      [heads, positions],
      [40, { scheme: "alibi", length: 2048, options: { biasMax: 8 } }],
    );
    // The slopes of 32 heads, 2^(-i/4), and then every other one of 64, 2^(-i/8).
    const slopes = phasor.alibi.slopes(40, positions.options).data;
    const want = (/** @type {number} */ i) =>
      i < 32 ? 2 ** (-(i + 1) / 4) : 2 ** (-(2 * (i - 32) + 1) / 8);
    for (const [i, slope] of slopes.entries())
      assert.ok(Math.abs(slope / want(i) - 1) < 1e-6, String(i));
    isUnknown("baichuan", {}, /hidden_size is 64, with 4 heads/);
    isUnknown("baichuan", { ...small, rope_theta: 5 }, /rope_theta is 5/);
    isUnknown("baichuan", { ...large, rope_scaling: dynamic }, /rope_scaling/);
  });

  test("ChatGLM rotates pairs of neighbors in half of a head; GLM-4's rope_ratio is of the base", () => {
    const glm = {
      ...{
        kv_channels: 32,
        multi_query_attention: true,
        multi_query_group_num: 2,
        original_rope: true,
      },
      ...{ num_layers: 4, seq_length: 8192, apply_query_key_layer_scaling: true },
    };
    const { positions, suspect, keyValueHeads } = of("chatglm", {
      ...glm,
      padded_vocab_size: 65024,
    });
    const plain = { dim: 16, layout: "interleaved", options: { base: 10000 } };
    assert.deepEqual([positions.rotary?.full_attention, suspect, keyValueHeads], [plain, [], 2]);
    const ratio = { ...glm, rope_ratio: 500, padded_vocab_size: 151552 };
    const { vocabulary } = of("chatglm", ratio);
    assert.equal(vocabulary, 151552);
    assert.ok(Math.abs(frequency(rotaryOf("chatglm", ratio), 7) / 5e6 ** (-7 / 8) - 1) < 1e-6);
    isUnknown("chatglm", { ...ratio, padded_vocab_size: 65024 }, /ChatGLM2 divides positions/);
    isUnknown("chatglm", { ...ratio, rope_ratio: "8" }, /rope_ratio is "8"/);
    isUnknown("chatglm", { ...glm, original_rope: false }, /original_rope/);
    assert.equal(positionsOf("chatglm", { position_encoding_2d: true }).scheme, "other");
  });

  test("Phi-3 small divides positions by rope_position_scale, and its long files are unknown", () => {
    const config = {
      rope_embedding_base: 5e5,
      dense_attention_every_n_layers: 2,
      mup_attn_multiplier: 1,
    };
    const { positions, suspect, tokens } = of("phi3small", {
      ...config,
      mup_embedding_multiplier: 10,
    });
    const plain = { dim: 16, layout: "halves", options: { base: 5e5 } };
    assert.deepEqual([positions.rotary?.full_attention, suspect, tokens.scale], [plain, [], 10]);
    assert.deepEqual(rotaryOf("phi3small", {})?.options, { base: 1e6 });
    assert.equal(of("phi3small", {}).tokens.scale, 10);
    const scaled = rotaryOf("phi3small", { rope_position_scale: 4 });
    assert.ok(Math.abs(frequency(scaled, 7) / (1e6 ** (-7 / 8) / 4) - 1) < 1e-6);
    isUnknown("phi3small", { rope_scaling: { type: "su", short_mscale: 1.2 } }, /short_mscale/);
  });

  test("values of any kind are named, and no raw error leaves", () => {
    const raw = { toString: 1 };
    isUnknown("minicpm", { rope_scaling: { type: raw } }, /rope_scaling is /);
    assert.equal(positionsOf("qwen", { rotary_emb_base: raw, seq_length: raw }).scheme, "other");
    const types =
      "chatglm phi3small baichuan dory exaone sarvam_mla xverse mimo phi3_v phi-msft minimax_m3 nemotron-nas step3p7 llava";
    for (const type of types.split(" ")) {
      for (const value of [raw, [raw], "x", -1, NaN, true]) {
        for (const key of [
          "rope_scaling",
          "rope_theta",
          "layer_types",
          "rope_ratio",
          "hidden_size",
          "block_configs",
          "rotary_dim",
          "n_embd",
          "use_rope_layers",
          "attention_other_setting",
          "num_attention_groups",
        ]) {
          try {
            of(type, { [key]: value, padded_vocab_size: 151552 });
          } catch (error) {
            const { name, message } = /** @type {Error} */ (error);
            assert.match(`${name}: ${message}`, /^(Type|Range)Error: models\.fromConfig: config/);
          }
        }
      }
    }
  });

  test("of XVERSE a file says the base, or the model's code does", () => {
    isUnknown("xverse", {}, /10000 and 500000/);
    const stated = { dim: 16, layout: "halves", options: { base: 5e5 } };
    assert.deepEqual(rotaryOf("xverse", { rope_theta: 5e5 }), stated);
    isUnknown("xverse", { rope_theta: 5e5, rope_scaling: dynamic }, /rope_scaling is "dynamic"/);
  });

  test("MiMo and LLaVA of 2023 have the keys of Qwen2 and LLaMA", () => {
    const plain = { dim: 16, layout: "halves", options: { base: 640000 } };
    const mimo = of("mimo", { rope_theta: 640000, num_nextn_predict_layers: 1, use_mrope: false });
    assert.deepEqual([mimo.positions.rotary?.full_attention, mimo.layers], [plain, 4]);
    for (const type of ["llava", "llava_llama", "llava_mistral"]) {
      const { suspect, positions } = of(type, { mm_vision_select_layer: -2, rope_theta: 640000 });
      assert.deepEqual([positions.rotary?.full_attention, suspect], [plain, []], type);
    }
    isUnknown("llava", { attn_config: { alibi: true } }, /without LLaMA/);
    isUnknown("llava", { hidden_size: undefined }, /text_config/);
    const nested = { model_type: "llava", text_config: llama({ rope_theta: 640000 }) };
    assert.deepEqual(models.fromConfig(nested).positions.rotary?.full_attention, plain);
  });

  test("Phi-3 Vision has Phi-3's LongRoPE without a factor in the file", () => {
    const lists = { short_factor: Array(8).fill(1), long_factor: Array(8).fill(2) };
    const more = { original_max_position_embeddings: 1024, max_position_embeddings: 4096 };
    const su = { ...more, rope_scaling: { type: "su", ...lists } };
    const { options } = rotaryOf("phi3_v", su) ?? {};
    assert.deepEqual(options, models.rope(llama({ model_type: "phi3", ...su }))?.options);
    assert.equal(options?.scaling?.type, "longrope");
    assert.equal(rotaryOf("phi3_v", { img_processor: {}, embd_layer: {} })?.dim, 16);
    isUnknown("phi3_v", { ...more, rope_scaling: { type: "yarn", factor: 4, ...lists } }, /"yarn"/);
    isUnknown(
      "phi3_v",
      { ...more, rope_scaling: { type: "su", factor: 4, ...lists } },
      /factor is 4/,
    );
  });

  test("Phi in Microsoft's keys rotates rotary_dim columns, at most a head's", () => {
    const phi = (/** @type {Record<string, unknown>} */ more) =>
      models.fromConfig({ model_type: "phi-msft", n_embd: 256, n_head: 4, n_layer: 2, n_positions: 64, vocab_size: 128, flash_rotary: false, ...more }); // prettier-ignore
    const { positions, suspect, heads, keyValueHeads } = phi({ n_head_kv: null });
    const plain = { dim: 32, layout: "halves", options: { base: 10000 } };
    assert.deepEqual([positions.rotary?.full_attention, suspect], [plain, []]);
    assert.deepEqual([positions.length, heads, keyValueHeads], [64, 4, 4]);
    assert.equal(phi({ rotary_dim: 16 }).positions.rotary?.full_attention?.dim, 16);
    assert.equal(phi({ n_head: 16 }).positions.rotary?.full_attention?.dim, 16);
    assert.equal(phi({ n_head_kv: 2 }).keyValueHeads, 2);
    for (const more of [{ rope_theta: 5e5 }, { rope_scaling: dynamic }])
      assert.match(String(phi(more).positions.reasons), /rope_(?:theta is 5|scaling is "dyn)/);
  });

  test("MiniMax-M3 rotates the columns that both of its keys say", () => {
    const keys = { head_dim: 128, rope_theta: 5e6, sparse_attention_config: { x: 1 } };
    const half = { dim: 64, layout: "halves", options: { base: 5e6 } };
    for (const more of [
      { rotary_dim: 64 },
      { partial_rotary_factor: 0.5 },
      { rotary_dim: 64, partial_rotary_factor: 0.5 },
    ]) {
      // prettier-ignore
      const { positions, suspect } = of("minimax_m3", { ...keys, ...more });
      assert.deepEqual([positions.rotary?.full_attention, suspect], [half, []]);
    }
    isUnknown("minimax_m3", { ...keys, rotary_dim: 32, partial_rotary_factor: 0.5 }, /rotary_dim/);
    const wide = rotaryOf("minimax_m3", { rope_theta: 5e6, rotary_dim: 64 });
    assert.deepEqual(wide, half); // heads have 128 columns by default
    isUnknown("minimax_m3", keys, /rotary_dim is undefined/);
    isUnknown("minimax_m3", { ...keys, rotary_dim: 64, rope_scaling: dynamic }, /"dynamic"/);
  });

  test("Nemotron-NAS rotates in the blocks that have attention", () => {
    const block = (/** @type {Record<string, unknown>} */ attention) => ({ attention, ffn: {} });
    const [whole, none, linear] = [{ n_heads_in_group: 2 }, { no_op: true }, { replace_with_linear: true }].map(block); // prettier-ignore
    const keys = { rope_theta: 5e5, block_configs: [whole, none, linear, whole], num_key_value_heads: null }; // prettier-ignore
    const { positions, keyValueHeads, suspect, warnings } = of("nemotron-nas", keys);
    assert.deepEqual(positions.layerKinds, ["full_attention", "mlp", "mlp", "full_attention"]);
    const plain = { dim: 16, layout: "halves", options: { base: 5e5 } };
    assert.deepEqual(positions.rotary, { full_attention: plain, mlp: null });
    assert.deepEqual([keyValueHeads, suspect, warnings], [2, [], []]);
    const scaled = { rope_type: "llama3", factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 1024 }; // prettier-ignore
    const same = llama({ rope_theta: 5e5, rope_scaling: scaled });
    const own = rotaryOf("nemotron-nas", { ...keys, rope_scaling: scaled });
    assert.deepEqual(own, models.fromConfig(same).positions.rotary?.full_attention);
    const uneven = { ...keys, block_configs: [whole, block({ n_heads_in_group: 4 }), none, none] };
    assert.match(of("nemotron-nas", uneven).warnings[0], /differ in their key and value heads/);
    const sinks = { ...keys, block_configs: [whole, block({ unshifted_sink: true }), none, none] };
    isUnknown("nemotron-nas", sinks, /unshifted_sink/);
    isUnknown("nemotron-nas", { ...keys, position_embedding_type: "mistral_yarn" }, /mistral_yarn/);
    isUnknown("nemotron-nas", { ...keys, rope_theta: undefined }, /rope_theta is undefined/);
    for (const block_configs of [undefined, [whole, { parallel_blocks: [whole] }, none, none]])
      isUnknown("nemotron-nas", { rope_theta: 5e5, block_configs }, /block_configs/);
  });

  test("Step 3.7's text is Step 3.5's, and keys of the authors' code alone are read or refused", () => {
    const text = {
      rope_theta: [1e4, 5e6, 1e4, 1e4],
      partial_rotary_factors: [1, 0.5, 1, 1],
      layer_types: [
        "sliding_attention",
        "full_attention",
        "sliding_attention",
        "sliding_attention",
      ],
      use_rope_layers: [true, true, true, true],
      yarn_only_types: ["full_attention"],
      attention_other_setting: { num_attention_heads: 8, head_dim: 16 },
      head_dim: 16,
      num_attention_groups: 2,
      num_key_value_heads: undefined,
    };
    for (const part of [{}, { model_type: "step3p5" }, { model_type: "step3p7" }]) {
      const { model_type: _, ...sizes } = llama(text);
      const whole = { model_type: "step3p7", text_config: { ...sizes, ...part } };
      const { positions, keyValueHeads, suspect } = models.fromConfig(whole);
      assert.deepEqual([keyValueHeads, suspect], [2, []]);
      assert.deepEqual(positions.rotary?.full_attention?.dim, 8);
      assert.deepEqual(positions.rotary?.sliding_attention?.options, { base: 1e4 });
    }
    isUnknown(
      "step3p5",
      { ...text, use_rope_layers: [true, false, true, true] },
      /use_rope_layers/,
    );
    const yarn = { rope_type: "yarn", factor: 4, original_max_position_embeddings: 64 };
    const only = { ...text, rope_scaling: yarn, yarn_only_types: ["sliding_attention"] };
    isUnknown("step3p7", only, /yarn_only_types/);
    const wide = { ...text, attention_other_setting: { head_dim: 32 } };
    assert.deepEqual(of("step3p5", wide).suspect, ["attention_other_setting"]);
  });
});

test("models.fromConfig: Moonshine's streaming decoder rotates 0.8 of a head, or what its entry says", () => {
  const sizes = { head_dim: 40, num_key_value_heads: 4 };
  const rotary = (/** @type {object} */ more) =>
    rotaryOf("moonshine_streaming", { ...sizes, ...more });
  assert.deepEqual(rotary({}), { dim: 32, layout: "interleaved", options: { base: 10000 } });
  assert.equal(rotary({ rope_parameters: { rope_theta: 5e4 } })?.dim, 40);
  assert.equal(rotary({ rope_parameters: { partial_rotary_factor: 0.5 } })?.dim, 20);
  const empty = { rope_theta: 5e4, rope_scaling: {} }; // which is no entry
  for (const more of [{ rope_theta: 5e4 }, { partial_rotary_factor: 0.5 }, empty]) {
    const { scheme, reasons } = positionsOf("moonshine_streaming", { ...sizes, ...more });
    assert.equal(scheme, "unknown");
    assert.match(String(reasons), /without rope_parameters does is not known/);
  }
});

test("models.fromConfig: heads of the text of OCR models share the width, whatever head_dim says", () => {
  for (const type of ["deepseek_ocr2_text", "unlimited_ocr_text"]) {
    const { headDim, suspect } = of(type, { head_dim: 16, num_key_value_heads: 4 });
    assert.deepEqual([headDim, suspect], [16, []], type);
    const other = of(type, { head_dim: 24, num_key_value_heads: 4 });
    assert.deepEqual([other.headDim, other.suspect], [16, ["head_dim"]], type);
  }
});

describe("models.fromConfig: names of published files that transformers does not have", () => {
  test("families that rotate as LLaMA does, with the scalings that their code knows", () => {
    for (const type of "aquila aria_moe_lm bailing_moe deepseek Emu3 orion".split(" ")) {
      const { dim, layout, options } = rotaryOf(type, { rope_theta: 5e5 }) ?? {};
      assert.deepEqual([dim, layout, options], [16, "halves", { base: 5e5 }], type);
      const scaled = (/** @type {any} */ type2) =>
        positionsOf(type, { rope_scaling: { type: type2, factor: 2 } }).scheme;
      assert.deepEqual(["linear", "dynamic", "yarn", "3D"].map(scaled), ["rope", "rope", "unknown", "unknown"], type); // prettier-ignore
    }
    assert.equal(rotaryOf("PanguEmbedded", {})?.options.base, 16e6);
    assert.equal(rotaryOf("Emu3", {})?.options.base, 1e6);
  });

  test("other names of the rotated part", () => {
    for (const [
      type,
      more,
      dim,
      layout,
    ] of /** @type {[string, Record<string, unknown>, number, string][]} */ ([
      ["stablelm_epoch", { rope_pct: 0.5 }, 8, "halves"],
      ["stablelm_epoch", { rotary_scaling_factor: 1 }, 4, "halves"],
      [
        "mixformer-sequential",
        {
          ...{ n_embd: 64, n_head: 4, hidden_size: null, num_attention_heads: null },
          ...{ rotary_dim: 32, num_key_value_heads: null },
        },
        16,
        "halves",
      ],
      ["moss", { rotary_dim: 8 }, 8, "interleaved"],
      ["minimax_m1", { rotary_dim: 8, attn_type_list: [0, 1, 0, 1] }, 8, "halves"],
      ["minimax_text_01", { rotary_dim: 8, attn_type_list: [1, 1, 1, 1] }, 8, "halves"],
    ])) {
      const { suspect } = of(type, more);
      assert.deepEqual([rotaryOf(type, more)?.dim, rotaryOf(type, more)?.layout, suspect], [dim, layout, []], type); // prettier-ignore
    }
  });

  test("a value that another code has is refused", () => {
    const codeshell = { position_embedding_type: "rope", num_query_groups: 2 };
    const llada = { rope: true, alibi: false, n_kv_heads: 2, max_sequence_length: 99 };
    for (const [type, more, scheme] of /** @type {[string, Record<string, unknown>, string][]} */ ([
      ["codeshell", codeshell, "rope"],
      ["codeshell", { ...codeshell, position_embedding_type: "learned_absolute" }, "unknown"],
      ["codeshell", { num_query_groups: 2 }, "unknown"], // its class has a table then
      ["codeshell", { ...codeshell, group_query_attention: false }, "unknown"],
      ["llada", llada, "rope"],
      ["llada", { ...llada, rope: false }, "unknown"],
      ["llada", { ...llada, alibi: true }, "unknown"],
      ["llada", { ...llada, multi_query_attention: true }, "unknown"],
      ["stablelm_epoch", { rotary_scaling_factor: 2 }, "unknown"],
      ["ernie4_5_moe_vl", { rope_3d: false }, "unknown"],
      ["paddleocr_vl", { rope_is_neox_style: false, head_dim: 128 }, "unknown"],
      ["RefinedWeb", { rope_theta: 5e5 }, "unknown"],
      ["RefinedWeb", { alibi: true }, "other"],
      ["internlm", { rotary: { base: 1e4, type: "learned" } }, "unknown"],
      ["transformer", { rope_theta: null }, "unknown"],
      ["transformer", { hidden_ratio: 4 }, "rope"], // fla's
      ["transformer", { position_embedding_type: "sinusoidal" }, "sinusoidal"], // the paper's
      ["transformer", {}, "unknown"],
      ["ernie4_5_moe_vl", { rope_3d: true, freq_allocation: 16 }, "unknown"],
      [
        "donut-swin",
        {
          embed_dim: 64,
          depths: [2],
          num_heads: [4],
          window_size: 7,
          use_absolute_embeddings: true,
        },
        "other",
      ],
    ]))
      // prettier-ignore
      assert.equal(positionsOf(type, more).scheme, scheme, `${type} ${JSON.stringify(more)}`);
    assert.equal(of("llada", { ...llada, input_emb_norm: true }).tokens.scale, "sqrt");
    for (const more of [{}, { input_emb_norm: false }])
      assert.equal(of("llada", { ...llada, ...more }).tokens.scale, 1);
    const refused = of("llada", { rope: false }); // nothing is said of what it does to words
    assert.equal(refused.tokens.unknown, "steps that are not known");
    assert.equal(of("nothing", {}).tokens.unknown, refused.tokens.unknown);
    const { keyValueHeads, positions } = of("llada", llada);
    assert.deepEqual([keyValueHeads, positions.length], [2, 99]);
    assert.equal(of("codeshell", codeshell).keyValueHeads, 2);
    assert.equal(of("RefinedWeb", { n_head_kv: 2, num_key_value_heads: null }).keyValueHeads, 2);
    const { base, scaling } = rotaryOf("internlm", { rotary: { base: 1e6, type: "dynamic", scaling_factor: 2 } })?.options ?? {}; // prettier-ignore
    assert.deepEqual([base, scaling], [1e6, { type: "dynamic", factor: 2, maxLength: 4096 }]);
    assert.equal(of("ernie", { use_task_id: true }).tokens.unknown, "a row of the table of tasks");
    for (const type of ["bros", "lilt"]) assert.match(of(type, {}).warnings[0], /which this description does not have$/); // prettier-ignore
  });

  test("the NTK scaling of GTE's own code is a base and one factor", () => {
    const published = {
      ...{ hidden_size: 768, num_attention_heads: 12, rope_theta: 20000, pack_qkv: true },
      ...{ rope_scaling: { factor: 8, type: "ntk" }, logn_attention_scale: false },
    };
    const { warnings, suspect, tokens } = of("new", published);
    assert.match(warnings.join(), /the base 20000 times 8, and all frequencies divided by 8\^\(2\/64\)/); // prettier-ignore
    assert.deepEqual([suspect, tokens.segments, tokens.norm], [[], 1, 1e-12]);
    const { dim = 0, layout, options } = rotaryOf("new", published) ?? {};
    assert.equal(layout, "halves");
    const { frequencies } = phasor.rope.frequencies(dim, { ...options, precision: "torch" });
    // What PyTorch makes of Alibaba-NLP/new-impl, modeling.py, for pairs 0, 1, 5, 16 and 31.
    const torch = [0.9370837807655334, 0.6443912982940674, 0.14409027993679047, 0.0023427093401551247, 8.51701133797178e-6]; // prettier-ignore
    for (const [i, pair] of [0, 1, 5, 16, 31].entries()) {
      assert.ok(Math.abs(frequencies.data[pair] / torch[i] - 1) < 2e-7, `${pair}: ${frequencies.data[pair]}`); // prettier-ignore
    }
    assert.deepEqual(rotaryOf("new", { ...published, rope_scaling: null })?.options, { base: 20000 }); // prettier-ignore
    assert.equal(positionsOf("new", { position_embedding_type: "absolute" }).scheme, "learnedPositions"); // prettier-ignore
    for (const [more, why] of /** @type {[Record<string, unknown>, RegExp][]} */ ([
      [{ rope_scaling: { type: "ntk", factor: 8, mixed_b: 0.6 } }, /mixed_b is 0.6/],
      [{ rope_scaling: { type: "ntk", factor: 0.5 } }, /factor is 0.5/],
      [{ rope_scaling: { type: "linear", factor: 2 } }, /rope_scaling is "linear"/],
      [{ rope_parameters: { rope_type: "default", rope_theta: 1e4 } }, /rope_parameters/],
      [{ logn_attention_scale: true }, /logn_attention_scale is true/],
      [{ layer_norm_type: "rms_norm" }, /layer_norm_type is "rms_norm"/],
      [{ position_embedding_type: "alibi" }, /position_embedding_type is "alibi"/],
    ])) {
      const { scheme, reasons } = positionsOf("new", more);
      assert.equal(scheme, "unknown");
      assert.match(String(reasons), why);
    }
  });

  test("the text of dots.ocr and MiniCPM-o is Qwen's", () => {
    const file = { hidden_size: 1536, num_attention_heads: 12, rope_theta: 1e6 };
    const window = { sliding_window: 4096, use_sliding_window: false };
    for (const [type, more, dim] of /** @type {[string, Record<string, unknown>, number][]} */ ([
      ["dots_ocr", window, 128],
      ["minicpmo", { ...window, version: 2.6 }, 128],
      ["minicpmo", { ...window, version: "2.6", num_attention_heads: 24 }, 64],
      ["minicpmo", { version: "4.5", num_attention_heads: 24 }, 128], // Qwen3's default
      ["minicpmo", { version: "4.5", head_dim: 64 }, 64],
    ])) {
      const { layout, dim: found, options } = rotaryOf(type, { ...file, ...more }) ?? {};
      assert.deepEqual([layout, found, options], ["halves", dim, { base: 1e6 }], type);
      const { cache, suspect } = of(type, { ...file, ...more });
      assert.equal(
        cache?.some(({ window }) => window),
        false,
      );
      assert.deepEqual(suspect, []);
    }
    assert.match(String(positionsOf("minicpmo", { version: 5 }).reasons), /version is 5/);
  });

  test("the classes of files of before model_type name a family", () => {
    const sizes = { hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, d_kv: 16 };
    for (const [name, type] of [
      ["BertForMaskedLM", "bert"], // DNABERT's files
      ["BertModel", "bert"],
      ["XLMRobertaForMaskedLM", "xlm-roberta"],
      ["GPT2LMHeadModel", "gpt2"],
      ["T5WithLMHeadModel", "t5"],
    ]) {
      const file = { ...sizes, vocab_size: 99, max_position_embeddings: 32, architectures: [name] };
      const found = models.fromConfig(file);
      assert.equal(found.type, type);
      assert.match(found.warnings.join(), /model_type is missing; the family \S+ is that of architectures/); // prettier-ignore
      const same = models.fromConfig({ ...file, model_type: type });
      assert.deepEqual(found.positions, same.positions);
      assert.throws(() => models.fromConfig({ ...file, auto_map: {} }), /model_type must be the name of a family/); // prettier-ignore
    }
    for (const name of ["LlamaForCausalLM", "toString", 7, null]) {
      assert.throws(() => models.fromConfig({ ...sizes, architectures: [name] }), /model_type must be the name of a family/); // prettier-ignore
    }
  });

  test("the part for text of a whole that has no positions itself", () => {
    const bare = { hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4 };
    const typeOf = (/** @type {Record<string, unknown>} */ whole) => models.fromConfig(whole).type;
    assert.equal(typeOf({ model_type: "paligemma", text_config: bare }), "gemma");
    assert.equal(typeOf({ model_type: "llava", text_config: bare }), "llama");
    const seen = { model_type: "vision-encoder-decoder", encoder: { model_type: "vit", ...bare, image_size: 32, patch_size: 8 }, decoder: llama() }; // prettier-ignore
    assert.equal(typeOf(seen), "llama");
    assert.equal(models.fromConfig(seen, { tower: "vision" }).positions.length, 17);
    const two = { model_type: "encoder-decoder", encoder: llama(), decoder: llama() };
    assert.match(String(models.fromConfig(two).positions.reasons), /describe config\.encoder or config\.decoder/); // prettier-ignore
    const sizes = (/** @type {string} */ model_type) => {
      const { dim, heads, layers, positions } = models.fromConfig({ model_type: "x", text_config: { model_type } }); // prettier-ignore
      return [dim, heads, layers, positions.length];
    };
    assert.deepEqual(sizes("owlv2_text_model"), [512, 8, 12, 16]);
    assert.deepEqual(sizes("siglip2_text_model"), [768, 12, 12, 64]);
  });

  test("kinds of layers that predict further tokens, and a number for true", () => {
    const layer_types = Array(5).fill("full_attention");
    const more = { layer_types, sliding_window: 64 };
    assert.throws(() => of("exaone4", more), /layer_types must name the kind of each of 4 layers/);
    const { layerKinds } = positionsOf("exaone4", { ...more, num_nextn_predict_layers: 1 });
    assert.equal(layerKinds?.length, 4);
    const llama4 = { no_rope_layers: [1, 1, 1, 0], attn_temperature_tuning: 4 };
    assert.equal(positionsOf("llama4_text", llama4).queryScale?.every, 8192);
  });
});

describe("models.fromConfig: towers", () => {
  /** @param {Record<string, unknown>} vision_config @param {string} [model_type] */
  const tower = (vision_config, model_type = "llava") =>
    models.fromConfig({ model_type, vision_config }, { tower: "vision" });
  const patches = { hidden_size: 64, num_attention_heads: 4, image_size: 32, patch_size: 8 };

  test("a tower of patches whose positions another code adds is unknown", () => {
    for (const type of ["clip_vision_model", "vit", "siglip_vision_model", "dinov2"]) {
      const of = (/** @type {string} */ position_embedding_type) =>
        tower({ model_type: type, ...patches, position_embedding_type });
      assert.equal(of("absolute").positions.scheme, "learnedPositions", type);
      assert.deepEqual(of("absolute").suspect, []);
      // MiniMax M3 says so, and has three axes.
      assert.equal(of("rope").positions.scheme, "unknown", type);
      assert.match(String(of("rope").positions.reasons), /position_embedding_type is "rope"/);
    }
  });

  test("an empty model_type is that of the whole, and the authors' names of Kimi K2.5's tower are read", () => {
    const sizes = { vt_hidden_size: 64, vt_num_attention_heads: 4, vt_num_hidden_layers: 3 };
    const names = { model_type: "", init_pos_emb_height: 64, pos_emb_type: "divided_fixed" };
    const { type, dim, headDim, layers, positions, suspect } = tower(
      { ...sizes, ...names, patch_size: 14 },
      "kimi_k25",
    );
    assert.deepEqual([type, dim, headDim, layers], ["kimi_k25_vision", 64, 16, 3]);
    assert.deepEqual([positions.scheme, positions.dim, suspect], ["axialRope", 16, []]);
    const wrong = () => tower({ ...sizes, vt_hidden_size: 0.5 }, "kimi_k25");
    assert.throws(wrong, /config\.vision_config\.vt_hidden_size must be .+; got 0\.5$/);
    const other = tower({ ...sizes, pos_emb_type: "rope" }, "kimi_k25").positions;
    assert.match(String(other.reasons), /pos_emb_type is "rope"/);
    const text = { ...llama(), model_type: "" };
    const whole = models.fromConfig({ model_type: "gemma3", text_config: text });
    assert.equal(whole.type, "gemma3_text");
  });

  test("what is left of a picture is in no patch, and a tower without a name is not the whole's", () => {
    for (const type of ["siglip_vision_model", "clip_vision_model", "vit", "dinov2"]) {
      const of = (/** @type {number} */ image_size) =>
        tower({ model_type: type, ...patches, image_size }).positions.rows;
      assert.equal(of(39), of(32), type);
      assert.throws(() => of(7), /image_size \/ patch_size must be/);
    }
    assert.equal(tower(llama({ model_type: undefined }), "chatglm").positions.scheme, "unknown");
  });

  test("Qwen2-VL's tower has its family's sizes where a file states none", () => {
    const { dim, heads, layers, positions } = tower({ hidden_size: 1536, in_chans: 3 }, "qwen2_vl");
    assert.deepEqual([dim, heads, layers, positions.dim, positions.merge], [1280, 16, 32, 80, 2]);
  });
});

describe("models.fromConfig: authors' code", () => {
  test("Phi-4 multimodal is Phi-3 with LongRoPE alone", () => {
    const lists = { short_factor: Array(6).fill(1.5), long_factor: Array(6).fill(2.5) };
    const more = { partial_rotary_factor: 0.75, original_max_position_embeddings: 1024 };
    const scaled = { ...more, rope_scaling: { type: "longrope", ...lists } };
    assert.deepEqual(positionsOf("phi4mm", scaled), positionsOf("phi3", scaled));
    assert.deepEqual(positionsOf("phi4mm", more), positionsOf("phi3", more));
    assert.equal(rotaryOf("phi4mm", more)?.dim, 12);
    for (const entry of [
      { type: "yarn", ...lists },
      { type: "linear", factor: 2 },
      { type: "longrope", factor: 8, ...lists },
    ]) {
      const { scheme, reasons } = positionsOf("phi4mm", { ...more, rope_scaling: entry });
      assert.equal(scheme, "unknown");
      assert.match(String(reasons), /rope_scaling/);
    }
  });

  test("Yuan 2.0 rotates whole heads with the base 10000", () => {
    const plain = { dim: 16, layout: "halves", options: { base: 10000 } };
    assert.deepEqual(rotaryOf("yuan", { reset_position_ids: true }), plain);
    assert.deepEqual(
      of("yuan", { reset_position_ids: true, reset_attention_mask: true }).warnings,
      [],
    );
    assert.match(String(positionsOf("yuan", { rope_theta: 5e5 }).reasons), /code has 10000/);
    const rope_scaling = { type: "linear", factor: 2 };
    assert.match(String(positionsOf("yuan", { rope_scaling }).reasons), /rope_scaling is "linear"/);
  });

  test("MiniCPM-V has LLaMA's rotation in versions 2 to 4.5, and others are unknown", () => {
    const scaled = { rope_theta: 5e4, rope_scaling: { type: "linear", factor: 2 } };
    for (const version of [2.6, 4, "2.6", 2.5, "4.0"]) {
      assert.deepEqual(
        positionsOf("minicpmv", { version, ...scaled }),
        positionsOf("llama", scaled),
      );
    }
    for (const version of [5, "2.6b", [2.6], undefined]) {
      assert.match(String(positionsOf("minicpmv", { version }).reasons), /config\.version is/);
    }
    for (const version of [4.5, "4.5"]) assert.equal(of("minicpmv", { version }).headDim, 128);
    const first = of("minicpmv", { hidden_size: 2304, num_attention_heads: 36, scale_emb: 12 }); // prettier-ignore
    assert.deepEqual([first.tokens.scale, first.headDim, first.positions.scheme], [12, 64, "rope"]);
    assert.equal(of("minicpmv", { hidden_size: 4096 }).positions.scheme, "rope");
  });

  test("Molmo rotates whole heads by the stated base, and has a second table of words", () => {
    const published = { rope_theta: 1e6, use_position_ids: true, attention_layer_norm: false };
    const { positions, tokens, suspect } = of("molmo", published);
    assert.deepEqual(suspect, []);
    const plain = { dim: 16, layout: "halves", options: { base: 1e6 } };
    assert.deepEqual(positions.rotary?.full_attention, plain);
    assert.match(String(tokens.unknown), /second table/);
    assert.match(String(positionsOf("molmo", {}).reasons), /rope_theta is missing/);
    const rope_scaling = { type: "yarn", factor: 2, original_max_position_embeddings: 64 };
    const { reasons } = positionsOf("molmo", { rope_theta: 1e6, rope_scaling });
    assert.match(String(reasons), /rope_scaling is "yarn"/);
  });

  test("InternVL's tower has a learned table with a row for the class", () => {
    const sizes = { hidden_size: 64, num_attention_heads: 4, image_size: 32, patch_size: 8 };
    const config = {
      model_type: "internvl_chat",
      vision_config: { ...sizes, model_type: "intern_vit_6b" },
    };
    const { positions } = models.fromConfig(config, { tower: "vision" });
    assert.deepEqual(
      [positions.scheme, positions.preset, positions.rows],
      ["learnedPositions", "vit", 17],
    );
  });

  test("TeleChat's base is in the code of each model", () => {
    const { scheme, reasons } = positionsOf("telechat", { training_seqlen: 8192 });
    assert.equal(scheme, "unknown");
    assert.match(String(reasons), /base is in each model's own code: 10000 .+ 7B/);
  });
});

describe("models.fromConfig: names of families", () => {
  test("EXAONE 4.5's text is EXAONE 4's, by the name of its first files too", () => {
    const layer_types = [...Array(3).fill("sliding_attention"), "full_attention"];
    const text = llama({ model_type: "exaone4_5_text", layer_types, sliding_window: 8 });
    const whole = { model_type: "exaone4_5", text_config: text };
    const { positions, warnings } = models.fromConfig(whole);
    assert.deepEqual(positions, models.fromConfig({ ...text, model_type: "exaone4" }).positions);
    assert.deepEqual([positions.rotary?.full_attention, warnings], [null, []]);
  });
});

describe("models.fromConfig: sizes by other keys", () => {
  test("BLOOM and Falcon take n_embed before hidden_size", () => {
    for (const type of ["bloom", "falcon"]) {
      assert.equal(of(type, { n_embed: 128 }).dim, 128, type);
      assert.equal(of(type, {}).dim, 64, type);
      const wrong = () => of(type, { n_embed: "wide" });
      assert.throws(wrong, /^TypeError: .*config\.n_embed must be a whole number; got "wide"$/);
    }
  });

  test("Nemotron-H has as many layers as it lists", () => {
    const num_hidden_layers = undefined;
    for (const more of [
      { layers_block_type: ["mamba", "moe", "attention"] },
      { layer_types: ["mamba", "moe", "full_attention"], num_hidden_layers: 9 },
      { hybrid_override_pattern: "M-*" },
    ]) {
      assert.equal(of("nemotron_h", { num_hidden_layers, ...more }).layers, 3);
    }
    assert.equal(of("nemotron_h", {}).layers, 4);
  });

  test("BERT without token types says so, as BLIP's authors read it", () => {
    for (const more of [{}, { position_embedding_type: "absolute" }]) {
      const { tokens, warnings, suspect } = of("bert", { add_type_embeddings: false, ...more });
      assert.deepEqual([tokens.segments, tokens.norm, suspect], [0, 1e-12, []]);
      assert.match(warnings[0], /add_type_embeddings is .+ authors' code.+ transformers/);
    }
    assert.equal(of("bert", { add_type_embeddings: true }).tokens.segments, 2);
  });
});

test("models.fromConfig: a number of layers without an end is refused with a message", () => {
  const config = llama({ model_type: "dory", num_hidden_layers: new Array(2 ** 32 - 1) });
  assert.throws(() => models.fromConfig(config), /num_hidden_layers must .*; got/);
});

describe("models.fromConfig: files of other code with a known name", () => {
  test("Ling 2.0 rotates a part of a head, by either name, with transformers' scalings", () => {
    for (const part of [{ partial_rotary_factor: 0.5 }, { rotary_dim: 8 }]) {
      for (const type of ["bailing_moe", "bailing_moe_v2"]) {
        const { positions, suspect, warnings } = of(type, part);
        const rotary = { dim: 8, layout: "halves", options: { base: 10000 } };
        assert.deepEqual([positions.rotary?.full_attention, suspect, warnings], [rotary, [], []]);
      }
    }
    const yarn = { type: "yarn", factor: 4, original_max_position_embeddings: 64 };
    const second = { architectures: ["BailingMoeV2ForCausalLM"], rope_scaling: yarn };
    assert.equal(rotaryOf("bailing_moe", second)?.options.scaling?.type, "yarn");
    assert.equal(positionsOf("bailing_moe", { rope_scaling: yarn }).scheme, "unknown");
    const both = of("bailing_moe", { rotary_dim: 4, partial_rotary_factor: 0.5 });
    assert.deepEqual(both.suspect, ["rotary_dim"]);
  });

  test("Moshi in Kyutai's keys has the layout and the base that they say", () => {
    const rotary = (/** @type {object} */ more) => rotaryOf("moshi", { max_period: 1e5, ...more });
    const [own, concat] = ["rope", "rope_concat"].map((positional_embedding) => rotary({ positional_embedding })); // prettier-ignore
    assert.deepEqual(own, { dim: 16, layout: "interleaved", options: { base: 1e5 } });
    assert.deepEqual(concat, { dim: 16, layout: "halves", options: { base: 1e5 } });
    for (const positional_embedding of ["sin", "sin_rope", "none", 1, null]) {
      const { scheme } = positionsOf("moshi", { max_period: 1e5, positional_embedding });
      assert.equal(scheme, "unknown");
    }
    assert.equal(positionsOf("moshi", { positional_embedding: "rope" }).scheme, "unknown");
    assert.equal(rotaryOf("moshi", {})?.layout, "halves");
  });

  test("sizes by Meta's names go with pairs of neighbors, unless the file says otherwise", () => {
    const config = { dim: 64, n_layers: 4, n_heads: 4, n_kv_heads: 2, rope_theta: 5e5 };
    for (const model_type of ["llama", "mistral", "mixtral", "transformer", undefined]) {
      const says = (/** @type {object} */ more) =>
        models.fromConfig({ model_type, ...config, ...more });
      const { type, keyValueHeads, positions, tokens, suspect, warnings } = says({});
      assert.deepEqual([type, keyValueHeads, suspect, warnings], [model_type ?? "llama", 2, [], []]); // prettier-ignore
      const rotary = { dim: 16, layout: "interleaved", options: { base: 5e5 } };
      assert.deepEqual(positions, { scheme: "rope", length: undefined, rotary: { full_attention: rotary } }); // prettier-ignore
      assert.equal(tokens.scale, 1);
      const halves = says({ rope_traditional: false });
      assert.equal(halves.positions.rotary?.full_attention?.layout, "halves");
      assert.deepEqual([halves.keyValueHeads, halves.warnings], [2, []]);
      assert.equal(says({ use_scaled_rope: true }).positions.scheme, "unknown");
      assert.equal(says({ use_scaled_rope: false }).positions.scheme, "rope");
    }
    assert.deepEqual(of("llama", { rope_traditional: false }).suspect, []);
    assert.deepEqual(of("llama", { rope_traditional: true }).suspect, ["rope_traditional"]);
  });

  test("a params.json: Llama 2, 3.1 and 3.2, and Mistral", () => {
    const norm = { multiple_of: 256, norm_eps: 1e-5 };
    const llama2 = models.fromConfig({ dim: 4096, n_heads: 32, n_layers: 32, vocab_size: -1, ...norm });
    assert.deepEqual([llama2.vocabulary, llama2.keyValueHeads], [undefined, 32]);
    assert.deepEqual(llama2.positions.rotary?.full_attention, { dim: 128, layout: "interleaved", options: { base: 10000 } });
    const llama3 = { n_heads: 32, n_kv_heads: 8, n_layers: 32, vocab_size: 128256, rope_theta: 5e5, use_scaled_rope: true, ...norm };
    const { positions } = models.fromConfig({ dim: 4096, ...llama3 });
    assert.deepEqual(positions.rotary?.full_attention?.options, models.rope("llama-3.1-8b")?.options);
    assert.match(String(models.fromConfig({ dim: 2048, ...llama3 }).positions.reasons), /Meta's code has the factor 8, and transformers 32/);
    const mistral = { dim: 4096, n_layers: 32, head_dim: 128, hidden_dim: 14336, n_heads: 32, n_kv_heads: 8, vocab_size: 32768 };
    assert.equal(models.fromConfig({ ...mistral, rope_theta: 1e6 }).positions.rotary?.full_attention?.options.base, 1e6);
    assert.match(String(models.fromConfig(mistral).positions.reasons), /^config\.rope_theta is undefined, and what/);
    for (const more of [{ moe_args: {} }, { axes_dims: [32, 48, 48] }]) {
      const config = { ...mistral, rope_theta: 1e6, ...more };
      const message = RegExp(`config\\.${Object.keys(more)[0]} must be a key of a params.json`);
      assert.throws(() => models.fromConfig(config), message);
      assert.equal(models.fromConfig({ ...config, model_type: "transformer" }).positions.scheme, "unknown");
    }
    assert.throws(() => models.fromConfig({ dim: 4096, n_heads: 32 }), /model_type must be the name of a family; got undefined/);
    assert.throws(() => models.fromConfig({ ...llama3, use_scaled_rope: false, dim: "4096" }), /config\.dim must be a whole number/);
  }); // prettier-ignore

  test("Mistral's params.json of 2025: latents, YaRN without a factor of scores, a scale of queries", () => {
    const sizes = { dim: 64, n_layers: 4, n_heads: 4, n_kv_heads: 4, hidden_dim: 128, rope_theta: 1e4 };
    const own = { max_position_embeddings: 4096, tied_embeddings: false, vision_encoder: { hidden_size: 8 } };
    const yarn = { factor: 4, original_max_position_embeddings: 1024, beta: 32, alpha: 1, apply_scale: false };
    const llama_4_scaling = { beta: 0.1, original_max_position_embeddings: 1024 };
    const latent = { q_lora_rank: 8, kv_lora_rank: 20, qk_rope_head_dim: 8, qk_nope_head_dim: 8, v_head_dim: 16 };
    const says = (/** @type {object} */ more) => models.fromConfig({ ...sizes, ...own, ...more });
    const { positions, cache, warnings, suspect } = says({ ...latent, yarn, llama_4_scaling });
    const scaling = { type: "yarn", factor: 4, originalLength: 1024, betaFast: 32, betaSlow: 1, attentionFactor: 1 };
    assert.deepEqual(positions.rotary?.full_attention, { dim: 8, layout: "interleaved", options: { base: 1e4, scaling } });
    assert.deepEqual(positions.queryScale, { scale: 0.1, every: 1024, offset: 0 });
    assert.deepEqual([cache?.[0].numbers, warnings, suspect], [28, [], []]);
    assert.equal(Object(says({ yarn: { ...yarn, apply_scale: true } }).positions.rotary?.full_attention?.options.scaling).attentionFactor, undefined);
    for (const more of [{ yarn: { ...yarn, mscale: 1 } }, { llama_4_scaling }, { kv_lora_rank: 20 }, { ...latent, yarn: { ...yarn, apply_scale: true } }])
      assert.equal(says(more).positions.scheme, "unknown", JSON.stringify(more));
    assert.deepEqual([8, [8, null]].map((sliding_window) => says({ sliding_window }).cache?.[0].window), [8, null]);
  }); // prettier-ignore

  test("fla's linear attention has no positions, unless some layers have attention", () => {
    for (const type of ["gla", "rwkv7", "gated_deltanet"]) {
      const { positions, suspect } = of(type, { attn: null, attn_mode: "chunk" });
      assert.deepEqual([positions.scheme, suspect], ["none", []]);
      const attn = { layers: [1], num_heads: 4, rope_theta: 10000 };
      assert.equal(positionsOf(type, { attn }).scheme, "unknown");
    }
  });

  test("files with another family's model_type: Grok's GIT, and GLM of 2021", () => {
    const grok = { rope_theta: 2e8, rope_type: "original", architectures: ["Grok1ForCausalLM"] };
    assert.match(String(positionsOf("git", grok).reasons), /^config\.rope_theta is 200000000, .+ git, which has no/); // prettier-ignore
    const ten = { block_position_encoding: true, relative_encoding: false, max_sequence_length: 1024 }; // prettier-ignore
    assert.match(String(positionsOf("glm", ten).reasons), /block_position_encoding is true, .+ GLM-4's/); // prettier-ignore
    assert.equal(positionsOf("glm", { max_sequence_length: 1024 }).scheme, "unknown");
    assert.equal(positionsOf("glm", {}).scheme, "rope");
  });

  test("a class of another family has a warning where its positions differ, and others have none", () => {
    for (const [type, name, warns] of /** @type {[string, unknown, boolean][]} */ ([
      ["gpt2", "LlamaForCausalLM", true],
      ["bert", "RobertaModel", true],
      ["cohere", "MistralForCausalLM", true],
      ["xlm-roberta", "RobertaForMaskedLM", false],
      ["mistral", "LlamaForCausalLM", false],
      ["bert", "JinaBertForMaskedLM", false],
      ["bert", "TransformerModel", false],
      ["gpt2", "GPT2LMHeadModel", false],
      ["gpt2", 7, false],
      ["nothing", "LlamaForCausalLM", false],
    ])) {
      const more = { type_vocab_size: 2, architectures: [name] };
      assert.equal(/names the family/.test(String(of(type, more).warnings)), warns, String(name)); // prettier-ignore
    }
  });

  test("code of the model's own is named where transformers has the family, and only code of models", () => {
    const noted = (/** @type {string} */ type, /** @type {object} */ auto_map) =>
      of(type, { auto_map, head_dim: 16 }).warnings.filter((one) => /the model's own code/.test(one)).length; // prettier-ignore
    const own = { AutoModelForCausalLM: "modelling_llama.LlamaForCausalLM" }; // SuperHOT
    assert.deepEqual([noted("llama", own), noted("qwen3", own), noted("internlm2", own)], [1, 1, 0]); // prettier-ignore
    assert.equal(noted("llama", { AutoTokenizer: ["a.B", null], AutoConfig: "c.D" }), 0);
  });

  test("each layer of UMT5 has a table, and T5's have that of the first", () => {
    const [own, shared] = ["umt5", "t5"].map((type) => positionsOf(type, {}));
    assert.match(String(own.besides), /^a table in each layer; T5's/);
    assert.deepEqual({ ...own, besides: undefined }, { ...shared, besides: undefined });
    assert.match(String(atlas().find(({ family }) => family === "umt5")?.traps), /in each layer/);
  });

  test("Chronos-2 says t5 and rotates", () => {
    const { scheme, reasons } = positionsOf("t5", { rope_theta: 10000 });
    assert.equal(scheme, "unknown");
    assert.match(String(reasons), /Chronos-2, which says t5, rotates/);
    assert.equal(positionsOf("t5", {}).scheme, "t5Bias");
  });
});

describe("models.fromConfig: what a model has besides", () => {
  const picture = { image_size: 56, patch_size: 14 };

  test("how pictures of other sizes get their rows: DINOv2 with registers, DPT, Idefics, MiniCPM-V", () => {
    assert.deepEqual(positionsOf("dinov2_with_registers", { ...picture, num_register_tokens: 2 }), {
      ...{ scheme: "learnedPositions", preset: "timm", rows: 17, length: 17 },
      besides: "2 register tokens behind the first, without rows",
    });
    const own = { scheme: "learnedPositions", preset: "vit", rows: 17, length: 17 };
    const bilinear = { ...own, options: { method: "bilinear" } };
    assert.deepEqual(positionsOf("dpt", picture), bilinear);
    const backbone = { backbone_config: { model_type: "dinov2" } };
    assert.deepEqual(positionsOf("dpt", { ...picture, ...backbone, is_hybrid: true }), bilinear);
    for (const image_size of [56, null]) {
      const { scheme, reasons } = positionsOf("dpt", { ...picture, ...backbone, image_size });
      assert.equal(scheme, "unknown");
      assert.match(String(reasons), /describe config\.backbone_config/);
    }
    assert.match(String(positionsOf("dpt", { backbone: "resnet50" }).reasons), /describe config\.backbone\.$/); // prettier-ignore
    const { besides = "" } = positionsOf("idefics2_vision", picture);
    assert.match(besides, /nothing is resized/);
    const vision_config = { ...picture, hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, model_type: "siglip" }; // prettier-ignore
    const inside = (/** @type {string} */ model_type) =>
      models.fromConfig({ model_type, vision_config }, { tower: "vision" });
    assert.equal(inside("minicpmv").positions.besides, besides);
    assert.equal(inside("siglip").type, "siglip_vision_model");
  });

  test("the tables of a decoder, of frames and of a page's picture, and chunks of sound", () => {
    /** @type {[string, Record<string, unknown>, string][]} */
    const all = [
      ["whisper", { max_target_positions: 448 }, "a learned table of 448 rows in the decoder"],
      ["led", { max_encoder_position_embeddings: 64, max_decoder_position_embeddings: 32 }, "a learned table of 32 rows in the decoder"],
      ["git", { num_image_with_embedding: 6 }, "a learned row for each of 6 frames of a video"],
      ["qwen2_5_omni_audio_encoder", { n_window: 100 }, "chunks of 200 frames, in each of which positions begin anew"],
      ["qwen2_5_omni_audio_encoder", {}, "chunks of 200 frames, in each of which positions begin anew"],
      ["qwen3_asr_audio_encoder", { n_window: 30 }, "chunks of 60 frames, in each of which positions begin anew"],
      ["qwen3_asr_audio_encoder", {}, "chunks of 100 frames, in each of which positions begin anew"],
    ]; // prettier-ignore
    for (const [type, more, besides] of all) {
      const { positions, suspect, warnings } = of(type, more);
      assert.deepEqual([positions.besides, suspect, warnings], [besides, [], []], type);
    }
    const page = { num_attention_heads: 4, type_vocab_size: 1, max_2d_position_embeddings: 64 };
    assert.match(String(positionsOf("layoutlmv3", page).besides), /the page's picture/);
    assert.equal(positionsOf("layoutlmv3", { ...page, visual_embed: false }).besides, undefined);
    assert.equal(of("git", { position_embedding_type: "rope" }).positions.scheme, "unknown");
  });

  test("the encoder of two parts is that of what it reads", () => {
    const encoder = { ...picture, model_type: "vit", hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4 }; // prettier-ignore
    const decoder = llama({ model_type: "gpt2" });
    const config = { model_type: "vision-encoder-decoder", encoder, decoder };
    assert.equal(models.fromConfig(config, { tower: "vision" }).type, "vit");
    assert.equal(models.fromConfig(config).type, "gpt2");
    assert.throws(() => models.fromConfig(config, { tower: "audio" }), /must have a part for the tower "audio"/); // prettier-ignore
    const sound = { ...config, model_type: "speech-encoder-decoder" };
    assert.throws(() => models.fromConfig(sound, { tower: "vision" }), /must have a part for the tower "vision"/); // prettier-ignore
  });

  test("Depth Anything has the positions of its backbone", () => {
    const backbone_config = { ...llama({ model_type: "dinov2" }), ...picture };
    const depth = models.fromConfig({ model_type: "depth_anything", backbone_config });
    assert.equal(depth.positions.rows, 17);
  });
});
