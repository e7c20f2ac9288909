// Vectors of two numbers as arrows in a plane, whose tips can be dragged.

import { set } from "./controls.js";
import { makeSvg } from "./dom.js";
import "./arrows.css";

/**
 * An arrow to (x, y).
 *
 * @typedef {object} Arrow
 * @property {string} name
 * @property {number} x
 * @property {number} y
 * @property {readonly number[]} [from]  (x, y) where it begins. Default: the origin
 * @property {"token" | "context" | "negative" | "faint" | "query" | "step"} kind  its color
 * @property {readonly [x: string, y: string]} [controls]  of its coordinates: what dragging its tip sets
 */

/**
 * What a plane shows: the first two arrows with the angle between them if `angle`, over an area with these corners.
 * @typedef {{ arrows: readonly Arrow[], label: string, angle?: boolean, area?: readonly (readonly number[])[] }} Plane
 */

/** Lengths in the plane's units: of an arrow's head, of the angle's radius, and of a handle's. */
const HEAD = 0.28;
const ANGLE = 0.75;
const HANDLE = 0.42;

/**
 * Makes a plane in a place. Sliders set the same coordinates by keyboard.
 *
 * @param {HTMLElement} place
 * @param {{ extent: number, step: number }} options  the largest coordinate, and what dragging rounds to
 * @returns {(plane: Plane) => void} shows arrows
 */
export function arrows(place, { extent, step }) {
  const edge = extent + 0.5;
  const grid = makeSvg("g", { class: "grid" });
  for (let at = -extent; at <= extent; ++at) {
    const kind = { class: at === 0 ? "axis" : "line" };
    grid.append(
      makeSvg("line", { ...kind, x1: at, x2: at, y1: -edge, y2: edge }),
      makeSvg("line", { ...kind, x1: -edge, x2: edge, y1: at, y2: at }),
    );
  }
  const content = makeSvg("g", {});
  const viewBox = [-edge, -edge, 2 * edge, 2 * edge].join(" ");
  const drawing = makeSvg("svg", { viewBox }, grid, content);
  place.classList.add("arrows");
  place.replaceChildren(drawing);

  /** The controls of the arrow that is dragged. @type {readonly [string, string] | undefined} */
  let dragged;
  drawing.addEventListener("pointerdown", (event) => {
    const { controls } = /** @type {SVGElement} */ (event.target).dataset;
    if (!controls) return;
    const [x, y] = controls.split(" ");
    dragged = [x, y];
    drawing.setPointerCapture(event.pointerId);
  });
  drawing.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const { left, top, width } = drawing.getBoundingClientRect();
    const unit = (2 * edge) / width;
    const rounded = (/** @type {number} */ at) => {
      const inside = Math.min(extent, Math.max(-extent, at));
      return Number((Math.round(inside / step) * step).toFixed(6));
    };
    set(dragged[0], rounded((event.clientX - left) * unit - edge));
    set(dragged[1], rounded(edge - (event.clientY - top) * unit));
  });
  for (const end of ["pointerup", "pointercancel"])
    drawing.addEventListener(end, () => (dragged = undefined));

  return ({ arrows, label, angle = false, area = [] }) => {
    drawing.setAttribute("role", "img"); // not before it has a name
    drawing.setAttribute("aria-label", label);
    content.replaceChildren(
      makeSvg("polygon", { class: "area", points: pointsOf(area) }),
      ...(angle ? wedge(arrows[0], arrows[1]) : []),
      ...arrows.map((arrow) => drawn(arrow, edge)),
      ...arrows.filter(({ controls }) => controls).map(handle),
    );
  };
}

/** @param {Arrow} arrow @param {number} edge */
function drawn({ name, x, y, from: [x0, y0] = [0, 0], kind }, edge) {
  const length = Math.hypot(x - x0, y - y0);
  const [ux, uy] = length > 0 ? [(x - x0) / length, (y - y0) / length] : [0, 0];
  const head = Math.min(HEAD, length);
  const [neckX, neckY] = [x - head * ux, y - head * uy];
  const across = 0.45 * head;
  const corners = [
    [x, y],
    [neckX - across * uy, neckY + across * ux],
    [neckX + across * uy, neckY - across * ux],
  ];
  const inside = (/** @type {number} */ at) => Math.min(edge - 0.3, Math.max(0.3 - edge, at));
  const [tx, ty] = length > 0 ? [x + (0.35 + 0.1 * name.length) * ux, y + 0.45 * uy] : [0.3, 0.4];
  return makeSvg(
    "g",
    { class: `arrow ${kind}` },
    makeSvg("line", { x1: x0, y1: -y0, x2: neckX, y2: -neckY }),
    makeSvg("polygon", { points: pointsOf(corners) }),
    makeSvg("text", { x: inside(tx), y: inside(-ty) + 0.13 }, name),
  );
}

/** Points of the plane as SVG writes them. @param {readonly (readonly number[])[]} points */
function pointsOf(points) {
  return points.map(([x, y]) => `${x},${-y}`).join(" ");
}

/** @param {Arrow} arrow */
function handle({ x, y, controls = ["", ""] }) {
  return makeSvg("circle", {
    class: "grip",
    cx: x,
    cy: -y,
    r: HANDLE,
    "data-controls": controls.join(" "),
  });
}

/** The angle between two arrows. @param {Arrow} a @param {Arrow} b */
function wedge(a, b) {
  if ((a.x === 0 && a.y === 0) || (b.x === 0 && b.y === 0)) return [];
  const from = Math.atan2(a.y, a.x);
  const turned = Math.atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y);
  const at = (/** @type {number} */ phi) => `${ANGLE * Math.cos(phi)} ${-ANGLE * Math.sin(phi)}`;
  const arc = `A${ANGLE} ${ANGLE} 0 0 ${turned > 0 ? 0 : 1} ${at(from + turned)}`;
  return [makeSvg("path", { class: "wedge", d: `M0 0L${at(from)}${arc}Z` })];
}
