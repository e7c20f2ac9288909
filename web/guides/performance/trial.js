// A few small tasks, phasor next to plain JavaScript, measured in short slices: a page that does this stays responsive.

import * as loops from "./loops.js";

/** @import { Phasor } from "phasor" */

/**
 * @typedef {object} Pair  a task by both
 * @property {() => unknown} ours
 * @property {() => unknown} loop
 * @property {[Float32Array, Float32Array]} results  of both, after a run
 *
 * @typedef {object} Timed
 * @property {string} title
 * @property {number} ours  ms @property {number} loop  ms
 *
 * @typedef {object} Slice
 * @property {number} progress  0 to 1
 * @property {Timed} [timed]  a task that is done
 * @property {string} [note]
 */

/** Milliseconds of a slice, and slices of each contestant. */
const [SLICE, ROUNDS] = [8, 11];

/** @type {readonly {title: string, make: (phasor: Phasor) => Pair}[]} */
export const tasks = [
  {
    title: "sinusoidal.table, 512 × 512",
    make({ sinusoidal }) {
      const [T, D] = [512, 512];
      const theta = loops.frequencies(D / 2);
      const [ours, loop] = arrays(T * D);
      return {
        ours: () => sinusoidal.table(T, D, { out: ours }),
        loop: () => loops.sinusoidalByAddition(T, theta, loop),
        results: [ours, loop],
      };
    },
  },
  {
    title: "rope.apply of (1, 32, 128, 128)",
    make({ rope }) {
      const [H, T, P] = [32, 128, 64];
      const x = noise(H * T * 2 * P);
      const tensor = { data: x, shape: [1, H, T, 2 * P] };
      const table = rope.table(T, 2 * P);
      const [ours, loop] = arrays(x.length);
      return {
        ours: () => rope.apply(tensor, table, { layout: "halves", out: ours }),
        loop: () => loops.rotateHalves(x, table.cos.data, table.sin.data, T, P, loop),
        results: [ours, loop],
      };
    },
  },
  {
    title: "embedding.lookup of 512 ids in 4,000 × 768, scaled",
    make({ embedding }) {
      const [V, T, D] = [4000, 512, 768];
      const weights = noise(V * D);
      const table = embedding.from({ data: weights, shape: [V, D] });
      const ids = Int32Array.from({ length: T }, (_, t) => (t * 1999) % V);
      const [ours, loop] = arrays(T * D);
      return {
        ours: () => table.lookup(ids, { scale: "sqrt", out: ours }),
        loop: () => loops.scaledLookup(weights, D, ids, Math.sqrt(D), loop),
        results: [ours, loop],
      };
    },
  },
  {
    title: "similarity.matrix, cosines of 200 × 384",
    make({ similarity }) {
      const [N, D] = [200, 384];
      const x = noise(N * D);
      const tensor = { data: x, shape: [N, D] };
      const [ours, loop] = arrays(N * N);
      return {
        ours: () => similarity.matrix(tensor, tensor, { out: ours }),
        loop: () => loops.cosines(x, D, loop),
        results: [ours, loop],
      };
    },
  },
];

/**
 * Measures every task. It yields after each slice, so that the page can draw and answer.
 * @param {Phasor} phasor
 * @returns {AsyncGenerator<Slice, void>}
 */
export async function* measure(phasor) {
  for (const [i, { title, make }] of tasks.entries()) {
    const { ours, loop } = make(phasor);
    const runs = [ours, loop];
    const turns = runs.map((run) => turnsOf(run));
    const times = runs.map(() => /** @type {number[]} */ ([]));
    for (let round = 0; round < ROUNDS; ++round) {
      for (const [c, run] of runs.entries()) {
        times[c].push(timeOf(run, turns[c]));
        yield { progress: (i + (round + c / 2) / ROUNDS) / tasks.length, note: title };
      }
    }
    const timed = { title, ours: median(times[0]), loop: median(times[1]) };
    yield { progress: (i + 1) / tasks.length, timed };
  }
}

/** How many runs fill a slice, after some that warm up. @param {() => unknown} run */
function turnsOf(run) {
  const start = performance.now();
  let runs = 0;
  for (; performance.now() - start < 2 * SLICE; ++runs) run();
  return Math.max(1, Math.ceil(runs / 2));
}

/** Milliseconds of a run. @param {() => unknown} run @param {number} turns */
function timeOf(run, turns) {
  const start = performance.now();
  for (let turn = 0; turn < turns; ++turn) run();
  return (performance.now() - start) / turns;
}

/** @param {number[]} values  an odd number of them */
function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** Two arrays for results. @param {number} length @returns {[Float32Array, Float32Array]} */
function arrays(length) {
  return [new Float32Array(length), new Float32Array(length)];
}

/** Numbers within 1, in little time. @param {number} length */
function noise(length) {
  const numbers = new Float32Array(length);
  for (let i = 0; i < length; ++i) numbers[i] = (Math.imul(i, 0x9e3779b1) >> 8) / 2 ** 23;
  return numbers;
}
