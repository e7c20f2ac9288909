import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery } from "../../battery.js";
import { phasor } from "../../../phasor.js";
import { llama } from "../small.js";
import { models } from "phasor/models";
import { fromGguf } from "phasor/open";

/** What a GGUF file of the same says. @param {Record<string, unknown>} [more] */
const gguf = (more = {}) =>
  new Map(
    Object.entries({
      "general.architecture": "llama",
      "llama.vocab_size": 100,
      "llama.embedding_length": 64,
      "llama.block_count": 4,
      "llama.attention.head_count": 4,
      "llama.context_length": 4096,
      ...more,
    }),
  );

/**
 * What fromGguf says of a small model of an architecture.
 * @param {string} name @param {Record<string, unknown>} [keys]
 * @param {Record<string, Float32Array>} [tensors]
 */
function of(name, keys = {}, tensors = {}) {
  const sizes = { embedding_length: 64, block_count: 2, "attention.head_count": 4 };
  const entries = Object.entries({ ...sizes, context_length: 128, ...keys });
  const named = entries.map(([key, value]) => [`${name}.${key}`, value]);
  const metadata = new Map([["general.architecture", name], .../** @type {any} */ (named)]);
  return fromGguf(metadata, { tensors });
}

/** The rotation of a kind of layers. @param {ReturnType<typeof of>} model @param {string} [kind] */
const turning = ({ positions }, kind = "full_attention") => {
  const { dim, options } = /** @type {any} */ (positions.rotary)[kind];
  return [dim, options.base, options.scaling?.type];
};

/** The first letters of the kinds of layers. @param {ReturnType<typeof of>} model */
const letters = ({ positions }) => positions.layerKinds?.map((kind) => kind[0]).join("");

battery("fromGguf", {
  call: ({ metadata }) => fromGguf(metadata),
  good: { metadata: gguf() },
  args: { metadata: ["metadata", "metadata", "config.hidden_size"] },
});

