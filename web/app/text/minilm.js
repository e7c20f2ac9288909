import { safetensors, Tensor } from "phasor/files";
import { fetched, ranged } from "./ranged.js";
import { pieces, wordsOf } from "./wordpiece.js";

/** The addresses of the embedding layer and of its vocabulary, which the copied code also reads. */
export const fileUrl = new URL("../../data/minilm.safetensors", import.meta.url).href;
const tokensUrl = new URL("../../data/minilm-tokens.txt", import.meta.url).href;
const othersUrl = new URL("../../data/minilm-others.txt", import.meta.url).href;

/** The bytes of the first request: all small tensors and some 20 positions. */
const FIRST = 40_000;

/** Positions are read on demand: the first request reads most of them, and more are read in steps. */
const NEAR = 20;

/** The number of rows that are read with a request each, to read nothing but them. */
const SINGLE = 8;

/** The number of ids. */
export const SIZE = 30522;

/** MiniLM's width. */
export const DIM = 384;

/** The longest sentence, [CLS] and [SEP] included: sentence-transformers reads no more tokens. */
export const LONGEST = 256;

/** What MiniLM does before its first layer, as `inputEmbeddings` takes it. */
export const spec = Object.freeze({
  dim: DIM,
  tokens: Object.freeze({ segments: 2, norm: 1e-12 }),
  positions: Object.freeze({ scheme: "learnedPositions", preset: "bert" }),
});

/**
 * A token of MiniLM.
 * @typedef {object} Piece
 * @property {string} token  as the vocabulary spells it; a piece that goes on a word begins with ##
 * @property {number} id  its id in the model
 * @property {boolean} hasRow  whether its row is among those of this site; else [UNK]'s row is in its place
 * @property {string} word  the word that it is of; of [UNK], the word that has no tokens
 */

/** @typedef {Awaited<ReturnType<typeof openMinilm>>} Minilm */

/** @type {Promise<Minilm> | undefined} */
let opened;

/**
 * The embedding layer of all-MiniLM-L6-v2, opened once for a page, and again after a failure. Its rows are
 * read when they are needed, some 400 bytes each.
 *
 * @returns {Promise<Minilm>}
 * @throws {Error} if the data cannot be read
 */
export function minilm() {
  const opening = (opened ??= openMinilm());
  opening.catch(() => opened === opening && (opened = undefined));
  return opening;
}

