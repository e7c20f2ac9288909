/** @import { Core } from "./wasm.js" */
/** @import { Rows } from "./rows.js" */
import { kindOf, overlaps } from "./check.js";
import { checkStatus, OutOfMemoryError } from "./errors.js";
import { guard } from "./wasm.js";

/**
 * Results cross the border in tiles of about this size: small enough to stay in the cache, large
 * enough that the calls cost nothing. WASM memory stays small whatever the size of a result.
 */
const TILE_BYTES = 1 << 18;

/**
 * How many rows of a tensor make a tile.
 * @param {number} rowBytes @param {number} rows  all there are
 */
export function tileRows(rowBytes, rows) {
  return Math.max(1, Math.min(rows, Math.floor(TILE_BYTES / Math.max(rowBytes, 1))));
}

/**
 * Lend pieces of WASM memory to one call and take them back, whatever happens.
 * @template Result
 * @param {Core} core
 * @param {string} what  for the message when memory is short
 * @param {readonly number[]} sizes  bytes of each piece
 * @param {(...at: number[]) => Result} use  gets the address of each piece, 16-byte aligned
 * @returns {Result}
 * @throws {OutOfMemoryError}
 */
export function withMemory(core, what, sizes, use) {
  const padded = sizes.map((bytes) => Math.ceil(bytes / 16) * 16);
  const total = padded.reduce((sum, bytes) => sum + bytes, 16);
  return guard(core, () => {
    const base = allocate(core, what, total);
    try {
      let next = Math.ceil(base / 16) * 16;
      return use(
        ...padded.map((bytes) => {
          const at = next;
          next += bytes;
          return at;
        }),
      );
    } finally {
      core.raw._free(base);
    }
  });
}

/**
 * @param {Core} core @param {string} what @param {number} bytes
 * @returns {number} the address
 * @throws {OutOfMemoryError}
 */
export function allocate(core, what, bytes) {
  // Emscripten takes a request as signed: from 2 GiB on, its check for the end of memory is left out.
  const fits = bytes < 2 ** 31 || core.raw.HEAPU8.length + bytes + 2 ** 16 <= 2 ** 32;
  const at = fits ? core.raw._malloc(bytes) >>> 0 : 0;
  if (at === 0) throw new OutOfMemoryError(what, bytes);
  return at;
}

/**
 * An array of a kind that the core works on.
 * @typedef {Float32Array | Float64Array | Int32Array} Numbers
 */

/** The heap as numbers of the same kind. @param {Core} core @param {Numbers} numbers */
function heapOf({ raw }, numbers) {
  const heaps = { Float32Array: raw.HEAPF32, Float64Array: raw.HEAPF64, Int32Array: raw.HEAP32 };
  return heaps[/** @type {keyof typeof heaps} */ (kindOf(numbers))];
}

/** Copy numbers in. @param {Core} core @param {Numbers} numbers @param {number} at */
export function put(core, numbers, at) {
  heapOf(core, numbers).set(numbers, at / numbers.BYTES_PER_ELEMENT);
}

/**
 * Copy numbers out.
 * @param {Core} core @param {number} at @param {number} count
 * @param {Numbers} into @param {number} [offset]
 */
export function take(core, at, count, into, offset = 0) {
  const from = at / into.BYTES_PER_ELEMENT;
  into.set(heapOf(core, into).subarray(from, from + count), offset);
}

/** Copy floats within. @param {Core} core @param {number} from @param {number} count @param {number} to */
export function copyFloats({ raw }, from, count, to) {
  if (from !== to) raw.HEAPF32.copyWithin(to >>> 2, from >>> 2, (from >>> 2) + count);
}

/**
 * What a kernel over rows works with.
 * @typedef {object} Piece
 * @property {Numbers} data
 * @property {number} [row]  numbers that belong to each row; without it, the whole is copied in once
 * @property {"in" | "out" | "both"} [way]  default `in`
 */

/**
 * Run a kernel over rows, tile by tile: WASM memory stays small however many rows there are.
 * Inputs that overlap a result are copied first.
 *
 * @param {Core} core @param {string} where @param {number} rows
 * @param {readonly (Piece | Rows | number)[]} pieces  arrays, rows wherever they lie, or bytes of
 *   memory that the kernel works in
 * @param {(count: number, from: number, at: number[]) => number} kernel  does `count` rows from
 *   `from` on, with the addresses of the pieces in their order; returns a status
 */
export function overRows(core, where, rows, pieces, kernel) {
  const plain = pieces.map((piece) =>
    isRows(piece) && piece.data ? { data: piece.data, row: piece.D } : piece,
  );
  const results = plain.flatMap((piece) => (isResult(piece) ? [piece] : []));
  const given = plain.map((piece) =>
    !isPiece(piece) || isResult(piece) || !results.some((result) => clash(piece, result))
      ? piece
      : { ...piece, data: piece.data.slice() },
  );
  const bytes = (/** @type {Piece | Rows} */ piece) =>
    isRows(piece) ? tileBytes(piece, 1) : (piece.row ?? 0) * piece.data.BYTES_PER_ELEMENT;
  const rowBytes = given.reduce(
    (/** @type {number} */ sum, piece) => sum + (typeof piece === "number" ? 0 : bytes(piece)),
    0,
  );
  const step = tileRows(rowBytes, rows);
  const sizes = given.map((piece) =>
    typeof piece === "number"
      ? piece
      : isPiece(piece) && piece.row === undefined
        ? piece.data.byteLength
        : step * bytes(piece),
  );
  if (rows === 0) return;
  withMemory(core, where, sizes, (...at) => {
    for (let from = 0; from < rows; from += step) {
      const count = Math.min(step, rows - from);
      const places = given.map((piece, i) => {
        if (isRows(piece)) return piece.place(from, count, at[i]);
        if (typeof piece === "number" || piece.way === "out") return at[i];
        const { data, row } = piece;
        if (row !== undefined) put(core, data.subarray(from * row, (from + count) * row), at[i]);
        else if (from === 0) put(core, data, at[i]);
        return at[i];
      });
      checkStatus(kernel(count, from, places), where);
      given.forEach((piece, i) => {
        if (!isResult(piece)) return;
        const { data, row = 0 } = piece;
        take(core, at[i], count * row, data, from * row);
      });
    }
  });
}

/** Bytes of a tile of rows: none where they lie in the core's memory. @param {Rows} rows @param {number} count */
export function tileBytes({ resident, D }, count) {
  return resident ? 0 : count * D * 4;
}

/** @param {Piece | Rows | number} piece @returns {piece is Rows} */
function isRows(piece) {
  return typeof piece !== "number" && "place" in piece;
}

/** @param {Piece | Rows | number} piece @returns {piece is Piece} */
function isPiece(piece) {
  return typeof piece !== "number" && !isRows(piece);
}

/** @param {Piece | Rows | number} piece @returns {piece is Piece & {way: "out" | "both"}} */
function isResult(piece) {
  return isPiece(piece) && (piece.way === "out" || piece.way === "both");
}

/** Whether writing a result would change an input that is still to be read. @param {Piece} input @param {Piece} result */
function clash(input, result) {
  return (
    overlaps(input.data, result.data) ||
    (input.row !== result.row && input.data.length > 0 && same(input.data, result.data))
  );
}

/** @param {Numbers} a @param {Numbers} b */
function same(a, b) {
  return a.buffer === b.buffer && a.byteOffset === b.byteOffset;
}
