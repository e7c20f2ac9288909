/** @import { Phasor, Tensor } from "phasor" */
/** @import { Values } from "../../site/controls.js" */
/** @import { Vocabulary } from "../../text/tokens.js" */
import { beside } from "../../site/columns.js";
import { lesson } from "../../site/lesson.js";
import { brief, count } from "../../site/numbers.js";
import { bar, scatter, waves } from "../../site/pictures.js";
import { remembered } from "../../site/remembered.js";
import { work } from "../../site/work.js";
import { known } from "../../text/tokens.js";
import { DIM, listUrl, loadWords, tableUrl } from "../../text/words.js";
import { capitals, groups } from "./groups.js";

/** Answers to an analogy that are shown, and questions asked at a time. */
const ANSWERS = 10;
const PORTION = 10;

/** Words at the ends of the lengths that are named. */
const ENDS = 6;

/** The reader's words on the map. */
const MOST = 12;

/** Components that are counted up. */
const COUNTED = 60;

/** Seed of the random rows that words are compared with. */
const SEED = 1;

const metrics = { cosine: "cosine", dot: "product", euclidean: "distance" };

/** How programs read the table. */
const READING = `
const [table, list] = await Promise.all([
  fetch(${JSON.stringify(tableUrl)}),
  fetch(${JSON.stringify(listUrl)}),
]);
const file = await safetensors.read(await table.blob());
const rows = await file.tensor("embedding.weight", { scale: "embedding.scale" });
const words = (await list.text()).trimEnd().split("\\n");
`;

/** @typedef {{labels: string[], ids: number[], lacking: string}} Known */

/** Words of a text that have a row, or else those of another text. */
const named = remembered(given);
const asked = remembered(given);

/** @param {Vocabulary} vocabulary @param {string} text @param {string} otherwise @returns {Known} */
function given(vocabulary, text, otherwise) {
  const typed = known(vocabulary, text);
  return typed.ids.length > 0
    ? typed
    : {
        ...known(vocabulary, otherwise),
        lacking: `${typed.lacking} “${otherwise}” is taken.`.trim(),
      };
}

/** The words of an analogy: three of those typed, the last ones of “man king woman” if they are fewer. */
const tripleOf = remembered(
  /** @param {Vocabulary} vocabulary @param {string} text */
  (vocabulary, text) => {
    const typed = known(vocabulary, text);
    const rest = known(vocabulary, "man king woman");
    const n = Math.min(3, typed.ids.length);
    return {
      labels: [...typed.labels.slice(0, n), ...rest.labels.slice(n)],
      ids: [...typed.ids.slice(0, n), ...rest.ids.slice(n)],
      lacking: typed.lacking,
    };
  },
);

/** The lengths of all rows by rank, as points. */
const lengthsOf = remembered(
  /** @param {Phasor} phasor @param {Tensor} rows */
  ({ statistics }, rows) => {
    const lengths = Array.from(statistics.norms(rows).data, Number);
    const data = Float32Array.from({ length: 2 * lengths.length }, (_, i) =>
      i % 2 === 0 ? i / 2 + 1 : lengths[(i - 1) / 2],
    );
    const order = [...lengths.keys()].sort((a, b) => lengths[a] - lengths[b]);
    return { lengths, order, points: { data, shape: [lengths.length, 2] } };
  },
);

/** The words of the map with their groups. */
const grouped = remembered(
  /** @param {Vocabulary} vocabulary @param {string} yours */
  (vocabulary, yours) => {
    const own = known(vocabulary, yours);
    /** @type {Map<number, {label: string, group: string}>} */
    const words = new Map();
    for (const [group, text] of Object.entries(groups)) {
      const { ids, labels } = known(vocabulary, text);
      for (const [i, id] of ids.entries()) words.set(id, { label: labels[i], group });
    }
    for (const [i, id] of own.ids.slice(0, MOST).entries()) {
      words.set(id, { label: own.labels[i], group: "yours" });
    }
    // By rank, so that groups have the same colours here and among all words.
    const all = [...words].sort(([a], [b]) => a - b);
    const ids = all.map(([id]) => id);
    return {
      ids,
      labels: all.map(([, { label }]) => label),
      groups: all.map(([, { group }]) => group),
      lacking: own.lacking,
      rows: vocabulary.table(0, 0).lookup(ids),
    };
  },
);

