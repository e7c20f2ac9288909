import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../../battery.js";
import { phasor } from "../../../phasor.js";
import * as reference from "../../reference/bias.js";
import { numbers } from "../../reference/samples.js";
import { assertOnce, ONCE, testSpan } from "./span.js";

const { kerple } = phasor;

const KERNELS = /** @type {const} */ (["log", "power", "weight"]);

describe("kerple.bias", () => {
  const a = [0.01, 0.25, 0.7, 1, 3];
  const p = [0.01, 0.5, 0.9, 1.37, 2];

  for (const kernel of KERNELS) {
    test(`kerple.bias equals its formula within ${ONCE} ULP, kernel ${kernel}`, () => {
      for (const offset of [0, 100, 2 ** 20, 2 ** 31 - 100]) {
        const [Tq, Tk] = [3, 90];
        for (const causal of [false, true]) {
          // as tensors, a and p are float32
          const [of, by] = [a, p].map((x) => Float32Array.from(x));
          const got = kerple.bias(5, Tq, { keys: Tk, offset, kernel, a: of, p: by, causal });
          assert.deepEqual(got.shape, [5, Tq, Tk]);
          for (let h = 0; h < 5; ++h) {
            for (let i = 0; i < Tq; ++i) {
              for (let j = 0; j < Tk; ++j) {
                const r = offset + i - j;
                const hidden = kernel === "weight" ? 1 : -Infinity;
                const value = reference.kerple[kernel](of[h], by[h], Math.abs(r));
                const want = causal && r < 0 ? hidden : value;
                assertOnce(got.at(h, i, j), want, `${kernel}, head ${h}, ${i}, ${j}`);
              }
            }
          }
        }
      }
    });

    test(`kerple.bias accepts one a and p for all heads, kernel ${kernel}`, () => {
      const one = kerple.bias(2, 5, { kernel, a: 0.5, p: 1.25 });
      const each = kerple.bias(2, 5, { kernel, a: [0.5, 0.5], p: [1.25, 1.25] });
      assert.deepEqual(one, each);
    });

    test(`kerple.bias never increases with the distance, kernel ${kernel}`, () => {
      const line = numbers(kerple.bias(1, 1, { keys: 3000, kernel, a: 0.3, p: 0.4 }));
      for (let j = 1; j < line.length; ++j) assert.ok(line[j] >= line[j - 1]);
      assert.equal(line[line.length - 1], kernel === "weight" ? 1 : 0);
    });
  }

  test("kerple.bias with power p = 1 is ALiBi at the slope a", () => {
    const slopes = phasor.alibi.slopes(5, { biasMax: 4 }); // none below 0.01
    const got = kerple.bias(5, 40, { kernel: "power", a: slopes, causal: true });
    const want = phasor.alibi.bias(5, 40, { slopes, form: "causal" });
    // |r|^1 by exp and log is 2^-45 off, so that a product may fall to the other side of a tie
    numbers(got).forEach((x, k) => assertOnce(x, Number(want.data[k]), `${k}`));
  });

  test("kerple.bias rejects values of a and p that training would clamp", () => {
    for (const options of /** @type {any[]} */ ([
      { a: 0.0099 },
      { a: [0.0099] },
      { a: [1, 1] },
      { a: [[1]] },
      { a: [NaN] },
      { a: [Infinity] },
      { a: 1e39 },
    ])) {
      assert.throws(() => kerple.bias(1, 2, options), /^RangeError: \S+: a must .+; got /);
    }
    for (const options of /** @type {any[]} */ ([
      { p: 0.0099 },
      { p: 2.01, kernel: "power" },
      { p: [2.01], kernel: "weight" },
    ])) {
      assert.throws(() => kerple.bias(1, 2, options), /^RangeError: \S+: p must .+; got /);
    }
    kerple.bias(1, 2, { p: 2.01 });
    kerple.bias(1, 2, { a: Float32Array.of(0.01), p: Float32Array.of(0.01) });
    const steep = kerple.bias(1, 1, { keys: 2, offset: 2 ** 30, kernel: "power", a: 3e38 });
    assert.deepEqual(numbers(steep), [-Infinity, -Infinity]);
  });
});

testSpan("kerple.bias", (options) => kerple.bias(2, 3, options));

declaredBattery(
  "kerple.bias",
  { heads: 1, length: 2 },
  { offset: ["reach"], a: ["wordOrPositive"], p: ["wordOrPositive"] },
);
