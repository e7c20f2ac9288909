/** @import { TensorInput } from "../runtime/tensor.js" */
/** @import { Kind, Surface } from "./figure.js" */
/** @import { Make } from "./pieces.js" */
import * as check from "../runtime/check.js";
import { apart, count, digits, largest, matrix, texts, vector } from "./data.js";
import { category, readColors } from "./key.js";
import { advance, fitted, LINE, SIZE } from "./labels.js";
import { inks, markup, nodes, piece } from "./pieces.js";
import { px, standalone, tag } from "./svg.js";

/**
 * Draws pairs of numbers as hands on circles: (1, 0) points to the right, (0, 1) upwards, and angles grow
 * counterclockwise.
 *
 * @typedef {object} ClockOptions
 * @property {readonly string[]} [labels]  the label of each pair. Default: "pair 0", ...
 * @property {unknown} [before]  [P, 2]: the earlier pairs, drawn as faint hands with the rotation to the current hands
 * @property {unknown} [rotation]  [P]: the rotation of each pair since `before`, radians; positive is
 *   counterclockwise. Whole turns are drawn as a spiral and counted. Default: counterclockwise, less than one turn
 * @property {number} [columns]  the number of circles in a row. Default: as many as fit
 * @property {readonly string[]} [colors]  colors of CSS of the hands and of their rotations
 *
 * @typedef {object} ClockValue
 * @property {number} index
 *
 * @typedef {object} Hand
 * @property {number} x
 * @property {number} y
 * @property {number} length
 * @property {number} angle  radians, from -pi to pi; NaN for a pair without a direction
 *
 * @typedef {object} Model
 * @property {Hand[]} hands
 * @property {Hand[] | undefined} before
 * @property {number[]} rotation  of each pair since before, radians; NaN where there is none
 * @property {string[]} labels
 * @property {number | undefined} columns
 * @property {number} reach  the length that fills the circle's square: 1, or the longest hand
 * @property {boolean} single
 * @property {string[] | undefined} colors
 *
 * @typedef {object} Layout  px
 * @property {number} columns
 * @property {number} side  of a hand's square
 * @property {number} step  from row to row
 * @property {number} height
 *
 * @typedef {Layout & {element: SVGElement, marked: Element[], now: number}} Drawn
 */

/** The maximum width of a hand's square, and the minimum that the figure chooses, px. */
const WIDEST = 148;
const NARROWEST = 68;

