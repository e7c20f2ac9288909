import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../../battery.js";
import { phasor } from "../../../phasor.js";
import * as reference from "../../reference/bias.js";
import { noise, numbers } from "../../reference/samples.js";
import { testSpan } from "./span.js";

const { fire } = phasor;

/** Rounded once from double, whose error is far smaller: half an ULP. */
const ONCE = 0.501;

describe("fire.bias", () => {
  const weights = fire.weights(3, { hidden: 8, seed: 5 });
  const plain = {
    w1: weights.w1.toArray(),
    b1: weights.b1.toArray(),
    w2: weights.w2.toArray(),
    b2: weights.b2.toArray(),
  };

  test("fire.bias equals its formula, causal and symmetric, before and after the threshold", () => {
    for (const [offset, c, threshold] of [
      [0, 0.1, 512],
      [0, 1, 4],
      [1000, 0.1, 512],
      [1000, 1e-9, 0],
      [2 ** 20, 30, 1e6],
    ]) {
      for (const causal of [false, true]) {
        const got = fire.bias(weights, 6, { keys: 9, offset, c, threshold, causal });
        assert.deepEqual(got.shape, [3, 6, 9]);
        for (let i = 0; i < 6; ++i) {
          for (let j = 0; j < 9; ++j) {
            const q = Number(offset) + i;
            const want = reference.fire(plain, q, j, Number(c), Number(threshold));
            want.forEach((value, h) => {
              const hidden = causal && j > q;
              const at = got.at(h, i, j);
              // the reference forms 1 + c r: at c = 1e-9 that is 1e-7 of it
              const tolerance = c === 1e-9 ? 1e-6 : 1e-14 + ONCE * 2 ** -23 * Math.abs(value);
              if (hidden) assert.equal(at, -Infinity);
              else assert.ok(Math.abs(Number(at) - value) <= tolerance, `${h}, ${i}, ${j}`);
            });
          }
        }
      }
    }
  });

  test("fire.bias normalizes by the query's position, not the key's or the length", () => {
    const identity = { w1: [1], b1: [0], w2: [[1]], b2: [0] };
    const got = fire.bias(identity, 50, { c: 1, threshold: 1, causal: true });
    for (const i of [2, 10, 49]) {
      const far = Number(got.at(0, i, 0)); // the farthest key is at 1
      assert.ok(Math.abs(far - 1) <= 1e-6, `${i}: ${far}`); // 1e-6 in the denominator
      assert.equal(got.at(0, i, i), 0);
    }
    const short = fire.bias(identity, 1, { keys: 11, c: 1, threshold: 1 });
    assert.deepEqual(numbers(short), numbers(got.row(0).row(10)).slice(0, 11));
  });

  test("fire.bias accepts w1 with the shape of a Linear layer, [M, 1]", () => {
    const column = { ...weights, w1: weights.w1.reshape(8, 1) };
    assert.deepEqual(fire.bias(column, 4), fire.bias(weights, 4));
  });

  test("fire.bias rejects mismatched weights, and names them", () => {
    for (const [name, value] of /** @type {const} */ ([
      ["w1", [1, 2]],
      ["w1", noise(16)],
      ["b1", [[1]]],
      ["w2", weights.w2.reshape(8, 3)],
      ["w2", weights.w2.reshape(24)],
      ["b2", [[1, 2, 3]]],
      ["b2", [1, 2, NaN]],
    ])) {
      const wrong = { ...weights, [name]: value };
      assert.throws(
        () => fire.bias(wrong, 2),
        /^RangeError: \S+: weights\.\w\d must .+; got /,
        name,
      );
    }
  });

  test("fire.weights draws uniform numbers within PyTorch's bounds, by the seed", () => {
    const { w1, b1, w2, b2 } = fire.weights(40, { seed: 1 });
    assert.deepEqual(
      [w1, b1, w2, b2].map(({ shape }) => [...shape]),
      [[32], [32], [40, 32], [40]],
    );
    for (const [tensor, bound] of /** @type {const} */ ([
      [w1, 1],
      [b1, 1],
      [w2, 32 ** -0.5],
      [b2, 32 ** -0.5],
    ])) {
      const most = Math.max(...numbers(tensor).map(Math.abs));
      assert.ok(most <= bound && most > 0.8 * bound, `${most} of ${bound}`);
    }
    assert.deepEqual(fire.weights(40, { seed: 1n }).w2, w2);
    assert.notDeepEqual(fire.weights(40, { seed: 2 }).w2, w2);
    assert.notDeepEqual(w1.data, b1.data);
  });
});

const two = fire.weights(2);
testSpan("fire.bias", (options) => fire.bias(two, 3, options));

declaredBattery(
  "fire.bias",
  { weights: { w1: [1], b1: [0], w2: [[1]], b2: [0] }, length: 2 },
  {
    weights: ["table", "weights", "weights.w1"],
    offset: ["reach"],
  },
);

declaredBattery("fire.weights", { heads: 2 });
