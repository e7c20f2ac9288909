/** Names the frequencies of sinusoids: the options of `sinusoidal` that give them, simplest first. */
import { BASES, chosen, fitted } from "../identify/spectrum.js";

/**
 * How frequencies come about, as options of `sinusoidal.table`.
 * @typedef {object} Waves
 * @property {string} form  the formula of the frequencies
 * @property {number} base  of the powers
 * @property {"paper" | "tensor2tensor" | number} spectrum  the denominator of the exponents
 * @property {number} positionScale  the factor of all positions
 * @property {number} minTimescale  the first frequency
 */

/** Factors of positions that programs use. */
const SCALES = [2 * Math.PI, Math.PI, 1000, 100, 10, 0.1, 0.01, 0.001, 0.5, 0.25, 2, 4];

/** The first frequency that no factor explains is this near to 1. */
const NEAR = 1e-9;

/**
 * @param {{theta: Float64Array, sigma: Float64Array, D: number}} measured  theta >= 0, of floor(D / 2) pairs
 * @returns {{waves: Waves, cost: number}[]} simplest first
 */
export function wavesOf({ theta, sigma, D }) {
  const P = theta.length;
  const seen = Array.from(theta.keys()).filter((i) => theta[i] > 4 * sigma[i]);
  /** @type {{waves: Waves, cost: number}[]} */
  const found = [];
  if (seen.length === 0) return found;
  /** @param {Waves} waves @param {(i: number) => number} place @param {number} cost */
  const add = (waves, place, cost) => {
    const { base, positionScale, minTimescale } = waves;
    if (!(base > 1 && minTimescale > 0 && minTimescale <= base)) return;
    const fast = positionScale * minTimescale;
    const fits = theta.every((x, i) => {
      const own = fast * (base / minTimescale) ** -place(i);
      return Math.abs(own - x) <= sigma[i] + 1e-7 * own;
    });
    if (fits) found.push({ waves, cost });
  };
  const plain = { positionScale: 1, minTimescale: 1 };
  if (P === 1) {
    const { value, cost } = chosen(theta[0], sigma[0] / theta[0], SCALES);
    const isOne = Math.abs(theta[0] - 1) <= sigma[0];
    add({ form: "one pair, which shows no base", base: 10000, spectrum: "paper", ...plain, positionScale: isOne ? 1 : value }, () => 0, isOne ? 1 : 2 + cost); // prettier-ignore
    return found;
  }
  const n = Math.floor(D / 2) - 1;
  /** @type {[spectrum: "paper" | "tensor2tensor", form: string, place: (i: number) => number, cost: number][]} */
  const spectra = [
    ["paper", "base^(-2i/D)", (i) => (2 * i) / D, 1],
    ["tensor2tensor", "base^(-i/(D/2 - 1))", (i) => i / n, 1.1],
  ];
  for (const [spectrum, form, place, simple] of spectra) {
    const fit = seen.some((i) => i > 0) ? fitted(theta, sigma, seen, place) : undefined;
    if (!fit) continue;
    const { slope, margin } = fit.throughOrigin;
    const { value: base, cost } = chosen(Math.exp(slope), margin, BASES);
    add({ form, base, spectrum, ...plain }, place, simple + cost);
    if (cost > 0 && spectrum === "paper") byTenThousand(slope);
    if (seen.length < 2) continue;
    const { slope: own, start, margin: ownMargin, marginOfStart } = fit.free;
    const factor = Math.exp(-start);
    if (Math.abs(factor - 1) <= Math.max(marginOfStart, NEAR) || !(own > 0)) continue;
    const { value: free, cost: odd } = chosen(Math.exp(own), ownMargin, BASES);
    const { value: positionScale, cost: oddScale } = chosen(factor, marginOfStart, SCALES);
    const scaled = { form, base: free, spectrum, positionScale, minTimescale: 1 };
    add(scaled, place, simple + 1 + odd + oddScale);
    // minTimescale m: m (base / m)^(-place), so base = m b.
    const min = chosen(factor, marginOfStart, [2, 4, 10, 0.5, 0.1]);
    const last = chosen(min.value * Math.exp(own), ownMargin + marginOfStart, BASES);
    add({ form, base: last.value, spectrum, positionScale: 1, minTimescale: min.value }, place, simple + 1.2 + min.cost + last.cost); // prettier-ignore
  }
  const next = (/** @type {number} */ i) => (2 * (i + 1)) / D;
  const { slope, margin } = fitted(theta, sigma, seen, next).throughOrigin;
  const { value: base, cost } = chosen(Math.exp(slope), margin, BASES);
  add({ form: "base^(-2(i+1)/D)", base, spectrum: "paper", positionScale: base ** (-2 / D), minTimescale: 1 }, (i) => (2 * i) / D, 2 + cost); // prettier-ignore
  return found.sort((a, b) => a.cost - b.cost);

  /** Exponents i / n of base 10000 with another n. @param {number} slope  of ln theta over 2i / D */
  function byTenThousand(slope) {
    const own = (Math.log(10000) / slope) * (D / 2);
    const spectrum = Math.round(2 * own) / 2;
    if (spectrum === n || spectrum === D / 2 || Math.abs(spectrum / own - 1) > 1e-3) return;
    add({ form: `base^(-i/${spectrum})`, base: 10000, spectrum, ...plain }, (i) => i / spectrum, 1.5); // prettier-ignore
  }
}

/**
 * Frequencies of which fast ones may make more than half a turn a row: each is the one near to what the slower ones say.
 * @param {Float64Array} frequencies  within half a turn, with their signs @param {Float64Array} sigma
 * @returns {{theta: Float64Array, sign: 1 | -1} | undefined}
 */
export function unwrapped(frequencies, sigma) {
  let last = frequencies.length - 1;
  while (last > 1 && Math.abs(frequencies[last]) <= 4 * sigma[last]) --last;
  const sign = frequencies[last] < 0 ? -1 : 1;
  const theta = frequencies.map((x) => sign * x);
  if (last < 2 || !(theta[last - 1] > theta[last] && theta[last] > 0)) return undefined;
  for (let i = last - 2; i >= 0; --i) {
    const ratio = (theta[i + 1] / theta[last]) ** (1 / (last - i - 1));
    const near = theta[i + 1] * ratio;
    theta[i] += 2 * Math.PI * Math.round((near - theta[i]) / (2 * Math.PI));
    if (!(Math.abs(theta[i] / near - 1) < 0.2)) return undefined;
  }
  return { theta, sign };
}
