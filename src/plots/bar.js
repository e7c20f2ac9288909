/** @import { TensorInput } from "../runtime/tensor.js" */
/** @import { Kind, Surface } from "./figure.js" */
/** @import { Box } from "./pieces.js" */
import * as check from "../runtime/check.js";
import { domain, held, placed, ticks, ticksAcross, tickText } from "./axes.js";
import {
  apart,
  brief,
  count,
  digits,
  extent,
  largest,
  precision,
  shortest,
  text,
  texts,
  vector,
} from "./data.js";
import { category, drawKey, keyOf, readColors } from "./key.js";
import { advance, fitted, LINE, quantity, unit } from "./labels.js";
import { axisTitle, inks, labeled, piece, pointer, ruled, set } from "./pieces.js";
import { plotted } from "./plot.js";
import { serialized, standalone } from "./svg.js";

/**
 * Draws a vector as bars from zero.
 *
 * @typedef {object} BarOptions
 * @property {readonly string[]} [labels]  the name of each bar. Default: 0, 1, ...
 * @property {readonly (string | number)[]} [groups]  the group of each bar. Each group has
 *   a color and an outline
 * @property {readonly string[]} [colors]  a color of CSS for each group, or one where there are no groups
 * @property {number | {value: number, label?: string}} [rule]  a line at a value
 * @property {string} [xTitle]  the title of the axis of bars
 * @property {string} [yTitle]  the title of the value axis, with its unit. Default: "value"
 * @property {boolean} [horizontal]  draws horizontal bars with names on the left. Default: false
 *
 * @typedef {object} BarValue
 * @property {number} index
 * @property {number} value
 *
 * @typedef {object} Model
 * @property {number[]} values
 * @property {string[]} labels
 * @property {boolean} named
 * @property {string[] | undefined} groups
 * @property {string[]} kinds  the different groups, in the order of the bars
 * @property {string[] | undefined} colors
 * @property {{value: number, label: string} | undefined} rule
 * @property {string} xTitle
 * @property {string} yTitle
 * @property {boolean} horizontal
 * @property {ReturnType<typeof extent>} range
 *
 * @typedef {object} Drawn
 * @property {SVGSVGElement} element
 * @property {number} height
 * @property {Box} box
 * @property {boolean} horizontal
 * @property {(value: number) => number} along  px of a value
 * @property {(index: number) => number} across  px where a bar's band starts
 * @property {number} band  px
 * @property {Element} shape  around the marked bar
 * @property {Element} group
 * @property {Element} label
 */

/** px: the step between horizontal bars, the least at which each has its name, the maximum width of a bar, and that of a name below a bar. */
const ROW = 22;
const LEAST = 13;
const WIDEST = 56;
const LONGEST = 110;

