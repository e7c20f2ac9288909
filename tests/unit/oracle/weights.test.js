// Weights of two sources: whether the rows of one are those of the other in the other layout.
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "phasor/oracle";
import { phasor } from "../../phasor.js";
import { noise } from "../reference/samples.js";

/** @param {any} arrays @returns {Promise<any>} */
const asked = (arrays) => identify(arrays, { phasor });

/** @param {number} rows @param {number} E @param {number} seed @returns {number[][]} */
function matrix(rows, E, seed) {
  const numbers = Array.from(noise(rows * E, seed));
  return Array.from({ length: rows }, (_, r) => numbers.slice(r * E, (r + 1) * E));
}

/**
 * Rows of each head as Hugging Face's conversion moves them, w.view(H, R/2, 2, E).transpose(1, 2), or back.
 * @param {number[][]} rows @param {number} H @param {{dim?: number, start?: number, back?: boolean}} [options]
 */
function permuted(rows, H, { dim, start = 0, back = false } = {}) {
  const D = rows.length / H;
  const R = dim ?? D;
  const moved = rows.slice();
  for (let h = 0; h < H; ++h) {
    for (let pair = 0; pair < R / 2; ++pair) {
      for (let side = 0; side < 2; ++side) {
        const [neighbors, halves] = [2 * pair + side, side * (R / 2) + pair].map((i) => h * D + start + i);
        if (back) moved[neighbors] = rows[halves];
        else moved[halves] = rows[neighbors];
      }
    }
  }
  return moved;
} // prettier-ignore

for (const [H, D] of [
  [1, 8],
  [4, 6],
  [8, 16],
  [2, 64],
  [3, 128],
]) {
  // prettier-ignore
  test(`weights: ${H} heads of ${D} rows, converted both ways and not`, async () => {
    const reference = matrix(H * D, 5, H * D);
    const both = { from: "interleaved", to: "halves", order: "converted" };
    for (const [weights, wanted] of [
      [reference, { order: "same" }],
      [permuted(reference, H), { ...both, dim: D, start: 0 }],
      [permuted(reference, H, { back: true }), { ...both, from: "halves", to: "interleaved", dim: D, start: 0 }],
    ]) { // prettier-ignore
      const found = await asked({ weights, reference, heads: H });
      assert.equal(found.kind, "weights", found.sentence);
      assert.equal(found.residual, 0);
      const { order, from, to, dim, start } = found;
      assert.deepEqual(
        JSON.parse(JSON.stringify({ order, from, to, dim, start })),
        wanted,
        found.sentence,
      );
      assert.deepEqual([found.heads, found.headDim, found.alsoEqual], [H, D, []]);
    }
  });
}

test("weights: heads of which a part rotates, at their beginning or their end", async () => {
  const [H, D] = [3, 24];
  const reference = matrix(H * D, 4, 5);
  for (const dim of [6, 8, 16, 22]) {
    for (const start of [0, D - dim]) {
      const found = await asked({ weights: permuted(reference, H, { dim, start }), reference, heads: H }); // prettier-ignore
      assert.deepEqual([found.kind, found.dim, found.start, found.from], ["weights", dim, start, "interleaved"]); // prettier-ignore
      assert.deepEqual(found.alsoEqual, []);
    }
  }
});

test("weights: four rows are moved alike in both directions, which is said", async () => {
  const reference = matrix(8, 3, 1);
  const found = await asked({ weights: permuted(reference, 2), reference, heads: 2 });
  assert.deepEqual(found.from, "interleaved");
  assert.deepEqual(found.alsoEqual, [
    {
      ...{ order: "converted", from: "halves", to: "interleaved", dim: 4, start: 0 },
      sentence: "converted from halves to interleaved, 4 rows a head",
    },
  ]);
});

