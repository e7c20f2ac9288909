/**
 * Results of every function for inputs of several kinds, each as a digest. It runs in every engine: it imports
 * nothing of Node.
 */
import { callsOf, drawn } from "../../calls.js";
import { partsOf } from "../parts.js";
import { floatsTo, narrowing } from "../../unit/narrow.js";
import { Tensor } from "../../phasor.js";

/** NaN with payloads, quiet and signaling, infinities, zeros, denormals and the ends of the range. */
const HARD = Uint32Array.of(
  ...[0x7fc12345, 0xffc54321, 0x7f800001, 0xff812345, 0x7fc00000, 0xffc00000, 0x7fffffff],
  ...[0x7f800000, 0xff800000, 0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff],
  ...[0x00800000, 0x7f7fffff, 0xff7fffff, 0x33800000, 0x4b800001, 0x5f000000],
);

/**
 * Numbers, of which one in `every` is a special value.
 * @param {number} seed @param {number} every @param {readonly number[]} shape
 */
function hard(seed, every, shape) {
  const tensor = drawn(seed, shape);
  const words = new Uint32Array(tensor.data.buffer);
  for (let i = seed % every, k = seed; i < words.length; i += every, ++k) {
    words[i] = HARD[k % HARD.length];
  }
  return tensor;
}

/** The kinds of inputs: their numbers, and a mask of the bytes of files. @type {[name: string, (shape: number[]) => Tensor, mask?: number][]} */
const KINDS = [
  ...[0, 1, 2, 3].map((seed) => /** @type {[string, any]} */ ([`drawn ${seed}`, (/** @type {number[]} */ shape) => drawn(seed, shape)])), // prettier-ignore
  ...[97, 31, 11, 5, 1].map((every, seed) => /** @type {[string, any, number]} */ ([`hard, every ${every}`, (/** @type {number[]} */ shape) => hard(seed, every, shape), 0xff])), // prettier-ignore
];

/** Results of 16 bits: a Float16Array where there is one, else its bits. @param {readonly number[]} shape */
function half(shape) {
  const Half = /** @type {any} */ (globalThis).Float16Array;
  const size = shape.reduce((product, n) => product * n, 1);
  return Half ? new Half(size) : new Tensor(new Uint16Array(size), shape, "float16");
}

/** @param {readonly number[]} shape */
const brain = (shape) =>
  new Tensor(new Uint16Array(shape.reduce((product, n) => product * n, 1)), shape, "bfloat16");

/**
 * @param {unknown} result
 * @returns {Promise<string>} SHA-256, the first 16 digits
 */
async function digest(result) {
  /** @type {Uint8Array[]} */
  const parts = [];
  const encoder = new TextEncoder();
  partsOf(result, (part) => parts.push(typeof part === "string" ? encoder.encode(part) : part));
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The kinds whose results go to 16 bits, too. */
const NARROWED = ["drawn 0", "hard, every 11"];

/**
 * @param {Pick<typeof import("phasor"), "load" | "optionsOf">} entry
 * @returns {Promise<{count: number, hash: string, functions: Record<string, string>}>} how many results, the digest of
 *   all, and those of the functions by name
 */
export async function results({ load, optionsOf }) {
  const phasor = await load();
  /** @type {Record<string, string[]>} */
  const found = {};
  for (const [kind, make, mask] of KINDS) {
    const calls = callsOf((...shape) => make(shape), mask);
    for (const [name, call] of Object.entries(calls)) {
      found[name] ??= [];
      found[name].push(await digest(await attempt(() => call(phasor))));
      for (const place of NARROWED.includes(kind) ? [half, brain] : []) {
        const isIt = (/** @type {string} */ other) => other === name;
        const modules = narrowing(phasor, floatsTo(place), isIt, undefined, optionsOf);
        found[name].push(await digest(await attempt(() => call(modules))));
      }
    }
  }
  const functions = Object.fromEntries(
    await Promise.all(
      Object.entries(found)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(async ([name, digests]) => [name, await digest(digests)]),
    ),
  );
  const count = Object.values(found).reduce((sum, { length }) => sum + length, 0);
  return { count, hash: await digest(functions), functions };
}

/** A refusal is a result, too; its words may change. @param {() => unknown} call */
async function attempt(call) {
  try {
    return await call();
  } catch (error) {
    return { refused: /** @type {Error} */ (error).name };
  }
}
