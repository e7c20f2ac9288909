/** @import { Phasor } from "phasor" */
/** @import { Token } from "../../app/text/tokens.js" */
import { models } from "phasor/models";
import { page } from "../../app/page.js";
import { brief, count, shape } from "../../app/numbers.js";
import { bar, heatmap } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { chips } from "../../app/text/chips.js";
import { cut } from "../../app/text/cut.js";
import { DIM, minilm, SIZE } from "../../app/text/minilm.js";
import { vocabularies } from "../../app/text/vocabularies.js";

/** The maximal number of tokens shown, and of the sentences of a batch and their tokens. */
const SHOWN = 24;
const SENTENCES = 4;
const LONGEST = 12;

const BANK = "she sat by the river bank and the bank gave her money";
const BATCH = "dog bites man\nthe man bites the dog";
const DOG = ["dog", "bites", "man"];
const HAMLET = "To be or not to be";

/** The table of the one-hot product: its tokens, its width, its seed. */
const SMALL = [
  "the",
  "my",
  "your",
  "cat",
  "dog",
  "bird",
  "mat",
  "man",
  "saw",
  "bites",
  "on",
  "under",
];
const WIDTH = 8;
const SEED = 1;

/** Models whose tables are compared. */
const COMPARED = [
  "transformer-base",
  "bert-base-uncased",
  "gpt2",
  "llama-2-7b",
  "bloom-560m",
  "gemma-2b",
  "llama-3.1-8b",
  "qwen2.5-7b",
  "deepseek-v3",
];

const gpt2 = models.get("gpt2");
const llama = models.get("llama-3.1-8b");

/** A model of a width like Llama 3's 70B, with two segments. */
const LARGE = { vocabulary: 128_000, dim: 8192, segments: 2 };

/** The most rows of the reader's table. */
const MOST_ROWS = 1_000_000;

/** Why a token has no row here, by the tokenizer. */
const lacking = {
  words:
    "Words that are not in the list have no row. GPT-2's tokens are pieces that can represent any text.",
  minilm: "This page does not have the vectors of the rarest tokens.",
};

const opened = remembered(vocabularies);

/** The tokens of a sentence; those that have a row, and their rows. */
const looked = remembered(
  /** @param {Phasor} phasor @param {string} sentence @param {string} tokenizer */
  async (phasor, sentence, tokenizer) => {
    if (tokenizer === "minilm") return minilmRows(sentence);
    const vocabulary = await opened(phasor)(/** @type {"words" | "gpt2"} */ (tokenizer));
    const tokens = vocabulary.tokenize(sentence);
    const { ids, labels } = withRows(tokens);
    return { tokens, ids, labels, rows: vocabulary.table(Number(gpt2.dim), 0).lookup(ids) };
  },
);

/** The same for MiniLM. @param {string} sentence */
async function minilmRows(sentence) {
  const model = await minilm();
  const pieces = await model.tokenize(sentence, { special: false });
  const tokens = pieces.map(({ token, id, hasRow }) => ({ label: token, id: hasRow ? id : null }));
  const { ids, labels } = withRows(tokens);
  return { tokens, ids, labels, rows: await model.words(ids) };
}

const compared = remembered(minilmRows);

/** The first tokens that have a row. @param {readonly Token[]} tokens */
function withRows(tokens) {
  const known = tokens.filter(({ id }) => typeof id === "number").slice(0, SHOWN);
  return { ids: known.map(({ id }) => Number(id)), labels: known.map(({ label }) => label) };
}

/** The sentences of a batch, filled up to the longest one. */
const batchOf = remembered(
  /** @param {string} text */
  async (text) => {
    const model = await minilm();
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const sentences = await Promise.all(
      (lines.length > 0 ? lines : BATCH.split("\n")).slice(0, SENTENCES).map(minilmRows),
    );
    const [{ token, id }] = await model.tokenize("[PAD]", { special: false });
    const T = Math.max(1, ...sentences.map(({ ids }) => Math.min(LONGEST, ids.length)));
    const filled = sentences.map(({ ids, labels }) =>
      Array.from({ length: T }, (_, t) => ({ id: ids[t] ?? id, label: labels[t] ?? token })),
    );
    return { tokens: filled, rows: await model.words(filled.flat().map(({ id }) => id)) };
  },
);

