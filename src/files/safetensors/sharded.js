import { describe } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { Json } from "../json.js";
import { readStored, readStream, refuseName } from "../tensors.js";

/**
 * @import {Tensor, TensorInput} from "../../runtime/tensor.js"
 * @import {Bytes, Reading} from "../bytes.js"
 * @import {JsonValue} from "../json.js"
 * @import {ReadOptions, Stored, StoredOptions, TensorFile, TensorInfo, UseRows} from "../tensors.js"
 */

const MOST_BYTES = 100_000_000; // as a header may have; a thousand tensors take some 100 kB
const MOST_SHARDS = 4096;

/**
 * Read an index: which file holds which tensor.
 *
 * @param {Bytes} bytes
 * @param {(shard: string) => Promise<TensorFile>} open
 * @param {AbortSignal} [signal]
 */
export async function openSharded(bytes, open, signal) {
  const json = new Json(await readText(bytes, signal), "SAFETENSORS", "INDEX");
  /** @type {Map<string, string>} */
  let places = new Map();
  /** @type {Map<string, JsonValue>} */
  let metadata = new Map();
  const keys = json.object((key) => {
    if (key === "weight_map") places = json.object(() => json.string());
    else if (key === "metadata") metadata = json.object(() => json.value());
    else json.value();
  });
  json.skip(); // the last line ends, too
  json.end();
  if (!keys.has("weight_map")) refuse("must have a weight_map", [...keys.keys()].join(", "));
  const shards = new Set(places.values());
  for (const shard of shards) {
    const isPlain = /^[\w-][\w.-]{0,250}\.safetensors$/.test(shard) && !shard.includes("..");
    if (!isPlain) refuse("must name its files plainly, without folders", describe(shard));
  }
  if (shards.size > MOST_SHARDS) refuse(`must name at most ${MOST_SHARDS} files`, shards.size);
  return new ShardedFile(places, metadata, [...shards], open);
}

/**
 * An open model of several files, of which it opens those that are asked for.
 */
export class ShardedFile {
  static name = "ShardedFile";

  #places;
  #open;
  /** Those that were asked for. @type {Map<string, Promise<TensorFile>>} */
  #opened = new Map();

  /**
   * @param {ReadonlyMap<string, string>} places
   * @param {ReadonlyMap<string, JsonValue>} metadata
   * @param {string[]} shards
   * @param {(shard: string) => Promise<TensorFile>} open
   */
  constructor(places, metadata, shards, open) {
    this.#places = places;
    this.#open = open;
    /** The tensors' names, in the order of the index. @readonly @type {readonly string[]} */
    this.names = Object.freeze([...places.keys()]);
    /** What the index notes, by key: `total_size` and the like. @readonly */
    this.metadata = metadata;
    /** The names of the files. @readonly @type {readonly string[]} */
    this.shards = Object.freeze(shards);
    Object.freeze(this);
  }

  /**
   * Which file holds a tensor.
   *
   * @param {string} name
   * @returns {string}
   * @throws {RangeError} if there is no tensor of this name
   */
  shard(name) {
    return this.#places.get(name) ?? refuseName(name, "name", this.names);
  }

  /**
   * What the header of its file says of one tensor.
   *
   * @param {string} name
   * @returns {Promise<Readonly<TensorInfo>>}
   * @throws {RangeError} if there is no tensor of this name
   * @throws {FileError}  if its file breaks a rule, or lacks the tensor (SAFETENSORS_INDEX)
   */
  async info(name) {
    return (await this.#file(name)).info(name);
  }

  /**
   * Read one tensor, as the `tensor` of a single file.
   *
   * Shapes    as in the file
   *
   * @param {string} name
   * @param {ReadOptions} [options]  a `scale` by name may lie in another file
   * @returns {Promise<Tensor<any>>} newly made and the caller's own
   * @throws {RangeError} if there is no tensor of this name, or an option does not fit it
   * @throws {TypeError}  if an option is of the wrong kind
   * @throws {FileError}  as `info`, and as `tensor` of a single file
   */
  async tensor(name, options) {
    const file = await this.#file(name);
    return file.tensor(name, await this.#scaled(options));
  }

  /**
   * Read some rows of a tensor, as the `rows` of a single file.
   *
   * Shapes    ids [...], tensor [V, D] (or [V, ...]) -> [..., D]
   *
   * @param {string} name
   * @param {TensorInput} ids  whole numbers from 0 to V - 1, in any order, also repeated
   * @param {ReadOptions} [options]  a `scale` by name may lie in another file
   * @returns {Promise<Tensor<any>>} newly made and the caller's own
   * @throws {RangeError} if there is no tensor of this name, it has no rows, an id is not among
   *   them, or an option does not fit
   * @throws {TypeError}  if an id or an option is of the wrong kind
   * @throws {FileError}  as `tensor`
   */
  async rows(name, ids, options) {
    const file = await this.#file(name);
    return file.rows(name, ids, await this.#scaled(options));
  }

  /**
   * Read a tensor as it lies in its file, or some of its rows, as the `stored` of a single file.
   *
   * Shapes    as in the file; with `rows` [...], tensor [V, D] -> [..., D]
   *
   * @param {string} name
   * @param {StoredOptions} [options]
   * @returns {Promise<Stored>} newly made and the caller's own
   * @throws {RangeError} if there is no tensor of this name, or it has no such rows
   * @throws {TypeError}  if an option is of the wrong kind
   * @throws {FileError}  as `info`
   */
  async stored(name, options) {
    const wishes = readStored(options);
    return (await this.#file(name)).stored(name, wishes);
  }

  /**
   * Read a tensor as it lies in its file, some rows at a time, as the `stream` of a single file.
   *
   * Shapes    tensor [V, D] (or [V, ...]) -> [N, D] each
   *
   * @param {string} name
   * @param {UseRows} use
   * @param {Reading} [options]
   * @returns {Promise<void>} when all were given
   * @throws {RangeError} if there is no tensor of this name, or it has no rows
   * @throws {TypeError}  if use is no function, or an option is of the wrong kind
   * @throws {FileError}  as `info`
   */
  async stream(name, use, options) {
    const wishes = readStream(use, options);
    return (await this.#file(name)).stream(name, use, wishes);
  }

  /** The open file that holds a tensor. @param {string} name */
  async #file(name) {
    const shard = this.shard(name);
    let opened = this.#opened.get(shard);
    if (opened === undefined) {
      opened = this.#open(shard);
      this.#opened.set(shard, opened);
      opened.catch(() => this.#opened.delete(shard)); // the next one may try again
    }
    const file = await opened;
    if (!file.names.includes(name)) {
      refuse(`must place ${describe(name)} where it is`, `${describe(shard)}, which lacks it`);
    }
    return file;
  }

  /** @param {ReadOptions | undefined} options @returns {Promise<ReadOptions | undefined>} */
  async #scaled(options) {
    if (typeof options?.scale !== "string") return options;
    return { ...options, scale: await this.tensor(options.scale, { signal: options.signal }) };
  }
}

/**
 * @param {Bytes} bytes @param {AbortSignal} [signal]
 */
async function readText({ size, read }, signal) {
  signal?.throwIfAborted();
  if (size > MOST_BYTES) refuse(`must be at most ${MOST_BYTES} bytes long`, size);
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
