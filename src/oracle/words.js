/** What all kinds have in common: answers that name nothing, and numbers in words. */

/** @import { None } from "./identify/identify.js" */

/** That no name fits, and why. @param {string} reason @param {string} [what] @returns {None} */
export const none = (reason, what = "no name fits") => ({
  kind: "none",
  sentence: `${what}: ${reason}`,
  residual: null,
  decidedBy: [reason],
});

/** Six digits, without zeros at the end. @param {number} x */
export const number = (x) => String(Number(x.toPrecision(6)));

/** The first of many, for a sentence. @param {ArrayLike<number>} numbers @param {number} [most] */
export function few(numbers, most = 8) {
  const first = Array.from(numbers).slice(0, most).map(number).join(", ");
  return numbers.length > most ? `${first}, ...` : first;
}

/** Throws if a number is not finite. @param {Float32Array} data @param {string} name */
export function refuseNotFinite(data, name) {
  const at = data.findIndex((x) => !Number.isFinite(x));
  if (at >= 0) throw new RangeError(`${name} must be finite; got ${data[at]} at number ${at}`);
}
