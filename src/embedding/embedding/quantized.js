/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
/** @import { EmbeddingTable } from "./embedding.js" */
import * as arrays from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { checkStatus, wrongShape } from "../../runtime/errors.js";
import { beginLife, disposable } from "../../runtime/lifetime.js";
import { allocate, freeing, withMemory, overRows } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { computedRows, readTable, registerTable, residentRows } from "../../runtime/table.js";
import { guard } from "../../runtime/wasm.js";
import { decodeTiles, readStored } from "../dtypes/dtypes.js";
import { readingMethods } from "./lookup.js";

/** phasor::packed::Dtype, in its order: bytes of a weight, and the format of files that is the same. */
const DTYPES = Object.freeze({
  float32: { width: 4, stored: "float32" },
  float16: { width: 2, stored: "float16" },
  bfloat16: { width: 2, stored: "bfloat16" },
  int8: { width: 1, stored: "" },
});

/** phasor::Status::kBadParam */
const NOT_FINITE = 2;

/** @typedef {keyof typeof DTYPES} QuantizedDType */

export const DTYPE = () => ({
  /**
   * The number format of the weights. `float16` and `bfloat16` round to the nearest, ties to even. `int8`
   * stores a float32 scale for each row, max|w| / 127, and integers from -127 to 127, rounded likewise.
   */
  dtype: option.choice(/** @type {QuantizedDType[]} */ (Object.keys(DTYPES))),
});

/**
 * Rows as a file stores them: `{bytes, dtype, shape}` as `dtypes.decode` takes them, shape [..., D].
 * @typedef {{bytes: ArrayBufferView | ArrayBuffer, dtype: string, shape: ArrayLike<number>}} StoredRows
 */

/**
 * A table of V rows of D weights in a small number format. Every function that takes a table takes it.
 * @typedef {object} QuantizedTable
 * @property {number} vocabulary  V
 * @property {number} dim  D
 * @property {number} parameterCount  V * D
 * @property {number} byteLength  bytes of memory: the weights, and 20 for each row
 * @property {QuantizedDType} dtype  the number format of the weights
 * @property {(first: number, rows: TableInput | StoredRows) => void} write  rounds rows [N, D] to the dtype
 *   and writes them from row `first` on; rows of a file are read tile by tile, and rows in the format of the table are
 *   copied bit by bit. Throws `RangeError` for int8 and a number that is not finite, after the rows before it were written
 * @property {EmbeddingTable["lookup"]} lookup  as in `embedding.create`: float32 [...ids.shape, D]
 * @property {EmbeddingTable["weights"]} weights  returns a copy: float32 [V, D]
 * @property {() => void} dispose  frees the memory; further calls have no effect
 */

/**
 * Reads V and D of weights.
 * @param {Core} core @param {unknown} weights
 * @returns {[V: number, D: number]}
 */
export function shapeOf(core, weights) {
  const shape = isStored(weights)
    ? readStored(weights, "weights").shape
    : readTable(core, weights, "weights").shape;
  const D = shape.at(-1) ?? 0;
  const V = arrays.count(shape) / D;
  if (V >= 1) return [V, D];
  throw wrongShape("weights", "[V, D]", shape);
}

/** @param {unknown} value @returns {value is StoredRows} */
function isStored(value) {
  return check.isObject(value) && "bytes" in value;
}

/**
 * Creates a table of zeros.
 * @param {Core} core @param {number} V @param {number} D @param {QuantizedDType} dtype
 * @returns {QuantizedTable}
 */
export function quantizedTable(core, V, D, dtype) {
  const kept = allocateWeights(core, V, D, dtype);
  const { live, dispose } = beginLife("the embedding table", freeing(core, kept.at));
  const rows = kept.rows(live);
  /** @type {QuantizedTable} */
  const table = {
    ...readingMethods(core, rows),
    dtype,
    byteLength: kept.byteLength,
    write(first, given) {
      live();
      kept.write(check.integer(first, "first", 0, V), given, live);
    },
    dispose,
  };
  registerTable(table, core, rows);
  return disposable("QuantizedTable", table);
}

