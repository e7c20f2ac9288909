import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../../battery.js";
import { phasor } from "../../../phasor.js";
import { frequencies, phase } from "../../reference/exact.js";
import * as reference from "../../reference/bias.js";
import { numbers } from "../../reference/samples.js";
import { assertOnce, ONCE, testSpan } from "./span.js";

const { sandwich } = phasor;

describe("sandwich.bias", () => {
  test("sandwich.bias has the reference values: width 8, 4 heads", () => {
    const got = sandwich.bias(4, 1, { keys: 9, dim: 8 });
    [-0.00252317, -0.00126158, -0.00084106, -0.00063079].forEach((want, h) => {
      assert.ok(Math.abs(Number(got.at(h, 0, 7)) - want) <= 5e-9); // its last digit
      assert.equal(got.at(h, 0, 8), 0);
    });
    assert.ok(Math.abs(Number(got.at(0, 0, 0)) + 0.153262) <= 5e-7);
  });

  test(`sandwich.bias is within ${ONCE} ULP up to 4096 and base 10000`, () => {
    for (const dim of [2, 8, 128]) {
      const thetas = frequencies(10000, dim / 2, dim / 2 + 1).slice(1);
      const keys = 4097;
      const got = sandwich.bias(3, 1, { keys, dim });
      for (let distance = 0; distance < keys; distance += dim === 128 ? 37 : 5) {
        const sum = thetas.reduce((sum, theta) => sum + phase(distance / 2, theta).sin ** 2, 0);
        for (let h = 0; h < 3; ++h) {
          const value = got.at(h, 0, keys - 1 - distance);
          assertOnce(value, (-2 * sum) / ((8 * (h + 1)) / 3), `distance ${distance}`);
        }
      }
    }
  });

  test("sandwich.bias equals the paper's formula, at any base, causal and symmetric", () => {
    for (const base of [1, 100, 10000, 1e6]) {
      for (const causal of [false, true]) {
        const got = sandwich.bias(3, 7, { keys: 60, offset: 20, dim: 12, base, causal });
        for (let h = 0; h < 3; ++h) {
          for (let i = 0; i < 7; ++i) {
            for (let j = 0; j < 60; ++j) {
              const r = 20 + i - j;
              const want = reference.sandwich(r, 12, h + 1, 3, base);
              if (causal && r < 0) assert.equal(got.at(h, i, j), -Infinity);
              // the formula itself cancels to 6 * 2^-53 in double, over 8/3 at least
              else {
                const error = Math.abs(Number(got.at(h, i, j)) - want);
                assert.ok(error <= 1e-15 + 2 ** -24 * Math.abs(want));
              }
            }
          }
        }
      }
    }
  });

  test("sandwich.bias is the inner product of sinusoidal encodings", () => {
    // The sinusoids' frequencies begin with 1, Sandwich's with base^(-2/D): positions make it up.
    const [dim, T] = [16, 12];
    const scale = 10000 ** (-2 / dim);
    const positions = Float64Array.from({ length: T }, (_, t) => t * scale);
    const table = phasor.sinusoidal.table(positions, dim);
    const got = sandwich.bias(1, T, { dim });
    for (let i = 0; i < T; ++i) {
      for (let j = 0; j < T; ++j) {
        const [q, k] = [i, j].map((t) => numbers(table.row(t)));
        const product = q.reduce((sum, x, d) => sum + x * k[d], 0);
        const want = (product - dim / 2) / 8;
        // 16 products of float32 numbers, each 2^-24 off twice, over 8
        assert.ok(Math.abs(Number(got.at(0, i, j)) - want) <= (16 * 2 * 2 ** -24) / 8);
      }
    }
  });

  test("sandwich.bias rejects an odd width", () => {
    assert.throws(() => sandwich.bias(1, 2, { dim: 7 }), /^RangeError: \S+: dim must be even/);
  });
});

testSpan("sandwich.bias", (options) => sandwich.bias(2, 3, options));

declaredBattery("sandwich.bias", { heads: 1, length: 2 }, { offset: ["reach"] });
