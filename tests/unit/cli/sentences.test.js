import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { npz, safetensors } from "phasor/files";
import { sampled } from "../../sample.js";
import { ggufOf } from "../models/open/gguf.js";
import { folderOf } from "./phasor.js";

/** @typedef {"cls" | "mean" | "last" | "max" | "weighted" | "mean-sqrt-len"} Mode */
/** @typedef {{mode: Mode, padding: boolean, prompt: boolean, dense: boolean, unit: boolean}} Rule */

const [B, T, D, W] = [3, 9, 8, 5];
const MODES = /** @type {const} */ (["cls", "mean", "last", "max", "weighted", "mean-sqrt-len"]);
/** What Sentence Transformers calls them. @type {Record<Mode, string>} */
const NAMES = {
  ...{ cls: "cls", mean: "mean", last: "lasttoken", max: "max", weighted: "weightedmean" },
  "mean-sqrt-len": "mean_sqrt_len_tokens",
};

let state = 12345;
/** A number from -1 to 1. */
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.fround(state / 2 ** 31 - 1);
}
/** @param {number} count */
const randoms = (count) => Float32Array.from({ length: count }, random);

const tokens = randoms(B * T * D);
// Padding at the end, at the beginning, and none.
const mask = [
  [1, 1, 1, 1, 1, 1, 0, 0, 0],
  [0, 0, 1, 1, 1, 1, 1, 1, 1],
  [1, 1, 1, 1, 1, 1, 1, 1, 1],
];
const none = mask.map((row) => row.map(() => 1));
const lengths = [2, 3, 2];
const weight = randoms(W * D);
const bias = randoms(W);

/** The vector of a text, step by step. @param {number} b @param {Rule} rule @param {number[][]} [flags] */
function vectorOf(b, { mode, padding, prompt, dense, unit }, flags = mask) {
  const counts = (padding ? none : flags)[b];
  const first = counts.indexOf(1);
  const kept = [...counts.keys()].filter(
    (t) => counts[t] === 1 && (prompt || t >= first + lengths[b]),
  );
  const at = (/** @type {number} */ t, /** @type {number} */ d) => tokens[(b * T + t) * D + d];
  const sum = (/** @type {number[]} */ list) => list.reduce((total, x) => total + x, 0);
  let vector = Array.from({ length: D }, (_, d) => {
    const column = kept.map((t) => at(t, d));
    if (mode === "cls") return column[0];
    if (mode === "last") return column[column.length - 1];
    if (mode === "max") return Math.max(...column);
    const weights = kept.map((t) => (mode === "weighted" ? t - first + 1 : 1));
    const total = sum(column.map((x, i) => x * weights[i]));
    return total / (mode === "mean-sqrt-len" ? Math.sqrt(kept.length) : sum(weights));
  });
  if (dense) {
    vector = Array.from({ length: W }, (_, n) =>
      Math.tanh(bias[n] + sum(vector.map((x, d) => x * weight[n * D + d]))),
    );
  }
  const length = unit ? Math.hypot(...vector) : 1;
  return vector.map((x) => x / length);
}

/** The file of a host. @param {Rule} rule @param {object} [others] @param {number[][]} [flags] */
function hostOf(rule, others = {}, flags = mask) {
  const vectors = Array.from({ length: B }, (_, b) => vectorOf(b, rule, flags));
  const states = { data: tokens, shape: [B, T, D] };
  const rows = Float32Array.from(vectors.flat());
  return npz.write({
    vectors: { data: rows, shape: [B, vectors[0].length] },
    tokens: states,
    mask: { data: Int32Array.from(flags.flat()), shape: [B, T] },
    prompt_length: Int32Array.from(lengths),
    ...others,
  });
}

/**
 * The files of a model.
 * @param {string} folder @param {Rule} rule @param {{prompts?: object, shared?: object}} [others]
 */