/** @type {Kind<TensorInput, ClockOptions, Model, ClockValue, Drawn>} */
export const clock = {
  name: "clock",
  role: "clocks",
  needsPlot: false,
  options: {
    labels: undefined,
    before: undefined,
    rotation: undefined,
    columns: undefined,
    colors: undefined,
  },
  style: `
.phasor-figure[data-kind="clock"] .phasor-pair rect { fill: none; stroke: none; }
.phasor-figure[data-kind="clock"] .phasor-turns { font-weight: 600; }
.phasor-figure[data-kind="clock"] .phasor-pair.here rect { stroke: var(--phasor-accent); }
.phasor-figure[data-kind="clock"] .phasor-pair.here text { fill: var(--phasor-ink); font-weight: 600; }`,

  read(data, { labels, before, rotation, columns, colors }) {
    const { hands, single } = read(data, "vectors");
    const was = before === undefined ? undefined : read(before, "before").hands;
    if (was && was.length !== hands.length) {
      throw new RangeError(`before must hold ${hands.length} pairs; got ${was.length}`);
    }
    if (rotation !== undefined && !was)
      throw new TypeError("before must come with rotation; got undefined");
    const lengths = [...hands, ...(was ?? [])].map(({ length }) => length);
    return {
      hands,
      before: was,
      rotation: was ? rotations(was, hands, rotation) : [],
      labels: texts(labels, "labels", hands.length) ?? hands.map((_, i) => `pair ${i}`),
      columns: columns === undefined ? undefined : check.integer(columns, "columns"),
      colors: readColors(colors, 2),
      reach: largest(lengths.filter(Number.isFinite), 1),
      single,
    };
  },

  describe({ hands, before }) {
    const [n, arcs] = [count(hands.length, "hand"), before ? ", and where each was before" : ""];
    const gaps = [hands, before ?? []].map((all, i) => {
      const missing = all.filter(({ angle }) => Number.isNaN(angle)).length;
      return missing > 0 ? `; ${missing} without a direction${i === 0 ? "" : " before"}` : "";
    });
    return `${n} on circles, a pair of numbers each${arcs}${gaps.join("")}.`;
  },

  table({ hands, before, rotation, labels }) {
    const columns = [hands, ...(before ? [before] : [])];
    const of = ["cos", "sin", "angle (radians)"];
    const more = before ? [...of.map((name) => `${name} before`), "rotation (radians)"] : [];
    return {
      header: ["pair", ...of, ...more],
      rows: hands.length,
      cell(row, column) {
        if (column === 0) return labels[row];
        if (column === 7) return rotation[row];
        const { x, y, angle } = columns[Math.floor((column - 1) / 3)][row];
        return [x, y, angle][(column - 1) % 3];
      },
    };
  },

  draw(model, surface) {
    const layout = arranged(model, surface);
    const { width } = surface;
    const pairs = model.hands.map((_, i) => pair(model, i, layout, surface, nodes(surface)));
    const size = { width, height: layout.height, viewBox: `0 0 ${width} ${layout.height}` };
    const element = piece(surface, "svg", { ...size, ...TYPE }, ...pairs);
    return { ...layout, element, marked: pairs, now: -1 };
  },

  svg(model, surface) {
    const layout = arranged(model, surface);
    const pairs = model.hands.map((_, i) => pair(model, i, layout, surface, markup));
    return standalone(surface, layout.height, tag("g", TYPE, ...pairs));
  },

  at({ columns, side, step }, { hands }, x, y) {
    const [row, column] = [Math.floor(y / step), Math.floor(x / side)];
    const index = row * columns + column;
    const inside = row >= 0 && column >= 0 && column < columns && index < hands.length;
    return inside ? { index } : null;
  },

  find({ hands }, { index }) {
    return Number.isInteger(index) && index >= 0 && index < hands.length ? { index } : null;
  },

  move({ hands }, from, { rows, columns }, drawing) {
    if (hands.length === 0) return null;
    if (from === null) return { index: 0 };
    const to = from.index + columns + rows * drawing.columns;
    return { index: Math.min(hands.length - 1, Math.max(0, to)) };
  },

  say({ hands, rotation, labels, single }, { index }) {
    const { x, y, angle, length } = hands[index];
    const pair = `(${digits(x, single)}, ${digits(y, single)})`;
    if (Number.isNaN(angle)) return `${labels[index]}: ${pair}, no direction`;
    const turn = rotation[index] ?? NaN;
    const whole = wholeTurns(turn);
    const turns = whole > 0 ? `, ${count(whole, "whole turn")}` : "";
    const turned = Number.isNaN(turn) ? "" : `; ${angles(turn)} from before${turns}`;
    const long = Math.abs(length - 1) > 1e-3 ? `, length ${apart(1, length)[1]}` : "";
    return `${labels[index]}: ${angles(angle)}${long}${turned}`;
  },

  mark(drawing, _, value) {
    drawing.marked[drawing.now]?.classList.remove("here");
    drawing.now = value?.index ?? -1;
    drawing.marked[drawing.now]?.classList.add("here");
  },
};

const TYPE = { "font-size": SIZE, "text-anchor": "middle" };

/** @param {unknown} data @param {string} name */
function read(data, name) {
  const { values, rows, columns, single } = matrix(data, name);
  if (columns !== 2 && rows > 0) {
    throw new RangeError(`${name} must have the shape [pairs, 2]; got [${rows}, ${columns}]`);
  }
  const hands = Array.from({ length: rows }, (_, i) => hand(values[2 * i], values[2 * i + 1]));
  return { hands, single };
}

/** The length, also where squares overflow or underflow. @param {number} x @param {number} y */
function lengthOf(x, y) {
  const square = x * x + y * y;
  const most = Math.max(Math.abs(x), Math.abs(y));
  if ((square > 1e-290 && square < Infinity) || !(most > 0 && most < Infinity))
    return Math.sqrt(square);
  return most * Math.sqrt((x / most) ** 2 + (y / most) ** 2);
}

