/**
 * Measures the rotation of a port: its pairs, factor, frequencies, sign and positions; names the spectrum; and computes
 * what it names again to compare it with every number.
 */
import { further } from "./later.js";
import { candidatesOf } from "./spectrum.js";
import { FEWEST_ROWS, measure, rowAngles } from "./measure.js";
import { isFar, offsetOf } from "./positions.js";
import { pairingsOf, turnsOf } from "./pairing.js";
import { published } from "./published.js";
import { EPSILON, PER_ANGLE, widened } from "../numbers.js";
import { residualOf } from "./residual.js";
import { number } from "../words.js";

/**
 * @import { RopeModules } from "../../positional/rotary/rope/index.js"
 * @import { More } from "./identify.js"
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
 * @property {number} ownFactor  that the scaling of the name has
 * @property {readonly [number, number] | undefined} hidden  the pairs, from and to, that turn less than the rows show
 * @property {Float64Array} measured  frequencies
 *
 * The position that row 0 should have, who hears of failures, the format of a table that alone is rounded, and what
 * adds rarer names.
 * @typedef {{first: number | undefined, note: (one: Failure) => void, table?: Rounding["format"], names?: More["names"]}} With
 *
 * A format of which frequencies may be roundings, what rounds them so, and whether scalings are tried though one base is
 * near.
 * @typedef {readonly [format: Rounding["format"] | undefined, readonly (Rounding | undefined)[], isThorough?: boolean]} Attempt
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

/** A pair that is this far from its line, in radians, may have missed a turn. */
const LOST = 1;

/** Rows whose angles are compared first: most conventions fail by them. */
const ASKED_FIRST = 64;

/** At most this many rows are asked for their positions. */
const MOST_ASKED = 2 ** 16;

/** At most this many conventions are listed. */
const MOST_FOUND = 12;

/** No step is rounded. @type {Attempt} */
const PLAINLY = [undefined, [undefined]];

/**
 * @param {RopeModules} modules @param {Port} port @param {number | undefined} first  the position that row 0 should have
 * @param {More} [more]  tried instead
 * @returns {{found: Found[], failure: Failure | undefined}} simplest first; why there is none
 */
export function rotationsOf(modules, port, first, more) {
  /** @type {Found[]} */
  const found = [];
  /** @type {Failure | undefined} */
  let failure;
  const note = (/** @type {Failure} */ one) => {
    if (!failure || one.step > failure.step) failure = one;
  };
  const plain = (/** @type {boolean} */ isSwapped) => () =>
    pairingsOf(port).map((of) => {
      const pairing = { ...of, isSwapped };
      return { pairing, turns: turnsOf(port, pairing) };
    });
  const { pairings, names } = more ?? {};
  for (const tries of pairings ? [() => pairings(port)] : [plain(false), plain(true)]) {
    for (const { pairing, turns } of tries()) {
      found.push(...fitsOf(modules, port, pairing, turns, { first, note, names }));
    }
    if (found.length > 0) break;
  }
  // Vectors of a wider format, by a table of a narrow one.
  const isOver = found.length > 0 || more || port.kind === "table";
  for (const table of isOver ? [] : further().formatsBelow(port.precision)) {
    for (const { pairing, turns } of plain(false)()) {
      found.push(...fitsOf(modules, port, pairing, turns, { first, note: () => {}, table }));
    }
    if (found.length > 0) break;
  }
  const kept = nearest(found);
  kept.sort((a, b) => a.cost - b.cost);
  return { found: kept.slice(0, MOST_FOUND), failure };
}

/**
 * What fits by exact steps, where anything does, and by the roundings of a narrow format.
 * @template {{residual: Residual}} Fit
 * @param {readonly Fit[]} fits
 */
export function nearest(fits) {
  let kept = [...fits];
  for (const by of /** @type {const} */ (["exact", "narrow"])) {
    const near = kept.filter(({ residual }) => residual[by] <= 1);
    if (near.length > 0) kept = near;
  }
  return kept;
}

/** Whether the two numbers of a pair are no rotation of those before. @param {Pairing} pairing */
const isMixed = ({ table, isMinusLost, isOverwritten }) =>
  table !== undefined || isMinusLost === true || isOverwritten === true;

/**
 * What a single pairing gives.
 * @param {RopeModules} modules @param {Port} port @param {Pairing} pairing @param {Turns} turns
 * @param {With} with_
 * @returns {Found[]}
 */
