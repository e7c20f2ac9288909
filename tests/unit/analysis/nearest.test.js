import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { safetensors } from "phasor/files";
import { battery, declaredBattery, WRONG } from "../battery.js";
import { cases } from "../../truth/golden.js";
import { DisposedError, load, OutOfMemoryError, phasor } from "../../phasor.js";
import { everyNth } from "../../sample.js";
import { watched } from "../watched.js";
import { compare, ranking } from "../reference/geometry.js";
import { noise, numbers } from "../reference/samples.js";

const { nearest, embedding, similarity } = phasor;
const METRICS = /** @type {const} */ (["dot", "cosine", "euclidean"]);

/** @param {number} V @param {number} D @param {number} [seed] */
const vectors = (V, D, seed) => ({ data: noise(V * D, seed), shape: [V, D] });

/** @param {{data: Float32Array, shape: number[]}} table */
const rowsOf = ({ data, shape: [V, D] }) =>
  Array.from({ length: V }, (_, v) => data.subarray(v * D, (v + 1) * D));

/**
 * Rows of eight kinds: even, heavy tails, clusters, a common mean, one large column, few different rows,
 * rows that float32 sums cannot tell apart, and tiny ones.
 * @param {number} V @param {number} D
 * @returns {Record<string, Float32Array>}
 */
function kindsOfRows(V, D) {
  const centers = noise(7 * D, 9);
  /** @param {(x: number, v: number, d: number) => number} rule */
  const rows = (rule) => noise(V * D, 8).map((x, i) => rule(x, Math.floor(i / D), i % D));
  return {
    even: rows((x) => x),
    heavy: rows((x) => x / (0.01 + Math.abs(x) ** 3)),
    clusters: rows((x, v, d) => centers[(v % 7) * D + d] + 0.03 * x),
    mean: rows((x, _, d) => 5 * centers[d] + x),
    column: rows((x, _, d) => (d === 7 ? 50 * x : x)),
    equal: rows((_, v, d) => centers[(v % 7) * D + d]),
    close: rows((x, _, d) => centers[d] + 1e-7 * x),
    tiny: rows((x, v) => x * (v % 3 ? 1e-20 : 1e-39)),
  };
}

describe("nearest: equal scores", () => {
  test("are equal in double and are ordered by the lower id", () => {
    const rows = [[2, 0], [4, 0], [0, 1], [1, 0], [3, 0]]; // prettier-ignore
    assert.deepEqual(nearest(rows, [1, 0]).ids.toArray(), [0, 1, 3, 4, 2]);
    assert.deepEqual(nearest(rows, [0, 0], { metric: "dot" }).ids.toArray(), [0, 1, 2, 3, 4]);
  });

  test("by the formula differ in the last bit of the double and are ordered by it", () => {
    const query = [1, 1, 0];
    const score = (/** @type {number[]} */ [x, y, z]) =>
      (x + y) / Math.sqrt((x * x + y * y + z * z) * 2); // both are 1 / sqrt(2)
    const [a, b] = [[1, 0, 0], [2, 1, -2]]; // prettier-ignore
    assert.ok(score(b) > score(a));
    for (const rows of [
      [a, b],
      [b, a],
    ]) {
      // prettier-ignore
      const { ids, scores } = nearest(rows, query);
      assert.deepEqual(ids.toArray().map((/** @type {number} */ id) => rows[id]), [b, a]); // prettier-ignore
      assert.deepEqual(scores.toArray(), [Math.fround(Math.SQRT1_2), Math.fround(Math.SQRT1_2)]);
    }
  });
});

describe("nearest against NumPy", () => {
  for (const { id, params, inputs, outputs } of cases("topk", 6)) {
    test(`nearest equals ${id}, and so does an index`, () => {
      const metric = params.metric === "l2" ? "euclidean" : params.metric;
      const index = nearest.index(inputs.x);
      for (const got of [
        nearest(inputs.x, inputs.queries, { k: params.k, metric }),
        index.search(inputs.queries, { k: params.k, metric }),
      ]) {
        assert.deepEqual(got.ids.shape, outputs.indices.shape);
        assert.deepEqual(numbers(got.ids), numbers(outputs.indices));
        numbers(got.scores).forEach((x, i) => {
          // both are rounded to float32: half a ULP each
          assert.ok(
            Math.abs(x - Number(outputs.values.data[i])) <= 2 ** -23 * Math.max(x, 2 ** -3),
          );
        });
      }
      index.dispose();
    });
  }

  for (const { id, params, inputs, outputs } of cases("analogy", 2)) {
    test(`nearest.analogy equals ${id}, and so does an index`, () => {
      assert.equal(params.method, "3cosadd");
      const options = { k: params.k, normalize: params.vectors === "normalized" };
      const index = nearest.index(inputs.x);
      for (const got of [
        nearest.analogy(inputs.x, inputs.triples, options),
        index.analogy(inputs.triples, options),
      ]) {
        assert.deepEqual(got.ids.shape, outputs.indices.shape);
        assert.deepEqual(numbers(got.ids), numbers(outputs.indices));
        numbers(got.scores).forEach((x, i) => {
          assert.ok(Math.abs(x - Number(outputs.values.data[i])) <= 2 ** -23);
        });
      }
      index.dispose();
    });
  }
});

