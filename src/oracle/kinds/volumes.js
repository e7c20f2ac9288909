/**
 * Grids of three axes, such as frames, rows and columns of a film: each pair turns with one of them. Its angle from cell to
 * cell gives its frequency, for two cells as for many. One spectrum over all pairs is M-RoPE's, one for each axis that of
 * axial rotations; both are computed again by their modules.
 */
import { wrap } from "../identify/measure.js";
import { offsetOf } from "../identify/positions.js";
import { published } from "../identify/published.js";
import { compareRows, nothing } from "../identify/residual.js";
import { widened } from "../numbers.js";
import { settled } from "../identify/rotation.js";
import { BASES, candidatesOf, chosen, fitted } from "../identify/spectrum.js";
import { axialAnswer } from "./axial.js";
import { angleOf, exp } from "./fits.js";
import { namedWith } from "./mrope.js";
import { number } from "../words.js";

/**
 * @import { Phasor } from "../../index.js"
 * @import { Port } from "../identify/residual.js"
 * @import { Axial, AxialName } from "./axial.js"
 * @import { Named, Strip, Strips } from "./strips.js"
 *
 * @typedef {{sizes: number[], axes: Int8Array}} Volume `axes`: of each pair, -1 where several explain it
 *
 * @typedef {{theta: Float64Array, sigma: Float64Array, phases: Float64Array, margin: Float64Array, sign: 1 | -1}} Angles
 */

const AXES = [0, 1, 2];

/** The index of a cell along each axis. @param {number} row @param {readonly number[]} sizes */
const cellOf = (row, [, H, W]) => [Math.floor(row / (H * W)), Math.floor(row / W) % H, row % W];

/** @param {Phasor} modules @param {Port} port @param {Strips} strips @returns {Named} */
export function volumeOf(modules, port, strips) {
  /** @type {Named} */
  let best = {};
  for (const volume of volumesOf(strips)) {
    const angles = anglesOf(strips, volume);
    let why = angles ? "no formula gives the angles" : "they do not turn in one direction";
    for (const of of angles ? [oneSpectrum, spectrumOfEach] : []) {
      const { answer, failure } = of(modules, port, strips, volume, /** @type {Angles} */ (angles));
      if (answer) return { answer };
      why = failure?.reason ?? why;
    }
    const says = `pairs turn with three axes of ${volume.sizes.join(" x ")} cells`;
    // One frame is also a grid of two axes, which says more of why it fails.
    if (volume.sizes[0] > 1) best = { failure: { step: 9, reason: `${says}, but ${why}` } };
  }
  return best;
}

/**
 * The grids whose cells explain all pairs: each axis turns at least one, of one frame none.
 * @param {Strips} strips @returns {Volume[]}
 */
function volumesOf({ all, noise, T }) {
  /** @type {Volume[]} */
  const found = [];
  for (let F = 1; F <= T / 4; ++F) {
    if (T % F !== 0) continue;
    for (let W = 2; W <= T / F / 2; ++W) {
      if ((T / F) % W !== 0) continue;
      const sizes = [F, T / F / W, W];
      const axes = axesOf(all, sizes, 8 * noise);
      if (axes) found.push({ sizes, axes });
    }
  }
  return found;
}

/** @param {readonly Strip[]} all @param {number[]} sizes @param {number} margin */
function axesOf(all, sizes, margin) {
  const T = sizes[0] * sizes[1] * sizes[2];
  const steps = [sizes[1] * sizes[2], sizes[2], 1];
  const axes = new Int8Array(all.length);
  for (const [i, { re, im }] of all.entries()) {
    const fits = AXES.filter((axis) => {
      for (let t = 0; t < T; ++t) {
        const own = cellOf(t, sizes)[axis] * steps[axis];
        if (Math.abs(re[t] - re[own]) > margin || Math.abs(im[t] - im[own]) > margin) return false;
      }
      return true;
    });
    if (fits.length === 0) return undefined;
    axes[i] = fits.length === 1 ? fits[0] : -1;
  }
  const isThere = AXES.every((axis) => axes.includes(axis) || (axis === 0 && sizes[0] === 1));
  return isThere ? axes : undefined;
}

/**
 * The angle of each pair from cell to cell along its axis, and at cell 0.
 * @param {Strips} strips @param {Volume} volume @returns {Angles | undefined} undefined if some turn against others
 */
