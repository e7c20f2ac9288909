import assert from "node:assert/strict";
import { after, test } from "node:test";
import { npz } from "phasor/files";
import { phasor as core, Tensor } from "../../phasor.js";
import { folderOf, llama } from "./phasor.js";

const { rope } = core;
const q = new Tensor(
  Float32Array.from({ length: 2 * 32 * 128 }, (_, i) => ((i * 7919) % 997) / 500 - 1),
  [2, 32, 128],
);
const twice = (/** @type {Tensor} */ x, /** @type {number} */ by) =>
  new Tensor(
    x.data.map((value) => value * by),
    x.shape,
  );
const yarn = { base: 150000, scaling: { type: /** @type {const} */ ("yarn"), factor: 32, originalLength: 4096, truncate: false } }; // prettier-ignore
const { attentionFactor } = rope.frequencies(64, yarn);
const squared = rope.table(64, 64, yarn);

const weights = q.data.slice(0, 256);
/** Rows of two heads from neighbors to halves. */
const converted = Float32Array.from({ length: 256 }, (_, i) => {
  const [row, column] = [(i >> 4) % 8, i % 16];
  const from = row < 4 ? 2 * row : 2 * (row - 4) + 1;
  return weights[((i >> 7) * 8 + from) * 16 + column];
});

/** @type {Record<string, string | Uint8Array>} */
const files = {
  "late.npz": await npz.write(rope.table(64, 128, { offset: 5 })),
  "rotated.npz": await npz.write({ q, q_rotated: rope.apply(q, rope.table(32, 128), { layout: "interleaved" }) }),
  "halves.npz": await npz.write({ q, q_rotated: rope.apply(q, rope.table(32, 128)) }),
  "both.npz": await npz.write({
    q,
    q_rotated: rope.apply(q, rope.table(32, 128)),
    k: q,
    k_rotated: rope.apply(q, rope.table(32, 128, { base: 500000 }), { layout: "interleaved" }),
    v: q,
  }),
  "alike.npz": await npz.write({
    q,
    q_rotated: rope.apply(q, rope.table(32, 128)),
    k: twice(q, 0.5),
    k_rotated: rope.apply(twice(q, 0.5), rope.table(32, 128)),
  }),
  "sets.npz": await npz.write({
    ...rope.table(64, 128, { offset: 5 }),
    q,
    k: q,
    k_rotated: rope.apply(q, rope.table(32, 128, { base: 500000 }), { layout: "interleaved" }),
  }),
  "kinds.npz": await npz.write({
    bias: core.alibi.bias(4, 12),
    table: core.sinusoidal.table(32, 64),
    position_ids: core.positionIds.fromMask([[0, 0, 1, 1, 1]]),
    mask: [[0, 0, 1, 1, 1]],
    weights: new Tensor(converted, [16, 16]),
    reference: new Tensor(weights, [16, 16]),
  }),
  "heads.npz": await npz.write({ q: q.reshape(32, 2, 128), q_rotated: rope.apply(q.reshape(32, 2, 128), rope.table(32, 128, { offset: 100 }), { axis: -3 }) }),
  "still.npz": await npz.write({ q, q_rotated: q }),
  "noise.npz": await npz.write({ q, q_rotated: twice(q, -2) }),
  "short.npz": await npz.write(rope.table(2, 128)),
  "other.npz": await npz.write({ "co\u001b[2Js": q }),
  "squared.npz": await npz.write({ cos: twice(squared.cos, attentionFactor), sin: twice(squared.sin, attentionFactor) }),
  "nope.npz": await npz.write(rope.toFullWidth(rope.table(64, 128, { base: 50000 }), { layout: "interleaved" })),
  "llama.json": JSON.stringify({ ...llama, rope_theta: 10000, rope_scaling: null }),
}; // prettier-ignore
const { phasor, json } = await folderOf({ after }, files);

/** @type {[file: string, code: number, says: RegExp][]} */
const ports = [
  ["late.npz", 0, /64 pairs, layout not shown, base 10000, no scaling, positions from 5$/],
  ["rotated.npz", 0, /^RoPE, interleaved, 128 columns, base 10000, no scaling$/],
  ["still.npz", 0, /^nothing rotates: rotated is q$/],
  ["noise.npz", 1, /^no name fits: /],
  ["short.npz", 2, /^no name fits: at least 4 rows show how pairs turn; got 2$/],
];

for (const [file, code, says] of ports) {
  test(`phasor identify ${file} exits with ${code}`, async () => {
    const found = await json("identify", file);
    assert.equal(found.code, code);
    assert.match(found.data.sentence, says);
    const { stdout } = await phasor("identify", file);
    assert.equal(stdout.split("\n")[1], found.data.sentence);
  });
}

test("phasor identify takes the first position of vectors whose heads come after positions", async () => {
  const { data } = await json("identify", "heads.npz", "--heads-after", "--first", "100");
  assert.deepEqual([data.headsAfter, data.offset], [true, 100]);
});

