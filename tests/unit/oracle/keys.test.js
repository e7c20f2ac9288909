// Keys beside queries: both are measured, and a slip in one of them is said with both measurements.
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "phasor/oracle";
import { phasor, Tensor } from "../../phasor.js";
import { Random } from "../../attacks/fuzz/random.js";
import { rounded } from "./conventions.js";

const { rope } = phasor;

/** @param {any} arrays @param {any} [options] @returns {Promise<any>} */
const asked = (arrays, options) => identify(arrays, { phasor, ...options });

/** Vectors of a seed. @param {string} name @param {readonly number[]} shape */
function vectors(name, shape) {
  const random = new Random(1, name, 0);
  const size = shape.reduce((all, one) => all * one, 1);
  return new Tensor(
    Float32Array.from({ length: size }, () => random.bits() / 2 ** 31 - 1),
    shape,
  );
}

const q = vectors("q", [4, 32, 64]);
const k = vectors("k", [2, 32, 64]);

/** Vectors rotated by a table. @param {Tensor} x @param {any} [options] @param {any} [apply] @param {any} [positions] */
const turned = (x, options = {}, apply = {}, positions = x.shape[1]) =>
  rope.apply(x, rope.table(positions, 64, options), apply);

const rotated = turned(q);

test("identify names queries and keys that rotate alike once, with the larger residual", async () => {
  const answer = await asked({ q, rotated, k, k_rotated: turned(k) });
  assert.equal(answer.sentence, "RoPE, halves, 64 columns, base 10000, no scaling, q and k alike");
  assert.equal(answer.k.sentence, "RoPE, halves, 64 columns, base 10000, no scaling");
  const [own, other] = [await asked({ q, rotated }), await asked({ q: k, rotated: turned(k) })];
  assert.equal(answer.residual, Math.max(own.residual, other.residual));
  assert.match(
    answer.decidedBy[2],
    /^k_rotated was computed again by the same name: the largest difference is \d\.\d+e-8$/,
  );
  assert.deepEqual(answer.models, own.models);
});

/** @type {[slip: string, k_rotated: Tensor, differ: RegExp, isOfK: RegExp][]} */
const SLIPS = [
  ["the other layout", turned(k, {}, { layout: "interleaved" }), /q and k differ in the layout: /, /^RoPE, interleaved, 64 columns, base 10000, no scaling$/],
  ["another base", turned(k, { base: 500000 }), /differ in the base: /, /base 500000, no scaling$/],
  ["a base that is near", turned(k, { base: 10001 }), /differ in the base: /, /base 10001, no scaling$/],
  ["no rotation", k, /q and k differ: q: RoPE, .*; k: nothing rotates: k_rotated is k$/, /^nothing rotates: k_rotated is k$/],
  ["positions one later", turned(k, { offset: 1 }), /differ in positions, which are 1 more in k: /, /positions from 1$/],
  ["positions five earlier", turned(k, { offset: -5 }), /differ in positions, which are 5 less in k: /, /positions from -5$/],
  ["positions by padding", turned(k, {}, {}, Array.from({ length: 32 }, (_, t) => Math.max(0, t - 4))), /differ in positions: /, /positions from 0 after 4 rows of padding at 0$/],
  ["the inverse rotation", turned(k, {}, { inverse: true }), /differ in the sign of angles: /, /angles with a minus$/],
  ["a scaling", turned(k, { scaling: { type: "linear", factor: 4 } }), /differ in the scaling: /, /linear \(factor 4\)$/],
  ["a factor", new Tensor(turned(k).data.map((x) => 1.25 * x), k.shape), /differ in the attention factor: /, /attention factor 1\.25$/],
  ["half of the columns", rope.apply(k, rope.table(32, 32), { dim: 32 }), /differ in .*the rotated width/, /^RoPE, halves, 32 columns, /],
  ["numbers of no rotation", vectors("noise", k.shape), /q and k differ: q: RoPE, .*; k: no name fits: /, /^no name fits: /],
]; // prettier-ignore

for (const [slip, k_rotated, differ, isOfK] of SLIPS) {
  test(`identify says that keys have ${slip}, where queries are right`, async () => {
    const answer = await asked({ q, rotated, k, k_rotated });
    assert.deepEqual([answer.kind, answer.residual], ["none", null]);
    assert.match(answer.sentence, differ);
    assert.equal(answer.q.sentence, "RoPE, halves, 64 columns, base 10000, no scaling");
    assert.match(answer.k.sentence, isOfK);
    assert.ok(answer.sentence.includes(answer.q.sentence));
    assert.ok(answer.sentence.includes(answer.k.sentence));
  });
}

