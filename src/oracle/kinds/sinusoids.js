/**
 * Tables of sinusoids: which columns are sines and cosines, the frequencies, the factor and the positions are measured
 * as those of a rotation, since a sine and a cosine of one frequency turn from row to row. What is named is computed
 * again by the package's `sinusoidal` and compared with every number.
 */
import { asFloat32 } from "../../runtime/input.js";
import { FEWEST_ROWS, measure, wrap } from "../identify/measure.js";
import { offsetOf } from "../identify/positions.js";
import { EPSILON, firstOf, precisionOf } from "../numbers.js";
import { knownWith, NOBODY } from "./known.js";
import { few, none, number, refuseNotFinite } from "../words.js";
import { unwrapped, wavesOf } from "./waves.js";

/**
 * @import { Phasor } from "../../index.js"
 * @import { Measured, Turns } from "../identify/measure.js"
 * @import { None } from "../identify/identify.js"
 * @import { Precision } from "../identify/residual.js"
 * @import { Known } from "./known.js"
 * @import { Waves } from "./waves.js"
 */

/**
 * Which columns are sines and which cosines.
 * @typedef {object} Columns
 * @property {"interleaved" | "halves" | "flipped"} layout  as of `sinusoidal.table`
 * @property {boolean} isCosineFirst  whether interleaved columns begin with a cosine, which no option of `sinusoidal` gives
 * @property {"sine-last" | "zero-last"} [odd]  the last column of an odd width
 */

/**
 * The position of each row that is not of zeros: first + step k for the k-th of them, or for the row's own index.
 * @typedef {{first: number, step: 1 | -1, zeros: number[], doZerosCount: boolean | null}} RowPositions
 *
 * @typedef {"exact" | "torch exp" | "torch pow" | null} Steps  null: float32 steps that none of these gives exactly
 *
 * @typedef {Columns & Waves & {scale: number | "inverse-sqrt" | "unit", positions: RowPositions, steps: Steps}} Named
 */

/**
 * A table of sinusoids. All rows were computed again, and `residual` is the largest difference.
 * @typedef {Named & {kind: "sinusoids", sentence: string, residual: number, at: {row: number, column: number}, dim: number,
 *   precision: Precision, hidden: readonly [number, number] | null, frequencies: {measured: number[], fitted: number[]},
 *   presets: string[], decidedBy: string[], alsoEqual: (Named & {sentence: string})[]} & Known} Sinusoids
 */

/**
 * Rows of a table, of which `rows` are not of zeros; `width`: of a grid, where the table is [H, W, D]; `batches`: how many
 * the same rows are there for.
 * @typedef {{data: Float32Array, T: number, D: number, precision: Precision, rows: number[], width?: number, batches?: number}} Table
 * @typedef {{named: Named, largest: number, at: {row: number, column: number}, loose: number, tight: number, cost: number,
 *   theta: Float64Array, hidden: readonly [number, number] | null}} Fit
 */

/** A step may be this far from the step before, in radians; where steps are rounded, farther. */
const LIMITS = [1e-3, 0.5];

/**
 * What float32 steps make of an angle, of which exponentials of other libraries take more than those of a rotation, and
 * what is left of one where steps are exact.
 */
export const [PER_ANGLE, PER_EXACT_ANGLE] = [2 ** -21, 2 ** -30];

/** The options of each way to compute. @type {Record<Exclude<Steps, null>, any>} */
const STEPS = {
  exact: { precision: "exact" },
  "torch exp": { precision: "torch", recipe: "exp" },
  "torch pow": { precision: "torch", recipe: "pow" },
};

const ways = /** @type {Exclude<Steps, null>[]} */ (Object.keys(STEPS));

/** At most this many names are listed. */
export const MOST = 12;

/** @param {unknown} given @returns {Table} */
export function readTable(given) {
  const { data, shape } = asFloat32(given, "table");
  const [H, W, D] = [1, ...shape].slice(-3);
  const isGrid = data.length !== W * D;
  if (shape.length < 2 || (isGrid && data.length !== H * W * D) || D < 2) {
    throw new RangeError(`table must be [T, D] or [H, W, D] with D of at least 2; got shape [${shape.join(", ")}]`); // prettier-ignore
  }
  if (data.length === 0) throw new RangeError(`table must have rows; got shape [${shape.join(", ")}]`); // prettier-ignore
  refuseNotFinite(data, "table");
  // No grid has the same numbers in all of its rows.
  const first = isGrid && H > 1 ? firstOf(data, H) : undefined;
  if (first) return { ...tableOf(first, D, precisionOf([first])), batches: H };
  return { ...tableOf(data, D, precisionOf([data])), ...(isGrid && { width: W }) };
}

