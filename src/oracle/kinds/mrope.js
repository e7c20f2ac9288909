/**
 * M-RoPE: pairs of one spectrum that follow three rows of position ids, those of time, height and width. In text all
 * three are equal, so rows of text show the frequencies. With these each pair shows which ids its rows can have, and
 * pairs that have the same ids in all rows are of one axis. What is named is computed again by `mrope`.
 */
import { FEWEST_ROWS, measure, wrap } from "../identify/measure.js";
import { offsetOf } from "../identify/positions.js";
import { published } from "../identify/published.js";
import { compareRows, nothing } from "../identify/residual.js";
import { widened } from "../numbers.js";
import { anglesOf, nearest, settled } from "../identify/rotation.js";
import { candidatesOf } from "../identify/spectrum.js";
import { angleOf } from "./fits.js";
import { identifyIds } from "./ids.js";
import { described } from "./known.js";
import { turnsIn } from "./strips.js";
import { few, number } from "../words.js";

/**
 * @import { Phasor } from "../../index.js"
 * @import { Rotary } from "../../models/config.js"
 * @import { Layout, Port, Precision, Residual } from "../identify/residual.js"
 * @import { Candidate } from "../identify/spectrum.js"
 * @import { Named, Strip, Strips } from "./strips.js"
 */

/**
 * @typedef {"chunked" | "interleaved" | "alternating"} Arrangement
 *
 * The pairs of each axis, as of `mrope.table`.
 * @typedef {{sections: number[], arrangement: Arrangement, form: string, base: number | null, scaling: any}} MropeName `form`: of
 *   the frequencies
 *
 * M-RoPE. All numbers were computed again, and `residual` is the largest difference.
 * @typedef {MropeName & {kind: "mrope", sentence: string, residual: number, at: Residual["at"], layout: Layout | null,
 *   dim: number, start: number, ids: number[][], rule: string | null, sign: 1 | -1, attentionFactor: number,
 *   precision: Precision, frequencies: {measured: number[], fitted: number[]}, decidedBy: string[], models: string[],
 *   alsoEqual: (MropeName & {sentence: string})[], hidden: number[]}} Mrope `ids` [3, T]; `rule`: in words what they are, where one explains
 *   them; `hidden`: pairs that turn too little to show their axis
 *
 * @typedef {{sections: number[], arrangement: Arrangement, order: number[]}} Sections `order`: the stream of each axis
 *
 * @typedef {{axes: Int8Array, ids: number[][]}} Streams `axes`: of each pair, -1 where several explain it
 */

const ARRANGEMENTS = /** @type {const} */ (["chunked", "interleaved", "alternating"]);

/** Time, height and width may be in any order of streams. */
const ORDERS = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]; // prettier-ignore

/** What is not shown of pairs. @param {readonly number[]} open */
const openWords = (open) => `pairs ${few(open)} turn too little in these rows to show their axis`;

/** The most pairs without an axis that are tried in all ways. */
const MOST_OPEN = 8;

/** A difference this many times as large as another is a worse fit. */
const MUCH = 4;

/** The most names that are listed, spectra and runs of rows that are tried, and ids that a row has while streams are found. */
const [MOST, MOST_SPECTRA, MOST_RUNS, MOST_IDS] = [12, 4, 32, 64];

/** @param {Phasor} modules @param {Port} port @param {Strips} strips @returns {Named} */
export function mropeOf(modules, port, strips) {
  const { all } = strips;
  const text = all.length < 3 ? undefined : textOf(strips);
  if (!text) return {};
  const { theta, sigma, sign, offset, first, last } = text;
  const candidates = candidatesOf(modules, { theta, sigma }, published(modules));
  if (candidates.length === 0 || offset === undefined) return {};
  return namedWith(modules, port, strips, {
    candidates,
    theta,
    sign,
    streamsOf: ({ frequencies }) => {
      const streams = streamsOf(strips, frequencies, sign, offset);
      return typeof streams === "string"
        ? `rows ${first} to ${last} turn evenly; in all rows ${streams}`
        : streams;
    },
  });
}

/**
 * The names of spectra whose pairs follow three streams of positions.
 * @param {Phasor} modules @param {Port} port @param {Strips} strips
 * @param {{candidates: Candidate[], theta: Float64Array, sign: 1 | -1, streamsOf: (candidate: Candidate) => Streams | string}} of
 *   `theta`: as measured; `streamsOf`: why there are none, too
 * @returns {Named}
 */
