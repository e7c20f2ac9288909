/** @import { Phasor, Tensor } from "phasor" */
/** @import { Table } from "../../app/models/table.js" */
/** @import { Triple } from "../../app/models/rank.js" */
/** @import { Plain } from "../../app/models/rank.js" */
import { modelTable } from "../../app/models/opened.js";
import { opener } from "../../app/models/opener.js";
import { gloveTable } from "../../app/models/table.js";
import { arrows } from "../../app/arrows.js";
import { beside } from "../../app/columns.js";
import { byId } from "../../app/dom.js";
import { page } from "../../app/page.js";
import { apart, brief, count } from "../../app/numbers.js";
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

/** The share that each option of its question names. @type {Record<string, number>} */
const shareOf = { tenth: 0.1, half: 0.5, most: 0.9 };

const metrics = { cosine: "cosine", dot: "dot product", euclidean: "distance" };

/** Occupations of the question about prejudice, how far from 0 a difference is seen, and the most words compared. */
const JOBS = "engineer nurse dancer teacher boss doctor";
const SEEN = 0.05;
const JOBS_SHOWN = 20;

/** The plane of two arrows. */
const EXTENT = 4;
const STEP = 0.5;

/** Words of a text that have a row, or else those of another text, or else any. */
const named = remembered(given);
const asked = remembered(given);