describe("fromGguf", () => {
  test("fromGguf reads lists of every type that GGUF has, and equal numbers as one", () => {
    const kinds = [Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array]; // prettier-ignore
    /** @type {[name: string, lists: Record<string, number[]>][]} */
    const models = [
      ["llama", { embedding_length: [64], "attention.head_count": [4, 4], "attention.head_count_kv": [2, 2], "attention.key_length": [8, 8], context_length: [64, 64] }], // prettier-ignore
      ["llama", { "attention.head_count": [0, 4], "attention.head_count_kv": [0, 2], vocab_size: [100], "rope.dimension_count": [8, 8], "rope.freq_base": [100, 100] }], // prettier-ignore
      ["qwen2vl", { "rope.dimension_sections": [2, 3, 3, 0] }],
      [
        "gemma3",
        { "attention.sliding_window_pattern": [1, 0], "attention.sliding_window": [8, 8] },
      ],
      ["lfm2", { "attention.head_count_kv": [0, 4] }],
      ["qwen3next", { "attention.recurrent_layers": [1, 0] }],
      ["hrm_text", { "attention.rope_pattern": [1, 0] }],
    ];
    for (const [name, lists] of models) {
      const known = of(name, lists);
      for (const Kind of kinds) {
        const typed = Object.entries(lists).map(([key, list]) => {
          const items = /Big/.test(Kind.name) ? list.map(BigInt) : list;
          return [key, /** @type {any} */ (Kind).from(items)];
        });
        assert.deepEqual(of(name, Object.fromEntries(typed)), known, `${name} ${Kind.name}`);
      }
    }
    const flags = {
      "attention.sliding_window": 8,
      "attention.sliding_window_pattern": [true, false],
    };
    assert.equal(letters(of("gemma3", flags)), "sf");
  });

  test("fromGguf agrees with config.json, except for the row order of llama.cpp", () => {
    const { positions, ...rest } = fromGguf(gguf());
    const { positions: own, ...expected } = models.fromConfig(llama());
    assert.deepEqual(rest, expected);
    const turned = own.rotary?.full_attention;
    assert.equal(turned?.layout, "halves");
    assert.deepEqual(positions.rotary?.full_attention, {
      ...turned,
      layout: "interleaved",
    });
  });

  test("fromGguf reads widths, bases, shared heads and scalings", () => {
    const more = {
      "llama.attention.head_count_kv": Int32Array.of(2, 2, 2, 2),
      "llama.attention.key_length": 32,
      "llama.rope.freq_base": 5e5,
      "llama.rope.dimension_count": 16,
      "llama.rope.scaling.type": "yarn",
      "llama.rope.scaling.factor": 4,
      "llama.rope.scaling.original_context_length": 1024,
    };
    const { keyValueHeads, headDim, positions } = fromGguf(gguf(more));
    assert.deepEqual([keyValueHeads, headDim], [2, 32]);
    assert.deepEqual(positions.rotary?.full_attention?.dim, 16);
    const { base, scaling } = positions.rotary.full_attention.options;
    assert.equal(base, 5e5);
    assert.deepEqual(scaling, { type: "yarn", factor: 4, originalLength: 1024 });
  });

  test("fromGguf treats an unknown type of scaling as none", () => {
    for (const type of ["constructor", "__proto__", "none", 7]) {
      const more = { "llama.rope.scaling.type": type, "llama.rope.scaling.factor": 4 };
      assert.deepEqual(fromGguf(gguf(more)), fromGguf(gguf()), String(typeof type));
    }
  });

  test("fromGguf recognizes other families by their names in llama.cpp", () => {
    const layout = (/** @type {string} */ name) =>
      of(name).positions.rotary?.full_attention?.layout;
    for (const name of ["qwen2", "qwen3", "gemma", "phi3", "stablelm"]) {
      assert.equal(layout(name), "halves", name);
    }
    assert.equal(layout("command-r"), "interleaved");
    assert.equal(of("gpt2").positions.scheme, "learnedPositions");
    assert.deepEqual(of("bert", { "attention.layer_norm_epsilon": 1e-12 }).tokens.norm, 1e-12);
    assert.equal(of("bloom").positions.scheme, "alibi");
    assert.equal(of("mpt", { "attention.max_alibi_bias": 8 }).positions.scheme, "alibi");
    assert.equal(of("unheard").positions.scheme, "unknown");
    for (const name of [
      "olmo",
      "smollm3",
      "internlm2",
      "deepseek2",
      "ernie4_5",
      "granite",
      "cohere2",
    ]) {
      const keys = { "rope.dimension_count": 8, "attention.key_length": 16 };
      const rotary = of(name, keys).positions.rotary ?? {};
      const layouts = Object.values(rotary).flatMap((one) => (one ? [one.layout] : []));
      assert.deepEqual([...new Set(layouts)], ["interleaved"], name);
    }
  });

  test("fromGguf reads the sliding layers, from a flag for each or from a period", () => {
    const kinds = (/** @type {unknown} */ pattern) =>
      letters(of("gemma3", { block_count: 3, "attention.sliding_window_pattern": pattern }));
    assert.equal(kinds([false, true, true]), "fss");
    assert.equal(kinds(2), "sfs");
  });

  test("fromGguf gives sliding layers a separate base, width and no scaling, as llama.cpp does", () => {
    const slides = {
      "attention.sliding_window": 32,
      "attention.sliding_window_pattern": [true, false],
    };
    const bases = { "rope.freq_base": 5e5, "rope.freq_base_swa": 2e4 };
    const yarn = { "rope.scaling.type": "yarn", "rope.scaling.factor": 4 };
    const olmo = of("olmo2", { ...slides, "rope.freq_base": 5e5, ...yarn });
    assert.deepEqual(turning(olmo), [16, 5e5, "yarn"]);
    assert.deepEqual(turning(olmo, "sliding_attention"), [16, 5e5, undefined]);
    const widths = { "attention.key_length": 32, "rope.dimension_count": 32 };
    const narrow = { "attention.key_length_swa": 16, "rope.dimension_count_swa": 16 };
    const factors = Float32Array.from({ length: 16 }, (_, i) => (i < 4 ? 1 : 1e30));
    const gemma = of(
      "gemma4",
      { ...slides, ...bases, ...widths, ...narrow },
      { "rope_freqs.weight": factors },
    );
    assert.deepEqual(turning(gemma), [32, 5e5, "proportional"]);
    const options = /** @type {any} */ (gemma.positions.rotary?.full_attention?.options);
    assert.equal(options.scaling.partialRotaryFactor, 0.25);
    assert.deepEqual(turning(gemma, "sliding_attention"), [16, 2e4, undefined]);
    const step = of("step35", { ...slides, ...bases, "rope.dimension_count": 16 });
    assert.deepEqual(turning(step), [8, 5e5, undefined]);
    assert.deepEqual(turning(step, "sliding_attention"), [16, 2e4, undefined]);
    const mimo = of("mimo2", { ...slides, "rope.freq_base": 5e5 });
    assert.deepEqual(turning(mimo, "sliding_attention"), [16, 1e4, undefined]);
    const oss = of("gpt-oss", { ...slides, ...bases });
    assert.deepEqual(turning(oss, "sliding_attention"), [16, 2e4, undefined]);
  });

  test("fromGguf uses llama.cpp's period for a file without a pattern, and none without a window", () => {
    const window = { block_count: 8, "attention.sliding_window": 32 };
    assert.equal(letters(of("laguna", window)), "fsssfsss");
    assert.equal(letters(of("afmoe", window)), "sssfsssf");
    assert.equal(letters(of("gemma3", { ...window, "attention.sliding_window": 0 })), "ffffffff");
    assert.equal(letters(of("olmo2", { block_count: 2 })), "ff");
  });

  test("fromGguf reads the layers without attention, and skips those that predict more tokens", () => {
    const heads = { block_count: 3, "attention.head_count_kv": [0, 2, 0] };
    const lfm = of("lfm2", heads);
    assert.deepEqual([letters(lfm), lfm.keyValueHeads], ["cfc", 2]);
    assert.deepEqual([letters(of("granitehybrid", heads))], ["cfc"]);
    const unscaled = of("granitehybrid", { ...heads, "rope.scaling.finetuned": false });
    assert.deepEqual(unscaled.positions.rotary, { conv: null, full_attention: null });
    const next = of("qwen3next", { block_count: 4, full_attention_interval: 2 });
    assert.equal(letters(next), "lflf");
    const listed = { block_count: 2, "attention.recurrent_layers": [false, true] };
    assert.equal(letters(of("qwen3next", listed)), "fl");
    assert.equal(of("glm4moe", { block_count: 3, nextn_predict_layers: 1 }).layers, 2);
  });

  test("fromGguf defaults to a whole head and the base 10000", () => {
    for (const name of ["gptneox", "stablelm", "phi2", "glm4", "lfm2", "hy_v3", "llama4"]) {
      assert.deepEqual(turning(of(name)), [16, 1e4, undefined], name);
    }
    assert.deepEqual(turning(of("gptneox", { "rope.dimension_count": 8 })), [8, 1e4, undefined]);
  });

  test("fromGguf reads scalings without a type, YaRN's factor and the factor of queries", () => {
    assert.deepEqual(turning(of("llama", { "rope.scaling.factor": 4 })), [16, 1e4, "linear"]);
    assert.deepEqual(turning(of("llama", { "rope.scale_linear": 4 })), [16, 1e4, "linear"]);
    const original = { "rope.scaling.original_context_length": 32 };
    const yarn = { "rope.scaling.type": "yarn", "rope.scaling.factor": 4, ...original };
    const options = (/** @type {string} */ name, /** @type {Record<string, unknown>} */ keys) =>
      /** @type {any} */ (of(name, { ...yarn, ...keys }).positions.rotary?.full_attention?.options);
    const withFactor = options("qwen3", { "rope.scaling.yarn_attn_factor": 1.5 });
    assert.equal(withFactor.scaling.attentionFactor, 1.5);
    assert.equal(options("gpt-oss", {}).scaling.truncate, false);
    const times = { "rope.scaling.attn_factor": 1.5 };
    assert.throws(
      () => options("qwen3", times),
      /rope.scaling.attn_factor must be 1 for YaRN; got 1.5/,
    );
    const scaled = of("mistral3", { ...yarn, "attention.temperature_scale": 0.1 });
    assert.deepEqual(scaled.positions.queryScale, { scale: 0.1, every: 32, offset: 0 });
  });

  test("fromGguf reads llama.cpp's factor of embeddings, and the heads of latent attention", () => {
    assert.equal(of("minicpm3", { "rope.dimension_count": 8 }).tokens.scale, 12);
    assert.equal(of("afmoe", { "attention.sliding_window": 0 }).tokens.scale, "sqrt");
    const latent = { "attention.head_count_kv": 1, "attention.key_length_mla": 24 };
    assert.equal(of("deepseek2", { ...latent, "rope.dimension_count": 8 }).keyValueHeads, 4);
  });

  test("an architecture that is not in llama.cpp is unknown, even if a family has its name", () => {
    for (const name of ["qwen2_moe", "gptj", "roberta"]) {
      assert.equal(of(name).positions.scheme, "unknown", name);
    }
    assert.equal(of("deepseek2-ocr").positions.scheme, "rope");
  });

  test("fromGguf reads the frequencies of a model whose scaling is stored in a tensor", () => {
    const scaling = {
      ...{ rope_type: "llama3", factor: 8, low_freq_factor: 1, high_freq_factor: 4 },
      original_max_position_embeddings: 256,
    };
    const twin = models.rope(llama({ rope_theta: 5e5, rope_scaling: scaling }));
    const options = /** @type {any} */ (twin?.options);
    const scaled = phasor.rope.frequencies(16, options).frequencies.data;
    const plain = phasor.rope.frequencies(16, { base: 5e5 }).frequencies.data;
    const factors = Float32Array.from(plain, (theta, i) => theta / scaled[i]);
    const { positions } = fromGguf(gguf({ "llama.rope.freq_base": 5e5 }), {
      tensors: { "rope_freqs.weight": factors },
    });
    const read = /** @type {any} */ (positions.rotary?.full_attention?.options);
    const got = phasor.rope.frequencies(16, { ...read, length: 9 }).frequencies.data;
    got.forEach((theta, i) => assert.ok(Math.abs(theta / scaled[i] - 1) < 2e-7, `pair ${i}`));
    assert.notEqual(got[7], plain[7]);
    const longrope = { "llama.rope.scaling.type": "longrope", "llama.rope.scaling.factor": 4 };
    assert.throws(() => fromGguf(gguf(longrope)), /tensors must hold rope_factors_short/);
  });
});
