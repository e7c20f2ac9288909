/** @import { Core, Raw } from "../../runtime/wasm.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
/** @import { DrawOptions } from "./draw.js" */
/** @import { GradientForm, GradientOf } from "./gradients.js" */
/** @import { StepOptions } from "./optimizer.js" */
/** @import { PackedOptions, PackedTable } from "./quantized.js" */
import * as check from "../../runtime/check.js";
import { checkStatus } from "../../runtime/errors.js";
import { allocate, withMemory, put, take, tileRows } from "../../runtime/memory.js";
import { readIds } from "../../runtime/ids.js";
import { beginLife, disposable } from "../../runtime/lifetime.js";
import { offerRows, residentRows } from "../../runtime/rows.js";
import { asFloat32, Tensor } from "../../runtime/tensor.js";
import { guard } from "../../runtime/wasm.js";
import { DRAW_DEFAULTS, drawAll, drawnRows, readDraw } from "./draw.js";
import { distinct, occurrences, readForm, readGradient, sumByRow } from "./gradients.js";
import { memory, readStep } from "./optimizer.js";
import { packedRows, readDtype } from "./quantized.js";
import { readTable, register } from "./resident.js";

const STORAGES = /** @type {const} */ (["resident", "on-demand"]);

/** phasor::half::Dtype, in its order. */
const SCALE_DTYPES = /** @type {const} */ (["float32", "float16", "bfloat16"]);

const NONE = new Int32Array();

/** Bytes of a number in each dtype that weights are kept in. */
const BYTES = Object.freeze({ float64: 8, float32: 4, float16: 2, bfloat16: 2, int8: 1 });

/**
 * @typedef {object} TableOptions
 * @property {TensorInput} [weights]  [V, D]; without them the table is drawn at random
 * @property {typeof STORAGES[number]} [storage]  `resident` (default): kept in WASM memory;
 *   `on-demand`: nothing is kept, rows are drawn anew whenever they are looked up (`philox` only)
 * @property {number} [paddingIdx]  a row that gets no gradient, and is 0 in a table that is drawn
 *   (given weights stay as they are; a lookup gives whatever the row holds); -1 is the last
 * @property {number} [maxNorm]  each lookup first shortens, in the table itself, every row it asks
 *   for whose norm n is larger, once: by maxNorm / (n + 1e-7)
 * @property {number} [normType]  p of that norm, (sum |w|^p)^(1/p); may be Infinity; default 2
 */

/** @typedef {TableOptions & DrawOptions} CreateOptions */

/**
 * @typedef {object} LookupOptions
 * @property {"sqrt" | number} [scale]  every row is multiplied by it; `sqrt` means sqrt(D); default 1
 * @property {typeof SCALE_DTYPES[number]} [scaleDtype]  what the scale is rounded to before: Gemma's
 *   is `bfloat16`, in which sqrt(3072) is 55.5; default `float32`
 * @property {TensorInput} [add]  added afterwards: positions, of the result's last axes
 * @property {Float32Array | Tensor} [out]  filled instead of a new array
 */

/**
 * @template {GradientForm} Form
 * @typedef {object} GradientRules
 * @property {boolean} [scaleGradByFreq]  divides each row by how often its id occurs; default false
 * @property {Form} [form]  `dense` (default), all rows, or `sparse`, those that occur
 */

/**
 * `scale` and `scaleDtype` are those of the lookup.
 * @template {GradientForm} Form
 * @typedef {Pick<LookupOptions, "scale" | "scaleDtype"> & GradientRules<Form>} GradientOptions
 */

