/** @import { Scaling } from "../../positional/rotary/rope/scaling.js" */
import * as check from "../../runtime/check.js";

/** @typedef {"linear" | "ntk" | "yarn"} Reading */

/**
 * Readings of one training with RoPE, by name: scalings for texts `factor` times as long as those of the training.
 * YaRN's betas are for short texts: with 32 and 1, it would interpolate every pair.
 * @type {Record<Reading, (factor: number, length: number) => Scaling>}
 */
export const READINGS = {
  linear: (factor) => ({ type: "linear", factor }),
  ntk: (alpha) => ({ type: "ntk", alpha }),
  yarn: (factor, originalLength) => ({
    type: "yarn",
    factor,
    originalLength,
    betaFast: 4,
    betaSlow: 1,
    ramp: "turns",
  }),
};

/**
 * The scaling that a name stands for at a length; an object stays.
 * @param {unknown} given @param {number} trained  the length of the first training; 0 before it @param {number} T
 */
export function scalingOf(given, trained, T) {
  if (typeof given !== "string") return given;
  const names = /** @type {Reading[]} */ (Object.keys(READINGS));
  const reading = READINGS[check.oneOf(given, "scaling", names)];
  if (trained > 0) return reading(T / trained, trained);
  throw new RangeError(`scaling must be an object before a training; got "${given}"`);
}
