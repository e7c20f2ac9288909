import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery, declaredBattery, WRONG } from "../battery.js";
import { DisposedError, load, OutOfMemoryError, phasor, Tensor } from "../../phasor.js";
import { noise } from "../reference/samples.js";

const { embedding, dtypes, nearest, pca, similarity, statistics } = phasor;

const DTYPES = /** @type {const} */ (["float32", "float16", "bfloat16", "int8"]);
const ROUNDED = DTYPES.slice(1);
const METRICS = /** @type {const} */ (["dot", "cosine", "euclidean"]);
const STORED = /** @type {const} */ ({
  float32: "float32",
  float16: "float16",
  bfloat16: "bfloat16",
});

/** @param {number} V @param {number} D @param {number} [seed] */
const vectors = (V, D, seed) => new Tensor(noise(V * D, seed), [V, D]);

/** Round half to even, as rint. @param {number} x */
function nearestWhole(x) {
  const low = Math.floor(x);
  if (x - low !== 0.5) return Math.round(x);
  return low % 2 === 0 ? low : low + 1;
}

/** A row of int8, by the definition. @param {Float32Array} row */
function throughInt8(row) {
  const largest = row.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const scale = Math.fround(largest / 127);
  return row.map((x) => {
    const code = scale > 0 ? nearestWhole(x / scale) : 0;
    return Math.fround(scale * Math.max(-127, Math.min(127, code))) + 0; // a code has no -0
  });
}

/** What a dtype keeps of rows. @param {Tensor} rows @param {typeof DTYPES[number]} dtype */
function kept(rows, dtype) {
  if (dtype !== "int8") return dtypes.decode(dtypes.encode(rows, STORED[dtype]));
  const [V, D] = rows.shape;
  const data = new Float32Array(V * D);
  for (let v = 0; v < V; ++v) {
    data.set(throughInt8(rows.data.subarray(v * D, (v + 1) * D)), v * D);
  }
  return new Tensor(data, [V, D]);
}

/** @param {Tensor} rows @param {ArrayLike<number>} ids */
function some(rows, ids) {
  const D = rows.shape[1];
  const data = new Float32Array(ids.length * D);
  Array.from(ids).forEach((id, t) => data.set(rows.data.subarray(id * D, (id + 1) * D), t * D));
  return new Tensor(data, [ids.length, D]);
}

