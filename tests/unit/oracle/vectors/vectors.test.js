import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { safetensors } from "phasor/files";
import { models } from "phasor/models";
import { vectors } from "phasor/vectors";
import { project } from "../../../../scripts/setup/setup.js";
import { sampled } from "../../../sample.js";

const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

/** @typedef {Record<string, {data: any, shape: readonly number[], dtype: string}>} Arrays */

/**
 * The arrays of a file of a kit.
 * @param {Readonly<Record<string, any>>} files @param {string} name
 * @returns {Promise<{arrays: Arrays, metadata: ReadonlyMap<string, string>}>}
 */
async function opened(files, name) {
  const file = await safetensors.read(files[name]);
  const entries = file.names.map(async (each) => [each, await file.tensor(each)]);
  return { arrays: Object.fromEntries(await Promise.all(entries)), metadata: file.metadata };
}

/** @param {any} config @param {any} [options] */
async function kit(config, options = { length: 16, tests: [] }) {
  const { files, leftOut } = await vectors(config, options);
  const names = Object.keys(files).filter((name) => name.endsWith(".safetensors"));
  const all = await Promise.all(names.map((name) => opened(files, name)));
  const found = Object.fromEntries(names.map((name, i) => [name.slice(0, -12), all[i]]));
  return { files, leftOut, ...found, layers: JSON.parse(String(files["layers.json"])) };
}

/** The arrays of a group, by their short names. @param {Arrays} arrays @param {string} name @returns {Arrays} */
const group = (arrays, name) =>
  Object.fromEntries(
    Object.entries(arrays).flatMap(([key, array]) =>
      key.startsWith(`${name}/`) ? [[key.slice(name.length + 1), array]] : [],
    ),
  );

const small = { model_type: "llama", hidden_size: 64, num_attention_heads: 4, num_key_value_heads: 2, num_hidden_layers: 3, max_position_embeddings: 256, vocab_size: 64, rope_theta: 500 }; // prettier-ignore

test("vectors: rotary.safetensors has the rotation of each case, in double within its tolerance", async () => {
  const { rotary } = /** @type {any} */ (await kit(small));
  assert.deepEqual([...rotary.arrays["full_attention/layers"].data], [0, 1, 2]);
  const starts = { first: 0, last: 240, cached: 17 };
  for (const [name, start] of Object.entries(starts)) {
    const of = group(rotary.arrays, `full_attention/${name}`);
    const { positions, inv_freq, cos, sin, q, k, q_rotated, k_rotated, tolerance } = of;
    assert.deepEqual([...positions.data], Array.from({ length: 16 }, (_, t) => start + t));
    assert.equal(positions.dtype, "int32");
    assert.equal(inv_freq.dtype, "float64");
    assert.deepEqual(cos.shape, [16, 8]);
    assert.deepEqual(sin.shape, [16, 8]);
    assert.deepEqual(q.shape, [2, 4, 16, 16]);
    assert.deepEqual(k.shape, [2, 2, 16, 16]);
    for (const [x, rotated] of [[q, q_rotated], [k, k_rotated]]) {
      assert.deepEqual(rotated.shape, x.shape);
      for (let at = 0; at < x.data.length; ++at) {
        const [t, column] = [Math.floor(at / 16) % 16, at % 16];
        const frequency = 500 ** (-(column % 8) / 8);
        const angle = (start + t) * frequency;
        const other = column < 8 ? -x.data[at + 8] : x.data[at - 8];
        const want = x.data[at] * Math.cos(angle) + other * Math.sin(angle);
        const allowed = tolerance.data[t * 16 + column];
        assert.ok(Math.abs(rotated.data[at] - want) <= 2e-7, `${name} ${at}`);
        const inexact = 1 + (Math.ceil(-Math.log2(frequency)) * Math.LN2) / 4; // of a rounded exponent
        assert.ok(Math.abs(allowed - 1e-6 - angle * inexact * 2 ** -21) < 1e-10 * (1 + angle));
        assert.ok(Math.abs(inv_freq.data[column % 8] - frequency) <= 6e-8 * frequency);
      }
    }
  }
}); // prettier-ignore

test("vectors: a configuration may have numbers that only Python reads", async () => {
  const text = JSON.stringify({ ...small, text: "NaN", time_step_limit: [0, 1] });
  const { layers } = await kit(text.replace("[0,1]", "[0.0, Infinity]"));
  assert.equal(layers.made.config, "llama");
});

