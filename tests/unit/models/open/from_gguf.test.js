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

  test("fromGguf refuses an unknown type of scaling, as llama.cpp does", () => {
    for (const type of ["constructor", "__proto__", "dynamic", 7]) {
      const more = { "llama.rope.scaling.type": type, "llama.rope.scaling.factor": 4 };
      assert.throws(() => fromGguf(gguf(more)), /rope\.scaling\.type must be none, linear, yarn or longrope; got /); // prettier-ignore
    }
    const none = { "llama.rope.scaling.type": "none", "llama.rope.scaling.factor": 4 };
    assert.deepEqual(fromGguf(gguf(none)), fromGguf(gguf()));
    for (const type of ["linear", "yarn", undefined]) {
      const more = { "llama.rope.scaling.type": type, "llama.rope.scaling.factor": 0 };
      assert.deepEqual(fromGguf(gguf(more)), fromGguf(gguf()), `a factor of 0, ${type}`);
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
    assert.equal(letters(of("laguna", { ...window, block_count: 65_536 }))?.length, 65_536);
    for (const [name, kinds] of Object.entries({
      "exaone-moe": "sssfsssf",
      gemma3: "sssssfss",
      gemma3n: "ssssfsss",
      "gemma-embedding": "sssssfss",
      mellum: "sssfsssf",
      "modern-bert": "fssfssfs",
      olmo2: "sssfsssf",
    })) {
      const keys = { ...window, "attention.layer_norm_epsilon": 1e-5 };
      assert.equal(letters(of(name, keys)), kinds, name);
    }
    for (const name of ["gemma4", "mimo2", "step35"])
      // llama.cpp opens none without a pattern
      assert.throws(() => of(name, window), /layer_types must be given/, name);
    const other = { "rope.freq_base": 5e5, "rope.freq_base_swa": 2e4 };
    assert.deepEqual(turning(of("llama", other)), [16, 5e5, undefined]);
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
    const log = { "rope.scaling.yarn_log_multiplier": 0.5 };
    const { mscale, mscaleAllDim } = options("mistral3", log).scaling;
    assert.deepEqual([mscale, mscaleAllDim], [1, 0.5]);
    const latent = {
      "attention.key_length_mla": 24,
      "rope.dimension_count": 8,
      "attention.head_count_kv": 1,
    };
    const deepseek = options("deepseek2", { ...log, ...latent }).scaling;
    assert.deepEqual([deepseek.mscale, deepseek.mscaleAllDim], [5, 5]);
  });

  test("fromGguf knows Llama 4's chunks, and that a window of 0 says that there are none", () => {
    const chunked = of("llama4");
    assert.equal(chunked.cache?.[0].window, 8192);
    const mobile = of("llama4", { "attention.sliding_window": 0 });
    const rotated = Object.values(mobile.positions.rotary ?? {});
    assert.deepEqual([rotated.length, mobile.positions.queryScale], [1, undefined]);
    assert.equal(mobile.cache?.[0].window, undefined);
  });

  test("fromGguf reads llama.cpp's factor of embeddings, and the heads of latent attention", () => {
    assert.equal(of("minicpm3", { "rope.dimension_count": 8 }).tokens.scale, 12);
    assert.equal(of("afmoe", { "attention.sliding_window": 0 }).tokens.scale, "sqrt");
    const latent = { "attention.head_count_kv": 1, "attention.key_length_mla": 24 };
    assert.equal(of("deepseek2", { ...latent, "rope.dimension_count": 8 }).keyValueHeads, 4);
  });

  test("layers of GLM that share an indexer keep no keys of it, by a list or by llama.cpp's table", () => {
    const glm = { block_count: 5, "attention.kv_lora_rank": 16, "attention.key_length_mla": 24, "rope.dimension_count": 8, "attention.indexer.key_length": 4 }; // prettier-ignore
    const numbersOf = (/** @type {object} */ more) =>
      of("glm-dsa", { ...glm, ...more }).cache?.map((one) => [one.numbers, one.layers]);
    const types = [1, 0, 0, 0, 1];
    assert.deepEqual(numbersOf({ "attention.indexer.types": types }), [[28, 2], [24, 3]]); // prettier-ignore
    assert.deepEqual(numbersOf({ "attention.indexer.types": types.map(Boolean) }), [[28, 2], [24, 3]]); // prettier-ignore
    assert.deepEqual(numbersOf({ context_length: 2 ** 20 }), [[28, 3], [24, 2]]); // prettier-ignore
    assert.deepEqual(numbersOf({}), [[28, 5]]);
  });

  test("an architecture that is not in llama.cpp is unknown, even if a family has its name", () => {
    for (const name of ["qwen2_moe", "roberta"]) {
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
    const longrope = { "llama.rope.scaling.type": "longrope" };
    for (const some of [[], ["short"], ["long"]]) {
      const tensors = Object.fromEntries(
        some.map((one) => [`rope_factors_${one}.weight`, factors]),
      );
      for (const more of [{}, { "llama.rope.scaling.factor": 4 }]) {
        const read = () => fromGguf(gguf({ ...longrope, ...more }), { tensors });
        assert.throws(read, /tensors must hold rope_factors_short/, some[0]);
      }
    }
  });
});

