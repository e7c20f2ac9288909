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
    const rotary = rotaryOf("qwen3_vl_text", { rope_parameters: stated });
    assert.deepEqual(rotary?.multimodal?.sections, [2, 3, 3]);
    assert.equal(rotaryOf("qwen3_next", { head_dim: 128 })?.multimodal, undefined);
    assert.equal(rotaryOf("qwen3", { head_dim: 128 })?.multimodal, undefined);
  });
});
