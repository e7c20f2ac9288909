/** @import { WasmSource } from "./api/wasm.js" */
import * as check from "./api/check.js";
import { start } from "./api/wasm.js";
import { attention } from "./attention/attention/attention.js";
import { nearest } from "./geometry/nearest/nearest.js";
import { pca } from "./geometry/pca/pca.js";
import { similarity } from "./geometry/similarity/similarity.js";
import { statistics } from "./geometry/statistics/statistics.js";
import { alibi } from "./positions/alibi/alibi.js";
import { axial } from "./positions/axial/axial.js";
import { fourier } from "./positions/fourier/fourier.js";
import { grid } from "./positions/grid/grid.js";
import { kernelBias } from "./positions/kernel_bias/kernel_bias.js";
import { learned } from "./positions/learned/learned.js";
import { mrope } from "./positions/mrope/mrope.js";
import { positionIds } from "./positions/position_ids/position_ids.js";
import { precision } from "./positions/precision/precision.js";
import { relative } from "./positions/relative/relative.js";
import { rope } from "./positions/rope/rope.js";
import { sinusoidal } from "./positions/sinusoidal/sinusoidal.js";
import { t5Bias } from "./positions/t5_bias/t5_bias.js";
import { windows } from "./positions/windows/windows.js";
import { xpos } from "./positions/xpos/xpos.js";
import { bag } from "./tokens/bag/bag.js";
import { dropout } from "./tokens/dropout/dropout.js";
import { embedding } from "./tokens/embedding/embedding.js";
import { formats } from "./tokens/formats/formats.js";
import { normalize } from "./tokens/normalize/normalize.js";
import { pipeline } from "./tokens/pipeline/pipeline.js";
import { segment } from "./tokens/segment/segment.js";
import { skipgram } from "./training/skipgram/skipgram.js";

export { CoreFailure, Disposed, LoadError, OutOfMemory } from "./api/errors.js";
export { Tensor } from "./api/tensor.js";

/**
 * @typedef {import("./api/positions.js").Positions} Positions
 * @typedef {import("./api/tensor.js").DType} DType
 * @typedef {import("./api/tensor.js").TensorInput} TensorInput
 * @typedef {import("./geometry/nearest/nearest.js").NearestIndex} NearestIndex
 * @typedef {import("./geometry/nearest/nearest.js").Neighbours} Neighbours
 * @typedef {import("./geometry/pca/pca.js").PrincipalComponents} PrincipalComponents
 * @typedef {import("./positions/axial/axial.js").AxialTable} AxialTable
 * @typedef {import("./positions/kernel_bias/kernel_bias.js").FireWeights} FireWeights
 * @typedef {import("./positions/position_ids/position_ids.js").MultimodalSegment} MultimodalSegment
 * @typedef {import("./positions/rope/rope.js").RotaryTable} RotaryTable
 * @typedef {import("./positions/rope/scaling.js").Scaling} RotaryScaling
 * @typedef {import("./tokens/bag/bag.js").EmbeddingBag} EmbeddingBag
 * @typedef {import("./tokens/embedding/embedding.js").EmbeddingTable} EmbeddingTable
 * @typedef {import("./tokens/embedding/gradient.js").SparseGradient} SparseGradient
 * @typedef {import("./tokens/embedding/packed.js").PackedTable} PackedTable
 * @typedef {import("./tokens/formats/formats.js").Stored} Stored
 * @typedef {import("./tokens/pipeline/pipeline.js").Stages} Stages
 * @typedef {import("./training/skipgram/skipgram.js").SkipGram} SkipGram
 */

const rooms = {
  alibi,
  attention,
  axial,
  bag,
  dropout,
  embedding,
  formats,
  fourier,
  grid,
  kernelBias,
  learned,
  mrope,
  nearest,
  normalize,
  pca,
  pipeline,
  positionIds,
  precision,
  relative,
  rope,
  segment,
  similarity,
  sinusoidal,
  skipgram,
  statistics,
  t5Bias,
  windows,
  xpos,
};

/**
 * Everything phasor can do: its rooms.
 * @typedef {{readonly [Room in keyof typeof rooms]: ReturnType<typeof rooms[Room]>}} Phasor
 */

/**
 * Start phasor.
 *
 * @param {{wasm?: WasmSource | Promise<WasmSource>}} [options]  `wasm`: where the compiled core
 *   is, if not the one that came along: a URL, a Response, bytes or a WebAssembly.Module
 * @returns {Promise<Phasor>} a core of its own with every call
 * @throws {LoadError} if the core cannot be started, in words
 * @see WebAssembly JavaScript Interface, https://www.w3.org/TR/wasm-js-api-2/
 * @example
 * const { sinusoidal } = await load();
 * sinusoidal.table(2, 4).at(1, 0) // 0.8414709568023682
 */
export async function load(options = {}) {
  const { wasm } = check.options(options, { wasm: undefined }, "load");
  const core = await start(wasm);
  const started = Object.entries(rooms).map(([name, room]) => [name, room(core)]);
  return /** @type {Phasor} */ (Object.freeze(Object.fromEntries(started)));
}
