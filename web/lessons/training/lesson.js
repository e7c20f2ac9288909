/** @import { Phasor, Tensor } from "phasor" */
/** @import { Vocabulary } from "../../app/text/tokens.js" */
/** @import { Reading } from "./text.js" */
import { arrows } from "../../app/arrows.js";
import { byId } from "../../app/dom.js";
import { page } from "../../app/page.js";
import { apart, brief, count } from "../../app/numbers.js";
import { bar, heatmap, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { known } from "../../app/text/tokens.js";
import { DIM, loadWords } from "../../app/text/words.js";
import { dot, sigmoid, step } from "./step.js";
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

/** The vectors of the step by hand: of dog, of bites and of piano. */
const HAND = { v: [2, 0.5], context: [1, 3], negative: [2, -1.5] };
const EXTENT = 4;
const STEP = 0.5;

/** The exponent of the counts by which negatives are drawn: phasor's default, as in word2vec. */
const POWER = 0.75;

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

/** The three vectors before each step, and after the last. @param {import("../../app/controls.js").Values} controls */
function states({ vx, vy, rate, steps }) {
  const all = [{ ...HAND, v: [vx, vy] }];
  for (let i = 0; i < steps; ++i) all.push(step(all[i], rate));
  return all;
}

page({
  subject: "token",

  prepare: async (phasor) => ({ vocabulary: await loadWords(phasor) }),

  begin({ cell }) {
    const show = arrows(byId("plane"), { extent: EXTENT, step: STEP });
    cell(states, (all) => {
      const [from, to] = [all[0], all[all.length - 1]];
      const arrow = (/** @type {string} */ name, /** @type {number[]} */ [x, y]) => ({
        name,
        x,
        y,
      });
      show({
        arrows: [
          { ...arrow("", from.context), kind: "faint" },
          { ...arrow("", from.negative), kind: "faint" },
          { ...arrow("before", from.v), kind: "faint", controls: ["vx", "vy"] },
          { ...arrow("bites", to.context), kind: "context" },
          { ...arrow("piano", to.negative), kind: "negative" },
          { ...arrow("dog", to.v), kind: "token" },
        ],
        label: `Arrows: dog moves from ${point(from.v)} to ${point(to.v)}, bites to ${point(to.context)}, piano to ${point(to.negative)}`,
      });
    });
  },

  pictures: {
    odds: (_, controls) =>
      waves(
        states(controls).map(({ v, context, negative }) =>
          [context, negative].map((u) => sigmoid(dot(u, v))),
        ),
        {
          title: "Probability that the two words are neighbors",
          labels: ["dog and bites", "dog and piano"],
          means: ["token", "quiet"],
          xTitle: "steps",
          yTitle: "probability",
          yDomain: [0, 1],
          points: true,
        },
      ),

    cosines(phasor, { word, others, draw }, { vocabulary, guess }) {
      const most = { small: 0.3, high: 0.5 }[String(guess["drawn-cosine"])];
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
          groups: words.others.flatMap(() => ["random", "trained"]),
          means: { random: "quiet", trained: "trained" },
          xTitle: "word",
          yTitle: "cosine",
          horizontal: true,
          ...(most && { rule: { value: most, label: `your guess for random: ${most}` } }),
        },
      );
    },

    pairs(phasor, controls) {
      const { reading, pairs } = start(phasor, controls);
      const words = reading.words.slice(0, SHOWN);
      return heatmap(counts(pairs, words.length), {
        title: "How often words occur near each other",
        rowTitle: "center word",
        columnTitle: "context word",
        rowLabels: words,
        columnLabels: words,
        unit: "pairs",
        colors: "blue",
        numbers: true,
      });
    },

    loss(phasor, controls, { training }) {
      const losses = training?.losses ?? [start(phasor, controls).loss];
      return waves(
        losses.map((/** @type {number} */ loss) => [loss]),
        {
          title: "Mean loss of the pairs in the text",
          labels: ["loss"],
          means: ["trained"],
          x: losses.map((/** @type {number} */ _, /** @type {number} */ i) => i * PORTION),
          xTitle: "passes over the text",
          yTitle: "loss",
        },
      );
    },

    before: (phasor, controls) => {
      const { reading, vectors } = start(phasor, controls);
      return cosines(phasor, reading, vectors, "Cosines before training");
    },

    after(phasor, controls, { training }) {
      const { reading, vectors } = start(phasor, controls);
      const title = training ? "Cosines after training" : "Cosines after training: not trained yet";
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
          title: training
            ? "How far each vector has moved"
            : "How far each vector has moved: not trained yet",
          labels: shown.map((id) => words[id]),
          groups: shown.map((id) => (id < used ? "in the text" : "not in the text")),
          means: { "in the text": "trained", "not in the text": "unseen" },
          xTitle: "word",
          yTitle: "distance",
        },
      );
    },
  },

  facts: {
    sure: () => brief(sigmoid(dot(HAND.context, HAND.v))),
    fooled: () => brief(sigmoid(dot(HAND.negative, HAND.v))),
    byhand(_, controls) {
      const [from, to] = states(controls);
      const scores = [from.context, from.negative].map((u) => dot(u, from.v));
      const [one, other] = scores.map(sigmoid);
      const { rate } = controls;
      return [
        `Step 1: u · v is ${brief(scores[0])} for bites and ${brief(scores[1])} for piano, and σ of that ${brief(one)} and ${brief(other)}.`,
        `The errors are 1 − ${brief(one)} = ${brief(1 - one)} and 0 − ${brief(other)} = ${brief(-other)}.`,
        `v becomes ${point(from.v)} + ${brief(rate)} · (${brief(1 - one)} · ${point(from.context)} − ${brief(other)} · ${point(from.negative)}) = ${point(to.v)}.`,
      ].join(" ");
    },
    power: () => brief(POWER),
    times: () => brief(16 ** POWER),
    "mean-cosine": (phasor, _, { vocabulary }) =>
      brief(phasor.statistics.summary(vocabulary.table(0, 0).weights()).meanCosine),
    width: () => count(DIM),
    missing: (_, { word, others }, { vocabulary }) => chosen(vocabulary, word, others).lacking,
    read(phasor, controls) {
      const { reading, pairs } = start(phasor, controls);
      const [N] = pairs.shape;
      return `The text has ${count(reading.sentences.length)} sentences with ${count(reading.used)} different words. They contain ${count(N)} pairs.`;
    },
    closest(phasor, controls, { training }) {
      const { reading, vectors } = start(phasor, controls);
      const [a, b = a] = reading.compared;
      if (!training || a === b) return "";
      const [from, to] = [vectors, training.vectors].map((rows) => cosine(phasor, rows, a, b));
      return `“${reading.words[a]}” and “${reading.words[b]}”: their cosine was ${brief(from)} before training and is ${brief(to)} now.`;
    },
    kept(phasor, controls, { training }) {
      if (!training) return "Train the table above to see which vectors move.";
      const { reading, vectors } = start(phasor, controls);
      const kept = unchanged(vectors, training.vectors);
      return `Vectors that did not change in any bit: ${count(kept)} of ${count(reading.words.length)}. Words that do not occur in the text: ${count(reading.words.length - reading.used)}.`;
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
      const found = `Of ${count(all.length)} pairs ${count(small)} are between −0.3 and 0.3; all are between ${apart([least, most]).join(" and ")}.`;
      return {
        answer: small > 0.9 * all.length ? "small" : most > 0.9 ? "anything" : "high",
        because: {
          anything: `That is true in two dimensions. In 100, the products of random numbers nearly cancel out. ${found}`,
          small: found,
          high: `Random numbers carry no information about the words. ${found} Training changes that: in GloVe’s table, the cosine of king and queen is ${brief(trained)}.`,
        },
      };
    },

    force() {
      const { v, context, negative } = HAND;
      const [sure, fooled] = [context, negative].map((u) => sigmoid(dot(u, v)));
      const moves = [(1 - sure) * Math.hypot(...context), fooled * Math.hypot(...negative)];
      const found = `The errors are ${brief(1 - sure)} and ${brief(-fooled)}. Before multiplying by the learning rate, bites moves the vector by ${brief(moves[0])} and piano by ${brief(moves[1])}.`;
      const even = Math.abs(moves[0] - moves[1]) < 0.1;
      return {
        answer: even ? "even" : moves[0] > moves[1] ? "context" : "negative",
        because: {
          context: `The model is already confident about bites, so little is left to learn there. ${found}`,
          negative: found,
          even: `One word pulls and the other pushes, but each move is proportional to its error, and the errors differ. ${found}`,
        },
      };
    },

    twins(phasor) {
      const { vectors } = trained(phasor, read(FOUR, "kings rule queens"), EPOCHS);
      const [kings, rule, , queens] = [0, 1, 2, 3];
      const [beside, alike] = [rule, queens].map((other) => cosine(phasor, vectors, kings, other));
      const even = Math.abs(alike - beside) < 0.1;
      const found = `The cosine of kings and queens becomes ${brief(alike)}, that of kings and rule ${brief(beside)}.`;
      return {
        answer: even ? "even" : alike > beside ? "alike" : "beside",
        because: {
          beside: `The v of kings is pulled toward the u of rule. But the v of rule is a different vector, which is pulled toward other words. ${found}`,
          alike: `Both are pulled toward the same context vectors u. ${found}`,
          even: `Kings and queens have the same context words, kings and rule do not. ${found}`,
        },
      };
    },

    unused(phasor) {
      const reading = read("Kings rule lands.", "kings piano");
      const { first, vectors } = trained(phasor, reading, 100);
      const apart = numbers(phasor.similarity.rows(first, vectors, { metric: "euclidean" }));
      const [kings, piano] = [apart[0], apart[3]];
      const same = unchanged(first.slice(3, 4), vectors.slice(3, 4)) === 1;
      const found = `The vector of kings has moved by ${brief(kings)}, that of piano by ${brief(piano)}.`;
      return {
        answer: same ? "kept" : piano > kings ? "pushed" : "drifts",
        because: {
          pushed: `Negative samples are drawn from the text, so piano is never one. ${found}`,
          drifts: `A step changes only the vectors of its three words; there is no drift. ${found}`,
          kept: `${found} It is in no pair, and it is never drawn as a negative sample.`,
        },
      };
    },

    "exercise-step"() {
      const [v, u, rate] = [[2, -1], [2, 4], 0.1];
      const error = 1 - sigmoid(dot(u, v));
      const change = rate * error * u[1];
      const answer = Number((v[1] + change).toFixed(9));
      return {
        answer,
        within: 0.001,
        because: `u · v = ${brief(dot(u, v))}, so σ is ${brief(1 - error)} and the error ${brief(error)}. The second number becomes −1 + ${brief(rate)} · ${brief(error)} · ${brief(u[1])} = ${brief(answer)}.`,
        near: [
          { value: v[1] + rate * u[1], because: "You left out the error of the probability." },
          {
            value: v[1] - change,
            because: "The size is right. In which direction does a context word move v?",
          },
          { value: change, because: "That is the change. Add it to the number before." },
          { value: v[1] + error * u[1], because: "You left out the learning rate." },
          { value: v[0] + rate * error * u[0], because: "That is the first number." },
        ],
      };
    },

    "exercise-loss"({ skipgram }) {
      const model = skipgram.create(4, 16, { negatives: 5 });
      const loss = model.loss([0, 1, 2, 3]);
      model.dispose();
      return {
        answer: loss,
        within: 0.005,
        because: `Every dot product is 0 and σ(0) = 1/2, so each of the 1 + 5 terms is log 2. Together they are ${loss.toFixed(3)}.`,
        near: [
          { value: Math.log(2), because: "That is one term. How many are there?" },
          { value: 5 * Math.log(2), because: "That is the sum over the negative samples alone." },
          {
            value: 6 * Math.log10(2),
            because: "You used the logarithm to base 10 instead of the natural one.",
          },
          { value: 6, because: "You used the logarithm to base 2 instead of the natural one." },
        ],
      };
    },

    "exercise-pairs"({ skipgram }) {
      const model = skipgram.create(4, 4, { window: 2 });
      const [N] = model.pairs([0, 1, 2, 3]).shape;
      model.dispose();
      return {
        answer: N,
        because: `${count(N)}: the outer two words have two neighbors each, the inner two have three.`,
        near: [
          { value: N / 2, because: "Each pair counts twice: either word is the center once." },
          {
            value: 12,
            because:
              "That counts all ordered pairs. But the first and the last word are three steps apart.",
          },
          {
            value: 16,
            because:
              "A word is not its own context word, and the window is cut off at the ends of the sentence.",
          },
          {
            value: 6,
            because:
              "That is the number of pairs with window 1, or of pairs of words in any order.",
          },
        ],
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
            note: `${done} of ${EPOCHS} passes; the loss was ${brief(losses[0])} and is now ${brief(losses[losses.length - 1])}.`,
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

/** @param {readonly number[]} xs */
function point(xs) {
  return `(${xs.map(brief).join(", ")})`;
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
    numbers: true,
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
