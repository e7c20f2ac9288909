/** @import { AttentionTile } from "../../runtime/bindings.js" */
/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Heads } from "../../runtime/heads.js" */
/** @import { Bias } from "./bias.js" */
import { checkStatus } from "../../runtime/errors.js";
import { withMemory, put, take, tileRows } from "../../runtime/memory.js";
import { hide, putBias } from "./bias.js";

/**
 * The inputs of attention. No array shares memory with a result.
 * @typedef {object} Inputs
 * @property {Heads} q
 * @property {Heads} k
 * @property {Heads} [v]  without values, only the logits are computed
 * @property {ArrayLike<number>} lengths  how many keys each text has; further ones are not read
 * @property {Bias} [bias]  required with `keep`
 * @property {{hidden: (b: number, N: number) => number[]}} [keep]  the keys that the padding mask hides
 */

/** @typedef {{scale: number, softcap: number, causal: boolean, sums: number}} Rule */

/**
 * Queries that one call of the kernel computes: `count` from row `row` of [B, H, Tq] on. They are of one
 * head, or, if each head has one query, of as many heads.
 * @typedef {{b: number, row: number, count: number, t: number, N: number, hidden: number[]}} Tile
 */

/**
 * Attention tile by tile: the keys and values of a head are copied into WASM memory as a whole, its
 * queries in tiles.
 * @param {Core} core
 * @returns {(inputs: Inputs, rule: Rule, out: {output: Float32Array, weights?: Float32Array}) => void}
 */
