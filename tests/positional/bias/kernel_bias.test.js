import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery } from "../../battery.js";
import { phasor, Tensor } from "../../phasor.js";
import { frequencies, phase, ulps } from "../../reference/exact.js";
import * as reference from "../../reference/kernel_bias.js";
import { floats, noise, numbers } from "../../reference/samples.js";

const { kernelBias } = phasor;

/** Rounded once from double, whose own error is far below: half an ULP. */
const ONCE = 0.501;

const FORMS = /** @type {const} */ (["symmetric", "causal"]);
const KERNELS = /** @type {const} */ (["log", "power", "weight"]);

/**
 * Within `ONCE` ULP, or what cancels in a sum of terms below 10 in double.
 * @param {number | bigint} got @param {number} want @param {string} told
 */
function assertOnce(got, want, told) {
  if (Number(got) === want) return;
  const near = Math.abs(Number(got) - want) <= 1e-14;
  assert.ok(near || ulps(Number(got), want) <= ONCE, `${told}: ${got}, not ${want}`);
}

describe("kernelBias.kerple", () => {
  const a = [0.01, 0.25, 0.7, 1, 3];
  const p = [0.01, 0.5, 0.9, 1.37, 2];

  for (const kernel of KERNELS) {
    test(`kernelBias.kerple equals its formula within ${ONCE} ULP, kernel ${kernel}`, () => {
      for (const offset of [0, 100, 2 ** 20, 2 ** 31 - 100]) {
        const [Tq, Tk] = [3, 90];
        for (const form of FORMS) {
          // as tensors, a and p are float32
          const [of, by] = [a, p].map((x) => Float32Array.from(x));
          const got = kernelBias.kerple(5, Tq, { keys: Tk, offset, kernel, a: of, p: by, form });
          assert.deepEqual(got.shape, [5, Tq, Tk]);
          for (let h = 0; h < 5; ++h) {
            for (let i = 0; i < Tq; ++i) {
              for (let j = 0; j < Tk; ++j) {
                const r = offset + i - j;
                const hidden = kernel === "weight" ? 1 : -Infinity;
                const value = reference.kerple[kernel](of[h], by[h], Math.abs(r));
                const want = form === "causal" && r < 0 ? hidden : value;
                assertOnce(got.at(h, i, j), want, `${kernel}, head ${h}, ${i}, ${j}`);
              }
            }
          }
        }
      }
    });

    test(`kernelBias.kerple takes one a and p for all heads, kernel ${kernel}`, () => {
      const one = kernelBias.kerple(2, 5, { kernel, a: 0.5, p: 1.25 });
      const each = kernelBias.kerple(2, 5, { kernel, a: [0.5, 0.5], p: [1.25, 1.25] });
      assert.deepEqual(one, each);
    });

    test(`kernelBias.kerple never rises with the distance, kernel ${kernel}`, () => {
      const line = numbers(kernelBias.kerple(1, 1, { keys: 3000, kernel, a: 0.3, p: 0.4 }));
      for (let j = 1; j < line.length; ++j) assert.ok(line[j] >= line[j - 1]);
      assert.equal(line[line.length - 1], kernel === "weight" ? 1 : 0);
    });
  }

  test("kernelBias.kerple with power p = 1 is ALiBi at the slope a", () => {
    const slopes = phasor.alibi.slopes(5, { biasMax: 4 }); // none below 0.01
    const got = kernelBias.kerple(5, 40, { kernel: "power", a: slopes, form: "causal" });
    const want = phasor.alibi.bias(5, 40, { slopes, form: "causal" });
    // |r|^1 by exp and log is 2^-45 off, so that a product may fall to the other side of a tie
    numbers(got).forEach((x, k) => assertOnce(x, Number(want.data[k]), `${k}`));
  });

  test("kernelBias.kerple refuses a and p that training would clamp", () => {
    for (const options of /** @type {any[]} */ ([
      { a: 0.0099 },
      { a: [0.0099] },
      { a: [1, 1] },
      { a: [[1]] },
      { a: [NaN] },
      { a: [Infinity] },
      { a: 1e39 },
    ])) {
      assert.throws(() => kernelBias.kerple(1, 2, options), /^RangeError: a must .+; got /);
    }
    for (const options of /** @type {any[]} */ ([
      { p: 0.0099 },
      { p: 2.01, kernel: "power" },
      { p: [2.01], kernel: "weight" },
    ])) {
      assert.throws(() => kernelBias.kerple(1, 2, options), /^RangeError: p must .+; got /);
    }
    kernelBias.kerple(1, 2, { p: 2.01 });
    kernelBias.kerple(1, 2, { a: Float32Array.of(0.01), p: Float32Array.of(0.01) });
    const steep = kernelBias.kerple(1, 1, { keys: 2, offset: 2 ** 30, kernel: "power", a: 3e38 });
    assert.deepEqual(numbers(steep), [-Infinity, -Infinity]);
  });
});

