/**
 * A table of an open model: it stays in its file, perhaps far away, until its rows are asked for.
 */
import * as check from "../../runtime/check.js";
import { readIds } from "../../runtime/ids.js";
import { Tensor } from "../../runtime/tensor.js";

/**
 * @import {Phasor, PackedTable} from "../../index.js"
 * @import {TensorInput} from "../../runtime/tensor.js"
 * @import {Stored, StoredOptions, TensorInfo} from "../../files/tensors.js"
 * @import {Weights} from "./weights.js"
 */

/** @typedef {Pick<StoredOptions, "signal" | "progress">} Reading */

/** How tables are kept in memory. */
const DTYPES = /** @type {const} */ (["float32", "float16", "bfloat16", "int8"]);

/** What keeps what a file has, without loss. @type {Record<string, typeof DTYPES[number]>} */
const SAME = { F32: "float32", F16: "float16", BF16: "bfloat16" };

/** @type {Reading} */
const READING = Object.freeze({ signal: undefined, progress: undefined });

/**
 * A table of an open model, [V, D].
 */
export class ModelTable {
  static name = "ModelTable";

  #phasor;
  #weights;
  #axes;

  /** @param {Phasor} phasor @param {Weights} weights @param {TensorInfo} info */
  constructor(phasor, weights, { name, dtype, shape, bytes }) {
    this.#phasor = phasor;
    this.#weights = weights;
    this.#axes = shape.length;
    const [length, dim] = shape.slice(-2);
    /** Of the tensor, in the file. @readonly */
    this.name = name;
    /** [V, D]. @readonly @type {readonly [number, number]} */
    this.shape = Object.freeze([length, dim]);
    /** What its numbers are, as the file says it: "F32", "BF16", "Q8_0". @readonly */
    this.dtype = dtype;
    /** How many it takes in the file. @readonly */
    this.bytes = bytes;
    Object.freeze(this);
  }

  /**
   * Read some rows: a lookup without the table. Near ones come with one request.
   *
   * Shapes    ids [...] -> [..., D]
   * Accuracy  what the file has, exactly; F64 and wide integers rounded once
   *
   * @param {TensorInput} ids  whole numbers from 0 to V - 1, in any order, also repeated
   * @param {Reading} [options]
   * @returns {Promise<Tensor>} float32, the caller's own
   * @throws {TypeError | RangeError} if an id is not among the rows, or an option is wrong
   * @throws {FileError | RemoteError} if the file does not give its bytes
   */
  async rows(ids, options) {
    const reading = check.options(options, READING, "rows");
    const [V, D] = this.shape;
    const rows = readIds(ids, V);
    const isPlain = this.#axes === 2;
    const wanted = isPlain ? { ...reading, rows } : reading;
    const found = this.#phasor.dtypes.decode(await this.#weights.stored(this.name, wanted));
    if (isPlain) return found;
    // [1, L, D] is one row to a file; such tables are small.
    const data = check.float32s(rows.data.length * D, "the rows");
    rows.data.forEach((id, i) => data.set(found.data.subarray(id * D, (id + 1) * D), i * D));
    return new Tensor(data, [...rows.shape, D]);
  }

  /**
   * Read all rows into WASM memory, as they come: for searches, statistics and components.
   *
   * @param {Reading & {dtype?: typeof DTYPES[number]}} [options]  `dtype`: how they are kept; default
   *   as the file has them (F32, F16, BF16), and float32 for all others. int8 takes a quarter of
   *   float32, with a scale for each row
   * @returns {Promise<PackedTable>} in WASM memory until `dispose()`
   * @throws {TypeError | RangeError} if an option is wrong
   * @throws {OutOfMemoryError} if the table does not fit
   * @throws {FileError | RemoteError} if the file does not give its bytes
   */
  async load(options) {
    const defaults = { ...READING, dtype: SAME[this.dtype] ?? "float32" };
    const { dtype, signal, progress } = check.options(options, defaults, "load");
    const kept = check.oneOf(dtype, "dtype", DTYPES);
    const [V, D] = this.shape;
    const table = this.#phasor.embedding.quantize(V, D, { dtype: kept });
    try {
      const keep = (/** @type {Stored} */ rows, /** @type {number} */ first) =>
        table.write(first, rows);
      await this.#weights.stream(this.name, keep, { signal, progress });
    } catch (error) {
      table.dispose();
      throw error;
    }
    return table;
  }
}
