/** @import { WasmSource } from "../runtime/wasm.js" */
import { loadModules } from "../runtime/load.js";
import * as modules from "./modules.js";

export { CoreError, DisposedError, LoadError, OutOfMemoryError } from "../runtime/errors.js";
export { optionsOf } from "../runtime/options.js";
export { pool } from "../runtime/pool.js";
export { Tensor } from "../runtime/tensor.js";

/**
 * @typedef {import("../runtime/tensor.js").DType} DType
 * @typedef {import("./procrustes/procrustes.js").Alignment} Alignment
 * @typedef {import("../runtime/tensor.js").FloatOut} FloatOut
 * @typedef {import("./nearest/nearest.js").NearestIndex} NearestIndex
 * @typedef {import("./nearest/nearest.js").Neighbors} Neighbors
 * @typedef {import("../runtime/options.js").Option<any, any>} Option
 * @typedef {import("../runtime/pool.js").Pool} Pool
 * @typedef {import("./pca/principal.js").PrincipalComponents} PrincipalComponents
 * @typedef {import("../runtime/table.js").Table} Table
 * @typedef {import("../runtime/table.js").TableInput} TableInput
 * @typedef {import("../runtime/tensor.js").TensorData} TensorData
 * @typedef {import("../runtime/tensor.js").TensorInput} TensorInput
 */

/**
 * The modules of phasor/analysis.
 * @typedef {{readonly [Module in keyof typeof modules]: ReturnType<typeof modules[Module]>}} Analysis
 */

/**
 * Loads the modules of similarity, search and statistics alone, and the part of the core that they call.
 *
 * @param {{wasm?: WasmSource | Promise<WasmSource>, shared?: boolean}} [options]  as those of `load` in phasor
 * @returns {Promise<Analysis>} the modules as phasor has them
 * @throws {LoadError} if the core cannot be started; the message names the missing feature or CSP rule
 * @example
 * const { similarity } = await load();
 * similarity.rows([[1, 0], [3, 4]], [[0, 1], [3, 4]]).toArray() // [0, 1]
 */
export async function load(options = {}) {
  return loadModules(modules, options);
}
