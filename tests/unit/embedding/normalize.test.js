import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../battery.js";
import { cases } from "../../truth/golden.js";
import { phasor, Tensor } from "../../phasor.js";
import * as reference from "../reference/normalize.js";
import { floats, noise, numbers } from "../reference/samples.js";

/** @import { Stored } from "../../truth/golden.js" */

const { normalize } = phasor;

/** What one rounding of a double leaves. */
const HALF = 0.501 * 2 ** -23;

/** @param {Tensor} got @param {Stored} want @param {(k: number) => number} bound */
function assertNear(got, want, bound) {
  assert.deepEqual(got.shape, want.shape);
  got.data.forEach((x, k) => {
    const error = Math.abs(Number(x) - Number(want.data[k]));
    assert.ok(error <= bound(k), `${k}: ${error}`);
  });
}

/** @param {{data: ArrayLike<number>, shape: readonly number[]}} x @returns {Float32Array[]} */
function rowsOf({ data, shape }) {
  const D = shape[shape.length - 1];
  return Array.from({ length: data.length / D }, (_, t) =>
    Float32Array.from({ length: D }, (_, d) => data[t * D + d]),
  );
}

describe("normalize against PyTorch and Hugging Face", () => {
  /** The stored double was rounded, half an ULP, and so was ours. @param {Stored} want */
  const twoHalves = (want) => (/** @type {number} */ k) =>
    2 * HALF * Math.abs(Number(want.data[k])) + 2 ** -31;

  for (const { id, params, inputs, outputs, metrics } of cases("layer_norm", 2)) {
    test(`normalize.layerNorm equals ${id}`, () => {
      const { x, weight, bias } = inputs;
      const got = normalize.layerNorm(x, { weight, bias, eps: params.eps });
      assertNear(got, outputs.out_f64, twoHalves(outputs.out_f64));
      // what PyTorch's own float32 is off by, and the half ULP of values below 8
      const bound = metrics.out_max_abs_err_vs_float64 + 2 ** -21;
      assertNear(got, outputs.out, () => bound);
    });
  }

  for (const { id, params, inputs, outputs, metrics } of cases("rms_norm", 6)) {
    test(`normalize.rmsNorm equals ${id}`, () => {
      const unitOffset = params.weight_offset === 1;
      const { x, weight } = inputs;
      const got = normalize.rmsNorm(x, { weight, unitOffset, eps: params.eps });
      assertNear(got, outputs.out_f64, twoHalves(outputs.out_f64));
      const bound = metrics.out_max_abs_err_vs_float64 + 2 ** -21;
      assertNear(got, outputs.out, () => bound);
    });
  }

  for (const { id, params, inputs, outputs } of cases("l2_normalize", 1)) {
    test(`normalize.l2 equals ${id}, and the exact value for its tiny row`, () => {
      const { eps } = params;
      const got = normalize.l2(inputs.x, { eps });
      const D = inputs.x.shape[1];
      // float32's length of a row of 10 is off by some ULP
      assertNear(got, outputs.out, (k) => 2 ** -21 * Math.abs(Number(outputs.out.data[k])));
      // Row 4: PyTorch's float32 squares underflow to 0 and it divides by eps. The row's true length,
      // 4.5e-20, is below eps as well, so that eps is the right divisor.
      const tiny = numbers(inputs.x).slice(4 * D, 5 * D);
      assert.ok(Math.hypot(...tiny) > 0 && Math.hypot(...tiny) < eps);
      assert.deepEqual(
        numbers(got).slice(4 * D, 5 * D),
        tiny.map((x) => Math.fround(x / eps)),
      );
      // With a smaller eps it has length 1: nothing underflows here.
      const [row] = rowsOf({ data: numbers(normalize.l2([tiny], { eps: 1e-30 })), shape: [D] });
      assert.ok(Math.abs(Math.hypot(...row) - 1) <= 2 ** -23);
    });
  }
});

describe("normalize: accumulated in double, rounded once", () => {
  for (const [D, middle, spread] of [
    [1, 3, 1],
    [2, 0, 1],
    [5, 100, 1],
    [64, 0, 1e-30],
    [768, 1000, 1],
    [768, 0, 1e30],
    [4097, 200, 1],
  ]) {
    test(`normalize.* is within its bound for rows of ${D}, ${spread} around ${middle}`, () => {
      const data = noise(3 * D, D).map((x) => x * spread + middle);
      const weight = noise(D, 2).map((x) => x + 1);
      const bias = noise(D, 3);
      const x = { data, shape: [3, D] };
      const eps = spread < 1 ? 0 : 1e-5;
      const layer = rowsOf(/** @type {any} */ (normalize.layerNorm(x, { weight, bias, eps })));
      const rms = rowsOf(/** @type {any} */ (normalize.rmsNorm(x, { weight, eps })));
      const plus = rowsOf(
        /** @type {any} */ (normalize.rmsNorm(x, { weight, eps, unitOffset: true })),
      );
      const l2 = rowsOf(/** @type {any} */ (normalize.l2(x, { eps: 0 })));
      rowsOf(x).forEach((row, t) => {
        reference.layerNorm(row, { weight, bias, eps }).forEach((want, d) => {
          const bound = HALF * Math.abs(want) + 2 ** -33 * (weight[d] + Math.abs(bias[d]));
          assert.ok(Math.abs(layer[t][d] - want) <= bound, `layerNorm ${t}, ${d}`);
        });
        for (const [got, want, name] of /** @type {const} */ ([
          [rms, reference.rmsNorm(row, { weight, eps }), "rmsNorm"],
          [plus, reference.rmsNorm(row, { weight, eps, plus: 1 }), "unitOffset"],
          [l2, reference.l2(row, 0), "l2"],
        ])) {
          want.forEach((value, d) => {
            assert.ok(Math.abs(got[t][d] - value) <= HALF * Math.abs(value), `${name} ${t}, ${d}`);
          });
        }
      });
    });
  }

  test("normalize.layerNorm is accurate where float32 sums are not", () => {
    // One number unlike the 15 others: sqrt(15) and -1/sqrt(15), however small the difference. The
    // float32 sum of these is 16, and the mean would be 1.
    const row = [1 + 2 ** -23, ...new Array(15).fill(1)];
    const got = numbers(normalize.layerNorm([row], { eps: 0 }));
    assert.equal(got[0], Math.fround(Math.sqrt(15)));
    assert.equal(got[1], Math.fround(-1 / Math.sqrt(15)));
  });
});