/** @param {Table} table @param {string} text @param {string} otherwise */
function given(table, text, otherwise) {
  const typed = known(table, text);
  if (typed.ids.length > 0) return typed;
  const [id = spread(table, 1)[0]] = known(table, otherwise).ids;
  const lacking = `${typed.lacking} “${table.words[id]}” is used instead.`.trim();
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

/** The words whose leaning is shown. */
const jobsOf = remembered(
  /** @param {Table} table @param {string} text */
  (table, text) => {
    const { ids, labels, lacking } = given(table, text, "doctor");
    return { ids: ids.slice(0, JOBS_SHOWN), labels: labels.slice(0, JOBS_SHOWN), lacking };
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

/** How many words of the groups there are, and for how many the nearest other one is of the same group. */
const kin = remembered(
  /** @param {Phasor} phasor @param {Table} table */
  async ({ similarity }, table) => {
    const { ids, groups: kinds, rows } = await grouped(table, "");
    if (!kinds.includes("animals")) throw new RangeError(`${table.about.name} lacks these words`);
    const { data } = similarity.matrix(rows, rows, { metric: "euclidean" });
    const N = ids.length;
    const near = ids.map((_, i) => {
      const others = ids.map((_, j) => j).filter((j) => j !== i);
      return others.reduce((best, j) => (data[i * N + j] < data[i * N + best] ? j : best));
    });
    return { all: N, same: near.filter((j, i) => kinds[i] === kinds[j]).length };
  },
);

/** Cosines with she less cosines with he. @param {Table} table @param {readonly number[]} ids */
async function leanings(table, ids) {
  const both = ["she", "he"].map(table.wordOf);
  if (Math.min(...both) < 0) throw new RangeError(`${table.about.name} lacks “she” or “he”`);
  const all = [...both, ...ids];
  const { data } = await table.cosines(all);
  return ids.map((_, i) => Number(data[i + 2]) - Number(data[all.length + i + 2]));
}

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

/** GloVe's table, which is read once. */
const gloveOf = remembered(gloveTable);

page({
  subject: "token",

  later: { table: gloveOf },

  begin({ phasor, change, cell }) {
    const show = arrows(byId("plane"), { extent: EXTENT, step: STEP });
    cell(
      (controls) => {
        const { a, b } = planeOf(controls);
        return measured(phasor, a, b);
      },
      ({ a, b, angle }) =>
        show({
          arrows: [
            { name: "a", x: a[0], y: a[1], kind: "token", controls: ["ax", "ay"] },
            { name: "b", x: b[0], y: b[1], kind: "context", controls: ["bx", "by"] },
          ],
          angle: true,
          label: `Two arrows from the origin: a to (${a.map(brief).join(", ")}) and b to (${b.map(brief).join(", ")})${angle}`,
        }),
    );
    /** The model that is open, if not GloVe. @type {Table | undefined} */
    let own;
    const place = /** @type {HTMLDetailsElement} */ (document.querySelector("details.opening"));
    place.open ||= /** @type {HTMLInputElement} */ (byId("model")).value !== ""; // a link that names one
    opener({
      open: modelTable,
      async opened(next) {
        const before = own;
        own = next;
        for (const part of document.querySelectorAll("[data-of]")) {
          const isGlove = /** @type {HTMLElement} */ (part).dataset.of === "glove";
          /** @type {HTMLElement} */ (part).hidden = isGlove !== (next === undefined);
        }
        change({ table: next ?? (await gloveOf(phasor)) });
        if (before !== next) before?.close();
      },
    });
  },

  pictures: {
    measures(phasor, controls) {
      const { a, b } = planeOf(controls);
      const { dot, cosine, lengths } = measured(phasor, a, b);
      return bar([dot, ...lengths, cosine], {
        title: "Measures of the two vectors",
        labels: ["dot product", "length of a", "length of b", "cosine"],
        xTitle: "measure",
        yTitle: "value",
        horizontal: true,
      });
    },

    async leaning(_, { jobs }, { table, guess }) {
      const { ids, labels } = jobsOf(table, jobs);
      const values = await leanings(table, ids);
      const order = values.map((_, i) => i).sort((i, j) => values[j] - values[i]);
      return bar(
        order.map((i) => values[i]),
        {
          title: "Cosine with “she” minus cosine with “he”",
          labels: order.map((i) => labels[i]),
          groups: order.map((i) => (values[i] > 0 ? "nearer to she" : "nearer to he")),
          xTitle: table.noun,
          yTitle: "difference of cosines",
          horizontal: true,
          ...(guess.bias === "zero" && { rule: { value: SEEN, label: "your guess: none above" } }),
          ...(guess.bias === "he" && { rule: { value: 0, label: "your guess: none above 0" } }),
        },
      );
    },

    lengths(_, { marked }, { table }) {
      const { ids } = named(table, marked, "the");
      const isNamed = new Set(ids);
      return scatter(lengthsOf(table).points, {
        title: `The lengths of ${count(table.size)} vectors`,
        labels: table.words,
        groups: Array.from({ length: table.size }, (_, id) => (isNamed.has(id) ? "named" : null)),
        highlight: ids,
        xTitle: table.noun === "word" ? "rank by frequency" : "index in the vocabulary",
        yTitle: "length",
      });
    },

    async nearest(_, { word, metric, neighbors }, { table, guess }) {
      const { labels, ids } = asked(table, word, "dog");
      return ranking(
        table,
        await table.neighbors(ids[0], neighbors, metric),
        {
          title: `Nearest to “${labels[0]}”`,
          yTitle: metrics[/** @type {"dot"} */ (metric)],
        },
        labels[0] === "hot" ? guess.hot : undefined,
      );
    },

    async analogy(_, { triple, without }, { table, guess }) {
      const { labels, ids } = tripleOf(table, triple);
      const [a, b, c] = labels;
      const found = await table.analogy(stepOf(ids), ANSWERS, "cosine", !without);
      return ranking(
        table,
        found,
        {
          title: `“${a}” is to “${b}” as “${c}” is to …`,
          yTitle: `cosine with ${b} − ${a} + ${c}`,
        },
        guess.king,
      );
    },

    async map(phasor, { yours, axes }, { table }) {
      const { rows, labels, groups } = await grouped(table, yours);
      const { projected } = componentsOf(phasor, rows);
      return scatter(points(projected, Number(axes) - 1), {
        title: `${count(labels.length)} ${table.noun}s by their principal components ${axes} and ${Number(axes) + 1}`,
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

    async shares(phasor, { yours }, { table, whole, guess }) {
      const { rows, ids } = await grouped(table, yours);
      const ratio = whole?.ratio ?? (guess.share && (await wholeOf(table)).ratio);
      const lines = {
        [`the ${ids.length} ${table.noun}s of the map`]: componentsOf(phasor, rows)
          .explainedVarianceRatio.data,
        "as many random vectors": randomOf(phasor, ids.length, table.dim).ratio,
        ...(ratio && { [`all ${count(table.size)} ${table.noun}s`]: ratio }),
      };
      const held = Object.values(lines).map((ratio) => summed(ratio).slice(0, COUNTED));
      return waves(beside(held), {
        title: "The share of the variance that the first components capture",
        labels: Object.keys(lines),
        x: held[0].map((_, k) => k + 1),
        xTitle: "components",
        yTitle: "share",
        yDomain: [0, 1],
        rules: shareOf[guess.share] ? [{ y: shareOf[guess.share], label: "your guess" }] : [],
      });
    },
  },

  facts: {
    grouped: () => count(Object.values(groups).join(" ").split(" ").length),
    product(phasor, controls) {
      const { a, b } = planeOf(controls);
      const { dot, lengths, cosine } = measured(phasor, a, b);
      const parts = a.map((x, i) => `${brief(x)} · ${brief(b[i])}`).join(" + ");
      const divided = `${brief(dot)} / (${lengths.map(brief).join(" · ")})`;
      return Number.isNaN(cosine)
        ? `a · b = ${parts} = ${brief(dot)}. A vector of length 0 has no direction, so there is no cosine.`
        : `a · b = ${parts} = ${brief(dot)}; the cosine is ${divided} = ${brief(cosine)}.`;
    },
    "missing-jobs": (_, { jobs }, { table }) => jobsOf(table, jobs).lacking,
    "mean-cosine": async (_, __, { table }) => brief((await table.statistics()).meanCosine),
    model: (_, __, { table }) => table.about.name,
    size: (_, __, { table }) => count(table.size),
    width: (_, __, { table }) => count(table.dim),
    countries: () => count(capitals.length),
    "missing-marked": (_, { marked }, { table }) => named(table, marked, "the").lacking,
    "missing-word": (_, { word }, { table }) => asked(table, word, "dog").lacking,
    "missing-triple": (_, { triple }, { table }) => tripleOf(table, triple).lacking,
    "missing-yours": async (_, { yours }, { table }) => (await grouped(table, yours)).lacking,
    longest: (_, __, { table }) => listed(table, lengthsOf(table).order.slice(-ENDS).reverse()),
    ranked: (_, __, { table }) => percent(shareOfRank(table)),
    shortest: (_, __, { table }) => listed(table, lengthsOf(table).order.slice(0, ENDS)),
    rank: async (phasor, { yours }, { table }) =>
      brief(phasor.statistics.effectiveRank((await grouped(table, yours)).rows)),
    "random-rank": async (phasor, { yours }, { table }) => {
      const { ids } = await grouped(table, yours);
      return brief(randomOf(phasor, ids.length, table.dim).rank);
    },
  },

  questions: {
    async groups(phasor, _, { table }) {
      const { all, same } = await kin(phasor, table);
      const found = `For ${count(same)} of ${count(all)} words, the nearest other word is of the same kind.`;
      return {
        answer: same > 0.9 * all ? "most" : same > 0.3 * all ? "half" : "seventh",
        because: {
          seventh: `That would be chance. But words of the same kind occur near the same words. ${found}`,
          half: `Words of the same kind occur in nearly the same contexts, and contexts are all that training sees. ${found}`,
          most: found,
        },
      };
    },

    longer(phasor) {
      const [once, twice] = [1, 2].map((factor) => measured(phasor, [3, 1], [factor, 2 * factor]));
      const found = `For a = (3, 1), b = (1, 2) and (2, 4): the dot products are ${brief(once.dot)} and ${brief(twice.dot)}, the cosines ${brief(once.cosine)} and ${brief(twice.cosine)}.`;
      const same = Math.abs(once.cosine - twice.cosine) < 1e-6;
      return {
        answer: !same ? "both" : twice.dot === once.dot ? "neither" : "dot",
        because: {
          both: `The cosine divides by the length of b, which doubles as well. ${found}`,
          dot: found,
          neither: `The dot product depends on the lengths, too: each of its terms contains a number of b. ${found}`,
        },
      };
    },

    frequent(_, __, { table }) {
      const n = Math.min(COMPARED, Math.floor(table.size / 2));
      const lengths = Array.from(/** @type {ArrayLike<number>} */ (table.lengths));
      const [first, last] = [lengths.slice(0, n), lengths.slice(-n)];
      const [before, after] = [first, last].map(
        (some) => some.reduce((sum, length) => sum + length, 0) / n,
      );
      const ratio = before / after;
      const found = `The mean length of the first ${count(n)} vectors is ${brief(before)}, that of the last ${count(n)} is ${brief(after)}. But among the last alone, lengths range from ${apart([Math.min(...last), Math.max(...last)]).join(" to ")}.`;
      return {
        answer: ratio > 1.05 ? "longer" : ratio < 1 / 1.05 ? "shorter" : "same",
        because: {
          longer: `${found} The table does not say why. Training updates frequent words more often, but it also pulls them in many directions.`,
          same: found,
          shorter: `Words that occur in all contexts are pulled in many directions, which might cancel out. ${found}`,
        },
      };
    },

    async hot(_, __, { table }) {
      const { data } = await table.cosines(idsOf(table, "hot", "warm", "cold"));
      const [, warm, cold] = data;
      const found = `The cosine of hot and warm is ${brief(warm)}, that of hot and cold ${brief(cold)}.`;
      return {
        answer: Math.max(warm, cold) < 0.3 ? "neither" : warm > cold ? "warm" : "cold",
        because: {
          warm: `Training sees contexts, not meanings. ${found}`,
          cold: `Both occur near the same words: water, weather, drinks. ${found}`,
          neither: `All three words describe temperature, so they share contexts. ${found}`,
        },
      };
    },

    async king(_, __, { table }) {
      const [first, second] = await nearestToSum(table, "man", "king", "woman");
      const { data } = await table.cosines(idsOf(table, "man", "woman"));
      const found = `“${first.word}” has a cosine of ${brief(first.score)} with the sum, “${second.word}” ${brief(second.score)}.`;
      const step = `Man and woman have a cosine of ${brief(data[1])}, so the step from one to the other is short.`;
      return {
        answer: plain(first.word),
        because: {
          queen: `That is the usual answer, because the three query words are excluded. ${found} ${step}`,
          woman: `The sum contains woman, but it also contains king, and subtracting man removes little of that. ${found}`,
          king: `${found} ${step}`,
        },
      };
    },

    async bias(_, __, { table }) {
      const ids = idsOf(table, ...JOBS.split(" "));
      const values = await leanings(table, ids);
      const [most, least] = [Math.max(...values), Math.min(...values)];
      const word = (/** @type {number} */ value) => table.words[ids[values.indexOf(value)]];
      const found = `“${word(most)}” has ${brief(most)}, “${word(least)}” has ${brief(least)}.`;
      const mixed = most > SEEN && least < -SEEN;
      return {
        answer: mixed ? "mixed" : most < 0 ? "he" : "zero",
        because: {
          zero: `A dictionary gives these words no gender, but the texts do. ${found}`,
          mixed: found,
          he: `Then all words would lean toward he, but the texts distinguish between occupations. ${found}`,
        },
      };
    },

    async share(_, __, { table }) {
      const ratio = summed((await wholeOf(table)).ratio);
      const found = `The first component captures ${percent(ratio[0])}, the first two ${percent(ratio[1])}, the first ten ${percent(ratio[9])}.`;
      return {
        answer: ratio[1] < 0.25 ? "tenth" : ratio[1] < 0.75 ? "half" : "most",
        because: {
          tenth: `There are ${count(table.dim)} directions, and words differ in most of them. ${found}`,
          half: `A map looks convincing, but most of the variance is in other directions. ${found}`,
          most: `Then two numbers per word would be enough, and training would not need ${count(table.dim)}. ${found}`,
        },
      };
    },

    async "exercise-doctor"(_, __, { table }) {
      const [first] = await nearestToSum(table, "man", "doctor", "woman");
      const others = stepOf(idsOf(table, "man", "doctor", "woman"));
      const [left] = await table.analogy(others, 1, "cosine", false);
      return {
        answer: plain(first.word),
        because: {
          nurse:
            "That is the answer once the three query words are excluded. The question asks about all words.",
          doctor: `“${first.word}” has a cosine of ${brief(first.score)} with the sum, “${table.words[left.id]}” ${brief(left.score)}. Once the three query words are excluded, “${table.words[left.id]}” comes first.`,
          physician: "It has nearly the same meaning, but a synonym is not the same vector.",
        },
      };
    },

    "exercise-cosine"(phasor) {
      const { dot, cosine, lengths } = measured(phasor, [3, 4], [4, 3]);
      return {
        answer: cosine,
        within: 0.001,
        because: `The dot product is 3 · 4 + 4 · 3 = ${brief(dot)}, both lengths are ${brief(lengths[0])}, and ${brief(dot)} / ${brief(lengths[0] ** 2)} = ${brief(cosine)}.`,
        near: [
          { value: dot, because: "That is the dot product. Divide it by both lengths." },
          { value: dot / lengths[0], because: "You divided by one length. Both are needed." },
          {
            value: dot / 7 ** 2,
            within: 0.005,
            because: "A length is the square root of a sum of squares, not a plain sum.",
          },
        ],
      };
    },

    async "exercise-half"(_, __, { table }) {
      const squares = Array.from(await table.spectrum(), (s) => s * s);
      const total = squares.reduce((sum, square) => sum + square, 0);
      const ratio = summed(squares.map((square) => square / total));
      const k = ratio.findIndex((share) => share >= 0.5);
      return {
        answer: k + 1,
        because: `${count(k)} components capture ${percent(ratio[k - 1] ?? 0)}, ${count(k + 1)} capture ${percent(ratio[k])}.`,
        near: [
          {
            value: table.dim / 2,
            because: "That would be so if every direction contributed equally.",
          },
          { value: k, because: "Very close: these capture a little less than half." },
        ],
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
          note: `${count(done)} questions: ${count(right.without)} right with a, b and c excluded, ${count(right.all)} among all ${table.noun}s.`,
        };
      }
    },
    async *whole(_, __, { table }, signal) {
      yield { progress: 0, note: "Computing in the background …" };
      const { projected, ratio } = await components(table, signal);
      const held = summed(ratio);
      yield {
        progress: 1,
        note: `The first two components capture ${percent(held[1])} of the variance.`,
        projected,
        ratio,
      };
    },
  },

  data: [tableUrl, listUrl],
  code: {
    nearest(_, { word, metric, neighbors }, { table }) {
      const [id] = asked(table, word, "dog").ids;
      const measure = metrics[/** @type {"dot"} */ (metric)];
      return programOf(table, nearestProgram(table, { id, k: neighbors, metric, measure }));
    },
    async map(_, { yours, axes }, { table }) {
      const { ids, groups } = await grouped(table, yours);
      return programOf(table, mapProgram(table, { ids, groups, first: Number(axes) }));
    },
  },
});

/** The arrows of the plane. @param {import("../../app/controls.js").Values} controls */
function planeOf({ ax, ay, bx, by }) {
  return { a: [ax, ay], b: [bx, by] };
}

/** The share of the lengths' variance that a straight line over the logarithm of the rank has. @param {Table} table */
function shareOfRank({ lengths }) {
  const [x, y] = [
    (/** @type {number} */ i) => Math.log(i + 1),
    (/** @type {number} */ i) => lengths[i],
  ].map((of) => {
    const all = Float64Array.from(lengths, (_, i) => of(i));
    const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
    return all.map((value) => value - mean);
  });
  const dot = (/** @type {Float64Array} */ a, /** @type {Float64Array} */ b) =>
    a.reduce((sum, value, i) => sum + value * b[i], 0);
  return dot(x, y) ** 2 / (dot(x, x) * dot(y, y));
}

/** What is computed from two vectors. @param {Phasor} phasor @param {number[]} a @param {number[]} b */
function measured({ similarity, statistics }, a, b) {
  const lengths = Array.from(statistics.norms([a, b]).data, Number);
  const dot = similarity.pair(a, b, { metric: "dot" });
  const cosine = Math.min(...lengths) > 0 ? similarity.pair(a, b) : NaN;
  const degrees = (Math.acos(Math.max(-1, Math.min(1, cosine))) * 180) / Math.PI;
  const angle = Number.isNaN(cosine) ? "" : `, ${brief(degrees)} degrees apart`;
  return { a, b, dot, cosine, lengths, angle };
}

/** @param {Table} table @param {string} code */
function programOf({ noun }, code) {
  return noun === "word" ? code : { code, elsewhere: NO_NETWORK };
}

/**
 * Words by their scores.
 * @param {Table} table @param {import("../../app/models/rank.js").Ranking} found
 * @param {{title: string, yTitle: string}} titles
 * @param {string} [guess]  a word to mark
 */
function ranking({ words, noun }, found, titles, guess) {
  const isGuess = found.map(({ id }) => plain(words[id]) === guess);
  const groups = isGuess.map((is) => (is ? "your prediction" : `other ${noun}s`));
  return bar(
    Float32Array.from(found, ({ score }) => score),
    {
      labels: found.map(({ id }) => words[id]),
      xTitle: noun,
      horizontal: true,
      ...titles,
      ...(isGuess.includes(true) && { groups }),
    },
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

/** The first components of all rows, in a worker. @param {Table} table @param {AbortSignal} [signal] */
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
