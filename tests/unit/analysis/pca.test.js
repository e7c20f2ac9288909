import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery, declaredBattery } from "../battery.js";
import { cases } from "../../truth/golden.js";
import { OutOfMemoryError, phasor } from "../../phasor.js";
import { dot } from "../reference/attention.js";
import { principal } from "../reference/geometry.js";
import { noise, numbers } from "../reference/samples.js";

const { pca, embedding } = phasor;

/** @param {{data: Float32Array, shape: number[]}} table */
const rowsOf = ({ data, shape: [N, D] }) =>
  Array.from({ length: N }, (_, n) => data.subarray(n * D, (n + 1) * D));

/** @param {{data: ArrayLike<number | bigint>}} tensor @param {{data: ArrayLike<number | bigint>}} want @param {number} relative @param {string} what */
function near(tensor, want, relative, what) {
  const [got, exact] = [numbers(tensor), numbers(want)];
  const size = Math.max(...exact.map(Math.abs));
  got.forEach((x, i) => {
    assert.ok(Math.abs(x - exact[i]) <= relative * size, `${what} ${i}: ${x}, ${exact[i]}`);
  });
}

/** That rows are orthonormal within 1e-6 and have their sign. @param {import("../../phasor.js").Tensor} components */
function assertComponents(components) {
  const rows = [...components].map(numbers);
  for (const [i, a] of rows.entries()) {
    for (const [j, b] of rows.entries()) {
      assert.ok(Math.abs(dot(a, b) - Number(i === j)) <= 1e-6, `${i} ${j}: ${dot(a, b)}`);
    }
    const sizes = a.map(Math.abs);
    assert.ok(a[sizes.indexOf(Math.max(...sizes))] > 0, `sign of ${i}`);
    assert.ok(!a.some((x) => Object.is(x, -0)));
  }
}

/**
 * That the first components are those of all eigenvectors, which 20 components come from: a direction within `away` of
 * its variance over the distance to the next other variance.
 * @param {{data: Float32Array, shape: number[]}} x @param {number} k
 * @param {"float32" | "float64"} accumulate @param {number} away
 */
function assertFewAreFirst(x, k, accumulate, away) {
  const few = pca(x, { components: k, accumulate });
  const many = pca(x, { components: 20 });
  assertComponents(few.components);
  for (let c = 0; c < k; ++c) {
    const [got, want] = [few, many].map(({ explainedVariance }) => explainedVariance.at(c));
    assert.ok(Math.abs(got - want) <= 2e-7 * want, `${c}: ${got} ${want}`); // both rounded
    const share = many.explainedVarianceRatio.at(c);
    assert.ok(Math.abs(few.explainedVarianceRatio.at(c) - share) <= 2e-7 * share);
    const gap = Math.min(
      ...[c - 1, c + 1].map((i) =>
        i < 0 ? Infinity : Math.abs(many.explainedVariance.at(i) - want),
      ),
    );
    if (gap < 1e-3 * want || want === 0) continue; // the direction is not determined
    const [a, b] = [few, many].map(({ components }) => numbers(components.row(c)));
    // and a float32's rounding
    a.forEach((loading, d) => assert.ok(Math.abs(loading - b[d]) <= away * (want / gap) + 1.2e-7));
    const correlation = dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
    if (gap >= 1e-2 * want) assert.ok(1 - correlation <= 1e-8, `${c}: ${1 - correlation}`);
  }
}

/** Numbers whose columns differ in spread. @param {number} N @param {number} D @param {number} [seed] */
function stretched(N, D, seed) {
  const data = noise(N * D, seed).map((x, i) => 10 + x / (1 + (i % D)));
  return { data, shape: [N, D] };
}

describe("pca against scikit-learn", () => {
  for (const { id, params, inputs, outputs } of cases("pca", 4)) {
    test(`pca equals ${id}, up to sign`, () => {
      const k = params.n_components;
      const got = pca(inputs.x, { components: k });
      assertComponents(got.components);
      const [D] = outputs.mean.shape;
      // the reference has other signs: flip its components and columns to match
      for (let c = 0; c < k; ++c) {
        const own = outputs.components.data.subarray(c * D, (c + 1) * D);
        if (dot(numbers(got.components.row(c)), numbers({ data: own })) > 0) continue;
        for (let d = 0; d < D; ++d) own[d] = -Number(own[d]);
        const { data } = outputs.projected;
        for (let i = c; i < data.length; i += k) data[i] = -Number(data[i]);
      }
      for (const [name, tensor, relative] of /** @type {const} */ ([
        ["mean", got.mean, 1.2e-7], // both are rounded to float32
        ["components", got.components, 1e-6],
        ["explained_variance", got.explainedVariance, 1.2e-7],
        ["explained_variance_ratio", got.explainedVarianceRatio, 1.2e-7],
        ["singular_values", got.singularValues, 1.2e-7],
        ["projected", got.projected, 1e-6],
      ])) {
        assert.deepEqual(tensor.shape, outputs[name].shape);
        near(tensor, outputs[name], relative, name);
      }
    });
  }
});