/** @param {Float32Array} data @param {number} D @param {Precision} precision @returns {Table} */
export function tableOf(data, D, precision) {
  const T = data.length / D;
  const rows = Array.from({ length: T }, (_, t) => t).filter((t) =>
    data.subarray(t * D, (t + 1) * D).some((x) => x !== 0),
  );
  return { data, T, D, precision, rows };
}

/**
 * The names that fit a table, simplest first, or why there are none. `isTight`: whether they explain it by exact steps.
 * @param {Phasor["sinusoidal"]} sinusoidal @param {Table} table
 * @returns {{fits: Fit[], isTight: boolean} | string}
 */
export function namesOf(sinusoidal, table) {
  if (table.rows.length < FEWEST_ROWS) {
    return `at least ${FEWEST_ROWS} rows that are not of zeros show how columns turn; got ${table.rows.length}`;
  }
  const notes = { step: 0, reason: "no columns form pairs" };
  const fits = columnsOf(table).flatMap((columns) => fitsOf(sinusoidal, table, columns, notes));
  if (fits.length === 0) return notes.reason;
  const isTight = fits.some(({ tight }) => tight <= 1);
  const kept = fits.filter(({ tight }) => !isTight || tight <= 1);
  kept.sort((a, b) => a.cost - b.cost || (isTight ? 0 : a.largest - b.largest));
  /** @type {Map<string, Fit>} */
  const byName = new Map();
  for (const fit of kept) {
    const named = isTight ? fit.named : { ...fit.named, steps: null };
    const key = JSON.stringify(named);
    if (!byName.has(key)) byName.set(key, { ...fit, named });
  }
  return { fits: [...byName.values()], isTight };
}

/** @param {Phasor} modules @param {Table} table @returns {Sinusoids | None} */
export function identifySinusoids({ sinusoidal }, table) {
  const found = namesOf(sinusoidal, table);
  if (typeof found === "string") return none(found);
  return answer(sinusoidal, table, found.fits.slice(0, MOST), found.isTight);
}

/** The columns that a table may have. @param {Table} table @returns {Columns[]} */
function columnsOf({ data, T, D }) {
  /** @type {Columns[]} */
  const all = [
    { layout: "interleaved", isCosineFirst: false },
    { layout: "halves", isCosineFirst: false },
    { layout: "flipped", isCosineFirst: false },
  ];
  if (D === 2) return all.slice(1);
  if (D % 2 === 0) return [...all, { layout: "interleaved", isCosineFirst: true }];
  const isZero = Array.from({ length: T }, (_, t) => data[t * D + D - 1]).every((x) => x === 0);
  return all.map((columns) => ({ ...columns, odd: isZero ? "zero-last" : "sine-last" }));
}

/** The columns of a pair. @param {Columns} columns @param {number} D @returns {(i: number) => [sine: number, cosine: number]} */
function pairsOf({ layout, isCosineFirst, odd }, D) {
  const sines = odd === "sine-last" ? Math.ceil(D / 2) : Math.floor(D / 2);
  if (layout === "interleaved") {
    return isCosineFirst ? (i) => [2 * i + 1, 2 * i] : (i) => [2 * i, 2 * i + 1];
  }
  return layout === "halves" ? (i) => [i, sines + i] : (i) => [Math.floor(D / 2) + i, i];
}

/** The turns of the rows that are not of zeros. @param {Table} table @param {Columns} columns @returns {Turns} */
function turnsOf({ data, D, rows }, columns) {
  const columnsOfPair = pairsOf(columns, D);
  return {
    rows: rows.length,
    pairs: Math.floor(D / 2),
    read(pair, from, count, re, im) {
      const [sine, cosine] = columnsOfPair(pair);
      for (let t = 0; t < count; ++t) {
        const at = rows[from + t] * D;
        re[t] = data[at + cosine];
        im[t] = data[at + sine];
      }
    },
  };
}

/**
 * The names that fit these columns.
 * @param {Phasor["sinusoidal"]} module @param {Table} table @param {Columns} columns
 * @param {{step: number, reason: string}} notes  which step failed
 * @returns {Fit[]}
 */
