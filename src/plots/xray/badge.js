/** A badge for a model card: what the configuration says of positions. */

/** @import { Make } from "../pieces.js" */
/** @import { DrawnXray } from "./wall.js" */
import { px } from "../svg.js";
import { wideness } from "./ink.js";

const LABEL = "positions";
const [HEIGHT, SIZE, PAD] = [20, 11, 6];

/** @param {DrawnXray} seen */
export const badgeText = ({ badge }) => `${LABEL}: ${badge}`;

/** Dark and green with white words, on any page. @param {DrawnXray} seen @param {Make} make */
export function badgeParts({ badge }, make) {
  const [left, right] = [LABEL, badge].map((text) => px(wideness(text, SIZE) + 2 * PAD));
  const box = (/** @type {number} */ x, /** @type {number} */ width, /** @type {string} */ fill) =>
    make("rect", { x, width, height: HEIGHT, fill });
  const write = (/** @type {string} */ text, /** @type {number} */ x) =>
    make(
      "text",
      { x: px(x), y: 14, "font-size": SIZE, fill: "#fff", "text-anchor": "middle" },
      text,
    );
  return {
    width: px(left + right),
    height: HEIGHT,
    parts: [
      box(0, left, "#3a434b"),
      box(left, right, "#1c7430"),
      write(LABEL, left / 2),
      write(badge, left + right / 2),
    ],
  };
}
