/** @import { Core, Raw } from "../../runtime/wasm.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
/** @import { Rows } from "../../runtime/table.js" */
/** @import { EmbeddingTable } from "../embedding/embedding.js" */
/** @import { GradientOf } from "../embedding/gradients.js" */
/** @import { GradientOptions } from "../embedding/trainable.js" */
import * as check from "../../runtime/check.js";
import { overRows, take } from "../../runtime/memory.js";
import { readIds } from "../../runtime/ids.js";
import { Tensor } from "../../runtime/tensor.js";
import { distinct, occurrences, readGradient, sumByRow } from "../embedding/gradients.js";
import { readTable } from "../../runtime/table.js";

/** In the order of the C++ enum. */
const MODES = /** @type {const} */ (["sum", "mean", "max"]);
const OFFSETS_FORMS = /** @type {const} */ (["starts", "csr"]);

const NONE = new Int32Array();
const ONES = new Float32Array(); // no weights: 1 for each

/**
 * @typedef {object} BagOptions
 * @property {typeof MODES[number]} [mode]  `mean` (default), `sum` or `max`
 * @property {typeof OFFSETS_FORMS[number]} [offsetsForm]  what `offsets` holds: `starts` (default),
 *   where each bag begins, B numbers; `csr`, the end of the last as well, B + 1 numbers
 *   (PyTorch's include_last_offset)
 */

/**
 * @typedef {object} BagOffsets
 * @property {number[] | TensorInput} [offsets]  where bags begin in ids [N]; left out where each row
 *   of ids [B, N] is a bag
 */

/**
 * How the rows of a table are pooled.
 * @typedef {object} EmbeddingBag
 * @property {typeof MODES[number]} mode  as it was asked for
 * @property {(ids: TensorInput, options?: BagOffsets & {perSampleWeights?: TensorInput, out?: Float32Array | Tensor}) => Tensor} pool
 *   the sum, mean or maximum of the rows of each bag: float32 [B, D], summed in double and rounded
 *   once. The padding row of the table is left out and not counted; an empty bag is 0; a maximum of a NaN
 *   is NaN; `perSampleWeights`, of the shape of ids, multiply the rows of a sum
 * @property {<Sparse extends boolean = false>(ids: TensorInput, gradOut: TensorInput, options?: BagOffsets & Pick<GradientOptions<Sparse>, "scaleGradByFreq" | "sparse"> & {perSampleWeights?: TensorInput}) => GradientOf<Sparse>} gradient
 *   of the table's weights, given that of `pool`, [B, D]; as the table's own `gradient`. That of a
 *   maximum goes to the first id that has it, and `scaleGradByFreq` is not for it; `perSampleWeights`:
 *   those that `pool` was given
 * @property {(ids: TensorInput, gradOut: TensorInput, options?: BagOffsets) => Tensor} perSampleGradient
 *   of the weights of a sum: float32, the shape of ids
 */

/**
 * Bags of tokens: the rows of some ids as one.
 * @param {Core} core
 */
