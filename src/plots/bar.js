/** @import { Kind, Surface } from "./figure.js" */
/** @import { Box } from "./pieces.js" */
import * as check from "../api/check.js";
import { domain, ticks, tickText } from "./axes.js";
import { brief, count, digits, extent, shortest, text, texts, vector } from "./data.js";
import { category, drawKey, keyOf } from "./key.js";
import { advance, fitted, LINE, quantity, unit } from "./labels.js";
import { inks, piece, pointer, ruled, set } from "./pieces.js";
import { plotted } from "./plot.js";
import { serialised, standalone } from "./svg.js";

/**
 * A vector as bars from zero.
 *
 * @typedef {object} BarOptions
 * @property {readonly string[]} [labels]  a name for each bar; 0, 1, ... by default
 * @property {readonly (string | number)[]} [groups]  the group of each bar: one colour and outline a
 *   group
 * @property {number | {value: number, label?: string}} [rule]  a line at a value
 * @property {string} [xTitle]  what a bar is of
 * @property {string} [yTitle]  what the values are, with their unit
 * @property {boolean} [horizontal]  bars from left to right, names at their left
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
 * @property {{value: number, label: string} | undefined} rule
 * @property {string} xTitle
 * @property {string} yTitle
 * @property {boolean} horizontal
 *
 * @typedef {object} Drawn
 * @property {SVGSVGElement} element
 * @property {number} height
 * @property {Box} box
 * @property {boolean} horizontal
 * @property {(value: number) => number} along  px of a value
 * @property {(index: number) => number} across  px where a bar's band begins
 * @property {number} band  px
 * @property {ReturnType<typeof pointer>} pointer
 */

/** Room of a horizontal bar, px. */
const ROW = 22;