async function openMinilm() {
  const [source, list] = await Promise.all([ranged(fileUrl, FIRST), linesAt(tokensUrl)]);
  const file = await safetensors.read(source);
  const names = ["segments", "norm.weight", "norm.bias", "known"];
  const [segments, weight, bias, known] = await Promise.all(names.map((name) => file.tensor(name)));
  const scales = { words: await file.tensor("words.scale") };

  const { rowOf, ids, lacking } = idsOf(list, known);
  const unknown = /** @type {number} */ (rowOf.get(/** @type {number} */ (ids.get("[UNK]"))));
  /** The rows of the file that `words` reads for ids. @param {Iterable<number>} wanted */
  const rowsOf = (wanted) => Array.from(wanted, (id) => rowOf.get(id) ?? unknown);

  /** Whether `ids` has the tokens without a row too. @type {Promise<void> | undefined} */
  let complete;

  /** Adds the tokens that have no row, whose ids and lengths decide how other words are cut. */
  function addOthers() {
    const adding = (complete ??= linesAt(othersUrl).then((others) => {
      others.forEach((token, i) => ids.set(token, lacking[i]));
    }));
    adding.catch(() => (complete = undefined));
    return adding;
  }

  /** Positions that were read. */
  const none = { count: 0, reading: Promise.resolve(new Tensor(new Float32Array(), [0, DIM])) };
  let places = none;

  /** Rows of words that were read. @type {Map<number, Promise<Float32Array>>} */
  const read = new Map();

  /** Begins to read rows that were not read before. @param {number[]} rows */
  function want(rows) {
    const missing = [...new Set(rows)].filter((row) => !read.has(row));
    const options = { scale: scales.words };
    const groups = missing.length > SINGLE ? [missing] : missing.map((row) => [row]);
    for (const group of groups) {
      const reading = file.rows("words.weight", Int32Array.from(group), options);
      for (const [i, row] of group.entries()) {
        const own = reading.then(({ data }) => data.subarray(i * DIM, (i + 1) * DIM));
        own.catch(() => read.delete(row));
        read.set(row, own);
      }
    }
  }

  return {
    /** The weights that every sentence needs: [2, D] of token types, [D] of the LayerNorm. */
    segments: /** @type {Tensor} */ (segments),
    norm: { weight: /** @type {Tensor} */ (weight), bias: /** @type {Tensor} */ (bias) },

    /**
     * Cuts a text with the model's vocabulary.
     *
     * @param {string} text
     * @param {{special?: boolean}} [options]  `special`: between [CLS] and [SEP], as the model reads it
     * @returns {Promise<Piece[]>}
     */
    async tokenize(text, { special = true } = {}) {
      const words = wordsOf(text);
      // A word that is a token is not cut, so that the rest of the vocabulary is not needed.
      if (words.some((word) => !ids.has(word))) await addOthers();
      const cut = words.flatMap((word) =>
        pieces(word, (token) => ids.has(token)).map((token) => ({ token, word })),
      );
      const ends = special ? ["[CLS]", "[SEP]"].map((token) => [{ token, word: token }]) : [[], []];
      return [...ends[0], ...cut, ...ends[1]].map(({ token, word }) => {
        const id = /** @type {number} */ (ids.get(token));
        return { token, id, hasRow: rowOf.has(id), word };
      });
    },

    /**
     * Rows of words: of ids without a row here, that of [UNK].
     *
     * @param {Iterable<number>} wanted  T ids
     * @returns {Promise<Tensor>} [T, D]
     */
    async words(wanted) {
      const rows = rowsOf(wanted);
      want(rows);
      const all = await Promise.all(
        rows.map((row) => /** @type {Promise<Float32Array>} */ (read.get(row))),
      );
      const data = new Float32Array(all.length * DIM);
      all.forEach((row, i) => data.set(row, i * DIM));
      return new Tensor(data, [all.length, DIM]);
    },

    rowsOf,

    /**
     * Rows of positions 0 to count - 1. Those that were read are not read again.
     *
     * @param {number} count  at most LONGEST
     * @returns {Promise<Tensor>} [count, D]
     */
    async positions(count) {
      if (!(count <= places.count)) {
        const more = count <= NEAR ? count : Math.min(LONGEST, 2 ** Math.ceil(Math.log2(count)));
        const rows = Int32Array.from({ length: more }, (_, i) => i);
        const reading = file.rows("positions.weight", rows, { scale: "positions.scale" });
        reading.catch(() => places.reading === reading && (places = none));
        places = { count: more, reading };
      }
      const { data } = await places.reading;
      return new Tensor(data.slice(0, count * DIM), [count, DIM]);
    },
  };
}

/** Which ids have rows. @param {string[]} list  the tokens of the rows @param {Tensor<any>} known  a bit for each id */
function idsOf(list, known) {
  /** Rows by ids. @type {Map<number, number>} */
  const rowOf = new Map();
  /** Ids of the tokens, first those that have a row. @type {Map<string, number>} */
  const ids = new Map();
  /** Ids of the tokens that have none. @type {number[]} */
  const lacking = [];
  for (let id = 0; id < SIZE; ++id) {
    if ((known.data[id >> 5] >> (id & 31)) & 1) {
      ids.set(list[rowOf.size], id);
      rowOf.set(id, rowOf.size);
    } else {
      lacking.push(id);
    }
  }
  return { rowOf, ids, lacking };
}

/**
 * All rows of words at once, for a page that compares them.
 *
 * @returns {Promise<{words: string[], weights: Tensor}>} the token of each row, [V, D]
 * @throws {Error} if the data cannot be read
 */
export async function readRows() {
  const [response, words] = await Promise.all([fetched(fileUrl), linesAt(tokensUrl)]);
  const file = await safetensors.read(await response.blob());
  const weights = await file.tensor("words.weight", { scale: "words.scale" });
  return { words, weights: /** @type {Tensor} */ (weights) };
}

/** @param {string} url */
async function linesAt(url) {
  const response = await fetched(url);
  return (await response.text()).trimEnd().split("\n");
}
