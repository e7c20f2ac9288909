/** @import { Phasor } from "phasor" */
/** @import { Plain } from "../models/rank.js" */
/** @import { Token, Vocabulary, WholeTable } from "./tokens.js" */
import { cut } from "./cut.js";
import { fetched, ranged } from "./ranged.js";
import { label } from "./tokens.js";

/** The addresses of the trained table and its words, which the copied code also reads. */
export const tableUrl = new URL("../../data/glove-10k-100d.safetensors", import.meta.url).href;
export const listUrl = new URL("../../data/glove-10k-words.txt", import.meta.url).href;

/** GloVe's width. */
export const DIM = 100;

/**
 * The 10,000 most frequent words of GloVe and their trained table.
 *
 * @param {Phasor} phasor
 * @returns {Promise<Vocabulary & {words: string[], table: () => WholeTable}>}  `words` by their rows
 * @throws {Error} if the data cannot be read
 */
export async function loadWords({ embedding }) {
  const { words, weights } = await readWords();
  const [size] = weights.shape;
  const table = embedding.from(weights);
  const ids = new Map(words.map((word, id) => [word, id]));
  return {
    size,
    words,
    /** @param {string} text @returns {Token[]} */
    tokenize: (text) =>
      cut(text).map((word) => ({ label: label(word), id: ids.get(word) ?? null })),
    table: () => table,
  };
}

/**
 * The words, most frequent first, and their vectors.
 *
 * @returns {Promise<{words: string[], weights: Plain}>} [V], [V, D]
 * @throws {Error} if the data cannot be read
 */
export async function readWords() {
  const [{ size, rows }, words] = await Promise.all([
    fetched(tableUrl).then(async (response) => open(await response.blob())),
    readList(),
  ]);
  return { words, weights: await rows(0, size) };
}

/** The bytes of the first request: the header and the scales of the first rows. */
const HEAD = 8_400;

/**
 * The words, and the vectors of the first of them; the others are read when they are asked for.
 *
 * @param {number} first
 * @returns {Promise<{words: string[], weights: Plain, rest: (() => Promise<Plain>) | undefined}>}  `rest` gives all [V, D];
 *   undefined where the host answers no ranges: then `weights` are all
 * @throws {Error} if the data cannot be read
 */
export async function beginWords(first) {
  const [{ size, rows, isWhole }, words] = await Promise.all([
    ranged(tableUrl, HEAD).then(open),
    readList(),
  ]);
  if (isWhole) return { words, weights: await rows(0, size), rest: undefined };
  const weights = await rows(0, first);
  const rest = async () => {
    const { data, shape } = await rows(first, size);
    const all = new Float32Array(size * shape[1]);
    all.set(weights.data);
    all.set(data, weights.data.length);
    return { data: all, shape: [size, shape[1]] };
  };
  return { words, weights, rest };
}

/**
 * The table in its file, whose rows have 8 bits a number and a scale each. What `phasor/files` reads of any file would be
 * 30 kB before the first answer of a page.
 *
 * @param {Blob | Awaited<ReturnType<typeof ranged>>} source
 */
async function open(source) {
  const bytes = async (/** @type {number} */ begin, /** @type {number} */ end) =>
    source.slice(begin, end).arrayBuffer();
  const length = 8 + Number(new DataView(await bytes(0, 8)).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(await bytes(8, length)));
  const [weights, scales] = [header["embedding.weight"], header["embedding.scale"]];
  const [size, D] = weights.shape;
  const part = (
    /** @type {number} */ at,
    /** @type {number} */ width,
    /** @type {number[]} */ of,
  ) => bytes(length + at + width * of[0], length + at + width * of[1]);

  /** Rows with their scale. @param {number} begin @param {number} end @returns {Promise<Plain>} */
  async function rows(begin, end) {
    const [stored, factors] = await Promise.all([
      part(weights.data_offsets[0], D, [begin, end]),
      part(scales.data_offsets[0], Float32Array.BYTES_PER_ELEMENT, [begin, end]),
    ]);
    const data = Float32Array.from(new Int8Array(stored));
    for (const [i, factor] of new Float32Array(factors).entries()) {
      for (let at = i * D; at < (i + 1) * D; ++at) data[at] *= factor;
    }
    return { data, shape: [end - begin, D] };
  }
  return { size, rows, isWhole: source instanceof Blob };
}

/**
 * The words alone, most frequent first.
 *
 * @returns {Promise<string[]>} [V]
 * @throws {Error} if they cannot be read
 */
export async function readList() {
  const list = await (await fetched(listUrl)).text();
  return list.trimEnd().split("\n");
}
