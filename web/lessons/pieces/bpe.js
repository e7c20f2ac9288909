// Byte-pair encoding: pieces of words, the pairs of neighbors among them, and merges.

/**
 * A word as its pieces, and how often it occurs.
 * @typedef {{ pieces: readonly string[], count: number }} Word
 */

/**
 * Every pair of neighboring pieces and its count: the most frequent first; of equal ones, the first in the corpus.
 * @param {readonly Word[]} words
 */
export function pairsOf(words) {
  /** @type {Map<string, { pair: readonly string[], count: number }>} */
  const found = new Map();
  for (const { pieces, count } of words) {
    for (let i = 1; i < pieces.length; ++i) {
      const pair = pieces.slice(i - 1, i + 1);
      const before = found.get(pair.join(" "))?.count ?? 0;
      found.set(pair.join(" "), { pair, count: before + count });
    }
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

/**
 * Pieces in which each such pair of neighbors is one piece, from the left.
 * @param {readonly string[]} pieces @param {readonly string[]} pair
 */
export function merged(pieces, [first, second]) {
  /** @type {string[]} */
  const result = [];
  for (const piece of pieces) {
    if (piece === second && result.at(-1) === first) result.splice(-1, 1, first + second);
    else result.push(piece);
  }
  return result;
}

/**
 * Merges the most frequent pair of a corpus, and again, until no pair is left.
 *
 * @param {readonly Word[]} words
 * @param {number} most  merges
 * @returns {{ pair: readonly string[], count: number, words: readonly Word[] }[]} each merge and the corpus after it
 */
export function learn(words, most) {
  const steps = [];
  for (let now = words; steps.length < most;) {
    const [best] = pairsOf(now);
    if (!best) break;
    now = now.map(({ pieces, count }) => ({ pieces: merged(pieces, best.pair), count }));
    steps.push({ ...best, words: now });
  }
  return steps;
}