export function embeddingBag(core) {
  const raw =
    /**
     * @type {Raw & {
     *   embedding_bag_pool(table: number, V: number, D: number, ids: number, N: number, starts: number,
     *     B: number, weights: number, W: number, padding: number, mode: number, out: number,
     *     owners: number, O: number): number,
     *   embedding_bag_weights_gradient(table: number, V: number, D: number, ids: number, N: number,
     *     starts: number, B: number, padding: number, gradient: number, out: number,
     *     count: number): number,
     * }}
     */ (core.raw);

  return {
    /**
     * A way to pool the rows of an embedding table.
     *
     *     sum   out[b, :] = sum over n in bag b of weight_n * table[ids[n], :]
     *     mean  out[b, :] = (sum over n in bag b of table[ids[n], :]) / max(size of b, 1)
     *     max   out[b, d] = max over n in bag b of table[ids[n], d]
     *
     * Padding (`paddingIdx`) and renormalisation (`maxNorm`) are the table's. `pool`, `gradient` and
     * `perSampleGradient` refuse wrong arguments with a `TypeError` or `RangeError`, and a table that
     * was disposed of with `DisposedError`.
     *
     * @param {EmbeddingTable} table  in memory, not on demand
     * @param {BagOptions} [options]
     * @returns {EmbeddingBag} which keeps nothing but the table
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see nn.EmbeddingBag of PyTorch, https://docs.pytorch.org/docs/stable/generated/torch.nn.EmbeddingBag.html
     * @example
     * const table = embedding.from([[1, 2], [3, 4], [5, 6]]);
     * const words = embeddingBag.create(table, { mode: "sum" });
     * words.pool([0, 2, 1], { offsets: [0, 2] }).toArray()
     * // [[6, 8], [3, 4]]
     * words.pool([[0, 0], [1, 2]]).toArray()
     * // [[2, 4], [8, 10]]
     * words.gradient([[0, 0], [1, 2]], [[1, 0], [0, 1]]).toArray()
     * // [[2, 0], [0, 1], [0, 1]]
     */
    create(table, options = {}) {
      const { mode, offsetsForm } = check.options(
        options,
        { mode: "mean", offsetsForm: "starts" },
        "embeddingBag.create",
      );
      const kind = check.oneOf(mode, "mode", MODES);
      const form = check.oneOf(offsetsForm, "offsetsForm", OFFSETS_FORMS);
      const rows = readTable(core, table, "table");
      rows.live();
      if (!rows.trainable) {
        throw new TypeError(
          `table must be an embedding table in memory, from embedding.create or embedding.from; got ${check.describe(table)}`,
        );
      }
      return layer(rows, rows.trainable, kind, form);
    },
  };

  /**
   * @param {Rows} table @param {NonNullable<Rows["trainable"]>} trainable
   * @param {typeof MODES[number]} mode
   * @param {typeof OFFSETS_FORMS[number]} offsetsForm
   * @returns {EmbeddingBag}
   */
  function layer(table, { padding, renormalize }, mode, offsetsForm) {
    const { N: V, D } = table;
    const kind = MODES.indexOf(mode);

    /** @param {unknown} ids @param {unknown} offsets */
    const readBags = (ids, offsets) => bagsOf(readIds(ids, V), offsets, offsetsForm);

    /** @param {unknown} weights @param {Bags} bags */
    const readWeights = (weights, { shape }) => {
      if (weights === undefined) return undefined;
      if (mode !== "sum") {
        throw new RangeError(`perSampleWeights must be left out for mode "${mode}"; got some`);
      }
      return readGradient(weights, shape, "perSampleWeights");
    };

    /**
     * The kernel over all bags.
     * @param {Bags} bags @param {string} where
     * @param {{long?: Int32Array, weights?: Float32Array, out: Float32Array, owners?: Int32Array}} arrays
     *   `long` are the rows to renormalise first
     */
    const run = ({ ids, starts }, where, { long = NONE, weights = ONES, out, owners = NONE }) => {
      const at = table.place(0, V, 0);
      const way = /** @type {const} */ ("out");
      const pieces = [
        { data: ids },
        { data: starts },
        { data: weights },
        { data: long },
        { data: out, row: D, way },
        { data: owners, row: owners.length && D, way },
      ];
      overRows(core, where, starts.length - 1, pieces, (count, from, places) => {
        const [idsAt, startsAt, weightsAt, longAt, outAt, ownersAt] = places;
        if (from === 0) renormalize?.(longAt, long.length);
        return raw.embedding_bag_pool(
          at,
          V,
          D,
          idsAt,
          ids.length,
          startsAt + from * 4,
          count,
          weightsAt,
          weights.length,
          padding,
          kind,
          outAt,
          ownersAt,
          owners.length && count * D,
        );
      });
    };

    return Object.freeze({
      mode,

      /** @type {EmbeddingBag["pool"]} */
      pool(ids, options = {}) {
        const where = "pool";
        table.live();
        const defaults = { offsets: undefined, perSampleWeights: undefined, out: undefined };
        const { offsets, perSampleWeights, out } = check.options(options, defaults, where);
        const bags = readBags(ids, offsets);
        const weights = readWeights(perSampleWeights, bags);
        const shape = [bags.starts.length - 1, D];
        const result = check.destination(out, shape);
        const long = renormalize ? distinct(bags.ids) : NONE;
        run(bags, where, { long, weights, out: result });
        return new Tensor(result, shape);
      },

      /** @type {EmbeddingBag["gradient"]} */
      gradient(ids, gradOut, options = {}) {
        const where = "gradient";
        table.live();
        const defaults = {
          offsets: undefined,
          perSampleWeights: undefined,
          scaleGradByFreq: false,
          sparse: false,
        };
        const given = check.options(options, defaults, where);
        const byFrequency = check.boolean(given.scaleGradByFreq, "scaleGradByFreq");
        if (byFrequency && mode === "max") {
          throw new RangeError('scaleGradByFreq must be false for mode "max"; got true');
        }
        const of = { vocabulary: V, dim: D, sparse: check.boolean(given.sparse, "sparse") };
        const bags = readBags(ids, given.offsets);
        const weights = readWeights(given.perSampleWeights, bags);
        const B = bags.starts.length - 1;
        const gradients = readGradient(gradOut, [B, D], "gradOut");
        const rowOf = (/** @type {number} */ b) => gradients.subarray(b * D, (b + 1) * D);
        table.live();

        if (mode === "max") {
          const owners = check.destinationInt32(undefined, [B, D]);
          run(bags, where, { out: check.float32s(B * D, "the maxima"), owners });
          const { rows, from } = won(owners, B, D);
          const ones = new Float64Array(rows.length).fill(1);
          return /** @type {any} */ (
            sumByRow(core, where, of, rows, ones, (n, heap, at) => {
              const row = rowOf(from[n]);
              for (let d = 0; d < D; ++d)
                heap[at + d] = owners[from[n] * D + d] === rows[n] ? row[d] : 0;
            })
          );
        }
        const { places, from, sizes } = members(bags, padding);
        const counts = byFrequency ? occurrences(bags.ids) : undefined;
        const rows = places.map((n) => bags.ids[n]);
        const factors = Float64Array.from(places, (n, k) => {
          const factor = mode === "mean" ? 1 / sizes[from[k]] : (weights?.[n] ?? 1);
          return factor / (counts?.get(rows[k]) ?? 1);
        });
        return /** @type {any} */ (
          sumByRow(core, where, of, rows, factors, (k, heap, at) => heap.set(rowOf(from[k]), at))
        );
      },

      /** @type {EmbeddingBag["perSampleGradient"]} */
      perSampleGradient(ids, gradOut, options = {}) {
        const where = "perSampleGradient";
        table.live();
        const { offsets } = check.options(options, { offsets: undefined }, where);
        if (mode !== "sum") throw new RangeError(`mode must be "sum" for ${where}; got "${mode}"`);
        const bags = readBags(ids, offsets);
        const { starts } = bags;
        const B = starts.length - 1;
        const gradients = readGradient(gradOut, [B, D], "gradOut");
        const result = check.float32s(bags.ids.length, "a gradient of weights");
        const at = table.place(0, V, 0);
        const N = bags.ids.length;
        const pieces = [{ data: bags.ids }, { data: starts }, { data: gradients, row: D }, N * 4];
        overRows(core, where, B, pieces, (count, from, [idsAt, startsAt, gradientsAt, outAt]) => {
          const own = starts[from + count] - starts[from];
          const begin = startsAt + from * 4;
          const status = raw.embedding_bag_weights_gradient(
            at,
            V,
            D,
            idsAt,
            N,
            begin,
            count,
            padding,
            gradientsAt,
            outAt,
            own,
          );
          take(core, outAt, own, result, starts[from]);
          return status;
        });
        return new Tensor(result, bags.shape);
      },
    });
  }
}

