// Positions that are not 0, 1, 2, ...: identify names the rule, and the numbers are computed from it again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "phasor/oracle";
import { phasor, Tensor } from "../../phasor.js";
import { atNight } from "../../sample.js";
import { rounded } from "./conventions.js";

const { rope } = phasor;

/** @param {any} arrays @param {any} [options] @returns {Promise<any>} */
const asked = (arrays, options) => identify(arrays, { phasor, ...options });

/** @template Row @param {number} length @param {(t: number) => Row} rule */
const rows = (length, rule) => Array.from({ length }, (_, t) => rule(t));

/** @type {[what: string, positions: number[], says: Record<string, unknown>][]} */
const RULES = [
  ["from -3", rows(16, (t) => t - 3), { rule: "consecutive", offset: -3 }],
  ["from 100000", rows(64, (t) => 100000 + t), { rule: "consecutive", offset: 100000 }],
  ["in bfloat16", rows(2000, (t) => rounded(t, 8)), { rule: "rounded", offset: 0, format: "bfloat16" }], // prettier-ignore
  ["in float16", rows(3000, (t) => rounded(t, 11)), { rule: "rounded", offset: 0, format: "float16" }], // prettier-ignore
  ["modulo 512", rows(600, (t) => t % 512), { rule: "wrapped", offset: 0, period: 512 }],
  ["up to 40", rows(64, (t) => Math.min(t, 40)), { rule: "clipped", offset: 0, last: 40 }],
  ["after padding at 0", [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7], { rule: "padded", offset: 0, padding: 4, fill: 0 }], // prettier-ignore
  ["after padding at 1", [1, 1, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8], { rule: "padded", offset: 0, padding: 3, fill: 1 }], // prettier-ignore
  ["of packed texts", [0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 0, 1, 2], { rule: "packed", offset: 0, starts: [7, 11] }], // prettier-ignore
  ["of no rule", [0, 1, 2, 3, 4, 5, 17, 9, 30, 2], { rule: "listed", offset: 0, list: [0, 1, 2, 3, 4, 5, 17, 9, 30, 2] }], // prettier-ignore
];

for (const [what, positions, says] of RULES) {
  test(`identify finds positions ${what}`, async () => {
    const answer = await asked(rope.table(positions, 128));
    assert.deepEqual([answer.kind, answer.base, answer.positions], ["rope", 10000, says]);
    assert.ok(answer.residual <= 2 ** -24, String(answer.residual));
  });
}

const ONES = [[9, 1, 32], [9, 1, 1, 32], [1, 9, 1, 32], [1, 1, 9, 32]]; // prettier-ignore
for (const shape of ONES) {
  test(`identify reads a table [${shape.join(", ")}]`, async () => {
    const { cos, sin } = rope.table(9, 64, { offset: 2 });
    const answer = await asked({ cos: cos.reshape(shape), sin: sin.reshape(shape) });
    assert.deepEqual([answer.kind, answer.base, answer.offset], ["rope", 10000, 2]);
  });
}

test("identify finds the positions of each batch", async () => {
  const answer = await asked(rope.table([[0, 0, 0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6, 7, 8]], 64)); // prettier-ignore
  assert.deepEqual(answer.batches.map((/** @type {any} */ one) => one.rule), ["padded", "consecutive"]); // prettier-ignore
  assert.match(
    answer.sentence,
    /by batch: 0: positions from 0 after 2 rows of padding at 0; 1: positions from 0$/,
  );
});

test("identify says why batches that are too many to be named one by one have no name", async () => {
  const positions = rows(65, (b) => rows(8, (t) => (b % 2 && t > 4 ? t - 5 : t)));
  const { cos, sin } = rope.table(positions, 64);
  const q = new Tensor(Float32Array.from({ length: 65 * 8 * 64 }, (_, i) => ((i * 7919) % 997) / 500 - 1), [65, 8, 64]); // prettier-ignore
  const rotated = rope.apply(q, { cos, sin });
  for (const arrays of [
    { cos, sin },
    { q, rotated },
  ]) {
    const answer = await asked(arrays);
    assert.equal(answer.sentence, "no name fits: batches turn by other angles in the same rows");
  }
});

test("identify says that batches have two conventions", async () => {
  const [one, two] = [rope.table(32, 64), rope.table(32, 64, { base: 500000 })];
  const both = (/** @type {"cos" | "sin"} */ name) =>
    new Tensor(Float32Array.of(...one[name].data, ...two[name].data), [2, 32, 32]);
  const answer = await asked({ cos: both("cos"), sin: both("sin") });
  assert.equal(answer.kind, "none");
  assert.match(
    answer.sentence,
    /batches differ: 0 is RoPE, .*base 10000.*; 1 is RoPE, .*base 500000/,
  );
});

test("identify takes the positions that rows should have, where float32 steps are coarse", async () => {
  const positions = rows(6, (t) => 131000 + t);
  const far = rope.table(positions, 128, { precision: "torch" });
  const answer = await asked(far, { positions });
  assert.deepEqual([answer.base, answer.offset], [10000, 131000]);
});

test("identify tries heads after positions", async () => {
  const q = new Tensor(Float32Array.from({ length: 24 * 3 * 64 }, (_, i) => ((i * 7919) % 997) / 500 - 1), [24, 3, 64]); // prettier-ignore
  const rotated = rope.apply(q, rope.table(24, 64), { axis: -3 });
  assert.equal((await asked({ q, rotated })).headsAfter, true);
  assert.equal((await asked({ q, rotated }, { headsAfter: true })).base, 10000);
  assert.equal((await asked({ q, rotated }, { headsAfter: false })).kind, "none");
});

test("identify compares every number: one that differs is no rotation of that name", async () => {
  const { cos, sin } = rope.table(2000, 64);
  const wrong = new Tensor(sin.data.slice(), sin.shape);
  wrong.data[1234 * 32 + 7] += 1e-3;
  assert.equal((await asked({ cos, sin: wrong })).kind, "none");
});

test("identify holds a table of 65,536 rows without a copy of it", atNight, async () => {
  const table = rope.toFullWidth(rope.table(65536, 128));
  const before = process.memoryUsage();
  const answer = await asked(table);
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  assert.equal(answer.base, 10000);
  assert.ok(arrayBuffers + heapUsed - before.arrayBuffers - before.heapUsed < 50e6);
});
