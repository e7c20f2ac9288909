/**
 * Sentence vectors of an open model: the layers after a transformer, and static models whole. The package has this in a
 * separate file (`open-sentences` in scripts/package/build.js), which `phasor/open` imports on first use.
 */
import * as arrays from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { asFloat32 } from "../../runtime/input.js";
import { Tensor } from "../../runtime/tensor.js";
import { EMPTY_PROMPTS, readGgufPooling, readModules } from "./modules.js";
import { once } from "../../files/once.js";
import { readSignal } from "../../files/reading.js";
import { staticVectors } from "./static.js";

/**
 * @import {Phasor} from "../../index.js"
 * @import {TensorInput} from "../../runtime/tensor.js"
 * @import {Beside} from "./beside.js"
 * @import {OpenModel} from "./model.js"
 * @import {Library, SentenceLayers, Step} from "./modules.js"
 * @import {Parts} from "./model.js"
 * @import {TokenizerClass} from "./tokenizer.js"
 */

/**
 * @typedef {object} VectorOptions
 * @property {number} [dim]  the number of columns to keep, the first ones, for Matryoshka models. They are cut before the
 *   vectors get length 1. Default: the model's `truncate_dim`, to which they are cut after it, or all
 * @property {boolean} [normalize]  whether the vectors get length 1. Default: as the model says
 * @property {AbortSignal} [signal]  aborts the read
 *
 * @typedef {object} PoolOnly
 * @property {TensorInput} [mask]  the attention mask [B, T] or [T]. Default: all 1
 * @property {number} [promptLength]  how many tokens of each text are the prompt, with the special tokens before it.
 *   A model whose `pooling.includePrompt` is false leaves them out. Default: 0
 *
 * @typedef {object} EncodeOnly
 * @property {TokenizerClass | {encode: (text: string) => number[]}} [tokenizer]  the class of
 *   `@huggingface/tokenizers`, which then reads the model's tokenizer.json, or a tokenizer that adds no special tokens.
 *   Only texts need one
 * @property {string} [prompt]  text that precedes each text
 * @property {string} [promptName]  the name of one of the model's prompts. Default: the model's `defaultPrompt`
 * @property {number} [batch]  the number of texts that are computed together. Default: 1024
 * @property {Library} [library]  whose rules apply, for a model that both libraries can open. Default: `static` of the
 *   model's layers
 *
 * @typedef {readonly number[] | Int32Array} Ids  of the tokens of a text
 *
 * @typedef {VectorOptions & PoolOnly} PoolOptions
 * @typedef {VectorOptions & EncodeOnly} EncodeOptions
 */

const VECTORS = { dim: undefined, normalize: undefined, signal: undefined };
const POOL = Object.freeze({ ...VECTORS, mask: undefined, promptLength: 0 });
const ENCODE = Object.freeze({
  ...VECTORS,
  tokenizer: undefined,
  prompt: undefined,
  promptName: undefined,
  batch: 1024,
  library: undefined,
});

/** torch.nn.LayerNorm */
const LAYER_NORM_EPS = 1e-5;

/**
 * @typedef {ReturnType<typeof sentencesOf>} Sentences
 * @typedef {Parts & {readSafetensors: typeof import("../../files/safetensors/safetensors.js").readSafetensors}} Sources
 *   with the reader that `phasor/open` has, so that its code is not there twice
 */

/**
 * @param {Sources} parts @param {(name: string) => Beside | undefined} beside @param {OpenModel} model
 */
