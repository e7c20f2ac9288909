/** Ports of seeded conventions, written from the formulas in double: tables, and vectors before and after. */
import { double } from "../reference/exact.js";
import { scaledFrequencies } from "../reference/scaling.js";
import { pairs } from "../reference/rope.js";
import { Random } from "../../attacks/fuzz/random.js";
import { isNight } from "../../sample.js";

/**
 * @typedef {"float32" | "float16" | "bfloat16"} Format
 *
 * What a port has, and so what must be said of it.
 * @typedef {object} Wanted
 * @property {string} form
 * @property {number} [base]
 * @property {any} [scaling]
 * @property {string} [unit] @property {number} [width]
 * @property {number} attentionFactor @property {number} offset
 * @property {1 | -1} sign @property {boolean} swapped
 * @property {"halves" | "interleaved" | null} layout
 * @property {string} [output] @property {string} [table] @property {boolean} [isMinusLost]
 * @property {string} rule  of positions
 * @property {{of: string, format: string}} [rounding]
 *
 * @typedef {object} Made
 * @property {string} what @property {Format} format @property {number} T
 * @property {number[]} theta  the exact frequencies
 * @property {Wanted} wanted
 * @property {any} arrays  for identify
 */

const BITS = { float32: 24, float16: 11, bfloat16: 8 };

/** To a significand of some bits, ties to even; 11 are float16's, whose least step is 2^-24. @param {number} x @param {number} bits */
export function rounded(x, bits) {
  if (x === 0 || bits >= 53) return x;
  const own = 2 ** (Math.floor(Math.log2(Math.abs(x))) + 1 - bits);
  const unit = bits === BITS.float16 ? Math.max(own, 2 ** -24) : own;
  const [low, rest] = [Math.floor(x / unit), x / unit - Math.floor(x / unit)];
  const up = rest > 0.5 || (rest === 0.5 && low % 2 !== 0);
  return (low + Number(up)) * unit;
}

/** @param {number} base @param {number} P @param {(i: number) => number} [exponent] */
const powers = (base, P, exponent = (i) => i / P) =>
  Array.from({ length: P }, (_, i) => base ** -exponent(i));

const PLAIN = "base^(-2i/D)";

/**
 * Frequencies by name: what they are, and how identify names them.
 * @type {Record<string, (with_: {P: number, base: number, random: Random}) => {theta: number[], name: Partial<Wanted>}>}
 */
const SPECTRA = {
  plain: ({ P, base }) => ({ theta: powers(base, P), name: { base } }),
  linear({ P, base, random }) {
    const factor = random.pick([2, 4, 8, 16, 32]);
    const theta = powers(base, P).map((x) => x / factor);
    return { theta, name: { base, scaling: { type: "linear", factor } } };
  },
  ntk({ P, base, random }) {
    const alpha = random.pick([2, 4, 8]);
    const theta = powers(base * alpha ** (P / (P - 1)), P);
    return { theta, name: { base, scaling: { type: "ntk", alpha } } };
  },
  llama3: (of) =>
    scaled(of, ({ factor, originalLength }) => ({
      ...{ type: "llama3", factor, lowFreqFactor: 1, highFreqFactor: 4, originalLength },
    })),
  yarn: (of) => scaled(of, (given) => ({ type: "yarn", ...given })),
  "yarn without truncation": (of) =>
    scaled(of, (given) => ({ type: "yarn", ...given, truncate: false })),
  "yarn over turns": (of) => scaled(of, (given) => ({ type: "yarn", ...given, ramp: "turns" })),
  "a share of the pairs"({ P, base }) {
    const scaling = { type: "proportional", partialRotaryFactor: 0.5 };
    return { theta: powers(base, P).map((x, i) => (i < P / 2 ? x : 0)), name: { base, scaling } };
  },
  "exponents to 1": ({ P, base }) => ({
    theta: powers(base, P, (i) => i / (P - 1)),
    name: { base, form: "base^(-2i/(D-2))" },
  }),
  "i from 1": ({ P, base }) => ({
    theta: powers(base, P, (i) => (i + 1) / P),
    name: { base, form: "base^(-2(i+1)/D)" },
  }),
  reversed: ({ P, base }) => ({
    theta: powers(base, P, (i) => (P - 1 - i) / P),
    name: { base, form: "base^(-2(P-1-i)/D)" },
  }),
  "evenly spaced": ({ P }) => ({
    theta: Array.from({ length: P }, (_, i) => 1 + ((1e-3 - 1) * i) / (P - 1)),
    name: { form: "evenly spaced" },
  }),
  "half of each exponent": ({ P }) => ({
    theta: powers(500000, P, (i) => i / P / 2),
    name: { base: 500000, width: 4 * P },
  }),
  degrees: ({ P, base }) => ({
    theta: powers(base, P).map((x) => (x * Math.PI) / 180),
    name: { base, unit: "degrees" },
  }),
  "applied twice": ({ P, base }) => ({
    theta: powers(base, P).map((x) => 2 * x),
    name: { base, unit: "twice" },
  }),
};

