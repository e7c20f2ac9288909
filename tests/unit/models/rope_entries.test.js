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
    for (const model_type of [
      "gemma3_text",
      "modernbert",
      "olmo3",
      "gpt_oss",
      "ultrabert",
      "step3p7",
    ]) {
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
    const lfm3 = (/** @type {Record<string, unknown>} */ more) =>
      llama({ model_type: "lfm3", ...more });
    const config = lfm3({ layer_types, rope_parameters });
    assert.deepEqual(models.rope(config, { layer: 0 })?.options, { base: 1e4 });
    assert.equal(models.rope(config, { layer: 1 }), null);
    // Keys of an older form beside the kinds are left over: transformers does not read them.
    const more = { ...rope_parameters, rope_theta: 7, rope_type: "default" };
    assert.deepEqual(
      models.rope(lfm3({ layer_types, rope_parameters: more }), { layer: 0 })?.options,
      { base: 1e4 },
    );
    const none = { full_attention: null, sliding_attention: null };
    assert.throws(
      () => models.rope(lfm3({ layer_types, rope_parameters: none })),
      /model must have a layer that is rotated; got none/,
    );
    for (const rope_parameters of [none, { full_attention: null }]) {
      assert.throws(
        () => models.fromConfig(lfm3({ rope_parameters })),
        /config\.layer_types must be given, since config\.rope_parameters.+got none/,
      );
    }
  });
});