test("vectors: each file names the version, the configuration's digest and the tolerance", async () => {
  const text = JSON.stringify(small);
  const { files, layers } = await kit(text);
  const sha256 = createHash("sha256").update(text).digest("hex");
  for (const name of Object.keys(files).filter((name) => name.endsWith(".safetensors"))) {
    const { metadata } = await opened(files, name);
    assert.equal(metadata.get("phasor"), version);
    assert.equal(metadata.get("sha256"), sha256);
    assert.match(String(metadata.get("tolerance")), /\w{3}/, name);
  }
  assert.deepEqual(layers.made, { phasor: version, config: "llama", sha256 });
  const { files: tests } = await vectors(text, { length: 4 });
  const names = "test_positions.py positions.test.js positions_test.rs PositionsTests.swift positions_test.cc"; // prettier-ignore
  for (const name of names.split(" ")) {
    assert.ok(String(tests[name]).includes(`phasor ${version} of llama, SHA-256 ${sha256.slice(0, 16)}`)); // prettier-ignore
  }
});

test("vectors: the same seed gives the same bytes, and another one other queries", async () => {
  const [a, b, c] = await Promise.all([1, 1, 2].map((seed) => vectors(small, { seed, length: 4 })));
  assert.deepEqual(a.files, b.files);
  assert.notDeepEqual(a.files["rotary.safetensors"], c.files["rotary.safetensors"]);
  assert.ok(Object.isFrozen(a.files) && Object.isFrozen(a.leftOut));
});

test("vectors: PyTorch's steps are beside the exact ones, with the largest difference in words", async () => {
  const { rotary, "torch/rotary": torch } = /** @type {any} */ (await kit("llama-3.2-1b"));
  let most = 0;
  for (const [name, { data }] of Object.entries(/** @type {Arrays} */ (torch.arrays))) {
    const exact = rotary.arrays[name].data;
    for (const [i, x] of data.entries()) most = Math.max(most, Math.abs(x - exact[i]));
  }
  assert.ok(most > 1e-4, "the last positions differ");
  assert.ok(torch.metadata.get("tolerance").includes(most.toPrecision(3)));
});

test("vectors: layers.json says of each layer its kind, rotation, window and heads", async () => {
  const config = {
    ...{ model_type: "gemma3_text", hidden_size: 64, num_attention_heads: 4, head_dim: 16 },
    ...{ num_key_value_heads: 1, num_hidden_layers: 6, sliding_window: 9 },
    ...{ max_position_embeddings: 512, rope_theta: 1e6, vocab_size: 64 },
  };
  const { layers } = await kit(config);
  assert.equal(layers.layers.length, 6);
  const [first, , , , , last] = layers.layers;
  assert.equal(first.kind, "sliding_attention");
  assert.deepEqual([first.rotates, first.window, first.base, first.dim], [true, 9, 10000, 16]);
  assert.deepEqual([last.kind, last.base, last.window], ["full_attention", 1e6, undefined]);
  assert.deepEqual([first.heads, first.key_value_heads, first.head_dim], [4, 1, 16]);
  const named = await kit("command-r7b");
  assert.equal(named.layers.layers[0].window, 4096);
  assert.equal(named.layers.layers[3].rotates, false);
  const windows = async (/** @type {any} */ more) =>
    (await kit({ ...small, sliding_window: 9, ...more })).layers.layers.map((/** @type {any} */ each) => each.window); // prettier-ignore
  assert.deepEqual(
    await windows({ model_type: "mistral" }),
    [9, 9, 9],
    "the kind is full_attention",
  );
  assert.deepEqual(await windows({}), [undefined, undefined, undefined], "LLaMA does not read it");
  const [several] = await windows({ model_type: "gemma2", head_dim: 16 });
  assert.match(several, /^unknown: layers of the kind full_attention have several/);
  const [sliding] = await windows({
    model_type: "gemma3_text",
    head_dim: 16,
    sliding_window: null,
  });
  assert.match(sliding, /^unknown: the configuration has no sliding_window/);
});

test("vectors: layers that do not rotate keep their queries, and slips of theirs are rotations of others", async () => {
  const { rotary, slips } = /** @type {any} */ (await kit("command-r7b"));
  const still = group(rotary.arrays, "full_attention/first");
  assert.deepEqual(still.q_rotated.data, still.q.data);
  assert.deepEqual(Object.keys(group(slips.arrays, "full_attention/first")), [
    "the rotation of sliding_attention layers, where these do not rotate",
  ]);
});

