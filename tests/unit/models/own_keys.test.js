// Keys that the code of one family reads: described as that code computes, or refused, never a number with a warning.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { phasor } from "../../phasor.js";
import { llama } from "./small.js";
import { models } from "phasor/models";

/** @param {string} model_type @param {Record<string, unknown>} more */
const of = (model_type, more) => models.fromConfig(llama({ model_type, ...more }));
/** @param {string} model_type @param {Record<string, unknown>} more */
const rotaryOf = (model_type, more) => of(model_type, more).positions.rotary?.full_attention;
/** @param {string} model_type @param {Record<string, unknown>} more @param {RegExp} message */
const refuses = (model_type, more, message) => assert.throws(() => of(model_type, more), message);

const YARN = { rope_type: "yarn", factor: 4, original_max_position_embeddings: 1024 };
const LISTS = { short_factor: Array(8).fill(1.5), long_factor: Array(8).fill(2.5) };

describe("models.fromConfig: keys of rope entries that one family reads", () => {
  test("HunYuan's alpha is a larger base, without scaling", () => {
    const entry = { type: "dynamic", alpha: 1000, factor: 1 };
    for (const type of ["hunyuan_v1_dense", "hunyuan_v1_moe"]) {
      for (const key of ["rope_scaling", "rope_parameters"]) {
        const { positions, warnings } = of(type, { head_dim: 128, rope_theta: 1e4, [key]: entry });
        const { base, scaling } = positions.rotary?.full_attention?.options ?? {};
        // modeling_hunyuan_v1_dense.py, compute_ntk_alpha_rope_parameters
        assert.ok(Math.abs(Number(base) / 11_158_839.9 - 1) < 1e-6, String(base));
        assert.deepEqual([scaling, warnings], [undefined, []]);
      }
      const plain = { type: "dynamic", factor: 4 };
      assert.equal(rotaryOf(type, { rope_scaling: plain })?.options.scaling?.type, "dynamic");
      refuses(
        type,
        { rope_scaling: { ...entry, alpha: -1 } },
        /rope_scaling\.alpha must be a number > 0/,
      );
    }
    // No code of other families reads the key.
    assert.match(
      String(of("llama", { rope_scaling: entry }).warnings),
      /alpha is not a key of type dynamic/,
    );
  });

  test("PhiMoE's factor is short_mscale and long_mscale, with the short frequencies", () => {
    const longrope = { type: "longrope", original_max_position_embeddings: 1024, ...LISTS };
    const same = { ...longrope, short_mscale: 1.25, long_mscale: 1.25 };
    const { positions, warnings } = of("phimoe", { rope_scaling: same });
    const options = positions.rotary?.full_attention?.options;
    const far = phasor.rope.frequencies(16, { .../** @type {any} */ (options), length: 4096 });
    assert.equal(far.attentionFactor, 1.25);
    assert.ok(Math.abs(far.frequencies.data[0] - 1 / 1.5) < 1e-6);
    assert.equal(warnings.length, 1);
    const yarn = { ...YARN, short_mscale: 1.5, long_mscale: 1.5 };
    assert.equal(
      Object(rotaryOf("phimoe", { rope_scaling: yarn })?.options.scaling).attentionFactor,
      1.5,
    );
    refuses(
      "phimoe",
      { rope_scaling: longrope },
      /short_mscale must be a number > 0; got undefined/,
    );
    refuses(
      "phimoe",
      { rope_scaling: { ...same, long_mscale: 1.5 } },
      /long_mscale must be short_mscale/,
    );
    const linear = { type: "linear", factor: 2, short_mscale: 1, long_mscale: 1 };
    refuses("phimoe", { rope_scaling: linear }, /type longrope or yarn; got 1, linear/);
  });

  test("Phi-3 takes yarn for longrope", () => {
    const yarn = { ...YARN, ...LISTS };
    assert.equal(rotaryOf("phi3", { rope_scaling: yarn })?.options.scaling?.type, "longrope");
    refuses("phi3", { rope_scaling: YARN }, /short_factor must hold 8 numbers/);
  });

  test("DeepSeek V4's YaRN has the factor 1 in an entry for all layers, and its own in entries by kind", () => {
    const layer_types = Array(4).fill("heavily_compressed_attention");
    const base = { head_dim: 32, qk_rope_head_dim: 8, layer_types, max_position_embeddings: 4096 };
    const at = (/** @type {Record<string, unknown>} */ more) =>
      of("deepseek_v4", { ...base, ...more }).positions.rotary?.heavily_compressed_attention;
    const factor = (/** @type {Record<string, unknown>} */ more) =>
      phasor.rope.frequencies(8, /** @type {any} */ (at(more)?.options)).attentionFactor;
    assert.equal(factor({ rope_scaling: YARN }), 1);
    const main = { rope_type: "default", rope_theta: 1e4, partial_rotary_factor: 0.25 };
    const compress = { ...YARN, rope_theta: 7e4, partial_rotary_factor: 0.25 };
    const nested = { rope_parameters: { main, compress } };
    assert.ok(Math.abs(factor(nested) - (0.1 * Math.log(4) + 1)) < 1e-12);
    assert.equal(at(nested)?.options.base, 7e4);
    const stated = { rope_parameters: { main, compress: { ...compress, attention_factor: 1.5 } } };
    assert.equal(factor(stated), 1.5);
    // An entry for all layers has no base: compress_rope_theta is that of these layers.
    const flat = { rope_scaling: { ...YARN, rope_theta: 5e5 }, compress_rope_theta: 9e4 };
    assert.equal(at(flat)?.options.base, 9e4);
    const part = {
      ...base,
      qk_rope_head_dim: null,
      partial_rotary_factor: 0.5,
      rope_scaling: YARN,
    };
    assert.deepEqual([at(part)?.dim, at(part)?.start], [16, 16]);
  });

  test("llama_4_scaling_beta scales queries where the family's code reads it", () => {
    const rope_parameters = { ...YARN, llama_4_scaling_beta: 0.1, rope_theta: 1e6 };
    const scale = { scale: 0.1, every: 1024, offset: 0 };
    assert.deepEqual(of("ministral3", { rope_parameters }).positions.queryScale, scale);
    const { positions, warnings } = of("llama", { rope_parameters });
    assert.equal(positions.queryScale, undefined);
    assert.match(String(warnings), /llama_4_scaling_beta is not a key of type yarn/);
  });

  test("parts and score scalings that latent attention cannot have are refused", () => {
    const half = { partial_rotary_factor: 0.5 };
    refuses(
      "glm4_moe_lite",
      half,
      /partial_rotary_factor must be 1, for qk_rope_head_dim 64; got 0.5/,
    );
    refuses("deepseek_v3", { ...half, rope_scaling: YARN }, /partial_rotary_factor must be 1/);
    const linear = { type: "linear", factor: 4, mscale_all_dim: 1 };
    refuses(
      "deepseek_v3",
      { rope_scaling: linear },
      /mscale_all_dim must be left out unless the type is yarn/,
    );
    const rope_parameters = { ...YARN, rope_theta: 1e4, partial_rotary_factor: 0.5 };
    assert.equal(rotaryOf("mistral4", { head_dim: 128, rope_parameters })?.dim, 64);
    const { partial_rotary_factor, ...whole } = rope_parameters;
    assert.equal(rotaryOf("mistral4", { head_dim: 128, rope_parameters: whole })?.dim, 64);
    refuses(
      "mistral4",
      { head_dim: 128, rope_parameters: { ...whole, partial_rotary_factor: 1 } },
      /partial_rotary_factor must be 0.5/,
    );
  });

  test("families that read rope_type alone refuse type", () => {
    for (const model_type of ["gemma3_text", "modernbert", "olmo3"]) {
      const more = { rope_scaling: { type: "linear", factor: 4 } };
      refuses(
        model_type,
        more,
        /rope_scaling\.rope_type must be given, which alone transformers 5 reads here; got type "linear"/,
      );
    }
  });

  test("families that read entries by kind, in rope_parameters alone, refuse others", () => {
    const layer_types = ["sliding_attention", "full_attention", "full_attention", "full_attention"];
    const linear = { rope_type: "linear", factor: 4, rope_theta: 1e4 };
    const types =
      "gemma4_text gemma4_unified_text embedding_gemma2_text diffusion_gemma_text laguna mellum mimo_v2_flash beam neomme zaya lfm3";
    for (const model_type of types.split(" ")) {
      const flat = { layer_types, rope_parameters: linear };
      refuses(
        model_type,
        flat,
        /rope_parameters must have an entry for each kind of layer; got rope_type/,
      );
      const old = { layer_types, rope_scaling: linear };
      refuses(
        model_type,
        old,
        /rope_(?:scaling must be in rope_parameters|scaling must have an entry)/,
      );
      const rope_parameters = {
        sliding_attention: linear,
        full_attention: { ...linear, factor: 8 },
      };
      const { scaling } = rotaryOf(model_type, { layer_types, rope_parameters })?.options ?? {};
      assert.deepEqual(scaling, { type: "linear", factor: 8 }, model_type);
    }
  });

  test("the family's own part of a head is that of a proportional scaling", () => {
    const rope_scaling = { rope_type: "proportional" };
    const scaling = rotaryOf("phi", { rope_scaling })?.options.scaling;
    assert.deepEqual(scaling, { type: "proportional", factor: 1, partialRotaryFactor: 0.5 });
  });
});

