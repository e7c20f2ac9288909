/** @import { Core, Raw } from "../../../runtime/wasm.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { overRows } from "../../../runtime/memory.js";
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
 * KERPLE: kernels of the distance with two learned numbers a head (Chi et al. 2022).
 * @param {Core} core
 */
export function kerple(core) {
  const raw =
    /**
     * @type {Raw & {
     *   kerple_line(a: number, p: number, H: number, first: number, kernel: number, causal: boolean,
     *     out: number, N: number): number,
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
     * kerple.bias(1, 1, { keys: 4, kernel: "power", a: 0.5, p: 2 }).toArray()
     * // [[[-4.5, -2, -0.5, 0]]]
     */
    bias(heads, length, options = {}) {
      const where = "kerple.bias";
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
        raw.kerple_line(aAt, pAt, count, from, kind, causal, at, N),
      );
      spread(lines, span, result);
      return new Tensor(result, shape);
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