test("vectors: latent attention has its rotated columns in a separate tensor, with one head of keys", async () => {
  const { rotary } = /** @type {any} */ (await kit("deepseek-v3"));
  assert.equal(rotary.arrays["full_attention/first/q"].shape[3], 64);
  assert.equal(rotary.arrays["full_attention/first/k"].shape[1], 1);
});

test("vectors: the answers of at least 20 slips differ from the right one", async () => {
  for (const name of ["llama-2-7b", "llama-3.2-1b", "gpt-oss-20b", "deepseek-v3", "gpt-neox-20b"]) {
    const { rotary, slips } = /** @type {any} */ (await kit(name));
    for (const kind of Object.keys(rotary.arrays).filter((each) => each.endsWith("/layers"))) {
      const at = `${kind.slice(0, -7)}/last`;
      const { q_rotated, tolerance } = group(rotary.arrays, at);
      const all = Object.entries(group(slips.arrays, at));
      assert.ok(all.length >= 20, `${name}: ${all.length}`);
      for (const [slip, { data }] of all) {
        const right = q_rotated.data.slice(-data.length);
        const allowed = tolerance.data.slice(-data.length);
        const isSeen = [...data].some((x, i) => Math.abs(x - right[i]) > allowed[i]);
        assert.ok(isSeen, `${name}: ${slip}`);
      }
    }
  }
});

test("vectors: ids.safetensors counts tokens as the model does", async () => {
  const biogpt = { model_type: "biogpt", hidden_size: 8, num_attention_heads: 2, num_hidden_layers: 1, max_position_embeddings: 64, vocab_size: 64 }; // prettier-ignore
  const expected = /** @type {const} */ ([
    ["llama-2-7b", [0, 1, 2], [[0, 1], [0], [0], [0]]],
    ["gpt2", [0, 1, 2], [[0, 1], [0], [0], [0]]],
    ["opt-125m", [2, 3, 4], [[2, 3], [2], [2], [2]]],
    [biogpt, [0, 1, 2], [[0, 1], [0], [0], [0]]],
    ["roberta-base", [2, 3, 4], [[2, 3], [2], [2], [2]]],
    ["bert-base-uncased", [0, 1, 2], [[0, 1], [1], [5], [7]]],
  ]); // prettier-ignore
  for (const [model, first, begins] of expected) {
    const { ids } = /** @type {any} */ (await kit(model, { length: 8, tests: [] }));
    const { mask, position_ids, tolerance } = group(ids.arrays, "ids");
    const name = JSON.stringify(model);
    assert.deepEqual([...mask.data.slice(8, 11)], [0, 1, 1], name);
    assert.deepEqual([...position_ids.data.slice(0, 3)], first, name);
    for (const [row, starts] of begins.entries()) {
      const at = 8 * row + [0, 1, 5, 7][row];
      assert.deepEqual([...position_ids.data.slice(at, at + starts.length)], starts, name);
    }
    assert.deepEqual([...tolerance.data].map((x) => x === 0), [...mask.data].map(Boolean)); // prettier-ignore
  }
});

test("vectors: packed rows begin again, and a picture has three axes", async () => {
  const config = {
    ...{ model_type: "qwen2_vl", hidden_size: 64, num_attention_heads: 4, num_hidden_layers: 1 },
    ...{ num_key_value_heads: 2, vocab_size: 64, max_position_embeddings: 512 },
    ...{ rope_scaling: { type: "mrope", mrope_section: [2, 3, 3] } },
    ...{ image_token_id: 60, video_token_id: 61 },
  };
  const { ids, leftOut, slips } = /** @type {any} */ (await kit(config));
  assert.deepEqual([...ids.arrays["packed/position_ids"].data.slice(3, 8)], [3, 4, 0, 1, 2]);
  const { position_ids, token_types, input_ids, next } = group(ids.arrays, "picture");
  // Three words, a picture of 4 x 3, three words, a video of 3 frames of 2 x 3, three words.
  const T = 3 + 12 + 3 + 18 + 3;
  assert.deepEqual(position_ids.shape, [3, 1, T]);
  const column = (/** @type {number} */ t) => [0, 1, 2].map((a) => position_ids.data[a * T + t]);
  assert.deepEqual(column(2), [2, 2, 2]);
  assert.deepEqual(column(3 + 11), [3, 6, 5]);
  assert.deepEqual(column(3 + 12), [7, 7, 7]);
  assert.deepEqual(column(18 + 17), [12, 11, 12]);
  assert.deepEqual(column(18 + 18), [13, 13, 13]);
  assert.deepEqual([...next.data], [16]);
  assert.deepEqual([...input_ids.data].slice(2, 4), [5, 60]);
  assert.deepEqual([...token_types.data].filter((type) => type === 2).length, 18);
  assert.match(leftOut["ids.safetensors"], /^the text after a video of more frames/);
  assert.ok("picture/pictures are numbered like text" in slips.arrays);
});

