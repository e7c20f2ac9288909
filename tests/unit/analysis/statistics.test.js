import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery, declaredBattery } from "../battery.js";
import { cases } from "../../truth/golden.js";
import { phasor } from "../../phasor.js";
import { principal } from "../reference/geometry.js";
import { noise, numbers } from "../reference/samples.js";

const { statistics, similarity, embedding, pca } = phasor;

/** Both are rounded to float32. @param {number} got @param {unknown} want @param {string} [what] */
function near(got, want, what) {
  assert.ok(
    Math.abs(got - Number(want)) <= 1.2e-7 * Math.abs(Number(want)),
    `${what}: ${got}, ${want}`,
  );
}

/** @param {number} got @param {number} want @param {number} within */
function close(got, want, within) {
  assert.ok(Math.abs(got - want) <= within, `${got}, ${want}`);
}

describe("statistics against NumPy", () => {
  for (const { id, params, inputs, outputs } of cases("norm_stats", 3)) {
    test(`statistics.norms and statistics.summary equal ${id}`, () => {
      const lengths = statistics.norms(inputs.x);
      assert.deepEqual(lengths.shape, outputs.norms.shape);
      assert.deepEqual(lengths.data, outputs.norms.data); // correctly rounded, both
      const { percentiles } = params;
      const got = statistics.summary(inputs.x, { percentiles });
      const ours = {
        ...{ min: got.min, max: got.max, mean: got.mean, median: got.median },
        ...{ std_population: got.std, std_sample: got.sampleStd },
      };
      params.stats.forEach((/** @type {keyof typeof ours} */ name, /** @type {number} */ i) =>
        near(ours[name], outputs.stats.data[i], name),
      );
      assert.deepEqual(got.percentiles.shape, outputs.percentile_values.shape);
      numbers(got.percentiles).forEach((value, i) =>
        near(value, outputs.percentile_values.data[i], `percentile ${percentiles[i]}`),
      );
      assert.deepEqual([got.count, got.skipped], [inputs.x.shape[0], 0]);
    });
  }
});

describe("statistics.norms", () => {
  test("statistics.norms keeps the axes before the last, and gives NaN for NaN", () => {
    const x = { data: noise(24, 3), shape: [2, 3, 4] };
    const flat = statistics.norms({ ...x, shape: [6, 4] });
    assert.deepEqual(statistics.norms(x), flat.reshape(2, 3));
    assert.deepEqual(
      statistics
        .norms([
          [NaN, 1],
          [0, 0],
          [Infinity, 0],
        ])
        .toArray(),
      [NaN, 0, Infinity],
    );
    assert.deepEqual(statistics.norms([3, 4]).shape, []);
  });

  test("statistics.norms of wide and of many rows are lengths, over several tiles", () => {
    for (const [N, D] of [
      [3, 100000],
      [70000, 3],
    ]) {
      const data = noise(N * D, 2);
      const got = statistics.norms({ data, shape: [N, D] });
      for (let n = 0; n < N; n += Math.ceil(N / 20)) {
        let square = 0;
        for (let d = 0; d < D; ++d) square += data[n * D + d] ** 2;
        assert.equal(got.at(n), Math.fround(Math.sqrt(square)));
      }
    }
  });
});