/** @type {Kind<TensorInput, BarOptions, Model, BarValue, Drawn>} */
export const bar = {
  name: "bar",
  role: "bar chart",
  needsPlot: true,
  options: {
    labels: undefined,
    groups: undefined,
    colors: undefined,
    rule: undefined,
    xTitle: "",
    yTitle: "value",
    horizontal: false,
  },
  style: "",

  read(data, { labels, groups, colors, rule, xTitle, yTitle, horizontal }) {
    const { values, single } = vector(data, "values");
    const names = texts(labels, "labels", values.length);
    const each = texts(groups, "groups", values.length);
    const numbers = Array.from(values, (value) => shortest(value, single));
    const kinds = [...new Set(each)];
    return {
      values: numbers,
      range: extent(numbers),
      labels: names ?? Array.from(values, (_, i) => String(i)),
      named: names !== undefined,
      groups: each,
      kinds,
      colors: readColors(colors, Math.max(1, kinds.length)),
      rule: readRule(rule),
      xTitle: text(xTitle, "xTitle"),
      yTitle: text(yTitle, "yTitle"),
      horizontal: check.boolean(horizontal, "horizontal"),
    };
  },

  describe({ values, labels, kinds, yTitle, range }) {
    const { least, most, missing } = range;
    const groups = kinds.length > 1 ? ` in ${kinds.length} groups` : "";
    const what = `${count(values.length, "bar")}${groups}`;
    if (least > most) return `${what}, without numbers.`;
    const at = (/** @type {number} */ value) => labels[values.indexOf(value)];
    const gaps = missing > 0 ? `; ${missing} without a number` : "";
    const [from, to] = apart(least, most);
    return `${what}: ${quantity(yTitle)} from ${from} (${at(least)}) to ${to} (${at(most)})${gaps}.`;
  },

  table({ values, labels, groups, xTitle, yTitle }) {
    const columns = [labels, ...(groups ? [groups] : []), values];
    return {
      header: [xTitle || "bar", ...(groups ? ["group"] : []), yTitle],
      rows: values.length,
      cell: (row, column) => columns[column][row],
    };
  },

  draw(model, surface) {
    return drawn(model, surface);
  },

  svg(model, surface) {
    const { element, height } = drawn(model, surface);
    return standalone(surface, height, serialized(element));
  },

  at({ horizontal, across, band }, { values }, x, y) {
    const place = horizontal ? y : x;
    if (values.length === 0) return null;
    const distances = values.map((_, index) => Math.abs(across(index) + band / 2 - place));
    const index = distances.indexOf(-largest(distances.map((x) => -x)));
    return { index, value: values[index] };
  },

  find({ values }, { index }) {
    const value = values[index];
    return value === undefined ? null : { index, value };
  },

  move({ values }, from, { rows, columns }) {
    if (values.length === 0) return null;
    const to = from ? from.index + columns + rows : 0;
    const index = Math.min(values.length - 1, Math.max(0, to));
    return { index, value: values[index] };
  },

  say({ labels, named, groups, xTitle, yTitle }, { index, value }) {
    const group = groups ? ` (${groups[index]})` : "";
    const name = named || xTitle === "" ? labels[index] : `${quantity(xTitle)} ${labels[index]}`;
    return `${name}${group}: ${digits(value)}${unit(yTitle)}`;
  },

  mark({ box, horizontal, along, across, band, shape, group, label }, { range }, value) {
    group.setAttribute("visibility", value ? "visible" : "hidden");
    if (!value) return;
    const zero = along(0);
    const end = Number.isFinite(value.value) ? along(value.value) : zero;
    const [from, long] = [Math.min(zero, end), Math.abs(end - zero)];
    const [begin, wide] = [across(value.index) - 1, band + 2];
    const outward = horizontal ? end >= zero : end <= zero;
    if (horizontal) {
      set(shape, { x: from, y: begin, width: long, height: wide });
      const x = end + (outward ? 6 : -6);
      set(label, { x, y: begin + wide / 2, "text-anchor": outward ? "start" : "end" });
    } else {
      set(shape, { x: begin, y: from, width: wide, height: long });
      const x = Math.min(box.right - 12, Math.max(box.left + 12, begin + wide / 2));
      set(label, { x, y: end + (outward ? -9 : 10), "text-anchor": "middle" });
    }
    label.textContent = brief(value.value, precision([range.least, range.most]));
  },
};

/** @param {unknown} rule */
function readRule(rule) {
  if (rule === undefined) return undefined;
  const given = typeof rule === "number" ? { value: rule } : rule;
  const { value, label } = check.options(given, { value: undefined, label: undefined }, "rule");
  const at = check.finite(value, "rule");
  return { value: at, label: text(label ?? brief(at), "rule.label") };
}

/**
 * Computes the part of the layout that does not depend on Plot.
 * @param {Model} model @param {Surface} surface
 */
function arranged({ values, labels, named, kinds, rule, xTitle, horizontal }, surface) {
  const { width } = surface;
  const n = Math.max(1, values.length);
  const names = labels.map((label) => fitted(label, horizontal ? width * 0.35 : LONGEST));
  const key = keyOf(kinds.length > 1 ? kinds.map((kind) => fitted(kind, 200)) : [], width);
  const tall = horizontal ? 74 + n * ROW : Math.round(Math.min(320, Math.max(200, width * 0.4)));
  const height = surface.height ?? tall + key.height;

  const ends = airy(domain([0, ...values, ...(rule ? [rule.value] : [])], "linear"));
  const format = tickText(ends, "linear");
  const steps = horizontal
    ? ticksAcross(ends, width, 90, "linear")
    : ticks(ends, height / 50, "linear");
  const beside = horizontal ? names : steps.map(format);
  const left = largest(beside.map(advance), 18) + 12;
  const right = width - 14;
  const below = horizontal ? ALL : namesBelow(names, named, (right - left) / n);
  const bottom = horizontal ? 44 : 28 + (xTitle === "" ? 0 : LINE) + below.depth;
  const start = Math.max(left, below.overhang);
  const rules = rule ? [{ [horizontal ? "x" : "y"]: rule.value, label: rule.label }] : [];
  const above = labeled(rules, placed(ends, "linear", [start, right]), right);
  const top = 30 + key.height + above.height;
  const box = { left: start, right, top, bottom: height - bottom };
  const step = (horizontal ? box.bottom - box.top : box.right - box.left) / n;
  const padding = n > 100 ? 0 : Math.max(0.2, 1 - WIDEST / step);
  const wanted = horizontal && step < LEAST ? (n * step) / LINE : below.wanted;
  return { names, key, height, ends, format, steps, below, wanted, rules, above, box, padding };
}

