import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery, declaredBattery } from "../battery.js";
import { cases } from "../../truth/golden.js";
import { DisposedError, load, OutOfMemoryError, phasor } from "../../phasor.js";
import { bag as reference, differences } from "../reference/embedding.js";
import { floats, noise, numbers } from "../reference/samples.js";
import { assertNear } from "../tensors.js";

const { embeddingBag, embedding } = phasor;

const MODES = /** @type {const} */ (["sum", "mean", "max"]);

/** @param {Float32Array} data @param {...number} shape */
const given = (data, ...shape) => ({ data, shape });

/** @param {number} V @param {number} D @param {object} [options] */
function known(V, D, options) {
  const weights = noise(V * D, 80);
  return { weights, table: embedding.from(given(weights, V, D), { ...options }) };
}

describe("bag against PyTorch", () => {
  for (const { id, params, inputs, outputs } of cases("embedding_bag", 10)) {
    const [V, D] = inputs.weight.shape;
    const { mode, padding_idx } = params;
    const table = embedding.from(inputs.weight, { paddingIdx: padding_idx ?? undefined });
    const includeLastOffset = params.include_last_offset;
    const words = embeddingBag.create(table, { mode, includeLastOffset });
    const { offsets, per_sample_weights: perSampleWeights } = inputs;

    // PyTorch sums in float32: a few units of numbers below 8.
    test(`pool equals ${id}`, () => {
      const got = words.pool(inputs.ids, { offsets, perSampleWeights });
      assert.deepEqual(got.shape, outputs.out.shape);
      if (mode === "max") assert.deepEqual(got.data, outputs.out.data);
      else assertNear(got.data, outputs.out.data, 2e-6);
    });

    test(`gradient equals that of ${id}, dense and sparse`, () => {
      const scaleGradByFreq = params.scale_grad_by_freq;
      const options = { offsets, perSampleWeights, scaleGradByFreq };
      const dense = words.gradient(inputs.ids, inputs.grad_out, options);
      assert.deepEqual(dense.shape, outputs.grad_weight.shape);
      assertNear(dense.data, outputs.grad_weight.data, 2e-6);
      const sparse = words.gradient(inputs.ids, inputs.grad_out, { ...options, sparse: true });
      const spread = new Float32Array(V * D);
      sparse.rows.data.forEach((row, r) => spread.set(floats(sparse.values.row(r)), row * D));
      assert.deepEqual(spread, dense.data);
      assert.ok(sparse.rows.data.every((row) => numbers(inputs.ids).includes(row)));
      if (padding_idx !== null) assert.ok(!sparse.rows.data.includes(padding_idx));
    });

    if (outputs.grad_per_sample_weights) {
      test(`perSampleGradient equals that of ${id}`, () => {
        const got = words.perSampleGradient(inputs.ids, inputs.grad_out, { offsets });
        assert.deepEqual(got.shape, outputs.grad_per_sample_weights.shape);
        assertNear(got.data, outputs.grad_per_sample_weights.data, 2e-6);
      });
    }
  }

  for (const { id, params, inputs, outputs } of cases("embedding_bag_2d", 1)) {
    test(`pool equals ${id}, each row a bag`, () => {
      const table = embedding.from(inputs.weight);
      const got = embeddingBag.create(table, { mode: params.mode }).pool(inputs.ids);
      assert.deepEqual(got.shape, outputs.out.shape);
      assertNear(got.data, outputs.out.data, 2e-6);
    });
  }
});

