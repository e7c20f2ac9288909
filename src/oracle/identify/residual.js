/** Computes a convention again and compares it with every number of a port. */
import { EPSILON, PER_ANGLE, widened } from "../numbers.js";
import { further } from "./later.js";

/**
 * @import { RopeModules } from "../../positional/rotary/rope/index.js"
 * @import { Name } from "./spectrum.js"
 *
 * @typedef {"halves" | "interleaved"} Layout
 *
 * Cosines and sines, or vectors before and after: `batches` times T rows of `columns` numbers each.
 * @typedef {object} Port
 * @property {"table" | "vectors"} kind
 * @property {readonly [Float32Array, Float32Array]} arrays
 * @property {readonly [string, string]} names
 * @property {number} batches @property {number} T @property {number} columns
 * @property {Precision} precision  of its numbers
 * @property {boolean} [isNarrow]  whether this is float16 or bfloat16 and holds all of them exactly
 *
 * @typedef {"float32" | "float16" | "bfloat16"} Precision
 *
 * Steps that are rounded to a narrow format. Where angles are, positions and frequencies are as well; where products are,
 * these are exact; where tables are, cosines and sines alone are rounded, and not the vectors.
 * @typedef {{of: "frequencies" | "angles" | "products" | "tables", format: "bfloat16" | "float16"}} Rounding
 *
 * Where the pairs of a port are, and what they are multiplied by.
 * @typedef {object} Pairing
 * @property {number} start  the first column that turns
 * @property {number} pairs
 * @property {Layout | null} from  of the columns that are read; null for a table with one column a pair
 * @property {Layout | null} to  of those that are written; of a table the same
 * @property {boolean} isSwapped  whether sines stand for cosines
 * @property {Layout} [table]  of the table by whose columns vectors are multiplied, where it is not that of the pairs
 * @property {boolean} [isMinusLost]  whether both numbers of a pair are sums, where one is a difference
 * @property {boolean} [isOverwritten]  whether the second number of a pair is made from the new value of the first
 *
 * @typedef {object} Convention
 * @property {Pairing} pairing
 * @property {Name} name
 * @property {Float64Array} frequencies
 * @property {boolean} isScaled  whether `rope` knows the frequencies by the name
 * @property {1 | -1} sign @property {number} factor
 * @property {Float64Array} positions  of each row [T]
 * @property {Rounding} [rounding]
 */

/** What is left of an angle where steps are exact: the error of a fitted base. */
export const PER_EXACT_ANGLE = 2 ** -30;

/** A unit in the last place of the numbers up to a factor. @param {number} factor @param {Precision} precision */
function unitOf(factor, precision) {
  let unit = EPSILON[precision];
  for (let most = 1; most < factor; most *= 2) unit *= 2;
  return factor <= 0.5 ? factor * unit : unit;
}

/** Rows of the first tile, which most conventions that do not fit do not outlast. */
const FIRST = 16;

/** Rows of the largest tile. */
const ROWS = 1024;

/** The columns of a pair. @param {Layout | null} layout @param {number} start @param {number} pairs @returns {(pair: number) => [number, number]} */
export function columnsOf(layout, start, pairs) {
  if (layout === null) return (i) => [start + i, start + i];
  return layout === "halves"
    ? (i) => [start + i, start + i + pairs]
    : (i) => [start + 2 * i, start + 2 * i + 1];
}

/**
 * How far a port is from a convention.
 * @typedef {object} Residual
 * @property {number} largest  difference
 * @property {{array: string, row: number, column: number}} at
 * @property {number} score  the largest difference in units of what the format and float32 steps explain: it fits up to 1,
 *   and rows are compared up to the first that does not
 * @property {number} exact  the same of exact steps
 * @property {number} narrow  the same of a narrow format, whose small numbers have small roundings
 */

/**
 * @param {RopeModules} modules @param {Port} port @param {Convention} convention
 * @param {readonly (readonly [from: number, to: number])[]} [spans]  of rows. Default: all
 * @returns {Residual}
 */
export function residualOf(modules, port, convention, spans = [[0, port.T]]) {
  const found = nothing(port);
  let rows = FIRST;
  for (const [first, end] of spans) {
    for (let from = first; from < end; rows = Math.min(ROWS, 4 * rows)) {
      const to = Math.min(end, from + rows);
      if (found.score > 1) return found; // it does not fit, by how much nobody asks
      compareRows(port, convention, { ...tableOf(modules, convention, from, to), from, to }, found);
      from = to;
    }
  }
  return found;
}