describe("pca", () => {
  for (const [N, D] of [
    [2, 1],
    [50, 7],
    [7, 50],
    [33, 33],
    [9000, 9], // rows in tiles
    [40, 3000], // columns in tiles
  ]) {
    test(`pca of ${N} x ${D} has the variances and directions of the Jacobi method`, () => {
      const x = stretched(N, D, 3);
      const k = Math.min(N - 1, D);
      const got = pca(x, { components: k });
      assertComponents(got.components);
      const { mean, values, vectors } = principal(rowsOf(x));
      near(got.mean, { data: mean }, 6e-8, "mean");
      const total = values.reduce((sum, value) => sum + value, 0);
      for (let c = 0; c < k; ++c) {
        const variance = got.explainedVariance.at(c);
        // a float32's rounding, and what is lost in the smallest of widely spread ones
        assert.ok(Math.abs(variance / values[c] - 1) <= 1e-5, `${c}: ${variance} ${values[c]}`);
        assert.ok(Math.abs(got.explainedVarianceRatio.at(c) - values[c] / total) <= 1e-6);
        assert.ok(Math.abs(got.singularValues.at(c) ** 2 / (N - 1) / variance - 1) <= 3e-7);
        const gap = Math.min(
          ...[c - 1, c + 1].map((i) =>
            values[i] === undefined ? 1 : Math.abs(values[i] - values[c]),
          ),
        );
        if (gap < 1e-3 * values[0]) continue; // the direction is not determined
        assert.ok(Math.abs(dot(numbers(got.components.row(c)), vectors[c])) >= 1 - 1e-6);
      }
    });
  }

  test("pca of many directions: variances are those of the projections, which are uncorrelated", () => {
    const [N, D] = [300, 120];
    const x = stretched(N, D, 8);
    const got = pca(x, { components: D });
    assertComponents(got.components);
    const points = numbers(got.projected);
    const columns = Array.from({ length: D }, (_, c) => points.filter((_, i) => i % D === c));
    const largest = got.explainedVariance.at(0);
    for (let c = 0; c < D; c += 17) {
      for (let e = 0; e < D; e += 13) {
        const covariance = dot(columns[c], columns[e]) / (N - 1);
        const want = c === e ? got.explainedVariance.at(c) : 0;
        assert.ok(Math.abs(covariance - want) <= 1e-6 * largest);
      }
    }
    const whole = numbers(got.explainedVarianceRatio).reduce((sum, part) => sum + part, 0);
    assert.ok(Math.abs(whole - 1) <= 1e-5);
  });

  // Few components of wide rows come from block Lanczos (N, D >= 192); 20 from all eigenvectors. How far a
  // direction may be from the exact one, of its variance over the distance to the next other variance:
  const furthest = /** @type {const} */ ([
    ["float32", 2e-6],
    ["float64", 1e-9],
  ]);
  for (const [
    what,
    make,
    k,
  ] of /** @type {[string, (n: number, d: number, x: number) => number, number][]} */ ([
    ["that stand out", (_, d, x) => x * (d < 2 ? 8 - 3 * d : 1), 2],
    ["1 % apart", (_, d, x) => x * (d < 4 ? 9 * 1.005 ** -d : 1), 3],
    ["that fall slowly", (_, d, x) => x / (1 + d / 16), 4],
    ["of large means", (_, d, x) => 3000 * (d % 7) + x * (d < 3 ? 9 - d : 1), 2],
    ["of outlying columns", (_, d, x) => 3 + x * (d % 50 === 7 ? 50 + d / 10 : 1), 5],
    ["with constant columns", (_, d, x) => (d % 2 ? 4 : x * (d < 9 ? 9 - d : 1)), 2],
    ["of one direction", (n, d) => (n % 17) * ((d % 5) - 2), 2],
    ["of white noise", (_n, _d, x) => x, 2],
    ["of alternating signs", (n, d, x) => x / 8 + (d % 2 ? 1 : -1) * ((n % 3) - 1), 1],
    ["on one axis of many", (n, d, x) => (d === 200 ? n % 11 : x / 16), 1],
    ["of variances far apart", (_, d, x) => x * (d < 3 ? 30 ** -d : 1e-3), 3],
    ["beyond the squares of float32", (_, d, x) => 1e18 * x * (d < 2 ? 8 - 3 * d : 1), 2],
    ["below the squares of float32", (_, d, x) => 1e-18 * x * (d < 2 ? 8 - 3 * d : 1), 2],
  ])) {
    for (const [N, D, accumulate, away] of [
      [500, 240],
      [240, 500],
    ].flatMap(([N, D]) =>
      furthest.map((each) => /** @type {const} */ ([N, D, each[0], each[1]])),
    )) {
      test(`pca of directions ${what}, ${N} x ${D}, ${accumulate}: few components equal the first of many`, () => {
        const data = noise(N * D, 11).map((x, i) => make(Math.floor(i / D), i % D, x));
        assertFewAreFirst({ data, shape: [N, D] }, k, accumulate, away);
      });
    }
  }

  // From 4096 rows on, float32 begins with a sample of 512: here every eighth row.
  for (const [
    what,
    make,
  ] of /** @type {[string, (n: number, d: number, x: number) => number][]} */ ([
    ["that stand out", (_, d, x) => x * (d < 2 ? 8 - 3 * d : 1)],
    [
      "that no row of a sample has",
      (n, d, x) => x * (d === 100 && n % 8 === 3 ? 60 : d < 2 ? 8 : 1),
    ],
    ["that only a sample has", (n, d, x) => x * (d < 2 && n % 8 === 0 ? 20 - 9 * d : 1)],
    [
      "in other columns than a sample's",
      (n, d, x) => (d % 8 === n % 8 ? x * (d < 9 ? 20 - d : 1) : 0),
    ],
    [
      "where a sample's mean is far away",
      (n, d, x) => x * (d < 2 ? 8 - 3 * d : 1) + (n % 8 ? 0 : 40),
    ],
    ["of large means", (_, d, x) => 3e4 * ((d % 7) - 3) + x * (d < 3 ? 9 - d : 1)],
    ["of rows in order", (n, d, x) => x + ((d % 5) - 2) * (n / 500) + (d % 3) * ((n % 17) - 8)],
    ["of a sample of zeros", (n, d, x) => (n % 8 ? x * (d < 2 ? 8 - 3 * d : 1) : 0)],
    ["of equal rows in a sample", (n, d, x) => (n % 8 ? x * (d < 2 ? 8 - 3 * d : 1) : d)],
    ["of one row that differs", (n, d) => d + (n === 777 ? (d % 5) - 1 : 0)],
    ["beyond float32 in a sample", (n, d, x) => (n % 8 ? 1 : 1e14) * x * (d < 2 ? 8 - 3 * d : 1)],
    [
      "beyond float32 out of a sample",
      (n, d, x) => (n % 8 ? 1e14 : 1) * x * (d < 2 ? 8 - 3 * d : 1),
    ],
  ])) {
    test(`pca of directions ${what}, 4096 x 200: few components equal the first of many`, () => {
      const [N, D] = [4096, 200];
      const data = noise(N * D, 12).map((x, i) => make(Math.floor(i / D), i % D, x));
      for (const [accumulate, away] of furthest) {
        assertFewAreFirst({ data, shape: [N, D] }, 2, accumulate, away);
      }
    });
  }

  test("pca with a sample names a number that is not finite, and gives a table the results of an array", () => {
    const [N, D] = [4100, 192];
    const data = noise(N * D, 13).map((x, i) => x * (i % D < 2 ? 8 : 1));
    for (const at of [0, 5 * D + 7, N * D - 1]) {
      const bad = data.slice();
      bad[at] = Infinity;
      assert.throws(() => pca({ data: bad, shape: [N, D] }), {
        message: `pca: x must contain finite numbers; got Infinity at ${at}`,
      });
    }
    const want = pca({ data, shape: [N, D] });
    const table = embedding.from({ data, shape: [N, D] });
    const got = pca(table);
    for (const name of /** @type {const} */ ([
      "mean",
      "components",
      "explainedVariance",
      "projected",
    ])) {
      assert.deepEqual(got[name], want[name]);
    }
    assert.deepEqual(table.weights().data, data);
    assert.deepEqual(want.project({ data, shape: [N, D] }), want.projected);
    table.dispose();
  });

  test("pca of a table with fewer rows than columns gives the results of an array", () => {
    const table = embedding.create(48, 9000, { storage: "on-demand" }); // three tiles of columns
    const [got, want] = [table, table.weights()].map((x) => pca(x, { components: 3 }));
    assert.deepEqual(got.explainedVariance, want.explainedVariance);
    assert.deepEqual(got.projected, want.projected);
    table.dispose();
  });

  test("pca of directions with equal variances finds directions with that variance", () => {
    const [N, D, equal] = [512, 256, 6];
    const data = new Float32Array(N * D);
    for (let n = 0; n < N; ++n) {
      for (let d = 0; d < D; ++d) {
        // columns of a Hadamard matrix: at right angles, of mean 0
        let bits = n & (d + 1);
        for (let shift = 8; shift > 0; shift >>= 1) bits ^= bits >> shift;
        data[n * D + d] = (d < equal ? 8 : 1) * (bits & 1 ? 1 : -1);
      }
    }
    for (const [k, accumulate, error] of [1, 2, 4, 6].flatMap((k) => [
      /** @type {const} */ ([k, "float32", 1.8e-7]), // sums err by 1.2e-7, since all rows are alike
      /** @type {const} */ ([k, "float64", 6e-8]),
    ])) {
      const got = pca({ data, shape: [N, D] }, { components: k, accumulate });
      assertComponents(got.components);
      for (let c = 0; c < k; ++c) {
        assert.ok(Math.abs(got.explainedVariance.at(c) / ((64 * N) / (N - 1)) - 1) <= error);
        const inside = numbers(got.components.row(c)).slice(0, equal);
        assert.ok(Math.abs(dot(inside, inside) - 1) <= 1e-6);
      }
    }
  });

  test("pca.project reproduces the projections of the decomposed rows, and keeps axes; results are plain copies", () => {
    const x = stretched(1000, 30, 4);
    const got = pca(x, { components: 3 });
    assert.deepEqual(got.project(x), got.projected);
    const want = got.projected.row(7).toArray();
    const row = x.data.slice(7 * 30, 8 * 30);
    got.components.data.fill(0);
    got.mean.data.fill(0);
    assert.deepEqual(got.project(row).toArray(), want);
    assert.deepEqual(got.project({ data: row, shape: [1, 1, 30] }).shape, [1, 1, 3]);
    const out = new Float32Array(3);
    assert.equal(got.project(row, { out }).data, out);
    assert.deepEqual(got.project({ data: [], shape: [0, 30] }).shape, [0, 3]);
    assert.ok(numbers(got.project(row.fill(NaN))).every(Number.isNaN));
  });

  test("pca of rows and of their mirror image has the same components", () => {
    const x = stretched(40, 6, 5);
    const mirrored = { data: x.data.map((value) => -value), shape: x.shape };
    assert.deepEqual(pca(x).components, pca(mirrored).components);
  });

  test("pca of data on a line completes the components with directions of variance 0", () => {
    for (const [N, D] of [
      [9, 4],
      [4, 9],
      [5, 5],
    ]) {
      const line = Array.from({ length: N }, (_, n) =>
        Array.from({ length: D }, (_, d) => n * (d + 1)),
      );
      const got = pca(line, { components: D });
      assertComponents(got.components);
      assert.ok(numbers(got.explainedVariance).every((x, c) => (c === 0 ? x > 0 : x === 0)));
      assert.deepEqual(
        numbers(got.explainedVarianceRatio),
        Array.from({ length: D }, (_, c) => Number(c === 0)),
      );
    }
  });

  test("pca of a single row, and of equal rows, has no variance and the axes as components", () => {
    for (const x of [
      [[3, 4, 5]],
      [
        [0.1, 0.2, 0.3],
        [0.1, 0.2, 0.3],
      ],
      Array(7).fill([1e30, -1, 2]),
    ]) {
      const got = pca(x, { components: 3 });
      assertComponents(got.components);
      for (const tensor of [
        got.explainedVariance,
        got.explainedVarianceRatio,
        got.singularValues,
      ]) {
        assert.deepEqual(tensor.toArray(), [0, 0, 0]);
      }
      assert.ok(numbers(got.projected).every((value) => value === 0));
    }
    assert.deepEqual(pca([[3]]).components.toArray(), [[1]]);
  });

  test("pca has five correct digits for variances down to 1e-9 of the largest", () => {
    const data = noise(400 * 8, 7).map((value, i) => value * 4 ** -(i % 8)); // 4^-14 = 3.7e-9
    const got = pca({ data, shape: [400, 8] }, { components: 8 });
    const { values } = principal(rowsOf({ data, shape: [400, 8] }));
    assert.ok(values[7] < 4e-9 * values[0]);
    numbers(got.explainedVariance).forEach((variance, c) => {
      assert.ok(Math.abs(variance / values[c] - 1) <= 1e-5);
    });
  });

  test("pca that exceeds the memory throws OutOfMemoryError, and the next call works", () => {
    const wide = { data: new Float32Array(2 ** 20), shape: [1, 2 ** 20] };
    assert.throws(() => pca(wide, { components: 2 ** 20 }), OutOfMemoryError);
    assert.equal(pca(wide).components.at(1, 1), 1);
  });

  test("pca is accurate at the limits of float32", () => {
    for (const scale of [2 ** 120, 2 ** -120, 2 ** -149]) {
      const x = [
        [0, 0],
        [2, 1],
        [4, 2],
        [5, 5],
      ].map((row) => row.map((value) => value * scale));
      const got = pca(x);
      const want = pca([
        [0, 0],
        [2, 1],
        [4, 2],
        [5, 5],
      ]);
      near(got.components, want.components, 1e-6, "components");
      near(got.explainedVarianceRatio, want.explainedVarianceRatio, 1e-6, "ratio");
      near(
        { data: numbers(got.projected).map((value) => value / scale) },
        want.projected,
        scale < 1e-40 ? 0.2 : 1e-6,
        "projected",
      );
    }
  });

  test("pca rejects NaN and infinities", () => {
    for (const bad of [NaN, Infinity, -Infinity]) {
      assert.throws(
        () =>
          pca([
            [1, 2],
            [3, bad],
          ]),
        {
          name: "RangeError",
          message: `pca: x must contain finite numbers; got ${bad} at 3`,
        },
      );
    }
  });

  test("pca separates two clusters in 64 dimensions along one component", () => {
    const center = noise(64, 1);
    const spread = embedding.create(100, 64, { seed: 1, std: 0.1 }).weights().data;
    const x = spread.map((value, i) => Number(value) + (i < 50 * 64 ? 1 : -1) * center[i % 64]);
    const { projected } = pca({ data: Float32Array.from(x), shape: [100, 64] });
    assert.deepEqual(projected.shape, [100, 2]);
    const first = projected.toArray().map((/** @type {number[]} */ [value]) => Math.sign(value));
    assert.ok(first.slice(0, 50).every((/** @type {number} */ sign) => sign === first[0]));
    assert.ok(first.slice(50).every((/** @type {number} */ sign) => sign === -first[0]));
  });

  test("pca to two dimensions keeps the animals close together", () => {
    const table = [
      [0.8, 0.3, -0.2, 0.5],
      [0.7, 0.4, -0.1, 0.6],
      [0.6, 0.5, -0.3, 0.4],
      [-0.1, -0.8, 0.9, -0.3],
      [-0.2, 0.6, 0.1, 0.8],
    ];
    const points = pca(table).projected.toArray();
    const apart = (/** @type {number} */ i, /** @type {number} */ j) =>
      Math.hypot(points[i][0] - points[j][0], points[i][1] - points[j][1]);
    const together = Math.max(apart(0, 1), apart(0, 2), apart(1, 2));
    for (const animal of [0, 1, 2]) {
      assert.ok(apart(animal, 3) > 2 * together);
      assert.ok(apart(animal, 4) > 2 * together);
    }
  });
});

const x = [
  [1, 2],
  [3, 5],
  [4, 4],
];

declaredBattery("pca", { x }, {}, (made) => made.projected);

battery("pca project", {
  called: "PrincipalComponents.project",
  call: ({ x: y, $ }) => pca(x).project(y, $),
  good: { x: [1, 2] },
  args: { x: ["tensor", "x", "x.shape"], $: ["options"], out: ["floats"] },
});

test("pca rejects shapes and numbers that do not fit together", () => {
  for (const [name, call] of /** @type {[string, () => unknown][]} */ ([
    ["x", () => pca([1, 2])],
    ["x", () => pca([[], []])],
    ["x", () => pca({ data: [], shape: [0, 2] })],
    ["components", () => pca(x, { components: 0 })],
    ["components", () => pca(x, { components: 3 })],
    ["x", () => pca(x).project([1, 2, 3])],
    ["x", () => pca(x).project(7)],
  ])) {
    assert.throws(call, new RegExp(`^(Range|Type)Error: [\\w.]+: ${name} must .+; got `));
  }
});
