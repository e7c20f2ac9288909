// Several workers give the bits of one thread, and their errors.
// About 13 s of CPU: pools of one to five workers each load a core and compute every function that is split.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker as Thread } from "node:worker_threads";
import { after, before, describe, test } from "node:test";
import { CoreError, DisposedError, load, LoadError, serve, Tensor, transfer } from "phasor/worker";
import { project } from "../../../scripts/setup/setup.js";
import { pool } from "../../../src/worker/pool.js";
import { calls, functionsOf } from "../../calls.js";
import { phasor as local } from "../../phasor.js";
import { everyNth, isNight } from "../../sample.js";
import { random as floats } from "../tensors.js";

/** @import { RemotePhasor } from "phasor/worker" */

const threadUrl = new URL(import.meta.resolve("phasor/worker-thread"));

/** @type {RemotePhasor[]} one of two workers, one of three */
const pools = [];
before(async () => {
  for (const workers of [2, 3]) pools.push(await load({ workers }));
});
after(() => Promise.all(pools.map(({ dispose }) => dispose())));

let turn = 0;
/** One pool in turn, at night both. */
const next = () => (isNight ? pools : [pools[turn++ % 2]]);

/** A result, with its numbers as bits. @param {any} value @returns {any} */
function bits(value) {
  if (!("data" in value)) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, bits(part)]));
  }
  const { data, shape, dtype } = /** @type {Tensor<any>} */ (value);
  // The sign and payload of a NaN are not specified in WebAssembly.
  const numbers = data.map((/** @type {number} */ x) => (Number.isNaN(x) ? NaN : x));
  return { shape, dtype, bits: new Uint32Array(numbers.buffer) };
}

/**
 * How often each worker was called while a call ran, with workers that are this very thread.
 * @param {number} n @param {(phasor: any) => Promise<unknown>} call
 */
async function callsOf(n, call) {
  const counts = Array.from({ length: n }, () => 0);
  const promised = (/** @type {any} */ module, /** @type {number} */ i) => {
    /** @param {any} does */
    const counted =
      (does) =>
      (/** @type {any[]} */ ...values) => {
        ++counts[i];
        return Promise.resolve().then(() => does(...values));
      };
    const own = typeof module === "function" ? counted(module) : {};
    const members = Object.entries(module).map(([name, member]) => [
      name,
      typeof member === "function" ? counted(member) : member,
    ]);
    return Object.assign(own, Object.fromEntries(members));
  };
  const phasors = counts.map((_, i) => ({
    ...Object.fromEntries(
      Object.entries(local).map(([name, module]) => [name, promised(module, i)]),
    ),
    dispose: async () => {},
  }));
  const result = await call(pool(phasors));
  return { counts, result };
}

/**
 * Checks that a pool gives the bits of one thread, and whether all workers take part.
 * @param {(phasor: any) => any} call @param {boolean} [split]
 */
async function same(call, split = true) {
  const expected = bits(call(local));
  for (const phasor of next()) assert.deepEqual(bits(await call(phasor)), expected);
  const { counts, result } = await callsOf(2, call);
  assert.deepEqual(bits(result), expected);
  assert.equal(counts[1] > 0, split, `calls: ${counts.join(", ")}`);
}

describe("workers: results of a pool", () => {
  test("a pool has the same modules with the same functions and presets", () => {
    for (const { dispose, ...modules } of pools) {
      assert.equal(typeof dispose, "function");
      assert.deepEqual(Object.keys(modules), Object.keys(local));
      assert.deepEqual(functionsOf(/** @type {any} */ (modules)), functionsOf(local));
    }
    assert.ok(Object.isFrozen(pools[0]) && Object.isFrozen(pools[0].nearest));
  });

  for (const [name, call] of Object.entries(calls)) {
    test(`${name} gives the same bits`, async () => {
      const expected = structuredClone(await call(local));
      const got = await call(/** @type {any} */ (pools[0]));
      assert.deepEqual(structuredClone(got), expected);
    });
  }
});

describe("workers: similarity.matrix", () => {
  const isTaken = everyNth(4);
  const isTakenOfOne = everyNth(4);
  for (const metric of /** @type {const} */ (["dot", "cosine", "euclidean"])) {
    test(`by rows and by columns it is the same, with ${metric}`, async () => {
      for (const [N, M, D] of [
        [401, 333, 67],
        [7, 2001, 333],
        [2001, 2, 1201],
      ].filter(isTaken)) {
        await same(({ similarity }) =>
          similarity.matrix(floats([N, D]), floats([M, D], 2), { metric }),
        );
      }
    });

    test(`of a matrix with itself it is the same, with ${metric}`, async () => {
      for (const [N, D] of [
        [517, 65],
        [510, 33],
        [2, 2 ** 21],
      ].filter(isTakenOfOne)) {
        const a = floats([N, D]);
        a.data.fill(0, D, D + 3);
        a.data[0] = NaN;
        await same(({ similarity }) => similarity.matrix(a, undefined, { metric }));
        await same(({ similarity }) =>
          similarity.matrix(a, new Tensor(a.data, [N, D]), { metric }),
        );
      }
    });
  }

  test("small matrices are not split", async () => {
    const [a, b] = [floats([100, 60]), floats([90, 60], 2)];
    await same(({ similarity }) => similarity.matrix(a, b), false);
    await same(({ similarity }) => similarity.matrix(a), false);
  });

  test("it writes into out: an array, a tensor, also one that overlaps the argument", async () => {
    const a = floats([400, 64]);
    const expected = local.similarity.matrix(a).data;
    for (const phasor of pools) {
      const array = new Float32Array(400 * 400);
      assert.equal((await phasor.similarity.matrix(a, undefined, { out: array })).data, array);
      assert.deepEqual(array, expected);
      const memory = new Float32Array(400 * 400);
      memory.set(a.data);
      const x = new Tensor(memory.subarray(0, 400 * 64), [400, 64]);
      const out = new Tensor(memory, [400, 400]);
      assert.equal((await phasor.similarity.matrix(x, undefined, { out })).data, memory);
      assert.deepEqual(memory, expected);
    }
  });

  test("doubles are rounded as in one worker", async () => {
    const data = Float64Array.from(floats([400, 64]).data, (x) => x / 3);
    await same(({ similarity }) => similarity.matrix({ data, shape: [400, 64] }));
  });
});

