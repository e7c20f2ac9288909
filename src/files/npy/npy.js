import { describe, oneOf, options as readOptions } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { Tensor } from "../../runtime/tensor.js";
import { allocate, bytesOf } from "../bytes.js";
import { AS, MOST_AXES, bitsOf, decode, encode, place, sizeOf } from "../numbers.js";
import { READING, readRange, readReading } from "../reading.js";
import { Scanner } from "../scanner.js";

/**
 * @import {TensorData, TensorInput} from "../../runtime/tensor.js"
 * @import {Bytes, Reading, Source} from "../bytes.js"
 * @import {As, Kind} from "../numbers.js"
 */

/**
 * @typedef {object} NpyOptions
 * @property {As} [as]  "numbers" (default), or "stored": f2 as its 16 bits, dtype "float16"
 * @property {AbortSignal} [signal]  stops the reading
 * @property {(done: number, total: number) => void} [progress]  is told the bytes that have come, and
 *   how many there will be
 */

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]; // 0x93 and NUMPY
const MOST_HEADER_BYTES = 65_536; // NumPy itself needs some hundred
const ALIGNMENT = 64; // data begins at a multiple, as NumPy writes it since 1.14

/** NumPy's types, without the byte order: how they are read. @type {ReadonlyMap<string, Kind>} */
const KINDS = new Map([
  ["f2", "f16"],
  ["f4", "f32"],
  ["f8", "f64"],
  ["i1", "i8"],
  ["i2", "i16"],
  ["i4", "i32"],
  ["i8", "i64"],
  ["u1", "u8"],
  ["u2", "u16"],
  ["b1", "u8"],
]);

/** How they are written; NumPy has no bfloat16. @type {ReadonlyMap<string, string>} */
const DESCRS = new Map([
  ["f16", "<f2"],
  ["f32", "<f4"],
  ["f64", "<f8"],
  ["i8", "|i1"],
  ["i32", "<i4"],
  ["i64", "<i8"],
  ["u8", "|u1"],
  ["bool", "|b1"],
]);

/**
 * NumPy's .npy: one array in one file, what `numpy.save` writes and `numpy.load` reads.
 *
 *   6 bytes   0x93 and NUMPY
 *   2 bytes   version: 1 0, 2 0 or 3 0
 *   2 bytes   H, little-endian; 4 bytes from version 2 on
 *   H bytes   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, spaces, a newline
 *   the rest  the numbers
 */
export const npy = {
  /**
   * Read a file. Its header is taken as text of the one form above, never run as Python.
   *
   * Shapes    as in the file, always row-major; fortran_order is turned round
   * Returns   f4 float32, f8 float64, i8 int64, i4 int32, i1 int8, u1 and b1 uint8; f2 float32, i2
   *           and u2 int32
   * Accuracy  exact
   *
   * @param {Source} source  a Blob, a File, an ArrayBuffer, a typed array, or anything with `size`
   *   and `slice(begin, end)` whose result has `arrayBuffer()`
   * @param {NpyOptions} [options]
   * @returns {Promise<Tensor<any>>} newly made and the caller's own
   * @throws {TypeError}  if source is none of these, or an option is of the wrong kind
   * @throws {RangeError} if `as` is another word
   * @throws {FileError}  if the file breaks a rule of the format; `code` says which: NPY_MAGIC,
   *   _VERSION, _HEADER_LENGTH, _HEADER (its form), _DESCR (a type that is not read), _LENGTH (of
   *   the data); or FILE_READ: the source did not give its bytes
   * @see https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
   * @example
   * const x = await npy.read(npy.write([[1, 2, 3], [4, 5, 6]]));
   * x.at(1, 2) // 6
   */
  async read(source, options) {
    /** @type {NpyOptions} */
    const defaults = { as: AS[0], ...READING };
    const wishes = readOptions(options, defaults, "npy.read");
    const as = oneOf(wishes.as, "as", AS);
    const reading = readReading(wishes);
    const bytes = bytesOf(source);
    const { kind, order, isFortran, shape, dataAt } = await readHeader(bytes, reading);
    const stored = await readRange(bytes, dataAt, bytes.size, reading);
    const { data, dtype } = decode(stored, kind, as, order);
    return new Tensor(isFortran ? rowMajor(data, shape) : data, shape, dtype);
  },

  /**
   * Write an array as a file of version 1.0, row-major and little-endian.
   *
   * @param {TensorInput} tensor  float32, float64, int32, int64, int8, uint8, float16 and bool (of
   *   other libraries, a Uint8Array) keep their dtype; other arrays and nested ones are written as
   *   float32
   * @returns {Uint8Array<ArrayBuffer>} the file, newly made and the caller's own
   * @throws {TypeError}  if tensor is no tensor, or holds something else than numbers
   * @throws {RangeError} if it is ragged, has more than 64 axes, or is bfloat16, which .npy lacks
   * @see https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
   * @example
   * npy.write(new Float32Array(16)).length // 192
   */
  write(tensor) {
    return written(tensor, "tensor");
  },
};

/**
 * What the header says, and where it ends; the numbers after it are as many as it needs.
 * @param {Omit<Bytes, "each">} bytes @param {Reading} reading
 */
export async function readHeader(bytes, reading) {
  const { text, dataAt } = await readText(bytes, reading);
  const { descr, isFortran, shape } = parseHeader(text);
  const { kind, order } = readDescr(descr);
  const present = bytes.size - dataAt;
  if (bitsOf(shape, 8 * sizeOf(kind)) !== 8n * BigInt(present)) {
    const claim = `${descr} (${shape.join(", ")})`;
    refuse("LENGTH", `shape must fill the ${present} bytes after the header; got ${claim}`);
  }
  return { descr, kind, order, isFortran, shape, dataAt };
}