describe("embedding.quantize", () => {
  for (const dtype of DTYPES) {
    test(`embedding.quantize stores rows as ${dtype}, written at once or in pieces`, () => {
      const rows = vectors(700, 150, 3); // more than one tile
      rows.data.fill(0, 150, 300);
      rows.data.set([1e-44, 2e-45, -3e-45], 300);
      rows.data.fill(0, 303, 450);
      const want = kept(rows, dtype);
      const whole = embedding.quantize(rows, { dtype });
      assert.deepEqual(whole.weights(), want);
      assert.deepEqual([whole.vocabulary, whole.dim, whole.dtype], [700, 150, dtype]);
      const pieces = embedding.zeros(700, 150, { dtype });
      assert.ok(pieces.weights().data.every((x) => x === 0));
      pieces.write(600, rows.slice(600));
      pieces.write(0, rows.slice(0, 600));
      pieces.write(700, { data: [], shape: [0, 150] });
      assert.deepEqual(pieces.weights(), want);
      const ids = [
        [699, 0],
        [1, 1],
      ];
      assert.deepEqual(pieces.lookup(ids), new Tensor(some(want, ids.flat()).data, [2, 2, 150]));
      const scaled = pieces.lookup(5, { scale: 2 });
      assert.deepEqual(
        scaled.data,
        want.row(5).data.map((x) => 2 * x),
      );
    });

    test(`embedding.quantize as ${dtype} accepts rows as files store them`, () => {
      const rows = vectors(300, 256, 4);
      for (const format of /** @type {const} */ (["float32", "float16", "bfloat16"])) {
        const stored = dtypes.encode(rows, format);
        const table = embedding.quantize(stored, { dtype });
        assert.deepEqual(table.weights(), kept(dtypes.decode(stored), dtype));
      }
      const bytes = Uint8Array.from({ length: 300 * 144 }, (_, i) => (i * 37 + 11) & 0x3b);
      const blocks = { bytes, dtype: "Q4_K", shape: [300, 256] };
      const table = embedding.zeros(400, 256, { dtype });
      table.write(100, blocks);
      assert.deepEqual(table.weights().slice(100), kept(dtypes.decode(blocks), dtype));
    });
  }

  test("embedding.quantize stores a file's own format bit by bit, NaN too", () => {
    const bits = Uint16Array.from({ length: 65536 }, (_, k) => k);
    const stored = { bytes: bits, dtype: "float16", shape: [256, 256] };
    const table = embedding.quantize(stored, { dtype: "float16" });
    const words = (/** @type {Tensor} */ x) => new Uint32Array(x.data.buffer);
    assert.deepEqual(words(table.weights()), words(dtypes.decode(stored)));
    const exact = embedding.zeros(8, 8, { dtype: "float16" });
    exact.write(0, dtypes.encode(vectors(8, 8), "float16"));
    assert.deepEqual(nearest(exact, exact.lookup(3), { k: 4 }).recall?.data[0], 1);
  });

  test("embedding.quantize reports its size: GPT-2's table takes 38 MiB as int8, 147 as float32", () => {
    const table = embedding.zeros(100, 768, { dtype: "int8" });
    assert.equal(table.byteLength, 100 * (768 + 20));
    assert.equal(embedding.zeros(100, 768).byteLength, 100 * (4 * 768 + 20));
    assert.equal(Math.ceil((50257 * (768 + 20)) / 2 ** 20), 38);
  });

  test("embedding.quantize stores GPT-2's 50,257 x 768 as int8 in 48 MiB, and finds a planted row", async () => {
    const own = await load({ shared: false });
    const [V, D] = [50257, 768];
    const table = own.embedding.zeros(V, D, { dtype: "int8" });
    for (let first = 0; first < V; first += 5000) {
      const N = Math.min(5000, V - first);
      table.write(first, { data: noise(N * D, first + 1), shape: [N, D] });
    }
    const words = table.lookup([7, 40000]);
    table.write(
      123,
      words.data.subarray(0, D).map((x, d) => x + (d % 2 ? 0.1 : -0.1)),
    );
    const { ids, recall } = own.nearest(table, words, { k: 2 });
    assert.equal(ids.at(0, 0), 7);
    assert.equal(ids.at(0, 1), 123);
    assert.equal(ids.at(1, 0), 40000);
    assert.ok(recall && recall.at(0) === 1 && recall.at(1) >= 0.5);
    assert.ok(table.byteLength <= 38 * 2 ** 20);
    table.dispose();
  });

  test("embedding.quantize rejects non-finite values for int8, and keeps the earlier rows", () => {
    const table = embedding.zeros(3, 2, { dtype: "int8" });
    const message =
      "QuantizedTable.write: rows must contain finite numbers for int8; got NaN for row 2";
    assert.throws(
      () =>
        table.write(0, [
          [1, 2],
          [3, 4],
          [5, NaN],
        ]),
      { name: "RangeError", message },
    );
    assert.deepEqual(table.weights().toArray()[0], [Math.fround(Math.fround(2 / 127) * 64), 2]);
    const stored = dtypes.encode([[1, Infinity]], "float16");
    assert.throws(
      () => table.write(1, stored),
      /rows must contain finite numbers .* Infinity for row 1/,
    );
    assert.throws(() => embedding.quantize(stored, { dtype: "int8" }), RangeError);
  });

  test("embedding.quantize throws DisposedError after dispose(), wherever it is passed; a second call has no effect", () => {
    const table = embedding.quantize(vectors(4, 2), { dtype: "int8" });
    table.dispose();
    table.dispose();
    for (const call of [
      () => table.lookup(0),
      () => table.weights(),
      () => table.write(0, [[1, 2]]),
      () => nearest(table, [1, 2]),
      () => nearest.candidates(table, [1, 2]),
      () => similarity.matrix(table),
      () => statistics.norms(table),
      () => pca(table),
    ]) {
      assert.throws(call, DisposedError);
    }
    const late = embedding.zeros(4, 2, { dtype: "int8" });
    const trap = /** @type {any} */ ({
      get shape() {
        late.dispose();
        return [1, 2];
      },
      data: [1, 2],
    });
    assert.throws(() => late.write(0, trap), DisposedError);
  });

  test("embedding.quantize beyond the memory throws OutOfMemoryError, and the next call works", () => {
    assert.throws(() => embedding.zeros(2 ** 31 - 1, 2 ** 10, { dtype: "int8" }), OutOfMemoryError);
    assert.equal(embedding.zeros(1, 1).lookup(0).data[0], 0);
  });
});

