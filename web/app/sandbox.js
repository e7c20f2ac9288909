import { make } from "./dom.js";
import { root } from "./root.js";

/** How long a frame may take to come before it counts as missing, ms. */
const PATIENCE = 5000;

/**
 * A frame that runs one program and can reach nothing: no page, no storage, no network.
 *
 * @typedef {object} Sandbox
 * @property {HTMLIFrameElement} element
 * @property {Promise<void>} ready  resolves when it listens; rejects in words when it does not come
 * @property {(message: object) => void} send
 * @property {() => void} remove  ends whatever runs in it
 */

/**
 * Put a fresh one into a place.
 *
 * @param {Element} place
 * @param {string} title  what a screen reader calls it
 * @param {(message: Record<string, unknown>) => void} onmessage  what it says is anything at all
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
    // Its origin is "null", which no message can be addressed to; the frame is this page's own.
    send: (message) => element.contentWindow?.postMessage(message, "*"),
    remove() {
      closed.abort();
      element.remove();
    },
  };
}

/**
 * Without a network, the frame comes only by way of the service worker, which browsers do not ask for
 * a frame with this attribute. Its answer has a header that does the same, and the frame runs nothing
 * unless it did.
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
