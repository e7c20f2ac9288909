/**
 * What the reader has chosen. Numbers are as typed: NaN where the control holds none.
 * @typedef {object} Settings
 * @property {string} text
 * @property {"words" | "gpt2" | "model"} tokenizer
 * @property {string} model  its name on the hub, of an opened one
 * @property {number} dim  D, of GPT-2's table
 * @property {number} seed  of GPT-2's table
 * @property {boolean} shared  one colour range for all pictures
 * @property {number} length  positions in the table
 * @property {number} base
 * @property {"interleaved" | "halves" | "flipped"} layout
 * @property {"exact" | "torch"} precision
 */

/** Widths that can be chosen. */
export const DIMS = Object.freeze([16, 32, 64, 100, 128, 256, 512, 768, 1024]);

/** Positions that a picture can show. */
export const LONGEST = 2048;

/** Characters that a sentence may have. */
const LONGEST_TEXT = 2000;

/** And a model's name on the hub, with a file of it. */
const LONGEST_NAME = 300;

/** @type {Readonly<Settings>} */
export const defaults = Object.freeze({
  text: "The dog chased the cat",
  tokenizer: "words",
  model: "",
  dim: 64,
  seed: 0,
  shared: false,
  length: 64,
  base: 10000,
  layout: "interleaved",
  precision: "exact",
});

/**
 * How each setting is read from text; undefined where the text is none.
 * @type {{[Name in keyof Settings]: (text: string) => Settings[Name] | undefined}}
 */
const schema = {
  text: (text) => text.slice(0, LONGEST_TEXT),
  tokenizer: oneOf("words", "gpt2", "model"),
  model: (text) => text.slice(0, LONGEST_NAME),
  dim: (text) => DIMS.find((dim) => String(dim) === text),
  seed: finite,
  shared: (text) => (text === "true" ? true : undefined),
  length: finite,
  base: finite,
  layout: oneOf("interleaved", "halves", "flipped"),
  precision: oneOf("exact", "torch"),
};

/**
 * Settings from an address's part after #; what it does not have, or has wrongly, is the default.
 * @param {string} hash
 * @returns {Settings}
 */
export function fromHash(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  /** @type {Record<string, unknown>} */
  const read = {};
  for (const [name, parse] of Object.entries(schema)) {
    const text = given.get(name);
    const value = text === null ? undefined : parse(text);
    read[name] = value ?? defaults[/** @type {keyof Settings} */ (name)];
  }
  return /** @type {Settings} */ (/** @type {unknown} */ (read));
}

/**
 * The part after #, with what differs from the defaults.
 * @param {Settings} settings
 */
export function toHash(settings) {
  const changed = Object.entries(settings).filter(
    ([name, value]) => !Object.is(value, defaults[/** @type {keyof Settings} */ (name)]),
  );
  return new URLSearchParams(changed.map(([name, value]) => [name, String(value)])).toString();
}

/**
 * A number as typed; NaN for what is none, an empty text too.
 * @param {string} text
 */
export function number(text) {
  return text.trim() === "" ? NaN : Number(text);
}

/** @param {string} text */
function finite(text) {
  return Number.isFinite(number(text)) ? number(text) : undefined;
}

/**
 * @template {string} Word
 * @param {...Word} words
 */
function oneOf(...words) {
  return (/** @type {string} */ text) => words.find((word) => word === text);
}
