/** @import { NearestComparison } from "../../runtime/bindings.js" */
/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows } from "../../runtime/table.js" */
/** @import { Search } from "./arguments.js" */
import { beginLife } from "../../runtime/lifetime.js";
import {
  allocate,
  copyFloats,
  freeing,
  KEPT_BYTES,
  put,
  releaseBlock,
  tileBytes,
  tileRows,
  tryAllocate,
  withMemory,
} from "../../runtime/memory.js";
import { residentRows } from "../../runtime/table.js";
import { guard } from "../../runtime/wasm.js";

/** phasor::nearest::kWidest: wider rows have no first pass, whose memory would be large. */
const WIDEST = 2 ** 16;

/** phasor::nearest::kTiled: from this number of queries on, rows are multiplied in float32. */
const TILED = 6;

/** phasor::packed::Dtype::kInt8 */
const INT8 = 3;

/** Narrower rows have no int8 copy: with what is kept beside it, it would be more than a third of their size. */
const NARROWEST = 64;

/**
 * The memory of an index: a copy of the rows, the squares of their lengths, and where it pays an int8 copy.
 * @param {Core} core @param {Rows} table @param {boolean} int8
 * @returns {{rows: Rows, byteLength: number, dispose: () => void}}
 */
export function indexMemory(core, table, int8) {
  const { raw } = core;
  const { N: V, D } = table;
  const rowsBytes = Math.ceil((V * D * 4) / 8) * 8 + V * 8;
  const sketchBytes = int8 && D >= NARROWEST && D <= WIDEST ? raw.nearest_sketch_bytes(V, D) : 0;
  const { at, bytes } = guard(core, () => allocateOnce(core, V, D, rowsBytes, sketchBytes));
  const squaresAt = at + rowsBytes - V * 8;
  const sketchAt = bytes > rowsBytes ? at + rowsBytes : 0;
  const { live, dispose } = beginLife("the index", freeing(core, at));
  try {
    guard(core, () => {
      copyFloats(core, table.place(0, V, at), V * D, at);
      if (sketchAt) raw.nearest_sketch(at, squaresAt, V, D, sketchAt);
      else raw.nearest_squares(at, V, D, squaresAt);
    });
  } catch (cause) {
    dispose();
    throw cause;
  }
  return {
    rows: { ...residentRows(V, D, at, live), squaresAt, sketchAt },
    byteLength: bytes,
    dispose,
  };
}

/**
 * Memory for rows and their int8 copy in one block, by which memory grows once; where it is short, for rows alone.
 * @param {Core} core @param {number} V @param {number} D @param {number} rowsBytes @param {number} sketchBytes
 */
function allocateOnce(core, V, D, rowsBytes, sketchBytes) {
  const all = rowsBytes + sketchBytes;
  if (all > KEPT_BYTES) extendTail(core, all);
  const at = sketchBytes && tryAllocate(core, all);
  if (at) return { at, bytes: all };
  return { at: allocate(core, `an index of ${V} x ${D}`, rowsBytes), bytes: rowsBytes };
}

/** What blocks have beside their bytes, at most. */
const SLACK = 512;

/**
 * Makes a free block at the end of memory as large as one that is asked for next: memory would grow by all of that
 * block, and leave what is free before it.
 * @param {Core} core @param {number} bytes
 */
function extendTail(core, bytes) {
  const { raw } = core;
  releaseBlock(core);
  const free = raw.nearest_tail();
  if (free <= SLACK || free >= bytes) return;
  const tail = raw._malloc(free - SLACK);
  const more = tail && tryAllocate(core, bytes + SLACK - free);
  raw._free(tail);
  raw._free(more);
}

/**
 * The memory of a search, for a tile of queries and a tile of rows at a time.
 * @typedef {object} SearchMemory
 * @property {number} step  the number of queries in a tile
 * @property {number} rows  the number of rows in a tile
 * @property {Rows["codes"]} codes  of the table, if a first pass reads them
 * @property {number} tileAt  where the rows of a tile are copied
 * @property {number} queriesAt  address of the queries [step, D]
 * @property {number} keysAt  address of the keys [step, k]
 * @property {number} idsAt  address of the ids [step, k]
 * @property {number[]} moreAt  addresses of the memory that was asked for beside
 * @property {(from: number, count: number) => NearestComparison} place  copies some queries in, and the rows that they exclude
 */

/**
 * Memory for a search, which is free again when the function returns or throws.
 * @param {Core} core @param {Rows} table @param {Search} search
 * @param {{bytesPerQuery: readonly number[], bytesPerRow: number}} more  memory for each query, each row of a tile
 * @param {(memory: SearchMemory) => void} use
 */
export function withSearchMemory(core, table, search, { bytesPerQuery, bytesPerRow }, use) {
  const { metric, k, Q, excluded, E, writeQueries, workBytes } = search;
  const { N: V, D } = table;
  const queryBytes = bytesPerQuery.reduce((sum, bytes) => sum + bytes, D * 8 + workBytes + k * 12);
  const step = tileRows(queryBytes, Q);
  const screens = D <= WIDEST;
  const codes = screens && (table.codes?.dtype === INT8 || step < TILED) ? table.codes : undefined;
  const rows = table.resident || codes ? V : tileRows(D * 4, V);
  const perQuery = excluded.length > E; // each query excludes its own ids
  // the kernel's workspace: queries in groups of eight, rows of a block, whole queries, bounds, paces
  const bytes = screens ? (Math.ceil(step / 8) * 8 + 64) * D * 4 + step * (D * 2 + 128) + 16 : 0;
  const pieces = [
    codes ? 0 : tileBytes(table, rows),
    step * workBytes,
    (perQuery ? step : 1) * E * 4,
    bytes,
    step * k * 8,
    step * k * 4,
    step * D * 8,
    ...bytesPerQuery.map((bytes) => step * bytes),
    rows * bytesPerRow,
  ];
  withMemory(core, pieces, (tileAt, workAt, excludedAt, workspace, ...at) => {
    const [keysAt, idsAt, queries, ...moreAt] = at;
    /** @type {SearchMemory["place"]} */
    const place = (from, Q) => {
      const ids = perQuery ? excluded.subarray(from * E, (from + Q) * E) : excluded;
      put(core, ids, excludedAt);
      writeQueries(from, Q, queries, workAt);
      const { length: size } = ids;
      return { queries, Q, metric, excluded: excludedAt, size, E, workspace, bytes };
    };
    use({ step, rows, codes, tileAt, queriesAt: queries, keysAt, idsAt, moreAt, place });
  });
}
