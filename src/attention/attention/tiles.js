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
 * @property {Bias} [bias]  required with `keep`
 * @property {{hidden: (b: number) => number[]}} [keep]  the keys that the padding mask hides
 */

/** @typedef {{scale: number, softcap: number, causal: boolean, sums: number}} Rule */

/**
 * Attention tile by tile: the keys and values of a head are copied into WASM memory as a whole, its
 * queries in tiles.
 * @param {Core} core
 * @returns {(inputs: Inputs, rule: Rule, out: {output: Float32Array, weights: Float32Array}, where: string) => void}
 */
export function tiles(core) {
  const { raw } = core;

  return (inputs, rule, out, where) => {
    const { q, k, v, bias } = inputs;
    const [Tq, Tk, D, V] = [q.T, k.T, q.D, v?.D ?? 0];
    if (out.weights.length === 0 && out.output.length === 0) return;
    const step = tileRows((D + V + Tk * (bias ? 2 : 1)) * 4, Tq);
    const counts = [step * D, Tk * D, Tk * V, bias ? step * Tk : 0, step * Tk, step * V];
    const bytes = counts.map((count) => count * 4);
    withMemory(core, where, bytes, (...[qPtr, kPtr, vPtr, biasPtr, weightsPtr, outPtr]) => {
      const ptr = { q: qPtr, k: kPtr, v: vPtr, bias: biasPtr, weights: weightsPtr, out: outPtr };
      const group = q.H / k.H;
      for (let n = 0; n < q.B * k.H; ++n) {
        const hidden = inputs.keep?.hidden(Math.floor(n / k.H)) ?? [];
        putKeysAndValues(inputs, n, hidden, ptr);
        for (let head = n * group; head < (n + 1) * group; ++head) {
          for (let t = 0; t < Tq; t += step) {
            const T = Math.min(step, Tq - t);
            putQueries(inputs, head, t, T, hidden, ptr);
            checkStatus(run(inputs, rule, t, T, ptr), where);
            const row = head * Tq + t;
            take(core, ptr.weights, T * Tk, out.weights, row * Tk);
            if (v) take(core, ptr.out, T * V, out.output, row * V);
          }
        }
      }
    });
  };

  /**
   * The addresses of a tile.
   * @typedef {{q: number, k: number, v: number, bias: number, weights: number, out: number}} Pointers
   */

  /** @param {Inputs} inputs @param {number} n  the key head @param {number[]} hidden @param {Pointers} ptr */
  function putKeysAndValues({ k, v }, n, hidden, ptr) {
    const { T: Tk, D } = k;
    put(core, k.data.subarray(n * Tk * D, (n + 1) * Tk * D), ptr.k);
    if (!v) return;
    const V = v.D;
    put(core, v.data.subarray(n * Tk * V, (n + 1) * Tk * V), ptr.v);
    // The weight of a hidden key is 0, but 0 times a NaN or an infinite value is NaN.
    const first = ptr.v >>> 2;
    for (const key of hidden) core.raw.HEAPF32.fill(0, first + key * V, first + (key + 1) * V);
  }

  /**
   * @param {Inputs} inputs @param {number} head @param {number} t  the first query @param {number} T
   * @param {number[]} hidden @param {Pointers} ptr
   */
  function putQueries({ q, k, bias }, head, t, T, hidden, ptr) {
    const { H, T: Tq, D } = q;
    const row = head * Tq + t;
    put(core, q.data.subarray(row * D, (row + T) * D), ptr.q);
    if (bias) putBias(core, bias, [Math.floor(head / H), head % H, t], T, k.T, ptr.bias);
    hide(core, hidden, T, k.T, ptr.bias);
  }

  /**
   * Run the kernel.
   * @param {Inputs} inputs @param {Rule} rule @param {number} t @param {number} T @param {Pointers} ptr
   * @returns {number} its status
   */
  function run({ q, k, v, bias }, { scale, softcap, causal, sums }, t, T, ptr) {
    const [Tq, Tk, D] = [q.T, k.T, q.D];
    const biases = bias ? T * Tk : 0;
    const seen = causal ? t + Tk - Tq + 1 : Tk;
    const tile = /** @type {const} */ ([ptr.q, ptr.k, ptr.bias, biases, T, Tk, D]);
    return v
      ? raw.attention_scaled_dot_product(
          ...tile,
          ...[scale, softcap, seen, sums, ptr.weights, ptr.v, v.D, ptr.out],
        )
      : raw.attention_scores(...tile, scale, softcap, seen, sums, ptr.weights);
  }
}