describe("pool", () => {
  const V = 30;
  const ids = Int32Array.from({ length: 200 }, (_, n) => (n * n + 3) % V);
  const starts = [0, 0, 1, 7, 7, 60, 199, 200, 200];

  test("pool is the reference in double, rounded once, at every width and in every mode", () => {
    for (const D of [1, 3, 63, 64, 65, 200]) {
      for (const padding of [-1, 4]) {
        const { weights, table } = known(V, D, padding < 0 ? {} : { paddingIdx: padding });
        for (const mode of MODES) {
          const want = reference(weights, D, ids, starts, { mode, padding });
          const csr = embeddingBag.create(table, { mode, includeLastOffset: true });
          const got = csr.pool(ids, { offsets: starts });
          assert.deepEqual(got.shape, [8, D]);
          assert.deepEqual(got.data, Float32Array.from(want));
          const begins = embeddingBag.create(table, { mode });
          assert.deepEqual(begins.pool(ids, { offsets: starts.slice(0, -1) }), got);
        }
        const perSampleWeights = noise(200, 81);
        const options = { mode: "sum", padding, perSampleWeights };
        const want = reference(weights, D, ids, starts, options);
        const sum = embeddingBag.create(table, { mode: "sum", includeLastOffset: true });
        const got = sum.pool(ids, { offsets: starts, perSampleWeights });
        assert.deepEqual(got.data, Float32Array.from(want));
      }
    }
  });

  test("pool of an empty bag is 0, also of padding only", () => {
    const { table } = known(4, 3, { paddingIdx: 2 });
    for (const mode of MODES) {
      const words = embeddingBag.create(table, { mode });
      assert.deepEqual(words.pool([], { offsets: [0, 0] }).data, new Float32Array(6));
      assert.deepEqual(words.pool([2, 2], { offsets: [0] }).data, new Float32Array(3));
      assert.deepEqual(words.pool([], { offsets: [] }).shape, [0, 3]);
      assert.deepEqual(words.pool({ data: [], shape: [2, 0] }).toArray(), [
        [0, 0, 0],
        [0, 0, 0],
      ]);
      assert.deepEqual(words.pool({ data: [], shape: [0, 5] }).shape, [0, 3]);
    }
  });

  test("pool of one id is its row, in every mode", () => {
    const { weights, table } = known(9, 70);
    for (const mode of MODES) {
      const got = embeddingBag.create(table, { mode }).pool([[3]]);
      assert.deepEqual(got.data, weights.slice(3 * 70, 4 * 70));
    }
  });

  test("pool defaults to the mean; mode selects another", () => {
    const { table } = known(3, 2);
    const words = embeddingBag.create(table);
    assert.equal(words.mode, "mean");
    assert.deepEqual(
      words.pool([[0, 1]]),
      embeddingBag.create(table, { mode: "mean" }).pool([[0, 1]]),
    );
    assert.ok(Object.isFrozen(words));
  });

  test("pool propagates NaN and infinities as IEEE 754 does; a maximum with a NaN is NaN", () => {
    const weights = [
      [NaN, Infinity, 1],
      [1, -Infinity, -Infinity],
      [2, 0, 5],
    ];
    const table = embedding.from(weights);
    const rows = (/** @type {any} */ mode) =>
      embeddingBag.create(table, { mode }).pool([[2, 0, 1]]);
    assert.deepEqual(rows("max").toArray(), [[NaN, Infinity, 5]]);
    assert.deepEqual(rows("sum").toArray(), [[NaN, NaN, -Infinity]]);
    const bits = new Uint32Array(rows("sum").data.buffer);
    assert.deepEqual([bits[0], bits[1]], [0x7fc00000, 0x7fc00000]);
    const negative = embedding.from([[-5], [-Infinity]]);
    assert.equal(
      embeddingBag
        .create(negative, { mode: "max" })
        .pool([[1, 0]])
        .at(0, 0),
      -5,
    );
    assert.equal(
      embeddingBag
        .create(negative, { mode: "max" })
        .pool([[1]])
        .at(0, 0),
      -Infinity,
    );
  });

  test("pool limits rows to the table's maxNorm, each once; as do the gradients that read them", () => {
    const make = () => known(6, 4, { maxNorm: 0.5 }).table;
    const [one, other] = [make(), make()];
    other.lookup([1, 3, 5]);
    for (const mode of MODES) {
      const fresh = make();
      const words = embeddingBag.create(fresh, { mode });
      const before = words.gradient([[1, 3]], [[1, 1, 1, 1]]);
      if (mode !== "max") assert.deepEqual(fresh.weights(), one.weights());
      const got = words.pool([5, 1, 1, 3, 3], { offsets: [0, 2] });
      assert.deepEqual(fresh.weights(), other.weights());
      assert.deepEqual(words.gradient([[1, 3]], [[1, 1, 1, 1]]), before);
      assert.deepEqual(
        got,
        embeddingBag.create(other, { mode }).pool([5, 1, 1, 3, 3], { offsets: [0, 2] }),
      );
    }
    const sum = embeddingBag.create(one, { mode: "sum" });
    const before = one.weights();
    assert.throws(() => sum.perSampleGradient([[1, 3]], [[1, 1]]), RangeError);
    assert.throws(() => sum.pool([[1, 3]], { out: new Float32Array(3) }), RangeError);
    assert.throws(() => sum.pool([[1, 3]], { perSampleWeights: [1, 2] }), RangeError);
    assert.deepEqual(one.weights(), before);
    const weights = sum.perSampleGradient([[1, 3]], [[1, 1, 1, 1]]);
    sum.pool([[1, 3]]);
    assert.deepEqual(sum.perSampleGradient([[1, 3]], [[1, 1, 1, 1]]), weights);
    const rows = embedding.from([[1, 2], [0.5, 9]], { maxNorm: 1 }); // prettier-ignore
    // Of the rows of length 1 the first has the larger first number.
    const most = embeddingBag.create(rows, { mode: "max" }).gradient([[0, 1]], [[1, 10]]);
    assert.deepEqual(most.toArray(), [[1, 0], [0, 10]]); // prettier-ignore
  });

  test("pool limits each row once, over several tiles too", () => {
    const [V, D] = [200, 50];
    const weights = given(
      noise(V * D, 31).map((x) => x * 1000), // so long that twice is not the same
      V,
      D,
    );
    const [one, many] = [1, 2].map(() => embedding.from(weights, { maxNorm: 1e-6 }));
    one.lookup(Int32Array.from({ length: V }, (_, t) => t));
    const ids = Int32Array.from({ length: 20000 }, (_, n) => (n * 7) % V);
    embeddingBag.create(many).pool({ data: ids, shape: [10000, 2] });
    assert.deepEqual(many.weights(), one.weights());
  });

  test("pool of more bags than memory holds throws OutOfMemoryError", () => {
    const { table } = known(2, 2);
    for (const shape of [
      [1e15, 0],
      [2 ** 40, 0],
    ]) {
      assert.throws(() => embeddingBag.create(table).pool({ data: [], shape }), OutOfMemoryError);
    }
    assert.deepEqual(embeddingBag.create(table).pool([[1]]).shape, [1, 2]);
  });

  test("pool writes into out, which may overlap its weights", () => {
    const { table } = known(6, 2);
    const sum = embeddingBag.create(table, { mode: "sum" });
    const ids = Array.from({ length: 300 }, (_, b) => [b % 6, (b * 5) % 6]);
    const buffer = noise(600, 82);
    const perSampleWeights = given(buffer, 300, 2);
    const want = sum.pool(ids, { perSampleWeights });
    const out = new Float32Array(600);
    assert.equal(sum.pool(ids, { perSampleWeights, out }).data, out);
    assert.deepEqual(out, want.data);
    assert.equal(sum.pool(ids, { perSampleWeights, out: buffer }).data, buffer);
    assert.deepEqual(buffer, want.data);
  });
});

