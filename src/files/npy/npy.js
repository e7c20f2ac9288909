import { describe, options as readOptions } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { namespace } from "../../runtime/named.js";
import { Tensor } from "../../runtime/tensor.js";
import { allocate, bytesOf } from "../bytes.js";
import { kindOr } from "../kind.js";
import { bitsOf, decode, encode, MAX_AXES, place, sizeOf, swapBytes } from "../numbers.js";
import { READING, readRange, readReading } from "../reading.js";
import { Scanner } from "../scanner.js";
import { readAsFloat32 } from "../tensors.js";

/**
 * @import {TensorInput} from "../../runtime/tensor.js"
 * @import {Bytes, Reading, Source} from "../bytes.js"
 * @import {Stored} from "../tensors.js"
 */

/**
 * Options for reading an array.
 * @typedef {object} NpyOptions
 * @property {"float32"} [dtype]  converts any number format to float32, each number rounded once. By default
 *   float64 and integers keep their dtype
 * @property {AbortSignal} [signal]  aborts the read
 * @property {(done: number, total: number) => void} [progress]  called with the number of bytes read so
 *   far and their total
 */

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]; // 0x93 and NUMPY
const MAX_HEADER_BYTES = 65_536; // NumPy itself needs a few hundred

/** The most bytes before the array. */
export const MAX_START_BYTES = MAX_HEADER_BYTES + 12;

/** The letters of a structured type that a message shows. */
const MAX_SHOWN = 200;

const ALIGNMENT = 64; // of the data, as NumPy writes it since 1.14

/** NumPy's type codes without the byte order; NumPy has no bfloat16. @type {ReadonlyMap<string, string>} */
const DTYPES = new Map([
  ["f2", "float16"],
  ["f4", "float32"],
  ["f8", "float64"],
  ["i1", "int8"],
  ["i2", "int16"],
  ["i4", "int32"],
  ["i8", "int64"],
  ["u1", "uint8"],
  ["u2", "uint16"],
  ["u4", "uint32"],
  ["u8", "uint64"],
  ["b1", "bool"],
]);

/** NumPy's letters of the same; l and L are as long as the machine's. @type {ReadonlyMap<string, string>} */
const LETTERS = new Map([
  ["e", "float16"],
  ["f", "float32"],
  ["d", "float64"],
  ["b", "int8"],
  ["h", "int16"],
  ["i", "int32"],
  ["q", "int64"],
  ["B", "uint8"],
  ["H", "uint16"],
  ["I", "uint32"],
  ["Q", "uint64"],
  ["?", "bool"],
]);

/** The type code of each dtype. @type {ReadonlyMap<string, string>} */
const CODES = new Map([...DTYPES].map(([code, dtype]) => [dtype, code]));

/**
 * Reads and writes NumPy's .npy: one array in one file, as `numpy.save` and `numpy.load` do.
 *
 *   6 bytes   0x93 and NUMPY
 *   2 bytes   version: 1 0, 2 0 or 3 0
 *   2 bytes   H, little-endian; 4 bytes from version 2 on
 *   H bytes   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, spaces, a newline
 *   the rest  the numbers
 */
