import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery } from "../battery.js";
import { caseOf } from "../../truth/golden.js";
import { phasor } from "../../phasor.js";
import { llama } from "./small.js";
import { atlas, models } from "phasor/models";

/** @param {Record<string, unknown>} config */
const scalingOf = (config) => models.rope(config)?.options.scaling;

battery("models.get", {
  call: ({ name }) => models.get(name),
  good: { name: "gpt2" },
  args: { name: ["word"] },
});

battery("models.fromConfig", {
  call: ({ config }) => models.fromConfig(config),
  good: { config: llama() },
  args: { config: ["config", "config", "config.model_type"] },
});

battery("models.rope", {
  call: ({ model, $ }) => models.rope(model, $),
  good: { model: "llama-2-7b" },
  args: {
    model: ["config", "model", "config", "config.model_type"],
    $: ["options"],
    layer: ["layer"],
  },
});

battery("models.cost", {
  call: ({ scheme, $ }) => models.cost(scheme, $),
  good: { scheme: "rope" },
  args: {
    scheme: ["word"],
    $: ["options"],
    vocabulary: ["sizeOption"],
    dim: ["sizeOption"],
    length: ["sizeOption"],
    heads: ["sizeOption"],
    keyValueHeads: ["sizeOption"],
    headDim: ["sizeOption"],
    rotaryDim: ["sizeOption"],
    segments: ["sizeOption"],
    buckets: ["sizeOption"],
    distance: ["sizeOption"],
    window: ["window"],
  },
});

