/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows } from "../../runtime/table.js" */
/** @import { OverTiles } from "./tiles.js" */
import { checkStatus } from "../../runtime/errors.js";
import { copyFloats, put, take, tileBytes, tileRows, withMemory } from "../../runtime/memory.js";
import { clear, meanOf, MOST_ROWS, refuseInfinite, tilesOf, WHERE } from "./tiles.js";

/**
 * In what products are added up.
 * @typedef {"float32" | "float64"} Sums
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
 * eigenvalues, or does not settle.
 * @param {Core} core @param {Rows} rows @param {number} k @param {Sums} accumulate
 */
export function leading(core, rows, k, accumulate) {
  const { N, D } = rows;
  // As many columns as components: equal variances need one each.
  const b = Math.ceil(k / 4) * 4;
  // A pass costs 2 N D b products, all products of columns N D min(N, D) / 2: this is half of them. In float32,
  // a pass costs half as much.
  const worthwhile = Math.floor(Math.min(N, D) / (8 * b));
  const cheap = rows.resident || rows.data || rows.errorsAt; // reading rows anew costs little
  if (!cheap || worthwhile < LEAST_PASSES) return undefined;
  const passes = Math.min(MOST_PASSES, accumulate === "float32" ? 2 * worthwhile : worthwhile);
  const most = passes * b;
  const step = Math.max(4, Math.min(tileRows(D * 4, N), MOST_ROWS) & ~3); // whole fours
  const isSampled = accumulate === "float32" && N >= 8 * SAMPLE;
  const pieces = [
    ((most + b) * D + most * most + b * b + most * (most + 3)) * 8,
    ...[D * 8, D * 8, b * D * 8, b * D * 8, (4 + 2 * b) * (D + 4) * 8, (k + 2) * 8, k * D * 8],
    isSampled ? step * D * 4 : tileBytes(rows, step),
  ];
  return withMemory(core, WHERE, pieces, (...at) => {
    const lanczos = new Lanczos(core, rows, { k, b, passes, step, accumulate }, at);
    if (!isSampled || !lanczos.startFromSample()) lanczos.startFromMean();
    return lanczos.result();
  });
}

class Lanczos {
  /**
   * @param {Core} core @param {Rows} rows
   * @param {{k: number, b: number, passes: number, step: number, accumulate: Sums}} plan
   * @param {number[]} at  addresses
   */
  constructor(core, rows, { k, b, passes, step, accumulate }, at) {
    const { N, D } = rows;
    const [basisAt, meanAt, sumsAt, blockAt, productsAt, workAt, valuesAt, directionsAt, tile] = at;
    this.basisAt = basisAt;
    this.meanAt = meanAt;
    this.sumsAt = sumsAt;
    this.blockAt = blockAt;
    this.productsAt = productsAt;
    this.workAt = workAt;
    this.valuesAt = valuesAt;
    this.directionsAt = directionsAt;
    this.traceAt = valuesAt + k * 8;
    this.worstAt = this.traceAt + 8;
    this.core = core;
    this.rows = rows;
    this.k = k;
    this.b = b;
    this.passes = passes;
    this.accumulate = accumulate;
    this.basis = /** @type {const} */ ([basisAt, D, b, passes * b]);
    this.narrow = /** @type {const} */ ([workAt, D, b]);
    /** A value of at most this of the largest counts as 0. */
    this.noise = Math.max(N, D) * Number.EPSILON;
    /** @type {Float64Array | undefined} [D], once it is known */
    this.mean = undefined;
    /** @type {OverTiles} */
    this.overAll = (kernel) => tilesOf(rows, step, tile, kernel);
    /** @type {OverTiles} */
    this.overSample = (kernel) => tilesOf(sampleOf(core, rows), step, tile, kernel);
    /** @param {number} tileAt @param {number} count */
    this.addTrace = (tileAt, count) =>
      core.raw.pca_add_trace(tileAt, count, D, this.meanAt, this.traceAt);
  }

  /** The sum of all eigenvalues; 0 before the first pass. */
  get total() {
    return this.core.raw.HEAPF64[this.traceAt / 8];
  }

  /** Begins with random vectors, and the mean of all rows. */
  startFromMean() {
    const { core, rows, overAll, meanAt } = this;
    let key = rows.N;
    this.mean = meanOf(core, rows, overAll, meanAt, (tileAt, count) => {
      key = core.raw.pca_mix(tileAt, count, rows.D, key);
    });
    this.start(key);
  }