export function sentencesOf(parts, beside, model) {
  const { phasor, place, path } = parts;
  const modules = once(async (signal) => {
    const found = await readModules(place, path, isModel2Vec(model), signal);
    const isGguf = found === undefined && parts.weights.format === "gguf";
    return isGguf ? readGgufPooling(parts.weights, signal) : found;
  });
  const weights = once(async (signal) => {
    const { steps = [] } = (await modules(signal)) ?? {};
    return Promise.all(steps.map((step) => weightsOf(parts, step, signal)));
  });
  const vectors = staticVectors(parts, beside, model);

  /** The vectors of pooled rows. @param {Tensor} x @param {readonly Step[]} steps @param {AbortSignal} [signal] */
  const throughLayers = async (x, steps, signal) => {
    const all = (await modules(signal))?.steps ?? [];
    const loaded = await weights(signal);
    let result = x;
    for (const step of steps) result = applied(phasor, result, step, loaded[all.indexOf(step)]);
    return result;
  };

  return {
    /** @param {{signal?: AbortSignal}} [options] */
    async layers(options) {
      return (await modules(readSignal(options).signal))?.layers;
    },

    /** @param {TensorInput} hidden @param {PoolOptions} [options] */
    async pool(hidden, options) {
      const { mask, promptLength, ...wanted } = check.options(options, POOL);
      const signal = check.abortSignal(wanted.signal);
      const { layers, steps } = (await modules(signal)) ?? {};
      const [pooling, ...rest] = steps ?? [];
      if (!layers || pooling?.kind !== "pooling") {
        const none = parts.weights.format === "gguf" ? "pooling_type" : "modules.json";
        const reason = layers ? "it is a static model; use encode" : `it has no ${none}`;
        throw new RangeError(`cannot pool hidden states of the model: ${reason}`);
      }
      const x = asFloat32(hidden, "hidden");
      if (x.shape.length < 2 || x.shape.length > 3 || x.shape.at(-1) !== pooling.dim) {
        const rule = `shape [B, T, ${pooling.dim}] or [T, ${pooling.dim}]`;
        throw new RangeError(`hidden must have ${rule}; got [${x.shape.join(", ")}]`);
      }
      const skipped = check.integer(promptLength, "promptLength", 0);
      const { body, dim, unit } = plan(rest, layers.dim, layers, wanted);
      const isLast = body.length === 0;
      const pooled = phasor.pooling.apply(x, {
        mask,
        mode: pooling.modes,
        promptLength: pooling.includePrompt ? 0 : skipped,
        ...(isLast ? { dim, normalize: unit } : undefined),
      });
      return isLast ? pooled : cut(phasor, await throughLayers(pooled, body, signal), dim, unit);
    },

    /** @param {string | readonly (string | Ids)[]} texts @param {EncodeOptions} [options] */
    async encode(texts, options) {
      const given = check.options(options, ENCODE);
      const signal = check.abortSignal(given.signal);
      const list = listOf(texts);
      const batch = check.integer(given.batch, "batch");
      const found = await modules(signal);
      if (!found?.layers.static) throw cannotEncode(found?.layers);
      const { steps, first, maxTokens, normalizes } = found;
      const library = libraryOf(given.library) ?? found.layers.static;
      const isPlain = library === "model2vec"; // which has no further layers, and reads no settings of Sentence Transformers
      const none = isPlain && { truncateDim: undefined, defaultPrompt: undefined };
      const layers = { ...found.layers, ...none };
      const prompt = promptOf(given, layers);
      const rules = { library, first, maxTokens: isPlain ? maxTokens : null };
      const encoder = await vectors(rules, list, given.tokenizer, signal);
      const own = isPlain ? [] : steps;
      refuseOtherWidth(own, encoder.dim);
      const unitByDefault = isPlain ? normalizes : undefined;
      const { body, dim, unit } = plan(own, encoder.dim, layers, given, unitByDefault);
      const width = dim ?? encoder.dim;
      const result = arrays.float32s(list.length * width, "the vectors");
      for (let at = 0; at < list.length; at += batch) {
        const means = await encoder.means(list.slice(at, at + batch), prompt, at, signal);
        const layered = await throughLayers(means, body, signal);
        const { data } = cut(phasor, layered, dim, unit);
        result.set(/** @type {Float32Array} */ (data), at * width);
      }
      return new Tensor(result, typeof texts === "string" ? [width] : [list.length, width]);
    },
  };
}

