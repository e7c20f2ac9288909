import { describe, options as readOptions } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { namespace } from "../../runtime/named.js";
import { allocate, bytesOf } from "../bytes.js";
import { named } from "../entries.js";
import { Json } from "../json.js";
import { kindOr } from "../kind.js";
import { MAX_AXES, bitsOf, encode, place } from "../numbers.js";
import { readSignal } from "../reading.js";
import { TensorFile } from "../tensors.js";
import { openSharded } from "./sharded.js";

/**
 * @import {TensorInput} from "../../runtime/tensor.js"
 * @import {Bytes, Source} from "../bytes.js"
 * @import {Entry} from "../tensors.js"
 * @import {ShardedFile} from "./sharded.js"
 */

const LENGTH_BYTES = 8;
const MIN_HEADER_BYTES = 2; // {}
const MAX_HEADER_BYTES = 25_000_000; // the limit of @huggingface/hub; the format allows 100 MB
const MAX_TENSORS = 2 ** 19; // about as many as fit

/** JSON's white space, which may precede the object, too: safetensors 0.8.0 reads it. */
const WHITE = [0x20, 0x09, 0x0a, 0x0d];

/**
 * Every dtype of the format (tensor.rs of 2026): its name elsewhere, and the bits of one element.
 * @type {ReadonlyMap<string, readonly [dtype: string, bits: number]>}
 */
const DTYPES = new Map([
  ["I64", ["int64", 64]],
  ["F64", ["float64", 64]],
  ["F32", ["float32", 32]],
  ["I32", ["int32", 32]],
  ["BF16", ["bfloat16", 16]],
  ["F16", ["float16", 16]],
  ["I8", ["int8", 8]],
  ["U8", ["uint8", 8]],
  ["BOOL", ["bool", 8]],
  ["I16", ["int16", 16]],
  ["U16", ["uint16", 16]],
  ["U32", ["uint32", 32]],
  ["U64", ["uint64", 64]],
  ["C64", ["complex64", 64]],
  ["F8_E4M3", ["float8_e4m3fn", 8]],
  ["F8_E5M2", ["float8_e5m2", 8]],
  ["F8_E8M0", ["float8_e8m0fnu", 8]],
  ["F8_E4M3FNUZ", ["float8_e4m3fnuz", 8]],
  ["F8_E5M2FNUZ", ["float8_e5m2fnuz", 8]],
  ["F6_E2M3", ["float6_e2m3fn", 6]],
  ["F6_E3M2", ["float6_e3m2fn", 6]],
  ["F4", ["float4_e2m1fn", 4]],
]);

/** The file's names of the dtypes, in the order in which tensors are written: widest first. @type {ReadonlyMap<string, string>} */
const FILE_NAMES = new Map([...DTYPES].map(([fileName, [dtype]]) => [dtype, fileName]));

/**
 * Reads and writes safetensors: named tensors in one file, or in several files with an index.
 *
 *   8 bytes   N, little-endian
 *   N bytes   JSON {"name": {"dtype", "shape", "data_offsets": [begin, end]}, ...}, perhaps in white space
 *   the rest  the tensors' bytes, row-major and little-endian, without gaps;
 *             data_offsets count from the end of the header
 */
