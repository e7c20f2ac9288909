/** @import { Core, Raw } from "../../api/wasm.js" */
/** @import { TensorInput } from "../../api/tensor.js" */
import * as check from "../../api/check.js";
import { Disposed, must } from "../../api/errors.js";
import { allocate, lend, put, take, tileRows } from "../../api/heap.js";
import { readIds } from "../../api/ids.js";
import { halves, readSeed } from "../../api/seed.js";
import { asFloat32, Tensor } from "../../api/tensor.js";
import { guard } from "../../api/wasm.js";

const INITS = /** @type {const} */ (["normal", "uniform", "xavier-normal", "xavier-uniform"]);
const GENERATORS = /** @type {const} */ (["philox", "torch"]);
const STORAGES = /** @type {const} */ (["resident", "on-demand"]);

/** Bytes of a number in each dtype that weights are kept in. */
const BYTES = Object.freeze({ float64: 8, float32: 4, float16: 2, bfloat16: 2, int8: 1 });

/** phasor::embedding::Distribution */
const UNIFORM = 0;
const NORMAL = 1;

/**
 * @typedef {object} CreateOptions
 * @property {TensorInput} [weights]  [V, D]; without them the table is drawn at random
 * @property {typeof INITS[number]} [init]  `normal` (default), `uniform`, or Glorot's
 *   `xavier-normal` and `xavier-uniform` with fan D + V
 * @property {number} [mean]  of `normal`; default 0
 * @property {number} [std]  of `normal`; default 1 as nn.Embedding, 0.02 as GPT-2
 * @property {number} [low]  of `uniform`; default 0
 * @property {number} [high]  of `uniform`, itself left out; default 1
 * @property {number} [gain]  of the xavier kinds; default 1
 * @property {number | bigint} [seed]  0 .. 2^64-1; default 0
 * @property {typeof GENERATORS[number]} [generator]  `philox` (default): each weight depends on the
 *   seed and its place alone; `torch`: the numbers of `torch.manual_seed(seed)` on a CPU
 * @property {readonly (readonly number[])[]} [after]  with `torch`: shapes of the normal tables
 *   drawn before this one from the same seed
 * @property {typeof STORAGES[number]} [storage]  `resident` (default): kept in WASM memory;
 *   `on-demand`: nothing is kept, rows are drawn anew whenever they are looked up (`philox` only)
 */

/**
 * @typedef {object} LookupOptions
 * @property {"sqrt" | number} [scale]  every row is multiplied by it; `sqrt` means sqrt(D); default 1
 * @property {TensorInput} [add]  added afterwards: positions, of the result's last axes
 * @property {Float32Array | Tensor} [out]  filled instead of a new array
 */

/**
 * A table of V rows of D weights, one row for each token.
 * @typedef {object} EmbeddingTable
 * @property {number} vocabulary  V
 * @property {number} dim  D
 * @property {number} parameters  V * D
 * @property {(options?: {dtype?: keyof typeof BYTES}) => number} bytes  of all weights in a dtype
 *   (default float32)
 * @property {(ids: number | TensorInput, options?: LookupOptions) => Tensor} lookup
 *   `scale * table[ids] + add`: float32 [...ids.shape, D], the caller's own. `TypeError` or
 *   `RangeError` for an id that is not a whole number from 0 to V-1, `Disposed` after dispose()
 * @property {(ids: number | TensorInput, options?: {out?: Float32Array | Tensor}) => Tensor} oneHot
 *   the same rows the long way, as the product one_hot(ids) x table with every product formed
 *   (2 V D operations a token: for teaching)
 * @property {(options?: {out?: Float32Array | Tensor}) => Tensor} weights  a copy: float32 [V, D]
 * @property {() => void} dispose  give the memory back; twice does nothing
 */

/** Frees the memory of tables that were dropped without dispose(). */
const forgotten =
  typeof FinalizationRegistry === "function"
    ? new FinalizationRegistry(/** @param {() => void} free */ (free) => free())
    : undefined;

/**
 * Token embedding: what a token is.
 * @param {Core} core
 */