describe("workers: nearest", () => {
  const isTaken = everyNth(3);
  for (const metric of /** @type {const} */ (["dot", "cosine", "euclidean"])) {
    test(`few queries are the same, with ties and NaN, with ${metric}`, async () => {
      const vectors = floats([4001, 301]);
      const { data } = vectors;
      for (const row of [5, 1990, 2001, 3999]) data.set(data.subarray(0, 301), row * 301); // ties
      for (const row of [3, 1500, 2500, 4000]) data[row * 301 + 7] = NaN;
      data.fill(0, 17 * 301, 18 * 301);
      const queries = new Tensor(Float32Array.from([...data.subarray(0, 301), ...floats([7 * 301], 3).data]), [2, 4, 301]); // prettier-ignore
      for (const options of [
        {},
        { k: 1 },
        { k: 3, exclude: [0, 5, 2001, 5] },
        { k: 33, exclude: 1990 },
      ].filter(isTaken)) {
        await same(({ nearest }) => nearest(vectors, queries, { ...options, metric }));
      }
    });
  }

  test("one query is the same, also as nested arrays", async () => {
    const vectors = floats([9001, 1001]);
    const query = Array.from(floats([1001], 2).data);
    await same(({ nearest }) => nearest(vectors, query, { k: 5 }));
    const nan = new Float32Array(1001).fill(NaN);
    await same(({ nearest }) => nearest(vectors, nan, { k: 9, exclude: Int32Array.of(1, 3) }));
  });

  test("many neighbors are the same, k as large as the table or larger", async () => {
    const vectors = floats([300, 301]);
    const queries = floats([200, 301], 2);
    for (const exclude of [[], [0, 299]]) {
      for (const k of [1, 150, 299, 300, 1000].filter(everyNth(2))) {
        await same(({ nearest }) => nearest(vectors, queries, { k, exclude }));
      }
    }
    const ids = Int32Array.from({ length: 300 }, (_, i) => 7 * i);
    await same(({ nearest }) => nearest(vectors, queries, { ids, exclude: [7, 8, 14] }));
  });

  test("if all but k rows are excluded, the rest are found", async () => {
    const vectors = floats([2001, 4201]);
    const exclude = Int32Array.from({ length: 1998 }, (_, i) => i);
    await same(({ nearest }) => nearest(vectors, floats([4201], 2), { k: 9, exclude }));
  });

  test("changes by the caller during the call have no effect", async () => {
    const vectors = floats([8001, 1201]);
    const query = floats([1201], 2);
    const options = { k: 4 };
    const expected = bits(local.nearest(vectors, query, options));
    for (const phasor of pools) {
      const [x, q, own] = [structuredClone(vectors.data), query.data.slice(), { ...options }];
      const asked = phasor.nearest(new Tensor(x, [8001, 1201]), q, own);
      for (const array of [x, q]) array.fill(0);
      own.k = 1;
      assert.deepEqual(bits(await asked), expected);
    }
  });

  test("sort keys are those of one worker", async () => {
    const vectors = floats([4001, 301]);
    const queries = floats([8, 301], 2);
    await same(({ nearest }) => nearest(vectors, queries, { sortKeys: true, metric: "euclidean" }));
    const [few, many] = [floats([701, 67]), floats([200, 67], 2)];
    await same(({ nearest }) => nearest(few, many, { sortKeys: true, k: 350 }));
  });

  test("tables and small indexes are in the first worker, and work", async () => {
    const vectors = floats([3000, 301]);
    const queries = floats([8, 301], 2);
    const expected = bits(local.nearest(vectors, queries));
    for (const { embedding, nearest } of pools) {
      const table = await embedding.from(vectors);
      const index = await nearest.index(vectors);
      assert.deepEqual(bits(await nearest(table, queries)), expected);
      assert.deepEqual(bits(await index.search(queries)), expected);
      await Promise.all([table.dispose(), index.dispose()]);
    }
  });
});

