/**
 * Measures the rotation of a port: its pairs, factor, frequencies, sign and positions; names the spectrum; and computes
 * what it names again to compare it with every number.
 */
import { candidatesOf } from "./spectrum.js";
import { FEWEST_ROWS, measure, wrap } from "./measure.js";
import { mixesOf } from "./mixes.js";
import { offsetOf, positionsOf, ruleOf } from "./positions.js";
import { pairingsOf, turnsOf } from "./pairing.js";
import { published } from "./published.js";
import { EPSILON, residualOf } from "./residual.js";

/**
 * @import { RopeModules } from "../../positional/rotary/rope/index.js"
 * @import { Measured, Turns } from "./measure.js"
 * @import { Places } from "./positions.js"
 * @import { Convention, Pairing, Port, Residual, Rounding } from "./residual.js"
 * @import { Candidate, Name } from "./spectrum.js"
 *
 * A convention that fits a port.
 * @typedef {object} Found
 * @property {Convention} convention
 * @property {Places} places
 * @property {Residual} residual
 * @property {number} cost  of its name: lower is simpler
 * @property {readonly [number, number] | undefined} hidden  the pairs, from and to, that turn less than the rows show
 * @property {Float64Array} measured  frequencies
 *
 * Which step failed, and by how much.
 * @typedef {object} Failure
 * @property {number} step  the further, the more is known
 * @property {string} reason
 */

/** A step may be this far from the step before, in radians: rounded positions are farther. */
const EVEN = 1e-3;

/** Where steps are rounded, too, rows turn less evenly. */
const UNEVEN = 0.5;

/** At most this many conventions are listed. */
const MOST_FOUND = 12;

/** @type {readonly [Rounding["format"] & ("bfloat16" | "float16"), 8 | 11][]} */
const FORMATS = [["bfloat16", 8], ["float16", 11]]; // prettier-ignore

/**
 * @param {RopeModules} modules @param {Port} port @param {Float64Array | undefined} given  positions [T]
 * @returns {{found: Found[], failure: Failure | undefined}} simplest first; why there is none
 */
export function rotationsOf(modules, port, given) {
  /** @type {Found[]} */
  const found = [];
  /** @type {Failure | undefined} */
  let failure;
  const note = (/** @type {Failure} */ one) => {
    if (!failure || one.step > failure.step) failure = one;
  };
  const plain = pairingsOf(port).map((pairing) => ({ pairing, turns: turnsOf(port, pairing) }));
  const swapped = plain.map(({ pairing: of }) => {
    const pairing = { ...of, isSwapped: true };
    return { pairing, turns: turnsOf(port, pairing) };
  });
  for (const tries of [() => plain, () => swapped, () => mixesOf(port)]) {
    for (const { pairing, turns } of tries()) {
      found.push(...fitsOf(modules, port, pairing, turns, { given, note }));
    }
    if (found.length > 0) break;
  }
  const best = found.some(({ residual }) => residual.exact <= 1);
  const kept = found.filter(({ residual }) => !best || residual.exact <= 1);
  kept.sort((a, b) => a.cost - b.cost);
  return { found: kept.slice(0, MOST_FOUND), failure };
}

/**
 * What a single pairing gives.
 * @param {RopeModules} modules @param {Port} port @param {Pairing} pairing @param {Turns} turns
 * @param {{given: Float64Array | undefined, note: (one: Failure) => void}} with_
 * @returns {Found[]}
 */
function fitsOf(modules, port, pairing, turns, { given, note }) {
  const noise = EPSILON[port.precision] * (port.kind === "table" ? 1 : 4);
  if (port.T < FEWEST_ROWS) {
    note({ step: 0, reason: `there are ${port.T} rows: ${FEWEST_ROWS} show how pairs turn` });
    return [];
  }
  for (const limit of [Math.max(EVEN, 16 * noise), UNEVEN]) {
    const measured = measure(turns, limit);
    if (!measured) {
      note({ step: 1, reason: `no ${FEWEST_ROWS} rows turn by one angle a row` });
      continue;
    }
    if (!(measured.spread <= 6 * noise + 1e-6)) {
      const by = measured.spread.toPrecision(2);
      note({ step: 1, reason: `lengths of pairs differ by ${by}: these are no rotations` });
      return [];
    }
    const own = named(modules, port, pairing, measured, { noise, given, note });
    if (own.length > 0) return own;
  }
  return [];
}

/**
 * @param {RopeModules} modules @param {Port} port @param {Pairing} pairing @param {Measured} measured
 * @param {{noise: number, given: Float64Array | undefined, note: (one: Failure) => void}} with_
 * @returns {Found[]}
 */
