import { describe, oneOf, options } from "../runtime/check.js";
import { FileError } from "../runtime/errors.js";
import { readIds } from "../runtime/ids.js";
import { asFloat32, Tensor } from "../runtime/tensor.js";
import { allocate, inPieces } from "./bytes.js";
import { AS, decode } from "./numbers.js";
import { gather, READING, readRange, readReading } from "./reading.js";

/**
 * @import {TensorInput} from "../runtime/tensor.js"
 * @import {Bytes, Reading} from "./bytes.js"
 * @import {As, Kind} from "./numbers.js"
 */

/** About how many bytes of rows are given at a time. */
const PIECE = 2 ** 20;

/**
 * What the header of a file says of a tensor.
 * @typedef {object} TensorInfo
 * @property {string} name  unique in the file
 * @property {string} dtype  as the file says it: "F32", "BF16", ..., "Q8_0"; "<f4" in .npz
 * @property {readonly number[]} shape  sizes of the axes
 * @property {number} bytes  how many it takes in the file
 */

/**
 * How a tensor is read.
 * @typedef {object} ReadOptions
 * @property {As} [as]  "numbers" (F16 and BF16 are widened to float32, exactly; I16 and U16 to
 *   int32) or "stored" (F16 and BF16 as their 16 bits, dtype "float16" or "bfloat16")
 * @property {string | TensorInput} [scale]  for I8 only: the float32 result is value * scale. A
 *   tensor of this file by its name, or a tensor: one number, or one for each row
 * @property {AbortSignal} [signal]  stops the reading
 * @property {(done: number, total: number) => void} [progress]  is told the bytes that have come, and
 *   how many there will be
 */

/**
 * Which rows are read, as they lie in the file.
 * @typedef {object} StoredOptions
 * @property {TensorInput} [rows]  only these rows, in any order, also repeated; all by default
 * @property {AbortSignal} [signal]  stops the reading
 * @property {(done: number, total: number) => void} [progress]  is told the bytes that have come, and
 *   how many there will be
 */

/**
 * @typedef {TensorInfo & {kind: Kind | undefined, begin: number, end: number}} Entry
 *   begin and end count from the file's first byte
 */

/**
 * Numbers as they lie in the file, to be decoded by `dtypes.decode`.
 * @typedef {object} Stored
 * @property {Uint8Array<ArrayBuffer>} bytes  newly made and the caller's own, but for `stream`
 * @property {string} dtype  as the file says it
 * @property {readonly number[]} shape  of what was read
 */

/**
 * Gets rows as they come. When it is done, others are written over their bytes.
 * @typedef {(rows: Stored, first: number) => void | Promise<void>} UseRows
 */

/**
 * An open file of named tensors: what it holds, and its tensors when asked for.
 * @template [Metadata=unknown]
 */
export class TensorFile {
  static name = "TensorFile";

  #bytes;
  #format;
  #entries;

