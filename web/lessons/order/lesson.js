/** @import { Phasor } from "phasor" */
/** @import { Minilm } from "../../app/text/minilm.js" */
/** @import { Matrices, Mask, Scheme } from "./attend.js" */
import { Tensor } from "phasor";
import { models } from "phasor/models";
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { bar, heatmap } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { DIM, fileUrl, minilm } from "../../app/text/minilm.js";
import { HEAD, PENALTY, attend, inputs, matricesOf, orderOf, placesIn } from "./attend.js";

/** The maximal number of tokens used. */
const MOST = 8;

/** The maximal rounding difference of two numbers that are equal in exact arithmetic. */
const ROUNDING = 1e-5;

const DOG = "dog bites man";

/**
 * @typedef {object} Sentence
 * @property {string[]} words  the tokens as the model spells them
 * @property {number[]} rows  the rows of the file that hold their vectors
 * @property {Tensor} vectors  [T, D]
 * @property {string} note  what happened to words that are no tokens
 */

/** The tokens of a text and their vectors. @param {Minilm} model @param {string} text @returns {Promise<Sentence>} */
async function read(model, text) {
  const all = await model.tokenize(text, { special: false });
  const tokens = all.slice(0, MOST);
  const ids = tokens.map(({ id }) => id);
  const cut = tokens.filter(({ token, word }) => token !== word);
  const without = tokens.filter(({ hasRow, token }) => !hasRow || token === "[UNK]");
  const named = (/** @type {typeof tokens} */ some) =>
    [...new Set(some.map(({ word }) => `“${word}”`))].join(", ");
  const notes = [
    ...(cut.length > 0 ? [`The tokenizer cuts ${named(cut)} into pieces.`] : []),
    ...(without.length > 0
      ? [`This page has no vector for ${named(without)} and uses that of [UNK].`]
      : []),
    ...(all.length > MOST ? [`Only the first ${MOST} tokens are used.`] : []),
  ];
  return {
    words: tokens.map(({ token }) => token),
    rows: model.rowsOf(ids),
    vectors: await model.words(ids),
    note: notes.join(" "),
  };
}

/** The sentence that is typed. */
const typedIn = remembered(read);

const matrices = remembered(
  /** @param {Phasor} phasor @param {number} seed */
  (phasor, seed) => matricesOf(phasor, DIM, seed),
);

/** Rows in another order. @param {Tensor} vectors @param {readonly number[]} order */
function reordered(vectors, order) {
  const [T, D] = vectors.shape;
  const moved = Float32Array.from({ length: T * D }, (_, i) =>
    vectors.at(order[Math.floor(i / D)], i % D),
  );
  return new Tensor(moved, [T, D]);
}

/** Attention's results for a sentence as typed and in another order. */
const both = remembered(
  /** @param {Phasor} phasor @param {Sentence} sentence @param {Matrices} matrices @param {number} which @param {Scheme} scheme @param {Mask} mask */
  (phasor, { words, rows, vectors }, matrices, which, scheme, mask) => {
    const order = orderOf(words.length, which);
    return {
      words,
      order,
      places: placesIn(
        rows,
        order.map((i) => rows[i]),
      ),
      typed: attend(phasor, vectors, matrices, scheme, mask),
      shuffled: attend(phasor, reordered(vectors, order), matrices, scheme, mask),
    };
  },
);

/** Without positions and without a mask, as in the first sections. */
const bare = remembered(
  /** @param {Phasor} phasor @param {Sentence} sentence @param {Matrices} matrices @param {number} which */
  (phasor, sentence, matrices, which) => both(phasor, sentence, matrices, which, "none", "none"),
);

/** The distance of each word's outputs in the two orders. */
const distances = remembered(
  /** @param {Phasor} phasor @param {ReturnType<typeof both>} results */
  ({ similarity }, { places, typed, shuffled }) =>
    places.map((place, i) =>
      similarity.pair(typed.output.row(i), shuffled.output.row(place), { metric: "euclidean" }),
    ),
);

/** @typedef {import("../../app/controls.js").Values} Values */

/** @param {Phasor} phasor @param {Values} controls @param {Values} made */
async function withoutPositions(phasor, { words, order, seed }, { model }) {
  return bare(phasor, await typedIn(model, words), matrices(phasor, seed), order);
}

/** @param {Phasor} phasor @param {Values} controls @param {Values} made */
async function asChosen(phasor, { words, order, seed, scheme, mask }, { model }) {
  const sentence = await typedIn(model, words);
  return both(phasor, sentence, matrices(phasor, seed), order, scheme, mask);
}

/**
 * A sentence of a question and its reverse.
 * @param {Phasor} phasor @param {Values} controls @param {Values} made
 * @param {{ text?: string, scheme?: Scheme, mask?: Mask }} [given]
 */