/** Their principal components, and those of as many random rows. */
const componentsOf = remembered(
  /** @param {Phasor} phasor @param {Tensor} rows */
  ({ pca }, rows) => pca(rows, { components: COUNTED }),
);
const randomOf = remembered(
  /** @param {Phasor} phasor @param {number} length */
  (phasor, length) => {
    const table = phasor.embedding.create(length, DIM, { std: 1, seed: SEED });
    const rows = table.weights();
    table.dispose();
    const { explainedVarianceRatio } = phasor.pca(rows, { components: COUNTED });
    return { ratio: explainedVarianceRatio.data, rank: phasor.statistics.effectiveRank(rows) };
  },
);

/** The components of all rows, in the worker. */
const wholeOf = remembered((/** @type {Tensor} */ rows) => components(rows));

lesson({
  async prepare(phasor) {
    const vocabulary = await loadWords(phasor);
    const rows = vocabulary.table(0, 0).weights();
    return { vocabulary, rows, index: phasor.nearest.index(rows) };
  },

  pictures: {
    lengths(phasor, { marked }, { vocabulary, rows }) {
      const { ids } = named(vocabulary, marked, "the");
      const isNamed = new Set(ids);
      return scatter(lengthsOf(phasor, rows).points, {
        title: `How long ${count(vocabulary.size)} rows are`,
        labels: vocabulary.words,
        groups: Array.from({ length: vocabulary.size }, (_, id) =>
          isNamed.has(id) ? "named" : null,
        ),
        highlight: ids,
        xTitle: "rank by frequency",
        yTitle: "length",
      });
    },

    nearest(_, { word, metric, neighbours }, { vocabulary, rows, index }) {
      const { labels, ids } = asked(vocabulary, word, "paris");
      const found = index.search(rows.row(ids[0]), { k: neighbours, metric, exclude: [ids[0]] });
      return ranking(vocabulary, found, {
        title: `Nearest to “${labels[0]}”`,
        yTitle: metrics[/** @type {"dot"} */ (metric)],
      });
    },

    analogy(phasor, { triple, without }, { vocabulary, index }) {
      const { labels, ids } = tripleOf(vocabulary, triple);
      const [a, b, c] = labels;
      const found = without
        ? index.analogy(ids, { k: ANSWERS })
        : index.search(sums(phasor, vocabulary, [ids]).row(0), { k: ANSWERS });
      return ranking(vocabulary, found, {
        title: `“${a}” is to “${b}” as “${c}” is to …`,
        yTitle: `cosine with ${b} − ${a} + ${c}`,
      });
    },

    map(phasor, { yours, axes }, { vocabulary }) {
      const { rows, labels, groups } = grouped(vocabulary, yours);
      const { projected } = componentsOf(phasor, rows);
      return scatter(points(projected, Number(axes) - 1), {
        title: `${count(labels.length)} words by their own components ${axes} and ${Number(axes) + 1}`,
        labels,
        groups,
        ...axisTitles("component", axes),
      });
    },

    all(_, { yours, axes }, { vocabulary, rows, whole }) {
      const { ids, groups } = grouped(vocabulary, yours);
      const group = new Map(ids.map((id, i) => [id, groups[i]]));
      const what = whole?.projected ? "component" : "number";
      return scatter(points(whole?.projected ?? rows, Number(axes) - 1), {
        title: `All ${count(vocabulary.size)} words by ${what}s ${axes} and ${Number(axes) + 1} of ${DIM}`,
        labels: vocabulary.words,
        groups: Array.from({ length: vocabulary.size }, (_, id) => group.get(id) ?? null),
        highlight: ids,
        ...axisTitles(what, axes),
      });
    },

    shares(phasor, { yours }, { vocabulary, whole }) {
      const { rows, ids } = grouped(vocabulary, yours);
      const lines = {
        [`the ${ids.length} words of the map`]: componentsOf(phasor, rows).explainedVarianceRatio
          .data,
        "as many random rows": randomOf(phasor, ids.length).ratio,
        ...(whole?.ratio && { [`all ${count(vocabulary.size)} words`]: whole.ratio.data }),
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
    size: (_, __, { vocabulary }) => count(vocabulary.size),
    width: () => count(DIM),
    countries: () => count(capitals.length),
    "missing-marked": (_, { marked }, { vocabulary }) => named(vocabulary, marked, "the").lacking,
    "missing-word": (_, { word }, { vocabulary }) => asked(vocabulary, word, "paris").lacking,
    "missing-triple": (_, { triple }, { vocabulary }) => tripleOf(vocabulary, triple).lacking,
    "missing-yours": (_, { yours }, { vocabulary }) => grouped(vocabulary, yours).lacking,
    longest: (phasor, _, { vocabulary, rows }) =>
      listed(vocabulary, lengthsOf(phasor, rows).order.slice(-ENDS).reverse()),
    shortest: (phasor, _, { vocabulary, rows }) =>
      listed(vocabulary, lengthsOf(phasor, rows).order.slice(0, ENDS)),
    rank: (phasor, { yours }, { vocabulary }) =>
      brief(phasor.statistics.effectiveRank(grouped(vocabulary, yours).rows)),
    "random-rank": (phasor, { yours }, { vocabulary }) =>
      brief(randomOf(phasor, grouped(vocabulary, yours).ids.length).rank),
  },

  questions: {
    frequent({ statistics }, _, { rows }) {
      const [first, last] = [rows.slice(0, 1000), rows.slice(-1000)].map((some) =>
        statistics.summary(some),
      );
      const ratio = first.mean / last.mean;
      return {
        answer: ratio > 1.05 ? "longer" : ratio < 1 / 1.05 ? "shorter" : "same",
        because: `The mean is ${brief(first.mean)} in the first thousand and ${brief(last.mean)} in the last. But within the last thousand alone they go from ${brief(last.min)} to ${brief(last.max)}.`,
      };
    },
    hot(phasor, _, { vocabulary }) {
      const { ids } = known(vocabulary, "hot warm cold");
      const rows = vocabulary.table(0, 0).lookup(ids);
      const [warm, cold] = [1, 2].map((i) => phasor.similarity.pair(rows.row(0), rows.row(i)));
      return {
        answer: Math.max(warm, cold) < 0.3 ? "neither" : warm > cold ? "warm" : "cold",
        because: `Hot and warm have ${brief(warm)}, hot and cold ${brief(cold)}.`,
      };
    },
    king(phasor, _, made) {
      const { words, scores } = nearestToSum(phasor, made, "man king woman");
      const { ids } = known(made.vocabulary, "man woman");
      const step = phasor.similarity.pair(made.rows.row(ids[0]), made.rows.row(ids[1]));
      return {
        answer: words[0],
        because: `“${words[0]}” has a cosine of ${brief(scores[0])} with it, “${words[1]}” ${brief(scores[1])}. Man and woman have ${brief(step)}, so the step from one to the other is short.`,
      };
    },
    async share(_, __, { rows }) {
      const ratio = summed((await wholeOf(rows)).ratio.data);
      return {
        answer: ratio[1] < 0.25 ? "tenth" : ratio[1] < 0.75 ? "half" : "most",
        because: `The first component holds ${percent(ratio[0])}, the two together ${percent(ratio[1])}. Ten hold ${percent(ratio[9])}.`,
      };
    },
    "exercise-doctor"(phasor, _, made) {
      const { words, scores } = nearestToSum(phasor, made, "man doctor woman");
      return {
        answer: words[0],
        because: `“${words[0]}” has a cosine of ${brief(scores[0])} with it, “${words[1]}” ${brief(scores[1])}. With the three words left out, “${words[1]}” is what remains. The table has learned from its texts who is called what, prejudices included.`,
      };
    },
    async "exercise-half"(_, __, { rows }) {
      const ratio = summed((await wholeOf(rows)).ratio.data);
      const k = ratio.findIndex((share) => share >= 0.5);
      return {
        answer: k + 1,
        because: `${count(k)} hold ${percent(ratio[k - 1])}, ${count(k + 1)} hold ${percent(ratio[k])}.`,
      };
    },
  },

  actions: {
    async *capitals(phasor, _, { vocabulary, index }) {
      const { triples, answers } = questions(vocabulary);
      const right = { without: 0, all: 0 };
      for (let from = 0; from < triples.length; from += PORTION) {
        const some = triples.slice(from, from + PORTION);
        const without = index.analogy(some, { k: 1 }).ids.data;
        const all = index.search(sums(phasor, vocabulary, some), { k: 1 }).ids.data;
        for (const [i, answer] of answers.slice(from, from + PORTION).entries()) {
          right.without += Number(without[i] === answer);
          right.all += Number(all[i] === answer);
        }
        const done = from + some.length;
        yield {
          progress: done / triples.length,
          note: `${count(done)} questions: ${count(right.without)} right where a, b and c are left out, ${count(right.all)} among all words.`,
        };
      }
    },
    async *whole(_, __, { rows }, signal) {
      yield { progress: 0, note: "Computing beside the page …" };
      const { projected, ratio } = await components(rows, signal);
      const held = summed(ratio.data);
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
    nearest(_, { word, metric, neighbours }, { vocabulary }) {
      const [label] = asked(vocabulary, word, "paris").labels;
      return `import * as Plot from "@observablehq/plot";
import { load } from "phasor";
import { safetensors } from "phasor/files";
import { figures } from "phasor/plots";

const { nearest } = await load();
const { bar } = figures({ Plot });
${READING}
const id = words.indexOf(${JSON.stringify(label)});
const found = nearest(rows, rows.row(id), { k: ${neighbours}, metric: "${metric}", exclude: [id] });
display(
  bar(found.scores, {
    labels: Array.from(found.ids.data, (id) => words[id]),
    xTitle: "word",
    yTitle: "${metrics[/** @type {"dot"} */ (metric)]}",
    horizontal: true,
  }),
);

const [man, king, woman] = ["man", "king", "woman"].map((word) => words.indexOf(word));
const answers = nearest.analogy(rows, [man, king, woman], { k: 5 });
display(Array.from(answers.ids.data, (id) => words[id]));
`;
    },
    map(_, { yours, axes }, { vocabulary }) {
      const { labels, groups } = grouped(vocabulary, yours);
      const kinds = [...new Set(groups)].map((group) => {
        const words = labels.filter((_, i) => groups[i] === group);
        return `  ${group}: ${JSON.stringify(words.join(" "))},`;
      });
      return `import { load } from "phasor";
import { safetensors } from "phasor/files";
import { figures } from "phasor/plots";

const { pca } = await load();
const { scatter } = figures();
${READING}
const groups = {
${kinds.join("\n")}
};
const chosen = Object.entries(groups).flatMap(([group, list]) =>
  list.split(" ").map((word) => ({ word, group, row: rows.row(words.indexOf(word)).data })),
);

const { projected, explainedVarianceRatio } = pca(
  chosen.map(({ row }) => row),
  { components: 6 },
);
display(
  scatter(
    Array.from(projected, ({ data }) => data.slice(${Number(axes) - 1}, ${Number(axes) + 1})),
    { labels: chosen.map(({ word }) => word), groups: chosen.map(({ group }) => group) },
  ),
);
display(explainedVarianceRatio);
`;
    },
  },
});

/**
 * Words by their scores.
 * @param {{words: string[]}} vocabulary @param {{ids: Tensor<Int32Array>, scores: Tensor}} found
 * @param {{title: string, yTitle: string}} titles
 */
function ranking({ words }, { ids, scores }, titles) {
  return bar(scores, {
    labels: Array.from(ids.data, (id) => words[id]),
    xTitle: "word",
    horizontal: true,
    ...titles,
  });
}

/**
 * b - a + c of rows of length 1: [triples, D].
 * @param {Phasor} phasor @param {Vocabulary} vocabulary @param {number[][]} triples
 */
function sums({ bag, statistics }, vocabulary, triples) {
  const table = vocabulary.table(0, 0);
  const lengths = statistics.norms(table.lookup(triples));
  const signs = [-1, 1, 1];
  const data = Float32Array.from(lengths.data, (length, i) => signs[i % 3] / length);
  const bags = bag.create(table, { mode: "sum" });
  return bags.pool(triples, { perSampleWeights: { data, shape: lengths.shape } });
}

/** The three words nearest to b - a + c among all. @param {Phasor} phasor @param {Values} made @param {string} text */
function nearestToSum(phasor, { vocabulary, index }, text) {
  const { ids } = known(vocabulary, text);
  const found = index.search(sums(phasor, vocabulary, [ids]).row(0), { k: 3 });
  return {
    words: Array.from(found.ids.data, (id) => vocabulary.words[id]),
    scores: Array.from(found.scores.data, Number),
  };
}

/** Each country with each other: (country, its capital, another country), and the other's capital. @param {Vocabulary} vocabulary */
function questions(vocabulary) {
  const pairs = capitals.map((pair) => known(vocabulary, pair.join(" ")).ids);
  const both = pairs.flatMap((one) =>
    pairs.filter((other) => other !== one).map((other) => [...one, ...other]),
  );
  return {
    triples: both.map((ids) => ids.slice(0, 3)),
    answers: both.map((ids) => ids[3]),
  };
}

/** All components, in the worker. @param {Tensor} rows @param {AbortSignal} [signal] */
function components({ data, shape }, signal) {
  return work("pca", { points: { data, shape }, components: DIM }, { signal });
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

/** @param {{words: string[]}} vocabulary @param {number[]} ids */
function listed({ words }, ids) {
  return ids.map((id) => words[id]).join(", ");
}

/** @param {number} share */
function percent(share) {
  return `${brief(share * 100)} %`;
}