/** @param {number} x @param {number} y @returns {Hand} */
function hand(x, y) {
  const length = lengthOf(x, y);
  const angle = length > 0 && length < Infinity ? angleOf(x, y, length) : NaN;
  return { x, y, length, angle };
}

/**
 * Returns the angle of a vector in radians from -pi to pi, accurate to 1e-15. Math.atan2 is not used,
 * because its last bits differ between engines. The angle to the nearer half of the x axis is halved four times, by
 * tan(a / 2) = tan(a) / (1 + sqrt(1 + tan(a)^2)); below 0.1 seven terms of the series are sufficient.
 * @param {number} x @param {number} y @param {number} length  > 0
 */
function angleOf(x, y, length) {
  let tangent = y / (length + Math.abs(x));
  for (let i = 0; i < 3; ++i) tangent /= 1 + Math.sqrt(1 + tangent * tangent);
  let series = 0;
  for (let n = 13; n > 0; n -= 2) series = 1 / n - tangent * tangent * series;
  const angle = 16 * tangent * series;
  return x >= 0 ? angle : (y < 0 ? -Math.PI : Math.PI) - angle;
}

const TURN = 2 * Math.PI;

/** The largest angle that rounding to float32 can make of equal hands, radians. */
const ROUNDED = 1e-6;

/**
 * Returns the rotation of each pair: what the hands show, with the direction and the whole turns of `given`.
 * @param {Hand[]} before @param {Hand[]} hands @param {unknown} given  undefined: forward, less than one turn
 */
function rotations(before, hands, given) {
  const wanted = given === undefined ? undefined : vector(given, "rotation", hands.length).values;
  return hands.map(({ angle }, i) => {
    const turn = angle - before[i].angle;
    const short = turn - TURN * Math.round(turn / TURN);
    if (!wanted) return short < -ROUNDED ? short + TURN : short;
    const whole = check.finite(wanted[i], `rotation[${i}]`);
    return short + TURN * Math.round((whole - short) / TURN);
  });
}

/** @param {number} rotation  radians @returns {number} 0 for NaN */
function wholeTurns(rotation) {
  return Math.floor((Math.abs(rotation) + ROUNDED) / TURN) || 0;
}

/** @param {number} angle  radians */
function angles(angle) {
  const rounded = (/** @type {number} */ x, /** @type {number} */ places) =>
    digits(Number(x.toFixed(places)) + 0); // no -0
  return `${rounded(angle, 4)} radians (${rounded((angle * 180) / Math.PI, 1)}°)`;
}

/** @param {Model} model @param {Surface} surface @returns {Layout} */
function arranged({ hands, labels, columns: asked }, { width, height }) {
  const n = Math.max(1, hands.length);
  const wide = Math.max(NARROWEST, Math.min(WIDEST, largest(labels.map(advance), 0) + 12));
  const most = Math.max(1, Math.floor(width / wide));
  const rows = Math.ceil(n / (asked ?? most));
  const columns = asked ?? Math.ceil(n / rows); // balances the rows
  const tall = height === undefined ? Infinity : height / rows - LINE;
  const side = Math.max(16, Math.min(width / columns, WIDEST, tall));
  const step = side + LINE;
  return { columns, side, step, height: Math.ceil(rows * step) };
}

/**
 * Draws one circle with its hand.
 * @param {Model} model @param {number} i @param {Layout} layout @param {Surface} surface
 * @param {Make} make
 */
