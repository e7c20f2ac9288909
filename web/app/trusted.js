import threadUrl from "phasor/worker-thread?worker&url";
import labUrl from "./lab-worker.js?worker&url";
import oracleUrl from "./oracle/oracle-worker.js?worker&url";
import modelsUrl from "./models/models-worker.js?worker&url";
import { root } from "./root.js";
import umapUrl from "./umap-worker.js?worker&url";

/** The addresses of scripts that a page may start. */
export const addresses = Object.freeze({
  thread: new URL(threadUrl, import.meta.url).href,
  umap: new URL(umapUrl, import.meta.url).href,
  lab: new URL(labUrl, import.meta.url).href,
  oracle: new URL(oracleUrl, import.meta.url).href,
  models: new URL(modelsUrl, import.meta.url).href,
  serviceWorker: new URL("service-worker.js", root).href,
});

/**
 * The policy `phasor`, the only one that the page allows: it allows only these addresses.
 * Browsers without trusted types use the addresses directly.
 */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("phasor", {
  /** @param {string} url */
  createScriptURL(url) {
    if (Object.values(addresses).includes(url)) return url;
    throw new TypeError(`a script's address must be one of the page's own; got ${url}`);
  },
});

/** @param {keyof typeof addresses} name @returns {string} for `new Worker` and `register` */
export function trusted(name) {
  return policy ? policy.createScriptURL(addresses[name]) : addresses[name];
}
