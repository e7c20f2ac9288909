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
 * @typedef {import("./embedding_bag/embedding_bag.js").EmbeddingBag} EmbeddingBag
 * @typedef {import("./embedding/embedding.js").EmbeddingTable} EmbeddingTable
 * @typedef {import("../runtime/options.js").Option<any, any>} Option
 * @typedef {import("../runtime/pool.js").Pool} Pool
 * @typedef {import("./embedding/quantized.js").QuantizedTable} QuantizedTable
 * @typedef {import("./embedding/gradients.js").SparseGradient} SparseGradient
 * @typedef {import("./dtypes/dtypes.js").Stored} Stored
 * @typedef {import("../runtime/table.js").Table} Table
 * @typedef {import("../runtime/table.js").TableInput} TableInput
 * @typedef {import("../runtime/tensor.js").TensorData} TensorData
 * @typedef {import("../runtime/tensor.js").TensorInput} TensorInput
 */

/**
 * The modules of phasor/embedding.
 * @typedef {{readonly [Module in keyof typeof modules]: ReturnType<typeof modules[Module]>}} Embeddings
 */

/**
 * Loads the modules of embedding tables alone, and the part of the core that they call.
 *
 * @param {{wasm?: WasmSource | Promise<WasmSource>, shared?: boolean}} [options]  as those of `load` in phasor
 * @returns {Promise<Embeddings>} the modules as phasor has them
 * @throws {LoadError} if the core cannot be started; the message names the missing feature or CSP rule
 * @example
 * const { embedding } = await load();
 * embedding.from([[1, 2], [3, 4]]).lookup([1]).toArray() // [[3, 4]]
 */
export async function load(options = {}) {
  return loadModules(modules, options);
}