test("phasor identify refuses a file without such arrays, and shows its names as escapes", async () => {
  const { code, stderr } = await phasor("identify", "other.npz");
  assert.equal(code, 1);
  assert.match(
    stderr,
    /must have the arrays cos and sin, or q and q_rotated.*; got "co\\u001b\[2Js"/,
  );
});

test("phasor identify says that q and k are apart, and what it did not look at", async () => {
  const { code, data } = await json("identify", "both.npz");
  assert.equal(code, 1);
  assert.match(data.sentence, /^no one name fits: q and k differ in the layout, the base: /);
  assert.match(data.q.sentence, /^RoPE, halves, 128 columns, base 10000/);
  assert.match(data.k.sentence, /^RoPE, interleaved, 128 columns, base 500000/);
  assert.deepEqual([data.arrays, data.others, data.unread], [["q", "q_rotated", "k", "k_rotated"], [], ["v"]]); // prettier-ignore
  const { stdout } = await phasor("identify", "both.npz");
  assert.match(
    stdout,
    /^both\.npz: q, q_rotated, k and k_rotated, 2 x 32 x 128\n[^]*\nnot looked at: "v"\n$/,
  );
});

test("phasor identify says what each set of arrays is", async () => {
  const { code, data } = await json("identify", "sets.npz");
  assert.deepEqual([code, data.unread], [0, ["q"]]);
  assert.deepEqual(
    [data.arrays, data.others[0].arrays],
    [
      ["cos", "sin"],
      ["k", "k_rotated"],
    ],
  );
  assert.match(data.sentence, /positions from 5$/);
  assert.match(data.others[0].sentence, /^RoPE, interleaved, 128 columns, base 500000/);
  const { stdout } = await phasor("identify", "sets.npz");
  assert.match(stdout, /\nsets\.npz: k and k_rotated, 2 x 32 x 128\n[^]*\nnot looked at: "q"\n$/);
});

test("check judges q and k, and says of each whether it is the model's", async () => {
  const { code, data } = await json("check", "both.npz", "--model", "llama.json");
  assert.deepEqual([code, data.arrays, data.verdict], [1, ["q", "q_rotated"], "own"]);
  assert.deepEqual([data.k.arrays, data.k.verdict], [["k", "k_rotated"], "slip"]);
  assert.deepEqual(data.k.fitting[0].slips, ["the other layout", "base 500000"]);
  const { stdout } = await phasor("check", "both.npz", "--model", "llama.json");
  assert.match(
    stdout,
    /\nfits: [^]*\nboth\.npz: k and k_rotated, [^]*\nlikely slip: the other layout, and base 500000;/,
  );
  const alike = await json("check", "alike.npz", "--model", "llama.json");
  assert.deepEqual([alike.code, alike.data.verdict, alike.data.k.verdict], [0, "own", "own"]);
});

test("phasor identify reads biases, sinusoids, position ids and weights", async () => {
  const { data } = await json("identify", "kinds.npz", "--heads", "2");
  const all = [data, ...data.others].map(({ kind }) => kind);
  assert.deepEqual(all, ["bias", "sinusoids", "positionIds", "weights"]);
  assert.equal((await phasor("identify", "kinds.npz")).code, 2);
});

test("check says what was measured where no slip of its list fits", async () => {
  const late = await json("check", "late.npz", "--model", "llama.json");
  assert.deepEqual([late.code, late.data.verdict], [1, "none"]);
  assert.match(late.data.measured.sentence, /positions from 5$/);
  const { stdout } = await phasor("check", "late.npz", "--model", "llama.json");
  assert.match(stdout, /\nmeasured: RoPE, .*positions from 5\n {2}first position 5, not 0\n/);
  const { data } = await json("check", "squared.npz", "--model", "gpt-oss-20b");
  assert.match(data.measured.sentence, /attention factor 1.81326, not 1.34657: applied twice$/);
});

test("check names a rotation in a layer that has none", async () => {
  const { code, data } = await json("check", "nope.npz", "--model", "command-r7b", "--layer", "3");
  assert.deepEqual([code, data.verdict], [1, "slip"]);
  assert.deepEqual(data.fitting[0].slips, ["a layer that does not rotate is rotated"]);
  assert.match(data.measured.sentence, /^RoPE, interleaved, 128 columns, base 50000, no scaling$/);
  const still = await json("check", "still.npz", "--model", "command-r7b", "--layer", "3");
  assert.deepEqual([still.code, still.data.verdict], [0, "own"]);
});

test("check says that a pair of vectors does not show the rows of W_q", async () => {
  const { code, stdout } = await phasor("check", "halves.npz", "--model", "llama.json");
  assert.equal(code, 0);
  assert.match(stdout, /\n {2}whether rows of W_q are in the other layout does not show/);
});