/** A llama of these widths; a head has 16 columns. */
const YARN = { "rope.scaling.type": "yarn", "rope.scaling.factor": 4, "rope.scaling.original_context_length": 32 }; // prettier-ignore
const WINDOW = { block_count: 8, "attention.sliding_window": 32 };
const PATTERN = { "attention.sliding_window_pattern": [1, 0, 1, 1, 0, 1, 1, 1] };
const BASES = { "rope.freq_base": 5e5, "rope.freq_base_swa": 2e4 };

describe("architectures of llama.cpp at 0c1e57098, read in its source", () => {
  test("rotate whole heads or a part, as neighbors or halves, by the base and the factor of the file", () => {
    const names = {
      halves: "bailingmoe2 nomic-bert-moe openelm plamo2 minimax-m3 hunyuan_vl grok plamo",
      interleaved: "minicpm neo-bert nanbeige pockettts",
    };
    const whole = ["hunyuan_vl", "grok", "plamo", "minicpm", "pockettts"];
    for (const [layout, list] of Object.entries(names)) {
      for (const name of list.split(" ")) {
        const plain = of(name);
        assert.deepEqual(turning(plain), [16, 1e4, undefined], name);
        assert.equal(plain.positions.rotary?.full_attention?.layout, layout, name);
        const keys = { "rope.freq_base": 6e5, "attention.key_length": 32 };
        assert.deepEqual(turning(of(name, keys)), [32, 6e5, undefined], name);
        const linear = { "rope.scaling.type": "linear", "rope.scaling.factor": 4 };
        assert.deepEqual(turning(of(name, linear)), [16, 1e4, "linear"], name);
        const { options } = /** @type {any} */ (of(name, YARN).positions.rotary).full_attention;
        const first = name === "grok" ? { betaFast: 8 } : {};
        assert.deepEqual(
          options.scaling,
          { type: "yarn", factor: 4, originalLength: 32, ...first },
          name,
        );
        const part = () => turning(of(name, { "rope.dimension_count": 8 }));
        if (whole.includes(name)) assert.throws(part, /rope.dimension_count must be 16/, name);
        else assert.deepEqual(part(), [8, 1e4, undefined], name);
        for (const key of ["yarn_beta_fast", "yarn_beta_slow", "yarn_attn_factor", "attn_factor"]) {
          if (name === "grok" && key !== "attn_factor") continue;
          const more = { ...YARN, [`rope.scaling.${key}`]: 1.5 };
          assert.throws(() => of(name, more), new RegExp(`scaling.${key} must be`), name);
        }
      }
    }
  });

  test("have a factor of embeddings: MiniCPM's and Grok's, by default and from the file", () => {
    assert.equal(of("minicpm").tokens.scale, 12);
    assert.equal(of("grok").tokens.scale, 78.38367176906169);
    for (const name of ["minicpm", "grok"])
      assert.equal(of(name, { embedding_scale: 3 }).tokens.scale, 3, name);
    assert.equal(of("plamo", { embedding_scale: 3 }).tokens.scale, 1); // its code reads none
  });

  test("Grok has YaRN with its own bounds, and a scale of queries that llama.cpp does not compute", () => {
    const of2 = (/** @type {Record<string, unknown>} */ keys) => of("grok", { ...YARN, ...keys });
    const read = { "rope.scaling.yarn_beta_fast": 6, "rope.scaling.yarn_beta_slow": 2, "rope.scaling.yarn_attn_factor": 1, "rope.scaling.yarn_ext_factor": 1 }; // prettier-ignore
    const { options } = /** @type {any} */ (of2(read).positions.rotary).full_attention;
    const bounds = { betaFast: 6, betaSlow: 2 };
    assert.deepEqual(options.scaling, { type: "yarn", factor: 4, originalLength: 32, ...bounds });
    for (const key of ["yarn_ext_factor", "yarn_attn_factor", "attn_factor"])
      assert.throws(() => of2({ [`rope.scaling.${key}`]: 0.5 }), /must be 1/);
    const linear = { "rope.scaling.factor": 4, "rope.scaling.yarn_ext_factor": 1 };
    assert.throws(() => of("grok", linear), /yarn_ext_factor must be 0, which/);
    assert.match(of2({ "attention.temperature_length": 1024 }).warnings[0], /temperature_length/);
    assert.deepEqual(of2({}).suspect, []);
  });

  test("MiniCPM's LongRoPE does not scale the scores unless the file says so", () => {
    const factors = Float32Array.from({ length: 8 }, () => 2);
    const tensors = { "rope_factors_short.weight": factors, "rope_factors_long.weight": factors };
    const keys = { "rope.scaling.type": "longrope", "rope.scaling.original_context_length": 32 };
    const scaling = (/** @type {Record<string, unknown>} */ more) =>
      /** @type {any} */ (of("minicpm", { ...keys, ...more }, tensors)).positions.rotary
        .full_attention.options.scaling;
    assert.equal(scaling({}).attentionFactor, 1);
    assert.equal(scaling({ "rope.scaling.attn_factor": 1.25 }).attentionFactor, 1.25);
    assert.deepEqual([...scaling({}).longFactor], [...factors]);
  });

  test("CogVLM rotates by the base 10000 alone, and another in the file is refused", () => {
    assert.deepEqual(turning(of("cogvlm", { "rope.freq_base": 1e4 })), [16, 1e4, undefined]);
    assert.throws(() => of("cogvlm", { "rope.freq_base": 5e5 }), /freq_base must be 10000, which/);
    for (const keys of [{ "rope.scaling.factor": 2 }, YARN])
      assert.throws(() => of("cogvlm", keys), /cogvlm.rope.scaling.factor must be 1, which/);
    assert.throws(() => of("cogvlm", { "rope.dimension_count": 8 }), /must be 16/);
  });

  test("Hunyuan's alpha enlarges the base, and four axes are not described", () => {
    const alpha = { "rope.scaling.alpha": 1000, "attention.key_length": 128 };
    for (const name of ["hunyuan_vl", "hunyuan-dense"]) {
      const [dim, base] = turning(of(name, alpha));
      assert.equal(dim, 128, name);
      assert.ok(Math.abs(base / 11158839.9251 - 1) < 1e-9, `${name} ${base}`);
      assert.deepEqual(turning(of(name, { "rope.scaling.alpha": 0 })), [16, 1e4, undefined]);
    }
    const { positions } = of("hunyuan_vl", {
      ...alpha,
      "rope.dimension_sections": [16, 16, 16, 16],
    });
    assert.equal(positions.scheme, "unknown");
    assert.match(positions.reasons?.[0] ?? "", /four axes/);
  });

  test("SmallThinker does not rotate every fourth layer from the first, if it has a window", () => {
    assert.equal(letters(of("smallthinker", { block_count: 8 })), "ffffffff");
    assert.equal(letters(of("smallthinker", { ...PATTERN, block_count: 8 })), "ffffffff");
    const model = of("smallthinker", { ...WINDOW, ...BASES });
    assert.equal(letters(model), "nsssnsss");
    assert.deepEqual(turning(model, "sliding_attention"), [16, 2e4, undefined]);
    assert.equal(model.positions.rotary?.no_rope, null);
    // The mask is the file's, what rotates is not: layers 1 and 7 of this one see everything and rotate.
    const other = of("smallthinker", {
      ...WINDOW,
      ...BASES,
      "attention.sliding_window_pattern": [1, 0, 1, 1, 0, 1, 1, 0],
      "rope.scaling.factor": 4,
    });
    assert.equal(letters(other), "nfssnssf");
    assert.deepEqual(turning(other), [16, 5e5, "linear"]);
    assert.deepEqual(turning(other, "sliding_attention"), [16, 2e4, "linear"]);
    assert.equal(letters(of("smallthinker", { ...WINDOW, block_count: 4 })), "fsss"); // llama.cpp's sign for all
  });

  test("PLaMo 3 has another base for sliding layers, without scaling, if it has a window", () => {
    assert.deepEqual(turning(of("plamo3", BASES)), [16, 5e5, undefined]);
    assert.equal(letters(of("plamo3", { ...PATTERN, block_count: 8 })), "ffffffff");
    const model = of("plamo3", { ...WINDOW, "rope.freq_base": 5e5, ...YARN });
    assert.equal(letters(model), "sssssssf");
    assert.deepEqual(turning(model), [16, 5e5, "yarn"]);
    assert.deepEqual(turning(model, "sliding_attention"), [16, 1e4, undefined]);
    assert.equal(letters(of("plamo3", { ...WINDOW, "attention.sliding_window_pattern": 4 })), "sssfsssf"); // prettier-ignore
    assert.equal(letters(of("plamo3", { ...WINDOW, ...PATTERN })), "sfssfsss");
    for (const key of ["rope.dimension_count_swa", "attention.key_length_swa"])
      for (const name of ["plamo3", "smallthinker"])
        assert.throws(() => of(name, { ...WINDOW, [key]: 8 }), /_swa must be 16, which/);
  });

  test("PLaMo 2 and MiniMax-01 have attention in some layers", () => {
    const heads = { block_count: 4, "attention.head_count_kv": [2, 0, 2, 0] };
    const plamo = of("plamo2", { ...heads, "attention.head_count": [4, 0, 4, 0] });
    assert.deepEqual([letters(plamo), plamo.positions.rotary?.mamba], ["fmfm", null]);
    const published = { "attention.head_count_kv": [0, 2], "attention.head_count": [0, 4] };
    const refused = of("plamo2", { ...published, "attention.key_length": 16 });
    assert.match(refused.positions.reasons?.[0] ?? "", /first layer has no heads/);
    const eight = { block_count: 8, "rope.dimension_count": 8 };
    assert.equal(letters(of("minimax-01", eight)), "lllllllf");
    assert.deepEqual(turning(of("minimax-01", eight)), [8, 1e4, undefined]);
    assert.deepEqual(of("minimax-01", { ...eight, full_attention_interval: 4 }).suspect, []);
    assert.equal(letters(of("minimax-01", { ...eight, full_attention_interval: 4 })), "lllflllf");
    const listed = { ...eight, "attention.recurrent_layers": [0, 1, 1, 0, 1, 1, 1, 1] };
    assert.equal(letters(of("minimax-01", listed)), "fllfllll");
  });

  test("Ling 3.0 rotates a part of latent attention in the layers that have it", () => {
    const keys = { block_count: 3, "attention.head_count_kv": [0, 1, 0], "attention.key_length": 40, "attention.key_length_mla": 24, "rope.dimension_count": 8 }; // prettier-ignore
    const model = of("bailingmoe3", keys);
    assert.deepEqual([letters(model), model.headDim], ["lfl", 24]);
    assert.deepEqual(turning(model), [8, 1e4, undefined]);
    const visual = of("bailingmoe3", { ...keys, "rope.dimension_sections": [1, 2, 1, 0] });
    assert.equal(visual.positions.scheme, "unknown");
  });

  test("Spark, Maple and Muse Glimmer need a window, and of the last two full layers do not rotate", () => {
    const keys = { ...WINDOW, ...PATTERN, ...BASES };
    const parts = { "rope.dimension_count": 8, "rope.dimension_count_swa": 4 };
    const spark = of("spark2_5", { ...keys, ...parts });
    assert.equal(letters(spark), "sfssfsss");
    assert.deepEqual(turning(spark), [8, 5e5, undefined]);
    assert.deepEqual(turning(spark, "sliding_attention"), [4, 2e4, undefined]);
    const maple = of("maple", { ...keys, ...parts });
    assert.equal(letters(maple), "snssnsss");
    assert.deepEqual(turning(maple, "sliding_attention"), [4, 2e4, undefined]);
    const eps = { "attention.layer_norm_rms_epsilon": 2 ** -20 };
    const muse = of("muse-glimmer", { ...keys, ...eps });
    assert.equal(letters(muse), "snssnsss");
    assert.deepEqual(turning(muse, "sliding_attention"), [16, 2e4, undefined]);
    assert.deepEqual([muse.tokens.norm, muse.tokens.normKind], [2 ** -20, "rms"]);
    assert.equal(letters(of("muse-glimmer", { ...WINDOW, ...eps })), "sssnsssn");
    for (const name of ["spark2_5", "maple", "muse-glimmer"])
      assert.throws(() => of(name, { ...PATTERN, ...eps }), /sliding_window must be a number > 0/);
    for (const name of ["spark2_5", "maple"])
      for (const pattern of [undefined, 4])
        assert.throws(
          () => of(name, { ...WINDOW, "attention.sliding_window_pattern": pattern }),
          /sliding_window_pattern must be a flag for each layer/,
        );
  });

  test("Talkie normalizes words without weights, and Nanbeige runs its layers several times", () => {
    const talkie = of("talkie", { "attention.layer_norm_rms_epsilon": 2 ** -23 });
    assert.deepEqual([talkie.tokens.norm, talkie.tokens.normKind], [2 ** -23, "rms"]);
    const { inverse, layout } = /** @type {any} */ (talkie.positions.rotary).full_attention;
    assert.deepEqual([inverse, layout], [undefined, "halves"]);
    assert.equal(of("nanbeige", { num_loops: 3 }).layers, 6);
    const sections = { "rope.dimension_sections": [4, 2, 2, 0] };
    const { multimodal } = /** @type {any} */ (of("qwen3tts", sections).positions.rotary)
      .full_attention;
    assert.deepEqual(multimodal, { sections: [4, 2, 2], arrangement: "interleaved" });
  });

  test("have ALiBi by 8 or by the file's exponent, a table, or no positions", () => {
    const eps = { "attention.layer_norm_epsilon": 1e-12 };
    const jina = of("jina-bert-v2", eps);
    assert.deepEqual([jina.positions.scheme, jina.positions.options], ["alibi", { biasMax: 8 }]);
    assert.deepEqual([jina.tokens.norm, jina.tokens.segments, jina.suspect], [1e-12, 2, []]);
    const refact = of("refact", { "attention.head_count_kv": 1 });
    assert.deepEqual([refact.positions.options, refact.keyValueHeads], [{ biasMax: 8 }, 1]);
    assert.deepEqual([refact.tokens.norm, refact.warnings], [null, []]);
    for (const most of [8, 16]) {
      const { positions } = of("jais", { "attention.max_alibi_bias": most });
      assert.deepEqual([positions.scheme, positions.options], ["alibi", { biasMax: most }]);
    }
    for (const most of [undefined, 0])
      assert.throws(() => of("jais", { "attention.max_alibi_bias": most }), /max_alibi_bias must/);
    const { positions } = of("starcoder");
    assert.deepEqual([positions.scheme, positions.rows], ["learnedPositions", 128]);
    for (const name of ["kimi-k3", "glm5-next", "arwkv7", "rwkv6qwen2"])
      assert.equal(of(name).positions.scheme, "none", name);
    const bert = of("nomic-bert-moe", eps);
    assert.deepEqual([bert.tokens.norm, bert.tokens.segments], [1e-12, 2]);
  });

  test("that are not described say why", () => {
    const names = "gptj clip wavtokenizer-dec deepseek4 dots3note graniteswitch gemma4-assistant eagle3 dflash rwkv6 rwkv7"; // prettier-ignore
    for (const name of names.split(" ")) {
      const { scheme, reasons = [] } = of(name).positions;
      assert.equal(scheme, "unknown", name);
      assert.match(reasons[0], /\.$/, name);
      assert.doesNotMatch(reasons[0], /is not a family that phasor knows/, name);
    }
    for (const key of ["rope.dimension_sections", "attention.head_count"])
      for (const name of ["hunyuan_vl", "plamo2", "jais", "maple"])
        assert.throws(() => of(name, { [key]: [{ toString: 1 }] }), /must be numbers, strings or/);
  });
});
