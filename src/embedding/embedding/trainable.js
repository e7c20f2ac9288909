/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Rows } from "../../runtime/table.js" */
/** @import { EmbeddingTable } from "./embedding.js" */
import * as arrays from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { checkStatus, wrongShape } from "../../runtime/errors.js";
import { readIds } from "../../runtime/ids.js";
import { put, take, tileRows, withMemory } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { output } from "../../runtime/result.js";
import { asFloat32 } from "../../runtime/input.js";
import { occurrences, readGradient, sumByRow } from "./gradients.js";
import { overIds, readScale, SCALE } from "./lookup.js";
import { readStep } from "./optimizer.js";

/** The options of tables that can be trained. */
export const RULES = () => ({
  /**
   * A row that gets no gradient. It is 0 in a table of random weights; given weights are not changed.
   * -1 is the last row.
   */
  paddingIdx: option.value(/** @type {number | undefined} */ (undefined)),
  /**
   * Each lookup first multiplies the rows whose norm n is larger by maxNorm / (n + 1e-7), in the table.
   */
  maxNorm: option.number({ above: 0 }),
  /** The exponent p of the norm of `maxNorm`, (sum |w|^p)^(1/p). May be Infinity. */
  normType: option.value(2),
});

/**
 * @typedef {object} Rules
 * @property {number} padding  a row; -1 for none
 * @property {{maxNorm: number, normType: number}} [limit]
 */

/**
 * The address of the weights, and the state of their optimizer.
 * @typedef {{at: number, optimizer: ReturnType<typeof import("./optimizer.js").memory>}} Kept
 */

const GRADIENT = option.optionSet(() => ({
  ...SCALE(),
  /** Divides each row by how often its id occurs. */
  scaleGradByFreq: option.boolean(),
  /** Returns only the rows that occur, `{ rows, values }`, instead of all. */
  sparse: option.boolean(),
}));

/**
 * @template {boolean} Sparse
 * @typedef {object} SparseOption
 * @property {Sparse} [sparse]  returns only the rows that occur, `{ rows, values }`, instead of all; default
 *   false
 */

/**
 * `scale` and `scaleDtype` are those of the lookup.
 * @template {boolean} Sparse
 * @typedef {Omit<OptionsOf<typeof GRADIENT>, "sparse"> & SparseOption<Sparse>} GradientOptions
 */

const ONE_HOT = option.optionSet(() => ({
  /** Filled instead of a new array. */
  out: option.out(),
}));

const LOGITS = option.optionSet(() => ({
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * @param {{paddingIdx: unknown, maxNorm: number | undefined, normType: unknown}} options  as read
 * @param {number} V
 * @returns {Rules}
 */
export function readRules({ paddingIdx, maxNorm, normType }, V) {
  const row =
    paddingIdx === undefined ? undefined : check.integer(paddingIdx, "paddingIdx", -V, V - 1);
  const p =
    normType === Infinity
      ? Infinity
      : check.finite(normType, "normType", "a number > 0, or Infinity", (x) => x > 0);
  return {
    padding: row === undefined ? -1 : row < 0 ? row + V : row,
    limit: maxNorm === undefined ? undefined : { maxNorm, normType: p },
  };
}

/**
 * Returns a function that applies maxNorm to rows, given the address of their ids.
 * @param {Core} core @param {number} V @param {number} D @param {number} at
 * @param {{maxNorm: number, normType: number}} limit
 */
export function renormalizing(core, V, D, at, { maxNorm, normType }) {
  const { raw } = core;
  return (/** @type {number} */ idsAt, /** @type {number} */ count) => {
    if (count === 0) return;
    const status = raw.embedding_renormalize(at, V, D, idsAt, count, maxNorm, normType);
    checkStatus(status);
  };
}

/**
 * The methods of an embedding table that need its weights in memory.
 * @param {Core} core @param {Rows} table @param {number} padding @param {Kept | undefined} kept
 * @returns {Pick<EmbeddingTable, "oneHot" | "gradient" | "step" | "logits">}
 */
export function trainingMethods(core, table, padding, kept) {
  const { N: V, D, live } = table;
  const { raw } = core;
  /** @returns {Kept} */
  const resident = () => {
    if (kept) return kept;
    throw new RangeError('storage must be "resident" for this; got "on-demand"');
  };
  return {
    oneHot(ids, options = {}) {
      live();
      const { out } = ONE_HOT.read(options);
      const { data, shape } = readIds(ids, V);
      const result = output(out, [...shape, D]);
      resident();
      live();
      overIds(core, table, data, undefined, result.data, ({ at, idsAt, T, outAt }) =>
        raw.embedding_one_hot_product(at, V, D, idsAt, T, outAt),
      );
      return result.done();
    },

    gradient(ids, gradOut, options = {}) {
      live();
      const { scale, scaleDtype, scaleGradByFreq, sparse } = GRADIENT.read(options);
      const factor = readScale(core, scale, scaleDtype, D);
      const { data, shape } = readIds(ids, V);
      const gradients = readGradient(gradOut, [...shape, D], "gradOut");
      resident();
      live();
      const tokens = Int32Array.from(data.keys()).filter((t) => data[t] !== padding);
      const rows = tokens.map((t) => data[t]);
      const counts = scaleGradByFreq ? occurrences(data) : undefined;
      const factors = Float64Array.from(rows, (row) => factor / (counts?.get(row) ?? 1));
      const size = { vocabulary: V, dim: D, sparse };
      return /** @type {any} */ (
        sumByRow(core, size, rows, factors, (n, heap, at) =>
          heap.set(gradients.subarray(tokens[n] * D, (tokens[n] + 1) * D), at),
        )
      );
    },

    step(gradient, options = {}) {
      live();
      const step = readStep(gradient, options, V, D);
      const { optimizer } = resident();
      live();
      optimizer.apply(step);
    },

    logits(x, options = {}) {
      live();
      const { out } = LOGITS.read(options);
      const given = asFloat32(x, "x");
      const shape = [...given.shape.slice(0, -1), V];
      if (given.shape.at(-1) !== D) {
        throw wrongShape("x", `[..., ${D}]`, given.shape);
      }
      const result = output(out, shape);
      const data = arrays.overlaps(given.data, result.data) ? given.data.slice() : given.data;
      const { at } = resident();
      live();
      fillLogits(core, at, V, D, data, result.data);
      return result.done();
    },
  };
}

/**
 * Computes the products of rows of x with all rows of the table, in tiles of both. The table is read once
 * for each tile of x, in tiles that fit into the cache.
 * @param {Core} core @param {number} at  of the table @param {number} V @param {number} D
 * @param {Float32Array} x @param {Float32Array} result
 */
function fillLogits(core, at, V, D, x, result) {
  const { raw } = core;
  const T = x.length / D;
  const rows = Math.min(tileRows(D * 4, T), 256);
  const columns = tileRows(Math.max(D, rows) * 4, V);
  if (T === 0) return;
  withMemory(core, [rows * D * 4, rows * columns * 4], (xAt, outAt) => {
    for (let t = 0; t < T; t += rows) {
      const count = Math.min(rows, T - t);
      put(core, x.subarray(t * D, (t + count) * D), xAt);
      for (let v = 0; v < V; v += columns) {
        const N = Math.min(columns, V - v);
        checkStatus(raw.embedding_logits(at, V, D, v, N, xAt, count, outAt));
        for (let k = 0; k < count; ++k) {
          take(core, outAt + k * N * 4, N, result, (t + k) * V + v);
        }
      }
    }
  });
}
