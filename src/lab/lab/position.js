/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Scaling } from "../../positional/rotary/rope/scaling.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
import * as check from "../../runtime/check.js";
import { float32s } from "../../runtime/arrays.js";
import { take, withMemory } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { alibi } from "../../positional/bias/alibi/alibi.js";
import { sandwich } from "../../positional/bias/sandwich/sandwich.js";
import { sinusoidal } from "../../positional/absolute/sinusoidal/sinusoidal.js";
import { t5Bias } from "../../positional/bias/t5_bias/t5_bias.js";
import { rope } from "../../positional/rotary/rope/rope.js";
import { xpos } from "../../positional/rotary/xpos/xpos.js";

/** phasor::lab::Kind */
export const KIND = {
  none: 0,
  rotation: 1,
  line: 2,
  t5: 3,
  kerpleLog: 4,
  kerplePower: 5,
  fire: 6,
  shaw: 7,
  cope: 8,
};

/** The distance of T5's last bucket before a model has been trained. */
const MAX_DISTANCE = 128;

const base = option.number({ default: 10000, min: 1 });

/** The options of each scheme. */
const SCHEMES = {
  none: option.optionSet({}),
  learned: option.optionSet({
    /** The number of rows. Texts that are longer are refused; rows beyond those of training are untrained. */
    rows: option.integer({ default: 512 }),
  }),
  sinusoidal: option.optionSet({
    /** The base of the frequencies. */
    base,
    /** What all sines and cosines are multiplied by. */
    amplitude: option.number({ default: 1, min: 0 }),
  }),
  rope: option.optionSet({
    /** theta_i = base^(-2i/R). */
    base,
    /** The share of the columns of a head that rotate, R of D. */
    fraction: option.number({ default: 1, above: 0, max: 1 }),
    /** The share of the pairs that rotate, the fastest ones; the others stay (p-RoPE). */
    keep: option.number({ default: 1, above: 0, max: 1 }),
    /** The scaling of the frequencies, as that of `rope.table`. */
    scaling: option.value(/** @type {Scaling | undefined} */ (undefined)),
  }),
  xpos: option.optionSet({
    /** theta_i = base^(-2i/R). */
    base,
    /** The distance over which the scale of a pair changes by its factor. */
    scaleBase: option.number({ default: 512, min: 1 }),
    /** Sets those factors, as in `xpos.table`. */
    gamma: option.number({ default: 0.4, min: 1e-6, max: 1e6 }),
  }),
  alibi: option.optionSet({
    /** The last slope is 2^-biasMax. */
    biasMax: option.number({ default: 8, above: 0, max: 126 }),
  }),
  t5Bias: option.optionSet({
    /** The number of buckets. */
    buckets: option.integer({ default: 16, min: 2, max: 1024 }),
    /** The distance from which on all distances share the last bucket. Default: the length of the first training. */
    maxDistance: option.integer({ min: 2 }),
  }),
  kerple: option.optionSet({
    /** `log`: -p log(1 + a n); `power`: -a n^p. */
    kernel: option.choice(["log", "power"]),
  }),
  sandwich: option.optionSet({
    /** The width of the sinusoids behind the bias, even. */
    dim: option.integer({ default: 128, min: 2, step: 2 }),
    /** The base of their frequencies. */
    base,
  }),
  fire: option.optionSet({
    /** The units of the network. */
    hidden: option.integer({ default: 32, max: 1024 }),
    /** The c of log(1 + c n); it is not trained. */
    c: option.number({ default: 0.1, above: 0 }),
    /** The least position L of the normalizer. Default: the length of the first training. */
    threshold: option.number({ min: 0 }),
  }),
  shaw: option.optionSet({
    /** The distance from which on all distances share the last row. */
    maxDistance: option.integer({ default: 16, max: 2 ** 16 }),
  }),
  cope: option.optionSet({
    /** The number of learned positions; a count of gates beyond the last has the last. */
    positions: option.integer({ default: 32, min: 2, max: 2 ** 16 }),
  }),
};

/**
 * How a decoder knows where its tokens are: the scheme, and options of it.
 * @typedef {{[Name in keyof typeof SCHEMES]: {scheme: Name} & OptionsOf<(typeof SCHEMES)[Name]>}[keyof typeof SCHEMES]} Position
 *
 * One scheme for each layer instead.
 * @typedef {{layers: readonly Position[]}} PositionByLayer
 */