function fitsOf(module, table, columns, notes) {
  const note = (/** @type {number} */ step, /** @type {string} */ reason) => {
    if (step > notes.step) Object.assign(notes, { step, reason });
  };
  const noise = EPSILON[table.precision];
  const turns = turnsOf(table, columns);
  for (const limit of LIMITS) {
    const measured = measure(turns, Math.max(limit, 16 * noise));
    if (!measured) {
      note(1, `no ${FEWEST_ROWS} rows turn by one angle a row, taken as ${columns.layout}`);
      continue;
    }
    if (!(measured.spread <= 6 * noise + 1e-6)) {
      note(1, `squares of a sine and its cosine do not add up to one number: they differ by ${measured.spread.toPrecision(2)}`); // prettier-ignore
      return [];
    }
    const fits = named(module, table, columns, measured, note);
    if (fits.length > 0) return fits;
  }
  return [];
}

/**
 * @param {Phasor["sinusoidal"]} module @param {Table} table @param {Columns} columns @param {Measured} measured
 * @param {(step: number, reason: string) => void} note
 * @returns {Fit[]}
 */
function named(module, table, columns, measured, note) {
  const { phases, rows, from, uneven, factor } = measured;
  const noise = EPSILON[table.precision];
  // Float32 steps may turn few rows of one pair evenly by a wrong angle: the most uneven pair shows how far.
  const most = uneven.reduce((all, x) => Math.max(all, x), noise);
  const sigma = measured.frequencies.map((x) => (2 * most) / rows + 2.5e-7 * Math.abs(x));
  const { theta, step, waves } = turning(measured.frequencies, sigma, table.D);
  if (waves.length === 0) {
    note(
      2,
      `no formula gives the angles by which columns turn, taken as ${columns.layout}: ${few(theta)}`,
    );
    return [];
  }
  /** @type {[Named["scale"], number][]} */
  const scales = [[1, 1], ["inverse-sqrt", 1 / Math.sqrt(table.D)], ["unit", Math.sqrt(2 / table.D)]]; // prettier-ignore
  const scale = scales.find(([, x]) => Math.abs(factor / x - 1) <= 2 * noise)?.[0];
  /** @type {Fit[]} */
  const fits = [];
  let slow = theta.length;
  while (slow > 0 && theta[slow - 1] <= 4 * sigma[slow - 1]) --slow;
  const hidden = slow < theta.length ? /** @type {const} */ ([slow, theta.length - 1]) : null;
  for (const { waves: one, cost } of waves) {
    const own = Float64Array.from(frequenciesOf(one, table.D));
    const start = phases.map((x, i) => wrap(step * x + (theta[i] - own[i]) * from));
    const margin = own.map((x) => 4 * noise + 1e-6 + (4 * most * x) / own[0]);
    const offset = offsetOf(own, start, margin, own.map((x) => 3e-7 * x)); // prettier-ignore
    if (offset === undefined) {
      note(3, `the angles are near base ${one.base}, but no position of the first row explains them`); // prettier-ignore
      continue;
    }
    const odd = (Number.isInteger(offset) ? 0 : 1) + (columns.isCosineFirst ? 0.5 : 0);
    for (const positions of placesOf(table, from, step * (from + offset), step)) {
      for (const steps of ways) {
        const all = { ...columns, ...one, scale: scale ?? Number(factor.toPrecision(9)), positions, steps }; // prettier-ignore
        const fit = compare(module, table, all, theta);
        if (fit) fits.push({ ...fit, cost: cost + odd, theta, hidden });
      }
    }
  }
  if (fits.length === 0) {
    note(5, `the angles are near base ${waves[0].waves.base}, but no positions or steps give these numbers`); // prettier-ignore
  }
  return fits;
}

/**
 * The frequencies as positive numbers, the direction of positions, and the names that fit.
 * @param {Float64Array} frequencies @param {Float64Array} sigma @param {number} D
 * @returns {{theta: Float64Array, step: 1 | -1, waves: ReturnType<typeof wavesOf>}}
 */
function turning(frequencies, sigma, D) {
  const sizes = frequencies.map(Math.abs);
  const step = frequencies[sizes.indexOf(Math.max(...sizes))] < 0 ? -1 : 1;
  const theta = frequencies.map((x) => step * x);
  const isForward = theta.every((x, i) => x >= -4 * sigma[i]);
  const waves = isForward ? wavesOf({ theta, sigma, D }) : [];
  if (waves.length > 0) return { theta, step, waves };
  // Fast pairs may make more than half a turn a row.
  const whole = unwrapped(frequencies, sigma);
  if (!whole) return { theta, step, waves };
  return { theta: whole.theta, step: whole.sign, waves: wavesOf({ theta: whole.theta, sigma, D }) };
}