export const npy = /* @__PURE__ */ namespace("npy", {
  /**
   * Reads a file. Its header is parsed, never evaluated as Python.
   *
   * Shapes    as in the file; the result is row-major, also for fortran_order
   * Returns   f4, f2, u4 and u8 as float32, f8 float64, i8 int64, i4, i2 and u2 int32, i1 int8, u1 and b1
   *           uint8. All of them as float32 with `dtype: "float32"`
   * Accuracy  exact where the result can hold the number, otherwise rounded once, ties to even
   *
   * @param {Source} source  a Blob, a File, an ArrayBuffer, a typed array, or any object with `size`
   *   and `slice(begin, end)` whose result has `arrayBuffer()`
   * @param {NpyOptions} [options]
   * @returns {Promise<Tensor<any>>} the array, row-major
   * @throws {TypeError}  if source is none of these, or an option has the wrong type
   * @throws {RangeError} if `dtype` is another word
   * @throws {FileError}  if the file is invalid; its `code` names the rule: NPY_MAGIC, _VERSION,
   *   _HEADER_LENGTH, _HEADER (syntax), _DESCR (an unsupported type), _LENGTH (of the file); or FILE_READ: the
   *   source did not return its bytes
   * @see https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
   * @example
   * const x = await npy.read(npy.write(Int32Array.of(1, 2, 3)), { dtype: "float32" });
   * x.dtype // "float32"
   */
  async read(source, options) {
    /** @type {NpyOptions} */
    const defaults = { dtype: undefined, ...READING };
    const given = readOptions(options, defaults);
    const asFloat32 = readAsFloat32(given.dtype);
    return tensorOf(await readStored(bytesOf(source), readReading(given)), asFloat32);
  },

  /**
   * Reads the stored bytes of an array, for `dtypes.decode`: little-endian and row-major, whatever the file's
   * order.
   *
   * @param {Source} source  as `npy.read`
   * @param {Reading} [options]
   * @returns {Promise<Stored>} bytes, dtype and shape
   * @throws {TypeError}  as `npy.read`
   * @throws {FileError}  as `npy.read`
   * @see https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
   * @example
   * const { bytes, dtype, shape } = await npy.stored(npy.write([[1, 2, 3], [4, 5, 6]]));
   * `${bytes.length} bytes of ${dtype}, shape [${shape}]` // "24 bytes of float32, shape [2,3]"
   */
  async stored(source, options) {
    return storedNpy(source, options);
  },

  /**
   * Writes an array as a file of version 1.0, row-major and little-endian.
   *
   * @param {TensorInput} tensor  float32, float64, int32, int64, int8, uint8, float16 and bool (a
   *   Uint8Array with dtype "bool") keep their dtype; other arrays and nested ones are written as float32
   * @returns {Uint8Array<ArrayBuffer>} the file
   * @throws {TypeError}  if tensor is not a tensor, or holds anything but numbers
   * @throws {RangeError} if it is ragged, has more than 64 axes, or is bfloat16, which .npy does not support
   * @see https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
   * @example
   * npy.write(new Float32Array(16)).length // 192
   */
  write(tensor) {
    return written(tensor, "tensor");
  },
});

/** `npy.stored`, without the writer. @param {Source} source @param {Reading} [options] @returns {Promise<Stored>} */
export async function storedNpy(source, options) {
  const reading = readReading(readOptions(options, READING));
  return readStored(bytesOf(source), reading);
}

/** @param {Stored} stored @param {boolean} asFloat32 @returns {Tensor<any>} */
export function tensorOf({ bytes, dtype: stored, shape }, asFloat32) {
  const { data, dtype } = decode(bytes, stored, asFloat32);
  return new Tensor(data, shape, dtype);
}

/**
 * The stored bytes, little-endian and row-major.
 * @param {Bytes} bytes @param {Reading} reading
 * @returns {Promise<Stored>}
 */
async function readStored(bytes, reading) {
  const header = await readHeader(bytes, reading);
  return inOrder(header, await readRange(bytes, header.dataAt, bytes.size, reading));
}

/**
 * Reads a file that comes in chunks, whose array is in memory once.
 * @param {number} size  of the file
 */
export function incoming(size) {
  let start = new Uint8Array(0);
  /** @type {Header | undefined} */
  let header;
  let data = start;
  const begin = async () => {
    const read = async (/** @type {number} */ from, /** @type {number} */ to) =>
      start.slice(from, to);
    header = await readHeader({ size, read }, {});
    data = allocate(Uint8Array, size - header.dataAt, "the array");
    data.set(start.subarray(header.dataAt));
  };
  return {
    /** @param {Uint8Array<ArrayBuffer>} chunk @param {number} at  in the file */
    async take(chunk, at) {
      if (header) return data.set(chunk, at - header.dataAt);
      const before = start;
      start = new Uint8Array(at + chunk.length);
      start.set(before);
      start.set(chunk, at);
      if (start.length >= Math.min(size, MAX_START_BYTES)) await begin();
    },
    /** @returns {Promise<Stored>} */
    async stored() {
      if (!header) await begin(); // an empty file has no chunk
      return inOrder(/** @type {Header} */ (header), data);
    },
  };
}

/** @param {Header} header @param {Uint8Array<ArrayBuffer>} data @returns {Stored} */
function inOrder({ dtype, isBigEndian, isFortran, shape }, data) {
  const size = sizeOf(dtype);
  if (isBigEndian) swapBytes(data, size);
  return {
    bytes: isFortran ? rowMajor(data, shape, size) : data,
    dtype,
    shape: Object.freeze(shape),
  };
}

/** @typedef {Awaited<ReturnType<typeof readHeader>>} Header */

