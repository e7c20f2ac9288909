import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../battery.js";
import { cases } from "../../truth/golden.js";
import { phasor } from "../../phasor.js";
import { compare } from "../reference/geometry.js";
import { noise, numbers } from "../reference/samples.js";

const { similarity, embedding } = phasor;
const METRICS = /** @type {const} */ (["dot", "cosine", "euclidean"]);

/** @param {Float32Array} data @param {number} D */
const rowsOf = (data, D) =>
  Array.from({ length: data.length / D }, (_, n) => data.subarray(n * D, (n + 1) * D));

/** Two roundings to float32 of a number up to x: the reference is rounded, too. @param {number} x */
const twice = (x) => 2 * 2 ** -24 * Math.max(Math.abs(x), 2 ** -126);

/** Golden matrices, which a second test compares with sums in float32. */
const CASES = 4;

describe("similarity against other implementations", () => {
  for (const { id, inputs, outputs } of cases("cosine_matrix", 4)) {
    test(`similarity.matrix equals ${id}`, () => {
      const got = similarity.matrix(inputs.x);
      const want = outputs.out_f64 ?? outputs.out;
      assert.deepEqual(got.shape, want.shape);
      // 3e-8 of phasor's; the zero rows' case has separate float32 arithmetic, 2.4e-7 as in the others
      const tolerance = outputs.out_f64 ? 3e-8 + 2 ** -25 : 2.4e-7;
      numbers(got).forEach((x, i) => {
        assert.ok(Math.abs(x - Number(want.data[i])) <= tolerance, `${i}: ${x}`);
      });
    });
  }

  for (const { id, inputs, outputs } of cases("cosine_pairs", 1)) {
    test(`similarity.rows equals ${id}`, () => {
      const got = similarity.rows(inputs.a, inputs.b);
      assert.deepEqual(got.shape, outputs.out.shape);
      numbers(got).forEach((x, i) => {
        assert.ok(Math.abs(x - Number(outputs.out.data[i])) <= 1.2e-7); // PyTorch's is in float32
      });
    });
  }

  for (const { id, inputs, outputs } of cases("l2_matrix", 1)) {
    test(`similarity.matrix equals ${id}`, () => {
      const got = similarity.matrix(inputs.a, inputs.b, { metric: "euclidean" });
      assert.deepEqual(got.shape, outputs.out_f64.shape);
      numbers(got).forEach((x, i) => {
        assert.ok(Math.abs(x - Number(outputs.out_f64.data[i])) <= twice(x));
      });
    });
  }
});

