/** @import { Phasor } from "phasor" */
/** @import { Token, Vocabulary } from "../../app/text/tokens.js" */
import { models } from "phasor/models";
import { make } from "../../app/dom.js";
import { page } from "../../app/page.js";
import { brief, count, shape } from "../../app/numbers.js";
import { bar, heatmap } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { loadGpt2 } from "../../app/text/gpt2.js";
import { loadWords } from "../../app/text/words.js";

/** The maximal number of tokens shown. */
const SHOWN = 24;

const BANK = "she sat by the river bank and the bank gave her money";
const HAMLET = "To be or not to be";

/** The table of the one-hot product: its tokens, its width, what draws it. */
const SMALL = [
  "the",
  "my",
  "your",
  "cat",
  "dog",
  "bird",
  "mat",
  "sat",
  "saw",
  "ran",
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

const gpt2Loaded = remembered(loadGpt2);

/** The tokens of the sentence that have a row, the first of them, and their rows. */
const looked = remembered(
  /** @param {Vocabulary} vocabulary @param {string} sentence @param {number} dim */
  (vocabulary, sentence, dim) => {
    const tokens = vocabulary.tokenize(sentence);
    const known = tokens.filter(({ id }) => typeof id === "number").slice(0, SHOWN);
    const ids = known.map(({ id }) => Number(id));
    const labels = known.map(({ label }) => label);
    return { tokens, ids, labels, rows: vocabulary.table(dim, 0).lookup(ids) };
  },
);

/** @param {Phasor} phasor @param {import("../../app/controls.js").Values} controls @param {import("../../app/controls.js").Values} made */
async function sentenceOf(phasor, { sentence, tokenizer }, made) {
  const vocabulary = tokenizer === "words" ? made.words : await gpt2Loaded(phasor);
  return looked(vocabulary, sentence, Number(gpt2.dim));
}

const compared = remembered(
  /** @param {Vocabulary} words @param {string} sentence */
  (words, sentence) => {
    const known = words.tokenize(sentence).filter(({ id }) => id !== null);
    const tokens = known.slice(0, SHOWN);
    return { tokens, rows: words.table(0, 0).lookup(tokens.map(({ id }) => Number(id))) };
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

page({
  prepare: async (phasor) => ({ words: await loadWords(phasor) }),

  pictures: {
    async rows(phasor, controls, made) {
      const { rows, labels } = await sentenceOf(phasor, controls, made);
      return heatmap(rows, {
        title: "The rows of the sentence's tokens",
        rowTitle: "token",
        columnTitle: "dimension",
        rowLabels: labels,
      });
    },

    alike({ similarity }, controls, { words }) {
      const { tokens, rows } = compared(words, controls.compared);
      const labels = tokens.map(({ label }) => label);
      return heatmap(similarity.matrix(rows), {
        title: "Cosine of every two rows",
        rowTitle: "token",
        columnTitle: "token",
        rowLabels: labels,
        columnLabels: labels,
        domain: [-1, 1],
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
        },
      );
    },

    sum(phasor, { token, done }) {
      const { sum, row } = sums(phasor, token, done);
      return heatmap([...sum.toArray(), ...row.toArray()], {
        title: "Their sum, and the row that a lookup copies",
        rowTitle: "vector",
        columnTitle: "dimension",
        rowLabels: ["sum", `row ${SMALL.indexOf(token)}`],
        domain: [-3, 3],
      });
    },

    sizes(phasor, { vocabulary, dim, dtype }) {
      const tables = [{ name: "yours", vocabulary, dim }, ...COMPARED.map(models.get)];
      const sizes = tables.map((each) => megabytes(phasor, each.vocabulary, each.dim, dtype));
      return bar(sizes, {
        title: `Tables for tokens in ${dtype}`,
        labels: tables.map(({ name }) => name),
        groups: tables.map(({ name }) => (name === "yours" ? "yours" : "public models")),
        xTitle: "model",
        yTitle: "size (MB)",
        horizontal: true,
      });
    },
  },

  facts: {
    async tokens(phasor, controls, made) {
      const { tokens } = await sentenceOf(phasor, controls, made);
      const list = document.createDocumentFragment();
      list.append(...chips(tokens));
      return list;
    },

    async read(phasor, controls, made) {
      const { tokens, ids, rows } = await sentenceOf(phasor, controls, made);
      const known = tokens.filter(({ id }) => id !== null).length;
      return [
        `Ids ${shape([ids.length])}, rows ${shape(rows.shape)}. Different rows: ${count(new Set(ids).size)}.`,
        known < tokens.length &&
          `Words that are not among the ${count(made.words.size)} of the table have no row; GPT-2's tokens are pieces that can write any text.`,
        ids.length < known && `The picture holds the first ${SHOWN} tokens.`,
        controls.tokenizer === "gpt2" &&
          `GPT-2's own table would be ${brief(megabytes(phasor, gpt2.vocabulary, gpt2.dim, "float32"))} MB to fetch. These rows have its width and are drawn at random, as before training: they mean nothing yet.`,
      ]
        .filter(Boolean)
        .join(" ");
    },

    repeated(phasor, controls, { words }) {
      const { tokens, rows } = compared(words, controls.compared);
      const pairs = tokens.flatMap(({ id, label }, t) => {
        const again = tokens.findIndex((other, at) => at > t && other.id === id);
        return again < 0 ? [] : [{ label, t, again }];
      });
      if (pairs.length === 0) return "No word of this sentence that has a row stands in it twice.";
      return pairs
        .map(({ label, t, again }) => {
          const different = differences(rows.row(t).data, rows.row(again).data);
          return `The rows of “${label}” at ${t} and ${again} differ in ${count(different)} of ${count(rows.shape[1])} numbers.`;
        })
        .join(" ");
    },

    gap(phasor, { token, done }) {
      const { sum, row } = sums(phasor, token, done);
      const apart = brief(phasor.similarity.rows(sum, row, { metric: "euclidean" }).data[0]);
      const id = SMALL.indexOf(token);
      return done > id
        ? `The product with weight 1 is among the ${count(done)}: the sum is ${apart} away from row ${id}.`
        : `So far every weight was 0: the sum is ${apart} away from row ${id}.`;
    },

    flops: () =>
      count(models.cost("one-hot", { vocabulary: gpt2.vocabulary, dim: gpt2.dim }).flops),
    copied: () => count(Number(gpt2.dim)),
    refused(phasor) {
      try {
        return String(small(phasor).table.lookup([SMALL.length]));
      } catch (error) {
        return `“${/** @type {Error} */ (error).message}”.`;
      }
    },

    parameters(phasor, { vocabulary, dim, dtype }) {
      const { parameters } = models.cost("embedding", { vocabulary, dim });
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
    twice({ similarity }, _, { words }) {
      const { tokens, rows } = compared(words, BANK);
      const [first, second] = [...tokens.keys()].filter((t) => tokens[t].label === "bank");
      const cosine = similarity.pair(rows.row(first), rows.row(second));
      const different = differences(rows.row(first).data, rows.row(second).data);
      const river = rows.row(tokens.findIndex(({ label }) => label === "river"));
      const money = rows.row(tokens.findIndex(({ label }) => label === "money"));
      return {
        answer: cosine < 0.5 ? "place" : cosine < 0.99 ? "near" : "same",
        because: `Both are row ${tokens[first].id} of the table: ${count(different)} numbers differ, and the cosine is ${brief(cosine)}. That one row has to serve both meanings: its cosine with “river” is ${brief(similarity.pair(rows.row(first), river))}, with “money” ${brief(similarity.pair(rows.row(first), money))}.`,
      };
    },
    product({ embedding }) {
      const table = embedding.create(1000, 64, { seed: SEED });
      const ids = Int32Array.from({ length: 1000 }, (_, id) => id);
      const [row, product] = [table.lookup(ids), table.oneHot(ids)];
      const different = differences(row.data, product.data);
      table.dispose();
      return {
        answer: different === 0 ? "none" : different < row.size / 2 ? "some" : "most",
        because: `${count(different)} of ${count(row.size)} differ. A number times 0 is exactly 0, times 1 exactly itself, and adding 0 rounds nothing.`,
      };
    },
    "exercise-rows"(_, __, { words }) {
      const ids = words.tokenize(HAMLET).map((/** @type {Token} */ { id }) => id);
      const different = new Set(ids).size;
      return {
        answer: different,
        because: `The ids are ${ids.join(", ")}: ${ids.length} tokens, ${different} different rows.`,
      };
    },
    "exercise-bytes"(phasor) {
      const size = megabytes(phasor, llama.vocabulary, llama.dim, "bfloat16");
      return {
        answer: size,
        within: 1,
        because: `${count(Number(llama.vocabulary))} × ${count(Number(llama.dim))} numbers of 2 bytes are ${count(Math.round(size))} MB.`,
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

/** Tokens with their ids as items of a list. @param {Token[]} tokens */
function chips(tokens) {
  return tokens
    .slice(0, SHOWN)
    .map(({ label, id }) =>
      make(
        "li",
        { class: id === null ? "without" : "" },
        make("span", { class: "token" }, label),
        make("span", { class: "id" }, id === null ? "not in the table" : String(id)),
      ),
    );
}

/** The number of numbers that differ in any bit but the sign of 0. @param {Float32Array} one @param {Float32Array} other */
function differences(one, other) {
  return one.reduce((sum, x, i) => sum + Number(x !== other[i]), 0);
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