describe("tables as arguments for vectors", () => {
  const rows = vectors(500, 140, 5); // more than one tile
  const queries = vectors(3, 140, 6);
  const tables = [
    ["embedding.create", embedding.from(rows)],
    ["embedding.create on demand", embedding.create(500, 140, { storage: "on-demand", seed: 4 })],
    ...DTYPES.map((dtype) => [
      `embedding.quantize as ${dtype}`,
      embedding.quantize(rows, { dtype }),
    ]),
  ];
  for (const [name, given] of tables) {
    const table = /** @type {import("phasor").QuantizedTable} */ (given);
    test(`${name} of a table equals that of its weights, bit for bit`, () => {
      const weights = table.weights();
      for (const metric of METRICS) {
        const { ids, scores } = nearest(table, queries, { metric, k: 7, exclude: [3] });
        assert.deepEqual(
          { ids, scores },
          nearest(weights, queries, { metric, k: 7, exclude: [3] }),
        );
        assert.deepEqual(
          similarity.matrix(queries, table, { metric }),
          similarity.matrix(queries, weights, { metric }),
        );
      }
      assert.deepEqual(nearest.analogy(table, [1, 2, 3]), nearest.analogy(weights, [1, 2, 3]));
      const [one, other] = [nearest.index(table), nearest.index(weights)];
      assert.deepEqual(one.search(queries), other.search(queries));
      assert.deepEqual(similarity.matrix(table), similarity.matrix(weights));
      assert.deepEqual(similarity.matrix(table, table), similarity.matrix(weights));
      assert.deepEqual(similarity.rows(table, rows), similarity.rows(weights, rows));
      assert.deepEqual(statistics.norms(table), statistics.norms(weights));
      assert.deepEqual(statistics.summary(table), statistics.summary(weights));
      assert.deepEqual(statistics.singularValues(table), statistics.singularValues(weights));
      assert.equal(statistics.effectiveRank(table), statistics.effectiveRank(weights));
      const { project, ...found } = pca(table, { components: 4 });
      const { project: same, ...want } = pca(weights, { components: 4 });
      assert.deepEqual(found, want);
      assert.deepEqual(project(table), same(weights));
    });
  }

  test("pca of a table with fewer rows than columns equals that of its weights", () => {
    const wide = vectors(60, 1500, 8);
    const table = embedding.quantize(wide, { dtype: "int8" });
    const { project: _, ...found } = pca(table, { components: 3 });
    const { project: __, ...want } = pca(table.weights(), { components: 3 });
    assert.deepEqual(found, want);
  });

  test("pca of a table names the first number that is not finite", () => {
    const table = embedding.quantize(rows, { dtype: "float16" });
    table.write(499, [[...rows.data.slice(0, 139), 1e9]]);
    const message = `pca: x must contain finite numbers; got Infinity at ${500 * 140 - 1}`;
    assert.throws(() => pca(table), { message });
  });

  test("a table of another load() is read through its weights", async () => {
    const { nearest: other } = await load({ shared: false });
    const table = embedding.quantize(rows, { dtype: "int8" });
    const { ids, scores } = nearest(table, queries);
    assert.deepEqual(other(table, queries), { ids, scores });
  });
});

