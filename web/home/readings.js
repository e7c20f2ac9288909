/**
 * @import { Phasor, Tensor } from "phasor"
 * @import { WholeTable } from "../app/text/tokens.js"
 * @import { Settings, Source } from "./settings.js"
 */
import { remembered } from "../app/remembered.js";
import { label } from "../app/text/tokens.js";
import { vocabularies } from "../app/text/vocabularies.js";
import { LONGEST } from "./settings.js";

/**
 * A piece of the sentence.
 * @typedef {object} Token
 * @property {string} label  its text on the page
 * @property {number | null} id  null: the vocabulary does not have it
 * @property {boolean} own  whether its vector is its own
 * @property {"left out" | "too long" | undefined} [out]  why it takes no part, and has no position
 */

/**
 * The steps of an embedding layer, each [T, D], of those tokens that take part. A step that the layer does not have
 * is left out.
 *
 * @typedef {object} Stages
 * @property {Tensor} words @property {Tensor} [scaled] @property {Tensor} [positions] @property {Tensor} [segments]
 * @property {Tensor} [sum] @property {Tensor} [normalized] @property {Tensor} [projected] @property {Tensor} output
 */

/**
 * A sentence as an embedding layer reads it.
 *
 * @typedef {object} Reading
 * @property {readonly Token[]} tokens
 * @property {number} size  V, the number of vectors in the whole table
 * @property {Stages} stages
 * @property {readonly string[]} notes  sentences about tokens that have no vector
 * @property {readonly number[]} [rows]  of the page's file, by which the program reads
 * @property {About} [model]
 */

/**
 * Facts about an opened model, as text.
 * @typedef {object} About
 * @property {string} name
 * @property {string} hub  its name on the hub, or ""
 * @property {string | undefined} revision
 * @property {string} file  of its weights
 * @property {readonly string[]} input  how the model computes its input
 * @property {string} why  why its rule is not computed, or ""
 * @property {boolean} byWords  whether the model has no tokenizer
 * @property {number} requests  so far
 * @property {number} bytesRead  over the network so far
 */

/** The tokens that take part. @param {readonly Token[]} tokens */
export const taking = (tokens) => tokens.filter(({ out }) => out === undefined);

/**
 * Readers of sentences, whose tables and vocabularies are loaded on first use.
 *
 * @param {Phasor} phasor
 * @returns {Record<Source, (settings: Settings) => Promise<Reading>>} each rejects with phasor's own errors
 */
export function readings(phasor) {
  const load = vocabularies(phasor);
  const tableOf = remembered(
    /** @param {Vocabulary} vocabulary @param {number} dim @param {number} seed */
    (vocabulary, dim, seed) => vocabulary.table(dim, seed),
  );

  return {
    minilm: (settings) => minilmReading(phasor, settings),
    async words(settings) {
      const vocabulary = await load("words");
      const table = /** @type {WholeTable} */ (tableOf(vocabulary, 0, 0));
      return wordsReading(phasor, vocabulary, table, settings);
    },
    async gpt2(settings) {
      const vocabulary = await load("gpt2");
      const table = tableOf(vocabulary, settings.dim, settings.seed);
      return gpt2Reading(phasor, vocabulary, table, settings);
    },
  };
}

/** @typedef {Awaited<ReturnType<ReturnType<typeof vocabularies>>>} Vocabulary */

/** @param {Phasor} phasor @param {Settings} settings @returns {Promise<Reading>} */
async function minilmReading(phasor, { text }) {
  const { minilm, spec, SIZE } = await import("../app/text/minilm.js");
  const model = await minilm();
  const pieces = await model.tokenize(text);
  // As the model's tokenizer cuts: [SEP] stays the last.
  const over = Math.max(0, pieces.length - LONGEST);
  const taken = pieces.filter((_, i) => i < LONGEST - 1 || i === pieces.length - 1);
  const ids = taken.map(({ id }) => id);
  const [words, positions] = await Promise.all([model.words(ids), model.positions(ids.length)]);
  const { segments, norm } = model;
  const weights = { words, positions, segments, norm };
  return {
    tokens: pieces.map(({ token, id, hasRow }, i) => ({
      label: label(token),
      id,
      own: hasRow,
      out: i < LONGEST - 1 || i === pieces.length - 1 ? undefined : "too long",
    })),
    size: SIZE,
    stages: phasor.inputEmbeddings(spec, weights, [...ids.keys()], { intermediates: true }),
    notes: [
      ...listed(
        pieces.filter(({ hasRow }) => !hasRow).map(({ token }) => token),
        "Not in this site's part of the table",
        "Each gets the vector of [UNK] and keeps its position.",
      ),
      ...listed(
        pieces
          .filter(({ token, word }) => token === "[UNK]" && word !== token)
          .map(({ word }) => word),
        "Not in the vocabulary",
        "Each becomes the token [UNK].",
      ),
      ...tooLong(over),
    ],
    rows: model.rowsOf(ids),
  };
}

