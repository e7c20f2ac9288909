import { describe, options as readOptions } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { allocate, bytesOf } from "../bytes.js";
import { named } from "../entries.js";
import { Json } from "../json.js";
import { MOST_AXES, bitsOf, encode, place } from "../numbers.js";
import { readReading } from "../reading.js";
import { TensorFile } from "../tensors.js";
import { openSharded } from "./sharded.js";

/**
 * @import {TensorInput} from "../../runtime/tensor.js"
 * @import {Bytes, Source} from "../bytes.js"
 * @import {Kind} from "../numbers.js"
 * @import {Entry} from "../tensors.js"
 * @import {ShardedFile} from "./sharded.js"
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

/** What a tensor's numbers are written as, widest first as the format's own writer orders them. */
const WRITTEN = new Map([
  ["i64", "I64"],
  ["f64", "F64"],
  ["f32", "F32"],
  ["i32", "I32"],
  ["bf16", "BF16"],
  ["f16", "F16"],
  ["i8", "I8"],
  ["u8", "U8"],
  ["bool", "BOOL"],
]);

const FORMAT = Object.freeze({
  name: "SAFETENSORS",
  dtypes: [...DTYPES].filter(([, [, kind]]) => kind !== undefined).map(([dtype]) => dtype),
});

/**
 * Safetensors: named tensors in one file, or in several beside an index.
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
   * @param {{signal?: AbortSignal}} [options]  `signal`: stops the reading
   * @returns {Promise<SafetensorsFile>} the open file, which keeps source
   * @throws {TypeError} if source is none of these, or signal is no AbortSignal
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
  async read(source, options) {
    /** @type {{signal?: AbortSignal}} */
    const defaults = { signal: undefined };
    const { signal } = readReading(readOptions(options, defaults, "safetensors.read"));
    const bytes = bytesOf(source);
    const { text, dataAt } = await readHeader(bytes, signal);
    const { metadata, entries } = parseHeader(text, dataAt);
    refuseGaps(entries, dataAt, bytes.size);
    return new SafetensorsFile(bytes, FORMAT, metadata, entries);
  },

  /**
   * Open a model that lies in several files: read and check its index, `model.safetensors.index.json`,
   * and nothing else. A file is opened when a tensor in it is first asked for.
   *
   * @param {Source} index  as `source` of `safetensors.read`
   * @param {(shard: string) => Source | Promise<Source>} open  gives the file of a name that stands
   *   in the index: a plain file name, without folders
   * @param {{signal?: AbortSignal}} [options]  `signal`: stops the reading
   * @returns {Promise<ShardedFile>} the open model
   * @throws {TypeError} if index is no source, or open no function
   * @throws {FileError} SAFETENSORS_INDEX, or SAFETENSORS_DUPLICATE (a tensor twice), if the index
   *   breaks a rule; FILE_READ: the source did not give its bytes
   * @see https://huggingface.co/docs/safetensors/index
   * @example
   * const files = { "a.safetensors": safetensors.write({ wte: [[1, 2], [3, 4]] }) };
   * const index = new Blob(['{"metadata":{},"weight_map":{"wte":"a.safetensors"}}']);
   * const model = await safetensors.sharded(index, (shard) => files[shard]);
   * (await model.rows("wte", [1])).toArray() // [[3, 4]]
   */
  async sharded(index, open, options) {
    /** @type {{signal?: AbortSignal}} */
    const defaults = { signal: undefined };
    const { signal } = readReading(readOptions(options, defaults, "safetensors.sharded"));
    if (typeof open !== "function") {
      throw new TypeError(`open must be a function; got ${describe(open)}`);
    }
    return openSharded(
      bytesOf(index),
      async (shard) => safetensors.read(await open(shard)),
      signal,
    );
  },

  /**
   * Write tensors as one file. They lie in it by dtype, the widest numbers first, and then by name, as
   * the format's own writer puts them, so that all of them are aligned.
   *
   * @param {ReadonlyMap<string, TensorInput> | Readonly<Record<string, TensorInput>>} tensors  by
   *   name. float32, float64, float16, bfloat16, int32, int64, int8, uint8 and bool (of other
   *   libraries, a Uint8Array) keep their dtype; other arrays and nested ones become F32
   * @param {object} [options]
   * @param {ReadonlyMap<string, string> | Readonly<Record<string, string>>} [options.metadata]
   *   texts to note, by key
   * @returns {Uint8Array<ArrayBuffer>} the file, newly made and the caller's own
   * @throws {TypeError}  if a tensor is none, holds something else than numbers, or a note is no text
   * @throws {RangeError} if a tensor is ragged or has more than 64 axes, or a name is `__metadata__`
   *   or holds half a character
   * @see https://github.com/huggingface/safetensors#format
   * @example
   * const file = safetensors.write({ wte: new Float32Array(6) }, { metadata: { from: "a lesson" } });
   * file.length // 128
   */
  write(tensors, options) {
    /** @type {{metadata?: unknown}} */
    const defaults = { metadata: {} };
    const wishes = readOptions(options, defaults, "safetensors.write");
    const notes = named(wishes.metadata, "metadata").map(([key, text]) => {
      if (typeof text === "string" && !/\p{Surrogate}/u.test(text)) return { key, text };
      throw new TypeError(`metadata must hold texts; got ${describe(text)} for ${describe(key)}`);
    });
    const kinds = [...WRITTEN.keys()];
    const entries = named(tensors, "tensors").map(([name, tensor]) => {
      if (name === "__metadata__") {
        throw new RangeError(`tensors must not be named as the metadata is; got ${describe(name)}`);
      }
      return { name, ...encode(tensor, `tensor ${describe(name)}`) };
    });
    entries.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || order(a.name, b.name));
    let at = 0;
    const lines = entries.map(({ name, kind, data, shape }) => {
      const data_offsets = [at, (at += data.byteLength)];
      return line(name, JSON.stringify({ dtype: WRITTEN.get(kind), shape, data_offsets }));
    });
    if (notes.length > 0) {
      notes.sort((a, b) => order(a.key, b.key));
      const texts = notes.map(({ key, text }) => line(key, JSON.stringify(text)));
      lines.unshift(line("__metadata__", `{${texts.join(",")}}`));
    }
    const header = new TextEncoder().encode(`{${lines.join(",")}}`);
    const dataAt = LENGTH_BYTES + Math.ceil(header.length / 8) * 8;
    const file = allocate(Uint8Array, dataAt + at, "the file");
    file.fill(0x20, header.length + LENGTH_BYTES, dataAt);
    new DataView(file.buffer).setBigUint64(0, BigInt(dataAt - LENGTH_BYTES), true);
    file.set(header, LENGTH_BYTES);
    at = dataAt;
    for (const { data } of entries) {
      place(file, at, data);
      at += data.byteLength;
    }
    return file;
  },
};