/**
 * A table of V rows of D weights, one row for each token.
 * @typedef {object} EmbeddingTable
 * @property {number} vocabulary  V
 * @property {number} dim  D
 * @property {number} parameterCount  V * D
 * @property {number | undefined} paddingIdx  the row that gets no gradient, from 0 on
 * @property {(options?: {dtype?: keyof typeof BYTES}) => number} bytes  of all weights;
 *   `dtype` of each, default float32
 * @property {(ids: number | TensorInput, options?: LookupOptions) => Tensor} lookup
 *   `scale * table[ids] + add`: float32 [...ids.shape, D], the caller's own. `TypeError` or
 *   `RangeError` for an id that is not a whole number from 0 to V-1, `DisposedError` after dispose()
 * @property {(ids: number | TensorInput, options?: {out?: Float32Array | Tensor}) => Tensor} oneHot
 *   the same rows the long way, as the product one_hot(ids) x table with every product formed
 *   (2 V D operations a token: for teaching)
 * @property {<Form extends GradientForm = "dense">(ids: number | TensorInput, gradOut: TensorInput, options?: GradientOptions<Form>) => GradientOf<Form>} gradient
 *   of the weights, given that of `lookup(ids, { scale, scaleDtype })`: row r is the sum of `scale *
 *   gradOut[t]` over the t with ids[t] = r, in their order, in double and rounded once. float32
 *   [V, D], or {rows [R], values [R, D]}; the padding row gets none
 * @property {(gradient: TensorInput | {rows: TensorInput, values: TensorInput}, options?: StepOptions) => void} step
 *   change the weights against a gradient: one step of an optimiser. Its state (velocity, moments,
 *   number of steps) stays with the table; another `optimizer` begins afresh
 * @property {(x: TensorInput, options?: {out?: Float32Array | Tensor}) => Tensor} logits
 *   of tied weights: the product of x [..., D] with every row, float32 [..., V], summed in double
 * @property {(options?: {out?: Float32Array | Tensor}) => Tensor} weights  a copy: float32 [V, D]
 * @property {() => void} dispose  give the memory back; twice does nothing
 */

/**
 * Token embedding: what a token is.
 * @param {Core} core
 */
