/** @import { Kind } from "./figure.js" */
/** @import { Scale } from "./axes.js" */
/** @import { LinesDrawing } from "./lines.js" */
/** @import { Rule } from "./pieces.js" */
import * as check from "../runtime/check.js";
import { shown } from "./axes.js";
import {
  apart,
  brief,
  count,
  digits,
  extent,
  matrix,
  precision,
  shortest,
  text,
  texts,
  vector,
} from "./data.js";
import { readColors } from "./key.js";
import { quantity, unit } from "./labels.js";
import { drawLines, linesString, markPoint, nearestPoint } from "./lines.js";

/**
 * Draws the columns of a matrix as lines.
 *
 * @typedef {object} WavesOptions
 * @property {unknown} [x]  the x coordinates of the rows: T increasing numbers. Default: 0, 1, ...
 * @property {readonly string[]} [labels]  the name of each line. Default: "line 0", ...
 * @property {string} [xTitle]  the title of the x axis, with its unit: "position (tokens)". Default: "position"
 * @property {string} [yTitle]  the title of the y axis, with its unit. Default: "value"
 * @property {readonly string[]} [colors]  a color of CSS for each line. Default: colors that all readers can tell apart
 * @property {Scale} [xScale]  the scale of the x axis. Default: "linear"
 * @property {Scale} [yScale]  the scale of the y axis. With "log", numbers <= 0 are gaps. Default: "linear"
 * @property {readonly Rule[]} [rules]  horizontal rules at y or vertical rules at x, with labels. Default: none
 * @property {boolean} [points]  draws a point at each number. Default: false
 * @property {number} [offset]  how far each line is drawn above the one before, in units of y, instead of on a common y
 *   axis. The numbers stay as they are. Default: 0
 * @property {readonly [number, number]} [yDomain]  the domain of the y axis. Default: the range of
 *   the numbers
 *
 * @typedef {{x: number, line: number, y: number}} WavesValue
 *
 * @typedef {object} Model
 * @property {readonly number[]} x
 * @property {Float64Array[]} lines
 * @property {string[]} labels
 * @property {boolean} named
 * @property {string[] | undefined} colors
 * @property {Rule[]} rules
 * @property {string} xTitle
 * @property {string} yTitle
 * @property {Scale} xScale
 * @property {Scale} yScale
 * @property {boolean} points
 * @property {number} offset
 * @property {readonly [number, number]} [yDomain]
 * @property {ReturnType<typeof extent>} range  of what is drawn
 */

const SCALES = /** @type {const} */ (["linear", "log"]);

/** @type {Kind<unknown, WavesOptions, Model, WavesValue, LinesDrawing>} */
export const waves = {
  name: "waves",
  role: "line chart",
  needsPlot: true,
  options: {
    x: undefined,
    labels: undefined,
    colors: undefined,
    xTitle: "position",
    yTitle: "value",
    xScale: "linear",
    yScale: "linear",
    rules: undefined,
    points: false,
    offset: 0,
    yDomain: undefined,
  },
  style: "",

  read(data, options) {
    const { values, rows, columns, single } = matrix(data);
    const xScale = check.oneOf(options.xScale, "xScale", SCALES);
    const yScale = check.oneOf(options.yScale, "yScale", SCALES);
    const labels = texts(options.labels, "labels", columns);
    const rules = readRules(options.rules, xScale, yScale);
    const absolute = [
      ...(options.yDomain === undefined ? [] : ["yDomain"]),
      ...(yScale === "log" ? ["a log axis"] : []),
      ...(rules.some(({ y }) => y !== undefined) ? ["a rule at y"] : []),
    ];
    const lines = Array.from({ length: columns }, (_, c) =>
      Float64Array.from({ length: rows }, (_, r) => shortest(values[r * columns + c], single)),
    );
    return {
      x: readX(options.x, rows, xScale),
      lines,
      range: extent(lines.flatMap((y) => Array.from(y, (x) => (shown(x, yScale) ? x : NaN)))),
      labels: labels ?? Array.from({ length: columns }, (_, c) => `line ${c}`),
      named: labels !== undefined,
      colors: readColors(options.colors, columns),
      rules,
      xTitle: text(options.xTitle, "xTitle"),
      yTitle: text(options.yTitle, "yTitle"),
      xScale,
      yScale,
      points: check.boolean(options.points, "points") || rows === 1,
      offset: readOffset(options.offset, absolute[0]),
      yDomain: readDomain(options.yDomain, yScale),
    };
  },

  describe({ x, lines, xTitle, yTitle, range: { least, most, missing } }) {
    const what = `${count(lines.length, "line")} over ${quantity(xTitle)}, ${count(x.length, "point")} each`;
    if (least > most) return `${what}, without numbers.`;
    const gaps = missing > 0 ? `; ${count(missing, "gap")}` : "";
    return `${what}: ${quantity(yTitle)} from ${apart(least, most).join(" to ")}${gaps}.`;
  },

  table({ x, lines, labels, xTitle }) {
    return {
      header: [xTitle, ...labels],
      rows: x.length,
      cell: (row, column) => (column === 0 ? x : lines[column - 1])[row],
    };
  },

  draw(model, surface) {
    return drawLines(scene(model), surface);
  },

  svg(model, surface) {
    return linesString(scene(model), surface);
  },

  at(drawing, { x, lines }, left, top) {
    const point = nearestPoint(drawing, left, top);
    return point && { x: x[point.index], line: point.line, y: lines[point.line][point.index] };
  },

  find({ x, lines }, { x: wanted, line = 0 }) {
    const y = lines[line]?.[x.indexOf(wanted)];
    return y === undefined ? null : { x: wanted, line, y };
  },

  move({ x, lines }, from, { rows, columns }) {
    if (x.length === 0 || lines.length === 0) return null;
    const index = from ? clamped(nearestIndex(x, from.x) + columns, x.length) : 0;
    const line = from ? clamped((from.line ?? 0) + rows, lines.length) : 0;
    return { x: x[index], line, y: lines[line][index] };
  },

  say({ labels, lines, xTitle, yTitle }, { x, line, y }) {
    const where = `${quantity(xTitle)} ${digits(x)}`;
    const which = lines.length > 1 ? `, ${labels[line]}` : "";
    return `${where}${which}: ${digits(y)}${unit(yTitle)}`;
  },

  mark(drawing, { x, range: { least, most } }, value) {
    const point = value && { index: x.indexOf(value.x), line: value.line };
    markPoint(drawing, point, value ? brief(value.y, precision([least, most])) : "");
  },
};

