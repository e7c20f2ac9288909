/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Scaling } from "../../positional/rotary/rope/scaling.js" */
/** @import { Parameter, Places, Tables } from "./position.js" */
import { float32s } from "../../runtime/arrays.js";
import { take, withMemory } from "../../runtime/memory.js";
import * as option from "../../runtime/options.js";
import { alibi } from "../../positional/bias/alibi/alibi.js";
import { sandwich } from "../../positional/bias/sandwich/sandwich.js";
import { sinusoidal } from "../../positional/absolute/sinusoidal/sinusoidal.js";
import { t5Bias } from "../../positional/bias/t5_bias/t5_bias.js";
import { readSpectrum } from "../../positional/rotary/rope/scaling.js";
import { TABLE, tableOf } from "../../positional/rotary/rope/table.js";
import { ownBias } from "./own.js";
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

/**
 * A bias of one's own.
 * @typedef {(h: number, n: number, numbers: Float32Array) => number} Bias
 * @typedef {(h: number, n: number, numbers: Float32Array) => ArrayLike<number>} Derivative
 */

/** The options of each scheme. */
export const OPTIONS = {
  none: option.optionSet(() => ({})),
  learned: option.optionSet(() => ({
    /** The number of rows. Texts that are longer are refused; rows beyond those of training are untrained. */
    rows: option.integer({ default: 512 }),
  })),
  sinusoidal: option.optionSet(() => ({
    /** The base of the frequencies. */
    base,
    /** What all sines and cosines are multiplied by. */
    amplitude: option.number({ default: 1, min: 0 }),
  })),
  rope: option.optionSet(() => ({
    /** theta_i = base^(-2i/R). */
    base,
    /** The share of the columns of a head that rotate, R of D. */
    fraction: option.number({ default: 1, above: 0, max: 1 }),
    /** The share of the pairs that rotate, the fastest ones; the others stay (p-RoPE). */
    keep: option.number({ default: 1, above: 0, max: 1 }),
    /** The scaling of the frequencies, as that of `rope.table`. */
    scaling: option.value(/** @type {Scaling | undefined} */ (undefined)),
  })),
  xpos: option.optionSet(() => ({
    /** theta_i = base^(-2i/R). */
    base,
    /** The distance over which the scale of a pair changes by its factor. */
    scaleBase: option.number({ default: 512, min: 1 }),
    /** Sets those factors, as in `xpos.table`. */
    gamma: option.number({ default: 0.4, min: 1e-6, max: 1e6 }),
  })),
  alibi: option.optionSet(() => ({
    /** The last slope is 2^-biasMax. */
    biasMax: option.number({ default: 8, above: 0, max: 126 }),
  })),
  t5Bias: option.optionSet(() => ({
    /** The number of buckets. */
    buckets: option.integer({ default: 16, min: 2, max: 1024 }),
    /** The distance from which on all distances share the last bucket. Default: the length of the first training. */
    maxDistance: option.integer({ min: 2 }),
  })),
  kerple: option.optionSet(() => ({
    /** `log`: -p log(1 + a n); `power`: -a n^p. */
    kernel: option.choice(["log", "power"]),
  })),
  sandwich: option.optionSet(() => ({
    /** The width of the sinusoids behind the bias, even. */
    dim: option.integer({ default: 128, min: 2, step: 2 }),
    /** The base of their frequencies. */
    base,
  })),
  fire: option.optionSet(() => ({
    /** The units of the network. */
    hidden: option.integer({ default: 32, max: 1024 }),
    /** The c of log(1 + c n); it is not trained. */
    c: option.number({ default: 0.1, above: 0 }),
    /** The least position L of the normalizer. Default: the length of the first training. */
    threshold: option.number({ min: 0 }),
  })),
  shaw: option.optionSet(() => ({
    /** The distance from which on all distances share the last row. */
    maxDistance: option.integer({ default: 16, max: 2 ** 16 }),
  })),
  own: option.optionSet(() => ({
    /** The term of head h for a key n tokens before the query: a function of h, n and the trained numbers. */
    bias: option.value(/** @type {Bias | undefined} */ (undefined)),
    /** What the trained numbers start with. Default: none are trained. */
    numbers: option.value(/** @type {ArrayLike<number> | undefined} */ (undefined)),
    /** The derivative of `bias` by each number, a list. Default: central differences. */
    derivative: option.value(/** @type {Derivative | undefined} */ (undefined)),
  })),
  cope: option.optionSet(() => ({
    /** The number of learned positions; a count of gates beyond the last has the last. */
    positions: option.integer({ default: 32, min: 2, max: 2 ** 16 }),
  })),
};

