/**
 * Conventions of rotary embeddings: that of a model, and the usual slips of ports.
 */
import { rounded, widened } from "./numbers.js";

/**
 * @import { Rotary } from "../models/config.js"
 * @import { RopeModules } from "../positional/rotary/rope/index.js"
 */

/**
 * How a port may compute cosines and sines, and rotate.
 * @typedef {object} Convention
 * @property {number} dim  rotated width R
 * @property {number} start  the first rotated column
 * @property {"halves" | "interleaved"} layout
 * @property {number} base
 * @property {any} scaling  undefined for none
 * @property {number} length  of the sequence
 * @property {boolean} hasFactor  whether the attention factor of the scaling is applied
 * @property {"exact" | "torch"} precision
 * @property {number} offset  added to positions
 * @property {boolean} isSwapped  whether sines stand for cosines
 * @property {1 | -1} sign  of the angle
 * @property {boolean} isStill  whether nothing rotates
 * @property {boolean} isInDegrees  whether angles are taken for degrees
 * @property {Rounding} [rounding]  of what the angles are made of
 */

/**
 * Steps that are rounded to a half-width format. Where angles are, positions and frequencies are as well.
 * @typedef {{of: "positions" | "frequencies" | "angles", bits: 8 | 11, format: "bfloat16" | "float16"}} Rounding
 */

/**
 * One mistake.
 * @typedef {object} Slip
 * @property {string} name
 * @property {Partial<Convention>} sets
 * @property {boolean} [isMinor]  whether it changes only the precision
 */

/**
 * @param {Rotary} rotary @param {number} length  of the sequence
 * @returns {Convention}
 */
export function conventionOf({ dim, start = 0, layout, inverse, options }, length) {
  const { base, scaling } = options;
  return {
    dim,
    start,
    layout,
    base,
    scaling,
    length,
    hasFactor: true,
    precision: "exact",
    offset: 0,
    isSwapped: false,
    sign: inverse ? -1 : 1,
    isStill: false,
    isInDegrees: false,
  };
}

/** Bases of published models. */
const BASES = [10000, 100000, 150000, 160000, 250000, 500000, 1000000, 5000000, 8000000, 10000000];

/**
 * The mistakes that are possible for a model.
 * @param {Convention} own
 * @param {{headDim: number, others: Record<string, Rotary>}} model  `others`: the rotations of its other layers
 * @returns {Slip[]}
 */
export function slipsOf(own, { headDim, others }) {
  // The first name of a convention that two slips lead to is shown.
  const kinds = Object.entries(others).map(([kind, { dim, layout, start = 0, options }]) => ({
    name: `the rotation of ${kind} layers`,
    sets: { dim, layout, start, base: options.base, scaling: options.scaling },
  }));
  const bases = BASES.filter((base) => base !== own.base);
  return [
    ...kinds,
    { name: "the other layout", sets: { layout: other(own.layout) } },
    { name: "positions begin at 1", sets: { offset: 1 } },
    { name: "positions begin at -1", sets: { offset: -1 } },
    { name: "cosines and sines swapped", sets: { isSwapped: true } },
    { name: "rotation in the other direction", sets: { sign: own.sign === 1 ? -1 : 1 } },
    { name: "no rotation", sets: { isStill: true } },
    { name: "angles in degrees", sets: { isInDegrees: true } },
    ...bases.map((base) => ({ name: `base ${base}`, sets: { base } })),
    ...(headDim !== own.dim && headDim % 2 === 0
      ? [
          { name: "the whole head rotates", sets: { dim: headDim, start: 0 } },
          { name: "exponents of the whole head", sets: { base: own.base ** (own.dim / headDim) } },
        ]
      : []),
    { name: "exponents i / D instead of 2 i / D", sets: { base: Math.sqrt(own.base) } },
    ...scalingSlips(own),
    ...(own.start > 0
      ? [{ name: "the first columns of the head rotate", sets: { start: 0 } }]
      : []),
    ...ROUNDED,
  ];
}

/** Factors of published models. */
const FACTORS = [2, 4, 8, 16, 32, 40];

/** @param {Convention["layout"]} layout */
const other = (layout) => (layout === "halves" ? "interleaved" : "halves");