async function reversed(phasor, { seed }, { model }, given = {}) {
  const { text = DOG, scheme = "none", mask = "none" } = given;
  return both(phasor, await read(model, text), matrices(phasor, seed), 5, scheme, mask);
}

page({
  subject: "mix",

  prepare: async () => ({ model: await minilm() }),

  pictures: {
    async weights(phasor, { words, seed }, { model }) {
      const sentence = await typedIn(model, words);
      const { weights } = attend(phasor, sentence.vectors, matrices(phasor, seed));
      return heatmap(weights, {
        title: "Attention weights without positions",
        rowTitle: "query of",
        columnTitle: "key of",
        rowLabels: sentence.words,
        columnLabels: sentence.words,
        colors: "blue",
        domain: [0, 1],
        numbers: true,
      });
    },

    async typed(phasor, controls, made) {
      const { words, typed } = await withoutPositions(phasor, controls, made);
      return outputs(typed.output, words, "Outputs as typed");
    },

    async shuffled(phasor, controls, made) {
      const { words, order, shuffled } = await withoutPositions(phasor, controls, made);
      const moved = order.map((i) => words[i]);
      const guessed = { unlike: "far from the first", near: "a little off", equal: "equal" }[
        String(made.guess.same)
      ];
      const title = "Outputs in the other order";
      return outputs(
        shuffled.output,
        moved,
        guessed ? `${title}; your guess for a word: ${guessed}` : title,
      );
    },

    async apart(phasor, controls, made) {
      const results = await asChosen(phasor, controls, made);
      const isSame = ["same", "edges"].includes(made.guess.middle);
      return bar(distances(phasor, results), {
        title: "Distance between each word's two outputs",
        labels: results.words,
        xTitle: "word",
        yTitle: "distance",
        ...(isSame && { rule: { value: 0, label: "your guess for “bites”: 0" } }),
      });
    },

    async change(phasor, controls, made) {
      const { words, places, typed, shuffled } = await asChosen(phasor, controls, made);
      const T = words.length;
      const change = places.flatMap((i, t) =>
        places.map((j, s) => shuffled.weights.at(i, j) - typed.weights.at(t, s)),
      );
      return heatmap(
        { data: Float64Array.from(change), shape: [T, T] },
        {
          title: "How the other order changes the weights",
          rowTitle: "query of",
          columnTitle: "key of",
          rowLabels: words,
          columnLabels: words,
          numbers: true,
        },
      );
    },

    async sums(phasor, { words, order }, { model, guess }) {
      const [typed, shuffled] = totals(phasor, await typedIn(model, words), order);
      const difference = typed.data.map((x, d) => shuffled.data[d] - x);
      const guessed = { other: "far from 0", equal: "0", close: "a little" }[String(guess.added)];
      const title = "Sums of all vectors (word + position)";
      return heatmap([...typed.toArray(), ...shuffled.toArray(), difference], {
        title: guessed ? `${title}; your guess for the difference: ${guessed}` : title,
        rowTitle: "sum",
        columnTitle: "dimension",
        rowLabels: ["as typed", "other order", "difference"],
      });
    },
  },

  facts: {
    width: () => count(DIM),
    head: () => count(HEAD),
    penalty: () => brief(PENALTY),
    cut: async (_, { words }, { model }) => (await typedIn(model, words)).note,
    async other(phasor, controls, made) {
      const { words, order } = await withoutPositions(phasor, controls, made);
      return words.length > 0 ? `The other order: “${order.map((i) => words[i]).join(" ")}”.` : "";
    },
    spread: async (phasor, controls, made) =>
      brief(spread(await withoutPositions(phasor, controls, made))),
    async verdict(phasor, controls, made) {
      const results = await asChosen(phasor, controls, made);
      const { words, order } = results;
      if (words.length === 0) return "There are no words yet.";
      if (order.every((i, at) => words[i] === words[at])) {
        return "The other order is the same sentence: there is nothing to tell apart.";
      }
      const different = distances(phasor, results).filter((distance) => distance > ROUNDING).length;
      const can = different > 0 ? "Attention can tell" : "Attention cannot tell";
      return `${count(different)} of ${count(words.length)} words have a different output in the other order. ${can} the two orders apart.`;
    },
    nope() {
      const { layerKinds, rotary } = models.get("smollm3-3b").positions;
      return count((layerKinds ?? []).filter((kind) => rotary?.[kind] === null).length);
    },
    "nope-layers": () => count(models.get("smollm3-3b").layers),
    async total(phasor, { words, order }, { model }) {
      const [typed, shuffled] = totals(phasor, await typedIn(model, words), order);
      return brief(largest(typed, shuffled));
    },
    async farthest(phasor, { words, order, seed }, { model }) {
      const sentence = await typedIn(model, words);
      const results = both(phasor, sentence, matrices(phasor, seed), order, "sinusoidal", "none");
      return brief(Math.max(0, ...distances(phasor, results)));
    },
  },

  questions: {
    async same(phasor, controls, made) {
      const results = await reversed(phasor, controls, made);
      const [dog] = distances(phasor, results);
      const { output } = results.typed;
      const words = phasor.similarity.pair(output.row(0), output.row(2), { metric: "euclidean" });
      const found = `The two outputs of “dog” are ${brief(dog)} apart`;
      return {
        answer: dog < ROUNDING ? "equal" : dog < words / 2 ? "near" : "unlike",
        because: {
          unlike: `The outputs of “dog” and of “man” are ${brief(words)} apart. ${found}: it is the same query, with the same keys and values.`,
          near: `The formula does not distinguish left from right: a key has the same score wherever it is. ${found}.`,
          equal: `${found}. The output is a sum over all tokens, and a sum does not depend on their order.`,
        },
      };
    },
    async middle(phasor, controls, made) {
      const results = await reversed(phasor, controls, made, { scheme: "sinusoidal" });
      const [dog, bites, man] = distances(phasor, results);
      const ends = Math.min(dog, man) > ROUNDING;
      const found = `The outputs of “bites” are ${brief(bites)} apart, those of “dog” ${brief(dog)} and of “man” ${brief(man)}.`;
      return {
        answer: bites > ROUNDING ? "other" : ends ? "edges" : "same",
        because: {
          same: `The words around it are the same, but their vectors are not: each now contains a different position. ${found}`,
          other: `${found} The keys and values of “dog” and “man” contain their positions, so “bites” sees which word comes before it.`,
          edges: `The output of “bites” also depends on the keys and values of the others. ${found}`,
        },
      };
    },
    async added(phasor, _, { model }) {
      const [typed, shuffled] = totals(phasor, await read(model, DOG), 5);
      const [apart] = phasor.similarity.rows(typed, shuffled, { metric: "euclidean" }).data;
      const [length] = phasor.statistics.norms(typed).data;
      const found = `The sums are ${brief(apart)} apart, and each has a length of ${brief(length)}.`;
      return {
        answer: apart < 1e-3 ? "equal" : apart < length / 2 ? "close" : "other",
        because: {
          other: `What “dog” gains at its new position, “man” loses there. ${found}`,
          equal: `${found} Each is the sum of three words plus the sum of positions 0, 1 and 2.`,
          close: `Not even a little is left: the same six vectors are added, only in a different order. ${found}`,
        },
      };
    },
    async "exercise-distance"(phasor, controls, made) {
      const results = await reversed(phasor, controls, made, { scheme: "distance" });
      const causal = await reversed(phasor, controls, made, { scheme: "distance", mask: "causal" });
      const said = (/** @type {typeof results} */ of) => {
        const [dog, bites, man] = distances(phasor, of).map(brief);
        return `${dog}, ${bites} and ${man}`;
      };
      const [dog, bites, man] = distances(phasor, results);
      const ends = Math.max(dog, man) > ROUNDING;
      return {
        answer: bites > ROUNDING ? "yes" : ends ? "ends" : "no",
        because: {
          yes: "Near words do count more. But does the reverse change which words are near?",
          ends: "The words at the ends change sides. Does a distance depend on the side?",
          no: `The outputs are ${said(results)} apart. Reversing a sentence keeps every distance, so it keeps every penalty. With a causal mask they would be ${said(causal)} apart.`,
        },
      };
    },
    async "exercise-reverse"(phasor, controls, made) {
      const texts = [DOG, "dog sees dog", "dog dog man"];
      const most = await Promise.all(
        texts.map(async (text) =>
          Math.max(
            ...distances(
              phasor,
              await reversed(phasor, controls, made, { text, scheme: "sinusoidal" }),
            ),
          ),
        ),
      );
      return {
        answer: texts[most.findIndex((distance) => distance < ROUNDING)],
        because: {
          [texts[0]]: `The reverse is “man bites dog”. Outputs differ by up to ${brief(most[0])}.`,
          [texts[1]]: `It reads the same in both directions, so every word keeps its output: the largest difference is ${brief(most[1])}.`,
          [texts[2]]: `Two equal words are not enough: the reverse is “man dog dog”. Outputs differ by up to ${brief(most[2])}.`,
        },
      };
    },
    async "exercise-last"(phasor, { seed }, { model }) {
      const { vectors } = await read(model, DOG);
      const outputs = Array.from({ length: 6 }, (_, which) => {
        const moved = reordered(vectors, orderOf(3, which));
        return attend(phasor, moved, matrices(phasor, seed), "none", "causal").output.row(2);
      });
      const different = outputs.filter((output, n) =>
        outputs.slice(0, n).every((former) => largest(former, output) > ROUNDING),
      ).length;
      return {
        answer: different,
        because: `There are ${count(different)} vectors. The last token sees all words, but not their order. Only its own query makes a difference.`,
        near: [
          { value: 6, because: "That is one for each order. Can the last token see the order?" },
          { value: 1, because: "The words are the same, but the query is that of the last word." },
        ],
      };
    },
  },

  data: [fileUrl],
  code: {
    async apart(_, { words, order, seed, scheme, mask }, { model }) {
      const sentence = await typedIn(model, words);
      return program(sentence, orderOf(sentence.rows.length, order), seed, scheme, mask);
    },
  },
});

