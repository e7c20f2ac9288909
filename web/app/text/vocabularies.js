/** @import { Phasor } from "phasor" */
/** @import { Vocabulary } from "./tokens.js" */
import { loadGpt2 } from "./gpt2.js";
import { loadWords } from "./words.js";

const loaders = { words: loadWords, gpt2: loadGpt2 };

/**
 * Vocabularies, each loaded on first use, and again after a failure.
 *
 * @param {Phasor} phasor
 * @returns {(name: keyof typeof loaders) => Promise<Vocabulary>}
 */
export function vocabularies(phasor) {
  /** @type {Map<string, Promise<Vocabulary>>} */
  const loaded = new Map();
  return (name) => {
    const vocabulary = loaded.get(name) ?? loaders[name](phasor);
    loaded.set(name, vocabulary);
    vocabulary.catch(() => loaded.delete(name));
    return vocabulary;
  };
}