function anglesOf({ all, noise }, { sizes, axes }) {
  const steps = [sizes[1] * sizes[2], sizes[2], 1];
  const lines = all.map(({ re, im }, i) => {
    // A pair that several axes explain stands still along all of them.
    const axis = axes[i] < 0 ? (sizes[1] > sizes[2] ? 1 : 2) : axes[i];
    const [n, step] = [sizes[axis], steps[axis]];
    const phase = angleOf(re[0], im[0]);
    let [x, y] = [0, 0];
    for (let k = 0; k + 1 < n; ++k) {
      const [a, b, c, d] = [re[k * step], im[k * step], re[(k + 1) * step], im[(k + 1) * step]];
      x += c * a + d * b;
      y += d * a - c * b;
    }
    const once = n > 1 ? angleOf(x, y) : 0;
    const last = (n - 1) * step;
    const off = n > 1 ? wrap(angleOf(re[last], im[last]) - phase - (n - 1) * once) / (n - 1) : 0;
    return {
      theta: once + off,
      phase,
      sigma: axes[i] < 0 ? 16 * noise : (3 * noise) / Math.max(1, n - 1),
    };
  });
  const fastest = lines.reduce((a, b) => (Math.abs(b.theta) > Math.abs(a.theta) ? b : a));
  const sign = fastest.theta < 0 ? -1 : 1;
  const theta = Float64Array.from(lines, (one) => sign * one.theta);
  const sigma = Float64Array.from(lines, (one) => one.sigma + 2.5e-7 * Math.abs(one.theta));
  if (theta.some((x, i) => x < -4 * sigma[i])) return undefined;
  const phases = Float64Array.from(lines, (one) => sign * one.phase);
  return { theta, sigma, phases, margin: sigma.map((x) => 4 * noise + 1e-6 + x), sign };
}

/**
 * M-RoPE of a grid alone: theta_i by the index of the pair, whatever its axis.
 * @param {Phasor} modules @param {Port} port @param {Strips} strips @param {Volume} volume @param {Angles} angles
 * @returns {Named}
 */
function oneSpectrum(modules, port, strips, { sizes, axes }, { theta, sigma, phases, margin, sign }) {
  const P = theta.length;
  // Pairs of time may go by several positions a frame, and stand still where there is one frame.
  const isFlat = (/** @type {number} */ i) => axes[i] === 0 || (sizes[0] === 1 && axes[i] < 0);
  const own = Array.from(theta.keys()).filter((i) => !isFlat(i) && theta[i] > 4 * sigma[i]);
  if (own.length < 2) return {};
  const { slope } = fitted(theta, sigma, own, (i) => i / P).throughOrigin;
  const near = theta.map((_, i) => exp((-slope * i) / P));
  const first = axes.indexOf(0);
  const step = first < 0 ? 1 : theta[first] / near[first];
  if (!(step > 0.01)) return {};
  const known = theta.map((x, i) => (axes[i] === 0 ? x / step : isFlat(i) ? near[i] : x));
  const sure = sigma.map((x, i) => (axes[i] === 0 ? x / step : isFlat(i) ? near[i] : x));
  const candidates = candidatesOf(modules, { theta: known, sigma: sure }, published(modules));
  /** @type {Named} */
  let best = {};
  for (const candidate of candidates.slice(0, 4)) {
    const { frequencies } = candidate;
    const offsets = AXES.map((axis) => {
      const pairs = Array.from(axes.keys()).filter((i) => axes[i] === axis || (axis === 0 && isFlat(i)));
      const of = (/** @type {ArrayLike<number>} */ all) => Float64Array.from(pairs, (i) => all[i]);
      return pairs.length > 0 ? offsetOf(of(frequencies), of(phases), of(margin), of(margin)) : undefined;
    });
    const [, y, x] = offsets;
    if (y === undefined || x === undefined) continue;
    const time = offsets[0] ?? y;
    const places = Array.from({ length: strips.T }, (_, row) => cellOf(row, sizes));
    const ids = AXES.map((axis) => places.map((cell) => Math.round(axis === 0 ? time + step * cell[0] : cell[axis] + [0, y, x][axis])));
    // A pair that stands still though it would turn with rows and columns is of time.
    const shown = axes.map((axis, i) => (axis < 0 && frequencies[i] * (Math.min(sizes[1], sizes[2]) - 1) > 32 * strips.noise ? 0 : axis));
    const named = namedWith(modules, port, strips, { candidates: [candidate], theta, sign, streamsOf: () => ({ axes: shown, ids }) });
    if (named.answer) return named;
    best = named;
  }
  return best;
} // prettier-ignore

/**
 * An axial rotation: theta_k by the index among the pairs of its axis.
 * @param {Phasor} modules @param {Port} port @param {Strips} strips @param {Volume} volume @param {Angles} angles
 * @returns {Named}
 */
