/** @import { Surface } from "../figure.js" */
/** @import { Make } from "../pieces.js" */
import { inks } from "../pieces.js";
import { px } from "../svg.js";

/**
 * What all parts of the picture are drawn with.
 * @typedef {ReturnType<typeof inkOf>} Ink
 *
 * A part of the picture: its place and its width, px.
 * @typedef {{x: number, y: number, width: number}} Place
 */

/** What each state says. */
export const MEANS = {
  seen: "every angle occurs in the original length",
  mapped: "the scaling keeps it within the angles of the original length",
  new: "meets angles that do not occur in the original length",
  still: "does not rotate",
};

/** The colors of arcs; their radii differ too, for those who see fewer colors. */
const ARCS = {
  light: { seen: "#35a06f", mapped: "#7a52d1", new: "#d12f2f" },
  dark: { seen: "#2f8a60", mapped: "#a98bfa", new: "#ff6f61" },
};

/** @param {Surface} surface @param {Make} make */
export function inkOf(surface, make) {
  const colors = { ...inks(surface), ...ARCS[surface.theme] };
  /**
   * @param {string} content @param {number} x @param {number} y  of the baseline
   * @param {{size?: number, bold?: boolean, fill?: string, anchor?: string}} [of]
   */
  const write = (content, x, y, { size = 13, bold = false, fill = colors.ink, anchor } = {}) =>
    make(
      "text",
      {
        x: px(x),
        y: px(y),
        "font-size": size,
        fill,
        ...(bold && { "font-weight": 600 }),
        ...(anchor && { "text-anchor": anchor }),
      },
      content,
    );
  return { make, colors, write };
}

/** The width of a letter of a text, as a part of its size: measured on system fonts, with some room. */
const LETTER = 0.56;

/** @param {string} text @param {number} size */
export const wideness = (text, size) => text.length * size * LETTER;

/** Words in lines of a width. @param {string} text @param {number} width @param {number} size */
export function wrapped(text, width, size) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = lines.length > 0 ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length > 0 && wideness(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** @param {number} bytes */
export function sized(bytes) {
  const by = UNITS.findLastIndex((_, i) => i === 0 || bytes >= 1024 ** i);
  return `${Number((bytes / 1024 ** by).toPrecision(3))} ${UNITS[by]}`;
}
