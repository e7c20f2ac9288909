import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery } from "../../battery.js";
import { phasor } from "../../phasor.js";
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

battery("fromGguf", {
  call: ({ metadata }) => fromGguf(metadata),
  good: { metadata: gguf() },
  args: { metadata: ["metadata", "metadata", "config.hidden_size"] },
});

describe("fromGguf", () => {
  test("fromGguf says what the config.json says, but for the order that llama.cpp gave the rows", () => {
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

  test("fromGguf takes a type of scaling that it does not know for none, whatever it is", () => {
    for (const type of ["constructor", "__proto__", "none", 7]) {
      const more = { "llama.rope.scaling.type": type, "llama.rope.scaling.factor": 4 };
      assert.deepEqual(fromGguf(gguf(more)), fromGguf(gguf()), String(typeof type));
    }
  });

  test("fromGguf knows other families by their names there", () => {
    const of = (/** @type {string} */ name, /** @type {Record<string, unknown>} */ keys) =>
      fromGguf(
        new Map([
          ["general.architecture", name],
          ...Object.entries({
            embedding_length: 64,
            block_count: 2,
            "attention.head_count": 4,
            context_length: 128,
            ...keys,
          }).map(([key, value]) => /** @type {[string, unknown]} */ ([`${name}.${key}`, value])),
        ]),
      );
    const layout = (/** @type {string} */ name) =>
      of(name, {}).positions.rotary?.full_attention?.layout;
    for (const name of ["qwen2", "qwen3", "gemma", "phi3", "stablelm"]) {
      assert.equal(layout(name), "halves", name);
    }
    assert.equal(layout("command-r"), "interleaved");
    assert.equal(of("gpt2", {}).positions.scheme, "learnedPositions");
    assert.deepEqual(of("bert", { "attention.layer_norm_epsilon": 1e-12 }).tokens.norm, 1e-12);
    assert.equal(of("bloom", {}).positions.scheme, "alibi");
    assert.equal(of("mpt", { "attention.max_alibi_bias": 8 }).positions.scheme, "alibi");
    assert.equal(of("unheard", {}).positions.scheme, "unknown");
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

  test("fromGguf reads which layers slide, from a flag for each or from a period", () => {
    const kinds = (/** @type {unknown} */ pattern) =>
      fromGguf(
        new Map(
          Object.entries({
            "general.architecture": "gemma3",
            "gemma3.embedding_length": 64,
            "gemma3.block_count": 3,
            "gemma3.attention.head_count": 4,
            "gemma3.attention.sliding_window_pattern": pattern,
          }),
        ),
      )
        .positions.layerKinds?.map((kind) => kind[0])
        .join("");
    assert.equal(kinds([false, true, true]), "fss");
    assert.equal(kinds(2), "sfs");
  });

  test("fromGguf gives the frequencies of a model whose scaling lies in a tensor", () => {
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
