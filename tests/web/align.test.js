// The alignment of two models, and the words that both have.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { align } from "../../web/app/tasks/align.js";
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

test("two models whose words lie alike explain each other, and wrongly paired ones do not", async () => {
  const [N, D] = [300, 12];
  const first = randoms(N * D, 7);
  const plain = (/** @type {Float64Array} */ x) => ({ data: Float32Array.from(x), shape: [N, D] });
  const { rotation } = phasor.procrustes(plain(randoms(N * D, 8)), plain(randoms(N * D, 9)));
  const second = product(first, Array.from(rotation.data, Number), D).map((x) => 5 * x + 3);
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
