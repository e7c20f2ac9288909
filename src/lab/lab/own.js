import * as check from "../../runtime/check.js";

/** @import { Bias, Derivative } from "./schemes.js" */

/** The step of central differences, as a share of a number's size. */
const STEP = 2 ** -8;

/**
 * A term that a function of JavaScript gives.
 * @typedef {object} Own
 * @property {(numbers: Float32Array, line: Float32Array | undefined, N: number) => void} line  fills the line of
 *   distances N - 1 .. 0 of each head
 * @property {(numbers: Float32Array, sums: Float32Array, N: number) => Float64Array} gradient  what the gradient
 *   of the line, `sums`, gives for each number
 */

/** Whether a value is an array or a typed array. @param {unknown} given */
const isNumbers = (given) => check.isList(given) || ArrayBuffer.isView(given);

/**
 * Reads a bias of one's own.
 * @param {{bias: Bias | undefined, numbers: ArrayLike<number> | undefined, derivative: Derivative | undefined}} given
 * @param {number} H
 * @returns {Own & {values: Float32Array}}
 */
export function ownBias({ bias, numbers = [], derivative }, H) {
  const needFunction = (/** @type {string} */ name, /** @type {unknown} */ given) => {
    const rule = `position.${name} must be a function of h, n and numbers`;
    if (typeof given !== "function") throw new TypeError(`${rule}; got ${check.describe(given)}`);
  };
  needFunction("bias", bias);
  if (derivative !== undefined) needFunction("derivative", derivative);
  if (!isNumbers(numbers)) {
    throw new TypeError(
      `position.numbers must be a list of numbers; got ${check.describe(numbers)}`,
    );
  }
  const values = Float32Array.from(numbers, (x, i) => check.finite(x, `position.numbers[${i}]`));
  /** @param {number} h @param {number} n @param {Float32Array} numbers */
  const valueOf = (h, n, numbers) =>
    check.finite(/** @type {Bias} */ (bias)(h, n, numbers), "the result of position.bias");

  /** Central differences by each number, of what float32 leaves of the steps. @type {Derivative} */
  const differences = (h, n, numbers) =>
    Array.from(numbers, (x, i) => {
      const step = STEP * Math.max(1, Math.abs(x));
      const [up, down] = [x + step, x - step].map((to) => {
        const moved = numbers.slice();
        moved[i] = to;
        return { at: moved[i], value: valueOf(h, n, moved) };
      });
      return (up.value - down.value) / (up.at - down.at);
    });
  const slopes = derivative ?? differences;

  return {
    values,
    line(numbers, line, N) {
      const own = numbers.slice();
      for (let h = 0; h < H; ++h) {
        for (let n = 0; n < N; ++n) if (line) line[h * N + N - 1 - n] = valueOf(h, n, own);
      }
    },
    gradient(numbers, sums, N) {
      const own = numbers.slice();
      const all = new Float64Array(own.length);
      if (own.length === 0) return all;
      for (let h = 0; h < H; ++h) {
        for (let n = 0; n < N; ++n) {
          const by = slopes(h, n, own);
          if (!isNumbers(by) || by.length !== all.length) {
            const got = isNumbers(by) ? `${by.length}` : check.describe(by);
            throw new RangeError(
              `the result of position.derivative must be a list of ${all.length} numbers, one for each of position.numbers; got ${got}`,
            );
          }
          for (let i = 0; i < all.length; ++i) {
            const slope = check.finite(by[i], "the result of position.derivative");
            all[i] += sums[h * N + N - 1 - n] * slope;
          }
        }
      }
      return all;
    },
  };
}
