/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Random } from "../tasks/task.js" */
import { float32s } from "../../runtime/arrays.js";
import { take, withMemory } from "../../runtime/memory.js";
import { halves } from "../../runtime/seed.js";

/** What is drawn from a seed: each has 2^60 of its 2^64 numbers. */
export const STREAM = Object.freeze({ weights: 0, training: 1, evaluation: 2, positions: 3 });

/** The numbers of a stream that one text, or one parameter, may use. */
const RUN = 1n << 28n;

/** The numbers that a source fetches at once. */
const FETCHED = 64;

/**
 * Draws numbers from N(0, std^2), or uniform ones in [0, 1).
 * @param {Core} core @param {bigint} seed @param {number} stream @param {number} run  its index in the stream
 * @param {number} from @param {number} count @param {number} [std]  of a normal distribution; 0: uniform
 * @returns {Float32Array}
 */
export function draw(core, seed, stream, run, from, count, std = 0) {
  const numbers = float32s(count, "the draws");
  const [seedLow, seedHigh] = halves(seed);
  const [firstLow, firstHigh] = halves((BigInt(stream) << 60n) + BigInt(run) * RUN + BigInt(from));
  withMemory(core, [count * 4], (out) => {
    const where = { seedLow, seedHigh, firstLow, firstHigh };
    core.raw.lab_draw({ ...where, count, out, std });
    take(core, out, count, numbers);
  });
  return numbers;
}

/**
 * The numbers of a run, one after the other.
 * @param {Core} core @param {bigint} seed @param {number} stream @param {number} run
 * @returns {Random}
 */
export function source(core, seed, stream, run) {
  /** @type {Float32Array} */
  let numbers = new Float32Array(0);
  let fetched = 0;
  let used = 0;
  const uniform = () => {
    if (used === numbers.length) {
      numbers = draw(core, seed, stream, run, fetched, FETCHED);
      fetched += FETCHED;
      used = 0;
    }
    return numbers[used++];
  };
  return { uniform, below: (count) => Math.floor(uniform() * count) };
}
