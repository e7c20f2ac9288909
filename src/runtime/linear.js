/** @import { Core } from "./wasm.js" */
import { NONE, overRows } from "./memory.js";

/**
 * Fill `out` with x W^T + bias, as nn.Linear computes it.
 * @param {Core} core @param {Float32Array} x  [T, D] @param {Float32Array} w  [N, D]
 * @param {Float32Array | undefined} bias  [N] @param {number} D @param {Float32Array} out  [T, N]
 * @param {Core["raw"]["attention_linear_layer_f64"]} [kernel]  `_f32` adds up blocks in float32
 */
export function fillLinear(core, x, w, bias, D, out, kernel = core.raw.attention_linear_layer_f64) {
  const N = w.length / D;
  const pieces = /** @type {const} */ ([
    { data: x, row: D },
    { data: w },
    { data: bias ?? NONE },
    { data: out, row: N, direction: "out" },
  ]);
  overRows(core, x.length / D, pieces, (rows, _, [xPtr, wPtr, biasPtr, outPtr]) =>
    kernel(xPtr, wPtr, biasPtr, bias?.length ?? 0, rows, N, D, outPtr),
  );
}
