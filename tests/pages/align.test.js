// The alignment of two models, and the words that both have.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor/worker";
import { align } from "../../web/explorer/align.js";
import { shared } from "../../web/explorer/shared.js";
import { noise, product } from "../unit/reference/samples.js";

const phasor = await load();

test("two models with similar arrangements of words align well, and with shuffled pairs they do not", async () => {
  const [N, D] = [300, 12];
  const first = noise(N * D, 7);
  const plain = (/** @type {ArrayLike<number>} */ x) => ({
    data: Float32Array.from(x),
    shape: [N, D],
  });
  const { rotation } = await phasor.procrustes(plain(noise(N * D, 8)), plain(noise(N * D, 9)));
  const second = product(first, Array.from(rotation.data, Number), D).map((x) => 5 * x + 3);
  const aligned = await align(phasor, plain(first), plain(second));
  const { disparity, chance, found, cosines, first: one, second: two } = aligned;
  assert.ok(Math.abs(disparity) < 1e-5, String(disparity));
  assert.ok(chance > 0.5, String(chance));
  assert.equal(found, 1);
  assert.ok(cosines.every((x) => x > 0.9999));
  assert.deepEqual([one.shape, two.shape], [[N, D], [N, D]]); // prettier-ignore
});

test("shared words are listed once each, whole words before pieces, without punctuation", () => {
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
