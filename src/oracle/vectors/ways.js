/** Ways to rotate: the model's own, and those of likely slips. */
import { Tensor } from "../../runtime/tensor.js";
import { conventionOf, slipsOf, spectrumOf, tableOf } from "../conventions.js";

/**
 * @import { Phasor } from "../../index.js"
 * @import { Rotary } from "../../models/config.js"
 * @import { Convention } from "../conventions.js"
 */

/**
 * How a port may rotate: a convention, and what it does besides.
 * @typedef {object} More
 * @property {Rotary["multimodal"]} [multimodal]  of positions with three axes
 * @property {boolean} [isSquared]  whether the attention factor is applied twice
 * @property {"there" | "back"} [permuted]  how rows of the weights are reordered, and columns of queries with them
 * @property {boolean} [isConverted]  whether the result is in the other layout
 * @property {boolean} [isMixed]  whether the columns of cosines and sines are repeated as the other layout has them
 *
 * @typedef {Convention & More} Way
 * @typedef {Convention["layout"]} Layout
 * @typedef {readonly number[] | readonly (readonly number[])[]} Places  positions, or those of three axes
 */

/** @param {Rotary} rotary @param {Places} places @returns {Way} */
export function wayOf(rotary, places) {
  const { multimodal } = rotary;
  const last = places.flat().reduce((most, place) => Math.max(most, place), 0);
  return { ...conventionOf(rotary, last + 1), ...(hasAxes(places) && { multimodal }) };
}

/** @param {Places} places @returns {places is readonly (readonly number[])[]} */
const hasAxes = (places) => Array.isArray(places[0]);

/** @param {Layout} layout @returns {Layout} */
const other = (layout) => (layout === "halves" ? "interleaved" : "halves");

/**
 * Likely slips.
 * @param {Phasor} phasor @param {Way | null} own  null for layers that do not rotate
 * @param {{width: number, others: Record<string, Rotary>, places: Places}} of  `others`: rotations of other layers
 * @returns {{name: string, way: Way}[]}
 */
export function slipsOfWay(phasor, own, { width, others, places }) {
  if (own === null) {
    return Object.entries(others).map(([kind, rotary]) => ({
      name: `the rotation of ${kind} layers, where these do not rotate`,
      way: wayOf(rotary, places),
    }));
  }
  const known = slipsOf(own, { headDim: width, others });
  /** @type {{name: string, sets: Partial<Way>}[]} */
  const all = [...known, ...further(phasor, own), ...ofAxes(own, places)];
  const ways = all.map(({ name, sets }) => ({ name, way: { ...own, ...sets } }));
  return ways.filter(({ way }) => !way.multimodal || way.dim === own.dim);
}

/** @param {Phasor} phasor @param {Way} own @returns {{name: string, sets: Partial<Way>}[]} */
function further(phasor, own) {
  const { layout, dim, base, scaling } = own;
  /** @type {{name: string, sets: Partial<Way>}[]} */
  const slips = [
    { name: "the rows of the weights are permuted", sets: { permuted: "there" } },
    { name: "the rows of the weights are permuted back", sets: { permuted: "back" } },
    {
      name: layout === "halves" ? "the output is interleaved" : "the output is de-interleaved",
      sets: { isConverted: true },
    },
    { name: `tables of ${other(layout)} in a rotation of ${layout}`, sets: { isMixed: true } },
  ];
  if (spectrumOf(phasor, own).factor !== 1) {
    slips.push({ name: "the attention factor is applied twice", sets: { isSquared: true } });
  }
  if (scaling?.type === "yarn") {
    const { truncate = true } = scaling;
    const what = truncate ? "is not truncated" : "is truncated";
    const sets = { scaling: { ...scaling, truncate: !truncate } };
    slips.push({ name: `the correction range ${what}`, sets });
  }
  if (!scaling && dim > 2) {
    const [, second] = phasor.rope.frequencies(dim, { base }).frequencies.data;
    const linear = { type: "linear", factor: 1 / second };
    slips.push({ name: "exponents from i = 1 instead of 0", sets: { scaling: linear } });
    const sets = { base: base ** (dim / (dim - 2)) };
    slips.push({ name: "exponents i / (P - 1) instead of i / P", sets });
  }
  return slips;
}