/**
 * The positions that rows can have, where the k-th that is not of zeros has position `at`.
 * @param {Table} table @param {number} k @param {number} at @param {1 | -1} step @returns {RowPositions[]}
 */
function placesOf({ rows, T }, k, at, step) {
  const known = new Set(rows);
  const zeros = Array.from({ length: T }, (_, t) => t).filter((t) => !known.has(t));
  const isInterior = rows[rows.length - 1] - rows[0] >= rows.length;
  const byCount = { first: at - step * k, step, zeros };
  if (!isInterior) return [{ ...byCount, doZerosCount: null }];
  // The first row's position, whether it is of zeros or not.
  return [
    { ...byCount, doZerosCount: false },
    { first: at - step * rows[k] + 0, step, zeros, doZerosCount: true },
  ];
}

/**
 * Computes a table again and compares it with every number; undefined if it does not fit.
 * @param {Phasor["sinusoidal"]} module @param {Table} table @param {Named} named @param {Float64Array} theta
 */
function compare(module, table, named, theta) {
  const { rows } = table;
  const few = rows.length > 768 ? [0, 256] : [];
  if (few.length > 0 && differenceOf(module, table, named, theta, rows.slice(...few)).loose > 1) return undefined; // prettier-ignore
  const found = { named, largest: 0, at: { row: 0, column: 0 }, loose: 0, tight: 0 };
  for (let k = 0; k < rows.length; k += 4096) {
    const part = differenceOf(module, table, named, theta, rows.slice(k, k + 4096), k);
    if (part.largest > found.largest) Object.assign(found, { largest: part.largest, at: part.at });
    found.loose = Math.max(found.loose, part.loose);
    found.tight = Math.max(found.tight, part.tight);
    if (found.loose > 1) return undefined;
  }
  return found;
}

/** The options of `sinusoidal.table` for a name. @param {Named} named @returns {any} */
const optionsOf = ({ layout, odd, base, spectrum, positionScale, minTimescale, scale, steps }) => ({
  layout,
  base,
  spectrum,
  positionScale,
  minTimescale,
  scale,
  ...(odd && { odd }),
  ...(steps && STEPS[steps]),
});

/**
 * @param {Phasor["sinusoidal"]} module @param {Table} table @param {Named} named @param {Float64Array} theta
 * @param {number[]} rows @param {number} [before]  how many that are not of zeros come before them
 */
function differenceOf(module, { data, D, precision }, named, theta, rows, before = 0) {
  const { first, step, doZerosCount } = named.positions;
  const places = rows.map((row, k) => first + step * (doZerosCount ? row : before + k));
  const { data: wanted } = module.table(places, D, optionsOf(named));
  const { scale } = named;
  const factor = typeof scale === "number" ? Math.abs(scale) : scale === "unit" ? Math.sqrt(2 / D) : 1 / Math.sqrt(D); // prettier-ignore
  const columns = pairsOf(named, D);
  const pairOf = new Int32Array(D);
  for (let i = 0; i < theta.length; ++i) for (const column of columns(i)) pairOf[column] = i;
  if (named.odd === "sine-last")
    pairOf[named.layout === "halves" ? theta.length : D - 1] = theta.length - 1;
  const found = { largest: 0, at: { row: rows[0], column: 0 }, loose: 0, tight: 0 };
  for (const [k, row] of rows.entries()) {
    for (let column = 0; column < D; ++column) {
      const other = named.isCosineFirst ? column ^ 1 : column;
      const off = Math.abs(data[row * D + column] - wanted[k * D + other]);
      if (off === 0) continue;
      const angle = Math.abs(places[k] * theta[pairOf[column]]);
      found.loose = Math.max(
        found.loose,
        off / (factor * (EPSILON[precision] + PER_ANGLE * angle)),
      );
      found.tight = Math.max(
        found.tight,
        off / (factor * (EPSILON[precision] + PER_EXACT_ANGLE * angle)),
      );
      if (off > found.largest) Object.assign(found, { largest: off, at: { row, column } });
    }
  }
  return found;
}

/**
 * @param {Phasor["sinusoidal"]} module @param {Table} table @param {Fit[]} fits @param {boolean} isTight
 * @returns {Sinusoids}
 */