/**
 * Allocates weights in WASM memory, all 0, with the error bounds of each row.
 * @param {Core} core @param {number} V @param {number} D @param {QuantizedDType} dtype
 */
function allocateWeights(core, V, D, dtype) {
  const { raw } = core;
  const kind = Object.keys(DTYPES).indexOf(dtype);
  const { width, stored: same } = DTYPES[dtype];
  const byteLength = V * (20 + D * width);
  const at = guard(core, () => allocate(core, `a ${dtype} table of ${V} x ${D}`, byteLength));
  raw.HEAPU8.fill(0, at, at + byteLength);
  const [squaresAt, lengthsAt, directionsAt, scalesAt, codesAt] = [0, 8, 12, 16, 20].map(
    (each) => at + V * each,
  );
  const codesOf = (/** @type {number} */ row) => codesAt + row * D * width;

  /** Quantizes rows and writes them from row `to` on. @param {number} x  their address @param {number} to @param {number} N @param {number} workspace */
  const pack = (x, to, N, workspace) => {
    const [scales, lengths, directions] = [scalesAt, lengthsAt, directionsAt].map(
      (each) => each + to * 4,
    );
    const squares = squaresAt + to * 8;
    const places = { x, codes: codesOf(to), scales, lengths, directions, squares, workspace };
    const status = raw.packed_pack({ ...places, N, D, dtype: kind });
    if (status !== NOT_FINITE) return status;
    const numbers = raw.HEAPF32.subarray(x >>> 2, (x >>> 2) + N * D);
    const bad = numbers.findIndex((each) => !Number.isFinite(each));
    const row = to + Math.floor(bad / D);
    throw new RangeError(
      `rows must contain finite numbers for int8; got ${numbers[bad]} for row ${row}`,
    );
  };

  return {
    at,
    byteLength,

    /**
     * @param {number} first @param {unknown} rows
     * @param {() => void} live  throws once the table is disposed
     */
    write(first, rows, live) {
      const stored = isStored(rows) ? readStored(rows, "rows") : undefined;
      const given = stored ?? readTable(core, rows, "rows", "[..., D]");
      const { shape } = given;
      const N = arrays.count(shape) / D;
      if (shape.at(-1) !== D) {
        throw wrongShape("rows", `[..., ${D}]`, shape);
      }
      if (first + N > V) {
        throw new RangeError(
          `rows must end within the table, ${V} rows; got ${N} from row ${first} on`,
        );
      }
      live();
      if ("place" in given) {
        overRows(core, N, [given, D * 4], (count, from, [x, workAt]) =>
          pack(x, first + from, count, workAt),
        );
        return;
      }
      withMemory(core, [D * 4], (workAt) => {
        decodeTiles(core, { ...given, unit: D }, (x, from, count, own) => {
          const to = first + from / D;
          checkStatus(pack(x, to, count / D, workAt));
          if (given.dtype === same) raw.HEAPU8.set(own, codesOf(to));
        });
      });
    },

    /** @param {() => void} live @returns {Rows} */
    rows(live) {
      if (dtype === "float32") return { ...residentRows(V, D, codesAt, live), squaresAt };
      const rows = computedRows(V, D, {
        live,
        place(first, count, tileAt) {
          const scales = scalesAt + first * 4;
          checkStatus(raw.packed_unpack(kind, codesOf(first), scales, count, D, tileAt));
          return tileAt;
        },
        gather: (idsAt, count, to) =>
          checkStatus(raw.packed_gather(kind, codesAt, scalesAt, V, D, idsAt, count, to)),
      });
      const errorsAt = { lengths: lengthsAt, directions: directionsAt };
      return { ...rows, squaresAt, codes: { at: codesAt, scalesAt, dtype: kind }, errorsAt };
    },
  };
}
