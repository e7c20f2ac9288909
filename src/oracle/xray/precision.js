/** Where positions in formats of 16 bits merge. */

/** @import { Phasor } from "../../index.js" */

/**
 * Where positions of a format merge.
 * @typedef {object} Merge
 * @property {number} first  the first position that another one shares its number with
 * @property {number | null} apart  how far apart the numbers are at the asked length; null beyond the largest number
 */

/** @param {Phasor} phasor @param {number} length @returns {{bfloat16: Merge, float16: Merge}} */
export function precisionOf({ dtypes }, length) {
  const powers = Array.from({ length: 31 }, (_, k) => 2 ** k);
  const last = powers.findLast((power) => power < length) ?? 1;
  const of = (/** @type {"bfloat16" | "float16"} */ dtype) => {
    const held = (/** @type {number[]} */ positions) =>
      Array.from(dtypes.decode(dtypes.encode(positions, dtype)).data, Number);
    const next = powers.map((power) => power + 1);
    const first = next[held(next).findIndex((position, i) => position !== next[i])];
    const steps = powers.filter((power) => power <= last);
    const near = steps.map((step) => last + step);
    const at = held(near).findIndex((position, i) => position === near[i]);
    return { first, apart: at < 0 ? null : steps[at] };
  };
  return { bfloat16: of("bfloat16"), float16: of("float16") };
}
