import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery } from "../battery.js";
import { phasor } from "../../phasor.js";
import { noise, numbers, product } from "../reference/samples.js";

const { procrustes, embedding } = phasor;

/** @param {ArrayLike<number>} data @param {number} N @param {number} D */
const rows = (data, N, D) => ({ data: Float32Array.from(data), shape: [N, D] });

/** @param {number} N @param {number} D @param {number} [seed] */
const random = (N, D, seed) => rows(noise(N * D, seed), N, D);

/** @param {ArrayLike<number>} Q  [D, D] @param {number} D */
function assertOrthogonal(Q, D) {
  const transposed = Float64Array.from(Q, (_, at) => Q[(at % D) * D + Math.floor(at / D)]);
  product(transposed, Q, D).forEach((x, at) => {
    const expected = Number(at % D === Math.floor(at / D));
    assert.ok(Math.abs(x - expected) <= 1e-6, `${x} at ${at}`);
  });
}

/**
 * What scipy.linalg.orthogonal_procrustes (SciPy 1.17.1, NumPy 2.4.6) gives for
 * x[i] = ((a i + 3) mod m) / 8 - m / 16, with a = 37, m = 101 for x and a = 53, m = 89 for y, row by row.
 */
const SCIPY = {
  rotation: [
    [0.585954738093423, -0.332278647054986, 0.678948263968163, -0.292022602672797],
    [-0.0347685788807722, -0.914194896042828, -0.302241106595005, 0.267748298698764],
    [-0.784766030126128, -0.166666032464089, 0.596955903881711, 0.00289143623926865],
    [-0.198973537910341, -0.161434278835787, -0.302197314944414, -0.91816408537287],
  ],
  scale: 211.60780059721668,
};

/** @param {number} N @param {number} D @param {number} a @param {number} m */
const stepped = (N, D, a, m) =>
  rows(
    Array.from({ length: N * D }, (_, i) => ((a * i + 3) % m) / 8 - m / 16),
    N,
    D,
  );

