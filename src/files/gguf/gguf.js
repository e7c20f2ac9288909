import { describe } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { namespace } from "../../runtime/named.js";
import { bytesOf } from "../bytes.js";
import { kindOr } from "../kind.js";
import { bitsOf } from "../numbers.js";
import { readSignal } from "../reading.js";
import { TensorFile } from "../tensors.js";
import { Head } from "./head.js";
import { TYPES } from "./types.js";

/**
 * @import {Source} from "../bytes.js"
 * @import {Entry} from "../tensors.js"
 * @import {BlockType} from "./types.js"
 */

/**
 * A metadata value. 64-bit integers are a bigint where a number cannot hold them; arrays of numbers are
 * typed arrays.
 * @typedef {number | bigint | boolean | string | readonly any[] | Int8Array | Uint8Array | Int16Array
 *   | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array | BigInt64Array
 *   | BigUint64Array} GgufValue
 */

const MAGIC = 0x46554747; // "GGUF", little-endian
const VERSIONS = [2, 3]; // version 3 only adds big-endian files
const MAX_PAIRS = 65_536;
const MAX_TENSORS = 100_000;
const MAX_ITEMS = 4_194_304;
const MAX_LEVELS = 3; // of nested arrays
const MAX_BOXED = 65_536; // booleans in lists and lists in lists of one file, which take up to 30 times their bytes
const MAX_AXES = 4;
const MAX_NAME_BYTES = 64;
const MAX_ALIGNMENT = 2 ** 20;
const ALIGNMENT = 32; // unless general.alignment sets another

/** The numeric metadata types by number: their typed array, and the size of one. @type {ReadonlyMap<number, readonly [Kind: new (buffer: ArrayBuffer) => any, size: number]>} */
const NUMBERS = new Map([
  [0, [Uint8Array, 1]],
  [1, [Int8Array, 1]],
  [2, [Uint16Array, 2]],
  [3, [Int16Array, 2]],
  [4, [Uint32Array, 4]],
  [5, [Int32Array, 4]],
  [6, [Float32Array, 4]],
  [10, [BigUint64Array, 8]],
  [11, [BigInt64Array, 8]],
  [12, [Float64Array, 8]],
]);
const UINT32 = 4;
const BOOL = 7;
const STRING = 8;
const ARRAY = 9;

/**
 * Reads GGUF, the format of llama.cpp: one file with the tensors, often quantized, the vocabulary and the
 * configuration.
 *
 *   4 bytes   GGUF
 *   4 bytes   version: 2 or 3
 *   8 bytes   T, the number of tensors; 8 bytes, the number of metadata pairs
 *   pairs     key, type, value
 *   T times   name, sizes of the axes (the fastest first), type, offset of its bytes
 *   the rest  the tensors' bytes, each aligned
 */
export const gguf = /* @__PURE__ */ namespace("gguf", {
  /**
   * Opens a file: reads and checks its header only. The header does not state its length, so it is read in
   * pieces of increasing size, starting with 64 KiB.
   *
   * @param {Source} source  a Blob, a File, an ArrayBuffer, a typed array, or any object with
   *   `size` and `slice(begin, end)` whose result has `arrayBuffer()`. Each tensor is read from it on request
   * @param {{signal?: AbortSignal}} [options]  `signal`: aborts the read
   * @returns {Promise<GgufFile>} the open file, which keeps a reference to source
   * @throws {TypeError} if source is none of these, or signal is not an AbortSignal
   * @throws {FileError} if the file is invalid; its `code` names the rule: GGUF_MAGIC,
   *   _VERSION, _COUNT (more items than fit in the file), _LENGTH (of the file), _UTF8, _TYPE (an unknown
   *   type number), _METADATA (a value), _DUPLICATE (a repeated key or name), _NAME, _SHAPE,
   *   _OFFSETS (a gap or an overlap); or FILE_READ: the source did not return its bytes
   * @see https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
   * @example
   * const start = Uint32Array.of(0x46554747, 3, 0, 0, 1, 0); // GGUF, version 3: no tensors, one pair
   * const pair = [Uint32Array.of(6, 0), "bos_id", Uint32Array.of(4, 50256)];
   * const file = await gguf.read(new Blob([start, ...pair]));
   * file.metadata.get("bos_id") // 50256
   */
  async read(source, options) {
    const { signal } = readSignal(options);
    const bytes = bytesOf(source);
    const head = new Head(bytes, signal);
    const { tensors, pairs } = await head
      .take(() => readStart(head))
      .catch(async (error) => {
        const kind = await kindOr(bytes.read, bytes.size, undefined, signal);
        if (kind !== undefined && error instanceof FileError) refuseKind(error.code, kind);
        throw error;
      });
    /** @type {Map<string, GgufValue>} */
    const metadata = new Map();
    let alignment = ALIGNMENT;
    let boxed = MAX_BOXED;
    for (let i = 0; i < pairs; ++i) {
      const { key, type, value, left } = await head.take(() => readPair(head, boxed));
      boxed = left;
      if (metadata.has(key)) refuse("DUPLICATE", "metadata must have each key once", describe(key));
      if (key === "general.alignment") alignment = checkedAlignment(type, value);
      metadata.set(key, value);
    }
    /** @type {Described[]} */
    const described = [];
    for (let i = 0; i < tensors; ++i) described.push(await head.take(() => readTensor(head)));
    const entries = placed(described, head.place, alignment, bytes.size);
    return new GgufFile(bytes, "GGUF", metadata, entries);
  },
});

