/** @import { WasmSource } from "./api/wasm.js" */
import * as check from "./api/check.js";
import { start } from "./api/wasm.js";
import { rope } from "./positions/rope/rope.js";
import { sinusoidal } from "./positions/sinusoidal/sinusoidal.js";
import { embedding } from "./tokens/embedding/embedding.js";

export { CoreFailure, Disposed, LoadError, OutOfMemory } from "./api/errors.js";
export { Tensor } from "./api/tensor.js";

/**
 * Start phasor: everything it can do, as one object of rooms.
 *
 * @param {{wasm?: WasmSource | Promise<WasmSource>}} [options]  `wasm`: where the compiled core
 *   is, if not the one that came along: a URL, a Response, bytes or a WebAssembly.Module
 * @returns a promise of {@link Phasor}; every call starts a core of its own
 * @throws {LoadError} if the core cannot be started, in words
 * @example
 * const { sinusoidal } = await load();
 * sinusoidal.table(2, 4).at(1, 0) // 0.8414709568023682
 */
export async function load(options = {}) {
  const { wasm } = check.options(options, { wasm: undefined }, "load");
  const core = await start(wasm);
  return Object.freeze({
    embedding: embedding(core),
    rope: rope(core),
    sinusoidal: sinusoidal(core),
  });
}

/** Everything phasor can do: its rooms. @typedef {Awaited<ReturnType<typeof load>>} Phasor */
