/**
 * JSON whose form is known beforehand. `JSON.parse` takes any form, keeps the last of two equal keys
 * and reads 2.0 and 2e0 as the whole number 2; here whoever reads asks for what must come next.
 * Nothing recurses by itself, so depth is no danger.
 */
import { describe } from "../api/check.js";
import { Scanner } from "./scanner.js";

/**
 * @example
 * const json = new Json('{"a": [7, 8]}', "SAFETENSORS");
 * const entries = json.object(() => json.array(() => json.integer(), 2));
 * entries.get("a").length // 2
 */
export class Json extends Scanner {
  /** @param {string} text @param {string} format */
  constructor(text, format) {
    super(text, format, " \t\n\r");
  }

  /** @returns {string} */
  string() {
    this.need('"');
    const begin = this.at - 1;
    while (this.at < this.text.length && this.text[this.at] !== '"') {
      this.at += this.text[this.at] === "\\" ? 2 : 1;
    }
    const value = unescaped(this.text.slice(begin, ++this.at));
    return value ?? this.refuse("a well-formed string", begin);
  }

  /**
   * @template T
   * @param {() => T} item  reads one
   * @param {number} most  how many there may be
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
   * An object with any keys, each once. They come from the file, so they go into a Map.
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
   * An object with exactly these keys, in any order.
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

  /** Nothing but spaces is left. */
  end() {
    while (this.text[this.at] === " ") ++this.at;
    if (this.at < this.text.length) this.refuse("only spaces");
  }
}

/**
 * @param {string} literal  with its quotes
 * @returns {string | undefined} undefined if it breaks JSON's rules or holds half a character
 */
function unescaped(literal) {
  try {
    const value = JSON.parse(literal);
    return /\p{Surrogate}/u.test(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