describe("workers: nearest.index", () => {
  const [V, D] = [4200, 1000];
  const vectors = floats([V, D]);
  const { data } = vectors;
  for (const row of [5, 1399, 1400, 2100, V - 1]) data.copyWithin(row * D, 5 * D, 6 * D);
  for (const row of [17, 3000]) data.fill(0, row * D, (row + 1) * D);
  for (const row of [3, 1500, V - 2]) data[row * D + 7] = NaN;
  for (const row of [4, 2500]) data[row * D + 8] = Infinity;
  const queries = new Tensor(data.slice(3 * D, 9 * D), [2, 3, D]);
  const triples = [[[0, 1399, 4100], [5, 5, 5]], [[17, 2000, 3000], [2098, 2099, 2101]]]; // prettier-ignore

  /**
   * Calls a function with an index in one thread, and with one in each pool.
   * @param {(index: any) => Promise<unknown> | unknown} call @param {object} [options] of the index
   */
  async function sameIndex(call, options) {
    const index = local.nearest.index(vectors, options);
    const expected = await call(index);
    index.dispose();
    for (const { nearest } of next()) {
      const own = await nearest.index(vectors, options);
      assert.deepEqual(await call(own), expected);
      await own.dispose();
    }
  }

  for (const metric of /** @type {const} */ (["dot", "cosine", "euclidean"])) {
    test(`searches and analogies are the same, with ${metric}`, async () => {
      for (const int8 of isNight ? [true, false] : [metric === "cosine"]) {
        await sameIndex(
          async (index) => {
            const found = [bits(await index.search(queries, { metric }))];
            for (const options of [
              { k: 1, exclude: 5 },
              { k: 3, exclude: [0, 5, 2100, 5, V - 1] },
              { k: 2500, sortKeys: true },
              { k: 3 * V, exclude: Int32Array.from({ length: 2500 }, (_, i) => i) },
              { k: 9n, ids: Int32Array.from({ length: V }, (_, i) => 3 * i), exclude: [15, 16] },
            ]) {
              found.push(bits(await index.search(queries, { ...options, metric })));
            }
            for (const options of [
              {},
              { k: 40, normalize: false, sortKeys: true, exclude: [1, 2, 3999] },
              { k: V - 4 },
              { k: 2 * V, exclude: Int32Array.from({ length: 1500 }, (_, i) => i) },
            ]) {
              found.push(bits(await index.analogy(triples, { ...options, metric })));
            }
            return found;
          },
          { int8 },
        );
      }
    });
  }

  test("its size, rows and empty searches are the same", async () => {
    await sameIndex(async (index) => [
      [index.vocabulary, index.dim],
      bits(await index.rows([[0, 4199], [1400, 7]])), // prettier-ignore
      bits(await index.rows([])),
      bits(await index.search(new Tensor(new Float32Array(0), [0, D]), { exclude: [3, 4000] })),
      bits(await index.analogy(new Tensor(new Int32Array(0), [0, 3]), { k: 2 * V, exclude: 9 })),
      bits(await index.analogy(triples[0][0], { rows: await index.rows(triples[0][0]) })),
    ]);
    const [own] = await Promise.all(pools.map(({ nearest }) => nearest.index(vectors)));
    const part = (/** @type {number} */ V) => V * (5 * D + 8 + 28) + 8 * D + 16;
    assert.equal(own.byteLength, 2 * part(V / 2));
    assert.equal(own.vocabulary, V);
    await own.dispose();
  });

  test("every worker has a part, which dispose frees", async () => {
    const { counts, result } = await callsOf(3, ({ nearest }) => nearest.index(vectors));
    assert.deepEqual(counts, [1, 1, 1]);
    await /** @type {any} */ (result).dispose();
    const { nearest } = pools[0];
    const index = await nearest.index(vectors);
    const asked = index.search(queries);
    await Promise.all([index.dispose(), index.dispose(), asked.catch(() => {})]);
    for (const call of [
      () => index.search(queries),
      () => index.analogy(triples),
      () => index.rows([]),
      () => index.search(queries, /** @type {any} */ (5)),
    ]) {
      await assert.rejects(call(), DisposedError);
    }
    if (Symbol.asyncDispose) {
      const used = /** @type {any} */ (await nearest.index(vectors));
      await used[Symbol.asyncDispose]();
      await assert.rejects(used.search(queries), DisposedError);
    }
    assert.ok(Object.isFrozen(index));
  });

  test("changes by the caller during the call have no effect, and transferred arrays are empty", async () => {
    const expected = local.nearest.index(vectors).analogy(triples, { exclude: [7, 8], k: 5 });
    for (const { nearest } of pools) {
      const own = data.slice();
      const made = nearest.index({ data: transfer(own), shape: [V, D] });
      assert.equal(own.length, 0);
      const index = await made;
      const ids = Int32Array.from(triples.flat(2));
      const exclude = Int32Array.of(7, 8);
      const options = { exclude, k: 5 };
      const asked = index.analogy({ data: transfer(ids), shape: [2, 2, 3] }, options);
      assert.equal(ids.length, 0);
      exclude.fill(0);
      options.k = 1;
      assert.deepEqual(bits(await asked), bits(expected));
      const query = data.slice(0, D);
      const found = index.search(transfer(query));
      assert.equal(query.length, 0);
      assert.equal((await found).ids.at(0), 0);
      await index.dispose();
    }
  });

  test("errors are those of one worker, and the next call works", async () => {
    const nan = new Float32Array(D);
    /** @type {((index: any) => any)[]} */
    const wrong = [
      (index) => index.search(),
      (index) => index.search(floats([D - 1])),
      (index) => index.search(["1"]),
      (index) => index.search(nan, 5),
      (index) => index.search(nan, null),
      (index) => index.search(nan, [1]),
      (index) => index.search(nan, { kk: 2 }),
      (index) => index.search(nan, { k: 0 }),
      (index) => index.search(nan, { k: null }),
      (index) => index.search(nan, { k: "many", exclude: V }),
      (index) => index.search(nan, { sortKeys: 1 }),
      (index) => index.search(nan, { metric: "manhattan" }),
      (index) => index.search(nan, { exclude: V }),
      (index) => index.search(nan, { exclude: [0, -1] }),
      (index) => index.search(nan, { exclude: [0, 1.5] }),
      (index) => index.search(nan, { exclude: ["a"] }),
      (index) => index.search(floats([D - 1]), { exclude: [V] }),
      (index) => index.search(nan, { ids: [1, 2] }),
      (index) => index.search(nan, { ids: new Int32Array(V) }),
      (index) => index.search(nan, { ids: Int32Array.from({ length: V }, (_, i) => i - 1) }),
      (index) => index.analogy(),
      (index) => index.analogy([1, 2]),
      (index) => index.analogy([1, 2, V]),
      (index) => index.analogy([1, 2, 0.5]),
      (index) => index.analogy([1, 2, "3"]),
      (index) => index.analogy([1, 2, V], { exclude: -1 }),
      (index) => index.analogy([1, 2, V], { k: 0 }),
      (index) => index.analogy([1, 2, 3], { k: 0 }),
      (index) => index.analogy([1, 2, 3], { normalise: true }),
      (index) => index.analogy([1, 2, 3], { normalize: 1 }),
      (index) => index.analogy([1, 2, 3], { exclude: V }),
      (index) => index.analogy([1, 2, 3], { sortKeys: 0 }),
      (index) => index.analogy([1, 2, 3], { rows: floats([3, D - 1]) }),
      (index) => index.analogy([1, 2, 3], "k"),
      (index) => index.rows([V]),
      (index) => index.rows([-1]),
      (index) => index.rows(["1"]),
      (index) => index.rows(),
    ];
    /** @param {() => any} call @returns {Promise<string>} */
    const failure = async (call) => {
      try {
        await call();
      } catch (error) {
        return String(error);
      }
      return "no error";
    };
    const one = local.nearest.index(vectors);
    for (const { nearest } of pools) {
      const index = await nearest.index(vectors);
      for (const call of wrong) {
        const expected = await failure(() => call(one));
        assert.match(expected, /^(TypeError|RangeError): /, String(call));
        assert.equal(await failure(() => call(index)), expected, String(call));
      }
      assert.equal((await index.search(vectors.row(0), { k: 1 })).ids.at(0), 0);
      await index.dispose();
      for (const options of /** @type {any[]} */ ([{ int8: 1 }, { int9: true }, { part: 5 }, 5])) {
        const expected = await failure(() => local.nearest.index(vectors, options));
        assert.equal(await failure(() => nearest.index(vectors, options)), expected);
      }
      const part = { first: 3, vocabulary: V + 3 };
      const own = await nearest.index(vectors, { part });
      assert.deepEqual((await own.search(vectors.row(0), { k: 1 })).ids.toArray(), [3]);
      await own.dispose();
    }
    one.dispose();
  });

  test("completed parts are released if another fails, and those that are garbage collected", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    const released = [0, 0];
    let fails = true;
    /** A worker that is this thread: its index counts that it is released. @param {number} i */
    const worker = async (i) => {
      const { port1, port2 } = new MessageChannel();
      const index = () => {
        if (fails && i === 1) throw new RangeError("no room");
        return { search: () => 1, vocabulary: V, dim: D, byteLength: 5, dispose: () => void ++released[i] }; // prettier-ignore
      };
      const nearest = Object.assign(() => 0, { index });
      serve(/** @type {any} */ (async () => ({ nearest })), port2);
      for (const port of /** @type {any[]} */ ([port1, port2])) port.unref();
      return load({ worker: /** @type {any} */ (port1) });
    };
    const both = pool([await worker(0), await worker(1)]);
    await assert.rejects(both.nearest.index(vectors), /^RangeError: no room$/);
    for (let i = 0; released[0] === 0 && i < 200; ++i) await wait(5);
    assert.deepEqual(released, [1, 0]);
    fails = false;
    await (async () => assert.equal((await both.nearest.index(vectors)).byteLength, 10))();
    for (let i = 0; released[1] === 0 && i < 200; ++i) {
      await wait(5);
      collect();
    }
    assert.deepEqual(released, [2, 1]);
    await both.dispose();
  });
});