/**
 * An open safetensors file: what it holds, and its tensors when asked for.
 * @extends {TensorFile<ReadonlyMap<string, string>>}
 */
export class SafetensorsFile extends TensorFile {
  /** @override */
  static name = "SafetensorsFile";
}

/**
 * The header as text. Its length is checked before a byte of it is read.
 * @param {Bytes} bytes @param {AbortSignal} [signal]
 */
async function readHeader({ size, read }, signal) {
  signal?.throwIfAborted();
  if (size < LENGTH_BYTES) {
    refuse("HEADER_LENGTH", `file must begin with 8 bytes of header length; got ${size}`);
  }
  const length = new DataView((await read(0, LENGTH_BYTES, { signal })).buffer).getBigUint64(
    0,
    true,
  );
  const most = Math.min(size - LENGTH_BYTES, MOST_HEADER_BYTES);
  if (length < 2n || length > BigInt(most)) {
    refuse("HEADER_LENGTH", `header length must be from 2 to ${most} in this file; got ${length}`);
  }
  const dataAt = LENGTH_BYTES + Number(length);
  const header = await read(LENGTH_BYTES, dataAt, { signal });
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

/** Alphabetical, by UTF-16. @param {string} a @param {string} b */
const order = (a, b) => (a < b ? -1 : 1);

/** A property of a JSON object. @param {string} key @param {string} json */
const line = (key, json) => `${JSON.stringify(key)}:${json}`;

/**
 * @param {string} rule @param {string} message @param {unknown} [cause]
 * @returns {never}
 */
function refuse(rule, message, cause) {
  throw new FileError(`SAFETENSORS_${rule}`, message, { cause });
}
