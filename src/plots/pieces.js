/** @import { Surface } from "./figure.js" */
import { advance, LINE, stagger } from "./labels.js";
import { escaped, tag } from "./svg.js";

/**
 * Adds texts, rules and the marks at the pointer to a picture that Observable Plot drew.
 */

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box  the area of the data, px */

/**
 * A line across at y, or upright at x.
 * @typedef {object} Rule
 * @property {number} [x]  in the units of the x axis
 * @property {number} [y]  in those of the y axis
 * @property {string} label  the text at it
 */

/**
 * A piece of a picture.
 * @param {Surface} surface @param {string} name
 * @param {Record<string, string | number>} attributes @param {...(Node | string)} content
 */
export function piece({ document }, name, attributes, ...content) {
  const element = /** @type {Document} */ (document).createElementNS(
    "http://www.w3.org/2000/svg",
    name,
  );
  set(element, attributes);
  element.append(...content);
  return element;
}

/**
 * Creates an element or its markup, with children or one text.
 * @typedef {(name: string, attributes: Record<string, string | number>, content?: any[] | string) => any} Make
 */

/** @type {Make} */
export const markup = (name, attributes, content = []) =>
  tag(name, attributes, ...(typeof content === "string" ? [escaped(content)] : content));

/** @param {Surface} surface @returns {Make} */
export const nodes =
  (surface) =>
  (name, attributes, content = []) =>
    piece(surface, name, attributes, ...(typeof content === "string" ? [content] : content));

/** @param {Element} element @param {Record<string, string | number>} attributes */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

/**
 * The colors of a picture: custom properties of the page, or fixed colors in a string.
 * @param {Surface} surface
 */
export function inks({ own, colors }) {
  if (own) return colors;
  const [paper, ink, quiet, line, accent] = ["paper", "ink", "quiet", "line", "accent"].map(
    (name) => `var(--phasor-${name})`,
  );
  return { ...colors, paper, ink, quiet, line, accent };
}

/** What keeps text readable over lines. @param {Surface} surface */
const haloed = (surface) => ({
  stroke: inks(surface).paper,
  "stroke-width": 3,
  "stroke-linejoin": "round",
  "paint-order": "stroke",
});

/**
 * @param {Surface} surface @param {string} content @param {number} x @param {number} y  its middle
 * @param {Record<string, string | number>} [attributes]
 */
export function text(surface, content, x, y, attributes = {}) {
  const place = { x, y, dy: "0.32em", "text-anchor": "start", fill: inks(surface).ink };
  return piece(surface, "text", { ...place, ...haloed(surface), ...attributes }, content);
}

/**
 * The title of an upright axis, above it and below the key.
 * @param {Surface} surface @param {string} title @param {number} y  the height of the key
 */
export function axisTitle(surface, title, y) {
  const words = text(surface, title, 3, y + 9, { fill: inks(surface).quiet });
  return piece(surface, "g", { role: "group", "aria-label": "y-axis label" }, words);
}

/**
 * Places the labels of vertical rules above the data, each at the end of its rule and above any label that it would
 * touch.
 * @param {readonly Rule[]} rules @param {(x: number) => number} left  px
 * @param {number} right  px, the end of the data
 */
export function labeled(rules, left, right) {
  const upright = rules.filter(({ x }) => x !== undefined);
  const xs = upright.map(({ x }) => left(/** @type {number} */ (x)));
  const widths = upright.map(({ label }) => advance(label) + 8);
  const starts = xs.map((x, i) => (x + widths[i] > right ? Math.max(0, x - widths[i]) : x));
  const rows = stagger(starts.map((from, i) => [from, from + widths[i]]));
  return {
    height: upright.length === 0 ? 0 : (Math.max(...rows) + 1) * LINE,
    labels: upright.map(({ label }, i) => ({ label, x: xs[i], start: starts[i], row: rows[i] })),
  };
}

/**
 * Draws rules with their labels. The labels of horizontal rules are above them, at the left.
 * @param {readonly Rule[]} rules @param {ReturnType<typeof labeled>} above @param {Box} box
 * @param {(y: number) => number} top  px
 * @param {Surface} surface
 */
export function ruled(rules, above, box, top, surface) {
  const dashed = { stroke: inks(surface).quiet, "stroke-dasharray": "2 3" };
  const across = rules.filter(({ y }) => y !== undefined);
  const ys = across.map(({ y }) => top(/** @type {number} */ (y)));
  const columns = stagger(ys.map((y) => [y - LINE, y]));
  const widest = Math.max(0, ...across.map(({ label }) => advance(label))) + 10;
  const line = (/** @type {Record<string, number>} */ ends) =>
    piece(surface, "line", { ...ends, ...dashed });
  return [
    ...above.labels.map(({ x, row }) =>
      line({ x1: x, x2: x, y1: box.top - (row + 1) * LINE, y2: box.bottom }),
    ),
    ...ys.map((y) => line({ x1: box.left, x2: box.right, y1: y, y2: y })),
    ...above.labels.map(({ label, start, row }) =>
      text(surface, label, start + 4, box.top - (row + 0.5) * LINE),
    ),
    ...across.map(({ label }, i) =>
      text(surface, label, box.left + 6 + columns[i] * widest, ys[i] - 8),
    ),
  ];
}

/**
 * What follows the reader: shapes and a number. Hidden until it is placed.
 * @param {Surface} surface @param {...Element} shapes
 */
export function pointer(surface, ...shapes) {
  const label = text(surface, "", 0, 0, { "font-weight": 600, "stroke-width": 5 });
  const group = piece(
    surface,
    "g",
    { class: "phasor-pointer", visibility: "hidden" },
    ...shapes,
    label,
  );
  return { group, label };
}