  /**
   * Begins with what stands out in a sample of the rows, about its mean. Returns whether its squares are within
   * float32.
   */
  startFromSample() {
    const { core, rows, b, basis, k, meanAt, overSample } = this;
    const { raw } = core;
    const { N, D } = rows;
    let key = N;
    clear(core, meanAt, D);
    overSample((tileAt, count) => {
      key = raw.pca_mix(tileAt, count, D, key);
      return raw.pca_add_columns(tileAt, count, D, meanAt);
    });
    // Rounded to float32, so that what `multiply_f32` subtracts is this center exactly.
    put(
      core,
      doublesAt(core, meanAt, D).map((sum) => Math.fround(sum / SAMPLE)),
      meanAt,
    );
    this.start(key);
    for (let m = b; m <= SAMPLE_PASSES * b; m += b) {
      this.multiply(m, "float32", overSample, m === b ? this.addTrace : undefined);
      if (!isWithin(this.total / SAMPLE)) return false;
      this.extend(m);
    }
    const m = SAMPLE_PASSES * b;
    const { noise, valuesAt, worstAt } = this;
    checkStatus(raw.pca_ritz(...basis, m, noise, 1, valuesAt, k, worstAt), WHERE);
    checkStatus(raw.pca_restart(...basis, m), WHERE);
    checkStatus(raw.pca_start(...basis, key, NOISE / Math.sqrt(D / 3)), WHERE);
    clear(core, this.traceAt, 1);
    return true;
  }

  /** Makes the first vectors random. @param {number} key */
  start(key) {
    const { core, rows, b } = this;
    clear(core, this.basisAt, b * rows.D);
    clear(core, this.traceAt, 2);
    checkStatus(core.raw.pca_start(...this.basis, key, 1), WHERE);
  }

  /**
   * Multiplies the last b of m vectors, and leaves the products.
   * @param {number} m @param {Sums} sums @param {OverTiles} overTiles
   * @param {(tileAt: number, count: number) => number} [use]  gets every tile too
   */
  multiply(m, sums, overTiles, use) {
    const { core, b, basis, blockAt, meanAt, narrow, productsAt, workAt } = this;
    const { raw } = core;
    const { D } = this.rows;
    const isNarrow = sums === "float32";
    clear(core, productsAt, b * D);
    if (isNarrow) checkStatus(raw.pca_begin_f32(...narrow, meanAt, this.vectorsAt(m)), WHERE);
    else checkStatus(raw.pca_last_block(...basis, m - b, blockAt), WHERE);
    overTiles((tileAt, count) => {
      if (use) checkStatus(use(tileAt, count), WHERE);
      return isNarrow
        ? raw.pca_multiply_f32(...narrow, tileAt, count)
        : raw.pca_multiply(tileAt, count, D, meanAt, blockAt, b, workAt, productsAt);
    });
    if (isNarrow) checkStatus(raw.pca_end_f32(...narrow, productsAt), WHERE);
  }

  /** Multiplies the first vectors about a center, and finds the mean and the trace. */
  multiplyFirst() {
    const { core, rows, b, meanAt, sumsAt, traceAt, overAll, productsAt } = this;
    const { N, D } = rows;
    clear(core, sumsAt, D);
    this.multiply(b, "float32", overAll, (tileAt, count) =>
      core.raw.pca_add_moments(tileAt, count, D, meanAt, sumsAt, traceAt),
    );
    const shift = doublesAt(core, sumsAt, D).map((sum) => sum / N);
    if (!shift.every(Number.isFinite)) refuseInfinite(core, "x", D, overAll);
    this.mean = doublesAt(core, meanAt, D).map((center, d) => center + shift[d]);
    put(core, this.mean, meanAt);
    const largest = recenter(core, { shift, N, b, vectorsAt: this.vectorsAt(b), productsAt });
    const away = N * shift.reduce((sum, x) => sum + x * x, 0);
    core.raw.HEAPF64[traceAt / 8] -= away;
    // Products about a center far away have lost what is small beside that.
    if (!(away <= NEAR * largest)) this.multiply(b, "float32", overAll);
  }

  /** The last b of m vectors. @param {number} m */
  vectorsAt(m) {
    return this.basisAt + (m - this.b) * this.rows.D * 8;
  }

  /** Extends a basis of m vectors by what is new in the products. @param {number} m */
  extend(m) {
    checkStatus(this.core.raw.pca_extend(...this.basis, m, this.productsAt), WHERE);
  }

