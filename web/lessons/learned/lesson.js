/** @import { Phasor, Tensor } from "phasor" */
/** @import { Minilm } from "../../app/text/minilm.js" */
/** @import { Reading } from "./guesser.js" */
import { models } from "phasor/models";
import { beside } from "../../app/columns.js";
import { byId } from "../../app/dom.js";
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { bar, heatmap, waves } from "../../app/pictures.js";
import { valueAt } from "../../app/questions/verdict.js";
import { remembered } from "../../app/remembered.js";
import { label } from "../../app/text/tokens.js";
import { cut } from "../../app/text/cut.js";
import { LONGEST, minilm } from "../../app/text/minilm.js";
import { guesser, RATE, read } from "./guesser.js";
import { lit } from "./lit.js";

/** Steps of training, and how many of them between two pictures. */
const STEPS = 200;
const PORTION = 5;

/** The maximal number of words drawn. */
const MOST = 16;

/** The training text of the questions: six sentences of one pattern. */
const PATTERN =
  "The dog bites the man. A man sees a dog. The bird sees the dog. A dog hears a bird. The man hears the bird. A bird bites a man.";

/** The sentence of the questions. */
const SENTENCE = "dog bites man";

/** Rows of the table that are drawn at least, and the numbers of each. */
const LEAST = 8;
const NUMBERS = 48;

/** The row of the trained table that a question compares with those after it, and how far. */
const FROM = 40;
const FAR = 40;

/** The first numbers of the rows that a question stretches, and by how much. */
const COLUMN = [0, 3, 6, 4];
const STRETCH = 4;

/** Models with a table of positions that are drawn. */
const WITH_TABLES = [
  "vit-base-patch16-224",
  "bert-base-uncased",
  "roberta-base",
  "gpt2",
  "opt-125m",
];

/** The ids that stand for padding and for a word where a rule asks for ids. */
const PADDING = 1;
const WORD = 5;

const readOf = remembered(read);

/** The table before its first step, and the model's guesses with it. */
const begun = remembered(
  /** @param {Phasor} phasor @param {Reading} reading @param {number} length @param {number} dim @param {number} seed */
  (phasor, reading, length, dim, seed) => {
    const model = guesser(phasor, reading, length, dim, seed);
    try {
      return { rows: model.rows(), guesses: model.guess(length), sureness: [model.sureness()] };
    } finally {
      model.dispose();
    }
  },
);

/** @param {Phasor} phasor @param {import("../../app/controls.js").Values} controls */
function start(phasor, { text, positions, dim, seed }) {
  const reading = readOf(text);
  return { reading, first: begun(phasor, reading, positions, dim, seed) };
}

/** A table after training, and as it was drawn, with the settings that the page begins with. */
const trainedOn = remembered(
  /** @param {Phasor} phasor @param {string} text */
  (phasor, text) => {
    const model = guesser(phasor, read(text), 12, 16, 1);
    const first = model.rows();
    for (let step = 0; step < STEPS; ++step) model.step();
    const last = model.rows();
    model.dispose();
    return { first, last };
  },
);

/** A sentence's tokens and the vectors that it looks up in MiniLM's two tables. @param {Minilm} model @param {string} sentence */
async function lookedUp(model, sentence) {
  const spoken = cut(sentence).length > 0 ? sentence : SENTENCE;
  const pieces = await model.tokenize(spoken);
  const tokens =
    pieces.length > MOST ? [...pieces.slice(0, MOST - 1), ...pieces.slice(-1)] : pieces;
  const [words, positions] = await Promise.all([
    model.words(tokens.map(({ id }) => id)),
    model.positions(Math.max(LEAST, tokens.length)),
  ]);
  return { tokens: tokens.map(({ token }) => label(token)), words, positions };
}

/**
 * How far the vector of each token moves when the words between the first token and the last are reversed.
 * @param {Phasor} phasor @param {Minilm} model @param {string} sentence
 */
