// Tables whose numbers mean nothing without another tensor.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { safetensors } from "phasor/files";
import { FileError, openModel as open } from "./entry.js";
import { noting } from "../../files/samples.js";
import { ggufOf } from "./gguf.js";
import { fileOf, numbersOf, tensorsOf } from "./mlx.js";

/** @typedef {import("./mlx.js").Raw} Raw */

/** @param {Record<string, unknown>} [more] */
const config = (more) => ({
  ...{ model_type: "llama", hidden_size: 64, num_hidden_layers: 1, num_attention_heads: 4 },
  ...{ vocab_size: 2, max_position_embeddings: 128, tie_word_embeddings: false, ...more },
});

const MODES = ["affine.2", "affine.3", "affine.4", "affine.5", "affine.6", "affine.8"]
  .concat("mxfp4.4", "mxfp8.8", "nvfp4.4")
  .map((name) => {
    const [mode, bits] = name.split(".");
    const group_size = mode === "nvfp4" ? 16 : 32;
    return { name, quantization: { group_size, bits: Number(bits), mode } };
  });
/** The upper half of each float32: bfloat16. @param {Uint8Array} bytes */
const halved = (bytes) => bytes.filter((_, i) => i % 4 > 1);

/** Small powers of two and their sums as float16. @param {Uint8Array} bytes */
const float16 = (bytes) =>
  new Uint8Array(
    Uint16Array.from(new Uint32Array(bytes.slice().buffer), (word) =>
      word === 0 ? 0 : ((word >>> 16) & 0x8000) | ((((word >>> 23) & 255) - 112) << 10) | ((word >>> 13) & 1023),
    ).buffer,
  ); // prettier-ignore

const TABLE = "model.embed_tokens";

