/** @import { Phasor, Tensor } from "phasor" */
/** @import { Table } from "../../app/models/table.js" */
/** @import { Triple } from "../../app/models/rank.js" */
/** @import { Plain } from "../../app/tasks/pca.js" */
import { modelTable } from "../../app/models/opened.js";
import { opener } from "../../app/models/opener.js";
import { gloveTable } from "../../app/models/table.js";
import { beside } from "../../app/columns.js";
import { byId } from "../../app/dom.js";
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { bar, scatter, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { NO_NETWORK } from "../../app/runnable.js";
import { listUrl, tableUrl } from "../../app/text/words.js";
import { capitals, groups } from "./groups.js";
import { mapProgram, nearestProgram } from "./program.js";
import { idsOf, known, plain, spread } from "./words.js";

/** The number of answers shown for an analogy, and of questions in a batch. */
const ANSWERS = 10;
const PORTION = 10;

/** Words at the ends of the lengths that are named. */
const ENDS = 6;

/** The number of words compared at each end of the list. */
const COMPARED = 1000;

/** The reader's words on the map, and the fewest that make one. */
const MOST = 12;
const FEWEST = 8;

/** Components that are counted up, and those that a map may be of. */
const COUNTED = 60;
const MAPPED = 6;

/** Seed of the random rows that words are compared with. */
const SEED = 1;

/** The message after an answer that shows a prejudice. */
const PREJUDICE = " The table has learned from its texts who is called what, prejudices included.";

const metrics = { cosine: "cosine", dot: "product", euclidean: "distance" };

/** Words of a text that have a row, or else those of another text, or else any. */
const named = remembered(given);
const asked = remembered(given);

/** @param {Table} table @param {string} text @param {string} otherwise */
function given(table, text, otherwise) {
  const typed = known(table, text);
  if (typed.ids.length > 0) return typed;
  const [id = spread(table, 1)[0]] = known(table, otherwise).ids;
  const lacking = `${typed.lacking} “${table.words[id]}” is taken.`.trim();
  return { ids: [id], labels: [table.words[id]], lacking };
}

/** The words of an analogy: three of those typed, the last ones of “man king woman” if they are fewer. */
const tripleOf = remembered(
  /** @param {Table} table @param {string} text */
  (table, text) => {
    const { ids: typed, lacking } = known(table, text);
    const { ids: usual } = known(table, "man king woman");
    const others = usual.length === 3 ? usual : spread(table, 3);
    const ids = [...typed, ...others.slice(typed.length)].slice(0, 3);
    return { ids, labels: ids.map((id) => table.words[id]), lacking };
  },
);

/** The lengths of all rows by their places in the list, as points. */
const lengthsOf = remembered((/** @type {Table} */ { lengths }) => {
  const data = Float32Array.from({ length: 2 * lengths.length }, (_, i) =>
    i % 2 === 0 ? i / 2 + 1 : lengths[(i - 1) / 2],
  );
  const order = Array.from(lengths, (_, id) => id).sort((a, b) => lengths[a] - lengths[b]);
  return { order, points: { data, shape: [lengths.length, 2] } };
});

/** The words of the map with their groups and rows. */
const grouped = remembered(
  /** @param {Table} table @param {string} yours */
  async (table, yours) => {
    const own = known(table, yours);
    /** @type {Map<number, string>} */
    const words = new Map();
    for (const [group, text] of Object.entries(groups)) {
      for (const id of known(table, text).ids) words.set(id, group);
    }
    for (const id of own.ids.slice(0, MOST)) words.set(id, "yours");
    if (words.size < FEWEST) for (const id of spread(table, COUNTED)) words.set(id, "others");
    // By rank, so that groups have the same colors here and among all words.
    const all = [...words].sort(([a], [b]) => a - b);
    const ids = all.map(([id]) => id);
    return {
      ids,
      labels: ids.map((id) => table.words[id]),
      groups: all.map(([, group]) => group),
      lacking: own.lacking,
      rows: await table.rows(ids),
    };
  },
);

/** Their principal components, and those of as many random rows. */
const componentsOf = remembered(
  /** @param {Phasor} phasor @param {Plain} rows */
  ({ pca }, rows) => pca(rows, { components: Math.min(COUNTED, rows.shape[1]) }),
);
const randomOf = remembered(
  /** @param {Phasor} phasor @param {number} length @param {number} dim */
  (phasor, length, dim) => {
    const table = phasor.embedding.create(length, dim, { std: 1, seed: SEED });
    const rows = table.weights();
    table.dispose();
    const { data } = phasor.pca(rows, {
      components: Math.min(COUNTED, dim),
    }).explainedVarianceRatio;
    return { ratio: data, rank: phasor.statistics.effectiveRank(rows) };
  },
);

/** The first numbers of all rows as they are, and all rows by their components. */
const numbersOf = remembered((/** @type {Table} */ table) => table.numbers(MAPPED));
const wholeOf = remembered((/** @type {Table} */ table) => components(table));

page({
  prepare: async (phasor) => ({ table: await gloveTable(phasor) }),

  begin({ made, change }) {
    const { table: glove } = made;
    const place = /** @type {HTMLDetailsElement} */ (document.querySelector("details.opening"));
    place.open ||= /** @type {HTMLInputElement} */ (byId("model")).value !== ""; // a link that names one
    opener({
      open: modelTable,
      opened(next = glove) {
        const { table: before } = made;
        for (const part of document.querySelectorAll("[data-of]")) {
          const isGlove = /** @type {HTMLElement} */ (part).dataset.of === "glove";
          /** @type {HTMLElement} */ (part).hidden = isGlove !== (next === glove);
        }
        change({ table: next });
        if (before !== glove && before !== next) before.close();
      },
    });
  },

  pictures: {
    lengths(_, { marked }, { table }) {
      const { ids } = named(table, marked, "the");
      const isNamed = new Set(ids);
      return scatter(lengthsOf(table).points, {
        title: `How long ${count(table.size)} rows are`,
        labels: table.words,
        groups: Array.from({ length: table.size }, (_, id) => (isNamed.has(id) ? "named" : null)),
        highlight: ids,
        xTitle: table.noun === "word" ? "rank by frequency" : "place in the vocabulary",
        yTitle: "length",
      });
    },

    async nearest(_, { word, metric, neighbors }, { table }) {
      const { labels, ids } = asked(table, word, "paris");
      return ranking(table, await table.neighbors(ids[0], neighbors, metric), {
        title: `Nearest to “${labels[0]}”`,
        yTitle: metrics[/** @type {"dot"} */ (metric)],
      });
    },

    async analogy(_, { triple, without }, { table }) {
      const { labels, ids } = tripleOf(table, triple);
      const [a, b, c] = labels;
      return ranking(table, await table.analogy(stepOf(ids), ANSWERS, "cosine", !without), {
        title: `“${a}” is to “${b}” as “${c}” is to …`,
        yTitle: `cosine with ${b} − ${a} + ${c}`,
      });
    },

    async map(phasor, { yours, axes }, { table }) {
      const { rows, labels, groups } = await grouped(table, yours);
      const { projected } = componentsOf(phasor, rows);
      return scatter(points(projected, Number(axes) - 1), {
        title: `${count(labels.length)} ${table.noun}s by their own components ${axes} and ${Number(axes) + 1}`,
        labels,
        groups,
        ...axisTitles("component", axes),
      });
    },

    async all(_, { yours, axes }, { table, whole }) {
      const { ids, groups } = await grouped(table, yours);
      const group = new Map(ids.map((id, i) => [id, groups[i]]));
      const what = whole?.projected ? "component" : "number";
      const seen = whole?.projected ?? (await numbersOf(table));
      return scatter(points(seen, Number(axes) - 1), {
        title: `All ${count(table.size)} ${table.noun}s by ${what}s ${axes} and ${Number(axes) + 1} of ${count(table.dim)}`,
        labels: table.words,
        groups: Array.from({ length: table.size }, (_, id) => group.get(id) ?? null),
        highlight: ids,
        ...axisTitles(what, axes),
      });
    },

    async shares(phasor, { yours }, { table, whole }) {
      const { rows, ids } = await grouped(table, yours);
      const lines = {
        [`the ${ids.length} ${table.noun}s of the map`]: componentsOf(phasor, rows)
          .explainedVarianceRatio.data,
        "as many random rows": randomOf(phasor, ids.length, table.dim).ratio,
        ...(whole?.ratio && { [`all ${count(table.size)} ${table.noun}s`]: whole.ratio }),
      };
      const held = Object.values(lines).map((ratio) => summed(ratio).slice(0, COUNTED));
      return waves(beside(held), {
        title: "The share that the first components hold",
        labels: Object.keys(lines),
        x: held[0].map((_, k) => k + 1),
        xTitle: "components",
        yTitle: "share",
        yDomain: [0, 1],
      });
    },
  },

  facts: {
    model: (_, __, { table }) => table.about.name,
    size: (_, __, { table }) => count(table.size),
    width: (_, __, { table }) => count(table.dim),
    countries: () => count(capitals.length),
    "missing-marked": (_, { marked }, { table }) => named(table, marked, "the").lacking,
    "missing-word": (_, { word }, { table }) => asked(table, word, "paris").lacking,
    "missing-triple": (_, { triple }, { table }) => tripleOf(table, triple).lacking,
    "missing-yours": async (_, { yours }, { table }) => (await grouped(table, yours)).lacking,
    longest: (_, __, { table }) => listed(table, lengthsOf(table).order.slice(-ENDS).reverse()),
    shortest: (_, __, { table }) => listed(table, lengthsOf(table).order.slice(0, ENDS)),
    rank: async (phasor, { yours }, { table }) =>
      brief(phasor.statistics.effectiveRank((await grouped(table, yours)).rows)),
    "random-rank": async (phasor, { yours }, { table }) => {
      const { ids } = await grouped(table, yours);
      return brief(randomOf(phasor, ids.length, table.dim).rank);
    },
  },

  questions: {
    frequent(_, __, { table }) {
      const n = Math.min(COMPARED, Math.floor(table.size / 2));
      const lengths = Array.from(/** @type {ArrayLike<number>} */ (table.lengths));
      const [first, last] = [lengths.slice(0, n), lengths.slice(-n)];
      const [before, after] = [first, last].map(
        (some) => some.reduce((sum, length) => sum + length, 0) / n,
      );
      const ratio = before / after;
      return {
        answer: ratio > 1.05 ? "longer" : ratio < 1 / 1.05 ? "shorter" : "same",
        because: `The mean is ${brief(before)} in the first ${count(n)} and ${brief(after)} in the last. But within these last alone they go from ${brief(Math.min(...last))} to ${brief(Math.max(...last))}.`,
      };
    },
    async hot(_, __, { table }) {
      const { data } = await table.cosines(idsOf(table, "hot", "warm", "cold"));
      const [, warm, cold] = data;
      return {
        answer: Math.max(warm, cold) < 0.3 ? "neither" : warm > cold ? "warm" : "cold",
        because: `Hot and warm have ${brief(warm)}, hot and cold ${brief(cold)}.`,
      };
    },
    async king(_, __, { table }) {
      const [first, second] = await nearestToSum(table, "man", "king", "woman");
      const { data } = await table.cosines(idsOf(table, "man", "woman"));
      return {
        answer: plain(first.word),
        because: `“${first.word}” has a cosine of ${brief(first.score)} with it, “${second.word}” ${brief(second.score)}. Man and woman have ${brief(data[1])}, so the step from one to the other is short.`,
      };
    },
    async share(_, __, { table }) {
      const ratio = summed((await wholeOf(table)).ratio);
      return {
        answer: ratio[1] < 0.25 ? "tenth" : ratio[1] < 0.75 ? "half" : "most",
        because: `The first component holds ${percent(ratio[0])}, the two together ${percent(ratio[1])}. Ten hold ${percent(ratio[9])}.`,
      };
    },
    async "exercise-doctor"(_, __, { table }) {
      const [first] = await nearestToSum(table, "man", "doctor", "woman");
      const others = stepOf(idsOf(table, "man", "doctor", "woman"));
      const [left] = await table.analogy(others, 1, "cosine", false);
      return {
        answer: plain(first.word),
        because: `“${first.word}” has a cosine of ${brief(first.score)} with it, “${table.words[left.id]}” ${brief(left.score)}. With the three words left out, “${table.words[left.id]}” is what remains.${table.noun === "word" ? PREJUDICE : ""}`,
      };
    },
    async "exercise-half"(_, __, { table }) {
      const squares = Array.from(await table.spectrum(), (s) => s * s);
      const total = squares.reduce((sum, square) => sum + square, 0);
      const ratio = summed(squares.map((square) => square / total));
      const k = ratio.findIndex((share) => share >= 0.5);
      return {
        answer: k + 1,
        because: `${count(k)} hold ${percent(ratio[k - 1] ?? 0)}, ${count(k + 1)} hold ${percent(ratio[k])}.`,
      };
    },
  },

  actions: {
    async *capitals(_, __, { table }, signal) {
      const { triples, answers } = questions(table);
      if (triples.length === 0) throw new RangeError(`${table.about.name} lacks the capitals`);
      const right = { without: 0, all: 0 };
      for (let from = 0; from < triples.length && !signal.aborted; from += PORTION) {
        const some = triples.slice(from, from + PORTION);
        const without = await table.answers(some, false);
        const all = await table.answers(some, true);
        for (const [i, answer] of answers.slice(from, from + PORTION).entries()) {
          right.without += Number(without[i] === answer);
          right.all += Number(all[i] === answer);
        }
        const done = from + some.length;
        yield {
          progress: done / triples.length,
          note: `${count(done)} questions: ${count(right.without)} right where a, b and c are left out, ${count(right.all)} among all ${table.noun}s.`,
        };
      }
    },
    async *whole(_, __, { table }, signal) {
      yield { progress: 0, note: "Computing beside the page …" };
      const { projected, ratio } = await components(table, signal);
      const held = summed(ratio);
      yield {
        progress: 1,
        note: `The first two components hold ${percent(held[1])} of the whole.`,
        projected,
        ratio,
      };
    },
  },

  data: [tableUrl, listUrl],
  code: {
    nearest(_, { word, metric, neighbors }, { table }) {
      const [id] = asked(table, word, "paris").ids;
      const measure = metrics[/** @type {"dot"} */ (metric)];
      return programOf(table, nearestProgram(table, { id, k: neighbors, metric, measure }));
    },
    async map(_, { yours, axes }, { table }) {
      const { ids, groups } = await grouped(table, yours);
      return programOf(table, mapProgram(table, { ids, groups, first: Number(axes) }));
    },
  },
});

/** @param {Table} table @param {string} code */
function programOf({ noun }, code) {
  return noun === "word" ? code : { code, elsewhere: NO_NETWORK };
}

/**
 * Words by their scores.
 * @param {Table} table @param {import("../../app/models/rank.js").Ranking} found
 * @param {{title: string, yTitle: string}} titles
 */
function ranking({ words, noun }, found, titles) {
  return bar(
    Float32Array.from(found, ({ score }) => score),
    { labels: found.map(({ id }) => words[id]), xTitle: noun, horizontal: true, ...titles },
  );
}

/** a is to b as c is to: b - a + c. @param {readonly number[]} ids @returns {Triple} */
function stepOf([a, b, c]) {
  return [b, a, c];
}

/** The words nearest to b - a + c among all. @param {Table} table @param {string} a @param {string} b @param {string} c */
async function nearestToSum(table, a, b, c) {
  const found = await table.analogy(stepOf(idsOf(table, a, b, c)), 2, "cosine", true);
  return found.map(({ id, score }) => ({ word: table.words[id], score }));
}

/** Each country with each other: (country, its capital, another country), and the other's capital. @param {Table} table */
function questions(table) {
  const pairs = capitals
    .map((pair) => pair.map((word) => table.wordOf(word)))
    .filter((ids) => Math.min(...ids) >= 0);
  const both = pairs.flatMap((one) =>
    pairs.filter((other) => other !== one).map((other) => [...one, ...other]),
  );
  return {
    triples: both.map((ids) => stepOf(ids.slice(0, 3))),
    answers: both.map((ids) => ids[3]),
  };
}

/** The first components of all rows, beside the page. @param {Table} table @param {AbortSignal} [signal] */
async function components(table, signal = new AbortController().signal) {
  const k = Math.min(COUNTED, table.dim);
  const { projected, ratio } = await table.components(undefined, k, signal);
  return { projected: { data: projected, shape: [table.size, k] }, ratio };
}

/** A column of a matrix and the next one, as points. @param {{data: ArrayLike<number>, shape: readonly number[]}} matrix @param {number} first */
function points({ data, shape }, first) {
  const [N, D] = shape;
  const chosen = Float32Array.from(
    { length: 2 * N },
    (_, i) => data[Math.floor(i / 2) * D + first + (i % 2)],
  );
  return { data: chosen, shape: [N, 2] };
}

/** @param {string} what @param {string} first */
function axisTitles(what, first) {
  return { xTitle: `${what} ${first}`, yTitle: `${what} ${Number(first) + 1}` };
}

/** Running sums. @param {ArrayLike<number>} parts @returns {number[]} */
function summed(parts) {
  let sum = 0;
  return Array.from(parts, (part) => (sum += part));
}

/** @param {Table} table @param {number[]} ids */
function listed({ words }, ids) {
  return ids.map((id) => words[id]).join(", ");
}

/** @param {number} share */
function percent(share) {
  return `${brief(share * 100)} %`;
}
