import { describe, oneOf, options } from "../runtime/check.js";
import { FileError } from "../runtime/errors.js";
import { nameMethods } from "../runtime/named.js";
import { readIds } from "../runtime/ids.js";
import { asFloat32 as readFloat32, copied } from "../runtime/input.js";
import { Tensor } from "../runtime/tensor.js";
import { allocate, inPieces } from "./bytes.js";
import { decode, READABLE } from "./numbers.js";
import { gather, READING, readRange, readReading } from "./reading.js";

/**
 * @import {TensorInput} from "../runtime/tensor.js"
 * @import {Bytes, Reading} from "./bytes.js"
 */

/** The approximate size of the pieces that `stream` passes on, in bytes. */
const PIECE = 2 ** 20;

/**
 * The description of a tensor in the header of its file.
 * @typedef {object} TensorInfo
 * @property {string} name  unique in the file
 * @property {string} dtype  the number format: "float32", "bfloat16", "int8", ... or ggml's "Q8_0", "Q4_K", ...
 * @property {readonly number[]} shape  the sizes of the axes
 * @property {number} byteLength  the size of the tensor in the file
 */

/**
 * Options for reading a tensor.
 * @typedef {object} ReadOptions
 * @property {"float32"} [dtype]  converts any number format to float32, each number rounded once. By default
 *   float64 and integers keep their dtype
 * @property {string | TensorInput} [scale]  multiplies an int8 tensor, with a float32 result. The name of a
 *   tensor in this file, or a tensor: one number, or one for each row
 * @property {AbortSignal} [signal]  aborts the read
 * @property {(done: number, total: number) => void} [progress]  called with the number of bytes read so
 *   far and their total
 */

/**
 * Options for reading the stored bytes of a tensor.
 * @typedef {object} StoredOptions
 * @property {TensorInput} [rows]  the indices of the rows to read, in any order, repetitions allowed. All
 *   rows by default
 * @property {AbortSignal} [signal]  aborts the read
 * @property {(done: number, total: number) => void} [progress]  called with the number of bytes read so
 *   far and their total
 */

/**
 * @typedef {TensorInfo & {begin: number, end: number}} Entry
 *   begin and end are offsets in the file
 */

/**
 * The stored bytes of a tensor, as `dtypes.decode` takes them.
 * @typedef {object} Stored
 * @property {Uint8Array<ArrayBuffer>} bytes  little-endian; a copy, except in `stream`
 * @property {string} dtype  the number format: "float32", "Q4_K"
 * @property {readonly number[]} shape  the sizes of the axes of what was read
 */

/**
 * Receives rows as they are read. Their bytes are overwritten as soon as it returns, or its promise resolves.
 * @typedef {(rows: Stored, first: number) => void | Promise<void>} UseRows
 */

/**
 * An open file of named tensors. Tensors are read on request.
 * @template [Metadata=unknown]
 */
export class TensorFile {
  static name = "TensorFile";

  #bytes;
  #format;
  #entries;