function named(modules, port, pairing, measured, { noise, given, note }) {
  const { frequencies, rows, factor } = measured;
  const fastest = frequencies.reduce(
    (best, x, i) => (Math.abs(x) > Math.abs(frequencies[best]) ? i : best),
    0,
  );
  const sign = frequencies[fastest] < 0 ? -1 : 1;
  const step = given ? given[measured.from + 1] - given[measured.from] : 1;
  const theta = frequencies.map((x) => (sign * x) / step);
  const phases = measured.phases.map((x) => sign * x);
  const blur = Math.max(noise, measured.uneven);
  const sigma = theta.map((x) => (2 * blur) / rows + 2.5e-7 * Math.abs(x));
  const backwards = theta.findIndex((x, i) => x < -4 * sigma[i]);
  if (backwards >= 0) {
    note({ step: 2, reason: `pair ${backwards} turns against pair ${fastest}` });
    return [];
  }
  const room = sigma.map((x) => 4 * blur + 1e-6 + x * measured.from);
  const at = given ? given[measured.from] : 0;
  const start = given ? phases.map((x, i) => wrap(x + (measured.from - at) * theta[i])) : phases;
  // Far positions can be known only by the exact frequencies of a name: then each row is asked for its own.
  const offset = offsetOf(theta, start, room) ?? (given ? 0 : undefined);
  if (offset === undefined) {
    const reason = "no single offset explains the angles of all pairs in the first row";
    note({ step: 3, reason });
  }
  const lists = published(modules);
  const wide = (/** @type {number} */ bits) => sigma.map((x, i) => x + 2 ** -bits * theta[i]);
  /** @type {[Float64Array, Rounding[]][]} */
  const attempts = [
    [sigma, []],
    ...FORMATS.map(([format, bits]) => /** @type {[Float64Array, Rounding[]]} */ ([
      wide(bits),
      /** @type {const} */ (["frequencies", "angles"]).map((of) => ({ of, bits, format })),
    ])),
  ]; // prettier-ignore
  for (const [within, roundings] of attempts) {
    const candidates = candidatesOf(modules, { theta, sigma: within }, lists);
    if (roundings.length === 0 && candidates.length === 0) {
      note({ step: 4, reason: "no formula gives the angles by which pairs turn" });
    }
    /** @type {Found[]} */
    const found = [];
    for (const candidate of candidates) {
      const convention = {
        pairing,
        name: candidate.name,
        frequencies: candidate.frequencies,
        isScaled: candidate.isScaled === true,
        sign: /** @type {1 | -1} */ (sign),
        factor: settled(factor, candidate.attentionFactor, noise),
        positions: Float64Array.from(
          { length: port.T },
          (_, t) => (given ? given[t] : t) + (offset ?? NaN),
        ),
      };
      for (const rounding of roundings.length > 0 ? roundings : [undefined]) {
        const one = tried(
          modules,
          port,
          { ...convention, ...(rounding && { rounding }) },
          noise,
          given,
        );
        if (!one) continue;
        const cost = candidate.cost + costOf(pairing);
        found.push({ ...one, cost, hidden: hiddenOf(theta, sigma), measured: theta });
      }
    }
    if (found.length > 0) return found;
    if (candidates.length > 0) {
      const { name } = candidates[0];
      note({
        step: 5,
        reason: `the angles are near base ${name.base}, but no rule of positions or rounding gives these numbers`,
      });
    }
  }
  return [];
}

/** The scaling's own factor, or 1, where the format does not tell the measured one from it. @param {number} factor @param {number} own @param {number} noise */
const settled = (factor, own, noise) =>
  [own, 1].find((one) => Math.abs(factor / one - 1) <= 2 * noise) ?? factor;

/** @param {Pairing} pairing */
const costOf = ({ isSwapped, from, to }) => (isSwapped ? 0.5 : 0) + (from === to ? 0 : 0.5);

/**
 * Compares a convention with the port, and where positions are not consecutive finds them.
 * @param {RopeModules} modules @param {Port} port @param {Convention} convention @param {number} noise
 * @param {Float64Array | undefined} given
 * @returns {{convention: Convention, places: Places, residual: Residual} | undefined}
 */
function tried(modules, port, convention, noise, given) {
  const { T } = port;
  /** @type {[number, number][]} */
  const few = T > 768 ? [[0, 256], [T >> 1, (T >> 1) + 256], [T - 256, T]] : [[0, T]]; // prettier-ignore
  const fits = (/** @type {Convention} */ one) => {
    if (few.length > 1 && residualOf(modules, port, one, few).score > 1) return undefined;
    const residual = residualOf(modules, port, one);
    return residual.score <= 1 ? residual : undefined;
  };
  const offset = convention.positions[0] - (given ? given[0] : 0);
  const residual = Number.isNaN(offset) ? undefined : fits(convention);
  if (residual) return { convention, places: { rule: "consecutive", offset }, residual };
  if (given || convention.rounding || T > 2 ** 16 || convention.pairing.pairs < 4) return undefined;
  const turns = turnsOf(port, convention.pairing);
  const room = 2 * noise + 1e-6;
  const positions = positionsOf(turns, convention.frequencies, convention.sign, room);
  const listed = { ...convention, positions };
  const own = fits(listed);
  return own && { convention: listed, places: ruleOf(positions), residual: own };
}

/**
 * The pairs at the end that turn less than the rows show.
 * @param {Float64Array} theta @param {Float64Array} sigma
 * @returns {readonly [number, number] | undefined}
 */
function hiddenOf(theta, sigma) {
  let from = theta.length;
  while (from > 0 && theta[from - 1] <= 4 * sigma[from - 1]) --from;
  return from < theta.length ? [from, theta.length - 1] : undefined;
}