describe("models.fromConfig: keys of layers and towers that one family reads", () => {
  test("Cohere 2's mixture scales its frequencies, and its first dense layers rotate", () => {
    const turns = (/** @type {Record<string, unknown>} */ more) => {
      const config = llama({ model_type: "cohere2_moe", num_hidden_layers: 8, ...more });
      return Array.from({ length: 8 }, (_, layer) =>
        Number(models.rope(config, { layer }) !== null),
      ).join("");
    };
    assert.equal(turns({}), "11101110");
    // The first layers have another period, 1 by default: full attention, which rotates if it is dense.
    assert.equal(turns({ first_k_dense_replace: 2 }), "11111011");
    assert.equal(
      turns({ first_k_dense_replace: 3, prefix_dense_sliding_window_pattern: 2 }),
      "10111101",
    );
    assert.equal(turns({ sliding_window: null }), "00000000");
    const layer_types = ["full_attention", ...Array(6).fill("sliding_attention"), "full_attention"];
    assert.equal(turns({ layer_types }), "01111110");
    assert.equal(turns({ layer_types, first_k_dense_replace: 1 }), "11111110");
    const rope_parameters = { ...YARN, rope_theta: 5e4 };
    const scaled = models.rope(llama({ model_type: "cohere2_moe", rope_parameters }), { layer: 0 });
    assert.equal(scaled?.options.scaling?.type, "yarn");
    refuses(
      "cohere2_moe",
      { rope_scaling: YARN },
      /rope_scaling must be in rope_parameters, which alone this family reads/,
    );
  });

  test("Molmo 2 scales the layers of rope_scaling_layers", () => {
    const config = llama({
      model_type: "molmo2_text",
      rope_scaling: YARN,
      rope_scaling_layers: [0, 2],
    });
    const types = [0, 1, 2, 3].map(
      (layer) => models.rope(config, { layer })?.options.scaling?.type,
    );
    assert.deepEqual(types, ["yarn", undefined, "yarn", undefined]);
    const all = { ...config, rope_scaling_layers: [0, 1, 2, 3] };
    assert.equal(models.fromConfig(all).positions.layerKinds, undefined);
  });

  test("TrOCR's positions are a table or sinusoids, and its LayerNorm may be missing", () => {
    assert.equal(of("trocr", {}).positions.scheme, "learnedPositions");
    const { positions, tokens } = of("trocr", { use_learned_position_embeddings: false });
    assert.deepEqual(
      [positions.scheme, positions.preset, tokens.norm],
      ["sinusoidal", "fairseq", 1e-5],
    );
    assert.deepEqual(positions.options, of("m2m_100", {}).positions.options);
    assert.equal(of("trocr", { layernorm_embedding: false }).tokens.norm, null);
  });

  test("Muse's layer_rope_theta says which layers rotate, and rope_theta by which base", () => {
    const rope_parameters = { rope_type: "default" };
    for (const model_type of ["muse_glimmer_text", "muse_spark_text"]) {
      const at = (/** @type {Record<string, unknown>} */ more) =>
        [0, 1, 2, 3].map(
          (layer) =>
            models.rope(llama({ model_type, rope_parameters, ...more }), { layer })?.options.base,
        );
      assert.deepEqual(at({}), [1e4, 1e4, 1e4, undefined]);
      const given = { layer_rope_theta: [7, 0, 9, 9], rope_theta: 4321 };
      assert.deepEqual(at(given), [4321, undefined, 4321, 4321]);
      refuses(
        model_type,
        { rope_parameters, layer_rope_theta: [1] },
        /layer_rope_theta must hold a number for each of 4 layers/,
      );
    }
    // Without rope_parameters its class does not read rope_theta.
    refuses(
      "muse_spark_text",
      { rope_theta: 4321 },
      /rope_parameters must be given; got undefined/,
    );
  });

  test("RoFormer's rotated values and LongT5's second bias are named and not computed", () => {
    assert.equal(of("roformer", { rotary_value: false }).positions.scheme, "rope");
    assert.match(
      String(of("roformer", { rotary_value: true }).positions.reasons),
      /of its values too/,
    );
    const t5 = { d_kv: 16, encoder_attention_type: "local" };
    assert.equal(of("longt5", t5).positions.scheme, "t5Bias");
    assert.equal(
      of("longt5", { ...t5, encoder_attention_type: "transient-global" }).positions.scheme,
      "other",
    );
    assert.equal(
      of("minimax", { layer_types: Array(4).fill("full_attention"), head_dim: 128, rotary_dim: 64 })
        .positions.scheme,
      "unknown",
    );
  });
});