describe("workers: attention", () => {
  /** @param {number[]} lead @param {number} Hk @param {number} Tq @param {number} Tk @param {number} D @param {number} V */
  const inputs = (lead, Hk, Tq, Tk, D, V) => {
    const keys = lead.length > 0 ? [...lead.slice(0, -1), Hk] : [];
    return {
      q: floats([...lead, Tq, D]),
      k: floats([...keys, Tk, D], 2),
      v: floats([...keys, Tk, V], 3),
    };
  };

  test("it is the same for batches, heads, and heads in groups", async () => {
    const isTaken = everyNth(2);
    for (const given of [
      inputs([4, 6], 6, 67, 81, 64, 20),
      inputs([3, 6], 2, 97, 81, 64, 20),
      inputs([1, 12], 3, 97, 81, 64, 20),
      inputs([7, 2], 1, 97, 81, 64, 20),
      inputs([9], 9, 97, 181, 64, 20),
    ]) {
      for (const options of [
        {},
        { causal: true },
        { softcap: 5, scale: 0.3, accumulate: "float64" },
      ].filter(isTaken)) {
        await same(({ attention }) => attention.scaledDotProduct(given, options));
      }
      await same(({ attention }) => attention.scores(given.q, given.k, { causal: true }));
    }
  });

  test("it is the same with a bias of any shape", async () => {
    const [B, H, Tq, Tk] = [3, 4, 71, 83];
    const given = inputs([B, H], 2, Tq, Tk, 64, 48);
    const shapes = [[Tq, Tk], [Tk], [H, Tq, Tk], [1, H, 1, Tk], [B, 1, Tq, Tk], [B, H, Tq, Tk], [H, 1, 1], [B, 1, 1, Tk]]; // prettier-ignore
    for (const shape of shapes.filter(everyNth(2))) {
      const bias = floats(shape, 5);
      bias.data[1] = -Infinity;
      await same(({ attention }) => attention.scaledDotProduct(given, { bias }));
      await same(({ attention }) => attention.scores(given.q, given.k, { bias, causal: true }));
    }
  });

  test("it is the same with masked keys, and with a rotation", async () => {
    const [B, T] = [3, 83];
    const given = inputs([B, 4], 2, T, T, 64, 48);
    given.k.data[5] = NaN;
    given.v.data[7] = NaN;
    const row = Array.from({ length: T }, (_, key) => key % 3 !== 0);
    const rows = [row, row.map((keep) => !keep), row.map(() => false)];
    const bits8 = new Tensor(Uint8Array.from(rows.flat(), Number), [B, T]);
    for (const keyMask of [row, rows, bits8]) {
      await same(({ attention }) => attention.scaledDotProduct(given, { keyMask }));
      const bias = floats([4, T, T], 7);
      await same(({ attention }) => attention.scaledDotProduct(given, { keyMask, bias }));
    }
    const rope = local.rope.table(T, 32);
    const late = local.rope.table(T, 32, { offset: 9 });
    await same(({ attention }) => attention.scaledDotProduct(given, { rope, dim: 32 }));
    await same(({ attention }) =>
      attention.scores(given.q, given.k, { rope: { q: rope, k: late }, dim: 32 }),
    );
    const each = local.rope.table(floats([B, T], 8), 32);
    await same(
      ({ attention }) => attention.scaledDotProduct(given, { rope: each, dim: 32 }),
      false,
    );
  });

  test("small inputs, and one head, are not split", async () => {
    const small = inputs([2, 3], 3, 20, 20, 32, 32);
    await same(({ attention }) => attention.scaledDotProduct(small), false);
    const one = inputs([], 1, 300, 300, 32, 32);
    await same(({ attention }) => attention.scaledDotProduct(one), false);
  });

  test("it writes into out", async () => {
    const given = inputs([4, 6], 6, 67, 81, 64, 20);
    const expected = local.attention.scaledDotProduct(given);
    for (const { attention } of pools) {
      const output = new Float32Array(4 * 6 * 67 * 20);
      const weights = new Tensor(new Float32Array(4 * 6 * 67 * 81), [4, 6, 67, 81]);
      const found = await attention.scaledDotProduct(given, { out: { output, weights } });
      assert.equal(found.output.data, output);
      assert.equal(found.weights.data, weights.data);
      assert.deepEqual(bits(found), bits(expected));
      const alone = new Float32Array(output.length);
      const options = /** @type {const} */ ({ weights: false, out: { output: alone } });
      assert.equal((await attention.scaledDotProduct(given, options)).output.data, alone);
      assert.deepEqual(alone, output);
    }
    await same(({ attention }) => attention.scaledDotProduct(given, { weights: false }));
  });

  test("inputs with a cache, or with heads side by side, are not split", async () => {
    const given = inputs([3, 8], 2, 67, 201, 64, 64);
    await same(({ attention }) => attention.scaledDotProduct(given, { keyLength: [150, 0, 201] }), false); // prettier-ignore
    const turned = inputs([2, 80], 80, 80, 80, 64, 64);
    await same(({ attention }) => attention.scaledDotProduct(turned, { axis: -3 }), false);
  });
});

