/**
 * Reading the text of a file's header sign by sign: what must come next is asked for, and anything
 * else is refused.
 */
import { describe } from "../runtime/check.js";
import { FileError } from "../runtime/errors.js";

export class Scanner {
  /** Where the next sign is. */
  at = 0;

  /**
   * @param {string} text
   * @param {string} format  for the codes: "NPY" gives NPY_HEADER
   * @param {string} white  the characters that may stand between signs
   * @param {string} [part]  of the file, which the text is
   */
  constructor(text, format, white, part = "HEADER") {
    this.text = text;
    this.format = format;
    this.white = white;
    this.part = part;
  }

  /**
   * @param {string} rule  what must be there
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

  /** Step over white space. @returns {number} where the next sign is */
  skip() {
    while (this.at < this.text.length && this.white.includes(this.text[this.at])) ++this.at;
    return this.at;
  }

  /** Step over a sign if it comes next, and say whether. @param {string} sign */
  skips(sign) {
    if (this.text[this.skip()] !== sign) return false;
    ++this.at;
    return true;
  }

  /** Step over a sign that must come next. @param {string} sign */
  need(sign) {
    if (!this.skips(sign)) this.refuse(`'${sign}'`);
  }

  /** A whole number in digits, and nothing but digits: no sign, point, exponent or leading zero. */
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