/** @param {Convention} own @returns {Slip[]} */
function scalingSlips({ scaling, length }) {
  if (!scaling) return [];
  /** @type {Slip[]} */
  const slips = [
    { name: "the scaling is forgotten", sets: { scaling: undefined } },
    { name: "the attention factor is forgotten", sets: { hasFactor: false } },
  ];
  const { type, factor, originalLength, maxLength } = scaling;
  if (type !== "linear" && typeof factor === "number" && factor >= 1) {
    slips.push({ name: "linear scaling", sets: { scaling: { type: "linear", factor } } });
  }
  if (typeof factor === "number") {
    for (const other of FACTORS.filter((each) => each !== factor)) {
      slips.push({ name: `factor ${other}`, sets: { scaling: { ...scaling, factor: other } } });
    }
  }
  const threshold = type === "longrope" ? originalLength : maxLength;
  if (typeof threshold === "number") {
    const isLong = length > threshold;
    slips.push({
      name: isLong ? "the scaling of short texts" : "the scaling of long texts",
      sets: { length: isLong ? threshold : Math.floor(threshold * Math.max(2, factor ?? 2)) },
    });
  }
  return slips;
}

/** @type {Slip[]} */
const ROUNDED = /** @type {const} */ ([
  ["bfloat16", 8],
  ["float16", 11],
]).flatMap(([format, bits]) =>
  /** @type {const} */ (["positions", "frequencies", "angles"]).map((of) => ({
    name: `${of} in ${format}`,
    sets: { rounding: { of, bits, format } },
    isMinor: true,
  })),
);

/**
 * The frequencies of a convention, and the factor of its cosines and sines.
 * @param {RopeModules} modules @param {Convention} convention
 * @returns {{frequencies: Float64Array, factor: number}}
 */
export function spectrumOf({ rope }, convention) {
  const { dim, base, scaling, length, hasFactor, isStill, isInDegrees, rounding } = convention;
  const scaled = scaling === undefined ? {} : { scaling };
  const found = rope.frequencies(dim, { base, length, ...scaled });
  const all = Float64Array.from(found.frequencies.data);
  const factor = hasFactor && !isStill ? found.attentionFactor : 1;
  if (isStill) return { frequencies: all.fill(0), factor };
  if (isInDegrees) return { frequencies: all.map((x) => (x * Math.PI) / 180), factor };
  const isRounded = rounding !== undefined && rounding.of !== "positions";
  return { frequencies: isRounded ? all.map((x) => rounded(x, rounding.bits)) : all, factor };
}

/**
 * The cosines and sines of a convention.
 * @param {RopeModules} modules @param {Convention} convention @param {readonly number[]} positions
 * @returns {{cos: Float32Array, sin: Float32Array, angles: Float64Array, factor: number}} [T, P] each; the
 *   angles without their sign, larger where their steps are less exact
 */
export function tableOf(modules, convention, positions) {
  const { rope } = modules;
  const { dim, offset, precision, rounding, base, scaling, length } = convention;
  const { frequencies, factor } = spectrumOf(modules, convention);
  const own = positions.map((position) => position + offset);
  const places =
    rounding?.of === "positions" ? own.map((place) => rounded(place, rounding.bits)) : own;
  const P = dim / 2;
  const sizes = Float64Array.from(frequencies, widened);
  const angles = new Float64Array(places.length * P);
  for (const [t, place] of places.entries()) {
    for (let i = 0; i < P; ++i) angles[t * P + i] = Math.abs(place * sizes[i]);
  }
  const { isStill, isInDegrees, hasFactor } = convention;
  if (!rounding && !isStill && !isInDegrees && hasFactor) {
    const scaled = scaling === undefined ? {} : { scaling };
    const { cos, sin } = rope.table(places, dim, { base, length, precision, ...scaled });
    return { cos: cos.data, sin: sin.data, angles, factor };
  }
  const { cos, sin } =
    rounding?.of === "angles"
      ? byAngles(modules, places, frequencies, rounding.bits)
      : rope.table(places, dim, { frequencies: [...frequencies] });
  return { cos: times(cos.data, factor), sin: times(sin.data, factor), angles, factor };
}

/** @param {Float32Array} x @param {number} factor */
const times = (x, factor) => (factor === 1 ? x : x.map((value) => value * factor));

/**
 * Cosines and sines whose positions, frequencies and angles are rounded.
 * @param {RopeModules} modules @param {number[]} places @param {Float64Array} frequencies @param {number} bits
 */
function byAngles({ rope }, places, frequencies, bits) {
  const angles = places.flatMap((place) =>
    Array.from(frequencies, (frequency) => rounded(rounded(place, bits) * frequency, bits)),
  );
  return rope.table(angles, 2, { frequencies: [1] });
}
