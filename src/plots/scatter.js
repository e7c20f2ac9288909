/** @import { TensorInput } from "../runtime/tensor.js" */
/** @import { Draw, Figure, Kind, Surface, CommonOptions } from "./figure.js" */
/** @import { Chart } from "./scatter/chart.js" */
/** @import { Grid } from "./scatter/grid.js" */
/** @import { Points } from "./scatter/scene.js" */
/** @import { View } from "./scatter/view.js" */
import { describe, finite, integer } from "../runtime/check.js";
import {
  apart,
  count,
  digits,
  extent,
  isIndex,
  matrix,
  shortest,
  subject,
  text,
  texts,
} from "./data.js";
import { chart } from "./scatter/chart.js";
import { gridOf } from "./scatter/grid.js";
import { scatterPng } from "./scatter/png.js";
import { NONE } from "./scatter/scene.js";
import { scatterSvg } from "./scatter/svg.js";
import { scatterStyle } from "./scatter/style.js";
import { COUNT } from "./scatter/shapes.js";
import { layOut } from "./scatter/view.js";

/**
 * How points are drawn.
 * @typedef {object} ScatterOptions
 * @property {readonly string[]} [labels]  N labels. If two would overlap, the first is shown
 * @property {ArrayLike<string | number | null>} [groups]  N: the name or number of each point's
 *   group, or null for no group. At most 8 groups. Numbers are sorted; names are in the order of their
 *   first points
 * @property {readonly number[]} [highlight]  the indices of points whose labels have priority. Default: none
 * @property {readonly (readonly [number, number])[]} [arrows]  pairs of indices: an arrow leads from the first
 *   point to the second. Default: none
 * @property {string} [xTitle]  the title of the x axis, with its unit. Default: "x"
 * @property {string} [yTitle]  the title of the y axis, with its unit. Default: "y"
 * @property {number} [scale]  with as: "png": pixels per px. Default: 1
 *
 * @typedef {{index: number}} Point
 */

/**
 * The element of a scatter plot. It dispatches "input" when the marked point changes, "change" when a
 * point is chosen (click, tap, Enter) and "view" when the reader pans or zooms.
 *
 * @typedef {Figure<TensorInput, ScatterOptions, Point> & {view: View}} ScatterFigure
 */

/**
 * @template {"element" | "svg"} As
 * @typedef {Draw<TensorInput, ScatterOptions, Point, As, ScatterFigure>} DrawScatter
 */

/**
 * Draws up to 50,000 labeled points on a canvas. The reader can pan, zoom and point at points.
 *
 * @type {Kind<TensorInput, ScatterOptions, Points, Point, Chart>}
 */
export const scatter = {
  name: "scatter",
  role: "scatter plot",
  needsPlot: false,
  options: {
    labels: undefined,
    groups: undefined,
    highlight: [],
    arrows: [],
    xTitle: "x",
    yTitle: "y",
  },
  style: scatterStyle,
  read,
  describe: describePoints,
  table,
  draw(points, surface, former) {
    const drawing = former ?? chart(/** @type {Document} */ (surface.document));
    drawing.show(points, surface);
    return drawing;
  },
  png: scatterPng,
  svg: (points, surface, drawing) => scatterSvg(points, surface, drawing?.view),
  drags: true,
  at(drawing, _, x, y) {
    const index = drawing.at(x, y);
    return index < 0 ? null : { index };
  },
  find: ({ N }, { index }) => (isIndex(index, N) ? { index } : null),
  move({ N, sheet }, from, { rows, columns }, drawing) {
    if (N === 0) return null;
    if (Math.abs(columns) === Infinity) return { index: columns < 0 ? 0 : N - 1 };
    const index = from?.index;
    if (!(sheet.u[index] === sheet.u[index])) return { index: 0 }; // no finite marked point
    const steps = Math.max(Math.abs(rows), Math.abs(columns));
    const found = drawing.toward(index, Math.sign(columns), Math.sign(rows), steps);
    return found < 0 ? null : { index: found };
  },
  say: sentence,
  mark: (drawing, _, value) => drawing.mark(value ? value.index : -1),
  press: (drawing, _, key) => drawing.press(key),
  properties: (drawing) => ({
    view: {
      enumerable: true,
      get: () => drawing().view,
      set: (next) => drawing().look(readView(next)),
    },
  }),
};

/** @param {unknown} data @param {Record<string, any>} options @returns {Points} */
function read(data, options) {
  const { values, rows: N, columns, single } = matrix(data, "points");
  if (columns !== 2 && N > 0) {
    throw new RangeError(`points must have the shape [points, 2]; got [${N}, ${columns}]`);
  }
  const { highlight, arrows } = /** @type {Record<string, any[]>} */ (options);
  for (const [name, given, what] of [
    ["highlight", highlight, "indices"],
    ["arrows", arrows, "pairs of indices"],
  ]) {
    if (Array.isArray(given)) continue;
    throw new TypeError(`${name} must be an array of ${what}; got ${describe(given)}`);
  }
  const { names, groups } = readGroups(options.groups, N);
  const sheet = layOut(values);
  const grid = gridOf(sheet.u, sheet.v);
  return {
    values,
    single,
    N,
    names,
    groups,
    sheet,
    mixed: names.length > 0 && groups.includes(NONE),
    title: options.title,
    labels: texts(options.labels, "labels", N),
    highlight: new Set(highlight.map((index, i) => integer(index, `highlight[${i}]`, 0, N - 1))),
    arrows: Array.from(arrows, (pair, i) => arrow(pair, `arrows[${i}]`, N)),
    xTitle: text(options.xTitle, "xTitle"),
    yTitle: text(options.yTitle, "yTitle"),
    grid,
    order: orderOf(groups, grid),
  };
}