describe("nearest", () => {
  test("nearest equals a full sort, over many tiles and queries, with equal rows", () => {
    for (const [V, D, Q] of [
      [1, 1, 1],
      [900, 300, 4], // vectors in tiles
      [70, 5, 9000], // queries in tiles
      [300, 7, 3],
    ]) {
      const table = vectors(V, D, 5);
      for (let v = 20; v < V; v += 20) table.data.copyWithin(v * D, 10 * D, 11 * D);
      const queries = vectors(Q, D, 6);
      queries.data.copyWithin(0, table.data.length >= 11 * D ? 0 : 0, D);
      const rows = rowsOf(table);
      const index = nearest.index(table);
      for (const metric of METRICS) {
        for (const exclude of [[], [V - 1, 0, 10, 0].filter((id) => id < V - 1)]) {
          const got = nearest(table, queries, { k: 12, metric, exclude });
          assert.deepEqual(index.search(queries, { k: 12, metric, exclude }), got);
          const k = Math.min(12, V - new Set(exclude).size);
          assert.deepEqual(got.ids.shape, [Q, k]);
          for (let q = 0; q < Q; q += Math.ceil(Q / 5)) {
            const query = queries.data.subarray(q * D, (q + 1) * D);
            const want = ranking(rows, query, metric, exclude).slice(0, k);
            assert.deepEqual(got.ids.row(q).toArray(), want);
            const scores = want.map((id) => compare(query, rows[id], metric));
            numbers(got.scores.row(q)).forEach((x, j) => {
              assert.ok(Math.abs(x - scores[j]) <= 2 ** -24 * Math.abs(scores[j]) + 1e-12);
            });
          }
        }
      }
      index.dispose();
    }
  });

  test("nearest of wide rows equals nearest of a few rows at a time, on eight kinds of rows", () => {
    const [V, D] = [700, 101];
    const isTaken = everyNth(5);
    for (const [kind, data] of Object.entries(kindsOfRows(V, D))) {
      const parts = Array.from({ length: Math.ceil(V / 50) }, (_, i) => {
        const part = data.subarray(i * 50 * D, (i + 1) * 50 * D);
        return { data: part, shape: [part.length / D, D] };
      });
      const table = { data, shape: [V, D] };
      for (const form of ["tensor", "index", "int8"]) {
        const kept = form === "int8" ? embedding.quantize(table, { dtype: "int8" }) : table;
        const index = nearest.index(table);
        for (const metric of METRICS) {
          for (const Q of [1, 2, 33].filter(isTaken)) {
            const queries = { data: noise(Q * D, Q), shape: [Q, D] };
            queries.data.forEach((x, i, all) => (all[i] = x + data[i + 3 * D]));
            // 50 rows are fewer than what is compared in double at once
            const scores = Array.from({ length: Q }, () => new Float32Array(V));
            parts.forEach((part, i) => {
              const few = form === "int8" ? embedding.quantize(part, { dtype: "int8" }) : part;
              const all = nearest(few, queries, { k: 50, metric });
              all.scores.data.forEach((score, at) => {
                scores[Math.floor(at / 50)][50 * i + all.ids.data[at]] = score;
              });
            });
            for (const k of Q === 2 ? [1, 10, V - 2] : [10]) {
              const options = { k, metric, exclude: [5, 600] };
              const found =
                form === "index" ? index.search(queries, options) : nearest(kept, queries, options);
              for (let q = 0; q < Q; ++q) {
                const ids = found.ids.row(q).toArray();
                assert.equal(new Set(ids).size, k);
                assert.ok(!ids.includes(5) && !ids.includes(600));
                const own = ids.map((/** @type {number} */ id) => scores[q][id]);
                assert.deepEqual(own, found.scores.row(q).toArray());
                const order = metric === "euclidean" ? 1 : -1;
                const best = scores[q].filter((_, id) => id !== 5 && id !== 600).sort();
                if (order < 0) best.reverse();
                assert.deepEqual(own, Array.from(best.subarray(0, k)), `${kind} ${form} ${metric}`);
              }
            }
          }
        }
        index.dispose();
      }
    }
  });

  test("nearest accepts rows of any width", () => {
    for (const D of [2 ** 16, 2 ** 16 + 1]) {
      const table = { data: noise(130 * D, 2), shape: [130, D] };
      const query = table.data.subarray(100 * D, 101 * D);
      for (const rows of [table, embedding.quantize(table, { dtype: "int8" })]) {
        const { ids, scores } = nearest(rows, query, { k: 2 });
        assert.equal(ids.at(0), 100);
        assert.ok(scores.at(0) > 0.999 && scores.at(1) < 0.1);
      }
    }
  });

  test("nearest ranks rows of NaN last among wide rows, too", () => {
    const [V, D] = [300, 101];
    const data = noise(V * D, 4);
    for (const row of [3, 80, 81, 299]) data[row * D + (row % D)] = NaN;
    for (const metric of METRICS) {
      const { ids, scores } = nearest({ data, shape: [V, D] }, noise(D), { k: V, metric });
      assert.deepEqual(ids.toArray().slice(-4), [3, 80, 81, 299]);
      assert.ok(scores.toArray().slice(-4).every(Number.isNaN));
      const few = nearest({ data, shape: [V, D] }, noise(D), { k: 7, metric });
      assert.deepEqual(few.ids.toArray(), ids.toArray().slice(0, 7));
    }
  });

  test("nearest returns the scores of similarity, bit for bit", () => {
    const [table, queries] = [vectors(40, 30, 1), vectors(3, 30, 2)];
    for (const metric of METRICS) {
      const { ids, scores } = nearest(table, queries, { k: 40, metric });
      const all = similarity.matrix(queries, table, { metric });
      for (let q = 0; q < 3; ++q) {
        for (let j = 0; j < 40; ++j) assert.equal(scores.at(q, j), all.at(q, ids.at(q, j)));
      }
    }
  });

  test("nearest ranks scores that are equal in float32 by their values in double", () => {
    const table = [
      [1, 2 ** -20],
      [1, 2 ** -21],
      [1, 0],
    ]; // cosines 1 - 4.5e-13, 1 - 1.1e-13, 1
    const { ids, scores } = nearest(table, [1, 0]);
    assert.deepEqual(ids.toArray(), [2, 1, 0]);
    assert.deepEqual(scores.toArray(), [1, 1, 1]);
  });

  test("nearest returns all rows if k is larger, and keeps the queries' axes", () => {
    const table = [[1], [2], [3]];
    const got = nearest(table, [1], { k: 100, metric: "dot" });
    assert.deepEqual(got.ids.toArray(), [2, 1, 0]);
    assert.deepEqual(got.scores.toArray(), [3, 2, 1]);
    assert.equal(got.ids.dtype, "int32");
    const many = nearest(table, { data: new Float32Array(12), shape: [3, 4, 1] }, { k: 2 });
    assert.deepEqual(many.ids.shape, [3, 4, 2]);
    assert.deepEqual(nearest(table, { data: [], shape: [0, 1] }).ids.shape, [0, 3]);
    assert.deepEqual(nearest(table, [1], { exclude: [0, 1, 2, 2] }).ids.shape, [0]);
    assert.deepEqual(nearest(table, [1], { exclude: 2 }).ids.toArray(), [0, 1]);
    assert.deepEqual(nearest({ data: [], shape: [0, 1] }, [1]).ids.shape, [0]);
  });

  test("nearest ranks rows of NaN last and gives rows of zeros cosine 0", () => {
    const table = [
      [NaN, 1],
      [0, 0],
      [-1, 0],
      [NaN, NaN],
      [1, 1],
    ];
    const { ids, scores } = nearest(table, [1, 0]);
    assert.deepEqual(ids.toArray(), [4, 1, 2, 0, 3]);
    assert.deepEqual(scores.toArray(), [Math.fround(Math.SQRT1_2), 0, -1, NaN, NaN]);
    assert.deepEqual(nearest(table, [0, 0]).ids.toArray(), [1, 2, 4, 0, 3]);
    assert.deepEqual(nearest(table, [NaN, 0]).ids.toArray(), [0, 1, 2, 3, 4]);
  });

  test("nearest accepts an embedding table", () => {
    for (const storage of /** @type {const} */ (["resident", "on-demand"])) {
      const table = embedding.create(50, 8, { seed: 3, storage });
      const query = table.lookup(17);
      assert.deepEqual(nearest(table, query), nearest(table.weights(), query));
      assert.equal(nearest(table, query, { k: 1 }).ids.at(0), 17);
      assert.equal(nearest.index(table).search(query, { k: 1 }).ids.at(0), 17);
      assert.deepEqual(
        nearest.analogy(table, [1, 2, 3]),
        nearest.analogy(table.weights(), [1, 2, 3]),
      );
    }
  });

  test("nearest finds related tokens in a small table", () => {
    const words = ["cat", "dog", "bird", "the", "seven"];
    const table = [
      [0.8, 0.3, -0.2, 0.5],
      [0.7, 0.4, -0.1, 0.6],
      [0.6, 0.5, -0.3, 0.4],
      [-0.1, -0.8, 0.9, -0.3],
      [-0.2, 0.6, 0.1, 0.8],
    ];
    const to = (/** @type {number} */ id) =>
      nearest(table, table[id], { exclude: id })
        .ids.toArray()
        .map((/** @type {number} */ at) => words[at]);
    assert.deepEqual(to(0), ["dog", "bird", "seven", "the"]);
    assert.deepEqual(to(1).slice(0, 2), ["cat", "bird"]);
    assert.equal(to(4)[0], "dog");
  });
});