describe("similarity", () => {
  test("similarity is the definition in double, rounded once, at every width and tile", () => {
    for (const [N, M, D] of [
      [1, 1, 1],
      [3, 2, 7],
      [300, 2, 3],
      [2, 300, 4],
      [5, 3, 70000],
      [0, 3, 2],
      [3, 0, 2],
    ]) {
      const a = { data: noise(N * D, 1), shape: [N, D] };
      const b = { data: noise(M * D, 2), shape: [M, D] };
      for (const metric of METRICS) {
        const got = similarity.matrix(a, b, { metric });
        assert.deepEqual(got.shape, [N, M]);
        for (let n = 0; n < N; ++n) {
          for (let m = 0; m < M; ++m) {
            const x = a.data.subarray(n * D, (n + 1) * D);
            const y = b.data.subarray(m * D, (m + 1) * D);
            const want = compare(x, y, metric);
            // half a ULP, and what the order of D sums in double may change; the sum of |products|
            // is at most D
            const tolerance = { dot: 1e-15 * D, cosine: 1e-12, euclidean: 1e-15 * want }[metric];
            const error = Math.abs(got.at(n, m) - want);
            assert.ok(error <= 2 ** -24 * Math.abs(want) + tolerance, `${metric} ${N} ${M} ${D}`);
            assert.ok(metric !== "cosine" || error <= 3e-8);
          }
        }
      }
    }
  });

  test("similarity.matrix of a with itself equals that of a with a copy, and is symmetric", () => {
    for (const [N, D] of [
      [5, 3],
      [700, 4],
      [260, 400],
    ]) {
      const a = { data: noise(N * D, 3), shape: [N, D] };
      const copy = { data: a.data.slice(), shape: [N, D] };
      for (const metric of METRICS) {
        const own = similarity.matrix(a, undefined, { metric });
        assert.deepEqual(own, similarity.matrix(a, copy, { metric }));
        assert.deepEqual(own, similarity.matrix(a, { ...a }, { metric }));
        const table = embedding.from(copy);
        assert.deepEqual(own, similarity.matrix(a, table, { metric }));
        assert.deepEqual(own, similarity.matrix(table, a, { metric }));
        table.dispose();
        for (let n = 0; n < N; n += 7) {
          for (let m = 0; m < n; m += 3) assert.equal(own.at(n, m), own.at(m, n));
          if (metric !== "dot") assert.equal(own.at(n, n), metric === "cosine" ? 1 : 0);
        }
      }
    }
  });

  test("similarity.rows is the diagonal of similarity.matrix, bit for bit, and pair its elements", () => {
    const [N, D] = [3000, 50];
    const a = { data: noise(N * D, 1), shape: [N, D] };
    const b = { data: noise(N * D, 2), shape: [N, D] };
    for (const metric of METRICS) {
      const rows = similarity.rows(a, b, { metric });
      for (let n = 0; n < N; n += 97) {
        const [x, y] = [a, b].map(({ data }) => data.subarray(n * D, (n + 1) * D));
        assert.equal(similarity.pair(x, y, { metric }), rows.at(n));
        const [[only]] = similarity.matrix([x], [y], { metric }).toArray();
        assert.equal(only, rows.at(n));
      }
    }
  });

  test("similarity.rows keeps the axes before the last", () => {
    const x = { data: noise(24), shape: [2, 3, 4] };
    assert.deepEqual(similarity.rows(x, x), similarity.rows(x, x).reshape(2, 3));
    assert.deepEqual(similarity.rows([1, 2], [2, 1]).shape, []);
    assert.deepEqual(
      similarity.rows({ data: [], shape: [0, 4] }, { data: [], shape: [0, 4] }).shape,
      [0],
    );
  });

  test("a row of zeros has cosine 0 with every row, itself included; NaN gives NaN", () => {
    const x = [
      [0, 0],
      [1, 2],
      [NaN, 1],
    ];
    assert.deepEqual(similarity.matrix(x).toArray(), [
      [0, 0, NaN],
      [0, 1, NaN],
      [NaN, NaN, NaN],
    ]);
    assert.equal(similarity.pair([0, 0], [0, 0]), 0);
    assert.equal(similarity.pair([0, 0], [0, 0], { metric: "euclidean" }), 0);
  });

  test("similarity.pair: the cosine depends on directions, not on lengths", () => {
    const [a, b] = [noise(64, 1), noise(64, 2)];
    const want = similarity.pair(a, b);
    for (const factor of [2 ** -100, 0.5, 2, 2 ** 100]) {
      assert.equal(
        similarity.pair(
          a.map((x) => x * factor),
          b,
        ),
        want,
      );
      assert.equal(
        similarity.pair(
          a,
          b.map((x) => -x * factor),
        ),
        -want,
      );
    }
  });

  test("similarity: |a - b|^2 = |a|^2 + |b|^2 - 2 a.b", () => {
    const [a, b] = [noise(300, 5), noise(300, 6)];
    const of = (/** @type {Float32Array} */ x, /** @type {Float32Array} */ y) =>
      similarity.pair(x, y, { metric: "dot" });
    const distance = similarity.pair(a, b, { metric: "euclidean" });
    // four roundings of numbers up to 200
    assert.ok(Math.abs(distance ** 2 - (of(a, a) + of(b, b) - 2 * of(a, b))) <= 4 * 200 * 2 ** -24);
  });
});