/**
 * A parameter of a decoder.
 * @typedef {object} Parameter
 * @property {string} name
 * @property {readonly number[]} shape
 * @property {"normal" | "uniform" | "ones" | "zeros"} start
 * @property {number} [scale]  of the numbers at the start: the standard deviation, or uniform in [-scale, scale)
 * @property {number} [shift]  added to each
 * @property {boolean} [isPosition]  whether it belongs to the scheme
 */

/**
 * What the tokens of a call stand at.
 * @typedef {object} Places
 * @property {number} T
 * @property {number} texts  with positions of their own: 1 or B
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
 * @property {(places: Places) => Float32Array | undefined} added  to the embedding, [texts, T, E]
 */

/**
 * The schemes of a core, as functions of a position and of the sizes of a decoder.
 * @param {Core} core
 */
export function schemesOf(core) {
  const modules = {
    alibi: alibi(core),
    rope: rope(core),
    sandwich: sandwich(core),
    sinusoidal: sinusoidal(core),
    t5Bias: t5Bias(core),
    xpos: xpos(core),
  };

  /** Where tokens stand, as the functions of rotations and sinusoids take it. @param {Places} places */
  const positionsOf = ({ T, texts, indices }) =>
    indices === undefined ? T : { data: indices, shape: texts > 1 ? [texts, T] : [T] };

  /** @param {readonly {data: ArrayLike<number>}[]} parts  one after the other */
  const joined = (parts) => {
    const all = float32s(
      parts.reduce((sum, { data }) => sum + data.length, 0),
      "tables of a scheme",
    );
    let at = 0;
    for (const { data } of parts) {
      all.set(data, at);
      at += data.length;
    }
    return all;
  };

  /** A line with room for whole vectors. @param {number} H @param {number} N @param {ArrayLike<number>} [values] */
  const lineOf = (H, N, values) => {
    const line = float32s(H * N + 4, "the bias of a scheme");
    if (values) line.set(values);
    return line;
  };

  /**
   * @param {unknown} given @param {{E: number, H: number, std: number}} sizes
   * @returns {Scheme}
   */
  return function read(given, { E, H, std }) {
    if (!check.isRecord(given)) {
      throw new TypeError(`position must be an object; got ${check.describe(given)}`);
    }
    const { scheme: name, ...rest } = given;
    const scheme = check.oneOf(name, "position.scheme", Object.keys(SCHEMES));
    const D = E / H;
    const plain = {
      position: /** @type {Position} */ (Object.freeze({ ...given })),
      kind: KIND.none,
      pairs: 0,
      size: 0,
      parameters: /** @type {Parameter[]} */ ([]),
      rows: 0,
      isAdded: false,
      isTerm: false,
      tables: () => ({}),
      added: () => undefined,
    };
    const term = { ...plain, isTerm: true };
    /** Of a bias whose line comes from numbers. @param {Places} places */
    const trainedLine = ({ distances }) => ({
      line: lineOf(H, distances),
      sums: H * distances + 4,
    });
    switch (scheme) {
      case "none":
        readOptions(SCHEMES.none, rest);
        return plain;
      case "learned": {
        const { rows } = readOptions(SCHEMES.learned, rest);
        const start = /** @type {const} */ ({ start: "normal", scale: std, isPosition: true });
        const parameters = [{ name: "positions", shape: [rows, E], ...start }];
        return { ...plain, rows, isAdded: true, parameters };
      }
      case "sinusoidal": {
        const { amplitude, ...options } = readOptions(SCHEMES.sinusoidal, rest);
        /** @param {Places} places */
        const added = (places) => {
          const { data } = modules.sinusoidal.table(positionsOf(places), E, options);
          return amplitude === 1 ? data : data.map((x) => x * amplitude);
        };
        return { ...plain, isAdded: true, added: /** @type {Scheme["added"]} */ (added) };
      }
      case "rope": {
        const { fraction, keep, scaling, ...options } = readOptions(SCHEMES.rope, rest);
        const R = 2 * Math.floor((D * fraction) / 2);
        if (R === 0)
          throw new RangeError(
            `position.fraction must leave a pair of ${D} columns; got ${fraction}`,
          );
        if (keep < 1 && scaling)
          throw new RangeError(`position.keep must be 1 with a scaling; got ${keep}`);
        const partial = /** @type {const} */ ({ type: "proportional", partialRotaryFactor: keep });
        const scaled = { ...options, scaling: keep < 1 ? partial : scaling };
        modules.rope.frequencies(R, { ...scaled, length: 1 }); // refuses a scaling that is none
        /** @param {Places} places */
        const tables = (places) => {
          const { cos, sin } = modules.rope.table(positionsOf(places), R, scaled);
          return { tables: joined([cos, sin, cos, sin]) };
        };
        return { ...plain, kind: KIND.rotation, pairs: R / 2, tables };
      }
      case "xpos": {
        const options = readOptions(SCHEMES.xpos, rest);
        /** @param {Places} places */
        const tables = (places) => {
          // One center for all texts: it cancels between queries and keys.
          const { query, key } = modules.xpos.table(positionsOf(places), D, {
            ...options,
            center: 0,
          });
          return { tables: joined([query.cos, query.sin, key.cos, key.sin]) };
        };
        return { ...plain, kind: KIND.rotation, pairs: D / 2, tables };
      }
      case "alibi": {
        const { biasMax } = readOptions(SCHEMES.alibi, rest);
        /** @param {Places} places */
        const tables = ({ distances: N }) => {
          const span = { keys: N, offset: N - 1, biasMax };
          return { line: lineOf(H, N, modules.alibi.bias(H, 1, span).data) };
        };
        return { ...term, kind: KIND.line, tables };
      }
      case "sandwich": {
        const options = readOptions(SCHEMES.sandwich, rest);
        /** @param {Places} places */
        const tables = ({ distances: N }) => {
          const span = { keys: N, offset: N - 1, ...options };
          return { line: lineOf(H, N, modules.sandwich.bias(H, 1, span).data) };
        };
        return { ...term, kind: KIND.line, tables };
      }
      case "t5Bias": {
        const { buckets, maxDistance } = readOptions(SCHEMES.t5Bias, rest);
        const direction = /** @type {const} */ ("causal");
        /** @param {Places} places */
        const tables = (places) => {
          const { distances: N, trained } = places;
          const most = maxDistance ?? Math.max(trained || MAX_DISTANCE, (buckets >> 1) + 1);
          const relatives = Int32Array.from({ length: N }, (_, n) => -n);
          const index = modules.t5Bias.bucket(relatives, { buckets, maxDistance: most, direction });
          return { ...trainedLine(places), index: index.data };
        };
        modules.t5Bias.bucket(0, { buckets, maxDistance: maxDistance ?? 2 ** 20, direction });
        const parameters = [numbers("t5", [buckets, H])];
        return { ...term, kind: KIND.t5, size: buckets, parameters, tables };
      }
      case "kerple": {
        const { kernel } = readOptions(SCHEMES.kerple, rest);
        const kind = kernel === "log" ? KIND.kerpleLog : KIND.kerplePower;
        const start = /** @type {const} */ ({ start: "uniform", scale: 0.5, shift: 1 });
        const parameters = [numbers("p", [H], start), numbers("a", [H], start)];
        return { ...term, kind, parameters, tables: trainedLine };
      }
      case "fire": {
        const { hidden: M, c, threshold } = readOptions(SCHEMES.fire, rest);
        /** @param {Places} places */
        const tables = ({ distances: N, T, trained }) => {
          const numbers = float32s(N + T + 4, "tables of a scheme");
          withMemory(core, [numbers.byteLength], (out) => {
            core.raw.lab_fire_tables(c, threshold ?? trained, N, T, out);
            take(core, out, numbers.length, numbers);
          });
          return { tables: numbers };
        };
        const first = /** @type {const} */ ({ start: "uniform", scale: 1 });
        const second = /** @type {const} */ ({ start: "uniform", scale: Math.sqrt(1 / M) });
        const parameters = [
          numbers("w1", [M], first),
          numbers("b1", [M], first),
          numbers("w2", [H, M], second),
          numbers("b2", [H], second),
        ];
        return { ...term, kind: KIND.fire, size: M, parameters, tables };
      }
      case "shaw": {
        const { maxDistance } = readOptions(SCHEMES.shaw, rest);
        const size = maxDistance + 1;
        return { ...term, kind: KIND.shaw, size, parameters: [numbers("keys", [size, D])] };
      }
      default: {
        const { positions: size } = readOptions(SCHEMES.cope, rest);
        return { ...term, kind: KIND.cope, size, parameters: [numbers("positions", [size, D])] };
      }
    }
  };
}

/**
 * Reads the options of a scheme; errors name the position.
 * @template {option.OptionSet<any>} Set
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

/**
 * Numbers of a bias, which are trained at a rate of their own.
 * @param {string} name @param {number[]} shape @param {Omit<Parameter, "name" | "shape">} [start]
 * @returns {Parameter}
 */
const numbers = (name, shape, start = { start: "zeros" }) => ({
  name: `bias.${name}`,
  shape,
  isPosition: true,
  ...start,
});
