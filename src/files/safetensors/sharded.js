import { describe } from "../../runtime/check.js";
import { copied } from "../../runtime/input.js";
import { FileError } from "../../runtime/errors.js";
import { nameMethods } from "../../runtime/named.js";
import { Json } from "../json.js";
import { once } from "../once.js";
import { readSignal } from "../reading.js";
import { checkReadable, readOptions, readStored, readStream, refuseName } from "../tensors.js";

/**
 * @import {Tensor, TensorInput} from "../../runtime/tensor.js"
 * @import {Bytes, Reading} from "../bytes.js"
 * @import {JsonValue} from "../json.js"
 * @import {ReadOptions, Stored, StoredOptions, TensorFile, TensorInfo, UseRows} from "../tensors.js"
 */

/** @typedef {(shard: string, signal: AbortSignal) => Promise<TensorFile | undefined>} OpenShard */

const MAX_BYTES = 100_000_000; // as for a header; a thousand tensors take about 100 kB
const MAX_SHARDS = 4096;
const MAX_TENSORS = 2 ** 19; // the largest models have about 140,000

/**
 * Reads an index, which maps tensors to files.
 *
 * @param {Bytes} bytes
 * @param {OpenShard} open
 * @param {AbortSignal} [signal]
 */
export async function openSharded(bytes, open, signal) {
  const json = new Json(await readText(bytes, signal), "SAFETENSORS", "INDEX");
  /** @type {Map<string, string>} */
  let places = new Map();
  /** @type {Map<string, JsonValue>} */
  let metadata = new Map();
  /** Each name once, since many tensors share a file. @type {Map<string, string>} */
  const shards = new Map();
  const keys = json.object((key) => {
    if (key === "weight_map") places = json.object(() => readShard(json, shards), MAX_TENSORS);
    else if (key === "metadata") metadata = readMetadata(json);
    else json.ignore();
  });
  json.end();
  if (!keys.has("weight_map")) refuse("must have a weight_map", [...keys.keys()].join(", "));
  return new ShardedFile(places, metadata, [...shards.keys()], open);
}

/** @param {Json} json @param {Map<string, string>} shards  those that were named before */
function readShard(json, shards) {
  const shard = json.string();
  const known = shards.get(shard);
  if (known !== undefined) return known;
  const isPlain = /^[\w-][\w.-]{0,250}\.safetensors$/.test(shard) && !shard.includes("..");
  if (!isPlain) refuse("must name files without folders", describe(shard));
  if (shards.size === MAX_SHARDS) refuse(`must name at most ${MAX_SHARDS} files`, "more");
  shards.set(shard, shard);
  return shard;
}

/** @param {Json} json @returns {Map<string, JsonValue>} */
function readMetadata(json) {
  if (json.peek() === "n") return (json.ignore(), new Map()); // null for none
  if (json.peek() !== "{") json.refuse("an object of metadata");
  return /** @type {Map<string, JsonValue>} */ (json.value());
}

/**
 * An open model of several files, each opened on first use.
 */
export class ShardedFile {
  static name = "ShardedFile";

  #places;
  #open;
  /** @type {Map<string, (signal?: AbortSignal) => Promise<TensorFile>>} */
  #opened = new Map();

  /**
   * @param {ReadonlyMap<string, string>} places
   * @param {ReadonlyMap<string, JsonValue>} metadata
   * @param {string[]} shards
   * @param {OpenShard} open
   */
  constructor(places, metadata, shards, open) {
    nameMethods(ShardedFile);
    this.#places = places;
    this.#open = open;
    /** The tensors' names, in the order of the index. @readonly @type {readonly string[]} */
    this.names = Object.freeze([...places.keys()]);
    /** The metadata of the index by key, such as `total_size`. @readonly */
    this.metadata = metadata;
    /** The names of the files. @readonly @type {readonly string[]} */
    this.shards = Object.freeze(shards);
    Object.freeze(this);
  }

  /**
   * Returns the name of the file that holds a tensor.
   *
   * @param {string} name
   * @returns {string}
   * @throws {RangeError} if there is no tensor of this name
   */
  shard(name) {
    return this.#places.get(name) ?? refuseName(name, "name", this.names);
  }