/**
 * Reads the header and checks that its shape fills the rest of the file.
 * @param {Omit<Bytes, "each">} bytes @param {Reading} reading
 */
export async function readHeader(bytes, reading) {
  const { text, major, dataAt } = await readText(bytes, reading);
  const { descr, isFortran, shape } = parseHeader(text, major);
  const { dtype, isBigEndian } = readDescr(descr);
  const present = bytes.size - dataAt;
  if (bitsOf(shape, 8 * sizeOf(dtype)) !== 8n * BigInt(present)) {
    const got = `${descr} (${shape.join(", ")})`;
    refuse("LENGTH", `shape must fill the ${present} bytes after the header; got ${got}`);
  }
  return { dtype, isBigEndian, isFortran, shape, dataAt };
}

/**
 * Reads the header as text. Its length is checked first.
 * @param {Omit<Bytes, "each">} bytes @param {Reading} reading
 */
async function readText({ size, read }, { signal }) {
  const start = await read(0, Math.min(size, MAGIC.length + 6), { signal });
  if (size < MAGIC.length + 2 || MAGIC.some((byte, i) => start[i] !== byte)) {
    const letters = describe(new TextDecoder().decode(start.subarray(0, MAGIC.length)));
    const got = await kindOr(read, size, letters, signal);
    refuse("MAGIC", `file must begin with 0x93, NUMPY and a version; got ${got}`);
  }
  const [major, minor] = start.subarray(MAGIC.length);
  if (!(major >= 1 && major <= 3) || minor !== 0) {
    refuse("VERSION", `version must be 1.0, 2.0 or 3.0; got ${major}.${minor}`);
  }
  const lengthAt = MAGIC.length + 2;
  const textAt = lengthAt + (major === 1 ? 2 : 4);
  if (size < textAt) {
    refuse("HEADER_LENGTH", `file must state its header's length; got ${size} bytes`);
  }
  const view = new DataView(start.buffer);
  const length = major === 1 ? view.getUint16(lengthAt, true) : view.getUint32(lengthAt, true);
  const max = Math.min(size - textAt, MAX_HEADER_BYTES);
  if (length > max) {
    refuse("HEADER_LENGTH", `header length must be at most ${max} in this file; got ${length}`);
  }
  const dataAt = textAt + length;
  const letters = new TextDecoder(major < 3 ? "latin1" : "utf-8"); // of names of fields
  const text = letters.decode(await read(textAt, dataAt, { signal }));
  return { text, major, dataAt };
}

/**
 * Parses a Python dict of exactly three keys, in any order and in white space, as Python 2 and 3 write it: with u'' and
 * 2L, too. NumPy reads 2L up to version 2.
 * @param {string} text @param {number} major  of the version
 */
