import { describe, oneOf, options } from "../../api/check.js";
import { FileError } from "../../api/errors.js";
import { readIds } from "../../api/ids.js";
import { asFloat32, Tensor } from "../../api/tensor.js";
import { allocate, bytesOf } from "../bytes.js";
import { Json } from "../json.js";
import { AS, MOST_AXES, bitsOf, decode } from "../numbers.js";

/**
 * @import {TensorInput} from "../../api/tensor.js"
 * @import {Bytes, Source} from "../bytes.js"
 * @import {As, Kind} from "../numbers.js"
 */

/**
 * What the header of a file says of a tensor.
 * @typedef {object} TensorInfo
 * @property {string} name  unique in the file
 * @property {string} dtype  as the file says it: "F32", "BF16", ...
 * @property {readonly number[]} shape  sizes of the axes
 * @property {number} bytes  how many it takes in the file
 *
 * @typedef {object} ReadOptions
 * @property {As} [as]  "numbers" (F16 and BF16 are widened to float32, exactly; I16 and U16 to
 *   int32) or "stored" (F16 and BF16 as their 16 bits, dtype "float16" or "bfloat16")
 * @property {string | TensorInput} [scale]  for I8 only: the float32 result is value * scale. A
 *   tensor of this file by its name, or a tensor: one number, or one for each row
 *
 * @typedef {TensorInfo & {kind: Kind | undefined, begin: number, end: number}} Entry
 *   begin and end count from the file's first byte
 */

const LENGTH_BYTES = 8;
const MOST_HEADER_BYTES = 25_000_000; // as in @huggingface/hub; the format itself allows 100 MB

/**
 * Every dtype of the format (tensor.rs of 2026): the bits of one element and, where it is read here,
 * the kind of number.
 * @type {ReadonlyMap<string, readonly [bits: number, kind?: Kind]>}
 */
const DTYPES = new Map([
  ["F64", [64, "f64"]],
  ["F32", [32, "f32"]],
  ["F16", [16, "f16"]],
  ["BF16", [16, "bf16"]],
  ["I64", [64, "i64"]],
  ["I32", [32, "i32"]],
  ["I16", [16, "i16"]],
  ["U16", [16, "u16"]],
  ["I8", [8, "i8"]],
  ["U8", [8, "u8"]],
  ["BOOL", [8, "u8"]],
  ["U64", [64]],
  ["U32", [32]],
  ["C64", [64]],
  ["F8_E4M3", [8]],
  ["F8_E5M2", [8]],
  ["F8_E8M0", [8]],
  ["F8_E4M3FNUZ", [8]],
  ["F8_E5M2FNUZ", [8]],
  ["F6_E2M3", [6]],
  ["F6_E3M2", [6]],
  ["F4", [4]],
]);

/**
 * Safetensors: named tensors in one file.
 *
 *   8 bytes   N, little-endian
 *   N bytes   JSON {"name": {"dtype", "shape", "data_offsets": [begin, end]}, ...}, space padded
 *   the rest  the tensors' bytes, row-major and little-endian, without gaps; byte 0 of
 *             data_offsets is the first one after the header
 */
export const safetensors = {
  /**
   * Open a file: read and check its header, and nothing else.
   *
   * @param {Source} source  a Blob, a File, an ArrayBuffer, a typed array, or anything with `size`
   *   and `slice(begin, end)` whose result has `arrayBuffer()`. It is read again for each tensor
   * @returns {Promise<SafetensorsFile>} the open file, which keeps source
   * @throws {TypeError} if source is none of these
   * @throws {FileError} if the file breaks a rule of the format; `code` says which:
   *   SAFETENSORS_HEADER_LENGTH, _UTF8, _HEADER (its form), _DUPLICATE (a key twice), _DTYPE,
   *   _SHAPE (does not fill its bytes), _OFFSETS (a gap or an overlap), _LENGTH (of the file); or
   *   FILE_READ: the source did not give its bytes
   * @see https://github.com/huggingface/safetensors#format
   * @example
   * const header = '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}';
   * const parts = [BigUint64Array.of(BigInt(header.length)), header, Float32Array.of(1.5, 2.5)];
   * const file = await safetensors.read(new Blob(parts));
   * const a = await file.tensor("a");
   * a.at(1) // 2.5
   */
  async read(source) {
    const bytes = bytesOf(source);
    const { text, dataAt } = await readHeader(bytes);
    const { metadata, entries } = parseHeader(text, dataAt);
    refuseGaps(entries, dataAt, bytes.size);
    return new SafetensorsFile(bytes, metadata, entries);
  },
};