describe("nearest.analogy", () => {
  const table = { data: noise(60 * 6, 9), shape: [60, 6] };

  test("nearest.analogy excludes a, b, c and the ids in exclude", () => {
    const rows = rowsOf(table);
    const unit = rows.map((row) => {
      const length = compare(row, new Float32Array(6), "euclidean");
      return Array.from(row, (x) => x / length);
    });
    for (const [normalize, parts] of /** @type {const} */ ([
      [false, rows],
      [true, unit],
    ])) {
      const [a, b, c] = [3, 9, 40];
      const target = Array.from(parts[b], (x, d) => x - parts[a][d] + parts[c][d]);
      for (const metric of METRICS) {
        const options = { normalize, metric, k: 100, exclude: [7, 9] };
        const got = nearest.analogy(table, [a, b, c], options);
        assert.deepEqual(got.ids.toArray(), ranking(rows, target, metric, [a, b, c, 7]));
      }
    }
  });

  test("nearest.analogy accepts triples of any shape and treats each separately", () => {
    const triples = Array.from({ length: 2000 }, (_, t) => [
      t % 60,
      (7 * t + 1) % 60,
      (t * t) % 60,
    ]);
    const all = nearest.analogy(table, [triples], { k: 3 });
    assert.deepEqual(all.ids.shape, [1, 2000, 3]);
    for (let t = 0; t < 2000; t += 211) {
      const one = nearest.analogy(table, triples[t], { k: 3 });
      assert.deepEqual(all.ids.row(0).row(t).toArray(), one.ids.toArray());
      assert.deepEqual(all.scores.row(0).row(t).toArray(), one.scores.toArray());
    }
  });

  test("nearest.analogy limits k to the rows left by the triple with the most distinct ids", () => {
    const small = [
      [1, 0],
      [0, 1],
      [1, 1],
      [2, 1],
    ];
    assert.deepEqual(nearest.analogy(small, [0, 0, 0]).ids.shape, [3]);
    assert.deepEqual(
      nearest.analogy(small, [
        [0, 0, 0],
        [0, 1, 2],
      ]).ids.shape,
      [2, 1],
    );
  });
});

