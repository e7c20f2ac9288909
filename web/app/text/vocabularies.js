/** @import { Phasor } from "phasor" */
/** @import { Vocabulary } from "./tokens.js" */
import { loadGpt2 } from "./gpt2.js";
import { loadWords } from "./words.js";

const loaders = { words: loadWords, gpt2: loadGpt2 };

/**
 * Vocabularies, each loaded when it is first asked for.
 *
 * @param {Phasor} phasor
 * @param {() => void} loaded  called when one has arrived
 * @param {(error: Error) => void} failed  called when one has not; asking again tries again
 * @returns {(name: keyof typeof loaders) => Vocabulary | undefined} undefined while on its way
 */
export function vocabularies(phasor, loaded, failed) {
  /** @type {Map<string, Vocabulary | undefined>} */
  const known = new Map();
  return (name) => {
    if (!known.has(name)) {
      known.set(name, undefined);
      loaders[name](phasor).then(
        (vocabulary) => {
          known.set(name, vocabulary);
          loaded();
        },
        (error) => {
          known.delete(name);
          failed(error);
        },
      );
    }
    return known.get(name);
  };
}