async function reversed(phasor, model, sentence) {
  const { tokens, words, positions } = await lookedUp(model, sentence);
  const last = tokens.length - 1;
  const to = tokens.map((_, t) => (t === 0 || t === last ? t : last - t));
  const sums = [tokens.map((_, t) => t), to].map((at) =>
    at.map((row, t) => words.row(t).data.map((x, d) => Number(x) + positions.at(row, d))),
  );
  const apart = phasor.similarity.rows(sums[0], sums[1], { metric: "euclidean" });
  return { tokens, apart: Array.from(apart.data, Number) };
}

/** The cosines of one row of MiniLM's positions with all. @param {Phasor} phasor @param {Minilm} model @param {number} row */
async function alikeTo({ similarity }, model, row) {
  const positions = await model.positions(LONGEST);
  return Array.from(similarity.matrix(positions.slice(row, row + 1), positions).data, Number);
}

page({
  prepare: async () => ({ model: await minilm() }),

  begin({ cell }) {
    const show = lit(byId("lit"));
    cell(async ({ sentence }, { model }) => {
      const { tokens, words, positions } = await lookedUp(model, sentence);
      const [w, p] = [words, positions].map((rows) =>
        Array.from(rows, ({ data }) => Array.from(data.slice(0, NUMBERS), Number)),
      );
      return { tokens, words: w, positions: p };
    }, show);
  },

  pictures: {
    async swap(phasor, { sentence }, { model }) {
      const { tokens, apart } = await reversed(phasor, model, sentence);
      return bar(apart, {
        title: "How far the vector of each token moves when the sentence is reversed",
        labels: tokens.map((token, t) => `${token} at ${t}`),
        groups: apart.map((x) => (x === 0 ? "same vector" : "different vector")),
        means: { "same vector": "token", "different vector": "mix" },
        xTitle: "token",
        yTitle: "distance",
      });
    },

    rules(phasor, { sentence, padding, side }) {
      const spoken = cut(sentence).length > 0 ? sentence : SENTENCE;
      const words = cut(spoken).map(label).slice(0, MOST);
      const rules = rulesOf(phasor, words.length, padding, side);
      const pads = Array.from({ length: padding }, () => "padding");
      return heatmap(Object.values(rules), {
        title: "The row of P that each token takes",
        rowTitle: "model",
        columnTitle: "token",
        rowLabels: Object.keys(rules),
        columnLabels: side === "left" ? [...pads, ...words] : [...words, ...pads],
        unit: "(row)",
        colors: "blue",
      });
    },

    sureness(phasor, controls, { training }) {
      const { sureness } = training ?? start(phasor, controls).first;
      return waves(
        sureness.map((/** @type {number} */ each) => [each]),
        {
          title: "Mean probability of the words in the text",
          labels: ["probability"],
          x: sureness.map((/** @type {number} */ _, /** @type {number} */ i) => i * PORTION),
          means: ["trained"],
          xTitle: "steps",
          yTitle: "mean probability",
        },
      );
    },

    guesses(phasor, controls, { training }) {
      const { reading, first } = start(phasor, controls);
      return heatmap(training?.guesses ?? first.guesses, {
        title: training ? "Predicted words" : "Predicted words, before training",
        rowTitle: "position",
        columnTitle: "word",
        columnLabels: reading.words,
        unit: "(probability)",
        colors: "blue",
        numbers: true,
        domain: [0, 1],
      });
    },

    alike(phasor, controls, { training, guess }) {
      const { first } = start(phasor, controls);
      const other = { neighbors: 1, same: 3, ends: 4 }[String(guess.twins)];
      const what = training ? "Cosines of the trained rows" : "Cosines of the random rows";
      return heatmap(phasor.similarity.matrix(training?.rows ?? first.rows), {
        title: other ? `${what}; outlined: your guess, 0 and ${other}` : what,
        rowTitle: "position",
        columnTitle: "position",
        domain: [-1, 1],
        numbers: true,
        marks: other ? [[0, other]] : [],
      });
    },

    moved(phasor, controls, { training, guess }) {
      const { reading, first } = start(phasor, controls);
      const rows = training?.rows ?? first.rows;
      const apart = phasor.similarity.rows(first.rows, rows, { metric: "euclidean" });
      const used = new Set(reading.positions);
      return bar(apart, {
        title: training
          ? "How far each row has moved"
          : "How far each row has moved: not trained yet",
        groups: Array.from(apart.data, (_, t) =>
          used.has(t) ? "in a sentence" : "beyond all sentences",
        ),
        means: { "in a sentence": "trained", "beyond all sentences": "unseen" },
        xTitle: "row",
        yTitle: "distance",
        ...guessedMove(phasor, guess.beyond, first.rows, rows, Math.max(...used)),
      });
    },

    async trained(phasor, { row }, { model, guess }) {
      const drawn = row === FROM ? guess.trained : undefined;
      const cosines = await alikeTo(phasor, model, row);
      const guessed = (/** @type {number} */ t) =>
        t >= FROM && t <= FROM + FAR ? valueAt(drawn, t - FROM) : NaN;
      return waves(beside([cosines, ...(drawn ? [cosines.map((_, t) => guessed(t))] : [])]), {
        title: `The cosine of row ${row} with every row`,
        labels: ["cosine", ...(drawn ? ["your drawing"] : [])],
        xTitle: "row",
        yTitle: "cosine",
        yDomain: [-0.5, 1],
        rules: [{ x: row, label: `row ${row}` }],
      });
    },

    async lengths({ statistics }, { row }, { model }) {
      const { data } = statistics.norms(await model.positions(LONGEST));
      return waves(
        Array.from(data, (norm) => [Number(norm)]),
        {
          title: "The length of the vector of each row",
          labels: ["length"],
          xTitle: "row",
          yTitle: "length",
          rules: [{ x: row, label: `row ${row}` }],
        },
      );
    },

    fits(_, { tokens }) {
      const tables = WITH_TABLES.map(lengthOf);
      return bar(tables, {
        title: `Which models can read a text of ${count(tokens)} tokens?`,
        labels: WITH_TABLES,
        groups: tables.map((most) => (most < tokens ? "too short" : "long enough")),
        means: { "too short": "unseen", "long enough": "trained" },
        xTitle: "model",
        yTitle: "longest text (tokens)",
        horizontal: true,
        rule: { value: tokens, label: "the text" },
      });
    },

    cost(_, { context }, { guess }) {
      const [words, positions] = parameters(Number(context));
      const share = { fifth: 1 / 5, fiftieth: 1 / 50, thousandth: 1 / 1000 }[String(guess.cost)];
      return bar([words, positions, 0], {
        title: `Parameters with GPT-2’s width and ${count(Number(context))} positions`,
        labels: ["W: words", "P: learned positions", "sinusoids"],
        groups: ["words", "positions", "positions"],
        means: { words: "token", positions: "position" },
        xTitle: "table",
        yTitle: "parameters",
        horizontal: true,
        ...(share && { rule: { value: share * words, label: "your guess for P" } }),
      });
    },

    stretched(phasor, controls, { training }) {
      const { factor, method, column } = controls;
      const { rows } = training ?? start(phasor, controls).first;
      const [L] = rows.shape;
      const long = phasor.learnedPositions.interpolate(rows, factor * (L - 1) + 1, {
        method,
        sampling: "corners",
      });
      return waves(
        Array.from(long, ({ data }, t) => [
          data[column],
          t % factor === 0 ? rows.at(t / factor, column) : NaN,
        ]),
        {
          title: `Dimension ${column}: ${count(L)} rows stretched to ${count(long.shape[0])}`,
          labels: ["stretched", "original rows"],
          xTitle: "position in the stretched table",
          yTitle: "value",
          points: true,
        },
      );
    },
  },

  facts: {
    async cls({ statistics }, _, { model }) {
      const { data } = statistics.norms(await model.positions(2));
      return brief(Number(data[0]) / Number(data[1]));
    },
    "kept-rows": () => count(LONGEST),
    "gpt2-words": () => count(Number(models.get("gpt2").vocabulary)),
    "gpt2-rows": () => count(tableOf("gpt2").rows),
    "gpt2-dim": () => count(tableOf("gpt2").dim),
    "bert-rows": () => count(tableOf("bert-base-uncased").rows),
    kept(phasor, controls, { training }) {
      const { reading, first } = start(phasor, controls);
      const longest = Math.max(...reading.positions) + 1;
      const [L] = first.rows.shape;
      const sentence = `The longest sentence has ${count(longest)} words, the table ${count(L)} rows.`;
      if (!training) return sentence;
      const kept = unchanged(first.rows, training.rows);
      return `${sentence} ${count(kept)} rows still have their initial bits.`;
    },
    "gpt2-refusal": (phasor) => `“${refusal(phasor, "gpt2", tableOf("gpt2").rows)}.”`,
    "bert-refusal": (phasor) => `“${refusal(phasor, "bert", tableOf("bert-base-uncased").rows)}.”`,
    "vit-rows": () => count(tableOf("vit-base-patch16-224").rows),
    "vit-resized": ({ learnedPositions }) =>
      count(
        learnedPositions.interpolateGrid(zeros(tableOf("vit-base-patch16-224").rows), [24, 24])
          .shape[0],
      ),
  },

  questions: {
    async swap(phasor, _, { model }) {
      const { tokens, apart } = await reversed(phasor, model, SENTENCE);
      const [dog, bites, man] = ["dog", "bites", "man"].map((word) => apart[tokens.indexOf(word)]);
      const moved = [dog, bites, man].filter((x) => x > 0).length;
      const found = `The vector of dog moves by ${brief(dog)}, that of man by ${brief(man)}, and that of bites by ${brief(bites)}`;
      return {
        answer: moved === 0 ? "none" : moved === 3 ? "all" : "two",
        because: {
          none: `The vectors of W are the same, but dog and man swap their rows of P. ${found}.`,
          two: `${found}. The word in the middle keeps its position.`,
          all: `The input vector depends on the word and its position, not on the rest of the sentence. The word in the middle keeps both. ${found}.`,
        },
      };
    },
    padded(phasor) {
      const { BERT: rows } = rulesOf(phasor, 3, 3, "left");
      const words = rows.slice(3);
      const kept = words.filter((row, t) => row === t).length;
      const found = `Alone, the words take rows 0, 1 and 2. After the padding they take rows ${words.join(", ")}`;
      return {
        answer: kept === 3 ? "all" : kept === 1 ? "first" : "none",
        because: {
          all: `Padding has no meaning, but it is counted. ${found}.`,
          first: `dog is still the first word, but no longer the first token. ${found}.`,
          none: `${found}. The same text enters the model as different vectors.`,
        },
      };
    },
    twins(phasor) {
      const { last } = trainedOn(phasor, PATTERN);
      const [neighbors, same, ends] = [1, 3, 4].map((t) =>
        phasor.similarity.pair(last.row(0), last.row(t)),
      );
      const most = Math.max(neighbors, same, ends);
      return {
        answer: most === same ? "same" : most === ends ? "ends" : "neighbors",
        because: {
          neighbors: `Nothing tells the model that 0 and 1 are neighbors: their cosine is ${brief(neighbors)}, that of 0 and 3 is ${brief(same)}.`,
          same: `After ${STEPS} steps the cosine of rows 0 and 3 is ${brief(same)}; of 0 and 1 it is ${brief(neighbors)}, of 0 and 4 ${brief(ends)}. What counts is which words occur at a position, not which positions are neighbors.`,
          ends: `The ends have different words: their cosine is ${brief(ends)}, that of 0 and 3 is ${brief(same)}.`,
        },
      };
    },
    beyond(phasor) {
      const { first, last } = trainedOn(phasor, PATTERN);
      const isDrawn = unchanged(first.slice(9, 10), last.slice(9, 10)) === 1;
      const [used, drawn] = [4, 9].map((t) => norm(phasor, last.slice(t, t + 1)));
      return {
        answer: isDrawn ? "drawn" : drawn === 0 ? "zeros" : "last",
        because: {
          last: `No gradient ever reaches row 9, so it learns nothing from row 4: its length is ${brief(drawn)}, that of row 4 is ${brief(used)}.`,
          zeros: `A table starts with random numbers, and nothing sets row 9 to zero: its length is ${brief(drawn)}.`,
          drawn: `Row 9 has the same bits as before, and its length is ${brief(drawn)}; that of row 4 has grown to ${brief(used)}. No gradient ever reaches row 9.`,
        },
      };
    },
    async trained(phasor, _, { model }) {
      const cosines = await alikeTo(phasor, model, FROM);
      const at = (/** @type {number} */ k) => brief(cosines[FROM + k]);
      return {
        curve: cosines.slice(FROM, FROM + FAR + 1).map((cosine, k) => [k, cosine]),
        within: 0.25,
        because: `Training makes neighboring rows similar, because a word at position 40 could just as well be at 41: the cosine is ${at(1)} at distance 1, and ${at(3)} at distance 3. Then it goes up and down, like a sum of waves: ${at(8)} at 8, ${at(12)} at 12, ${at(20)} at 20.`,
      };
    },
    wall(phasor) {
      const [gpt2, bert] = ["gpt2", "bert-base-uncased"].map((name) => tableOf(name).rows);
      const words = [refusal(phasor, "gpt2", gpt2), refusal(phasor, "bert", bert)];
      const found = `GPT-2 has rows 0 to ${count(gpt2 - 1)} and BERT 0 to ${count(bert - 1)}; the token would need row ${count(gpt2)} or ${count(bert)}.`;
      return {
        answer: words.every(Boolean) ? "none" : "last",
        because: {
          first: `Position ${count(gpt2)} is not position 0: with row 0 the model would take the last word for the first. ${found}`,
          last: `The last row belongs to the token before, and no rule of these models uses it twice. ${found}`,
          none: `${found} So a lookup has nothing to copy.`,
        },
      };
    },
    stretch({ learnedPositions }) {
      const old = COLUMN.map((x) => [x]);
      const size = STRETCH * (COLUMN.length - 1) + 1;
      const long = learnedPositions.interpolate(old, size, { sampling: "corners" });
      const column = Array.from(long.data, Number);
      return {
        curve: column.map((x, row) => [row, x]),
        within: 0.3,
        because: `Every fourth row is an old one: rows 0, 4, 8 and 12 hold ${COLUMN.join(", ")}. Between two of them the column is a straight line: row 2 holds ${brief(column[2])}, row 10 holds ${brief(column[10])}.`,
      };
    },
    cost() {
      const { rows } = tableOf("gpt2");
      const [words, positions] = parameters(rows);
      const share = positions / words;
      const found = `P has ${count(positions)} numbers and W has ${count(words)}: ${brief(100 * share)} %`;
      return {
        answer: share > 0.1 ? "fifth" : share > 0.005 ? "fiftieth" : "thousandth",
        because: {
          fifth: `Both tables have the same width, so compare their rows. ${found}.`,
          fiftieth: `${found}. The width is the same, so the rows decide.`,
          thousandth: `1,024 of 50,257 is more than a hundredth. ${found}.`,
        },
      };
    },
    "exercise-roberta"(phasor) {
      const rows = tableOf("roberta-base").rows;
      let most = 0;
      while (fits(phasor, rows, most + 1)) most += 1;
      return {
        answer: most,
        because: `The first token takes row 2, so that ${count(most)} tokens take rows 2 to ${count(most + 1)}, the last of ${count(rows)}.`,
        near: [
          { value: rows, because: "No token takes row 0, and only padding takes row 1." },
          { value: most - 1, because: "Count both ends: rows 2 and 513 are both used." },
        ],
      };
    },
    "exercise-stretch"({ learnedPositions }) {
      const long = learnedPositions.interpolate([[2], [8], [5], [1]], 7, { sampling: "corners" });
      const column = Array.from(long.data, Number);
      return {
        answer: column[5],
        within: 1e-6,
        because: `Row 5 lies halfway between the old rows 2 and 3: (5 + 1) / 2 = ${brief(column[5])}. The column is ${column.map(brief).join(", ")}.`,
        near: [
          { value: column[4], because: "That is row 4, which is the old row 2." },
          { value: column[6], because: "That is row 6, which is the old row 3." },
          { value: column[3], because: "That is row 3. Rows are counted from 0." },
        ],
      };
    },
  },

  actions: {
    async *training(phasor, { text, positions, dim, seed }) {
      const model = guesser(phasor, readOf(text), positions, dim, seed);
      try {
        const sureness = [model.sureness()];
        for (let done = PORTION; done <= STEPS; done += PORTION) {
          for (let step = 0; step < PORTION; ++step) model.step();
          sureness.push(model.sureness());
          yield {
            progress: done / STEPS,
            note: `${done} of ${STEPS} steps; the mean probability was ${brief(sureness[0])} and is now ${brief(sureness[sureness.length - 1])}.`,
            sureness: [...sureness],
            guesses: model.guess(positions),
            rows: model.rows(),
          };
        }
      } finally {
        model.dispose();
      }
    },
  },

  code: {
    training: (_, { text, positions, dim, seed }) => `import * as Plot from "@observablehq/plot";
import { load } from "phasor";
import { figures } from "phasor/plots";

const { attention, embedding, learnedPositions, similarity } = await load();
const { bar, heatmap } = figures({ Plot });

const text = ${JSON.stringify(text)};
const sentences = text.split(/[.!?\\n]/).map((part) => part.toLowerCase().match(/\\p{L}+/gu) ?? []);
const words = [...new Set(sentences.flat())];
const ids = sentences.flat().map((word) => words.indexOf(word));
const positions = sentences.flatMap((sentence) => [...sentence.keys()]);

const W = embedding.create(words.length, ${dim}, { std: 1, seed: ${seed} });
const P = embedding.create(${positions}, ${dim}, { std: 0.02, seed: ${seed + 1000} });
const first = P.weights();

// A column of W for each dimension: the errors times W are the gradients of the rows of P.
const all = W.weights();
const columns = Array.from({ length: ${dim} }, (_, d) => words.map((_, w) => all.at(w, d)));

for (let step = 0; step < ${STEPS}; ++step) {
  const errors = attention.softmax(W.logits(learnedPositions.lookup(P, positions)));
  ids.forEach((id, n) => (errors.data[n * words.length + id] -= 1));
  const gradients = attention.linear(errors, columns);
  gradients.data.forEach((x, i) => (gradients.data[i] = x / ids.length));
  P.step(P.gradient(positions, gradients, { sparse: true }), { learningRate: ${RATE} });
}

const last = P.weights();
display(heatmap(similarity.matrix(last), { domain: [-1, 1] }));
const apart = similarity.rows(first, last, { metric: "euclidean" });
display(bar(apart, { xTitle: "row", yTitle: "distance moved" }));
`,
    wall: () => `import { load } from "phasor";

const { embedding, learnedPositions } = await load();

// GPT-2's sizes; the rows are drawn when they are looked up.
const table = embedding.create(1024, 768, { std: 0.02, storage: "on-demand" });

for (const position of [1023, 1024]) {
  try {
    display(learnedPositions.lookup(table, [position], learnedPositions.presets.gpt2));
  } catch (error) {
    display(error.message);
  }
}
`,
  },
});

