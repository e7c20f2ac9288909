/**
 * The visible part of the data. It does not depend on the size of the picture, so a link can contain it.
 *
 * @typedef {object} View
 * @property {number} x  the center, in the units of the data
 * @property {number} y
 * @property {number} scale  the magnification, 1 where all points are visible; at most 4,096
 */

/**
 * A part of the picture, px.
 * @typedef {{x: number, y: number, width: number, height: number}} Frame
 */

/**
 * Lays out points with equal scales in both directions, y downwards.
 *
 * @typedef {object} Sheet
 * @property {Float64Array} u  [N]: (x - across.middle) across.unit; NaN where a point has no place
 * @property {Float64Array} v  [N]: (down.middle - y) down.unit
 * @property {number} width  all points are within width x height about the origin
 * @property {number} height
 * @property {Axis} across  of x
 * @property {Axis} down  of y
 *
 * @typedef {object} Axis
 * @property {number} middle  of the data's range
 * @property {number} half  of the range: the data go from middle - half to middle + half
 * @property {number} unit  length on the sheet of 1 in the data
 */

/**
 * From the sheet to the picture: px = u k + left, py = v k + top.
 * @typedef {{k: number, left: number, top: number}} Lens
 */

/** Largest scale: neighbors among 50,000 points are far apart there. */
const MOST = 4096;

/** If one range is more than this many times the other, the axes have different units. */
const ALIKE = 4;

/** Width to height of a sheet with two units. */
const WIDE = 1.5;

/** The margin around the outermost points, px, for marks and some of their labels. */
const MARGIN = 20;

/**
 * Lays points out: with one unit for both axes, so that distances can be seen, unless the ranges
 * differ greatly.
 *
 * @param {ArrayLike<number>} points  [N, 2]: x, y, x, y, ...
 * @returns {Sheet}
 */
export function layOut(points) {
  const [x, y] = [range(points, 0), range(points, 1)];
  const most = Math.max(x.half, y.half);
  const alike = Math.min(x.half, y.half) * ALIKE >= most;
  const across = { ...x, unit: alike ? 0.5 / (most || 1) : (0.5 * WIDE) / (x.half || 1) };
  const down = { ...y, unit: 0.5 / ((alike ? most : y.half) || 1) };
  const N = points.length / 2;
  const [u, v] = [new Float64Array(N), new Float64Array(N)];
  for (let i = 0; i < N; ++i) {
    u[i] = (points[2 * i] - across.middle) * across.unit;
    v[i] = (down.middle - points[2 * i + 1]) * down.unit;
    if (!Number.isFinite(u[i] + v[i])) u[i] = v[i] = NaN;
  }
  const [width, height] = [across, down].map(({ half, unit }) => 2 * half * unit);
  return { u, v, width, height, across, down };
}

/**
 * Of the points whose coordinates are both finite.
 * @param {ArrayLike<number>} points @param {0 | 1} which
 */
function range(points, which) {
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    if (!Number.isFinite(points[i]) || !Number.isFinite(points[i + 1])) continue;
    const value = points[i + which];
    if (value < least) least = value;
    if (value > most) most = value;
  }
  // Halves first: the difference of two huge numbers may be infinite.
  return least <= most ? { middle: least / 2 + most / 2, half: most / 2 - least / 2 } : NOWHERE;
}

const NOWHERE = { middle: 0, half: 0 };

/** The view of all points. @param {Sheet} sheet @returns {View} */
export function whole({ across, down }) {
  return { x: across.middle, y: down.middle, scale: 1 };
}

/**
 * The nearest view that shows something: its middle among the points, its scale within bounds.
 * @param {Sheet} sheet @param {View} view @returns {View}
 */
export function within({ across, down }, { x, y, scale }) {
  return {
    x: clamp(x, across.middle - across.half, across.middle + across.half),
    y: clamp(y, down.middle - down.half, down.middle + down.half),
    scale: clamp(scale, 1, MOST),
  };
}

/** @param {Sheet} sheet @param {View} view @param {Frame} frame @returns {Lens} */
export function lens(sheet, { x, y, scale }, frame) {
  const { across, down } = sheet;
  const across1 = Math.max(1, frame.width - 2 * MARGIN) / (sheet.width || 1);
  const down1 = Math.max(1, frame.height - 2 * MARGIN) / (sheet.height || 1);
  const k = Math.min(across1, down1) * scale;
  return {
    k,
    left: frame.x + frame.width / 2 - (x - across.middle) * across.unit * k,
    top: frame.y + frame.height / 2 - (down.middle - y) * down.unit * k,
  };
}

/** The coordinates at a place of the picture. @param {Sheet} sheet @param {Lens} lens @param {number} px @param {number} py */
export function dataAt({ across, down }, { k, left, top }, px, py) {
  return {
    x: across.middle + (px - left) / k / across.unit,
    y: down.middle - (py - top) / k / down.unit,
  };
}

/**
 * The view after the picture was dragged by dx and dy, in px.
 * @param {Sheet} sheet @param {View} view @param {Frame} frame @param {number} dx @param {number} dy
 * @returns {View}
 */
export function panned(sheet, view, frame, dx, dy) {
  const { k } = lens(sheet, view, frame);
  const x = view.x - dx / k / sheet.across.unit;
  const y = view.y + dy / k / sheet.down.unit;
  return within(sheet, { ...view, x, y });
}

/**
 * Scales the view by `factor`. The point at (px, py) stays there if the limits of the view allow it.
 * @param {Sheet} sheet @param {View} view @param {Frame} frame
 * @param {number} factor @param {number} px @param {number} py
 * @returns {View}
 */
export function zoomed(sheet, view, frame, factor, px, py) {
  const scale = clamp(view.scale * factor, 1, MOST);
  const fixed = dataAt(sheet, lens(sheet, view, frame), px, py);
  const left = view.scale / scale; // what is left of the way from the fixed place to the middle
  const x = fixed.x + (view.x - fixed.x) * left;
  const y = fixed.y + (view.y - fixed.y) * left;
  return within(sheet, { x, y, scale });
}

/**
 * Moves the view as little as possible so that a point is inside the frame with a margin of `room` px.
 * @param {Sheet} sheet @param {View} view @param {Frame} frame @param {number} i @param {number} room
 * @returns {View}
 */
export function revealing(sheet, view, frame, i, room) {
  const { k, left, top } = lens(sheet, view, frame);
  const [px, py] = [sheet.u[i] * k + left, sheet.v[i] * k + top];
  if (Number.isNaN(px) || contains(frame, px, py)) return view;
  const dx = clamp(px, frame.x + room, frame.x + frame.width - room) - px;
  const dy = clamp(py, frame.y + room, frame.y + frame.height - room) - py;
  return panned(sheet, view, frame, dx, dy);
}

/** @param {Frame} frame @param {number} px @param {number} py */
export function contains({ x, y, width, height }, px, py) {
  return px >= x && px < x + width && py >= y && py < y + height;
}

/** @param {number} value @param {number} least @param {number} most */
function clamp(value, least, most) {
  return Math.min(most, Math.max(least, value));
}
