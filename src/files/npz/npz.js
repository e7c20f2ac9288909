import { boolean, describe, integer, options as readOptions } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { nameMethods, namespace } from "../../runtime/named.js";
import { bytesOf } from "../bytes.js";
import { named } from "../entries.js";
import { incoming, MAX_START_BYTES, readHeader, tensorOf, written } from "../npy/npy.js";
import { READING, readReading, readSignal } from "../reading.js";
import { readAsFloat32, refuseName } from "../tensors.js";
import { isPath, pack, readDirectory, unpack, unpackStart } from "./zip.js";

/**
 * @import {Tensor, TensorInput} from "../../runtime/tensor.js"
 * @import {Bytes, Reading, Source} from "../bytes.js"
 * @import {NpyOptions} from "../npy/npy.js"
 * @import {Stored, TensorInfo} from "../tensors.js"
 * @import {Member} from "./zip.js"
 */

/**
 * Options for opening a file.
 * @typedef {object} NpzOptions
 * @property {number} [maxBytes]  the maximal size of an array that is read, in bytes after decompression: a small file
 *   can hold an array of 1,000 times its size. Default: 64 MiB, or 32 times the array's size in the file if that is more
 * @property {AbortSignal} [signal]  aborts the read
 */

const SUFFIX = ".npy";

/** The default limit of a compressed array: this size, or this multiple of its bytes in the file. */
const MAX_BYTES = 64 * 2 ** 20;
const MAX_RATIO = 32; // of numbers that are not all the same, it is below 10

/**
 * Reads and writes NumPy's .npz: named arrays in one file, as `numpy.savez`, `numpy.savez_compressed` and
 * `numpy.load` do. The file is a ZIP archive of .npy files, stored or deflated.
 */
export const npz = /* @__PURE__ */ namespace("npz", {
  /**
   * Opens a file: reads and checks its directory only. Members that are not .npy files are ignored.
   *
   * @param {Source} source  a Blob, a File, an ArrayBuffer, a typed array, or any object with
   *   `size` and `slice(begin, end)` whose result has `arrayBuffer()`. Each array is read from it on request
   * @param {NpzOptions} [options]
   * @returns {Promise<NpzFile>} the open file, which keeps a reference to source
   * @throws {TypeError} if source is none of these, or an option has the wrong type
   * @throws {RangeError} if maxBytes is not a whole number from 0 on
   * @throws {FileError} if the file is invalid; its `code` names the rule: NPZ_END (no end record), _ZIP64
   *   (4 GiB and more), _COUNT, _DIRECTORY, _NAME, _DUPLICATE, _ENCRYPTED, _METHOD, _RATIO (an impossible
   *   compression ratio), _OVERLAP; or FILE_READ: the source did not return its bytes
   * @see https://numpy.org/doc/stable/reference/generated/numpy.savez.html
   * @example
   * const file = await npz.read(await npz.write({ wte: [[1, 2], [3, 4]], wpe: [[5, 6]] }));
   * file.names // ["wte", "wpe"]
   */
  async read(source, options) {
    return readNpz(source, options);
  },

  /**
   * Writes tensors to one file.
   *
   * @param {ReadonlyMap<string, TensorInput> | Readonly<Record<string, TensorInput>>} tensors  by
   *   name; each as by `npy.write`
   * @param {{compress?: boolean}} [options]  `compress`: whether to deflate the arrays, as
   *   `numpy.savez_compressed` does. Default: false
   * @returns {Promise<Uint8Array<ArrayBuffer>>} the file
   * @throws {TypeError}  if a tensor holds anything but numbers
   * @throws {RangeError} if a tensor is ragged, has more than 64 axes, or is bfloat16, which .npy does not
   *   support; or a name is not a relative path
   * @see https://numpy.org/doc/stable/reference/generated/numpy.savez.html
   * @example
   * const bytes = await npz.write({ zeros: new Float32Array(10_000) }, { compress: true });
   * const zeros = await (await npz.read(bytes)).tensor("zeros");
   * bytes.length < 1000 && zeros.size // 10000
   */
  async write(tensors, options) {
    const given = readOptions(options, { compress: false });
    const compress = boolean(given.compress, "compress");
    /** @type {[string, Uint8Array<ArrayBuffer>][]} */
    const files = named(tensors, "tensors").map(([name, tensor]) => {
      if (!isPath(name)) {
        throw new RangeError(
          `tensors must have names that are relative paths; got ${describe(name)}`,
        );
      }
      return [name + SUFFIX, written(tensor, `tensor ${describe(name)}`)];
    });
    return pack(files, compress);
  },
});