describe("workers: sinusoidal.table", () => {
  test("it is the same in out, at any offset, for any length", async () => {
    const isTaken = everyNth(3);
    for (const [T, D] of [
      [1000, 300],
      [65, 5001],
      [4097, 65],
      [66, 2 ** 13],
    ]) {
      for (const options of [
        {},
        { offset: -777 },
        { offset: 2 ** 20, precision: "torch" },
        { positionScale: 0.37 },
        { positionScale: 3, scale: "unit" },
      ].filter(isTaken)) {
        await same(({ sinusoidal }) => sinusoidal.table(T, D, { ...options, out: new Float32Array(T * D) })); // prettier-ignore
      }
    }
  });

  test("calls without out, for positions, or with a fractional offset are not split", async () => {
    await same(({ sinusoidal }) => sinusoidal.table(1000, 300), false);
    for (const [given, offset] of [
      [floats([1000]), 0],
      [1000, 0.5],
    ]) {
      const out = () => new Float32Array(300_000);
      await same(({ sinusoidal }) => sinusoidal.table(given, 300, { offset, out: out() }), false);
    }
  });
});

describe("workers: rope.table", () => {
  /** @param {number} T @param {number} P */
  const parts = (T, P) => ({ cos: new Float32Array(T * P), sin: new Float32Array(T * P) });

  test("it is the same in out, at any offset, for any length and scaling", async () => {
    for (const [T, D] of [
      [4097, 66],
      [65, 4098],
    ]) {
      for (const options of [
        {},
        { offset: -777 },
        { offset: 2 ** 20, precision: "torch" },
        { scaling: { type: "dynamic", factor: 2, maxLength: 1000 } },
        { scaling: { type: "dynamic", factor: 2, maxLength: 1000 }, length: 9000, offset: 5 },
        { frequencies: Float32Array.from({ length: D / 2 }, (_, i) => 0.3 / (1 + i)) },
      ]) {
        await same(({ rope }) => rope.table(T, D, /** @type {any} */ ({ ...options, out: parts(T, D / 2) }))); // prettier-ignore
      }
    }
  });

  test("calls without out, for positions, or with a fractional offset are not split", async () => {
    await same(({ rope }) => rope.table(4097, 66), false);
    await same(({ rope }) => rope.table(floats([4097]), 66, { out: parts(4097, 33) }), false);
    await same(({ rope }) => rope.table(4097, 66, { offset: 0.5, out: parts(4097, 33) }), false);
  });
});

