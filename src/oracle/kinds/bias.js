/**
 * Biases of attention: whether a cell depends on the distance of key and query alone, on the key alone, or on the place of
 * patches in a window; and which scheme gives these numbers. Schemes are computed again by the package's modules.
 */
import { asFloat32 } from "../../runtime/input.js";
import { firstOf, precisionOf } from "../numbers.js";
import { knownWith, NOBODY } from "./known.js";
import { distancesOf, keysOf } from "./lines.js";
import { maskWords, hiddenOf, masksOf } from "./masks.js";
import { byDistance, byKey, windows } from "./schemes.js";
import { few, none, number } from "../words.js";

/**
 * @import { Phasor } from "../../index.js"
 * @import { None } from "../identify/identify.js"
 * @import { Precision } from "../identify/residual.js"
 * @import { Known } from "./known.js"
 * @import { Cells, Mask } from "./masks.js"
 */

/**
 * A scheme under one name, with the options of its module.
 * @typedef {object} Scheme
 * @property {"zeros" | "alibi" | "t5" | "kerple" | "sandwich" | "swin" | "toeplitz" | "keys"} form  `toeplitz`: a number
 *   for each distance, and `keys`: for each key, by no formula that is known here
 * @property {number} [offset]  the position of the first query
 * @property {"own" | "zeros" | "hidden"} [later]  what keys after the query have: numbers of the scheme, zeros, or nothing
 * @property {string} [variant]  of ALiBi: `symmetric`, `linear`, `first` and `last` of `alibi.bias` and `alibi.keyBias`
 * @property {number[]} [slopes]  of ALiBi [H]
 * @property {string} [rule]  of the slopes
 * @property {number} [biasMax]  of the slopes, as in `alibi.slopes`
 * @property {number} [factor]  of all slopes
 * @property {number} [shift]  added to all distances, if it is not 0
 * @property {string} [dtype]  that slopes and products are rounded to
 * @property {number} [padding]  keys at the left that have 0 and do not count
 * @property {number} [buckets]  of T5, both directions together
 * @property {number} [maxDistance]  of T5, from which on all distances share a bucket
 * @property {"bidirectional" | "causal"} [direction]  of T5
 * @property {"exact" | "torch"} [precision]  of T5's buckets
 * @property {[least: number, most: number]} [maxDistances]  that give the same buckets here
 * @property {(number | null)[][]} [table]  [buckets, H], null where a bucket is not seen; of Swin [(2h - 1)(2w - 1), H]
 * @property {"log" | "power" | "weight"} [kernel]  of KERPLE
 * @property {number[]} [a]  of KERPLE [H]
 * @property {number[]} [p]  of KERPLE [H]
 * @property {number} [dim]  of Sandwich
 * @property {number} [base]  of Sandwich
 * @property {number[]} [size]  of a window of patches, [h, w]
 * @property {boolean} [classToken]  whether a token comes before the patches
 * @property {{from: number, values: number[][]}} [line]  [H, N]: the numbers of distances key - query from `from` on, or of keys
 */

/**
 * A bias. `residual` is the largest difference of a number that is not hidden from the scheme, computed again.
 * @typedef {Omit<Scheme, "precision"> & {kind: "bias", sentence: string, residual: number,
 *   at: {head: number, distance?: number, key?: number}, isToeplitz: boolean, heads: number, queries: number, keys: number,
 *   mask: Mask & {fill: number | null, isByHead: boolean}, precision: Precision, bucketPrecision?: "exact" | "torch",
 *   decidedBy: string[], alsoEqual: ((Scheme | {mask: Mask}) & {sentence: string})[]} & Known} Bias
 */

/**
 * @typedef {{scheme: Scheme, largest: number, at: Bias["at"], loose: number, tight: number, cost: number}} Fit
 */

/** At most this many names are listed. */
const MOST = 12;

/**
 * @param {Phasor} modules @param {{bias: unknown}} given
 * @returns {Bias | None}
 */