  /**
   * @param {Bytes} bytes @param {string} format  the prefix of error codes
   * @param {Metadata} metadata @param {Entry[]} entries
   */
  constructor(bytes, format, metadata, entries) {
    nameMethods(TensorFile);
    this.#bytes = bytes;
    this.#format = format;
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    /** The tensors' names, in the order of their bytes. @readonly @type {readonly string[]} */
    this.names = Object.freeze([...this.#entries.keys()]);
    /** The file's metadata by key; empty if there is none. @readonly */
    this.metadata = metadata;
    Object.freeze(this);
  }

  /**
   * Returns the header's description of one tensor.
   *
   * @param {string} name
   * @returns {Readonly<TensorInfo>}
   * @throws {RangeError} if there is no tensor of this name
   */
  info(name) {
    const { dtype, shape, byteLength } = this.#entry(name, "name");
    return Object.freeze({ name, dtype, shape, byteLength });
  }

  /**
   * Reads one tensor and no other bytes of the file.
   *
   * Shapes    as in the file
   * Returns   float32 for floats of 32, 16 and 8 bits, uint32, uint64 and ggml's blocks; float64, int64,
   *           int32, int8 and uint8 as they are; int16 and uint16 as int32; bool as uint8. All of them as
   *           float32 with `dtype: "float32"` or `scale`
   * Accuracy  exact where the result can hold the number, otherwise rounded once, ties to even; blocks as
   *           ggml decodes them, to the bit; `scale` rounds the product once
   *
   * @param {string} name
   * @param {ReadOptions} [options]
   * @returns {Promise<Tensor<any>>} the tensor
   * @throws {RangeError} if there is no tensor of this name, or an option does not apply to it
   * @throws {TypeError}  if an option has the wrong type
   * @throws {FileError}  SAFETENSORS_DTYPE_UNSUPPORTED, GGUF_DTYPE_UNSUPPORTED: only `stored` reads this
   *   dtype; FILE_READ: the source did not return its bytes
   */
  async tensor(name, options) {
    const entry = this.#entry(name, "name");
    const { asFloat32, scales, reading } = await this.#readOptions(entry, options);
    const bytes = await readRange(this.#bytes, entry.begin, entry.end, reading);
    return tensorOf(bytes, entry, entry.shape, asFloat32, scales);
  }

  /**
   * Reads some rows of a tensor: a lookup without loading the table. Rows that are close together are read in
   * one request, with the bytes between them, as long as these take no more than the rows themselves or
   * 64 KiB.
   *
   * Shapes    ids [...], tensor [V, D] (or [V, ...]) -> [..., D]
   *
   * @param {string} name
   * @param {TensorInput} ids  integers from 0 to V - 1, in any order, repetitions allowed
   * @param {ReadOptions} [options]
   * @returns {Promise<Tensor<any>>} dtype as `tensor`
   * @throws {RangeError} if there is no tensor of this name, it has no rows, an id is out of range, or an
   *   option does not apply
   * @throws {TypeError}  if an id or an option has the wrong type
   * @throws {FileError}  as `tensor`
   * @example
   * const header = '{"w":{"dtype":"I8","shape":[3,2],"data_offsets":[0,6]}}';
   * const parts = [BigUint64Array.of(BigInt(header.length)), header, Int8Array.of(1, 2, 3, 4, 5, 6)];
   * const file = await safetensors.read(new Blob(parts));
   * const w = await file.rows("w", [2, 0], { scale: [0.5] });
   * w.at(0, 1) // 3
   */
  async rows(name, ids, options) {
    const entry = this.#entry(name, "name");
    const own = copied(ids);
    const { asFloat32, scales, reading } = await this.#readOptions(entry, options);
    const { rows, shape, size } = rowsOf(entry, own, "ids");
    const bytes = await gather(this.#bytes, entry.begin, size, rows, reading);
    return tensorOf(bytes, entry, shape, asFloat32, scales, rows);
  }

  /**
   * Reads the stored bytes of a tensor of any dtype, or of some of its rows, for `dtypes.decode`. Rows are
   * read as by `rows`.
   *
   * Shapes    as in the file; with `rows` [...], tensor [V, D] -> [..., D]
   *
   * @param {string} name
   * @param {StoredOptions} [options]
   * @returns {Promise<Stored>} bytes, dtype and shape
   * @throws {RangeError} if there is no tensor of this name, or a row is out of range
   * @throws {TypeError}  if an option has the wrong type
   * @throws {FileError}  FILE_READ: the source did not return its bytes
   * @example
   * const file = await safetensors.read(safetensors.write({ w: [[1, 2], [3, 4]] }));
   * const { bytes, dtype, shape } = await file.stored("w", { rows: [1] });
   * `${bytes.length} bytes of ${dtype}, shape [${shape}]` // "8 bytes of float32, shape [1,2]"
   */
  async stored(name, options) {
    const entry = this.#entry(name, "name");
    const given = readStored(options);
    const reading = readReading(given);
    const { dtype, begin, end } = entry;
    if (given.rows === undefined) {
      const bytes = await readRange(this.#bytes, begin, end, reading);
      return { bytes, dtype, shape: entry.shape };
    }
    const { rows, shape, size } = rowsOf(entry, given.rows, "rows");
    const bytes = await gather(this.#bytes, begin, size, rows, reading);
    return { bytes, dtype, shape: Object.freeze(shape) };
  }

  /**
   * Reads the stored bytes of a tensor of any dtype a few rows at a time, for tensors that are too large to be
   * in memory twice. A remote file is read with one request, or one for every 32 MiB in browsers, which keep
   * a response in memory.
   *
   * Shapes    tensor [V, D] (or [V, ...]) -> [N, D] each
   *
   * @param {string} name
   * @param {UseRows} use  receives rows `first` to `first + N - 1`, in order
   * @param {Reading} [options]
   * @returns {Promise<void>} resolves after the last row
   * @throws {RangeError} if there is no tensor of this name, or it has no rows
   * @throws {TypeError}  if use is not a function, or an option has the wrong type
   * @throws {FileError}  FILE_READ: the source did not return its bytes
   * @example
   * const file = await safetensors.read(safetensors.write({ w: [[1, 2], [3, 4]] }));
   * let sum = 0;
   * await file.stream("w", ({ bytes }) => {
   *   for (const number of new Float32Array(bytes.slice().buffer)) sum += number;
   * });
   * sum // 10
   */
  async stream(name, use, options) {
    const entry = this.#entry(name, "name");
    const reading = readReading(readStream(use, options));
    const { dtype, begin, end } = entry;
    const { shape, size } = rowsOf(entry, new Int32Array(0), "rows");
    if (begin === end) return;
    const rows = Math.max(1, Math.floor(PIECE / size));
    const pass = inPieces(rows * size, end - begin, (bytes, at) => {
      const pieceShape = Object.freeze([bytes.length / size, ...shape.slice(1)]);
      return use({ bytes, dtype, shape: pieceShape }, at / size);
    });
    await this.#bytes.each(begin, end, pass, reading);
  }

  /** @param {unknown} name @param {string} argument @returns {Entry} */
  #entry(name, argument) {
    return (
      this.#entries.get(/** @type {string} */ (name)) ?? refuseName(name, argument, this.names)
    );
  }

  /**
   * Checks the options against the tensor, and reads a scale from the file.
   * @param {Entry} entry @param {ReadOptions | undefined} given
   * @returns {Promise<{asFloat32: boolean, scales: Float32Array | undefined, reading: Reading}>}
   */
  async #readOptions({ name, dtype, shape }, given) {
    const { scale, ...values } = readOptions(given);
    const asFloat32 = readAsFloat32(values.dtype);
    const reading = readReading(values);
    checkReadable({ name, dtype }, this.#format, scale);
    if (scale === undefined) return { asFloat32, scales: undefined, reading };
    const named = typeof scale === "string" ? this.#entry(scale, "scale") : undefined;
    const { signal } = reading;
    const scales = readFloat32(named ? await this.tensor(named.name, { signal }) : scale, "scale");
    const rows = shape[0] ?? 1;
    if (scales.data.length !== 1 && (scales.data.length !== rows || scales.shape[0] !== rows)) {
      throw new RangeError(
        `scale must hold one number or one for each of the ${rows} rows; got shape [${scales.shape.join(", ")}]`,
      );
    }
    return { asFloat32, scales: scales.data, reading };
  }
}

/** @type {ReadOptions} */
const READ_OPTIONS = Object.freeze({ dtype: undefined, scale: undefined, ...READING });

/** The options of `tensor` and `rows`, with a copy of the scale. @param {ReadOptions | undefined} given */
export function readOptions(given) {
  const values = options(given, READ_OPTIONS);
  return { ...values, scale: copied(values.scale) };
}

/** Whether the option `dtype` asks for float32. @param {unknown} dtype */
export function readAsFloat32(dtype) {
  return dtype !== undefined && oneOf(dtype, "dtype", ["float32"]) === "float32";
}

/**
 * Reads the options of `stored`.
 * @param {StoredOptions | undefined} given
 */
export function readStored(given) {
  /** @type {StoredOptions} */
  const defaults = { rows: undefined, ...READING };
  return options(given, defaults);
}

/**
 * Checks the arguments of `stream`.
 * @param {unknown} use @param {Reading | undefined} given
 */
export function readStream(use, given) {
  if (typeof use !== "function") {
    throw new TypeError(`use must be a function; got ${describe(use)}`);
  }
  return options(given, READING);
}

/**
 * Refuses a tensor that cannot be read as numbers, or has no scale, by its header: before its bytes are read.
 * @param {Pick<TensorInfo, "name" | "dtype">} info @param {string} format  the prefix of error codes
 * @param {unknown} [scale]
 */
export function checkReadable({ name, dtype }, format, scale) {
  if (!READABLE.includes(dtype)) {
    throw new FileError(
      `${format}_DTYPE_UNSUPPORTED`,
      `dtype of ${describe(name)} must be one of ${READABLE.join(", ")} to be read as numbers; got ${dtype}`,
    );
  }
  if (scale === undefined || dtype === "int8") return;
  throw new RangeError(`scale must come with an int8 tensor; got ${dtype}`);
}

/**
 * @param {unknown} name @param {string} argument @param {readonly string[]} names
 * @returns {never}
 */
export function refuseName(name, argument, names) {
  const known = names.slice(0, 8).map(describe).join(", ");
  const more = names.length > 8 ? ", ..." : "";
  throw new RangeError(
    `${argument} must be one of the file's ${names.length} (${known}${more}); got ${describe(name)}`,
  );
}

/**
 * Checks row indices; returns them with the shape of the result and the bytes of a row.
 * @param {Entry} entry @param {TensorInput} ids @param {string} argument
 */
function rowsOf({ name, dtype, shape: [V, ...rowShape], begin, end }, ids, argument) {
  if (V === undefined) {
    throw new RangeError(`name must be of a tensor with rows; got ${describe(name)}, shape []`);
  }
  const size = (end - begin) / Math.max(V, 1);
  if (!Number.isInteger(size)) {
    const got = `${describe(name)}, ${dtype} [${[V, ...rowShape].join(", ")}]`;
    throw new RangeError(`name must be of a tensor whose rows are whole bytes; got ${got}`);
  }
  const { data: rows, shape } = readIds(ids, Math.min(V, 2 ** 31), argument);
  return { rows, shape: [...shape, ...rowShape], size };
}

/**
 * Converts bytes to the requested tensor.
 * @param {Uint8Array<ArrayBuffer>} bytes @param {Entry} entry @param {readonly number[]} shape
 * @param {boolean} asFloat32
 * @param {Float32Array} [scales]  one, or one for each row of the file
 * @param {Int32Array} [ids]  the rows that were read, if not all
 */
function tensorOf(bytes, { dtype: stored, shape: [V = 1] }, shape, asFloat32, scales, ids) {
  const { data, dtype } = decode(bytes, stored, asFloat32);
  if (scales === undefined) return new Tensor(data, shape, dtype);
  const scaled = allocate(Float32Array, data.length, "a float32 copy");
  const rows = ids?.length ?? V;
  for (let row = 0, i = 0; row < rows; ++row) {
    const scale = scales.length === 1 ? scales[0] : scales[ids?.[row] ?? row];
    const end = ((row + 1) * data.length) / rows;
    for (; i < end; ++i) {
      const product = Number(data[i]) * scale;
      scaled[i] = product === product ? product : NaN; // one NaN: its bits differ between engines
    }
  }
  return new Tensor(scaled, shape);
}
