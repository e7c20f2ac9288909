/**
 * Scalings as they are not meant: the two ends of a ramp exchanged, which `rope` refuses to compute; and ramps of lengths
 * that few would choose. Asked for where no plain name fits.
 */
import { chosen, FACTORS, fastest, LENGTHS, Naming, ODD } from "../identify/spectrum.js";
import { log2 } from "./fits.js";

/** A turn in radians. */
const TURN = 2 * Math.PI;

/** YaRN's turns in the original length, of pairs that are kept and of pairs that are divided. */
const [FAST, SLOW] = [32, 1];

/** Llama 3's factors, of low and of high frequencies. */
const [LOW, HIGH] = [1, 4];

/** What a name costs that is a slip. */
const SLIP = 3;

/** Pairs whose shares are known to this say which length makes them. */
const SHARP = 1e-3;

/** Lengths that people choose are multiples of these. */
const UNITS = [[65536, 8192, 4096, 2048, 1024, 512, 1], [10000, 1000, 100, 10, 1]]; // prettier-ignore

/** @param {number} x */
const within = (x) => Math.min(Math.max(x, 0), 1);

/**
 * Adds the names of ramps that fit.
 * @param {Naming} naming @param {Parameters<Naming["kept"]>[0]} modules
 */
export function addRamps(naming, modules) {
  addRising(naming);
  const { theta, sigma, seen } = naming;
  const fast = fastest(theta, sigma, seen);
  if (fast.length < 2) return;
  const { base } = naming.baseOf(fast, undefined, 2);
  if (!(base > 1)) return;
  const own = naming.power(base);
  naming.tail(true);
  for (const factor of naming.factorsOf(own)) {
    addSteps(naming, modules, { base, own, factor });
    addFitted(naming, modules, { base, own, factor });
  }
}

/** Fast pairs divided and slow ones kept: the ends of a ramp exchanged. @param {Naming} naming */
function addRising(naming) {
  const { theta, sigma, P } = naming;
  const { value: factor } = chosen(1 / theta[0], (3 * sigma[0]) / theta[0] + 1e-5, FACTORS);
  if (!(factor > 1)) return;
  const whole = new Naming(theta.map((x) => x * factor), sigma.map((x) => x * factor)); // prettier-ignore
  const fast = fastest(whole.theta, whole.sigma, whole.seen);
  if (fast.length < 2) return;
  const { base } = whole.baseOf(fast, undefined, 2);
  if (!(base > 1)) return;
  const own = naming.power(base);
  const attentionFactor = yarnFactor(factor);
  const atTurns = (/** @type {number} */ L, /** @type {number} */ beta) =>
    (P * log2(L / (TURN * beta))) / log2(base);
  for (const originalLength of LENGTHS) {
    const add = (/** @type {any} */ scaling, /** @type {(i: number) => number} */ kept, cost = 0, attention = 1) =>
      naming.add(
        { base, scaling, exchanged: "ends" },
        own.map((x, i) => x * (kept(i) + (1 - kept(i)) / factor)),
        SLIP + cost,
        attention,
      ); // prettier-ignore
    const overTurns = (/** @type {number} */ low, /** @type {number} */ high) => (/** @type {number} */ i) =>
      within(((originalLength * own[i]) / TURN - high) / (low - high)); // prettier-ignore
    const overPairs = (/** @type {number} */ from, /** @type {number} */ to) => {
      const [low, high] = [Math.max(from, 0), Math.min(to, 2 * P - 1)];
      return (/** @type {number} */ i) => 1 - within((i - low) / (high - low || 0.001));
    };
    const [low, high] = [atTurns(originalLength, SLOW), atTurns(originalLength, FAST)];
    const betas = { type: "yarn", factor, originalLength, betaFast: SLOW, betaSlow: FAST };
    add(betas, overPairs(Math.floor(low), Math.ceil(high)), 0, attentionFactor);
    add({ ...betas, truncate: false }, overPairs(low, high), 0.1, attentionFactor);
    add({ ...betas, ramp: "turns" }, overTurns(SLOW, FAST), 0.2, attentionFactor);
    add({ type: "llama3", factor, lowFreqFactor: HIGH, highFreqFactor: LOW, originalLength }, overTurns(LOW, HIGH)); // prettier-ignore
  }
}

