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
  if (list) return vocabulary.wordPiece(await list.bytes(signal));
  const ids = beside("merges.txt") && beside("vocab.json");
  return ids && readPairs(new TextDecoder().decode(await ids.bytes(signal)));
}

/**
 * A vocab.json of byte-pair encoding, as a tokenizer.json has it. The letter of the space tells GPT-2's alphabet of bytes
 * from text, and "</w>" the ends of words.
 * @param {string} ids  {"token": id, ...}
 */
function readPairs(ids) {
  const suffix = ids.includes("</w>") ? `, "end_of_word_suffix": "</w>"` : "";
  const decoder = /\u0120|\\u0120/.test(ids) ? `, "decoder": { "type": "ByteLevel" }` : "";
  const json = `{ "model": { "type": "BPE"${suffix}, "vocab": ${ids}\n }${decoder} }`;
  return vocabulary.tokenizerJson(new Blob([json]));
}