describe("normalize, laws", () => {
  const x = new Tensor(noise(6 * 48, 9), [2, 3, 48]);

  test("normalize.layerNorm gives rows of mean 0 and variance 1, invariant to shift and scale", () => {
    const got = normalize.layerNorm(x, { eps: 0 });
    for (const row of rowsOf(/** @type {any} */ (got))) {
      const mean = row.reduce((sum, y) => sum + y, 0) / 48;
      const variance = row.reduce((sum, y) => sum + y * y, 0) / 48;
      // 48 roundings of half an ULP of numbers below 2
      assert.ok(Math.abs(mean) <= 2 ** -24);
      assert.ok(Math.abs(variance - 1) <= 2 ** -22);
    }
    const moved = new Tensor(
      floats(x).map((y) => 4 * y + 8), // exact but for the rounding of 4 y + 8, 2^-21
      [2, 3, 48],
    );
    normalize.layerNorm(moved, { eps: 0 }).data.forEach((y, k) => {
      assert.ok(Math.abs(Number(y) - Number(got.data[k])) <= 2 ** -20);
    });
  });

  test("normalize.layerNorm returns the bias for a constant row, with any eps", () => {
    const bias = [1, -2, 3.5];
    for (const eps of [0, 1e-12, 1]) {
      for (const value of [0, -0, 1, 1e-30, 0.1, -3e38]) {
        const rows = [[value, value, value]];
        assert.deepEqual(normalize.layerNorm(rows, { bias, eps }).toArray(), [bias]);
      }
    }
  });

  test("normalize.rmsNorm with unitOffset equals the plain one with 1 added to the weights", () => {
    const weight = noise(48, 4).map((w) => Math.round(w * 64) / 64); // so that 1 + w is exact
    const plain = normalize.rmsNorm(x, { weight: weight.map((w) => 1 + w) });
    assert.deepEqual(normalize.rmsNorm(x, { weight, unitOffset: true }), plain);
    assert.deepEqual(normalize.rmsNorm(x, { unitOffset: true }), normalize.rmsNorm(x));
  });

  test("normalize.l2 is normalize.rmsNorm over sqrt(D)", () => {
    const rms = normalize.rmsNorm(x, { eps: 0 });
    normalize.l2(x).data.forEach((y, k) => {
      const want = Number(rms.data[k]) / Math.sqrt(48);
      assert.ok(Math.abs(Number(y) - want) <= 2 * HALF * Math.abs(want));
    });
  });

  test("normalize.* returns zeros for a row of zeros, with any eps", () => {
    for (const eps of [0, 1e-12, 1]) {
      for (const by of [normalize.layerNorm, normalize.rmsNorm, normalize.l2]) {
        assert.deepEqual(by([[0, 0, 0]], { eps }).toArray(), [[0, 0, 0]]);
      }
    }
  });

  test("normalize.* handles the largest and the smallest numbers", () => {
    for (const size of [3e38, 2 ** -149]) {
      const rows = [[size, -size]];
      assert.deepEqual(normalize.layerNorm(rows, { eps: 0 }).toArray(), [[1, -1]]);
      assert.deepEqual(normalize.rmsNorm(rows, { eps: 0 }).toArray(), [[1, -1]]);
      const half = Math.fround(Math.SQRT1_2);
      assert.deepEqual(normalize.l2(rows, { eps: 0 }).toArray(), [[half, -half]]);
    }
  });

  test("normalize.* confines NaN to its row, and writes it as 0x7fc00000", () => {
    const odd = new Float32Array(Uint32Array.of(0xffc00001).buffer);
    const rows = { data: Float32Array.of(1, 2, odd[0], 3, 4, 5), shape: [3, 2] };
    for (const by of [normalize.layerNorm, normalize.rmsNorm, normalize.l2]) {
      const got = by(rows);
      const bits = new Uint32Array(got.data.buffer);
      assert.deepEqual([...bits.slice(2, 4)], [0x7fc00000, 0x7fc00000]);
      assert.ok(numbers(got).every((y, k) => Number.isNaN(y) === (k === 2 || k === 3)));
    }
  });

  test("normalize.* of zero rows is empty, and rows of width 0 are rejected", () => {
    assert.deepEqual(normalize.l2({ data: [], shape: [0, 3] }).shape, [0, 3]);
    for (const x of [{ data: [], shape: [3, 0] }, { data: [1], shape: [] }, []]) {
      assert.throws(() => normalize.layerNorm(x), /^RangeError: \S+: x must have shape .+; got \[/);
    }
  });

  test("normalize.* requires weights with the width of the rows", () => {
    for (const weight of [[1], [1, 2, 3], [[1, 2]]]) {
      assert.throws(
        () => normalize.layerNorm([[1, 2]], { weight }),
        /^RangeError: \S+: weight must have shape \[2\]; got \[/,
      );
    }
  });
});

const x = [[1, 2]];

declaredBattery("normalize.layerNorm", { x });

declaredBattery("normalize.rmsNorm", { x });

declaredBattery("normalize.l2", { x });