  /**
   * `format` has its name in codes, and the dtypes that are read as numbers.
   * @param {Bytes} bytes @param {{name: string, dtypes: readonly string[]}} format
   * @param {Metadata} metadata @param {Entry[]} entries
   */
  constructor(bytes, format, metadata, entries) {
    this.#bytes = bytes;
    this.#format = format;
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    /** The tensors' names, in the order of their bytes. @readonly @type {readonly string[]} */
    this.names = Object.freeze([...this.#entries.keys()]);
    /** What the writer noted, by key; empty if nothing. @readonly */
    this.metadata = metadata;
    Object.freeze(this);
  }

  /**
   * What the header says of one tensor.
   *
   * @param {string} name
   * @returns {Readonly<TensorInfo>}
   * @throws {RangeError} if there is no tensor of this name
   */
  info(name) {
    const { dtype, shape, begin, end } = this.#entry(name, "name");
    return Object.freeze({ name, dtype, shape, bytes: end - begin });
  }

  /**
   * Read one tensor; no other byte of the file is touched.
   *
   * Shapes    as in the file
   * Returns   F32 float32, F64 float64, I64 int64, I32 int32, I8 int8, U8 and BOOL uint8; F16,
   *           BF16, I16, U16 by `as`; with `scale` float32
   * Accuracy  exact; with `scale` the product rounded once to float32
   *
   * @param {string} name
   * @param {ReadOptions} [options]
   * @returns {Promise<Tensor<any>>} newly made and the caller's own
   * @throws {RangeError} if there is no tensor of this name, or an option does not fit it
   * @throws {TypeError}  if an option is of the wrong kind
   * @throws {FileError}  SAFETENSORS_DTYPE_UNSUPPORTED, GGUF_DTYPE_UNSUPPORTED: the dtype is one that
   *   only `stored` reads; FILE_READ: the source did not give its bytes
   */
  async tensor(name, options) {
    const entry = this.#entry(name, "name");
    const { as, scales, reading } = await this.#wishes(entry, options, "tensor");
    const bytes = await readRange(this.#bytes, entry.begin, entry.end, reading);
    return asked(bytes, entry, entry.shape, as, scales);
  }

  /**
   * Read some rows of a tensor, a lookup without loading the table. Rows that lie near each other are
   * read together: what is between them comes along, the smallest gaps first, as long as it takes no
   * more than the rows themselves or 64 KiB.
   *
   * Shapes    ids [...], tensor [V, D] (or [V, ...]) -> [..., D]
   *
   * @param {string} name
   * @param {TensorInput} ids  whole numbers from 0 to V - 1, in any order, also repeated
   * @param {ReadOptions} [options]
   * @returns {Promise<Tensor<any>>} newly made and the caller's own
   * @throws {RangeError} if there is no tensor of this name, it has no rows, an id is not among
   *   them, or an option does not fit
   * @throws {TypeError}  if an id or an option is of the wrong kind
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
    const { as, scales, reading } = await this.#wishes(entry, options, "rows");
    const { rows, shape, size } = rowsOf(entry, ids, "ids");
    const bytes = await gather(this.#bytes, entry.begin, size, rows, reading);
    return asked(bytes, entry, shape, as, scales, rows);
  }

  /**
   * Read a tensor of any dtype as it lies in the file, or some of its rows, for `dtypes.decode`.
   * Rows are read as by `rows`.
   *
   * Shapes    as in the file; with `rows` [...], tensor [V, D] -> [..., D]
   *
   * @param {string} name
   * @param {StoredOptions} [options]
   * @returns {Promise<Stored>} newly made and the caller's own
   * @throws {RangeError} if there is no tensor of this name, or it has no such rows
   * @throws {TypeError}  if an option is of the wrong kind
   * @throws {FileError}  FILE_READ: the source did not give its bytes
   * @example
   * const file = await safetensors.read(safetensors.write({ w: [[1, 2], [3, 4]] }));
   * const { bytes, dtype, shape } = await file.stored("w", { rows: [1] });
   * `${bytes.length} bytes of ${dtype}, shape [${shape}]` // "8 bytes of F32, shape [1,2]"
   */
  async stored(name, options) {
    const entry = this.#entry(name, "name");
    const wishes = readStored(options);
    const reading = readReading(wishes);
    const { dtype, begin, end } = entry;
    if (wishes.rows === undefined) {
      const bytes = await readRange(this.#bytes, begin, end, reading);
      return { bytes, dtype, shape: entry.shape };
    }
    const { rows, shape, size } = rowsOf(entry, wishes.rows, "rows");
    const bytes = await gather(this.#bytes, begin, size, rows, reading);
    return { bytes, dtype, shape: Object.freeze(shape) };
  }

  /**
   * Read a tensor of any dtype as it lies in the file, some rows at a time, as they come: for what is too
   * large to be in memory twice. From far away it is one request; in browsers, which keep what has come,
   * one for each 32 MiB.
   *
   * Shapes    tensor [V, D] (or [V, ...]) -> [N, D] each
   *
   * @param {string} name
   * @param {UseRows} use  gets rows `first` to `first + N - 1`, in their order
   * @param {Reading} [options]
   * @returns {Promise<void>} when all were given
   * @throws {RangeError} if there is no tensor of this name, or it has no rows
   * @throws {TypeError}  if use is no function, or an option is of the wrong kind
   * @throws {FileError}  FILE_READ: the source did not give its bytes
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
    const give = inPieces(rows * size, end - begin, (bytes, at) => {
      const given = Object.freeze([bytes.length / size, ...shape.slice(1)]);
      return use({ bytes, dtype, shape: given }, at / size);
    });
    await this.#bytes.each(begin, end, give, reading);
  }

  /** @param {unknown} name @param {string} argument @returns {Entry} */
  #entry(name, argument) {
    return (
      this.#entries.get(/** @type {string} */ (name)) ?? refuseName(name, argument, this.names)
    );
  }

  /**
   * The options, checked against the tensor; a scale in the file is read.
   * @param {Entry} entry @param {ReadOptions | undefined} given @param {string} where
   * @returns {Promise<{as: As, scales: Float32Array | undefined, reading: Reading}>}
   */
  async #wishes({ name, dtype, shape, kind }, given, where) {
    /** @type {ReadOptions} */
    const defaults = { as: "numbers", scale: undefined, ...READING };
    const wishes = options(given, defaults, where);
    const as = oneOf(wishes.as, "as", AS);
    const reading = readReading(wishes);
    if (kind === undefined) {
      const known = this.#format.dtypes.join(", ");
      throw new FileError(
        `${this.#format.name}_DTYPE_UNSUPPORTED`,
        `dtype of ${describe(name)} must be one of ${known} to be read as numbers; got ${dtype}`,
      );
    }
    const { scale } = wishes;
    if (scale === undefined) return { as, scales: undefined, reading };
    if (dtype !== "I8" || as === "stored") {
      const got = as === "stored" ? 'as "stored"' : dtype;
      throw new RangeError(`scale must come with an I8 tensor read as numbers; got ${got}`);
    }
    const named = typeof scale === "string" ? this.#entry(scale, "scale") : undefined;
    const { signal } = reading;
    const scales = asFloat32(named ? await this.tensor(named.name, { signal }) : scale, "scale");
    const rows = shape[0] ?? 1;
    if (scales.data.length !== 1 && (scales.data.length !== rows || scales.shape[0] !== rows)) {
      throw new RangeError(
        `scale must hold one number or one for each of the ${rows} rows; got shape [${scales.shape.join(", ")}]`,
      );
    }
    return { as, scales: scales.data, reading };
  }
}

/**
 * The options of `stored`, each read once.
 * @param {StoredOptions | undefined} given
 */
export function readStored(given) {
  /** @type {StoredOptions} */
  const defaults = { rows: undefined, ...READING };
  return options(given, defaults, "stored");
}

/**
 * The arguments of `stream`, each read once.
 * @param {unknown} use @param {Reading | undefined} given
 */
export function readStream(use, given) {
  if (typeof use !== "function") {
    throw new TypeError(`use must be a function; got ${describe(use)}`);
  }
  return options(given, READING, "stream");
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
 * Which rows are wanted, the shape of them all, and the bytes of one.
 * @param {Entry} entry @param {TensorInput} ids @param {string} argument
 */
function rowsOf({ name, dtype, shape: [V, ...rowShape], begin, end }, ids, argument) {
  if (V === undefined) {
    throw new RangeError(
      `name must be that of a tensor with rows; got ${describe(name)}, shape []`,
    );
  }
  const size = (end - begin) / Math.max(V, 1);
  if (!Number.isInteger(size)) {
    const got = `${describe(name)}, ${dtype} [${[V, ...rowShape].join(", ")}]`;
    throw new RangeError(`name must be that of a tensor whose rows are whole bytes; got ${got}`);
  }
  const { data: rows, shape } = readIds(ids, Math.min(V, 2 ** 31), argument);
  return { rows, shape: [...shape, ...rowShape], size };
}

/**
 * Bytes as the tensor that was asked for.
 * @param {Uint8Array<ArrayBuffer>} bytes @param {Entry} entry @param {readonly number[]} shape
 * @param {As} as @param {Float32Array} [scales]  one, or one for each row of the file
 * @param {Int32Array} [ids]  which rows of the file these are, if not all
 */
function asked(bytes, { kind, shape: [V = 1] }, shape, as, scales, ids) {
  const { data, dtype } = decode(bytes, /** @type {Kind} */ (kind), as);
  if (scales === undefined) return new Tensor(data, shape, dtype);
  const scaled = allocate(Float32Array, data.length, "a float32 copy");
  const rows = ids?.length ?? V;
  for (let row = 0, i = 0; row < rows; ++row) {
    const scale = scales.length === 1 ? scales[0] : scales[ids?.[row] ?? row];
    const end = ((row + 1) * data.length) / rows;
    for (; i < end; ++i) scaled[i] = Number(data[i]) * scale;
  }
  return new Tensor(scaled, shape);
}
