/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf, OptionSet } from "../../runtime/options.js" */
import * as check from "../../runtime/check.js";
import { KIND, OPTIONS, schemes } from "./schemes.js";

/**
 * How a decoder knows where its tokens are: the scheme, and options of it.
 * @typedef {{[Name in keyof typeof OPTIONS]: {scheme: Name} & OptionsOf<(typeof OPTIONS)[Name]>}[keyof typeof OPTIONS]} Position
 *
 * One scheme for each layer instead.
 * @typedef {{layers: readonly Position[]}} PositionByLayer
 */

/**
 * A parameter of a decoder.
 * @typedef {object} Parameter
 * @property {string} name
 * @property {readonly number[]} shape
 * @property {"normal" | "uniform" | "ones" | "zeros" | "given"} start
 * @property {number} [scale]  of the numbers at the start: the standard deviation, or uniform in [-scale, scale)
 * @property {number} [shift]  added to each
 * @property {Float32Array} [values]  those that are given
 * @property {boolean} [isPosition]  whether it belongs to the scheme
 */

/**
 * What the tokens of a call stand at.
 * @typedef {object} Places
 * @property {number} T
 * @property {number} texts  with separate positions: 1, which all share, or B
 * @property {Int32Array | undefined} indices  [texts, T]; undefined for 0, 1, 2, ...
 * @property {number} distances  N
 * @property {number} trained  the length of the first training; 0 before it
 */

/**
 * What a scheme needs in the core for a call.
 * @typedef {{tables?: Float32Array, index?: Int32Array, line?: Float32Array, sums?: number}} Tables
 */

/**
 * A scheme with its options and the sizes of a decoder.
 * @typedef {object} Scheme
 * @property {Position} position
 * @property {number} kind @property {number} pairs @property {number} size
 * @property {Parameter[]} parameters  without the prefix of a layer
 * @property {number} rows  of a learned table that is added to the embedding
 * @property {boolean} isAdded  to the embedding, so not a scheme of attention
 * @property {boolean} isTerm  whether it adds a function of distances to the scores
 * @property {(places: Places) => Tables} tables
 * @property {import("./own.js").Own} [own]  gives the line, and takes its gradient
 * @property {(places: Places) => Float32Array | undefined} added  to the embedding, [texts, T, E]
 */

/** What "none" has. */
const NONE = Object.freeze({
  kind: KIND.none,
  pairs: 0,
  size: 0,
  rows: 0,
  isAdded: false,
  isTerm: false,
  parameters: [],
  tables: () => ({}),
  added: () => undefined,
});

/**
 * The schemes of a core, as a function of a position and of the sizes of a decoder.
 * @param {Core} core
 */
export function schemesOf(core) {
  const readers = schemes(core);
  /**
   * @param {unknown} given @param {{E: number, H: number, std: number}} sizes
   * @returns {Scheme}
   */
  return (given, sizes) => {
    if (!check.isRecord(given)) {
      throw new TypeError(`position must be an object; got ${check.describe(given)}`);
    }
    const { scheme, ...rest } = given;
    const name = check.oneOf(
      scheme,
      "position.scheme",
      /** @type {(keyof typeof OPTIONS)[]} */ (Object.keys(OPTIONS)),
    );
    const options = /** @type {any} */ (readOptions(OPTIONS[name], rest));
    const position = /** @type {Position} */ (Object.freeze({ ...given }));
    return { ...NONE, position, ...readers[name](options, { ...sizes, D: sizes.E / sizes.H }) };
  };
}

/**
 * Reads the options of a scheme; errors name the position.
 * @template {OptionSet<any>} Set
 * @param {Set} set @param {unknown} given
 * @returns {ReturnType<Set["read"]>}
 */
function readOptions(set, given) {
  try {
    return /** @type {any} */ (set.read(given));
  } catch (/** @type {any} */ error) {
    error.message = `position.${error.message}`.replace(/^position\.options must/, "position must");
    throw error;
  }
}
