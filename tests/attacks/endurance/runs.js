/** What is done very many times, and what memory it may keep: none. */

import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { load, Tensor } from "../../phasor.js";
import { watched } from "../../unit/watched.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/**
 * Memory after garbage collection, in bytes: JavaScript's objects, what typed arrays and WebAssembly take, and the
 * memory of the core that a run uses.
 * @typedef {{heap: number, outside: number, wasm: number}} Memory
 *
 * @typedef {object} Run
 * @property {string} name
 * @property {number} count
 * @property {() => Promise<{step: (i: number) => unknown, wasm: () => number}>} make
 *
 * What a run took: memory after a tenth of the steps, and after all.
 * @typedef {{name: string, count: number, early: Memory, late: Memory}} Taken
 */

/** Bytes that the heap of an engine varies by, whatever runs; a byte for each of a million steps would be more. */
export const SLACK = 2 ** 20;

/** @param {() => number} wasm @returns {Promise<Memory>} */
async function measured(wasm) {
  for (let i = 0; i < 4; ++i) {
    collect();
    await turn(); // finalizers run between two turns
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return { heap: heapUsed, outside: external + arrayBuffers, wasm: wasm() };
}

/** @param {Run} run @returns {Promise<Taken>} */
export async function endure({ name, count, make }) {
  const { step, wasm } = await make();
  const tenth = Math.ceil(count / 10);
  /** @type {Memory | undefined} */
  let early;
  for (let i = 0; i < count; ++i) {
    if (i === tenth) early = await measured(wasm);
    const result = step(i);
    if (result instanceof Promise) await result;
    else if (i % 1000 === 0) await turn();
  }
  const late = await measured(wasm);
  return { name, count, early: early ?? late, late };
}

/** By how much memory grew. @param {Taken} taken @returns {Memory} */
export const growth = ({ early, late }) => ({
  heap: late.heap - early.heap,
  outside: late.outside - early.outside,
  wasm: late.wasm - early.wasm,
});

/** @param {Taken} taken */
export function isFlat(taken) {
  const { heap, outside, wasm } = growth(taken);
  return heap <= SLACK && outside <= SLACK && wasm === 0;
}

/** Objects that hold memory of the core. */
async function lives() {
  const { bytes, embedding, nearest, rope } = await watched();
  const ids = Int32Array.of(3, 1);
  const heads = new Tensor(new Float32Array(8).fill(1), [1, 2, 4]);
  const rows = new Tensor(new Float32Array(32).fill(0.5), [8, 4]);
  const kinds = [
    () => embedding.zeros(8, 4),
    () => embedding.create(8, 4, { seed: 5 }),
    () => embedding.create(8, 4, { storage: "on-demand" }),
    () => embedding.quantize(rows, { dtype: "int8" }),
  ];
  return {
    wasm: bytes,
    /** @param {number} i */
    step(i) {
      if (i % 6 === 4) {
        const cache = rope.cache(4);
        cache.apply(heads, heads, { position: 0 });
        return cache.dispose();
      }
      if (i % 6 === 5) {
        const index = nearest.index(rows);
        index.search([1, 1, 1, 1], { k: 1 });
        return index.dispose();
      }
      const table = kinds[i % 6]();
      table.lookup(ids);
      table.dispose();
    },
  };
}

/** Calls with an argument that is refused, each in another place: before, in and after the core's work. */
async function refusals() {
  const { bytes, ...phasor } = await watched();
  const { attention, dtypes, embedding, nearest, normalize, rope, sinusoidal } = phasor;
  const table = embedding.zeros(8, 4);
  const gone = embedding.zeros(8, 4);
  gone.dispose();
  const wrong = /** @type {any} */ ("wrong");
  const calls = [
    () => sinusoidal.table(-1, 4),
    () => sinusoidal.table(4, 4, /** @type {any} */ ({ lenght: 4 })),
    () => rope.table([NaN], 4),
    () => rope.apply([[1, 2, 3]], rope.table(1, 4)),
    () => rope.table(4, 4, { scaling: /** @type {any} */ ({ type: "wrong" }) }),
    () => normalize.l2([[1], [2, 3]]),
    () => normalize.l2([3, 4], { out: wrong }),
    () => embedding.create(0, 4),
    () => embedding.create(2 ** 30, 2 ** 30),
    () => table.lookup([8]),
    () => table.lookup([0], { add: [1] }),
    () => gone.lookup([0]),
    () => nearest([[1, NaN]], [1, 1], { metric: wrong }),
    () => attention.scaledDotProduct({ q: [[1]], k: [[1, 2]], v: [[1]] }),
    () => dtypes.decode({ bytes: new Uint8Array(3), dtype: "float16", shape: [2] }),
    () => new Tensor(new Float32Array(3), [2]),
  ];
  return {
    wasm: bytes,
    /** @param {number} i */
    step: (i) => assert.throws(calls[i % calls.length]),
  };
}

/** Separate cores, each used once and then dropped. */
const loads = async () => ({
  wasm: () => 0, // counted outside
  async step() {
    const { sinusoidal } = await load({ shared: false });
    assert.equal(sinusoidal.table(1, 2).at(0, 1), 1);
  },
});

/**
 * @param {number} [share]  of the counts
 * @returns {Run[]}
 */
export const runs = (share = 1) => [
  { name: "create, use, dispose", count: 1e6 * share, make: lives },
  { name: "refused calls", count: 1e6 * share, make: refusals },
  { name: "load({ shared: false })", count: 1e4 * share, make: loads },
];