function modelOf(folder, { mode, prompt, dense, unit }, { shared } = {}) {
  const steps = [
    "Transformer",
    "Pooling",
    ...(dense ? ["Dense"] : []),
    ...(unit ? ["Normalize"] : []),
  ];
  const modules = steps.map((name, idx) => ({
    ...{ idx, name: String(idx), path: idx > 0 ? `${idx}_${name}` : "" },
    type: `sentence_transformers.models.${name}`,
  }));
  const pooling = { embedding_dimension: D, pooling_mode: NAMES[mode], include_prompt: prompt };
  const layer = { in_features: D, out_features: W, activation_function: "torch.nn.Tanh" };
  const linear = { "linear.weight": { data: weight, shape: [W, D] }, "linear.bias": bias };
  const config = shared && { "config_sentence_transformers.json": JSON.stringify(shared) };
  const files = {
    "model.safetensors": safetensors.write({ "embeddings.word_embeddings.weight": [[1, 2]] }),
    "modules.json": JSON.stringify(modules),
    "1_Pooling/config.json": JSON.stringify(pooling),
    ...(dense && {
      "2_Dense/config.json": JSON.stringify(layer),
      "2_Dense/model.safetensors": safetensors.write(linear),
    }),
    ...config,
  };
  return Object.fromEntries(
    Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]),
  );
}

/** A GGUF file of BERT. @param {number | undefined} pooling @param {boolean} [dense] */
function gguf(pooling, dense = false) {
  const words = { data: new Float32Array(D), shape: [1, D] };
  const layer = { "dense_2.weight": { data: weight, shape: [W, D] } };
  return ggufOf(
    {
      ...{ "general.architecture": "bert", "bert.embedding_length": D },
      ...(pooling !== undefined && { "bert.pooling_type": pooling }),
    },
    { "token_embd.weight": words, ...(dense && layer) },
  );
}

const { put, phasor, json } = await folderOf({ after });
/** @param {Record<string, string | Uint8Array>} files */
const putAll = async (files) => {
  for (const [path, content] of Object.entries(files)) await put(path, content);
};

let at = 0;
/** The document about a host's file. @param {string} model @param {Uint8Array} file */
async function checked(model, file) {
  const name = `host-${at++}.npz`;
  await put(name, file);
  const { code, data, stderr } = await json("sentences", model, name);
  assert.equal(stderr, "");
  const slips = data.vectors.fitting.map((/** @type {any} */ tried) => tried.slips);
  return { code, name, slips, ...data.vectors };
}

/** Every kind of slip is made in each. */
const models = MODES.flatMap((mode) => [true, false].map((dense) => ({ mode, dense })));
for (const { mode, dense } of sampled(models, 1 / 2)) {
  const own = { mode, dense, padding: false, prompt: dense, unit: mode !== "max" };
  const folder = `${mode}-${dense}`;
  test(`sentences names each slip of ${mode} ${dense ? "with" : "without"} a dense layer`, async () => {
    await putAll(modelOf(folder, own));
    const right = await checked(folder, await hostOf(own));
    assert.deepEqual([right.verdict, right.code, right.slips], ["own", 0, [[]]]);
    /** @type {[Partial<Rule>, string][]} */
    const slips = [
      ...MODES.filter((other) => other !== mode).map(
        (other) =>
          /** @type {[Partial<Rule>, string]} */ ([{ mode: other }, `${other} for ${mode}`]),
      ),
      [{ padding: true }, "padding is counted"],
      [{ unit: !own.unit }, own.unit ? "not normalized" : "normalized"],
    ];
    const prompt = `the prompt's tokens are ${own.prompt ? "left out" : "pooled"}`;
    if (mode !== "last") slips.push([{ prompt: !own.prompt }, prompt]); // which no prompt changes
    if (dense) slips.push([{ dense: false }, "the dense layer is left out"]);
    for (const [slip, name] of slips) {
      // Of length 1, vectors of mean-sqrt-len are those of mean.
      const isTwin = own.unit && !dense && `${slip.mode}`.startsWith("mean");
      const isOne = isTwin && mode.startsWith("mean");
      const known = isTwin && !isOne ? `mean for ${mode}` : name;
      const host = await hostOf({ ...own, ...slip });
      const { verdict, code, slips: found } = await checked(folder, host);
      assert.deepEqual(found, [isOne ? [] : [known]], name);
      assert.deepEqual([verdict, code], isOne ? ["own", 0] : ["slip", 1], name);
    }
  });
}

