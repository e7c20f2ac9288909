import { digits } from "../app/numbers.js";

/**
 * A formula with its numbers put in, in parts: text, an exponent, or a value with all its digits.
 * @typedef {string | {power: string} | {value: number}} Part
 */

/**
 * An exponent: `10000`, power("2·3/64").
 * @param {string | number} exponent
 * @returns {Part}
 */
export function power(exponent) {
  return { power: signed(exponent) };
}

/**
 * The parts of a formula that is written as text: "2^(-3·h/8) × 4". ^(...) is an exponent.
 * @param {string} text
 * @returns {Part[]}
 */
export function formula(text) {
  const at = text.indexOf("^(");
  if (at < 0) return text === "" ? [] : [signed(text)];
  let end = at + 2;
  for (let depth = 1; depth > 0; ++end) {
    if (text[end] === "(") ++depth;
    if (text[end] === ")") --depth;
    if (end === text.length) throw new Error(`formula must close its brackets; got ${text}`);
  }
  const before = at === 0 ? [] : [signed(text.slice(0, at))];
  return [...before, power(text.slice(at + 2, end - 1)), ...formula(text.slice(end))];
}

/** A number, the fewest digits that name the float32. @param {number} value @returns {Part} */
export function value(value) {
  return { value };
}

/**
 * A number of a formula with all the digits of its double; a negative one in brackets.
 * @param {number} x
 */
export function plain(x) {
  return x < 0 || Object.is(x, -0) ? `(${signed(x)})` : signed(x);
}

/** With the minus of mathematics. @param {string | number} text */
function signed(text) {
  return String(text).replaceAll("-", "\u2212");
}

/**
 * Parts as one line of text, for screen readers and tests.
 * @param {readonly Part[]} parts
 */
export function text(parts) {
  return parts
    .map((part) => {
      if (typeof part === "string") return part;
      return "power" in part ? `^(${part.power})` : shown(part.value);
    })
    .join("");
}

/** A value as it is shown. @param {number} value */
export function shown(value) {
  if (Number.isNaN(value)) return "no number";
  if (Number.isFinite(value)) return digits(value);
  return value > 0 ? "\u221e" : "\u2212\u221e";
}