export function identifyBias(modules, given) {
  const { data, shape, batches } = read(given.bias);
  const [H, Tq, Tk] = shape;
  const cells = { H, Tq, Tk, data, ...hiddenOf(data) };
  const { masks, isByHead } = masksOf(cells);
  const count = cells.hidden.reduce((sum, one) => sum + one, 0);
  if (count === data.length) return none("all cells are hidden");
  const precision = precisionOf([data.filter((_, k) => cells.hidden[k] === 0)]);
  const found = schemesOf(modules, cells, precision);
  if (typeof found === "string") return none(found);
  const { fits, isToeplitz } = found;
  const isTight = fits.some(({ tight }) => tight <= 1);
  const kept = fits.filter(({ tight }) => !isTight || tight <= 1);
  kept.sort((a, b) => a.cost - b.cost);
  const [{ scheme, largest, at }, ...others] = kept.slice(0, MOST);
  const [mask, ...otherMasks] = masks;
  const { precision: bucketPrecision, ...named } = scheme;
  const sizes = { H, Tq, Tk };
  const cellsInWords = `${H} x ${Tq} x ${Tk} cells`;
  const decidedBy = [
    ...(batches > 1 ? [`all ${batches} batches have the same numbers`] : []),
    ...(isToeplitz ? ["cells of one distance are equal"] : []),
    count === 0
      ? `all ${cellsInWords} were computed again: the largest difference is ${largest.toPrecision(3)}`
      : `${data.length - count} of ${cellsInWords} were computed again: the largest difference is ${largest.toPrecision(3)}`,
    ...(count === 0 ? [] : [hiddenWords(cells, count)]),
    ...(isByHead ? ["heads hide different cells"] : []),
    ...rangeWords(scheme),
  ]; // prettier-ignore
  return {
    kind: "bias",
    sentence: sentenceOf(scheme, sizes, mask),
    residual: largest,
    at,
    ...named,
    ...(bucketPrecision && { bucketPrecision }),
    isToeplitz,
    heads: H,
    queries: Tq,
    keys: Tk,
    mask: { ...mask, fill: cells.fill, isByHead },
    precision,
    decidedBy,
    ...knownOf(scheme),
    alsoEqual: [
      ...others.map((one) => ({ ...one.scheme, sentence: sentenceOf(one.scheme, sizes, mask) })),
      ...otherMasks.map((one) => ({ mask: one, sentence: sentenceOf(scheme, sizes, one) })),
    ],
  };
}

/** Who has ALiBi by the same rule, or T5's buckets. @param {Scheme} scheme */
function knownOf({
  form,
  rule,
  biasMax,
  factor = 1,
  shift = 0,
  buckets,
  maxDistance,
  variant,
  later,
}) {
  const options = (/** @type {any} */ { relative, options }) =>
    relative ? { buckets: 32, maxDistance: 128 } : Object(options); // MPNet's are T5's own
  if (form === "alibi" && rule?.startsWith("the published rule") && factor === 1 && shift === 0) {
    if (biasMax === undefined || (variant === "symmetric" && later === "own")) return NOBODY;
    const found = knownWith("alibi", { is: (positions) => options(positions).biasMax === biasMax });
    return biasMax === 8 ? found : { ...found, families: [] };
  }
  if (form !== "t5") return NOBODY;
  const found = knownWith("t5Bias", {
    is(positions) {
      const own = options(positions);
      return own.buckets === buckets && own.maxDistance === maxDistance;
    },
  });
  return buckets === 32 && maxDistance === 128 ? found : { ...found, families: [] };
}

/** @param {unknown} value */
function read(value) {
  const { data: all, shape } = asFloat32(value, "bias");
  const [batches, own] = shape.length === 4 ? [shape[0], shape.slice(1)] : [1, shape];
  const full = own.length === 2 ? [1, ...own] : own;
  const data = firstOf(all, batches);
  if (full.length !== 3 || !data) {
    const batch = data ? "" : ", the same in all batches,";
    throw new RangeError(`bias must be [H, Tq, Tk] or [Tq, Tk]${batch}; got shape [${shape.join(", ")}]`); // prettier-ignore
  }
  if (data.length === 0) {
    throw new RangeError(`bias must have numbers; got shape [${shape.join(", ")}]`);
  }
  const at = data.findIndex((x) => !(x < Infinity));
  if (at >= 0) {
    throw new RangeError(`bias must hold numbers or -Infinity; got ${data[at]} at number ${at}`);
  }
  return { data, shape: full, batches };
}

/**
 * @param {Phasor} modules @param {Cells} cells @param {Precision} precision
 * @returns {{fits: Fit[], isToeplitz: boolean} | string} why nothing fits
 */