test("weights: heads in different orders are listed by head", async () => {
  const reference = matrix(3 * 8, 4, 2);
  const moved = permuted(reference, 3);
  const weights = [...reference.slice(0, 8), ...moved.slice(8)];
  const found = await asked({ weights, reference, heads: 3 });
  assert.deepEqual(
    found.byHead.map((/** @type {any} */ { order }) => order),
    ["same", "converted", "converted"],
  );
  assert.match(found.sentence, /by head: 0: in the same order; 1: converted from interleaved/);
});

test("weights: rows that were converted as those of another number of heads", async () => {
  const reference = matrix(2 * 16, 4, 3);
  const found = await asked({ weights: permuted(reference, 8), reference, heads: 2 });
  assert.deepEqual([found.heads, found.headDim, found.dim], [8, 4, 4]);
  assert.match(found.decidedBy.join(), /no order of 2 heads fits/);
});

test("weights: biases [H * D] too, and key heads, which are fewer", async () => {
  const reference = matrix(16, 1, 4).flat();
  const weights = permuted(
    reference.map((x) => [x]),
    2,
  ).flat();
  assert.equal((await asked({ weights, reference, heads: 2 })).dim, 8);
});

test("weights: other rows are none, with what differs", async () => {
  const reference = matrix(16, 4, 6);
  const near = permuted(reference, 2).map((row) => row.map((x) => x + 2 ** -10));
  const moved = await asked({ weights: near, reference, heads: 2 });
  assert.equal(moved.kind, "none");
  assert.match(
    moved.sentence,
    /row 0 of head 0 is no row of the reference; the nearest .* 0\.0009/,
  );
  const swapped = reference.map((row, r) => reference[(r + 8) % 16]);
  const heads = await asked({ weights: swapped, reference, heads: 2 });
  assert.match(heads.sentence, /row 0 of head 0 is row 0 of head 1 of the reference/);
  for (let seed = 0; seed < 300; ++seed) {
    const found = await asked({ weights: matrix(8, 3, seed), reference: matrix(8, 3, seed + 999), heads: 1 }); // prettier-ignore
    assert.equal(found.kind, "none", `seed ${seed}`);
  }
});

test("weights: one source alone does not show it", async () => {
  const found = await asked({ weights: matrix(8, 3, 1), heads: 2 });
  assert.equal(found.kind, "none");
  assert.equal(found.residual, null);
  assert.match(found.sentence, /one source do not show the layout of their rows; pass reference/);
});

test("weights: what is wrong is refused by name", async () => {
  const reference = matrix(8, 3, 1);
  for (const [arrays, message] of /** @type {[any, RegExp][]} */ ([
    [{ weights: reference, reference }, /^identify: heads must be a whole number; got undefined$/],
    [
      { weights: reference, reference, heads: 3 },
      /^identify: heads must divide the 8 rows of weights; got 3$/,
    ],
    [
      { weights: reference, reference: matrix(8, 2, 1), heads: 2 },
      /reference must have the shape of weights, \[8, 3\]; got \[8, 2\]/,
    ],
    [{ weights: [], reference, heads: 1 }, /weights must be \[H \* D, E\] or \[H \* D\]; got/],
    [{ weights: [[[1]]], reference, heads: 1 }, /weights must be \[H \* D, E\]/],
    [{ weights: [[1, 2], [3]], reference, heads: 1 }, /weights must not be ragged/],
    [
      { weights: [[NaN, 1]], reference: [[1, 1]], heads: 1 },
      /weights must be finite; got NaN at number 0/,
    ],
    [{ weights: reference, reference: "W_q", heads: 1 }, /reference must be a tensor/],
    [
      { weights: reference, refrence: reference, heads: 1 },
      /arrays must have only weights, reference, heads; got "refrence"/,
    ],
    [{ weights: reference, reference, heads: 2, q: reference }, /arrays must have only weights/],
  ])) {
    // prettier-ignore
    await assert.rejects(() => asked(arrays), { message });
  }
  await assert.rejects(() => identify({ weights: reference, heads: 2 }, { phasor, positions: [0] }), {
    message: /^identify: positions must come with a rotation; got it with weights$/,
  }); // prettier-ignore
});
