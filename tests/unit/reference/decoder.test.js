import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isNight } from "../../sample.js";
import { phasor } from "../../phasor.js";
import { cases } from "../../truth/golden.js";
import { decoderOf } from "../lab/golden.js";
import { dot, softmax } from "./attention.js";
import {
  biasOf,
  centralDifferences,
  crossEntropy,
  decoder,
  matrix,
  rotation,
  weightsOf,
} from "./decoder.js";
import { double } from "./exact.js";
import { noise, numbers } from "./samples.js";
import { scaledFrequencies } from "./scaling.js";

/** @import { Settings } from "./decoder.js" */

/**
 * @param {unknown} got  nested arrays @param {{data: ArrayLike<number | bigint>}} want
 * @param {number} allowed @param {string} label
 */
function assertNear(got, want, allowed, label) {
  const flat = /** @type {number[]} */ (/** @type {any} */ (got).flat(Infinity));
  const expected = numbers(want);
  assert.equal(flat.length, expected.length, label);
  const most = flat.reduce((most, x, k) => Math.max(most, Math.abs(x - expected[k])), 0);
  assert.ok(most <= allowed, `${label}: ${most}`);
}

/** @param {Iterable<number>} x */
const largest = (x) => Math.max(...Array.from(x, Math.abs));

describe("reference/decoder", () => {
  for (const found of cases("decoder", 12)) {
    const { name, params, start, ids, targets, long, outputs, gradient } = decoderOf(found);
    /** @type {Settings} */
    const settings = { heads: params.heads, position: params.position };

    test(`equals PyTorch in float64, rounded once: ${name}`, () => {
      const { logits, attention } = decoder(start, ids[0], settings);
      assertNear(logits, outputs.logits, 5e-7, "logits");
      assertNear(attention, outputs.attention, 5e-8, "attention");
      const loss = crossEntropy(logits, targets[0]);
      assertNear([loss], { data: numbers(outputs.losses).slice(0, 1) }, 1e-13, "loss");
      assertNear(decoder(start, long, settings).logits, outputs["long.logits"], 5e-7, "long");
      for (const [scaling, options] of Object.entries(params.scalings)) {
        const R = (params.dim / params.heads) * params.position.fraction;
        const frequencies = scaledFrequencies(options, R, params.position.base).map(double);
        const attentionFactor = scaling === "yarn" ? 0.1 * Math.log(options.factor) + 1 : 1;
        const position = { ...params.position, frequencies, attentionFactor };
        const got = decoder(start, long, { ...settings, position }).logits;
        assertNear(got, outputs[`long.logits.${scaling}`], 5e-7, scaling);
      }
    });

    test(`has PyTorch's gradient by central differences: ${name}`, () => {
      const got = centralDifferences(
        start,
        (p) => crossEntropy(decoder(p, ids[0], settings).logits, targets[0]),
        {
          share: (key) => {
            const entries = [...gradient[key].keys()];
            const few = isNight ? 3 : 1;
            const step = key.startsWith("bias.") ? 1 : Math.ceil(entries.length / few);
            return entries.filter((_, n) => n % step === 0);
          },
        },
      );
      for (const [key, found] of Object.entries(got)) {
        const allowed = 1e-7 * largest(gradient[key].values()) + 1e-9;
        for (const [k, value] of found) {
          const error = Math.abs(value - /** @type {number} */ (gradient[key].get(k)));
          assert.ok(error <= allowed, `${key}[${k}]: ${error} of ${allowed}`);
        }
      }
    });
  }

  // Schemes without a golden case.
  const [T, D, H] = [9, 8, 2];
  const [q, k] = [1, 2].map((seed) => matrix(noise(T * D, seed), D));
  const at = Array.from({ length: T }, (_, t) => t);

  test("turns queries and keys as xpos.table does", () => {
    for (const options of [{}, { base: 100, scaleBase: 16, gamma: 0.2 }]) {
      const turn = rotation({ scheme: "xpos", ...options }, D);
      const { query, key } = phasor.xpos.table(T, D, { ...options, center: 0 });
      for (const [rows, table, sign] of /** @type {const} */ ([
        [q, query, 1],
        [k, key, -1],
      ])) {
        const got = rows.map((row, t) => turn(row, t, sign));
        assertNear(got, phasor.rope.apply(rows, table), 5e-7, "turned");
      }
    }
  });

  test("adds the bias of sandwich.bias", () => {
    const want = phasor.sandwich.bias(H, T, { dim: 12, base: 50 });
    const bias = biasOf({}, { scheme: "sandwich", dim: 12, base: 50 }, H);
    for (const h of [0, 1]) {
      const got = at.map((i) => at.map((j) => bias(h, i, Math.abs(i - j))));
      assertNear(got, want.row(h), 1e-6, `head ${h}`);
    }
  });

  test("adds the bias of cope.bias, whose gates see the scaled logits", () => {
    const positions = noise(4 * D, 3);
    const logits = q.map((query) => k.map((key) => dot(query, key) / Math.sqrt(D)));
    const counted = matrix(positions, D).map((row) => q.map((query) => dot(query, row)));
    const places = at.map((t) => counted.map((row) => row[t]));
    const bias = phasor.cope.bias(logits, places).toArray();
    for (const temperature of [1, 1.5]) {
      const want = logits.map((row, i) => {
        const biased = row.map((x, j) => temperature * x + /** @type {number[][]} */ (bias)[i][j]);
        return softmax(biased);
      });
      const p = { "bias.positions": { data: positions, shape: [4, D] } };
      const got = weightsOf(p, { scheme: "cope" }, q, k, at, temperature, () => NaN);
      assertNear(got, { data: want.flat() }, 5e-7, "weights");
    }
  });
});