export function tiles(core) {
  const { raw } = core;

  return (inputs, rule, out) => {
    const { q, k, v, bias, lengths } = inputs;
    const [Tq, D, V] = [q.T, q.D, v?.D ?? 0];
    if (!out.weights?.length && out.output.length === 0) return;
    let most = 0;
    for (let b = 0; b < q.B; ++b) most = Math.max(most, lengths[b]);
    const group = q.H / k.H;
    const run = Tq === 1 ? group : Tq; // rows that the kernel may take at once
    const step = tileRows((D + V + most * (bias ? 2 : 1)) * 4, run);
    const counts = [step * D, most * D, most * V, bias ? step * most : 0, step * most, step * V];
    const beside = [k, v].map((heads) => (isSideBySide(heads) ? most * k.H * heads.D : 0));
    const bytes = [...counts, ...beside].map((count) => count * 4);
    withMemory(core, bytes, (...at) => {
      const [qPtr, kPtr, vPtr, biasPtr, weightsPtr, outPtr, allKeys, allValues] = at;
      const ptr = { q: qPtr, k: kPtr, v: vPtr, bias: biasPtr, weights: weightsPtr, out: outPtr };
      for (let b = 0; b < q.B; ++b) {
        const N = lengths[b];
        const hidden = inputs.keep?.hidden(b, N) ?? [];
        putBeside(k, b, N, allKeys);
        putBeside(v, b, N, allValues);
        for (let h = 0; h < k.H; ++h) {
          putHead(k, b, h, N, ptr.k, allKeys);
          putHead(v, b, h, N, ptr.v, allValues);
          clearHidden(v, hidden, ptr.v);
          const first = (b * q.H + h * group) * Tq;
          for (let row = first; row < first + group * Tq; row += run) {
            for (let t = 0; t < run; t += step) {
              const count = Math.min(step, run - t);
              const tile = { b, row: row + t, count, t, N, hidden };
              putQueries(inputs, tile, ptr);
              checkStatus(compute(inputs, rule, tile, ptr));
              if (out.weights) takeWeights(inputs, tile, out.weights, ptr.weights);
              if (v) takeOutput(inputs, tile, out.output, ptr.out);
            }
          }
        }
      }
    });
  };

  /** Copies the first N rows of all heads, if those are side by side. @param {Heads | undefined} heads @param {number} b @param {number} N @param {number} ptr */
  function putBeside(heads, b, N, ptr) {
    if (!isSideBySide(heads)) return;
    const { data, H, T, D } = heads;
    put(core, data.subarray(b * T * H * D, (b * T + N) * H * D), ptr);
  }

  /**
   * Copies the first N rows of a head.
   * @param {Heads | undefined} heads @param {number} b @param {number} h @param {number} N
   * @param {number} ptr @param {number} beside  address of the rows of all heads, if those are side by side
   */
  function putHead(heads, b, h, N, ptr, beside) {
    if (!heads) return;
    const { data, H, T, D } = heads;
    const first = (b * H + h) * T * D;
    if (isSideBySide(heads)) checkStatus(raw.attention_head(beside, N, H, D, h, ptr));
    else put(core, data.subarray(first, first + N * D), ptr);
  }

  /**
   * The weight of a hidden key is 0, but 0 times a NaN or an infinite value is NaN.
   * @param {Heads | undefined} v @param {number[]} hidden @param {number} ptr
   */
  function clearHidden(v, hidden, ptr) {
    if (!v) return;
    const first = ptr >>> 2;
    for (const key of hidden) raw.HEAPF32.fill(0, first + key * v.D, first + (key + 1) * v.D);
  }

  /** @param {Inputs} inputs @param {Tile} tile @param {AttentionTile} ptr */
  function putQueries({ q, bias }, { b, row, count, t, N, hidden }, ptr) {
    const { H, T: Tq, D } = q;
    eachRow(q, row, count, (from, rows, at) => {
      put(core, q.data.subarray(from * D, (from + rows) * D), ptr.q + at * D * 4);
    });
    if (bias) {
      const { steps } = bias;
      const head = Math.floor(row / Tq) % H;
      const start = b * steps[0] + head * steps[1] + (Tq === 1 ? 0 : t * steps[2]);
      putBias(core, bias, start, steps[Tq === 1 ? 1 : 2], count, N, ptr.bias);
    }
    hide(core, hidden, count, N, ptr.bias);
  }

  /**
   * Run the kernel.
   * @param {Inputs} inputs @param {Rule} rule @param {Tile} tile @param {AttentionTile} ptr
   * @returns {number} its status
   */
  function compute({ q, v, bias }, { scale, softcap, causal, sums }, { count, t, N }, ptr) {
    const biases = bias ? count * N : 0;
    const seen = causal && q.T !== 1 ? t + N - q.T + 1 : N;
    const rule = { scale, softcap, seen, sums };
    const head = { at: ptr, biases, T: count, N, D: q.D, V: v?.D ?? 0, rule };
    return v ? raw.attention_scaled_dot_product(head) : raw.attention_scores(head);
  }

  /** @param {Inputs} inputs @param {Tile} tile @param {Float32Array} weights @param {number} ptr */
  function takeWeights({ k, v }, { row, count, N }, weights, ptr) {
    if (N === k.T) {
      take(core, ptr, count * N, weights, row * N);
      return;
    }
    for (let t = 0; t < count; ++t) {
      const to = (row + t) * k.T;
      take(core, ptr + t * N * 4, N, weights, to);
      weights.fill(v ? 0 : -Infinity, to + N, to + k.T);
    }
  }

  /** @param {Inputs} inputs @param {Tile} tile @param {Float32Array} output @param {number} ptr */
  function takeOutput({ q, v }, { row, count }, output, ptr) {
    const { D: V } = /** @type {Heads} */ (v);
    eachRow(q, row, count, (to, rows, at) => {
      take(core, ptr + at * V * 4, rows * V, output, to * V);
    });
  }
}

/** Whether the rows of heads alternate: [B, T, H, D]. @param {Heads | undefined} heads @returns {heads is Heads} */
function isSideBySide(heads) {
  return heads?.axis === -3 && heads.H > 1;
}

/**
 * Finds consecutive rows of [B, H, T] in the data.
 * @param {Heads} heads @param {number} row @param {number} count
 * @param {(first: number, rows: number, at: number) => void} visit  gets the first row in the data, how many
 *   follow each other, and which of all they are
 */
function eachRow({ H, T, axis }, row, count, visit) {
  if (axis !== -3 || T === 1 || H === 1) {
    visit(row, count, 0);
    return;
  }
  for (let at = 0; at < count; ++at) {
    const head = Math.floor((row + at) / T);
    visit((Math.floor(head / H) * T + ((row + at) % T)) * H + (head % H), 1, at);
  }
}