/**
 * @param {{P: number, random: Random}} of
 * @param {(given: {factor: number, originalLength: number}) => any} make
 */
function scaled({ P, random }, make) {
  const base = random.pick([10000, 150000, 500000, 1000000]);
  const scaling = make({
    factor: random.pick([2, 4, 8, 16, 32]),
    originalLength: random.pick([2048, 4096, 8192, 32768]),
  });
  const theta = scaledFrequencies(scaling, 2 * P, base).map(double);
  const attentionFactor = scaling.type === "yarn" ? 0.1 * Math.log(scaling.factor) + 1 : 1;
  return { theta, name: { base, scaling, attentionFactor } };
}

/** Rules of positions: the position of row t, and what is said of it. @type {Record<string, (t: number, T: number) => number>} */
const RULES = {
  wrapped: (t, T) => t % (T / 2 + 3),
  padded: (t) => Math.max(0, t - 5),
  "rounded bfloat16": (t) => rounded(t + 300, 8),
};

/** @type {Record<string, {of: "frequencies" | "angles", format: Format}>} */
const ROUNDINGS = {
  "frequencies in bfloat16": { of: "frequencies", format: "bfloat16" },
  "angles in float16": { of: "angles", format: "float16" },
};

/** All conventions by name: a spectrum, a rule of positions, a rounding, or a way of applying a table. */
export const CONVENTIONS = [
  ...Object.keys(SPECTRA),
  ...Object.keys(RULES),
  ...Object.keys(ROUNDINGS),
  "output in the other layout",
  "a table of the other layout",
  "a minus lost",
  "a part of the head",
];

/** These need vectors. */
const OF_VECTORS = new Set(CONVENTIONS.slice(-4));

/**
 * The port of a seed and an index.
 * @param {number} seed @param {number} index
 * @returns {Made}
 */
export function make(seed, index) {
  const random = new Random(seed, "convention", index);
  const what = CONVENTIONS[index % CONVENTIONS.length];
  const isOfVectors = OF_VECTORS.has(what) || random.happens(0.4);
  const D = random.pick([32, 64, 80, 96, 128, 256]);
  const P = D / 2;
  const T = random.pick(isNight ? [64, 256, 1024] : [64, 128, 256]);
  const format = random.pick(
    /** @type {Format[]} */ (["float32", "float32", "bfloat16", "float16"]),
  );
  const base = random.pick([10000, 50000, 100000, 500000, 1000000, 8000000, 25000000]);
  const layout = random.pick(/** @type {const} */ (["halves", "interleaved"]));
  const { theta, name } = SPECTRA[what in SPECTRA ? what : "plain"]({ P, base, random });
  const isPlain = what in SPECTRA;
  /** @type {Wanted} */
  const wanted = {
    form: PLAIN,
    attentionFactor: 1,
    offset: isPlain && random.happens(0.5) ? random.between(-8, 31) : 0,
    sign: isPlain && random.happens(0.2) ? -1 : 1,
    swapped: isPlain && random.happens(0.15),
    layout: !isOfVectors && random.happens(0.33) ? null : layout,
    rule: "consecutive",
    ...name,
  };
  if (what in RULES) wanted.rule = what.split(" ")[0];
  if (what === "rounded bfloat16") wanted.offset = 300;
  if (what in ROUNDINGS) wanted.rounding = ROUNDINGS[what];
  const other = layout === "halves" ? "interleaved" : "halves";
  if (what === "output in the other layout") wanted.output = other;
  if (what === "a table of the other layout") wanted.table = other;
  if (what === "a minus lost") wanted.isMinusLost = true;
  const { cos, sin } = tableOf(wanted, theta, T, what in RULES ? RULES[what] : undefined);
  const narrow = (/** @type {number} */ x) => rounded(x, BITS[format]);
  const arrays = isOfVectors
    ? vectorsOf({ cos, sin, T, P, random, narrow, isPart: what === "a part of the head" }, wanted)
    : written({ cos, sin, T, P, narrow }, wanted);
  return { what, format, T, theta, wanted, arrays };
}