/** No difference so far. @param {Port} port @returns {Residual} */
export const nothing = ({ names: [array] }) => ({ largest: 0, at: { array, row: 0, column: 0 }, score: 0, exact: 0, narrow: 0 }); // prettier-ignore

/**
 * Cosines and sines of rows, [rows, P] each, and the sizes of their angles, larger where their steps are less exact.
 * @param {RopeModules} modules @param {Convention} convention @param {number} from @param {number} to
 * @returns {Omit<Rows, "from" | "to">}
 */
function tableOf({ rope }, convention, from, to) {
  const own = Array.from(convention.positions.subarray(from, to));
  return convention.rounding
    ? further().roundedTable(rope, convention, convention.rounding, own)
    : exactTable(rope, convention, own, convention.frequencies);
}

/**
 * @param {RopeModules["rope"]} rope @param {Pick<Convention, "name" | "isScaled" | "pairing">} of
 * @param {number[]} own  positions @param {Float64Array} thetas  frequencies
 * @returns {Omit<Rows, "from" | "to">}
 */
export function exactTable(rope, { name, isScaled, pairing }, own, thetas) {
  const P = pairing.pairs;
  const { base, scaling } = name;
  const isKnown = isScaled && scaling?.type !== "longrope";
  const options = isKnown ? { base, ...(scaling && { scaling }) } : { frequencies: thetas };
  const { cos, sin } = rope.table(own, 2 * P, options);
  const factor =
    isKnown && scaling ? rope.frequencies(2 * P, { ...options, length: 1 }).attentionFactor : 1;
  const sizes = thetas.map(widened);
  const angles = Float64Array.from({ length: own.length * P }, (_, k) => own[Math.floor(k / P)] * sizes[k % P]); // prettier-ignore
  return { cos: cos.data, sin: sin.data, angles, scale: 1 / factor };
}

/** @typedef {{cos: ArrayLike<number>, sin: ArrayLike<number>, angles: ArrayLike<number>, scale: number, from: number, to: number}} Rows */

/**
 * What a comparison takes of a convention.
 * @typedef {Pick<Convention, "pairing" | "sign" | "factor">} Applied
 */

/** @param {Port} port @param {Applied} convention @param {Rows} rows @param {Residual} found */
export const compareRows = (port, convention, rows, found) =>
  (port.kind === "table" ? compareTable : further().compareVectors)(port, convention, rows, found);

/**
 * How far a number of a narrow format may be from what float32 steps give.
 * @param {number} size  of what is rounded @param {number} whole  size of what is turned @param {number} angle
 * @param {Precision} precision
 */
export const narrow = (size, whole, angle, precision) =>
  EPSILON[precision] * size + EPSILON.float32 * whole + PER_ANGLE * angle;

/** @param {Port} port @param {Applied} convention @param {Rows} rows @param {Residual} found */
function compareTable(port, convention, rows, found) {
  const { arrays, names, batches, T, columns, precision, isNarrow } = port;
  const { pairing, sign, factor } = convention;
  const { start, pairs, from: layout, isSwapped } = pairing;
  const { cos, sin, angles, scale } = rows;
  const places = Array.from({ length: pairs }, (_, i) => columnsOf(layout, start, pairs)(i));
  const epsilon = unitOf(factor, precision);
  for (let b = 0; b < batches; ++b) {
    for (let t = rows.from, k = 0; t < rows.to && found.score <= 1; ++t) {
      const row = (b * T + t) * columns;
      for (let i = 0; i < pairs; ++i, ++k) {
        const [c, s] = [factor * scale * cos[k], factor * scale * sign * sin[k]];
        const angle = factor * Math.abs(angles[k]);
        for (let side = 0; side < (layout === null ? 1 : 2); ++side) {
          const column = places[i][side];
          const ofCos = Math.abs(arrays[0][row + column] - (isSwapped ? s : c));
          const ofSin = Math.abs(arrays[1][row + column] - (isSwapped ? c : s));
          const off = Math.max(ofCos, ofSin);
          if (off === 0) continue;
          found.score = Math.max(found.score, off / (epsilon + PER_ANGLE * angle));
          found.exact = Math.max(found.exact, off / (epsilon + PER_EXACT_ANGLE * angle));
          if (isNarrow) {
            const of = (/** @type {number} */ x) => narrow(Math.abs(x), 1, angle, precision);
            found.narrow = Math.max(found.narrow, ofCos / of(isSwapped ? s : c), ofSin / of(isSwapped ? c : s)); // prettier-ignore
          }
          if (off <= found.largest) continue;
          found.largest = off;
          found.at = { array: names[ofSin > ofCos ? 1 : 0], row: t, column };
        }
      }
    }
  }
}
