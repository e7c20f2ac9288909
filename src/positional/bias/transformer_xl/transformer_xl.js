/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
/** @import { Heads } from "../../../attention/attention/heads.js" */
import * as check from "../../../runtime/check.js";
import { asFloat32, Tensor } from "../../../runtime/tensor.js";
import { attention } from "../../../attention/attention/attention.js";
import { apart, mustAgree, readHeads } from "../../../attention/attention/heads.js";
import { readVectors, shaw } from "../shaw/shaw.js";

const UPPER = /** @type {const} */ (["zero", "wrapped"]);

/**
 * Transformer-XL's relative logits and shift (Dai et al. 2019).
 * @param {Core} core
 */
export function transformerXL(core) {
  const { linear } = attention(core);
  const vectors = shaw(core);

  return {
    /**
     * What Transformer-XL adds to q.k: a `bias` for `attention.scaledDotProduct`, whose `mask` is then `causal`.
     *
     *     bias[i, j] = scale (u . k_j + (q_i + v) . W r_(i-j))
     *
     * so that scale q.k + bias = scale ((q_i + u) . k_j + (q_i + v) . W r_(i-j)). Query i stands at
     * position i + Tk - Tq. Row c of r belongs to distance Tk - 1 - c: r is a table of descending
     * positions, `sinusoidal.table([Tk - 1, ..., 0], E, { layout: "halves" })`. Keys after the query
     * have no row; they get the first term alone.
     * Accuracy: q + v, W r and the first term are rounded to float32, the rest is in double.
     *
     * @param {{q: TensorInput, k?: TensorInput, r: TensorInput}} inputs  q [B, H, Tq, D] and k
     *   [B, H, Tk, D] (needed with u), or without the batch axis, or it and the heads'; r [Tk, D] for all
     *   heads, [H, Tk, D], or with `projection` [Tk, E]
     * @param {object} [options]
     * @param {TensorInput} [options.u]  the paper's u [H, D], or [D]; default: none
     * @param {TensorInput} [options.v]  the paper's v [H, D], or [D]; default: none
     * @param {TensorInput} [options.projection]  the paper's W [H D, E]
     * @param {number} [options.scale]  default 1/sqrt(D)
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32 [B, H, Tq, Tk], with the axes that q has; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Dai et al. 2019, Transformer-XL, https://arxiv.org/abs/1901.02860, section 3.3
     * @example
     * const r = [[30], [20], [10]]; // of distances 2, 1, 0
     * transformerXL.scores({ q: [[1], [2]], r }).toArray()
     * // [[20, 10, 0], [60, 40, 20]]
     */
    scores(inputs, options = {}) {
      const where = "transformerXL.scores";
      const defaults = {
        u: undefined,
        v: undefined,
        projection: undefined,
        scale: undefined,
        out: undefined,
      };
      const given = check.options(options, defaults, where);
      const read = readInputs(inputs);
      const q = readHeads(read.q, "q");
      const { H, T: Tq, D } = q;
      const { data, R: Tk, step } = readDistances(read.r, given.projection, H, D);
      if (Tq > Tk) {
        throw new RangeError(`r must have a row for each of ${Tq} distances; got ${Tk}`);
      }
      const u = readBiases(given.u, "u", H, D);
      const v = readBiases(given.v, "v", H, D);
      const k = u && readHeads(read.k, "k");
      if (k) mustAgree(k, "k", q, { T: Tk, D, H });
      const scale =
        given.scale === undefined ? 1 / Math.sqrt(D) : check.finite(given.scale, "scale");
      const shape = [...q.lead, Tq, Tk];
      const result = check.destination(given.out, shape);
      if (result.length === 0) return new Tensor(result, shape);

      const index = check.destinationInt32(undefined, [Tq, Tk]);
      const each = { index: { data: index, shape: [Tq, Tk] }, scale };
      const perHead = (/** @type {number} */ step, /** @type {number[]} */ ...axes) =>
        step > 0 ? [H, ...axes] : axes;
      const add =
        u &&
        k &&
        vectors.scores(
          { data: k.data, shape: [...k.lead, Tk, D] },
          { data: u.data, shape: perHead(u.step, 1, D) },
          { ...each, of: "keys" },
        );
      // Keys after the query get a row of zeros behind the last one.
      const rows = check.float32s((data.length / (Tk * D)) * (Tk + 1) * D, where);
      for (let from = 0, to = 0; from < data.length; from += Tk * D, to += (Tk + 1) * D) {
        rows.set(data.subarray(from, from + Tk * D), to);
      }
      for (let i = 0, at = 0; i < Tq; ++i) {
        for (let j = 0; j < Tk; ++j, ++at) index[at] = Math.min(j + Tq - 1 - i, Tk);
      }
      const queries = { data: v ? plus(q, v) : q.data, shape: [...q.lead, Tq, D] };
      const table = { data: rows, shape: perHead(step, Tk + 1, D) };
      vectors.scores(queries, table, { ...each, add, out: result });
      return new Tensor(result, shape);
    },

    /**
     * Transformer-XL's shift: products of queries with the rows of distances, [Tq, R], moved so that
     * column j is key j. A zero is put before each row, all is read on as [R + 1, Tq], and the first
     * row left out.
     *
     *     shifted[i, j] = x[i, j + Tq - 1 - i]            j <= i + R - Tq
     *
     * @param {TensorInput} x  [..., Tq, R]; column c belongs to distance R - 1 - c; not changed
     * @param {object} [options]
     * @param {"zero" | "wrapped"} [options.upper]  what keys after the query get: `zero` (default),
     *   or `wrapped`, what the trick leaves there, numbers of the next query: for a causal mask to hide
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32, the shape of x; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind
     * @see Dai et al. 2019, https://arxiv.org/abs/1901.02860, appendix B; kimiyoung/transformer-xl,
     *   pytorch/mem_transformer.py, _rel_shift
     * @example
     * transformerXL.shift([[1, 2, 3], [4, 5, 6], [7, 8, 9]]).toArray()
     * // [[3, 0, 0], [5, 6, 0], [7, 8, 9]]
     */
    shift(x, options = {}) {
      const where = "transformerXL.shift";
      const { upper, out } = check.options(options, { upper: "zero", out: undefined }, where);
      const wrapped = check.oneOf(upper, "upper", UPPER) === "wrapped";
      const { data, shape } = asFloat32(x, "x");
      if (shape.length < 2) {
        throw new RangeError(`x must have shape [..., Tq, R]; got [${shape.join(", ")}]`);
      }
      const [Tq, R] = shape.slice(-2);
      const result = check.destination(out, shape);
      const from = apart(data, result);
      for (let first = 0; first < from.length; first += Tq * R) {
        for (let i = 0, at = 0; i < Tq; ++i) {
          for (let j = 0; j < R; ++j, ++at) {
            const padded = at + Tq; // in rows of R + 1, whose first number is the zero
            const row = Math.floor(padded / (R + 1));
            const column = (padded % (R + 1)) - 1;
            const shown = column >= 0 && (wrapped || j <= i + R - Tq);
            result[first + at] = shown ? from[first + row * R + column] : 0;
          }
        }
      }
      return new Tensor(result, shape);
    },
  };

  /**
   * The vectors of all distances, projected if asked: [Tk, D] for all heads or [H, Tk, D].
   * @param {unknown} value @param {unknown} projection @param {number} H @param {number} D
   */
  function readDistances(value, projection, H, D) {
    if (projection === undefined) return readVectors(value, "r", H, D);
    const { data, shape } = asFloat32(value, "r");
    if (shape.length !== 2 || shape[1] === 0) {
      throw new RangeError(`r must have shape [Tk, E]; got [${shape.join(", ")}]`);
    }
    const weights = asFloat32(projection, "projection");
    if (weights.shape.join() !== `${H * D},${shape[1]}`) {
      throw new RangeError(
        `projection must have shape [${H * D}, ${shape[1]}]; got [${weights.shape.join(", ")}]`,
      );
    }
    const rows = linear({ data, shape }, weights).data;
    const [R] = shape;
    const heads = check.float32s(rows.length, "r");
    for (let c = 0; c < R; ++c) {
      for (let h = 0; h < H; ++h) {
        heads.set(rows.subarray((c * H + h) * D, (c * H + h + 1) * D), (h * R + c) * D);
      }
    }
    return { data: heads, R, D, step: R * D };
  }
}