/**
 * Ids in bags: bag b has those from starts[b] to before starts[b+1].
 * @typedef {{ids: Int32Array, shape: number[], starts: Int32Array}} Bags
 */

/**
 * @param {{data: Int32Array, shape: number[]}} ids @param {unknown} offsets
 * @param {typeof OFFSETS_FORMS[number]} form
 * @returns {Bags}
 */
function bagsOf({ data: ids, shape }, offsets, form) {
  const N = ids.length;
  if (shape.length === 2) {
    if (offsets !== undefined) {
      throw new RangeError(
        `offsets must be left out for ids of shape [B, N]: each row is a bag; got ${check.describe(offsets)}`,
      );
    }
    const [B, size] = shape;
    const starts = check.destinationInt32(undefined, [B + 1]);
    return { ids, shape, starts: starts.map((_, b) => b * size) };
  }
  if (shape.length !== 1) {
    throw new RangeError(`ids must have shape [N] or [B, N]; got [${shape.join(", ")}]`);
  }
  if (offsets === undefined) {
    throw new TypeError("offsets must be given for ids of shape [N]; got undefined");
  }
  const { data: given, shape: axes } = readIds(offsets, N + 1, "offsets");
  if (axes.length !== 1) {
    throw new RangeError(`offsets must have shape [B]; got [${axes.join(", ")}]`);
  }
  if (given[0] !== 0 && (given.length > 0 || form === "csr" || N > 0)) {
    throw new RangeError(`offsets must begin with 0; got ${given[0] ?? "none"}`);
  }
  for (let b = 1; b < given.length; ++b) {
    if (given[b] >= given[b - 1]) continue;
    throw new RangeError(`offsets must not descend; got ${given[b]} after ${given[b - 1]}`);
  }
  const last = given[given.length - 1];
  if (form === "csr" && last !== N) {
    throw new RangeError(`offsets must end with ${N}, the end of the last bag; got ${last}`);
  }
  const starts = form === "csr" ? given : new Int32Array(given.length + 1).fill(N);
  starts.set(given);
  return { ids, shape, starts };
}

/**
 * The ids that count: their places, the bags that they are from, and how many each bag has.
 * @param {Bags} bags @param {number} padding
 */
function members({ ids, starts }, padding) {
  const bagOf = new Int32Array(ids.length);
  for (let b = 0; b + 1 < starts.length; ++b) bagOf.fill(b, starts[b], starts[b + 1]);
  const places = Int32Array.from(ids.keys()).filter((n) => ids[n] !== padding);
  const from = places.map((n) => bagOf[n]);
  const sizes = new Int32Array(starts.length - 1);
  for (const b of from) ++sizes[b];
  return { places, from, sizes };
}

/**
 * The ids that own a maximum, each once a bag, and the bags that they are from.
 * @param {Int32Array} owners  [B, D] @param {number} B @param {number} D
 */
function won(owners, B, D) {
  /** @type {number[]} */
  const rows = [];
  /** @type {number[]} */
  const from = [];
  for (let b = 0; b < B; ++b) {
    for (const id of new Set(owners.subarray(b * D, (b + 1) * D))) {
      if (id < 0) continue;
      rows.push(id);
      from.push(b);
    }
  }
  return { rows: Int32Array.from(rows), from };
}