/**
 * An open safetensors file: what it holds, and its tensors when asked for.
 */
class SafetensorsFile {
  static name = "SafetensorsFile";

  #bytes;
  #entries;

  /** @param {Bytes} bytes @param {Map<string, string>} metadata @param {Entry[]} entries */
  constructor(bytes, metadata, entries) {
    this.#bytes = bytes;
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    /** The tensors' names, in the order of their bytes. @readonly @type {readonly string[]} */
    this.names = Object.freeze([...this.#entries.keys()]);
    /** What the writer noted, a text for each key; empty if nothing. @readonly */
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
   * @throws {FileError}  SAFETENSORS_DTYPE_UNSUPPORTED: the dtype is one that is not read here;
   *   FILE_READ: the source did not give its bytes
   */
  async tensor(name, options) {
    const entry = this.#entry(name, "name");
    const { as, scales } = await this.#wishes(entry, options, "tensor");
    const bytes = await this.#bytes.read(entry.begin, entry.end);
    return asked(bytes, entry, entry.shape, as, scales);
  }

  /**
   * Read some rows of a tensor, a lookup without loading the table. Only these rows are read,
   * neighbours together.
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
    const [V, ...rowShape] = entry.shape;
    if (V === undefined) {
      throw new RangeError(
        `name must be that of a tensor with rows; got ${describe(name)}, shape []`,
      );
    }
    const { data: rows, shape } = readIds(ids, Math.min(V, 2 ** 31));
    const { as, scales } = await this.#wishes(entry, options, "rows");
    const bytes = await this.#gather(entry, rows, (entry.end - entry.begin) / Math.max(V, 1));
    return asked(bytes, entry, [...shape, ...rowShape], as, scales, rows);
  }

  /** @param {unknown} name @param {string} argument @returns {Entry} */
  #entry(name, argument) {
    const entry = this.#entries.get(/** @type {string} */ (name));
    if (entry === undefined) {
      const known = this.names.slice(0, 8).map(describe).join(", ");
      const more = this.names.length > 8 ? ", ..." : "";
      throw new RangeError(
        `${argument} must be one of the file's ${this.names.length} (${known}${more}); got ${describe(name)}`,
      );
    }
    return entry;
  }

  /**
   * The options, checked against the tensor; a scale in the file is read.
   * @param {Entry} entry @param {ReadOptions | undefined} given @param {string} where
   * @returns {Promise<{as: As, scales: Float32Array | undefined}>}
   */
  async #wishes({ name, dtype, shape, kind }, given, where) {
    /** @type {ReadOptions} */
    const defaults = { as: "numbers", scale: undefined };
    const wishes = options(given, defaults, where);
    const as = oneOf(wishes.as, "as", AS);
    if (kind === undefined) {
      const read = [...DTYPES].filter(([, [, kind]]) => kind !== undefined).map(([dtype]) => dtype);
      throw new FileError(
        "SAFETENSORS_DTYPE_UNSUPPORTED",
        `dtype of ${describe(name)} must be one of ${read.join(", ")} to be read; got ${dtype}`,
      );
    }
    if (wishes.scale === undefined) return { as, scales: undefined };
    if (dtype !== "I8" || as === "stored") {
      const got = as === "stored" ? 'as "stored"' : dtype;
      throw new RangeError(`scale must come with an I8 tensor read as numbers; got ${got}`);
    }
    const { scale } = wishes;
    const named = typeof scale === "string" ? this.#entry(scale, "scale") : undefined;
    const scales = asFloat32(named ? await this.tensor(named.name) : scale, "scale");
    const rows = shape[0] ?? 1;
    if (scales.data.length !== 1 && (scales.data.length !== rows || scales.shape[0] !== rows)) {
      throw new RangeError(
        `scale must hold one number or one for each of the ${rows} rows; got shape [${scales.shape.join(", ")}]`,
      );
    }
    return { as, scales: scales.data };
  }

  /**
   * The bytes of some rows, one after the other as listed.
   * @param {Entry} entry @param {Int32Array} rows @param {number} size  bytes of a row
   */
  async #gather(entry, rows, size) {
    const gathered = allocate(Uint8Array, rows.length * size, `${rows.length} rows`);
    const places = Array.from(rows.keys()).sort((a, b) => rows[a] - rows[b]);
    for (let i = 0; i < places.length;) {
      const first = rows[places[i]];
      let last = first;
      let j = i;
      for (; j < places.length && rows[places[j]] <= last + 1; ++j) last = rows[places[j]];
      const begin = entry.begin + first * size;
      const run = await this.#bytes.read(begin, entry.begin + (last + 1) * size);
      for (; i < j; ++i) {
        const from = (rows[places[i]] - first) * size;
        gathered.set(run.subarray(from, from + size), places[i] * size);
      }
    }
    return gathered;
  }
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

/**
 * The header as text. Its length is checked before a byte of it is read.
 * @param {Bytes} bytes
 */
async function readHeader({ size, read }) {
  if (size < LENGTH_BYTES) {
    refuse("HEADER_LENGTH", `file must begin with 8 bytes of header length; got ${size}`);
  }
  const length = new DataView((await read(0, LENGTH_BYTES)).buffer).getBigUint64(0, true);
  const most = Math.min(size - LENGTH_BYTES, MOST_HEADER_BYTES);
  if (length < 2n || length > BigInt(most)) {
    refuse("HEADER_LENGTH", `header length must be from 2 to ${most} in this file; got ${length}`);
  }
  const dataAt = LENGTH_BYTES + Number(length);
  const header = await read(LENGTH_BYTES, dataAt);
  if (header[0] !== 0x7b) {
    refuse("HEADER", `header must begin with '{'; got byte 0x${header[0].toString(16)}`);
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(header), dataAt };
  } catch (cause) {
    return refuse("UTF8", "header must be UTF-8; got other bytes", cause);
  }
}

