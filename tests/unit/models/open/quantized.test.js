// Tables with scales beside them, against what the libraries that write them make of them. quantized.safetensors holds
// small tables of transformers 5.24.0, compressed-tensors 0.20.0, bitsandbytes 0.50.2, optimum-quanto 0.2.7 and
// torchao 0.18.0 under torch 2.15.0, the numbers that their own functions compute, and each quantization_config.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, describe, test } from "node:test";
import { safetensors } from "phasor/files";
import { serveHub } from "../../files/hub.js";
import { openModel as open } from "./entry.js";
import { fileOf } from "./mlx.js";

/** @typedef {import("./mlx.js").Raw} Raw */

const recorded = await safetensors.read(
  await readFile(new URL("quantized.safetensors", import.meta.url)),
);

const NAMES = new Map([
  ["float8_e4m3fn", "F8_E4M3"],
  ["float8_e5m2", "F8_E5M2"],
  ["float8_e8m0fnu", "F8_E8M0"],
  ["float32", "F32"],
  ["int64", "I64"],
  ["int32", "I32"],
  ["int8", "I8"],
  ["uint8", "U8"],
]);

/** The tensors of a case as those of a module. @param {string} name @param {string} stem */
async function tensorsOf(name, stem) {
  const own = recorded.names.filter((each) => each.startsWith(`${name}/`));
  const entries = own.map(async (each) => {
    const { dtype, shape, bytes } = await recorded.stored(each);
    return [each.replace(`${name}/`, `${stem}.`), [String(NAMES.get(dtype)), [...shape], bytes]];
  });
  const { [`${stem}.numbers`]: _, ...tensors } = Object.fromEntries(await Promise.all(entries));
  return /** @type {Record<string, Raw>} */ (tensors);
}

/** @param {number[][]} numbers @param {unknown} quantization_config */
const configOf = (numbers, quantization_config) => ({
  model_type: "llama",
  hidden_size: numbers[0].length,
  num_hidden_layers: 1,
  num_attention_heads: 1,
  vocab_size: numbers.length,
  max_position_embeddings: 128,
  tie_word_embeddings: false,
  quantization_config,
});

/** bitsandbytes multiplies by the float32 nearest to 1 / 127, and rounds twice. */
const isRounded = (/** @type {string} */ name) => name === "bitsandbytes int8";

/** @param {any} found @param {any} expected @param {string} name */
function same(found, expected, name) {
  if (!isRounded(name)) return assert.deepEqual(found, expected);
  const list = [expected].flat(2);
  [found].flat(2).forEach((x, i) => {
    assert.ok(Math.abs(x - list[i]) <= 2 ** -23 * Math.abs(list[i]), `${x}, not ${list[i]}`);
  });
}

const TABLE = "model.embed_tokens";

describe("a table with scales gives the numbers of its library in every call", () => {
  for (const [name, quantization] of recorded.metadata) {
    test(name, async () => {
      const { data, shape } = await recorded.tensor(`${name}/numbers`);
      const [V, D] = shape;
      /** @type {any[][]} */
      const numbers = Array.from({ length: V }, (_, v) => [...data.subarray(v * D, (v + 1) * D)]);
      const config = configOf(numbers, JSON.parse(String(quantization)));
      const words = await tensorsOf(name, TABLE);
      const head = await tensorsOf(name, "lm_head");
      const parts = Object.entries({ ...words, ...head });
      const weight_map = Object.fromEntries(parts.map(([each], i) => [each, `${i}.safetensors`]));
      const sources = [
        fileOf({ ...words, ...head }),
        {
          "model.safetensors.index.json": Buffer.from(JSON.stringify({ weight_map })),
          ...Object.fromEntries(
            parts.map(([each, raw]) => [weight_map[each], fileOf({ [each]: raw })]),
          ),
        },
      ];
      for (const source of sources) {
        const model = await open(source, { config });
        assert.deepEqual(model.warnings, []);
        const { wordEmbeddings: table, lmHead } = model;
        assert.ok(table && lmHead);
        assert.deepEqual([table.shape, lmHead.shape], [shape, shape]);
        const some = [V - 1, 0, V - 1];
        const rows = some.map((v) => numbers[v]);
        same((await table.rows(some)).toArray(), rows, name);
        same((await table.rows([])).toArray(), [], name);
        same((await table.rows(1)).toArray(), numbers[1], name);
        same((await lmHead.rows(some)).toArray(), rows, name);
        same((await model.embed(some)).toArray(), rows, name);
        same((await model.tensor(table.name)).toArray(), numbers, name);
        const info = await model.info(table.name);
        assert.deepEqual(info.shape, shape);
        if (/fp4$/.test(name)) assert.equal(info.dtype, `scaled ${name}`);
        const explorer = await model.explore();
        same(explorer.table.lookup([...numbers.keys()]).toArray(), numbers, name);
        const length = Math.hypot(...numbers[0]);
        assert.ok(Math.abs(explorer.norms().norms.at(0) / length - 1) < 1e-6);
        const dot = (/** @type {number} */ v) =>
          numbers[v].reduce((s, x, d) => s + x * numbers[0][d], 0);
        const scores = [...numbers.keys()].slice(1).sort((a, b) => dot(b) - dot(a));
        assert.equal(explorer.nearest(0, { k: 1, metric: "dot" })[0].id, scores[0]);
        explorer.dispose();
      }
    });
  }
});