export function namedWith(modules, port, strips, { candidates, theta, sign, streamsOf }) {
  let failure = { step: 0, reason: "" };
  /** Of equal steps that of the best spectrum counts. @param {number} step @param {string} reason */
  const fail = (step, reason) => {
    if (step > failure.step) failure = { step, reason };
  };
  const fits = candidates.slice(0, MOST_SPECTRA).flatMap((candidate) => {
    const streams = streamsOf(candidate);
    if (typeof streams === "string") {
      fail(6, streams);
      return [];
    }
    const { all: named, isDecided } = sectionsOf(modules, streams.axes);
    const open = Array.from(streams.axes.keys()).filter((i) => streams.axes[i] < 0);
    if (!isDecided && open.length > 0) {
      fail(7, `pairs follow three streams of positions, but ${openWords(open)}: sections are not decided`); // prettier-ignore
      return [];
    }
    if (named.length === 0) {
      fail(7, `pairs follow three streams of positions, but no arrangement of three sections gives ${[...streams.axes].join(" ")}`); // prettier-ignore
    }
    return named.slice(0, MOST).flatMap(({ order, ...sections }) => {
      const ids = order.map((stream) => streams.ids[stream]);
      const residual = differenceOf(modules, port, strips, { candidate, ids, sign, ...sections });
      if (residual.score <= 1) return [{ candidate, ids, ...sections, residual, open }];
      fail(8, `pairs follow three streams of positions, but a number of row ${residual.at.row} differs by ${residual.largest.toPrecision(3)}`); // prettier-ignore
      return [];
    });
  });
  if (fits.length === 0) return { failure };
  const kept = nearestFirst(nearest(fits));
  return { answer: answerOf(modules, port, strips, kept.slice(0, MOST), { theta, sign }) };
} // prettier-ignore

/**
 * The same fits, those first that are about as near as the nearest: vectors may show by their last digits what no pair
 * shows by itself.
 * @template {{residual: Residual}} Fit
 * @param {readonly Fit[]} fits
 */
function nearestFirst(fits) {
  const most = MUCH * Math.min(...fits.map(({ residual }) => residual.score));
  const isNear = (/** @type {Fit} */ { residual }) => residual.score <= most;
  return [...fits.filter(isNear), ...fits.filter((fit) => !isNear(fit))];
}

/**
 * The rows of text: those that turn evenly in most pairs. In a row of a grid, pairs of two axes stand still.
 * @param {Strips} strips
 * @returns {(ReturnType<typeof anglesOf> & {offset: number | undefined, first: number, last: number, moving: number}) | undefined}
 *   `offset`: the position of the first row of the text, less its index
 */
function textOf({ all, noise, T }) {
  /** @type {ReturnType<typeof textOf>} */
  let best;
  const spans = [{ from: 0, to: T }];
  for (let n = 0; n < MOST_RUNS && spans.length > 0; ++n) {
    spans.sort((a, b) => a.to - a.from - (b.to - b.from));
    const { from, to } = /** @type {{from: number, to: number}} */ (spans.pop());
    if (to - from < FEWEST_ROWS) break;
    const run = measure(turnsIn(all, from, to), Math.max(1e-3, 16 * noise));
    if (!run) continue;
    const [first, end] = [from + run.from, from + run.from + run.rows];
    spans.push({ from, to: first }, { from: end, to });
    const own = measure(turnsIn(all, first, end), Infinity);
    if (!own) continue;
    const { theta, sigma, ...angles } = anglesOf(own, noise);
    const moving = theta.filter((x, i) => x > 4 * sigma[i]).length;
    const start = offsetOf(theta, angles.phases, angles.margin, sigma);
    const offset = start === undefined || !Number.isInteger(start) ? undefined : start - first;
    const isForward = theta.every((x, i) => x >= -4 * sigma[i]);
    if (!isForward || (best && best.moving >= moving)) continue;
    best = { ...angles, theta, sigma, moving, offset, first, last: end - 1 };
  }
  return best;
}

/**
 * The pairs that follow the same ids, and these ids; or why there are not three such streams.
 * @param {Strips} strips @param {Float64Array} theta @param {1 | -1} sign @param {number} offset
 * @returns {Streams | string}
 */