function fitsOf(modules, port, pairing, turns, { first, note, table, names }) {
  const steps = port.kind === "table" ? 1 : isMixed(pairing) ? 16 : 4;
  const noise = EPSILON[table ?? port.precision] * steps;
  if (port.T < FEWEST_ROWS) {
    note({ step: 0, reason: `at least ${FEWEST_ROWS} rows show how pairs turn; got ${port.T}` });
    return [];
  }
  const widest = 6 * noise + 1e-6;
  for (const limit of [Math.max(EVEN, 16 * noise), UNEVEN, Infinity]) {
    const measured = measure(turns, limit, widest);
    if (!measured) {
      note({ step: 1, reason: `no ${FEWEST_ROWS} rows turn by one angle a row` });
      continue;
    }
    if (!(measured.spread <= widest)) {
      const by = measured.spread.toPrecision(2);
      note({ step: 1, reason: `lengths of pairs differ by ${by}: these are no rotations` });
      return [];
    }
    if (port.batches > 1 && turns.batchesDiffer?.(measured.factor)) {
      note({ step: Infinity, reason: "batches turn by other angles in the same rows" });
      return [];
    }
    const own = named(modules, port, { pairing, turns }, measured, {
      noise,
      first,
      note,
      table,
      names,
    });
    if (own.length > 0) return own;
  }
  return [];
}

/**
 * @param {RopeModules} modules @param {Port} port @param {{pairing: Pairing, turns: Turns}} of @param {Measured} measured
 * @param {With & {noise: number}} with_
 * @returns {Found[]}
 */
function named(modules, port, { pairing, turns }, measured, { noise, first, note, table, names }) {
  const { sign, theta, phases, sigma, margin, fastest } = anglesOf(measured, noise);
  const backwards = theta.findIndex((x, i) => x < -4 * sigma[i]);
  if (backwards >= 0) {
    note({ step: 2, reason: `pair ${backwards} turns against pair ${fastest}` });
    return [];
  }
  // Far positions are known only by the exact frequencies of a name: then each row is asked for its own.
  const offsets = [first, offsetOf(theta, phases, margin, sigma)].filter(
    (offset) => offset !== undefined,
  );
  if (offsets.length === 0) {
    const reason = "no single offset explains the angles of all pairs in the first row";
    note({ step: 3, reason });
  }
  const lists = published(modules);
  const few = isMixed(pairing) ? undefined : rowAngles(turns, Math.min(ASKED_FIRST, port.T));
  /** @type {Found[]} */
  let far = []; // farther than roundings of the format explain
  for (const [format, roundings, isThorough] of names ? [PLAINLY] : attempts(table)) {
    if (format && far.length > 0) return far;
    const within = format
      ? sigma.map((x, i) => 3 * x + 2 * EPSILON[format] * Math.abs(theta[i]) + 2 ** -24)
      : sigma;
    const { factor } = measured;
    const of = { theta, sigma: within, columns: port.columns, factor, noise };
    const candidates = candidatesOf(modules, of, lists, { isThorough, rare: names });
    if (!format && candidates.length === 0) {
      const reason =
        theta.length === 1
          ? `the only pair turns by ${number(theta[0])} a row, which shows no base`
          : "no formula gives the angles by which pairs turn";
      note({ step: 4, reason });
    }
    const found = candidates.flatMap((candidate) => {
      const convention = {
        pairing,
        name: candidate.name,
        frequencies: candidate.frequencies,
        isScaled: candidate.isScaled,
        sign,
        factor: settled(measured.factor, candidate.attentionFactor, noise),
      };
      const cost =
        candidate.cost + costOf(pairing) + strange(convention.factor, candidate.attentionFactor);
      return roundings.flatMap((rounding) => {
        const one = tried(
          modules,
          port,
          few,
          { ...convention, ...(rounding && { rounding }) },
          offsets,
          noise,
        );
        const also = { cost, ownFactor: candidate.attentionFactor, measured: theta };
        return one ? [{ ...one, ...also, hidden: hiddenOf(theta, sigma) }] : [];
      });
    });
    const isPlain = (/** @type {Found} */ { residual, convention: { factor }, ownFactor }) =>
      residual.narrow <= 1 && (isThorough || strange(factor, ownFactor) < 2);
    if (found.some(isPlain)) return found;
    if (found.length > 0) far = found;
    else if (candidates.length > 0) {
      const near = `the angles are near base ${candidates[0].name.base}`;
      note({
        step: 5,
        reason: `${near}, but no rule of positions or rounding gives these numbers`,
      });
    }
  }
  return far;
}

