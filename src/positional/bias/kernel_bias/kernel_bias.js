/** @import { Core, Raw } from "../../../runtime/wasm.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { overRows } from "../../../runtime/memory.js";
import { readBase } from "../../../runtime/phase.js";
import { halves, readSeed } from "../../../runtime/seed.js";
import { asFloat32, Tensor } from "../../../runtime/tensor.js";
import { readSpan, relatives, spread } from "../../../runtime/span.js";

/** In the order of the C++ enum. */
const KERNELS = /** @type {const} */ (["log", "power", "weight"]);
const LOG = 0;
const FORMS = /** @type {const} */ (["symmetric", "causal"]);

/** The least a and p of KERPLE, as the float32 that a clamped checkpoint holds. */
const LEAST = Math.fround(0.01);

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
 * Additive biases along other curves than ALiBi's line: KERPLE, Sandwich, FIRE, CoPE.
 * @param {Core} core
 */
export function kernelBias(core) {
  const raw =
    /**
     * @type {Raw & {
     *   kernel_bias_kerple(a: number, p: number, H: number, first: number, kernel: number,
     *     causal: boolean, out: number, N: number): number,
     *   kernel_bias_sandwich(first: number, N: number, H: number, base: number, causal: boolean,
     *     workspace: number, P: number, out: number): number,
     *   kernel_bias_fire(w1: number, b1: number, w2: number, b2: number, M: number, H: number,
     *     c: number, threshold: number, first: number, row: number, Tq: number, Tk: number,
     *     causal: boolean, out: number, rows: number): number,
     *   kernel_bias_fire_weights(seedLow: number, seedHigh: number, H: number, M: number,
     *     out: number): number,
     *   kernel_bias_cope(logits: number, positions: number, first: number, row: number, Tq: number,
     *     Tk: number, P: number, out: number, rows: number): number,
     * }}
     */ (core.raw);

  return {
    /**
     * KERPLE: kernels of the distance with two learned numbers a head.
     *
     *     log     -p_h ln(1 + a_h |i - j|)
     *     power   -a_h |i - j|^p_h
     *     weight  e^(-a_h |i - j|^p_h), which multiplies the logits before a bias is added; hidden
     *             keys get 1: it is the bias that hides them
     *
     * Accuracy: <= 0.501 ULP; beyond float32, -Infinity.
     *
     * @param {number} heads  H
     * @param {number} length  queries Tq
     * @param {BiasOptions & {kernel?: typeof KERNELS[number], a?: number | TensorInput, p?: number | TensorInput}} [options]
     *   `kernel`, default `log`; `a` and `p`, for all heads or [H], at least 0.01 and `p` at most 2
     *   except with `log`, as training clamps them; default 1
     * @returns {Tensor} float32 [H, Tq, Tk]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Chi et al. 2022, KERPLE, https://arxiv.org/abs/2205.09921
     * @example
     * kernelBias.kerple(1, 1, { keys: 4, kernel: "power", a: 0.5, p: 2 }).toArray()
     * // [[[-4.5, -2, -0.5, 0]]]
     */
    kerple(heads, length, options = {}) {
      const where = "kernelBias.kerple";
      const { keys, offset, form, kernel, a, p, out } = check.options(
        options,
        { ...DEFAULTS, kernel: "log", a: 1, p: 1 },
        where,
      );
      const H = check.integer(heads, "heads");
      const span = readSpan(length, keys, offset);
      const causal = readForm(form);
      const kind = KERNELS.indexOf(check.oneOf(kernel, "kernel", KERNELS));
      const scales = readOfHeads(a, "a", H, check.MOST);
      const powers = readOfHeads(p, "p", H, kind === LOG ? check.MOST : 2);
      const shape = [H, span.Tq, span.Tk];
      const result = check.destination(out, shape);
      const { from, count: N } = relatives(span);
      const lines = check.float32s(H * N, where);
      const pieces = /** @type {const} */ ([
        { data: scales, row: 1 },
        { data: powers, row: 1 },
        { data: lines, row: N, way: "out" },
      ]);
      overRows(core, where, H, pieces, (count, _, [aAt, pAt, at]) =>
        raw.kernel_bias_kerple(aAt, pAt, count, from, kind, causal, at, N),
      );
      spread(lines, span, result);
      return new Tensor(result, shape);
    },

    /**
     * Sandwich: the inner product of sinusoidal encodings of width D as a bias, flatter from head to
     * head. Nothing is learned.
     *
     *     (sum over k = 1 .. D/2 of cos((i - j) base^(-2k/D)) - D/2) / (8 (h + 1) / H)
     *
     * Accuracy: <= 0.501 ULP for distances up to 4096 and base 10000.
     *
     * @param {number} heads  H
     * @param {number} length  queries Tq
     * @param {BiasOptions & {dim?: number, base?: number}} [options]  `dim` D, even, default 128;
     *   `base`, default 10000
     * @returns {Tensor} float32 [H, Tq, Tk]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Chi et al. 2022, Dissecting transformer length extrapolation via the lens of receptive field
     *   analysis, https://arxiv.org/abs/2212.10356
     * @example
     * kernelBias.sandwich(1, 1, { keys: 2, dim: 2, base: 1 }).toArray()
     * // [[[-0.057462211698293686, 0]]]
     */
    sandwich(heads, length, options = {}) {
      const where = "kernelBias.sandwich";
      const { keys, offset, form, dim, base, out } = check.options(
        options,
        { ...DEFAULTS, dim: 128, base: 10000 },
        where,
      );
      const H = check.integer(heads, "heads");
      const span = readSpan(length, keys, offset);
      const causal = readForm(form);
      const D = check.integer(dim, "dim", 2);
      if (D % 2 !== 0) throw new RangeError(`dim must be even; got ${D}`);
      const slowest = readBase(base);
      const shape = [H, span.Tq, span.Tk];
      const result = check.destination(out, shape);
      const { from, count: N } = relatives(span);
      const values = check.float32s(N * H, where);
      const pieces = [D * 4, /** @type {const} */ ({ data: values, row: H, way: "out" })];
      overRows(core, where, N, pieces, (count, k, [workspace, at]) =>
        raw.kernel_bias_sandwich(from + k, count, H, slowest, causal, workspace, D / 2, at),
      );
      const lines = values.map((_, at) => values[(at % N) * H + Math.floor(at / N)]);
      spread(lines, span, result);
      return new Tensor(result, shape);
    },

    /**
     * FIRE: a small network of the distance, measured by the query's own position.
     *
     *     x = ln(1 + c |i - j|) / (ln(1 + c max(i, threshold)) + 1e-6)
     *     bias[h, i, j] = b2_h + sum over m of w2_hm max(w1_m x + b1_m, 0)
     *
     * Accuracy: double throughout, rounded once.
     *
     * @param {FireWeights} weights  learned, or from `fireWeights`
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
     * kernelBias.fire(line, 1, { keys: 2, c: 1, threshold: 3 }).toArray()
     * // [[[-0.24999964237213135, 0.25]]]
     */
    fire(weights, length, options = {}) {
      const where = "kernelBias.fire";
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
        raw.kernel_bias_fire(
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
     * kernelBias.fireWeights(12).w2.shape
     * // [12, 32]
     */
    fireWeights(heads, options = {}) {
      const where = "kernelBias.fireWeights";
      const { hidden, seed } = check.options(options, { hidden: 32, seed: 0 }, where);
      const H = check.integer(heads, "heads");
      const M = check.integer(hidden, "hidden");
      const [low, high] = halves(readSeed(seed));
      const all = check.float32s(2 * M + H * M + H, where);
      const pieces = [/** @type {const} */ ({ data: all, row: all.length, way: "out" })];
      overRows(core, where, 1, pieces, (_, __, [at]) =>
        raw.kernel_bias_fire_weights(low, high, H, M, at),
      );
      let next = 0;
      const part = (/** @type {number[]} */ ...shape) => {
        const size = check.count(shape);
        return new Tensor(all.slice(next, (next += size)), shape);
      };
      return { w1: part(M), b1: part(M), w2: part(H, M), b2: part(H) };
    },

    /**
     * CoPE: positions that count only some of the tokens between, those whose gates the context
     * opens.
     *
     *     p_ij = min(sum over l = j .. i of sigmoid(logits_il), P - 1)
     *     bias_ij = position logits of p_ij, linear between the two whole positions beside it
     *
     * and -Infinity for j > i. A key whose logit is -Infinity is not counted.
     * Accuracy: double throughout, rounded once.
     *
     * @param {TensorInput} logits  q_i . k_j before the bias, [..., Tq, Tk]
     * @param {TensorInput} positionLogits  q_i . e_p for the P learned positions, [..., Tq, P]
     * @param {{offset?: number, out?: Float32Array | Tensor}} [options]  `offset`, the position of the
     *   first query (default: Tk - Tq); `out` is filled instead of a new array, and may be the logits
     * @returns {Tensor} float32, the shape of logits; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Golovneva et al. 2024, Contextual position encoding, https://arxiv.org/abs/2405.18719
     * @example
     * kernelBias.cope([[0, 0, 0]], [[10, 20, 40]]).toArray()
     * // [[30, 20, 15]]
     */
    cope(logits, positionLogits, options = {}) {
      const where = "kernelBias.cope";
      const { offset, out } = check.options(options, { offset: undefined, out: undefined }, where);
      const scores = asFloat32(logits, "logits");
      const axes = scores.shape.length;
      if (axes < 2) {
        throw new RangeError(
          `logits must have shape [..., Tq, Tk]; got [${scores.shape.join(", ")}]`,
        );
      }
      const [Tq, Tk] = scores.shape.slice(-2);
      const { first } = readSpan(Tq, Tk, offset);
      const places = asFloat32(positionLogits, "positionLogits");
      const P = places.shape[axes - 1];
      const agree = places.shape.slice(0, -1).join() === scores.shape.slice(0, -1).join();
      if (places.shape.length !== axes || !agree || P === 0) {
        throw new RangeError(
          `positionLogits must have shape [${scores.shape.slice(0, -1).join(", ")}, P]; got [${places.shape.join(", ")}]`,
        );
      }
      const result = check.destination(out, scores.shape);
      const pieces = /** @type {const} */ ([
        { data: scores.data, row: Tk },
        { data: places.data, row: P },
        { data: result, row: Tk, way: "out" },
      ]);
      const rows = Tk === 0 ? 0 : check.count(scores.shape.slice(0, -1));
      overRows(core, where, rows, pieces, (count, row, [from, by, at]) =>
        raw.kernel_bias_cope(from, by, first, row, Tq, Tk, P, at, count),
      );
      return new Tensor(result, scores.shape);
    },
  };
}

/** @param {unknown} form @returns {boolean} whether it is causal */
function readForm(form) {
  return check.oneOf(form, "form", FORMS) === "causal";
}

/**
 * A positive number of each head.
 * @param {unknown} value  one for all, or [H] @param {string} name @param {number} H @param {number} most
 */
function readOfHeads(value, name, H, most) {
  const rule = `from 0.01 to ${most}`;
  const allowed = (/** @type {number} */ x) => x >= LEAST && x <= most;
  if (typeof value === "number") {
    return new Float64Array(H).fill(check.finite(value, name, `a number ${rule}`, allowed));
  }
  const { data, shape } = asFloat32(value, name);
  if (shape.length !== 1 || shape[0] !== H) {
    throw new RangeError(`${name} must have shape [${H}]; got [${shape.join(", ")}]`);
  }
  const odd = data.findIndex((x) => !allowed(x));
  if (odd >= 0) {
    throw new RangeError(`${name} must hold numbers ${rule}; got ${data[odd]} at ${odd}`);
  }
  return Float64Array.from(data);
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