function streamsOf({ all, noise, T }, theta, sign, offset) {
  const [least, most] = [offset - 64, offset + T + 64]; // a grid takes fewer positions than rows
  const angles = all.map(({ re, im }) => re.map((x, t) => sign * angleOf(x, im[t])));
  /** Whether a pair has an id in a row. @param {number} i @param {number} t @param {number} p */
  const has = (i, t, p) =>
    Math.abs(wrap(angles[i][t] - theta[i] * p)) <= 4 * noise + 1e-6 + 5e-7 * theta[i] * Math.abs(p);
  /** @param {number} i @param {number[][]} ids */
  const follows = (i, ids) => ids.every((of, t) => of.some((p) => has(i, t, p)));
  /** The ids that pairs of a stream leave. @type {number[][][]} */
  const streams = [];
  for (let i = 0; i < all.length; ++i) {
    const own = streams.filter((ids) => follows(i, ids));
    if (own.length === 1) own[0].forEach((of, t) => (own[0][t] = of.filter((p) => has(i, t, p))));
    if (own.length > 0) continue;
    if (streams.length === 3) return `pair ${i} follows none of three streams of positions`;
    /** @type {number[][]} */
    const ids = [];
    for (let t = 0; t < T; ++t) {
      /** @type {number[]} */
      const of = [];
      for (let p = least; p <= most && of.length <= MOST_IDS; ++p) if (has(i, t, p)) of.push(p);
      if (of.length === 0) return `row ${t} has no whole position in pair ${i}`;
      if (of.length > MOST_IDS) return `pair ${i} does not show the positions of row ${t}`;
      ids.push(of);
    }
    streams.push(ids);
  }
  if (streams.length < 3) return `pairs follow ${streams.length} streams of positions, not three`;
  const open = streams.flatMap((ids) => ids.findIndex((of) => of.length > 1)).find((t) => t >= 0);
  if (open !== undefined) return `row ${open} does not show which position it has`;
  const axes = Int8Array.from(all, (_, i) => {
    const own = streams.flatMap((ids, n) => (follows(i, ids) ? [n] : []));
    return own.length === 1 ? own[0] : -1;
  });
  return { axes, ids: streams.map((ids) => ids.map(([p]) => p)) };
}

/**
 * The sections and arrangements that give each pair its stream: where slow pairs show no axis, those of known models
 * come first, and others are listed only if few pairs are open.
 * @param {Phasor} modules @param {Int8Array} axes
 * @returns {{all: Sections[], isDecided: boolean}} whether there is one, or a known one
 */
function sectionsOf({ mrope }, axes) {
  const P = axes.length;
  const least = [0, 1, 2].map((stream) => axes.reduce((sum, one) => sum + Number(one === stream), 0)); // prettier-ignore
  const open = P - least[0] - least[1] - least[2];
  const gives = (/** @type {Sections} */ { sections, arrangement, order }) => {
    const given = axesOf(mrope, 2 * P, { sections, arrangement });
    return given !== undefined && axes.every((one, i) => one < 0 || order[given[i]] === one);
  };
  const known = open === 0 ? [] : knownSections().flatMap((one) => ORDERS.map((order) => ({ ...one, order }))).filter(gives); // prettier-ignore
  /** @type {Sections[]} */
  const others = [];
  for (let a = 0; open <= MOST_OPEN && a <= open; ++a) {
    for (let b = 0; a + b <= open; ++b) {
      const more = [open - a - b, a, b];
      for (const arrangement of ARRANGEMENTS) {
        for (const order of ORDERS) {
          const sections = order.map((stream, axis) => least[stream] + more[axis]);
          const one = { sections, arrangement, order };
          const isNew = known.every((other) => JSON.stringify(other) !== JSON.stringify(one));
          if (isNew && gives(one)) others.push(one);
        }
      }
    }
  }
  return { all: [...known, ...others], isDecided: known.length > 0 || others.length === 1 };
}

/** The sections of known models. @returns {Omit<Sections, "order">[]} */
function knownSections() {
  const all = described().flatMap(([, { rotary = {} }]) =>
    Object.values(rotary).flatMap((of) => of?.multimodal ?? []),
  );
  const own = all.map(({ sections, arrangement }) => JSON.stringify({ sections, arrangement }));
  return [...new Set(own)].map((text) => JSON.parse(text));
}

/** @param {Phasor["mrope"]} mrope @param {number} dim @param {{sections: number[], arrangement: Arrangement}} options */
function axesOf(mrope, dim, options) {
  try {
    return mrope.axes(dim, options).data;
  } catch {
    return undefined; // the arrangement has no such sections
  }
}

/**
 * @param {Phasor} modules @param {Port} port @param {Strips} strips
 * @param {{candidate: Candidate, ids: number[][], sign: 1 | -1, sections: number[], arrangement: Arrangement}} of
 */
