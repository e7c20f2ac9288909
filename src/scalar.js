/** phasor/scalar: the default entry with a core that does without SIMD. Its JavaScript is that of phasor/external. */
/** @import { WasmSource } from "./runtime/wasm.js" */
import { binary } from "./runtime/binary.inline.js";
import { load as start } from "./index.js";

export * from "./index.js";

/** @type {Promise<Uint8Array<ArrayBuffer>> | undefined} */
let bytes;

/**
 * As `load` of phasor.
 * @param {{wasm?: WasmSource | Promise<WasmSource>, shared?: boolean}} [options]
 */
export const load = (options = {}) =>
  start(options?.wasm === undefined ? { ...options, wasm: (bytes ??= binary()) } : options);
