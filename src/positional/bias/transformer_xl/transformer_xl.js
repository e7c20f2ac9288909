/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../../runtime/tensor.js" */
/** @import { Heads } from "../../../runtime/heads.js" */
import { bitsOf } from "../../../runtime/bits.js";
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { wrongShape } from "../../../runtime/errors.js";
import * as option from "../../../runtime/options.js";
import { asFloat32 } from "../../../runtime/input.js";
import { fillLinear } from "../../../runtime/linear.js";
import { apart, mustAgree, readHeads } from "../../../runtime/heads.js";
import { output } from "../../../runtime/result.js";
import { readVectors, shaw } from "../shaw/shaw.js";

const SCORES = option.optionSet(() => ({
  /** The paper's u, [H, D] or [D]: added to the queries in the product with the keys. Default: none. */
  u: option.tensor(),
  /** The paper's v, [H, D] or [D]: added to the queries in the product with the distances. Default: none. */
  v: option.tensor(),
  /** The paper's W, [H D, E]: projects the vectors r to the heads. Default: none. */
  projection: option.tensor(),
  /** `bidirectional` (XLNet, Funnel): r goes on to the negative distances of keys after the query. */
  direction: option.choice(["causal", "bidirectional"]),
  /** Multiplies the products. Default: 1/sqrt(D). */
  scale: option.value(/** @type {number | undefined} */ (undefined)),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const SHIFT = option.optionSet(() => ({
  /** The values of keys after the query: `zero`, or `wrapped`, the values of the next query that the original code leaves there for a causal mask to hide. */
  upper: option.choice(["zero", "wrapped"]),
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * Transformer-XL's relative positions: the distance enters the logits as a projected sinusoid (Dai et al.
 * 2019).
 * @param {Core} core
 */
export function transformerXL(core) {
  const relative = shaw(core);

  const module = {
    /**
     * Computes what Transformer-XL adds to q.k: a `bias` for `attention.scaledDotProduct` with
     * `causal: true`.
     *
     *     bias[i, j] = scale (u . k_j + (q_i + v) . W r_(i-j))
     *
     * so that scale q.k + bias = scale ((q_i + u) . k_j + (q_i + v) . W r_(i-j)). The position of query
     * i is i + Tk - Tq. Row c of r belongs to distance Tk - 1 - c: r is a table of descending positions,
     * `sinusoidal.table([Tk - 1, ..., 0], E, { layout: "halves" })`. Keys after the query have no row;
     * their bias is the first term alone. With `direction: "bidirectional"` r goes on to distance 1 - Tq.
     * Accuracy: q + v, W r and the first term are rounded to float32, the rest is in double.
     *
     * @param {{q: TensorInput, k?: TensorInput, r: TensorInput}} inputs  q [B, H, Tq, D] and k
     *   [B, H, Tk, D] (with u, and then required), both without B or without B and H if you like; r [R, D] for all
     *   heads, [H, R, D], or with `projection` [R, E]; R is Tk, or Tk + Tq - 1 if bidirectional
     * @param {OptionsOf<typeof SCORES>} [options]
     * @returns {Tensor} float32 [B, H, Tq, Tk], with the axes that q has
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Dai et al. 2019, Transformer-XL, https://arxiv.org/abs/1901.02860, section 3.3; Yang et al. 2019, XLNet,
     *   https://arxiv.org/abs/1906.08237
     * @example
     * const r = [[30], [20], [10]]; // of distances 2, 1, 0
     * transformerXL.scores({ q: [[1], [2]], r }).toArray()
     * // [[20, 10, 0], [60, 40, 20]]
     */
    scores(inputs, options = {}) {
      const { projection, direction, out, ...rest } = SCORES.read(options);
      const { q: queries, k: keys, r } = readInputs(inputs);
      const q = readHeads(queries, "q");
      const { H, T: Tq, D } = q;
      const distances = readDistances(r, projection, H, D);
      const isCausal = direction === "causal";
      const Tk = isCausal ? distances.R : Math.max(distances.R + 1 - Tq, 0);
      if (Tq > Tk) {
        const least = isCausal ? Tq : Math.max(2 * Tq - 1, 0);
        throw new RangeError(
          `r must have a row for each of ${least} distances; got ${distances.R}`,
        );
      }
      const u = readHeadVectors(rest.u, "u", H, D);
      const v = readHeadVectors(rest.v, "v", H, D);
      if (!u && keys !== undefined)
        throw new RangeError(`k must be left out without u; got ${check.describe(keys)}`);
      const k = u && readHeads(keys, "k");
      if (k) mustAgree(k, "k", q, { T: Tk, D, H });
      const scale = rest.scale === undefined ? 1 / Math.sqrt(D) : check.finite(rest.scale, "scale");
      const shape = [...q.lead, Tq, Tk];
      const result = output(out, shape);
      if (result.data.length === 0) return result.done();

      const add = u && k && keyTerm(k, u, Tq, scale);
      const x = { data: v ? plus(q, v) : q.data, shape: [...q.lead, Tq, D] };
      const index = { data: distanceIndex(Tq, Tk, isCausal ? Tk : distances.R), shape: [Tq, Tk] };
      relative.scores(x, withZeroRow(distances, H), { index, scale, add, out: result.data });
      return result.done();
    },

    /**
     * Shifts products of queries with the rows of distances, [Tq, R], so that column j is key j.
     *
     *     shifted[i, j] = x[i, j + Tq - 1 - i]            j <= i + R - Tq
     *
     * The original code prepends a zero to each row, reads the result as [R + 1, Tq] and drops the first
     * row.
     *
     * @param {TensorInput} x  [..., Tq, R]; column c belongs to distance R - 1 - c
     * @param {OptionsOf<typeof SHIFT>} [options]
     * @returns {Tensor} float32, the shape of x
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Dai et al. 2019, https://arxiv.org/abs/1901.02860, appendix B; kimiyoung/transformer-xl,
     *   pytorch/mem_transformer.py, _rel_shift
     * @example
     * transformerXL.shift([[1, 2, 3], [4, 5, 6], [7, 8, 9]]).toArray()
     * // [[3, 0, 0], [5, 6, 0], [7, 8, 9]]
     */
    shift(x, options = {}) {
      const { upper, out } = SHIFT.read(options);
      const { data, shape } = asFloat32(x, "x");
      if (shape.length < 2) {
        throw wrongShape("x", "[..., Tq, R]", shape);
      }
      const [Tq, R] = shape.slice(-2);
      const result = output(out, shape);
      const [from, to] = [bitsOf(apart(data, result.data)), bitsOf(result.data)];
      for (let first = 0; first < from.length; first += Tq * R) {
        shiftMatrix(from, first, Tq, R, upper === "wrapped", to);
      }
      return result.done();
    },
  };

  /**
   * scale u . k_j for every query.
   * @param {Heads} k @param {HeadVectors} u @param {number} Tq @param {number} scale
   */
  function keyTerm(k, u, Tq, scale) {
    const { H, T: Tk, D } = k;
    const index = { data: arrays.int32s(Tq * Tk, "index"), shape: [Tq, Tk] };
    const x = { data: k.data, shape: [...k.lead, Tk, D] };
    const table = { data: u.data, shape: u.step > 0 ? [H, 1, D] : [1, D] };
    return relative.scores(x, table, { index, of: "keys", scale });
  }

  /**
   * The vectors of all distances, projected if asked: [Tk, D] for all heads or [H, Tk, D].
   * @param {unknown} value @param {unknown} projection @param {number} H @param {number} D
   */
  function readDistances(value, projection, H, D) {
    if (projection === undefined) return readVectors(value, "r", H, D);
    const { data, shape } = asFloat32(value, "r");
    if (shape.length !== 2 || shape[1] === 0) {
      throw wrongShape("r", "[Tk, E]", shape);
    }
    const weights = asFloat32(projection, "projection");
    if (weights.shape.join() !== `${H * D},${shape[1]}`) {
      throw wrongShape("projection", `[${H * D}, ${shape[1]}]`, weights.shape);
    }
    const [R, E] = shape;
    const rows = arrays.float32s(R * H * D, "r");
    fillLinear(core, data, weights.data, undefined, E, rows);
    const heads = arrays.float32s(rows.length, "r");
    for (let c = 0; c < R; ++c) {
      for (let h = 0; h < H; ++h) {
        heads.set(rows.subarray((c * H + h) * D, (c * H + h + 1) * D), (h * R + c) * D);
      }
    }
    return { data: heads, R, D, step: R * D };
  }

  return option.withOptions(module, { scores: SCORES, shift: SHIFT });
}

/**
 * The table of distances with a last row of zeros, for keys after the query.
 * @param {import("../shaw/shaw.js").Vectors} distances @param {number} H
 */
function withZeroRow({ data, R, D, step }, H) {
  const rows = arrays.float32s((data.length / (R * D)) * (R + 1) * D, "r");
  for (let from = 0, to = 0; from < data.length; from += R * D, to += (R + 1) * D) {
    rows.set(data.subarray(from, from + R * D), to);
  }
  return { data: rows, shape: step > 0 ? [H, R + 1, D] : [R + 1, D] };
}

/** The row of each pair's distance; `last` for keys without one. @param {number} Tq @param {number} Tk @param {number} last */
function distanceIndex(Tq, Tk, last) {
  const index = arrays.int32s(Tq * Tk, "index");
  for (let i = 0, next = 0; i < Tq; ++i) {
    for (let j = 0; j < Tk; ++j) index[next++] = Math.min(j + Tq - 1 - i, last);
  }
  return index;
}

/**
 * Shift one matrix [Tq, R] of bits.
 * @param {Int32Array} x @param {number} first  the matrix's first element @param {number} Tq
 * @param {number} R @param {boolean} wrapped @param {Int32Array} out
 */
function shiftMatrix(x, first, Tq, R, wrapped, out) {
  for (let i = 0, k = 0; i < Tq; ++i) {
    for (let j = 0; j < R; ++j, ++k) {
      const padded = k + Tq; // in rows of R + 1, which begin with the zero
      const row = Math.floor(padded / (R + 1));
      const column = (padded % (R + 1)) - 1;
      const shown = column >= 0 && (wrapped || j <= i + R - Tq);
      out[first + k] = shown ? x[first + row * R + column] : 0;
    }
  }
}

/**
 * q + v, rounded to float32 as in the original code.
 * @param {Heads} q @param {HeadVectors} v
 */
function plus({ data, H, T, D }, v) {
  return data.map((x, k) => x + v.data[(Math.floor(k / (T * D)) % H) * v.step + (k % D)]);
}

/**
 * A vector of every head, [H, D], or one for all, [D]; `step` is the distance between heads, D or 0.
 * @typedef {{data: Float32Array, step: number}} HeadVectors
 */

/**
 * @param {unknown} value @param {string} name @param {number} H @param {number} D
 * @returns {HeadVectors | undefined}
 */
function readHeadVectors(value, name, H, D) {
  if (value === undefined) return undefined;
  const { data, shape } = asFloat32(value, name);
  const each = shape.length === 2 && shape[0] === H && shape[1] === D;
  if (!each && !(shape.length === 1 && shape[0] === D)) {
    throw wrongShape(name, `[${H}, ${D}] or [${D}]`, shape);
  }
  return { data, step: each ? D : 0 };
}

const INPUTS = Object.freeze({ q: true, k: true, r: true });

/** @param {unknown} inputs @returns {{q: unknown, k: unknown, r: unknown}} */
function readInputs(inputs) {
  if (!check.isObject(inputs)) {
    throw new TypeError(`inputs must be {q, k, r}; got ${check.describe(inputs)}`);
  }
  check.known(inputs, INPUTS, "inputs");
  const { q, k, r } = /** @type {{q: unknown, k: unknown, r: unknown}} */ (inputs);
  return { q, k, r };
}
