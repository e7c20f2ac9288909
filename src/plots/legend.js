/** @import { ScaleName } from "./colors.js" */
/** @import { Surface } from "./figure.js" */
import { describe, finite, oneOf } from "../runtime/check.js";
import { LEVELS, MISSING, SCALES } from "./colors.js";
import { apart, count, extent, largest, reach } from "./data.js";
import { maker } from "./dom.js";
import { cellsUrl, fill } from "./raster.js";
import { escaped, px, tag } from "./svg.js";

/**
 * The colors of a figure and the values that they represent.
 *
 * @typedef {object} Range
 * @property {ScaleName} colors
 * @property {number} low
 * @property {number} high
 * @property {number} least  of the finite values; Infinity if there are none
 * @property {number} most
 * @property {number} missing  the number of values that are not finite
 */

/**
 * Computes a common range for several pictures.
 * @param {ArrayLike<number>[]} parts  the values of each
 * @param {Record<string, any>} options  with `colors` and `domain`
 * @returns {Range}
 */
export function readRange(parts, options) {
  const colors = oneOf(options.colors, "colors", SCALES);
  const found = parts.map(extent);
  const ends = {
    least: 0 - largest(found.map(({ least }) => -least)),
    most: largest(found.map(({ most }) => most)),
    missing: found.reduce((sum, { missing }) => sum + missing, 0),
  };
  if (options.domain !== undefined) return { colors, ...readDomain(options.domain), ...ends };
  if (colors === "diverging") {
    const limit = largest(
      parts.map((values, i) => reach(values, found[i])),
      0,
    );
    return { colors, low: 0 - limit, high: limit, ...ends };
  }
  const [low, high] = ends.least <= ends.most ? [ends.least, ends.most] : [0, 0];
  return { colors, low, high, ...ends };
}

/** @param {unknown} domain */
function readDomain(domain) {
  if (!Array.isArray(domain) || domain.length !== 2) {
    throw new TypeError(`domain must be [low, high]; got ${describe(domain)}`);
  }
  const [low, high] = domain.map((end, i) => finite(end, `domain[${i}]`));
  if (low > high) throw new RangeError(`domain must rise; got [${low}, ${high}]`);
  return { low, high };
}

/** Describes the range of values. @param {Range} range @param {string} unit */
export function between({ least, most, missing }, unit) {
  const none = missing > 0 ? `, ${count(missing, "value")} not finite` : "";
  if (least > most) return `no values${none}`;
  return `values from ${apart(least, most).join(" to ")}${unit && ` ${unit}`}${none}`;
}

/**
 * Creates the color bar with the values at its ends.
 * @param {Document} document
 */
export function legend(document) {
  const make = maker(document);
  const ramp = make("canvas");
  const least = make("span");
  const most = make("span");
  const gap = make("canvas", { class: "phasor-gap" });
  const none = make("span", {}, gap, "no number");
  const element = make(
    "div",
    { class: "phasor-legend" },
    none,
    make("span", {}, least, ramp, most),
  );
  return {
    element,
    /** @param {Range} range @param {string} unit @param {Surface} surface */
    show(range, unit, { colors }) {
      const pixels = new Uint32Array(colors[range.colors].buffer);
      fill(ramp, pixels.length - 1, 1, (all) => all.set(pixels.subarray(0, -1)));
      fill(gap, 1, 1, (all) => all.set(pixels.subarray(-1)));
      none.hidden = range.missing === 0;
      [least.textContent, most.textContent] = ends(range, unit);
      element.classList.toggle("phasor-empty", range.least > range.most && range.missing === 0);
    },
  };
}

/** The width of a digit, px; that of the widest fonts, since the labels have many where they hardly differ. */
const WIDE = 7.7;

/** The labels at the ends of the color bar. @param {Range} range @param {string} unit */
function ends({ low, high, least, most }, unit) {
  const suffix = unit && ` ${unit}`;
  const [from, to] = apart(low, high);
  return [`${least < low ? "≤ " : ""}${from}${suffix}`, `${most > high ? "≥ " : ""}${to}${suffix}`];
}

/**
 * Returns the legend as markup, aligned to the right.
 * @param {Range} range @param {string} unit @param {Surface} surface @param {number} y
 */
export function legendSvg(range, unit, surface, y) {
  const [least, most] = ends(range, unit);
  const values = Float64Array.from({ length: LEVELS }, (_, i) => i);
  const colors = range.colors;
  const ramp = cellsUrl(
    { values, rows: 1, columns: LEVELS, low: 0, high: LEVELS - 1, colors },
    surface,
  );
  const { paper, quiet, [colors]: table } = surface.colors;
  const right = surface.width - 8;
  const length = Math.max(16, Math.min(96, right - 24 - (least.length + most.length) * WIDE));
  const end = right - most.length * WIDE - 8;
  const start = end - length - 8 - least.length * WIDE;
  const missing = table.subarray(MISSING * 4, MISSING * 4 + 3).join(", ");
  const box = { y, height: 10, stroke: paper };
  return tag(
    "g",
    { fill: quiet },
    tag("text", { x: right, y: y + 10, "text-anchor": "end" }, escaped(most)),
    tag("image", {
      x: px(end - length),
      y,
      width: px(length),
      height: 10,
      href: ramp,
      preserveAspectRatio: "none",
    }),
    tag("text", { x: px(end - length - 8), y: y + 10, "text-anchor": "end" }, escaped(least)),
    range.missing === 0
      ? ""
      : tag("rect", { ...box, x: px(start - 90), width: 10, fill: `rgb(${missing})` }) +
          tag("text", { x: px(start - 76), y: y + 10 }, "no number"),
  );
}

export const legendStyle = `
.phasor-figure .phasor-legend {
  display: flex;
  flex-wrap: wrap;
  gap: 0.25rem 1rem;
  justify-content: end;
  justify-self: end;
}
.phasor-figure .phasor-legend > span { display: flex; gap: 0.5rem; align-items: center; }
.phasor-figure .phasor-empty { visibility: hidden; }
.phasor-figure .phasor-legend canvas { width: 6rem; height: 0.6rem; }
.phasor-figure .phasor-legend .phasor-gap { width: 0.9rem; height: 0.9rem; }
`;