describe("procrustes", () => {
  test("procrustes equals SciPy's rotation and scale", () => {
    const { rotation, scale } = procrustes(stepped(7, 4, 37, 101), stepped(7, 4, 53, 89));
    assert.ok(Math.abs(scale / SCIPY.scale - 1) < 1e-13, String(scale));
    // rounded once to float32, SciPy's own error is 1e-15
    numbers(rotation).forEach((x, at) => assert.equal(x, Math.fround(SCIPY.rotation.flat()[at])));
  });

  test("procrustes recovers a rotation or reflection", () => {
    for (const [N, D, seed] of [
      [100, 1, 3],
      [100, 2, 4],
      [9, 7, 5],
      [5000, 40, 6], // rows in tiles
      [120, 96, 7],
    ]) {
      const x = random(N, D, seed);
      const Q = numbers(procrustes(random(N, D, seed + 50), random(N, D, seed + 90)).rotation); // some orthogonal matrix
      assertOrthogonal(Q, D);
      const y = rows(product(x.data, Q, D), N, D);
      const { rotation, rotated, scale } = procrustes(x, y);
      const squares = x.data.reduce((sum, each) => sum + each * each, 0);
      assert.ok(Math.abs(scale / squares - 1) < 1e-6, "a copy has the scale of the sum of squares");
      numbers(rotation).forEach((got, at) => {
        assert.ok(Math.abs(got - Q[at]) < 1e-6, `D = ${D}, ${at}: ${got}`);
      });
      numbers(rotated).forEach((got, at) => assert.ok(Math.abs(got - y.data[at]) < 1e-5 * D));
    }
  });

  test("procrustes swaps two axes and reflects one in a hand-made example", () => {
    const { rotation, rotated, scale } = procrustes(
      [
        [1, 0],
        [0, 2],
      ],
      [
        [0, 1],
        [-2, 0],
      ],
    );
    assert.deepEqual(rotation.toArray(), [[0, 1], [-1, 0]]); // prettier-ignore
    assert.deepEqual(rotated.toArray(), [[0, 1], [-2, 0]]); // prettier-ignore
    assert.equal(scale, 5);
    assert.deepEqual(procrustes([[1, 2]], [[1, 2]]).scale, 5);
    assert.deepEqual(procrustes([[3]], [[-2]]).rotation.toArray(), [[-1]]);
  });

  test("procrustes: no orthogonal matrix has a smaller residual, which follows from the scale", () => {
    const [N, D] = [60, 5];
    const [x, y] = [random(N, D, 11), random(N, D, 12)];
    const { rotation, scale } = procrustes(x, y);
    const left = (/** @type {ArrayLike<number>} */ Q) =>
      product(x.data, Q, D).reduce((sum, z, at) => sum + (z - y.data[at]) ** 2, 0);
    const least = left(numbers(rotation));
    const squares = [x, y].flatMap(({ data }) => [...data]).reduce((sum, z) => sum + z * z, 0);
    assert.ok(Math.abs(least - (squares - 2 * scale)) < 1e-5);
    for (let seed = 20; seed < 60; ++seed) {
      const other = procrustes(random(N, D, seed), y).rotation;
      assert.ok(left(numbers(other)) >= least - 1e-6);
    }
  });

  test("procrustes of rank-deficient rows, and of zeros, is orthogonal", () => {
    for (const [x, y, D] of /** @type {const} */ ([
      [random(3, 8, 1), random(3, 8, 2), 8],
      [rows(new Float32Array(6), 2, 3), random(2, 3, 2), 3],
      [rows([1, 0, 0, 2, 0, 0], 2, 3), rows([1, 0, 0, 2, 0, 0], 2, 3), 3],
    ])) {
      assertOrthogonal(numbers(procrustes(x, y).rotation), D);
    }
    const identity = [[1, 0], [0, 1]]; // prettier-ignore
    assert.deepEqual(procrustes([[0, 0]], [[0, 0]]).rotation.toArray(), identity);
  });

  test("procrustes aligns rows whose columns are zero, equal or multiples of each other", () => {
    for (const [N, D] of [
      [3, 4],
      [100, 8],
      [50, 50],
      [200, 32],
    ]) {
      // prettier-ignore
      for (let seed = 0; seed < 20; ++seed) {
        const [x, y] = [random(N, D, seed), random(N, D, seed + 100)];
        x.data.forEach((_, at) => {
          const d = at % D;
          if (d <= (seed * 7) % D) return;
          x.data[at] = seed % 3 === 0 ? 0 : x.data[at - (d % 2 === 0 ? d : 1)] * (seed % 3);
          if (seed % 2 === 0) y.data[at] = x.data[at];
        });
        const { rotation, scale } = procrustes(x, y);
        assertOrthogonal(numbers(rotation), D);
        const rotated = product(x.data, numbers(rotation), D);
        const left = rotated.reduce((sum, z, at) => sum + (z - y.data[at]) ** 2, 0);
        const squares = [x, y].flatMap(({ data }) => [...data]).reduce((sum, z) => sum + z * z, 0);
        // |x Q - y|^2 = |x|^2 + |y|^2 - 2 trace(Q^T x^T y), and no Q has a larger trace than the scale
        assert.ok(Math.abs(left - (squares - 2 * scale)) <= 1e-6 * squares, `${N}, ${D}: ${seed}`);
      }
    }
    const line = procrustes([[0, 0, 0], [1, 2, 3], [2, 4, 6]], [[0, 0, 0], [3, 1, 2], [6, 2, 4]]); // prettier-ignore
    assert.ok(Math.abs(line.scale - 70) < 1e-12);
    numbers(line.rotated).forEach((z, at) => {
      assert.ok(Math.abs(z - [0, 0, 0, 3, 1, 2, 6, 2, 4][at]) < 1e-5, `${z} at ${at}`);
    });
  });

  test("procrustes accepts tables, and rotates other rows like its own", () => {
    const [x, y] = [random(50, 6, 1), random(50, 6, 2)];
    const table = embedding.from(x);
    const found = procrustes(table, embedding.quantize(y, { dtype: "float16" }));
    assert.deepEqual(numbers(found.rotate(table)), numbers(found.rotated));
    const { shape } = found.rotate({ data: new Float32Array(24), shape: [2, 2, 6] });
    assert.deepEqual(shape, [2, 2, 6]);
    const out = new Float32Array(300);
    assert.equal(found.rotate(x, { out }).data, out);
    table.dispose();
  });

  test("procrustes names the invalid argument and its element", () => {
    const x = [[1, 2], [3, 4]]; // prettier-ignore
    assert.throws(() => procrustes(x, [[1, 2]]), /^RangeError: \S+: y must have shape \[2, 2\]; got \[1, 2\]/); // prettier-ignore
    assert.throws(() => procrustes(x, [[1], [2]]), /^RangeError: \S+: y must have shape \[2, 2\]; got \[2, 1\]/); // prettier-ignore
    assert.throws(() => procrustes([[1, NaN], [3, 4]], x), /^RangeError: \S+: x must contain finite numbers; got NaN at 1/); // prettier-ignore
    assert.throws(() => procrustes(x, [[1, 2], [3, -Infinity]]), /^RangeError: \S+: y must contain finite numbers; got -Infinity at 3/); // prettier-ignore
    assert.throws(() => procrustes({ data: new Float32Array(0), shape: [0, 2] }, x), /x must have at least one row/); // prettier-ignore
    assert.throws(() => procrustes(x, x).rotate([[1, 2, 3]]), /x must have shape \[..., 2\]; got \[1, 3\]/); // prettier-ignore
  });
});

battery("procrustes", {
  call: ({ x, y }) => procrustes(x, y).rotated,
  good: { x: [[1, 2]], y: [[3, 4]] },
  args: { x: ["tensor", "x", "y"], y: ["tensor"] },
});

battery("procrustes rotate", {
  called: "Alignment.rotate",
  call: ({ x, $ }) => procrustes([[1, 2]], [[3, 4]]).rotate(x, $),
  good: { x: [1, 2] },
  args: { x: ["tensor"], $: ["options"], out: ["floats"] },
});
