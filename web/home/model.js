/**
 * @import { Phasor } from "phasor"
 * @import { Progress, tasks, Wish } from "../app/models/tasks.js"
 * @import { About, Table, Vocabulary } from "../app/text/tokens.js"
 */
import { label } from "../app/text/tokens.js";
import { crew } from "../app/work.js";

/** How long a sentence of a model of the hub must rest before rows are asked for, ms. */
const PAUSE = 200;

/**
 * An opened model, as far as sentences need it: its tokens, and the rows of those in the sentence.
 *
 * @typedef {object} Reader
 * @property {(text: string) => Vocabulary | undefined} vocabularyOf  for this text; undefined while its
 *   rows are on their way
 * @property {() => void} close  give back what it holds
 */

/**
 * Open a model in a worker of its own, which reads whatever rows a sentence needs.
 *
 * @param {Phasor} phasor @param {Wish} wish
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(progress: Progress) => void} options.onprogress
 * @param {() => void} options.loaded  called when the rows of a text have arrived
 * @param {(error: Error) => void} options.failed  called when they have not; asking again tries again
 * @returns {Promise<Reader>}
 * @throws {Error} in words; the signal's reason if it is aborted
 */
export async function modelReader({ embedding }, wish, { signal, onprogress, loaded, failed }) {
  const { work, dismiss } = /** @type {ReturnType<typeof crew<typeof tasks>>} */ (crew("models"));
  let opened;
  try {
    opened = await work("reader", { wish }, { signal, onprogress });
  } catch (error) {
    dismiss();
    throw error;
  }
  const { size, dim, ...known } = opened;

  /** What was read last, and of which text. @type {{text: string, vocabulary: Vocabulary, dispose: () => void} | undefined} */
  let last;
  /** The text that was asked for last. */
  let wanted = "";
  let isReading = false;

  /** Read the rows of what is wanted, until nothing else is. */
  async function read() {
    if (isReading) return;
    isReading = true;
    try {
      while (wanted !== last?.text) {
        if (last && wish.name) await new Promise((rested) => setTimeout(rested, PAUSE));
        const text = wanted;
        if (text === last?.text) break;
        const next = vocabularyFrom(await work("read", { wish, text }));
        last?.dispose();
        last = { text, ...next };
      }
      isReading = false;
      loaded();
    } catch (error) {
      isReading = false;
      if (/** @type {Error} */ (error).name !== "AbortError") failed(/** @type {Error} */ (error));
    }
  }

  /** @param {Awaited<ReturnType<typeof work<"read">>>} answer */
  function vocabularyFrom({ pieces, ids, rows, traffic }) {
    const tokens = pieces.map((piece) => ({ ...piece, label: label(piece.label) }));
    const places = new Map(ids.map((id, row) => [id, row]));
    const read = embedding.create(Math.max(1, ids.length), dim, {
      weights: ids.length > 0 ? rows : new Float32Array(dim),
    });
    const place = (/** @type {number} */ id) => /** @type {number} */ (places.get(id));
    /** Of the whole table those rows are here that the text has. @type {Table} */
    const table = {
      ...{ vocabulary: size, dim, parameterCount: size * dim },
      lookup: (ids, options) =>
        read.lookup(Int32Array.from(/** @type {Int32Array} */ (ids), place), options),
    };
    /** @type {About} */
    const model = { ...known, hub: wish.name ?? "", traffic };
    return {
      vocabulary: { size, model, tokenize: () => tokens, table: () => table },
      dispose: () => read.dispose(),
    };
  }

  return {
    vocabularyOf(text) {
      wanted = text;
      if (last?.text === text) return last.vocabulary;
      void read();
      return undefined;
    },
    close() {
      dismiss();
      last?.dispose();
    },
  };
}
