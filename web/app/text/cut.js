/** Runs of letters and digits, with apostrophes inside: a word that GloVe may have. */
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['\u2019][\p{L}\p{M}\p{N}]+)*/gu;

/**
 * The words of a text in lower case; the rest is dropped.
 * @param {string} text
 * @returns {string[]}
 */
export function cut(text) {
  return Array.from(text.matchAll(WORD), ([word]) => word.toLowerCase());
}
