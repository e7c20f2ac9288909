/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows } from "../../runtime/table.js" */
/** @import { Tensor, TensorInput } from "../../runtime/tensor.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
import * as arrays from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import { readIds } from "../../runtime/ids.js";
import { put, take, tileBytes, tileRows, withMemory } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { output } from "../../runtime/result.js";
import { apart } from "../../runtime/table.js";
import { asFloat32 } from "../../runtime/input.js";
import { guard } from "../../runtime/wasm.js";
import { distinct } from "./gradients.js";

/** phasor::half::Dtype, in its order. */
const SCALE_DTYPES = /** @type {const} */ (["float32", "float16", "bfloat16"]);

const SCALE_RULE = '"sqrt" or a float32 number';

/** How a lookup scales its rows. */
export const SCALE = () => ({
  /** Each row is multiplied by it; `sqrt` means sqrt(D). */
  scale: option.value(/** @type {"sqrt" | number} */ (1)),
  /** The scale is rounded to it first. Gemma uses `bfloat16`, in which sqrt(3072) is 55.5. */
  scaleDtype: option.choice(SCALE_DTYPES),
});

export const LOOKUP = option.optionSet(() => ({
  ...SCALE(),
  /** Added to the scaled rows. Its shape is that of the result's last axes. */
  add: option.tensor(),
  /** Filled instead of a new array. */
  out: option.out(),
}));

/** @typedef {OptionsOf<typeof LOOKUP>} LookupOptions */

/**
 * Looks up rows of any table: `scale * rows[ids] + add`.
 * @param {Core} core @param {Rows} table @param {unknown} ids @param {LookupOptions} [options]
 * @returns {Tensor} float32 [...ids.shape, D]
 */
export function lookUp(core, table, ids, options = {}) {
  const { N, D } = table;
  const { raw } = core;
  table.live();
  const { scale, scaleDtype, add, out } = LOOKUP.view(options);
  const factor = readScale(core, scale, scaleDtype, D);
  const { data, shape: places } = readIds(ids, N);
  const shape = [...places, D];
  const result = output(out, shape);
  const given = readAdd(add, shape);
  const addends = given && arrays.overlaps(given, result.data) ? given.slice() : given;
  table.live(); // a getter among the arguments may have called dispose()
  const copies = factor === 1 && !addends && !table.trainable?.renormalize;
  if (copies && table.resident && (data.length <= FEW + D / 8 || D >= WIDE)) {
    copyRows(core, table, data, result.data);
    return result.done();
  }
  const rows = apart(core, table, result.data);
  overIds(core, rows, data, addends, result.data, ({ at, count, idsAt, T, addAt, outAt }) =>
    raw.embedding_lookup(at, count, D, idsAt, T, factor, addAt, addends ? T : 0, outAt),
  );
  return result.done();
}

/**
 * So few rows, or rows so wide, are copied straight from the table, each by one `set`. Narrower ones are gathered by
 * the kernel, which copies twice.
 */
const FEW = 4;
const WIDE = 256;

/**
 * A `set` waits for its row; so the next rows are asked for together, unless a row takes longer than the wait, or the
 * table has so few numbers that caches may hold it.
 */
const TOGETHER = 8;
const LONG = 4096;
const CACHED = 1 << 22;

/** What was read only to ask for it: an unused read may be left out by the engine. */
const asked = { sum: 0 };

/**
 * Copies rows that are in WASM memory.
 * @param {Core} core @param {Rows} table @param {Int32Array} ids @param {Float32Array} result
 */
function copyRows(core, { N, D, place }, ids, result) {
  const first = guard(core, () => place(0, N, 0)) >>> 2;
  const heap = core.raw.HEAPF32;
  const { buffer } = heap;
  const asks = ids.length > FEW * TOGETHER && D < LONG && N * D > CACHED;
  for (let t = 0; t < ids.length; ++t) {
    if (asks && t % TOGETHER === 0) ask(heap, first, D, ids, t);
    // As `subarray`, which takes twice as long.
    result.set(new Float32Array(buffer, (first + ids[t] * D) * 4, D), t * D);
  }
}

/**
 * Reads every 128th number of the next rows, so that the memory fetches them at one time.
 * @param {Float32Array} heap @param {number} first  where the table begins @param {number} D
 * @param {Int32Array} ids @param {number} from  the first of the next ids
 */
function ask(heap, first, D, ids, from) {
  const end = Math.min(from + TOGETHER, ids.length);
  let sum = 0;
  for (let d = 0; d < D; d += 128) {
    for (let t = from; t < end; ++t) sum += heap[first + ids[t] * D + d];
  }
  asked.sum = sum;
}

/**
 * The arguments of a kernel over ids: the addresses of `count` rows, of `T` ids of these rows, of as many
 * addends, and of the results.
 * @typedef {{at: number, count: number, idsAt: number, T: number, addAt: number, outAt: number}} IdTile
 */

