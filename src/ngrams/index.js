import { loadModules } from "../runtime/load.js";
import * as modules from "./modules.js";

export { CoreError, DisposedError, LoadError, OutOfMemoryError } from "../runtime/errors.js";
export { optionsOf } from "../runtime/options.js";
export { Tensor } from "../runtime/tensor.js";

/**
 * @typedef {import("../runtime/tensor.js").DType} DType
 * @typedef {import("../runtime/options.js").Option<any, any>} Option
 * @typedef {import("../runtime/tensor.js").TensorData} TensorData
 * @typedef {import("../runtime/tensor.js").TensorInput} TensorInput
 */

/**
 * The modules of phasor/ngrams.
 * @typedef {{readonly [Module in keyof typeof modules]: ReturnType<typeof modules[Module]>}} Ngrams
 */

/**
 * Loads the module of hashed n-grams, which phasor does not have, and a core for it.
 *
 * @param {{shared?: boolean}} [options]  as that of `load` in phasor
 * @returns {Promise<Ngrams>} { ngramIds }
 * @throws {LoadError} if the core cannot be started; the message names the missing feature or CSP rule
 */
export async function load(options = {}) {
  return loadModules(modules, options);
}