export function embedding(core) {
  const raw =
    /**
     * @type {Raw & {
     *   embedding_lookup(table: number, V: number, D: number, ids: number, T: number, scale: number,
     *     add: number, A: number, out: number): number,
     *   embedding_rounded(x: number, dtype: number): number,
     *   embedding_renormalize(table: number, V: number, D: number, rows: number, R: number,
     *     maxNorm: number, p: number): number,
     *   embedding_logits(table: number, V: number, D: number, first: number, N: number, x: number,
     *     T: number, out: number): number,
     *   embedding_one_hot_product(table: number, V: number, D: number, ids: number, T: number,
     *     out: number): number,
     * }}
     */ (core.raw);

  return {
    /**
     * A table of V rows of D weights: given, or drawn from a seed.
     *
     * @param {number} vocabulary  V
     * @param {number} dim  D
     * @param {CreateOptions} [options]
     * @returns {EmbeddingTable} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @throws {OutOfMemoryError} if the table does not fit
     * @see Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3; Glorot and Bengio 2010;
     *   PyTorch's nn.Embedding (padding, norms, gradients); Press and Wolf 2017, Using the output
     *   embedding, https://arxiv.org/abs/1608.05859 (tied logits); Kingma and Ba 2015,
     *   https://arxiv.org/abs/1412.6980 (Adam)
     * @example
     * const table = embedding.create(3, 2, { weights: [[1, 2], [3, 4], [5, 6]] });
     * table.lookup([2, 0]).toArray()
     * // [[5, 6], [1, 2]]
     * table.logits([1, 0]).toArray()
     * // [1, 3, 5]
     * const gradient = table.gradient([2, 0, 2], [[1, 0], [0, 1], [1, 0]], { form: "sparse" });
     * gradient.rows.toArray()
     * // [0, 2]
     * gradient.values.toArray()
     * // [[0, 1], [2, 0]]
     * table.step(gradient, { learningRate: 0.5 });
     * table.weights().toArray()
     * // [[1, 1.5], [3, 4], [4, 6]]
     */
    create(vocabulary, dim, options = {}) {
      const V = check.integer(vocabulary, "vocabulary");
      const D = check.integer(dim, "dim");
      const given = check.options(options, CREATE_DEFAULTS, "embedding.create");
      const storage = check.oneOf(given.storage, "storage", STORAGES);
      const rules = readRules(given, V);
      for (const [what, wanted] of [
        ["given weights", given.weights],
        ["maxNorm", rules.limit],
      ]) {
        if (wanted === undefined || storage === "resident") continue;
        throw new RangeError(`storage must be "resident" for ${what}; got "${storage}"`);
      }
      if (given.weights !== undefined) {
        return residentTable(V, D, rules, giveWeights(given.weights, V, D));
      }
      const draw = readDraw(given, V, D);
      if (storage === "on-demand") {
        if (draw.generator !== "philox") {
          throw new RangeError(
            'generator must be "philox" for storage "on-demand": only its rows can be drawn alone; got "torch"',
          );
        }
        return table(V, D, rules, drawnRows(core, D, draw, rules.padding), () => {});
      }
      return residentTable(V, D, rules, drawAll(core, V, D, draw, rules.padding));
    },

    /**
     * A table of V rows of D weights in few bits, filled in pieces and read only: GPT-2's 50,257 x 768
     * take 147 MiB as float32, 38 MiB as int8.
     *
     * Of each row w the table knows how far the kept row w' is off at most, so that a search can say
     * what is certain of the weights as they were given: `nearest`.
     *
     * @param {number} vocabulary  V
     * @param {number} dim  D
     * @param {PackedOptions} [options]
     * @returns {PackedTable} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @throws {OutOfMemoryError} if the table does not fit
     * @see Dettmers et al. 2022, LLM.int8(), https://arxiv.org/abs/2208.07339, section 2.1 (absmax
     *   quantization)
     * @example
     * const table = embedding.quantize(3, 2, { dtype: "int8" });
     * table.write(1, [[127, 50.4], [-1, 0.5]]);
     * table.lookup([0, 1]).toArray()
     * // [[0, 0], [127, 50]]
     * nearest(table, [127, 51], { k: 1 }).ids.toArray()
     * // [1]
     */
    quantize(vocabulary, dim, options = {}) {
      const V = check.integer(vocabulary, "vocabulary");
      const D = check.integer(dim, "dim");
      const defaults = { dtype: "float32", weights: undefined };
      const given = check.options(options, defaults, "embedding.quantize");
      const dtype = readDtype(given.dtype);
      const kept = packedRows(core, V, D, dtype);
      const rules = { padding: -1 };
      const inner = table(V, D, rules, { draw: kept.draw }, freeingAt(kept.at));
      const { lookup, weights, dispose } = inner;
      const { live } = readTable(inner, core);
      if (given.weights !== undefined) {
        try {
          kept.write(0, given.weights, "weights", live);
        } catch (cause) {
          dispose();
          throw cause;
        }
      }
      /** @type {PackedTable} */
      const self = {
        ...{ vocabulary: V, dim: D, dtype, lookup, weights, dispose },
        bytes: () => kept.bytes,
        write(first, rows) {
          live();
          kept.write(check.integer(first, "first", 0, V), rows, "rows", live);
        },
      };
      offerRows(self, core, kept.rows(live));
      return disposable(self);
    },

    /**
     * The one-hot rows of ids: 1 at the id, 0 elsewhere.
     *
     * @param {number | TensorInput} ids  whole numbers from 0 to V-1, of any shape
     * @param {number} vocabulary  V
     * @param {{out?: Float32Array | Tensor}} [options]
     * @returns {Tensor} float32 [...ids.shape, V]; the caller's own
     * @throws {TypeError | RangeError} if an id is not a whole number from 0 to V-1
     * @see PyTorch, torch.nn.functional.one_hot
     * @example
     * embedding.oneHot([2, 0], 3).toArray()
     * // [[0, 0, 1], [1, 0, 0]]
     */
    oneHot(ids, vocabulary, options = {}) {
      const V = check.integer(vocabulary, "vocabulary");
      const { out } = check.options(options, { out: undefined }, "embedding.oneHot");
      const { data, shape } = readIds(ids, V);
      const rows = check.destination(out, [...shape, V]).fill(0);
      for (let t = 0; t < data.length; ++t) rows[t * V + data[t]] = 1;
      return new Tensor(rows, [...shape, V]);
    },
  };

  /**
   * @param {number} V @param {number} D @param {Rules} rules
   * @param {(at: number) => void} fill  writes the weights at an address
   */
  function residentTable(V, D, rules, fill) {
    const at = guard(core, () => allocate(core, `a table of ${V} x ${D}`, V * D * 4));
    const optimizer = memory(core, V, D, at);
    const free = freeing(at, optimizer);
    try {
      guard(core, () => fill(at));
    } catch (cause) {
      free();
      throw cause;
    }
    return table(V, D, rules, { at, optimizer }, free);
  }

  /** What frees an address. @param {number} at */
  function freeingAt(at) {
    return () => {
      if (!core.dead) core.raw._free(at);
    };
  }

  /**
   * What frees a table. Nothing else is held: the weights that were given can go.
   * @param {number} at @param {Kept["optimizer"]} optimizer
   */
  function freeing(at, optimizer) {
    return () => {
      if (core.dead) return;
      core.raw._free(at);
      optimizer.free();
    };
  }

  /**
   * Where rows come from: an address, or a function that draws some of them to an address.
   * @typedef {{at: number, optimizer: ReturnType<typeof memory>}} Kept
   * @typedef {Kept | {draw: (ids: number, T: number, to: number) => void}} Rows
   */

  /**
   * @param {number} V @param {number} D @param {Rules} rules @param {Rows} source
   * @param {() => void} free
   * @returns {EmbeddingTable}
   */
  function table(V, D, { padding, limit }, source, free) {
    const { live, dispose } = beginLife("the embedding table", free);
    /** What only a table in memory has. @param {string} where @returns {Kept} */
    const kept = (where) => {
      if ("at" in source) return source;
      throw new RangeError(`storage must be "resident" for ${where}; got "on-demand"`);
    };
    const due = (/** @type {Int32Array} */ ids) => (limit ? distinct(ids) : NONE);
    /** @param {number} rows @param {number} R */
    const renormalize = (rows, R) => {
      if (!limit || R === 0) return;
      const { at } = kept("maxNorm");
      const { maxNorm, normType } = limit;
      checkStatus(raw.embedding_renormalize(at, V, D, rows, R, maxNorm, normType), "maxNorm");
    };

    /** @type {EmbeddingTable} */
    const self = {
      vocabulary: V,
      dim: D,
      parameterCount: V * D,
      paddingIdx: padding < 0 ? undefined : padding,

      bytes(options = {}) {
        const { dtype } = check.options(options, { dtype: "float32" }, "bytes");
        const known = /** @type {(keyof typeof BYTES)[]} */ (Object.keys(BYTES));
        return V * D * BYTES[check.oneOf(dtype, "dtype", known)];
      },

      lookup(ids, options = {}) {
        live();
        const where = "lookup";
        const { scale, scaleDtype, add, out } = check.options(options, LOOKUP_DEFAULTS, where);
        const factor = readScale(scale, scaleDtype, D);
        const { data, shape } = readIds(ids, V);
        const result = check.destination(out, [...shape, D]);
        const given = readAdd(add, [...shape, D]);
        const places = given && check.overlaps(given, result) ? given.slice() : given;
        live(); // a getter among the arguments may have called dispose()
        gather(data, places, result, where, (idsAt, T, addAt, A, drawnAt, outAt) =>
          "at" in source
            ? raw.embedding_lookup(source.at, V, D, idsAt, T, factor, addAt, A, outAt)
            : raw.embedding_lookup(drawnAt, T, D, idsAt, T, factor, addAt, A, outAt),
        );
        return new Tensor(result, [...shape, D]);
      },

      oneHot(ids, options = {}) {
        live();
        const where = "oneHot";
        const { out } = check.options(options, { out: undefined }, where);
        const { data, shape } = readIds(ids, V);
        const result = check.destination(out, [...shape, D]);
        const { at } = kept(where);
        live();
        gather(data, undefined, result, where, (idsAt, T, _addAt, _A, _drawnAt, outAt) =>
          raw.embedding_one_hot_product(at, V, D, idsAt, T, outAt),
        );
        return new Tensor(result, [...shape, D]);
      },

      gradient(ids, gradOut, options = {}) {
        live();
        const where = "gradient";
        const given = check.options(options, GRADIENT_DEFAULTS, where);
        const { scale, scaleDtype, scaleGradByFreq, form } = given;
        const factor = readScale(scale, scaleDtype, D);
        const byFrequency = check.boolean(scaleGradByFreq, "scaleGradByFreq");
        const of = { vocabulary: V, dim: D, form: readForm(form) };
        const { data, shape } = readIds(ids, V);
        const gradients = readGradient(gradOut, [...shape, D], "gradOut");
        kept(where);
        live();
        const places = Int32Array.from(data.keys()).filter((t) => data[t] !== padding);
        const rows = places.map((t) => data[t]);
        const counts = byFrequency ? occurrences(data) : undefined;
        const factors = Float64Array.from(rows, (row) => factor / (counts?.get(row) ?? 1));
        return /** @type {any} */ (
          sumByRow(core, where, of, rows, factors, (n, heap, at) =>
            heap.set(gradients.subarray(places[n] * D, (places[n] + 1) * D), at),
          )
        );
      },

      step(gradient, options = {}) {
        live();
        const step = readStep(gradient, options, V, D);
        const { optimizer } = kept("step");
        live();
        optimizer.apply(step);
      },

      logits(x, options = {}) {
        live();
        const where = "logits";
        const { out } = check.options(options, { out: undefined }, where);
        const given = asFloat32(x, "x");
        const shape = [...given.shape.slice(0, -1), V];
        if (given.shape.at(-1) !== D) {
          throw new RangeError(`x must have shape [..., ${D}]; got [${given.shape.join(", ")}]`);
        }
        const result = check.destination(out, shape);
        const data = check.overlaps(given.data, result) ? given.data.slice() : given.data;
        const { at } = kept(where);
        live();
        score(data, result, where, at);
        return new Tensor(result, shape);
      },

      weights(options = {}) {
        live();
        const { out } = check.options(options, { out: undefined }, "weights");
        const result = check.destination(out, [V, D]);
        live();
        if ("at" in source) guard(core, () => take(core, source.at, V * D, result));
        else
          self.lookup(
            Int32Array.from({ length: V }, (_, id) => id),
            { out: result },
          );
        return new Tensor(result, [V, D]);
      },

      dispose,
    };
    const address = (/** @type {string} */ where) => {
      live();
      return kept(where).at;
    };
    register(self, { core, vocabulary: V, dim: D, padding, address, live, due, renormalize });
    if ("at" in source)
      offerRows(
        self,
        core,
        residentRows(V, D, () => address("its rows")),
      );
    return disposable(self);

    /**
     * Run a kernel over ids tile by tile. Rows of `places` repeat: the outer loop goes over them,
     * so that each is copied in once.
     * @param {Int32Array} ids @param {Float32Array | undefined} places @param {Float32Array} result
     * @param {string} where
     * @param {(ids: number, T: number, add: number, A: number, drawn: number, out: number) => number} kernel
     */
    function gather(ids, places, result, where, kernel) {
      const rowBytes = D * 4;
      const period = places ? places.length / D : ids.length;
      const rows = tileRows(rowBytes, period);
      const drawn = "draw" in source;
      const pieces = [
        rows * 4,
        rows * rowBytes,
        places ? rows * rowBytes : 0,
        drawn ? rows * rowBytes : 0,
      ];
      if (ids.length === 0) return;
      const long = due(ids);
      withMemory(core, where, pieces, (idsAt, outAt, addAt, drawnAt) => {
        for (let from = 0; from < long.length; from += rows) {
          const some = long.subarray(from, from + rows);
          put(core, some, idsAt);
          renormalize(idsAt, some.length);
        }
        for (let from = 0; from < period; from += rows) {
          const T = Math.min(rows, period - from);
          if (places) put(core, places.subarray(from * D, (from + T) * D), addAt);
          for (let start = from; start < ids.length; start += period) {
            core.raw.HEAP32.set(ids.subarray(start, start + T), idsAt >>> 2);
            if (drawn) {
              source.draw(idsAt, T, drawnAt);
              for (let t = 0; t < T; ++t) core.raw.HEAP32[(idsAt >>> 2) + t] = t;
            }
            checkStatus(kernel(idsAt, T, addAt, places ? T : 0, drawnAt, outAt), where);
            take(core, outAt, T * D, result, start * D);
          }
        }
      });
    }

    /**
     * Products of rows of x with all rows, in tiles of both: the table goes by once for each tile of
     * x, in pieces that stay in the cache.
     * @param {Float32Array} x @param {Float32Array} result @param {string} where @param {number} at
     */
    function score(x, result, where, at) {
      const T = x.length / D;
      const rows = Math.min(tileRows(D * 4, T), 256);
      const columns = tileRows(Math.max(D, rows) * 4, V);
      if (T === 0) return;
      withMemory(core, where, [rows * D * 4, rows * columns * 4], (xAt, outAt) => {
        for (let t = 0; t < T; t += rows) {
          const count = Math.min(rows, T - t);
          put(core, x.subarray(t * D, (t + count) * D), xAt);
          for (let v = 0; v < V; v += columns) {
            const N = Math.min(columns, V - v);
            checkStatus(raw.embedding_logits(at, V, D, v, N, xAt, count, outAt), where);
            for (let k = 0; k < count; ++k)
              take(core, outAt + k * N * 4, N, result, (t + k) * V + v);
          }
        }
      });
    }
  }

  /** The scale as it multiplies. @param {unknown} scale @param {unknown} dtype @param {number} D */
  function readScale(scale, dtype, D) {
    const rule = '"sqrt" or a float32 number';
    const given =
      scale === "sqrt"
        ? Math.sqrt(D)
        : check.finite(scale, "scale", rule, (x) => Math.abs(x) <= check.MOST);
    if (dtype === "float32") return Math.fround(given);
    const kind = SCALE_DTYPES.indexOf(check.oneOf(dtype, "scaleDtype", SCALE_DTYPES));
    const rounded = guard(core, () => raw.embedding_rounded(given, kind));
    if (Number.isFinite(rounded)) return rounded;
    throw new RangeError(`scale must be within ${SCALE_DTYPES[kind]}; got ${given}`);
  }

  /** @param {unknown} weights @param {number} V @param {number} D */
  function giveWeights(weights, V, D) {
    const { data, shape } = asFloat32(weights, "weights");
    if (data.length !== V * D || (shape.length > 1 && (shape.length !== 2 || shape[0] !== V))) {
      throw new RangeError(`weights must have shape [${V}, ${D}]; got [${shape.join(", ")}]`);
    }
    return (/** @type {number} */ at) => put(core, data, at);
  }
}