describe("workers: arguments", () => {
  test("transferred arrays are moved, and empty afterwards", async () => {
    const a = floats([400, 64]);
    const b = floats([401, 64], 2);
    const expected = bits(local.similarity.matrix(a, b));
    for (const { similarity } of pools) {
      const [x, y] = [a, b].map(({ data, shape }) => new Tensor(data.slice(), shape));
      const asked = similarity.matrix(transfer(x), transfer(y));
      assert.deepEqual([x.data.length, y.data.length], [0, 0]);
      assert.deepEqual(bits(await asked), expected);
    }
    const query = floats([64], 3);
    const vectors = floats([140_000, 64], 4);
    const found = bits(local.nearest(vectors, query));
    for (const { nearest } of pools) {
      const [x, q] = [vectors.data.slice(), query.data.slice()];
      const asked = nearest(vectors, transfer(q));
      assert.equal(q.length, 0);
      assert.deepEqual(bits(await asked), found);
      const moved = nearest({ data: transfer(x), shape: vectors.shape }, query);
      assert.equal(x.length, 0);
      assert.deepEqual(bits(await moved), found);
    }
  });

  test("a transferred out is returned as the result", async () => {
    const a = floats([400, 64]);
    const expected = bits(local.similarity.matrix(a));
    for (const { similarity } of pools) {
      const out = new Float32Array(400 * 400);
      const found = await similarity.matrix(a, undefined, { out: transfer(out) });
      assert.equal(out.length, 0);
      assert.deepEqual(bits(found), expected);
    }
  });

  test("errors are those of one worker, and out is unchanged", async () => {
    const a = floats([400, 64]);
    const x = floats([140_000, 64]);
    const given = { q: floats([4, 100, 64]), k: floats([4, 100, 64]), v: floats([4, 100, 64]) };
    const out = new Float32Array(7).fill(1);
    const strided = { data: a.data, shape: [400, 64], strides: [1, 400] };
    /** @type {((phasor: any) => any)[]} */
    const wrong = [
      ({ similarity }) => similarity.matrix(a, floats([400, 63])),
      ({ similarity }) => similarity.matrix(a, undefined, { metric: "manhattan" }),
      ({ similarity }) => similarity.matrix(a, undefined, { metrik: "dot" }),
      ({ similarity }) => similarity.matrix(a, undefined, { out }),
      ({ similarity }) => similarity.matrix(strided),
      ({ similarity }) => similarity.matrix({ data: a.data, shape: [400, 65] }),
      ({ similarity }) => similarity.matrix(a, undefined, 5),
      ({ similarity }) => similarity.matrix(a, undefined, null),
      ({ nearest }) => nearest(x, floats([63])),
      ({ nearest }) => nearest(x, floats([64]), { k: 0 }),
      ({ nearest }) => nearest(x, floats([64]), { k: "many" }),
      ({ nearest }) => nearest(x, floats([64]), { exclude: 140_000 }),
      ({ nearest }) => nearest(x, floats([64]), { exclude: [0, 1.5] }),
      ({ nearest }) => nearest(x, floats([64]), { ids: [3, 2] }),
      ({ nearest }) => nearest(x, [...floats([63]).data, "1"]),
      ({ attention }) => attention.scaledDotProduct({ ...given, v: floats([4, 99, 64]) }),
      ({ attention }) => attention.scaledDotProduct({ ...given, k: floats([3, 100, 64]) }),
      ({ attention }) => attention.scaledDotProduct(given, { bias: floats([5, 1, 1]) }),
      ({ attention }) => attention.scaledDotProduct(given, { keyMask: [1, 0] }),
      ({ attention }) => attention.scaledDotProduct(given, { keyMask: Array(100).fill(2) }),
      ({ attention }) => attention.scaledDotProduct(given, { rope: local.rope.table(99, 64) }),
      ({ attention }) => attention.scaledDotProduct(given, { out: { output: out, weights: out } }),
      ({ attention }) => attention.scaledDotProduct(given, { causal: 1 }),
      ({ attention }) => attention.scaledDotProduct(),
      ({ attention }) => attention.scores(given.q, given.k, { softcap: -1 }),
      ({ sinusoidal }) => sinusoidal.table(1000, 300, { out }),
      ({ rope }) => rope.table(1000, 300, { out: { cos: out, sin: out } }),
      ({ rope }) => rope.table(4097, 66, { out: { cos: new Float32Array(4097 * 33) } }),
      ({ rope }) => rope.table(4097, 65, { out: { cos: new Float32Array(4097 * 33), sin: out } }),
      ({ sinusoidal }) => sinusoidal.table(2 ** 20, 1, { base: 0, out: new Float32Array(2 ** 20) }),
    ];
    for (const call of wrong) {
      /** @type {any} */
      let expected;
      try {
        call(local);
      } catch (error) {
        expected = error;
      }
      assert.ok(expected instanceof Error, String(call));
      const { name, message } = expected;
      for (const phasor of pools) await assert.rejects(async () => call(phasor), { name, message });
    }
    assert.deepEqual(out, new Float32Array(7).fill(1));
  });
});

