// Settings that are options of phasor's functions: their choices, ranges and defaults are declared there.

/** @import { More, Setting } from "../settings.js" */
import { load, optionsOf } from "phasor";
import { changed } from "../program.js";
import { number, whole } from "../settings.js";

export const phasor = await load();
const modules = /** @type {Record<string, any>} */ (phasor);

/** @param {string} path  a function of phasor: "alibi.bias" */
export function declared(path) {
  const [module, method] = path.split(".");
  return optionsOf(method ? modules[module][method] : modules[module]);
}

/**
 * Labels of the values of a choice.
 * @param {string} path @param {string} option
 * @param {Record<string, string>} labels  for every value, in the order in which they are offered
 * @returns {Record<string, string>}
 */
export function labelsOf(path, option, labels) {
  const { values = [] } = declared(path)[option];
  const [missing] = values.filter((value) => !(value in labels));
  const [unknown] = Object.keys(labels).filter((label) => !values.includes(label));
  if (missing ?? unknown) {
    throw new Error(`labels must be those of ${path}'s ${option}; got ${missing ?? unknown}`);
  }
  return labels;
}

/** Labels of the option `precision`, which many functions have. @param {string} path @param {string} [torch] */
export const precisionOf = (path, torch = "float32 steps") =>
  labelsOf(path, "precision", { exact: "exact", torch });

/** The values of a choice, the default first. @param {string} path @param {string} option */
export function valuesOf(path, option) {
  const { values = [], default: first } = declared(path)[option];
  return [first, ...values.filter((value) => value !== first)];
}

/**
 * A whole number with the option's default and range.
 * @param {string} path @param {string} option @param {string} label
 * @param {More & {least?: number, most: number, initial?: number}} more  `initial` for another start than the default
 * @returns {Setting}
 */
export function wholeOf(path, option, label, { least, most, initial, ...more }) {
  const { default: byDefault, min = 0 } = declared(path)[option];
  return whole(option, label, initial ?? byDefault, least ?? min, most, more);
}

/**
 * A number with the option's default and range.
 * @param {string} path @param {string} option @param {string} label
 * @param {More & {least?: number, most?: number, initial?: number}} [more]  `least` for a bound that is excluded,
 *   `initial` for another start than the default
 * @returns {Setting}
 */
export function numberOf(path, option, label, { least, most, initial, ...more } = {}) {
  const { default: byDefault, min = -Infinity, max = Infinity } = declared(path)[option];
  return number(option, label, initial ?? byDefault, least ?? min, most ?? max, more);
}

/**
 * Options that differ from their defaults.
 * @param {string} path @param {Record<string, unknown>} given
 */
export function changedOptions(path, given) {
  const options = declared(path);
  const plain = (/** @type {unknown} */ value) =>
    typeof value === "bigint" ? Number(value) : value;
  const defaults = Object.keys(given).map((name) => [name, plain(options[name].default)]);
  return changed(given, Object.fromEntries(defaults));
}