/** @param {Wanted} wanted @param {number[]} theta @param {number} T @param {((t: number, T: number) => number)} [rule] */
function tableOf({ offset, sign, attentionFactor, rounding }, theta, T, rule) {
  const [cos, sin] = [new Float64Array(T * theta.length), new Float64Array(T * theta.length)];
  const near = (/** @type {number} */ x) =>
    rounding ? rounded(x, BITS[/** @type {Format} */ (rounding.format)]) : x;
  for (let t = 0, k = 0; t < T; ++t) {
    const place = rule ? rule(t, T) : t + offset;
    for (const frequency of theta) {
      const angle = (rounding?.of === "angles" ? near(place) : place) * near(frequency);
      const own = sign * (rounding?.of === "angles" ? near(angle) : angle);
      cos[k] = attentionFactor * Math.cos(own);
      sin[k++] = attentionFactor * Math.sin(own);
    }
  }
  return { cos, sin };
}

/**
 * A table in its layout and format.
 * @param {{cos: Float64Array, sin: Float64Array, T: number, P: number, narrow: (x: number) => number}} of @param {Wanted} wanted
 */
function written({ cos, sin, T, P, narrow }, { layout, swapped }) {
  const columns = layout === null ? P : 2 * P;
  const places = layout === null ? Array.from({ length: P }, (_, i) => [i]) : pairs(2 * P, layout);
  const [one, two] = [new Float32Array(T * columns), new Float32Array(T * columns)];
  for (let t = 0; t < T; ++t) {
    for (const [i, own] of places.entries()) {
      for (const column of own) {
        one[t * columns + column] = narrow(cos[t * P + i]);
        two[t * columns + column] = narrow(sin[t * P + i]);
      }
    }
  }
  const [a, b] = swapped ? [two, one] : [one, two];
  return { cos: { data: a, shape: [T, columns] }, sin: { data: b, shape: [T, columns] } };
}

/**
 * Vectors of three heads, rotated.
 * @param {{cos: Float64Array, sin: Float64Array, T: number, P: number, random: Random, narrow: (x: number) => number, isPart: boolean}} of
 * @param {Wanted} wanted
 */
function vectorsOf({ cos, sin, T, P, random, narrow, isPart }, wanted) {
  const D = isPart ? 4 * P : 2 * P;
  const [H, N] = [3, 3 * T * D];
  const q = Float32Array.from({ length: N }, () => narrow(random.bits() / 2 ** 30 - 2));
  const rotated = q.slice();
  const layout = wanted.layout ?? "halves";
  const [read, write] = [pairs(2 * P, layout), pairs(2 * P, wanted.output ?? layout)];
  const columnOf = (/** @type {number} */ column) => wanted.table === "halves" ? column % P : column >> 1; // prettier-ignore
  for (let row = 0; row < H * T; ++row) {
    const t = row % T;
    for (let i = 0; i < P; ++i) {
      const [[a, b], [u, v]] = [read[i], write[i]];
      const turn = (/** @type {number} */ column) => {
        const k = t * P + (wanted.table ? columnOf(column) : i);
        return wanted.swapped ? [sin[k], cos[k]] : [cos[k], sin[k]];
      };
      const [[c, s], [d, r]] = [turn(u), turn(v)];
      const [p, o] = [q[row * D + a], q[row * D + b]];
      rotated[row * D + u] = narrow(p * c + (wanted.isMinusLost ? o * s : -o * s));
      rotated[row * D + v] = narrow(o * d + p * r);
    }
  }
  const shape = [H, T, D];
  return { q: { data: q, shape }, rotated: { data: rotated, shape } };
}