describe("statistics.summary", () => {
  test("statistics.summary: meanCosine is the mean of the cosines of all pairs", () => {
    for (const offset of [0, 0.5]) {
      const data = noise(200 * 7, 5).map((value) => value + offset);
      data.fill(0, 70, 77); // a row of zeros
      const x = { data, shape: [200, 7] };
      const matrix = similarity.matrix(x);
      let sum = 0;
      for (let i = 0; i < 200; ++i) for (let j = 0; j < i; ++j) sum += matrix.at(i, j);
      // each cosine is rounded to float32: within 3e-8, so their mean is
      assert.ok(Math.abs(statistics.summary(x).meanCosine - sum / ((200 * 199) / 2)) <= 3e-8);
    }
  });

  test("statistics.summary: meanCosine is 1 along one ray, and near 0 for random rows", () => {
    near(
      statistics.summary([
        [1, 2],
        [2, 4],
        [3, 6],
      ]).meanCosine,
      1,
    );
    const { meanCosine } = statistics.summary(embedding.create(1000, 64, { seed: 2 }).weights());
    assert.ok(Math.abs(meanCosine) <= 1e-3); // standard deviation 1 / (8 * 707)
  });

  test("statistics.summary: percentiles are linear between ranks", () => {
    const x = [[4], [1], [-2], [8]];
    const options = { percentiles: [0, 50, 100, 10, 90, 100 / 3] };
    const got = numbers(statistics.summary(x, options).percentiles);
    assert.deepEqual(got, [1, 3, 8, Math.fround(1.3), Math.fround(6.8), 2]);
    assert.deepEqual(statistics.summary(x, { percentiles: [] }).percentiles.shape, [0]);
    const hundred = Array.from({ length: 101 }, (_, i) => [i]);
    const usual = numbers(statistics.summary(hundred).percentiles);
    assert.deepEqual(usual, [0, 1, 5, 25, 50, 75, 95, 99, 100]);
  });

  test("statistics.summary: the histogram counts each length once, as in NumPy", () => {
    const x = [[0], [1], [1], [2], [2.5], [4]];
    const { histogram } = statistics.summary(x, { bins: 4 });
    assert.deepEqual(histogram.edges.toArray(), [0, 1, 2, 3, 4]);
    assert.deepEqual(histogram.counts.toArray(), [1, 2, 2, 1]);
    assert.equal(histogram.counts.dtype, "int32");
    const equal = statistics.summary([[3], [3]], { bins: 2 }).histogram;
    assert.deepEqual(equal.edges.toArray(), [2.5, 3, 3.5]);
    assert.deepEqual(equal.counts.toArray(), [0, 2]);
    for (const x of [
      [[1], [1], [1], [2]],
      [[1], [2], [2], [2]],
    ]) {
      const { counts, edges } = statistics.summary(x, { bins: 2 }).histogram;
      assert.deepEqual(edges.toArray(), [1, 1.5, 2], "all but one are equal");
      assert.deepEqual(counts.toArray(), x[1][0] === 1 ? [3, 1] : [1, 3]);
    }
    const many = statistics.summary({ data: noise(5000, 4), shape: [1000, 5] }, { bins: 37 });
    assert.equal(
      numbers(many.histogram.counts).reduce((sum, n) => sum + n, 0),
      1000,
    );
    assert.deepEqual(
      [many.histogram.edges.at(0), many.histogram.edges.at(37)],
      [many.min, many.max].map(Math.fround),
    );
  });

  test("statistics.summary skips non-finite rows, and counts them", () => {
    const good = [
      [3, 4],
      [1, 0],
      [0, 2],
    ];
    const bad = [[NaN, 1], ...good, [1, -Infinity]];
    const { count, skipped, ...rest } = statistics.summary(bad);
    assert.deepEqual([count, skipped], [3, 2]);
    const { count: _, skipped: __, ...want } = statistics.summary(good);
    assert.deepEqual(rest, want);
    assert.throws(() => statistics.summary([[NaN]]), /^RangeError: \S+: x must .+; got /);
    assert.throws(
      () => statistics.summary({ data: [], shape: [0, 2] }),
      /^RangeError: \S+: x must .+; got /,
    );
  });

  test("statistics.summary of one row has no spread and no mean cosine", () => {
    const got = statistics.summary([[3, 4]]);
    assert.deepEqual([got.min, got.max, got.mean, got.median, got.std], [5, 5, 5, 5, 0]);
    assert.deepEqual([got.sampleStd, got.meanCosine], [NaN, NaN]);
    assert.equal(
      statistics.summary([
        [0, 0],
        [0, 0],
      ]).meanCosine,
      0,
    );
  });
});