/**
 * Pairs kept up to one and divided from the next on: Llama 3's factors exchanged, of which programs test one or the other
 * first, or two equal factors.
 * @param {Naming} naming @param {Parameters<Naming["kept"]>[0]} modules @param {{base: number, own: Float64Array, factor: number}} of
 */
function addSteps(naming, { rope }, { base, own, factor }) {
  for (const originalLength of LENGTHS) {
    for (const [limit, exchanged] of /** @type {const} */ ([[HIGH, "kept last"], [LOW, "kept first"]])) {
      const scaling = { type: "llama3", factor, lowFreqFactor: HIGH, highFreqFactor: LOW, originalLength };
      const all = own.map((x) => (TURN / x > originalLength / limit ? x / factor : x));
      naming.add({ base, scaling, exchanged }, all, SLIP + (exchanged === "kept first" ? 0.1 : 0));
      const equal = { ...scaling, lowFreqFactor: limit, highFreqFactor: limit };
      const options = /** @type {any} */ ({ base, scaling: equal });
      const { frequencies } = rope.frequencies(2 * naming.P, options);
      naming.add({ base, scaling: equal }, frequencies.data, SLIP + 1);
    }
  }
} // prettier-ignore

/**
 * Ramps whose length few would choose, from the line through the pairs between.
 * @param {Naming} naming @param {Parameters<Naming["kept"]>[0]} modules @param {{base: number, own: Float64Array, factor: number}} of
 */
function addFitted(naming, modules, { base, own, factor }) {
  const { P, theta, sigma, seen } = naming;
  const share = own.map((x, i) => (theta[i] / x - 1 / factor) / (1 - 1 / factor)); // 1 is kept, 0 divided
  const between = seen.filter((i) => share[i] > 0.02 && share[i] < 0.98);
  if (between.length < 2 || between.some((i) => sigma[i] > SHARP * own[i])) return;
  const add = (/** @type {any} */ scaling, cost = SLIP) =>
    scaling.originalLength > 0 && naming.scaled(modules, base, { factor, ...scaling }, cost);
  const [first, last] = [between[0], between[between.length - 1]];
  // In theta: share = (length theta / (2 pi) - low) / (high - low); of low, high and length one is free.
  const rise = (share[first] - share[last]) / (own[first] - own[last]);
  const low = rise * own[first] - share[first];
  const highFreqFactor = Number(((1 + low) / low).toPrecision(6));
  const length = Math.round((TURN * rise) / low);
  if (low > 0) add({ type: "llama3", lowFreqFactor: LOW, highFreqFactor, originalLength: length }, SLIP + ODD); // prettier-ignore
  // In the pair's index: share = (to - i) / (to - from), where from and to are the pairs of the two betas.
  const fall = (share[first] - share[last]) / (last - first);
  const [from, to] = [first - (1 - share[first]) / fall, first + share[first] / fall];
  const lengthAt = (/** @type {number} */ i, /** @type {number} */ beta) => TURN * beta * base ** (i / P); // prettier-ignore
  // Whole pairs: a range of lengths gives these.
  const [a, b] = [Math.round(from), Math.round(to)];
  const least = Math.max(lengthAt(a, FAST), lengthAt(b - 1, SLOW));
  const most = Math.min(lengthAt(a + 1, FAST), lengthAt(b, SLOW));
  for (const units of UNITS) {
    const unit = units.find((one) => Math.ceil(least / one) * one <= most);
    if (unit) add({ type: "yarn", originalLength: Math.ceil(least / unit) * unit });
  }
  const originalLength = Math.round(lengthAt(to, SLOW));
  const betaFast = Number((originalLength / lengthAt(from, 1)).toPrecision(6));
  const isUsual = Math.abs(betaFast / FAST - 1) < 1e-4;
  const betas = isUsual ? {} : { betaFast, betaSlow: SLOW };
  add({ type: "yarn", originalLength, ...betas, truncate: false }, SLIP + (isUsual ? 0.5 : ODD));
}

/** YaRN's attention factor, 0.1 ln s + 1. @param {number} factor */
const yarnFactor = (factor) => 0.1 * Math.LN2 * log2(factor) + 1;
