/** @import { Core, Raw } from "../../runtime/wasm.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
/** @import { RotaryTable } from "../../positional/rotary/rope/rope.js" */
/** @import { Heads } from "./heads.js" */
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import { withMemory, overRows, put, take, tileRows } from "../../runtime/memory.js";
import { asFloat32, Tensor } from "../../runtime/tensor.js";
import { rope } from "../../positional/rotary/rope/rope.js";
import { apart, hide, mustAgree, putBias, readBias, readHeads, readKeyMask } from "./heads.js";

const MASKS = /** @type {const} */ (["none", "causal"]);

/**
 * @typedef {object} AttentionOptions
 * @property {number} [scale]  of the products q.k; default 1/sqrt(D). T5 has 1
 * @property {number} [softcap]  logits become softcap * tanh(logit / softcap) before the bias is
 *   added: 50 in Gemma 2; default: none
 * @property {TensorInput} [bias]  added to the scaled logits, -Infinity hides: [B, H, Tq, Tk], its
 *   first axes may be left out and any may be 1
 * @property {"none" | "causal"} [mask]  `causal`: query r stands at position r + Tk - Tq and sees no
 *   later key; default `none`
 * @property {TensorInput} [keyPaddingMask]  which keys count: 1 or true, 0 or false; [B, Tk] or [Tk]
 * @property {{cos: TensorInput, sin: TensorInput} | {q: RotaryTable, k: RotaryTable}} [rope]  from
 *   `rope.table`: q and k are turned first, by one table or by one each
 * @property {"interleaved" | "halves"} [layout]  of the rotation; default `halves`, as HF has it
 */

/** What every function that forms logits takes. */
const DEFAULTS = Object.freeze({
  scale: undefined,
  softcap: undefined,
  bias: undefined,
  mask: "none",
  keyPaddingMask: undefined,
  rope: undefined,
  layout: "halves",
});

/**
 * Attention: every query mixes the values by how well its key fits (Vaswani et al. 2017), with any
 * scheme of positions: a bias, turned queries and keys, or none.
 * @param {Core} core
 */
