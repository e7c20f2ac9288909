// Matrices of integers, of equal and zero rows and columns, and of numbers at the ends of float32: what analyzes rows either
// throws by its rules or returns numbers. `npm run x -- test:night` draws a million others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "./fuzz/random.js";
import { SEED, isNight } from "../sample.js";
import { phasor } from "../phasor.js";

const CALLS = isNight ? 1_000_000 : 12_000;

/** What fills a matrix. @type {((random: Random) => number)[]} */
const FILLS = [
  (random) => random.between(-1, 1),
  (random) => Number(random.happens(0.2)),
  (random) => random.below(2000) / 1000 - 1,
  (random) => random.pick([-1, 1]) * 2 ** random.between(-149, 127),
  (random) => 1 + random.below(4) * 2 ** -23,
  (random) => random.pick([0, 1, 3e38, -3e38, 1e-45, 1e19]),
  (random) => random.pick([1, 1e-8, 1e-16, -1e-24]),
];

/** A matrix, some rows and columns of which are zero or equal. @param {Random} random @param {number} N @param {number} D */
function matrix(random, N, D) {
  const fill = random.pick(FILLS);
  const data = Float32Array.from({ length: N * D }, () => fill(random));
  for (let times = random.below(3); times > 0; --times) {
    const [from, to, isZero] = [random.below(D), random.below(D), random.happens(0.5)];
    for (let n = 0; n < N; ++n) data[n * D + to] = isZero ? 0 : data[n * D + from];
  }
  for (let times = random.below(3); times > 0; --times) {
    const [from, to] = [random.below(N), random.below(N)];
    data.copyWithin(to * D, from * D, (from + 1) * D);
  }
  return { data, shape: [N, D] };
}

/** @typedef {{data: Float32Array, shape: number[]}} Matrix */
/** @type {Record<string, (x: Matrix, y: Matrix, random: Random) => unknown>} */
const CALLED = {
  procrustes: (x, y) => phasor.procrustes(x, y).scale,
  pca: (x, _, random) => phasor.pca(x, { components: random.between(1, x.shape[1]) }),
  "pca in double": (x) => phasor.pca(x, { accumulate: "float64" }),
  nearest: (x, y, random) => phasor.nearest(x, y, { k: random.between(1, x.shape[0]) }),
  summary: (x) => phasor.statistics.summary(x),
  singularValues: (x) => phasor.statistics.singularValues(x),
  effectiveRank: (x) => phasor.statistics.effectiveRank(x),
};

test(`${CALLS} calls with random matrices never end in an error of the core`, (t) => {
  t.diagnostic(`PHASOR_SEED=${SEED}`);
  const names = Object.keys(CALLED);
  let results = 0;
  for (let i = 0; i < CALLS; ++i) {
    const random = new Random(SEED, "matrices", i);
    const [N, D] = [random.between(1, 9), random.between(1, 9)];
    const name = names[i % names.length];
    try {
      CALLED[name](matrix(random, N, D), matrix(random, N, D), random);
      results += 1;
    } catch (error) {
      // A refusal in words, as of lengths that leave float32.
      assert.ok(error instanceof RangeError, `${name}, case ${i}: ${error}`);
      assert.match(error.message, /^\S+: .+ must .+; got /, `${name}, case ${i}`);
    }
  }
  assert.ok(results > 0.8 * CALLS, `${results} results`);
});
