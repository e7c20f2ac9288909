/**
 * Names a spectrum: the formulas of which measured frequencies may come, simplest first. Each is fitted, its numbers
 * are rounded to those that people choose where the measurement allows it, and it is kept if every pair is within what
 * the rows decide. Which of them hold is then decided by the table itself.
 */

/**
 * @import { RopeModules } from "../../positional/rotary/rope/index.js"
 * @import { Published } from "./published.js"
 *
 * @typedef {"base^(-2i/D)" | "base^(-2i/(D-2))" | "base^(-2(i+1)/D)" | "base^(-2(P-1-i)/D)" | "evenly spaced"} Form
 *
 * How P frequencies come about.
 * @typedef {object} Name
 * @property {Form} form
 * @property {number} [base]
 * @property {any} [scaling]  as of `rope.frequencies`
 * @property {number} [first] @property {number} [last]  of evenly spaced frequencies
 * @property {"degrees" | "turns" | "twice" | "thrice"} [unit]  what angles were taken for, or how often they are applied
 * @property {"short" | "long"} [list]  of LongRoPE's two lists of factors
 * @property {"ends" | "kept last" | "kept first"} [exchanged]  the numbers of a scaling stand for each other: its ramp rises,
 *   or is a step of pairs that are tested last or first
 * @property {number} [width]  D of the exponents, if it is not twice the pairs
 *
 * @typedef {object} Candidate
 * @property {Name} name
 * @property {Float64Array} frequencies
 * @property {number} cost  lower for a simpler name
 * @property {number} attentionFactor  of the scaling; 1 without one
 * @property {boolean} isScaled  whether `rope` has these frequencies, more exactly than float32 numbers
 */

/** Bases of published models; those of vision towers are below 1,000. */
export const BASES = Object.freeze(
  `
  100 1000 10000 20000 25000 40000 50000 100000 150000 160000 200000 250000 300000 500000 600000 640000 1e6 1.5e6 2e6
  3.5e6 4e6 5e6 8e6 9e6 1e7 1.1e7 2.5e7 5e7 1e8 1e9 1e10 1e11`
    .trim()
    .split(/\s+/)
    .map(Number),
);

/** Factors of published models. */
export const FACTORS = Object.freeze([
  1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 128,
]);

/** Lengths of published models. */
export const LENGTHS = Object.freeze([
  512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 1048576,
]);

/** A base that is known to these shares of it is near few others by chance. */
const SHARP = 1e-5;

/** Known to fewer than four digits, it may be another that somebody chose; to three, NTK's is likelier; to fewer than two, that is chance. */
const [FOUR_DIGITS, THREE_DIGITS, VAGUE] = [1e-4, 1e-3, 0.005];

/** What a number that nobody would choose costs, and one of two digits. */
export const ODD = 2;
const TWO_DIGITS = 1;

/** By how much rounding moves the ends of a ramp, relative. */
const BLUR = 1e-6;

/** @type {Form} */
const PLAIN = "base^(-2i/D)";

/**
 * The number within relative `margin` that people would choose: of a list, or of one or two digits, or itself.
 * @param {number} x @param {number} margin @param {readonly number[]} list
 */
export function chosen(x, margin, list) {
  const near = list.reduce((a, b) => (Math.abs(b - x) < Math.abs(a - x) ? b : a));
  if (Math.abs(near / x - 1) <= margin) return { value: near, cost: 0 };
  for (const digits of [1, 2]) {
    const value = Number(x.toPrecision(digits));
    if (Math.abs(value / x - 1) <= margin) return { value, cost: (digits * TWO_DIGITS) / 2 };
  }
  return { value: Number(x.toPrecision(12)), cost: ODD }; // engines differ in the last digits of a logarithm
}

/**
 * The candidates that are within `sigma` of `theta`, simplest first.
 * @param {RopeModules} modules
 * @param {{theta: Float64Array, sigma: Float64Array, columns?: number, factor?: number, noise?: number}} measured  theta >= 0;
 *   columns of the port; the factor of cosines and sines, and how far it may be off
 * @param {readonly Published[]} published  spectra of known models
 * @param {{isThorough?: boolean, rare?: (naming: Naming, modules: RopeModules) => void}} [how]  whether scalings are tried
 *   though one base is near all pairs, and what adds rarer names instead of all others
 * @returns {Candidate[]}
 */
