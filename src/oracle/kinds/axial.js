/**
 * Axial rotations of grids: some pairs turn with the row of a cell and others with its column. Cells of one row, or of
 * one column, have the same numbers in those pairs, which shows the grid; the frequencies of each axis are measured as
 * those of a plain rotation. What is named is computed again by `axialRope`.
 */
import { FEWEST_ROWS, measure } from "../identify/measure.js";
import { offsetOf } from "../identify/positions.js";
import { compareRows, nothing } from "../identify/residual.js";
import { widened } from "../numbers.js";
import { anglesOf, nearest, settled } from "../identify/rotation.js";
import { BASES, chosen, fitted } from "../identify/spectrum.js";
import { exp } from "./fits.js";
import { knownWith, NOBODY } from "./known.js";
import { turnsIn } from "./strips.js";
import { number } from "../words.js";

/**
 * @import { Phasor } from "../../index.js"
 * @import { Layout, Port, Precision, Residual } from "../identify/residual.js"
 * @import { Known } from "./known.js"
 * @import { Named, Strip, Strips } from "./strips.js"
 */

/**
 * An axial rotation under one name, with the options of `axialRope.table`.
 * @typedef {object} AxialName
 * @property {number[]} grid  [rows, columns] of cells
 * @property {number} base  of the frequencies
 * @property {number[]} [bases]  of rows and columns, if they differ
 * @property {"per-axis" | "alternating"} spectrum  as of `axialRope.table`: one for each axis, or one for both
 * @property {number[]} order  [0, 1]: pairs of rows come first; [1, 0]: those of columns
 * @property {"chunked" | "interleaved"} arrangement  of pairs: those of an axis together, or in turn
 * @property {number[]} [sections]  pairs of rows and of columns, if they differ
 * @property {string} coordinates  of cells, as of `axialRope.table`
 * @property {number | number[]} [pretrained]  cells a side to which positions are scaled
 * @property {number} offset  added to coordinates
 * @property {number} scale  of coordinates
 * @property {number} prefix  rows of angle 0 before the cells
 * @property {number} suffix  rows of angle 0 after them
 * @property {number} merge  cells are in blocks of this many rows and columns; 1: row by row
 */

/**
 * An axial rotation. All numbers were computed again, and `residual` is the largest difference.
 * @typedef {AxialName & {kind: "axialRope", sentence: string, residual: number, at: Residual["at"], layout: Layout | null,
 *   dim: number, start: number, sign: 1 | -1, attentionFactor: number, precision: Precision, frequencies: number[],
 *   presets: string[], decidedBy: string[], alsoEqual: (AxialName & {sentence: string})[]} & Known} Axial `frequencies`: radians a cell, measured
 *
 * @typedef {{H: number, W: number, prefix: number, suffix: number, merge: number, axes: number[]}} Grid `axes`: of each
 *   pair, 0 for rows and 1 for columns of cells, -1 where it turns too little to show
 *
 * @typedef {{theta: Float64Array, sigma: Float64Array, phases: Float64Array, margin: Float64Array, sign: 1 | -1, pairs: number[]}} Side
 */

/** The most names that are listed. */
const MOST = 12;

/** @param {Phasor} modules @param {Port} port @param {Strips} strips @returns {Named} */
export function axialOf(modules, port, strips) {
  const found = gridOf(strips);
  if (found === undefined) return {};
  if (typeof found === "string") return { failure: { step: 6, reason: found } };
  const { H, W } = found;
  const says = `pairs turn with the rows and columns of a grid of ${H} x ${W}`;
  const sides = [0, 1].map((axis) => sideOf(strips, found, axis));
  const [rows, columns] = sides;
  if (!rows || !columns)
    return { failure: { step: 7, reason: `${says}, but not evenly and in one direction` } };
  if (rows.sign !== columns.sign) {
    return { failure: { step: 7, reason: `${says}, one of them against the other` } };
  }
  const names = namesOf(found, [rows, columns], 2 * strips.all.length);
  const fits = names.flatMap(({ name, cost }) => {
    const residual = differenceOf(modules, port, strips, found, name, [rows, columns]);
    return residual && residual.score <= 1 ? [{ name, cost, residual }] : [];
  });
  if (fits.length === 0) {
    const theta = rows.theta.map(Math.abs).slice(0, 3).join(", ");
    return { failure: { step: 8, reason: `${says}, but no formula gives the angles: ${theta}` } };
  }
  const kept = nearest(fits);
  kept.sort((a, b) => a.cost - b.cost);
  const [{ name, residual }, ...others] = kept.slice(0, MOST);
  return { answer: answerOf(modules, port, strips, { name, residual, others: others.map((one) => one.name), sides: [rows, columns] }) }; // prettier-ignore
}

