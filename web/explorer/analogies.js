/** @import { Table } from "../app/models/table.js" */
/** @import { Metric, Ranking, Triple } from "../app/models/rank.js" */
/** @import { Page } from "../app/page.js" */
import { set } from "../app/controls.js";
import { byId, make } from "../app/dom.js";
import { go, section } from "./chosen.js";
import { SCORES, ranked, scoreText } from "./lists.js";

/** Analogies to try: a - b + c. */
const EXAMPLES = [
  ["paris", "france", "italy"],
  ["bigger", "big", "small"],
  ["walking", "walk", "swim"],
  ["actor", "man", "woman"],
  ["moscow", "russia", "japan"],
  ["better", "good", "bad"],
];

/** The inputs of an analogy may take the first places of its answers. */
const INPUTS = 3;

/**
 * The answers to an analogy, and whether they depend on leaving out its three words.
 *
 * @typedef {object} Answered
 * @property {Ranking} list
 * @property {string} sentence  what leaving out changes
 * @property {string} arrows  about the two arrows of the map
 * @property {[number, number][]} pairs  of ids: from b to a, and from c to the answer
 */

/** An analogy of a whole table: its answer among the first words would be another. @param {Page} app */
export function addAnalogies({ made, cell, change }) {
  const list = ranked(
    byId("answers"),
    () => made.whole.words,
    (id) => go(made.whole, id),
  );
  cell(
    ({ metric }, { whole: table, aId, bId, cId }) => {
      if (bId < 0 || cId < 0) return `Type two ${table.noun}s of this table.`;
      const [a, b, c] = [aId, bId, cId].map((id) => table.words[id]);
      return `${a} \u2212 ${b} + ${c}, by ${SCORES[metric]}:`;
    },
    (text) => (byId("analogy-fact").textContent = text),
  );
  cell(
    async ({ k, metric, inputs }, { whole: table, aId, bId, cId }) =>
      bId < 0 || cId < 0 ? NONE : answered(table, [aId, bId, cId], { k, metric, inputs }),
    ({ list: answers, sentence, arrows, pairs }) => {
      list(answers);
      byId("analogy-inputs").textContent = sentence;
      change({ analogy: { arrows, pairs } });
    },
    section("answers"),
  );
  cell(
    (_, { whole }) => examples(whole),
    (all) => byId("examples").replaceChildren(...all),
  );
}

/** Of words that the table lacks. @type {Answered} */
const NONE = { list: [], sentence: "", arrows: "", pairs: [] };

/**
 * @param {Table} table @param {Triple} ids
 * @param {{k: number, metric: Metric, inputs: boolean}} options
 * @returns {Promise<Answered>}
 */
async function answered(table, ids, { k, metric, inputs }) {
  const [list, [first], all] = await Promise.all([
    table.analogy(ids, k, metric, inputs),
    table.analogy(ids, 1, metric, false),
    table.analogy(ids, INPUTS + 1, metric, true),
  ]);
  const [a, b, c] = ids;
  if (!first || Number.isNaN(first.score)) return { ...NONE, list };
  return {
    list,
    sentence: exclusion(table, ids, metric, first, all[0]),
    arrows: await arrowsText(table, [a, b, c, first.id]),
    pairs: [
      [b, a],
      [c, first.id],
    ],
  };
}

/**
 * Says whether the answer is the nearest word of all, or only of those that are no input.
 * @param {Table} table @param {Triple} ids @param {Metric} metric
 * @param {Ranking[number]} first  of the words that are no input @param {Ranking[number]} nearest
 */
function exclusion({ words, noun }, ids, metric, first, nearest) {
  const [a, b, c] = ids.map((id) => words[id]);
  const scored = (/** @type {Ranking[number]} */ { id, score }) =>
    `${words[id]} (${SCORES[metric]} ${scoreText(score)})`;
  const sum = `${a} \u2212 ${b} + ${c}`;
  return nearest.id === first.id
    ? `The ${noun} nearest to ${sum} is ${scored(first)}, also if the three ${noun}s of the question may be answers.`
    : `The ${noun} nearest to ${sum} is ${scored(nearest)} itself, a ${noun} of the question. ${scored(first)} is the answer only because these three are left out.`;
}

/** Compares the two differences that the arrows show. @param {Table} table @param {number[]} ids  a, b, c, answer */
async function arrowsText(table, ids) {
  const [a, b, c, answer] = ids.map((id) => table.words[id]);
  const { data, shape } = await table.rows(ids);
  const D = shape[1];
  let [dot, first, second] = [0, 0, 0];
  for (let d = 0; d < D; ++d) {
    const [x, y] = [data[d] - data[D + d], data[3 * D + d] - data[2 * D + d]];
    dot += x * y;
    first += x * x;
    second += y * y;
  }
  const lengths = Math.sqrt(first * second);
  if (!(lengths > 0 && lengths < Infinity)) return "";
  return `Arrows: ${b} \u2192 ${a} and ${c} \u2192 ${answer}. Parallel arrows mean the same difference; in all ${D} dimensions the cosine of the two differences is ${scoreText(dot / lengths)}.`;
}

/** Buttons for the examples whose words the table has. @param {Table} table */
function examples({ words, wordOf }) {
  return EXAMPLES.map((each) => each.map(wordOf))
    .filter((ids) => ids.every((id) => id >= 0))
    .map((ids) => example(ids.map((id) => words[id])));
}

/** A button that puts an analogy into the fields. @param {string[]} words */
function example([a, b, c]) {
  const button = make("button", { type: "button" }, `${a} \u2212 ${b} + ${c}`);
  button.addEventListener("click", () => {
    set("a", a);
    set("b", b);
    set("c", c);
  });
  return make("li", {}, button);
}