describe("a table that MLX packed", () => {
  for (const { name, quantization } of MODES) {
    test(`gives the numbers of MLX in every call: ${name}`, async () => {
      const numbers = await numbersOf(name);
      const words = await tensorsOf(name, TABLE);
      const head = await tensorsOf("affine.6", "lm_head");
      const own = { ...quantization, lm_head: { group_size: 32, bits: 6 } };
      const parts = Object.entries(words).map(([each, raw], i) => [`${i}.safetensors`, each, raw]);
      const weight_map = Object.fromEntries([
        ...parts.map(([file, each]) => [each, file]),
        ...Object.keys(head).map((each) => [each, "head.safetensors"]),
      ]);
      const sources = [
        { "model.safetensors": fileOf({ ...words, ...head }) },
        {
          "model.safetensors.index.json": Buffer.from(JSON.stringify({ weight_map })),
          "head.safetensors": fileOf(head),
          ...Object.fromEntries(
            parts.map(([file, each, raw]) => [file, fileOf({ [String(each)]: /** @type {any} */ (raw) })]),
          ),
        },
      ]; // prettier-ignore
      for (const source of sources) {
        const model = await open(source, { config: config({ quantization: own }) });
        assert.deepEqual(model.warnings, []);
        const { wordEmbeddings } = model;
        assert.deepEqual(wordEmbeddings?.shape, [2, 64]);
        assert.match(String(wordEmbeddings?.dtype), /^MLX \w+ \d-bit$/);
        assert.deepEqual((await wordEmbeddings?.rows([1, 0, 1]))?.toArray(), [
          ...[numbers[1], numbers[0], numbers[1]],
        ]);
        assert.deepEqual((await model.embed([1])).toArray(), [numbers[1]]);
        assert.deepEqual((await model.tensor(`${TABLE}.weight`)).toArray(), numbers);
        assert.deepEqual((await model.info(`${TABLE}.weight`)).shape, [2, 64]);
        assert.deepEqual((await model.lmHead?.rows([0]))?.toArray(), [
          ...[(await numbersOf("affine.6"))[0]],
        ]);
        const words = await model.explore();
        const norm = Math.hypot(...numbers[0].map(Number));
        assert.ok(Math.abs(Number(words.norms().norms.data[0]) / norm - 1) < 1e-6);
        assert.equal(words.nearest(0, { k: 1 })[0].id, 1);
        assert.deepEqual(words.table.lookup([0, 1]).toArray(), numbers);
        words.dispose();
      }
    });
  }

  test("has scales of 16 bits, too", async () => {
    for (const { name, quantization } of MODES.slice(0, 6)) {
      for (const [dtype, cast] of /** @type {const} */ ([
        ["BF16", halved],
        ["F16", float16],
      ])) {
        const tensors = await tensorsOf(name, TABLE);
        for (const end of ["scales", "biases"]) {
          const [, shape, bytes] = tensors[`${TABLE}.${end}`];
          tensors[`${TABLE}.${end}`] = [dtype, shape, cast(bytes)];
        }
        const model = await open(fileOf(tensors), { config: config({ quantization }) });
        const rows = await model.wordEmbeddings?.rows([0, 1]);
        assert.deepEqual(rows?.toArray(), await numbersOf(name), `${name}, ${dtype}`);
      }
    }
  });

  test("is read piece by piece, with the scales of each piece", async () => {
    const [V, D] = [40_000, 64]; // 1.5 pieces of 1 MiB
    const words = new Uint32Array((V * D) / 8).map((_, i) => (i * 2654435761) >>> 0);
    const scales = Float32Array.from({ length: V }, (_, v) => 1 + (v % 7));
    const biases = Float32Array.from({ length: V }, (_, v) => v % 5);
    const raw = (/** @type {any} */ { buffer }) => new Uint8Array(buffer);
    const bytes = fileOf({
      [`${TABLE}.weight`]: ["U32", [V, D / 8], raw(words)],
      [`${TABLE}.scales`]: ["F32", [V, 1], raw(scales)],
      [`${TABLE}.biases`]: ["F32", [V, 1], raw(biases)],
    });
    const quantization = { group_size: 64, bits: 4 };
    const model = await open(bytes, { config: config({ vocab_size: V, quantization }) });
    const table = await model.wordEmbeddings?.load();
    const ids = [0, 32_767, 32_768, 39_999];
    const expected = ids.map((v) =>
      Array.from({ length: D }, (_, d) => {
        const q = (words[(v * D + d) >> 3] >>> (4 * (d % 8))) & 15;
        return scales[v] * q + biases[v];
      }),
    );
    assert.deepEqual(table?.lookup(ids).toArray(), expected);
    assert.deepEqual((await model.wordEmbeddings?.rows(ids))?.toArray(), expected);
    table?.dispose();
  });

  test("is packed as its layer's configuration says, or as the shapes leave no doubt", async () => {
    const tensors = await tensorsOf("affine.4", TABLE);
    const numbers = await numbersOf("affine.4");
    const right = { group_size: 32, bits: 4 };
    const wrong = { group_size: 64, bits: 2 }; // fits the shapes
    for (const given of [
      config({ quantization: right }),
      config({ quantization_config: right }),
      config({ quantization: { ...wrong, [TABLE]: right } }),
      config({ quantization: { ...right, [TABLE]: true } }),
      config(), // by the width
      JSON.stringify(config()),
    ]) {
      const model = await open(fileOf(tensors), { config: given });
      assert.deepEqual((await model.wordEmbeddings?.rows([0, 1]))?.toArray(), numbers);
    }
    const { [`${TABLE}.biases`]: qbiases, ...others } = tensors;
    const metal = await open(fileOf({ ...others, [`${TABLE}.qbiases`]: qbiases }), {
      config: config({ quantization_config: { quant_method: "metal", ...right } }),
    });
    assert.deepEqual((await metal.wordEmbeddings?.rows([0, 1]))?.toArray(), numbers);
    const only = await open(fileOf(await tensorsOf("affine.5", TABLE)));
    assert.deepEqual((await only.embed([0, 1])).toArray(), await numbersOf("affine.5"));
  });

  test("is refused where the packing is in doubt", async () => {
    const tensors = await tensorsOf("affine.4", TABLE);
    for (const [given, bytes] of /** @type {[any, Record<string, Raw>][]} */ ([
      [undefined, tensors], // 4 bits in groups of 32, or 2 in groups of 64
      [config({ hidden_size: 96 }), tensors],
      [config({ quantization: { group_size: 64, bits: 4 } }), tensors],
      [config({ quantization: { group_size: 32, bits: 4, mode: "mxfp4" } }), tensors],
      [config({ quantization: { group_size: 32, bits: 4, [TABLE]: false } }), tensors],
      [
        config({ quantization: { group_size: 32, bits: 4, mode: "affine" } }),
        await tensorsOf("mxfp4.4", TABLE),
      ],
      [config(), { ...tensors, [`${TABLE}.biases`]: ["F32", [2, 1], new Uint8Array(8)] }],
      [config(), { ...tensors, [`${TABLE}.global_scale`]: ["F32", [1], new Uint8Array(4)] }],
    ])) {
      await refuses(fileOf(bytes), given, TABLE, /"model\.embed_tokens\.weight" must .*uint32/);
    }
  });
});

