// One worker against two, on the calls that are split: how much less time two take, with arrays that are copied for the
// workers and with arrays in shared memory.

import { loadavg } from "node:os";
import { race, uniform } from "./measure.js";
import { digits, table } from "./report.js";

/** @import { Found } from "./record.js" */

/**
 * @param {string} entry  of phasor, as a URL; phasor/worker is beside it
 * @param {number} rounds
 * @returns {Promise<Found>} no goals: what a second core gives depends on what else runs
 */
export async function runWorkers(entry, rounds) {
  /** @type {typeof import("phasor/worker")} */
  const { load } = await import(new URL("worker.js", entry).href);
  const phasors = [await load(), await load({ workers: 2 })];
  console.log("\nworkers  one worker against two: the shortest runs, and the ratio of the medians");
  const lines = [["", "one, ms", "two, ms", "one / two", "of medians"]];
  for (const kind of ["copied", "shared"]) {
    for (const [name, make] of jobs) {
      const run = make(kind === "shared" ? inShared : (length) => new Float32Array(length));
      const calls = await Promise.all(phasors.map(run));
      const contestants = calls.map((call, i) => ({ name: `${i + 1}`, run: call }));
      const [one, two] = await race(contestants, rounds);
      const ratios = [one.least / two.least, one.median / two.median];
      lines.push([`${name}, ${kind}`, ...[one.least, two.least, ...ratios].map(digits)]);
      await Promise.all(calls.map(({ finish }) => finish?.()));
    }
  }
  console.log(table(lines));
  console.log(`Load of the machine: ${loadavg()[0].toFixed(1)}.`);
  await Promise.all(phasors.map(({ dispose }) => dispose()));
  return { judgements: [] };
}

/** An array in shared memory. @param {number} length */
const inShared = (length) => new Float32Array(new SharedArrayBuffer(4 * length));

/** @typedef {(length: number) => Float32Array} Make  makes an array, shared or not */
/** @typedef {(() => unknown) & {finish?: () => unknown}} Call */
/** @typedef {(phasor: import("phasor/worker").RemotePhasor) => Call | Promise<Call>} Job */

/** A tensor of random numbers within 1. @param {Make} make @param {...number} shape */
function floats(make, ...shape) {
  const random = uniform(17 + shape.length);
  const data = make(shape.reduce((product, size) => product * size, 1));
  for (let i = 0; i < data.length; ++i) data[i] = 2 * random() - 1;
  return { data, shape };
}

/**
 * A search of an index, which has copies of its rows whatever memory they were in.
 * @param {number} count  queries @returns {(make: Make) => Job}
 */
const searched = (count) => (make) => {
  const [words, queries] = [floats(make, 50257, 768), floats(make, count, 768)];
  return async ({ nearest }) => {
    const index = await nearest.index(words);
    return Object.assign(() => index.search(queries), { finish: () => index.dispose() });
  };
};

/**
 * The two principal components of rows that vary most in the first columns, or in none.
 * @param {boolean} isNoise @returns {(make: Make) => Job}
 */
const components = (isNoise) => (make) => {
  const rows = floats(make, 50257, 768);
  const outstanding = isNoise ? 0 : 2;
  for (let i = 0; i < rows.data.length; ++i) {
    const column = i % 768;
    if (column < outstanding) rows.data[i] *= 8 - 3 * column;
  }
  return ({ pca }) => {
    /** @type {Awaited<ReturnType<typeof pca>>[]} */
    const found = [];
    const run = async () => void found.push(await pca(rows));
    return Object.assign(run, { finish: () => Promise.all(found.map((each) => each.dispose())) });
  };
};

/** The calls that are split, by name. @type {readonly [string, (make: Make) => Job][]} */
const jobs = [
  [
    "similarity.matrix of 2000 x 768",
    (make) => {
      const rows = floats(make, 2000, 768);
      return ({ similarity }) =>
        () =>
          similarity.matrix(rows);
    },
  ],
  [
    "similarity.matrix of 2000 x 768 with 2000 x 768, out",
    (make) => {
      const [a, b] = [floats(make, 2000, 768), floats(make, 2000, 768)];
      const out = make(2000 * 2000);
      return ({ similarity }) =>
        () =>
          similarity.matrix(a, b, { out });
    },
  ],
  [
    "nearest: 32 queries of 50257 x 768",
    (make) => {
      const [words, queries] = [floats(make, 50257, 768), floats(make, 32, 768)];
      return ({ nearest }) =>
        () =>
          nearest(words, queries);
    },
  ],
  ["nearest.index: 1 query of 50257 x 768", searched(1)],
  ["nearest.index: 32 queries of 50257 x 768", searched(32)],
  ["pca of 50257 x 768", components(false)],
  ["pca of 50257 x 768, white noise", components(true)],
  [
    "attention of 4 x 12 x 512 x 64",
    (make) => {
      const [q, k, v] = [0, 1, 2].map(() => floats(make, 4, 12, 512, 64));
      return ({ attention }) =>
        () =>
          attention.scaledDotProduct({ q, k, v });
    },
  ],
  [
    "attention of 4 x 12 x 512 x 64, out",
    (make) => {
      const [q, k, v] = [0, 1, 2].map(() => floats(make, 4, 12, 512, 64));
      const out = { output: make(4 * 12 * 512 * 64), weights: make(4 * 12 * 512 * 512) };
      return ({ attention }) =>
        () =>
          attention.scaledDotProduct({ q, k, v }, { out });
    },
  ],
  [
    "attention of 4 x 12 x 512 x 64 without weights",
    (make) => {
      const [q, k, v] = [0, 1, 2].map(() => floats(make, 4, 12, 512, 64));
      return ({ attention }) => () => attention.scaledDotProduct({ q, k, v }, { weights: false }); // prettier-ignore
    },
  ],
  [
    "sinusoidal.table 8192 x 1024, out",
    (make) => {
      const out = make(8192 * 1024);
      return ({ sinusoidal }) =>
        () =>
          sinusoidal.table(8192, 1024, { out });
    },
  ],
  [
    "rope.table 32768 x 256, out",
    (make) => {
      const out = { cos: make(32768 * 128), sin: make(32768 * 128) };
      return ({ rope }) =>
        () =>
          rope.table(32768, 256, { out });
    },
  ],
];
