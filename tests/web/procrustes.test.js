// The alignment of two models: orthogonal Procrustes, and the words that both have.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { align } from "../../web/app/tasks/align.js";
import { procrustes } from "../../web/app/tasks/procrustes.js";
import { shared } from "../../web/explorer/shared.js";

const phasor = await load();

/** Numbers from -1 to 1, the same at each run. @param {number} count @param {number} seed */
function randoms(count, seed) {
  let state = seed;
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

/** @param {ArrayLike<number>} a  [n, k] @param {ArrayLike<number>} b  [k, m] @param {number} k */
function product(a, b, k) {
  const [n, m] = [a.length / k, b.length / k];
  return Float64Array.from({ length: n * m }, (_, at) => {
    const [i, j] = [Math.floor(at / m), at % m];
    let sum = 0;
    for (let l = 0; l < k; ++l) sum += a[i * k + l] * b[l * m + j];
    return sum;
  });
}

/** @param {ArrayLike<number>} a  [n, k] @param {number} k */
function transposed(a, k) {
  const n = a.length / k;
  return Float64Array.from({ length: a.length }, (_, at) => a[(at % n) * k + Math.floor(at / n)]);
}

/** @param {Float64Array} Q  [D, D] @param {number} D @param {number} bound */
function assertOrthogonal(Q, D, bound) {
  for (const [at, x] of product(transposed(Q, D), Q, D).entries()) {
    const expected = Number(at % D === Math.floor(at / D));
    assert.ok(Math.abs(x - expected) < bound, `${x} at ${at}`);
  }
}

test("a rotated copy is rotated back exactly, by reflections as well", () => {
  for (const [D, seed] of [
    [1, 3],
    [2, 4],
    [7, 5],
    [40, 6],
  ]) {
    const a = randoms(100 * D, seed);
    const { rotation: Q } = procrustes(randoms(100 * D, seed + 50), randoms(100 * D, seed + 90), D); // some orthogonal matrix
    assertOrthogonal(Q, D, 1e-12);
    const { rotation } = procrustes(product(a, transposed(Q, D), D), a, D);
    for (const [at, x] of rotation.entries()) {
      assert.ok(Math.abs(x - Q[at]) < 1e-11, `D = ${D}, ${at}: ${x}, ${Q[at]}`);
    }
  }
});

test("no rotation is better: Q^T b^T a is symmetric and has no negative eigenvalue", () => {
  const [N, D] = [50, 6];
  const [a, b] = [randoms(N * D, 1), randoms(N * D, 2)];
  const { rotation, trace } = procrustes(b, a, D);
  assertOrthogonal(rotation, D, 1e-13);
  const P = product(transposed(rotation, D), product(transposed(b, D), a, N), D);
  let sum = 0;
  for (let i = 0; i < D; ++i) {
    sum += P[i * D + i];
    for (let j = 0; j < i; ++j) assert.ok(Math.abs(P[i * D + j] - P[j * D + i]) < 1e-12);
  }
  assert.ok(Math.abs(sum - trace) < 1e-12, "the trace is the sum of the singular values");
  for (let seed = 10; seed < 40; ++seed) {
    const x = randoms(D, seed);
    const form = product(product(x, P, D), x, D)[0];
    assert.ok(form >= -1e-12, String(form));
  }
});

test("by hand: a quarter rotation, and columns that are 0", () => {
  // b is a rotated by a quarter: (x, y) -> (-y, x). The way back is (x, y) -> (y, -x).
  const { rotation, trace } = procrustes([0, 1, -2, 0], [1, 0, 0, 2], 2);
  assert.deepEqual(
    [...rotation].map((x) => Math.round(1e12 * x) / 1e12 + 0),
    [0, -1, 1, 0],
  );
  assert.ok(Math.abs(trace - 5) < 1e-12);
  for (const a of [new Float64Array(6), Float64Array.of(1, 0, 0, 2, 0, 0)]) {
    assertOrthogonal(procrustes(a, a, 3).rotation, 3, 1e-12);
  }
});

test("two models whose words lie alike explain each other, and wrongly paired ones do not", async () => {
  const [N, D] = [300, 12];
  const first = randoms(N * D, 7);
  const { rotation } = procrustes(randoms(N * D, 8), randoms(N * D, 9), D);
  const second = product(first, rotation, D).map((x) => 5 * x + 3);
  const plain = (/** @type {Float64Array} */ x) => ({ data: Float32Array.from(x), shape: [N, D] });
  const steps = align(phasor, { first: plain(first), second: plain(second) });
  let step = await steps.next();
  while (!step.done) step = await steps.next();
  const { disparity, chance, found, cosines, first: one, second: two } = step.value;
  assert.ok(Math.abs(disparity) < 1e-5, String(disparity));
  assert.ok(chance > 0.5, String(chance));
  assert.equal(found, 1);
  assert.ok(cosines.every((x) => x > 0.9999));
  assert.deepEqual([one.shape, two.shape], [[N, D], [N, D]]); // prettier-ignore
});

test("shared words: each once, whole words before pieces, and no signs", () => {
  const first = {
    words: ["the", "\u2423king", "king", "Queen", "##s", "42", ",", "caf\u00e9", "lone"],
  };
  const words = ["\u2423the", "the", "\u2423King", "queen", "42", "caf\u00e9"];
  const plain = (/** @type {string} */ word) => word.replace("\u2423", "").toLowerCase();
  const second = {
    words,
    wordOf: (/** @type {string} */ word) => words.findIndex((each) => plain(each) === plain(word)),
  };
  assert.deepEqual(shared(first, second), {
    words: ["the", "king", "Queen", "42", "caf\u00e9"],
    first: [0, 1, 3, 5, 7],
    second: [0, 2, 3, 4, 5],
  });
});