/** @param {Phasor} phasor @param {Vocabulary} vocabulary @param {WholeTable} table @param {Settings} settings @returns {Reading} */
function wordsReading(phasor, vocabulary, table, settings) {
  const all = vocabulary.tokenize(settings.text);
  const taken = all.slice(0, LONGEST);
  const { vocabulary: V, dim: D } = table;
  const known = taken.flatMap(({ id }) => id ?? []);
  const found = table.lookup(Int32Array.from(known)).data;
  // A word without a row has the vector 0, so that the others keep their positions.
  const words = new Float32Array(taken.length * D);
  let at = 0;
  for (const [i, { id }] of taken.entries()) {
    if (typeof id === "number") {
      const row = found.subarray(at, (at += D));
      words.set(/** @type {Float32Array} */ (row), i * D);
    }
  }
  return {
    tokens: all.map(({ label, id = null }, i) => ({
      label,
      id,
      own: id !== null,
      out: i < LONGEST ? undefined : "too long",
    })),
    size: V,
    stages: withWaves(phasor, { data: words, shape: [taken.length, D] }, settings),
    notes: [
      ...listed(
        taken.filter(({ id }) => id === null).map(({ label }) => label),
        "Not in this table",
        "Each gets a vector of zeros and keeps its position.",
      ),
      ...(signs(settings.text)
        ? ["This table has words only: punctuation, signs and emoji are left out."]
        : []),
      ...tooLong(all.length - taken.length),
    ],
  };
}

/** @param {Phasor} phasor @param {Vocabulary} vocabulary @param {ReturnType<Vocabulary["table"]>} table @param {Settings} settings @returns {Reading} */
function gpt2Reading(phasor, vocabulary, table, settings) {
  const all = vocabulary.tokenize(settings.text);
  const ids = all.slice(0, LONGEST).map(({ id }) => Number(id));
  return {
    tokens: all.map(({ label, id }, i) => ({
      label,
      id: Number(id),
      own: true,
      out: i < LONGEST ? undefined : "too long",
    })),
    size: vocabulary.size,
    stages: withWaves(phasor, table.lookup(Int32Array.from(ids)), settings),
    notes: tooLong(all.length - ids.length),
  };
}

/**
 * The rule of Vaswani et al. for vectors that are of no model: sinusoids are added, sqrt(D) comes first if wanted.
 *
 * @param {Phasor} phasor @param {{data: any, shape: readonly number[]}} words
 * @param {Settings} settings
 * @returns {Stages}
 */
function withWaves({ inputEmbeddings }, words, { scaled, base, layout, precision }) {
  const [T, D] = words.shape;
  const spec = {
    tokens: scaled ? { scale: /** @type {const} */ ("sqrt") } : {},
    positions: { scheme: "sinusoidal", options: { base, layout, precision } },
  };
  const table = T > 0 ? words : { data: new Float32Array(D), shape: [1, D] };
  const ids = Int32Array.from({ length: T }, (_, i) => i);
  return inputEmbeddings(spec, { words: table }, ids, { intermediates: true });
}

/** Labels that a sentence names. */
const NAMED = 5;

/**
 * A sentence about what a table lacks, if it lacks something.
 * @param {readonly string[]} labels @param {string} before  what they lack @param {string} after  what follows
 */
export function listed(labels, before, after) {
  const each = [...new Set(labels)];
  if (each.length === 0) return [];
  const named = each.slice(0, NAMED).map((word) => `\u201c${label(word)}\u201d`);
  const more = each.length - NAMED;
  return [`${before}: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}. ${after}`];
}

/** @param {number} over  the number of tokens beyond the longest sentence */
export function tooLong(over) {
  if (over <= 0) return [];
  return [`The page reads ${LONGEST} tokens of a sentence: ${over} are left out.`];
}

/** Whether a text has more than words and spaces. @param {string} text */
function signs(text) {
  return /[^\s\p{L}\p{M}\p{N}'\u2019]/u.test(text);
}
