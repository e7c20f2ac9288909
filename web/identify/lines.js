// Values of an answer as a line of text.
import { visible } from "../app/models/label.js";

/** The most letters of a value. */
const LONGEST = 160;

/** @param {number} x */
export const six = (x) => String(Number(x.toPrecision(6))).replaceAll("-", "\u2212");

/** A value in words. @param {unknown} value @returns {string} */
function words(value) {
  if (typeof value === "number") return six(value);
  if (Array.isArray(value)) return value.map(words).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .filter(([, one]) => one !== null && one !== undefined && one !== false)
    .map(([name, one]) => (one === true ? name : `${name} ${words(one)}`))
    .join(", ");
}

/** A value in a line. @param {unknown} value */
export const lineOf = (value) => visible(words(value), LONGEST);