describe("nearest of quantized rows", () => {
  /**
   * Rows that are hard to tell apart: equal ones, ones that rounding turns round, large and small ones.
   * @param {number} V @param {number} D @param {number} seed
   */
  function deceiving(V, D, seed) {
    const rows = vectors(V, D, seed);
    for (let v = 0; v < V; ++v) {
      const row = rows.data.subarray(v * D, (v + 1) * D);
      if (v % 5 === 1) row.set(rows.data.subarray(D, 2 * D));
      if (v % 5 === 2) row.set(rows.data.subarray(2 * D, 3 * D).map((x) => x * (1 + v * 1e-5)));
      if (v % 40 === 3) row.forEach((x, d) => (row[d] = x * 1e3));
      if (v % 40 === 4) row.forEach((x, d) => (row[d] = x * 1e-43));
      if (v % 40 === 14) row.fill(0);
    }
    return rows;
  }

  test("certain results are among the nearest of the original rows; recall is their share", () => {
    let certainOnes = 0;
    let all = 0;
    for (const [V, D] of [
      [900, 3],
      [900, 100],
    ]) {
      for (const rows of [vectors(V, D, 11), deceiving(V, D, 12)]) {
        const queries = vectors(6, D, 13);
        queries.data.set(rows.data.subarray(0, D));
        queries.data.fill(0, D, 2 * D);
        for (const dtype of ROUNDED) {
          const table = embedding.quantize(rows, { dtype });
          for (const metric of METRICS) {
            const options = { metric, k: 12, exclude: [5, 6] };
            const { ids, certain, recall } = nearest(table, queries, options);
            const want = nearest(rows, queries, options).ids;
            assert.ok(certain && recall);
            assert.deepEqual(certain.shape, [6, 12]);
            assert.equal(certain.dtype, "uint8");
            for (let q = 0; q < 6; ++q) {
              const truth = new Set(want.row(q).data);
              const found = ids.row(q).data;
              let sum = 0;
              certain.row(q).data.forEach((one, j) => {
                sum += one;
                assert.ok(one === 0 || truth.has(found[j]));
              });
              assert.equal(recall.at(q), Math.fround(sum / 12));
              certainOnes += sum;
              all += 12;
            }
          }
        }
      }
    }
    assert.ok(certainOnes > all / 4, `${certainOnes} of ${all}`); // it is not for saying nothing
  });

  test("many queries over several tiles of rows are as certain as each query alone", () => {
    const [V, D, Q] = [2500, 64, 8];
    for (const rows of [vectors(V, D, 31), deceiving(V, D, 32)]) {
      const queries = vectors(Q, D, 33);
      for (const dtype of ROUNDED) {
        const table = embedding.quantize(rows, { dtype });
        for (const metric of METRICS) {
          const options = { metric, k: 20 };
          const { certain, recall, ...found } = nearest(table, queries, options);
          assert.ok(certain && recall);
          for (let q = 0; q < Q; ++q) {
            const one = nearest(table, queries.row(q), options);
            /** @type {Record<"ids" | "scores" | "certain", import("phasor").Tensor<any>>} */
            const all = { ids: found.ids, scores: found.scores, certain };
            for (const name of /** @type {const} */ (["ids", "scores", "certain"])) {
              assert.deepEqual(
                all[name].row(q).data,
                one[name]?.data,
                `${dtype} ${metric} ${name}`,
              );
            }
            assert.equal(recall.at(q), one.recall?.data[0]);
          }
          const together = new Set(nearest.candidates(table, queries, options).data);
          const each = Array.from({ length: Q }, (_, q) => nearest.candidates(table, queries.row(q), options).data); // prettier-ignore
          assert.deepEqual(
            together,
            new Set(each.flatMap((ids) => [...ids]).sort((a, b) => a - b)),
          );
        }
      }
    }
  });

  test("nearest.candidates leads to the exact search, bit for bit", () => {
    for (const rows of [vectors(3000, 60, 21), deceiving(3000, 60, 22)]) {
      for (const dtype of ROUNDED) {
        const table = embedding.quantize(rows, { dtype });
        for (const metric of METRICS) {
          const queries = vectors(4, 60, 23);
          const options = { metric, k: 10, exclude: [1, 7] };
          const ids = nearest.candidates(table, queries, options);
          assert.ok(ids.data.every((id, i) => i === 0 || id > ids.data[i - 1]));
          assert.ok(!ids.data.includes(7));
          const exact = nearest(some(rows, ids.data), queries, { ...options, ids });
          assert.deepEqual(exact, nearest(rows, queries, options));
        }
      }
    }
  });

  test("nearest.candidates of exact rows are the nearest, including ties with the last", () => {
    const rows = [[3], [1], [2], [2], [0]];
    const found = (/** @type {number} */ k) =>
      nearest.candidates(rows, [1], { k, metric: "dot" }).toArray();
    assert.deepEqual(found(1), [0]);
    assert.deepEqual(found(2), [0, 2, 3]);
    assert.deepEqual(found(9), [0, 1, 2, 3, 4]);
    assert.deepEqual(nearest.candidates(rows, { data: [], shape: [0, 1] }).shape, [0]);
    const many = vectors(3000, 8, 24);
    for (const metric of METRICS) {
      const options = { k: 12, metric };
      const { ids } = nearest(many, many.row(7), options);
      assert.deepEqual(
        nearest.candidates(many, many.row(7), options).data,
        ids.data.slice().sort(),
      );
    }
  });

  test("nearest with ids returns those ids, and excludes by them", () => {
    const rows = [[3], [1], [2]];
    const options = { ids: [10, 20, 30], metric: /** @type {const} */ ("dot") };
    assert.deepEqual(nearest(rows, [1], options).ids.toArray(), [10, 30, 20]);
    assert.deepEqual(nearest(rows, [1], { ...options, exclude: [10, 11] }).ids.toArray(), [30, 20]);
    for (const ids of [
      [1, 2],
      [1, 1, 2],
      [3, 2, 1],
      [-1, 0, 1],
    ]) {
      assert.throws(() => nearest(rows, [1], { ids }), /^RangeError: \S+: ids must .+; got /);
    }
    const last = 2 ** 31 - 1;
    const far = { ...options, ids: [10, 20, last], exclude: last };
    assert.deepEqual(nearest(rows, [1], far).ids.toArray(), [10, 20]);
    assert.throws(
      () => nearest(rows, [1], { ...far, exclude: 2 ** 31 }),
      /^RangeError: \S+: exclude must be whole numbers from 0 to 2147483647; got 2147483648 at 0$/,
    );
    assert.throws(
      () => nearest(rows, [1], { ids: [1, 2, 2 ** 31] }),
      /ids must .* to 2147483647; got/,
    );
  });

  test("a search with k equal to the number of rows is certain; one of float32 reports no certainty", () => {
    const table = embedding.quantize(vectors(9, 4), { dtype: "int8" });
    assert.deepEqual(nearest(table, [1, 2, 3, 4]).recall?.toArray(), 1);
    const none = nearest(table, { data: [], shape: [0, 4] });
    assert.deepEqual(none.recall?.shape, [0]);
    assert.deepEqual(
      nearest(table, [1, 2, 3, 4], { exclude: [0, 1, 2, 3, 4, 5, 6, 7, 8] }).recall?.data,
      Float32Array.of(1),
    );
    const exact = embedding.quantize(vectors(9, 4));
    assert.deepEqual(Object.keys(nearest(exact, [1, 2, 3, 4])), ["ids", "scores"]);
  });
});