/**
 * The header as text. Its length is checked before a byte of it is read.
 * @param {Omit<Bytes, "each">} bytes @param {Reading} reading
 */
async function readText({ size, read }, { signal }) {
  signal?.throwIfAborted();
  const start = await read(0, Math.min(size, MAGIC.length + 6), { signal });
  if (size < MAGIC.length + 2 || MAGIC.some((byte, i) => start[i] !== byte)) {
    const got = describe(new TextDecoder().decode(start.subarray(0, MAGIC.length)));
    refuse("MAGIC", `file must begin with 0x93, NUMPY and a version; got ${got}`);
  }
  const [major, minor] = start.subarray(MAGIC.length);
  if (!(major >= 1 && major <= 3) || minor !== 0) {
    refuse("VERSION", `version must be 1.0, 2.0 or 3.0; got ${major}.${minor}`);
  }
  const lengthAt = MAGIC.length + 2;
  const textAt = lengthAt + (major === 1 ? 2 : 4);
  if (size < textAt) {
    refuse("HEADER_LENGTH", `file must hold its header's length; got ${size} bytes`);
  }
  const view = new DataView(start.buffer);
  const length = major === 1 ? view.getUint16(lengthAt, true) : view.getUint32(lengthAt, true);
  const most = Math.min(size - textAt, MOST_HEADER_BYTES);
  if (length > most) {
    refuse("HEADER_LENGTH", `header length must be at most ${most} in this file; got ${length}`);
  }
  const dataAt = textAt + length;
  const text = new TextDecoder().decode(await read(textAt, dataAt, { signal })); // only ASCII will be accepted
  return { text, dataAt };
}

/**
 * A Python dict of exactly three keys, in any order.
 * @param {string} text
 */
function parseHeader(text) {
  const scanner = new Scanner(text, "NPY", " ");

  /** @param {RegExp} pattern  sticky @param {string} rule */
  const word = (pattern, rule) => {
    pattern.lastIndex = scanner.skip();
    const [whole, ...parts] = pattern.exec(text) ?? scanner.refuse(rule);
    scanner.at += whole.length;
    return parts[0];
  };
  const string = () => word(/'([^'"\\]*)'/y, "a string in single quotes");

  /** @param {string} open @param {string} close @param {() => void} item  reads one */
  const list = (open, close, item) => {
    let comma = true;
    for (scanner.need(open); !scanner.skips(close); comma = scanner.skips(",")) {
      if (!comma) scanner.refuse(`',' or '${close}'`);
      item();
    }
    return comma;
  };

  const header = { descr: "", isFortran: false, shape: /** @type {number[]} */ ([]) };
  const keys = new Set(["descr", "fortran_order", "shape"]);
  list("{", "}", () => {
    const begin = scanner.skip();
    const key = string();
    if (!keys.delete(key)) scanner.refuse("descr, fortran_order and shape once each", begin);
    scanner.need(":");
    if (key === "descr") header.descr = string();
    else if (key === "shape") header.shape = tuple();
    else header.isFortran = word(/(True|False)/y, "True or False") === "True";
  });
  if (keys.size > 0) scanner.refuse(`the key ${[...keys][0]} before`);
  word(/ *\n$/y, "spaces and a newline");
  return header;

  function tuple() {
    const begin = scanner.skip();
    /** @type {number[]} */
    const sizes = [];
    const comma = list("(", ")", () => {
      if (sizes.length === MOST_AXES) scanner.refuse(`at most ${MOST_AXES} axes`);
      sizes.push(scanner.integer());
    });
    // in Python (5) is a number, (5,) a tuple
    if (sizes.length === 1 && !comma) scanner.refuse("a tuple", begin);
    return sizes;
  }
}

/**
 * What a descr like "<f4" means. "=" is the byte order of the machine, and WebAssembly's is little.
 * @param {string} descr
 */
function readDescr(descr) {
  const kind = KINDS.get(descr.slice(1));
  const orders = kind !== undefined && sizeOf(kind) === 1 ? "<>=|" : "<>=";
  if (kind === undefined || !orders.includes(descr[0])) {
    const known = [...KINDS.keys()].join(", ");
    refuse(
      "DESCR",
      `descr must be '<', '>' or '=' ('|' for one byte) and ${known}; got ${describe(descr)}`,
    );
  }
  return { kind, order: /** @type {"little" | "big"} */ (descr[0] === ">" ? "big" : "little") };
}

/**
 * Column-major numbers, the first axis fastest, put in row-major order.
 *
 *   to[(i * J + j) * K + k] = from[i + I * (j + J * k)]
 *
 * @template {TensorData} T
 * @param {T} from @param {readonly number[]} shape
 * @returns {T}
 */
function rowMajor(from, shape) {
  const Kind = /** @type {any} */ (from.constructor);
  const to = /** @type {T} */ (allocate(Kind, from.length, "a row-major copy"));
  /** @type {number[]} */
  const steps = [];
  shape.reduce((step, size) => (steps.push(step), step * size), 1);
  const index = shape.map(() => 0);
  for (let i = 0, at = 0; i < to.length; ++i) {
    to[i] = from[at];
    for (let axis = shape.length - 1; axis >= 0; --axis) {
      at += steps[axis];
      if (++index[axis] < shape[axis]) break;
      at -= steps[axis] * shape[axis]; // this axis is through: back to 0, and on along the next
      index[axis] = 0;
    }
  }
  return to;
}

/**
 * A tensor as a file.
 * @param {unknown} tensor @param {string} name
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function written(tensor, name) {
  const { kind, data, shape } = encode(tensor, name);
  const descr = DESCRS.get(kind);
  if (descr === undefined) {
    throw new RangeError(`${name} must be of a type that NumPy has; got bfloat16`);
  }
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
