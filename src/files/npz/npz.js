import { boolean, describe, options as readOptions } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { bytesOf } from "../bytes.js";
import { named } from "../entries.js";
import { npy, readHeader, written } from "../npy/npy.js";
import { READING, readReading } from "../reading.js";
import { readAsFloat32, refuseName } from "../tensors.js";
import { isPath, pack, readDirectory, unpack, unpackStart } from "./zip.js";

/**
 * @import {Tensor, TensorInput} from "../../runtime/tensor.js"
 * @import {Bytes, Reading, Source} from "../bytes.js"
 * @import {NpyOptions} from "../npy/npy.js"
 * @import {Stored, TensorInfo} from "../tensors.js"
 * @import {Member} from "./zip.js"
 */

const SUFFIX = ".npy";
const MAX_HEADER_BYTES = 65_536 + 12; // of .npy

/**
 * Reads and writes NumPy's .npz: named arrays in one file, as `numpy.savez`, `numpy.savez_compressed` and
 * `numpy.load` do. The file is a ZIP archive of .npy files, stored or deflated.
 */
export const npz = {
  /**
   * Opens a file: reads and checks its directory only. Members that are not .npy files are ignored.
   *
   * @param {Source} source  a Blob, a File, an ArrayBuffer, a typed array, or any object with
   *   `size` and `slice(begin, end)` whose result has `arrayBuffer()`. Each array is read from it on request
   * @param {{signal?: AbortSignal}} [options]  `signal`: aborts the read
   * @returns {Promise<NpzFile>} the open file, which keeps a reference to source
   * @throws {TypeError} if source is none of these, or signal is not an AbortSignal
   * @throws {FileError} if the file is invalid; its `code` names the rule: NPZ_END (no end record), _ZIP64
   *   (4 GiB and more), _COUNT, _DIRECTORY, _NAME, _DUPLICATE, _ENCRYPTED, _METHOD, _RATIO (an impossible
   *   compression ratio), _OVERLAP; or FILE_READ: the source did not return its bytes
   * @see https://numpy.org/doc/stable/reference/generated/numpy.savez.html
   * @example
   * const file = await npz.read(await npz.write({ wte: [[1, 2], [3, 4]], wpe: [[5, 6]] }));
   * file.names // ["wte", "wpe"]
   */
  async read(source, options) {
    /** @type {{signal?: AbortSignal}} */
    const defaults = { signal: undefined };
    const reading = readReading(readOptions(options, defaults, "npz.read"));
    const bytes = bytesOf(source);
    const members = await readDirectory(bytes, reading);
    return new NpzFile(
      bytes,
      members.filter(({ name }) => name.endsWith(SUFFIX)),
    );
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
    const given = readOptions(options, { compress: false }, "npz.write");
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
};

/**
 * An open .npz file. Arrays are read on request.
 */
export class NpzFile {
  static name = "NpzFile";

  #bytes;
  #members;

  /** @param {Bytes} bytes @param {Member[]} members */
  constructor(bytes, members) {
    this.#bytes = bytes;
    this.#members = new Map(members.map((each) => [each.name.slice(0, -SUFFIX.length), each]));
    /** The arrays' names, in the order of the directory. @readonly @type {readonly string[]} */
    this.names = Object.freeze([...this.#members.keys()]);
    Object.freeze(this);
  }

  /**
   * Returns the description of one array in its header. Only the beginning of its bytes is read.
   *
   * @param {string} name
   * @returns {Promise<Readonly<TensorInfo>>}
   * @throws {RangeError} if there is no array of this name
   * @throws {FileError}  as `tensor`
   */
  async info(name) {
    const member = this.#member(name);
    const start = await unpackStart(this.#bytes, member, MAX_HEADER_BYTES, {});
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
   * @throws {FileError}  NPZ_LOCAL (the local header differs from the directory), _OVERLAP, _DEFLATE,
   *   _LENGTH, _CRC; a code of `npy.read`; or FILE_READ: the source did not return its bytes
   */
  async tensor(name, options) {
    const member = this.#member(name);
    /** @type {NpyOptions} */
    const defaults = { dtype: undefined, ...READING };
    const { dtype, ...reading } = readOptions(options, defaults, "tensor");
    readAsFloat32(dtype);
    return npy.read(await unpack(this.#bytes, member, readReading(reading)), { dtype });
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
    const reading = readReading(readOptions(options, READING, "stored"));
    return npy.stored(await unpack(this.#bytes, member, reading));
  }

  /** @param {string} name */
  #member(name) {
    return this.#members.get(name) ?? refuseName(name, "name", this.names);
  }
}