function parseHeader(text, major) {
  const scanner = new Scanner(text, "NPY", " \t\n\r\f");

  /** @param {RegExp} pattern  sticky @param {string} rule */
  const word = (pattern, rule) => {
    pattern.lastIndex = scanner.skip();
    const [whole, first, second] = pattern.exec(text) ?? scanner.refuse(rule);
    scanner.at += whole.length;
    return first ?? second;
  };
  const string = () => word(/[uU]?(?:'([^'"\\]*)'|"([^'"\\]*)")/y, "a string in quotes");

  /** A structured type is a list of fields. */
  const refuseStructured = () => {
    const begin = scanner.skip();
    if (text[begin] !== "[") return;
    let [depth, at] = [0, begin];
    do depth += text[at] === "[" ? 1 : text[at] === "]" ? -1 : 0;
    while (depth > 0 && ++at < text.length);
    const fields = text.slice(begin, at + 1);
    const got = JSON.stringify(
      fields.length > MAX_SHOWN ? `${fields.slice(0, MAX_SHOWN)}...` : fields,
    );
    refuse("DESCR", `descr must be one number format, not a structured dtype; got ${got}`);
  };

  /** @param {string} open @param {string} close @param {() => void} item  reads one */
  const list = (open, close, item) => {
    let comma = true;
    for (scanner.need(open); !scanner.skips(close); comma = scanner.skips(",")) {
      if (!comma) scanner.refuse(`',' or '${close}'`);
      item();
    }
    return comma;
  };

  const before = text.slice(0, scanner.skip());
  if (/[\n\r]/.test(before) && /[ \t]$/.test(before)) scanner.refuse("no indented line"); // as Python

  const header = { descr: "", isFortran: false, shape: /** @type {number[]} */ ([]) };
  const keys = new Set(["descr", "fortran_order", "shape"]);
  list("{", "}", () => {
    const begin = scanner.skip();
    const key = string();
    if (!keys.delete(key)) scanner.refuse("descr, fortran_order and shape once each", begin);
    scanner.need(":");
    if (key === "descr") refuseStructured();
    if (key === "descr") header.descr = string();
    else if (key === "shape") header.shape = tuple();
    else header.isFortran = word(/(True|False)/y, "True or False") === "True";
  });
  if (keys.size > 0) scanner.refuse(`the key ${[...keys][0]} before`);
  const after = text.slice(scanner.at);
  if (/\r\f*[ \t]+$/.test(after) || scanner.skip() < text.length)
    scanner.refuse("only white space");
  return header;

  function tuple() {
    const begin = scanner.skip();
    /** @type {number[]} */
    const sizes = [];
    const comma = list("(", ")", () => {
      if (sizes.length === MAX_AXES) scanner.refuse(`at most ${MAX_AXES} axes`);
      sizes.push(scanner.integer());
      if (major < 3) scanner.skips("L");
    });
    // in Python (5) is a number, (5,) a tuple
    if (sizes.length === 1 && !comma) scanner.refuse("a tuple", begin);
    return sizes;
  }
}

/**
 * Reads a descr like "<f4", "f" or "float32". No order and "=" are that of the machine, which is little-endian in
 * WebAssembly; so is "|", as in NumPy.
 * @param {string} descr
 */
function readDescr(descr) {
  const code = descr.replace(/^[<>=|]/, "");
  const dtype = DTYPES.get(code) ?? LETTERS.get(code) ?? (CODES.has(descr) ? descr : undefined);
  if (dtype === undefined) {
    const known = [...DTYPES.keys()].join(", ");
    refuse(
      "DESCR",
      `descr must be '<', '>', '=' or '|' and one of ${known}; got ${describe(descr)}`,
    );
  }
  return { dtype, isBigEndian: descr[0] === ">" };
}

/** An integer type for elements of each size. @type {Record<number, any>} */
const ELEMENTS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array };

/**
 * Copies column-major numbers, the first axis fastest, to row-major order.
 *
 *   to[(i * J + j) * K + k] = from[i + I * (j + J * k)]
 *
 * @param {Uint8Array<ArrayBuffer>} bytes @param {readonly number[]} shape @param {number} size  of a number
 * @returns {Uint8Array<ArrayBuffer>}
 */
function rowMajor(bytes, shape, size) {
  const copy = allocate(Uint8Array, bytes.length, "a row-major copy");
  const from = new ELEMENTS[size](bytes.buffer);
  const to = new ELEMENTS[size](copy.buffer);
  /** @type {number[]} */
  const steps = [];
  shape.reduce((step, size) => (steps.push(step), step * size), 1);
  const index = shape.map(() => 0);
  for (let i = 0, at = 0; i < to.length; ++i) {
    to[i] = from[at];
    for (let axis = shape.length - 1; axis >= 0; --axis) {
      at += steps[axis];
      if (++index[axis] < shape[axis]) break;
      at -= steps[axis] * shape[axis]; // this axis is complete: restart it and advance the next
      index[axis] = 0;
    }
  }
  return copy;
}

/**
 * Writes a tensor as a file.
 * @param {unknown} tensor @param {string} name
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function written(tensor, name) {
  const { dtype, data, shape } = encode(tensor, name);
  const code = CODES.get(dtype);
  if (code === undefined) {
    throw new RangeError(`${name} must have a dtype of NumPy; got ${dtype}`);
  }
  const descr = `${sizeOf(dtype) === 1 ? "|" : "<"}${code}`;
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const dict = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sizes}), }`;
  const start = MAGIC.length + 4;
  const dataAt = Math.ceil((start + dict.length + 1) / ALIGNMENT) * ALIGNMENT;
  const file = allocate(Uint8Array, dataAt + data.byteLength, "the file");
  file.set([...MAGIC, 1, 0]);
  new DataView(file.buffer).setUint16(start - 2, dataAt - start, true);
  file.set(new TextEncoder().encode(dict.padEnd(dataAt - start - 1) + "\n"), start);
  place(file, dataAt, data);
  return file;
}

/**
 * @param {string} rule @param {string} message
 * @returns {never}
 */
function refuse(rule, message) {
  throw new FileError(`NPY_${rule}`, message);
}