export function attention(core) {
  const raw =
    /**
     * @type {Raw & {
     *   attention_scores(...logits: number[]): number,
     *   attention_scaled_dot_product(...logits: number[]): number,
     *   attention_softmax(scores: number, rows: number, N: number, out: number): number,
     *   attention_linear_layer(x: number, w: number, bias: number, biases: number, T: number, N: number,
     *     D: number, out: number): number,
     * }}
     */ (core.raw);
  const { apply } = rope(core);

  return {
    /**
     * Attend: the mix of values that every query gets, and the weights of the mix.
     *
     *     weights = softmax(scale q k^T + bias),   output[i] = sum_j weights[i, j] v[j]
     *
     * q [B, H, Tq, D], k [B, Hk, Tk, D], v [B, Hk, Tk, Dv]; the batch axis, or it and the heads' axis,
     * may be left out of all three. Where k and v have fewer heads (Hk divides H), query head h uses
     * key head floor(h / (H / Hk)). A query that sees no key gets weights and output of zeros; keys that
     * mask or keyPaddingMask hides add nothing, whatever they hold.
     * Accuracy: weights within 1.2e-7 relative of the softmax of the float32 logits (`scores`);
     * products and mixes are summed in double and rounded once.
     *
     * @param {{q: TensorInput, k: TensorInput, v: TensorInput}} inputs  not changed
     * @param {AttentionOptions & {out?: {output: Float32Array | Tensor, weights: Float32Array | Tensor}}} [options]
     *   `out` is filled instead of new arrays
     * @returns {{output: Tensor, weights: Tensor}} float32 [B, H, Tq, Dv] and [B, H, Tq, Tk], with the
     *   axes that q has; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Vaswani et al. 2017, Attention is all you need, https://arxiv.org/abs/1706.03762, section 3.2
     * @see Ainslie et al. 2023, GQA, https://arxiv.org/abs/2305.13245 (grouped heads)
     * @example
     * const k = [[1, 0], [0, 1]];
     * attention.scaledDotProduct({ q: [[0, 0]], k, v: [[2], [4]] }).output.toArray()
     * // [[3]]
     */
    scaledDotProduct(inputs, options = {}) {
      const where = "attention.scaledDotProduct";
      const { q, k, v } = readInputs(inputs);
      const { out, ...given } = check.options(options, { ...DEFAULTS, out: undefined }, where);
      const heads = { q: readHeads(q, "q"), k: readHeads(k, "k"), v: readHeads(v, "v") };
      mustAgree(heads.v, "v", heads.q, { T: heads.k.T, H: heads.k.H });
      return run(heads, given, readOut(out), where);
    },

    /**
     * The logits: what `attend` takes the softmax of.
     *
     *     scores[i, j] = scale q_i . k_j + bias[i, j],   -Infinity where query i does not see key j
     *
     * @param {TensorInput} q  queries [B, H, Tq, D], [H, Tq, D] or [Tq, D]
     * @param {TensorInput} k  keys [B, Hk, Tk, D], [Hk, Tk, D] or [Tk, D]
     * @param {AttentionOptions & {out?: Float32Array | Tensor}} [options]  as for `attend`
     * @returns {Tensor} float32 [B, H, Tq, Tk], with the axes that q has; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 3.2.1
     * @example
     * attention.scores([[1, 1, 1, 1]], [[1, 2, 3, 4], [5, 6, 7, 8]]).toArray()
     * // [[5, 13]]
     */
    scores(q, k, options = {}) {
      const where = "attention.scores";
      const { out, ...given } = check.options(options, { ...DEFAULTS, out: undefined }, where);
      const heads = { q: readHeads(q, "q"), k: readHeads(k, "k") };
      return run(heads, given, { weights: out }, where).weights;
    },

    /**
     * Normalise logits along their last axis.
     *
     *     softmax[..., j] = e^(x_j - max x) / sum_n e^(x_n - max x)
     *
     * A row of -Infinity, which sees nothing, becomes zeros; a row with NaN becomes NaN.
     * Accuracy: relative 1.2e-7; a row sums to 1 within 1.2e-7.
     *
     * @param {TensorInput} scores  [..., N]; not changed unless it is `out`
     * @param {{out?: Float32Array | Tensor}} [options]  `out` is filled instead of a new array
     * @returns {Tensor} float32, the shape of scores; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind
     * @see Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 3.2.1
     * @example
     * attention.softmax([[0, 0], [5, -Infinity]]).toArray()
     * // [[0.5, 0.5], [1, 0]]
     */
    softmax(scores, options = {}) {
      const where = "attention.softmax";
      const { out } = check.options(options, { out: undefined }, where);
      const { data, shape } = asFloat32(scores, "scores");
      if (shape.length === 0) throw new RangeError("scores must have an axis; got shape []");
      const N = shape[shape.length - 1];
      const result = check.destination(out, shape);
      overRows(
        core,
        where,
        N === 0 ? 0 : data.length / N,
        [
          { data, row: N },
          { data: result, row: N, way: "out" },
        ],
        (rows, _, [from, to]) => raw.attention_softmax(from, rows, N, to),
      );
      return new Tensor(result, shape);
    },

    /**
     * A linear layer: what makes queries, keys and values of token vectors.
     *
     *     y[..., n] = sum_d x[..., d] weights[n, d] + bias[n]          y = x W^T + b, as nn.Linear
     *
     * Accuracy: the sum in double, rounded once; one more rounding for the bias.
     *
     * @param {TensorInput} x  [..., D]; not changed
     * @param {TensorInput} weights  [N, D]
     * @param {{bias?: TensorInput, out?: Float32Array | Tensor}} [options]  `bias` [N]; `out` is filled
     *   instead of a new array
     * @returns {Tensor} float32 [..., N]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 3.2.2
     * @example
     * attention.linear([[1, 2]], [[1, 0], [1, 1], [0, 3]], { bias: [10, 20, 30] }).toArray()
     * // [[11, 23, 36]]
     */
    linear(x, weights, options = {}) {
      const where = "attention.linear";
      const { bias, out } = check.options(options, { bias: undefined, out: undefined }, where);
      const rows = asFloat32(x, "x");
      const D = rows.shape[rows.shape.length - 1];
      if (rows.shape.length === 0 || D === 0) {
        throw new RangeError(`x must have shape [..., D]; got [${rows.shape.join(", ")}]`);
      }
      const matrix = asFloat32(weights, "weights");
      if (matrix.shape.length !== 2 || matrix.shape[1] !== D) {
        throw new RangeError(`weights must have shape [N, ${D}]; got [${matrix.shape.join(", ")}]`);
      }
      const [N] = matrix.shape;
      const given = readVector(bias, "bias", N);
      const shape = [...rows.shape.slice(0, -1), N];
      const result = check.destination(out, shape);
      linear(rows.data, matrix.data, given, D, result, where);
      return new Tensor(result, shape);
    },

    /**
     * Multi-head self-attention, as nn.MultiheadAttention computes it.
     *
     *     q, k, v = x W_in^T + b_in (rows of W_in: q, k, v),  heads are consecutive columns,
     *     output = (the heads' outputs side by side) W_out^T + b_out
     *
     * Accuracy: as `project` and `attend`.
     *
     * @param {TensorInput} x  tokens [B, T, E] or [T, E]; not changed
     * @param {AttentionOptions & {heads: number, inProjection: TensorInput, inBias?: TensorInput, outProjection: TensorInput, outBias?: TensorInput}} options
     *   `heads` H divides E; `inProjection` W_in [3 E, E]; `inBias` b_in [3 E], default none;
     *   `outProjection` W_out [E, E]; `outBias` b_out [E], default none; the rest as for `attend`
     * @returns {{output: Tensor, weights: Tensor}} float32 [B, T, E], and the weights of every head
     *   [B, H, T, T], with the axes that x has; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 3.2.2
     * @example
     * const inProjection = [[1, 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1]]; // q = k = v = x
     * const outProjection = [[2, 0], [0, 2]];
     * attention.multiHead([[1, 0], [1, 0]], { heads: 1, inProjection, outProjection }).output.toArray()
     * // [[2, 0], [2, 0]]
     */
    multiHead(x, options) {
      const where = "attention.multiHead";
      const defaults = {
        ...DEFAULTS,
        heads: undefined,
        inProjection: undefined,
        inBias: undefined,
        outProjection: undefined,
        outBias: undefined,
      };
      const { heads, inProjection, inBias, outProjection, outBias, ...given } = check.options(
        options,
        defaults,
        where,
      );
      const tokens = asFloat32(x, "x");
      const rank = tokens.shape.length;
      if (rank < 2 || rank > 3 || tokens.shape[rank - 1] === 0) {
        throw new RangeError(
          `x must have shape [B, T, E] or [T, E]; got [${tokens.shape.join(", ")}]`,
        );
      }
      const [B, T, E] = [...(rank === 2 ? [1] : []), ...tokens.shape];
      const H = check.integer(heads, "heads");
      if (E % H !== 0) throw new RangeError(`heads must divide ${E}, the width of x; got ${H}`);
      const into = readMatrix(inProjection, "inProjection", 3 * E, E);
      const onto = readMatrix(outProjection, "outProjection", E, E);
      const intoBias = readVector(inBias, "inBias", 3 * E);
      const ontoBias = readVector(outBias, "outBias", E);

      const projected = check.float32s(B * T * 3 * E, where);
      linear(tokens.data, into, intoBias, E, projected, where);
      const D = E / H;
      const lead = [...tokens.shape.slice(0, -2), H];
      const [q, k, v] = [0, 1, 2].map((part) => {
        const data = check.float32s(B * T * E, where);
        eachHead(B, T, H, (b, h, t, at) => {
          const from = (b * T + t) * 3 * E + part * E + h * D;
          data.set(projected.subarray(from, from + D), at * D);
        });
        return { data, lead, B, H, T, D };
      });
      const { output, weights } = run({ q, k, v }, given, {}, where);
      const merged = check.float32s(B * T * E, where);
      eachHead(B, T, H, (b, h, t, at) => {
        merged.set(output.data.subarray(at * D, (at + 1) * D), (b * T + t) * E + h * D);
      });
      const result = check.float32s(B * T * E, where);
      linear(merged, onto, ontoBias, E, result, where);
      return { output: new Tensor(result, tokens.shape), weights };
    },
  };

  /**
   * Logits, and with values all of attention, tile by tile: the keys and values of one head are copied
   * in whole, its queries in tiles.
   * @param {{q: Heads, k: Heads, v?: Heads}} heads
   * @param {Record<keyof typeof DEFAULTS, unknown>} given
   * @param {{output?: unknown, weights?: unknown}} out @param {string} where
   * @returns {{output: Tensor, weights: Tensor}} without values, `output` is empty
   */
  function run({ q, k, v }, given, out, where) {
    mustAgree(k, "k", q, { D: q.D });
    const { B, H, T: Tq, D } = q;
    const { H: Hk, T: Tk } = k;
    const V = v?.D ?? 0;
    const scale = given.scale === undefined ? 1 / Math.sqrt(D) : check.finite(given.scale, "scale");
    const softcap =
      given.softcap === undefined
        ? 0
        : check.finite(given.softcap, "softcap", "a number > 0", (x) => x > 0);
    const causal = check.oneOf(given.mask, "mask", MASKS) === "causal";
    const keep = readKeyMask(given.keyPaddingMask, B, Tk);
    const bias = readBias(given.bias === undefined && keep ? [0] : given.bias, [B, H, Tq, Tk]);
    const layout = check.oneOf(given.layout, "layout", ["interleaved", "halves"]);
    const tables = readTables(given.rope);
    const turn = (/** @type {Heads} */ { data, lead, T }, /** @type {any} */ table) =>
      table ? apply({ data, shape: [...lead, T, D] }, table, { layout }).data : data;
    const queries = turn(q, tables?.q);
    const keys = turn(k, tables?.k);

    const named = v ? "out.weights" : "out";
    const weights = check.destination(out.weights, [...q.lead, Tq, Tk], named);
    const output = check.destination(v ? out.output : undefined, [...q.lead, Tq, V], "out.output");
    if (check.shares(output, weights)) {
      throw new RangeError("out.weights must share no memory with out.output; got the same");
    }
    const from = {
      q: apart(queries, output, weights),
      k: apart(keys, output, weights),
      v: v && apart(v.data, output, weights),
      bias: bias && { ...bias, data: apart(bias.data, output, weights) },
    };

    const step = tileRows((D + V + Tk * (bias ? 2 : 1)) * 4, Tq);
    const pieces = [step * D, Tk * D, Tk * V, bias ? step * Tk : 0, step * Tk, step * V];
    const bytes = pieces.map((numbers) => numbers * 4);
    if (weights.length === 0 && output.length === 0) return results();
    withMemory(core, where, bytes, (qAt, kAt, vAt, biasAt, weightsAt, outAt) => {
      for (let n = 0; n < B * Hk; ++n) {
        const b = Math.floor(n / Hk);
        put(core, from.k.subarray(n * Tk * D, (n + 1) * Tk * D), kAt);
        if (from.v) put(core, from.v.subarray(n * Tk * V, (n + 1) * Tk * V), vAt);
        const hidden = keep?.hidden(b) ?? [];
        // A key that does not count has the weight 0, which would still spread a NaN of its value.
        const { HEAPF32: heap } = core.raw;
        for (const key of hidden) heap.fill(0, (vAt >>> 2) + key * V, (vAt >>> 2) + (key + 1) * V);
        for (let head = n * (H / Hk); head < (n + 1) * (H / Hk); ++head) {
          for (let t = 0; t < Tq; t += step) {
            const T = Math.min(step, Tq - t);
            const row = head * Tq + t;
            put(core, from.q.subarray(row * D, (row + T) * D), qAt);
            if (from.bias) putBias(core, from.bias, [b, head % H, t], T, Tk, biasAt);
            hide(core, hidden, T, Tk, biasAt);
            const biases = from.bias ? T * Tk : 0;
            const seen = causal ? t + Tk - Tq + 1 : Tk;
            const logits = [qAt, kAt, biasAt, biases, T, Tk, D, scale, softcap, seen, weightsAt];
            checkStatus(
              v
                ? raw.attention_scaled_dot_product(...logits, vAt, V, outAt)
                : raw.attention_scores(...logits),
              where,
            );
            take(core, weightsAt, T * Tk, weights, row * Tk);
            if (v) take(core, outAt, T * V, output, row * V);
          }
        }
      }
    });
    return results();

    function results() {
      return {
        output: new Tensor(output, [...q.lead, Tq, V]),
        weights: new Tensor(weights, [...q.lead, Tq, Tk]),
      };
    }
  }

  /**
   * @param {Float32Array} x @param {Float32Array} w @param {Float32Array | undefined} bias
   * @param {number} D @param {Float32Array} result @param {string} where
   */
  function linear(x, w, bias, D, result, where) {
    const N = w.length / D;
    overRows(
      core,
      where,
      x.length / D,
      [
        { data: x, row: D },
        { data: w },
        { data: bias ?? new Float32Array(0) },
        { data: result, row: N, way: "out" },
      ],
      (rows, _, [from, matrix, added, to]) =>
        raw.attention_linear_layer(from, matrix, added, bias?.length ?? 0, rows, N, D, to),
    );
  }
}

