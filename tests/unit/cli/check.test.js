import assert from "node:assert/strict";
import { after, test } from "node:test";
import { npz, safetensors } from "phasor/files";
import { sampled } from "../../sample.js";
import { phasor as core, Tensor } from "../../phasor.js";
import { folderOf, llama, scaled } from "./phasor.js";

const { rope } = core;
const own = rope.table(64, 128, scaled);

/** q and its rotation. @param {import("phasor").RotaryTable} table @param {object} [options] */
function rotated(table, options) {
  const shape = [2, table.cos.shape[0], 128];
  const q = new Tensor(core.embedding.create(shape[0] * shape[1], 128, { seed: 7 }).lookup(
    Int32Array.from({ length: shape[0] * shape[1] }, (_, i) => i),
  ).data, shape); // prettier-ignore
  return { q, q_rotated: rope.apply(q, table, options) };
}

/** A table rounded to bfloat16, ties to even. @param {import("phasor").RotaryTable} table */
function inBfloat16({ cos, sin }) {
  const part = (/** @type {import("phasor").Tensor} */ { data, shape }) => {
    const words = new Uint32Array(data.slice().buffer);
    const bits = Uint16Array.from(words, (word) => (word + 0x7fff + ((word >>> 16) & 1)) >>> 16);
    return { data: bits, shape, dtype: "bfloat16" };
  };
  return { cos: part(cos), sin: part(sin) };
}

/** Twice as many columns, from two tables of half the head. @param {import("phasor").Tensor} x */
const negated = ({ data, shape }) => new Tensor(data.map((value) => -value), shape); // prettier-ignore

const partial = {
  ...{ model_type: "phi", hidden_size: 256, num_attention_heads: 4, num_hidden_layers: 2 },
  ...{ partial_rotary_factor: 0.5, max_position_embeddings: 2048 },
};
const yarn = {
  ...llama,
  rope_scaling: { rope_type: "yarn", factor: 4, original_max_position_embeddings: 32768 },
};
const { attentionFactor } = rope.frequencies(128, {
  base: 500000,
  scaling: { type: "yarn", factor: 4, originalLength: 32768 },
});
assert.ok(attentionFactor > 1.1);
const yarned = rope.table(64, 128, {
  base: 500000,
  scaling: { type: "yarn", factor: 4, originalLength: 32768 },
});
const unfactored = {
  cos: new Tensor(yarned.cos.data.map((x) => x / attentionFactor), yarned.cos.shape), // prettier-ignore
  sin: new Tensor(yarned.sin.data.map((x) => x / attentionFactor), yarned.sin.shape), // prettier-ignore
};

const inDegrees = rope.frequencies(128, scaled).frequencies.data.map((x) => (x * Math.PI) / 180);
const dynamic = { ...llama, rope_scaling: { rope_type: "dynamic", factor: 2 } };

const small = { ...{ model_type: "phi3", hidden_size: 3072, num_attention_heads: 32 }, ...{ num_hidden_layers: 2, vocab_size: 10, max_position_embeddings: 4096 } }; // prettier-ignore

/** Heads of latent attention, of which 64 columns rotate in a separate tensor, the last in the heads of published code. */
const latent = {
  ...{ model_type: "deepseek_v3", vocab_size: 1000, hidden_size: 512, num_hidden_layers: 2 },
  ...{ num_attention_heads: 4, max_position_embeddings: 4096, rope_theta: 10000 },
  ...{ kv_lora_rank: 512, qk_nope_head_dim: 128, qk_rope_head_dim: 64 },
};

/** Such heads, of which the columns from `start` on are rotated. @param {number} start */
function latentHeads(start) {
  const [T, D, R] = [16, 192, 64];
  const q = core.embedding.create(T, D, { seed: 5 }).lookup(Int32Array.from({ length: T }, (_, t) => t)); // prettier-ignore
  const part = (/** @type {number} */ t) => q.data.slice(t * D + start, t * D + start + R);
  const rows = Array.from({ length: T }, (_, t) => Array.from(part(t)));
  const turned = rope.apply(rows, rope.table(T, R), { layout: "interleaved" });
  const data = q.data.slice();
  for (let t = 0; t < T; ++t) data.set(turned.data.subarray(t * R, (t + 1) * R), t * D + start);
  return { q, q_rotated: new Tensor(data, [T, D]) };
}

