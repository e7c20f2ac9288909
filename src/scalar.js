/** phasor/scalar: the default entry with a core that does without SIMD. Its JavaScript is that of phasor/external. */
/** @import { WasmSource } from "./runtime/wasm.js" */
import { binary } from "./runtime/binary.inline.js";
import { load as start } from "./index.js";

export * from "./index.js";

/** @type {Promise<WebAssembly.Module | Uint8Array<ArrayBuffer>> | undefined} */
let core;

/** The compiled core, by which `load` knows what it has started; its bytes where the host refuses them, as `load` says. */
async function compiled() {
  const bytes = await binary();
  try {
    return await WebAssembly.compile(bytes);
  } catch {
    return bytes;
  }
}

/**
 * As `load` of phasor.
 * @param {{wasm?: WasmSource | Promise<WasmSource>, shared?: boolean}} [options]
 */
export async function load(options = {}) {
  if (Object(options) !== options || options.wasm !== undefined) return start(options);
  core ??= compiled();
  core.catch(() => (core = undefined)); // let the next load() try again
  return start({ ...options, wasm: await core });
}
