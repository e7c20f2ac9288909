// Vectors of two numbers as arrows in a plane, whose tips can be dragged.

import { set } from "./controls.js";
import "./arrows.css";

/**
 * An arrow from the origin.
 *
 * @typedef {object} Arrow
 * @property {string} name
 * @property {number} x
 * @property {number} y
 * @property {"token" | "context" | "negative" | "faint"} kind  its color
 * @property {readonly [x: string, y: string]} [controls]  of its coordinates: what dragging its tip sets
 */

/**
 * What a plane shows: the first two arrows with the angle between them if `angle`.
 * @typedef {{ arrows: readonly Arrow[], label: string, angle?: boolean }} Plane
 */

const SVG = "http://www.w3.org/2000/svg";

/** Lengths in the plane's units: of an arrow's head, of the angle's radius, and of a handle's. */
const HEAD = 0.28;
const ANGLE = 0.75;
const HANDLE = 0.42;

/** @param {string} name @param {Record<string, string | number>} attributes @param {...(Node | string)} children */
function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/**
 * Makes a plane in a place. Sliders set the same coordinates by keyboard.
 *
 * @param {HTMLElement} place
 * @param {{ extent: number, step: number }} options  the largest coordinate, and what dragging rounds to
 * @returns {(plane: Plane) => void} shows arrows
 */
export function arrows(place, { extent, step }) {
  const edge = extent + 0.5;
  const grid = svg("g", { class: "grid" });
  for (let at = -extent; at <= extent; ++at) {
    const kind = { class: at === 0 ? "axis" : "line" };
    grid.append(
      svg("line", { ...kind, x1: at, x2: at, y1: -edge, y2: edge }),
      svg("line", { ...kind, x1: -edge, x2: edge, y1: at, y2: at }),
    );
  }
  const content = svg("g", {});
  const drawing = svg(
    "svg",
    { viewBox: [-edge, -edge, 2 * edge, 2 * edge].join(" "), role: "img" },
    grid,
    content,
  );
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

  return ({ arrows, label, angle = false }) => {
    drawing.setAttribute("aria-label", label);
    content.replaceChildren(
      ...(angle ? wedge(arrows[0], arrows[1]) : []),
      ...arrows.map((arrow) => drawn(arrow, edge)),
      ...arrows.filter(({ controls }) => controls).map(handle),
    );
  };
}

/** @param {Arrow} arrow @param {number} edge */
function drawn({ name, x, y, kind }, edge) {
  const length = Math.hypot(x, y);
  const [ux, uy] = length > 0 ? [x / length, y / length] : [0, 0];
  const shaft = Math.max(0, length - HEAD);
  const across = 0.45 * HEAD;
  const corners = [
    [x, y],
    [shaft * ux - across * uy, shaft * uy + across * ux],
    [shaft * ux + across * uy, shaft * uy - across * ux],
  ];
  const reach = length + 0.45;
  const inside = (/** @type {number} */ at) => Math.min(edge - 0.3, Math.max(0.3 - edge, at));
  const [tx, ty] = length > 0 ? [reach * ux, reach * uy] : [0.3, 0.4];
  return svg(
    "g",
    { class: `arrow ${kind}` },
    svg("line", { x1: 0, y1: 0, x2: shaft * ux, y2: -shaft * uy }),
    svg("polygon", { points: corners.map(([x, y]) => `${x},${-y}`).join(" ") }),
    svg("text", { x: inside(tx), y: inside(-ty) + 0.13 }, name),
  );
}

/** @param {Arrow} arrow */
function handle({ x, y, controls = ["", ""] }) {
  return svg("circle", {
    ...{ class: "grip", cx: x, cy: -y, r: HANDLE },
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
  return [svg("path", { class: "wedge", d: `M0 0L${at(from)}${arc}Z` })];
}
