// Settings that are options of phasor's functions: their choices, ranges and defaults are declared there.

/** @import { More, Setting } from "../settings.js" */
import { load, optionsOf } from "phasor";
import { changed } from "../program.js";
import { number } from "../settings.js";

export const phasor = await load();
const modules = /** @type {Record<string, any>} */ (phasor);

/** @param {string} path  a function of phasor: "alibi.bias" */
function declared(path) {
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

/** The values of a choice, the default first. @param {string} path @param {string} option */
export function valuesOf(path, option) {
  const { values = [], default: first } = declared(path)[option];
  return [first, ...values.filter((value) => value !== first)];
}

/**
 * A number with the option's default and range.
 * @param {string} path @param {string} option @param {string} label
 * @param {More & {least?: number, most?: number}} [more]  `least` for a bound that is excluded
 * @returns {Setting}
 */
export function numberOf(path, option, label, { least, most, ...more } = {}) {
  const { default: initial, min = -Infinity, max = Infinity } = declared(path)[option];
  return number(option, label, initial, least ?? min, most ?? max, more);
}

/**
 * Options that differ from their defaults.
 * @param {string} path @param {Record<string, unknown>} given
 */
export function changedOptions(path, given) {
  const options = declared(path);
  const defaults = Object.keys(given).map((name) => [name, options[name].default]);
  return changed(given, Object.fromEntries(defaults));
}