/** @param {Model} model @returns {import("./lines.js").Scene} */
function scene({ lines, labels, named, points, ...rest }) {
  const shown = named || lines.length > 1;
  const full = points ? () => true : undefined;
  return { ...rest, lines: lines.map((y, i) => ({ y, label: shown ? labels[i] : "", full })) };
}

/** @param {unknown} x @param {number} length @param {Scale} scale */
function readX(x, length, scale) {
  const { values, single } = vector(x ?? Array.from({ length }, (_, i) => i), "x", length);
  const numbers = Array.from(values, (value) => shortest(value, single));
  numbers.forEach((value, i) => {
    check.finite(value, `x[${i}]`);
    above(value, `x[${i}]`, scale);
    if (i > 0 && value <= numbers[i - 1]) {
      throw new RangeError(`x must increase; got ${value} after ${numbers[i - 1]} at ${i}`);
    }
  });
  return numbers;
}

/** @param {number} value @param {string} name @param {Scale} scale */
function above(value, name, scale) {
  if (scale === "log") check.finite(value, name, "a number > 0 on a log axis", (x) => x > 0);
}

/** @param {unknown} rules @param {Scale} xScale @param {Scale} yScale @returns {Rule[]} */
function readRules(rules, xScale, yScale) {
  if (rules === undefined) return [];
  if (!Array.isArray(rules)) {
    throw new TypeError(`rules must be an array; got ${check.describe(rules)}`);
  }
  return rules.map((rule, i) => {
    const at = `rules[${i}]`;
    const { x, y, label } = check.options(rule, { x: undefined, y: undefined, label: "" }, at);
    if ((x === undefined) === (y === undefined)) {
      throw new TypeError(`${at} must have either x or y; got ${check.describe(rule)}`);
    }
    if (x !== undefined) above(check.finite(x, `${at}.x`), `${at}.x`, xScale);
    if (y !== undefined) above(check.finite(y, `${at}.y`), `${at}.y`, yScale);
    return { x, y, label: text(label, `${at}.label`) };
  });
}

/** @param {unknown} ends @param {Scale} scale @returns {[number, number] | undefined} */
function readDomain(ends, scale) {
  if (ends === undefined) return undefined;
  const { values } = vector(ends, "yDomain", 2);
  const [least, most] = [values[0], values[1]].map((value) => check.finite(value, "yDomain"));
  above(least, "yDomain", scale);
  if (least >= most) throw new RangeError(`yDomain must increase; got [${least}, ${most}]`);
  return [least, most];
}

/** @param {unknown} offset @param {string} [other]  what is given and needs a common axis */
function readOffset(offset, other) {
  const given = check.finite(offset, "offset", "a number >= 0", (x) => x >= 0);
  if (given === 0 || other === undefined) return given;
  throw new RangeError(`offset must be 0 with ${other}; got ${check.describe(offset)}`);
}

/** @param {number} index @param {number} count */
const clamped = (index, count) => Math.min(count - 1, Math.max(0, index));

/** @param {readonly number[]} x @param {number} wanted */
function nearestIndex(x, wanted) {
  let found = 0;
  x.forEach((value, i) => {
    if (Math.abs(value - wanted) < Math.abs(x[found] - wanted)) found = i;
  });
  return found;
}