/**
 * What the readers of schemes share.
 * @typedef {object} Sizes
 * @property {number} E @property {number} H @property {number} D
 * @property {number} std  of learned positions
 *
 * What a scheme has that "none" has not.
 * @typedef {object} Made
 * @property {number} [kind] @property {number} [pairs] @property {number} [size] @property {number} [rows]
 * @property {boolean} [isAdded] @property {boolean} [isTerm]
 * @property {Parameter[]} [parameters]
 * @property {(places: Places) => Tables} [tables]
 * @property {(places: Places) => Float32Array | undefined} [added]
 * @property {import("./own.js").Own} [own]
 */

/**
 * The readers of all schemes, each a function of what `OPTIONS` has read.
 * @param {Core} core
 */
export function schemes(core) {
  return {
    ...addedSchemes(core),
    ...rotations(core),
    ...fixedBiases(core),
    ...trainedBiases(core),
  };
}

/** Nothing, and what is added to the embedding. @param {Core} core */
function addedSchemes(core) {
  const { table } = sinusoidal(core);
  return {
    /** @returns {Made} */
    none: () => ({}),

    /** @param {{rows: number}} options @param {Sizes} sizes @returns {Made} */
    learned({ rows }, { E, std }) {
      const start = /** @type {const} */ ({ start: "normal", scale: std, isPosition: true });
      return {
        rows,
        isAdded: true,
        parameters: [{ name: "positions", shape: [rows, E], ...start }],
      };
    },

    /** @param {{base: number, amplitude: number}} options @param {Sizes} sizes @returns {Made} */
    sinusoidal({ base, amplitude }, { E }) {
      const added = (/** @type {Places} */ places) => {
        const { data } = table(positionsOf(places), E, { base });
        return amplitude === 1 ? data : data.map((x) => x * amplitude);
      };
      return { isAdded: true, added: /** @type {Made["added"]} */ (added) };
    },
  };
}

/** What rotates queries and keys. @param {Core} core */
function rotations(core) {
  const scaled = xpos(core);
  return {
    /**
     * @param {{base: number, fraction: number, keep: number, scaling: Scaling | undefined}} options
     * @param {Sizes} sizes @returns {Made}
     */
    rope({ base, fraction, keep, scaling }, { D }) {
      const R = 2 * Math.floor((D * fraction) / 2);
      if (R === 0) {
        throw new RangeError(
          `position.fraction must leave a pair of ${D} columns; got ${fraction}`,
        );
      }
      if (keep < 1 && scaling) {
        throw new RangeError(`position.keep must be 1 with a scaling; got ${keep}`);
      }
      const partial = /** @type {const} */ ({ type: "proportional", partialRotaryFactor: keep });
      const options = { base, scaling: keep < 1 ? partial : scaling };
      readSpectrum(core, R, { ...TABLE.read(options), length: 1 }); // refuses a scaling that is none
      const tables = (/** @type {Places} */ places) => {
        const { cos, sin } = tableOf(core, positionsOf(places), R, options);
        return { tables: joined([cos, sin, cos, sin]) };
      };
      return { kind: KIND.rotation, pairs: R / 2, tables };
    },

    /**
     * @param {{base: number, scaleBase: number, gamma: number}} options
     * @param {Sizes} sizes @returns {Made}
     */
    xpos(options, { D }) {
      if (D % 2 !== 0) throw new RangeError(`dim / heads must be even for xpos; got ${D}`);
      const tables = (/** @type {Places} */ places) => {
        // One center for all texts: it cancels between queries and keys.
        const { query, key } = scaled.table(positionsOf(places), D, { ...options, center: 0 });
        return { tables: joined([query.cos, query.sin, key.cos, key.sin]) };
      };
      return { kind: KIND.rotation, pairs: D / 2, tables };
    },
  };
}

/** Terms of the distance that are not trained. @param {Core} core */
function fixedBiases(core) {
  const slopes = alibi(core);
  const products = sandwich(core);
  /** @param {Sizes} sizes @param {(N: number, span: {keys: number, offset: number}) => {data: ArrayLike<number>}} bias */
  const made = ({ H }, bias) => {
    // The last of N queries sees all distances, from far to near.
    const tables = (/** @type {Places} */ { distances: N }) => ({
      line: lineOf(H, N, bias(N, { keys: N, offset: N - 1 }).data),
    });
    return { kind: KIND.line, isTerm: true, tables };
  };
  return {
    /** @param {{biasMax: number}} options @param {Sizes} sizes @returns {Made} */
    alibi: (options, sizes) =>
      made(sizes, (_, span) => slopes.bias(sizes.H, 1, { ...span, ...options })),

    /** @param {{dim: number, base: number}} options @param {Sizes} sizes @returns {Made} */
    sandwich(options, sizes) {
      const { dim } = options;
      if (dim % 2 !== 0) throw new RangeError(`position.dim must be even; got ${dim}`);
      return made(sizes, (_, span) => products.bias(sizes.H, 1, { ...span, ...options }));
    },
  };
}

