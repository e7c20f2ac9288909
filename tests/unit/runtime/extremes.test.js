// Options at the ends of what functions take: right numbers, or an error that names the option.
import assert from "node:assert/strict";
import { test } from "node:test";
import { phasor as p } from "../../phasor.js";

const isFinite = (/** @type {ArrayLike<number | bigint>} */ data) => Array.from(data).every((x) => Number.isFinite(Number(x))); // prettier-ignore

test("denominators of exponents beyond those of doubles are refused", () => {
  const rule = /spectrum must be .*a number from 1e-9 to 1e15; got/;
  for (const spectrum of [1e-60, 0, 1e301]) {
    assert.throws(() => p.sinusoidal.table([0, 3], 8, { spectrum }), rule);
    assert.throws(() => p.sincosGrid.table([3], 16, { spectrum }), rule);
    assert.throws(() => p.rounding.report(4, 16, { spectrum }), rule);
  }
  for (const spectrum of [1e-9, 1e15]) {
    for (const precision of /** @type {const} */ (["exact", "torch"])) {
      const { data } = p.sinusoidal.table([0, 3], 8, { spectrum, precision });
      assert.ok(isFinite(data), `${spectrum} ${precision}`);
    }
  }
  for (const downscaleFreqShift of [4, 4 - 1e-15, -1e301]) {
    assert.throws(() => p.fourierFeatures.timesteps([0, 1], 8, { downscaleFreqShift }), /downscaleFreqShift must be/); // prettier-ignore
  }
  assert.ok(isFinite(p.fourierFeatures.timesteps([0, 1], 8, { downscaleFreqShift: -1e9 }).data));
});

test("uniform weights by PyTorch's generator need a range that float32 has", () => {
  const wide = /** @type {const} */ ({ init: "uniform", low: -3e38, high: 3e38 });
  assert.throws(() => p.embedding.create(4, 4, { ...wide, generator: "torch" }), /low and high must be a float32 number apart for "torch"; got -3e\+38 and 3e\+38/); // prettier-ignore
  const table = p.embedding.create(4, 4, wide);
  assert.ok(isFinite(table.lookup([0, 1, 2, 3]).data));
  table.dispose();
});

test("factors of attention far from 1 keep digits where a sine is near 0", () => {
  // 7 theta is pi, but for 1e-16: at multiples of 7 all is cancelled.
  const [P, theta, T] = [8, Math.PI / 7, 700];
  const table = (/** @type {number} */ attentionFactor) =>
    p.mrope.table([Array.from({ length: T }, (_, t) => t)], 2 * P, {
      sections: [P],
      frequencies: new Float64Array(P).fill(theta),
      attentionFactor,
    }).sin.data;
  const plain = table(1);
  for (const power of [-100, -75, -70, 70, 75, 100]) {
    const scaled = table(2 ** power);
    plain.forEach((x, i) => assert.equal(scaled[i], Math.fround(x * 2 ** power), `2^${power}, ${i}`)); // prettier-ignore
  }
});

test("ramps without width, and factors without digits, are refused", () => {
  const llama3 = { type: /** @type {const} */ ("llama3"), factor: 8, originalLength: 8192 };
  const of = (/** @type {number} */ highFreqFactor) =>
    p.rope.frequencies(64, { scaling: { ...llama3, lowFreqFactor: 1, highFreqFactor } });
  for (const factor of [1 + 1e-9, 1 + 1e-12]) {
    assert.throws(() => of(factor), /highFreqFactor must be lowFreqFactor, 1, or larger by 1e-6/);
  }
  for (const factor of [1, 1 + 2e-6, 4]) assert.ok(isFinite(of(factor).frequencies.data));
  const yarn = { type: /** @type {const} */ ("yarn"), factor: 4, originalLength: 2 ** 31 - 1 };
  const tiny = { ...yarn, betaFast: 5e-324, betaSlow: 5e-324 };
  assert.throws(() => p.rope.frequencies(8, { scaling: tiny }), RangeError);
  const longrope = { type: /** @type {const} */ ("longrope"), factor: 4, originalLength: 100, longFactor: [1, 1] }; // prettier-ignore
  for (const call of [
    p.rope.frequencies,
    (/** @type {number} */ dim, /** @type {any} */ options) => p.rope.table([0], dim, options),
  ]) {
    assert.throws(() => call(4, { length: 10, scaling: { ...longrope, shortFactor: [1e-320, 1] } }), RangeError); // prettier-ignore
  }
});

test("caps, norms and decays at their ends", () => {
  const logits = (/** @type {number} */ softcap) => p.attention.scores([[3]], [[1]], { scale: 1, softcap }).data[0]; // prettier-ignore
  assert.equal(logits(1e30), 3);
  assert.throws(() => logits(1e40), /softcap must be .*1e\+30; got 1e\+40/);
  for (const eps of [5e-324, 1e-310, 1e-308, 0]) {
    assert.deepEqual([...p.normalize.l2([[0, 0]], { eps }).data], [0, 0], String(eps));
  }
  assert.throws(() => p.xpos.table(4, 8, { gamma: 1e5 }), /gamma must be/);
});
