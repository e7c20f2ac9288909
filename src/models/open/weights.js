/**
 * The weights file of a model, with one interface for all formats.
 */
import { describe } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { bytesOf } from "../../files/bytes.js";
import { gguf } from "../../files/gguf/gguf.js";
import { readSignal } from "../../files/reading.js";
import { readSafetensors, readSharded } from "../../files/safetensors/safetensors.js";
import { joined, partOf, partsOf, withoutLaterParts } from "./parts.js";
import { has } from "./place.js";

/**
 * @import {Reading, Source} from "../../files/bytes.js"
 * @import {Stored, StoredOptions, TensorInfo, UseRows} from "../../files/tensors.js"
 * @import {NpzOptions} from "../../files/npz/npz.js"
 * @import {Part} from "./parts.js"
 * @import {Place} from "./place.js"
 */

/**
 * @typedef {object} Weights
 * @property {typeof FORMATS[number]} format
 * @property {boolean} isSharded  whether the model has several files, each with a header
 * @property {readonly string[]} names  the names of all tensors
 * @property {(name: string, options?: Pick<Reading, "signal">) => Promise<Readonly<TensorInfo>>} info
 * @property {(name: string, options?: StoredOptions) => Promise<Stored>} stored
 * @property {(name: string, use: UseRows, options?: Reading) => Promise<void>} stream
 * @property {ReadonlyMap<string, unknown>} metadata  of the file
 * @property {ReadonlyMap<string, string>} [shared]  names that the file leaves out, and the tensor that each shares
 * @property {Part} [part]  which part of a model the file is, if the others are not opened
 */

const FORMATS = /** @type {const} */ (["safetensors", "gguf", "npz", "npy"]);

/** Extensions of weights in formats that are not supported. */
const OTHERS = new Set("bin pt pth ckpt pkl h5 onnx msgpack tflite".split(" "));

/** Patterns of weights files, best first; several matches of one pattern are an error. */
const CHOICES = [
  /^model\.safetensors$/,
  /^model\.safetensors\.index\.json$/,
  /^[^/]*\.safetensors$/,
  /^[^/]*\.safetensors\.index\.json$/,
  /^[^/]*\.gguf$/i,
  /^[^/]*\.npz$/i,
  /^[^/]*\.npy$/i,
  /^0_[^/]*\/model\.safetensors$/, // Sentence Transformers
];

/**
 * Chooses the weights file and reads its header.
 *
 * @param {Place} place
 * @param {string | undefined} wanted  the file, if there are several
 * @param {NpzOptions} limits  for the reader of the format
 * @returns {Promise<{path: string, weights: Weights}>}
 * @throws {FileError} OPEN_NO_WEIGHTS, OPEN_SEVERAL, or a code of the format
 */
export async function openWeights(place, wanted, limits) {
  const path = wanted ?? place.only ?? choose(place.files);
  if (!place.files.includes(path)) {
    const got = `${describe(path)}, not one of ${listed(place.files)}`;
    throw new RangeError(`file must be a file of the model; got ${got}`);
  }
  return { path, weights: await read(place, path, limits) };
}

/** @param {Place} place @param {string} path @param {NpzOptions} limits @returns {Promise<Weights>} */
async function read(place, path, { maxBytes, signal }) {
  const source = await place.open(path, signal);
  if (path.endsWith(".index.json")) {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const shards = async (/** @type {string} */ name, /** @type {{signal: AbortSignal}} */ stop) =>
      has(place, folder + name) ? place.open(folder + name, stop.signal) : undefined;
    const file = await readSharded(source, shards, { signal });
    return withShared({ ...ofTensors("safetensors", file), isSharded: true });
  }
  const format = await formatOf(source, path, signal);
  switch (format) {
    case "safetensors":
      return withShared({
        ...ofTensors("safetensors", await readSafetensors(source, { signal })),
        part: partOf(path),
      });
    case "gguf": {
      const parts = await partsOf(place, path, await gguf.read(source, { signal }), async (each) =>
        gguf.read(await place.open(each, signal), { signal }),
      );
      return {
        ...ofTensors("gguf", joined(parts)),
        part: parts.length > 1 ? undefined : partOf(path),
      };
    }
    default: {
      const { readArrays } = await import("./numpy.js"); // few models have these formats
      return readArrays(format, source, path, { maxBytes, signal });
    }
  }
}