/** @type {Rule} */
const plain = { mode: "mean", padding: false, prompt: true, dense: false, unit: true };

test("sentences names several slips together, and the fewest that explain the vectors", async () => {
  await putAll(modelOf("both", { ...plain, dense: true }));
  const slips = { mode: /** @type {const} */ ("cls"), dense: false, unit: false };
  const { verdict, slips: found } = await checked("both", await hostOf({ ...plain, ...slips }));
  const expected = ["cls for mean", "the dense layer is left out", "not normalized"];
  assert.deepEqual([verdict, found], ["slip", [expected]]);
});

test("sentences lists every combination that fits the vectors", async () => {
  await putAll(modelOf("plain", plain));
  const padded = "padding is counted";
  const full = await checked("plain", await hostOf(plain, {}, none));
  assert.deepEqual([full.verdict, full.code, full.slips], ["undecided", 1, [[], [padded]]]);
  await putAll(modelOf("last-plain", { ...plain, mode: "last" }));
  const last = await checked("last-plain", await hostOf({ ...plain, mode: "last" }, {}, none));
  assert.deepEqual([last.verdict, last.slips], ["undecided", [[], [padded]]]);
  const early = mask.map((row) => row.toSorted());
  const left = await checked("last-plain", await hostOf({ ...plain, mode: "last" }, {}, early));
  assert.deepEqual([left.verdict, left.slips], ["own", [[]]]);
  await putAll(modelOf("cls-plain", { ...plain, mode: "cls" }));
  const cls = await checked("cls-plain", await hostOf({ ...plain, mode: "cls" }, {}, none));
  assert.deepEqual([cls.verdict, cls.slips], ["own", [[]]]);
  // A prompt that the model leaves out, of unknown length.
  const without = { ...plain, prompt: false };
  await putAll(modelOf("prompted", without));
  const vectors = Float32Array.from([0, 1, 2].flatMap((b) => vectorOf(b, plain)));
  const arrays = {
    vectors: { data: vectors, shape: [B, D] },
    tokens: { data: tokens, shape: [B, T, D] },
    mask: { data: Int32Array.from(mask.flat()), shape: [B, T] },
  };
  const unknown = await checked("prompted", await npz.write(arrays));
  const prompt = "the prompt's tokens are pooled";
  assert.deepEqual([unknown.verdict, unknown.slips], ["undecided", [[], [prompt]]]);
  const known = await npz.write({ ...arrays, prompt_length: Int32Array.of(0) });
  assert.equal((await checked("prompted", known)).verdict, "own");
});