const rows = [
  [1, 2],
  [3, 4],
];

/** @param {any} value */
function hasBytes(value) {
  try {
    return "bytes" in value;
  } catch {
    return false;
  }
}

WRONG.weightsOrStored = [...WRONG.tensor, ...WRONG.file.filter(hasBytes), []];
WRONG.rowsOrStored = [
  ...WRONG.weightsOrStored,
  ...[
    [[1]],
    [[1, 2, 3]],
    [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
  ],
];
const STORED_NAMES = /** @type {const} */ (["rows", "rows.shape", "bytes", "dtype", "shape"]);
declaredBattery("embedding.zeros", { vocabulary: 2, dim: 2 }, { vocabulary: ["size"] }, (made) =>
  made.weights(),
);
declaredBattery(
  "embedding.quantize",
  { weights: rows },
  { weights: ["weightsOrStored", "weights", "bytes", "dtype", "shape"] },
  (made) => made.weights(),
);
battery("embedding.quantize write", {
  called: "QuantizedTable.write",
  call: ({ first, rows }) => {
    const table = embedding.zeros(2, 2, { dtype: "int8" });
    table.write(first, rows);
    return table.weights();
  },
  good: { first: 0, rows },
  args: { first: ["count"], rows: ["rowsOrStored", ...STORED_NAMES] },
});
const table = embedding.quantize(rows, { dtype: "int8" });
declaredBattery(
  "nearest.candidates",
  { vectors: table, queries: [1, 2] },
  { queries: ["tensor"], exclude: ["tokenIds"], ids: ["tokenIds"] },
);