/** The small table with its rows, and its product with a one-hot row. */
const small = remembered((/** @type {Phasor} */ { embedding, embeddingBag }) => {
  const table = embedding.create(SMALL.length, WIDTH, { seed: SEED });
  return { table, sums: embeddingBag.create(table, { mode: "sum" }) };
});

const products = remembered(
  /** @param {Phasor} phasor @param {string} token */
  (phasor, token) => {
    const each = SMALL.map((_, id) => [id]);
    const weights = SMALL.map((other) => [Number(other === token)]);
    return small(phasor).sums.pool(each, { perSampleWeights: weights });
  },
);

/** The sum of the first products, and the row that was looked up. */
const sums = remembered(
  /** @param {Phasor} phasor @param {string} token @param {number} done */
  (phasor, token, done) => {
    const { table, sums } = small(phasor);
    const ids = Array.from({ length: done }, (_, id) => id);
    const perSampleWeights = ids.map((id) => Number(SMALL[id] === token));
    return {
      sum: sums.pool(ids, { offsets: [0], perSampleWeights }),
      row: table.lookup([SMALL.indexOf(token)]),
    };
  },
);

/** Where a token is, and where it is again. @param {readonly number[]} ids @returns {[number, number][]} */
function repeatedAt(ids) {
  return ids.flatMap((id, t) => {
    const again = ids.indexOf(id, t + 1);
    return again < 0 ? [] : [/** @type {[number, number]} */ ([t, again])];
  });
}

/**
 * The product that the reader expects, if it is a vector.
 * @param {Phasor} phasor @param {string} guess @param {number[]} row  that is looked up
 */
function guessedSum(phasor, guess, row) {
  if (guess === "row") return [row];
  if (guess !== "mean") return [];
  /** @type {number[][]} */
  const rows = small(phasor).table.weights().toArray();
  return [row.map((_, d) => rows.reduce((sum, each) => sum + each[d], 0) / rows.length)];
}