describe("models.get", () => {
  test("models.get knows the widths, heads and schemes of public models", () => {
    // vocabulary, width, heads, key heads, head width, scheme
    const table = {
      "transformer-base": [37000, 512, 8, 8, 64, "sinusoidal"],
      gpt2: [50257, 768, 12, 12, 64, "learnedPositions"],
      "bert-base-uncased": [30522, 768, 12, 12, 64, "learnedPositions"],
      "roberta-base": [50265, 768, 12, 12, 64, "learnedPositions"],
      "opt-125m": [50272, 768, 12, 12, 64, "learnedPositions"],
      "whisper-base": [51865, 512, 8, 8, 64, "sinusoidal"],
      "t5-base": [32128, 768, 12, 12, 64, "t5Bias"],
      "gpt-j-6b": [50400, 4096, 16, 16, 256, "rope"],
      "gpt-neox-20b": [50432, 6144, 64, 64, 96, "rope"],
      "llama-2-7b": [32000, 4096, 32, 32, 128, "rope"],
      "codellama-7b": [32016, 4096, 32, 32, 128, "rope"],
      "llama-3.1-8b": [128256, 4096, 32, 8, 128, "rope"],
      "llama-3.2-1b": [128256, 2048, 32, 8, 64, "rope"],
      "mistral-7b-v0.1": [32000, 4096, 32, 8, 128, "rope"],
      "mistral-7b-v0.3": [32768, 4096, 32, 8, 128, "rope"],
      "qwen2.5-7b": [152064, 3584, 28, 4, 128, "rope"],
      "qwen2.5-7b-yarn": [152064, 3584, 28, 4, 128, "rope"],
      "qwen2-vl-7b": [152064, 3584, 28, 4, 128, "rope"],
      "gemma-2b": [256000, 2048, 8, 1, 256, "rope"],
      "gemma-3-1b": [262144, 1152, 4, 1, 256, "rope"],
      "phi-3-mini-4k": [32064, 3072, 32, 32, 96, "rope"],
      "phi-3.5-mini": [32064, 3072, 32, 32, 96, "rope"],
      "deepseek-v3": [129280, 7168, 128, 128, 192, "rope"],
      "gpt-oss-20b": [201088, 2880, 64, 8, 64, "rope"],
      "qwen2.5-vl-7b": [152064, 3584, 28, 4, 128, "rope"],
      "qwen3-8b": [151936, 4096, 32, 8, 128, "rope"],
      "qwen3-next-80b": [151936, 2048, 16, 2, 256, "rope"],
      "qwen3.5-27b": [248320, 5120, 24, 4, 256, "rope"],
      "qwen3-vl-8b": [151936, 4096, 32, 8, 128, "rope"],
      "llama-3.3-70b": [128256, 8192, 64, 8, 128, "rope"],
      "llama-4-scout": [202048, 5120, 40, 8, 128, "rope"],
      "gemma-4-26b": [262144, 2816, 16, 8, 256, "rope"],
      "gemma-4-e2b": [262144, 1536, 8, 1, 256, "rope"],
      "qwen3-30b-a3b": [151936, 2048, 32, 4, 128, "rope"],
      "qwen3-embedding-0.6b": [151669, 1024, 16, 8, 128, "rope"],
      "devstral-small-2-24b": [131072, 5120, 32, 8, 128, "rope"],
      "exaone-4.0-32b": [102400, 5120, 40, 8, 128, "rope"],
      "glm-4.5": [151552, 5120, 96, 8, 128, "rope"],
      "gte-multilingual-base": [250048, 768, 12, 12, 64, "rope"],
      "dinov3-vitb16": [undefined, 768, 12, 12, 64, "axialRope"],
      "gemma-3n-e4b": [262400, 2048, 8, 2, 256, "rope"],
      "kimi-linear-48b": [163840, 2304, 32, 32, 64, "none"],
      "embeddinggemma-300m": [262144, 768, 3, 1, 256, "rope"],
      "phi-4": [100352, 5120, 40, 10, 128, "rope"],
      "ministral-3-8b": [131072, 4096, 32, 8, 128, "rope"],
      "glm-5": [154880, 6144, 64, 64, 256, "rope"],
      "kimi-k2": [163840, 7168, 64, 64, 192, "rope"],
      "minimax-m2.5": [200064, 3072, 48, 8, 128, "rope"],
      "deepseek-v3.2": [129280, 7168, 128, 128, 192, "rope"],
      "deepseek-v4-flash": [129280, 4096, 64, 1, 512, "rope"],
      "gpt-oss-120b": [201088, 2880, 64, 8, 64, "rope"],
      "ernie-4.5-21b": [103424, 2560, 20, 4, 128, "rope"],
      "olmo-3.1-32b": [100278, 5120, 40, 8, 128, "rope"],
      "modernbert-base": [50368, 768, 12, 12, 64, "rope"],
      "all-minilm-l6-v2": [30522, 384, 12, 12, 32, "learnedPositions"],
      "all-mpnet-base-v2": [30527, 768, 12, 12, 64, "learnedPositions"],
      "e5-base-v2": [30522, 768, 12, 12, 64, "learnedPositions"],
      "bge-m3": [250002, 1024, 16, 16, 64, "learnedPositions"],
      "nomic-embed-text-v1.5": [30528, 768, 12, 12, 64, "rope"],
      "jina-embeddings-v3": [250002, 1024, 16, 16, 64, "rope"],
      "dinov2-base": [undefined, 768, 12, 12, 64, "learnedPositions"],
      "clip-vit-base-patch32": [49408, 512, 8, 8, 64, "learnedPositions"],
      "whisper-large-v3": [51866, 1280, 20, 20, 64, "sinusoidal"],
      "wav2vec2-base": [32, 768, 12, 12, 64, "other"],
      "glm-4.7": [151552, 5120, 96, 8, 128, "rope"],
      "mistral-small-3.2-24b": [131072, 5120, 32, 8, 128, "rope"],
      "granite-4.0-1b": [100352, 2048, 16, 4, 128, "rope"],
      "granite-4.0-h-350m": [100352, 768, 12, 4, 64, "rope"],
      "falcon-h1-0.5b": [32784, 1024, 8, 2, 64, "rope"],
      "command-r7b": [256000, 4096, 32, 8, 128, "rope"],
      "siglip2-base-patch16-224": [256000, 768, 12, 12, 64, "learnedPositions"],
      "smollm3-3b": [128256, 2048, 16, 4, 128, "rope"],
      "falcon-7b": [65024, 4544, 71, 1, 64, "rope"],
      "bloom-560m": [250880, 1024, 16, 16, 64, "alibi"],
      bloom: [250880, 14336, 112, 112, 128, "alibi"],
      "mpt-7b": [50432, 4096, 32, 32, 128, "alibi"],
      "vit-base-patch16-224": [undefined, 768, 12, 12, 64, "learnedPositions"],
      "vit-mae-base": [undefined, 768, 12, 12, 64, "sincosGrid"],
      "swin-tiny": [undefined, 96, [3, 6, 12, 24], [3, 6, 12, 24], 32, "windowBias"],
    };
    assert.deepEqual([...models.names].sort(), Object.keys(table).sort());
    for (const [name, row] of Object.entries(table)) {
      const { vocabulary, dim, heads, keyValueHeads, headDim, positions } = models.get(name);
      const got = [vocabulary, dim, heads, keyValueHeads, headDim, positions.scheme];
      assert.deepEqual(got, row, name);
    }
  });

  test("models.get cites an address for every model and has no warnings", () => {
    for (const name of models.names) {
      const { source, warnings } = models.get(name);
      assert.match(source, /^https:\/\/(huggingface\.co|arxiv\.org)\//);
      assert.deepEqual(warnings, [], name);
    }
  });

  test("models.get returns the settings of the tokens", () => {
    assert.deepEqual(models.get("gemma-2b").tokens, {
      scale: "sqrt",
      scaleDtype: "bfloat16",
      segments: 0,
      norm: null,
    });
    assert.deepEqual(models.get("bert-base-uncased").tokens.segments, 2);
    assert.equal(models.get("bert-base-uncased").tokens.norm, 1e-12);
    assert.equal(models.get("roberta-base").tokens.norm, 1e-5);
    assert.equal(models.get("bloom").tokens.norm, 1e-5);
    assert.equal(models.get("falcon-7b").tokens.norm, null);
  });

  test("models.get returns the number of rows of learned tables", () => {
    const rows = (/** @type {string} */ name) => models.get(name).positions.rows;
    assert.deepEqual(["gpt2", "bert-base-uncased"].map(rows), [1024, 512]);
    assert.deepEqual(["roberta-base", "opt-125m"].map(rows), [514, 2050]);
    assert.equal(rows("vit-base-patch16-224"), 197);
  });

  test("models.get returns a separate description for each call", () => {
    const first = models.get("gpt2");
    first.positions.rows = 7;
    assert.equal(models.get("gpt2").positions.rows, 1024);
  });
});

describe("models.fromConfig", () => {
  test("models.fromConfig reads the text of a file and a parsed object alike", () => {
    assert.deepEqual(models.fromConfig(JSON.stringify(llama())), models.fromConfig(llama()));
    assert.throws(() => models.fromConfig("{"), /^TypeError: \S+: config must be JSON; got /);
  });

  test("models.fromConfig reads Python's NaN and infinities, and refuses them in words where they decide", () => {
    const others = '[0.0, Infinity, -Infinity, {"a": NaN}]';
    const text = JSON.stringify({ ...llama(), time_step_limit: 0 }).replace("0}", `${others}}`);
    assert.deepEqual(models.fromConfig(text), models.fromConfig(llama({ time_step_limit: 1 })));
    const sizes = "hidden_size num_attention_heads num_hidden_layers head_dim vocab_size max_position_embeddings"; // prettier-ignore
    const linear = { type: "linear", factor: "?" };
    const cases = [
      ...[...sizes.split(" "), "rope_theta", "partial_rotary_factor"].map((key) => ({
        [key]: "?",
      })),
      ...[
        { rope_scaling: linear },
        { rope_parameters: { rope_theta: "?" } },
        { rope_scaling: "?" },
      ],
      { model_type: "bamba", attn_layer_indices: [0, "?"] },
    ];
    for (const given of cases) {
      for (const word of ["NaN", "Infinity", "-Infinity"]) {
        const config = JSON.stringify(llama(given)).replace('"?"', word);
        const message = RegExp(`: config\\.\\S+ must be .*; got ${word}$`);
        assert.throws(() => models.fromConfig(config), { message }, config);
      }
    }
  });

  test("models.fromConfig rejects deep, circular and very large configurations", () => {
    /** @type {any} */
    let deep = 0;
    for (let level = 0; level < 200_000; ++level) deep = { type: deep };
    const text = `${'{"a":'.repeat(200_000)}0${"}".repeat(200_000)}`;
    const levels = /^RangeError: \S+: config must have at most 64 levels; got more$/;
    for (const key of ["rope_parameters", "rope_scaling", "text_config", "x"]) {
      const both = { rope_scaling: { type: "linear", factor: 4 }, rope_parameters: { a: 1 } };
      assert.throws(() => models.fromConfig(llama({ ...both, [key]: deep })), levels);
      assert.throws(
        () => models.fromConfig(JSON.stringify(llama()).slice(0, -1) + `,"${key}":${text}}`),
        levels,
      );
    }
    /** @type {any} */
    const own = llama();
    own.text_config = own;
    assert.throws(() => models.fromConfig(own), levels);
    const many = JSON.stringify({ ...llama(), x: Array(300_000).fill(0) });
    assert.throws(
      () => models.fromConfig(many),
      /^TypeError: \S+: config must be JSON; got more than 262144 values$/,
    );
    const quoted = JSON.stringify({ ...llama(), x: "a, b".repeat(200_000) });
    assert.equal(models.fromConfig(quoted).type, "llama");
  });

  test("models.fromConfig reads old rope_scaling by type, newer by rope_type, newest rope_parameters", () => {
    const want = { type: "linear", factor: 4 };
    assert.deepEqual(scalingOf(llama({ rope_scaling: { type: "linear", factor: 4 } })), want);
    assert.deepEqual(scalingOf(llama({ rope_scaling: { rope_type: "linear", factor: 4 } })), want);
    const both = { type: "linear", rope_type: "linear", factor: 4 };
    assert.deepEqual(scalingOf(llama({ rope_scaling: both })), want);
    const now = { rope_type: "linear", factor: 4, rope_theta: 5e5 };
    assert.deepEqual(models.rope(llama({ rope_parameters: now })), {
      start: 0,
      inverse: false,
      dim: 16,
      layout: "halves",
      options: { base: 5e5, scaling: want },
      warnings: [],
    });
  });

  test("models.fromConfig prefers rope_theta in rope_parameters to that at the top", () => {
    const base = (/** @type {Record<string, unknown>} */ more) =>
      models.rope(llama(more))?.options.base;
    assert.equal(base({}), 10000);
    assert.equal(base({ rope_theta: 5e5 }), 5e5);
    assert.equal(base({ rope_theta: 5e5, rope_parameters: { rope_type: "default" } }), 5e5);
    assert.equal(base({ rope_theta: 5e5, rope_parameters: { rope_theta: 1e6 } }), 1e6);
  });

  test("models.fromConfig converts every type of scaling into the options of rope", () => {
    const yarn = {
      rope_type: "yarn",
      factor: 4,
      original_max_position_embeddings: 1024,
      beta_fast: 16,
      beta_slow: 2,
      mscale: 0.7,
      mscale_all_dim: 0.9,
      truncate: false,
      attention_factor: 1.3,
    };
    assert.deepEqual(scalingOf(llama({ rope_scaling: yarn })), {
      type: "yarn",
      factor: 4,
      originalLength: 1024,
      betaFast: 16,
      betaSlow: 2,
      mscale: 0.7,
      mscaleAllDim: 0.9,
      truncate: false,
      attentionFactor: 1.3,
    });
    assert.deepEqual(scalingOf(llama({ rope_scaling: { type: "dynamic", factor: 2 } })), {
      type: "dynamic",
      factor: 2,
      maxLength: 4096,
    });
    const su = { type: "su", short_factor: Array(8).fill(1), long_factor: Array(8).fill(2) };
    const phi = llama({ rope_scaling: su, original_max_position_embeddings: 1024 });
    assert.deepEqual(scalingOf(phi), {
      type: "longrope",
      shortFactor: su.short_factor,
      longFactor: su.long_factor,
      originalLength: 1024,
      factor: 4,
    });
    const gemma4 = { rope_type: "proportional", partial_rotary_factor: 0.25, rope_theta: 1e6 };
    assert.deepEqual(models.rope(llama({ rope_parameters: gemma4 })), {
      start: 0,
      inverse: false,
      dim: 16,
      layout: "halves",
      options: {
        base: 1e6,
        scaling: { type: "proportional", factor: 1, partialRotaryFactor: 0.25 },
      },
      warnings: [],
    });
  });

  test("models.fromConfig replaces 0 for beta_fast by its default, as transformers does", () => {
    const yarn = { type: "yarn", factor: 4, original_max_position_embeddings: 1024, beta_fast: 0 };
    assert.deepEqual(Object.keys(scalingOf(llama({ rope_scaling: yarn })) ?? {}), [
      "type",
      "factor",
      "originalLength",
    ]);
  });

  test("models.fromConfig prefers a top-level original_max_position_embeddings, as in Phi-3", () => {
    const yarn = { type: "yarn", factor: 4, original_max_position_embeddings: 2048 };
    const config = llama({ rope_scaling: yarn, original_max_position_embeddings: 1024 });
    assert.equal(Object(scalingOf(config)).originalLength, 1024);
  });

  test("models.fromConfig reads rope_parameters by kind of layer, null for none", () => {
    const config = llama({
      model_type: "lfm3",
      layer_types: ["sliding_attention", "full_attention", "linear_attention", "full_attention"],
      rope_parameters: {
        full_attention: { rope_type: "linear", factor: 8, rope_theta: 1e6 },
        sliding_attention: { rope_type: "default", rope_theta: 1e4 },
        linear_attention: null,
      },
    });
    const layer = (/** @type {number} */ layer) => models.rope(config, { layer })?.options;
    assert.deepEqual([0, 1, 2, 3].map(layer), [
      { base: 1e4 },
      { base: 1e6, scaling: { type: "linear", factor: 8 } },
      undefined,
      { base: 1e6, scaling: { type: "linear", factor: 8 } },
    ]);
    assert.throws(
      () => models.rope(config, { layer: 4 }),
      /layer must be a whole number from 0 to 3; got 4/,
    );
  });

  test("models.fromConfig reads Gemma 3's two bases: five local layers, then a global one", () => {
    const bases = Array.from(
      { length: 26 },
      (_, layer) => models.rope("gemma-3-1b", { layer })?.options.base,
    );
    assert.deepEqual(bases.slice(0, 7), [1e4, 1e4, 1e4, 1e4, 1e4, 1e6, 1e4]);
    assert.equal(bases.filter((base) => base === 1e6).length, 4);
    const scaled = {
      model_type: "gemma3_text",
      num_hidden_layers: 6,
      head_dim: 16,
      rope_scaling: { rope_type: "linear", factor: 8 },
    };
    assert.equal(models.rope(llama(scaled), { layer: 0 })?.options.scaling, undefined);
    assert.deepEqual(scalingOf(llama(scaled)), { type: "linear", factor: 8 });
  });

  test("models.fromConfig reads NoPE masks, in which 1 means that RoPE is used", () => {
    const uses = (/** @type {any} */ config) =>
      [0, 1, 2, 3].map((layer) => models.rope(config, { layer }) !== null);
    const smollm = llama({ model_type: "smollm3" });
    assert.deepEqual(uses(smollm), [true, true, true, false]);
    assert.deepEqual(uses({ ...smollm, no_rope_layer_interval: 2 }), [true, false, true, false]);
    assert.deepEqual(uses({ ...smollm, no_rope_layers: [0, 1, 1, 0] }), [false, true, true, false]);
    const still = llama({ model_type: "smollm3", num_hidden_layers: 2, no_rope_layers: [0, 0] });
    assert.deepEqual([0, 1].map((layer) => models.rope(still, { layer })), [null, null]); // prettier-ignore
    assert.throws(() => models.rope(still), { message: "models.rope: model must have a layer that is rotated; got none" }); // prettier-ignore
    const nope = Array.from({ length: 36 }, (_, layer) => models.rope("smollm3-3b", { layer }));
    assert.equal(nope.filter((rotary) => rotary === null).length, 9);
    assert.throws(
      () => models.fromConfig({ ...smollm, no_rope_layers: [1, 0] }),
      /config\.no_rope_layers must hold a 0 or 1 for each of 4 layers; got an array of 2/,
    );
  });

  test("models.fromConfig reads partial widths under every key that models use", () => {
    const dim = (/** @type {Record<string, unknown>} */ more) => models.rope(llama(more))?.dim;
    assert.equal(dim({ model_type: "phi", partial_rotary_factor: 0.25 }), 4);
    assert.equal(dim({ model_type: "phi", rope_parameters: { partial_rotary_factor: 0.25 } }), 4);
    assert.equal(dim({ model_type: "minimax_m2", rotary_dim: 8 }), 8);
    assert.equal(dim({ model_type: "minimax_m2", head_dim: 16 }), 16);
    assert.equal(dim({ model_type: "gpt_neox", rotary_pct: 0.25 }), 4);
    assert.equal(dim({ model_type: "gptj", rotary_dim: 6 }), 6);
    assert.equal(dim({ head_dim: 32 }), 32);
    assert.equal(dim({ qk_rope_head_dim: 8, qk_nope_head_dim: 24, model_type: "deepseek_v3" }), 8);
    assert.throws(
      () => models.fromConfig(llama({ model_type: "phi", partial_rotary_factor: 0.2 })),
      /must be even and positive; got 3/,
    );
  });

  test("models.fromConfig warns of a partial width that the family ignores", () => {
    const { positions, warnings } = models.fromConfig(llama({ partial_rotary_factor: 0.5 }));
    assert.equal(positions.rotary?.full_attention?.dim, 16);
    assert.deepEqual(warnings, [
      "config.partial_rotary_factor is not read by this family: it is ignored",
    ]);
  });

  test("models.fromConfig rejects GPT-J without rotary_dim, for which transformers rotates too many components", () => {
    assert.throws(
      () => models.fromConfig(llama({ model_type: "gptj", rotary_dim: null })),
      /config\.rotary_dim must be given: .+; got undefined/,
    );
  });

  test("models.fromConfig pairs neighbors for the families that do", () => {
    const layout = (/** @type {string} */ type) =>
      models.rope(llama({ model_type: type, rotary_dim: 4 }))?.layout;
    for (const type of ["gptj", "cohere", "glm", "llama4_text", "deepseek_v3"]) {
      assert.equal(layout(type), "interleaved", type);
    }
    for (const type of ["llama", "qwen3", "gpt_neox", "smollm3"])
      assert.equal(layout(type), "halves", type);
    assert.equal(
      models.rope(llama({ model_type: "deepseek_v3", rope_interleave: false }))?.layout,
      "halves",
    );
    // Other families do not read the key.
    assert.equal(models.rope(llama({ rope_interleave: true }))?.layout, "halves");
    assert.deepEqual(models.fromConfig(llama({ rope_interleave: true })).ignored, [
      "rope_interleave",
    ]);
    assert.deepEqual(models.fromConfig(llama({ rotary_dim: 4 })).ignored, ["rotary_dim"]);
  });

  test("models.fromConfig reads M-RoPE's sections, and rejects sections that do not fill the width", () => {
    const config = llama({
      model_type: "qwen2_vl",
      rope_scaling: { type: "mrope", mrope_section: [2, 3, 3] },
    });
    assert.deepEqual(models.rope(config)?.multimodal, {
      sections: [2, 3, 3],
      arrangement: "chunked",
    });
    const rope_scaling = {
      rope_type: "default",
      mrope_section: [2, 3, 3],
      mrope_interleaved: true,
    };
    const qwen3 = llama({ model_type: "qwen3_vl_text", head_dim: 16, rope_scaling });
    assert.equal(models.rope(qwen3)?.multimodal?.arrangement, "interleaved");
    assert.throws(
      () => models.fromConfig({ ...config, rope_scaling: { mrope_section: [2, 3, 4] } }),
      /mrope_section must be three numbers with the sum 8; got \[2, 3, 4\]/,
    );
    const ernie = llama({ model_type: "ernie4_5_vl_moe_text", rope_scaling });
    // The file has height, width, time.
    assert.deepEqual(models.rope(ernie)?.multimodal, {
      sections: [3, 2, 3],
      arrangement: "alternating",
    });
    const other = llama({ rope_scaling });
    assert.equal(models.rope(other)?.multimodal, undefined);
    assert.match(models.fromConfig(other).warnings.join(), /arrangement of it is not known/);
  });

  test("models.fromConfig reads text_config", () => {
    const { model_type, ...rest } = llama({ rope_theta: 5e5 });
    const outer = { model_type: "llava", text_config: { model_type, ...rest } };
    assert.equal(models.rope(outer)?.options.base, 5e5);
    assert.deepEqual(models.fromConfig(outer).warnings, []);
  });

  /** @type {[string, Record<string, unknown>, RegExp][]} */
  const wrong = [
    [
      "two types",
      { rope_scaling: { type: "yarn", rope_type: "linear", factor: 2 } },
      /rope_type must agree with config\.rope_scaling\.type \("yarn"\); got "linear"/,
    ],
    [
      "an unknown type",
      { rope_scaling: { type: "ntk", factor: 2 } },
      /config\.rope_scaling\.type must be one of "default", "linear", .+; got "ntk"/,
    ],
    [
      "a missing factor",
      { rope_scaling: { type: "linear" } },
      /config\.rope_scaling\.factor must be a number >= 1; got undefined/,
    ],
    [
      "a factor below 1",
      { rope_scaling: { type: "linear", factor: 0.5 } },
      /config\.rope_scaling\.factor must be a number >= 1; got 0.5/,
    ],
    [
      "a factor in words",
      { rope_scaling: { type: "linear", factor: "2" } },
      /config\.rope_scaling\.factor must be a number >= 1; got "2"/,
    ],
    [
      "lists of another length",
      { rope_scaling: { type: "longrope", short_factor: [1], long_factor: [1] } },
      /short_factor must hold 8 numbers; got an array of 1/,
    ],
    [
      "no list",
      { rope_scaling: { type: "longrope", short_factor: Array(8).fill(1) } },
      /long_factor must hold 8 numbers; got undefined/,
    ],
    [
      "rope_scaling that is no object",
      { rope_scaling: "yarn" },
      /config\.rope_scaling must be an object or null; got "yarn"/,
    ],
    [
      "a width that heads do not divide",
      { num_attention_heads: 5 },
      /config\.hidden_size must be a multiple of num_attention_heads \(5\) without head_dim; got 64/,
    ],
    [
      "a base below 1",
      { rope_parameters: { rope_theta: 0.5 } },
      /config\.rope_parameters\.rope_theta must be a number >= 1; got 0.5/,
    ],
    [
      "kinds for too few layers",
      { layer_types: ["full_attention"] },
      /config\.layer_types must name the kind of each of 4 layers; got an array of 1/,
    ],
  ];
  for (const [what, more, message] of wrong) {
    test(`models.fromConfig rejects ${what}, and names the key`, () => {
      assert.throws(() => models.fromConfig(llama(more)), message);
    });
  }

  /** @type {[string, Record<string, unknown>, RegExp][]} */
  const doubtful = [
    [
      "a factor that the lengths contradict",
      { rope_scaling: { type: "yarn", factor: 4, original_max_position_embeddings: 512 } },
      /factor is 4, but .+ is 8: the factor is used/,
    ],
    [
      "a missing original length",
      { rope_scaling: { type: "yarn", factor: 4 } },
      /original_max_position_embeddings is missing: max_position_embeddings is used/,
    ],
    [
      "keys that mean nothing",
      { rope_scaling: { type: "linear", factor: 2, beta_fast: 32 } },
      /beta_fast is not a key of type linear/,
    ],
    [
      "bands that do not rise",
      {
        rope_scaling: {
          type: "llama3",
          factor: 8,
          low_freq_factor: 5,
          high_freq_factor: 4,
          original_max_position_embeddings: 1024,
        },
      },
      /low_freq_factor \(5\) is above high_freq_factor \(4\)/,
    ],
    [
      "two accounts that differ",
      { rope_scaling: { type: "linear", factor: 2 }, rope_parameters: { rope_type: "default" } },
      /rope_parameters and config\.rope_scaling differ/,
    ],
  ];
  for (const [what, more, message] of doubtful) {
    test(`models.fromConfig warns of ${what}`, () => {
      const { warnings } = models.fromConfig(llama(more));
      assert.equal(warnings.length, 1, warnings.join("\n"));
      assert.deepEqual(models.rope(llama(more))?.warnings, warnings);
      assert.match(warnings[0], message);
    });
  }
});

describe("models.fromConfig: families", () => {
  const rotates = (/** @type {Record<string, unknown>} */ config) =>
    [0, 1, 2, 3].map((layer) => models.rope(config, { layer }) !== null);

  test("an unknown family is not described, and nothing is computed for it", async () => {
    const config = llama({ model_type: "new_one", rope_theta: 1e6, type_vocab_size: 2 });
    const { positions, warnings, ignored } = models.fromConfig(config);
    assert.equal(positions.scheme, "unknown");
    assert.deepEqual(positions.reasons, [
      'config.model_type "new_one" is not a family that phasor knows.',
      "config.rope_theta is given: the model may have rotary embeddings, of an unknown layout.",
      "config.type_vocab_size is given: the model may have a table of token types.",
      "config.max_position_embeddings is given: the model may have a table of positions.",
    ]);
    assert.deepEqual([warnings, ignored], [[], []]);
    assert.throws(() => models.rope(config), /must use rotary embeddings; got scheme "unknown": /);
    const spec = /** @type {any} */ (models.fromConfig(config));
    assert.throws(
      () => phasor.inputEmbeddings({ ...spec, dim: undefined }, { words: [[1, 2]] }, [0]),
      /^RangeError: inputEmbeddings: spec\.positions must be known; got "unknown": config\.model_type "new_one"/,
    );
  });

  test("names of properties of Object.prototype are not families", () => {
    for (const type of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      const { positions } = models.fromConfig(JSON.stringify({ model_type: type, hidden_size: 8 }));
      assert.equal(positions.scheme, "unknown", type);
    }
    const text =
      '{"model_type": "llama", "__proto__": {"hidden_size": 8}, "num_attention_heads": 2}';
    assert.throws(() => models.fromConfig(text), /config\.hidden_size must be a whole number/);
  });

  test("unused keys are listed", () => {
    const { ignored } = models.fromConfig(llama({ rope_thetas: 5, torch_dtype: "bfloat16" }));
    assert.deepEqual(ignored, ["rope_thetas", "torch_dtype"]);
  });

  test("the number of layers is limited, so that a short text causes little work", () => {
    const config = llama({ model_type: "gemma3_text", num_hidden_layers: 2 ** 31 - 1 });
    assert.throws(
      () => models.fromConfig(config),
      /config\.num_hidden_layers must be a whole number from 1 to 65536; got 2147483647/,
    );
  });

  test("layers without attention or without positions do not rotate", () => {
    const cohere = llama({ model_type: "cohere2" });
    assert.deepEqual(rotates(cohere), [true, true, true, false]);
    assert.deepEqual(rotates(llama({ model_type: "exaone4", sliding_window: 8, sliding_window_pattern: 2 })), [true, false, true, false]); // prettier-ignore
    assert.deepEqual(rotates(llama({ model_type: "exaone4", sliding_window: null, sliding_window_pattern: 2 })), [true, true, true, true]); // prettier-ignore
    assert.deepEqual(rotates(llama({ model_type: "exaone4", sliding_window_pattern: 2 })), [true, false, true, false]); // prettier-ignore
    assert.deepEqual(rotates(llama({ model_type: "qwen3_next" })), [false, false, false, true]);
    assert.deepEqual(rotates(llama({ model_type: "bamba", attn_layer_indices: [2] })), [false, false, true, false]); // prettier-ignore
    assert.throws(() => rotates(llama({ model_type: "bamba", attn_layer_indices: 2 })), /TypeError: \S+: config.attn_layer_indices must be an array of indices of layers; got 2$/); // prettier-ignore
    const mixed = ["conv", "full_attention", "mamba", "linear_attention"];
    assert.deepEqual(rotates(llama({ layer_types: mixed })), [false, true, false, false]);
    assert.deepEqual(rotates(llama({ model_type: "granite_swa", layer_rope_theta: [1e4, 0, 5e5, null] })), [true, false, true, false]); // prettier-ignore
  });

  test("olmo3 scales only the frequencies of full attention", () => {
    const rope_scaling = {
      ...{ rope_type: "yarn", factor: 8, original_max_position_embeddings: 8192 },
      ...{ attention_factor: 1.2, beta_fast: 32, beta_slow: 1 },
    };
    const config = llama({ model_type: "olmo3", rope_theta: 5e5, rope_scaling });
    assert.equal(models.rope(config, { layer: 0 })?.options.scaling, undefined);
    assert.equal(models.rope(config, { layer: 3 })?.options.scaling?.type, "yarn");
  });

  test("ModernBERT's published configuration has two bases and a LayerNorm", () => {
    const config = llama({
      ...{ model_type: "modernbert", num_hidden_layers: 4, norm_eps: 1e-5 },
      ...{ global_rope_theta: 160000, local_rope_theta: 10000, global_attn_every_n_layers: 3 },
    });
    const bases = [0, 1, 2, 3].map((layer) => models.rope(config, { layer })?.options.base);
    assert.deepEqual(bases, [160000, 10000, 10000, 160000]);
    assert.equal(models.fromConfig(config).tokens.norm, 1e-5);
  });

  test("heads may be wider in some layers", () => {
    const layer_types = [
      "sliding_attention",
      "full_attention",
      "sliding_attention",
      "full_attention",
    ];
    const rope_parameters = {
      sliding_attention: { rope_type: "default", rope_theta: 1e4 },
      full_attention: { rope_type: "proportional", partial_rotary_factor: 0.25, rope_theta: 1e6 },
    };
    const config = llama({ model_type: "gemma4_text", head_dim: 16, layer_types, rope_parameters });
    const wide = {
      ...config,
      per_layer_config: { "01": { head_dim: 32 }, "03": { head_dim: 32 } },
    };
    assert.deepEqual([0, 1].map((layer) => models.rope(wide, { layer })?.dim), [16, 32]); // prettier-ignore
    assert.equal(models.rope({ ...config, global_head_dim: 64 }, { layer: 1 })?.dim, 64);
    const uneven = { ...config, per_layer_config: { 1: { head_dim: 32 } } };
    assert.throws(
      () => models.fromConfig(uneven),
      /per_layer_config must give .* one head_dim; got 32, 16/,
    );
  });

  test("additional rows for each layer are named, and others are rejected", () => {
    const rope_parameters = { full_attention: { rope_theta: 1e6 } };
    const config = llama({ model_type: "gemma4_text", rope_parameters });
    assert.deepEqual(models.fromConfig(config).tokens.perLayer, { width: 256, norm: 1e-6 });
    const none = { ...config, hidden_size_per_layer_input: 0 };
    assert.equal(models.fromConfig(none).tokens.perLayer, undefined);
    const copies = models.fromConfig(llama({ model_type: "gemma3n_text" }));
    assert.throws(
      () => phasor.inputEmbeddings(/** @type {any} */ (copies), { words: [[1]] }, [0]),
      /spec\.tokens must have known parts; got AltUp's copies of the input/,
    );
  });

  test("families whose default in transformers is a scaling must state theirs", () => {
    for (const type of ["gpt_oss", "ministral3", "gemma4_text", "lfm3"]) {
      assert.throws(
        () => models.fromConfig(llama({ model_type: type })),
        /^RangeError: \S+: config\.rope_parameters must be given; got undefined/,
      );
    }
    const flat = { rope_type: "default", rope_theta: 1e6 };
    assert.throws(
      () => models.fromConfig(llama({ model_type: "gemma3_text", rope_parameters: flat })),
      /^RangeError: \S+: config\.rope_parameters must be given by the kind of layer; got an object/,
    );
    const nested = { full_attention: flat, sliding_attention: { ...flat, rope_theta: 1e4 } };
    assert.throws(
      () => models.fromConfig(llama({ model_type: "lfm3", rope_parameters: nested })),
      /^RangeError: \S+: config\.layer_types must be given, since config\.rope_parameters differ; got none/,
    );
  });

  test("families with layers that do not rotate must list them", () => {
    const kinds =
      /^RangeError: \S+: config\.layer_types must name the kind of each layer; got none/;
    for (const type of ["flint", "kolibri1", "minimax", "olmo_hybrid", "bamba", "bailing_hybrid"]) {
      const config = llama({ model_type: type, sliding_window: 4 });
      assert.throws(() => models.fromConfig(config), kinds, type);
      const layer_types = [
        "full_attention",
        "full_attention",
        "full_attention",
        "linear_attention",
      ];
      assert.equal(models.rope({ ...config, layer_types }, { layer: 3 }), null, type);
    }
    // With no window EXAONE 4 has full attention alone, which rotates.
    const none = llama({ model_type: "exaone4", sliding_window: null });
    assert.equal(models.rope(none)?.dim, 16);
    assert.throws(
      () => models.fromConfig(llama({ model_type: "exaone4", sliding_window: 4 })),
      kinds,
    );
  });

  test("DeepSeek V4's older files list the compressing layers by number", () => {
    const config = llama({
      model_type: "deepseek_v4",
      head_dim: 32,
      qk_rope_head_dim: 8,
      rope_theta: 1e4,
      compress_rope_theta: 160000,
      compress_ratios: [0, 4, 128, 4, 0],
      rope_scaling: { type: "yarn", factor: 16, original_max_position_embeddings: 256 },
    });
    const at = (/** @type {number} */ layer) => models.rope(config, { layer })?.options;
    assert.deepEqual(at(0), { base: 1e4 });
    assert.deepEqual(at(1), {
      base: 160000,
      scaling: { type: "yarn", factor: 16, originalLength: 256, attentionFactor: 1 },
    });
    assert.deepEqual(at(2), at(1));
    assert.throws(
      () => models.fromConfig({ ...config, compress_ratios: [0, 4, 7, 4] }),
      /config\.compress_ratios must hold one of 0, 4, 128 for each of 4 layers, or layer_types its kind/,
    );
  });

  test("the entry of a kind of layer has a separate scaling", () => {
    const linear = { rope_type: "linear", rope_theta: 1e4, factor: 2 };
    const config = llama({
      model_type: "gemma3_text",
      layer_types: Array(4).fill("sliding_attention"),
      rope_parameters: { sliding_attention: linear, full_attention: { ...linear, factor: 8 } },
    });
    assert.deepEqual(models.rope(config, { layer: 0 })?.options, {
      base: 1e4,
      scaling: { type: "linear", factor: 2 },
    });
  });

  test("a nested entry that a kind of layer lacks is an error", () => {
    const rope_parameters = { full_attention: { rope_theta: 1e6 } };
    assert.throws(
      () => models.fromConfig(llama({ model_type: "gemma3_text", rope_parameters })),
      /rope_parameters must have an entry for the layers of kind sliding_attention; got full_attention/,
    );
  });

  test("the text part of a larger configuration is described", () => {
    const text = { ...llama({ rope_theta: 5e5 }), model_type: undefined, dtype: null };
    const outer = {
      model_type: "gemma3",
      dtype: "float16",
      text_config: { ...text, head_dim: 16 },
    };
    const { type, tokens } = models.fromConfig(JSON.stringify(outer));
    assert.deepEqual([type, tokens.scale, tokens.scaleDtype], ["gemma3_text", "sqrt", "float16"]);
  });

  test("models for long texts scale their queries by position", () => {
    const llama4 = models.fromConfig(llama({ model_type: "llama4_text" })).positions.queryScale;
    assert.deepEqual(llama4, { scale: 0.1, every: 8192, offset: 1, kinds: ["no_rope"] });
    const off = llama({ model_type: "llama4_text", attn_temperature_tuning: false });
    assert.equal(models.fromConfig(off).positions.queryScale, undefined);
    const rope_parameters = {
      ...{ rope_type: "yarn", rope_theta: 1e6, factor: 16, llama_4_scaling_beta: 0.1 },
      ...{ original_max_position_embeddings: 16384, max_position_embeddings: 262144 },
    };
    const ministral = llama({ model_type: "ministral3", rope_parameters, max_position_embeddings: 262144 }); // prettier-ignore
    const { positions, warnings } = models.fromConfig(ministral);
    assert.deepEqual(positions.queryScale, { scale: 0.1, every: 16384, offset: 0 });
    assert.deepEqual(warnings, []);
  });

  test("DeBERTa adds positions unless its configuration disables them, and has a relative bias", () => {
    const sizes = { max_position_embeddings: 512, relative_attention: true };
    const deberta = llama({ model_type: "deberta-v2", ...sizes });
    const { scheme, relative } = models.fromConfig(deberta).positions;
    assert.deepEqual([scheme, relative], ["learnedPositions", "deberta"]);
    const without = models.fromConfig({ ...deberta, position_biased_input: false }).positions;
    assert.equal(without.scheme, "other");
    assert.match(String(without.reasons), /relative positions of deberta/);
  });

  test("heads have the width of the family's class where a file does not say it", () => {
    const widths = { llama: 16, qwen3: 128, qwen3_moe: 16, gemma: 256, glm4: 128, nemotron: 16 };
    for (const [model_type, width] of Object.entries(widths)) {
      const { headDim } = models.fromConfig(llama({ model_type }));
      assert.equal(headDim, width, model_type);
      assert.equal(models.fromConfig(llama({ model_type, head_dim: 32 })).headDim, 32, model_type);
    }
  });

  test("a part of a larger configuration defaults to transformers' sizes", () => {
    const gemma = {
      model_type: "gemma3",
      text_config: {
        ...{ model_type: "gemma3_text", hidden_size: 2560, num_hidden_layers: 34 },
        rope_scaling: { factor: 8, rope_type: "linear" },
      },
    };
    const { heads, keyValueHeads, headDim, vocabulary } = models.fromConfig(gemma);
    assert.deepEqual([heads, keyValueHeads, headDim, vocabulary], [8, 4, 256, 262208]);
    assert.deepEqual(models.rope(gemma, { layer: 5 })?.options, {
      base: 1e6,
      scaling: { type: "linear", factor: 8 },
    });
    assert.deepEqual(models.rope(gemma, { layer: 4 })?.options, { base: 1e4 });
    const llava = { model_type: "llava", text_config: { model_type: "llama", vocab_size: 32064 } };
    const { dim, layers } = models.fromConfig(llava);
    const holes = llama({ layer_types: new Array(4) });
    assert.throws(() => models.fromConfig(holes), /layer_types must name the kind of each of 4/);
    for (const other of ["foo", "", "full", "Full_Attention", "toString"]) {
      const wrong = { ...holes, layer_types: ["full_attention", other, other, other] };
      const rule = `config.layer_types must hold kinds that are known; got ${JSON.stringify(other)}`;
      assert.throws(() => models.fromConfig(wrong), new RegExp(rule));
    }
    assert.deepEqual([dim, layers], [4096, 32]);
    assert.throws(() => models.fromConfig({ model_type: "llama" }), /config\.hidden_size/);
    // SigLIP 2 as it is published: its parts state the vocabulary alone.
    const siglip = {
      model_type: "siglip",
      text_config: { model_type: "siglip_text_model", vocab_size: 256000 },
      vision_config: { model_type: "siglip_vision_model" },
    };
    const text = models.fromConfig(siglip);
    assert.deepEqual([text.dim, text.vocabulary, text.positions.rows], [768, 256000, 64]);
    const { positions } = models.fromConfig(siglip, { tower: "vision" });
    assert.deepEqual([positions.scheme, positions.rows], ["learnedPositions", 196]);
  });

  test("in an encoder-decoder, the encoder reads the text", () => {
    const part = { ...llama({ model_type: "t5_gemma_module", head_dim: 32 }) };
    const config = { model_type: "t5gemma", vocab_size: 9, encoder: part, decoder: { ...part } };
    const { type, headDim, tokens } = models.fromConfig(config);
    assert.deepEqual([type, headDim, tokens.scale], ["t5_gemma_module", 32, "sqrt"]);
    const text_config = { ...part, model_type: "t5gemma2_text", sliding_window_pattern: 2 };
    const second = {
      model_type: "t5gemma2",
      encoder: { model_type: "t5gemma2_encoder", text_config },
    };
    assert.equal(models.rope(second, { layer: 0 })?.options.base, 1e4);
    assert.equal(models.rope(second, { layer: 1 })?.options.base, 1e6);
    // A key of this name is no part in other families.
    assert.equal(models.fromConfig(llama({ encoder: part })).type, "llama");
  });

  test("Zamba 2 rotates only in its shared blocks, if at all, with heads of twice the width", () => {
    const layers_block_type = ["mamba", "hybrid", "linear_attention", "hybrid"];
    const zamba = { ...llama({ model_type: "zamba2", attention_head_dim: 7 }), layers_block_type };
    assert.equal(models.fromConfig(zamba).headDim, 2 * models.fromConfig(llama()).headDim);
    assert.deepEqual(rotates(zamba), [false, false, false, false]);
    assert.deepEqual(rotates({ ...zamba, use_mem_rope: true }), [false, true, false, true]);
    assert.throws(
      () => models.fromConfig({ ...zamba, layers_block_type: undefined }),
      /^RangeError: \S+: config.layer_types must name the kind of each layer; got none/,
    );
  });

  test("families with hashed n-grams are rejected with a message that names what is missing", () => {
    for (const [model_type, why] of [
      ["blt", /hashed embeddings of n-grams of bytes/],
      ["canine", /hashed embeddings of characters/],
    ]) {
      const { scheme, reasons } = models.fromConfig(llama({ model_type })).positions;
      assert.equal(scheme, "other");
      assert.match(String(reasons), /** @type {RegExp} */ (why));
    }
    const { tokens } = models.fromConfig(
      llama({ model_type: "qwen4_exp_text", layer_types: Array(4).fill("full_attention") }),
    );
    assert.equal(tokens.unknown, "hashed n-gram embeddings");
  });

  test("atlas lists the models of a family, and those whose configuration was not read", () => {
    const entries = atlas();
    const named = entries.flatMap(({ models = [] }) => models);
    assert.deepEqual(named.sort(), [...models.names].sort());
    const unread = entries.filter(({ unread }) => unread);
    assert.deepEqual(
      unread.map(({ family, unread }) => [family, unread]),
      [["cohere2", ["CohereLabs/c4ai-command-a-03-2025"]]],
    );
  });

  test("only Falcon reads alibi, whose bias is none of the module's", () => {
    const { scheme, reasons } = models.fromConfig(llama({ model_type: "falcon", alibi: true })).positions; // prettier-ignore
    assert.deepEqual([scheme, reasons], ["other", ["The model has ALiBi, whose bias is divided by the square root of a head's width."]]); // prettier-ignore
    const { positions, ignored } = models.fromConfig(llama({ alibi: true }));
    assert.deepEqual([positions.scheme, ignored], ["rope", ["alibi"]]);
  });

  test("factorized tables have a projection", () => {
    const config = llama({
      model_type: "electra",
      embedding_size: 16,
      max_position_embeddings: 32,
    });
    const { width, projection } = models.fromConfig(config).tokens;
    assert.deepEqual([width, projection], [16, "norm"]);
    // Where a file states no width, it is that of the family's class.
    for (const [model_type, width] of /** @type {const} */ ([["electra", 128], ["albert", 128], ["convbert", 768], ["rembert", 256]])) {
      assert.equal(models.fromConfig(llama({ model_type })).tokens.width, width, model_type);
    } // prettier-ignore
    const opt = llama({ model_type: "opt", word_embed_proj_dim: 16 });
    assert.equal(models.fromConfig(opt).tokens.projection, "words");
  });
});

describe("models.rope", () => {
  test("models.rope returns options of rope, for every model with rotations and every kind of layer", () => {
    for (const name of models.names) {
      const { positions, layers } = models.get(name);
      if (positions.scheme !== "rope") continue;
      for (let layer = 0; layer < layers; ++layer) {
        const rotary = models.rope(name, { layer });
        if (rotary === null) continue;
        const { dim, layout, options } = rotary;
        const table = phasor.rope.table(2, dim, /** @type {any} */ (options));
        const x = { data: new Float32Array(2 * dim), shape: [2, dim] };
        assert.deepEqual(phasor.rope.apply(x, table, { layout, dim }).shape, [2, dim], name);
      }
    }
  });

  // the golden case of a model, where it has one; its frequencies are exact
  for (const [name, id] of Object.entries({
    "llama-2-7b": "rope.default.llama2",
    "codellama-7b": "rope.default.codellama",
    "gpt-neox-20b": "rope.partial.neox",
    "qwen2.5-7b-yarn": "rope.yarn.qwen2_5",
    "deepseek-v3": "rope.yarn.deepseek_v3",
    "gpt-oss-20b": "rope.yarn.no_truncate",
    "llama-3.1-8b": "rope.llama3.llama3_1_8b",
  })) {
    test(`models.rope("${name}") gives the frequencies of transformers`, () => {
      const golden = caseOf(id);
      const rotary = models.rope(name);
      assert.ok(rotary);
      const got = phasor.rope.frequencies(rotary.dim, /** @type {any} */ (rotary.options));
      assert.deepEqual(got.frequencies.data, golden.outputs.inv_freq_exact.data);
      const [factor] = golden.outputs.attention_factor_exact.data;
      assert.ok(Math.abs(got.attentionFactor / Number(factor) - 1) < 1e-15); // the last bit of a double
    });
  }

  test("models.rope rejects a model without rotations", () => {
    assert.throws(
      () => models.rope("gpt2"),
      /model must use rotary embeddings; got scheme "learnedPositions"/,
    );
  });
});

describe("models.cost", () => {
  test("models.cost counts the parameters of textbook tables", () => {
    const parameters = (/** @type {any[]} */ ...args) => models.cost(args[0], args[1]).parameters;
    assert.equal(parameters("embedding", { vocabulary: 10, dim: 4 }), 40);
    assert.equal(parameters("embedding", { vocabulary: 50000, dim: 768 }), 38400000);
    assert.equal(parameters("embedding", { vocabulary: 50257, dim: 768 }), 38597376);
    assert.equal(parameters("embedding", { vocabulary: 32000, dim: 4096 }), 131072000);
    assert.equal(parameters("learnedPositions", { length: 1024, dim: 768 }), 786432);
    assert.equal(parameters("t5Bias", { buckets: 32, heads: 12 }), 384);
    assert.equal(parameters("windowBias", { window: [7, 7], heads: 3 }), 507);
    // BERT-base: words, positions, segments and the LayerNorm's 2 x 768
    const bert = { vocabulary: 30522, dim: 768, length: 512, segments: 2 };
    const sum = ["embedding", "learnedPositions", "tokenTypeIds"].reduce(
      (all, scheme) => all + parameters(scheme, bert),
      0,
    );
    assert.equal(sum + 2 * 768, 23837184);
    const large = { vocabulary: 128000, dim: 8192, segments: 2 };
    assert.equal(parameters("embedding", large) + parameters("tokenTypeIds", large), 1048592384);
    for (const scheme of ["sinusoidal", "rope", "alibi"])
      assert.equal(parameters(scheme), 0, scheme);
  });

  test("models.cost of a lookup has no arithmetic, and its one-hot product 2 V D", () => {
    assert.equal(models.cost("embedding").flops, 0);
    assert.equal(models.cost("one-hot", { vocabulary: 1000, dim: 10 }).flops, 20000);
  });

  test("models.cost of RoPE is six operations per pair and head, with a table of T R", () => {
    const shape = { length: 100, heads: 32, keyValueHeads: 8, headDim: 128, rotaryDim: 64 };
    assert.deepEqual(models.cost("rope", shape), {
      parameters: 0,
      table: 6400,
      flops: 6 * 32 * 40,
    });
  });
});
