/** @import { Core } from "../../runtime/wasm.js" */
import * as arrays from "../../runtime/arrays.js";
import { readLengths } from "../../runtime/axes.js";
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import { put, withMemory } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { halves } from "../../runtime/seed.js";

const INITS = /** @type {const} */ (["normal", "uniform", "xavier-normal", "xavier-uniform"]);
const GENERATORS = /** @type {const} */ (["philox", "torch"]);

/** phasor::embedding::Distribution */
const UNIFORM = 0;
const NORMAL = 1;

/** How the weights of a table are drawn. */
export const DRAW = () => ({
  /** The distribution. The xavier kinds are Glorot's with fan D + V. */
  init: option.choice(INITS),
  /** The mean of `normal`. */
  mean: option.number({ default: 0, min: -1e37, max: 1e37 }),
  /** The standard deviation of `normal`. nn.Embedding uses 1, GPT-2 0.02. */
  std: option.number({ default: 1, min: 0, max: 1e37 }),
  /** The lower end of `uniform`. */
  low: option.number({ default: 0, min: -check.MOST, max: check.MOST }),
  /** The upper end of `uniform`: `philox` never draws it, `torch` may by rounding, as PyTorch does. */
  high: option.number({ default: 1, min: -check.MOST, max: check.MOST }),
  /** The gain of the xavier kinds. */
  gain: option.number({ default: 1, above: 0, max: 1e37 }),
  /** The seed. */
  seed: option.seed(),
  /**
   * `philox`: each weight depends on the seed and its index alone. `torch`: the numbers of
   * `torch.manual_seed(seed)` on a CPU.
   */
  generator: option.choice(GENERATORS),
  /** For `torch`: the shapes of the normal tables that were drawn from the same seed before this one. */
  after: option.value(/** @type {readonly ArrayLike<number>[]} */ ([])),
});

/** Options of a single distribution: how its names begin, and the default. */
const OWN = /** @type {const} */ ([
  ["mean", "normal", 0],
  ["std", "normal", 1],
  ["low", "uniform", 0],
  ["high", "uniform", 1],
  ["gain", "xavier", 1],
]);

/**
 * @typedef {object} Draw
 * @property {typeof GENERATORS[number]} generator
 * @property {number} kind
 * @property {number} a
 * @property {number} b
 * @property {bigint} seed
 * @property {number[]} before  numbers of elements of the tables drawn before
 */

/**
 * @param {{init: typeof INITS[number], mean: number, std: number, low: number, high: number, gain: number,
 *   seed: bigint, generator: typeof GENERATORS[number], after: unknown}} options  as read
 * @param {number} V @param {number} D
 * @returns {Draw}
 */
export function readDraw(options, V, D) {
  const { init, mean, std, low, high, gain, seed, generator, after } = options;
  for (const [name, of, byDefault] of OWN) {
    if (options[name] === byDefault || init.startsWith(of)) continue;
    throw new RangeError(`${name} must be left out for "${init}"; got ${options[name]}`);
  }
  if (!(Math.fround(low) < Math.fround(high))) {
    throw new RangeError(`low must be below high in float32; got ${low} and ${high}`);
  }
  if (
    generator === "torch" &&
    !Number.isFinite(Math.fround(Math.fround(high) - Math.fround(low)))
  ) {
    throw new RangeError(
      `low and high must be a float32 number apart for "torch"; got ${low} and ${high}`,
    );
  }
  const glorot = gain * Math.sqrt(2 / (V + D));
  const range = Math.sqrt(3) * glorot;
  if (range === 0) throw new RangeError(`gain must give a range above 0; got ${gain}`);
  const kinds = /** @type {const} */ ({
    normal: [NORMAL, mean, std],
    uniform: [UNIFORM, low, high],
    "xavier-normal": [NORMAL, 0, glorot],
    "xavier-uniform": [UNIFORM, -range, range],
  });
  const [kind, a, b] = kinds[init];
  const before = readAfter(after);
  if (before.length > 0 && generator !== "torch") {
    throw new RangeError(`after must come with "torch"; got "${generator}"`);
  }
  return { generator, kind, a, b, seed, before };
}

/** @param {unknown} after @returns {number[]} */
function readAfter(after) {
  if (!check.isList(after)) {
    throw new TypeError(`after must be an array of shapes; got ${check.describe(after)}`);
  }
  return Array.from(after, (shape, i) =>
    arrays.count(readLengths(shape, `after[${i}]`, "a shape")),
  );
}

/**
 * The rows of a table that draws them at every read.
 * @param {Core} core @param {number} D @param {Draw} draw @param {number} padding  a row of zeros
 */
export function drawnRows(core, D, { kind, a, b, seed }, padding) {
  const { raw } = core;
  const [low, high] = halves(seed);
  const gather = (
    /** @type {number} */ rows,
    /** @type {number} */ T,
    /** @type {number} */ out,
  ) => {
    checkStatus(raw.embedding_draw({ rows, out, T, D, kind, low, high, a, b }));
    for (let t = 0; t < T; ++t) if (raw.HEAP32[rows / 4 + t] === padding) clear(core, out, t, D);
  };
  return {
    gather,
    /** @param {number} first @param {number} count @param {number} tileAt */
    place(first, count, tileAt) {
      const ids = Int32Array.from({ length: count }, (_, t) => first + t);
      withMemory(core, [ids.byteLength], (idsAt) => {
        put(core, ids, idsAt);
        gather(idsAt, count, tileAt);
      });
      return tileAt;
    },
  };
}

/**
 * A function that draws a whole table to an address.
 * @param {Core} core @param {number} V @param {number} D @param {Draw} draw
 * @param {number} padding  a row of zeros
 */
export function drawAll(core, V, D, { generator, kind, a, b, seed, before }, padding) {
  const { raw } = core;
  const [low, high] = halves(seed);
  return (/** @type {number} */ out) => {
    if (generator === "philox") {
      checkStatus(raw.embedding_draw_all(V, D, kind, a, b, low, high, out));
    } else {
      withMemory(core, [before.length * 8], (list) => {
        raw.HEAPF64.set(before, list >>> 3);
        const earlier = { before: list, tables: before.length };
        checkStatus(
          raw.embedding_draw_torch({ ...earlier, out, count: V * D, kind, seed: low, a, b }),
        );
      });
    }
    if (padding >= 0) clear(core, out, padding, D);
  };
}

/** Sets a row to 0. @param {Core} core @param {number} at @param {number} row @param {number} D */
function clear({ raw }, at, row, D) {
  raw.HEAPF32.fill(0, at / 4 + row * D, at / 4 + (row + 1) * D);
}