export function candidatesOf(
  modules,
  { theta, sigma, columns = 0, factor, noise },
  published,
  { isThorough = false, rare } = {},
) {
  const naming = new Naming(theta, sigma, factor, noise);
  if (naming.seen.length === 0) return [];
  if (rare) {
    rare(naming, modules);
    return unique(naming.found);
  }
  naming.powers(columns);
  naming.linear();
  naming.tail();
  for (const { name, frequencies, attentionFactor } of published) {
    if (frequencies.length !== theta.length) continue;
    naming.add(name, frequencies, name.scaling ? 2.9 : 1, attentionFactor);
  }
  naming.kept(modules, isThorough);
  return unique(naming.found);
}

/** The formulas, each of which adds what fits. */
export class Naming {
  /** @param {Float64Array} theta @param {Float64Array} sigma @param {number} [attention]  the factor of cosines and sines @param {number} [noise]  of that */
  constructor(theta, sigma, attention = 1, noise = 0) {
    this.theta = theta;
    this.sigma = sigma;
    this.attention = attention;
    this.noise = noise;
    this.P = theta.length;
    /** The pairs that turn as far as the rows show. */
    this.seen = Array.from(theta.keys()).filter((i) => theta[i] > 4 * sigma[i]);
    /** @type {Candidate[]} */
    this.found = [];
  }

  /**
   * A name whose frequencies are within what the rows decide.
   * @param {Omit<Name, "form"> & {form?: Form}} name @param {ArrayLike<number>} frequencies @param {number} cost
   * @param {number} [attentionFactor]
   */
  add(name, frequencies, cost, attentionFactor = 1) {
    for (let i = 0; i < this.P; ++i) {
      const off = Math.abs(frequencies[i] - this.theta[i]);
      if (!(off <= this.sigma[i] + 1e-7 * frequencies[i])) return;
    }
    const { form = PLAIN, ...others } = name;
    const { unit, width, exchanged } = others;
    this.found.push({
      name: { form, ...others }, // in one order, so that equal names are one
      frequencies: Float64Array.from(frequencies),
      cost,
      isScaled: form === PLAIN && !unit && !width && !exchanged,
      attentionFactor,
    });
  }

  /** @param {number} base @param {(i: number) => number} [exponent] */
  power(base, exponent = (i) => i / this.P) {
    return Float64Array.from(this.theta, (_, i) => base ** -exponent(i));
  }

  /** The base of some pairs. @param {readonly number[]} over @param {(i: number) => number} [exponent] @param {number} [times]  of its margin */
  baseOf(over, exponent = (i) => i / this.P, times = 1) {
    const { slope, margin } = fitted(this.theta, this.sigma, over, exponent).throughOrigin;
    const exact = Math.exp(slope);
    const { value, cost } = chosen(exact, times * margin, BASES);
    return { base: value, cost, exact, margin };
  }

  /** All powers of one number, and evenly spaced frequencies. @param {number} columns */
  powers(columns) {
    const { P, theta, seen } = this;
    /** @type {[Form, (i: number) => number, number][]} */
    const forms = [
      [PLAIN, (i) => i / P, 1],
      ["base^(-2i/(D-2))", (i) => i / (P - 1), 2],
      ["base^(-2(i+1)/D)", (i) => (i + 1) / P, 2],
      ["base^(-2(P-1-i)/D)", (i) => (P - 1 - i) / P, 2],
    ];
    const usual = this.baseOf(seen);
    for (const [form, exponent, simple] of P > 1 ? forms : forms.slice(0, 1)) {
      const { base, cost, exact, margin } = this.baseOf(seen, exponent);
      // Another base by D-2 has the same powers: few numbers are chosen, and by chance one of those is near.
      if (form === forms[1][0] && cost > 0 && (usual.cost === 0 || margin > FOUR_DIGITS)) continue;
      // Few rows of a narrow format show less than the digits of a number that somebody chose.
      for (const digits of [0, 2, 3, 12]) {
        const own = digits === 0 ? base : Number(exact.toPrecision(digits));
        const isOther = own !== base && cost < ODD && Math.abs(own / exact - 1) <= margin && margin > FOUR_DIGITS; // prettier-ignore
        const odd = digits === 0 ? cost : digits === 12 ? ODD : (digits * TWO_DIGITS) / 2;
        if (own > 1 && (isOther || digits === 0)) {
          this.add({ form, base: own }, this.power(own, exponent), simple + odd);
        }
      }
    }
    if (P < 2) return;
    const [first, last] = [theta[0], theta[P - 1]].map((x) => Number(x.toPrecision(12)));
    const even = theta.map((_, i) => first + ((last - first) * i) / (P - 1));
    if (P > 2) this.add({ form: "evenly spaced", first, last }, even, 3);
    const { exact, margin, cost } = usual;
    const isSharp = margin < SHARP; // else one of many numbers is near by chance
    const own = columns / (2 * P); // a part of the head rotates by exponents of all of it
    for (const times of widthsOf(own, cost > 0, isSharp)) {
      const { value: base, cost: odd } = chosen(exact ** times, margin * times, BASES);
      if (odd > 0 || !(base > 1) || margin * times > 0.1) continue;
      const simple = times === own ? 1.4 : base === 10000 ? 2 : 2.1;
      this.add({ base, width: 2 * P * times }, this.power(base ** (1 / times)), simple);
    }
    for (const base of BASES) {
      const { value: alpha, cost: odd } = chosen((exact / base) ** ((P - 1) / P), margin, FACTORS);
      if (alpha <= 1 || odd > TWO_DIGITS / 2 || margin > VAGUE) continue;
      const stretched = base * alpha ** (P / (P - 1));
      const ofNtk = odd > 0 ? 3 + odd : isSharp ? 2 : margin < THREE_DIGITS ? 2.9 : 3;
      this.add({ base, scaling: { type: "ntk", alpha } }, this.power(stretched), ofNtk);
    }
  }