export function embedding(core) {
  const raw =
    /**
     * @type {Raw & {
     *   embedding_draw(rows: number, T: number, D: number, kind: number, a: number, b: number,
     *     seedLow: number, seedHigh: number, out: number): number,
     *   embedding_draw_all(V: number, D: number, kind: number, a: number, b: number, seedLow: number,
     *     seedHigh: number, out: number): number,
     *   embedding_draw_torch(V: number, D: number, kind: number, a: number, b: number, seed: number,
     *     before: number, tables: number, out: number): number,
     *   embedding_lookup(table: number, V: number, D: number, ids: number, T: number, scale: number,
     *     add: number, A: number, out: number): number,
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
     * @returns {EmbeddingTable}
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @throws {OutOfMemory} if the table does not fit
     * @see Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3; Glorot and Bengio 2010
     * @example
     * const table = embedding.create(3, 2, { weights: [[1, 2], [3, 4], [5, 6]] });
     * table.lookup([2, 0]).toArray()
     * // [[5, 6], [1, 2]]
     */
    create(vocabulary, dim, options = {}) {
      const V = check.integer(vocabulary, "vocabulary");
      const D = check.integer(dim, "dim");
      const given = check.options(options, CREATE_DEFAULTS, "embedding.create");
      const storage = check.oneOf(given.storage, "storage", STORAGES);
      if (given.weights !== undefined) {
        if (storage !== "resident") {
          throw new RangeError(`storage must be "resident" for given weights; got "${storage}"`);
        }
        return residentTable(V, D, giveWeights(given.weights, V, D));
      }
      const draw = readDraw(given, V, D);
      if (storage === "on-demand") {
        if (draw.generator !== "philox") {
          throw new RangeError(
            'generator must be "philox" for storage "on-demand": only its rows can be drawn alone; got "torch"',
          );
        }
        return table(V, D, drawnRows(D, draw), () => {});
      }
      return residentTable(V, D, drawAll(V, D, draw));
    },

    /**
     * The one-hot rows of ids: 1 at the id, 0 elsewhere.
     *
     * @param {number | TensorInput} ids
     * @param {number} vocabulary  V
     * @param {{out?: Float32Array | Tensor}} [options]
     * @returns {Tensor} float32 [...ids.shape, V]; the caller's own
     * @throws {TypeError | RangeError} if an id is not a whole number from 0 to V-1
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
   * @param {number} V @param {number} D
   * @param {(at: number) => void} fill  writes the weights at an address
   */
  function residentTable(V, D, fill) {
    const at = guard(core, () => allocate(core, `a table of ${V} x ${D}`, V * D * 4));
    const free = once(() => {
      if (!core.dead) core.raw._free(at);
    });
    try {
      guard(core, () => fill(at));
    } catch (cause) {
      free();
      throw cause;
    }
    return table(V, D, { at }, free);
  }

  /**
   * Where rows come from: an address, or a function that draws some of them to an address.
   * @typedef {{at: number} | {draw: (ids: number, T: number, to: number) => void}} Rows
   */

  /**
   * @param {number} V @param {number} D @param {Rows} source @param {() => void} free
   * @returns {EmbeddingTable}
   */
  function table(V, D, source, free) {
    // What every method holds: while one of them can be called, the memory must stay.
    const life = { over: false };
    const live = () => {
      if (life.over) throw new Disposed("the embedding table");
    };

    /** @type {EmbeddingTable & {[key: symbol]: unknown}} */
    const self = {
      vocabulary: V,
      dim: D,
      parameters: V * D,

      bytes(options = {}) {
        const { dtype } = check.options(options, { dtype: "float32" }, "bytes");
        const known = /** @type {(keyof typeof BYTES)[]} */ (Object.keys(BYTES));
        return V * D * BYTES[check.oneOf(dtype, "dtype", known)];
      },

      lookup(ids, options = {}) {
        live();
        const where = "lookup";
        const defaults = { scale: 1, add: undefined, out: undefined };
        const { scale, add, out } = check.options(options, defaults, where);
        const factor = readScale(scale, D);
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
        if ("draw" in source) {
          throw new RangeError('storage must be "resident" for oneHot; got "on-demand"');
        }
        live();
        gather(data, undefined, result, where, (idsAt, T, _addAt, _A, _drawnAt, outAt) =>
          raw.embedding_one_hot_product(source.at, V, D, idsAt, T, outAt),
        );
        return new Tensor(result, [...shape, D]);
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

      dispose() {
        if (life.over) return;
        life.over = true;
        forgotten?.unregister(life);
        free();
      },
    };
    if (Symbol.dispose) self[Symbol.dispose] = self.dispose;
    forgotten?.register(life, free, life);
    return Object.freeze(self);

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
      lend(core, where, pieces, (idsAt, outAt, addAt, drawnAt) => {
        for (let from = 0; from < period; from += rows) {
          const T = Math.min(rows, period - from);
          if (places) put(core, places.subarray(from * D, (from + T) * D), addAt);
          for (let start = from; start < ids.length; start += period) {
            core.raw.HEAP32.set(ids.subarray(start, start + T), idsAt >>> 2);
            if (drawn) {
              source.draw(idsAt, T, drawnAt);
              for (let t = 0; t < T; ++t) core.raw.HEAP32[(idsAt >>> 2) + t] = t;
            }
            must(kernel(idsAt, T, addAt, places ? T : 0, drawnAt, outAt), where);
            take(core, outAt, T * D, result, start * D);
          }
        }
      });
    }
  }

  /** @param {unknown} weights @param {number} V @param {number} D */
  function giveWeights(weights, V, D) {
    const { data, shape } = asFloat32(weights, "weights");
    if (data.length !== V * D || (shape.length > 1 && (shape.length !== 2 || shape[0] !== V))) {
      throw new RangeError(`weights must have shape [${V}, ${D}]; got [${shape.join(", ")}]`);
    }
    return (/** @type {number} */ at) => put(core, data, at);
  }

  /**
   * @param {number} D @param {Draw} draw
   * @returns {Rows}
   */
  function drawnRows(D, { kind, a, b, seed }) {
    const [low, high] = halves(seed);
    return {
      draw: (ids, T, to) =>
        must(raw.embedding_draw(ids, T, D, kind, a, b, low, high, to), "lookup"),
    };
  }

  /** @param {number} V @param {number} D @param {Draw} draw */
  function drawAll(V, D, { generator, kind, a, b, seed, before }) {
    const where = "embedding.create";
    return (/** @type {number} */ at) => {
      if (generator === "philox") {
        must(raw.embedding_draw_all(V, D, kind, a, b, ...halves(seed), at), where);
        return;
      }
      lend(core, where, [before.length * 8], (list) => {
        core.raw.HEAPF64.set(before, list >>> 3);
        const [low] = halves(seed);
        must(raw.embedding_draw_torch(V, D, kind, a, b, low, list, before.length, at), where);
      });
    };
  }
}

