/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { PhaseRaw, Spectrum } from "../../../runtime/phase.js" */
import * as check from "../../../runtime/check.js";
import { checkStatus, STATUS } from "../../../runtime/errors.js";
import { withMemory, put, take } from "../../../runtime/memory.js";
import { readBase, readPrecision } from "../../../runtime/phase.js";
import { REACH } from "../../../runtime/positions.js";
import { asArray } from "../../../runtime/tensor.js";

/**
 * How frequencies are scaled for contexts longer than a model was trained on, as HF transformers
 * does it; the names are its own, in camel case. Formulas: `rope.frequencies`.
 * @typedef {{type: "linear", factor: number}
 *   | {type: "dynamic", factor: number, maxLength: number}
 *   | {type: "ntk", alpha: number}
 *   | {type: "yarn", factor: number, originalLength: number, betaFast?: number, betaSlow?: number,
 *       truncate?: boolean, mscale?: number, mscaleAllDim?: number, attentionFactor?: number}
 *   | {type: "longrope", shortFactor: ArrayLike<number>, longFactor: ArrayLike<number>,
 *       originalLength: number, factor?: number, attentionFactor?: number}
 *   | {type: "llama3", factor: number, lowFreqFactor: number, highFreqFactor: number,
 *       originalLength: number}
 *   | {type: "proportional", factor?: number, partialRotaryFactor: number}} Scaling
 */

/**
 * Frequencies of a rotary embedding, and the factors that go with them.
 * @typedef {Spectrum & {attentionFactor: number, softmaxFactor: number}} RotarySpectrum
 */

/**
 * Reads one option of a scaling, as the numbers that cross the border.
 * @typedef {(value: unknown, name: string, pairs: number) => number | number[]} Reader
 */

/** @type {Reader} */
const atLeastOne = (value, name) => check.finite(value, name, "a number >= 1", (x) => x >= 1);
/** @type {Reader} */
const positive = (value, name) => check.finite(value, name, "a number > 0", (x) => x > 0);
/** @type {Reader} */
const notNegative = (value, name) => check.finite(value, name, "a number >= 0", (x) => x >= 0);
/** @type {Reader} */
const share = (value, name) =>
  check.finite(value, name, "a number > 0 and <= 1", (x) => x > 0 && x <= 1);
/** @type {Reader} */
const length = (value, name) => check.integer(value, name);
/** @type {Reader} */
const truth = (value, name) => Number(check.boolean(value, name));
/** @type {Reader} */
const onePerPair = (value, name, pairs) =>
  list(value, name, pairs).map((x, i) => /** @type {number} */ (positive(x, `${name}[${i}]`, 0)));

/** @param {Reader} read @param {number} byDefault @returns {Reader} */
const optional = (read, byDefault) => (value, name, pairs) =>
  value === undefined ? byDefault : read(value, name, pairs);

/**
 * The scalings in the order of the C++ enum, and the options of each in the order there; 0 stands
 * for one that is not given.
 * @type {Record<Scaling["type"], Record<string, Reader>>}
 */
const SCALINGS = {
  linear: { factor: atLeastOne },
  dynamic: { factor: atLeastOne, maxLength: length },
  ntk: { alpha: atLeastOne },
  yarn: {
    factor: atLeastOne,
    originalLength: length,
    betaFast: optional(positive, 32),
    betaSlow: optional(positive, 1),
    truncate: optional(truth, 1),
    mscale: optional(notNegative, 0),
    mscaleAllDim: optional(notNegative, 0),
    attentionFactor: optional(positive, 0),
  },
  longrope: {
    originalLength: length,
    factor: optional(atLeastOne, 0),
    attentionFactor: optional(positive, 0),
    shortFactor: onePerPair,
    longFactor: onePerPair,
  },
  llama3: {
    factor: atLeastOne,
    lowFreqFactor: positive,
    highFreqFactor: positive,
    originalLength: length,
  },
  proportional: { factor: optional(atLeastOne, 1), partialRotaryFactor: share },
};

const TYPES = /** @type {Scaling["type"][]} */ (Object.keys(SCALINGS));

/** Those whose frequencies depend on the length of the sequence. */
const BY_LENGTH = ["dynamic", "longrope"];

/**
 * @param {unknown} given @param {number} pairs @param {number} base
 * @returns {{type: Scaling["type"], options: Record<string, number | number[]>}} every option of the
 *   type, in the core's order
 */
function readScaling(given, pairs, base) {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError(`scaling must be an object with a type; got ${check.describe(given)}`);
  }
  const values = /** @type {Record<string, unknown>} */ (given);
  const type = check.oneOf(values.type, "scaling.type", TYPES);
  const readers = SCALINGS[type];
  for (const name of Object.keys(values)) {
    if (name !== "type" && !Object.hasOwn(readers, name)) {
      const known = Object.keys(readers).join(", ");
      throw new TypeError(
        `scaling must have only the options of "${type}" (${known}); got ${name}`,
      );
    }
  }
  const options = Object.fromEntries(
    Object.entries(readers).map(([name, read]) => [
      name,
      read(values[name], `scaling.${name}`, pairs),
    ]),
  );
  refuseClashes(type, options, pairs, base);
  return { type, options };
}

/**
 * What is wrong only together.
 * @param {Scaling["type"]} type @param {Record<string, any>} options @param {number} pairs
 * @param {number} base
 */
