/**
 * Parses JSON of a known structure. `JSON.parse` accepts any structure, keeps the last of two equal keys and reads 2.0
 * and 2e0 as the integer 2; here the caller states what must come next. Only `value` recurses without the caller, to a
 * limited depth.
 */
import { describe } from "../runtime/check.js";
import { Scanner } from "./scanner.js";

const MOST_DEPTH = 64;

/**
 * Any value. Objects are Maps, since their keys come from a file.
 * @typedef {string | number | boolean | null | readonly any[] | ReadonlyMap<string, any>} JsonValue
 */

/** @type {readonly [word: string, value: boolean | null][]} */
const WORDS = [
  ["true", true],
  ["false", false],
  ["null", null],
];

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/;
const MOST_DIGITS = 64;

/**
 * @example
 * const json = new Json('{"a": [7, 8]}', "SAFETENSORS");
 * const entries = json.object(() => json.array(() => json.integer(), 2));
 * entries.get("a").length // 2
 */
export class Json extends Scanner {
  /** @param {string} text @param {string} format @param {string} [part]  of the file */
  constructor(text, format, part) {
    super(text, format, " \t\n\r", part);
  }

  /** Returns the next character without reading it. */
  peek() {
    return this.text[this.skip()];
  }

  /** @returns {string} */
  string() {
    this.need('"');
    const begin = this.at - 1;
    let end = begin;
    do end = this.text.indexOf('"', end + 1);
    while (end >= 0 && this.#isEscaped(end));
    const value = end < 0 ? undefined : unescaped(this.text.slice(begin, end + 1));
    if (value === undefined) return this.refuse("a well-formed string", begin);
    this.at = end + 1;
    return value;
  }

  /** Whether an odd number of backslashes precedes a character. @param {number} at */
  #isEscaped(at) {
    let before = at;
    while (this.text[before - 1] === "\\") --before;
    return (at - before) % 2 === 1;
  }

  /** Reads any number. @returns {number} */
  number() {
    const begin = this.skip();
    const [digits] = NUMBER.exec(this.text.slice(begin, begin + MOST_DIGITS)) ?? [""];
    if (digits === "" || digits.length === MOST_DIGITS) this.refuse("a number", begin);
    this.at = begin + digits.length;
    return Number(digits);
  }

  /**
   * Reads any value.
   * @param {number} [depth]  the maximal number of levels
   * @returns {JsonValue}
   */
  value(depth = MOST_DEPTH) {
    const sign = this.peek();
    if (sign === '"') return this.string();
    if (sign === "{" || sign === "[") {
      if (depth === 0) this.refuse(`at most ${MOST_DEPTH} levels`);
      const inner = () => this.value(depth - 1);
      return sign === "{" ? this.object(inner) : this.array(inner, Infinity);
    }
    for (const [word, value] of WORDS) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return value;
    }
    return this.number();
  }

  /**
   * @template T
   * @param {() => T} item  reads one item
   * @param {number} most  the maximal number of items
   */
  array(item, most) {
    /** @type {T[]} */
    const items = [];
    this.need("[");
    if (this.skips("]")) return items;
    do {
      if (items.length === most) this.refuse(`an array of at most ${most}`);
      items.push(item());
    } while (this.skips(","));
    this.need("]");
    return items;
  }

  /**
   * Reads an object with any keys, each once. Since they come from the file, the result is a Map.
   * @template T
   * @param {(key: string) => T} value  reads the value of a key
   */
  object(value) {
    /** @type {Map<string, T>} */
    const entries = new Map();
    this.need("{");
    if (this.skips("}")) return entries;
    do {
      const begin = this.skip();
      const key = this.string();
      if (entries.has(key)) this.refuse("each key once", begin, "DUPLICATE");
      this.need(":");
      entries.set(key, value(key));
    } while (this.skips(","));
    this.need("}");
    return entries;
  }

  /**
   * Reads an object with exactly these keys, in any order.
   * @template {Record<string, unknown>} T
   * @param {{[Key in keyof T]: () => T[Key]}} readers
   * @returns {T}
   */
  record(readers) {
    const keys = Object.keys(readers);
    const begin = this.skip();
    const entries = this.object((key) => {
      if (keys.includes(key)) return readers[key]();
      return this.refuse(`only the keys ${keys.join(", ")} and not ${describe(key)}`);
    });
    if (entries.size < keys.length) this.refuse(`all the keys ${keys.join(", ")}`, begin);
    return /** @type {T} */ (Object.fromEntries(entries));
  }

  /** Checks that nothing but spaces follows. */
  end() {
    while (this.text[this.at] === " ") ++this.at;
    if (this.at < this.text.length) this.refuse("only spaces");
  }
}

/**
 * @param {string} literal  with its quotes
 * @returns {string | undefined} undefined if it is not valid JSON or contains an unpaired surrogate
 */
function unescaped(literal) {
  if (!literal.includes("\\")) {
    // eslint-disable-next-line no-control-regex
    return /[\0-\x1f\p{Surrogate}]/u.test(literal) ? undefined : literal.slice(1, -1);
  }
  try {
    const value = JSON.parse(literal);
    return /\p{Surrogate}/u.test(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
