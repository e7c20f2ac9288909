// What rope_scaling, rope_parameters and the keys beside them mean, as transformers' code reads them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { llama } from "./small.js";
import { models } from "phasor/models";

/** @param {string} model_type @param {Record<string, unknown>} more */
const rotaryOf = (model_type, more) =>
  models.fromConfig(llama({ model_type, ...more })).positions.rotary?.full_attention;

describe("M-RoPE sections that a configuration leaves out", () => {
  /** How many frequencies transformers 5.23's modules give to time, height and width, by the width of a head. */
  const WOVEN = { 32: [6, 5, 5], 64: [11, 11, 10], 128: [24, 20, 20], 256: [88, 20, 20] };
  const INTERLEAVED = {
    qwen3_vl_text: WOVEN,
    qwen3_vl_moe_text: WOVEN,
    qwen3_omni_moe_text: WOVEN,
    cosmos3_edge_text: WOVEN,
    qwen4_exp_text: { 32: [6, 5, 5], 64: [11, 11, 10], 128: [43, 11, 10], 256: [107, 11, 10] },
    // a quarter of a head rotates
    qwen3_5_text: { 32: [2, 1, 1], 64: [3, 3, 2], 128: [6, 5, 5], 256: [11, 11, 10] },
    qwen3_5_moe_text: { 32: [2, 1, 1], 64: [3, 3, 2], 128: [6, 5, 5], 256: [11, 11, 10] },
  };
  const rope_parameters = { rope_type: "default", rope_theta: 1e6 };

  test("interleaved ones are the family's own, up to the width of the head", () => {
    for (const [type, widths] of Object.entries(INTERLEAVED)) {
      for (const [width, sections] of Object.entries(widths)) {
        for (const entry of [{ rope_theta: 1e6, rope_parameters }, { rope_parameters }]) {
          const rotary = rotaryOf(type, { head_dim: Number(width), ...entry });
          const want = { sections, arrangement: "interleaved" };
          assert.deepEqual(rotary?.multimodal, want, `${type} ${width}`);
        }
      }
    }
    const compass = rotaryOf("cohere_compass_text", {
      head_dim: 128,
      layer_types: Array(4).fill("full_attention"),
      rope_parameters: { full_attention: rope_parameters },
    });
    assert.deepEqual(compass?.multimodal?.sections, [24, 20, 20]);
  });

  test("chunked and alternating ones are the family's own, or must be given", () => {
    const chunked = { sections: [16, 24, 24], arrangement: "chunked" };
    for (const type of "paddleocr_vl_text qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen2_5_omni_text qwen2_5_omni_talker".split(
      " ",
    )) {
      assert.deepEqual(
        rotaryOf(type, { head_dim: 128, rope_theta: 1e6 })?.multimodal,
        chunked,
        type,
      );
    }
    const glm = { sections: [8, 12, 12], arrangement: "chunked" };
    for (const [type, head_dim] of Object.entries({
      glm4v_text: 64,
      glm_ocr_text: 64,
      glm_image_text: 64,
      glm4v_moe_text: 128,
    })) {
      assert.deepEqual(rotaryOf(type, { head_dim, rope_theta: 1e6 })?.multimodal, glm, type);
    }
    // The file has height, width, time.
    const ernie = { sections: [20, 22, 22], arrangement: "alternating" };
    assert.deepEqual(rotaryOf("ernie4_5_vl_moe_text", { head_dim: 128 })?.multimodal, ernie);
    for (const type of ["qwen2_vl", "glm4v_text", "ernie4_5_vl_moe_text"]) {
      assert.throws(
        () => rotaryOf(type, { head_dim: 32 }),
        /mrope_section must be given: the family's own, .+, are not for 16 frequencies; got none/,
      );
    }
  });

  test("stated ones count, and families of text alone have none", () => {
    const stated = { ...rope_parameters, mrope_section: [2, 3, 3] };
    const rotary = rotaryOf("qwen3_vl_text", { head_dim: 16, rope_parameters: stated });
    assert.deepEqual(rotary?.multimodal?.sections, [2, 3, 3]);
    assert.equal(rotaryOf("qwen3_next", { head_dim: 128 })?.multimodal, undefined);
    assert.equal(rotaryOf("qwen3", { head_dim: 128 })?.multimodal, undefined);
  });
});