/**
 * q + v, rounded to float32 as the source has it.
 * @param {Heads} q @param {{data: Float32Array, step: number}} v
 */
function plus({ data, H, T, D }, v) {
  return data.map((x, at) => x + v.data[(Math.floor(at / (T * D)) % H) * v.step + (at % D)]);
}

/**
 * A vector of every head, [H, D], or one for all, [D].
 * @param {unknown} value @param {string} name @param {number} H @param {number} D
 */
function readBiases(value, name, H, D) {
  if (value === undefined) return undefined;
  const { data, shape } = asFloat32(value, name);
  const each = shape.length === 2 && shape[0] === H && shape[1] === D;
  if (!each && !(shape.length === 1 && shape[0] === D)) {
    throw new RangeError(
      `${name} must have shape [${H}, ${D}] or [${D}]; got [${shape.join(", ")}]`,
    );
  }
  return { data, step: each ? D : 0 };
}

/** @param {unknown} inputs @returns {{q: unknown, k: unknown, r: unknown}} */
function readInputs(inputs) {
  if (typeof inputs !== "object" || inputs === null) {
    throw new TypeError(`inputs must be {q, k, r}; got ${check.describe(inputs)}`);
  }
  const { q, k, r } = /** @type {{q: unknown, k: unknown, r: unknown}} */ (inputs);
  return { q, k, r };
}