function schemesOf(modules, cells, precision) {
  const { H, Tq, Tk, data, hidden } = cells;
  const size = Tq * Tk;
  if (data.every((x, k) => x === 0 || hidden[k] === 1)) {
    const scheme = { form: /** @type {const} */ ("zeros") };
    return { fits: [{ scheme, largest: 0, at: { head: 0 }, loose: 0, tight: 0, cost: 0 }], isToeplitz: true };
  } // prettier-ignore
  const distances = distancesOf(cells);
  const keys = keysOf(cells);
  const isToeplitz = distances.spread <= 1;
  /** @type {Fit[]} */
  const fits = [];
  if (isToeplitz) fits.push(...byDistance(modules, distances, { Tq, Tk, precision }));
  if (keys.spread <= 1) fits.push(...byKey(modules, keys, { H, Tq, Tk, precision, hidden }));
  if (fits.length === 0 && !isToeplitz) fits.push(...windows(modules, cells));
  if (fits.length > 0) return { fits, isToeplitz };
  // A number for each distance or key says something only where several cells share one.
  const isMany = (/** @type {typeof keys} */ { lines, count }) =>
    data.length - hidden.reduce((sum, one) => sum + one, 0) >= 2 * count * lines.length;
  for (const [form, own] of /** @type {const} */ ([["toeplitz", distances], ["keys", keys]])) {
    if (!(own.spread <= 1 && isMany(own) && Math.min(Tq, Tk) > 2)) continue;
    const line = { from: own.from, values: own.lines.map(({ low }) => Array.from(low)) };
    const at = { head: 0 };
    const scheme = { form, line, ...(form === "toeplitz" && { offset: Tk - Tq }) };
    return { fits: [{ scheme, largest: own.largest, at, loose: 0, tight: 0, cost: 9 }], isToeplitz };
  } // prettier-ignore
  if (isToeplitz || keys.spread <= 1) {
    const from = Math.min(Tq, Tk);
    return `${from} ${from === 1 ? "row shows" : "rows show"} no formula, and too few cells share a distance or a key`;
  }
  const { head, distance, apart } = distances.worst;
  return `${size} cells a head depend neither on the distance nor on the key alone, nor on places in a window: cells of distance ${distance} in head ${head} differ by ${apart.toPrecision(3)}`;
}

/** @param {Scheme} scheme */
function rangeWords({ maxDistances: [least, most] = [0, 0] }) {
  return least === most ? [] : [`maximum distances from ${least} to ${most} give the same buckets here`]; // prettier-ignore
}

/** @param {Cells} cells @param {number} count */
function hiddenWords({ data, hidden, fill }, count) {
  if (fill !== null) return `${count} cells are hidden by ${fill}`;
  let [least, most] = [Infinity, -Infinity];
  for (let k = 0; k < data.length; ++k) {
    if (hidden[k] === 0) continue;
    least = Math.min(least, data[k]);
    most = Math.max(most, data[k]);
  }
  return `${count} cells are hidden by numbers from ${least} to ${most}, whose own biases were not looked at`;
}

/** @param {Scheme} scheme @param {{H: number, Tq: number, Tk: number}} sizes @param {Mask} mask */
function sentenceOf(scheme, { H, Tq, Tk }, mask) {
  const { variant, rule, slopes, factor, shift, dtype, padding, later, offset } = scheme;
  const { buckets, maxDistance, direction, kernel, a, p, dim, base, size, classToken } = scheme;
  const variants = { symmetric: "by distance", linear: "by key - query", first: "by key, from the first", last: "by key, from the last" };
  const words = {
    zeros: () => (mask.rule === "none" ? "zeros" : "a mask alone"),
    alibi: () => `ALiBi ${variants[/** @type {"first"} */ (variant)]}, slopes ${rule === "listed" ? few(slopes ?? []) : `of ${rule}`}`,
    t5: () => `T5, ${buckets} ${direction} buckets up to ${maxDistance}`,
    kerple: () => `KERPLE ${kernel}, a ${few(a ?? [], 4)}, p ${few(p ?? [], 4)}`,
    sandwich: () => `Sandwich, ${dim} columns, base ${base}`,
    swin: () => `a table of offsets in a window of ${size?.join(" x ")}${classToken ? " after a class token" : ""}`,
    toeplitz: () => "a number for each distance, by no formula that is known",
    keys: () => "a number for each key, by no formula that is known",
  };
  const parts = [
    words[scheme.form](),
    factor === undefined || factor === 1 ? "" : `times ${number(factor)}`,
    shift ? `distances from ${shift}` : "",
    dtype && dtype !== "float32" ? `rounded to ${dtype}` : "",
    padding ? `${padding} keys of padding at 0` : "",
    later === "zeros" ? "zeros for later keys" : "",
    offset !== undefined && offset !== Tk - Tq ? `the first query at ${offset}` : "",
    maskWords(mask, Tk - Tq),
    `${H} ${H === 1 ? "head" : "heads"}, ${Tq} x ${Tk}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
} // prettier-ignore