page({
  subject: "token",

  pictures: {
    async rows(phasor, { sentence, tokenizer }) {
      const { rows, labels } = await looked(phasor, sentence, tokenizer);
      return heatmap(rows, {
        title: "The embeddings of the sentence's tokens",
        rowTitle: "token",
        columnTitle: "dimension",
        rowLabels: labels,
      });
    },

    async alike({ similarity }, controls, { guess }) {
      const { labels, ids, rows } = await compared(controls.compared);
      const guessed = { all: "far apart", some: "apart a little", none: "0" }[String(guess.twice)];
      const again = guessed ? repeatedAt(ids) : [];
      return heatmap(similarity.matrix(rows, rows, { metric: "euclidean" }), {
        title: `Distance between every two vectors${again.length > 0 ? `; outlined: your guess, ${guessed}` : ""}`,
        rowTitle: "token",
        columnTitle: "token",
        rowLabels: labels,
        columnLabels: labels,
        colors: "blue",
        numbers: true,
        marks: again,
      });
    },

    async "batch-rows"(_, { batch }) {
      const { tokens, rows } = await batchOf(batch);
      return heatmap(rows, {
        title: `The batch: ${tokens.length} × ${tokens[0].length} vectors`,
        rowTitle: "sentence: token",
        columnTitle: "dimension",
        rowLabels: tokens.flatMap((sentence, b) => sentence.map(({ label }) => `${b}: ${label}`)),
      });
    },

    table: (phasor, { token, done }) =>
      heatmap(small(phasor).table.weights(), {
        title: "Weight and row",
        rowTitle: "weight × token",
        columnTitle: "dimension",
        rowLabels: SMALL.map((other) => `${Number(other === token)} × ${other}`),
        framed: done,
        domain: [-3, 3],
        numbers: true,
      }),

    products(phasor, { token, done }) {
      const all = products(phasor, token);
      const shown = Float32Array.from(all.data, (x, i) => (i < done * WIDTH ? x : NaN));
      return heatmap(
        { data: shown, shape: all.shape },
        {
          title: "Products so far",
          rowTitle: "token",
          columnTitle: "dimension",
          rowLabels: SMALL,
          domain: [-3, 3],
          numbers: true,
        },
      );
    },

    sum(phasor, { token, done }, { guess }) {
      const { sum, row } = sums(phasor, token, done);
      const guessed = guess.product ? guessedSum(phasor, guess.product, row.toArray()[0]) : [];
      return heatmap([...sum.toArray(), ...row.toArray(), ...guessed], {
        title: "Their sum, and the row that a lookup copies",
        rowTitle: "vector",
        columnTitle: "dimension",
        rowLabels: ["sum", `row ${SMALL.indexOf(token)}`, ...guessed.map(() => "your guess")],
        domain: [-3, 3],
        numbers: true,
      });
    },

    sizes(phasor, { vocabulary, dim, dtype }) {
      const tables = [
        { name: "yours", vocabulary: rowsOf(vocabulary), dim },
        ...COMPARED.map(models.get),
      ];
      const sizes = tables.map((each) => megabytes(phasor, each.vocabulary, each.dim, dtype));
      return bar(sizes, {
        title: `Size of the token table in ${dtype}`,
        labels: tables.map(({ name }) => name),
        groups: tables.map(({ name }) => (name === "yours" ? "yours" : "public models")),
        means: { yours: "token", "public models": "quiet" },
        xTitle: "model",
        yTitle: "size (MB)",
        horizontal: true,
      });
    },
  },

  facts: {
    dog: async () => count((await compared("dog")).ids[0]),
    man: async () => count((await compared("man")).ids[0]),
    width: () => count(DIM),

    tokens: async (phasor, { sentence, tokenizer }) =>
      chips((await looked(phasor, sentence, tokenizer)).tokens.slice(0, SHOWN)),

    async read(phasor, { sentence, tokenizer }) {
      const { tokens, ids, rows } = await looked(phasor, sentence, tokenizer);
      const known = tokens.filter(({ id }) => id !== null).length;
      return [
        `Ids ${shape([ids.length])}, vectors ${shape(rows.shape)}. Different rows: ${count(new Set(ids).size)}.`,
        known < tokens.length && lacking[/** @type {"words"} */ (tokenizer)],
        ids.length < known && `The figure shows the first ${SHOWN} tokens.`,
        tokenizer === "gpt2" &&
          `GPT-2's trained table would be a download of ${brief(megabytes(phasor, gpt2.vocabulary, gpt2.dim, "float32"))} MB. These vectors have the same width, but they are random, as before training, and mean nothing yet.`,
      ]
        .filter(Boolean)
        .join(" ");
    },

    async repeated(_, controls) {
      const { ids, labels, rows } = await compared(controls.compared);
      const pairs = repeatedAt(ids);
      if (pairs.length === 0) return "No token is repeated in this sentence.";
      return pairs
        .map(([t, again]) => {
          const different = differences(rows.row(t).data, rows.row(again).data);
          return `The vectors of “${labels[t]}” at ${t} and ${again} differ in ${count(different)} of ${count(rows.shape[1])} numbers.`;
        })
        .join(" ");
    },

    async shapes(_, { batch }) {
      const { tokens, rows } = await batchOf(batch);
      const ids = [tokens.length, tokens[0].length];
      const padding = tokens.flat().filter(({ label }) => label === "[PAD]").length;
      return `Ids ${shape(ids)}, vectors ${shape([...ids, rows.shape[1]])}. Padding tokens: ${count(padding)}.`;
    },

    gap(phasor, { token, done }) {
      const { sum, row } = sums(phasor, token, done);
      const apart = brief(phasor.similarity.rows(sum, row, { metric: "euclidean" }).data[0]);
      const id = SMALL.indexOf(token);
      return done > id
        ? `The product with weight 1 has been added. The distance of the sum from row ${id} is ${apart}.`
        : `So far, every weight was 0. The distance of the sum from row ${id} is ${apart}.`;
    },

    flops: () =>
      count(models.cost("one-hot", { vocabulary: gpt2.vocabulary, dim: gpt2.dim }).flops),
    copied: () => count(Number(gpt2.dim)),
    reached(phasor) {
      const ids = DOG.map((word) => SMALL.indexOf(word));
      const ones = {
        data: new Float32Array(ids.length * WIDTH).fill(1),
        shape: [ids.length, WIDTH],
      };
      const { data } = small(phasor).table.gradient(ids, ones);
      const rows = SMALL.filter((_, id) =>
        Array.from(data.subarray(id * WIDTH, (id + 1) * WIDTH)).some((x) => x !== 0),
      );
      return count(rows.length);
    },
    all: () => count(SMALL.length),
    refused(phasor) {
      try {
        return String(small(phasor).table.lookup([SMALL.length]));
      } catch (error) {
        return `“${/** @type {Error} */ (error).message}”.`;
      }
    },

    parameters(phasor, { vocabulary, dim, dtype }) {
      const { parameters } = models.cost("embedding", { vocabulary: rowsOf(vocabulary), dim });
      return `Yours: ${count(vocabulary)} × ${count(dim)} = ${count(parameters)} parameters, ${brief(megabytes(phasor, vocabulary, dim, dtype))} MB in ${dtype}.`;
    },
    "gpt2-tokens": () => count(gpt2Parameters().tokens),
    "gpt2-positions": () => count(gpt2Parameters().positions),
    "gpt2-layers": () => count(gpt2.layers),
    "gpt2-all": () => count(gpt2Parameters().all),
    "gpt2-share": () => {
      const { tokens, all } = gpt2Parameters();
      return `${brief((100 * tokens) / all)} %`;
    },
    "llama-vocabulary": () => count(Number(llama.vocabulary)),
    "llama-dim": () => count(Number(llama.dim)),
  },

  questions: {
    async twice({ similarity }) {
      const { labels, ids, rows } = await compared(BANK);
      const [first, second] = [...labels.keys()].filter((t) => labels[t] === "bank");
      const different = differences(rows.row(first).data, rows.row(second).data);
      const of = (/** @type {string} */ word) => rows.row(labels.indexOf(word));
      const far = (/** @type {string} */ word) =>
        brief(similarity.pair(rows.row(first), of(word), { metric: "euclidean" }));
      const found = `Both are row ${count(ids[first])} of the table. They differ in ${count(different)} of ${count(DIM)} numbers.`;
      return {
        answer: different === 0 ? "none" : different > 0.9 * DIM ? "all" : "some",
        because: {
          all: `The table is indexed by tokens, not by meanings. ${found}`,
          some: `That happens later, in attention. The table does not see the sentence. ${found}`,
          none: `${found} That one vector serves both meanings. Its distance from “river” is ${far("river")}, from “money” ${far("money")}.`,
        },
      };
    },

    batch({ embedding }) {
      const table = embedding.create(SIZE, DIM, { storage: "on-demand" });
      const ids = BATCH.split("\n").map((line) => line.split(" "));
      const T = Math.max(...ids.map(({ length }) => length));
      const filled = ids.map((words) =>
        Array.from({ length: T }, (_, t) => Number(t < words.length)),
      );
      const result = table.lookup(filled);
      table.dispose();
      const found = `The ids have shape ${shape([filled.length, T])}, including ${filled.flat().filter((id) => id === 0).length} times [PAD]. For D = ${count(DIM)}, phasor returns ${shape(result.shape)}.`;
      return {
        answer: result.shape.length === 3 ? "padded" : "flat",
        because: {
          flat: `Then the model could not know where a sentence ends. The shorter one is padded instead. ${found}`,
          padded: found,
          mean: `A lookup does not average: each token keeps its vector. ${found}`,
          ids: `Each id becomes a vector, which adds a dimension. ${found}`,
        },
      };
    },

    product({ embedding }) {
      const table = embedding.create(1000, 64, { seed: SEED });
      const ids = Int32Array.from({ length: 1000 }, (_, id) => id);
      const [row, product] = [table.lookup(ids), table.oneHot(ids)];
      const different = differences(row.data, product.data);
      const sizes = table.oneHot([4]).shape;
      table.dispose();
      const found = `Row 4 is multiplied by 1, all others by 0.`;
      return {
        answer: different === 0 ? "row" : "mean",
        because: {
          row: `${found} phasor has computed the product for a table of 1,000 rows and 64 columns: ${count(different)} of ${count(row.size)} numbers differ from those that were looked up.`,
          mean: `All rows are added, but a row with weight 0 contributes nothing. ${found}`,
          zeros: `The separate products form such a table, but their sum is a single vector. For a table of width 64 its shape is ${shape(sizes)}. ${found}`,
        },
      };
    },

    "exercise-rows"() {
      const words = cut(HAMLET);
      const different = new Set(words);
      return {
        answer: different.size,
        because: `The ${different.size} different words are ${[...different].join(", ")}.`,
        near: [
          {
            value: words.length,
            because: "That is the number of tokens. Some of them share a row.",
          },
          { value: different.size + 1, because: "“To” and “to” are the same in lower case." },
        ],
      };
    },

    "exercise-bytes"(phasor) {
      const size = megabytes(phasor, llama.vocabulary, llama.dim, "bfloat16");
      return {
        answer: size,
        within: 1,
        because: `${count(Number(llama.vocabulary))} × ${count(Number(llama.dim))} numbers of 2 bytes are ${count(Math.round(size))} MB.`,
        near: [
          {
            value: (size * 1e6) / 2 ** 20,
            within: 1,
            because: "That is the size in MiB. One MiB is 1,048,576 bytes.",
          },
          {
            value: size * 2,
            within: 2,
            because: "That is the size in float32, with 4 bytes per number.",
          },
          { value: size / 2, within: 1, because: "That is the number of parameters, in millions." },
          {
            value: size * 8,
            within: 8,
            because: "That is the size in megabits. A byte has 8 bits.",
          },
        ],
      };
    },

    "exercise-segments"() {
      const { vocabulary, dim, segments } = LARGE;
      const tables = [vocabulary, segments].map(
        (rows) => models.cost("embedding", { vocabulary: rows, dim }).parameters,
      );
      return {
        answer: tables[0] + tables[1],
        because: `${count(vocabulary)} × ${count(dim)} + ${segments} × ${count(dim)} = ${count(tables[0] + tables[1])}.`,
        near: [
          { value: tables[0], because: "That is the token table alone." },
          {
            value: tables[0] * segments,
            because:
              "The segment table is small: it has two rows. Add its parameters to those of the token table.",
          },
        ],
      };
    },
  },

  code: {
    product: (_, { token }) => `import * as Plot from "@observablehq/plot";
import { load } from "phasor";
import { figures } from "phasor/plots";

const { embedding } = await load();
const { heatmap } = figures({ Plot });

const words = "${SMALL.join(" ")}".split(" ");
const table = embedding.create(words.length, ${WIDTH}, { seed: ${SEED} });
const id = words.indexOf("${token}");

const axes = { rowTitle: "token", columnTitle: "dimension", rowLabels: words };
display(heatmap(table.weights(), { ...axes, domain: [-3, 3] }));
display(embedding.oneHot([id], words.length)); // the weights
display(table.oneHot([id])); // the one-hot row times the table, every product formed
display(table.lookup([id])); // the row, copied
`,
  },
});