const CREATE_DEFAULTS = Object.freeze({
  weights: undefined,
  ...DRAW_DEFAULTS,
  storage: "resident",
  paddingIdx: undefined,
  maxNorm: undefined,
  normType: 2,
});

const SCALE_DEFAULTS = { scale: 1, scaleDtype: "float32" };
const LOOKUP_DEFAULTS = Object.freeze({ ...SCALE_DEFAULTS, add: undefined, out: undefined });
const GRADIENT_DEFAULTS = Object.freeze({
  ...SCALE_DEFAULTS,
  scaleGradByFreq: false,
  form: "dense",
});

/**
 * What holds for a table's rows, however they are kept.
 * @typedef {object} Rules
 * @property {number} padding  a row; -1 for none
 * @property {{maxNorm: number, normType: number}} [limit]
 */

/**
 * @param {{paddingIdx: unknown, maxNorm: unknown, normType: unknown}} given @param {number} V
 * @returns {Rules}
 */
function readRules({ paddingIdx, maxNorm, normType }, V) {
  const row =
    paddingIdx === undefined ? undefined : check.integer(paddingIdx, "paddingIdx", -V, V - 1);
  const positive = (/** @type {number} */ x) => x > 0;
  const p =
    normType === Infinity
      ? Infinity
      : check.finite(normType, "normType", "a number > 0, or Infinity", positive);
  const most =
    maxNorm === undefined ? undefined : check.finite(maxNorm, "maxNorm", "a number > 0", positive);
  return {
    padding: row === undefined ? -1 : row < 0 ? row + V : row,
    limit: most === undefined ? undefined : { maxNorm: most, normType: p },
  };
}

/**
 * @param {unknown} add @param {readonly number[]} shape  of the result
 * @returns {Float32Array | undefined}
 */
function readAdd(add, shape) {
  if (add === undefined) return undefined;
  const given = asFloat32(add, "add");
  const tail = shape.slice(shape.length - given.shape.length);
  if (given.shape.length > shape.length || tail.join() !== given.shape.join()) {
    throw new RangeError(
      `add must have the last axes of [${shape.join(", ")}]; got [${given.shape.join(", ")}]`,
    );
  }
  return given.data;
}