describe("workers: shared memory", () => {
  /** A tensor in shared memory. @param {Tensor} tensor */
  const shared = ({ data, shape }) => new Tensor(inShared(data.length, data), shape);

  /** @param {number} length @param {Float32Array} [data] */
  function inShared(length, data) {
    const array = new Float32Array(new SharedArrayBuffer(4 * length));
    if (data) array.set(data);
    return array;
  }

  const heads = /** @type {const} */ ([4, 6, 67, 64]);
  const given = { q: floats(heads), k: floats(heads, 2), v: floats(heads, 3) };
  const asShared = { q: shared(given.q), k: shared(given.k), v: shared(given.v) };
  const [a, b] = [floats([401, 67]), floats([333, 67], 2)];
  const wide = floats([9001, 301]);

  test("shared arguments give the same bits, and results without out are ordinary arrays", async () => {
    const bias = floats([6, 67, 67], 7);
    /** @type {[call: (phasor: any, ...x: any[]) => any, ...values: Tensor[]][]} */
    const cases = [
      [({ similarity }, x, y) => similarity.matrix(x, y), a, b],
      [({ similarity }, x) => similarity.matrix(x), floats([500, 67])],
      [({ nearest }, x, y) => nearest(x, y, { k: 5 }), wide, floats([8, 301], 2)],
      [({ nearest }, x, y) => nearest(x, y, { k: 900 }), floats([1000, 301]), floats([200, 301])],
      [({ attention }, q, k, v, bias) => attention.scaledDotProduct({ q, k, v }, { bias }), ...Object.values(given), bias], // prettier-ignore
      [({ attention }, q, k) => attention.scores(q, k), given.q, given.k],
    ];
    for (const [call, ...values] of cases) {
      const expected = bits(call(local, ...values));
      for (const phasor of pools) {
        const result = await call(phasor, ...values.map(shared));
        assert.deepEqual(bits(result), expected);
        const tensors = "data" in result ? [result] : Object.values(result);
        for (const { data } of tensors) assert.ok(data.buffer instanceof ArrayBuffer);
      }
    }
  });

  test("an index copies shared vectors", async () => {
    for (const { nearest } of pools) {
      const own = shared(floats([9001, 501]));
      const index = await nearest.index(own);
      own.data.fill(0);
      const query = floats([9001, 501]).row(8000);
      assert.equal((await index.search(query, { k: 1 })).ids.at(0), 8000);
      await index.dispose();
    }
  });

  test("workers write into a shared out", async () => {
    /** @type {[call: (phasor: any, out: any) => any, sizes: Record<string, number>][]} */
    const cases = [
      [({ similarity }, { out }) => similarity.matrix(asShared.q.reshape(-1, 64), floats([333, 64]), { out }), { out: 4 * 6 * 67 * 333 }], // prettier-ignore
      [({ similarity }, { out }) => similarity.matrix(shared(a), undefined, { out }), { out: 401 * 401 }], // prettier-ignore
      [({ attention }, out) => attention.scaledDotProduct(asShared, { out }), { output: 4 * 6 * 67 * 64, weights: 4 * 6 * 67 * 67 }], // prettier-ignore
      [({ attention }, out) => attention.scaledDotProduct(given, { out, weights: false }), { output: 4 * 6 * 67 * 64 }], // prettier-ignore
      [({ attention }, { out }) => attention.scores(given.q, given.k, { out }), { out: 4 * 6 * 67 * 67 }], // prettier-ignore
      [({ sinusoidal }, { out }) => sinusoidal.table(1001, 300, { out, offset: 5 }), { out: 300_300 }], // prettier-ignore
      [({ rope }, out) => rope.table(4097, 66, { out }), { cos: 4097 * 33, sin: 4097 * 33 }],
    ];
    for (const [call, sizes] of cases) {
      const outs = (/** @type {(size: number) => Float32Array} */ make) =>
        Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, make(size)]));
      const expected = outs((size) => new Float32Array(size));
      const returned = bits(call(local, expected));
      for (const phasor of pools) {
        const filled = outs((size) => inShared(size));
        const result = await call(phasor, filled);
        assert.deepEqual(bits(result), returned);
        for (const [name, array] of Object.entries(filled)) {
          assert.deepEqual(Float32Array.from(array), expected[name]);
          assert.equal("data" in result ? result.data : result[name].data, array);
        }
      }
    }
  });

  test("shared out and arguments that overlap give the results of one thread", async () => {
    /** @type {((phasor: any, memory: Float32Array) => any)[]} */
    const calls = [
      ({ similarity }, memory) =>
        similarity.matrix(
          new Tensor(memory.subarray(0, 401 * 67), [401, 67]),
          new Tensor(memory.subarray(100, 100 + 333 * 67), [333, 67]),
          { out: memory.subarray(401 * 33, 401 * 33 + 401 * 333) },
        ),
      ({ attention }, memory) => {
        const size = 4 * 6 * 67 * 64;
        const [q, k, v] = [0, 1, 2].map((i) => new Tensor(memory.subarray(i * size, (i + 1) * size), heads)); // prettier-ignore
        const output = memory.subarray(size / 2, size / 2 + size);
        return attention.scaledDotProduct({ q, k, v }, { weights: false, out: { output } });
      },
    ];
    const values = floats([400_000]).data;
    for (const call of calls) {
      const own = values.slice();
      const expected = bits(call(local, own));
      for (const phasor of pools) {
        const memory = inShared(values.length, values);
        assert.deepEqual(bits(await call(phasor, memory)), expected);
        assert.deepEqual(Float32Array.from(memory), own);
      }
    }
  });
});