/**
 * An open GGUF file. Tensors are read on request.
 * @extends {TensorFile<ReadonlyMap<string, GgufValue>>}
 */
export class GgufFile extends TensorFile {
  /** @override */
  static name = "GgufFile";
}

/** @param {string} code @param {unknown} kind  what the file is @returns {never} */
function refuseKind(code, kind) {
  throw new FileError(code, `file must begin with the letters GGUF; got ${kind}`);
}

/** @param {Head} head */
function readStart(head) {
  const magic = head.u32("its first four bytes");
  if (magic !== MAGIC) {
    refuse("MAGIC", "file must begin with the letters GGUF", `0x${magic.toString(16)}`);
  }
  const version = head.u32("its version");
  if (!VERSIONS.includes(version)) {
    const isSwapped = version !== 0 && (version & 0xffff) === 0;
    const got = isSwapped ? "a big-endian file" : version;
    refuse("VERSION", `version must be ${VERSIONS.join(" or ")}, little-endian`, got);
  }
  // The minimum size: of a tensor, a name length, axes, a type and an offset; of a pair, a key length and a type.
  const tensors = head.count("the number of tensors", MAX_TENSORS, 24);
  return { tensors, pairs: head.count("the number of pairs", MAX_PAIRS, 13) };
}

/**
 * What of a file may still be boxed: see MAX_BOXED.
 * @typedef {{left: number}} Room
 */

/**
 * Reads one metadata pair.
 * @param {Head} head @param {number} boxed  the booleans and lists that lists may still hold
 */
function readPair(head, boxed) {
  const key = head.string("a key of the metadata");
  const type = head.u32(`the type of ${describe(key)}`);
  const room = { left: boxed };
  const value = readValue(head, type, key, room);
  return { key, type, value, left: room.left };
}

/**
 * @param {Head} head @param {number} type @param {string} key @param {Room} room
 * @returns {GgufValue}
 */
function readValue(head, type, key, room) {
  const what = `the value of ${describe(key)}`;
  if (type === STRING) return head.string(what);
  if (type === BOOL) return readBools(head, 1, what)[0];
  if (type === ARRAY) return readArray(head, key, MAX_LEVELS, room);
  const [Kind, size] = NUMBERS.get(type) ?? refuseType(key, type);
  const [number] = head.numbers(Kind, size, 1, what);
  return Number.isSafeInteger(Number(number)) ? Number(number) : number;
}

/**
 * @param {Head} head @param {string} key @param {number} levels  of nested arrays that are allowed @param {Room} room
 * @returns {GgufValue}
 */
function readArray(head, key, levels, room) {
  const what = `the items of ${describe(key)}`;
  if (levels === 0) {
    const rule = `${describe(key)} must have at most ${MAX_LEVELS} levels of arrays`;
    refuse("METADATA", rule, "more");
  }
  const type = head.u32(`the type of ${what}`);
  const known = NUMBERS.get(type);
  const isKnown = known !== undefined || type === BOOL || type === STRING || type === ARRAY;
  if (!isKnown) refuseType(key, type);
  // The minimum size: of a string, its length; of an array, its type and its length.
  const least = known?.[1] ?? (type === BOOL ? 1 : type === STRING ? 8 : 12);
  const isBoxed = type === BOOL || type === ARRAY;
  const count = head.count(`the number of ${what}`, isBoxed ? room.left : MAX_ITEMS, least);
  if (known) return head.numbers(known[0], known[1], count, what);
  if (isBoxed) room.left -= count;
  if (type === BOOL) return readBools(head, count, what);
  head.need(count * least, what);
  const item =
    type === STRING ? () => head.string(what) : () => readArray(head, key, levels - 1, room);
  return Array.from({ length: count }, item);
}