  /** All frequencies by one factor: linear scaling, or another unit of angles. */
  linear() {
    const { P, seen } = this;
    const { slope, start, margin, marginOfStart } = fitted(
      this.theta,
      this.sigma,
      seen,
      (i) => i / P,
    ).free;
    if (seen.length < 2 || !(slope > 0)) return;
    const { value: base, cost } = chosen(Math.exp(slope), margin, BASES);
    const own = this.power(base);
    /** @type {[Name["unit"], number][]} */
    const units = [["degrees", 180 / Math.PI], ["turns", 1 / (2 * Math.PI)], ["twice", 1 / 2], ["thrice", 1 / 3]]; // prettier-ignore
    for (const [unit, times] of units) {
      this.add({ base, unit }, own.map((x) => x / times), 2 + cost); // prettier-ignore
    }
    const { value: factor, cost: odd } = chosen(Math.exp(start), marginOfStart, FACTORS);
    if (factor <= 1) return;
    const all = own.map((x) => x / factor);
    this.add({ base, scaling: { type: "linear", factor } }, all, 2 + cost + odd);
  }

  /** Slow pairs that do not turn although they would show it: a share of the pairs rotates, of eighths or an odd one. */
  tail(isOdd = false) {
    const { P, seen, sigma } = this;
    if (seen.length < 2 || seen[seen.length - 1] !== seen.length - 1) return;
    const { base, cost } = this.baseOf(seen);
    if (!(base > 1)) return;
    const own = this.power(base);
    // Beyond the pairs that are seen others may turn, as long as they would be hardly seen.
    for (let count = seen.length; count < P && own[count] > sigma[count]; ++count) {
      if (isOdd === ((8 * count) % P === 0)) continue;
      const scaling = { type: "proportional", partialRotaryFactor: count / P };
      const all = own.map((x, i) => (i < count ? x : 0));
      this.add({ base, scaling }, all, (isOdd ? 4 : 2) + cost);
    }
  }

  /**
   * The factors that slow pairs may be divided by: every ramp leaves a pair between its own frequency and that divided by
   * the factor.
   * @param {Float64Array} own  frequencies without a scaling
   */
  factorsOf(own) {
    const { theta, sigma, seen, attention } = this;
    const all = FACTORS.slice();
    // What the slowest pairs have in common, the more of them the nearer, up to the end of the ramp.
    let [low, high] = [0, Infinity];
    for (const i of seen.slice().reverse()) {
      low = Math.max(low, own[i] / (theta[i] + sigma[i]));
      high = Math.min(high, own[i] / (theta[i] - sigma[i]));
      if (!(low <= high)) break;
      const middle = (low + high) / 2;
      if (high / low < 1.02) all.push(chosen(middle, high / middle - 1 + 1e-5, FACTORS).value);
    }
    // What the factor of YaRN's cosines and sines says, applied once or twice.
    for (const size of [attention, Math.sqrt(attention)]) {
      const exact = Math.exp(10 * (size - 1));
      for (const factor of [Math.floor(exact), Math.ceil(exact)]) {
        const isNear = Math.abs(0.1 * Math.log(factor) + 1 - size) <= this.noise * size;
        if (isNear && factor > 1) all.push(factor);
      }
    }
    return new Set(
      all.filter(
        (factor) =>
          factor >= 1 &&
          theta.every((x, i) => {
            const margin = sigma[i] + BLUR * own[i];
            return x <= own[i] + margin && x >= own[i] / factor - margin;
          }),
      ),
    );
  }