describe("rope_scaling beside rope_parameters", () => {
  const now = { rope_type: "default", rope_theta: 1e6 };
  const old = { rope_type: "yarn", factor: 4, original_max_position_embeddings: 1024 };
  const yarn = { type: "yarn", factor: 4, originalLength: 1024 };

  test("is used as transformers does: with its own base, that at the top, or the family's", () => {
    const both = { rope_parameters: now, rope_scaling: old };
    for (const [type, base] of /** @type {[string, number][]} */ ([
      ["qwen3", 1e4],
      ["llama", 1e4],
      ["mixtral", 1e6],
      ["cohere", 5e5],
    ])) {
      assert.deepEqual(rotaryOf(type, both)?.options, { base, scaling: yarn }, type);
    }
    const top = { ...both, rope_theta: 5e5 };
    assert.deepEqual(rotaryOf("qwen3", top)?.options, { base: 5e5, scaling: yarn });
    const own = { ...both, rope_scaling: { ...old, rope_theta: 7e4 } };
    assert.deepEqual(rotaryOf("qwen3", own)?.options, { base: 7e4, scaling: yarn });
    const plain = {
      rope_parameters: { ...old, rope_theta: 1e6 },
      rope_scaling: { rope_type: "default" },
    };
    assert.deepEqual(rotaryOf("qwen3", plain)?.options, { base: 1e4 });
    const { warnings } = models.fromConfig(llama(both));
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0],
      /differ: the second is used, as transformers does; the base of the first goes with it$/,
    );
  });

  test("is no second account if it is the same, null or empty", () => {
    const same = { ...old, rope_theta: 1e6 };
    for (const rope_scaling of [same, null, {}]) {
      const config = llama({ rope_parameters: same, rope_scaling });
      assert.deepEqual(models.rope(config)?.options, { base: 1e6, scaling: yarn });
      assert.deepEqual(models.fromConfig(config).warnings, []);
    }
  });

  test("is refused in families that read both in their own way", () => {
    const layer_types = Array(4).fill("full_attention");
    for (const model_type of ["gemma3_text", "modernbert", "olmo3", "gpt_oss", "ultrabert"]) {
      const rope_parameters = { full_attention: now, sliding_attention: now };
      const config = llama({ model_type, layer_types, rope_parameters, rope_scaling: old });
      assert.throws(
        () => models.fromConfig(config),
        /config\.rope_scaling must be left out or the same beside config\.rope_parameters in this family/,
        model_type,
      );
    }
  });
});

describe("null in entries", () => {
  const yarn = { factor: 4, original_max_position_embeddings: 1024 };
  const want = { base: 1e4, scaling: { type: "yarn", factor: 4, originalLength: 1024 } };

  test("counts as missing beside a value", () => {
    for (const entry of [
      { type: null, rope_type: "yarn", ...yarn },
      { type: "yarn", rope_type: null, ...yarn },
      { rope_type: "yarn", ...yarn, attention_factor: null, beta_fast: null, short_factor: null },
      {
        rope_type: "yarn",
        ...yarn,
        rope_theta: null,
        partial_rotary_factor: null,
        mrope_section: null,
      },
    ]) {
      for (const key of ["rope_scaling", "rope_parameters"]) {
        const config = llama({ [key]: entry });
        assert.deepEqual(models.rope(config)?.options, want, JSON.stringify(entry));
        assert.deepEqual(models.fromConfig(config).warnings, []);
      }
    }
  });

  test("an entry whose keys are all null is the same as no entry", () => {
    for (const entry of [
      { type: null },
      { rope_type: null, factor: null },
      { type: null, factor: null, original_max_position_embeddings: null },
    ]) {
      for (const key of ["rope_scaling", "rope_parameters"]) {
        const config = llama({ rope_theta: 5e5, [key]: entry });
        assert.deepEqual(models.rope(config)?.options, { base: 5e5 });
      }
    }
    const both = { rope_parameters: { rope_theta: 1e6 }, rope_scaling: { type: null } };
    assert.deepEqual(models.rope(llama(both))?.options, { base: 1e6 });
  });

  test("for a kind of layer it says that the layers do not rotate", () => {
    const layer_types = ["sliding_attention", "full_attention", "full_attention", "full_attention"];
    const sliding_attention = { type: null, rope_type: "default", rope_theta: 1e4 };
    const rope_parameters = { sliding_attention, full_attention: null };
    const config = llama({ layer_types, rope_parameters });
    assert.deepEqual(models.rope(config, { layer: 0 })?.options, { base: 1e4 });
    assert.equal(models.rope(config, { layer: 1 }), null);
    // Keys of an older form beside the kinds are left over: transformers does not read them.
    const more = { ...rope_parameters, rope_theta: 7, rope_type: "default" };
    assert.deepEqual(
      models.rope(llama({ layer_types, rope_parameters: more }), { layer: 0 })?.options,
      { base: 1e4 },
    );
    const none = { full_attention: null, sliding_attention: null };
    assert.equal(models.rope(llama({ layer_types, rope_parameters: none })), null);
    for (const rope_parameters of [none, { full_attention: null }]) {
      assert.throws(
        () => models.fromConfig(llama({ rope_parameters })),
        /config\.layer_types must be given, since config\.rope_parameters.+got none/,
      );
    }
  });
});
