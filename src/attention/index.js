/** @import { WasmSource } from "../runtime/wasm.js" */
import { loadModules } from "../runtime/load.js";
import * as modules from "./modules.js";

export { CoreError, DisposedError, LoadError, OutOfMemoryError } from "../runtime/errors.js";
export { optionsOf } from "../runtime/options.js";
export { pool } from "../runtime/pool.js";
export { Tensor } from "../runtime/tensor.js";

/**
 * @typedef {import("../runtime/tensor.js").DType} DType
 * @typedef {import("../runtime/tensor.js").FloatOut} FloatOut
 * @typedef {import("../runtime/options.js").Option<any, any>} Option
 * @typedef {import("../runtime/pool.js").Pool} Pool
 * @typedef {import("../runtime/tensor.js").TensorData} TensorData
 * @typedef {import("../runtime/tensor.js").TensorInput} TensorInput
 */

/**
 * The modules of phasor/attention.
 * @typedef {{readonly [Module in keyof typeof modules]: ReturnType<typeof modules[Module]>}} AttentionModules
 */

/**
 * Loads the modules of attention alone, and the part of the core that they call.
 *
 * @param {{wasm?: WasmSource | Promise<WasmSource>, shared?: boolean}} [options]  as those of `load` in phasor
 * @returns {Promise<AttentionModules>} the modules as phasor has them
 * @throws {LoadError} if the core cannot be started; the message names the missing feature or CSP rule
 * @example
 * const { attention } = await load();
 * attention.softmax([0, 0]).toArray() // [0.5, 0.5]
 */
export async function load(options = {}) {
  return loadModules(modules, options);
}