/** @param {unknown} inputs @returns {{q: unknown, k: unknown, v: unknown}} */
function readInputs(inputs) {
  if (typeof inputs !== "object" || inputs === null) {
    throw new TypeError(`inputs must be {q, k, v}; got ${check.describe(inputs)}`);
  }
  const { q, k, v } = /** @type {{q: unknown, k: unknown, v: unknown}} */ (inputs);
  return { q, k, v };
}

/** @param {unknown} out @returns {{output?: unknown, weights?: unknown}} */
function readOut(out) {
  if (out === undefined) return {};
  if (typeof out !== "object" || out === null) {
    throw new TypeError(`out must be {output, weights}; got ${check.describe(out)}`);
  }
  const { output, weights } = /** @type {{output?: unknown, weights?: unknown}} */ (out);
  return { output: output ?? null, weights: weights ?? null };
}

/**
 * One table for both, or one each.
 * @param {unknown} tables
 */
function readTables(tables) {
  if (tables === undefined) return undefined;
  if (typeof tables !== "object" || tables === null) {
    throw new TypeError(
      `rope must be a table or {q, k}, from rope.table; got ${check.describe(tables)}`,
    );
  }
  const { q = tables, k = tables } = /** @type {{q?: unknown, k?: unknown}} */ (tables);
  return { q, k };
}

