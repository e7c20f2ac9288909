/** @import { WasmSource } from "./api/wasm.js" */
import * as check from "./api/check.js";
import { start } from "./api/wasm.js";
import { attention } from "./attention/attention/attention.js";
import { relative } from "./positions/relative/relative.js";
import { rope } from "./positions/rope/rope.js";
import { sinusoidal } from "./positions/sinusoidal/sinusoidal.js";
import { window } from "./positions/window/window.js";
import { embedding } from "./tokens/embedding/embedding.js";

export { CoreFailure, Disposed, LoadError, OutOfMemory } from "./api/errors.js";
export { Tensor } from "./api/tensor.js";

/**
 * @typedef {import("./api/tensor.js").DType} DType
 * @typedef {import("./api/tensor.js").TensorInput} TensorInput
 * @typedef {import("./api/positions.js").Positions} Positions
 * @typedef {import("./positions/rope/rope.js").RotaryTable} RotaryTable
 * @typedef {import("./tokens/embedding/embedding.js").EmbeddingTable} EmbeddingTable
 */

const rooms = {
  attention,
  embedding,
  relative,
  rope,
  sinusoidal,
  window,
};

/**
 * Everything phasor can do: its rooms.
 * @typedef {{readonly [Room in keyof typeof rooms]: ReturnType<typeof rooms[Room]>}} Phasor
 */

/**
 * Start phasor.
 *
 * @param {{wasm?: WasmSource | Promise<WasmSource>}} [options]  `wasm`: where the compiled core
 *   is, if not the one that came along: a URL, a Response, bytes or a WebAssembly.Module
 * @returns {Promise<Phasor>} a core of its own with every call
 * @throws {LoadError} if the core cannot be started, in words
 * @example
 * const { sinusoidal } = await load();
 * sinusoidal.table(2, 4).at(1, 0) // 0.8414709568023682
 */
export async function load(options = {}) {
  const { wasm } = check.options(options, { wasm: undefined }, "load");
  const core = await start(wasm);
  const started = Object.entries(rooms).map(([name, room]) => [name, room(core)]);
  return /** @type {Phasor} */ (Object.freeze(Object.fromEntries(started)));
}
