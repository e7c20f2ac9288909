/** @import { WasmSource } from "../../../runtime/wasm.js" */
import { loadModules } from "../../../runtime/load.js";
import { rope } from "./rope.js";

export { CoreError, DisposedError, LoadError, OutOfMemoryError } from "../../../runtime/errors.js";
export { optionsOf } from "../../../runtime/options.js";
export { pool } from "../../../runtime/pool.js";
export { Tensor } from "../../../runtime/tensor.js";

/**
 * @typedef {import("../../../runtime/tensor.js").DType} DType
 * @typedef {import("../../../runtime/tensor.js").FloatOut} FloatOut
 * @typedef {import("../../../runtime/options.js").Option<any, any>} Option
 * @typedef {import("../../../runtime/pool.js").Pool} Pool
 * @typedef {import("../../../runtime/positions.js").Positions} Positions
 * @typedef {import("./scaling.js").Scaling} RotaryScaling
 * @typedef {import("./cache.js").RotaryCache} RotaryCache
 * @typedef {import("./rope.js").RotaryTable} RotaryTable
 * @typedef {import("../../../runtime/tensor.js").TensorData} TensorData
 * @typedef {import("../../../runtime/tensor.js").TensorInput} TensorInput
 */

const modules = { rope };

/**
 * The modules of phasor/rope.
 * @typedef {{readonly [Module in keyof typeof modules]: ReturnType<typeof modules[Module]>}} RopeModules
 */

/**
 * Loads the modules of rotary position embeddings alone, and the part of the core that they call.
 *
 * @param {{wasm?: WasmSource | Promise<WasmSource>, shared?: boolean}} [options]  as those of `load` in phasor
 * @returns {Promise<RopeModules>} the modules as phasor has them
 * @throws {LoadError} if the core cannot be started; the message names the missing feature or CSP rule
 * @example
 * const { rope } = await load();
 * rope.table([0], 2).cos.toArray() // [[1]]
 */
export async function load(options = {}) {
  return loadModules(modules, options);
}