/** Ports: the arrays, the configuration, the verdict, the slips. @type {[string, any, object, string, string[][]][]} */
const ports = [
  ["the model's own", own, llama, "own", []],
  ["PyTorch's steps", rope.table(64, 128, { ...scaled, precision: "torch" }), llama, "own", []],
  ["far positions", { ...rope.table([100000, 131071], 128, scaled), positions: [100000, 131071] }, llama, "own", []], // prettier-ignore
  ["forgotten scaling", rope.table(64, 128, { base: 500000 }), llama, "slip", [["the scaling is forgotten"]]], // prettier-ignore
  ["another base", rope.table(64, 128, { ...scaled, base: 10000 }), llama, "slip", [["base 10000"]]], // prettier-ignore
  ["one late", rope.table(64, 128, { ...scaled, offset: 1 }), llama, "slip", [["positions begin at 1"]]], // prettier-ignore
  ["one late in PyTorch's steps, at a width that is no power of two", rope.table(1024, 96, { precision: "torch", offset: 1 }), small, "slip", [["positions begin at 1"]]], // prettier-ignore
  ["one early", rope.table(64, 128, { ...scaled, offset: -1 }), llama, "slip", [["positions begin at -1"]]], // prettier-ignore
  ["swapped", { cos: own.sin, sin: own.cos }, llama, "slip", [["cosines and sines swapped"]]],
  ["negative sines", { cos: own.cos, sin: negated(own.sin) }, llama, "slip", [["rotation in the other direction"]]], // prettier-ignore
  ["full width", rope.toFullWidth(own), llama, "own", []],
  ["full width of the other layout", rope.toFullWidth(own, { layout: "interleaved" }), llama, "slip", [["the other layout"]]], // prettier-ignore
  ["two slips", rope.toFullWidth(rope.table(64, 128, { base: 500000 }), { layout: "interleaved" }), llama, "slip", [["the other layout", "the scaling is forgotten"]]], // prettier-ignore
  ["linear instead", rope.table(64, 128, { base: 500000, scaling: { type: "linear", factor: 8 } }), llama, "slip", [["linear scaling"]]], // prettier-ignore
  ["another factor", rope.table(64, 128, { ...scaled, scaling: { ...scaled.scaling, factor: 32 } }), llama, "slip", [["factor 32"]]], // prettier-ignore
  ["half of each exponent", rope.table(64, 128, { ...scaled, base: Math.sqrt(500000) }), llama, "slip", [["exponents i / D instead of 2 i / D"]]], // prettier-ignore
  ["yarn without its factor", unfactored, yarn, "slip", [["the attention factor is forgotten"]]],
  ["degrees", rope.table(64, 128, { frequencies: inDegrees }), llama, "slip", [["angles in degrees"]]], // prettier-ignore
  ["dynamic scaling that does nothing yet", rope.table(64, 128, { base: 500000 }), dynamic, "own", []], // prettier-ignore
  ["rotated vectors", rotated(own), llama, "own", []],
  ["vectors of the other layout", rotated(own, { layout: "interleaved" }), llama, "slip", [["the other layout"]]], // prettier-ignore
  ["vectors turned back", rotated(own, { inverse: true }), llama, "slip", [["rotation in the other direction"]]], // prettier-ignore
  ["part of a head", rope.table(64, 32), partial, "own", []],
  ["the whole head", rope.table(64, 64), partial, "slip", [["the whole head rotates"]]],
  ["exponents of the whole head", rope.table(64, 32, { frequencies: Array.from({ length: 16 }, (_, i) => 10000 ** (-i / 32)) }), partial, "slip", [["exponents of the whole head"]]], // prettier-ignore
  ["the last columns of a head with latents", latentHeads(128), latent, "own", []],
  ["the first columns of a head with latents", latentHeads(0), latent, "slip", [["the first columns of the head rotate"]]], // prettier-ignore
  ["noise", { cos: own.cos, sin: new Tensor(own.sin.data.map((x, i) => x + (i % 7) / 50), own.sin.shape) }, llama, "none", []], // prettier-ignore
  ["other columns", rope.table(64, 96), llama, "none", []],
];

/** @param {any} arrays */
const written = (arrays) =>
  npz.write({
    ...arrays,
    ...(arrays.positions && { positions: Float64Array.from(arrays.positions) }),
  });

/** @type {Record<string, string | Uint8Array>} */
const files = {};
for (const [i, [, arrays, config]] of ports.entries()) {
  files[`${i}.npz`] = await written(arrays);
  files[`${i}.json`] = JSON.stringify(config);
}
const { folder, put, phasor, json } = await folderOf({ after }, files);
assert.ok(folder);

