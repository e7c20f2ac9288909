/** @import { Core } from "./wasm.js" */
/** @import { ReadPositions } from "./positions.js" */
import { checkStatus } from "./errors.js";
import { allocate, KEPT_BYTES, put, tileRows, withAddresses } from "./memory.js";
import { putPositions, REACH } from "./positions.js";

/**
 * How angles are formed: `exact`, the formula itself rounded once, or `torch`, PyTorch's float32
 * steps, in one of two recipes: `exp` (textbooks) or `pow` (HF rotary).
 * @typedef {"exact" | "torch"} Precision
 * @typedef {"exp" | "pow"} Recipe
 */

/**
 * Frequencies, checked: a geometric spectrum, theta_i = base^(-i / n) for i < pairs, or any given
 * ones; `torch` takes given ones as the float32 values they then are. `rests` is what the doubles
 * leave of the frequencies that a formula gives, for positions beyond 2^20. `steps` is one of
 * `STEPS`.
 * @typedef {{base: number, n: number, pairs: number, steps: number}} Geometric
 * @typedef {{frequencies: Float64Array, rests?: Float64Array, pairs: number, steps: number}} Given
 * @typedef {Geometric | Given} Spectrum
 */

/** The C++ enum phasor::phase::Precision: a precision and its recipe in one number. */
const STEPS = Object.freeze({ exact: 0, exp: 1, pow: 2 });

/** @param {Precision} precision @param {Recipe} recipe @returns {number} one of `STEPS` */
export const stepsOf = (precision, recipe) => STEPS[precision === "exact" ? precision : recipe];

/** The largest |frequency| of a spectrum, or 1 if that is larger. @param {Spectrum} spectrum */
function fastest(spectrum) {
  if (!("frequencies" in spectrum)) return 1;
  return spectrum.frequencies.reduce((most, theta) => Math.max(most, Math.abs(theta)), 1);
}

/**
 * The power of two by which positions are multiplied and frequencies divided.
 * @param {number} most  the fastest frequency
 */
function positionScaleOf(most) {
  let scale = 1;
  while (scale < most) scale *= 2;
  return scale;
}

/**
 * Refuse positions whose angles are too large for `tabulate`.
 * @param {ReadPositions} positions @param {Spectrum} spectrum
 */
export const checkReach = (positions, spectrum) => refuseFar(positions, fastest(spectrum));

/** @param {ReadPositions} positions @param {number} theta  the fastest frequency */
function refuseFar({ most }, theta) {
  if (most * theta > REACH) {
    throw new RangeError(
      `positions must be within ${REACH / theta} at frequencies up to ${theta}; got ${most}`,
    );
  }
}

/**
 * Calls a function with a workspace that holds the frequencies of a spectrum, in radians per step of
 * 1 / position scale.
 * @template Result
 * @param {Core} core @param {Spectrum} spectrum @param {boolean} keeps  whether sines of the last positions are kept there, too
 * @param {readonly number[]} sizes  bytes of further pieces
 * @param {(workspace: number, size: number, at: number[]) => Result} use
 */
export function withFrequencies(core, spectrum, keeps, sizes, use) {
  const { pairs, steps } = spectrum;
  const keepsRows = keeps && steps === STEPS.exact;
  if ("frequencies" in spectrum) {
    const size = core.raw.phase_doubles(pairs, keepsRows);
    return withAddresses(core, [2 * pairs * 8, size * 8, ...sizes], ([theta, at, ...others]) => {
      adopt(core, spectrum, theta, at, size);
      return use(at, size, others);
    });
  }
  return withAddresses(core, sizes, (others) => {
    const kept = takeSpectrum(core, spectrum, keepsRows);
    try {
      return use(kept.at, kept.bytes / 8, others);
    } finally {
      if (kept.bytes > 2 * KEPT_BYTES || core.spectrum) core.raw._free(kept.at);
      else core.spectrum = kept;
    }
  });
}