/** @param {string} name  of a model with learned positions */
function tableOf(name) {
  const { dim, positions } = models.get(name);
  return { dim: Number(dim), rows: Number(positions.rows) };
}

/**
 * The rows that tokens and padding take.
 * @param {Phasor} phasor @param {number} tokens @param {number} padding @param {"left" | "right"} side
 * @returns {Record<string, number[]>}
 */
function rulesOf({ positionIds }, tokens, padding, side) {
  const [words, pads] = [Array(tokens).fill(1), Array(padding).fill(0)];
  const mask = side === "left" ? [...pads, ...words] : [...words, ...pads];
  const ids = mask.map((isWord) => (isWord ? WORD : PADDING));
  const rows = {
    BERT: positionIds.range(mask.length),
    "GPT-2": positionIds.fromMask(mask),
    RoBERTa: positionIds.fromTokens(ids, { paddingIdx: PADDING }),
    OPT: positionIds.fromMask(mask, { convention: "opt" }),
  };
  return Object.fromEntries(
    Object.entries(rows).map(([model, { data }]) => [model, Array.from(data, Number)]),
  );
}

/** The longest text of a model with learned positions. @param {string} name */
function lengthOf(name) {
  return Number(models.get(name).positions.length);
}

/** The parameters of GPT-2's words, and of `length` positions. @param {number} length */
function parameters(length) {
  const { vocabulary, dim } = models.get("gpt2");
  return [Number(vocabulary), length].map((rows) => rows * Number(dim));
}

