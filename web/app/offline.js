import { trusted } from "./trusted.js";

/**
 * Keep every page for when there is no network, once this one has loaded and rests. Where a browser
 * has no service workers, or the page is a file on disk, nothing happens.
 */
export function keepOffline() {
  if (!("serviceWorker" in navigator) || !location.protocol.startsWith("http")) return;
  if (document.readyState === "complete") rest(register);
  else addEventListener("load", () => rest(register), { once: true });
}

/** @param {() => void} work */
function rest(work) {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(work, { timeout: 5000 });
  else setTimeout(work, 1000); // Safari
}

function register() {
  // A refusal is no loss that the reader must hear of: the page works, only not offline.
  navigator.serviceWorker.register(trusted("serviceWorker")).catch(console.info);
}
