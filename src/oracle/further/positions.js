/** Positions that do not go on by 1: which one each row has, and how they come about. */
import { asFloat32 } from "../../runtime/input.js";
import { rounded } from "../numbers.js";
import { rowAngles } from "../identify/measure.js";
import { turnsOf } from "../identify/pairing.js";
import { FARTHEST, isFar, positionOf, slowestFirst } from "../identify/positions.js";

/**
 * @import { TensorInput } from "../../runtime/tensor.js"
 * @import { Places } from "../identify/positions.js"
 * @import { Convention, Port, Residual } from "../identify/residual.js"
 */

/**
 * The position of each row.
 * @param {Float64Array} angles @param {Float64Array} theta @param {1 | -1} sign
 * @param {number} margin  of an angle
 */
function positionsOf(angles, theta, sign, margin) {
  const pairs = theta.length;
  const margins = new Float64Array(pairs).fill(margin);
  const order = slowestFirst(theta);
  const signed = angles.map((angle) => sign * angle);
  return Float64Array.from({ length: angles.length / pairs }, (_, t) => {
    const own = signed.subarray(t * pairs, (t + 1) * pairs);
    return Math.round(positionOf(theta, order, own, margins)) + 0; // not -0
  });
}

/** @type {readonly ["bfloat16" | "float16", 8 | 11][]} */
const FORMATS = [["bfloat16", 8], ["float16", 11]]; // prettier-ignore

/**
 * The rule that gives these positions.
 * @param {Float64Array} positions
 * @returns {Places}
 */
function ruleOf(positions) {
  const T = positions.length;
  const first = positions[0];
  const follows = (/** @type {(t: number) => number} */ rule) =>
    positions.every((p, t) => p === rule(t));
  if (follows((t) => first + t)) return { rule: "consecutive", offset: first };
  for (const [format, bits] of FORMATS) {
    // The first position may be rounded, too.
    for (let offset = first - 64; offset <= first + 64; ++offset) {
      if (follows((t) => rounded(offset + t, bits))) return { rule: "rounded", offset, format };
    }
  }
  const step = positions.findIndex((p, t) => t > 0 && p !== positions[t - 1] + 1);
  if (step > 1 && follows((t) => first + (t % step))) {
    return { rule: "wrapped", offset: first, period: step };
  }
  if (step > 1 && follows((t) => Math.min(first + t, positions[T - 1]))) {
    return { rule: "clipped", offset: first, last: positions[T - 1] };
  }
  const pad = positions.findLastIndex((p, t) => t > 0 && p !== positions[t - 1] + 1);
  if (positions.every((p, t) => t >= pad || p === first)) {
    const own = pad > 0 && positions[pad] === first + 1 ? pad - 1 : pad; // the last of equal rows is position 0
    return { rule: "padded", offset: positions[own], padding: own, fill: first };
  }
  const starts = Array.from(positions.keys()).filter(
    (t) => t > 0 && positions[t] !== positions[t - 1] + 1,
  );
  const parts = partsOf(positions);
  const isEven = parts?.every(([, , step]) => step === 1) ?? true;
  if (isEven && starts.every((t) => positions[t] === first))
    return { rule: "packed", offset: first, starts };
  if (parts) return { rule: "parts", offset: first, parts };
  const rows = positions.findIndex((p) => p !== first);
  if (rows > 1 && follows((t) => first + Math.floor(t / rows)))
    return { rule: "repeated", offset: first, rows };
  return { rule: "listed", offset: first, list: Array.from(positions) };
}

/** At most this many runs of even steps are a rule. */
const MOST_PARTS = 4;

/**
 * Runs of rows whose positions go on by one step, such as those before and after a cache.
 * @param {Float64Array} positions
 * @returns {Places["parts"]} undefined if they are many or short
 */
function partsOf(positions) {
  const T = positions.length;
  /** @type {[number, number, number][]} */
  const parts = [];
  for (let row = 0; row < T;) {
    if (parts.length === MOST_PARTS) return undefined;
    const step = positions[row + 1] - positions[row];
    let end = row + 1;
    while (end < T && positions[end] === positions[end - 1] + step) ++end;
    // The first row of a run may end the one before by chance: a run needs two steps.
    if (end - row < 3) return undefined;
    parts.push([row, positions[row], step]);
    row = end;
  }
  return parts;
}

/** @param {TensorInput} positions @param {number} T */
export function readPositions(positions, T) {
  const { data, shape } = asFloat32(positions, "positions");
  if (shape.length !== 1 || data.length !== T) {
    throw new RangeError(
      `positions must be [${T}], one for each row; got shape [${shape.join(", ")}]`,
    );
  }
  const at = data.findIndex((x, t) => !Number.isFinite(x) || (t > 0 && x !== data[t - 1] + 1));
  if (at >= 0) {
    throw new RangeError(`positions must be consecutive; got ${data[at]} in row ${at}`);
  }
  return data[0];
}

/**
 * A convention with the position of each row that its angles show, if it fits.
 * @param {Port} port @param {Float64Array | undefined} few  angles of the first rows
 * @param {Omit<Convention, "positions">} of @param {number} noise
 * @param {(convention: Convention) => Residual | undefined} fits
 * @returns {{convention: Convention, places: Places, residual: Residual} | undefined}
 */
export function byRows(port, few, of, noise, fits) {
  const turns = turnsOf(port, of.pairing);
  const margin = 2 * noise + 1e-6;
  for (const one of [...withoutFactor(of), of]) {
    const theta = one.frequencies;
    if (few) {
      const first = positionsOf(few, theta, of.sign, margin);
      if (isFar(port, few, { ...one, positions: first })) continue;
    }
    const positions = positionsOf(rowAngles(turns, port.T), theta, of.sign, margin);
    if (positions.some((position) => Math.abs(position) > FARTHEST)) continue;
    // Counted as the first rows do: others may turn back.
    const way = /** @type {1 | -1} */ (positions[1] < positions[0] ? -1 : 1);
    const own = positions.map((position) => way * position + 0);
    const sign = /** @type {1 | -1} */ (way * of.sign);
    const convention = { ...one, sign, positions: own };
    const residual = fits(convention);
    if (residual) return { convention, places: ruleOf(own), residual };
  }
  return undefined;
}

/**
 * The same by its base alone, where one factor divides all angles: in the rows that were measured, positions may go by
 * other steps than 1.
 * @template {Omit<Convention, "positions">} Of
 * @param {Of} of @returns {Of[]}
 */
function withoutFactor(of) {
  const { base, scaling, unit, form } = of.name;
  const factor = unit === "twice" ? 0.5 : scaling?.type === "linear" ? scaling.factor : undefined;
  if (factor === undefined) return [];
  const frequencies = of.frequencies.map((x) => x * factor);
  return [{ ...of, name: { form, base }, frequencies, isScaled: true }];
}
