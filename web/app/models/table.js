/**
 * @import { Phasor } from "phasor"
 * @import { inspect, statisticsOf } from "./inspect.js"
 * @import { Metric, Plain, Ranking, Triple } from "./rank.js"
 * @import { Positions } from "./tasks.js"
 */
import { beginWords, readWords } from "../text/words.js";
import { analogyIn, answersIn, cosinesIn, neighborsIn, numbersIn } from "./rank.js";
import { beginning, near } from "./spelling.js";

/**
 * A table of word vectors to explore. The other parts of the page work on any such table.
 *
 * @typedef {object} Table
 * @property {string} noun  what its rows are: "word" or "token"
 * @property {readonly string[]} words  as they are shown: a word's id is its row
 * @property {ArrayLike<number>} lengths  [size]: of the vectors
 * @property {number} size
 * @property {number} dim
 * @property {Awaited<ReturnType<typeof inspect>>} about
 * @property {string} memory  size and dtype, as text
 * @property {Map<number, string>} [groups]  of its words by their ids, where the file has them
 * @property {import("./vectors.js").Choice & {wish: import("./tasks.js").Wish}} [choice]  of the columns of the reader's
 *   table, and its files
 * @property {string} hub  its name on the hub, or ""
 * @property {(text: string) => number} idOf  -1 where the text is no word of the table
 * @property {(word: string) => number} wordOf  the id of a plain word, however the table spells it; or -1
 * @property {(id: number) => number[]} alike  other words that differ only in a space or a capital letter
 * @property {(id: number) => string} place  the rank of a word, as text
 * @property {(text: string, most: number) => string[]} beginning  words that begin with a text
 * @property {(text: string, most: number) => string[]} near  words that a text may be a misspelling of
 * @property {(text: string) => Promise<string>} pieces  the tokens of a text; "" if the tokenizer
 *   is unknown
 * @property {(id: number, k: number, metric: Metric) => Promise<Ranking>} neighbors
 * @property {(ids: Triple, k: number, metric: Metric, inputs: boolean) => Promise<Ranking>} analogy
 * @property {(triples: readonly Triple[], inputs: boolean) => Promise<Int32Array>} answers  the best to
 *   each, by the cosine
 * @property {(ids: readonly number[]) => Promise<Plain>} rows  [N, D]
 * @property {(columns: number) => Promise<Plain>} numbers  the first of every row: [V, columns]
 * @property {(ids: readonly number[]) => Promise<Plain>} cosines  [N, N]
 * @property {(ids: Int32Array | undefined, components: number, signal: AbortSignal) => Promise<{projected: ArrayLike<number>, ratio: ArrayLike<number>}>} components
 * @property {() => Promise<ArrayLike<number>>} spectrum  singular values of all rows, centered
 * @property {() => Promise<ReturnType<typeof statisticsOf>>} statistics
 * @property {() => Promise<number[][]>} repeated  ids of equal rows
 * @property {() => Promise<Positions | null>} positions
 * @property {() => void} close  releases its memory
 * @property {{size: number, has: (text: string) => boolean}} [coming]  of a table whose other rows are on their way: its
 *   size then, and whether a text will be one of its words
 * @property {Table} [before]  its first rows, which the page has shown until it came
 */

/** What the page knows of GloVe's table besides its numbers. */
const GLOVE = Object.freeze({
  name: "GloVe",
  noun: "word",
  file: "glove-10k-100d.safetensors",
  tensor: "embedding",
  scale: "float32",
  tensors: 2,
  order: "by frequency",
  fact: "Positions: none; GloVe knows words, not sentences.",
});

/**
 * The 10,000 words of GloVe.
 *
 * @param {Phasor} phasor
 * @returns {Promise<Table>}
 * @throws {Error} if the data cannot be read
 */
export async function gloveTable(phasor) {
  const { words, weights } = await readWords();
  return ownTable(phasor, words, weights, GLOVE);
}

/** The words of GloVe that a page begins with. */
const FIRST = 2000;

/**
 * GloVe in two steps: its most frequent words, then all of them.
 *
 * @param {Phasor} phasor
 * @param {readonly string[]} needed  texts; where one is a later word, the first step has all words
 * @returns {Promise<{table: Table, whole: () => Promise<Table>}>}
 * @throws {Error} if the data cannot be read
 */