function spectrumOfEach(modules, port, strips, volume, angles) {
  const { sizes } = volume;
  let failure;
  for (const { places, ...columns } of placesOf(volume)) {
    const fits = AXES.map((axis) => axisOf(places[axis], angles));
    const bases = fits.flatMap((fit) => (fit ? [fit] : []));
    if (bases.length === 0) continue;
    const best = bases.reduce((a, b) => (b.margin < a.margin ? b : a));
    const isOne = bases.every((one) => Math.abs(one.slope - best.slope) <= one.margin + best.margin);
    const exact = exp(best.slope);
    const { value: likely } = chosen(exact, best.margin, BASES);
    const own = fits.map((fit) => (fit ? chosen(exp(fit.slope), fit.margin, BASES).value : likely));
    const steps = fits.map((fit) => fit?.step ?? 1);
    // Roundings of a narrow format move what is measured, in all rows to one side.
    const round = Number(exact.toPrecision(3));
    const isNear = port.precision !== "float32" && Math.abs(round / exact - 1) < 1e-3;
    for (const base of isOne && isNear ? [round, likely] : [likely]) {
      for (const coordinates of coordinatesOf(sizes, steps, places, angles)) {
        const name = { grid: sizes, base, ...columns, ...coordinates, spectrum: /** @type {const} */ ("per-axis"), prefix: 0, suffix: 0, merge: 1, ...(!isOne && { bases: own }) };
        const answer = answerOf(modules, port, strips, name, angles);
        if (answer) return { answer };
      }
    }
    failure = { step: 8, reason: "no formula of one spectrum, or of one for each axis, gives the angles" };
  }
  return { failure };
} // prettier-ignore

/**
 * Which pairs each axis can have: blocks, each of which begins with its fastest pair, or in turn.
 * @param {Volume} volume
 * @returns {{order: number[], arrangement: "chunked" | "interleaved", sections?: number[], places: number[][]}[]}
 */
function placesOf({ sizes, axes }) {
  const P = axes.length;
  const all = Array.from(axes.keys());
  /** @type {ReturnType<typeof placesOf>} */
  const found = [];
  const chunks = [{ axis: sizes[0] === 1 && axes[0] < 0 ? 0 : axes[0], from: 0 }];
  for (const i of all) {
    const { axis } = chunks[chunks.length - 1];
    if (axes[i] >= 0 && axes[i] !== axis) chunks.push({ axis: axes[i], from: i });
  }
  const order = chunks.map(({ axis }) => axis);
  if (chunks.length === 3 && new Set(order).size === 3 && !order.includes(-1)) {
    const ends = [...chunks.slice(1).map(({ from }) => from), P];
    const places = AXES.map((axis) => {
      const n = order.indexOf(axis);
      return all.slice(chunks[n].from, ends[n]);
    });
    found.push({ order, arrangement: "chunked", sections: places.map(({ length }) => length), places }); // prettier-ignore
  }
  const turns = [axes[0], axes[1], axes[2]];
  if (P % 3 === 0 && new Set(turns).size === 3 && all.every((i) => axes[i] < 0 || axes[i] === turns[i % 3])) {
    found.push({ order: turns, arrangement: "interleaved", places: AXES.map((axis) => all.filter((i) => turns[i % 3] === axis)) });
  }
  return found;
} // prettier-ignore

/**
 * Base and first frequency of an axis; undefined if its pairs do not show them.
 * @param {readonly number[]} pairs @param {Angles} angles
 */
function axisOf(pairs, { theta, sigma }) {
  const [own, sure] = [pairs.map((i) => theta[i]), pairs.map((i) => sigma[i])];
  const seen = Array.from(own.keys()).filter((k) => own[k] > 4 * sure[k]);
  if (seen.length < 2) return undefined;
  const { slope, start, margin } = fitted(Float64Array.from(own), Float64Array.from(sure), seen, (k) => k / pairs.length).free; // prettier-ignore
  return { slope, margin, step: exp(-start) };
}

/**
 * The coordinates that cells may have: one step a cell from some number on, or others of `axialRope`.
 * @param {number[]} sizes @param {number[]} steps @param {number[][]} places @param {Angles} angles
 * @returns {Pick<AxialName, "coordinates" | "pretrained" | "offset" | "scale">[]}
 */