/** The first bytes of each format. */
const MAGIC = /** @type {const} */ ([
  ["gguf", "GGUF"],
  ["npz", "PK"],
  ["npy", "\x93NUMPY"],
]);

/**
 * Determines the format by the name, or else by the first bytes.
 * @param {Source} source @param {string} path @param {AbortSignal} [signal]
 * @returns {Promise<Weights["format"]>}
 */
async function formatOf(source, path, signal) {
  const ending = endingOf(path);
  const named = FORMATS.find((format) => format === ending);
  if (named !== undefined) return named;
  if (ending === "json" || OTHERS.has(ending)) throw noWeights([path]);
  const { size, read } = bytesOf(source);
  const first = String.fromCharCode(...(await read(0, Math.min(size, 8), { signal })));
  return MAGIC.find(([, begin]) => first.startsWith(begin))?.[0] ?? "safetensors";
}

/** @param {readonly string[]} files @returns {string} */
function choose(files) {
  for (const pattern of CHOICES) {
    const found = withoutLaterParts(files.filter((file) => pattern.test(file)));
    if (found.length === 1) return found[0];
    if (found.length > 1) {
      const rule = "file must be passed to choose one of several";
      throw new FileError("OPEN_SEVERAL", `${rule}; got ${listed(found)}`);
    }
  }
  throw noWeights(files);
}

/** @param {readonly string[]} files */
function noWeights(files) {
  const rule = "source must have weights as .safetensors, .gguf, .npz or .npy";
  const isProgram = files.some((path) => OTHERS.has(endingOf(path)));
  const reason = isProgram ? " (others may hold programs)" : "";
  return new FileError("OPEN_NO_WEIGHTS", `${rule}${reason}; got ${listed(files)}`);
}

/** @param {string} path */
function endingOf(path) {
  return /\.(\w+)$/.exec(path.toLowerCase())?.[1] ?? "";
}

/** @param {readonly string[]} files */
function listed(files) {
  const shown = files.slice(0, 12).map(describe).join(", ");
  return files.length > 12 ? `${shown}, ... (${files.length})` : shown || "no file";
}

/**
 * @param {"safetensors" | "gguf"} format
 * @param {{names: readonly string[], metadata: ReadonlyMap<string, unknown>,
 *   info: (name: string, options?: Pick<Reading, "signal">) => any, stored: (name: string, options?: StoredOptions) => Promise<Stored>,
 *   stream: (name: string, use: UseRows, options?: Reading) => Promise<void>}} file
 * @returns {Weights}
 */
function ofTensors(format, file) {
  return {
    format,
    isSharded: false,
    names: file.names,
    metadata: file.metadata,
    info: async (name, options) => {
      readSignal(options).signal?.throwIfAborted();
      return file.info(name, options);
    },
    stored: (name, options) => file.stored(name, options),
    stream: (name, use, options) => file.stream(name, use, options),
  };
}

/**
 * A safetensors file has each tensor once. Of those that shared it, its writer drops the other names, and may note in
 * the metadata which tensor each had.
 * @param {Weights} weights
 * @returns {Weights}
 * @see safetensors, bindings/python/py_src/safetensors/torch.py, save_model
 */
function withShared(weights) {
  const { names, metadata, info, stored, stream } = weights;
  const known = new Set(names);
  /** @type {Map<string, string>} */
  const shared = new Map();
  for (const [name, other] of metadata) {
    if (known.has(String(other)) && !known.has(name)) shared.set(name, String(other));
  }
  if (shared.size === 0) return weights;
  const at = (/** @type {string} */ name) => shared.get(name) ?? name;
  return {
    ...weights,
    shared,
    names: Object.freeze([...names, ...shared.keys()]),
    info: async (name, options) => Object.freeze({ ...(await info(at(name), options)), name }),
    stored: (name, options) => stored(at(name), options),
    stream: (name, use, options) => stream(at(name), use, options),
  };
}
