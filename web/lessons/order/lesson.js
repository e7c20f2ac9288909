/** @import { Phasor, Tensor } from "phasor" */
/** @import { Table, Vocabulary } from "../../app/text/tokens.js" */
/** @import { Mask, Scheme } from "./attend.js" */
import { models } from "phasor/models";
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { bar, heatmap } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { loadWords, tableUrl } from "../../app/text/words.js";
import { attend, inputs, orderOf } from "./attend.js";

/** The maximal number of words used. */
const MOST = 8;

/** The maximal rounding difference of two numbers that are equal in exact arithmetic. */
const ROUNDING = 1e-5;

const DOG = "dog bites man";

/**
 * @typedef {object} Sentence
 * @property {string[]} words  as typed, those that have a row
 * @property {number[]} ids  theirs
 * @property {string[]} notes  what happened to the others
 */

/** The words of a text that have a row; one in -s may take that of the word without it. */
const read = remembered(
  /** @param {Vocabulary} vocabulary @param {string} text @returns {Sentence} */
  (vocabulary, text) => {
    /** @type {Sentence} */
    const sentence = { words: [], ids: [], notes: [] };
    const tokens = vocabulary.tokenize(text);
    for (const { label, id } of tokens.slice(0, MOST)) {
      const stem = label.replace(/s$/, "");
      const found = id ?? vocabulary.tokenize(stem)[0]?.id;
      if (typeof found !== "number") {
        sentence.notes.push(
          `“${label}” is not among the ${count(vocabulary.size)} words: left out.`,
        );
        continue;
      }
      if (id === null) {
        const without = `“${label}” is not among the ${count(vocabulary.size)} words`;
        sentence.notes.push(`${without}: the row of “${stem}” stands for it.`);
      }
      sentence.words.push(label);
      sentence.ids.push(found);
    }
    if (tokens.length > MOST) sentence.notes.push(`Only the first ${MOST} words are used.`);
    return sentence;
  },
);

/** Attention's results for a sentence as typed and in another order. */
const both = remembered(
  /** @param {Phasor} phasor @param {Vocabulary} vocabulary @param {Sentence} sentence @param {number} which @param {Scheme} scheme @param {Mask} mask */
  (phasor, vocabulary, { words, ids }, which, scheme, mask) => {
    const table = vocabulary.table(0, 0);
    const order = orderOf(ids.length, which);
    const moved = order.map((i) => ids[i]);
    return {
      words,
      order,
      places: ids.map((_, i) => order.indexOf(i)), // where each word has gone
      typed: attend(phasor, table, ids, scheme, mask),
      shuffled: attend(phasor, table, moved, scheme, mask),
    };
  },
);

/** Without positions and without a mask, as in the first sections. */
const bare = remembered(
  /** @param {Phasor} phasor @param {Vocabulary} vocabulary @param {Sentence} sentence @param {number} which */
  (phasor, vocabulary, sentence, which) =>
    both(phasor, vocabulary, sentence, which, "none", "none"),
);

/** The distance of each word's outputs in the two orders. */
const distances = remembered(
  /** @param {Phasor} phasor @param {ReturnType<typeof both>} results */
  ({ similarity }, { places, typed, shuffled }) =>
    places.map((place, i) =>
      similarity.pair(typed.output.row(i), shuffled.output.row(place), { metric: "euclidean" }),
    ),
);

/** Random matrices in the place of learned ones: of queries, keys and values, and of the output. */
const drawn = remembered(
  /** @param {Phasor} phasor @param {number} dim */
  ({ embedding }, dim) => {
    const matrix = (/** @type {number} */ rows, /** @type {number} */ seed) =>
      embedding.create(rows, dim, { std: 0.1, seed, storage: "on-demand" }).weights();
    return { heads: 4, inProjection: matrix(3 * dim, 1), outProjection: matrix(dim, 2) };
  },
);

/** @typedef {import("../../app/controls.js").Values} Values */

