/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Asked, Sums } from "./sums.js" */
import { checkStatus } from "../../runtime/errors.js";
import { put, withHeldMemory } from "../../runtime/memory.js";
import { arrayRows } from "../../runtime/table.js";
import { read, sumsOf } from "./sums.js";
import { clear, doublesAt } from "./tiles.js";

/**
 * What the algorithm asks of the rows, wherever they are: sums over all of them, or copies of some.
 * @typedef {{sums: Asked, ids?: undefined} | {sums?: undefined, ids: Int32Array}} Request
 */

/**
 * The mean [D], the k largest eigenvalues, their directions [k, D] and the sum of all eigenvalues.
 * @typedef {{mean: Float64Array, eigenvalues: Float64Array, directions: Float64Array, total: number}} Leading
 */

/**
 * The algorithm, which gives requests and takes what they ask for.
 * @template Result
 * @typedef {Generator<Request, Result, any>} Asking
 */

/**
 * How far an eigenvalue may be from settled, relative to it (krylov.h). Sums of float32 err by up to 2^-22 of
 * the largest eigenvalue, so one below 2^-2 of that needs sums in double.
 */
const SETTLED = { float32: 2 ** -20, float64: 2 ** -30 };
const SPREAD = 2 ** -2;

/** The mean square of rows within which the products of `multiply_f32` are well within float32. */
const [LEAST_SQUARE, MOST_SQUARE] = [2 ** -60, 2 ** 60];

/** Passes: the most, the fewest that are worth a beginning, and the first tested. */
const MOST_PASSES = 24;
const LEAST_PASSES = 6;
const FIRST_TEST = 3;

/** Rows of a sample, of at least eight times as many, and the passes over it. */
const SAMPLE = 512;
const SAMPLE_PASSES = 3;

/** The length of the noise that is added to what a sample gives, so that no direction is left out. */
const NOISE = 0.1;

/** How much of the largest eigenvalue the square of a center's distance from the mean may be. */
const NEAR = 2 ** -2;

/**
 * Computes the mean, the k largest eigenvalues of (x - mean)^T (x - mean), their directions and the sum of
 * all eigenvalues, by block Lanczos (krylov.h). Returns nothing where that would not be faster than all
 * eigenvalues, or does not settle, or x is not finite.
 * @param {Core} core @param {{N: number, D: number}} shape  of x @param {number} k @param {Sums} accumulate
 * @returns {Asking<Leading | undefined>}
 */
export function* leading(core, { N, D }, k, accumulate) {
  // As many columns as components: equal variances need one each.
  const b = Math.ceil(k / 4) * 4;
  // A pass costs 2 N D b products, all products of columns N D min(N, D) / 2: this is half of them. In float32,
  // a pass costs half as much.
  const worthwhile = Math.floor(Math.min(N, D) / (8 * b));
  if (worthwhile < LEAST_PASSES) return undefined;
  const passes = Math.min(MOST_PASSES, accumulate === "float32" ? 2 * worthwhile : worthwhile);
  const most = passes * b;
  const pieces = [
    ((most + b) * D + most * most + b * b + most * (most + 3)) * 8,
    b * D * 8,
    D * 8,
    (k + 1) * 8,
    k * D * 8,
  ];
  return yield* withHeldMemory(core, pieces, function* (...at) {
    const lanczos = new Lanczos(core, { N, D, k, b, passes, accumulate }, at);
    const isSampled = accumulate === "float32" && N >= 8 * SAMPLE;
    if (!isSampled || !(yield* lanczos.startFromSample())) yield* lanczos.startFromMean();
    return yield* lanczos.result();
  });
}

class Lanczos {
  /**
   * @param {Core} core
   * @param {{N: number, D: number, k: number, b: number, passes: number, accumulate: Sums}} plan
   * @param {number[]} at  addresses
   */
  constructor(core, { N, D, k, b, passes, accumulate }, at) {
    const [basisAt, productsAt, workAt, valuesAt, directionsAt] = at;
    this.basisAt = basisAt;
    this.productsAt = productsAt;
    this.workAt = workAt;
    this.valuesAt = valuesAt;
    this.directionsAt = directionsAt;
    this.worstAt = valuesAt + k * 8;
    this.core = core;
    this.N = N;
    this.D = D;
    this.k = k;
    this.b = b;
    this.passes = passes;
    this.accumulate = accumulate;
    this.basis = /** @type {const} */ ([basisAt, D, b, passes * b]);
    /** A value of at most this of the largest counts as 0. */
    this.noise = Math.max(N, D) * Number.EPSILON;
    /** What is subtracted from rows. */
    this.center = new Float64Array(D);
    /** Whether that is the mean of all rows. */
    this.isMean = false;
    /** The sum of all eigenvalues; 0 before the first pass. */
    this.total = 0;
  }

