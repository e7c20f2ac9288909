import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../battery.js";
import { cases } from "../../truth/golden.js";
import { phasor } from "../../phasor.js";
import { noise } from "../reference/samples.js";

const { pooling } = phasor;

/** The names of Sentence Transformers, and ours. */
const MODES = /** @type {const} */ ([
  ["mean", "mean"],
  ["cls", "cls"],
  ["lasttoken", "last"],
  ["weightedmean", "weighted"],
  ["max", "max"],
  ["mean_sqrt_len_tokens", "mean-sqrt-len"],
]);

/** @param {{shape: readonly number[], data: ArrayLike<number | bigint>}} got @param {{shape: readonly number[], data: ArrayLike<number | bigint>}} want @param {number} bound */
function assertNear(got, want, bound) {
  assert.deepEqual(got.shape, want.shape);
  Array.from(got.data, Number).forEach((x, k) => {
    const y = Number(want.data[k]);
    assert.ok(x === y || Math.abs(x - y) <= bound * Math.max(1, Math.abs(y)), `${x} for ${y}`);
  });
}

describe("pooling against Sentence Transformers", () => {
  // PyTorch adds up to 6 numbers below 4 in float32: each addition errs by 2^-24 of its sum, below 16.
  const BOUND = 1e-6;

  for (const { id, params, inputs, outputs } of cases("sentence_pooling", 8)) {
    const { x, mask } = inputs;
    const promptLength = params.prompt_length;
    for (const [name, mode] of MODES) {
      test(`pooling.apply equals ${name} of ${id}`, () => {
        const got = pooling.apply(x, { mask, mode, promptLength });
        const isCopy = ["cls", "last", "max"].includes(mode);
        assertNear(got, outputs[name], isCopy ? 0 : BOUND);
      });
    }
    test(`pooling.apply concatenates modes, truncates, then normalizes ${id}`, () => {
      const mode = /** @type {const} */ (["cls", "mean"]);
      assertNear(pooling.apply(x, { mask, mode, promptLength }), outputs.two, BOUND);
      const options = { mask, mode, promptLength, dim: params.unit_dim, normalize: true };
      assertNear(pooling.apply(x, options), outputs.unit, BOUND);
    });
  }

  for (const { id, params, inputs, outputs } of cases("sentence_dense", 2)) {
    for (const name of params.activations) {
      test(`pooling.dense equals ${name} of ${id}`, () => {
        const { x, weight, bias } = inputs;
        const activation = name.toLowerCase();
        assertNear(pooling.dense(x, weight, { bias, activation }), outputs[name], BOUND);
      });
    }
  }
});

describe("pooling.apply", () => {
  test("sums in double and rounds once, after the division by the length", () => {
    const [T, D] = [50, 9];
    const x = noise(T * D, 6);
    const sums = Array.from({ length: D }, (_, d) => {
      let sum = 0;
      for (let t = 0; t < T; ++t) sum += (t + 1) * x[t * D + d];
      return sum / ((T * (T + 1)) / 2);
    });
    const length = Math.sqrt(sums.reduce((sum, value) => sum + value * value, 0));
    const given = { data: x, shape: [T, D] };
    assert.deepEqual(
      pooling.apply(given, { mode: "weighted", normalize: true }).data,
      Float32Array.from(sums, (value) => value / length),
    );
  });

  test("accepts a mask for all texts, of booleans, or none", () => {
    const x = [
      [[1], [2], [3]],
      [[4], [5], [6]],
    ];
    assert.deepEqual(pooling.apply(x, { mask: [true, false, true] }).toArray(), [[2], [5]]);
    assert.deepEqual(pooling.apply(x).toArray(), [[2], [5]]);
    assert.deepEqual(pooling.apply({ data: [], shape: [0, 3, 2] }).shape, [0, 2]);
  });

  test("refuses to normalize the maximum of no tokens, which is -Infinity", () => {
    const x = [
      [
        [1, -2],
        [3, 4],
      ],
      [
        [5, 6],
        [7, 8],
      ],
    ];
    const mask = [
      [0, 1],
      [0, 0],
    ];
    const none = [-Infinity, -Infinity];
    assert.deepEqual(pooling.apply(x, { mask, mode: "max" }).toArray(), [[3, 4], none]);
    const message = (/** @type {string} */ rule, /** @type {number} */ b) =>
      `pooling.apply: ${rule} a token in each text for mode "max" with normalize; got none in text ${b}`;
    for (const mode of /** @type {const} */ ([["max"], ["mean", "max"]])) {
      const options = { mode, normalize: true };
      assert.throws(() => pooling.apply(x, { ...options, mask }), {
        name: "RangeError",
        message: message("mask must have", 1),
      });
      assert.throws(() => pooling.apply(x, { ...options, promptLength: 2 }), {
        name: "RangeError",
        message: message("promptLength must leave", 0),
      });
      const last = {
        ...options,
        promptLength: 1,
        mask: [
          [1, 1],
          [0, 1],
        ],
      };
      assert.throws(() => pooling.apply(x, last), {
        message: message("promptLength must leave", 1),
      });
      const { data } = pooling.apply(x, {
        ...options,
        mask: [
          [0, 1],
          [1, 0],
        ],
      });
      assert.ok(data.every(Number.isFinite));
    }
    // Other modes give zeros, or the first token.
    const mean = pooling.apply(x, { mask, normalize: true }).toArray();
    assert.deepEqual(mean[1], [0, 0]);
  });

  test("names the argument with the wrong shape", () => {
    const x = [[[1, 2]]];
    const refused = (/** @type {any} */ options, /** @type {RegExp} */ message) =>
      assert.throws(() => pooling.apply(x, options), { name: "RangeError", message });
    refused({ mask: [[1, 1]] }, /^\S+: mask must have shape \[1, 1\] or \[1\]; got \[1, 2\]$/);
    refused({ dim: 3 }, /^\S+: dim must be a whole number from 1 to 2; got 3$/);
    refused({ mode: [] }, /^\S+: mode must have from 1 to 64 modes; got 0$/);
    refused(
      { mode: ["mean", "median"] },
      /^\S+: mode must be one of "mean", "cls", .*; got "median"; did you mean "mean"\?$/,
    );
    assert.throws(
      () => pooling.apply([1, 2]),
      /^RangeError: \S+: x must have shape \[B, T, D\] or \[T, D\] with T and D >= 1; got \[2\]$/,
    );
    assert.throws(
      () => pooling.dense([[1, 2]], [[1]]),
      /^RangeError: \S+: weight must have shape \[N, 2\]; got \[1, 1\]$/,
    );
    assert.throws(
      () => pooling.dense([[1]], [[1]], { bias: [1, 2] }),
      /^RangeError: \S+: bias must have shape \[1\]; got \[2\]$/,
    );
  });
});

declaredBattery(
  "pooling.apply",
  {
    x: [
      [
        [1, 2],
        [3, 4],
      ],
    ],
  },
  { mode: ["word"] },
);

declaredBattery(
  "pooling.dense",
  {
    x: [[1, 2]],
    weight: [
      [1, 2],
      [3, 4],
    ],
  },
  { weight: ["tensor"] },
);