/** The row of a cell. @param {Omit<Grid, "axes">} grid @param {number} y @param {number} x */
const rowOf = ({ W, prefix, merge: m }, y, x) =>
  prefix +
  (Math.floor(y / m) * (W / m) + Math.floor(x / m)) * m * m +
  (y % m) * m +
  (x % m); // prettier-ignore

/** The grid whose cells explain all pairs; why none does, where one is near. @param {Strips} strips @returns {Grid | string | undefined} */
function gridOf({ all, noise, T }) {
  const isZero = (/** @type {number} */ t) =>
    all.every(({ re, im }) => Math.abs(re[t] - 1) <= 4 * noise && Math.abs(im[t]) <= 4 * noise);
  let [before, suffix] = [0, 0];
  while (before < T && isZero(before)) ++before;
  while (suffix < T - before && isZero(T - 1 - suffix)) ++suffix;
  // The first cell may have angle 0 itself.
  for (const prefix of [before - 1, before]) {
    const N = T - prefix - suffix;
    for (let W = 2; prefix >= 0 && 2 * W <= N; ++W) {
      if (N % W !== 0) continue;
      for (const merge of W % 2 === 0 && (N / W) % 2 === 0 ? [1, 2] : [1]) {
        const grid = { H: N / W, W, prefix, suffix, merge };
        const axes = axesOf(all, grid, 8 * noise);
        if (!axes) continue;
        if (Math.min(grid.H, W) < FEWEST_ROWS) {
          return `pairs turn with the rows and columns of a grid of ${grid.H} x ${W}: ${FEWEST_ROWS} of each show how they turn`;
        }
        return { ...grid, axes };
      }
    }
  }
  return undefined;
}

/**
 * The axis that each pair turns with; undefined if one turns with neither, or none with one of them.
 * @param {readonly Strip[]} all @param {Omit<Grid, "axes">} grid @param {number} margin
 */
function axesOf(all, grid, margin) {
  const { H, W } = grid;
  /** @param {Strip} strip @param {boolean} isX */
  const follows = ({ re, im }, isX) => {
    for (let y = 0; y < H; ++y) {
      for (let x = 0; x < W; ++x) {
        const [at, own] = [rowOf(grid, y, x), isX ? rowOf(grid, 0, x) : rowOf(grid, y, 0)];
        if (Math.abs(re[at] - re[own]) > margin || Math.abs(im[at] - im[own]) > margin)
          return false;
      }
    }
    return true;
  };
  /** @type {number[]} */
  const axes = [];
  for (const strip of all) {
    const [isY, isX] = [follows(strip, false), follows(strip, true)];
    if (!isY && !isX) return undefined;
    axes.push(isY && isX ? -1 : isX ? 1 : 0);
  }
  const count = (/** @type {number} */ axis) => axes.filter((one) => one === axis).length;
  return count(0) > 1 && count(1) > 1 ? axes : undefined;
}

/** How the pairs of an axis turn from cell to cell. @param {Strips} strips @param {Grid} grid @param {number} axis @returns {Side | undefined} */
function sideOf({ all, noise }, grid, axis) {
  const sizes = [grid.H, grid.W];
  const [n, other] = [sizes[axis], sizes[1 - axis]];
  const pairs = grid.axes.flatMap((one, i) => (one === axis ? [i] : []));
  // The mean over the other axis: cells of vectors have their own roundings.
  const mean = pairs.map((i) => {
    const strip = { re: new Float64Array(n), im: new Float64Array(n) };
    for (let k = 0; k < n; ++k) {
      for (let l = 0; l < other; ++l) {
        const at = axis === 0 ? rowOf(grid, k, l) : rowOf(grid, l, k);
        strip.re[k] += all[i].re[at] / other;
        strip.im[k] += all[i].im[at] / other;
      }
    }
    return strip;
  });
  for (const limit of [Math.max(1e-3, 16 * noise), 0.5]) {
    const measured = measure(turnsIn(mean, 0, n), limit);
    if (!measured) continue;
    const { sign, theta, sigma, phases, margin } = anglesOf(measured, noise);
    if (theta.every((x, i) => x >= -4 * sigma[i])) return { theta, sigma, phases, margin, sign, pairs }; // prettier-ignore
  }
  return undefined;
}