/** Slips of positions with three axes. @param {Way} own @param {Places} places @returns {{name: string, sets: Partial<Way>}[]} */
function ofAxes({ multimodal, dim }, places) {
  if (!multimodal || !hasAxes(places)) return [];
  const { sections, arrangement } = multimodal;
  const isWoven = sections.every((size, axis) => axis === 0 || 3 * (size - 1) + axis < dim / 2);
  const arranged = /** @type {const} */ (["chunked", "interleaved"]).filter(
    (each) => each !== arrangement && (each === "chunked" || isWoven),
  );
  return [
    { name: "all frequencies have the time", sets: { multimodal: undefined } },
    ...arranged.map((each) => ({
      name: `the sections are ${each}`,
      sets: { multimodal: { sections, arrangement: each } },
    })),
  ];
}

/**
 * Cosines and sines of a way, [T, P] each.
 * @param {Phasor} phasor @param {Way} way @param {Places} places
 * @returns {{cos: Float32Array, sin: Float32Array}}
 */
export function tablesOf(phasor, way, places) {
  const { multimodal, isSquared } = way;
  const times = (/** @type {Float32Array} */ x) =>
    isSquared ? x.map((value) => value * spectrumOf(phasor, way).factor) : x;
  if (!hasAxes(places)) {
    const { cos, sin } = tableOf(phasor, way, places);
    return { cos: times(cos), sin: times(sin) };
  }
  if (!multimodal) return tablesOf(phasor, way, places[0]);
  // A pair has the numbers that it would have if all axes were its own.
  const axes = phasor.mrope.axes(way.dim, multimodal).data;
  const each = places.map((own) => tablesOf(phasor, { ...way, multimodal: undefined }, own));
  const dealt = (/** @type {"cos" | "sin"} */ part) =>
    each[0][part].map((_, k) => each[axes[k % axes.length]][part][k]);
  return { cos: dealt("cos"), sin: dealt("sin") };
}

/**
 * What a way makes of queries.
 * @param {Phasor} phasor @param {Tensor} x  [..., T, D] @param {Way} way @param {Places} places
 * @returns {Tensor}
 */
export function turned({ rope, ...others }, x, way, places) {
  const { dim, start, layout, isSwapped, sign, permuted, isConverted, isMixed } = way;
  const { cos, sin } = tablesOf({ rope, ...others }, way, places);
  const shape = [cos.length / (dim / 2), dim / 2];
  const signed = (/** @type {Float32Array} */ part) =>
    new Tensor(sign === 1 ? part : part.map((value) => -value), shape);
  const table = isSwapped
    ? { cos: new Tensor(sin, shape), sin: signed(cos) }
    : { cos: new Tensor(cos, shape), sin: signed(sin) };
  const [from, to] = [layout, other(layout)];
  const part = columnsOf(x, start, dim);
  const given = permuted ? rope.convert(part, permuted === "there" ? { from, to } : { from: to, to: from }) : part; // prettier-ignore
  const result = isMixed ? mixed(given, table, layout) : rope.apply(given, table, { layout });
  return placed(x, isConverted ? rope.convert(result, { from, to }) : result, start);
}

/** Some columns of rows. @param {Tensor} x @param {number} start @param {number} width */
function columnsOf(x, start, width) {
  const D = x.shape[x.shape.length - 1];
  const data = x.data.filter((_, k) => k % D >= start && k % D < start + width);
  return new Tensor(data, [...x.shape.slice(0, -1), width]);
}

/** Rows with some columns of others. @param {Tensor} x @param {Tensor} part @param {number} start */
function placed({ data, shape }, part, start) {
  const [D, width] = [shape, part.shape].map((each) => each[each.length - 1]);
  const to = data.slice();
  for (const [k, value] of part.data.entries()) {
    to[Math.floor(k / width) * D + start + (k % width)] = value;
  }
  return new Tensor(to, shape);
}

/**
 * A rotation whose columns have the cosines and sines of the other layout's.
 * @param {Tensor} x  [..., T, R] @param {{cos: Tensor, sin: Tensor}} table @param {Layout} layout
 */
function mixed({ data, shape }, { cos, sin }, layout) {
  const [R, P] = [shape[shape.length - 1], shape[shape.length - 1] / 2];
  const isHalves = layout === "halves";
  const to = data.map((value, k) => {
    const column = k % R;
    const row = Math.floor(k / R) % cos.shape[0];
    const isFirst = isHalves ? column < P : column % 2 === 0;
    const step = (isHalves ? P : 1) * (isFirst ? 1 : -1);
    const at = row * P + (isHalves ? Math.floor(column / 2) : column % P);
    return value * cos.data[at] + (isFirst ? -1 : 1) * data[k + step] * sin.data[at];
  });
  return new Tensor(to, shape);
}
