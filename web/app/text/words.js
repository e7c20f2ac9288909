/** @import { Phasor, Tensor } from "phasor" */
/** @import { Token, Vocabulary, WholeTable } from "./tokens.js" */
import { safetensors } from "phasor/files";
import { cut } from "./cut.js";
import { fetched } from "./ranged.js";
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
 * @returns {Promise<{words: string[], weights: Tensor}>} [V], [V, D]
 * @throws {Error} if the data cannot be read
 */
export async function readWords() {
  const [file, words] = await Promise.all([
    fetched(tableUrl).then(async (response) => safetensors.read(await response.blob())),
    readList(),
  ]);
  const weights = await file.tensor("embedding.weight", { scale: "embedding.scale" });
  return { words, weights };
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
