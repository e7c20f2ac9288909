import * as check from "../../runtime/check.js";
import { Tensor } from "../../runtime/tensor.js";

/** Stands for a text that is one space while others are trimmed. */
const SPACE = "\ue000";

/** Compressed ids of texts. @param {unknown} texts @param {unknown} tokens */
export function compressed(texts, tokens) {
  const known = readStrings(texts, "texts");
  const pieces = tokens === undefined ? [] : readStrings(tokens, "tokens");
  /** @type {Map<string, number>} */
  const keys = new Map();
  const map = known.map((text, id) => {
    const isPart = text.includes("\ufffd");
    if (isPart && pieces[id] === undefined) {
      throw new RangeError(
        `tokens must have the token of id ${id}, a part of a character; got none`,
      );
    }
    const key = isPart ? pieces[id] : normalized(text) || text;
    const number = keys.get(key) ?? keys.size;
    keys.set(key, number);
    return number;
  });
  return new Tensor(Int32Array.from(map), [map.length]);
}

/** @param {unknown} value @param {string} name @returns {string[]} */
function readStrings(value, name) {
  if (!check.isList(value)) {
    throw new TypeError(`${name} must be an array of strings; got ${check.describe(value)}`);
  }
  return Array.from(value, (text, id) => {
    if (typeof text === "string") return text;
    throw new TypeError(`${name} must be strings; got ${check.describe(text)} at ${id}`);
  });
}

/** A text as DeepSeek's Engram compares it. @param {string} text */
function normalized(text) {
  const plain = text
    .normalize("NFKC")
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "");
  // Character by character: a sigma at the end of a word has no special form.
  const low = Array.from(plain, (character) => character.toLowerCase()).join("");
  const kept = low.replace(/[ \t\r\n]+/g, " ").replace(/^ $/, SPACE);
  return kept
    .replace(/^\p{White_Space}+|(?<!\p{White_Space})\p{White_Space}+$/gu, "")
    .replaceAll(SPACE, " ");
}