  /** Begins with random vectors, and the mean of all rows. @returns {Asking<void>} */
  *startFromMean() {
    const { N, D } = this;
    const { columns, last } = read(yield { sums: this.columns() }, D);
    this.center = columns.map((sum) => sum / N);
    this.isMean = this.center.every(Number.isFinite);
    this.start(last);
  }

  /**
   * Begins with what stands out in a sample of the rows, about its mean. Returns whether its squares are within
   * float32.
   * @returns {Asking<boolean>}
   */
  *startFromSample() {
    const { core, N, D, b, basis } = this;
    const { raw } = core;
    const ids = Int32Array.from({ length: SAMPLE }, (_, i) => Math.floor((i * N) / SAMPLE));
    const data = yield { ids };
    const sample = arrayRows(core, { data, shape: [SAMPLE, D], N: SAMPLE, D });
    const { columns, last: key } = read(sumsOf(core, sample, this.columns()), D);
    // Rounded to float32, so that what `multiply_f32` subtracts is this center exactly.
    this.center = columns.map((sum) => Math.fround(sum / SAMPLE));
    this.start(key);
    const m = SAMPLE_PASSES * b;
    for (let done = b; done <= m; done += b) {
      const asked = this.multiplied(done, "float32", done === b ? "trace" : "nothing");
      const { products, last } = read(sumsOf(core, sample, asked), D);
      this.total += last;
      if (!isWithin(this.total / SAMPLE)) return false;
      this.extend(done, products);
    }
    this.ritz(m, 1);
    checkStatus(raw.pca_restart(...basis, m));
    checkStatus(raw.pca_start(...basis, key | 0, NOISE / Math.sqrt(D / 3)));
    this.total = 0;
    return true;
  }

  /** Makes the first vectors random. @param {number} key */
  start(key) {
    const { core, b, D } = this;
    clear(core, this.basisAt, b * D);
    checkStatus(core.raw.pca_start(...this.basis, key | 0, 1));
    this.total = 0;
  }

  /** Asks for the sums of columns, and a key. @returns {Asked} */
  columns() {
    const [center, vectors] = [new Float64Array(this.D), new Float64Array(0)];
    return { center, vectors, sums: "float64", also: "columns" };
  }

  /**
   * Asks for the products of the last b of m vectors. The arrays are copies: who answers may move them.
   * @param {number} m @param {Sums} sums @param {Asked["also"]} also
   * @returns {Asked}
   */
  multiplied(m, sums, also) {
    const { core, b, D, productsAt } = this;
    const isNarrow = sums === "float32";
    if (!isNarrow) checkStatus(core.raw.pca_last_block(...this.basis, m - b, productsAt));
    const vectors = isNarrow ? this.vectors(m) : doublesAt(core, productsAt, b * D);
    return { center: this.center.slice(), vectors, sums, also };
  }

  /** The last b of m vectors. @param {number} m */
  vectors(m) {
    const { core, b, D } = this;
    return doublesAt(core, this.basisAt + (m - b) * D * 8, b * D);
  }

  /**
   * Multiplies the first vectors about a center, and finds the mean and the trace. Returns nothing if the mean is
   * not finite.
   * @returns {Asking<Float64Array | undefined>} the products
   */
  *multiplyFirst() {
    const { N, D, b, center } = this;
    const first = yield { sums: this.multiplied(b, "float32", "moments") };
    const { products, columns, last } = read(first, D);
    const shift = columns.map((sum) => sum / N);
    this.center = center.map((x, d) => x + shift[d]);
    this.isMean = shift.every(Number.isFinite);
    if (!this.isMean) return undefined;
    const largest = recenter({ shift, N, b, vectors: this.vectors(b), products });
    const away = N * shift.reduce((sum, x) => sum + x * x, 0);
    this.total = last - away;
    if (away <= NEAR * largest) return products;
    // Products about a center far away have lost what is small beside that.
    const again = yield { sums: this.multiplied(b, "float32", "nothing") };
    return read(again, D).products;
  }

  /**
   * Multiplies the last b of m vectors.
   * @param {number} m @param {Sums} sums
   * @returns {Asking<Float64Array>}
   */
  *multiply(m, sums) {
    const also = this.total === 0 ? "trace" : "nothing";
    const found = yield { sums: this.multiplied(m, sums, also) };
    const { products, last } = read(found, this.D);
    this.total += last;
    return products;
  }