/** @param {unknown} pair @param {string} name @param {number} N @returns {[number, number]} */
function arrow(pair, name, N) {
  if (!Array.isArray(pair) || pair.length !== 2) {
    throw new TypeError(`${name} must be a pair of indices; got ${describe(pair)}`);
  }
  const [from, to] = pair.map((index, i) => integer(index, `${name}[${i}]`, 0, N - 1));
  return [from, to];
}

/**
 * @param {any} given @param {number} N
 * @returns {{names: string[], groups: Uint8Array}}
 */
function readGroups(given, N) {
  const groups = new Uint8Array(N).fill(NONE);
  if (given === undefined) return { names: [], groups };
  if (!Array.isArray(given) && !ArrayBuffer.isView(given)) {
    throw new TypeError(`groups must be an array of names or numbers; got ${describe(given)}`);
  }
  const all = /** @type {unknown[]} */ (Array.from(/** @type {ArrayLike<unknown>} */ (given)));
  if (all.length !== N) throw new RangeError(`groups must hold ${N} groups; got ${all.length}`);
  const known = [...new Set(all)].filter((group) => group !== null);
  if (known.every((name) => typeof name === "number")) known.sort((a, b) => Number(a) - Number(b));
  const names = known.map((name) => text(name, "each of groups"));
  if (names.length > COUNT) {
    throw new RangeError(
      `groups must be at most ${COUNT}, which color and shape distinguish; got ${names.length}`,
    );
  }
  /** @type {Map<unknown, number>} */
  const index = new Map(known.map((name, group) => [name, group]));
  for (const [i, name] of all.entries()) groups[i] = index.get(name) ?? NONE;
  return { names, groups };
}

/**
 * Returns the drawing order: points without a group, then points with one. Each part is ordered by
 * grid cell, so that consecutive marks are near each other in memory. This makes 50,000 marks several
 * times as fast.
 * @param {Uint8Array} groups @param {Grid} grid
 */
function orderOf(groups, { items }) {
  const order = new Uint32Array(items.length);
  const alone = items.filter((i) => groups[i] === NONE);
  order.set(alone);
  order.set(
    items.filter((i) => groups[i] !== NONE),
    alone.length,
  );
  return order;
}

/** @param {unknown} given @returns {View | undefined} */
function readView(given) {
  if (given === null) return undefined; // all points
  if (typeof given !== "object") {
    throw new TypeError(`view must be {x, y, scale} or null; got ${describe(given)}`);
  }
  const { x, y, scale } = /** @type {Record<string, unknown>} */ (given);
  return {
    x: finite(x, "view.x"),
    y: finite(y, "view.y"),
    scale: finite(scale, "view.scale", "a finite number > 0", (number) => number > 0),
  };
}

/** @param {Points} points */
function describePoints({ title, N, values, names, groups, order, xTitle, yTitle }) {
  const reach = (/** @type {string} */ name, /** @type {0 | 1} */ column) => {
    const { least, most } = extent(Float64Array.from(order, (i) => values[2 * i + column]));
    return least > most ? `${name}: no values` : `${name} from ${apart(least, most).join(" to ")}`;
  };
  const sizes = new Uint32Array(names.length);
  for (const group of groups) if (group !== NONE) ++sizes[group];
  const list = names.map((name, group) => `${name} (${count(sizes[group], "point")})`).join(", ");
  const what = `Scatter plot${title && ` of ${title}`}: ${count(N, "point")}`;
  const missing = order.length < N ? `, ${N - order.length} not drawn` : "";
  const all = N === 0 ? "" : `, ${reach(xTitle, 0)}, ${reach(yTitle, 1)}`;
  return `${what}${missing}${all}.${list && ` Groups: ${list}.`}`;
}

/** @param {Points} points @param {Point} value */
function sentence(points, { index }) {
  const { values, single, labels, names, groups, xTitle, yTitle } = points;
  const [x, y] = [0, 1].map((column) => digits(values[2 * index + column], single));
  const group = groups[index] === NONE ? "" : ` (${names[groups[index]]})`;
  return `${labels?.[index] ?? `point ${index}`}${group}: ${subject(xTitle)} ${x}, ${subject(yTitle)} ${y}`;
}

/** @param {Points} points */
function table({ values, single, N, labels, names, groups, xTitle, yTitle }) {
  /** @type {[string, (i: number) => string | number][]} */
  const columns = [["index", (i) => i]];
  if (labels) columns.push(["label", (i) => labels[i]]);
  columns.push([xTitle, (i) => shortest(values[2 * i], single)]);
  columns.push([yTitle, (i) => shortest(values[2 * i + 1], single)]);
  if (names.length > 0) columns.push(["group", (i) => names[groups[i]] ?? ""]);
  return {
    header: columns.map(([name]) => name),
    rows: N,
    cell: (/** @type {number} */ row, /** @type {number} */ column) => columns[column][1](row),
  };
}