/**
 * Rows of the site's own tables, moved off the grid of their int8 numbers: these would flatter an int8 copy.
 * @param {string} file @param {string} name @param {number} V  the first rows
 */
async function realRows(file, name, V) {
  const url = new URL(`../../../web/data/${file}.safetensors`, import.meta.url);
  const opened = await safetensors.read(await readFile(url));
  const { data, shape } = await opened.tensor(`${name}.weight`);
  const { data: scales } = await opened.tensor(`${name}.scale`);
  const D = shape[1];
  const rows = noise(V * D, 31).map((x, i) => (data[i] + x / 2) * scales[Math.floor(i / D)]);
  return { data: rows, shape: [V, D] };
}

describe("nearest.index with an int8 copy", () => {
  /** @param {{data: Float32Array, shape: number[]}} table @param {string} kind */
  const agrees = (table, kind) => {
    const [V, D] = table.shape;
    const [index, plain] = [nearest.index(table), nearest.index(table, { int8: false })];
    const rows = rowsOf(table);
    for (const metric of METRICS) {
      for (const Q of [1, 3, 9]) {
        const queries = { data: noise(Q * D, Q), shape: [Q, D] };
        if (Q > 1) queries.data.set(table.data.subarray(40 * D, 41 * D)); // a row itself
        queries.data.set(queries.data.map((x, i) => (i < D ? x : x + table.data[i + 3 * D])));
        for (const k of [1, 10]) {
          const found = index.search(queries, { k, metric });
          assert.deepEqual(found, plain.search(queries, { k, metric }), `${kind} ${metric} ${Q}`);
          const query = queries.data.subarray(0, D);
          const want = ranking(rows, query, metric, []).slice(0, k);
          assert.deepEqual(found.ids.row(0).toArray(), want, `${kind} ${metric} ${Q}`);
        }
      }
    }
    assert.deepEqual(index.analogy([3, 9, V - 1]), plain.analogy([3, 9, V - 1]));
    index.dispose();
    plain.dispose();
  };

  test("returns the ids and the bits of an exact search, on eight kinds of rows", () => {
    for (const [kind, data] of Object.entries(kindsOfRows(1500, 130))) {
      if (kind === "close" || kind === "tiny") continue; // ranking() is not to the last bit: below
      agrees({ data, shape: [1500, 130] }, kind);
    }
  });

  test("returns them for rows that differ only in double, with ties, zeros, NaN and infinities", () => {
    const [V, D] = [900, 128];
    const { close, tiny, equal } = kindsOfRows(V, D);
    const odd = noise(V * D, 3);
    for (let v = 0; v < V; v += 9) odd.copyWithin(v * D, 0, D);
    odd.fill(0, 77 * D, 79 * D);
    for (const [row, value] of /** @type {const} */ ([
      [80, NaN],
      [81, Infinity],
      [500, -Infinity],
      [899, 3e38],
    ])) {
      odd[row * D + (row % D)] = value;
    }
    for (const data of [close, tiny, equal, odd]) {
      const table = { data, shape: [V, D] };
      const [index, plain] = [nearest.index(table), nearest.index(table, { int8: false })];
      for (const metric of METRICS) {
        for (const k of [1, 11, 104, V]) {
          for (const query of [data.subarray(0, D), noise(D, 5), new Float32Array(D)]) {
            const options = { k, metric, exclude: [2, 500] };
            assert.deepEqual(index.search(query, options), plain.search(query, options));
          }
        }
      }
    }
  });

  test("returns them on MiniLM's and GloVe's rows", async () => {
    agrees(await realRows("minilm", "words", 4000), "MiniLM");
    agrees(await realRows("glove-10k-100d", "embedding", 4000), "GloVe");
  });

  test("takes a quarter more memory, and none for narrow rows", () => {
    const bytes = (/** @type {number} */ V, /** @type {number} */ D, options = {}) =>
      nearest.index(vectors(V, D), options).byteLength;
    assert.equal(bytes(100, 128, { int8: false }), 100 * (4 * 128 + 8));
    assert.equal(bytes(100, 128), 100 * (5 * 128 + 8 + 28) + 8 * 128 + 16);
    assert.equal(bytes(101, 63), Math.ceil((101 * 4 * 63) / 8) * 8 + 101 * 8);
    assert.equal(bytes(2, 64), 2 * (5 * 64 + 8 + 28) + 8 * 64 + 16);
    const widest = 2 ** 16;
    assert.equal(bytes(2, widest), 2 * (5 * widest + 8 + 28) + 8 * widest + 16);
    assert.equal(bytes(2, widest + 1), 2 * (4 * (widest + 1) + 8));
  });
});

