/** @import { Phasor, Tensor } from "phasor" */
/** @import { Reading } from "./guesser.js" */
import { models } from "phasor/models";
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { bar, heatmap, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { label } from "../../app/text/tokens.js";
import { cut } from "../../app/text/cut.js";
import { guesser, RATE, read } from "./guesser.js";

/** Steps of training, and how many of them between two pictures. */
const STEPS = 200;
const PORTION = 5;

/** The maximal number of words drawn. */
const MOST = 16;

/** The training text of the questions: six sentences of one pattern. */
const PATTERN =
  "The dog chases the cat. A cat sees a dog. The bird sees the dog. A dog hears a bird. The cat hears the bird. A bird chases a cat.";

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

page({
  pictures: {
    rules(phasor, { sentence, padding, side }) {
      const words = cut(sentence).map(label).slice(0, MOST);
      const rules = rulesOf(phasor, words.length, padding, side);
      const pads = Array.from({ length: padding }, () => "padding");
      return heatmap(Object.values(rules), {
        title: "The row of P that each token takes",
        rowTitle: "model",
        columnTitle: "token",
        rowLabels: Object.keys(rules),
        columnLabels: side === "left" ? [...pads, ...words] : [...words, ...pads],
        unit: "(row)",
        colors: "sequential",
      });
    },

    sureness(phasor, controls, { training }) {
      const { sureness } = training ?? start(phasor, controls).first;
      return waves(
        sureness.map((/** @type {number} */ each) => [each]),
        {
          title: "How probable the model finds the words that stand there",
          labels: ["probability"],
          x: sureness.map((/** @type {number} */ _, /** @type {number} */ i) => i * PORTION),
          xTitle: "steps",
          yTitle: "mean probability",
        },
      );
    },

    guesses(phasor, controls, { training }) {
      const { reading, first } = start(phasor, controls);
      return heatmap(training?.guesses ?? first.guesses, {
        title: training ? "What it guesses" : "What it guesses, not yet trained",
        rowTitle: "position",
        columnTitle: "word",
        columnLabels: reading.words,
        unit: "(probability)",
        colors: "sequential",
        domain: [0, 1],
      });
    },

    alike(phasor, controls, { training }) {
      const { first } = start(phasor, controls);
      return heatmap(phasor.similarity.matrix(training?.rows ?? first.rows), {
        title: training ? "Cosines of the trained rows" : "Cosines of the rows as drawn",
        rowTitle: "position",
        columnTitle: "position",
        domain: [-1, 1],
      });
    },

    moved(phasor, controls, { training }) {
      const { reading, first } = start(phasor, controls);
      const apart = phasor.similarity.rows(first.rows, training?.rows ?? first.rows, {
        metric: "euclidean",
      });
      const used = new Set(reading.positions);
      return bar(apart, {
        title: training ? "How far each row has moved" : "How far each row has moved: not yet",
        groups: Array.from(apart.data, (_, t) =>
          used.has(t) ? "in a sentence" : "beyond all sentences",
        ),
        xTitle: "row",
        yTitle: "distance",
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
          labels: ["stretched", "as it was"],
          xTitle: "position in the stretched table",
          yTitle: "value",
          points: true,
        },
      );
    },
  },

  facts: {
    "gpt2-rows": () => count(tableOf("gpt2").rows),
    "gpt2-dim": () => count(tableOf("gpt2").dim),
    "gpt2-numbers": () => count(tableOf("gpt2").rows * tableOf("gpt2").dim),
    "bert-rows": () => count(tableOf("bert-base-uncased").rows),
    "bert-numbers": () =>
      count(tableOf("bert-base-uncased").rows * tableOf("bert-base-uncased").dim),
    kept(phasor, controls, { training }) {
      const { reading, first } = start(phasor, controls);
      const longest = Math.max(...reading.positions) + 1;
      const [L] = first.rows.shape;
      const sentence = `The longest sentence has ${count(longest)} words, the table ${count(L)} rows.`;
      if (!training) return sentence;
      const kept = unchanged(first.rows, training.rows);
      return `${sentence} Of the rows, ${count(kept)} have the same bits as when they were drawn.`;
    },
    refusal: (phasor) => `“${refusal(phasor, tableOf("gpt2").rows)}.”`,
    "vit-rows": () => count(tableOf("vit-base-patch16-224").rows),
    "vit-resized": ({ learnedPositions }) =>
      count(
        learnedPositions.interpolateGrid(zeros(tableOf("vit-base-patch16-224").rows), [24, 24])
          .shape[0],
      ),
  },

  questions: {
    "first-row"(phasor) {
      const rows = Array.from(phasor.positionIds.fromTokens([WORD, WORD, WORD]).data, String);
      return {
        answer: rows[0],
        because: {
          0: `That is GPT-2’s and BERT’s rule. In RoBERTa three words take rows ${rows.join(", ")}.`,
          1: `Row ${PADDING} belongs to padding itself. Three words take rows ${rows.join(", ")}.`,
          2: `Three words take rows ${rows.join(", ")}. RoBERTa counts on from its id of padding, ${PADDING}, so rows 0 and ${PADDING} are never taken by a word.`,
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
          same: `After ${STEPS} steps the cosine of rows 0 and 3 is ${brief(same)}; of 0 and 1 it is ${brief(neighbors)}, of 0 and 4 ${brief(ends)}. Only the words at a position count, not where it is.`,
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
          zeros: `A table begins with random numbers, and nothing sets row 9 to zero: its length is ${brief(drawn)}.`,
          drawn: `Row 9 has the same bits as before, and its length is ${brief(drawn)}; that of row 4 has grown to ${brief(used)}. No gradient ever reaches row 9.`,
        },
      };
    },
    wall(phasor) {
      const rows = tableOf("gpt2").rows;
      const words = refusal(phasor, rows);
      return {
        answer: words ? "none" : "last",
        because: {
          first: `Rows are not used again from the beginning: the table has rows 0 to ${count(rows - 1)}, and token 1,025 would need row ${count(rows)}.`,
          last: `The last row, ${count(rows - 1)}, belongs to the token before. GPT-2 has no rule that uses it twice.`,
          none: `The table has rows 0 to ${count(rows - 1)}, and token 1,025 would need row ${count(rows)}.`,
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
      };
    },
    "exercise-stretch"({ learnedPositions }) {
      const long = learnedPositions.interpolate([[0], [3], [6], [4]], 7, { sampling: "corners" });
      const column = Array.from(long.data, Number);
      return {
        answer: column[5],
        within: 1e-6,
        because: `Row 5 lies halfway between the old rows 2 and 3: (6 + 4) / 2 = ${brief(column[5])}. The column is ${column.map(brief).join(", ")}.`,
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
            note: `${done} of ${STEPS} steps; the mean probability was ${brief(sureness[0])} and is ${brief(sureness[sureness.length - 1])}.`,
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

/** The error for a position of GPT-2; empty if the position has a row. @param {Phasor} phasor @param {number} position */
function refusal({ learnedPositions }, position) {
  const { rows } = tableOf("gpt2");
  try {
    learnedPositions.lookup(zeros(rows), [position], learnedPositions.presets.gpt2);
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