  /**
   * Returns the description of one tensor in the header of its file.
   *
   * @param {string} name
   * @param {{signal?: AbortSignal}} [options]  `signal`: aborts the read
   * @returns {Promise<Readonly<TensorInfo>>}
   * @throws {RangeError} if there is no tensor of this name
   * @throws {TypeError}  if signal is not an AbortSignal
   * @throws {FileError}  if its file is invalid, or lacks the tensor (SAFETENSORS_INDEX)
   */
  async info(name, options) {
    const { signal } = readSignal(options);
    return (await this.#file(name, signal)).info(name);
  }

  /**
   * Reads one tensor, as the `tensor` of a single file.
   *
   * Shapes    as in the file
   *
   * @param {string} name
   * @param {ReadOptions} [options]  a `scale` by name may lie in another file
   * @returns {Promise<Tensor<any>>} the tensor
   * @throws {RangeError} if there is no tensor of this name, or an option does not fit it
   * @throws {TypeError}  if an option has the wrong type
   * @throws {FileError}  as `info`, and as `tensor` of a single file
   */
  async tensor(name, options) {
    const given = readOptions(options);
    const file = await this.#file(name, given.signal);
    return file.tensor(name, await this.#scaled(file.info(name), given));
  }

  /**
   * Read some rows of a tensor, as the `rows` of a single file.
   *
   * Shapes    ids [...], tensor [V, D] (or [V, ...]) -> [..., D]
   *
   * @param {string} name
   * @param {TensorInput} ids  whole numbers from 0 to V - 1, in any order, also repeated
   * @param {ReadOptions} [options]  a `scale` by name may lie in another file
   * @returns {Promise<Tensor<any>>} the tensor
   * @throws {RangeError} if there is no tensor of this name, it has no rows, an id is not among
   *   them, or an option does not fit
   * @throws {TypeError}  if an id or an option has the wrong type
   * @throws {FileError}  as `tensor`
   */
  async rows(name, ids, options) {
    const [own, given] = [copied(ids), readOptions(options)];
    const file = await this.#file(name, given.signal);
    return file.rows(name, own, await this.#scaled(file.info(name), given));
  }

  /**
   * Reads the stored bytes of a tensor, or of some of its rows, as the `stored` of a single file.
   *
   * Shapes    as in the file; with `rows` [...], tensor [V, D] -> [..., D]
   *
   * @param {string} name
   * @param {StoredOptions} [options]
   * @returns {Promise<Stored>} bytes, dtype and shape
   * @throws {RangeError} if there is no tensor of this name, or a row is out of range
   * @throws {TypeError}  if an option has the wrong type
   * @throws {FileError}  as `info`
   */
  async stored(name, options) {
    const given = { ...readStored(options), rows: copied(options?.rows) };
    return (await this.#file(name, given.signal)).stored(name, given);
  }

  /**
   * Reads the stored bytes of a tensor a few rows at a time, as the `stream` of a single file.
   *
   * Shapes    tensor [V, D] (or [V, ...]) -> [N, D] each
   *
   * @param {string} name
   * @param {UseRows} use
   * @param {Reading} [options]
   * @returns {Promise<void>} resolves after the last row
   * @throws {RangeError} if there is no tensor of this name, or it has no rows
   * @throws {TypeError}  if use is not a function, or an option has the wrong type
   * @throws {FileError}  as `info`
   */
  async stream(name, use, options) {
    const reading = readStream(use, options);
    return (await this.#file(name, reading.signal)).stream(name, use, reading);
  }

  /** The open file that holds a tensor. @param {string} name @param {AbortSignal} [signal] */
  async #file(name, signal) {
    const shard = this.shard(name);
    const opened = this.#opened.get(shard) ?? once((stop) => this.#read(shard, stop));
    this.#opened.set(shard, opened);
    const file = await opened(signal);
    if (!file.names.includes(name)) {
      refuse(`must name the file that has ${describe(name)}`, `${describe(shard)}, which lacks it`);
    }
    return file;
  }

  /** @param {string} shard @param {AbortSignal} stop */
  async #read(shard, stop) {
    const file = await this.#open(shard, stop);
    if (file) return file;
    const names = this.names.filter((name) => this.#places.get(name) === shard);
    const some = names.slice(0, 3).map(describe).join(", ");
    const more = names.length > 3 ? ` and ${names.length - 3} more` : "";
    const rule = `files must have ${describe(shard)}, with the tensors ${some}${more}`;
    throw new FileError("SAFETENSORS_SHARD", `${rule}; got no such file`);
  }

  /** @param {TensorInfo} info @param {ReadOptions} options @returns {Promise<ReadOptions>} */
  async #scaled(info, options) {
    if (typeof options.scale !== "string") return options;
    checkReadable(info, "SAFETENSORS", options.scale);
    return { ...options, scale: await this.tensor(options.scale, { signal: options.signal }) };
  }
}

/**
 * @param {Bytes} bytes @param {AbortSignal} [signal]
 */
async function readText({ size, read }, signal) {
  if (size > MAX_BYTES) refuse(`must be at most ${MAX_BYTES} bytes long`, size);
  const bytes = await read(0, size, { signal });
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    return refuse("must be UTF-8", "other bytes", cause);
  }
}

/**
 * @param {string} rule @param {unknown} got @param {unknown} [cause]
 * @returns {never}
 */
function refuse(rule, got, cause) {
  throw new FileError("SAFETENSORS_INDEX", `index ${rule}; got ${got}`, { cause });
}
