/** @import { WasmSource } from "./runtime/wasm.js" */
import * as check from "./runtime/check.js";
import { suggesting } from "./runtime/suggest.js";
import { start } from "./runtime/wasm.js";
import { attention } from "./attention/attention/attention.js";
import { nearest } from "./analysis/nearest/nearest.js";
import { pca } from "./analysis/pca/pca.js";
import { similarity } from "./analysis/similarity/similarity.js";
import { statistics } from "./analysis/statistics/statistics.js";
import { alibi } from "./positional/bias/alibi/alibi.js";
import { cope } from "./positional/bias/cope/cope.js";
import { deberta } from "./positional/bias/deberta/deberta.js";
import { fire } from "./positional/bias/fire/fire.js";
import { axialRope } from "./positional/rotary/axial_rope/axial_rope.js";
import { fourierFeatures } from "./positional/absolute/fourier_features/fourier_features.js";
import { sincosGrid } from "./positional/absolute/sincos_grid/sincos_grid.js";
import { kerple } from "./positional/bias/kerple/kerple.js";
import { learnedPositions } from "./positional/absolute/learned_positions/learned_positions.js";
import { mrope } from "./positional/rotary/mrope/mrope.js";
import { positionIds } from "./positional/ids/position_ids/position_ids.js";
import { rounding } from "./analysis/rounding/rounding.js";
import { rope } from "./positional/rotary/rope/rope.js";
import { sinusoidal } from "./positional/absolute/sinusoidal/sinusoidal.js";
import { sandwich } from "./positional/bias/sandwich/sandwich.js";
import { shaw } from "./positional/bias/shaw/shaw.js";
import { t5Bias } from "./positional/bias/t5_bias/t5_bias.js";
import { transformerXL } from "./positional/bias/transformer_xl/transformer_xl.js";
import { windowBias } from "./positional/bias/window_bias/window_bias.js";
import { xpos } from "./positional/rotary/xpos/xpos.js";
import { embeddingBag } from "./embedding/embedding_bag/embedding_bag.js";
import { dropout } from "./embedding/dropout/dropout.js";
import { embedding } from "./embedding/embedding/embedding.js";
import { dtypes } from "./embedding/dtypes/dtypes.js";
import { normalize } from "./embedding/normalize/normalize.js";
import { pooling } from "./embedding/pooling/pooling.js";
import { inputEmbeddings } from "./models/input_embeddings/input_embeddings.js";
import { tokenTypeIds } from "./embedding/token_type_ids/token_type_ids.js";
import { skipgram } from "./training/skipgram/skipgram.js";

export { CoreError, DisposedError, LoadError, OutOfMemoryError } from "./runtime/errors.js";
export { optionsOf } from "./runtime/options.js";
export { schemesOf } from "./runtime/schemes.js";
export { Tensor } from "./runtime/tensor.js";

/**
 * @typedef {import("./runtime/options.js").Option<any, any>} Option
 * @typedef {import("./runtime/schemes.js").Control} Control
 * @typedef {import("./runtime/schemes.js").Scheme} Scheme
 * @typedef {import("./runtime/positions.js").Positions} Positions
 * @typedef {import("./runtime/tensor.js").DType} DType
 * @typedef {import("./runtime/tensor.js").TensorInput} TensorInput
 * @typedef {import("./analysis/nearest/nearest.js").NearestIndex} NearestIndex
 * @typedef {import("./analysis/nearest/nearest.js").Neighbors} Neighbors
 * @typedef {import("./analysis/pca/pca.js").PrincipalComponents} PrincipalComponents
 * @typedef {import("./positional/rotary/axial_rope/axial_rope.js").AxialTable} AxialTable
 * @typedef {import("./positional/bias/fire/fire.js").FireWeights} FireWeights
 * @typedef {import("./positional/ids/position_ids/position_ids.js").MultimodalSegment} MultimodalSegment
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

const modules = {
  alibi,
  attention,
  axialRope,
  cope,
  deberta,
  dropout,
  dtypes,
  embedding,
  embeddingBag,
  fire,
  fourierFeatures,
  inputEmbeddings,
  kerple,
  learnedPositions,
  mrope,
  nearest,
  normalize,
  pca,
  pooling,
  positionIds,
  rope,
  rounding,
  sandwich,
  shaw,
  similarity,
  sincosGrid,
  sinusoidal,
  skipgram,
  statistics,
  t5Bias,
  tokenTypeIds,
  transformerXL,
  windowBias,
  xpos,
};

/**
 * All modules of phasor.
 * @typedef {{readonly [Module in keyof typeof modules]: ReturnType<typeof modules[Module]>}} Phasor
 */

/**
 * Loads the WebAssembly core and returns all modules.
 *
 * @param {{wasm?: WasmSource | Promise<WasmSource>}} [options]  `wasm`: another compiled core than the one
 *   inside the package: a URL, a Response, bytes or a WebAssembly.Module
 * @returns {Promise<Phasor>} a new core with every call
 * @throws {LoadError} if the core cannot be started; the message names the missing feature or CSP rule
 * @see WebAssembly JavaScript Interface, https://www.w3.org/TR/wasm-js-api-2/
 * @example
 * const { sinusoidal } = await load();
 * sinusoidal.table(2, 4).at(1, 0) // 0.8414709568023682
 */
export async function load(options = {}) {
  const { wasm } = check.options(options, { wasm: undefined }, "load");
  const core = await start(wasm);
  const started = Object.entries(modules).map(([name, start]) => [name, start(core)]);
  return suggesting(/** @type {Phasor} */ (Object.fromEntries(started)), "phasor");
}
