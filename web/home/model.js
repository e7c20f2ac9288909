/**
 * @import { Progress, tasks, Wish } from "../app/models/tasks.js"
 * @import { About, Reading, Stages } from "./readings.js"
 */
import { Tensor } from "phasor/files";
import { label } from "../app/text/tokens.js";
import { taskWorker } from "../app/work.js";
import { listed, tooLong } from "./readings.js";
import { LONGEST } from "./settings.js";

/** How long a sentence must stay unchanged before rows are requested from the hub, ms. */
const PAUSE = 200;

/**
 * An opened model, as far as sentences need it.
 *
 * @typedef {object} Reader
 * @property {(text: () => string) => Promise<Reading>} read  the current text
 * @property {() => void} close  disposes of what it holds
 */

/**
 * Opens a model in a separate worker, which reads the rows that a sentence needs and computes the model's input.
 *
 * @param {Wish} wish
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(progress: Progress) => void} options.onprogress
 * @returns {Promise<Reader>}
 * @throws {Error} if the model cannot be opened; the signal's reason if it is aborted
 */
export async function modelReader(wish, { signal, onprogress }) {
  const { work, dismiss } = /** @type {ReturnType<typeof taskWorker<typeof tasks>>} */ (
    taskWorker("models")
  );
  let opened;
  try {
    opened = await work("reader", { wish }, { signal, onprogress });
  } catch (error) {
    dismiss();
    throw error;
  }
  const { size, ...known } = opened;

  /** What was read last, and of which text. @type {{text: string, reading: Reading} | undefined} */
  let last;

  /** @param {Awaited<ReturnType<typeof work<"read">>>} answer @returns {Reading} */
  function readingFrom({ pieces, over, stages, why, requests, bytesRead }) {
    /** @type {About} */
    const model = { ...known, hub: wish.name ?? "", why, requests, bytesRead };
    let taken = 0;
    const tokens = pieces.map((piece) => {
      const text = label(piece.label);
      if (piece.id === null)
        return { label: text, id: null, own: false, out: /** @type {const} */ ("left out") };
      const out = ++taken > LONGEST ? /** @type {const} */ ("too long") : undefined;
      return { label: text, id: piece.id, own: true, out };
    });
    const lacking = tokens.filter(({ id }) => id === null).map(({ label }) => label);
    return {
      tokens,
      size,
      model,
      stages: /** @type {Stages} */ (
        Object.fromEntries(
          Object.entries(stages).map(([name, { data, shape }]) => [name, new Tensor(data, shape)]),
        )
      ),
      notes: [...listed(lacking, "The model cannot read", "They are left out."), ...tooLong(over)],
    };
  }

  return {
    async read(textNow) {
      if (last && wish.name && textNow() !== last.text) {
        await new Promise((done) => setTimeout(done, PAUSE));
      }
      const text = textNow();
      if (text !== last?.text) {
        const answer = await work("read", { wish, text, longest: LONGEST });
        last = { text, reading: readingFrom(answer) };
      }
      return last.reading;
    },
    close: dismiss,
  };
}