describe("gradient of a bag", () => {
  const [V, D] = [8, 5];
  const ids = [3, 1, 3, 7, 0, 5, 3, 1];
  const starts = [0, 3, 3, 4, 8];
  const B = 4;

  for (const mode of MODES) {
    for (const padding of [-1, 1]) {
      const named = padding < 0 ? "" : " with padding";
      test(`gradient of ${mode}${named} agrees with finite differences, relative 1e-6`, () => {
        const options = padding < 0 ? {} : { paddingIdx: padding };
        const { weights, table } = known(V, D, options);
        const words = embeddingBag.create(table, { mode, includeLastOffset: true });
        const all = mode === "sum" ? [undefined, noise(8, 83)] : [undefined];
        for (const perSampleWeights of all) {
          const pooled = (/** @type {ArrayLike<number>} */ w) =>
            reference(w, D, ids, starts, { mode, padding, perSampleWeights });
          const want = differences(
            (w) => pooled(w).reduce((sum, x) => sum + Math.sin(x), 0),
            weights,
          );
          const gradOut = given(Float32Array.from(pooled(weights), Math.cos), B, D);
          const got = words.gradient(ids, gradOut, { offsets: starts, perSampleWeights });
          // 1e-6, and a difference is itself off by 1e-10
          want.forEach((x, k) => assertNear([got.data[k]], [x], 1e-6 * Math.abs(x) + 1e-9));
        }
      });
    }
  }

  test("perSampleGradient agrees with finite differences, relative 1e-6; padding gets 0", () => {
    const { weights, table } = known(V, D, { paddingIdx: 1 });
    const sum = embeddingBag.create(table, { mode: "sum", includeLastOffset: true });
    const at = noise(8, 84);
    const pooled = (/** @type {ArrayLike<number>} */ perSampleWeights) =>
      reference(weights, D, ids, starts, { mode: "sum", padding: 1, perSampleWeights });
    const want = differences((w) => pooled(w).reduce((total, x) => total + Math.sin(x), 0), at);
    const gradOut = given(Float32Array.from(pooled(at), Math.cos), B, D);
    const got = sum.perSampleGradient(ids, gradOut, { offsets: starts });
    assert.deepEqual(got.shape, [8]);
    want.forEach((x, k) => assertNear([got.data[k]], [x], 1e-6 * Math.abs(x) + 1e-9));
    assert.deepEqual([got.at(1), got.at(7)], [0, 0]);
  });

  test("perSampleGradient has the shape of its ids, over several tiles", () => {
    const { weights, table } = known(V, 64);
    const many = Int32Array.from({ length: 6000 }, (_, n) => (n * 3) % V);
    const gradOut = noise(2000 * 64, 85);
    const got = embeddingBag
      .create(table, { mode: "sum" })
      .perSampleGradient({ data: many, shape: [2000, 3] }, given(gradOut, 2000, 64));
    assert.deepEqual(got.shape, [2000, 3]);
    many.forEach((id, n) => {
      let sum = 0;
      for (let d = 0; d < 64; ++d)
        sum += weights[id * 64 + d] * gradOut[Math.floor(n / 3) * 64 + d];
      // a sum of at most 64: half a unit of float32 near 8, the order in double is far below
      assertNear([Number(got.data[n])], [sum], 2.4e-7 * Math.max(1, Math.abs(sum)));
    });
  });

  test("gradient of max goes only to the first id that has the maximum", () => {
    const weights = [
      [1, 5],
      [1, 2],
      [0, 9],
    ];
    const table = embedding.from(weights);
    const max = embeddingBag.create(table, { mode: "max" });
    const gradOut = [[10, 20]];
    assert.deepEqual(max.gradient([[1, 0, 1, 0]], gradOut).toArray(), [
      [0, 20],
      [10, 0],
      [0, 0],
    ]);
    const { rows, values } = max.gradient([[2, 1, 2, 2]], gradOut, { sparse: true });
    assert.deepEqual(rows.toArray(), [1, 2]);
    assert.deepEqual(values.toArray(), [
      [10, 0],
      [0, 20],
    ]);
    // an infinite gradient of one column is none of the other's business
    const huge = max.gradient([[0, 2]], [[Infinity, NaN]]);
    assert.deepEqual(huge.toArray(), [
      [Infinity, 0],
      [0, 0],
      [0, NaN],
    ]);
  });

  test("gradient with scaleGradByFreq divides by the occurrences in all bags", () => {
    const { table } = known(3, 1);
    const gradOut = [[6], [12]];
    const scaled = (/** @type {any} */ mode) =>
      embeddingBag
        .create(table, { mode })
        .gradient([0, 0, 1, 0], gradOut, { offsets: [0, 2], scaleGradByFreq: true })
        .toArray();
    assert.deepEqual(scaled("sum"), [[8], [12], [0]]);
    assert.deepEqual(scaled("mean"), [[4], [6], [0]]);
    assert.throws(() => scaled("max"), {
      name: "RangeError",
      message: 'EmbeddingBag.gradient: scaleGradByFreq must be false for mode "max"; got true',
    });
  });

  test("gradient sums a bag's duplicates in the order of the ids, in double, rounded once", () => {
    const { table } = known(2, 1);
    const sum = embeddingBag.create(table, { mode: "sum" });
    const of = (/** @type {number[]} */ xs) =>
      sum
        .gradient(
          xs.map(() => [1]),
          xs.map((x) => [x]),
        )
        .at(1, 0);
    assert.equal(of([2 ** 60, 1, -(2 ** 60)]), 0);
    assert.equal(of([2 ** 60, -(2 ** 60), 1]), 1);
    assert.equal(of([2 ** 24, 1, 1]), 2 ** 24 + 2);
  });

  test("gradient of a bag trains its table", () => {
    const { table } = known(V, D);
    const apart = [3, 1, 7, 0, 5, 5, 2];
    const offsets = [0, 2, 2, 3];
    for (const mode of MODES) {
      const words = embeddingBag.create(table, { mode });
      const target = noise(B * D, 86);
      target.fill(0, D, 2 * D); // the empty bag
      const residual = () => floats(words.pool(apart, { offsets })).map((x, k) => x - target[k]);
      const loss = () => residual().reduce((sum, x) => sum + x * x, 0);
      const before = loss();
      for (let n = 0; n < 100; ++n) {
        const gradOut = given(residual(), B, D);
        const gradient = words.gradient(apart, gradOut, { offsets, sparse: true });
        table.step(gradient, { learningRate: 0.1 });
      }
      assert.ok(loss() < before * 0.01, `${mode}: ${before} to ${loss()}`);
    }
  });
});

