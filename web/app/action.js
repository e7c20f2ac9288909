/** @import { Values } from "./controls.js" */
import { busy } from "./busy.js";

/**
 * Connects the button that begins long work, the one that stops it, and its progress.
 *
 * @param {HTMLElement} place
 * @param {object} options
 * @param {(signal: AbortSignal, uses: Set<string>) => AsyncIterable<{progress: number, note?: string}>} options.begin
 * @param {(result: Values | undefined) => void} options.publish
 * @returns {(changed: readonly string[]) => void} call it with the names of controls that changed: results
 *   that depend on them are removed
 */
export function act(place, { begin, publish }) {
  const [start, stop] = /** @type {HTMLButtonElement[]} */ ([...place.querySelectorAll("button")]);
  const progress = /** @type {HTMLProgressElement} */ (place.querySelector("progress"));
  const note = /** @type {HTMLElement} */ (place.querySelector(".note"));
  /** @type {AbortController | undefined} */
  let abort;
  /** @type {Set<string>} */
  let uses = new Set();
  start.disabled = false;
  stop.addEventListener("click", () => abort?.abort());
  start.addEventListener("click", async () => {
    const own = (abort = new AbortController());
    uses = new Set();
    [start.disabled, stop.hidden, progress.hidden] = [true, false, false];
    note.textContent = "";
    busy(1);
    try {
      for await (const step of begin(own.signal, uses)) {
        if (own.signal.aborted) break;
        progress.value = step.progress;
        if (step.note) note.textContent = step.note;
        publish(step);
        await new Promise(requestAnimationFrame);
      }
      if (own.signal.aborted) note.textContent = "Stopped.";
    } catch (error) {
      const { name, message } = /** @type {Error} */ (error);
      note.textContent = name === "AbortError" ? "Stopped." : `${message}.`;
    }
    [start.disabled, stop.hidden, progress.hidden] = [false, true, true];
    busy(-1);
  });

  return (changed) => {
    if (!changed.some((name) => uses.has(name))) return;
    abort?.abort();
    uses = new Set();
    note.textContent = "";
    publish(undefined);
  };
}
