/**
 * The file of a model that holds its weights, whatever its format: the same few questions to all.
 */
import { describe } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { readIds } from "../../runtime/ids.js";
import { allocate, bytesOf } from "../../files/bytes.js";
import { gguf, npy, npz, safetensors } from "../../files/index.js";

/**
 * @import {Tensor} from "../../runtime/tensor.js"
 * @import {Reading, Source} from "../../files/bytes.js"
 * @import {Stored, StoredOptions, TensorInfo, UseRows} from "../../files/tensors.js"
 * @import {Place} from "./place.js"
 */

/**
 * @typedef {object} Weights
 * @property {typeof FORMATS[number]} format
 * @property {boolean} isSharded  in several files, each with a header of its own
 * @property {readonly string[]} names  of all tensors
 * @property {(name: string) => Promise<Readonly<TensorInfo>>} info
 * @property {(name: string, options?: StoredOptions) => Promise<Stored>} stored
 * @property {(name: string, use: UseRows, options?: Reading) => Promise<void>} stream
 * @property {ReadonlyMap<string, unknown>} metadata  what the file says beside its tensors
 */

const FORMATS = /** @type {const} */ (["safetensors", "gguf", "npz", "npy"]);

/** Endings of files that hold weights in formats that are not read here. */
const OTHERS = new Set("bin pt pth ckpt pkl h5 onnx msgpack tflite".split(" "));

/** Files that hold weights, best first; of several that fit, none is taken for the other. */
const CHOICES = [
  /^model\.safetensors$/,
  /^model\.safetensors\.index\.json$/,
  /^[^/]*\.safetensors$/,
  /^[^/]*\.safetensors\.index\.json$/,
  /^[^/]*\.gguf$/i,
  /^[^/]*\.npz$/i,
  /^[^/]*\.npy$/i,
];

/**
 * Choose the file and read its header.
 *
 * @param {Place} place
 * @param {string | undefined} wanted  which one, where there are several
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<{path: string, weights: Weights}>}
 * @throws {FileError} OPEN_NO_WEIGHTS, OPEN_SEVERAL, or of the file's format
 */
export async function openWeights(place, wanted, signal) {
  const path = wanted ?? place.only ?? choose(place.files);
  if (!place.files.includes(path)) {
    const got = `${describe(path)}, where there are ${listed(place.files)}`;
    throw new RangeError(`file must be one of the model's; got ${got}`);
  }
  return { path, weights: await read(place, path, signal) };
}

/** @param {Place} place @param {string} path @param {AbortSignal} [signal] @returns {Promise<Weights>} */
async function read(place, path, signal) {
  const source = await place.open(path);
  if (path.endsWith(".index.json")) {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const shards = (/** @type {string} */ name) => place.open(folder + name);
    const file = await safetensors.sharded(source, shards, { signal });
    return { ...ofTensors("safetensors", file), isSharded: true };
  }
  switch (await formatOf(source, path)) {
    case "safetensors":
      return ofTensors("safetensors", await safetensors.read(source, { signal }));
    case "gguf":
      return ofTensors("gguf", await gguf.read(source, { signal }));
    case "npz":
      return ofArrays(await npz.read(source));
    default:
      return ofArray(await npy.read(source, { as: "stored" }), path);
  }
}

/** How files of each format begin. */
const MAGIC = /** @type {const} */ ([
  ["gguf", "GGUF"],
  ["npz", "PK"],
  ["npy", "\x93NUMPY"],
]);

/**
 * By its name, and by its first bytes where that says nothing.
 * @param {Source} source @param {string} path
 * @returns {Promise<Weights["format"]>}
 */
async function formatOf(source, path) {
  const [, ending] = /\.(\w+)$/.exec(path.toLowerCase()) ?? [];
  const named = FORMATS.find((format) => format === ending);
  if (named !== undefined) return named;
  if (OTHERS.has(ending)) throw noWeights(describe(path));
  const { size, read } = bytesOf(source);
  const first = String.fromCharCode(...(await read(0, Math.min(size, 8))));
  return MAGIC.find(([, begin]) => first.startsWith(begin))?.[0] ?? "safetensors";
}

/** @param {readonly string[]} files @returns {string} */
function choose(files) {
  for (const pattern of CHOICES) {
    const found = files.filter((file) => pattern.test(file));
    if (found.length === 1) return found[0];
    if (found.length > 1) {
      const rule = "file must be given where there are several";
      throw new FileError("OPEN_SEVERAL", `${rule}; got ${listed(found)}`);
    }
  }
  throw noWeights(listed(files));
}

