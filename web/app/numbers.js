import { make } from "./dom.js";

const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 17 });
const whole = new Intl.NumberFormat("en");

/** A number in a sentence: three digits, and powers of ten for the smallest. @param {number} x */
export const brief = (x) => rounded(x, 3); // of one argument, since lists are mapped by it

/** A number from which it is written with a power of ten. */
const LONG = 1e15;

/** @param {number} x @param {number} precision  significant digits */
function rounded(x, precision) {
  const size = Math.abs(x);
  if (x === 0 || size === Infinity || !(size < 1e-4 || size >= LONG)) {
    return minus(short.format(x && Number(x.toPrecision(precision))));
  }
  const [digits, power] = x.toExponential(precision - 1).split("e");
  return `${minus(String(Number(digits)))}\u00a0×\u00a010${raised(power)}`;
}

/**
 * The numbers of a series with as many digits as show each step to a tenth of it.
 * @param {readonly number[]} series  such as the ends of a range
 */
export function apart(series) {
  for (let precision = 3; ; ++precision) {
    const shown = series.map((x) => Number(x.toPrecision(precision)));
    const isFar = (/** @type {number} */ x, /** @type {number} */ i) =>
      Math.abs(shown[i] - shown[i - 1] - (x - series[i - 1])) > Math.abs(x - series[i - 1]) / 10;
    if (precision === 17 || !series.some(isFar)) return series.map((x) => rounded(x, precision));
  }
}

/** @param {string} power */
function raised(power) {
  return Array.from(power, (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)] ?? "").join("");
}

/** A count. @param {number} n */
export function count(n) {
  return whole.format(n);
}

/** A count with its noun: 1 word, 2 words. @param {number} n @param {string} noun */
export const some = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

/** A number of bytes in MB, without the unit. @param {number} bytes */
export function megabytes(bytes) {
  return (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
}

/** @param {readonly number[]} sizes */
export function shape(sizes) {
  return `[${sizes.join(", ")}]`;
}

/**
 * The fewest digits that name a float32 among all float32.
 * @param {number} x
 */
export function digits(x) {
  if (Object.is(x, -0)) return "\u22120";
  for (let precision = 1; precision < 9; ++precision) {
    const candidate = Number(x.toPrecision(precision));
    if (Math.fround(candidate) === x) return minus(String(candidate));
  }
  return minus(String(Number(x.toPrecision(9))));
}

/** A float32 for the reader, and exactly for a program. @param {number} x */
export function datum(x) {
  return make("data", { value: Object.is(x, -0) ? "-0" : String(x) }, digits(x));
}

/** @param {string} text */
function minus(text) {
  return text.replaceAll("-", "\u2212");
}
