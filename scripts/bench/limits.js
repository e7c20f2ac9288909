// The machine's limits: the kernels of limits.wat on a separate memory, and what a typed array
// does on plain arrays.

import { readFile } from "node:fs/promises";

/** @typedef {import("./measure.js").Contestant} Contestant */

/** The last-level cache that results must not stay in from one turn to the next, in bytes, twice. */
const BEYOND_CACHE = 2 * 2 ** 25;

/**
 * How many buffers a contestant goes round, so that none is in the cache when its turn comes.
 * @param {number} bytes of one
 */
export function buffersFor(bytes) {
  return Math.max(2, Math.ceil(BEYOND_CACHE / bytes));
}

/**
 * Plain arrays, every page of them touched.
 * @param {number} count @param {number} length
 */
export function arrays(count, length) {
  return Array.from({ length: count }, () => new Float32Array(length).fill(1));
}

/**
 * A contestant that writes its results into the given arrays, one after the other.
 * @param {string} name @param {Float32Array[]} outs gone round @param {number} tolerance
 * @param {(out: Float32Array, i: number) => unknown} run does the job, into the i-th array
 * @returns {Contestant}
 */
export function into(name, outs, tolerance, run) {
  return {
    name,
    run: (turn) => run(outs[turn % outs.length], turn % outs.length),
    result: () => [outs[0]],
    tolerance,
  };
}

/** @type {Promise<WebAssembly.Module> | undefined} */
let compiled;

/** @param {number} bytes */
async function machine(bytes) {
  compiled ??= compileLimits();
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65536) });
  new Float32Array(memory.buffer).fill(1);
  const { exports } = await WebAssembly.instantiate(await compiled, { bench: { memory } });
  const kernels =
    /** @type {Record<"fill" | "copy" | "read" | "gather" | "multiplyAddFloats" | "multiplyAddDoubles", (...numbers: number[]) => void>} */ (
      /** @type {unknown} */ (exports)
    );
  return { memory, ...kernels };
}

async function compileLimits() {
  const { default: binaryen } = await import("binaryen");
  const text = await readFile(new URL("limits.wat", import.meta.url), "utf8");
  const module = binaryen.parseText(text);
  module.setFeatures(binaryen.Features.SIMD128 | binaryen.Features.BulkMemory);
  if (!module.validate()) throw new Error("limits.wat is not a valid module.");
  const bytes = module.emitBinary();
  module.dispose();
  return WebAssembly.compile(/** @type {BufferSource} */ (bytes));
}

/**
 * Filling results of this many bytes.
 * @param {number} bytes a multiple of 64
 * @returns {Promise<Contestant[]>}
 */
export async function fillLimits(bytes) {
  const count = buffersFor(bytes);
  const { fill } = await machine(count * bytes);
  const plain = arrays(count, bytes / 4);
  return [
    { name: "fill", limit: true, run: (turn) => fill((turn % count) * bytes, bytes, 0.5) },
    { name: "Float32Array fill", limit: true, run: (turn) => plain[turn % count].fill(0.5) },
  ];
}

/**
 * Copying tensors of this many bytes.
 * @param {number} bytes
 * @returns {Promise<Contestant[]>}
 */
export async function copyLimits(bytes) {
  const count = buffersFor(bytes);
  const { copy } = await machine(2 * count * bytes);
  const from = arrays(count, bytes / 4);
  const to = arrays(count, bytes / 4);
  return [
    {
      name: "copy",
      limit: true,
      run: (turn) => copy((2 * (turn % count) + 1) * bytes, 2 * (turn % count) * bytes, bytes),
    },
    {
      name: "Float32Array set",
      limit: true,
      run: (turn) => to[turn % count].set(from[turn % count]),
    },
  ];
}

/**
 * Reading an array once.
 * @param {Float32Array} values a multiple of 16 of them
 * @returns {Promise<Contestant[]>}
 */
export async function readLimits(values) {
  const { memory, read } = await machine(values.byteLength);
  new Float32Array(memory.buffer).set(values);
  return [{ name: "read", limit: true, run: () => read(0, values.byteLength) }];
}

/**
 * The given number of multiply-adds, of floats in registers: the processor's peak without FMA, and the same in double.
 * @param {number} count
 * @returns {Promise<Contestant[]>}
 */
export async function multiplyLimits(count) {
  const { multiplyAddFloats, multiplyAddDoubles } = await machine(65536);
  return [
    { name: "multiply-add", limit: true, run: () => multiplyAddFloats(Math.ceil(count / 48)) },
    { name: "in double", limit: true, run: () => multiplyAddDoubles(Math.ceil(count / 24)) },
  ];
}

/**
 * Calls that do next to nothing, each of a checked number: the minimum cost of a call.
 * @param {number} calls
 * @returns {Promise<Contestant>}
 */
export async function emptyCalls(calls) {
  const { fill } = await machine(65536);
  return {
    name: "empty calls",
    limit: true,
    run(turn) {
      for (let i = 0; i < calls; ++i) {
        if (!Number.isInteger(turn + i)) throw new RangeError("turn must be whole.");
        fill(0, 64, i);
      }
    },
  };
}

/**
 * Gathering rows of a table.
 * @param {Float32Array} table [V, D] @param {number} D
 * @param {Int32Array[]} ids lists of equal length, gone round
 * @returns {Promise<Contestant[]>}
 */
export async function gatherLimits(table, D, ids) {
  const count = ids[0].length;
  const row = D * 4;
  const { memory, gather } = await machine(table.byteLength + ids.length * count * (row + 4));
  const idsFrom = table.byteLength;
  const outFrom = idsFrom + ids.length * count * 4;
  new Float32Array(memory.buffer).set(table);
  for (const [i, list] of ids.entries())
    new Int32Array(memory.buffer, idsFrom + i * count * 4, count).set(list);

  const out = arrays(ids.length, count * D);
  return [
    {
      name: "gather",
      limit: true,
      run(turn) {
        const i = turn % ids.length;
        gather(outFrom + i * count * row, 0, idsFrom + i * count * 4, count, row);
      },
      result: () => [new Float32Array(memory.buffer, outFrom, count * D)],
    },
    {
      name: "Float32Array set by rows",
      limit: true,
      run(turn) {
        const i = turn % ids.length;
        const to = out[i];
        const list = ids[i];
        for (let t = 0; t < count; ++t)
          to.set(table.subarray(list[t] * D, (list[t] + 1) * D), t * D);
      },
      result: () => [out[0]],
    },
  ];
}