describe("what a file leaves out, as the classes of transformers 5.24 have it", () => {
  const layer_types = ["sliding_attention", "full_attention"].flatMap((kind) => [kind, kind]);
  const longrope = {
    type: "longrope",
    short_factor: Array(8).fill(1.5),
    long_factor: Array(8).fill(3),
  };

  /** The width and base of the first layer, and those of the last. @param {string} model_type @param {object} more */
  const ends = (model_type, more) =>
    [0, 3].flatMap((layer) => {
      const rotary = models.rope(llama({ model_type, layer_types, ...more }), { layer });
      return [rotary?.dim, rotary?.options.base];
    });

  test("full attention is wider in Gemma 4, and bases and parts are those of a kind of layers", () => {
    const bare = { sliding_attention: { rope_type: "default" }, full_attention: {} };
    const based = {
      sliding_attention: { rope_theta: 7, partial_rotary_factor: 0.5 },
      full_attention: { rope_theta: 9 },
    };
    const indexed = { sliding_attention: {}, indexed_attention: {} };
    for (const [model_type, rope_parameters, want, more] of /** @type {const} */ ([
      ["gemma4_text", based, [256, 7, 512, 9]],
      ["gemma4_unified_text", based, [256, 7, 512, 9]],
      ["embedding_gemma2_text", based, [256, 7, 512, 9]],
      ["diffusion_gemma_text", based, [128, 7, 512, 9]],
      ["lfm3", bare, [128, 1e6, 128, 1e6]],
      ["mimo_v2_flash", based, [96, 7, 64, 9]],
      ["neomme", based, [32, 7, 16, 9]],
      ["neomme", bare, [64, 1e4, 16, 1e6]],
      ["dots3_note_text", indexed, [64, 8e7, 64, 8e7], { head_dim: 64 }],
    ])) {
      const kinds = model_type.startsWith("dots3") && {
        layer_types: layer_types.map((kind) => kind.replace("full", "indexed")),
      };
      assert.deepEqual(ends(model_type, { rope_parameters, ...more, ...kinds }), want, model_type);
    }
  });

  test("Phi-3's texts were 4,096 positions long, whatever the entry says", () => {
    for (const model_type of ["phi3", "phi4_multimodal"]) {
      const of = (/** @type {object} */ more) =>
        models.fromConfig(llama({ model_type, max_position_embeddings: 8192, ...more }));
      const original = { ...longrope, original_max_position_embeddings: 512 };
      for (const rope_scaling of [longrope, original]) {
        const { positions, warnings } = of({ rope_scaling });
        const scaling = Object(positions.rotary?.full_attention?.options.scaling);
        assert.deepEqual([scaling.originalLength, scaling.factor], [4096, 2]);
        assert.equal(warnings.length, Number(rope_scaling === original));
      }
    }
  });

  test("an original length beside entries by kind is not theirs", () => {
    const entry = { rope_type: "yarn", factor: 4, rope_theta: 1e4 };
    const more = { original_max_position_embeddings: 512, max_position_embeddings: 2048 };
    const rope_parameters = { sliding_attention: entry, full_attention: entry };
    const config = llama({ model_type: "lfm3", layer_types, rope_parameters, ...more });
    assert.equal(Object(models.rope(config)?.options.scaling).originalLength, 2048);
    const { ignored } = models.fromConfig(config);
    assert.deepEqual(ignored, ["original_max_position_embeddings"]);
  });

  test("a length below the original one has LongRoPE's short factors, and no other scaling", () => {
    const more = { original_max_position_embeddings: 8192 };
    const { scaling } =
      rotaryOf("llama", { rope_scaling: { ...longrope, ...more } })?.options ?? {};
    assert.equal(Object(scaling).factor, 1);
    assert.throws(
      () => rotaryOf("llama", { rope_scaling: { ...longrope, type: "yarn", ...more } }),
      /rope_scaling\.factor must be given, since max_position_embeddings \/ \S+ is 0\.5; got none/,
    );
  });

  test("what a family's code does not read, or fails with, is refused", () => {
    const flat = { rope_type: "default", rope_theta: 1e4 };
    const linear = { type: "linear", factor: 2 };
    const nested = { sliding_attention: flat, full_attention: flat };
    const rotary_dim = 8;
    for (const [
      model_type,
      more,
      message,
    ] of /** @type {[string, Record<string, unknown>, RegExp][]} */ ([
      ["gptj", { rotary_dim, rope_theta: 5e5 }, /rope_theta must be left out in this family/],
      ["gptj", { rotary_dim, rope_scaling: linear }, /rope_scaling must be left out/],
      ["codegen", { rotary_dim, rope_parameters: flat }, /rope_parameters must be left out/],
      ["codegen", { rotary_dim, partial_rotary_factor: 0.5 }, /partial_rotary_factor must be/],
      ["roformer", { rope_theta: 5e5 }, /rope_theta must be left out/],
      ["esm", { position_embedding_type: "rotary", rope_scaling: linear }, /must be left out/],
      ["phi3", { rope_scaling: linear }, /rope_type must be longrope .+; got "linear"/],
      ["recurrent_gemma", { rope_scaling: linear, block_types: ["attention"] }, /must be default/],
      ["llama", { layer_types, rope_parameters: nested }, /one entry for all layers/],
      ["gemma4_text", { layer_types, rope_parameters: flat }, /an entry for each kind of layer/],
      ["ultrabert", { layer_types, rope_parameters: flat }, /an entry for each kind of layer/],
      ["cohere_compass_text", { rope_parameters: nested }, /layer_types must name/],
    ])) {
      assert.throws(() => rotaryOf(model_type, more), message, `${model_type}: ${message}`);
    }
    assert.equal(rotaryOf("gptj", { rotary_dim, rope_theta: 1e4 })?.options.base, 1e4);
    const step = { layer_types, partial_rotary_factor: 0.5 };
    const { reasons } = models.fromConfig(llama({ model_type: "step3p5", ...step })).positions;
    assert.match(String(reasons), /partial_rotary_factor is not read by this family/);
  });

  test("sliding_window_pattern says nothing of OLMo 3's layers and Kolibri's", () => {
    const more = { sliding_window: 64, sliding_window_pattern: 2 };
    const { positions, suspect } = models.fromConfig(llama({ model_type: "olmo3", ...more }));
    assert.equal(positions.layerKinds?.indexOf("full_attention"), 3);
    assert.deepEqual(suspect, ["sliding_window_pattern"]);
    assert.throws(() => rotaryOf("kolibri1", more), /layer_types must name/);
  });

  test("a base that transformers 4 has otherwise has a warning, unless the file is one of transformers 5", () => {
    // Of CONFIG_MAPPING[family](**file) in transformers 4.57.6 and 5.24: the base of the first kind of layers
    for (const [model_type, more, now, before] of /** @type {const} */ ([
      ["cohere", {}, 5e5, 1e4],
      ["falcon_h1", {}, 1e4, 1e5],
      ["persimmon", {}, 1e4, 25000],
      ["qwen3_vl_text", {}, 5e5, 5e6],
      ["olmo3", {}, 5e5, 1e4],
      ["olmo3", { rope_theta: 54321 }, 5e5, 54321], // transformers 5 reads it for full attention alone
      ["modernbert-decoder", {}, 1e4, 160000],
      ["modernbert-decoder", { global_rope_theta: 7e4, local_rope_theta: 7e4 }, 7e4, 7e4],
      ["cohere", { rope_theta: 8e6 }, 8e6, 8e6],
      ["cohere", { rope_parameters: { rope_type: "default" } }, 5e5, 5e5],
      ["modernbert", {}, 1e4, 1e4],
      ["llama", {}, 1e4, 1e4],
    ])) {
      const { positions, warnings } = models.fromConfig(llama({ model_type, ...more }));
      const { sliding_attention, full_attention } = positions.rotary ?? {};
      assert.equal((sliding_attention ?? full_attention)?.options.base, now, model_type);
      const said = warnings.filter((warning) => warning.includes("transformers 4 has"));
      const pair = new RegExp(
        `is ${now}, as transformers 5 reads config; transformers 4 has ${before}`,
      );
      if (now === before) assert.deepEqual(said, [], model_type);
      else assert.match(said.join("\n"), pair, model_type);
    }
  });

  test("GPT-NeoX's name of a part is its alone", () => {
    for (const [rotary_pct, count] of [
      [1, 0],
      [0.5, 1],
    ]) {
      const { positions, suspect } = models.fromConfig(
        llama({ model_type: "stablelm", rotary_pct }),
      );
      assert.deepEqual([positions.rotary?.full_attention?.dim, suspect.length], [4, count]);
    }
  });
});
