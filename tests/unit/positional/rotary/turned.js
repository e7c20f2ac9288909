import assert from "node:assert/strict";
import { pairs } from "../../reference/rope.js";
import { floats } from "../../reference/samples.js";

/** @import { Tensor } from "phasor" */
/** @import { Stored } from "../../../truth/golden.js" */

/** The error of a rotated pair, in units of its length (guide Accuracy, #rotation). */
export const TURN = 1.7e-7;

/**
 * Checks rows of which the first `rotated` numbers were rotated, and the others were not.
 * @param {Stored} input @param {Tensor} got @param {Stored} want @param {number} rotated
 * @param {string} layout @param {number} bound  in units of a pair's length
 */
export function assertTurned({ data: x, shape }, got, want, rotated, layout, bound) {
  assert.deepEqual(got.shape, want.shape);
  const [y, dim] = [floats(got), shape[shape.length - 1]];
  for (let row = 0; row < x.length; row += dim) {
    for (const [a, b] of pairs(rotated, layout)) {
      const length = Math.hypot(Number(x[row + a]), Number(x[row + b]));
      for (const d of [row + a, row + b]) {
        assert.ok(Math.abs(y[d] - Number(want.data[d])) <= bound * length);
      }
    }
    for (let d = row + rotated; d < row + dim; ++d) assert.equal(y[d], x[d]);
  }
}