/**
 * Which columns the axes can have: in two blocks, or in turn.
 * @param {readonly number[]} axes
 * @returns {{order: number[], arrangement: "chunked" | "interleaved", counts: number[], isEven: boolean}[]} `counts` of
 *   pairs, of rows and columns
 */
function placesOf(axes) {
  const P = axes.length;
  const fits = (/** @type {(i: number) => number} */ own) =>
    axes.every((axis, i) => axis < 0 || axis === own(i));
  return [[0, 1], [1, 0]].flatMap((order) => {
    const dealt = P % 2 === 0 && fits((i) => order[i % 2]);
    const cuts = Array.from({ length: P - 1 }, (_, i) => i + 1).filter((cut) => fits((i) => order[i < cut ? 0 : 1])); // prettier-ignore
    const own = cuts.includes(P / 2) ? [P / 2] : cuts.length === 1 ? cuts : [];
    const chunks = own.map((cut) => ({
      order,
      arrangement: /** @type {const} */ ("chunked"),
      counts: order[0] === 0 ? [cut, P - cut] : [P - cut, cut],
      isEven: 2 * cut === P,
    }));
    const turns = { order, arrangement: /** @type {const} */ ("interleaved"), counts: [P / 2, P / 2], isEven: true }; // prettier-ignore
    return dealt ? [...chunks, turns] : chunks;
  }); // prettier-ignore
}

/**
 * The names that the measured angles allow.
 * @param {Grid} grid @param {[Side, Side]} sides @param {number} dim
 * @returns {{name: AxialName, cost: number}[]}
 */
function namesOf({ axes, H, W, prefix, suffix, merge }, sides, dim) {
  const sizes = [H, W];
  return placesOf(axes).flatMap(({ order, arrangement, counts, isEven }) => {
    const fits = sides.map(({ theta, sigma, pairs }, axis) => {
      const before = pairs.map((pair) => placeIn(pair, axis, order, arrangement, counts));
      const seen = Array.from(theta.keys()).filter((i) => theta[i] > 4 * sigma[i]);
      return fitted(theta, sigma, seen, (i) => before[i] / counts[axis]).free;
    });
    const bases = fits.map(({ slope, margin }) => chosen(exp(slope), margin, BASES));
    const near = Math.abs(fits[0].slope - fits[1].slope) <= fits[0].margin + fits[1].margin;
    const best = fits[0].margin <= fits[1].margin ? 0 : 1;
    const [base, cost] = near ? [bases[best].value, bases[best].cost] : [10000, 2 + bases[0].cost + bases[1].cost]; // prettier-ignore
    if (!(base >= 1) || bases.some(({ value }) => !(value >= 1))) return [];
    const common = {
      grid: sizes,
      base,
      order,
      arrangement,
      prefix,
      suffix,
      merge,
      ...(!near && { bases: bases.map(({ value }) => value) }),
      ...(!isEven && { sections: counts }),
    };
    /** @type {("per-axis" | "alternating")[]} */
    const spectra = isEven ? ["per-axis", "alternating"] : ["per-axis"];
    const steps = fits.map(({ start }) => exp(-start));
    return spectra.flatMap((spectrum, n) =>
      coordinatesOf(sides, sizes, steps, spectrum, dim, base, order).map((one) => ({
        name: { ...common, spectrum, ...one.options },
        cost: cost + one.cost + n / 2,
      })),
    );
  });
}

/** The index of a pair among those of its axis. @param {number} pair @param {number} axis @param {number[]} order @param {string} arrangement @param {number[]} counts */
const placeIn = (pair, axis, order, arrangement, counts) =>
  arrangement === "interleaved" ? pair >> 1 : order[0] === axis ? pair : pair - counts[order[0]];

/**
 * The coordinates that cells may have: one step a cell, or others of `axialRope`.
 * @param {[Side, Side]} sides @param {number[]} sizes @param {number[]} steps  of the first frequency of each axis
 * @param {string} spectrum @param {number} dim @param {number} base @param {number[]} order
 */
