import { boolean, describe, oneOf, options as readOptions } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { bytesOf } from "../bytes.js";
import { named } from "../entries.js";
import { npy, readHeader, written } from "../npy/npy.js";
import { AS } from "../numbers.js";
import { READING, readReading } from "../reading.js";
import { refuseName } from "../tensors.js";
import { isPath, pack, readDirectory, unpack, unpackStart } from "./zip.js";

/**
 * @import {Tensor, TensorInput} from "../../runtime/tensor.js"
 * @import {Bytes, Source} from "../bytes.js"
 * @import {NpyOptions} from "../npy/npy.js"
 * @import {TensorInfo} from "../tensors.js"
 * @import {Member} from "./zip.js"
 */

const SUFFIX = ".npy";
const MOST_HEADER_BYTES = 65_536 + 12; // of .npy

/**
 * NumPy's .npz: named arrays in one file, what `numpy.savez` and `numpy.savez_compressed` write and
 * `numpy.load` reads. A zip archive of .npy files, stored or deflated.
 */
export const npz = {
  /**
   * Open a file: read and check its directory, and nothing else. Files in it that are no .npy are left
   * alone.
   *
   * @param {Source} source  a Blob, a File, an ArrayBuffer, a typed array, or anything with `size`
   *   and `slice(begin, end)` whose result has `arrayBuffer()`. It is read again for each array
   * @param {{signal?: AbortSignal}} [options]  `signal`: stops the reading
   * @returns {Promise<NpzFile>} the open file, which keeps source
   * @throws {TypeError} if source is none of these, or signal is no AbortSignal
   * @throws {FileError} if the file breaks a rule of the format; `code` says which: NPZ_END (no end of
   *   an archive), _ZIP64 (4 GiB and more), _COUNT, _DIRECTORY, _NAME, _DUPLICATE, _ENCRYPTED, _METHOD,
   *   _RATIO (more bytes than can be packed in so few), _OVERLAP; or FILE_READ: the source did not give
   *   its bytes
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
   * Write tensors as one file.
   *
   * @param {ReadonlyMap<string, TensorInput> | Readonly<Record<string, TensorInput>>} tensors  by
   *   name; each as by `npy.write`
   * @param {{compress?: boolean}} [options]  `compress`: whether the arrays are deflated, as by
   *   `numpy.savez_compressed`, default false
   * @returns {Promise<Uint8Array<ArrayBuffer>>} the file, newly made and the caller's own
   * @throws {TypeError}  if a tensor is none, or holds something else than numbers
   * @throws {RangeError} if a tensor is ragged, has more than 64 axes, or is bfloat16, which .npy lacks;
   *   or a name is no path below a folder
   * @see https://numpy.org/doc/stable/reference/generated/numpy.savez.html
   * @example
   * const bytes = await npz.write({ zeros: new Float32Array(10_000) }, { compress: true });
   * const zeros = await (await npz.read(bytes)).tensor("zeros");
   * bytes.length < 1000 && zeros.size // 10000
   */
  async write(tensors, options) {
    const wishes = readOptions(options, { compress: false }, "npz.write");
    const compress = boolean(wishes.compress, "compress");
    /** @type {[string, Uint8Array<ArrayBuffer>][]} */
    const files = named(tensors, "tensors").map(([name, tensor]) => {
      if (!isPath(name)) {
        throw new RangeError(`tensors must have names that are paths; got ${describe(name)}`);
      }
      return [name + SUFFIX, written(tensor, `tensor ${describe(name)}`)];
    });
    return pack(files, compress);
  },
};

/**
 * An open .npz file: what it holds, and its arrays when asked for.
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
   * What the header of one array says; only the beginning of its bytes is read.
   *
   * @param {string} name
   * @returns {Promise<Readonly<TensorInfo>>}
   * @throws {RangeError} if there is no array of this name
   * @throws {FileError}  as `tensor`
   */
  async info(name) {
    const member = this.#member(name);
    const start = await unpackStart(this.#bytes, member, MOST_HEADER_BYTES, {});
    const read = async (/** @type {number} */ begin, /** @type {number} */ end) => {
      if (end <= start.length) return start.slice(begin, end);
      const rule = `${describe(name)} must be ${member.size} bytes long`;
      throw new FileError("NPZ_LENGTH", `${rule}; got ${start.length}`);
    };
    const { descr, shape, dataAt } = await readHeader({ size: member.size, read }, {});
    const bytes = member.size - dataAt;
    return Object.freeze({ name, dtype: descr, shape: Object.freeze(shape), bytes });
  }

  /**
   * Read one array, and check its CRC-32; no other array's bytes are touched.
   *
   * Shapes    as in the file, always row-major
   * Returns   as `npy.read`
   * Accuracy  exact
   *
   * @param {string} name
   * @param {NpyOptions} [options]
   * @returns {Promise<Tensor<any>>} newly made and the caller's own
   * @throws {RangeError} if there is no array of this name, or `as` is another word
   * @throws {TypeError}  if an option is of the wrong kind
   * @throws {FileError}  NPZ_LOCAL (its own header differs from the directory), _OVERLAP, _DEFLATE,
   *   _LENGTH, _CRC; one of `npy.read`; or FILE_READ: the source did not give its bytes
   */
  async tensor(name, options) {
    const member = this.#member(name);
    /** @type {NpyOptions} */
    const defaults = { as: AS[0], ...READING };
    const wishes = readOptions(options, defaults, "tensor");
    const as = oneOf(wishes.as, "as", AS);
    return npy.read(await unpack(this.#bytes, member, readReading(wishes)), { as });
  }

  /** @param {string} name */
  #member(name) {
    return this.#members.get(name) ?? refuseName(name, "name", this.names);
  }
}