describe("bag, errors", () => {
  const { table } = known(4, 2);

  /** @param {() => unknown} call @param {string} subject */
  function refused(call, subject) {
    assert.throws(
      call,
      /** @param {Error} error */ (error) => {
        assert.ok(error instanceof RangeError || error instanceof TypeError);
        assert.match(error.message, /^.+ must .+; got .+$/s);
        assert.equal(error.message.replace(/^\S+: | must .*/g, ""), subject);
        return true;
      },
    );
  }

  test("embeddingBag.create accepts only resident tables of its core that are not disposed", async () => {
    const { embedding: elsewhere } = await load({ shared: false });
    refused(() => embeddingBag.create(elsewhere.create(2, 2)), "table");
    refused(() => embeddingBag.create({ ...table }), "table");
    refused(() => embeddingBag.create(embedding.create(2, 2, { storage: "on-demand" })), "table");
    const gone = embedding.create(2, 2);
    gone.dispose();
    assert.throws(() => embeddingBag.create(gone), DisposedError);
  });

  test("offsets must begin with 0, must not descend, and must stay within the ids", () => {
    const words = embeddingBag.create(table);
    const csr = embeddingBag.create(table, { includeLastOffset: true });
    for (const offsets of [[1], [0, 2, 1], [0, 4], [-1], [], [[0]], [0.5], undefined]) {
      refused(() => words.pool([1, 2, 3], { offsets }), "offsets");
      refused(() => words.gradient([1, 2, 3], [[1, 2]], { offsets }), "offsets");
    }
    for (const offsets of [[0], [0, 2], [1, 3], [0, 3, 2], [], [0, 4]]) {
      refused(() => csr.pool([1, 2, 3], { offsets }), "offsets");
    }
    refused(() => csr.pool([], { offsets: [] }), "offsets");
    assert.deepEqual(csr.pool([], { offsets: [0] }).shape, [0, 2]);
    assert.deepEqual(words.pool([1, 2, 3], { offsets: [0, 3, 3] }).shape, [3, 2]);
    refused(() => words.pool([[1, 2]], { offsets: [0] }), "offsets");
  });

  test("pool and gradients name arguments that do not fit together", () => {
    const sum = embeddingBag.create(table, { mode: "sum" });
    for (const mode of /** @type {const} */ (["mean", "max"])) {
      const words = embeddingBag.create(table, { mode });
      const perSampleWeights = [[1, 1]];
      refused(() => words.pool([[0, 1]], { perSampleWeights }), "perSampleWeights");
      refused(() => words.gradient([[0, 1]], [[1, 1]], { perSampleWeights }), "perSampleWeights");
      refused(() => words.perSampleGradient([[0, 1]], [[1, 1]]), "mode");
    }
    refused(() => sum.pool(3), "ids");
    refused(() => sum.pool([[[3]]]), "ids");
    refused(() => sum.pool([[0, 1]], { perSampleWeights: [1, 1] }), "perSampleWeights");
    refused(() => sum.gradient([[0, 1]], [1, 1]), "gradOut");
    refused(() => sum.perSampleGradient([[0, 1]], [[1], [1]]), "gradOut");
  });

  test("pool that throws leaves out unchanged", () => {
    const sum = embeddingBag.create(table, { mode: "sum" });
    const out = new Float32Array(2).fill(7);
    for (const [ids, options] of /** @type {[any, any][]} */ ([
      [[[0, 4]], {}],
      [[0, 1], { offsets: [1] }],
      [[[0, 1]], { perSampleWeights: [[1]] }],
      [[[0, 1]], { perSampleWeights: [[1, "1"]] }],
      [[[0, 1], [2, 3]], {}], // prettier-ignore
    ])) {
      assert.throws(
        () => sum.pool(ids, { ...options, out }),
        /^(Range|Type)Error: \S+: .+ must .+; got /,
      );
      assert.deepEqual(out, Float32Array.of(7, 7));
    }
  });

  test("disposing of a table disposes of its bag, even from within the bag's arguments", () => {
    for (const mode of MODES) {
      for (const call of /** @type {((words: any, trap: any) => unknown)[]} */ ([
        (words, trap) => words.pool([[0]], trap("out", new Float32Array(2))),
        (words, trap) => words.pool([0], trap("offsets", [0])),
        (words, trap) => words.gradient([0], [[1, 2]], trap("offsets", [0])),
        (words, trap) =>
          mode === "sum"
            ? words.perSampleGradient([0], [[1, 2]], trap("offsets", [0]))
            : words.pool([0], trap("offsets", [0])),
      ])) {
        const own = embedding.create(2, 2);
        const words = embeddingBag.create(own, { mode });
        const trap = (/** @type {string} */ name, /** @type {unknown} */ value) => ({
          get [name]() {
            own.dispose();
            return value;
          },
        });
        assert.throws(() => call(words, trap), DisposedError);
        const plain = (/** @type {string} */ name, /** @type {unknown} */ value) => ({
          [name]: value,
        });
        assert.throws(() => call(words, plain), DisposedError);
      }
    }
  });
});

