/** @import { vocabulary } from "phasor/files" */
import { count, some } from "../numbers.js";
import { begin, shortened } from "../text/begin.js";

/** @typedef {Awaited<ReturnType<typeof vocabulary.words>>} Vocabulary */

/** The most characters of a token to show; some tokens are a hundred spaces. */
const LONGEST = 40;

/**
 * The label of a token, different for each: spaces at its ends are visible, and bytes that are not a whole character
 * are written out.
 *
 * @param {Vocabulary | undefined} vocabulary @param {number} id
 */
export function labelOf(vocabulary, id) {
  if (!vocabulary || id >= vocabulary.size || vocabulary.tokens[id] === "") return `#${id}`;
  const text = vocabulary.text(id);
  const token = vocabulary.tokens[id];
  // A piece that continues a word has a prefix, such as WordPiece's ##, that is no part of its text.
  return visible(token.endsWith(text) ? token : text);
}

/** @param {string} text @param {number} [longest]  characters that are shown */
export function visible(text, longest = LONGEST) {
  const spaced = text
    .replace(/^ +|(?<! ) +$/g, (spaces) => "\u2423".repeat(spaces.length))
    .replaceAll("\n", "\u21b5")
    .replaceAll("\t", "\u21e5");
  const letters = Array.from(inked(spaced));
  return letters.length > longest
    ? `${begin(letters.join(""), longest)}\u2026(${letters.length})`
    : letters.join("");
}

/** A text with its invisible characters written out, such as those that change the writing direction or a picture. @param {string} text */
export function inked(text) {
  return text.replace(/(?! )[\p{C}\p{Z}\p{VS}]/gu, (character) => {
    const code = /** @type {number} */ (character.codePointAt(0));
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** The most characters of a typed text that an error repeats. */
const REPEATED = 40;

/** A typed text in quotes. @param {string} text */
export function quoted(text) {
  return `\u201c${inked(shortened(text.trim(), REPEATED))}\u201d`;
}

/** The most words that a sentence lists. */
const NAMED = 5;

/**
 * A sentence about words that a table lacks; "" if there are none.
 * @param {{size: number, noun: string}} table @param {readonly string[]} words  as they were typed
 */
export function lacking({ size, noun }, words) {
  if (words.length === 0) return "";
  const more = words.length - NAMED;
  const named = words.slice(0, NAMED).map(quoted).join(", ");
  return `Not among the ${some(size, noun)}: ${named}${more > 0 ? ` and ${count(more)} more` : ""}.`;
}
