/** The core as a file beside this module, which bundlers find and servers cache. */

/** @returns {Promise<URL>} where core.wasm is */
export async function binary() {
  return new URL("./core.wasm", import.meta.url);
}