function differenceOf({ mrope }, port, strips, { candidate, ids, sign, sections, arrangement }) {
  const { pairing, factor, noise, T } = strips;
  const P = pairing.pairs;
  const { name, frequencies } = candidate;
  const isPlain = candidate.isScaled && name.scaling === undefined && name.base !== undefined;
  const spectrum = isPlain ? { base: name.base } : { frequencies };
  const { cos, sin } = mrope.table(ids, 2 * P, { ...spectrum, sections, arrangement });
  const sizes = frequencies.map(widened);
  const largest = ids[0].map((_, t) => Math.max(...ids.map((row) => Math.abs(row[t]))));
  const angles = Float64Array.from(cos.data, (_, k) => largest[Math.floor(k / P)] * sizes[k % P]); // prettier-ignore
  const found = nothing(port);
  const applied = { pairing, sign, factor: settled(factor, candidate.attentionFactor, noise) };
  compareRows(port, applied, { cos: cos.data, sin: sin.data, angles, scale: 1, from: 0, to: T }, found); // prettier-ignore
  return found;
}

/**
 * @param {Phasor} modules @param {Port} port @param {Strips} strips
 * @param {{candidate: Candidate, ids: number[][], sections: number[], arrangement: Arrangement, residual: Residual, open: number[]}[]} fits
 * @param {{theta: Float64Array, sign: 1 | -1}} of
 * @returns {Mrope}
 */
function answerOf(modules, port, { pairing, factor, noise, T }, fits, { theta, sign }) {
  const nameOf = (/** @type {typeof fits[0]} */ { candidate: { name }, sections, arrangement }) => ({
    sections,
    arrangement,
    form: name.form,
    base: name.base ?? null,
    scaling: name.scaling ?? null,
  }); // prettier-ignore
  const [best, ...others] = fits;
  const { candidate, ids, residual, open } = best;
  const { pairs, start, from } = pairing;
  const named = identifyIds(modules, { positionIds: { data: Int32Array.from(ids.flat()), shape: [3, 1, T] } }); // prettier-ignore
  const rule = named.kind === "none" ? null : named.sentence;
  const attentionFactor = Math.fround(settled(factor, candidate.attentionFactor, noise));
  const name = nameOf(best);
  const { sections, arrangement, form, base, scaling } = name;
  const largest = Number(residual.largest.toPrecision(3));
  const parts = [
    `M-RoPE, ${from === null ? `${pairs} pairs, layout not shown` : `${from}, ${2 * pairs} columns`}${start > 0 ? ` from column ${start}` : ""}`,
    `sections ${sections.join(", ")} of time, height and width`,
    arrangement,
    open.length === 0 ? "" : `axes of pairs ${few(open)} not shown`,
    base === null ? `${form} frequencies` : `base ${number(base)}${form === "base^(-2i/D)" ? "" : ` by ${form}`}`,
    scaling === null ? "" : `${scaling.type} scaling`,
    sign === -1 ? "angles with a minus" : "",
    attentionFactor === 1 ? "" : `attention factor ${number(attentionFactor)}`,
    rule === null ? "ids by no rule that is known" : rule.replace(/^M-RoPE, /, "").replace(/, 1 row, three axes$/, ""),
  ]; // prettier-ignore
  return {
    kind: "mrope",
    sentence: parts.filter((part) => part !== "").join(", "),
    residual: residual.largest,
    at: residual.at,
    layout: from,
    dim: 2 * pairs,
    start,
    ...name,
    ids,
    rule,
    hidden: open,
    sign,
    attentionFactor,
    precision: port.precision,
    frequencies: { measured: Array.from(theta, Math.fround), fitted: Array.from(candidate.frequencies, Math.fround) },
    decidedBy: [
      "pairs of an axis have the same whole positions in all rows, and those of two axes do not",
      `all ${T} rows were computed again: the largest difference is ${largest}`,
      ...(open.length > 0 ? [`${openWords(open)}; of sections that fit alike those of known models come first`] : []),
    ],
    models: sign === 1 ? modelsOf(name, 2 * pairs, from) : [],
    alsoEqual: others.map(nameOf).map((one) => ({ ...one, sentence: `M-RoPE, sections ${one.sections.join(", ")}, ${one.arrangement}` })),
  };
} // prettier-ignore

/** Known models that have these sections. @param {MropeName} name @param {number} dim @param {Layout | null} layout */
function modelsOf({ sections, arrangement, base, scaling }, dim, layout) {
  const has = (/** @type {Rotary | null} */ of) =>
    of?.multimodal?.arrangement === arrangement &&
    String(of.multimodal.sections) === String(sections) &&
    of.dim === dim &&
    of.options.base === base &&
    (of.options.scaling === undefined) === (scaling === null) &&
    (layout === null || of.layout === layout);
  return described()
    .filter(([, { rotary = {} }]) => Object.values(rotary).some(has))
    .map(([model]) => model);
}