const CREATE_DEFAULTS = Object.freeze({
  weights: undefined,
  init: "normal",
  mean: 0,
  std: 1,
  low: 0,
  high: 1,
  gain: 1,
  seed: 0,
  generator: "philox",
  after: [],
  storage: "resident",
});

/**
 * @typedef {object} Draw
 * @property {typeof GENERATORS[number]} generator
 * @property {number} kind
 * @property {number} a
 * @property {number} b
 * @property {bigint} seed
 * @property {number[]} before  elements of tables drawn earlier
 */

/**
 * @param {Record<keyof typeof CREATE_DEFAULTS, unknown>} given @param {number} V @param {number} D
 * @returns {Draw}
 */
function readDraw({ init, mean, std, low, high, gain, seed, generator, after }, V, D) {
  const drawnBy = check.oneOf(generator, "generator", GENERATORS);
  const middle = check.finite(mean, "mean", "a number within 1e37", (x) => Math.abs(x) <= 1e37);
  const spread = check.finite(std, "std", "a number from 0 to 1e37", (x) => x >= 0 && x <= 1e37);
  const least = check.finite(low, "low", "a float32 number", (x) => Math.abs(x) <= check.MOST);
  const most = check.finite(high, "high", "a float32 number", (x) => Math.abs(x) <= check.MOST);
  if (!(Math.fround(least) < Math.fround(most))) {
    throw new RangeError(`low must be below high in float32; got ${least} and ${most}`);
  }
  const factor = check.finite(
    gain,
    "gain",
    "a number > 0, at most 1e37",
    (x) => x > 0 && x <= 1e37,
  );
  const glorot = factor * Math.sqrt(2 / (V + D));
  const range = Math.sqrt(3) * glorot;
  const kinds = /** @type {const} */ ({
    normal: [NORMAL, middle, spread],
    uniform: [UNIFORM, least, most],
    "xavier-normal": [NORMAL, 0, glorot],
    "xavier-uniform": [UNIFORM, -range, range],
  });
  const [kind, a, b] = kinds[check.oneOf(init, "init", INITS)];
  return { generator: drawnBy, kind, a, b, seed: readSeed(seed), before: readAfter(after) };
}

/** @param {unknown} after @returns {number[]} */
function readAfter(after) {
  if (!Array.isArray(after)) {
    throw new TypeError(`after must be an array of shapes; got ${check.describe(after)}`);
  }
  return after.map((shape, i) => {
    if (!Array.isArray(shape)) {
      throw new TypeError(`after[${i}] must be a shape; got ${check.describe(shape)}`);
    }
    return check.count(shape.map((size) => check.integer(size, `after[${i}]`, 0)));
  });
}

/** @param {unknown} scale @param {number} D */
function readScale(scale, D) {
  if (scale === "sqrt") return Math.sqrt(D);
  return check.finite(
    scale,
    "scale",
    '"sqrt" or a float32 number',
    (x) => Math.abs(x) <= check.MOST,
  );
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

/** @param {() => void} work */
function once(work) {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
