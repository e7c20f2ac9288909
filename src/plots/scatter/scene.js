/** @import { Colors } from "../colors.js" */
/** @import { Label } from "./labels.js" */
/** @import { Frame, Lens, Sheet, View } from "./view.js" */
/** @import { Grid } from "./grid.js" */
import { scaleLinear } from "d3-scale";
import { shortened } from "../shortened.js";
import { brief, digits } from "../data.js";
import { advance, sideBySide } from "../labels.js";
import { px as pixels } from "../svg.js";
import { placeLabels } from "./labels.js";
import { dataAt, lens, within } from "./view.js";

/**
 * The content of a picture, as data.
 *
 * @typedef {object} Points
 * @property {ArrayLike<number>} values  [N, 2]
 * @property {boolean} single  they are float32
 * @property {number} N
 * @property {string[] | undefined} labels
 * @property {string[]} names  of the groups
 * @property {Uint8Array} groups  [N]: index of the name; NONE
 * @property {boolean} mixed  some points are in groups and some in none
 * @property {Set<number>} highlight  points whose labels come first
 * @property {[number, number][]} arrows  each from one point to another
 * @property {string} title  of the figure
 * @property {string} xTitle
 * @property {string} yTitle
 * @property {Sheet} sheet
 * @property {Grid} grid
 * @property {Uint32Array} order  of the points that are drawn, from the lowest mark to the uppermost
 */

/**
 * Lists the shapes of a picture of points, in px. Canvas and SVG draw the same list.
 *
 * @typedef {object} Scene
 * @property {Frame} frame  where points are
 * @property {Lens} lens
 * @property {number} radius  of a mark
 * @property {number} strength  of its color: where marks overlap, all of them show through
 * @property {Label[]} labels
 * @property {string} arrows  as path data
 * @property {{at: number, text: string}[]} across  ticks
 * @property {{at: number, text: string}[]} down
 * @property {{x: number, inside: boolean}} beside  where the labels of `down` end; they begin there if they are
 *   inside of the frame
 */

/** The group of a point that is in none. */
export const NONE = 255;

/** The margins around the frame, px: ticks and titles. */
const EDGE = { left: 46, right: 10, top: 24, bottom: 40 };

/** The characters that fit left of the frame. */
const MARGIN = 6;

/** The radius of a mark, px: for very many points and for few. */
const [LEAST, MOST] = [1.3, 4];

/** The length of the head of an arrow, px. */
const HEAD = 12;

/** The minimal distance between ticks, px. */
const [ACROSS, DOWN] = [80, 50];

/** The maximal number of code points of a label. */
const LONGEST = 32;

/** The part of a picture where points are. @param {number} width @param {number} height @returns {Frame} */
export function frameOf(width, height) {
  return {
    x: EDGE.left,
    y: EDGE.top,
    width: Math.max(1, width - EDGE.left - EDGE.right),
    height: Math.max(1, height - EDGE.top - EDGE.bottom),
  };
}

/** The default height of a picture, px. @param {number} width */
export function heightOf(width) {
  return Math.round(Math.min(560, Math.max(320, width * 0.66)));
}

/**
 * @param {Points} points @param {View} view @param {Frame} frame
 * @param {(i: number) => number} textWidth  of the label of point i, px
 * @returns {Scene}
 */
export function sceneOf(points, view, frame, textWidth) {
  const { sheet, N, highlight } = points;
  const seen = lens(sheet, within(sheet, view), frame);
  const room = Math.sqrt((frame.width * frame.height) / Math.max(1, N));
  const radius = Math.min(MOST, Math.max(LEAST, 0.28 * room * Math.sqrt(view.scale)));
  const px = (/** @type {number} */ i) => sheet.u[i] * seen.k + seen.left;
  const py = (/** @type {number} */ i) => sheet.v[i] * seen.k + seen.top;
  const labels = points.labels
    ? placeLabels(inTurn(highlight, N), {
        px,
        py,
        width: textWidth,
        frame,
        radius: (i) => radiusOf(points, radius, points.groups[i]),
      })
    : [];
  const low = dataAt(sheet, seen, frame.x, frame.y + frame.height);
  const high = dataAt(sheet, seen, frame.x + frame.width, frame.y);
  const down = ticks(low.y, high.y, frame.y + frame.height, frame.y, DOWN);
  const inside = down.some(({ text }) => text.length > MARGIN);
  return {
    frame,
    lens: seen,
    radius,
    strength: Math.min(0.9, 0.35 + radius / 6),
    labels,
    arrows: points.arrows.map(([from, to]) => arrow(px(from), py(from), px(to), py(to))).join(""),
    across: ticks(low.x, high.x, frame.x, frame.x + frame.width, ACROSS),
    down,
    beside: { x: inside ? frame.x + 6 : frame.x - 8, inside },
  };
}

/**
 * A line with an open head, as path data; "" if it has no length.
 * @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2
 */
function arrow(x1, y1, x2, y2) {
  const length = Math.sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2);
  if (!(length > 0)) return "";
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const size = Math.min(HEAD, length / 2);
  const side = (/** @type {1 | -1} */ sign) =>
    `${pixels(x2 - size * (dx + (sign * dy) / 2))},${pixels(y2 - size * (dy - (sign * dx) / 2))}`;
  const end = `${pixels(x2)},${pixels(y2)}`;
  return `M${pixels(x1)},${pixels(y1)}L${end}M${side(1)}L${end}L${side(-1)}`;
}

/** @param {Set<number>} first @param {number} N */
function* inTurn(first, N) {
  yield* first;
  for (let i = 0; i < N; ++i) if (!first.has(i)) yield i;
}

/**
 * @param {number} low @param {number} high  data at the ends
 * @param {number} from @param {number} to  px
 * @param {number} room  px
 */
function ticks(low, high, from, to, room) {
  const scale = scaleLinear().domain([low, high]).range([from, to]);
  const make = (/** @type {number} */ wanted) =>
    // d3 repeats numbers of a range with few doubles, and gives NaN for the largest range.
    Array.from(new Set(scale.ticks(Math.max(2, wanted))))
      .filter(Number.isFinite)
      .map((value) => ({
        at: scale(value),
        text: Number(value.toPrecision(3)) === value ? brief(value) : digits(value),
      }));
  if (room === DOWN) return make(Math.abs(to - from) / room);
  const fits = ({ at = 0, text = "" }) => at + advance(text) / 2 < to + EDGE.right + 6;
  return sideBySide(to - from, room, make, ({ text }) => text).filter(fits);
}

/**
 * The style of the marks of a group. If there are groups, points without one are pale.
 *
 * @param {Points} points @param {Pick<Scene, "radius" | "strength">} scene
 * @param {number} group @param {Colors} colors
 */
export function markOf(points, { radius, strength }, group, { categories, quiet }) {
  if (group === NONE) {
    return points.mixed
      ? { shape: 0, radius, strength: strength * 0.5, color: quiet }
      : { shape: 0, radius, strength, color: categories[0] };
  }
  const look = { shape: group, radius: radiusOf(points, radius, group), color: categories[group] };
  return { ...look, strength: points.mixed ? 0.95 : strength };
}

/** @param {Points} points @param {number} radius  of the scene @param {number} group */
function radiusOf({ mixed }, radius, group) {
  return mixed && group !== NONE ? Math.max(3.5, radius * 1.25) : radius;
}

/** A label, shortened for the picture. @param {string} label */
export const shown = (label) => shortened(label, LONGEST);