test("sentences names nothing for random vectors, and the nearest with its largest error", async () => {
  await putAll(modelOf("random", { ...plain, dense: true }));
  for (let i = 0; i < 8; ++i) {
    const columns = i % 2 === 0 ? W : D;
    const vectors = { data: randoms(B * columns), shape: [B, columns] };
    const found = await checked("random", await hostOf(plain, { vectors }));
    assert.deepEqual([found.verdict, found.code, found.slips], ["none", 1, []]);
    assert.ok(found.nearest.largest > 0.01 && found.nearest.score > 1);
  }
  const close = [0, 1, 2].map((b) => vectorOf(b, { ...plain, dense: true }));
  close[1][3] += 0.01;
  const vectors = { data: Float32Array.from(close.flat()), shape: [B, W] };
  const found = await checked("random", await hostOf(plain, { vectors }));
  assert.deepEqual([found.verdict, found.nearest.slips], ["none", []]);
  assert.deepEqual(found.nearest.at, { text: 1, column: 3 });
  assert.ok(Math.abs(found.nearest.largest - 0.01) < 1e-6);
  const { code, stdout } = await phasor("sentences", "random", found.name);
  assert.equal(code, 1);
  assert.match(stdout, /\n {2}nearest: as the model wants; largest difference 0\.01 \(text 1, col/);
  const wide = { vectors: { data: randoms(B * 11), shape: [B, 11] } };
  assert.equal((await checked("random", await hostOf(plain, wide))).nearest, null);
});

test("sentences allows what half precision rounds, and no more", async () => {
  const round = (/** @type {number} */ x) => {
    const scale = 2 ** (Math.floor(Math.log2(Math.abs(x))) - 7);
    return Math.round(x / scale) * scale;
  };
  const vectors = [0, 1, 2].flatMap((b) => vectorOf(b, plain)).map(round);
  const file = { vectors: { data: Float32Array.from(vectors), shape: [B, D] } };
  const rounded = await checked("plain", await hostOf(plain, file));
  assert.deepEqual([rounded.verdict, rounded.precision], ["own", "bfloat16"]);
  const off = vectors.map((x, i) => (i === 3 ? x : x * (1 + 2 ** -20) + 1e-3));
  file.vectors.data = Float32Array.from(off);
  assert.equal((await checked("plain", await hostOf(plain, file))).verdict, "none");
});

test("sentences knows columns that are kept, and when", async () => {
  const shared = { truncate_dim: 4, prompts: { query: "query: " }, default_prompt_name: "query" };
  await putAll(modelOf("cut", plain, { shared }));
  const raw = [0, 1, 2].map((b) => vectorOf(b, { ...plain, unit: false }));
  /** @param {number[][]} rows */
  const unit = (rows) => rows.map((row) => row.map((x) => x / Math.hypot(...row)));
  const first = (/** @type {number[][]} */ rows, /** @type {number} */ n) => rows.map((row) => row.slice(0, n)); // prettier-ignore
  const given = (/** @type {number[][]} */ rows) => ({
    vectors: { data: Float32Array.from(rows.flat()), shape: [B, rows[0].length] },
  });
  /** @type {[number[][], string[]][]} */
  const hosts = [
    [first(unit(raw), 4), []], // Sentence Transformers cuts to truncate_dim after the norm
    [unit(first(raw, 4)), ["normalized after the columns are cut"]],
    [unit(raw), ["the first 8 of 8 columns are kept"]],
    [unit(first(raw, 6)), ["the first 6 of 8 columns are kept"]],
    [
      first(unit(raw), 6),
      ["the first 6 of 8 columns are kept", "normalized before the columns are cut"],
    ],
  ];
  for (const [rows, slips] of hosts) {
    const found = await checked("cut", await hostOf(plain, given(rows)));
    assert.deepEqual(found.slips, [slips]);
  }
  const zero = { ...given(first(unit(raw), 4)), prompt_length: Int32Array.of(0) };
  await put("zero.npz", await hostOf(plain, zero));
  const { stdout, code } = await phasor("sentences", "cut", "zero.npz");
  assert.match(stdout, /prompt_length is 0: was "query: " forgotten\?/);
  assert.equal(code, 0);
});

test("sentences prints what a model wants", async () => {
  const { stdout, code } = await phasor("sentences", "cut");
  assert.equal(code, 0);
  assert.match(stdout, /^cut\n {2}modules +Transformer, Pooling, Normalize\n {2}pooling +mean\n/);
  assert.match(stdout, /\n {2}kept columns +the first 4\n {2}prompts +query "query: "\n/);
  await putAll(modelOf("layered", { ...plain, dense: true, unit: true }));
  const { data } = await json("sentences", "layered");
  assert.deepEqual(data.wants.pooling, { mode: ["mean"], dim: D, includePrompt: true });
  const dense = { inputs: D, outputs: W, bias: true, activation: "tanh", residual: false };
  assert.deepEqual([data.wants.dense, data.wants.normalize], [[dense], true]);
  assert.deepEqual([data.wants.truncateDim, data.vectors], [null, null]);
});

describe("sentences of a GGUF file", () => {
  for (const [number, mode] of /** @type {const} */ ([
    [1, "mean"],
    [2, "cls"],
    [3, "last"],
  ])) {
    // prettier-ignore
    test(`with pooling_type ${number} are ${mode}, of either length`, async () => {
      await put(`${mode}.gguf`, await gguf(number));
      for (const unit of [false, true]) {
        const own = { ...plain, mode, unit };
        const right = await checked(`${mode}.gguf`, await hostOf(own));
        assert.deepEqual([right.verdict, right.slips], ["own", [[]]]);
        assert.equal(right.fitting[0].normalized, unit);
        const wrong = await checked(`${mode}.gguf`, await hostOf({ ...own, mode: "weighted" }));
        assert.deepEqual(wrong.slips, [[`weighted for ${mode}`]]);
      }
    });
  }

  test("have the linear layer that is in the file", async () => {
    await put("dense.gguf", await gguf(2, true));
    const { data } = await json("sentences", "dense.gguf");
    assert.deepEqual([data.wants.dense[0].outputs, data.wants.normalize], [W, null]);
    const states = [0, 1, 2].map((b) => vectorOf(b, { ...plain, mode: "cls", unit: false }));
    const layered = states.map((x) =>
      Array.from({ length: W }, (_, n) => x.reduce((sum, v, d) => sum + v * weight[n * D + d], 0)),
    );
    const vectors = { data: Float32Array.from(layered.flat()), shape: [B, W] };
    assert.deepEqual((await checked("dense.gguf", await hostOf(plain, { vectors }))).slips, [[]]);
    const without = await checked("dense.gguf", await hostOf({ ...plain, mode: "cls" }));
    assert.deepEqual(without.slips, [["the dense layer is left out"]]);
  });

  test("are refused where the pooling gives no vector", async () => {
    for (const [number, rule] of /** @type {[number | undefined, RegExp][]} */ ([
      [undefined, /must say how it makes sentence vectors, .*; got neither\n$/],
      [0, /must say how it makes sentence vectors, .*; got neither\n$/],
      [4, /^phasor sentences: bert\.pooling_type must be .*; got "4 \(rank: .*\n$/],
      [9, /^phasor sentences: bert\.pooling_type must be .*; got 9\n$/],
    ])) {
      await put("none.gguf", await gguf(number));
      const { code, stderr, stdout } = await phasor("sentences", "none.gguf");
      assert.match(stderr, rule);
      assert.deepEqual([code, stdout], [1, ""]);
    }
  });
});

test("sentences refuses arrays that do not belong together in words", async () => {
  const states = { data: tokens, shape: [B, T, D] };
  /** @type {[object, RegExp][]} */
  const wrong = [
    [{ tokens: { data: randoms(B * T * 4), shape: [B, T, 4] } }, /tokens must have shape \[B, T, 8\]/],
    [{ vectors: { data: randoms(2 * D), shape: [2, D] } }, /vectors must have shape \[3, W\]; got \[2, 8\]/],
    [{ vectors: { data: new Float32Array(B * D).fill(NaN), shape: [B, D] } }, /vectors must be finite; got NaN/],
    [{ mask: Int32Array.from([1, 1]) }, /mask must have shape \[3, 9\] or \[9\]; got \[2\]/],
    [{ mask: new Int32Array(T) }, /mask must have a 1 in each text; got none in text 0/],
    [{ mask: new Int32Array(T).fill(2) }, /mask must hold 1 and 0; got 2/],
    [{ prompt_length: Int32Array.of(9) }, /prompt_length must be a whole number that leaves .*; got 9 for text 0/],
    [{ prompt_length: Int32Array.of(1, 2) }, /prompt_length must be one number or \[3\]; got shape \[2\]/],
    [{ tokens: { data: new Int32Array(B * T * D), shape: [B, T, D] } }, /tokens must hold floating-point/],
  ]; // prettier-ignore
  for (const [others, message] of wrong) {
    await put("wrong.npz", await hostOf(plain, others));
    const { code, stderr } = await phasor("sentences", "plain", "wrong.npz");
    assert.match(stderr, message);
    assert.match(stderr, /^phasor sentences: [^\n]+\n$/);
    assert.equal(code, 1);
  }
  await put("bare.npz", await npz.write({ tokens: states }));
  const { stderr } = await phasor("sentences", "plain", "bare.npz");
  assert.match(stderr, /bare\.npz must have the arrays vectors and tokens; got "tokens"\n$/);
  assert.match(
    (await phasor("sentences", "plain", "no.npz")).stderr,
    /VECTORS must be a file; got/,
  );
});
