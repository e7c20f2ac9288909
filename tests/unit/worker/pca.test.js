// Principal components of rows that several workers share: the bits of one worker. Up to 20 s of CPU: smaller arrays are
// not split.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { load, OutOfMemoryError, Tensor, transfer } from "phasor/worker";
import { pool } from "../../../src/worker/pool.js";
import { phasor as local } from "../../phasor.js";
import { noise } from "../reference/samples.js";
import { everyNth, isNight } from "../../sample.js";

/** @import { RemotePhasor } from "phasor/worker" */
/** @typedef {{data: Float32Array, shape: number[]}} Given */
/** @typedef {NonNullable<Parameters<typeof local.pca>[1]>} Options */

/** Rows of a segment, whose sums are added up in order (src/analysis/pca/sums.js). */
const SEGMENT = 1024;

const WORKERS = [1, 2, 3, 5];
/** @type {RemotePhasor[]} */
const pools = [];
before(async () => {
  for (const workers of WORKERS) pools.push(await load({ workers }));
});
after(() => Promise.all(pools.map(({ dispose }) => dispose())));

const NAMES = /** @type {const} */ ([
  "mean",
  "components",
  "explainedVariance",
  "explainedVarianceRatio",
  "singularValues",
  "projected",
]);

/** The bits of a result, and of the projections of other rows. @param {any} found @param {Given} more */
async function bitsOf(found, more) {
  const tensors = [...NAMES.map((name) => found[name]), await found.project(more)];
  return tensors.map(({ data, shape }) => ({ shape, bits: new Uint32Array(data.slice().buffer) }));
}

/** @param {number} N @param {number} D @param {(x: number, n: number, d: number) => number} make @returns {Given} */
function rows(N, D, make) {
  const data = noise(N * D, N + D).map((x, i) => make(x, Math.floor(i / D), i % D));
  return { data, shape: [N, D] };
}

/**
 * Workers that are this very thread, and how many parts of rows each was given.
 * @param {number} n
 * @param {(method: string, worker: number) => void} [before]  runs before each call of a part
 */
function counted(n, before = () => {}) {
  const parts = Array.from({ length: n }, () => ({ made: 0, disposed: 0 }));
  const phasors = parts.map((count, i) => {
    const pca = async (/** @type {[any]} */ ...values) => local.pca(...values);
    Object.defineProperty(pca, "part", {
      value: async (/** @type {any[]} */ ...values) => {
        ++count.made;
        const part = /** @type {any} */ (local.pca).part(...values);
        const methods = Object.keys(part).map((name) => [
          name,
          async (/** @type {any[]} */ ...values) => {
            before(name, i);
            if (name === "dispose") ++count.disposed;
            return part[name](...values);
          },
        ]);
        return Object.fromEntries(methods);
      },
    });
    return { pca, dispose: async () => {} };
  });
  return { parts, phasor: pool(phasors) };
}

let turn = 0;

/** The pool of one number of workers in turn, but for one alone, which splits nothing; at night all pools. */
const nextPools = () => (isNight ? pools : [pools[1 + (turn++ % (WORKERS.length - 1))]]);

/**
 * Checks that pools give the bits of one thread, and whether the rows are split.
 * @param {Given} x @param {Options} [options] @param {boolean} [isSplit]
 */
async function same(x, options, isSplit = true) {
  const more = { data: x.data.slice(0, 3 * x.shape[1]), shape: [3, x.shape[1]] };
  const expected = await bitsOf(local.pca(x, options), more);
  for (const { pca } of nextPools()) {
    const found = await pca(x, options);
    assert.deepEqual(await bitsOf(found, more), expected);
    assert.deepEqual(Object.keys(found).sort(), [...NAMES, "dispose", "project"].sort());
    await found.dispose();
  }
  const { parts, phasor } = counted(2);
  await phasor.pca(x, options).catch(() => {});
  const times = Number(isSplit);
  assert.deepEqual(parts, Array(2).fill({ made: times, disposed: times }));
}

const outstanding = rows(6000, 400, (x, _, d) => x * (d < 2 ? 8 - 3 * d : 1));