/**
 * The reader's guess for the last row, as a rule of the bars: how far that would be from the row as it was drawn.
 * @param {Phasor} phasor @param {string | undefined} guess @param {Tensor} first @param {Tensor} rows @param {number} used  the last row that a sentence uses
 */
function guessedMove({ similarity }, guess, first, rows, used) {
  const drawn = first.slice(first.shape[0] - 1);
  /** @type {Record<string, () => Tensor | number[][]>} */
  const wanted = {
    last: () => rows.slice(used, used + 1),
    zeros: () => [Array.from(drawn.data, () => 0)],
    drawn: () => drawn,
  };
  if (!guess) return {};
  const value = Number(similarity.rows(drawn, wanted[guess](), { metric: "euclidean" }).data[0]);
  return { rule: { value, label: "your guess for unused rows" } };
}

/**
 * The error for a position of a model; empty if the position has a row.
 * @param {Phasor} phasor @param {"gpt2" | "bert"} preset @param {number} position  the first without a row
 */
function refusal({ learnedPositions }, preset, position) {
  try {
    learnedPositions.lookup(zeros(position), [position], learnedPositions.presets[preset]);
    return "";
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/** Whether a table has the rows that RoBERTa uses for this many words. @param {Phasor} phasor @param {number} rows @param {number} tokens */
function fits({ learnedPositions, positionIds }, rows, tokens) {
  try {
    learnedPositions.lookup(zeros(rows), positionIds.fromTokens(Array(tokens).fill(WORD)));
    return true;
  } catch {
    return false;
  }
}

/** A table of one column. @param {number} rows */
function zeros(rows) {
  return { data: new Float32Array(rows), shape: [rows, 1] };
}

/** The number of rows with equal bits. @param {Tensor} before @param {Tensor} after */
function unchanged(before, after) {
  const rows = [before, after].map((table) => Array.from(table, ({ data }) => data));
  return rows[0].filter((row, t) => row.every((x, d) => Object.is(x, rows[1][t][d]))).length;
}

/** @param {Phasor} phasor @param {Tensor} row  [1, D] */
function norm({ statistics }, row) {
  return Number(statistics.norms(row).data[0]);
}