/** Whether the weights file is one of Model2Vec. @param {OpenModel} model */
function isModel2Vec({ tensorNames, format, names }) {
  return (
    tensorNames.wordEmbeddings === "embeddings" && format === "safetensors" && names.length < 4
  );
}

/**
 * What remains to be done to vectors: the layers, the cut, and whether they get length 1 after it.
 * @param {readonly Step[]} steps @param {number | undefined} before  the width before the steps
 * @param {SentenceLayers} layers @param {VectorOptions} wanted @param {boolean} [byDefault]
 */
function plan(steps, before, { truncateDim }, wanted, byDefault) {
  let end = steps.length;
  while (end > 0 && steps[end - 1].kind === "normalize") end--;
  // Sentence Transformers cuts to the model's own width after its norm: the vectors are shorter then.
  const isLate = wanted.dim === undefined && truncateDim !== undefined;
  const isCutLast = isLate && wanted.normalize === undefined && byDefault === undefined;
  const body = isCutLast ? steps : steps.slice(0, end);
  const last = body.findLast((step) => step.kind === "dense");
  const width = last?.kind === "dense" ? last.outputs : before;
  const unit =
    wanted.normalize === undefined
      ? (byDefault ?? (end < steps.length && !isCutLast))
      : check.boolean(wanted.normalize, "normalize");
  const dim =
    wanted.dim === undefined
      ? truncateDim && Math.min(truncateDim, width ?? truncateDim)
      : check.integer(wanted.dim, "dim", 1, width);
  return { body, dim: dim ?? width, unit };
}

/** @param {Phasor} phasor @param {Tensor} x [..., W] @param {number | undefined} dim @param {boolean} unit */
function cut(phasor, x, dim, unit) {
  const W = x.shape[x.shape.length - 1];
  let result = x;
  if (dim !== undefined && dim < W) {
    const N = x.data.length / W;
    const kept = arrays.float32s(N * dim, "the vectors");
    const data = /** @type {Float32Array} */ (x.data);
    for (let n = 0; n < N; ++n) kept.set(data.subarray(n * W, n * W + dim), n * dim);
    result = new Tensor(kept, [...x.shape.slice(0, -1), dim]);
  }
  return unit ? phasor.normalize.l2(result) : result;
}

/**
 * @param {Phasor} phasor @param {Tensor} x @param {Step} step @param {Record<string, Tensor>} weights
 * @returns {Tensor}
 */
function applied(phasor, x, step, weights) {
  if (step.kind === "normalize") return phasor.normalize.l2(x);
  if (step.kind === "layerNorm") {
    const { weight, bias } = weights;
    return phasor.normalize.layerNorm(x, { weight, bias, eps: LAYER_NORM_EPS });
  }
  if (step.kind !== "dense") return x;
  const { weight, bias, residual } = weights;
  const y = phasor.pooling.dense(x, weight, { bias, activation: step.activation });
  if (!step.residual) return y;
  const added = residual ? phasor.pooling.dense(x, residual) : x;
  const sum = Float32Array.from(/** @type {Float32Array} */ (y.data), (value, k) => {
    return value + Number(added.data[k]);
  });
  return new Tensor(sum, y.shape);
}

/**
 * The weights of a layer, which has a separate file.
 * @param {Sources} parts @param {Step} step @param {AbortSignal} signal
 * @returns {Promise<Record<string, Tensor>>}
 */
