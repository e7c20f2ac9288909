/** @import { Core } from "../../runtime/wasm.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
/** @import { Rows } from "../../runtime/table.js" */
/** @import { EmbeddingTable } from "../embedding/embedding.js" */
/** @import { GradientOf } from "../embedding/gradients.js" */
/** @import { SparseOption } from "../embedding/trainable.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
import * as arrays from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { wrongShape } from "../../runtime/errors.js";
import { overRows, take } from "../../runtime/memory.js";
import { readIds } from "../../runtime/ids.js";
import { namespace } from "../../runtime/named.js";
import * as option from "../../runtime/options.js";
import { output } from "../../runtime/result.js";
import { Tensor } from "../../runtime/tensor.js";
import { distinct, occurrences, readGradient, sumByRow } from "../embedding/gradients.js";
import { readTable } from "../../runtime/table.js";

/** In the order of the C++ enum. */
const MODES = /** @type {const} */ (["sum", "mean", "max"]);

const NONE = new Int32Array();
const ONES = new Float32Array(); // no weights: 1 for each

const CREATE = option.optionSet(() => ({
  /** How the rows of a bag are reduced to one. */
  mode: option.choice(MODES, "mean"),
  /** Whether `offsets` has B + 1 numbers, the last of them the end of the last bag, instead of B. */
  includeLastOffset: option.boolean(),
}));

/** Where bags begin. */
const OFFSETS = () => ({
  /** Where each bag begins in ids [N]. Leave it out for ids [B, N], where each row is a bag. */
  offsets: option.value(/** @type {number[] | TensorInput | undefined} */ (undefined)),
});