test("identify says that queries are wrong and keys are right", async () => {
  const answer = await asked({ q, rotated: turned(q, { offset: 2 }), k, k_rotated: turned(k) });
  assert.match(answer.sentence, /differ in positions, which are 2 less in k: q: .*positions from 2; k: /); // prettier-ignore
});

test("identify takes keys of a cache: the last positions are those of queries, or the first", async () => {
  const long = vectors("long", [2, 48, 64]);
  const late = turned(q, { offset: 16 });
  const cached = await asked({ q, rotated: late, k: long, k_rotated: turned(long) });
  assert.match(cached.sentence, /positions from 16, q and k alike$/);
  assert.equal(cached.k.offset, 0);
  const first = await asked({ q, rotated, k: long, k_rotated: turned(long) });
  assert.match(first.sentence, /no scaling, q and k alike$/);
  const apart = await asked({ q, rotated: turned(q, { offset: 17 }), k: long, k_rotated: turned(long) }); // prettier-ignore
  assert.match(apart.sentence, /differ in positions, which are 17 less in k/);
});

test("identify compares keys of narrow formats, odd bases and other axes", async () => {
  const narrow = (/** @type {Tensor} */ x) => new Tensor(x.data.map((y) => rounded(y, 8)), x.shape); // prettier-ignore
  const [a, b] = [narrow(q), narrow(k)];
  const half = await asked({
    q: a,
    rotated: narrow(turned(a)),
    k: b,
    k_rotated: narrow(turned(b)),
  });
  assert.match(half.sentence, /base 10000, no scaling, q and k alike$/);
  const odd = { base: 12345.678 };
  const own = await asked({ q, rotated: turned(q, odd), k, k_rotated: turned(k, odd) });
  assert.match(own.sentence, /base 12345\.7, no scaling, q and k alike$/);
  const [after, keys] = [vectors("after", [32, 4, 64]), vectors("keys", [32, 2, 64])];
  const apply = (/** @type {Tensor} */ x) => rope.apply(x, rope.table(32, 64), { axis: -3 });
  const other = await asked({ q: after, rotated: apply(after), k: keys, k_rotated: apply(keys) });
  assert.match(other.sentence, /heads after positions, q and k alike$/);
});

test("identify compares the positions of each batch of queries and keys", async () => {
  const [a, b] = [vectors("a", [2, 9, 64]), vectors("b", [2, 9, 64])];
  const table = (/** @type {number[][]} */ positions) => rope.table(positions, 64);
  const [rows, others] = [[[0, 0, 0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6, 7, 8]], [[0, 0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, 6, 7, 8]]]; // prettier-ignore
  const given = { q: a, rotated: rope.apply(a, table(rows)), k: b };
  const same = await asked({ ...given, k_rotated: rope.apply(b, table(rows)) });
  assert.match(same.sentence, /by batch: 0: .*; 1: positions from 0, q and k alike$/);
  const apart = await asked({ ...given, k_rotated: rope.apply(b, table(others)) });
  assert.match(apart.sentence, /differ in .*positions by batch/);
});

test("identify says of still and of strange queries and keys what both are", async () => {
  const still = await asked({ q, rotated: q, k, k_rotated: k });
  assert.deepEqual([still.kind, still.sentence], ["still", "nothing rotates: rotated is q, and k_rotated is k"]); // prettier-ignore
  const noise = await asked({ q, rotated: vectors("x", q.shape), k, k_rotated: vectors("y", k.shape) }); // prettier-ignore
  assert.match(noise.sentence, /^no name fits: q: .*; k: /);
});

test("identify refuses keys without their rotation, or without queries, and names the wrong array", async () => {
  const refused = (/** @type {any} */ arrays, /** @type {RegExp} */ message) =>
    assert.rejects(asked(arrays), { message });
  await refused({ q, rotated, k }, /^identify: arrays must have k and k_rotated together, beside q and rotated; got q, rotated, k$/); // prettier-ignore
  await refused({ k, k_rotated: k }, /^identify: arrays must have cos and sin, or q and rotated; got k, k_rotated$/); // prettier-ignore
  await refused({ ...rope.table(8, 64), k, k_rotated: k }, /^identify: arrays must have k and k_rotated together/); // prettier-ignore
  await refused({ q, rotated, k, k_rotated: q }, /^identify: k and k_rotated must have one shape/);
  const wrong = new Tensor(k.data.slice().fill(NaN, 3, 4), k.shape);
  await refused({ q, rotated, k, k_rotated: wrong }, /^identify: k_rotated must be finite; got NaN at number 3$/); // prettier-ignore
  assert.equal((await asked({ q, rotated, k: undefined, k_rotated: undefined })).kind, "rope");
});