function coordinatesOf(sizes, steps, places, { theta, phases, margin, sigma }) {
  const offsets = places.slice(1).map((pairs) => {
    const of = (/** @type {Float64Array} */ all) => Float64Array.from(pairs, (i) => all[i]);
    return offsetOf(of(theta), of(phases), of(margin), of(sigma));
  });
  const [offset] = offsets;
  const isOne = steps.every((step) => Math.abs(step - 1) < 0.01);
  const cells = steps.map((step, axis) => Math.round(step * sizes[axis]));
  return [
    ...(isOne && offset !== undefined ? [{ coordinates: "cells", offset, scale: 1 }] : []),
    ...(isOne ? [{ coordinates: "middle", offset: 0, scale: 1 }] : []),
    ...(cells.every((n) => n > 0) ? [{ coordinates: "cells", pretrained: cells, offset: 0, scale: 1 }] : []),
    ...["centers", "centers-max", "centers-min", "ends"].flatMap((coordinates) =>
      [1, 2 * Math.PI].map((scale) => ({ coordinates, offset: 0, scale })),
    ),
  ];
} // prettier-ignore

/**
 * The answer, if the name gives all numbers.
 * @param {Phasor} modules @param {Port} port @param {Strips} strips @param {AxialName} name @param {Angles} angles
 * @returns {Axial | undefined}
 */
function answerOf({ axialRope }, port, strips, name, { theta, phases, sign }) {
  const { pairing, factor, noise, T } = strips;
  const { pairs } = pairing;
  const { grid, merge, base, bases, ...options } = name;
  let table;
  try {
    table = axialRope.table(grid, 2 * pairs, /** @type {any} */ ({ ...options, ...(bases ? { bases } : { base }) }));
  } catch {
    return undefined; // the fit left the range of the options
  }
  const most = Math.max(...grid);
  const angles = Float64Array.from({ length: T * pairs }, (_, k) => widened(theta[k % pairs]) * most + Math.abs(phases[k % pairs]));
  const residual = nothing(port);
  const rows = { cos: table.cos.data, sin: table.sin.data, angles, scale: 1, from: 0, to: T };
  compareRows(port, { pairing, sign, factor: settled(factor, 1, noise) }, rows, residual);
  if (!(residual.score <= 1)) return undefined;
  const frequencies = Array.from(theta, Math.fround);
  const of = { residual, frequencies, presets: presetsOf(axialRope, name, pairing.from), sign };
  return axialAnswer(port, strips, name, { ...of, places: "one frame, row or column of", sentenceOf });
} // prettier-ignore

/** Models with these options. @param {Phasor["axialRope"]} axialRope @param {AxialName} name @param {"halves" | "interleaved" | null} layout */
function presetsOf({ presets }, name, layout) {
  const near = (/** @type {number} */ a, /** @type {number} */ b) => Math.abs(a / b - 1) < 1e-4;
  return Object.entries(presets).flatMap(([preset, of]) => {
    const { sections, base = 10000, bases, order = AXES, coordinates = "cells", offset = 0, scale = 1 } = /** @type {any} */ (of);
    const own = name.bases ?? AXES.map(() => name.base);
    const is =
      String(sections) === String(name.sections) &&
      String(order) === String(name.order) &&
      coordinates === name.coordinates && offset === name.offset && scale === name.scale && !name.pretrained &&
      (bases ?? AXES.map(() => base)).every((/** @type {number} */ one, /** @type {number} */ axis) => near(one, own[axis])) &&
      (layout === null || of.layout === layout);
    return is ? [preset] : [];
  });
} // prettier-ignore

/** @param {AxialName} name @param {Pick<Axial, "layout" | "dim" | "start" | "sign" | "attentionFactor">} of */
function sentenceOf({ grid, base, bases, order, sections, coordinates, pretrained, offset, scale }, { layout, dim, start, sign, attentionFactor }) {
  const words = ["frames", "rows", "columns"];
  const inOrder = order.map((axis) => words[axis]).join(", ");
  const parts = [
    `axial RoPE, ${layout === null ? `${dim / 2} pairs, layout not shown` : `${layout}, ${dim} columns`}${start > 0 ? ` from column ${start}` : ""}`,
    `a grid of ${grid.join(" x ")}`,
    sections ? `pairs of ${order.map((axis) => `${words[axis]} ${sections[axis]}`).join(", ")}` : `${inOrder} in turn`,
    bases ? `bases ${bases.map(number).join(", ")} of ${words.join(", ")}` : `base ${number(base)}`,
    coordinates === "cells" ? "" : `coordinates "${coordinates}"`,
    pretrained ? `cells scaled to ${/** @type {number[]} */ (pretrained).join(" x ")}` : "",
    offset === 0 ? "" : `cells from ${number(offset)}`,
    scale === 1 ? "" : "times 2 pi",
    sign === -1 ? "angles with a minus" : "",
    attentionFactor === 1 ? "" : `attention factor ${number(attentionFactor)}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
} // prettier-ignore
