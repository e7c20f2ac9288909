import { loadModules } from "./runtime/load.js";
import * as analysis from "./analysis/modules.js";
import * as attention from "./attention/modules.js";
import * as embedding from "./embedding/modules.js";
import * as models from "./models/modules.js";
import * as positional from "./positional/modules.js";
import * as training from "./training/modules.js";

export { CoreError, DisposedError, LoadError, OutOfMemoryError } from "./runtime/errors.js";
export { optionsOf } from "./runtime/options.js";
export { pool } from "./runtime/pool.js";
export { schemesOf } from "./runtime/schemes.js";
export { Tensor } from "./runtime/tensor.js";

/**
 * @typedef {import("./runtime/options.js").Option<any, any>} Option
 * @typedef {import("./runtime/pool.js").Pool} Pool
 * @typedef {import("./runtime/wasm.js").WasmSource} WasmSource
 * @typedef {import("./runtime/schemes.js").Control} Control
 * @typedef {import("./runtime/schemes.js").Scheme} Scheme
 * @typedef {import("./runtime/positions.js").Positions} Positions
 * @typedef {import("./runtime/tensor.js").DType} DType
 * @typedef {import("./runtime/tensor.js").FloatOut} FloatOut
 * @typedef {import("./runtime/tensor.js").TensorData} TensorData
 * @typedef {import("./runtime/tensor.js").TensorInput} TensorInput
 * @typedef {import("./analysis/procrustes/procrustes.js").Alignment} Alignment
 * @typedef {import("./analysis/nearest/nearest.js").NearestIndex} NearestIndex
 * @typedef {import("./analysis/nearest/nearest.js").Neighbors} Neighbors
 * @typedef {import("./analysis/pca/principal.js").PrincipalComponents} PrincipalComponents
 * @typedef {import("./positional/rotary/axial_rope/axial_rope.js").AxialTable} AxialTable
 * @typedef {import("./positional/bias/fire/fire.js").FireWeights} FireWeights
 * @typedef {import("./positional/ids/position_ids/position_ids.js").MultimodalSegment} MultimodalSegment
 * @typedef {import("./positional/rotary/rope/cache.js").RotaryCache} RotaryCache
 * @typedef {import("./positional/rotary/rope/rope.js").RotaryTable} RotaryTable
 * @typedef {import("./positional/rotary/rope/scaling.js").Scaling} RotaryScaling
 * @typedef {import("./embedding/embedding_bag/embedding_bag.js").EmbeddingBag} EmbeddingBag
 * @typedef {import("./embedding/embedding/embedding.js").EmbeddingTable} EmbeddingTable
 * @typedef {import("./embedding/embedding/gradients.js").SparseGradient} SparseGradient
 * @typedef {import("./embedding/embedding/quantized.js").QuantizedTable} QuantizedTable
 * @typedef {import("./runtime/table.js").Table} Table
 * @typedef {import("./runtime/table.js").TableInput} TableInput
 * @typedef {import("./embedding/dtypes/dtypes.js").Stored} Stored
 * @typedef {import("./models/input_embeddings/input_embeddings.js").Stages} Stages
 * @typedef {import("./training/skipgram/skipgram.js").SkipGram} SkipGram
 */

/** @template Made @param {() => Made} make */
const made = (make) => make();

// Bundlers leave out a call that is marked as pure, and no spreads.
const modules = made(() => ({
  ...embedding,
  ...positional,
  ...attention,
  ...analysis,
  ...training,
  ...models,
}));

/**
 * All modules of phasor.
 * @typedef {{readonly [Module in keyof typeof modules]: ReturnType<typeof modules[Module]>}} Phasor
 */

/**
 * The names of functions with options: "rope.table", "nearest".
 * @typedef {{[Module in keyof Phasor]: Phasor[Module] extends (...given: any[]) => any
 *   ? Module
 *   : {[Method in keyof Phasor[Module] & string]: Phasor[Module][Method] extends (...given: any[]) => any
 *       ? `${Module}.${Method}`
 *       : never}[keyof Phasor[Module] & string]}[keyof Phasor]} FunctionName
 */

/**
 * The options of a function by its name, as in `Options<"rope.table">`.
 * @template {FunctionName} Name
 * @typedef {Last<Name extends `${infer Module extends keyof Phasor}.${infer Method}`
 *   ? Method extends keyof Phasor[Module] ? Phasor[Module][Method] : never
 *   : Name extends keyof Phasor ? Phasor[Name] : never>} Options
 */

/**
 * The type of a function's last argument.
 * @template Call
 * @typedef {Call extends (...given: infer Given) => any
 *   ? Required<Given> extends [...any[], infer Value] ? Value : never
 *   : never} Last
 */

/**
 * Loads the WebAssembly core and returns all modules. Other entries have fewer modules, and a smaller core:
 * `phasor/positional`, `phasor/embedding`, `phasor/attention`, `phasor/analysis` and `phasor/training`, and
 * `phasor/rope` and `phasor/sinusoidal` with one module. Their `load` is the same.
 *
 * @param {{wasm?: WasmSource | Promise<WasmSource>, shared?: boolean}} [options]  `wasm`: another compiled core than the one
 *   inside the package: a URL, a Response, bytes or a WebAssembly.Module; `shared`: whether calls share a core
 *   that comes from the package, from the same URL or from the same WebAssembly.Module, default true; with false,
 *   the call starts a separate core with separate memory
 * @returns {Promise<Phasor>} the same object with every call, until its core stops
 * @throws {LoadError} if the core cannot be started; the message names the missing feature or CSP rule
 * @see WebAssembly JavaScript Interface, https://www.w3.org/TR/wasm-js-api-2/
 * @example
 * const { sinusoidal } = await load();
 * sinusoidal.table(2, 4).at(1, 0) // 0.8414709568023682
 */
export async function load(options = {}) {
  return loadModules(modules, options);
}
