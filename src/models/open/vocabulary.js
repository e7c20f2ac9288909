/**
 * Reads the vocabulary of a model.
 */
import { vocabulary } from "../../files/index.js";

/** @import {Vocabulary} from "../../files/index.js" */
/** @import {Beside} from "./beside.js" */
/** @import {Weights} from "./weights.js" */

/**
 * @param {Weights} weights @param {(name: string) => Beside | undefined} beside
 * @param {AbortSignal} signal
 * @returns {Promise<Vocabulary | undefined>} undefined if there is none
 */
export async function readVocabulary({ metadata }, beside, signal) {
  if (metadata.has("tokenizer.ggml.tokens")) return vocabulary.gguf(metadata);
  const json = beside("tokenizer.json");
  if (json) return vocabulary.tokenizerJson(await json.bytes(signal));
  const list = beside("vocab.txt");
  return list && vocabulary.wordPiece(await list.bytes(signal));
}