export const safetensors = /* @__PURE__ */ namespace("safetensors", {
  /**
   * Opens a file: reads and checks its header only.
   *
   * @param {Source} source  a Blob, a File, an ArrayBuffer, a typed array, or any object with
   *   `size` and `slice(begin, end)` whose result has `arrayBuffer()`. Each tensor is read from it on request
   * @param {{signal?: AbortSignal}} [options]  `signal`: aborts the read
   * @returns {Promise<SafetensorsFile>} the open file, which keeps a reference to source
   * @throws {TypeError} if source is none of these, or signal is not an AbortSignal
   * @throws {FileError} if the file is invalid; its `code` names the rule:
   *   SAFETENSORS_HEADER_LENGTH, _UTF8, _HEADER (syntax), _DUPLICATE (a repeated key), _DTYPE,
   *   _SHAPE (does not match the number of bytes), _OFFSETS (a gap or an overlap), _LENGTH (of the file);
   *   or FILE_READ: the source did not return its bytes
   * @see https://github.com/huggingface/safetensors#format
   * @example
   * const header = '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}';
   * const parts = [BigUint64Array.of(BigInt(header.length)), header, Float32Array.of(1.5, 2.5)];
   * const file = await safetensors.read(new Blob(parts));
   * const a = await file.tensor("a");
   * a.at(1) // 2.5
   */
  async read(source, options) {
    return readSafetensors(source, options);
  },

  /**
   * Opens a model that is stored in several files: reads and checks its index,
   * `model.safetensors.index.json`, only. Each file is opened when one of its tensors is first read.
   *
   * @param {Source} index  as `source` of `safetensors.read`
   * @param {(shard: string, options: {signal: AbortSignal}) => Source | undefined | Promise<Source | undefined>} open
   *   returns the file of a name in the index: a plain file name without folders; undefined if there is none.
   *   `signal` aborts when nobody waits for the file any more
   * @param {{signal?: AbortSignal}} [options]  `signal`: aborts the read
   * @returns {Promise<ShardedFile>} the open model
   * @throws {TypeError} if index is not a source, or open is not a function
   * @throws {FileError} SAFETENSORS_INDEX, or SAFETENSORS_DUPLICATE (a repeated tensor), if the index
   *   is invalid; FILE_READ: the source did not return its bytes; when a tensor is read, SAFETENSORS_SHARD: there is no
   *   file of this name
   * @see https://huggingface.co/docs/safetensors/index
   * @example
   * const wte = safetensors.write({ wte: [[1, 2], [3, 4]] });
   * const index = new Blob(['{"metadata":{},"weight_map":{"wte":"a.safetensors"}}']);
   * const model = await safetensors.sharded(index, () => wte);
   * (await model.rows("wte", [1])).toArray() // [[3, 4]]
   */
  async sharded(index, open, options) {
    return readSharded(index, open, options);
  },

  /**
   * Writes tensors to one file. They are ordered by dtype, the widest numbers first, and then by name, as
   * the reference implementation orders them, so that every tensor is aligned.
   *
   * @param {ReadonlyMap<string, TensorInput> | Readonly<Record<string, TensorInput>>} tensors  by
   *   name. float32, float64, float16, bfloat16, int32, int64, int8, uint8 and bool (a Uint8Array
   *   with dtype "bool") keep their dtype; other arrays and nested ones become float32
   * @param {object} [options]
   * @param {ReadonlyMap<string, string> | Readonly<Record<string, string>>} [options.metadata]
   *   strings by key
   * @returns {Uint8Array<ArrayBuffer>} the file
   * @throws {TypeError}  if a tensor holds anything but numbers, or a metadata value is not a string
   * @throws {RangeError} if a tensor is ragged or has more than 64 axes, or a name is `__metadata__`
   *   or contains an unpaired surrogate
   * @see https://github.com/huggingface/safetensors#format
   * @example
   * const file = safetensors.write({ wte: new Float32Array(6) }, { metadata: { from: "a lesson" } });
   * file.length // 128
   */
  write(tensors, options) {
    /** @type {{metadata?: unknown}} */
    const defaults = { metadata: {} };
    const wishes = readOptions(options, defaults);
    const notes = named(wishes.metadata, "metadata").map(([key, text]) => {
      if (typeof text === "string" && !/\p{Surrogate}/u.test(text)) return { key, text };
      throw new TypeError(`metadata must hold strings; got ${describe(text)} for ${describe(key)}`);
    });
    const dtypes = [...FILE_NAMES.keys()];
    const entries = named(tensors, "tensors").map(([name, tensor]) => {
      if (name === "__metadata__") {
        throw new RangeError(`tensors must not have the reserved name; got ${describe(name)}`);
      }
      return { name, ...encode(tensor, `tensor ${describe(name)}`) };
    });
    entries.sort(
      (a, b) => dtypes.indexOf(a.dtype) - dtypes.indexOf(b.dtype) || order(a.name, b.name),
    );
    let at = 0;
    const lines = entries.map(({ name, dtype, data, shape }) => {
      const data_offsets = [at, (at += data.byteLength)];
      return line(name, JSON.stringify({ dtype: FILE_NAMES.get(dtype), shape, data_offsets }));
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
});

/**
 * `safetensors.read`. What only reads imports this: the object has the writer, too.
 * @param {Source} source @param {{signal?: AbortSignal}} [options]
 */
export async function readSafetensors(source, options) {
  const { signal } = readSignal(options);
  const bytes = bytesOf(source);
  const { text, dataAt } = await readHeader(bytes, signal);
  checkHeader(text, dataAt, bytes.size);
  const { metadata, entries } = parseHeader(text, dataAt);
  return new SafetensorsFile(bytes, "SAFETENSORS", metadata, entries);
}

/**
 * `safetensors.sharded`.
 * @param {Source} index
 * @param {(shard: string, options: {signal: AbortSignal}) => Source | undefined | Promise<Source | undefined>} open
 * @param {{signal?: AbortSignal}} [options]
 */
export async function readSharded(index, open, options) {
  const { signal } = readSignal(options);
  if (typeof open !== "function") {
    throw new TypeError(`open must be a function; got ${describe(open)}`);
  }
  return openSharded(
    bytesOf(index),
    async (shard, stop) => {
      const source = await open(shard, { signal: stop });
      return source === undefined ? undefined : readSafetensors(source, { signal: stop });
    },
    signal,
  );
}

/**
 * An open safetensors file. Tensors are read on request.
 * @extends {TensorFile<ReadonlyMap<string, string>>}
 */
export class SafetensorsFile extends TensorFile {
  /** @override */
  static name = "SafetensorsFile";
}

/**
 * Reads the header as text. Its length is checked first.
 * @param {Bytes} bytes @param {AbortSignal} [signal]
 */
async function readHeader({ size, read }, signal) {
  if (size < LENGTH_BYTES + MIN_HEADER_BYTES) {
    const got = await kindOr(read, size, `${size} bytes`, signal);
    const rule = "file must begin with 8 bytes of header length and a header";
    refuse("HEADER_LENGTH", `${rule}; got ${got}`);
  }
  const length = new DataView((await read(0, LENGTH_BYTES, { signal })).buffer).getBigUint64(
    0,
    true,
  );
  const max = Math.min(size - LENGTH_BYTES, MAX_HEADER_BYTES);
  if (length < BigInt(MIN_HEADER_BYTES) || length > BigInt(max)) {
    const got = await kindOr(read, size, length, signal);
    refuse(
      "HEADER_LENGTH",
      `header length must be from ${MIN_HEADER_BYTES} to ${max} in this file; got ${got}`,
    );
  }
  const dataAt = LENGTH_BYTES + Number(length);
  const header = await read(LENGTH_BYTES, dataAt, { signal });
  const first = header.find((byte) => !WHITE.includes(byte)) ?? header[0];
  if (first !== 0x7b) {
    const got = await kindOr(read, size, `byte 0x${first.toString(16)}`, signal);
    refuse("HEADER", `header must begin with '{'; got ${got}`);
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(header), dataAt };
  } catch (cause) {
    return refuse("UTF8", "header must be UTF-8; got other bytes", cause);
  }
}

/**
 * The metadata and the tensors of a header that was checked, ordered by offset.
 * @param {string} text @param {number} dataAt  the offset of the tensors' bytes in the file
 */
function parseHeader(text, dataAt) {
  /** @type {Entry[]} */
  const entries = [];
  const { metadata } = readEntries(text, dataAt, (entry) => entries.push(entry));
  entries.sort((a, b) => a.begin - b.begin || a.end - b.end);
  return { metadata, entries };
}

/**
 * Checks a header before anything is made of it, which takes four times its size, and keeps nothing but names and offsets.
 * @param {string} text @param {number} dataAt @param {number} size
 */
function checkHeader(text, dataAt, size) {
  /** @type {number[]} */
  const begins = [];
  /** @type {number[]} */
  const ends = [];
  const { names } = readEntries(text, dataAt, ({ begin, end }) => {
    ends.push(end);
    return begins.push(begin);
  });
  const order = Uint32Array.from(begins.keys()).sort(
    (a, b) => begins[a] - begins[b] || ends[a] - ends[b],
  );
  const spans = function* () {
    for (const i of order) yield { begin: begins[i], end: ends[i], nth: i + 1 };
  };
  const nameOf = (/** @type {{nth: number}} */ { nth }) =>
    [...names.keys()].find((name) => names.get(name) === nth);
  refuseGaps(spans(), nameOf, dataAt, size);
}

/**
 * Reads the tensors of a header, one after the other.
 * @template T
 * @param {string} text @param {number} dataAt @param {(entry: Entry) => T} use
 * @returns {{metadata: Map<string, string>, names: Map<string, T | undefined>}} what was made of each tensor
 */
function readEntries(text, dataAt, use) {
  const json = new Json(text, "SAFETENSORS");
  json.isStrict = true;
  /** @type {Map<string, string>} */
  let metadata = new Map();
  const names = json.object((name) => {
    if (name === "__metadata__") {
      // MLX writes null for no metadata.
      if (json.peek() === "n") json.value();
      else metadata = json.object(() => json.string());
      return undefined;
    }
    const { dtype, shape, data_offsets } = json.record({
      dtype: () => json.string(),
      shape: () => json.array(() => json.integer(), MAX_AXES),
      data_offsets: () => json.array(() => json.integer(), 2),
    });
    return use(checkedEntry(name, dtype, shape, data_offsets, dataAt));
  }, MAX_TENSORS);
  json.end();
  return { metadata, names };
}

/**
 * Checks that a tensor's shape and dtype fill its bytes.
 * @param {string} name @param {string} fileName  the file's name of the dtype @param {number[]} shape
 * @param {number[]} offsets @param {number} dataAt
 * @returns {Entry}
 */
function checkedEntry(name, fileName, shape, offsets, dataAt) {
  const [dtype, bits] = DTYPES.get(fileName) ?? ["", 0];
  if (bits === 0) {
    const known = [...DTYPES.keys()].join(", ");
    refuse(
      "DTYPE",
      `dtype of ${describe(name)} must be one of ${known}; got ${describe(fileName)}`,
    );
  }
  const [from, to] = offsets;
  if (offsets.length !== 2 || from > to) {
    const got = `[${offsets.join(", ")}]`;
    refuse("OFFSETS", `data_offsets of ${describe(name)} must be [begin, end]; got ${got}`);
  }
  if (bitsOf(shape, bits) !== 8n * BigInt(to - from)) {
    const got = `${fileName} [${shape.join(", ")}]`;
    refuse("SHAPE", `shape of ${describe(name)} must fill its ${to - from} bytes; got ${got}`);
  }
  Object.freeze(shape);
  return { name, dtype, shape, byteLength: to - from, begin: dataAt + from, end: dataAt + to };
}

/**
 * Checks that tensors, ordered by offset, cover every byte of the data once.
 * @template {{begin: number, end: number}} Span
 * @param {Iterable<Span>} spans @param {(span: Span) => unknown} nameOf @param {number} dataAt @param {number} size
 */
function refuseGaps(spans, nameOf, dataAt, size) {
  let at = dataAt;
  for (const span of spans) {
    if (span.begin !== at) {
      const rule = `begin at ${at - dataAt}, where the previous tensor ends`;
      const got = span.begin - dataAt;
      refuse("OFFSETS", `data_offsets of ${describe(nameOf(span))} must ${rule}; got ${got}`);
    }
    at = span.end;
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