/** @param {Head} head @param {number} count @param {string} what */
function readBools(head, count, what) {
  return Array.from(head.numbers(Uint8Array, 1, count, what), (byte) => {
    if (byte > 1) refuse("METADATA", `${what} must be 0 or 1 for a boolean`, byte);
    return byte === 1;
  });
}

/** @param {string} key @param {number} type @returns {never} */
function refuseType(key, type) {
  return refuse("TYPE", `the type of ${describe(key)} must be a number from 0 to 12`, type);
}

/** @param {number} type @param {GgufValue} value */
function checkedAlignment(type, value) {
  const alignment = Number(value);
  const isPower = type === UINT32 && alignment > 0 && (alignment & (alignment - 1)) === 0;
  if (!isPower || alignment > MAX_ALIGNMENT) {
    const rule = `general.alignment must be a uint32, a power of two up to ${MAX_ALIGNMENT}`;
    refuse("METADATA", rule, type === UINT32 ? alignment : `type ${type}`);
  }
  return alignment;
}

/**
 * The description of a tensor in the header.
 * @typedef {object} Described
 * @property {string} name
 * @property {readonly number[]} shape  row-major
 * @property {BlockType} type
 * @property {bigint} offset  from the beginning of the data
 */

/**
 * @param {Head} head
 * @returns {Described}
 */
function readTensor(head) {
  const name = head.string("a tensor's name");
  if (new TextEncoder().encode(name).length > MAX_NAME_BYTES) {
    refuse("NAME", `a name must be at most ${MAX_NAME_BYTES} bytes long`, describe(name));
  }
  const axes = head.u32(`the axes of ${describe(name)}`);
  if (axes > MAX_AXES) {
    refuse("SHAPE", `${describe(name)} must have at most ${MAX_AXES} axes`, axes);
  }
  const shape = Array.from({ length: axes }, () => {
    const size = head.u64(`the shape of ${describe(name)}`);
    if (size > BigInt(Number.MAX_SAFE_INTEGER)) {
      refuse("SHAPE", `${describe(name)} must have sizes from 0 to 2^53 - 1`, size);
    }
    return Number(size);
  }).reverse();
  const number = head.u32(`the type of ${describe(name)}`);
  const type = TYPES.get(number);
  if (type === undefined) {
    return refuse("TYPE", `the type of ${describe(name)} must be a tensor type of ggml`, number);
  }
  if ((shape.at(-1) ?? 1) % type.block !== 0) {
    const rule = `rows of ${describe(name)} must be whole blocks of ${type.block} for ${type.dtype}`;
    refuse("SHAPE", rule, `[${shape.join(", ")}]`);
  }
  return {
    name,
    shape: Object.freeze(shape),
    type,
    offset: head.u64(`the offset of ${describe(name)}`),
  };
}

/**
 * Computes where the tensors are in the file. They must follow each other in the listed order, aligned, with
 * nothing but padding after the last.
 * @param {Described[]} described @param {number} headEnd @param {number} alignment @param {number} size
 * @returns {Entry[]}
 */
function placed(described, headEnd, alignment, size) {
  const step = BigInt(alignment);
  const aligned = (/** @type {bigint} */ at) => ((at + step - 1n) / step) * step;
  const dataAt = aligned(BigInt(headEnd));
  const names = new Set();
  let end = dataAt;
  const entries = described.map(({ name, shape, type, offset }) => {
    const { dtype, block, bytes: blockBytes } = type;
    if (names.has(name)) refuse("DUPLICATE", "tensors must have unique names", describe(name));
    names.add(name);
    const begin = aligned(end);
    if (dataAt + offset !== begin) {
      const rule = `${describe(name)} must begin at ${begin - dataAt}, after the previous tensor`;
      refuse("OFFSETS", rule, offset);
    }
    const bits = bitsOf(shape, 8 * blockBytes); // as if each number were a block
    const bytes = bits === undefined ? undefined : bits / 8n / BigInt(block);
    if (bytes === undefined || begin + bytes > BigInt(size)) {
      const rule = `${describe(name)} must end within the file's ${size} bytes`;
      return refuse("LENGTH", rule, `${dtype} [${shape.join(", ")}] from ${begin} on`);
    }
    end = begin + bytes;
    return {
      name,
      dtype,
      shape,
      byteLength: Number(bytes),
      begin: Number(begin),
      end: Number(end),
    };
  });
  if (BigInt(size) > aligned(end)) {
    refuse(
      "LENGTH",
      `file must end with its last tensor, at byte ${aligned(end)}`,
      `${size} bytes`,
    );
  }
  return entries;
}

/**
 * @param {string} rule @param {string} message @param {unknown} got
 * @returns {never}
 */
function refuse(rule, message, got) {
  throw new FileError(`GGUF_${rule}`, `${message}; got ${got}`);
}
