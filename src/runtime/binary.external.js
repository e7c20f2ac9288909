/** The core as a file beside this module, which bundlers find and servers cache. */
import { LoadError } from "./errors.js";

/** @returns {Promise<URL>} where core.wasm is */
export async function binary() {
  try {
    return new URL("./core.wasm", import.meta.url);
  } catch (cause) {
    const address = String(import.meta.url).slice(0, 60); // a data: address holds the whole module
    const words = `no file can lie beside ${address}, where this module is; "phasor" has its core inside`;
    throw new LoadError(words, { cause });
  }
}