/**
 * The workspace that the last call left, if it has the same frequencies, or a new one.
 * @param {Core} core @param {Geometric} spectrum @param {boolean} keepsRows
 */
function takeSpectrum(core, { base, n, steps, pairs }, keepsRows) {
  const { raw, spectrum: last } = core;
  core.spectrum = undefined; // a call within this one must not take it, too
  const of = last?.of;
  const isNear = of?.pairs === pairs && of.steps === steps && of.keepsRows === keepsRows;
  if (last && isNear && of.base === base && of.n === n) return last;
  if (last) raw._free(last.at);
  const size = raw.phase_doubles(pairs, keepsRows);
  const bytes = size * 8;
  const at = allocate(core, "the frequencies", bytes);
  try {
    checkStatus(raw.phase_frequencies(base, n, steps, pairs, at, size));
  } catch (thrown) {
    raw._free(at);
    throw thrown;
  }
  return { of: { base, n, steps, pairs, keepsRows }, at, bytes };
}

/**
 * @param {Core} core @param {Given} spectrum @param {number} theta  address of memory for its frequencies
 * @param {number} at  of the workspace @param {number} size
 */
function adopt(core, spectrum, theta, at, size) {
  const { raw } = core;
  const { frequencies, rests = new Float64Array(spectrum.pairs), pairs } = spectrum;
  const scale = positionScaleOf(fastest(spectrum));
  const slowed = (/** @type {Float64Array} */ numbers) => numbers.map((x) => x / scale);
  put(core, slowed(frequencies), theta);
  put(core, slowed(rests), theta + pairs * 8);
  checkStatus(raw.phase_adopt(theta, pairs, at, size));
}

/** The distance of anchors (src/README.md, Frequencies and positions). */
const BLOCK = 64;

/** Up to this many pairs, a workspace that keeps rows is itself kept for the next call. */
const WIDE = 1024;

/**
 * Computes a table of positions tile by tile. Call it before anything of the result is written.
 * @param {Core} core @param {Spectrum} spectrum @param {ReadPositions} positions
 * @param {{width: number, extra?: number}} floats  of each position, and additional ones of a tile
 * @param {(tile: {positions: number, from: number, count: number, workspace: number, size: number, at: number}) => void} fill
 *   computes `count` rows from `from` on at the address `at`, and copies them out
 */
export function tabulate(core, spectrum, positions, { width, extra = 0 }, fill) {
  const most = fastest(spectrum);
  refuseFar(positions, most);
  const fitting = tileRows(width * 4, positions.count);
  const blocks = Math.max(1, Math.floor(fitting / BLOCK));
  const rows = Math.min(positions.count, blocks * BLOCK);
  const pieces = [rows * 8, (rows * width + extra) * 4];
  // For few positions of wide rows, what is kept would be more memory than it is worth.
  const keeps = positions.count >= BLOCK / 4 || spectrum.pairs <= WIDE;
  const scale = positionScaleOf(most);
  withFrequencies(core, spectrum, keeps, pieces, (workspace, size, places) => {
    const list = places[0];
    const at = places[1];
    let count = toBlockEnd(positions.first * scale, rows);
    for (let from = 0; from < positions.count; from += count, count = rows) {
      count = Math.min(count, positions.count - from);
      putPositions(core, positions, from, count, list);
      for (let t = 0; scale > 1 && t < count; ++t) core.raw.HEAPF64[(list >>> 3) + t] *= scale;
      fill({ positions: list, from, count, workspace, size, at });
    }
  });
}

/**
 * The number of rows of the first tile, so that the next ones begin at a block.
 * @param {number} first @param {number} rows
 */
function toBlockEnd(first, rows) {
  const into = (((first + BLOCK / 2) % BLOCK) + BLOCK) % BLOCK;
  return Number.isInteger(into) && rows > into ? rows - into : rows;
}
