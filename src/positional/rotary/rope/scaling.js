/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { Spectrum } from "../../../runtime/phase.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { checkStatus, STATUS } from "../../../runtime/errors.js";
import { withMemory, put, take } from "../../../runtime/memory.js";
import { stepsOf } from "../../../runtime/phase.js";
import { REACH } from "../../../runtime/positions.js";
import { asArray, refuseBits } from "../../../runtime/input.js";

/**
 * A scaling of frequencies for contexts longer than that of training, as in HF transformers; the names
 * are those of HF in camel case. `rope.frequencies` has the formulas. Pass either `factor` or
 * `maxLength`, of which the factor is maxLength / originalLength (HF: max_position_embeddings).
 * @typedef {{type: "linear", factor: number}
 *   | {type: "dynamic", factor: number, maxLength: number}
 *   | {type: "ntk", alpha: number}
 *   | {type: "yarn", factor?: number, maxLength?: number, originalLength: number, betaFast?: number, betaSlow?: number,
 *       truncate?: boolean, ramp?: "index" | "turns", mscale?: number, mscaleAllDim?: number, attentionFactor?: number}
 *   | {type: "longrope", shortFactor: ArrayLike<number>, longFactor: ArrayLike<number>,
 *       originalLength: number, factor?: number, maxLength?: number, attentionFactor?: number}
 *   | {type: "llama3", factor: number, lowFreqFactor: number, highFreqFactor: number,
 *       originalLength: number}
 *   | {type: "proportional", factor?: number, partialRotaryFactor: number}} Scaling
 */

/**
 * Frequencies of a rotary embedding, and their factors.
 * @typedef {Spectrum & {attentionFactor: number, softmaxFactor: number}} RotarySpectrum
 */

/**
 * Reads one option of a scaling, as the numbers that C++ takes.
 * @typedef {(value: unknown, name: string, pairs: number) => number | number[]} Reader
 *
 * @typedef {object} ScalingType
 * @property {Record<string, Reader>} options  in the order of C++
 * @property {Record<string, number>} [defaults]  of those that may be left out; 0 may stand for that
 * @property {boolean} [hasMaxLength]  whether `maxLength` may be passed instead of `factor`
 * @property {boolean} [usesLength]  whether frequencies depend on the length of the sequence
 * @property {(options: Record<string, any>, pairs: number, base: number, given: Record<string, unknown>) => void} [check]
 *   throws where options do not fit together
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
const ramp = (value, name) => RAMPS.indexOf(check.oneOf(value, name, RAMPS));
/** @type {Reader} */
const onePerPair = (value, name, pairs) =>
  list(value, name, pairs).map((x, i) => /** @type {number} */ (positive(x, `${name}[${i}]`, 0)));

/** Throws for numbers of which one divides to infinity. @param {string} name @param {number[]} numbers */
function atLeastTiny(name, ...numbers) {
  const x = numbers.find((each) => each < 1e-290);
  if (x !== undefined) throw new RangeError(`scaling.${name} must be at least 1e-290; got ${x}`);
}

/** Over what YaRN's ramp is linear. */
const RAMPS = /** @type {const} */ (["index", "turns"]);