  /**
   * Scalings that keep the fast pairs: the base from those, the factor from the slow ones.
   * @param {RopeModules} modules @param {boolean} isThorough
   */
  kept(modules, isThorough) {
    const { theta, sigma, seen } = this;
    const fast = fastest(theta, sigma, seen);
    if (fast.length < 2) return;
    const { base } = this.baseOf(fast, undefined, 2);
    if (!(base > 1)) return;
    const own = this.power(base);
    if (!isThorough && own.every((x, i) => x <= theta[i] + sigma[i])) return;
    for (const factor of this.factorsOf(own)) {
      const odd = FACTORS.includes(factor) ? 0 : Number(factor.toPrecision(2)) === factor ? ODD / 2 : ODD; // prettier-ignore
      for (const { options, cost } of scalings(factor)) {
        this.scaled(modules, base, options, 3 + cost + odd);
      }
    }
  }

  /** @param {RopeModules} modules @param {number} base @param {any} scaling @param {number} cost */
  scaled({ rope }, base, scaling, cost) {
    try {
      const { frequencies, attentionFactor } = rope.frequencies(2 * this.P, { base, scaling });
      this.add({ base, scaling }, frequencies.data, cost, attentionFactor);
    } catch {
      // The fit left the range of the options: it is no candidate.
    }
  }
}

/** Ramps of published models between kept and divided pairs. @param {number} factor */
export const scalings = (factor) =>
  LENGTHS.flatMap((originalLength) => {
    const yarn = { type: "yarn", factor, originalLength };
    return [
      { options: { type: "llama3", factor, lowFreqFactor: 1, highFreqFactor: 4, originalLength }, cost: 0 },
      { options: yarn, cost: 0 },
      { options: { ...yarn, truncate: false }, cost: 0.1 },
      { options: { ...yarn, ramp: "turns" }, cost: 0.2 },
    ];
  }); // prettier-ignore

/**
 * How many times the rotated width may stand in exponents: that of a head, and of all heads where the base is odd and
 * known to many digits.
 * @param {number} own @param {boolean} isOdd @param {boolean} isSharp
 */
function widthsOf(own, isOdd, isSharp) {
  const heads = isSharp ? Array.from({ length: 128 }, (_, i) => i + 1) : [2, 4, 8];
  const all = isOdd ? [0.5, ...heads] : [];
  return new Set([...(own > 1 ? [own] : []), ...all].filter((times) => times !== 1));
}

/** The first pairs that one base explains. @param {Float64Array} theta @param {Float64Array} sigma @param {readonly number[]} seen */
export function fastest(theta, sigma, seen) {
  const P = theta.length;
  let fast = seen.slice(0, 2);
  for (let count = 3; count <= seen.length; ++count) {
    const tried = seen.slice(0, count);
    const { slope } = fitted(theta, sigma, tried, (i) => i / P).throughOrigin;
    const fits = tried.every((i) => Math.abs(Math.exp((-slope * i) / P) - theta[i]) <= sigma[i]);
    if (fits) fast = tried;
    else if (count > Math.max(4, P / 4)) break;
  }
  return fast;
}

/**
 * Fits ln theta = -start - slope place(i), each pair by how well it is known.
 * @param {Float64Array} theta @param {Float64Array} sigma @param {readonly number[]} over @param {(i: number) => number} place
 */
export function fitted(theta, sigma, over, place) {
  let [n, x, y, xx, xy] = [0, 0, 0, 0, 0];
  for (const i of over) {
    const w = (theta[i] / sigma[i]) ** 2;
    const [at, value] = [place(i), -Math.log(theta[i])];
    n += w;
    x += w * at;
    y += w * value;
    xx += w * at * at;
    xy += w * at * value;
  }
  const det = n * xx - x * x;
  return {
    throughOrigin: { slope: xy / xx, margin: 2 / Math.sqrt(xx) },
    free: {
      slope: (n * xy - x * y) / det,
      start: (xx * y - x * xy) / det,
      margin: 2 * Math.sqrt(n / det),
      marginOfStart: 2 * Math.sqrt(xx / det),
    },
  };
}

/** One of each name, simplest first. @param {Candidate[]} all */
function unique(all) {
  const known = new Set();
  return all
    .sort((a, b) => a.cost - b.cost)
    .filter(({ name }) => {
      const key = JSON.stringify(name);
      return !known.has(key) && known.add(key);
    });
}
