/** @import { Core } from "./wasm.js" */
import { overRows } from "./memory.js";

/**
 * In what the core adds up products: `Sums` of math/linear.h.
 * @type {Record<"float32" | "float64", number>}
 */
export const SUMS = { float32: 0, float64: 1 };

/**
 * Fill `out` with x W^T + bias, as nn.Linear computes it.
 * @param {Core} core @param {Float32Array} x  [T, D] @param {Float32Array} w  [N, D]
 * @param {Float32Array | undefined} bias  [N] @param {number} D @param {Float32Array} out  [T, N]
 * @param {string} where  the public function, for messages @param {number} [sums]  of SUMS
 */
export function fillLinear(core, x, w, bias, D, out, where, sums = SUMS.float64) {
  const { raw } = core;
  const N = w.length / D;
  const pieces = /** @type {const} */ ([
    { data: x, row: D },
    { data: w },
    { data: bias ?? new Float32Array(0) },
    { data: out, row: N, direction: "out" },
  ]);
  overRows(core, where, x.length / D, pieces, (rows, _, [xPtr, wPtr, biasPtr, outPtr]) =>
    raw.attention_linear_layer(xPtr, wPtr, biasPtr, bias?.length ?? 0, rows, N, D, sums, outPtr),
  );
}
