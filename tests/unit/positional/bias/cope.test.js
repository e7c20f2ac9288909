import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../../battery.js";
import { phasor, Tensor } from "../../../phasor.js";
import * as reference from "../../reference/bias.js";
import { noise, numbers } from "../../reference/samples.js";
import { assertOnce } from "./span.js";

const { cope } = phasor;

describe("cope.bias", () => {
  const [B, H, Tq, Tk, P] = [2, 3, 5, 9, 4];
  const logits = new Tensor(
    noise(B * H * Tq * Tk, 1).map((x) => 3 * x),
    [B, H, Tq, Tk],
  );
  const positionLogits = new Tensor(noise(B * H * Tq * P, 2), [B, H, Tq, P]);

  test("cope.bias equals its formula for every batch and head", () => {
    for (const offset of [undefined, 0, 3, 100]) {
      const got = cope.bias(logits, positionLogits, { offset });
      assert.deepEqual(got.shape, [B, H, Tq, Tk]);
      for (let b = 0; b < B; ++b) {
        for (let h = 0; h < H; ++h) {
          for (let i = 0; i < Tq; ++i) {
            const want = reference.cope(
              numbers(logits.row(b).row(h).row(i)),
              numbers(positionLogits.row(b).row(h).row(i)),
              (offset ?? Tk - Tq) + i,
            );
            want.forEach((value, j) =>
              assertOnce(got.at(b, h, i, j), value, `${b}, ${h}, ${i}, ${j}`),
            );
          }
        }
      }
    }
  });

  test("cope.bias with open gates gives every token its distance + 1, as relative positions do", () => {
    const open = new Float32Array(6 * 6).fill(1000);
    const places = Float32Array.from({ length: 6 * 8 }, (_, k) => k % 8);
    const got = cope.bias({ data: open, shape: [6, 6] }, { data: places, shape: [6, 8] });
    for (let i = 0; i < 6; ++i) {
      for (let j = 0; j < 6; ++j) assert.equal(got.at(i, j), j > i ? -Infinity : i - j + 1);
    }
  });

  test("cope.bias does not count keys whose logit is -Infinity", () => {
    const got = cope.bias([[1000, -Infinity, 1000]], [[0, 10, 20, 30]]);
    assert.deepEqual(got.toArray(), [[20, 10, 10]]);
  });

  test("cope.bias rejects mismatched shapes", () => {
    for (const [scores, places] of [
      [[1, 2], [[1]]],
      [[[1, 2]], [1]],
      [[[1, 2]], [[1], [2]]],
      [[[1, 2]], [[]]],
      [[[1, 2]], [[[1]]]],
    ]) {
      assert.throws(
        () => cope.bias(scores, places),
        /^RangeError: \S+: (logits|positionLogits) must .+; got /,
      );
    }
    assert.deepEqual(cope.bias({ data: [], shape: [2, 0] }, [[1], [1]]).shape, [2, 0]);
  });
});

declaredBattery(
  "cope.bias",
  { logits: [[1, 2]], positionLogits: [[1, 2, 3]] },
  {
    logits: ["tensor", "logits", "logits.shape"],
    positionLogits: ["tensor", "positionLogits", "positionLogits.shape"],
    offset: ["reach"],
  },
);