/** The number of numbers that differ in any bit but the sign of 0. @param {Float32Array} one @param {Float32Array} other */
function differences(one, other) {
  return one.reduce((sum, x, i) => sum + Number(x !== other[i]), 0);
}

/** The number of rows that a reader sets, up to the end of its control. @param {number} vocabulary */
function rowsOf(vocabulary) {
  if (vocabulary > MOST_ROWS) {
    const got = count(vocabulary);
    throw new RangeError(`vocabulary must be at most ${count(MOST_ROWS)}; got ${got}`);
  }
  return vocabulary;
}

/** Size of a table, MB. @param {Phasor} phasor @param {number | undefined} vocabulary @param {number | undefined} dim @param {"float32" | "bfloat16"} dtype */
function megabytes({ embedding }, vocabulary, dim, dtype) {
  const table = embedding.create(Number(vocabulary), Number(dim), { storage: "on-demand" });
  return table.byteLengthAs(dtype) / 1e6;
}

/** What GPT-2 consists of. Each layer: four D x D for attention, eight for the rest, biases, norms. */
function gpt2Parameters() {
  const { vocabulary, dim, layers, positions } = gpt2;
  const tokens = models.cost("embedding", { vocabulary, dim }).parameters;
  const places = models.cost("learnedPositions", { length: positions.rows, dim }).parameters;
  const D = Number(dim);
  const all = tokens + places + layers * (12 * D * D + 13 * D) + 2 * D;
  return { tokens, positions: places, all };
}
