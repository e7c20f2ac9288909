/** @import { Core, Raw } from "../../runtime/wasm.js" */
/** @import { Rows } from "../../runtime/rows.js" */
/** @import { Tensor, TensorInput } from "../../runtime/tensor.js" */
/** @import { EmbeddingTable } from "./embedding.js" */
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import { allocate, withMemory, overRows } from "../../runtime/memory.js";
import { readVectors } from "../../runtime/rows.js";
import { guard } from "../../runtime/wasm.js";
import { decodeTiles, readStored } from "../dtypes/dtypes.js";

/** phasor::packed::Dtype, in its order: bytes of a weight, and the format of files that is the same. */
const DTYPES = Object.freeze({
  float32: { width: 4, stored: "float32" },
  float16: { width: 2, stored: "float16" },
  bfloat16: { width: 2, stored: "bfloat16" },
  int8: { width: 1, stored: "" },
});

/** phasor::Status::kBadParam */
const NOT_FINITE = 2;

/** @typedef {keyof typeof DTYPES} PackedDType */

/**
 * @typedef {object} PackedOptions
 * @property {PackedDType} [dtype]  what weights are kept in: `float32` (default), `float16`, `bfloat16`
 *   (rounded to the nearest, ties to even), or `int8` (each row a float32 scale, max|w| / 127, times
 *   whole numbers from -127 to 127, rounded in the same way)
 * @property {TensorInput | StoredRows} [weights]  [V, D], written at once; without them all are 0
 */

/**
 * Rows as a file keeps them: `{bytes, dtype, shape}` as `dtypes.decode` takes them, shape [..., D].
 * @typedef {{bytes: ArrayBufferView | ArrayBuffer, dtype: string, shape: ArrayLike<number>}} StoredRows
 */

/**
 * A table of V rows of D weights, kept in few bits. `nearest`, `similarity`, `statistics` and `pca`
 * take it as they take vectors, and so does whatever takes a table to look up.
 * @typedef {object} PackedTable
 * @property {number} vocabulary  V
 * @property {number} dim  D
 * @property {PackedDType} dtype  what weights are kept in
 * @property {() => number} bytes  of memory that it takes: the weights, and 20 for each row
 * @property {(first: number, rows: TensorInput | StoredRows) => void} write  rows [N, D] from row
 *   `first` on, rounded to the dtype; those of a file tile by tile, and in the table's own format bit
 *   by bit. `RangeError` for int8 and a number that is not finite: rows before its own are written
 * @property {EmbeddingTable["lookup"]} lookup  as that of `embedding.create`: float32 [...ids.shape, D]
 * @property {(options?: {out?: Float32Array | Tensor}) => Tensor} weights  a copy: float32 [V, D]
 * @property {() => void} dispose  give the memory back; twice does nothing
 */

/** @param {unknown} dtype */
export function readDtype(dtype) {
  return check.oneOf(dtype, "dtype", /** @type {PackedDType[]} */ (Object.keys(DTYPES)));
}

/**
 * Weights in WASM memory, all 0, with what is known of each row.
 * @param {Core} core @param {number} V @param {number} D @param {PackedDType} dtype
 */
export function packedRows(core, V, D, dtype) {
  const raw =
    /**
     * @type {Raw & {
     *   packed_pack(x: number, dtype: number, codes: number, scales: number, N: number, D: number,
     *     lengths: number, directions: number, squares: number, workspace: number): number,
     *   packed_unpack(dtype: number, codes: number, scales: number, N: number, D: number,
     *     out: number): number,
     *   packed_gather(dtype: number, codes: number, scales: number, N: number, D: number, ids: number,
     *     T: number, out: number): number,
     * }}
     */ (core.raw);
  const kind = Object.keys(DTYPES).indexOf(dtype);
  const { width, stored: same } = DTYPES[dtype];
  const bytes = V * (20 + D * width);
  const at = guard(core, () => allocate(core, `a ${dtype} table of ${V} x ${D}`, bytes));
  raw.HEAPU8.fill(0, at, at + bytes);
  const [squaresAt, lengthsAt, directionsAt, scalesAt, codesAt] = [0, 8, 12, 16, 20].map(
    (each) => at + V * each,
  );
  const codesOf = (/** @type {number} */ row) => codesAt + row * D * width;

  /** Keep rows from `to` on. @param {number} x  their address @param {number} to @param {number} N @param {number} workAt */
  const pack = (x, to, N, workAt) => {
    const [scales, lengths, directions] = [scalesAt, lengthsAt, directionsAt].map(
      (each) => each + to * 4,
    );
    const squares = squaresAt + to * 8;
    const status = raw.packed_pack(
      ...[x, kind, codesOf(to), scales, N, D, lengths, directions, squares, workAt],
    );
    if (status !== NOT_FINITE) return status;
    const numbers = raw.HEAPF32.subarray(x >>> 2, (x >>> 2) + N * D);
    const bad = numbers.findIndex((each) => !Number.isFinite(each));
    const row = to + Math.floor(bad / D);
    throw new RangeError(
      `rows must hold finite numbers for int8; got ${numbers[bad]} for row ${row}`,
    );
  };

  return {
    at,
    bytes,

    /**
     * @param {number} first @param {unknown} rows @param {string} name
     * @param {() => void} live  throws once the table is gone
     */
    write(first, rows, name, live) {
      const isStored = typeof rows === "object" && rows !== null && "bytes" in rows;
      const stored = isStored ? readStored(rows, name) : undefined;
      const given = stored ?? readVectors(rows, name, "[..., D]");
      const { shape } = given;
      const N = check.count(shape) / D;
      if (shape.at(-1) !== D) {
        throw new RangeError(`${name} must have shape [..., ${D}]; got [${shape.join(", ")}]`);
      }
      if (first + N > V) {
        throw new RangeError(
          `${name} must end within the table, ${V} rows; got ${N} from row ${first} on`,
        );
      }
      live();
      if ("data" in given) {
        const pieces = [{ data: given.data, row: D }, D * 4];
        overRows(core, "write", N, pieces, (count, from, [x, workAt]) =>
          pack(x, first + from, count, workAt),
        );
        return;
      }
      withMemory(core, "write", [D * 4], (workAt) => {
        decodeTiles(core, "write", { ...given, unit: D }, (x, from, count, own) => {
          const to = first + from / D;
          checkStatus(pack(x, to, count / D, workAt), "write");
          if (given.dtype === same) raw.HEAPU8.set(own, codesOf(to));
        });
      });
    },

    /** Rows of ids at an address. @param {number} ids @param {number} T @param {number} to */
    draw(ids, T, to) {
      checkStatus(raw.packed_gather(kind, codesAt, scalesAt, V, D, ids, T, to), "lookup");
    },

    /** For other rooms. @param {() => void} live @returns {Rows} */
    rows(live) {
      const exact = dtype === "float32";
      return {
        ...{ N: V, D, shape: [V, D], resident: exact, squaresAt },
        ...(exact ? {} : { errorsAt: { lengths: lengthsAt, directions: directionsAt } }),
        place(first, count, tileAt) {
          live();
          if (exact) return codesOf(first);
          const scales = scalesAt + first * 4;
          checkStatus(raw.packed_unpack(kind, codesOf(first), scales, count, D, tileAt), "rows");
          return tileAt;
        },
      };
    },
  };
}