/** @param {string} got */
function noWeights(got) {
  const rule = "source must have weights as .safetensors, .gguf, .npz or .npy";
  return new FileError("OPEN_NO_WEIGHTS", `${rule} (others may hold programs); got ${got}`);
}

/** @param {readonly string[]} files */
function listed(files) {
  const shown = files.slice(0, 12).map(describe).join(", ");
  return files.length > 12 ? `${shown}, ... (${files.length})` : shown || "no file";
}

/**
 * @param {"safetensors" | "gguf"} format
 * @param {{names: readonly string[], metadata: ReadonlyMap<string, unknown>,
 *   info: (name: string) => any, stored: (name: string, options?: StoredOptions) => Promise<Stored>,
 *   stream: (name: string, use: UseRows, options?: Reading) => Promise<void>}} file
 * @returns {Weights}
 */
function ofTensors(format, file) {
  return {
    format,
    isSharded: false,
    names: file.names,
    metadata: file.metadata,
    info: async (name) => file.info(name),
    stored: (name, options) => file.stored(name, options),
    stream: (name, use, options) => file.stream(name, use, options),
  };
}

/** @param {Awaited<ReturnType<typeof npz.read>>} file @returns {Weights} */
function ofArrays(file) {
  return {
    format: "npz",
    isSharded: false,
    names: file.names,
    metadata: new Map(),
    info: async (name) => {
      const info = await file.info(name);
      return Object.freeze({ ...info, dtype: NUMPY[info.dtype.slice(1)] ?? info.dtype });
    },
    stored: async (name, options) => rowsOf(await file.tensor(name, { as: "stored" }), options),
    stream: async (name, use, { signal, progress } = {}) =>
      give(await file.tensor(name, { as: "stored", signal, progress }), use),
  };
}

/** @param {Tensor<any>} tensor @param {string} path @returns {Weights} */
function ofArray(tensor, path) {
  const name = path.replace(/^.*\//, "").replace(/\.npy$/i, "") || "array";
  const { shape, data } = tensor;
  const info = Object.freeze({ name, dtype: DTYPES[tensor.dtype], shape, bytes: data.byteLength });
  return {
    format: "npy",
    isSharded: false,
    names: [name],
    metadata: new Map(),
    info: async () => info,
    stored: async (_, options) => rowsOf(tensor, options),
    stream: async (_, use, { signal, progress } = {}) => {
      signal?.throwIfAborted();
      await give(tensor, use);
      progress?.(data.byteLength, data.byteLength);
    },
  };
}

/** A tensor that is in memory, as it would be read from a file. @param {Tensor<any>} tensor @param {UseRows} use */
function give({ data, dtype, shape }, use) {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return use({ bytes, dtype: DTYPES[dtype], shape }, 0);
}

/** What a tensor's numbers are called in files. @type {Record<string, string>} */
const DTYPES = {
  float64: "F64",
  float32: "F32",
  float16: "F16",
  bfloat16: "BF16",
  int64: "I64",
  int32: "I32",
  int8: "I8",
  uint8: "U8",
};

/** The same by NumPy's names, without the byte order. @type {Record<string, string>} */
const NUMPY = {
  ...{ f8: "F64", f4: "F32", f2: "F16", i8: "I64", i4: "I32", i1: "I8", u1: "U8", b1: "U8" },
  ...{ i2: "I32", u2: "I32" }, // which the reader widens
};

/**
 * Some rows of a tensor that is in memory, as they would be read from a file.
 * @param {Tensor<any>} tensor @param {StoredOptions} [options]
 * @returns {Stored}
 */
function rowsOf(tensor, { rows, signal, progress } = {}) {
  signal?.throwIfAborted();
  const { data, shape } = tensor;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const dtype = DTYPES[tensor.dtype];
  progress?.(bytes.length, bytes.length);
  if (rows === undefined) return { bytes: bytes.slice(), dtype, shape };
  const ids = readIds(rows, shape[0] ?? 0, "rows");
  const size = bytes.length / shape[0];
  const gathered = allocate(Uint8Array, ids.data.length * size, `${ids.data.length} rows`);
  for (const [place, row] of ids.data.entries()) {
    gathered.set(bytes.subarray(row * size, (row + 1) * size), place * size);
  }
  return { bytes: gathered, dtype, shape: [...ids.shape, ...shape.slice(1)] };
}
