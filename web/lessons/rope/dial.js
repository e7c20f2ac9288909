// One pair of a query and of a key as two hands in one plane, rotated for their positions.

import { make } from "../../app/dom.js";
import "./dial.css";

const SVG = "http://www.w3.org/2000/svg";
const TURN = 2 * Math.PI;

/** Radii, where the longer hand has length 1: of the wedge, of the arcs of rotation, of the names, of the drawing. */
const WEDGE = 0.4;
const ARCS = { query: 1.08, key: 1.16 };
const NAMES = 1.3;
const EDGE = 1.42;

/**
 * @typedef {object} Hand
 * @property {readonly [x: number, y: number]} start  at position 0
 * @property {readonly [x: number, y: number]} now  at its position
 * @property {number} rotation  radians
 *
 * @typedef {object} Shown
 * @property {Hand} query
 * @property {Hand} key
 * @property {number} dot  of the two hands
 * @property {string} words  about it
 * @property {string} label  of the drawing
 */

/** @param {string} name @param {Record<string, string | number>} attributes @param {...(Node | string)} children */
function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/**
 * Makes a dial in a place.
 *
 * @param {HTMLElement} place
 * @param {(radians: number, begin: boolean) => void} dragged  called with the rotation since the pointer went down
 * @returns {(shown: Shown) => void} shows the hands
 */
export function dial(place, dragged) {
  const content = svg("g", {});
  const drawing = svg(
    "svg",
    { viewBox: [-EDGE, -EDGE, 2 * EDGE, 2 * EDGE].join(" "), role: "img" },
    svg("circle", { class: "rim", r: 1 }),
    content,
  );
  const bar = make("span");
  const words = make("p", { role: "status" });
  place.classList.add("dial");
  place.replaceChildren(drawing, make("div", { class: "score" }, bar), words);
  follow(drawing, dragged);

  return ({ query, key, dot, words: said, label }) => {
    const [q, k] = [query, key].map(({ now }) => Math.hypot(...now));
    const unit = Math.max(q, k);
    content.replaceChildren(
      wedge(query.now, key.now),
      ...hand(query, unit, "query", "q"),
      ...hand(key, unit, "key", "k"),
    );
    drawing.setAttribute("aria-label", label);
    const part = (50 * dot) / (q * k);
    bar.style.left = `${Math.min(50, 50 + part)}%`;
    bar.style.width = `${Math.abs(part)}%`;
    words.textContent = said;
  };
}

/** Reports how far a pointer has gone around the middle. @param {SVGElement} drawing @param {(radians: number, begin: boolean) => void} dragged */
function follow(drawing, dragged) {
  let last = 0;
  let sum = 0;
  let isDown = false;
  const angleOf = (/** @type {PointerEvent} */ { clientX, clientY }) => {
    const { left, top, width, height } = drawing.getBoundingClientRect();
    return Math.atan2(top + height / 2 - clientY, clientX - left - width / 2);
  };
  drawing.addEventListener("pointerdown", (event) => {
    [isDown, last, sum] = [true, angleOf(event), 0];
    drawing.setPointerCapture(event.pointerId);
    dragged(0, true);
  });
  drawing.addEventListener("pointermove", (event) => {
    if (!isDown) return;
    const angle = angleOf(event);
    const step = angle - last;
    sum += step - TURN * Math.round(step / TURN);
    last = angle;
    dragged(sum, false);
  });
  for (const end of ["pointerup", "pointercancel"])
    drawing.addEventListener(end, () => (isDown = false));
}

/** @param {number} radius @param {number} angle */
function at(radius, angle) {
  return `${radius * Math.cos(angle)} ${-radius * Math.sin(angle)}`;
}

/** An arc; a whole turn or more is a circle. @param {number} radius @param {number} from @param {number} by  radians */
function arc(radius, from, by) {
  const sweep = by > 0 ? 0 : 1;
  const piece = (/** @type {number} */ to, /** @type {0 | 1} */ large) =>
    `A${radius} ${radius} 0 ${large} ${sweep} ${at(radius, to)}`;
  if (Math.abs(by) >= TURN) return piece(from + Math.PI, 0) + piece(from + TURN, 0);
  return piece(from + by, Math.abs(by) > Math.PI ? 1 : 0);
}

/** @param {Hand} hand @param {number} unit @param {"query" | "key"} kind @param {string} name */
function hand({ start, now, rotation }, unit, kind, name) {
  const [from, to] = [start, now].map(([x, y]) => Math.atan2(y, x));
  const length = Math.hypot(...now) / unit;
  const around = `M${at(ARCS[kind], from)}${arc(ARCS[kind], from, rotation)}`;
  const [x, y] = at(NAMES, to).split(" ").map(Number);
  return [
    svg("path", { class: `start ${kind}`, d: `M0 0L${at(length, from)}` }),
    svg("path", { class: "rotation", d: around }),
    svg("path", { class: `hand ${kind}`, d: `M0 0L${at(length, to)}` }),
    svg("text", { class: kind, x, y: y + 0.05 }, name),
  ];
}

/** The angle between two hands. @param {Hand["now"]} a @param {Hand["now"]} b */
function wedge(a, b) {
  const from = Math.atan2(a[1], a[0]);
  const by = Math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
  return svg("path", { class: "wedge", d: `M0 0L${at(WEDGE, from)}${arc(WEDGE, from, by)}Z` });
}
