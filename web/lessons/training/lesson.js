/** @import { Phasor, Tensor } from "phasor" */
/** @import { Vocabulary } from "../../app/text/tokens.js" */
/** @import { Reading } from "./text.js" */
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { bar, heatmap, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { known } from "../../app/text/tokens.js";
import { DIM, loadWords } from "../../app/text/words.js";
import { read } from "./text.js";

/** Passes over the text, how many of them between two pictures, and the length of a step. */
const EPOCHS = 200;
const PORTION = 4;
const RATE = 0.1;

/** The maximal number of words drawn. */
const SHOWN = 40;

/** Words compared in GloVe's table. */
const MOST = 12;

/** Sentences in which kings and queens stand beside the same words and never meet. */
const FOUR = "Kings rule lands. Queens rule lands. Kings wear crowns. Queens wear crowns.";

/** @typedef {{dim: number, window: number, negatives: number, seed: number}} Settings */

const readOf = remembered(read);

/** A word and others that GloVe has. */
const chosen = remembered(
  /** @param {Vocabulary} vocabulary @param {string} word @param {string} others */
  (vocabulary, word, others) => {
    const typed = known(vocabulary, word);
    const rest = known(vocabulary, others);
    const first = typed.ids.length > 0 ? typed : known(vocabulary, "king");
    const second = rest.ids.length > 0 ? rest : known(vocabulary, "queen");
    return {
      word: first.labels[0],
      others: second.labels.slice(0, MOST),
      ids: [first.ids[0], ...second.ids.slice(0, MOST)],
      lacking: [typed.lacking, rest.lacking].join(" "),
    };
  },
);

/** A model before its first step: its rows, its pairs, and its loss. */
const begun = remembered(
  /** @param {Phasor} phasor @param {Reading} reading @param {number} dim @param {number} window @param {number} negatives @param {number} seed */
  (phasor, { words, sentences }, dim, window, negatives, seed) => {
    const model = phasor.skipgram.create(words.length, dim, { window, negatives, seed });
    const state = {
      vectors: model.vectors(),
      pairs: model.pairs(sentences),
      loss: model.loss(sentences),
    };
    model.dispose();
    return state;
  },
);

/** @param {Phasor} phasor @param {import("../../app/controls.js").Values} controls */
function start(phasor, { text, compared, dim, window, negatives, seed }) {
  const reading = readOf(text, compared);
  return { reading, ...begun(phasor, reading, dim, window, negatives, seed) };
}

page({
  prepare: async (phasor) => ({ vocabulary: await loadWords(phasor) }),

  pictures: {
    cosines(phasor, { word, others, draw }, { vocabulary }) {
      const { ids, ...words } = chosen(vocabulary, word, others);
      const tables = [drawnRows(phasor, ids.length, draw), vocabulary.table(0, 0).lookup(ids)];
      const [drawn, trained] = tables.map((rows) =>
        numbers(phasor.similarity.matrix(rows.slice(0, 1), rows.slice(1))),
      );
      return bar(
        words.others.flatMap((_, i) => [drawn[i], trained[i]]),
        {
          title: `Cosines with “${words.word}”`,
          labels: words.others.flatMap((word) => [word, word]),
          groups: words.others.flatMap(() => ["drawn at random", "trained"]),
          xTitle: "word",
          yTitle: "cosine",
          horizontal: true,
        },
      );
    },

    pairs(phasor, controls) {
      const { reading, pairs } = start(phasor, controls);
      const words = reading.words.slice(0, SHOWN);
      return heatmap(counts(pairs, words.length), {
        title: "How often words stand near each other",
        rowTitle: "word c",
        columnTitle: "word o",
        rowLabels: words,
        columnLabels: words,
        unit: "pairs",
        colors: "sequential",
      });
    },

    loss(phasor, controls, { training }) {
      const losses = training?.losses ?? [start(phasor, controls).loss];
      return waves(
        losses.map((/** @type {number} */ loss) => [loss]),
        {
          title: "The mean loss of the text’s pairs",
          labels: ["loss"],
          x: losses.map((/** @type {number} */ _, /** @type {number} */ i) => i * PORTION),
          xTitle: "passes over the text",
          yTitle: "loss",
        },
      );
    },

    before: (phasor, controls) => {
      const { reading, vectors } = start(phasor, controls);
      return cosines(phasor, reading, vectors, "Cosines of the rows as drawn");
    },

    after(phasor, controls, { training }) {
      const { reading, vectors } = start(phasor, controls);
      const title = training ? "Cosines of the trained rows" : "The same, not yet trained";
      return cosines(phasor, reading, training?.vectors ?? vectors, title);
    },

    moved(phasor, controls, { training }) {
      const { reading, vectors } = start(phasor, controls);
      const { words, used } = reading;
      const apart = phasor.similarity.rows(vectors, training?.vectors ?? vectors, {
        metric: "euclidean",
      });
      const unused = words.length - used;
      const shown = words
        .map((_, id) => id)
        .filter((id) => id >= used || id < SHOWN - Math.min(unused, SHOWN));
      return bar(
        shown.map((id) => Number(apart.data[id])),
        {
          title: training ? "How far each row has moved" : "How far each row has moved: not yet",
          labels: shown.map((id) => words[id]),
          groups: shown.map((id) => (id < used ? "in the text" : "not in the text")),
          xTitle: "word",
          yTitle: "distance",
        },
      );
    },
  },

  facts: {
    width: () => count(DIM),
    missing: (_, { word, others }, { vocabulary }) => chosen(vocabulary, word, others).lacking,
    read(phasor, controls) {
      const { reading, pairs } = start(phasor, controls);
      const [N] = pairs.shape;
      return `The text has ${count(reading.sentences.length)} sentences with ${count(reading.used)} different words. They make ${count(N)} pairs.`;
    },
    closest(phasor, controls, { training }) {
      const { reading, vectors } = start(phasor, controls);
      const [a, b = a] = reading.compared;
      if (!training || a === b) return "";
      const [from, to] = [vectors, training.vectors].map((rows) => cosine(phasor, rows, a, b));
      return `“${reading.words[a]}” and “${reading.words[b]}”: their cosine was ${brief(from)} and is ${brief(to)}.`;
    },
    kept(phasor, controls, { training }) {
      if (!training) return "Train the table above to see which rows move.";
      const { reading, vectors } = start(phasor, controls);
      const kept = unchanged(vectors, training.vectors);
      return `Rows that kept every bit: ${count(kept)} of ${count(reading.words.length)}. Words that the text lacks: ${count(reading.words.length - reading.used)}.`;
    },
    used: (_, { text, compared }) => count(readOf(text, compared).used),
    rows: (_, { text, compared }) => count(readOf(text, compared).words.length),
    reached(phasor, { text, compared }) {
      const { words, sentences } = readOf(text, compared);
      return count(reached(phasor, words.length, sentences.flat()));
    },
    pushed: (phasor) => brief(kingsAndRule(phasor, 5)),
    unpushed: (phasor) => brief(kingsAndRule(phasor, 0)),
  },

  questions: {
    "drawn-cosine"(phasor, _, { vocabulary }) {
      const rows = drawnRows(phasor, 100, 1);
      const all = numbers(phasor.similarity.matrix(rows)).filter(
        (_, i) => i % 100 > Math.floor(i / 100),
      );
      const [least, most] = [Math.min(...all), Math.max(...all)];
      const small = all.filter((x) => Math.abs(x) < 0.3).length;
      const { ids } = known(vocabulary, "king queen");
      const trained = cosine(phasor, vocabulary.table(0, 0).lookup(ids), 0, 1);
      return {
        answer: small > 0.9 * all.length ? "small" : most > 0.9 ? "anything" : "high",
        because: `Of ${count(all.length)} pairs ${count(small)} lie between −0.3 and 0.3; all lie from ${brief(least)} to ${brief(most)}. In GloVe’s table king and queen have ${brief(trained)}.`,
      };
    },
    twins(phasor) {
      const { vectors } = trained(phasor, read(FOUR, "kings rule queens"), EPOCHS);
      const [kings, rule, , queens] = [0, 1, 2, 3];
      const [beside, alike] = [rule, queens].map((other) => cosine(phasor, vectors, kings, other));
      const even = Math.abs(alike - beside) < 0.1;
      return {
        answer: even ? "even" : alike > beside ? "alike" : "beside",
        because: `Kings and queens come to ${brief(alike)}, kings and rule to ${brief(beside)}.`,
      };
    },
    unused(phasor) {
      const reading = read("Kings rule lands.", "kings piano");
      const { first, vectors } = trained(phasor, reading, 100);
      const apart = numbers(phasor.similarity.rows(first, vectors, { metric: "euclidean" }));
      const [kings, piano] = [apart[0], apart[3]];
      const same = unchanged(first.slice(3, 4), vectors.slice(3, 4)) === 1;
      return {
        answer: same ? "kept" : piano > kings ? "pushed" : "drifts",
        because: `The row of kings has moved by ${brief(kings)}, that of piano by ${brief(piano)}. No pair has it, and the words that push are drawn from the text.`,
      };
    },
    "exercise-loss"({ skipgram }) {
      const model = skipgram.create(4, 16, { negatives: 5 });
      const loss = model.loss([0, 1, 2, 3]);
      model.dispose();
      return {
        answer: loss,
        within: 0.005,
        because: `Every product is 0 and σ(0) = 1/2, so each of the 1 + 5 terms is log 2: ${loss.toFixed(3)} together.`,
      };
    },
    "exercise-pairs"({ skipgram }) {
      const model = skipgram.create(4, 4, { window: 2 });
      const [N] = model.pairs([0, 1, 2, 3]).shape;
      model.dispose();
      return {
        answer: N,
        because: `${count(N)}: the outer two words have two neighbors each, the inner two have three.`,
      };
    },
  },

  actions: {
    async *training(phasor, { text, compared, dim, window, negatives, seed }) {
      const { words, sentences } = readOf(text, compared);
      if (sentences.every(({ length }) => length < 2)) {
        throw new RangeError("The text must have a sentence of two words");
      }
      const model = phasor.skipgram.create(words.length, dim, { window, negatives, seed });
      try {
        const losses = [model.loss(sentences)];
        for (let done = PORTION; done <= EPOCHS; done += PORTION) {
          model.train(sentences, { epochs: PORTION, learningRate: RATE });
          losses.push(model.loss(sentences));
          yield {
            progress: done / EPOCHS,
            note: `${done} of ${EPOCHS} passes; the loss was ${brief(losses[0])} and is ${brief(losses[losses.length - 1])}.`,
            losses: [...losses],
            vectors: model.vectors(),
          };
        }
      } finally {
        model.dispose();
      }
    },
  },

  code: {
    training(_, { text, compared, dim, window, negatives, seed }) {
      const { words, compared: ids } = readOf(text, compared);
      return program(
        text,
        ids.map((id) => words[id]),
        { dim, window, negatives, seed },
      );
    },
  },
});

/** @param {string} text @param {string[]} compared @param {Settings} settings */
function program(text, compared, { dim, window, negatives, seed }) {
  return `import * as Plot from "@observablehq/plot";
import { load } from "phasor";
import { figures } from "phasor/plots";

const { skipgram, similarity } = await load();
const { heatmap, waves } = figures({ Plot });

const text =
  ${lines(text)};
const compared = ${JSON.stringify(compared).replaceAll(",", ", ")};

const sentences = text.split(/[.!?\\n]/).map((part) => part.toLowerCase().match(/[\\p{L}\\p{N}]+/gu) ?? []);
const words = [...new Set([...sentences.flat(), ...compared])];
const ids = sentences.map((sentence) => sentence.map((word) => words.indexOf(word)));

const model = skipgram.create(words.length, ${dim}, { window: ${window}, negatives: ${negatives}, seed: ${seed} });
const losses = [model.loss(ids)];
for (let pass = 0; pass < ${EPOCHS}; pass += ${PORTION}) {
  model.train(ids, { epochs: ${PORTION}, learningRate: ${RATE} });
  losses.push(model.loss(ids));
}
display(
  waves(losses.map((loss) => [loss]), {
    x: losses.map((_, i) => ${PORTION} * i),
    xTitle: "passes over the text",
    yTitle: "loss",
  }),
);

const vectors = model.vectors();
const rows = compared.map((word) => vectors.row(words.indexOf(word)).data);
display(
  heatmap(similarity.matrix(rows), {
    rowLabels: compared,
    columnLabels: compared,
    domain: [-1, 1],
  }),
);
`;
}

/** A text as strings that fit a line. @param {string} text */
function lines(text) {
  const pieces = text.match(/[^]{1,72}(?:\s|$)|[^]{1,72}/g) ?? [""];
  return pieces.map((piece) => JSON.stringify(piece)).join(" +\n  ");
}

/** Rows of a fresh table, drawn from N(0, 1). @param {Phasor} phasor @param {number} length @param {number} seed */
function drawnRows({ embedding }, length, seed) {
  const table = embedding.create(length, DIM, { std: 1, seed });
  const rows = table.lookup(Array.from({ length }, (_, i) => i));
  table.dispose();
  return rows;
}

/**
 * Rows before and after training with the settings that the page begins with, or others.
 * @param {Phasor} phasor @param {Reading} reading @param {number} epochs
 * @param {{window?: number, negatives?: number}} [settings]
 */
function trained({ skipgram }, { words, sentences }, epochs, { window = 1, negatives = 5 } = {}) {
  const model = skipgram.create(words.length, 16, { window, negatives, seed: 1 });
  const first = model.vectors();
  model.train(sentences, { epochs, learningRate: RATE });
  const vectors = model.vectors();
  model.dispose();
  return { first, vectors };
}

/** The cosine that two words of the four sentences come to. @param {Phasor} phasor @param {number} negatives */
function kingsAndRule(phasor, negatives) {
  const reading = read(FOUR, "kings rule");
  const { vectors } = trained(phasor, reading, EPOCHS, { window: 2, negatives });
  const [kings, rule] = reading.compared;
  return cosine(phasor, vectors, kings, rule);
}

/** The counts of neighbors for the first words: [size, size]. @param {Tensor<Int32Array>} pairs @param {number} size */
function counts({ data }, size) {
  const result = new Float32Array(size * size);
  for (let i = 0; i < data.length; i += 2) {
    const [center, context] = [data[i], data[i + 1]];
    if (center < size && context < size) result[center * size + context] += 1;
  }
  return { data: result, shape: [size, size] };
}

/** Cosines of the words compared. @param {Phasor} phasor @param {Reading} reading @param {Tensor} vectors @param {string} title */
function cosines({ similarity }, { words, compared }, vectors, title) {
  const names = compared.map((id) => words[id]);
  return heatmap(similarity.matrix(compared.map((id) => vectors.row(id).data)), {
    title,
    rowTitle: "word",
    columnTitle: "word",
    rowLabels: names,
    columnLabels: names,
    domain: [-1, 1],
  });
}

/** @param {Phasor} phasor @param {Tensor} rows @param {number} a @param {number} b */
function cosine({ similarity }, rows, a, b) {
  return similarity.pair(rows.row(a), rows.row(b));
}

/** How many rows are the same, bit for bit. @param {Tensor} before @param {Tensor} after */
function unchanged(before, after) {
  const [V, D] = before.shape;
  return Array.from({ length: V }, (_, id) => id).filter((id) => {
    const [one, other] = [before, after].map(({ data }) => data.slice(id * D, (id + 1) * D));
    return one.every((x, d) => Object.is(x, other[d]));
  }).length;
}

/** Rows of a table that the gradient of a lookup reaches. @param {Phasor} phasor @param {number} V @param {number[]} ids */
function reached({ embedding }, V, ids) {
  const table = embedding.create(V, 1);
  const ones = { data: new Float32Array(ids.length).fill(1), shape: [ids.length, 1] };
  const gradient = table.gradient(ids, ones);
  table.dispose();
  return numbers(gradient).filter((x) => x !== 0).length;
}

/** @param {Tensor} tensor @returns {number[]} */
function numbers({ data }) {
  return Array.from(data, Number);
}