/** The scalings, in the order of the C++ enum. @type {Record<Scaling["type"], ScalingType>} */
const SCALINGS = {
  linear: { options: { factor: atLeastOne } },
  dynamic: {
    options: { factor: atLeastOne, maxLength: length },
    usesLength: true,
    check: (_, pairs) => checkExponent("dynamic", pairs),
  },
  ntk: {
    options: { alpha: atLeastOne },
    check: (_, pairs) => checkExponent("ntk", pairs),
  },
  yarn: {
    options: {
      factor: atLeastOne,
      originalLength: length,
      betaFast: positive,
      betaSlow: positive,
      truncate: truth,
      mscale: notNegative,
      mscaleAllDim: notNegative,
      attentionFactor: positive,
      ramp,
    },
    defaults: {
      betaFast: 32,
      betaSlow: 1,
      truncate: 1,
      mscale: 0,
      mscaleAllDim: 0,
      attentionFactor: 0,
      ramp: 0,
    },
    hasMaxLength: true,
    check({ betaFast, betaSlow, ramp }, _, base, { truncate }) {
      atLeastTiny("betaSlow", betaSlow);
      if (RAMPS[ramp] === "turns") {
        if (truncate !== undefined) {
          throw new RangeError(
            `scaling.truncate must not be given with ramp "turns", which rounds no pair; got ${check.describe(truncate)}`,
          );
        }
        if (betaFast <= betaSlow) {
          throw new RangeError(
            `scaling.betaFast must be > betaSlow, ${betaSlow}, for ramp "turns"; got ${betaFast}`,
          );
        }
        return;
      }
      if (base === 1) {
        throw new RangeError('base must be > 1 for "yarn", which divides by its logarithm; got 1');
      }
      if (betaFast < betaSlow) {
        throw new RangeError(`scaling.betaFast must be >= betaSlow, ${betaSlow}; got ${betaFast}`);
      }
    },
  },
  longrope: {
    options: {
      originalLength: length,
      factor: atLeastOne,
      attentionFactor: positive,
      shortFactor: onePerPair,
      longFactor: onePerPair,
    },
    defaults: { factor: 0, attentionFactor: 0 },
    hasMaxLength: true,
    usesLength: true,
    check({ originalLength, factor, attentionFactor, shortFactor, longFactor }) {
      atLeastTiny("shortFactor", ...shortFactor);
      atLeastTiny("longFactor", ...longFactor);
      if (attentionFactor !== 0) return;
      if (factor === 0) {
        throw new TypeError(
          "scaling.factor must be given for longrope, unless maxLength or attentionFactor is given; got none",
        );
      }
      if (originalLength === 1 && factor > 1) {
        throw new RangeError(
          "scaling.originalLength must be > 1, unless attentionFactor is given: its logarithm divides; got 1",
        );
      }
    },
  },
  llama3: {
    options: {
      factor: atLeastOne,
      lowFreqFactor: positive,
      highFreqFactor: positive,
      originalLength: length,
    },
    check({ lowFreqFactor, highFreqFactor }) {
      // Nearer ones leave no digits of the ramp between them.
      if (highFreqFactor > lowFreqFactor && highFreqFactor < lowFreqFactor * (1 + 1e-6)) {
        throw new RangeError(
          `scaling.highFreqFactor must be lowFreqFactor, ${lowFreqFactor}, or larger by 1e-6 of it; got ${highFreqFactor}`,
        );
      }
      if (highFreqFactor < lowFreqFactor) {
        throw new RangeError(
          `scaling.highFreqFactor must be >= lowFreqFactor, ${lowFreqFactor}; got ${highFreqFactor}`,
        );
      }
    },
  },
  proportional: {
    options: { factor: atLeastOne, partialRotaryFactor: share },
    defaults: { factor: 1 },
  },
};

const TYPES = /** @type {Scaling["type"][]} */ (Object.keys(SCALINGS));

/** @param {string} type @param {number} pairs */
function checkExponent(type, pairs) {
  if (pairs > 1) return;
  throw new RangeError(
    `dim must be at least 4 for "${type}", whose exponent is dim / (dim - 2); got 2`,
  );
}

/**
 * Reads every option of a scaling, in the order of C++.
 * @param {unknown} scaling @param {number} pairs @param {number} base
 * @returns {{type: Scaling["type"], numbers: number[]}}
 */
function readScaling(scaling, pairs, base) {
  if (!check.isRecord(scaling)) {
    throw new TypeError(`scaling must be an object with a type; got ${check.describe(scaling)}`);
  }
  const given = scaling;
  if (given.type === undefined && "rope_type" in given) {
    const rule = 'scaling must have a type, as { type: "linear", factor: 2 }';
    throw new TypeError(
      `${rule}; got rope_type: models.fromConfig reads the keys of a config.json`,
    );
  }
  const type = check.oneOf(given.type, "scaling.type", TYPES);
  const { options: readers, defaults = {}, hasMaxLength, check: checkTogether } = SCALINGS[type];
  const known = [...Object.keys(readers), ...(hasMaxLength ? ["maxLength"] : [])];
  for (const name of Object.keys(given)) {
    if (name === "type" || known.includes(name)) continue;
    throw check.unknownOption(name, known, `scaling of type "${type}"`);
  }
  const values = hasMaxLength ? withFactor(given) : given;
  const options = Object.fromEntries(
    Object.entries(readers).map(([name, read]) => [
      name,
      values[name] === undefined && name in defaults
        ? defaults[name]
        : read(values[name], `scaling.${name}`, pairs),
    ]),
  );
  checkTogether?.(options, pairs, base, given);
  return { type, numbers: Object.values(options).flat() };
}