const { table } = known(4, 2);
const sum = embeddingBag.create(table, { mode: "sum" });

declaredBattery("embeddingBag.create", { table }, { table: ["embedding"] }, (made) =>
  made.pool([[1]]),
);

battery("pool", {
  call: ({ ids, $ }) => sum.pool(ids, $),
  good: { ids: [[1, 2]] },
  args: {
    ids: ["ids", "ids", "ids.shape", "offsets"],
    $: ["options"],
    perSampleWeights: ["tensorOption", "perSampleWeights", "perSampleWeights.shape"],
    out: ["floats"],
  },
});

battery("gradient of a bag", {
  call: ({ ids, gradOut, $ }) => sum.gradient(ids, gradOut, $),
  good: { ids: [[1]], gradOut: [[1, 2]] },
  args: {
    ids: ["ids", "ids", "ids.shape", "offsets", "gradOut"],
    gradOut: ["tensor", "gradOut", "gradOut.shape"],
    $: ["options"],
    perSampleWeights: ["tensorOption", "perSampleWeights", "perSampleWeights.shape"],
    scaleGradByFreq: ["truth"],
    sparse: ["truth"],
  },
});

battery("perSampleGradient", {
  call: ({ ids, gradOut, $ }) => sum.perSampleGradient(ids, gradOut, $),
  good: { ids: [[1]], gradOut: [[1, 2]] },
  args: {
    ids: ["ids", "ids", "ids.shape", "offsets", "gradOut"],
    gradOut: ["tensor", "gradOut", "gradOut.shape"],
    $: ["options"],
  },
});

battery("pool with offsets", {
  call: ({ ids, $ }) => sum.pool(ids, $),
  good: { ids: [1, 2, 3], $: { offsets: [0] } },
  args: { offsets: ["ids", "offsets", "offsets.shape"] },
});
