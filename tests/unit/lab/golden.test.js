// The lab against PyTorch: reference values of 12 decoders, and a slow decoder in double for every scheme.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { load } from "phasor/lab";
/** @import { Tensor } from "phasor/lab" */
import { beginNeedle, RUN } from "../../../scripts/data/needle.js";
import { isNight } from "../../sample.js";
import { cases } from "../../truth/golden.js";
import { centralDifferences, crossEntropy, decoder } from "../reference/decoder.js";
import { numbers } from "../reference/samples.js";
import { decoders } from "./golden.js";

const { lab } = await load();

/** The largest difference. @param {ArrayLike<number>} found @param {ArrayLike<number>} expected */
function apart(found, expected) {
  assert.equal(found.length, expected.length);
  return Array.from(found).reduce((most, x, i) => Math.max(most, Math.abs(x - expected[i])), 0);
}

/** The largest difference of entries. @param {Record<string, Tensor>} found @param {Record<string, Map<number, number>>} expected */
const entriesApart = (found, expected) =>
  Object.entries(expected).reduce(
    (most, [name, entries]) =>
      [...entries].reduce((m, [i, x]) => Math.max(m, Math.abs(found[name].data[i] - x)), most),
    0,
  );

describe("golden: the lab gives PyTorch's numbers", () => {
  for (const { name, params, start, ids, targets, long, outputs, gradient, after } of decoders()) {
    test(name, () => {
      const { position, optimizer, scalings, vocabulary, dim, heads, layers, tied } = params;
      const rows = start.positions && { rows: start.positions.shape[0] };
      const own = { ...position, ...rows };
      const options = { vocabulary, dim, heads, layers, tied, position: own, bias: true };
      const model = lab.decoder.from(start, options);
      const within = (
        /** @type {string} */ of,
        /** @type {ArrayLike<number>} */ found,
        /** @type {number} */ most,
      ) => {
        const off = apart(found, numbers(outputs[of]));
        assert.ok(off <= most, `${of}: ${off}`);
      };
      within("logits", model.logits(ids[0]).data, 1e-5);
      within("attention", model.attention(ids[0]).data, 2e-6);
      within("long.logits", model.logits(long).data, 1e-5);
      for (const [of, scaling] of Object.entries(scalings ?? {})) {
        within(`long.logits.${of}`, model.logits(long, { scaling }).data, 1e-5);
      }
      const found = model.gradients(ids[0], targets[0]).gradients;
      const off = entriesApart(found, gradient);
      assert.ok(off <= 3e-6, `gradient: ${off}`);

      let n = 0;
      const task = {
        vocabulary,
        fill: (
          /** @type {unknown} */ _,
          /** @type {Int32Array} */ x,
          /** @type {Int32Array} */ y,
        ) => {
          x.set(ids.flat()[n]);
          y.set(targets.flat()[n++]);
        },
      };
      const settings = { length: 10, batch: 3, steps: ids.length, every: 1, biasRate: 1 };
      const run = model.train(task, { ...settings, ...optimizer });
      const steps = Array.from(run);
      within(
        "losses",
        steps.map(({ loss }) => loss),
        1e-5,
      );
      within(
        "norms",
        steps.map(({ norm }) => norm),
        1e-5,
      );
      const moved = entriesApart(model.weights(), after);
      assert.ok(moved <= 2e-5, `after: ${moved}`);
    });
  }
});

/** @type {Record<string, import("phasor/lab").Position>} */
const POSITIONS = {
  none: { scheme: "none" },
  learned: { scheme: "learned", rows: 20 },
  sinusoidal: { scheme: "sinusoidal" },
  rope: { scheme: "rope" },
  "half of the columns": { scheme: "rope", fraction: 0.5 },
  xpos: { scheme: "xpos", scaleBase: 16 },
  alibi: { scheme: "alibi" },
  t5Bias: { scheme: "t5Bias", buckets: 6, maxDistance: 9 },
  "kerple log": { scheme: "kerple", kernel: "log" },
  "kerple power": { scheme: "kerple", kernel: "power" },
  sandwich: { scheme: "sandwich", dim: 16 },
  fire: { scheme: "fire", hidden: 5, c: 0.2, threshold: 6 },
  shaw: { scheme: "shaw", maxDistance: 3 },
  cope: { scheme: "cope", positions: 4 },
};

