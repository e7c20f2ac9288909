/** @import { vocabulary } from "phasor/files" */
import { count } from "../numbers.js";

/** @typedef {Awaited<ReturnType<typeof vocabulary.words>>} Vocabulary */

/** What WordPiece writes before a piece that goes on with a word. */
const CONTINUES = "##";

/** Letters of a token that are shown; there are tokens of a hundred spaces. */
const LONGEST = 40;

/**
 * How a token is shown, so that no two look alike: the spaces at its ends are seen, and what is no
 * whole character stands as its bytes.
 *
 * @param {Vocabulary | undefined} vocabulary @param {number} id
 */
export function labelOf(vocabulary, id) {
  if (!vocabulary || id >= vocabulary.size || vocabulary.tokens[id] === "") return `#${id}`;
  const text = vocabulary.text(id);
  const goesOn = vocabulary.tokens[id] === CONTINUES + text;
  return visible(goesOn ? CONTINUES + text : text);
}

/** @param {string} text */
export function visible(text) {
  const spaced = text
    .replace(/^ +| +$/g, (spaces) => "\u2423".repeat(spaces.length))
    .replaceAll("\n", "\u21b5")
    .replaceAll("\t", "\u21e5");
  const letters = Array.from(inked(spaced));
  return letters.length > LONGEST
    ? `${letters.slice(0, LONGEST).join("")}\u2026(${letters.length})`
    : letters.join("");
}

/** A text of a file without signs that are not seen, such as those that turn the line round. @param {string} text */
export function inked(text) {
  return text.replace(/(?! )[\p{C}\p{Z}]/gu, (character) => {
    const code = /** @type {number} */ (character.codePointAt(0));
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** Letters of a typed text that are repeated to the reader. */
const REPEATED = 40;

/** What somebody typed, as part of a sentence. @param {string} text */
export function quoted(text) {
  const letters = Array.from(text.trim().slice(0, 2 * REPEATED + 2));
  const cut = inked(letters.slice(0, REPEATED).join(""));
  return `\u201c${letters.length > REPEATED ? `${cut}\u2026` : cut}\u201d`;
}

/** Words that a sentence names. */
const NAMED = 5;

/**
 * Words that a table lacks, in a sentence; empty where there are none.
 * @param {{size: number, noun: string}} table @param {readonly string[]} words  as they were typed
 */
export function lacking({ size, noun }, words) {
  if (words.length === 0) return "";
  const more = words.length - NAMED;
  const named = words.slice(0, NAMED).map(quoted).join(", ");
  return `Not among the ${count(size)} ${noun}s: ${named}${more > 0 ? ` and ${count(more)} more` : ""}.`;
}
