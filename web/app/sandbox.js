import { make } from "./dom.js";
import { root } from "./root.js";

/** The time after which a frame that has not loaded counts as missing, ms. */
const PATIENCE = 5000;

/**
 * A frame that runs one program, without access to the page, storage or network.
 *
 * @typedef {object} Sandbox
 * @property {HTMLIFrameElement} element
 * @property {Promise<void>} ready  resolves when it listens; rejects when it does not load
 * @property {(message: object) => void} send
 * @property {() => void} remove  ends its program
 */

/**
 * Adds a new frame to an element.
 *
 * @param {Element} place
 * @param {string} title  its name for screen readers
 * @param {(message: Record<string, unknown>) => void} onmessage  the messages are untrusted
 * @returns {Sandbox}
 */
export function sandbox(place, title, onmessage) {
  const element = make("iframe", { title, sandbox: "allow-scripts" });
  const closed = new AbortController();
  const { signal } = closed;

  const ready = /** @type {Promise<void>} */ (
    new Promise((come, fail) => {
      addEventListener(
        "message",
        ({ source, data }) => {
          if (source !== element.contentWindow || typeof data !== "object" || !data) return;
          if (data.state === "ready") come();
          else onmessage(data);
        },
        { signal },
      );
      const missing = () => fail(new Error("The frame for programs could not be loaded."));
      element.addEventListener("load", () => retry(ready, element), { once: true, signal });
      const late = setTimeout(missing, PATIENCE);
      signal.addEventListener("abort", () => clearTimeout(late));
    })
  );
  element.src = `${root}frame/index.html`;
  place.append(element);

  return {
    element,
    ready,
    // Its origin is "null", which cannot be the target of a message; this page created the frame.
    send: (message) => element.contentWindow?.postMessage(message, "*"),
    remove() {
      closed.abort();
      element.remove();
    },
  };
}

/**
 * Without a network, the frame must come from the service worker, which browsers do not use for a frame with this
 * attribute. The response of the service worker has a header with the same effect, and the frame runs nothing without
 * that effect.
 *
 * @param {Promise<void>} ready @param {HTMLIFrameElement} element
 */
async function retry(ready, element) {
  const soon = new Promise((pass) => setTimeout(pass, 300, "late"));
  if ((await Promise.race([ready, soon])) !== "late") return;
  if (!navigator.serviceWorker?.controller) return;
  element.removeAttribute("sandbox");
  element.src = `${root}frame/index.html`;
}