/**
 * @param {string} text @param {number} dataAt  where the tensors' bytes begin in the file
 */
function parseHeader(text, dataAt) {
  const json = new Json(text, "SAFETENSORS");
  /** @type {Map<string, string>} */
  let metadata = new Map();
  /** @type {Entry[]} */
  const entries = [];
  json.object((name) => {
    if (name === "__metadata__") {
      metadata = json.object(() => json.string());
      return;
    }
    const { dtype, shape, data_offsets } = json.record({
      dtype: () => json.string(),
      shape: () => json.array(() => json.integer(), MOST_AXES),
      data_offsets: () => json.array(() => json.integer(), 2),
    });
    entries.push(checkedEntry(name, dtype, shape, data_offsets, dataAt));
  });
  json.end();
  return { metadata, entries };
}

/**
 * One tensor, of whose bytes there are as many as its shape and dtype need.
 * @param {string} name @param {string} dtype @param {number[]} shape @param {number[]} offsets
 * @param {number} dataAt
 * @returns {Entry}
 */
function checkedEntry(name, dtype, shape, offsets, dataAt) {
  const [bits, kind] = DTYPES.get(dtype) ?? [0];
  if (bits === 0) {
    const known = [...DTYPES.keys()].join(", ");
    refuse("DTYPE", `dtype of ${describe(name)} must be one of ${known}; got ${describe(dtype)}`);
  }
  const [from, to] = offsets;
  if (offsets.length !== 2 || from > to) {
    const got = `[${offsets.join(", ")}]`;
    refuse("OFFSETS", `data_offsets of ${describe(name)} must be [begin, end]; got ${got}`);
  }
  if (bitsOf(shape, bits) !== 8n * BigInt(to - from)) {
    const got = `${dtype} [${shape.join(", ")}]`;
    refuse("SHAPE", `shape of ${describe(name)} must fill its ${to - from} bytes; got ${got}`);
  }
  Object.freeze(shape);
  return { name, dtype, shape, kind, bytes: to - from, begin: dataAt + from, end: dataAt + to };
}

/**
 * Sort the tensors by place and see that they cover the data: every byte once, up to the end.
 * @param {Entry[]} entries @param {number} dataAt @param {number} size
 */
function refuseGaps(entries, dataAt, size) {
  entries.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let at = dataAt;
  for (const { name, begin, end } of entries) {
    if (begin !== at) {
      const rule = `begin at ${at - dataAt}, where the one before ends`;
      const got = begin - dataAt;
      refuse("OFFSETS", `data_offsets of ${describe(name)} must ${rule}; got ${got}`);
    }
    at = end;
  }
  if (at !== size) {
    refuse("LENGTH", `file must end with its last tensor, at byte ${at}; got ${size} bytes`);
  }
}

/**
 * @param {string} rule @param {string} message @param {unknown} [cause]
 * @returns {never}
 */
function refuse(rule, message, cause) {
  throw new FileError(`SAFETENSORS_${rule}`, message, { cause });
}
