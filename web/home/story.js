/** @import { Phasor } from "phasor" */
/** @import { Settings } from "./settings.js" */
/** @import { Stages } from "./stages.js" */
/** @import { Table, Token, Vocabulary } from "../app/text/tokens.js" */
import { remembered } from "../app/remembered.js";
import { stages } from "./stages.js";

/**
 * Everything that the page shows: the results for one sentence and its settings.
 *
 * @typedef {object} Story
 * @property {Settings} settings
 * @property {Token[]} tokens
 * @property {Int32Array} ids  of the tokens that have a row, at most L
 * @property {readonly string[]} labels  theirs
 * @property {Vocabulary["model"]} model
 * @property {Table} table
 * @property {Stages} stages
 */

/**
 * Computes the story, and only what has changed.
 *
 * @param {Phasor} phasor
 * @returns {(vocabulary: Vocabulary, settings: Settings) => Story} throws phasor's own errors
 */
export function storyteller(phasor) {
  const tokenize = remembered(
    /** @param {Vocabulary} vocabulary @param {string} text */
    (vocabulary, text) => vocabulary.tokenize(text),
  );
  const choose = remembered(
    /** @param {Token[]} tokens @param {number} length */
    (tokens, length) => {
      const chosen = tokens.filter(({ id }) => id !== null).slice(0, length);
      return {
        ids: Int32Array.from(chosen, ({ id }) => Number(id)),
        labels: chosen.map(({ label }) => label),
      };
    },
  );
  const tableOf = remembered(
    /** @param {Vocabulary} vocabulary @param {number} dim @param {number} seed */
    (vocabulary, dim, seed) => vocabulary.table(dim, seed),
  );
  const stagesOf = stages(phasor);

  return (vocabulary, settings) => {
    const tokens = tokenize(vocabulary, settings.text);
    const { ids, labels } = choose(tokens, settings.length);
    const table = tableOf(vocabulary, settings.dim, settings.seed);
    const { model } = vocabulary;
    return { settings, tokens, ids, labels, model, table, stages: stagesOf(table, ids, settings) };
  };
}
