/**
 * The settings of a scheme: name, label, range, and when each applies.
 *
 * @typedef {number | string | boolean | number[]} Value
 * @typedef {Record<string, any>} Values  by name
 *
 * @typedef {object} Setting
 * @property {string} name
 * @property {string} label
 * @property {"whole" | "number" | "choice" | "toggle" | "list"} kind  `list`: numbers
 * @property {Value} initial
 * @property {number} [least]  of whole and other numbers
 * @property {number} [most]
 * @property {number} [step]  of a whole number: only the least plus multiples of it
 * @property {{value: string, label: string}[]} [options]  of a choice
 * @property {string} [note]  a hint below the control
 * @property {(settings: Values, view: string) => boolean} when  whether it changes the picture
 */

/** @typedef {Partial<Pick<Setting, "note" | "when" | "step">>} More */

const always = () => true;

/**
 * A whole number from `least` to `most`.
 * @param {string} name @param {string} label @param {number} initial @param {number} least
 * @param {number} most @param {More} [more]
 * @returns {Setting}
 */
export function whole(name, label, initial, least, most, more) {
  return { name, label, kind: "whole", initial, least, most, when: always, ...more };
}

/**
 * @param {string} name @param {string} label @param {number} initial @param {number} least
 * @param {number} most @param {More} [more]
 * @returns {Setting}
 */
export function number(name, label, initial, least, most, more) {
  return { name, label, kind: "number", initial, least, most, when: always, ...more };
}

/**
 * One of several words; the first is the default.
 * @param {string} name @param {string} label
 * @param {Record<string, string> | readonly string[]} words  the labels by word, or words that are
 *   their own labels
 * @param {More} [more]
 * @returns {Setting}
 */
export function choice(name, label, words, more) {
  const entries = Array.isArray(words) ? words.map((word) => [word, word]) : Object.entries(words);
  const options = entries.map(([value, label]) => ({ value, label }));
  return { name, label, kind: "choice", initial: options[0].value, options, when: always, ...more };
}

/**
 * @param {string} name @param {string} label @param {boolean} initial @param {More} [more]
 * @returns {Setting}
 */
export function toggle(name, label, initial, more) {
  return { name, label, kind: "toggle", initial, when: always, ...more };
}

/**
 * A list of numbers.
 * @param {string} name @param {string} label @param {number[]} initial @param {number} least
 * @param {number} most  of each @param {More} [more]
 * @returns {Setting}
 */
export function list(name, label, initial, least, most, more) {
  return { name, label, kind: "list", initial, least, most, when: always, ...more };
}

/** The longest list. */
const LONGEST = 512;

/**
 * The defaults of all settings.
 * @param {readonly Setting[]} settings
 * @returns {Values}
 */
export function initial(settings) {
  return Object.fromEntries(settings.map(({ name, initial }) => [name, initial]));
}

/**
 * A setting's value from text, typed or in the URL.
 * @param {Setting} setting @param {string} text
 * @returns {Value | undefined} undefined if the text is not one
 */
export function parse(setting, text) {
  switch (setting.kind) {
    case "whole":
    case "number": {
      const value = readNumber(text);
      return allows(setting, value) ? value : undefined;
    }
    case "list": {
      const values = text.split(/[\s,;]+/).filter((word) => word !== "");
      const numbers = values.map(readNumber);
      return allows(setting, numbers) ? numbers : undefined;
    }
    case "toggle":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "choice":
      return setting.options?.find(({ value }) => value === text)?.value;
  }
}

/**
 * A setting's value as text, which `parse` reads.
 * @param {Setting} setting @param {any} value
 */
export function format(setting, value) {
  return setting.kind === "list" ? value.join(",") : String(value);
}

/**
 * Whether a setting may have a value.
 * @param {Setting} setting @param {unknown} value
 * @returns {boolean}
 */
export function allows(setting, value) {
  const { kind, least = -Infinity, most = Infinity, step = 1, options } = setting;
  const within = (/** @type {unknown} */ x) =>
    typeof x === "number" && Number.isFinite(x) && x >= least && x <= most;
  switch (kind) {
    case "whole":
      return within(value) && Number.isInteger((Number(value) - least) / step);
    case "number":
      return within(value);
    case "list":
      return (
        Array.isArray(value) && value.length > 0 && value.length <= LONGEST && value.every(within)
      );
    case "toggle":
      return typeof value === "boolean";
    case "choice":
      return options?.some((option) => option.value === value) ?? false;
  }
}

/**
 * The rule of a setting, for its error.
 * @param {Setting} setting
 */
export function rule({ kind, least, most, step = 1, options }) {
  switch (kind) {
    case "whole":
      return `a whole number from ${least} to ${most}${step > 1 ? `, in steps of ${step}` : ""}`;
    case "number":
      return `a number from ${least} to ${most}`;
    case "list":
      return `1 to ${LONGEST} numbers from ${least} to ${most}, separated by commas`;
    case "toggle":
      return "true or false";
    case "choice":
      return `one of ${options?.map(({ value }) => `"${value}"`).join(", ")}`;
  }
}

/** Compares two values. @param {any} a @param {any} b */
export function same(a, b) {
  if (!Array.isArray(a) || !Array.isArray(b)) return Object.is(a, b);
  return a.length === b.length && a.every((x, i) => Object.is(x, b[i]));
}

/** Reads a typed number; NaN for other or empty text. @param {string} text */
function readNumber(text) {
  return text.trim() === "" ? NaN : Number(text.replace("\u2212", "-"));
}
