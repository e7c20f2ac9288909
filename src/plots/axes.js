import { scaleLinear, scaleLog } from "d3-scale";
import { minus, precision } from "./data.js";
import { sideBySide } from "./labels.js";

/** Axes of the figures that Observable Plot draws. */

/** @typedef {"linear" | "log"} Scale */

/** A range whose steps d3 cannot compute: they are denormal. */
const TINY = 1e-300;

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
  if (scale === "log") return [least / 2 || least, Math.max(TINY, held(most * 2))];
  const reach = Math.abs(least) / 2;
  return [held(least - reach), held(most + reach)];
}

/** The end of an axis, which is finite. @param {number} end */
export const held = (end) => Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, end));

/**
 * Round numbers within a domain; on a log axis powers of ten, if the domain has at least two.
 * @param {readonly [number, number]} domain @param {number} wanted  their approximate number
 * @param {Scale} scale
 * @returns {number[]}
 */
export function ticks(domain, wanted, scale) {
  const steps = Math.max(2, wanted);
  if (domain[1] - domain[0] < TINY) return [...domain];
  if (scale === "log") {
    const all = scaleLog().domain(domain).ticks(steps);
    const powers = all.filter((tick) => /^1e/.test(tick.toExponential()));
    if (new Set(powers).size > 1) return powers;
  }
  // d3 repeats numbers of a range with few doubles, and has none or NaN for the smallest and the largest range.
  const all = [...new Set(scaleLinear().domain(domain).ticks(steps))].filter(Number.isFinite);
  return all.length > 0 ? all : [...domain];
}

/**
 * The coordinate of a number on an axis that Plot has not drawn yet.
 * @param {readonly [number, number]} domain @param {Scale} scale @param {readonly [number, number]} range  px
 * @returns {(value: number) => number}
 */
export function placed(domain, scale, range) {
  return (scale === "log" ? scaleLog() : scaleLinear()).domain(domain).range(range);
}

/** More ticks than an axis has. */
const FINEST = 100;

/** The significant digits of a tick's label, unless its axis needs more. */
const DIGITS = 6;

const plain = new Intl.NumberFormat("en", { maximumSignificantDigits: 17 });
const compact = new Intl.NumberFormat("en", {
  notation: "compact",
  maximumSignificantDigits: DIGITS,
});

/**
 * The label of a tick: short, and in the same notation along the whole axis. Those of two ticks differ.
 * @param {readonly [number, number]} domain @param {Scale} scale
 * @returns {(value: number) => string}
 */
export function tickText(domain, scale) {
  const digits = precision(ticks(domain, FINEST, scale), DIGITS);
  const most = Math.max(...domain.map(Math.abs));
  const format = (scale === "log" || most >= 1e5) && digits === DIGITS ? compact : plain;
  return (value) => {
    const rounded = Number(value.toPrecision(digits)) || 0;
    const power = rounded !== 0 && (Math.abs(value) < 1e-4 || most >= 1e15);
    return minus(power ? rounded.toExponential() : format.format(rounded));
  };
}

/**
 * The ticks of a horizontal axis, about `step` px apart, whose labels do not touch.
 * @param {readonly [number, number]} domain @param {number} length  px @param {number} step  px
 * @param {Scale} scale
 */
export function ticksAcross(domain, length, step, scale) {
  const text = tickText(domain, scale);
  return sideBySide(length, step, (wanted) => ticks(domain, wanted, scale), text);
}