async function weightsOf({ phasor, place, weights: own, readSafetensors }, step, signal) {
  if (step.kind !== "dense" && step.kind !== "layerNorm") return {};
  if (step.kind === "dense" && step.tensor !== undefined) {
    const parts = step.bias ? ["weight", "bias"] : ["weight"];
    const entries = parts.map(async (part) => {
      const stored = await own.stored(`${step.tensor}.${part}`, { signal });
      return [part, phasor.dtypes.decode(stored)];
    });
    return Object.fromEntries(await Promise.all(entries));
  }
  const path = `${step.path}model.safetensors`;
  if (!place.files.includes(path)) {
    const message = `the model must have ${path}; got other files (pytorch_model.bin may hold programs)`;
    throw new FileError("OPEN_MODULES", message);
  }
  const file = await readSafetensors(await place.open(path, signal), { signal });
  /** @param {string} name @param {readonly number[]} shape */
  const read = async (name, shape) => {
    const found = file.names.includes(name) ? file.info(name).shape : undefined;
    if (found?.join() !== shape.join()) {
      const got = found ? `[${found.join(", ")}]` : "none";
      const message = `${path} must have ${name} of shape [${shape.join(", ")}]; got ${got}`;
      throw new FileError("OPEN_MODULES", message);
    }
    return file.tensor(name, { dtype: "float32", signal });
  };
  /** @type {Record<string, Tensor>} */
  const weights = {};
  if (step.kind === "layerNorm") {
    weights.weight = await read("norm.weight", [step.dim]);
    weights.bias = await read("norm.bias", [step.dim]);
    return weights;
  }
  const { inputs, outputs } = step;
  weights.weight = await read("linear.weight", [outputs, inputs]);
  if (step.bias) weights.bias = await read("linear.bias", [outputs]);
  if (step.residual && inputs !== outputs) {
    weights.residual = await read("residual.weight", [outputs, inputs]);
  }
  return weights;
}

/** The first layer that has a width must have that of the table. @param {readonly Step[]} steps @param {number} dim */
function refuseOtherWidth(steps, dim) {
  for (const step of steps) {
    const [path, width] =
      step.kind === "dense"
        ? [step.path, step.inputs]
        : step.kind === "layerNorm"
          ? [step.path, step.dim]
          : [];
    if (width === undefined) continue;
    if (width === dim) return;
    const message = `${path}config.json must be of a layer for vectors of ${dim} numbers; got ${width}`;
    throw new FileError("OPEN_MODULES", message);
  }
}

/** @param {SentenceLayers | undefined} layers */
function cannotEncode(layers) {
  const reason = layers
    ? "its vectors need a transformer; run one, and pass its hidden states to model.pool"
    : "it has no modules.json and is not one of Model2Vec";
  return new RangeError(`cannot encode texts with the model: ${reason}`);
}

/** @param {unknown} texts @returns {readonly (string | Ids)[]} */
function listOf(texts) {
  if (typeof texts === "string") return [texts];
  if (!Array.isArray(texts)) {
    throw new TypeError(`texts must be a string or a list; got ${check.describe(texts)}`);
  }
  const bad = texts.findIndex((text) => typeof text !== "string" && !isIds(text));
  if (bad >= 0) {
    const rule = "strings, or lists of the ids of their tokens";
    throw new TypeError(`texts must be ${rule}; got ${check.describe(texts[bad])} at ${bad}`);
  }
  return texts;
}

/** @param {unknown} value */
function isIds(value) {
  return Array.isArray(value) || arrays.kindOf(value) === "Int32Array";
}

/** @param {unknown} library @returns {Library | undefined} */
function libraryOf(library) {
  const known = /** @type {const} */ (["model2vec", "sentence-transformers"]);
  return library === undefined ? undefined : check.oneOf(library, "library", known);
}

/** @param {EncodeOptions} options @param {SentenceLayers} layers @returns {string} */
function promptOf({ prompt, promptName }, { prompts, defaultPrompt }) {
  if (prompt !== undefined && promptName !== undefined) {
    throw new TypeError("prompt must not be given with promptName; got both");
  }
  if (prompt !== undefined) {
    if (typeof prompt === "string") return prompt;
    throw new TypeError(`prompt must be a string; got ${check.describe(prompt)}`);
  }
  const name = promptName ?? defaultPrompt;
  if (name === undefined) return "";
  if (typeof name === "string" && Object.hasOwn(prompts, name)) return prompts[name];
  const names = [...new Set([...Object.keys(prompts), ...EMPTY_PROMPTS])];
  check.oneOf(name, "promptName", names);
  return "";
}