function refuseClashes(type, options, pairs, base) {
  const { betaFast, betaSlow, lowFreqFactor, highFreqFactor } = options;
  if ((type === "dynamic" || type === "ntk") && pairs === 1) {
    throw new RangeError(
      `dim must be at least 4 for "${type}", whose exponent is dim / (dim - 2); got 2`,
    );
  }
  if (type === "yarn" && base === 1) {
    throw new RangeError('base must be > 1 for "yarn", which divides by its logarithm; got 1');
  }
  if (betaFast < betaSlow) {
    throw new RangeError(`scaling.betaFast must be >= betaSlow, ${betaSlow}; got ${betaFast}`);
  }
  if (highFreqFactor < lowFreqFactor) {
    throw new RangeError(
      `scaling.highFreqFactor must be >= lowFreqFactor, ${lowFreqFactor}; got ${highFreqFactor}`,
    );
  }
  if (type === "longrope" && options.attentionFactor === 0) {
    if (options.factor === 0) {
      throw new TypeError(
        "scaling.factor must be given for longrope (the new length by the original), unless attentionFactor is; got neither",
      );
    }
    if (options.originalLength === 1 && options.factor > 1) {
      throw new RangeError(
        "scaling.originalLength must be > 1, unless attentionFactor is given: its logarithm divides; got 1",
      );
    }
  }
}

/**
 * One number for each pair.
 * @param {unknown} value @param {string} name @param {number} pairs
 */
function list(value, name, pairs) {
  const { data, shape } = asArray(value, name);
  if (shape.length !== 1 || data.length !== pairs) {
    throw new RangeError(
      `${name} must hold ${pairs} numbers, one for each pair; got shape [${shape.join(", ")}]`,
    );
  }
  return Array.from(data);
}

/**
 * The options that say which frequencies a rotary embedding has; undefined where not given.
 * @typedef {{base: unknown, precision: unknown, recipe: unknown, scaling: unknown, length: unknown,
 *   frequencies?: unknown}} GivenFrequencies
 */

/**
 * Read a rotated width and the options that say which frequencies it has.
 * @param {Core} core @param {unknown} dim @param {GivenFrequencies} options
 * @param {string} where
 * @param {number} [reached]  the length where none is given
 * @returns {RotarySpectrum}
 */
export function readSpectrum(core, dim, options, where, reached) {
  const R = check.integer(dim, "dim", 2);
  if (R % 2 !== 0) throw new RangeError(`dim must be even; got ${R}`);
  const pairs = R / 2;
  const { scaling, frequencies } = options;
  const plain = {
    pairs,
    precision: readPrecision(options.precision, options.recipe),
    attentionFactor: 1,
    softmaxFactor: 1,
  };
  const length =
    options.length === undefined ? reached : check.integer(options.length, "length", 0);
  if (frequencies !== undefined) {
    for (const name of /** @type {const} */ (["base", "scaling"])) {
      if (options[name] === undefined) continue;
      const got = check.describe(options[name]);
      throw new TypeError(`${name} must not be given together with frequencies; got ${got}`);
    }
    const rule = "a number from -2^31 to 2^31";
    const given = list(frequencies, "frequencies", pairs).map((x, i) =>
      check.finite(x, `frequencies[${i}]`, rule, (theta) => Math.abs(theta) <= REACH),
    );
    return { ...plain, frequencies: Float64Array.from(given) };
  }
  const base = readBase(options.base === undefined ? 10000 : options.base);
  if (scaling === undefined) return { ...plain, base, n: pairs };
  const { type, options: values } = readScaling(scaling, pairs, base);
  if (length === undefined && BY_LENGTH.includes(type)) {
    throw new TypeError(`length must be given for "${type}", which goes by it; got undefined`);
  }
  const numbers = [length ?? 0, ...Object.values(values).flat()];
  const kind = TYPES.indexOf(type);
  return { ...plain, ...scaled(core, kind, numbers, base, plain, where) };
}

/**
 * @param {Core} core @param {number} type @param {number[]} options @param {number} base
 * @param {{pairs: number, precision: number}} plain @param {string} where
 */
function scaled(core, type, options, base, { pairs, precision }, where) {
  const raw =
    /**
     * @type {PhaseRaw & {
     *   rope_scaled_frequencies(scaling: number, options: number, count: number, base: number,
     *     precision: number, workspace: number, size: number, theta: number, P: number,
     *     factors: number): number,
     * }}
     */ (core.raw);
  const size = pairs * raw.phase_doubles_per_pair(false);
  const pieces = [options.length * 8, size * 8, 2 * pairs * 8, 2 * 8];
  return withMemory(core, where, pieces, (optionsAt, workspace, theta, factorsAt) => {
    put(core, Float64Array.from(options), optionsAt);
    const status = raw.rope_scaled_frequencies(
      ...[type, optionsAt, options.length, base, precision],
      ...[workspace, size, theta, pairs, factorsAt],
    );
    if (STATUS[status] === "bad parameter") {
      throw new RangeError(
        `scaling must give a finite base and float32 factors; got "${TYPES[type]}" beyond that`,
      );
    }
    checkStatus(status, where);
    const frequencies = new Float64Array(pairs);
    const rests = new Float64Array(pairs);
    const factors = new Float64Array(2);
    take(core, theta, pairs, frequencies);
    take(core, theta + pairs * 8, pairs, rests);
    take(core, factorsAt, 2, factors);
    const [attentionFactor, softmaxFactor] = factors;
    return { frequencies, rests, attentionFactor, softmaxFactor };
  });
}
