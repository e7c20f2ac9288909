/** The default entry where a bundler gives core.wasm to the host to compile: Cloudflare Workers and Edge runtimes. */
/** @import { WasmSource } from "./runtime/wasm.js" */
import core from "phasor-core/file";
import { load as start } from "./index.js";

export * from "./index.js";

/**
 * As `load` of phasor, with the module that the host has compiled.
 * @param {{wasm?: WasmSource | Promise<WasmSource>, shared?: boolean}} [options]
 */
export const load = (options = {}) =>
  start(
    Object(options) === options && options.wasm === undefined
      ? { ...options, wasm: core }
      : options,
  );
