/** Letters that may differ in a near spelling. */
const DIFFERENT = 2;

/** Of a text whose near spellings are looked for: none of the words is longer. */
const LONGEST = 32;

/**
 * Words that begin with a text, and are more than it; the most frequent first.
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
 * Words that a text may be a misspelling of: the fewest letters different first, of equal ones the
 * most frequent.
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
 * The fewest letters to insert, leave out or replace, and neighbors to swap (Damerau 1964), that make
 * one word of another.
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
