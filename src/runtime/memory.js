/** @import { Block, Core } from "./wasm.js" */
/** @import { Rows } from "./table.js" */
import { haveOneBuffer, kindOf, overlaps, startTogether } from "./arrays.js";
import { checkStatus, OutOfMemoryError } from "./errors.js";
import { guard, wholeLines } from "./wasm.js";

/** The size of a tile (src/README.md, Tiles). */
const TILE_BYTES = 1 << 18;

/**
 * The number of rows in a tile.
 * @param {number} rowBytes @param {number} rows  of the whole tensor
 */
export function tileRows(rowBytes, rows) {
  return Math.max(1, Math.min(rows, Math.floor(TILE_BYTES / Math.max(rowBytes, 1))));
}

/** A block of at most this size is kept for the next call. */
export const KEPT_BYTES = 1 << 20;

/**
 * Memory for one call: each address is 16-byte aligned, and is used by nobody else until the call returns or throws.
 * @template Result
 * @param {Core} core
 * @param {readonly number[]} sizes  in bytes
 * @param {(...at: number[]) => Result} use  gets an address for each size
 * @returns {Result}
 * @throws {OutOfMemoryError}
 */
export function withMemory(core, sizes, use) {
  return withAddresses(core, sizes, (at) => use(...at));
}

/**
 * As `withMemory`; the addresses come as a list, which the function may keep and change.
 * @template Result
 * @param {Core} core @param {readonly number[]} sizes
 * @param {(at: number[]) => Result} use
 * @returns {Result}
 */
export function withAddresses(core, sizes, use) {
  return guard(core, () => {
    const block = takeBlock(core, sizes);
    try {
      return use(addresses(block, sizes));
    } finally {
      keepBlock(core, block);
    }
  });
}

/**
 * As `withMemory`, for a generator: the memory is its own until it ends, whatever is called in between. Code that runs
 * it does so within `guard`.
 * @template Asked, Result
 * @param {Core} core @param {readonly number[]} sizes
 * @param {(...at: number[]) => Generator<Asked, Result, any>} use
 * @returns {Generator<Asked, Result, any>}
 */
export function* withHeldMemory(core, sizes, use) {
  const block = takeBlock(core, sizes);
  try {
    return yield* use(...addresses(block, sizes));
  } finally {
    keepBlock(core, block);
  }
}

/** An address in a block for each size. @param {Block} block @param {readonly number[]} sizes */
function addresses(block, sizes) {
  const at = sizes.slice();
  for (let i = 0, next = block.at; i < sizes.length; ++i) {
    at[i] = next;
    next += wholeLines(sizes[i]);
  }
  return at;
}

/** @param {Core} core @param {readonly number[]} sizes @returns {Block} */
function takeBlock(core, sizes) {
  let bytes = 0;
  for (let i = 0; i < sizes.length; ++i) bytes += wholeLines(sizes[i]);
  const { block } = core;
  core.block = undefined; // a call within this one must not take it, too
  if (block && block.bytes >= bytes) return block;
  if (block) core.raw._free(block.at);
  return { at: allocate(core, "its working memory", bytes), bytes };
}

/** @param {Core} core @param {Block} block */
function keepBlock(core, block) {
  if (block.bytes > KEPT_BYTES || core.block) core.raw._free(block.at);
  else core.block = block;
}

/**
 * @param {Core} core @param {string} what  for the message @param {number} bytes
 * @returns {number} the address
 * @throws {OutOfMemoryError}
 */
export function allocate(core, what, bytes) {
  const at = tryAllocate(core, bytes);
  if (!at) throw new OutOfMemoryError(what, bytes);
  return at;
}

/** The address of memory, or 0. @param {Core} core @param {number} bytes */
export function tryAllocate({ raw }, bytes) {
  // Emscripten takes a request as signed: from 2 GiB on (less here, since some bytes more are asked for), its check
  // for the end of memory is left out.
  const fits = bytes < 2e9 || raw.HEAPU8.length + bytes + 2 ** 16 <= 2 ** 32;
  return fits ? raw._malloc(bytes) : 0;
}

/** Frees the block that is kept for the next call. @param {Core} core */
export function releaseBlock(core) {
  if (core.block) core.raw._free(core.block.at);
  core.block = undefined;
}