  /**
   * Extends the basis until all k eigenvalues have settled. Returns the vectors that it has then; 0 if that
   * would not be within all passes, or the squares are not within float32.
   * @param {Sums} sums @param {number} firstTest  passes before the first test
   */
  settle(sums, firstTest) {
    const { passes, rows, overAll } = this;
    for (let done = 1, first = 0; done <= passes; ++done) {
      const m = done * this.b;
      if (!this.mean) this.multiplyFirst();
      else this.multiply(m, sums, overAll, this.total === 0 ? this.addTrace : undefined);
      if (sums === "float32" && !isWithin(this.total / rows.N)) return 0;
      this.extend(m);
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

  /** How far the k eigenvalues of m vectors are from settled: at most 1 if they are. @param {number} m */
  worstOf(m) {
    const { core, k, noise, valuesAt, worstAt } = this;
    const settled = SETTLED[this.accumulate];
    checkStatus(core.raw.pca_ritz(...this.basis, m, noise, settled, valuesAt, k, worstAt), WHERE);
    return core.raw.HEAPF64[worstAt / 8];
  }

  /** The vectors of the basis that has settled; 0 if none has. */
  settled() {
    const { core, rows, k, valuesAt } = this;
    if (this.accumulate === "float64") return this.settle("float64", FIRST_TEST);
    const m = this.settle("float32", FIRST_TEST);
    if (m === 0) return isWithin(this.total / rows.N) ? 0 : this.settle("float64", FIRST_TEST);
    const values = doublesAt(core, valuesAt, k);
    if (values[k - 1] >= SPREAD * values[0]) return m;
    checkStatus(core.raw.pca_restart(...this.basis, m), WHERE);
    return this.settle("float64", 1);
  }

  /** What has settled; nothing if it has not. */
  result() {
    const { core, basis, k, directionsAt, workAt } = this;
    const { D } = this.rows;
    const m = this.settled();
    const { mean, total } = this;
    if (m === 0 || !mean) return undefined;
    const eigenvalues = doublesAt(core, this.valuesAt, k);
    const known = eigenvalues.filter((x) => x > 0).length;
    checkStatus(core.raw.pca_assemble(...basis, m, directionsAt, k), WHERE);
    checkStatus(core.raw.pca_finish(directionsAt, k, D, known, workAt), WHERE);
    return { mean, eigenvalues, directions: doublesAt(core, directionsAt, k * D), total };
  }
}

/** Whether numbers of this mean square are well within float32. @param {number} square  of a row */
const isWithin = (square) => square >= LEAST_SQUARE && square <= MOST_SQUARE;

/** A copy of doubles. @param {Core} core @param {number} at @param {number} count */
function doublesAt(core, at, count) {
  const numbers = new Float64Array(count);
  take(core, at, count, numbers);
  return numbers;
}

/**
 * Some rows, evenly apart.
 * @param {Core} core @param {Rows} rows
 * @returns {Rows}
 */
function sampleOf(core, rows) {
  const { N, D } = rows;
  return {
    ...rows,
    N: SAMPLE,
    place(first, count, tileAt) {
      for (let i = 0; i < count; ++i) {
        const [row, at] = [Math.floor(((first + i) * N) / SAMPLE), tileAt + i * D * 4];
        copyFloats(core, rows.place(row, 1, at), D, at);
      }
      return tileAt;
    },
  };
}

/**
 * Makes products about a center products about the mean:  A v = A' v - N shift (shift . v).
 * @param {Core} core
 * @param {{shift: Float64Array, N: number, b: number, vectorsAt: number, productsAt: number}} of  the mean less
 *   the center [D]; vectors [b, D], products [b / 4, D, 4]
 * @returns {number} the largest v . A v
 */
function recenter({ raw: { HEAPF64 } }, { shift, N, b, vectorsAt, productsAt }) {
  const D = shift.length;
  let largest = 0;
  for (let c = 0; c < b; ++c) {
    const vector = HEAPF64.subarray(vectorsAt / 8 + c * D, vectorsAt / 8 + (c + 1) * D);
    const productAt = productsAt / 8 + Math.floor(c / 4) * D * 4 + (c % 4);
    const along = N * vector.reduce((sum, x, d) => sum + x * shift[d], 0);
    let square = 0;
    for (let d = 0; d < D; ++d) {
      const product = HEAPF64[productAt + d * 4] - along * shift[d];
      HEAPF64[productAt + d * 4] = product;
      square += product * vector[d];
    }
    largest = Math.max(largest, square);
  }
  return largest;
}
