/** @import { Phasor, Tensor } from "phasor" */
import { models } from "phasor/models";
import { cut } from "../../app/text/cut.js";
import { label } from "../../app/text/tokens.js";

/** Words of a sentence that are read, and a sentence where there is no word at all. */
const MOST = 8;
const DEFAULT = ["dog", "bites", "man"];

/** The row of the first word; each further word has the next row. */
export const FIRST_ID = 1000;

/** Ids of the tokens that models add to a text. */
const CLS = 101;
const SEP = 102;
const BOS = 1;

/** The spread of the numbers of fresh tables: openai/gpt-2, src/model.py; initializer_range. */
export const STD = 0.02;
export const GPT2_POSITIONS_STD = 0.01;

/**
 * @typedef {object} Input
 * @property {string[]} tokens  [T]
 * @property {number[]} ids  [T]
 * @property {Record<string, Tensor>} stages  each [T, D], in their order
 */

/**
 * The input of the three models' first layers, and its parts.
 *
 * @param {Phasor} phasor
 * @param {string} sentence @param {string} next  read one after the other
 * @param {number} seed
 * @param {number} [factor]  of BERT's tables
 * @returns {{gpt2: Input, bert: Input, llama: Input}}
 */
export function inputs(phasor, sentence, next, seed, factor = 1) {
  const [a, b] = read(sentence, next);
  return {
    gpt2: gpt2(phasor, [...a, ...b], seed),
    bert: bert(phasor, [a, b], seed, factor),
    llama: llama(phasor, [["<s>", BOS], ...a, ...b], seed),
  };
}

/**
 * BERT's input with the second sentence first, its words with the same ids.
 * @param {Phasor} phasor @param {string} sentence @param {string} next @param {number} seed
 */
export function swappedInput(phasor, sentence, next, seed) {
  const [a, b] = read(sentence, next);
  return bert(phasor, b.length > 0 ? [b, a] : [a, b], seed, 1);
}

/** How many words of the first sentence are read. @param {string} sentence @param {string} next */
export const wordsRead = (sentence, next) => read(sentence, next)[0].length;

/** Words with their ids. @typedef {[word: string, id: number][]} Words */

/** @param {string} sentence @param {string} next @returns {[Words, Words]} */
function read(sentence, next) {
  const [a, b] = [sentence, next].map((text) => cut(text).map(label).slice(0, MOST));
  const first = a.length + b.length > 0 ? a : DEFAULT;
  const all = [...new Set([...first, ...b])];
  const id = (/** @type {string} */ word) => FIRST_ID + all.indexOf(word);
  const withIds = (/** @type {string[]} */ words) =>
    words.map((word) => /** @type {[string, number]} */ ([word, id(word)]));
  return [withIds(first), withIds(b)];
}

/**
 * A random table whose rows are drawn when they are looked up.
 * @param {Phasor} phasor @param {number} rows @param {number} dim @param {number} std @param {number} seed
 */
function drawn({ embedding }, rows, dim, std, seed) {
  return embedding.create(rows, dim, { std, seed, storage: "on-demand" });
}

/** @param {Phasor} phasor @param {Words} words @param {number} seed @returns {Input} */
function gpt2(phasor, words, seed) {
  const { vocabulary, dim, positions } = sizesOf("gpt2");
  const tables = {
    words: drawn(phasor, vocabulary, dim, STD, seed),
    positions: drawn(phasor, positions, dim, GPT2_POSITIONS_STD, seed + 100),
  };
  const ids = words.map(([, id]) => id);
  const stages = phasor.inputEmbeddings(models.get("gpt2"), tables, ids, { intermediates: true });
  return { tokens: words.map(([word]) => word), ids, stages: { ...stages } };
}

/** @param {Phasor} phasor @param {[Words, Words]} texts @param {number} seed @param {number} factor @returns {Input} */
function bert(phasor, [a, b], seed, factor) {
  const { vocabulary, dim, positions, segments } = sizesOf("bert-base-uncased");
  const std = factor * STD;
  const tables = {
    words: drawn(phasor, vocabulary, dim, std, seed + 200),
    positions: drawn(phasor, positions, dim, std, seed + 300),
    segments: drawn(phasor, segments, dim, std, seed + 400),
  };
  /** @type {Words} */
  const end = [["[SEP]", SEP]];
  /** @type {Words} */
  const words = [["[CLS]", CLS], ...a, ...end, ...(b.length > 0 ? [...b, ...end] : [])];
  const ids = words.map(([, id]) => id);
  const lengths = (b.length > 0 ? [a, b] : [a]).map((text) => text.length);
  const stages = phasor.inputEmbeddings(models.get("bert-base-uncased"), tables, ids, {
    intermediates: true,
    segments: phasor.tokenTypeIds.ids(lengths),
  });
  return { tokens: words.map(([word]) => word), ids, stages: { ...stages } };
}

/** The lookup alone: positions come later. @param {Phasor} phasor @param {Words} words @param {number} seed @returns {Input} */
function llama(phasor, words, seed) {
  const { vocabulary, dim } = sizesOf("llama-2-7b");
  const ids = words.map(([, id]) => id);
  const weights = { words: drawn(phasor, vocabulary, dim, STD, seed + 500) };
  const stages = phasor.inputEmbeddings(models.get("llama-2-7b"), weights, ids, {
    intermediates: true,
  });
  return { tokens: words.map(([word]) => word), ids, stages: { ...stages } };
}

/** Rows and width of a model's tables. @param {string} name */
export function sizesOf(name) {
  const { vocabulary, dim, tokens, positions } = models.get(name);
  return {
    vocabulary: Number(vocabulary),
    dim: Number(dim),
    positions: Number(positions.rows),
    segments: tokens.segments,
  };
}
