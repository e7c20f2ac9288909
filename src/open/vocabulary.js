/**
 * The vocabulary that came with a model.
 */
import { vocabulary } from "../files/index.js";

/** @import {Vocabulary} from "../files/index.js" */
/** @import {Parts} from "./model.js" */

const MOST_BYTES = 2 ** 27; // the largest tokenizer.json have some 30 MB

/**
 * @param {Pick<Parts, "place" | "path" | "weights">} parts
 * @returns {Promise<Vocabulary | undefined>} undefined if there is none
 */
export async function readVocabulary({ place, path, weights }) {
  if (weights.metadata.has("tokenizer.ggml.tokens")) return vocabulary.gguf(weights.metadata);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  for (const [name, read] of [
    ["tokenizer.json", vocabulary.tokenizerJson],
    ["vocab.txt", vocabulary.wordPiece],
  ]) {
    // A model in a folder of a repository may share what lies at the top.
    const file = [`${folder}${name}`, `${name}`].find((each) => place.files.includes(each));
    if (file === undefined) continue;
    const text = await place.text(file, MOST_BYTES);
    return /** @type {typeof vocabulary.tokenizerJson} */ (read)(new TextEncoder().encode(text));
  }
  return undefined;
}
