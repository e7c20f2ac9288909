/**
 * Scaled frequencies of rotary embeddings from their formulas, in `exact.js`'s whole numbers: as
 * Hugging Face's modeling_rope_utils.py has them, without a rounding.
 */
import { exp, fixed, frequencies, log, PI } from "./exact.js";

/** @import { Scaling } from "../../../src/positional/rotary/rope/scaling.js" */

const ONE = fixed(1);

/** @param {bigint} a @param {bigint} b */
const times = (a, b) => (a * b) / ONE;

/** @param {bigint} a @param {bigint} b */
const over = (a, b) => (a * ONE) / b;

/** a at share 0, b at share 1. @param {bigint} a @param {bigint} b @param {bigint} share */
function blend(a, b, share) {
  if (share <= 0n) return a;
  return share >= ONE ? b : a + times(b - a, share);
}

/** x as a share of the way from low to high. @param {bigint} x @param {bigint} low @param {bigint} high */
const share = (x, low, high) => over(x - low, high - low);

/** @param {bigint} x @param {boolean} up */
const toWhole = (x, up) => (up ? -((-x >> 160n) << 160n) : (x >> 160n) << 160n);

/** base * stretch^(R / (R - 2)), as its logarithm. @param {number} base @param {bigint} stretch @param {bigint} R */
const stretched = (base, stretch, R) => log(fixed(base)) + (log(stretch) * R) / (R - 2n);

/**
 * @param {Scaling} scaling @param {number} dim @param {number} base
 * @param {number} [length]  of the sequence
 * @returns {bigint[]} [dim / 2]
 */
export function scaledFrequencies(scaling, dim, base, length = 0) {
  const R = BigInt(dim);
  const P = dim / 2;
  const plain = frequencies(base, P, P);
  /** @param {bigint} logarithm */
  const geometric = (logarithm) => plain.map((_, i) => exp((-logarithm * BigInt(i)) / BigInt(P)));
  switch (scaling.type) {
    case "linear":
      return plain.map((theta) => over(theta, fixed(scaling.factor)));
    case "dynamic": {
      const { factor, maxLength } = scaling;
      const longest = fixed(Math.max(length, maxLength));
      const stretch = over(times(fixed(factor), longest), fixed(maxLength)) - fixed(factor) + ONE;
      return geometric(stretched(base, stretch, R));
    }
    case "ntk":
      return geometric(stretched(base, fixed(scaling.alpha), R));
    case "yarn": {
      const {
        factor = NaN,
        originalLength,
        betaFast = 32,
        betaSlow = 1,
        truncate = true,
        ramp = "index",
      } = scaling;
      if (ramp === "turns") {
        const [slow, fast, L] = [betaSlow, betaFast, originalLength].map(fixed);
        return plain.map((theta) => {
          const gamma = share(over(times(L, theta), 2n * PI), slow, fast);
          return blend(over(theta, fixed(factor)), theta, gamma);
        });
      }
      const pair = (/** @type {number} */ turns) =>
        over(
          R * log(over(fixed(originalLength), times(2n * PI, fixed(turns)))),
          2n * log(fixed(base)),
        );
      let [low, high] = [pair(betaFast), pair(betaSlow)];
      if (truncate) [low, high] = [toWhole(low, false), toWhole(high, true)];
      if (low < 0n) low = 0n;
      if (high > fixed(dim - 1)) high = fixed(dim - 1);
      if (low === high) high += ONE / 1000n;
      return plain.map((theta, i) =>
        blend(theta, over(theta, fixed(factor)), share(fixed(i), low, high)),
      );
    }
    case "longrope": {
      const factors = length > scaling.originalLength ? scaling.longFactor : scaling.shortFactor;
      return plain.map((theta, i) => over(theta, fixed(Number(factors[i]))));
    }
    case "llama3": {
      const { factor, lowFreqFactor, highFreqFactor, originalLength } = scaling;
      const [low, high] = [fixed(lowFreqFactor), fixed(highFreqFactor)];
      return plain.map((theta) => {
        const turns = over(times(theta, fixed(originalLength)), 2n * PI);
        const divided = over(theta, fixed(factor));
        if (low === high) return turns < low ? divided : theta;
        return blend(divided, theta, share(turns, low, high));
      });
    }
    case "proportional": {
      const { factor = 1, partialRotaryFactor } = scaling;
      const turned = Math.floor(partialRotaryFactor * P);
      return plain.map((theta, i) => (i < turned ? over(theta, fixed(factor)) : 0n));
    }
  }
}