describe("nearest: memory of many rows", () => {
  const [V, D] = [20000, 384];
  const room = 2 * 2 ** 20; // the core itself, and the working memory of calls

  test("an index takes at most 1.3 times its rows, also after a smaller one was disposed", async () => {
    const { bytes, nearest: own } = await watched();
    const rows = vectors(V, D);
    own.index({ data: rows.data.subarray(0, (V / 2) * D), shape: [V / 2, D] }).dispose();
    own.index(rows);
    assert.ok(bytes() <= 1.3 * V * D * 4 + room, `${bytes() / (V * D * 4)} of the rows`);
  });

  test("a table of 16 bits or int8, written in pieces, is searched in at most 1.2 times its memory", async () => {
    const [pieces, N] = [10, V / 10];
    for (const dtype of /** @type {const} */ (["float16", "int8"])) {
      const { bytes, nearest: search, embedding: own } = await watched();
      const table = own.zeros(V, D, { dtype });
      for (let i = 0; i < pieces; ++i) table.write(i * N, vectors(N, D, i + 1));
      const query = table.lookup(V - 7);
      assert.equal(search(table, query, { k: 1 }).ids.at(0), V - 7);
      // exact scores of the rows before rounding, of which only the candidates are needed
      const ids = search.candidates(table, query);
      const all = Array.from({ length: pieces }, (_, i) => rowsOf(vectors(N, D, i + 1))).flat();
      const some = Array.from(ids.data, (id) => all[id]);
      const exact = search(some, query, { ids });
      assert.deepEqual(exact.ids.toArray(), ranking(all, query.data, "cosine", []).slice(0, 10));
      assert.ok(bytes() <= 1.2 * table.byteLength + room, `${bytes() / table.byteLength}`);
    }
  });
});

describe("nearest.index", () => {
  test("nearest.index has a size and copies its vectors", () => {
    const table = vectors(5, 3, 1);
    const index = nearest.index(table);
    assert.deepEqual([index.vocabulary, index.dim], [5, 3]);
    const before = index.search([1, 2, 3]);
    table.data.fill(0);
    assert.deepEqual(index.search([1, 2, 3]), before);
  });

  test("nearest.index throws DisposedError after dispose(), and a second dispose has no effect", () => {
    const index = nearest.index([[1, 2]]);
    index.dispose();
    index.dispose();
    for (const call of [() => index.search([1, 2]), () => index.analogy([0, 0, 0])]) {
      assert.throws(call, (error) => {
        assert.ok(error instanceof DisposedError);
        assert.match(error.message, /^the index has been disposed$/);
        return true;
      });
    }
    const late = nearest.index([[1, 2]]);
    const trap = /** @type {any} */ ({
      get k() {
        late.dispose();
        return 1;
      },
    });
    assert.throws(() => late.search([1, 2], trap), DisposedError);
    if (Symbol.dispose) {
      const used = /** @type {any} */ (nearest.index([[1, 2]]));
      used[Symbol.dispose]();
      assert.throws(() => used.search([1, 2]), DisposedError);
    }
  });

  test("nearest.index releases its memory when it is garbage collected; a method alone keeps it", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    const outside = () => {
      const { external, arrayBuffers } = process.memoryUsage();
      return (external + arrayBuffers) / 2 ** 20;
    };
    const { nearest: own } = await load({ shared: false });
    const { search } = own.index({ data: new Float32Array(1e6).fill(3), shape: [1000, 1000] });
    const filler = { data: new Float32Array(1e6).fill(1), shape: [1000, 1000] }; // 4 MB
    const before = outside();
    for (let k = 0; k < 100; ++k) {
      own.index(filler);
      if (k % 5 > 0) continue;
      collect();
      await setTimeout(1); // finalizers run between tasks
    }
    assert.ok(outside() - before <= 200, `${outside() - before} MiB more`); // of 400
    const { scores } = search(new Float32Array(1000).fill(1), { metric: "dot", k: 1 });
    assert.equal(scores.at(0), 3000);
  });

  test("nearest.index larger than the memory throws OutOfMemoryError, and the next call works", () => {
    const huge = embedding.create(2 ** 31 - 1, 2 ** 10, { storage: "on-demand" });
    assert.throws(() => nearest.index(huge), OutOfMemoryError);
    assert.deepEqual(nearest([[1]], [1]).ids.toArray(), [0]);
  });
});

