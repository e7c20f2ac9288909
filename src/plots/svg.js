/** @import { Surface } from "./figure.js" */
import { shortened } from "./shortened.js";

/**
 * Writes SVG as strings, without a document. All text and attributes are escaped here.
 */

const NAMESPACE = "http://www.w3.org/2000/svg";
const FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";

/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text as markup, without the characters that XML does not allow. @param {string | number} text */
export function escaped(text) {
  return (
    String(text)
      .toWellFormed()
      // eslint-disable-next-line no-control-regex
      .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd")
      .replace(/[&<>"']/g, (sign) => ENTITIES[sign])
  );
}

/**
 * An element as markup.
 * @param {string} name
 * @param {Record<string, string | number | undefined>} attributes  undefined ones are left out
 * @param {...string} children  markup: texts go through `escaped`
 */
export function tag(name, attributes, ...children) {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escaped(/** @type {string | number} */ (value))}"`);
  const content = children.join("");
  return `<${name}${written.join("")}${content === "" ? "/>" : `>${content}</${name}>`}`;
}

/** A length in px, short. @param {number} x */
export const px = (x) => Number(x.toFixed(2));

/** A label, shortened if it is long. @param {string} label @param {number} [most]  code points */
export const cut = (label, most = 18) => shortened(label, Math.max(2, Math.floor(most)));

/** The height of the title's line, px. */
const TITLE = 28;

/**
 * A whole drawing: ground, title, text alternative, then the children.
 * @param {Surface} surface
 * @param {number} height  px, of the children
 * @param {...string} children  markup
 */
export function standalone({ width, title, description, colors }, height, ...children) {
  const top = title === "" ? 0 : TITLE;
  const heading = { x: 0, y: 18, "font-size": 15, "font-weight": 600, fill: colors.ink };
  return tag(
    "svg",
    {
      xmlns: NAMESPACE,
      width: px(width),
      height: px(height + top),
      viewBox: `0 0 ${px(width)} ${px(height + top)}`,
      role: "img",
      "aria-label": description,
      "font-family": FONT,
      "font-size": 12,
      color: colors.ink,
      fill: "currentColor",
    },
    tag("rect", { width: "100%", height: "100%", fill: colors.paper }),
    title === "" ? "" : tag("text", heading, escaped(title)),
    tag("g", top === 0 ? {} : { transform: `translate(0, ${top})` }, ...children),
  );
}

/**
 * An element of a document, such as Observable Plot's, as markup.
 * @param {Element} element
 * @returns {string}
 */
export function serialized(element) {
  const attributes = Object.fromEntries(
    Array.from(element.attributes, ({ name, value }) => [name, value]),
  );
  const children = Array.from(element.childNodes, (node) =>
    node.nodeType === 1
      ? serialized(/** @type {Element} */ (node))
      : node.nodeType === 3
        ? escaped(node.textContent ?? "")
        : "",
  );
  return tag(element.localName, attributes, ...children);
}