/**
 * Opens a model and expects that no call gives numbers of its table.
 * @param {Uint8Array} bytes @param {any} given @param {string} table @param {RegExp} message
 */
async function refuses(bytes, given, table, message) {
  const model = await open(bytes, given && { config: given });
  assert.ok(model.wordEmbeddings?.name.startsWith(table), String(model.wordEmbeddings?.name));
  assert.match(model.warnings.at(-1) ?? "", message);
  const refusal = (/** @type {any} */ error) => {
    assert.ok(error instanceof FileError, String(error));
    assert.equal(error.code, "OPEN_QUANTIZED");
    assert.match(error.message, message);
    return true;
  };
  for (const call of [
    () => model.wordEmbeddings?.rows([0]),
    () => model.wordEmbeddings?.load(),
    () => model.embed([0]),
    () => model.explore(),
    () => model.tensor(String(model.wordEmbeddings?.name)),
  ]) {
    await assert.rejects(async () => call(), refusal);
  }
  assert.ok((await model.list()).length > 0, "still says what is in the file");
}

const BITS = {
  ...{
    F64: 64,
    F32: 32,
    F16: 16,
    BF16: 16,
    F8_E4M3: 8,
    F8_E5M2: 8,
    F8_E8M0: 8,
    F8_E4M3FNUZ: 8,
    F4: 4,
  },
  ...{ I64: 64, I32: 32, I16: 16, I8: 8, U64: 64, U32: 32, U16: 16, U8: 8, BOOL: 8 },
};

/** A tensor of ones and zeros. @param {string} dtype @param {number[]} shape @returns {Raw} */
const rawOf = (dtype, shape) => {
  const size = shape.reduce((a, b) => a * b, /** @type {any} */ (BITS)[dtype]) / 8;
  return [dtype, shape, new Uint8Array(size).map((_, i) => i % 2)];
};

/** What bytes 0 and 1 stand for where a scale multiplies them. @type {Record<string, [number, number]>} */
const BYTES = { F8_E4M3: [0, 2 ** -9], F8_E5M2: [0, 2 ** -16], I8: [0, 1] };

/** Whether the rule of a pair is known. @param {string} dtype @param {string} end */
const isKnown = (dtype, end) =>
  Object.hasOwn(BYTES, dtype) &&
  RegExp(dtype === "I8" ? "^.(weight_scale|SCB)$" : "^.weight_scale(_inv)?$").test(end);

