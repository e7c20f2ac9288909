/** @import { Values } from "./controls.js" */

/**
 * A button that begins long work, another that stops it, and its progress.
 *
 * @param {HTMLElement} place
 * @param {object} options
 * @param {(signal: AbortSignal, uses: Set<string>) => AsyncIterable<{progress: number, note?: string}>} options.begin
 * @param {(result: Values | undefined) => void} options.publish
 * @param {(by: number) => void} options.count  1 when it begins, -1 when it ends
 * @returns {(changed: readonly string[]) => void}  to hear which controls have changed: what came of
 *   others than they are now is forgotten
 */
export function act(place, { begin, publish, count }) {
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
    count(1);
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
    count(-1);
  });

  return (changed) => {
    if (!changed.some((name) => uses.has(name))) return;
    abort?.abort();
    uses = new Set();
    note.textContent = "";
    publish(undefined);
  };
}
