/** @import { WasmSource } from "../../../runtime/wasm.js" */
import { loadModules } from "../../../runtime/load.js";
import { sinusoidal } from "./sinusoidal.js";

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
 * @typedef {import("../../../runtime/tensor.js").TensorData} TensorData
 * @typedef {import("../../../runtime/tensor.js").TensorInput} TensorInput
 */

const modules = { sinusoidal };

/**
 * The modules of phasor/sinusoidal.
 * @typedef {{readonly [Module in keyof typeof modules]: ReturnType<typeof modules[Module]>}} SinusoidalModules
 */

/**
 * Loads the modules of sinusoidal encodings alone, and the part of the core that they call.
 *
 * @param {{wasm?: WasmSource | Promise<WasmSource>, shared?: boolean}} [options]  as those of `load` in phasor
 * @returns {Promise<SinusoidalModules>} the modules as phasor has them
 * @throws {LoadError} if the core cannot be started; the message names the missing feature or CSP rule
 * @example
 * const { sinusoidal } = await load();
 * sinusoidal.table(2, 4).at(1, 0) // 0.8414709568023682
 */
export async function load(options = {}) {
  return loadModules(modules, options);
}