/** @param {Tensor} output @param {string[]} words @param {string} title */
function outputs(output, words, title) {
  return heatmap(output, {
    title,
    rowTitle: "output of",
    columnTitle: "dimension",
    rowLabels: words,
    domain: [-2, 2],
  });
}

/** The largest difference between numbers of the same index. @param {Tensor} one @param {Tensor} other */
function largest(one, other) {
  return one.data.reduce((most, x, i) => Math.max(most, Math.abs(x - other.data[i])), 0);
}

/** The largest difference of a word's results in the two orders. @param {ReturnType<typeof both>} results */
function spread({ places, typed, shuffled }) {
  const each = places.map((at, i) => largest(typed.output.row(i), shuffled.output.row(at)));
  return Math.max(0, ...each);
}

/**
 * The sums of a sentence's vectors with sinusoids, as typed and in another order: [1, D] each.
 *
 * @param {Phasor} phasor @param {Sentence} sentence @param {number} which
 */
function totals(phasor, { vectors }, which) {
  const moved = reordered(vectors, orderOf(vectors.shape[0], which));
  return [vectors, moved].map((some) => total(phasor, inputs(phasor, some, "sinusoidal")));
}

/** The sum of rows, [1, D]. @param {Phasor} phasor @param {Tensor} rows */
function total({ embedding, embeddingBag }, rows) {
  const [T, D] = rows.shape;
  const table = T > 0 ? embedding.from(rows) : embedding.create(1, D, { std: 0 });
  const all = Array.from({ length: T }, (_, t) => t);
  const sum = embeddingBag.create(table, { mode: "sum" }).pool(all, { offsets: [0] });
  table.dispose();
  return sum;
}