describe("kernelBias.sandwich", () => {
  test("kernelBias.sandwich has the reference values: width 8, 4 heads", () => {
    const got = kernelBias.sandwich(4, 1, { keys: 9, dim: 8 });
    [-0.00252317, -0.00126158, -0.00084106, -0.00063079].forEach((want, h) => {
      assert.ok(Math.abs(Number(got.at(h, 0, 7)) - want) <= 5e-9); // its last digit
      assert.equal(got.at(h, 0, 8), 0);
    });
    assert.ok(Math.abs(Number(got.at(0, 0, 0)) + 0.153262) <= 5e-7);
  });

  test(`kernelBias.sandwich is within ${ONCE} ULP up to 4096 and base 10000`, () => {
    for (const dim of [2, 8, 128]) {
      const thetas = frequencies(10000, dim / 2, dim / 2 + 1).slice(1);
      const keys = 4097;
      const got = kernelBias.sandwich(3, 1, { keys, dim });
      for (let distance = 0; distance < keys; distance += dim === 128 ? 37 : 5) {
        const sum = thetas.reduce((sum, theta) => sum + phase(distance / 2, theta).sin ** 2, 0);
        for (let h = 0; h < 3; ++h) {
          const value = got.at(h, 0, keys - 1 - distance);
          assertOnce(value, (-2 * sum) / ((8 * (h + 1)) / 3), `distance ${distance}`);
        }
      }
    }
  });

  test("kernelBias.sandwich is the paper's formula, at any base and both forms", () => {
    for (const base of [1, 100, 10000, 1e6]) {
      for (const form of FORMS) {
        const got = kernelBias.sandwich(3, 7, { keys: 60, offset: 20, dim: 12, base, form });
        for (let h = 0; h < 3; ++h) {
          for (let i = 0; i < 7; ++i) {
            for (let j = 0; j < 60; ++j) {
              const r = 20 + i - j;
              const want = reference.sandwich(r, 12, h + 1, 3, base);
              if (form === "causal" && r < 0) assert.equal(got.at(h, i, j), -Infinity);
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

  test("kernelBias.sandwich is the inner product of sinusoidal encodings", () => {
    // The sinusoids' frequencies begin with 1, Sandwich's with base^(-2/D): positions make it up.
    const [dim, T] = [16, 12];
    const scale = 10000 ** (-2 / dim);
    const positions = Float64Array.from({ length: T }, (_, t) => t * scale);
    const table = phasor.sinusoidal.table(positions, dim);
    const got = kernelBias.sandwich(1, T, { dim });
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

  test("kernelBias.sandwich refuses an odd width", () => {
    assert.throws(() => kernelBias.sandwich(1, 2, { dim: 7 }), /^RangeError: dim must be even/);
  });
});

describe("kernelBias.fire", () => {
  const weights = kernelBias.fireWeights(3, { hidden: 8, seed: 5 });
  const plain = {
    w1: weights.w1.toArray(),
    b1: weights.b1.toArray(),
    w2: weights.w2.toArray(),
    b2: weights.b2.toArray(),
  };

  test("kernelBias.fire equals its formula, in both forms, before and after the threshold", () => {
    for (const [offset, c, threshold] of [
      [0, 0.1, 512],
      [0, 1, 4],
      [1000, 0.1, 512],
      [1000, 1e-9, 0],
      [2 ** 20, 30, 1e6],
    ]) {
      for (const form of FORMS) {
        const got = kernelBias.fire(weights, 6, { keys: 9, offset, c, threshold, form });
        assert.deepEqual(got.shape, [3, 6, 9]);
        for (let i = 0; i < 6; ++i) {
          for (let j = 0; j < 9; ++j) {
            const q = Number(offset) + i;
            const want = reference.fire(plain, q, j, Number(c), Number(threshold));
            want.forEach((value, h) => {
              const hidden = form === "causal" && j > q;
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

  test("kernelBias.fire measures by the query's own position, not the key's or the length", () => {
    const identity = { w1: [1], b1: [0], w2: [[1]], b2: [0] };
    const got = kernelBias.fire(identity, 50, { c: 1, threshold: 1, form: "causal" });
    for (const i of [2, 10, 49]) {
      const far = Number(got.at(0, i, 0)); // the farthest key is at 1
      assert.ok(Math.abs(far - 1) <= 1e-6, `${i}: ${far}`); // 1e-6 in the denominator
      assert.equal(got.at(0, i, i), 0);
    }
    const short = kernelBias.fire(identity, 1, { keys: 11, c: 1, threshold: 1 });
    assert.deepEqual(numbers(short), numbers(got.row(0).row(10)).slice(0, 11));
  });

  test("kernelBias.fire is the same across tiles", () => {
    const whole = kernelBias.fire(weights, 200, { keys: 700 });
    for (const [h, i] of [
      [0, 0],
      [0, 93],
      [0, 94],
      [1, 187],
      [2, 199],
    ]) {
      const row = kernelBias.fire(weights, 1, { keys: 700, offset: 500 + i });
      assert.deepEqual(whole.row(h).row(i).data.slice(), row.row(h).data.slice());
    }
  });

  test("kernelBias.fire takes w1 as a Linear layer has it, [M, 1]", () => {
    const column = { ...weights, w1: weights.w1.reshape(8, 1) };
    assert.deepEqual(kernelBias.fire(column, 4), kernelBias.fire(weights, 4));
  });

  test("kernelBias.fire refuses weights that do not agree, and names them", () => {
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
        () => kernelBias.fire(wrong, 2),
        /^RangeError: weights\.\w\d must .+; got /,
        name,
      );
    }
  });

  test("kernelBias.fireWeights draws uniform numbers of PyTorch's bounds, by the seed", () => {
    const { w1, b1, w2, b2 } = kernelBias.fireWeights(40, { seed: 1 });
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
    assert.deepEqual(kernelBias.fireWeights(40, { seed: 1n }).w2, w2);
    assert.notDeepEqual(kernelBias.fireWeights(40, { seed: 2 }).w2, w2);
    assert.notDeepEqual(w1.data, b1.data);
  });
});

describe("kernelBias.cope", () => {
  const [B, H, Tq, Tk, P] = [2, 3, 5, 9, 4];
  const logits = new Tensor(
    noise(B * H * Tq * Tk, 1).map((x) => 3 * x),
    [B, H, Tq, Tk],
  );
  const positionLogits = new Tensor(noise(B * H * Tq * P, 2), [B, H, Tq, P]);

  test("kernelBias.cope equals its formula for every batch and head", () => {
    for (const offset of [undefined, 0, 3, 100]) {
      const got = kernelBias.cope(logits, positionLogits, { offset });
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

  test("kernelBias.cope with open gates gives every token its distance + 1, as relative positions do", () => {
    const open = new Float32Array(6 * 6).fill(1000);
    const places = Float32Array.from({ length: 6 * 8 }, (_, k) => k % 8);
    const got = kernelBias.cope({ data: open, shape: [6, 6] }, { data: places, shape: [6, 8] });
    for (let i = 0; i < 6; ++i) {
      for (let j = 0; j < 6; ++j) assert.equal(got.at(i, j), j > i ? -Infinity : i - j + 1);
    }
  });

  test("kernelBias.cope does not count keys whose logit is -Infinity", () => {
    const got = kernelBias.cope([[1000, -Infinity, 1000]], [[0, 10, 20, 30]]);
    assert.deepEqual(got.toArray(), [[20, 10, 10]]);
  });

  test("kernelBias.cope may fill the logits themselves, and leaves them alone otherwise", () => {
    const before = logits.data.slice();
    const want = kernelBias.cope(logits, positionLogits);
    assert.deepEqual(logits.data, before);
    const copy = new Tensor(logits.data.slice(), logits.shape);
    assert.deepEqual(kernelBias.cope(copy, positionLogits, { out: copy }), want);
    assert.deepEqual(copy, want);
  });

  test("kernelBias.cope refuses shapes that do not agree", () => {
    for (const [scores, places] of [
      [[1, 2], [[1]]],
      [[[1, 2]], [1]],
      [[[1, 2]], [[1], [2]]],
      [[[1, 2]], [[]]],
      [[[1, 2]], [[[1]]]],
    ]) {
      assert.throws(
        () => kernelBias.cope(scores, places),
        /^RangeError: (logits|positionLogits) must .+; got /,
      );
    }
    assert.deepEqual(kernelBias.cope({ data: [], shape: [2, 0] }, [[1], [1]]).shape, [2, 0]);
  });
});

test("kernelBias functions fill out and return it, and are empty where nothing is asked", () => {
  const weights = kernelBias.fireWeights(2);
  for (const make of [
    (/** @type {object} */ options) => kernelBias.kerple(2, 3, options),
    (/** @type {object} */ options) => kernelBias.sandwich(2, 3, options),
    (/** @type {object} */ options) => kernelBias.fire(weights, 3, options),
  ]) {
    const out = new Float32Array(2 * 3 * 4);
    const got = make({ keys: 4, out });
    assert.equal(floats(got), out);
    assert.deepEqual(got, make({ keys: 4 }));
    assert.deepEqual(make({ keys: 0 }).shape, [2, 3, 0]);
    assert.notDeepEqual(make({ form: "causal" }), make({}));
    assert.deepEqual(make({ form: "symmetric" }), make({}));
  }
});

const SPAN = /** @type {const} */ ({
  $: ["options"],
  keys: ["seed"],
  offset: ["reach"],
  form: ["word"],
  out: ["floats"],
});

battery("kernelBias.kerple", {
  call: ({ heads, T, $ }) => kernelBias.kerple(heads, T, $),
  good: { heads: 1, T: 2 },
  args: {
    heads: ["size"],
    T: ["length", "length"],
    ...SPAN,
    kernel: ["word"],
    a: ["wordOrPositive"],
    p: ["wordOrPositive"],
  },
});

battery("kernelBias.sandwich", {
  call: ({ heads, T, $ }) => kernelBias.sandwich(heads, T, $),
  good: { heads: 1, T: 2 },
  args: {
    heads: ["size"],
    T: ["length", "length"],
    ...SPAN,
    dim: ["seed"],
    base: ["atLeastOne"],
  },
});

battery("kernelBias.fire", {
  call: ({ weights, T, $ }) => kernelBias.fire(weights, T, $),
  good: { weights: { w1: [1], b1: [0], w2: [[1]], b2: [0] }, T: 2 },
  args: {
    weights: ["table", "weights", "weights.w1"],
    T: ["length", "length"],
    ...SPAN,
    c: ["positive"],
    threshold: ["notNegative"],
  },
});

battery("kernelBias.fireWeights", {
  call: ({ heads, $ }) => kernelBias.fireWeights(heads, $),
  good: { heads: 2 },
  args: { heads: ["size"], $: ["options"], hidden: ["seed"], seed: ["seed"] },
});

battery("kernelBias.cope", {
  call: ({ x, places, $ }) => kernelBias.cope(x, places, $),
  good: { x: [[1, 2]], places: [[1, 2, 3]] },
  args: {
    x: ["tensor", "logits", "logits.shape"],
    places: ["tensor", "positionLogits", "positionLogits.shape"],
    $: ["options"],
    offset: ["reach"],
    out: ["floats"],
  },
});
