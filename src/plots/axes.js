import { scaleLinear, scaleLog } from "d3-scale";
import { minus } from "./data.js";

/** Axes of the figures that Observable Plot draws. */

/** @typedef {"linear" | "log"} Scale */

/** Whether an axis can show a number. @param {number} value @param {Scale} scale */
export function shown(value, scale) {
  return Number.isFinite(value) && (scale === "linear" || value > 0);
}

/**
 * The range of the numbers that the scale can show, widened if it is empty.
 * @param {Iterable<number>} values @param {Scale} scale
 * @returns {[number, number]}
 */
export function domain(values, scale) {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (!shown(value, scale)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (least > most) return scale === "log" ? [1, 10] : [0, 1];
  if (least < most) return [least, most];
  if (least === 0) return [0, 1]; // nothing yet: what comes is most often positive
  if (scale === "log") return [least / 2, most * 2];
  const reach = Math.abs(least) / 2;
  return [least - reach, most + reach];
}

/**
 * Round numbers within a domain; on a log axis powers of ten, if the domain has at least two.
 * @param {readonly [number, number]} domain @param {number} wanted  their approximate number
 * @param {Scale} scale
 * @returns {number[]}
 */
export function ticks(domain, wanted, scale) {
  const steps = Math.max(2, wanted);
  if (scale === "linear") return scaleLinear().domain(domain).ticks(steps);
  const all = scaleLog().domain(domain).ticks(steps);
  const powers = all.filter((tick) => /^1e/.test(tick.toExponential()));
  return powers.length > 1 ? powers : scaleLinear().domain(domain).ticks(steps);
}

/**
 * The coordinate of a number on an axis that Plot has not drawn yet.
 * @param {readonly [number, number]} domain @param {Scale} scale @param {readonly [number, number]} range  px
 * @returns {(value: number) => number}
 */
export function placed(domain, scale, range) {
  return (scale === "log" ? scaleLog() : scaleLinear()).domain(domain).range(range);
}

const plain = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 6 });

/**
 * The label of a tick: short, and in the same notation along the whole axis.
 * @param {readonly [number, number]} domain @param {Scale} scale
 * @returns {(value: number) => string}
 */
export function tickText([least, most], scale) {
  const large = Math.max(Math.abs(least), Math.abs(most)) >= 1e5;
  const format = scale === "log" || large ? compact : plain;
  return (value) => {
    const small = value !== 0 && Math.abs(value) < 1e-4;
    const text = small ? Number(value.toPrecision(6)).toExponential() : format.format(value || 0);
    return minus(text);
  };
}