test("vectors: transformers 4 and 5 number the text after a kit's video alike", async () => {
  const base = { hidden_size: 64, num_attention_heads: 4, num_hidden_layers: 1, num_key_value_heads: 2, vocab_size: 64, max_position_embeddings: 512, rope_scaling: { type: "mrope", mrope_section: [2, 3, 3] } }; // prettier-ignore
  for (const [model_type, step] of /** @type {const} */ ([["qwen2_vl", 1], ["qwen2_5_vl", 2], ["qwen2_5_vl", 7]])) {
    const config = { ...base, model_type, vision_config: { tokens_per_second: step } };
    const { ids, slips } = /** @type {any} */ (await kit(config));
    const { position_ids, token_types } = group(ids.arrays, "picture");
    const [T, after] = [token_types.data.length, token_types.data.lastIndexOf(2) + 1];
    const video = [0, 1, 2].map((a) => position_ids.data.slice(a * T, a * T + after));
    const first = video[0][token_types.data.indexOf(2)];
    const [frames, rows, columns] = video.map((own) => Math.max(...own) - first + 1);
    assert.equal(frames, 2 * step + 1);
    assert.equal(position_ids.data[after], first + Math.max(frames, rows, columns));
    assert.equal(position_ids.data[after], first + Math.max(rows, columns));
    assert.equal("picture/frames are one position apart" in slips.arrays, step > 1);
  }
}); // prettier-ignore

test("vectors: bias.safetensors has ALiBi's slopes and T5's buckets", async () => {
  const { bias } = /** @type {any} */ (await kit("bloom-560m"));
  const { slopes } = group(bias.arrays, "alibi");
  assert.deepEqual([...slopes.data], Array.from({ length: 16 }, (_, h) => Math.fround(2 ** (-(h + 1) / 2)))); // prettier-ignore
  const cached = bias.arrays["alibi/cached/bias"];
  assert.deepEqual(cached.shape, [16, 1, 33]);
  assert.ok(Math.abs(cached.data[0] + 32 * 2 ** -0.5) < 1e-6);
  const { bias: t5 } = /** @type {any} */ (await kit("t5-base"));
  const far = t5.arrays["t5/causal/far/buckets"];
  assert.deepEqual([far.shape, far.data[0], far.data[far.data.length - 1]], [[1, 256], 31, 0]);
  const umt5 = { model_type: "umt5", d_model: 64, num_heads: 4, d_kv: 16, num_layers: 1, vocab_size: 64 }; // prettier-ignore
  const { leftOut } = await kit(umt5);
  assert.match(
    leftOut["bias.safetensors"],
    /^the kit has one table; the model has a table in each layer/,
  );
  const { table } = group(t5.arrays, "t5");
  const made = group(t5.arrays, "t5/bidirectional/first");
  const heads = table.shape[1];
  for (const [i, bucket] of made.buckets.data.entries()) {
    assert.equal(made.bias.data[i], table.data[bucket * heads]);
  }
});

test("vectors: embedding.safetensors has each step", async () => {
  const { embedding, slips } = /** @type {any} */ (await kit("gemma-3-1b"));
  const { ids, words, output, "weights/words": table } = group(embedding.arrays, "embedding");
  assert.deepEqual([table.shape, output.shape], [[64, 1152], [2, 8, 1152]]); // prettier-ignore
  const at = ids.data[3] * 1152 + 7;
  assert.equal(words.data[3 * 1152 + 7], table.data[at]);
  assert.equal(output.data[3 * 1152 + 7], Math.fround(table.data[at] * 34), "34 is sqrt(1152) in bfloat16"); // prettier-ignore
  assert.ok("embedding/the scale is not rounded" in slips.arrays);
  const bert = /** @type {any} */ (await kit("bert-base-uncased")).embedding.arrays;
  const steps = "ids words positions segments sum normalized output tolerance".split(" ");
  for (const step of steps) assert.ok(`embedding/${step}` in bert, step);
});