for (const [i, [what, , , verdict, slips]] of sampled(ports.entries(), 1 / 8)) {
  test(`check recognizes ${what}`, async () => {
    const { code, data } = await json("check", `${i}.npz`, "--model", `${i}.json`);
    assert.deepEqual([data.verdict, code], [verdict, verdict === "own" ? 0 : 1]);
    assert.deepEqual(
      data.fitting.map((/** @type {any} */ fit) => fit.slips),
      slips,
    );
  });
}

test("check takes the first position from the option or from the file", async () => {
  const far = rope.table(64, 128, { ...scaled, offset: 100 });
  const positions = Array.from({ length: 64 }, (_, t) => 100 + t);
  await put("far.npz", await written(far));
  await put("listed.npz", await written({ ...far, positions }));
  const model = ["--model", "0.json"];
  assert.equal((await json("check", "far.npz", ...model, "--first", "100")).data.verdict, "own");
  const listed = await json("check", "listed.npz", ...model);
  assert.deepEqual([listed.data.verdict, listed.code], ["own", 0]);
  const both = await phasor("check", "listed.npz", ...model, "--first", "100");
  assert.match(
    both.stderr,
    /--first must be left out where listed.npz lists its positions; got both/,
  );
  assert.equal(both.code, 2);
});

test("check looks at every pair of arrays in a file", async () => {
  const { q, q_rotated } = rotated(own);
  const model = ["--model", "0.json"];
  await put("all.npz", await written({ ...own, q, q_rotated, k: q, k_rotated: q_rotated }));
  const right = await json("check", "all.npz", ...model);
  assert.deepEqual([right.code, right.data.verdict, right.data.q.verdict, right.data.k.verdict], [0, "own", "own", "own"]); // prettier-ignore
  await put("wrong.npz", await written({ ...own, q, q_rotated: q }));
  const wrong = await json("check", "wrong.npz", ...model);
  assert.deepEqual([wrong.code, wrong.data.verdict, wrong.data.q.verdict], [1, "own", "slip"]);
  assert.deepEqual(wrong.data.q.fitting[0].slips, ["no rotation"]);
});

test("check prints the position of the largest difference", async () => {
  const few = rope.table(16, 128, scaled);
  few.sin.data[5 * 64 + 9] += 0.25;
  await put("one-off.npz", await written(few));
  const { data } = await json("check", "one-off.npz", "--model", "0.json");
  assert.deepEqual(data.own.at, { array: "sin", position: 5, pair: 9 });
  assert.ok(Math.abs(data.own.largest - 0.25) < 1e-6);
});

test("check reports ambiguity if several conventions fit", async () => {
  await put("first.npz", await written(rope.table(1, 128, scaled)));
  const { code, data } = await json("check", "first.npz", "--model", "0.json");
  assert.deepEqual([code, data.verdict, data.own.fits], [1, "undecided", true]);
  const slips = data.fitting.map((/** @type {any} */ fit) => fit.slips.join());
  assert.ok(slips.includes("the scaling is forgotten") && slips.includes("base 10000"));
  assert.ok(!slips.includes("positions begin at 1"));
  const { stdout } = await phasor("check", "first.npz", "--model", "0.json");
  assert.match(stdout, /\nundecided: several conventions fit these numbers; more positions/);
});

test("check adapts its tolerance to the precision of the file", async () => {
  await put("half.safetensors", safetensors.write(inBfloat16(own)));
  const fits = await json("check", "half.safetensors", "--model", "0.json");
  assert.deepEqual([fits.code, fits.data.verdict, fits.data.dtype], [0, "own", "bfloat16"]);
  const plain = inBfloat16(rope.table(64, 128, { base: 500000 }));
  await put("plain.safetensors", safetensors.write(plain));
  const { data } = await json("check", "plain.safetensors", "--model", "0.json");
  assert.deepEqual([data.verdict, data.fitting[0].slips], ["slip", ["the scaling is forgotten"]]);
});

test("check says in what a measured scaling differs from the model's", async () => {
  const scaling = /** @type {any} */ ({
    ...{ type: "yarn", factor: 4, originalLength: 32768, truncate: false },
  });
  await put("whole.npz", await written(rope.table(64, 128, { base: 500000, scaling })));
  await put("yarn.json", JSON.stringify(yarn));
  const { stdout } = await phasor("check", "whole.npz", "--model", "yarn.json");
  assert.match(stdout, /^ {2}scaling truncate false, not true$/m);
});

