/** @import { Ranking } from "../app/models/rank.js" */
/** @import { Table } from "../app/models/table.js" */
import { make } from "../app/dom.js";
import { brief, count } from "../app/numbers.js";

/** Scores in a list have the same number of decimals. */
const decimals = new Intl.NumberFormat("en", {
  minimumFractionDigits: 3,
  maximumFractionDigits: 3,
});

/** Longer words may not fit into their button. */
const LONG = 12;

/** The score of a metric. @type {Record<string, string>} */
export const SCORES = { cosine: "cosine", euclidean: "distance" };

/** @param {number} score */
export function scoreText(score) {
  return decimals.format(score).replace("-", "\u2212");
}

/** Words with their scores, in a sentence. @param {Ranking} ranking @param {readonly string[]} words */
export function scores(ranking, words) {
  return ranking.map(({ id, score }) => `${words[id]} ${scoreText(score)}`).join(", ");
}

/** What a search is among: the words of a table, or as many as are there. @param {Table} table */
export const among = ({ noun, size, coming }) => (coming ? `of ${count(size)}` : `${noun}s`);

/** A sentence about a word. @param {Table} table @param {number} id */
export function factOf(table, id) {
  const length = brief(table.lengths[id]);
  return `\u201c${table.words[id]}\u201d is ${table.place(id)}; its vector has length ${length}.`;
}

/**
 * A list of words with their scores. Its buttons stay when the words change, so that a button keeps the
 * focus.
 *
 * @param {HTMLElement} list @param {() => readonly string[]} words @param {(id: number) => void} go
 */
export function ranked(list, words, go) {
  /** @type {Ranking} */
  let shown = [];
  const row = (/** @type {number} */ i) => {
    const button = make("button", { type: "button" });
    button.addEventListener("click", () => go(shown[i].id));
    return make("li", {}, button, make("data"));
  };
  return (/** @type {Ranking} */ ranking) => {
    shown = ranking;
    while (list.children.length > ranking.length) list.lastElementChild?.remove();
    while (list.children.length < ranking.length) list.append(row(list.children.length));
    for (const [i, { id, score }] of ranking.entries()) {
      const [button, data] = list.children[i].children;
      const word = words()[id];
      button.textContent = word;
      if (word.length > LONG) button.setAttribute("title", word);
      else button.removeAttribute("title");
      data.textContent = scoreText(score);
      data.setAttribute("value", String(score));
    }
  };
}