/** All names, not rotated. */
const ALL = { wanted: Infinity, turned: false, depth: 0, overhang: 0 };

/**
 * Lays out the names below the bars. They are horizontal if they fit, rotated if a bar is at least as
 * wide as the height of a line of text; otherwise only some are shown.
 * @param {string[]} names @param {boolean} named  not by number @param {number} band  px from bar to bar
 */
function namesBelow(names, named, band) {
  const widest = largest(names.map(advance), 0);
  if (widest + 8 <= band) return ALL;
  if (!named || band < LINE) return { ...ALL, wanted: (names.length * band) / (widest + 24) };
  // Rotated by 40 degrees: the sine is 0.64, the cosine 0.77.
  return { ...ALL, turned: true, depth: widest * 0.64, overhang: advance(names[0]) * 0.77 };
}

/** @param {Model} model @param {Surface} surface @returns {Drawn} */
function drawn(model, surface) {
  const { values, kinds, colors, xTitle, yTitle, horizontal } = model;
  const { Plot } = surface;
  const { ink, quiet, line } = inks(surface);
  const layout = arranged(model, surface);
  const { names, key, height, ends, format, steps, below, wanted, rules, above, box, padding } =
    layout;
  const styles = (kinds.length > 0 ? kinds : [""]).map((_, i) =>
    category(i, kinds.length || 1, surface, colors),
  );
  const indices = values.map((_, i) => i);
  const some = ticks([0, Math.max(1, values.length - 1)], wanted, "linear").filter((i) => names[i]);

  const [value, each] = horizontal ? ["x", "y"] : ["y", "x"];
  const { grid, zero, valueAxis, nameAxis } = horizontal
    ? { grid: Plot.gridX, zero: Plot.ruleX, valueAxis: Plot.axisX, nameAxis: Plot.axisY }
    : { grid: Plot.gridY, zero: Plot.ruleY, valueAxis: Plot.axisY, nameAxis: Plot.axisX };
  const { svg, left, top } = plotted(surface, height, box, {
    [value]: { type: "linear", domain: ends },
    [each]: { type: "band", domain: indices, padding },
    marks: [
      grid(steps, { stroke: line, strokeOpacity: 1 }),
      bars(model, styles, surface),
      valueAxis(steps, {
        tickFormat: format,
        tickSize: horizontal ? 4 : 0,
        label: horizontal ? yTitle : null,
      }),
      nameAxis(wanted === Infinity ? indices : some, {
        tickFormat: (/** @type {number} */ i) => names[i],
        tickSize: 0,
        tickRotate: below.turned ? -40 : 0,
        label: horizontal ? null : xTitle || null,
        ...(horizontal ? {} : { labelAnchor: "right" }),
      }),
      zero([0], { stroke: quiet }),
    ],
  });
  const shape = piece(surface, "rect", { fill: "none", stroke: ink, "stroke-width": 1.5 });
  const marked = pointer(surface, shape);
  svg.append(
    ...ruled(rules, above, box, top, surface),
    ...drawKey(key, styles, surface),
    axisTitle(surface, horizontal ? xTitle : `↑ ${yTitle}`, key.height),
    marked.group,
  );
  const [along, across] = horizontal ? [left, top] : [top, left];
  const band = svg.scale(each).bandwidth ?? 0;
  return { element: svg, height, box, horizontal, along, across, band, shape, ...marked };
}

/**
 * Draws the bars. If there are several groups, each has a pale fill and an outline.
 * @param {Model} model @param {ReturnType<typeof category>[]} styles @param {Surface} surface
 */
function bars({ values, groups, kinds, horizontal }, styles, surface) {
  const { Plot } = surface;
  const draw = (/** @type {number[]} */ lengths, /** @type {object} */ look) => {
    const of = lengths.map((value) => (Number.isFinite(value) ? value : NaN));
    const data = { length: of.length };
    const places = of.map((_, i) => i);
    return horizontal
      ? Plot.barX(data, { x1: 0, x2: of, y: places, ...look })
      : Plot.barY(data, { y1: 0, y2: of, x: places, ...look });
  };
  if (kinds.length < 2) return [draw(values, { fill: styles[0].stroke })];
  return kinds.map((kind, i) => {
    const of = values.map((value, index) => (groups?.[index] === kind ? value : NaN));
    return draw(of, { fill: styles[i].stroke, fillOpacity: 0.3, strokeWidth: 1.5, ...styles[i] });
  });
}

/** Pads the ends of a range, except at zero. @param {readonly [number, number]} ends @returns {[number, number]} */
function airy([least, most]) {
  const air = (most - least) * 0.08;
  return [least < 0 ? held(least - air) : least, most > 0 ? held(most + air) : most];
}