/** @param {Sentence} sentence @param {number[]} order @param {number} seed @param {Scheme} scheme @param {Mask} mask */
function program({ words, rows }, order, seed, scheme, mask) {
  const added = scheme === "sinusoidal" ? " + positions.data[i]" : "";
  const options = [
    'accumulate: "float64"',
    `causal: ${mask === "causal"}`,
    ...(scheme === "rope" ? [`rope: rope.table(rows.length, ${HEAD})`] : []),
    ...(scheme === "distance"
      ? [`bias: alibi.bias(1, rows.length, { slopes: [${PENALTY}] })`]
      : []),
  ];
  const places = placesIn(
    rows,
    order.map((i) => rows[i]),
  );
  return `import * as Plot from "@observablehq/plot";
import { load } from "phasor";
import { safetensors } from "phasor/files";
import { figures } from "phasor/plots";

const { alibi, attention, embedding, rope, similarity, sinusoidal } = await load();
const { bar } = figures({ Plot });

const words = ${JSON.stringify(words).replaceAll(",", ", ")};
const rows = [${rows.join(", ")}]; // where the file has their vectors
const order = [${order.join(", ")}]; // the word at each position
const places = [${places.join(", ")}]; // where each word is then

const response = await fetch(${JSON.stringify(fileUrl)});
const file = await safetensors.read(await response.blob());
const positions = sinusoidal.table(rows.length, ${DIM});
const drawn = { std: 1 / Math.sqrt(${DIM}), seed: ${seed}, storage: "on-demand" };
const matrices = embedding.create(${3 * HEAD}, ${DIM}, drawn).weights();

async function outputs(rows) {
  const options = { scale: "words.scale" };
  const { data, shape } = await file.rows("words.weight", Int32Array.from(rows), options);
  const x = data.map((number, i) => number * Math.sqrt(${DIM})${added});
  const [q, k, v] = [0, 1, 2].map((part) => {
    const matrix = matrices.slice(part * ${HEAD}, (part + 1) * ${HEAD});
    return attention.linear({ data: x, shape }, matrix, { accumulate: "float64" });
  });
  return attention.scaledDotProduct({ q, k, v }, { ${options.join(", ")} }).output;
}

const typed = await outputs(rows);
const shuffled = await outputs(order.map((i) => rows[i]));
const apart = words.map((_, i) =>
  similarity.pair(typed.row(i), shuffled.row(places[i]), { metric: "euclidean" }),
);
display(bar(apart, { labels: words, xTitle: "word", yTitle: "distance" }));
`;
}