/**
 * A function that frees memory, for `beginLife`.
 * @param {Core} core @param {number[]} blocks  their addresses; 0 for none
 */
export function freeing(core, ...blocks) {
  return () => {
    if (!core.dead) for (const at of blocks) core.raw._free(at);
  };
}

/**
 * An array of a kind that the core works on.
 * @typedef {Float32Array | Float64Array | Int32Array} Numbers
 */

/** The heap as numbers of the same kind. @param {Core} core @param {Numbers} numbers */
function heapOf({ raw }, numbers) {
  const kind = kindOf(numbers);
  if (kind === "Float32Array") return raw.HEAPF32;
  return kind === "Float64Array" ? raw.HEAPF64 : raw.HEAP32;
}

/** An array without numbers, for a piece that is left out. */
export const NONE = new Float32Array(0);

/** Copy numbers in. @param {Core} core @param {Numbers} numbers @param {number} at */
export function put(core, numbers, at) {
  if (numbers.length === 0) return;
  const heap = heapOf(core, numbers);
  heap.set(numbers, at / heap.BYTES_PER_ELEMENT);
}

/**
 * Copy a part of numbers in, all of it: the memory of an argument may have become shorter since it was read.
 * @param {Core} core @param {Numbers} numbers @param {number} from @param {number} to @param {number} at
 */
export function putPart(core, numbers, from, to, at) {
  const part = from === 0 && to === numbers.length ? numbers : numbers.subarray(from, to);
  if (part.length !== to - from) {
    throw new TypeError(
      "arguments must stay in memory until the call returns; got one that did not",
    );
  }
  put(core, part, at);
}

/**
 * Copy numbers out.
 * @param {Core} core @param {number} at @param {number} count
 * @param {Numbers} into @param {number} [offset]
 */
export function take(core, at, count, into, offset = 0) {
  const heap = heapOf(core, into);
  setNumbers.call(into, partOf(core, heap, at / heap.BYTES_PER_ELEMENT, count), offset);
}

/** Float32 numbers where they are, until memory grows. @param {Core} core @param {number} at @param {number} count */
export const floatsAt = (core, at, count) => partOf(core, core.raw.HEAPF32, at / 4, count);

/**
 * A part of the heap. The calls of a loop ask for few, and a view is an object, so the last ones are kept.
 * @param {Core} core @param {Numbers} heap @param {number} from @param {number} count
 */
function partOf(core, heap, from, count) {
  const slot = (from ^ (from >>> 4) ^ count) & 15; // two parts of a tile are often a multiple of 16 apart
  const kept = (core.parts ??= Array(16))[slot];
  if (kept?.heap === heap && kept.from === from && kept.count === count) return kept.part;
  const part = heap.subarray(from, from + count);
  core.parts[slot] = { heap, from, count, part };
  return part;
}

/** `set` of every typed array: the class of a result may have another. */
const { set: setNumbers } = Uint8Array.prototype;

/** Copy floats within. @param {Core} core @param {number} from @param {number} count @param {number} to */
export function copyFloats({ raw }, from, count, to) {
  if (from !== to) raw.HEAPF32.copyWithin(to >>> 2, from >>> 2, (from >>> 2) + count);
}

/**
 * An array that a kernel over rows reads or writes.
 * @typedef {object} Piece
 * @property {Numbers} data
 * @property {number} [row]  numbers of each row; without it the kernel gets the whole array, copied in once
 * @property {"in" | "out" | "both"} [direction]  read (default), written, or both
 */

/**
 * Run a kernel over rows, one tile of rows at a time. Inputs that overlap a result are copied first.
 *
 * @param {Core} core @param {number} rows
 * @param {readonly (Piece | Rows | number)[]} pieces  arrays, tables of rows, or bytes of scratch memory
 * @param {(count: number, first: number, addresses: number[]) => number} kernel  computes `count` rows
 *   from `first` on; gets an address for each piece and returns a status
 */