describe("golden: every scheme is that of the slow decoder, and its gradient that of central differences", () => {
  const task = lab.tasks.latest({ keys: 2, values: 3 });
  const shape = { vocabulary: task.vocabulary, dim: 16, heads: 2, layers: 2, seed: 3 };
  const ids = Array.from({ length: 3 }, (_, b) =>
    Array.from({ length: 14 }, (_, t) => (b * 5 + t * t) % task.vocabulary),
  );
  const targets = ids.map((text) => text.map((id, t) => (t % 4 === 1 ? -1 : (id * 3 + t) % 8)));
  for (const [name, position] of Object.entries(POSITIONS)) {
    test(name, () => {
      const model = lab.decoder({ ...shape, position });
      // Numbers that begin at 0 move away from it, so that every product has its part.
      Array.from(model.train(task, { length: 14, batch: 4, steps: 12, learningRate: 0.02 }));
      const weights = model.weights();
      const settings = { heads: 2, position };
      const lossOf = (/** @type {any} */ w) =>
        crossEntropy(decoder(w, ids, settings).logits, targets);
      const slow = decoder(weights, ids, settings);
      assert.ok(apart(model.logits(ids).data, slow.logits.flat(2)) <= 1e-5, "logits");
      assert.ok(apart(model.attention(ids).data, slow.attention.flat(4)) <= 2e-6, "attention");
      const { loss, gradients } = model.gradients(ids, targets);
      assert.ok(Math.abs(loss - lossOf(weights)) <= 1e-6, "loss");
      const share = (/** @type {string} */ of, /** @type {number} */ size) => {
        const step = of.startsWith("bias.") ? 1 : Math.ceil(size / (isNight ? 4 : 1));
        return Array.from({ length: Math.ceil(size / step) }, (_, i) => i * step);
      };
      const expected = centralDifferences(weights, lossOf, { share });
      for (const [of, entries] of Object.entries(expected)) {
        const most = gradients[of].data.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
        const off = entriesApart(gradients, { [of]: entries });
        assert.ok(off <= 2e-6 * most + 2e-7, `${of}: ${off} of ${most}`);
      }
    });
  }

  test("a temperature multiplies the scores, and no bias", () => {
    for (const position of Object.values(POSITIONS)) {
      const model = lab.decoder({ ...shape, position });
      const slow = decoder(model.weights(), ids, { heads: 2, position, temperature: 1.7 });
      const found = model.logits(ids, { temperature: 1.7 });
      assert.ok(apart(found.data, slow.logits.flat(2)) <= 1e-5, position.scheme);
    }
  });

  test("positions of one's own are those of the slow decoder", () => {
    const positions = [2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 18, 19];
    for (const position of Object.values(POSITIONS)) {
      const model = lab.decoder({ ...shape, position });
      const before = model.weights();
      const fixed = {
        vocabulary: shape.vocabulary,
        fill: (
          /** @type {unknown} */ _,
          /** @type {Int32Array} */ x,
          /** @type {Int32Array} */ y,
        ) => {
          x.set(ids[1]);
          y.set(targets[1]);
        },
      };
      const [{ loss }] = model.train(fixed, {
        length: 14,
        batch: 1,
        steps: 1,
        positions: () => positions,
      });
      const slow = decoder(before, [ids[1]], { heads: 2, position, positions: [positions] });
      const expected = crossEntropy(slow.logits, [targets[1]]);
      assert.ok(Math.abs(loss - expected) <= 1e-6, `${position.scheme}: ${loss}, ${expected}`);
    }
  });
});

test("golden: 200 steps of the task needle are PyTorch's from the same weights and batches", () => {
  const [{ outputs }] = cases("decoder_run", 1);
  const expected = numbers(outputs.losses_f64);
  const { task, model } = beginNeedle(lab);
  const found = Array.from(model.train(task, RUN), ({ loss }) => loss);
  assert.equal(found.length, 200);
  const compared = found.filter((_, n) => expected[n] > 0.05);
  assert.ok(compared.length > 80, `${compared.length} steps with a loss above 0.05`);
  found.forEach((loss, n) => {
    const allowed = expected[n] > 0.05 ? 2e-4 : 2e-3;
    assert.ok(Math.abs(loss - expected[n]) <= allowed, `step ${n}: ${loss}, ${expected[n]}`);
  });
});
