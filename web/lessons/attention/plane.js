import { makeSvg } from "../../app/dom.js";

/** px of the drawing's side. */
const SIDE = 320;

/** The least reach of the axes. */
const LEAST = 2.6;

/** px between an arrow's end and its label. */
const GAP = 12;

/**
 * An arrow of the plane.
 * @typedef {object} Arrow
 * @property {readonly number[]} to  (x, y)
 * @property {readonly number[]} [from]  default: the origin
 * @property {string} kind  a class: its color
 * @property {string} [label]
 */

/**
 * Arrows in a plane.
 *
 * @param {readonly Arrow[]} arrows
 * @param {{ name: string, corners?: readonly (readonly number[])[] }} about  `name`: what it shows; `corners` of an area
 * @returns {SVGElement}
 */
export function plane(arrows, { name, corners = [] }) {
  const longest = Math.max(
    ...[...arrows.map(({ to }) => to), ...corners].flat().map(Math.abs),
    LEAST,
  );
  const unit = (SIDE / 2 - 2 * GAP) / longest;
  const at = (/** @type {readonly number[]} */ [x, y]) => [
    SIDE / 2 + x * unit,
    SIDE / 2 - y * unit,
  ];
  const half = SIDE / 2;
  return makeSvg(
    "svg",
    { viewBox: `0 0 ${SIDE} ${SIDE}`, role: "img", "aria-label": name, class: "plane" },
    makeSvg("path", { class: "axes", d: `M0 ${half}H${SIDE}M${half} 0V${SIDE}` }),
    ...(corners.length > 0
      ? [makeSvg("path", { class: "area", d: `M${corners.map((each) => at(each)).join("L")}Z` })]
      : []),
    ...arrows.map((each) => arrow(each, at)),
  );
}

/** @param {Arrow} arrow @param {(point: readonly number[]) => number[]} at */
function arrow({ from = [0, 0], to, kind, label = "" }, at) {
  const [[x0, y0], [x, y]] = [at(from), at(to)];
  const length = Math.hypot(x - x0, y - y0);
  const [dx, dy] = length > 0 ? [(x - x0) / length, (y - y0) / length] : [0, 0];
  const wing = (/** @type {number} */ side) =>
    `${x - 8 * dx - side * 4 * dy} ${y - 8 * dy + side * 4 * dx}`;
  const group = makeSvg(
    "g",
    { class: `arrow ${kind}` },
    makeSvg("path", { class: "shaft", d: `M${x0} ${y0}L${x - 4 * dx} ${y - 4 * dy}` }),
    ...(length > 0
      ? [makeSvg("path", { class: "tip", d: `M${x} ${y}L${wing(1)}L${wing(-1)}Z` })]
      : []),
  );
  if (label) {
    const anchor = dx < -0.3 ? "end" : dx > 0.3 ? "start" : "middle";
    const place = { x: x + GAP * dx * 0.6, y: y + GAP * dy + 4, "text-anchor": anchor };
    group.append(makeSvg("text", place, label));
  }
  return group;
}