/** Terms with numbers that are trained. @param {Core} core */
function trainedBiases(core) {
  const buckets = t5Bias(core);
  /** A line that comes from the numbers. @param {number} H @param {number} N */
  const trained = (H, N) => ({ line: lineOf(H, N), sums: H * N + 4 });
  return {
    /** @param {{buckets: number, maxDistance: number | undefined}} options @param {Sizes} sizes @returns {Made} */
    t5Bias({ buckets: size, maxDistance }, { H }) {
      const scheme = /** @type {const} */ ({ buckets: size, direction: "causal" });
      buckets.bucket(0, { ...scheme, maxDistance: maxDistance ?? 2 ** 20 }); // refuses what does not fit
      const tables = (/** @type {Places} */ { distances: N, trained: length }) => {
        const most = maxDistance ?? Math.max(length || MAX_DISTANCE, (size >> 1) + 1);
        const relatives = Int32Array.from({ length: N }, (_, n) => -n);
        const { data } = buckets.bucket(relatives, { ...scheme, maxDistance: most });
        return { ...trained(H, N), index: data };
      };
      return { kind: KIND.t5, isTerm: true, size, parameters: [numbers("t5", [size, H])], tables };
    },

    /** @param {{kernel: "log" | "power"}} options @param {Sizes} sizes @returns {Made} */
    kerple({ kernel }, { H }) {
      const kind = kernel === "log" ? KIND.kerpleLog : KIND.kerplePower;
      const start = /** @type {const} */ ({ start: "uniform", scale: 0.5, shift: 1 });
      const parameters = [numbers("p", [H], start), numbers("a", [H], start)];
      const tables = (/** @type {Places} */ { distances: N }) => trained(H, N);
      return { kind, isTerm: true, parameters, tables };
    },

    /** @param {{hidden: number, c: number, threshold: number | undefined}} options @param {Sizes} sizes @returns {Made} */
    fire({ hidden: M, c, threshold }, { H }) {
      const tables = (/** @type {Places} */ { distances: N, trained: length }) => {
        const numbers = float32s(2 * N + 4, "tables of a scheme");
        withMemory(core, [numbers.byteLength], (out) => {
          core.raw.lab_fire_tables(c, threshold ?? length, N, out);
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
      return { kind: KIND.fire, isTerm: true, size: M, parameters, tables };
    },

    /** @param {{maxDistance: number}} options @param {Sizes} sizes @returns {Made} */
    shaw({ maxDistance }, { D }) {
      const size = maxDistance + 1;
      return { kind: KIND.shaw, isTerm: true, size, parameters: [numbers("keys", [size, D])] };
    },

    /**
     * @param {{bias: Bias | undefined, numbers: ArrayLike<number> | undefined, derivative: Derivative | undefined}} options
     * @param {Sizes} sizes @returns {Made}
     */
    own(options, { H }) {
      const { values, ...own } = ownBias(options, H);
      const start = /** @type {const} */ ({ start: "given", values });
      const parameters = values.length > 0 ? [numbers("own", [values.length], start)] : [];
      const tables = (/** @type {Places} */ { distances: N }) => trained(H, N);
      return { kind: KIND.line, isTerm: true, parameters, tables, own };
    },

    /** @param {{positions: number}} options @param {Sizes} sizes @returns {Made} */
    cope: ({ positions: size }, { D }) => ({
      kind: KIND.cope,
      isTerm: true,
      size,
      parameters: [numbers("positions", [size, D])],
    }),
  };
}

/** The positions of tokens, as the functions of rotations and sinusoids take it. @param {Places} places */
const positionsOf = ({ T, texts, indices }) =>
  indices === undefined ? T : { data: indices, shape: texts > 1 ? [texts, T] : [T] };

/** Tables one after the other. @param {readonly {data: ArrayLike<number>}[]} parts */
function joined(parts) {
  const size = parts.reduce((sum, { data }) => sum + data.length, 0);
  const all = float32s(size, "tables of a scheme");
  let at = 0;
  for (const { data } of parts) {
    all.set(data, at);
    at += data.length;
  }
  return all;
}

/** A line with room for whole vectors. @param {number} H @param {number} N @param {ArrayLike<number>} [values] */
function lineOf(H, N, values) {
  const line = float32s(H * N + 4, "the bias of a scheme");
  if (values) line.set(values);
  return line;
}

/**
 * Numbers of a bias, which are trained at a separate rate.
 * @param {string} name @param {number[]} shape @param {Omit<Parameter, "name" | "shape">} [start]
 * @returns {Parameter}
 */
const numbers = (name, shape, start = { start: "zeros" }) => ({
  name: `bias.${name}`,
  shape,
  isPosition: true,
  ...start,
});