const table = [
  [1, 2],
  [3, 4],
  [5, 6],
  [7, -8],
];
const index = nearest.index(table);
WRONG.excluded = WRONG.ids.filter((value) => value !== undefined);

const SEARCH = /** @type {const} */ ({
  queries: ["tensor", "queries", "queries.shape"],
  $: ["options"],
  k: ["seed"],
  metric: ["word"],
  exclude: ["excluded", "exclude", "exclude.shape"],
});
const ANALOGY = /** @type {const} */ ({
  ...SEARCH,
  triples: ["ids", "triples", "triples.shape"],
  normalize: ["truth"],
});

declaredBattery(
  "nearest",
  { vectors: table, queries: [1, 2] },
  { queries: ["tensor"], exclude: ["excluded"] },
);

declaredBattery(
  "nearest.analogy",
  { vectors: table, triples: [0, 1, 2] },
  { triples: ["ids"], exclude: ["excluded"] },
);

battery("nearest.index", {
  call: ({ vectors, $ }) => nearest.index(vectors, $).search([1, 2]),
  good: { vectors: table },
  args: { vectors: ["tensor", "vectors", "vectors.shape"], $: ["options"], int8: ["truth"] },
});

battery("nearest.index search", {
  called: "NearestIndex.search",
  call: ({ queries, $ }) => index.search(queries, $),
  good: { queries: [1, 2] },
  args: SEARCH,
});

battery("nearest.index analogy", {
  called: "NearestIndex.analogy",
  call: ({ triples, $ }) => index.analogy(triples, $),
  good: { triples: [0, 1, 2] },
  args: (({ queries: _, ...args }) => args)(/** @type {any} */ (ANALOGY)),
});

test("nearest rejects arguments that do not fit together", () => {
  for (const [name, call] of /** @type {[string, () => unknown][]} */ ([
    ["queries", () => nearest(table, [1, 2, 3])],
    ["queries", () => nearest(table, [])],
    ["vectors", () => nearest([1, 2], [1, 2])],
    ["vectors", () => nearest([[]], [1])],
    ["k", () => nearest(table, [1, 2], { k: 0 })],
    ["exclude", () => nearest(table, [1, 2], { exclude: [4] })],
    ["triples", () => nearest.analogy(table, [0, 1])],
    ["triples", () => nearest.analogy(table, 0)],
    ["triples", () => nearest.analogy(table, [[0, 1, 2, 3]])],
    ["triples", () => nearest.analogy(table, [0, 1, 4])],
  ])) {
    assert.throws(call, new RegExp(`^RangeError: [\\w.]+: ${name} must .+; got `));
  }
});

/** The kinds of rows that parts are tested with: with ties, zeros, NaN and infinity. @param {number} V @param {number} D */
function mixedRows(V, D) {
  const { data } = vectors(V, D, 31);
  const copy = (/** @type {number} */ from, /** @type {number} */ to) =>
    data.copyWithin(to * D, from * D, (from + 1) * D);
  for (const row of [1, 40, 41, 77, V - 1]) copy(5, row);
  for (const row of [9, 50]) data.fill(0, row * D, (row + 1) * D);
  for (const row of [3, 60]) data[row * D + 1] = NaN;
  for (const row of [4, 61]) data[row * D + 2] = Infinity;
  return { data, shape: [V, D] };
}

/**
 * The k best of several results with keys: sorted by key, then by id, NaN last.
 * @param {import("phasor").Neighbors[]} found @param {number} q @param {number} k
 */
