/** @import { Core } from "./wasm.js" */
import { float32s } from "./arrays.js";
import { checkStatus } from "./errors.js";
import { take, withMemory } from "./memory.js";
import { halves } from "./seed.js";

/** phasor::embedding::Distribution */
const NORMAL = 1;

/**
 * Draws numbers from a normal distribution with mean 0.
 * @param {Core} core @param {number} count
 * @param {object} options
 * @param {number} options.std  the standard deviation
 * @param {bigint} options.seed
 * @param {"philox" | "torch"} options.generator  `philox`: a number depends on the seed and its index
 *   only; `torch`: the numbers of `torch.manual_seed(seed)` on a CPU
 * @returns {Float32Array}
 */
export function drawNormal(core, count, { std, seed, generator }) {
  const { raw } = core;
  const [low, high] = halves(seed);
  const numbers = float32s(count, "the draws");
  withMemory(core, [numbers.byteLength], (out) => {
    const normal = { kind: NORMAL, seed: low, a: 0, b: std };
    const status =
      generator === "philox"
        ? raw.embedding_draw_all(count, 1, NORMAL, 0, std, low, high, out)
        : raw.embedding_draw_torch({ before: out, out, tables: 0, count, ...normal });
    checkStatus(status);
    take(core, out, count, numbers);
  });
  return numbers;
}