/**
 * Frequencies as positive numbers, phases, and how far each is known.
 * @param {Measured} measured @param {number} noise
 */
export function anglesOf(measured, noise) {
  const { frequencies, rows, uneven } = measured;
  const isLost = (/** @type {number} */ i) => uneven[i] > LOST;
  const fastest = frequencies.reduce(
    (best, x, i) => (!isLost(i) && Math.abs(x) > Math.abs(frequencies[best]) ? i : best),
    Math.max(
      0,
      frequencies.findIndex((_, i) => !isLost(i)),
    ),
  );
  const sign = /** @type {1 | -1} */ (frequencies[fastest] < 0 ? -1 : 1);
  const theta = frequencies.map((x) => sign * x);
  const phases = measured.phases.map((x) => sign * x);
  // What rounding does to angles or positions grows with the frequency, and shows by chance in few rows.
  const worst = uneven.reduce((most, x, i) => (isLost(i) ? most : Math.max(most, x)), 0);
  const share = worst / Math.abs(theta[fastest]);
  const blur = uneven.map((x, i) => Math.max(noise, x, share * Math.abs(theta[i])));
  const sigma = theta.map((x, i) =>
    isLost(i)
      ? 1 + Math.abs(x)
      : ((blur[i] > noise ? 3 : 2) * blur[i]) / rows + PER_ANGLE * widened(Math.abs(x)),
  );
  const margin = sigma.map((x, i) => 4 * blur[i] + 1e-6 + x * measured.from);
  return { sign, theta, phases, sigma, margin, fastest };
}

/**
 * The format of which frequencies may be roundings, and what rounds them so.
 * @param {Rounding["format"] | undefined} table  the format of a table that is rounded, and nothing else
 * @returns {Generator<Attempt>}
 */
function* attempts(table) {
  const all = [table && /** @type {const} */ ({ of: "tables", format: table })];
  yield [undefined, all];
  yield [undefined, all, true];
  if (!table) yield* further().NARROW;
}

/** The scaling's own factor, or 1, where the format does not tell the measured one from it. @param {number} factor @param {number} own @param {number} noise */
export const settled = (factor, own, noise) =>
  [own, 1].find((one) => Math.abs(factor / one - 1) <= 2 * noise) ?? factor;

/** What it costs that a factor is not the scaling's own: less where there is none, or its square. @param {number} factor @param {number} own */
const strange = (factor, own) =>
  factor === own ? 0 : factor === 1 ? 1 : Math.abs(factor / own ** 2 - 1) < 1e-4 ? 1.5 : 2;

/** @param {Pairing} pairing */
const costOf = ({ isSwapped, from, to }) => (isSwapped ? 0.5 : 0) + (from === to ? 0 : 0.5);

/**
 * Compares a convention with the port, from each position of the first row that is likely; where none fits, each row
 * is asked for its position.
 * @param {RopeModules} modules @param {Port} port
 * @param {Float64Array | undefined} few  angles of the first rows
 * @param {Omit<Convention, "positions">} of @param {readonly number[]} offsets @param {number} noise
 * @returns {{convention: Convention, places: Places, residual: Residual} | undefined}
 */
function tried(modules, port, few, of, offsets, noise) {
  const { T } = port;
  /** @type {[number, number][]} */
  const spans = T > 768 ? [[0, 256], [T >> 1, (T >> 1) + 256], [T - 256, T]] : [[0, T]]; // prettier-ignore
  const fits = (/** @type {Convention} */ one) => {
    if (few && isFar(port, few, one)) return undefined;
    if (spans.length > 1 && residualOf(modules, port, one, spans).score > 1) return undefined;
    const residual = residualOf(modules, port, one);
    return residual.score <= 1 ? residual : undefined;
  };
  for (const offset of new Set(offsets)) {
    const convention = { ...of, positions: Float64Array.from({ length: T }, (_, t) => offset + t) };
    const residual = fits(convention);
    if (residual) return { convention, places: { rule: "consecutive", offset }, residual };
  }
  if (of.rounding || T > MOST_ASKED || of.pairing.pairs < 4) return undefined;
  return further().byRows(port, few, of, noise, fits);
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
