import { output } from "../../runtime/result.js";
import { readSpan, relatives, spread } from "../../runtime/span.js";

/** @import { FloatOut, Tensor } from "../../runtime/tensor.js" */

/**
 * Computes a bias that depends on the relative position key - query alone: each of its values once, then a copy for
 * every query and key that have it.
 * @param {number} H  heads
 * @param {unknown} length  queries Tq
 * @param {{keys?: number, offset?: number, out?: FloatOut}} options  those that every bias has
 * @param {(from: number, count: number) => Float32Array} linesOf  the values [H, count] at the relative positions from
 *   `from` on; the function may keep them
 * @returns {Tensor} float32 [H, Tq, Tk]
 */
export function distanceBias(H, length, { keys, offset, out }, linesOf) {
  const span = readSpan(length, keys, offset);
  const result = output(out, [H, span.Tq, span.Tk]);
  const { from, count } = relatives(span);
  spread(linesOf(from, count), span, result.data);
  return result.done();
}
