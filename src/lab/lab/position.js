/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionSet } from "../../runtime/options.js" */
/** @import { Scaling } from "../../positional/rotary/rope/scaling.js" */
/** @import { Bias, Derivative } from "./schemes.js" */
import * as check from "../../runtime/check.js";
import { KIND, OPTIONS, schemes } from "./schemes.js";

/**
 * How a decoder knows where its tokens are: a scheme, and options that it has; others are refused.
 * @typedef {object} Position
 * @property {"none" | "learned" | "sinusoidal" | "rope" | "xpos" | "alibi" | "t5Bias" | "kerple" | "sandwich" | "fire"
 *   | "shaw" | "cope" | "own"} scheme  `learned` and `sinusoidal` are added to the embedding, `rope` and `xpos` rotate
 *   queries and keys, the others add a term to the scores
 * @property {number} [rows]  learned: the number of rows. Longer texts are refused; rows beyond those of training are
 *   untrained. Default: 512
 * @property {number} [base]  sinusoidal, rope, xpos, sandwich: of the frequencies. Default: 10000
 * @property {number} [amplitude]  sinusoidal: what all sines and cosines are multiplied by. Default: 1
 * @property {number} [fraction]  rope: the share of the columns of a head that rotate, R of D. Default: 1
 * @property {number} [keep]  rope: the share of the pairs that rotate, the fastest ones (p-RoPE). Default: 1
 * @property {Scaling} [scaling]  rope: of the frequencies, as that of `rope.table`
 * @property {number} [scaleBase]  xpos: the distance over which the scale of a pair changes by its factor. Default: 512
 * @property {number} [gamma]  xpos: sets those factors, as in `xpos.table`. Default: 0.4
 * @property {number} [biasMax]  alibi: the last slope is 2^-biasMax. Default: 8
 * @property {number} [buckets]  t5Bias: their number. Default: 16
 * @property {number} [maxDistance]  t5Bias, shaw: the distance from which on all distances share the last bucket or row.
 *   Default: the length of the first training, and 16
 * @property {"log" | "power"} [kernel]  kerple: -p log(1 + a n) or -a n^p. Default: `log`
 * @property {number} [dim]  sandwich: the width of the sinusoids behind the bias, even. Default: 128
 * @property {number} [hidden]  fire: the units of the network. Default: 32
 * @property {number} [c]  fire: the c of log(1 + c n); it is not trained. Default: 0.1
 * @property {number} [threshold]  fire: the least position of the normalizer. Default: the length of the first training
 * @property {number} [positions]  cope: the number of learned positions; a larger count has the last. Default: 32
 * @property {Bias} [bias]  own: the term of head h for a key n tokens before the query
 * @property {ArrayLike<number>} [numbers]  own: what the trained numbers of `bias` start with. Default: none are trained
 * @property {Derivative} [derivative]  own: of `bias` by each number. Default: central differences
 */

/**
 * One scheme of attention for each layer.
 * @typedef {object} PositionByLayer
 * @property {readonly Position[]} layers  as many as the decoder has
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
 * The positions of the tokens of a call.
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