/**
 * Runs a kernel over ids tile by tile. The addends may be fewer than the ids and then repeat: the outer
 * loop goes over them, so that each is copied once.
 * @param {Core} core @param {Rows} table @param {Int32Array} ids
 * @param {Float32Array | undefined} addends @param {Float32Array} result
 * @param {(tile: IdTile) => number} kernel  returns a status
 */
export function overIds(core, table, ids, addends, result, kernel) {
  if (ids.length === 0) return;
  const { N, D, gather } = table;
  const rowBytes = D * 4;
  const period = addends ? addends.length / D : ids.length;
  const step = tileRows(rowBytes, period);
  const bytes = step * rowBytes;
  const sizes = [step * 4, bytes, addends ? bytes : 0, tileBytes(table, step)];
  const indices = gather && Int32Array.from({ length: step }, (_, t) => t);
  withMemory(core, sizes, (idsAt, outAt, addAt, tileAt) => {
    renormalize(core, table, ids, idsAt, step);
    for (let from = 0; from < period; from += step) {
      const T = Math.min(step, period - from);
      if (addends) put(core, addends.subarray(from * D, (from + T) * D), addAt);
      for (let start = from; start < ids.length; start += period) {
        const some = ids.subarray(start, start + T);
        put(core, some, idsAt);
        let [at, count] = [tileAt, T];
        if (gather && indices) {
          gather(some, idsAt, tileAt);
          put(core, indices.subarray(0, T), idsAt);
        } else [at, count] = [table.place(0, N, tileAt), N];
        checkStatus(kernel({ at, count, idsAt, T, addAt, outAt }));
        take(core, outAt, T * D, result, start * D);
      }
    }
  });
}

const WEIGHTS = option.optionSet(() => ({
  /** Filled instead of a new array. */
  out: option.out(),
}));

/** @typedef {OptionsOf<typeof WEIGHTS>} WeightsOptions */

/**
 * Copies all rows of a table.
 * @param {Core} core @param {Rows} table @param {WeightsOptions} [options]
 * @returns {Tensor} float32 [V, D]
 */
export function copyWeights(core, table, options = {}) {
  table.live();
  const { N, D } = table;
  const { out } = WEIGHTS.view(options);
  const result = output(out, [N, D]);
  const step = tileRows(D * 4, N);
  withMemory(core, [tileBytes(table, step)], (tileAt) => {
    for (let from = 0; from < N; from += step) {
      const count = Math.min(step, N - from);
      take(core, table.place(from, count, tileAt), count * D, result.data, from * D);
    }
  });
  return result.done();
}

/**
 * The members that all tables in memory have.
 * @param {Core} core @param {Rows} rows
 */
export function readingMethods(core, rows) {
  return {
    vocabulary: rows.N,
    dim: rows.D,
    parameterCount: rows.N * rows.D,
    lookup: (
      /** @type {number | TensorInput} */ ids,
      /** @type {LookupOptions | undefined} */ options = undefined,
    ) => lookUp(core, rows, ids, options),
    weights: (/** @type {WeightsOptions | undefined} */ options = undefined) =>
      copyWeights(core, rows, options),
  };
}

/**
 * Applies maxNorm to the rows of ids, each once.
 * @param {Core} core @param {Rows} table @param {Int32Array} ids
 * @param {number} idsAt  memory for `step` ids @param {number} step
 */
function renormalize(core, { trainable }, ids, idsAt, step) {
  if (!trainable?.renormalize) return;
  const rows = distinct(ids);
  for (let from = 0; from < rows.length; from += step) {
    const some = rows.subarray(from, from + step);
    put(core, some, idsAt);
    trainable.renormalize(idsAt, some.length);
  }
}

/**
 * The number that rows are multiplied by.
 * @param {Core} core @param {unknown} scale @param {typeof SCALE_DTYPES[number]} dtype @param {number} D
 * @param {string} [name]  in messages
 */
export function readScale(core, scale, dtype, D, name = "scale") {
  const { raw } = core;
  const factor =
    scale === "sqrt"
      ? Math.sqrt(D)
      : check.finite(scale, name, SCALE_RULE, (x) => Math.abs(x) <= check.MOST);
  if (dtype === "float32") return Math.fround(factor);
  const rounded = guard(core, () => raw.embedding_rounded(factor, SCALE_DTYPES.indexOf(dtype)));
  if (Number.isFinite(rounded)) return rounded;
  throw new RangeError(`${name} must be within ${dtype}; got ${factor}`);
}

/**
 * @param {unknown} add @param {readonly number[]} shape  of the result
 * @returns {Float32Array | undefined}
 */
function readAdd(add, shape) {
  if (add === undefined) return undefined;
  const given = asFloat32(add, "add");
  const rank = given.shape.length;
  const tail = shape.slice(shape.length - rank);
  if (rank === 0 || rank > shape.length || tail.join() !== given.shape.join()) {
    throw new RangeError(
      `add must have the last axes of [${shape.join(", ")}]; got [${given.shape.join(", ")}]`,
    );
  }
  return given.data;
}