/** `npz.read`, without the writer. @param {Source} source @param {NpzOptions} [options] */
export async function readNpz(source, options) {
  /** @type {NpzOptions} */
  const defaults = { maxBytes: undefined, signal: undefined };
  const { maxBytes, ...reading } = readOptions(options, defaults);
  if (maxBytes !== undefined) integer(maxBytes, "maxBytes", 0, Number.MAX_SAFE_INTEGER);
  const bytes = bytesOf(source);
  const members = await readDirectory(bytes, readReading(reading));
  return new NpzFile(
    bytes,
    members.filter(({ name }) => name.endsWith(SUFFIX)),
    maxBytes,
  );
}

/**
 * An open .npz file. Arrays are read on request.
 */
export class NpzFile {
  static name = "NpzFile";

  #bytes;
  #members;
  #maxBytes;

  /** @param {Bytes} bytes @param {Member[]} members @param {number} [maxBytes] */
  constructor(bytes, members, maxBytes) {
    nameMethods(NpzFile);
    this.#bytes = bytes;
    this.#maxBytes = maxBytes;
    this.#members = new Map(members.map((each) => [each.name.slice(0, -SUFFIX.length), each]));
    /** The arrays' names, in the order of the directory. @readonly @type {readonly string[]} */
    this.names = Object.freeze([...this.#members.keys()]);
    Object.freeze(this);
  }

  /**
   * Returns the description of one array in its header. Only the beginning of its bytes is read.
   *
   * @param {string} name
   * @param {{signal?: AbortSignal}} [options]  `signal`: aborts the read
   * @returns {Promise<Readonly<TensorInfo>>}
   * @throws {RangeError} if there is no array of this name
   * @throws {TypeError}  if signal is not an AbortSignal
   * @throws {FileError}  as `tensor`
   */
  async info(name, options) {
    const member = this.#member(name);
    const reading = readSignal(options);
    const start = await unpackStart(this.#bytes, member, MAX_START_BYTES, reading);
    const read = async (/** @type {number} */ begin, /** @type {number} */ end) => {
      if (end <= start.length) return start.slice(begin, end);
      const rule = `${describe(name)} must be ${member.size} bytes long`;
      throw new FileError("NPZ_LENGTH", `${rule}; got ${start.length}`);
    };
    const { dtype, shape, dataAt } = await readHeader({ size: member.size, read }, {});
    const byteLength = member.size - dataAt;
    return Object.freeze({ name, dtype, shape: Object.freeze(shape), byteLength });
  }

  /**
   * Reads one array and checks its CRC-32; no bytes of other arrays are read.
   *
   * Shapes    as in the file; the result is row-major
   * Returns   as `npy.read`
   * Accuracy  as `npy.read`
   *
   * @param {string} name
   * @param {NpyOptions} [options]
   * @returns {Promise<Tensor<any>>} the tensor
   * @throws {RangeError} if there is no array of this name, or `dtype` is another word
   * @throws {TypeError}  if an option has the wrong type
   * @throws {FileError}  NPZ_SIZE (more than `maxBytes`), _LOCAL (the local header differs from the directory), _OVERLAP, _DEFLATE,
   *   _LENGTH, _CRC; a code of `npy.read`; or FILE_READ: the source did not return its bytes
   */
  async tensor(name, options) {
    const member = this.#member(name);
    /** @type {NpyOptions} */
    const defaults = { dtype: undefined, ...READING };
    const { dtype, ...reading } = readOptions(options, defaults);
    const asFloat32 = readAsFloat32(dtype);
    return tensorOf(await this.#stored(member, readReading(reading)), asFloat32);
  }

  /**
   * Reads the stored bytes of one array, as `npy.stored`, and checks its CRC-32.
   *
   * @param {string} name
   * @param {Reading} [options]
   * @returns {Promise<Stored>} bytes, dtype and shape
   * @throws {RangeError} if there is no array of this name
   * @throws {TypeError}  if an option has the wrong type
   * @throws {FileError}  as `tensor`
   */
  async stored(name, options) {
    const member = this.#member(name);
    const reading = readReading(readOptions(options, READING));
    return this.#stored(member, reading);
  }

  /** @param {Member} member @param {Reading} reading */
  async #stored(member, reading) {
    const { name, size, packed } = member;
    const most = this.#maxBytes ?? Math.max(MAX_BYTES, packed * MAX_RATIO);
    if (size > most) {
      const rule = `${describe(name)} must be at most ${most} bytes unpacked, or maxBytes more`;
      throw new FileError("NPZ_SIZE", `${rule}; got ${size}`);
    }
    const { take, stored } = incoming(size);
    await unpack(this.#bytes, member, take, reading);
    return stored();
  }

  /** @param {string} name */
  #member(name) {
    return this.#members.get(name) ?? refuseName(name, "name", this.names);
  }
}