test("vectors: a sixteenth of models.names, at night each, have a kit, which says what is left out", async () => {
  for (const name of sampled(models.names, 1 / 16)) {
    const { files, leftOut } = await vectors(name, { length: 2, tests: [] });
    for (const each of ["rotary", "ids", "bias", "embedding"]) {
      const file = `${each}.safetensors`;
      assert.ok(file in files || leftOut[file].length > 20, `${name}: ${file}`);
    }
    assert.deepEqual(JSON.parse(String(files["layers.json"])).left_out, leftOut);
  }
});

test("vectors: a model of extreme sizes has a kit of few numbers, or says what is left out", async () => {
  const t5 = { model_type: "t5", d_model: 64, num_heads: 4, d_kv: 16, num_layers: 1, vocab_size: 64, relative_attention_max_distance: 2 ** 30 }; // prettier-ignore
  const { bias } = /** @type {any} */ (await kit(t5));
  assert.deepEqual(bias.arrays["t5/causal/far/bias"].shape, [4, 1, 4096]);
  const bert = { model_type: "bert", hidden_size: 64, num_attention_heads: 4, num_hidden_layers: 1, vocab_size: 64, max_position_embeddings: 4 }; // prettier-ignore
  const { leftOut, ids } = /** @type {any} */ (await kit(bert));
  assert.match(leftOut["embedding.safetensors"], /^the table of positions has 4 rows/);
  assert.deepEqual(ids.arrays["ids/mask"].shape, [4, 4]);
  const one = await kit({ ...small, max_position_embeddings: 1 }, { length: 1, tests: [] });
  assert.ok("rotary.safetensors" in one.files);
});

test("vectors: a wrong configuration or option is a typed error that names vectors", async () => {
  const wrong = /** @type {const} */ ([
    [
      ["gpt"],
      RangeError,
      /^vectors: config must be one of models\.names, or JSON; got "gpt"; did you mean "gpt2"\?/,
    ],
    [[7], TypeError, /^vectors: config must/],
    [[{ model_type: "none" }], RangeError, /^vectors: config must be of a family that phasor knows; got none/], // prettier-ignore
    [
      [{ ...small, head_dim: 2 ** 20 }],
      RangeError,
      /^vectors: config must have headDim of at most 65536; got 1048576/,
    ],
    [
      [{ ...small, hidden_size: 2 ** 20 }],
      RangeError,
      /^vectors: config must have dim of at most 65536/,
    ],
    [["gpt2", { length: 0 }], RangeError, /^vectors: length must/],
    [["gpt2", { seed: -1 }], RangeError, /^vectors: seed must/],
    [["gpt2", { tests: "pytest" }], TypeError, /^vectors: tests must be an array of languages; got "pytest"/], // prettier-ignore
    [["gpt2", { tests: ["java"] }], RangeError, /^vectors: tests must be one of "pytest"/],
    [
      ["gpt2", { size: 1 }],
      TypeError,
      /^vectors: options must have only length, seed, tests, phasor; got "size"/,
    ],
  ]);
  for (const [given, type, says] of wrong) {
    const [config, options] = /** @type {readonly any[]} */ (given);
    await assert.rejects(vectors(config, options), (/** @type {Error} */ error) => {
      assert.ok(error instanceof type, String(error));
      assert.match(error.message, says);
      return true;
    });
  }
});

test("vectors: position ids begin where the model's text does", async () => {
  const text_config = { ...small, model_type: "gemma", head_dim: 16 };
  const first = async (/** @type {any} */ config) => {
    const { ids } = /** @type {any} */ (await kit(config));
    const { mask, position_ids } = group(ids.arrays, "ids");
    return position_ids.data[mask.data.indexOf(1)];
  };
  assert.equal(await first({ model_type: "paligemma", text_config }), 1);
  assert.equal(await first(text_config), 0);
  const roberta = { ...small, model_type: "roberta", type_vocab_size: 1, pad_token_id: 3 };
  assert.equal(await first(roberta), 4);
});

test("vectors: phasor/vectors loads its tests on first use", async () => {
  const [makes, writes] = ["vectors.js", "vectors-tests.js"].map((name) =>
    readFileSync(join(project, "dist", name), "utf8"),
  );
  assert.match(makes, /import\("\.\/vectors-tests\.js"\)/);
  assert.doesNotMatch(makes, /safetensors\.numpy/);
  assert.match(writes, /safetensors\.numpy/);
});