function coordinatesOf(sides, sizes, steps, spectrum, dim, base, order) {
  /** @type {{options: Pick<AxialName, "coordinates" | "pretrained" | "offset" | "scale">, cost: number}[]} */
  const all = [];
  const offsets = sides.map(({ theta, phases, margin, sigma }) => offsetOf(theta, phases, margin, sigma)); // prettier-ignore
  if (offsets[0] !== undefined && offsets[0] === offsets[1]) {
    all.push({ options: { coordinates: "cells", offset: offsets[0], scale: 1 }, cost: offsets[0] === 0 ? 0 : 0.5 }); // prettier-ignore
  }
  const own = steps.map((step, axis) =>
    spectrum === "alternating" && order[1] === axis ? step * base ** (2 / dim) : step,
  );
  const cells = own.map((step, axis) => Math.round(step * sizes[axis]));
  if (cells.every((n) => n > 0) && String(cells) !== String(sizes)) {
    const pretrained = cells[0] === cells[1] ? cells[0] : cells;
    all.push({ options: { coordinates: "cells", pretrained, offset: 0, scale: 1 }, cost: 1 });
  }
  for (const coordinates of ["middle", "centers", "centers-max", "centers-min", "ends"]) {
    for (const scale of [1, 2 * Math.PI]) {
      all.push({ options: { coordinates, offset: 0, scale }, cost: coordinates === "centers" ? 0.5 : 1 }); // prettier-ignore
    }
  }
  return all;
}

/** The options of `axialRope.table`. @param {AxialName} name @returns {any} */
const optionsOf = ({ grid, merge, base, bases, ...options }) =>
  bases ? { ...options, bases } : { ...options, base };

/**
 * @param {Phasor} modules @param {Port} port @param {Strips} strips @param {Grid} grid @param {AxialName} name
 * @param {[Side, Side]} sides
 * @returns {Residual | undefined} undefined if the options go beyond those of the module
 */
function differenceOf({ axialRope }, port, { pairing, factor, noise, T }, grid, name, sides) {
  const P = pairing.pairs;
  let table;
  try {
    table = axialRope.table(name.grid, 2 * P, optionsOf(name));
  } catch {
    return undefined; // the fit left the range of the options
  }
  const { H, W, prefix } = grid;
  const size = sides.map(({ theta, phases, pairs }, axis) => {
    const all = new Float64Array(P);
    pairs.forEach(
      (pair, k) => (all[pair] = widened(theta[k]) * [H, W][axis] + Math.abs(phases[k])),
    );
    return all;
  });
  const [cos, sin] = [table.cos.data.slice(), table.sin.data.slice()];
  for (let k = 0; k < H * W; ++k) {
    const [from, to] = [(prefix + k) * P, rowOf(grid, Math.floor(k / W), k % W) * P];
    cos.set(table.cos.data.subarray(from, from + P), to);
    sin.set(table.sin.data.subarray(from, from + P), to);
  }
  const angles = Float64Array.from(cos, (_, k) => Math.max(size[0][k % P], size[1][k % P]));
  const found = nothing(port);
  const applied = { pairing, sign: sides[0].sign, factor: settled(factor, 1, noise) };
  compareRows(port, applied, { cos, sin, angles, scale: 1, from: 0, to: T }, found);
  return found;
}

/**
 * @param {Phasor} modules @param {Port} port @param {Strips} strips
 * @param {{name: AxialName, residual: Residual, others: AxialName[], sides: [Side, Side]}} of
 * @returns {Axial}
 */
function answerOf({ axialRope }, port, strips, { name, residual, others, sides }) {
  const { pairs, from } = strips.pairing;
  const frequencies = Array.from({ length: pairs }, () => 0);
  for (const { theta, pairs: own } of sides) {
    own.forEach((pair, k) => (frequencies[pair] = Math.fround(theta[k])));
  }
  const settings = (/** @type {any} */ { base = 10000, bases, spectrum = "per-axis", order = [0, 1], arrangement = "chunked", sections, coordinates = "cells", pretrained, offset = 0, scale = 1 }) =>
    JSON.stringify([bases ?? base, spectrum, order, arrangement, sections, coordinates, pretrained, offset, scale]); // prettier-ignore
  const all = [name, ...others].map(settings);
  const presets = Object.entries(axialRope.presets).filter(
    ([preset, { layout, ...options }]) =>
      preset !== "rope-vit-mixed" && // whose frequencies are learned
      all.includes(settings(options)) &&
      (from === null || from === layout),
  );
  const own = presets.map(([preset]) => preset);
  const of = { residual, frequencies, presets: own, sign: sides[0].sign, others };
  return axialAnswer(port, strips, name, {
    ...of,
    places: "a row, or of a column, of",
    sentenceOf,
  });
}