  /** Extends a basis of m vectors by what is new in the products. @param {number} m @param {Float64Array} products */
  extend(m, products) {
    put(this.core, products, this.productsAt);
    checkStatus(this.core.raw.pca_extend(...this.basis, m, this.productsAt));
  }

  /**
   * Extends the basis until all k eigenvalues have settled. Returns the vectors that it has then; 0 if that
   * would not be within all passes, the squares are not within float32, or the mean is not finite.
   * @param {Sums} sums @param {number} firstTest  passes before the first test
   * @returns {Asking<number>}
   */
  *settle(sums, firstTest) {
    const { passes, N } = this;
    for (let done = 1, first = 0; done <= passes; ++done) {
      const m = done * this.b;
      const products = this.isMean ? yield* this.multiply(m, sums) : yield* this.multiplyFirst();
      if (!products || (sums === "float32" && !isWithin(this.total / N))) return 0;
      this.extend(m, products);
      if (done < firstTest) continue;
      const worst = this.worstOf(m);
      if (worst <= 1) return m;
      first ||= worst;
      if (done < LEAST_PASSES) continue;
      // Falling on as it has since the first test, would it be above 1 after the last pass? Both sides
      // are raised to the number of passes since that test, which takes products alone.
      let last = 1;
      for (let i = firstTest; i < done; ++i) last *= worst;
      for (let i = done; i < passes; ++i) last *= worst / first;
      if (last > 1) return 0;
    }
    return 0;
  }

  /** Computes the k largest eigenvalues of m vectors. @param {number} m @param {number} settled */
  ritz(m, settled) {
    const { core, k, noise, valuesAt: values, worstAt: worst } = this;
    const [basis, D, b, most] = this.basis;
    checkStatus(core.raw.pca_ritz({ basis, values, worst, D, b, most, m, k, noise, settled }));
  }

  /** How far the k eigenvalues of m vectors are from settled: at most 1 if they are. @param {number} m */
  worstOf(m) {
    this.ritz(m, SETTLED[this.accumulate]);
    return this.core.raw.HEAPF64[this.worstAt / 8];
  }

  /** The vectors of the basis that has settled; 0 if none has. @returns {Asking<number>} */
  *settled() {
    const { core, N, k, valuesAt } = this;
    if (this.accumulate === "float64") return yield* this.settle("float64", FIRST_TEST);
    const m = yield* this.settle("float32", FIRST_TEST);
    if (!this.isMean) return 0;
    if (m === 0) return isWithin(this.total / N) ? 0 : yield* this.settle("float64", FIRST_TEST);
    const values = doublesAt(core, valuesAt, k);
    if (values[k - 1] >= SPREAD * values[0]) return m;
    checkStatus(core.raw.pca_restart(...this.basis, m));
    return yield* this.settle("float64", 1);
  }

  /** What has settled; nothing if it has not. @returns {Asking<Leading | undefined>} */
  *result() {
    const { core, D, basis, k, directionsAt, workAt } = this;
    const m = yield* this.settled();
    if (m === 0) return undefined;
    const eigenvalues = doublesAt(core, this.valuesAt, k);
    const known = eigenvalues.filter((x) => x > 0).length;
    checkStatus(core.raw.pca_assemble(...basis, m, directionsAt, k));
    checkStatus(core.raw.pca_finish(directionsAt, k, D, known, workAt));
    const directions = doublesAt(core, directionsAt, k * D);
    return { mean: this.center, eigenvalues, directions, total: this.total };
  }
}

/** Whether numbers of this mean square are well within float32. @param {number} square  of a row */
const isWithin = (square) => square >= LEAST_SQUARE && square <= MOST_SQUARE;

/**
 * Makes products about a center products about the mean:  A v = A' v - N shift (shift . v).
 * @param {{shift: Float64Array, N: number, b: number, vectors: Float64Array, products: Float64Array}} of  the mean
 *   less the center [D]; vectors [b, D], products [b / 4, D, 4]
 * @returns {number} the largest v . A v
 */
function recenter({ shift, N, b, vectors, products }) {
  const D = shift.length;
  let largest = 0;
  for (let c = 0; c < b; ++c) {
    const vector = vectors.subarray(c * D, (c + 1) * D);
    const from = Math.floor(c / 4) * D * 4 + (c % 4);
    const along = N * vector.reduce((sum, x, d) => sum + x * shift[d], 0);
    let square = 0;
    for (let d = 0; d < D; ++d) {
      const product = products[from + d * 4] - along * shift[d];
      products[from + d * 4] = product;
      square += product * vector[d];
    }
    largest = Math.max(largest, square);
  }
  return largest;
}