/** Kinds of rows: the first three in each change's run, all at night. @type {[string, Parameters<typeof rows>[2]][]} */
const kinds = [
  ["directions that stand out", (x, _, d) => x * (d < 5 ? 9 - d : 1)],
  ["means far from that of a sample", (x, n, d) => (n % 12 ? 0 : 40) + x * (d < 2 ? 8 : 1)],
  ["zeros and equal rows", (x, n, d) => (n % 3 ? (n % 5 ? d % 11 : 0) : x * (d < 2 ? 8 : 1))],
  ["white noise", (x) => x],
  ["a common mean", (x, _, d) => 3 * ((d % 7) - 3) + x * (d < 3 ? 9 - d : 1)],
  ["a sample of zeros", (x, n, d) => (n % 2 ? x * (d < 2 ? 8 - 3 * d : 1) : 0)],
  ["zeros", () => 0],
  ["variances far apart", (x, _, d) => x * (d < 3 ? 30 ** -d : 1e-3)],
  ["numbers beyond the squares of float32", (x, _, d) => 1e18 * x * (d < 2 ? 8 : 1)],
];

/** @type {Options[]} */
const OPTIONS = [{}, { components: 1 }, { components: 3, accumulate: "float64" }];

describe("workers: pca", () => {
  const isTaken = everyNth(2);
  for (const [what, make] of isNight ? kinds : kinds.slice(0, 3)) {
    test(`rows with ${what} give the bits of one worker`, async () => {
      const x = rows(5500, 400, make);
      for (const options of OPTIONS.filter(isTaken)) await same(x, options);
    });
  }

  test("row counts near the ends of segments give the same bits", async () => {
    const segments = isNight ? [2, 4, 5] : [4];
    for (const N of segments.flatMap((n) => [-1, 0, 1].map((more) => n * SEGMENT + more))) {
      for (const accumulate of /** @type {const} */ (["float32", "float64"])) {
        if (!isNight && (accumulate === "float32") === N % 2 > 0) continue;
        const D = Math.ceil(2 ** 21 / N); // as few as are split
        const x = rows(N, D, (x, _, d) => x * (d < 2 ? 8 - 3 * d : 1));
        await same(x, { accumulate });
      }
    }
  });

  test("fewer rows than columns, and more components, give the same bits", async () => {
    await same(rows(1030, 2040, (x, _, d) => x * (d < 3 ? 12 - 3 * d : 1)));
    // All products of rows, and all eigenvalues, which take seconds.
    if (isNight) await same(rows(1030, 2040, (x) => x));
    await same(
      rows(2100, 1051, (x, _, d) => x * (d < 7 ? 12 - d : 1)),
      { components: 6 },
    );
  });

  test("a pca that one worker computes is not split", async () => {
    await same(
      rows(1024, 2100, (x, _, d) => x * (d < 2 ? 8 : 1)),
      {},
      false,
    ); // one segment
    await same(
      rows(3000, 201, (x, _, d) => x * (d < 2 ? 8 : 1)),
      {},
      false,
    ); // few numbers
    await same(
      rows(11000, 191, (x, _, d) => x * (d < 2 ? 8 : 1)),
      {},
      false,
    ); // narrow
    await same(outstanding, { components: 9 }, false); // all eigenvalues
  });

  test("doubles, arrays in shared memory and tensors give the same bits", async () => {
    const { data, shape } = outstanding;
    const shared = new Float32Array(new SharedArrayBuffer(data.byteLength));
    shared.set(data);
    const doubles = Float64Array.from(data, (x) => x / 3);
    for (const given of [new Tensor(data, shape), { data: shared, shape }]) {
      await same(/** @type {any} */ (given));
    }
    await same(/** @type {any} */ ({ data: doubles, shape }));
    const noisy = rows(5500, 400, (x) => x);
    shared.set(noisy.data.subarray(0, shared.length));
    await same({ data: shared.subarray(0, noisy.data.length), shape: noisy.shape });
    assert.deepEqual(shared.subarray(0, noisy.data.length), noisy.data);
  });

  test("changes by the caller during the call have no effect", async () => {
    const more = { data: outstanding.data.slice(0, 800), shape: [2, 400] };
    const expected = await bitsOf(local.pca(outstanding, { components: 3 }), more);
    for (const { pca } of nextPools()) {
      const [data, options] = [outstanding.data.slice(), { components: 3 }];
      const asked = pca({ data, shape: outstanding.shape }, options);
      data.fill(7);
      options.components = 1;
      assert.deepEqual(await bitsOf(await asked, more), expected);
    }
  });

  test("a transferred array is moved to the first worker", async () => {
    const expected = local.pca(outstanding).components.data;
    for (const { pca } of nextPools()) {
      const data = outstanding.data.slice();
      const asked = pca({ data: transfer(data), shape: outstanding.shape });
      assert.equal(data.length, 0);
      assert.deepEqual((await asked).components.data, expected);
    }
  });

  test("numbers that are not finite are named as by one worker, and everything is released", async () => {
    const [N, D] = outstanding.shape;
    const isTaken = everyNth(2);
    for (const at of [0, 8 * D, 2 * SEGMENT * D - 1, 4096 * D + 17, N * D - 1]) {
      for (const bad of [NaN, Infinity, -Infinity]) {
        if (!isTaken()) continue;
        const data = outstanding.data.slice();
        data[at] = bad;
        if (at < 8 * D) data[N * D - 1] = -bad; // the first is named
        const message = `pca: x must contain finite numbers; got ${bad} at ${at}`;
        for (const { pca } of nextPools()) {
          const asked = pca({ data, shape: [N, D] });
          await assert.rejects(asked, { name: "RangeError", message });
        }
        const { parts, phasor } = counted(3);
        await assert.rejects(phasor.pca({ data, shape: [N, D] }), { message });
        assert.deepEqual(parts, Array(3).fill({ made: 1, disposed: 1 }));
      }
    }
  });

  test("invalid arguments are rejected as by one worker", async () => {
    const { data, shape } = outstanding;
    /** @type {any[][]} */
    const wrong = [
      [outstanding, { components: 0 }],
      [outstanding, { components: 401 }],
      [outstanding, { components: "2" }],
      [outstanding, { accumulate: "double" }],
      [outstanding, { accumulated: "float64" }],
      [outstanding, 2],
      [outstanding, null],
      [{ data, shape: [6000, 399] }],
      [{ data, shape: [...shape, 1] }],
      [{ data, shape, strides: [1, 6000] }],
      [new Float32Array(2 ** 21)],
    ];
    for (const given of wrong) {
      /** @type {any} */
      let expected;
      try {
        local.pca(.../** @type {[any]} */ (given));
      } catch (error) {
        expected = error;
      }
      assert.ok(expected instanceof Error);
      const { name, message } = expected;
      for (const { pca } of pools) {
        await assert.rejects(() => pca(.../** @type {[any]} */ (given)), { name, message });
      }
    }
  });

  test("if a part fails, the call rejects with its error, and all parts end", async () => {
    for (const method of ["next", "sums", "rows", "project", "principal"]) {
      const worker = ["next", "principal"].includes(method) ? 0 : 2;
      const { parts, phasor } = counted(3, (called, i) => {
        if (called === method && i === worker) throw new OutOfMemoryError("pca", 7);
      });
      await assert.rejects(phasor.pca(outstanding), OutOfMemoryError, method);
      assert.deepEqual(parts, Array(3).fill({ made: 1, disposed: 1 }));
    }
  });

  test("concurrent calls do not interfere, nor with other calls of the worker", async () => {
    const other = rows(5500, 400, (x, _, d) => x * (d > 390 ? 8 - 3 * (d % 2) : 1));
    const expected = [outstanding, other].map((x) => local.pca(x).projected.data);
    const small = { data: other.data.slice(0, 2000), shape: [10, 200] };
    const cosines = local.similarity.matrix(small).data;
    for (const { pca, similarity } of nextPools()) {
      const [a, b, c] = await Promise.all([pca(outstanding), pca(other), similarity.matrix(small)]);
      assert.deepEqual([a.projected.data, b.projected.data, c.data], [...expected, cosines]);
      await Promise.all([a.dispose(), b.dispose()]);
    }
  });

  test("the result is an object that stays in a worker", async () => {
    for (const { pca } of nextPools()) {
      const found = await pca(outstanding);
      assert.ok(Object.isFrozen(found));
      await assert.rejects(
        found.project([[1, 2]]),
        /^RangeError: \S+: x must have shape \[..., 400\]; got \[1, 2\]$/,
      );
      await found.dispose();
      await assert.rejects(found.project(outstanding), { name: "DisposedError" });
    }
  });

  test("the split of the rows is not part of the interface", async () => {
    assert.deepEqual(Object.keys(local.pca), []);
    for (const { pca } of pools) assert.deepEqual(Object.keys(pca), []);
  });
});
