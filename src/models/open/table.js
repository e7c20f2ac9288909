/**
 * A table of an open model. It stays in its file, local or remote; its rows are read on request.
 */
import * as arrays from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { nameMethods } from "../../runtime/named.js";
import { readIds } from "../../runtime/ids.js";
import { Tensor } from "../../runtime/tensor.js";

/**
 * @import {Phasor, QuantizedTable} from "../../index.js"
 * @import {TensorInput} from "../../runtime/tensor.js"
 * @import {Stored, StoredOptions, TensorInfo} from "../../files/tensors.js"
 * @import {Weights} from "./weights.js"
 */

/** @typedef {Pick<StoredOptions, "signal" | "progress">} Reading */

/** The dtypes of tables in memory. */
const DTYPES = /** @type {const} */ (["float32", "float16", "bfloat16", "int8"]);

/** Those that keep the stored numbers without loss. */
const KEPT = DTYPES.slice(0, 3);

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
  constructor(phasor, weights, { name, dtype, shape, byteLength }) {
    nameMethods(ModelTable);
    this.#phasor = phasor;
    this.#weights = weights;
    this.#axes = shape.length;
    const [length, dim] = shape.slice(-2);
    /** The tensor's name in the file. @readonly */
    this.name = name;
    /** [V, D]. @readonly @type {readonly [number, number]} */
    this.shape = Object.freeze([length, dim]);
    /** The number format in the file: "float32", "bfloat16", "Q8_0", "MLX affine 4-bit", "scaled int8". @readonly */
    this.dtype = dtype;
    /** The size of the table in the file. @readonly */
    this.byteLength = byteLength;
    Object.freeze(this);
  }

  /**
   * Reads some rows: a lookup without loading the table. Rows that are close together are read in one request.
   * Of quantized tables, the scales of these rows are read, too.
   *
   * Shapes    ids [...] -> [..., D]
   * Accuracy  exact; float64, wide integers and products with scales are rounded once
   *
   * @param {TensorInput} ids  integers from 0 to V - 1, in any order, repetitions allowed
   * @param {Reading} [options]
   * @returns {Promise<Tensor>} float32 [..., D]
   * @throws {TypeError | RangeError} if an id is out of range, or an option is invalid
   * @throws {FileError | RemoteError} if the file cannot be read; OPEN_QUANTIZED: its numbers mean nothing without
   *   another tensor, by a rule that is not known here; GGUF_DTYPE_UNSUPPORTED, SAFETENSORS_DTYPE_UNSUPPORTED: no
   *   function here decodes its dtype
   */
  async rows(ids, options) {
    const reading = check.options(options, READING);
    const [V, D] = this.shape;
    const rows = readIds(ids, V);
    const isPlain = this.#axes === 2;
    const wanted = isPlain ? { ...reading, rows } : reading;
    const found = this.#phasor.dtypes.decode(await this.#weights.stored(this.name, wanted));
    if (isPlain) return found;
    // In the file, [1, L, D] is a single row; such tables are small.
    const data = arrays.float32s(rows.data.length * D, "the rows");
    rows.data.forEach((id, i) => data.set(found.data.subarray(id * D, (id + 1) * D), i * D));
    return new Tensor(data, [...rows.shape, D]);
  }

  /**
   * Loads all rows into WASM memory as they are read, for searches, statistics and principal components.
   *
   * @param {Reading & {dtype?: typeof DTYPES[number]}} [options]  `dtype`: the dtype in memory.
   *   Default: that of the file for float32, float16 and bfloat16, and float32 for all others. int8 takes a
   *   quarter of float32, and has a scale for each row
   * @returns {Promise<QuantizedTable>} in WASM memory until `dispose()`
   * @throws {TypeError | RangeError} if an option is invalid
   * @throws {OutOfMemoryError} if the table does not fit
   * @throws {FileError | RemoteError} if the file cannot be read
   */
  async load(options) {
    const stored = KEPT.find((dtype) => dtype === this.dtype) ?? "float32";
    const defaults = { ...READING, dtype: /** @type {typeof DTYPES[number]} */ (stored) };
    const { dtype, signal, progress } = check.options(options, defaults);
    const kept = check.oneOf(dtype, "dtype", DTYPES);
    const [V, D] = this.shape;
    const table = this.#phasor.embedding.zeros(V, D, { dtype: kept });
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