function joined(found, q, k) {
  const all = found.flatMap(({ ids, scores, sortKeys }) => {
    const width = ids.shape[ids.rank - 1];
    return Array.from({ length: width }, (_, j) => q * width + j)
      .filter((at) => ids.data[at] >= 0)
      .map((at) => ({ id: ids.data[at], score: scores.data[at], key: sortKeys?.data[at] ?? 0 }));
  });
  const rank = (/** @type {number} */ key) => (Number.isNaN(key) ? 1 : 0);
  all.sort((a, b) => rank(a.key) - rank(b.key) || (b.key > a.key ? 1 : b.key < a.key ? -1 : 0) || a.id - b.id); // prettier-ignore
  return all.slice(0, k);
}

describe("nearest: sort keys and parts of a table", () => {
  const [V, D] = [101, 130];
  const table = mixedRows(V, D);
  const cuts = [0, 6, 41, V];
  /** @param {object} [options] */
  const partsOf = (options) =>
    cuts.slice(1).map((to, i) => {
      const rows = { data: table.data.subarray(cuts[i] * D, to * D), shape: [to - cuts[i], D] };
      return nearest.index(rows, { ...options, part: { first: cuts[i], vocabulary: V } });
    });
  const queries = { data: table.data.slice(3 * D, 11 * D), shape: [2, 4, D] };

  test("sort keys are the scores before rounding, and for distances the negated squares", () => {
    const rows = [[3, 4], [1, 1], [0, 0], [NaN, 1]]; // prettier-ignore
    const keys = (/** @type {"dot" | "cosine" | "euclidean"} */ metric) =>
      nearest(rows, [1, 2], { metric, sortKeys: true }).sortKeys?.toArray();
    assert.deepEqual(keys("dot"), [11, 3, 0, NaN]);
    assert.deepEqual(keys("euclidean"), [-1, -5, -8, NaN]);
    const [best, next, zero] = /** @type {number[]} */ (keys("cosine"));
    assert.ok(Math.abs(best - 11 / Math.sqrt(125)) < 1e-15 && zero === 0);
    assert.ok(Math.abs(next - 3 / Math.sqrt(10)) < 1e-15);
    assert.equal(nearest(rows, [1, 2]).sortKeys, undefined);
    const kept = embedding.quantize(rows.slice(0, 3), { dtype: "int8" });
    const found = nearest(kept, [1, 2], { metric: "dot", sortKeys: true });
    assert.deepEqual(Float32Array.from(found.sortKeys?.data ?? []), found.scores.data);
    assert.equal(found.certain?.size, 3);
  });

  for (const metric of METRICS) {
    test(`searches of parts, merged by key and id, equal a search of the table, with ${metric}`, () => {
      const whole = nearest.index(table);
      for (const int8 of [true, false]) {
        const parts = partsOf({ int8 });
        for (const k of [1, 7, 50, V, 2 * V]) {
          for (const exclude of [[], [0, 5, 5, 77, V - 1], 41]) {
            for (const ids of [undefined, Int32Array.from({ length: V }, (_, i) => 7 * i)]) {
              const options = { k, metric, exclude, ids };
              const expected = whole.search(queries, { ...options, sortKeys: true });
              const found = parts.map((part) =>
                part.search(queries, { ...options, sortKeys: true }),
              );
              const width = expected.ids.shape[2];
              for (let q = 0; q < 8; ++q) {
                const got = joined(found, q, width);
                const at = [q * width, (q + 1) * width];
                assert.deepEqual(got.map(({ id }) => id), [...expected.ids.data.subarray(...at)]); // prettier-ignore
                assert.deepEqual(got.map(({ score }) => score), [...expected.scores.data.subarray(...at)]); // prettier-ignore
                assert.deepEqual(got.map(({ key }) => key), [...(expected.sortKeys?.data.subarray(...at) ?? [])]); // prettier-ignore
              }
            }
          }
        }
        for (const part of parts) part.dispose();
      }
      whole.dispose();
    });

    test(`analogies of parts, given the rows of the triples, equal those of the table, with ${metric}`, () => {
      const whole = nearest.index(table);
      const parts = partsOf();
      const triples = [[0, 7, 90], [5, 5, 5], [9, 50, 100], [45, 46, 47]]; // prettier-ignore
      const rows = whole.rows(triples);
      for (const k of [1, 5, V - 3, 2 * V]) {
        for (const exclude of [[], [0, 1, 2, 3, 4, 5]]) {
          const options = { k, metric, exclude, sortKeys: true };
          const expected = whole.analogy(triples, options);
          const width = expected.ids.shape[1];
          const found = parts.map((part) => part.analogy(triples, { ...options, rows }));
          for (let q = 0; q < 4; ++q) {
            const got = joined(found, q, width);
            const at = [q * width, (q + 1) * width];
            assert.deepEqual(got.map(({ id }) => id), [...expected.ids.data.subarray(...at)]); // prettier-ignore
            assert.deepEqual(got.map(({ score }) => score), [...expected.scores.data.subarray(...at)]); // prettier-ignore
          }
        }
      }
      for (const index of [whole, ...parts]) index.dispose();
    });
  }

  test("rows returns the vectors of ids of any shape", () => {
    const whole = nearest.index(table);
    const ids = [[3, 100], [0, 3]]; // prettier-ignore
    const got = whole.rows(ids);
    assert.deepEqual(got.shape, [2, 2, D]);
    ids.flat().forEach((id, t) => {
      const expected = table.data.subarray(id * D, (id + 1) * D);
      assert.deepEqual(got.data.subarray(t * D, (t + 1) * D), expected);
    });
    assert.deepEqual(whole.rows([]).shape, [0, D]);
    assert.deepEqual(whole.rows(4).shape, [D]);
    const [, part] = partsOf();
    assert.deepEqual(part.rows([8]).data, table.data.slice(8 * D, 9 * D));
    assert.equal(part.vocabulary, V);
    whole.dispose();
    assert.throws(() => whole.rows([0]), DisposedError);
  });

  test("an analogy of a part pads with -1 and NaN where the triple leaves no row", () => {
    const rows = [[1, 0], [0, 1], [1, 1]]; // prettier-ignore
    const part = nearest.index(rows.slice(0, 2), { part: { first: 0, vocabulary: 3 } });
    const triples = [[0, 1, 1], [2, 2, 2]]; // prettier-ignore
    const found = part.analogy(triples, {
      rows: triples.map((ids) => ids.map((id) => rows[id])),
      metric: "dot",
    });
    assert.deepEqual(found.ids.toArray(), [[-1, -1], [0, 1]]); // prettier-ignore
    assert.deepEqual([...found.scores.data].map(Number.isNaN), [true, true, false, false]);
  });

  test("invalid parts, rows and ids are rejected with a message that names them", () => {
    const part = nearest.index([[1, 0], [0, 1]], { part: { first: 3, vocabulary: 9 } }); // prettier-ignore
    const refused = (/** @type {() => unknown} */ call, /** @type {string} */ message) =>
      assert.throws(call, (/** @type {Error} */ error) => `${error}` === message);
    /** @type {any} */
    const any = nearest.index;
    refused(
      () => any([[1]], { part: 5 }),
      "TypeError: nearest.index: part must be {first, vocabulary}; got 5",
    );
    refused(
      () => any([[1], [2]], { part: { first: 8, vocabulary: 9 } }),
      "RangeError: nearest.index: part.first must be a whole number from 0 to 7; got 8",
    );
    refused(
      () => any([[1], [2]], { part: { first: 0, vocabulary: 1 } }),
      "RangeError: nearest.index: part.vocabulary must be a whole number from 2 to 2147483647; got 1",
    );
    refused(
      () => any([[1], [2]], { part: { first: 0 } }),
      "TypeError: nearest.index: part.vocabulary must be a whole number; got undefined",
    );
    refused(
      () => part.search([1, 1], { exclude: 9 }),
      "RangeError: NearestIndex.search: exclude must be whole numbers from 0 to 8; got 9 at 0",
    );
    refused(
      () => part.search([1, 1], { ids: [1, 2] }),
      "RangeError: NearestIndex.search: ids must be as many as the rows, 9; got 2",
    );
    for (const [ids, message] of /** @type {[number[], string][]} */ ([
      [[2, 2], "ids must ascend, each once; got 2 after 2"],
      [[2, 1], "ids must ascend, each once; got 1 after 2"],
      [[2, 2 ** 31], "ids must be whole numbers from 0 to 2147483647; got 2147483648 at 1"],
    ])) {
      const rows = { data: [1, 0, 0, 1], shape: [2, 2] };
      refused(() => nearest(rows, [1, 0], { ids }), `RangeError: nearest: ${message}`);
    }
    const one = nearest.index([[1, 0]], { part: { first: 3, vocabulary: 9 } });
    refused(
      () => one.rows([4]),
      "RangeError: NearestIndex.rows: ids must be ids of rows of this part, 3 to 3; got 4 at 0",
    );
    one.dispose();
    refused(
      () => part.rows([3, 5]),
      "RangeError: NearestIndex.rows: ids must be ids of rows of this part, 3 to 4; got 5 at 1",
    );
    refused(
      () => part.analogy([3, 4, 0]),
      "RangeError: NearestIndex.analogy: triples must be ids of rows of this part, 3 to 4; got 0 at 2",
    );
    refused(
      () => part.analogy([3, 4, 9]),
      "RangeError: NearestIndex.analogy: triples must be whole numbers from 0 to 8; got 9 at 2",
    );
    refused(
      () => part.analogy([3, 4, 0], { rows: [[1, 0], [0, 1]] }), // prettier-ignore
      "RangeError: NearestIndex.analogy: rows must have shape [3, 2]; got [2, 2]",
    );
    refused(
      () => part.search([1, 1], /** @type {any} */ ({ sortKeys: 1 })),
      "TypeError: NearestIndex.search: sortKeys must be true or false; got 1",
    );
    assert.deepEqual(part.search([1, 0], { k: 1 }).ids.toArray(), [3]);
  });
});
