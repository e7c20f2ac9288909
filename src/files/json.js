/**
 * Parses JSON of a known structure, as Python's json writes it: with NaN and infinities. `JSON.parse` accepts any
 * structure, keeps the last of two equal keys and reads 2.0 and 2e0 as the integer 2; here the caller states what must
 * come next. `value` and `ignore` alone recurse without the caller, to a limited depth. What nobody needs is checked by
 * `ignore`, which builds nothing, and `value` builds a limited number of values: a small file would otherwise take up
 * to 95 times its size in memory.
 */
import { Scanner } from "./scanner.js";

const MOST_DEPTH = 64;

/** The most values that `value` builds, and the most keys of an object that states no other limit. */
const MOST_VALUES = 65_536;

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

const NUMBER = /^(?:NaN|-?Infinity|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)/;
const MOST_DIGITS = 64;

const ESCAPE = /["\\/bfnrt]|u[\da-fA-F]{4}/y;

/**
 * @example
 * const json = new Json('{"a": [7, 8]}', "SAFETENSORS");
 * const entries = json.object(() => json.array(() => json.integer(), 2));
 * entries.get("a").length // 2
 */
export class Json extends Scanner {
  /** Whether to refuse what Rust's serde_json does: NaN, infinities, 1e400, and unpaired surrogates that are ignored. */
  isStrict = false;

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
    const { at } = this;
    const begin = at - 1;
    let end = begin;
    do end = this.text.indexOf('"', end + 1);
    while (this.#isEscaped(end));
    const value = end === -1 ? undefined : unescaped(this.text.slice(begin, end + 1));
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
    const value = Number(digits);
    const isNumber = digits !== "" && digits.length < MOST_DIGITS;
    if (!isNumber || (this.isStrict && !Number.isFinite(value))) this.refuse("a number", begin);
    this.at = begin + digits.length;
    return value;
  }

  /**
   * Reads any value, of at most `MOST_VALUES` values in all.
   * @returns {JsonValue}
   */
  value() {
    let left = MOST_VALUES;
    /** @type {(depth: number) => JsonValue} */
    const read = (depth) => {
      if (left-- === 0) this.refuse(`a value of at most ${MOST_VALUES} values`);
      const sign = this.#open(depth);
      if (sign === '"') return this.string();
      if (sign === "[") return this.array(() => read(depth - 1), MOST_VALUES);
      return sign === "{" ? this.object(() => read(depth - 1)) : this.#scalar();
    };
    return read(MOST_DEPTH);
  }

  /** Checks any value without building it. Keys in it may repeat. */
  ignore(depth = MOST_DEPTH) {
    const sign = this.#open(depth);
    if (sign === '"') this.#ignoreString();
    else if (sign === "[") this.#items("[", "]", () => this.ignore(depth - 1));
    else if (sign !== "{") this.#scalar();
    else {
      this.#items("{", "}", () => {
        this.#ignoreString();
        this.need(":");
        this.ignore(depth - 1);
      });
    }
  }

  /** The first character of a value, which may be at most so deep. @param {number} depth */
  #open(depth) {
    const sign = this.peek();
    if (depth === 0 && (sign === "{" || sign === "[")) this.refuse(`at most ${MOST_DEPTH} levels`);
    return sign;
  }

  /** Reads a word or a number. */
  #scalar() {
    for (const [word, value] of WORDS) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return value;
    }
    return this.number();
  }

  #ignoreString() {
    if (this.isStrict) return void this.string();
    this.need('"');
    const begin = this.at - 1;
    for (; ; ++this.at) {
      const code = this.text.charCodeAt(this.at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        ESCAPE.lastIndex = this.at + 1;
        if (ESCAPE.test(this.text)) this.at = ESCAPE.lastIndex - 1;
        else this.refuse("a well-formed string", begin);
      } else if (!(code >= 0x20)) this.refuse("a well-formed string", begin); // NaN at the end
    }
    ++this.at;
  }

  /** @param {string} open @param {string} close @param {() => void} item  reads one */
  #items(open, close, item) {
    this.need(open);
    if (this.skips(close)) return;
    do item();
    while (this.skips(","));
    this.need(close);
  }

  /**
   * @template T
   * @param {() => T} item  reads one item
   * @param {number} most  the maximal number of items
   */
  array(item, most) {
    /** @type {T[]} */
    const items = [];
    this.#items("[", "]", () => {
      if (items.length === most) this.refuse(`an array of at most ${most}`);
      items.push(item());
    });
    return items;
  }

  /**
   * Reads an object with any keys, each once. Since they come from the file, the result is a Map.
   * @template T
   * @param {(key: string) => T} value  reads the value of a key
   * @param {number} [most]  the maximal number of keys
   */
  object(value, most = MOST_VALUES) {
    /** @type {Map<string, T>} */
    const entries = new Map();
    this.#items("{", "}", () => {
      const begin = this.skip();
      if (entries.size === most) this.refuse(`an object of at most ${most} keys`);
      const key = this.string();
      if (entries.has(key)) this.refuse("each key once", begin, "DUPLICATE");
      this.need(":");
      entries.set(key, value(key));
    });
    return entries;
  }

  /**
   * Reads an object whose keys may repeat.
   * @param {(key: string) => void} use  reads the value of a key
   */
  pairs(use) {
    this.#items("{", "}", () => {
      const key = this.string();
      this.need(":");
      use(key);
    });
  }

  /**
   * Reads an object with these keys, in any order, and checks the values of others, each key once.
   * @template {Record<string, unknown>} T
   * @param {{[Key in keyof T]: () => T[Key]}} readers
   * @returns {T}
   */
  record(readers) {
    const keys = Object.keys(readers);
    const begin = this.skip();
    const entries = this.object((key) => (keys.includes(key) ? readers[key]() : this.ignore()));
    if (!keys.every((key) => entries.has(key)))
      this.refuse(`all the keys ${keys.join(", ")}`, begin);
    return /** @type {T} */ (Object.fromEntries(entries));
  }

  /** Checks that nothing but white space follows. */
  end() {
    if (this.skip() < this.text.length) this.refuse("only white space");
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