describe("models.fromConfig: what a text takes from the whole", () => {
  const text_config = llama();

  test("sizes and rotations of the whole are another part's, as in MusicFlamingo", () => {
    const { model_type: _, ...sizes } = text_config;
    for (const [whole, read] of /** @type {[Record<string, unknown>, string[]][]} */ ([
      [{ model_type: "musicflamingo", head_dim: 1280, text_config }, []],
      [{ model_type: "x", rope_theta: 5e5, text_config }, ["rope_theta"]],
      [
        { model_type: "x", rope_scaling: YARN, partial_rotary_factor: 0.5, text_config },
        ["rope_scaling", "partial_rotary_factor"],
      ],
      [{ model_type: "x", ...sizes, num_attention_heads: 2, text_config }, ["num_attention_heads"]],
    ])) {
      const { positions, headDim, suspect } = models.fromConfig(whole);
      assert.deepEqual(positions.rotary?.full_attention, {
        dim: 16,
        layout: "halves",
        options: { base: 1e4 },
      });
      assert.equal(headDim, 16);
      assert.deepEqual(suspect, whole.head_dim ? ["head_dim"] : read);
    }
  });

  test("the dtype is the whole's, and keys that repeat the part's say nothing", () => {
    const gemma = { ...text_config, model_type: "gemma" };
    const whole = {
      model_type: "y",
      torch_dtype: "float16",
      num_attention_heads: 4,
      text_config: gemma,
    };
    const { tokens, suspect } = models.fromConfig(whole);
    assert.deepEqual([tokens.scaleDtype, suspect], ["float16", []]);
    const packed = { ...whole, quantization_config: { quant_method: "fp8" } };
    assert.deepEqual(models.fromConfig(packed).suspect, ["quantization_config"]);
  });
});