describe('similarity.matrix with accumulate: "float32"', () => {
  const brief = /** @type {const} */ ({ accumulate: "float32" });
  /** @param {ArrayLike<number | bigint>} got @param {ArrayLike<number | bigint>} exact */
  const farthest = (got, exact) => {
    let most = 0;
    for (let i = 0; i < got.length; ++i) {
      most = Math.max(most, Math.abs(Number(got[i]) - Number(exact[i])));
    }
    return most;
  };

  for (const { id, inputs, outputs } of cases("cosine_matrix", CASES)) {
    if (!outputs.out_f64) continue;
    test(`is no farther from double than scikit-learn's float32 for ${id}`, () => {
      const got = similarity.matrix(inputs.x, undefined, brief);
      const most = farthest(outputs.out.data, outputs.out_f64.data);
      assert.ok(farthest(got.data, outputs.out_f64.data) <= most);
    });
  }

  // The largest errors of PyTorch 2.15 on the processor: cosine_similarity, and a @ b.T, of these rows.
  for (const [N, M, D, cosine, dot] of [
    [80, 50, 768, 2.43e-8, 1.04e-5],
    [64, 64, 64, 6.29e-8, 2.64e-6],
    [100, 30, 384, 3.38e-8, 1.14e-5],
    [40, 200, 1024, 2.67e-8, 1.34e-5],
  ]) {
    test(`is no farther from the exact value than PyTorch's float32 for ${N} x ${D} and ${M} rows`, () => {
      const a = { data: noise(N * D, 1), shape: [N, D] };
      const b = { data: noise(M * D, 2), shape: [M, D] };
      const [x, y] = [rowsOf(a.data, D), rowsOf(b.data, D)];
      for (const [metric, most] of /** @type {const} */ ([
        ["cosine", cosine],
        ["dot", dot],
      ])) {
        // prettier-ignore
        const exact = x.flatMap((row) => y.map((other) => compare(row, other, metric)));
        const got = similarity.matrix(a, b, { metric, ...brief });
        const error = farthest(got.data, exact);
        assert.ok(error <= most, `${metric}: ${error}`);
      }
    });
  }

  test("is symmetric, equals that with a copy, and has cosines of at most 1", () => {
    for (const [N, D] of [
      [300, 300],
      [7, 33],
      [2, 5],
    ]) {
      // prettier-ignore
      const a = { data: noise(N * D, 3), shape: [N, D] };
      for (const metric of METRICS) {
        const own = similarity.matrix(a, undefined, { metric, ...brief });
        const copy = { data: a.data.slice(), shape: [N, D] };
        assert.deepEqual(own, similarity.matrix(a, copy, { metric, ...brief }));
        for (let n = 0; n < N; ++n) {
          for (let m = 0; m < n; m += 3) assert.equal(own.at(n, m), own.at(m, n));
          if (metric !== "cosine") continue;
          assert.ok(own.at(n, n) <= 1 && own.at(n, n) >= 1 - 1.2e-6); // the bound of (32 / 2 + 4) 2^-24
        }
        if (metric === "euclidean") assert.deepEqual(own, similarity.matrix(a, copy, { metric }));
      }
    }
  });

  test("gives rows of zeros cosine 0, and NaN for a row with NaN", () => {
    const x = [[0, 0], [1, 2], [NaN, 1]]; // prettier-ignore
    const got = similarity.matrix(x, undefined, brief).toArray();
    assert.deepEqual(got, [[0, 0, NaN], [0, 1, NaN], [NaN, NaN, NaN]]); // prettier-ignore
  });
});

describe("similarity as in the lesson", () => {
  test("random vectors of 64 dimensions are nearly orthogonal", () => {
    const { data } = similarity.matrix(embedding.create(200, 64, { seed: 7 }).weights());
    const apart = numbers({ data }).filter((_, i) => i % 201 !== 0);
    const mean = apart.reduce((sum, x) => sum + x, 0) / apart.length;
    const square = apart.reduce((sum, x) => sum + x * x, 0) / apart.length;
    assert.ok(Math.abs(mean) <= 0.01);
    assert.ok(Math.abs(Math.sqrt(square) - 1 / 8) <= 0.005); // standard deviation 1 / sqrt(D)
    assert.ok(Math.max(...apart.map(Math.abs)) <= 0.7);
  });

  test("animals are similar to each other; a number and an article are not", () => {
    const words = ["cat", "dog", "bird", "the", "seven"];
    const table = [
      [0.8, 0.3, -0.2, 0.5],
      [0.7, 0.4, -0.1, 0.6],
      [0.6, 0.5, -0.3, 0.4],
      [-0.1, -0.8, 0.9, -0.3],
      [-0.2, 0.6, 0.1, 0.8],
    ];
    const matrix = similarity.matrix(table);
    const of = (/** @type {string} */ a, /** @type {string} */ b) =>
      matrix.at(words.indexOf(a), words.indexOf(b));
    const animals = [of("cat", "dog"), of("cat", "bird"), of("dog", "bird")];
    const rest = words.flatMap((a, i) => words.slice(Math.max(i + 1, 3)).map((b) => of(a, b)));
    assert.equal(rest.length, 7);
    assert.ok(Math.min(...animals) > 0.94);
    assert.ok(Math.max(...rest) < 0.7);
    assert.ok(Math.max(...["cat", "dog", "bird", "seven"].map((word) => of("the", word))) < 0);
  });
});

const two = [
  [1, 2],
  [3, 4],
];

declaredBattery("similarity.pair", { a: [1, 2], b: [3, 5] });

declaredBattery("similarity.rows", { a: two, b: two });

declaredBattery("similarity.matrix", { a: two, b: two }, { b: ["tensorOption"] });

test("similarity rejects mismatched shapes and leaves out unchanged", () => {
  const out = new Float32Array(4).fill(7);
  for (const call of [
    () => similarity.pair([1, 2], [1, 2, 3]),
    () => similarity.pair(two, two),
    () => similarity.pair([], []),
    () => similarity.rows(two, [[1, 2]], { out }),
    () => similarity.rows([[], []], [[], []], { out }),
    () => similarity.matrix(two, [[1, 2, 3]], { out }),
    () => similarity.matrix([1, 2], [1, 2], { out }),
    () => similarity.matrix(two, [two], { out }),
    () => similarity.matrix(two, two, { out: new Float32Array(3) }),
  ]) {
    assert.throws(call, /^RangeError: \S+: (a|b|out) must .+; got /);
  }
  assert.deepEqual(out, new Float32Array(4).fill(7));
});
