/** @import { Preset } from "./presets.js" */
/** @import { Setting, Values } from "./settings.js" */
import { schemes } from "./schemes/index.js";
import { format, initial, parse, same } from "./settings.js";

/**
 * One side of what is shown.
 * @typedef {{scheme: string, preset: string, settings: Values}} Side  preset "": none
 *
 * @typedef {object} State
 * @property {string} view
 * @property {Side} one
 * @property {Side | null} other  that it is compared with
 * @property {number[] | null} cell  whose formula is pinned
 */

/** The name of the first scheme, the default. @type {string} */
const FIRST = Object.keys(schemes)[0];

/** @param {string} scheme @returns {Side} */
export function ofScheme(scheme) {
  return { scheme, preset: "", settings: initial(schemes[scheme].settings) };
}

/** @param {Preset} preset @returns {Side} */
export function ofPreset({ scheme, name, settings }) {
  return { scheme, preset: name, settings: { ...settings } };
}

/**
 * The views that can be shown: those of a scheme, or of two schemes that are compared those that both have. Two schemes
 * that share none show the first one's.
 * @param {Side} one @param {Side | null} other
 */
export function viewsOf(one, other) {
  const { views } = schemes[one.scheme];
  const shared = views.filter((view) => !other || schemes[other.scheme].views.includes(view));
  return shared.length > 0 ? shared : views;
}

/**
 * The view of a side: the chosen one, or the first if it has none of this name.
 * @param {Side} side @param {string} view
 */
export function viewOf({ scheme }, view) {
  const { views } = schemes[scheme];
  return views.find((name) => name === view) ?? views[0];
}

/**
 * Reads the state from the part of a URL after the #. What is missing or invalid has its default.
 * @param {string} hash @param {readonly Preset[]} presets
 * @returns {State}
 */
export function fromHash(hash, presets) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const one = readSide(given, "", presets) ?? ofScheme(FIRST);
  const other = readSide(given, "b.", presets) ?? null;
  const views = viewsOf(one, other);
  const view = views.find((name) => name === given.get("view")) ?? views[0];
  return { view, one, other, cell: readCell(given.get("cell")) };
}

/**
 * @param {State} state @param {readonly Preset[]} presets
 * @returns {string} the part after the #, with what differs from the defaults
 */
export function toHash({ view, one, other, cell }, presets) {
  const entries = [
    ...sideEntries(one, "", presets),
    ...(view === viewsOf(one, other)[0] ? [] : [["view", view]]),
    ...(other ? sideEntries(other, "b.", presets) : []),
    ...(cell ? [["cell", cell.join(".")]] : []),
  ];
  const isFirst = entries.length === 1 && one.scheme === FIRST && one.preset === "";
  return isFirst ? "" : new URLSearchParams(entries).toString();
}

/**
 * @param {URLSearchParams} given @param {string} prefix @param {readonly Preset[]} presets
 * @returns {Side | undefined}
 */
function readSide(given, prefix, presets) {
  const named = presets.find(({ name }) => name !== "" && name === given.get(`${prefix}preset`));
  const scheme = given.get(`${prefix}scheme`);
  const known = scheme !== null && Object.hasOwn(schemes, scheme);
  if (!named && !known) return undefined;
  const side = named ? ofPreset(named) : ofScheme(/** @type {string} */ (scheme));
  for (const setting of schemes[side.scheme].settings) {
    const text = given.get(prefix + setting.name);
    const value = text === null ? undefined : parse(setting, text);
    if (value !== undefined) side.settings[setting.name] = value;
  }
  return side;
}

/** @param {Side} side @param {string} prefix @param {readonly Preset[]} presets @returns {string[][]} */
function sideEntries({ scheme, preset: name, settings }, prefix, presets) {
  const named = presets.find((preset) => name !== "" && preset.name === name);
  const from = named?.settings ?? initial(schemes[scheme].settings);
  const first = named ? [`${prefix}preset`, name] : [`${prefix}scheme`, scheme];
  const changed = schemes[scheme].settings.filter(
    (/** @type {Setting} */ setting) => !same(settings[setting.name], from[setting.name]),
  );
  return [
    first,
    ...changed.map((setting) => [prefix + setting.name, format(setting, settings[setting.name])]),
  ];
}

/** @param {string | null} text */
function readCell(text) {
  if (text === null || !/^\d{1,9}(\.\d{1,9}){0,2}$/.test(text)) return null;
  return text.split(".").map(Number);
}