describe("statistics.singularValues", () => {
  test("statistics.singularValues are the roots of the component variances, times N - 1", () => {
    for (const [N, D] of [
      [50, 7],
      [7, 50],
    ]) {
      const data = noise(N * D, 6).map((value, i) => 3 + value / (1 + (i % D)));
      const rows = Array.from({ length: N }, (_, n) => data.subarray(n * D, (n + 1) * D));
      const got = statistics.singularValues({ data, shape: [N, D] });
      assert.deepEqual(got.shape, [Math.min(N, D)]);
      const squares = principal(rows).values.slice(0, Math.min(N - 1, D));
      for (const [i, square] of squares.entries())
        close(got.data[i] / Math.sqrt(square * (N - 1)), 1, 1e-6);
      for (const last of got.data.subarray(squares.length)) close(last, 0, 1e-6);
    }
  });

  test("statistics.singularValues contain the total variance, and are those of pca", () => {
    const rows = embedding.create(300, 20, { seed: 4 }).weights();
    const { data } = statistics.singularValues(rows);
    const found = pca(rows, { components: 20 });
    assert.deepEqual(data, found.singularValues.data);
    const all = data.reduce((sum, s) => sum + s * s, 0);
    const ratio = Array.from(data, (s) => (s * s) / all);
    for (const [i, share] of ratio.entries()) {
      close(share, found.explainedVarianceRatio.data[i], 1e-7);
    }
  });

  test("statistics.singularValues of identical rows are 0", () => {
    const same = statistics.singularValues([
      [2, 5, 1],
      [2, 5, 1],
    ]);
    assert.deepEqual([...same.data], [0, 0]);
  });
});

describe("statistics.effectiveRank", () => {
  test("statistics.effectiveRank is e^entropy of the singular values of the centered rows", () => {
    for (const [N, D] of [
      [50, 7],
      [7, 50],
      [20, 20],
    ]) {
      const data = noise(N * D, 6).map((value, i) => 3 + value / (1 + (i % D)));
      const rows = Array.from({ length: N }, (_, n) => data.subarray(n * D, (n + 1) * D));
      const singular = principal(rows)
        .values.slice(0, Math.min(N - 1, D))
        .map((value) => Math.sqrt(Math.max(value, 0)));
      const total = singular.reduce((sum, s) => sum + s, 0);
      const entropy = singular.reduce((sum, s) => sum - (s / total) * Math.log(s / total), 0);
      const got = statistics.effectiveRank({ data, shape: [N, D] });
      assert.ok(Math.abs(got / Math.exp(entropy) - 1) <= 1e-6, `${got} ${Math.exp(entropy)}`);
    }
  });

  test("statistics.effectiveRank is 1 on a line, 0 at a point, and nearly D for random rows", () => {
    near(
      statistics.effectiveRank([
        [1, 1],
        [2, 2],
        [5, 5],
      ]),
      1,
    );
    assert.equal(
      statistics.effectiveRank([
        [1, 1],
        [1, 1],
      ]),
      0,
    );
    assert.equal(statistics.effectiveRank([[1, 1]]), 0);
    const random = statistics.effectiveRank(embedding.create(5000, 16, { seed: 1 }).weights());
    assert.ok(random > 15.9 && random <= 16);
  });
});

const x = [
  [1, 2],
  [3, 4],
];

declaredBattery("statistics.norms", { x });

declaredBattery("statistics.summary", { x }, { percentiles: ["tensorOption"] });

battery("statistics.singularValues", {
  call: ({ x }) => statistics.singularValues(x),
  good: { x },
  args: { x: ["tensor", "x", "x.shape"] },
});

battery("statistics.effectiveRank", {
  call: ({ x }) => statistics.effectiveRank(x),
  good: { x },
  args: { x: ["tensor", "x", "x.shape"] },
});

test("statistics rejects numbers out of range", () => {
  for (const [name, call] of /** @type {[string, () => unknown][]} */ ([
    ["percentiles", () => statistics.summary(x, { percentiles: [101] })],
    ["percentiles", () => statistics.summary(x, { percentiles: [-1] })],
    ["percentiles", () => statistics.summary(x, { percentiles: [NaN] })],
    ["bins", () => statistics.summary(x, { bins: 0 })],
    ["x", () => statistics.singularValues([[1, Infinity]])],
    ["x", () => statistics.singularValues({ data: [], shape: [0, 2] })],
    ["x", () => statistics.effectiveRank([[1, NaN]])],
    ["x", () => statistics.effectiveRank({ data: [], shape: [0, 2] })],
    ["x", () => statistics.norms([[], []])],
  ])) {
    assert.throws(call, new RegExp(`^RangeError: [\\w.]+: ${name} must .+; got `));
  }
});