/** @type {Kind<unknown, BarOptions, Model, BarValue, Drawn>} */
export const bar = {
  name: "bar",
  role: "bar chart",
  needsPlot: true,
  options: {
    labels: undefined,
    groups: undefined,
    rule: undefined,
    xTitle: "",
    yTitle: "value",
    horizontal: false,
  },
  style: "",

  read(data, { labels, groups, rule, xTitle, yTitle, horizontal }) {
    const { values, single } = vector(data, "values");
    const names = texts(labels, "labels", values.length);
    const each = texts(groups, "groups", values.length);
    return {
      values: Array.from(values, (value) => shortest(value, single)),
      labels: names ?? Array.from(values, (_, i) => String(i)),
      named: names !== undefined,
      groups: each,
      kinds: [...new Set(each)],
      rule: readRule(rule),
      xTitle: text(xTitle, "xTitle"),
      yTitle: text(yTitle, "yTitle"),
      horizontal: check.boolean(horizontal, "horizontal"),
    };
  },

  describe({ values, labels, kinds, yTitle }) {
    const { least, most, missing } = extent(values);
    const groups = kinds.length > 1 ? ` in ${kinds.length} groups` : "";
    const what = `${count(values.length, "bar")}${groups}`;
    if (least > most) return `${what}, without numbers.`;
    const at = (/** @type {number} */ value) => labels[values.indexOf(value)];
    const gaps = missing > 0 ? `; ${missing} without a number` : "";
    return (
      `${what}: ${quantity(yTitle)} from ${brief(least)} (${at(least)}) ` +
      `to ${brief(most)} (${at(most)})${gaps}.`
    );
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
    return standalone(surface, height, serialised(element));
  },

  at({ horizontal, across, band }, { values }, x, y) {
    const place = horizontal ? y : x;
    if (values.length === 0) return null;
    const distances = values.map((_, index) => Math.abs(across(index) + band / 2 - place));
    const index = distances.indexOf(Math.min(...distances));
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

  say({ labels, groups, xTitle, yTitle }, { index, value }) {
    const group = groups ? ` (${groups[index]})` : "";
    const name = xTitle === "" ? labels[index] : `${quantity(xTitle)} ${labels[index]}`;
    return `${name}${group}: ${digits(value)}${unit(yTitle)}`;
  },

  mark({ box, horizontal, along, across, band, pointer }, _, value) {
    const { group, shape, label } = pointer;
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
    label.textContent = brief(value.value);
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
 * Where the names of the bars stand: flat where they fit, turned where a bar is as wide as a line of
 * text is high, else only some of them.
 * @param {Model} model @param {number} band  px from bar to bar
 */
function namesBelow({ labels, named }, band) {
  const widest = Math.max(0, ...labels.map(advance));
  const all = labels.map((_, i) => i);
  if (widest + 8 <= band) return { shown: all, turned: false, room: 0 };
  if (named && band >= LINE) {
    return { shown: all, turned: true, room: Math.min(110, widest) * 0.7 };
  }
  const every = Math.ceil((Math.min(widest, 110) + 8) / band);
  return { shown: all.filter((i) => i % every === 0), turned: false, room: 0 };
}

/** @param {Model} model @param {Surface} surface @returns {Drawn} */
function drawn(model, surface) {
  const { values, labels, groups, kinds, rule, xTitle, yTitle, horizontal } = model;
  const { width, Plot } = surface;
  const colours = inks(surface);
  const finite = values.map((value) => (Number.isFinite(value) ? value : NaN));
  const ends = airy(domain([0, ...finite, ...(rule ? [rule.value] : [])], "linear"));
  const format = tickText(ends, "linear");
  const names = kinds.map((kind) => fitted(kind, 200));
  const key = keyOf(kinds.length > 1 ? names : [], width);
  const styles = kinds.map((_, i) => category(i, kinds.length, surface));
  const indices = values.map((_, i) => i);
  const name = (/** @type {number} */ i) => fitted(labels[i], horizontal ? width * 0.35 : 110);

  const tall = Math.round(Math.min(320, Math.max(200, width * 0.4)));
  const height =
    surface.height ?? (horizontal ? key.height + 74 + Math.max(1, values.length) * ROW : tall);
  const valueTicks = ticks(ends, horizontal ? width / 90 : height / 50, "linear");
  const beside = horizontal ? indices.map(name) : valueTicks.map(format);
  const left = Math.max(30, ...beside.map(advance).map((room) => room + 12));
  const below = namesBelow(model, (width - left - 14) / Math.max(1, values.length));
  const box = {
    left,
    right: width - 14,
    top: 30 + key.height,
    bottom: height - (horizontal ? 44 : 28 + (xTitle ? 16 : 0) + below.room),
  };

  const [value, each] = horizontal ? ["x", "y"] : ["y", "x"];
  const band = { type: "band", domain: indices, padding: values.length > 100 ? 0 : 0.2 };
  const grid = { stroke: colours.line, strokeOpacity: 1 };
  const bars = (/** @type {number[]} */ values, /** @type {object} */ look) =>
    (horizontal ? Plot.barX : Plot.barY)(
      { length: values.length },
      { [value]: values, [each]: indices, ...look },
    );
  const plain = { fill: colours.accent };
  const grouped = kinds.map((kind, i) => {
    const of = finite.map((value, index) => (groups?.[index] === kind ? value : NaN));
    return bars(of, { fill: styles[i].stroke, fillOpacity: 0.3, strokeWidth: 1.5, ...styles[i] });
  });
  const { svg, ...scales } = plotted(surface, height, box, {
    [value]: { type: "linear", domain: ends },
    [each]: band,
    marks: [
      horizontal ? Plot.gridX(valueTicks, grid) : Plot.gridY(valueTicks, grid),
      ...(kinds.length > 1 ? grouped : [bars(finite, plain)]),
      horizontal
        ? Plot.axisX(valueTicks, { tickFormat: format, tickSize: 4, label: yTitle })
        : Plot.axisY(valueTicks, { tickFormat: format, tickSize: 0, label: yTitle }),
      horizontal
        ? Plot.axisY(indices, { tickFormat: name, tickSize: 0, label: xTitle || null })
        : Plot.axisX(below.shown, {
            tickFormat: name,
            tickSize: 0,
            tickRotate: below.turned ? -40 : 0,
            label: xTitle || null,
          }),
      horizontal
        ? Plot.ruleX([0], { stroke: colours.quiet })
        : Plot.ruleY([0], { stroke: colours.quiet }),
    ],
  });
  const marked = pointer(
    surface,
    piece(surface, "g", {}),
    piece(surface, "rect", { fill: "none", stroke: colours.ink, "stroke-width": 1.5 }),
  );
  const rules = rule ? [{ [value]: rule.value, label: rule.label }] : [];
  svg.append(
    ...ruled(rules, box, scales.left, scales.top, surface),
    ...drawKey(key, styles, surface),
    marked.group,
  );
  return {
    element: svg,
    height,
    box,
    horizontal,
    along: horizontal ? scales.left : scales.top,
    across: horizontal ? scales.top : scales.left,
    band: svg.scale(each).bandwidth ?? 0,
    pointer: marked,
  };
}

/** Ends with some air beyond, but none at zero. @param {readonly [number, number]} ends @returns {[number, number]} */
function airy([least, most]) {
  const air = (most - least) * 0.08;
  return [least < 0 ? least - air : least, most > 0 ? most + air : most];
}
