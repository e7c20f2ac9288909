/** @import { Core, Raw } from "../../../runtime/wasm.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { overRows } from "../../../runtime/memory.js";
import { halves, readSeed } from "../../../runtime/seed.js";
import { asFloat32, Tensor } from "../../../runtime/tensor.js";
import { readSpan } from "../../../runtime/span.js";

const FORMS = /** @type {const} */ (["symmetric", "causal"]);

/**
 * @typedef {object} BiasOptions
 * @property {number} [keys]  Tk; default: length
 * @property {number} [offset]  the position of the first query; default: keys - length, so that the
 *   last query sees the last key
 * @property {typeof FORMS[number]} [form]  `symmetric` (default): by |i - j| on both sides; `causal`:
 *   -Infinity for j > i
 * @property {Float32Array | Tensor} [out]  filled instead of a new array
 */

const DEFAULTS = Object.freeze({
  keys: undefined,
  offset: undefined,
  form: "symmetric",
  out: undefined,
});

/**
 * FIRE's network of M hidden units: `nn.Sequential(Linear(1, M), ReLU(), Linear(M, H))`.
 * @typedef {object} FireWeights
 * @property {TensorInput} w1  [M] or [M, 1]
 * @property {TensorInput} b1  [M]
 * @property {TensorInput} w2  [H, M]
 * @property {TensorInput} b2  [H]
 */

/**
 * FIRE: a small network of the distance (Li et al. 2023).
 * @param {Core} core
 */
export function fire(core) {
  const raw =
    /**
     * @type {Raw & {
     *   fire_bias(w1: number, b1: number, w2: number, b2: number, M: number, H: number, c: number,
     *     threshold: number, first: number, row: number, Tq: number, Tk: number, causal: boolean,
     *     out: number, rows: number): number,
     *   fire_weights(seedLow: number, seedHigh: number, H: number, M: number, out: number): number,
     * }}
     */ (core.raw);

  return {
    /**
     * FIRE: a small network of the distance, measured by the query's own position.
     *
     *     x = ln(1 + c |i - j|) / (ln(1 + c max(i, threshold)) + 1e-6)
     *     bias[h, i, j] = b2_h + sum over m of w2_hm max(w1_m x + b1_m, 0)
     *
     * Accuracy: double throughout, rounded once.
     *
     * @param {FireWeights} weights  learned, or from `fire.weights`
     * @param {number} length  queries Tq
     * @param {BiasOptions & {c?: number, threshold?: number}} [options]  `c` above 0, default 0.1;
     *   `threshold`, the learned |L| from which on the query's position counts, default 512; training
     *   begins with both
     * @returns {Tensor} float32 [H, Tq, Tk]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Li et al. 2023, Functional interpolation for relative positions improves long context
     *   transformers, https://arxiv.org/abs/2310.04418
     * @example
     * const line = { w1: [1], b1: [0], w2: [[-1]], b2: [0.25] };
     * fire.bias(line, 1, { keys: 2, c: 1, threshold: 3 }).toArray()
     * // [[[-0.24999964237213135, 0.25]]]
     */
    bias(weights, length, options = {}) {
      const where = "fire.bias";
      const { keys, offset, form, c, threshold, out } = check.options(
        options,
        { ...DEFAULTS, c: 0.1, threshold: 512 },
        where,
      );
      const { w1, b1, w2, b2 } = readFireWeights(weights);
      const { Tq, Tk, first } = readSpan(length, keys, offset);
      const causal = readForm(form);
      const log = check.finite(c, "c", "a number above 0, within float32", (value) => {
        return value > 0 && value <= check.MOST;
      });
      const least = check.finite(threshold, "threshold", "a number from 0, within float32", (L) => {
        return L >= 0 && L <= check.MOST;
      });
      const [H, M] = [b2.length, b1.length];
      const shape = [H, Tq, Tk];
      const result = check.destination(out, shape);
      const pieces = /** @type {const} */ ([
        { data: w1 },
        { data: b1 },
        { data: w2 },
        { data: b2 },
        { data: result, row: Tk, way: "out" },
      ]);
      overRows(core, where, Tk === 0 ? 0 : H * Tq, pieces, (rows, row, [...at]) =>
        raw.fire_bias(
          ...[
            at[0],
            at[1],
            at[2],
            at[3],
            M,
            H,
            log,
            least,
            first,
            row,
            Tq,
            Tk,
            causal,
            at[4],
            rows,
          ],
        ),
      );
      return new Tensor(result, shape);
    },

    /**
     * FIRE's network before training, as PyTorch's Linear layers begin: uniform in [-1, 1), and in
     * [-1/sqrt(M), 1/sqrt(M)) behind the hidden units.
     *
     * @param {number} heads  H
     * @param {{hidden?: number, seed?: number | bigint}} [options]  `hidden` units M, default 32;
     *   `seed`, 0 .. 2^64-1, default 0
     * @returns {{w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor}} float32 [M], [M], [H, M], [H]
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Li et al. 2023, FIRE, https://arxiv.org/abs/2310.04418; PyTorch, torch.nn.Linear
     * @example
     * fire.weights(12).w2.shape
     * // [12, 32]
     */
    weights(heads, options = {}) {
      const where = "fire.weights";
      const { hidden, seed } = check.options(options, { hidden: 32, seed: 0 }, where);
      const H = check.integer(heads, "heads");
      const M = check.integer(hidden, "hidden");
      const [low, high] = halves(readSeed(seed));
      const all = check.float32s(2 * M + H * M + H, where);
      const pieces = [/** @type {const} */ ({ data: all, row: all.length, way: "out" })];
      overRows(core, where, 1, pieces, (_, __, [at]) => raw.fire_weights(low, high, H, M, at));
      let next = 0;
      const part = (/** @type {number[]} */ ...shape) => {
        const size = check.count(shape);
        return new Tensor(all.slice(next, (next += size)), shape);
      };
      return { w1: part(M), b1: part(M), w2: part(H, M), b2: part(H) };
    },
  };
}

/** @param {unknown} form @returns {boolean} whether it is causal */
function readForm(form) {
  return check.oneOf(form, "form", FORMS) === "causal";
}

/** @param {unknown} weights */
function readFireWeights(weights) {
  if (typeof weights !== "object" || weights === null) {
    throw new TypeError(`weights must be {w1, b1, w2, b2}; got ${check.describe(weights)}`);
  }
  const given = /** @type {Record<string, unknown>} */ (weights);
  const [w1, b1, w2, b2] = ["w1", "b1", "w2", "b2"].map((name) => {
    const { data, shape } = asFloat32(given[name], `weights.${name}`);
    const odd = data.findIndex((x) => !Number.isFinite(x));
    if (odd >= 0) {
      throw new RangeError(`weights.${name} must be finite; got ${data[odd]} at ${odd}`);
    }
    return { name, data: Float64Array.from(data), shape };
  });
  const [M, H] = [b1.data.length, b2.data.length];
  const demand = (
    /** @type {typeof w1} */ { name, shape },
    /** @type {number[][]} */ ...shapes
  ) => {
    if (shapes.some((wanted) => wanted.join() === shape.join())) return;
    throw new RangeError(
      `weights.${name} must have shape [${shapes[0].join(", ")}]; got [${shape.join(", ")}]`,
    );
  };
  demand(b1, [M]);
  demand(b2, [H]);
  demand(w1, [M], [M, 1]);
  demand(w2, [H, M]);
  return { w1: w1.data, b1: b1.data, w2: w2.data, b2: b2.data };
}