test("Gemma's linear layers have other names", async () => {
  for (const name of ["gemma int2", "gemma int4", "gemma int8"]) {
    const { data, shape } = await recorded.tensor(`${name}/numbers`);
    const words = await tensorsOf(name, TABLE);
    const head = await tensorsOf(name, "lm_head");
    const tensors = {
      ...words,
      "lm_head.weight": head["lm_head.embedding_quantized"],
      "lm_head.weight_scale": head["lm_head.embedding_scale"],
    };
    const numbers = [[...data.subarray(0, shape[1])]];
    const config = configOf(numbers, JSON.parse(String(recorded.metadata.get(name))));
    const { lmHead } = await open(fileOf(tensors), { config });
    assert.deepEqual((await lmHead?.rows([0]))?.toArray(), numbers);
  }
});

test("packed numbers are refused if it is in doubt what they stand for", async () => {
  const words = "int4 group words";
  const said = JSON.parse(String(recorded.metadata.get(words)));
  const { weights } = said.config_groups.group_0;
  const withWeights = (/** @type {object} */ more) => ({
    ...said,
    config_groups: { group_0: { weights: { ...weights, ...more } } },
  });
  const gemma = JSON.parse(String(recorded.metadata.get("gemma int4")));
  /** @type {Raw} */
  const two = ["I32", [2], new Uint8Array(8)];
  for (const [
    name,
    quantization,
    hidden_size,
    more,
  ] of /** @type {[string, any, number, any?][]} */ ([
    [words, undefined, 64],
    [words, withWeights({ num_bits: 8 }), 64],
    [words, withWeights({ type: "float" }), 64],
    [words, withWeights({ symmetric: false }), 64],
    [words, withWeights({ group_size: null }), 48],
    [words, said, 64, { weight_zero_point: two }],
    [words, said, 64, { weight_g_idx: two }],
    ["gemma int4", { ...gemma, quant_method: "other" }, 64],
    ["gemma int4", gemma, 48],
    ["gemma int4", gemma, 32], // 8 bits are int8
    ["nvfp4", said, 64, { weight_global_scale: ["F32", [2], new Uint8Array(8)] }],
    ["nvfp4", said, 64, { weight_scale: ["U8", [3, 4], new Uint8Array(12)] }],
    ["mxfp4", said, 64, { weight_global_scale: ["F32", [1], new Uint8Array(4)] }],
  ])) {
    const tensors = await tensorsOf(name, TABLE);
    for (const end in more) tensors[`${TABLE}.${end}`] = more[end];
    const config = { ...configOf([[0]], quantization), hidden_size };
    const model = await open(fileOf(tensors), { config });
    await assert.rejects(async () => model.embed([0]), { code: "OPEN_QUANTIZED" });
    assert.match(model.warnings.join(), /must hold numbers by itself, or have scales by a rule/);
  }
});

const [V, D] = [40_000, 64];

/** A table of V rows with scales of some shape. @param {Raw[0]} dtype @param {number[]} shape */
function large(dtype, shape) {
  const scales = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => 1 + i);
  const bytes = new Uint8Array(V * D).map((_, i) => (i % D) + (i % 7));
  return fileOf({
    [`${TABLE}.weight`]: [dtype, [V, D], bytes],
    [`${TABLE}.weight_scale`]: ["F32", shape, new Uint8Array(scales.buffer)],
  });
}

const SHAPES = [[], [1], [V], [V, 1], [V, 2], [V / 100, 4]];

describe("a large table with scales", async () => {
  const files = Object.fromEntries(
    SHAPES.map((shape, i) => [
      `o/${i}`,
      { files: { "model.safetensors": large("F8_E4M3", shape) } },
    ]),
  );
  const hub = await serveHub(files);
  after(hub.close);

  for (const [i, shape] of SHAPES.entries()) {
    test(`is read over the network by the rows and scales alone that are needed: [${shape}]`, async () => {
      const model = await open(`o/${i}`, { base: hub.url, origins: [hub.store] });
      const before = [model.requests, model.bytesRead];
      const ids = [39_999, 20_000, 39_999];
      const rows = await model.wordEmbeddings?.rows(ids);
      const read = [model.requests - before[0], model.bytesRead - before[1]];
      assert.ok(read[0] <= 5 && read[1] <= 4 * 65_536, `${read[0]} requests, ${read[1]} bytes`);

      const whole = await open(large("F8_E4M3", shape));
      const loaded = await whole.wordEmbeddings?.load(); // piece by piece
      assert.deepEqual(loaded?.lookup(ids).toArray(), rows?.toArray());
      loaded?.dispose();
      assert.deepEqual((await whole.tensor(`${TABLE}.weight`, { rows: ids })).data, rows?.data);
      const all = await whole.tensor(`${TABLE}.weight`);
      const raw = await safetensors.read(large("F8_E4M3", shape));
      const plain = await raw.rows(`${TABLE}.weight`, ids);
      const [N = 1, G = 1] = shape;
      ids.forEach((id, n) => {
        for (const d of [0, 15, 16, 31, 32, 63]) {
          const scale = 1 + Math.floor((id * N) / V) * G + Math.floor((d * G) / D);
          assert.equal(rows?.at(n, d), Math.fround(Number(plain.at(n, d)) * scale));
          assert.equal(all.at(id, d), rows?.at(n, d));
        }
      });
    });
  }
});
