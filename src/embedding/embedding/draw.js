/** @import { Core, Raw } from "../../runtime/wasm.js" */
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import { withMemory } from "../../runtime/memory.js";
import { halves, readSeed } from "../../runtime/seed.js";

const INITS = /** @type {const} */ (["normal", "uniform", "xavier-normal", "xavier-uniform"]);
const GENERATORS = /** @type {const} */ (["philox", "torch"]);

/** phasor::embedding::Distribution */
const UNIFORM = 0;
const NORMAL = 1;

/**
 * @typedef {object} DrawOptions
 * @property {typeof INITS[number]} [init]  `normal` (default), `uniform`, or Glorot's
 *   `xavier-normal` and `xavier-uniform` with fan D + V
 * @property {number} [mean]  of `normal`; default 0
 * @property {number} [std]  of `normal`; default 1 as nn.Embedding, 0.02 as GPT-2
 * @property {number} [low]  of `uniform`; default 0
 * @property {number} [high]  of `uniform`, itself left out; default 1
 * @property {number} [gain]  of the xavier kinds; default 1
 * @property {number | bigint} [seed]  0 .. 2^64-1; default 0
 * @property {typeof GENERATORS[number]} [generator]  `philox` (default): each weight depends on the
 *   seed and its place alone; `torch`: the numbers of `torch.manual_seed(seed)` on a CPU
 * @property {readonly (readonly number[])[]} [after]  with `torch`: shapes of the normal tables
 *   drawn before this one from the same seed
 */

export const DRAW_DEFAULTS = Object.freeze({
  init: "normal",
  mean: 0,
  std: 1,
  low: 0,
  high: 1,
  gain: 1,
  seed: 0,
  generator: "philox",
  after: [],
});

/**
 * @typedef {object} Draw
 * @property {typeof GENERATORS[number]} generator
 * @property {number} kind
 * @property {number} a
 * @property {number} b
 * @property {bigint} seed
 * @property {number[]} before  elements of tables drawn earlier
 */

/**
 * @param {Record<keyof typeof DRAW_DEFAULTS, unknown>} given @param {number} V @param {number} D
 * @returns {Draw}
 */
export function readDraw({ init, mean, std, low, high, gain, seed, generator, after }, V, D) {
  const drawnBy = check.oneOf(generator, "generator", GENERATORS);
  const middle = check.finite(mean, "mean", "a number within 1e37", (x) => Math.abs(x) <= 1e37);
  const spread = check.finite(std, "std", "a number from 0 to 1e37", (x) => x >= 0 && x <= 1e37);
  const least = check.finite(low, "low", "a float32 number", (x) => Math.abs(x) <= check.MOST);
  const most = check.finite(high, "high", "a float32 number", (x) => Math.abs(x) <= check.MOST);
  if (!(Math.fround(least) < Math.fround(most))) {
    throw new RangeError(`low must be below high in float32; got ${least} and ${most}`);
  }
  const factor = check.finite(
    gain,
    "gain",
    "a number > 0, at most 1e37",
    (x) => x > 0 && x <= 1e37,
  );
  const glorot = factor * Math.sqrt(2 / (V + D));
  const range = Math.sqrt(3) * glorot;
  const kinds = /** @type {const} */ ({
    normal: [NORMAL, middle, spread],
    uniform: [UNIFORM, least, most],
    "xavier-normal": [NORMAL, 0, glorot],
    "xavier-uniform": [UNIFORM, -range, range],
  });
  const [kind, a, b] = kinds[check.oneOf(init, "init", INITS)];
  return { generator: drawnBy, kind, a, b, seed: readSeed(seed), before: readAfter(after) };
}

/** @param {unknown} after @returns {number[]} */
function readAfter(after) {
  if (!Array.isArray(after)) {
    throw new TypeError(`after must be an array of shapes; got ${check.describe(after)}`);
  }
  return after.map((shape, i) => {
    if (!Array.isArray(shape)) {
      throw new TypeError(`after[${i}] must be a shape; got ${check.describe(shape)}`);
    }
    return check.count(shape.map((size) => check.integer(size, `after[${i}]`, 0)));
  });
}

/**
 * @param {Core} core
 * @returns {Raw & {
 *   embedding_draw(rows: number, T: number, D: number, kind: number, a: number, b: number,
 *     seedLow: number, seedHigh: number, out: number): number,
 *   embedding_draw_all(V: number, D: number, kind: number, a: number, b: number, seedLow: number,
 *     seedHigh: number, out: number): number,
 *   embedding_draw_torch(V: number, D: number, kind: number, a: number, b: number, seed: number,
 *     before: number, tables: number, out: number): number,
 * }}
 */
const rawOf = ({ raw }) => /** @type {any} */ (raw);

/**
 * Rows that are drawn when they are asked for.
 * @param {Core} core @param {number} D @param {Draw} draw @param {number} padding  a row of zeros
 */
export function drawnRows(core, D, { kind, a, b, seed }, padding) {
  const raw = rawOf(core);
  const [low, high] = halves(seed);
  return {
    /** @param {number} ids @param {number} T @param {number} to  their addresses */
    draw(ids, T, to) {
      checkStatus(raw.embedding_draw(ids, T, D, kind, a, b, low, high, to), "lookup");
      for (let t = 0; t < T; ++t) if (raw.HEAP32[ids / 4 + t] === padding) clear(core, to, t, D);
    },
  };
}

/**
 * What draws a whole table to an address.
 * @param {Core} core @param {number} V @param {number} D @param {Draw} draw
 * @param {number} padding  a row of zeros
 */
export function drawAll(core, V, D, { generator, kind, a, b, seed, before }, padding) {
  const raw = rawOf(core);
  const where = "embedding.create";
  const [low, high] = halves(seed);
  return (/** @type {number} */ at) => {
    if (generator === "philox") {
      checkStatus(raw.embedding_draw_all(V, D, kind, a, b, low, high, at), where);
    } else {
      withMemory(core, where, [before.length * 8], (list) => {
        raw.HEAPF64.set(before, list >>> 3);
        checkStatus(
          raw.embedding_draw_torch(V, D, kind, a, b, low, list, before.length, at),
          where,
        );
      });
    }
    if (padding >= 0) clear(core, at, padding, D);
  };
}

/** Set a row to 0. @param {Core} core @param {number} at @param {number} row @param {number} D */
function clear({ raw }, at, row, D) {
  raw.HEAPF32.fill(0, at / 4 + row * D, at / 4 + (row + 1) * D);
}