/**
 * @param {unknown} value @param {string} name @param {number} rows @param {number} columns
 */
function readMatrix(value, name, rows, columns) {
  const { data, shape } = asFloat32(value, name);
  if (shape.length !== 2 || shape[0] !== rows || shape[1] !== columns) {
    throw new RangeError(
      `${name} must have shape [${rows}, ${columns}]; got [${shape.join(", ")}]`,
    );
  }
  return data;
}

/**
 * @param {unknown} value @param {string} name @param {number} length
 * @returns {Float32Array | undefined}
 */
function readVector(value, name, length) {
  if (value === undefined) return undefined;
  const { data, shape } = asFloat32(value, name);
  if (shape.length !== 1 || shape[0] !== length) {
    throw new RangeError(`${name} must have shape [${length}]; got [${shape.join(", ")}]`);
  }
  return data;
}

/**
 * Every row of heads [B, H, T, D], with its number.
 * @param {number} B @param {number} T @param {number} H
 * @param {(b: number, h: number, t: number, row: number) => void} visit
 */
function eachHead(B, T, H, visit) {
  for (let b = 0; b < B; ++b) {
    for (let h = 0; h < H; ++h) {
      for (let t = 0; t < T; ++t) visit(b, h, t, (b * H + h) * T + t);
    }
  }
}