export function overRows(core, rows, pieces, kernel) {
  if (rows === 0) return;
  let rowBytes = 0;
  for (let i = 0; i < pieces.length; ++i) rowBytes += bytesOfRow(pieces[i]);
  const step = tileRows(rowBytes, rows);
  // Where there is one tile, every input is copied in before a result is written.
  const apart = step < rows ? withoutOverlaps(pieces) : pieces;
  const sizes = apart.map((piece) => bytesOf(piece, step));
  withAddresses(core, sizes, (memory) => {
    for (let first = 0; first < rows; first += step) {
      const count = Math.min(step, rows - first);
      const addresses = apart.map((piece, i) =>
        load(core, piece, first, count, memory[i], sizes[i]),
      );
      checkStatus(kernel(count, first, addresses));
      for (let i = 0; i < apart.length; ++i) store(core, apart[i], first, count, memory[i]);
    }
  });
}

/** @param {Numbers} numbers */
const bytesOfOne = (numbers) => (kindOf(numbers) === "Float64Array" ? 8 : 4);

/** Memory for a row of a piece: 0 if it has none. @param {Piece | Rows | number} piece */
function bytesOfRow(piece) {
  if (typeof piece === "number") return 0;
  if (isRows(piece)) return tileBytes(piece, 1);
  return piece.row === undefined ? 0 : piece.row * bytesOfOne(piece.data);
}

/** Memory for a piece. @param {Piece | Rows | number} piece @param {number} rows  of a tile */
function bytesOf(piece, rows) {
  if (typeof piece === "number") return piece;
  if (isRows(piece) || piece.row !== undefined) return rows * bytesOfRow(piece);
  return piece.data.length * bytesOfOne(piece.data);
}

/**
 * Copies the rows of a tile in, if they are read; an array that every tile needs with the first.
 * @param {Core} core @param {Piece | Rows | number} piece @param {number} first @param {number} count
 * @param {number} address @param {number} bytes  of memory there
 * @returns {number} the address for the kernel
 */
function load(core, piece, first, count, address, bytes) {
  if (typeof piece === "number") return address;
  if (isRows(piece)) return piece.place(first, count, address);
  const { data, row, direction } = piece;
  if (row === undefined) {
    if (first === 0 && bytes > 0) putPart(core, data, 0, bytes / bytesOfOne(data), address);
  } else if (direction !== "out") {
    putPart(core, data, first * row, (first + count) * row, address);
  }
  return address;
}

/**
 * Copies the rows of a tile out, if they are a result.
 * @param {Core} core @param {Piece | Rows | number} piece @param {number} first @param {number} count
 * @param {number} address
 */
function store(core, piece, first, count, address) {
  if (!isResult(piece)) return;
  const { data, row = 0 } = piece;
  take(core, address, count * row, data, first * row);
}

/** Bytes of memory that a tile of a table's rows needs: none if they are in WASM memory. @param {Rows} rows @param {number} count */
export function tileBytes({ resident, D }, count) {
  return resident ? 0 : count * D * 4;
}

/**
 * The pieces, with a copy of each input that a result would overwrite before it is read.
 * @param {readonly (Piece | Rows | number)[]} pieces
 */
function withoutOverlaps(pieces) {
  const results = pieces.filter(isResult);
  if (results.length === 0) return pieces;
  return pieces.map((piece) => {
    if (typeof piece === "number" || isResult(piece)) return piece;
    const { data, row } = isRows(piece) ? { data: piece.data, row: piece.D } : piece;
    const clashes = data && results.some((result) => overwrites(result, { data, row }));
    return clashes ? { data: data.slice(), row } : piece;
  });
}

/** @param {Piece | Rows | number} piece @returns {piece is Rows} */
function isRows(piece) {
  return typeof piece !== "number" && /** @type {any} */ (piece).place !== undefined;
}

/** @param {Piece | Rows | number} piece @returns {piece is Piece} */
function isResult(piece) {
  if (typeof piece === "number") return false;
  const { direction } = /** @type {Piece} */ (piece);
  return direction === "out" || direction === "both";
}

/** Whether writing a result changes an input that is still to be read. @param {Piece} result @param {Piece} input */
function overwrites(result, input) {
  const [a, b] = [result.data, input.data];
  if (!haveOneBuffer(a, b)) return false;
  return overlaps(a, b) || (input.row !== result.row && b.length > 0 && startTogether(a, b));
}
