import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery } from "../battery.js";
import { cases } from "../../truth/golden.js";
import { DisposedError, load, OutOfMemoryError, phasor, Tensor } from "../../phasor.js";
import { differences, lookup } from "../reference/embedding.js";
import { ulps } from "../reference/exact.js";
import { adam, sgd, sparseAdam } from "../reference/optimizers.js";
import { floats, noise, numbers } from "../reference/samples.js";
import { assertNear } from "../tensors.js";

/** @import { Optimizer } from "../reference/optimizers.js" */

const { embedding } = phasor;
const { fround } = Math;

/** @param {number} V @param {number} D @param {object} [options] */
function known(V, D, options) {
  const weights = noise(V * D, 30);
  return { weights, table: embedding.from(given(weights, V, D), { ...options }) };
}

/** @param {Float32Array} data @param {...number} shape */
const given = (data, ...shape) => ({ data, shape });

/**
 * A core whose memory can be measured, and that can be told to refuse requests for memory.
 */
async function hooked() {
  const { instantiate } = WebAssembly;
  let refused = 0;
  let granted = 0;
  /** @type {WebAssembly.Memory[]} */
  const memories = [];
  WebAssembly.instantiate = /** @type {any} */ (
    async (/** @type {any[]} */ ...args) => {
      const started = await /** @type {any} */ (instantiate)(...args);
      const exports = { ...(started.instance ?? started).exports };
      for (const [name, value] of Object.entries(exports)) {
        if (value instanceof WebAssembly.Memory) memories.push(value);
        if (typeof value !== "function") continue;
        exports[name] = (/** @type {any[]} */ ...rest) =>
          refused > 0 && rest.length === 1 && isAround(rest[0], refused) && --granted < 0
            ? 0
            : value(...rest);
      }
      return { exports };
    }
  );
  try {
    return {
      ...(await load({ shared: false })),
      bytes: () => memories[0].buffer.byteLength,
      /** Refuse requests for `size` bytes plus alignment, after the first `after` ones. @param {number} size @param {number} [after] */
      refuse(size, after = 0) {
        [refused, granted] = [size, after];
      },
    };
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

/** @param {unknown} bytes @param {number} size */
const isAround = (bytes, size) => typeof bytes === "number" && bytes >= size && bytes < size + 256;

describe("paddingIdx", () => {
  for (const { id, params, outputs } of cases("embedding_padding_init", 1)) {
    test(`paddingIdx of a random table is a row of zeros, as in ${id}`, () => {
      const { num_embeddings: V, embedding_dim: D, padding_idx: paddingIdx } = params;
      for (const options of /** @type {const} */ ([
        {},
        { generator: "torch" },
        { init: "uniform", low: 1, high: 2 },
        { storage: "on-demand" },
      ])) {
        const plain = embedding.create(V, D, { seed: 5, ...options });
        const padded = embedding.create(V, D, { seed: 5, ...options, paddingIdx });
        const want = floats(plain.weights()).slice();
        want.set(floats({ data: outputs.row.data }), paddingIdx * D);
        assert.deepEqual(padded.weights().data, want); // and the other rows are what they were
        assert.equal(padded.paddingIdx, paddingIdx);
        assert.equal(plain.paddingIdx, undefined);
      }
    });
  }

  test("paddingIdx counts from the end if it is negative", () => {
    for (const [index, row] of [
      [-1, 4],
      [-5, 0],
      [4, 4],
    ]) {
      const table = embedding.create(5, 3, { paddingIdx: index, storage: "on-demand" });
      assert.equal(table.paddingIdx, row);
      assert.deepEqual(table.lookup([row, 2]).row(0).toArray(), [0, 0, 0]);
      assert.notEqual(table.lookup(2).at(0), 0);
    }
  });

  test("paddingIdx does not change given weights, nor the lookup of them", () => {
    const { weights, table } = known(3, 2, { paddingIdx: 1 });
    assert.deepEqual(table.weights().data, weights);
    assert.deepEqual(table.lookup(1).data, weights.slice(2, 4));
  });
});

describe("maxNorm", () => {
  for (const { id, params, inputs, outputs } of cases("embedding_max_norm", 2)) {
    test(`lookup limits the rows of ${id}, and no others`, () => {
      const { embedding_dim: D, max_norm: maxNorm, norm_type } = params;
      const table = embedding.from(inputs.weight, { maxNorm, normType: norm_type });
      const got = table.lookup(inputs.ids);
      assert.deepEqual(got.shape, outputs.out.shape);
      // PyTorch's norm and factor are float32: two roundings more, of weights below 4
      assertNear(got.data, outputs.out.data, 5e-7);
      assertNear(table.weights().data, outputs.weight_after.data, 5e-7);
      const ids = new Set(numbers(inputs.ids));
      numbers(table.weights()).forEach((weight, k) => {
        if (!ids.has(Math.floor(k / D))) assert.equal(weight, Number(inputs.weight.data[k]));
      });
    });
  }

  const V = 9;
  const D = 7;

  /** @param {ArrayLike<number>} row @param {number} p */
  const norm = (row, p) =>
    p === Infinity
      ? Math.max(...Array.from(row, Math.abs))
      : Array.from(row, (x) => Math.abs(x) ** p).reduce((a, b) => a + b) ** (1 / p);

  test("lookup scales by maxNorm / (norm + 1e-7), within 0.501 ULP, for any p", () => {
    for (const p of [0.1, 0.5, 1, 1.5, 2, 3, 10, 100, Infinity]) {
      const { weights, table } = known(V, D, { maxNorm: 0.9, normType: p });
      const ids = [3, 8, 3, 0];
      const got = table.lookup(ids);
      let shortened = 0;
      for (const [t, id] of ids.entries()) {
        const row = weights.slice(id * D, (id + 1) * D);
        const length = norm(row, p);
        const factor = length > 0.9 ? 0.9 / (length + 1e-7) : 1;
        shortened += Number(factor < 1);
        row.forEach((x, d) => assert.ok(ulps(got.at(t, d), x * factor) <= 0.501, `p ${p}`));
      }
      assert.ok(shortened > 0, `p ${p}`);
      const after = table.weights();
      for (const id of [1, 2, 4, 5, 6, 7]) {
        assert.deepEqual(after.row(id).data, weights.slice(id * D, (id + 1) * D));
      }
      assert.deepEqual(table.lookup(ids), table.oneHot(ids));
    }
  });

  test("lookup limits each row once, however often it occurs", () => {
    // Rounding leaves half of these above the norm: shortened again, by 1e-6 / (1e-6 + 1e-7).
    const weights = noise(200 * 50, 31).map((x) => x * 1000);
    const make = () => embedding.from(given(weights, 200, 50), { maxNorm: 1e-6 });
    const [one, many] = [make(), make()];
    const ids = Int32Array.from({ length: 200 }, (_, t) => t);
    one.lookup(ids);
    many.lookup(Int32Array.from({ length: 10000 }, (_, t) => (t * 7) % 200));
    assert.deepEqual(many.weights(), one.weights());
    assert.notDeepEqual(one.weights().data, weights);
  });

  test("lookup and oneHot limit rows by maxNorm before they scale", () => {
    const { table } = known(V, D, { maxNorm: 0.5 });
    const scaled = table.lookup([1, 2], { scale: 2 });
    const plain = table.lookup([1, 2]);
    assert.deepEqual(
      numbers(scaled),
      numbers(plain).map((x) => 2 * x),
    );
    const other = known(V, D, { maxNorm: 0.5 }).table;
    assert.deepEqual(other.oneHot([1, 2]).data, plain.data);
    assert.deepEqual(other.weights(), table.weights());
  });

  test("lookup that throws limits no row", () => {
    const { weights, table } = known(V, D, { maxNorm: 0.5 });
    for (const call of [
      () => table.lookup([0, V]),
      () => table.lookup([0], { out: new Float32Array(D + 1) }),
      () => table.lookup([0], { scale: NaN }),
      () => table.lookup([0], { add: [[1]] }),
      () => table.oneHot([0, -1]),
    ]) {
      assert.throws(call, RangeError);
      assert.deepEqual(table.weights().data, weights);
    }
  });

  test("lookup keeps a row whose norm is NaN, and turns an infinite one into 0 and NaN", () => {
    const weights = [
      [NaN, 100],
      [Infinity, 100],
      [0, 0],
    ];
    const table = embedding.from(weights, { maxNorm: 1 });
    assert.deepEqual(table.lookup([0, 1, 2]).toArray(), [
      [NaN, 100],
      [NaN, 0],
      [0, 0],
    ]);
    for (const normType of [1, 3, Infinity]) {
      const other = embedding.from(weights, { maxNorm: 1, normType });
      assert.deepEqual(other.lookup([0, 1, 2]), table.lookup([0, 1, 2]));
    }
  });

  test("maxNorm and given weights need a resident table", () => {
    assert.throws(() => embedding.create(3, 2, { maxNorm: 1, storage: "on-demand" }), {
      name: "RangeError",
      message: 'embedding.create: storage must be "resident" for maxNorm; got "on-demand"',
    });
  });
});

describe("scaleDtype", () => {
  test("lookup rounds sqrt(D) as Gemma does: 55.5, 45.25, 25.25 and 34 in bfloat16", () => {
    for (const [D, bfloat16, float16] of [
      [3072, 55.5, 55.4375],
      [2048, 45.25, 45.25],
      [640, 25.25, 25.296875],
      [1152, 34, 33.9375],
    ]) {
      const table = embedding.from([new Float32Array(D).fill(1)]);
      const factor = (/** @type {any} */ scaleDtype) =>
        table.lookup(0, { scale: "sqrt", scaleDtype }).at(D - 1);
      assert.equal(factor("bfloat16"), bfloat16);
      assert.equal(factor("float16"), float16);
      assert.equal(factor("float32"), fround(Math.sqrt(D)));
      assert.equal(factor(undefined), fround(Math.sqrt(D)));
    }
  });

  test("lookup rejects a scale outside the dtype's range", () => {
    const table = embedding.from([[1]]);
    assert.equal(table.lookup(0, { scale: 65519, scaleDtype: "float16" }).at(0), 65504);
    assert.throws(() => table.lookup(0, { scale: 65520, scaleDtype: "float16" }), {
      name: "RangeError",
      message: "EmbeddingTable.lookup: scale must be within float16; got 65520",
    });
    assert.throws(
      () => table.lookup(0, { scale: 3.4e38, scaleDtype: "bfloat16" }),
      /^RangeError: \S+: scale must .+; got /,
    );
  });
});

describe("gradient", () => {
  for (const { id, params, inputs, outputs } of cases("embedding_backward", 3)) {
    test(`gradient equals ${id}`, () => {
      const { num_embeddings: V, embedding_dim: D } = params;
      const table = embedding.from(inputs.weight, { paddingIdx: params.padding_idx ?? undefined });
      assert.deepEqual(table.lookup(inputs.ids).data, outputs.out.data);
      const options = { scaleGradByFreq: params.scale_grad_by_freq };
      const dense = table.gradient(inputs.ids, inputs.grad_out, options);
      assert.deepEqual(dense.shape, outputs.grad_weight.shape);
      // PyTorch sums in float32: a few units of numbers below 8
      assertNear(dense.data, outputs.grad_weight.data, 1e-6);
      // the sum in double, rounded once; by frequency, in double rounded twice
      const exact = outputs.grad_weight_f64?.data ?? outputs.grad_weight.data;
      if (outputs.grad_weight_f64) assert.deepEqual(dense.data, exact);

      const { rows, values } = table.gradient(inputs.ids, inputs.grad_out, {
        ...options,
        sparse: true,
      });
      const occurring = new Set(numbers(inputs.ids).filter((row) => row !== params.padding_idx));
      assert.deepEqual(
        Array.from(rows.data),
        [...occurring].sort((a, b) => a - b),
      );
      assert.equal(rows.dtype, "int32");
      const spread = new Float32Array(V * D);
      rows.data.forEach((row, r) => spread.set(floats(values.row(r)), row * D));
      assert.deepEqual(spread, dense.data);
    });
  }

  test("gradient agrees with finite differences of a loss, relative 1e-6", () => {
    const [V, D] = [6, 5];
    const { weights, table } = known(V, D);
    const ids = [3, 1, 3, 3, 0, 5];
    for (const scale of /** @type {const} */ (["sqrt", 0.7, 1])) {
      const factor = fround(scale === "sqrt" ? Math.sqrt(D) : scale);
      const out = lookup(weights, D, ids, factor);
      const want = differences(
        (w) => lookup(w, D, ids, factor).reduce((sum, x) => sum + Math.sin(x), 0),
        weights,
      );
      const gradOut = given(Float32Array.from(out, Math.cos), ids.length, D);
      const got = table.gradient(ids, gradOut, { scale });
      // 1e-6, and a difference is itself off by 1e-10
      want.forEach((x, k) => assertNear([got.data[k]], [x], 1e-6 * Math.abs(x) + 1e-9));
      const rounded = table.gradient(ids, gradOut, { scale, scaleDtype: "bfloat16" });
      assert.equal(
        scale === 1,
        rounded.data.every((x, k) => x === got.data[k]),
      );
    }
  });

  test("gradient sums duplicates in the order of the ids, in double, rounded once", () => {
    const table = embedding.create(2, 1);
    const big = 2 ** 60; // 2^60 + 1 is 2^60 in double
    const of = (/** @type {number[]} */ xs) =>
      table.gradient(
        xs.map(() => 1),
        xs.map((x) => [x]),
      ).data[1];
    assert.equal(of([big, 1, -big]), 0);
    assert.equal(of([big, -big, 1]), 1);
    assert.equal(of([1, big, -big]), 0);
    assert.equal(of([2 ** 24, 1, 1]), 2 ** 24 + 2); // 2^24 + 1 is not a float32
  });

  test("gradient has the rows that occurred and is the same across tile boundaries", () => {
    for (const [V, D, T] of [
      [4000, 64, 9000],
      [3, 64, 9000],
      [2, 70000, 5],
      [50000, 1, 100000],
      [50000, 4, 60], // few ids of many rows
    ]) {
      const table = embedding.create(V, D, { init: "uniform" });
      const ids = Int32Array.from({ length: T }, (_, t) => ((t * t) % 7919) % V);
      const gradOut = noise(T * D, 32);
      const want = new Float64Array(V * D);
      ids.forEach((id, t) => {
        for (let d = 0; d < D; ++d) want[id * D + d] += gradOut[t * D + d];
      });
      const dense = table.gradient(ids, given(gradOut, T, D));
      assert.deepEqual(dense.data, Float32Array.from(want), `${V} x ${D}, ${T}`);
      const { rows, values } = table.gradient(ids, given(gradOut, T, D), { sparse: true });
      assert.deepEqual(
        rows.data,
        Int32Array.from(new Set(ids)).sort((a, b) => a - b),
      );
      const whole = new Float32Array(V * D);
      rows.data.forEach((row, r) => {
        whole.set(floats(values).subarray(r * D, (r + 1) * D), row * D);
      });
      assert.deepEqual(whole, dense.data);
      table.dispose();
    }
  });

  test("gradient of a row that one id has is a copy, otherwise a sum", () => {
    const table = embedding.create(4, 2);
    const gradOut = { data: Float32Array.of(-0, NaN, 3, -0, 4, -0, 5, 6), shape: [4, 2] };
    const got = table.gradient([2, 1, 1, 0], gradOut, { sparse: true });
    assert.deepEqual(got.rows.toArray(), [0, 1, 2]);
    assert.deepEqual(got.values.toArray(), [
      [5, 6],
      [7, 0],
      [-0, NaN],
    ]);
    const halved = table.gradient([1, 0, 1, 3], gradOut, { scaleGradByFreq: true });
    assert.deepEqual(halved.toArray()[1], [2, NaN]);
  });

  test("gradient of padding only, or of no ids, is empty", () => {
    const table = embedding.create(3, 2, { paddingIdx: 2 });
    const ones = [
      [1, 1],
      [1, 1],
    ];
    assert.deepEqual(table.gradient([2, 2], ones).data, new Float32Array(6));
    const { rows, values } = table.gradient([2, 2], ones, { sparse: true });
    assert.deepEqual([rows.shape, values.shape], [[0], [0, 2]]);
    assert.deepEqual(table.gradient([], given(new Float32Array(), 0, 2)).data, new Float32Array(6));
    assert.deepEqual(table.gradient(1, [3, 4]).row(1).toArray(), [3, 4]); // one id without axes
  });

  test("gradient with scaleGradByFreq divides by the number of occurrences", () => {
    const table = embedding.create(3, 1);
    const gradOut = [[1], [2], [6], [5]];
    const got = table.gradient([0, 0, 0, 2], gradOut, { scaleGradByFreq: true });
    assert.deepEqual(got.toArray(), [[3], [0], [5]]);
  });

  test("gradient propagates NaN and infinities, and writes NaN as 0x7fc00000", () => {
    const table = embedding.create(2, 3);
    const { data } = table.gradient(
      [0, 0],
      [
        [NaN, Infinity, Infinity],
        [1, -Infinity, 1],
      ],
    );
    assert.deepEqual(data, Float32Array.of(NaN, NaN, Infinity, 0, 0, 0));
    const bits = new Uint32Array(data.buffer);
    assert.deepEqual([bits[0], bits[1]], [0x7fc00000, 0x7fc00000]);
  });

  test("gradient does not change its ids, its gradOut or the table", () => {
    const { weights, table } = known(4, 2, { maxNorm: 0.1 });
    const ids = Int32Array.of(3, 1, 3);
    const gradOut = noise(6, 33);
    table.gradient(ids, given(gradOut, 3, 2));
    assert.deepEqual(ids, Int32Array.of(3, 1, 3));
    assert.deepEqual(gradOut, noise(6, 33));
    assert.deepEqual(table.weights().data, weights);
  });
});

describe("step", () => {
  const V = 5;
  const D = 3;
  // Several steps of rates up to 0.1; the state of each step is rounded to float32, relative 6e-8,
  // and so are the weights, below 2 in size: 1.2e-7 a step.
  const MOST = 1e-6;

  /**
   * Compare tables after each of several steps.
   * @param {any} options @param {() => Optimizer} make  one for each weight
   * @param {((n: number) => number[]) | undefined} [rowsOf]  of a sparse gradient
   */
  function compare(options, make, rowsOf) {
    const { weights, table } = known(V, D);
    const want = Float64Array.from(weights);
    const optimizers = Array.from(want, make);
    for (let n = 1; n <= 8; ++n) {
      const rows = rowsOf?.(n) ?? Array.from({ length: V }, (_, row) => row);
      const values = noise(rows.length * D, 40 + n);
      rows.forEach((row, r) => {
        for (let d = 0; d < D; ++d) {
          const k = row * D + d;
          want[k] = optimizers[k](want[k], values[r * D + d], n);
        }
      });
      const gradient = rowsOf
        ? { rows, values: given(values, rows.length, D) }
        : given(values, V, D);
      assert.equal(table.step(gradient, options), undefined);
      assertNear(table.weights().data, want, MOST);
    }
    assert.ok(Math.max(...want.map((x, k) => Math.abs(x - weights[k]))) > 0.01);
  }

  for (const options of /** @type {any[]} */ ([
    { learningRate: 0.1 },
    { learningRate: 0.1, weightDecay: 0.2 },
    { learningRate: 0.05, momentum: 0.9 },
    { learningRate: 0.05, momentum: 0.9, weightDecay: 0.1, optimizer: "sgd" },
    { learningRate: 0.01, optimizer: "adam" },
    { learningRate: 0.01, optimizer: "adam", weightDecay: 0.1 },
    { learningRate: 0.02, optimizer: "adam", beta1: 0.5, beta2: 0.8, epsilon: 0.1 },
    { learningRate: 0.02, optimizer: "adam", beta1: 0, beta2: 0 },
  ])) {
    const shown = JSON.stringify(options);
    test(`step with ${shown} equals the reference, 8 times`, () => {
      compare(options, () => (options.optimizer === "adam" ? adam(options) : sgd(options)));
    });
  }

  test("step with sgd and rows equals a dense step, and keeps the other rows", () => {
    const options = { learningRate: 0.1 };
    compare(
      options,
      () => sgd(options),
      (n) => [n % 2, 2 + (n % 3)],
    );
  });

  for (const epsilon of [1e-8, 0.1]) {
    test(`step with sparse-adam, epsilon ${epsilon}, updates the given rows and counts all its steps`, () => {
      const options = { optimizer: "sparse-adam", learningRate: 0.01, epsilon };
      compare(
        options,
        () => sparseAdam(options),
        (n) => (n === 3 ? [] : [0, 1 + (n % 2), 4].slice(n % 2)),
      );
    });
  }

  test("step with sparse-adam on all rows is Adam, except for the place of epsilon", () => {
    const rows = [0, 1, 2, 3, 4];
    const tables = [known(V, D).table, known(V, D).table];
    for (let n = 0; n < 5; ++n) {
      const values = given(noise(V * D, 50 + n), V, D);
      tables[0].step(values, { optimizer: "adam", epsilon: 1e-30 });
      tables[1].step({ rows, values }, { optimizer: "sparse-adam", epsilon: 1e-30 });
    }
    assertNear(tables[0].weights().data, tables[1].weights().data, 1.2e-7); // one unit of numbers below 1
  });

  test("step has PyTorch's defaults", () => {
    const gradient = given(noise(V * D, 60), V, D);
    for (const [few, all] of /** @type {any[]} */ ([
      [{}, { optimizer: "sgd", learningRate: 0.001, momentum: 0, weightDecay: 0 }],
      [
        { optimizer: "adam" },
        {
          ...{ optimizer: "adam", learningRate: 0.001, beta1: 0.9, beta2: 0.999 },
          ...{ epsilon: 1e-8, weightDecay: 0 },
        },
      ],
    ])) {
      const [a, b] = [known(V, D).table, known(V, D).table];
      a.step(gradient, few);
      b.step(gradient, all);
      assert.deepEqual(a.weights(), b.weights());
    }
  });

  test("step resets its state with another optimizer", () => {
    const [a, b] = [known(V, D).table, known(V, D).table];
    const gradient = given(noise(V * D, 61), V, D);
    a.step(gradient, { optimizer: "adam" });
    a.step(gradient, { momentum: 0.9 });
    b.step(a.weights()); // some other step, then a's weights by hand
    const c = embedding.from(a.weights());
    a.step(gradient, { optimizer: "adam" });
    c.step(gradient, { optimizer: "adam" });
    assert.deepEqual(a.weights(), c.weights());
  });

  test("step trains: a table learns the target vectors", () => {
    const target = noise(V * D, 63);
    for (const options of /** @type {const} */ ([
      { optimizer: "sgd", learningRate: 0.3 },
      { optimizer: "sgd", learningRate: 0.05, momentum: 0.8 },
      { optimizer: "adam", learningRate: 0.05 },
      { optimizer: "sparse-adam", learningRate: 0.05 },
    ])) {
      const table = embedding.create(V, D, { seed: 9 });
      const ids = [0, 1, 2, 3, 4, 4];
      const lossOf = () => {
        const out = floats(table.lookup(ids));
        return out.map((x, k) => x - target[ids[Math.floor(k / D)] * D + (k % D)]);
      };
      const size = (/** @type {Float32Array} */ x) => x.reduce((sum, e) => sum + e * e, 0);
      const before = size(lossOf());
      for (let n = 0; n < 300; ++n) {
        const gradOut = given(lossOf(), ids.length, D);
        if (options.optimizer === "sparse-adam") {
          table.step(table.gradient(ids, gradOut, { sparse: true }), options);
        } else table.step(table.gradient(ids, gradOut), options);
      }
      assert.ok(size(lossOf()) < before * 1e-4, options.optimizer);
    }
  });

  test("step propagates NaN and infinities, and writes NaN as 0x7fc00000", () => {
    const table = embedding.from([[1, 2, 3]]);
    table.step([[NaN, -Infinity, 0]], { learningRate: 1 });
    assert.deepEqual(table.weights().data, Float32Array.of(NaN, Infinity, 3));
    table.step([[0, Infinity, 0]], { optimizer: "adam" });
    const { data } = table.weights();
    assert.deepEqual(data, Float32Array.of(NaN, NaN, 3));
    assert.equal(new Uint32Array(data.buffer)[1], 0x7fc00000);
  });

  test("step that throws changes neither weights nor state", () => {
    const [a, b] = [known(V, D).table, known(V, D).table];
    const good = given(noise(V * D, 64), V, D);
    const values = noise(2 * D, 65);
    const sparse = (/** @type {any} */ rows, shape = [2, D]) => ({
      rows,
      values: { data: values, shape },
    });
    for (const table of [a, b]) table.step(good, { optimizer: "adam" });
    const before = a.weights();
    for (const [gradient, options, subject] of /** @type {[any, any, string][]} */ ([
      [sparse([0, 1]), { optimizer: "adam" }, "gradient"],
      [good, { optimizer: "sparse-adam" }, "gradient"],
      [sparse([0, 1]), { momentum: 0.9 }, "momentum"],
      [sparse([0, 1]), { weightDecay: 0.1 }, "weightDecay"],
      [sparse([0, V]), {}, "gradient.rows"],
      [sparse([1, 1]), {}, "gradient.rows"],
      [sparse([1, 0]), {}, "gradient.rows"],
      [sparse([[0], [1]]), {}, "gradient.rows"],
      [sparse([0, 1, 2]), {}, "gradient.values"],
      [sparse([0, 1], [D, 2]), {}, "gradient.values"],
      [{ rows: [0] }, {}, "gradient.values"],
      [given(values, 2, D), {}, "gradient"],
      [given(noise(V * D), V * D), {}, "gradient"],
      [good, { beta1: 0.9 }, "beta1"],
      [good, { beta2: 0.9 }, "beta2"],
      [good, { epsilon: 0.1 }, "epsilon"],
      [good, { optimizer: "adam", momentum: 0 }, "momentum"],
      [sparse([0, 1]), { optimizer: "sparse-adam", weightDecay: 0 }, "weightDecay"],
    ])) {
      assert.throws(
        () => a.step(gradient, options),
        /** @param {Error} error */ (error) => {
          assert.ok(error instanceof RangeError || error instanceof TypeError);
          assert.match(error.message, /^EmbeddingTable\.step: .+ must .+; got .+$/);
          assert.equal(error.message.replace(/^\S+: | must .*/g, ""), subject);
          return true;
        },
      );
      assert.deepEqual(a.weights(), before);
    }
    for (const table of [a, b]) table.step(good, { optimizer: "adam" });
    assert.deepEqual(a.weights(), b.weights());
  });

  test("step without memory for its state throws OutOfMemoryError, and changes nothing", async () => {
    const { embedding, bytes, refuse } = await hooked();
    const [V, D] = [1, 1009]; // so that no other request is of about as many bytes
    const table = embedding.create(V, D, { seed: 1 });
    const options = /** @type {const} */ ({ optimizer: "sparse-adam", learningRate: 0.5 });
    const rows = { rows: [0], values: given(noise(D), V, D) };
    table.step(rows, { momentum: 0, learningRate: 0.1 });
    const before = table.weights();
    const size = bytes();
    for (let k = 0; k < 2000; ++k) {
      refuse(V * D * 4, k % 2);
      assert.throws(() => table.step(rows, options), OutOfMemoryError);
    }
    assert.equal(bytes(), size); // 4 KiB, 1,000 times
    assert.deepEqual(table.weights(), before);
    refuse(0);
    const other = embedding.from(before);
    table.step(rows, options);
    other.step(rows, options);
    assert.deepEqual(table.weights(), other.weights());
  });

  test("dispose releases the state of the optimizer, and so does another optimizer", async () => {
    const { embedding, bytes } = await hooked();
    const gradient = given(new Float32Array(2 ** 18), 256, 1024); // 1 MiB
    const turn = () => {
      const table = embedding.from(gradient);
      for (const optimizer of /** @type {const} */ (["adam", "sgd", "adam"])) {
        table.step(gradient, optimizer === "sgd" ? { momentum: 0.5 } : { optimizer });
      }
      table.dispose();
    };
    turn();
    const before = bytes();
    for (let k = 0; k < 20; ++k) turn();
    assert.equal(bytes(), before);
  });
});

describe("logits", () => {
  test("logits are the products of x with every row, in double, rounded once", () => {
    for (const [V, D, T] of [
      [1, 1, 1],
      [5, 3, 2],
      [300, 64, 300],
      [5000, 16, 3],
      [2, 70000, 3],
    ]) {
      const { weights, table } = known(V, D);
      const x = noise(T * D, 70);
      const got = table.logits(given(x, T, D));
      assert.deepEqual(got.shape, [T, V]);
      let wrong = 0;
      for (let t = 0; t < T; ++t) {
        for (let v = 0; v < V; ++v) {
          let [sum, size] = [0, 0];
          for (let d = 0; d < D; ++d) {
            sum += x[t * D + d] * weights[v * D + d];
            size += Math.abs(x[t * D + d] * weights[v * D + d]);
          }
          // half a unit, and what another order of the sum may change in double
          if (Math.abs(got.at(t, v) - sum) > 6e-8 * Math.abs(sum) + D * 2 ** -52 * size) ++wrong;
        }
      }
      assert.equal(wrong, 0, `${V} x ${D}, ${T}`);
      table.dispose();
    }
  });

  test("logits have the axes of x, the last one V", () => {
    const { table } = known(4, 2);
    const x = noise(24, 71);
    assert.deepEqual(table.logits({ data: x, shape: [3, 4, 2] }).shape, [3, 4, 4]);
    assert.deepEqual(table.logits([1, 2]).shape, [4]);
    assert.deepEqual(table.logits(given(new Float32Array(), 0, 2)).shape, [0, 4]);
    assert.deepEqual(
      table.logits({ data: x, shape: [3, 4, 2] }).data,
      table.logits({ data: x, shape: [12, 2] }).data,
    );
  });

  test("logits are written into out, which may overlap x or be x", () => {
    const { table } = known(2, 2);
    const x = noise(8, 72);
    const want = table.logits(given(x, 4, 2));
    const out = new Float32Array(8);
    assert.equal(table.logits(given(x, 4, 2), { out }).data, out);
    assert.deepEqual(out, want.data);
    const buffer = new Float32Array(10);
    for (const [from, to] of [
      [0, 2],
      [2, 0],
      [1, 1],
    ]) {
      buffer.set(x, from);
      const into = buffer.subarray(to, to + 8);
      assert.deepEqual(
        table.logits(given(buffer.subarray(from, from + 8), 4, 2), { out: into }).data,
        want.data,
      );
    }
  });

  test("logits of an x with more columns than rows are not affected by their own result", () => {
    const { table } = known(600, 4);
    const x = noise(600 * 4, 73);
    const want = table.logits({ data: x, shape: [4, 150, 4] });
    const buffer = new Float32Array(600 * 600);
    buffer.set(x);
    const given = { data: buffer.subarray(0, x.length), shape: [600, 4] };
    assert.deepEqual(table.logits(given, { out: buffer }).data, want.data);
  });
});

describe("training, the lifetime of a table", () => {
  test("training methods need a resident table", () => {
    const table = embedding.create(3, 2, { storage: "on-demand" });
    for (const [name, call] of /** @type {[string, () => unknown][]} */ ([
      ["gradient", () => table.gradient([0], [[1, 2]])],
      ["step", () => table.step({ rows: [0], values: [[1, 2]] })],
      ["logits", () => table.logits([1, 2])],
    ])) {
      assert.throws(call, {
        name: "RangeError",
        message: `EmbeddingTable.${name}: storage must be "resident" for this; got "on-demand"`,
      });
    }
  });

  test("dispose ends gradient, step and logits, even from within their arguments", () => {
    const calls = /** @type {[string, (table: any, trap: any) => unknown][]} */ ([
      ["gradient", (table, trap) => table.gradient([0], trap([1, 2], [1, 2]))],
      ["step", (table, trap) => table.step({ rows: [0], values: trap([1, 2], [1, 2]) })],
      ["logits", (table, trap) => table.logits(trap([1, 2], [2]))],
      ["lookup", (table, trap) => table.lookup([0], { add: trap([1, 2], [2]) })],
    ]);
    for (const [name, call] of calls) {
      const gone = embedding.create(2, 2);
      gone.dispose();
      assert.throws(() => call(gone, (/** @type {any} */ data) => data), DisposedError, name);
      const table = embedding.create(2, 2);
      let asked = 0;
      const trap = (/** @type {number[]} */ data, /** @type {number[]} */ shape) => ({
        get data() {
          ++asked;
          table.dispose();
          return Float32Array.from(data);
        },
        shape: shape.length === 2 && name !== "logits" && name !== "lookup" ? [1, 2] : shape,
      });
      assert.throws(() => call(table, trap), DisposedError, name);
      assert.equal(asked, 1, name);
    }
  });

  test("a step within the arguments of a step can change the table", () => {
    const [a, b] = [known(2, 2).table, known(2, 2).table];
    const ones = { data: Float32Array.of(1, 1, 1, 1), shape: [2, 2] };
    const options = /** @type {const} */ ({ optimizer: "adam" });
    a.step(
      {
        shape: [2, 2],
        get data() {
          a.step(ones, options);
          return ones.data;
        },
      },
      options,
    );
    b.step(ones, options);
    b.step(ones, options);
    assert.deepEqual(a.weights(), b.weights());
  });
});

const weights = [
  [1, 2],
  [3, 4],
  [5, 6],
  [7, 8],
];
const table = embedding.from(weights);

battery("lookup with a scale's dtype", {
  call: ({ $ }) => table.lookup([1, 0], $),
  good: {},
  args: { scaleDtype: ["word"] },
});

battery("gradient", {
  call: ({ ids, gradOut, $ }) => table.gradient(ids, gradOut, $),
  good: { ids: [1], gradOut: [[1, 2]] },
  args: {
    ids: ["ids", "ids", "ids.shape", "gradOut"],
    gradOut: ["tensor", "gradOut", "gradOut.shape"],
    $: ["options"],
    scale: ["wordOrNumber"],
    scaleDtype: ["word"],
    scaleGradByFreq: ["truth"],
    sparse: ["truth"],
  },
});

for (const optimizer of /** @type {const} */ (["sgd", "adam"])) {
  const made = embedding.from(weights);
  battery(`step with ${optimizer}`, {
    call: ({ gradient, $ }) => made.step(gradient, { ...$, optimizer: $?.optimizer ?? optimizer }),
    good: { gradient: weights },
    args: {
      gradient: ["tensor", "gradient", "gradient.shape"],
      learningRate: ["notNegative"],
      weightDecay: ["notNegative"],
      ...(optimizer === "sgd"
        ? { momentum: ["notNegative"] }
        : { beta1: ["belowOne"], beta2: ["belowOne"], epsilon: ["positive"] }),
    },
  });
}

battery("step", {
  call: ({ gradient, $ }) => table.step(gradient, $),
  good: { gradient: { rows: [0], values: [[0, 0]] } },
  args: { $: ["options"], optimizer: ["word"] },
});

battery("logits", {
  call: ({ x, $ }) => table.logits(x, $),
  good: { x: [[1, 2]] },
  args: { x: ["tensor", "x", "x.shape"], $: ["options"], out: ["floats"] },
});

test("gradient, step and logits name the known options", () => {
  const misspelt = /** @type {any} */ ({ learnngRate: 1 });
  for (const [call, known] of /** @type {[() => unknown, string[]][]} */ ([
    [() => table.gradient([0], [[1, 2]], misspelt), ["scale", "scaleGradByFreq", "sparse"]],
    [() => table.step(weights, misspelt), ["optimizer", "learningRate", "momentum", "beta1"]],
    [() => table.logits([1, 2], misspelt), ["out"]],
  ])) {
    assert.throws(call, (/** @type {Error} */ error) => {
      assert.match(
        error.message,
        /^EmbeddingTable\.\w+: options must have only .*; got "learnngRate"/,
      );
      const named = error.message.includes("did you mean") ? ["learningRate"] : known;
      for (const name of named) assert.ok(error.message.includes(name), error.message);
      return true;
    });
  }
  assert.deepEqual(table.weights().toArray(), weights);
  assert.ok(table.gradient([0], [[1, 2]]) instanceof Tensor);
});
