/**
 * @import { Phasor } from "phasor"
 * @import { Progress, tasks, Wish } from "../app/models/tasks.js"
 * @import { About, Table, Vocabulary } from "../app/text/tokens.js"
 */
import { label } from "../app/text/tokens.js";
import { crew } from "../app/work.js";

/** How long a sentence must stay unchanged before rows are requested from the hub, ms. */
const PAUSE = 200;

/**
 * An opened model, as far as sentences need it: its tokens, and the rows of those in the sentence.
 *
 * @typedef {object} Reader
 * @property {(text: () => string) => Promise<Vocabulary>} vocabularyOf  with the rows of the current text
 * @property {() => void} close  disposes of what it holds
 */

/**
 * Opens a model in a separate worker, which reads the rows that a sentence needs.
 *
 * @param {Phasor} phasor @param {Wish} wish
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(progress: Progress) => void} options.onprogress
 * @returns {Promise<Reader>}
 * @throws {Error} if the model cannot be opened; the signal's reason if it is aborted
 */
export async function modelReader({ embedding }, wish, { signal, onprogress }) {
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

  /** @param {Awaited<ReturnType<typeof work<"read">>>} answer */
  function vocabularyFrom({ pieces, ids, rows, requests, bytesRead }) {
    const tokens = pieces.map((piece) => ({ ...piece, label: label(piece.label) }));
    const places = new Map(ids.map((id, row) => [id, row]));
    const read = embedding.from(ids.length > 0 ? rows : [new Float32Array(dim)]);
    const place = (/** @type {number} */ id) => /** @type {number} */ (places.get(id));
    /** A table that holds only the rows of the text. @type {Table} */
    const table = {
      ...{ vocabulary: size, dim, parameterCount: size * dim },
      lookup: (ids, options) =>
        read.lookup(Int32Array.from(/** @type {Int32Array} */ (ids), place), options),
    };
    /** @type {About} */
    const model = { ...known, hub: wish.name ?? "", requests, bytesRead };
    return {
      vocabulary: { size, model, tokenize: () => tokens, table: () => table },
      dispose: () => read.dispose(),
    };
  }

  return {
    async vocabularyOf(textNow) {
      if (last && wish.name && textNow() !== last.text) {
        await new Promise((done) => setTimeout(done, PAUSE));
      }
      const text = textNow();
      if (text !== last?.text) {
        const next = vocabularyFrom(await work("read", { wish, text }));
        last?.dispose();
        last = { text, ...next };
      }
      return last.vocabulary;
    },
    close() {
      dismiss();
      last?.dispose();
    },
  };
}
