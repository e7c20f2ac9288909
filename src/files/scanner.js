/**
 * Parses the text of a file's header: the caller states what must come next, and anything else throws.
 */
import { describe } from "../runtime/check.js";
import { FileError } from "../runtime/errors.js";

export class Scanner {
  /** The index of the next character. */
  at = 0;

  /**
   * @param {string} text
   * @param {string} format  the prefix of error codes: "NPY" for NPY_HEADER
   * @param {string} white  the characters that may separate tokens
   * @param {string} [part]  the part of the file that the text is
   */
  constructor(text, format, white, part = "HEADER") {
    this.text = text;
    this.format = format;
    this.white = white;
    this.part = part;
  }

  /**
   * @param {string} rule  what must come next
   * @param {number} [at]
   * @param {string} [code]
   * @returns {never}
   */
  refuse(rule, at = this.at, code = this.part) {
    const got = at < this.text.length ? describe(this.text.slice(at, at + 24)) : "its end";
    throw new FileError(
      `${this.format}_${code}`,
      `${this.part.toLowerCase()} must have ${rule} at character ${at}; got ${got}`,
    );
  }

  /** Skips white space. @returns {number} the index of the next character */
  skip() {
    while (this.at < this.text.length && this.white.includes(this.text[this.at])) ++this.at;
    return this.at;
  }

  /** Skips a character if it comes next; returns whether it did. @param {string} sign */
  skips(sign) {
    if (this.text[this.skip()] !== sign) return false;
    ++this.at;
    return true;
  }

  /** Skips a character that must come next. @param {string} sign */
  need(sign) {
    if (!this.skips(sign)) this.refuse(`'${sign}'`);
  }

  /** Reads an integer of digits only: no sign, point, exponent or leading zero. */
  integer() {
    const begin = this.skip();
    while (this.text[this.at] >= "0" && this.text[this.at] <= "9") ++this.at;
    const digits = this.text.slice(begin, this.at);
    if (!/^(0|[1-9]\d{0,15})$/.test(digits) || !Number.isSafeInteger(Number(digits))) {
      this.refuse("a whole number from 0 to 2^53 - 1, in digits,", begin);
    }
    return Number(digits);
  }
}