const POOL = option.optionSet(() => ({
  ...OFFSETS(),
  /** Factors of the rows of a sum, of the shape of ids. */
  perSampleWeights: option.tensor(),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const GRADIENT = option.optionSet(() => ({
  ...OFFSETS(),
  /** The weights that `pool` was given. */
  perSampleWeights: option.tensor(),
  /** Divides each row by how often its id occurs. Not for mode `max`. */
  scaleGradByFreq: option.boolean(),
  /** Returns only the rows that occur, `{ rows, values }`, instead of all. */
  sparse: option.boolean(),
}));

const PER_SAMPLE_GRADIENT = option.optionSet(OFFSETS);

/**
 * A layer that pools the rows of a table.
 * @typedef {object} EmbeddingBag
 * @property {typeof MODES[number]} mode  the mode that `create` was given
 * @property {(ids: TensorInput, options?: OptionsOf<typeof POOL>) => Tensor} pool
 *   returns the sum, mean or maximum of the rows of each bag: float32 [B, D], summed in double and rounded
 *   once. The table's padding row is neither included nor counted; an empty bag is 0; a maximum over a NaN
 *   is NaN; `perSampleWeights` multiply the rows of a sum
 * @property {<Sparse extends boolean = false>(ids: TensorInput, gradOut: TensorInput, options?: Omit<OptionsOf<typeof GRADIENT>, "sparse"> & SparseOption<Sparse>) => GradientOf<Sparse>} gradient
 *   returns the gradient of the table's weights, given that of `pool`, [B, D], as the table's `gradient`
 *   does. The gradient of a maximum goes to the first id that has it
 * @property {(ids: TensorInput, gradOut: TensorInput, options?: OptionsOf<typeof PER_SAMPLE_GRADIENT>) => Tensor} perSampleGradient
 *   returns the gradient of `perSampleWeights`: float32, the shape of ids
 */

/**
 * Bags of tokens: the rows of several ids, reduced to one row.
 * @param {Core} core
 */
export function embeddingBag(core) {
  const { raw } = core;

  const module = {
    /**
     * Creates a layer that pools the rows of an embedding table.
     *
     *     sum   out[b, :] = sum over n in bag b of weight_n * table[ids[n], :]
     *     mean  out[b, :] = (sum over n in bag b of table[ids[n], :]) / max(size of b, 1)
     *     max   out[b, d] = max over n in bag b of table[ids[n], d]
     *
     * Padding (`paddingIdx`) and renormalization (`maxNorm`) are the table's: what reads rows, `pool`, the gradient of a
     * maximum and `perSampleGradient`, renormalizes them. All three functions throw a `TypeError` or `RangeError` for wrong
     * arguments and a `DisposedError` after the table was disposed of.
     *
     * @param {EmbeddingTable} table  in memory, not on demand
     * @param {OptionsOf<typeof CREATE>} [options]
     * @returns {EmbeddingBag} a layer that holds a reference to the table and no memory
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
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
      const { mode, includeLastOffset } = CREATE.read(options);
      const rows = readTable(core, table, "table");
      rows.live();
      if (!rows.trainable) {
        throw new TypeError(
          `table must be an embedding table in memory, from embedding.create or embedding.from; got ${check.describe(table)}`,
        );
      }
      return layer(rows, rows.trainable, mode, includeLastOffset);
    },
  };
  return option.withOptions(module, { create: CREATE });

  /**
   * @param {Rows} table @param {NonNullable<Rows["trainable"]>} trainable
   * @param {typeof MODES[number]} mode
   * @param {boolean} includeLastOffset
   * @returns {EmbeddingBag}
   */
  function layer(table, { padding, renormalize }, mode, includeLastOffset) {
    const { N: V, D } = table;
    const kind = MODES.indexOf(mode);

    /** @param {unknown} ids @param {unknown} offsets */
    const readBags = (ids, offsets) => bagsOf(readIds(ids, V), offsets, includeLastOffset);

    /** @param {unknown} weights @param {Bags} bags */
    const readWeights = (weights, { shape }) => {
      if (weights === undefined) return undefined;
      if (mode !== "sum") {
        throw new RangeError(
          `perSampleWeights must be left out for mode "${mode}"; got ${check.describe(weights)}`,
        );
      }
      return readGradient(weights, shape, "perSampleWeights");
    };

    /** The rows that a bag renormalizes before it reads them. @param {Bags} bags */
    const renormalized = ({ ids }) => (renormalize ? distinct(ids) : NONE);

    /**
     * Runs the kernel over all bags.
     * @param {Bags} bags
     * @param {{weights?: Float32Array, out: Float32Array, owners?: Int32Array}} arrays
     */
    const run = (bags, { weights = ONES, out, owners = NONE }) => {
      const { ids, starts } = bags;
      const unit = renormalized(bags);
      const at = table.place(0, V, 0);
      const [N, W] = [ids.length, weights.length];
      const direction = /** @type {const} */ ("out");
      const pieces = [
        { data: ids },
        { data: starts },
        { data: weights },
        { data: unit },
        { data: out, row: D, direction },
        { data: owners, row: owners.length && D, direction },
      ];
      overRows(core, starts.length - 1, pieces, (B, from, places) => {
        const [idsAt, startsAt, weightsAt, rowsAt, outAt, ownersAt] = places;
        if (from === 0) renormalize?.(rowsAt, unit.length);
        const bags = { ids: idsAt, starts: startsAt + from * 4, weights: weightsAt, N, B, W };
        const O = owners.length && B * D;
        const all = { table: at, V, D, out: outAt, owners: ownersAt, O, bags, padding, mode: kind };
        return raw.embedding_bag_pool(all);
      });
    };

    /**
     * The gradient goes to the row that has the maximum of each column.
     * @param {Bags} bags @param {Float32Array} gradients  [B, D]
     * @param {{vocabulary: number, dim: number, sparse: boolean}} size
     */
    const gradientOfMaxima = (bags, gradients, size) => {
      const B = bags.starts.length - 1;
      const owners = arrays.allocated(Int32Array, B * D, [B, D]);
      run(bags, { out: arrays.float32s(B * D, "the maxima"), owners });
      const { rows, bagOf } = distinctOwners(owners, B, D);
      const factors = new Float64Array(rows.length).fill(1);
      /** @param {number} n @param {Float32Array} to @param {number} at */
      const write = (n, to, at) => {
        const first = bagOf[n] * D;
        for (let d = 0; d < D; ++d) {
          to[at + d] = owners[first + d] === rows[n] ? gradients[first + d] : 0;
        }
      };
      return sumByRow(core, size, rows, factors, write, false);
    };

    /**
     * The gradient of a bag goes to each of its rows, by the row's factor.
     * @param {Bags} bags @param {Float32Array} gradients  [B, D]
     * @param {{vocabulary: number, dim: number, sparse: boolean}} size
     * @param {Float32Array | undefined} weights @param {boolean} scaleGradByFreq
     */
    const gradientOfSums = (bags, gradients, size, weights, scaleGradByFreq) => {
      const { indices, bagOf, sizes } = membersOf(bags, padding);
      const counts = scaleGradByFreq ? occurrences(bags.ids) : undefined;
      const rows = indices.map((n) => bags.ids[n]);
      const factors = Float64Array.from(indices, (n, k) => {
        const factor = mode === "mean" ? 1 / sizes[bagOf[k]] : (weights?.[n] ?? 1);
        return factor / (counts?.get(rows[k]) ?? 1);
      });
      return sumByRow(core, size, rows, factors, (k, heap, at) =>
        heap.set(gradients.subarray(bagOf[k] * D, (bagOf[k] + 1) * D), at),
      );
    };

    return namespace("EmbeddingBag", {
      mode,

      /** @type {EmbeddingBag["pool"]} */
      pool(ids, options = {}) {
        table.live();
        const { offsets, perSampleWeights, out } = POOL.view(options);
        const bags = readBags(ids, offsets);
        const weights = readWeights(perSampleWeights, bags);
        const shape = [bags.starts.length - 1, D];
        const result = output(out, shape);
        run(bags, { weights, out: result.data });
        return result.done();
      },

      /** @type {EmbeddingBag["gradient"]} */
      gradient(ids, gradOut, options = {}) {
        table.live();
        const { offsets, perSampleWeights, scaleGradByFreq, sparse } = GRADIENT.read(options);
        if (scaleGradByFreq && mode === "max") {
          throw new RangeError('scaleGradByFreq must be false for mode "max"; got true');
        }
        const bags = readBags(ids, offsets);
        const weights = readWeights(perSampleWeights, bags);
        const B = bags.starts.length - 1;
        const gradients = readGradient(gradOut, [B, D], "gradOut");
        table.live();
        const size = { vocabulary: V, dim: D, sparse };
        return /** @type {any} */ (
          mode === "max"
            ? gradientOfMaxima(bags, gradients, size)
            : gradientOfSums(bags, gradients, size, weights, scaleGradByFreq)
        );
      },

      /** @type {EmbeddingBag["perSampleGradient"]} */
      perSampleGradient(ids, gradOut, options = {}) {
        table.live();
        const { offsets } = PER_SAMPLE_GRADIENT.read(options);
        if (mode !== "sum") throw new RangeError(`mode must be "sum" for this; got "${mode}"`);
        const bags = readBags(ids, offsets);
        const { starts } = bags;
        const B = starts.length - 1;
        const gradients = readGradient(gradOut, [B, D], "gradOut");
        const result = arrays.float32s(bags.ids.length, "a gradient of weights");
        const given = { table: table.place(0, V, 0), V, D, N: bags.ids.length, padding };
        const rows = { data: gradients, row: D };
        const unit = renormalized(bags);
        const pieces = [{ data: bags.ids }, { data: starts }, rows, result.byteLength, { data: unit }]; // prettier-ignore
        overRows(core, B, pieces, (count, from, [ids, startsAt, gradient, out, unitAt]) => {
          if (from === 0) renormalize?.(unitAt, unit.length);
          const members = starts[from + count] - starts[from];
          const some = { ids, starts: startsAt + from * 4, B: count, gradient, out, members };
          const status = raw.embedding_bag_weights_gradient({ ...given, ...some });
          take(core, out, members, result, starts[from]);
          return status;
        });
        return new Tensor(result, bags.shape);
      },
    });
  }
}

/**
 * Ids in bags: bag b has the ids from index starts[b] to before starts[b+1].
 * @typedef {{ids: Int32Array, shape: readonly number[], starts: Int32Array}} Bags
 */

/**
 * @param {{data: Int32Array, shape: readonly number[]}} ids @param {unknown} offsets
 * @param {boolean} includeLastOffset
 * @returns {Bags}
 */
function bagsOf({ data: ids, shape }, offsets, includeLastOffset) {
  const N = ids.length;
  if (shape.length === 2) {
    if (offsets !== undefined) {
      throw new RangeError(
        `offsets must be left out for ids of shape [B, N]: each row is a bag; got ${check.describe(offsets)}`,
      );
    }
    const [B, size] = shape;
    const starts = arrays.allocated(Int32Array, B + 1, [B + 1]);
    return { ids, shape, starts: starts.map((_, b) => b * size) };
  }
  if (shape.length !== 1) {
    throw wrongShape("ids", "[N] or [B, N]", shape);
  }
  if (offsets === undefined) {
    throw new TypeError("offsets must be given for ids of shape [N]; got undefined");
  }
  const { data: given, shape: axes } = readIds(offsets, N + 1, "offsets");
  if (axes.length !== 1) {
    throw wrongShape("offsets", "[B]", axes);
  }
  if (given[0] !== 0 && (given.length > 0 || includeLastOffset || N > 0)) {
    throw new RangeError(`offsets must begin with 0; got ${given[0] ?? "none"}`);
  }
  for (let b = 1; b < given.length; ++b) {
    if (given[b] >= given[b - 1]) continue;
    throw new RangeError(`offsets must not descend; got ${given[b]} after ${given[b - 1]}`);
  }
  const last = given[given.length - 1];
  if (includeLastOffset && last !== N) {
    throw new RangeError(`offsets must end with ${N}, the end of the last bag; got ${last}`);
  }
  const starts = includeLastOffset ? given : new Int32Array(given.length + 1).fill(N);
  starts.set(given);
  return { ids, shape, starts };
}

/**
 * The ids that are not padding: their indices, the bag of each, and how many each bag has.
 * @param {Bags} bags @param {number} padding
 */
function membersOf({ ids, starts }, padding) {
  const allBags = new Int32Array(ids.length);
  for (let b = 0; b + 1 < starts.length; ++b) allBags.fill(b, starts[b], starts[b + 1]);
  const indices = Int32Array.from(ids.keys()).filter((n) => ids[n] !== padding);
  const bagOf = indices.map((n) => allBags[n]);
  const sizes = new Int32Array(starts.length - 1);
  for (const b of bagOf) ++sizes[b];
  return { indices, bagOf, sizes };
}

/**
 * The ids that have a maximum, each once for a bag, and the bag of each.
 * @param {Int32Array} owners  [B, D] @param {number} B @param {number} D
 */
function distinctOwners(owners, B, D) {
  /** @type {number[]} */
  const rows = [];
  /** @type {number[]} */
  const bagOf = [];
  for (let b = 0; b < B; ++b) {
    for (const id of new Set(owners.subarray(b * D, (b + 1) * D))) {
      if (id < 0) continue;
      rows.push(id);
      bagOf.push(b);
    }
  }
  return { rows: Int32Array.from(rows), bagOf };
}