/** @param {Phasor} phasor @param {Values} controls @param {Values} made */
function withoutPositions(phasor, { words, order }, { vocabulary }) {
  return bare(phasor, vocabulary, read(vocabulary, words), order);
}

/** @param {Phasor} phasor @param {Values} controls @param {Values} made */
function asChosen(phasor, { words, order, scheme, mask }, { vocabulary }) {
  return both(phasor, vocabulary, read(vocabulary, words), order, scheme, mask);
}

/** The question's two sentences. @param {Phasor} phasor @param {Values} made @param {Scheme} [scheme] @param {Mask} [mask] */
function dogAndMan(phasor, { vocabulary }, scheme = "none", mask = "none") {
  return both(phasor, vocabulary, read(vocabulary, DOG), 5, scheme, mask);
}

page({
  prepare: async (phasor) => ({ vocabulary: await loadWords(phasor) }),

  pictures: {
    weights(phasor, { words }, { vocabulary }) {
      const sentence = read(vocabulary, words);
      const { weights } = attend(phasor, vocabulary.table(0, 0), sentence.ids);
      return heatmap(weights, {
        title: "Attention's weights, without positions",
        rowTitle: "query of",
        columnTitle: "key of",
        rowLabels: sentence.words,
        columnLabels: sentence.words,
        colors: "sequential",
        domain: [0, 1],
      });
    },

    typed(phasor, controls, made) {
      const { words, typed } = withoutPositions(phasor, controls, made);
      return outputs(typed.output, words, "Outputs, as typed");
    },

    shuffled(phasor, controls, made) {
      const { words, order, shuffled } = withoutPositions(phasor, controls, made);
      const moved = order.map((i) => words[i]);
      return outputs(shuffled.output, moved, "Outputs, in the other order");
    },

    apart(phasor, controls, made) {
      const results = asChosen(phasor, controls, made);
      return bar(distances(phasor, results), {
        title: "How far each word's two outputs are apart",
        labels: results.words,
        xTitle: "word",
        yTitle: "distance",
      });
    },

    change(phasor, controls, made) {
      const { words, places, typed, shuffled } = asChosen(phasor, controls, made);
      const T = words.length;
      const change = places.flatMap((i, t) =>
        places.map((j, s) => shuffled.weights.at(i, j) - typed.weights.at(t, s)),
      );
      return heatmap(
        { data: Float64Array.from(change), shape: [T, T] },
        {
          title: "What the other order changes in the weights",
          rowTitle: "query of",
          columnTitle: "key of",
          rowLabels: words,
          columnLabels: words,
        },
      );
    },

    sums(phasor, { words, order }, { vocabulary }) {
      const [typed, shuffled] = totals(phasor, vocabulary, read(vocabulary, words), order);
      const difference = typed.data.map((x, d) => shuffled.data[d] - x);
      return heatmap([...typed.toArray(), ...shuffled.toArray(), difference], {
        title: "Sums of all rows, each a word and its position",
        rowTitle: "sum",
        columnTitle: "dimension",
        rowLabels: ["as typed", "other order", "difference"],
      });
    },
  },

  facts: {
    width: (_, __, { vocabulary }) => count(vocabulary.table(0, 0).dim),
    missing: (_, { words }, { vocabulary }) => read(vocabulary, words).notes.join(" "),
    other(phasor, controls, made) {
      const { words, order } = withoutPositions(phasor, controls, made);
      return words.length > 0 ? `The other order: “${order.map((i) => words[i]).join(" ")}”.` : "";
    },
    spread: (phasor, controls, made) => brief(spread(withoutPositions(phasor, controls, made))),
    "spread-heads"(phasor, { words, order }, { vocabulary }) {
      const table = vocabulary.table(0, 0);
      const { ids } = read(vocabulary, words);
      const moved = orderOf(ids.length, order);
      const through = (/** @type {number[]} */ some) =>
        phasor.attention.multiHead(table.lookup(some), drawn(phasor, table.dim)).output;
      const [typed, shuffled] = [through(ids), through(moved.map((i) => ids[i]))];
      return brief(Math.max(0, ...moved.map((i, at) => largest(typed.row(i), shuffled.row(at)))));
    },
    verdict(phasor, controls, made) {
      const apart = distances(phasor, asChosen(phasor, controls, made));
      const different = apart.filter((distance) => distance > ROUNDING).length;
      const can = different > 0 ? "Attention can tell" : "Attention cannot tell";
      return `${count(different)} of ${count(apart.length)} words have another output in the other order. ${can} the two orders apart.`;
    },
    nope() {
      const { layerKinds, rotary } = models.get("smollm3-3b").positions;
      return count((layerKinds ?? []).filter((kind) => rotary?.[kind] === null).length);
    },
    "nope-layers": () => count(models.get("smollm3-3b").layers),
    total(phasor, { words, order }, { vocabulary }) {
      const [typed, shuffled] = totals(phasor, vocabulary, read(vocabulary, words), order);
      return brief(largest(typed, shuffled));
    },
    farthest(phasor, { words, order }, { vocabulary }) {
      const sentence = read(vocabulary, words);
      const results = both(phasor, vocabulary, sentence, order, "sinusoidal", "none");
      return brief(Math.max(0, ...distances(phasor, results)));
    },
  },

  questions: {
    same(phasor, _, made) {
      const results = dogAndMan(phasor, made);
      const [dog] = distances(phasor, results);
      const { output } = results.typed;
      const metric = "euclidean";
      const words = phasor.similarity.pair(output.row(0), output.row(2), { metric });
      return {
        answer: dog < ROUNDING ? "equal" : dog < words / 2 ? "near" : "unlike",
        because: `They are ${brief(dog)} apart; the outputs of “dog” and “man” are ${brief(words)} apart. The output is a sum over all tokens, and a sum does not care about their order.`,
      };
    },
    middle(phasor, _, made) {
      const [dog, bites, man] = distances(phasor, dogAndMan(phasor, made, "sinusoidal"));
      const ends = Math.min(dog, man) > ROUNDING;
      return {
        answer: bites > ROUNDING ? "other" : ends ? "edges" : "same",
        because: `The outputs of “bites” are ${brief(bites)} apart, those of “dog” ${brief(dog)} and of “man” ${brief(man)}. The keys and values of “dog” and “man” hold their positions, and so “bites” sees who stands before it.`,
      };
    },
    added(phasor, _, { vocabulary }) {
      const [typed, shuffled] = totals(phasor, vocabulary, read(vocabulary, DOG), 5);
      const metric = "euclidean";
      const [apart] = phasor.similarity.rows(typed, shuffled, { metric }).data;
      const [length] = phasor.statistics.norms(typed).data;
      return {
        answer: apart < 1e-4 ? "equal" : apart < 1 ? "close" : "other",
        because: `The totals are ${brief(apart)} apart, and ${brief(length)} long. Each is the sum of three words plus the sum of positions 0, 1 and 2.`,
      };
    },
    "exercise-distance"(phasor, _, made) {
      const [dog, bites, man] = distances(phasor, dogAndMan(phasor, made, "distance"));
      const ends = Math.max(dog, man) > ROUNDING;
      return {
        answer: bites > ROUNDING ? "yes" : ends ? "ends" : "no",
        because: `The outputs are ${brief(dog)}, ${brief(bites)} and ${brief(man)} apart. To reverse a sentence keeps every distance, so it keeps every penalty. With a causal mask the distances between outputs become ${dogAndManCausal(phasor, made)}.`,
      };
    },
    "exercise-last"(phasor, _, { vocabulary }) {
      const { ids } = read(vocabulary, DOG);
      const outputs = Array.from({ length: 6 }, (_, which) => {
        const moved = orderOf(ids.length, which).map((i) => ids[i]);
        return attend(phasor, vocabulary.table(0, 0), moved, "none", "causal").output.row(2);
      });
      const different = outputs.filter((output, n) =>
        outputs.slice(0, n).every((former) => largest(former, output) > ROUNDING),
      ).length;
      return {
        answer: different,
        because: `${count(different)} of 6. The last token sees all words, in an order that it cannot know; only which word asks makes a difference.`,
      };
    },
  },

  data: [tableUrl],
  code: {
    apart(_, { words, order, scheme, mask }, { vocabulary }) {
      const sentence = read(vocabulary, words);
      return program(sentence, orderOf(sentence.ids.length, order), scheme, mask);
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
    domain: [-1, 1],
  });
}

/** The largest difference between numbers at the same place. @param {Tensor} one @param {Tensor} other */
function largest(one, other) {
  return one.data.reduce((most, x, i) => Math.max(most, Math.abs(x - other.data[i])), 0);
}

/** The largest difference of a word's results in the two orders. @param {ReturnType<typeof both>} results */
function spread({ places, typed, shuffled }) {
  const each = places.map((at, i) => largest(typed.output.row(i), shuffled.output.row(at)));
  return Math.max(0, ...each);
}

/** @param {Phasor} phasor @param {Values} made */
function dogAndManCausal(phasor, made) {
  const [dog, bites, man] = distances(phasor, dogAndMan(phasor, made, "distance", "causal"));
  return `${brief(dog)}, ${brief(bites)} and ${brief(man)}`;
}

/**
 * The sums of a sentence's rows with sinusoids, as typed and in another order: [1, D] each.
 *
 * @param {Phasor} phasor @param {Vocabulary} vocabulary @param {Sentence} sentence @param {number} which
 */
function totals(phasor, vocabulary, { ids }, which) {
  const table = vocabulary.table(0, 0);
  const moved = orderOf(ids.length, which).map((i) => ids[i]);
  return [ids, moved].map((some) => total(phasor, inputs(phasor, table, some, "sinusoidal")));
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

/** @param {Sentence} sentence @param {number[]} order @param {Scheme} scheme @param {Mask} mask */
function program({ words, ids }, order, scheme, mask) {
  const lookup = {
    none: "",
    sinusoidal: ", { add: sinusoidal.table(ids.length, table.dim) }",
    rope: "",
    distance: "",
  }[scheme];
  const options = [
    'accumulate: "float64"',
    `causal: ${mask === "causal"}`,
    ...(scheme === "rope" ? ["rope: rope.table(ids.length, table.dim)"] : []),
    ...(scheme === "distance" ? ["bias: alibi.bias(1, ids.length, { slopes: [0.5] })"] : []),
  ];
  return `import * as Plot from "@observablehq/plot";
import { load } from "phasor";
import { safetensors } from "phasor/files";
import { figures } from "phasor/plots";

const { alibi, attention, embedding, rope, similarity, sinusoidal } = await load();
const { bar } = figures({ Plot });

const response = await fetch(${JSON.stringify(tableUrl)});
const file = await safetensors.read(await response.blob());
const weights = await file.tensor("embedding.weight", { scale: "embedding.scale" });
const table = embedding.from(weights);

const words = ${JSON.stringify(words).replaceAll(",", ", ")};
const ids = [${ids.join(", ")}];
const order = [${order.join(", ")}]; // the word at each place

function outputs(ids) {
  const x = table.lookup(ids${lookup});
  return attention.scaledDotProduct({ q: x, k: x, v: x }, { ${options.join(", ")} }).output;
}

const typed = outputs(ids);
const shuffled = outputs(order.map((i) => ids[i]));
const apart = words.map((_, i) =>
  similarity.pair(typed.row(i), shuffled.row(order.indexOf(i)), { metric: "euclidean" }),
);
display(bar(apart, { labels: words, xTitle: "word", yTitle: "distance" }));
`;
}
