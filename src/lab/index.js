import { loadModules } from "../runtime/load.js";
import * as modules from "./modules.js";

export { CoreError, DisposedError, LoadError, OutOfMemoryError } from "../runtime/errors.js";
export { optionsOf } from "../runtime/options.js";
export { Tensor } from "../runtime/tensor.js";
export { summarize } from "./experiment/summary.js";
export { DivergedError } from "./lab/errors.js";

/**
 * @typedef {import("../runtime/tensor.js").DType} DType
 * @typedef {import("../runtime/options.js").Option<any, any>} Option
 * @typedef {import("../runtime/tensor.js").TensorData} TensorData
 * @typedef {import("../runtime/tensor.js").TensorInput} TensorInput
 * @typedef {import("./lab/decoder.js").Decoder} Decoder
 * @typedef {import("./lab/evaluation.js").Evaluation} Evaluation
 * @typedef {import("./experiment/index.js").Report} Report
 * @typedef {import("./experiment/index.js").Row} Row
 * @typedef {import("./experiment/summary.js").Line} Line
 * @typedef {import("./lab/position.js").Position} Position
 * @typedef {import("./lab/position.js").PositionByLayer} PositionByLayer
 * @typedef {import("./tasks/task.js").Random} Random
 * @typedef {import("./tasks/task.js").Task} Task
 * @typedef {import("./lab/training.js").Progress} Progress
 */

/**
 * The modules of phasor/lab.
 * @typedef {{readonly [Module in keyof typeof modules]: ReturnType<typeof modules[Module]>}} Lab
 */

/**
 * Loads the lab, which phasor does not have, and a core for it.
 *
 * @param {{shared?: boolean}} [options]  as that of `load` in phasor
 * @returns {Promise<Lab>} { lab }
 * @throws {LoadError} if the core cannot be started; the message names the missing feature or CSP rule
 */
export async function load(options = {}) {
  return loadModules(modules, options);
}