function pair(
  { hands, before, rotation, labels, reach, colors },
  i,
  { columns, side, step },
  surface,
  make,
) {
  const { quiet, line } = inks(surface);
  const [accent, turned] = [0, 1].map((k) => category(k, 1, surface, colors).stroke);
  const middle = side / 2;
  const unit = (middle - 9) / reach;
  const spot = (/** @type {number} */ x, /** @type {number} */ y) =>
    [px(middle + x * unit), px(middle - y * unit)].join(" ");
  const hand = (/** @type {Hand} */ { x, y, angle }, /** @type {object} */ style) =>
    Number.isNaN(angle) ? [] : [make("path", { d: `M${spot(0, 0)}L${spot(x, y)}`, ...style })];
  const now = hands[i];
  const was = before?.[i];
  const place = `translate(${px((i % columns) * side)} ${px(Math.floor(i / columns) * step)})`;
  const cross = `M${spot(-1, 0)}L${spot(1, 0)}M${spot(0, -1)}L${spot(0, 1)}`;
  const label = { x: px(middle), y: px(side + 3), fill: quiet };
  const whole = wholeTurns(rotation[i]);
  const corner = { x: px(side - 3), y: 11, fill: turned, "font-size": 10, "text-anchor": "end" };
  const counted = { ...corner, class: "phasor-turns" };
  return make("g", { class: "phasor-pair", transform: place }, [
    make("rect", { x: 1, y: 1, width: px(side - 2), height: px(step - 2), rx: 4, fill: "none" }),
    make("path", { d: cross, stroke: line }),
    make("circle", { cx: px(middle), cy: px(middle), r: px(unit), fill: "none", stroke: quiet }),
    ...(was ? sweep(was, now, rotation[i], spot, unit, turned, make) : []),
    ...(was ? hand(was, { stroke: quiet, "stroke-dasharray": "3 2", "stroke-width": 1.25 }) : []),
    ...hand(now, { stroke: accent, "stroke-width": 2, "stroke-linecap": "round" }),
    ...(Number.isNaN(now.angle) ? [] : [tip(now)]),
    make("text", label, fitted(labels[i], side - 4)),
    ...(whole > 0 ? [make("text", counted, `×${whole}`)] : []),
  ]);

  /** @param {Hand} hand */
  function tip({ x, y }) {
    const [cx, cy] = spot(x, y).split(" ");
    return make("circle", { cx, cy, r: 3, fill: accent });
  }
}

/** The most whole turns that a spiral draws. */
const MOST_TURNS = 2;

/** The angle between two points of a spiral, 1/48 of a turn: radians, cosine, sine. */
const STEP = { angle: TURN / 48, cos: 0.9914448613738104, sin: 0.13052619222005157 };

/** The radius of a rotation's end, and by how much a turn before it is smaller, in circles. */
const RIM = 0.45;
const PITCH = 0.13;

/**
 * Draws a rotation: its last part of a turn as a sector, all of it as a spiral with an arrowhead.
 * @param {Hand} from @param {Hand} to @param {number} rotation
 * @param {(x: number, y: number) => string} spot @param {number} unit  px
 * @param {string} color @param {Make} make
 */
function sweep(from, to, rotation, spot, unit, color, make) {
  if (Number.isNaN(rotation) || Math.abs(rotation) < ROUNDED) return [];
  const sign = Math.sign(rotation);
  const whole = wholeTurns(rotation);
  const rest = Math.abs(rotation) - TURN * whole;
  const drawn = rest + TURN * Math.min(whole, MOST_TURNS);
  const pitch = whole > 0 ? PITCH / TURN : 0;
  const [first, last] = [from, to].map(({ x, y, length }) => [x / length, y / length]);

  /** The points of the last part of the rotation, in steps from the earlier hand. @param {number} part  radians */
  const along = (part) => {
    const points = [];
    let [x, y] = first;
    for (let turned = 0; turned < part; turned += STEP.angle) {
      const radius = RIM - pitch * (part - turned);
      points.push(spot(x * radius, y * radius));
      [x, y] = [x * STEP.cos - sign * y * STEP.sin, y * STEP.cos + sign * x * STEP.sin];
    }
    return [...points, spot(last[0] * RIM, last[1] * RIM)].join("L");
  };
  const back = Math.min(5, (drawn * RIM * unit) / 2); // a short rotation has less room
  const [x, y] = last;
  const barbs = [2.5, -2.5].map((side) =>
    spot(
      x * (RIM - side / unit) + (sign * y * back) / unit,
      y * (RIM - side / unit) - (sign * x * back) / unit,
    ),
  );
  const arrow = `M${barbs[0]}L${spot(x * RIM, y * RIM)}L${barbs[1]}`;
  const sector = `M${spot(0, 0)}L${along(rest)}Z`;
  const spiral = `M${along(drawn)}${arrow}`;
  return [
    make("path", { d: sector, fill: color, "fill-opacity": 0.16 }),
    make("path", { class: "phasor-sweep", d: spiral, fill: "none", stroke: color }),
  ];
}