test("check sends arrays of other kinds to identify", async () => {
  await put("bias.npz", await written({ bias: core.alibi.bias(2, 4) }));
  const { stderr, code } = await phasor("check", "bias.npz", "--model", "0.json");
  assert.match(stderr, /got "bias", which phasor identify reads$/m);
  assert.equal(code, 1);
});

test("check finds frequencies that were rounded to bfloat16", async () => {
  const { frequencies } = rope.frequencies(128, scaled);
  const words = new Uint32Array(frequencies.data.slice().buffer);
  const bits = words.map((word) => (((word + 0x7fff + ((word >>> 16) & 1)) >>> 16) << 16) >>> 0);
  const coarse = new Float32Array(bits.buffer);
  await put("coarse.npz", await written(rope.table(64, 128, { frequencies: coarse })));
  const { code, data } = await json("check", "coarse.npz", "--model", "0.json");
  assert.deepEqual([code, data.fitting[0].slips], [1, ["frequencies in bfloat16"]]);
});

test("check finds positions that were rounded to float16", async () => {
  // Beyond 2048, float16 has even numbers alone; those between become multiples of 4.
  const places = Array.from({ length: 2200 }, (_, place) =>
    place > 2048 && place % 2 === 1 ? 4 * Math.round(place / 4) : place,
  );
  await put("half-places.npz", await written(rope.table(places, 128, scaled)));
  const { data } = await json("check", "half-places.npz", "--model", "0.json");
  assert.deepEqual(data.fitting[0].slips, ["positions in float16"]);
});

test("check accepts another first position, and a layer of another kind", async () => {
  await put("later.npz", await written(rope.table(32, 128, { ...scaled, offset: 8000 })));
  assert.equal((await phasor("check", "later.npz", "--model", "0.json")).code, 1);
  const first = ["--first", "8000"];
  assert.equal((await phasor("check", "later.npz", "--model", "0.json", ...first)).code, 0);
  await put("local.npz", await written(rope.table(32, 256)));
  const local = await json("check", "local.npz", "--model", "gemma-3-1b", "--layer", "0");
  assert.equal(local.code, 0);
  const full = await json("check", "local.npz", "--model", "gemma-3-1b");
  assert.deepEqual([full.code, full.data.verdict], [1, "slip"]);
  assert.deepEqual(full.data.fitting[0].slips, ["the rotation of sliding_attention layers"]);
});

test("check accepts vectors whose heads come after positions", async () => {
  const x = core.embedding.create(12 * 3, 128, { seed: 3 }).lookup(
    Int32Array.from({ length: 36 }, (_, i) => i),
  ).data; // prettier-ignore
  const q = new Tensor(x, [12, 3, 128]);
  const q_rotated = rope.apply(q, rope.table(12, 128, scaled), { axis: -3 });
  await put("after.npz", await npz.write({ q, q_rotated }));
  const after = await json("check", "after.npz", "--model", "0.json", "--heads-after");
  assert.deepEqual([after.code, after.data.verdict], [0, "own"]);
  const before = await phasor("check", "after.npz", "--model", "0.json");
  assert.equal(before.code, 1);
  assert.match(
    before.stdout,
    /\n {2}heads come after positions in these vectors: .* --heads-after\n/,
  );
  const scaledFirst = { q, q_rotated: new Tensor(q_rotated.data.map((x) => x / 2), q.shape) }; // prettier-ignore
  await put("scaled.npz", await npz.write(scaledFirst));
  const none = await json("check", "scaled.npz", "--model", "0.json");
  assert.deepEqual([none.data.verdict, none.data.isOtherAxis], ["none", false]);
  const wrong = await phasor("check", "0.npz", "--model", "0.json", "--heads-after");
  assert.match(
    wrong.stderr,
    /^phasor check: --heads-after must get vectors .*; got cos \[64, 64\]\n$/,
  );
});

test("check rejects files without its arrays, and numbers that are not finite", async () => {
  await put("empty.npz", await npz.write({ a: [1], sin: [1] }));
  const none = await phasor("check", "empty.npz", "--model", "0.json");
  assert.match(
    none.stderr,
    /must have the arrays cos and sin, or q and q_rotated, .*; got "a", "sin"/,
  );
  const sin = own.sin.data.slice();
  sin[7] = NaN;
  await put("nan.npz", await written({ cos: own.cos, sin: new Tensor(sin, own.sin.shape) }));
  const strange = await phasor("check", "nan.npz", "--model", "0.json");
  assert.deepEqual(
    [strange.code, strange.stderr],
    [1, "phasor check: sin must be finite; got NaN at number 7\n"],
  );
});
