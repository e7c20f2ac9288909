// How the time of what reads rows grows with their number: where all rows are equal, all zero, all distinct. The exponent
// is measured, not seconds. Equal rows are common in vocabularies: reserved tokens, padding.
import assert from "node:assert/strict";
import { test } from "node:test";
import { noise } from "../unit/reference/samples.js";
import { phasor } from "../phasor.js";
import { everyNth } from "../sample.js";
import { explore } from "phasor/open";

const {
  procrustes,
  pca,
  nearest,
  statistics,
  similarity,
  embedding,
  pooling,
  normalize,
  positionIds,
} = phasor;

/** The largest exponent: 1 is linear, sorting and rows that leave a cache are more, 2 is what must not be. */
const MOST = 1.75;

/** Rows until a call takes this many ms. */
const ENOUGH = 8;

const D = 4;

/** @type {Record<string, (N: number) => Float32Array>} */
const ROWS = {
  equal: (N) => new Float32Array(N * D).fill(0.5),
  zero: (N) => new Float32Array(N * D),
  distinct: (N) => noise(N * D),
};

/** @typedef {{data: Float32Array, shape: number[]}} Rows */
/** @type {Record<string, (rows: Rows) => unknown>} */
const CALLED = {
  "nearest: one query": (rows) => nearest(rows, rows.data.slice(0, D), { k: 10 }),
  "nearest: as many neighbors as rows": (rows) =>
    nearest(rows, rows.data.slice(0, D), { k: rows.shape[0] }),
  "nearest.index": (rows) => using(nearest.index(rows), (index) => index.search([1, 0, 0, 0])),
  pca: (rows) => pca(rows),
  procrustes: (rows) => procrustes(rows, rows),
  "statistics.norms": (rows) => statistics.norms(rows),
  "statistics.summary": (rows) => statistics.summary(rows),
  "statistics.singularValues": (rows) => statistics.singularValues(rows),
  "similarity.rows": (rows) => similarity.rows(rows, rows),
  "similarity.matrix": (rows) =>
    similarity.matrix(rows, { data: rows.data.slice(0, D), shape: [1, D] }),
  "normalize.l2": (rows) => normalize.l2(rows),
  "positionIds.fromMask": ({ data, shape: [N] }) =>
    positionIds.fromMask({ data: data.slice(0, N).map((x) => Number(x !== 0)), shape: [1, N] }),
  "embedding.lookup": ({ data, shape: [N] }) =>
    // Narrow: above 32 MB the system takes the pages of a result back, and gives others for the next one.
    using(embedding.zeros(64, D), (table) =>
      table.lookup(Int32Array.from({ length: N }, (_, n) => data[n] & 63)),
    ),
  "embedding.quantize": (rows) => embedding.quantize(rows, { dtype: "int8" }),
  "pooling.apply": ({ data, shape: [N] }) => pooling.apply({ data, shape: [1, N, D] }),
  "Explorer.duplicates": (rows) => explored(rows, (it) => it.duplicates()),
  "Explorer.outliers": (rows) => explored(rows, (it) => it.outliers()),
  "Explorer.norms": (rows) => explored(rows, (it) => it.norms()),
};

/** @template {{dispose(): void}} T @param {T} it @param {(it: T) => unknown} use */
function using(it, use) {
  use(it);
  it.dispose();
}

/** @param {Rows} rows @param {(it: import("phasor/open").Explorer) => unknown} use */
function explored(rows, use) {
  using(embedding.from(rows), (table) => use(explore(phasor, table)));
}

/** The least time of some calls in ms of this process. @param {() => unknown} call @param {number} times */
function timeOf(call, times) {
  let least = Infinity;
  for (let i = 0; i < times; ++i) {
    const start = process.cpuUsage();
    call();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** @param {(rows: Rows) => unknown} call @param {(N: number) => Float32Array} fill */
function exponentOf(call, fill) {
  const at = (/** @type {number} */ N, /** @type {number} */ times) => {
    const rows = { data: fill(N), shape: [N, D] };
    return timeOf(() => call(rows), times);
  };
  let N = 1000;
  while (at(N, 2) < ENOUGH && N < 256_000) N *= 2;
  return Math.log(at(4 * N, 3) / at(N, 4)) / Math.log(4);
}

const isWanted = everyNth(2);

for (const [name, call] of Object.entries(CALLED)) {
  for (const [kind, fill] of Object.entries(ROWS)) {
    if (!isWanted()) continue;
    test(`${name} of rows that are ${kind} takes time in proportion to their number`, (t) => {
      let exponent = Infinity;
      for (let tries = 0; tries < 10 && exponent > MOST; ++tries) exponent = exponentOf(call, fill);
      t.diagnostic(`exponent ${exponent.toFixed(2)}`);
      assert.ok(exponent <= MOST, `exponent ${exponent}`);
    });
  }
}