describe("a table with a tensor of scales", () => {
  const beside = [".scales", ".biases", ".weight_scale", ".weight_scale_inv", ".weight_scale_2"]
    .concat(".scale", ".scale_inv", ".weight_zero_point", ".weight.absmax", ".weight.quant_map")
    .concat(".weight.quant_state.bitsandbytes__nf4", ".SCB", ".scale_weight", ".zeros")
    .concat(".qscale_weight", ".weight_global_scale", ".weight_g_idx", ".codebooks", ".qzeros");
  const two = new Uint8Array(Float32Array.of(0.5, 3).buffer);
  for (const dtype of Object.keys(BITS)) {
    test(`is computed, or refused by an error that names both: ${dtype}`, async () => {
      for (const end of beside) {
        const other = `${TABLE}${end}`;
        const tensors = { [`${TABLE}.weight`]: rawOf(dtype, [2, 64]), [other]: ["F32", [2], two] };
        const bytes = fileOf(/** @type {Record<string, Raw>} */ (tensors));
        if (isKnown(dtype, end)) {
          const model = await open(bytes, { config: config() });
          const rows = await model.wordEmbeddings?.rows([1, 0]);
          const expected = [3, 0.5].map((scale) =>
            Array.from({ length: 64 }, (_, d) =>
              Math.fround((BYTES[dtype][d % 2] * scale) / (end === ".SCB" ? 127 : 1)),
            ),
          );
          assert.deepEqual(rows?.toArray(), expected, end);
          assert.deepEqual(model.warnings, []);
          continue;
        }
        const names = [`${TABLE}.weight`, other].map((name) => name.replaceAll(".", "\\."));
        await refuses(bytes, config(), TABLE, RegExp(`^"${names[0]}" must .* with "${names[1]}"`));
      }
    });
  }

  test("has blocks of 128 x 128 where its configuration does not say how large they are", async () => {
    const scales = Float32Array.of(1, 2, 3, 4, 5, 6);
    const bytes = fileOf({
      [`${TABLE}.weight`]: ["F8_E4M3", [300, 256], new Uint8Array(300 * 256).fill(0x38)], // 1
      [`${TABLE}.weight_scale_inv`]: ["F32", [3, 2], new Uint8Array(scales.buffer)],
    });
    const more = { vocab_size: 300, hidden_size: 256, quantization_config: { quant_method: "fp8" } };
    const model = await open(bytes, { config: config(more) });
    const rows = await model.wordEmbeddings?.rows([0, 127, 128, 255, 256, 299]);
    assert.deepEqual(rows?.toArray().map((/** @type {number[]} */ row) => [row[127], row[128]]), [[1, 2], [1, 2], [3, 4], [3, 4], [5, 6], [5, 6]]);
  }); // prettier-ignore

  test("is refused if its scales do not fit", async () => {
    const raw = (/** @type {string} */ dtype, /** @type {number[]} */ ...shape) =>
      rawOf(dtype, shape);
    const block = { quantization_config: { weight_block_size: [2, 32] } };
    const fp8 = { quantization_config: { quant_method: "fp8" } };
    for (const [table, ends, more = {}] of /** @type {[Raw, Record<string, Raw>, any?][]} */ ([
      [raw("F8_E4M3", 2, 64), { weight_scale: raw("F32", 3) }],
      [raw("F8_E4M3", 2, 64), { weight_scale: raw("F32", 64) }],
      [raw("I8", 2, 64), { weight_scale: raw("F32", 1, 64) }], // a scale for each column
      [raw("F8_E4M3", 3, 64), { weight_scale: raw("F32", 2, 1) }],
      [raw("F8_E4M3", 2, 64), { weight_scale: raw("F32", 2, 5) }],
      [raw("F8_E4M3", 2, 64), { weight_scale: raw("F32", 2, 1, 1) }],
      [raw("F8_E4M3", 2, 64), { weight_scale: raw("I32", 2) }],
      [raw("I8", 1, 2, 64), { weight_scale: raw("F32", 2, 1) }],
      [raw("F8_E4M3", 3, 80), { weight_scale: raw("F32", 2, 2) }, block],
      [raw("F8_E4M3", 3, 80), { weight_scale: raw("F32", 2, 3) }], // cut blocks, but of which size?
      [raw("F8_E4M3", 2, 64), { weight_scale: raw("F32", 2), weight_scale_2: raw("F32", 1) }],
      [raw("F8_E4M3", 2, 64), { weight_scale: raw("F32", 2), weight_scale_inv: raw("F32", 2) }],
      [raw("F8_E4M3", 2, 64), { weight_scale: raw("F32", 2), weight_zero_point: raw("I8", 2) }],
      [raw("I8", 2, 64), { weight_scale: raw("F32", 2), weight_zero_point: raw("I8", 2, 1) }],
      [raw("I8", 2, 64), { weight_scale: raw("F32", 2), weight_zero_point: raw("F32", 2) }],
      [
        raw("I8", 2, 64),
        { weight_scale: raw("F32", 2), weight_zero_point: raw("I8", 2), SCB: raw("F16", 2) },
      ],
      [raw("I8", 2, 64), { weight_scale: raw("U8", 2) }],
      [raw("I8", 2, 64), { scale: raw("U8", 2, 2) }, fp8], // two float4 in a byte (DeepSeek-V4)
      [raw("I8", 2, 64), { SCB: raw("F32", 2, 1) }],
      [raw("I8", 2, 64), { SCB: raw("F16", 2) }],
      [raw("I8", 2, 64), { SCB: raw("F32", 2), weight_scale: raw("F32", 2) }],
      [raw("F8_E4M3FNUZ", 2, 64), { weight_scale: raw("F32", 2) }],
    ])) {
      const named = Object.entries(ends).map(([end, tensor]) => [`${TABLE}.${end}`, tensor]);
      const tensors = { [`${TABLE}.weight`]: table, ...Object.fromEntries(named) };
      const message = /must hold numbers by itself, or have scales by a rule .* got (float|int)8/;
      await refuses(fileOf(tensors), config(more), TABLE, message);
    }
  });

  test("is refused if bitsandbytes has stored it in the order of a kernel", async () => {
    for (const order of [0, 1, 2, 3]) {
      const bytes = fileOf({
        [`${TABLE}.weight`]: rawOf("I8", [2, 64]),
        [`${TABLE}.SCB`]: rawOf("F32", [2]),
        [`${TABLE}.weight_format`]: ["U8", [], Uint8Array.of(order)],
      });
      if (order > 0) await refuses(bytes, config(), TABLE, /must be stored by rows .* got [123]$/);
      else assert.deepEqual((await open(bytes, { config: config() })).warnings, []);
    }
  });

  test("is refused by other names of packed numbers, and is the head where it is one", async () => {
    for (const [end, other] of [
      ["qweight", "qzeros"],
      ["weight_packed", "weight_scale"],
      ["W_q", "scale"],
      ["weight._data", "weight._scale"],
    ]) {
      const tensors = {
        [`${TABLE}.${end}`]: rawOf("I32", [8, 64]),
        [`${TABLE}.${other}`]: rawOf("F16", [1, 64]),
        [`lm_head.${end}`]: rawOf("I32", [16, 64]),
        [`lm_head.${other}`]: rawOf("F16", [2, 64]),
      };
      await refuses(fileOf(tensors), config(), TABLE, /must .* got int32 \[.* beside it$/);
      const { lmHead } = await open(fileOf(tensors), { config: config() });
      assert.equal(lmHead?.name, `lm_head.${end}`);
    }
  });

  test("is refused with a message that names what is not known", async () => {
    for (const [
      dtype,
      end,
      others,
      message,
    ] of /** @type {[string, string, string[], RegExp][]} */ ([
      ["I32", "qweight", ["qzeros", "scales", "g_idx"], /not known: whether GPTQ's or AWQ's zero/],
      ["I32", "qweight", ["qzeros", "scales"], /not known: whether GPTQ's or AWQ's zero/],
      ["U8", "weight", ["weight.absmax", "weight.quant_map"], /not known: bitsandbytes' blocks/],
      ["U8", "weight", ["weight.quant_state.bitsandbytes__nf4"], /not known: bitsandbytes' blocks/],
      ["I8", "weight", ["weight_scales"], /not known: the order .* EETQ/],
      ["I32", "weight_packed", ["weight_scale", "weight_zero_point"], /not known: zero points/],
      ["I16", "weight", ["codebooks", "scales"], /not known: codes of several numbers/],
    ])) {
      const named = others.map((each) => [`${TABLE}.${each}`, rawOf("F16", [2, 64])]);
      const tensors = { [`${TABLE}.${end}`]: rawOf(dtype, [2, 64]), ...Object.fromEntries(named) };
      await refuses(fileOf(tensors), config(), TABLE, message);
    }
  });

  test("keeps its numbers if the tensor is of something else", async () => {
    const table = { data: Float32Array.from({ length: 128 }, (_, i) => i), shape: [2, 64] };
    for (const name of [
      "model.embed_tokens.input_scale",
      "model.embed_scale",
      "model.scales",
      "model.embed.embedding_scale",
    ]) {
      const bytes = safetensors.write({ [`model.embed.weight`]: table, [name]: [1, 2] });
      const model = await open(bytes);
      assert.deepEqual(model.warnings, []);
      assert.equal((await model.embed([1])).at(0, 2), 66);
    }
  });
});

describe("a table of integers or float8 alone", () => {
  for (const dtype of ["U8", "I16", "U16", "I32", "U32", "I64", "U64", "BOOL"]) {
    test(`is refused: ${dtype}`, async () => {
      const tensors = { [`${TABLE}.weight`]: rawOf(dtype, [2, 64]) };
      await refuses(
        fileOf(tensors),
        config(),
        TABLE,
        /must hold floats, or have its scales beside/,
      );
    });
  }

  test("is read with a warning where it may be rounded floats", async () => {
    for (const dtype of ["I8", "F8_E4M3", "F8_E5M2"]) {
      const model = await open(fileOf({ [`${TABLE}.weight`]: rawOf(dtype, [2, 64]) }));
      assert.match(model.warnings[0], /must have its scales beside .* got (int|float)8\w* alone/);
      assert.equal((await model.wordEmbeddings?.rows([1]))?.size, 64);
    }
  });

  test("is read as it is in an array file, and in Model2Vec's format", async () => {
    const { npy } = await import("phasor/files");
    const numbers = await open({ "vectors.npy": npy.write(Int32Array.of(1, 2)) });
    assert.equal(numbers.wordEmbeddings, undefined);
    const rows = await open({ "a.npy": npy.write({ data: Int32Array.of(5, 6), shape: [1, 2] }) });
    assert.deepEqual((await rows.wordEmbeddings?.rows([0]))?.toArray(), [[5, 6]]);
    const small = await open(fileOf({ embeddings: rawOf("I8", [2, 4]) }));
    assert.deepEqual(small.warnings, []);
    assert.deepEqual((await small.embed([0])).toArray(), [[0, 1, 0, 1]]);
  });
});

describe("a table without a tensor that its numbers need is refused by the name of the missing tensor", () => {
  const raw = (/** @type {string} */ dtype) => rawOf(dtype, [2, 64]);
  const methods = {
    gptq: { quant_method: "gptq", bits: 4 },
    awq: { quant_method: "awq", bits: 4 },
    int8: { quant_method: "bitsandbytes", load_in_8bit: true },
    nf4: { quant_method: "bitsandbytes", load_in_4bit: true },
    fp8: { quant_method: "fp8" },
    compressed: { quant_method: "compressed-tensors" },
    mlx: { group_size: 32, bits: 4 },
  };
  for (const [method, end, dtype, names] of /** @type {const} */ ([
    ["gptq", "qweight", "I32", ["scales", "qzeros"]],
    ["awq", "qweight", "I32", ["scales", "qzeros"]],
    ["int8", "weight", "I8", ["SCB"]],
    ["nf4", "weight", "U8", ["weight.absmax", "weight.quant_map"]],
    ["fp8", "weight", "F8_E4M3", ["weight_scale", "weight_scale_inv"]],
    ["fp8", "weight", "F8_E5M2", ["weight_scale", "weight_scale_inv"]],
    ["compressed", "weight", "I8", ["weight_scale"]],
    ["compressed", "weight_packed", "I32", ["weight_scale"]],
    ["mlx", "weight", "U32", ["scales", "biases"]],
  ])) {
    test(`${method}, ${dtype}: all`, async () => {
      const bytes = fileOf({ [`${TABLE}.${end}`]: raw(dtype) });
      const given = config({ quantization_config: methods[method] });
      const missing = names.map((name) => `"${TABLE}.${name}"`).join(" or ");
      const message = RegExp(`must .* beside it, ${missing.replaceAll(".", "\\.")}; got .* alone$`);
      await refuses(bytes, given, TABLE, message);
    });
  }

  test("MLX's scales or biases alone", async () => {
    const tensors = await tensorsOf("affine.4", TABLE);
    for (const end of ["scales", "biases"]) {
      const { [`${TABLE}.${end}`]: _, ...others } = tensors;
      const message = RegExp(
        `must have "model\\.embed_tokens\\.${end}" beside it, too; got uint32`,
      );
      await refuses(
        fileOf(others),
        config({ quantization: { group_size: 32, bits: 4 } }),
        TABLE,
        message,
      );
    }
  });

  test("GPTQ's and AWQ's tables are refused whatever lies beside them", async () => {
    for (const ends of [["scales"], ["qzeros"], ["g_idx"], ["scales", "qzeros", "g_idx", "bias"]]) {
      const named = ends.map((end) => [`${TABLE}.${end}`, rawOf("F16", [1, 64])]);
      const tensors = { [`${TABLE}.qweight`]: rawOf("I32", [8, 64]), ...Object.fromEntries(named) };
      await refuses(fileOf(tensors), config(), TABLE, /not known: whether GPTQ's or AWQ's zero/);
    }
  });

  test("the numbers themselves", async () => {
    const tensors = await tensorsOf("affine.4", TABLE);
    const { [`${TABLE}.weight`]: _, ...others } = tensors;
    const scales = { [`${TABLE}.scales`]: tensors[`${TABLE}.scales`] };
    const packed = { [`${TABLE}.weight_scale`]: rawOf("F32", [2, 4]) };
    const blocks = { [`${TABLE}_blocks`]: rawOf("U8", [2, 2, 16]), [`${TABLE}_scales`]: rawOf("F32", [2, 2]) }; // prettier-ignore
    for (const some of [others, scales, packed, blocks, { [`${TABLE}.SCB`]: rawOf("F32", [2]) }]) {
      for (const given of [undefined, config()]) {
        const model = await open(fileOf(some), given && { config: given });
        assert.equal(model.wordEmbeddings, undefined, Object.keys(some).join());
        const message =
          /^"model\.embed_tokens[._]\w+" must have the numbers .* beside it; got none$/;
        assert.match(model.warnings.at(-1) ?? "", message);
        await assert.rejects(model.embed([0]), /no table of words/);
      }
    }
  });
});

test("a table of a format that has no decoder is refused by the header, before its bytes are read", async () => {
  const data = new Float32Array(2048 * 16.5); // 66 bytes of 256 numbers, more than the first read
  const tensors = { "token_embd.weight": { data, shape: [2048, 256], type: 16 } };
  for (const [bytes, code] of /** @type {[Uint8Array, string][]} */ ([
    [await ggufOf({ "general.architecture": "gpt2" }, tensors), "GGUF"],
    [fileOf({ "wte.weight": ["F4", [4096, 64], new Uint8Array(2 ** 17)] }), "SAFETENSORS"],
  ])) {
    const source = noting(new Uint8Array(bytes));
    const model = await open(source);
    const read = source.reads.length;
    const error = { code: `${code}_DTYPE_UNSUPPORTED`, message: /got (IQ2_XXS|float4_e2m1fn)$/ };
    await assert.rejects(async () => model.wordEmbeddings?.rows([0]), error);
    await assert.rejects(model.explore(), error); // loads
    assert.equal(source.reads.length, read, code);
  }
});
