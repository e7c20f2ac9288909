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

/**
 * Another name of what an answer names: its sentence, or where it has none, in what it differs.
 * @param {Record<string, any>} answer @param {string | Record<string, any>} other
 */
export function otherName(answer, other) {
  if (typeof other === "string" || other.sentence) return lineOf(/** @type {any} */ (other).sentence ?? other); // prettier-ignore
  const differing = Object.entries(other).filter(([name, value]) => words(value) !== words(answer[name])); // prettier-ignore
  return lineOf(Object.fromEntries(differing.length > 0 ? differing : Object.entries(other)));
}
