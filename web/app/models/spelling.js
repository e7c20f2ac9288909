/** Letters that may differ in a near spelling. */
const DIFFERENT = 2;

/** The maximal length of a text whose near spellings are searched. */
const LONGEST = 32;

/**
 * Longer words that begin with a text, the most frequent first.
 *
 * @param {readonly string[]} words  most frequent first
 * @param {string} text
 * @param {number} most
 */
export function beginning(words, text, most) {
  const begin = text.trim().toLowerCase();
  /** @type {string[]} */
  const found = [];
  if (begin === "") return found;
  for (const word of words) {
    if (word.length > begin.length && word.startsWith(begin) && found.push(word) === most) break;
  }
  return found;
}

/**
 * Words that a text may be a misspelling of, by the number of different letters and then by frequency.
 *
 * @param {readonly string[]} words  most frequent first
 * @param {string} text
 * @param {number} most
 */
export function near(words, text, most) {
  const typed = text.trim().toLowerCase();
  if (typed === "" || typed.length > LONGEST) return [];
  const bound = Math.min(DIFFERENT, typed.length - 1); // of one letter all would be left
  /** @type {string[][]} */
  const found = Array.from({ length: bound + 1 }, () => []);
  for (const word of words) {
    if (Math.abs(word.length - typed.length) > bound) continue;
    const edits = distance(typed, word);
    if (edits <= bound) found[edits].push(word);
  }
  return found.flat().slice(0, most);
}

/**
 * The minimal number of letters to insert, delete or replace, and of neighbors to swap (Damerau 1964), that changes one
 * word to another.
 *
 * @param {string} a @param {string} b
 */
function distance(a, b) {
  let [before, last] = [new Array(b.length + 1).fill(0), Array.from(b + " ", (_, j) => j)];
  for (let i = 1; i <= a.length; ++i) {
    const row = [i];
    for (let j = 1; j <= b.length; ++j) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length];
}