/**
 * Computes the factor of lengths, if they are given instead of it.
 * @param {Record<string, unknown>} values
 */
function withFactor({ maxLength, ...values }) {
  if (maxLength === undefined) return values;
  if (values.factor !== undefined) {
    throw new RangeError("scaling.factor must not be given with scaling.maxLength; got both");
  }
  const original = check.integer(values.originalLength, "scaling.originalLength");
  const longest = check.integer(maxLength, "scaling.maxLength", original);
  return { ...values, factor: longest / original };
}

/**
 * Reads one number for each pair.
 * @param {unknown} value @param {string} name @param {number} pairs
 */
function list(value, name, pairs) {
  const read = asArray(value, name);
  refuseBits(read, name);
  const { data, shape } = read;
  if (shape.length !== 1 || data.length !== pairs) {
    throw new RangeError(
      `${name} must hold ${pairs} numbers, one for each pair; got shape [${shape.join(", ")}]`,
    );
  }
  return Array.from(data);
}

/**
 * The options that determine the frequencies.
 * @typedef {object} FrequencyOptions
 * @property {number | undefined} base
 * @property {"exact" | "torch"} precision
 * @property {"pow" | "exp"} recipe
 * @property {Scaling | undefined} scaling
 * @property {number | undefined} length
 * @property {TensorInput | undefined} [frequencies]
 */

/**
 * Reads a rotated width and the options that determine the frequencies.
 * @param {Core} core @param {unknown} dim @param {FrequencyOptions} options
 * @returns {RotarySpectrum}
 */
export function readSpectrum(core, dim, options) {
  const pairs = check.pairs(dim);
  const { base = 10000, scaling, length, frequencies } = options;
  const steps = stepsOf(options.precision, options.recipe);
  const plain = { pairs, steps, attentionFactor: 1, softmaxFactor: 1, base, n: pairs };
  if (frequencies === undefined && scaling === undefined) return plain;
  if (frequencies !== undefined) {
    for (const name of /** @type {const} */ (["base", "scaling"])) {
      if (options[name] === undefined) continue;
      throw new RangeError(`${name} must not be given with frequencies; got both`);
    }
    return { ...plain, frequencies: readFrequencies(frequencies, pairs) };
  }
  const { type, numbers } = readScaling(scaling, pairs, base);
  if (length === undefined && SCALINGS[type].usesLength) {
    throw new TypeError(`length must be given for the scaling "${type}"; got undefined`);
  }
  const kind = TYPES.indexOf(type);
  return { ...plain, ...scaled(core, kind, [length ?? 0, ...numbers], base, plain) };
}

/** @param {TensorInput} frequencies @param {number} pairs */
function readFrequencies(frequencies, pairs) {
  const rule = "a number from -2^31 to 2^31";
  const read = list(frequencies, "frequencies", pairs).map((x, i) =>
    check.finite(x, `frequencies[${i}]`, rule, (theta) => Math.abs(theta) <= REACH),
  );
  return Float64Array.from(read);
}

/**
 * @param {Core} core @param {number} type @param {number[]} options @param {number} base
 * @param {{pairs: number, steps: number}} plain
 */
function scaled(core, type, options, base, { pairs, steps }) {
  const { raw } = core;
  const size = raw.phase_doubles(pairs, false);
  const pieces = [options.length * 8, size * 8, 2 * pairs * 8, 2 * 8];
  return withMemory(core, pieces, (optionsAt, workspace, theta, factorsAt) => {
    put(core, Float64Array.from(options), optionsAt);
    const places = { options: optionsAt, workspace, theta, factors: factorsAt };
    const sizes = { count: options.length, size, P: pairs };
    const rule = { scaling: type, precision: steps, base };
    const status = raw.rope_scaled_frequencies({ ...places, ...sizes, ...rule });
    if (STATUS[status] === "bad parameter") {
      throw new RangeError(
        `scaling must give a finite base and float32 factors; got "${TYPES[type]}" beyond that`,
      );
    }
    checkStatus(status);
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