function answer(module, table, fits, isTight) {
  const [{ named, largest, at, theta, hidden }, ...others] = fits;
  const { T, D, precision } = table;
  const zeros = named.positions.zeros.length;
  const decidedBy = [
    `squares of a sine and its cosine add up to one number in columns taken as ${named.layout}, and each pair turns by one angle a row`,
    `all ${T} rows and ${D} columns were computed again: the largest difference is ${largest.toPrecision(3)}`,
    ...(hidden ? [`pairs ${hidden[0]} to ${hidden[1]} turn less in these rows than their format shows`] : []),
    ...(table.batches ? [`all ${table.batches} batches have the same numbers`] : []),
    ...(zeros > 0 ? [`${zeros} rows are of zeros`] : []),
    ...(isTight ? [] : ["numbers are those of float32 steps, as of another library"]),
  ]; // prettier-ignore
  const presets = presetsOf(module, table, fits[0], isTight);
  return {
    kind: "sinusoids",
    sentence: sentenceOf(named, D),
    residual: largest,
    at,
    ...named,
    dim: D,
    precision,
    hidden,
    frequencies: {
      measured: Array.from(theta, Math.fround),
      fitted: frequenciesOf(named, D).map(Math.fround),
    },
    presets,
    decidedBy,
    ...(presets.length > 0 && named.positions.step === 1
      ? knownWith("sinusoidal", { presets })
      : NOBODY),
    alsoEqual: others.map(({ named: own }) => ({ ...own, sentence: sentenceOf(own, D) })),
  };
}

/**
 * The presets that give this table.
 * @param {Phasor["sinusoidal"]} module @param {Table} table @param {Fit} fit @param {boolean} isTight
 */
function presetsOf(module, table, { named, theta }, isTight) {
  const all = /** @type {[string, any][]} */ (Object.entries(module.presets));
  const fits = all.filter(
    ([, { layout, spectrum, base = 10000, scale = 1, odd = "sine-last" }]) => {
      if (named.isCosineFirst || layout !== named.layout || (named.odd && odd !== named.odd))
        return false;
      const like = { ...named, base, spectrum, scale, positionScale: 1, minTimescale: 1 };
      return ways.some((steps) => {
        const own = compare(module, table, { ...like, steps }, theta);
        return own !== undefined && (!isTight || own.tight <= 1);
      });
    },
  );
  return fits.map(([name]) => name);
}

/** The frequencies that a name gives. @param {Waves} waves @param {number} D */
export function frequenciesOf({ base, spectrum, positionScale, minTimescale }, D) {
  const n = spectrum === "paper" ? D / 2 : spectrum === "tensor2tensor" ? Math.max(Math.floor(D / 2) - 1, 1) : spectrum; // prettier-ignore
  const fast = positionScale * minTimescale;
  return Array.from({ length: Math.floor(D / 2) }, (_, i) => fast * (base / minTimescale) ** (-i / n)); // prettier-ignore
}

/** @param {Named} named @param {number} D */
function sentenceOf(
  { layout, isCosineFirst, odd, base, form, minTimescale, positionScale, scale, positions, steps },
  D,
) {
  const { first, step, zeros, doZerosCount } = positions;
  const parts = [
    `sinusoids, ${layout === "flipped" ? "halves, cosines first" : layout}${isCosineFirst ? ", cosines first" : ""}`,
    `${D} columns${odd === "zero-last" ? " of which the last is 0" : odd ? ", the last a sine" : ""}`,
    `base ${number(base)} by ${form}`,
    minTimescale === 1 ? "" : `first frequency ${number(minTimescale)}`,
    positionScale === 1 || form === "base^(-2(i+1)/D)" ? "" : `positions times ${number(positionScale)}`,
    scale === 1 ? "" : `times ${scale === "unit" ? "(2/D)^(1/2)" : scale === "inverse-sqrt" ? "D^(-1/2)" : number(scale)}`,
    step === -1 ? `positions from ${number(first)} down` : first === 0 ? "" : `positions from ${number(first)}`,
    zeros.length === 0 ? "" : `zeros in row${zeros.length > 1 ? "s" : ""} ${few(zeros)}${doZerosCount === false ? ", which take no position" : ""}`,
    steps === null ? "float32 steps" : steps === "exact" ? "" : `PyTorch's float32 steps by ${steps.slice(6)}`,
  ]; // prettier-ignore
  return parts.filter((part) => part !== "").join(", ");
}
