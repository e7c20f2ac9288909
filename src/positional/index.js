/** @import { WasmSource } from "../runtime/wasm.js" */
import { loadModules } from "../runtime/load.js";
import * as modules from "./modules.js";

export { CoreError, DisposedError, LoadError, OutOfMemoryError } from "../runtime/errors.js";
export { optionsOf } from "../runtime/options.js";
export { pool } from "../runtime/pool.js";
export { schemesOf } from "../runtime/schemes.js";
export { Tensor } from "../runtime/tensor.js";

/**
 * @typedef {import("./rotary/axial_rope/axial_rope.js").AxialTable} AxialTable
 * @typedef {import("../runtime/schemes.js").Control} Control
 * @typedef {import("../runtime/tensor.js").DType} DType
 * @typedef {import("../runtime/tensor.js").FloatOut} FloatOut
 * @typedef {import("./bias/fire/fire.js").FireWeights} FireWeights
 * @typedef {import("./ids/position_ids/position_ids.js").MultimodalSegment} MultimodalSegment
 * @typedef {import("../runtime/options.js").Option<any, any>} Option
 * @typedef {import("../runtime/pool.js").Pool} Pool
 * @typedef {import("../runtime/positions.js").Positions} Positions
 * @typedef {import("./rotary/rope/scaling.js").Scaling} RotaryScaling
 * @typedef {import("./rotary/rope/cache.js").RotaryCache} RotaryCache
 * @typedef {import("./rotary/rope/rope.js").RotaryTable} RotaryTable
 * @typedef {import("../runtime/schemes.js").Scheme} Scheme
 * @typedef {import("../runtime/tensor.js").TensorData} TensorData
 * @typedef {import("../runtime/tensor.js").TensorInput} TensorInput
 */

/**
 * The modules of phasor/positional.
 * @typedef {{readonly [Module in keyof typeof modules]: ReturnType<typeof modules[Module]>}} Positional
 */

/**
 * Loads the modules of positional encodings alone, and the part of the core that they call.
 *
 * @param {{wasm?: WasmSource | Promise<WasmSource>, shared?: boolean}} [options]  as those of `load` in phasor
 * @returns {Promise<Positional>} the modules as phasor has them
 * @throws {LoadError} if the core cannot be started; the message names the missing feature or CSP rule
 * @example
 * const { sinusoidal } = await load();
 * sinusoidal.table(2, 4).at(1, 0) // 0.8414709568023682
 */
export async function load(options = {}) {
  return loadModules(modules, options);
}