export async function beginGlove(phasor, needed) {
  const { words, weights, rest } = await beginWords(FIRST);
  const begun = ownTable(phasor, words, weights, GLOVE);
  if (!rest) return { table: begun, whole: async () => begun };
  /** @type {Promise<Table> | undefined} */
  let opened;
  const read = async () => ({ ...ownTable(phasor, words, await rest(), GLOVE), before: begun });
  const whole = () => {
    const opening = (opened ??= read());
    opening.catch(() => opened === opening && (opened = undefined)); // the next call tries again
    return opening;
  };
  const table = needed.some((text) => begun.coming?.has(text)) ? await whole() : begun;
  return { table, whole };
}

/**
 * The 10,345 tokens of all-MiniLM-L6-v2 that the site has.
 *
 * @param {Phasor} phasor
 * @returns {Promise<Table>}
 * @throws {Error} if the data cannot be read
 */
export async function minilmTable(phasor) {
  const { readRows } = await import("../text/minilm.js");
  const { words, weights } = await readRows();
  return ownTable(phasor, words, weights, {
    name: "MiniLM",
    noun: "token",
    file: "minilm.safetensors",
    tensor: "words",
    scale: "float16",
    tensors: 8,
    fact: "Positions: a learned table, added to the words.",
    order: "by the vocabulary",
  });
}

/**
 * A table of the site's own, whose rows have 8 bits a number.
 *
 * @param {Phasor} phasor @param {readonly string[]} all  words; those behind the rows are on their way
 * @param {Plain<ArrayLike<number>>} weights  [V, D]
 * @param {{name: string, noun: string, file: string, tensor: string, scale: "float16" | "float32", tensors: number, fact: string, order: string}} of
 * @returns {Table}
 */
function ownTable(phasor, all, weights, { name, noun, file, tensor, scale, ...of }) {
  const [[size, dim], total] = [weights.shape, all.length];
  const words = all.slice(0, size);
  const table = phasor.embedding.from(weights);
  const ids = new Map(all.map((word, id) => [word, id]));
  /** @param {string} text */
  const found = (text) => {
    const word = text.trim();
    return ids.get(word) ?? ids.get(word.toLowerCase()) ?? -1;
  };
  const idOf = (/** @type {string} */ text) => (found(text) < size ? found(text) : -1);
  const explorer = async () => (await import("phasor/open")).explore(phasor, table);
  return {
    noun,
    words,
    size,
    dim,
    hub: "",
    lengths: phasor.statistics.norms(weights).data,
    about: {
      name,
      file,
      revision: undefined,
      format: "safetensors",
      layers: [
        {
          what: "words",
          name: `${tensor}.weight`,
          shape: [total, dim],
          dtype: "int8",
          byteLength: total * dim,
        },
        {
          what: "scales of the rows",
          name: `${tensor}.scale`,
          shape: [total, 1],
          dtype: scale,
          byteLength: (scale === "float16" ? 2 : 4) * total,
        },
      ],
      tensors: of.tensors,
      facts: [of.fact],
      warnings: [],
    },
    memory: "it came with this page",
    idOf,
    wordOf: idOf,
    alike: () => [],
    place: (id) =>
      `number ${(id + 1).toLocaleString("en")} of ${total.toLocaleString("en")} ${of.order}`,
    beginning: (text, most) => beginning(words, text, most),
    near: (text, most) => near(words, text, most),
    pieces: async () => "",
    neighbors: async (id, k, metric) => neighborsIn(phasor, table, id, k, metric),
    analogy: async (ids, k, metric, inputs) => analogyIn(phasor, table, ids, k, metric, inputs),
    answers: async (triples, inputs) => answersIn(phasor, table, triples, inputs),
    async rows(ids) {
      const { data, shape } = table.lookup(ids);
      return { data: /** @type {Float32Array} */ (data), shape };
    },
    numbers: async (columns) => numbersIn(table, columns),
    cosines: async (ids) => cosinesIn(phasor, table, ids),
    async components(ids, components, signal) {
      const points = table.lookup(ids ?? Int32Array.from({ length: size }, (_, id) => id));
      const { inWorker } = await import("../in-worker.js");
      const found = await inWorker(({ pca }) => pca(points, { components }), signal);
      void found.dispose();
      return { projected: found.projected.data, ratio: found.explainedVarianceRatio.data };
    },
    spectrum: async () => phasor.statistics.singularValues(table).data,
    async statistics() {
      const { statisticsOf } = await import("./inspect.js");
      return statisticsOf(await explorer());
    },
    repeated: async () => (await explorer()).duplicates(),
    positions: async () => null,
    close: () => table.dispose(),
    coming: size < total ? { size: total, has: (text) => found(text) >= size } : undefined,
  };
}