/**
 * The answer of a name that gives all numbers, on a grid of two axes or three.
 * @param {Port} port @param {Strips} strips @param {AxialName} name
 * @param {{residual: Residual, frequencies: number[], presets: string[], sign: 1 | -1, others?: AxialName[], places: string,
 *   sentenceOf: (name: AxialName, of: Pick<Axial, "layout" | "dim" | "start" | "sign" | "attentionFactor">) => string}} of
 *   `places`: of which cells the numbers are the same
 * @returns {Axial}
 */
export function axialAnswer(port, { pairing, factor, noise }, name, { residual, frequencies, presets, sign, others = [], places, sentenceOf }) {
  const { pairs, start, from: layout } = pairing;
  const dim = 2 * pairs;
  const attentionFactor = Math.fround(settled(factor, 1, noise));
  const words = (/** @type {AxialName} */ one) => sentenceOf(one, { layout, dim, start, sign, attentionFactor });
  return {
    kind: "axialRope",
    sentence: words(name),
    residual: residual.largest,
    at: residual.at,
    layout,
    dim,
    start,
    ...name,
    sign,
    attentionFactor,
    precision: port.precision,
    frequencies,
    presets,
    ...(presets.length > 0 ? knownWith("axialRope", { presets }) : NOBODY),
    decidedBy: [
      `each pair has the same numbers in all cells of ${places} ${name.grid.join(" x ")} cells`,
      `all ${port.T} rows were computed again: the largest difference is ${Number(residual.largest.toPrecision(3))}`,
    ],
    alsoEqual: others.map((one) => ({ ...one, sentence: words(one) })),
  };
} // prettier-ignore

/** @param {AxialName} name @param {Pick<Axial, "layout" | "dim" | "start" | "sign" | "attentionFactor">} of */
function sentenceOf(name, { layout, dim, start, sign, attentionFactor }) {
  const { grid, base, bases, spectrum, order, arrangement, sections, coordinates, pretrained } = name;
  const { offset, scale, prefix, suffix, merge } = name;
  const [first, second] = order[0] === 0 ? ["rows", "columns"] : ["columns", "rows"];
  const counts = sections ? ` (${sections[order[0]]} and ${sections[order[1]]} pairs)` : "";
  const cells = { cells: "", middle: "cells from the middle", centers: "centers of cells in -1 .. 1", ends: "cells in -1 .. 1, ends included", "centers-max": "centers of cells by the longer side", "centers-min": "centers of cells by the shorter side" }; // prettier-ignore
  const parts = [
    `axial RoPE, ${layout === null ? `${dim / 2} pairs, layout not shown` : `${layout}, ${dim} columns`}${start > 0 ? ` from column ${start}` : ""}`,
    `a grid of ${grid.join(" x ")}${merge > 1 ? ` in blocks of ${merge} x ${merge}` : ""}`,
    arrangement === "chunked"
      ? `${first} in the first pairs, ${second} in the others${counts}`
      : `${first} and ${second} in turn`,
    bases ? `base ${number(bases[0])} of rows, ${number(bases[1])} of columns` : `base ${number(base)}`,
    spectrum === "alternating" ? "one spectrum for both, alternating" : "",
    cells[/** @type {keyof typeof cells} */ (coordinates)],
    pretrained ? `cells scaled to ${Array.isArray(pretrained) ? pretrained.join(" x ") : pretrained} a side` : "",
    offset === 0 ? "" : `cells from ${number(offset)}`,
    scale === 1 ? "" : `times ${Math.abs(scale / (2 * Math.PI) - 1) < 1e-9 ? "2 pi" : number(scale)}`,
    prefix > 0 ? `after ${prefix} rows of angle 0` : "",
    suffix > 0 ? `before ${suffix} rows of angle 0` : "",
    sign === -1 ? "angles with a minus" : "",
    attentionFactor === 1 ? "" : `attention factor ${number(attentionFactor)}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
} // prettier-ignore