describe("workers: termination", () => {
  test("dispose rejects pending and later calls in every worker", async () => {
    const own = await load({ workers: 3 });
    const a = floats([1500, 256]);
    const slow = [own.similarity.matrix(a), own.sinusoidal.table(4096, 1024)];
    const rejected = slow.map((call) => assert.rejects(call, DisposedError));
    await Promise.all([...rejected, own.dispose(), own.dispose()]);
    await assert.rejects(own.similarity.matrix(a), DisposedError);
    await assert.rejects(own.alibi.slopes(2), DisposedError);
  });

  test("if one worker fails, all end with its error", async () => {
    const entryUrl = JSON.stringify(import.meta.resolve("phasor/worker"));
    // Both are asked for a part of a matrix; the second has the rows that begin with 1, and fails.
    const code = `
      import { serve } from ${entryUrl};
      const fail = () => { throw new Error("out of order"); };
      const matrix = ({ data }) => void (data[0] === 1 && setImmediate(fail));
      serve(async () => ({ similarity: { matrix, add: (x) => x + 1 } }));
    `;
    const worker = `data:text/javascript,${encodeURIComponent(code)}`;
    const { similarity } = /** @type {any} */ (await load({ worker, workers: 2 }));
    const x = floats([400, 64]);
    x.data[200 * 64] = 1;
    await assert.rejects(similarity.matrix(x, floats([300, 64])));
    /** @type {any} */
    let failed;
    while (!failed)
      failed = await similarity.add(1).then(
        () => wait(5),
        (/** @type {Error} */ e) => e,
      );
    assert.ok(failed instanceof CoreError);
    assert.match(failed.message, /^the worker stopped: .*out of order; call load\(\)/);
    await assert.rejects(similarity.matrix(x), failed);
  });

  test("sparse arrays, lists with holes and inconsistent arrays are rejected as by one worker", async () => {
    const { nearest, similarity } = pools[0];
    const rows = floats([40000, 64]);
    const row = Array.from({ length: 64 }, (_, i) => i);
    const lying = Object.defineProperty(new Float32Array(64 * 400), "length", { value: 64 * 500 });
    const sparse = new Array(2 ** 32 - 1);
    for (const queries of /** @type {any[]} */ ([
      [row, , row], // eslint-disable-line no-sparse-arrays
      [row, new Array(64), row],
      sparse,
      [row, sparse],
      [sparse],
      { data: new Float32Array(64), shape: sparse },
    ])) {
      await assert.rejects(
        nearest(rows, queries),
        /^(TypeError|RangeError): \S+: .+ must .+; got /,
      );
    }
    const given = { data: lying, shape: [500, 64] };
    await assert.rejects(
      similarity.matrix(given),
      /^RangeError: \S+: a.shape must have as many elements/,
    );
  });

  test("Node waits only for pending calls", () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        `import { load } from "phasor/worker";
         const { similarity } = await load({ workers: 2 });
         const a = { data: new Float32Array(400 * 64), shape: [400, 64] };
         similarity.matrix(a).then(({ shape }) => console.log(shape.join()));`,
      ],
      { cwd: project, encoding: "utf8", timeout: 120_000 },
    );
    assert.equal(status, 0);
    assert.equal(stdout, "400,400\n");
  });
});

describe("workers: load", () => {
  test("it accepts a number from 1 to 256", async () => {
    for (const workers of [0, -1, 1.5, 257, NaN]) {
      await assert.rejects(
        load({ workers }),
        /^RangeError: \S+: workers must be a whole number from 1 to 256; got/,
      );
    }
    for (const workers of /** @type {any[]} */ (["2", null, true])) {
      await assert.rejects(
        load({ workers }),
        /^TypeError: \S+: workers must be a whole number; got/,
      );
    }
  });

  test("it accepts an address, from which it starts several, but no worker of the program", async () => {
    const own = await load({ worker: threadUrl, workers: 2 });
    const a = floats([400, 64]);
    assert.deepEqual(bits(await own.similarity.matrix(a)), bits(local.similarity.matrix(a)));
    await own.dispose();
    const thread = new Thread(threadUrl);
    await assert.rejects(
      load({ worker: /** @type {any} */ (thread), workers: 2 }),
      /^RangeError: \S+: workers must be 1 with a Worker; give its address to start several; got 2$/,
    );
    await thread.terminate();
  });

  test("if one fails to start, all are terminated", async () => {
    const missing = new URL("no-such-worker.js", threadUrl);
    await assert.rejects(load({ worker: missing, workers: 3 }), LoadError);
    await assert.rejects(load({ wasm: new Uint8Array(3), workers: 3 }), LoadError);
  });
});