describe("models.fromConfig: padding, norms and first positions", () => {
  const bert = { type_vocab_size: 1, max_position_embeddings: 514 };

  test("rows of RoBERTa begin after the file's id of padding, and MPNet's after 1", () => {
    const three = of("roberta", { ...bert, pad_token_id: 3 });
    const { paddingIdx, length, rows } = three.positions;
    assert.deepEqual([paddingIdx, length, rows, three.ignored], [3, 510, 514, []]);
    const table = Array.from({ length: 514 }, (_, row) => [row]);
    const words = Array.from({ length: 100 }, () => [0]);
    const spec = { positions: three.positions };
    const rowsOf = (/** @type {object} */ options) =>
      phasor.inputEmbeddings(spec, { words, positions: table }, [3, 5, 6], options).toArray();
    assert.deepEqual(rowsOf({}), [[3], [4], [5]]);
    assert.deepEqual(rowsOf({ paddingIdx: 1 }), [[2], [3], [4]]);
    for (const pad_token_id of [1, null, -1]) {
      const { positions } = of("roberta", { ...bert, pad_token_id });
      assert.deepEqual([positions.paddingIdx, positions.length], [undefined, 512]);
    }
    const mpnet = of("mpnet", { ...bert, pad_token_id: 0, relative_attention_num_buckets: 32 });
    assert.deepEqual([mpnet.positions.paddingIdx, mpnet.positions.length], [undefined, 512]);
  });

  test("PaliGemma's text begins at position 1, also inside of others", () => {
    const text_config = llama({ model_type: "gemma" });
    const paligemma = { model_type: "paligemma", text_config };
    assert.equal(models.fromConfig(paligemma).positions.first, 1);
    const colpali = { model_type: "colpali", vlm_config: paligemma };
    assert.equal(models.fromConfig(colpali).positions.first, 1);
    assert.equal(models.fromConfig(text_config).positions.first, undefined);
  });

  test("norms of Nomic's and RoFormer's own code", () => {
    const nomic = of("nomic_bert", { type_vocab_size: 1, layer_norm_epsilon: 1e-5 });
    assert.equal(nomic.tokens.norm, 1e-5);
    const roformer = { type_vocab_size: 2, embedding_size: 64 };
    const second = of("roformer", { ...roformer, norm_type: "rms_norm" });
    assert.equal(second.tokens.normKind, "rms");
    assert.match(
      String(second.warnings),
      /norm_type is a norm without weights in the authors' code/,
    );
    for (const more of [{}, { norm_type: "layer_norm" }])
      assert.equal(of("roformer", { ...roformer, ...more }).tokens.normKind, undefined);
  });

  test("an inner base of a flat entry is that of the layers that it scales", () => {
    const rope_scaling = { rope_type: "linear", factor: 8, rope_theta: 3e5 };
    const { rotary } = of("gemma3_text", { rope_scaling, num_hidden_layers: 6 }).positions;
    assert.deepEqual(rotary?.sliding_attention?.options, { base: 1e4 });
    assert.equal(rotary?.full_attention?.options.base, 3e5);
  });

  test("what transformers does not read is said: truncate by kind, keys of GPT-NeoX, odd heads", () => {
    const yarn = { ...YARN, rope_theta: 1e4, truncate: false };
    const layer_types = Array(4).fill("full_attention");
    const kinds = of("olmo3", { rope_scaling: yarn, layer_types });
    const scalingOf = (/** @type {any} */ rotary) => rotary?.options.scaling;
    assert.equal(scalingOf(kinds.positions.rotary?.full_attention).truncate, undefined);
    assert.match(String(kinds.warnings), /truncate counts as true: transformers 5 does not read it/);
    assert.equal(scalingOf(rotaryOf("llama", { rope_scaling: yarn })).truncate, false);
    const neox = of("llama", { rotary_emb_base: 1e6 });
    assert.match(String(neox.warnings), /rotary_emb_base counts as rope_theta, which code of the family llama/);
    assert.match(String(of("llama", { num_key_value_heads: 3 }).warnings), /num_key_value_heads is 3, of which 4 heads are no multiple/);
    const parted = { hidden_size: 96, head_dim: null };
    assert.equal(of("ernie4_5", parted).headDim, 24);
    assert.equal(of("ernie4_5", { hidden_size: 96 }).headDim, 128);
  }); // prettier-ignore
});
